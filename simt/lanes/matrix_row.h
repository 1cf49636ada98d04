/*
 * A row of a product of matrices of halves, bfloat16 or TF32: the sums of the shifted terms, as in
 * simt/lanes/matrix_sum.c. Compiled for several vector widths like the functions of simt/lanes/lanes;
 * matrix_row_choose selects the build to run. Pure, any thread.
 */
#ifndef SIMT_LANES_MATRIX_ROW_H
#define SIMT_LANES_MATRIX_ROW_H

#include <stdint.h>

#define MATRIX_COLUMNS 32 /* of D, at most */

struct matrix_row_terms {
    uint32_t n, k;
    uint32_t left_product, left_sum; /* bits that a product, and an element of C, lack behind the point */
    const int32_t *a, *b, *c;        /* significands with sign: k, k x n, n; |a b| is below 2^22 */
    const int32_t *a_exponent, *b_exponent, *c_exponent;
};

/* sums[j]: of the terms of column j, shifted to the largest of their exponents, tops[j]. */
typedef void matrix_row_sum(const struct matrix_row_terms *terms, int64_t *sums, int32_t *tops);

matrix_row_sum *matrix_row_choose(void);

#endif
