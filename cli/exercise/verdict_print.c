/* Columns are counted in cells, since names may have any characters. */
#include "cli/exercise/verdict_print.h"

#include "cli/output/json.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"

#include <math.h>
#include <string.h>

#define FILE_CELLS_MOST 40
#define EXERCISE_CELLS 12
#define FIGURE_CELLS 30
#define NUMBER_CELLS 14
#define HINT_LEAD "      hint: "
#define ROW_SENTENCE_BYTES (VERDICT_SENTENCE_BYTES + 100)
#define ROW_SENTENCE_CUT 160 /* the whole is in the JSON, with --full, and said of a single file */

void print_wrapped_text(const char *text, int indent, int columns, FILE *out)
{
    const size_t room = columns > indent + 20 ? (size_t)(columns - indent) : 20;
    char line[400];

    while (*text) {
        size_t length = strlen(text);

        if (length > room) {
            for (length = room; length > 0 && text[length] != ' ';)
                length--;
            if (length == 0)
                length = strcspn(text, " ");
        }
        if (length >= sizeof line)
            length = sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text_print(line, out);
        text += length;
        text += strspn(text, " ");
        if (*text)
            fprintf(out, "\n%*s", indent, "");
    }
    putc('\n', out);
}

static void print_cells(const char *text, int cells, FILE *out)
{
    int used = text_width(text, cells);

    text_print(text, out);
    fprintf(out, "%*s", used < cells ? cells - used : 1, "");
}

static const char *exercise_name(const struct verdict *verdict)
{
    return verdict->exercise ? verdict->exercise->name : "-";
}

static void figure_text(const struct verdict_goal *goal, char *text, size_t size_bytes)
{
    if (isnan(goal->figure))
        snprintf(text, size_bytes, "n/a");
    else
        exercise_figure_text(goal->goal->figure, goal->figure, text, size_bytes);
}

/* ---- one ---- */
static void print_goals(const struct verdict *verdict, FILE *out)
{
    char number[40], limit[40];

    for (size_t i = 0; i < verdict->goal_count; i++) {
        const struct exercise_goal *goal = verdict->goals[i].goal;

        figure_text(&verdict->goals[i], number, sizeof number);
        exercise_figure_text(goal->figure, goal->limit, limit, sizeof limit);
        fprintf(out, "  %-3s %-*s%*s   %s %s%s%s%s\n", verdict->goals[i].reached ? "ok" : "no", FIGURE_CELLS,
                exercise_figure_title(goal->figure), NUMBER_CELLS, number,
                goal->at_least ? "at least" : "at most", limit, goal->note ? " (" : "",
                goal->note ? goal->note : "", goal->note ? ")" : "");
    }
}

/* The line that does not compile, and the caret below it. */
static void print_source(const struct verdict *verdict, int indent, FILE *out)
{
    char text[sizeof verdict->source], *lines = text, *line;

    memcpy(text, verdict->source, sizeof text);
    while ((line = strsep(&lines, "\n")) && *line) {
        fprintf(out, "%*s", indent, "");
        text_print(line, out);
        putc('\n', out);
    }
}

void verdict_print(const struct grade_job *job, int columns, FILE *out)
{
    const struct verdict *verdict = &job->verdict;

    text_print(job->path, out);
    fprintf(out, ": %s%s%s\n", verdict->exercise ? "exercise " : "",
            verdict->exercise ? verdict->exercise->name : "no exercise",
            verdict->outcome == OUTCOME_PASSED ? ": passed" : "");
    if (verdict->outcome != OUTCOME_PASSED)
        fprintf(out, "  not yet: %s\n", outcome_text(verdict->outcome));
    if (*verdict->sentence) {
        fputs("  ", out);
        print_wrapped_text(verdict->sentence, 2, columns, out);
    }
    print_source(verdict, 2, out);
    print_goals(verdict, out);
    if (verdict->hint) {
        fputs("  hint: ", out);
        print_wrapped_text(verdict->hint, (int)strlen("  hint: "), columns, out);
    }
}

/* ---- many ---- */
/* What is short, in a row of the table: "load sectors 8,192 (at most 2,048)". */
static void short_text(const struct verdict *verdict, char *text, size_t size_bytes)
{
    char number[40], limit[40];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < verdict->goal_count; i++) {
        const struct exercise_goal *goal = verdict->goals[i].goal;

        if (verdict->goals[i].reached)
            continue;
        figure_text(&verdict->goals[i], number, sizeof number);
        exercise_figure_text(goal->figure, goal->limit, limit, sizeof limit);
        append_text(text, size_bytes, &used, "%s%s %s (%s %s)", used ? ", " : "",
                    exercise_figure_title(goal->figure), number, goal->at_least ? "at least" : "at most",
                    limit);
    }
}

static void row_sentence(const struct verdict *verdict, char *text, size_t size_bytes)
{
    if (verdict->other)
        snprintf(text, size_bytes, "%s", verdict->sentence);
    else if (verdict->outcome == OUTCOME_SHORT)
        short_text(verdict, text, size_bytes);
    else if (verdict->outcome == OUTCOME_PASSED)
        snprintf(text, size_bytes, "passed");
    else if (verdict->finding && verdict->line)
        snprintf(text, size_bytes, "%s, line %u", verdict->finding, verdict->line);
    else if (verdict->outcome == OUTCOME_WRONG)
        snprintf(text, size_bytes, "%s: %s", outcome_text(verdict->outcome), verdict->sentence);
    else
        snprintf(text, size_bytes, "%s", verdict->sentence);
}

static void print_row(const struct grade_job *job, int file_cells, bool full, int columns, FILE *out)
{
    const struct verdict *verdict = &job->verdict;
    const int indent = file_cells + 2 + EXERCISE_CELLS + 4;
    char sentence[ROW_SENTENCE_BYTES];

    print_cells(job->path, file_cells + 2, out);
    print_cells(exercise_name(verdict), EXERCISE_CELLS, out);
    fputs(verdict->outcome == OUTCOME_PASSED ? "ok  " : "no  ", out);
    row_sentence(verdict, sentence, sizeof sentence);
    if (!full && strlen(sentence) > ROW_SENTENCE_CUT)
        strcpy(sentence + ROW_SENTENCE_CUT - 3, "...");
    print_wrapped_text(sentence, indent, columns, out);
    if (full)
        print_source(verdict, indent, out);
    if (full && verdict->hint) {
        fputs(HINT_LEAD, out);
        print_wrapped_text(verdict->hint, (int)strlen(HINT_LEAD), columns, out);
    }
}

void verdicts_print_table(const struct grade_job *jobs, size_t count, enum confinement how, double seconds,
                          bool hints, int columns, FILE *out)
{
    size_t of[OUTCOME_COUNT] = {0};
    char confined[200];
    int file_cells = (int)strlen("hand-in");

    for (size_t i = 0; i < count; i++) {
        int cells = text_width(jobs[i].path, FILE_CELLS_MOST);

        file_cells = cells > file_cells ? cells : file_cells;
        of[jobs[i].verdict.outcome]++;
    }
    print_cells("hand-in", file_cells + 2, out);
    print_cells("exercise", EXERCISE_CELLS, out);
    fputs("    result\n", out);
    for (size_t i = 0; i < count; i++)
        print_row(&jobs[i], file_cells, hints, columns, out);
    fprintf(out, "\n%zu of %zu passed", of[OUTCOME_PASSED], count);
    for (enum outcome outcome = OUTCOME_SHORT; outcome < OUTCOME_COUNT; outcome++)
        if (of[outcome])
            fprintf(out, "; %s: %zu", outcome_text(outcome), of[outcome]);
    fprintf(out, "; %.1f s\n", seconds);
    snprintf(confined, sizeof confined, "The compiler was %s.", confinement_text(how));
    print_wrapped_text(confined, 0, columns, out);
}

/* ---- JSON ---- */
static void print_json_goals(struct json *json, const struct verdict *verdict)
{
    json_open(json, "goals", '[');
    for (size_t i = 0; i < verdict->goal_count; i++) {
        const struct exercise_goal *goal = verdict->goals[i].goal;

        json_open(json, NULL, '{');
        json_string(json, "figure", exercise_figure_id(goal->figure));
        json_string(json, "title", exercise_figure_title(goal->figure));
        json_number(json, "value", verdict->goals[i].figure);
        json_number(json, goal->at_least ? "at_least" : "at_most", goal->limit);
        json_bool(json, "reached", verdict->goals[i].reached);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void verdicts_print_json(const struct grade_job *jobs, size_t count, enum confinement how, double seconds,
                         FILE *out)
{
    struct json json;
    size_t passed = 0;

    json_init(&json, out, 2);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", 1);
    json_open(&json, "hand_ins", '[');
    for (size_t i = 0; i < count; i++) {
        const struct verdict *verdict = &jobs[i].verdict;

        passed += verdict->outcome == OUTCOME_PASSED;
        json_open(&json, NULL, '{');
        json_string(&json, "file", jobs[i].path);
        if (verdict->exercise)
            json_string(&json, "exercise", verdict->exercise->name);
        else
            json_null(&json, "exercise");
        json_bool(&json, "passed", verdict->outcome == OUTCOME_PASSED);
        json_string(&json, "outcome", outcome_id(verdict->outcome));
        json_string(&json, "sentence", verdict->sentence);
        json_string(&json, "source", verdict->source);
        json_string(&json, "input", verdict->other ? "other" : "shown");
        json_string(&json, "other_input", jobs[i].other.text);
        json_string(&json, "hint", verdict->hint ? verdict->hint : "");
        json_number(&json, "seconds", verdict->seconds);
        print_json_goals(&json, verdict);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_integer(&json, "count", (int64_t)count);
    json_integer(&json, "passed", (int64_t)passed);
    json_number(&json, "seconds", seconds);
    json_string(&json, "confinement", confinement_id(how));
    json_close(&json, '}');
}
