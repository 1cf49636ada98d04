/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: reads the events of each ring, and reports what was lost. */
#include "cli/run/connection.h"

#include "cli/process/source_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEMORY_LOOK_EVENTS 256u

bool add_notice(struct session *session, int64_t now_ns, enum severity severity, uint32_t process,
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

enum status connection_create(struct connection **connection, struct peers *peers,
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

void connection_destroy(struct connection *connection, int64_t now_ns)
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

void connection_hang_up(struct connection *connection)
{
    if (connection->fd < 0)
        return;
    close(connection->fd);
    connection->fd = -1;
    wire_consumer_finish(connection->consumer);
}

void connection_hear(struct connection *connection, int64_t now_ns)
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

uint64_t connection_drain(struct connection *connection, uint64_t most)
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

void connection_report_drops(struct connection *connection, int64_t now_ns)
{
    struct peer *peer = connection->peer;
    struct wire_stats stats;
    struct intake_stats taken;
    char text[512];
    wire_consumer_stats(connection->consumer, &stats);
    intake_stats(connection->intake, &taken);
    bool lost = add_drops(connection, stats.dropped, connection->dropped, DROP_RING_FULL, now_ns);
    bool refused = add_drops(connection, taken.refused, connection->refused, DROP_REFUSED, now_ns);
    add_drops(connection, taken.unkept, connection->unkept, DROP_NO_ROOM, now_ns); /* the collector says so */
    if (lost && !peer->told_drops) {
        peer->told_drops = true;
        snprintf(text, sizeof text,
                 "Process %d (%s) made events faster than lanescope could read them, and some are missing: "
                 "its work is shown incompletely.",
                 peer->pid, peer->program);
        add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
    }
    if (refused && !connection->told_refused) {
        connection->told_refused = true;
        snprintf(text, sizeof text,
                 "Process %d (%s) sent events with impossible times or contents: they are left out and "
                 "counted by kind.",
                 peer->pid, peer->program);
        add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
    }
    if (taken.ahead_ns > 0 && !connection->told_clock) {
        connection->told_clock = true;
        add_clock_notice(connection, taken.ahead_ns, now_ns);
    }
}

void connection_add_losses(const struct connection *connection, struct connection_losses *losses)
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
