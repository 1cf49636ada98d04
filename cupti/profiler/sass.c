/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics that the chip has, of the list below, with CUPTI's ids. `configured` and `enabled` say what
 * has to be undone; an event per instruction sums the instances of each metric.
 */
#include "cupti/profiler/sass.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX (1u << 20)
#define INSTANCES_MAX (1u << 16)

/* The counts, in the order of CUPTI's names: executions, threads, and what memory instructions moved and
 * could have moved. */
static const char *const names[] = {
    "smsp__sass_inst_executed",
    "smsp__sass_thread_inst_executed",
    "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_sectors_mem_global",
    "smsp__sass_sectors_mem_global_ideal",
    "smsp__sass_l1tex_tags_mem_global",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    "smsp__sass_sectors_mem_local",
    "smsp__sass_branch_targets_threads_uniform",
    "smsp__sass_branch_targets_threads_divergent",
};
#define NAMES (sizeof names / sizeof *names)

struct sass {
    struct sass_options options;
    struct sass_metric metrics[NAMES];
    CUpti_SassMetrics_Config config[NAMES];
    size_t count;
    bool configured, enabled;
};

size_t sass_events(const CUpti_SassMetrics_Data *record, size_t instances, const struct sass_metric *metrics,
                   size_t metric_count, struct event *events)
{
    size_t count = 0;
    for (size_t m = 0; m < metric_count; m++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < instances; i++)
            if (record->pInstanceValues[i].metricId == metrics[m].id)
                sum += record->pInstanceValues[i].value;
        if (sum == 0)
            continue;
        struct event *event = &events[count++];
        *event = (struct event){.kind = EVENT_INSTRUCTION_COUNT};
        event->instruction_count.pc_offset = record->pcOffset;
        event->instruction_count.counter = metrics[m].text;
        event->instruction_count.number = sum;
    }
    return count;
}

static enum status check_result(const struct sass *sass, CUptiResult result, const char *what,
                                struct error *error)
{
    return result == CUPTI_SUCCESS ? STATUS_OK : cupti_error(sass->options.cupti, result, what, error);
}

static enum status synchronize_context(const struct sass *sass, struct error *error)
{
    CUresult result = sass->options.synchronize();
    return result == CUDA_SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_DEVICE, "Waiting for the GPU failed (CUDA error %d).", (int)result);
}

enum status sass_open(struct sass **sass, const struct sass_options *options, struct error *error)
{
    const struct cupti *cupti = options->cupti;
    struct sass *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to count instructions");
    made->options = *options;
    /* Must come first: without it cuptiDeviceGetChipName crashes. */
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                            .deviceIndex = options->device};
    enum status status =
        check_result(made, cupti->cuptiProfilerInitialize(&start), "Starting CUPTI's profiler", error);
    if (status == STATUS_OK)
        status = check_result(made, cupti->cuptiDeviceGetChipName(&chip), "Querying the GPU's chip", error);
    for (size_t i = 0; status == STATUS_OK && i < NAMES; i++) {
        CUpti_SassMetrics_GetProperties_Params ask = {.structSize =
                                                          CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE,
                                                      .pChipName = chip.pChipName,
                                                      .pMetricName = names[i]};
        if (cupti->cuptiSassMetricsGetProperties(&ask) != CUPTI_SUCCESS)
            continue;
        made->metrics[made->count] =
            (struct sass_metric){ask.metric.metricId, options->string(options->user, names[i])};
        made->config[made->count++] =
            (CUpti_SassMetrics_Config){ask.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    }
    if (status == STATUS_OK && made->count == 0)
        status = error_set(error, STATUS_UNSUPPORTED, "CUPTI counts no instructions on this GPU (%s).",
                           chip.pChipName ? chip.pChipName : "of unknown chip");
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *sass = made;
    return STATUS_OK;
}

enum status sass_begin(struct sass *sass, struct error *error)
{
    const struct cupti *cupti = sass->options.cupti;
    CUpti_SassMetricsSetConfig_Params config = {.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE,
                                                .numOfMetricConfig = sass->count,
                                                .pConfigs = sass->config,
                                                .deviceIndex = sass->options.device};
    CUpti_SassMetricsEnable_Params enable = {.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE,
                                             .ctx = sass->options.context,
                                             .enableLazyPatching = 1};
    /* No work may be running or launched between the two calls. */
    enum status status = synchronize_context(sass, error);
    if (status == STATUS_OK)
        status = check_result(sass, cupti->cuptiSassMetricsSetConfig(&config),
                              "Configuring the counts of instructions", error);
    sass->configured = status == STATUS_OK;
    if (status == STATUS_OK)
        status = check_result(sass, cupti->cuptiSassMetricsEnable(&enable),
                              "Enabling the counts of instructions", error);
    sass->enabled = status == STATUS_OK;
    return status;
}

/* Memory for the records, each followed by its instances; NULL: no memory. */
static CUpti_SassMetrics_Data *records_make(size_t count, size_t instances)
{
    CUpti_SassMetrics_Data *records = calloc(count, sizeof *records);
    CUpti_SassMetrics_InstanceValue *values = calloc(count * instances, sizeof *values);
    if (!records || !values) {
        free(records);
        free(values);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        records[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
        records[i].pInstanceValues = values + i * instances;
    }
    return records;
}

static enum status hand_over(struct sass *sass, size_t count, size_t instances, struct error *error)
{
    CUpti_SassMetrics_Data *records = records_make(count, instances);
    if (!records)
        return error_no_memory(error, "for the counts of %zu instructions", count);
    CUpti_SassMetricsFlushData_Params flush = {.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE,
                                               .ctx = sass->options.context,
                                               .numOfPatchedInstructionRecords = count,
                                               .numOfInstances = instances,
                                               .pMetricsData = records};
    CUpti_SassMetrics_InstanceValue *values = records[0].pInstanceValues;
    enum status status = check_result(sass, sass->options.cupti->cuptiSassMetricsFlushData(&flush),
                                      "Reading the counts of instructions", error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct event events[NAMES];
        size_t made = records[i].pInstanceValues
                          ? sass_events(&records[i], instances, sass->metrics, sass->count, events)
                          : 0;
        if (made > 0)
            sass->options.take(sass->options.user, &records[i], events, made);
    }
    free(values);
    free(records);
    return status;
}

enum status sass_end(struct sass *sass, struct error *error)
{
    CUpti_SassMetricsGetDataProperties_Params ask = {
        .structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE, .ctx = sass->options.context};
    enum status status = synchronize_context(sass, error);
    if (status == STATUS_OK)
        status = check_result(sass, sass->options.cupti->cuptiSassMetricsGetDataProperties(&ask),
                              "Querying the counts of instructions", error);
    if (status != STATUS_OK)
        return status;
    if (ask.numOfPatchedInstructionRecords > RECORDS_MAX || ask.numOfInstances == 0 ||
        ask.numOfInstances > INSTANCES_MAX)
        return error_set(error, STATUS_UNSUPPORTED,
                         "CUPTI returned counts of %zu instructions, %zu numbers each.",
                         ask.numOfPatchedInstructionRecords, ask.numOfInstances);
    if (ask.numOfPatchedInstructionRecords == 0)
        return error_set(error, STATUS_DEVICE, "CUPTI counted none of the kernel's instructions.");
    return hand_over(sass, ask.numOfPatchedInstructionRecords, ask.numOfInstances, error);
}

void sass_close(struct sass *sass, bool detach)
{
    if (!sass)
        return;
    CUpti_SassMetricsDisable_Params disable = {.structSize = CUpti_SassMetricsDisable_Params_STRUCT_SIZE,
                                               .ctx = sass->options.context};
    CUpti_SassMetricsUnsetConfig_Params unset = {
        .structSize = CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE, .deviceIndex = sass->options.device};
    if (detach && sass->enabled)
        sass->options.cupti->cuptiSassMetricsDisable(&disable);
    if (detach && sass->configured)
        sass->options.cupti->cuptiSassMetricsUnsetConfig(&unset);
    free(sass);
}
