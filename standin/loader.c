/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen as the program and its libraries call it. A library that links machine code at run time would leave
 * nothing that the model can run: who opens libnvJitLink by name gets a library without its functions, as if
 * it were too old, and falls back to PTX and the driver's linker, as cuda.core documents it. Programs that
 * are linked with libnvJitLink keep it. After libraries have been opened by their paths, runtimes inside them
 * are redirected.
 */
#include "standin/standin.h"

#include "core/base/machine.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKER "libnvJitLink.so"

typedef void *dlopen_function(const char *path, int flags);

void *standin_dlopen(const char *path, int flags);
void *standin_dlopen_old(const char *path, int flags);

static const char own; /* its address is in this library */

/* The last call must be a jump where the path is searched: ld.so searches by the paths of the caller, which
 * it knows by the return address. gcc makes a call of it if the address of a variable is taken, also in a
 * function that it inlines: so those are apart. */
#ifdef __clang__
#define JUMPS
#define TAIL __attribute__((musttail))
#else
#define JUMPS __attribute__((optimize("O2")))
#define TAIL
#endif

#define APART __attribute__((noinline))

/* The names under which programs know it, of glibc since 2.34 and before. */
__asm__(
    ".symver standin_dlopen, dlopen@@GLIBC_2.34\n.symver standin_dlopen_old, dlopen@" MACHINE_OLDEST_GLIBC);

APART static dlopen_function *find_dlopen(void)
{
    static dlopen_function *found;

    if (!found) {
        void *symbol = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&found, &symbol, sizeof found);
    }
    return found;
}

/* The library that is opened in its place. */
APART static const char *choose_library(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    const void *here = &own;
    Dl_info place;

    return name && strncmp(name, LINKER, strlen(LINKER)) == 0 && dladdr(here, &place) ? place.dli_fname
                                                                                      : path;
}

/* A module of Python, say, with a runtime of its own inside. */
APART static void *open_at_path(const char *path, int flags)
{
    void *handle = find_dlopen()(path, flags);

    if (handle && !(flags & RTLD_NOLOAD))
        redirect_libraries();
    return handle;
}

/* Opens one of NVIDIA's libraries by its name where this library's search or the caller's finds it, so that
 * its functions are redirected. NULL: it was not found. */
APART static void *open_closed(const char *name, int flags, void *caller)
{
    void *handle = open_at_path(name, flags);
    struct link_map *map = NULL;
    Dl_info place;
    Dl_serinfo size, *search = NULL;
    char path[4096];

    if (handle || !dladdr1(caller, &place, (void **)&map, RTLD_DL_LINKMAP) || !map ||
        dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0 || !(search = malloc(size.dls_size)))
        return handle;
    *search = size;
    if (dlinfo(map, RTLD_DI_SERINFO, search) == 0)
        for (unsigned i = 0; i < search->dls_cnt && !handle; i++)
            if (snprintf(path, sizeof path, "%s/%s", search->dls_serpath[i].dls_name, name) <
                    (int)sizeof path &&
                access(path, R_OK) == 0)
                handle = open_at_path(path, flags);
    free(search);
    return handle;
}

JUMPS STANDIN_API void *standin_dlopen(const char *path, int flags)
{
    const char *chosen = choose_library(path);
    dlopen_function *next = path && strchr(path, '/') ? open_at_path : find_dlopen();
    void *closed = path && !strchr(path, '/') && closed_library(path)
                       ? open_closed(path, flags, __builtin_return_address(0))
                       : NULL;

    if (closed)
        return closed;
    TAIL return next(chosen, flags);
}

JUMPS STANDIN_API void *standin_dlopen_old(const char *path, int flags)
{
    TAIL return standin_dlopen(path, flags);
}
