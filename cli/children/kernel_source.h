/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PTX file of the user, read and parsed, and the chosen kernel in it. The caller that opens it owns it; the
 * text becomes an image that devices find by name (workloads/frame/image.h), so it is kept until the program
 * ends.
 */
#ifndef CLI_CHILDREN_KERNEL_SOURCE_H
#define CLI_CHILDREN_KERNEL_SOURCE_H

#include "core/base/error.h"
#include "simt/ptx/ptx.h"
#include "workloads/frame/image.h"

#define KERNEL_SOURCE_BYTES_MAX ((size_t)256 << 20)

struct kernel_source {
    struct kernel_image image; /* name: without folder; data: the text, with a zero byte at its end */
    struct ptx_module *module;
    const struct ptx_function *kernel;
};

/* wanted: the kernel's name, of any length, mangled as in the PTX, or demangled: whole, without return type
 * and arguments, or only the plain name; or a pattern (fnmatch) or a prefix of one of these. An exact name
 * goes before a pattern, and a pattern before a prefix. NULL: the file's only kernel. STATUS_IO; STATUS_USAGE
 * with a sentence that names the line that is not PTX, or the kernels that match. */
enum status kernel_source_open(struct kernel_source *source, const char *path, const char *wanted,
                               struct error *error);
void kernel_source_close(struct kernel_source *source);

#endif
