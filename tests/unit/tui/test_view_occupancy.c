/* SPDX-License-Identifier: Apache-2.0 */
/* The occupancy calculator on the screen: what it says is core/hardware/occupancy's, whatever is set, and it
 * begins with the selected kernel. */
#include "core/analysis/kernel_metrics.h"
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct occupancy computed(const struct occupancy_setting *set)
{
    const struct occupancy_input input = {.threads_per_block = set->value[OCCUPANCY_ROW_BLOCK],
                                          .registers_per_thread = set->value[OCCUPANCY_ROW_REGISTERS],
                                          .shared_bytes_per_block = set->value[OCCUPANCY_ROW_STATIC_SHARED] +
                                                                    set->value[OCCUPANCY_ROW_DYNAMIC_SHARED],
                                          .shared_bytes_available = set->value[OCCUPANCY_ROW_CARVEOUT]};
    return occupancy_compute(set->arch, &input);
}

static void expect_shown(const struct occupancy_view *view)
{
    char text[120];
    struct occupancy now = computed(&view->set);
    snprintf(text, sizeof text, "%.1f %%", now.percent);
    cr_assert(shows(text));
    if (now.blocks > 0) {
        snprintf(text, sizeof text, "%u of %u warps of a multiprocessor; limited by %s", now.warps,
                 view->set.arch->max_warps_per_multiprocessor, occupancy_limiter_text(now.limiter));
        cr_assert(shows(text));
    } else {
        cr_assert(shows("no block fits"));
    }
}

/* Each point of a curve is the occupancy with that value in the place of what is set. */
static void expect_curve(const struct occupancy_view *view, enum occupancy_curve which)
{
    const struct chart *chart = &view->curves[which];
    const struct chart_series *curve = &chart->series[0], *mark = &chart->series[1];
    cr_assert_gt(curve->count, 15);
    for (uint32_t i = 0; i < curve->count; i++) {
        const struct chart_point *point = &chart->points[curve->first + i];
        struct occupancy_setting other = view->set;
        if (which == CURVE_SHARED) {
            other.value[OCCUPANCY_ROW_STATIC_SHARED] = 0;
            other.value[OCCUPANCY_ROW_DYNAMIC_SHARED] = (uint32_t)lround(point->x * 1024);
        } else {
            other.value[which == CURVE_BLOCK ? OCCUPANCY_ROW_BLOCK : OCCUPANCY_ROW_REGISTERS] =
                (uint32_t)point->x;
        }
        cr_assert_eq(point->y, computed(&other).percent);
        cr_assert(i == 0 || point->x > point[-1].x);
    }
    cr_assert_eq(chart->points[curve->first + curve->count - 1].x, chart->x_most);
    cr_assert_eq(chart->points[mark->first].y, computed(&view->set).percent);
}

Test(view_occupancy, begins_with_the_selected_kernel)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("C");
    const struct occupancy_view *view = occupancy_state(&screen);
    struct kernel_statistic theoretical = kernel_statistic(
        fixture.session, screen.kernel, METRIC_theoretical_occupancy_pct, PROVENANCE_EXPECTED);
    cr_assert(theoretical.value.available);
    cr_assert_eq(view->now.percent, theoretical.value.number);
    cr_assert_eq(view->curves[CURVE_BLOCK].series_count, 3);
    expect_shown(view);
    cr_assert(shows(" as launched, "));
    press("j l");
    cr_assert_neq(view->set.value[OCCUPANCY_ROW_BLOCK], view->own.value[OCCUPANCY_ROW_BLOCK]);
    press("u");
    cr_assert_eq(view->set.value[OCCUPANCY_ROW_BLOCK], view->own.value[OCCUPANCY_ROW_BLOCK]);
    stop();
}

Test(view_occupancy, works_without_a_kernel)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("C");
    cr_assert_not_null(occupancy_state(&screen)->set.arch);
    cr_assert_gt(occupancy_state(&screen)->now.blocks, 0);
    cr_assert_eq(occupancy_state(&screen)->curves[CURVE_BLOCK].series_count, 2);
    expect_shown(occupancy_state(&screen));
    stop();
}

/* Compute capability 1.1, 12 registers: 83 % at 128 threads, 66 % at 256; by keys, as lesson registers says.
 */
Test(view_occupancy, has_the_courses_example)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("C");
    const struct occupancy_view *view = occupancy_state(&screen);
    while (view->set.arch->compute_capability != 11)
        press("h");
    press("j");
    while (view->set.value[OCCUPANCY_ROW_BLOCK] != 128)
        press(view->set.value[OCCUPANCY_ROW_BLOCK] > 128 ? "h" : "l");
    press("j");
    while (view->set.value[OCCUPANCY_ROW_REGISTERS] != 12)
        press(view->set.value[OCCUPANCY_ROW_REGISTERS] > 12 ? "h" : "l");
    cr_assert(shows("83.3 %: 5 blocks, 20 of 24 warps") && shows("limited by registers"));
    press("k l l l l");
    cr_assert_eq(view->set.value[OCCUPANCY_ROW_BLOCK], 256);
    cr_assert(shows("66.7 %: 2 blocks, 16 of 24 warps") && shows("limited by registers"));
    stop();
}

/* Any keys: the numbers stay core's and the values within the limits of the compute capability. */
Test(view_occupancy, follows_the_keys)
{
    static const char *const keys[] = {"j", "k", "h", "l", "H", "L", "l", "L", "j", "l"};
    uint32_t seed = 7, limiters = 0;
    start(FIXTURE_WORKLOADS, 120, 40);
    press("C");
    const struct occupancy_view *view = occupancy_state(&screen);
    for (int i = 0; i < 600; i++) {
        seed = seed * 1664525u + 1013904223u;
        press(keys[seed >> 16 & 7]);
        const struct arch *arch = view->set.arch;
        cr_assert_leq(view->set.value[OCCUPANCY_ROW_BLOCK], arch->max_threads_per_block);
        cr_assert_leq(view->set.value[OCCUPANCY_ROW_REGISTERS], arch->max_registers_per_thread);
        cr_assert_geq(view->set.value[OCCUPANCY_ROW_REGISTERS], 1);
        limiters |= 1u << computed(&view->set).limiter;
        if (i % 10 == 0) {
            expect_shown(view);
            for (enum occupancy_curve curve = 0; curve < CURVE_COUNT; curve++)
                expect_curve(view, curve);
        }
    }
    cr_assert_gt(__builtin_popcount(limiters), 1);
    stop();
}

/* To both ends of the table, and the carve-outs of each row once around. */
Test(view_occupancy, knows_every_compute_capability)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("C");
    struct occupancy_view *view = occupancy_state(&screen);
    for (int i = 0; i < 40; i++)
        press("h");
    cr_assert_eq(view->set.arch, arch_at(0));
    for (size_t i = 0; arch_at(i) != NULL; i++) {
        char text[32];
        cr_assert_eq(view->set.arch, arch_at(i));
        snprintf(text, sizeof text, "%u.%u %s", arch_at(i)->compute_capability / 10,
                 arch_at(i)->compute_capability % 10, arch_at(i)->name);
        cr_assert(shows(text));
        press("G");
        for (int k = 0; k < ARCH_SHARED_CONFIGURATIONS && arch_at(i)->shared_configurations_kib[k]; k++) {
            press("l");
            cr_assert_eq(view->set.value[OCCUPANCY_ROW_CARVEOUT],
                         arch_at(i)->shared_configurations_kib[k] * 1024u);
            cr_assert_eq(view->now.blocks, computed(&view->set).blocks);
        }
        if (arch_at(i)->shared_configurations_kib[0] != 0)
            press("l");
        cr_assert_eq(view->set.value[OCCUPANCY_ROW_CARVEOUT], 0);
        press("g l");
    }
    stop();
}
