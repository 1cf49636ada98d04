/*
 * The modelled device's memory: global allocations, a module's variables and constant bank, and the windows
 * of the generic address space.
 *
 * Device addresses are the model's own, the same on every run: allocations come from one reserved range,
 * aligned to 512 bytes as cudaMalloc's are, with at least 512 unallocated bytes between two, so that an
 * access past the end is caught. New memory is zero. Allocate and free from one thread, never while a grid
 * runs; running grids read and write through memory_find and synchronise themselves.
 */
#ifndef SIMT_ENGINE_MEMORY_H
#define SIMT_ENGINE_MEMORY_H

#include "core/base/error.h"
#include "simt/lanes/address_space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;

struct memory_range {
    uint64_t address, size_bytes; /* device */
    uint8_t *bytes;               /* the host's memory behind it */
    uint8_t *initialised;         /* a bit per byte when the memory was made with `checked`; else NULL */
    bool shared, adopted;         /* the host writes it, too; its pages are somebody else's */
};

enum status memory_create(struct memory **memory, uint64_t limit_bytes, bool checked, struct error *error);
/* From now on a device address is also where the host finds the bytes: allocations lie at their own addresses
 * in one reserved range. Before the first allocation. MEMORY when that range of this process is taken. */
enum status memory_unify(struct memory *memory, struct error *error);
void memory_destroy(struct memory *memory);
/* The host's own memory at its address, of which kernels may take part from now on; it stays the caller's.
 * Shared; memory_free forgets it. */
enum status memory_adopt(struct memory *memory, void *bytes, uint64_t size_bytes, struct error *error);
enum status memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t *address, struct error *error);
enum status memory_free(struct memory *memory, uint64_t address, struct error *error);
/* The host writes the allocation at this address without a call: all of it counts as written. */
enum status memory_share(struct memory *memory, uint64_t address, struct error *error);
uint64_t memory_used_bytes(const struct memory *memory);
uint64_t memory_free_bytes(const struct memory *memory);
/* The allocation an address lies in, or NULL. Any thread while nobody allocates. */
const struct memory_range *memory_find(const struct memory *memory, uint64_t address);
/* The one nearest to an address that lies in none, for sentences; NULL when there are none at all. */
const struct memory_range *memory_nearest(const struct memory *memory, uint64_t address);
/* Sets the bits of bytes offset ... of a checked memory's range; any thread. */
void memory_mark(const struct memory_range *range, uint64_t offset, uint64_t size_bytes);
/* For copies and sets: host pointer to size_bytes at address; CHECK with a sentence when they are not all in
 * one allocation. Marks them initialised if `write`. */
enum status memory_access(struct memory *memory, uint64_t address, uint64_t size_bytes, bool write,
                          uint8_t **bytes, struct error *error);

#endif
