/*
 * Kernels that a kernel launches, and copies and sets that it starts: CUDA's dynamic parallelism as nvcc
 * makes PTX of it (CDP2, compute_90). The kernel calls two functions of the device's runtime, which no PTX
 * text defines: one gives it a buffer for the launched kernel's parameters, which it fills, the other
 * launches. Here they record the launches; the code that ran the grid takes the list and runs it afterwards,
 * in the order of the blocks and, within a block, of the calls. So all launches run after their parent,
 * whatever stream of the device they name.
 *
 * Create, take and destroy from the device's thread, never while a grid runs; any thread of a grid records.
 */
#ifndef SIMT_ENGINE_NESTED_H
#define SIMT_ENGINE_NESTED_H

#include "simt/engine/grid.h"
#include "simt/lanes/address_space.h"
#include "simt/ptx/ptx.h"

#define NESTED_MAX 2048 /* launches of one grid, as cudaLimitDevRuntimePendingLaunchCount has it */

struct nested;
enum status nested_create(struct nested **nested, struct memory *memory, const struct ptx_module *module,
                          struct error *error);
void nested_destroy(struct nested *nested);

/* The device address of a buffer; 0: it is no kernel's address, or there are NESTED_MAX already. */
uint64_t nested_buffer(struct nested *nested, uint64_t kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint32_t shared_bytes);
/* What the runtime's function returns: 0, or 1 (cudaErrorInvalidValue) for what is no buffer of a launch that
 * is still to come. */
uint32_t nested_launch(struct nested *nested, uint64_t buffer, uint64_t from_block);
/* A copy or a set of global memory that runs as a launch would; returns 0, or 2 for one too many. */
uint32_t nested_move(struct nested *nested, const struct nested_move *move, uint64_t from_block);

/* *children: in order, each parameters' own memory; the caller frees both. Sets *count; MEMORY. */
enum status nested_take(struct nested *nested, struct grid_child **children, uint32_t *count,
                        struct error *error);

#endif
