/*
 * The series that are sampled over time: a list of counters in order of priority, each with its names on
 * different chips, and the choice of those that fit into one pass on a chip, which is the limit of PM
 * sampling. Runs on CUPTI's host API: no GPU is needed. Static data; the plan is the caller's.
 */
#ifndef CUPTI_SAMPLER_SAMPLER_SERIES_H
#define CUPTI_SAMPLER_SAMPLER_SERIES_H

#include "cupti/profiler/plan.h"

/* Can the chip be sampled at intervals of time? STATUS_UNSUPPORTED, with the reason. */
enum status sampler_chip_check(const char *chip, struct error *error);

/* The plan for all wishes that fit together; at least one. availability as in struct plan_request.
 * STATUS_UNSUPPORTED if the chip has none. */
enum status sampler_plan(struct plan **plan, const char *cupti_path, const char *chip,
                         const uint8_t *availability, struct error *error);

#endif
