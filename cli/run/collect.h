/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector: the thread that receives the events of programs. It owns the socket they connect to, a ring
 * and an intake per connection, and it is the session's only writer from collector_start to collector_stop;
 * other threads ask it to write.
 *
 * Per process that connects it adds a process row, and a run row unless the process is one of our workloads
 * (they announce their runs themselves) or the sampler. A process ends when its connections do: its row then
 * gets the end, and the exit status once collector_child_exited was called. Runs of one program in the other
 * mode share a group: the n-th process of that name with the n-th.
 *
 * All functions but start and stop may be called from any thread. Times are ns of the session.
 */
#ifndef CLI_RUN_COLLECT_H
#define CLI_RUN_COLLECT_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/base/progress.h"
#include "core/session/session.h"

#include <stdint.h>
#include <sys/types.h>

struct collector;

/* Listens and starts the thread. The session remains the caller's and must outlive the collector. */
enum status collector_start(struct collector **collector, struct session *session, struct error *error);

/* Takes in all events that are in the rings now, marks work that has not ended, stops listening, joins the
 * thread, frees. Programs that still run continue untraced. Afterwards the session has no writer, and the
 * caller may be it. */
void collector_stop(struct collector *collector);

/* The value of LANESCOPE_SOCKET (WIRE_SOCKET_VARIABLE) in the programs' environment. Valid until the
 * collector is destroyed. */
const char *collector_socket_path(const struct collector *collector);

/* Tells the collector that a child was waited for; wait_status as from waitpid. Also ends its connections if
 * something else keeps them open. */
void collector_child_exited(struct collector *collector, pid_t pid, int wait_status);

/* Has a notice of lanescope's own written into the session. Copies the text. */
void collector_notice(struct collector *collector, enum severity severity, const char *text);

/* Has the session's one writer call `write` soon: its thread, or the one that stops it. `write` frees
 * context. If memory runs out it is called at once, without a session, only to free. */
void collector_write(struct collector *collector, void (*write)(struct session *session, void *context),
                     void *context);

/* The number of processes whose connections are open, or whose last events are still being taken in. 0 after
 * a child has exited: the session has all that it sent. */
unsigned collector_live_processes(const struct collector *collector);

/* How far the launch is that runs in one of the processes: what was reported last. False: none runs, or not
 * for long enough to be reported. */
struct collector_progress {
    uint32_t kernel; /* the session's string */
    struct progress of;
};
bool collector_progress(struct collector *collector, struct collector_progress *progress);

struct collector_stats {
    uint64_t events;             /* taken in */
    uint64_t dropped;            /* counted by the producers: their rings were full */
    uint64_t malformed, torn;    /* records that were not valid events; records reserved and never written */
    uint32_t processes, refused; /* connections accepted; connections rejected */
    int64_t
        last_event_ns; /* wall time at which the last event arrived, session ns; INT64_MIN before the first */
};
void collector_stats(const struct collector *collector, struct collector_stats *stats);

#endif
