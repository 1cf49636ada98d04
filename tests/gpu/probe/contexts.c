/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can a living process take the range profiler off a context and put it on again, there, with other counters,
 * or on another context of the GPU? Each experiment is a row of steps in a process of its own; what was seen
 * stands in docs/cupti-notes.md.
 *
 *     LD_LIBRARY_PATH=.../lib64 probe_contexts [EXPERIMENT]
 *
 * Steps, each with the number of a context: c make it current, o open the profiler on it with the counters of
 * a counter run, O with those of a memory run, m measure a launch in it, d close it and take the profiler
 * off, q close it only.
 */
#include "cupti/profiler/ranges.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONTEXTS 4
#define BLOCKS 1000u /* of one thread that loads a word: so many sectors */
#define SECONDS 10

static const struct {
    const char *name, *steps;
} experiments[] = {
    {"again", "c1 o1 m1 m1 d1 o1 m1 d1 o1 m1 d1"},
    {"other counters", "c1 o1 m1 d1 O1 m1 d1 o1 m1 m1 d1"},
    {"another context", "c1 o1 m1 d1 c2 o2 m2 d2 c1 o1 m1 d1 c2 o2 m2"},
    {"taken off from the other", "c1 o1 m1 c2 d1 o2 m2 c1"},
    {"both on, one measured", "c1 o1 c2 o2 c1 m1 c2 m2"},
    {"both on, first off", "c1 o1 c2 o2 c1 m1 d1 c2 m2 d2"},
    {"to and fro",
     "c1 o1 m1 d1 c2 o2 m2 d2 c3 o3 m3 d3 c1 o1 m1 d1 c2 o2 m2 d2 c3 o3 m3 d3 c1 o1 m1 d1 c2 o2 m2 d2"},
};

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 out)\n{\n"
    ".reg .u64 %rd<4>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [%rd2];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd2], %r2;\nret;\n}\n";

static void *library;
static struct cupti cupti;

#define STRING(name) STRING_OF(name)
#define STRING_OF(name) #name
#define CU(name) (__extension__((__typeof__(&name))symbol(STRING(name)))) /* by the header's newest name */

static void *symbol(const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        printf("no %s\n", name);
        exit(1);
    }
    return found;
}

static void good(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s -> %d\n", what, (int)result);
    exit(1);
}

static struct {
    CUcontext context;
    CUfunction function;
    CUdeviceptr word;
    struct ranges *ranges;
} places[CONTEXTS + 1];

static void places_make(void)
{
    CUdevice device;
    CUmodule module;
    good(CU(cuInit)(0), "cuInit");
    good(CU(cuDeviceGet)(&device, 0), "cuDeviceGet");
    for (int i = 1; i <= CONTEXTS; i++) {
        good(CU(cuCtxCreate)(&places[i].context, NULL, 0, device), "cuCtxCreate");
        good(CU(cuModuleLoadData)(&module, ptx), "cuModuleLoadData");
        good(CU(cuModuleGetFunction)(&places[i].function, module, "add_one"), "cuModuleGetFunction");
        good(CU(cuMemAlloc)(&places[i].word, 4096), "cuMemAlloc");
    }
}

static void show(const struct ranges *ranges, const double *values)
{
    static const char *const shown[] = {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                        "dram__bytes_read.sum",
                                        "sm__warps_active.avg.pct_of_peak_sustained_active"};
    for (size_t i = 0; i < plan_count(ranges_plan(ranges)); i++)
        for (size_t s = 0; s < sizeof shown / sizeof *shown; s++)
            if (strcmp(plan_name(ranges_plan(ranges), i), shown[s]) == 0)
                printf(" %.*s %g", 10, shown[s], values[i]);
}

static enum status measure(int place, double *values, struct error *error)
{
    void *arguments[] = {&places[place].word};
    enum status status = ranges_begin(places[place].ranges, error);
    if (status != STATUS_OK)
        return status;
    CUresult result =
        CU(cuLaunchKernel)(places[place].function, BLOCKS, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    if (result != CUDA_SUCCESS)
        printf(" launch %d", (int)result);
    status = ranges_end(places[place].ranges, values, error);
    result = CU(cuCtxSynchronize)();
    if (result != CUDA_SUCCESS)
        printf(" synchronize %d", (int)result);
    return status;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void step(char what, int place)
{
    double values[PLAN_MAX_METRICS] = {0}, start = now_ms();
    struct error error = {0};
    enum status status = STATUS_OK;
    printf("  %c%d", what, place);
    fflush(stdout);
    switch (what) {
    case 'c': good(CU(cuCtxSetCurrent)(places[place].context), "cuCtxSetCurrent"); break;
    case 'o':
    case 'O':
        status = ranges_open(&places[place].ranges, &cupti, places[place].context, 0, "",
                             what == 'o' ? METRIC_SHARE_COUNTERS : METRIC_SHARE_MEMORY, &error);
        break;
    case 'm': status = measure(place, values, &error); break;
    default:
        ranges_close(places[place].ranges, what == 'd');
        places[place].ranges = NULL;
        break;
    }
    printf(" %.2f ms", now_ms() - start);
    if (status != STATUS_OK)
        printf(": %s", error.text);
    else if (what == 'm')
        show(places[place].ranges, values);
    printf("\n");
    fflush(stdout);
    if (status != STATUS_OK && what != 'm')
        exit(2);
}

static int experiment(const char *steps)
{
    struct error error = {0};
    alarm(SECONDS);
    if (cupti_load(&cupti, NULL, &error) != STATUS_OK) {
        printf("%s\n", error.text);
        return 1;
    }
    library = dlopen("libcuda.so.1", RTLD_NOW);
    places_make();
    for (const char *at = steps; *at; at += at[2] == ' ' ? 3 : 2)
        step(at[0], at[1] - '0');
    int last = 0; /* does the program still work? */
    for (int i = 1; i <= CONTEXTS; i++) {
        void *arguments[] = {&places[i].word};
        CU(cuCtxSetCurrent)(places[i].context);
        CU(cuLaunchKernel)(places[i].function, BLOCKS, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
        last |= (int)CU(cuCtxSynchronize)();
    }
    printf("  plain launches in all contexts: %d\n", last);
    return 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        int status = 0;
        if (argc > 1 && strcmp(argv[1], experiments[i].name) != 0)
            continue;
        printf("%s: %s\n", experiments[i].name, experiments[i].steps);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(experiment(experiments[i].steps));
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("\n  ended by signal %d\n", WTERMSIG(status));
        else
            printf("  exit %d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    return 0;
}
