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
#include "simt/check/claim.h"
#include "simt/check/known.h"
#include "simt/lanes/program.h"

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
