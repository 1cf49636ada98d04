/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on made runs: what the run waits for beside what its kernels could gain, weighed over one time. */
#include "core/advice/verdict.h"

#include "core/session/samples.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define MULTIPROCESSORS 100
#define CACHE_BYTES 50000000
#define SLOTS (2 * MULTIPROCESSORS) /* blocks of 1,024 threads that are resident at once */

struct made {
    struct session *session;
    uint32_t stream;
    int64_t now_ns;
};

static struct made made_begin(void)
{
    struct made made;
    struct track_row track = {.kind = TRACK_STREAM, .thread = NONE};
    cr_assert_eq(session_create(&made.session, 0, NULL), STATUS_OK);
    session_add_process(made.session, &(struct process_row){.end_ns = INT64_MIN});
    session_add_device(made.session, &(struct device_row){.info = {.compute_capability = 90,
                                                                   .multiprocessors = MULTIPROCESSORS,
                                                                   .core_clock_khz = 1000000,
                                                                   .l2_bytes = CACHE_BYTES}});
    session_add_run(made.session, &(struct run_row){.end_ns = INT64_MIN});
    made.stream = session_add_track(made.session, &track);
    made.now_ns = 0;
    return made;
}

/* A launch of so many blocks after the last one, which takes this long. */
static void made_launch(struct made *made, const char *name, uint32_t blocks, int64_t ns)
{
    struct shape_row shape = {.name = session_add_string(made->session, name, strlen(name)),
                              .grid = {blocks, 1, 1},
                              .block = {1024, 1, 1},
                              .registers_per_thread = 16};
    uint32_t kernel = session_add_kernel(made->session, 0, session_add_shape(made->session, &shape), 0);
    struct item item = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel, .call_start_ns = INT64_MIN}};
    cr_assert(session_add_event(made->session, made->stream, made->now_ns, made->now_ns + ns, &item));
    made->now_ns += ns;
}

static void made_set(struct made *made, int64_t ns)
{
    struct item item = {.kind = ITEM_SET, .set = {.call_start_ns = INT64_MIN, .size_bytes = 1000000}};
    cr_assert(session_add_event(made->session, made->stream, made->now_ns, made->now_ns + ns, &item));
    made->now_ns += ns;
}

static struct verdict made_verdict(struct made *made)
{
    struct kernel_index *index;
    struct advice_run figures = {0};
    struct advice_range range;
    struct verdict verdict;
    cr_assert_eq(kernel_index_create(&index, made->session, NULL), STATUS_OK);
    cr_assert_eq(session_find_range(made->session, 0, &figures, &range, NULL), STATUS_OK);
    cr_assert_eq(overlap_compute(made->session, 0, range.start_ns, range.end_ns, &figures.overlap, NULL),
                 STATUS_OK);
    cr_assert_eq(session_run_figures(made->session, 0, &figures, NULL), STATUS_OK);
    cr_assert_eq(verdict_of_run(index, 0, &figures, &verdict, NULL), STATUS_OK);
    kernel_index_destroy(index);
    session_destroy(made->session);
    return verdict;
}

/* Half of the slots of a kernel's two waves are empty, and it takes 60 % of the time; sets take 30 %. The
 * span is of nine steps: the last one has no end. */
Test(run_verdict, kernels_and_run_are_weighed_over_one_time)
{
    struct made made = made_begin();
    for (int i = 0; i < 10; i++) {
        made_launch(&made, "tailed", 2 * SLOTS, 600000);
        made_set(&made, 300000);
        made_launch(&made, "other", 4 * SLOTS, 100000);
    }
    struct verdict verdict = made_verdict(&made);
    cr_assert_eq(verdict.wrong, 1); /* no tail */
    cr_assert_str_eq(verdict.findings[0].advice.rule->id, "memory_sets");

    made = made_begin();
    for (int i = 0; i < 10; i++) {
        made_launch(&made, "tailed", SLOTS + 1, 600000); /* half of the slots of two waves */
        made_set(&made, 300000);
        made_launch(&made, "other", 4 * SLOTS, 100000);
    }
    verdict = made_verdict(&made);
    cr_assert_eq(verdict.wrong, 2);
    cr_assert_eq(verdict.count, 2);
    cr_assert_eq(verdict.more, 0);
    cr_assert_eq(verdict.findings[0].kernel, NONE); /* 300 us of each step; the tail 299 */
    cr_assert_str_eq(verdict.findings[1].advice.rule->id, "tail_wave");
    cr_assert_eq(verdict.findings[1].kernel_ns, 9 * 6e5);
    cr_assert_float_eq(verdict.findings[1].advice.gain_ns, 9 * 6e5 * (1 - (SLOTS + 1) / (2.0 * SLOTS)), 1);
    cr_assert_eq(verdict.span_ns, 9e6);
    cr_assert_eq(verdict.uncounted_ns, 9 * 7e5);
    cr_assert(verdict_wants_counters(&verdict));
}

static void made_call(struct made *made, uint32_t track, const char *name, uint8_t category)
{
    struct item item = {.kind = ITEM_CALL,
                        .b = category,
                        .call = {.name = session_add_string(made->session, name, strlen(name))}};
    cr_assert(session_add_event(made->session, track, made->now_ns, made->now_ns + 10, &item));
    made->now_ns += 20;
}

/* A harness that empties the L2 cache before each timing: set, record an event, launch. */
static size_t made_timings(uint64_t set_bytes, const char *after_set)
{
    struct made made = made_begin();
    uint32_t calls = session_add_track(made.session, &(struct track_row){.kind = TRACK_CALLS, .thread = 7});
    for (int i = 0; i < 10; i++) {
        struct item set = {.kind = ITEM_SET,
                           .set = {.call_start_ns = made.now_ns, .call_thread = 7, .size_bytes = set_bytes}};
        made_call(&made, calls, "cudaMemset", CALL_SET);
        made_call(&made, calls, after_set, CALL_OTHER);
        made_call(&made, calls, "cudaLaunchKernel", CALL_LAUNCH);
        cr_assert(session_add_event(made.session, made.stream, made.now_ns, made.now_ns + 20000, &set));
        made.now_ns += 20000;
        made_launch(&made, "timed", 4 * SLOTS, 10000);
    }
    return made_verdict(&made).wrong;
}

Test(run_verdict, a_set_that_empties_a_cache_before_a_timing_is_no_finding)
{
    cr_assert_eq(made_timings(CACHE_BYTES, "cudaEventRecord"), 0);
    cr_assert_eq(made_timings(CACHE_BYTES, "cudaGetLastError"), 1);
    cr_assert_eq(made_timings(CACHE_BYTES - 1, "cudaEventRecord"), 1);
}

/* Short kernels, which their launches limit, do not hide one long kernel of a single block. */
Test(run_verdict, few_blocks_beside_short_kernels)
{
    struct made made = made_begin();
    for (int i = 0; i < 10; i++) {
        made_launch(&made, "lonely", 1, 600000);
        for (int k = 0; k < 60; k++)
            made_launch(&made, "short", 1, 5000);
    }
    struct verdict verdict = made_verdict(&made);
    cr_assert(verdict.count > 0);
    cr_assert_str_eq(verdict.findings[0].advice.rule->id, "few_blocks");
    cr_assert(strstr(verdict.findings[0].advice.text, "with 1 block for"));
    cr_assert_leq(verdict.findings[0].advice.gain_ns, 10 * 6e5);
}

/* A kernel of little time is no verdict on the run, whatever it could gain. */
Test(run_verdict, kernels_that_do_not_matter_are_left_out)
{
    struct made made = made_begin();
    for (int i = 0; i < 10; i++) {
        made_launch(&made, "other", 4 * SLOTS, 960000);
        made_launch(&made, "tailed", SLOTS + 1, 40000);
    }
    cr_assert_eq(made_verdict(&made).wrong, 0);
    made = made_begin();
    for (int i = 0; i < 10; i++) {
        made_launch(&made, "other", 4 * SLOTS, 800000);
        made_launch(&made, "tailed", SLOTS + 1, 200000);
    }
    struct verdict verdict = made_verdict(&made);
    cr_assert_eq(verdict.wrong, 1);
    cr_assert_float_eq(verdict.findings[0].advice.gain_ns, 9e5, 1e4);
}

/* Setting up launches kernels that no step has: cuDNN's trials, torch.compile's. */
Test(run_verdict, kernels_before_the_steps_are_not_weighed)
{
    struct made made = made_begin();
    made_launch(&made, "trial", SLOTS + 1, 900000000);
    for (int i = 0; i < 20; i++) {
        made_launch(&made, "first", 4 * SLOTS, 500000);
        made_launch(&made, "second", 4 * SLOTS, 500000);
    }
    struct verdict verdict = made_verdict(&made);
    cr_assert_eq(verdict.wrong, 0);
    cr_assert_eq(verdict.span_ns, 19e6);
}

static void made_copy(struct made *made, int64_t ns)
{
    struct item item = {.kind = ITEM_COPY,
                        .a = COPY_HTOD,
                        .b = MEMORY_PAGEABLE | MEMORY_DEVICE << 4,
                        .copy = {.size_bytes = 4 << 20}};
    cr_assert(session_add_event(made->session, made->stream, made->now_ns, made->now_ns + ns, &item));
    made->now_ns += ns;
}

/* A program's input: copied before the loop it is nothing that a step could gain, copied in each step it is.
 */
Test(run_verdict, copies_outside_of_the_steps_are_not_judged)
{
    for (int64_t inside = 0; inside < 2; inside++) {
        struct made made = made_begin();
        made_copy(&made, 90000000);
        for (int i = 0; i < 20; i++) {
            made_launch(&made, "step", 4 * SLOTS, 500000);
            if (inside)
                made_copy(&made, 500000);
        }
        struct verdict verdict = made_verdict(&made);
        cr_assert_eq(verdict.wrong, (size_t)inside);
        if (inside) {
            cr_assert_str_eq(verdict.findings[0].advice.rule->id, "pageable_copies");
            cr_assert_leq(verdict.findings[0].advice.gain_ns, 19 * 500000);
        }
    }
}

/* More than there is room for: the least of them are left out, and counted. */
Test(run_verdict, says_how_many_findings_are_left_out)
{
    struct made made = made_begin();
    for (uint32_t i = 0; i < VERDICT_MAX + 1; i++) {
        char name[20];
        snprintf(name, sizeof name, "tailed %u", i);
        made_launch(&made, name, SLOTS + 1, 1000000 + i * 20000);
        made_launch(&made, name, SLOTS + 1, 1000000 + i * 20000);
    }
    struct verdict verdict = made_verdict(&made);
    cr_assert_eq(verdict.wrong, VERDICT_MAX + 1);
    cr_assert_eq(verdict.count, VERDICT_MAX);
    cr_assert_eq(verdict.more, 1);
    for (size_t i = 0; i < verdict.count; i++)
        cr_assert_eq(verdict.findings[i].kernel, VERDICT_MAX - i);
}
