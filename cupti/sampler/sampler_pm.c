/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of four sizes, made when first needed. CUPTI remembers the image whose size was asked for last
 * and clears no other one, hence `asked`. A sample that begins later than the one before it ended says
 * that samples were lost.
 */
#include "cupti/sampler/sampler_pm.h"

#include <stdlib.h>
#include <string.h>

/* ---- series ---- */

/*
 * A table of counters in order of priority, each with its names on different chips. In this order, each
 * counter is chosen if it fits into one pass together with those chosen before it.
 */

#define NAMES_MAX 3

/* A SAMPLE event carries ten numbers, so there are at most ten wishes. */
static const char *const wishes[][NAMES_MAX] = {
    {"sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"dram__read_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram__write_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"lts__t_sectors.sum"},
    /* GB10x has these in its triage group only. */
    {"pcie__read_bytes.sum", "PCI.TriageCompute.pcie__read_bytes.sum"},
    {"pcie__write_bytes.sum", "PCI.TriageCompute.pcie__write_bytes.sum"},
    /* The plain name takes another pass on chips that have the real-time one. */
    {"sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
};

#define WISHES (sizeof wishes / sizeof *wishes)

/* Can the chip be sampled at intervals of time? STATUS_UNSUPPORTED, with the reason. */
static enum status sampler_chip_check(const char *chip, struct error *error)
{
    /* CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL, in cupti_pmsampling.h: GA10x and later. */
    if (strncmp(chip, "GV", 2) == 0)
        return error_set(
            error, STATUS_UNSUPPORTED,
            "Chip %s cannot sample its counters over time; the first chip that can is Ampere's GA10x.", chip);
    if (strncmp(chip, "TU", 2) == 0 || strcmp(chip, "GA100") == 0)
        return error_set(error, STATUS_UNSUPPORTED,
                         "Chip %s samples its counters by its own clock, which varies in frequency, and not "
                         "by time, as Ampere's GA10x and later chips do.",
                         chip);
    return STATUS_OK;
}

/* The plan for these names; NULL if one is unknown or they need more than one pass. */
static struct plan *plan_if_it_fits(const struct plan_request *request, struct error *error)
{
    struct plan *plan;
    if (plan_create(&plan, request, error) != STATUS_OK)
        return NULL;
    if (plan_left_out_count(plan) == 0 && plan_passes(plan) == 1)
        return plan;
    plan_destroy(plan);
    return NULL;
}

enum status sampler_plan(struct plan **plan, const char *cupti_path, const char *chip,
                         const uint8_t *availability, struct error *error)
{
    const char *names[WISHES];
    struct plan_request request = {.cupti_path = cupti_path,
                                   .chip = chip,
                                   .names = names,
                                   .count = WISHES,
                                   .sampling = true,
                                   .availability = availability};
    struct error why = {0};
    enum status status = sampler_chip_check(chip, error);
    *plan = NULL;
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < WISHES; i++)
        names[i] = wishes[i][0];
    *plan = plan_if_it_fits(&request, &why);
    if (*plan)
        return STATUS_OK;
    request.count = 0;
    for (size_t i = 0; i < WISHES; i++) {
        for (size_t k = 0; k < NAMES_MAX && wishes[i][k]; k++) {
            names[request.count++] = wishes[i][k];
            struct plan *longer = plan_if_it_fits(&request, &why);
            if (longer) {
                plan_destroy(*plan);
                *plan = longer;
                break;
            }
            request.count--;
        }
    }
    if (*plan)
        return STATUS_OK;
    return error_set(error, why.status == STATUS_OK ? STATUS_UNSUPPORTED : why.status,
                     "Chip %s has no counters that can be sampled over time%s%s", chip,
                     why.status == STATUS_OK ? "." : ": ", why.status == STATUS_OK ? "" : why.text);
}

/* ---- PM sampling ---- */

/* Clearing an image takes 5 us per slot, so there are small images for few samples. */
#define IMAGES 4
static const uint32_t slots_of[IMAGES] = {64, 256, 1024, 4096};

struct pm {
    const struct cupti *cupti;
    struct plan *plan;
    CUpti_PmSampling_Object *object;
    struct image {
        uint8_t *bytes; /* NULL: not needed so far */
        size_t size_bytes;
    } images[IMAGES];
    size_t asked; /* the image whose size was queried last: no other one can be cleared */
    double *values;
    uint64_t interval_ns;
    int64_t previous_end_ns; /* of the sample before, in this start; 0: none yet */
    bool started;
};

static enum status check_result(const struct pm *pm, CUptiResult result, const char *what,
                                struct error *error)
{
    return result == CUPTI_SUCCESS ? STATUS_OK : cupti_error(pm->cupti, result, what, error);
}

static enum status enable_pm(struct pm *pm, const struct pm_options *options, struct error *error)
{
    CUpti_PmSampling_Enable_Params params = {.structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE,
                                             .deviceIndex = options->gpu};
    enum status status = check_result(pm, pm->cupti->cuptiPmSamplingEnable(&params),
                                      "Reserving the GPU's counters for sampling", error);
    if (status == STATUS_OK)
        pm->object = params.pPmSamplingObject;
    return status;
}

static enum status configure_pm(struct pm *pm, const struct pm_options *options, struct error *error)
{
    CUpti_PmSampling_SetConfig_Params params = {
        .structSize = CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE,
        .pPmSamplingObject = pm->object,
        .hardwareBufferSize = options->room * PM_SAMPLE_BYTES,
        .samplingInterval = options->interval_ns,
        .triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL,
        /* The other mode does not report a full buffer. Both free what is decoded. */
        .hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST};
    params.pConfig = plan_config(pm->plan, &params.configSize);
    return check_result(pm, pm->cupti->cuptiPmSamplingSetConfig(&params),
                        "Configuring the sampling of counters", error);
}

/* Queries the size of image `which`, and allocates it. Takes 3 ms. */
static enum status image_ask(struct pm *pm, size_t which, struct error *error)
{
    struct image *image = &pm->images[which];
    CUpti_PmSampling_GetCounterDataSize_Params params = {
        .structSize = CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE,
        .pPmSamplingObject = pm->object,
        .pMetricNames = plan_names(pm->plan),
        .numMetrics = plan_count(pm->plan),
        .maxSamples = slots_of[which]};
    enum status status = check_result(pm, pm->cupti->cuptiPmSamplingGetCounterDataSize(&params),
                                      "Querying the memory for the samples", error);
    if (status != STATUS_OK)
        return status;
    if (image->bytes && image->size_bytes == params.counterDataSize)
        return STATUS_OK;
    free(image->bytes);
    image->size_bytes = params.counterDataSize;
    image->bytes = malloc(image->size_bytes ? image->size_bytes : 1);
    if (!image->bytes)
        return error_no_memory(error, "for samples of counters (%zu bytes)", image->size_bytes);
    return STATUS_OK;
}

/* A cleared image for this many samples, if there is one large enough. */
static enum status image_for(struct pm *pm, size_t samples, struct image **image, struct error *error)
{
    size_t which = 0;
    enum status status = STATUS_OK;
    while (which + 1 < IMAGES && slots_of[which] < samples)
        which++;
    *image = &pm->images[which];
    if (!(*image)->bytes || pm->asked != which)
        status = image_ask(pm, which, error);
    pm->asked = which;
    if (status != STATUS_OK)
        return status;
    CUpti_PmSampling_CounterDataImage_Initialize_Params params = {
        .structSize = CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pPmSamplingObject = pm->object,
        .counterDataSize = (*image)->size_bytes,
        .pCounterData = (*image)->bytes};
    return check_result(pm, pm->cupti->cuptiPmSamplingCounterDataImageInitialize(&params),
                        "Preparing the samples' memory", error);
}

enum status pm_open(struct pm **pm, const struct pm_options *options, struct error *error)
{
    struct pm *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for sampling counters");
    made->cupti = options->cupti;
    made->plan = options->plan;
    made->interval_ns = options->interval_ns;
    made->values = calloc(plan_count(options->plan), sizeof *made->values);
    enum status status =
        made->values ? enable_pm(made, options, error) : error_no_memory(error, "for sampling counters");
    if (status == STATUS_OK)
        status = configure_pm(made, options, error);
    if (status != STATUS_OK) {
        pm_close(made);
        return status;
    }
    *pm = made;
    return STATUS_OK;
}

void pm_close(struct pm *pm)
{
    if (!pm)
        return;
    pm_stop(pm, NULL);
    if (pm->object) {
        CUpti_PmSampling_Disable_Params params = {.structSize = CUpti_PmSampling_Disable_Params_STRUCT_SIZE,
                                                  .pPmSamplingObject = pm->object};
        pm->cupti->cuptiPmSamplingDisable(&params);
    }
    for (size_t i = 0; i < IMAGES; i++)
        free(pm->images[i].bytes);
    free(pm->values);
    free(pm);
}

enum status pm_start(struct pm *pm, struct error *error)
{
    CUpti_PmSampling_Start_Params params = {.structSize = CUpti_PmSampling_Start_Params_STRUCT_SIZE,
                                            .pPmSamplingObject = pm->object};
    enum status status = check_result(pm, pm->cupti->cuptiPmSamplingStart(&params),
                                      "Starting the sampling of counters", error);
    pm->started = status == STATUS_OK;
    pm->previous_end_ns = 0;
    return status;
}

enum status pm_stop(struct pm *pm, struct error *error)
{
    CUpti_PmSampling_Stop_Params params = {.structSize = CUpti_PmSampling_Stop_Params_STRUCT_SIZE,
                                           .pPmSamplingObject = pm->object};
    if (!pm->started)
        return STATUS_OK;
    pm->started = false;
    return check_result(pm, pm->cupti->cuptiPmSamplingStop(&params), "Stopping the sampling of counters",
                        error);
}

/* Hands over sample `index` of the image, unless it is to be left out. */
static enum status take_one(struct pm *pm, const struct image *image, size_t index,
                            void (*take)(void *, const struct pm_sample *), void *context,
                            struct pm_taken *taken, struct error *error)
{
    CUpti_PmSampling_CounterData_GetSampleInfo_Params info = {
        .structSize = CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE,
        .pPmSamplingObject = pm->object,
        .pCounterDataImage = image->bytes,
        .counterDataImageSize = image->size_bytes,
        .sampleIndex = index};
    enum status status = check_result(pm, pm->cupti->cuptiPmSamplingCounterDataGetSampleInfo(&info),
                                      "Reading the time of a sample", error);
    if (status != STATUS_OK)
        return status;
    struct pm_sample sample = {
        .start_ns = (int64_t)info.startTimestamp, .end_ns = (int64_t)info.endTimestamp, .values = pm->values};
    if (sample.end_ns <= sample.start_ns)
        return STATUS_OK;
    int64_t previous_end_ns = pm->previous_end_ns;
    pm->previous_end_ns = sample.end_ns;
    if (previous_end_ns == 0)
        return STATUS_OK;
    /* Samples have no gap between them, unless some are missing. */
    taken->lost |= sample.start_ns > previous_end_ns + (int64_t)pm->interval_ns / 2;
    status = plan_evaluate(pm->plan, image->bytes, image->size_bytes, index, pm->values, error);
    if (status != STATUS_OK)
        return status;
    take(context, &sample);
    taken->samples++;
    taken->last_end_ns = sample.end_ns;
    return STATUS_OK;
}

enum status pm_take(struct pm *pm, size_t expected,
                    void (*take)(void *context, const struct pm_sample *sample), void *context,
                    struct pm_taken *taken, struct error *error)
{
    struct image *image;
    taken->samples = 0;
    taken->lost = taken->overflow = false;
    enum status status = image_for(pm, expected, &image, error);
    if (status != STATUS_OK)
        return status;
    CUpti_PmSampling_DecodeData_Params decode = {.structSize = CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE,
                                                 .pPmSamplingObject = pm->object,
                                                 .pCounterDataImage = image->bytes,
                                                 .counterDataImageSize = image->size_bytes};
    CUpti_PmSampling_GetCounterDataInfo_Params info = {
        .structSize = CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = image->bytes,
        .counterDataImageSize = image->size_bytes};
    CUptiResult result = pm->cupti->cuptiPmSamplingDecodeData(&decode);
    taken->overflow = result == CUPTI_ERROR_OUT_OF_MEMORY || decode.overflow;
    if (result == CUPTI_ERROR_OUT_OF_MEMORY)
        return STATUS_OK;
    taken->lost = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    status = check_result(pm, result, "Decoding samples of counters", error);
    if (status == STATUS_OK)
        status = check_result(pm, pm->cupti->cuptiPmSamplingGetCounterDataInfo(&info), "Counting the samples",
                              error);
    for (size_t i = 0; i < info.numCompletedSamples && status == STATUS_OK; i++)
        status = take_one(pm, image, i, take, context, taken, error);
    return status;
}
