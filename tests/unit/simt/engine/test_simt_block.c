/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks on hand-made programs: shared memory, barriers of all kinds, what happens when threads do not come,
 * local memory, asynchronous copies, widths of loads and stores, generic addresses.
 */
#include "simt/engine/worker.h"
#include "tests/shared/made/made_program.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <string.h>

static struct made_machine machine;
static struct grid_result result;
static uint32_t words[4096];

static void set_up(void)
{
    made_machine_init(&machine, 1, 4, false);
    memset(words, 0, sizeof words);
}

static void tear_down(void)
{
    grid_result_fini(&result);
    made_machine_fini(&machine);
}

TestSuite(simt_block, .init = set_up, .fini = tear_down);

struct start {
    uint32_t thread, address, shared, value;
};

/* The thread's number, the address of its word, of its word in shared memory (4 * thread), a value of 0. */
static struct start start(struct made_program *made)
{
    struct start s;
    made_begin(made, "kernel");
    s.thread = made_special(made, SPECIAL_TID_X);
    uint32_t out = made_parameter(made, 0, 8);
    s.address = made_slot(made, 8);
    s.shared = made_slot(made, 4);
    s.value = made_slot(made, 4);
    made_lanes(made, made_wide_add, s.address, out, s.thread);
    made_lanes(made, made_mul, s.shared, s.thread, made_constant(made, 4, 4));
    made_lanes(made, made_move, s.value, made_constant(made, 4, 0), s.thread);
    return s;
}

static void end(struct made_program *made, const struct start *s)
{
    made_store(made, PTX_GLOBAL, s->address, s->value, 4);
    made_end(made);
}

static uint32_t less_than(struct made_program *made, uint32_t a, uint32_t limit)
{
    uint32_t predicate = made_slot(made, 1);
    made_lanes(made, made_less, predicate, a, made_constant(made, 4, limit));
    return predicate;
}

static const char *failing_run(const struct made_program *made, uint32_t threads)
{
    static struct error error;
    uint64_t out = made_alloc(&machine, sizeof words);
    cr_assert_eq(made_run(&machine, made, 1, threads, &out, &result, &error), STATUS_CHECK);
    return error.text;
}

/* shared[t] = t; barrier; value = shared[threads - 1 - t] */
Test(simt_block, a_barrier_parts_writing_from_reading)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t other = made_slot(&made, 4);
    made.program.static_shared_bytes = 4000;
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_lanes(&made, made_sub, other, made_constant(&made, 4, 4 * 999), s.shared);
    made_load(&made, PTX_SHARED, s.value, other, 4);
    end(&made, &s);
    made_run_words(&machine, &made, 1, 1000, words, 1000, &result);
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(words[i], 999 - i);
    cr_assert_eq(result.counter.barriers, 1);
    cr_assert_eq(result.counter.warps, 32);
}

Test(simt_block, shared_memory_begins_with_what_shows)
{
    struct made_program made;
    struct start s = start(&made);
    made.program.static_shared_bytes = 128;
    made_load(&made, PTX_SHARED, s.value, s.shared, 4);
    made_store(&made, PTX_SHARED, s.shared, s.thread, 4);
    end(&made, &s);
    made_run_words(&machine, &made, 3, 32, words, 32, &result); /* the same in each block */
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(words[i], 0x01010101u * BLOCK_FILL);
}

/* Warp 0 arrives at barrier 1 with what it made, warp 1 waits there for it; 64 threads. */
Test(simt_block, a_consumer_waits_for_a_producer_that_does_not)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t producer = less_than(&made, s.thread, 32), other = made_slot(&made, 4);
    made.program.static_shared_bytes = 256;
    struct program_instruction *part = made_branch(&made, producer, false), *skip;
    made_barrier(&made, PROGRAM_BAR_SYNC, 1, 64);
    made_lanes(&made, made_sub, other, s.shared, made_constant(&made, 4, 128));
    made_load(&made, PTX_SHARED, s.value, other, 4);
    skip = made_branch(&made, PROGRAM_NO_SLOT, false);
    part->target = made_here(&made);
    made_lanes(&made, made_add, s.value, s.thread, made_constant(&made, 4, 500));
    made_store(&made, PTX_SHARED, s.shared, s.value, 4);
    made_barrier(&made, PROGRAM_BAR_ARRIVE, 1, 64);
    part->meet = skip->target = made_here(&made);
    end(&made, &s);
    made_run_words(&machine, &made, 1, 64, words, 64, &result);
    for (uint32_t i = 0; i < 64; i++)
        cr_assert_eq(words[i], i % 32 + 500);
}

/* Even threads meet at barrier 0, odd ones at barrier 1, 32 at each: they read what the other warp's wrote,
 * and count those below 9. arrives: the first warp only arrives, and the second reads. */
/* An H100 ends such a kernel with an illegal instruction (tests/gpu/programs/members.cu). */
Test(simt_block, lanes_of_a_warp_that_name_different_barriers_are_refused)
{
    static const enum program_op ops[] = {PROGRAM_BAR_SYNC, PROGRAM_BAR_ARRIVE};
    for (int by_count = 0; by_count < 2; by_count++) {
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            struct made_program made;
            char text[400];
            struct start s = start(&made);
            uint32_t odd = made_slot(&made, 4);
            made_lanes(&made, made_and, odd, s.thread, made_constant(&made, 4, 1));
            if (by_count) {
                made_lanes(&made, made_mul, odd, odd, made_constant(&made, 4, 32));
                made_lanes(&made, made_add, odd, odd, made_constant(&made, 4, 32));
            }
            made_barrier(&made, ops[i], 1, 32)->source[by_count] = odd;
            end(&made, &s);
            failing_run(&made, 64);
            const struct check_report *report = &result.checks.reports[0];
            cr_assert_eq(report->kind, CHECK_ILLEGAL_BARRIER);
            check_text(&made.program, report, text, sizeof text);
            cr_assert_not_null(strstr(text, "and thread (1,0,0) of its warp uses another one"), "%s", text);
            grid_result_fini(&result);
        }
    }
}

/* A block of 40 threads at a barrier for 64: its second warp counts whole. */
Test(simt_block, a_warp_that_is_not_full_counts_as_32)
{
    struct made_program made;
    struct start s = start(&made);
    made_barrier(&made, PROGRAM_BAR_SYNC, 1, 64);
    made_lanes(&made, made_move, s.value, s.thread, s.thread);
    end(&made, &s);
    made_run_words(&machine, &made, 1, 40, words, 40, &result);
    cr_assert_eq(words[39], 39);
    cr_assert_eq(result.counter.barriers, 1);
}

Test(simt_block, a_reduction_at_a_barrier_counts_all_threads)
{
    static const struct {
        enum program_vote how;
        uint32_t limit, want;
    } cases[] = {{VOTE_POPC, 70, 70}, {VOTE_POPC, 0, 0}, {VOTE_ALL, 100, 1},
                 {VOTE_ALL, 99, 0},   {VOTE_ANY, 1, 1},  {VOTE_ANY, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made_program made;
        struct start s = start(&made);
        uint32_t some = less_than(&made, s.thread, cases[i].limit), answer = made_slot(&made, 1);
        struct program_instruction *red = made_barrier(&made, PROGRAM_BAR_RED, 0, 0);
        red->sub = (uint8_t)cases[i].how;
        red->source[2] = some;
        red->destination[0] = cases[i].how == VOTE_POPC ? s.value : answer;
        if (cases[i].how != VOTE_POPC)
            made_lanes(&made, made_move, s.value, made_constant(&made, 4, 1), s.thread)->guard = answer;
        end(&made, &s);
        made_run_words(&machine, &made, 1, 100, words, 100, &result);
        for (uint32_t t = 0; t < 100; t++) {
            cr_assert_eq(words[t], cases[i].want, "case %zu thread %u: %u", i, t, words[t]);
            words[t] = 0;
        }
        grid_result_fini(&result);
    }
}

Test(simt_block, threads_that_have_ended_are_not_waited_for)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t some = less_than(&made, s.thread, 40);
    made_op(&made, PROGRAM_EXIT)->guard = some;
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_lanes(&made, made_move, s.value, made_constant(&made, 4, 1), s.thread);
    end(&made, &s);
    made_run_words(&machine, &made, 1, 128, words, 128, &result);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(words[i], i >= 40);
}

Test(simt_block, a_barrier_that_some_do_not_come_to_is_reported)
{
    /* if (t < 40) barrier 2 for 128 threads */
    struct made_program made;
    struct start s = start(&made);
    uint32_t some = less_than(&made, s.thread, 40);
    struct program_instruction *part = made_branch(&made, some, true);
    made_barrier(&made, PROGRAM_BAR_SYNC, 2, 128);
    part->target = part->meet = made_here(&made);
    made_barrier(&made, PROGRAM_BAR_SYNC, 3, 0);
    end(&made, &s);
    const char *text = failing_run(&made, 128);
    const struct check_report *report = &result.checks.reports[0];
    cr_assert_eq(report->kind, CHECK_DEADLOCK);
    cr_assert_eq(report->waiting_threads, 40);
    cr_assert_eq(report->barrier, 2);
    cr_assert_not_null(strstr(text, "at barrier 2 for 128 threads in total; thread (40,0,0) does not arrive"),
                       "%s", text);
}

Test(simt_block, a_barrier_that_is_not_there_is_refused)
{
    static const uint32_t numbers[] = {16, 0, 0}, threads[] = {0, 33, 2048};
    for (int i = 0; i < 3; i++) {
        struct made_program made;
        struct start s = start(&made);
        made_barrier(&made, PROGRAM_BAR_SYNC, numbers[i], threads[i]);
        end(&made, &s);
        failing_run(&made, 64);
        cr_assert_eq(result.checks.reports[0].kind, CHECK_ILLEGAL_BARRIER);
        grid_result_fini(&result);
    }
}

/* Warp 0 looks at a flag in shared memory until warp 3 has set it. */
Test(simt_block, a_warp_that_polls_lets_the_others_run)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t first = less_than(&made, s.thread, 32), most = less_than(&made, s.thread, 96);
    uint32_t flag = made_slot(&made, 4), unset = made_slot(&made, 1), place = made_constant(&made, 4, 0);
    made.program.static_shared_bytes = 4;
    made_op(&made, PROGRAM_NANOSLEEP);
    struct program_instruction *not_first = made_branch(&made, first, true), *done;
    uint32_t top = made_here(&made);
    made_load(&made, PTX_SHARED, flag, place, 4)->strong = true;
    made_lanes(&made, made_equal, unset, flag, made_constant(&made, 4, 77));
    struct program_instruction *back = made_branch(&made, unset, true);
    back->target = top;
    back->meet = made_here(&made);
    made_lanes(&made, made_move, s.value, flag, flag);
    done = made_branch(&made, PROGRAM_NO_SLOT, false);
    not_first->target = made_here(&made);
    made_store(&made, PTX_SHARED, place, made_constant(&made, 4, 77), 4)->guard = most;
    made.instructions[made_here(&made) - 1].guard_negated = true;
    not_first->meet = done->target = made_here(&made);
    end(&made, &s);
    made_run_words(&machine, &made, 1, 128, words, 128, &result);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(words[i], i < 32 ? 77 : 0);
    /* Two turns of the loop, after which it only waits, and the turn that sees the change. */
    cr_assert_eq(result.counter.instructions[top].warp_instructions, 3, "%llu",
                 (unsigned long long)result.counter.instructions[top].warp_instructions);
    cr_assert_gt(result.counter.polls, 0);
}

Test(simt_block, threads_of_a_block_in_three_dimensions_know_where_they_are)
{
    /* out[linear] = x + 100 y + 10000 z + 1000000 * block y */
    struct made_program made;
    made_begin(&made, "kernel");
    uint32_t x = made_special(&made, SPECIAL_TID_X), y = made_special(&made, SPECIAL_TID_Y);
    uint32_t z = made_special(&made, SPECIAL_TID_Z), by = made_special(&made, SPECIAL_CTAID_Y);
    uint32_t nx = made_special(&made, SPECIAL_NTID_X), ny = made_special(&made, SPECIAL_NTID_Y);
    uint32_t nz = made_special(&made, SPECIAL_NTID_Z), value = made_slot(&made, 4), at = made_slot(&made, 4);
    uint32_t out = made_parameter(&made, 0, 8), address = made_slot(&made, 8), part = made_slot(&made, 4);
    made_lanes(&made, made_mul, at, by, nz);
    made_lanes(&made, made_add, at, at, z);
    made_lanes(&made, made_mul, at, at, ny);
    made_lanes(&made, made_add, at, at, y);
    made_lanes(&made, made_mul, at, at, nx);
    made_lanes(&made, made_add, at, at, x);
    made_lanes(&made, made_mul, part, y, made_constant(&made, 4, 100));
    made_lanes(&made, made_add, value, x, part);
    made_lanes(&made, made_mul, part, z, made_constant(&made, 4, 10000));
    made_lanes(&made, made_add, value, value, part);
    made_lanes(&made, made_mul, part, by, made_constant(&made, 4, 1000000));
    made_lanes(&made, made_add, value, value, part);
    made_lanes(&made, made_wide_add, address, out, at);
    made_store(&made, PTX_GLOBAL, address, value, 4);
    made_end(&made);
    uint64_t place = made_alloc(&machine, sizeof words);
    struct grid_launch launch = {.module = machine.module,
                                 .program = &made.program,
                                 .grid = {1, 3, 1},
                                 .block = {5, 7, 9},
                                 .parameters = (const uint8_t *)&place};
    struct error error;
    cr_assert_eq(grid_run(&machine.grid, &launch, &result, &error), STATUS_OK, "%s", error.text);
    memcpy(words, made_bytes(&machine, place, sizeof words), sizeof words);
    for (uint32_t i = 0; i < 3 * 315; i++) {
        uint32_t want = i % 5 + i / 5 % 7 * 100 + i / 35 % 9 * 10000 + i / 315 * 1000000;
        cr_assert_eq(words[i], want, "%u: %u", i, words[i]);
    }
}

/* Each lane writes and reads back its own local words, by lane-dependent places and by the same one. */
Test(simt_block, local_memory_is_each_threads_own)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t place = made_slot(&made, 4), got = made_slot(&made, 4), byte = made_slot(&made, 4);
    uint32_t zero = made_constant(&made, 4, 0);
    made.program.local_bytes_per_thread = 70;
    made_lanes(&made, made_and, place, s.shared, made_constant(&made, 4, 60)); /* 4 * (lane % 16) */
    made_store(&made, PTX_LOCAL, zero, s.thread, 4)->offset = 64;
    uint32_t same_at = made_here(&made) - 1;
    made_store(&made, PTX_LOCAL, place, s.thread, 4);
    uint32_t own_at = made_here(&made) - 1;
    made_store(&made, PTX_LOCAL, zero, s.thread, 1)->offset = 69;
    /* What even lanes wrote to their own places they find at the same one: 4 * (lane % 16) is 24 for lanes
     * 6, 22. */
    made_load(&made, PTX_LOCAL, got, zero, 4)->offset = 24;
    made_store(&made, PTX_GLOBAL, s.address, got, 4)->offset = 256;
    made_load(&made, PTX_LOCAL, got, place, 4);
    made_load(&made, PTX_LOCAL, s.value, zero, 4)->offset = 64;
    made_load(&made, PTX_LOCAL, byte, zero, 1)->offset = 69;
    made_lanes(&made, made_add, s.value, s.value, got);
    made_lanes(&made, made_add, s.value, s.value, byte);
    end(&made, &s);
    made_run_words(&machine, &made, 2, 64, words, 128, &result);
    for (uint32_t i = 0; i < 64; i++) {
        cr_assert_eq(words[i], 3 * i);
        cr_assert_eq(words[64 + i], i % 16 == 6 ? i : 0x01010101u * BLOCK_FILL);
    }
    /* Two blocks of two warps; a row of 128 bytes is four sectors, 16 rows' words two lanes of a sector each.
     */
    cr_assert_eq(result.counter.instructions[same_at].transfers, 4 * 4);
    cr_assert_eq(result.counter.instructions[own_at].transfers, 4 * 32);
}

/* cp.async: shared[t] = in[t]; with and without the wait. */
Test(simt_block, an_asynchronous_copy_arrives_when_it_is_waited_for)
{
    for (int waits = 0; waits < 3; waits++) {
        struct made_program made;
        struct start s = start(&made);
        made.program.static_shared_bytes = 512;
        for (int group = 0; group < 2; group++) {
            struct program_instruction *copy = made_op(&made, PROGRAM_CP_ASYNC);
            copy->source[0] = s.shared;
            copy->source[1] = s.address;
            copy->address_is_32_bits = true;
            copy->offset = 256 * group;
            copy->offset2 = 256 * group;
            copy->width_bytes = 4;
            made_op(&made, PROGRAM_CP_ASYNC_COMMIT);
        }
        if (waits > 0)
            made_op(&made, PROGRAM_CP_ASYNC_WAIT)->immediate = waits == 1 ? 1 : 0;
        uint32_t second = made_slot(&made, 4);
        made_load(&made, PTX_SHARED, s.value, s.shared, 4);
        made_load(&made, PTX_SHARED, second, s.shared, 4)->offset = 256;
        made_store(&made, PTX_GLOBAL, s.address, second, 4)->offset = 512;
        end(&made, &s);
        for (uint32_t i = 0; i < 256; i++)
            words[i] = i + 1;
        made_run_words(&machine, &made, 1, 64, words, 256, &result);
        uint32_t fill = 0x01010101u * BLOCK_FILL;
        for (uint32_t i = 0; i < 64; i++) {
            cr_assert_eq(words[i], waits >= 1 ? i + 1 : fill);
            cr_assert_eq(words[128 + i], waits >= 2 ? i + 65 : fill);
        }
        grid_result_fini(&result);
    }
}

/* Loads of each size and sign into 4- and 8-byte registers, aligned places all over a small buffer. */
Test(simt_block, each_width_is_loaded_and_stored_right)
{
    static const uint32_t sizes[] = {1, 2, 4, 8};
    for (uint32_t size = 0; size < 4; size++) {
        for (int shape = 0; shape < 8; shape++) { /* sign, wide, few lanes */
            bool sign = shape & 1, wide = (shape & 2) || sizes[size] == 8, few = shape & 4;
            struct made_program made;
            struct start s = start(&made);
            uint32_t in = made_parameter(&made, 0, 8), index = made_slot(&made, 4),
                     from = made_slot(&made, 8);
            uint32_t value = made_slot(&made, 8), guard = less_than(&made, s.thread, few ? 20 : 32);
            /* word (7 * lane) % 32 of the input, stored as loaded to word 64 + 2 * lane */
            made_lanes(&made, made_mul, index, s.thread, made_constant(&made, 4, 14));
            made_lanes(&made, made_and, index, index, made_constant(&made, 4, 63));
            made_lanes(&made, made_wide_add, from, in, index);
            struct program_instruction *load = made_load(&made, PTX_GLOBAL, value, from, sizes[size]);
            load->sign_extended = sign;
            load->destination_bytes = wide ? 8 : 4;
            load->guard = guard;
            uint32_t to = made_slot(&made, 8), twice = made_slot(&made, 4);
            made_lanes(&made, made_add, twice, s.thread, s.thread);
            made_lanes(&made, made_wide_add, to, in, twice);
            struct program_instruction *store = made_store(&made, PTX_GLOBAL, to, value, wide ? 8 : 4);
            store->destination_bytes = wide ? 8 : 4;
            store->offset = 256;
            store->guard = guard;
            made_end(&made);
            for (uint32_t i = 0; i < 128; i++)
                words[i] = i < 64 ? 0x80f18273u * (i + 1) : 0;
            made_run_words(&machine, &made, 1, 32, words, 128, &result);
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint64_t bits = 0, got = 0;
                memcpy(&bits, &words[14 * lane % 64], sizes[size]);
                if (sign && sizes[size] < 8) {
                    uint32_t shift = 64 - 8 * sizes[size];
                    bits = (uint64_t)((int64_t)(bits << shift) >> shift);
                }
                memcpy(&got, &words[64 + 2 * lane], wide ? 8 : 4);
                bits = lane >= (few ? 20u : 32u) ? 0 : wide ? bits : (uint32_t)bits;
                cr_assert_eq(got, bits, "size %u shape %d lane %u: %llx, not %llx", sizes[size], shape, lane,
                             (unsigned long long)got, (unsigned long long)bits);
            }
            grid_result_fini(&result);
        }
    }
}

/* Lane l reads 4 bytes at a generic address: global, shared or local by l % 3. */
Test(simt_block, generic_addresses_find_their_space_lane_by_lane)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t kind = made_slot(&made, 4), pick = made_slot(&made, 1), address = made_slot(&made, 8);
    uint32_t windows[2] = {made_constant(&made, 8, MEMORY_SHARED_WINDOW),
                           made_constant(&made, 8, MEMORY_LOCAL_WINDOW)};
    uint32_t zero = made_constant(&made, 4, 0), number = made_slot(&made, 4);
    made.program.static_shared_bytes = 128;
    made.program.local_bytes_per_thread = 16;
    made_lanes(&made, made_add, number, s.thread, made_constant(&made, 4, 1000));
    made_store(&made, PTX_SHARED, s.shared, number, 4);
    made_lanes(&made, made_add, number, s.thread, made_constant(&made, 4, 2000));
    made_store(&made, PTX_LOCAL, zero, number, 4)->offset = 8;
    made_lanes(&made, made_wide_add, address, made_parameter(&made, 0, 8), s.thread);
    made_lanes(&made, made_and, kind, s.thread, made_constant(&made, 4, 3));
    made_lanes(&made, made_equal, pick, kind, made_constant(&made, 4, 1));
    made_lanes(&made, made_wide_add, address, windows[0], s.thread)->guard = pick;
    made_lanes(&made, made_equal, pick, kind, made_constant(&made, 4, 2));
    made_lanes(&made, made_wide_add, address, windows[1], made_constant(&made, 4, 2))->guard = pick;
    made_load(&made, PTX_GENERIC, s.value, address, 4);
    made_store(&made, PTX_GLOBAL, s.address, s.value, 4)->offset = 128;
    made_end(&made);
    for (uint32_t i = 0; i < 32; i++)
        words[i] = i;
    made_run_words(&machine, &made, 1, 32, words, 64, &result);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t want = i % 4 == 1 ? 1000 + i : i % 4 == 2 ? 2000 + i : i;
        cr_assert_eq(words[32 + i], want, "lane %u: %u", i, words[32 + i]);
    }
    cr_assert_eq(result.counter.elsewhere_count, 1);
    cr_assert_eq(result.counter.elsewhere[0].shared.requests, 1);
    cr_assert_eq(result.counter.elsewhere[0].global.requests, 1);
    cr_assert_eq(result.counter.elsewhere[0].local.requests, 1);
}

/* 40 threads: of the second warp two return at once, two after a store, four pass 3 barriers. Each thread
 * that goes on adds what its neighbour in shared memory wrote. */
static const char early[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry early(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
    ".shared .align 4 .b8 words[256];\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "shl.b32 %r2, %r1, 2; mov.u32 %r3, words; add.u32 %r4, %r3, %r2; mov.u32 %r5, 0; st.shared.u32 [%r4], "
    "%r1;\n"
    "setp.gt.u32 %p1, %r1, 37; @%p1 bra END; setp.gt.u32 %p2, %r1, 35; @%p2 bra STORE;\n"
    "AGAIN: bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3; @%p3 bra AGAIN;\n"
    "ld.shared.u32 %r6, [%r4+4]; add.u32 %r5, %r5, %r6; st.global.u32 [%rd3], %r5; bra.uni END;\n"
    "STORE: st.global.u32 [%rd3], 7;\n"
    "END: ret; }\n";

Test(simt_block_text, threads_that_return_are_not_waited_for, .init = model_open, .fini = model_close)
{
    uint8_t *bytes;
    uint32_t read[40];
    uint64_t address = model_allocate(sizeof read, &bytes);
    struct count_totals totals;
    memset(bytes, 0xff, sizeof read);
    model_load_text("early", early, sizeof early - 1);
    model_launch("early", SHAPE(1, 1, 1), SHAPE(40, 1, 1), 0, &address, &totals);
    memcpy(read, bytes, sizeof read);
    for (uint32_t i = 0; i < 40; i++)
        cr_assert_eq(read[i], i > 37 ? UINT32_MAX : i > 35 ? 7 : 3 + i + 1, "%u: %u", i, read[i]);
}

/* Thread t passes t barriers in a loop, and stores then: those that have left the loop do not keep the others
 * from the barrier (a tree is built so by a public N-body program). */
static const char throttled[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry throttled(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
    "AGAIN: setp.ge.u32 %p1, %r2, %r1; @%p1 bra OUT; bar.sync 0; add.u32 %r2, %r2, 1; bra.uni AGAIN;\n"
    "OUT: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret; }\n";

Test(simt_block_text, lanes_that_left_a_loop_do_not_keep_the_others_from_its_barrier, .init = model_open,
     .fini = model_close)
{
    uint8_t *bytes;
    uint32_t passed[48];
    uint64_t address = model_allocate(sizeof passed, &bytes);
    model_load_text("throttled", throttled, sizeof throttled - 1);
    cr_assert_eq(model_reported("throttled", SHAPE(1, 1, 1), SHAPE(48, 1, 1), &address),
                 CHECK_DIVERGENT_BARRIER);
    memcpy(passed, bytes, sizeof passed);
    for (uint32_t i = 0; i < 48; i++)
        cr_assert_eq(passed[i], i, "%u: %u", i, passed[i]);
}

/* The bytes are those of an allocation that was freed, and is not allocated again. */
static const char stale[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry stale(.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; st.global.u32 [%rd1+8], %r1; ret; }\n";

Test(simt_block_text, a_use_after_a_free_is_named, .init = model_open, .fini = model_close)
{
    uint8_t *bytes;
    struct error error;
    uint64_t address = model_allocate(400, NULL);
    model_load_text("stale", stale, sizeof stale - 1);
    cr_assert_eq(memory_free(model_memory, address, &error), STATUS_OK);
    cr_assert_eq(model_stopped("stale", SHAPE(1, 1, 1), SHAPE(32, 1, 1), &address, &error),
                 CHECK_OUT_OF_BOUNDS);
    cr_assert_not_null(strstr(error.text, "it lies in the 400 bytes at 0x"), "%s", error.text);
    cr_assert_not_null(strstr(error.text, " that were freed"), "%s", error.text);
    cr_assert_neq(memory_access(model_memory, address, 4, false, &bytes, &error), STATUS_OK);
    cr_assert_not_null(strstr(error.text, "which were freed"), "%s", error.text);
    address = model_allocate(4, NULL); /* at the same address: the free is no longer the cause */
    cr_assert_eq(model_stopped("stale", SHAPE(1, 1, 1), SHAPE(32, 1, 1), &address, &error),
                 CHECK_OUT_OF_BOUNDS);
    cr_assert_not_null(strstr(error.text, "4 bytes past the end of the 4 bytes"), "%s", error.text);
}

/* A turn is 5 instructions: 40 cycles for one warp, 80 for 32, of which 16 hide each other's waiting. */
static const char turns[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry turns(.param .u64 out) { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.u64 %rd2, %clock64;\n"
    "AGAIN: add.u32 %r1, %r1, 1; mov.u64 %rd3, %clock64; sub.u64 %rd4, %rd3, %rd2;\n"
    "setp.lt.u64 %p1, %rd4, 40000; @%p1 bra AGAIN; st.global.u32 [%rd1], %r1; ret; }\n";

Test(simt_block_text, a_clock_counts_cycles, .init = model_open, .fini = model_close)
{
    static const struct {
        uint32_t threads, turns;
    } cases[] = {{32, 1000}, {64, 1000}, {512, 1000}, {1024, 500}};
    uint8_t *bytes;
    uint32_t turned;
    uint64_t address = model_allocate(sizeof turned, &bytes);
    struct count_totals totals;
    model_load_text("turns", turns, sizeof turns - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_launch("turns", SHAPE(1, 1, 1), SHAPE(cases[i].threads, 1, 1), 0, &address, &totals);
        memcpy(&turned, bytes, sizeof turned);
        cr_assert(turned >= cases[i].turns * 95 / 100 && turned <= cases[i].turns * 105 / 100,
                  "%u threads: %u turns", cases[i].threads, turned);
    }
}
