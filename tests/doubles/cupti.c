/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/doubles/cupti_double.h"

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 8192

struct record {
    const char *function;
    unsigned long long crc;
    unsigned pc, correlation, count;
    CUpti_PCSamplingStallReason reasons[2];
};

static struct {
    pthread_mutex_t lock;
    CUpti_CallbackFunc callback;
    void *user;
    unsigned long long crc; /* of the module loaded last */
    int captures;           /* streams that are captured */
    /* PC sampling */
    CUcontext sampled;
    CUpti_PCSamplingCollectionMode mode;
    CUpti_PCSamplingData *kept;
    struct record records[RECORDS];
    size_t first, count;
    /* SASS metrics */
    int configured, configurations, sass, patched;
    size_t metric_count;
    CUpti_SassMetrics_Config metrics[64];
    const char *sass_function;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void double_call(const struct cupti_double_call *call);

static const char *const metric_names[] = {"smsp__sass_inst_executed", "smsp__sass_sectors_mem_global"};

int cupti_double_fault(const char *function)
{
    static struct {
        char name[64];
        int calls;
    } calls[32];
    const char *text = getenv("CUPTI_DOUBLE_FAULT");
    size_t length = strlen(function), row = 0;
    while (row < 31 && calls[row].name[0] && strcmp(calls[row].name, function) != 0)
        row++;
    snprintf(calls[row].name, sizeof calls[row].name, "%s", function);
    int call = ++calls[row].calls;
    for (; text && *text; text = strchr(text, ' ') ? strchr(text, ' ') + 1 : "") {
        if (strncmp(text, function, length) != 0 || text[length] != '=')
            continue;
        char *end;
        long result = strtol(text + length + 1, &end, 10);
        if (*end != '@' || atoi(end + 1) == call)
            return (int)result;
    }
    return 0;
}

#define MAY_FAIL(function)                             \
    do {                                               \
        int answer_of = cupti_double_fault(#function); \
        if (answer_of)                                 \
            return (CUptiResult)answer_of;             \
    } while (0)

/* ---- the general part ---- */

CUptiResult cuptiGetVersion(uint32_t *version)
{
    const char *text = getenv("CUPTI_DOUBLE_VERSION");
    *version = text ? (uint32_t)atoi(text) : 130001;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    static char texts[64][40];
    char *own = texts[(unsigned)result % 64];
    snprintf(own, sizeof texts[0], "result %d of the double", (int)result);
    *text = own;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user,
                              CUpti_SubscriberParams *params)
{
    (void)params;
    MAY_FAIL(cuptiSubscribe_v2);
    state.callback = callback;
    state.user = user;
    *subscriber = NULL;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)enable, (void)subscriber, (void)domain, (void)id;
    return CUPTI_SUCCESS;
}

static const struct {
    uint32_t id;
    const char *name;
} driver_calls[] = {
#define DRIVER_CALL(name)                     \
    {                                         \
        CUPTI_DRIVER_TRACE_CBID_##name, #name \
    }
    DRIVER_CALL(cuLaunchKernel),
    DRIVER_CALL(cuLaunchKernelEx),
    DRIVER_CALL(cuLaunchCooperativeKernel),
    DRIVER_CALL(cuMemcpyHtoD_v2),
    DRIVER_CALL(cuStreamEndCapture),
    DRIVER_CALL(cuCtxSynchronize),
    DRIVER_CALL(cuStreamBeginCapture_v2),
    DRIVER_CALL(cuGraphLaunch),
    DRIVER_CALL(cuGraphInstantiateWithFlags),
    DRIVER_CALL(cuGraphExecUpdate_v2),
    DRIVER_CALL(cuGraphExecKernelNodeSetParams_v2),
    DRIVER_CALL(cuGraphDestroy),
    DRIVER_CALL(cuGraphNodeSetEnabled),
    DRIVER_CALL(cuGraphExecDestroy),
#undef DRIVER_CALL
};
#define DRIVER_CALLS (sizeof driver_calls / sizeof driver_calls[0])

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    *name = "cuOther";
    for (size_t i = 0; domain == CUPTI_CB_DOMAIN_DRIVER_API && i < DRIVER_CALLS; i++)
        if (driver_calls[i].id == id)
            *name = driver_calls[i].name;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
    (void)context;
    *device = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *id)
{
    (void)context, (void)stream, (void)per_thread;
    *id = 7;
    return CUPTI_SUCCESS;
}

/* The address of a node of the double is its id. */
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
    *id = (uint64_t)(uintptr_t)node;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
    (void)params;
    MAY_FAIL(cuptiProfilerInitialize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
    params->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

/* ---- modules ---- */

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams *params)
{
    const unsigned char *bytes = params->cubin;
    MAY_FAIL(cuptiGetCubinCrc);
    params->cubinCrc = 1;
    for (size_t i = 0; i < params->cubinSize; i++)
        params->cubinCrc = (params->cubinCrc * 31 + bytes[i]) & 0xffffffff;
    return CUPTI_SUCCESS;
}

/* Line 1 is the first instruction's, and so on; after the tenth there are no lines. */
CUptiResult cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams *params)
{
    MAY_FAIL(cuptiGetSassToSourceCorrelation);
    if (params->pcOffset >= 0xa0)
        return CUPTI_ERROR_UNKNOWN;
    params->lineNumber = (uint32_t)(1 + params->pcOffset / 16);
    params->fileName = strdup("kernel.cu");
    params->dirName = strdup("src");
    return CUPTI_SUCCESS;
}

/* ---- PC sampling ---- */

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
    MAY_FAIL(cuptiPCSamplingEnable);
    if (state.sampled)
        return CUPTI_ERROR_HARDWARE_BUSY;
    state.sampled = params->ctx;
    state.mode = CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params)
{
    *params->numStallReasons = 3;
    MAY_FAIL(cuptiPCSamplingGetNumStallReasons);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
    static const struct {
        uint32_t index;
        const char *name;
    } reasons[] = {
        {DOUBLE_REASON_SELECTED, "selected"}, {0, "sample_count"}, {DOUBLE_REASON_MEMORY, "memory"}};
    for (size_t i = 0; i < params->numStallReasons && i < 3; i++) {
        params->stallReasonIndex[i] = reasons[i].index;
        snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s", reasons[i].name);
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
    MAY_FAIL(cuptiPCSamplingSetConfigurationAttribute);
    for (size_t i = 0; i < params->numAttributes; i++) {
        const CUpti_PCSamplingConfigurationInfo *info = &params->pPCSamplingConfigurationInfo[i];
        if (info->attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE)
            state.mode = info->attributeData.collectionModeData.collectionMode;
        else if (info->attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
            state.kept = info->attributeData.samplingDataBufferData.samplingDataBuffer;
    }
    return CUPTI_SUCCESS;
}

static void fill(CUpti_PCSamplingData *data)
{
    size_t taken = 0;
    data->totalSamples = 0;
    for (; taken < data->collectNumPcs && taken < state.count; taken++) {
        const struct record *record = &state.records[(state.first + taken) % RECORDS];
        CUpti_PCSamplingPCData *pc = &data->pPcData[taken];
        pc->cubinCrc = record->crc;
        pc->pcOffset = record->pc;
        pc->functionName = (char *)(uintptr_t)record->function;
        pc->correlationId = record->correlation;
        pc->stallReasonCount = record->count;
        for (size_t k = 0; k < record->count; k++) {
            pc->stallReason[k] = record->reasons[k];
            data->totalSamples += record->reasons[k].samples;
        }
    }
    state.first = (state.first + taken) % RECORDS;
    state.count -= taken;
    data->totalNumPcs = taken;
    data->remainingNumPcs = state.count;
    data->droppedSamples = getenv("CUPTI_DOUBLE_DROPPED") ? 5 : 0;
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
    CUpti_PCSamplingData *data = params->pcSamplingData;
    MAY_FAIL(cuptiPCSamplingGetData);
    if (params->ctx != state.sampled || data == state.kept)
        return CUPTI_ERROR_INVALID_OPERATION;
    pthread_mutex_lock(&state.lock);
    data->hardwareBufferFull = getenv("CUPTI_DOUBLE_FULL") != NULL;
    fill(data);
    pthread_mutex_unlock(&state.lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
    MAY_FAIL(cuptiPCSamplingDisable);
    if (params->ctx != state.sampled)
        return CUPTI_ERROR_INVALID_OPERATION;
    state.sampled = NULL;
    if (state.kept)
        fill(state.kept);
    state.kept = NULL;
    return CUPTI_SUCCESS;
}

static void record_add(const char *name, unsigned pc, unsigned correlation, unsigned memory,
                       unsigned selected)
{
    struct record *record = &state.records[(state.first + state.count++) % RECORDS];
    *record = (struct record){.function = name, .crc = state.crc, .pc = pc};
    record->correlation = state.mode == CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED ? correlation : 0;
    const char *times = getenv("CUPTI_DOUBLE_TIMES");
    memory *= times ? (unsigned)atoi(times) : 1;
    if (memory)
        record->reasons[record->count++] = (CUpti_PCSamplingStallReason){DOUBLE_REASON_MEMORY, memory};
    if (selected)
        record->reasons[record->count++] = (CUpti_PCSamplingStallReason){DOUBLE_REASON_SELECTED, selected};
}

/* ---- SASS metrics ---- */

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *params)
{
    MAY_FAIL(cuptiSassMetricsGetProperties);
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(params->pMetricName, metric_names[i]) != 0)
            continue;
        params->metric.metricId = 1000 + i;
        return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_INVALID_METRIC_NAME;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *params)
{
    MAY_FAIL(cuptiSassMetricsSetConfig);
    if (state.configurations++ > 0)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    state.metric_count = params->numOfMetricConfig;
    memcpy(state.metrics, params->pConfigs, params->numOfMetricConfig * sizeof state.metrics[0]);
    state.configured = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params *params)
{
    (void)params;
    state.configured = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
    (void)params;
    MAY_FAIL(cuptiSassMetricsEnable);
    state.sass = state.configured;
    return state.sass ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params *params)
{
    params->numOfDroppedRecords = 0;
    state.sass = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *params)
{
    MAY_FAIL(cuptiSassMetricsGetDataProperties);
    params->numOfPatchedInstructionRecords = state.sass_function ? 5 : 0;
    params->numOfInstances = state.sass_function ? 1 : 0;
    return state.sass ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

/* A record per metric and instruction, as the H200 gives them. */
CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *params)
{
    MAY_FAIL(cuptiSassMetricsFlushData);
    for (size_t i = 0; i < params->numOfPatchedInstructionRecords; i++) {
        CUpti_SassMetrics_Data *data = &params->pMetricsData[i];
        data->cubinCrc = (uint32_t)state.crc;
        data->functionName = state.sass_function;
        data->pcOffset = i < 4 ? (uint32_t)(16 * i) : 0x20;
        data->pInstanceValues[0] =
            (CUpti_SassMetrics_InstanceValue){i < 4 ? 1000 : 1001, i < 4 ? DOUBLE_EXECUTED : DOUBLE_SECTORS};
    }
    state.sass_function = NULL;
    return CUPTI_SUCCESS;
}

/* ---- the program ---- */

__attribute__((visibility("default"))) void double_context(int created, size_t context)
{
    CUpti_ResourceData data = {.context = (CUcontext)context};
    if (state.callback && created && context == 1) /* the driver is ready: of no context, with no data */
        state.callback(state.user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, NULL);
    if (state.callback)
        state.callback(state.user, CUPTI_CB_DOMAIN_RESOURCE,
                       created ? CUPTI_CBID_RESOURCE_CONTEXT_CREATED
                               : CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                       &data);
}

__attribute__((visibility("default"))) void double_module(int loaded, const void *cubin, size_t size_bytes)
{
    CUpti_ModuleResourceData module = {.pCubin = cubin, .cubinSize = size_bytes};
    CUpti_ResourceData data = {.resourceDescriptor = &module};
    CUpti_GetCubinCrcParams crc = {.cubin = cubin, .cubinSize = size_bytes};
    if (loaded && cuptiGetCubinCrc(&crc) == CUPTI_SUCCESS)
        state.crc = crc.cubinCrc;
    if (state.callback)
        state.callback(
            state.user, CUPTI_CB_DOMAIN_RESOURCE,
            loaded ? CUPTI_CBID_RESOURCE_MODULE_LOADED : CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &data);
}

__attribute__((visibility("default"))) void double_edge(uint64_t node, uint64_t dependency)
{
    CUpti_GraphData made = {.node = (CUgraphNode)(uintptr_t)node,
                            .dependency = (CUgraphNode)(uintptr_t)dependency};
    CUpti_ResourceData data = {.resourceDescriptor = &made};
    if (state.callback)
        state.callback(state.user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED,
                       &data);
}

__attribute__((visibility("default"))) int double_sampled(void)
{
    return state.sampled != NULL;
}

static void run_kernel(const char *name, unsigned correlation)
{
    const char *more = getenv("CUPTI_DOUBLE_PCS");
    pthread_mutex_lock(&state.lock);
    if (state.sampled && !getenv("CUPTI_DOUBLE_NO_SAMPLES")) {
        record_add(name, 0x10, correlation, 7, 3);
        record_add(name, 0x20, correlation, 5, 0);
        for (int i = 0; more && i < atoi(more); i++)
            record_add(name, 0x30 + 16 * (unsigned)i, correlation, 1, 0);
    }
    if (state.sass && !state.patched) {
        state.patched = 1;
        state.sass_function = name;
    }
    pthread_mutex_unlock(&state.lock);
}

static void tell(uint32_t id, CUpti_CallbackData *data, CUpti_ApiCallbackSite site)
{
    data->callbackSite = site;
    if (state.callback)
        state.callback(state.user, CUPTI_CB_DOMAIN_DRIVER_API, id, data);
}

static void tell_synchronisation(void)
{
    CUpti_CallbackData data = {.functionName = "cuCtxSynchronize"};
    tell(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, &data, CUPTI_API_ENTER);
    tell(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, &data, CUPTI_API_EXIT);
}

int cupti_double_captures(void)
{
    return state.captures;
}

__attribute__((visibility("default"))) void double_call(const struct cupti_double_call *call)
{
    CUfunction function = (CUfunction)(uintptr_t)call->kernel;
    cuLaunchKernel_params plain = {function, call->blocks, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL};
    cuLaunchCooperativeKernel_params cooperative = {function, call->blocks, 1, 1, 32, 1, 1, 0, NULL, NULL};
    CUlaunchConfig config = {.gridDimX = call->blocks,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 32,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    cuLaunchKernelEx_params extended = {.config = &config, .f = function};
    CUresult result = (CUresult)call->result;
    size_t context = call->context ? call->context : 1, i = 0;
    while (i < DRIVER_CALLS && strcmp(driver_calls[i].name, call->function) != 0)
        i++;
    if (i == DRIVER_CALLS)
        abort();
    uint32_t id = driver_calls[i].id;
    CUpti_CallbackData data = {.functionName = driver_calls[i].name,
                               .functionParams =
                                   call->params                                     ? call->params
                                   : id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel   ? (const void *)&plain
                                   : id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ? (void *)&extended
                                                                                    : (void *)&cooperative,
                               .functionReturnValue = &result,
                               .symbolName = call->kernel,
                               .context = (CUcontext)context,
                               .contextUid = (uint32_t)context,
                               .correlationId = call->correlation};
    tell(id, &data, CUPTI_API_ENTER);
    state.captures += id == CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2 && result == CUDA_SUCCESS;
    state.captures -= id == CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture;
    if (call->kernel && result == CUDA_SUCCESS) {
        run_kernel(call->kernel, call->correlation);
        cupti_double_ran(call->kernel, call->blocks, call->correlation);
        if (cupti_double_counts(context, call->blocks))
            tell_synchronisation();
    }
    if (call->within)
        call->within();
    tell(id, &data, CUPTI_API_EXIT);
}

__attribute__((visibility("default"))) void double_launch(const char *name, unsigned blocks,
                                                          unsigned correlation)
{
    double_call(&(struct cupti_double_call){
        .function = "cuLaunchKernel", .kernel = name, .blocks = blocks, .correlation = correlation});
}
