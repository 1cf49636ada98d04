/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire: what goes in comes out, in order, whole, or is counted. Producer and consumer meet as they do in
 * life, over a listener's socket; faults are written straight into the ring.
 */
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL_RING 4096u /* 64 records */

struct pair {
    struct wire_listener *listener;
    struct wire_producer *producer;
    struct wire_consumer *consumer;
    struct wire_hello hello;
    int fd;
};

static const struct wire_hello plain_hello = {.role = WIRE_ROLE_GENERATOR, .rank = -1};

static void accept_one(struct pair *pair)
{
    struct error error = {.text = ""};
    struct pollfd door = {.fd = wire_listener_fd(pair->listener), .events = POLLIN};
    cr_assert_eq(poll(&door, 1, 5000), 1);
    enum status status =
        wire_listener_accept(pair->listener, &pair->consumer, &pair->hello, &pair->fd, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
}

static void open_pair(struct pair *pair, size_t ring_bytes)
{
    struct error error = {.text = ""};
    cr_assert_eq(wire_listener_create(&pair->listener, &error), STATUS_OK, "%s", error.text);
    enum status status = wire_producer_create(&pair->producer, wire_listener_path(pair->listener),
                                              &plain_hello, ring_bytes, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    accept_one(pair);
}

static void close_pair(struct pair *pair)
{
    wire_producer_destroy(pair->producer);
    wire_consumer_destroy(pair->consumer);
    close(pair->fd);
    wire_listener_destroy(pair->listener);
}

static struct event make_kernel(uint32_t number)
{
    return (struct event){
        .kind = EVENT_KERNEL, .flags = 3, .device = 9, .kernel = {.correlation = number, .start_ns = -1}};
}

static bool emit_kernel(struct wire_producer *producer, uint32_t number)
{
    const struct event event = make_kernel(number);
    return wire_emit(producer, &event);
}

static bool next(struct pair *pair, struct event *event)
{
    const uint8_t *blob;
    return wire_consumer_next(pair->consumer, event, &blob);
}

/* ---- what comes out ---- */
Test(wire, an_event_comes_out_as_it_went_in)
{
    struct pair pair;
    struct event event;
    open_pair(&pair, 0);
    cr_assert_not(next(&pair, &event));
    for (uint8_t kind = EVENT_SHAPE; kind < EVENT_KIND_COUNT; kind++) {
        struct event sent = {.kind = kind, .flags = 200, .device = 65535};
        for (size_t i = 0; i < sizeof sent.bytes; i++)
            sent.bytes[i] = (uint8_t)(i * 7 + kind);
        cr_assert(wire_emit(pair.producer, &sent));
        cr_assert(next(&pair, &event));
        cr_assert_eq(memcmp(&event, &sent, sizeof event), 0, "%s", event_kind_text((enum event_kind)kind));
    }
    cr_assert_not(next(&pair, &event));
    close_pair(&pair);
}

Test(wire, the_hello_says_who_came)
{
    struct pair pair;
    open_pair(&pair, SMALL_RING);
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    cr_assert_eq(pair.hello.pid, getpid());
    cr_assert_eq(pair.hello.parent_pid, getppid());
    cr_assert_eq(pair.hello.ring_bytes, SMALL_RING);
    cr_assert_eq(pair.hello.role, WIRE_ROLE_GENERATOR);
    cr_assert_str_eq(pair.hello.host, host);
    cr_assert_str_eq(pair.hello.program, program_invocation_short_name);
    close_pair(&pair);
}

Test(wire, kinds_that_are_none_are_not_sent)
{
    static const uint8_t kinds[] = {EVENT_NONE, EVENT_BLOB, EVENT_BLOB_DATA, EVENT_KIND_COUNT, 255};
    struct pair pair;
    struct event event;
    open_pair(&pair, SMALL_RING);
    for (size_t i = 0; i < sizeof kinds; i++) {
        event = (struct event){.kind = kinds[i]};
        cr_assert_not(wire_emit(pair.producer, &event));
    }
    cr_assert_not(next(&pair, &event));
    close_pair(&pair);
}

/* Blobs of every small size and some large ones, through a ring that wraps many times. */
Test(wire, blobs_come_out_whole)
{
    struct pair pair;
    open_pair(&pair, 1u << 17);
    static uint8_t bytes[WIRE_BLOB_MAX_BYTES + 1];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 256);
    static const size_t large[] = {4095, 4096, 65535, WIRE_BLOB_MAX_BYTES};
    for (size_t i = 0; i < 300 + 4; i++) {
        size_t size = i < 300 ? i : large[i - 300];
        struct event event;
        const uint8_t *blob;
        cr_assert(wire_emit_blob(pair.producer, BLOB_DEVICE, (uint32_t)i, bytes, size));
        cr_assert(emit_kernel(pair.producer, (uint32_t)i));
        cr_assert(wire_consumer_next(pair.consumer, &event, &blob));
        cr_assert_eq(event.kind, EVENT_BLOB);
        cr_assert_eq(event.blob.type, BLOB_DEVICE);
        cr_assert_eq(event.blob.id, i);
        cr_assert_eq(event.blob.size_bytes, size);
        cr_assert_not_null(blob);
        cr_assert_eq(memcmp(blob, bytes, size), 0, "size %zu", size);
        cr_assert(wire_consumer_next(pair.consumer, &event, &blob));
        cr_assert_eq(event.kernel.correlation, i);
        cr_assert_null(blob);
    }
    cr_assert_not(wire_emit_blob(pair.producer, BLOB_DEVICE, 1, bytes, WIRE_BLOB_MAX_BYTES + 1));
    close_pair(&pair);
}

Test(wire, a_string_has_one_id_and_is_announced_once)
{
    struct pair pair;
    struct event event;
    const uint8_t *blob;
    char *text = malloc(WIRE_BLOB_MAX_BYTES + 10);
    memset(text, 'x', WIRE_BLOB_MAX_BYTES + 9);
    text[WIRE_BLOB_MAX_BYTES + 9] = '\0';
    open_pair(&pair, 1u << 20);
    cr_assert_eq(wire_string(pair.producer, NULL), 0);
    cr_assert_eq(wire_string(pair.producer, "a"), 1);
    cr_assert_eq(wire_string(pair.producer, "b"), 2);
    cr_assert_eq(wire_string(pair.producer, "a"), 1);
    cr_assert_eq(wire_string(pair.producer, ""), 3);
    cr_assert_eq(wire_string(pair.producer, text), 4); /* cut */
    cr_assert_eq(wire_string(pair.producer, ""), 3);
    static const size_t sizes[] = {1, 1, 0, WIRE_BLOB_MAX_BYTES};
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert(wire_consumer_next(pair.consumer, &event, &blob));
        cr_assert_eq(event.blob.type, BLOB_STRING);
        cr_assert_eq(event.blob.id, i + 1);
        cr_assert_eq(event.blob.size_bytes, sizes[i]);
    }
    cr_assert_not(wire_consumer_next(pair.consumer, &event, &blob));
    free(text);
    close_pair(&pair);
}

Test(wire, a_string_that_found_no_room_is_announced_later)
{
    struct pair pair;
    struct event event;
    open_pair(&pair, SMALL_RING);
    while (wire_emit_blob(pair.producer, BLOB_PROCESS, 0, "", 0))
        continue;
    cr_assert_eq(wire_string(pair.producer, "late"), 0);
    while (next(&pair, &event))
        continue;
    cr_assert_eq(wire_string(pair.producer, "late"), 1);
    close_pair(&pair);
}

/* ---- the full ring ---- */
Test(wire, a_full_ring_drops_and_counts)
{
    struct pair pair;
    struct event event;
    struct wire_stats stats;
    const struct event watermark = {.kind = EVENT_WATERMARK};
    open_pair(&pair, SMALL_RING);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(emit_kernel(pair.producer, i), i < 60, "%u", i); /* the last sixteenth is kept */
    for (uint32_t i = 0; i < 6; i++)
        cr_assert_eq(wire_emit(pair.producer, &watermark), i < 4, "%u", i);
    cr_assert_not(wire_emit_blob(pair.producer, BLOB_STRING, 1, "x", 1));
    wire_consumer_stats(pair.consumer, &stats);
    cr_assert_eq(stats.dropped[EVENT_KERNEL], 40);
    cr_assert_eq(stats.dropped[EVENT_WATERMARK], 2);
    cr_assert_eq(stats.dropped[EVENT_BLOB], 1);
    for (uint32_t i = 0; i < 60; i++) {
        cr_assert(next(&pair, &event));
        cr_assert_eq(event.kernel.correlation, i);
    }
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(next(&pair, &event) && event.kind == EVENT_WATERMARK);
    cr_assert_not(next(&pair, &event));
    cr_assert(emit_kernel(pair.producer, 7)); /* room again */
    cr_assert(next(&pair, &event));
    cr_assert_eq(event.kernel.correlation, 7);
    close_pair(&pair);
}

Test(wire, a_blob_is_sent_whole_or_not_at_all)
{
    struct pair pair;
    struct event event;
    struct wire_stats stats;
    static const uint8_t bytes[4096];
    open_pair(&pair, SMALL_RING);
    cr_assert_not(
        wire_emit_blob(pair.producer, BLOB_DEVICE, 0, bytes, sizeof bytes)); /* more than the ring has */
    for (uint32_t i = 0; i < 30; i++)
        emit_kernel(pair.producer, i);
    cr_assert_not(
        wire_emit_blob(pair.producer, BLOB_DEVICE, 0, bytes, 40 + 56 * 34)); /* one record too many */
    cr_assert(wire_emit_blob(pair.producer, BLOB_DEVICE, 0, bytes, 40 + 56 * 33));
    unsigned count = 0;
    while (next(&pair, &event))
        count++;
    wire_consumer_stats(pair.consumer, &stats);
    cr_assert_eq(count, 31);
    cr_assert_eq(stats.malformed, 0);
    cr_assert_eq(stats.dropped[EVENT_BLOB], 2);
    close_pair(&pair);
}

/* Random events, blobs and strings against random reading, in a ring that is often full: everything accepted
 * comes out, in order. */
Test(wire, what_was_accepted_comes_out_in_order)
{
    struct pair pair;
    open_pair(&pair, SMALL_RING);
    uint64_t accepted = 0;
    uint64_t seen = 0;
    uint64_t refused = 0;
    uint8_t bytes[600];
    unsigned seed = 4711;
    for (int round = 0; round < 200000; round++) {
        unsigned what = (unsigned)rand_r(&seed) % 8;
        if (what < 4) {
            if (emit_kernel(pair.producer, (uint32_t)accepted))
                accepted++;
            else
                refused++;
        } else if (what == 4) {
            size_t size = (size_t)rand_r(&seed) % sizeof bytes;
            memset(bytes, (int)(accepted & 255), size);
            if (wire_emit_blob(pair.producer, BLOB_PROCESS, (uint32_t)accepted, bytes, size))
                accepted++;
            else
                refused++;
        } else {
            struct event event;
            const uint8_t *blob;
            for (int i = rand_r(&seed) % 4; i > 0 && wire_consumer_next(pair.consumer, &event, &blob); i--) {
                cr_assert_eq(event.kind == EVENT_BLOB ? event.blob.id : event.kernel.correlation,
                             (uint32_t)seen);
                for (size_t b = 0; blob && b < event.blob.size_bytes; b++)
                    cr_assert_eq(blob[b], (uint8_t)seen);
                seen++;
            }
        }
    }
    struct event event;
    while (next(&pair, &event))
        seen++;
    struct wire_stats stats;
    wire_consumer_stats(pair.consumer, &stats);
    cr_assert_eq(seen, accepted);
    cr_assert_eq(stats.received, accepted);
    cr_assert_eq(stats.malformed + stats.torn, 0);
    cr_assert_eq(stats.dropped[EVENT_KERNEL] + stats.dropped[EVENT_BLOB], refused);
    cr_assert_gt(refused, 1000);
    close_pair(&pair);
}

/* ---- several threads and processes ---- */
struct sender {
    struct wire_producer *producer;
    uint32_t thread, count;
    uint8_t bytes[500]; /* for blobs of several records */
};

static void *send_numbers(void *context)
{
    const struct sender *sender = context;
    for (uint32_t i = 0; i < sender->count; i++) {
        struct event event = make_kernel(i);
        event.kernel.stream = sender->thread;
        char name[32];
        snprintf(name, sizeof name, "name %u", i % 100);
        if (i % 16 == 0)
            event.kernel.shape = wire_string(sender->producer, name);
        if (i % 4 == 0)
            wire_emit_blob(sender->producer, BLOB_PROCESS, 0, sender->bytes, sizeof sender->bytes);
        while (!wire_emit(sender->producer, &event))
            sched_yield();
    }
    return NULL;
}

Test(wire, threads_keep_their_order_and_strings_come_first)
{
    enum { THREADS = 4, COUNT = 20000 };
    struct pair pair;
    open_pair(&pair, 1u << 16);
    pthread_t threads[THREADS];
    struct sender senders[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        senders[i] = (struct sender){.producer = pair.producer, .thread = i, .count = COUNT};
        cr_assert_eq(pthread_create(&threads[i], NULL, send_numbers, &senders[i]), 0);
    }
    uint32_t expected[THREADS] = {0};
    bool announced[128] = {false};
    for (unsigned kernels = 0; kernels < THREADS * COUNT;) {
        struct event event;
        if (!next(&pair, &event)) {
            sched_yield();
            continue;
        }
        if (event.kind == EVENT_BLOB && event.blob.type == BLOB_PROCESS)
            continue;
        if (event.kind == EVENT_BLOB) {
            cr_assert_lt(event.blob.id, 128);
            cr_assert_not(announced[event.blob.id]);
            announced[event.blob.id] = true;
            continue;
        }
        cr_assert_lt(event.kernel.stream, THREADS);
        cr_assert_eq(event.kernel.correlation, expected[event.kernel.stream]++);
        cr_assert(event.kernel.shape == 0 || (event.kernel.shape < 128 && announced[event.kernel.shape]));
        kernels++;
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct wire_stats stats;
    wire_consumer_stats(pair.consumer, &stats);
    cr_assert_eq(stats.malformed, 0);
    close_pair(&pair);
}

Test(wire, another_process_sends_and_is_killed)
{
    struct pair pair = {0};
    struct error error;
    cr_assert_eq(wire_listener_create(&pair.listener, &error), STATUS_OK);
    pid_t child = fork();
    if (child == 0) {
        if (wire_producer_create(&pair.producer, wire_listener_path(pair.listener), &plain_hello, 1u << 16,
                                 NULL) != STATUS_OK)
            _exit(1);
        for (uint32_t i = 0;;)
            if (emit_kernel(pair.producer, i))
                i++;
    }
    accept_one(&pair);
    cr_assert_eq(pair.hello.pid, child);
    uint32_t expected = 0;
    struct event event;
    while (expected < 100000)
        if (next(&pair, &event))
            cr_assert_eq(event.kernel.correlation, expected++);
    kill(child, SIGKILL);
    struct pollfd wait = {.fd = pair.fd, .events = POLLIN};
    cr_assert_eq(poll(&wait, 1, 5000), 1); /* its end shows on the socket */
    waitpid(child, NULL, 0);
    wire_consumer_finish(pair.consumer);
    while (next(&pair, &event))
        cr_assert_eq(event.kernel.correlation, expected++);
    struct wire_stats stats;
    wire_consumer_stats(pair.consumer, &stats);
    cr_assert_leq(stats.torn, 1);
    cr_assert_eq(stats.malformed, 0);
    wire_consumer_destroy(pair.consumer);
    close(pair.fd);
    wire_listener_destroy(pair.listener);
}

Test(wire, a_forked_child_does_not_keep_the_connection_open)
{
    struct pair pair;
    int hold[2];
    open_pair(&pair, SMALL_RING);
    cr_assert_eq(pipe(hold), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        wire_producer_abandon(pair.producer);
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    cr_assert(emit_kernel(pair.producer, 5)); /* the child's leaving took nothing from the parent */
    struct event event;
    cr_assert(next(&pair, &event));
    struct pollfd wait = {.fd = pair.fd, .events = POLLIN};
    cr_assert_eq(poll(&wait, 1, 50), 0);
    wire_producer_destroy(pair.producer);
    cr_assert_eq(poll(&wait, 1, 5000), 1);
    close(hold[1]);
    int status;
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    close(hold[0]);
    wire_consumer_destroy(pair.consumer);
    close(pair.fd);
    wire_listener_destroy(pair.listener);
}

/* ---- the other side goes away ---- */
Test(wire, a_producer_learns_that_the_collector_is_gone)
{
    struct pair pair;
    open_pair(&pair, SMALL_RING);
    cr_assert_not(wire_producer_orphaned(pair.producer));
    close(pair.fd);
    cr_assert(wire_producer_orphaned(pair.producer));
    emit_kernel(pair.producer, 1); /* harmless */
    wire_producer_destroy(pair.producer);
    wire_consumer_destroy(pair.consumer);
    wire_listener_destroy(pair.listener);
}

Test(wire, a_producer_never_accepted_learns_it_too)
{
    struct pair pair;
    struct error error;
    cr_assert_eq(wire_listener_create(&pair.listener, &error), STATUS_OK);
    cr_assert_eq(
        wire_producer_create(&pair.producer, wire_listener_path(pair.listener), &plain_hello, 0, &error),
        STATUS_OK);
    cr_assert_not(wire_producer_orphaned(pair.producer));
    wire_listener_destroy(pair.listener);
    cr_assert(wire_producer_orphaned(pair.producer));
    wire_producer_destroy(pair.producer);
}

/* Daemons close every descriptor they find; ours may then be another file of theirs. */
Test(wire, a_socket_closed_by_the_program_is_not_closed_twice)
{
    struct pair pair;
    struct error error;
    cr_assert_eq(wire_listener_create(&pair.listener, &error), STATUS_OK);
    int lowest = open("/dev/null", O_RDONLY);
    close(lowest); /* the producer's socket will have this number */
    cr_assert_eq(
        wire_producer_create(&pair.producer, wire_listener_path(pair.listener), &plain_hello, 0, &error),
        STATUS_OK);
    cr_assert_eq(close(lowest), 0);
    cr_assert_not(wire_producer_orphaned(pair.producer)); /* lanescope runs, and reads the ring */
    cr_assert_eq(open("/dev/null", O_RDONLY), lowest);
    cr_assert_not(wire_producer_orphaned(pair.producer));
    wire_listener_destroy(pair.listener);
    cr_assert(wire_producer_orphaned(pair.producer));
    wire_producer_destroy(pair.producer);
    cr_assert_neq(fcntl(lowest, F_GETFD), -1);
    close(lowest);
}
