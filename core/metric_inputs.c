/* Which metrics follow from which others. Apart from how: the agent chooses counters and computes nothing. */
#include "core/metric.h"

#define OF(metric)             \
    {                          \
        METRIC_##metric, false \
    }
#define OVER(metric)          \
    {                         \
        METRIC_##metric, true \
    }
#define ROOF                                                                                \
    OF(float_operations), OF(double_operations), OF(dram_read_bytes), OF(dram_write_bytes), \
        OVER(theoretical_bandwidth_bytes_per_second), OVER(peak_float_per_second),          \
        OVER(peak_double_per_second)
#define ROOF_INPUTS 7

static const struct combination {
    enum metric metric;
    size_t count;
    struct metric_input inputs[METRIC_INPUTS_MAX];
} combinations[] = {
    {METRIC_floating_point_operations, 2, {OF(float_operations), OF(double_operations)}},
    {METRIC_arithmetic_intensity,
     3,
     {OF(floating_point_operations), OVER(dram_read_bytes), OVER(dram_write_bytes)}},
    {METRIC_operations_per_second, 2, {OF(floating_point_operations), OVER(time_ns)}},
    {METRIC_roof, ROOF_INPUTS, {ROOF}},
    {METRIC_roof_pct, ROOF_INPUTS + 1, {ROOF, OVER(time_ns)}},
};

const struct metric_input *metric_inputs(enum metric metric, size_t *count)
{
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
        if (combinations[i].metric == metric) {
            *count = combinations[i].count;
            return combinations[i].inputs;
        }
    }
    *count = 0;
    return NULL;
}
