// One shared-memory instruction of one warp per launch, with addresses from a table: what the hardware makes
// of patterns. Prints a line per launch, in order: operation, bytes per lane, mask of active lanes, 32 byte
// offsets. tests/gpu/patterns.py joins it with the wavefronts.
#include "patterns.h"

#define TILE_BYTES 16384

extern __shared__ uint4 tile[];

__device__ uint32_t address_of(uint32_t offset)
{
    return (uint32_t)__cvta_generic_to_shared(tile) + offset;
}

__global__ void load_4(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]), x = 0;
    if (mask >> threadIdx.x & 1)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(a));
    out[threadIdx.x] = x;
}

__global__ void load_8(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]), x = 0, y = 0;
    if (mask >> threadIdx.x & 1)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(a));
    out[threadIdx.x] = x + y;
}

__global__ void load_16(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]), x = 0, y = 0, z = 0, w = 0;
    if (mask >> threadIdx.x & 1)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(a));
    out[threadIdx.x] = x + y + z + w;
}

__global__ void store_4(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]);
    if (mask >> threadIdx.x & 1)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(a), "r"(a) : "memory");
    out[threadIdx.x] = a;
}

__global__ void store_8(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]);
    if (mask >> threadIdx.x & 1)
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(a), "r"(a) : "memory");
    out[threadIdx.x] = a;
}

__global__ void store_16(const uint32_t *offset, uint32_t mask, uint32_t *out)
{
    uint32_t a = address_of(offset[threadIdx.x]);
    if (mask >> threadIdx.x & 1)
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(a), "r"(a) : "memory");
    out[threadIdx.x] = a;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 6000;
    typedef void (*kernel)(const uint32_t *, uint32_t, uint32_t *);
    const kernel kernels[6] = {load_4, load_8, load_16, store_4, store_8, store_16};
    uint32_t *offset, *out;
    CHECK(cudaMalloc(&offset, 128));
    CHECK(cudaMalloc(&out, 128));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit[32], which = i % 6, width = 4u << which % 3;
        uint32_t mask = draw_mask(draw(MASK_KINDS));
        make(i / 6 % PATTERN_KINDS, unit);
        describe(which < 3 ? "load" : "store", width, mask, unit, TILE_BYTES);
        CHECK(cudaMemcpy(offset, unit, 128, cudaMemcpyHostToDevice));
        kernels[which]<<<1, 32, TILE_BYTES>>>(offset, mask, out);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
