/*
 * parity_cuda FOLDER: runs the parity cases on a GPU, one launch each in the order of the table, from
 * FOLDER/FILE.cubin, and prints "number kernel digest" for each: what the output must be on the model too.
 * Under `lanescope --record` the launches' counters are recorded beside. Ends with 77 where there is no GPU.
 */
#include "tests/gpu/parity/cases.h"
#include "workloads/cuda_driver.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    struct cuda_driver driver;
    cuda_handle context;
    cuda_address out, in, index;
};

static bool failed(const struct machine *machine, int result, const char *what, const char *on)
{
    struct error error;
    if (result == CUDA_RESULT_SUCCESS) {
        return false;
    }
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
    if (file) {
        fclose(file);
    }
    if (!bytes) {
        fprintf(stderr, "parity_cuda: %s could not be read: build the target parity_cubins.\n", path);
    }
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

static bool case_run(const struct machine *machine, const struct parity_case *c, const char *folder,
                     size_t number, uint32_t *words)
{
    const struct cuda_driver *d = &machine->driver;
    size_t bytes = PARITY_WORDS * sizeof(uint32_t);
    cuda_address out = machine->out, in = machine->in, index = machine->index;
    uint32_t n = c->n;
    void *arguments[] = {&out, &in, &index, &n};
    cuda_handle module = NULL, function;
    char *cubin = file_read(folder, c->file);
    if (!cubin) {
        return false;
    }
    memset(words, 0xff, bytes);
    bool ok =
        !failed(machine, d->cuMemcpyHtoD_v2(out, words, bytes), "clearing", c->kernel) &&
        !failed(machine, d->cuModuleLoadDataEx(&module, cubin, 0, NULL, NULL), "loading", c->file) &&
        !failed(machine, d->cuModuleGetFunction(&function, module, c->kernel), "finding", c->kernel) &&
        !failed(machine,
                d->cuLaunchKernel(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                                  c->block[2], c->dynamic_shared_bytes, NULL, arguments, NULL),
                "launching", c->kernel) &&
        !failed(machine, d->cuCtxSynchronize(), "running", c->kernel) &&
        !failed(machine, d->cuMemcpyDtoH_v2(words, out, bytes), "reading", c->kernel);
    if (ok) {
        printf("%zu %s %016" PRIx64 "\n", number, c->kernel, parity_digest(words));
    }
    if (module) {
        d->cuModuleUnload(module);
    }
    free(cubin);
    return ok;
}

int main(int argc, char **argv)
{
    struct machine machine = {.context = NULL};
    uint32_t *words = calloc(PARITY_WORDS, sizeof *words);
    if (argc != 2 || !words) {
        fputs("usage: parity_cuda FOLDER\n", stderr);
        free(words);
        return 1;
    }
    int status = machine_open(&machine);
    size_t bytes = PARITY_WORDS * sizeof(uint32_t);
    for (uint32_t i = 0; i < PARITY_WORDS; i++) {
        words[i] = parity_in(i);
    }
    status =
        status ? status
               : failed(&machine, machine.driver.cuMemcpyHtoD_v2(machine.in, words, bytes), "filling", "in");
    for (uint32_t i = 0; i < PARITY_WORDS; i++) {
        words[i] = parity_index(i);
    }
    status = status ? status
                    : failed(&machine, machine.driver.cuMemcpyHtoD_v2(machine.index, words, bytes), "filling",
                             "index");
    for (size_t i = 0; status == 0 && parity_case_at(i); i++) {
        status = !case_run(&machine, parity_case_at(i), argv[1], i, words);
    }
    free(words);
    return status;
}
