/* No data: makes the sampler's plan and PM object, samples for TRY_NS, and counts what came. */
#include "cupti/probe/probe_sampling.h"

#include "core/base/clock.h"
#include "cupti/sampler/sampler_pm.h"
#include "cupti/sampler/sampler_series.h"

#define INTERVAL_NS 1000000u
#define TRY_NS 20000000
#define ROOM 64u

static void count_sample(void *context, const struct pm_sample *sample)
{
    (void)sample;
    ++*(unsigned *)context;
}

/* Samples must arrive: that the start succeeds is not enough. */
static enum status take_samples(struct pm *pm, struct error *error)
{
    struct pm_taken taken = {0};
    unsigned samples = 0;
    enum status status = pm_start(pm, error);
    if (status != STATUS_OK)
        return status;
    clock_pause(TRY_NS);
    status = pm_stop(pm, error);
    if (status == STATUS_OK)
        status = pm_take(pm, ROOM, count_sample, &samples, &taken, error);
    if (status == STATUS_OK && samples == 0)
        status = error_set(error, STATUS_DEVICE, "The GPU took no sample of its counters in %d ms.",
                           TRY_NS / 1000000);
    return status;
}

enum status probe_sampling(const struct cupti *cupti, uint32_t gpu, uint32_t *counters, struct error *error)
{
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = gpu};
    struct plan *plan = NULL;
    struct pm *pm = NULL;
    CUptiResult result = cupti->cuptiProfilerInitialize(&start);
    if (result == CUPTI_SUCCESS)
        result = cupti->cuptiDeviceGetChipName(&chip);
    if (result != CUPTI_SUCCESS)
        return cupti_error(cupti, result, "Starting CUPTI's profiler", error);
    enum status status = sampler_plan(&plan, cupti->path, chip.pChipName, NULL, error);
    if (status == STATUS_OK) {
        const struct pm_options options = {
            .cupti = cupti, .plan = plan, .gpu = gpu, .interval_ns = INTERVAL_NS, .room = ROOM};
        *counters = (uint32_t)plan_count(plan);
        status = pm_open(&pm, &options, error);
    }
    if (status == STATUS_OK)
        status = take_samples(pm, error);
    pm_close(pm);
    plan_destroy(plan);
    return status;
}
