/*
 * A warp of 32 lanes and the paths its lanes are on. Owned and run by one worker; it ends with its block.
 *
 * Lanes that part at a branch become paths of their own. Paths are a tree: a path whose lanes parted waits,
 * forked, at the instruction where they meet again (the branch's immediate post-dominator), until all the
 * paths made of it have come there or ended; a leaf can run. One leaf runs at a time, normally the youngest,
 * until it has come to where it meets the others, has ended, or waits: at a barrier of the block, or at a
 * shuffle, vote or other instruction with a member mask for members that are on other paths. Then another
 * leaf runs. So lanes of one warp may wait for each other as they may on a GPU since Volta; a leaf that only
 * polls memory gives way too (warp_yield), and then lanes that wait for it at their meeting point go on
 * without it, which is what lets a spin lock's owner leave its loop. So do members that others wait for.
 *
 * A call is a path as well: the caller's is forked until all lanes have returned.
 */
#ifndef SIMT_ENGINE_WARP_H
#define SIMT_ENGINE_WARP_H

#include "simt/lanes/program.h"

#include <stdbool.h>
#include <stdint.h>

#define WARP_ALL_LANES UINT32_MAX
#define WARP_NO_PATH UINT32_MAX

enum warp_path_state {
    WARP_PATH_FREE, /* this place of the array holds none */
    WARP_PATH_READY,
    WARP_PATH_FORKED,     /* has children */
    WARP_PATH_AT_MEMBERS, /* at an instruction whose members have not all come */
    WARP_PATH_AT_BARRIER
};

struct warp_path {
    uint32_t pc;   /* next instruction; of a forked one: where the children meet, or behind the call */
    uint32_t mask; /* its lanes, those of its children included */
    uint32_t meet; /* where it ends, and its lanes go on as its parent's; PROGRAM_END: with its lanes */
    uint32_t parent, children;
    uint32_t depth; /* of calls */
    uint32_t barrier;
    enum warp_path_state state;
    uint32_t stack_bytes;     /* that calls with a frame have taken */
    struct warp_frame *frame; /* of a forked one: of the call its children are in; NULL: they are in a plain
                                 call or in none */
};

struct warp_copy; /* a cp.async under way, simt/engine/warp_copy.c */

struct warp {
    uint8_t *frame;
    uint8_t *local;         /* word j of lane l at 128 * j + 4 * l */
    uint8_t *local_written; /* a bit per byte of it, when checked */
    uint64_t local_address; /* what the caches take for its first byte's */
    uint32_t index;         /* in the block */
    uint32_t alive;         /* lanes that have not ended */
    bool waits;             /* no path can run until a barrier opens */
    uint32_t polls;         /* looks at memory since the warp last changed any, or gave way */
    uint32_t polls_at_once; /* so many looks, after which it gives way */
    uint32_t yields;        /* times it gave way since it last changed any */
    uint64_t seen;          /* digest of its registers when it last gave way */
    struct warp_path *paths;
    uint32_t path_count, path_capacity;
    uint32_t next_path; /* to be run first */
    struct warp_copy *copies;
    uint32_t copy_count, copy_capacity;
    uint32_t copy_group[32]; /* per lane: groups committed */
    uint32_t last_error[32]; /* per lane: cudaError of its last call of the runtime that failed */
};

enum warp_stop {
    WARP_GOES_ON, /* it does not stop */
    WARP_ENDS,    /* no lane is alive */
    WARP_WAITS,   /* for others */
    WARP_POLLS,   /* gives way: it looks at memory again and again */
    WARP_FAILS,   /* the worker's fault says why */
    WARP_CANCELS, /* the launch is to end */
    WARP_NO_MEMORY
};

struct worker;

/* Runs it until it stops. */
enum warp_stop warp_run(struct worker *worker, struct warp *warp);

/* ---- simt/engine/warp_path.c; false: out of memory ---- */
bool warp_start(struct warp *warp, uint32_t lanes);
void warp_fini(struct warp *warp);
/* Of path's lanes those of `there` go to target, the others to after; they meet at `meet`. */
bool warp_part(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after,
               uint32_t meet);
/* Lanes `there` of path go through a function at target and come back to the instruction `after`. */
bool warp_call(struct warp *warp, uint32_t path, uint32_t there, uint32_t target, uint32_t after);
/* simt/engine/warp_call.c: calls with a frame (struct program_call). The lanes `on` call; lanes that call
 * other functions than the first become paths of their own and call in their turn. */
enum warp_stop warp_call_framed(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                uint32_t on);
/* simt/engine/warp_frame.c. Saves what the caller has, and passes the parameters; NULL: no memory. */
struct warp_frame *warp_frame_enter(struct warp *warp, const struct program_call *call,
                                    const struct program_callable *callee, uint32_t stack_slot,
                                    uint32_t lanes);
/* Lanes come back from the call: their results and what was saved of them. */
void warp_frame_leave(struct warp *warp, const struct warp_frame *frame, uint32_t lanes);
/* Lanes of path return from its function, end, or (all of them) have come to where it meets the others. */
void warp_return(struct warp *warp, uint32_t path, uint32_t lanes);
void warp_exit(struct warp *warp, uint32_t path, uint32_t lanes);
void warp_arrive(struct warp *warp, uint32_t path);
/* The path to run, or WARP_NO_PATH. */
uint32_t warp_choose(struct warp *warp);
/* The path that the first of lanes is on. */
uint32_t warp_leaf(const struct warp *warp, uint32_t lanes);
/* The lanes of a forked path that are on none of its children: they wait where the children meet. */
uint32_t warp_waiting_lanes(const struct warp *warp, uint32_t forked);
/* These go on without the children. */
bool warp_go_ahead(struct warp *warp, uint32_t forked);
/* A path only polls: another one's turn. alone: lanes that wait for it at a meeting point go on without it.
 */
bool warp_yield(struct warp *warp, uint32_t path, bool alone);
/* Makes one of two paths that would run on in step. */
void warp_join(struct warp *warp, uint32_t path, uint32_t other);

/* ---- simt/engine/warp_memory.c, simt/engine/warp_atomic.c, simt/engine/warp_copy.c: one instruction for the
 * lanes `on`; false: the worker's fault says why ---- */
bool warp_load(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_store(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_prefetch(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
bool warp_texture(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on); /* warp_texture.c */
bool warp_surface(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
enum warp_stop warp_runtime(struct worker *worker, struct warp *warp, uint32_t pc,
                            uint32_t on); /* warp_runtime.c */
bool warp_atomic(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
enum warp_stop warp_copy_start(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on);
void warp_copy_commit(struct warp *warp, uint32_t on);
/* The data of all but the last `open` committed groups of each lane arrive. */
void warp_copy_wait(struct worker *worker, struct warp *warp, uint32_t on, uint32_t open);

/* ---- simt/engine/warp_members.c: shuffles, votes, matches, reductions, barriers of a warp ---- */
/* Lanes of `on` that name the same members as its first: a group. */
uint32_t warp_same_members(const struct warp *warp, const struct program_instruction *instruction,
                           uint32_t on);
/* The lanes that a group must execute the instruction with. */
uint32_t warp_members(const struct warp *warp, const struct program_instruction *instruction, uint32_t group);
/* All are there, on one path. */
void warp_execute_members(
    struct worker *worker, struct warp *warp, uint32_t pc, uint32_t group,
    uint32_t here); /* here: all lanes that stand at the instruction, other groups too */
/* Executes what paths wait for and can now be; true: some path can run again. */
bool warp_meet_members(struct worker *worker, struct warp *warp);
/* Members that the path waits for, at whatever place they are. */
uint32_t warp_members_missing(const struct worker *worker, const struct warp *warp, uint32_t path);
/* A forked path of whose waiting lanes some are missing so; WARP_NO_PATH: none. */
uint32_t warp_waited_for(const struct worker *worker, const struct warp *warp);

#endif
