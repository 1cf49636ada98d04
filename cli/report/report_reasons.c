/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reason for each name and clock of the table of times: the first advice of one of the kernels with that
 * name; of several, what is wrong comes first, then what would save most time over all launches.
 *
 * On the first screen advice goes first, too. Without it the row of the name that takes most time is looked
 * at: as long as a launch call takes longer than the kernel, that is what matters; else what its advice list
 * says.
 */
#include "cli/report/report_reasons.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/report.h"
#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"
#include "tui/widgets/number.h"

#include <stdlib.h>

struct launched {                /* of all kernels of a name, on a clock */
    int64_t longest_ns, call_ns; /* of the row with the most time: its total, and its median launch call */
};

/* Does one call of the run launch many kernels? Its time is then no single kernel's. */
static bool in_graphs(const struct report_main_kernels *of, uint32_t run)
{
    for (size_t i = 0; i < of->row_count; i++) {
        const struct advice_run *figures = &of->rows[i].facts->figures;
        if (of->rows[i].run == run)
            return 2 * figures->launch_calls < figures->launches;
    }
    return true;
}

static struct launched launches_of(const struct report_main_kernels *of, uint32_t name)
{
    const struct session *session = of->data->session;
    struct launched launched = {.longest_ns = -1};
    for (uint32_t kernel = 0; kernel < kernel_index_count(of->data->index); kernel++) {
        const struct kernel_row *row = session_kernel(session, kernel);
        const struct shape_row *shape = session_shape(session, row->shape);
        const struct run_row *run = session_run(session, row->run);
        struct kernel_times times = kernel_index_times(of->data->index, kernel);
        if (!shape || !run || shape->name != name || run->clock != of->clock || !run_is_traced(run) ||
            times.total_ns <= launched.longest_ns)
            continue;
        launched = (struct launched){
            .longest_ns = times.total_ns,
            .call_ns = times.calls > 0 && !in_graphs(of, row->run) ? times.call_median_ns : -1};
    }
    return launched;
}

/* What the code of a kernel that was not counted calls; "": nothing that is known. */
static const char *kernel_calls_text(const struct report_main_kernels *of, uint32_t name)
{
    const struct session *session = kernel_index_session(of->data->index);
    unsigned flags = 0;
    for (uint32_t kernel = 0; kernel < kernel_index_count(of->data->index); kernel++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
        flags |= shape && shape->name == name ? shape->flags : 0;
    }
    return flags & SHAPE_ALLOCATES ? "; calls malloc or free"
           : flags & SHAPE_PRINTS  ? "; calls printf"
           : flags & SHAPE_DIVIDES ? "; divides 64-bit integers"
                                   : "";
}

void report_kernel_reason(const struct report_main_kernels *of, uint32_t name, char *text, size_t size_bytes)
{
    const struct report_reason *reason = report_reason_find(of->reasons, name, of->clock);
    struct launched launched = launches_of(of, name);
    int64_t median_ns = report_median_ns(of->data, name, of->clock);
    if (reason && reason->kernel != NONE)
        snprintf(text, size_bytes, "%s%s%s",
                 of->clock == CLOCK_WALL && reason->advice.provenance == PROVENANCE_MODELLED ? "modelled: "
                                                                                             : "",
                 reason->advice.fine ? "fine: " : "", reason->advice.text);
    else if (of->clock == CLOCK_WALL && median_ns > 0 && launched.call_ns > median_ns)
        snprintf(text, size_bytes, "takes %s, its launch call %s", number_time(median_ns).text,
                 number_time(launched.call_ns).text);
    else if (reason && reason->said[0] != '\0')
        snprintf(text, size_bytes, "%s%s", reason->state == ADVICE_STATE_FINE ? "fine: " : "", reason->said);
    else if (median_ns > 0)
        snprintf(text, size_bytes, "takes %s; not counted%s", number_time(median_ns).text,
                 kernel_calls_text(of, name));
    else
        snprintf(text, size_bytes, "not counted");
}

struct report_reason *report_reason_find(const struct report_reasons *reasons, uint32_t name,
                                         enum clock_kind clock)
{
    for (size_t i = 0; i < reasons->count; i++)
        if (reasons->items[i].name == name && reasons->items[i].clock == clock)
            return &reasons->items[i];
    return NULL;
}

/* Problems come before findings that are fine, then what gains more time. */
static bool weighs_more(const struct advice *advice, double gain_ns, const struct report_reason *reason)
{
    if (reason->kernel == NONE)
        return true;
    if (advice->fine != reason->advice.fine)
        return !advice->fine;
    return gain_ns > reason->gain_ns;
}

static void take_kernel(struct report_reasons *reasons, const struct report_data *data,
                        const struct report_run *run, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(data->session, kernel);
    const struct shape_row *shape = session_shape(data->session, row->shape);
    const struct run_row *of = session_run(data->session, row->run);
    struct report_reason *reason = shape && of ? report_reason_find(reasons, shape->name, of->clock) : NULL;
    struct kernel_times times = kernel_times(data->session, kernel, false);
    struct advice_list list;
    if (!reason || !run_is_traced(of) || times.launches == 0)
        return;
    report_advice_of_kernel(data, kernel, &list);
    reason->rows++;
    reason->counted += report_has_counters(data, kernel);
    reason->judged += advice_has_judged(&list);
    if (times.total_ns > reason->main_ns) {
        reason->main_ns = times.total_ns;
        reason->state = list.state;
        snprintf(reason->said, sizeof reason->said, "%s", list.said);
    }
    if (list.count == 0)
        return;
    double gain_ns = list.items[0].gain * (double)times.total_ns;
    if (weighs_more(&list.items[0], gain_ns, reason)) {
        reason->kernel = kernel;
        reason->run = run;
        reason->gain_ns = gain_ns;
        reason->advice = list.items[0];
    }
}

void report_reasons_make(struct report_reasons *reasons, const struct report_data *data)
{
    struct report_data plain = *data; /* the model is not run for lines here */
    size_t names = 0;
    plain.ask_model = false;
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        names += data->times[clock].kernel_count;
    *reasons = (struct report_reasons){.items = memory_zeroed(names, sizeof *reasons->items)};
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        for (size_t i = 0; i < data->times[clock].kernel_count; i++)
            if (report_wants_name(data->names, data->session, data->times[clock].kernels[i].name,
                                  data->kernels))
                reasons->items[reasons->count++] = (struct report_reason){
                    .name = data->times[clock].kernels[i].name, .clock = clock, .kernel = NONE};
    for (size_t i = 0; i < data->run_count; i++)
        REPORT_EACH_KERNEL (data, i, kernel)
            take_kernel(reasons, &plain, &data->runs[i], kernel);
}

void report_reasons_fini(struct report_reasons *reasons)
{
    free(reasons->items);
    *reasons = (struct report_reasons){0};
}

/* Which row of this name it is: "copy-stride:copy stride=8", "64x1x1 blocks of 256x1x1". */
static void which_text(const struct report_reason *reason, const struct report_data *data, char *text,
                       size_t size_bytes)
{
    const struct session *session = data->session;
    const struct run_row *run = report_run_row(session, reason->run);
    const struct shape_row *shape = session_shape(session, session_kernel(session, reason->kernel)->shape);
    if (reason->rows < 2)
        snprintf(text, size_bytes, "its time");
    else if (run->workload)
        snprintf(text, size_bytes, "%.200s:%.100s%s%.300s", session_string(session, run->workload),
                 session_string(session, run->variant), run->params ? " " : "",
                 session_string(session, run->params));
    else
        snprintf(text, size_bytes, "%ux%ux%u blocks of %ux%ux%u", shape->grid[0], shape->grid[1],
                 shape->grid[2], shape->block[0], shape->block[1], shape->block[2]);
}

void report_reason_line(const struct report_reasons *reasons, const struct report_data *data, uint32_t name,
                        enum clock_kind clock, char *text, size_t size_bytes)
{
    const struct report_reason *reason = report_reason_find(reasons, name, clock);
    char which[700], gain[800] = "";
    *text = '\0';
    if (!reason || reason->kernel == NONE)
        return;
    which_text(reason, data, which, sizeof which);
    if (!reason->advice.fine)
        snprintf(gain, sizeof gain, "; <= %s of %s", number_gain(reason->advice.gain).text, which);
    else if (reason->rows > 1)
        snprintf(gain, sizeof gain, "; %s", which);
    snprintf(text, size_bytes, "%s %s (%s%s)", reason->advice.fine ? "fine:" : "why:", reason->advice.text,
             provenance_text(reason->advice.provenance), gain);
}

bool report_reasons_sum(const struct report_reasons *reasons, enum clock_kind clock, char *text,
                        size_t size_bytes)
{
    size_t all = 0, counted = 0, states[ADVICE_STATE_COUNT] = {0}, uncounted = 0, used = 0;
    *text = '\0';
    for (size_t i = 0; i < reasons->count; i++) {
        const struct report_reason *reason = &reasons->items[i];
        if (reason->clock != clock)
            continue;
        all++;
        counted += reason->counted > 0;
        if (reason->kernel != NONE)
            states[reason->advice.fine ? ADVICE_STATE_FINE : ADVICE_STATE_GAIN]++;
        else if (reason->said[0] != '\0')
            states[reason->state]++;
        else
            uncounted++;
    }
    if (all == 0)
        return false;
    append_text(text, size_bytes, &used, "%zu of %zu kernel%s something to gain", states[ADVICE_STATE_GAIN],
                all, all == 1 ? " has" : "s have");
    if (states[ADVICE_STATE_FINE] > 0)
        append_text(text, size_bytes, &used, ", %zu fine", states[ADVICE_STATE_FINE]);
    if (states[ADVICE_STATE_LIMIT] > 0)
        append_text(text, size_bytes, &used, ", %zu at a limit", states[ADVICE_STATE_LIMIT]);
    if (states[ADVICE_STATE_UNCHECKED] > 0)
        append_text(text, size_bytes, &used, ", %zu not fully checked", states[ADVICE_STATE_UNCHECKED]);
    if (uncounted > 0)
        append_text(text, size_bytes, &used, ", %zu not counted", uncounted);
    return uncounted > 0 && counted == 0;
}

bool report_has_counters(const struct report_data *data, uint32_t kernel)
{
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        struct value value = report_statistic(data, kernel, (enum metric)metric).value;
        enum metric_group group = metric_info((enum metric)metric)->group; /* a trace run gives times, too */
        if (group != METRIC_GROUP_TIME && group != METRIC_GROUP_OLD && value.available &&
            value.provenance != PROVENANCE_EXPECTED)
            return true;
    }
    return false;
}
