/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parity_cuda FOLDER [FIRST [COUNT]]: runs the parity cases on a GPU, one launch each in the order of the
 * table, from FOLDER/FILE.cubin. For each it prints "begin number kernel" and, when it is done, "number
 * kernel digest": what the output must be on the model too. Under `lanescope --record` the launches' counters
 * are recorded beside. Modules and what they were loaded from stay: CUPTI may have patched their code. A
 * crash says on standard error which functions it was in. Ends with 77 where there is no GPU.
 */
#include "tests/gpu/parity/cases.h"
#include "workloads/cuda/cuda_driver.h"

#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MAX 8
#define FRAMES_MAX 64

struct module {
    const char *file;
    char *cubin;
    cuda_handle handle;
};

struct machine {
    struct cuda_driver driver;
    cuda_handle context;
    cuda_address out, in, index;
    struct module modules[MODULES_MAX];
    size_t module_count;
};

/* Whose code it was: of the driver, of CUPTI, of the agent or of this program. */
static void crashed(int number)
{
    static const char text[] = "parity_cuda: crashed in the case that began last, in\n";
    void *frames[FRAMES_MAX];
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), STDERR_FILENO);
    raise(number); /* the handler is off by now: as without it */
}

static bool watch_crashes(void)
{
    static char stack[1 << 16];
    struct sigaction action = {.sa_handler = crashed, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    void *frame;
    backtrace(&frame, 1); /* its library is loaded now, not in the handler */
    return sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) == 0 &&
           sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0 &&
           sigaction(SIGABRT, &action, NULL) == 0;
}

static bool failed(const struct machine *machine, int result, const char *what, const char *on)
{
    struct error error;
    if (result == CUDA_RESULT_SUCCESS)
        return false;
    cuda_driver_refuse(&machine->driver, result, &error, "%s %s", what, on);
    fprintf(stderr, "parity_cuda: %s\n", error.text);
    return true;
}

static char *file_read(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.cubin", folder, name);
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        bytes = size > 0 ? malloc((size_t)size) : NULL;
        if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file)
        fclose(file);
    if (!bytes)
        fprintf(stderr, "parity_cuda: %s could not be read: build the target parity_cubins.\n", path);
    return bytes;
}

/* 0; 1 with a line on standard error; 77: no GPU. */
static int machine_open(struct machine *machine)
{
    struct error error;
    int count = 0;
    cuda_device_ordinal device;
    size_t bytes = PARITY_WORDS * sizeof(uint32_t);
    if (cuda_driver_open("libcuda.so.1", &machine->driver, &error) != STATUS_OK ||
        machine->driver.cuInit(0) != CUDA_RESULT_SUCCESS ||
        machine->driver.cuDeviceGetCount(&count) != CUDA_RESULT_SUCCESS || count == 0) {
        puts("skipped: no GPU");
        return 77;
    }
    const struct cuda_driver *d = &machine->driver;
    return failed(machine, d->cuDeviceGet(&device, 0), "opening", "the GPU") ||
           failed(machine, d->cuDevicePrimaryCtxRetain(&machine->context, device), "opening", "the GPU") ||
           failed(machine, d->cuCtxSetCurrent(machine->context), "opening", "the GPU") ||
           failed(machine, d->cuMemAlloc_v2(&machine->out, bytes), "allocating", "out") ||
           failed(machine, d->cuMemAlloc_v2(&machine->in, bytes), "allocating", "in") ||
           failed(machine, d->cuMemAlloc_v2(&machine->index, bytes), "allocating", "index");
}

/* The module of a file, loaded when it is first asked for; NULL with a line on standard error. */
static cuda_handle module_of(struct machine *machine, const char *folder, const char *file)
{
    for (size_t i = 0; i < machine->module_count; i++)
        if (strcmp(machine->modules[i].file, file) == 0)
            return machine->modules[i].handle;
    if (machine->module_count == MODULES_MAX) {
        fprintf(stderr, "parity_cuda: there are more than %d files: raise MODULES_MAX.\n", MODULES_MAX);
        return NULL;
    }
    struct module module = {.file = file, .cubin = file_read(folder, file)};
    if (!module.cubin ||
        failed(machine, machine->driver.cuModuleLoadDataEx(&module.handle, module.cubin, 0, NULL, NULL),
               "loading", file)) {
        free(module.cubin);
        return NULL;
    }
    machine->modules[machine->module_count++] = module;
    return module.handle;
}

static bool case_run(struct machine *machine, const struct parity_case *c, const char *folder, size_t number,
                     uint32_t *words)
{
    const struct cuda_driver *d = &machine->driver;
    size_t bytes = PARITY_WORDS * sizeof(uint32_t);
    cuda_address out = machine->out, in = machine->in, index = machine->index;
    uint32_t n = c->n;
    void *arguments[] = {&out, &in, &index, &n};
    printf("begin %zu %s\n", number, c->kernel);
    fflush(stdout);
    cuda_handle module = module_of(machine, folder, c->file), function;
    if (!module)
        return false;
    memset(words, 0xff, bytes);
    bool ok =
        !failed(machine, d->cuMemcpyHtoD_v2(out, words, bytes), "clearing", c->kernel) &&
        !failed(machine, d->cuModuleGetFunction(&function, module, c->kernel), "finding", c->kernel) &&
        !failed(machine,
                d->cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                                  c->block[2], c->dynamic_shared_bytes, NULL, arguments, NULL),
                "launching", c->kernel) &&
        !failed(machine, d->cuCtxSynchronize(), "running", c->kernel) &&
        !failed(machine, d->cuMemcpyDtoH_v2(words, out, bytes), "reading", c->kernel);
    if (ok) {
        printf("%zu %s %016" PRIx64 "\n", number, c->kernel, parity_digest(words));
        fflush(stdout);
    }
    return ok;
}

int main(int argc, char **argv)
{
    struct machine machine = {.context = NULL};
    uint32_t *words = calloc(PARITY_WORDS, sizeof *words);
    if (argc < 2 || argc > 4 || !words || !watch_crashes()) {
        fputs("usage: parity_cuda FOLDER [FIRST [COUNT]]\n", stderr);
        free(words);
        return 1;
    }
    size_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    size_t count = argc > 3 ? strtoul(argv[3], NULL, 10) : SIZE_MAX;
    int status = machine_open(&machine);
    size_t bytes = PARITY_WORDS * sizeof(uint32_t);
    for (uint32_t i = 0; i < PARITY_WORDS; i++)
        words[i] = parity_in(i);
    status =
        status ? status
               : failed(&machine, machine.driver.cuMemcpyHtoD_v2(machine.in, words, bytes), "filling", "in");
    for (uint32_t i = 0; i < PARITY_WORDS; i++)
        words[i] = parity_index(i);
    status = status ? status
                    : failed(&machine, machine.driver.cuMemcpyHtoD_v2(machine.index, words, bytes), "filling",
                             "index");
    for (size_t i = first; status == 0 && i - first < count && parity_case_at(i); i++)
        status = !case_run(&machine, parity_case_at(i), argv[1], i, words);
    for (size_t i = 0; i < machine.module_count; i++)
        free(machine.modules[i].cubin);
    free(words);
    return status;
}
