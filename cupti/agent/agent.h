/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent: the state that all its parts share. One per process, created at injection, never freed:
 * application threads may be inside its callbacks until the process ends. `running` is the switch: when it is
 * false, callbacks and records are left alone.
 */
#ifndef CUPTI_AGENT_AGENT_H
#define CUPTI_AGENT_AGENT_H

#include "core/base/event.h"
#include "core/wire/agent_config.h"
#include "core/wire/wire.h"
#include "cupti/agent/launch_shape.h"
#include "cupti/agent/stacks/stacks.h"
#include "cupti/load/load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AGENT_FLUSH_MS 20u
#define AGENT_KICK_MS 2u /* nearest distance of two flushes */

struct agent {
    struct cupti cupti;
    struct agent_config config;
    struct wire_producer *wire;
    struct shapes *shapes;
    struct launches *launches; /* of a trace run */
    struct stacks *stacks;     /* NULL: call paths are not wanted */
    CUpti_SubscriberHandle subscriber;
    pid_t pid;    /* a forked child is not us */
    bool dormant; /* it begins when lanescope attaches */
    pthread_t thread;
    _Atomic bool running, stopping;
    _Atomic bool capturing; /* --capture includes the present moment */
    /* Number of open stream captures: nothing in them runs, and nothing may disturb them. */
    _Atomic int stream_captures;
    _Atomic uint32_t stream_epoch; /* changes when a stream is destroyed, since its handle may be reused */
    _Atomic bool driver_ready;     /* cuInit is done: devices can be queried */
    _Atomic bool distrusted;       /* CUPTI's records were found to be wrong */
    _Atomic uint32_t kick;         /* futex: 1 = the thread shall flush */
};

extern struct agent agent;

/* A run is one of three kinds: traced, counted (launches are measured one by one), or sampled. */
static inline bool agent_traces(void)
{
    return agent.config.mode == RUN_TRACE;
}

static inline bool agent_samples(void)
{
    return agent.config.mode == RUN_LINES && !agent.config.instructions;
}

static inline bool agent_counts(void)
{
    return !agent_traces() && !agent_samples();
}

int64_t agent_now_ns(void); /* CLOCK_REALTIME, CUPTI's clock */

/* Sends a sentence for the user. Any thread. */
void agent_notice(enum severity severity, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void agent_notice_error(const struct error *error);

/* Makes the next flush start earlier. Async-signal-safe. */
void agent_kick(void);

/* CUPTI's id of a stream of a context, remembered per thread. */
uint32_t agent_stream_id(CUcontext context, CUstream stream, bool per_thread);

/* callbacks.c: the only function that CUPTI calls, and its subscriptions. */
void CUPTIAPI callbacks_handle(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void *data);
enum status callbacks_subscribe(struct error *error);
void callbacks_unsubscribe(void);
/* Can CUPTI be subscribed to in this process? Nothing is subscribed after it. */
bool callbacks_try(void);

/* Announces the process's GPUs. A trace run does so on the agent's thread once cuInit is done; a
 * counter run in the callback of its first measured launch, since the chip's name comes from the profiler,
 * which only one thread may set up. */
bool devices_announce(void); /* False: the driver is not ready. */

/* Correlation of the last kernel of NCCL's that this thread launched; 0: none. */
uint32_t agent_nccl_launch(void);

/* ---- launches that have not been reported ---- */

/*
 * Launches whose kernel has not been reported yet, by correlation id. They serve to show long-running
 * kernels, and to check the first kernel record.
 *
 * Application threads enter launches; the thread that gets CUPTI's records ends them; the agent's thread
 * looks for old ones. No lock: a slot belongs to correlation % LAUNCHES_SLOTS, a later launch replaces it,
 * and a reader checks afterwards that the slot has not changed.
 */

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
