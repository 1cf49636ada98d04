/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PC sampling and the SASS metrics do on this GPU, one experiment a process, printed as numbers; what
 * was seen stands in docs/cupti-notes.md.
 *
 *     gpu_probe_lines pc MODE PERIOD SPAN_MS [callbacks]   MODE 1 continuous, 2 serialized; with a further
 * word samples are read in the launches' callbacks, and it ends in the context's gpu_probe_lines sass VARIANT
 * [METRIC...]      see sass_main gpu_probe_lines list
 */
#include "workloads/frame/image.h"

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 4096u
#define PCS 4096u
#define METRICS 64

static void *cuda, *cupti;

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("no %s\n", name);
        exit(1);
    }
    return found;
}

/* CU(name)(arguments): a function of the driver or of CUPTI. */
#define CU(name) (__extension__((__typeof__(&name))symbol(cuda, #name)))
#define CP(name) (__extension__((__typeof__(&name))symbol(cupti, #name)))

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool good(int result, const char *what)
{
    const char *text = "";
    if (result)
        CP(cuptiGetResultString)((CUptiResult)result, &text);
    if (result)
        printf("  %s -> %d %s\n", what, result, text);
    return result == 0;
}

#define TIMED(call, what)                                                                 \
    do {                                                                                  \
        double call_start_ms = now_ms();                                                  \
        int result_of_call = (int)(call);                                                 \
        printf("  %-34s %4d %9.3f ms\n", what, result_of_call, now_ms() - call_start_ms); \
    } while (0)

static CUcontext context;
static CUmodule module;
static CUdeviceptr in, out;
static char mode[8];
static int variant;
static bool in_callback; /* SASS metrics within the launch's own callbacks */

/* ---- PC sampling ---- */

static CUpti_PCSamplingData kept; /* the buffer of the configuration */
static CUpti_PCSamplingData got;
static uint32_t *reason_index;
static char **reason_name;
static size_t reason_count;

static void buffer_make(CUpti_PCSamplingData *data)
{
    *data = (CUpti_PCSamplingData){.size = sizeof *data, .collectNumPcs = PCS};
    data->pPcData = calloc(PCS, sizeof *data->pPcData);
    for (size_t i = 0; i < PCS; i++) {
        data->pPcData[i].size = sizeof *data->pPcData;
        data->pPcData[i].stallReason = calloc(reason_count, sizeof(CUpti_PCSamplingStallReason));
    }
}

static const char *reason(uint32_t index)
{
    for (size_t i = 0; i < reason_count; i++)
        if (reason_index[i] == index)
            return reason_name[i] + (strlen(reason_name[i]) > 15 ? 15 : 0);
    return "?";
}

static void show(const CUpti_PCSamplingData *data, const char *when)
{
    printf("  %s: total %" PRIu64 " dropped %" PRIu64 " not user %" PRIu64
           " pcs %zu remaining %zu range %" PRIu64 " full %d\n",
           when, data->totalSamples, data->droppedSamples, data->nonUsrKernelsTotalSamples, data->totalNumPcs,
           data->remainingNumPcs, data->rangeId, data->hardwareBufferFull);
    for (size_t i = 0; i < data->totalNumPcs; i++) {
        const CUpti_PCSamplingPCData *pc = &data->pPcData[i];
        uint64_t all = 0;
        uint32_t best = 0, most = 0;
        for (size_t k = 0; k < pc->stallReasonCount; k++) {
            all += pc->stallReason[k].samples;
            if (pc->stallReason[k].samples > most) {
                most = pc->stallReason[k].samples;
                best = pc->stallReason[k].pcSamplingStallReasonIndex;
            }
        }
        printf("    %-18s %p index %u crc %" PRIx64 " pc %04" PRIx64
               " correlation %u reasons %zu samples %6" PRIu64 " most %u %s\n",
               pc->functionName, (void *)pc->functionName, pc->functionIndex, pc->cubinCrc, pc->pcOffset,
               pc->correlationId, pc->stallReasonCount, all, most, reason(best));
    }
}

static void drain(const char *when)
{
    CUpti_PCSamplingGetDataParams params = {
        .size = CUpti_PCSamplingGetDataParamsSize, .ctx = context, .pcSamplingData = &got};
    for (int i = 0; i < 8; i++) {
        double start_ms = now_ms();
        int result = (int)CP(cuptiPCSamplingGetData)(&params);
        printf("  GetData %d %.3f ms\n", result, now_ms() - start_ms);
        if (result || got.totalNumPcs == 0)
            break;
        show(&got, when);
        if (got.remainingNumPcs == 0)
            break;
    }
}

static void pc_disable(void)
{
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize, .ctx = context};
    TIMED(CP(cuptiPCSamplingDisable)(&disable), "PCSamplingDisable");
    show(&kept, "the buffer of the configuration");
}

static void pc_enable(CUcontext ctx, uint32_t collection, uint32_t period, uint32_t span_ms)
{
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize, .ctx = ctx};
    CUpti_PCSamplingGetNumStallReasonsParams number = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize, .ctx = ctx, .numStallReasons = &reason_count};
    context = ctx;
    TIMED(CP(cuptiPCSamplingEnable)(&enable), "PCSamplingEnable");
    TIMED(CP(cuptiPCSamplingGetNumStallReasons)(&number), "GetNumStallReasons");
    reason_index = calloc(reason_count, sizeof *reason_index);
    reason_name = calloc(reason_count, sizeof *reason_name);
    for (size_t i = 0; i < reason_count; i++)
        reason_name[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE);
    CUpti_PCSamplingGetStallReasonsParams names = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                   .ctx = ctx,
                                                   .numStallReasons = reason_count,
                                                   .stallReasonIndex = reason_index,
                                                   .stallReasons = reason_name};
    TIMED(CP(cuptiPCSamplingGetStallReasons)(&names), "GetStallReasons");
    if (period == 5 && collection == 2)
        for (size_t i = 0; i < reason_count; i++)
            printf("  reason %u %s\n", reason_index[i], reason_name[i]);
    buffer_make(&kept);
    buffer_make(&got);
    CUpti_PCSamplingConfigurationInfo info[8] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode = (CUpti_PCSamplingCollectionMode)collection},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = period},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &kept},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN,
         .attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan = span_ms},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE,
         .attributeData.scratchBufferSizeData.scratchBufferSize = 4u << 20},
    };
    CUpti_PCSamplingConfigurationInfoParams set = {.size = CUpti_PCSamplingConfigurationInfoParamsSize,
                                                   .ctx = ctx,
                                                   .numAttributes = 5,
                                                   .pPCSamplingConfigurationInfo = info};
    TIMED(CP(cuptiPCSamplingSetConfigurationAttribute)(&set), "SetConfigurationAttribute");
    for (int i = 0; i < 5; i++)
        if (info[i].attributeStatus)
            printf("  attribute %d -> %d\n", (int)info[i].attributeType, info[i].attributeStatus);
}

/* ---- SASS metrics ---- */

static CUpti_SassMetrics_Config config[METRICS];
static const char *metric_name[METRICS];
static size_t metric_count;

static void sass_configure(size_t count)
{
    CUpti_SassMetricsSetConfig_Params set = {.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE,
                                             .numOfMetricConfig = count,
                                             .pConfigs = config};
    TIMED(CP(cuptiSassMetricsSetConfig)(&set), "SassMetricsSetConfig");
}

static void sass_enable(bool lazy)
{
    CUpti_SassMetricsEnable_Params enable = {
        .structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE, .ctx = context, .enableLazyPatching = lazy};
    TIMED(CP(cuptiSassMetricsEnable)(&enable), "SassMetricsEnable");
}

static void sass_disable(bool unset)
{
    CUpti_SassMetricsDisable_Params disable = {.structSize = CUpti_SassMetricsDisable_Params_STRUCT_SIZE,
                                               .ctx = context};
    CUpti_SassMetricsUnsetConfig_Params params = {.structSize =
                                                      CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE};
    TIMED(CP(cuptiSassMetricsDisable)(&disable), "SassMetricsDisable");
    printf("  dropped %zu\n", disable.numOfDroppedRecords);
    if (unset)
        TIMED(CP(cuptiSassMetricsUnsetConfig)(&params), "SassMetricsUnsetConfig");
}

static void sass_flush(size_t count, bool rows)
{
    CUpti_SassMetricsGetDataProperties_Params ask = {
        .structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE, .ctx = context};
    TIMED(CP(cuptiSassMetricsGetDataProperties)(&ask), "SassMetricsGetDataProperties");
    printf("  records %zu instances %zu\n", ask.numOfPatchedInstructionRecords, ask.numOfInstances);
    if (ask.numOfPatchedInstructionRecords == 0)
        return;
    CUpti_SassMetrics_Data *data = calloc(ask.numOfPatchedInstructionRecords, sizeof *data);
    for (size_t i = 0; i < ask.numOfPatchedInstructionRecords; i++) {
        data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
        data[i].pInstanceValues = calloc(ask.numOfInstances, sizeof *data[i].pInstanceValues);
    }
    CUpti_SassMetricsFlushData_Params flush = {.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE,
                                               .ctx = context,
                                               .numOfPatchedInstructionRecords =
                                                   ask.numOfPatchedInstructionRecords,
                                               .numOfInstances = ask.numOfInstances,
                                               .pMetricsData = data};
    TIMED(CP(cuptiSassMetricsFlushData)(&flush), "SassMetricsFlushData");
    uint64_t sum[METRICS] = {0};
    for (size_t i = 0; i < ask.numOfPatchedInstructionRecords; i++) {
        if (rows)
            printf("    %-18s index %u crc %x pc %04x", data[i].functionName, data[i].functionIndex,
                   data[i].cubinCrc, data[i].pcOffset);
        for (size_t k = 0; k < ask.numOfInstances; k++)
            for (size_t m = 0; m < count; m++)
                if (data[i].pInstanceValues[k].metricId == config[m].metricId) {
                    sum[m] += data[i].pInstanceValues[k].value;
                    if (rows)
                        printf(" %zu=%" PRIu64, m, data[i].pInstanceValues[k].value);
                }
        if (rows)
            printf("\n");
    }
    for (size_t m = 0; m < count; m++)
        printf("  sum %zu %s %" PRIu64 "\n", m, metric_name[m], sum[m]);
}

/* ---- the program ---- */

static uint32_t collection, period, span_ms;

static void CUPTIAPI handle(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED &&
        strcmp(mode, "pc") == 0) {
        pc_enable(((const CUpti_ResourceData *)data)->context, collection, period, span_ms);
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
        const CUpti_ModuleResourceData *loaded = ((const CUpti_ResourceData *)data)->resourceDescriptor;
        CUpti_GetCubinCrcParams crc = {
            .size = CUpti_GetCubinCrcParamsSize, .cubinSize = loaded->cubinSize, .cubin = loaded->pCubin};
        TIMED(CP(cuptiGetCubinCrc)(&crc), "GetCubinCrc");
        printf("  module %u, %zu bytes, crc %" PRIx64 "\n", loaded->moduleId, loaded->cubinSize,
               crc.cubinCrc);
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        printf("  the context goes\n");
        if (in_callback && strcmp(mode, "pc") == 0) {
            drain("at the end");
            pc_disable();
        }
    } else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
        const CUpti_CallbackData *call = data;
        bool enter = call->callbackSite == CUPTI_API_ENTER;
        if (enter)
            printf("  launch of %s, correlation %u\n", call->symbolName, call->correlationId);
        if (in_callback && strcmp(mode, "pc") == 0) {
            if (!enter)
                drain("in the callback");
        } else if (in_callback && enter) {
            good((int)CU(cuCtxSynchronize)(), "sync");
            sass_configure(metric_count);
            sass_enable(true);
        } else if (in_callback) {
            good((int)CU(cuCtxSynchronize)(), "sync");
            sass_flush(metric_count, false);
            sass_disable(true);
        }
    }
}

static void launch(const char *name)
{
    CUfunction function = NULL;
    uint32_t n = N;
    void *arguments[] = {&out, &in, &n};
    good((int)CU(cuModuleGetFunction)(&function, module, name), "cuModuleGetFunction");
    double start_ms = now_ms();
    good((int)CU(cuLaunchKernel)(function, N / 32, N / 32, 1, 32, 8, 1, 0, NULL, arguments, NULL),
         "cuLaunchKernel");
    double launched_ms = now_ms();
    good((int)CU(cuCtxSynchronize)(), "cuCtxSynchronize");
    printf("%s: launch %.3f ms, synchronised after %.3f ms\n", name, launched_ms - start_ms,
           now_ms() - start_ms);
}

static void begin(void)
{
    CUpti_SubscriberHandle subscriber;
    CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                     .subscriberName = "probe"};
    const struct kernel_image *image = kernel_image_find("transpose");
    CUdevice device;
    good((int)CP(cuptiSubscribe_v2)(&subscriber, handle, NULL, &params), "subscribe");
    CP(cuptiEnableCallback)(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    CP(cuptiEnableCallback)(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    CP(cuptiEnableCallback)
    (1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
    good((int)CU(cuInit)(0), "cuInit");
    good((int)CU(cuDeviceGet)(&device, 0), "cuDeviceGet");
    good((int)CU(cuDevicePrimaryCtxRetain)(&context, device), "cuDevicePrimaryCtxRetain");
    good((int)CU(cuCtxSetCurrent)(context), "cuCtxSetCurrent");
    double start_ms = now_ms();
    good((int)CU(cuModuleLoadData)(&module, image->data), "cuModuleLoadData");
    printf("module load %.3f ms\n", now_ms() - start_ms);
    __typeof__(&cuMemAlloc) alloc = __extension__((__typeof__(&cuMemAlloc))symbol(cuda, "cuMemAlloc_v2"));
    good((int)alloc(&in, (size_t)N * N * 4), "cuMemAlloc");
    good((int)alloc(&out, (size_t)N * N * 4), "cuMemAlloc");
}

static void pc_main(void)
{
    static const char *const kernels[] = {"transpose_copy", "transpose_naive", "transpose_tile",
                                          "transpose_pad"};
    begin();
    for (size_t i = 0; i < 4; i++) {
        launch(kernels[i]);
        if (!in_callback)
            drain("right after");
    }
    double start_ms = now_ms();
    CUfunction function = NULL;
    uint32_t n = N;
    void *arguments[] = {&out, &in, &n};
    good((int)CU(cuModuleGetFunction)(&function, module, "transpose_pad"), "cuModuleGetFunction");
    for (int i = 0; i < 20; i++)
        good((int)CU(cuLaunchKernel)(function, N / 32, N / 32, 1, 32, 8, 1, 0, NULL, arguments, NULL),
             "cuLaunchKernel");
    good((int)CU(cuCtxSynchronize)(), "cuCtxSynchronize");
    printf("20 launches of transpose_pad: %.3f ms\n", now_ms() - start_ms);
    drain("after 20");
    struct timespec pause = {.tv_nsec = 300000000};
    nanosleep(&pause, NULL);
    drain("0.3 s later");
    if (!in_callback)
        pc_disable();
    good((int)CU(cuDevicePrimaryCtxRelease)(0), "cuDevicePrimaryCtxRelease");
}

/*
 * 0 launches of one kernel, then another, flushed after each; 1 the same, patched at once; 2 in the launch's
 * callbacks, configured anew for each; 3 Disable and Enable between; 4 Disable, UnsetConfig, SetConfig of one
 * metric between; 5 another context for the second kernel; 6 Enable before the module is loaded.
 */
static void sass_main(char **names, int count)
{
    begin();
    CUpti_Profiler_Initialize_Params start = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    TIMED(CP(cuptiProfilerInitialize)(&start), "ProfilerInitialize");
    TIMED(CP(cuptiDeviceGetChipName)(&chip), "GetChipName");
    CUpti_SassMetrics_GetNumOfMetrics_Params number = {
        .structSize = CUpti_SassMetrics_GetNumOfMetrics_Params_STRUCT_SIZE, .pChipName = chip.pChipName};
    TIMED(CP(cuptiSassMetricsGetNumOfMetrics)(&number), "SassMetricsGetNumOfMetrics");
    CUpti_SassMetrics_MetricDetails *details = calloc(number.numOfMetrics + 1, sizeof *details);
    CUpti_SassMetrics_GetMetrics_Params list = {.structSize = CUpti_SassMetrics_GetMetrics_Params_STRUCT_SIZE,
                                                .pChipName = chip.pChipName,
                                                .numOfMetrics = number.numOfMetrics,
                                                .pMetricsList = details};
    TIMED(CP(cuptiSassMetricsGetMetrics)(&list), "SassMetricsGetMetrics");
    for (size_t i = 0; i < number.numOfMetrics; i++) {
        if (variant < 0)
            printf("metric %s: %s\n", details[i].pMetricName, details[i].pMetricDescription);
        for (int k = 0; k < count && metric_count < METRICS; k++)
            if (strcmp(names[k], details[i].pMetricName) == 0 || strcmp(names[k], "all") == 0) {
                metric_name[metric_count] = details[i].pMetricName;
                config[metric_count++] = (CUpti_SassMetrics_Config){
                    details[i].metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
            }
    }
    if (variant < 0)
        return;
    printf("%zu metrics of %zu\n", metric_count, number.numOfMetrics);
    in_callback = variant == 2;
    if (!in_callback) {
        sass_configure(metric_count);
        sass_enable(variant != 1);
        launch("transpose_naive");
        sass_flush(metric_count, variant == 0);
        if (variant == 3) {
            sass_disable(false);
            sass_enable(true);
        } else if (variant == 4) {
            sass_disable(true);
            sass_configure(1);
            sass_enable(true);
        } else if (variant == 5) {
            sass_disable(true);
            good((int)CU(cuDevicePrimaryCtxReset)(0), "cuDevicePrimaryCtxReset");
            begin();
            sass_configure(metric_count);
            sass_enable(true);
        }
    } else {
        launch("transpose_naive");
    }
    launch("transpose_tile");
    if (!in_callback)
        sass_flush(variant == 4 ? 1 : metric_count, variant == 0 || variant == 1);
    launch("transpose_naive");
    if (!in_callback)
        sass_flush(variant == 4 ? 1 : metric_count, false);
}

int main(int argc, char **argv)
{
    static const char *const places[] = {"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                         "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13",
                                         "/usr/local/cuda-13.0/lib64/libcupti.so.13",
                                         "/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof places / sizeof *places && !cupti; i++)
        cupti = dlopen(places[i], RTLD_NOW);
    if (!cuda || !cupti || argc < 2) {
        printf("skipped: %s\n", dlerror());
        return 77;
    }
    snprintf(mode, sizeof mode, "%s", argv[1]);
    if (strcmp(mode, "pc") == 0 && argc > 4) {
        collection = (uint32_t)atoi(argv[2]);
        period = (uint32_t)atoi(argv[3]);
        span_ms = (uint32_t)atoi(argv[4]);
        in_callback = argc > 5;
        pc_main();
    } else {
        variant = strcmp(mode, "sass") == 0 && argc > 2 ? atoi(argv[2]) : -1;
        sass_main(argv + 3, argc - 3 > 0 ? argc - 3 : 0);
    }
    return 0;
}
