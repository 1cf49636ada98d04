/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging random sequences of loads, stores and barriers: only what is counted changes; and what is counted
 * is what an oracle of a few lines says, which goes by words of memory instead of instructions.
 */
#include "simt/program/merge/merge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 24
#define WORDS 12 /* of shared memory that a thread looks at */

struct step {
    bool store, barrier, read; /* read: the loaded value is used */
    uint32_t word;
};

static uint32_t random_below(uint32_t below)
{
    return (uint32_t)rand() % below;
}

static void steps_make(struct step steps[STEPS])
{
    uint32_t stores = random_below(4); /* of 4 steps */
    for (uint32_t i = 0; i < STEPS; i++) {
        steps[i] = (struct step){.store = random_below(4) < stores,
                                 .barrier = random_below(9) == 0,
                                 .read = random_below(8) != 0,
                                 .word = random_below(WORDS)};
    }
}

/* Shifted left by `shift` a thread's number is the base: 4, so that windows are of 16 bytes, or less. */
static void steps_text(const struct step steps[STEPS], uint32_t shift, char *text, size_t size_bytes)
{
    size_t used = (size_t)snprintf(
        text, size_bytes,
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 p0)\n{\n"
        " .reg .b32 %%r<99>; .reg .b64 %%d<4>; .shared .align 16 .b8 sm[4096];\n"
        " ld.param.u64 %%d1, [p0]; mov.u32 %%r2, %%tid.x; mov.u32 %%r4, sm; shl.b32 %%r6, %%r2, %u;"
        " add.u32 %%r5, %%r4, %%r6; mov.u32 %%r98, 0;\n",
        shift);
    for (uint32_t i = 0; i < STEPS; i++) {
        const char *form = steps[i].barrier ? " bar.sync 0;\n"
                           : steps[i].store ? " st.shared.u32 [%%r5+%u], %%r2;\n"
                                            : " ld.shared.u32 %%r%u, [%%r5+%u];\n";
        if (steps[i].barrier || steps[i].store)
            used += (size_t)snprintf(text + used, size_bytes - used, form, 4 * steps[i].word);
        else
            used += (size_t)snprintf(text + used, size_bytes - used, form, 10 + i, 4 * steps[i].word);
        if (!steps[i].barrier && !steps[i].store && steps[i].read) {
            used +=
                (size_t)snprintf(text + used, size_bytes - used, " xor.b32 %%r98, %%r98, %%r%u;\n", 10 + i);
        }
    }
    snprintf(text + used, size_bytes - used, " st.global.u32 [%%d1], %%r98; ret;\n}\n");
}

/* How many loads [0] and stores [1] of 4, 8 and 16 bytes ([0], [1], [2]) the machine has. */
struct tally {
    uint32_t count[2][3];
};

static void tally_add(struct tally *tally, bool store, uint32_t bytes)
{
    tally->count[store][bytes == 4 ? 0 : bytes == 8 ? 1 : 2]++;
}

/* Of a window of `words` words, those in `mask`. */
static void tally_window(struct tally *tally, bool store, uint32_t mask, uint32_t words)
{
    uint32_t wanted = (uint32_t)__builtin_popcount(mask);
    if (words == 4 && (wanted == 4 || (!store && wanted == 3))) {
        tally_add(tally, store, 16);
        return;
    }
    for (uint32_t half = 0; half < words; half += 2) {
        uint32_t both = mask >> half & 3u;
        if (both == 3 && words > 1)
            tally_add(tally, store, 8);
        else if (both)
            tally_add(tally, store, 4);
    }
}

static void tally_loads(struct tally *tally, const struct step steps[STEPS], uint32_t words)
{
    uint32_t mask = 0; /* of the words read since memory last changed */
    for (uint32_t i = 0; i <= STEPS; i++) {
        if (i == STEPS || steps[i].barrier || steps[i].store) {
            for (uint32_t window = 0; window < WORDS; window += words)
                tally_window(tally, false, mask >> window & ((1u << words) - 1), words);
            mask = 0;
        } else if (steps[i].read) {
            mask |= 1u << steps[i].word;
        }
    }
}

static void tally_stores(struct tally *tally, const struct step steps[STEPS], uint32_t words)
{
    uint32_t mask = 0, window = 0;
    for (uint32_t i = 0; i <= STEPS; i++) {
        bool idle = i < STEPS && !steps[i].barrier && !steps[i].store && !steps[i].read; /* not there */
        bool store = i < STEPS && !steps[i].barrier && steps[i].store;
        uint32_t bit = store ? 1u << steps[i].word % words : 0;
        if (!idle && mask && (!store || steps[i].word / words != window || (mask & bit))) {
            tally_window(tally, true, mask, words);
            mask = 0;
        }
        if (store) {
            window = steps[i].word / words;
            mask |= bit;
        }
    }
}

static struct tally tally_of(const struct program *program)
{
    struct tally tally = {0};
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        if ((at->op != PROGRAM_LD && at->op != PROGRAM_ST) || at->space != PTX_SHARED)
            continue;
        if (at->rewrite == REWRITE_NONE)
            tally_add(&tally, at->op == PROGRAM_ST, at->width_bytes);
        for (uint32_t p = 0; at->rewrite == REWRITE_PARTS && p < at->part_count; p++)
            tally_add(&tally, at->op == PROGRAM_ST, at->parts[p].bytes);
    }
    return tally;
}

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    (void)variable;
    (void)address;
    return false;
}

/* All but what simt/program/merge is there to write. */
static void check_unchanged(const struct program *program, const struct program_instruction *before)
{
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        struct program_instruction now = program->instructions[i];
        now.rewrite = before[i].rewrite;
        now.part_count = before[i].part_count;
        memcpy(now.parts, before[i].parts, sizeof now.parts);
        cr_assert_eq(memcmp(&now, &before[i], sizeof now), 0, "instruction %u", i);
    }
}

Test(merge_random, straight_line)
{
    static const struct program_placement placement = {.address = place};
    for (unsigned seed = 0; seed < 600; seed++) {
        struct step steps[STEPS];
        struct tally expected = {0}, found;
        struct ptx_module *module;
        struct program *program;
        struct error error = {0};
        char text[4096];
        srand(seed);
        steps_make(steps);
        uint32_t shift = 2 + seed % 3, words = 1u << (shift - 2);
        steps_text(steps, shift, text, sizeof text);
        cr_assert_eq(ptx_parse(&module, "random", text, strlen(text), &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(program_create(&program, module, &module->functions[0], &placement, &error), STATUS_OK,
                     "%s", error.text);
        size_t bytes = program->instruction_count * sizeof *program->instructions;
        struct program_instruction *before = malloc(bytes);
        cr_assert_not_null(before);
        memcpy(before, program->instructions, bytes);
        cr_assert_eq(program_merge(program, &error), STATUS_OK, "%s", error.text);
        check_unchanged(program, before);
        tally_loads(&expected, steps, words);
        tally_stores(&expected, steps, words);
        found = tally_of(program);
        cr_assert_eq(memcmp(&found, &expected, sizeof found), 0, "seed %u:\n%s", seed, text);
        free(before);
        program_destroy(program);
        ptx_destroy(module);
    }
}
