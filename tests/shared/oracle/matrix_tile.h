/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs for products of matrices: every element is a function of configuration, tile, matrix, row and
 * column, so that of a million products only hashes of the results need to be kept. Also compiled as CUDA, by
 * tests/gpu/probe/matrix/matrix.cu, which made tests/data/matrix_h200.txt on an H200.
 *
 * Sixteen kinds of tiles follow each other: random bits, values near one, a wide range, subnormal numbers,
 * special values, few elements, terms that cancel, a large and a small element of C, powers of two, sums of
 * which all but one small term cancel (two kinds), results near overflow and underflow, rare specials, and
 * ties.
 */
#ifndef TESTS_SHARED_ORACLE_MATRIX_TILE_H
#define TESTS_SHARED_ORACLE_MATRIX_TILE_H

#include <stdint.h>
#ifdef __CUDACC__
#define TILE_FUNCTION static __host__ __device__ inline
#else
#define TILE_FUNCTION static inline __attribute__((unused))
#endif

enum tile_form { F_F16, F_BF16, F_TF32, F_F32, F_F64, F_E4M3, F_E5M2, F_INT, F_BIT };

struct tile_format {
    int form, bits, exponent, mantissa; /* the two last: 0 for integers */
};

TILE_FUNCTION uint64_t tile_mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

TILE_FUNCTION uint64_t tile_word(uint32_t config, uint32_t tile, uint32_t matrix, uint32_t index)
{
    return tile_mix(tile_mix(((uint64_t)config << 32) | tile) ^ (((uint64_t)matrix << 32) | index));
}

/* sign, exponent relative to one, mantissa: clamped to what the format has */
TILE_FUNCTION uint64_t tile_pack(struct tile_format f, uint64_t sign, int exponent, uint64_t mantissa)
{
    int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - (f.form == F_E4M3 ? 1 : 2);
    int e = exponent + bias;
    uint64_t m = mantissa & ((1ull << f.mantissa) - 1);
    e = e < 0 ? 0 : e > top ? top : e;
    return ((sign & 1) << (f.exponent + f.mantissa)) | ((uint64_t)e << f.mantissa) | m;
}

TILE_FUNCTION uint64_t tile_special(struct tile_format f, unsigned which)
{
    uint64_t infinite = ((1ull << f.exponent) - 1) << f.mantissa,
             one = (uint64_t)((1 << (f.exponent - 1)) - 1) << f.mantissa;
    uint64_t sign = 1ull << (f.exponent + f.mantissa), normal = 1ull << f.mantissa;
    switch (which & 15) {
    case 0: return 0;
    case 1: return sign;
    case 2: return infinite;
    case 3: return infinite | sign;
    case 4: return infinite | (normal >> 1);
    case 5: return infinite | sign | 1;
    case 6: return infinite - 1;
    case 7: return (infinite - 1) | sign;
    case 8: return normal;
    case 9: return normal | sign;
    case 10: return 1;
    case 11: return 1 | sign;
    case 12: return one;
    case 13: return one | sign;
    case 14: return one + 1;
    default: return normal - 1;
    }
}

TILE_FUNCTION uint64_t tile_integer(struct tile_format f, int kind, uint64_t r, uint32_t matrix)
{
    uint64_t all = f.bits == 64 ? ~0ull : (1ull << f.bits) - 1;
    if (f.form == F_BIT)
        return kind == 4 ? ((r >> 8) & 7) != 0 : r & 1;
    if (matrix == 2 && (kind & 1))
        return ((r & 1 ? 0x7fffffffull - (r >> 8) % 65536 : 0x80000000ull + (r >> 8) % 65536)) & all;
    if (matrix != 2 && (kind & 6) == 4)
        return (r & 1 ? all >> 1 : (r & 2) ? all : (all >> 1) + 1) & all;
    return (r >> 16) & all;
}

/* matrix 0: A (rows x k); 1: B (k x columns); 2: C. k: columns of A, rows of B. */
TILE_FUNCTION uint64_t tile_element(struct tile_format f, uint32_t config, uint32_t tile, uint32_t matrix,
                                    int row, int column, int k)
{
    int kind = (int)(tile & 15);
    uint64_t p = tile_word(config, tile, 3, 0);
    int along = matrix == 0 ? column : row; /* index in k of an element of A or B */
    uint64_t r = tile_word(config, tile, matrix, ((uint32_t)row << 16) | (uint32_t)column), sign = r >> 63,
             m = r, value;
    int bias = f.exponent ? (1 << (f.exponent - 1)) - 1 : 0;
    unsigned e = (unsigned)(r >> 52) & 1023; /* the mantissa takes the low 52 bits */
    if (f.form == F_INT || f.form == F_BIT)
        return tile_integer(f, kind, r, matrix);
    switch (kind) {
    case 0: value = tile_mix(r) & (f.bits == 64 ? ~0ull : (1ull << f.bits) - 1); break;
    case 2: value = tile_pack(f, sign, matrix == 2 ? (int)(e % 49) - 24 : (int)(e % 25) - 12, m); break;
    case 3:
        value = matrix == 1 ? tile_pack(f, sign, (int)(e % 8) + (p & 1 ? 4 : -4), m)
                            : tile_pack(f, sign, -bias + (int)(e % 3), m);
        break;
    case 4: value = tile_special(f, e); break;
    case 5: value = matrix != 2 && (e & 3) ? 0 : tile_pack(f, sign, (int)((e >> 2) % 5) - 2, m); break;
    case 6:
        if (matrix == 2) {
            value = tile_pack(f, sign, -(int)(e % 24), m);
            break;
        }
        if (along & 1) {
            r = tile_word(config, tile, matrix,
                          matrix == 0 ? ((uint32_t)row << 16) | (uint32_t)(column - 1)
                                      : ((uint32_t)(row - 1) << 16) | (uint32_t)column);
            sign = (r >> 63) ^ (matrix == 0);
            m = r ^ (matrix == 1 && (e & 3) == 0);
            e = (unsigned)(r >> 52) & 1023;
        }
        value = tile_pack(f, sign, (int)(e % 13) - 6, m);
        break;
    case 7: value = tile_pack(f, sign, matrix == 2 ? (int)(e % 28) : (int)(e % 4) - 2, m); break;
    case 8: value = tile_pack(f, sign, matrix == 2 ? -(int)(e % 40) : (int)(e % 4) - 2, m); break;
    case 9: value = tile_pack(f, sign, matrix == 2 ? (int)(e % 31) - 15 : (int)(e % 13) - 6, 0); break;
    case 10:
    case 11: {
        int one = (int)((p >> 8) % (unsigned)(k + 1)), minus = (int)((p >> 20) % (unsigned)(k + 1)),
            small = (int)((p >> 32) % (unsigned)(k + 1));
        int scale = kind == 11 ? (int)((p >> 44) % 10) : 0;
        uint64_t fraction = kind == 11 ? m : 0;
        if (minus == one)
            minus = (minus + 1) % (k + 1);
        while (small == one || small == minus)
            small = (small + 1) % (k + 1);
        value = 0;
        if (matrix == 2) {
            value = k == one     ? tile_pack(f, 0, scale, 0)
                    : k == minus ? tile_pack(f, 1, scale, 0)
                    : k == small ? tile_pack(f, sign, -row - 2 * column, fraction)
                                 : 0;
        } else if (along == one)
            value = tile_pack(f, 0, matrix == 0 ? scale : 0, 0);
        else if (along == minus)
            value = tile_pack(f, matrix == 0, matrix == 0 ? scale : 0, 0);
        else if (along == small)
            value = tile_pack(f, sign, matrix == 0 ? -row : -2 * column, fraction);
        break;
    }
    case 12:
        value = matrix == 0   ? tile_pack(f, sign, bias - (int)(e % 3), m)
                : matrix == 1 ? tile_pack(f, sign, (int)(e % 4) - 2, m)
                              : tile_pack(f, sign, bias - (int)(e % 4), m);
        break;
    case 13:
        value = matrix == 2 ? tile_pack(f, sign, -bias + (int)(e % 4), m)
                            : tile_pack(f, sign, -bias / 2 - (int)(e % 14) + 2, m);
        break;
    case 14:
        value = (e & 31) == 0 ? tile_special(f, e >> 5) : tile_pack(f, sign, (int)((e >> 5) % 4) - 2, m);
        break;
    case 15:
        value = matrix == 2 ? tile_pack(f, sign, f.mantissa + 1 - (int)(e % 3), m)
                            : tile_pack(f, sign, (int)(e % 4) - 1, m & (3ull << (f.mantissa - 2)));
        break;
    default: value = tile_pack(f, sign, (int)(e % 4) - 2, m); break;
    }
    /* Half of the tiles of tf32 have bits below the ten of its mantissa. */
    if (f.form == F_TF32 && ((tile >> 4) & 1))
        value &= ~0x1fffull;
    return value;
}

/* One output's share of its tile's hash; shares are added modulo 2^64. index: row * columns + column */
TILE_FUNCTION uint64_t tile_share(uint32_t tile, uint32_t index, uint64_t bits)
{
    return tile_mix(bits + tile_mix(((uint64_t)tile << 32) | index));
}
#endif
