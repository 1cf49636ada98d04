/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modelled device's memory: global allocations, a module's variables and constant bank, and the windows
 * of the generic address space.
 *
 * Device addresses are chosen by the model and are the same on every run: allocations come from one reserved
 * range, aligned to 512 bytes as those of cudaMalloc, with at least 512 unallocated bytes between two, so
 * that an access past the end is detected. New memory is zero. Allocate and free from one thread, never while
 * a grid runs; running grids access it through memory_find and synchronise themselves.
 */
#ifndef SIMT_MEMORY_MEMORY_H
#define SIMT_MEMORY_MEMORY_H

#include "core/base/error.h"
#include "simt/lanes/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;

struct memory_range {
    uint64_t address, size_bytes; /* address: on the device */
    uint8_t *bytes;               /* its memory on the host; of unified hidden memory not at `address` */
    uint8_t *initialised;         /* one bit per byte if the memory was created with `checked`; else NULL */
    bool unrecorded;              /* memory_share_all has set all of these bits */
    uint8_t gpu;                  /* the GPU that it belongs to, or MEMORY_EVERY_GPU */
    bool shared;                  /* the host writes it, too */
    bool host, adopted;           /* host: no memory of the device; adopted: its pages belong to the caller */
};

struct memory_freed {
    uint64_t address, size_bytes;
};

#define MEMORY_FREED 64 /* frees that are remembered, for messages */
#define MEMORY_GPUS_MAX 8
#define MEMORY_EVERY_GPU 0xff /* the host's, or managed */

/* The device has limit_bytes, but not more than three quarters of this computer's memory, beyond which it
 * would swap. */
enum status memory_create(struct memory **memory, uint64_t limit_bytes, bool checked, struct error *error);
/* From now on no device address is an address of anything else of this process: allocations lie in one
 * reserved range. The host can access those of memory_alloc_open there; an access to others is a fault
 * (memory_hides). Call before the first allocation. STATUS_MEMORY if the range is not free in this process.
 */
enum status memory_unify(struct memory *memory, struct error *error);
void memory_destroy(struct memory *memory);
/* Makes memory of the host available to kernels, at the same address; it still belongs to the caller. It
 * counts as shared; memory_free removes it. */
enum status memory_adopt(struct memory *memory, void *bytes, uint64_t size_bytes, struct error *error);
enum status memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t *address, struct error *error);
/* The same; in unified memory the host can access it at this address. */
enum status memory_alloc_open(struct memory *memory, uint64_t size_bytes, uint64_t *address,
                              struct error *error);
/* The same for mapped memory of the host: every GPU may access it, and it uses none of the device's limit, so
 * that there may be more of it than the device has. STATUS_MEMORY beyond three quarters of this computer's.
 */
enum status memory_alloc_host(struct memory *memory, uint64_t size_bytes, uint64_t *address,
                              struct error *error);
/* Addresses of unified memory for memory_map, `alignment` a power of two; no memory is behind them. */
enum status memory_reserve(struct memory *memory, uint64_t size_bytes, uint64_t alignment, uint64_t *address,
                           struct error *error);
/* False: something is mapped there, or the addresses were not reserved. */
bool memory_unreserve(struct memory *memory, uint64_t address, uint64_t size_bytes);
/* Allocates memory at reserved addresses. It may adjoin other mapped memory: memory_access takes both at
 * once. memory_free unmaps it. */
enum status memory_map(struct memory *memory, uint64_t address, uint64_t size_bytes, struct error *error);
/* In unified memory: is it an address of the process's own memory, to which kernels have no access? */
bool memory_is_hosts(const struct memory *memory, uint64_t address);
/* Is it an address of unified memory that the host cannot access? Also where nothing is allocated. */
bool memory_hides(uint64_t address);
enum status memory_free(struct memory *memory, uint64_t address, struct error *error);
/* Of the last MEMORY_FREED allocations that were freed, the one that contained the address, if no part of it
 * has been allocated again; else NULL. */
const struct memory_freed *memory_freed(const struct memory *memory, uint64_t address);
/* The host writes the allocation at this address without a call: all of it counts as initialised. */
enum status memory_share(struct memory *memory, uint64_t address, struct error *error);
/* The same of all allocations that there are, before a kernel whose writes are not recorded; to be told of
 * each one whose writes are. */
void memory_share_all(struct memory *memory, bool recorded);
uint64_t memory_used_bytes(const struct memory *memory);
uint64_t memory_free_bytes(const struct memory *memory);
/* The allocation that contains an address, or NULL. Any thread while no thread allocates or frees. */
const struct memory_range *memory_find(const struct memory *memory, uint64_t address);
/* Several GPUs: allocations belong to the selected one, 0 at first, and memory_reach finds what it may
 * access. */
void memory_select(struct memory *memory, uint32_t gpu);
void memory_allow(struct memory *memory, uint32_t gpu, uint32_t peer, bool allowed);
bool memory_allowed(const struct memory *memory, uint32_t gpu, uint32_t peer);
enum status memory_reach_all(struct memory *memory, uint64_t address, struct error *error);
const struct memory_range *memory_reach(const struct memory *memory, uint64_t address);
/* The next allocation, in ascending order, that the host can access, too, and that the model has made; NULL
 * for `after`: the first one, as a result: there is none. */
const struct memory_range *memory_next_open(const struct memory *memory, const struct memory_range *after);
/* 1 + the GPU that the address belongs to, if the selected one may not access it; else 0. */
uint32_t memory_owner(const struct memory *memory, uint64_t address);
/* The allocation nearest to an address outside all allocations, for messages; NULL if there are none. */
const struct memory_range *memory_nearest(const struct memory *memory, uint64_t address);
/* Sets the bits of size_bytes bytes from `offset` on, in a range of checked memory; any thread. */
void memory_mark(const struct memory_range *range, uint64_t offset, uint64_t size_bytes);
/* For copies and sets: host pointer to size_bytes at address; STATUS_CHECK with a sentence if they are not
 * all in one allocation. Marks them initialised if `write`. */
enum status memory_access(struct memory *memory, uint64_t address, uint64_t size_bytes, bool write,
                          uint8_t **bytes, struct error *error);

#endif
