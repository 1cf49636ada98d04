/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool writes into an unnamed file, which is mapped when the tool has succeeded. A tool that takes too
 * long is stopped.
 */
#include "cli/process/disassemble.h"

#include "cli/process/launch.h"
#include "cli/process/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum status disassembler_find(char *path, struct error *error)
{
    static const char *const names[] = {"nvdisasm", "cuobjdump"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (path_of_tool(names[i], path, NULL) == STATUS_OK)
            return STATUS_OK;
    path[0] = '\0';
    return error_set(
        error, STATUS_UNSUPPORTED,
        "Neither nvdisasm nor cuobjdump was found, on PATH or in a CUDA toolkit: instructions are shown by "
        "their addresses, without text. The package cuda-nvdisasm-13-0 has nvdisasm.");
}

static bool is_cuobjdump(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, "cuobjdump") == 0;
}

static enum status read_output(const struct kept_output *capture, const char *cubin_path,
                               disassembly_take *take, void *user, struct error *error)
{
    struct disassembly *disassembly;
    struct stat status;

    if (fstat(capture->fd, &status) != 0 || status.st_size <= 0 || status.st_size > DISASSEMBLE_BYTES_MAX)
        return error_set(error, STATUS_FORMAT, "The disassembler printed no instructions for %s.",
                         cubin_path);
    disassembly = calloc(1, sizeof *disassembly);
    void *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, capture->fd, 0);
    if (!disassembly || text == MAP_FAILED) {
        free(disassembly);
        if (text != MAP_FAILED)
            munmap(text, (size_t)status.st_size);
        return error_no_memory(error, "to read the disassembly of %s", cubin_path);
    }
    disassembly->take = take;
    disassembly->user = user;
    disassembly_read(disassembly, text, (size_t)status.st_size);
    munmap(text, (size_t)status.st_size);
    free(disassembly);
    return STATUS_OK;
}

enum status disassemble(const char *disassembler, const char *cubin_path, disassembly_take *take, void *user,
                        struct error *error)
{
    const char *option = is_cuobjdump(disassembler) ? "-sass" : "-c";
    char *argv[] = {(char *)(uintptr_t)disassembler, (char *)(uintptr_t)option, (char *)(uintptr_t)cubin_path,
                    NULL};
    struct launch_options options = {.argv = argv, .errors = -1, .time_limit_s = DISASSEMBLE_SECONDS};
    struct kept_output capture;
    struct launch *launch;
    enum status status = kept_output_open(&capture, error);
    int exit_status;

    if (status != STATUS_OK)
        return status;
    options.output = capture.fd;
    status = launch_start(&launch, &options, &exit_status, error);
    if (status == STATUS_OK) {
        exit_status = launch_wait(launch, NULL);
        launch_destroy(launch);
        if (exit_status != 0)
            status = error_set(error, STATUS_FORMAT, "%s did not disassemble %s (status %d).", disassembler,
                               cubin_path, exit_status);
    }
    if (status == STATUS_OK)
        status = read_output(&capture, cubin_path, take, user, error);
    kept_output_close(&capture);
    return status;
}
