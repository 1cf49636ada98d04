/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that are the same in all lanes of a warp, or begin somewhere and grow by one step from lane to
 * lane, computed once instead of 32 times.
 *
 * While a warp has all its lanes on one path, its instructions are translated, a stretch at a time, into steps
 * of a smaller interpreter (simt/engine/scalars_run.c), for the state that the registers are in: which slots
 * of the frame hold one value (SCALAR_SAME), a first value and a step (SCALAR_ROW), or 32 values. A slot in
 * one of the first two states has only its first two lanes written: value and value, or value and value + step.
 * What needs the others writes them first (a step of the translation), after which the slot also is
 * SCALAR_WHOLE. A stretch of instructions has a translation for each state in which a warp came there, so no
 * merge has to be foreseen; a branch at which lanes part, and whatever else is not in the list of
 * simt/engine/scalars.c, is executed as ever, with whole registers. Where lanes come together again the
 * registers that were scalar before are looked at: those that still are stay so.
 *
 * Nothing else knows of it: memory, counts and times are the same with and without it, bit by bit.
 *
 * Owned by a worker, for one launch; made when the launch has run long enough to be worth it.
 */
#ifndef SIMT_ENGINE_SCALARS_H
#define SIMT_ENGINE_SCALARS_H

#include "simt/count/cache_set.h"
#include "simt/count/count.h"
#include "simt/engine/warp.h"
#include "simt/memory/memory.h"

struct worker;

/* Warp instructions of a worker after which a launch is worth a translation. */
#define SCALARS_AFTER 16384

/* The state of a slot, one byte for each 64 bytes of the frame. */
enum {
    SCALAR_SAME = 1,  /* all lanes have one value */
    SCALAR_ROW = 2,   /* lane l has the first lane's value and l steps */
    SCALAR_KIND = 3,  /* neither: 32 values */
    SCALAR_WHOLE = 4, /* all lanes are in the frame, not only the first two */
    SCALAR_WIDE = 8   /* of 64 bits */
};

/* clang-format off */ /* on the first two lanes: one name for each function over 32 lanes that has one */
#define SCALAR_PAIR_LIST(X) \
    X(ADD_32, "add.u32") X(ADD_64, "add.u64") X(SUB_32, "sub.u32") X(SUB_64, "sub.u64") \
    X(MUL_32, "mul.lo.u32") X(MUL_64, "mul.lo.u64") X(MAD_32, "mad.lo.u32") X(MAD_64, "mad.lo.u64") \
    X(SHL_32, "shl.b32") X(SHL_64, "shl.b64") X(MOV_32, "mov.b32") X(MOV_64, "mov.b64") X(CVTA, "cvta.global.u64") \
    X(LOW_32, "cvt.u32.u64") X(WIDEN_U32, "cvt.u64.u32") X(WIDEN_S32, "cvt.s64.s32") \
    X(WIDE_U32, "mul.wide.u32") X(WIDE_S32, "mul.wide.s32") X(WIDE_ADD_U32, "mad.wide.u32") X(WIDE_ADD_S32, "mad.wide.s32") \
    X(AND_32, "and.b32") X(OR_32, "or.b32") X(XOR_32, "xor.b32") X(NOT_32, "not.b32") X(SHR_U32, "shr.u32") X(SHR_S32, "shr.s32") \
    X(AND_64, "and.b64") X(OR_64, "or.b64") X(SHR_U64, "shr.u64") X(SHR_S64, "shr.s64") \
    X(ADD_F32, "add.f32") X(SUB_F32, "sub.f32") X(MUL_F32, "mul.f32") X(FMA_F32, "fma.rn.f32") /* all lanes */ \
    X(MIN_U32, "min.u32") X(MIN_S32, "min.s32") X(MAX_U32, "max.u32") X(MAX_S32, "max.s32") \
    X(IS_EQUAL_32, "setp.eq.s32") X(IS_LESS_U32, "setp.lt.u32") X(IS_LESS_S32, "setp.lt.s32") \
    X(IS_EQUAL_64, "setp.eq.s64") X(IS_LESS_U64, "setp.lt.u64") X(IS_LESS_S64, "setp.lt.s64")
/* clang-format on */

/* clang-format off */
#define SCALAR_STEP_LIST(X) \
    X(FILL_SAME_32) X(FILL_SAME_64) X(FILL_ROW_32) X(FILL_ROW_64) /* `to` becomes whole */ \
    /* Of a row that must not wrap at 32 bits in a lane; if it does, the instruction is executed with whole registers. */ \
    X(ROW_WIDEN_U32) X(ROW_WIDEN_S32) X(ROW_WIDE_U32) X(ROW_WIDE_S32) X(ROW_WIDE_ADD_U32) X(ROW_WIDE_ADD_S32) \
    /* Of rows, in the order of those above: one answer if no lane wraps and the first and the last lane agree, else all lanes. */ \
    X(ROW_IS_EQUAL_32) X(ROW_IS_LESS_U32) X(ROW_IS_LESS_S32) X(ROW_IS_EQUAL_64) X(ROW_IS_LESS_U64) X(ROW_IS_LESS_S64) \
    X(LANES) /* the function of the instruction, all lanes */ \
    X(LANES_SOME) /* with a guard */ \
    /* Floats of all lanes; letters: which source is one value. */ \
    X(ADD_F32_A) X(SUB_F32_A) X(SUB_F32_B) X(MUL_F32_A) X(FMA_F32_A) X(FMA_F32_C) X(FMA_F32_AC) \
    /* The usual form of an access at `a` (or PROGRAM_NO_SLOT) + offset: one place, perhaps a row, a row stored; of so many bits. */ \
    X(LOAD_SAME_32) X(LOAD_SAME_64) X(LOAD_SAME_ANY) X(LOAD_ROW_32) X(LOAD_ROW_64) X(STORE_ROW_32) X(STORE_ROW_64) \
    X(ACCESS_STEPS) /* of any width, from lane to lane a step further */ \
    X(ACCESS) /* any other; its address is whole */ \
    X(BRANCH) X(JUMP) /* the last step, like those below */ \
    X(ON) /* goes on at `next`, before whose first instruction slots were made whole */ \
    X(LEAVE) /* the instruction at `end` is none of these; no `instruction`: lanes end there */
/* clang-format on */

#define SCALAR_PAIR_ENUM(id, form) SCALAR_##id,
#define SCALAR_STEP_ENUM(id) SCALAR_##id,
enum scalar_op { SCALAR_PAIR_LIST(SCALAR_PAIR_ENUM) SCALAR_STEP_LIST(SCALAR_STEP_ENUM) SCALAR_OP_COUNT };
#undef SCALAR_PAIR_ENUM
#undef SCALAR_STEP_ENUM
#define SCALAR_PAIR_COUNT ((uint32_t)SCALAR_FILL_SAME_32)

/* How an access is counted: not; by its layout alone; by its layout and, if it is of one line, which L1 looks up, by
 * that line; in any other way. */
enum scalar_counts {
    SCALAR_UNCOUNTED,
    SCALAR_COUNTS_LAYOUT,
    SCALAR_COUNTS_LOAD,
    SCALAR_COUNTS_STORE,
    SCALAR_COUNTS_ANY
};

/* What an access of a step has beside it, since most steps are none and a loop of them should fit into the host's L1. */
struct scalar_access {
    const struct memory_range *const *range;
    uint64_t told[COUNT_LAYOUTS]; /* accesses, by layout, that are counted when the launch ends */
    struct cache_seen seen;
    uint64_t wanted_below[COUNT_LAYOUTS]; /* the blocks whose accesses may be the costliest one, by layout */
};

struct scalar_step {
    const void *place;    /* of its code in scalars_run.c */
    uint32_t to, a, b, c; /* slots */
    uint32_t pc;          /* of its instruction */
    uint8_t op;
    union {
        bool narrow; /* of an access: the address has 32 bits */
        bool row;    /* of a comparison of a row: it is `a`, not `b` */
    };
    uint8_t counts; /* of one of the usual form: enum scalar_counts */
    bool allocates; /* of a load: L1 keeps what it loads */
    const struct program_instruction *instruction;
    int64_t offset;
    union {
        struct scalar_access *access; /* of an access */
        const uint8_t *state;         /* of the slots before it, where it may leave */
    };
};

/* A stretch of instructions, translated for a state. */
struct scalar_stretch {
    const struct scalars *owner;
    uint32_t first, end; /* instructions: end is after the branch, or that of LEAVE */
    uint64_t runs;       /* to its end; counted when the launch ends */
    uint64_t passed;     /* times that the branch was taken by no lane */
    struct scalar_step *steps;
    struct scalar_access *accesses;
    uint32_t step_count;
    const uint8_t *begins, *ends;        /* state; after LEAVE: when the instruction has been executed */
    struct scalar_stretch *taken, *next; /* where it goes on; NULL: not known yet */
    struct scalar_stretch *bucket, *all;
};

struct scalars;

/* The worker's, or NULL: this launch cannot use it, or there is no memory for it. */
struct scalars *scalars_create(const struct worker *worker);
void scalars_destroy(struct scalars *scalars);
/* Adds what was counted by stretches to the worker's counter. */
void scalars_settle(struct worker *worker);

/* The translation for a warp whose lanes are all at pc, or NULL: go on with whole registers, which they are. */
struct scalar_stretch *scalars_enter(struct worker *worker, struct warp *warp, uint32_t pc);
/* The translation at pc after `stretch`; NULL: there is none. */
struct scalar_stretch *scalars_follow(struct worker *worker, const struct scalar_stretch *stretch,
                                      uint32_t pc);
/* Makes all slots of a warp whole that the state says are not, and keeps it to be looked at when the lanes
 * are together again. NULL: as the warp says. */
void scalars_part(const struct worker *worker, struct warp *warp, const uint8_t *state);
void scalars_forget(struct warp *warp); /* the frame has begun anew */

/* Runs a warp from a stretch on, to an instruction that it does not know: *pc. warp->scalars says in which
 * state. */
enum scalar_stop {
    SCALAR_STOPS, /* at *pc, which is to be executed */
    SCALAR_LOOKS, /* at *pc: it is time to look whether the launch must end */
    SCALAR_FAILS  /* the worker's fault says why */
};
/* Without a stretch: *places are those of the code, by operation. */
struct scalar_slot {
    uint32_t at;
    uint8_t state;
};
struct scalar_build { /* simt/engine/scalars_run.c, for a vector width */
    enum scalar_stop (*run)(struct worker *worker, struct warp *warp, struct scalar_stretch *stretch,
                            uint32_t *pc, const void *const **places);
    void (*fill)(uint8_t *frame, const struct scalar_slot *slots, uint32_t count); /* makes them whole */
    /* One bit for each of at most 64 whole slots: it is what its state says. */
    uint64_t (*look)(const uint8_t *frame, const struct scalar_slot *slots, uint32_t count);
};
const struct scalar_build *scalar_build_choose(void);

#endif
