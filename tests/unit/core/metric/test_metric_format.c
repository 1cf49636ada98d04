/* SPDX-License-Identifier: Apache-2.0 */
/* Values as text: with their unit, in the columns that there are, never cut so that they say something else.
 */
#include "core/metric/metric.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(metric_format, text_of_values)
{
    static const struct {
        enum metric metric;
        double number;
        const char *text;
    } cases[] = {
        {METRIC_time_ns, 0, "0 ns"},
        {METRIC_time_ns, 812, "812 ns"},
        {METRIC_time_ns, 999.6, "1.00 us"},
        {METRIC_time_ns, 4021, "4.02 us"},
        {METRIC_time_ns, 9996, "10.0 us"},
        {METRIC_time_ns, 99960, "100 us"},
        {METRIC_time_ns, 999499, "999 us"},
        {METRIC_time_ns, 999500, "1.00 ms"},
        {METRIC_time_ns, 3.4e9, "3.40 s"},
        {METRIC_time_ns, 7.2e12, "7200 s"},
        {METRIC_effective_bandwidth_bytes_per_second, 1.34e12, "1.34 TB/s"},
        {METRIC_effective_bandwidth_bytes_per_second, 12, "12 B/s"},
        {METRIC_dram_read_bytes, 0, "0 B"},
        {METRIC_dram_read_bytes, 512, "512 B"},
        {METRIC_dram_read_bytes, 16777216, "16.8 MB"},
        {METRIC_achieved_occupancy_pct, 12.5, "12.5 %"},
        {METRIC_achieved_occupancy_pct, 100, "100 %"},
        {METRIC_achieved_occupancy_pct, 0.26, "0.3 %"},
        {METRIC_achieved_occupancy_pct, 99.96, "100 %"},
        {METRIC_global_load_requests, 0, "0"},
        {METRIC_global_load_requests, 999, "999"},
        {METRIC_global_load_requests, 1000, "1,000"},
        {METRIC_global_load_requests, 131072, "131,072"},
        {METRIC_global_load_requests, 131072.5, "131,072.5"},
        {METRIC_global_load_requests, 1234567890123, "1,234,567,890,123"},
        {METRIC_global_load_requests, -4096, "-4,096"},
        {METRIC_global_load_requests, 1e300, "1e+300"},
        {METRIC_global_load_sectors_per_request, 4, "4.00"},
        {METRIC_global_load_sectors_per_request, 31.96, "32.0"},
        {METRIC_global_load_bytes_wanted_per_byte_moved, 0.8, "0.800"},
        {METRIC_active_threads_per_warp, 31.25, "31.2"},
        {METRIC_operations_per_second, 6.69e13, "66.9 TFLOP/s"},
        {METRIC_arithmetic_intensity, 0.1666, "0.167"},
        {METRIC_arithmetic_intensity, 0, "0"},
        {METRIC_arithmetic_intensity, 5757.3, "5,757"},
        {METRIC_stall_long_scoreboard, 12.345, "12.3"},
        {METRIC_float_operations, 2147483648, "2,147,483,648"},
        {METRIC_time_ns, NAN, "n/a"},
        {METRIC_dram_read_bytes, INFINITY, "n/a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value value = {.available = true, .number = cases[i].number};
        char text[64];
        metric_format(cases[i].metric, &value, text, sizeof text);
        cr_assert_str_eq(text, cases[i].text, "%g: '%s', not '%s'", cases[i].number, text, cases[i].text);
        char small[4];
        metric_format(cases[i].metric, &value, small, sizeof small);
        cr_assert_eq(strncmp(small, text, 3), 0);
    }
    struct value word = {.available = true, .word = "registers"};
    char text[16];
    metric_format(METRIC_occupancy_limiter, &word, text, sizeof text);
    cr_assert_str_eq(text, "registers");
}

/* Never longer than the column, never without its bound. */
Test(metric_format, text_within_a_column)
{
    static const struct {
        double number;
        enum value_bound bound;
        size_t cells;
        const char *text;
    } cases[] = {
        {16252928, VALUE_EXACT, 10, "16,252,928"},
        {16252928, VALUE_EXACT, 9, "16.3 M"},
        {16252928, VALUE_AT_LEAST, 9, ">=16.3 M"},
        {16252928, VALUE_AT_MOST, 7, "<=16.3 M"},
        {24641536, VALUE_AT_MOST, 11, "<=24.6 M"},
        {0, VALUE_AT_LEAST, 3, ">=0"},
        {1234567890123, VALUE_EXACT, 9, "1.23 T"},
        {-16252928, VALUE_EXACT, 9, "-16.3 M"},
        {999, VALUE_EXACT, 2, "999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value value = {.available = true, .number = cases[i].number, .bound = cases[i].bound};
        char text[64];
        metric_format_within(METRIC_shared_load_conflicts, &value, cases[i].cells, text, sizeof text);
        cr_assert_str_eq(text, cases[i].text, "'%s', not '%s'", text, cases[i].text);
    }
    struct value time = {.available = true, .number = 4021};
    char text[64];
    metric_format_within(METRIC_time_ns, &time, 3, text, sizeof text);
    cr_assert_str_eq(text, "4.02 us", "number and unit stay apart");
    static const struct {
        size_t cells;
        const char *text;
    } speeds[] = {{12, "29.4 TFLOP/s"}, {11, "29.4 T"}, {6, "29.4 T"}, {5, "29.4 T"}};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct value speed = {.available = true, .number = 29.4e12};
        metric_format_within(METRIC_operations_per_second, &speed, speeds[i].cells, text, sizeof text);
        cr_assert_str_eq(text, speeds[i].text, "%zu cells: '%s'", speeds[i].cells, text);
    }
}

Test(metric_format, text_of_changes_and_ratios)
{
    static const struct {
        enum metric metric;
        double difference;
        size_t cells;
        const char *text;
    } cases[] = {
        {METRIC_achieved_occupancy_pct, 11.13, 12, "+11.1 pp"},
        {METRIC_achieved_occupancy_pct, -0.5, 12, "-0.50 pp"},
        {METRIC_achieved_occupancy_pct, -0.04, 12, "-0.04 pp"},
        {METRIC_achieved_occupancy_pct, -0.002, 12, "-<0.01 pp"},
        {METRIC_global_load_bytes_wanted_per_byte_moved, 0.0001, 12, "+<0.001"},
        {METRIC_gputime, 77.216, 12, "+77.216 us"},
        {METRIC_time_ns, -181000, 12, "-181 us"},
        {METRIC_time_ns, 0, 12, "="},
        {METRIC_global_load_sectors, 137363456, 11, "+137 M"},
        {METRIC_global_load_sectors, 137363456, 12, "+137,363,456"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        metric_format_change(cases[i].metric, cases[i].difference, cases[i].cells, text, sizeof text);
        cr_assert_str_eq(text, cases[i].text, "'%s', not '%s'", text, cases[i].text);
    }
    static const struct {
        double ratio;
        int figures;
        const char *text;
    } ratios[] = {{0.3187, 4, "0.319x"},
                  {0.3187, 3, "0.32x"},
                  {11.17, 3, "11.2x"},
                  {131.6, 3, "132x"},
                  {12345.6, 4, "12,346x"}};
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        metric_format_ratio(ratios[i].ratio, ratios[i].figures, text, sizeof text);
        cr_assert_str_eq(text, ratios[i].text, "'%s', not '%s'", text, ratios[i].text);
    }
}

/* Never a share below one for what became better, and never all of it for what is left over. */
Test(metric_format, text_of_how_much_became_of_it)
{
    static const struct {
        double ratio;
        const char *relative, *faster; /* of 1 / ratio: ratio is one of times */
    } cases[] = {
        {1, "=", "as fast"},
        {0.3187, "-68 %", "3.1x faster"},
        {0.0806, "-92 %", "12.4x faster"},
        {2, "2.00x", "2.0x slower"},
        {1.4, "+40 %", "1.4x slower"},
        {1.042, "+4.2 %", "4.2 % slower"},
        {1.005, "+0.5 %", "as fast"},
        {0.991, "-0.9 %", "as fast"},
        {0.004, "-99.6 %", "250x faster"},
        {12.5, "12.5x", "12.5x slower"},
        {0, "-100 %", "n/a"},
        {1.00001, "+<0.01 %", "as fast"},
        {0.00005, ">-100 %", "20,000x faster"},
        {1.9, "+90 %", "1.9x slower"},
        {12345, "12,345x", "12,345x slower"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        metric_format_relative(cases[i].ratio, text, sizeof text);
        cr_assert_str_eq(text, cases[i].relative, "'%s', not '%s'", text, cases[i].relative);
        metric_format_faster(1 / cases[i].ratio, text, sizeof text);
        cr_assert_str_eq(text, cases[i].faster, "'%s', not '%s'", text, cases[i].faster);
    }
}
