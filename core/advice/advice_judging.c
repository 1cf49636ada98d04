/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions with which rules write their conditions: values of the kernel (read once and marked as read),
 * figures of the run, the limits of the current rule, and the advice that it gives.
 */
#include "core/advice/advice_internal.h"

#include <math.h>

#define SECTOR_BYTES 32
#define SPAN_OF_RUN 0.9 /* chosen: a span of this share of the run may be called the run */

static const struct value *read_value(struct advice_judging *judging, enum metric metric)
{
    const struct advice_kernel *kernel = judging->kernel;
    struct value *value = &judging->values[metric];
    if (!judging->read[metric])
        *value = kernel->read ? kernel->read(kernel->context, metric) : kernel->values[metric];
    judging->read[metric] = true;
    if (value->available && !metric_from_launch(metric)) {
        judging->by_values = true;
        if (value->provenance < judging->list->weakest)
            judging->list->weakest = value->provenance;
    }
    return value;
}

const struct value *advice_read(struct advice_judging *judging, enum metric metric)
{
    const struct value *value = read_value(judging, metric);
    return value->available && !value->word ? value : NULL;
}

const char *advice_word(struct advice_judging *judging, enum metric metric)
{
    const struct value *value = read_value(judging, metric);
    return value->available ? value->word : NULL;
}

double advice_number(struct advice_judging *judging, enum metric metric, double otherwise)
{
    const struct value *value = advice_read(judging, metric);
    return value ? value->number : otherwise;
}

bool advice_beyond(const struct advice_judging *judging, size_t limit, double value)
{
    const struct advice_limit *at = &judging->rule->limits[limit];
    return at->below ? value < at->number : value > at->number;
}

struct advice *advice_add(struct advice_judging *judging)
{
    struct advice *advice = &judging->list->items[judging->list->count++];
    *advice = (struct advice){.rule = judging->rule, .provenance = PROVENANCE_MEASURED};
    return advice;
}

void advice_add_evidence(struct advice *advice, const char *id, const char *unit, struct value value)
{
    advice->evidence[advice->evidence_count++] = (struct advice_evidence){id, unit, value};
    if (value.provenance < advice->provenance)
        advice->provenance = value.provenance;
}

void advice_add_metric(struct advice *advice, struct advice_judging *judging, enum metric metric)
{
    const struct value *value = read_value(judging, metric);
    if (value->available)
        advice_add_evidence(advice, metric_info(metric)->id, metric_info(metric)->unit, *value);
}

/* The bytes that DRAM moved, and how many of them were needed: at most the ideal sectors, since sectors
 * beyond the ideal are not needed and cached ones do not come from DRAM. */
static double moved_bytes(struct advice_judging *judging)
{
    return advice_number(judging, METRIC_dram_read_bytes, 0) +
           advice_number(judging, METRIC_dram_write_bytes, 0);
}

static double needed_bytes(struct advice_judging *judging)
{
    double wanted = SECTOR_BYTES * (advice_number(judging, METRIC_global_load_ideal_sectors, 0) +
                                    advice_number(judging, METRIC_global_store_ideal_sectors, 0));
    return fmin(moved_bytes(judging), wanted);
}

double advice_dram_excess(struct advice_judging *judging)
{
    double moved = moved_bytes(judging);
    return moved > 0 ? 1 - needed_bytes(judging) / moved : 0;
}

double advice_waiting_pct(struct advice_judging *judging)
{
    double cycles = advice_number(judging, METRIC_cycles_per_issue, 0);
    double waits = advice_number(judging, METRIC_stall_long_scoreboard, 0);
    return cycles > 0 ? fmin(100, 100 * waits / cycles) : 0;
}

double advice_dram_needs(struct advice_judging *judging)
{
    const struct value *time = advice_read(judging, METRIC_time_ns);
    double peak = advice_number(judging, METRIC_theoretical_bandwidth_bytes_per_second, 0);
    return time && time->provenance == PROVENANCE_MEASURED && time->number > 0 && peak > 0
               ? needed_bytes(judging) / (ADVICE_DRAM_ATTAINABLE * peak) / (time->number * 1e-9)
               : 0;
}

double advice_l2_use(struct advice_judging *judging)
{
    return fmin(1, advice_number(judging, METRIC_l2_peak_pct, 0) / 100 / ADVICE_L2_ATTAINABLE);
}

void advice_cap_gain(struct advice *advice, struct advice_judging *judging)
{
    const struct advice_kernel *kernel = judging->kernel;
    const struct value *time = advice_read(judging, METRIC_time_ns);
    if (!time || time->provenance != PROVENANCE_MEASURED || !(time->number > 0))
        return;
    double seconds = time->number * 1e-9, needs = advice_dram_needs(judging);
    double slots = kernel->arch ? (double)kernel->arch->issue_slots * kernel->multiprocessors : 0;
    if (slots * kernel->clock_hz > 0)
        needs = fmax(needs,
                     advice_number(judging, METRIC_instructions, 0) / (slots * kernel->clock_hz) / seconds);
    advice->gain = fmax(0, fmin(advice->gain, 1 - needs));
}

void advice_add_figure(struct advice *advice, const struct advice_run *run, const char *id, const char *unit,
                       double number)
{
    advice_add_evidence(
        advice, id, unit,
        (struct value){.available = true, .derived = true, .provenance = run->provenance, .number = number});
}

const char *advice_time_text(double ns, char text[ADVICE_TIME_TEXT])
{
    metric_format(METRIC_time_ns, &(struct value){.available = true, .number = ns}, text, ADVICE_TIME_TEXT);
    return text;
}

double advice_class_pct(const struct advice_run *run, enum partition_class part)
{
    return 100 * (double)run->partition.ns[part] / (double)partition_span_ns(&run->partition);
}

bool advice_knows_partition(const struct advice_run *run)
{
    return run->partition.operations > 0 && partition_span_ns(&run->partition) > 0;
}

const char *advice_span_text(const struct advice_run *run)
{
    double judged_ns = (double)run->end_ns - (double)run->start_ns,
           whole_ns = (double)run->last_ns - (double)run->first_ns;
    return run->steps.count > 0                  ? "the steps' time"
           : judged_ns >= SPAN_OF_RUN * whole_ns ? "the run"
                                                 : "the time from the first kernel to the last";
}
