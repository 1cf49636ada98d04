/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions of halves (f16: 1-5-10 bits; bf16: the upper half of a float) from and to float and double,
 * rounded to nearest even. They work on bits without branches, so that compilers vectorise the loop over
 * lanes. NaN is 0x7fff, and 0x7fffffff as a float.
 */
#ifndef SIMT_LANES_LANES_HALF_H
#define SIMT_LANES_LANES_HALF_H

#include "simt/lanes/lanes_ops.h"

static inline float f16_float(uint32_t half)
{
    const uint32_t magnitude = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    /* Read as a float, the shifted bits have the right mantissa and an exponent too small by 112. Subnormals
     * also come out right. */
    const uint32_t finite = lanes_float_bits(lanes_bits_float(magnitude << 13) * 0x1p112f);
    const uint32_t special = magnitude > 0x7c00u ? 0x7fffffffu : 0x7f800000u;
    const uint32_t bits = (magnitude >= 0x7c00u ? special : finite) | sign;
    return lanes_bits_float(magnitude > 0x7c00u ? 0x7fffffffu : bits);
}

static inline uint32_t float_f16(float value)
{
    const uint32_t all = lanes_float_bits(value), bits = all & 0x7fffffffu, sign = all >> 16 & 0x8000u;
    /* Below 2^-14: adding 1/2 rounds, because the last bit of the sum has the value of a subnormal half's
     * last bit. */
    const uint32_t small = lanes_float_bits(lanes_bits_float(bits) + 0.5f) - 0x3f000000u;
    const uint32_t normal = (bits + 0xfffu + (bits >> 13 & 1) - 0x38000000u) >> 13;
    const uint32_t finite = bits < 0x38800000u ? small : normal;
    const uint32_t result = (bits >= 0x477ff000u ? 0x7c00u : finite) | sign; /* 65520 and above: infinity */
    return bits > 0x7f800000u ? 0x7fffu : result;
}

static inline uint32_t double_f16(double value)
{
    const uint64_t all = lanes_double_bits(value), bits = all & UINT64_C(0x7fffffffffffffff);
    const uint32_t sign = (uint32_t)(all >> 48) & 0x8000u;
    const uint64_t small = lanes_double_bits(lanes_bits_double(bits) + 0x1p28) - UINT64_C(0x41b0000000000000);
    const uint64_t normal =
        (bits + UINT64_C(0x1ffffffffff) + (bits >> 42 & 1) - UINT64_C(0x3f00000000000000)) >> 42;
    const uint64_t finite = bits < UINT64_C(0x3f10000000000000) ? small : normal;
    const uint64_t infinite = bits >= UINT64_C(0x40effe0000000000) ? 0x7c00u : finite;
    return bits > UINT64_C(0x7ff0000000000000) ? 0x7fffu : (uint32_t)infinite | sign;
}

static inline float bf16_float(uint32_t half)
{
    return lanes_bits_float((half & 0x7fffu) > 0x7f80u ? 0x7fffffffu : half << 16);
}

static inline uint32_t float_bf16(float value)
{
    const uint32_t bits = lanes_float_bits(value);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
}

static inline uint32_t double_bf16(double value)
{
    const uint64_t all = lanes_double_bits(value), bits = all & UINT64_C(0x7fffffffffffffff);
    const uint32_t sign = (uint32_t)(all >> 48) & 0x8000u;
    const uint64_t small =
        lanes_double_bits(lanes_bits_double(bits) + 0x1p-81) - UINT64_C(0x3ae0000000000000);
    const uint64_t normal =
        (bits + UINT64_C(0xfffffffffff) + (bits >> 45 & 1) - UINT64_C(0x3800000000000000)) >> 45;
    const uint64_t finite = bits < UINT64_C(0x3810000000000000) ? small : normal;
    const uint64_t infinite = bits >= UINT64_C(0x47eff00000000000) ? 0x7f80u : finite;
    return bits > UINT64_C(0x7ff0000000000000) ? 0x7fffu : (uint32_t)infinite | sign;
}

#endif
