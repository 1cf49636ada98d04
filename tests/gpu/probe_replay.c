/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory costs when counters are taken in several passes: launches of one small kernel while more and
 * more of the process's memory is of each kind. What was seen stands in docs/cupti-notes.md.
 *
 *     lanescope --counters --launches 0 -- gpu_probe_replay [MIB]
 *
 * A line per kind: the fastest and the slowest of three launches, and the slope over no memory at all.
 * Without lanescope: what a launch takes by itself.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAUNCHES 3
#define MODULES 32

static void *library;

/* CU(name)(arguments): a function of the driver. */
#define CU(name) (__extension__((__typeof__(&name))symbol(#name)))
#define STRING(name) STRING_OF(name)
#define STRING_OF(name) #name
#define NEW(name) (__extension__((__typeof__(&name))symbol(STRING(name)))) /* by the header's newest name */

static void *symbol(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("libcuda has no %s\n", name);
        exit(1);
    }
    return found;
}

static void good(CUresult result, const char *what)
{
    const char *text = "";
    if (result == CUDA_SUCCESS)
        return;
    CU(cuGetErrorString)(result, &text);
    printf("%s -> %d %s\n", what, (int)result, text);
    exit(1);
}

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 out)\n{\n"
    ".reg .u64 %rd<4>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.u32 %r1, [%rd2];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd2], %r2;\nret;\n}\n";

enum kind { NOTHING, DEVICE, PAGEABLE, PINNED, REGISTERED, MAPPED, CODE, KINDS };
static const char *const names[KINDS] = {"nothing",    "device", "pageable",       "pinned",
                                         "registered", "mapped", "32 more modules"};

static CUfunction function;
static CUdeviceptr word;

struct held {
    void *host;
    CUdeviceptr device;
    CUmodule modules[MODULES];
};

static void hold(enum kind kind, size_t bytes, struct held *held)
{
    *held = (struct held){0};
    switch (kind) {
    case DEVICE: good(NEW(cuMemAlloc)(&held->device, bytes), "cuMemAlloc"); break;
    case PINNED:
    case MAPPED:
        good(CU(cuMemHostAlloc)(&held->host, bytes, kind == MAPPED ? CU_MEMHOSTALLOC_DEVICEMAP : 0),
             "cuMemHostAlloc");
        break;
    case PAGEABLE:
    case REGISTERED:
        held->host = aligned_alloc(4096, bytes);
        if (!held->host)
            exit(1);
        memset(held->host, 1, bytes);
        if (kind == REGISTERED)
            good(NEW(cuMemHostRegister)(held->host, bytes, 0), "cuMemHostRegister");
        break;
    case CODE:
        for (int i = 0; i < MODULES; i++)
            good(CU(cuModuleLoadData)(&held->modules[i], ptx), "cuModuleLoadData");
        break;
    default: break;
    }
}

static void let_go(enum kind kind, struct held *held)
{
    if (held->device)
        good(NEW(cuMemFree)(held->device), "cuMemFree");
    if (kind == REGISTERED)
        good(CU(cuMemHostUnregister)(held->host), "cuMemHostUnregister");
    if (kind == PAGEABLE || kind == REGISTERED)
        free(held->host);
    else if (held->host)
        good(CU(cuMemFreeHost)(held->host), "cuMemFreeHost");
    for (int i = 0; kind == CODE && i < MODULES; i++)
        good(CU(cuModuleUnload)(held->modules[i]), "cuModuleUnload");
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double launch_ms(unsigned blocks)
{
    void *arguments[] = {&word};
    double start = now_ms();
    good(CU(cuLaunchKernel)(function, blocks, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
    good(CU(cuCtxSynchronize)(), "cuCtxSynchronize");
    return now_ms() - start;
}

int main(int argc, char **argv)
{
    size_t mib = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 128;
    CUcontext context;
    CUdevice device;
    CUmodule module;
    double least = 0;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || mib == 0 || mib > 4096) {
        printf("%s\n", library ? "MIB is 1 to 4096" : "there is no libcuda.so.1");
        return 1;
    }
    good(CU(cuInit)(0), "cuInit");
    good(CU(cuDeviceGet)(&device, 0), "cuDeviceGet");
    good(CU(cuDevicePrimaryCtxRetain)(&context, device), "cuDevicePrimaryCtxRetain");
    good(CU(cuCtxSetCurrent)(context), "cuCtxSetCurrent");
    good(CU(cuModuleLoadData)(&module, ptx), "cuModuleLoadData");
    good(CU(cuModuleGetFunction)(&function, module, "add_one"), "cuModuleGetFunction");
    good(NEW(cuMemAlloc)(&word, 4096), "cuMemAlloc");
    printf("first launch %.1f ms\n", launch_ms(100));
    for (unsigned kind = 0; kind < KINDS; kind++) {
        double fastest = 0, slowest = 0;
        struct held held;
        hold((enum kind)kind, mib << 20, &held);
        for (int i = 0; i < LAUNCHES; i++) {
            double ms = launch_ms(kind + 1);
            fastest = i == 0 || ms < fastest ? ms : fastest;
            slowest = ms > slowest ? ms : slowest;
        }
        let_go((enum kind)kind, &held);
        least = kind == NOTHING ? fastest : least;
        printf("%-16s %7.2f .. %7.2f ms a launch, %+.3f ms a MiB\n", names[kind], fastest, slowest,
               (fastest - least) / (double)mib);
    }
    return 0;
}
