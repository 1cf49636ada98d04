/*
 * What a kernel cost, per instruction of its program: warp and thread instructions, requests, sectors or
 * wavefronts, ideals, bytes, divergence, contention. The rules are core/coalesce's and core/bank's, under any
 * compute capability. Each worker of a grid counts into a counter of its own; they are added up at the end.
 */
#ifndef SIMT_COUNT_H
#define SIMT_COUNT_H

#include "core/arch.h"
#include "core/coalesce.h"
#include "core/metric.h"
#include "simt/program.h"

struct count_instruction {
    uint64_t warp_instructions;      /* executed by a warp, with its guard on for some lane or not */
    uint64_t thread_instructions;    /* lanes that were active, guard on or off */
    uint64_t thread_instructions_on; /* ... whose guard was on */
    uint64_t requests;  /* memory: executions with a lane on; a half- or quarter-warp rule may make several of
                           one */
    uint64_t transfers; /* global, local: sectors (under old rules: bytes moved / 32); shared: wavefronts;
                           constant: distinct addresses */
    uint64_t ideal_transfers;
    uint64_t bytes_wanted; /* distinct bytes the lanes asked for */
    uint64_t bytes_moved;
    uint64_t divergent;  /* branches that parted the active lanes */
    uint64_t contention; /* atomics: sum over executions of the most lanes on one address */
};

struct counter {
    const struct program *program;
    const struct arch *arch;
    struct count_instruction *instructions; /* program->instruction_count */
    uint64_t warps, blocks, barriers;
};

enum status counter_init(struct counter *counter, const struct program *program, const struct arch *arch,
                         struct error *error);
void counter_fini(struct counter *counter);
void counter_add(struct counter *to, const struct counter *from);

/*
 * One execution of a memory instruction, guard applied (access->active may be 0: nothing is counted then).
 * `space` is the space the addresses turned out to be in. Global and local: sectors gets the distinct sector
 * numbers (address / 32) in order of first touch, *sector_count how many (for the caches; 12-byte and wide
 * ones included); both may be NULL. Addresses of local memory are physical ones (word j of lane l at j * 128
 * + 4 * l of the warp's window).
 */
void count_access(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count);
/* One execution of an atomic. */
void count_atomic(struct counter *counter, uint32_t instruction, enum ptx_space space,
                  const struct warp_access *access, uint64_t sectors[], uint32_t *sector_count);

/* Sums over the kernel in the catalogue's terms. */
struct count_totals {
    struct count_instruction global[2], shared[2],
        local[2]; /* [0] loads (cp.async's reads too), [1] stores; atomics and reductions apart */
    struct count_instruction global_atomics, shared_atomics, constant;
    uint64_t warp_instructions, thread_instructions, thread_instructions_on, divergent_branches, branches,
        barriers;
    uint64_t class_warp_instructions[CLASS_COUNT];
};
void count_totals(const struct counter *counter, struct count_totals *totals);

/* The modelled value of a catalogue metric that follows from counts; not available, with its reason, for the
 * others. */
struct value count_value(const struct count_totals *totals, enum metric metric);

#endif
