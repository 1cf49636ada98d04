/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control flow of a decoded program, for simt/program/merge: basic blocks, dominators, loops. Functions
 * that are called are entries of their own; a call continues at the instruction after it. Owned by the
 * creator; read-only after it is made.
 */
#ifndef SIMT_PROGRAM_MERGE_FLOW_H
#define SIMT_PROGRAM_MERGE_FLOW_H

#include "simt/lanes/program.h"

#define FLOW_NONE UINT32_MAX

struct flow_block {
    uint32_t first, count; /* instructions */
    uint32_t *successors, *predecessors;
    uint32_t successor_count, predecessor_count;
    uint32_t dominator; /* immediate dominator; FLOW_NONE: an entry, or never reached */
    uint32_t depth;     /* number of dominators above it */
    uint32_t loop;      /* innermost loop; FLOW_NONE: in no loop */
    bool entry;         /* of the kernel or of a function */
};

struct flow_loop {
    uint32_t header;
    uint32_t outer; /* FLOW_NONE */
};

struct flow {
    struct flow_block *blocks; /* in order of the instructions */
    uint32_t block_count;
    uint32_t *block_of; /* per instruction */
    uint32_t *order;    /* reached blocks in reverse postorder: dominators come first */
    uint32_t order_count;
    struct flow_loop *loops;
    uint32_t loop_count;
    uint32_t *edges; /* memory of the lists of successors and predecessors */
};

enum status flow_init(struct flow *flow, const struct program *program, struct error *error);
void flow_fini(struct flow *flow);
/* Returns whether every path to instruction b contains instruction a. True for a == b. */
bool flow_dominates(const struct flow *flow, uint32_t a, uint32_t b);
/* Returns whether b is in every loop that a is in. */
bool flow_loops_within(const struct flow *flow, uint32_t a, uint32_t b);

#endif
