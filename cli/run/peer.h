/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer: one process that sends events, and its rows in the session. For the collector, on its thread.
 *
 * Created with the process's first connection and removed when the last one has ended. Its rows are then
 * ended as soon as its exit status is known or PEER_STATUS_WAIT_NS have passed without one (only children of
 * lanescope are waited for, not their children).
 */
#ifndef CLI_RUN_PEER_H
#define CLI_RUN_PEER_H

#include "core/session/session.h"
#include "core/wire/wire.h"

#include <stdbool.h>
#include <stdint.h>

#define PEER_STATUS_WAIT_NS 500000000

struct peer {
    int32_t pid;
    uint32_t process, run; /* rows; run NONE: a workload, which announces its runs itself, or the sampler */
    unsigned connections;  /* open */
    uint32_t roles;        /* a bit for each that it has connected in */
    int64_t gone_ns;       /* when the last connection ended; INT64_MIN while it has any */
    int32_t exit_status;   /* -1 not known */
    bool ended;            /* the rows have their end */
    bool told_drops;
    bool sampler; /* ours, and nobody's program */
    char program[128];
};

struct peers {
    struct session *session;
    char folder[4096];  /* lanescope's working folder: sources below it are shown relative to it */
    struct peer **list; /* all since the start, in order of arrival */
    size_t count, capacity;
};

void peers_init(struct peers *peers, struct session *session);
void peers_fini(struct peers *peers);

/* The peer that a new connection belongs to: the living one with this pid that has not
 * connected in this role yet, else a new one with its rows: a program that has executed another one, whose own
 * connection may still be open. NULL: out of memory. */
struct peer *peers_join(struct peers *peers, const struct wire_hello *hello, struct error *error);

/* One of its connections has ended, at now_ns (session time). */
void peer_leave(struct peer *peer, int64_t now_ns);

/* Passes the status of waitpid for a pid to the newest peer with this pid. */
void peers_exited(struct peers *peers, int32_t pid, int wait_status, int64_t now_ns);

/* Ends the rows of peers that have ended and whose status need not be waited for; with `all`, of all peers.
 * True: some still wait. */
bool peers_end(struct peers *peers, int64_t now_ns, bool all);

/* Number of peers with connections, without samplers, which live as long as the session. */
unsigned peers_live(const struct peers *peers);

#endif
