/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theoretical occupancy beside what an H200 achieved, over the whole curriculum
 * (tests/data/curriculum_h200.lsr) and over what lesson occupancy-smem shows (occupancy_h200.lsr): no kernel
 * has more warps resident than there is room for, of growing blocks there are as many as fit, and where the
 * plateau ends is the kernel's.
 */
#include "core/analysis/kernel_metrics.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <string.h>

static struct session *session;

static void open_file(const char *path)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
}

static void load(void)
{
    open_file(TEST_SOURCE_DIR "/tests/data/curriculum_h200.lsr");
}

static void unload(void)
{
    session_destroy(session);
}

TestSuite(occupancy_hardware, .init = load, .fini = unload);

/* Both of them, in per cent; false: one is not there. */
static bool read_both(uint32_t kernel, double *achieved, double *theoretical)
{
    struct value measured =
        kernel_statistic(session, kernel, METRIC_achieved_occupancy_pct, PROVENANCE_MEASURED).value;
    struct value expected =
        kernel_statistic(session, kernel, METRIC_theoretical_occupancy_pct, PROVENANCE_EXPECTED).value;
    *achieved = measured.number;
    *theoretical = expected.number;
    return kernel_leads(session, kernel) && measured.available && expected.available;
}

Test(occupancy_hardware, no_kernel_has_more_warps_than_find_room)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        double achieved, theoretical;
        if (!read_both(i, &achieved, &theoretical))
            continue;
        compared++;
        cr_assert_leq(
            achieved, theoretical + 0.5, "%s %s: %g of %g %%",
            session_string(session, session_shape(session, session_kernel(session, i)->shape)->name),
            session_string(session, session_run(session, session_kernel(session, i)->run)->params), achieved,
            theoretical);
    }
    cr_assert_geq(compared, 500u);
}

Test(occupancy_hardware, dynamic_shared_memory_leaves_room_for_as_many_blocks_as_fit)
{
    uint32_t compared = 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        double achieved, theoretical;
        if (!read_both(i, &achieved, &theoretical) ||
            strcmp(session_string(session, shape->name), "occupancy_smem") != 0)
            continue;
        uint32_t blocks = 228 / (shape->dynamic_shared_bytes / 1024 + 1); /* 228 KiB, one of them a block's */
        cr_assert_float_eq(theoretical, 12.5 * (blocks < 8 ? blocks : 8), 1e-9);
        cr_assert_geq(achieved, 0.8 * theoretical);
        compared++;
    }
    cr_assert_geq(compared, 15u);
}

/* The best bandwidth of the kernel at this theoretical occupancy, over its best of all. */
static double share_of_best(const char *kernel, double percent)
{
    double best = 0, there = 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        double achieved, theoretical;
        if (strcmp(session_string(session, shape->name), kernel) != 0 ||
            !read_both(i, &achieved, &theoretical))
            continue;
        double bandwidth =
            kernel_statistic(session, i, METRIC_effective_bandwidth_bytes_per_second, PROVENANCE_MEASURED)
                .value.number;
        best = bandwidth > best ? bandwidth : best;
        there = theoretical == percent && bandwidth > there ? bandwidth : there;
    }
    return there / best;
}

Test(occupancy_plateau, loads_on_their_way_move_the_edge, .fini = unload)
{
    open_file(TEST_SOURCE_DIR "/tests/data/occupancy_h200.lsr");
    static const struct {
        const char *kernel;
        double percent, least, most;
    } rows[] = {{"occupancy_smem", 75, 0.80, 0.87},      {"occupancy_smem", 50, 0.58, 0.65},
                {"occupancy_smem", 12.5, 0.16, 0.22},    {"occupancy_smem_four", 75, 0.94, 1},
                {"occupancy_smem_four", 50, 0.82, 0.90}, {"occupancy_smem_four", 12.5, 0.30, 0.40}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double share = share_of_best(rows[i].kernel, rows[i].percent);
        cr_assert(share >= rows[i].least && share <= rows[i].most, "%s at %g %%: %g", rows[i].kernel,
                  rows[i].percent, share);
    }
}
