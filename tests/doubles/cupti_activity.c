/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The double's activity records: a kernel's, once it has run and somebody flushes. Kernels run one after the
 * other, each for CUPTI_DOUBLE_KERNEL_US (1000) from its launch or the end of the one before.
 */
#include "cupti/load/load.h"
#include "tests/doubles/cupti_double.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNELS 1024

static struct {
    pthread_mutex_t lock;
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    cupti_kernel_record kernels[KERNELS];
    size_t count, flushed;
    uint64_t busy_until_ns;
    int on;
} activity = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cupti_double_ran(const char *name, unsigned blocks, unsigned correlation)
{
    const char *text = getenv("CUPTI_DOUBLE_KERNEL_US");
    uint64_t start_ns = now_ns(), length_ns = (text ? strtoull(text, NULL, 10) : 1000) * 1000;
    pthread_mutex_lock(&activity.lock);
    if (activity.on && activity.count < KERNELS) {
        if (start_ns < activity.busy_until_ns)
            start_ns = activity.busy_until_ns;
        activity.busy_until_ns = start_ns + length_ns;
        activity.kernels[activity.count++] =
            (cupti_kernel_record){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                  .start = start_ns,
                                  .end = start_ns + length_ns,
                                  .gridX = (int32_t)blocks,
                                  .gridY = 1,
                                  .gridZ = 1,
                                  .blockX = 32,
                                  .blockY = 1,
                                  .blockZ = 1,
                                  .name = name,
                                  .correlationId = correlation,
                                  .contextId = 1,
                                  .streamId = 7};
    }
    pthread_mutex_unlock(&activity.lock);
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    (void)type;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    activity.request = request;
    activity.complete = complete;
    return CUPTI_SUCCESS;
}

static CUptiResult turn(CUpti_ActivityKind kind, int on)
{
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        activity.on = on;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    return turn(kind, 1);
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    return turn(kind, 0);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    *dropped = 0;
    return CUPTI_SUCCESS;
}

/* Hands over what has run; with `flag` also what still does. */
CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0, used = 0;
    pthread_mutex_lock(&activity.lock);
    while (activity.flushed < activity.count &&
           (flag || activity.kernels[activity.flushed].end <= now_ns())) {
        const cupti_kernel_record *kernel = &activity.kernels[activity.flushed];
        if (!buffer)
            activity.request(&buffer, &size, &most);
        if (!buffer || used + sizeof *kernel > size)
            break;
        memcpy(buffer + used, kernel, sizeof *kernel);
        used += sizeof *kernel;
        activity.flushed++;
    }
    pthread_mutex_unlock(&activity.lock);
    if (buffer)
        activity.complete(NULL, 0, buffer, size, used);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof(cupti_kernel_record) : buffer;
    if (next + sizeof(cupti_kernel_record) > buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}
