/*
 * Occupancy: known cases, and equality with the toolkit's cuda_occupancy.h for every compute capability it
 * covers, over a grid of block sizes, registers, shared memory and carve-outs. Without that header CMake
 * registers the comparison as skipped.
 */
#include "core/occupancy.h"

#include <criterion/criterion.h>
#include <string.h>

static struct occupancy compute(uint32_t capability, uint32_t threads, uint32_t registers, uint32_t shared)
{
    struct occupancy_input input = {
        .threads_per_block = threads, .registers_per_thread = registers, .shared_bytes_per_block = shared};
    return occupancy_compute(arch_find(capability), &input);
}

Test(occupancy, the_courses_example_on_1_1)
{
    cr_assert_eq((int)compute(11, 128, 12, 0).percent, 83);
    cr_assert_eq((int)compute(11, 256, 12, 0).percent, 66);
    cr_assert_eq(compute(11, 128, 12, 0).limiter, OCCUPANCY_REGISTERS);
}

Test(occupancy, each_limit_on_hopper)
{
    struct occupancy full = compute(90, 256, 32, 0);
    cr_assert_eq(full.blocks, 8);
    cr_assert_eq(full.warps, 64);
    cr_assert_float_eq(full.percent, 100.0, 1e-12);
    cr_assert_eq(full.limiter, OCCUPANCY_WARPS);

    struct occupancy registers = compute(90, 256, 64, 0);
    cr_assert_eq(registers.blocks, 4);
    cr_assert_float_eq(registers.percent, 50.0, 1e-12);
    cr_assert_eq(registers.limiter, OCCUPANCY_REGISTERS);

    struct occupancy shared = compute(90, 128, 32, 100 * 1024); /* 100 + 1 reserved KiB of 228 */
    cr_assert_eq(shared.blocks, 2);
    cr_assert_eq(shared.limiter, OCCUPANCY_SHARED);

    struct occupancy blocks = compute(90, 32, 16, 0);
    cr_assert_eq(blocks.blocks, 32);
    cr_assert_float_eq(blocks.percent, 50.0, 1e-12);
    cr_assert_eq(blocks.limiter, OCCUPANCY_BLOCKS);
    cr_assert_eq(compute(90, 1, 16, 0).warps, 32);
}

Test(occupancy, what_does_not_fit_at_all)
{
    cr_assert_eq(compute(90, 1025, 16, 0).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 1024, 65, 0).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 32, 256, 0).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 32, 16, 227 * 1024 + 1).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 32, 16, UINT32_MAX).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, UINT32_MAX, 16, 0).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 0, 16, 0).limiter, OCCUPANCY_NONE_FITS);
    cr_assert_eq(compute(90, 1025, 16, 0).blocks, 0);
    cr_assert_float_eq(compute(90, 1025, 16, 0).percent, 0.0, 1e-12);
}

Test(occupancy, limiters_have_words)
{
    for (int limiter = OCCUPANCY_NONE_FITS; limiter <= OCCUPANCY_SHARED; limiter++) {
        cr_assert_str_neq(occupancy_limiter_text((enum occupancy_limiter)limiter), "unknown");
    }
}

#ifdef HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>

/* No limit: INT_MAX there, UINT32_MAX here. */
static int limit(uint32_t blocks)
{
    return blocks == UINT32_MAX ? INT_MAX : (int)blocks;
}

static void compare(const struct arch *arch, uint32_t threads, uint32_t registers, uint32_t static_shared,
                    uint32_t dynamic_shared, int carveout)
{
    cudaOccDeviceProp device = {0};
    device.computeMajor = (int)(arch->compute_capability / 10);
    device.computeMinor = (int)(arch->compute_capability % 10);
    device.maxThreadsPerBlock = (int)arch->max_threads_per_block;
    device.maxThreadsPerMultiprocessor = (int)arch->max_threads_per_multiprocessor;
    device.regsPerBlock = (int)arch->max_registers_per_block;
    device.regsPerMultiprocessor = (int)arch->registers_per_multiprocessor;
    device.warpSize = (int)arch->warp_lanes;
    device.sharedMemPerBlock = arch->shared_bytes_per_block;
    device.sharedMemPerMultiprocessor = arch->shared_bytes_per_multiprocessor;
    device.sharedMemPerBlockOptin = arch->shared_bytes_per_block_optin;
    device.reservedSharedMemPerBlock = arch->shared_reserved_bytes_per_block;
    device.numSms = 1;
    cudaOccFuncAttributes function = {0};
    function.maxThreadsPerBlock = INT_MAX;
    function.numRegs = (int)registers;
    function.sharedSizeBytes = static_shared;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = arch->shared_bytes_per_block_optin;
    function.numBlockBarriers = 1;
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = carveout};
    cudaOccResult theirs;
    memset(&theirs, 0, sizeof theirs);
    cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &device, &function, &state,
                                                                  (int)threads, dynamic_shared);

    size_t available = 0;
    if (carveout >= 0) {
        cr_assert_eq(cudaOccSMemPerMultiprocessor(&available, &device, &state), CUDA_OCC_SUCCESS);
        available = available ? available : 1; /* ours has no zero: 0 is the most there is */
    }
    struct occupancy_input input = {.threads_per_block = threads,
                                    .registers_per_thread = registers,
                                    .shared_bytes_per_block = static_shared + dynamic_shared,
                                    .shared_bytes_available = (uint32_t)available};
    struct occupancy ours = occupancy_compute(arch, &input);

    int blocks = status == CUDA_OCC_SUCCESS ? theirs.activeBlocksPerMultiprocessor : 0;
#define EQUAL(what, our, their)                                                                         \
    cr_assert_eq((our), (their),                                                                        \
                 "CC %u, %u threads, %u registers, %u + %u bytes, carve-out %d: %s %d, theirs %d",      \
                 arch->compute_capability, threads, registers, static_shared, dynamic_shared, carveout, \
                 (what), (our), (their))
    EQUAL("blocks", (int)ours.blocks, blocks);
    if (status != CUDA_OCC_SUCCESS) {
        return;
    }
    EQUAL("by warps", (int)ours.blocks_by_warps, theirs.blockLimitWarps);
    EQUAL("by blocks", (int)ours.blocks_by_blocks, theirs.blockLimitBlocks);
    EQUAL("by registers", limit(ours.blocks_by_registers), theirs.blockLimitRegs);
    EQUAL("by shared memory", limit(ours.blocks_by_shared), theirs.blockLimitSharedMem);
    static const unsigned bits[] = {[OCCUPANCY_BLOCKS] = OCC_LIMIT_BLOCKS,
                                    [OCCUPANCY_WARPS] = OCC_LIMIT_WARPS,
                                    [OCCUPANCY_REGISTERS] = OCC_LIMIT_REGISTERS,
                                    [OCCUPANCY_SHARED] = OCC_LIMIT_SHARED_MEMORY};
    if (ours.limiter != OCCUPANCY_NONE_FITS) {
        int bit = (int)bits[ours.limiter];
        EQUAL("limiter", bit, (int)theirs.limitingFactors & bit);
    }
#undef EQUAL
}

Test(occupancy, equals_cuda_occupancy, .timeout = 120)
{
    static const uint32_t threads[] = {1,   31,  32,  33,  64,  96,   128,  160,  192, 224,
                                       256, 288, 320, 384, 416, 448,  512,  544,  576, 640,
                                       672, 768, 800, 896, 992, 1000, 1023, 1024, 1025};
    static const uint32_t shared[] = {0,
                                      1,
                                      127,
                                      128,
                                      129,
                                      1000,
                                      1024,
                                      3072,
                                      4096,
                                      7168,
                                      8192,
                                      12000,
                                      16384,
                                      16385,
                                      24576,
                                      32768,
                                      48 * 1024 - 1,
                                      48 * 1024,
                                      48 * 1024 + 1,
                                      64 * 1024,
                                      96 * 1024,
                                      98 * 1024,
                                      99 * 1024,
                                      99 * 1024 + 1,
                                      132 * 1024,
                                      163 * 1024,
                                      164 * 1024,
                                      200 * 1024,
                                      227 * 1024,
                                      227 * 1024 + 1};
    static const int carveouts[] = {-1, 0, 10, 25, 50, 75, 100};
    size_t covered = 0;
    for (size_t a = 0; arch_at(a); a++) {
        const struct arch *arch = arch_at(a);
        if (arch->compute_capability < 50) {
            continue; /* the header refuses 2.x and older, and its barrier count does not know 3.x */
        }
        covered++;
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            for (uint32_t registers = 0; registers <= 255;
                 registers += registers < 20 || registers > 250 ? 1 : 3) {
                compare(arch, threads[t], registers, 0, shared[(t + registers) % 30], -1);
            }
            for (size_t s = 0; s < sizeof shared / sizeof shared[0]; s++) {
                for (size_t c = 0; c < sizeof carveouts / sizeof carveouts[0]; c++) {
                    compare(arch, threads[t], 32, 0, shared[s], carveouts[c]);
                    compare(arch, threads[t], 40, 2048, shared[s], carveouts[c]);
                }
            }
        }
    }
    cr_assert_geq(covered, 19);
}
#endif
