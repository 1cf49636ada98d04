/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap in slices: on random work with calls, copies of all kinds, waits for events and several devices, a
 * job done bit by bit says what one done at once does, and does no more in a step than it was told.
 */
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/sort.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define EVERYTHING INT64_MIN, INT64_MAX
#define THREADS 4
#define KERNELS 4
#define STREAMS_MOST 8

struct made {
    struct session *session;
    uint32_t streams[STREAMS_MOST], calls[THREADS], waits, kernels[KERNELS];
    uint32_t stream_count, correlation;
    int64_t now_ns, step_ns;
};

static uint32_t add_track(struct made *made, uint8_t kind, uint32_t stream, uint32_t thread)
{
    struct track_row row = {.kind = kind, .device = NONE, .context = 1, .stream = stream, .thread = thread};
    if (kind == TRACK_STREAM) {
        row.device = stream % 3 == 2;
        row.flags = stream == 0 ? STREAM_DEFAULT : draw(2) ? STREAM_NON_BLOCKING : 0;
    }
    return session_add_track(made->session, &row);
}

static void made_init(struct made *made)
{
    *made = (struct made){.stream_count = 2 + (uint32_t)draw(STREAMS_MOST - 1),
                          .step_ns = 1 + (int64_t)draw(60000)};
    cr_assert_eq(session_create(&made->session, 1000, NULL), STATUS_OK);
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN};
    session_add_process(made->session, &process);
    for (uint32_t i = 0; i < 2; i++) {
        struct device_row device = {.info = {.compute_capability = 90, .multiprocessors = 132}, .ordinal = i};
        session_add_device(made->session, &device);
    }
    struct run_row run = {.end_ns = INT64_MIN, .verified = -1};
    session_add_run(made->session, &run);
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct shape_row shape = {
            .grid = {i == 3 ? 100000 : i + 1, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 32};
        made->kernels[i] = session_add_kernel(made->session, 0, session_add_shape(made->session, &shape), 0);
    }
    for (uint32_t i = 0; i < made->stream_count; i++)
        made->streams[i] = add_track(made, TRACK_STREAM, i, NONE);
    for (uint32_t i = 0; i < THREADS; i++)
        made->calls[i] = add_track(made, TRACK_CALLS, NONE, 10 + i);
    made->waits = add_track(made, TRACK_SYNCS, NONE, NONE);
}

static uint32_t draw_item(struct made *made, struct item *item)
{
    uint32_t which = (uint32_t)draw(8), thread = 10 + (uint32_t)draw(THREADS);
    int64_t call_ns = draw(10) ? made->now_ns - (int64_t)draw(4 * (uint64_t)made->step_ns) : INT64_MIN;
    uint32_t call_duration_ns = (uint32_t)draw((uint64_t)made->step_ns);
    *item = (struct item){.correlation = ++made->correlation};
    switch (which) {
    case 0:
        item->kind = ITEM_CALL;
        item->b = (uint8_t)draw(8);
        return made->calls[thread - 10];
    case 1:
        item->kind = ITEM_SYNC;
        item->a = SYNC_STREAM_WAIT_EVENT;
        item->correlation -= (uint32_t)draw(5);
        item->sync.context = 1;
        item->sync.stream = (uint32_t)draw(made->stream_count);
        return made->waits;
    case 2:
    case 3:
        item->kind = ITEM_COPY;
        item->flags = draw(2) ? ITEM_ASYNC : 0;
        item->a = (uint8_t)(1 + draw(3));
        item->b = (uint8_t)draw(256);
        item->copy.call_start_ns = call_ns;
        item->copy.call_duration_ns = call_duration_ns;
        item->copy.call_thread = thread;
        break;
    default:
        item->kind = ITEM_LAUNCH;
        item->launch.kernel = made->kernels[draw(KERNELS)];
        item->launch.graph = draw(5) ? 0 : (uint32_t)draw(3);
        item->launch.call_start_ns = call_ns;
        item->launch.call_duration_ns = call_duration_ns;
        item->launch.call_thread = thread;
        break;
    }
    return made->streams[draw(made->stream_count)];
}

static void made_add(struct made *made, size_t events)
{
    for (size_t i = 0; i < events; i++) {
        struct item item;
        made->now_ns += (int64_t)draw((uint64_t)made->step_ns);
        uint32_t track = draw_item(made, &item);
        cr_assert(session_add_event(made->session, track, made->now_ns,
                                    made->now_ns + (int64_t)draw(3 * (uint64_t)made->step_ns), &item));
    }
}

static void expect_equal(const struct overlap *a, const struct overlap *b)
{
    cr_assert_eq(a->span_ns, b->span_ns);
    cr_assert_eq(a->kernel_busy_ns, b->kernel_busy_ns);
    cr_assert_eq(a->copy_busy_ns, b->copy_busy_ns);
    cr_assert_eq(a->copy_hidden_ns, b->copy_hidden_ns);
    cr_assert_eq(a->any_busy_ns, b->any_busy_ns);
    cr_assert_float_eq(a->mean_active_streams, b->mean_active_streams, 0);
    cr_assert_eq(a->operations, b->operations);
    cr_assert_eq(a->least_ns, b->least_ns);
    cr_assert_eq(a->least_engine, b->least_engine);
    cr_assert_arr_eq(a->serialised_ns, b->serialised_ns, sizeof a->serialised_ns);
    cr_assert_arr_eq(a->waited, b->waited, sizeof a->waited);
    cr_assert_eq(a->wait_count, b->wait_count);
    for (uint32_t i = 0; i < a->wait_count; i++) {
        const struct overlap_wait *x = &a->waits[i], *y = &b->waits[i];
        cr_assert(x->event.track == y->event.track && x->event.lane == y->event.lane &&
                  x->event.index == y->event.index && x->serialised_ns == y->serialised_ns &&
                  x->start_ns == y->start_ns && x->reason == y->reason);
    }
}

Test(overlap_slices, say_what_one_says_that_is_done_at_once)
{
    static const struct {
        size_t events, most;
    } cases[] = {{0, 1},     {1, 1},    {60, 1},      {60, 3},       {600, 1},
                 {600, 100}, {5000, 7}, {5000, 1000}, {60000, 16384}};
    random_state = 20261121;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct made made;
        struct overlap whole, sliced = {0};
        struct overlap_job *job;
        uint64_t steps = 0;
        double progress = 0;
        bool done = false;
        made_init(&made);
        made_add(&made, cases[c].events);
        uint32_t run = c % 2 ? NONE : 0;
        int64_t from_ns = c % 3 ? INT64_MIN : made.now_ns / 3,
                to_ns = c % 3 ? INT64_MAX : made.now_ns / 3 * 2;
        cr_assert_eq(overlap_compute(made.session, run, from_ns, to_ns, &whole, NULL), STATUS_OK);
        cr_assert_eq(overlap_begin(&job, made.session, run, from_ns, to_ns, NULL), STATUS_OK);
        for (; !done; steps++) {
            cr_assert_eq(overlap_step(job, cases[c].most, &sliced, &done, NULL), STATUS_OK);
            cr_assert(overlap_progress(job) >= progress && overlap_progress(job) <= 1,
                      "%zu events: from %f to %f", cases[c].events, progress, overlap_progress(job));
            progress = overlap_progress(job);
        }
        cr_assert_float_eq(progress, 1, 0);
        overlap_end(job);
        expect_equal(&whole, &sliced);
        /* Collected, summed up, known, looked at for waits, swept if something waited, and the least: each
         * operation once at least. */
        cr_assert_geq(steps * cases[c].most, (whole.wait_count > 0 ? 6 : 5) * whole.operations,
                      "%zu events in steps of %zu: %lu steps", cases[c].events, cases[c].most,
                      (unsigned long)steps);
        session_destroy(made.session);
    }
}

/* Batches of any size say what one says that has all operations at once. */
Test(overlap_slices, batches_say_what_all_at_once_says)
{
    static const struct {
        size_t events, batch, ahead;
    } cases[] = {{60, 1, 200},     {600, 5, 200},     {5000, 7, 400},
                 {5000, 300, 400}, {20000, 64, 1000}, {20000, 5000, 1000}};
    random_state = 20261125;
    for (size_t c = 0; c < 4 * sizeof cases / sizeof cases[0]; c++) {
        size_t i = c / 4;
        struct made made;
        struct overlap whole, batches = {0};
        struct overlap_job *job;
        bool done = false;
        made_init(&made);
        made_add(&made, cases[i].events);
        int64_t from_ns = c % 2 ? INT64_MIN : made.now_ns / 3,
                to_ns = c % 2 ? INT64_MAX : made.now_ns / 3 * 2;
        cr_assert_eq(
            overlap_begin_batches(&job, made.session, NONE, from_ns, to_ns, SIZE_MAX / 4, 0, false, NULL),
            STATUS_OK);
        cr_assert_eq(overlap_step(job, SIZE_MAX, &whole, &done, NULL), STATUS_OK);
        overlap_end(job);
        cr_assert_eq(overlap_begin_batches(&job, made.session, NONE, from_ns, to_ns, cases[i].batch,
                                           cases[i].ahead, false, NULL),
                     STATUS_OK);
        for (done = false; !done;)
            cr_assert_eq(overlap_step(job, 1000, &batches, &done, NULL), STATUS_OK);
        overlap_end(job);
        expect_equal(&whole, &batches);
        session_destroy(made.session);
    }
}

/* Without calls and waits: busy times, the least, and the time of the default stream, in batches too. */
Test(overlap_slices, sums_say_what_all_of_it_says)
{
    uint64_t waited = 0;
    random_state = 20261201;
    for (size_t c = 0; c < 60; c++) {
        struct made made;
        struct overlap whole, sums = {0};
        struct overlap_job *job;
        bool done = false;
        made_init(&made);
        made_add(&made, 20 + 60 * c);
        int64_t from_ns = c % 2 ? INT64_MIN : made.now_ns / 3,
                to_ns = c % 2 ? INT64_MAX : made.now_ns / 3 * 2;
        cr_assert_eq(overlap_compute(made.session, NONE, from_ns, to_ns, &whole, NULL), STATUS_OK);
        waited += whole.waited[SERIAL_DEFAULT_STREAM];
        for (int reason = 0; reason < SERIAL_COUNT; reason++)
            if (reason != SERIAL_DEFAULT_STREAM)
                whole.serialised_ns[reason] = 0;
        for (int batches = 0; batches < 2; batches++) {
            if (batches) {
                cr_assert_eq(overlap_begin_batches(&job, made.session, NONE, from_ns, to_ns, 1 + 37 * c, 1000,
                                                   true, NULL),
                             STATUS_OK);
                for (done = false; !done;)
                    cr_assert_eq(overlap_step(job, 1000, &sums, &done, NULL), STATUS_OK);
                overlap_end(job);
            } else {
                cr_assert_eq(overlap_sums(made.session, NONE, from_ns, to_ns, &sums, NULL), STATUS_OK);
            }
            cr_assert_eq(sums.waited[SERIAL_DEFAULT_STREAM], whole.waited[SERIAL_DEFAULT_STREAM]);
            memcpy(whole.waited, sums.waited, sizeof whole.waited); /* no other reason is looked for */
            memcpy(whole.waits, sums.waits, sizeof whole.waits);
            whole.wait_count = sums.wait_count;
            expect_equal(&whole, &sums);
        }
        session_destroy(made.session);
    }
    cr_assert_gt(waited, 100);
}

/* What comes later is not in it. */
Test(overlap_slices, are_of_the_events_there_were)
{
    struct made made;
    struct overlap before, after;
    struct overlap_job *job;
    bool done = false;
    random_state = 20261122;
    made_init(&made);
    made_add(&made, 2000);
    cr_assert_eq(overlap_compute(made.session, NONE, EVERYTHING, &before, NULL), STATUS_OK);
    cr_assert_eq(overlap_begin(&job, made.session, NONE, EVERYTHING, NULL), STATUS_OK);
    while (!done) {
        made_add(&made, 10);
        cr_assert_eq(overlap_step(job, 500, &after, &done, NULL), STATUS_OK);
    }
    overlap_end(job);
    expect_equal(&before, &after);
    session_destroy(made.session);
}

/* At any moment; the sanitizer sees what is left. */
Test(overlap_slices, can_be_given_up)
{
    struct made made;
    random_state = 20261123;
    made_init(&made);
    made_add(&made, 500);
    for (size_t most = 1; most < 20000; most += most / 4 + 1) {
        struct overlap overlap;
        struct overlap_job *job;
        bool done;
        cr_assert_eq(overlap_begin(&job, made.session, NONE, EVERYTHING, NULL), STATUS_OK);
        cr_assert_eq(overlap_step(job, most, &overlap, &done, NULL), STATUS_OK);
        overlap_end(job);
    }
    overlap_end(NULL);
    session_destroy(made.session);
}

/* ---- sorting ---- */
static int compare_numbers(const void *a, const void *b, void *context)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    ++*(size_t *)context;
    return (x > y) - (x < y);
}

static int plain_compare(const void *a, const void *b)
{
    size_t compares = 0;
    return compare_numbers(a, b, &compares);
}

Test(overlap_slices, sort_like_qsort)
{
    static const size_t counts[] = {
        0, 1, 2, SLICE_RUN - 1, SLICE_RUN, SLICE_RUN + 1, 2 * SLICE_RUN, 3 * SLICE_RUN + 5, 20000};
    random_state = 20261124;
    for (size_t c = 0; c < 2 * sizeof counts / sizeof counts[0]; c++) {
        size_t count = counts[c / 2], most = c % 2 ? 1 : 700;
        uint64_t *numbers = malloc((count + 1) * sizeof *numbers),
                 *wanted = malloc((count + 1) * sizeof *wanted);
        for (size_t i = 0; i < count; i++)
            numbers[i] = wanted[i] = draw(1 + count / 2);
        qsort(wanted, count, sizeof *wanted, plain_compare);
        struct slice_sort sort;
        size_t compares = 0;
        slice_sort_begin(&sort, (void **)&numbers, count, sizeof *numbers, compare_numbers, &compares);
        for (enum slice slice = SLICE_MORE; slice != SLICE_DONE;) {
            size_t left = most;
            compares = 0;
            slice = slice_sort_step(&sort, &left);
            cr_assert_neq(slice, SLICE_NO_MEMORY);
            /* Insertion as far as it pays, then qsort: 10 a row with glibc's, more with AddressSanitizer's. */
            cr_assert_leq(compares, 14 * (most + SLICE_RUN), "%zu compares in a step", compares);
        }
        cr_assert_arr_eq(numbers, wanted, count * sizeof *numbers);
        slice_sort_fini(&sort);
        free(numbers);
        free(wanted);
    }
}
