/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter run of the agent, from the driver's callbacks to the values on the wire, with a double of CUPTI
 * in CUPTI's place (tests/doubles/cupti_double.h): which launches are measured, with what, and what keeps one
 * from being measured.
 */
#include "core/wire/wire.h"
#include "tests/doubles/cuda_graph.h"
#include "tests/shared/made/watched_program.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

#define COUNTERS "mode=counters;"
#define TWO "mode=counters;counters=smsp__inst_executed.sum,dram__bytes_read.sum;"

/* ---- programs ---- */

static unsigned correlation;

static void call(const char *function, size_t context)
{
    play.call(
        &(struct cupti_double_call){.function = function, .context = context, .correlation = ++correlation});
}

static void launch_as(const char *function, size_t context, const char *kernel, unsigned blocks, int result)
{
    play.call(&(struct cupti_double_call){.function = function,
                                          .kernel = kernel,
                                          .blocks = blocks,
                                          .correlation = ++correlation,
                                          .context = context,
                                          .result = result});
}

static void launch(const char *kernel, unsigned blocks)
{
    launch_as("cuLaunchKernel", 1, kernel, blocks, 0);
}

static void five_of_each(void)
{
    play.context(1, 1);
    for (int i = 0; i < 5; i++) {
        launch("add", 8);
        launch("copy", 9);
        launch("copy", 10);
    }
}

static void two_cases(void)
{
    play.context(1, 1);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            launch("add", 8);
        call("cuCtxSynchronize", 1);
    }
}

static void ways_to_launch(void)
{
    play.context(1, 1);
    launch_as("cuLaunchKernel", 1, "plain", 1, 0);
    launch_as("cuLaunchKernelEx", 1, "extended", 2, 0);
    launch_as("cuLaunchCooperativeKernel", 1, "together", 3, 0);
    launch_as("cuLaunchKernel", 1, "ncclDevKernel_AllReduce", 4, 0);
    call("cuGraphLaunch", 1);
    call("cuGraphLaunch", 1);
}

/* A Start within the capture would end the program with 7. */
static void captures(void)
{
    play.context(1, 1);
    launch("before", 1);
    call("cuStreamBeginCapture_v2", 1);
    launch("within", 2);
    launch("within", 3);
    call("cuStreamEndCapture", 1);
    launch("after", 4);
}

static void failed_capture(void)
{
    play.context(1, 1);
    play.call(&(struct cupti_double_call){.function = "cuStreamBeginCapture_v2", .result = 900});
    launch("after", 4);
}

static void two_contexts(void)
{
    play.context(1, 1);
    play.context(1, 2);
    for (int i = 0; i < 3; i++) {
        launch_as("cuLaunchKernel", 1, "first", 1, 0);
        launch_as("cuLaunchKernel", 2, "second", 2, 0);
    }
}

static void reset_between(void)
{
    for (size_t context = 1; context <= 3; context++) {
        play.context(1, context);
        launch_as("cuLaunchKernel", context, "add", (unsigned)context, 0);
        play.context(0, context);
    }
}

static void a_failed_launch(void)
{
    play.context(1, 1);
    launch_as("cuLaunchKernel", 1, "add", 8, 1);
    launch("add", 8);
}

static void copies_between(void)
{
    play.context(1, 1);
    launch("add", 8);
    call("cuMemcpyHtoD_v2", 1);
    launch("add", 8);
}

/* ---- graphs ---- */

/* As the parameters of the driver's calls begin. */
struct call_params {
    const void *first, *second;
};

static struct {
    double_graph_make *graph;
    double_graph_exec_make *exec;
    double_graph_end *end;
    double_graph_count *enabled;
    double_graph_text *order;
} cuda;

static void find(const char *name, void *function)
{
    void *symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), name);
    memcpy(function, &symbol, sizeof symbol);
    if (!symbol)
        _exit(9);
}

static void find_graphs(void)
{
    play.context(1, 1);
    find("double_graph", &cuda.graph);
    find("double_graph_exec", &cuda.exec);
    find("double_graph_destroy", &cuda.end);
    find("double_graph_enabled", &cuda.enabled);
    find("double_graph_order", &cuda.order);
}

static void graph_call(const char *function, const void *params, void (*within)(void))
{
    play.call(&(struct cupti_double_call){
        .function = function, .correlation = ++correlation, .params = params, .within = within});
}

static void *instantiate(const char *nodes, void **graph)
{
    *graph = cuda.graph(nodes);
    void *exec = cuda.exec(*graph);
    graph_call("cuGraphInstantiateWithFlags", &(struct call_params){&exec, *graph}, NULL);
    return exec;
}

static size_t enabled_within;

static void look_within(void)
{
    enabled_within = cuda.enabled();
}

/* within: so many nodes run in the graph; after: none is left disabled; order: what has run alone in all. */
static void launch_graph(void *exec, size_t within, size_t after, const char *order)
{
    graph_call("cuGraphLaunch", &(struct call_params){exec, NULL}, look_within);
    if (enabled_within != within || cuda.enabled() != after || strcmp(cuda.order(), order) != 0) {
        fprintf(stderr, "within %zu, after %zu, order %s, not %s\n", enabled_within, cuda.enabled(),
                cuda.order(), order);
        _exit(8);
    }
}

static void split_graph(void)
{
    void *graph;
    find_graphs();
    void *exec = instantiate("s1c2e3", &graph);
    launch_graph(exec, 0, 5, "s1c23");
    launch_graph(exec, 0, 5, "s1c23s1c23");
    launch_graph(exec, 5, 5, "s1c23s1c23"); /* enough */
    graph_call("cuGraphExecDestroy", &(struct call_params){exec, NULL}, NULL);
    exec = instantiate("4", &graph); /* the same handle again */
    launch_graph(exec, 0, 1, "s1c23s1c234");
}

static void failing_node(void)
{
    void *graph;
    find_graphs();
    void *exec = instantiate("123", &graph);
    launch_graph(exec, 2, 3, "1"); /* the second fails: the graph runs it and what comes after it */
}

static void updated_graph(void)
{
    void *graph, *other;
    find_graphs();
    void *exec = instantiate("12", &graph);
    other = cuda.graph("56");
    graph_call("cuGraphExecUpdate_v2", &(struct call_params){exec, other}, NULL);
    launch_graph(exec, 0, 2, "56");
    graph_call("cuGraphExecKernelNodeSetParams_v2", &(struct call_params){exec, NULL}, NULL);
    launch_graph(exec, 2, 2, "56");
}

static void graph_of_the_host(void)
{
    void *graph;
    find_graphs();
    launch_graph(instantiate("1h", &graph), 2, 2, "");
}

/* The driver destroys what its parameter says after the callback, or, one that has read it before, what it said. */
static struct call_params ending;
static void *ended_early;

static void end_within(void)
{
    cuda.end(ended_early ? ended_early : (void *)(uintptr_t)ending.first);
}

static void graph_gone(void)
{
    void *graph;
    find_graphs();
    void *exec = instantiate("12", &graph);
    ending.first = graph;
    graph_call("cuGraphDestroy", &ending, end_within);
    launch_graph(exec, 0, 2, "12");
    graph_call("cuGraphExecDestroy", &(struct call_params){exec, NULL}, NULL);
    if (cuda.enabled() != 0) /* the graph that was kept is gone, too */
        _exit(8);
}

static void graph_gone_early(void)
{
    void *graph;
    find_graphs();
    void *exec = instantiate("12", &graph);
    ending.first = ended_early = graph;
    graph_call("cuGraphDestroy", &ending, end_within);
    launch_graph(exec, 0, 0, "");
}

/* ---- what came of it ---- */

/* Measurements of a kernel. */
static size_t measured(const char *kernel)
{
    size_t found = 0;
    for (size_t i = 0; i < count(EVENT_MEASUREMENT); i++) {
        const struct event *shape = nth(EVENT_SHAPE, nth(EVENT_MEASUREMENT, i)->measurement.shape - 1);
        found += shape && strcmp(seen.strings[shape->shape.name], kernel) == 0;
    }
    return found;
}

/* Each measurement is followed by its values, and they are those of its own launch. */
static void values_are_right(void)
{
    size_t values = 0;
    for (size_t i = 0; i < count(EVENT_MEASUREMENT); i++) {
        const struct event *event = nth(EVENT_MEASUREMENT, i);
        uint32_t blocks = nth(EVENT_SHAPE, event->measurement.shape - 1)->shape.grid[0];
        cr_assert_eq(event->measurement.id, i + 1);
        cr_assert(event->measurement.start_ns > 0 &&
                  event->measurement.end_ns >= event->measurement.start_ns);
        for (uint32_t m = 0; m < event->measurement.values; m++) {
            const struct event *value = nth(EVENT_VALUE, values++);
            cr_assert_not_null(value);
            cr_assert_eq(value->value.measurement, event->measurement.id);
            cr_assert_float_eq(value->value.number, 1000.0 * blocks + m, 0);
        }
    }
    cr_assert_eq(count(EVENT_VALUE), values);
}

/* Was a counter taken? */
static bool took(const char *counter)
{
    for (size_t i = 0; i < count(EVENT_VALUE); i++)
        if (strstr(seen.strings[nth(EVENT_VALUE, i)->value.counter], counter))
            return true;
    return false;
}

/* ---- tests ---- */

Test(counters, the_first_launches_of_each_kernel_and_shape)
{
    static const struct {
        const char *config;
        size_t of_each;
    } rows[] = {{TWO, 3}, {TWO "launches=1;", 1}, {TWO "launches=0;", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch(rows[i].config, "", five_of_each, NULL);
        cr_assert_str_empty(seen.notices);
        cr_assert(measured("add") == rows[i].of_each && measured("copy") == 2 * rows[i].of_each);
        cr_assert_eq(nth(EVENT_MEASUREMENT, 0)->measurement.passes, 1);
        cr_assert_eq(nth(EVENT_MEASUREMENT, 0)->measurement.values, 2);
        values_are_right();
    }
}

Test(counters, those_that_are_named)
{
    watch(TWO "kernel=c*;", "", five_of_each, NULL);
    cr_assert(measured("add") == 0 && measured("copy") == 6);
    values_are_right();
}

/* A workload's child synchronises after each case. CUPTI does so, too, while it measures: that is no case's
 * end. */
Test(counters, the_first_launches_after_each_synchronisation)
{
    watch(TWO "launches=2;launches_per_sync=1;", "", two_cases, NULL);
    cr_assert_eq(measured("add"), 4);
    watch(TWO "launches=2;", "", two_cases, NULL);
    cr_assert_eq(measured("add"), 2);
}

Test(counters, what_a_run_takes)
{
    static const struct {
        const char *config;
        uint32_t passes;
        bool sectors, dram;
    } rows[] = {{COUNTERS, 4, true, true},
                {COUNTERS "memory_apart=1;", 4, true, false},
                {"mode=memory;", 1, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch(rows[i].config, "", five_of_each, NULL);
        cr_assert_str_empty(seen.notices);
        cr_assert_eq(nth(EVENT_MEASUREMENT, 0)->measurement.passes, rows[i].passes);
        cr_assert(took("sectors_mem_global") || took("t_sectors_pipe_lsu_mem_global") ? rows[i].sectors
                                                                                      : !rows[i].sectors);
        cr_assert_eq(took("dram__bytes_read"), rows[i].dram);
        values_are_right();
    }
    watch(TWO, "CUPTI_DOUBLE_UNKNOWN=dram__bytes_read.sum", five_of_each, NULL);
    cr_assert(strstr(seen.notices, "does not have 1 of the counters asked for: dram__bytes_read.sum"), "%s",
              seen.notices);
    cr_assert(took("smsp__inst_executed") && !took("dram__bytes_read"));
}

Test(counters, every_way_to_launch_but_what_waits_for_others)
{
    watch(TWO, "", ways_to_launch, NULL);
    cr_assert(measured("plain") == 1 && measured("extended") == 1);
    cr_assert(measured("together") == 0 && measured("ncclDevKernel_AllReduce") == 0);
    cr_assert(strstr(seen.notices, "together is not measured: it is a cooperative launch") &&
                  strstr(seen.notices, "ncclDevKernel_AllReduce is not measured: it waits for other GPUs") &&
                  strstr(seen.notices,
                         "Kernels of a CUDA graph are not measured: lanescope did not see how it was made"),
              "%s", seen.notices);
    cr_assert_eq(count(EVENT_NOTICE), 3, "%s", seen.notices);
    values_are_right();
    watch(TWO "kernel=together;", "", ways_to_launch, NULL);
    cr_assert_eq(measured("together"), 1);
}

Test(counters, kernels_of_graphs)
{
    static const struct {
        watched_program *run;
        const char *environment, *says;
        size_t measurements;
    } rows[] = {{split_graph, "", "", 7},
                {failing_node, "CUDA_DOUBLE_GRAPH_FAULT=2", "", 1},
                {updated_graph, "", "set parameters of its nodes", 2},
                {graph_of_the_host, "", "it calls functions of the host", 0},
                {graph_gone, "", "", 2},
                {graph_gone_early, "", "the driver does not disable its nodes", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch(TWO "launches=2;", rows[i].environment, rows[i].run, NULL);
        cr_assert(strstr(seen.notices, rows[i].says), "%zu: %s", i, seen.notices);
        cr_assert_eq(count(EVENT_NOTICE), *rows[i].says ? 1 : 0, "%zu: %s", i, seen.notices);
        cr_assert_eq(measured("node"), rows[i].measurements, "%zu: %zu", i, measured("node"));
        values_are_right();
    }
}

Test(counters, nothing_while_a_stream_is_captured)
{
    watch(TWO, "", captures, NULL);
    cr_assert(measured("before") == 1 && measured("within") == 0 && measured("after") == 1);
    cr_assert(strstr(seen.notices, "launched during stream capture are not measured"), "%s", seen.notices);
    cr_assert_eq(count(EVENT_NOTICE), 1, "%s", seen.notices);
    watch(TWO, "", failed_capture, NULL);
    cr_assert(measured("after") == 1 && count(EVENT_NOTICE) == 0);
}

Test(counters, one_context_of_a_gpu)
{
    watch(TWO, "", two_contexts, NULL);
    cr_assert(measured("first") == 3 && measured("second") == 0);
    cr_assert(strstr(seen.notices, "several contexts of one GPU"), "%s", seen.notices);
    cr_assert_eq(count(EVENT_NOTICE), 1, "%s", seen.notices);
}

/* A context that goes gives the counters to the next one: the profiler was taken off it. */
Test(counters, contexts_one_after_the_other)
{
    watch(TWO, "", reset_between, NULL);
    cr_assert_str_empty(seen.notices);
    cr_assert_eq(measured("add"), 3);
    values_are_right();
}

Test(counters, a_launch_that_fails_is_the_programs_affair)
{
    watch(TWO "launches=1;", "", a_failed_launch, NULL);
    cr_assert_str_empty(seen.notices);
    cr_assert_eq(measured("add"), 1, "the one that failed was given back");
    values_are_right();
}

Test(counters, copies_go_on_beside)
{
    watch(TWO, "", copies_between, NULL);
    cr_assert_eq(measured("add"), 2);
}

/* Somebody else's for a moment: the launch waits. 26: HARDWARE_BUSY. */
Test(counters, counters_that_another_has)
{
    static const char *const faults[] = {
        "CUPTI_DOUBLE_FAULT=cuptiRangeProfilerStart=26@1", "CUPTI_DOUBLE_FAULT=cuptiRangeProfilerEnable=26@1",
        "CUPTI_DOUBLE_FAULT=cuptiRangeProfilerSetConfig=26@2 cuptiRangeProfilerStart=26@3"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        watch(TWO, faults[i], five_of_each, NULL);
        cr_assert_str_empty(seen.notices);
        cr_assert_eq(count(EVENT_MEASUREMENT), 9, "%s", faults[i]);
        values_are_right();
    }
}

/* One sentence, and the program runs on. */
Test(counters, what_fails_is_said_once)
{
    static const struct {
        const char *fault, *says;
        size_t measurements;
    } rows[] = {
        {"cuptiProfilerInitialize=999", "Starting CUPTI's profiler", 0},
        {"cuptiRangeProfilerEnable=35", "Tracing works without this: lanescope --device", 0},
        {"cuptiRangeProfilerSetConfig=999", "Configuring the counters", 0},
        {"cuptiRangeProfilerStart=999@2", "Starting the counters", 1},
        {"cuptiRangeProfilerStop=999@2", "could not be measured, and later kernels are not measured", 1},
        {"cuptiRangeProfilerDecodeData=999@3", "Reading the counters", 2},
        {"cuptiProfilerHostEvaluateToGpuValues=999@1", "Evaluating the counters", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char environment[128];
        snprintf(environment, sizeof environment, "CUPTI_DOUBLE_FAULT=%s", rows[i].fault);
        watch(TWO, environment, five_of_each, NULL);
        cr_assert(strstr(seen.notices, rows[i].says), "%s: %s", rows[i].fault, seen.notices);
        cr_assert_eq(count(EVENT_NOTICE), 1, "%s: %s", rows[i].fault, seen.notices);
        cr_assert_eq(count(EVENT_MEASUREMENT), rows[i].measurements, "%s: %zu", rows[i].fault,
                     count(EVENT_MEASUREMENT));
        values_are_right();
    }
}

/* Of CUDA 12, of today and of tomorrow: it measures, or a sentence says what is needed, and the program runs on. */
Test(counters, versions_of_cupti)
{
    static const struct {
        const char *environment, *says;
        size_t measurements;
    } rows[] = {
        {"CUPTI_DOUBLE_VERSION=120008", "CUPTI version 120008: nothing is recorded. lanescope needs CUPTI 13",
         0},
        {"CUPTI_DOUBLE_VERSION=130000", "version 130001 (13.0 Update 1) or newer", 0},
        {"CUPTI_DOUBLE_VERSION=130201", "", 9},
        {"CUPTI_DOUBLE_VERSION=140000", "CUPTI version 140000: nothing is recorded", 0},
        {"CUPTI_DOUBLE_TWELVE=1", "This program has loaded CUPTI 12 (", 0},
        {"CUPTI_DOUBLE_FAULT=cuptiSubscribe_v2=38", "Subscribing to CUPTI's callbacks", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch(TWO, rows[i].environment, five_of_each, NULL);
        cr_assert(strstr(seen.notices, rows[i].says), "%s: %s", rows[i].environment, seen.notices);
        cr_assert_eq(count(EVENT_NOTICE), *rows[i].says ? 1 : 0, "%s: %s", rows[i].environment, seen.notices);
        cr_assert_eq(count(EVENT_MEASUREMENT), rows[i].measurements, "%s", rows[i].environment);
    }
}
#endif
