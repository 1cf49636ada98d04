/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consuming end of the wire. Another process writes this memory, perhaps while it is read, perhaps
 * maliciously: each word is read once into private memory, and only the copy is used. Nothing read from the
 * ring is used as an address, and every loop has a bound that the ring does not set.
 */
#include "core/wire/wire.h"

#include "core/wire/wire_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TAIL_EVERY 256u      /* records between two stores of the tail, whose cache line producers read */
#define SKIPS_PER_CALL 4096u /* malformed records skipped before the call returns */

struct wire_consumer {
    struct wire_ring *ring;
    size_t map_bytes;
    dev_t device; /* of the ring's file */
    ino_t inode;
    uint64_t count;
    uint64_t tail;           /* next position to read */
    uint64_t published_tail; /* what the producers know of it */
    uint64_t end;            /* reading stops here; UINT64_MAX: at the first unpublished record */
    bool finishing;
    bool after_torn; /* stray BLOB_DATA that follows is of the incomplete blob */
    uint64_t received, malformed, torn;
    uint8_t blob[WIRE_BLOB_HEAD_BYTES + WIRE_BLOB_MAX_BYTES + WIRE_BLOB_DATA_BYTES];
};

static enum status check_hello(const struct wire_hello *hello, struct error *error)
{
    if (memcmp(hello->magic, WIRE_MAGIC, sizeof hello->magic) != 0)
        return error_set(error, STATUS_FORMAT,
                         "A process that is not a producer of events connected; it was rejected.");
    if (hello->version != WIRE_VERSION)
        return error_set(error, STATUS_VERSION,
                         "Process %d uses version %u of the wire and this lanescope version %u: use the "
                         "agent that belongs to this lanescope.",
                         hello->pid, hello->version, WIRE_VERSION);
    if (!wire_ring_bytes_valid(hello->ring_bytes) || hello->role < WIRE_ROLE_AGENT ||
        hello->role > WIRE_ROLE_SAMPLER || hello->clock > CLOCK_MODEL || hello->run_mode >= RUN_MODE_COUNT)
        return error_set(error, STATUS_FORMAT,
                         "Process %d sent impossible values in its handshake; it was rejected.", hello->pid);
    return STATUS_OK;
}

enum status wire_consumer_create(struct wire_consumer **consumer, int ring_fd, const struct wire_hello *hello,
                                 struct error *error)
{
    enum status status = check_hello(hello, error);
    if (status != STATUS_OK)
        return status;

    struct stat file;
    int seals = fcntl(ring_fd, F_GET_SEALS);
    size_t map_bytes = WIRE_RING_HEAD_BYTES + (size_t)hello->ring_bytes;
    if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW) ||
        fstat(ring_fd, &file) != 0 || file.st_size != (off_t)map_bytes)
        return error_set(error, STATUS_FORMAT,
                         "The event ring of process %d is not sealed, or not as large as announced; the "
                         "process was rejected.",
                         hello->pid);

    struct wire_consumer *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to read the events of process %d", hello->pid);
    made->ring = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
    if (made->ring == MAP_FAILED) {
        status = error_set_errno(error, STATUS_IO, errno, "The event ring of process %d could not be mapped",
                                 hello->pid);
        free(made);
        return status;
    }
    made->map_bytes = map_bytes;
    made->device = file.st_dev;
    made->inode = file.st_ino;
    made->count = hello->ring_bytes / WIRE_RECORD_BYTES;
    made->end = UINT64_MAX;
    close(ring_fd);
    *consumer = made;
    return STATUS_OK;
}

void wire_consumer_destroy(struct wire_consumer *consumer)
{
    if (!consumer)
        return;
    munmap(consumer->ring, consumer->map_bytes);
    free(consumer);
}

bool wire_consumer_is_written(const struct wire_consumer *consumer, int32_t pid)
{
    char line[512];
    unsigned int major, minor;
    unsigned long inode;
    bool found = false;
    if (pid == getpid()) /* the mapping is the consumer's own */
        return false;
    snprintf(line, sizeof line, "/proc/%d/maps", pid);
    FILE *maps = fopen(line, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = sscanf(line, "%*x-%*x %*s %*x %x:%x %lu", &major, &minor, &inode) == 3 &&
                makedev(major, minor) == consumer->device && inode == consumer->inode;
    if (maps)
        fclose(maps);
    return found;
}

static void publish_tail(struct wire_consumer *consumer)
{
    if (consumer->published_tail == consumer->tail)
        return;
    atomic_store_explicit(&consumer->ring->tail, consumer->tail, memory_order_release);
    consumer->published_tail = consumer->tail;
}

/* Copies the record at a position; false if it is not published. */
static bool read_record(const struct wire_consumer *consumer, uint64_t position, struct event *event)
{
    _Atomic uint64_t *shared = consumer->ring->words[position & (consumer->count - 1)];
    uint64_t words[WIRE_RECORD_WORDS];
    words[0] = atomic_load_explicit(&shared[0], memory_order_acquire);
    if ((uint32_t)words[0] != (uint32_t)(position + 1))
        return false;
    for (size_t i = 1; i < WIRE_RECORD_WORDS; i++)
        words[i] = atomic_load_explicit(&shared[i], memory_order_relaxed);
    memcpy(event, words, sizeof *event);
    event->sequence = 0;
    return true;
}

/* Assembles the blob whose first record (already consumed) is given. False if its other records are missing.
 */
static bool read_blob(struct wire_consumer *consumer, const struct event *first)
{
    size_t size_bytes = first->blob.size_bytes;
    if (size_bytes > WIRE_BLOB_MAX_BYTES)
        return false;
    size_t others = wire_blob_records(size_bytes) - 1;
    if (others >= consumer->count || others > consumer->end - consumer->tail)
        return false;
    memcpy(consumer->blob, first->blob.head, WIRE_BLOB_HEAD_BYTES);
    for (size_t i = 0; i < others; i++) {
        struct event data;
        if (!read_record(consumer, consumer->tail + i, &data) || data.kind != EVENT_BLOB_DATA)
            return false;
        memcpy(consumer->blob + WIRE_BLOB_HEAD_BYTES + i * WIRE_BLOB_DATA_BYTES, data.bytes,
               WIRE_BLOB_DATA_BYTES);
    }
    consumer->tail += others;
    return true;
}

bool wire_consumer_next(struct wire_consumer *consumer, struct event *event, const uint8_t **blob)
{
    unsigned skips = 0;
    *blob = NULL;
    while (consumer->tail != consumer->end && (consumer->finishing || skips < SKIPS_PER_CALL)) {
        if (!read_record(consumer, consumer->tail, event)) {
            if (!consumer->finishing)
                break;
            consumer->torn++;
            consumer->after_torn = true;
            consumer->tail++;
            continue;
        }
        consumer->tail++;
        if (event->kind == EVENT_BLOB && read_blob(consumer, event))
            *blob = consumer->blob;
        bool stray = event->kind == EVENT_BLOB_DATA && consumer->after_torn;
        consumer->after_torn = stray;
        if (*blob || (event->kind > EVENT_BLOB_DATA && event->kind < EVENT_KIND_COUNT)) {
            consumer->received++;
            if (consumer->tail - consumer->published_tail >= TAIL_EVERY)
                publish_tail(consumer);
            return true;
        }
        if (stray)
            consumer->torn++;
        else
            consumer->malformed++;
        skips++;
    }
    publish_tail(consumer);
    return false;
}

void wire_consumer_limit(struct wire_consumer *consumer)
{
    if (consumer->finishing)
        return;
    uint64_t reserved = atomic_load_explicit(&consumer->ring->head, memory_order_acquire) - consumer->tail;
    consumer->end = consumer->tail + (reserved <= consumer->count ? reserved : consumer->count);
}

void wire_consumer_finish(struct wire_consumer *consumer)
{
    wire_consumer_limit(consumer);
    consumer->finishing = true;
}

void wire_consumer_stats(const struct wire_consumer *consumer, struct wire_stats *stats)
{
    stats->received = consumer->received;
    stats->malformed = consumer->malformed;
    stats->torn = consumer->torn;
    for (size_t kind = 0; kind < EVENT_KIND_COUNT; kind++)
        stats->dropped[kind] = atomic_load_explicit(&consumer->ring->dropped[kind], memory_order_relaxed);
}
