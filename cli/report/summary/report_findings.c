/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdicts of all runs, added up: a finding for each rule that speaks of runs, and one for each kernel
 * name and rule. Gains are ns of the time that is judged, so that they can be compared and added.
 */
#include "cli/report/summary/report_findings.h"

#include "cli/output/memory.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"

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
