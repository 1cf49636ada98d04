/*
 * Immediate post-dominators of the blocks of a function, by Lengauer and Tarjan, "A fast algorithm for
 * finding dominators in a flowgraph" (TOPLAS 1979), on the reversed graph from the virtual exit. Used only in
 * simt/program/cfg.c. No recursion; allocates a few numbers per block and edge and frees them before it
 * returns.
 */
#ifndef SIMT_PROGRAM_CFG_DOMINATORS_H
#define SIMT_PROGRAM_CFG_DOMINATORS_H

#include "simt/program/cfg.h"

/* Sets post_dominator of each block from its successors and `ends`. False: out of memory. */
bool cfg_post_dominators(struct cfg_block *blocks, uint32_t count);

#endif
