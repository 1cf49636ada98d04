/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row for each traced run, with its overlap and its advice; the best of a workload and size is found over
 * all rows, also those that are not printed.
 *
 * Where the time of a run went (core/analysis/partition.h) is printed as bars, a block for each device: the
 * span, then the classes with time in the order of the partition, each with what most of it was: a call, a
 * range, code.
 */
#include "cli/report/report_runs.h"
#include "cli/report/report.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_facts.h"
#include "cli/report/report_parts.h"
#include "core/analysis/compare_work.h"
#include "core/analysis/run_times.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAR_CELLS 16
#define TEXT_CELLS 60 /* cells of 100 columns, beside share, bar and time */

static const struct partition_blame *blame_of(const struct partition *partition, int part)
{
    for (uint32_t i = 0; i < partition->blame_count; i++) /* longest first */
        if (partition->blames[i].part == part && partition->blames[i].name != 0)
            return &partition->blames[i];
    return NULL;
}

static void print_class(const struct session *session, const struct partition *partition, int part, FILE *out)
{
    int64_t ns = partition->ns[part], span_ns = partition_span_ns(partition);
    double share = (double)ns / (double)span_ns;
    int cells = (int)(share * BAR_CELLS + 0.5);
    char bar[BAR_CELLS + 1];
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = i < cells ? '#' : ' ';
    bar[BAR_CELLS] = '\0';
    const char *text = partition_class_text((enum partition_class)part);
    fprintf(out, "%9.2f %% %s %9s  %s", 100 * share, bar, number_time(ns).text, text);
    const struct partition_blame *blame = blame_of(partition, part);
    if (blame && part >= PARTITION_IDLE_FIRST) {
        char shown[4 * TEXT_CELLS + 1], name[400];
        partition_blame_name(session, blame, name, sizeof name);
        text_shorten(name, TEXT_CELLS - 3 - (int)strlen(text), shown, sizeof shown);
        fprintf(out, " (%s)", shown);
    }
    putc('\n', out);
}

/* The classes of a device over a span; its description, which ends in a colon, is printed first. */
static void print_classes(const struct session *session, const struct partition *partition, FILE *out)
{
    for (int part = 0; part < PARTITION_COUNT; part++)
        if (partition->ns[part] > 0)
            print_class(session, partition, part, out);
}

static void print_device(const struct session *session, const struct partition *partition, FILE *out)
{
    const struct device_row *device = session_device(session, partition->device);
    if (device)
        text_print(device->info.name, out);
    else
        fputs("the device", out);
}

/* The text of what is described, its device and its classes. */
static void print_partition(const struct session *session, const struct partition *partition,
                            const char *what, FILE *out)
{
    fprintf(out, "\nwhere the time %s on ", what);
    print_device(session, partition, out);
    fputs(":\n", out);
    print_classes(session, partition, out);
}

/* For the whole run and for its steps; nothing for a run that did nothing on a device. */
static void report_partition_table(const struct session *session, const struct report_facts *facts, FILE *out)
{
    const struct steps *steps = &facts->figures.steps;
    char what[400];
    for (size_t i = 0; i < facts->time.count; i++) {
        int64_t span_ns = partition_span_ns(&facts->time.items[i]);
        snprintf(what, sizeof what, "went, %s from the first operation to the last",
                 number_time(span_ns).text);
        if (span_ns > 0)
            print_partition(session, &facts->time.items[i], what, out);
    }
    for (size_t i = 0; i < facts->steps_time.count; i++) {
        snprintf(what, sizeof what, "of %s steps went, %s each with %s launches,",
                 number_exact((int64_t)steps->count).text,
                 number_time((steps->end_ns - steps->start_ns) / (int64_t)steps->count).text,
                 number_exact((int64_t)steps->launches).text);
        print_partition(session, &facts->steps_time.items[i], what, out);
    }
}

#define ROWS_MAX 12
#define NAME_CELLS 46 /* of 100 columns, what the numbers leave over */

#define ADVICE_OF_ONE 3 /* lines of advice if there is one run; else one line */

static enum status make_row(const struct report_data *data, const struct report_run *run,
                            struct report_row *row, struct error *error)
{
    const struct report_facts *facts;
    enum status status = report_facts(data, run, &facts, error);
    const struct overlap *overlap = &facts->overlap;
    struct run_times times;
    if (status == STATUS_OK)
        status = memory_check(run_times_of(data->session, run->runs[RUN_TRACE], &times, error));
    if (status == STATUS_OK) {
        *row = (struct report_row){.of = run,
                                   .run = run->runs[RUN_TRACE],
                                   .times = times,
                                   .copy_ns = overlap->copy_busy_ns,
                                   .hidden_ns = overlap->copy_hidden_ns,
                                   .facts = facts};
    }
    return status;
}

/* Is the run of a variant that does less work than the others? */
static bool is_bound(const struct workload *workload, const char *variant)
{
    for (size_t i = 0; workload && i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, variant) == 0)
            return workload->variants[i].bound;
    return false;
}

/* Of the device times, and, where copies are only the workload's set-up, of its kernels' times. */
static void find_best(const struct session *session, struct report_row *rows, size_t count)
{
    struct run_cost *costs = memory_zeroed(count, sizeof *costs),
                    *kernels = memory_zeroed(count, sizeof *kernels);
    for (size_t i = 0; i < count; i++) {
        const struct run_row *run = session_run(session, rows[i].run);
        const struct workload *workload = workload_find(session_string(session, run->workload));
        rows[i].bound = is_bound(workload, session_string(session, run->variant));
        costs[i] = kernels[i] = (struct run_cost){.run = rows[i].run, .bound = rows[i].bound};
        costs[i].cost = (double)rows[i].times.ns[RUN_TIME_DEVICE];
        if (workload && workload->chapter != CHAPTER_STREAMS)
            kernels[i].cost = run_kernel_cost(session, rows[i].run);
    }
    for (size_t i = 0; i < count; i++) {
        struct run_best best = run_best_of(session, costs, count, i);
        rows[i].best = rows[best.best].of;
        rows[i].of_best = best.times;
        rows[i].kernels_of_best = run_best_of(session, kernels, count, i).times;
    }
    free(costs);
    free(kernels);
}

static int compare_rows(const void *a, const void *b)
{
    const struct report_row *left = a, *right = b;
    int order = (left->times.ns[RUN_TIME_DEVICE] < right->times.ns[RUN_TIME_DEVICE]) -
                (left->times.ns[RUN_TIME_DEVICE] > right->times.ns[RUN_TIME_DEVICE]);
    return order ? order : (left->run > right->run) - (left->run < right->run);
}

/* Do the runs of the workload differ in this parameter? */
static bool tells_apart(const struct session *session, const struct report_row *rows, size_t count,
                        uint32_t index, const struct run_param *param)
{
    const struct run_row *run = session_run(session, index);
    char name[40];
    snprintf(name, sizeof name, "%.*s", param->name_length, param->name);
    for (size_t i = 0; i < count; i++) {
        const struct run_row *other = session_run(session, rows[i].run);
        struct run_param its;
        if (other->workload == run->workload &&
            (!run_param_find(session_string(session, other->params), name, &its) ||
             its.value_length != param->value_length ||
             memcmp(its.value, param->value, (size_t)its.value_length) != 0))
            return true;
    }
    return false;
}

void report_run_name(const struct session *session, const struct report_row *rows, size_t count,
                     uint32_t index, bool wide, char *name, size_t size_bytes)
{
    const struct run_row *run = session_run(session, index);
    const char *variant = session_string(session, run->variant), *rest = session_string(session, run->params);
    struct run_param param;
    size_t used = 0;
    append_text(name, size_bytes, &used, "%.200s%s%.100s",
                session_string(session, run->workload ? run->workload : run->program), *variant ? ":" : "",
                variant);
    while (run_param_next(&rest, &param)) {
        if (used + 90 < size_bytes && (wide || tells_apart(session, rows, count, index, &param))) {
            append_text(name, size_bytes, &used, " %.*s=%.*s",
                        param.name_length < 40 ? param.name_length : 40, param.name,
                        param.value_length < 40 ? param.value_length : 40, param.value);
        }
    }
}

static void print_name(const struct session *session, const struct report_row *rows, size_t count,
                       uint32_t index, FILE *out, bool wide)
{
    char name[600], shown[600];
    report_run_name(session, rows, count, index, wide, name, sizeof name);
    text_shorten(name, wide ? (int)sizeof shown : NAME_CELLS, shown, sizeof shown);
    fputs(session_run(session, index)->clock == CLOCK_MODEL ? "~" : " ", out);
    text_print(shown, out);
    putc('\n', out);
}

static void print_row(const struct report_data *data, const struct report_row *rows, size_t count,
                      size_t index, FILE *out, bool wide)
{
    const struct report_row *row = &rows[index];
    char best[24] = "-", hidden[24] = "-";
    if (row->bound)
        snprintf(best, sizeof best, "bound");
    else if (row->of_best > 0)
        metric_format_ratio(row->of_best, 3, best, sizeof best);
    if (row->copy_ns > 0)
        snprintf(hidden, sizeof hidden, "%.0f %%", 100 * (double)row->hidden_ns / (double)row->copy_ns);
    fprintf(out, "%11s %9s %9s %9s %9s ", number_time(row->times.ns[RUN_TIME_DEVICE]).text, best,
            row->times.ended ? number_time(row->times.ns[RUN_TIME_WHOLE]).text : "-",
            row->copy_ns > 0 ? number_time(row->copy_ns).text : "-", hidden);
    print_name(data->session, rows, count, row->run, out, wide);
    size_t most = count == 1 ? ADVICE_OF_ONE : 1;
    for (size_t i = 0; i < row->facts->advice_count && i < most; i++) {
        const struct advice *advice = &row->facts->advice[i];
        char line[sizeof advice->text + 80];
        snprintf(line, sizeof line, "%s (%s; <= %s to gain)", advice->text,
                 provenance_text(advice->provenance),
                 number_gain(report_gain(data->session, row->facts, advice)).text);
        fprintf(out, "%11s", i == 0 ? "why:" : "and:");
        text_print_words(line, 11, REPORT_COLUMNS, out);
        putc('\n', out);
    }
}

enum status report_rows(const struct report_data *data, struct report_row **rows, size_t *count,
                        struct error *error)
{
    enum status status = STATUS_OK;
    *rows = memory_zeroed(data->run_count, sizeof **rows);
    *count = 0;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        if (data->runs[i].runs[RUN_TRACE] != NONE) {
            status = make_row(data, &data->runs[i], &(*rows)[*count], error);
            *count += status == STATUS_OK && (*rows)[*count].times.ns[RUN_TIME_DEVICE] > 0;
        }
    }
    if (status == STATUS_OK && *count > 0) {
        find_best(data->session, *rows, *count);
        qsort(*rows, *count, sizeof **rows, compare_rows);
    }
    return status;
}

enum status report_runs_table(const struct report_data *data, FILE *out, bool wide, struct error *error)
{
    struct report_row *rows;
    size_t count;
    enum status status = report_rows(data, &rows, &count, error);
    size_t shown = wide || count <= ROWS_MAX ? count : ROWS_MAX;
    if (status == STATUS_OK && count > 0)
        fprintf(out, "\n%11s %9s %9s %9s %9s  %s\n", run_time_name(RUN_TIME_DEVICE), "of best",
                run_time_name(RUN_TIME_WHOLE), "copies", "hidden", "run");
    for (size_t i = 0; status == STATUS_OK && i < shown; i++)
        print_row(data, rows, count, i, out, wide);
    if (status == STATUS_OK && count == 1)
        report_partition_table(data->session, rows[0].facts, out);
    if (status == STATUS_OK && shown < count)
        fprintf(out, "... and %zu shorter runs: --wide shows them\n", count - shown);
    free(rows);
    return status;
}
