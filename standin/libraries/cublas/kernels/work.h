/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of lanescope's cuBLAS get: one structure for each family. Matrices are given by the
 * strides of their rows and columns, in elements, so that a transposition is an exchange of the two. Read by
 * C and by CUDA C++.
 */
#ifndef CUBLAS_WORK_H
#define CUBLAS_WORK_H

/* Types of elements and scalars: the values of cudaDataType. */
enum {
    TYPE_S = 0,
    TYPE_D = 1,
    TYPE_H = 2,
    TYPE_I8 = 3,
    TYPE_C = 4,
    TYPE_Z = 5,
    TYPE_I32 = 10,
    TYPE_B = 14,
    TYPE_I64 = 24
};

/* A scalar: in the device's memory, or the value. */
struct work_scalar {
    const void *at; /* NULL: value */
    double re, im;
    int type; /* of what `at` points to */
};

enum work_kind {
    KIND_GENERAL,
    KIND_SYMMETRIC,
    KIND_HERMITIAN,
    KIND_TRIANGLE,
    KIND_UNIT_TRIANGLE /* with ones on the diagonal, which are not read */
};

struct work_matrix {
    const void *at;        /* or, of a batch of pointers, an array of them in the device's memory */
    long long row, column; /* strides, elements */
    long long batch;       /* from one matrix of the batch to the next, elements */
    int pointers;          /* `at` is an array of pointers */
    int conjugate;
    int kind, lower; /* which half is stored, as the strides see it */
};

enum work_activation { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_GELU, ACTIVATION_GELU_GRADIENT };
enum work_rounding { ROUND_NOT, ROUND_TF32, ROUND_HALF, ROUND_BFLOAT };
enum work_part { PART_ALL, PART_LOWER, PART_UPPER };

/* d = alpha a b + beta c; m, n: of d. */
struct work_product {
    struct work_matrix a, b, c, d;
    struct work_scalar alpha, beta;
    long long m, n, k;
    long long first;   /* batch of block z = 0 */
    int part;          /* of d that is written */
    int real_diagonal; /* its imaginary part is set to zero */
    int rounding;      /* of a's and b's floats */
    int activation;
    const void *bias; /* m values; NULL: none */
    int bias_type;
    void *aux; /* what the activation got, or its gradient reads; NULL: none */
    long long aux_column, aux_batch, bias_batch;
};

/* Vectors, and matrices with them. */
struct work_vectors {
    const void *x;
    void *y;
    const void *other; /* geam: the second matrix; rotm: its parameters */
    long long n, m, x_step, y_step;
    struct work_scalar alpha, beta;
    void *partial, *result; /* of a reduction */
    long long partials;
    int result_type;
    int conjugate, conjugate_other, part, real_diagonal, smallest, left;
    struct work_matrix a, b;
    long long first, x_batch, y_batch;
    int pointers; /* x and y are arrays of pointers */
};

#endif
