/* The tool's standard output and error go into one unnamed file, which is read when it has ended. */
#include "cli/own/compile.h"

#include "cli/process/capture.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_BYTES_MAX ((off_t)1 << 20)
#define EXIT_TIME_LIMIT 124

/* All that was written; NULL: no memory. */
static char *output_read(const struct capture *capture)
{
    struct stat facts;
    size_t size_bytes = 0, got = 0;
    ssize_t part = 1;
    char *text;

    if (fstat(capture->fd, &facts) == 0)
        size_bytes = (size_t)(facts.st_size < OUTPUT_BYTES_MAX ? facts.st_size : OUTPUT_BYTES_MAX);
    text = malloc(size_bytes + 1);
    while (text && part > 0 && got < size_bytes) {
        part = pread(capture->fd, text + got, size_bytes - got, (off_t)got);
        got += part > 0 ? (size_t)part : 0;
    }
    if (text)
        text[got] = '\0';
    return text;
}

static int tool_wait(const struct compile *compile, struct launch *launch)
{
    int exit_status;

    if (compile->running)
        compile->running(compile->context, launch);
    exit_status = launch_wait(launch, NULL);
    if (compile->running)
        compile->running(compile->context, NULL);
    launch_destroy(launch);
    return exit_status;
}

/* *said: freed by the caller. */
static enum status tool_run(const struct compile *compile, char **argv, char **said, int *exit_status,
                            struct error *error)
{
    static const struct launch_variable english[] = {{"LC_ALL", "C"}, {NULL, NULL}};
    struct launch_options options = {
        .argv = argv, .variables = english, .time_limit_s = COMPILE_SECONDS, .ends_with_us = true};
    struct capture capture;
    struct launch *launch;
    enum status status = capture_open(&capture, error);

    if (status != STATUS_OK)
        return status;
    options.output = options.errors = capture.fd;
    status = launch_start(&launch, &options, exit_status, error);
    if (status == STATUS_OK) {
        *exit_status = tool_wait(compile, launch);
        *said = output_read(&capture);
        if (!*said)
            status = error_no_memory(error, "for what the compiler says of %.200s", compile->name);
    }
    capture_close(&capture);
    return status;
}

/* The end of a tool that has refused the source. */
static enum status tool_refused(const struct compile *compile, const char *tool, int exit_status,
                                const char *said, const struct diagnostics *diagnostics, struct error *error)
{
    char text[700];

    if (exit_status == EXIT_TIME_LIMIT)
        return error_set(error, STATUS_CHECK,
                         "%.200s was still being compiled after %.0f s, and %s was ended: does it include a "
                         "file that never ends, or unroll too much?",
                         compile->name, COMPILE_SECONDS, tool);
    if (exit_status > 128)
        return error_set(error, STATUS_CHECK, "The compiler of %.200s was ended by signal %d.", compile->name,
                         exit_status - 128);
    diagnostics_text(diagnostics, text, sizeof text);
    if (*text)
        return error_set(error, STATUS_USAGE, "%.200s does not compile: %s.", compile->name, text);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(said, "\n"), said);
    return error_set(error, STATUS_USAGE, "%s does not compile %.200s (status %d): %s", tool, compile->name,
                     exit_status, *text ? text : "it says nothing.");
}

enum status compile_source(const struct compile *compile, struct diagnostics *diagnostics,
                           struct error *error)
{
    char program[PATH_BYTES], architecture[32], *said = NULL;
    const char *slash = strrchr(compile->source, '/');
    char *argv[] = {program,
                    (char *)"-ptx",
                    architecture,
                    (char *)"-std=c++17",
                    (char *)"-O3",
                    (char *)"-fmad=false", /* as the bundled kernels: the reference adds and multiplies */
                    (char *)"-lineinfo",
                    (char *)"-I",
                    (char *)(uintptr_t)compile->include,
                    (char *)"-o",
                    (char *)(uintptr_t)compile->ptx,
                    (char *)(uintptr_t)compile->source,
                    NULL};
    int exit_status = 0;

    if (path_of_tool("nvcc", program, NULL) != STATUS_OK)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "%.200s must be compiled, and there is no nvcc on PATH, in $CUDA_HOME or in "
            "/usr/local/cuda: `./bootstrap cuda` puts one into build/cuda. PTX needs no compiler: "
            "make it where nvcc is (nvcc -ptx -lineinfo -fmad=false) and give that file.",
            compile->name);
    snprintf(architecture, sizeof architecture, "-arch=compute_%u", compile->architecture);
    enum status status = tool_run(compile, argv, &said, &exit_status, error);
    if (status == STATUS_OK)
        diagnostics_read(diagnostics, said, slash ? slash + 1 : compile->source);
    if (status == STATUS_OK && exit_status != 0)
        status = tool_refused(compile, "nvcc", exit_status, said, diagnostics, error);
    free(said);
    return status;
}

enum status compile_assemble(const struct compile *compile, char **said, struct diagnostics *diagnostics,
                             struct error *error)
{
    char program[PATH_BYTES];
    char *argv[] = {program,
                    (char *)"-v",
                    (char *)"-arch=sm_90",
                    (char *)"-O3",
                    (char *)"--fmad=false",
                    (char *)"-o",
                    (char *)"/dev/null",
                    (char *)(uintptr_t)compile->ptx,
                    compile->runtime ? (char *)"-c" : NULL,
                    NULL};
    const char *slash = strrchr(compile->ptx, '/');
    int exit_status = 0;

    *said = NULL;
    if (path_of_tool("ptxas", program, NULL) != STATUS_OK)
        return STATUS_OK;
    enum status status = tool_run(compile, argv, said, &exit_status, error);
    if (status == STATUS_OK && exit_status != 0) {
        diagnostics_read(diagnostics, *said, slash ? slash + 1 : compile->ptx);
        status = tool_refused(compile, "ptxas", exit_status, *said, diagnostics, error);
    }
    if (status != STATUS_OK) {
        free(*said);
        *said = NULL;
    }
    return status;
}
