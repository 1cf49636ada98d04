/*
 * Tracing: CUPTI's activity records -> events on the wire. CUPTI fills buffers on application threads and
 * delivers them on its own thread; the agent's thread flushes them every 20 ms. Times are CUPTI's
 * (CLOCK_REALTIME).
 */
#ifndef CUPTI_AGENT_ACTIVITY_H
#define CUPTI_AGENT_ACTIVITY_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Sets up buffers, tables, and the kinds that are always on (contexts, streams). Once, at injection. */
enum status activity_start(struct error *error);

/* Switches kernels, copies, calls, ranges ... on or off, according to agent.capturing. Any thread. */
void activity_apply(void);

/* Requests complete records from CUPTI; `last`: all records. Not from callbacks of CUPTI. */
void activity_flush(bool last);

/* Call it after a flush: sends long-running kernels, drops, graph launches, the watermark. From the agent's
 * thread; `last`: at the end of the process, after a flush of everything. */
void activity_tick(int64_t flush_start_ns, bool last);

/* Disables everything permanently: the collector has ended or CUPTI cannot be trusted. Not from callbacks of
 * CUPTI. */
void activity_stop(void);

#endif
