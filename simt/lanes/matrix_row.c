/* SPDX-License-Identifier: Apache-2.0 */
/* The columns are the inner loops, for the vectors of the machine. */
#include "simt/lanes/matrix.h"

#include "simt/lanes/lanes_ops.h"

#define CHUNK 8 /* as many products, of 27 bits each, fit into 32 bits with their sign */

/* Cut off towards zero. */
static inline int32_t shift_term(int32_t significand, uint32_t left, int32_t right)
{
    const int32_t sign = significand >> 31;
    const uint32_t size = (uint32_t)((significand ^ sign) - sign) << left;
    const int32_t cut = (int32_t)(size >> (right < 31 ? right : 31));
    return (cut ^ sign) - sign;
}

/* For a number of columns that the compiler knows. */
static inline __attribute__((always_inline)) void sum_columns(const struct matrix_row_terms *of, uint32_t n,
                                                              int64_t *restrict sums, int32_t *restrict tops)
{
    int32_t top[MATRIX_COLUMNS], part[MATRIX_COLUMNS];
    for (uint32_t j = 0; j < n; j++)
        top[j] = of->c_exponent[j];
    for (uint32_t k = 0; k < of->k; k++) {
        const int32_t exponent = of->a_exponent[k], *const b = of->b_exponent + (size_t)k * n;
        for (uint32_t j = 0; j < n; j++)
            top[j] = top[j] > exponent + b[j] ? top[j] : exponent + b[j];
    }
    for (uint32_t j = 0; j < n; j++)
        sums[j] = shift_term(of->c[j], of->left_sum, top[j] - of->c_exponent[j]);
    for (uint32_t first = 0; first < of->k; first += CHUNK) {
        const uint32_t end = first + CHUNK < of->k ? first + CHUNK : of->k;
        for (uint32_t j = 0; j < n; j++)
            part[j] = 0;
        for (uint32_t k = first; k < end; k++) {
            const int32_t a = of->a[k], exponent = of->a_exponent[k];
            const int32_t *const b = of->b + (size_t)k * n, *const b_exponent =
                                                                of->b_exponent + (size_t)k * n;
            for (uint32_t j = 0; j < n; j++)
                part[j] += shift_term(a * b[j], of->left_product, top[j] - exponent - b_exponent[j]);
        }
        for (uint32_t j = 0; j < n; j++)
            sums[j] += part[j];
    }
    for (uint32_t j = 0; j < n; j++)
        tops[j] = top[j];
}

matrix_row_sum LANES_TABLE(matrix_row);

void LANES_TABLE(matrix_row)(const struct matrix_row_terms *of, int64_t *sums, int32_t *tops)
{
    switch (of->n) {
    case 8: sum_columns(of, 8, sums, tops); break;
    case 16: sum_columns(of, 16, sums, tops); break;
    default: sum_columns(of, of->n, sums, tops); break;
    }
}
