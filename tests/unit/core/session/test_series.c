/* SPDX-License-Identifier: Apache-2.0 */
/* What series are called, counted in and scaled to. */
#include "core/session/series.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(series, have_the_words_of_the_field)
{
    static const struct {
        const char *name, *title;
        enum series_unit unit;
        bool counted;
    } cases[] = {
        {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy", SERIES_PERCENT, false},
        {"model.occupancy_pct", "achieved occupancy", SERIES_PERCENT, false},
        {"model.bank_conflicts", "bank conflicts", SERIES_PER_SECOND, true},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts", SERIES_PER_SECOND, true},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared wavefronts", SERIES_PER_SECOND, true},
        {"PCI.TriageCompute.pcie__read_bytes.sum", "PCIe read", SERIES_BYTES_PER_SECOND, true},
        {"pcie__read_bytes.sum.per_second", "PCIe read", SERIES_BYTES_PER_SECOND, false},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "tensor pipe", SERIES_PERCENT,
         false},
        {"sm__warps_active_of_nobody.avg", "sm__warps_active_of_nobody.avg", SERIES_NUMBER, false},
        {"x.sum", "x.sum", SERIES_PER_SECOND, true},
        {"", "", SERIES_NUMBER, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct series_description found = series_describe(cases[i].name);
        cr_assert_str_eq(found.title, cases[i].title, "%s: %s", cases[i].name, found.title);
        cr_assert(found.unit == cases[i].unit && found.counted == cases[i].counted, "%s", cases[i].name);
    }
    for (int i = 0; i < SERIES_MODEL_COUNT; i++)
        cr_assert_neq(series_describe(series_model_name((enum series_model)i)).meaning[0], '\0');
}

Test(series, format)
{
    static const struct {
        enum series_unit unit;
        double number;
        const char *text;
    } cases[] = {{SERIES_PERCENT, 57.26, "57.3 %"},
                 {SERIES_PERCENT, 0, "0 %"},
                 {SERIES_PERCENT, NAN, "n/a"},
                 {SERIES_BYTES_PER_SECOND, 1.234e12, "1.23 TB/s"},
                 {SERIES_PER_SECOND, 12345678, "12.3 M/s"},
                 {SERIES_PER_SECOND, 2e9, "2 G/s"},
                 {SERIES_NUMBER, 3.25, "3.25"},
                 {SERIES_NUMBER, 999.6, "1.00 k"},
                 {SERIES_PERCENT, 5e30, "5e+30 %"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];
        series_format(cases[i].unit, cases[i].number, text, sizeof text);
        cr_assert_str_eq(text, cases[i].text);
    }
}

Test(series, are_drawn_on_round_scales)
{
    cr_assert_eq(series_scale(SERIES_PERCENT, 3), 100);
    cr_assert_eq(series_scale(SERIES_PERCENT, 130), 150);
    cr_assert_eq(series_scale(SERIES_PER_SECOND, 0), 1);
    cr_assert_eq(series_scale(SERIES_PER_SECOND, NAN), 1);
    for (double most = 1e-3; most < 1e20; most *= 1.37) {
        double scale = series_scale(SERIES_PER_SECOND, most);
        cr_assert(scale >= most && scale <= 1.5000001 * most, "%g for %g", scale, most);
    }
}
