// One atomic instruction of one warp per launch, on global or shared memory, with addresses from a table:
// what the hardware makes of patterns. Prints a line per launch, in order: operation, bytes per lane, mask of
// active lanes, 32 byte offsets. tests/gpu/patterns.py joins it with sectors (red, atom, cas) or wavefronts
// (shared ones).
#include "patterns.h"

#define TILE_BYTES 16384

extern __shared__ uint4 tile[];

// The lane's value is its own, so that nothing can be added up before the memory sees it.
#define GLOBAL_KERNEL(name, type, instruction, constraint)                                          \
    __global__ void name(const uint32_t *offset, uint32_t mask, char *memory, type *out)            \
    {                                                                                               \
        char *a = memory + offset[threadIdx.x];                                                     \
        type value = offset[threadIdx.x] + threadIdx.x + 1, old = 0;                                \
        if (mask >> threadIdx.x & 1)                                                                \
            asm volatile(instruction : "+" constraint(old) : "l"(a), constraint(value) : "memory"); \
        out[threadIdx.x] = old;                                                                     \
    }

#define SHARED_KERNEL(name, type, instruction, constraint)                                          \
    __global__ void name(const uint32_t *offset, uint32_t mask, char *, type *out)                  \
    {                                                                                               \
        uint32_t a = (uint32_t)__cvta_generic_to_shared(tile) + offset[threadIdx.x];                \
        type value = offset[threadIdx.x] + threadIdx.x + 1, old = 0;                                \
        if (mask >> threadIdx.x & 1)                                                                \
            asm volatile(instruction : "+" constraint(old) : "r"(a), constraint(value) : "memory"); \
        out[threadIdx.x] = old;                                                                     \
    }

GLOBAL_KERNEL(red_4, uint32_t, "red.global.add.u32 [%1], %2;", "r")
GLOBAL_KERNEL(red_8, uint64_t, "red.global.add.u64 [%1], %2;", "l")
GLOBAL_KERNEL(atom_4, uint32_t, "atom.global.add.u32 %0, [%1], %2;", "r")
GLOBAL_KERNEL(atom_8, uint64_t, "atom.global.add.u64 %0, [%1], %2;", "l")
GLOBAL_KERNEL(cas_4, uint32_t, "atom.global.cas.b32 %0, [%1], 0, %2;", "r")
GLOBAL_KERNEL(cas_8, uint64_t, "atom.global.cas.b64 %0, [%1], 0, %2;", "l")
SHARED_KERNEL(shared_atom_4, uint32_t, "atom.shared.add.u32 %0, [%1], %2;", "r")
SHARED_KERNEL(shared_atom_8, uint64_t, "atom.shared.exch.b64 %0, [%1], %2;", "l")
SHARED_KERNEL(shared_cas_4, uint32_t, "atom.shared.cas.b32 %0, [%1], 0, %2;", "r")
SHARED_KERNEL(shared_cas_8, uint64_t, "atom.shared.cas.b64 %0, [%1], 0, %2;", "l")

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 5000, *offset;
    char *memory;
    void *out;
    CHECK(cudaMalloc(&offset, 128));
    CHECK(cudaMalloc(&memory, TILE_BYTES));
    CHECK(cudaMalloc(&out, 256));
    for (uint32_t i = 0; i < count; i++) {
        static const char *const names[10] = {"red",        "red",       "atom",        "atom",
                                              "cas",        "cas",       "shared_atom", "shared_atom",
                                              "shared_cas", "shared_cas"};
        uint32_t unit[32], which = i % 10, mask = draw_mask(draw(MASK_KINDS));
        make(i / 10 % PATTERN_KINDS, unit);
        describe(names[which], which % 2 ? 8 : 4, mask, unit, TILE_BYTES);
        CHECK(cudaMemcpy(offset, unit, 128, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(memory, 0, TILE_BYTES));
        switch (which) {
        case 0: red_4<<<1, 32>>>(offset, mask, memory, (uint32_t *)out); break;
        case 1: red_8<<<1, 32>>>(offset, mask, memory, (uint64_t *)out); break;
        case 2: atom_4<<<1, 32>>>(offset, mask, memory, (uint32_t *)out); break;
        case 3: atom_8<<<1, 32>>>(offset, mask, memory, (uint64_t *)out); break;
        case 4: cas_4<<<1, 32>>>(offset, mask, memory, (uint32_t *)out); break;
        case 5: cas_8<<<1, 32>>>(offset, mask, memory, (uint64_t *)out); break;
        case 6: shared_atom_4<<<1, 32, TILE_BYTES>>>(offset, mask, memory, (uint32_t *)out); break;
        case 7: shared_atom_8<<<1, 32, TILE_BYTES>>>(offset, mask, memory, (uint64_t *)out); break;
        case 8: shared_cas_4<<<1, 32, TILE_BYTES>>>(offset, mask, memory, (uint32_t *)out); break;
        default: shared_cas_8<<<1, 32, TILE_BYTES>>>(offset, mask, memory, (uint64_t *)out); break;
        }
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
