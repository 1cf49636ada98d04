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
    struct kernel_image image; /* name: the file's, without folder; data: the text, ended by a zero byte */
    struct ptx_module *module;
    const struct ptx_function *kernel;
};

/*
 * wanted: the kernel's name, of any length, as it stands in the PTX (mangled) or demangled: whole, without
 * return type and arguments, or alone; or a pattern (fnmatch) or a prefix of one of these. An exact name goes
 * before a pattern, and that before a prefix. NULL: the only kernel there is. IO; USAGE with a sentence that
 * names the line that is no PTX, or the kernels that fit.
 */
enum status kernel_source_open(struct kernel_source *source, const char *path, const char *wanted,
                               struct error *error);
void kernel_source_close(struct kernel_source *source);

#endif
