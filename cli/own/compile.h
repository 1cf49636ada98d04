/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA C++ to PTX, by nvcc (on PATH, or in a toolkit), else by NVRTC, in a process of its own. Any thread; it
 * waits for the compiler.
 */
#ifndef CLI_OWN_COMPILE_H
#define CLI_OWN_COMPILE_H

#include "cli/own/diagnostics.h"
#include "core/base/error.h"

#define COMPILE_SECONDS 30.0 /* a compiler that takes longer is ended */

struct launch;

struct compile {
    const char *source;    /* the file to compile */
    const char *include;   /* a folder whose headers it finds, too */
    const char *name;      /* of the user's file, for sentences */
    const char *ptx;       /* the file to write */
    unsigned architecture; /* compute_NN */
    bool runtime;          /* the PTX calls the device's runtime, which a linker adds */
    const char *entries;   /* names of the kernels that are assembled, with commas; NULL: all */
    /* Called with the compiler's process when it has begun, and with NULL before that is destroyed: another
     * thread may stop it by launch_stop. NULL: nobody wants to know. */
    void (*running)(void *context, struct launch *launch);
    void *context;
};

/* The compiler that is used, nvcc's file or that of NVRTC's library: $LANESCOPE_COMPILER, "nvcc" or "nvrtc",
 * else nvcc before NVRTC. USAGE: the variable has another value; UNSUPPORTED: there is none. */
enum status compile_find(char *path, bool *nvrtc, struct error *error);

/* USAGE: the source has errors, which are in *diagnostics and in the sentence; UNSUPPORTED: there is no
 * compiler here; CHECK: it was stopped. */
enum status compile_source(const struct compile *compile, struct diagnostics *diagnostics,
                           struct error *error);

/* What ptxas says of PTX for sm_90: what each kernel uses. *said: freed by the caller; NULL, with STATUS_OK:
 * there is no ptxas here. USAGE: it refuses the PTX. */
enum status compile_assemble(const struct compile *compile, char **said, struct diagnostics *diagnostics,
                             struct error *error);

/*
 * NVIDIA's compiler as a library, NVRTC, opened at run time: it needs neither nvcc nor a host compiler. It
 * compiles in a process of its own, lanescope executed again as
 *     lanescope --nvrtc compute_NN INCLUDE PTX SOURCE
 * which ends as nvcc does: messages on standard error, and a status.
 */
#define NVRTC_OPTION "--nvrtc"

/* The file of the library, in PATH_BYTES; UNSUPPORTED: it is not on the loader's path and in no toolkit. */
enum status nvrtc_find(char *path, struct error *error);

/* argv after "--nvrtc". Returns the exit status. */
int nvrtc_main(int argc, char **argv, struct error *error);

#endif
