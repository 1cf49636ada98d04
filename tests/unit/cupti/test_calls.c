/* SPDX-License-Identifier: Apache-2.0 */
#if LANESCOPE_CUDA
#include "core/base/function_name.h"
#include "cupti/agent/activity.h"
#include "cupti/agent/counters/counters.h"
#endif

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

Test(calls, plain_names_and_categories)
{
    static const struct {
        const char *name, *plain;
        enum call_category category;
    } rows[] = {
        {"cudaLaunchKernel_v7000", "cudaLaunchKernel", CALL_LAUNCH},
        {"cudaLaunchKernel_ptsz_v7000", "cudaLaunchKernel", CALL_LAUNCH},
        {"__cudaLaunchKernel_v13000", "cudaLaunchKernel", CALL_LAUNCH},
        {"cudaLaunchKernelExC_v11060", "cudaLaunchKernelExC", CALL_LAUNCH},
        {"cuLaunchCooperativeKernel_ptsz", "cuLaunchCooperativeKernel", CALL_LAUNCH},
        {"cuGraphLaunch_ptsz", "cuGraphLaunch", CALL_LAUNCH},
        {"cudaGraphLaunch_v10000", "cudaGraphLaunch", CALL_LAUNCH},
        {"cudaMemcpyAsync_v3020", "cudaMemcpyAsync", CALL_COPY},
        {"cuMemcpyHtoD_v2", "cuMemcpyHtoD", CALL_COPY},
        {"cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync", CALL_COPY},
        {"cuMemcpy3D_v2_ptds", "cuMemcpy3D", CALL_COPY},
        {"cuMemcpy2D", "cuMemcpy2D", CALL_COPY},
        {"cuMemsetD8_v2", "cuMemsetD8", CALL_SET},
        {"cudaMemset_v3020", "cudaMemset", CALL_SET},
        {"cudaMalloc_v3020", "cudaMalloc", CALL_ALLOC},
        {"cudaHostAlloc_v3020", "cudaHostAlloc", CALL_ALLOC},
        {"cuMemAllocAsync", "cuMemAllocAsync", CALL_ALLOC},
        {"cudaFree_v3020", "cudaFree", CALL_FREE},
        {"cuMemFree_v2", "cuMemFree", CALL_FREE},
        {"cudaDeviceSynchronize_v3020", "cudaDeviceSynchronize", CALL_SYNC},
        {"cuStreamWaitEvent", "cuStreamWaitEvent", CALL_STREAM},
        {"cuStreamSynchronize_ptsz", "cuStreamSynchronize", CALL_SYNC},
        {"cudaStreamCreate_v3020", "cudaStreamCreate", CALL_STREAM},
        {"cudaEventRecord_ptsz", "cudaEventRecord", CALL_STREAM},
        {"cuEventRecordWithFlags_ptsz", "cuEventRecordWithFlags", CALL_STREAM},
        {"cudaEventQuery_v3020", "cudaEventQuery", CALL_STREAM},
        {"cuStreamQuery_ptsz", "cuStreamQuery", CALL_STREAM},
        {"cudaEventCreate_v3020", "cudaEventCreate", CALL_STREAM},
        {"cuEventDestroy_v2", "cuEventDestroy", CALL_STREAM},
        {"cudaMemGetInfo_v3020", "cudaMemGetInfo", CALL_STREAM},
        {"cudaGetDeviceProperties_v2_v12000", "cudaGetDeviceProperties", CALL_STREAM},
        {"cudaFuncGetAttributes_v3020", "cudaFuncGetAttributes", CALL_STREAM},
        {"cuPointerGetAttributes", "cuPointerGetAttributes", CALL_STREAM},
        {"cudaEventElapsedTime_v12080", "cudaEventElapsedTime", CALL_OTHER},
        {"cudaLaunchHostFunc_ptsz_v10000", "cudaLaunchHostFunc", CALL_LAUNCH},
        {"cuStreamAddCallback_ptsz", "cuStreamAddCallback", CALL_LAUNCH},
        {"cudaGraphExecUpdate_v10020", "cudaGraphExecUpdate", CALL_STREAM},
        {"cuGraphExecDestroy", "cuGraphExecDestroy", CALL_STREAM},
        {"cuDeviceGetAttribute", "cuDeviceGetAttribute", CALL_OTHER},
        {"cudaGetLastError_v3020", "cudaGetLastError", CALL_OTHER},
        {"cuModuleLoadDataEx", "cuModuleLoadDataEx", CALL_MODULE},
        {"", "", CALL_OTHER},
        {"_v7", "_v7", CALL_OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char plain[API_NAME_BYTES];
        api_plain_name(rows[i].name, plain, sizeof plain);
        cr_assert_str_eq(plain, rows[i].plain);
        cr_assert_eq(api_category(plain), rows[i].category, "%s: %d", plain, (int)api_category(plain));
    }
}

Test(calls, long_names_are_cut)
{
    char name[300], plain[API_NAME_BYTES];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    api_plain_name(name, plain, sizeof plain);
    cr_assert_eq(strlen(plain), API_NAME_BYTES - 1);
}

Test(calls, what_must_not_disturb_a_replay)
{
    static const struct {
        const char *name;
        enum counters_call call;
    } rows[] = {{"cuLaunchKernel", COUNTERS_LAUNCH},
                {"cuLaunchKernelEx", COUNTERS_LAUNCH},
                {"cuLaunchCooperativeKernel", COUNTERS_LAUNCH},
                {"cuGraphLaunch", COUNTERS_GRAPH},
                {"cuGraphInstantiateWithParams", COUNTERS_GRAPH_MADE},
                {"cuGraphExecUpdate_v2", COUNTERS_GRAPH_UPDATED},
                {"cuGraphExecKernelNodeSetParams_v2", COUNTERS_GRAPH_CHANGED},
                {"cuGraphDestroy", COUNTERS_GRAPH_DESTROYED},
                {"cuGraphDestroyNode", COUNTERS_GRAPH_CHANGED},
                {"cuGraphExecDestroy", COUNTERS_GRAPH_GONE},
                {"cuGraphAddKernelNode_v2", COUNTERS_NOTHING},
                {"cuMemcpyHtoDAsync", COUNTERS_MEMORY},
                {"cuMemsetD32", COUNTERS_MEMORY},
                {"cuStreamBeginCapture", COUNTERS_CAPTURE},
                {"cuStreamEndCapture", COUNTERS_CAPTURE},
                {"cuLaunchHostFunc", COUNTERS_NOTHING},
                {"cuMemAlloc", COUNTERS_NOTHING}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(counters_classify(rows[i].name), rows[i].call, "%s", rows[i].name);
}
#endif
