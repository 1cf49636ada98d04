/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope --runs lines on a program, where the program's CUDA and CUPTI are doubles: it is run once to be
 * sampled and once for each kernel, and all of it is one group of runs in the recording. And --device both: the
 * program on the GPU of the doubles, whose counters may be refused, and on the device model.
 */
#include "core/analysis/kernel_index.h"
#include "core/recording/recording.h"
#include "core/session/code.h"
#include "tests/cli/program.h"
#include "tests/doubles/cupti_double.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

/* A disassembler that knows the program's two kernels, in front of any other. */
static void enter(void)
{
    char path[4096];
    program_enter();
    program_write("nvdisasm", "#!/bin/sh\n"
                              "for f in add copy; do echo .text.$f:; for i in 0 1 2 3 4; do echo "
                              "\"/*00${i}0*/ $f R$i ;\"; done; done\n");
    cr_assert_eq(chmod("nvdisasm", 0700), 0);
    cr_assert(getcwd(path, 2048) != NULL);
    snprintf(path + strlen(path), 2048, ":%.2000s", getenv("PATH"));
    setenv("PATH", path, 1);
}

TestSuite(line_runs, .init = enter, .fini = program_leave, .timeout = 280);

static char output[1 << 16], errors[1 << 16];

static struct session *record(const char *options, int exit_status)
{
    char arguments[8192];
    struct session *session;
    struct error error;
    unlink("a.lsr");
    snprintf(arguments, sizeof arguments, "--record a.lsr %s -- %s/tests/double_program", options,
             TEST_BUILD_DIR);
    int status = program_run(arguments, output, errors, sizeof output);
    cr_assert_eq(status, exit_status, "%s: %d, %s", options, status, errors);
    cr_assert_eq(recording_load(&session, "a.lsr", &error), STATUS_OK, "%s", error.text);
    return session;
}

static const char *function_of(const struct session *session, uint32_t instruction)
{
    const struct instruction_row *row = session_instruction(session, instruction);
    return session_string(session, session_function(session, row->function)->mangled);
}

static uint64_t samples(const struct session *session, const char *kernel)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < session_stall_count(session); i++)
        if (strcmp(function_of(session, session_stall(session, i)->instruction), kernel) == 0)
            sum += session_stall(session, i)->samples;
    return sum;
}

static uint64_t counted(const struct session *session, const char *kernel, const char *counter)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < session_tally_count(session); i++) {
        const struct tally_row *row = session_tally(session, i);
        if (strcmp(function_of(session, row->instruction), kernel) == 0 &&
            strcmp(session_string(session, row->counter), counter) == 0)
            sum += row->number;
    }
    return sum;
}

Test(line_runs, a_program_is_sampled_and_each_kernel_counted)
{
    struct session *session = record("--runs lines", 0);
    cr_assert_eq(session_run_count(session), 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(session_run(session, i)->mode, RUN_LINES);
        cr_assert_eq(session_run(session, i)->group, 0);
    }
    cr_assert(samples(session, "add") == 2 * 30 &&
              samples(session, "copy") == 2 * 45); /* few: sampled twice */
    cr_assert(counted(session, "add", "smsp__sass_inst_executed") == 4 * DOUBLE_EXECUTED &&
              counted(session, "add", "smsp__sass_sectors_mem_global") == DOUBLE_SECTORS);
    cr_assert_eq(counted(session, "copy", "smsp__sass_inst_executed"), 4 * DOUBLE_EXECUTED);
    cr_assert_eq(session_instruction_count(session), (0x40 + 0x100) / 16);
    cr_assert_eq(session_notice_count(session), 0);
    for (uint32_t i = 0; i < session_instruction_count(session); i++) { /* 0x40 of "add" is not its own */
        const struct instruction_row *row = session_instruction(session, i);
        const char *function = function_of(session, i);
        char text[32] = "";
        if (row->pc_offset < (strcmp(function, "add") == 0 ? 0x40 : 0x50))
            snprintf(text, sizeof text, "%s R%u", function, row->pc_offset / 16);
        cr_assert_str_eq(session_string(session, row->text), text);
    }
    cr_assert(strstr(output, "lines only") && !strstr(strstr(output, "lines only") + 1, "lines only"), "%s",
              output);
    session_destroy(session);
}

Test(line_runs, only_the_kernels_that_are_named)
{
    struct session *session = record("--runs lines --kernel 'ad*'", 0);
    cr_assert_eq(session_run_count(session), 3);
    cr_assert(samples(session, "add") == 2 * 30 && samples(session, "copy") == 0);
    cr_assert(counted(session, "copy", "smsp__sass_inst_executed") == 0);
    session_destroy(session);
}

/* A trace that the double does not give does not keep lines from being sampled; they are of its group. */
Test(line_runs, beside_a_trace)
{
    struct session *session = record("--runs trace,lines", 0);
    cr_assert_eq(session_run_count(session), 5);
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(session_run(session, i)->group, 0);
    cr_assert_not(strstr(output, "only"), "%s", output);
    session_destroy(session);
}

Test(line_runs, a_disassembler_that_fails_is_said_once)
{
    program_write("nvdisasm", "#!/bin/sh\nexit 1\n");
    struct session *session = record("--runs lines", 0);
    cr_assert(counted(session, "copy", "smsp__sass_inst_executed") == 4 * DOUBLE_EXECUTED);
    cr_assert_eq(session_notice_count(session), 1);
    cr_assert(strstr(session_string(session, session_notice(session, 0)->text), "did not disassemble"));
    session_destroy(session);
}

Test(line_runs, a_program_with_many_samples_is_sampled_once)
{
    setenv("CUPTI_DOUBLE_TIMES", "100", 1);
    struct session *session = record("--runs lines", 0);
    cr_assert_eq(session_run_count(session), 3);
    session_destroy(session);
}

/* The program's third process, that of the second kernel, is interrupted: by Ctrl-C, of which a terminal
 * tells the program alone, and by a signal to lanescope. What was measured stays, and nothing more is run. */
Test(line_runs, what_was_measured_stays_when_it_is_interrupted)
{
    static const char *const interrupts[] = {"kill -INT $$", "kill -INT $PPID; exec sleep 100"};
    for (int i = 0; i < 2; i++) {
        char script[4096];
        struct session *session;
        struct error error;
        setenv("CUPTI_DOUBLE_TIMES", "100", 1);
        snprintf(script, sizeof script,
                 "#!/bin/sh\necho x >> times%d\nif [ $(wc -l < times%d) = 3 ]; then %s; fi\n"
                 "exec %s/tests/double_program\n",
                 i, i, interrupts[i], TEST_BUILD_DIR);
        program_write("p", script);
        cr_assert_eq(chmod("p", 0700), 0);
        unlink("a.lsr");
        int status =
            program_run("--record a.lsr --runs lines --beside 1 -- ./p", output, errors, sizeof output);
        cr_expect_eq(status, 130, "%d: %s", status, errors);
        cr_assert_eq(recording_load(&session, "a.lsr", &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(session_run_count(session), 2, "sampled, and one kernel counted");
        cr_assert(samples(session, "copy") > 0);
        cr_assert_eq(counted(session, "copy", "smsp__sass_inst_executed"), 4 * DOUBLE_EXECUTED);
        cr_assert_eq(counted(session, "add", "smsp__sass_inst_executed"), 0);
        cr_assert_eq(session_notice_count(session), 1);
        cr_assert(strstr(session_string(session, session_notice(session, 0)->text),
                         "Interrupted before the instructions of 1 more kernels were counted"));
        cr_assert(strstr(errors, "of 2 of 2 kernels, which have 100 % of the time: 2 more runs of about") &&
                  strstr(errors, "kernel 2 of 2, about "));
        session_destroy(session);
    }
}

/* Each process that counts waits until the other one runs. Only the one that was sampled is heard. */
Test(line_runs, two_processes_count_beside_each_other)
{
    char script[4096];
    setenv("CUPTI_DOUBLE_TIMES", "100", 1);
    snprintf(script, sizeof script,
             "#!/bin/sh\nfor n in 1 2 3; do mkdir run$n 2>/dev/null && break; done\necho this is run $n\n"
             "i=0\nwhile [ $n != 1 ] && ! [ -d run2 -a -d run3 ]; do\n"
             "  sleep 0.05; i=$((i + 1)); [ $i -lt 600 ] || exit 9\ndone\nexec %s/tests/double_program\n",
             TEST_BUILD_DIR);
    program_write("p", script);
    cr_assert_eq(chmod("p", 0700), 0);
    int status = program_run("--record a.lsr --runs lines --beside 2 -- ./p", output, errors, sizeof output);
    cr_assert_eq(status, 0, "%d: %s", status, errors);
    struct session *session;
    struct error error;
    cr_assert_eq(recording_load(&session, "a.lsr", &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(session_run_count(session), 3);
    cr_assert_eq(counted(session, "add", "smsp__sass_inst_executed"), 4 * DOUBLE_EXECUTED);
    cr_assert_eq(counted(session, "copy", "smsp__sass_inst_executed"), 4 * DOUBLE_EXECUTED);
    cr_assert_eq(session_notice_count(session), 0);
    cr_assert(strstr(output, "this is run 1") && !strstr(output, "this is run 2") &&
              !strstr(output, "this is run 3"));
    cr_assert(strstr(errors, "2 at a time, which print nothing; --beside 1 runs one at a time. About"), "%s",
              errors);
    session_destroy(session);
}

/* One kernel has 60 % of the samples: of one alone the other is left out, and that is said. */
Test(line_runs, as_many_kernels_as_are_asked_for)
{
    setenv("CUPTI_DOUBLE_TIMES", "100", 1);
    struct session *session = record("--runs lines=1", 0);
    cr_assert_eq(session_run_count(session), 2);
    cr_assert_eq(counted(session, "add", "smsp__sass_inst_executed"), 0);
    cr_assert(session_notice_count(session) == 1 &&
              strstr(session_string(session, session_notice(session, 0)->text), "give --runs lines=N"));
    session_destroy(session);
}

Test(line_runs, without_permission_it_says_so)
{
    setenv("CUPTI_DOUBLE_FAULT", "cuptiPCSamplingEnable=35", 1);
    struct session *session = record("--runs lines", 0);
    cr_assert_eq(session_run_count(session), 1);
    cr_assert(session_notice_count(session) == 1 && session_notice(session, 0)->status == STATUS_PERMISSION);
    session_destroy(session);
}

/* ---- the model's counts beside measured times ---- */

static void enter_both(void)
{
    enter();
    unsetenv("CUDA_VISIBLE_DEVICES"); /* the model sees its GPU */
}

TestSuite(device_both, .init = enter_both, .fini = program_leave, .timeout = 280);

static void report(const char *arguments)
{
    cr_assert_eq(program_run(arguments, output, errors, sizeof output), 0, "%s: %s", arguments, errors);
}

#ifndef SANITIZES_ADDRESSES /* the program has a runtime of its own, which the stand-in's excludes */
/* Of a kernel in a shape, on the GPU. */
static uint32_t kernel_of(const struct session *session, const char *name, uint32_t blocks)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        if (!kernel_on_model(session, i) && strcmp(session_string(session, shape->name), name) == 0 &&
            (uint32_t)shape->grid[0] == blocks)
            return i;
    }
    cr_assert_fail("no kernel %s of %u blocks", name, blocks);
    return NONE;
}

/* A lane has 4 bytes: "add" needs 4 sectors a warp, "copy" 32. */
static void expect_modelled(const struct session *session)
{
    static const struct {
        const char *name;
        uint32_t blocks;
        double sectors;
    } rows[] = {{"add", 8, 8 * 4}, {"copy", 9, 9 * 32}, {"copy", 10, 10 * 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t kernel = kernel_of(session, rows[i].name, rows[i].blocks);
        struct value time = kernel_statistic(session, kernel, METRIC_time_ns, PROVENANCE_MEASURED).value,
                     sectors =
                         kernel_statistic(session, kernel, METRIC_global_load_sectors, PROVENANCE_MODELLED)
                             .value;
        cr_assert(time.available && time.number == 1e6, "%s: %g ns", rows[i].name, time.number);
        cr_assert(sectors.available && sectors.number == rows[i].sectors, "%s: %g", rows[i].name,
                  sectors.number);
        cr_assert_eq(sectors.provenance, PROVENANCE_MODELLED);
    }
}

/* Counters refused in every call that could read them, and the same without a try: times are measured, counts are
 * modelled, and each that is printed says which it is. */
Test(device_both, a_kernel_that_was_not_counted_shows_the_models_counts)
{
    setenv("DOUBLE_PROGRAM_PTX", "1", 1);
    setenv("CUPTI_DOUBLE_FAULT", "cuptiRangeProfilerEnable=35 cuptiProfilerGetCounterAvailability=35", 1);
    for (int tried = 0; tried < 2; tried++) {
        struct session *session = record(tried ? "--device both --runs trace,counters" : "--device both", 0);
        uint32_t runs = session_run_count(session), refused = 0;
        for (uint32_t i = 0; i < runs; i++)
            cr_assert_eq(session_run(session, i)->group, 0, "run %u of %u", i, runs);
        cr_assert_eq(session_run(session, runs - 1)->clock, CLOCK_MODEL);
        for (uint32_t i = 0; i < session_notice_count(session); i++)
            refused += session_notice(session, i)->status == STATUS_PERMISSION;
        cr_assert(tried ? refused > 0 : refused == 0, "%u", refused);
        expect_modelled(session);
        session_destroy(session);
        cr_assert(strstr(output, "copy: modelled: Global loads move 8x"), "%s", output);
        cr_assert(!strstr(output, "not counted"), "%s", output);
        report("report a.lsr --table metrics --format csv");
        cr_assert(strstr(output, "0,0,\"add\",\"global_load_sectors\",32,modelled,") &&
                      strstr(output, "0,0,\"add\",\"time_ns\",1000000,measured,"),
                  "%s", output);
        report("report a.lsr --table counters");
        cr_assert(strstr(output, "~32.0      ~32.0") && !strstr(output, " 32.0"), "%s", output);
        report("report a.lsr --table advice --format csv");
        cr_assert(strstr(output, "modelled") && !strstr(output, "measured"), "%s", output);
        report("report a.lsr --table shapes --format csv");
        cr_assert(strstr(output, "\"not_checked\",\"modelled: ") && !strstr(output, "\"fine\""), "%s",
                  output);
        report("report a.lsr --json --summary");
        cr_assert(strstr(output, "copy: modelled: Global loads move 8x"), "%s", output);
        report("view a.lsr --snapshot text --size 140x40");
        cr_assert(strstr(output, "expected    modelled    measured"), "%s", output);
    }
}
#endif

/* Without the model's run the report names it, and never the counters that were refused. */
Test(device_both, is_named_where_counters_are_refused)
{
    setenv("CUPTI_DOUBLE_FAULT", "cuptiRangeProfilerEnable=35", 1);
    session_destroy(record("--runs trace,counters", 0));
    cr_assert(strstr(output, "lanescope --record counted.lsr --device both -- ") &&
                  !strstr(output, "--runs trace,counters"),
              "%s", output);
    report("report a.lsr --table kernels");
    cr_assert(strstr(output, "--device both counts them"), "%s", output);
}

#ifndef SANITIZES_ADDRESSES /* the program has a runtime of its own, which the stand-in's excludes */
/* What the GPU counted stays, and nothing of the model replaces it. */
Test(device_both, measured_counts_stand_beside_modelled_ones)
{
    setenv("DOUBLE_PROGRAM_PTX", "1", 1);
    struct session *session = record("--device both --runs trace,counters", 0);
    expect_modelled(session);
    struct value requests = kernel_statistic(session, kernel_of(session, "add", 8),
                                             METRIC_global_load_sectors, PROVENANCE_MEASURED)
                                .value;
    cr_assert(requests.available && requests.number > 1000, "%g", requests.number);
    session_destroy(session);
    cr_assert(!strstr(output, "modelled: "), "%s", output);
    report("report a.lsr --table counters");
    cr_assert(strstr(output, "0 of 42 exact counts are as modelled"), "%s", output);
}
#endif

/* The program's own status stays when the model runs it to its end; a refusal of the model's is one, too. */
Test(device_both, status_of_both_runs)
{
    char arguments[8192];
    snprintf(arguments, sizeof arguments,
             "--record a.lsr --device both -- sh -c '%s/tests/double_program; exit 3'", TEST_BUILD_DIR);
    cr_assert_eq(program_run(arguments, output, errors, sizeof output), 3, "%s", errors);
}
#endif
