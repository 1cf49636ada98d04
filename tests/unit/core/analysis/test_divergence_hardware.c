/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an H200 counted of lanes that idle (tests/data/reduction_h200.lsr): where ptxas makes a branch they
 * are not active, where it guards each instruction they are, and only working threads per warp tells. As the
 * lessons reduction, scan and divergence say.
 */
#include "core/analysis/kernel_metrics.h"
#include "core/recording/recording.h"
#include "tui/widgets/name_parts.h"

#include <criterion/criterion.h>
#include <string.h>

static struct session *session;

static void load(void)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, TEST_SOURCE_DIR "/tests/data/reduction_h200.lsr", &error),
                 STATUS_OK, "%s", error.text);
}

static void unload(void)
{
    session_destroy(session);
}

TestSuite(divergence_hardware, .init = load, .fini = unload);

static double number(const char *name, enum metric metric)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        char own[128];
        uint32_t shape = session_kernel(session, i)->shape;
        name_print_own(session_string(session, session_shape(session, shape)->name), own, sizeof own);
        if (!kernel_leads(session, i) || strcmp(own, name) != 0)
            continue;
        struct value value = kernel_statistic(session, i, metric, PROVENANCE_MEASURED).value;
        cr_assert(value.available, "%s of %s: %s", metric_info(metric)->id, name, value.why);
        return value.number;
    }
    cr_assert_fail("no kernel %s", name);
    return 0;
}

/* Of a block's eight warps, eight part in five steps of every second lane, then 4, 2 and 1; of the first
 * threads, one warp in five steps. */
Test(divergence_hardware, the_ladder_of_reduction)
{
    static const struct {
        const char *kernel;
        double parted, active_least, active_most;
    } rows[] = {{"reduction_divergent", 5 * 8 + 4 + 2 + 1, 15, 16},
                {"reduction_conflicts", 5, 28, 29},
                {"reduction_sequential", 5, 28, 29},
                {"reduction_first_add", 5, 28, 29},
                {"reduction_shuffle", 0, 31, 32}};
    double slower = 1e9;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *kernel = rows[i].kernel;
        double active = number(kernel, METRIC_active_threads_per_warp), time = number(kernel, METRIC_time_ns),
               blocks = number(kernel, METRIC_global_store_requests);
        cr_assert_eq(number(kernel, METRIC_divergent_branch), rows[i].parted * blocks, "%s", kernel);
        cr_assert(active > rows[i].active_least && active < rows[i].active_most, "%s: %g", kernel, active);
        cr_assert_lt(time, slower, "%s takes %g ns", kernel, time);
        slower = time;
    }
}

Test(divergence_hardware, guards_keep_lanes_active_that_do_nothing)
{
    static const char *const guarded[] = {"scan_efficient", "divergence_predicated"};
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
        cr_assert_eq(number(guarded[i], METRIC_active_threads_per_warp), 32);
        cr_assert_eq(number(guarded[i], METRIC_divergent_branch), 0);
        cr_assert_lt(number(guarded[i], METRIC_working_threads_per_warp), 30);
    }
    cr_assert_float_eq(number("scan_efficient", METRIC_working_threads_per_warp), 19.7, 0.1);
    cr_assert_float_eq(number("scan_padded", METRIC_active_threads_per_warp), 30.7, 0.1);
    cr_assert_float_eq(number("scan_padded", METRIC_working_threads_per_warp), 29.5, 0.1);
}
