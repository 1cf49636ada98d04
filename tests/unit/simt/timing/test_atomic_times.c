/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's time of atomics on few words beside an H200's: tests/data/atomic_times_h200.csv is what the
 * "random" kernels of tests/gpu/programs/atomic_times.cu took there (made by tests/gpu/atomics.sh): 8,448
 * warps whose lanes each add to any of so many words, 16 times. The model's figure for floats is that of one
 * word among them; none of the others went into its figures.
 */
#include "simt/timing/timing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define WARPS 8448
#define ROUNDS 16
#define SAMPLE 64 /* one in so many warps is played */

static struct ptx_instruction texts[2] = {{.opcode = "red"}, {.opcode = "ret"}};
static const struct ptx_function entry = {
    .name = "random", .entry = true, .instructions = texts, .instruction_count = 2};
static struct program_origin origins[2] = {{&entry, 0}, {&entry, 1}};

static uint32_t mixed(uint32_t x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    return x ^ x >> 13;
}

static void play(struct counter *counter, uint32_t words)
{
    for (uint32_t warp = 0; warp < WARPS / SAMPLE; warp++) {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            struct warp_access access = {.active = UINT32_MAX, .width_bytes = 4};
            uint64_t sectors[COUNT_SECTORS_MAX];
            uint32_t count;
            for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
                uint32_t word = mixed((round * 65536 + warp) * 32 + lane) >> 3 & (words - 1);
                access.address[lane] = UINT64_C(0x7f0000000000) + 4 * word;
            }
            count_atomic(counter, 0, PTX_GLOBAL, &access, sectors, &count);
        }
    }
    for (uint32_t i = 0; i < COUNT_PLACES; i++)
        counter->atomic_passes[i] *= SAMPLE;
    for (uint32_t i = 0; i < COUNT_FLOAT_SECTORS; i++)
        counter->float_passes[i] *= SAMPLE;
    counter->warps = WARPS;
}

static double model_ns(enum ptx_type type, uint32_t words)
{
    struct program_instruction instructions[2] = {
        {.op = PROGRAM_ATOM, .sub = ATOMIC_ADD, .space = PTX_GLOBAL, .type = (uint8_t)type},
        {.op = PROGRAM_RET}};
    const struct program program = {.entry = &entry,
                                    .instructions = instructions,
                                    .instruction_count = 2,
                                    .origins = origins,
                                    .origin_count = 2};
    struct counter counter;
    struct count_totals totals;
    struct timing timing;

    cr_assert_eq(counter_init(&counter, &program, arch_find(90), NULL), STATUS_OK);
    play(&counter, words);
    count_totals(&counter, &totals);
    const struct timing_input input = {.gpu = gpu_find("h200"),
                                       .counter = &counter,
                                       .totals = &totals,
                                       .blocks = WARPS / 8,
                                       .threads_per_block = 256,
                                       .resident_blocks = 8};
    cr_assert_eq(timing_estimate(&input, &timing, NULL), STATUS_OK);
    counter_fini(&counter);
    return timing.roof_ns[TIMING_ATOMICS];
}

Test(atomic_times, are_those_of_an_h200)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/atomic_times_h200.csv", "r");
    char operation[16], head[64];
    uint32_t words, rows = 0;
    double ns;

    cr_assert(file && fgets(head, sizeof head, file));
    while (fscanf(file, "%15[^,],%u,%lf ", operation, &words, &ns) == 3) {
        double ratio = model_ns(operation[4] == 'f' ? PTX_F32 : PTX_U32, words) / ns;

        cr_assert(ratio > 0.85 && ratio < 1.18, "%s, %u words: %.2f of its time", operation, words, ratio);
        rows++;
    }
    fclose(file);
    cr_assert_eq(rows, 24);
}
