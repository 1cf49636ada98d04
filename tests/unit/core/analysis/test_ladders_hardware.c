/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUB's and cuBLAS's kernels beside ours, timed and counted on an H200 (tests/data/ladders_h200.lsr): all of
 * them have their counts, those of a routine that reads its words once move each sector once, and what ours
 * take more is what the lessons say.
 */
#include "core/analysis/kernel_metrics.h"
#include "core/recording/recording.h"
#include "tui/widgets/name_parts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define N 16777216.0
#define SECTORS_OF_N (N * 4 / 32)

static struct session *session;

static void load(void)
{
    struct error error = {0};
    cr_assert_eq(recording_load(&session, TEST_SOURCE_DIR "/tests/data/ladders_h200.lsr", &error), STATUS_OK,
                 "%s", error.text);
}

static void unload(void)
{
    session_destroy(session);
}

TestSuite(ladders_hardware, .init = load, .fini = unload);

static const char *work_of(uint32_t kernel)
{
    static char text[64];
    const struct run_row *run = session_run(session, session_kernel(session, kernel)->run);
    snprintf(text, sizeof text, "%s:%s", session_string(session, run->workload),
             session_string(session, run->variant));
    return text;
}

static const char *name_of(uint32_t kernel)
{
    static char text[128];
    name_print_own(
        session_string(session, session_shape(session, session_kernel(session, kernel)->shape)->name), text,
        sizeof text);
    return text;
}

static uint32_t kernel_of(const char *work, const char *name)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++)
        if (kernel_leads(session, i) && strcmp(work_of(i), work) == 0 && strcmp(name_of(i), name) == 0)
            return i;
    cr_assert_fail("no kernel %s of %s", name, work);
    return NONE;
}

/* 0 where there is none. */
static double number(uint32_t kernel, enum metric metric)
{
    struct kernel_statistic statistic = kernel_statistic(session, kernel, metric, PROVENANCE_MEASURED);
    return statistic.value.available ? statistic.value.number : 0;
}

Test(ladders_hardware, every_kernel_is_timed_and_counted)
{
    static const enum metric metrics[] = {METRIC_time_ns, METRIC_global_load_requests,
                                          METRIC_shared_store_wavefronts, METRIC_achieved_occupancy_pct,
                                          METRIC_dram_read_bytes};
    uint32_t kernels = 0;

    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        if (!kernel_leads(session, i))
            continue;
        kernels++;
        for (enum run_mode mode = RUN_TRACE; mode <= RUN_MEMORY; mode++) {
            uint32_t in_mode = kernel_in_mode(session, i, mode);
            cr_assert_neq(in_mode, NONE, "%s %s, mode %d", work_of(i), name_of(i), (int)mode);
            cr_assert_eq(session_run(session, session_kernel(session, in_mode)->run)->verified, 1);
        }
        for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
            struct value value = kernel_statistic(session, i, metrics[m], PROVENANCE_MEASURED).value;
            cr_assert(value.available, "%s %s: %s", work_of(i), name_of(i), metric_info(metrics[m])->id);
        }
    }
    cr_assert_eq(kernels, 12 + 9, "%u", kernels); /* theirs and ours */
}

/* Sectors of all words once, and of little besides. */
static void is_once(double sectors, const char *what)
{
    cr_assert(sectors >= SECTORS_OF_N && sectors < 1.1 * SECTORS_OF_N, "%s: %g sectors", what, sectors);
}

Test(ladders_hardware, a_pass_of_the_library_reads_its_words_once)
{
    static const struct {
        const char *work, *kernel;
        bool stores_all;
    } passes[] = {{"reduction:cub", "DeviceReduceKernel", false},
                  {"scan:cub", "DeviceScanKernel", true},
                  {"compaction:cub", "DeviceSelectSweepKernel", false},
                  {"radix-sort:cub", "DeviceRadixSortHistogramKernel", false}};

    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        uint32_t kernel = kernel_of(passes[i].work, passes[i].kernel);
        is_once(number(kernel, METRIC_global_load_sectors), passes[i].kernel);
        if (passes[i].stores_all)
            is_once(number(kernel, METRIC_global_store_sectors), passes[i].kernel);
    }
    uint32_t ours[] = {kernel_of("scan:blocks", "scan_blocks"), kernel_of("scan:blocks", "scan_add")};
    cr_assert_gt(number(ours[0], METRIC_global_load_sectors) + number(ours[1], METRIC_global_load_sectors),
                 2.2 * SECTORS_OF_N);
}

Test(ladders_hardware, what_the_lessons_say_of_them)
{
    uint32_t cub = kernel_of("reduction:cub", "DeviceReduceKernel"),
             shuffle = kernel_of("reduction:shuffle", "reduction_shuffle");
    cr_assert_float_eq(
        number(shuffle, METRIC_global_load_requests) / number(cub, METRIC_global_load_requests), 4, 0);

    cub = kernel_of("histogram:cub", "DeviceHistogramSweepKernel");
    cr_assert_float_eq(
        number(cub, METRIC_global_load_sectors) / number(cub, METRIC_global_load_ideal_sectors), 2, 0.01);
    cr_assert_float_eq(number(cub, METRIC_l1_hit_pct), 50, 1);

    cub = kernel_of("radix-sort:cub", "DeviceRadixSortOnesweepKernel");
    cr_assert_float_eq(number(cub, METRIC_global_store_sectors_per_request), 5.7, 0.1);
    cr_assert_eq(kernel_statistic(session, cub, METRIC_global_load_sectors, PROVENANCE_MEASURED).n, 4,
                 "each pass of a sort is counted");

    cub = kernel_of("matmul-ab:cublas",
                    "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_"
                    "alignc4_execute_kernel__5x_cublas");
    shuffle = kernel_of("matmul-ab:ab-tiles", "matmul_ab_tiles");
    cr_assert_gt(number(shuffle, METRIC_shared_load_wavefronts),
                 5 * number(cub, METRIC_shared_load_wavefronts));
    cr_assert_lt(number(cub, METRIC_achieved_occupancy_pct), 25);
}
