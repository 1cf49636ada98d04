/* SPDX-License-Identifier: Apache-2.0 */
/* The four limits of core/hardware/occupancy.h, each alone, and the least of them. */
#include "core/hardware/occupancy.h"

#include <stdbool.h>

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint32_t blocks_by_warps(const struct arch *arch, uint32_t threads, uint32_t warps)
{
    return threads > arch->max_threads_per_block ? 0 : arch->max_warps_per_multiprocessor / warps;
}

/* Registers lie in as many partitions as warp_unit says; a warp takes all of its registers from one
 * partition. The hardware checks a block's registers as if its warps filled all partitions evenly. */
static uint32_t blocks_by_registers_in(const struct arch *arch, uint32_t warp_unit,
                                       uint32_t registers_per_thread, uint32_t warps)
{
    uint64_t per_warp = round_up((uint64_t)registers_per_thread * arch->warp_lanes, arch->register_unit);
    if (per_warp * round_up(warps, warp_unit) > arch->max_registers_per_block)
        return 0;
    uint64_t warps_per_partition = arch->registers_per_multiprocessor / warp_unit / per_warp;
    return (uint32_t)(warps_per_partition * warp_unit / warps);
}

static uint32_t blocks_by_registers(const struct arch *arch, uint32_t registers_per_thread, uint32_t warps)
{
    if (registers_per_thread == 0)
        return UINT32_MAX;
    if (registers_per_thread > arch->max_registers_per_thread)
        return 0;
    if (arch->registers_by_block) {
        uint64_t per_block = round_up((uint64_t)registers_per_thread * arch->warp_lanes *
                                          round_up(warps, arch->warp_allocation_unit),
                                      arch->register_unit);
        return (uint32_t)(arch->registers_per_multiprocessor / per_block);
    }
    uint32_t blocks = blocks_by_registers_in(arch, arch->warp_allocation_unit, registers_per_thread, warps);
    if (arch->block_allocation_unit != 0 &&
        blocks_by_registers_in(arch, arch->block_allocation_unit, registers_per_thread, warps) == 0)
        return 0;
    return blocks;
}

/* What the driver sets aside if `available` was requested and a block needs `block_bytes`, as in
 * cuda_occupancy.h. */
static uint64_t shared_set_aside(const struct arch *arch, uint64_t available, uint64_t block_bytes)
{
    if (available == 0 || available > arch->shared_bytes_per_multiprocessor)
        return arch->shared_bytes_per_multiprocessor;
    if (available >= block_bytes)
        return available;
    for (size_t i = 0; arch->shared_fits_launch && i < ARCH_SHARED_CONFIGURATIONS &&
                       arch->shared_configurations_kib[i] != 0;
         i++) {
        uint64_t bytes = arch->shared_configurations_kib[i] * 1024ull;
        if (bytes >= block_bytes)
            return bytes;
    }
    return arch->shared_bytes_per_multiprocessor;
}

static uint32_t blocks_by_shared(const struct arch *arch, uint32_t shared_bytes, uint32_t available)
{
    uint64_t per_block =
        round_up((uint64_t)shared_bytes + arch->shared_reserved_bytes_per_block, arch->shared_unit_bytes);
    if (per_block == 0)
        return UINT32_MAX;
    if (per_block > (uint64_t)arch->shared_bytes_per_block_optin + arch->shared_reserved_bytes_per_block)
        return 0;
    return (uint32_t)(shared_set_aside(arch, available, per_block) / per_block);
}

struct occupancy occupancy_compute(const struct arch *arch, const struct occupancy_input *input)
{
    struct occupancy result = {.limiter = OCCUPANCY_NONE_FITS};
    if (input->threads_per_block == 0)
        return result;
    uint32_t warps =
        input->threads_per_block / arch->warp_lanes + (input->threads_per_block % arch->warp_lanes != 0);
    result.blocks_by_blocks = arch->max_blocks_per_multiprocessor;
    result.blocks_by_warps = blocks_by_warps(arch, input->threads_per_block, warps);
    result.blocks_by_registers = blocks_by_registers(arch, input->registers_per_thread, warps);
    result.blocks_by_shared =
        blocks_by_shared(arch, input->shared_bytes_per_block, input->shared_bytes_available);

    result.blocks = result.blocks_by_warps;
    result.limiter = OCCUPANCY_WARPS;
    if (result.blocks_by_blocks < result.blocks) {
        result.blocks = result.blocks_by_blocks;
        result.limiter = OCCUPANCY_BLOCKS;
    }
    if (result.blocks_by_registers < result.blocks) {
        result.blocks = result.blocks_by_registers;
        result.limiter = OCCUPANCY_REGISTERS;
    }
    if (result.blocks_by_shared < result.blocks) {
        result.blocks = result.blocks_by_shared;
        result.limiter = OCCUPANCY_SHARED;
    }
    if (result.blocks == 0)
        result.limiter = OCCUPANCY_NONE_FITS;
    result.warps = result.blocks * warps;
    result.percent = 100.0 * result.warps / arch->max_warps_per_multiprocessor;
    return result;
}

#define FEW_BLOCKS 0.25 /* chosen: of the multiprocessors; with fewer the work was hardly divided */

bool occupancy_fills_schedulers(const struct arch *arch, uint32_t threads_per_block, double blocks,
                                uint32_t multiprocessors)
{
    return arch && arch->warp_lanes > 0 && threads_per_block <= arch->issue_slots * arch->warp_lanes &&
           blocks >= FEW_BLOCKS * multiprocessors && blocks < multiprocessors;
}

const char *occupancy_limiter_text(enum occupancy_limiter limiter)
{
    switch (limiter) {
    case OCCUPANCY_NONE_FITS: return "no block fits";
    case OCCUPANCY_BLOCKS: return "blocks";
    case OCCUPANCY_WARPS: return "warps";
    case OCCUPANCY_REGISTERS: return "registers";
    case OCCUPANCY_SHARED: return "shared memory";
    }
    return "unknown";
}
