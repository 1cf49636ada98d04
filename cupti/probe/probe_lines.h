/*
 * The real try of what a lines run does, on a context that is current: each in a process of its own, before
 * anything else of CUPTI's.
 */
#ifndef CUPTI_PROBE_PROBE_LINES_H
#define CUPTI_PROBE_PROBE_LINES_H

#include "core/base/error.h"
#include "cupti/load/driver.h"
#include "cupti/load/load.h"

/* Sampling of program counters: STATUS_OK, or the first failure. */
enum status probe_samples(const struct cupti *cupti, CUcontext context, struct error *error);

/* Counts of single instructions: the same. */
enum status probe_instructions(const struct cupti *cupti, const struct driver *driver, CUcontext context,
                               struct error *error);

#endif
