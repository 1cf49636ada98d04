/*
 * lanescope-ladder MODE DEVICE GPU SIZE TEXT...: the workload child of the libraries' variants (ladder.h).
 */
#include "cli/ladder/ladder.h"
#include "cli/workload_child.h"

#include <stdio.h>

static enum status find(enum library_routine routine, struct error *error)
{
    return routine == LIBRARY_MATMUL ? ladder_cublas_find(error) : STATUS_OK;
}

static enum status call(const struct library_call *what, struct error *error)
{
    return what->routine == LIBRARY_MATMUL ? ladder_cublas(what, error) : ladder_cub(what, error);
}

int main(int argc, char **argv)
{
    static const struct library library = {.find = find, .call = call};
    struct workload_child_options options;
    struct error error = {0};
    int exit_status;

    if (workload_child_parse(argc - 1, argv + 1, &options, &error) == STATUS_OK) {
        options.library = &library;
        exit_status = workload_child_main(&options, &error);
    } else {
        exit_status = child_exit_status(STATUS_USAGE);
    }
    if (exit_status)
        fprintf(stderr, "lanescope-ladder: %s\n", error.text);
    return exit_status;
}
