/* Values that follow from other metrics, each of which may come from a run of its own. */
#include "core/metric.h"

const enum metric *metric_inputs(enum metric metric, size_t *count)
{
    static const enum metric all[] = {METRIC_float_operations, METRIC_double_operations,
                                      METRIC_half_operations};
    static const enum metric intensity[] = {METRIC_floating_point_operations, METRIC_dram_read_bytes,
                                            METRIC_dram_write_bytes};
    static const enum metric speed[] = {METRIC_floating_point_operations, METRIC_time_ns};
    switch (metric) {
    case METRIC_floating_point_operations: *count = 3; return all;
    case METRIC_arithmetic_intensity: *count = 3; return intensity;
    case METRIC_operations_per_second: *count = 2; return speed;
    default: *count = 0; return NULL;
    }
}

struct value metric_combine(enum metric metric, const struct value inputs[METRIC_INPUTS_MAX])
{
    struct value value = {.derived = true, .provenance = PROVENANCE_MEASURED};
    size_t count;
    metric_inputs(metric, &count);
    for (size_t i = 0; i < count; i++) {
        value.provenance = inputs[i].provenance < value.provenance ? inputs[i].provenance : value.provenance;
        if (!inputs[i].available) {
            value.why = inputs[i].why;
            return value;
        }
    }
    value.available = true;
    switch (metric) {
    case METRIC_floating_point_operations:
        value.number = inputs[0].number + inputs[1].number + inputs[2].number;
        break;
    case METRIC_arithmetic_intensity:
        value.available = inputs[1].number + inputs[2].number > 0;
        value.number = value.available ? inputs[0].number / (inputs[1].number + inputs[2].number) : 0;
        value.why = value.available ? NULL : "device memory moved no byte for it";
        break;
    case METRIC_operations_per_second:
        value.available = inputs[1].number > 0;
        value.number = value.available ? inputs[0].number * 1e9 / inputs[1].number : 0;
        value.why = value.available ? NULL : "the kernel's time is not known";
        break;
    default:
        value.available = false;
        value.why = "it does not follow from others";
        break;
    }
    return value;
}
