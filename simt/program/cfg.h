/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control flow of one function: basic blocks and the points at which diverged lanes of a warp reconverge.
 * Made from the parsed function, read-only afterwards. Indices are indices into ptx_function.instructions.
 *
 * Lanes that diverge at a branch reconverge at the branch's immediate post-dominator: the first instruction
 * that is on all paths from the branch to the function's end (Fung et al., MICRO 2007). A path that ends
 * (ret, exit, trap) leads to a virtual exit; in each set of blocks that form an endless loop, the last block
 * in the text gets an edge to the exit. Calls do not end a block.
 */
#ifndef SIMT_PROGRAM_CFG_H
#define SIMT_PROGRAM_CFG_H

#include "simt/ptx/ptx.h"

struct cfg_block {
    uint32_t first, count;      /* instructions */
    const uint32_t *successors; /* block indices, each once; empty if the function ends here */
    uint32_t successor_count;
    bool ends; /* lanes may end here: ret, exit, trap, with or without a guard, or the end of the text */
    uint32_t post_dominator; /* immediate post-dominator: a block index, or PTX_NONE for the exit */
};

struct cfg {
    const struct cfg_block *blocks; /* in order of the text; block 0 is the entry */
    uint32_t block_count;
    const uint32_t *block_of; /* by instruction */
};

#define CFG_MAX_EDGES (1u << 22) /* more edges are refused (tables of targets that many branches use) */

/* STATUS_USAGE with a sentence for a branch to something other than a label, or for more than CFG_MAX_EDGES;
 * STATUS_MEMORY. */
enum status cfg_create(struct cfg **cfg, const struct ptx_function *function, struct error *error);
void cfg_destroy(struct cfg *cfg);

/* First instruction of the block where lanes that diverge at this instruction meet again; PTX_NONE: at the
 * end of the function. */
uint32_t cfg_meeting_point(const struct cfg *cfg, uint32_t instruction);

/* ---- dominators ---- */

/* Any graph: the edges of node i lead to the nodes to[first[i]] ... to[first[i + 1] - 1]; first has count + 1 entries. */
struct cfg_graph {
    uint32_t count;
    const uint32_t *first, *to;
};

/* dominator[i]: of node i, the last node that all paths from the root to it share; PTX_NONE: for the root, and
 * where no path leads. Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (TOPLAS
 * 1979), with path compression: O(edges * log(nodes)), no recursion. False: out of memory. */
bool cfg_dominators(const struct cfg_graph *graph, uint32_t root, uint32_t *dominator);

#endif
