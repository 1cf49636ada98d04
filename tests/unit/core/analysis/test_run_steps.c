/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of made runs: a warm-up, then a loop of several kernels, then other work; and runs without a loop. */
#include "core/analysis/steps.h"

#include "core/session/stacks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A decoder: each token's kernels have grids of their own, so no kernel repeats, and the launches of a token differ by
 * one. Line 10 of each token launches once, line 20 five times or six. */
Test(run_steps, begin_at_the_line_that_repeats)
{
    unsigned kernels[200];
    size_t count = 0;
    for (unsigned token = 0; token < 20; token++)
        for (unsigned i = 0; i < 6 + token % 2; i++)
            kernels[count++] = 100 * token + i;
    struct session *session = session_of(kernels, count);
    struct steps steps;
    cr_assert_eq(steps_find(session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.count, 0);
    uint32_t file = session_add_string(session, "decode.py", 9);
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        uint32_t line = (shape->grid[0] - 1) % 100 == 0 ? 10 : 20;
        uint32_t stack =
            session_add_stack(session, &(struct stack_row){.caller = NONE, .file = file, .line = line});
        session_add_launch_site(
            session,
            &(struct launch_site_row){.kernel = i, .stack = stack, .kind = ITEM_LAUNCH, .launches = 1});
    }
    cr_assert_eq(steps_find(session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.count, 19);
    cr_assert_eq(steps.launches, 6);
    cr_assert_eq(steps.kernel, NONE);
    cr_assert_neq(steps.place, 0);
    cr_assert_eq(session_stack(session, steps.place - 1)->line, 10);
    int64_t *starts_ns;
    size_t starts;
    cr_assert_eq(steps_starts(session, 0, &steps, &starts_ns, &starts, NULL), STATUS_OK);
    cr_assert_eq(starts, 19);
    cr_assert_eq(starts_ns[0], steps.start_ns);
    cr_assert_eq(starts_ns[1] - starts_ns[0], 6 * LAUNCH_NS);
    cr_assert_eq(starts_ns[19], steps.end_ns);
    free(starts_ns);
    session_destroy(session);
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

/* ---- ranges ---- */

#define RANGE_NS 10000
enum { MAIN_THREAD = 1, LOADER };

/* A run of one kernel, by a thread with ranges. */
struct ranged {
    struct session *session;
    uint32_t stream, ranges[3]; /* by thread */
    const char *domain;         /* of the ranges; NULL: none */
    struct item launch;
    int64_t now_ns;
};

static struct ranged ranged_create(void)
{
    struct ranged made = {0};
    cr_assert_eq(session_create(&made.session, 0, NULL), STATUS_OK);
    session_add_process(made.session, &(struct process_row){.end_ns = INT64_MIN});
    session_add_device(made.session, &(struct device_row){.ordinal = 0});
    session_add_run(made.session, &(struct run_row){.end_ns = INT64_MIN});
    uint32_t shape = session_add_shape(made.session, &(struct shape_row){.name = 0});
    made.stream = session_add_track(made.session, &(struct track_row){.kind = TRACK_STREAM, .thread = NONE});
    for (uint32_t thread = MAIN_THREAD; thread <= LOADER; thread++)
        made.ranges[thread] =
            session_add_track(made.session, &(struct track_row){.kind = TRACK_RANGES, .thread = thread});
    made.launch = (struct item){
        .kind = ITEM_LAUNCH,
        .launch = {.kernel = session_add_kernel(made.session, 0, shape, 0), .call_thread = MAIN_THREAD}};
    return made;
}

static void add_named(struct ranged *made, uint32_t thread, const char *name, int64_t start_ns,
                      int64_t end_ns)
{
    struct item item = {.kind = ITEM_RANGE,
                        .range = {.name = session_add_string(made->session, name, strlen(name))}};
    if (made->domain)
        item.range.domain = session_add_string(made->session, made->domain, strlen(made->domain));
    cr_assert(session_add_event(made->session, made->ranges[thread], start_ns, end_ns, &item));
}

/* A step of so many launches, which the device executes long after it was issued. */
static void add_step(struct ranged *made, const char *form, int number, int launches)
{
    char name[40];
    int64_t start_ns = made->now_ns;
    snprintf(name, sizeof name, form, number);
    for (int i = 0; i < launches; i++) {
        made->launch.launch.call_start_ns = made->now_ns + 10;
        cr_assert(session_add_event(made->session, made->stream, made->now_ns + 3 * RANGE_NS,
                                    made->now_ns + 3 * RANGE_NS + 50, &made->launch));
        made->now_ns += 100;
    }
    made->now_ns = start_ns + RANGE_NS;
    add_named(made, MAIN_THREAD, name, start_ns, made->now_ns - 1);
}

/* 12 ranges of 20 launches of one kernel, which by themselves would be 239 steps. */
Test(run_steps, are_the_programs_own_ranges)
{
    struct ranged made = ranged_create();
    struct steps steps;
    int64_t *starts_ns;
    size_t count;
    for (int i = 0; i < 12; i++)
        add_step(&made, "step %d", i, 20);
    cr_assert_eq(steps_find(made.session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.count, 12, "%d", (int)steps.count);
    cr_assert_eq(steps.launches, 20);
    cr_assert_neq(steps.range, 0);
    cr_assert_eq(steps.start_ns, 3 * RANGE_NS);
    cr_assert_eq(steps.end_ns,
                 (3 + 11) * RANGE_NS + 19 * 100 + 50); /* of the device's work, not of the range */
    cr_assert_eq(steps_starts(made.session, 0, &steps, &starts_ns, &count, NULL), STATUS_OK);
    cr_assert_eq(count, 12);
    for (size_t i = 0; i < 12; i++)
        cr_assert_eq(starts_ns[i], (3 + (int64_t)i) * RANGE_NS);
    cr_assert_eq(starts_ns[12], steps.end_ns);
    free(starts_ns);
    session_destroy(made.session);
}

/* Three epochs are no loop, what lies within them is; a loader's ranges issue nothing; what is in a step is none. */
Test(run_steps, are_the_outermost_ranges_that_repeat)
{
    struct ranged made = ranged_create();
    struct steps steps;
    for (int i = 0; i < 3; i++)
        add_named(&made, MAIN_THREAD, "epoch", i * 4 * RANGE_NS, (i + 1) * 4 * RANGE_NS - 1);
    for (int i = 0; i < 12; i++)
        add_step(&made, "step %d", i, 20);
    for (int i = 0; i < 24; i++) {
        add_named(&made, MAIN_THREAD, "layer", i * RANGE_NS / 2 + 1, (i + 1) * RANGE_NS / 2 - 100);
        add_named(&made, LOADER, "batch", i * RANGE_NS / 2, (i + 1) * RANGE_NS / 2 - 1);
    }
    cr_assert_eq(steps_find(made.session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.count, 12, "%d", (int)steps.count);
    cr_assert_str_eq(session_string(made.session, steps.range), "step 0");
    session_destroy(made.session);
}

/* CUB's ranges, one in each call of it, are no steps. */
Test(run_steps, are_no_ranges_of_a_library)
{
    struct ranged made = ranged_create();
    struct steps steps;
    made.domain = "CCCL";
    for (int i = 0; i < 12; i++)
        add_step(&made, "cub::DeviceScan::InclusiveSum", i, 20);
    cr_assert_eq(steps_find(made.session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.range, 0);
    session_destroy(made.session);
}

/* Ranges of something else than the loop, and too few of them: the kernels say the steps. */
Test(run_steps, are_those_of_kernels_where_ranges_hold_no_loop)
{
    struct ranged made = ranged_create();
    struct steps steps;
    for (int i = 0; i < 6; i++)
        add_step(&made, "set-up %d", i, 1);
    for (int i = 0; i < 4; i++)
        add_step(&made, "epoch of work", i, 20);
    cr_assert_eq(steps_find(made.session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.range, 0);
    cr_assert_eq(steps.launches, 1);
    session_destroy(made.session);
}

Test(run_steps, slow_ranges_at_the_beginning_are_left_out)
{
    struct ranged made = ranged_create();
    struct steps steps;
    add_step(&made, "step %d", 0, 20);
    made.now_ns += 5 * RANGE_NS;
    for (int i = 1; i < 12; i++)
        add_step(&made, "step %d", i, 20);
    cr_assert_eq(steps_find(made.session, 0, &steps, NULL), STATUS_OK);
    cr_assert_eq(steps.count, 11);
    cr_assert_eq(steps.start_ns, (3 + 6) * RANGE_NS);
    session_destroy(made.session);
}
