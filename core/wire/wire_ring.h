/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of the wire's ring in its memfd, and the rules by which both sides access it. Only for
 * core/wire/wire_*.c, their tests and the generator's faults; docs/wire.md describes the same.
 *
 * One page of counters, then a power of two of 64-byte records. Positions count records since the start and
 * never wrap (64 bits); position p lies in record p & (count - 1). `head` is the first position not reserved,
 * moved by producers with a compare-and-swap after they saw room; `tail` is the first position not consumed,
 * moved by the consumer alone. A record is published by the release store of its first word, whose low half
 * is the low 32 bits of p + 1: memory of an earlier lap, or never written, holds another value. Every access
 * to shared memory is a single atomic access of 64 bits; a value is never read twice.
 */
#ifndef CORE_WIRE_WIRE_RING_H
#define CORE_WIRE_WIRE_RING_H

#include "core/base/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#define WIRE_RING_HEAD_BYTES 4096u
#define WIRE_RECORD_BYTES 64u
#define WIRE_RECORD_WORDS 8u
#define WIRE_RING_MIN_BYTES 4096u
#define WIRE_RING_MAX_BYTES (1u << 30)
#define WIRE_MAGIC "lanescop" /* 8 bytes, no terminator */

/* Bytes of a blob in its first record and in each later one. */
#define WIRE_BLOB_HEAD_BYTES 40u
#define WIRE_BLOB_DATA_BYTES 56u

struct wire_ring {
    _Alignas(64) _Atomic uint64_t head;
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) _Atomic uint64_t dropped[EVENT_KIND_COUNT]; /* by the producer, since the start */
    _Alignas(WIRE_RING_HEAD_BYTES) _Atomic uint64_t words[][WIRE_RECORD_WORDS];
};

_Static_assert(offsetof(struct wire_ring, words) == WIRE_RING_HEAD_BYTES,
               "the records begin on the second page");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "two processes share these words");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the sequence is the low half of the first word");

static inline bool wire_ring_bytes_valid(uint64_t ring_bytes)
{
    return ring_bytes >= WIRE_RING_MIN_BYTES && ring_bytes <= WIRE_RING_MAX_BYTES &&
           (ring_bytes & (ring_bytes - 1)) == 0;
}

static inline size_t wire_blob_records(size_t size_bytes)
{
    if (size_bytes <= WIRE_BLOB_HEAD_BYTES)
        return 1;
    return 1 + (size_bytes - WIRE_BLOB_HEAD_BYTES + WIRE_BLOB_DATA_BYTES - 1) / WIRE_BLOB_DATA_BYTES;
}

/* Is it a kind that later events refer to, or that reports a state? The last sixteenth of the ring is
 * reserved for these, so that a flood of kernels loses kernels and not the names of later ones. */
static inline bool wire_kind_has_reserve(uint8_t kind)
{
    switch (kind) {
    case EVENT_BLOB:
    case EVENT_SHAPE:
    case EVENT_CONTEXT:
    case EVENT_STREAM:
    case EVENT_RUN_BEGIN:
    case EVENT_RUN_END:
    case EVENT_WATERMARK:
    case EVENT_DROPPED:
    case EVENT_NOTICE:
    case EVENT_SERIES:
    case EVENT_FUNCTION:
    case EVENT_STACK:
    case EVENT_GOODBYE: return true;
    default: return false;
    }
}

/* The ring that a producer writes, and its number of records, for tests that damage it. */
struct wire_producer;
struct wire_ring *wire_producer_ring(struct wire_producer *producer, uint64_t *count);

/*
 * The folder of a collector's socket: BASE/lanescope-XXXXXX, mode 0700, with the socket `wire` in it, the
 * link to the sampling control page (core/wire/sampling_control.h), and the code of modules. The folder is
 * locked (flock) while its lanescope runs, however that ends: a folder that has a socket and no lock was left
 * by a killed process, and the next lanescope that makes a folder there removes it. In wire_listener.c, and for its test.
 */

struct wire_folder {
    struct sockaddr_un address; /* of the socket */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    int lock;
};

/* Removes the folders that killed processes of this user left in base, makes a folder and binds `fd` to a
 * socket in it. False: it failed; errno is set and nothing is left behind. */
bool wire_folder_make(struct wire_folder *folder, const char *base, int fd);

/* Removes the folder, if this process made it. */
void wire_folder_remove(struct wire_folder *folder);

#endif
