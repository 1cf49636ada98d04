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
/* In the window of shared memory the own block's comes first, then that of each block of its cluster, by
 * rank. Addresses of .shared::cluster are those of .shared, within this larger window. */
#define MEMORY_CLUSTER_BLOCKS 16
#define MEMORY_CLUSTER_ADDRESS(rank) (((uint64_t)(rank) + 1) * MEMORY_WINDOW_BYTES)
#define MEMORY_CLUSTER_WINDOW_BYTES MEMORY_CLUSTER_ADDRESS(MEMORY_CLUSTER_BLOCKS)
#define MEMORY_GLOBAL_BASE UINT64_C(0x0000000700000000)

/* The address of a function of the module. It lies outside all memory: a load or store there faults. */
#define MEMORY_FUNCTION_ADDRESS(index) (UINT64_C(0x0000740000000000) + 16 * (uint64_t)(index))

#endif
