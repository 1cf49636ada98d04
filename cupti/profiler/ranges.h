/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The range profiler of one context: one range at a time, auto range, kernel replay. Not thread-safe: its
 * user serialises.
 */
#ifndef CUPTI_PROFILER_RANGES_H
#define CUPTI_PROFILER_RANGES_H

#include "core/base/error.h"
#include "core/metric/metric.h"
#include "cupti/load/load.h"
#include "cupti/profiler/plan.h"

#include <stdint.h>

struct ranges;

/* Sets the profiler up on the context, which is current on the calling thread. metrics: names separated by
 * ',', or "" for the catalogue's default. STATUS_PERMISSION, STATUS_UNSUPPORTED or STATUS_DEVICE with a
 * sentence on failure. */
enum status ranges_open(struct ranges **ranges, const struct cupti *cupti, CUcontext context, uint32_t device,
                        const char *metrics, enum metric_share share, struct error *error);

/* detach: the context still works, so detach the profiler from it. */
void ranges_close(struct ranges *ranges, bool detach);

const struct plan *ranges_plan(const struct ranges *ranges);

/* Call these around one launch, on the calling thread. */
enum status ranges_begin(struct ranges *ranges, struct error *error);
/* Instead of an end: nothing was launched. */
void ranges_abandon(struct ranges *ranges);
/* values: room for plan_count(ranges_plan(ranges)) numbers. */
enum status ranges_end(struct ranges *ranges, double *values, struct error *error);

#endif
