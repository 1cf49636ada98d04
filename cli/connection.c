/* Connections: draining rings, and telling what was lost. */
#include "cli/connection.h"

#include "cli/source_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void add_notice(struct session *session, int64_t now_ns, enum severity severity, uint32_t process,
                const char *text)
{
    const struct notice_row row = {
        .time_ns = now_ns,
        .text = session_add_string(session, text, strlen(text)),
        .process = process,
        .severity = (uint8_t)severity,
    };
    session_add_notice(session, &row);
}

enum status connection_create(struct connection **connection, struct peers *peers,
                              struct wire_consumer *consumer, const struct wire_hello *hello, int fd,
                              struct error *error)
{
    enum status status = STATUS_MEMORY;
    struct peer *peer = peers_join(peers, hello, error);
    struct connection *made = peer ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        error_set(error, status, "There is no memory to follow process %d (%s): it runs on untraced.",
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

/* Says once, at its end, what of a ring was no event. */
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
        snprintf(text, sizeof text, "%" PRIu64 " records of process %d (%s) made no sense and were left out.",
                 stats.malformed, peer->pid, peer->program);
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

uint64_t connection_drain(struct connection *connection, uint64_t most)
{
    struct event event;
    const uint8_t *blob;
    uint64_t taken = 0;
    while (taken < most && wire_consumer_next(connection->consumer, &event, &blob)) {
        intake_event(connection->intake, &event, blob);
        taken++;
    }
    return taken;
}

void connection_report_drops(struct connection *connection, int64_t now_ns)
{
    struct peer *peer = connection->peer;
    struct wire_stats stats;
    bool lost = false;
    wire_consumer_stats(connection->consumer, &stats);
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        const struct drop_row row = {
            .time_ns = now_ns,
            .count = stats.dropped[kind] - connection->dropped[kind],
            .process = peer->process,
            .kind = kind,
            .reason = DROP_RING_FULL,
        };
        if (row.count == 0)
            continue;
        session_add_drop(connection->session, &row);
        connection->dropped[kind] = stats.dropped[kind];
        lost = true;
    }
    if (!lost || peer->told_drops)
        return;
    peer->told_drops = true;
    char text[512];
    snprintf(text, sizeof text,
             "Process %d (%s) made events faster than they could be taken in, and some are missing: what is "
             "shown of it is not "
             "all that happened.",
             peer->pid, peer->program);
    add_notice(connection->session, now_ns, SEVERITY_WARNING, peer->process, text);
}

void connection_add_losses(const struct connection *connection, struct connection_losses *losses)
{
    struct wire_stats stats;
    wire_consumer_stats(connection->consumer, &stats);
    losses->malformed += stats.malformed;
    losses->torn += stats.torn;
    for (size_t kind = 0; kind < EVENT_KIND_COUNT; kind++)
        losses->dropped += stats.dropped[kind];
}
