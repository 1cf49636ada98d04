/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that lanes do together where lanes name different members: the kernel of
 * tests/data/kernels/members.cu over random labels, which compares each result itself, and random kernels
 * against the oracle that runs them lane by lane.
 */
#include "tests/shared/made/member_program.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 300
#define LABELLED_WARPS 64
#define RESULTS 9

TestSuite(member_groups, .init = model_open, .fini = model_close);

Test(member_groups, every_lane_of_labels_at_random_is_right)
{
    static const struct {
        const char *name;
        uint32_t threads;
    } kernels[] = {{"members", 32},
                   {"members_apart", 32},
                   {"members_in_turn", 32},
                   {"members_in_pairs", 32},
                   {"members_that_end", 32}};
    struct values values = {1};
    uint8_t *labels, *bytes;
    uint64_t labels_at = model_allocate(4 * 32 * LABELLED_WARPS, &labels),
             wrong_at = model_allocate(4 * RESULTS, &bytes);
    const uint32_t *wrong = (const uint32_t *)(const void *)bytes;
    model_load("tests/data/ptx/members");
    for (uint32_t i = 0; i < 32 * LABELLED_WARPS; i++)
        ((uint32_t *)(void *)labels)[i] = (uint32_t)(values_next(&values) >> 20) % (2 + i / 32 % 7);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        memset(bytes, 0, 4 * RESULTS);
        model_launch(kernels[k].name, SHAPE(LABELLED_WARPS, 1, 1), SHAPE(kernels[k].threads, 1, 1), 0,
                     (uint64_t[]){labels_at, wrong_at}, NULL);
        for (uint32_t i = 0; i < RESULTS; i++)
            cr_expect_eq(wrong[i], 0, "%s, result %u: %u of %u lanes wrong", kernels[k].name, i, wrong[i],
                         kernels[k].threads * LABELLED_WARPS);
    }
}

static struct member_program program;
static struct member_run run;

static void check_seed(uint64_t seed)
{
    uint8_t *in, *out;
    member_program_make(&program, seed);
    uint64_t groups = run.groups, apart = run.apart;
    member_program_run(&program, &run);
    model_load_text("members.ptx", program.text, program.used);
    uint64_t in_at = model_allocate(sizeof program.lanes, &in), out_at = model_allocate(sizeof run.r, &out);
    memcpy(in, program.lanes, sizeof program.lanes);
    memset(out, 0, sizeof run.r);
    model_launch("kernel", SHAPE(MEMBER_BLOCKS, 1, 1), SHAPE(MEMBER_BLOCK_THREADS, 1, 1), 0,
                 (uint64_t[]){in_at, out_at}, NULL);
    const uint32_t(*words)[MEMBER_REGISTERS] = (const uint32_t(*)[MEMBER_REGISTERS])(void *)out;
    for (uint32_t thread = 0; thread < MEMBER_THREADS; thread++)
        for (uint32_t i = 0; i < MEMBER_REGISTERS; i++)
            cr_assert_eq(words[thread][i], run.r[thread][i],
                         "seed %llu, thread %u, register %u: %#x, not %#x\n%s", (unsigned long long)seed,
                         thread, i, words[thread][i], run.r[thread][i], program.text);
    cr_assert_eq(memory_free(model_memory, in_at, NULL), STATUS_OK);
    cr_assert_eq(memory_free(model_memory, out_at, NULL), STATUS_OK);
    run.groups += groups;
    run.apart += apart;
}

Test(member_groups, agree_with_the_oracle)
{
    const char *only = getenv("MEMBER_PROGRAM_SEED"); /* of a failure, to look at */
    for (uint64_t seed = 1; !only && seed <= PROGRAMS; seed++)
        check_seed(seed);
    if (only)
        check_seed(strtoull(only, NULL, 10));
    else
        cr_assert(run.groups > 50000 && run.apart > 5000, "%llu groups, %llu apart: too few to test anything",
                  (unsigned long long)run.groups, (unsigned long long)run.apart);
}
