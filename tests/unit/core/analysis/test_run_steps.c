/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of made runs: a warm-up, then a loop of several kernels, then other work; and runs without a loop. */
#include "core/analysis/run_times.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define LAUNCH_NS 100

/* The launches of a run, by the kernel's number; the second of two streams has every third of them. */
static struct session *session_of(const unsigned *kernels, size_t count)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_add_process(session, &(struct process_row){.end_ns = INT64_MIN});
    session_add_device(session, &(struct device_row){.ordinal = 0});
    session_add_run(session, &(struct run_row){.end_ns = INT64_MIN});
    for (size_t i = 0; i < count; i++) {
        struct track_row track = {.kind = TRACK_STREAM, .stream = i % 3 == 0, .thread = NONE};
        uint32_t shape = session_add_shape(session, &(struct shape_row){.grid = {kernels[i] + 1, 1, 1}});
        struct item item = {.kind = ITEM_LAUNCH,
                            .launch = {.kernel = session_add_kernel(session, 0, shape, 0)}};
        int64_t start_ns = (int64_t)i * LAUNCH_NS;
        cr_assert(session_add_event(session, session_add_track(session, &track), start_ns,
                                    start_ns + LAUNCH_NS / 2, &item));
    }
    return session;
}

static struct steps steps_of(const unsigned *kernels, size_t count)
{
    struct session *session = session_of(kernels, count);
    struct steps steps;
    cr_assert_eq(steps_find(session, 0, &steps, NULL), STATUS_OK);
    session_destroy(session);
    return steps;
}

Test(run_steps, are_what_a_loop_repeats)
{
    static const unsigned step[] = {3, 1, 1, 4, 1, 5, 2}; /* 3, 4, 5 and 2 once in each */
    unsigned kernels[200];
    size_t count = 0;
    for (unsigned i = 0; i < 20; i++)
        kernels[count++] = 7 + i; /* warm-up */
    for (size_t i = 0; i < 12 * 7; i++)
        kernels[count++] = step[i % 7];
    kernels[count++] = 40;
    struct steps steps = steps_of(kernels, count);
    cr_assert_eq(steps.count, 11); /* from the first beginning of a step to the last */
    cr_assert_eq(steps.launches, 7);
    cr_assert_eq(steps.start_ns, 20 * LAUNCH_NS);
    cr_assert_eq(steps.end_ns, (20 + 11 * 7) * LAUNCH_NS);
}

/* A warm-up whose steps are longer, as those that make caches are. */
Test(run_steps, leave_out_a_warm_up_of_the_same_kernels)
{
    unsigned kernels[200];
    size_t count = 0;
    for (unsigned i = 0; i < 3; i++) {
        kernels[count++] = 1;
        for (unsigned k = 0; k < 4 + i; k++)
            kernels[count++] = 2;
    }
    size_t first = count;
    for (unsigned i = 0; i < 30; i++) {
        kernels[count++] = 1;
        kernels[count++] = 2;
        kernels[count++] = 3;
    }
    struct steps steps = steps_of(kernels, count);
    cr_assert_eq(steps.count, 29);
    cr_assert_eq(steps.launches, 3);
    cr_assert_eq(steps.start_ns, (int64_t)first * LAUNCH_NS);
}

/* The first steps launch the same and take longer, as while libraries load: all after them are steady. */
Test(run_steps, leave_out_slow_steps_at_the_beginning)
{
    struct session *session = session_of(NULL, 0);
    uint32_t shape = session_add_shape(session, &(struct shape_row){.name = 0});
    struct item item = {.kind = ITEM_LAUNCH, .launch = {.kernel = session_add_kernel(session, 0, shape, 0)}};
    struct track_row track = {.kind = TRACK_STREAM, .thread = NONE};
    static const int64_t lengths_ns[] = {9000, 2100, 1000, 1100, 900, 5000, 1000, 1000, 1000, 1000};
    int64_t at_ns = 0;
    for (size_t i = 0; i <= 10; i++) {
        cr_assert(session_add_event(session, session_add_track(session, &track), at_ns, at_ns + 100, &item));
        at_ns += i < 10 ? lengths_ns[i] : 0;
    }
    struct steps steps;
    cr_assert_eq(steps_find(session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.start_ns, 11100);
    cr_assert_eq(steps.end_ns, at_ns);
    cr_assert_eq(steps.count, 8); /* one of 5 us is among them */
    session_destroy(session);
}

Test(run_steps, one_kernel_again_and_again_is_a_loop)
{
    unsigned kernels[50] = {0};
    struct steps steps = steps_of(kernels, 50);
    cr_assert_eq(steps.count, 49);
    cr_assert_eq(steps.launches, 1);
}

Test(run_steps, are_not_found_where_nothing_repeats)
{
    unsigned kernels[100];
    for (unsigned i = 0; i < 100; i++)
        kernels[i] = i;
    cr_assert_eq(steps_of(kernels, 100).count, 0);
    cr_assert_eq(steps_of(kernels, 0).count, 0);
    for (unsigned i = 0; i < 20; i++)
        kernels[i] = 1; /* a fifth of the launches is no run of steps */
    cr_assert_eq(steps_of(kernels, 100).count, 0);
    cr_assert_eq(steps_of((unsigned[]){1, 2, 1, 2, 1, 2, 1, 2}, 8).count, 0); /* too few */
}
