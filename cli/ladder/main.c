/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanescope-ladder MODE DEVICE GPU SIZE TEXT...: the workload child of the libraries' variants (ladder.h).
 */
#include "cli/children/workload_child.h"
#include "cli/ladder/ladder.h"

#include <stdio.h>
#include <string.h>

static enum status library_find(enum library_routine routine, struct error *error)
{
    switch (routine) {
    case LIBRARY_MATMUL: return ladder_cublas_find(error);
    case LIBRARY_FFT: return ladder_cufft_find(error);
    default: return STATUS_OK;
    }
}

static enum status case_call(const struct library_call *what, struct error *error)
{
    switch (what->routine) {
    case LIBRARY_MATMUL: return ladder_cublas(what, error);
    case LIBRARY_FFT: return ladder_cufft(what, error);
    default: return ladder_cub(what, error);
    }
}

static int case_run(struct workload_child_options *options, struct error *error)
{
    static const struct library library = {.find = library_find, .call = case_call};

    if (strcmp(options->device, "cuda") != 0) {
        error_set(error, STATUS_USAGE, "Libraries run on a GPU: DEVICE is cuda, not '%.40s'.",
                  options->device);
        return child_exit_status(STATUS_USAGE);
    }
    options->library = &library;
    return workload_child_main(options, error);
}

int main(int argc, char **argv)
{
    struct workload_child_options options;
    struct error error = {0};
    int exit_status = workload_child_parse(argc - 1, argv + 1, &options, &error) == STATUS_OK
                          ? case_run(&options, &error)
                          : child_exit_status(STATUS_USAGE);

    if (exit_status)
        fprintf(stderr, "lanescope-ladder: %s\n", error.text);
    return exit_status;
}
