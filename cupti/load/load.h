/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcupti, opened at run time: a table of the functions that lanescope calls.
 *
 * It tries in order: the copy that is already mapped (PyTorch has its own, and two copies in one process do
 * not work together), the soname, the path that the launcher found. 13.0 Update 1 is the oldest version
 * accepted. The table is owned by the caller, filled once, read by any thread; the library stays open until
 * the process ends.
 */
#ifndef CUPTI_LOAD_LOAD_H
#define CUPTI_LOAD_LOAD_H

#include "core/base/error.h"
#include "core/hardware/device_info.h"

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUPTI_SONAME "libcupti.so.13"
#define CUPTI_OLDEST 130001u /* 13.0 Update 1 */

/* The records of the activity API in the layouts of this CUPTI; a later 13.x appends fields. */
typedef CUpti_ActivityKernel10 cupti_kernel_record;
typedef CUpti_ActivityMemcpy6 cupti_copy_record;
typedef CUpti_ActivityMemcpyPtoP4 cupti_peer_copy_record;
typedef CUpti_ActivityMemset4 cupti_set_record;
typedef CUpti_ActivitySynchronization2 cupti_sync_record;
typedef CUpti_ActivityCudaEvent2 cupti_event_record;
typedef CUpti_ActivityMarker2 cupti_marker_record;
typedef CUpti_ActivityOverhead3 cupti_overhead_record;
typedef CUpti_ActivityContext3 cupti_context_record;

/* Functions that libcupti exports but its headers do not declare: an NVTX injection forwards to them. */
CUptiResult cuptiNvtxInitialize(void *get_export_table);
CUptiResult cuptiNvtxInitialize2(void *get_export_table);

#define CUPTI_FUNCTION_LIST(X)                      \
    X(cuptiGetVersion)                              \
    X(cuptiGetResultString)                         \
    X(cuptiGetErrorMessage)                         \
    X(cuptiSubscribe_v2)                            \
    X(cuptiUnsubscribe)                             \
    X(cuptiEnableCallback)                          \
    X(cuptiGetCallbackName)                         \
    X(cuptiGetDeviceId)                             \
    X(cuptiGetStreamIdEx)                           \
    X(cuptiGetGraphNodeId)                          \
    X(cuptiSetThreadIdType)                         \
    X(cuptiActivityRegisterCallbacks)               \
    X(cuptiActivityEnable)                          \
    X(cuptiActivityDisable)                         \
    X(cuptiActivityEnableRuntimeApi)                \
    X(cuptiActivityEnableDriverApi)                 \
    X(cuptiActivityFlushAll)                        \
    X(cuptiActivityGetNextRecord)                   \
    X(cuptiActivityGetNumDroppedRecords)            \
    X(cuptiNvtxInitialize)                          \
    X(cuptiNvtxInitialize2)                         \
    X(cuptiProfilerInitialize)                      \
    X(cuptiProfilerGetCounterAvailability)          \
    X(cuptiDeviceGetChipName)                       \
    X(cuptiProfilerHostInitialize)                  \
    X(cuptiProfilerHostDeinitialize)                \
    X(cuptiProfilerHostGetSupportedChips)           \
    X(cuptiProfilerHostConfigAddMetrics)            \
    X(cuptiProfilerHostGetConfigImageSize)          \
    X(cuptiProfilerHostGetConfigImage)              \
    X(cuptiProfilerHostGetNumOfPasses)              \
    X(cuptiProfilerHostEvaluateToGpuValues)         \
    X(cuptiRangeProfilerEnable)                     \
    X(cuptiRangeProfilerDisable)                    \
    X(cuptiRangeProfilerSetConfig)                  \
    X(cuptiRangeProfilerStart)                      \
    X(cuptiRangeProfilerStop)                       \
    X(cuptiRangeProfilerDecodeData)                 \
    X(cuptiRangeProfilerGetCounterDataSize)         \
    X(cuptiRangeProfilerCounterDataImageInitialize) \
    X(cuptiRangeProfilerGetCounterDataInfo)         \
    X(cuptiPCSamplingEnable)                        \
    X(cuptiPCSamplingDisable)                       \
    X(cuptiPCSamplingGetNumStallReasons)            \
    X(cuptiPCSamplingGetStallReasons)               \
    X(cuptiPCSamplingSetConfigurationAttribute)     \
    X(cuptiPCSamplingGetData)                       \
    X(cuptiGetCubinCrc)                             \
    X(cuptiGetSassToSourceCorrelation)              \
    X(cuptiSassMetricsGetProperties)                \
    X(cuptiSassMetricsSetConfig)                    \
    X(cuptiSassMetricsUnsetConfig)                  \
    X(cuptiSassMetricsEnable)                       \
    X(cuptiSassMetricsDisable)                      \
    X(cuptiSassMetricsGetDataProperties)            \
    X(cuptiSassMetricsFlushData)                    \
    X(cuptiPmSamplingGetCounterAvailability)        \
    X(cuptiPmSamplingEnable)                        \
    X(cuptiPmSamplingDisable)                       \
    X(cuptiPmSamplingSetConfig)                     \
    X(cuptiPmSamplingStart)                         \
    X(cuptiPmSamplingStop)                          \
    X(cuptiPmSamplingDecodeData)                    \
    X(cuptiPmSamplingGetCounterDataSize)            \
    X(cuptiPmSamplingCounterDataImageInitialize)    \
    X(cuptiPmSamplingGetCounterDataInfo)            \
    X(cuptiPmSamplingCounterDataGetSampleInfo)

struct cupti {
    void *library;
    uint32_t version; /* 130001 */
    char path[1024];  /* the file it came from */
#define CUPTI_MEMBER(name) __typeof__(&name) name;
    CUPTI_FUNCTION_LIST(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

/* Fills the table. launcher_path is tried last, and may be NULL or empty. STATUS_UNSUPPORTED: there is no
 * CUPTI, or it is too old, or a 12.x is loaded already; the sentence names the file. */
enum status cupti_load(struct cupti *cupti, const char *launcher_path, struct error *error);

/* CUPTI's own words for a result, static text. */
const char *cupti_text(const struct cupti *cupti, CUptiResult result);

/* Converts a failed call into a status and a sentence; `what` names the attempted action ("Starting the
 * counters"). For missing permission, counters held by another process and a second profiler the sentence
 * says what to do. */
enum status cupti_error(const struct cupti *cupti, CUptiResult result, const char *what, struct error *error);

/* ---- the driver ---- */

/*
 * The few functions of the CUDA driver that the agent and the probe call, from libcuda, which is opened if it
 * is not loaded.
 */

#define DRIVER_FUNCTION_LIST(X)                                  \
    X(cuInit, "cuInit")                                          \
    X(cuDriverGetVersion, "cuDriverGetVersion")                  \
    X(cuDeviceGetCount, "cuDeviceGetCount")                      \
    X(cuDeviceGet, "cuDeviceGet")                                \
    X(cuDeviceGetName, "cuDeviceGetName")                        \
    X(cuDeviceGetUuid, "cuDeviceGetUuid_v2")                     \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2")                   \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute")              \
    X(cuFuncGetAttribute, "cuFuncGetAttribute")                  \
    X(cuKernelGetFunction, "cuKernelGetFunction")                \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")      \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") \
    X(cuCtxSetCurrent, "cuCtxSetCurrent")                        \
    X(cuCtxSynchronize, "cuCtxSynchronize")                      \
    X(cuGetErrorString, "cuGetErrorString")

struct driver {
#define DRIVER_MEMBER(name, symbol) __typeof__(&name) name;
    DRIVER_FUNCTION_LIST(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/* load: open libcuda if it is not loaded yet. False if one of the functions is missing. */
bool driver_find(struct driver *driver, bool load);

/* Fills in what the driver reports about a device; chip stays empty. False: no such device. cuInit must be
 * done; needs no context. */
bool driver_describe(const struct driver *driver, int ordinal, struct device_info *info);

#endif
