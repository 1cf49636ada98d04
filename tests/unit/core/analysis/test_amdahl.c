/* SPDX-License-Identifier: Apache-2.0 */
/* Amdahl's law, and the times that shares are of, over made runs, against who ran counted nanosecond by
 * nanosecond. */
#include "core/advice/verdict.h"
#include "core/analysis/amdahl.h"
#include "core/analysis/run_times.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 5
#define STREAMS 4
#define TIME_NS 400

struct made {
    struct session *session;
    uint32_t runs[2], tracks[STREAMS];
    uint8_t running[TIME_NS][KERNELS + 1]; /* of run 0: how many of each kernel, and of other work */
};

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static void made_open(struct made *made, enum clock_kind clock)
{
    memset(made, 0, sizeof *made);
    cr_assert_eq(session_create(&made->session, 0, NULL), STATUS_OK);
    for (uint32_t run = 0; run < 2; run++) {
        uint32_t process = session_add_process(
            made->session, &(struct process_row){.rank = -1, .clock = (uint8_t)clock, .end_ns = INT64_MIN});
        uint32_t device = session_add_device(made->session, &(struct device_row){.process = process});
        made->runs[run] = session_add_run(made->session, &(struct run_row){.process = process,
                                                                           .device = device,
                                                                           .group = run,
                                                                           .clock = (uint8_t)clock,
                                                                           .start_ns = -50,
                                                                           .end_ns = INT64_MIN,
                                                                           .verified = -1});
        for (uint32_t i = 0; i < KERNELS; i++) {
            struct shape_row shape = {
                .name = string(made->session, "kernel"), .grid = {1 + i, 1, 1}, .block = {32, 1, 1}};
            uint32_t kernel = session_add_kernel(made->session, made->runs[run],
                                                 session_add_shape(made->session, &shape), device);
            cr_assert_eq(kernel, run * KERNELS + i);
        }
        for (uint32_t i = 0; i < STREAMS && run == 0; i++)
            made->tracks[i] = session_add_track(made->session, &(struct track_row){.kind = TRACK_STREAM,
                                                                                   .clock = (uint8_t)clock,
                                                                                   .process = process,
                                                                                   .device = device,
                                                                                   .stream = 7 + i});
    }
}

/* Work of run 0 on a stream: a kernel, or a copy for KERNELS. */
static void work(struct made *made, uint32_t stream, uint32_t who, int64_t start_ns, int64_t end_ns)
{
    struct item item = {.kind = who < KERNELS ? ITEM_LAUNCH : ITEM_COPY};
    if (who < KERNELS) {
        item.launch.kernel = who;
        item.launch.call_start_ns = INT64_MIN;
    } else {
        item.a = COPY_HTOD;
        item.copy.call_start_ns = INT64_MIN;
    }
    cr_assert(session_add_event(made->session, made->tracks[stream], start_ns, end_ns, &item));
    for (int64_t ns = start_ns; ns < end_ns; ns++)
        made->running[ns][who]++;
}

/* Work of all streams between two times. */
static void random_work_from(struct made *made, int64_t from_ns, int64_t until_ns)
{
    int64_t free_ns[STREAMS];
    int count = rand() % 30;
    for (int i = 0; i < STREAMS; i++)
        free_ns[i] = from_ns;
    for (int i = 0; i < count; i++) {
        uint32_t stream = (uint32_t)(rand() % STREAMS);
        int64_t start_ns = free_ns[stream] + rand() % 20, end_ns = start_ns + rand() % 40;
        if (end_ns >= until_ns)
            continue;
        work(made, stream, (uint32_t)(rand() % (KERNELS + 1)), start_ns, end_ns);
        free_ns[stream] = end_ns;
    }
}

static void random_work(struct made *made)
{
    random_work_from(made, 0, TIME_NS);
}

/* Nanosecond by nanosecond. */
static void check(const struct made *made, const struct amdahl *amdahl)
{
    int64_t busy[KERNELS] = {0}, alone[KERNELS] = {0}, shared = 0, any = 0;
    for (int ns = 0; ns < TIME_NS; ns++) {
        int different = 0, who = 0;
        for (int k = 0; k <= KERNELS; k++) {
            different += made->running[ns][k] > 0;
            who = made->running[ns][k] > 0 ? k : who;
        }
        for (int k = 0; k < KERNELS; k++)
            busy[k] += made->running[ns][k] > 0;
        any += different > 0;
        if (different == 1 && who < KERNELS)
            alone[who]++;
    }
    for (size_t i = 0; i < amdahl->count; i++) {
        const struct amdahl_share *share = &amdahl->shares[i];
        cr_assert_lt(share->kernel, KERNELS);
        cr_assert_eq(share->busy_ns, busy[share->kernel]);
        cr_assert_eq(share->alone_ns, alone[share->kernel]);
        cr_assert(i == 0 || share->alone_ns <= amdahl->shares[i - 1].alone_ns);
        busy[share->kernel] = 0;
        shared += share->alone_ns;
    }
    for (int k = 0; k < KERNELS; k++)
        cr_assert_eq(busy[k], 0, "kernel %d has no share", k);
    cr_assert_eq(amdahl->times.ns[RUN_TIME_DEVICE], any);
    cr_assert_leq(shared, amdahl->times.ns[RUN_TIME_DEVICE]);
    cr_assert_leq(amdahl->times.ns[RUN_TIME_DEVICE], amdahl->times.ns[RUN_TIME_SPAN]);
    cr_assert_leq(amdahl->times.ns[RUN_TIME_SPAN], amdahl->times.ns[RUN_TIME_WHOLE]);
}

/* In how many ns of the range a kernel ran, or any of those below `below`. */
static uint64_t count_running(const struct made *made, int64_t from_ns, int64_t until_ns, int kernel,
                              int below)
{
    uint64_t sum = 0;
    for (int64_t ns = from_ns < 0 ? 0 : from_ns; ns < until_ns && ns < TIME_NS; ns++) {
        bool any = kernel >= 0 && made->running[ns][kernel] > 0;
        for (int k = 0; k < below && !any; k++)
            any = made->running[ns][k] > 0;
        sum += any;
    }
    return sum;
}

/* The share of the time that was not counted is one of the time, however many streams ran at once. */
static void check_uncounted(const struct made *made)
{
    struct kernel_index *index;
    struct advice_run figures = {0};
    struct advice_range range;
    struct verdict verdict;
    cr_assert_eq(kernel_index_create(&index, made->session, NULL), STATUS_OK);
    cr_assert_eq(session_find_range(made->session, made->runs[0], &figures, &range, NULL), STATUS_OK);
    cr_assert_eq(
        overlap_compute(made->session, made->runs[0], range.start_ns, range.end_ns, &figures.overlap, NULL),
        STATUS_OK);
    cr_assert_eq(session_run_figures(made->session, made->runs[0], &figures, NULL), STATUS_OK);
    cr_assert_eq(verdict_of_run(index, made->runs[0], &figures, &verdict, NULL), STATUS_OK);
    cr_assert(verdict.uncounted_ns <= verdict.span_ns, "%g of %g ns were not counted", verdict.uncounted_ns,
              verdict.span_ns);
    for (size_t i = 0; i < verdict.count; i++)
        cr_assert(verdict.findings[i].kernel_ns <= verdict.span_ns &&
                  verdict.findings[i].advice.gain_ns <= verdict.span_ns);
    kernel_index_destroy(index);
}

Test(amdahl, the_time_of_kernels_is_part_of_the_time)
{
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct made made;
        srand(seed);
        made_open(&made, seed % 2 ? CLOCK_WALL : CLOCK_MODEL);
        for (int grown = 0; grown < 3; grown++) { /* while the run goes on */
            random_work_from(&made, grown * TIME_NS / 3, (grown + 1) * TIME_NS / 3);
            int64_t from_ns = rand() % TIME_NS - 20, until_ns = from_ns + rand() % TIME_NS;
            uint64_t each[KERNELS * 2] = {0}, together[KERNELS * 2] = {0};
            uint32_t groups[KERNELS * 2];
            for (uint32_t k = 0; k < KERNELS * 2; k++)
                groups[k] = k < 3 ? 1 : NONE;
            cr_assert_eq(run_kernels_busy(made.session, made.runs[0], from_ns, until_ns, NULL, KERNELS * 2,
                                          each, NULL),
                         STATUS_OK);
            cr_assert_eq(run_kernels_busy(made.session, made.runs[0], from_ns, until_ns, groups, KERNELS * 2,
                                          together, NULL),
                         STATUS_OK);
            for (int k = 0; k < KERNELS; k++)
                cr_assert_eq(each[k], count_running(&made, from_ns, until_ns, k, 0), "seed %u, kernel %d",
                             seed, k);
            cr_assert_eq(together[1], count_running(&made, from_ns, until_ns, -1, 3), "seed %u", seed);
            check_uncounted(&made);
        }
        session_destroy(made.session);
    }
}

Test(amdahl, shares_are_those_counted_by_the_nanosecond)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct made made;
        struct amdahl amdahl;
        struct error error = {0};
        srand(seed);
        made_open(&made, seed % 2 ? CLOCK_WALL : CLOCK_MODEL);
        random_work(&made);
        session_end_run(made.session, made.runs[0], TIME_NS, 1, 0);
        cr_assert_eq(amdahl_compute(made.session, made.runs[0], &amdahl, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(amdahl.times.ns[RUN_TIME_WHOLE], TIME_NS + 50);
        check(&made, &amdahl);
        struct run_times times;
        cr_assert_eq(run_times_of(made.session, made.runs[0], &times, NULL), STATUS_OK);
        cr_assert_eq(amdahl.times.ns[RUN_TIME_DEVICE], times.ns[RUN_TIME_DEVICE]);
        amdahl_fini(&amdahl);
        cr_assert_eq(amdahl_compute(made.session, made.runs[1], &amdahl, &error), STATUS_OK);
        cr_assert(amdahl.count == 0 && amdahl.times.ns[RUN_TIME_SPAN] == 0);
        amdahl_fini(&amdahl);
        session_destroy(made.session);
    }
}

/* A kernel of 60 ns, half of it under a copy, in a run of 100 ns: p = 0.3. */
Test(amdahl, only_what_is_not_hidden_counts)
{
    struct made made;
    struct amdahl amdahl;
    made_open(&made, CLOCK_WALL);
    work(&made, 0, 2, 19, 79);
    work(&made, 1, KERNELS, 49, 90);
    session_end_run(made.session, made.runs[0], 50, 1, 0); /* shorter than its work: the work counts */
    cr_assert_eq(amdahl_compute(made.session, made.runs[0], &amdahl, NULL), STATUS_OK);
    cr_assert_eq(amdahl.times.ns[RUN_TIME_WHOLE], 100);
    cr_assert_eq(amdahl.times.ns[RUN_TIME_SPAN], 71);
    cr_assert_eq(amdahl.shares[0].busy_ns, 60);
    cr_assert_eq(amdahl.shares[0].alone_ns, 30);
    cr_assert_float_eq(amdahl_speedup(30, amdahl.times.ns[RUN_TIME_WHOLE], 2), 1 / (1 - 0.3 + 0.3 / 2),
                       1e-12);
    cr_assert_float_eq(amdahl_speedup(30, amdahl.times.ns[RUN_TIME_WHOLE], 10), 1 / (1 - 0.3 + 0.3 / 10),
                       1e-12);
    cr_assert_float_eq(amdahl_speedup(30, amdahl.times.ns[RUN_TIME_WHOLE], (double)INFINITY), 1 / (1 - 0.3),
                       1e-12);
    amdahl_fini(&amdahl);
    session_destroy(made.session);
}

Test(amdahl, the_law_at_its_ends)
{
    cr_assert_eq(amdahl_speedup(0, 100, 10), 1);
    cr_assert_float_eq(amdahl_scaled(30, 100, 10), 0.7 + 3, 1e-12);
    cr_assert(isnan(amdahl_scaled(30, 0, 10)));
    cr_assert_eq(amdahl_speedup(100, 100, 10), 10);
    cr_assert(isinf(amdahl_speedup(100, 100, (double)INFINITY)));
    cr_assert(isnan(amdahl_speedup(0, 0, 2)));
    for (int alone = 0; alone <= 100; alone++) {
        double before = 1;
        for (double factor = 1; factor < 1e6; factor *= 3) {
            double speedup = amdahl_speedup(alone, 100, factor);
            cr_assert(speedup >= before - 1e-12 && speedup <= factor + 1e-12);
            cr_assert_leq(speedup, amdahl_speedup(alone, 100, (double)INFINITY) + 1e-12);
            before = speedup;
        }
    }
}

Test(amdahl, there_is_no_such_run)
{
    struct made made;
    struct amdahl amdahl;
    struct error error = {0};
    made_open(&made, CLOCK_WALL);
    cr_assert_eq(amdahl_compute(made.session, 7, &amdahl, &error), STATUS_STATE);
    cr_assert(strstr(error.text, "no run 7"));
    amdahl_fini(&amdahl);
    session_destroy(made.session);
}
