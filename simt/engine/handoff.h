/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that one block writes and another one polls, while the blocks of a launch run in turns (simt/engine/batch): how
 * many handoffs follow each other in the longest chain, for the time that waiting takes on a GPU. A block that finds what
 * another one has written is one handoff behind it. Of strong stores and atomics in global memory. The one worker that
 * runs the blocks owns it.
 */
#ifndef SIMT_ENGINE_HANDOFF_H
#define SIMT_ENGINE_HANDOFF_H

#include "simt/engine/warp_memory.h"

struct handoffs;

struct handoffs *handoffs_create(void); /* NULL: no memory; then none are found */
void handoffs_destroy(struct handoffs *handoffs);
uint32_t handoffs_most(const struct handoffs *handoffs); /* in one chain; handoffs may be NULL */

/* Before a strong load or store by these lanes. */
void handoff_access(struct worker *worker, const struct program_instruction *instruction, struct warp *warp,
                    uint32_t on, bool write);
/* After an atomic at the address; `changed`: it has changed the word, else it was a look at it. */
void handoff_atomic(struct worker *worker, uint64_t address, bool changed);

#endif
