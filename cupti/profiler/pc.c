/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUPTI fills two buffers of the same form: `kept` at its end, `asked` at each reading; both have room
 * for RECORDS instructions with all their reasons. Records become events in `events`, which has room for
 * every reason of one record.
 */
#include "cupti/profiler/pc.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS 4096u /* instructions that one call of CUPTI returns */
#define REASONS_MAX 1024u
#define SLEEP_MS 10u /* of CUPTI's own threads */
#define SCRATCH_BYTES (4u << 20)

struct pc {
    struct pc_options options;
    struct pc_reason *reasons;
    size_t reason_count;
    CUpti_PCSamplingData kept,
        asked;            /* CUPTI fills the first one at its end, and needs another one for GetData */
    struct event *events; /* of one record */
    struct pc_totals totals;
    bool enabled;
};

size_t pc_events(const CUpti_PCSamplingPCData *record, const struct pc_reason *reasons, size_t reason_count,
                 uint32_t period, struct event *events)
{
    size_t count = 0;
    for (size_t i = 0; record->stallReason && i < record->stallReasonCount && i < reason_count; i++) {
        const CUpti_PCSamplingStallReason *stall = &record->stallReason[i];
        size_t known = 0;
        while (known < reason_count && reasons[known].index != stall->pcSamplingStallReasonIndex)
            known++;
        if (stall->samples == 0 || known == reason_count || record->pcOffset > UINT32_MAX)
            continue;
        struct event *event = &events[count++];
        *event = (struct event){.kind = EVENT_STALLS};
        event->stalls.pc_offset = (uint32_t)record->pcOffset;
        event->stalls.reason = reasons[known].text;
        event->stalls.correlation = record->correlationId;
        event->stalls.samples = stall->samples;
        event->stalls.period_cycles = 1u << period;
    }
    return count;
}

static enum status check_result(const struct pc *pc, CUptiResult result, const char *what,
                                struct error *error)
{
    return result == CUPTI_SUCCESS ? STATUS_OK : cupti_error(pc->options.cupti, result, what, error);
}

/* ---- setting up ---- */

static bool buffer_make(CUpti_PCSamplingData *data, size_t reasons)
{
    CUpti_PCSamplingStallReason *stalls = calloc(RECORDS * reasons, sizeof *stalls);
    *data = (CUpti_PCSamplingData){.size = sizeof *data, .collectNumPcs = RECORDS};
    data->pPcData = calloc(RECORDS, sizeof *data->pPcData);
    if (!stalls || !data->pPcData) {
        free(stalls);
        free(data->pPcData);
        data->pPcData = NULL;
        return false;
    }
    for (size_t i = 0; i < RECORDS; i++) {
        data->pPcData[i].size = sizeof *data->pPcData;
        data->pPcData[i].stallReason = stalls + i * reasons;
    }
    return true;
}

static void buffer_free(CUpti_PCSamplingData *data)
{
    if (data->pPcData)
        free(data->pPcData[0].stallReason);
    free(data->pPcData);
}

static enum status no_memory(struct error *error)
{
    return error_set(error, STATUS_MEMORY, "There is no memory for the samples: none are taken.");
}

static enum status read_reasons(struct pc *pc, struct error *error)
{
    const struct cupti *cupti = pc->options.cupti;
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number = {.size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
                                                       .ctx = pc->options.context,
                                                       .numStallReasons = &count};
    enum status status = check_result(pc, cupti->cuptiPCSamplingGetNumStallReasons(&number),
                                      "Querying the stall reasons", error);
    if (status != STATUS_OK)
        return status;
    if (count == 0 || count > REASONS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "CUPTI names %zu stall reasons: nothing is sampled.",
                         count);
    uint32_t *indices = calloc(count, sizeof *indices);
    char **names = calloc(count, sizeof *names), *texts = calloc(count, CUPTI_STALL_REASON_STRING_SIZE);
    pc->reasons = calloc(count, sizeof *pc->reasons);
    pc->events = calloc(count, sizeof *pc->events);
    CUpti_PCSamplingGetStallReasonsParams ask = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = pc->options.context,
                                                 .numStallReasons = count,
                                                 .stallReasonIndex = indices,
                                                 .stallReasons = names};
    if (indices && names && texts && pc->reasons && pc->events) {
        for (size_t i = 0; i < count; i++)
            names[i] = texts + i * CUPTI_STALL_REASON_STRING_SIZE;
        status = check_result(pc, cupti->cuptiPCSamplingGetStallReasons(&ask), "Querying the stall reasons",
                              error);
    } else {
        status = no_memory(error);
    }
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        names[i][CUPTI_STALL_REASON_STRING_SIZE - 1] = '\0';
        pc->reasons[i] = (struct pc_reason){indices[i], pc->options.string(pc->options.user, names[i])};
    }
    pc->reason_count = status == STATUS_OK ? count : 0;
    free(indices);
    free(names);
    free(texts);
    return status;
}

static enum status configure_sampling(struct pc *pc, struct error *error)
{
    CUpti_PCSamplingConfigurationInfo info[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             pc->options.serialize ? CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED
                                   : CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = pc->options.period},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &pc->kept},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE,
         .attributeData.scratchBufferSizeData.scratchBufferSize = SCRATCH_BYTES},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN,
         .attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan = SLEEP_MS},
    };
    CUpti_PCSamplingConfigurationInfoParams params = {.size = CUpti_PCSamplingConfigurationInfoParamsSize,
                                                      .ctx = pc->options.context,
                                                      .numAttributes = sizeof info / sizeof *info,
                                                      .pPCSamplingConfigurationInfo = info};
    return check_result(pc, pc->options.cupti->cuptiPCSamplingSetConfigurationAttribute(&params),
                        "Configuring the sampling of program counters", error);
}

enum status pc_open(struct pc **pc, const struct pc_options *options, struct error *error)
{
    struct pc *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory(error);
    made->options = *options;
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize, .ctx = options->context};
    enum status status = check_result(made, options->cupti->cuptiPCSamplingEnable(&enable),
                                      "Starting to sample program counters", error);
    made->enabled = status == STATUS_OK;
    if (status == STATUS_OK)
        status = read_reasons(made, error);
    if (status == STATUS_OK &&
        (!buffer_make(&made->kept, made->reason_count) || !buffer_make(&made->asked, made->reason_count)))
        status = no_memory(error);
    if (status == STATUS_OK)
        status = configure_sampling(made, error);
    if (status != STATUS_OK) {
        struct pc_totals none;
        pc_close(made, true, &none);
        return status;
    }
    *pc = made;
    return STATUS_OK;
}

/* ---- samples ---- */

static void hand_over(struct pc *pc, CUpti_PCSamplingData *data)
{
    size_t count = data->totalNumPcs < data->collectNumPcs ? data->totalNumPcs : data->collectNumPcs;
    pc->totals.samples += data->totalSamples;
    pc->totals.dropped += data->droppedSamples;
    for (size_t i = 0; i < count; i++) {
        const CUpti_PCSamplingPCData *record = &data->pPcData[i];
        size_t events = pc_events(record, pc->reasons, pc->reason_count, pc->options.period, pc->events);
        if (events > 0)
            pc->options.take(pc->options.user, record, pc->events, events);
    }
    data->totalNumPcs = 0;
    data->totalSamples = data->droppedSamples = 0;
}

static enum status buffer_overflowed(const struct pc *pc, struct error *error)
{
    return error_set(error, STATUS_MEMORY,
                     "The GPU's buffer for samples overflowed (one every %u cycles): later instructions are "
                     "not sampled, and the samples shown are incomplete.",
                     1u << pc->options.period);
}

enum status pc_collect(struct pc *pc, struct error *error)
{
    CUpti_PCSamplingGetDataParams params = {
        .size = CUpti_PCSamplingGetDataParamsSize, .ctx = pc->options.context, .pcSamplingData = &pc->asked};
    do {
        CUptiResult result = pc->options.cupti->cuptiPCSamplingGetData(&params);
        if (result == CUPTI_ERROR_OUT_OF_MEMORY || (result == CUPTI_SUCCESS && pc->asked.hardwareBufferFull))
            return buffer_overflowed(pc, error);
        if (result != CUPTI_SUCCESS)
            return check_result(pc, result, "Reading the samples", error);
        if (pc->asked.totalNumPcs == 0)
            break;
        hand_over(pc, &pc->asked);
    } while (pc->asked.remainingNumPcs > 0);
    return STATUS_OK;
}

void pc_close(struct pc *pc, bool detach, struct pc_totals *totals)
{
    if (!pc)
        return;
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = pc->options.context};
    if (detach && pc->enabled && pc->options.cupti->cuptiPCSamplingDisable(&disable) == CUPTI_SUCCESS &&
        pc->kept.pPcData)
        hand_over(pc, &pc->kept);
    *totals = pc->totals;
    buffer_free(&pc->kept);
    buffer_free(&pc->asked);
    free(pc->reasons);
    free(pc->events);
    free(pc);
}
