/*
 * A finding for each rule that speaks of runs, which adds up what it could gain in all of them, and one for
 * each kernel name that has a reason. Gains are shares of different times (a rule's of the busy time, or of
 * the steps'); here they become ns of the time that the first screen shows, so that they can be compared and
 * added.
 */
#include "cli/report/summary/report_findings.h"

#include "cli/output/memory.h"
#include "core/base/append.h"
#include "tui/terminal/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAIN_LEAST 0.01 /* chosen: of the time shown; less is rarely worth the work */

static double busy_ns(const struct partition *time)
{
    return (double)time->ns[PARTITION_KERNEL] + (double)time->ns[PARTITION_COLLECTIVE] +
           (double)time->ns[PARTITION_COPY];
}

/* What the run's advice could gain of the time shown: a share of the busy time is one of the busy part of it.
 */
static double gain_of_run(const struct report_facts *facts, const struct advice *advice)
{
    const struct partition *time = report_shown_time(facts);
    double busy = (double)facts->figures.overlap.any_busy_ns, base = advice->gain_ns / advice->gain;
    if (time == NULL || !(advice->gain > 0))
        return 0;
    return fabs(base - busy) < 1 ? advice->gain * busy_ns(time)
                                 : fmin(advice->gain_ns, (double)partition_span_ns(time));
}

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

double report_believed_ns(const struct report_row *row, const struct advice *advice)
{
    double gain_ns = gain_of_run(row->facts, advice);
    if (row->of_best <= 0)
        return gain_ns;
    double twin_ns = is_about_copies(advice) ? (double)(row->copy_ns - row->hidden_ns - row->best_shown_ns)
                                             : (double)row->device_ns * (1 - 1 / row->of_best);
    return fmax(0, fmin(gain_ns, twin_ns));
}

static struct report_finding *find_rule(struct report_findings *findings, const struct advice_rule *rule)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].kernel == NONE && findings->items[i].advice->rule == rule)
            return &findings->items[i];
    findings->items[findings->count] = (struct report_finding){.kernel = NONE};
    return &findings->items[findings->count++];
}

static void take_run(struct report_findings *findings, const struct report_row *row)
{
    for (size_t i = 0; i < row->facts->advice_count; i++) {
        const struct advice *advice = &row->facts->advice[i];
        double gain_ns = report_believed_ns(row, advice);
        if (gain_ns < GAIN_LEAST * (double)row->device_ns)
            continue;
        struct report_finding *finding = find_rule(findings, advice->rule);
        finding->others += finding->advice != NULL;
        finding->gain_ns += gain_ns;
        if (finding->advice == NULL || gain_ns > finding->most_ns) {
            finding->most_ns = gain_ns;
            finding->advice = advice;
            finding->run = row->of;
            finding->best = row->best;
        }
    }
}

static const struct report_row *row_of(const struct report_row *rows, size_t count,
                                       const struct report_run *run)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].of == run)
            return &rows[i];
    return NULL;
}

static int compare_findings(const void *a, const void *b)
{
    const struct report_finding *left = a, *right = b;
    return (left->gain_ns < right->gain_ns) - (left->gain_ns > right->gain_ns);
}

void report_findings_make(struct report_findings *findings, const struct report_data *data,
                          const struct report_row *rows, size_t count, const struct report_reasons *reasons)
{
    double busy = 0, gpu_ns = 0;
    *findings = (struct report_findings){
        .items = memory_zeroed(ADVICE_RULES_MAX + reasons->count, sizeof *findings->items)};
    for (size_t i = 0; i < count; i++) {
        const struct partition *time = report_shown_time(rows[i].facts);
        take_run(findings, &rows[i]);
        busy += time == NULL ? 0 : busy_ns(time);
        findings->whole_ns += time == NULL ? 0 : (double)partition_span_ns(time);
    }
    if (count > 0 && session_run(data->session, rows[0].run)->workload != 0)
        findings->whole_ns = busy;
    for (enum clock_kind clock = 0; count > 0 && clock < CLOCK_COUNT; clock++)
        if (session_run(data->session, rows[0].run)->clock == clock)
            gpu_ns = (double)data->times[clock].gpu_ns;
    for (size_t i = 0; i < reasons->count; i++) {
        const struct report_reason *reason = &reasons->items[i];
        const struct report_row *row = reason->kernel == NONE ? NULL : row_of(rows, count, reason->run);
        double gain_ns = gpu_ns > 0 ? reason->all_gain_ns / gpu_ns * busy : 0;
        if (row != NULL && !reason->advice.fine && gain_ns >= GAIN_LEAST * findings->whole_ns)
            findings->items[findings->count++] = (struct report_finding){.advice = &reason->advice,
                                                                         .run = reason->run,
                                                                         .best = row->best,
                                                                         .kernel = reason->kernel,
                                                                         .gain_ns = gain_ns,
                                                                         .most_ns = gain_ns};
    }
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
/* A word of a shell's command line: in quotes unless it is plain. */
static void append_word(char *text, size_t size_bytes, size_t *used, const char *word)
{
    bool plain = *word != '\0';
    for (const char *at = word; *at != '\0'; at++)
        plain = plain && (isalnum((unsigned char)*at) || strchr("_-./:,=+@%", *at));
    if (plain) {
        append_text(text, size_bytes, used, " %s", word);
        return;
    }
    append_text(text, size_bytes, used, " '");
    for (const char *at = word; *at != '\0'; at++)
        append_text(text, size_bytes, used, "%.*s", *at == '\'' ? 4 : 1, *at == '\'' ? "'\\''" : at);
    append_text(text, size_bytes, used, "'");
}

/* "FILE:copy-stride:copy,stride=8,n=1024" */
static void append_run(char *text, size_t size_bytes, size_t *used, const struct session *session,
                       const char *file, const struct report_run *run)
{
    const struct run_row *row = report_run_row(session, run);
    char word[700];
    snprintf(word, sizeof word, "%.200s:%.100s:%.100s%s%.250s", file, session_string(session, row->workload),
             session_string(session, row->variant), row->params ? "," : "",
             session_string(session, row->params));
    append_word(text, size_bytes, used, word);
}

#define PATTERN_LEAST 8

/* " '*histogram_global*'", or as much of the name's beginning as fits. */
static void append_pattern(char *text, size_t size_bytes, size_t *used, const char *own, int cells)
{
    char pattern[204];
    int room = cells - (int)*used - 5;
    room = room < PATTERN_LEAST ? PATTERN_LEAST : room;
    snprintf(pattern, sizeof pattern, "*%.*s*", room < 200 ? room : 200, own);
    append_word(text, size_bytes, used, pattern);
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
    kernel_own_name(session_string(session, session_shape(session, kernel->shape)->name), own, sizeof own);
    if (run->workload != 0 || process == NULL || finding->run->runs[RUN_LINES] != NONE) {
        append_text(text, size_bytes, &used, "lanescope report");
        append_word(text, size_bytes, &used, file);
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
    append_text(text, size_bytes, &used, "lanescope report");
    append_word(text, size_bytes, &used, file);
    append_text(text, size_bytes, &used, " --table %s",
                has_evidence(finding->advice, "idle_") ? "idle"
                : is_about_copies(finding->advice)     ? "copies"
                                                       : "kernels");
}
