/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One profiler object, one plan and one counter-data image with a single range, which is cleared when it
 * is made and after each measurement.
 */
#include "cupti/profiler/ranges.h"

#include <stdlib.h>
#include <string.h>

struct ranges {
    const struct cupti *cupti;
    CUpti_RangeProfiler_Object *object;
    struct plan *plan;
    uint8_t *image; /* counter data of one range */
    size_t image_bytes;
};

/* Tries all in one go: the first failure gives the sentence. */
static enum status check_result(const struct ranges *ranges, CUptiResult result, const char *what,
                                struct error *error)
{
    return result == CUPTI_SUCCESS ? STATUS_OK : cupti_error(ranges->cupti, result, what, error);
}

/* The counters that the GPU allows now: *image, to be freed. Takes 0.1 s. */
static enum status ask_availability(const struct ranges *ranges, CUcontext context, uint8_t **image,
                                    struct error *error)
{
    const struct cupti *cupti = ranges->cupti;
    CUpti_Profiler_GetCounterAvailability_Params available = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = context};
    enum status status = check_result(ranges, cupti->cuptiProfilerGetCounterAvailability(&available),
                                      "Querying the counters", error);
    if (status != STATUS_OK)
        return status;
    *image = malloc(available.counterAvailabilityImageSize);
    available.pCounterAvailabilityImage = *image;
    if (!*image)
        return error_no_memory(error, "for the list of counters");
    return check_result(ranges, cupti->cuptiProfilerGetCounterAvailability(&available),
                        "Querying the counters", error);
}

static enum status make_plan(struct ranges *ranges, uint32_t device, const char *metrics,
                             enum metric_share share, const uint8_t *availability, struct error *error)
{
    const struct cupti *cupti = ranges->cupti;
    const char *names[PLAN_MAX_METRICS];
    char *list = strdup(metrics);
    if (!list)
        return error_no_memory(error, "for the list of counters");
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = device};
    enum status status =
        check_result(ranges, cupti->cuptiDeviceGetChipName(&chip), "Querying the GPU's chip", error);
    if (status == STATUS_OK) {
        const struct plan_request request = {
            .cupti_path = cupti->path,
            .chip = chip.pChipName,
            .names = names,
            .count = metric_choose_counters(list, chip.pChipName, share, names, PLAN_MAX_METRICS),
            .availability = availability};
        status = plan_create(&ranges->plan, &request, error);
    }
    free(list);
    return status;
}

static enum status image_clear(struct ranges *ranges, struct error *error)
{
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params params = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = ranges->object,
        .counterDataSize = ranges->image_bytes,
        .pCounterData = ranges->image};
    return check_result(ranges, ranges->cupti->cuptiRangeProfilerCounterDataImageInitialize(&params),
                        "Preparing the counters' memory", error);
}

static enum status configure_ranges(struct ranges *ranges, struct error *error)
{
    const struct cupti *cupti = ranges->cupti;
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = ranges->object,
        .pMetricNames = plan_names(ranges->plan),
        .numMetrics = plan_count(ranges->plan),
        .maxNumOfRanges = 1,
        .maxNumRangeTreeNodes = 1};
    enum status status = check_result(ranges, cupti->cuptiRangeProfilerGetCounterDataSize(&size),
                                      "Querying the memory for the counters", error);
    if (status != STATUS_OK)
        return status;
    ranges->image_bytes = size.counterDataSize;
    ranges->image = calloc(1, ranges->image_bytes ? ranges->image_bytes : 1);
    if (!ranges->image)
        return error_no_memory(error, "for the counters (%zu bytes)", ranges->image_bytes);
    status = image_clear(ranges, error);
    if (status != STATUS_OK)
        return status;
    CUpti_RangeProfiler_SetConfig_Params config = {.structSize =
                                                       CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                                   .pRangeProfilerObject = ranges->object,
                                                   .counterDataImageSize = ranges->image_bytes,
                                                   .pCounterDataImage = ranges->image,
                                                   .range = CUPTI_AutoRange,
                                                   .replayMode = CUPTI_KernelReplay,
                                                   .maxRangesPerPass = 1,
                                                   .numNestingLevels = 1,
                                                   .minNestingLevel = 1};
    config.pConfig = plan_config(ranges->plan, &config.configSize);
    return check_result(ranges, cupti->cuptiRangeProfilerSetConfig(&config), "Configuring the counters",
                        error);
}

/* availability: first query which counters this GPU allows. */
static enum status open_ranges(struct ranges **ranges, const struct cupti *cupti, CUcontext context,
                               uint32_t device, const char *metrics, enum metric_share share,
                               bool availability, struct error *error)
{
    uint8_t *image = NULL;
    struct ranges *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for the counters");
    made->cupti = cupti;
    /* Must come first: without it cuptiDeviceGetChipName crashes. */
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_RangeProfiler_Enable_Params enable = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                                .ctx = context};
    enum status status =
        check_result(made, cupti->cuptiProfilerInitialize(&start), "Starting CUPTI's profiler", error);
    if (status == STATUS_OK && availability)
        status = ask_availability(made, context, &image, error);
    if (status == STATUS_OK)
        status = make_plan(made, device, metrics, share, image, error);
    free(image);
    if (status != STATUS_OK)
        goto fail;
    status = check_result(made, cupti->cuptiRangeProfilerEnable(&enable), "Enabling the counters", error);
    if (status != STATUS_OK)
        goto fail;
    made->object = enable.pRangeProfilerObject;
    status = configure_ranges(made, error);
    if (status != STATUS_OK)
        goto fail;
    *ranges = made;
    return STATUS_OK;

fail:
    ranges_close(made, true);
    return status;
}

/* A whole GPU allows all its counters. If a GPU does not accept them all, it is queried for those it has. */
enum status ranges_open(struct ranges **ranges, const struct cupti *cupti, CUcontext context, uint32_t device,
                        const char *metrics, enum metric_share share, struct error *error)
{
    enum status status = open_ranges(ranges, cupti, context, device, metrics, share, false, error);
    if (status == STATUS_DEVICE || status == STATUS_UNSUPPORTED)
        status = open_ranges(ranges, cupti, context, device, metrics, share, true, error);
    return status;
}

void ranges_close(struct ranges *ranges, bool detach)
{
    if (!ranges)
        return;
    if (detach && ranges->object) {
        CUpti_RangeProfiler_Disable_Params params = {.structSize =
                                                         CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                                     .pRangeProfilerObject = ranges->object};
        ranges->cupti->cuptiRangeProfilerDisable(&params);
    }
    plan_destroy(ranges->plan);
    free(ranges->image);
    free(ranges);
}

const struct plan *ranges_plan(const struct ranges *ranges)
{
    return ranges->plan;
}

enum status ranges_begin(struct ranges *ranges, struct error *error)
{
    CUpti_RangeProfiler_Start_Params params = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                               .pRangeProfilerObject = ranges->object};
    return check_result(ranges, ranges->cupti->cuptiRangeProfilerStart(&params), "Starting the counters",
                        error);
}

void ranges_abandon(struct ranges *ranges)
{
    CUpti_RangeProfiler_Stop_Params stop = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = ranges->object};
    ranges->cupti->cuptiRangeProfilerStop(&stop);
}

enum status ranges_end(struct ranges *ranges, double *values, struct error *error)
{
    const struct cupti *cupti = ranges->cupti;
    CUpti_RangeProfiler_Stop_Params stop = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = ranges->object};
    CUpti_RangeProfiler_DecodeData_Params decode = {.structSize =
                                                        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
                                                    .pRangeProfilerObject = ranges->object};
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = ranges->image,
        .counterDataImageSize = ranges->image_bytes};
    enum status status =
        check_result(ranges, cupti->cuptiRangeProfilerStop(&stop), "Stopping the counters", error);
    if (status == STATUS_OK && !stop.isAllPassSubmitted)
        status = error_set(error, STATUS_DEVICE, "CUPTI did not replay the kernel in all %zu passes.",
                           plan_passes(ranges->plan));
    if (status == STATUS_OK)
        status =
            check_result(ranges, cupti->cuptiRangeProfilerDecodeData(&decode), "Reading the counters", error);
    if (status == STATUS_OK)
        status = check_result(ranges, cupti->cuptiRangeProfilerGetCounterDataInfo(&info),
                              "Reading the counters", error);
    if (status == STATUS_OK && (info.numTotalRanges != 1 || decode.numOfRangeDropped))
        status = error_set(error, STATUS_DEVICE, "CUPTI gave %zu measured ranges for one launch.",
                           info.numTotalRanges);
    if (status == STATUS_OK)
        status = plan_evaluate(ranges->plan, ranges->image, ranges->image_bytes, 0, values, error);
    struct error ignored;
    enum status cleared = image_clear(ranges, status == STATUS_OK ? error : &ignored);
    return status == STATUS_OK ? cleared : status;
}
