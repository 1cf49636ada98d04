/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the registers per thread of a kernel that was not compiled by ptxas, for its occupancy. Pure; any
 * thread. Bundled kernels have exact numbers (workloads/frame/image.h): use those.
 *
 * The estimate is the largest number of 32-bit registers live at any instruction of the function or of those
 * it calls, plus LIVENESS_OVERHEAD for what ptxas adds (addresses, values loaded ahead). A 64-bit value
 * counts as two registers, a predicate as none, and a value that all threads of a block share as none,
 * because ptxas keeps it in uniform registers or in the constant bank. The result is even and at least 8; it
 * is at most 255, .maxnreg, and the share of the 65,536 registers that .maxntid, .reqntid and .minnctapersm
 * leave.
 *
 * Compared with ptxas -v for sm_90 over 292 kernels, the median error is 3, and nine of ten kernels differ by
 * at most 12; 277 get the same number of resident blocks of 256 threads. docs/ptx.md has the table and says
 * where the estimate fails.
 */
#ifndef SIMT_PROGRAM_LIVENESS_H
#define SIMT_PROGRAM_LIVENESS_H

#include "simt/ptx/ptx.h"

#define LIVENESS_OVERHEAD 8

struct liveness {     /* at the worst instruction of one function, without the functions that it calls */
    uint32_t all;     /* 32-bit registers */
    uint32_t varying; /* ... of values that differ between the threads of a block */
};

/* STATUS_USAGE if the function's control flow is invalid (simt/program/cfg.h); STATUS_MEMORY. */
enum status liveness_find(struct liveness *liveness, const struct ptx_function *function,
                          struct error *error);

/* The estimate for a kernel of the module. Errors as liveness_find. */
enum status liveness_registers(uint32_t *registers, const struct ptx_module *module,
                               const struct ptx_function *kernel, struct error *error);

#endif
