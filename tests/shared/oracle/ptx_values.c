/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/oracle/ptx_values.h"

#include "simt/memory/memory.h"

/* splitmix64 */
uint64_t values_next(struct values *values)
{
    uint64_t x = values->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static const uint64_t integer_edges[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    255,
    256,
    0x7f,
    0x80,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0xfffffffe,
    0x55555555,
    INT64_MAX,
    (uint64_t)INT64_MIN,
    UINT64_MAX,
    UINT64_MAX - 1,
    MEMORY_SHARED_WINDOW,
    MEMORY_SHARED_WINDOW + MEMORY_WINDOW_BYTES,
    MEMORY_SHARED_WINDOW + 17 * MEMORY_WINDOW_BYTES,
    MEMORY_LOCAL_WINDOW + 100,
    MEMORY_CONST_WINDOW,
    MEMORY_PARAM_WINDOW + 8,
    MEMORY_PARAM_WINDOW + MEMORY_WINDOW_BYTES,
    MEMORY_GLOBAL_BASE,
};
static const uint64_t half_edges[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00,
                                      0xbc00, 0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
                                      0x7c01, 0xfdff, 0x4000, 0x3c01, 0x3bff, 0x0200, 0x5bff};
static const uint64_t bf16_edges[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80,
                                      0xbf80, 0x3f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0,
                                      0x7f81, 0xffff, 0x4000, 0x3f81, 0x3f7f, 0x0040, 0x4b7f};
static const uint64_t single_edges[] = {
    0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x80800000, 0x3f800000,
    0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
    0x7fc00000, 0x7f800001, 0xffc12345, 0x4b000001, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x4effffff,
    0x4f800000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477fefff, 0x477ff000,
    0x33000000, 0x33000001, 0x38800000, 0x387fffff, 0x3f7fffff, 0x3f800001, 0x42fe0000, 0xc3160000,
    0x40490fdb, 0x3fc90fdb, 0x4a000000, 0x7e800000, 0x7f000000,
};
static const uint64_t double_edges[] = {
    0,
    0x8000000000000000,
    1,
    0x8000000000000001,
    0xfffffffffffff,
    0x10000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x3ff8000000000000,
    0x4004000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0xfff8123456789abc,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x3690000000000000,
    0x36a0000000000000,
    0x380fffffffffffff,
    0x3ff0000000000001,
    0x3fefffffffffffff,
    0x40effe0000000000,
    0x40effdffffffffff,
    0x47eff00000000000,
    0x3e60000000000001,
};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const uint64_t *edges_of(enum ptx_type type, size_t *count)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: *count = COUNT(half_edges); return half_edges;
    case PTX_BF16:
    case PTX_BF16X2: *count = COUNT(bf16_edges); return bf16_edges;
    case PTX_F32: *count = COUNT(single_edges); return single_edges;
    case PTX_F64: *count = COUNT(double_edges); return double_edges;
    default: *count = COUNT(integer_edges); return integer_edges;
    }
}

/* A float of moderate size: its exponent around 1's. */
static uint64_t moderate(struct values *values, enum ptx_type type)
{
    uint64_t bits = values_next(values), exponent = values_next(values) % 24;
    switch (type) {
    case PTX_F16: return (bits & 0x83ff) | (3 + exponent) << 10;
    case PTX_BF16: return (bits & 0x807f) | (115 + exponent) << 7;
    case PTX_F32: return (bits & 0x807fffff) | (115 + exponent) << 23;
    case PTX_F64: return (bits & UINT64_C(0x800fffffffffffff)) | (1011 + exponent) << 52;
    default: return bits >> values_next(values) % 64;
    }
}

static uint64_t any_of(struct values *values, enum ptx_type type, uint64_t near)
{
    size_t count;
    const uint64_t *edges = edges_of(type, &count);
    switch (values_next(values) % 8) {
    case 0:
    case 1: return edges[values_next(values) % count];
    case 2: return near;
    case 3: return near + values_next(values) % 5 - 2;
    case 4: return ~near;
    case 5: return values_next(values);
    default: return moderate(values, type);
    }
}

uint64_t values_of(struct values *values, enum ptx_type type, uint64_t near)
{
    uint32_t bits = 8 * ptx_type_bytes(type);
    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        enum ptx_type half = type == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        return (any_of(values, half, near) & 0xffff) | (any_of(values, half, near >> 16) & 0xffff) << 16;
    }
    uint64_t value = any_of(values, type, near);
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}
