/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The double's range profiler, and as much of the host API as that needs: a range per launch between Start
 * and Stop, whose metric m counts 1000 x blocks + m. As on an H200, a GPU counts in the context that was
 * started first until that is disabled, and a Start while a stream is captured breaks the program's graph:
 * here it ends the program with 7.
 *
 * CUPTI_DOUBLE_UNKNOWN=NAME: the chip does not have that metric. More than five metrics take four passes,
 * others one.
 */
#include "tests/doubles/cupti_double.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OBJECTS 8

struct CUpti_RangeProfiler_Object {
    CUcontext context;
    int enabled, configured, started;
    unsigned ranges, blocks;
    uint8_t *image;
};

struct image {
    unsigned ranges, blocks;
};

static struct CUpti_RangeProfiler_Object objects[OBJECTS], *counting;
static size_t host_metrics;

/* ---- the host API ---- */

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
    params->pHostObject = (CUpti_Profiler_Host_Object *)(void *)&host_metrics;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
    const char *unknown = getenv("CUPTI_DOUBLE_UNKNOWN");
    for (size_t i = 0; unknown && i < params->numMetrics; i++)
        if (strcmp(params->ppMetricNames[i], unknown) == 0)
            return CUPTI_ERROR_INVALID_METRIC_NAME;
    host_metrics = params->numMetrics;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
    params->configImageSize = 16;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
    memset(params->pConfigImage, (int)host_metrics, params->configImageSize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
    params->numOfPasses = *params->pConfigImage > 5 ? 4 : 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
    const struct image *image = (const void *)params->pCounterDataImage;
    for (size_t m = 0; m < params->numMetrics; m++)
        params->pMetricValues[m] = 1000.0 * image->blocks + (double)m;
    return (CUptiResult)cupti_double_fault("cuptiProfilerHostEvaluateToGpuValues");
}

/* ---- the range profiler ---- */

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *params)
{
    params->counterAvailabilityImageSize = 16;
    return counting && counting->context != params->ctx
               ? CUPTI_ERROR_HARDWARE_BUSY
               : (CUptiResult)cupti_double_fault("cuptiProfilerGetCounterAvailability");
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params)
{
    int answer = cupti_double_fault("cuptiRangeProfilerEnable");
    for (size_t i = 0; i < OBJECTS && !answer; i++) {
        if (objects[i].enabled)
            continue;
        objects[i] = (struct CUpti_RangeProfiler_Object){.context = params->ctx, .enabled = 1};
        params->pRangeProfilerObject = &objects[i];
        return CUPTI_SUCCESS;
    }
    return answer ? (CUptiResult)answer : CUPTI_ERROR_OUT_OF_MEMORY;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params)
{
    if (counting == params->pRangeProfilerObject)
        counting = NULL;
    params->pRangeProfilerObject->enabled = 0;
    return (CUptiResult)cupti_double_fault("cuptiRangeProfilerDisable");
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
    params->counterDataSize = sizeof(struct image);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params)
{
    memset(params->pCounterData, 0, params->counterDataSize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params)
{
    params->pRangeProfilerObject->configured = 1;
    params->pRangeProfilerObject->image = params->pCounterDataImage;
    return (CUptiResult)cupti_double_fault("cuptiRangeProfilerSetConfig");
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params)
{
    struct CUpti_RangeProfiler_Object *object = params->pRangeProfilerObject;
    int answer = cupti_double_fault("cuptiRangeProfilerStart");
    if (cupti_double_captures() > 0)
        _exit(7);
    if (answer)
        return (CUptiResult)answer;
    if (counting && counting != object)
        return CUPTI_ERROR_HARDWARE_BUSY;
    if (!object->enabled || !object->configured || object->started)
        return CUPTI_ERROR_INVALID_OPERATION;
    counting = object;
    object->started = 1;
    object->ranges = 0;
    return CUPTI_SUCCESS;
}

int cupti_double_counts(size_t context, unsigned blocks)
{
    if (!counting || !counting->started || counting->context != (CUcontext)context)
        return 0;
    counting->ranges++;
    counting->blocks = blocks;
    return 1;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *params)
{
    params->pRangeProfilerObject->started = 0;
    params->isAllPassSubmitted = 1;
    return (CUptiResult)cupti_double_fault("cuptiRangeProfilerStop");
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *params)
{
    struct CUpti_RangeProfiler_Object *object = params->pRangeProfilerObject;
    struct image *image = (void *)object->image;
    image->ranges += object->ranges;
    image->blocks = object->blocks;
    params->numOfRangeDropped = 0;
    return (CUptiResult)cupti_double_fault("cuptiRangeProfilerDecodeData");
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
    params->numTotalRanges = ((const struct image *)(const void *)params->pCounterDataImage)->ranges;
    return CUPTI_SUCCESS;
}
