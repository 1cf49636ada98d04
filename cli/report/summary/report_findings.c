/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdicts of all runs, added up: a finding for each rule that speaks of runs, and one for each kernel
 * name and rule. Gains are ns of the time that is judged, so that they can be compared and added.
 */
#include "cli/report/summary/report_findings.h"

#include "cli/output/memory.h"
#include "cli/report/report_remedies.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"
#include "tui/widgets/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAIN_LEAST 0.01 /* chosen, share of the time shown: smaller gains are rarely worth the work */

static bool has_evidence(const struct advice *advice, const char *part)
{
    for (size_t i = 0; i < advice->evidence_count; i++)
        if (strstr(advice->evidence[i].id, part))
            return true;
    return false;
}

static bool is_about_copies(const struct advice *advice)
{
    return has_evidence(advice, "copies") || has_evidence(advice, "copy_");
}

double report_believed_ns(const struct report_row *row, double gain_ns)
{
    if (row->of_best <= 0)
        return gain_ns;
    return fmax(0, fmin(gain_ns, (double)row->times.ns[RUN_TIME_DEVICE] * (1 - 1 / row->of_best)));
}

/* The time that gains are a share of: the judged span; for a bundled workload, which is mostly set-up, its
 * device time without set-up. */
static double whole_ns_of(const struct report_data *data, const struct report_row *row,
                          const struct verdict *verdict)
{
    const struct advice_run *figures = &row->facts->figures;
    return session_run(data->session, row->run)->workload != 0
               ? (double)figures->overlap.any_busy_ns - figures->set_up_copies_ns
               : verdict->span_ns;
}

static uint32_t name_of(const struct report_data *data, uint32_t kernel)
{
    return kernel == NONE ? NONE
                          : session_shape(data->session, session_kernel(data->session, kernel)->shape)->name;
}

/* The same rule for the run, or for a kernel of that name. */
static struct report_finding *find_finding(struct report_findings *findings, const struct report_data *data,
                                           const struct run_finding *wanted)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct report_finding *item = &findings->items[i];
        if (item->advice.rule == wanted->advice.rule &&
            name_of(data, item->kernel) == name_of(data, wanted->kernel))
            return item;
    }
    memory_grow(findings->items, findings->capacity, findings->count, 1);
    findings->items[findings->count] = (struct report_finding){.kernel = wanted->kernel, .most_ns = -1};
    return &findings->items[findings->count++];
}

static void take_run(struct report_findings *findings, const struct report_data *data,
                     const struct report_row *row)
{
    const struct verdict *verdict = report_ranked(data, row->of);
    findings->whole_ns += whole_ns_of(data, row, verdict);
    findings->uncounted_ns = verdict_wants_counters(verdict) ? verdict->uncounted_ns : 0;
    for (size_t i = 0; i < verdict->count && !verdict->findings[i].advice.fine; i++) {
        const struct run_finding *from = &verdict->findings[i];
        double gain_ns = report_believed_ns(row, from->advice.gain_ns);
        if (gain_ns <= 0)
            continue;
        struct report_finding *finding = find_finding(findings, data, from);
        finding->others += finding->most_ns >= 0;
        finding->gain_ns += gain_ns;
        if (gain_ns > finding->most_ns) {
            finding->most_ns = gain_ns;
            finding->advice = from->advice;
            finding->kernel = from->kernel;
            finding->run = row->of;
            finding->best = row->best;
        }
    }
}

static int compare_findings(const void *a, const void *b)
{
    const struct report_finding *left = a, *right = b;
    return (left->gain_ns < right->gain_ns) - (left->gain_ns > right->gain_ns);
}

void report_findings_make(struct report_findings *findings, const struct report_data *data,
                          const struct report_row *rows, size_t count)
{
    *findings = (struct report_findings){0};
    for (size_t i = 0; i < count; i++)
        take_run(findings, data, &rows[i]);
    if (count != 1)
        findings->uncounted_ns = 0;
    if (findings->count > 1)
        qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
    while (findings->count > 0 &&
           findings->items[findings->count - 1].gain_ns < GAIN_LEAST * findings->whole_ns)
        findings->count--;
}

void report_findings_fini(struct report_findings *findings)
{
    free(findings->items);
    *findings = (struct report_findings){0};
}

/* ---- the command to type next ---- */
/* "FILE:copy-stride:copy,stride=8,n=1024" */
static void append_run(char *text, size_t size_bytes, size_t *used, const struct session *session,
                       const char *file, const struct report_run *run)
{
    const struct run_row *row = report_run_row(session, run);
    char word[700];
    snprintf(word, sizeof word, "%.200s:%.100s:%.100s%s%.250s", file, session_string(session, row->workload),
             session_string(session, row->variant), row->params ? "," : "",
             session_string(session, row->params));
    append_shell_word(text, size_bytes, used, word);
}

#define PATTERN_LEAST 8

/* " '*histogram_global*'", or as much of the beginning of the name as fits. */
static void append_pattern(char *text, size_t size_bytes, size_t *used, const char *own, int cells)
{
    char pattern[204];
    int room = cells - (int)*used - 5;
    room = room < PATTERN_LEAST ? PATTERN_LEAST : room;
    snprintf(pattern, sizeof pattern, "*%.*s*", room < 200 ? room : 200, own);
    append_shell_word(text, size_bytes, used, pattern);
}

static void next_of_kernel(const struct report_finding *finding, const struct report_data *data,
                           const char *file, int cells, char *text, size_t size_bytes)
{
    const struct session *session = data->session;
    const struct run_row *run = report_run_row(session, finding->run);
    const struct process_row *process = session_process(session, run->process);
    const struct kernel_row *kernel = session_kernel(session, finding->kernel);
    char own[200];
    size_t used = 0;
    name_print_own(session_string(session, session_shape(session, kernel->shape)->name), own, sizeof own);
    if (run->workload != 0 || !process || run->clock == CLOCK_MODEL ||
        finding->run->runs[RUN_LINES] != NONE) {
        append_text(text, size_bytes, &used, "lanescope report");
        append_shell_word(text, size_bytes, &used, file);
        append_text(text, size_bytes, &used, " --lines --kernel");
        append_pattern(text, size_bytes, &used, own, cells);
        return;
    }
    append_text(text, size_bytes, &used, "lanescope --record lines.lsr --runs lines --kernel");
    append_pattern(text, size_bytes, &used, own, cells);
    const char *command =
        session_string(session, atomic_load_explicit(&process->command, memory_order_acquire));
    bool fits = *command != '\0' && (int)used + 4 + text_width(command, cells + 1) <= cells;
    append_text(text, size_bytes, &used, " -- %s", fits ? command : "PROGRAM");
}

void report_table_next(const char *file, const char *table, char *text, size_t size_bytes)
{
    size_t used = 0;
    append_text(text, size_bytes, &used, "lanescope report");
    append_shell_word(text, size_bytes, &used, file);
    append_text(text, size_bytes, &used, " --table %s", table);
}

void report_step_next(const char *file, const char *edit, char *text, size_t size_bytes)
{
    size_t used = 0;
    append_text(text, size_bytes, &used, "lanescope what-if");
    append_shell_word(text, size_bytes, &used, file);
    append_text(text, size_bytes, &used, " --edit %s", edit);
}

void report_finding_next(const struct report_finding *finding, const struct report_data *data,
                         const char *file, int cells, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    if (finding->best != finding->run && report_run_row(data->session, finding->run)->workload != 0) {
        append_text(text, size_bytes, &used, "lanescope diff");
        append_run(text, size_bytes, &used, data->session, file, finding->run);
        append_run(text, size_bytes, &used, data->session, file, finding->best);
        if (text_width(text, cells + 1) <= cells)
            return;
        used = 0;
    }
    if (finding->kernel != NONE) {
        next_of_kernel(finding, data, file, cells, text, size_bytes);
        return;
    }
    report_table_next(file,
                      has_evidence(&finding->advice, "idle_") ? "idle"
                      : is_about_copies(&finding->advice)     ? "copies"
                                                              : "kernels",
                      text, size_bytes);
}

/*
 * Lines are given out in order of what they are worth: the heading and the first step with why and what to do, then the
 * first line of each further step, then what is left, then the rest. A line that does not fit is not begun.
 */

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
    if (of->edit->assumption || !finding) {
        report_remedy_if(help->remedies, step, condition);
        append_text(text, sizeof text, &used, ", %s", condition);
    }
    print_sentence(help, GAIN_STYLE, head, text, whole ? 2 : 1 + (of->assumed ? 1 : 0));
    if (!whole)
        return;
    if (finding) {
        describe_why(help, finding, text, sizeof text);
        print_sentence(help, "", "", text, 2);
    } else if (of->edit->changes == REPLAY_HAS_LOADING && help->remedies->gains.facts.loads > 1) {
        const struct replay_facts *facts = &help->remedies->gains.facts;
        snprintf(
            text, sizeof text,
            "why: %s is called %llu times in the loop, and takes %s each with the host's work just before "
            "it, as compiling is",
            session_string(help->data->session, facts->loads_name), (unsigned long long)facts->loads,
            number_time(facts->loads_ns / (int64_t)facts->loads).text);
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
