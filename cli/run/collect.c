/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's thread: poll, accept, drain every ring into its intake, sleep a little.
 *
 * Rings have no bell, so while someone is connected the thread looks every 1 ms (events flow) to 10 ms
 * (nothing comes). The socket tells of new producers and of those that ended. Per round: end of connections
 * first, then the limits of all rings but workloads', then workloads' rings, then the others, so that a run
 * is known before its kernels (docs/wire.md, Order).
 *
 * While memory is out, or full of what the recording does not have yet, rings are left alone: they fill, and
 * their producers drop and count. At a program's end they are read whatever memory is left.
 */
#include "cli/run/collect.h"

#include "cli/process/source_reader.h"
#include "cli/run/peer.h"
#include "core/base/clock.h"
#include "core/intake/intake.h"
#include "core/wire/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A connection: one producer's ring, the intake it is read into, and the peer it belongs to. For the
 * collector, on its thread.
 */
struct connection {
    int fd;               /* the socket; -1: the other end is gone, and the ring is read to its end */
    bool watches_process; /* `fd` is a pidfd: the program closed its socket and runs on */
    uint8_t role;
    bool drained; /* the last round read all there was */
    struct session *session;
    struct wire_consumer *consumer;
    struct intake *intake;
    struct peer *peer;
    uint64_t dropped[EVENT_KIND_COUNT], refused[EVENT_KIND_COUNT],
        unkept[EVENT_KIND_COUNT]; /* already in drop rows */
    bool told_refused, told_clock;
    uint64_t progress_seen; /* number of its newest PROGRESS, and when that was seen */
    int64_t progress_ns;
};

/* Adds what was lost so far. */
struct connection_losses {
    uint64_t malformed, torn, dropped;
};

/* Connections: reads the events of each ring, and reports what was lost. */
#define MEMORY_LOOK_EVENTS 256u

/* Adds a notice row; process NONE: of lanescope itself. False: no memory. */
static bool add_notice(struct session *session, int64_t now_ns, enum severity severity, uint32_t process,
                       const char *text)
{
    const struct notice_row row = {
        .time_ns = now_ns,
        .text = session_add_string(session, text, strlen(text)),
        .process = process,
        .severity = (uint8_t)severity,
    };
    return row.text != 0 && session_add_notice(session, &row) != NONE;
}

/* Takes over the consumer and the descriptor, also if it fails. */
static enum status connection_create(struct connection **connection, struct peers *peers,
                                     struct wire_consumer *consumer, const struct wire_hello *hello, int fd,
                                     struct error *error)
{
    enum status status = STATUS_MEMORY;
    struct peer *peer = peers_join(peers, hello, error);
    struct connection *made = peer ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        error_set(error, status, "There is no memory to follow process %d (%s): it runs on without tracing.",
                  hello->pid, hello->program);
        goto fail;
    }
    status = intake_create(&made->intake, peers->session, peer->process, peer->run, error);
    if (status != STATUS_OK)
        goto fail;
    intake_set_sources(made->intake, peers->folder, source_reader_read, NULL);
    made->fd = fd;
    made->role = (uint8_t)hello->role;
    made->session = peers->session;
    made->consumer = consumer;
    made->peer = peer;
    *connection = made;
    return STATUS_OK;

fail:
    if (peer)
        peer_leave(peer, hello->start_ns - session_start_ns(peers->session));
    free(made);
    wire_consumer_destroy(consumer);
    close(fd);
    return status;
}

/* Reports once, at its end, the records of a ring that were not valid events. */
static void report_damage(const struct connection *connection, int64_t now_ns)
{
    char text[512];
    const struct peer *peer = connection->peer;
    struct wire_stats stats;
    wire_consumer_stats(connection->consumer, &stats);
    if (stats.torn > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " records of process %d (%s) were unfinished when it ended.",
                 stats.torn, peer->pid, peer->program);
        add_notice(connection->session, now_ns, SEVERITY_INFO, peer->process, text);
    }
    if (stats.malformed > 0) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " records of process %d (%s) were malformed and were left out.", stats.malformed,
                 peer->pid, peer->program);
        add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
    }
}

/* The producer has closed: no more records will be written to the ring. */
static void connection_hang_up(struct connection *connection)
{
    if (connection->fd < 0)
        return;
    close(connection->fd);
    connection->fd = -1;
    wire_consumer_finish(connection->consumer);
}

/* `fd` has something: the producer has closed, or has sent what it must not. Hangs up, unless the program
 * closed the socket with other descriptors and runs on (daemons do): its ring is read until it ends. */
static void connection_hear(struct connection *connection, int64_t now_ns)
{
    char text[512], byte;
    const struct peer *peer = connection->peer;
    if (connection->watches_process || recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0 ||
        !wire_consumer_is_written(connection->consumer, peer->pid)) {
        connection_hang_up(connection);
        return;
    }
    int process = (int)syscall(SYS_pidfd_open, peer->pid, 0);
    if (process >= 0) {
        close(connection->fd);
        connection->fd = process;
        connection->watches_process = true;
        return;
    }
    snprintf(
        text, sizeof text,
        "Process %d (%s) closed its connection to lanescope and runs on: what it does from now on is not "
        "recorded.",
        peer->pid, peer->program);
    add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
    connection_hang_up(connection);
}

/* Reads at most `most` events and returns their number. It reads fewer if the session has no memory for them,
 * unless `most` is UINT64_MAX: events that are not kept are then counted. `drained`: the ring is empty. */
static uint64_t connection_drain(struct connection *connection, uint64_t most)
{
    struct event event;
    const uint8_t *blob;
    uint64_t taken = 0;
    struct session_lost before, now;
    struct wire_stats stats;
    wire_consumer_stats(connection->consumer, &stats);
    if (stats.dropped[EVENT_RANGE_END] > 0)
        intake_tell_loss(connection->intake);
    session_lost(connection->session, &before);
    connection->drained = false;
    while (taken < most) {
        connection->drained = !wire_consumer_next(connection->consumer, &event, &blob);
        if (connection->drained)
            break;
        intake_event(connection->intake, &event, blob);
        taken++;
        if (taken % MEMORY_LOOK_EVENTS != 0 || most == UINT64_MAX)
            continue;
        session_lost(connection->session, &now);
        if (now.no_memory != before.no_memory)
            break;
    }
    return taken;
}

/* Turns losses that are not in drop rows yet into drop rows. Returns whether some were lost for this reason.
 */
static bool add_drops(struct connection *connection, const uint64_t *lost, uint64_t *told,
                      enum drop_reason reason, int64_t now_ns)
{
    bool any = false;
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        const struct drop_row row = {
            .time_ns = now_ns,
            .count = lost[kind] - told[kind],
            .process = connection->peer->process,
            .kind = kind,
            .reason = reason,
        };
        if (row.count == 0 || session_add_drop(connection->session, &row) == NONE)
            continue; /* no memory for the row: try again later */
        told[kind] = lost[kind];
        any = true;
    }
    return any;
}

static void add_clock_notice(struct connection *connection, int64_t ahead_ns, int64_t now_ns)
{
    char text[512];
    const struct peer *peer = connection->peer;
    snprintf(text, sizeof text,
             "The times of process %d (%s) are %.3f s ahead of lanescope's clock: the clock stepped. Its "
             "events keep the times that it gave.",
             peer->pid, peer->program, (double)ahead_ns / 1e9);
    add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
}

/* A warning about the process, if it was not given yet. */
static void report_once(struct connection *connection, bool *reported, int64_t now_ns, const char *what)
{
    const struct peer *peer = connection->peer;
    char text[512];
    if (*reported)
        return;
    *reported = true;
    snprintf(text, sizeof text, "Process %d (%s) %s", peer->pid, peer->program, what);
    add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
}

/* Turns new losses, of the ring and of the intake, into drop rows. */
static void connection_report_drops(struct connection *connection, int64_t now_ns)
{
    struct wire_stats stats;
    struct intake_stats taken;
    wire_consumer_stats(connection->consumer, &stats);
    intake_stats(connection->intake, &taken);
    bool lost = add_drops(connection, stats.dropped, connection->dropped, DROP_RING_FULL, now_ns);
    bool refused = add_drops(connection, taken.refused, connection->refused, DROP_REFUSED, now_ns);
    add_drops(connection, taken.unkept, connection->unkept, DROP_NO_ROOM, now_ns); /* the collector says so */
    if (lost)
        report_once(
            connection, &connection->peer->told_drops, now_ns,
            "made events faster than lanescope could read them, and some are missing: its work is shown "
            "incompletely.");
    if (refused)
        report_once(connection, &connection->told_refused, now_ns,
                    "sent events with impossible times or contents: they are left out and counted by kind.");
    if (taken.ahead_ns > 0 && !connection->told_clock) {
        connection->told_clock = true;
        add_clock_notice(connection, taken.ahead_ns, now_ns);
    }
}

/* Publishes the events that the intake still holds, reports losses, leaves the peer, frees. */
static void connection_destroy(struct connection *connection, int64_t now_ns)
{
    connection_hang_up(connection);
    intake_finish(connection->intake);
    connection_report_drops(connection, now_ns);
    report_damage(connection, now_ns);
    peer_leave(connection->peer, now_ns);
    intake_destroy(connection->intake);
    wire_consumer_destroy(connection->consumer);
    free(connection);
}

static void connection_add_losses(const struct connection *connection, struct connection_losses *losses)
{
    struct wire_stats stats;
    struct intake_stats taken;
    wire_consumer_stats(connection->consumer, &stats);
    intake_stats(connection->intake, &taken);
    losses->malformed += stats.malformed;
    losses->torn += stats.torn;
    for (size_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        losses->dropped += stats.dropped[kind] + taken.unkept[kind];
        losses->malformed += taken.refused[kind];
    }
}

/* ---- the rest ---- */
/* ---- memory that runs out ----
 * Decides whether the collector may read rings now: not while memory is exhausted, nor while it is full of
 * events that are not recorded yet. Memory has run out when the count of refused rows grew; after a pause an
 * allocation of PROBE_BYTES shows whether there is memory again. A zeroed struct is ready.
 */
#define PAUSE_NS 100000000
#define PROBE_BYTES ((size_t)8 << 20) /* this much must be free before events are taken in again */

struct collect_memory {
    uint64_t lost;         /* the session's no_memory at the last look */
    int64_t probe_next_ns; /* while it is out */
    bool is_out, told_out, told_lag;
};

/* Has memory run out since the last call, or is it still short? */
static bool memory_is_out(struct collect_memory *memory, const struct session *session, int64_t now_ns)
{
    struct session_lost lost;
    session_lost(session, &lost);
    if (lost.no_memory != memory->lost) {
        memory->lost = lost.no_memory;
        memory->is_out = true;
        memory->probe_next_ns = now_ns + PAUSE_NS;
    } else if (memory->is_out && now_ns >= memory->probe_next_ns) {
        void *probe = malloc(PROBE_BYTES);
        memory->is_out = !probe;
        memory->probe_next_ns = now_ns + PAUSE_NS;
        free(probe);
    }
    return memory->is_out;
}

/* Reports once that memory ran out, as soon as there is memory for the notice. */
static void collect_memory_report(struct collect_memory *memory, struct session *session, int64_t now_ns)
{
    struct session_lost lost;
    session_lost(session, &lost);
    if (lost.no_memory > 0 && !memory->told_out)
        memory->told_out = add_notice(session, now_ns, SEVERITY_ERROR, NONE,
                                      "lanescope ran out of memory: events are missing, also in the "
                                      "recording. Lost events are counted by kind.");
}

static bool collect_memory_allows(struct collect_memory *memory, struct session *session, int64_t now_ns)
{
    if (memory_is_out(memory, session, now_ns))
        return false;
    if (!session_recording_lags(session))
        return true;
    if (!memory->told_lag)
        add_notice(session, now_ns, SEVERITY_WARNING, NONE,
                   "Events arrive faster than they are recorded, and memory is full of events that are not "
                   "recorded yet: the rings of programs fill, and events that do not fit are dropped.");
    memory->told_lag = true;
    return false;
}

/* ---- the collector ---- */
#define CONNECTIONS_MAX 1024u
#define REST_WAIT_NS 10000000000
#define REST_PAUSE_NS 2000000
#define EVENTS_PER_ROUND 16384u /* events of one ring before it is the next ring's turn */
#define BUSY_SLEEP_MS 1
#define IDLE_SLEEP_MS 10
#define ENDING_SLEEP_MS 50 /* when nobody is connected, or the exit status of an ended process is awaited */
#define ACCEPT_PAUSE_NS 100000000 /* after accept failed, for example without free descriptors */
#define DROPS_EVERY_NS 250000000
#define REFUSALS_TOLD 16u

enum message_kind { MESSAGE_EXITED, MESSAGE_NOTICE, MESSAGE_WRITE };

struct message {
    struct message *next;
    enum message_kind kind;
    pid_t pid;
    int wait_status;
    enum severity severity;
    void (*write)(struct session *session, void *context); /* WRITE */
    void *context;
    char text[]; /* NOTICE */
};

struct collector {
    struct session *session;
    struct wire_listener *listener;
    int wake_fd;
    pthread_t thread;

    /* the thread's own */
    struct peers peers;
    struct connection *connections[CONNECTIONS_MAX];
    size_t count;
    struct pollfd polls[CONNECTIONS_MAX + 2];
    int sleep_ms;
    int64_t accept_after_ns, drops_after_ns;
    struct collect_memory memory;
    struct connection_losses ended; /* of connections that are no more */

    /* shared */
    pthread_mutex_t lock; /* of the messages and of `progress` */
    struct message *first_message, **last_message;
    struct collector_progress progress; /* of.over: none */
    atomic_bool stop;
    atomic_uint live, exits; /* exits: MESSAGE_EXITED not yet handled */
    _Atomic uint64_t events, dropped, malformed, torn;
    _Atomic uint32_t processes, refused;
    _Atomic int64_t last_event_ns;
};

/* Session time, now. */
static int64_t clock_ns(const struct collector *collector)
{
    return clock_real_ns() - session_start_ns(collector->session);
}

static void peer_refuse(struct collector *collector, const char *reason)
{
    if (atomic_fetch_add_explicit(&collector->refused, 1, memory_order_relaxed) < REFUSALS_TOLD)
        add_notice(collector->session, clock_ns(collector), SEVERITY_WARNING, NONE, reason);
}

/* Takes over what the listener accepted; rejects a connection that cannot be served. */
static void add_connection(struct collector *collector, struct wire_consumer *consumer,
                           const struct wire_hello *hello, int fd)
{
    struct error error;
    if (collector->count == CONNECTIONS_MAX) {
        wire_consumer_destroy(consumer);
        close(fd);
        error_set(&error, STATUS_UNSUPPORTED,
                  "Process %d (%s) is not traced: lanescope can follow %u processes at once. It runs on.",
                  hello->pid, hello->program, CONNECTIONS_MAX);
    } else if (connection_create(&collector->connections[collector->count], &collector->peers, consumer,
                                 hello, fd, &error) == STATUS_OK) {
        collector->count++;
        atomic_store_explicit(&collector->processes, (uint32_t)collector->peers.count, memory_order_relaxed);
        return;
    }
    peer_refuse(collector, error.text);
}

/* Everyone who waits at the door. */
static void accept_all(struct collector *collector)
{
    while (clock_ns(collector) >= collector->accept_after_ns) {
        struct error error;
        struct wire_consumer *consumer;
        struct wire_hello hello;
        int fd;
        enum status status = wire_listener_accept(collector->listener, &consumer, &hello, &fd, &error);
        if (status == STATUS_STATE)
            return;
        if (status == STATUS_OK) {
            add_connection(collector, consumer, &hello, fd);
        } else {
            peer_refuse(collector, error.text);
            if (status == STATUS_IO || status == STATUS_MEMORY)
                collector->accept_after_ns = clock_ns(collector) + ACCEPT_PAUSE_NS;
        }
    }
}

/* Reads all rings once; at most `share` events of each, except from workloads' rings. *more: some ring had
 * this many. */
static uint64_t drain_all(struct collector *collector, uint64_t share, bool *more)
{
    uint64_t taken = 0;
    *more = false;
    for (size_t i = 0; i < collector->count; i++)
        if (collector->connections[i]->role != WIRE_ROLE_WORKLOAD)
            wire_consumer_limit(collector->connections[i]->consumer);
    for (size_t i = 0; i < collector->count; i++) {
        struct connection *connection = collector->connections[i];
        if (connection->role == WIRE_ROLE_WORKLOAD) {
            wire_consumer_limit(connection->consumer);
            taken += connection_drain(connection, UINT64_MAX);
        }
    }
    for (size_t i = 0; i < collector->count; i++) {
        struct connection *connection = collector->connections[i];
        if (connection->role == WIRE_ROLE_WORKLOAD)
            continue;
        taken += connection_drain(connection, share);
        *more |= !connection->drained;
    }
    return taken;
}

/* Does the process have an agent's connection? */
static bool has_agent(const struct collector *collector, const struct peer *peer)
{
    for (size_t i = 0; i < collector->count; i++) {
        const struct connection *other = collector->connections[i];
        if (other->peer == peer && other->role != WIRE_ROLE_WORKLOAD)
            return true;
    }
    return false;
}

/* Removes connections that have ended and are read to their end. A workload's connection stays until its
 * agent's is gone, because it has the runs. */
static void remove_ended(struct collector *collector)
{
    for (size_t i = collector->count; i-- > 0;) { /* an agent comes after its workload */
        struct connection *connection = collector->connections[i];
        bool needed = connection->role == WIRE_ROLE_WORKLOAD && has_agent(collector, connection->peer);
        if (connection->fd >= 0 || !connection->drained || needed)
            continue;
        collector->count--;
        memmove(&collector->connections[i], &collector->connections[i + 1],
                (collector->count - i) * sizeof collector->connections[0]);
        connection_add_losses(connection, &collector->ended);
        connection_destroy(connection, clock_ns(collector));
    }
}

static void collector_publish(struct collector *collector, uint64_t taken)
{
    struct connection_losses losses = collector->ended;
    for (size_t i = 0; i < collector->count; i++)
        connection_add_losses(collector->connections[i], &losses);
    if (taken > 0) {
        atomic_fetch_add_explicit(&collector->events, taken, memory_order_relaxed);
        atomic_store_explicit(&collector->last_event_ns, clock_ns(collector), memory_order_relaxed);
    }
    atomic_store_explicit(&collector->malformed, losses.malformed, memory_order_relaxed);
    atomic_store_explicit(&collector->torn, losses.torn, memory_order_relaxed);
    atomic_store_explicit(&collector->dropped, losses.dropped, memory_order_relaxed);
}

static void publish_progress(struct collector *collector)
{
    struct collector_progress newest = {.of = {.over = true}};
    int64_t newest_ns = INT64_MIN;
    for (size_t i = 0; i < collector->count; i++) {
        struct connection *connection = collector->connections[i];
        const struct intake_progress *progress = intake_progress(connection->intake);
        if (progress->number != connection->progress_seen) {
            connection->progress_seen = progress->number;
            connection->progress_ns = clock_ns(collector);
        }
        if (progress->number == 0 || progress->of.over || connection->progress_ns < newest_ns)
            continue;
        newest = (struct collector_progress){progress->kernel, progress->of};
        newest_ns = connection->progress_ns;
    }
    pthread_mutex_lock(&collector->lock);
    collector->progress = newest;
    pthread_mutex_unlock(&collector->lock);
}

static struct message *take_messages(struct collector *collector)
{
    pthread_mutex_lock(&collector->lock);
    struct message *first = collector->first_message;
    collector->first_message = NULL;
    collector->last_message = &collector->first_message;
    pthread_mutex_unlock(&collector->lock);
    return first;
}

/* Handles the messages; returns how many of them are exits. A process that exited may not have been accepted
 * yet, and a child of it may keep its connection open. */
static unsigned handle_messages(struct collector *collector, struct message *message)
{
    unsigned exits = 0;
    while (message) {
        struct message *next = message->next;
        if (message->kind == MESSAGE_NOTICE) {
            add_notice(collector->session, clock_ns(collector), message->severity, NONE, message->text);
        } else if (message->kind == MESSAGE_WRITE) {
            message->write(collector->session, message->context);
        } else {
            for (size_t i = 0; i < collector->count; i++)
                if (collector->connections[i]->peer->pid == message->pid)
                    connection_hang_up(collector->connections[i]);
            peers_exited(&collector->peers, message->pid, message->wait_status, clock_ns(collector));
            exits++;
        }
        free(message);
        message = next;
    }
    return exits;
}

/* Reads all that the rings have, at the pace at which it is recorded, or else it would all be in memory: a
 * ring has up to a million events. Not for ever, since the recording may be locked. */
static uint64_t drain_rest(struct collector *collector)
{
    const int64_t until_ns = clock_monotonic_ns() + REST_WAIT_NS;
    uint64_t taken = 0;
    for (bool more = true; more && clock_monotonic_ns() < until_ns;)
        if (session_recording_lags(collector->session))
            clock_pause(REST_PAUSE_NS);
        else
            taken += drain_all(collector, EVENTS_PER_ROUND, &more);
    bool more;
    return taken + drain_all(collector, UINT64_MAX, &more);
}

static int longer_sleep_ms(int sleep_ms)
{
    if (sleep_ms < BUSY_SLEEP_MS)
        return BUSY_SLEEP_MS;
    return 2 * sleep_ms < IDLE_SLEEP_MS ? 2 * sleep_ms : IDLE_SLEEP_MS;
}

static void take_round(struct collector *collector, bool stopping)
{
    /* Read the messages before accepting: a process that exited has connected, or waits to be accepted. */
    struct message *messages = take_messages(collector);
    accept_all(collector);
    unsigned exits = handle_messages(collector, messages);
    for (size_t i = 0; stopping && i < collector->count; i++)
        connection_hang_up(collector->connections[i]);

    bool last = stopping || exits > 0;
    uint64_t taken = 0;
    bool more = false;
    bool may = collect_memory_allows(&collector->memory, collector->session, clock_ns(collector));
    if (last || may)
        taken = last ? drain_rest(collector) : drain_all(collector, EVENTS_PER_ROUND, &more);
    for (size_t i = 0; !last && !may && i < collector->count; i++)
        collector->connections[i]->drained = false;
    collector_publish(collector, taken);
    do
        remove_ended(collector);
    while (stopping && collector->count > 0);
    publish_progress(collector);
    int64_t now_ns = clock_ns(collector);
    if (now_ns >= collector->drops_after_ns) {
        collector->drops_after_ns = now_ns + DROPS_EVERY_NS;
        for (size_t i = 0; i < collector->count; i++)
            connection_report_drops(collector->connections[i], now_ns);
        collect_memory_report(&collector->memory, collector->session, now_ns);
    }
    if (stopping)
        collect_memory_report(&collector->memory, collector->session, now_ns);
    bool waiting = peers_end(&collector->peers, now_ns, stopping);
    atomic_store_explicit(&collector->live, peers_live(&collector->peers), memory_order_release);
    atomic_fetch_sub_explicit(&collector->exits, exits, memory_order_release);

    if (more)
        collector->sleep_ms = 0;
    else if (taken > 0)
        collector->sleep_ms = BUSY_SLEEP_MS;
    else if (collector->count > 0)
        collector->sleep_ms = longer_sleep_ms(collector->sleep_ms);
    else
        collector->sleep_ms = waiting ? ENDING_SLEEP_MS : -1;
}

/* Sleeps until a connection, an end or a message arrives, or until the rings should be read again. */
static void wait_round(struct collector *collector)
{
    struct pollfd *polls = collector->polls;
    bool door_open = clock_ns(collector) >= collector->accept_after_ns;
    polls[0] = (struct pollfd){.fd = collector->wake_fd, .events = POLLIN};
    polls[1] =
        (struct pollfd){.fd = door_open ? wire_listener_fd(collector->listener) : -1, .events = POLLIN};
    for (size_t i = 0; i < collector->count; i++)
        polls[2 + i] = (struct pollfd){.fd = collector->connections[i]->fd, .events = POLLIN};
    int sleep_ms = !door_open && collector->sleep_ms < 0 ? ENDING_SLEEP_MS : collector->sleep_ms;
    if (poll(polls, 2 + collector->count, sleep_ms) <= 0)
        return;
    uint64_t calls;
    if (polls[0].revents && read(collector->wake_fd, &calls, sizeof calls) != (ssize_t)sizeof calls)
        return;
    for (size_t i = 0; i < collector->count; i++)
        if (polls[2 + i].revents)
            connection_hear(collector->connections[i], clock_ns(collector));
}

static void *collector_run(void *context)
{
    struct collector *collector = context;
    while (!atomic_load_explicit(&collector->stop, memory_order_acquire)) {
        take_round(collector, false);
        wait_round(collector);
    }
    take_round(collector, true);
    return NULL;
}

/* ---- for everybody ---- */
static enum status start_thread(struct collector *collector, struct error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread that reads the terminal handles signals */
    int failure = pthread_create(&collector->thread, NULL, collector_run, collector);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        return error_set_errno(error, STATUS_MEMORY, failure,
                               "The thread that reads events could not be started");
    return STATUS_OK;
}

enum status collector_start(struct collector **collector, struct session *session, struct error *error)
{
    enum status status;
    struct collector *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to read events");
    made->session = session;
    made->last_message = &made->first_message;
    made->progress.of.over = true;
    atomic_store(&made->last_event_ns, INT64_MIN);
    peers_init(&made->peers, session);
    pthread_mutex_init(&made->lock, NULL);
    made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made->wake_fd < 0) {
        status =
            error_set_errno(error, STATUS_IO, errno, "The collector of events could not be set up (eventfd)");
        goto fail;
    }
    status = wire_listener_create(&made->listener, error);
    if (status != STATUS_OK)
        goto fail;
    status = start_thread(made, error);
    if (status != STATUS_OK)
        goto fail;
    *collector = made;
    return STATUS_OK;

fail:
    wire_listener_destroy(made->listener);
    if (made->wake_fd >= 0)
        close(made->wake_fd);
    pthread_mutex_destroy(&made->lock);
    free(made);
    return status;
}

static void collector_wake(struct collector *collector)
{
    const uint64_t one = 1;
    while (write(collector->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void collector_stop(struct collector *collector)
{
    if (!collector)
        return;
    atomic_store_explicit(&collector->stop, true, memory_order_release);
    collector_wake(collector);
    pthread_join(collector->thread, NULL);
    peers_fini(&collector->peers);
    wire_listener_destroy(collector->listener);
    close(collector->wake_fd);
    pthread_mutex_destroy(&collector->lock);
    free(collector);
}

const char *collector_socket_path(const struct collector *collector)
{
    return wire_listener_path(collector->listener);
}

static void collector_post(struct collector *collector, struct message *message)
{
    pthread_mutex_lock(&collector->lock);
    *collector->last_message = message;
    collector->last_message = &message->next;
    pthread_mutex_unlock(&collector->lock);
    collector_wake(collector);
}

void collector_child_exited(struct collector *collector, pid_t pid, int wait_status)
{
    struct message *message = calloc(1, sizeof *message);
    if (!message)
        return;
    message->kind = MESSAGE_EXITED;
    message->pid = pid;
    message->wait_status = wait_status;
    atomic_fetch_add_explicit(&collector->exits, 1, memory_order_relaxed);
    collector_post(collector, message);
}

void collector_notice(struct collector *collector, enum severity severity, const char *text)
{
    size_t size = strlen(text) + 1;
    struct message *message = calloc(1, sizeof *message + size);
    if (!message)
        return;
    message->kind = MESSAGE_NOTICE;
    message->severity = severity;
    memcpy(message->text, text, size);
    collector_post(collector, message);
}

void collector_write(struct collector *collector, void (*write)(struct session *session, void *context),
                     void *context)
{
    struct message *message = calloc(1, sizeof *message);
    if (!message) {
        write(NULL, context);
        return;
    }
    message->kind = MESSAGE_WRITE;
    message->write = write;
    message->context = context;
    collector_post(collector, message);
}

unsigned collector_live_processes(const struct collector *collector)
{
    /* read exits first: it is reduced only after live was counted again */
    unsigned exits = atomic_load_explicit(&collector->exits, memory_order_acquire);
    return exits + atomic_load_explicit(&collector->live, memory_order_acquire);
}

bool collector_progress(struct collector *collector, struct collector_progress *progress)
{
    pthread_mutex_lock(&collector->lock);
    *progress = collector->progress;
    pthread_mutex_unlock(&collector->lock);
    return !progress->of.over;
}

void collector_stats(const struct collector *collector, struct collector_stats *stats)
{
    *stats = (struct collector_stats){
        .events = atomic_load_explicit(&collector->events, memory_order_relaxed),
        .dropped = atomic_load_explicit(&collector->dropped, memory_order_relaxed),
        .malformed = atomic_load_explicit(&collector->malformed, memory_order_relaxed),
        .torn = atomic_load_explicit(&collector->torn, memory_order_relaxed),
        .processes = atomic_load_explicit(&collector->processes, memory_order_relaxed),
        .refused = atomic_load_explicit(&collector->refused, memory_order_relaxed),
        .last_event_ns = atomic_load_explicit(&collector->last_event_ns, memory_order_relaxed),
    };
}
