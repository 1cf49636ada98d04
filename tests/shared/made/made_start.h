/* SPDX-License-Identifier: Apache-2.0 */
/* How the hand-made programs of the warp's tests begin and end, and what they often do between. */
#ifndef TESTS_SHARED_MADE_MADE_START_H
#define TESTS_SHARED_MADE_MADE_START_H

#include "tests/shared/made/made_program.h"

/* What all tests begin with: the lane, and where its word goes. */
struct start {
    uint32_t lane, address, value;
};

static inline struct start start(struct made_program *made)
{
    struct start s;
    made_begin(made, "kernel");
    s.lane = made_special(made, SPECIAL_TID_X);
    uint32_t out = made_parameter(made, 0, 8);
    s.address = made_slot(made, 8);
    made_lanes(made, made_wide_add, s.address, out, s.lane);
    s.value = made_slot(made, 4);
    made_lanes(made, made_move, s.value, made_constant(made, 4, 0), s.lane);
    return s;
}

static inline void end(struct made_program *made, const struct start *s)
{
    made_store(made, PTX_GLOBAL, s->address, s->value, 4);
    made_end(made);
}

static inline struct program_instruction *add_constant(struct made_program *made, uint32_t to,
                                                       uint32_t amount)
{
    return made_lanes(made, made_add, to, to, made_constant(made, 4, amount));
}

static inline uint32_t less_than(struct made_program *made, uint32_t a, uint32_t limit)
{
    uint32_t predicate = made_slot(made, 1);
    made_lanes(made, made_less, predicate, a, made_constant(made, 4, limit));
    return predicate;
}

#endif
