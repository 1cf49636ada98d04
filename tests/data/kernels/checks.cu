/*
 * Kernels for the checks of the device model that look for other things than races between threads, in pairs: what
 * depends on memory that nothing has written, shuffles from lanes that have returned, the heap of malloc, and
 * asynchronous copies. The name is the label, as in races.cu: fine_..., or racy_ and what is wrong: undefined, ended
 * (a shuffle from such a lane), heap, await, proxy, barrier, warp. note_...: what is found is a note.
 * Launched with 4 blocks of 64 threads: tests/unit/simt/engine/test_simt_races.c. `data` holds zeros, `out` is copied to the
 * host afterwards, `raw` is written by nobody.
 */
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/pipeline>

#define T threadIdx.x
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(int *data, int *out, int *raw)
#define FIRST (threadIdx.x == 0)
#define ALL 0xffffffffu

namespace cg = cooperative_groups;

/* ---- unwritten memory: where the value has an effect ---- */
KERNEL(racy_undefined_to_host) { out[HERE] = raw[HERE]; }
KERNEL(fine_to_raw) { raw[HERE] = raw[HERE] + 1; }
KERNEL(racy_undefined_sum) { __shared__ int s[64]; if (T < 63) s[T] = 1; __syncthreads(); int v = 0; for (int i = 0; i < 64; i++) v += s[i]; if (FIRST) out[blockIdx.x] = v; }
KERNEL(fine_sum) { __shared__ int s[64]; s[T] = T < 63; __syncthreads(); int v = 0; for (int i = 0; i < 64; i++) v += s[i]; if (FIRST) out[blockIdx.x] = v; }
KERNEL(racy_undefined_branch) { if (raw[T] > 3) out[HERE] = clock(); }
KERNEL(fine_branch) { if (data[T] > 3) out[HERE] = clock(); }
KERNEL(racy_undefined_index) { out[HERE] = data[raw[T] & 7]; }
KERNEL(fine_index) { out[HERE] = data[data[T] & 7]; }
KERNEL(racy_undefined_store_index) { out[(raw[HERE] & 1) * 256 + HERE] = 1; }
KERNEL(racy_undefined_loop_bound) { volatile int *o = out; for (int i = 0; i < (raw[0] & 3); i++) o[HERE] = i; }
KERNEL(fine_dropped) { __shared__ int s[64]; if (T < 32) s[T] = 1; __syncthreads(); int v = s[T]; out[HERE] = T < 32 ? v : 0; }
KERNEL(racy_undefined_not_dropped) { __shared__ int s[64]; if (T < 32) s[T] = 1; __syncthreads(); int v = s[T]; out[HERE] = T < 33 ? v : 0; }
KERNEL(fine_masked_away) { out[HERE] = (raw[HERE] & 0xff00) & 0xff; }
KERNEL(racy_undefined_masked_in) { out[HERE] = (raw[HERE] & 0xff00) & 0xfff; }
KERNEL(racy_undefined_half) { short *r = (short *)raw; r[2 * HERE] = 1; __syncthreads(); out[HERE] = *(volatile int *)&raw[HERE] + 1; }
KERNEL(fine_half) { short *r = (short *)raw; r[2 * HERE] = 1; __syncthreads(); out[HERE] = *(volatile int *)&raw[HERE] & 0xffff; }
KERNEL(racy_undefined_atomic_bins) { __shared__ int bins[8]; atomicAdd(&bins[T % 8], 1); __syncthreads(); if (T < 8) atomicAdd(&out[T], bins[T]); }
KERNEL(fine_atomic_bins) { __shared__ int bins[8]; if (T < 8) bins[T] = 0; __syncthreads(); atomicAdd(&bins[T % 8], 1); __syncthreads(); if (T < 8) atomicAdd(&out[T], bins[T]); }
KERNEL(racy_undefined_maximum) { __shared__ int most; atomicMax(&most, T); __syncthreads(); if (FIRST) out[blockIdx.x] = most; }
KERNEL(fine_exchange) { __shared__ int word; if (FIRST) atomicExch(&word, 7); __syncthreads(); out[HERE] = word; }
KERNEL(fine_bits_cleared) { __shared__ unsigned bits; if (FIRST) atomicAnd(&bits, 0u); __syncthreads(); atomicOr(&bits, 1u << T % 32); __syncthreads(); out[HERE] = bits; }
KERNEL(racy_undefined_lock) { __shared__ int lock; if (FIRST) { int taken = atomicCAS(&lock, 0, 1); if (taken == 0) out[blockIdx.x] = clock(); } }
KERNEL(racy_undefined_through_shared) { __shared__ int s[64]; s[T] = raw[T]; __syncthreads(); if (s[63 - T] == 1) out[HERE] = clock(); }
KERNEL(racy_undefined_through_shuffle) { int v = __shfl_xor_sync(ALL, raw[T], 1); if (v == 1) out[HERE] = clock(); }
KERNEL(fine_through_shuffle) { int v = T < 32 ? data[T] : raw[T]; v = __shfl_sync(ALL, v, 0); if (T < 32 && v == 1) out[HERE] = clock(); }
KERNEL(racy_undefined_vote) { if (__any_sync(ALL, raw[T] == 5)) out[HERE] = clock(); }
KERNEL(fine_vote) { if (__any_sync(ALL, T % 32 == 0 || raw[T] == 5)) out[HERE] = clock(); }
KERNEL(racy_undefined_local) { int a[8]; for (int i = 0; i < 7; i++) a[(i + data[T]) & 7] = i; out[HERE] = a[(T & 7) ^ data[T]] + 1; }
KERNEL(fine_local) { int a[8]; for (int i = 0; i < 8; i++) a[(i + data[T]) & 7] = i; out[HERE] = a[(T & 7) ^ data[T]] + 1; }
KERNEL(racy_undefined_pointer) { __shared__ int *p[64]; if (T != 5) p[T] = &data[T]; __syncthreads(); out[HERE] = *(p[T] ? data + ((long)p[T] & 1) : data); }
KERNEL(racy_undefined_float) { __shared__ float s[64]; if (T < 60) s[T] = 1; __syncthreads(); out[HERE] = (int)(s[T] * 2.0f + 1); }
KERNEL(racy_undefined_double) { __shared__ double s[64]; if (T < 60) s[T] = 1; __syncthreads(); out[HERE] = s[T] < 2.5; }
KERNEL(fine_overwritten) { out[HERE] = raw[HERE]; __syncthreads(); out[HERE] = 1; }
KERNEL(racy_undefined_two_steps) { raw[HERE] = raw[HERE] * 3; __syncthreads(); out[HERE] = raw[HERE] + data[T]; }

struct Padded { int a; double b; char c; };
static __device__ __noinline__ void padded_make(Padded *p, int i) { p->a = i; p->b = i; p->c = (char)i; }
KERNEL(fine_padding_of_local) { Padded p[4]; for (int i = 0; i < 4; i++) padded_make(&p[i], i); ((Padded *)out)[HERE % 32] = p[(T + data[T]) & 3]; }
KERNEL(fine_padding_of_shared) { __shared__ Padded s[64]; padded_make(&s[T], T); __syncthreads(); if (blockIdx.x == 0 && T < 32) ((Padded *)out)[T] = s[63 - T]; }
KERNEL(fine_padding_twice) { Padded p[2], q; padded_make(&p[data[T] & 1], 3); q = p[data[T] & 1]; p[1] = q; ((Padded *)out)[HERE % 32] = p[1]; }
KERNEL(racy_undefined_member) { __shared__ Padded s[64]; s[T].a = T; s[T].b = T; if (T < 60) s[T].c = 1; __syncthreads(); out[HERE] = s[T].c; }

KERNEL(fine_valid_items)
{
    typedef cub::BlockReduce<int, 64> Reduce;
    __shared__ Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(data[T] + 1, 40);
    if (FIRST)
        out[blockIdx.x] = sum;
}
KERNEL(fine_fewer_threads)
{
    typedef cub::BlockReduce<int, 1024> Reduce; /* the template's warps, not the block's */
    __shared__ Reduce::TempStorage storage;
    int sum = Reduce(storage).Reduce(data[T] + 1, [](int a, int b) { return a > b ? a : b; }, (int)blockDim.x);
    if (FIRST)
        out[blockIdx.x] = sum;
}
KERNEL(fine_tile_of_the_block)
{
    __shared__ cg::block_tile_memory<64> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    tile.sync();
    out[HERE] = tile.thread_rank();
}

/* ---- lanes that have returned ---- */
KERNEL(racy_ended_reduction) { if (T >= 40) return; int v = 1; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d); if (T % 32 == 0) out[HERE] = v; }
KERNEL(fine_reduction) { int v = T < 40; for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(ALL, v, d); if (T % 32 == 0) out[HERE] = v; }
KERNEL(racy_ended_xor) { if (T >= 40) return; out[HERE] = __shfl_xor_sync(ALL, T, 8); }
KERNEL(racy_ended_broadcast) { if (T % 32 == 0) return; out[HERE] = __shfl_sync(ALL, T, 0); }
KERNEL(fine_broadcast) { if (T % 32 == 31) return; out[HERE] = __shfl_sync(ALL, T, 0); }
KERNEL(fine_neighbour_dropped) { if (T >= 40) return; int v = __shfl_down_sync(ALL, T, 1); out[HERE] = T + 1 < 40 ? v : 0; }
KERNEL(racy_ended_neighbour) { if (T >= 40) return; int v = __shfl_down_sync(ALL, T, 1); out[HERE] = T < 40 ? v : 0; }
KERNEL(fine_within_mask) { if (T >= 40) return; unsigned m = __activemask(); int v = 1; for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(m, v, d, 8); if (T % 8 == 0) out[HERE] = v; }
KERNEL(racy_ended_branch) { if (T >= 40) return; if (__shfl_sync(ALL, T, 31) == 63) out[HERE] = clock(); }

/* ---- the heap of malloc ---- */
KERNEL(racy_heap_past_the_end) { int *p = (int *)malloc(16); ((volatile int *)p)[4] = 1; free(p); }
KERNEL(fine_heap) { int *p = (int *)malloc(16); ((volatile int *)p)[3] = 1; out[HERE] = ((volatile int *)p)[3]; free(p); }
KERNEL(racy_heap_byte) { volatile char *p = (volatile char *)malloc(13); p[13] = 1; free((void *)p); }
KERNEL(fine_heap_byte) { volatile char *p = (volatile char *)malloc(13); p[12] = 1; free((void *)p); }
KERNEL(racy_heap_far) { volatile int *p = new int[4]; p[1000] = 1; delete[] (int *)p; }
KERNEL(racy_heap_before) { int *q = new int[4]; volatile int *p = new int[4]; p[-1] = 1; delete[] (int *)p; delete[] q; }
KERNEL(racy_heap_after_free) { volatile int *p = new int[4]; p[0] = 1; delete[] (int *)p; out[HERE] = p[0]; }
KERNEL(racy_heap_write_after_free) { volatile int *p = new int[4]; delete[] (int *)p; p[1] = 1; }
KERNEL(racy_heap_read_past) { volatile int *p = new int[3]; p[0] = p[1] = p[2] = 0; out[HERE] = p[3]; delete[] (int *)p; }
KERNEL(fine_heap_list) { struct Node { Node *next; int v; }; Node *head = nullptr; for (int i = 0; i < 4; i++) { Node *n = new Node; n->next = head; n->v = i; head = n; } int sum = 0; while (head) { Node *n = head; sum += n->v; head = n->next; delete n; } out[HERE] = sum; }
KERNEL(racy_undefined_of_heap) { int *p = new int[4]; out[HERE] = ((volatile int *)p)[1]; delete[] p; }

/* ---- cp.async ---- */
static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void copy_async(int *to, const int *from) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory"); }
static __device__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> static __device__ void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); }

KERNEL(racy_await_source_changed) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); *(volatile int *)&data[HERE] = 1; copy_wait<0>(); out[HERE] = s[T]; }
KERNEL(fine_source_changed_after) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); *(volatile int *)&data[HERE] = 1; out[HERE] = s[T]; }
KERNEL(racy_await_source_of_other) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); __syncthreads(); data[HERE ^ 32] = 1; copy_wait<0>(); out[HERE] = s[T]; }
KERNEL(fine_source_of_other) { __shared__ int s[64]; copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); __syncthreads(); data[HERE ^ 32] = 1; out[HERE] = s[T]; }
KERNEL(racy_await_filled_again) { __shared__ int s[64]; s[T] = T; copy_async(&s[T], &data[HERE]); copy_commit(); out[HERE] = s[T]; copy_wait<0>(); }
KERNEL(racy_barrier_filled_while_read) { __shared__ int s[64]; s[T] = T; __syncthreads(); out[HERE] = s[63 - T]; copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); }
KERNEL(fine_filled_after_read) { __shared__ int s[64]; s[T] = T; __syncthreads(); out[HERE] = s[63 - T]; __syncthreads(); copy_async(&s[T], &data[HERE]); copy_commit(); copy_wait<0>(); }
KERNEL(racy_undefined_copied) { __shared__ int s[64]; copy_async(&s[T], &raw[HERE]); copy_commit(); copy_wait<0>(); out[HERE] = s[T]; }
KERNEL(fine_pipeline)
{
    __shared__ int s[2][64];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int i = 0; i < 4; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i & 1][T], &data[HERE], cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
        if (i > 0) {
            cuda::pipeline_consumer_wait_prior<1>(pipe);
            out[HERE] += s[(i - 1) & 1][T];
            pipe.consumer_release();
        }
    }
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    out[HERE] += s[1][T];
}

/* ---- copies in bulk ---- */
#define BARRIER __shared__ __align__(16) int s[64]; __shared__ __align__(8) unsigned long long bar; if (FIRST) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar)) : "memory"); asm volatile("fence.proxy.async;" ::: "memory"); }
static __device__ void bulk_in(int *s, const int *from, unsigned long long *bar, unsigned expected = 256)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(at(bar)), "r"(expected) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(s)), "l"(from), "r"(at(bar)) : "memory");
}
static __device__ void bulk_wait(unsigned long long *bar, unsigned parity) { asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(at(bar)), "r"(parity) : "memory"); }
static __device__ void bulk_out(int *to, const int *s) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(at(s)) : "memory"); asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
static __device__ void bulk_out_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
static __device__ void bulk_out_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
static __device__ void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
#define MINE (data + blockIdx.x * 64)

KERNEL(fine_bulk) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; }
KERNEL(racy_await_bulk) { BARRIER s[T] = T; __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); __syncthreads(); out[HERE] = s[T]; bulk_wait(&bar, 0); }
KERNEL(racy_barrier_bulk_by_one) { BARRIER s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); if (T < 32) bulk_wait(&bar, 0); out[HERE] = s[T]; }
KERNEL(racy_barrier_bulk_filled_again) { BARRIER __shared__ __align__(8) unsigned long long bar2; if (FIRST) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar2)) : "memory"); __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; if (FIRST) bulk_in(s, MINE, &bar2); bulk_wait(&bar2, 0); out[HERE] += s[T]; }
KERNEL(fine_bulk_filled_again) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 1); out[HERE] += s[T]; }
KERNEL(racy_await_bulk_second_phase) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); __syncthreads(); out[HERE] += s[T]; bulk_wait(&bar, 1); }
KERNEL(fine_bulk_out) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_wait(); } }
KERNEL(racy_proxy_bulk_out) { __shared__ __align__(16) int s[64]; s[T] = T; __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_wait(); } }
KERNEL(fine_proxy_by_the_issuer) { __shared__ __align__(16) int s[64]; s[T] = T; __syncthreads(); if (FIRST) { fence_proxy(); bulk_out(out + blockIdx.x * 64, s); bulk_out_wait(); } }
KERNEL(racy_proxy_fence_too_early) { __shared__ __align__(16) int s[64]; fence_proxy(); s[T] = T; __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_wait(); } }
KERNEL(racy_barrier_bulk_out) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_wait(); } }
KERNEL(racy_await_bulk_out_source) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) bulk_out(out + blockIdx.x * 64, s); __syncthreads(); s[T] = 2; if (FIRST) bulk_out_wait(); }
KERNEL(fine_bulk_out_source) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_read(); } __syncthreads(); s[T] = 2; if (FIRST) bulk_out_wait(); }
KERNEL(racy_await_bulk_out_result) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_read(); data[blockIdx.x] = *(volatile int *)&out[HERE + 5]; bulk_out_wait(); } }
KERNEL(fine_bulk_out_result) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); bulk_out_read(); bulk_out_wait(); data[blockIdx.x] = *(volatile int *)&out[HERE + 5]; } __syncthreads(); if (T == 40) data[blockIdx.x] += out[HERE]; }
KERNEL(racy_await_bulk_out_result_at_once) { __shared__ __align__(16) int s[64]; s[T] = T; fence_proxy(); __syncthreads(); if (FIRST) { bulk_out(out + blockIdx.x * 64, s); data[blockIdx.x] = *(volatile int *)&out[HERE + 5]; bulk_out_wait(); } }
KERNEL(racy_warp_mbarrier_unmade) { BARRIER if (T < 32) { if (T == 1) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; } }
KERNEL(fine_mbarrier_of_a_warp) { BARRIER if (T < 32) { __syncwarp(); if (T == 1) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); out[HERE] = s[T]; } }
KERNEL(racy_await_bulk_in_source) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); __syncthreads(); data[HERE] = 1; bulk_wait(&bar, 0); out[HERE] = s[T]; }
KERNEL(fine_bulk_in_source) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, MINE, &bar); bulk_wait(&bar, 0); data[HERE] = 1; out[HERE] = s[T]; }
KERNEL(racy_undefined_bulk) { BARRIER __syncthreads(); if (FIRST) bulk_in(s, raw + blockIdx.x * 64, &bar); bulk_wait(&bar, 0); out[HERE] = s[T] + 1; }
KERNEL(fine_bulk_ring)
{
    __shared__ __align__(16) int s[2][64];
    __shared__ __align__(8) unsigned long long bar[2];
    if (FIRST) {
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar[i])) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (FIRST)
        bulk_in(s[0], MINE, &bar[0]);
    for (int i = 0; i < 4; i++) {
        if (FIRST && i < 3)
            bulk_in(s[(i + 1) & 1], MINE, &bar[(i + 1) & 1]);
        bulk_wait(&bar[i & 1], i >> 1 & 1);
        out[HERE] += s[i & 1][T];
        __syncthreads();
    }
}
KERNEL(racy_await_bulk_ring)
{
    __shared__ __align__(16) int s[2][64];
    __shared__ __align__(8) unsigned long long bar[2];
    if (FIRST) {
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(&bar[i])) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (FIRST)
        bulk_in(s[0], MINE, &bar[0]);
    for (int i = 0; i < 2; i++) {
        if (FIRST)
            bulk_in(s[(i + 1) & 1], MINE, &bar[(i + 1) & 1]);
        bulk_wait(&bar[i & 1], i >> 1 & 1);
        out[HERE] += s[i & 1][T]; /* the next turn fills it again while others read */
    }
    __syncthreads();
    bulk_wait(&bar[0], 1);
    out[HERE] += s[0][T];
}

/* ---- notes ---- */
KERNEL(note_guess_of_a_compare_and_swap) { unsigned *p = (unsigned *)data, old = *p, seen; do { seen = old; old = atomicCAS(p, seen, seen + T); } while (seen != old); }
KERNEL(note_float_maximum) { int old = __float_as_int(*(float *)data), seen; do { seen = old; if (__int_as_float(seen) >= (float)T) break; old = atomicCAS(data, seen, __float_as_int((float)T)); } while (seen != old); }
static __device__ void store(int *s, int v) { asm volatile("st.shared.s32 [%0], %1;" ::"r"(at(s)), "r"(v) : "memory"); }
static __device__ int load(int *s) { int v; asm volatile("ld.shared.s32 %0, [%1];" : "=r"(v) : "r"(at(s)) : "memory"); return v; }
KERNEL(note_same_value_by_all) { __shared__ int v; store(&v, 5); out[HERE] = load(&v); }
KERNEL(racy_barrier_value_of_some) { __shared__ int v; if (T < 32) store(&v, 5); out[HERE] = T < 32 ? 0 : load(&v); }
KERNEL(racy_barrier_other_value) { __shared__ int v; store(&v, T / 32); out[HERE] = load(&v); }
KERNEL(racy_order_guess_used) { int old = *(volatile int *)data; out[HERE] = old; atomicCAS(data + 1, 0, 1); if (FIRST) *data = blockIdx.x; }
