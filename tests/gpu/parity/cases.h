/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that parity is looked at with beside the bundled workloads: one launch each, all with the same
 * arguments (unsigned *out, const unsigned *in, const unsigned *index, unsigned n). The GPU's side is
 * tests/gpu/parity/parity_cuda.c, the model's tests/unit/simt/engine/test_parity_kernels.c. Static tables,
 * pure functions.
 */
#ifndef TESTS_GPU_PARITY_CASES_H
#define TESTS_GPU_PARITY_CASES_H

#include <stddef.h>
#include <stdint.h>

#define PARITY_WORDS 65536u /* of out, in and index each */

struct parity_case {
    const char *file; /* kernels/FILE.cu, ptx/FILE.ptx */
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes, n;
};

const struct parity_case *parity_case_at(size_t index); /* NULL past the end */

/* What the buffers begin as. out: PARITY_POISON everywhere. */
#define PARITY_POISON 0xffffffffu
uint32_t parity_in(uint32_t i);    /* floats in [1, 2), no two alike */
uint32_t parity_index(uint32_t i); /* a permutation of 0 ... PARITY_WORDS - 1, in no order */

/* Of the whole output: 64-bit FNV-1a, a word at a time. */
uint64_t parity_digest(const uint32_t *out);

#endif
