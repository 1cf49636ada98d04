/* SPDX-License-Identifier: Apache-2.0 */
/* Every check fires on a kernel that does wrong, names what it did, and is silent on the same kernel mended.
 */
#include "tests/shared/made/made_program.h"

#include <criterion/criterion.h>
#include <string.h>

static struct made_machine machine;
static struct grid_result result;
static struct error error;
static struct made_program made;

static void set_up(void)
{
    made_machine_init(&machine, 2, 4, true);
}

static void tear_down(void)
{
    made_machine_fini(&machine);
}

TestSuite(simt_check, .init = set_up, .fini = tear_down);

struct start {
    uint32_t thread, address, shared, value, in;
};

static struct start start(uint64_t shared_bytes)
{
    struct start s;
    made_begin(&made, "kernel");
    s.thread = made_special(&made, SPECIAL_TID_X);
    s.in = made_parameter(&made, 0, 8);
    s.address = made_slot(&made, 8);
    s.shared = made_slot(&made, 4);
    s.value = made_slot(&made, 4);
    made_lanes(&made, made_wide_add, s.address, s.in, s.thread);
    made_lanes(&made, made_mul, s.shared, s.thread, made_constant(&made, 4, 4));
    made.program.static_shared_bytes = shared_bytes;
    return s;
}

static uint32_t less_than(uint32_t a, uint32_t limit)
{
    uint32_t predicate = made_slot(&made, 1);
    made_lanes(&made, made_less, predicate, a, made_constant(&made, 4, limit));
    return predicate;
}

/* Ends the program and runs it over an allocation of 400 bytes, written or not. */
static enum status run(uint32_t blocks, uint32_t threads, bool written)
{
    made_end(&made);
    uint64_t out = made_alloc(&machine, 400);
    if (written)
        memset(made_bytes(&machine, out, 400), 0, 400);
    enum status status = made_run(&machine, &made, blocks, threads, &out, &result, &error);
    memory_free(machine.memory, out, NULL);
    return status;
}

static void expect_silence(uint32_t threads, const char *what)
{
    enum status status = run(2, threads, true);
    cr_assert_eq(status, STATUS_OK, "%s: %s", what, error.text);
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        cr_assert_eq(result.checks.total[kind], 0, "%s: %s", what, check_kind_text((enum check_kind)kind));
    cr_assert_eq(result.checks.report_count, 0);
    grid_result_fini(&result);
}

/* The launch is ended, with these words in its sentence, whether the costly checks are on or not. */
static void expect_stop(uint32_t threads, enum check_kind kind, const char *words)
{
    for (int checked = 1; checked >= 0; checked--) {
        machine.grid.check = checked;
        made.program.instruction_count -= checked == 0; /* run ends it once more */
        cr_assert_eq(run(2, threads, true), STATUS_CHECK, "%s", check_kind_text(kind));
        cr_assert_eq(result.checks.report_count, 1);
        cr_assert_eq(result.checks.reports[0].kind, kind, "%s", error.text);
        cr_assert_not_null(strstr(error.text, words), "%s", error.text);
        cr_assert_not_null(strstr(error.text, "kernel"), "%s", error.text);
        grid_result_fini(&result);
    }
    machine.grid.check = true;
}

/* The launch goes on, and these words are in the sentence of its only report. */
static void expect_report(uint32_t threads, bool written, enum check_kind kind, const char *words)
{
    char text[512];
    cr_assert_eq(run(2, threads, written), STATUS_OK, "%s", error.text);
    cr_assert_eq(result.checks.report_count, 1, "%u reports", result.checks.report_count);
    check_text(&made.program, &result.checks.reports[0], text, sizeof text);
    cr_assert_eq(result.checks.reports[0].kind, kind, "%s", text);
    cr_assert_not_null(strstr(text, words), "%s", text);
    grid_result_fini(&result);
}

Test(simt_check, very_long_names_are_cut)
{
    char name[900];
    struct start s = start(0);
    made_load(&made, PTX_GLOBAL, made_slot(&made, 8), s.in, 8)->offset = 396;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    made.entry.name = name;
    cr_assert_eq(run(2, 1, true), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "in nnn"), "%s", error.text);
    cr_assert_not_null(strstr(error.text, "nnn..., thread"), "%s", error.text);
    cr_assert_not_null(strstr(error.text, "4 bytes of them past the end of the 400"), "%s", error.text);
    grid_result_fini(&result);
}

Test(simt_check, accesses_past_the_end)
{
    /* 100 words: thread 100 is one too many. */
    struct start s = start(0);
    made_store(&made, PTX_GLOBAL, s.address, s.thread, 4);
    expect_silence(100, "all inside");
    s = start(0);
    made_store(&made, PTX_GLOBAL, s.address, s.thread, 4);
    expect_stop(
        101, CHECK_OUT_OF_BOUNDS,
        "thread (100,0,0) of block (0,0,0) writes 4 bytes at global 0x700000190: 0 bytes past the end of the "
        "400 bytes allocated at 0x700000000");
    s = start(0);
    made_load(&made, PTX_GLOBAL, made_slot(&made, 8), s.in, 8)->offset = 396;
    expect_stop(1, CHECK_OUT_OF_BOUNDS, "4 bytes of them past the end of the 400");
    s = start(0);
    made_load(&made, PTX_GLOBAL, made_slot(&made, 8), s.in, 8)->offset = 20;
    expect_stop(1, CHECK_MISALIGNED, "reads 8 bytes at global 0x700000014, which is not a multiple of 8");
    s = start(0);
    made_load(&made, PTX_GLOBAL, s.value, s.in, 4)->offset = -4;
    expect_stop(1, CHECK_OUT_OF_BOUNDS, "4 bytes before the start");
    s = start(0);
    made_load(&made, PTX_GLOBAL, s.value, PROGRAM_NO_SLOT, 4)->offset = 0;
    expect_stop(1, CHECK_OUT_OF_BOUNDS, "reads 4 bytes at global 0x0");

    s = start(64);
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
    expect_silence(16, "all inside shared memory");
    s = start(64);
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4)->offset = 4;
    expect_stop(16, CHECK_OUT_OF_BOUNDS,
                "thread (15,0,0) of block (0,0,0) writes 4 bytes at shared 0x40: 0 bytes past the end of its "
                "64 bytes");
    s = start(64);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4)->offset = 2;
    expect_stop(8, CHECK_MISALIGNED, "shared 0x2, which is not a multiple of 4");

    s = start(0);
    made.program.local_bytes_per_thread = 16;
    made_store(&made, PTX_LOCAL, s.shared, s.thread, 4);
    expect_silence(4, "all inside local memory");
    s = start(0);
    made.program.local_bytes_per_thread = 16;
    made_store(&made, PTX_LOCAL, s.shared, s.thread, 4);
    expect_stop(6, CHECK_OUT_OF_BOUNDS, "thread (4,0,0) of block (0,0,0) writes 4 bytes at local 0x10");
    s = start(0);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_U32, PROGRAM_NO_SLOT, s.address, s.thread)->offset = 400;
    expect_stop(3, CHECK_OUT_OF_BOUNDS, "thread (0,0,0)");
}

Test(simt_check, a_trap_names_who_gave_up)
{
    struct start s = start(0);
    uint32_t all = less_than(s.thread, 70);
    struct program_instruction *trap = made_op(&made, PROGRAM_TRAP);
    trap->guard = all;
    trap->guard_negated = true;
    expect_stop(90, CHECK_TRAP, "thread (70,0,0) of block (0,0,0) executes a trap instruction");
}

Test(simt_check, the_first_block_that_fails_is_named_whoever_ran_it)
{
    /* Blocks from 37 on write outside; 37 takes its time. */
    for (int round = 0; round < 20; round++) {
        start(0);
        uint32_t block = made_special(&made, SPECIAL_CTAID_X), address = made_slot(&made, 8);
        uint32_t far = made_slot(&made, 4), good = less_than(block, 37), slow = made_slot(&made, 1);
        uint32_t turn = made_slot(&made, 4), turns = made_slot(&made, 4);
        made_lanes(&made, made_equal, slow, block, made_constant(&made, 4, 37));
        made_lanes(&made, made_move, turn, made_constant(&made, 4, 0), block);
        made_lanes(&made, made_move, turns, made_constant(&made, 4, 1), block);
        made_lanes(&made, made_move, turns, made_constant(&made, 4, 20000), block)->guard = slow;
        uint32_t top = made_here(&made), more = made_slot(&made, 1);
        made_lanes(&made, made_add, turn, turn, made_constant(&made, 4, 1));
        made_lanes(&made, made_less, more, turn, turns);
        struct program_instruction *back = made_branch(&made, more, false);
        back->target = top;
        back->meet = made_here(&made);
        made_lanes(&made, made_mul, far, block, made_constant(&made, 4, 1000));
        made_lanes(&made, made_wide_add, address, made_parameter(&made, 0, 8), far);
        made_op(&made, PROGRAM_EXIT)->guard = good;
        made_store(&made, PTX_GLOBAL, address, block, 4);
        cr_assert_eq(run(300, 64, true), STATUS_CHECK);
        cr_assert_eq(result.checks.reports[0].block[0], 37, "%s", error.text);
        grid_result_fini(&result);
    }
}

/* Loads at in + 4 * (value & 0): an undefined value reaches an address. */
static void use_in_address(const struct start *s)
{
    uint32_t none = made_slot(&made, 4), address = made_slot(&made, 8), to = made_slot(&made, 4);
    made_lanes(&made, made_and, none, s->value, made_constant(&made, 4, 0));
    made_lanes(&made, made_wide_add, address, s->in, none);
    made_load(&made, PTX_GLOBAL, to, address, 4);
}

/* What is read of memory that nothing has written is reported where it has an effect, not before. */
Test(simt_check, reads_before_writes)
{
    struct start s = start(0);
    made_load(&made, PTX_GLOBAL, s.value, s.address, 4);
    use_in_address(&s);
    expect_silence(64, "global, written by the host");
    s = start(0);
    made_load(&made, PTX_GLOBAL, s.value, s.address, 4);
    use_in_address(&s);
    expect_report(64, false, CHECK_UNINITIALISED,
                  "thread (0,0,0) of block (0,0,0) reads 4 bytes at global 0x700000000, which nothing has "
                  "written before, and uses it in an address (128 times)");
    s = start(0);
    made_store(&made, PTX_GLOBAL, s.address, s.thread, 2);
    made_load(&made, PTX_GLOBAL, s.value, s.address, 4);
    use_in_address(&s);
    cr_assert_eq(run(1, 1, false), STATUS_OK);
    cr_assert_eq(result.checks.total[CHECK_UNINITIALISED], 1, "half of it");
    cr_assert_eq(result.checks.report_count, 1);
    grid_result_fini(&result);
    s = start(0);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_U32, s.value, s.in, s.thread);
    use_in_address(&s);
    /* A sum with what was never written is no better: both blocks'. */
    cr_assert_eq(run(2, 1, false), STATUS_OK);
    cr_assert_eq(result.checks.total[CHECK_UNINITIALISED], 2);
    grid_result_fini(&result);
    s = start(0);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_EXCH, PTX_U32, PROGRAM_NO_SLOT, s.in, s.thread);
    made_load(&made, PTX_GLOBAL, s.value, s.in, 4);
    use_in_address(&s);
    cr_assert_eq(run(1, 1, false), STATUS_OK);
    cr_assert_eq(result.checks.total[CHECK_UNINITIALISED], 0, "an exchange writes");
    grid_result_fini(&result);

    s = start(256);
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    use_in_address(&s);
    expect_silence(64, "shared");
    s = start(256);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    expect_silence(64, "shared, read and dropped");
    s = start(256);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    use_in_address(&s);
    expect_report(64, true, CHECK_UNINITIALISED, "shared 0x0");
    s = start(256);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    made_store(&made, PTX_SHARED, s.shared, s.value, 4);
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    use_in_address(&s);
    expect_report(64, true, CHECK_UNINITIALISED, "shared 0x0, which nothing has written before, and uses");

    s = start(0);
    made.program.local_bytes_per_thread = 8;
    made_store(&made, PTX_LOCAL, PROGRAM_NO_SLOT, s.thread, 4)->offset = 4;
    made_load(&made, PTX_LOCAL, s.value, PROGRAM_NO_SLOT, 4)->offset = 4;
    use_in_address(&s);
    expect_silence(64, "local");
    s = start(0);
    made.program.local_bytes_per_thread = 8;
    made_store(&made, PTX_LOCAL, PROGRAM_NO_SLOT, s.thread, 4)->offset = 4;
    made_load(&made, PTX_LOCAL, s.value, PROGRAM_NO_SLOT, 4);
    use_in_address(&s);
    expect_report(64, true, CHECK_UNINITIALISED, "local 0x0");
    s = start(0);
    made.program.local_bytes_per_thread = 8;
    made_load(&made, PTX_LOCAL, s.value, PROGRAM_NO_SLOT, 4);
    made_store(&made, PTX_LOCAL, PROGRAM_NO_SLOT, s.value, 4)->offset = 4;
    made_load(&made, PTX_LOCAL, s.value, PROGRAM_NO_SLOT, 4)->offset = 4;
    use_in_address(&s);
    expect_report(64, true, CHECK_UNINITIALISED, "local 0x0");
}

/* shared[t] = t; (barrier;) value = shared[t + 32 (wrapping)] */
static void exchange(enum program_op barrier, uint32_t distance)
{
    struct start s = start(256);
    uint32_t other = made_slot(&made, 4);
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
    if (barrier == PROGRAM_BAR_SYNC)
        made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    else if (barrier == PROGRAM_BAR_WARP)
        made_op(&made, PROGRAM_BAR_WARP)->source[0] = made_constant(&made, 4, UINT32_MAX);
    made_lanes(&made, made_add, other, s.shared, made_constant(&made, 4, 4 * distance));
    made_lanes(&made, made_and, other, other, made_constant(&made, 4, 255));
    made_load(&made, PTX_SHARED, s.value, other, 4);
}

Test(simt_check, races_between_barriers)
{
    exchange(PROGRAM_BAR_SYNC, 32);
    expect_silence(64, "a barrier between warps");
    exchange(PROGRAM_LANES, 33);
    cr_assert_eq(run(1, 64, true), STATUS_OK); /* warp 0 also reads what is not written yet */
    cr_assert_gt(result.checks.total[CHECK_RACE], 0);
    grid_result_fini(&result);
    exchange(PROGRAM_BAR_WARP, 32);
    cr_assert_eq(run(1, 64, true), STATUS_OK);
    cr_assert_gt(result.checks.total[CHECK_RACE], 0, "a warp's barrier does not part two warps");
    grid_result_fini(&result);

    exchange(PROGRAM_BAR_WARP, 0);
    expect_silence(64, "one's own word");
    exchange(PROGRAM_LANES, 0);
    expect_silence(64, "one's own word without a barrier");
}

/* Within a warp: shared[t] = t; (bar.warp.sync;) value = shared[t ^ 1] */
Test(simt_check, races_within_a_warp)
{
    for (int mended = 0; mended < 2; mended++) {
        struct start s = start(256);
        uint32_t other = made_slot(&made, 4);
        made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
        if (mended)
            made_op(&made, PROGRAM_BAR_WARP)->source[0] = made_constant(&made, 4, UINT32_MAX);
        made_lanes(&made, made_xor, other, s.shared, made_constant(&made, 4, 4));
        made_load(&made, PTX_SHARED, s.value, other, 4);
        if (mended) {
            expect_silence(64, "a barrier of the warp");
        } else {
            expect_report(
                64, true, CHECK_RACE,
                "thread (0,0,0) of block (0,0,0) reads 4 bytes at shared 0x4, which thread (1,0,0) writes "
                "without a barrier of the warp in between");
        }
    }
}

Test(simt_check, lanes_that_write_one_word)
{
    struct start s = start(64);
    uint32_t same = made_constant(&made, 4, 9);
    made_store(&made, PTX_SHARED, PROGRAM_NO_SLOT, same, 4);
    expect_silence(32, "all the same value");
    s = start(64);
    made_store(&made, PTX_SHARED, PROGRAM_NO_SLOT, s.thread, 4);
    expect_report(32, true, CHECK_RACE, "thread (1,0,0) of block (0,0,0) writes 4 bytes at shared 0x0");
    s = start(64);
    made_store(&made, PTX_SHARED, PROGRAM_NO_SLOT, made_constant(&made, 4, 0), 4);
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_atomic(&made, PTX_SHARED, ATOMIC_ADD, PTX_U32, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT, s.thread);
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_load(&made, PTX_SHARED, s.value, PROGRAM_NO_SLOT, 4);
    expect_silence(32, "atomics beside atomics");
    s = start(64);
    made_store(&made, PTX_SHARED, PROGRAM_NO_SLOT, made_constant(&made, 4, 0), 4);
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_atomic(&made, PTX_SHARED, ATOMIC_ADD, PTX_U32, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT, s.thread);
    made_load(&made, PTX_SHARED, s.value, PROGRAM_NO_SLOT, 4);
    expect_report(32, true, CHECK_RACE, "reads");
}

/* Both warps: shared[2 * lane] = {lane, second}. */
static void store_pairs(bool same)
{
    struct start s = start(256);
    uint32_t lane = made_slot(&made, 4), place = made_slot(&made, 4);
    made_lanes(&made, made_and, lane, s.thread, made_constant(&made, 4, 31));
    made_lanes(&made, made_mul, place, lane, made_constant(&made, 4, 8));
    struct program_instruction *store = made_store(&made, PTX_SHARED, place, lane, 4);
    store->vector = 2;
    store->width_bytes = 8;
    store->source[2] = same ? lane : s.thread;
}

Test(simt_check, warps_that_write_the_same_vectors)
{
    store_pairs(true);
    expect_silence(64, "the same values");
    store_pairs(false);
    expect_report(
        64, true, CHECK_RACE,
        "thread (32,0,0) of block (0,0,0) writes 8 bytes at shared 0x0, which thread (0,0,0) writes");
}

/* A write after others have read: loop of load, barrier, store, with and without the second barrier. */
Test(simt_check, a_write_races_with_readers)
{
    for (int mended = 0; mended < 2; mended++) {
        struct start s = start(256);
        uint32_t first = less_than(s.thread, 1);
        made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
        made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
        made_load(&made, PTX_SHARED, s.value, PROGRAM_NO_SLOT, 4);
        if (mended)
            made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
        made_store(&made, PTX_SHARED, PROGRAM_NO_SLOT, s.thread, 4)->guard = first;
        if (mended) {
            expect_silence(64, "two barriers");
        } else {
            cr_assert_eq(run(1, 64, true), STATUS_OK);
            cr_assert_eq(result.checks.total[CHECK_RACE] > 0, true);
            grid_result_fini(&result);
        }
    }
}

/* if (t < limit) { barrier } else { barrier }: it opens, since threads count, but it is wrong, also for whole
 * warps. */
Test(simt_check, barriers_in_divergent_code)
{
    for (uint32_t limit = 16; limit <= 32; limit += 16) {
        struct start s = start(0);
        uint32_t low = less_than(s.thread, limit);
        struct program_instruction *part = made_branch(&made, low, true), *skip;
        made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
        skip = made_branch(&made, PROGRAM_NO_SLOT, false);
        part->target = made_here(&made);
        made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
        part->meet = skip->target = made_here(&made);
        cr_assert_eq(run(1, 64, true), STATUS_OK, "%s", error.text);
        cr_assert_eq(result.checks.total[CHECK_DIVERGENT_BARRIER], limit == 32 ? 0 : 2);
        cr_assert_geq(result.checks.total[CHECK_SPLIT_BARRIER], 1);
        cr_assert_eq(result.checks.report_count, limit == 32 ? 1 : 3);
        grid_result_fini(&result);
    }
}

/* if (t < limit) syncwarp(0xffff) */
Test(simt_check, lanes_that_their_own_member_mask_leaves_out)
{
    for (uint32_t limit = 16; limit <= 20; limit += 4) {
        struct start s = start(0);
        uint32_t low = less_than(s.thread, limit), members = made_constant(&made, 4, 0xffff);
        struct program_instruction *meet = made_op(&made, PROGRAM_BAR_WARP);
        meet->guard = low;
        meet->source[0] = members;
        if (limit == 16) {
            expect_silence(32, "each names itself");
            continue;
        }
        cr_assert_eq(run(1, 32, true), STATUS_OK, "%s", error.text);
        cr_assert_eq(result.checks.total[CHECK_NOT_A_MEMBER], 1);
        char text[300];
        check_text(&made.program, &result.checks.reports[0], text, sizeof text);
        cr_assert_not_null(strstr(text, "thread (16,0,0) of block (0,0,0) uses the member mask 0x0000ffff, "
                                        "which does not contain it"),
                           "%s", text);
        grid_result_fini(&result);
    }
}

Test(simt_check, what_is_kept_does_not_depend_on_the_order)
{
    struct check_result forward = {0}, backward = {0};
    struct check_report reports[200];
    for (uint32_t i = 0; i < 200; i++) {
        reports[i] = (struct check_report){.kind = i % 3 ? CHECK_RACE : CHECK_UNINITIALISED,
                                           .instruction = i * 7 % 50,
                                           .block = {i * 31 % 11, i % 2, 0},
                                           .count = i + 1};
    }
    for (uint32_t i = 0; i < 200; i++) {
        check_add(&forward, &reports[i]);
        check_add(&backward, &reports[199 - i]);
    }
    cr_assert_eq(forward.report_count, CHECK_REPORTS);
    cr_assert_eq(backward.report_count, CHECK_REPORTS);
    for (uint32_t i = 0; i < CHECK_REPORTS; i++) {
        const struct check_report *a = &forward.reports[i], *b = &backward.reports[i];
        cr_assert_eq(a->instruction, b->instruction);
        cr_assert_eq(a->kind, b->kind);
        cr_assert_eq(a->count, b->count);
        cr_assert_eq(a->block[0], b->block[0]);
        cr_assert_eq(a->block[1], b->block[1]);
        cr_assert(i == 0 || forward.reports[i - 1].instruction <= a->instruction);
    }
    struct check_report stop = {.kind = CHECK_TRAP, .instruction = 99, .count = 1};
    check_add(&forward, &stop);
    cr_assert_eq(forward.reports[0].kind, CHECK_TRAP);
    cr_assert_eq(forward.report_count, CHECK_REPORTS);
}
