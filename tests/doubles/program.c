/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA program without CUDA: it loads the doubles of libcuda and libcupti, starts the one as the driver is
 * started, and plays a context, a module and launches of two kernels: "add" twice, "copy" three times in two
 * shapes.
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

int main(void)
{
    static const struct made_function functions[] = {{"add", 0x40}, {"copy", 0x100}};
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
