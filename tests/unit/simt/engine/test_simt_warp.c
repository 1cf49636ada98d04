/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warps on hand-made programs: divergence, its reconvergence as the counts show it, calls, tables of
 * branches, shuffles and votes across paths, and lanes that wait for each other.
 */
#include "tests/shared/made/made_start.h"

#include <criterion/criterion.h>
#include <string.h>

/* Runs it with one warp (or more) that writes a word per thread; the caller frees nothing. */
static uint32_t words[1024];
static struct grid_result result;

static void run_words(const struct made_program *made, uint32_t threads)
{
    struct made_machine machine;
    struct error error;
    made_machine_init(&machine, 1, 4, false);
    uint64_t out = made_alloc(&machine, sizeof words);
    enum status status = made_run(&machine, made, 1, threads, &out, &result, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    memcpy(words, made_bytes(&machine, out, sizeof words), sizeof words);
    made_machine_fini(&machine);
}

static uint64_t executed(uint32_t instruction)
{
    return result.counter.instructions[instruction].warp_instructions;
}

static uint64_t threads_on(uint32_t instruction)
{
    return result.counter.instructions[instruction].thread_instructions_on;
}

static void finish(void)
{
    grid_result_fini(&result);
}

Test(simt_warp, nested_ifs_meet_where_they_should, .fini = finish)
{
    /* if (lane < 20) { value += 1; if (lane < 5) value += 10; else value += 100; value += 1000 } else value
       += 7; value += 10000 */
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 20), q = less_than(&made, s.lane, 5);
    struct program_instruction *outer = made_branch(&made, p, true);
    uint32_t outer_at = made_here(&made) - 1;
    add_constant(&made, s.value, 1);
    struct program_instruction *inner = made_branch(&made, q, true);
    add_constant(&made, s.value, 10);
    struct program_instruction *skip_inner = made_branch(&made, PROGRAM_NO_SLOT, false);
    inner->target = made_here(&made);
    add_constant(&made, s.value, 100);
    inner->meet = skip_inner->target = made_here(&made);
    uint32_t inner_meet = made_here(&made);
    add_constant(&made, s.value, 1000);
    struct program_instruction *skip_outer = made_branch(&made, PROGRAM_NO_SLOT, false);
    outer->target = made_here(&made);
    uint32_t else_at = made_here(&made);
    add_constant(&made, s.value, 7);
    outer->meet = skip_outer->target = made_here(&made);
    uint32_t outer_meet = made_here(&made);
    add_constant(&made, s.value, 10000);
    end(&made, &s);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t want = lane < 5 ? 11011 : lane < 20 ? 11101 : 10007;
        cr_assert_eq(words[lane], want, "lane %u: %u", lane, words[lane]);
    }
    cr_assert_eq(executed(inner_meet), 1);
    cr_assert_eq(threads_on(inner_meet), 20);
    cr_assert_eq(executed(else_at), 1);
    cr_assert_eq(threads_on(else_at), 12);
    cr_assert_eq(executed(outer_meet), 1);
    cr_assert_eq(threads_on(outer_meet), 32);
    cr_assert_eq(result.counter.instructions[outer_at].divergent, 1);
}

Test(simt_warp, a_loop_runs_as_often_as_its_longest_lane, .fini = finish)
{
    /* i = lane; do value++, i--; while (i != 0 wrapped: i < 1000) -- lane + 1 turns */
    struct made_program made;
    struct start s = start(&made);
    uint32_t i = made_slot(&made, 4);
    made_lanes(&made, made_move, i, s.lane, s.lane);
    uint32_t top = made_here(&made);
    add_constant(&made, s.value, 1);
    made_lanes(&made, made_sub, i, i, made_constant(&made, 4, 1));
    uint32_t p = less_than(&made, i, 1000);
    struct program_instruction *back = made_branch(&made, p, false);
    uint32_t back_at = made_here(&made) - 1;
    back->target = top;
    back->meet = made_here(&made);
    uint32_t behind = made_here(&made);
    end(&made, &s);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], lane + 1);
    cr_assert_eq(executed(top), 32);
    cr_assert_eq(threads_on(top), 32 * 33 / 2);
    cr_assert_eq(result.counter.instructions[back_at].divergent, 31);
    cr_assert_eq(executed(behind), 1);
    cr_assert_eq(threads_on(behind), 32);
}

Test(simt_warp, lanes_that_return_early_do_not_hold_up_the_others, .fini = finish)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 10), q = less_than(&made, s.lane, 3);
    made_op(&made, PROGRAM_EXIT)->guard = q; /* lanes 0 ... 2 write nothing */
    struct program_instruction *part = made_branch(&made, p, true);
    add_constant(&made, s.value, 5);
    made_store(&made, PTX_GLOBAL, s.address, s.value, 4);
    made_op(&made, PROGRAM_RET); /* lanes 3 ... 9 */
    part->target = made_here(&made);
    add_constant(&made, s.value, 9);
    uint32_t last = made_here(&made);
    end(&made, &s);

    run_words(&made, 40);
    for (uint32_t lane = 0; lane < 40; lane++)
        cr_assert_eq(words[lane], lane < 3 ? 0 : lane < 10 ? 5 : 9, "lane %u", lane);
    cr_assert_eq(executed(last), 2);
    cr_assert_eq(threads_on(last), 30);
}

Test(simt_warp, a_table_of_branches_gives_each_lane_its_case, .fini = finish)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t entry = made_slot(&made, 4);
    made_lanes(&made, made_and, entry, s.lane, made_constant(&made, 4, 3));
    /* Lane 3 names an entry past the table: the last one is taken. */
    uint32_t three = made_slot(&made, 1);
    made_lanes(&made, made_equal, three, s.lane, made_constant(&made, 4, 3));
    made_lanes(&made, made_move, entry, made_constant(&made, 4, 9), s.lane)->guard = three;
    made.targets[9] = UINT32_MAX - 1;
    struct program_instruction *table = made_op(&made, PROGRAM_BRX);
    uint32_t table_at = made_here(&made) - 1;
    table->source[0] = entry;
    table->immediate = 4;
    struct program_instruction *out[3];
    for (uint32_t i = 0; i < 3; i++) { /* case 3 is where they meet */
        made.targets[i] = made_here(&made);
        add_constant(&made, s.value, 10 * (i + 1));
        out[i] = made_branch(&made, PROGRAM_NO_SLOT, false);
    }
    made.targets[3] = table->meet = made_here(&made);
    made.program.target_count = 4;
    for (int i = 0; i < 3; i++)
        out[i]->target = made_here(&made);
    uint32_t meet = made_here(&made);
    add_constant(&made, s.value, 1);
    end(&made, &s);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], lane % 4 == 3 ? 1 : 10 * (lane % 4 + 1) + 1);
    cr_assert_eq(executed(table_at), 1);
    cr_assert_eq(result.counter.instructions[table_at].divergent, 1);
    cr_assert_eq(executed(meet), 1);
    cr_assert_eq(threads_on(meet), 32);
}

Test(simt_warp, calls_in_divergent_code_come_back_to_their_callers, .fini = finish)
{
    /* f: value += 3; if (lane & 1) return; value += 100; return.  if (lane < 16) f(); else { value += 1000;
     * f() } */
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 16), odd = made_slot(&made, 4), q = made_slot(&made, 1);
    made_lanes(&made, made_and, odd, s.lane, made_constant(&made, 4, 1));
    made_lanes(&made, made_equal, q, odd, made_constant(&made, 4, 1));
    struct program_instruction *part = made_branch(&made, p, true), *call[2], *skip;
    call[0] = made_op(&made, PROGRAM_CALL);
    skip = made_branch(&made, PROGRAM_NO_SLOT, false);
    part->target = made_here(&made);
    add_constant(&made, s.value, 1000);
    call[1] = made_op(&made, PROGRAM_CALL);
    part->meet = skip->target = made_here(&made);
    uint32_t meet = made_here(&made);
    made_store(&made, PTX_GLOBAL, s.address, s.value, 4);
    made_op(&made, PROGRAM_RET);
    call[0]->target = call[1]->target = made_here(&made);
    add_constant(&made, s.value, 3);
    made_op(&made, PROGRAM_RET)->guard = q;
    uint32_t rest = made_here(&made);
    add_constant(&made, s.value, 100);
    made_op(&made, PROGRAM_RET);
    made.program.instruction_count = made_here(&made);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], (lane < 16 ? 0 : 1000) + 3 + (lane % 2 ? 0 : 100));
    cr_assert_eq(executed(rest), 2);
    cr_assert_eq(threads_on(rest), 16);
    cr_assert_eq(executed(meet), 1);
}

Test(simt_warp, a_guard_takes_effect_without_a_branch, .fini = finish)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 4), none = less_than(&made, s.lane, 0);
    uint32_t at = made_here(&made);
    add_constant(&made, s.value, 5)->guard = p;
    struct program_instruction *negated = add_constant(&made, s.value, 6);
    negated->guard = p;
    negated->guard_negated = true;
    add_constant(&made, s.value, 50)->guard = none;
    end(&made, &s);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], lane < 4 ? 5 : 6);
    cr_assert_eq(threads_on(at), 4);
    cr_assert_eq(result.counter.instructions[at].thread_instructions, 32);
    cr_assert_eq(threads_on(at + 1), 28);
    cr_assert_eq(executed(at + 2), 1);
    cr_assert_eq(threads_on(at + 2), 0);
}

Test(simt_warp, a_guarded_load_of_one_word_leaves_the_other_lanes_alone)
{
    for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
        struct made_program made;
        struct start s = start(&made);
        uint32_t p = less_than(&made, s.lane, 4), in = made_parameter(&made, 0, 8),
                 value = made_slot(&made, 8);
        made_store(&made, PTX_GLOBAL, in, made_constant(&made, 4, 77), 4)->offset = 1024;
        made_load(&made, PTX_GLOBAL, value, in, bytes)->offset = 1024;
        made_load(&made, PTX_GLOBAL, value, in, bytes)->offset = 1032;
        made.instructions[made_here(&made) - 1].guard = p;
        made_store(&made, PTX_GLOBAL, s.address, value, 4)->destination_bytes = (uint8_t)bytes;
        made_end(&made);
        run_words(&made, 32);
        for (uint32_t lane = 0; lane < 32; lane++)
            cr_assert_eq(words[lane], lane < 4 ? 0 : 77);
        finish();
    }
}

/* A loop that reads the same word many times, and counts, is no endless one; nor do its lanes part for it. */
Test(simt_warp, a_loop_that_counts_may_poll_as_often_as_it_likes, .fini = finish)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t seen = made_slot(&made, 4), in = made_parameter(&made, 0, 8), few = less_than(&made, s.lane, 3);
    struct program_instruction *part = made_branch(&made, few, true);
    uint32_t top = made_here(&made);
    made_load(&made, PTX_GLOBAL, seen, in, 4)->strong = true;
    add_constant(&made, s.value, 1);
    uint32_t more = less_than(&made, s.value, 12000);
    struct program_instruction *back = made_branch(&made, more, false);
    back->target = top;
    back->meet = made_here(&made);
    part->target = part->meet = made_here(&made);
    uint32_t meet = made_here(&made);
    end(&made, &s);
    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], lane < 3 ? 12000 : 0);
    cr_assert_eq(executed(meet), 1);
    cr_assert_eq(executed(top), 12000); /* none of them is a wait */
    cr_assert_eq(result.counter.polls, 0);
}

/* ---- members ---- */
static uint32_t shuffle_oracle(enum program_shfl how, const uint32_t *value, uint32_t lane, uint32_t b,
                               uint32_t c, bool *inside)
{
    int32_t segment = (int32_t)(c >> 8 & 31), clamp = (int32_t)(c & 31), l = (int32_t)lane, at;
    int32_t most = (l & segment) | (clamp & ~segment), least = l & segment, delta = (int32_t)(b & 31);
    switch (how) {
    case SHFL_UP: at = l - delta, *inside = at >= most; break;
    case SHFL_DOWN: at = l + delta, *inside = at <= most; break;
    case SHFL_BFLY: at = l ^ delta, *inside = at <= most; break;
    default: at = least | (delta & ~segment), *inside = at <= most; break;
    }
    return value[*inside ? at : l];
}

Test(simt_warp, shuffles_follow_the_book)
{
    static const uint32_t clamps[] = {0x1f, 0, 0x181f, 0x1c1f, 0x1000, 0x101f, 0x0f};
    uint32_t value[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        value[lane] = lane * 3 + 1;
    for (uint32_t how = SHFL_UP; how <= SHFL_IDX; how++) {
        for (uint32_t b = 0; b < 32; b += 5) {
            for (size_t c = 0; c < sizeof clamps / sizeof clamps[0]; c++) {
                struct made_program made;
                struct start s = start(&made);
                uint32_t tripled = made_slot(&made, 4), p = made_slot(&made, 1);
                made_lanes(&made, made_mul, tripled, s.lane, made_constant(&made, 4, 3));
                add_constant(&made, tripled, 1);
                struct program_instruction *shuffle = made_op(&made, PROGRAM_SHFL);
                shuffle->sub = (uint8_t)how;
                shuffle->type = PTX_B32;
                shuffle->destination[0] = s.value;
                shuffle->destination[1] = p;
                shuffle->source[0] = tripled;
                shuffle->source[1] = made_constant(&made, 4, b);
                shuffle->source[2] = made_constant(&made, 4, clamps[c]);
                shuffle->source[3] = made_constant(&made, 4, UINT32_MAX);
                add_constant(&made, s.value, 1000)->guard = p;
                end(&made, &s);
                run_words(&made, 32);
                for (uint32_t lane = 0; lane < 32; lane++) {
                    bool inside;
                    uint32_t want =
                        shuffle_oracle((enum program_shfl)how, value, lane, b, clamps[c], &inside);
                    cr_assert_eq(words[lane], want + (inside ? 1000 : 0), "how %u b %u c %x lane %u: %u", how,
                                 b, clamps[c], lane, words[lane]);
                }
                finish();
            }
        }
    }
}

/* Lanes 0 ... 3 name lanes 4 ... 7, which do not execute the shuffle: 0, as on an H200. */
Test(simt_warp, a_shuffle_gives_nothing_of_lanes_that_take_no_part, .fini = finish)
{
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 4);
    struct program_instruction *shuffle = made_op(&made, PROGRAM_SHFL);
    shuffle->sub = SHFL_DOWN;
    shuffle->destination[0] = s.value;
    shuffle->source[0] = s.lane;
    shuffle->source[1] = made_constant(&made, 4, 4);
    shuffle->source[2] = made_constant(&made, 4, 31);
    shuffle->source[3] = made_constant(&made, 4, 15);
    shuffle->guard = p;
    end(&made, &s);
    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], 0);
}

Test(simt_warp, a_vote_waits_for_its_members_on_the_other_path, .fini = finish)
{
    /* if (lane < 16) value = ballot(full, lane < 4) else value = ballot(full, lane >= 20), two instructions.
     */
    struct made_program made;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 16), few = less_than(&made, s.lane, 4),
             low = less_than(&made, s.lane, 20);
    uint32_t full = made_constant(&made, 4, UINT32_MAX);
    struct program_instruction *part = made_branch(&made, p, true), *vote, *skip;
    vote = made_op(&made, PROGRAM_VOTE);
    vote->sub = VOTE_BALLOT;
    vote->destination[0] = s.value;
    vote->source[0] = few;
    vote->source[1] = full;
    skip = made_branch(&made, PROGRAM_NO_SLOT, false);
    part->target = made_here(&made);
    vote = made_op(&made, PROGRAM_VOTE);
    vote->sub = VOTE_BALLOT;
    vote->destination[0] = s.value;
    vote->source[0] = low;
    vote->source[1] = full;
    add_constant(&made, s.value, 1);
    part->meet = skip->target = made_here(&made);
    end(&made, &s);

    run_words(&made, 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(words[lane], 0x000f000fu + (lane >= 16), "lane %u: %x", lane, words[lane]);
}

Test(simt_warp, members_that_can_not_come_are_reported)
{
    /* if (lane < 16) value = ballot(full, ...) else syncwarp(full) */
    struct made_program made;
    struct made_machine machine;
    struct error error;
    struct start s = start(&made);
    uint32_t p = less_than(&made, s.lane, 16);
    struct program_instruction *part = made_branch(&made, p, true), *vote;
    vote = made_op(&made, PROGRAM_VOTE);
    vote->sub = VOTE_BALLOT;
    vote->destination[0] = s.value;
    vote->source[0] = p;
    vote->source[1] = made_constant(&made, 4, UINT32_MAX);
    struct program_instruction *skip = made_branch(&made, PROGRAM_NO_SLOT, false);
    part->target = made_here(&made);
    made_op(&made, PROGRAM_BAR_WARP)->source[0] = made_constant(&made, 4, UINT32_MAX);
    part->meet = skip->target = made_here(&made);
    end(&made, &s);
    made_machine_init(&machine, 1, 1, false);
    uint64_t out = made_alloc(&machine, 128);
    cr_assert_eq(made_run(&machine, &made, 1, 32, &out, &result, &error), STATUS_CHECK);
    cr_assert_eq(result.checks.reports[0].kind, CHECK_DEADLOCK);
    cr_assert_eq(result.checks.reports[0].waiting_threads, 16);
    cr_assert_not_null(strstr(error.text, "thread (0,0,0) does not arrive"), "%s", error.text);
    grid_result_fini(&result);
    made_machine_fini(&machine);
}

/* ---- lanes that wait for each other ---- */
Test(simt_warp, a_spin_lock_goes_round_all_lanes, .fini = finish)
{
    /* while (cas(&out[64], 0, 1) != 0); out[65] += 1 (plain); exch(&out[64], 0): lanes leave the loop one by
     * one. */
    struct made_program made;
    struct start s = start(&made);
    uint32_t zero = made_constant(&made, 4, 0), one = made_constant(&made, 4, 1), old = made_slot(&made, 4);
    uint32_t lock = made_slot(&made, 8), free_now = made_slot(&made, 1), count = made_slot(&made, 4);
    made_load(&made, PTX_PARAM, lock, PROGRAM_NO_SLOT, 8)->offset = 0;
    uint32_t top = made_here(&made);
    struct program_instruction *cas = made_op(&made, PROGRAM_ATOM);
    *cas =
        (struct program_instruction){.op = PROGRAM_ATOM,
                                     .sub = ATOMIC_CAS,
                                     .type = PTX_B32,
                                     .space = PTX_GLOBAL,
                                     .vector = 1,
                                     .width_bytes = 4,
                                     .guard = PROGRAM_NO_SLOT,
                                     .destination = {old, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT},
                                     .source = {lock, zero, one},
                                     .offset = 256};
    made_lanes(&made, made_equal, free_now, old, zero);
    struct program_instruction *back = made_branch(&made, free_now, true);
    back->target = top;
    back->meet = made_here(&made);
    made_load(&made, PTX_GLOBAL, count, lock, 4)->offset = 260;
    add_constant(&made, count, 1);
    made_store(&made, PTX_GLOBAL, lock, count, 4)->offset = 260;
    struct program_instruction *release = made_op(&made, PROGRAM_ATOM);
    *release = *cas;
    release->sub = ATOMIC_EXCH;
    release->source[1] = zero;
    release->destination[0] = PROGRAM_NO_SLOT;
    made_lanes(&made, made_move, s.value, count, zero);
    end(&made, &s);

    run_words(&made, 32);
    cr_assert_eq(words[64], 0);
    cr_assert_eq(words[65], 32);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert(words[lane] >= 1 && words[lane] <= 32);
}

Test(simt_warp, a_loop_that_nobody_ends_is_reported)
{
    struct made_program made;
    struct made_machine machine;
    struct error error;
    struct start s = start(&made);
    uint32_t zero = made_constant(&made, 4, 0), flag = made_slot(&made, 4), unset = made_slot(&made, 1);
    uint32_t top = made_here(&made);
    made_load(&made, PTX_GLOBAL, flag, s.address, 4)->strong = true;
    made_lanes(&made, made_equal, unset, flag, zero);
    struct program_instruction *back = made_branch(&made, unset, false);
    back->target = top;
    back->meet = made_here(&made);
    end(&made, &s);
    made_machine_init(&machine, 2, 4, false);
    uint64_t out = made_alloc(&machine, 4096);
    cr_assert_eq(made_run(&machine, &made, 4, 256, &out, &result, &error), STATUS_CHECK);
    cr_assert_eq(result.checks.reports[0].kind, CHECK_DEADLOCK);
    cr_assert_not_null(strstr(error.text, "loops"), "%s", error.text);
    cr_assert_not_null(strstr(error.text, "block (0,0,0)"), "%s", error.text);
    grid_result_fini(&result);
    made_machine_fini(&machine);
}
