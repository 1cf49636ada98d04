/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that were asked for are own_names; `names` are those that the chip has, in the order of
 * priority, and `left_out` the others. A host object keeps what was added to it, so that each try at a
 * configuration opens another one.
 */
#include "cupti/profiler/plan.h"

#include "cupti/load/load.h"

#include <stdlib.h>
#include <string.h>

struct plan {
    struct cupti cupti;
    char chip[32];
    bool sampling;
    CUpti_Profiler_Host_Object *host;
    const uint8_t *availability;
    const char *names[PLAN_MAX_METRICS]; /* taken: point into own_names */
    char *own_names[PLAN_MAX_METRICS];   /* all that were asked for */
    size_t own_count, count, left_out_count, passes;
    const char *left_out[PLAN_MAX_METRICS];
    bool unknown[PLAN_MAX_METRICS];
    uint8_t *config;
    size_t config_bytes;
};

/* A host object keeps the metrics once added, so every try needs a new one. */
static void host_close(struct plan *plan)
{
    if (!plan->host)
        return;
    CUpti_Profiler_Host_Deinitialize_Params params = {
        .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    plan->cupti.cuptiProfilerHostDeinitialize(&params);
    plan->host = NULL;
}

static CUptiResult host_open(struct plan *plan)
{
    host_close(plan);
    CUpti_Profiler_Host_Initialize_Params params = {
        .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
        .profilerType = plan->sampling ? CUPTI_PROFILER_TYPE_PM_SAMPLING : CUPTI_PROFILER_TYPE_RANGE_PROFILER,
        .pChipName = plan->chip,
        .pCounterAvailabilityImage = plan->availability};
    CUptiResult result = plan->cupti.cuptiProfilerHostInitialize(&params);
    if (result == CUPTI_SUCCESS)
        plan->host = params.pHostObject;
    return result;
}

static CUptiResult add_metrics(struct plan *plan, const char **names, size_t count)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params params = {
        .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .ppMetricNames = names,
        .numMetrics = count};
    return plan->cupti.cuptiProfilerHostConfigAddMetrics(&params);
}

/* The config image and the number of passes of the first `count` metrics taken. */
static enum status configure_passes(struct plan *plan, size_t count, struct error *error)
{
    CUptiResult result = host_open(plan);
    if (result == CUPTI_SUCCESS)
        result = add_metrics(plan, plan->names, count);
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = plan->host};
    if (result == CUPTI_SUCCESS)
        result = plan->cupti.cuptiProfilerHostGetConfigImageSize(&size);
    if (result != CUPTI_SUCCESS)
        return cupti_error(&plan->cupti, result, "Planning the counters", error);
    free(plan->config);
    plan->config_bytes = size.configImageSize;
    plan->config = calloc(1, plan->config_bytes ? plan->config_bytes : 1);
    if (!plan->config)
        return error_no_memory(error, "for the counters' configuration");
    CUpti_Profiler_Host_GetConfigImage_Params image = {
        .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .configImageSize = plan->config_bytes,
        .pConfigImage = plan->config};
    result = plan->cupti.cuptiProfilerHostGetConfigImage(&image);
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {
        .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
        .configImageSize = plan->config_bytes,
        .pConfigImage = plan->config};
    if (result == CUPTI_SUCCESS)
        result = plan->cupti.cuptiProfilerHostGetNumOfPasses(&passes);
    if (result != CUPTI_SUCCESS)
        return cupti_error(&plan->cupti, result, "Planning the counters", error);
    plan->passes = passes.numOfPasses;
    return STATUS_OK;
}

static void leave_out(struct plan *plan, const char *name, bool unknown)
{
    plan->unknown[plan->left_out_count] = unknown;
    plan->left_out[plan->left_out_count++] = name;
}

/* Each name once, and only names that the chip knows: one unknown name fails the whole list. */
static enum status take_known(struct plan *plan, const struct plan_request *request, struct error *error)
{
    CUptiResult result = host_open(plan);
    if (result != CUPTI_SUCCESS)
        return error_set(error, STATUS_UNSUPPORTED, "This CUPTI (%s) has no counters for chip '%s': %s.",
                         plan->cupti.path, plan->chip, cupti_text(&plan->cupti, result));
    for (size_t i = 0; i < request->count; i++) {
        bool twice = false;
        for (size_t k = 0; k < plan->own_count; k++)
            twice |= strcmp(plan->own_names[k], request->names[i]) == 0;
        if (twice)
            continue;
        char *name = strdup(request->names[i]);
        if (!name)
            return error_no_memory(error, "for the list of counters");
        plan->own_names[plan->own_count++] = name;
        if (add_metrics(plan, (const char **)&name, 1) == CUPTI_SUCCESS) {
            plan->names[plan->count++] = name;
            continue;
        }
        leave_out(plan, name, true);
        result = host_open(plan); /* after an unknown name, a host object accepts no other */
        if (result != CUPTI_SUCCESS)
            return cupti_error(&plan->cupti, result, "Planning the counters", error);
    }
    return STATUS_OK;
}

enum status plan_create(struct plan **plan, const struct plan_request *request, struct error *error)
{
    *plan = NULL;
    if (!request->chip || !request->chip[0] || strlen(request->chip) >= sizeof(*plan)->chip ||
        request->count == 0 || request->count > PLAN_MAX_METRICS)
        return error_set(error, STATUS_USAGE, "A plan needs a chip's name and 1 to %u counters.",
                         PLAN_MAX_METRICS);
    struct plan *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for the plan of the counters");
    strcpy(made->chip, request->chip);
    made->availability = request->availability;
    made->sampling = request->sampling;

    enum status status = cupti_load(&made->cupti, request->cupti_path, error);
    if (status == STATUS_OK)
        status = take_known(made, request, error);
    if (status == STATUS_OK && made->count == 0)
        status = error_set(error, STATUS_UNSUPPORTED, "Chip %s has none of the %zu counters asked for.",
                           made->chip, request->count);
    if (status == STATUS_OK)
        status = configure_passes(made, made->count, error);
    while (status == STATUS_OK && request->max_passes && made->passes > request->max_passes &&
           made->count > 1) {
        leave_out(made, made->names[--made->count], false);
        status = configure_passes(made, made->count, error);
    }
    if (status != STATUS_OK)
        goto fail;
    made->availability = NULL; /* the caller's; not read again */
    *plan = made;
    return STATUS_OK;

fail:
    plan_destroy(made);
    return status;
}

void plan_destroy(struct plan *plan)
{
    if (!plan)
        return;
    host_close(plan);
    for (size_t i = 0; i < plan->own_count; i++)
        free(plan->own_names[i]);
    free(plan->config);
    free(plan);
}

size_t plan_count(const struct plan *plan)
{
    return plan->count;
}

const char *plan_name(const struct plan *plan, size_t index)
{
    return index < plan->count ? plan->names[index] : NULL;
}

size_t plan_left_out_count(const struct plan *plan)
{
    return plan->left_out_count;
}

const char *plan_left_out(const struct plan *plan, size_t index)
{
    return index < plan->left_out_count ? plan->left_out[index] : NULL;
}

bool plan_unknown(const struct plan *plan, size_t index)
{
    return index < plan->left_out_count && plan->unknown[index];
}

size_t plan_passes(const struct plan *plan)
{
    return plan->passes;
}

const uint8_t *plan_config(const struct plan *plan, size_t *size_bytes)
{
    *size_bytes = plan->config_bytes;
    return plan->config;
}

const char **plan_names(const struct plan *plan)
{
    return (const char **)plan->names;
}

enum status plan_evaluate(struct plan *plan, const uint8_t *image, size_t image_bytes, size_t range,
                          double *values, struct error *error)
{
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = plan->host,
        .pCounterDataImage = image,
        .counterDataImageSize = image_bytes,
        .rangeIndex = range,
        .ppMetricNames = plan->names,
        .numMetrics = plan->count,
        .pMetricValues = values};
    CUptiResult result = plan->cupti.cuptiProfilerHostEvaluateToGpuValues(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_error(&plan->cupti, result, "Evaluating the counters", error);
    return STATUS_OK;
}

enum status plan_chips(const char *cupti_path, const char *const **names, size_t *count, struct error *error)
{
    struct cupti cupti;
    enum status status = cupti_load(&cupti, cupti_path, error);
    if (status != STATUS_OK)
        return status;
    CUpti_Profiler_Host_GetSupportedChips_Params params = {
        .structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    CUptiResult result = cupti.cuptiProfilerHostGetSupportedChips(&params);
    if (result != CUPTI_SUCCESS)
        return cupti_error(&cupti, result, "Listing the chips that CUPTI knows", error);
    *names = params.ppChipNames;
    *count = params.numChips;
    return STATUS_OK;
}
