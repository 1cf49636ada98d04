/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of one workload are one group. A run's result is how many times the device time of the best run of the
 * same work it took (core/analysis/run_times.h), as the table of runs says it. Groups are ordered by the time
 * that their worst run loses.
 */
#include "cli/report/summary/report_sweeps.h"

#include "cli/output/memory.h"
#include "cli/report/report.h"
#include "cli/report/summary/report_findings.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <stdlib.h>
#include <string.h>

struct sweep {
    size_t first, worst; /* rows */
    size_t runs, compared;
    double least, most; /* of their results */
    double lost_ns;     /* by the worst */
};

struct sweeping {
    const struct report_data *data;
    const struct report_row *rows;
    size_t row_count;
    struct sweep *sweeps;
    size_t count;
};

static const struct run_row *run_of(const struct sweeping *sweeping, size_t row)
{
    return session_run(sweeping->data->session, sweeping->rows[row].run);
}

static bool same_group(const struct sweeping *sweeping, size_t a, size_t b)
{
    const struct run_row *left = run_of(sweeping, a), *right = run_of(sweeping, b);
    return left->workload == right->workload && left->program == right->program &&
           left->clock == right->clock;
}

/* What the row loses to the best. */
static double lost_ns(const struct sweeping *sweeping, size_t row)
{
    double times = sweeping->rows[row].of_best;
    return times > 1 ? (double)sweeping->rows[row].times.ns[RUN_TIME_DEVICE] * (1 - 1 / times) : 0;
}

static void group_add(struct sweep *sweep, const struct sweeping *sweeping, size_t row)
{
    double times = sweeping->rows[row].of_best;
    sweep->runs++;
    if (times <= 0 || sweeping->rows[row].bound)
        return;
    sweep->least = sweep->compared == 0 || times < sweep->least ? times : sweep->least;
    if (sweep->compared++ == 0 || times > sweep->most) {
        sweep->most = times;
        sweep->worst = row;
        sweep->lost_ns = lost_ns(sweeping, row);
    }
}

static int compare_sweeps(const void *a, const void *b)
{
    const struct sweep *left = a, *right = b;
    int order = (left->lost_ns < right->lost_ns) - (left->lost_ns > right->lost_ns);
    return order ? order : (left->first > right->first) - (left->first < right->first);
}

static void sweeping_make(struct sweeping *sweeping, const struct report_data *data,
                          const struct report_row *rows, size_t count)
{
    *sweeping = (struct sweeping){.data = data,
                                  .rows = rows,
                                  .row_count = count,
                                  .sweeps = memory_zeroed(count, sizeof *sweeping->sweeps)};
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < sweeping->count && !same_group(sweeping, sweeping->sweeps[at].first, i))
            at++;
        if (at == sweeping->count)
            sweeping->sweeps[sweeping->count++] = (struct sweep){.first = i, .worst = i};
        group_add(&sweeping->sweeps[at], sweeping, i);
    }
    qsort(sweeping->sweeps, sweeping->count, sizeof *sweeping->sweeps, compare_sweeps);
}

static void sweeping_fini(struct sweeping *sweeping)
{
    free(sweeping->sweeps);
}

/* ---- a line ---- */
struct values { /* the values of one parameter over the runs of a variant */
    bool differ, numbers;
    double least, most;
};

static struct values values_of(const struct sweeping *sweeping, size_t first, const struct run_param *param)
{
    const struct session *session = sweeping->data->session;
    struct values values = {.numbers = true};
    bool any = false;
    char name[40];
    snprintf(name, sizeof name, "%.*s", param->name_length, param->name);
    for (size_t i = 0; i < sweeping->row_count; i++) {
        const char *params = session_string(session, run_of(sweeping, i)->params);
        struct run_param its;
        double number;
        if (!same_group(sweeping, first, i) ||
            run_of(sweeping, i)->variant != run_of(sweeping, first)->variant ||
            !run_param_find(params, name, &its))
            continue;
        values.differ |= its.value_length != param->value_length ||
                         memcmp(its.value, param->value, (size_t)its.value_length) != 0;
        if (run_param_number(params, name, &number)) {
            values.least = !any || number < values.least ? number : values.least;
            values.most = !any || number > values.most ? number : values.most;
            any = true;
        } else {
            values.numbers = false;
        }
    }
    return values;
}

#define RANGES_MOST 2
#define REASON_GAIN 0.01 /* chosen, share of the worst case's device time; a smaller share is no reason */
#define REASON_LEAST 20  /* cells; less says nothing */
#define KERNELS_NAMED \
    1.05 /* chosen: the kernels' ratio is named where it is larger than the run's by this \
          */

/* "copy-stride:copy stride=1..32, worst stride=32": the parameter that varies, its range, and the worst case.
 */
static void describe_group(const struct sweeping *sweeping, const struct sweep *sweep, char *text,
                           size_t size_bytes)
{
    char name[600];
    const struct session *session = sweeping->data->session;
    const struct run_row *run = run_of(sweeping, sweep->worst);
    const char *rest = session_string(session, run->params);
    struct run_param param;
    bool one_variant = true;
    size_t used = 0, ranges = 0;
    for (size_t i = 0; i < sweeping->row_count; i++)
        one_variant &= !same_group(sweeping, sweep->worst, i) || run_of(sweeping, i)->variant == run->variant;
    append_text(text, size_bytes, &used, "%.100s%s%.60s",
                session_string(session, run->workload ? run->workload : run->program),
                one_variant && run->variant ? ":" : "",
                one_variant ? session_string(session, run->variant) : "");
    while (run_param_next(&rest, &param)) {
        struct values values = values_of(sweeping, sweep->worst, &param);
        if (values.differ && values.numbers && ranges++ < RANGES_MOST)
            append_text(text, size_bytes, &used, " %.*s=%.10g..%.10g",
                        param.name_length < 40 ? param.name_length : 40, param.name, values.least,
                        values.most);
    }
    if (sweep->runs < 2)
        return;
    report_run_name(session, sweeping->rows, sweeping->row_count, sweeping->rows[sweep->worst].run, false,
                    name, sizeof name);
    const char *own = strpbrk(name, one_variant ? " " : ": "); /* the part that is not in the group's name */
    append_text(text, size_bytes, &used, "%s%s", own ? ", worst " : "", own ? own + 1 : "");
}

/* Why the worst case is slow: how much longer its kernels take, where copies hide that, and the first finding
 * of its verdict. */
static void describe_reason(const struct report_data *data, const struct report_row *row, char *text,
                            size_t size_bytes)
{
    const struct verdict *verdict = report_ranked(data, row->of);
    text[0] = '\0';
    const struct advice *first = verdict->wrong > 0 ? &verdict->findings[0].advice : NULL;
    size_t used = 0;
    if (row->kernels_of_best > KERNELS_NAMED * row->of_best) {
        char times[24];
        metric_format_ratio(row->kernels_of_best, 3, times, sizeof times);
        append_text(text, size_bytes, &used, ": kernels %s", times);
    }
    if (first &&
        report_believed_ns(row, first->gain_ns) > REASON_GAIN * (double)row->times.ns[RUN_TIME_DEVICE])
        append_text(text, size_bytes, &used, ": %s", first->text);
}

static void print_sweep(const struct sweeping *sweeping, const struct sweep *sweep, int columns, FILE *out)
{
    const struct report_row *worst = &sweeping->rows[sweep->worst];
    char least[24] = "", most[24] = "-", group[900], why[300], cut[1200];
    if (sweep->compared > 0) {
        metric_format_ratio(sweep->most, 3, most, sizeof most);
        if (sweep->most > sweep->least * 1.005)
            metric_format_ratio(sweep->least, 3, least, sizeof least);
    }
    describe_group(sweeping, sweep, group, sizeof group);
    describe_reason(sweeping->data, worst, why, sizeof why);
    int used = fprintf(out, "%6s%s%-6s %9s %5zu  ", least, *least ? ".." : "  ", most,
                       number_time(worst->times.ns[RUN_TIME_DEVICE]).text, sweep->runs);
    text_cut(group, columns - used, cut, sizeof cut);
    fputs(cut, out);
    used += text_width(cut, columns);
    if (columns - used >= REASON_LEAST) {
        text_cut(why, columns - used, cut, sizeof cut);
        fputs(cut, out);
    }
    putc('\n', out);
}

size_t report_sweeps_lines(const struct report_data *data, const struct report_row *rows, size_t count)
{
    size_t groups = 0;
    struct sweeping sweeping = {.data = data, .rows = rows, .row_count = count};
    for (size_t i = 0; i < count; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = !same_group(&sweeping, i, k);
        groups += first;
    }
    return groups + 1;
}

size_t report_sweeps_print(const struct report_data *data, const struct report_row *rows, size_t count,
                           size_t lines, int columns, FILE *out)
{
    struct sweeping sweeping;
    sweeping_make(&sweeping, data, rows, count);
    size_t shown = lines > sweeping.count ? sweeping.count : lines - (lines > 0);
    if (lines > 0)
        fprintf(out, "%-14s %9s %5s  %s\n", "  of the best", "the worst", "runs",
                columns < REPORT_COLUMNS ? "workload"
                                         : "the workloads that lose most: the worst case, and why");
    for (size_t i = 0; i < shown; i++)
        print_sweep(&sweeping, &sweeping.sweeps[i], columns, out);
    size_t left = sweeping.count - shown;
    sweeping_fini(&sweeping);
    return left;
}
