/* SPDX-License-Identifier: Apache-2.0 */
/* The table of modelled GPUs: complete, and the same as core/hardware/arch where both speak. */
#include "simt/timing/gpu.h"

#include "core/hardware/arch.h"

#include <criterion/criterion.h>
#include <string.h>

Test(simt_gpu, every_row_is_complete)
{
    const struct gpu *gpu;

    for (size_t i = 0; (gpu = gpu_at(i)); i++) {
        const struct device_info *info = &gpu->info;
        const struct arch *arch = arch_find(info->compute_capability);
        cr_assert_not_null(arch, "%s", gpu->id);
        cr_assert_eq(gpu_find(gpu->id), gpu);
        cr_assert_eq(gpu_find(info->name), gpu, "the name that screens show: %s", info->name);
        cr_assert_eq(arch->compute_capability, info->compute_capability, "%s", gpu->id);
        cr_assert_eq(info->is_model, 1, "%s", gpu->id);
        cr_assert_gt(info->multiprocessors, 0, "%s", gpu->id);
        cr_assert_gt(info->core_clock_khz, 0, "%s", gpu->id);
        cr_assert_gt(info->memory_bytes, 0, "%s", gpu->id);
        cr_assert_gt(device_info_peak_bandwidth(info), 5e10, "%s", gpu->id);
        cr_assert_eq(info->max_threads_per_multiprocessor, arch->max_threads_per_multiprocessor, "%s",
                     gpu->id);
        cr_assert_eq(info->max_blocks_per_multiprocessor, arch->max_blocks_per_multiprocessor, "%s", gpu->id);
        cr_assert_eq(info->max_threads_per_block, arch->max_threads_per_block, "%s", gpu->id);
        cr_assert_eq(info->registers_per_multiprocessor, arch->registers_per_multiprocessor, "%s", gpu->id);
        cr_assert_eq(info->registers_per_block, arch->max_registers_per_block, "%s", gpu->id);
        cr_assert_eq(info->shared_bytes_per_multiprocessor, arch->shared_bytes_per_multiprocessor, "%s",
                     gpu->id);
        cr_assert_eq(info->shared_bytes_per_block, arch->shared_bytes_per_block, "%s", gpu->id);
        cr_assert_eq(info->shared_bytes_per_block_optin, arch->shared_bytes_per_block_optin, "%s", gpu->id);
        cr_assert_eq(info->shared_bytes_reserved_per_block, arch->shared_reserved_bytes_per_block, "%s",
                     gpu->id);
        cr_assert_eq(info->concurrent_kernels, arch->grids > 1, "%s", gpu->id);
        cr_assert_eq(gpu->lanes_per_cycle[CLASS_FLOAT], arch->float_lanes, "%s", gpu->id);
        cr_assert_eq(gpu->lanes_per_cycle[CLASS_DOUBLE], arch->double_lanes, "%s", gpu->id);
        cr_assert(gpu->multiply_lanes_per_cycle > 0 &&
                      gpu->multiply_lanes_per_cycle <= gpu->lanes_per_cycle[CLASS_INTEGER],
                  "%s", gpu->id);
        cr_assert_eq(gpu->multiplies_24_bits, info->compute_capability < 20, "%s", gpu->id);
        cr_assert_gt(gpu->issue_per_cycle, 0, "%s", gpu->id);
        cr_assert_gt(gpu->lsu_wavefronts_per_cycle_x100, 0, "%s", gpu->id);
        for (int class = 0; class < CLASS_COUNT; class ++)
            cr_assert(gpu->lanes_per_cycle[class] > 0 || class == CLASS_DOUBLE ||
                          (class == CLASS_MATRIX && info->compute_capability < 70),
                      "%s: class %d", gpu->id, class);
        cr_assert(gpu->l2.fetch_bytes == 32 || gpu->l2.fetch_bytes == 64, "%s", gpu->id);
        cr_assert(gpu->l2.dirty_ways > gpu->l2.partial_ways && gpu->l2.partial_ways > 0, "%s", gpu->id);
        cr_assert(gpu->dram_efficiency_pct > 50 && gpu->dram_efficiency_pct <= 100, "%s", gpu->id);
        cr_assert_gt(gpu->shared_latency_cycles, gpu->alu_latency_cycles, "%s", gpu->id);
        cr_assert_gt(gpu->l2_atomic_pass_cycles_x100, 0, "%s", gpu->id);
        cr_assert_eq(gpu->double_latency_cycles / gpu->alu_latency_cycles,
                     gpu->lanes_per_cycle[CLASS_DOUBLE] >= 32 ? 2 : 10, "%s", gpu->id);
        cr_assert(gpu->fit.unit_power > 1 && gpu->fit.join_power > 1 && gpu->fit.blocks_per_cycle > 0 &&
                      gpu->texture_passes > 0,
                  "%s", gpu->id);
        cr_assert(gpu->host.staging_bytes && gpu->host.function_ns, "%s", gpu->id);
        if (info->l2_bytes) {
            cr_assert_gt(gpu->l2_bytes_per_cycle, 0, "%s", gpu->id);
            cr_assert_gt(gpu->l2_slice_bytes_per_cycle, 0, "%s", gpu->id);
            cr_assert_gt(gpu->l2_scattered_stores_per_cycle, 0, "%s", gpu->id);
            cr_assert_gt(gpu->l2_latency_cycles, gpu->l1_latency_cycles, "%s", gpu->id);
            cr_assert_gt(gpu->dram_latency_cycles, gpu->l2_latency_cycles, "%s", gpu->id);
        }
        cr_assert(gpu->host_link_bytes_per_second[0] < gpu->host_link_bytes_per_second[1], "%s", gpu->id);
        cr_assert(gpu->launch_ns && gpu->copy_ns && gpu->set_ns && gpu->host.call_ns, "%s", gpu->id);
    }
    cr_assert_null(gpu_find("voodoo2"));
    struct device_info named = {.name = "NVIDIA A100-SXM4-80GB", .compute_capability = 90},
                       other = {.name = "NVIDIA H20", .compute_capability = 90},
                       none = {.name = "voodoo2", .compute_capability = 5};
    cr_assert_eq(gpu_like(&named), gpu_find("a100"), "the name goes first");
    cr_assert_eq(gpu_like(&other), gpu_find("h200"));
    cr_assert_null(gpu_like(&none));
    cr_assert_str_eq(gpu_at(0)->id, "h200");
}

/* Figures a reader knows from the data sheets, so that a slip in the table shows. */
Test(simt_gpu, bandwidth_of_the_data_sheets)
{
    static const struct {
        const char *id;
        double gb_per_second;
    } sheets[] = {
        {"h200", 4800},        {"a100", 2039},    {"v100", 900},    {"rtx4090", 1008}, {"t4", 320},
        {"rtx5090", 1792},     {"gtx1080", 320},  {"p100", 732},    {"gtx980", 224},   {"gtx750ti", 86.4},
        {"k20x", 250},         {"gtx680", 192},   {"m2090", 177},   {"c2050", 144},    {"m2090-no-ecc", 177},
        {"c2050-no-ecc", 144}, {"gtx280", 141.7}, {"9800gt", 57.6}, {"8800gtx", 86.4},
    };

    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        const struct gpu *gpu = gpu_find(sheets[i].id);
        cr_assert_not_null(gpu, "%s", sheets[i].id);
        cr_assert_float_eq(device_info_peak_bandwidth(&gpu->info) / sheets[i].gb_per_second, 1e9, 5e6, "%s",
                           sheets[i].id);
    }
}
