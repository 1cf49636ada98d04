/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules, libraries and their kernels. A module is the PTX of a text or of a file; a library is the same
 * object, and a kernel the same as a function. An object stays until the program ends, since a handle may be
 * used late.
 */
#include "standin/driver.h"

#include "core/base/array.h"
#include "core/base/file.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"

#include <dlfcn.h>
#include <elf.h>
#include <fatbinary_section.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- modules ---- */

#define PTX_MAJOR_MOST 9 /* of CUDA 13 */
#define FATBIN_MAGIC 0xba55ed50u
#define MODULE_BYTES_MAX ((size_t)1 << 30) /* of a file */

/* The first bytes of a fat binary, as NVIDIA's header fatBinary.h had them until CUDA 10. */
struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind the header */
};

struct CUmod_st {
    struct image_file *file;
    bool unloaded, of_library;
    struct module_kernel {
        struct CUmod_st *module;
        const struct binary_kernel *kernel;
    } * kernels;
    size_t count, capacity;
};

static CUmodule *modules;
static size_t module_count, module_capacity;

static CUmodule module_find(const void *handle)
{
    for (size_t i = 0; i < module_count; i++)
        if (modules[i] == handle && !modules[i]->unloaded)
            return modules[i];
    return NULL;
}

/* ---- loading ---- */
/* what: the file, or "a module". */
static CUresult refuse_machine_code(const char *what)
{
    return driver_result(
        standin_refuse("The program loads %.300s, which holds machine code only and no PTX, and the device "
                       "model runs PTX: give it PTX, or build it with -gencode "
                       "arch=compute_90,code=compute_90.",
                       what));
}

static enum status bytes_open(const void *bytes, struct image_file **file, struct error *error)
{
    const struct fatbin_header *header = bytes;

    return image_bytes_open(bytes, header->header_bytes + header->bytes, file, error);
}

static CUresult module_add(struct image_file *file, CUmodule *module)
{
    CUmodule made = calloc(1, sizeof *made);

    if (!made || !array_grow(modules, module_capacity, module_count, 1)) {
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->file = file;
    modules[module_count++] = *module = made;
    return CUDA_SUCCESS;
}

static CUresult image_check(enum status status, const struct image_file *file, const char *what,
                            const struct error *error)
{
    if (status != STATUS_OK)
        return driver_result(standin_refuse("%s", error->text));
    return *image_file_holds(file) ? CUDA_SUCCESS : refuse_machine_code(what);
}

/* What ptxas says first of a text; its instructions are looked at when a kernel of it is launched. */
static CUresult check_ptx(const char *text)
{
    const char *version = strstr(text, ".version"), *target = strstr(text, ".target"),
               *bits = strstr(text, ".address_size");
    unsigned major = 0, capability = 0;
    char suffix = 0;

    if (sscanf(version, ".version %u.", &major) == 1 && major > PTX_MAJOR_MOST)
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    if (!target || sscanf(target, ".target sm_%u%c", &capability, &suffix) < 1 ||
        capability > standin_info()->compute_capability ||
        (suffix == 'a' && capability != standin_info()->compute_capability))
        return CUDA_ERROR_INVALID_PTX;
    return bits && strtoul(bits + sizeof ".address_size", NULL, 10) == 32 ? CUDA_ERROR_INVALID_PTX
                                                                          : CUDA_SUCCESS;
}

static CUresult data_load(const void *image, CUmodule *module)
{
    const __fatBinC_Wrapper_t *wrapper = image;
    struct image_file *file = NULL;
    struct error error;
    enum status status;
    uint32_t magic;

    if (!image || !module)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&magic, image, strnlen(image, sizeof magic) < sizeof magic ? 0 : sizeof magic);
    if (strnlen(image, sizeof magic) < sizeof magic)
        return CUDA_ERROR_INVALID_IMAGE;
    if (memcmp(image, ELFMAG, SELFMAG) == 0 && ((const char *)image)[EI_CLASS] == 0)
        return CUDA_ERROR_INVALID_IMAGE; /* no more of it than these bytes */
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        return refuse_machine_code("a cubin");
    if (magic == FATBINC_MAGIC)
        status = bytes_open(wrapper->data, &file, &error);
    else if (magic == FATBIN_MAGIC)
        status = bytes_open(image, &file, &error);
    else if (strstr(image, ".version") && check_ptx(image))
        return check_ptx(image);
    else if (strstr(image, ".version"))
        status = image_text_open(image, strlen(image), &file, &error);
    else
        return CUDA_ERROR_INVALID_IMAGE;
    CUresult result = image_check(status, file, "a fat binary", &error);
    return result ? result : module_add(file, module);
}

/* A file that cannot be read is one that is not there; what is no regular file, /dev/null or a FIFO, is empty. */
static CUresult read_named(const char *path, char **bytes, size_t *size_bytes)
{
    struct stat facts;
    bool empty = path && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode);
    enum status status = STATUS_USAGE;

    *size_bytes = 0;
    if (empty)
        status = (*bytes = calloc(1, 1)) ? STATUS_OK : STATUS_MEMORY;
    else if (path)
        status = file_read(path, MODULE_BYTES_MAX, bytes, size_bytes, NULL);
    return status == STATUS_OK       ? CUDA_SUCCESS
           : status == STATUS_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                     : CUDA_ERROR_FILE_NOT_FOUND;
}

static CUresult file_load(const char *path, CUmodule *module)
{
    char *bytes;
    size_t used;
    struct image_file *file;
    struct error error;
    CUresult result = path && *path ? read_named(path, &bytes, &used) : CUDA_ERROR_INVALID_VALUE;

    if (result)
        return result;
    uint32_t magic = 0;
    memcpy(&magic, bytes, used < sizeof magic ? 0 : sizeof magic);
    if (memcmp(&magic, ELFMAG, SELFMAG) == 0) {
        result = refuse_machine_code(path);
    } else if (magic == FATBIN_MAGIC) {
        enum status status = image_bytes_open(bytes, used, &file, &error);
        result = image_check(status, file, path, &error);
        result = result ? result : module_add(file, module);
    } else {
        result = data_load(bytes, module);
    }
    free(bytes);
    return result;
}

static CUresult leave_driver(CUresult result)
{
    standin_leave(cudaSuccess);
    return result;
}

/* A library needs no context. */
static CUresult data_open(CUmodule *module, const void *image, bool needs_context)
{
    cudaError_t lost = needs_context ? standin_enter() : standin_enter_facts();

    return leave_driver(lost ? driver_result(lost) : data_load(image, module));
}

STANDIN_API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return data_open(module, image, true);
}

STANDIN_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                        CUjit_option *options, void **values)
{
    for (unsigned i = 0; i < count; i++) /* they tune ptxas, and ask for its messages */
        if (!options || !values || (unsigned)options[i] >= CU_JIT_NUM_OPTIONS)
            return CUDA_ERROR_INVALID_VALUE;
    return cuModuleLoadData(module, image);
}

STANDIN_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadData(module, image);
}

STANDIN_API CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    cudaError_t lost = standin_enter();

    return leave_driver(lost ? driver_result(lost) : file_load(path, module));
}

STANDIN_API CUresult cuModuleUnload(CUmodule module)
{
    cudaError_t lost = standin_enter();
    CUmodule found = module_find(module);

    if (!lost && found && found->of_library)
        return leave_driver(CUDA_ERROR_NOT_PERMITTED);
    if (!lost && found)
        found->unloaded = true;
    return leave_driver(lost ? driver_result(lost) : found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

STANDIN_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    const cudaError_t lost = standin_leave(standin_enter_facts());

    if (lost || !mode)
        return lost ? driver_result(lost) : CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

/* ---- what is in it ---- */
static CUresult kernel_of(CUmodule module, const char *name, const struct binary_kernel **kernel)
{
    if (!name || !*name)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < module->count; i++) {
        *kernel = module->kernels[i].kernel;
        if (strcmp(binary_kernel_name(*kernel), name) == 0)
            return CUDA_SUCCESS;
    }
    const char *image = image_of_entry(module->file, name, standin_info()->compute_capability);
    if (!image)
        return CUDA_ERROR_NOT_FOUND;
    if (!array_grow(module->kernels, module->capacity, module->count, 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *kernel = binary_kernel_add(image, name);
    if (!*kernel)
        return CUDA_ERROR_OUT_OF_MEMORY;
    module->kernels[module->count++] = (struct module_kernel){module, *kernel};
    return CUDA_SUCCESS;
}

static CUmodule module_of(const void *function)
{
    for (size_t i = 0; i < module_count; i++)
        for (size_t k = 0; k < modules[i]->count; k++)
            if (modules[i]->kernels[k].kernel == function)
                return modules[i];
    return NULL;
}

bool driver_unloaded(const void *function)
{
    (void)standin_enter(); /* other threads load modules */
    const struct CUmod_st *module = module_of(function);
    const bool unloaded = module && module->unloaded;

    leave_driver(CUDA_SUCCESS);
    return unloaded;
}

STANDIN_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    cudaError_t lost = standin_enter();
    CUmodule found = module_find(module);
    const struct binary_kernel *kernel = NULL;

    if (lost || !found || !function)
        return leave_driver(lost    ? driver_result(lost)
                            : found ? CUDA_ERROR_INVALID_VALUE
                                    : CUDA_ERROR_INVALID_HANDLE);
    CUresult result = kernel_of(found, name, &kernel);
    *function = result ? NULL : (CUfunction)(uintptr_t)kernel;
    return leave_driver(result);
}

STANDIN_API CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    cudaError_t lost = standin_enter();
    CUmodule found = module_find(module);
    device_pointer pointer;
    size_t size_bytes;
    struct error error;

    if (lost || !found)
        return leave_driver(lost ? driver_result(lost) : CUDA_ERROR_INVALID_HANDLE);
    if (!name || (!address && !bytes) ||
        image_of_entry(found->file, name, standin_info()->compute_capability))
        return leave_driver(CUDA_ERROR_INVALID_VALUE);
    const char *image =
        name ? image_of_variable(found->file, name, standin_info()->compute_capability) : NULL;
    if (!image)
        return leave_driver(CUDA_ERROR_NOT_FOUND);
    enum status status = simt_device_symbol(standin_device(), image, name, &pointer, &size_bytes, &error);
    if (status == STATUS_OK && address)
        *address = pointer;
    if (status == STATUS_OK && bytes)
        *bytes = size_bytes;
    return driver_result(standin_leave_status(status, &error));
}

/* ---- libraries ---- */
STANDIN_API CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                                       void **values, unsigned count, CUlibraryOption *library_options,
                                       void **library_values, unsigned library_count)
{
    CUmodule module = NULL;
    CUresult result = library ? data_open(&module, image, false) : CUDA_ERROR_INVALID_VALUE;

    if (!library)
        return result;
    (void)options, (void)values, (void)count, (void)library_options, (void)library_values,
        (void)library_count;
    if (module)
        module->of_library = true;
    *library = (CUlibrary)(uintptr_t)module;
    return result;
}

STANDIN_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                                           void **values, unsigned count, CUlibraryOption *library_options,
                                           void **library_values, unsigned library_count)
{
    CUmodule module = NULL;
    CUresult result = cuModuleLoad(&module, path);

    (void)options, (void)values, (void)count, (void)library_options, (void)library_values,
        (void)library_count;
    if (module)
        module->of_library = true;
    *library = (CUlibrary)(uintptr_t)module;
    return result;
}

STANDIN_API CUresult cuLibraryUnload(CUlibrary library)
{
    cudaError_t lost = standin_enter_facts();
    CUmodule found = module_find(library);

    for (size_t i = 0; i < module_count && !found && !lost; i++)
        if (modules[i] == (const void *)library)
            standin_crash("a library that was unloaded");
    if (found)
        found->unloaded = true;
    return leave_driver(lost ? driver_result(lost) : found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

STANDIN_API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    CUfunction function;

    if (!kernel)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = cuModuleGetFunction(&function, (CUmodule)(uintptr_t)library, name);

    *kernel = result ? NULL : (CUkernel)(uintptr_t)function;
    return result;
}

STANDIN_API CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    if (!module)
        return CUDA_ERROR_INVALID_VALUE;
    *module = (CUmodule)(uintptr_t)library;
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                        const char *name)
{
    return cuModuleGetGlobal(address, bytes, (CUmodule)(uintptr_t)library, name);
}

STANDIN_API CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)(uintptr_t)kernel;
    return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

STANDIN_API CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    if (!module || !function)
        return CUDA_ERROR_INVALID_VALUE;
    standin_enter_closed();
    *module = module_of(function);
    return leave_driver(*module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}

STANDIN_API CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    CUmodule module;
    CUresult result = cuFuncGetModule(&module, (CUfunction)(uintptr_t)kernel);

    *library = (CUlibrary)(uintptr_t)module;
    return result;
}

/* ---- the linker ---- */

/*
 * Linking by the driver API: PTX texts become one, which cuLinkComplete gives out in place of a cubin, and
 * modules take. libcudadevrt is machine code: what Numba calls of it is here as PTX.
 */

/* The barrier of a grid, which cudaCGGetIntrinsicHandle finds as cooperative_groups does: behind its size, a
 * word whose highest bit changes when the last block has come. */
static const char device_library[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{\n"
    " .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;\n"
    " ld.param.b32 %r1, [scope];\n"
    " mov.u32 %r2, %envreg2;\n"
    " mov.u32 %r3, %envreg1;\n"
    " mov.b64 %d, {%r2, %r3};\n"
    " setp.eq.u32 %p, %r1, 1;\n" /* cudaCGScopeGrid */
    " selp.b64 %d, %d, 0, %p;\n"
    " st.param.b64 [result], %d;\n"
    " ret;\n"
    "}\n"
    ".visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n"
    "{\n"
    " .reg .pred %p; .reg .b32 %r<10>; .reg .b64 %d;\n"
    " ld.param.b64 %d, [handle];\n"
    " mov.u32 %r1, 1;\n" /* cudaErrorInvalidValue */
    " setp.eq.u64 %p, %d, 0;\n"
    " @%p bra END;\n"
    " barrier.sync 0;\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
    " or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3;\n"
    " setp.ne.u32 %p, %r1, 0;\n"
    " @%p bra TOGETHER;\n"
    " mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %nctaid.z;\n"
    " mul.lo.u32 %r1, %r1, %r2; mul.lo.u32 %r1, %r1, %r3;\n"
    " mov.u32 %r2, 0x80000001; sub.u32 %r1, %r2, %r1;\n"
    " mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ctaid.z;\n"
    " or.b32 %r2, %r2, %r3; or.b32 %r2, %r2, %r4;\n"
    " setp.eq.u32 %p, %r2, 0;\n"
    " selp.b32 %r1, %r1, 1, %p;\n"
    " fence.acq_rel.gpu;\n"
    " atom.add.u32 %r2, [%d+4], %r1;\n"
    "WAIT:\n"
    " ld.acquire.gpu.u32 %r3, [%d+4];\n"
    " xor.b32 %r3, %r3, %r2;\n"
    " setp.ge.s32 %p, %r3, 0;\n"
    " @%p bra WAIT;\n"
    "TOGETHER:\n"
    " barrier.sync 0;\n"
    " mov.u32 %r1, 0;\n"
    "END:\n"
    " st.param.b32 [result], %r1;\n"
    " ret;\n"
    "}\n";

struct CUlinkState_st {
    struct ptx_text *texts;
    size_t count, capacity;
    char *linked; /* NULL: not complete */
};

/* Nothing is written to the logs. */
static void log_empty(unsigned count, const CUjit_option *options, void **values)
{
    for (unsigned i = 0; i < count; i++)
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
            options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            values[i] = NULL;
}

STANDIN_API CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *link)
{
    cudaError_t lost = standin_leave(standin_enter());

    if (lost || !link)
        return lost ? driver_result(lost) : CUDA_ERROR_INVALID_VALUE;
    log_empty(count, options, values);
    *link = calloc(1, sizeof **link);
    return *link ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The driver's linker, as nvJitLink, translates what it links as relocatable code. */
static CUresult text_add(CUlinkState link, const char *data, size_t bytes, const char *name)
{
    char *copy = NULL;
    int length = asprintf(&copy, "%.*s\n" PTX_RELOCATABLE "\n", (int)strnlen(data, bytes), data);

    (void)name;
    if (length < 0 || !array_grow(link->texts, link->capacity, link->count, 1)) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    link->texts[link->count++] = (struct ptx_text){.text = copy, .size_bytes = (size_t)length};
    return CUDA_SUCCESS;
}

STANDIN_API CUresult cuLinkAddData(CUlinkState link, CUjitInputType type, void *data, size_t bytes,
                                   const char *name, unsigned count, CUjit_option *options, void **values)
{
    cudaError_t lost = standin_enter();
    CUresult result;

    (void)count, (void)options, (void)values;
    if (lost)
        result = driver_result(lost);
    else if (!link || !data || bytes == 0 || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (type == CU_JIT_INPUT_LIBRARY && name && strstr(name, "cudadevrt"))
        result = text_add(link, device_library, sizeof device_library, name);
    else if (type != CU_JIT_INPUT_PTX)
        result = driver_result(
            standin_refuse("The program links %.200s, which is no PTX: the device model's linker takes "
                           "PTX only.",
                           name ? name : "a module"));
    else
        result = text_add(link, data, bytes, name);
    standin_leave(cudaSuccess);
    return result;
}

STANDIN_API CUresult cuLinkAddFile(CUlinkState link, CUjitInputType type, const char *path, unsigned count,
                                   CUjit_option *options, void **values)
{
    char *bytes;
    size_t used;
    CUresult result = read_named(path, &bytes, &used);

    if (result)
        return result;
    result = cuLinkAddData(link, type, bytes, used, path, count, options, values);
    free(bytes);
    return result;
}

STANDIN_API CUresult cuLinkComplete(CUlinkState link, void **cubin, size_t *bytes)
{
    cudaError_t lost = standin_enter();
    size_t size_bytes = 0;
    struct error error;

    if (lost || !link)
        return driver_result(standin_leave(lost ? lost : cudaErrorInvalidResourceHandle));
    if (!link->linked) {
        enum status status =
            link->count > 1 ? ptx_link(link->texts, (uint32_t)link->count, &link->linked, &size_bytes, &error)
                            : STATUS_OK;
        if (status == STATUS_OK && link->count <= 1)
            link->linked = strdup(link->count ? link->texts[0].text : "");
        if (status != STATUS_OK)
            return driver_result(standin_leave_status(status, &error));
    }
    if (!link->linked)
        return driver_result(standin_leave(cudaErrorMemoryAllocation));
    *cubin = link->linked;
    if (bytes)
        *bytes = strlen(link->linked) + 1;
    return driver_result(standin_leave(cudaSuccess));
}

STANDIN_API CUresult cuLinkDestroy(CUlinkState link)
{
    if (!link)
        return CUDA_ERROR_INVALID_HANDLE;
    for (size_t i = 0; i < link->count; i++)
        free((char *)(uintptr_t)link->texts[i].text);
    free(link->texts);
    free(link->linked);
    free(link);
    return CUDA_SUCCESS;
}
