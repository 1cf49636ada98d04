/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch that is executed one warp instruction at a time, for `lanescope debug`: before each instruction the
 * stepper sees whether to stop there, and tells its owner, who looks at the warp and its memory and returns when the
 * launch may continue. Positions count the executed warp instructions of all stepped launches from 0; one worker runs
 * them, so that a position is the same instruction in every run.
 *
 * The requester owns it (simt_options.stepper) and changes it only where it is stopped, on the thread that runs the
 * launch. A launch without a stepper pays one comparison for each path that is chosen.
 */
#ifndef SIMT_ENGINE_STEPPER_H
#define SIMT_ENGINE_STEPPER_H

#include "core/hardware/access.h"
#include "simt/check/check.h"
#include "simt/lanes/program.h"

struct grid_launch;
struct run;
struct warp;
struct worker;

#define STEPPER_NEVER UINT64_MAX

enum stepper_reason {
    STEPPER_BEGINS,   /* a launch begins: there is no warp yet */
    STEPPER_MARK,     /* position `mark` */
    STEPPER_POSITION, /* stop_at, where nothing else is met */
    STEPPER_WARP,     /* the chosen warp is about to execute an instruction */
    STEPPER_BREAK, /* so is any warp, at an instruction of `breaks`; or the chosen one, at one of `goals` */
    STEPPER_WRITE, /* an instruction is about to write the watched bytes, or the one before has changed them otherwise */
    STEPPER_REPORT, /* a check has reported the instruction before */
    STEPPER_ENDS    /* the launch has ended: there is no warp any more */
};

struct stepper {
    /* Says whether to step a launch; then begins one, or stops before an instruction. */
    bool (*wants)(void *owner, struct stepper *stepper, const struct program *program);
    void (*stopped)(void *owner, struct stepper *stepper, enum stepper_reason reason);
    void *owner;

    /* The owner's. */
    uint64_t mark, stop_at; /* positions */
    uint64_t block;         /* the chosen warp: its block's number in the order of execution, and its index */
    uint32_t warp;
    bool every;                    /* stop at each instruction of it */
    const uint8_t *breaks, *goals; /* per instruction of the program, 1: stop there; NULL: none */
    bool reports;
    enum ptx_space watch_space;                       /* PTX_GLOBAL, or PTX_SHARED of the block watch_block */
    uint64_t watch_address, watch_bytes, watch_block; /* bytes 0: nothing is watched; at most 16 */
    bool keeps; /* do not stop where these are met: keep the last such position in `kept` */

    /* The stepper's. */
    uint64_t launch;   /* number of the launch, from 1: all are counted */
    uint64_t begun;    /* position of its first instruction */
    uint64_t position; /* of the instruction that is about to be executed */
    uint64_t previous; /* of the chosen warp's last one, and its pc; STEPPER_NEVER: it is not known */
    uint32_t previous_pc;
    uint64_t kept;         /* STEPPER_NEVER: none; the owner sets that to begin anew */
    struct worker *worker; /* where it is stopped; BEGINS, ENDS: NULL */
    struct warp *at_warp;
    uint32_t path, pc;
    uint32_t on; /* the lanes that will execute it: after its guard */
    const struct program *program;
    const struct grid_launch *grid;
    const struct run *run;
    const struct check_report *report; /* REPORT; ENDS: why a GPU would have stopped the kernel, or NULL */
    uint64_t last;                     /* position of the last instruction of all, and its pc */
    uint32_t last_pc;
    uint64_t reported;
    uint8_t watched[16];        /* the bytes, before that instruction */
    bool watched_known, stored; /* stored: that instruction is a store to them */
};

void stepper_init(struct stepper *stepper);
void stepper_choose(struct stepper *stepper, uint64_t block, uint32_t warp);

/* ---- of the engine ---- */
/* NULL: the launch is not stepped. */
struct stepper *stepper_begin(struct stepper *stepper, struct run *run);
void stepper_end(struct stepper *stepper, const struct check_report *fault);
/* Before the instruction at pc of a path. */
void stepper_before(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc);

/* ---- looking, where it is stopped at an instruction ---- */
/* The lanes' addresses of a load, a store or an atomic, in `space`; of generic addresses those in the first lane's
 * space. False: it is none, or no lane executes it. */
bool stepper_access(const struct stepper *stepper, enum ptx_space *space, struct warp_access *access);
/* Memory: PTX_GLOBAL, PTX_SHARED of the block, PTX_LOCAL of a lane, PTX_CONST. Returns how many bytes there are, at
 * most size_bytes. */
size_t stepper_memory(const struct stepper *stepper, enum ptx_space space, uint32_t lane, uint64_t address,
                      uint8_t *bytes, size_t size_bytes);
/* A register of 1 (predicate), 2, 4, 8 or 16 bytes (its lower half) of a lane. */
uint64_t stepper_register(const struct stepper *stepper, uint32_t slot, uint32_t size_bytes, uint32_t lane);
/* What a lane of a warp of the block does, and the instruction that it is at. */
enum stepper_lane {
    STEPPER_RUNS,    /* on the path that is being executed */
    STEPPER_READY,   /* on another path, which will run later */
    STEPPER_MEETS,   /* waits where the lanes of its warp meet again */
    STEPPER_MEMBERS, /* waits for members of a shuffle, vote or barrier of the warp */
    STEPPER_BARRIER, /* waits at a barrier of the block */
    STEPPER_MBARRIER,
    STEPPER_CLUSTER,
    STEPPER_OVER, /* has ended */
    STEPPER_LANE_COUNT
};
const char *stepper_lane_text(enum stepper_lane lane);
void stepper_lanes(const struct stepper *stepper, uint32_t warp, enum stepper_lane lanes[WARP_LANES],
                   uint32_t pcs[WARP_LANES]);
uint32_t stepper_warps(const struct stepper *stepper); /* of a block */
/* The block's number in the order of execution, and its index in the grid; the warp's index in it. */
uint64_t stepper_block(const struct stepper *stepper, uint32_t index[3]);
uint32_t stepper_warp_index(const struct stepper *stepper);

#endif
