/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection: one producer's ring, the intake it is read into, and the peer it belongs to. For the
 * collector, on its thread.
 */
#ifndef CLI_RUN_CONNECTION_H
#define CLI_RUN_CONNECTION_H

#include "cli/run/peer.h"
#include "core/intake/intake.h"
#include "core/wire/wire.h"

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

/* Takes over the consumer and the descriptor, also if it fails. */
enum status connection_create(struct connection **connection, struct peers *peers,
                              struct wire_consumer *consumer, const struct wire_hello *hello, int fd,
                              struct error *error);

/* Publishes the events that the intake still holds, reports losses, leaves the peer, frees. */
void connection_destroy(struct connection *connection, int64_t now_ns);

/* The producer has closed: no more records will be written to the ring. */
void connection_hang_up(struct connection *connection);

/* `fd` has something: the producer has closed, or has sent what it must not. Hangs up, unless the program
 * closed the socket with other descriptors and runs on (daemons do): its ring is read until it ends. */
void connection_hear(struct connection *connection, int64_t now_ns);

/* Reads at most `most` events and returns their number. It reads fewer if the session has no memory for them,
 * unless `most` is UINT64_MAX: events that are not kept are then counted. `drained`: the ring is empty. */
uint64_t connection_drain(struct connection *connection, uint64_t most);

/* Turns new losses, of the ring and of the intake, into drop rows. */
void connection_report_drops(struct connection *connection, int64_t now_ns);

/* Adds what was lost so far. */
struct connection_losses {
    uint64_t malformed, torn, dropped;
};
void connection_add_losses(const struct connection *connection, struct connection_losses *losses);

/* Adds a notice row; process NONE: of lanescope itself. False: no memory. */
bool add_notice(struct session *session, int64_t now_ns, enum severity severity, uint32_t process,
                const char *text);

#endif
