/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire's consumer against those who do not keep to docs/wire.md: false hellos, false memory, damaged
 * rings. Nothing is read out of bounds, nothing is waited for, everything is counted.
 */
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RING 4096u
#define RECORDS 64u

/* ---- a ring in this process, written by hand ---- */
struct bench {
    uint64_t ring_bytes;
    struct wire_ring *ring;
    struct wire_consumer *consumer;
};

static struct wire_hello make_hello(uint64_t ring_bytes)
{
    struct wire_hello hello = {
        .version = WIRE_VERSION, .role = WIRE_ROLE_AGENT, .pid = 1234, .ring_bytes = ring_bytes};
    memcpy(hello.magic, WIRE_MAGIC, sizeof hello.magic);
    return hello;
}

static int make_memory(size_t bytes, int seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
    if (seals)
        cr_assert_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static void open_bench_of(struct bench *bench, uint64_t ring_bytes)
{
    struct error error = {.text = ""};
    bench->ring_bytes = ring_bytes;
    const struct wire_hello hello = make_hello(ring_bytes);
    int fd = make_memory(WIRE_RING_HEAD_BYTES + ring_bytes, F_SEAL_SHRINK | F_SEAL_GROW);
    bench->ring = mmap(NULL, WIRE_RING_HEAD_BYTES + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(bench->ring, MAP_FAILED);
    cr_assert_eq(wire_consumer_create(&bench->consumer, fd, &hello, &error), STATUS_OK, "%s", error.text);
}

static void open_bench(struct bench *bench)
{
    open_bench_of(bench, RING);
}

static void close_bench(struct bench *bench)
{
    wire_consumer_destroy(bench->consumer);
    munmap(bench->ring, WIRE_RING_HEAD_BYTES + bench->ring_bytes);
}

static void put(struct bench *bench, uint64_t position, struct event event)
{
    event.sequence = (uint32_t)(position + 1);
    uint64_t words[WIRE_RECORD_WORDS];
    memcpy(words, &event, sizeof words);
    for (size_t i = WIRE_RECORD_WORDS; i-- > 0;)
        atomic_store(&bench->ring->words[position % (bench->ring_bytes / WIRE_RECORD_BYTES)][i], words[i]);
}

static const struct event good = {.kind = EVENT_MARK};

static struct event make_blob(uint32_t size_bytes)
{
    return (struct event){.kind = EVENT_BLOB,
                          .blob = {.type = BLOB_STRING, .id = 1, .size_bytes = size_bytes}};
}

Test(wire_hostile, records_that_are_none_are_skipped_and_counted)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    struct wire_stats stats;
    open_bench(&bench);
    const struct event bad[] = {
        {.kind = EVENT_NONE},           {.kind = EVENT_BLOB_DATA},
        {.kind = EVENT_KIND_COUNT},     {.kind = 255},
        make_blob(UINT32_MAX),          make_blob(WIRE_BLOB_MAX_BYTES + 1),
        make_blob(WIRE_BLOB_MAX_BYTES), make_blob(41 + 56 * 62),
    };
    const size_t count = sizeof bad / sizeof bad[0];
    for (size_t i = 0; i < count; i++)
        put(&bench, i, bad[i]);
    put(&bench, count, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    cr_assert_null(blob);
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, count);
    cr_assert_eq(stats.received, 1);
    close_bench(&bench);
}

/* A blob whose data is published only in part, or is something else, costs itself; what follows is read. */
Test(wire_hostile, blobs_without_their_data)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    put(&bench, 0, make_blob(41)); /* position 1 is no BLOB_DATA */
    put(&bench, 1, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    put(&bench, 2, make_blob(100)); /* position 3 is, position 4 is not there */
    put(&bench, 3, (struct event){.kind = EVENT_BLOB_DATA});
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    put(&bench, 4, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    struct wire_stats stats;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, 3);
    close_bench(&bench);
}

/* All its data are there; it is only larger than a blob may be, or than what has been reserved. */
Test(wire_hostile, blobs_too_large)
{
    static const struct {
        uint32_t size_bytes;
        uint64_t head;
    } table[] = {{WIRE_BLOB_MAX_BYTES + 57, 2000}, {2000, 10}, {41, 1}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct bench bench;
        struct event event;
        const uint8_t *blob;
        struct wire_stats stats;
        open_bench_of(&bench, 1u << 18);
        put(&bench, 0, make_blob(table[i].size_bytes));
        for (uint64_t position = 1; position < 2000; position++)
            put(&bench, position, (struct event){.kind = EVENT_BLOB_DATA});
        atomic_store(&bench.ring->head, table[i].head);
        wire_consumer_finish(bench.consumer);
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
        wire_consumer_stats(bench.consumer, &stats);
        cr_assert_eq(stats.malformed, table[i].head);
        close_bench(&bench);
    }
}

/* An endless stream of nonsense must give others a turn. */
Test(wire_hostile, nonsense_ends_a_call, .timeout = 280)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    unsigned calls = 0;
    for (uint64_t position = 0; position < 100000; calls++) {
        for (unsigned i = 0; i < RECORDS; i++)
            put(&bench, position++, (struct event){.kind = 200});
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    }
    struct wire_stats stats;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, calls * RECORDS);
    close_bench(&bench);
}

Test(wire_hostile, torn_records_are_skipped_at_the_end_only)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    struct wire_stats stats;
    open_bench(&bench);
    put(&bench, 1, good); /* position 0 is reserved and not written */
    put(&bench, 4,
        (struct event){.kind = EVENT_BLOB_DATA}); /* of a blob whose first record, 3, was never published */
    put(&bench, 5, (struct event){.kind = EVENT_BLOB_DATA});
    put(&bench, 6, good);
    atomic_store(&bench.ring->head, 8);
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_finish(bench.consumer);
    unsigned count = 0;
    while (wire_consumer_next(bench.consumer, &event, &blob))
        count++;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(count, 2);
    cr_assert_eq(stats.torn, 6); /* 0, 2, 3 with its 4 and 5, 7 */
    cr_assert_eq(stats.malformed, 0);
    close_bench(&bench);
}

Test(wire_hostile, a_false_head_bounds_nothing, .timeout = 280)
{
    static const uint64_t heads[] = {0, 1, RECORDS, RECORDS + 1, UINT64_MAX, UINT64_MAX / 2, INT64_MAX};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct bench bench;
        struct event event;
        const uint8_t *blob;
        struct wire_stats stats;
        open_bench(&bench);
        atomic_store(&bench.ring->head, heads[i]);
        wire_consumer_limit(bench.consumer);
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
        wire_consumer_finish(bench.consumer);
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
        wire_consumer_stats(bench.consumer, &stats);
        cr_assert_eq(stats.torn, heads[i] < RECORDS ? heads[i] : RECORDS);
        close_bench(&bench);
    }
}

Test(wire_hostile, a_limit_holds)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    put(&bench, 0, good);
    atomic_store(&bench.ring->head, 1);
    wire_consumer_limit(bench.consumer);
    put(&bench, 1, good);
    atomic_store(&bench.ring->head, 2);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_limit(bench.consumer);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    close_bench(&bench);
}

/* The sequence is 32 bits: around its wrap, records of the lap before must not pass for new ones. */
Test(wire_hostile, records_of_an_earlier_lap_are_not_read_again)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    for (uint64_t position = 0; position < 3 * RECORDS; position++) {
        put(&bench, position, good);
        cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    }
    close_bench(&bench);
}

/* ---- hellos ---- */
Test(wire_hostile, false_hellos_are_refused)
{
    const int sealed = F_SEAL_SHRINK | F_SEAL_GROW;
    struct {
        struct wire_hello hello;
        size_t bytes;
        int seals;
        enum status status;
    } table[] = {
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_OK},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, 0, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, F_SEAL_GROW, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed | F_SEAL_WRITE, STATUS_IO},
        {make_hello(RING), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING + 1, sealed, STATUS_FORMAT},
        {make_hello(RING), 0, sealed, STATUS_FORMAT},
        {make_hello(0), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(5000), WIRE_RING_HEAD_BYTES + 5000, sealed, STATUS_FORMAT},
        {make_hello(UINT64_MAX), WIRE_RING_HEAD_BYTES - 1, sealed, STATUS_FORMAT},
        {make_hello(1ull << 40), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* role 0 */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* role 5 */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* clock */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* mode */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_VERSION}, /* version */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* magic */
    };
    table[12].hello.role = 0;
    table[13].hello.role = WIRE_ROLE_SAMPLER + 1;
    table[14].hello.clock = 2;
    table[15].hello.run_mode = RUN_MODE_COUNT;
    table[16].hello.version = WIRE_VERSION + 1;
    table[17].hello.magic[7] = 'P';
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct wire_consumer *consumer = NULL;
        struct error error;
        int fd = make_memory(table[i].bytes, table[i].seals);
        enum status status = wire_consumer_create(&consumer, fd, &table[i].hello, &error);
        cr_assert_eq(status, table[i].status, "row %zu: %s", i, status_text(status));
        if (status == STATUS_OK)
            wire_consumer_destroy(consumer);
        else
            close(fd);
    }
}

/* A file can be cut while it is mapped: it is no ring, whatever its size. */
Test(wire_hostile, a_plain_file_is_no_ring)
{
    struct wire_consumer *consumer;
    struct error error;
    const struct wire_hello hello = make_hello(RING);
    FILE *file = tmpfile();
    cr_assert_eq(ftruncate(fileno(file), WIRE_RING_HEAD_BYTES + RING), 0);
    cr_assert_eq(wire_consumer_create(&consumer, fileno(file), &hello, &error), STATUS_FORMAT);
    fclose(file);
}
