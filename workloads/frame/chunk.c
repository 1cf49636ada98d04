/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel computes each word in `rounds` rounds, from that word alone; the reference computes one period
 * of words, BESIDE of them at a time.
 */
#include "workloads/frame/chunk.h"

#include "core/hardware/arch.h"

#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <string.h>

static uint64_t turn_count(const struct workload_case *c)
{
    (void)c;
    return CHUNK_WORDS_PER_THREAD;
}

static uint64_t word_address(const struct workload_case *c, const struct access_point *at)
{
    uint64_t threads = (uint64_t)c->grid[0] * CHUNK_BLOCK;
    uint64_t i = at->block[0] * (uint64_t)CHUNK_BLOCK + access_thread(at) + at->i * threads;

    return i * sizeof(float);
}

static const struct access_site sites[] = {
    SITE_PER_TURN("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, turn_count, word_address),
    SITE_PER_TURN("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, turn_count, word_address),
};

const struct kernel_sites chunk_kernel = {
    .kernel = "chunk", .sites = sites, .site_count = TABLE_COUNT(sites)};

/* The same on GPUs whose multiplications are slow beside their bus: as many as take the time of a copy over
 * PCIe of generation 2, pinned, before 3.0 and on 3.5, else of generation 3; never more than `most`. */
static int64_t rounds_of_copy(const struct device_info *info, int64_t most)
{
    const struct arch *arch = arch_find(info->compute_capability);
    const double link = info->compute_capability < 30 || info->compute_capability == 35 ? 6e9 : 12e9;
    const double lanes =
        arch ? (double)info->multiprocessors * arch->float_lanes * info->core_clock_khz * 1e3 : 0;
    const int64_t rounds = (int64_t)(sizeof(float) / link * lanes / 16) * 16;

    return lanes > 0 && info->compute_capability < 70 && rounds < most ? (rounds > 64 ? rounds : 64) : most;
}

void chunk_sizes_resolve(const struct workload_case *c, int64_t *n, int64_t *rounds, int64_t unit)
{
    int64_t multiprocessors = c->info->multiprocessors ? c->info->multiprocessors : 16;

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 3 << 20
                      : multiprocessors << 16; /* a chunk's copy takes longer than the calls that issue it */
    *n = *n < unit ? unit : *n / unit * unit;
    /* 1024 rounds are 2048 instructions per word: 0.07 ns on an H200 at its peak, as long as 4 bytes take
     * over 16 lanes of PCIe 5.0. Small: what the device model computes in half a second, and long enough for
     * a copy out to begin before the last kernel ends. */
    if (*rounds == WORKLOAD_SIZE_AUTO)
        *rounds = rounds_of_copy(c->info, c->small ? 384 : 1024);
}

/* As many words at the same time as the compiler keeps in registers: with one at a time, every instruction
 * waits for the one before. */
#define BESIDE 32

static void words_compute(float words[BESIDE], uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; round++)
        for (size_t k = 0; k < BESIDE; k++)
            words[k] = words[k] * 0.999f + 0.001f;
}

void chunk_compute(float *out, const float *in, size_t words, uint32_t rounds)
{
    for (size_t i = 0; i < words; i += BESIDE) {
        size_t count = words - i < BESIDE ? words - i : BESIDE;
        float beside[BESIDE] = {0};

        memcpy(beside, in + i, count * sizeof *beside);
        words_compute(beside, rounds);
        memcpy(out + i, beside, count * sizeof *beside);
    }
}

void chunk_input_fill(float *values, size_t words, uint64_t seed)
{
    for (size_t i = 0; i < words; i += CHUNK_PERIOD)
        for (size_t k = 0; k < CHUNK_PERIOD && i + k < words; k++)
            values[i + k] = workbench_word_at(seed, k);
}

void chunk_verify(const float *output, size_t n, uint32_t rounds, uint64_t seed,
                  struct workload_result *result)
{
    float reference[CHUNK_PERIOD];

    chunk_input_fill(reference, CHUNK_PERIOD, seed);
    chunk_compute(reference, reference, CHUNK_PERIOD, rounds);
    result->verified = 1;
    for (size_t i = 0; i < n && result->verified == 1; i += CHUNK_PERIOD)
        verify_words("out", i, output + i, reference, n - i < CHUNK_PERIOD ? n - i : CHUNK_PERIOD, result);
}

enum status chunk_launch(struct device *device, device_pointer out, device_pointer in, size_t first,
                         size_t words, uint32_t rounds, uint32_t blocks, uint64_t stream, struct error *error)
{
    device_pointer chunk_out = out + first * sizeof(float), chunk_in = in + first * sizeof(float);
    uint32_t n = (uint32_t)words;
    struct device_launch launch = {.image = "chunk",
                                   .kernel = chunk_kernel.kernel,
                                   .grid = {blocks, 1, 1},
                                   .block = {CHUNK_BLOCK, 1, 1},
                                   .arguments = (void *[]){&chunk_out, &chunk_in, &n, &rounds},
                                   .stream = stream};

    return device->ops->launch(device, &launch, error);
}
