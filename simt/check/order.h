/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened before what in a launch, for the checks that find races (vector clocks, as in Flanagan and
 * Freund's FastTrack, PLDI 2009). The rules are those of the PTX memory model, PTX ISA 9.0, chapter 8, with
 * the differences that docs/model.md lists.
 *
 * Each warp of a block has a clock. It advances when the warp meets others at a barrier and when it releases.
 * A warp is ordered after a time of another warp of its block, or of another block, when a chain of barriers,
 * and of releases that were observed and acquired, leads from there to here. Lanes of one warp are ordered by
 * bar.warp.sync and by barriers of the block only: what some lanes acquire the others learn there.
 *
 * struct order_launch belongs to a launch, struct order to a block of it. One thread uses both.
 */
#ifndef SIMT_CHECK_ORDER_H
#define SIMT_CHECK_ORDER_H

#include "core/base/error.h"
#include "simt/lanes/program.h"
#include "simt/memory/texture.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what a copy reads or writes ---- */

/*
 * Memory that a copy or a set by the device reads or writes: rows of bytes of the device or of pinned memory
 * of the host, or a box of texels of an array. Kernels that may run at the same time, and other copies and
 * sets, are compared with it.
 */

struct claim {
    uint64_t address, size_bytes; /* of a row; of an array: of all its texels */
    uint64_t rows, pitch;         /* rows: 0 or 1: pitch is not used; else pitch is at least size_bytes */
    struct texture_box box;       /* of an array; depth 0: not of an array */
    struct texture_view array;
    uint32_t run; /* number of the operation, as in struct order_launch */
    bool write;
};

/* The end of its last byte. The bytes between two rows are not its own. */
uint64_t claim_end(const struct claim *claim);
/* Whether one of these bytes is its own. */
bool claim_touches(const struct claim *claim, uint64_t address, uint64_t size_bytes);
/* The first address from this one on that may be its own. */
uint64_t claim_next(const struct claim *claim, uint64_t address);
/* Whether the two have a byte in common; *address: such a byte, *size_bytes: how many follow it in a row. */
bool claims_overlap(const struct claim *a, const struct claim *b, uint64_t *address, uint64_t *size_bytes);

/* ---- what a warp knows of other blocks ---- */

/*
 * What a warp knows of other blocks: for each block, up to which time of each of its 32 warps everything
 * happened before. Blocks with equal times are one span, since the blocks of a grid mostly execute the same
 * barriers and fences. Immutable and counted by references, so that flags, warps and barriers share it.
 *
 * The times of 32 warps are a row of a table; equal rows are stored once. A list of more than
 * KNOWN_SPANS_MAX spans, and all that finds no memory, becomes "everything": no false alarm follows from it,
 * but races may be missed, and known_table.widened says so. One thread.
 */

#define KNOWN_WARPS 32
#define KNOWN_SPANS_MAX 4096

struct known_table {
    uint32_t (*rows)[KNOWN_WARPS];
    uint32_t count, capacity;
    uint32_t *places; /* a hash table: row + 1; 0: free */
    uint32_t place_count;
    bool widened;
};

struct known; /* NULL: nothing is known */

/* *to = merge of *to and from. */
void known_add(struct known_table *table, struct known **to, struct known *from);

/* Returns whether the time of this warp of the block is known. */
bool known_has(const struct known_table *table, const struct known *known, uint32_t block, uint32_t warp,
               uint32_t time);

/* ---- order ---- */

#define ORDER_WARPS KNOWN_WARPS

struct order_past {                /* an operation of the device that was issued before the launch */
    bool before;                   /* and is ordered before it */
    const struct program *program; /* NULL: not a launch */
    uint32_t grid[3], block[3];    /* of a launch */
    const char *copy;              /* "copy to the device", "set"; NULL: a launch */
    uint32_t stream;               /* of a copy or a set, its number in the timeline */
};

struct order_flag;
struct order_flags { /* words of memory that were written after a fence: a hash table by address */
    struct order_flag *places;
    uint32_t count, room;
};

struct order_launch {
    uint32_t run;                  /* number of the launch among all operations, from 1 */
    uint32_t first;                /* operations before this one are ordered before the launch */
    const struct order_past *past; /* of the operations first ... run - 1 */
    const struct claim *claims;    /* of copies and sets that are not ordered before it */
    uint32_t claim_count;
    struct known_table known;
    struct order_flags flags; /* in global memory */
};

/* Forgets the launch before, if `launch` had one; its fields above `known` are the caller's. */
void order_launch_begin(struct order_launch *launch);
void order_launch_fini(struct order_launch *launch);
static inline bool order_run_before(const struct order_launch *launch, uint32_t run)
{
    return run < launch->first || (run < launch->run && launch->past[run - launch->first].before);
}

struct order_seen { /* a strong write by another warp whose value the block has observed */
    uint32_t block, warp, clock, instruction;
};
#define ORDER_SEEN 8

#define ORDER_SAME 8

struct order_warp {
    uint32_t clock[ORDER_WARPS]; /* [itself]: its clock; [v]: it is ordered after this time of warp v */
    uint32_t synced;             /* its lanes are ordered after times before this one */
    /* [lane][other]: the same for two lanes, where barriers of some lanes of the warp have ordered them since
     * all met; unless `parted` there was none. */
    uint32_t (*lanes)[32];
    bool parted;
    struct known *known; /* of other blocks */
    /* What its fences have released: to its block, and to the device. Contains its own block. */
    struct known *released[2];
    /* What lanes `observed` have observed without a fence since: released by its block, and by others. */
    struct known *pending[2];
    uint32_t observed;
    /* Lanes that alone have acquired something since the warp last met, and what the others know; 0: all
     * lanes know the same. */
    uint32_t acquired;
    struct order_same { /* where it stored the value that was there, last */
        uint64_t address;
        uint32_t instruction;
    } same[ORDER_SAME];
    uint32_t same_count;
    struct order_before {
        uint32_t clock[ORDER_WARPS], synced;
        struct known *known;
    } before;
};

struct order {
    struct order_launch *launch;
    uint32_t block;
    struct order_warp warps[ORDER_WARPS];
    struct order_flags flags; /* in shared memory */
    /* To name what is missing: what the block has observed lately, and what was released to another block
     * alone before, since a fence or a flag had the scope of that block. */
    struct order_seen seen[ORDER_SEEN];
    uint32_t seen_count;
    struct known *narrow;
    uint32_t proxied[ORDER_WARPS]; /* accesses up to this time of a warp are before a fence.proxy.async */
};

enum status order_create(struct order **order, struct error *error);
void order_destroy(struct order *order);
void order_begin(struct order *order, struct order_launch *launch, uint32_t block);
void order_end(struct order *order); /* releases what the launch has counted */

/* A barrier opens: warps `came` (one bit each) have arrived, of which `went` have waited. */
void order_meet(struct order *order, uint32_t came, uint32_t went);
/* Lanes of a warp meet; `alive`: all that it has left. */
void order_meet_warp(struct order *order, uint32_t warp, uint32_t lanes, uint32_t alive);
/* sync: scope and kind as in program_instruction.sync. */
void order_fence(struct order *order, uint32_t warp, uint32_t sync);
/* A strong read, or an atomic with a result, by these lanes observes what was written at the address of
 * global memory, or of the block's shared memory. */
void order_observe(struct order *order, uint32_t warp, uint32_t lanes, bool shared, uint64_t address,
                   uint32_t sync);
/* A strong write; `update`: by an atomic, which continues what was released there before. */
void order_publish(struct order *order, uint32_t warp, bool shared, uint64_t address, uint32_t sync,
                   bool update);
/* Another warp's strong write was observed. */
void order_see(struct order *order, const struct order_seen *seen);

#endif
