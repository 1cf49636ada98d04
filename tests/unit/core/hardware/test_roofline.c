/* The roofline: the least time that the roofs allow, whichever they are, and what the catalogue makes of it.
 */
#include "core/hardware/roofline.h"
#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct roofline_roofs h200 = {4.8e12, 66.9e12, 33.5e12};

Test(roofline, each_roof_is_found)
{
    static const struct {
        struct roofline_work work;
        enum roofline_bound bound;
        double ns;
    } cases[] = {
        {{0, 0, 4.8e6}, ROOFLINE_MEMORY, 1000},
        {{66.9e6, 0, 1}, ROOFLINE_FLOAT, 1000},
        {{66.9e6, 33.5e6 * 2, 4.8e6}, ROOFLINE_DOUBLE, 2000}, /* pipes of their own */
        {{66.9e6, 33.5e6, 9.6e6}, ROOFLINE_MEMORY, 2000},
        {{0, 0, 0}, ROOFLINE_MEMORY, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roofline found = roofline_of(&h200, &cases[i].work);
        cr_assert_eq(found.bound, cases[i].bound, "%zu: %s", i, roofline_bound_text(found.bound));
        cr_assert_float_eq(found.ns, cases[i].ns, 0.01, "%zu: %g ns", i, found.ns);
    }
}

/* A kernel of one precision lies below the height at its intensity, and on it when it takes the least time.
 */
Test(roofline, heights_and_times_agree)
{
    for (enum roofline_bound precision = ROOFLINE_FLOAT; precision < ROOFLINE_BOUND_COUNT; precision++) {
        for (double intensity = 1e-3; intensity < 1e4; intensity *= 1.7) {
            struct roofline_work work = {.bytes = 1e6};
            *(precision == ROOFLINE_FLOAT ? &work.float_operations : &work.double_operations) =
                intensity * 1e6;
            double speed = intensity * 1e6 * 1e9 / roofline_of(&h200, &work).ns;
            cr_assert_float_eq(roofline_height(&h200, intensity, precision) / speed, 1, 1e-9);
        }
    }
}

static struct value number(double number, enum provenance provenance)
{
    return (struct value){.available = true, .provenance = provenance, .number = number};
}

Test(roofline, share_of_the_roof)
{
    size_t count;
    struct value inputs[METRIC_INPUTS_MAX] = {0};
    const struct metric_input *of = metric_inputs(METRIC_roof_pct, &count);
    cr_assert_eq(count, METRIC_INPUTS_MAX);
    for (size_t i = 0; i < count; i++) {
        enum provenance provenance =
            metric_from_launch(of[i].metric) ? PROVENANCE_EXPECTED : PROVENANCE_MODELLED;
        double of_it = of[i].metric == METRIC_dram_read_bytes || of[i].metric == METRIC_dram_write_bytes
                           ? 2.4e6
                       : of[i].metric == METRIC_theoretical_bandwidth_bytes_per_second ? h200.bytes
                       : of[i].metric == METRIC_peak_float_per_second                  ? h200.float_operations
                       : of[i].metric == METRIC_peak_double_per_second ? h200.double_operations
                       : of[i].metric == METRIC_time_ns                ? 4000
                                                                       : 0;
        inputs[i] = number(of_it, provenance);
    }
    struct value share = metric_combine(METRIC_roof_pct, inputs, NULL),
                 roof = metric_combine(METRIC_roof, inputs, NULL);
    cr_assert_float_eq(share.number, 25, 1e-6);
    cr_assert(share.derived && share.provenance == PROVENANCE_MODELLED,
              "the device's peaks do not weaken it");
    cr_assert_str_eq(roof.word, "memory");
    inputs[count - 1] = number(0, PROVENANCE_MODELLED);
    cr_assert_not(metric_combine(METRIC_roof_pct, inputs, NULL).available);
    inputs[2] = inputs[3] = number(0, PROVENANCE_MODELLED);
    cr_assert_not(metric_combine(METRIC_roof, inputs, NULL).available);
    inputs[5] = (struct value){.why = "a reason"};
    cr_assert_str_eq(metric_combine(METRIC_roof, inputs, NULL).why, "a reason");
}
