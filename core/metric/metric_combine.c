/* SPDX-License-Identifier: Apache-2.0 */
/* Computes metrics from other metrics, each of which may come from a different run. */
#include "core/hardware/roofline.h"
#include "core/metric/metric.h"

#include <math.h>

/* Places among the inputs of both roofline values (core/metric/metric.c). */
enum {
    FLOATS,
    DOUBLES,
    READ,
    WRITTEN,
    BANDWIDTH,
    PEAK_FLOAT,
    PEAK_DOUBLE,
    TIME,
    GLOBAL_LOADS,
    GLOBAL_STORES,
    LOCAL_LOADS,
    LOCAL_STORES,
    SHARED_LOADS,
    SHARED_STORES,
    L1_BANDWIDTH,
    L2_PEAK
};

static struct value unless_zero(struct value value, double divisor, const char *why)
{
    value.available = divisor > 0;
    value.why = value.available ? NULL : why;
    return value;
}

/* NAN if one of them is; 0 for no work, also where the rate is 0. */
static double ns_at_rate(double amount, double per_second)
{
    return amount == 0 ? 0 : 1e9 * amount / per_second;
}

/* The sum of `count` inputs; NAN if one of them is not available. */
static double sum_of(const struct value *inputs, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += inputs[i].available ? inputs[i].number : NAN;
    return sum;
}

/* The banks of L1 and shared memory are one array, so both have its bandwidth. L2's peak is not documented:
 * its share of it is a counter. */
static struct roofline roofline_of_inputs(const struct value *inputs, const struct arch *arch)
{
    double l1_rate = inputs[L1_BANDWIDTH].available ? inputs[L1_BANDWIDTH].number : NAN;
    bool sectors = arch && arch->global_rules == GLOBAL_RULES_5_X;
    const double ns[ROOFLINE_BOUND_COUNT] = {
        [ROOFLINE_DRAM] = ns_at_rate(inputs[READ].number + inputs[WRITTEN].number, inputs[BANDWIDTH].number),
        [ROOFLINE_L2] = inputs[L2_PEAK].available && inputs[TIME].available
                            ? inputs[L2_PEAK].number / 100 * inputs[TIME].number
                            : NAN,
        [ROOFLINE_L1] =
            sectors ? ns_at_rate(sum_of(&inputs[GLOBAL_LOADS], 4) * arch->sector_bytes, l1_rate) : NAN,
        [ROOFLINE_SHARED] =
            arch ? ns_at_rate(sum_of(&inputs[SHARED_LOADS], 2) * arch->banks * arch->bank_bytes, l1_rate)
                 : NAN,
        [ROOFLINE_FLOAT] = ns_at_rate(inputs[FLOATS].number, inputs[PEAK_FLOAT].number),
        [ROOFLINE_DOUBLE] = ns_at_rate(inputs[DOUBLES].number, inputs[PEAK_DOUBLE].number),
    };
    return roofline_of(ns);
}

/* Resident warps per scheduler, and the cycles between two instructions of each. The device model counts instructions of
 * PTX, some of which machine code does not have: more than all slots are all. */
static struct value issue_slots(const struct value *inputs, const struct arch *arch, struct value value)
{
    if (!arch || arch->issue_slots == 0)
        return unless_zero(value, 0, "the schedulers of this compute capability are not known");
    double warps = inputs[0].number / 100 * arch->max_warps_per_multiprocessor / arch->issue_slots;
    value.number = fmin(100 * warps / inputs[1].number, 100);
    return unless_zero(value, inputs[1].number, "it issued no instruction");
}

/* Operations over the bytes of the sectors that global and local memory moved. */
static struct value l1_intensity(const struct value *inputs, const struct arch *arch, struct value value)
{
    double sectors = 0;
    if (!arch || arch->global_rules != GLOBAL_RULES_5_X)
        return unless_zero(value, 0, "the transactions of this compute capability are not all of one size");
    for (int i = 1; i <= 4; i++)
        sectors += inputs[i].number;
    value.number = inputs[0].number / (sectors * arch->sector_bytes);
    return unless_zero(value, sectors, "it moves no byte of global or local memory");
}

struct value metric_combine(enum metric metric, const struct value inputs[METRIC_INPUTS_MAX],
                            const struct arch *arch)
{
    struct value value = {.derived = true, .provenance = PROVENANCE_MEASURED};
    size_t count;
    const struct metric_input *of = metric_inputs(metric, &count);
    for (size_t i = 0; i < count; i++) {
        if (!inputs[i].available && of[i].optional)
            continue;
        if (!metric_from_launch(of[i].metric) && inputs[i].provenance < value.provenance)
            value.provenance = inputs[i].provenance;
        if (!inputs[i].available) {
            value.why = inputs[i].why;
            return value;
        }
    }
    value.available = true;
    switch (metric) {
    case METRIC_floating_point_operations: value.number = inputs[0].number + inputs[1].number; return value;
    case METRIC_arithmetic_intensity:
        value.number = inputs[0].number / (inputs[1].number + inputs[2].number);
        return unless_zero(value, inputs[1].number + inputs[2].number, "device memory moved no byte for it");
    case METRIC_operations_per_second:
        value.number = inputs[0].number * 1e9 / inputs[1].number;
        return unless_zero(value, inputs[1].number, "the kernel's time is not known");
    case METRIC_roof: {
        struct roofline roofline = roofline_of_inputs(inputs, arch);
        value.word = roofline_bound_text(roofline.bound);
        return unless_zero(value, roofline.ns, "it moves no byte and computes nothing");
    }
    case METRIC_roof_pct: {
        struct roofline roofline = roofline_of_inputs(inputs, arch);
        value.number = 100 * roofline.ns / inputs[TIME].number;
        value.bound = roofline.whole ? VALUE_EXACT : VALUE_AT_LEAST;
        return unless_zero(value, inputs[TIME].available ? inputs[TIME].number : 0,
                           "the kernel's time is not known");
    }
    case METRIC_l1_intensity: return l1_intensity(inputs, arch, value);
    case METRIC_l2_intensity:
        value.number = inputs[0].number / inputs[1].number;
        return unless_zero(value, inputs[1].number, "the level 2 cache moved no byte for it");
    case METRIC_issue_slots_pct: return issue_slots(inputs, arch, value);
    default: break;
    }
    value.available = false;
    value.why = "it cannot be computed from other metrics";
    return value;
}
