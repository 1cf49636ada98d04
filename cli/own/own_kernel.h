/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's file of kernels, FILE.cu or FILE.ptx, made ready to run in place of bundled ones: read, compiled,
 * compared with the bundled kernels of the same names, and written as an own image (workloads/frame/
 * own_image.h), which a workload child loads with `--own PATH`.
 *
 * Bundled kernels that the file does not define stay: the image has them, too. It is made in a folder of its
 * own below the caller's folder, named by the hash of the file's text, with a copy of the source: what is
 * shown is what was compiled, whatever happens to the file meanwhile. Any thread; it waits for the compiler.
 */
#ifndef CLI_OWN_OWN_KERNEL_H
#define CLI_OWN_OWN_KERNEL_H

#include "cli/own/compile.h"
#include "cli/own/diagnostics.h"
#include "cli/process/paths.h"
#include "core/base/error.h"
#include "workloads/frame/own_image.h"

#define OWN_SOURCE_BYTES_MAX (16u << 20)

struct own_options {
    const char *path;   /* FILE.cu or FILE.ptx */
    const char *folder; /* where to put what is made; it exists */
    char *const *texts; /* workloads that are to run with it, as typed: one of them must run a kernel of the
                           file; none: not checked */
    size_t text_count;
    unsigned architecture; /* compute capability to compile for; 0: 90, which the device model runs */
    void (*running)(void *context, struct launch *launch); /* as in struct compile */
    void *context;
};

struct own_kernel {
    char label[OWN_LABEL_BYTES];    /* "copy_stride.cu@1a2b3c4d": of runs that use it */
    char image[PATH_BYTES];         /* the own image: for --own */
    char source[PATH_BYTES];        /* the copy of the source; of a .ptx file the copy of that */
    char folder[PATH_BYTES];        /* that has both */
    struct diagnostics diagnostics; /* warnings, and errors if it failed */
};

/* USAGE: the file is wrong: it does not compile, has no kernel of the workload, or one with other parameters;
 * the sentence says where. UNSUPPORTED: no compiler is here. IO, MEMORY, CHECK (the compiler took too long or
 * was stopped). *kernel is always set; what was made stays in the folder until own_kernel_discard. */
enum status own_kernel_make(const struct own_options *options, struct own_kernel *kernel,
                            struct error *error);
/* Removes what was made of it. */
void own_kernel_discard(const struct own_kernel *kernel);

/* Does a text name such a file? By its end, .cu or .ptx. */
bool own_kernel_is_file(const char *text);

#endif
