/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue, values from counters, and their text. */
#include "core/metric/metric.h"

#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LANES UINT32_MAX
#define SAMPLES_MAX 96

/* ---- a kernel's counters, summed from its accesses by the rules ---- */
struct kernel {
    struct counter_sample samples[SAMPLES_MAX];
    size_t count;
};

static double *counter(struct kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (strcmp(kernel->samples[i].counter, name) == 0)
            return &kernel->samples[i].number;
    cr_assert_lt(kernel->count, SAMPLES_MAX);
    kernel->samples[kernel->count] = (struct counter_sample){.counter = name};
    return &kernel->samples[kernel->count++].number;
}

/* Every counter of GH100, at 0: what a kernel that does nothing gives. */
static struct kernel kernel_idle(void)
{
    struct kernel kernel = {.count = 0};
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_counters counters = metric_counters((enum metric)metric, "GH100");
        for (const char *const *name = counters.names; *name; name++)
            *counter(&kernel, *name) = 0;
    }
    return kernel;
}

static void count_width(struct kernel *kernel, uint32_t width)
{
    char name[64];
    snprintf(name, sizeof name, "smsp__sass_inst_executed_op_memory_%ub.sum", width * 8);
    for (size_t i = 0; i < kernel->count; i++)
        if (strcmp(kernel->samples[i].counter, name) == 0)
            kernel->samples[i].number += 1;
}

static struct coalesce_cost load_global(struct kernel *kernel, const struct warp_access *access)
{
    struct coalesce_cost cost = coalesce_count(arch_find(90), access);
    *counter(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") += cost.requests;
    *counter(kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum") += cost.sectors;
    *counter(kernel, "smsp__sass_data_bytes_mem_global_op_ld.sum") += cost.bytes_wanted;
    count_width(kernel, access->width_bytes);
    return cost;
}

static struct bank_cost load_shared(struct kernel *kernel, const struct warp_access *access)
{
    struct bank_cost cost = bank_count(arch_find(90), access);
    *counter(kernel, "smsp__sass_inst_executed_op_shared_ld.sum") += cost.instructions;
    *counter(kernel, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") += cost.wavefronts;
    count_width(kernel, access->width_bytes);
    return cost;
}

static struct warp_access lanes_at(uint64_t start, uint64_t step, uint32_t width, uint32_t active)
{
    struct warp_access access = {.active = active, .width_bytes = width};
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        access.address[lane] = start + lane * step;
    return access;
}

static struct value evaluate(const struct kernel *kernel, enum metric metric)
{
    struct metric_facts facts = {.arch = arch_find(90)};
    return metric_evaluate(metric, kernel->samples, kernel->count, &facts);
}

static double number(const struct kernel *kernel, enum metric metric)
{
    struct value value = evaluate(kernel, metric);
    cr_assert(value.available, "%s: %s", metric_info(metric)->id, value.why);
    cr_assert_eq(value.provenance, PROVENANCE_MEASURED);
    cr_assert_eq(value.derived, metric_info(metric)->derived, "%s", metric_info(metric)->id);
    return value.number;
}

/* ---- the catalogue ---- */
Test(metric, catalogue_is_whole)
{
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *info = metric_info((enum metric)i);
        cr_assert_eq(metric_find(info->id), i);
        cr_assert_str_not_empty(info->title);
        cr_assert_str_not_empty(info->meaning);
        cr_assert_str_not_empty(info->formula);
        cr_assert_lt(strlen(info->meaning), 100, "%s: a line", info->id);
        cr_assert_str_neq(metric_group_text(info->group), "unknown");
        cr_assert_null(strchr(info->formula, '|'));
        if (info->derived)
            cr_assert_neq(strncmp(info->formula, "counted", 7), 0, "%s is derived", info->id);
    }
    cr_assert_eq(metric_find("nonsense"), METRIC_COUNT);
    cr_assert_eq(metric_find(""), METRIC_COUNT);
    cr_assert_null(metric_info(METRIC_COUNT));
    for (unsigned i = 0; i < PROVENANCE_COUNT; i++)
        cr_assert_str_neq(provenance_text((enum provenance)i), "unknown");
}

Test(metric, counters_by_chip)
{
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        bool from_facts = i == METRIC_effective_bandwidth_bytes_per_second || i == METRIC_cputime ||
                          metric_from_launch((enum metric)i);
        cr_assert_eq(metric_counters((enum metric)i, "GH100").names[0] == NULL, from_facts, "%s",
                     metric_info((enum metric)i)->id);
        const struct metric_counters counters = metric_counters((enum metric)i, "TU102");
        for (const char *const *name = counters.names; *name; name++)
            cr_assert_null(strstr(*name, "ldgsts"), "Turing has no cp.async");
    }
    cr_assert_str_eq(metric_counters(METRIC_dram_read_bytes, "GB202").names[0], "dram__bytes_op_read.sum");
    cr_assert_str_eq(metric_counters(METRIC_dram_read_bytes, "GB100").names[0], "dram__bytes_read.sum");
    cr_assert_null(metric_counters(METRIC_dram_read_bytes, "GB20B").names[0]);
    cr_assert_str_eq(metric_counters(METRIC_dram_read_bytes, "").names[0], "dram__bytes_read.sum");
    cr_assert_str_eq(metric_counters(METRIC_dram_read_bytes, NULL).names[0], "dram__bytes_read.sum");
    cr_assert_null(metric_counters(METRIC_COUNT, "GH100").names[0]);
}

/* ---- values ---- */
Test(metric, copy_with_an_offset)
{
    struct kernel kernel = kernel_idle();
    struct warp_access access = lanes_at(0x1004, 4, 4, ALL_LANES);
    for (int i = 0; i < 100; i++)
        load_global(&kernel, &access);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_requests), 100, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_sectors), 500, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_ideal_sectors), 400, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_excess_sectors), 100, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_sectors_per_request), 5, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_bytes_wanted_per_byte_moved), 0.8, 1e-12);
    cr_assert_float_eq(number(&kernel, METRIC_global_store_sectors), 0, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_store_excess_sectors), 0, 0);
    struct value none = evaluate(&kernel, METRIC_global_store_sectors_per_request);
    cr_assert_not(none.available);
    cr_assert_str_eq(none.why, "the kernel writes no global memory");
}

/* Full warps of one width, any stride: the ideal is exact. */
Test(metric, ideals_of_full_warps_are_exact)
{
    static const uint32_t widths[] = {4, 8, 16};
    for (size_t w = 0; w < 3; w++) {
        for (uint64_t stride = 1; stride <= 33; stride++) {
            struct kernel kernel = kernel_idle();
            double sectors = 0, wavefronts = 0;
            for (int i = 0; i < 37; i++) {
                struct warp_access access = lanes_at(0x1000, stride * widths[w], widths[w], ALL_LANES);
                sectors += load_global(&kernel, &access).ideal_sectors;
                wavefronts += load_shared(&kernel, &access).ideal_wavefronts;
            }
            cr_assert_float_eq(number(&kernel, METRIC_global_load_ideal_sectors), sectors, 0, "%u x %lu",
                               widths[w], stride);
            cr_assert_float_eq(number(&kernel, METRIC_shared_load_ideal_wavefronts), wavefronts, 0,
                               "%u x %lu", widths[w], stride);
        }
    }
}

/* Words of up to 4 bytes, any lanes, any pattern: conflicts are exact. */
Test(metric, conflicts_of_narrow_accesses_are_exact)
{
    srand(3);
    for (int round = 0; round < 200; round++) {
        struct kernel kernel = kernel_idle();
        double conflicts = 0;
        for (int i = 0; i < 20; i++) {
            struct warp_access access = {.active = (uint32_t)rand() * 2654435761u,
                                         .width_bytes = 1u << (rand() % 3)};
            for (int lane = 0; lane < WARP_LANES; lane++)
                access.address[lane] = (uint64_t)(rand() % 1024) * 4;
            struct bank_cost cost = load_shared(&kernel, &access);
            conflicts += cost.wavefronts - cost.ideal_wavefronts;
        }
        cr_assert_float_eq(number(&kernel, METRIC_shared_load_conflicts), conflicts, 0);
    }
}

/* Whatever a kernel does: excess and conflicts are never below 0 and never more than there are. */
Test(metric, never_more_excess_than_there_is)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    srand(4);
    for (int round = 0; round < 2000; round++) {
        struct kernel kernel = kernel_idle();
        double excess = 0, conflicts = 0;
        uint32_t kinds = 1 + (uint32_t)rand() % 5;
        int instructions = 1 + rand() % 30;
        for (int i = 0; i < instructions; i++) {
            struct warp_access access = {.width_bytes = widths[(uint32_t)rand() % kinds]};
            access.active = rand() % 2 ? ALL_LANES : (uint32_t)rand() * 2654435761u;
            uint32_t span = 1u << (rand() % 13);
            for (int lane = 0; lane < WARP_LANES; lane++) {
                access.address[lane] =
                    0x1000 + (uint32_t)rand() % span / access.width_bytes * access.width_bytes;
            }
            if (rand() % 2) {
                struct coalesce_cost cost = load_global(&kernel, &access);
                excess += cost.sectors - cost.ideal_sectors;
            } else {
                struct bank_cost cost = load_shared(&kernel, &access);
                conflicts += (double)cost.wavefronts - cost.ideal_wavefronts;
            }
        }
        cr_assert_geq(number(&kernel, METRIC_global_load_excess_sectors), 0);
        cr_assert_leq(number(&kernel, METRIC_global_load_excess_sectors), excess, "round %d", round);
        cr_assert_geq(number(&kernel, METRIC_shared_load_conflicts), 0);
        cr_assert_leq(number(&kernel, METRIC_shared_load_conflicts), conflicts, "round %d", round);
    }
}

/* matmul's tile rows: 16-byte loads of one address by all lanes take two wavefronts and conflict with
 * nobody. */
Test(metric, wide_broadcasts_do_not_conflict)
{
    struct kernel kernel = kernel_idle();
    struct warp_access row = lanes_at(0x100, 0, 16, ALL_LANES), column = lanes_at(0, 4, 4, ALL_LANES);
    for (int i = 0; i < 8; i++) {
        load_shared(&kernel, &row);
        load_shared(&kernel, &column);
    }
    cr_assert_float_eq(number(&kernel, METRIC_shared_load_wavefronts), 24, 0);
    cr_assert_float_eq(number(&kernel, METRIC_shared_load_conflicts), 0, 0);
}

Test(metric, cp_async_counts_as_loads)
{
    struct kernel kernel = kernel_idle();
    *counter(&kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") = 10;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum") = 160;
    *counter(&kernel, "smsp__sass_data_bytes_mem_global_op_ldgsts.sum") = 5120;
    *counter(&kernel, "smsp__sass_inst_executed_op_memory_128b.sum") = 10;
    cr_assert_float_eq(number(&kernel, METRIC_global_load_sectors), 160, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_sectors_per_request), 16, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_excess_sectors), 0, 0);
    cr_assert_float_eq(number(&kernel, METRIC_global_load_bytes_wanted_per_byte_moved), 1, 0);
}

/* 32 bytes a lane (compute capability 10.0): no counter of that width, still no ideal below what the bytes
 * need. */
Test(metric, wider_than_counted)
{
    struct kernel kernel = kernel_idle();
    *counter(&kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") = 10;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum") = 320;
    *counter(&kernel, "smsp__sass_data_bytes_mem_global_op_ld.sum") = 10240;
    cr_assert_float_eq(number(&kernel, METRIC_global_load_excess_sectors), 0, 0);
}

/* Their bytes count as global ones, so that they are no lower end. */
Test(metric, generic_loads_leave_an_ideal_bounded)
{
    struct kernel kernel = kernel_idle();
    struct warp_access access = lanes_at(0x1000, 4, 4, ALL_LANES);
    load_global(&kernel, &access);
    cr_assert_eq(evaluate(&kernel, METRIC_global_load_ideal_sectors).bound, VALUE_EXACT);
    *counter(&kernel, "smsp__inst_executed_op_generic_ld_pred_on_any.sum") = 1;
    cr_assert_eq(evaluate(&kernel, METRIC_global_load_ideal_sectors).bound, VALUE_AT_MOST);
    cr_assert_eq(evaluate(&kernel, METRIC_global_load_excess_sectors).bound, VALUE_AT_LEAST);
    *counter(&kernel, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") = 64;
    *counter(&kernel, "smsp__sass_inst_executed_op_shared_ld.sum") = 64;
    *counter(&kernel, "smsp__inst_executed_op_generic_ld_pred_on_any.sum") = 64;
    cr_assert_float_eq(number(&kernel, METRIC_shared_load_conflicts), 0, 0);
}

Test(metric, not_taken_is_not_zero)
{
    struct metric_facts facts = {.arch = arch_find(90)};
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        struct value value = metric_evaluate((enum metric)i, NULL, 0, &facts);
        cr_assert_not(value.available, "%s", metric_info((enum metric)i)->id);
        cr_assert_str_not_empty(value.why);
        char text[32];
        metric_format((enum metric)i, &value, text, sizeof text);
        cr_assert_str_eq(text, "n/a");
    }
    /* One counter of several is not there, or is no number. */
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_counters counters = metric_counters((enum metric)i, "GH100");
        for (const char *const *name = counters.names; *name; name++) {
            struct kernel kernel = kernel_idle();
            *counter(&kernel, *name) = NAN;
            bool optional = strstr(*name, "ldgsts") != NULL;
            if (!optional) {
                cr_assert_not(evaluate(&kernel, (enum metric)i).available, "%s without %s",
                              metric_info((enum metric)i)->id, *name);
            }
        }
    }
}

Test(metric, rates_as_they_come_and_none_over_100)
{
    struct kernel kernel = kernel_idle();
    *counter(&kernel, "sm__warps_active.avg.pct_of_peak_sustained_active") = 87.5;
    *counter(&kernel, "lts__t_sector_hit_rate.pct") = 110;
    *counter(&kernel, "l1tex__t_sector_hit_rate.pct") = 50;
    *counter(&kernel, "dram__bytes_read.sum") = 4096;
    cr_assert_float_eq(number(&kernel, METRIC_achieved_occupancy_pct), 87.5, 0);
    cr_assert_float_eq(number(&kernel, METRIC_l1_hit_pct), 50, 0);
    cr_assert_not(evaluate(&kernel, METRIC_l2_hit_pct).available);
    *counter(&kernel, "lts__d_atomic_input_cycles_active.sum") = 300;
    *counter(&kernel, "lts__d_atomic_input_cycles_active.max") = 80;
    *counter(&kernel, "lts__cycles_elapsed.max") = 400;
    cr_assert_float_eq(number(&kernel, METRIC_atomic_passes), 300, 0);
    cr_assert_float_eq(number(&kernel, METRIC_atomic_busiest_pct), 20, 0);
    *counter(&kernel, "lts__cycles_elapsed.max") = 0;
    cr_assert_not(evaluate(&kernel, METRIC_atomic_busiest_pct).available);
    cr_assert_float_eq(number(&kernel, METRIC_dram_read_bytes), 4096, 0);
    *counter(&kernel, "dram__bytes_read.sum") = NAN;
    cr_assert_str_eq(evaluate(&kernel, METRIC_dram_read_bytes).why,
                     "the GPU gave no number for one of its counters");
    struct counter_sample blackwell = {"dram__bytes_op_write.sum", 64};
    struct metric_facts facts = {0};
    cr_assert_float_eq(metric_evaluate(METRIC_dram_write_bytes, &blackwell, 1, &facts).number, 64, 0);
}

Test(metric, from_facts)
{
    struct metric_facts facts = {.arch = arch_find(90),
                                 .threads_per_block = 256,
                                 .registers_per_thread = 64,
                                 .time_ns = 1000,
                                 .effective_bytes = 2e6};
    struct value occupancy = metric_evaluate(METRIC_theoretical_occupancy_pct, NULL, 0, &facts);
    cr_assert_float_eq(occupancy.number, 50, 0);
    cr_assert_eq(occupancy.provenance, PROVENANCE_EXPECTED);
    cr_assert(occupancy.derived);
    cr_assert_str_eq(metric_evaluate(METRIC_occupancy_limiter, NULL, 0, &facts).word, "registers");
    struct value bandwidth = metric_evaluate(METRIC_effective_bandwidth_bytes_per_second, NULL, 0, &facts);
    cr_assert_float_eq(bandwidth.number, 2e12, 1);
    cr_assert_float_eq(metric_evaluate(METRIC_time_ns, NULL, 0, &facts).number, 1000, 0);
    struct counter_sample replayed = {"gpu__time_duration.sum", 1200};
    cr_assert_float_eq(metric_evaluate(METRIC_time_ns, &replayed, 1, &facts).number, 1000, 0,
                       "the trace's time counts");
    facts.time_ns = 0;
    cr_assert_float_eq(metric_evaluate(METRIC_time_ns, &replayed, 1, &facts).number, 1200, 0);
    facts.effective_bytes = 0;
    cr_assert_not(metric_evaluate(METRIC_effective_bandwidth_bytes_per_second, NULL, 0, &facts).available);
    facts.arch = NULL;
    cr_assert_not(metric_evaluate(METRIC_theoretical_occupancy_pct, NULL, 0, &facts).available);
}

/* ---- arithmetic and stalls ---- */
/* By Little's law: 93.75 % of 64 warps are 15 for each of four schedulers; each issues every 20 cycles. */
Test(metric, issue_slots_follow_from_occupancy_and_the_cycles_between_instructions)
{
    const struct value inputs[METRIC_INPUTS_MAX] = {
        {.available = true, .number = 93.75, .provenance = PROVENANCE_MEASURED},
        {.available = true, .number = 20, .provenance = PROVENANCE_MEASURED}};
    struct value value = metric_combine(METRIC_issue_slots_pct, inputs, arch_find(90));
    cr_assert(value.available && value.derived);
    cr_assert_float_eq(value.number, 75, 1e-9);
    cr_assert_float_eq(metric_combine(METRIC_issue_slots_pct, inputs, arch_find(75)).number, 37.5, 1e-9);
    const struct value full[METRIC_INPUTS_MAX] = {inputs[0], {.available = true, .number = 12}};
    cr_assert_float_eq(metric_combine(METRIC_issue_slots_pct, full, arch_find(90)).number, 100, 1e-9,
                       "not more than all");
    value = metric_combine(METRIC_issue_slots_pct, inputs, NULL);
    cr_assert(!value.available && value.why != NULL);
    cr_assert_not(metric_combine(METRIC_issue_slots_pct, inputs, arch_find(35)).available,
                  "its schedulers issue pairs");
}

Test(metric, operations_of_instructions)
{
    struct kernel kernel = kernel_idle();
    *counter(&kernel, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum") = 100;
    *counter(&kernel, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum") = 10;
    *counter(&kernel, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") = 1000;
    *counter(&kernel, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum") = 7;
    *counter(&kernel, "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum") = 3;
    *counter(&kernel, "dram__bytes_read.sum") = 1000;
    *counter(&kernel, "dram__bytes_write.sum") = 123;
    *counter(&kernel, "gpu__time_duration.sum") = 2000;
    *counter(&kernel, "smsp__sass_inst_executed_op_memory_64b.sum") = 5;
    *counter(&kernel, "smsp__sass_inst_executed_op_memory_128b.sum") = 6;
    cr_assert_eq(number(&kernel, METRIC_float_operations), 2110);
    cr_assert_eq(number(&kernel, METRIC_double_operations), 7);
    cr_assert_eq(number(&kernel, METRIC_half_operations), 6);
    cr_assert_eq(number(&kernel, METRIC_floating_point_operations), 2117, "halves apart");
    cr_assert_float_eq(number(&kernel, METRIC_arithmetic_intensity), 2117. / 1123, 1e-12);
    cr_assert_float_eq(number(&kernel, METRIC_operations_per_second), 2117 * 1e9 / 2000, 1e-3);
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum") = 40;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum") = 10;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum") = 20;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_ld.sum") = 4;
    *counter(&kernel, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_st.sum") = 6;
    cr_assert_float_eq(number(&kernel, METRIC_l1_intensity), 2117. / (80 * 32), 1e-12);
    *counter(&kernel, "lts__t_bytes.sum") = 1000;
    *counter(&kernel, "lts__t_bytes.avg.pct_of_peak_sustained_elapsed") = 12.5;
    cr_assert_float_eq(number(&kernel, METRIC_l2_intensity), 2.117, 1e-12);
    cr_assert_float_eq(number(&kernel, METRIC_l2_peak_pct), 12.5, 0);
    cr_assert_eq(number(&kernel, METRIC_wide_memory_instructions), 11);
    *counter(&kernel, "dram__bytes_read.sum") = *counter(&kernel, "dram__bytes_write.sum") = 0;
    cr_assert_str_eq(evaluate(&kernel, METRIC_arithmetic_intensity).why,
                     "device memory moved no byte for it");
    *counter(&kernel, "gpu__time_duration.sum") = 0;
    cr_assert_not(evaluate(&kernel, METRIC_operations_per_second).available);
}

/* H200: 132 multiprocessors at 1.98 GHz, whose data sheet says 67 and 34 TFLOP/s. */
Test(metric, peaks_of_the_device)
{
    struct metric_facts facts = {.arch = arch_find(90), .multiprocessor_hz = 132 * 1.98e9};
    struct value single = metric_evaluate(METRIC_peak_float_per_second, NULL, 0, &facts);
    struct value l1 = metric_evaluate(METRIC_l1_bandwidth_bytes_per_second, NULL, 0, &facts);
    cr_assert(l1.available && l1.provenance == PROVENANCE_EXPECTED);
    cr_assert_float_eq(l1.number, 128 * 132 * 1.98e9, 1, "128 bytes a cycle of each multiprocessor");
    struct metric_facts old = {.arch = arch_find(61), .multiprocessor_hz = 1e9};
    cr_assert_not(metric_evaluate(METRIC_l1_bandwidth_bytes_per_second, NULL, 0, &old).available);
    struct value of_doubles = metric_evaluate(METRIC_peak_double_per_second, NULL, 0, &facts);
    cr_assert_float_eq(single.number, 66.9e12, 0.05e12);
    cr_assert_float_eq(of_doubles.number, 33.45e12, 0.05e12);
    cr_assert(single.provenance == PROVENANCE_EXPECTED && single.derived);
    facts.arch = arch_find(10);
    cr_assert_str_eq(metric_evaluate(METRIC_peak_double_per_second, NULL, 0, &facts).why,
                     "this compute capability has no double precision");
    facts.multiprocessor_hz = 0;
    cr_assert_not(metric_evaluate(METRIC_peak_float_per_second, NULL, 0, &facts).available);
    for (size_t i = 0; arch_at(i); i++) {
        cr_assert_gt(arch_at(i)->float_lanes, 0);
        cr_assert_geq(arch_at(i)->float_lanes, arch_at(i)->double_lanes);
    }
}

/* What was not asked for says how to ask, the others that they were not taken. */
Test(metric, stalls_are_taken_when_asked)
{
    struct counter_sample one = {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 2.5};
    struct metric_facts facts = {0};
    cr_assert_eq(metric_evaluate(METRIC_stall_barrier, &one, 1, &facts).number, 2.5);
    cr_assert_not_null(strstr(metric_evaluate(METRIC_stall_mio, &one, 1, &facts).why, "--counters +stalls"));
    cr_assert_not_null(strstr(metric_evaluate(METRIC_tensor_instructions, &one, 1, &facts).why, "+matrices"));
    cr_assert_null(strstr(metric_evaluate(METRIC_stall_long_scoreboard, &one, 1, &facts).why, "--counters"));
    struct counter_sample model = {"model.double_operations", 2};
    struct value none = metric_evaluate(METRIC_stall_barrier, &model, 1, &facts);
    cr_assert(!none.available && none.provenance == PROVENANCE_MODELLED);
    cr_assert_not_null(strstr(none.why, "only those for memory"));
}

/* Where a title has no room its short name stands: it fits where panels are narrow, and is no other's. */
Test(metric, brief_titles_are_short_and_unlike)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info(metric);
        cr_assert(info->group == METRIC_GROUP_OLD || strlen(info->brief) <= 13, "%s", info->brief);
        cr_assert_leq(strlen(info->brief), strlen(info->title), "%s", info->brief);
        for (enum metric other = 0; other < metric; other++)
            cr_assert_str_neq(info->brief, metric_info(other)->brief);
    }
}
