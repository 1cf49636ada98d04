/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that a kernel launches, and copies and sets that it starts: CUDA's dynamic parallelism in the form
 * that nvcc emits (CDP2, compute_90). The kernel calls two functions of the device runtime, which the PTX
 * does not define: one returns a buffer that the kernel fills with the parameters of the launch, the other
 * one launches. Here they only record the launches. The code that ran the grid takes the list and runs it
 * afterwards, in the order of the blocks and, within a block, of the calls. So all launches run after their
 * parent, whatever device stream they name.
 *
 * Create, take and destroy on the device's thread, never while a grid runs; any thread of a grid records.
 */
#ifndef SIMT_ENGINE_NESTED_H
#define SIMT_ENGINE_NESTED_H

#include "simt/engine/grid.h"
#include "simt/lanes/program.h"
#include "simt/ptx/ptx.h"

#define NESTED_MAX 2048 /* launches of one grid: the default of cudaLimitDevRuntimePendingLaunchCount */

struct nested;
enum status nested_create(struct nested **nested, struct memory *memory, const struct ptx_module *module,
                          struct error *error);
void nested_destroy(struct nested *nested);

/* The device address of a buffer; 0: not the address of a kernel, or NESTED_MAX buffers are in use. */
uint64_t nested_buffer(struct nested *nested, uint64_t kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint32_t shared_bytes);
/* Returns the result of the runtime function: 0, or 1 (cudaErrorInvalidValue) if `buffer` is not the buffer
 * of a pending launch. */
uint32_t nested_launch(struct nested *nested, uint64_t buffer, uint64_t from_block);
/* Records a copy or a set of global memory, which runs like a launch. Returns 0, or 2 if there are too
 * many. */
uint32_t nested_move(struct nested *nested, const struct nested_move *move, uint64_t from_block);

/* *children: in order, each with its own copy of the parameters; the caller frees both. Sets *count.
 * STATUS_MEMORY. */
enum status nested_take(struct nested *nested, struct grid_child **children, uint32_t *count,
                        struct error *error);

#endif
