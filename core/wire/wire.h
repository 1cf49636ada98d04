/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire: how the profiled process hands its events to lanescope. docs/wire.md is the contract.
 *
 * A producer (agent, bundled workload, generator) connects to the collector's Unix socket (path in the
 * environment variable LANESCOPE_SOCKET), creates a memfd ring, passes it over the socket with a hello, and
 * from then on writes 64-byte records into it: it reserves a record by compare-and-swap and publishes it by a
 * per-record sequence. One consumer reads. If the ring is full, the record is dropped and counted; an
 * application's thread is never blocked. The socket stays open: when it closes, the other side is gone.
 */
#ifndef CORE_WIRE_WIRE_H
#define CORE_WIRE_WIRE_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "core/base/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 1
#define WIRE_SOCKET_VARIABLE "LANESCOPE_SOCKET"
#define WIRE_RING_BYTES (64u << 20)
#define WIRE_BLOB_MAX_BYTES 65536u

enum wire_role {
    WIRE_ROLE_AGENT = 1,
    WIRE_ROLE_WORKLOAD = 2,
    WIRE_ROLE_GENERATOR = 3,
    WIRE_ROLE_SAMPLER = 4
};

/* Sent once over the socket with the memfd. */
struct wire_hello {
    char magic[8]; /* "lanescop" */
    uint32_t version, role;
    int32_t pid, parent_pid;
    uint64_t ring_bytes;
    int64_t start_ns;  /* CLOCK_REALTIME at the producer's start */
    uint32_t clock;    /* enum clock_kind */
    uint32_t run_mode; /* enum run_mode: does the agent trace or count? */
    int32_t rank;      /* -1 none */
    char host[64];
    char program[128]; /* base name of the executable */
};

/* ---- producer: any thread of the profiled process may emit ---- */
struct wire_producer;

/* Connects to the socket at path and hands over a ring. This function fills in the hello's magic, version,
 * pid, parent_pid, host, program and ring_bytes; the caller sets the rest. ring_bytes 0 = WIRE_RING_BYTES.
 * STATUS_IO if nobody listens. */
enum status wire_producer_create(struct wire_producer **producer, const char *path,
                                 const struct wire_hello *hello, size_t ring_bytes, struct error *error);

/* Unmaps and closes; sends nothing. A forked child calls wire_producer_abandon instead, which touches nothing
 * shared. */
void wire_producer_destroy(struct wire_producer *producer);
void wire_producer_abandon(struct wire_producer *producer);

/*
 * A producer of a program that waits to be attached to (core/wire/dormant.h): announcements are kept, other events
 * go nowhere, until it is connected; then it is like any other, with ids that stay the same from one collector to
 * the next. One thread connects and disconnects; others may emit at any time.
 */
enum status wire_producer_create_dormant(struct wire_producer **producer, struct error *error);
enum status wire_producer_connect(struct wire_producer *producer, const char *path,
                                  const struct wire_hello *hello, struct error *error);
void wire_producer_disconnect(struct wire_producer *producer);

/* Copies one event into the ring. False: the ring was full; the drop is counted by kind (and reported to the
 * consumer). Async-signal-safe. */
bool wire_emit(struct wire_producer *producer, const struct event *event);

/* Sends one blob, with all of its records or none. */
bool wire_emit_blob(struct wire_producer *producer, uint32_t type, uint32_t id, const void *bytes,
                    size_t size_bytes);

/* Sends a PROGRESS. kernel: the mangled name. */
bool wire_progress(struct wire_producer *producer, const char *kernel, const struct progress *progress);

/* Announces a string once and returns its id (1...); the same text has the same id. Thread-safe. 0 for NULL,
 * or when it could not be announced. */
uint32_t wire_string(struct wire_producer *producer, const char *text);

/* True once the collector has gone: stop producing. Cheap enough to call before every flush. A program may
 * have closed the socket: the collector reads the ring on then. */
bool wire_producer_orphaned(struct wire_producer *producer);

/* ---- consumer: one thread ---- */
struct wire_consumer;

/* Maps a ring received with its hello (checks both: sizes, magic, version, and that the fd is sealed). Closes
 * ring_fd on success. */
enum status wire_consumer_create(struct wire_consumer **consumer, int ring_fd, const struct wire_hello *hello,
                                 struct error *error);
void wire_consumer_destroy(struct wire_consumer *consumer);

/* Has the process mapped the ring? When its socket closes this tells a program that closed descriptors which
 * it did not open, and runs on, from one that ended or executed another: a process loses its memory before
 * its descriptors. */
bool wire_consumer_is_written(const struct wire_consumer *consumer, int32_t pid);

/* The next event; false if there is none yet. For BLOB events *blob points at the assembled bytes (valid
 * until the next call). A hostile or damaged ring never makes it read out of bounds or wait: a malformed
 * record is counted and skipped. After the producer has died, call wire_consumer_finish once: records that
 * were reserved but never published are then skipped. */
bool wire_consumer_next(struct wire_consumer *consumer, struct event *event, const uint8_t **blob);
void wire_consumer_finish(struct wire_consumer *consumer);

/* Sets the limit of wire_consumer_next to the producer's current position, until the next call. (Never
 * called: no limit.) This orders two rings: records that one ring had before the limit of the other was set
 * are read before the records of the other. */
void wire_consumer_limit(struct wire_consumer *consumer);

struct wire_stats {
    uint64_t received, malformed, torn;
    uint64_t dropped[EVENT_KIND_COUNT]; /* by the producer, since the start */
};
void wire_consumer_stats(const struct wire_consumer *consumer, struct wire_stats *stats);

/* ---- the socket ---- */
struct wire_listener;

/* In the names of the modules' code files, which agents write and which are removed with the folder. */
#define WIRE_FOLDER_CUBIN ".cubin"

/* Listens in a new folder with mode 0700 (under $XDG_RUNTIME_DIR, else $TMPDIR, else /tmp); destroy removes
 * it. Folders left by killed processes are removed, too. */
enum status wire_listener_create(struct wire_listener **listener, struct error *error);
void wire_listener_destroy(struct wire_listener *listener);
const char *wire_listener_path(const struct wire_listener *listener);
int wire_listener_fd(const struct wire_listener *listener); /* for poll */

/* Accepts one producer: checks the peer's uid, receives hello and ring. *connection_fd: poll it; readable
 * with EOF means that the producer is gone. STATUS_STATE: nobody is there, or only peers that have not sent
 * their hello yet: these are kept for later (wire_listener_fd is readable then) and rejected after a second.
 * STATUS_PERMISSION for a foreign uid, STATUS_FORMAT for an invalid hello; the connection is closed then.
 * Waits at most 0.1 s, and only for a new peer if no other one is waiting. */
enum status wire_listener_accept(struct wire_listener *listener, struct wire_consumer **consumer,
                                 struct wire_hello *hello, int *connection_fd, struct error *error);

#endif
