/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program's constructors register, by the interface of crt/host_runtime.h: fat binaries, and the
 * host addresses that represent kernels and variables. Registering reads no file; the file is read when its
 * first kernel or variable is used. Rows stay until the program ends. Under the lock of standin.c.
 */
#include "standin/standin.h"

#include "core/base/array.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct binary {
    char path[4096]; /* of the file that contains it */
    struct image_file *file;
};

struct binary_kernel {
    const void *function; /* address in the host's code */
    struct binary *binary;
    const char *name;             /* the text belongs to the program, or is kept as long */
    const char *image;            /* NULL: not searched yet */
    bool shared_given;            /* by cudaFuncSetAttribute: */
    uint32_t dynamic_shared_most; /* bytes */
};

struct variable {
    const void *host;
    struct binary *binary;
    const char *name;
    size_t size_bytes;
    void **managed; /* the host's pointer, which is set to the device address; NULL: not managed */
};

static struct binary_kernel **kernels; /* allocated one by one: handles stay valid */
static size_t kernel_count, kernel_capacity;
static struct variable *variables;
static size_t variable_count, variable_capacity;

/* ---- registering ---- */
STANDIN_API void **__cudaRegisterFatBinary(void *wrapper)
{
    struct binary *binary = calloc(1, sizeof *binary);
    Dl_info place;

    if (!binary)
        abort();
    if (dladdr(wrapper, &place) == 0 || !place.dli_fname || !realpath(place.dli_fname, binary->path)) {
        ssize_t length = readlink("/proc/self/exe", binary->path, sizeof binary->path - 1);
        binary->path[length > 0 ? length : 0] = '\0';
    }
    return (void **)binary;
}

STANDIN_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

STANDIN_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* keep it: destructors may still copy from the device */
}

static struct binary_kernel *kernel_add(void)
{
    struct binary_kernel *kernel = calloc(1, sizeof *kernel);

    if (kernel && array_grow(kernels, kernel_capacity, kernel_count, 1))
        return kernels[kernel_count++] = kernel;
    free(kernel);
    return NULL;
}

const struct binary_kernel *binary_kernel_add(const char *image, const char *name)
{
    char *copy = strdup(name);
    struct binary_kernel *kernel = copy ? kernel_add() : NULL;

    if (kernel)
        *kernel = (struct binary_kernel){.function = kernel, .name = copy, .image = image};
    else
        free(copy);
    return kernel;
}

STANDIN_API void __cudaRegisterFunction(void **handle, const char *function, char *device_function,
                                        const char *name, int thread_limit, uint3 *thread, uint3 *block,
                                        dim3 *block_size, dim3 *grid_size, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_size, (void)grid_size,
        (void)warp_size;
    standin_enter_closed();
    struct binary_kernel *kernel = kernel_add();
    if (!kernel)
        abort();
    *kernel = (struct binary_kernel){.function = function, .binary = (struct binary *)handle, .name = name};
    standin_leave(cudaSuccess);
}

static void variable_add(void **handle, const void *host, void **managed, const char *name, size_t size_bytes)
{
    standin_enter_closed();
    if (!array_grow(variables, variable_capacity, variable_count, 1))
        abort();
    variables[variable_count++] = (struct variable){.host = host,
                                                    .binary = (struct binary *)handle,
                                                    .name = name,
                                                    .size_bytes = size_bytes,
                                                    .managed = managed};
    standin_leave(cudaSuccess);
}

STANDIN_API void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *name,
                                   int external, size_t size, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    variable_add(handle, host, NULL, name, size);
}

STANDIN_API void __cudaRegisterManagedVar(void **handle, void **host, char *device_address, const char *name,
                                          int external, size_t size, int constant, int global)
{
    (void)device_address, (void)external, (void)constant, (void)global;
    variable_add(handle, host, host, name, size);
}

/* ---- finding ---- */
const struct binary_kernel *binary_kernel_find(const void *function)
{
    for (size_t i = kernel_count; i-- > 0;)
        if (kernels[i]->function == function || kernels[i] == function)
            return kernels[i];
    return NULL;
}

bool binary_kernel_shared_most(const struct binary_kernel *kernel, uint32_t *most)
{
    if (kernel->shared_given)
        *most = kernel->dynamic_shared_most;
    return kernel->shared_given;
}

void binary_kernel_allow_shared(const struct binary_kernel *kernel, uint32_t most)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i] == kernel) {
            kernels[i]->dynamic_shared_most = most;
            kernels[i]->shared_given = true;
        }
}

const char *binary_kernel_name(const struct binary_kernel *kernel)
{
    return kernel->name;
}

static enum status binary_file(struct binary *binary, struct error *error)
{
    bool warns = false;

    if (binary->file)
        return STATUS_OK;
    enum status status = image_file_open(binary->path, &binary->file, error);
    const char *note = status == STATUS_OK ? image_file_note(binary->file, &warns) : "";
    for (size_t i = 0; i < kernel_count && *note; i++) /* of another fat binary of the same file */
        if (kernels[i]->binary && kernels[i]->binary != binary && kernels[i]->binary->file == binary->file)
            note = "";
    if (warns && *note)
        fprintf(stderr, "lanescope: %s\n", note);
    if (*note)
        told_notice(warns ? SEVERITY_WARNING : SEVERITY_INFO, STATUS_OK, note);
    return status;
}

/* A modelled GPU for which the file has PTX of the kernel; NULL: there is none. */
static const char *gpu_that_runs(const struct binary_kernel *kernel)
{
    const struct gpu *gpu;

    for (size_t i = 0; (gpu = gpu_at(i)); i++)
        if (image_of_entry(kernel->binary->file, kernel->name, gpu->info.compute_capability))
            return gpu->id;
    return NULL;
}

/* Only kernels say which file it is; a library's PTX decides nothing for the program. */
const struct gpu *binary_gpu(const struct gpu *usual)
{
    struct binary *own = NULL;

    for (size_t i = 0; i < kernel_count && !own; i++)
        if (kernels[i]->binary && image_is_program(kernels[i]->binary->path))
            own = kernels[i]->binary;
    uint32_t oldest = own && binary_file(own, NULL) == STATUS_OK ? image_file_oldest(own->file) : 0;
    const struct gpu *gpu = usual;
    for (size_t i = 0; gpu && gpu->info.compute_capability < oldest; i++)
        gpu = gpu_at(i);
    return gpu ? gpu : usual;
}

enum status binary_kernel_image(const struct binary_kernel *kernel, const char **image, struct error *error)
{
    uint32_t capability = standin_info()->compute_capability;
    struct binary_kernel *own = (struct binary_kernel *)(uintptr_t)kernel;
    enum status status = own->image ? STATUS_OK : binary_file(own->binary, error);

    if (status == STATUS_OK && !own->image)
        own->image = image_of_entry(own->binary->file, own->name, capability);
    if (status != STATUS_OK || (*image = own->image))
        return status;
    const char *holds = image_file_holds(own->binary->file);
    if (!*holds)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "%.300s holds machine code only and no PTX, which the device model runs: build it with "
            "-gencode arch=compute_90,code=compute_90 (CMake: CUDA_ARCHITECTURES 90).",
            own->binary->path);
    const char *other = gpu_that_runs(own);
    return error_set(
        error, STATUS_UNSUPPORTED,
        "%.300s holds no PTX of the kernel %.200s for compute capability %s or less (it has %s)%s%s.",
        own->binary->path, own->name, capability_text(capability).text, holds, other ? ": --model " : "",
        other ? other : "");
}

enum status binary_symbol(const void *symbol, device_pointer *address, size_t *bytes, struct error *error)
{
    struct variable *found = NULL;

    for (size_t i = variable_count; i-- > 0 && !found;)
        if (variables[i].host == symbol)
            found = &variables[i];
    if (!found)
        return error_set(error, STATUS_STATE, "No device variable is registered at this address.");
    enum status status = binary_file(found->binary, error);
    if (status != STATUS_OK)
        return status;
    const char *image =
        image_of_variable(found->binary->file, found->name, standin_info()->compute_capability);
    if (!image)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%.300s holds no PTX of the variable %.200s that the modelled GPU can run.",
                         found->binary->path, found->name);
    return simt_device_symbol(standin_device(), image, found->name, address, bytes, error);
}

/* Called before the program uses managed variables of the host: it finds their device addresses in these
 * pointers. */
STANDIN_API char __cudaInitModule(void **handle)
{
    device_pointer address;
    struct error error;
    enum status status = standin_enter() ? STATUS_STATE : STATUS_OK;

    for (size_t i = 0; i < variable_count && status == STATUS_OK; i++) {
        if (!variables[i].managed || variables[i].binary != (struct binary *)handle)
            continue;
        status = binary_symbol(variables[i].host, &address, NULL, &error);
        *variables[i].managed = (void *)(uintptr_t)address;
        if (status != STATUS_OK) { /* otherwise the program would use an invalid address */
            standin_refuse("%s", error.text);
            exit(STANDIN_EXIT_REFUSED);
        }
    }
    standin_leave(cudaSuccess);
    return status == STATUS_OK;
}
