/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are given out in order of what they are worth: the heading and the first step with why and what to do, then the
 * first line of each further step, then what is left, then the rest. A line that does not fit is not begun.
 */
#include "cli/report/summary/report_help.h"

#include "cli/report/report_remedies.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

#define BOLD "1"
#define GAIN_STYLE "1;33"
#define STEPS_SHOWN 3
#define FIRST_LEAST 4 /* lines of the first one, with what to do; the others come after it */
#define SEEN_SHOWN 2

struct help {
    const struct report_data *data;
    const struct report_row *row;
    const struct report_look *look;
    const struct remedies *remedies;
    const struct verdict *verdict;
    FILE *out;
    size_t lines, left; /* printed, and that may still be */
};

size_t report_help_words(FILE *out, int columns, const char *text, size_t most)
{
    int cells = columns - HELP_COLUMN;
    size_t lines = 1;
    char shown[2000];
    while (most > lines && text_width(text, cells + 1) > cells) {
        bool dots;
        size_t keep = text_cut_at(text, cells, &dots);
        while (keep > 0 && text[keep] != ' ')
            keep--;
        if (keep == 0)
            break;
        char part[1000];
        snprintf(part, sizeof part, "%.*s", (int)keep, text);
        text_cut(part, cells, shown, sizeof shown);
        fprintf(out, "%s\n%*s", shown, HELP_COLUMN, "");
        text += keep + 1;
        lines++;
    }
    text_cut(text, cells, shown, sizeof shown);
    fprintf(out, "%s\n", shown);
    return lines;
}

static bool has_room(const struct help *help, size_t lines)
{
    return help->left >= lines;
}

static void take_lines(struct help *help, size_t lines)
{
    help->lines += lines;
    help->left -= lines < help->left ? lines : help->left;
}

/* `head`: the first columns. At most `most` lines, but as few as there are left. */
static void print_sentence(struct help *help, const char *style, const char *head, const char *text,
                           size_t most)
{
    if (!has_room(help, 1))
        return;
    most = most < help->left ? most : help->left;
    if (help->look->color && *style)
        fprintf(help->out, "\x1b[%sm%-*s\x1b[0m", style, HELP_COLUMN, head);
    else
        fprintf(help->out, "%-*s", HELP_COLUMN, head);
    take_lines(help, report_help_words(help->out, help->look->columns, text, most));
}

static void print_heading(struct help *help, const char *text)
{
    char shown[REMEDY_TEXT];
    text_cut(text, help->look->columns, shown, sizeof shown);
    fprintf(help->out, help->look->color ? "\x1b[" BOLD "m%s\x1b[0m\n" : "%s\n", shown);
    take_lines(help, 1);
}

static void print_command(struct help *help, const struct run_finding *finding,
                          const struct what_if_step *step)
{
    const struct report_finding of = {
        .advice = finding ? finding->advice : (struct advice){0},
        .run = help->row->of,
        .best = help->row->best,
        .kernel = finding ? finding->kernel : NONE,
    };
    char text[1500];
    if (!has_room(help, 1))
        return;
    if (finding)
        report_finding_next(&of, help->data, help->look->file, help->look->columns - HELP_COLUMN, text,
                            sizeof text);
    else
        report_step_next(help->look->file, step->edit->id, text, sizeof text);
    fprintf(help->out, "%*s$ ", HELP_COLUMN - 2, "");
    text_print(text, help->out);
    putc('\n', help->out);
    take_lines(help, 1);
}

/* "tailed: The last of 2 waves .." */
static void describe_why(const struct help *help, const struct run_finding *finding, char *text,
                         size_t size_bytes)
{
    char name[200] = "";
    size_t used = 0;
    if (finding->kernel != NONE)
        report_name_shorten(help->data, kernel_full_name(help->data->session, finding->kernel), 40, false,
                            name, sizeof name);
    append_text(text, size_bytes, &used, "why: %s%s%s", name, name[0] ? ": " : "", finding->advice.text);
}

/* With `whole` also why, what to do and the next command. */
static void print_step(struct help *help, size_t step, bool whole)
{
    const struct what_if_step *of = &help->remedies->gains.steps[step];
    const struct run_finding *finding = remedy_finding(help->remedies, help->verdict, step);
    char head[24], text[1400], condition[REMEDY_TEXT];
    size_t used = 0;
    snprintf(head, sizeof head, "%s%3.0f %% ", of->assumed ? " ? " : "   ",
             100 * report_remedy_gain(help->remedies, step));
    report_remedy_text(help->remedies, step, text);
    used = strlen(text);
    if (of->assumed || !finding) {
        report_remedy_if(help->remedies, step, condition);
        append_text(text, sizeof text, &used, ", %s", condition);
    }
    print_sentence(help, GAIN_STYLE, head, text, whole ? 2 : 1 + (of->assumed ? 1 : 0));
    if (!whole)
        return;
    if (finding) {
        describe_why(help, finding, text, sizeof text);
        print_sentence(help, "", "", text, 2);
    }
    snprintf(text, sizeof text, "do: %s", report_remedy_now(help->remedies, help->verdict, step));
    print_sentence(help, "", "", text, 2);
    print_command(help, finding, of);
}

static size_t count_seen(const struct help *help)
{
    size_t seen = 0;
    for (size_t i = 0; i < help->verdict->count; i++)
        seen += help->remedies->of[i] == SIZE_MAX && !help->verdict->findings[i].advice.fine;
    return seen;
}

static void print_seen(struct help *help)
{
    size_t printed = 0;
    char text[1400];
    for (size_t i = 0; i < help->verdict->count && printed < SEEN_SHOWN; i++) {
        const struct run_finding *finding = &help->verdict->findings[i];
        if (help->remedies->of[i] != SIZE_MAX || finding->advice.fine)
            continue;
        describe_why(help, finding, text, sizeof text);
        print_sentence(help, "", printed == 0 ? "also seen" : "", text + strlen("why: "), 1);
        printed++;
    }
}

size_t report_help_print(const struct report_data *data, const struct report_row *row,
                         const struct report_look *look, size_t lines, size_t *more, FILE *out)
{
    struct help help = {.data = data,
                        .row = row,
                        .look = look,
                        .remedies = report_remedies(data, row->of),
                        .verdict = report_verdict(data, row->of),
                        .out = out,
                        .left = lines};
    char text[REMEDY_TEXT];
    size_t count = help.remedies->gains.count, shown = count < STEPS_SHOWN ? count : STEPS_SHOWN;
    report_remedies_head(help.remedies, text);
    if (has_room(&help, 2)) /* never without what is below it */
        print_heading(&help, text);
    bool supported = count > 0 && !help.remedies->gains.steps[0].assumed;
    report_remedies_left(help.remedies, text);
    if (!supported)
        print_sentence(&help, "", "", text, 2);
    size_t seen = count_seen(&help), behind = supported + (seen < SEEN_SHOWN ? seen : SEEN_SHOWN);
    const size_t each =
        help.left < FIRST_LEAST + 2 * (shown > 0 ? shown - 1 : 0) + behind ? 1 : 2; /* of the others */
    while (shown > 1 && help.left < shown + behind)
        shown--;
    for (size_t i = 0; i < shown; i++) {
        size_t further = each * (shown - i - 1) + behind;
        size_t before = help.left;
        help.left = before > further ? before - further : before > 0; /* what this one may take */
        size_t given = help.left;
        print_step(&help, i, i == 0 || given >= 4);
        help.left = before - (given - help.left);
    }
    if (supported)
        print_sentence(&help, "", "", text, 1);
    print_seen(&help);
    *more = count - shown;
    return help.lines;
}
