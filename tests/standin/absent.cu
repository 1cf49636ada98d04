/* What docs/standin.md says is not there, a case for each row of its table; test_standin.c compares. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void present(int *value)
{
    *value = 3;
}

/* Loads PTX with the driver's functions and launches its kernel `absent`; a kernel that is there runs before.
 */
static cudaError_t run_instruction(const char *instruction)
{
    char text[1000];
    CUresult (*load)(CUmodule *, const void *), (*find)(CUfunction *, CUmodule, const char *);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       CUstream, void **, void **);
    cudaDriverEntryPointQueryResult found;
    CUmodule module;
    CUfunction function;
    int *value, host = 0;

    cudaMalloc((void **)&value, sizeof *value);
    present<<<1, 1>>>(value);
    cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost);
    printf("present %d\n", host);
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry absent()\n{\n.reg .b32 "
             "%%r<9>;\n.reg .b64 %%rd<9>;\n"
             ".reg .f32 %%f<9>;\n%s;\nret;\n}\n",
             instruction);
    cudaGetDriverEntryPointByVersion("cuModuleLoadData", (void **)&load, 12000, cudaEnableDefault, &found);
    cudaGetDriverEntryPointByVersion("cuModuleGetFunction", (void **)&find, 12000, cudaEnableDefault, &found);
    cudaGetDriverEntryPointByVersion("cuLaunchKernel", (void **)&launch, 12000, cudaEnableDefault, &found);
    CUresult code = load(&module, text);
    if (code == CUDA_SUCCESS)
        code = find(&function, module, "absent");
    if (code == CUDA_SUCCESS)
        code = launch(function, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL);
    return (cudaError_t)code;
}

static cudaError_t create_texture(bool srgb)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaResourceViewDesc view = {};
    cudaTextureObject_t made;

    resource.resType = cudaResourceTypeArray;
    cudaMallocArray(&resource.res.array.array, &format, 64, 64);
    texture.readMode = cudaReadModeNormalizedFloat;
    texture.sRGB = srgb;
    view.format = cudaResViewFormatUnsignedChar4;
    view.width = view.height = 64;
    return cudaCreateTextureObject(&made, &resource, &texture, srgb ? NULL : &view);
}

static cudaError_t add_child(bool conditional)
{
    static cudaGraph_t graph, child; /* after the refusal nothing can be destroyed */
    cudaGraphNode_t node;
    cudaMemAllocNodeParams memory = {};
    cudaGraphNodeParams condition = {};

    cudaGraphCreate(&graph, 0);
    cudaGraphCreate(&child, 0);
    if (conditional) {
        cudaGraphConditionalHandleCreate(&condition.conditional.handle, child, 1, cudaGraphCondAssignDefault);
        condition.type = cudaGraphNodeTypeConditional;
        condition.conditional.type = cudaGraphCondTypeIf;
        condition.conditional.size = 1;
        cudaGraphAddNode(&node, child, NULL, NULL, 0, &condition);
    } else {
        memory.bytesize = 256;
        memory.poolProps.allocType = cudaMemAllocationTypePinned;
        memory.poolProps.location.type = cudaMemLocationTypeDevice;
        cudaGraphAddMemAllocNode(&node, child, NULL, 0, &memory);
    }
    return cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child);
}

/* Pools that are all one, behind handles of their own: 0 if what is set of one is what the other has. */
static cudaError_t create_pools(void)
{
    cudaMemPool_t first, second;
    cudaMemPoolProps properties = {};
    cuuint64_t kept = 12345, seen = 0;
    CUresult (*get)(CUmemoryPool, CUmemPool_attribute, void *);
    cudaDriverEntryPointQueryResult found;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&first, &properties);
    cudaMemPoolCreate(&second, &properties);
    cudaMemPoolSetAttribute(first, cudaMemPoolAttrReleaseThreshold, &kept);
    cudaGetDriverEntryPointByVersion("cuMemPoolGetAttribute", (void **)&get, 13000, cudaEnableDefault,
                                     &found);
    get(second, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &seen);
    return first != second && seen == kept ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t create_context(void)
{
    CUresult (*create)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice),
        (*retain)(CUcontext *, CUdevice);
    cudaDriverEntryPointQueryResult found;
    CUcontext made = NULL, primary = NULL;

    cudaGetDriverEntryPointByVersion("cuCtxCreate", (void **)&create, 13000, cudaEnableDefault, &found);
    cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxRetain", (void **)&retain, 12000, cudaEnableDefault,
                                     &found);
    create(&made, NULL, 0, 0);
    retain(&primary, 0);
    return made && made == primary ? cudaSuccess : cudaErrorUnknown;
}

int main(int argument_count, char **arguments)
{
    const char *name = argument_count > 1 ? arguments[1] : "";
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaError_t code = cudaErrorUnknown;
    cudaMipmappedArray_t levels;
    cudaArray_t array;
    cudaIpcEventHandle_t handle;
    cudaExternalMemory_t external;
    cudaEvent_t event;
    void *pointer;
    size_t size;

    if (strcmp(name, "mipmapped") == 0)
        code = cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(64, 64, 0), 3);
    else if (strcmp(name, "sparse") == 0)
        code = cudaMalloc3DArray(&array, &format, make_cudaExtent(64, 64, 0), cudaArraySparse);
    else if (strcmp(name, "srgb") == 0 || strcmp(name, "view") == 0)
        code = create_texture(*name == 's');
    else if (strcmp(name, "ipc") == 0) {
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
        code = cudaIpcGetEventHandle(&handle, event);
    } else if (strcmp(name, "external") == 0)
        code = cudaImportExternalMemory(&external, NULL);
    else if (strcmp(name, "graphics") == 0)
        code = cudaGraphicsResourceGetMappedPointer(&pointer, &size, NULL);
    else if (strcmp(name, "child-memory") == 0 || strcmp(name, "child-condition") == 0)
        code = add_child(strcmp(name, "child-condition") == 0);
    else if (strcmp(name, "pools") == 0)
        code = create_pools();
    else if (strcmp(name, "contexts") == 0)
        code = create_context();
    else if (strcmp(name, "wgmma") == 0)
        code = run_instruction("wgmma.fence.sync.aligned");
    else if (strcmp(name, "tensor-copy") == 0)
        code = run_instruction("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                               "[%r1], [%rd1, {%r2}], [%r3]");
    else if (strcmp(name, "mma-sparse") == 0)
        code = run_instruction("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, "
                               "{%r1, %r2}, {%r3, %r4}, "
                               "{%f1, %f2, %f3, %f4}, %r5, 0");
    else if (strcmp(name, "mma-8") == 0)
        code = run_instruction(
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
            "{%r5, %r6}, {%f1, %f2, %f3, %f4}");
    printf("%s: %s\n", name, cudaGetErrorName(code));
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
