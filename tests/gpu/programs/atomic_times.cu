/* atomic_times: how long atomics take, by operation, by how lanes share words, and by where the words lie.
 * Prints a line per kernel: what, operation, active lanes, lanes per word, words, bytes between words,
 * blocks, threads, atomics of a thread, least ns of three launches. The device model's figures for atomics
 * are taken from it (docs/model.md); tests/gpu/atomics.sh runs it beside the counters. */
#include "program.h"

#include <stdint.h>

#define MEMORY_BYTES (64u << 20)
#define SHARED_BYTES 32768

// Which word a lane takes: the warp's first one, by `start`, and from there on a word for each `share` lanes.
struct pattern {
    uint32_t active, share, words, stride_bytes;
    uint32_t step;   // words that a warp moves on after each atomic
    uint32_t start;  // words between two warps' first ones
    uint32_t random; // 1: each lane any of the words, anew each time
};

__device__ static uint32_t mixed(uint32_t x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca77u;
    return x ^ x >> 13;
}

__device__ static uint32_t word_of(const struct pattern &p, uint32_t warp, uint32_t lane, uint32_t round)
{
    uint32_t word = p.random ? mixed((round * 65536 + warp) * 32 + lane) >> 3
                             : warp * p.start + lane / p.share + round * p.step;
    return word & (p.words - 1);
}

#define GLOBAL_KERNEL(name, type, instruction, constraint)                                          \
    __global__ void name(char *memory, struct pattern p, uint32_t rounds, type *out)                \
    {                                                                                               \
        uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;      \
        type value = (type)(lane + 1), old = 0;                                                     \
        if (lane >= p.active)                                                                       \
            return;                                                                                 \
        for (uint32_t round = 0; round < rounds; round++) {                                         \
            char *a = memory + (size_t)word_of(p, warp, lane, round) * p.stride_bytes;              \
            asm volatile(instruction : "+" constraint(old) : "l"(a), constraint(value) : "memory"); \
        }                                                                                           \
        if (p.words == 0)                                                                           \
            *out = old;                                                                             \
    }

GLOBAL_KERNEL(red_u32, uint32_t, "red.global.add.u32 [%1], %2;", "r")
GLOBAL_KERNEL(red_u32_sys, uint32_t, "red.relaxed.sys.global.add.u32 [%1], %2;", "r")
GLOBAL_KERNEL(red_u32_cta, uint32_t, "red.relaxed.cta.global.add.u32 [%1], %2;", "r")
GLOBAL_KERNEL(red_u64, uint64_t, "red.global.add.u64 [%1], %2;", "l")
GLOBAL_KERNEL(red_f32, float, "red.global.add.f32 [%1], %2;", "f")
GLOBAL_KERNEL(red_f64, double, "red.global.add.f64 [%1], %2;", "d")
GLOBAL_KERNEL(red_f16x2, uint32_t, "red.global.add.noftz.f16x2 [%1], %2;", "r")
GLOBAL_KERNEL(red_min, uint32_t, "red.global.min.u32 [%1], %2;", "r")
GLOBAL_KERNEL(red_and, uint32_t, "red.global.and.b32 [%1], %2;", "r")
GLOBAL_KERNEL(atom_u32, uint32_t, "atom.global.add.u32 %0, [%1], %2;", "r")
GLOBAL_KERNEL(atom_u64, uint64_t, "atom.global.add.u64 %0, [%1], %2;", "l")
GLOBAL_KERNEL(atom_f32, float, "atom.global.add.f32 %0, [%1], %2;", "f")
GLOBAL_KERNEL(atom_exch, uint32_t, "atom.global.exch.b32 %0, [%1], %2;", "r")
GLOBAL_KERNEL(atom_cas, uint32_t, "atom.global.cas.b32 %0, [%1], 0, %2;", "r")
GLOBAL_KERNEL(atom_cas_u64, uint64_t, "atom.global.cas.b64 %0, [%1], 0, %2;", "l")

extern __shared__ uint4 tile[];

#define SHARED_KERNEL(name, type, instruction, constraint, operand)                                       \
    __global__ void name(char *, struct pattern p, uint32_t rounds, type *out)                            \
    {                                                                                                     \
        uint32_t base = (uint32_t)__cvta_generic_to_shared(tile), warp = threadIdx.x / 32,                \
                 lane = threadIdx.x % 32;                                                                 \
        type value = (type)(lane + 1), old = 0;                                                           \
        for (uint32_t i = threadIdx.x; i < SHARED_BYTES / 16; i += blockDim.x)                            \
            tile[i] = make_uint4(0, 0, 0, 0);                                                             \
        __syncthreads();                                                                                  \
        if (lane < p.active) {                                                                            \
            for (uint32_t round = 0; round < rounds; round++) {                                           \
                uint32_t a = base + word_of(p, warp, lane, round) * p.stride_bytes;                       \
                asm volatile(instruction : "+" constraint(old) : "r"(a), constraint(operand) : "memory"); \
            }                                                                                             \
        }                                                                                                 \
        __syncthreads();                                                                                  \
        if (p.words == 0 || ((const uint32_t *)tile)[threadIdx.x] == 0x7fffffff)                          \
            *out = old;                                                                                   \
    }

SHARED_KERNEL(shared_red_1, uint32_t, "red.shared.add.u32 [%1], 1;", "r", value)
SHARED_KERNEL(shared_red_u32, uint32_t, "red.shared.add.u32 [%1], %2;", "r", value)
SHARED_KERNEL(shared_atom_u32, uint32_t, "atom.shared.add.u32 %0, [%1], %2;", "r", value)
SHARED_KERNEL(shared_red_u64, uint64_t, "red.shared.add.u64 [%1], %2;", "l", value)
SHARED_KERNEL(shared_red_f32, float, "red.shared.add.f32 [%1], %2;", "f", value)
SHARED_KERNEL(shared_red_f64, double, "red.shared.add.f64 [%1], %2;", "d", value)
SHARED_KERNEL(shared_exch, uint32_t, "atom.shared.exch.b32 %0, [%1], %2;", "r", value)
SHARED_KERNEL(shared_cas, uint32_t, "atom.shared.cas.b32 %0, [%1], 0, %2;", "r", value)

// One lane, each atomic waits for the one before.
__global__ void chain_atom(char *memory, struct pattern p, uint32_t rounds, uint32_t *out)
{
    uint32_t at = 0;
    for (uint32_t round = 0; round < rounds; round++)
        at = atomicAdd((uint32_t *)(memory + at), p.words - 1);
    *out = at;
}
__global__ void chain_shared(char *, struct pattern p, uint32_t rounds, uint32_t *out)
{
    uint32_t at = 0, *word = (uint32_t *)tile;
    *word = 0;
    __syncwarp();
    for (uint32_t round = 0; round < rounds; round++)
        at = atomicAdd(word + at, p.words - 1);
    *out = at;
}

struct operation {
    const char *name;
    void *kernel;
    uint32_t bytes, shared_bytes;
};
#define GLOBAL(name, bytes)           \
    {                                 \
#name, (void *)name, bytes, 0 \
    }
#define SHARED(name, bytes)                      \
    {                                            \
#name, (void *)name, bytes, SHARED_BYTES \
    }
static const struct operation global_operations[] = {
    GLOBAL(red_u32, 4),   GLOBAL(red_u32_sys, 4), GLOBAL(red_u32_cta, 4), GLOBAL(red_u64, 8),
    GLOBAL(red_f32, 4),   GLOBAL(red_f64, 8),     GLOBAL(red_f16x2, 4),   GLOBAL(red_min, 4),
    GLOBAL(red_and, 4),   GLOBAL(atom_u32, 4),    GLOBAL(atom_u64, 8),    GLOBAL(atom_f32, 4),
    GLOBAL(atom_exch, 4), GLOBAL(atom_cas, 4),    GLOBAL(atom_cas_u64, 8)};
static const struct operation shared_operations[] = {SHARED(shared_red_1, 4),    SHARED(shared_red_u32, 4),
                                                     SHARED(shared_atom_u32, 4), SHARED(shared_red_u64, 8),
                                                     SHARED(shared_red_f32, 4),  SHARED(shared_red_f64, 8),
                                                     SHARED(shared_exch, 4),     SHARED(shared_cas, 4)};
static const struct operation chains[] = {GLOBAL(chain_atom, 4), SHARED(chain_shared, 4)};

static char *memory;
static void *out;
static cudaEvent_t begin, end;

static void time_one(const char *what, const struct operation *o, struct pattern p, uint32_t blocks,
                     uint32_t threads, uint32_t rounds)
{
    float least = 1e30f;
    void *arguments[] = {&memory, &p, &rounds, &out};
    for (int i = 0; i < 3; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        CHECK(cudaLaunchKernel(o->kernel, dim3(blocks), dim3(threads), arguments, o->shared_bytes, 0));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = ms < least ? ms : least;
    }
    printf("%s,%s,%u,%u,%u,%u,%u,%u,%u,%u,%.0f\n", what, o->name, p.active, p.share, p.words, p.stride_bytes,
           p.step, blocks, threads, rounds, least * 1e6);
}

int main(void)
{
    struct pattern all = {32, 1, 1, 4, 0, 0, 0};
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    uint32_t multiprocessors = (uint32_t)properties.multiProcessorCount, full = multiprocessors * 8;
    CHECK(cudaMalloc(&memory, MEMORY_BYTES));
    CHECK(cudaMemset(memory, 0, MEMORY_BYTES));
    CHECK(cudaMalloc(&out, 256));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    printf("what,operation,active,share,words,stride_bytes,step,blocks,threads,rounds,ns\n");
    for (int warm = 0; warm < 20; warm++)
        time_one("warm", &global_operations[0], all, full, 256, 4);

    // Which words share a slice: two of them, half of the warps at each, one lane a warp.
    for (uint32_t i = 1; i <= 128; i++) {
        struct pattern p = {1, 1, 2, i * 128, 0, 1, 0};
        time_one("distance", &global_operations[0], p, full, 256, 32);
    }
    for (uint32_t stride = 4; stride < 128; stride += 4) {
        struct pattern p = {1, 1, 2, stride, 0, 1, 0};
        time_one("distance", &global_operations[0], p, full, 256, 32);
    }
    for (uint32_t stride = 32768; stride <= MEMORY_BYTES / 2; stride *= 2) {
        struct pattern p = {1, 1, 2, stride, 0, 1, 0};
        time_one("distance", &global_operations[0], p, full, 256, 32);
    }

    // One line or one sector for all warps: what a request takes of its slice.
    for (const struct operation *o = global_operations;
         o < global_operations + sizeof global_operations / sizeof *o; o++) {
        for (uint32_t share = 1; share <= 32; share *= 2) {
            struct pattern p = {32, share, 32 / share, o->bytes, 0, 0, 0};
            time_one("one line", o, p, full, 256, 8);
        }
        for (uint32_t active = 1; active < 32; active *= 2) {
            struct pattern p = {active, 32, 1, o->bytes, 0, 0, 0};
            time_one("one word", o, p, full, 256, 16);
        }
    }
    // Lanes a sector, a line apart.
    for (uint32_t stride = 32; stride <= 4096; stride *= 2) {
        struct pattern p = {32, 1, 32, stride, 0, 0, 0};
        time_one("apart", &global_operations[0], p, full, 256, 8);
        time_one("apart", &global_operations[9], p, full, 256, 8);
    }

    // Warps each at their own words: the same ones in all rounds, or others each time.
    for (const struct operation *o = global_operations;
         o < global_operations + sizeof global_operations / sizeof *o; o++) {
        for (uint32_t share = 1; share <= 32; share *= 2) {
            struct pattern stay = {32, share, 1u << 22, o->bytes, 0, 32 / share, 0};
            struct pattern move = stay;
            move.step = full * 8 * (32 / share);
            time_one("own words", o, stay, full, 256, 32);
            time_one("own words", o, move, full, 256, 32);
        }
    }
    // A line apart for each warp's words, at which few warps of an SM or many are.
    for (uint32_t share = 1; share <= 32; share *= 2) {
        for (uint32_t blocks = 1; blocks <= full;
             blocks = blocks < multiprocessors ? (blocks * 2 < multiprocessors ? blocks * 2 : multiprocessors)
                                               : blocks * 2) {
            struct pattern p = {32, share, 1u << 22, 4, 0, 32, 0};
            struct pattern move = p;
            move.step = 32 * 1021;
            time_one("blocks", &global_operations[0], p, blocks, 256, 64);
            time_one("blocks", &global_operations[0], move, blocks, 256, 64);
            time_one("blocks", &global_operations[9], move, blocks, 256, 64);
        }
    }
    // One active lane, and words that are sectors or lines apart.
    for (uint32_t active = 1; active <= 32; active *= 2) {
        struct pattern p = {active, 1, 1u << 18, 32, 4096, 32, 0};
        time_one("sectors", &global_operations[0], p, full, 256, 32);
        time_one("sectors", &global_operations[9], p, full, 256, 32);
    }
    // As a histogram does.
    for (uint32_t words = 1; words <= 1u << 22; words *= 2) {
        struct pattern p = {32, 1, words, 4, 0, 0, 1};
        time_one("random", &global_operations[0], p, full, 256, 16);
        time_one("random", &global_operations[4], p, full, 256, 16);
        time_one("random", &global_operations[9], p, full, 256, 16);
    }

    for (const struct operation *o = shared_operations;
         o < shared_operations + sizeof shared_operations / sizeof *o; o++) {
        for (uint32_t share = 1; share <= 32; share *= 2) {
            struct pattern p = {32, share, 2048, o->bytes, 0, 32, 0};
            time_one("shared", o, p, multiprocessors, 1024, 64);
            time_one("shared", o, p, multiprocessors, 32, 256);
        }
        for (uint32_t words = 1; words <= 4096; words *= 4) {
            struct pattern p = {32, 1, words, o->bytes, 0, 0, 1};
            time_one("shared random", o, p, multiprocessors, 1024, 64);
        }
        struct pattern apart = {32, 1, 32, 128, 0, 0, 0};
        time_one("shared apart", o, apart, multiprocessors, 1024, 64);
        time_one("shared apart", o, apart, multiprocessors, 32, 64);
    }
    CHECK(cudaMemset(memory, 0, 4));
    for (const struct operation *o = chains; o < chains + sizeof chains / sizeof *o; o++) {
        time_one("chain", o, all, 1, 1, 1024);
        time_one("chain", o, all, 1, 1, 2048);
    }
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
