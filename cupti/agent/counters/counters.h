/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter run: the range profiler around chosen launches. Everything happens inside the callbacks of a
 * launch: Start on enter, the replay inside the call, Stop, decode and send on exit. One context per GPU can
 * be measured (CUPTI's rule); launches that are measured run alone: all other launches, copies and captures
 * of the process wait for them.
 */
#ifndef CUPTI_AGENT_COUNTERS_COUNTERS_H
#define CUPTI_AGENT_COUNTERS_COUNTERS_H

#include "core/base/error.h"

#include <cupti.h>
#include <stdint.h>

/* What a driver call means to a counter run. */
enum counters_call {
    COUNTERS_NOTHING,
    COUNTERS_LAUNCH,
    COUNTERS_GRAPH,           /* is launched */
    COUNTERS_GRAPH_MADE,      /* instantiated */
    COUNTERS_GRAPH_CHANGED,   /* the executable graph is edited, or a node is destroyed */
    COUNTERS_GRAPH_DESTROYED, /* a graph that may have been instantiated */
    COUNTERS_GRAPH_UPDATED,   /* the executable graph takes what another graph has */
    COUNTERS_GRAPH_GONE,      /* the executable graph is destroyed */
    COUNTERS_MEMORY,          /* copies and memsets: must not run between a kernel's replays */
    COUNTERS_CAPTURE,
    COUNTERS_SYNC /* of a whole context */
};

/* The class of a driver call, by its name as CUPTI spells it. */
enum counters_call counters_classify(const char *name);

/* Once, at injection. */
enum status counters_start(struct error *error);

/* Call these around calls that counters_classify knows. */
void counters_enter(enum counters_call call, CUpti_CallbackId id, const CUpti_CallbackData *data);
void counters_exit(enum counters_call call, const CUpti_CallbackData *data);

/* At the end of the process: reports the kernel that a lines run should have counted and did not. */
void counters_end(void);

/* The context is being destroyed: measures nothing in it any more. */
void counters_forget(CUcontext context);

/* Reports a replay that does not end, and tells the wire up to when all was sent. From the agent's thread. */
void counters_tick(int64_t now_ns);

/* ---- graphs: counters_graph.c ---- */

struct counted_graph;

/* Takes note of a graph that is instantiated, edited or destroyed; on enter and on exit. */
void counters_graph_call(enum counters_call call, const CUpti_CallbackData *data);

/* Before a graph's launch, on enter and with no lock held: runs its nodes one by one, measured like other launches, and
 * disables them in the graph. NULL: the graph runs as it is. Join it on exit. */
struct counted_graph *counters_graph_split(const CUpti_CallbackData *data);
void counters_graph_join(struct counted_graph *graph);

#endif
