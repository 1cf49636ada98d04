/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's standard output and error go into one unnamed file, which is read when it has ended. */
#include "cli/own/compile.h"

#include "cli/options/options.h"
#include "cli/own/own_kernel.h"
#include "cli/process/confined.h"
#include "cli/process/launch.h"
#include "cli/process/paths.h"
#include "core/base/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_BYTES_MAX ((off_t)1 << 20)
#define EXIT_TIME_LIMIT 124

/* All that was written; NULL: no memory. */
static char *output_read(const struct kept_output *capture)
{
    struct stat facts;
    size_t size_bytes = 0, got = 0;
    ssize_t part = 1;

    if (fstat(capture->fd, &facts) == 0)
        size_bytes = (size_t)(facts.st_size < OUTPUT_BYTES_MAX ? facts.st_size : OUTPUT_BYTES_MAX);
    char *text = malloc(size_bytes + 1);
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
    if (compile->running)
        compile->running(compile->context, launch);
    int exit_status = launch_wait(launch, NULL);
    if (compile->running)
        compile->running(compile->context, NULL);
    launch_destroy(launch);
    return exit_status;
}

/* Where the tool is confined, a file that it may not read is a file that is not there: one sentence says
 * both, so that it does not tell which files there are. NULL: no memory. */
static char *hide_refusals(char *said)
{
    static const char refused[] = "Permission denied", missing[] = "No such file or directory";
    size_t count = 0;

    for (const char *at = said; (at = strstr(at, refused)); at++)
        count++;
    char *text = malloc(strlen(said) + count * sizeof missing + 1), *to = text;

    for (const char *at = said; text && *at;)
        if (strncmp(at, refused, sizeof refused - 1) == 0) {
            to = stpcpy(to, missing);
            at += sizeof refused - 1;
        } else {
            *to++ = *at++;
        }
    if (text)
        *to = '\0';
    free(said);
    return text;
}

/* argv has room for CONFINED_WORDS more. tool: the file in whose toolkit it is. *said: freed by the caller.
 */
static enum status tool_run(const struct compile *compile, char **argv, const char *tool, char **said,
                            int *exit_status, struct error *error)
{
    char confiner[PATH_BYTES];
    static const struct launch_variable english[] = {{"LC_ALL", "C"}, {NULL, NULL}};
    struct launch_options options = {
        .argv = argv, .variables = english, .time_limit_s = COMPILE_SECONDS, .ends_with_us = true};
    struct kept_output capture;
    struct launch *launch;
    enum status status = kept_output_open(&capture, error);

    if (status != STATUS_OK)
        return status;
    options.output = options.errors = capture.fd;
    status = confined_prepend(argv, tool, confiner, error);
    if (status == STATUS_OK)
        status = launch_start(&launch, &options, exit_status, error);
    if (status == STATUS_OK) {
        *exit_status = tool_wait(compile, launch);
        *said = output_read(&capture);
        if (*said && getenv(CONFINED_VARIABLE))
            *said = hide_refusals(*said);
        if (!*said)
            status = error_no_memory(error, "for what the compiler says of %.200s", compile->name);
    }
    kept_output_close(&capture);
    return status;
}

/* The end of a tool that has refused the source. */
static enum status tool_refused(const struct compile *compile, const char *tool, int exit_status,
                                const char *said, const struct diagnostics *diagnostics, struct error *error)
{
    char text[780];

    if (exit_status == EXIT_TIME_LIMIT)
        return error_set(error, STATUS_CHECK,
                         "%.200s was still being compiled after %.0f s, and %s was ended: does it include a "
                         "file that never ends, or unroll too much?",
                         compile->name, COMPILE_SECONDS, tool);
    if (exit_status > 128 && exit_status <= 128 + SIGRTMAX)
        return error_set(error, STATUS_CHECK, "The compiler of %.200s was ended by signal %d.", compile->name,
                         exit_status - 128);
    diagnostics_text(diagnostics, text, sizeof text);
    if (*text)
        return error_set(error, STATUS_USAGE, "%.200s does not compile: %s.", compile->name, text);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(said, "\n"), said);
    return error_set(error, STATUS_USAGE, "%s does not compile %.200s (status %d): %s", tool, compile->name,
                     exit_status, *text ? text : "it says nothing.");
}

enum status compile_find(char *path, bool *nvrtc, struct error *error)
{
    const char *wanted = getenv("LANESCOPE_COMPILER");
    const bool any = !wanted || !*wanted, program = any || strcmp(wanted, "nvcc") == 0,
               library = any || strcmp(wanted, "nvrtc") == 0;

    *nvrtc = false;
    if (!program && !library)
        return error_set(error, STATUS_USAGE, "LANESCOPE_COMPILER is '%.60s': it may be nvcc or nvrtc.",
                         wanted);
    if (program && path_of_tool("nvcc", path, NULL) == STATUS_OK)
        return STATUS_OK;
    *nvrtc = library && nvrtc_find(path, NULL) == STATUS_OK;
    if (*nvrtc)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "There is no %s%s%s: `./bootstrap cuda` puts nvcc into build/cuda.",
                     program ? "nvcc on PATH, in $CUDA_HOME or in /usr/local/cuda" : "",
                     program && library ? ", and no " : "",
                     library ? "libnvrtc.so.13 on the loader's path or in a toolkit" : "");
}

enum status compile_source(const struct compile *compile, struct diagnostics *diagnostics,
                           struct error *error)
{
    char tool[PATH_BYTES], program[PATH_BYTES], architecture[32], *said = NULL;
    char *const include = (char *)(uintptr_t)compile->include, *const ptx = (char *)(uintptr_t)compile->ptx,
                *const source = (char *)(uintptr_t)compile->source;
    const char *slash = strrchr(source, '/');
    /* Without fused multiply-add, as the bundled kernels: the reference adds and multiplies. */
    char *by_nvcc[14 + CONFINED_WORDS] = {program,
                                          (char *)"-ptx",
                                          (char *)"-arch",
                                          architecture,
                                          (char *)"-std=c++17",
                                          (char *)"-O3",
                                          (char *)"-fmad=false",
                                          (char *)"-lineinfo",
                                          (char *)"-I",
                                          include,
                                          (char *)"-o",
                                          ptx,
                                          source,
                                          NULL};
    char *by_nvrtc[7 + CONFINED_WORDS] = {program, (char *)NVRTC_OPTION, architecture, include, ptx, source,
                                          NULL};
    struct error none = {0};
    bool nvrtc;
    int exit_status = 0;
    enum status status = compile_find(tool, &nvrtc, &none);

    if (status != STATUS_OK)
        return error_set(error, status,
                         "%.200s must be compiled. %.300s PTX needs no compiler: make it where nvcc is (nvcc "
                         "-ptx -lineinfo -fmad=false) and give that file.",
                         compile->name, none.text);
    if (nvrtc)
        status = path_of_program(program, error);
    else
        memcpy(program, tool, sizeof program);
    snprintf(architecture, sizeof architecture, "compute_%u", compile->architecture);
    if (status == STATUS_OK)
        status = tool_run(compile, nvrtc ? by_nvrtc : by_nvcc, tool, &said, &exit_status, error);
    if (status == STATUS_OK)
        diagnostics_read(diagnostics, said, slash ? slash + 1 : source);
    if (status == STATUS_OK && exit_status != 0)
        status = tool_refused(compile, nvrtc ? "NVRTC" : "nvcc", exit_status, said, diagnostics, error);
    free(said);
    return status;
}

enum status compile_assemble(const struct compile *compile, char **said, struct diagnostics *diagnostics,
                             struct error *error)
{
    char program[PATH_BYTES];
    char *argv[12 + CONFINED_WORDS] = {program,
                                       (char *)"-v",
                                       (char *)"-arch=sm_90",
                                       (char *)"-O3",
                                       (char *)"--fmad=false",
                                       (char *)"-o",
                                       (char *)"/dev/null",
                                       (char *)(uintptr_t)compile->ptx,
                                       compile->runtime   ? (char *)"-c"
                                       : compile->entries ? (char *)"--entry"
                                                          : NULL,
                                       (char *)(uintptr_t)compile->entries,
                                       NULL};
    const char *slash = strrchr(compile->ptx, '/');
    int exit_status = 0;

    *said = NULL;
    if (path_of_tool("ptxas", program, NULL) != STATUS_OK)
        return STATUS_OK;
    enum status status = tool_run(compile, argv, program, said, &exit_status, error);
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

/* ---- NVRTC ---- */
/*
 * The functions are declared here, with plain types, so that nvrtc.h is not needed. The headers that NVRTC
 * has built in, as far as they concern kernels, are given to it as empty texts.
 */

struct nvrtc {
    void *library;
    char path[PATH_BYTES];
    int (*program_create)(void **program, const char *source, const char *name, int header_count,
                          const char *const *headers, const char *const *header_names);
    int (*program_compile)(void *program, int option_count, const char *const *options);
    int (*log_size)(void *program, size_t *size_bytes);
    int (*log_read)(void *program, char *log);
    int (*ptx_size)(void *program, size_t *size_bytes);
    int (*ptx_read)(void *program, char *ptx);
};

static bool library_open(struct nvrtc *nvrtc)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};

    for (size_t i = 0; names[i] && !nvrtc->library; i++) {
        nvrtc->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!nvrtc->library && path_of_toolkit_library(names[i], nvrtc->path, NULL) == STATUS_OK)
            nvrtc->library = dlopen(nvrtc->path, RTLD_NOW | RTLD_LOCAL);
    }
    return nvrtc->library != NULL;
}

static enum status nvrtc_open(struct nvrtc *nvrtc, struct error *error)
{
    const struct {
        const char *name;
        void *address;
    } functions[] = {
        {"nvrtcCreateProgram", &nvrtc->program_create}, {"nvrtcCompileProgram", &nvrtc->program_compile},
        {"nvrtcGetProgramLogSize", &nvrtc->log_size},   {"nvrtcGetProgramLog", &nvrtc->log_read},
        {"nvrtcGetPTXSize", &nvrtc->ptx_size},          {"nvrtcGetPTX", &nvrtc->ptx_read}};
    Dl_info info;

    *nvrtc = (struct nvrtc){.path = ""};
    if (!library_open(nvrtc))
        return error_set(error, STATUS_UNSUPPORTED,
                         "There is no libnvrtc.so.13 on the loader's path or in a CUDA toolkit "
                         "(LD_LIBRARY_PATH or CUDA_HOME can name one).");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(nvrtc->library, functions[i].name);

        if (!address)
            return error_set(error, STATUS_UNSUPPORTED, "libnvrtc was found, but has no %s.",
                             functions[i].name);
        memcpy(functions[i].address, &address, sizeof address);
        if (dladdr(address, &info) && info.dli_fname)
            snprintf(nvrtc->path, PATH_BYTES, "%s", info.dli_fname);
    }
    return STATUS_OK;
}

enum status nvrtc_find(char *path, struct error *error)
{
    struct nvrtc nvrtc;
    enum status status = nvrtc_open(&nvrtc, error);

    if (status == STATUS_OK)
        memcpy(path, nvrtc.path, PATH_BYTES); /* it stays open: closing it leaks its memory */
    return status;
}

static bool ptx_write(const char *path, const char *ptx)
{
    FILE *file = fopen(path, "we");
    bool written = file && fputs(ptx, file) >= 0;

    return file && (fclose(file) == 0) & written;
}

static void log_print(const struct nvrtc *nvrtc, void *program)
{
    size_t size_bytes = 0;

    if (nvrtc->log_size(program, &size_bytes) != 0 || size_bytes == 0)
        return;
    char *log = calloc(1, size_bytes + 1);
    if (log && nvrtc->log_read(program, log) == 0)
        fputs(log, stderr);
    free(log);
}

static enum status ptx_make(const struct nvrtc *nvrtc, void *program, const char *path, struct error *error)
{
    size_t size_bytes = 0;
    char *ptx = NULL;
    enum status status = STATUS_OK;

    if (nvrtc->ptx_size(program, &size_bytes) == 0)
        ptx = calloc(1, size_bytes + 1);
    if (!ptx || nvrtc->ptx_read(program, ptx) != 0)
        status = error_set(error, STATUS_CHECK, "NVRTC gives no PTX.");
    else if (!ptx_write(path, ptx))
        status = error_set(error, STATUS_IO, "Cannot write %.300s.", path);
    free(ptx);
    return status;
}

static enum status source_compile(const struct nvrtc *nvrtc, char **argv, const char *text,
                                  struct error *error)
{
    static const char *const names[] = {"cuda_runtime.h", "stdio.h", "cstdio"}, *const empty[] = {"", "", ""};
    char architecture[64], toolkit[PATH_BYTES + 16], library[PATH_BYTES + 16];
    const char *options[] = {architecture, "-std=c++17", "--fmad=false", "-lineinfo", "-I",
                             argv[1],      "-I",         toolkit,        "-I",        library};
    const char *slash = strrchr(nvrtc->path, '/');
    void *program = NULL;

    snprintf(architecture, sizeof architecture, "--gpu-architecture=%.30s", argv[0]);
    snprintf(toolkit, sizeof toolkit, "%.*s/../include", slash ? (int)(slash - nvrtc->path) : 0, nvrtc->path);
    snprintf(library, sizeof library, "%.*s/../include/cccl", slash ? (int)(slash - nvrtc->path) : 0,
             nvrtc->path);
    if (nvrtc->program_create(&program, text, argv[3], 3, empty, names) != 0)
        return error_set(error, STATUS_CHECK, "NVRTC does not take %.300s.", argv[3]);
    int failed = nvrtc->program_compile(program, (int)(sizeof options / sizeof *options), options);
    log_print(nvrtc, program);
    return failed ? STATUS_CHECK : ptx_make(nvrtc, program, argv[2], error);
}

int nvrtc_main(int argc, char **argv, struct error *error)
{
    struct nvrtc nvrtc;
    char *text;
    size_t size_bytes;

    if (argc != 4) {
        error_set(error, STATUS_USAGE, NVRTC_OPTION " takes compute_NN INCLUDE PTX SOURCE.");
        return EXIT_USAGE;
    }
    if (nvrtc_open(&nvrtc, error) != STATUS_OK)
        return EXIT_FAILED;
    if (file_read(argv[3], OWN_SOURCE_BYTES_MAX, &text, &size_bytes, error) != STATUS_OK)
        return EXIT_FAILED;
    enum status status = source_compile(&nvrtc, argv, text, error);
    free(text);
    return status == STATUS_OK ? EXIT_FINE : EXIT_FAILED;
}
