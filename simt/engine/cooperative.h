/*
 * The blocks of a cooperative launch: all are there at once, each with storage of its own, and give way to
 * each other when they only poll memory, as at cooperative_groups' barrier of the grid. One worker runs them
 * in turn, in ascending order, so results and counts do not depend on the number of processors.
 */
#ifndef SIMT_ENGINE_COOPERATIVE_H
#define SIMT_ENGINE_COOPERATIVE_H

#include "simt/engine/batch.h"

/* In the place of batches_work, of the only worker. */
void cooperative_work(struct batches *batches, struct worker *worker);

#endif
