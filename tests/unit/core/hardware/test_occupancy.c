/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Occupancy: what the documents say in words, and equality with the toolkit's cuda_occupancy.h for every
 * compute capability it covers, over a grid of block sizes, registers, static and dynamic shared memory and
 * carve-outs: whole where the header is, where not (CMake then registers that as skipped) some of its
 * answers, kept in tests/data/occupancy.csv.
 */
#include "core/hardware/occupancy.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What NVIDIA's guides say in words. */
Test(occupancy, the_documents_examples)
{
    static const struct {
        uint32_t capability, threads, registers, shared, blocks, percent;
    } rows[] = {
        /* CUDA C Best Practices Guide, register pressure: 8,192 registers and 768 threads at 1.1, 10 for all
           of them */
        {11, 256, 10, 0, 3, 100},
        {11, 256, 11, 0, 2, 66},
        {11, 128, 12, 0, 5, 83},
        {11, 256, 12, 0, 2, 66},
        /* 16,384 registers and 1,024 threads at 1.2: 16 for all */
        {12, 256, 16, 0, 4, 100},
        {12, 256, 17, 0, 3, 75},
        /* CUDA C Programming Guide 4.0, multiprocessor level: 2 blocks of 512 threads with 16 registers, one
           with 17 */
        {12, 512, 16, 0, 2, 100},
        {12, 512, 17, 0, 1, 50},
        /* 8 blocks of 32 threads at most, 16 KB of shared memory of which one block may have all */
        {13, 32, 8, 0, 8, 25},
        {13, 64, 8, 4096, 4, 25},
        {13, 64, 8, 16384, 1, 6},
        /* 2.x: 32,768 registers and 1,536 threads, in units of 64 a warp: 20 for all of them, and 63 at most
         */
        {20, 192, 20, 0, 8, 100},
        {20, 192, 21, 0, 7, 87},
        {20, 256, 64, 0, 0, 0},
        {20, 256, 16, 48 * 1024, 1, 16},
        {21, 32, 16, 0, 8, 16},
        /* 3.x: 16 blocks, 65,536 registers: 32 for 2,048 threads */
        {30, 128, 32, 0, 16, 100},
        {30, 128, 64, 0, 0, 0},
        {35, 256, 33, 0, 6, 75},
        {35, 32, 16, 0, 16, 25},
        {37, 256, 64, 0, 8, 100},
        /* 3.2, 5.3, 6.2: half of the registers for one block */
        {32, 1024, 32, 0, 2, 100},
        {32, 1024, 33, 0, 0, 0},
        /* CUDA C++ Programming Guide, multiprocessor level: 6.x, 512 threads: 2 blocks with 64 registers, one
           with 65 */
        {61, 512, 64, 0, 2, 50},
        {61, 512, 65, 0, 1, 25},
        /* CUDA C++ Best Practices Guide, occupancy: 7.0, 37 registers: 12 blocks of 128, but 4 of 320 */
        {70, 128, 37, 0, 12, 75},
        {70, 320, 37, 0, 4, 62},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct occupancy got =
            compute(rows[i].capability, rows[i].threads, rows[i].registers, rows[i].shared);
        cr_assert_eq(got.blocks, rows[i].blocks, "row %zu: %u blocks", i, got.blocks);
        cr_assert_eq((uint32_t)got.percent, rows[i].percent, "row %zu: %g %%", i, got.percent);
    }
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

/* Fermi tuning guide: 16 KB for shared memory and 48 for L1, or the other way around. */
Test(occupancy, what_l1_leaves_before_7_0)
{
    static const struct {
        uint32_t capability, available_kib, shared, blocks;
    } rows[] = {{20, 16, 4096, 4}, {20, 48, 4096, 8},  {20, 16, 20480, 2}, {35, 16, 4096, 4},
                {35, 32, 4096, 8}, {35, 48, 4096, 12}, {37, 80, 20480, 4}, {37, 112, 20480, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct arch *arch = arch_find(rows[i].capability);
        struct occupancy got = occupancy_compute(
            arch, &(struct occupancy_input){.threads_per_block = 128,
                                            .registers_per_thread = 16,
                                            .shared_bytes_per_block = rows[i].shared,
                                            .shared_bytes_available = rows[i].available_kib * 1024});
        bool can_be_set = false;
        for (size_t k = 0; k < ARCH_SHARED_CONFIGURATIONS; k++)
            can_be_set |= arch->shared_configurations_kib[k] == rows[i].available_kib;
        cr_assert(can_be_set, "row %zu", i);
        cr_assert_eq(got.blocks, rows[i].blocks, "row %zu: %u blocks", i, got.blocks);
    }
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
    for (int limiter = OCCUPANCY_NONE_FITS; limiter <= OCCUPANCY_SHARED; limiter++)
        cr_assert_str_neq(occupancy_limiter_text((enum occupancy_limiter)limiter), "unknown");
}

/* ---- launches, and what is answered ---- */
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct configuration {
    uint32_t threads, registers, static_shared, dynamic_shared;
    int carveout; /* percent, -1: none asked for */
};

static struct occupancy compute_at(const struct arch *arch, const struct configuration *asked,
                                   uint32_t available)
{
    struct occupancy_input input = {.threads_per_block = asked->threads,
                                    .registers_per_thread = asked->registers,
                                    .shared_bytes_per_block = asked->static_shared + asked->dynamic_shared,
                                    .shared_bytes_available = available};
    return occupancy_compute(arch, &input);
}

/* What the header answers, or what was kept of it. Limits: INT_MAX where there is none; -1 when it refuses
 * the launch. */
struct answer {
    uint32_t available; /* bytes of shared memory that the carve-out sets aside; 0: all */
    int blocks, by_warps, by_blocks, by_registers, by_shared;
};

static int limit(uint32_t blocks)
{
    return blocks == UINT32_MAX ? INT_MAX : (int)blocks;
}

/* The first thing that differs, as a sentence; "" when nothing does. */
static void differ(const struct arch *arch, const struct configuration *asked, const struct answer *theirs,
                   char *text, size_t size_bytes)
{
    struct occupancy ours = compute_at(arch, asked, theirs->available);
    const struct {
        const char *what;
        int ours, theirs;
    } rows[] = {
        {"blocks", (int)ours.blocks, theirs->blocks > 0 ? theirs->blocks : 0},
        {"by warps", limit(ours.blocks_by_warps), theirs->by_warps},
        {"by blocks", limit(ours.blocks_by_blocks), theirs->by_blocks},
        {"by registers", limit(ours.blocks_by_registers), theirs->by_registers},
        {"by shared memory", limit(ours.blocks_by_shared), theirs->by_shared},
    };
    text[0] = '\0';
    for (size_t i = 0; i < COUNT(rows) && !text[0] && (i == 0 || theirs->blocks >= 0); i++) {
        if (rows[i].ours != rows[i].theirs) {
            snprintf(text, size_bytes,
                     "CC %u, %u threads, %u registers, %u + %u bytes, carve-out %d: %s %d, theirs %d",
                     arch->compute_capability, asked->threads, asked->registers, asked->static_shared,
                     asked->dynamic_shared, asked->carveout, rows[i].what, rows[i].ours, rows[i].theirs);
        }
    }
    uint32_t of_limiter[] = {[OCCUPANCY_NONE_FITS] = 0,
                             [OCCUPANCY_BLOCKS] = ours.blocks_by_blocks,
                             [OCCUPANCY_WARPS] = ours.blocks_by_warps,
                             [OCCUPANCY_REGISTERS] = ours.blocks_by_registers,
                             [OCCUPANCY_SHARED] = ours.blocks_by_shared};
    if (!text[0] && of_limiter[ours.limiter] != ours.blocks) {
        snprintf(text, size_bytes, "CC %u, %u threads, %u registers: not limited by %s",
                 arch->compute_capability, asked->threads, asked->registers,
                 occupancy_limiter_text(ours.limiter));
    }
}

/* ---- the header's answers, some of them kept: where there is no toolkit, too ---- */
#define KEPT TEST_SOURCE_DIR "/tests/data/occupancy.csv"

Test(occupancy, equals_what_the_header_said)
{
    FILE *file = fopen(KEPT, "r");
    char line[200], difference[300];
    size_t rows = 0;
    uint32_t last = 0, capabilities = 0;
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        uint32_t capability;
        struct configuration asked;
        struct answer kept;
        if (line[0] < '0' || line[0] > '9')
            continue; /* the heading */
        cr_assert_eq(sscanf(line, "%u,%u,%u,%u,%u,%d,%u,%d,%d,%d,%d,%d", &capability, &asked.threads,
                            &asked.registers, &asked.static_shared, &asked.dynamic_shared, &asked.carveout,
                            &kept.available, &kept.blocks, &kept.by_warps, &kept.by_blocks,
                            &kept.by_registers, &kept.by_shared),
                     12, "%s", line);
        const struct arch *arch = arch_find(capability);
        cr_assert(arch && arch->compute_capability == capability);
        differ(arch, &asked, &kept, difference, sizeof difference);
        cr_assert_str_empty(difference);
        capabilities += capability != last;
        last = capability;
        rows++;
    }
    fclose(file);
    cr_assert_geq(rows, 1000);
    cr_assert_eq(capabilities, 23);
}

#ifdef HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>

#define KEPT_EVERY 1753 /* of the grid; prime, so that it goes through all values of each axis */

static const uint32_t thread_counts[] = {1,   31,  32,  33,  64,  65,  96,  127, 128,  160,  192,
                                         224, 256, 288, 320, 352, 384, 416, 448, 480,  512,  544,
                                         576, 640, 672, 768, 800, 896, 960, 992, 1000, 1023, 1024};
static const uint32_t register_counts[] = {0,  1,  8,  10, 12, 16, 17, 20, 21, 24, 31,  32,  33,  36,  37,
                                           40, 41, 48, 56, 63, 64, 65, 72, 80, 96, 127, 128, 168, 254, 255};
static const uint32_t shared_sizes[] = {
    0,         1,         127,           129,        1024,          3072,       7168,
    8192,      12000,     16385,         24576,      48 * 1024 - 1, 48 * 1024,  48 * 1024 + 1,
    64 * 1024, 99 * 1024, 99 * 1024 + 1, 132 * 1024, 163 * 1024,    227 * 1024, 227 * 1024 + 1};
static const int carveouts[] = {-1, 0, 10, 50, 75, 100};
#define CONFIGURATIONS \
    (COUNT(thread_counts) * COUNT(register_counts) * COUNT(shared_sizes) * COUNT(carveouts))

static struct configuration configuration_at(size_t index)
{
    struct configuration made = {.carveout = carveouts[index % COUNT(carveouts)]};
    index /= COUNT(carveouts);
    uint32_t shared = shared_sizes[index % COUNT(shared_sizes)];
    index /= COUNT(shared_sizes);
    made.registers = register_counts[index % COUNT(register_counts)];
    made.threads = thread_counts[index / COUNT(register_counts)];
    made.static_shared = shared >= 2048 && made.threads % 64 == 0 ? 2048 : 0; /* some of it */
    made.dynamic_shared = shared - made.static_shared;
    return made;
}

static cudaOccDeviceProp device_of(const struct arch *arch)
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
    return device;
}

/* Before 7.0 there is no carve-out in percent, but on 3.x a preference. */
static cudaOccDeviceState state_of(const cudaOccDeviceProp *device, int carveout)
{
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = -1};
    if (device->computeMajor >= 7) {
        state.carveoutConfig = carveout;
    } else if (device->computeMajor == 3 && carveout >= 0) {
        state.cacheConfig = carveout < 50    ? CACHE_PREFER_L1
                            : carveout == 50 ? CACHE_PREFER_EQUAL
                                             : CACHE_PREFER_SHARED;
    }
    return state;
}

static struct answer ask(const struct arch *arch, const struct configuration *asked)
{
    cudaOccDeviceProp device = device_of(arch);
    cudaOccDeviceState state = state_of(&device, asked->carveout);
    cudaOccFuncAttributes function = {0};
    function.maxThreadsPerBlock = INT_MAX;
    function.numRegs = (int)asked->registers;
    function.sharedSizeBytes = asked->static_shared;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    function.maxDynamicSharedSizeBytes = arch->shared_bytes_per_block_optin;
    function.numBlockBarriers = 1;
    cudaOccResult theirs;
    memset(&theirs, 0, sizeof theirs);
    cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &device, &function, &state,
                                                                  (int)asked->threads, asked->dynamic_shared);
    struct answer answer = {.blocks = -1};
    size_t available = 0;
    if (asked->carveout >= 0 && cudaOccSMemPerMultiprocessor(&available, &device, &state) == CUDA_OCC_SUCCESS)
        answer.available = available ? (uint32_t)available : 1; /* ours has no zero: 0 is the most there is */
    if (status == CUDA_OCC_SUCCESS) {
        answer.blocks = theirs.activeBlocksPerMultiprocessor;
        answer.by_warps = theirs.blockLimitWarps;
        answer.by_blocks = theirs.blockLimitBlocks;
        answer.by_registers = theirs.blockLimitRegs;
        answer.by_shared = theirs.blockLimitSharedMem;
    }
    return answer;
}

/* The header knows 3.x as one, with 255 registers a thread; 3.0 has 63 (CUDA C Programming Guide, technical
 * specifications), so fewer are asked for there. */
static struct configuration configuration_for(const struct arch *arch, size_t index)
{
    struct configuration made = configuration_at(index);
    if (made.registers > arch->max_registers_per_thread)
        made.registers %= 64;
    return made;
}

Test(occupancy, equals_cuda_occupancy, .timeout = 280)
{
    char difference[300];
    size_t compared = 0;
    cr_assert_geq(CONFIGURATIONS, 100000u); /* for each capability */
    for (size_t a = 0; arch_at(a); a++) {
        const struct arch *arch = arch_at(a);
        if (arch->compute_capability < 30)
            continue; /* the header refuses them */
        for (size_t i = 0; i < CONFIGURATIONS; i++) {
            struct configuration asked = configuration_for(arch, i);
            struct answer theirs = ask(arch, &asked);
            differ(arch, &asked, &theirs, difference, sizeof difference);
            if (difference[0])
                cr_assert_fail("%s", difference);
        }
        compared++;
    }
    cr_assert_eq(compared, 23);
}

/* The kept answers are the header's: LANESCOPE_WRITE_DATA=1 writes them anew. */
Test(occupancy, the_kept_answers_are_the_headers)
{
    char *text = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&text, &size_bytes);
    fputs("compute_capability,threads,registers,static_shared,dynamic_shared,carveout,available,blocks,by_"
          "warps,"
          "by_blocks,by_registers,by_shared\n",
          out);
    for (size_t a = 0; arch_at(a); a++) {
        const struct arch *arch = arch_at(a);
        for (size_t i = 0; arch->compute_capability >= 30 && i < CONFIGURATIONS; i += KEPT_EVERY) {
            struct configuration asked = configuration_for(arch, i);
            struct answer theirs = ask(arch, &asked);
            fprintf(out, "%u,%u,%u,%u,%u,%d,%u,%d,%d,%d,%d,%d\n", arch->compute_capability, asked.threads,
                    asked.registers, asked.static_shared, asked.dynamic_shared, asked.carveout,
                    theirs.available, theirs.blocks, theirs.by_warps, theirs.by_blocks, theirs.by_registers,
                    theirs.by_shared);
        }
    }
    fclose(out);
    if (getenv("LANESCOPE_WRITE_DATA")) {
        FILE *file = fopen(KEPT, "w");
        cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    }
    char *kept = calloc(1, size_bytes + 2);
    FILE *file = fopen(KEPT, "r");
    cr_assert_not_null(file);
    size_t got = fread(kept, 1, size_bytes + 1, file);
    fclose(file);
    cr_assert_eq(got, size_bytes);
    cr_assert_str_eq(kept, text);
    free(kept);
    free(text);
}
#endif
