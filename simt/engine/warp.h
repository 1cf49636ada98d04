/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A warp of 32 lanes and the paths its lanes are on. Owned and run by one worker; it ends with its block.
 *
 * Lanes that diverge at a branch become paths of their own. Paths form a tree. A path whose lanes have
 * diverged is forked: it waits at the instruction where they meet again (the branch's immediate
 * post-dominator) until all paths made from it have arrived there or ended. A leaf of the tree can run. One
 * leaf runs at a time, normally the youngest, until it reaches the meeting point, ends, or waits: at a
 * barrier of the block, or at a shuffle, vote or other instruction with a member mask, for members on other
 * paths. Then another leaf runs. So lanes of one warp may wait for each other, as on a GPU since Volta. A
 * leaf that only polls memory also yields (warp_yield), and then lanes that wait for it at the meeting point
 * continue without it. This allows the owner of a spin lock to leave its loop. The same holds for waiting
 * lanes that are members of another path's instruction.
 *
 * A call is also a path: the caller's path is forked until all lanes have returned.
 */
#ifndef SIMT_ENGINE_WARP_H
#define SIMT_ENGINE_WARP_H

#include "simt/lanes/program.h"

#include <stdbool.h>
#include <stdint.h>

#define WARP_ALL_LANES UINT32_MAX
#define WARP_NO_PATH UINT32_MAX

enum warp_path_state {
    WARP_PATH_FREE, /* unused entry of the array */
    WARP_PATH_READY,
    WARP_PATH_FORKED,     /* has child paths */
    WARP_PATH_AT_MEMBERS, /* at an instruction whose members have not all arrived */
    WARP_PATH_AT_BARRIER,
    WARP_PATH_AT_MBARRIER, /* waits for a phase of an mbarrier; pc: of the test */
    WARP_PATH_AT_CLUSTER   /* at barrier.cluster.wait; pc: of it */
};

struct warp_path {
    uint32_t pc;   /* next instruction; if forked: the meeting point of the children, or the instruction after
                      the call */
    uint32_t mask; /* its lanes, including those of its children */
    uint32_t meet; /* where it ends and its lanes join the parent; PROGRAM_END: when its lanes end */
    uint32_t parent, children;
    uint32_t depth;   /* depth of calls */
    uint32_t barrier; /* its number; at an mbarrier or a cluster's barrier: the lanes that wait */
    enum warp_path_state state;
    uint32_t stack_bytes;     /* stack used by calls with a frame */
    struct warp_frame *frame; /* if forked: of the children's call; NULL: plain call, or none */
};

struct warp_undefined { /* simt/engine/warp_undefined.h */
    uint8_t *bits;      /* NULL until there is one */
    uint32_t *marks;    /* of the slot at 4 * i */
    uint32_t room, slots;
};

struct scalar_stretch;
struct warp_scalars {          /* simt/engine/scalars.h */
    struct scalar_stretch *at; /* the translation of what comes next, if all lanes come there; or NULL */
    const uint8_t *state;      /* of the slots, if some are not whole; else NULL */
    const uint8_t *seen;       /* before lanes parted, or NULL */
};

struct warp_copy; /* a pending cp.async, simt/engine/warp_memory.c */

struct warp {
    uint8_t *frame;
    uint8_t *local;         /* word j of lane l at 128 * j + 4 * l */
    uint8_t *local_written; /* one bit per byte of it, if checked */
    uint64_t local_address; /* address of its first byte for the caches */
    uint32_t index;         /* in the block */
    uint32_t alive;         /* lanes that have not ended */
    uint64_t executed;      /* its instructions, but for those since it runs; its clock */
    bool waits;             /* no path can run until something that a path waits for has happened */
    uint32_t polls;         /* polls of memory since the warp last changed memory or yielded */
    uint32_t polls_at_once; /* number of polls after which it yields */
    uint32_t yields;        /* number of yields since it last changed memory */
    uint64_t seen;          /* hash of its state when it last yielded, or began a turn of a loop that polls */
    struct warp_turn {      /* of a loop that polls: simt/engine/warp.c */
        uint32_t pc, path;  /* of the poll */
        uint32_t polls;     /* in the turn; before it: number at which another poll is chosen */
        uint64_t value;     /* hash of what the poll found */
        uint64_t changes;   /* of the block, when it began */
        uint64_t waited;    /* of the block, when this warp last yielded */
    } turn;
    bool still; /* it only waits: it yielded in the state in which it began a turn */
    bool apart; /* lanes continue without others that poll memory: the model's choice */
    struct warp_path *paths;
    uint32_t path_count, path_capacity;
    uint32_t next_path;              /* runs first */
    struct warp_undefined undefined; /* slots 0: no register depends on unwritten memory */
    struct warp_scalars scalars;
    struct warp_copy *copies;
    uint32_t copy_count, copy_capacity;
    uint32_t copy_group[32];              /* per lane: number of committed groups */
    uint32_t bulk_group[32];              /* the same of copies in bulk */
    uint32_t cluster_came, cluster_phase; /* lanes that arrived at the cluster's barrier, in this phase */
    uint32_t last_error[32];              /* per lane: cudaError of its last failed call of the runtime */
};

enum warp_stop {
    WARP_GOES_ON, /* does not stop */
    WARP_STEPS,   /* the path continues with the next instruction */
    WARP_ENDS,    /* no lane is alive */
    WARP_WAITS,   /* for other warps */
    WARP_POLLS,   /* yields: it polls memory */
    WARP_FAILS,   /* the worker's fault says why */
    WARP_CANCELS, /* the launch must end */
    WARP_NO_MEMORY
};

struct worker;

/* The value of a lane of a register, for who looks at a warp from outside: its slot has 1 byte (a predicate), 2, 4,
 * 8 or 16 (the lower half). The one place that knows how a frame keeps registers, but for what executes. */
static inline uint64_t warp_register(const struct warp *warp, uint32_t slot, uint32_t size_bytes,
                                     uint32_t lane)
{
    const uint8_t *at = warp->frame + slot;
    uint64_t value = 0;
    if (size_bytes == 1) {
        __builtin_memcpy(&value, at, sizeof(uint32_t));
        return value >> lane & 1;
    }
    size_t cell = size_bytes < 4 ? 4 : size_bytes;
    __builtin_memcpy(&value, at + lane * cell, size_bytes < 8 ? size_bytes : 8);
    return value;
}

/* Runs the warp until it stops. */
enum warp_stop warp_run(struct worker *worker, struct warp *warp);

/* ---- simt/engine/warp_path.c; false: out of memory ---- */
bool warp_start(struct warp *warp, uint32_t lanes);
void warp_fini(struct warp *warp);
/* Divides a path: the lanes `there` go to target, the others to after; they meet again at `meet`. */
bool warp_part(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after,
               uint32_t meet);
/* The lanes `there` of a path call the function at target and return to the instruction `after`. */
bool warp_call(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after);
/* Saves the caller's slots and passes the parameters; NULL: out of memory. */
struct warp_frame *warp_frame_enter(struct warp *warp, const struct program_call *call,
                                    const struct program_callable *callee, uint32_t stack_slot,
                                    uint32_t lanes);
/* Lanes of a path return from their function or end; warp_arrive: all its lanes have reached the meeting
 * point. */
void warp_return(struct warp *warp, uint32_t path, uint32_t lanes);
void warp_exit(struct warp *warp, uint32_t path, uint32_t lanes);
void warp_arrive(struct warp *warp, uint32_t path);
/* The path to run next, or WARP_NO_PATH. */
uint32_t warp_choose(struct warp *warp);
/* The path of the first of these lanes. */
uint32_t warp_leaf(const struct warp *warp, uint32_t lanes);
/* The lanes of a forked path that are on none of its children: they wait at the meeting point. */
uint32_t warp_waiting_lanes(const struct warp *warp, uint32_t forked);
/* These lanes continue without the children. */
bool warp_go_ahead(struct warp *warp, uint32_t forked);
/* A path only polls: another path runs next. alone: lanes that wait for this path at a meeting point continue
 * without it. */
bool warp_yield(struct warp *warp, uint32_t path, bool alone);
/* Joins two paths that are at the same instruction. */
void warp_join(struct warp *warp, uint32_t path, uint32_t other);

/* ---- simt/engine/warp_memory.c, simt/engine/warp_atomic.c: execute one instruction
 * for the lanes `on`; false: the worker's fault says why ---- */
bool warp_load(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_store(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_prefetch(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_texture(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on); /* warp_texture.c */
bool warp_surface(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
enum warp_stop warp_runtime(struct worker *worker, struct warp *warp, uint32_t pc,
                            uint32_t on); /* warp_runtime.c */
void warp_multiply(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_matrix(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on); /* warp_memory.c */
bool warp_atomic(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
enum warp_stop warp_copy_start(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
void warp_copy_commit(struct warp *warp, uint32_t on);
/* Completes all but the last `open` committed groups of each lane. */
void warp_copy_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open);

/* Lanes of a path that wait at an mbarrier or a cluster's barrier continue if what they wait for has
 * happened, or all lanes at mbarriers if their time is over (`expire`). False: the worker's fault says why.
 */
bool warp_wake(struct worker *worker, struct warp *warp, bool expire, bool *woken);

/* ---- simt/engine/warp_members.c: shuffles, votes, matches, reductions, barriers of a warp ---- */
/* The group of the first lane of `on`: the lanes of `on` that name the same members. */
uint32_t warp_same_members(const struct warp *warp, const struct program_instruction *instruction,
                           uint32_t on);
/* The lanes that must execute the instruction together with a group. */
uint32_t warp_members(const struct warp *warp, const struct program_instruction *instruction, uint32_t group);
/* A vote whose mask leaves out a lane that executes it is an illegal instruction on an H100 (2026-11); false:
 * the worker's fault says so. */
bool warp_votes_inside(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t group);
/* Executes the instruction for a group whose members are all on one path. */
void warp_execute_members(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t group,
                          uint32_t here); /* here: all lanes at the instruction, including other groups */
/* Executes instructions whose members have all arrived on several paths; true: a path can run again. */
bool warp_meet_members(struct worker *worker, struct warp *warp);
/* The lanes of a path that are not in the mask of members which they name, *named. */
uint32_t warp_members_outside(const struct worker *worker, const struct warp *warp,
                              const struct warp_path *path, uint32_t *named);
/* The members that a path waits for, wherever they are. */
uint32_t warp_members_missing(const struct worker *worker, const struct warp *warp, uint32_t path);
/* A forked path that has such members among its waiting lanes; WARP_NO_PATH: there is none. */
uint32_t warp_waited_for(const struct worker *worker, const struct warp *warp);

#endif
