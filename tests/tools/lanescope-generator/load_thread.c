/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's events. */
#include "load.h"

#include "faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RANGE_DEPTH 4u
#define LAUNCHES_MEASURED 3u

struct load_thread {
    struct load *load;
    uint32_t index, streams, *stream_ids;
    int64_t *stream_free_ns;
    int64_t engine_free_ns[2]; /* to the device, from it */
    int64_t call_free_ns, now_ns;
    uint64_t random, records, correlations, ranges;
    uint64_t stack[RANGE_DEPTH];
    uint32_t stack_names[RANGE_DEPTH], depth;
    struct event long_kernel; /* kind NONE: none runs */
    struct event *held;       /* --disorder */
    uint32_t held_count;
    _Atomic int64_t done_ns;
};

struct load_thread *load_thread_at(struct load_thread *threads, uint32_t index)
{
    return &threads[index];
}

int64_t load_thread_done_ns(const struct load_thread *thread)
{
    return atomic_load_explicit(&thread->done_ns, memory_order_acquire);
}

void load_threads_destroy(struct load_thread *threads, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(threads[i].stream_ids);
        free(threads[i].stream_free_ns);
        free(threads[i].held);
    }
    free(threads);
}

struct load_thread *load_threads_create(struct load *load)
{
    const struct options *options = load->options;
    uint32_t count = options->threads;
    struct load_thread *threads = calloc(count, sizeof *threads);
    for (uint32_t i = 0; threads && i < count; i++) {
        struct load_thread *thread = &threads[i];
        uint32_t more = options->streams / count + (i < options->streams % count);
        thread->load = load;
        thread->index = i;
        thread->streams = more ? more : 1;
        thread->random = options->seed * 1000003 + i;
        thread->now_ns = thread->call_free_ns = load->base_ns;
        thread->stream_ids = calloc(thread->streams, sizeof *thread->stream_ids);
        thread->stream_free_ns = calloc(thread->streams, sizeof *thread->stream_free_ns);
        thread->held = calloc(options->disorder + 1, sizeof *thread->held);
        atomic_init(&thread->done_ns, load->base_ns);
        if (!thread->stream_ids || !thread->stream_free_ns || !thread->held) {
            load_threads_destroy(threads, count);
            return NULL;
        }
        for (uint32_t s = 0; s < thread->streams; s++) {
            thread->stream_ids[s] = LOAD_FIRST_STREAM + i + s * count;
            thread->stream_free_ns[s] = load->base_ns;
        }
    }
    return threads;
}

static uint32_t pick(struct load_thread *thread, uint32_t count)
{
    return (uint32_t)(load_random(&thread->random) >> 32) % count;
}

static uint32_t thread_id(const struct load_thread *thread)
{
    return 1000 + thread->index;
}

static uint32_t next_correlation(struct load_thread *thread)
{
    return (uint32_t)(1 + thread->index + thread->correlations++ * thread->load->options->threads);
}

static uint32_t context_of(const struct load_thread *thread, uint32_t stream)
{
    return 1 + thread->stream_ids[stream] % thread->load->options->contexts;
}

static uint16_t device_of(const struct load_thread *thread, uint32_t context)
{
    return (uint16_t)((context - 1) % thread->load->options->devices);
}

static void send_held(struct load_thread *thread)
{
    for (uint32_t i = thread->held_count; i > 1; i--) {
        uint32_t other = pick(thread, i);
        struct event swap = thread->held[i - 1];
        thread->held[i - 1] = thread->held[other];
        thread->held[other] = swap;
    }
    for (uint32_t i = 0; i < thread->held_count; i++)
        load_send(thread->load, &thread->held[i]);
    thread->held_count = 0;
}

static bool every(struct load_thread *thread, uint32_t n)
{
    return n > 0 && pick(thread, n) == 0;
}

static void send(struct load_thread *thread, struct event event)
{
    const struct options *options = thread->load->options;
    thread->records++;
    if (every(thread, options->malformed_every))
        fault_malformed(thread->load->producer, load_random(&thread->random));
    if (every(thread, options->wrong_ids_every))
        fault_wrong_ids(&event, load_random(&thread->random));
    if (every(thread, options->losses_every)) {
        const struct event lost = {
            .kind = EVENT_DROPPED,
            .dropped = {.time_ns = thread->now_ns,
                        .count = 1 + pick(thread, 100),
                        .kind = EVENT_KERNEL,
                        .reason = DROP_CUPTI},
        };
        load_send(thread->load, &lost);
    }
    if (options->disorder == 0) {
        load_send(thread->load, &event);
        return;
    }
    thread->held[thread->held_count++] = event;
    if (thread->held_count == options->disorder)
        send_held(thread);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The API call behind something that starts at about start_ns; gives the call's start. */
static int64_t send_call(struct load_thread *thread, int64_t start_ns, uint32_t correlation, uint32_t name,
                         uint8_t category, uint32_t shape, uint32_t stream)
{
    int64_t begin_ns = later(thread->call_free_ns, start_ns - 6000);
    int64_t end_ns = begin_ns + 1000 + pick(thread, 3000);
    if (end_ns > thread->now_ns)
        end_ns = later(begin_ns, thread->now_ns);
    thread->call_free_ns = end_ns;
    send(thread, (struct event){
                     .kind = EVENT_CALL,
                     .call = {.start_ns = begin_ns,
                              .end_ns = end_ns,
                              .correlation = correlation,
                              .thread = thread_id(thread),
                              .name = name,
                              .domain = API_RUNTIME,
                              .category = category,
                              .shape = shape,
                              .context = stream < thread->streams ? context_of(thread, stream) : 0,
                              .stream = stream < thread->streams ? thread->stream_ids[stream] : 0},
                 });
    return begin_ns;
}

/* How long something on one of the thread's streams takes: such that its streams are about two thirds busy.
 */
static int64_t random_duration_ns(struct load_thread *thread)
{
    double most = 3 * thread->load->period_ns * thread->streams;
    return 500 + (int64_t)(most * (0.1 + 0.9 * pick(thread, 1024) / 1024));
}

/* The counts of one launch; they depend on nothing but its shape (from 1). */
static void send_measurement(struct load_thread *thread, int64_t start_ns, uint32_t stream, uint32_t shape)
{
    const struct load *load = thread->load;
    uint32_t values = 0, correlation = next_correlation(thread);
    while (load_counter_name(load, values))
        values++;
    send(thread, (struct event){
                     .kind = EVENT_MEASUREMENT,
                     .device = device_of(thread, context_of(thread, stream)),
                     .measurement = {.start_ns = start_ns,
                                     .end_ns = thread->now_ns,
                                     .id = correlation, /* no two have the same */
                                     .shape = shape,
                                     .context = context_of(thread, stream),
                                     .stream = thread->stream_ids[stream],
                                     .correlation = correlation,
                                     .passes = load->options->model ? 1 : 4,
                                     .values = values},
                 });
    for (uint32_t i = 0; i < values; i++)
        send(thread,
             (struct event){.kind = EVENT_VALUE,
                            .value = {.measurement = correlation,
                                      .counter = wire_string(load->producer, load_counter_name(load, i)),
                                      .number = load_counter_number(i, shape)}});
}

static void send_kernel(struct load_thread *thread)
{
    const struct load *load = thread->load;
    uint32_t stream = pick(thread, thread->streams);
    uint32_t shape = 1 + pick(thread, load->options->shapes);
    uint32_t correlation = next_correlation(thread);
    int64_t start_ns = later(thread->stream_free_ns[stream], thread->now_ns - random_duration_ns(thread));
    send_call(thread, start_ns, correlation, load->names.launch, CALL_LAUNCH, shape, stream);
    uint32_t context = context_of(thread, stream);
    bool in_graph = pick(thread, 50) == 0;
    thread->stream_free_ns[stream] = thread->now_ns;
    send(thread, (struct event){
                     .kind = EVENT_KERNEL,
                     .device = device_of(thread, context),
                     .kernel = {.start_ns = start_ns,
                                .end_ns = thread->now_ns,
                                .correlation = correlation,
                                .shape = shape,
                                .context = context,
                                .stream = thread->stream_ids[stream],
                                .graph_node = in_graph ? 1 + pick(thread, 16) : 0,
                                .graph = in_graph ? 1 : 0},
                 });
    if (load->options->model) /* counts as it runs */
        send_measurement(thread, start_ns, stream, shape);
}

static void send_copy(struct load_thread *thread)
{
    uint32_t stream = pick(thread, thread->streams);
    uint32_t back = pick(thread, 2);
    uint32_t correlation = next_correlation(thread);
    uint32_t context = context_of(thread, stream);
    int64_t free_ns = later(thread->stream_free_ns[stream], thread->engine_free_ns[back]);
    int64_t start_ns = later(free_ns, thread->now_ns - random_duration_ns(thread));
    uint8_t host = pick(thread, 2) ? MEMORY_PINNED : MEMORY_PAGEABLE;
    send_call(thread, start_ns, correlation, thread->load->names.copy, CALL_COPY, 0, stream);
    thread->stream_free_ns[stream] = thread->engine_free_ns[back] = thread->now_ns;
    send(thread, (struct event){
                     .kind = EVENT_COPY,
                     .flags = COPY_ASYNC,
                     .device = device_of(thread, context),
                     .copy = {.start_ns = start_ns,
                              .end_ns = thread->now_ns,
                              .size_bytes = 1u << (10 + pick(thread, 16)),
                              .correlation = correlation,
                              .context = context,
                              .stream = thread->stream_ids[stream],
                              .copy_kind = back ? COPY_DTOH : COPY_HTOD,
                              .source_memory = back ? MEMORY_DEVICE : host,
                              .destination_memory = back ? host : MEMORY_DEVICE,
                              .engine = (uint8_t)back},
                 });
}

static void send_set(struct load_thread *thread)
{
    uint32_t stream = pick(thread, thread->streams);
    uint32_t correlation = next_correlation(thread);
    uint32_t context = context_of(thread, stream);
    int64_t start_ns = later(thread->stream_free_ns[stream], thread->now_ns - random_duration_ns(thread) / 4);
    send_call(thread, start_ns, correlation, thread->load->names.set, CALL_SET, 0, stream);
    thread->stream_free_ns[stream] = thread->now_ns;
    send(thread, (struct event){
                     .kind = EVENT_SET,
                     .device = device_of(thread, context),
                     .set = {.start_ns = start_ns,
                             .end_ns = thread->now_ns,
                             .size_bytes = 4096u << pick(thread, 8),
                             .correlation = correlation,
                             .context = context,
                             .stream = thread->stream_ids[stream],
                             .memory = MEMORY_DEVICE},
                 });
}

static void send_sync(struct load_thread *thread)
{
    uint32_t stream = pick(thread, thread->streams);
    uint32_t correlation = next_correlation(thread);
    int64_t start_ns =
        send_call(thread, thread->now_ns - 4000, correlation, thread->load->names.sync, CALL_SYNC, 0, stream);
    send(thread, (struct event){
                     .kind = EVENT_SYNC,
                     .sync = {.start_ns = start_ns,
                              .end_ns = thread->call_free_ns,
                              .correlation = correlation,
                              .context = context_of(thread, stream),
                              .stream = thread->stream_ids[stream],
                              .thread = thread_id(thread),
                              .sync_kind = SYNC_STREAM},
                 });
}

static uint32_t range_name(struct load_thread *thread)
{
    static const char *const names[] = {"step",      "forward",    "backward",
                                        "optimizer", "load batch", "checkpoint"};
    uint32_t which = pick(thread, 64);
    const char *name = names[which % 6];
    if (thread->load->options->hostile_names && which % 4 == 0)
        name = fault_name(which / 4);
    return wire_string(thread->load->producer, name);
}

/* Opens or closes a range; they are nested up to RANGE_DEPTH. */
static void send_range(struct load_thread *thread)
{
    bool open = thread->depth == 0 || (thread->depth < RANGE_DEPTH && pick(thread, 2));
    if (open) {
        thread->stack[thread->depth] = ((uint64_t)thread->index << 40) + ++thread->ranges;
        thread->stack_names[thread->depth++] = range_name(thread);
    } else {
        thread->depth--;
    }
    uint32_t level = open ? thread->depth - 1 : thread->depth;
    send(thread, (struct event){
                     .kind = open ? EVENT_RANGE_BEGIN : EVENT_RANGE_END,
                     .range = {.time_ns = thread->now_ns,
                               .id = thread->stack[level],
                               .name = thread->stack_names[level],
                               .domain = thread->load->names.domain,
                               .thread = thread_id(thread),
                               .color = 0xff4080c0u + level * 0x203000u},
                 });
}

static void send_rest(struct load_thread *thread, uint32_t which)
{
    if (which == 0) {
        send_call(thread, thread->now_ns - 4000, next_correlation(thread), thread->load->names.alloc,
                  CALL_ALLOC, 0, thread->streams);
        return;
    }
    if (which == 1) {
        send(thread, (struct event){
                         .kind = EVENT_OVERHEAD,
                         .overhead = {.start_ns = thread->now_ns - 500,
                                      .end_ns = thread->now_ns,
                                      .thread = thread_id(thread),
                                      .name = thread->load->names.overhead},
                     });
        return;
    }
    send(thread, (struct event){
                     .kind = EVENT_MARK,
                     .range = {.time_ns = thread->now_ns,
                               .name = range_name(thread),
                               .domain = thread->load->names.domain,
                               .thread = thread_id(thread),
                               .payload = NAN},
                 });
}

/* A kernel on a stream of its own that is announced now and sent when it has ended. */
static void begin_long_kernel(struct load_thread *thread)
{
    const struct options *options = thread->load->options;
    uint32_t correlation = next_correlation(thread);
    uint32_t shape = 1 + pick(thread, options->shapes);
    uint32_t stream = 100000 + thread->index;
    int64_t begin_ns = later(thread->call_free_ns, thread->now_ns - 1000);
    struct event begin = {
        .kind = EVENT_CALL_BEGIN,
        .call = {.start_ns = begin_ns,
                 .correlation = correlation,
                 .thread = thread_id(thread),
                 .name = thread->load->names.launch,
                 .domain = API_RUNTIME,
                 .category = CALL_LAUNCH,
                 .shape = shape,
                 .context = 1,
                 .stream = stream},
    };
    send(thread, begin);
    begin.kind = EVENT_CALL;
    begin.call.end_ns = thread->call_free_ns = later(begin_ns, thread->now_ns);
    send(thread, begin);
    thread->long_kernel = (struct event){
        .kind = EVENT_KERNEL,
        .kernel = {.start_ns = thread->now_ns,
                   .end_ns = thread->now_ns + (int64_t)options->long_ms * 1000000,
                   .correlation = correlation,
                   .shape = shape,
                   .context = 1,
                   .stream = stream},
    };
}

static void send_number(struct load_thread *thread)
{
    const struct load *load = thread->load;
    uint32_t number = next_correlation(thread);
    uint32_t stream = number % thread->streams;
    uint32_t context = context_of(thread, stream);
    send(thread, (struct event){
                     .kind = EVENT_KERNEL,
                     .device = device_of(thread, context),
                     .kernel = {.start_ns = thread->now_ns - (int64_t)(0.8 * load->period_ns),
                                .end_ns = thread->now_ns,
                                .correlation = number,
                                .shape = 1 + number % load->options->shapes,
                                .context = context,
                                .stream = thread->stream_ids[stream]},
                 });
    atomic_store_explicit(&thread->load->last_number, number, memory_order_relaxed);
}

static void send_one(struct load_thread *thread)
{
    const struct options *options = thread->load->options;
    if (options->numbered) {
        send_number(thread);
        return;
    }
    if (thread->long_kernel.kind != EVENT_NONE && thread->now_ns >= thread->long_kernel.kernel.end_ns) {
        send(thread, thread->long_kernel);
        thread->long_kernel.kind = EVENT_NONE;
    }
    if (thread->long_kernel.kind == EVENT_NONE && every(thread, options->long_every)) {
        begin_long_kernel(thread);
        return;
    }
    uint32_t percent = pick(thread, 100);
    if (percent < 60)
        send_kernel(thread);
    else if (percent < 74)
        send_copy(thread);
    else if (percent < 77)
        send_set(thread);
    else if (percent < 82)
        send_sync(thread);
    else if (percent < 94)
        send_range(thread);
    else
        send_rest(thread, percent % 3);
}

/* Moves the thread's time to that of its next record, and waits for it. False: it is time to end. */
static bool wait_turn(struct load_thread *thread)
{
    struct load *load = thread->load;
    const struct options *options = load->options;
    uint64_t share =
        options->events / options->threads + (thread->index < options->events % options->threads);
    bool live = options->base_ns == 0;
    int64_t due_ns = load->base_ns + (int64_t)((double)(thread->records + 1) * load->period_ns);
    if (live && options->rate <= 0)
        due_ns = load_clock_ns();
    const struct timespec pause = {.tv_nsec = 1000000};
    while (live && load_clock_ns() < due_ns && !atomic_load_explicit(&load->stop, memory_order_relaxed))
        nanosleep(&pause, NULL);
    thread->now_ns = later(thread->now_ns + 1, due_ns);
    return (options->events == 0 || thread->records < share) &&
           !atomic_load_explicit(&load->stop, memory_order_relaxed);
}

void *load_thread_run(void *context)
{
    struct load_thread *thread = context;
    const struct options *options = thread->load->options;
    uint32_t measured = 0;
    while (wait_turn(thread)) {
        if (options->mode == RUN_TRACE) {
            send_one(thread);
        } else {
            if (measured == LAUNCHES_MEASURED * options->shapes)
                break;
            send_measurement(thread, thread->now_ns - (int64_t)(0.5 * thread->load->period_ns), 0,
                             1 + measured % options->shapes);
            measured++;
        }
        if (thread->held_count == 0)
            atomic_store_explicit(&thread->done_ns, thread->now_ns, memory_order_release);
    }
    send_held(thread);
    atomic_store_explicit(&thread->done_ns, thread->now_ns, memory_order_release);
    atomic_fetch_sub(&thread->load->running, 1);
    return NULL;
}
