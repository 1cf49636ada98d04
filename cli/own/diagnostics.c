/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler's message begins with a line that is a place, a kind and a text. Lines that begin with a blank
 * follow: more of the text, the source's line, a caret below that, and where a template was instantiated. Any
 * other line (a note, a sum, an empty one) ends the message.
 */
#include "cli/own/diagnostics.h"

#include "core/base/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BYTES 20 /* for "; line 123: " */
#define MORE_BYTES 60  /* for ", and 12 more", and to spare */

/* Appends; what does not fit is replaced by "...". */
static void text_add(char *text, size_t size_bytes, const char *more, size_t length)
{
    size_t used = strlen(text);

    if (used + length + 1 <= size_bytes)
        snprintf(text + used, size_bytes - used, "%.*s", (int)length, more);
    else {
        snprintf(text + used, size_bytes - used, "%.*s", (int)(size_bytes - used - 1), more);
        strcpy(text + size_bytes - 4, "...");
    }
}

void diagnostics_add(struct diagnostics *diagnostics, uint32_t line, bool warning, const char *text)
{
    diagnostics->errors += !warning;
    diagnostics->warnings += warning;
    if (diagnostics->count == DIAGNOSTICS_MAX)
        return;
    struct diagnostic *diagnostic = &diagnostics->list[diagnostics->count++];

    *diagnostic = (struct diagnostic){.line = line, .warning = warning};
    text_add(diagnostic->text, sizeof diagnostic->text, text, strlen(text));
}

struct diagnostic_place {
    const char *file; /* into the output */
    int length;
    uint32_t line;
};

/* "FILE(5)" or "FILE:5:10" before `end`. */
static bool place_read(const char *begin, const char *end, struct diagnostic_place *place)
{
    const char *at = memchr(begin, '(', (size_t)(end - begin));
    char *after;

    if (!at)
        at = memchr(begin, ':', (size_t)(end - begin));
    if (!at || at == begin)
        return false;
    place->file = begin;
    place->length = (int)(at - begin);
    place->line = (uint32_t)strtoul(at + 1, &after, 10);
    while (place->length > 0 && memchr(place->file, '/', (size_t)place->length)) {
        place->file++;
        place->length--;
    }
    return after != at + 1;
}

/* The text after a kind; gcc's and the front end's own suffixes of options are left out. False: the line
 * begins no message. */
static bool message_begin(struct diagnostics *diagnostics, const char *begin, size_t length, const char *file)
{
    static const struct {
        const char *text;
        bool warning;
    } kinds[] = {
        {": fatal error: ", false},  {": catastrophic error: ", false},
        {": error: ", false},        {": error #", false},
        {": warning: ", true},       {": warning #", true},
        {"ptxas error   : ", false}, {"ptxas fatal   : ", false},
        {"; error   : ", false},     {"; fatal   : ", false}}; /* "ptxas x.ptx, line 32; error   : " */
    struct diagnostic_place place = {.line = 0};
    char line[2 * DIAGNOSTIC_BYTES], text[sizeof line + 20];

    snprintf(line, sizeof line, "%.*s", (int)length, begin);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = strstr(line, kinds[i].text), *said;

        if (!at)
            continue;
        said = at + strlen(kinds[i].text);
        if (said[-1] == '#' && strchr(said, ':')) /* the number of a message: "#177-D: " */
            said = strchr(said, ':') + 2;
        if (!place_read(line, at, &place) ||
            ((size_t)place.length == strlen(file) && strncmp(place.file, file, (size_t)place.length) == 0))
            snprintf(text, sizeof text, "%s", said);
        else {
            snprintf(text, sizeof text, "%.*s:%u: %s", place.length, place.file, place.line, said);
            place.line = 0;
        }
        diagnostics_add(diagnostics, place.line, kinds[i].warning, text);
        return true;
    }
    return false;
}

struct diagnostic_line {
    const char *text;
    size_t length; /* 0: there is none */
};

/* The cell of the caret in a line of gcc's ("      |     ^~~~") or the front end's ("     ^"); -1: it is no
 * such line. */
static int caret_find(struct diagnostic_line line)
{
    const size_t blanks = strspn(line.text, " |");

    return blanks < line.length && line.text[blanks] == '^' &&
                   blanks + 1 + strspn(line.text + blanks + 1, "~ ") >= line.length
               ? (int)blanks
               : -1;
}

/* Takes the source's line and the caret below it, of the user's own file alone: what a file that it includes
 * has may be somebody else's. */
static void source_take(struct diagnostics *diagnostics, struct diagnostic *of, struct diagnostic_line source,
                        int caret)
{
    const char *bar = memchr(source.text, '|', source.length);
    /* gcc's lines begin with the number: "    5 | "; the front end's with two blanks */
    const size_t numbers = strspn(source.text, " 0123456789");
    const int head = bar && bar == source.text + numbers ? (int)numbers + 2 : 2;

    if (!of->line || head > caret || (size_t)head > source.length)
        return;
    of->column = (uint32_t)(caret - head + 1);
    if (!of->warning && diagnostics->errors == 1 &&
        source.length + (size_t)caret + 8 < DIAGNOSTIC_SOURCE_BYTES)
        snprintf(diagnostics->source, sizeof diagnostics->source, "%.*s\n%*s^", (int)source.length - head,
                 source.text + head, caret - head, "");
}

static void more_add(struct diagnostic *diagnostic, struct diagnostic_line line)
{
    const size_t blanks = strspn(line.text, " \t");

    if (blanks >= line.length)
        return;
    text_add(diagnostic->text, sizeof diagnostic->text, " ", 1);
    text_add(diagnostic->text, sizeof diagnostic->text, line.text + blanks, line.length - blanks);
}

void diagnostics_read(struct diagnostics *diagnostics, const char *output, const char *file)
{
    struct diagnostic *open = NULL; /* the message that the lines belong to */
    struct diagnostic_line before = {.length = 0};

    while (*output) {
        const struct diagnostic_line line = {output, strcspn(output, "\n")};
        const uint32_t count = diagnostics->count;
        const int caret = caret_find(line);

        if (open && caret >= 0 && before.length > 0)
            source_take(diagnostics, open, before, caret);
        else if (open && before.length > 0)
            more_add(open, before);
        before.length = 0;
        if (caret < 0 && line.length > 0 && *line.text == ' ')
            before = line;
        else if (caret < 0)
            open = message_begin(diagnostics, line.text, line.length, file) && diagnostics->count > count
                       ? &diagnostics->list[count]
                       : NULL;
        output += line.length + (output[line.length] == '\n');
    }
    if (open && before.length > 0)
        more_add(open, before);
}

void diagnostics_text(const struct diagnostics *diagnostics, char *text, size_t size_bytes)
{
    uint32_t shown = 0;
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];

        if (diagnostic->warning ||
            (shown && used + strlen(diagnostic->text) + PLACE_BYTES + MORE_BYTES > size_bytes))
            continue;
        if (shown++)
            append_text(text, size_bytes, &used, "; ");
        if (diagnostic->line)
            append_text(text, size_bytes, &used, "line %u: ", diagnostic->line);
        text_add(text, size_bytes - MORE_BYTES, diagnostic->text, strlen(diagnostic->text));
        used = strlen(text);
    }
    if (shown < diagnostics->errors)
        append_text(text, size_bytes, &used, ", and %u more", diagnostics->errors - shown);
}
