/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look at a program's file before it runs on the device model: which CUDA runtime it has, and which PTX.
 * Its tables are read by core/base/elf.h, its PTX listed by NVIDIA's cuobjdump, where that is installed. Any
 * thread.
 */
#ifndef CLI_PROCESS_PROGRAM_LOOK_H
#define CLI_PROCESS_PROGRAM_LOOK_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_TARGETS 16

enum program_runtime {
    PROGRAM_NO_RUNTIME, /* and no kernels */
    PROGRAM_SHARED,
    PROGRAM_STATIC,
    PROGRAM_STRIPPED /* static, and its symbols are gone */
};

struct program_targets { /* compute capabilities, each once, as 90 */
    uint32_t capability[PROGRAM_TARGETS];
    size_t count;
};

struct program_look {
    enum program_runtime runtime;
    bool old;         /* the runtime is of CUDA 11 or older, whose place the stand-in does not take */
    char library[64]; /* SHARED: the runtime it needs, "libcudart.so.13" */
    char closed[512]; /* the libraries it needs that hold machine code alone, separated by ", " */
    bool bare;        /* it has no kernels of its own */
    char own[128];    /* those in whose place lanescope has its own */
    struct program_targets ptx, machine;
    bool beside;          /* it has none, but there is PTX beside it or named by LANESCOPE_PTX: a.out.ptx */
    struct error unknown; /* not OK: why ptx and machine are not known */
};

/* STATUS_UNSUPPORTED, with the line to type, if the program, looked up on PATH, holds kernels whose PTX only
 * cuobjdump could extract, and there is none. */
enum status program_check_tool(const char *name, struct error *error);

/* IO or FORMAT: the file is no program. */
enum status program_look_at(const char *path, struct program_look *look, struct error *error);

#endif
