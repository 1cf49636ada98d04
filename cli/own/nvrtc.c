/*
 * The functions are declared here, with plain types, so that nvrtc.h is not needed. The headers that NVRTC
 * has built in, as far as they concern kernels, are given to it as empty texts.
 */
#include "cli/own/nvrtc.h"

#include "cli/options/options.h"
#include "cli/process/paths.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* NULL: it cannot be read. */
static char *source_read(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size_bytes = 0;

    if (file && getdelim(&text, &size_bytes, '\0', file) < 0) {
        free(text);
        text = calloc(1, 1); /* an empty file */
    }
    if (file)
        fclose(file);
    return text;
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
    char *log;

    if (nvrtc->log_size(program, &size_bytes) != 0 || size_bytes == 0)
        return;
    log = calloc(1, size_bytes + 1);
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

    if (argc != 4) {
        error_set(error, STATUS_USAGE, NVRTC_OPTION " takes compute_NN INCLUDE PTX SOURCE.");
        return EXIT_USAGE;
    }
    if (nvrtc_open(&nvrtc, error) != STATUS_OK)
        return EXIT_FAILED;
    text = source_read(argv[3]);
    if (!text) {
        error_set(error, STATUS_IO, "Cannot read %.300s.", argv[3]);
        return EXIT_FAILED;
    }
    enum status status = source_compile(&nvrtc, argv, text, error);
    free(text);
    return status == STATUS_OK ? EXIT_FINE : EXIT_FAILED;
}
