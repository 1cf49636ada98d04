/*
 * Kernels with and without races, in pairs, for the checks of the device model. The patterns are those that
 * the CUDA C++ Programming Guide (memory fences, warp-synchronous code), the PTX ISA (chapter 8) and papers
 * on race detectors for GPUs describe; the code is new. The name is the label: fine_..., or racy_ and what is
 * missing: barrier (of the block), warp (a barrier of it), order (of two blocks: anything), release, acquire
 * (the fence at the flag's writer or reader), scope (of a fence or a flag), atomic (its scope), await (of
 * cp.async), misuse (of a barrier or a mask), lane (the barrier of a warp of which only another lane has acquired), missed (it races, but the checks do
 * not find it). Launched with 4 blocks of 64 threads: tests/unit/simt/engine/test_simt_races.c, which also runs the blocks in descending order.
 */
#include <cooperative_groups.h>

#define T threadIdx.x
#define B blockIdx.x
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(int *data, int *out, int *flags)
#define FIRST (threadIdx.x == 0)

static __device__ void store_release(int *p, int v) { asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
static __device__ void store_release_block(int *p, int v) { asm volatile("st.release.cta.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
static __device__ void store_relaxed(int *p, int v) { asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
static __device__ int load_acquire(int *p) { int v; asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ int load_acquire_block(int *p) { int v; asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ int load_relaxed(int *p) { int v; asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ int load_weak(int *p) { int v; asm volatile("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
static __device__ int cas_acquire(int *p, int a, int b) { int v; asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;" : "=r"(v) : "l"(p), "r"(a), "r"(b) : "memory"); return v; }
static __device__ void exch_release(int *p, int a) { asm volatile("{ .reg .b32 old; atom.release.gpu.exch.b32 old, [%0], %1; }" ::"l"(p), "r"(a) : "memory"); }
static __device__ void copy_async(int *to, const int *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory"); }
static __device__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> static __device__ void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); }
static __device__ int turn_around(int *shared, int v) { shared[T] = v; __syncthreads(); return shared[63 - T]; }
static __device__ void arrive(int barrier, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }
static __device__ void await(int barrier, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }

/* ---- shared memory of a block ---- */
KERNEL(racy_barrier_neighbour) { __shared__ int s[64]; s[T] = T; out[HERE] = s[(T + 33) % 64]; }
KERNEL(fine_neighbour) { __shared__ int s[64]; s[T] = T; __syncthreads(); out[HERE] = s[(T + 33) % 64]; }

KERNEL(racy_barrier_sum)
{
    __shared__ int s[64];
    s[T] = data[T];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (T < half)
            s[T] += s[T + half];
        __syncwarp();
        if (half == 32 && T >= 32)
            s[T - 32] = 0; /* the other warp runs on */
    }
    if (FIRST)
        out[B] = s[0];
}
KERNEL(fine_sum)
{
    __shared__ int s[64];
    s[T] = data[T];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (T < half)
            s[T] += s[T + half];
    }
    if (FIRST)
        out[B] = s[0];
}

KERNEL(racy_barrier_transpose) { __shared__ int s[8][8]; s[T / 8][T % 8] = data[HERE]; out[HERE] = s[T % 8][T / 8]; }
KERNEL(fine_transpose) { __shared__ int s[8][8]; s[T / 8][T % 8] = data[HERE]; __syncthreads(); out[HERE] = s[T % 8][T / 8]; }

KERNEL(racy_barrier_loop_with_one)
{
    __shared__ int s[64];
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        s[T] = data[T + i];
        __syncthreads();
        sum += s[63 - T];
    }
    out[HERE] = sum;
}
KERNEL(fine_loop_with_two)
{
    __shared__ int s[64];
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        s[T] = data[T + i];
        __syncthreads();
        sum += s[63 - T];
        __syncthreads();
    }
    out[HERE] = sum;
}
KERNEL(fine_loop_with_two_buffers)
{
    __shared__ int s[2][64];
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        s[i % 2][T] = data[T + i];
        __syncthreads();
        sum += s[i % 2][63 - T];
    }
    out[HERE] = sum;
}

KERNEL(racy_barrier_scan)
{
    __shared__ int s[64];
    s[T] = data[T];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        if (T >= d)
            s[T] += s[T - d]; /* reads what a neighbour writes in this step */
    }
    __syncthreads();
    out[HERE] = s[T];
}
KERNEL(fine_scan)
{
    __shared__ int s[64];
    s[T] = data[T];
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int left = T >= d ? s[T - d] : 0;
        __syncthreads();
        s[T] += left;
    }
    out[HERE] = s[T];
}

KERNEL(racy_barrier_histogram) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads(); s[T / 8 ^ T % 2 * 4]++; __syncthreads(); if (T < 8) out[B * 8 + T] = s[T]; }
KERNEL(fine_histogram) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads(); atomicAdd(&s[T % 8], 1); __syncthreads(); if (T < 8) out[B * 8 + T] = s[T]; }
KERNEL(racy_warp_histogram_read_early) { __shared__ int s[8]; if (T < 8) s[T] = 0; __syncthreads(); atomicAdd(&s[T % 8], 1); if (T < 8) out[B * 8 + T] = s[T]; }
KERNEL(racy_barrier_histogram_cleared_late) { __shared__ int s[8]; if (T < 8) s[T] = 0; atomicAdd(&s[T % 8], 1); __syncthreads(); if (T < 8) out[B * 8 + T] = s[T]; }

KERNEL(racy_barrier_broadcast) { __shared__ int s; if (FIRST) s = data[B]; out[HERE] = s; }
KERNEL(fine_broadcast) { __shared__ int s; if (FIRST) s = data[B]; __syncthreads(); out[HERE] = s; }
KERNEL(racy_barrier_overwrite) { __shared__ int s; if (FIRST) s = 1; __syncthreads(); out[HERE] = s; if (T == 63) s = 2; }
KERNEL(fine_overwrite) { __shared__ int s; if (FIRST) s = 1; __syncthreads(); out[HERE] = s; __syncthreads(); if (T == 63) s = 2; }

KERNEL(racy_warp_two_lanes_a_word) { __shared__ int s[64]; s[T / 2] = T; __syncthreads(); out[HERE] = s[T / 2]; }
KERNEL(fine_same_value) { __shared__ int s; s = 7; __syncthreads(); out[HERE] = s; }
KERNEL(racy_warp_different_values) { __shared__ int s; s = T; __syncthreads(); out[HERE] = s; }
KERNEL(fine_bytes) { __shared__ char s[64]; s[T] = (char)T; __syncthreads(); out[HERE] = s[63 - T]; }
KERNEL(racy_warp_bytes) { __shared__ int s[64]; ((char *)s)[T] = (char)T; __syncwarp(); ((short *)s)[T / 2] = (short)T; __syncthreads(); out[HERE] = s[T / 4]; }
KERNEL(fine_stack) { __shared__ int n, s[64]; if (FIRST) n = 0; __syncthreads(); s[atomicAdd(&n, 1)] = T; __syncthreads(); out[HERE] = s[T]; }
KERNEL(racy_barrier_stack) { __shared__ int n, s[64]; if (FIRST) n = 0; __syncthreads(); s[atomicAdd(&n, 1)] = T; out[HERE] = s[(T + 32) % 64]; }
KERNEL(fine_count_is_a_barrier) { __shared__ int s[64]; s[T] = data[T]; int n = __syncthreads_count(T & 1); out[HERE] = s[63 - T] + n; }

KERNEL(fine_named_barrier)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = data[T];
        arrive(1, 64);
    } else {
        await(1, 64);
        out[HERE] = s[63 - T];
    }
}
KERNEL(racy_barrier_named_too_early)
{
    __shared__ int s[32];
    if (T < 32) {
        arrive(1, 64);
        s[T] = data[T];
    } else {
        await(1, 64);
        out[HERE] = s[63 - T];
    }
}

KERNEL(fine_flag_in_block)
{
    __shared__ int s, ready;
    if (FIRST)
        ready = 0;
    __syncthreads();
    if (FIRST) {
        s = data[B] + 5;
        __threadfence_block();
        *(volatile int *)&ready = 1;
    } else if (T == 32) {
        while (*(volatile int *)&ready == 0)
            ;
        __threadfence_block();
        out[B] = s;
    }
}
KERNEL(racy_release_flag_in_block)
{
    __shared__ int s, ready;
    if (FIRST)
        ready = 0;
    __syncthreads();
    if (FIRST) {
        s = data[B] + 5;
        *(volatile int *)&ready = 1;
    } else if (T == 32) {
        while (*(volatile int *)&ready == 0)
            ;
        __threadfence_block();
        out[B] = s;
    }
}
KERNEL(racy_acquire_flag_in_block)
{
    __shared__ int s, ready;
    if (FIRST)
        ready = 0;
    __syncthreads();
    if (FIRST) {
        s = data[B] + 5;
        __threadfence_block();
        *(volatile int *)&ready = 1;
    } else if (T == 32) {
        while (*(volatile int *)&ready == 0)
            ;
        out[B] = s;
    }
}

/* ---- lanes of a warp ---- */
KERNEL(racy_warp_volatile_sum)
{
    __shared__ int s[64];
    volatile int *v = s;
    s[T] = data[T];
    __syncthreads();
    if (T < 32)
        for (int half = 32; half > 0; half /= 2)
            v[T] += v[(T + half) % 64];
    if (FIRST)
        out[B] = s[0];
}
KERNEL(fine_warp_sum)
{
    __shared__ int s[64];
    volatile int *v = s;
    s[T] = data[T];
    __syncthreads();
    if (T < 32)
        for (int half = 32; half > 0; half /= 2) {
            int right = v[T + half];
            __syncwarp();
            v[T] += right;
            __syncwarp();
        }
    if (FIRST)
        out[B] = s[0];
}
KERNEL(fine_shuffle_sum) { int v = data[T]; for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d); if (T % 32 == 0) out[B * 2 + T / 32] = v; }
KERNEL(racy_warp_shuffle_is_no_barrier) { __shared__ int s[64]; s[T] = T; int v = __shfl_xor_sync(~0u, T, 1); out[HERE] = s[v]; }
KERNEL(racy_warp_vote_is_no_barrier) { __shared__ int s[64]; s[T] = T; if (__any_sync(~0u, T & 1)) out[HERE] = s[T ^ 1]; }
KERNEL(racy_warp_fence_is_no_barrier) { __shared__ int s[64]; s[T] = T; __threadfence_block(); out[HERE] = s[T ^ 1]; }
KERNEL(fine_warp_exchange) { __shared__ int s[64]; s[T] = T; __syncwarp(); out[HERE] = s[T ^ 1]; }
KERNEL(racy_warp_mask_of_half) { __shared__ int s[64]; s[T] = T; __syncwarp(T & 16 ? 0xffff0000 : 0xffff); out[HERE] = s[T ^ 16]; }
KERNEL(fine_mask_of_half) { __shared__ int s[64]; s[T] = T; __syncwarp(T & 16 ? 0xffff0000 : 0xffff); out[HERE] = s[T ^ 8]; }
KERNEL(fine_mask_of_half_then_all) { __shared__ int s[64]; s[T] = T; __syncwarp(T & 16 ? 0xffff0000 : 0xffff); __syncwarp(); out[HERE] = s[T ^ 16]; }
KERNEL(fine_mask_over_two_halves) /* quarter to quarter to quarter: what a lane knows is passed on */
{
    __shared__ int s[64];
    int q = T % 32 / 8;
    s[T] = T;
    if (q < 2)
        __syncwarp(0xffff);
    if (q == 1 || q == 2)
        __syncwarp(0xffff00);
    if (q == 2)
        out[HERE] = s[T - 16];
}
KERNEL(racy_warp_tile) { namespace cg = cooperative_groups; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); __shared__ int s[64]; s[T] = T; tile.sync(); out[HERE] = s[T ^ 8]; }
KERNEL(fine_tile) { namespace cg = cooperative_groups; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); __shared__ int s[64]; s[T] = T; tile.sync(); out[HERE] = s[T ^ 4]; }
KERNEL(racy_warp_branch) { __shared__ int s[64]; if (T & 1) s[T] = T; else out[HERE] = s[T + 1]; }
KERNEL(racy_misuse_mask_without_itself) { if (T % 32 < 20) __syncwarp(0xffff); out[HERE] = T; }
KERNEL(fine_mask_with_itself) { if (T % 32 < 16) __syncwarp(0xffff); out[HERE] = T; }
KERNEL(racy_misuse_barrier_in_branch) { if (T & 1) { out[HERE] = 1; __syncthreads(); } else { out[HERE] = 2; __syncthreads(); } }
KERNEL(fine_barrier_in_branch_of_warps) { if (B & 1) { out[HERE] = 1; __syncthreads(); } else { out[HERE] = 2; __syncthreads(); } }
KERNEL(racy_misuse_barriers_of_two_warps)
{
    if (T < 32) {
        out[HERE] = 1;
        __syncthreads();
    } else {
        out[HERE] = 2;
        __syncthreads();
    }
}
KERNEL(racy_misuse_barrier_before_loop_of_other_warp)
{
    if (T >= 32)
        __syncthreads();
    for (int i = 0; i < (T < 32 ? 2 : 1); i++) {
        out[HERE] += i;
        __syncthreads();
    }
}
KERNEL(racy_misuse_barrier_in_function_called_twice)
{
    __shared__ int s[64];
    if (T < 32)
        out[HERE] = turn_around(s, 1);
    else
        out[HERE] = turn_around(s, 2) + 1;
}
KERNEL(racy_misuse_vote_barrier_beside_barrier)
{
    if (T < 32)
        out[HERE] = __syncthreads_or(data[HERE]);
    else
        __syncthreads();
}
KERNEL(fine_barrier_in_function_called_twice)
{
    __shared__ int s[64];
    int a = turn_around(s, 1);
    __syncthreads();
    out[HERE] = a + turn_around(s, 2);
}
KERNEL(fine_named_barriers_of_two_warps)
{
    if (T < 32)
        asm volatile("bar.sync 1, 32;" ::: "memory");
    else
        asm volatile("bar.sync 2, 32;" ::: "memory");
    out[HERE] = T;
}
KERNEL(fine_named_barrier_at_two_places)
{
    __shared__ int s[32];
    if (T < 32) {
        s[T] = data[HERE];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[HERE] = s[T - 32];
    }
}
KERNEL(fine_warp_returns_before_barrier)
{
    if (T >= 32)
        return;
    for (int i = 0; i < 2; i++) {
        out[HERE] += i;
        __syncthreads();
    }
}
KERNEL(fine_barrier_in_loop_of_blocks)
{
    for (int i = 0; i <= B; i++) {
        out[HERE] += i;
        __syncthreads();
    }
    if (B == 2)
        __syncthreads();
}
KERNEL(fine_early_return) { __shared__ int s[64]; if (T >= 48) return; s[T] = T; __syncthreads(); out[HERE] = s[47 - T]; }

/* ---- asynchronous copies ---- */
KERNEL(racy_await_missing) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); __syncthreads(); out[HERE] = s[T]; copy_wait<0>(); }
KERNEL(fine_await) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); __syncthreads(); out[HERE] = s[63 - T]; }
KERNEL(racy_barrier_after_await) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); out[HERE] = s[T ^ 32]; }
KERNEL(racy_await_of_other_group)
{
    __shared__ int s[2][64];
    copy_async(&s[0][T], &data[T]);
    copy_commit();
    copy_async(&s[1][T], &data[64 + T]);
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    out[HERE] = s[1][63 - T];
    copy_wait<0>();
}
KERNEL(fine_await_in_pipeline)
{
    __shared__ int s[2][64];
    int sum = 0;
    copy_async(&s[0][T], &data[T]);
    copy_commit();
    for (int i = 0; i < 4; i++) {
        copy_async(&s[(i + 1) % 2][T], &data[64 * ((i + 1) % 4) + T]);
        copy_commit();
        copy_wait<1>();
        __syncthreads();
        sum += s[i % 2][63 - T];
        __syncthreads();
    }
    copy_wait<0>();
    out[HERE] = sum;
}
KERNEL(racy_barrier_pipeline)
{
    __shared__ int s[2][64];
    int sum = 0;
    copy_async(&s[0][T], &data[T]);
    copy_commit();
    for (int i = 0; i < 4; i++) {
        copy_async(&s[(i + 1) % 2][T], &data[64 * ((i + 1) % 4) + T]);
        copy_commit();
        copy_wait<1>();
        __syncthreads();
        sum += s[i % 2][63 - T]; /* the next turn overwrites it */
    }
    copy_wait<0>();
    out[HERE] = sum;
}

/* ---- global memory within a block ---- */
KERNEL(racy_barrier_global) { data[HERE] = T; out[HERE] = data[HERE ^ 32]; }
KERNEL(fine_global) { data[HERE] = T; __syncthreads(); out[HERE] = data[HERE ^ 32]; }
KERNEL(racy_warp_global) { data[HERE] = T; out[HERE] = data[HERE ^ 1]; }
KERNEL(fine_warp_global) { data[HERE] = T; __syncwarp(); out[HERE] = data[HERE ^ 1]; }
KERNEL(racy_barrier_in_place) { int v = data[B * 66 + (T + 33) % 64]; data[B * 66 + T] = v; }
KERNEL(fine_in_place) { int v = data[B * 66 + (T + 33) % 64]; __syncthreads(); data[B * 66 + T] = v; }
KERNEL(fine_global_bytes) { ((char *)data)[HERE] = (char)T; __syncthreads(); out[HERE] = ((char *)data)[HERE ^ 63]; }
KERNEL(racy_warp_vectors) { *(int2 *)&data[2 * (HERE / 2)] = make_int2(T, T); }
KERNEL(fine_vectors) { *(int2 *)&data[2 * HERE] = make_int2(T, T); __syncwarp(); out[HERE] = data[2 * (HERE ^ 1) + 1]; }
KERNEL(fine_read_by_all) { int sum = 0; for (int i = 0; i < 64; i++) sum += data[i]; out[HERE] = sum; }

/* ---- between blocks ---- */
KERNEL(racy_order_one_word) { if (FIRST) *out = B; }
KERNEL(fine_one_word_same_value) { *out = 3; }
KERNEL(racy_order_halo) { data[HERE] = T; __syncthreads(); out[HERE] = data[(HERE + 1) % 256]; }
KERNEL(fine_halo_of_other_buffer) { out[HERE] = data[HERE] + data[(HERE + 1) % 256]; }
KERNEL(racy_order_in_place_stencil) { int v = data[(HERE + 255) % 256] + data[HERE]; __syncthreads(); data[HERE] = v; }
KERNEL(racy_order_counter) { if (FIRST) ++*out; }
KERNEL(fine_counter) { atomicAdd(out, 1); }
KERNEL(racy_order_counter_read) { if (FIRST) { atomicAdd(out, 1); flags[B] = *out; } }
KERNEL(fine_counter_read_by_atomic) { if (FIRST) { atomicAdd(out, 1); flags[B] = atomicAdd(out, 0); } }
KERNEL(fine_counter_read_volatile) { if (FIRST) { atomicAdd(out, 1); flags[B] = *(volatile int *)out; } }
KERNEL(racy_order_counter_set) { if (HERE == 0) *out = 0; if (FIRST) atomicAdd(out, 1); }
KERNEL(racy_atomic_of_block) { atomicAdd_block(out, 1); }
KERNEL(fine_atomic_of_block) { atomicAdd_block(&out[B], 1); }
KERNEL(fine_atomic_of_system) { atomicAdd_system(out, 1); }
KERNEL(racy_atomic_one_of_block) { if (B == 0) atomicAdd_block(out, 1); else atomicAdd(out, 1); }
KERNEL(racy_order_max_looks_first) { int v = data[HERE] + HERE; if (*out < v) atomicMax(out, v); }
KERNEL(fine_max_looks_first) { int v = data[HERE] + HERE; if (*(volatile int *)out < v) atomicMax(out, v); }
KERNEL(fine_same_level) { if (T % 2) out[T / 2] = 1; }
KERNEL(fine_compaction) { if (T & 1) out[atomicAdd(flags, 1)] = HERE; }
KERNEL(racy_order_compaction) { if (FIRST) { int at = *flags; out[at] = HERE + 1; *flags = at + 1; } }
KERNEL(racy_order_fence_alone) { if (HERE == 0) { data[0] = 1; __threadfence(); } if (HERE == 64) { __threadfence(); out[0] = data[0]; } }
KERNEL(racy_order_read_only_cache) { if (B == 0) data[T] = T + 1; else out[HERE] = __ldg(&data[T]); }
KERNEL(fine_heap) { int *mine = (int *)malloc(8); if (mine) { mine[0] = T; out[HERE] = mine[0]; free(mine); } }

/* ---- flags ---- */
#define PRODUCER (HERE == 0)
#define CONSUMER (HERE == 64)
KERNEL(fine_flag) { if (PRODUCER) { data[0] = 9; __threadfence(); *(volatile int *)flags = 1; } if (CONSUMER && *(volatile int *)flags) { __threadfence(); *out = data[0]; } }
KERNEL(racy_release_flag) { if (PRODUCER) { data[0] = 9; *(volatile int *)flags = 1; } if (CONSUMER && *(volatile int *)flags) { __threadfence(); *out = load_weak(data); } }
KERNEL(racy_acquire_flag) { if (PRODUCER) { data[0] = 9; __threadfence(); *(volatile int *)flags = 1; } if (CONSUMER && *(volatile int *)flags) { *out = load_weak(data); } }
KERNEL(racy_scope_flag) { if (PRODUCER) { data[0] = 9; __threadfence_block(); *(volatile int *)flags = 1; } if (CONSUMER && *(volatile int *)flags) { __threadfence(); *out = data[0]; } }
KERNEL(racy_acquire_flag_scope) { if (PRODUCER) { data[0] = 9; __threadfence(); *(volatile int *)flags = 1; } if (CONSUMER && *(volatile int *)flags) { __threadfence_block(); *out = data[0]; } }
KERNEL(racy_order_flag_weak) { if (PRODUCER) { data[0] = 9; __threadfence(); flags[0] = 1; } if (CONSUMER && load_weak(flags)) { __threadfence(); *out = data[0]; } }
KERNEL(fine_flag_atomic) { if (PRODUCER) { data[0] = 9; __threadfence(); atomicExch(flags, 1); } if (CONSUMER && atomicAdd(flags, 0)) { __threadfence(); *out = data[0]; } }
KERNEL(racy_atomic_flag_of_block) { if (PRODUCER) { data[0] = 9; __threadfence(); atomicExch_block(flags, 1); } if (CONSUMER && atomicAdd_block(flags, 0)) { __threadfence(); *out = data[0]; } }
KERNEL(fine_flag_release_acquire) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (CONSUMER && load_acquire(flags)) *out = data[0]; }
KERNEL(racy_atomic_release_of_block) { if (PRODUCER) { data[0] = 9; store_release_block(flags, 1); } if (CONSUMER && load_acquire(flags)) *out = data[0]; }
KERNEL(racy_atomic_acquire_of_block) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (CONSUMER && load_acquire_block(flags)) *out = data[0]; }
KERNEL(racy_release_flag_relaxed) { if (PRODUCER) { data[0] = 9; store_relaxed(flags, 1); } if (CONSUMER && load_acquire(flags)) *out = data[0]; }
KERNEL(racy_acquire_flag_relaxed) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (CONSUMER && load_relaxed(flags)) *out = data[0]; }
KERNEL(fine_flag_relaxed_and_fences) { if (PRODUCER) { data[0] = 9; __threadfence(); store_relaxed(flags, 1); } if (CONSUMER && load_relaxed(flags)) { __threadfence(); *out = data[0]; } }
KERNEL(fine_flag_of_other_word) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (CONSUMER && load_acquire(flags + 1)) *out = data[0]; }
KERNEL(racy_order_written_after_flag) { if (PRODUCER) { store_release(flags, 1); data[0] = 9; } if (CONSUMER && load_acquire(flags)) *out = data[0]; }
KERNEL(fine_flag_of_block)
{
    if (B == 0) {
        data[T] = T;
        __syncthreads();
        if (FIRST) {
            __threadfence();
            *(volatile int *)flags = 1;
        }
    } else if (*(volatile int *)flags) {
        __threadfence();
        out[HERE] = data[63 - T];
    }
}
KERNEL(fine_fences_before_barrier)
{
    if (B == 0) {
        data[T] = T;
        __threadfence();
        __syncthreads();
        if (FIRST)
            *(volatile int *)flags = 1;
    } else if (*(volatile int *)flags) {
        __threadfence();
        out[HERE] = data[63 - T];
    }
}
KERNEL(racy_order_flag_without_barrier)
{
    if (B == 0) {
        if (T >= 32)
            data[T] = T;
        if (FIRST) {
            __threadfence();
            *(volatile int *)flags = 1;
        }
    } else if (*(volatile int *)flags && T >= 32) {
        __threadfence();
        out[HERE] = data[T];
    }
}
KERNEL(fine_first_thread_waits)
{
    if (B == 0 && FIRST) {
        data[0] = 1;
        __threadfence();
        atomicExch(flags, 1);
    } else if (B) {
        if (FIRST) {
            while (atomicAdd(flags, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[HERE] = data[0];
    }
}
KERNEL(racy_order_other_warp_does_not_wait)
{
    if (B == 0 && FIRST) {
        data[0] = 1;
        __threadfence();
        atomicExch(flags, 1);
    } else if (B) {
        if (FIRST) {
            while (atomicAdd(flags, 0) == 0)
                ;
            __threadfence();
        }
        if (T >= 32)
            out[HERE] = data[0];
    }
}
KERNEL(fine_update_passes_release_on) /* the second block's atomic continues what the first has released */
{
    if (HERE == 0) {
        data[0] = 4;
        store_release(flags, 1);
    }
    if (HERE == 64)
        atomicAdd(flags, 1);
    if (HERE == 128 && load_acquire(flags) == 2)
        *out = data[0];
}
KERNEL(racy_order_store_ends_release) /* the second block's store does not */
{
    if (HERE == 0) {
        data[0] = 4;
        store_release(flags, 1);
    }
    if (HERE == 64 && load_relaxed(flags))
        store_relaxed(flags, 2);
    if (HERE == 128 && load_acquire(flags) == 2)
        *out = data[0];
}
KERNEL(fine_three_blocks)
{
    if (HERE == 0) {
        data[0] = 4;
        store_release(&flags[0], 1);
    }
    if (HERE == 64 && load_acquire(&flags[0]))
        store_release(&flags[1], 1);
    if (HERE == 128 && load_acquire(&flags[1]))
        *out = data[0];
}
KERNEL(racy_order_three_blocks)
{
    if (HERE == 0) {
        data[0] = 4;
        store_release(&flags[0], 1);
    }
    if (HERE == 64 && load_relaxed(&flags[0]))
        store_release(&flags[1], 1);
    if (HERE == 128 && load_acquire(&flags[1]))
        *out = data[0];
}
KERNEL(fine_chain) /* as a scan in one pass: each block waits for the one before */
{
    if (FIRST) {
        int before = 0;
        if (B) {
            while (load_acquire(&flags[B - 1]) == 0)
                ;
            before = data[B - 1];
        }
        data[B] = before + 1;
        store_release(&flags[B], 1);
        if (B == 3)
            *out = data[0] + data[1];
    }
}
KERNEL(racy_release_chain)
{
    if (FIRST) {
        int before = 0;
        if (B) {
            while (load_acquire(&flags[B - 1]) == 0)
                ;
            before = data[B - 1];
        }
        data[B] = before + 1;
        store_relaxed(&flags[B], 1);
    }
}
KERNEL(fine_ticket) { __shared__ int mine; if (FIRST) mine = atomicAdd(flags, 1); __syncthreads(); out[mine * 64 + T] = T; }
KERNEL(racy_release_late_producer) /* only where the producer's block runs first */
{
    if (HERE == 192) {
        data[0] = 9;
        *(volatile int *)flags = 1;
    }
    if (PRODUCER && *(volatile int *)flags) {
        __threadfence();
        *out = load_weak(data);
    }
}
KERNEL(fine_late_producer)
{
    if (HERE == 192) {
        data[0] = 9;
        __threadfence();
        *(volatile int *)flags = 1;
    }
    if (PRODUCER && *(volatile int *)flags) {
        __threadfence();
        *out = load_weak(data);
    }
}
KERNEL(racy_order_first_comes) /* whoever comes last finds the others' work, unless block 0 is the first */
{
    if (FIRST && atomicAdd(flags, 1) == 0 && B != 0)
        data[0] = B;
    else if (FIRST && B == 0)
        out[0] = data[0];
}
KERNEL(fine_queue)
{
    if (B < 2 && FIRST) {
        int slot = atomicAdd(&flags[0], 1);
        data[slot] = B + 1;
        __threadfence();
        atomicExch(&flags[8 + slot], 1);
    } else if (B == 3 && FIRST) {
        for (int slot = 0; slot < 2; slot++)
            if (atomicAdd(&flags[8 + slot], 0)) {
                __threadfence();
                out[slot] = data[slot];
            }
    }
}
KERNEL(racy_release_queue) /* the tail is no flag: the slot is written after it */
{
    if (B < 2 && FIRST) {
        int slot = atomicAdd(&flags[0], 1);
        data[slot] = B + 1;
        atomicExch(&flags[8 + slot], 1);
    } else if (B == 3 && FIRST) {
        for (int slot = 0; slot < 2; slot++)
            if (atomicAdd(&flags[8 + slot], 0)) {
                __threadfence();
                out[slot] = load_weak(&data[slot]);
            }
    }
}

/* ---- the last block ---- */
KERNEL(fine_last_block)
{
    __shared__ bool last;
    if (FIRST) {
        data[B] = B + 1;
        __threadfence();
        last = atomicAdd(flags, 1) == 3;
    }
    __syncthreads();
    if (last && T < 4)
        out[T] = data[T];
}
KERNEL(racy_release_last_block)
{
    __shared__ bool last;
    if (FIRST) {
        data[B] = B + 1;
        last = atomicAdd(flags, 1) == 3;
    }
    __syncthreads();
    if (last && T < 4)
        out[T] = load_weak(&data[T]);
}
KERNEL(racy_scope_last_block)
{
    __shared__ bool last;
    if (FIRST) {
        data[B] = B + 1;
        __threadfence_block();
        last = atomicAdd(flags, 1) == 3;
    }
    __syncthreads();
    if (last && T < 4)
        out[T] = data[T];
}
KERNEL(racy_order_last_block_of_many)
{
    __shared__ bool last;
    data[HERE] = T;
    if (FIRST) { /* the other threads' words are not ordered before this */
        __threadfence();
        last = atomicAdd(flags, 1) == 3;
    }
    __syncthreads();
    if (last)
        for (int b = 0; b < 4; b++)
            out[b * 64 + T] = data[b * 64 + T];
}
KERNEL(fine_last_block_of_many)
{
    __shared__ bool last;
    data[HERE] = T;
    __threadfence();
    __syncthreads();
    if (FIRST)
        last = atomicAdd(flags, 1) == 3;
    __syncthreads();
    if (last)
        for (int b = 0; b < 4; b++)
            out[b * 64 + T] = data[b * 64 + T];
}

/* ---- locks ---- */
KERNEL(fine_lock) { if (FIRST) { while (atomicCAS(flags, 0, 1)) ; __threadfence(); ++*out; __threadfence(); atomicExch(flags, 0); } }
KERNEL(racy_acquire_lock) { if (FIRST) { while (atomicCAS(flags, 0, 1)) ; int v = load_weak(out); data[100] = 0; *out = v + 1; __threadfence(); atomicExch(flags, 0); } }
KERNEL(racy_release_lock) { if (FIRST) { while (atomicCAS(flags, 0, 1)) ; __threadfence(); *out = load_weak(out) + 1; atomicExch(flags, 0); } }
KERNEL(fine_lock_acquire_release) { if (FIRST) { while (cas_acquire(flags, 0, 1)) ; ++*out; exch_release(flags, 0); } }
KERNEL(racy_order_lock_each_its_own) { if (FIRST) { while (cas_acquire(&flags[B], 0, 1)) ; ++*out; exch_release(&flags[B], 0); } }
KERNEL(fine_lock_of_bucket) { if (FIRST) { int k = B % 2; while (cas_acquire(&flags[k], 0, 1)) ; ++out[k]; exch_release(&flags[k], 0); } }
KERNEL(racy_order_lock_read_outside) { if (FIRST) { while (cas_acquire(flags, 0, 1)) ; ++*out; exch_release(flags, 0); data[B] = load_weak(out); } }
KERNEL(racy_atomic_lock_of_block) { if (FIRST) { while (atomicCAS_block(flags, 0, 1)) ; __threadfence(); ++*out; __threadfence(); atomicExch_block(flags, 0); } }
KERNEL(fine_lock_by_lanes) /* of one warp */
{
    bool done = false;
    while (!done) {
        if (cas_acquire(&flags[B], 0, 1) == 0) {
            ++out[B];
            exch_release(&flags[B], 0);
            done = true;
        }
    }
}

/* ---- barriers of the grid: cooperative launches ---- */
static __device__ void grid_barrier(int *arrived, bool fence, bool fence_after)
{
    __syncthreads();
    if (FIRST) {
        if (fence)
            __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile int *)arrived < gridDim.x)
            ;
        if (fence_after)
            __threadfence();
    }
    __syncthreads();
}
KERNEL(fine_grid_barrier) { data[HERE] = T; grid_barrier(flags, true, true); out[HERE] = data[255 - HERE]; }
KERNEL(racy_order_grid_barrier_without_fence) { data[HERE] = T; grid_barrier(flags, false, true); out[HERE] = data[255 - HERE]; }
KERNEL(fine_grid_sync) { data[HERE] = T; cooperative_groups::this_grid().sync(); out[HERE] = data[255 - HERE]; cooperative_groups::this_grid().sync(); data[HERE] = 0; }
KERNEL(racy_order_grid_sync_missing) { data[HERE] = T; cooperative_groups::this_grid().sync(); out[HERE] = data[255 - HERE]; data[HERE] = 0; }
KERNEL(racy_order_grid_no_sync) { data[HERE] = T; __syncthreads(); out[HERE] = data[255 - HERE]; cooperative_groups::this_grid().sync(); }

/* Lanes of a warp of which one acquires: the others know of it after a barrier of the warp. */
KERNEL(racy_lane_other_lane_acquires) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && T < 2) { int seen = FIRST ? load_acquire(flags) : 0; seen = __shfl_sync(3, seen, 0); if (T == 1 && seen) *out = data[0]; } }
KERNEL(fine_other_lane_acquires_then_syncwarp) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && T < 32) { int seen = FIRST ? load_acquire(flags) : 0; seen = __shfl_sync(~0, seen, 0); __syncwarp(); if (T == 1 && seen) *out = data[0]; } }
KERNEL(fine_two_lanes_acquire_and_meet) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && T < 2) { int seen = FIRST ? load_acquire(flags) : 0; __syncwarp(3); seen = __shfl_sync(3, seen, 0); if (T == 1 && seen) *out = data[0]; } }
KERNEL(racy_lane_third_lane_does_not_meet) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && T < 3) { int seen = FIRST ? load_acquire(flags) : 0; if (T < 2) __syncwarp(3); seen = __shfl_sync(7, seen, 0); if (T == 2 && seen) *out = data[0]; } }
KERNEL(racy_lane_fence_of_all_after_one_observes) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && T < 32) { int seen = FIRST ? load_relaxed(flags) : 0; __threadfence(); seen = __shfl_sync(~0, seen, 0); if (T == 1 && seen) *out = data[0]; } }
KERNEL(fine_each_lane_acquires) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && load_acquire(flags)) out[T] = data[0]; }
KERNEL(fine_each_lane_observes_then_fences) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1 && load_relaxed(flags)) { __threadfence(); out[T] = data[0]; } }
KERNEL(fine_lanes_acquire_in_turn) { if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1) for (int i = 0; i < 4; i++) if (T == i && load_acquire(flags)) out[T] = data[0]; }
KERNEL(racy_lane_within_the_block) { if (T == 32) { data[B] = 9; store_release_block(flags + B, 1); } if (T < 2) { int seen = FIRST ? load_acquire(flags + B) : 0; seen = __shfl_sync(3, seen, 0); if (T == 1 && seen) out[B] = data[B]; } }
KERNEL(fine_lane_acquires_then_barrier) { __shared__ int seen; if (PRODUCER) { data[0] = 9; store_release(flags, 1); } if (B == 1) { if (FIRST) seen = load_acquire(flags); __syncthreads(); if (seen) out[T] = data[0]; } }

/* ---- races by the rules of PTX that the checks do not find: docs/model.md says why ---- */
KERNEL(racy_missed_other_lane_releases) { if (HERE == 1) data[0] = 9; if (PRODUCER) store_release(flags, 1); if (CONSUMER && load_acquire(flags)) *out = data[0]; }
KERNEL(racy_missed_barrier_for_acquire)
{
    __shared__ int ready;
    if (PRODUCER) {
        data[0] = 9;
        store_release(flags, 1);
    }
    if (B == 1) {
        if (FIRST)
            ready = load_relaxed(flags);
        __syncthreads();
        if (ready)
            out[T] = data[0];
    }
}
