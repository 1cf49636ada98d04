/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of malloc and free in kernels: one allocation of the modelled device, which lives from the first
 * launch that uses it to the end of the device; cudaLimitMallocHeapSize sets its size. Blocks are multiples
 * of 16 bytes. Create and destroy it on the device's thread; any thread of a grid allocates and frees.
 */
#ifndef SIMT_MEMORY_HEAP_H
#define SIMT_MEMORY_HEAP_H

#include "simt/memory/memory.h"

#define HEAP_BYTES_DEFAULT (UINT64_C(8) << 20)

struct heap;
enum status heap_create(struct heap **heap, struct memory *memory, uint64_t size_bytes, struct error *error);
void heap_destroy(struct heap *heap); /* NULL: does nothing */
/* The address of a block; 0: the heap is full. Its bytes count as uninitialised. */
uint64_t heap_alloc(struct heap *heap, uint64_t size_bytes);
/* False: no allocated block begins at the address. */
bool heap_free(struct heap *heap, uint64_t address);
const struct memory_range *heap_range(const struct heap *heap);
/* In checked memory there are bytes between two blocks, as long as the heap has room. Returns whether these
 * bytes of the heap are all in allocated blocks; if not, the block that begins last before the first that is
 * not: size_bytes 0: there is none. */
struct heap_block {
    uint64_t address, size_bytes; /* that were asked for */
    bool freed;
};
bool heap_holds(const struct heap *heap, uint64_t address, uint64_t size_bytes, struct heap_block *block);

#endif
