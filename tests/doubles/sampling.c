/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcupti.so.13 in tests: PM sampling of a GPU that samples by the clock, and of the host API as much as
 * that needs. Every other function says that it is not supported. Samples have values that tests know: metric
 * m of the sample that began k intervals after 1970 is 100 m + k % 100; every tenth sample has no metric 2.
 *
 * What goes wrong is said by the environment:
 *   LANESCOPE_DOUBLE_CHIP=NAME         the chip; GH100
 *   LANESCOPE_DOUBLE_BUSY=FILE         while the file is there, somebody else has the counters
 *   LANESCOPE_DOUBLE_FORBIDDEN=1       this user may not read counters
 *   LANESCOPE_DOUBLE_BROKEN=1          decoding fails
 *   LANESCOPE_DOUBLE_DECODE_US=N       decoding a sample costs so much
 *   LANESCOPE_DOUBLE_HELD_MS=N         the fifth decode is held up so long before it looks
 *   LANESCOPE_DOUBLE_ROOM=N            the hardware's buffer holds so many samples
 *   LANESCOPE_DOUBLE_TIMES=FILE        a line is added for each Enable, Start, Stop and Disable
 */
#include "cupti/load/load.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct slot {
    uint64_t start_ns, end_ns;
};

struct image {
    uint64_t slots, count;
    struct slot slot[];
};

struct CUpti_PmSampling_Object {
    uint64_t interval_ns, begun_ns; /* begun: when the counters were last reset */
    uint64_t next_ns;               /* start of the next sample */
    uint64_t until_ns;              /* stopped; 0: running */
    size_t image_bytes;             /* the size asked for last: other images cannot be cleared */
    bool configured, first, running, lost;
};

static struct CUpti_PmSampling_Object only;
static bool enabled;
static uint64_t decodes;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void note(const char *what)
{
    const char *path = getenv("LANESCOPE_DOUBLE_TIMES");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    dprintf(fd, "%s %llu\n", what, (unsigned long long)now_ns());
    close(fd);
}

static bool busy(void)
{
    const char *path = getenv("LANESCOPE_DOUBLE_BUSY");
    return path && access(path, F_OK) == 0;
}

/* ---- what every user needs ---- */

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_OLDEST;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : "CUPTI_ERROR_OF_THE_DOUBLE";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
    const char *chip = getenv("LANESCOPE_DOUBLE_CHIP");
    params->pChipName = chip ? chip : "GH100";
    return CUPTI_SUCCESS;
}

/* ---- the host API: every name is known and all fit one pass ---- */

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
    params->pHostObject = (CUpti_Profiler_Host_Object *)(void *)&only;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
    params->configImageSize = 16;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
    memset(params->pConfigImage, 1, params->configImageSize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
    params->numOfPasses = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
    const struct image *image = (const void *)params->pCounterDataImage;
    uint64_t k = image->slot[params->rangeIndex].start_ns / only.interval_ns;
    for (size_t m = 0; m < params->numMetrics; m++)
        params->pMetricValues[m] = m == 2 && k % 10 == 0 ? NAN : 100.0 * (double)m + (double)(k % 100);
    return CUPTI_SUCCESS;
}

/* ---- PM sampling ---- */

CUptiResult cuptiPmSamplingGetCounterAvailability(CUpti_PmSampling_GetCounterAvailability_Params *params)
{
    params->counterAvailabilityImageSize = 16;
    return busy() ? CUPTI_ERROR_HARDWARE_BUSY : CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *params)
{
    if (number("LANESCOPE_DOUBLE_FORBIDDEN", 0))
        return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    if (enabled)
        return CUPTI_ERROR_INVALID_OPERATION;
    note("enable");
    enabled = true;
    only = (struct CUpti_PmSampling_Object){.begun_ns = now_ns() - 1000000000};
    params->pPmSamplingObject = &only;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params *params)
{
    if (!enabled || params->pPmSamplingObject != &only)
        return CUPTI_ERROR_INVALID_OPERATION;
    note("disable");
    enabled = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *params)
{
    if (!enabled)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (busy())
        return CUPTI_ERROR_HARDWARE_BUSY;
    if (!only.configured) /* a second interval is taken without a word and changes nothing */
        only.interval_ns = params->samplingInterval;
    only.configured = true;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *params)
{
    (void)params;
    if (!only.configured || only.running)
        return CUPTI_ERROR_INVALID_OPERATION;
    note("start");
    only.running = only.first = true;
    only.lost = false;
    only.until_ns = 0;
    only.next_ns = now_ns() / only.interval_ns * only.interval_ns + only.interval_ns;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params *params)
{
    (void)params;
    if (!only.running)
        return CUPTI_ERROR_INVALID_OPERATION;
    note("stop");
    only.running = false;
    only.until_ns = only.begun_ns = now_ns();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *params)
{
    only.image_bytes = params->counterDataSize =
        sizeof(struct image) + params->maxSamples * sizeof(struct slot);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params *params)
{
    struct image *image = (void *)params->pCounterData;
    if (params->counterDataSize != only.image_bytes)
        return CUPTI_ERROR_UNKNOWN;
    image->slots = (params->counterDataSize - sizeof *image) / sizeof(struct slot);
    image->count = 0;
    return CUPTI_SUCCESS;
}

/* What an image has no room for is lost. */
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *params)
{
    struct image *image = (void *)params->pCounterDataImage;
    if (number("LANESCOPE_DOUBLE_BROKEN", 0))
        return CUPTI_ERROR_UNKNOWN;
    uint64_t held_ms = ++decodes == 5 ? number("LANESCOPE_DOUBLE_HELD_MS", 0) : 0;
    const struct timespec held = {.tv_sec = (time_t)(held_ms / 1000),
                                  .tv_nsec = (long)(held_ms % 1000 * 1000000)};
    nanosleep(&held, NULL);
    uint64_t until_ns = only.until_ns ? only.until_ns : now_ns();
    uint64_t waiting = until_ns > only.next_ns ? (until_ns - only.next_ns) / only.interval_ns : 0;
    params->overflow = only.lost |= waiting > number("LANESCOPE_DOUBLE_ROOM", UINT64_MAX);
    if (only.lost)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    params->decodeStopReason = waiting > image->slots ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                                      : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    for (uint64_t i = 0; i < waiting; i++) {
        struct slot slot = {only.next_ns, only.next_ns + only.interval_ns};
        only.next_ns = slot.end_ns;
        if (only.first)
            slot.start_ns = only.begun_ns;
        only.first = false;
        if (image->count < image->slots)
            image->slot[image->count++] = slot;
    }
    const struct timespec cost = {
        .tv_nsec = (long)(number("LANESCOPE_DOUBLE_DECODE_US", 0) * image->count * 1000 % 1000000000),
        .tv_sec = (time_t)(number("LANESCOPE_DOUBLE_DECODE_US", 0) * image->count / 1000000)};
    nanosleep(&cost, NULL);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *params)
{
    const struct image *image = (const void *)params->pCounterDataImage;
    params->numTotalSamples = image->slots;
    params->numPopulatedSamples = params->numCompletedSamples = image->count;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)
{
    const struct image *image = (const void *)params->pCounterDataImage;
    params->startTimestamp = image->slot[params->sampleIndex].start_ns;
    params->endTimestamp = image->slot[params->sampleIndex].end_ns;
    return CUPTI_SUCCESS;
}
