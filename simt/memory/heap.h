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

#endif
