/* Computes metrics from other metrics, each of which may come from a different run. */
#include "core/hardware/roofline.h"
#include "core/metric/metric.h"

/* Places among the inputs of both roofline values (core/metric/metric_rows.h). */
enum { FLOATS, DOUBLES, READ, WRITTEN, BANDWIDTH, PEAK_FLOAT, PEAK_DOUBLE, TIME };

static struct value unless_zero(struct value value, double divisor, const char *why)
{
    value.available = divisor > 0;
    value.why = value.available ? NULL : why;
    return value;
}

static struct roofline roofline_of_inputs(const struct value *inputs)
{
    const struct roofline_work work = {.float_operations = inputs[FLOATS].number,
                                       .double_operations = inputs[DOUBLES].number,
                                       .bytes = inputs[READ].number + inputs[WRITTEN].number};
    const struct roofline_roofs roofs = {.bytes = inputs[BANDWIDTH].number,
                                         .float_operations = inputs[PEAK_FLOAT].number,
                                         .double_operations = inputs[PEAK_DOUBLE].number};
    return roofline_of(&roofs, &work);
}

/* Resident warps per scheduler, and the cycles between two instructions of each. */
static struct value issue_slots(const struct value *inputs, const struct arch *arch, struct value value)
{
    if (arch == NULL || arch->issue_slots == 0)
        return unless_zero(value, 0, "the schedulers of this compute capability are not known");
    double warps = inputs[0].number / 100 * arch->max_warps_per_multiprocessor / arch->issue_slots;
    value.number = 100 * warps / inputs[1].number;
    return unless_zero(value, inputs[1].number, "it issued no instruction");
}

/* Operations over the bytes of the sectors that global and local memory moved. */
static struct value l1_intensity(const struct value *inputs, const struct arch *arch, struct value value)
{
    double sectors = 0;
    if (arch == NULL || arch->global_rules != GLOBAL_RULES_5_X)
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
        struct roofline roofline = roofline_of_inputs(inputs);
        value.word = roofline_bound_text(roofline.bound);
        return unless_zero(value, roofline.ns, "it moves no byte of device memory and computes nothing");
    }
    case METRIC_roof_pct:
        value.number = 100 * roofline_of_inputs(inputs).ns / inputs[TIME].number;
        return unless_zero(value, inputs[TIME].number, "the kernel's time is not known");
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
