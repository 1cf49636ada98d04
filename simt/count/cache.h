/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modelled caches: a sectored L1 per multiprocessor and a sectored L2 with dirty sectors, for hit rates and
 * DRAM bytes. Lines of 128 bytes, four sectors, 16 ways, LRU within a set; sizes from the modelled GPU.
 * Deterministic whatever the number of workers: one worker runs a multiprocessor's blocks in order against
 * its L1; what proceeds to L2 is logged; after a batch of blocks all logs are played into the L2 in the order
 * of multiprocessors, each worker taking the sets that are its own. Policies, as an H200's counters show them
 * (docs/model.md has the measurements and where the model differs):
 *
 *   L1  write-through. A store gives its line a place and makes wholly written sectors readable; it counts as
 *       a hit when its line was there. Loads hit by sector. Empty at each launch.
 *   L2  write-back. A store never waits for DRAM and counts as a hit; a sector written in part is completed
 *       from DRAM (a lookup that misses) when it has to leave. Of a set only some of the ways are dirty, and
 *       fewer hold sectors written in part: the oldest beyond that is written to DRAM and stays, clean. A
 * load that misses brings in the GPU's fetch granularity. What is still dirty at a kernel's end is not in its
 *       DRAM bytes; the next one's hold it.
 *       Lives from launch to launch, but cache_l2_launch drops what is clean: counters are measured so, with
 *       memory restored or caches flushed before each replay.
 */
#ifndef SIMT_COUNT_CACHE_H
#define SIMT_COUNT_CACHE_H

#include "core/base/error.h"
#include "core/hardware/access.h"
#include "simt/lanes/program.h"

#include <stdatomic.h>

/* A store to local memory is one of its own on 2.x alone, whose L1 keeps what it writes. */
enum cache_access {
    CACHE_LOAD,
    CACHE_STORE,
    CACHE_ATOMIC,
    CACHE_PREFETCH_L1,
    CACHE_PREFETCH_L2,
    CACHE_STORE_LOCAL
};

/* A sector for cache_l1_access: its number (address / 32, at most 48 bits) and, for a store, which of its
 * eight 4-byte words it writes: bit 56 + i for word i; none set: all of them. A partly written word counts as
 * written. */
#define CACHE_SECTOR_NUMBER UINT64_C(0x0000ffffffffffff)
#define CACHE_SECTOR_WORDS 56

/* Adds to a store's sectors (from core/hardware/coalesce, at most COALESCE_SECTORS_MAX, all that the lanes
 * touch) which of their words it writes. */
struct cache_l1;
void cache_store_words(const struct cache_l1 *l1, const struct warp_access *access, uint64_t *sectors,
                       uint32_t count);

struct cache_counts {
    uint64_t l1_lookups, l1_hits; /* sectors of loads and stores; a load that passes L1 by misses */
    uint64_t l2_lookups, l2_hits; /* sectors */
    uint64_t dram_read_bytes, dram_write_bytes;
    uint64_t host_read_bytes, host_write_bytes; /* over the bus, to the host or to another GPU */
    uint64_t l1_lines;                          /* that requests for them look up in L1, at once each */
    uint64_t l2_load_lines, l2_load_missed;     /* lines that a load waits for: lines of each request with a
                                                   sector from L2, and from DRAM or the host */
};
void cache_counts_add(struct cache_counts *to, const struct cache_counts *from);

struct cache_l2;
struct cache_log; /* sectors of one worker and batch that proceed to L2, in order */
enum status cache_log_create(struct cache_log **log, struct error *error);
void cache_log_destroy(struct cache_log *log);
/* Empties the log; it will be played into this L2, in `parts` parts. Part 0 of 1 is all of it. */
void cache_log_clear(struct cache_log *log, const struct cache_l2 *l2, uint32_t parts);
bool cache_log_failed(const struct cache_log *log); /* ran out of memory: hit rates are not available */

/* The L1 of one worker, for the multiprocessor that it runs.
 * size_bytes 0: L1 does not cache global memory; everything proceeds to L2 and no lookup is counted. */
enum status cache_l1_create(struct cache_l1 **l1, uint64_t size_bytes, struct error *error);
/* As on 2.x: a load that misses fetches the whole line. A line that another warp of the same block has
 * requested with the same load instruction counts as in flight and is requested again, because warps that run
 * at the same time on a GPU run one after the other here. STATUS_MEMORY. */
enum status cache_l1_fetch_lines(struct cache_l1 *l1, struct error *error);
/* Sets the warp that makes the next accesses; needed only with cache_l1_fetch_lines. */
void cache_l1_asks(struct cache_l1 *l1, uint64_t block, uint32_t instruction, uint32_t warp);
void cache_l1_destroy(struct cache_l1 *l1);
void cache_l1_clear(struct cache_l1 *l1);
/* Appends the sectors that are not served here to log. Consecutive sectors of one line are fastest. */
void cache_l1_access(struct cache_l1 *l1, enum cache_access access, enum program_cache policy,
                     const uint64_t *sectors, uint32_t count, struct cache_log *log,
                     struct cache_counts *counts);

/* The same for neighbouring sectors, first ... first + count - 1, of a load or of a store that writes them wholly. */
void cache_l1_row(struct cache_l1 *l1, enum cache_access access, enum program_cache policy, uint64_t first,
                  uint32_t count, struct cache_log *log, struct cache_counts *counts);

/* Appends all sectors of a range that passes L1 by. */
void cache_log_range(struct cache_log *log, enum cache_access access, uint64_t address, uint64_t size_bytes);

struct cache_l2;
struct cache_l2_rules {
    uint32_t fetch_bytes;              /* bytes that a missing sector brings into L2: 32 or 64 */
    uint32_t dirty_ways, partial_ways; /* of a set's 16, at most: with dirty sectors; with some that are not
                                          wholly written */
};

/* size_bytes 0: there is no L2; every sector is read or written in DRAM. */
enum status cache_l2_create(struct cache_l2 **l2, uint64_t size_bytes, const struct cache_l2_rules *rules,
                            struct error *error);
void cache_l2_destroy(struct cache_l2 *l2);
/* Begins a launch: clean sectors are dropped, dirty ones are still to be written. */
void cache_l2_launch(struct cache_l2 *l2);
/* Plays one part of the logs, in their order. Several workers may play different parts at the same time.
 * cancel: set by another thread, ends it before its end; or NULL. */
void cache_l2_play(struct cache_l2 *l2, struct cache_log *const *logs, uint32_t log_count, uint32_t part,
                   const atomic_bool *cancel, struct cache_counts *counts);

/* Memory of the host, or of another GPU, that kernels access directly: each sector that misses L1 crosses the
 * bus, and L2 keeps none of it. STATUS_MEMORY. size_bytes is that of the range's allocation. */
enum status cache_l2_host_add(struct cache_l2 *l2, uint64_t address, uint64_t size_bytes,
                              struct error *error);
void cache_l2_host_remove(struct cache_l2 *l2, uint64_t address);

/* A range accessed without a kernel: read by a copy, written by a copy engine (which bypasses L2 and drops
 * its sectors there), or written by a memset or a copy within the device (which goes through L2). */
enum cache_range { CACHE_RANGE_READ, CACHE_RANGE_COPIED, CACHE_RANGE_SET };
void cache_l2_range(struct cache_l2 *l2, enum cache_range what, uint64_t address, uint64_t size_bytes);

#endif
