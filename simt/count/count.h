/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counts of a kernel per instruction of its program: warp and thread instructions, requests, sectors or
 * wavefronts, ideals, bytes, divergence, contention. The rules are those of core/hardware/coalesce and
 * core/hardware/bank, for any compute capability. Each worker of a grid has its own counter; they are added
 * up at the end.
 *
 * Sums over the kernel mean what the catalogue's counters mean (core/metric/metric_counters.h): global loads
 * are LDG and the reads of cp.async; atomics are neither loads nor stores; a generic access counts for the
 * space its addresses are in; an execution whose predicate is off for all lanes is an instruction, but no
 * request. A fence of the system's scope is a global store request without a sector. Where
 * simt/program/merge finds that ptxas replaces an instruction by another, the other is counted.
 */
#ifndef SIMT_COUNT_COUNT_H
#define SIMT_COUNT_COUNT_H

#include "core/hardware/access.h"
#include "core/hardware/arch.h"
#include "core/hardware/coalesce.h"
#include "core/metric/metric.h"
#include "simt/lanes/program.h"

struct count_instruction {
    uint64_t warp_instructions;      /* executions by a warp, with its guard on for some lane or not */
    uint64_t thread_instructions;    /* lanes that were active, with the guard on or off */
    uint64_t thread_instructions_on; /* ... whose guard was on */
    uint64_t requests;  /* memory: executions with a lane on; a half- or quarter-warp rule can make several
                           requests of one */
    uint64_t transfers; /* global, local: sectors (under old rules: bytes moved / 32); shared: wavefronts;
                           constant: distinct addresses */
    uint64_t ideal_transfers;
    uint64_t bytes_wanted; /* distinct bytes that the lanes want; shared: lanes x bytes */
    uint64_t bytes_moved;
    uint64_t coherent, incoherent; /* global: classified as in core/hardware/coalesce.h */
    uint64_t divergent;            /* branches in which the active lanes diverged */
    uint64_t contention;           /* atomics: sum over executions of the most lanes on one address */
    uint64_t passes;               /* atomics in global memory (access_passes); 0 for all else */
};

/* What is done one after the other: the passes of atomics in global memory; else sectors or wavefronts. */
static inline uint64_t count_steps(const struct count_instruction *row)
{
    return row->passes ? row->passes : row->transfers;
}

/* Memory spaces that an instruction can access besides the one that it names. */
struct count_elsewhere {
    uint32_t instruction;
    struct count_instruction global, shared, local, cluster; /* cluster: shared memory of other blocks */
};

/* In one pass an atomic unit of L2 takes one lane for each word of a sector. Two slices of L2 share a
 * kilobyte of neighbouring addresses, in pieces of 256 bytes; the next kilobyte belongs to two other slices.
 * Passes are counted by slice, as if there were COUNT_PLACES slices, with the address's higher bits mixed in.
 */
#define COUNT_PLACES 128u
/* Additions of floats to one sector wait for each other: they are counted by sector, modulo this number. */
#define COUNT_FLOAT_SECTORS 512u

/* What is known of a usual access: all lanes are active and load or store 1, 2, 4, 8 or 16 bytes, aligned, from
 * one address; or in a row, which begins with a sector or within one; or each in a sector of its own of global
 * memory. */
enum count_layout { COUNT_SAME, COUNT_ROW, COUNT_ROW_BETWEEN, COUNT_APART, COUNT_LAYOUTS };

/* Its sectors, in global memory. */
static inline uint32_t count_layout_sectors(enum count_layout layout, uint32_t width_bytes)
{
    return layout == COUNT_SAME    ? 1
           : layout == COUNT_APART ? WARP_LANES
                                   : width_bytes + (layout == COUNT_ROW_BETWEEN);
}

/* Executions of straight code, until counter_settle adds them to the instructions: at an instruction, how
 * many begin less how many end before it, and their lanes. */
struct count_stretch {
    uint64_t warps, threads;       /* differences: modulo 2^64 */
    uint64_t usual[COUNT_LAYOUTS]; /* accesses of the instruction whose cost is known from their layout */
};

struct counter {
    const struct program *program;
    const struct arch *arch;
    struct count_instruction *instructions; /* program->instruction_count; of a generic access all but what
                                               the accesses cost, which is in `elsewhere` */
    struct count_stretch *stretches;        /* program->instruction_count + 1 */
    struct count_elsewhere
        *elsewhere; /* of generic accesses, and those of .shared::cluster; cp.async's writes to shared memory;
                       the loads of an atomic done by a loop; ascending */
    uint32_t elsewhere_count;
    uint64_t warps, blocks, barriers; /* barriers: meetings of a block */
    uint64_t polls;    /* looks at memory by warps that found all as at the look before: these turns of a loop
                       are in no other count */
    uint64_t handoffs; /* of words between blocks that wait for each other, in the longest chain of them */
    uint64_t atomic_passes[COUNT_PLACES];       /* of global atomics, by the L2 slice of their words */
    uint64_t float_passes[COUNT_FLOAT_SECTORS]; /* those of them that add floats, by sector */
};

/* The entry of atomic_passes in which a sector (address / 32) counts. */
static inline uint32_t count_place(uint64_t sector)
{
    uint64_t piece = sector / 8, pair = piece / 4, pairs = COUNT_PLACES / 2;
    return (uint32_t)((pair ^ pair / pairs ^ pair / pairs / pairs) % pairs * 2 + piece % 2);
}

enum status counter_init(struct counter *counter, const struct program *program, const struct arch *arch,
                         struct error *error);
void counter_fini(struct counter *counter);
/* Moves the counts; `from` is as after counter_fini. */
void counter_take(struct counter *to, struct counter *from);
void counter_add(struct counter *to, const struct counter *from);
/* Moves all counts of `from` to `to`. */
void counter_move(struct counter *to, struct counter *from);
/* Clears the counts of one turn of a loop: its instructions are near each other. */
void counter_drop(struct counter *counter);
/* Adds the stretches to the instructions. Until then warp_instructions and thread_instructions are
 * incomplete. */
void counter_settle(struct counter *counter);

/* A warp has executed the instructions first ... end - 1, with so many active lanes. */
static inline void count_stretch(struct counter *counter, uint32_t first, uint32_t end, uint32_t lanes)
{
    if (first == end)
        return;
    counter->stretches[first].warps++;
    counter->stretches[first].threads += lanes;
    counter->stretches[end].warps--;
    counter->stretches[end].threads -= lanes;
}

/* The guard of an instruction in a stretch was off for some of its lanes. */
static inline void count_guarded_off(struct counter *counter, uint32_t instruction, uint32_t lanes)
{
    counter->instructions[instruction].thread_instructions_on -= lanes;
}

/* One execution of an instruction: the warp's active lanes, and those whose predicate is on. */
static inline void count_execution(struct counter *counter, uint32_t instruction, uint32_t active,
                                   uint32_t on)
{
    struct count_instruction *at = &counter->instructions[instruction];
    at->warp_instructions++;
    at->thread_instructions += (uint32_t)__builtin_popcount(active);
    at->thread_instructions_on += (uint32_t)__builtin_popcount(on);
}

/* One fetch through a texture: number of texels for the lanes, and of the sectors that they lie in. */
static inline void count_texture(struct counter *counter, uint32_t instruction, uint32_t texels,
                                 uint32_t sectors)
{
    struct count_instruction *at = &counter->instructions[instruction];
    at->requests++;
    at->transfers += sectors;
    at->ideal_transfers += (texels + 7) / 8;
    at->bytes_wanted += UINT64_C(4) * texels;
    at->bytes_moved += UINT64_C(32) * sectors;
}

/* A copy in bulk by one lane, between global memory and the shared memory of so many blocks: it passes L1 by,
 * in pieces that end with a line of 128 bytes of shared memory, each of which touches its sectors. */
static inline uint64_t count_bulk_piece(uint64_t shared_address, uint64_t bytes)
{
    uint64_t piece = 128 - shared_address % 128;
    return piece < bytes ? piece : bytes;
}
void count_bulk(struct counter *counter, uint32_t instruction, uint64_t address, uint64_t shared_address,
                uint64_t bytes, uint32_t blocks);
/* The lanes of an access that are in the shared memory of other blocks of the cluster: by sectors, as if it
 * were global memory. */
void count_cluster(struct counter *counter, uint32_t instruction, const struct warp_access *access);

/* One execution of a memory instruction, guard applied (access->active may be 0: nothing is counted then).
 * `space` is the actual space of the addresses. Global and local: sectors gets the distinct sector numbers
 * (address / 32) in order of first touch, *sector_count their number, at most COUNT_SECTORS_MAX (for the
 * caches; also for 12-byte and wide accesses); both may be NULL. Addresses of local memory are physical ones:
 * word j of lane l at j * 128 + 4 * l of the warp's window; an access of 8 or 16 bytes takes the words from j
 * on, and its address is word j's. cp.async is two accesses, a load of PTX_GLOBAL and a store of PTX_SHARED.
 */
#define COUNT_SECTORS_MAX 256
void count_access(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count);
/* The same for an access of a known shape. */
void count_access_shape(struct counter *counter, uint32_t instruction, enum ptx_space space,
                        const struct warp_access *access, enum access_shape shape, uint64_t sectors[],
                        uint32_t *sector_count);
/* The same for a usual access to the space that the instruction names: global, shared or constant. Only under
 * the rules of 5.0 and later (count_knows_usual), and not for an instruction that ptxas rewrites. It is in
 * the counts after counter_settle. */
static inline void count_usual(struct counter *counter, uint32_t instruction, enum count_layout layout)
{
    counter->stretches[instruction].usual[layout]++;
}
/* The cost of an access whose lanes all are active, each at least a width behind the one before, in so many sectors. */
struct count_instruction count_spread_cost(const struct counter *counter, uint32_t instruction,
                                           uint32_t sectors);
/* Adds a cost to an instruction. */
void count_cost(struct counter *counter, uint32_t instruction, const struct count_instruction *cost);
bool count_knows_usual(const struct arch *arch);
/* Its cost: all but what is counted by execution. */
struct count_instruction count_usual_cost(const struct counter *counter, uint32_t instruction,
                                          enum count_layout layout);
/* The counts so far of this instruction's accesses to a space. */
const struct count_instruction *count_so_far(const struct counter *counter, uint32_t instruction,
                                             enum ptx_space space);
/* One execution of an atomic. */
void count_atomic(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count);

/* Sums as the catalogue defines them, over the kernel or over a source line. */
struct count_totals {
    struct count_instruction global[2], shared[2],
        local[2]; /* [0] loads (cp.async's reads too), [1] stores; atomics and reductions apart */
    struct count_instruction global_atomics, shared_atomics, constant;
    struct count_instruction textures;     /* fetches, which are no loads */
    struct count_instruction shared_fills; /* cp.async's writes, not in counters of stores */
    struct count_instruction cluster;      /* loads, stores and atomics in other blocks' shared memory */
    struct count_instruction matrices[2];  /* ldmatrix, stmatrix: not in counters of loads and stores */
    struct count_instruction bulk[2]; /* copies in bulk that read, write global memory; no loads, stores */
    uint64_t generic_requests[2];     /* of shared[]: by instructions that name no space */
    uint64_t warp_instructions, thread_instructions, thread_instructions_on, divergent_branches, branches,
        barriers; /* barriers: executions by a warp */
    uint64_t class_warp_instructions[CLASS_COUNT];
    uint64_t operations[CLASS_COUNT]; /* floating-point ones, of lanes whose guard was on */
    uint64_t lane_exchanges; /* lanes whose guard was on, of shuffles, votes, matches and reductions */
    uint64_t
        wide; /* memory instructions of 8 and 16 bytes a lane, of all spaces but parameters and constants */
};
void count_totals(const struct counter *counter, struct count_totals *totals);
/* Adds one instruction's share. */
void count_totals_add(struct count_totals *totals, const struct counter *counter, uint32_t instruction);

/* The modelled value of a catalogue metric that follows from counts; for all others not available, with a
 * reason. Ideals are sums over executions, while a GPU's counters only give bounds. */
struct value count_value(const struct count_totals *totals, enum metric metric);

/* One source line of the kernel itself; code inlined there counts there. */
struct count_line {
    uint32_t file, line;   /* .file number; both 0: the PTX does not give it */
    uint32_t instructions; /* of the program */
    struct count_totals totals;
};
/* All lines that have instructions, by file and line; the caller frees *lines. STATUS_MEMORY. */
enum status count_lines(const struct counter *counter, struct count_line **lines, uint32_t *line_count,
                        struct error *error);

/* ---- the costliest accesses ---- */

/*
 * The addresses of each memory instruction of a launch in the execution that cost most, of any warp. Each
 * worker has its own; they are merged into the launch's result. Limited in size.
 */

#define COSTLIEST_ACCESSES 256 /* per launch: an instruction that accesses two spaces has two */

struct costliest_access {
    uint32_t instruction, warp;
    uint64_t block;
    enum ptx_space space; /* global, shared or local */
    struct warp_access access;
    struct count_instruction cost; /* only its requests, transfers (count_steps) and ideal_transfers */
};

struct costliest {
    struct costliest_access *accesses; /* COSTLIEST_ACCESSES; NULL: none are kept */
    uint32_t count;
    uint32_t *index; /* by instruction and space: number of the access, from 1 */
    bool full;       /* some instructions have none */
};

enum status costliest_init(struct costliest *costliest, const struct program *program, struct error *error);
void costliest_fini(struct costliest *costliest);
/* Keeps the access if it costs more beyond its ideal than the kept one; of equal ones the one that costs
 * more, then that of the lower block, so that the choice does not depend on the number of workers. */
void costliest_add(struct costliest *costliest, const struct costliest_access *access);
/* False: costliest_add of an access of this cost would keep the one it has. */
bool costliest_wants(const struct costliest *costliest, uint32_t instruction, enum ptx_space space,
                     const struct count_instruction *cost, uint64_t block);
void costliest_merge(struct costliest *to, const struct costliest *from);
/* In the order of the program. */
void costliest_sort(struct costliest *costliest);

#endif
