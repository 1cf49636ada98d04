/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire between threads of one process: many emit events and announce strings (the same and different
 * ones), one reads, a small ring that is often full. Exit status 0: every event came out once, in its
 * thread's order, its string before it.
 */
#include "core/wire/wire.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4u
#define COUNT 10000u
#define NAMES 200u

struct sender {
    struct wire_producer *producer;
    uint32_t thread;
};

static void *send_events(void *context)
{
    const struct sender *sender = context;
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "name %u", (i + 50 * sender->thread) % NAMES);
        struct event event = {.kind = EVENT_MARK, .range = {.id = i, .thread = sender->thread}};
        while ((event.range.name = wire_string(sender->producer, name)) == 0)
            sched_yield();
        while (!wire_emit(sender->producer, &event))
            sched_yield();
    }
    return NULL;
}

/* Read until all marks have come; the number of things that were wrong. */
static unsigned read_all(struct wire_consumer *consumer)
{
    uint64_t expected[THREADS] = {0};
    char known[NAMES + 1] = {0};
    unsigned wrong = 0;
    for (unsigned marks = 0; marks < THREADS * COUNT;) {
        struct event event;
        const uint8_t *blob;
        if (!wire_consumer_next(consumer, &event, &blob)) {
            sched_yield();
        } else if (blob) {
            wrong += event.blob.id == 0 || event.blob.id > NAMES || known[event.blob.id]++;
        } else {
            wrong += event.range.thread >= THREADS || event.range.id != expected[event.range.thread]++;
            wrong += event.range.name > NAMES || !known[event.range.name];
            marks++;
        }
    }
    return wrong;
}

int main(void)
{
    struct error error;
    struct wire_listener *listener;
    struct wire_producer *producer;
    struct wire_consumer *consumer;
    struct wire_hello hello = {.role = WIRE_ROLE_GENERATOR};
    int fd;
    if (wire_listener_create(&listener, &error) != STATUS_OK ||
        wire_producer_create(&producer, wire_listener_path(listener), &hello, 1u << 14, &error) !=
            STATUS_OK ||
        wire_listener_accept(listener, &consumer, &hello, &fd, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    pthread_t threads[THREADS];
    struct sender senders[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        senders[i] = (struct sender){producer, i};
        if (pthread_create(&threads[i], NULL, send_events, &senders[i]) != 0)
            return 1;
    }
    unsigned wrong = read_all(consumer);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct wire_stats stats;
    wire_consumer_stats(consumer, &stats);
    wire_producer_destroy(producer);
    wire_consumer_destroy(consumer);
    close(fd);
    wire_listener_destroy(listener);
    printf("%u events, %u wrong, %llu malformed, %llu marks refused\n", THREADS * COUNT, wrong,
           (unsigned long long)stats.malformed, (unsigned long long)stats.dropped[EVENT_MARK]);
    return wrong > 0 || stats.malformed > 0;
}
