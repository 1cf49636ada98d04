/* Linking by the driver API: PTX texts become one, which cuLinkComplete gives out in place of a cubin, and
 * modules take. */
#include "standin/driver.h"

#include "core/base/array.h"
#include "simt/ptx/ptx_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

    if (lost)
        return driver_result(lost);
    log_empty(count, options, values);
    *link = calloc(1, sizeof **link);
    return *link ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult text_add(CUlinkState link, const char *data, size_t bytes, const char *name)
{
    size_t length = strnlen(data, bytes);
    char *copy = strndup(data, length);

    (void)name;
    if (!copy || !array_grow(link->texts, link->capacity, link->count, 1)) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    link->texts[link->count++] = (struct ptx_text){.text = copy, .size_bytes = length};
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
    else if (!link || !data)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (type == CU_JIT_INPUT_LIBRARY && name && strstr(name, "cudadevrt"))
        result = CUDA_SUCCESS; /* a kernel that calls what the model lacks of it is refused */
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

    if (lost || !link || link->count == 0)
        return driver_result(standin_leave(lost ? lost : cudaErrorInvalidValue));
    if (!link->linked) {
        enum status status =
            link->count > 1 ? ptx_link(link->texts, (uint32_t)link->count, &link->linked, &size_bytes, &error)
                            : STATUS_OK;
        if (status == STATUS_OK && link->count == 1)
            link->linked = strdup(link->texts[0].text);
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
    for (size_t i = 0; link && i < link->count; i++)
        free((char *)(uintptr_t)link->texts[i].text);
    if (link) {
        free(link->texts);
        free(link->linked);
    }
    free(link);
    return CUDA_SUCCESS;
}
