/*
 * The real try of sampling counters over time: everything the sampler does, for a moment.
 */
#ifndef CUPTI_PROBE_PROBE_SAMPLING_H
#define CUPTI_PROBE_PROBE_SAMPLING_H

#include "core/base/error.h"
#include "cupti/load/load.h"

#include <stdint.h>

/* STATUS_OK and how many *counters are sampled together, or the first failure. */
enum status probe_sampling(const struct cupti *cupti, uint32_t gpu, uint32_t *counters, struct error *error);

#endif
