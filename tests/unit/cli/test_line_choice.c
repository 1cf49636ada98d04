/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels' instructions are counted after a lines run has sampled. */
#include "cli/run/live_internal.h"
#include "core/recording/recording.h"
#include "core/session/code.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session *session;

static void enter(void)
{
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
}

static void leave(void)
{
    session_destroy(session);
}

TestSuite(line_choice, .init = enter, .fini = leave);

static uint32_t string(const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static uint32_t add_run(const char *workload, const char *params, enum run_mode mode)
{
    const struct run_row run = {.workload = *workload ? string(workload) : 0,
                                .variant = *workload ? string("v") : 0,
                                .params = string(params),
                                .program = *workload ? 0 : string("a.out"),
                                .mode = (uint8_t)mode};
    return session_add_run(session, &run);
}

static void sample(uint32_t run, const char *kernel, uint32_t pc_offset, uint64_t samples)
{
    const struct function_row function = {.module = 1, .mangled = string(kernel), .name = string("readable")};
    const struct stall_row stall = {
        .run = run,
        .kernel = NONE,
        .instruction = session_add_instruction(session, session_add_function(session, &function), pc_offset),
        .reason = string("wait"),
        .samples = samples};
    cr_assert_neq(session_add_stall(session, &stall), NONE);
}

Test(line_choice, those_with_most_samples_come_first)
{
    static struct line_run list[LINE_RUNS_MAX];
    struct line_choice all = {.most = LINE_RUNS_MAX, .share = 1};
    uint32_t before = add_run("old", "", RUN_LINES), traced = add_run("copy", "n=1", RUN_TRACE),
             one = add_run("copy", "n=1,m=2", RUN_LINES), two = add_run("copy", "", RUN_LINES);
    sample(before, "old", 0, 1000);
    sample(traced, "traced", 0, 1000);
    sample(one, "a", 0, 10);
    sample(one, "b", 0, 15);
    sample(one, "a", 16, 10);
    sample(two, "a", 0, 17);
    cr_assert_eq(line_runs_choose(session, traced, &all, list), 3);
    cr_assert_eq(all.left_out, 0);
    cr_assert_eq(line_runs_samples(session, traced), 52);
    cr_assert_str_eq(list[0].kernel, "a");
    cr_assert_str_eq(list[0].work, "copy:v,n=1,m=2");
    cr_assert_str_eq(list[1].work, "copy:v");
    cr_assert(strcmp(list[2].kernel, "b") == 0 && strcmp(list[2].work, list[0].work) == 0);
    cr_assert_str_eq(session_string(session, list[0].name), "readable");
}

Test(line_choice, processes_of_a_program_count_a_kernel_once)
{
    static struct line_run list[LINE_RUNS_MAX];
    struct line_choice all = {.most = LINE_RUNS_MAX, .share = 1};
    uint32_t first = add_run("", "", RUN_LINES), second = add_run("", "", RUN_LINES);
    sample(first, "a", 0, 10);
    sample(second, "b", 0, 15);
    sample(second, "a", 0, 10);
    cr_assert_eq(line_runs_choose(session, first, &all, list), 2);
    cr_assert(strcmp(list[0].kernel, "a") == 0 && strcmp(list[1].kernel, "b") == 0 && !*list[0].work);
}

Test(line_choice, there_is_an_end)
{
    static struct line_run list[LINE_RUNS_MAX];
    static char name[5000];
    struct line_choice all = {.most = LINE_RUNS_MAX, .share = 1};
    uint32_t run = add_run("", "", RUN_LINES), further = add_run("", "", RUN_LINES);
    cr_assert_eq(line_runs_choose(session, run, &all, list), 0);
    for (int i = 0; i < 100; i++) {
        memset(name, 'x', sizeof name - 1);
        snprintf(name + 300, sizeof name - 300, "%d", i);
        sample(run, name, 0, (uint64_t)(i + 1));
    }
    cr_assert_eq(line_runs_choose(session, run, &all, list), LINE_RUNS_MAX);
    cr_assert_eq(all.left_out, 100 - LINE_RUNS_MAX);
    cr_assert_str_eq(list[0].kernel + 300, "99"); /* whole: what differs may stand at the end */
    memset(name, 'y', sizeof name - 1);
    sample(further, name, 0, 1);
    cr_assert_eq(line_runs_choose(session, further, &all, list), 1);
    cr_assert(strlen(list[0].kernel) == LINE_KERNEL_BYTES - 1 &&
              list[0].kernel[LINE_KERNEL_BYTES - 2] == '*');
}

/* Of a program: those that have four fifths of the time, but no more than four of them. */
Test(line_choice, most_of_the_time_is_enough)
{
    static struct line_run list[LINE_RUNS_MAX];
    uint32_t run = add_run("", "", RUN_LINES);
    sample(run, "a", 0, 70);
    sample(run, "b", 0, 10);
    for (int i = 0; i < 20; i++)
        sample(run, (char[]){(char)('c' + i), '\0'}, 0, 1);
    struct line_choice choice = {.most = 4, .share = 0.8};
    cr_assert_eq(line_runs_choose(session, run, &choice, list), 2);
    cr_assert(choice.left_out == 20 && choice.chosen > 0.79 && choice.chosen < 0.81);
    choice = (struct line_choice){.most = 4, .share = 0.9};
    cr_assert_eq(line_runs_choose(session, run, &choice, list), 4);
    choice = (struct line_choice){.most = 4, .share = 0.1};
    cr_assert_eq(line_runs_choose(session, run, &choice, list), 1, "one in any case");
}

/* A kernel of few warps has few samples, and may take most of the time. */
Test(line_choice, a_trace_says_who_takes_the_time)
{
    static struct line_run list[LINE_RUNS_MAX];
    uint32_t traced = add_run("", "", RUN_TRACE), run = add_run("", "", RUN_LINES);
    struct line_choice choice = {.most = 4, .share = 0.8};
    sample(run, "wide", 0, 900);
    sample(run, "narrow", 0, 100);
    for (int i = 0; i < 2; i++) {
        struct shape_row shape = {.name = string("readable"), .mangled = string(i ? "narrow" : "wide")};
        uint32_t kernel = session_add_kernel(session, traced, session_add_shape(session, &shape), NONE);
        session_set_kernel_sums(session, kernel, 1, i ? 9000 : 1000, 1000, 9000);
    }
    cr_assert_eq(line_runs_choose(session, run, &choice, list), 1);
    cr_assert_str_eq(list[0].kernel, "narrow");
}

/* What a run on an H200 says of its work is a case that can be asked for. */
Test(line_choice, work_is_named_as_it_is_typed)
{
    static const char *const files[] = {"h200.lsr", "curriculum_h200.lsr"};
    size_t ours = 0;
    for (size_t f = 0; f < 2; f++) {
        char path[8192], text[512];
        struct session *recorded;
        snprintf(path, sizeof path, "%s/tests/data/%s", TEST_SOURCE_DIR, files[f]);
        cr_assert_eq(recording_load(&recorded, path, NULL), STATUS_OK);
        for (uint32_t i = 0; i < session_run_count(recorded); i++) {
            struct workload_case *cases = NULL;
            size_t count = 0;
            struct error error = {0};
            cr_assert(line_runs_name_work(recorded, session_run(recorded, i), text, sizeof text));
            if (!*text)
                continue;
            cr_assert_eq(workload_parse(text, &cases, &count, &error), STATUS_OK, "%s: %s", text, error.text);
            cr_assert_eq(count, 1, "%s", text);
            free(cases);
            ours++;
        }
        session_destroy(recorded);
    }
    cr_assert_gt(ours, 100);
}
