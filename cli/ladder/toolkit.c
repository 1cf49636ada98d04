/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of the toolkit that the ladder opens when the first routine is requested: they are hundreds of
 * megabytes large and not installed everywhere. Their functions are declared where they are called, with
 * plain types, so that their headers are not needed.
 */
#include "cli/ladder/ladder.h"
#include "cli/process/paths.h"

#include <dlfcn.h>
#include <string.h>

enum status ladder_open(const char *name, struct ladder_function *functions, size_t count,
                        struct error *error)
{
    char path[PATH_BYTES];
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

    if (!library && path_of_toolkit_library(name, path, NULL) == STATUS_OK)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_UNSUPPORTED,
                         "it needs %s of a CUDA 13 toolkit, which is in none of the usual folders "
                         "(LD_LIBRARY_PATH or CUDA_HOME can name one)",
                         name);
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, functions[i].name);

        memcpy(functions[i].address, &address, sizeof address);
        if (!address) {
            error_set(error, STATUS_UNSUPPORTED, "the %s was found, but has no %s", name, functions[i].name);
            dlclose(library);
            return STATUS_UNSUPPORTED;
        }
    }
    return STATUS_OK;
}
