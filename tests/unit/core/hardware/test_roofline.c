/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline: the least time that the roofs allow, whichever they are, and what the catalogue makes of it.
 */
#include "core/hardware/roofline.h"
#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct roofline_roofs h200 = {4.8e12, 66.9e12, 33.5e12};

Test(roofline, the_lowest_roof_binds)
{
    static const struct {
        double ns[ROOFLINE_BOUND_COUNT]; /* DRAM, L2, L1, shared, single, double */
        enum roofline_bound bound;
        double least_ns;
        bool whole;
    } cases[] = {
        {{1000, 0, 0, 0, 0, 0}, ROOFLINE_DRAM, 1000, true},
        {{1, 0, 0, 0, 1000, 0}, ROOFLINE_FLOAT, 1000, true},
        {{1000, 0, 0, 0, 1000, 2000}, ROOFLINE_DOUBLE, 2000, true}, /* pipes of their own */
        {{30, 100, 2390, 10, 70, 0}, ROOFLINE_L1, 2390, true},
        {{30, 100, 90, 500, 70, 0}, ROOFLINE_SHARED, 500, true},
        {{30, 700, 90, 500, 70, 0}, ROOFLINE_L2, 700, true},
        {{30, NAN, 90, 500, 70, 0}, ROOFLINE_SHARED, 500, false},
        {{NAN, NAN, NAN, NAN, NAN, NAN}, ROOFLINE_DRAM, 0, false},
        {{0, 0, 0, 0, 0, 0}, ROOFLINE_DRAM, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roofline found = roofline_of(cases[i].ns);
        cr_assert_eq(found.bound, cases[i].bound, "%zu: %s", i, roofline_bound_text(found.bound));
        cr_assert_float_eq(found.ns, cases[i].least_ns, 0.01, "%zu: %g ns", i, found.ns);
        cr_assert_eq(found.whole, cases[i].whole, "%zu", i);
    }
}

static struct value number(double number, enum provenance provenance)
{
    return (struct value){.available = true, .provenance = provenance, .number = number};
}

/* The inputs of both values: a kernel that moves 4.8 MB of DRAM in 4 us, with what is given of one more. */
static void inputs_with(struct value inputs[METRIC_INPUTS_MAX], enum metric metric, struct value value)
{
    size_t count;
    const struct metric_input *of = metric_inputs(METRIC_roof_pct, &count);
    cr_assert_eq(count, METRIC_INPUTS_MAX);
    for (size_t i = 0; i < count; i++) {
        enum provenance provenance =
            metric_from_launch(of[i].metric) ? PROVENANCE_EXPECTED : PROVENANCE_MODELLED;
        double of_it = of[i].metric == METRIC_dram_read_bytes || of[i].metric == METRIC_dram_write_bytes
                           ? 2.4e6
                       : of[i].metric == METRIC_theoretical_bandwidth_bytes_per_second ? h200.bytes
                       : of[i].metric == METRIC_peak_float_per_second                  ? h200.float_operations
                       : of[i].metric == METRIC_peak_double_per_second        ? h200.double_operations
                       : of[i].metric == METRIC_l1_bandwidth_bytes_per_second ? 32e12
                       : of[i].metric == METRIC_time_ns                       ? 4000
                                                                              : 0;
        inputs[i] = of[i].metric == metric ? value : number(of_it, provenance);
    }
}

static void expect_roof(enum metric metric, struct value value, const char *word, double share,
                        enum value_bound bound)
{
    struct value inputs[METRIC_INPUTS_MAX] = {0};
    inputs_with(inputs, metric, value);
    struct value found = metric_combine(METRIC_roof_pct, inputs, arch_find(90)),
                 roof = metric_combine(METRIC_roof, inputs, arch_find(90));
    cr_assert_str_eq(roof.word, word, "%s, not %s", roof.word, word);
    cr_assert_float_eq(found.number, share, 1e-6, "%s: %g", word, found.number);
    cr_assert_eq(found.bound, bound, "%s: %s", word, value_bound_text(found.bound));
    cr_assert(found.derived && found.provenance == PROVENANCE_MODELLED,
              "the device's peaks do not weaken it");
}

Test(roofline, share_of_the_roof)
{
    struct value none = {.why = "a reason"}, inputs[METRIC_INPUTS_MAX];
    expect_roof(METRIC_COUNT, none, "DRAM", 25, VALUE_EXACT);
    expect_roof(METRIC_global_load_sectors, number(2e6, PROVENANCE_MODELLED), "L1", 50, VALUE_EXACT);
    expect_roof(METRIC_local_store_sectors, number(1e6, PROVENANCE_MODELLED), "DRAM", 25, VALUE_EXACT);
    expect_roof(METRIC_shared_load_wavefronts, number(1e6, PROVENANCE_MODELLED), "shared", 100, VALUE_EXACT);
    expect_roof(METRIC_l2_peak_pct, number(40, PROVENANCE_MODELLED), "L2", 40, VALUE_EXACT);
    expect_roof(METRIC_float_operations, number(66.9e6 * 2, PROVENANCE_MODELLED), "single", 50, VALUE_EXACT);
    /* What was not counted could be a lower roof. */
    expect_roof(METRIC_l2_peak_pct, none, "DRAM", 25, VALUE_AT_LEAST);
    expect_roof(METRIC_shared_load_wavefronts, none, "DRAM", 25, VALUE_AT_LEAST);
    /* A limit that the kernel does not use needs no rate. */
    expect_roof(METRIC_l1_bandwidth_bytes_per_second, none, "DRAM", 25, VALUE_EXACT);

    inputs_with(inputs, METRIC_time_ns, number(0, PROVENANCE_MODELLED));
    cr_assert_not(metric_combine(METRIC_roof_pct, inputs, arch_find(90)).available);
    inputs_with(inputs, METRIC_time_ns, none);
    cr_assert_not(metric_combine(METRIC_roof_pct, inputs, arch_find(90)).available);
    cr_assert_str_eq(metric_combine(METRIC_roof, inputs, arch_find(90)).word, "DRAM");
    inputs_with(inputs, METRIC_peak_float_per_second, none);
    cr_assert_str_eq(metric_combine(METRIC_roof, inputs, arch_find(90)).why, "a reason");
    for (size_t i = 0; i < METRIC_INPUTS_MAX; i++)
        inputs[i] = number(0, PROVENANCE_MODELLED);
    cr_assert_not(metric_combine(METRIC_roof, inputs, arch_find(90)).available);
}
