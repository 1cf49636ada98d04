/* Sets the sampler up: from opening libcupti to a GPU whose counters are reserved. */
#include "cupti/sampler/sampler_internal.h"
#include "cupti/sampler/sampler_series.h"

#include <stdlib.h>
#include <string.h>

enum status sampler_find_gpu(struct sampler *sampler, uint32_t *gpus, struct error *error)
{
    int count = 0;
    if (!driver_find(&sampler->driver, true))
        return error_set(error, STATUS_NO_DEVICE, "libcuda.so.1 was not found or is too old.");
    if (sampler->driver.cuInit(0) != CUDA_SUCCESS ||
        sampler->driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || sampler->options->gpu >= (uint32_t)count)
        return error_set(error, STATUS_NO_DEVICE, "CUDA shows %d GPUs, and none with the number %u.", count,
                         sampler->options->gpu);
    *gpus = (uint32_t)count;
    return STATUS_OK;
}

/* The counters that the GPU allows now: *image, to be freed. Takes 0.15 to 0.3 s. */
static enum status ask_availability(const struct sampler *sampler, uint8_t **image, struct error *error)
{
    const struct cupti *cupti = &sampler->cupti;
    CUpti_PmSampling_GetCounterAvailability_Params params = {
        .structSize = CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE,
        .deviceIndex = sampler->options->gpu};
    CUptiResult result = cupti->cuptiPmSamplingGetCounterAvailability(&params);
    if (result == CUPTI_SUCCESS) {
        *image = calloc(1, params.counterAvailabilityImageSize + 1);
        if (!*image)
            return error_no_memory(error, "for the list of counters");
        params.pCounterAvailabilityImage = *image;
        result = cupti->cuptiPmSamplingGetCounterAvailability(&params);
    }
    return result == CUPTI_SUCCESS
               ? STATUS_OK
               : cupti_error(cupti, result, "Querying the counters that can be sampled", error);
}

void sampler_describe(struct sampler *sampler, const char *chip)
{
    struct device_info info;
    if (sampler->described || !driver_describe(&sampler->driver, (int)sampler->options->gpu, &info))
        return;
    memcpy(info.chip, chip, strnlen(chip, sizeof info.chip - 1));
    wire_emit_blob(sampler->wire, BLOB_DEVICE, sampler->options->gpu, &info, sizeof info);
    sampler->described = true;
}

static enum status find_chip(struct sampler *sampler, const char **chip, struct error *error)
{
    const struct cupti *cupti = &sampler->cupti;
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params name = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = sampler->options->gpu};
    CUptiResult result = cupti->cuptiProfilerInitialize(&start); /* before the name: it crashes else */
    if (result == CUPTI_SUCCESS)
        result = cupti->cuptiDeviceGetChipName(&name);
    if (result != CUPTI_SUCCESS)
        return cupti_error(cupti, result, "Starting CUPTI's profiler", error);
    *chip = name.pChipName;
    sampler_describe(sampler, *chip);
    return STATUS_OK;
}

static size_t samples_in_buffer(const struct sampler *sampler)
{
    const size_t room = (size_t)(SAMPLER_ROOM_NS / sampler->interval_ns);
    if (sampler->options->bursts)
        return SAMPLER_BURST_ROOM;
    return room > SAMPLER_ROOM_LEAST ? room : SAMPLER_ROOM_LEAST;
}

enum status sampler_open_hardware(struct sampler *sampler, struct error *error)
{
    const struct pm_options options = {.cupti = &sampler->cupti,
                                       .plan = sampler->plan,
                                       .gpu = sampler->options->gpu,
                                       .interval_ns = sampler->interval_ns,
                                       .room = samples_in_buffer(sampler)};
    return pm_open(&sampler->pm, &options, error);
}

enum status sampler_set_up(struct sampler *sampler, struct error *error)
{
    const char *chip = NULL;
    uint8_t *availability = NULL;
    enum status status = cupti_load(&sampler->cupti, sampler->options->cupti_path, error);
    if (status == STATUS_OK)
        status = find_chip(sampler, &chip, error);
    if (status == STATUS_OK)
        status = sampler_plan(&sampler->plan, sampler->cupti.path, chip, NULL, error);
    if (status == STATUS_OK)
        status = sampler_open_hardware(sampler, error);
    if (status == STATUS_STATE) /* another profiler uses the counters now: the sampler tries again */
        return STATUS_OK;
    if (status != STATUS_DEVICE)
        return status;
    /* Handles a GPU that does not allow all counters of its chip. */
    status = ask_availability(sampler, &availability, error);
    if (status == STATUS_OK) {
        plan_destroy(sampler->plan);
        status = sampler_plan(&sampler->plan, sampler->cupti.path, chip, availability, error);
    }
    if (status == STATUS_OK)
        status = sampler_open_hardware(sampler, error);
    free(availability);
    return status;
}
