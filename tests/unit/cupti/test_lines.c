/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lines run of the agent, from the driver's callbacks to the events on the wire, with a double of CUPTI in
 * CUPTI's place (tests/doubles/cupti_double.h). Each program is a child process that plays contexts, modules
 * and launches.
 */
#include "core/wire/agent_config.h"
#include "core/wire/wire.h"
#include "tests/shared/made/made_cubin.h"
#include "tests/shared/made/watched_program.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

/* ---- code ---- */

static uint8_t kept_cubin[MADE_CUBIN_BYTES]; /* as the agent kept it */
static size_t kept_bytes;

/* The file that a function's cubin is in, in the session's folder. */
static void read_cubin(const char *socket, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(socket, '/') - socket), socket, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return; /* another function's too */
    kept_bytes = fread(kept_cubin, 1, sizeof kept_cubin, file);
    fclose(file);
    unlink(path);
}

static void read_cubins(const char *socket)
{
    kept_bytes = 0;
    for (size_t i = 0; i < count(EVENT_FUNCTION); i++)
        if (nth(EVENT_FUNCTION, i)->function.cubin)
            read_cubin(socket, seen.strings[nth(EVENT_FUNCTION, i)->function.cubin]);
}

/* The id of the function of that name; 0: it was not announced. */
static uint32_t function_named(const char *name)
{
    for (size_t i = 0; i < count(EVENT_FUNCTION); i++)
        if (strcmp(seen.strings[nth(EVENT_FUNCTION, i)->function.name], name) == 0)
            return nth(EVENT_FUNCTION, i)->function.id;
    return 0;
}

/* Samples of a kernel at an instruction (UINT32_MAX: all) for a reason (NULL: all). */
static uint64_t samples(const char *kernel, uint32_t pc_offset, const char *reason)
{
    uint32_t function = function_named(kernel);
    uint64_t sum = 0;
    for (size_t i = 0; i < seen.count; i++) {
        const struct event *event = &seen.events[i];
        if (event->kind == EVENT_STALLS && event->stalls.function == function &&
            (pc_offset == UINT32_MAX || event->stalls.pc_offset == pc_offset) &&
            (!reason || strcmp(seen.strings[event->stalls.reason], reason) == 0))
            sum += event->stalls.samples;
    }
    return sum;
}

/* ---- programs ---- */

static uint8_t cubin[MADE_CUBIN_BYTES];

static size_t make_cubin(void)
{
    static const struct made_function functions[] = {{"add", .size_bytes = 0x40},
                                                     {"copy", .size_bytes = 0x100}};
    return made_cubin(cubin, functions, 2);
}

static void begin_program(void)
{
    play.context(1, 1);
    play.module(1, cubin, make_cubin());
}

static void three_launches(void)
{
    begin_program();
    play.launch("add", 8, 101);
    play.launch("copy", 9, 102);
    play.launch("copy", 10, 103);
}

#define SERIAL "mode=lines;serialize=1;"
#define COUNTING "mode=lines;instructions=1;launches=1;kernel=copy;"

Test(lines, samples_come_with_their_launch_function_lines_and_code)
{
    watch(SERIAL, "", three_launches, read_cubins);
    cr_assert_str_empty(seen.notices);
    cr_assert_eq(count(EVENT_FUNCTION), 2);
    cr_assert(samples("add", 0x10, "memory") == 7 && samples("add", 0x10, "selected") == 3 &&
              samples("add", 0x20, "memory") == 5);
    cr_assert_eq(samples("copy", UINT32_MAX, NULL), 30);
    for (size_t i = 0; i < count(EVENT_STALLS); i++) {
        const struct event *event = nth(EVENT_STALLS, i);
        uint32_t correlation = event->stalls.correlation;
        cr_assert(correlation >= 101 && correlation <= 103);
        cr_assert_eq(nth(EVENT_SHAPE, event->stalls.shape - 1)->shape.grid[0], correlation - 93);
        cr_assert_eq(event->stalls.period_cycles, 512);
    }
    for (uint32_t i = 0; i < 3; i++) { /* the call says when the launch was */
        const struct event *call = nth(EVENT_CALL, i);
        cr_assert(call && call->call.correlation == 101 + i && call->call.start_ns > 0 &&
                  call->call.end_ns >= call->call.start_ns && call->call.shape == i + 1);
    }
    cr_assert(nth(EVENT_FUNCTION, 0)->function.size_bytes == 0x40 &&
              nth(EVENT_FUNCTION, 1)->function.size_bytes == 0x100);
    cr_assert_eq(count(EVENT_INSTRUCTION), (0x40 + 0x100) / 16);
    for (size_t i = 0; i < count(EVENT_INSTRUCTION); i++) {
        const struct event *event = nth(EVENT_INSTRUCTION, i);
        bool known = event->instruction.pc_offset < 0xa0;
        cr_assert_eq(event->instruction.line, known ? 1 + event->instruction.pc_offset / 16 : 0);
        cr_assert_str_eq(seen.strings[event->instruction.file], known ? "src/kernel.cu" : "");
    }
    size_t size_bytes = make_cubin();
    cr_assert(kept_bytes == size_bytes && memcmp(kept_cubin, cubin, size_bytes) == 0);
}

Test(lines, kernels_that_run_together_have_a_shape_if_there_is_one)
{
    watch("mode=lines;", "", three_launches, read_cubins);
    cr_assert_str_empty(seen.notices);
    cr_assert(samples("add", UINT32_MAX, NULL) == 15 && samples("copy", UINT32_MAX, NULL) == 30);
    for (size_t i = 0; i < count(EVENT_STALLS); i++) {
        const struct event *event = nth(EVENT_STALLS, i);
        bool one = event->stalls.function == function_named("add");
        cr_assert_eq(event->stalls.correlation, 0);
        cr_assert_eq(event->stalls.shape, one ? 1 : 0);
        cr_assert_eq(event->stalls.period_cycles, 32768);
    }
}

Test(lines, only_kernels_that_are_named)
{
    watch(SERIAL "kernel=c*;period=7;", "", three_launches, read_cubins);
    cr_assert(samples("copy", UINT32_MAX, NULL) == 30 && function_named("add") == 0);
    cr_assert_eq(count(EVENT_FUNCTION), 1);
    cr_assert_eq(nth(EVENT_STALLS, 0)->stalls.period_cycles, 128);
}

Test(lines, more_instructions_than_a_reading_holds)
{
    watch("mode=lines;", "CUPTI_DOUBLE_PCS=2500", three_launches, read_cubins);
    cr_assert_eq(samples("add", UINT32_MAX, NULL), 15 + 2500);
    cr_assert_eq(samples("copy", UINT32_MAX, NULL), 30 + 5000);
}

static void reset_between(void)
{
    begin_program();
    play.launch("add", 8, 1);
    play.module(0, NULL, 0);
    play.context(0, 1);
    play.context(1, 2);
    play.module(1, cubin, make_cubin());
    play.launch("add", 8, 2);
}

Test(lines, a_device_that_is_reset)
{
    for (int serialize = 0; serialize < 2; serialize++) {
        watch(serialize ? SERIAL : "mode=lines;", "", reset_between, read_cubins);
        cr_assert_str_empty(seen.notices);
        cr_assert_eq(samples("add", UINT32_MAX, NULL), 30);
        cr_assert_eq(count(EVENT_FUNCTION), 1);
        cr_assert_eq(count(EVENT_INSTRUCTION), 4);
    }
}

static void unloaded_midway(void)
{
    begin_program();
    play.launch("add", 8, 1);
    play.module(0, cubin, 0);
    play.launch("other", 8, 2); /* of a module that nobody told of */
}

Test(lines, a_module_that_goes_and_code_that_was_never_seen)
{
    watch("mode=lines;", "", unloaded_midway, read_cubins);
    cr_assert(samples("add", UINT32_MAX, NULL) == 15 && samples("other", UINT32_MAX, NULL) == 15);
    cr_assert(strstr(seen.notices, "did not see the loading of the machine code"), "%s", seen.notices);
}

static void no_launch(void)
{
    begin_program();
}

static void two_contexts(void)
{
    begin_program();
    play.context(1, 2);
    play.launch("add", 8, 1);
}

/* ---- SASS metrics ---- */

Test(lines, the_instructions_of_one_launch_are_counted)
{
    watch(COUNTING, "", three_launches, read_cubins);
    cr_assert_str_empty(seen.notices);
    cr_assert_eq(count(EVENT_FUNCTION), 1);
    cr_assert_eq(count(EVENT_INSTRUCTION_COUNT), 5);
    cr_assert_eq(count(EVENT_INSTRUCTION), 16);
    for (size_t i = 0; i < 5; i++) {
        const struct event *event = nth(EVENT_INSTRUCTION_COUNT, i);
        bool sectors = i == 4;
        cr_assert_str_eq(seen.strings[event->instruction_count.counter],
                         sectors ? "smsp__sass_sectors_mem_global" : "smsp__sass_inst_executed");
        cr_assert_eq(event->instruction_count.number, sectors ? DOUBLE_SECTORS : DOUBLE_EXECUTED);
        cr_assert_eq(event->instruction_count.pc_offset, sectors ? 0x20 : 16 * i);
        cr_assert_eq(event->instruction_count.function, function_named("copy"));
        cr_assert_eq(event->instruction_count.correlation, 102);
        cr_assert_eq(nth(EVENT_SHAPE, event->instruction_count.shape - 1)->shape.grid[0], 9);
    }
    cr_assert(count(EVENT_CALL) == 1 && nth(EVENT_CALL, 0)->call.correlation == 102);
    cr_assert_eq(count(EVENT_MEASUREMENT), 0);
}

/* ---- what goes wrong ---- */

Test(lines, every_fault_is_a_sentence_and_the_program_lives)
{
    static const struct {
        const char *config, *environment;
        watched_program *run;
        const char *says;
    } rows[] = {
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingEnable=26", three_launches, "another profiler holds"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingEnable=8", three_launches, "out of memory"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingEnable=35", three_launches,
         "may not read the GPU's counters"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingEnable=22", three_launches, "Starting to sample"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingGetNumStallReasons=999", three_launches, "stall reasons"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingSetConfigurationAttribute=7", three_launches,
         "Configuring"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingGetData=8@2", three_launches, "overflowed"},
        {SERIAL, "CUPTI_DOUBLE_FULL=1", three_launches, "overflowed"},
        {"mode=lines;", "CUPTI_DOUBLE_FAULT=cuptiPCSamplingGetData=8@1", three_launches, "overflowed"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingGetData=999@2", three_launches, "Reading the samples"},
        {SERIAL, "CUPTI_DOUBLE_DROPPED=1", three_launches, "dropped"},
        {SERIAL, "CUPTI_DOUBLE_FAULT=cuptiGetCubinCrc=1", three_launches, "did not see the loading"},
        {SERIAL, "", two_contexts, "several contexts"},
        {SERIAL, "CUPTI_DOUBLE_NO_SAMPLES=1", three_launches, "too short"},
        {SERIAL, "CUPTI_DOUBLE_NO_SAMPLES=1", no_launch, ""},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiProfilerInitialize=39", three_launches, "another CUPTI tool"},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiSassMetricsGetProperties=1", three_launches,
         "counts no instructions"},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiSassMetricsSetConfig=8", three_launches, "out of memory"},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiSassMetricsEnable=22", three_launches, "Enabling the counts"},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiSassMetricsGetDataProperties=7", three_launches,
         "Querying the counts"},
        {COUNTING, "CUPTI_DOUBLE_FAULT=cuptiSassMetricsFlushData=999", three_launches, "Reading the counts"},
        {COUNTING, "CUDA_DOUBLE_SYNCHRONIZE=719", three_launches, "Waiting for the GPU"},
        {"mode=lines;instructions=1;launches=1;kernel=_Z4nonePf;", "", three_launches,
         "kernel none were not counted"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch(rows[i].config, rows[i].environment, rows[i].run, read_cubins);
        cr_assert(strstr(seen.notices, rows[i].says), "row %zu, %s: %s", i, rows[i].environment,
                  seen.notices);
        cr_assert_leq(count(EVENT_NOTICE), 2, "row %zu is told more than once: %s", i, seen.notices);
    }
}

static int sampled_says;

/* Goes on until it is not sampled any more. */
static void launch_on(void)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    begin_program();
    if (!play.sampled() || write(sampled_says, "s", 1) != 1)
        _exit(5);
    for (unsigned i = 1; i < 20000 && play.sampled(); i++) {
        play.launch("add", 8, i);
        nanosleep(&pause, NULL);
    }
    if (play.sampled())
        _exit(6);
}

Test(lines, when_lanescope_goes_the_program_runs_on_unsampled)
{
    for (int serialize = 0; serialize < 2; serialize++) {
        struct wire_listener *listener;
        struct wire_consumer *consumer;
        struct wire_hello hello;
        struct error error;
        int fd, status, says[2];
        char byte;
        cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK, "%s", error.text);
        cr_assert_eq(pipe(says), 0);
        sampled_says = says[1];
        pid_t child =
            watched_start(wire_listener_path(listener), serialize ? SERIAL : "mode=lines;", "", launch_on);
        struct pollfd wait = {.fd = wire_listener_fd(listener), .events = POLLIN};
        cr_assert(poll(&wait, 1, 60000) == 1 &&
                  wire_listener_accept(listener, &consumer, &hello, &fd, &error) == STATUS_OK);
        close(says[1]);
        cr_assert_eq(read(says[0], &byte, 1), 1, "it was never sampled");
        close(says[0]);
        wire_consumer_destroy(consumer);
        close(fd);
        wire_listener_destroy(listener);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0, "the program ended with %d", status);
    }
}

/* What was sampled before the buffer overflowed is kept. */
Test(lines, samples_before_an_overflow_stay)
{
    watch(SERIAL, "CUPTI_DOUBLE_FAULT=cuptiPCSamplingGetData=8@2", three_launches, read_cubins);
    cr_assert_eq(samples("add", UINT32_MAX, NULL), 15);
}
#endif
