/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracing: CUPTI's activity records -> events on the wire. CUPTI fills buffers on application threads and
 * delivers them on its own thread; the agent's thread flushes them every 20 ms. Times are CUPTI's
 * (CLOCK_REALTIME).
 *
 * check_compare is the self-check: the first kernel record must agree with what the launch callback saw.
 * CUPTI's record structs grow with each release; a libcupti whose records have another layout than expected
 * must not be used. Done once, on the thread that gets the records.
 *
 * struct graphs is for programs that run very many graph nodes: one event per graph launch instead of one per
 * kernel in it, made from the nodes' records. (CUPTI has an activity kind for that, GRAPH_TRACE; enabled
 * while launches are under way it makes the program crash.) The event spans from the start of the launch's
 * first kernel to the end of its last. Any thread; one lock, held for a table look-up.
 */
#ifndef CUPTI_AGENT_ACTIVITY_H
#define CUPTI_AGENT_ACTIVITY_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets up buffers, tables, and the kinds that are always on (contexts, streams). At injection, and in a dormant
 * program whenever it is attached to. */
enum status activity_start(struct error *error);

/* Switches kernels, copies, calls, ranges ... on or off, according to agent.capturing. Any thread. */
void activity_apply(void);

/* Requests complete records from CUPTI; `last`: all records. Not from callbacks of CUPTI. */
void activity_flush(bool last);

/* Call it after a flush: sends long-running kernels, drops, graph launches, the watermark. From the agent's
 * thread; `last`: at the end of the process, after a flush of everything. */
void activity_tick(int64_t flush_start_ns, bool last);

/* Disables everything until activity_start is called again. Not from callbacks of CUPTI. */
void activity_pause(void);

/* Disables everything permanently: the collector has ended or CUPTI cannot be trusted. Not from callbacks of
 * CUPTI. */
void activity_stop(void);

/* The comparison itself; name: string id of the record's name. STATUS_CHECK with a sentence that names the
 * field and CUPTI's file. */
enum status check_compare(const cupti_kernel_record *record, uint32_t name, const struct event *call,
                          const struct event *shape, const char *cupti_path, struct error *error);

#define GRAPHS_SLOTS 8192u

struct graphs;

struct graphs *graphs_create(void); /* NULL: no memory */
void graphs_destroy(struct graphs *graphs);

/* Adds a node's EVENT_KERNEL. True: *done is an earlier launch that was removed to make room; send it. */
bool graphs_add(struct graphs *graphs, const struct event *node, struct event *done);

/* Removes launches that got no node since the last call but one (`all`: every launch), at most `room`, and
 * sets *oldest_ns to the start of the oldest one that stays, or INT64_MAX. A round ends when a call returns
 * less than `room`. */
size_t graphs_take(struct graphs *graphs, bool all, struct event *done, size_t room, int64_t *oldest_ns);

#endif
