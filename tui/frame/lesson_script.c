/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is a word, a blank, and the rest of the line. The words are in one table, with the function that
 * takes the rest. Lines that begin with # and empty lines are left out.
 */
#include "tui/frame/lesson_script.h"

#include "core/base/array.h"
#include "tui/terminal/key.h"

#include <stdlib.h>
#include <string.h>

#define MINUTES_MAX 999

struct reading {
    struct lesson_script *script;
    const char *name;
    unsigned number; /* of the line */
    struct error *error;
};

static enum status refuse_line(const struct reading *reading, const char *why)
{
    return error_set(reading->error, STATUS_USAGE, "%.200s:%u: %s", reading->name, reading->number, why);
}

static enum status take_title(struct reading *reading, char *rest)
{
    reading->script->title = rest;
    return STATUS_OK;
}

static enum status take_minutes(struct reading *reading, char *rest)
{
    char *end;
    unsigned long minutes = strtoul(rest, &end, 10);
    if (*rest < '1' || *rest > '9' || *end != '\0' || minutes > MINUTES_MAX)
        return refuse_line(reading, "minutes must be a number from 1 to 999, such as: minutes 45");
    reading->script->minutes = (unsigned)minutes;
    return STATUS_OK;
}

static enum status take_step(struct reading *reading, char *rest)
{
    struct lesson_script *script = reading->script;
    if (script->step_count == LESSON_STEPS_MAX)
        return refuse_line(reading, "a lesson has at most 200 steps; divide it into two files.");
    script->steps[script->step_count++] =
        (struct lesson_step){.title = rest, .first = (uint32_t)script->line_count};
    return STATUS_OK;
}

static enum status add_line(struct reading *reading, enum lesson_line_kind kind, const char *rest)
{
    struct lesson_script *script = reading->script;
    struct lesson_step *step = script->step_count > 0 ? &script->steps[script->step_count - 1] : NULL;
    if (!step)
        return refuse_line(
            reading,
            "text, run, open, predict and keys belong to a step: put a line 'step TITLE' before it.");
    if (step->count == LESSON_STEP_LINES_MAX)
        return refuse_line(reading, "a step has at most 60 lines; begin another step.");
    if (!array_grow(script->lines, script->line_room, script->line_count, 1))
        return error_no_memory(reading->error, "to read a lesson");
    script->lines[script->line_count++] =
        (struct lesson_line){.kind = kind, .number = reading->number, .text = rest};
    step->count++;
    return STATUS_OK;
}

static enum status take_text(struct reading *reading, char *rest)
{
    return add_line(reading, LESSON_TEXT, rest);
}

static enum status take_run(struct reading *reading, char *rest)
{
    return add_line(reading, LESSON_RUN, rest);
}

static enum status take_predict(struct reading *reading, char *rest)
{
    return add_line(reading, LESSON_PREDICT, rest);
}

static enum status take_open(struct reading *reading, char *rest)
{
    return add_line(reading, LESSON_OPEN, rest);
}

static enum status take_keys(struct reading *reading, char *rest)
{
    for (const char *at = rest + strspn(rest, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (key_parse(at, length) == 0)
            return error_set(reading->error, STATUS_USAGE,
                             "%.200s:%u: '%.*s' is not a key: give key names as in the help, separated by "
                             "blanks, such as: keys j j TAB ENTER",
                             reading->name, reading->number, (int)(length < 40 ? length : 40), at);
        at += length;
    }
    return add_line(reading, LESSON_KEYS, rest);
}

static const struct {
    const char *word;
    enum status (*take)(struct reading *reading, char *rest);
} words[] = {{"title", take_title}, {"minutes", take_minutes}, {"step", take_step},
             {"text", take_text},   {"run", take_run},         {"open", take_open},
             {"keys", take_keys},   {"predict", take_predict}};

static enum status take_line(struct reading *reading, char *line)
{
    size_t length = strlen(line), word = strcspn(line, " ");
    if (length > LESSON_LINE_MAX)
        return refuse_line(reading, "the line is longer than 500 bytes: divide it.");
    for (const char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            return refuse_line(reading, "the line has a control character, such as a tab: remove it.");
    if (line[0] == '#' || line[strspn(line, " ")] == '\0')
        return STATUS_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) != word || strncmp(words[i].word, line, word) != 0)
            continue;
        char *rest = line + word + strspn(line + word, " ");
        if (*rest == '\0')
            return refuse_line(reading, "nothing follows the word: see docs/present.md.");
        return words[i].take(reading, rest);
    }
    return refuse_line(reading,
                       "a line begins with title, minutes, step, text, run, open, predict, keys or #.");
}

enum status lesson_script_read(struct lesson_script *script, const char *name, const char *text,
                               size_t size_bytes, struct error *error)
{
    struct reading reading = {.script = script, .name = name, .error = error};
    enum status status = STATUS_OK;
    *script = (struct lesson_script){.title = ""};
    if (size_bytes > LESSON_SCRIPT_BYTES_MAX)
        return error_set(error, STATUS_USAGE, "%.200s is larger than 256 KiB, and no lesson is.", name);
    if (memchr(text, '\0', size_bytes))
        return error_set(error, STATUS_USAGE, "%.200s is not a text file: it has a zero byte.", name);
    script->bytes = malloc(size_bytes + 1);
    if (!script->bytes)
        return error_no_memory(error, "to read a lesson");
    memcpy(script->bytes, text, size_bytes);
    script->bytes[size_bytes] = '\0';
    for (char *line = script->bytes; status == STATUS_OK && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = '\0';
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        reading.number++;
        status = take_line(&reading, line);
        line = next;
    }
    if (status == STATUS_OK && script->step_count == 0)
        status = error_set(error, STATUS_USAGE,
                           "%.200s has no step: put at least one line 'step TITLE' into it.", name);
    if (status != STATUS_OK)
        lesson_script_free(script);
    return status;
}

void lesson_script_free(struct lesson_script *script)
{
    free(script->bytes);
    free(script->lines);
    *script = (struct lesson_script){0};
}
