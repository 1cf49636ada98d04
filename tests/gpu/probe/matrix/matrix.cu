// Outputs of the tensor cores for tiles that tile.h describes. Files in the folder of argv[1]:
//   full.bin    per configuration: the outputs of its first tiles (32-bit words, 16-bit widened; 64-bit for
//   f64), row major hashes.bin  per configuration: a 64-bit hash per 64 tiles of 2^20 layout.txt  the
//   fragments of wmma: which element of the matrix each lane's elements are text.txt    index of the files,
//   latency and throughput
// build: nvcc -std=c++17 -O2 -arch=sm_90a -o probe probe.cu ; run: ./probe OUT
#include "../../../shared/oracle/matrix_tile.h"
#include "probe_mma.inc"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x)                                                                        \
    do {                                                                                \
        cudaError_t e_ = (x);                                                           \
        if (e_ != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

enum { TILES = 1 << 20, GROUP = 64 };
static int tiles_run = TILES;
static FILE *full_file, *hash_file, *layout_file, *text_file;

struct place {
    int row, column;
};

// Where element i of register r of this lane lies. which: 0 A, 1 B, 2 C or D
template <class C> __device__ place place_of(int which, int lane, int r, int i, int bits)
{
    int g = lane >> 2, t = lane & 3, e = bits >= 32 ? 1 : 32 / bits;
    if (C::quads) {
        int high = lane & 16 ? 4 : 0, q = lane & 3, at = r * e + i;
        if (which == 0)
            return C::acol ? place{at + high, q} : place{q + high, at};
        if (which == 1)
            return C::bcol ? place{at, q + high} : place{q, at + high};
        if (bits == 16)
            return place{q + high, at};
        return place{(lane & 1) + (at & 2) + high, (at & 4) + (lane & 2) + (at & 1)};
    }
    if (which == 0) {
        int halves = C::m == 16;
        return place{g + (halves ? 8 * (r & 1) : 0), t * e + i + 4 * e * (halves ? r >> 1 : r)};
    }
    if (which == 1)
        return place{t * e + i + 4 * e * r, g};
    if (bits == 16)
        return place{g + 8 * r, t * 2 + i};
    return place{g + 8 * (r >> 1), t * 2 + (r & 1)};
}

template <class C> __device__ uint32_t tile_of_quads(uint32_t tile, int lane)
{
    return C::quads ? tile * 4 + ((lane >> 2) & 3) : tile;
}

template <class C>
__device__ void fill(typename C::word *regs, int count, int which, tile_format f, uint32_t config,
                     uint32_t tile, int lane)
{
    int e = f.bits >= 32 ? 1 : 32 / f.bits;
    for (int r = 0; r < count; r++) {
        typename C::word w = 0;
        for (int i = 0; i < e; i++) {
            place p = place_of<C>(which, lane, r, i, f.bits);
            w |= (typename C::word)tile_element(f, config, tile, which, p.row, p.column, C::k)
                 << (i * (f.bits & 31));
        }
        regs[r] = w;
    }
}

template <class C>
__global__ void mma_run(uint32_t config, uint32_t tiles, unsigned long long *hashes, uint64_t *full)
{
    int lane = threadIdx.x & 31;
    uint32_t per = C::quads ? 4 : 1, warps = gridDim.x * blockDim.x / 32;
    for (uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) / 32; at < tiles / per; at += warps) {
        uint32_t tile = tile_of_quads<C>(at, lane);
        typename C::word a[C::na], b[C::nb], c[C::nc], d[C::nd];
        fill<C>(a, C::na, 0, C::fa(), config, tile, lane);
        fill<C>(b, C::nb, 1, C::fb(), config, tile, lane);
        fill<C>(c, C::nc, 2, C::fc(), config, tile, lane);
        __syncwarp();
        C::mma(d, a, b, c);
        int bits = C::fd().bits, e = bits >= 32 ? 1 : 32 / bits;
        uint64_t share = 0;
        for (int r = 0; r < C::nd; r++)
            for (int i = 0; i < e; i++) {
                place p = place_of<C>(2, lane, r, i, bits);
                uint64_t v = bits == 16 ? (d[r] >> (16 * i)) & 0xffff : (uint64_t)d[r];
                uint32_t index = p.row * C::n + p.column;
                share += tile_share(tile, index, v);
                if (tile < C::full)
                    full[(size_t)tile * C::m * C::n + index] = v;
            }
        for (int s = 16; s; s >>= 1)
            share += __shfl_xor_sync(~0u, share, s);
        if (lane == 0)
            atomicAdd(&hashes[tile / GROUP], (unsigned long long)share);
    }
}

template <class C> __global__ void mma_time(int chains, long long *cycles, typename C::word *sink)
{
    typename C::word a[C::na] = {}, b[C::nb] = {}, c[4][C::nc] = {}, d[4][C::nd] = {};
    for (int i = 0; i < C::na; i++)
        a[i] = sink[i];
    for (int i = 0; i < C::nb; i++)
        b[i] = sink[i];
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 128; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (j < chains) {
                C::mma(d[j], a, b, c[j]);
                for (int r = 0; r < C::nc; r++)
                    c[j][r] = d[j][C::nd == C::nc ? r : 0];
            }
    __syncthreads();
    long long end = clock64();
    typename C::word sum = 0;
    for (int j = 0; j < 4; j++)
        for (int r = 0; r < C::nd; r++)
            sum += d[j][r];
    if (sum == 12345)
        sink[64] = sum;
    if (threadIdx.x == 0)
        *cycles = end - begin;
}

static void out_hashes(unsigned long long *hashes, uint64_t *full, int count, int bits)
{
    CHECK(cudaDeviceSynchronize());
    unsigned long long *h = (unsigned long long *)malloc(TILES / GROUP * 8);
    CHECK(cudaMemcpy(h, hashes, TILES / GROUP * 8, cudaMemcpyDeviceToHost));
    fwrite(h, 8, TILES / GROUP, hash_file);
    uint64_t *f = (uint64_t *)malloc((size_t)count * 8 + 8);
    CHECK(cudaMemcpy(f, full, (size_t)count * 8, cudaMemcpyDeviceToHost));
    unsigned long long all = 0;
    for (int i = 0; i < TILES / GROUP; i++)
        all += tile_mix(h[i] ^ (uint64_t)i);
    for (int i = 0; i < count; i++)
        fwrite(&f[i], bits == 64 ? 8 : bits == 16 ? 2 : 4, 1, full_file);
    fprintf(text_file, " hash %016llx", all);
    free(h);
    free(f);
}

static unsigned long long *hashes;
static uint64_t *full;

static void begin_config(int config, const char *name, int m, int n, int k, int bits, int tiles)
{
    fprintf(text_file, "config %d %s m %d n %d k %d bits %d full %d at %ld hashes at %ld", config, name, m, n,
            k, bits, tiles, ftell(full_file), ftell(hash_file));
    CHECK(cudaMemset(hashes, 0, TILES / GROUP * 8));
}

template <class C> static void one(int config, const char *name)
{
    begin_config(config, name, C::m, C::n, C::k, C::fd().bits, C::full);
    mma_run<C><<<1056, 256>>>(config, tiles_run, hashes, full);
    out_hashes(hashes, full, C::full * C::m * C::n, C::fd().bits);
    long long *cycles, h[3];
    typename C::word *sink;
    CHECK(cudaMalloc(&cycles, 64));
    CHECK(cudaMalloc(&sink, 1024));
    CHECK(cudaMemset(sink, 0, 1024));
    for (int i = 0; i < 3; i++) {
        mma_time<C><<<1, i == 0 ? 32 : i == 1 ? 128 : 512>>>(i == 0 ? 1 : 4, cycles, sink);
        mma_time<C><<<1, i == 0 ? 32 : i == 1 ? 128 : 512>>>(i == 0 ? 1 : 4, cycles, sink);
        CHECK(cudaMemcpy(&h[i], cycles, 8, cudaMemcpyDeviceToHost));
    }
    fprintf(text_file, " latency %.2f per_sm_4_warps %.3f per_sm_16_warps %.3f\n", h[0] / 128.0,
            h[1] / (128.0 * 4 * 4), h[2] / (128.0 * 4 * 16));
    fflush(text_file);
    cudaFree(cycles);
    cudaFree(sink);
}

// ---- wmma ----
using namespace nvcuda;

template <class T> struct kind;
#define KIND(T, F, B, E, M, STORE)                                  \
    template <> struct kind<T> {                                    \
        typedef STORE store;                                        \
        __host__ __device__ static constexpr struct tile_format f() \
        {                                                           \
            return {F, B, E, M};                                    \
        }                                                           \
    };
KIND(half, F_F16, 16, 5, 10, half)
KIND(__nv_bfloat16, F_BF16, 16, 8, 7, __nv_bfloat16)
KIND(wmma::precision::tf32, F_TF32, 32, 8, 23, float)
KIND(float, F_F32, 32, 8, 23, float)
KIND(double, F_F64, 64, 11, 52, double)
KIND(signed char, F_INT, 8, 0, 0, signed char)
KIND(unsigned char, F_INT, 8, 0, 0, unsigned char)
KIND(int, F_INT, 32, 0, 0, int)
KIND(wmma::experimental::precision::s4, F_INT, 4, 0, 0, int)
KIND(wmma::experimental::precision::u4, F_INT, 4, 0, 0, int)
KIND(wmma::experimental::precision::b1, F_BIT, 1, 0, 0, int)

__device__ void put(unsigned char *at, int bits, size_t index, uint64_t v)
{
    if (bits < 8)
        for (int i = 0; i < bits; i++) {
            size_t bit = index * bits + i;
            if ((v >> i) & 1)
                at[bit / 8] |= 1u << (bit % 8);
        }
    else
        for (int i = 0; i < bits / 8; i++)
            at[index * (bits / 8) + i] = (unsigned char)(v >> (8 * i));
}

__device__ uint64_t get(const unsigned char *at, int bits, size_t index)
{
    uint64_t v = 0;
    for (int i = 0; i < bits / 8; i++)
        v |= (uint64_t)at[index * (bits / 8) + i] << (8 * i);
    return v;
}

// OP: 0 plain, 1 saturating, 2 xor, 3 and
template <int OP, class D, class A, class B, class C>
__device__ void multiply(D &d, const A &a, const B &b, const C &c)
{
    if constexpr (OP == 2)
        wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpXOR,
                        wmma::experimental::bmmaAccumulateOpPOPC);
    else if constexpr (OP == 3)
        wmma::bmma_sync(d, a, b, c, wmma::experimental::bmmaBitOpAND,
                        wmma::experimental::bmmaAccumulateOpPOPC);
    else if constexpr (OP == 1)
        wmma::mma_sync(d, a, b, c, true);
    else
        wmma::mma_sync(d, a, b, c);
}

template <int M, int N, int K, class TAB, class TC, class TD, int OP>
__global__ void wmma_run(uint32_t config, uint32_t tiles, unsigned long long *hashes, uint64_t *full,
                         int nfull)
{
    constexpr tile_format fa = kind<TAB>::f(), fc = kind<TC>::f(), fd = kind<TD>::f();
    __shared__ __align__(128) unsigned char a[M * K * fa.bits / 8], b[N * K * fa.bits / 8],
        c[M * N * fc.bits / 8], d[M * N * fd.bits / 8];
    int lane = threadIdx.x;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (fa.bits < 8) {
            for (int i = lane; i < (int)sizeof a; i += 32)
                a[i] = 0;
            for (int i = lane; i < (int)sizeof b; i += 32)
                b[i] = 0;
            __syncwarp();
        }
        constexpr int step = fa.bits < 8 ? 8 / fa.bits : 1; // one lane writes whole bytes
        for (int i = lane; i < M * K / step; i += 32)
            for (int j = i * step; j < (i + 1) * step; j++)
                put(a, fa.bits, j, tile_element(fa, config, tile, 0, j / K, j % K, K));
        for (int i = lane; i < N * K / step; i += 32)
            for (int j = i * step; j < (i + 1) * step; j++)
                put(b, fa.bits, j, tile_element(fa, config, tile, 1, j % K, j / K, K));
        for (int i = lane; i < M * N; i += 32)
            put(c, fc.bits, i, tile_element(fc, config, tile, 2, i / N, i % N, K));
        __syncwarp();
        wmma::fragment<wmma::matrix_a, M, N, K, TAB, wmma::row_major> x;
        wmma::fragment<wmma::matrix_b, M, N, K, TAB, wmma::col_major> y;
        wmma::fragment<wmma::accumulator, M, N, K, TC> z;
        wmma::fragment<wmma::accumulator, M, N, K, TD> w;
        wmma::load_matrix_sync(x, (typename kind<TAB>::store *)a, K);
        wmma::load_matrix_sync(y, (typename kind<TAB>::store *)b, K);
        wmma::load_matrix_sync(z, (typename kind<TC>::store *)c, N, wmma::mem_row_major);
        multiply<OP>(w, x, y, z);
        wmma::store_matrix_sync((typename kind<TD>::store *)d, w, N, wmma::mem_row_major);
        __syncwarp();
        uint64_t share = 0;
        for (int i = lane; i < M * N; i += 32) {
            uint64_t v = get(d, fd.bits, i);
            share += tile_share(tile, i, v);
            if (tile < nfull)
                full[(size_t)tile * M * N + i] = v;
        }
        for (int s = 16; s; s >>= 1)
            share += __shfl_xor_sync(~0u, share, s);
        if (lane == 0)
            atomicAdd(&hashes[tile / GROUP], (unsigned long long)share);
        __syncwarp();
    }
}

// The bytes of the fragment of each lane, as loaded from a matrix
template <class F, class S, int ACC>
__global__ void wmma_look(const S *from, unsigned ld, unsigned char *to, int *bytes, int column)
{
    F f;
    memset(f.x, 0xee, sizeof f.x);
    if constexpr (ACC)
        wmma::load_matrix_sync(f, from, ld, column ? wmma::mem_col_major : wmma::mem_row_major);
    else
        wmma::load_matrix_sync(f, from, ld);
    memcpy(to + threadIdx.x * sizeof f.x, f.x, sizeof f.x);
    *bytes = sizeof f.x;
}

// Element number of each element in each lane's registers, found bit by bit: the matrix' element i holds bit
// `bit` of i.
template <class F, class S, int ACC>
static void look(const char *name, int bits, int elements, unsigned ld, int column)
{
    unsigned char *in, *out, *h = (unsigned char *)malloc(65536), *g = (unsigned char *)malloc(65536);
    static int found[32 * 2048];
    int *bytes, n = 0;
    CHECK(cudaMalloc(&in, 65536));
    CHECK(cudaMalloc(&out, 65536));
    CHECK(cudaMalloc(&bytes, 4));
    memset(found, 0, sizeof found);
    for (int bit = 0; (1 << bit) < elements; bit++) {
        memset(h, 0, 65536);
        for (int i = 0; i < elements; i++)
            if ((i >> bit) & 1) {
                if (bits == 1)
                    h[i / 8] |= 1 << (i % 8);
                else if (bits == 4)
                    h[i / 2] |= 1 << (4 * (i % 2));
                else
                    h[i * bits / 8] = 1;
            }
        CHECK(cudaMemcpy(in, h, 65536, cudaMemcpyHostToDevice));
        wmma_look<F, S, ACC><<<1, 32>>>((const S *)in, ld, out, bytes, column);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&n, bytes, 4, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(g, out, 65536, cudaMemcpyDeviceToHost));
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < n * 8 / bits; i++) {
                int at = i * bits, v = (g[lane * n + at / 8] >> (at % 8)) & 1;
                found[lane * 2048 + i] |= v << bit;
            }
    }
    for (int lane = 0; lane < 32; lane++) {
        fprintf(layout_file, "%s ld %u lane %d:", name, ld, lane);
        for (int i = 0; i < n * 8 / bits; i++)
            fprintf(layout_file, " %d", found[lane * 2048 + i]);
        fprintf(layout_file, "\n");
    }
    cudaFree(in);
    cudaFree(out);
    cudaFree(bytes);
    free(h);
    free(g);
}

template <int M, int N, int K, class TAB, class TC, class TD, int OP>
static void wone(int config, const char *name, int nfull)
{
    begin_config(config, name, M, N, K, kind<TD>::f().bits, nfull);
    wmma_run<M, N, K, TAB, TC, TD, OP><<<4224, 32>>>(config, tiles_run, hashes, full, nfull);
    out_hashes(hashes, full, nfull * M * N, kind<TD>::f().bits);
    fprintf(text_file, "\n");
    fflush(text_file);
}

template <int M, int N, int K, class TAB, class TC, int BOTH> static void wlook(const char *name)
{
    char line[128];
    typedef typename kind<TAB>::store S;
    typedef typename kind<TC>::store SC;
    int bits = kind<TAB>::f().bits, cbits = kind<TC>::f().bits;
    snprintf(line, sizeof line, "%s a row", name);
    look<wmma::fragment<wmma::matrix_a, M, N, K, TAB, wmma::row_major>, S, 0>(line, bits, M * K, K, 0);
    snprintf(line, sizeof line, "%s b col", name);
    look<wmma::fragment<wmma::matrix_b, M, N, K, TAB, wmma::col_major>, S, 0>(line, bits, N * K, K, 0);
    if constexpr (BOTH) {
        snprintf(line, sizeof line, "%s a col", name);
        look<wmma::fragment<wmma::matrix_a, M, N, K, TAB, wmma::col_major>, S, 0>(line, bits, M * K, M, 0);
        snprintf(line, sizeof line, "%s b row", name);
        look<wmma::fragment<wmma::matrix_b, M, N, K, TAB, wmma::row_major>, S, 0>(line, bits, N * K, N, 0);
    }
    snprintf(line, sizeof line, "%s c row %d", name, cbits);
    look<wmma::fragment<wmma::accumulator, M, N, K, TC>, SC, 1>(line, cbits, M * N, N, 0);
    snprintf(line, sizeof line, "%s c col %d", name, cbits);
    look<wmma::fragment<wmma::accumulator, M, N, K, TC>, SC, 1>(line, cbits, M * N, M, 1);
}

#define SHAPES(X) X(16, 16, 16) X(32, 8, 16) X(8, 32, 16)

// ---- ldmatrix, stmatrix and movmatrix: registers by known words in shared memory ----
__global__ void matrices(uint32_t *out)
{
    __shared__ __align__(128) uint16_t s[1024];
    int lane = threadIdx.x;
    for (int i = lane; i < 1024; i += 32)
        s[i] = (uint16_t)(i * 7 + 3);
    __syncwarp();
    uint32_t at = (uint32_t)__cvta_generic_to_shared(s) + ((lane * 5) % 32) * 16, r[4] = {};
#define LD(N, T, OUTS, ...)                                                               \
    asm volatile("ldmatrix.sync.aligned.m8n8.x" #N T ".shared.b16 {" OUTS "}, [%" #N "];" \
                 : __VA_ARGS__                                                            \
                 : "r"(at));                                                              \
    for (int i = 0; i < 4; i++)                                                           \
        *(out + lane * 4 + i) = r[i], r[i] = 0;                                           \
    out += 128;
    LD(1, "", "%0", "=r"(r[0]))
    LD(2, "", "%0, %1", "=r"(r[0]), "=r"(r[1]))
    LD(4, "", "%0, %1, %2, %3", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))
    LD(1, ".trans", "%0", "=r"(r[0]))
    LD(2, ".trans", "%0, %1", "=r"(r[0]), "=r"(r[1]))
    LD(4, ".trans", "%0, %1, %2, %3", "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))
    uint32_t v = 0x10000u * (2 * lane + 1) + 2 * lane, w;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(w) : "r"(v));
    out[lane * 4] = w;
    out += 128;
    for (int t = 0; t < 6; t++) {
        __syncwarp();
        for (int i = lane; i < 512; i += 32)
            ((uint32_t *)s)[i] = 0;
        __syncwarp();
        uint32_t x = v, y = v + 0x01000100, z = v + 0x02000200, u = v + 0x03000300;
        if (t == 0)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(x) : "memory");
        if (t == 1)
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(x), "r"(y)
                         : "memory");
        if (t == 2)
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(x),
                         "r"(y), "r"(z), "r"(u)
                         : "memory");
        if (t == 3)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(x)
                         : "memory");
        if (t == 4)
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(x),
                         "r"(y)
                         : "memory");
        if (t == 5)
            asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                         "r"(x), "r"(y), "r"(z), "r"(u)
                         : "memory");
        __syncwarp();
        for (int i = lane; i < 512; i += 32)
            out[i] = ((uint32_t *)s)[i];
        out += 512;
    }
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f) {
        perror(path);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    if (argc > 2)
        tiles_run = atoi(argv[2]);
    full_file = open_in(folder, "full.bin");
    hash_file = open_in(folder, "hashes.bin");
    layout_file = open_in(folder, "layout.txt");
    text_file = open_in(folder, "text.txt");
    CHECK(cudaMalloc(&hashes, TILES / GROUP * 8));
    CHECK(cudaMalloc(&full, (size_t)512 * 256 * 8));
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    fprintf(text_file, "device %s sm_%d%d\n", prop.name, prop.major, prop.minor);
#define ONE(I, NAME) one<M##I>(I, NAME);
    MMA_LIST(ONE)
    int id = 256;
    using namespace wmma::experimental::precision;
#define W(M, N, K, AB, C, D, OP, NAME, FULL) \
    wone<M, N, K, AB, C, D, OP>(id++, "wmma.m" #M "n" #N "k" #K "." NAME, FULL);
#define HALVES(M, N, K)                                              \
    W(M, N, K, half, half, half, 0, "f16.f16.f16", 64)               \
    W(M, N, K, half, float, half, 0, "f16.f16.f32", 64)              \
    W(M, N, K, half, half, float, 0, "f32.f16.f16", 64)              \
    W(M, N, K, half, float, float, 0, "f32.f16.f32", 64)             \
    W(M, N, K, __nv_bfloat16, float, float, 0, "f32.bf16.f32", 64)   \
    W(M, N, K, signed char, int, int, 0, "s32.s8.s32", 16)           \
    W(M, N, K, signed char, int, int, 1, "satfinite.s32.s8.s32", 16) \
    W(M, N, K, unsigned char, int, int, 0, "s32.u8.s32", 16)         \
    W(M, N, K, unsigned char, int, int, 1, "satfinite.s32.u8.s32", 16)
    SHAPES(HALVES)
    W(16, 16, 8, wmma::precision::tf32, float, float, 0, "f32.tf32.f32", 64)
    W(8, 8, 4, double, double, double, 0, "f64", 64)
    W(8, 8, 32, s4, int, int, 0, "s32.s4.s32", 16)
    W(8, 8, 32, s4, int, int, 1, "satfinite.s32.s4.s32", 16)
    W(8, 8, 32, u4, int, int, 0, "s32.u4.s32", 16)
    W(8, 8, 32, u4, int, int, 1, "satfinite.s32.u4.s32", 16)
    W(8, 8, 128, b1, int, int, 2, "xor", 16)
    W(8, 8, 128, b1, int, int, 3, "and", 16)
#define LOOKS(M, N, K)                                                     \
    wlook<M, N, K, half, float, 1>("m" #M "n" #N "k" #K " f16");           \
    wlook<M, N, K, half, half, 1>("m" #M "n" #N "k" #K " f16");            \
    wlook<M, N, K, __nv_bfloat16, float, 1>("m" #M "n" #N "k" #K " bf16"); \
    wlook<M, N, K, signed char, int, 1>("m" #M "n" #N "k" #K " s8");
    SHAPES(LOOKS)
    wlook<16, 16, 8, wmma::precision::tf32, float, 1>("m16n16k8 tf32");
    wlook<8, 8, 4, double, double, 1>("m8n8k4 f64");
    wlook<8, 8, 32, s4, int, 0>("m8n8k32 s4");
    wlook<8, 8, 128, b1, int, 0>("m8n8k128 b1");
    uint32_t *m, *h = (uint32_t *)malloc(65536);
    CHECK(cudaMalloc(&m, 65536));
    CHECK(cudaMemset(m, 0, 65536));
    matrices<<<1, 32>>>(m);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, m, 65536, cudaMemcpyDeviceToHost));
    FILE *f = open_in(folder, "matrices.bin");
    fwrite(h, 4, 7 * 128 + 6 * 512, f);
    fclose(f);
    fclose(full_file);
    fclose(hash_file);
    fclose(layout_file);
    fclose(text_file);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
