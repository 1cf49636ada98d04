/* Linking by the driver API: PTX texts become one, which cuLinkComplete gives out in place of a cubin, and
 * modules take. libcudadevrt is machine code: what Numba calls of it is here as PTX. */
#include "standin/driver.h"

#include "core/base/array.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    FILE *stream = path ? fopen(path, "rbe") : NULL;
    char *bytes = NULL;
    size_t used = 0, room = 0;

    if (!stream)
        return CUDA_ERROR_FILE_NOT_FOUND;
    ssize_t length = getdelim(&bytes, &room, EOF, stream);
    used = length > 0 ? (size_t)length : 0;
    fclose(stream);
    CUresult result = bytes ? cuLinkAddData(link, type, bytes, used, path, count, options, values)
                            : CUDA_ERROR_OUT_OF_MEMORY;
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
