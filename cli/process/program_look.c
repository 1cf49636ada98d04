/* SPDX-License-Identifier: Apache-2.0 */
/* The list is the output of `cuobjdump -lptx -lelf`: a line a piece, "PTX file    1: name.sm_75.ptx". */
#include "cli/process/program_look.h"

#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/base/append.h"
#include "core/base/elf.h"
#include "core/wire/standin_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_SECONDS 10.0
#define LIST_BYTES (8u << 20) /* of a tool that does not stop to print */

static const char *const closed_libraries[] = {CLOSED_LIBRARIES};

static const char *const own_libraries[] = {OWN_LIBRARIES};

static bool library_is_own(const char *library)
{
    for (size_t i = 0; i < sizeof own_libraries / sizeof *own_libraries; i++)
        if (strcmp(library, own_libraries[i]) == 0)
            return true;
    return false;
}

struct runtime_found {
    bool inside, new; /* new: of CUDA 12 or later */
};

static bool runtime_look(void *owner, const struct elf_function *function)
{
    struct runtime_found *found = owner;

    found->inside |= strcmp(function->name, "__cudaRegisterFatBinary") == 0;
    found->new |= strcmp(function->name, "cudaGetDeviceProperties_v2") == 0 ||
                  strcmp(function->name, "cudaLogsCurrent") == 0;
    return !found->inside || !found->new;
}

static bool library_is_old(const char *library)
{
    return strcmp(library, "libcudart.so.13") != 0 && strcmp(library, "libcudart.so.12") != 0;
}

static void elf_look(const struct elf *elf, struct program_look *look)
{
    const char *shared = elf_needed(elf, "libcudart.so");
    struct runtime_found found = {false, false};
    size_t used = 0, own_used = 0;

    elf_visit_functions(elf, runtime_look, &found);
    look->old = shared ? library_is_old(shared) : found.inside && !found.new;
    look->runtime = shared                               ? PROGRAM_SHARED
                    : found.inside                       ? PROGRAM_STATIC
                    : elf_has_section(elf, ".nv_fatbin") ? PROGRAM_STRIPPED
                                                         : PROGRAM_NO_RUNTIME;
    look->bare = shared && !elf_has_section(elf, ".nv_fatbin");
    if (shared)
        snprintf(look->library, sizeof look->library, "%.60s", shared);
    for (size_t i = 0; i < sizeof closed_libraries / sizeof *closed_libraries; i++) {
        const char *needed = elf_needed(elf, closed_libraries[i]);
        if (needed && library_is_own(needed))
            append_text(look->own, sizeof look->own, &own_used, "%s%.60s", own_used ? ", " : "", needed);
        else if (needed)
            append_text(look->closed, sizeof look->closed, &used, "%s%.60s", used ? ", " : "", needed);
    }
}

static void target_add(struct program_targets *targets, uint32_t capability)
{
    for (size_t i = 0; i < targets->count; i++)
        if (targets->capability[i] == capability)
            return;
    if (capability && targets->count < PROGRAM_TARGETS)
        targets->capability[targets->count++] = capability;
}

static void list_read(FILE *list, struct program_look *look)
{
    char line[1024];

    while (fgets(line, sizeof line, list)) {
        const char *target = NULL;
        for (const char *at = strstr(line, ".sm_"); at; at = strstr(at + 1, ".sm_"))
            target = at;
        bool ptx = strncmp(line, "PTX file", 8) == 0;
        if (target && (ptx || strncmp(line, "ELF file", 8) == 0))
            target_add(ptx ? &look->ptx : &look->machine, (uint32_t)strtoul(target + 4, NULL, 10));
    }
}

static enum status images_list(const char *path, struct program_look *look, struct error *error)
{
    char tool[PATH_BYTES];
    char *argv[] = {tool, (char *)"-lptx", (char *)"-lelf", (char *)(uintptr_t)path, NULL};
    struct launch_options options = {
        .argv = argv, .errors = -1, .time_limit_s = LIST_SECONDS, .file_bytes = LIST_BYTES};
    struct kept_output capture;
    struct launch *launch;
    int exit_status;
    enum status status = path_of_cuobjdump(tool, error);

    if (status == STATUS_OK)
        status = kept_output_open(&capture, error);
    if (status != STATUS_OK)
        return status;
    options.output = capture.fd;
    status = launch_start(&launch, &options, &exit_status, error);
    if (status == STATUS_OK) {
        /* Its status is not 0, too, for a file that holds one of the two kinds alone. */
        const int ended = launch_wait(launch, NULL);
        launch_destroy(launch);
        if (ended >= 124)
            status = error_set(error, STATUS_UNSUPPORTED,
                               "%.300s does not list what the program holds: a signal ended it, it had not "
                               "ended after %g s, or it printed more than %u MB. " STANDIN_CUOBJDUMP_VARIABLE
                               " names another one.",
                               tool, LIST_SECONDS, LIST_BYTES >> 20);
        FILE *list = lseek(capture.fd, 0, SEEK_SET) == 0 ? fdopen(dup(capture.fd), "r") : NULL;
        if (list) {
            list_read(list, look);
            fclose(list);
        }
    }
    kept_output_close(&capture);
    return status;
}

static bool ptx_is_beside(const char *path)
{
    const char *named = getenv(STANDIN_PTX_VARIABLE);
    char beside[PATH_BYTES + sizeof STANDIN_PTX_SUFFIX];

    snprintf(beside, sizeof beside, "%.4095s" STANDIN_PTX_SUFFIX, path);
    return (named && *named) || access(beside, R_OK) == 0;
}

enum status program_check_tool(const char *name, struct error *error)
{
    char path[PATH_BYTES], tool[PATH_BYTES];
    struct error toolless;
    struct elf elf;

    if (strchr(name, '/'))
        snprintf(path, sizeof path, "%s", name);
    else if (path_of_tool(name, path, NULL) != STATUS_OK)
        return STATUS_OK; /* starting it says so */
    if (ptx_is_beside(path) || elf_map(&elf, path, NULL) != STATUS_OK)
        return STATUS_OK;
    bool holds = elf_has_section(&elf, ".nv_fatbin");
    elf_unmap(&elf);
    if (!holds || path_of_cuobjdump(tool, &toolless) == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "Nothing has run: there is no %.150s" STANDIN_PTX_SUFFIX
                     " (nvcc -ptx makes it) and no tool that takes the PTX out of the program. %s",
                     name, toolless.text);
}

enum status program_look_at(const char *path, struct program_look *look, struct error *error)
{
    struct elf elf;
    enum status status = elf_map(&elf, path, error);

    *look = (struct program_look){0};
    if (status != STATUS_OK)
        return status;
    elf_look(&elf, look);
    elf_unmap(&elf);
    if (look->runtime != PROGRAM_NO_RUNTIME && !look->bare)
        images_list(path, look, &look->unknown);
    look->beside = !look->ptx.count && ptx_is_beside(path);
    return STATUS_OK;
}
