/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small kernels whose lanes do things in groups: votes, matches, reductions, shuffles, elections and
 * barriers of a warp, over member masks that differ by lane, within ifs and loops that part the lanes at
 * random. As PTX text, and run lane by lane by the oracle, which knows no paths: a lane waits at such a step
 * until all lanes of its mask that have not ended are at a step of the same kind with the same mask.
 *
 * A mask is a lane's class of one of the partitions of its warp. All lanes of a class come to the same steps
 * of that partition in the same order, from whatever place of the text, so that no kernel waits for ever.
 */
#ifndef TESTS_SHARED_MADE_MEMBER_PROGRAM_H
#define TESTS_SHARED_MADE_MEMBER_PROGRAM_H

#include "tests/shared/oracle/ptx_values.h"

#include <stdbool.h>
#include <stddef.h>

#define MEMBER_BLOCKS 2
#define MEMBER_BLOCK_THREADS 64
#define MEMBER_THREADS (MEMBER_BLOCKS * MEMBER_BLOCK_THREADS)
#define MEMBER_REGISTERS 5
#define MEMBER_PARTITIONS 4
#define MEMBER_NESTED 8
#define MEMBER_STEPS 2048
#define MEMBER_ELEMENTS 256

/* clang-format off */
#define MEMBER_OPERATION_LIST(X)                                                                           \
    X(ALL, "vote.sync.all.pred")                                                                           \
    X(ANY, "vote.sync.any.pred") X(UNI, "vote.sync.uni.pred") X(BALLOT, "vote.sync.ballot.b32")            \
        X(MATCH_ANY, "match.any.sync.b32") X(MATCH_ANY_64, "match.any.sync.b64")                           \
            X(MATCH_ALL, "match.all.sync.b32") X(MATCH_ALL_64, "match.all.sync.b64")                       \
                X(ADD, "redux.sync.add.u32") X(ADD_S, "redux.sync.add.s32") X(MIN, "redux.sync.min.u32")   \
                    X(MIN_S, "redux.sync.min.s32") X(MAX, "redux.sync.max.u32")                            \
                        X(MAX_S, "redux.sync.max.s32") X(AND, "redux.sync.and.b32")                        \
                            X(OR, "redux.sync.or.b32") X(XOR, "redux.sync.xor.b32") X(ELECT, "elect.sync") \
                                X(MEET, "bar.warp.sync") X(UP, "shfl.sync.up.b32")                         \
                                    X(DOWN, "shfl.sync.down.b32") X(BFLY, "shfl.sync.bfly.b32")            \
                                        X(IDX, "shfl.sync.idx.b32")
/* clang-format on */
#define MEMBER_OPERATION_ENUM(id, text) MEMBER_##id,
enum member_operation { MEMBER_OPERATION_LIST(MEMBER_OPERATION_ENUM) MEMBER_OPERATIONS };
#undef MEMBER_OPERATION_ENUM

/* r: a lane's registers; c, n: its conditions and turns left, by nesting. */
enum step_kind {
    STEP_COMPUTE, /* r[a] = r[b] * constant ^ r[a] */
    STEP_KEEP,    /* c[nest] = r[b] & constant */
    STEP_UNLESS,  /* c[nest] is 0: to the target */
    STEP_JUMP,
    STEP_TURNS, /* n[nest] = the turns of the lane's class */
    STEP_TURN,  /* n[nest] is 0: to the target; else one less */
    STEP_WRITE, /* the lane's word of shared memory = r[b] */
    STEP_READ,  /* r[a] += the word of the lane's partner of its class */
    STEP_MEMBERS,
    STEP_END
};

struct step {
    enum step_kind kind;
    enum member_operation operation;
    uint32_t a, b, nest, partition, constant, clamp, target;
};

/* What all lanes do, in this order: an operation, or a loop of some. */
struct element {
    bool loop;
    enum member_operation operation;
    uint32_t partition, first, count; /* of a loop: its elements */
};

struct member_lane {
    uint32_t mask[MEMBER_PARTITIONS], partner[MEMBER_PARTITIONS], turns[MEMBER_PARTITIONS];
    uint32_t r[MEMBER_REGISTERS];
};
#define MEMBER_LANE_WORDS (3 * MEMBER_PARTITIONS + MEMBER_REGISTERS)

struct member_program {
    char text[1 << 18];
    size_t used;
    struct step steps[MEMBER_STEPS];
    uint32_t step_count;
    struct element elements[MEMBER_ELEMENTS];
    uint32_t element_count;
    bool lanes_end; /* some before the others: then nothing is shuffled */
    struct member_lane lanes[MEMBER_THREADS];
    struct values values;
};

void member_program_make(struct member_program *program, uint64_t seed);

struct member_run {
    uint32_t r[MEMBER_THREADS][MEMBER_REGISTERS];
    uint64_t groups, apart; /* executed; those of them whose lanes stood at different steps */
};
void member_program_run(const struct member_program *program, struct member_run *run);

#endif
