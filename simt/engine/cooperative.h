/*
 * The blocks of a cooperative launch: all are resident at the same time, each with storage of its own, and
 * yield to each other when they only poll memory, as at the grid barrier of cooperative_groups. One worker
 * runs them in turn, in ascending order, so results and counts do not depend on the number of processors.
 */
#ifndef SIMT_ENGINE_COOPERATIVE_H
#define SIMT_ENGINE_COOPERATIVE_H

#include "simt/engine/batch.h"

/* Replaces batches_work, for the only worker. */
void cooperative_work(struct batches *batches, struct worker *worker);

#endif
