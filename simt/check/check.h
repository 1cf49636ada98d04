/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of a kernel, found while the model runs it. Bounds and alignment are always checked. The other
 * checks are optional, since they cost time: reads of uninitialised global, shared or local memory, races in
 * shared and global memory, barriers that not all lanes of a warp reach or that parts of a block reach at
 * different instructions, lanes that are not in their own
 * member mask.
 */
#ifndef SIMT_CHECK_CHECK_H
#define SIMT_CHECK_CHECK_H

#include "simt/lanes/program.h"

#include <stddef.h>
#include <string.h>

/* The number is the cudaError of the launch; 0: a GPU does not detect the error. */
#define CHECK_KIND_LIST(X)                                \
    X(OUT_OF_BOUNDS, "out of bounds", 700)                \
    X(MISALIGNED, "misaligned", 716)                      \
    X(NO_TEXTURE, "not a texture object", 700)            \
    X(UNINITIALISED, "read before written", 0)            \
    X(RETURNED_LANE, "shuffle from a lane that ended", 0) \
    X(HEAP, "outside the blocks of malloc", 0)            \
    X(RACE, "race in shared memory", 0)                   \
    X(GLOBAL_RACE, "race in global memory", 0)            \
    X(EARLY_READ, "asynchronous copy not awaited", 0)     \
    X(PROXY, "missing proxy fence", 0)                    \
    X(STALE_TEXEL, "texel written by this launch", 0)     \
    X(DIVERGENT_BARRIER, "barrier in divergent code", 0)  \
    X(SPLIT_BARRIER, "different barriers", 0)             \
    X(NOT_A_MEMBER, "not in its own member mask", 0)      \
    X(MASK, "not in its own member mask", 715)            \
    X(ILLEGAL_BARRIER, "invalid barrier", 715)            \
    X(MBARRIER, "invalid use of an mbarrier", 719)        \
    X(BULK_SIZE, "invalid size of a copy", 715)           \
    X(DEADLOCK, "threads wait for each other", 702)       \
    X(TRAP, "trap", 719)                                  \
    X(ASSERT, "assertion failed", 710)                    \
    X(FREE, "invalid free", 719)                          \
    X(NO_FUNCTION, "call of an invalid address", 718)     \
    X(STACK, "stack overflow", 714)

#define CHECK_ENUM(id, text, cuda) CHECK_##id,
enum check_kind { CHECK_KIND_LIST(CHECK_ENUM) CHECK_KIND_COUNT };
#undef CHECK_ENUM

const char *check_kind_text(enum check_kind kind);
uint32_t check_cuda_error(enum check_kind kind);

/* What would have ordered the two accesses of a race. */
enum check_missing {
    MISSING_BARRIER,      /* of the block */
    MISSING_WARP_BARRIER, /* bar.warp.sync */
    MISSING_LANE,         /* the same, after another lane of the warp has acquired */
    MISSING_ORDER,        /* of two blocks: anything */
    MISSING_RELEASE,      /* the fence before the flag that was observed */
    MISSING_ACQUIRE,      /* the fence after observing the flag */
    MISSING_FENCE_SCOPE,  /* a fence or flag of the block's scope, between two blocks */
    MISSING_ATOMIC_SCOPE, /* one of the two accesses has the block's scope */
    MISSING_LAUNCH_ORDER  /* of two operations on different streams */
};

/* What a value that depends on unwritten memory has done. */
enum check_use {
    CHECK_USE_READ, /* it was read */
    CHECK_USE_ADDRESS,
    CHECK_USE_BRANCH,
    CHECK_USE_OPERAND, /* of a barrier, a member mask, a size: no data */
    CHECK_USE_HOST     /* it was copied to the host */
};

/* Maximum number of reports of a launch: the first report of each instruction, kind and call, in
 * the order of instructions. */
#define CHECK_REPORTS 32

/* Calls that a report keeps. */
#define CHECK_CALLS 8

/* Pairs of accesses that a report lists beside its own. */
#define CHECK_PAIRS 8
#define CHECK_PAIRS_TEXT \
    "; the same is missing " /* before "between lines 98 and 87, b.cuh:99 and 87, at line 9" */
#define CHECK_PAIRS_TWO "between lines "
#define CHECK_PAIRS_ONE "at line "
struct check_pair {
    uint32_t instruction, other_instruction;
    const struct program *other_program;
};

struct check_report {
    enum check_kind kind;
    enum ptx_space space;
    uint32_t instruction;          /* index in the program */
    uint32_t returns[CHECK_CALLS]; /* the instructions after the calls that it is in, the innermost first; 0:
                                      none */
    uint32_t block[3], thread[3];
    uint32_t other_thread[3]; /* races: thread of the earlier access; DEADLOCK: a thread that does not arrive;
                                 ILLEGAL_BARRIER: a thread that names another barrier; SPLIT_BARRIER: the
                                 thread that arrived first, at other_instruction of other_program */
    bool has_other;
    bool write, other_write; /* RACE: this access; the earlier one */
    /* Races: the access is of no thread but of a copy, a set or a free ("copy to the device") in a stream,
     * which has its number in the timeline. */
    const char *copy, *other_copy;
    uint32_t stream, other_stream;
    /* Races, EARLY_READ: the earlier access. */
    uint32_t other_block[3], other_instruction;
    const struct program *other_program; /* NULL with other_copy */
    const struct program *own_program;   /* of `instruction`, if it may be of another launch; else NULL */
    enum check_use use;                  /* UNINITIALISED, RETURNED_LANE: at other_instruction; has_other: by
                                            another thread than the one that has read */
    enum check_missing missing;
    uint32_t flag_instruction;           /* RELEASE: the write of the flag */
    uint64_t address, width_bytes;       /* FREE, NO_FUNCTION: the address; STACK: width_bytes is the limit */
    uint64_t range_address, range_bytes; /* OUT_OF_BOUNDS: the nearest allocation; HEAP: the block of malloc
                                            before; bytes 0: there is none */
    bool freed;     /* OUT_OF_BOUNDS, HEAP: the range is one that was freed, and the address lies in it */
    bool host;      /* OUT_OF_BOUNDS: the address is the host's */
    uint32_t owner; /* OUT_OF_BOUNDS: 1 + the other GPU that it belongs to; 0: of no other GPU */
    /* ILLEGAL_BARRIER, DEADLOCK: its number; threads that it waits for. RETURNED_LANE: 0; the block's threads, if it has none
     * in that lane. */
    uint32_t barrier, barrier_threads;
    uint32_t members;         /* NOT_A_MEMBER: the mask */
    char asserted[96];        /* ASSERT: the condition */
    uint32_t waiting_threads; /* DEADLOCK: number of threads that have arrived; 0: endless loop */
    bool at_cluster;          /* DEADLOCK: waits at the barrier of its cluster */
    bool at_mbarrier;         /* DEADLOCK: waits at the mbarrier at `address` */
    bool polls_host;          /* DEADLOCK: polls memory that the host can write, in this range */
    uint64_t resident_blocks, blocks_left; /* DEADLOCK: so many wait, and so many have no room to begin */
    uint32_t mbarrier_arrivals;            /* that it waits for, and bytes */
    int32_t mbarrier_bytes;
    uint32_t mbarrier_fault; /* MBARRIER: enum mbarrier_result */
    uint64_t count;          /* number of times at this instruction */
    /* Races: how many other pairs of lines what is missing leaves without an order, after check_finish. */
    uint32_t pair_count;
    struct check_pair pairs[CHECK_PAIRS]; /* the first ones */
    /* A note, not an error: races whose accesses cannot make a difference. */
    bool guess; /* of a plain read and a compare-and-swap; at the end of the launch: which verifies what was
                   read */
    bool same;  /* the value that is there already is written */
};

struct check_result {
    struct check_report reports[CHECK_REPORTS];
    uint32_t report_count;
    uint64_t unwatched; /* accesses for which the record of races had no room */
    bool widened;       /* the order of blocks was too long to record: races between blocks may be missed */
    uint64_t total[CHECK_KIND_COUNT];
};

/* No reports. Those that there are not are left as they were: they are 16 KB. */
static inline void check_begin(struct check_result *result)
{
    memset(&result->report_count, 0, sizeof *result - offsetof(struct check_result, report_count));
}

/* Adds a report with its count. If there is already one of this instruction, kind and calls, the report of the
 * lower block is kept. The result does not depend on the order of calls. */
void check_add(struct check_result *result, const struct check_report *report);
void check_merge(struct check_result *to, const struct check_result *from);
/* The launch has ended: decides which reports are notes, and joins those of the same two source lines and those of the
 * same missing barrier (simt/check/place.h). */
void check_finish(const struct program *program, struct check_result *result);
static inline bool check_is_note(const struct check_report *report)
{
    return report->guess || report->same;
}

/* Where a barrier, or whatever a race lacks, is missing (simt/check/place.h). */
#define CHECK_GAP_LINES 128
struct check_gap {
    uint64_t
        family; /* only gaps of one family can be the same: of a kernel, a kind, what is missing; 0: of none */
    uint64_t lines[CHECK_GAP_LINES]; /* those before which what is missing would order the accesses */
    uint32_t count;
    uint64_t steps; /* only barriers of a warp are missing: the barrier before, a number; else 0 */
};

/* What was reported in earlier launches: a report of the same lines, or of the same missing barrier, is only counted. */
#define CHECK_SEEN 100
struct check_seen {
    struct check_seen_row {
        uint64_t key, count, launches;
        bool note;
        struct check_gap gap;
        char text[1024];
    } rows[CHECK_SEEN];
    uint32_t count;
};
/* True: it is new. */
bool check_see(struct check_seen *seen, const struct program *program, const struct check_report *report);
/* "9 times in 3 launches: race in ..."; false: it was in one launch. */
bool check_seen_text(const struct check_seen_row *row, char *text, size_t size_bytes);
/* Returns whether a GPU would stop the kernel. */
bool check_stops(enum check_kind kind);

/* "out of bounds: thread (3,0,0) of block (1,0,0) reads 4 bytes at global 0x...: 12 bytes past ...
 * (kernel.cu:14, ld.global.f32 ...)". program NULL: of a race between two copies. */
void check_text(const struct program *program, const struct check_report *report, char *text,
                size_t size_bytes);

/* What the search for races left out in a launch; false: nothing. */
bool check_limits_text(const struct program *program, const struct check_result *result, char *text,
                       size_t size_bytes);

#endif
