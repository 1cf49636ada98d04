/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA program without CUDA: it loads the doubles of libcuda and libcupti, starts the one as the driver is
 * started, and plays a context, a module and launches of two kernels: "add" twice, "copy" three times in two
 * shapes. With DOUBLE_PROGRAM_PTX it has these kernels as PTX, too: on the device model, whose libcuda is
 * already there, it launches them in the same shapes.
 */
#include "tests/doubles/cupti_double.h"
#include "tests/shared/made/made_cubin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void find(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol) {
        fprintf(stderr, "%s\n", dlerror());
        exit(9);
    }
    memcpy(function, &symbol, sizeof symbol);
}

/* Each thread loads a word and stores it: "add" in order, 32 lanes in 4 sectors; "copy" at a stride of 32 bytes, a
 * sector for each lane. */
#define KERNEL(name, bytes)                                                          \
    ".visible .entry " name "(.param .u64 p)\n{ .reg .b64 %a<4>; .reg .b32 %r<4>;\n" \
    "ld.param.u64 %a1, [p]; cvta.to.global.u64 %a1, %a1; mov.u32 %r1, %tid.x;\n"     \
    "mul.wide.u32 %a2, %r1, " bytes "; add.u64 %a3, %a1, %a2;\n"                     \
    "ld.global.u32 %r2, [%a3]; add.u32 %r2, %r2, 1; st.global.u32 [%a3], %r2; ret; }\n"
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n" KERNEL("add", "4") KERNEL("copy", "32");

static int run_ptx(void *cuda)
{
    int (*initialize)(unsigned), (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *),
        (*function_of)(void **, void *, const char *), (*allocate)(unsigned long long *, size_t),
        (*zero)(unsigned long long, unsigned char, size_t), (*synchronize)(void),
        (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    static const struct {
        const char *kernel;
        unsigned blocks;
    } launches[] = {{"add", 8}, {"copy", 9}, {"copy", 10}, {"add", 8}, {"copy", 10}};
    void *context, *module, *function;
    unsigned long long words;
    void *arguments[] = {&words};

    find(cuda, "cuInit", &initialize);
    find(cuda, "cuDevicePrimaryCtxRetain", &retain);
    find(cuda, "cuCtxSetCurrent", &set);
    find(cuda, "cuModuleLoadData", &load);
    find(cuda, "cuModuleGetFunction", &function_of);
    find(cuda, "cuMemAlloc_v2", &allocate);
    find(cuda, "cuMemsetD8_v2", &zero);
    find(cuda, "cuLaunchKernel", &launch);
    find(cuda, "cuCtxSynchronize", &synchronize);
    int failed = initialize(0) || retain(&context, 0) || set(context) || load(&module, ptx) ||
                 allocate(&words, 4096) || zero(words, 0, 4096);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        failed = failed || function_of(&function, module, launches[i].kernel) ||
                 launch(function, launches[i].blocks, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    return failed || synchronize() ? 3 : 0;
}

int main(void)
{
    void *model = getenv("DOUBLE_PROGRAM_PTX") ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (model)
        return run_ptx(model);
    static const struct made_function functions[] = {{"add", .size_bytes = 0x40},
                                                     {"copy", .size_bytes = 0x100}};
    static unsigned char cubin[MADE_CUBIN_BYTES];
    void *cuda = dlopen(TEST_BUILD_DIR "/tests/cuda_double.so", RTLD_NOW | RTLD_GLOBAL);
    void *cupti = dlopen(TEST_BUILD_DIR "/tests/cupti_double.so", RTLD_NOW | RTLD_GLOBAL);
    int (*initialize)(unsigned);
    cupti_double_context *context;
    cupti_double_module *module;
    cupti_double_launch *launch;
    find(cuda, "cuInit", &initialize);
    find(cupti, "double_context", &context);
    find(cupti, "double_module", &module);
    find(cupti, "double_launch", &launch);
    initialize(0);
    context(1, 1);
    module(1, cubin, made_cubin(cubin, functions, 2));
    launch("add", 8, 101);
    launch("copy", 9, 102);
    launch("copy", 10, 103);
    launch("add", 8, 104);
    launch("copy", 10, 105);
    return 0;
}
