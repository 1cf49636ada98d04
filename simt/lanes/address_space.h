/*
 * The generic address space of the modelled device: the ranges of shared, local, constant, parameter and
 * global memory, and of the addresses of functions. Constants; any thread.
 */
#ifndef SIMT_LANES_ADDRESS_SPACE_H
#define SIMT_LANES_ADDRESS_SPACE_H

#include <stdint.h>

/* Generic addresses in these windows refer to a block's shared memory, a thread's local memory, and so on;
 * all other addresses are global. */
#define MEMORY_SHARED_WINDOW UINT64_C(0x0000700000000000)
#define MEMORY_LOCAL_WINDOW UINT64_C(0x0000710000000000)
#define MEMORY_CONST_WINDOW UINT64_C(0x0000720000000000)
#define MEMORY_PARAM_WINDOW UINT64_C(0x0000730000000000)
#define MEMORY_WINDOW_BYTES UINT64_C(0x0000000001000000)
#define MEMORY_GLOBAL_BASE UINT64_C(0x0000000700000000)

/* The address of a function of the module. It lies outside all memory: a load or store there faults. */
#define MEMORY_FUNCTION_ADDRESS(index) (UINT64_C(0x0000740000000000) + 16 * (uint64_t)(index))

#endif
