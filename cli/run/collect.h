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
#include "core/session/session.h"

#include <stdint.h>
#include <sys/types.h>

struct collector;

/* Listens and starts the thread. The session stays the caller's and must outlive the collector. */
enum status collector_start(struct collector **collector, struct session *session, struct error *error);

/* Take in all that is in the rings now, mark what has not ended, stop listening, join the thread, free.
 * Programs that still run go on untraced. Afterwards the session has no writer, and the caller may be it. */
void collector_stop(struct collector *collector);

/* The value of LANESCOPE_SOCKET (WIRE_SOCKET_VARIABLE) in the programs' environment. Valid until the
 * collector is destroyed. */
const char *collector_socket_path(const struct collector *collector);

/* A child has been waited for; wait_status as waitpid gave it. Also finishes its connections when something
 * else keeps them open. */
void collector_child_exited(struct collector *collector, pid_t pid, int wait_status);

/* Have a notice of lanescope itself written into the session. The text is copied. */
void collector_notice(struct collector *collector, enum severity severity, const char *text);

/* Have the session's one writer call `write`, soon: its thread, or the one that stops it. context is write's
 * to free, also by then. When memory runs out it is called here only to free: with no session. */
void collector_write(struct collector *collector, void (*write)(struct session *session, void *context),
                     void *context);

/* Processes whose connections are open, or whose last events are still being taken in. 0 after a child has
 * exited: all it sent is in the session. */
unsigned collector_live_processes(const struct collector *collector);

struct collector_stats {
    uint64_t events;             /* taken in */
    uint64_t dropped;            /* the producers' own count: their rings were full */
    uint64_t malformed, torn;    /* records that were no events; records reserved and never written */
    uint32_t processes, refused; /* that connected; connections turned away */
    int64_t
        last_event_ns; /* wall time at which the last event came in, session ns; INT64_MIN before the first */
};
void collector_stats(const struct collector *collector, struct collector_stats *stats);

#endif
