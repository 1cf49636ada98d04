/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire's consumer over arbitrary bytes. First byte even: the rest is a hello. Odd: bit 1 = make the
 * sequences right (else the input's own count), bit 2 = take a limit first, bit 3 = finish before reading;
 * then 8 bytes head, then records.
 */
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING_BYTES WIRE_RING_MIN_BYTES
#define MAP_BYTES (WIRE_RING_HEAD_BYTES + RING_BYTES)
#define RECORDS (RING_BYTES / WIRE_RECORD_BYTES)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int make_memory(void)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, MAP_BYTES) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        abort();
    return fd;
}

static void try_hello(const uint8_t *data, size_t size)
{
    struct wire_hello hello = {0};
    struct wire_consumer *consumer;
    struct error error;
    memcpy(&hello, data, size < sizeof hello ? size : sizeof hello);
    int fd = make_memory();
    if (wire_consumer_create(&consumer, fd, &hello, &error) == STATUS_OK)
        wire_consumer_destroy(consumer);
    else
        close(fd);
}

static void fill_ring(struct wire_ring *ring, uint8_t flags, const uint8_t *data, size_t size)
{
    uint64_t head = 0;
    size_t head_bytes = size < sizeof head ? size : sizeof head;
    memcpy(&head, data, head_bytes);
    data += head_bytes;
    size -= head_bytes;
    memcpy(ring->words, data, size < RING_BYTES ? size : RING_BYTES);
    for (uint32_t i = 0; flags & 2 && i < RECORDS; i++) {
        const uint32_t sequence = i + 1;
        memcpy(ring->words[i], &sequence, sizeof sequence);
    }
    atomic_store(&ring->head, head);
}

static volatile uint8_t sink;

/* All it gives, and every byte of it. */
static void read_all(struct wire_consumer *consumer)
{
    struct event event;
    const uint8_t *blob;
    size_t received = 0;
    while (wire_consumer_next(consumer, &event, &blob)) {
        if (event.kind <= EVENT_NONE || event.kind == EVENT_BLOB_DATA || event.kind >= EVENT_KIND_COUNT ||
            event.sequence != 0)
            abort();
        if ((event.kind == EVENT_BLOB) != (blob != NULL) || ++received > RECORDS)
            abort();
        for (size_t i = 0; blob && i < event.blob.size_bytes; i++)
            sink = blob[i];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] % 2 == 0) {
        try_hello(data + (size > 0), size - (size > 0));
        return 0;
    }
    struct wire_hello hello = {.version = WIRE_VERSION, .role = WIRE_ROLE_AGENT, .ring_bytes = RING_BYTES};
    struct wire_consumer *consumer;
    memcpy(hello.magic, WIRE_MAGIC, sizeof hello.magic);
    int fd = make_memory();
    struct wire_ring *ring = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED || wire_consumer_create(&consumer, fd, &hello, NULL) != STATUS_OK)
        abort();
    fill_ring(ring, data[0], data + 1, size - 1);
    if (data[0] & 4)
        wire_consumer_limit(consumer);
    if (data[0] & 8)
        wire_consumer_finish(consumer);
    read_all(consumer);
    wire_consumer_finish(consumer);
    read_all(consumer);
    struct wire_stats stats;
    wire_consumer_stats(consumer, &stats);
    if (stats.received + stats.malformed + stats.torn > 2 * RECORDS)
        abort();
    wire_consumer_destroy(consumer);
    munmap(ring, MAP_BYTES);
    return 0;
}
