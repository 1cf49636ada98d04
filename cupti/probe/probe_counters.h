/*
 * The real try of the counters: everything a counter run does before its first launch, on a context that is
 * current.
 */
#ifndef CUPTI_PROBE_PROBE_COUNTERS_H
#define CUPTI_PROBE_PROBE_COUNTERS_H

#include "core/base/error.h"
#include "cupti/load/load.h"

/* STATUS_OK and *passes, or the first failure. counters: names separated by ','. */
enum status probe_counters(const struct cupti *cupti, CUcontext context, const char *counters,
                           uint32_t *passes, struct error *error);

#endif
