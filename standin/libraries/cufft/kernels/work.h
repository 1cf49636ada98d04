/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of lanescope's cuFFT get. They transform lines of n numbers. Which number of a batch belongs
 * to which line is said by layouts, one for what is read and one for what is written. Read by C and by CUDA C++.
 */
#ifndef CUFFT_WORK_H
#define CUFFT_WORK_H

#define COUNTERS 5        /* a line has so many indices: of the batch, two other dimensions, and two levels */
#define LINES_OF_BLOCK 64 /* at most */
#define CAPACITY_BYTES 16384 /* of the lines of a block */
#define MOST_RADICES 16

enum work_numbers {
    NUMBERS_COMPLEX,
    NUMBERS_REAL,
    NUMBERS_HALF
}; /* half: 0 to n / 2, the rest is conjugate */

/* Number e of the line (c0 ... c4) has the index e * step + c3 * level[0] + c4 * level[1] of a whole line of n
 * numbers. It lies at c0 * outer[0] + c1 * outer[1] + c2 * outer[2] + index * stride, in elements. */
struct work_layout {
    void *at;
    int numbers;
    unsigned long long n;
    long long stride, outer[3];
    unsigned long long step, level[2];
    int lines_first; /* neighbouring threads take neighbouring lines, not neighbouring numbers */
};

struct work_fft {
    struct work_layout from, to;
    unsigned n, inverse;
    unsigned long long lines, count[COUNTERS];
    unsigned lines_of_block;
    unsigned radices, radix[MOST_RADICES]; /* their product is n */
    const void *turns;                     /* exp(-2 pi i k / n) */
    unsigned long long twiddle; /* N: result k of a line is multiplied by exp(-+2 pi i k c4 / N); 0: not */
    const void *factors;        /* of each result, by its index; NULL: none */
};

/* Bluestein: a line of n numbers times chirps is one of m, the rest zeros; and back. */
struct work_chirp {
    struct work_layout user; /* read or written */
    void *padded;            /* m numbers of each line */
    const void *chirps;      /* exp(-pi i k^2 / n) */
    unsigned long long lines, count[COUNTERS], n, m;
    unsigned inverse;
};

#endif
