/*
 * For programs that run very many graph nodes: one event per graph launch instead of one per kernel in it,
 * made from the nodes' records. (CUPTI has an activity kind for that, GRAPH_TRACE; enabled while launches are
 * under way it makes the program crash.)
 *
 * The event spans from the start of the launch's first kernel to the end of its last. Any thread; one lock,
 * held for a table look-up.
 */
#ifndef CUPTI_AGENT_GRAPHS_H
#define CUPTI_AGENT_GRAPHS_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
