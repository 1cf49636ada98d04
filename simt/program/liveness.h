/*
 * Estimates the registers per thread of a kernel that was not compiled by ptxas, for its occupancy. Pure; any
 * thread. Bundled kernels have exact numbers (workloads/frame/image.h): use those.
 *
 * The estimate: the most 32-bit registers that are live at once at any instruction (a value of 64 bits takes
 * two, a predicate none, one that all threads of a block share none: ptxas keeps such in uniform registers or
 * in the constant bank), the most of the function and of those it calls, and LIVENESS_OVERHEAD for what ptxas
 * adds (addresses, values loaded ahead); even, at least 8 and at most 255, .maxnreg, and what .maxntid,
 * .reqntid and .minnctapersm leave of 65,536 registers.
 *
 * Against ptxas -v for sm_90 over 292 kernels it is off by 3 in the median and by at most 12 for nine of ten;
 * 277 get the same number of resident blocks of 256 threads. docs/ptx.md has the table and says where it
 * fails.
 */
#ifndef SIMT_PROGRAM_LIVENESS_H
#define SIMT_PROGRAM_LIVENESS_H

#include "simt/ptx/ptx.h"

#define LIVENESS_OVERHEAD 8

struct liveness {     /* at the worst instruction of one function, without what it calls */
    uint32_t all;     /* 32-bit registers */
    uint32_t varying; /* ... of values that differ between the threads of a block */
};

/* USAGE where the function's control flow cannot be made (simt/program/cfg.h); MEMORY. */
enum status liveness_find(struct liveness *liveness, const struct ptx_function *function,
                          struct error *error);

/* The estimate for a kernel of the module. Errors as above. */
enum status liveness_registers(uint32_t *registers, const struct ptx_module *module,
                               const struct ptx_function *kernel, struct error *error);

#endif
