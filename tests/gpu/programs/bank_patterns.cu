// One shared-memory instruction of one warp per launch, with addresses from a table: what the hardware makes of patterns. Prints a line per
// launch, in order: operation, bytes per lane, mask of active lanes, 32 byte offsets. tests/gpu/bank_patterns.py joins it with the wavefronts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                   \
    do {                                                                                                              \
        cudaError_t status = (call);                                                                                  \
        if (status != cudaSuccess) {                                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                          \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

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
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a));
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

static uint32_t random_state = 1;
static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

// A pattern of kind `kind`, in units of the width.
static void make(uint32_t kind, uint32_t unit[32])
{
    uint32_t span = 1u << draw(8), stride = draw(40), base = draw(16), bit = 1u << draw(5), group = 1u << draw(6);
    for (uint32_t lane = 0; lane < 32; lane++)
        unit[lane] = draw(span);
    for (uint32_t lane = 0; lane < 32; lane++) {
        switch (kind) {
        case 0: break;                                                     // random in a span
        case 1: unit[lane] = base + lane * stride; break;                  // strided
        case 2: unit[lane] = base + lane / group * stride; break;          // groups of neighbours share
        case 3: unit[lane] = base + lane % group * stride; break;          // repeated
        case 4: unit[lane] = unit[lane & ~bit]; break;                     // random, lanes that differ in one bit share
        case 5: unit[lane] = base + (lane & ~bit) * stride; break;         // strided, the same
        case 6: unit[lane] = base + (lane ^ (draw(4) ? 0 : bit)); break;   // nearly in order
        case 7: unit[lane] = base + (lane & ~bit & ~(bit << 1)) * stride; break;
        case 8: unit[lane] = base + (lane & ~3u) + (lane & 1); break;      // 0 1 0 1 4 5 4 5
        case 9: unit[lane] = base + lane % 16 / (group % 16 ? group % 16 : 1); break;
        case 10: unit[lane] = base + (lane & 15 & ~bit) + (lane & 16) * stride; break;     // halves alike, conflict-free
        case 11: unit[lane] = lane & 16 ? base + lane % 8 : base + (lane & 15 & ~bit); break; // halves of two kinds
        case 12: unit[lane] = lane & 16 ? base + (lane & 15 & ~bit) : base + lane % 8; break;
        case 13: unit[lane] = base + draw(8); break; // never a conflict
        case 14: unit[lane] = base; break;
        }
    }
}

static uint32_t draw_mask(uint32_t kind)
{
    uint32_t any = draw(65536) << 16 | draw(65536);
    switch (kind) {
    case 0: return any;
    case 1: return any & (draw(65536) << 16 | draw(65536));
    case 2: return any | (draw(65536) << 16 | draw(65536));
    case 3: return 0xffffu << draw(17);
    case 4: return 0xffu << draw(25);
    case 5: return draw(2) ? any & 0xffffu : any & 0xffff0000u;
    default: return ~0u;
    }
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
        uint32_t mask = draw_mask(draw(8));
        make(i / 6 % 15, unit);
        printf("%s %u %08x", which < 3 ? "load" : "store", width, mask);
        for (uint32_t lane = 0; lane < 32; lane++) {
            unit[lane] = unit[lane] * width % TILE_BYTES;
            printf(" %u", unit[lane]);
        }
        printf("\n");
        CHECK(cudaMemcpy(offset, unit, 128, cudaMemcpyHostToDevice));
        kernels[which]<<<1, 32, TILE_BYTES>>>(offset, mask, out);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
