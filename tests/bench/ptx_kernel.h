/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of this repository's PTX on the device model, for its benchmarks. What fails ends the program.
 */
#ifndef TESTS_BENCH_PTX_KERNEL_H
#define TESTS_BENCH_PTX_KERNEL_H

#include "simt/engine/grid.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench {
    const char *name, *file, *kernel;
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    uint32_t last; /* argument after the addresses of buffers */
    uint32_t addresses;
};

static inline void die(const char *what, const struct error *error)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, error->text);
    exit(1);
}

static inline double seconds_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline struct module *load(struct memory *memory, const char *file)
{
    static char text[1 << 20];
    char path[512];
    struct error error;
    struct module *module;
    snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, file);
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        exit(1);
    }
    size_t size = fread(text, 1, sizeof text, stream);
    fclose(stream);
    if (module_load(&module, memory, file, text, size, &error) != STATUS_OK)
        die(file, &error);
    return module;
}

/* The launch, with its arguments in `parameters`. */
static inline struct grid_launch launch_of(struct module *module, const struct bench *bench,
                                           const uint64_t buffers[3], uint8_t parameters[64])
{
    struct grid_launch launch = {
        .module = module, .dynamic_shared_bytes = bench->dynamic_shared_bytes, .parameters = parameters};
    struct error error;
    if (module_program(module, bench->kernel, true, &launch.program, &error) != STATUS_OK)
        die(bench->kernel, &error);
    for (uint32_t i = 0; i < launch.program->parameter_count; i++) {
        const struct program_parameter *parameter = &launch.program->parameters[i];
        uint64_t value = i < bench->addresses ? buffers[i] : bench->last;
        memcpy(parameters + parameter->offset, &value, parameter->size_bytes);
    }
    memcpy(launch.grid, bench->grid, sizeof launch.grid);
    memcpy(launch.block, bench->block, sizeof launch.block);
    return launch;
}

#endif
