/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting: what one access of each space and width adds, sums in the catalogue's terms, generic accesses and
 * cp.async, addition of workers' counters, and values beside those that core/metric/metric makes of counters.
 */
#include "core/metric/metric_counters.h"
#include "simt/count/count.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ALL_LANES UINT32_MAX

enum {
    LDG,
    STG,
    LDS,
    STS,
    LDL,
    STL,
    RED_GLOBAL,
    RED_SHARED,
    LD_GENERIC,
    ST_GENERIC,
    FILL,
    LDC,
    BRANCH,
    BARRIER,
    ADD,
    FFMA,
    DADD,
    LDG_WIDE,
    INSTRUCTIONS
};

static struct program_instruction instructions[INSTRUCTIONS] = {
    [LDG] = {.op = PROGRAM_LD, .space = PTX_GLOBAL, .class = CLASS_MEMORY},
    [STG] = {.op = PROGRAM_ST, .space = PTX_GLOBAL, .class = CLASS_MEMORY},
    [LDS] = {.op = PROGRAM_LD, .space = PTX_SHARED, .class = CLASS_MEMORY},
    [STS] = {.op = PROGRAM_ST, .space = PTX_SHARED, .class = CLASS_MEMORY},
    [LDL] = {.op = PROGRAM_LD, .space = PTX_LOCAL, .class = CLASS_MEMORY},
    [STL] = {.op = PROGRAM_ST, .space = PTX_LOCAL, .class = CLASS_MEMORY},
    [RED_GLOBAL] = {.op = PROGRAM_ATOM, .space = PTX_GLOBAL, .class = CLASS_MEMORY},
    [RED_SHARED] = {.op = PROGRAM_ATOM, .space = PTX_SHARED, .class = CLASS_MEMORY},
    [LD_GENERIC] = {.op = PROGRAM_LD, .space = PTX_GENERIC, .class = CLASS_MEMORY},
    [ST_GENERIC] = {.op = PROGRAM_ST, .space = PTX_GENERIC, .class = CLASS_MEMORY},
    [FILL] = {.op = PROGRAM_CP_ASYNC, .space = PTX_GENERIC, .class = CLASS_MEMORY},
    [LDC] = {.op = PROGRAM_LD, .space = PTX_CONST, .class = CLASS_MEMORY},
    [BRANCH] = {.op = PROGRAM_BRA, .class = CLASS_CONTROL},
    [BARRIER] = {.op = PROGRAM_BAR_SYNC, .class = CLASS_BARRIER},
    [ADD] = {.op = PROGRAM_LANES, .class = CLASS_INTEGER},
    [FFMA] = {.op = PROGRAM_LANES, .class = CLASS_FLOAT, .operations = 2},
    [DADD] = {.op = PROGRAM_LANES, .class = CLASS_DOUBLE, .operations = 1},
    [LDG_WIDE] = {.op = PROGRAM_LD, .space = PTX_GLOBAL, .class = CLASS_MEMORY, .width_bytes = 16},
};
static const struct ptx_function entry = {.name = "kernel", .entry = true};
static const struct program program = {
    .entry = &entry, .instructions = instructions, .instruction_count = INSTRUCTIONS};

static struct counter counter_make(void)
{
    struct counter counter;
    struct error error;
    cr_assert_eq(counter_init(&counter, &program, arch_find(90), &error), STATUS_OK, "%s", error.text);
    return counter;
}

/* Lane l at start + l x step. */
static struct warp_access lanes_at(uint64_t start, uint64_t step, uint32_t width, uint32_t active)
{
    struct warp_access access = {.active = active, .width_bytes = width};
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        access.address[lane] = start + lane * step;
    return access;
}

static struct count_totals totals_of(struct counter *counter)
{
    struct count_totals totals;
    count_totals(counter, &totals);
    return totals;
}

struct accessed {
    const char *what;
    uint32_t instruction;
    enum ptx_space space;
    uint64_t start, step;
    uint32_t width, active;
    uint64_t requests, transfers, ideal, wanted;
};

Test(count, one_access)
{
    static const struct accessed cases[] = {
        {"coalesced load", LDG, PTX_GLOBAL, 0x1000, 4, 4, ALL_LANES, 1, 4, 4, 128},
        {"load off by a word", LDG, PTX_GLOBAL, 0x1004, 4, 4, ALL_LANES, 1, 5, 4, 128},
        {"strided store", STG, PTX_GLOBAL, 0x1000, 128, 4, ALL_LANES, 1, 32, 4, 128},
        {"half a warp of 16 bytes", LDG, PTX_GLOBAL, 0x1000, 16, 16, 0xffff, 1, 8, 8, 256},
        {"no lane on", LDG, PTX_GLOBAL, 0x1000, 4, 4, 0, 0, 0, 0, 0},
        {"column of a 32 x 32 tile", LDS, PTX_SHARED, 0, 128, 4, ALL_LANES, 1, 32, 1, 128},
        {"broadcast", LDS, PTX_SHARED, 64, 0, 4, ALL_LANES, 1, 1, 1, 128},
        {"16 bytes a lane", STS, PTX_SHARED, 0, 16, 16, ALL_LANES, 1, 4, 4, 512},
        {"local word", LDL, PTX_LOCAL, 0x8000, 4, 4, ALL_LANES, 1, 4, 4, 128},
        {"local byte", STL, PTX_LOCAL, 0x8001, 4, 1, ALL_LANES, 1, 4, 1, 32},
        {"two local words", LDL, PTX_LOCAL, 0x8000, 4, 8, ALL_LANES, 1, 8, 8, 256},
        {"four local words", LDL, PTX_LOCAL, 0x8000, 4, 16, ALL_LANES, 1, 16, 16, 512},
        {"constant, all alike", LDC, PTX_CONST, 32, 0, 4, ALL_LANES, 1, 1, 1, 4},
        {"constant, all apart", LDC, PTX_CONST, 32, 4, 4, ALL_LANES, 1, 32, 1, 128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct accessed *c = &cases[i];
        struct counter counter = counter_make();
        struct warp_access access = lanes_at(c->start, c->step, c->width, c->active);
        access.store = instructions[c->instruction].op == PROGRAM_ST;
        uint64_t sectors[COUNT_SECTORS_MAX];
        uint32_t count = 99;
        count_access(&counter, c->instruction, c->space, &access, sectors, &count);
        const struct count_instruction *row = &counter.instructions[c->instruction];
        cr_assert_eq(row->requests, c->requests, "%s: %lu requests", c->what, row->requests);
        cr_assert_eq(row->transfers, c->transfers, "%s: %lu transfers", c->what, row->transfers);
        cr_assert_eq(row->ideal_transfers, c->ideal, "%s: ideal %lu", c->what, row->ideal_transfers);
        cr_assert_eq(row->bytes_wanted, c->wanted, "%s: %lu bytes", c->what, row->bytes_wanted);
        bool has_sectors = c->space == PTX_GLOBAL || c->space == PTX_LOCAL;
        cr_assert_eq(count, has_sectors ? c->transfers : 0, "%s: %u sectors", c->what, count);
        counter_fini(&counter);
    }
}

/* What is known of a usual access by its layout is what the rules find in its 32 addresses. */
static void layout_is_counted(uint32_t instruction, uint32_t width, bool row, uint64_t start)
{
    struct program_instruction *of = &instructions[instruction];
    const enum count_layout layout = !row ? COUNT_SAME : start % 32 ? COUNT_ROW_BETWEEN : COUNT_ROW;
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(start, row ? width : 0, width, ALL_LANES);
    access.store = of->op == PROGRAM_ST;
    of->width_bytes = (uint8_t)width;
    count_access(&counter, instruction, of->space, &access, NULL, NULL);
    const struct count_instruction cost = count_usual_cost(&counter, instruction, layout);
    cr_assert(memcmp(&cost, &counter.instructions[instruction], sizeof cost) == 0,
              "instruction %u, %u bytes, %s at %llu: %llu transfers, not %llu", instruction, width,
              row ? "a row" : "one place", (unsigned long long)start, (unsigned long long)cost.transfers,
              (unsigned long long)counter.instructions[instruction].transfers);
    of->width_bytes = 0;
    counter_fini(&counter);
}

Test(count, layouts_cost_what_the_rules_find)
{
    for (uint32_t instruction = LDG; instruction <= STS; instruction++)
        for (uint32_t width = 1; width <= 16; width *= 2)
            for (uint64_t start = 0x1000; start < 0x1100; start += width)
                for (int row = 0; row < 2; row++)
                    layout_is_counted(instruction, width, row, start);
    for (uint32_t width = 1; width <= 16; width *= 2)
        layout_is_counted(LDC, width, false, 64);
}

/* So is what is known of lanes that are a step apart: of at least a width, or of a sector. */
Test(count, steps_cost_what_the_rules_find)
{
    struct program_instruction *const of = &instructions[LDG];
    for (uint32_t width = 1; width <= 16; width *= 2)
        for (uint64_t step = width; step < 300; step += width)
            for (uint64_t start = 0x1000; start < 0x1080; start += width) {
                struct counter counter = counter_make();
                const struct warp_access access = lanes_at(start, step, width, ALL_LANES);
                const uint64_t last = (start + 31 * step + width - 1) / 32;
                of->width_bytes = (uint8_t)width;
                count_access(&counter, LDG, PTX_GLOBAL, &access, NULL, NULL);
                const struct count_instruction cost =
                    step < 32 ? count_spread_cost(&counter, LDG, (uint32_t)(last - start / 32) + 1)
                              : count_usual_cost(&counter, LDG, COUNT_APART);
                cr_assert(memcmp(&cost, &counter.instructions[LDG], sizeof cost) == 0,
                          "%u bytes, %u apart, at %u", width, (unsigned)step, (unsigned)start);
                counter_fini(&counter);
            }
    of->width_bytes = 0;
}

/* Lanes of one local instruction that are at words of their own share no sector; those that meet do. */
Test(count, local_words_that_overlap_count_once)
{
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(0x8000, 4, 8, ALL_LANES);
    for (uint32_t lane = 1; lane < WARP_LANES; lane += 2)
        access.address[lane] += 128; /* words 1 and 2, beside words 0 and 1 */
    uint64_t sectors[COUNT_SECTORS_MAX];
    uint32_t count;
    count_access(&counter, LDL, PTX_LOCAL, &access, sectors, &count);
    cr_assert_eq(count, 12, "%u sectors", count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            cr_assert_neq(sectors[i], sectors[j]);
    counter_fini(&counter);
}

Test(count, atomics_count_contention)
{
    static const struct {
        uint64_t step;
        uint32_t active, global, contention;
    } cases[] = {{0, ALL_LANES, 1, 32}, {4, ALL_LANES, 4, 1}, {0, 0xff, 1, 8}, {4, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct counter counter = counter_make();
        struct warp_access access = lanes_at(0x1000, cases[i].step, 4, cases[i].active);
        uint64_t sectors[COUNT_SECTORS_MAX];
        uint32_t count;
        count_atomic(&counter, RED_GLOBAL, PTX_GLOBAL, &access, sectors, &count);
        count_atomic(&counter, RED_SHARED, PTX_SHARED, &access, NULL, NULL);
        struct count_totals totals = totals_of(&counter);
        cr_assert_eq(totals.global_atomics.transfers, cases[i].global, "case %zu: %lu sectors", i,
                     totals.global_atomics.transfers);
        cr_assert_eq(totals.global_atomics.contention, cases[i].contention);
        cr_assert_eq(totals.shared_atomics.contention, cases[i].contention);
        cr_assert_eq(totals.shared_atomics.requests, cases[i].active != 0);
        cr_assert_eq(totals.global[0].requests + totals.global[1].requests + totals.shared[0].requests +
                         totals.shared[1].requests,
                     0, "an atomic is neither a load nor a store");
        counter_fini(&counter);
    }
}

/* An instruction as ptxas left it, and what one access then costs. */
struct rewritten {
    const char *what;
    enum program_rewrite rewrite;
    uint32_t part_count;
    struct program_part parts[PROGRAM_PARTS];
    uint64_t start, step;
    uint32_t instructions, requests, transfers;
};

Test(count, loads_count_as_ptxas_left_them)
{
    static const struct rewritten cases[] = {
        {"as it stands", REWRITE_NONE, 0, {{0, 0}}, 0, 16, 1, 1, 4},
        {"widened to 16 bytes", REWRITE_PARTS, 1, {{0, 16}}, 0, 16, 1, 1, 4},
        {"its window begins before it", REWRITE_PARTS, 1, {{-8, 8}}, 8, 8, 1, 1, 2},
        {"folded into another", REWRITE_FOLDED, 0, {{0, 0}}, 0, 16, 0, 0, 0},
        {"two words of it", REWRITE_PARTS, 2, {{0, 4}, {8, 4}}, 0, 16, 2, 2, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rewritten *c = &cases[i];
        instructions[LDS].rewrite = (uint8_t)c->rewrite;
        instructions[LDS].part_count = (uint8_t)c->part_count;
        memcpy(instructions[LDS].parts, c->parts, sizeof c->parts);
        struct counter counter = counter_make();
        struct warp_access access = lanes_at(c->start, c->step, 4, ALL_LANES);
        count_execution(&counter, LDS, ALL_LANES, ALL_LANES);
        count_access(&counter, LDS, PTX_SHARED, &access, NULL, NULL);
        struct count_totals totals = totals_of(&counter);
        cr_assert_eq(totals.warp_instructions, c->instructions, "%s", c->what);
        cr_assert_eq(totals.shared[0].requests, c->requests, "%s", c->what);
        cr_assert_eq(totals.shared[0].transfers, c->transfers, "%s: %lu wavefronts", c->what,
                     totals.shared[0].transfers);
        counter_fini(&counter);
    }
}

Test(count, parts_have_sectors_of_their_own)
{
    instructions[LDG].rewrite = REWRITE_PARTS;
    instructions[LDG].part_count = 2;
    instructions[LDG].parts[0] = (struct program_part){-4, 4};
    instructions[LDG].parts[1] = (struct program_part){60, 4};
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(0x1020, 0, 4, ALL_LANES);
    uint64_t sectors[COUNT_SECTORS_MAX];
    uint32_t count;
    count_access(&counter, LDG, PTX_GLOBAL, &access, sectors, &count);
    cr_assert_eq(count, 2);
    cr_assert_eq(sectors[0], 0x101c / 32);
    cr_assert_eq(sectors[1], 0x105c / 32);
    counter_fini(&counter);
}

Test(count, a_loop_of_compare_and_swap_serves_the_lanes_that_are_left)
{
    instructions[RED_SHARED].rewrite = REWRITE_LOOP;
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(0, 0, 4, 0xf);
    access.address[3] = 128; /* lanes 0 to 2 on one address; lane 3 on another in the same bank */
    count_atomic(&counter, RED_SHARED, PTX_SHARED, &access, NULL, NULL);
    struct count_totals totals = totals_of(&counter);
    cr_assert_eq(totals.shared[0].requests, 4);
    cr_assert_eq(totals.shared[0].transfers, 2 + 2 + 2 + 1, "%lu", totals.shared[0].transfers);
    cr_assert_eq(totals.shared_atomics.transfers, 4 * 2, "%lu", totals.shared_atomics.transfers);
    counter_fini(&counter);
}

Test(count, atomics_count_as_ptxas_left_them)
{
    static const struct {
        enum program_rewrite rewrite;
        uint64_t step;
        uint32_t active;
        uint64_t global, shared_requests, loads, load_wavefronts, contention;
    } cases[] = {
        {REWRITE_NONE, 0, ALL_LANES, 1, 1, 0, 0, 32},
        {REWRITE_ELECTED, 0, ALL_LANES, 1, 1, 0, 0, 1},
        {REWRITE_ELECTED, 0, 0xf0, 1, 1, 0, 0, 1},
        {REWRITE_COUNTED, 0, ALL_LANES, 1, 1, 0, 0, 32},
        {REWRITE_LOOP, 4, ALL_LANES, 4, 1, 1, 1, 1},                /* all done in one round */
        {REWRITE_LOOP, 128, ALL_LANES, 32, 32, 32, 32 * 33 / 2, 1}, /* in one bank: a round each */
        {REWRITE_LOOP, 0, 0x7, 1, 3, 3, 3, 3},                      /* on one address, too */
        {REWRITE_FOLDED, 0, ALL_LANES, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        instructions[RED_SHARED].rewrite = (uint8_t)cases[i].rewrite;
        instructions[RED_GLOBAL].rewrite =
            cases[i].rewrite == REWRITE_LOOP ? REWRITE_NONE : (uint8_t)cases[i].rewrite;
        struct counter counter = counter_make();
        struct warp_access access = lanes_at(0x1000, cases[i].step, 4, cases[i].active);
        uint64_t sectors[COUNT_SECTORS_MAX];
        uint32_t count;
        count_atomic(&counter, RED_GLOBAL, PTX_GLOBAL, &access, sectors, &count);
        count_atomic(&counter, RED_SHARED, PTX_SHARED, &access, NULL, NULL);
        struct count_totals totals = totals_of(&counter);
        cr_assert_eq(totals.global_atomics.transfers, cases[i].global, "case %zu: %lu sectors", i,
                     totals.global_atomics.transfers);
        cr_assert_eq(totals.shared_atomics.requests, cases[i].shared_requests, "case %zu: %lu requests", i,
                     totals.shared_atomics.requests);
        cr_assert_eq(totals.shared[0].requests, cases[i].loads, "case %zu: %lu loads", i,
                     totals.shared[0].requests);
        cr_assert_eq(totals.shared[0].transfers, cases[i].load_wavefronts, "case %zu", i);
        cr_assert_eq(totals.shared_atomics.contention, cases[i].contention, "case %zu", i);
        counter_fini(&counter);
    }
    instructions[RED_SHARED].rewrite = REWRITE_COUNTED; /* one addition per address */
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(0x1000, 0, 4, ALL_LANES);
    count_atomic(&counter, RED_SHARED, PTX_SHARED, &access, NULL, NULL);
    cr_assert_eq(counter.instructions[RED_SHARED].transfers, 1);
    counter_fini(&counter);
}

Test(count, generic_accesses_count_where_their_addresses_are)
{
    struct counter counter = counter_make();
    struct warp_access access = lanes_at(0x1000, 4, 4, 0xffff);
    count_access(&counter, LD_GENERIC, PTX_GLOBAL, &access, NULL, NULL);
    access.active = 0xff0000;
    count_access(&counter, LD_GENERIC, PTX_SHARED, &access, NULL, NULL);
    access.active = 0xff000000;
    count_access(&counter, LD_GENERIC, PTX_LOCAL, &access, NULL, NULL);
    access.store = true;
    count_access(&counter, ST_GENERIC, PTX_SHARED, &access, NULL, NULL);
    count_access(&counter, STS, PTX_SHARED, &access, NULL, NULL);
    struct count_totals totals = totals_of(&counter);
    cr_assert_eq(totals.global[0].transfers, 2);
    cr_assert_eq(totals.shared[0].transfers, 1);
    cr_assert_eq(totals.local[0].transfers, 1);
    cr_assert_eq(totals.shared[1].transfers, 2);
    /* A GPU's counter of shared instructions leaves generic ones out, its wavefronts do not. */
    cr_assert_eq(count_value(&totals, METRIC_shared_load_instructions).number, 0);
    cr_assert_eq(count_value(&totals, METRIC_shared_load_wavefronts).number, 1);
    cr_assert_eq(count_value(&totals, METRIC_shared_store_instructions).number, 1);
    cr_assert_eq(count_value(&totals, METRIC_shared_store_wavefronts).number, 2);
    counter_fini(&counter);
}

Test(count, cp_async_is_a_global_load_and_no_shared_store)
{
    struct counter counter = counter_make();
    struct warp_access from = lanes_at(0x1004, 4, 4, ALL_LANES), to = lanes_at(0, 8, 4, ALL_LANES);
    to.store = true;
    count_access(&counter, FILL, PTX_GLOBAL, &from, NULL, NULL);
    count_access(&counter, FILL, PTX_SHARED, &to, NULL, NULL);
    struct count_totals totals = totals_of(&counter);
    cr_assert_eq(count_value(&totals, METRIC_global_load_requests).number, 1);
    cr_assert_eq(count_value(&totals, METRIC_global_load_sectors).number, 5);
    cr_assert_eq(count_value(&totals, METRIC_shared_store_instructions).number, 0);
    cr_assert_eq(totals.shared_fills.transfers, 2);
    counter_fini(&counter);
}

Test(count, instructions_by_class_branches_and_threads)
{
    struct counter counter = counter_make();
    count_execution(&counter, ADD, ALL_LANES, ALL_LANES);
    count_execution(&counter, ADD, 0xff, 0xf);
    count_execution(&counter, BRANCH, ALL_LANES, 0xff);
    counter.instructions[BRANCH].divergent++;
    count_execution(&counter, BARRIER, ALL_LANES, ALL_LANES);
    struct count_totals totals = totals_of(&counter);
    cr_assert_eq(totals.warp_instructions, 4);
    cr_assert_eq(totals.thread_instructions, 32 + 8 + 32 + 32);
    cr_assert_eq(totals.thread_instructions_on, 32 + 4 + 8 + 32);
    cr_assert_eq(totals.class_warp_instructions[CLASS_INTEGER], 2);
    cr_assert(totals.branches == 1 && totals.divergent_branches == 1);
    cr_assert_eq(totals.barriers, 1);
    cr_assert_eq(count_value(&totals, METRIC_active_threads_per_warp).number, 26);
    counter_fini(&counter);
}

static uint32_t random_below(uint32_t below)
{
    return (uint32_t)(rand() % (int)below); /* NOLINT: a test's own */
}

/* A random access by a random instruction, in the space it names or any. */
static void count_random(struct counter *counter)
{
    static const struct {
        uint32_t instruction;
        enum ptx_space space;
    } choices[] = {{LDG, PTX_GLOBAL},        {STG, PTX_GLOBAL},        {LDS, PTX_SHARED},
                   {STS, PTX_SHARED},        {LDL, PTX_LOCAL},         {STL, PTX_LOCAL},
                   {LD_GENERIC, PTX_GLOBAL}, {LD_GENERIC, PTX_SHARED}, {ST_GENERIC, PTX_LOCAL},
                   {FILL, PTX_GLOBAL},       {FILL, PTX_SHARED},       {LDC, PTX_CONST}};
    uint32_t choice = random_below(sizeof choices / sizeof choices[0]), width = 1u << random_below(5);
    struct warp_access access = {.active = (uint32_t)rand() & ALL_LANES, .width_bytes = width};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        access.address[lane] = 0x1000 + (uint64_t)width * random_below(100);
    access.store = instructions[choices[choice].instruction].op == PROGRAM_ST;
    count_execution(counter, choices[choice].instruction, ALL_LANES, access.active);
    count_access(counter, choices[choice].instruction, choices[choice].space, &access, NULL, NULL);
}

/* Counting in two counters and adding them is counting in one. */
Test(count, counters_add_up)
{
    struct counter all = counter_make(), parts[2] = {counter_make(), counter_make()};
    for (unsigned i = 0; i < 2000; i++) {
        srand(i);
        count_random(&all);
        srand(i);
        count_random(&parts[i % 2]);
    }
    all.warps = 5;
    parts[0].warps = 2;
    parts[1].warps = 3;
    counter_add(&parts[0], &parts[1]);
    cr_assert_eq(parts[0].warps, all.warps);
    struct count_totals one = totals_of(&all), two = totals_of(&parts[0]);
    cr_assert_eq(memcmp(&one, &two, sizeof one), 0);
    cr_assert_gt(one.local[0].transfers, 0);
    cr_assert_gt(one.shared_fills.transfers, 0);
    cr_assert_eq(memcmp(all.instructions, parts[0].instructions, sizeof *all.instructions * INSTRUCTIONS), 0);
    counter_fini(&all);
    counter_fini(&parts[0]);
    counter_fini(&parts[1]);
}

/* Counters of a kernel whose lanes all take part and want words of their own: then core/metric/metric finds
 * the ideals of them exactly. */
Test(count, values_are_those_of_the_counters)
{
    struct counter counter = counter_make();
    for (uint32_t i = 0; i < 500; i++) {
        uint64_t start = 0x1000 + 4 * random_below(64);
        struct warp_access access = lanes_at(start, 4 * (1 + random_below(8)), 4, ALL_LANES);
        uint32_t instruction = i % 2 ? random_below(2) : LDS + random_below(2);
        access.store = instructions[instruction].op == PROGRAM_ST;
        count_execution(&counter, instruction, ALL_LANES, ALL_LANES);
        count_access(&counter, instruction, i % 2 ? PTX_GLOBAL : PTX_SHARED, &access, NULL, NULL);
    }
    struct warp_access word = lanes_at(0x8000, 4, 4, ALL_LANES), bytes = lanes_at(0x8000, 4, 8, 0xff);
    bytes.store = true;
    count_execution(&counter, LDL, ALL_LANES, ALL_LANES);
    count_access(&counter, LDL, PTX_LOCAL, &word, NULL, NULL);
    count_execution(&counter, STL, ALL_LANES, 0xff);
    count_access(&counter, STL, PTX_LOCAL, &bytes, NULL, NULL);
    count_execution(&counter, FFMA, ALL_LANES, ALL_LANES);
    count_execution(&counter, DADD, ALL_LANES, ALL_LANES);
    struct count_totals totals = totals_of(&counter);
    const struct counter_sample samples[] = {
        {COUNTER_GLOBAL_REQUESTS(ld), (double)totals.global[0].requests},
        {COUNTER_GLOBAL_REQUESTS(st), (double)totals.global[1].requests},
        {COUNTER_GLOBAL_SECTORS(ld), (double)totals.global[0].transfers},
        {COUNTER_GLOBAL_SECTORS(st), (double)totals.global[1].transfers},
        {COUNTER_GLOBAL_BYTES(ld), (double)totals.global[0].bytes_wanted},
        {COUNTER_GLOBAL_BYTES(st), (double)totals.global[1].bytes_wanted},
        {COUNTER_SHARED_INSTRUCTIONS(ld), (double)totals.shared[0].requests},
        {COUNTER_SHARED_INSTRUCTIONS(st), (double)totals.shared[1].requests},
        {COUNTER_SHARED_WAVEFRONTS(ld), (double)totals.shared[0].transfers},
        {COUNTER_SHARED_WAVEFRONTS(st), (double)totals.shared[1].transfers},
        {COUNTER_GENERIC(ld), 0},
        {COUNTER_GENERIC(st), 0},
        {COUNTER_WIDTH(8), 0},
        {COUNTER_WIDTH(16), 0},
        {COUNTER_WIDTH(64), 0},
        {COUNTER_WIDTH(128), 0},
        {COUNTER_LOCAL_SECTORS(ld), 4},
        {COUNTER_LOCAL_SECTORS(st), 2},
        {COUNTER_ACTIVE_THREADS, 32},
        {COUNTER_WORKING_THREADS, 32 - 24.0 / 504}, /* one instruction with eight lanes on */
        {COUNTER_OPERATION(fadd), 0},
        {COUNTER_OPERATION(fmul), 0},
        {COUNTER_OPERATION(ffma), 32},
        {COUNTER_OPERATION(dadd), 32},
        {COUNTER_OPERATION(dmul), 0},
        {COUNTER_OPERATION(dfma), 0},
        {COUNTER_OPERATION(hadd), 0},
        {COUNTER_OPERATION(hmul), 0},
        {COUNTER_OPERATION(hfma), 0},
        {COUNTER_BRANCHES, (double)totals.branches},
        {COUNTER_DIVERGENT_BRANCHES, (double)totals.divergent_branches},
        {COUNTER_INSTRUCTIONS, (double)totals.warp_instructions},
        {COUNTER_ATOMIC_PASSES(sum), 0},
        {COUNTER_TENSOR_OPERATIONS(fp64), 0},
        {COUNTER_TENSOR_OPERATIONS(tf32_dst_fp32), 0},
        {COUNTER_TENSOR_OPERATIONS(bf16_dst_fp32), 0},
        {COUNTER_TENSOR_OPERATIONS(fp16), 0},
        {COUNTER_TENSOR_OPERATIONS(fp8), 0},
        {COUNTER_TENSOR_OPERATIONS(int8), 0},
        {COUNTER_TENSOR_OPERATIONS(int1), 0},
        {COUNTER_MATRIX_INSTRUCTIONS(ldsm), 0},
        {COUNTER_MATRIX_INSTRUCTIONS(shared_stsm), 0},
        {COUNTER_SHARED_WAVEFRONTS(ldsm), 0},
        {COUNTER_SHARED_WAVEFRONTS(stsm), 0},
        {COUNTER_MATRIX_CONFLICTS(ldsm), 0},
        {COUNTER_MATRIX_CONFLICTS(stsm), 0},
        {COUNTER_CLUSTER(requests, ld), 0},
        {COUNTER_CLUSTER(requests, st), 0},
        {COUNTER_CLUSTER(requests, atom), 0},
        {COUNTER_CLUSTER(requests, redas), 0},
        {COUNTER_CLUSTER(sectors, ld), 0},
        {COUNTER_CLUSTER(sectors, st), 0},
        {COUNTER_CLUSTER(sectors, atom), 0},
        {COUNTER_CLUSTER(sectors, redas), 0},
        {COUNTER_BULK_READ, 0},
        {COUNTER_SHARED_ATOMICS, 0},
        {COUNTER_EXCHANGES, 0},
        {COUNTER_BULK_WRITTEN(st), 0},
        {COUNTER_BULK_WRITTEN(red), 0},
        {COUNTER_TENSOR, 0}};
    unsigned compared = 0;
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        const char *id = metric_info((enum metric)metric)->id;
        struct value counted = count_value(&totals, (enum metric)metric);
        cr_assert(counted.available || counted.why, "%s", id);
        if (!counted.available)
            continue;
        struct value measured =
            metric_evaluate((enum metric)metric, samples, sizeof samples / sizeof samples[0],
                            &(struct metric_facts){.arch = arch_find(90)});
        cr_assert(measured.available, "%s: %s", id, measured.why);
        cr_assert_eq(counted.provenance, PROVENANCE_MODELLED);
        cr_assert_eq(counted.derived, measured.derived, "%s", id);
        cr_assert_neq(value_compare(&measured, &counted), VALUE_DIFFERENT, "%s: %g, counters say %g", id,
                      counted.number, measured.number);
        compared++;
    }
    counter_fini(&counter);
    cr_assert_eq(compared, 47, "%u values", compared);
}

Test(count, operations_and_widths)
{
    struct counter counter = counter_make();
    count_execution(&counter, FFMA, ALL_LANES, 0xff);
    count_execution(&counter, LDG_WIDE, ALL_LANES, 0xff);
    struct count_totals totals = totals_of(&counter);
    cr_assert_eq(count_value(&totals, METRIC_float_operations).number, 2 * 8);
    cr_assert_eq(count_value(&totals, METRIC_wide_memory_instructions).number, 1);
    instructions[LDG_WIDE].rewrite = REWRITE_FOLDED;
    totals = totals_of(&counter);
    instructions[LDG_WIDE].rewrite = REWRITE_NONE;
    cr_assert_eq(count_value(&totals, METRIC_wide_memory_instructions).number, 0);
    counter_fini(&counter);
}

Test(count, what_counts_do_not_say_is_not_there)
{
    struct count_totals none = {0};
    cr_assert_not(count_value(&none, METRIC_global_load_sectors_per_request).available);
    cr_assert_not(count_value(&none, METRIC_dram_read_bytes).available);
    cr_assert_not(count_value(&none, METRIC_time_ns).available);
    cr_assert(count_value(&none, METRIC_global_load_sectors).available);
}
