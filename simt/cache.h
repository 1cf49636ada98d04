/*
 * Modelled caches: a sectored L1 per multiprocessor and a sectored L2 with dirty sectors, for hit rates and
 * DRAM bytes. Lines of 128 bytes, four sectors, LRU within a set; sizes and ways from the modelled GPU. L1:
 * write-through, no allocate on a store (a hit is updated), emptied at each launch, its size what the
 * kernel's shared memory leaves. L2: write-back, write-allocate without fill of wholly written sectors, lives
 * from launch to launch. Deterministic whatever the number of workers: one worker runs a multiprocessor's
 * blocks in order against its L1; what misses goes to a log; after a batch of blocks all logs are played into
 * the L2 in the order of multiprocessors, each worker taking the sets that are its own.
 */
#ifndef SIMT_CACHE_H
#define SIMT_CACHE_H

#include "core/error.h"
#include "simt/program.h"

enum cache_access { CACHE_LOAD, CACHE_STORE, CACHE_ATOMIC, CACHE_PREFETCH_L2 };

struct cache_counts {
    uint64_t l1_lookups, l1_hits; /* sectors of loads and stores that go through L1 */
    uint64_t l2_lookups, l2_hits; /* sectors */
    uint64_t dram_read_bytes, dram_write_bytes;
};

struct cache_log; /* of one worker and batch: sectors that go on to L2, in order */
enum status cache_log_create(struct cache_log **log, struct error *error);
void cache_log_destroy(struct cache_log *log);
void cache_log_clear(struct cache_log *log);
bool cache_log_failed(const struct cache_log *log); /* ran out of memory: hit rates are not available */

struct cache_l1; /* one worker's, for the multiprocessor it runs */
enum status cache_l1_create(struct cache_l1 **l1, uint64_t size_bytes, struct error *error);
void cache_l1_destroy(struct cache_l1 *l1);
void cache_l1_clear(struct cache_l1 *l1);
/* sector numbers (address / 32); what is not served here is appended to log. */
void cache_l1_access(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                     const uint64_t *sectors, uint32_t count, struct cache_log *log,
                     struct cache_counts *counts);

struct cache_l2;
enum status cache_l2_create(struct cache_l2 **l2, uint64_t size_bytes, struct error *error);
void cache_l2_destroy(struct cache_l2 *l2);
void cache_l2_clear(struct cache_l2 *l2); /* without writing back */
/* Plays the logs, in their order; of the sets this worker's share (part of parts). Several workers may call
 * it at once with different parts. */
void cache_l2_play(struct cache_l2 *l2, struct cache_log *const *logs, uint32_t log_count, uint32_t part,
                   uint32_t parts, struct cache_counts *counts);
/* A copy engine's or the host's access to a range: brings lines in as the copy engine does, or drops them. */
void cache_l2_copy(struct cache_l2 *l2, uint64_t address, uint64_t size_bytes, bool write,
                   struct cache_counts *counts);

#endif
