/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small kernels on the device model, divergence and all, against the oracle that runs them thread by
 * thread: registers and memory at the end, and how many threads came to each instruction.
 */
#include "tests/shared/made/run_model.h"
#include "tests/shared/oracle/random_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 80
#define THREADS (RANDOM_BLOCKS * RANDOM_THREADS)
#define UNTOUCHED 0xa5a5a5a5u

TestSuite(random_programs, .init = model_open, .fini = model_close);

static struct random_program program;
static struct random_run run;
static uint64_t seed;

static void compare_counts(const struct program *lowered, const struct counter *counter)
{
    for (uint32_t i = 0; i < lowered->instruction_count; i++) {
        const struct program_origin *origin = &lowered->origins[lowered->instructions[i].origin];
        uint32_t function = origin->function->entry ? 0 : 1, at = origin->instruction;
        if (function == 0 && at >= program.instructions[0])
            continue; /* the stores at the end */
        cr_assert_eq(counter->instructions[i].thread_instructions, run.active[function][at],
                     "seed %llu, instruction %u of function %u: %llu threads, not %llu\n%s",
                     (unsigned long long)seed, at, function,
                     (unsigned long long)counter->instructions[i].thread_instructions,
                     (unsigned long long)run.active[function][at], program.text);
        cr_assert_eq(counter->instructions[i].thread_instructions_on, run.on[function][at],
                     "seed %llu, instruction %u", (unsigned long long)seed, at);
    }
}

static void compare_words(const uint32_t *words, const uint32_t *sums)
{
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        uint32_t expected[RANDOM_WORDS];
        random_thread_words(&run.threads[thread], expected);
        for (uint32_t i = 0; i < RANDOM_WORDS; i++) {
            uint32_t wanted = run.threads[thread].left ? UNTOUCHED : expected[i];
            cr_assert_eq(words[thread * RANDOM_WORDS + i], wanted,
                         "seed %llu, thread %u, word %u: %#x, not %#x\n%s", (unsigned long long)seed, thread,
                         i, words[thread * RANDOM_WORDS + i], wanted, program.text);
        }
    }
    cr_assert_arr_eq(sums, run.sums, sizeof run.sums, "seed %llu", (unsigned long long)seed);
}

static void check_seed(uint64_t which)
{
    uint8_t *out, *sums;
    seed = which;
    random_program_make(&program, seed);
    random_program_run(&program, &run);
    model_load_text("random.ptx", program.text, program.used);
    uint64_t out_at = model_allocate(4 * RANDOM_WORDS * THREADS, &out),
             sums_at = model_allocate(sizeof run.sums, &sums);
    for (int merge = 0; merge < 2; merge++) {
        for (uint32_t i = 0; i < RANDOM_WORDS * THREADS; i++)
            ((uint32_t *)(void *)out)[i] = UNTOUCHED;
        memset(sums, 0, sizeof run.sums);
        model_launch_counted("kernel", merge, SHAPE(RANDOM_BLOCKS, 1, 1), SHAPE(RANDOM_THREADS, 1, 1), 0,
                             (uint64_t[]){out_at, sums_at}, merge ? NULL : compare_counts);
        compare_words((const uint32_t *)(const void *)out, (const uint32_t *)(const void *)sums);
    }
    cr_assert_eq(memory_free(model_memory, out_at, NULL), STATUS_OK);
    cr_assert_eq(memory_free(model_memory, sums_at, NULL), STATUS_OK);
}

Test(random_programs, agree_with_the_oracle)
{
    const char *only = getenv("RANDOM_PROGRAM_SEED"); /* of a failure, to look at */
    for (uint64_t i = 1; !only && i <= PROGRAMS; i++)
        check_seed(i);
    if (only)
        check_seed(strtoull(only, NULL, 10));
}
