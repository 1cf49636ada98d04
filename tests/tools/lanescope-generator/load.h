/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events themselves: what one run of the generator sends, from its announcements to its last watermark.
 *
 * Every thread has its own streams, its own random numbers (from the seed and its index) and its own cursors,
 * so what it sends does not depend on how threads are scheduled. An event is sent when its time has come;
 * kernels of a stream never overlap, kernels of different streams do.
 */
#ifndef TESTS_TOOLS_LANESCOPE_GENERATOR_LOAD_H
#define TESTS_TOOLS_LANESCOPE_GENERATOR_LOAD_H

#include "options.h"

#include "core/wire/wire.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LOAD_FIRST_STREAM 7u /* ids of streams count from here; context 1 + id % contexts */

struct load_thread; /* load_thread.c */

struct load {
    const struct options *options;
    struct wire_producer *producer;
    int64_t base_ns, done_ns; /* done_ns: of the last watermark */
    double period_ns;         /* between two records of a thread */
    uint64_t samples_sent;
    uint32_t run; /* id of the announced run; 0 none */
    struct {
        uint32_t launch, copy, set, sync, alloc, domain, overhead;
    } names; /* string ids */
    atomic_bool stop;
    _Atomic uint64_t sent, dropped, last_number;
    atomic_uint running;
    struct load_thread *threads;
};

/* Announce devices, contexts, streams, shapes and the run. */
void load_announce(struct load *load);

/* Run the threads until all is sent, the time is up, or the collector has gone (false); sends the watermarks.
 */
bool load_run(struct load *load);

/* The time of what comes after the last event. */
int64_t load_end_ns(const struct load *load);

/* End of the run. */
void load_conclude(struct load *load);

/* ---- for load_thread.c ---- */
int64_t load_clock_ns(void);

/* Send one event; counts it, or the drop. With --wait it waits for room first; when it is stopped meanwhile,
 * nothing is sent. */
void load_send(struct load *load, const struct event *event);

uint64_t load_random(uint64_t *state);

void *load_thread_run(void *thread); /* struct load_thread * */
struct load_thread *load_threads_create(struct load *load);
void load_threads_destroy(struct load_thread *threads, uint32_t count);
struct load_thread *load_thread_at(struct load_thread *threads, uint32_t index);
int64_t load_thread_done_ns(const struct load_thread *thread); /* all that ended until then is sent */

/* The name of shape i (from 0); the counters of a measurement, NULL after the last. */
void load_shape_name(const struct load *load, uint32_t shape, char *text, size_t size_bytes);
const char *load_counter_name(const struct load *load, uint32_t index);
double load_counter_number(uint32_t index, uint32_t shape); /* shape from 1 */

#endif
