// Barriers in shared memory, copies in bulk, clusters of blocks and distributed shared memory: the same
// results on a GPU and on the device model. Each case prints a line with a hash of all that it stored; lines
// that begin with "fact" tell what PTX leaves open. tests/gpu/test_clusters.sh compares the lines and reads
// counters of each kernel.
#include "program.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <stdint.h>
#include <string.h>
#include <utility>

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

enum { WORDS = 1 << 20, THREADS = 256 };
static uint32_t *in, *out, host[WORDS];

static __device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

// The address of the same place in the shared memory of another block of the cluster.
static __device__ uint32_t shared_in_block(uint32_t address, uint32_t rank)
{
    uint32_t other;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(address), "r"(rank));
    return other;
}

static __device__ void mbarrier_init(uint64_t *barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
                 : "memory");
}

static __device__ void mbarrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(bytes)
        : "memory");
}

static __device__ void mbarrier_wait(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra "
                 "AGAIN;\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

static __device__ void copy_in(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}

static __device__ void fence_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ void group_wait()
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- mbarriers ----
__global__ void phases(uint32_t *out)
{
    __shared__ uint64_t barrier;
    uint64_t token;
    uint32_t at = 0, pending, passed;
    mbarrier_init(&barrier, 5);
    uint32_t address = shared_address(&barrier);
#define PASSED(token)                                                                                    \
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" \
                 : "=r"(passed)                                                                          \
                 : "r"(address), "l"(token)                                                              \
                 : "memory");                                                                            \
    out[at++] = passed
#define PARITY(parity)                                                                                 \
    asm volatile(                                                                                      \
        "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" \
        : "=r"(passed)                                                                                 \
        : "r"(address), "r"(parity)                                                                    \
        : "memory");                                                                                   \
    out[at++] = passed
#define ARRIVE(how, count)                                                \
    asm volatile("mbarrier." how ".shared::cta.b64 %0, [%1], " #count ";" \
                 : "=l"(token)                                            \
                 : "r"(address)                                           \
                 : "memory")
#define TX(what, bytes)                                                 \
    asm volatile("mbarrier." what ".relaxed.cta.shared::cta.b64 [%0], " \
                 "%1;" ::"r"(address),                                  \
                 "n"(bytes)                                             \
                 : "memory")
#define PENDING(token)                                                               \
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token)); \
    out[at++] = pending
    ARRIVE("arrive.noComplete", 2);
    PENDING(token);
    PASSED(token);
    ARRIVE("arrive.noComplete", 1);
    PENDING(token);
    TX("expect_tx", 100);
    ARRIVE("arrive", 2);
    PASSED(token);
    PARITY(0);
    PARITY(1);
    TX("complete_tx", 60);
    PASSED(token);
    TX("complete_tx", 40);
    PASSED(token);
    PARITY(0);
    PARITY(1);
    ARRIVE("arrive_drop", 3);
    PASSED(token);
    ARRIVE("arrive", 2);
    PASSED(token);
    ARRIVE("arrive.noComplete", 1);
    PENDING(token);
    ARRIVE("arrive_drop.noComplete", 1);
    PENDING(token);
    TX("complete_tx", 32);
    PASSED(token);
    TX("expect_tx", 32);
    PASSED(token);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address) : "memory");
    out[at++] = 77;
}

__global__ void barrier_turns(uint32_t *out, const uint32_t *in)
{
    __shared__ block_barrier barrier;
    __shared__ uint32_t s[THREADS];
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    uint32_t v = in[blockIdx.x * THREADS + threadIdx.x];
    for (int turn = 0; turn < 8; turn++) {
        s[threadIdx.x] = v;
        block_barrier::arrival_token token = barrier.arrive();
        barrier.wait(std::move(token));
        v += s[(threadIdx.x + 33 * turn + 1) % THREADS] * 3;
        barrier.arrive_and_wait();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = v;
}

__global__ void barrier_drop(uint32_t *out)
{
    __shared__ block_barrier barrier;
    __shared__ uint32_t sum;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        sum = 0;
    }
    __syncthreads();
    for (uint32_t turn = 0; turn <= threadIdx.x / 32; turn++) {
        atomicAdd(&sum, turn + 1);
        if (turn == threadIdx.x / 32)
            barrier.arrive_and_drop();
        else
            barrier.arrive_and_wait();
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

__global__ void producers(uint32_t *out, const uint32_t *in, int rounds)
{
    __shared__ block_barrier full[2], empty[2];
    __shared__ uint32_t s[2][128];
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            init(&full[i], blockDim.x);
            init(&empty[i], blockDim.x);
        }
    __syncthreads();
    uint32_t t = threadIdx.x % 128, sum = 0;
    if (threadIdx.x < 128) {
        for (int i = 0; i < rounds; i++) {
            empty[i % 2].arrive_and_wait();
            s[i % 2][t] = in[i * 128 + t];
            (void)full[i % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int i = 0; i < rounds; i++) {
            full[i % 2].arrive_and_wait();
            sum = sum * 5 + s[i % 2][127 - t];
            (void)empty[i % 2].arrive();
        }
        out[t] = sum;
    }
}

__global__ void copy_group_bulk(uint32_t *out, const uint32_t *in)
{
    __shared__ block_barrier barrier;
    __shared__ alignas(16) uint32_t s[THREADS];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&barrier, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in + blockIdx.x * THREADS, cuda::aligned_size_t<16>(sizeof s), barrier);
    barrier.arrive_and_wait();
    out[blockIdx.x * THREADS + threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}

__global__ void copy_threads(uint32_t *out, const uint32_t *in)
{
    __shared__ block_barrier barrier;
    __shared__ alignas(16) uint32_t s[THREADS];
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &in[blockIdx.x * THREADS + threadIdx.x], sizeof(uint32_t), barrier);
    barrier.arrive_and_wait();
    out[blockIdx.x * THREADS + threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}

__global__ void copy_noinc(uint32_t *out, const uint32_t *in)
{
    __shared__ uint64_t barrier;
    __shared__ alignas(16) uint32_t s[THREADS];
    if (threadIdx.x == 0)
        mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.mbarrier.arrive.noinc.shared::cta.b64 [%2];" ::
            "r"(shared_address(&s[threadIdx.x])),
        "l"(__cvta_generic_to_global(&in[threadIdx.x])), "r"(shared_address(&barrier))
        : "memory");
    mbarrier_wait(&barrier, 0);
    out[threadIdx.x] = s[THREADS - 1 - threadIdx.x];
}

__global__ void pipeline_stages(uint32_t *out, const uint32_t *in, int rounds)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ uint32_t s[2][THREADS];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    uint32_t sum = 0;
    for (int i = 0, next = 0; i < rounds; i++) {
        for (; next < rounds && next < i + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], in + next * THREADS, sizeof s[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        block.sync();
        sum = sum * 7 + s[i % 2][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

// ---- copies in bulk ----
extern __shared__ __align__(128) uint32_t dynamic[];

template <int BYTES, int OFFSET> __global__ void bulk_in(uint32_t *out, const uint32_t *in)
{
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        fence_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, BYTES);
        copy_in(dynamic, (const char *)in + OFFSET + (size_t)blockIdx.x * BYTES, BYTES, &barrier);
    }
    mbarrier_wait(&barrier, 0);
    uint32_t sum = 0;
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        sum = sum * 3 + dynamic[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int BYTES, int OFFSET> __global__ void bulk_out(uint32_t *out)
{
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        dynamic[i] = i * 2654435761u + blockIdx.x;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         __cvta_generic_to_global((char *)out + OFFSET + (size_t)blockIdx.x * BYTES)),
                     "r"(shared_address(dynamic)), "r"(BYTES)
                     : "memory");
        group_wait();
    }
}

__global__ void bulk_prefetch(const uint32_t *in)
{
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 4096;" ::"l"(__cvta_generic_to_global(in))
                     : "memory");
}

#define REDUCE(name, operation, type, value)                                             \
    __global__ void reduce_##name(type *out)                                             \
    {                                                                                    \
        type *s = (type *)dynamic;                                                       \
        for (int i = threadIdx.x; i < (int)(1024 / sizeof(type)); i += blockDim.x)       \
            s[i] = value;                                                                \
        fence_async();                                                                   \
        __syncthreads();                                                                 \
        if (threadIdx.x == 0) {                                                          \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation \
                         " [%0], [%1], 1024;" ::"l"(__cvta_generic_to_global(out)),      \
                         "r"(shared_address(s))                                          \
                         : "memory");                                                    \
            group_wait();                                                                \
        }                                                                                \
    }
REDUCE(add_u32, "add.u32", uint32_t, (uint32_t)i * 7919u)
REDUCE(add_u64, "add.u64", uint64_t, (uint64_t)i << 33)
REDUCE(inc_u32, "inc.u32", uint32_t, (uint32_t)i * 40503u << 10)
REDUCE(dec_u32, "dec.u32", uint32_t, (uint32_t)i * 40503u << 10)
REDUCE(min_s32, "min.s32", int32_t, (i - 128) * 12345677)
REDUCE(max_u64, "max.u64", uint64_t, (uint64_t)i * 0x9e3779b97f4a7c15ull)
REDUCE(and_b32, "and.b32", uint32_t, ~(1u << i % 32))
REDUCE(or_b64, "or.b64", uint64_t, 1ull << i % 64)
REDUCE(xor_b32, "xor.b32", uint32_t, (uint32_t)i * 0x01010101u)
REDUCE(add_f32, "add.f32", float, (float)i * 0.37f - 3)
REDUCE(tiny_f32, "add.f32", float, __int_as_float(i * 1000 + 1))
REDUCE(add_f64, "add.f64", double, (double)i * 0.37 - 3)
REDUCE(add_f16, "add.noftz.f16", __half, __float2half((float)i * 0.37f - 3))

// ---- clusters ----
__global__ void who(uint32_t *out)
{
    uint32_t v[16], explicit_cluster;
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[0]));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[1]));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[2]));
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[3]));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[4]));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[5]));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[6]));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[7]));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(v[8]));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(v[9]));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(v[10]));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v[11]));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(v[12]));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(v[13]));
    asm("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(explicit_cluster));
    v[14] = explicit_cluster;
    v[15] = blockIdx.x + 100 * blockIdx.y + 10000 * blockIdx.z;
    uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++)
            out[block * 16 + i] = v[i];
}

template <int STRIDE> __global__ void dsm_load(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint32_t s[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = i * 31 + blockIdx.x * 100003;
    cluster.sync();
    uint32_t *other = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % cluster.num_blocks());
    uint32_t v = 0;
    for (int turn = 0; turn < 4; turn++)
        v = v * 3 + other[(threadIdx.x * STRIDE + turn) % 1024];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
    cluster.sync();
}

template <int STRIDE> __global__ void dsm_store(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint32_t s[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        s[i] = 0;
    cluster.sync();
    uint32_t *other = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % cluster.num_blocks());
    if (threadIdx.x < 32)
        other[threadIdx.x * STRIDE] = threadIdx.x + 1000 * blockIdx.x;
    cluster.sync();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        out[blockIdx.x * 1024 + i] = s[i];
}

__global__ void dsm_wide(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint4 s[256];
    s[threadIdx.x] = make_uint4(threadIdx.x, blockIdx.x, 3, 4);
    cluster.sync();
    uint4 v = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[255 - threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v.x * 5 + v.y * 7 + v.z + v.w;
    cluster.sync();
}

__global__ void dsm_atomics(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint32_t bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    cluster.sync();
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t value = (threadIdx.x * 13 + blockIdx.x * 7 + i * 29) % (64 * cluster.num_blocks());
        atomicAdd(cluster.map_shared_rank(bins, value / 64) + value % 64, 1u);
    }
    cluster.sync();
    if (threadIdx.x < 64)
        out[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void cluster_turns(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint32_t s[2];
    uint32_t v = blockIdx.x;
    for (int turn = 0; turn < 6; turn++) {
        if (threadIdx.x == 0)
            s[turn % 2] = v;
        auto token = cluster.barrier_arrive();
        uint32_t own = threadIdx.x;
        cluster.barrier_wait(std::move(token));
        v = v * 3 +
            *cluster.map_shared_rank(&s[turn % 2], (cluster.block_rank() + turn) % cluster.num_blocks()) +
            (own & 0);
    }
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// Block 0 fills the others' shared memory, which wait at their own barriers; arrivals from block to block.
__global__ void cluster_messages(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint64_t barrier;
    __shared__ alignas(16) uint32_t s[64];
    uint32_t rank = cluster.block_rank(), blocks = cluster.num_blocks();
    s[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    uint32_t next = (rank + 1) % blocks, mine = shared_address(&barrier), its, place;
    if (rank > 0)
        mbarrier_wait(&barrier, 0);
    uint32_t v = rank == 0 ? 1 : s[0];
    if (threadIdx.x == 0) {
        its = shared_in_block(mine, next);
        place = shared_in_block(shared_address(s), next);
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(v * 5 + rank) : "memory");
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(its) : "memory");
    }
    if (rank == 0)
        mbarrier_wait(&barrier, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0] + v;
    cluster.sync();
}

__global__ void cluster_stores_async(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint64_t barrier;
    __shared__ alignas(16) uint32_t s[128];
    uint32_t rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks(), its, place;
    s[threadIdx.x] = 3;
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        mbarrier_expect(&barrier, 32 * 4 + 16 * 16 + 32 * 4);
    }
    cluster.sync();
    its = shared_in_block(shared_address(&barrier), next);
    uint32_t at = threadIdx.x < 32   ? threadIdx.x
                  : threadIdx.x < 48 ? 32 + 4 * (threadIdx.x - 32)
                                     : 96 + threadIdx.x % 32;
    place = shared_in_block(shared_address(&s[at]), next);
    if (threadIdx.x < 32)
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(place),
            "r"(threadIdx.x * 11 + rank), "r"(its)
            : "memory");
    else if (threadIdx.x < 48)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, "
                     "%4}, [%5];" ::"r"(place),
                     "r"(threadIdx.x), "r"(rank), "r"(7), "r"(threadIdx.x * 2), "r"(its)
                     : "memory");
    else if (threadIdx.x >= 96)
        asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], "
                     "%1, [%2];" ::"r"(place),
                     "r"(threadIdx.x), "r"(its)
                     : "memory");
    mbarrier_wait(&barrier, 0);
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
    cluster.sync();
}

template <int BYTES> __global__ void bulk_to_cluster(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint64_t barrier;
    uint32_t *from = dynamic, *to = dynamic + BYTES / 4;
    uint32_t next = (cluster.block_rank() + 1) % cluster.num_blocks(), its, place;
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        from[i] = i * 17 + blockIdx.x;
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        mbarrier_expect(&barrier, BYTES);
    }
    fence_async();
    cluster.sync();
    if (threadIdx.x == 0) {
        its = shared_in_block(shared_address(&barrier), next);
        place = shared_in_block(shared_address(to), next);
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                "r"(place),
            "r"(shared_address(from)), "r"(BYTES), "r"(its)
            : "memory");
    }
    mbarrier_wait(&barrier, 0);
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        out[blockIdx.x * (BYTES / 4) + i] = to[i];
    cluster.sync();
}

template <int BYTES> __global__ void reduce_to_cluster(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint64_t barrier;
    uint32_t *from = dynamic, *to = dynamic + BYTES / 4;
    uint32_t blocks = cluster.num_blocks(), its, place;
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x) {
        from[i] = i * 17 + blockIdx.x;
        to[i] = i;
    }
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        mbarrier_expect(&barrier, BYTES * blocks);
    }
    fence_async();
    cluster.sync();
    if (threadIdx.x < blocks) {
        its = shared_in_block(shared_address(&barrier), threadIdx.x);
        place = shared_in_block(shared_address(to), threadIdx.x);
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
                     "[%0], [%1], %2, [%3];" ::"r"(place),
                     "r"(shared_address(from)), "r"(BYTES), "r"(its)
                     : "memory");
    }
    mbarrier_wait(&barrier, 0);
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        out[blockIdx.x * (BYTES / 4) + i] = to[i];
    cluster.sync();
}

template <int BYTES> __global__ void bulk_multicast(uint32_t *out, const uint32_t *in, uint32_t mask)
{
    auto cluster = cg::this_cluster();
    __shared__ uint64_t barrier;
    uint32_t rank = cluster.block_rank(), sum = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&barrier, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (mask >> rank & 1)
            mbarrier_expect(&barrier, BYTES);
    }
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], "
                     "%4;" ::"r"(shared_address(dynamic)),
                     "l"(__cvta_generic_to_global(in + blockIdx.x / cluster.num_blocks() * (BYTES / 4))),
                     "r"(BYTES), "r"(shared_address(&barrier)), "h"((uint16_t)mask)
                     : "memory");
    if (mask >> rank & 1) {
        mbarrier_wait(&barrier, 0);
        for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
            sum = sum * 3 + dynamic[i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    cluster.sync();
}

__global__ void __cluster_dims__(4, 1, 1) compiled(uint32_t *out)
{
    auto cluster = cg::this_cluster();
    __shared__ uint32_t s;
    s = blockIdx.x;
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        *cluster.map_shared_rank(&s, 3 - cluster.block_rank()) + 10 * cluster.thread_rank();
    cluster.sync();
}

// ---- facts ----
__global__ void facts(uint32_t *out)
{
    __shared__ uint32_t s[4];
    uint32_t own = shared_address(s), at[4], is[8], ranks[3];
    uint64_t generic[2], plain = (uint64_t)(uintptr_t)s;
    for (uint32_t i = 0; i < 2; i++) {
        at[i] = shared_in_block(own, i);
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic[i]) : "l"(plain), "r"(i));
    }
#define IN_SPACE(result, space, address)                                           \
    asm volatile("{.reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p;}" \
                 : "=r"(result)                                                    \
                 : "l"(address))
    IN_SPACE(is[0], "shared::cta", plain);
    IN_SPACE(is[1], "shared::cluster", plain);
    IN_SPACE(is[2], "shared::cta", generic[0]);
    IN_SPACE(is[3], "shared::cluster", generic[0]);
    IN_SPACE(is[4], "shared::cta", generic[1]);
    IN_SPACE(is[5], "shared::cluster", generic[1]);
    IN_SPACE(is[6], "global", generic[1]);
    asm volatile("getctarank.u64 %0, %1;" : "=r"(ranks[0]) : "l"(plain));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(ranks[1]) : "l"(generic[0]));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(ranks[2]) : "r"(at[1]));
    cg::this_cluster().sync();
    if (threadIdx.x == 0) {
        uint32_t *to = out + 16 * blockIdx.x;
        to[0] = own;
        to[1] = at[0];
        to[2] = at[1];
        to[3] = (uint32_t)(generic[0] - plain);
        to[4] = (uint32_t)(generic[1] - plain);
        for (int i = 0; i < 7; i++)
            to[5 + i] = is[i];
        for (int i = 0; i < 3; i++)
            to[12 + i] = ranks[i];
        to[15] = cg::this_grid().is_valid();
    }
}

// ---- products of matrices, for their counters ----
__global__ void product(uint32_t *out)
{
    __shared__ alignas(16) uint32_t s[256];
    uint32_t a[4], d[4] = {0, 0, 0, 0}, i[4] = {0, 0, 0, 0};
    double e[2] = {0, 0};
    s[threadIdx.x] = 0x3c003c00u;
    __syncthreads();
    uint32_t row = shared_address(&s[32 * (threadIdx.x / 32) + 4 * (threadIdx.x % 8)]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(row)
                 : "memory");
#define MMA(shape, d)                                                               \
    asm volatile("mma.sync.aligned." shape                                          \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %5}, {%0, %1, %2, %3};" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]))
    for (int turn = 0; turn < 10; turn++) {
        MMA("m16n8k16.row.col.f32.f16.f16.f32", d);
        MMA("m16n8k8.row.col.f32.tf32.tf32.f32", d);
        MMA("m16n8k16.row.col.f32.bf16.bf16.f32", d);
        MMA("m16n8k32.row.col.s32.s8.s8.s32", i);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%2}, {%0, %1};"
                     : "+d"(e[0]), "+d"(e[1])
                     : "d"(1.0));
    }
    __syncthreads();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(d[0]) : "memory");
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + i[0] + i[3] + (uint32_t)e[1] + d[3];
}

// ---- the host ----
static void say(const char *name, const uint32_t *from, size_t words)
{
    uint64_t hash = 14695981039346656037ull;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, from, words * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < words; i++)
        hash = (hash ^ host[i]) * 1099511628211ull;
    printf("%s: %016llx", name, (unsigned long long)hash);
    for (size_t i = 0; i < words && i < 6; i++)
        printf(" %08x", host[i]);
    printf("\n");
    fflush(stdout);
    CHECK(cudaMemset(out, 0x55, WORDS * 4));
}

template <typename... Formal, typename... Actual>
static void launch(void (*kernel)(Formal...), dim3 grid, dim3 block, dim3 cluster, size_t shared_bytes,
                   Actual... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = cluster.x > 0;
    if (shared_bytes > 48 * 1024)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
    if (cluster.x * cluster.y * cluster.z > 8)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<Formal>(arguments)...));
}

template <typename... Formal, typename... Actual>
static void run(const char *name, size_t words, void (*kernel)(Formal...), dim3 grid, dim3 block,
                dim3 cluster, size_t shared_bytes, Actual... arguments)
{
    launch(kernel, grid, block, cluster, shared_bytes, arguments...);
    say(name, out, words);
}

static void run_mbarriers()
{
    phases<<<1, 1>>>(out);
    say("phases", out, 24);
    barrier_turns<<<3, THREADS>>>(out, in);
    say("barrier_turns", out, 3 * THREADS);
    barrier_drop<<<1, THREADS>>>(out);
    say("barrier_drop", out, THREADS);
    producers<<<1, THREADS>>>(out, in, 11);
    say("producers", out, 128);
    copy_group_bulk<<<2, THREADS>>>(out, in);
    say("copy_group_bulk", out, 2 * THREADS);
    copy_threads<<<2, THREADS>>>(out, in);
    say("copy_threads", out, 2 * THREADS);
    copy_noinc<<<1, THREADS>>>(out, in);
    say("copy_noinc", out, THREADS);
    pipeline_stages<<<1, THREADS>>>(out, in, 7);
    say("pipeline_stages", out, THREADS);
}

template <int BYTES, int OFFSET> static void run_bulk(int blocks)
{
    char name[64];
    launch(bulk_in<BYTES, OFFSET>, blocks, 128, 0, BYTES, out, in);
    snprintf(name, sizeof name, "bulk_in %d %d x %d", BYTES, OFFSET, blocks);
    say(name, out, blocks * 128);
    launch(bulk_out<BYTES, OFFSET>, blocks, 128, 0, BYTES, out);
    snprintf(name, sizeof name, "bulk_out %d %d x %d", BYTES, OFFSET, blocks);
    say(name, out, (blocks * BYTES + OFFSET) / 4 + 8);
}

template <typename T> static void run_reduction(const char *name, void (*kernel)(T *))
{
    launch(kernel, 3, 64, 0, 1024, (T *)out);
    say(name, out, 300);
}

#define RUN_REDUCTION(name) run_reduction("reduce_" #name, reduce_##name)

static void run_copies()
{
    run_bulk<16, 0>(1);
    run_bulk<16, 16>(1);
    run_bulk<48, 0>(2);
    run_bulk<48, 16>(1);
    run_bulk<128, 0>(1);
    run_bulk<128, 48>(1);
    run_bulk<1024, 0>(4);
    run_bulk<1024, 112>(4);
    run_bulk<4096, 0>(8);
    run_bulk<4096, 16>(8);
    run_bulk<65536, 32>(3);
    launch(bulk_prefetch, 1, 32, 0, 0, in);
    say("bulk_prefetch", in, 1024);
    RUN_REDUCTION(add_u32);
    RUN_REDUCTION(add_u64);
    RUN_REDUCTION(inc_u32);
    RUN_REDUCTION(dec_u32);
    RUN_REDUCTION(min_s32);
    RUN_REDUCTION(max_u64);
    RUN_REDUCTION(and_b32);
    RUN_REDUCTION(or_b64);
    RUN_REDUCTION(xor_b32);
    CHECK(cudaMemset(out, 0, WORDS * 4));
    RUN_REDUCTION(add_f32);
    CHECK(cudaMemset(out, 0, WORDS * 4));
    RUN_REDUCTION(tiny_f32);
    CHECK(cudaMemset(out, 0, WORDS * 4));
    RUN_REDUCTION(add_f64);
    CHECK(cudaMemset(out, 0, WORDS * 4));
    RUN_REDUCTION(add_f16);
}

static void run_clusters()
{
    run("who 2x2x2", 32 * 16, who, dim3(4, 4, 2), 32, dim3(2, 2, 2), 0, out);
    run("who 3x1x1", 36 * 16, who, dim3(6, 2, 3), 32, dim3(3, 1, 1), 0, out);
    run("who 1x4x1", 16 * 16, who, dim3(2, 8, 1), 32, dim3(1, 4, 1), 0, out);
    run("who 1x1x1", 4 * 16, who, dim3(4, 1, 1), 32, dim3(1, 1, 1), 0, out);
    run("who none", 4 * 16, who, dim3(4, 1, 1), 32, 0, 0, out);
    run("dsm_load 1", 512, dsm_load<1>, 4, 128, 2, 0, out);
    run("dsm_load 2", 512, dsm_load<2>, 4, 128, 2, 0, out);
    run("dsm_load 8", 512, dsm_load<8>, 4, 128, 4, 0, out);
    run("dsm_load 32", 512, dsm_load<32>, 4, 128, 4, 0, out);
    run("dsm_load 0", 512, dsm_load<0>, 4, 128, 4, 0, out);
    run("dsm_store 1", 4096, dsm_store<1>, 4, 128, 2, 0, out);
    run("dsm_store 2", 4096, dsm_store<2>, 4, 128, 2, 0, out);
    run("dsm_store 32", 4096, dsm_store<32>, 4, 128, 2, 0, out);
    run("dsm_wide", 1024, dsm_wide, 4, 256, 2, 0, out);
    run("dsm_atomics", 512, dsm_atomics, 8, 128, 8, 0, out);
    for (uint32_t blocks = 1; blocks <= 16; blocks *= 2)
        run("cluster_turns", 32 * 64, cluster_turns, 32, 64, blocks, 0, out);
    run("cluster_messages", 8, cluster_messages, 8, 64, 8, 0, out);
    run("cluster_stores_async", 512, cluster_stores_async, 4, 128, 4, 0, out);
    run("bulk_to_cluster 64", 64, bulk_to_cluster<64>, 4, 64, 2, 128, out);
    run("bulk_to_cluster 4096", 4096, bulk_to_cluster<4096>, 4, 64, 4, 8192, out);
    run("reduce_to_cluster 1024", 1024, reduce_to_cluster<1024>, 4, 64, 4, 2048, out);
    run("bulk_multicast 15", 512, bulk_multicast<2048>, 8, 64, 4, 2048, out, in, 15u);
    run("bulk_multicast 10", 512, bulk_multicast<2048>, 8, 64, 4, 2048, out, in, 10u);
    compiled<<<8, 32>>>(out);
    say("compiled", out, 256);
}

int main()
{
    CHECK(cudaMalloc(&in, WORDS * 4));
    CHECK(cudaMalloc(&out, WORDS * 4));
    for (uint32_t i = 0; i < WORDS; i++)
        host[i] = i * 2246822519u + 374761393u;
    CHECK(cudaMemcpy(in, host, WORDS * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0x55, WORDS * 4));
    run_mbarriers();
    run_copies();
    run_clusters();
    product<<<1, 256>>>(out);
    say("product", out, 256);
    launch(facts, 2, 32, 2, 0, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, 32 * 4, cudaMemcpyDeviceToHost));
    static const char *const names[] = {"own address",
                                        "mapa 0",
                                        "mapa 1",
                                        "mapa.u64 0 - own",
                                        "mapa.u64 1 - own",
                                        "own is shared::cta",
                                        "own is shared::cluster",
                                        "rank 0 is shared::cta",
                                        "rank 0 is shared::cluster",
                                        "rank 1 is shared::cta",
                                        "rank 1 is shared::cluster",
                                        "rank 1 is global",
                                        "getctarank own",
                                        "getctarank 0",
                                        "getctarank 1",
                                        "grid is_valid"};
    for (int i = 0; i < 16; i++)
        printf("fact %s: %08x %08x\n", names[i], host[i], host[16 + i]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
