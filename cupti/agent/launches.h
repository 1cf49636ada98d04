/*
 * Launches whose kernel has not been reported yet, by correlation id. They serve to show long-running
 * kernels, and to check the first kernel record.
 *
 * Application threads enter launches; the thread that gets CUPTI's records ends them; the agent's thread
 * looks for old ones. No lock: a slot belongs to correlation % LAUNCHES_SLOTS, a later launch replaces it,
 * and a reader checks afterwards that the slot has not changed.
 */
#ifndef CUPTI_AGENT_LAUNCHES_H
#define CUPTI_AGENT_LAUNCHES_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAUNCHES_SLOTS 4096u

struct launches;

struct launches *launches_create(void); /* NULL: no memory */
void launches_destroy(struct launches *launches);

/* call: an EVENT_CALL_BEGIN with start_ns and correlation; shape: the EVENT_SHAPE as far as the call has it,
 * id 0. */
void launches_enter(struct launches *launches, const struct event *call, const struct event *shape);

/* The kernel is done, or was never launched. */
void launches_end(struct launches *launches, uint32_t correlation);

/* Reads both events of a launch in the table; false: it is not there. */
bool launches_find(struct launches *launches, uint32_t correlation, struct event *call, struct event *shape);

/* Removes launches that began before `before_ns` from the table, at most `room`; their events go to calls[i]
 * and shapes[i]. Sets *oldest_ns to the start of the oldest one that stays, or INT64_MAX. */
size_t launches_take_old(struct launches *launches, int64_t before_ns, struct event *calls,
                         struct event *shapes, size_t room, int64_t *oldest_ns);

#endif
