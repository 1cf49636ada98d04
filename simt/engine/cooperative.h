/*
 * Blocks that are resident at the same time, each with storage of its own, and yield to each other when they
 * only poll memory or wait for each other: all blocks of a cooperative launch, as at the grid barrier of
 * cooperative_groups, or the blocks of clusters. Of clusters as many are resident as have a multiprocessor
 * for each of their blocks. Blocks of other launches are run so from the moment on at which one of them waits
 * for a later one: as many as the device holds at once, and the next one begins where one has ended. One
 * worker runs the blocks in turn, in ascending order (clusters by their number,
 * the blocks of a cluster by rank), so results and counts do not depend on the number of processors.
 */
#ifndef SIMT_ENGINE_COOPERATIVE_H
#define SIMT_ENGINE_COOPERATIVE_H

#include "simt/engine/batch.h"

/* Whether a launch is run in this way. */
bool cooperative_is(const struct run *run);
/* Replaces batches_work, for the only worker. */
void cooperative_work(struct batches *batches, struct worker *worker);
/* Takes a block that only polls from a worker. False: out of memory. */
bool cooperative_park(struct batches *batches, struct worker *worker, uint64_t number);
/* After batches_work, if run->turns: runs the parked blocks and all that have not been taken. */
void cooperative_take_over(struct batches *batches, struct worker *worker);
/* Number of polls after which a path yields. */
#define COOPERATIVE_POLLS_AT_ONCE 4 /* most waits are for another block, which then gets its turn */

#endif
