/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program lanescope-ladder is started with the same arguments and waited for; its exit status is the
 * status of the libraries' cases.
 */
#include "cli/children/libraries.h"

#include "cli/options/options.h"
#include "cli/process/paths.h"
#include "workloads/cuda/cuda.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

size_t library_cases_keep(struct workload_case *cases, size_t count, bool libraries)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if ((cases[i].variant->library != NULL) == libraries)
            cases[kept++] = cases[i];
    return kept;
}

bool library_program_found(void)
{
    char path[PATH_BYTES];

    return path_of_ladder(path, NULL) == STATUS_OK;
}

bool library_cases_can_run(const struct workload_child_options *options)
{
    uint32_t gpus = 0;

    /* If there is no GPU, this child says so, and must not start another one that says it too. */
    return strcmp(options->device, "cuda") == 0 && options->mode != RUN_LINES && library_program_found() &&
           cuda_count_devices(CUDA_LIBRARY, &gpus, NULL) == STATUS_OK && options->gpu < gpus;
}

static int wait_for(pid_t child, struct error *error)
{
    int wait_status = 0;

    while (waitpid(child, &wait_status, 0) < 0) {
        if (errno != EINTR) {
            error_set_errno(error, STATUS_IO, errno, "Cannot wait for lanescope-ladder");
            return EXIT_FAILED;
        }
    }
    if (WIFSIGNALED(wait_status)) {
        error_set(error, STATUS_DEVICE, "lanescope-ladder was ended by signal %d.", WTERMSIG(wait_status));
        return EXIT_FAILED;
    }
    if (WEXITSTATUS(wait_status) != EXIT_FINE)
        error_set(error, STATUS_CHECK, "The library variants failed with status %d, see above.",
                  WEXITSTATUS(wait_status));
    return WEXITSTATUS(wait_status);
}

int library_program_run(const struct workload_child_options *options, struct error *error)
{
    char **argv = calloc(options->text_count + 6, sizeof *argv), path[PATH_BYTES], gpu[16];
    size_t used = 0;
    pid_t child;

    if (!argv || path_of_ladder(path, error) != STATUS_OK) {
        if (!argv)
            error_no_memory(error, "to start lanescope-ladder");
        free(argv);
        return EXIT_FAILED;
    }
    snprintf(gpu, sizeof gpu, "%u", options->gpu);
    argv[used++] = path;
    argv[used++] = (char *)(uintptr_t)run_mode_text(options->mode);
    argv[used++] = (char *)(uintptr_t)options->device;
    argv[used++] = gpu;
    argv[used++] = (char *)(options->small ? "small" : "default");
    for (size_t i = 0; i < options->text_count; i++)
        argv[used++] = options->texts[i];
    int result = posix_spawn(&child, path, NULL, NULL, argv, environ);
    free(argv);
    if (result) {
        error_set_errno(error, STATUS_IO, result, "Cannot start lanescope-ladder");
        return EXIT_FAILED;
    }
    return wait_for(child, error);
}
