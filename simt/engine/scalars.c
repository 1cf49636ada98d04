/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation of stretches of instructions for a state of the slots (simt/engine/scalars.h). States are
 * kept once each, so that two are equal if their addresses are; stretches are found by first instruction and
 * state. All of it lies in an arena until the launch ends.
 */
#include "simt/engine/scalars.h"

#include "simt/engine/warp_memory.h"
#include "simt/engine/worker.h"
#include "simt/lanes/lanes.h"
#include "simt/ptx/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u
#define BUCKETS 1024
#define STATES_MOST 4096 /* of a launch: after that warps go on with whole registers */
#define VERSIONS_MOST 12 /* of the stretches that begin at one instruction; the next one is for whole slots */
#define STEPS_MOST 4096  /* of a stretch: instructions, and what they need made whole */
#define LOOK_MOST 64     /* slots that are looked at where lanes come together */
#define MEETINGS 256

struct known { /* a function over 32 lanes, and what it is on two */
    lane_function *function;
    enum scalar_op op;
};

struct state {
    struct state *bucket;
    const struct scalar_slot *fills,
        *looks; /* slots that are not whole; that may not be so after a meeting */
    uint32_t fill_count, look_count;
    uint8_t slots[];
};

struct meeting { /* of lanes that parted: where they go on if so many of the slots are as before */
    const uint8_t *seen;
    uint64_t held;
    uint32_t pc;
    struct scalar_stretch *at;
};

struct scalars {
    const struct program *program;
    struct arena arena;
    uint32_t lines;
    uint8_t *bytes;               /* of the slot at each line: 4, 8; 0: predicates, and all others */
    uint8_t *versions;            /* by instruction */
    uint8_t *work;                /* a state being made */
    struct scalar_stretch *start; /* at the first instruction, in that state */
    const uint8_t *plain;         /* of what is never written: constants, special registers */
    struct state *states[BUCKETS];
    struct meeting meetings[MEETINGS];
    struct scalar_stretch *stretches[BUCKETS], *all;
    uint32_t state_count;
    bool mixes;                /* a function over lanes may read other lanes: those of matrices */
    const void *const *places; /* of the code of each operation */
    const struct memory_range *shared, *constants, *parameters;
    struct scalar_step *steps; /* of the stretch being made */
    uint32_t step_count;
    struct scalar_access *accesses; /* and its accesses */
    uint32_t access_count;
};

/* ---- what can be done ---- */
static int known_order(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct known *)a)->function,
                    y = (uintptr_t)((const struct known *)b)->function;
    return x < y ? -1 : x > y;
}

static struct known functions[SCALAR_PAIR_COUNT]; /* filled once, for this processor */
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

static void known_fill(void)
{
#define FORM(id, text) text,
    static const char *const forms[] = {SCALAR_PAIR_LIST(FORM)};
#undef FORM
    for (uint32_t i = 0; i < SCALAR_PAIR_COUNT; i++) {
        struct lanes_form form = {0};
        functions[i] = (struct known){lanes_find(forms[i], &form) ? form.function : NULL, (enum scalar_op)i};
    }
    qsort(functions, SCALAR_PAIR_COUNT, sizeof *functions, known_order);
}

static bool known_find(lane_function *function, enum scalar_op *op)
{
    const struct known key = {.function = function},
                       *found = bsearch(&key, functions, SCALAR_PAIR_COUNT, sizeof key, known_order);
    if (!found)
        return false;
    *op = found->op;
    return true;
}

/* Calls copy and save slots, and so do some rare instructions. */
static bool program_is_fit(const struct program *program)
{
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        switch ((enum program_op)at->op) {
        case PROGRAM_CALL:
        case PROGRAM_RUNTIME:
        case PROGRAM_SURFACE: return false;
        case PROGRAM_LD:
        case PROGRAM_ST:
            if (at->space == PTX_PARAM && at->immediate != PROGRAM_NO_SLOT)
                return false;
            break;
        default: break;
        }
    }
    return program->callable_count == 0 && !program->recursive;
}

/* ---- states ---- */
static uint32_t hash_bytes(const uint8_t *bytes, uint32_t count)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static const struct state *state_of(const uint8_t *slots)
{
    return (const struct state *)(const void *)(slots - offsetof(struct state, slots));
}

/* The lists of a new state. False: no memory. */
static bool state_list(struct scalars *scalars, struct state *state)
{
    const uint32_t lines = scalars->lines;
    struct scalar_slot *fills = arena_alloc(&scalars->arena, lines + 1, sizeof *fills),
                       *looks = arena_alloc(&scalars->arena, lines + 1, sizeof *looks);
    if (!fills || !looks)
        return false;
    for (uint32_t line = 0; line < lines; line++) {
        const uint8_t at = state->slots[line];
        const struct scalar_slot slot = {line * LINE, at};
        if (!(at & SCALAR_KIND))
            continue;
        if (!(at & SCALAR_WHOLE))
            fills[state->fill_count++] = slot;
        if (scalars->plain && !scalars->plain[line] && state->look_count < LOOK_MOST)
            looks[state->look_count++] = slot;
    }
    state->fills = fills;
    state->looks = looks;
    return true;
}

static const uint8_t *state_keep(struct scalars *scalars, const uint8_t *slots)
{
    struct state **bucket = &scalars->states[hash_bytes(slots, scalars->lines) % BUCKETS];
    for (struct state *at = *bucket; at; at = at->bucket)
        if (memcmp(at->slots, slots, scalars->lines) == 0)
            return at->slots;
    if (scalars->state_count++ >= STATES_MOST)
        return NULL;
    struct state *made = arena_alloc(&scalars->arena, 1, sizeof *made + scalars->lines);
    if (!made)
        return NULL;
    memcpy(made->slots, slots, scalars->lines);
    if (!state_list(scalars, made))
        return NULL;
    made->bucket = *bucket;
    *bucket = made;
    return made->slots;
}

static void names_sizes(struct scalars *scalars)
{
    const struct program *program = scalars->program;
    const uint32_t words = (program->names ? program->name_bytes : program->frame_bytes) / 4 + 1;
    uint8_t *sizes = calloc(words, 1);
    if (!sizes)
        return;
    for (uint32_t i = 0; i < program->slot_count; i++)
        if (program->slots[i].slot / 4 < words && program->slots[i].size_bytes <= 8)
            sizes[program->slots[i].slot / 4] = (uint8_t)program->slots[i].size_bytes;
#define NOTE(name, slot)                                                                   \
    if ((slot) != PROGRAM_NO_SLOT && (slot) / LINE < scalars->lines && (name) / 4 < words) \
    scalars->bytes[(slot) / LINE] = sizes[(name) / 4]
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        const struct program_names names = program_names_at(program, i);
        for (uint32_t k = 0; k < PROGRAM_VECTOR; k++)
            NOTE(names.destination[k], at->destination[k]);
        for (uint32_t k = 0; k < PROGRAM_SOURCES; k++)
            NOTE(names.source[k], at->source[k]);
    }
#undef NOTE
    free(sizes);
}

/* The state of a special register in all warps of the launch. */
static uint8_t special_state(const struct run *run, enum program_special special)
{
    if (special == SPECIAL_LANEID)
        return SCALAR_ROW | SCALAR_WHOLE;
    if (special >= SPECIAL_LANEMASK_EQ && special <= SPECIAL_LANEMASK_GT)
        return 0;
    if (special > SPECIAL_TID_Z)
        return SCALAR_SAME | SCALAR_WHOLE;
    uint8_t state = SCALAR_SAME | SCALAR_WHOLE;
    for (uint32_t warp = 0; warp < run->warps; warp++) {
        const uint32_t *lanes = &run->thread_indices[(warp * 3 + (special - SPECIAL_TID_X)) * WARP_LANES];
        for (uint32_t lane = 1; lane < WARP_LANES; lane++) {
            if (lanes[lane] != lanes[0] && state & SCALAR_SAME)
                state = SCALAR_ROW | SCALAR_WHOLE;
            if (state & SCALAR_ROW && lanes[lane] - lanes[0] != lane * (lanes[1] - lanes[0]))
                return 0;
        }
    }
    return state;
}

static void plain_fill(struct scalars *scalars, const struct run *run)
{
    const struct program *program = scalars->program;
    for (uint32_t i = 0; i < program->constant_count; i++) {
        const uint32_t line = program->constants[i].slot / LINE;
        if (scalars->bytes[line])
            scalars->work[line] = SCALAR_SAME | SCALAR_WHOLE | (scalars->bytes[line] == 8 ? SCALAR_WIDE : 0);
    }
    for (uint32_t i = 0; i < program->special_count; i++) {
        const uint32_t line = program->specials[i].slot / LINE;
        if (scalars->bytes[line] == 4)
            scalars->work[line] = special_state(run, program->specials[i].special);
    }
}

/* ---- a stretch ---- */
static bool step_is_access(const struct scalar_step *step)
{
    return step->op >= SCALAR_LOAD_SAME_32 && step->op <= SCALAR_ACCESS;
}

static uint32_t kind_of(const struct scalars *scalars, uint32_t slot)
{
    return slot == PROGRAM_NO_SLOT || !scalars->bytes[slot / LINE] ? 0
                                                                   : scalars->work[slot / LINE] & SCALAR_KIND;
}

static void slot_becomes(struct scalars *scalars, uint32_t slot, uint32_t state)
{
    if (slot == PROGRAM_NO_SLOT || !scalars->bytes[slot / LINE])
        return;
    scalars->work[slot / LINE] =
        (uint8_t)(state ? state | (scalars->bytes[slot / LINE] == 8 ? SCALAR_WIDE : 0) : 0);
}

static struct scalar_step *step_add(struct scalars *scalars, enum scalar_op op, uint32_t pc)
{
    struct scalar_step *step = &scalars->steps[scalars->step_count++];
    *step = (struct scalar_step){.place = scalars->places[op],
                                 .op = (uint8_t)op,
                                 .pc = pc,
                                 .to = PROGRAM_NO_SLOT,
                                 .a = PROGRAM_NO_SLOT,
                                 .b = PROGRAM_NO_SLOT,
                                 .c = PROGRAM_NO_SLOT};
    return step;
}

static enum scalar_op fill_of(uint8_t state)
{
    if (state & SCALAR_WIDE)
        return state & SCALAR_SAME ? SCALAR_FILL_SAME_64 : SCALAR_FILL_ROW_64;
    return state & SCALAR_SAME ? SCALAR_FILL_SAME_32 : SCALAR_FILL_ROW_32;
}

static void line_fill(struct scalars *scalars, uint32_t line, uint32_t pc)
{
    uint8_t *state = &scalars->work[line];
    if (!(*state & SCALAR_KIND) || *state & SCALAR_WHOLE)
        return;
    step_add(scalars, fill_of(*state), pc)->to = line * LINE;
    *state |= SCALAR_WHOLE;
}

/* What an instruction reads, or writes in part, must be whole. */
static void slot_fill(struct scalars *scalars, uint32_t slot, uint32_t pc)
{
    if (slot != PROGRAM_NO_SLOT && scalars->bytes[slot / LINE])
        line_fill(scalars, slot / LINE, pc);
}

static void slots_fill(struct scalars *scalars, uint32_t pc)
{
    for (uint32_t line = 0; line < scalars->lines; line++)
        line_fill(scalars, line, pc);
}

static void sources_fill(struct scalars *scalars, const struct program_instruction *at, uint32_t pc)
{
    for (uint32_t k = 0; k < PROGRAM_SOURCES; k++)
        slot_fill(scalars, at->source[k], pc);
}

static void guarded_fill(struct scalars *scalars, const struct program_instruction *at, uint32_t pc)
{
    for (uint32_t k = 0; k < PROGRAM_VECTOR && at->guard != PROGRAM_NO_SLOT; k++)
        slot_fill(scalars, at->destination[k], pc);
}

static void destinations_become(struct scalars *scalars, const struct program_instruction *at, uint32_t state)
{
    for (uint32_t k = 0; k < PROGRAM_VECTOR; k++)
        slot_becomes(scalars, at->destination[k], state);
}

/* The state of the result of a function on two lanes; 0: it is not known. *widens: source 0 must not wrap. */
static uint32_t pair_result(struct scalars *scalars, const struct program_instruction *at, enum scalar_op op,
                            bool *widens)
{
    const uint32_t a = kind_of(scalars, at->source[0]), b = kind_of(scalars, at->source[1]),
                   c = kind_of(scalars, at->source[2]);
    const bool ab = (a == SCALAR_SAME && b) || (a && b == SCALAR_SAME);
    *widens = false;
    switch (op) {
    case SCALAR_MOV_32:
    case SCALAR_MOV_64:
    case SCALAR_CVTA:
    case SCALAR_LOW_32: return a;
    case SCALAR_ADD_32:
    case SCALAR_ADD_64:
    case SCALAR_SUB_32:
    case SCALAR_SUB_64: return a && b ? (a > b ? a : b) : 0;
    case SCALAR_MUL_32:
    case SCALAR_MUL_64: return ab ? (a > b ? a : b) : 0;
    case SCALAR_MAD_32:
    case SCALAR_MAD_64: return ab && c ? (a > b ? a : b) > c ? (a > b ? a : b) : c : 0;
    case SCALAR_SHL_32:
    case SCALAR_SHL_64: return b == SCALAR_SAME ? a : 0;
    case SCALAR_WIDEN_U32:
    case SCALAR_WIDEN_S32: *widens = a == SCALAR_ROW; return a;
    case SCALAR_WIDE_U32:
    case SCALAR_WIDE_S32: *widens = a == SCALAR_ROW; return b == SCALAR_SAME ? a : 0;
    case SCALAR_WIDE_ADD_U32:
    case SCALAR_WIDE_ADD_S32:
        *widens = a == SCALAR_ROW;
        return b == SCALAR_SAME && a && c ? (a > c ? a : c) : 0;
    case SCALAR_ADD_F32:
    case SCALAR_SUB_F32:
    case SCALAR_MUL_F32:
    case SCALAR_FMA_F32: return 0; /* of all lanes */
    case SCALAR_NOT_32: return a == SCALAR_SAME ? a : 0;
    case SCALAR_IS_EQUAL_32:
    case SCALAR_IS_LESS_U32:
    case SCALAR_IS_LESS_S32:
    case SCALAR_IS_EQUAL_64:
    case SCALAR_IS_LESS_U64:
    case SCALAR_IS_LESS_S64: return ab ? (a > b ? a : b) : 0;
    default: return a == SCALAR_SAME && b == SCALAR_SAME ? SCALAR_SAME : 0;
    }
}

static bool is_comparison(enum scalar_op op)
{
    return op >= SCALAR_IS_EQUAL_32 && op <= SCALAR_IS_LESS_S64;
}

static bool all_same(struct scalars *scalars, const struct program_instruction *at)
{
    bool any = false;
    for (uint32_t k = 0; k < PROGRAM_SOURCES; k++) {
        if (at->source[k] == PROGRAM_NO_SLOT)
            continue;
        if (kind_of(scalars, at->source[k]) != SCALAR_SAME)
            return false;
        any = true;
    }
    return any;
}

/* One value, of which not all lanes have been written. */
static bool is_thin(const struct scalars *scalars, uint32_t slot)
{
    const uint32_t state = scalars->bytes[slot / LINE] ? scalars->work[slot / LINE] : 0;
    return (state & SCALAR_KIND) == SCALAR_SAME && !(state & SCALAR_WHOLE);
}

/* A function of floats, some of which are one value. */
static void translate_float(struct scalars *scalars, const struct program_instruction *at, enum scalar_op op,
                            uint32_t pc)
{
    static const enum scalar_op with[4][4] = {
        {SCALAR_ADD_F32, SCALAR_ADD_F32_A, SCALAR_ADD_F32, SCALAR_ADD_F32},
        {SCALAR_SUB_F32, SCALAR_SUB_F32_A, SCALAR_SUB_F32_B, SCALAR_SUB_F32},
        {SCALAR_MUL_F32, SCALAR_MUL_F32_A, SCALAR_MUL_F32, SCALAR_MUL_F32},
        {SCALAR_FMA_F32, SCALAR_FMA_F32_A, SCALAR_FMA_F32_C, SCALAR_FMA_F32_AC},
    };
    uint32_t a = at->source[0], b = at->source[1], second = op == SCALAR_FMA_F32 ? at->source[2] : b;
    if (op != SCALAR_SUB_F32 && is_thin(scalars, b) && !is_thin(scalars, a)) {
        a = b;
        b = at->source[0];
    }
    uint32_t thin = is_thin(scalars, a);
    if (op == SCALAR_FMA_F32 || op == SCALAR_SUB_F32)
        thin |= (uint32_t)is_thin(scalars, second) << 1;
    if (!(thin & 1))
        slot_fill(scalars, a, pc);
    if (!(op == SCALAR_SUB_F32 && thin & 2))
        slot_fill(scalars, b, pc);
    if (op == SCALAR_FMA_F32 && !(thin & 2))
        slot_fill(scalars, second, pc);
    struct scalar_step *step = step_add(scalars, with[op - SCALAR_ADD_F32][thin], pc);
    step->instruction = at;
    step->to = at->destination[0];
    step->a = a;
    step->b = b;
    step->c = at->source[2];
    destinations_become(scalars, at, 0);
}

static bool translate_lanes(struct scalars *scalars, const struct program_instruction *at, uint32_t pc)
{
    enum scalar_op op = SCALAR_LANES;
    bool widens = false;
    uint32_t result = 0;
    if (at->guard == PROGRAM_NO_SLOT && known_find(at->lanes, &op))
        result = pair_result(scalars, at, op, &widens);
    if (result && !is_comparison(op) && !scalars->bytes[at->destination[0] / LINE])
        result = 0;
    if (result == SCALAR_ROW && is_comparison(op))
        op = (enum scalar_op)(SCALAR_ROW_IS_EQUAL_32 + (op - SCALAR_IS_EQUAL_32));
    const uint8_t *state = result && widens ? state_keep(scalars, scalars->work) : NULL;
    if (result && widens && !state)
        return false;
    if (result && widens)
        op = (enum scalar_op)(SCALAR_ROW_WIDEN_U32 + (op - SCALAR_WIDEN_U32));
    if (result) {
        struct scalar_step *step = step_add(scalars, op, pc);
        step->instruction = at;
        step->to = at->destination[0];
        step->a = at->source[0];
        step->b = at->source[1];
        step->c = at->source[2];
        step->row = kind_of(scalars, at->source[0]) == SCALAR_ROW;
        step->state = state;
        destinations_become(scalars, at, result);
        return true;
    }
    if (op >= SCALAR_ADD_F32 && op <= SCALAR_FMA_F32 && at->guard == PROGRAM_NO_SLOT &&
        !all_same(scalars, at)) {
        translate_float(scalars, at, op, pc);
        return true;
    }
    const bool same = at->guard == PROGRAM_NO_SLOT && !scalars->mixes && all_same(scalars, at);
    sources_fill(scalars, at, pc);
    guarded_fill(scalars, at, pc);
    step_add(scalars, at->guard == PROGRAM_NO_SLOT ? SCALAR_LANES : SCALAR_LANES_SOME, pc)->instruction = at;
    destinations_become(scalars, at, same ? SCALAR_SAME | SCALAR_WHOLE : 0);
    return true;
}

/* It may be counted by its layout. */
static bool access_is_countable(const struct run *run, const struct program_instruction *at)
{
    return at->guard == PROGRAM_NO_SLOT && at->space != PTX_LOCAL &&
           (run->uncounted || (at->space != PTX_GENERIC && at->rewrite <= REWRITE_FOLDED));
}

static bool access_is_usual(const struct program_instruction *at)
{
    return at->vector == 1 && at->destination_bytes == at->width_bytes &&
           (at->width_bytes == 4 || at->width_bytes == 8);
}

/* A load whose registers can be scalars. */
static bool load_is_known(const struct scalars *scalars, const struct program_instruction *at)
{
    const uint32_t bytes = warp_element_bytes(at) == 8 || at->destination_bytes == 8 ? 8 : 4;
    bool known = true, any = false;
    for (uint32_t k = 0; k < at->vector && k < PROGRAM_VECTOR; k++) {
        any |= at->destination[k] != PROGRAM_NO_SLOT;
        known = known &&
                (at->destination[k] == PROGRAM_NO_SLOT || scalars->bytes[at->destination[k] / LINE] == bytes);
    }
    return known && any;
}

/* The operation of an access that is not executed as ever; SCALAR_ACCESS: it is. */
static enum scalar_op access_op(const struct scalars *scalars, const struct run *run,
                                const struct program_instruction *at, uint32_t kind)
{
    const bool usual = access_is_usual(at), wide = at->width_bytes == 8, store = at->op == PROGRAM_ST;
    if (!kind || !access_is_countable(run, at) || warp_element_bytes(at) > 8 || at->width_bytes > 16)
        return SCALAR_ACCESS;
    if (kind == SCALAR_SAME)
        return store || !load_is_known(scalars, at) ? SCALAR_ACCESS
               : !usual                             ? SCALAR_LOAD_SAME_ANY
               : wide                               ? SCALAR_LOAD_SAME_64
                                                    : SCALAR_LOAD_SAME_32;
    if (!usual || (!store && at->destination[0] == PROGRAM_NO_SLOT))
        return SCALAR_ACCESS_STEPS;
    if (store)
        return wide ? SCALAR_STORE_ROW_64 : SCALAR_STORE_ROW_32;
    return wide ? SCALAR_LOAD_ROW_64 : SCALAR_LOAD_ROW_32;
}

static enum scalar_counts counts_of(const struct worker *worker, const struct program_instruction *at)
{
    const struct run *const run = worker->run;
    if (run->uncounted || at->space == PTX_PARAM || at->rewrite == REWRITE_FOLDED)
        return SCALAR_UNCOUNTED;
    if (at->space != PTX_GLOBAL || !worker->l1)
        return SCALAR_COUNTS_LAYOUT;
    if (!cache_l1_is_simple(worker->l1))
        return SCALAR_COUNTS_ANY;
    if (at->op == PROGRAM_ST)
        return SCALAR_COUNTS_STORE;
    return run->rules->global_l1_off || at->cache == CACHE_GLOBAL || at->cache == CACHE_VOLATILE
               ? SCALAR_COUNTS_ANY
               : SCALAR_COUNTS_LOAD;
}

static void translate_access(struct scalars *scalars, const struct worker *worker,
                             const struct program_instruction *at, uint32_t pc)
{
    const struct run *const run = worker->run;
    const bool store = at->op == PROGRAM_ST;
    const uint32_t kind = at->source[0] == PROGRAM_NO_SLOT ? SCALAR_SAME : kind_of(scalars, at->source[0]);
    const enum scalar_op op = access_op(scalars, run, at, kind);
    uint32_t result = 0;
    if (op == SCALAR_ACCESS)
        slot_fill(scalars, at->source[0], pc);
    if (kind == SCALAR_SAME && at->guard == PROGRAM_NO_SLOT && at->space != PTX_LOCAL && !store)
        result = op == SCALAR_ACCESS ? SCALAR_SAME | SCALAR_WHOLE : SCALAR_SAME;
    for (uint32_t k = 1; k < PROGRAM_SOURCES; k++)
        slot_fill(scalars, at->source[k], pc);
    guarded_fill(scalars, at, pc);
    struct scalar_step *step = step_add(scalars, op, pc);
    step->instruction = at;
    scalars->accesses[scalars->access_count++] =
        (struct scalar_access){.range = at->space == PTX_SHARED  ? &scalars->shared
                                        : at->space == PTX_CONST ? &scalars->constants
                                        : at->space == PTX_PARAM ? &scalars->parameters
                                                                 : &worker->last_range[pc],
                               .wanted_below = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    step->offset = at->offset;
    step->counts = (uint8_t)counts_of(worker, at);
    step->allocates = at->cache != CACHE_NO_ALLOCATE;
    step->narrow = at->address_is_32_bits;
    step->to = at->destination[0];
    step->a = at->source[0];
    step->b = at->source[1];
    destinations_become(scalars, at, result);
}

/* Ends a stretch before an instruction that is executed as ever, all of whose operands are whole then. */
static void translate_leave(struct scalars *scalars, const struct program_instruction *at, uint32_t pc)
{
    switch ((enum program_op)at->op) {
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_ARRIVE:
    case PROGRAM_BAR_WARP:
    case PROGRAM_FENCE:
    case PROGRAM_RET:
    case PROGRAM_EXIT:
        sources_fill(scalars, at, pc);
        guarded_fill(scalars, at, pc);
        destinations_become(scalars, at, 0);
        break;
    case PROGRAM_LD:
    case PROGRAM_ST:
    case PROGRAM_ATOM:
    case PROGRAM_NANOSLEEP:
    case PROGRAM_PREFETCH:
    case PROGRAM_TEX:
    case PROGRAM_CP_ASYNC:
    case PROGRAM_CP_ASYNC_COMMIT:
    case PROGRAM_CP_ASYNC_WAIT:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX:
    case PROGRAM_ELECT:
    case PROGRAM_ACTIVEMASK:
    case PROGRAM_SPECIAL:
    case PROGRAM_BAR_RED:
        slots_fill(scalars, pc); /* it may be a poll, for which all of the frame counts */
        destinations_become(scalars, at, 0);
        break;
    default: /* it may name slots elsewhere */
        slots_fill(scalars, pc);
        memcpy(scalars->work, scalars->plain, scalars->lines);
        break;
    }
    /* Lanes may go on at the next one. */
    const bool ends = at->guard == PROGRAM_NO_SLOT &&
                      (at->op == PROGRAM_RET || at->op == PROGRAM_EXIT || at->op == PROGRAM_TRAP);
    step_add(scalars, SCALAR_LEAVE, pc)->instruction = ends ? NULL : at;
}

static bool access_is_plain(const struct program_instruction *at)
{
    return (at->op == PROGRAM_LD || at->op == PROGRAM_ST) && !at->strong;
}

/* Translates from pc on, from the state in `work`. False: no memory. */
static bool stretch_translate(struct scalars *scalars, const struct worker *worker,
                              struct scalar_stretch *stretch)
{
    const struct program *program = scalars->program;
    const uint32_t room = 2 * PROGRAM_SOURCES + PROGRAM_VECTOR + 2 + scalars->lines;
    scalars->step_count = scalars->access_count = 0;
    for (uint32_t pc = stretch->first;; pc++) {
        const struct program_instruction *at = &program->instructions[pc];
        if (scalars->step_count + 2 * room > STEPS_MOST) { /* a long one: as if it were not known */
            step_add(scalars, SCALAR_ON, pc);
            stretch->end = pc;
            return true;
        }
        if (at->op == PROGRAM_LANES) {
            if (!translate_lanes(scalars, at, pc))
                return false;
        } else if (access_is_plain(at)) {
            translate_access(scalars, worker, at, pc);
        } else if (at->op == PROGRAM_BRA) {
            struct scalar_step *step =
                step_add(scalars, at->guard == PROGRAM_NO_SLOT ? SCALAR_JUMP : SCALAR_BRANCH, pc);
            step->instruction = at;
            step->a = at->guard;
            stretch->end = pc + 1;
            return true;
        } else {
            translate_leave(scalars, at, pc);
            stretch->end = pc;
            return true;
        }
    }
}

/* Copies what was translated. False: no memory. */
static bool steps_keep(struct scalars *scalars, struct scalar_stretch *made)
{
    made->step_count = scalars->step_count;
    made->steps = arena_alloc(&scalars->arena, scalars->step_count, sizeof *made->steps);
    made->accesses = arena_alloc(&scalars->arena, scalars->access_count + 1, sizeof *made->accesses);
    if (!made->steps || !made->accesses)
        return false;
    memcpy(made->steps, scalars->steps, scalars->step_count * sizeof *made->steps);
    memcpy(made->accesses, scalars->accesses, scalars->access_count * sizeof *made->accesses);
    for (uint32_t i = 0, access = 0; i < made->step_count; i++)
        if (step_is_access(&made->steps[i]))
            made->steps[i].access = &made->accesses[access++];
    return true;
}

static struct scalar_stretch *stretch_make(struct scalars *scalars, const struct worker *worker, uint32_t pc,
                                           const uint8_t *state)
{
    struct scalar_stretch *made = arena_alloc(&scalars->arena, 1, sizeof *made);
    if (!made)
        return NULL;
    *made = (struct scalar_stretch){.owner = scalars, .first = pc, .begins = state};
    memcpy(scalars->work, state, scalars->lines);
    if (scalars->versions[pc] >= VERSIONS_MOST && state != scalars->plain) {
        /* Enough of them: with whole slots from here on. */
        scalars->step_count = scalars->access_count = 0;
        slots_fill(scalars, pc);
        step_add(scalars, SCALAR_ON, pc);
        made->end = pc;
        memcpy(scalars->work, scalars->plain, scalars->lines);
    } else if (!stretch_translate(scalars, worker, made)) {
        return NULL;
    }
    made->ends = state_keep(scalars, scalars->work);
    if (!made->ends || !steps_keep(scalars, made))
        return NULL;
    if (scalars->versions[pc] < UINT8_MAX)
        scalars->versions[pc]++;
    made->all = scalars->all;
    scalars->all = made;
    return made;
}

static struct scalar_stretch *stretch_find(struct worker *worker, uint32_t pc, const uint8_t *state)
{
    struct scalars *scalars = worker->scalars;
    struct scalar_stretch **bucket =
        &scalars->stretches[(pc * 2654435761u ^ (uint32_t)((uintptr_t)state >> 3)) % BUCKETS];
    for (struct scalar_stretch *at = *bucket; at; at = at->bucket)
        if (at->first == pc && at->begins == state)
            return at;
    struct scalar_stretch *made = stretch_make(scalars, worker, pc, state);
    if (made) {
        made->bucket = *bucket;
        *bucket = made;
    }
    return made;
}

struct scalar_stretch *scalars_follow(struct worker *worker, const struct scalar_stretch *stretch,
                                      uint32_t pc)
{
    return pc < worker->scalars->program->instruction_count ? stretch_find(worker, pc, stretch->ends) : NULL;
}

/* ---- warps ---- */
void scalars_part(const struct worker *worker, struct warp *warp, const uint8_t *state)
{
    warp->scalars.at = NULL;
    if (!state)
        state = warp->scalars.state;
    warp->scalars.state = NULL;
    if (!state)
        return;
    warp->scalars.seen = state;
    const struct state *const of = state_of(state);
    worker->scalar_build->fill(warp->frame, of->fills, of->fill_count);
}

void scalars_forget(struct warp *warp)
{
    warp->scalars.at = NULL;
    warp->scalars.state = warp->scalars.seen = NULL;
}

struct scalar_stretch *scalars_enter(struct worker *worker, struct warp *warp, uint32_t pc)
{
    struct scalars *const scalars = worker->scalars;
    const uint8_t *const seen = warp->scalars.seen;
    if (!seen && pc == 0 && scalars->start)
        return scalars->start;
    const struct state *const of = state_of(seen ? seen : scalars->plain);
    const uint64_t held = worker->scalar_build->look(warp->frame, of->looks, of->look_count);
    struct meeting *const meeting =
        &scalars->meetings[(pc * 31 + (uint32_t)((uintptr_t)seen >> 4)) % MEETINGS];
    if (meeting->at && meeting->seen == seen && meeting->pc == pc && meeting->held == held)
        return meeting->at;
    memcpy(scalars->work, scalars->plain, scalars->lines);
    for (uint32_t i = 0; i < of->look_count; i++)
        if (held >> i & 1)
            scalars->work[of->looks[i].at / LINE] = of->looks[i].state | SCALAR_WHOLE;
    const uint8_t *const state = state_keep(scalars, scalars->work);
    struct scalar_stretch *const at = state ? stretch_find(worker, pc, state) : NULL;
    *meeting = (struct meeting){seen, held, pc, at};
    if (!seen && pc == 0)
        scalars->start = at;
    return at;
}

/* ---- of a launch ---- */
struct scalars *scalars_create(const struct worker *worker)
{
    const struct run *const run = worker->run;
    const struct program *const program = run->program;
    if (!program_is_fit(program))
        return NULL;
    struct scalars *scalars = calloc(1, sizeof *scalars);
    if (!scalars)
        return NULL;
    scalars->program = program;
    scalars->shared = &worker->block.shared;
    scalars->constants = &run->constants;
    scalars->parameters = &run->parameters;
    worker->scalar_build->run(NULL, NULL, NULL, NULL, &scalars->places);
    scalars->lines = (program->frame_bytes + LINE - 1) / LINE;
    scalars->bytes = arena_alloc(&scalars->arena, scalars->lines + 1, 1);
    scalars->work = arena_alloc(&scalars->arena, scalars->lines + 1, 1);
    scalars->versions = arena_alloc(&scalars->arena, program->instruction_count, 1);
    scalars->steps = malloc(STEPS_MOST * sizeof *scalars->steps); /* of which few pages are touched */
    scalars->accesses = malloc(STEPS_MOST * sizeof *scalars->accesses);
    if (!scalars->bytes || !scalars->work || !scalars->versions || !scalars->steps || !scalars->accesses ||
        scalars->lines > STEPS_MOST / 8) {
        scalars_destroy(scalars);
        return NULL;
    }
    for (uint32_t i = 0; i < program->instruction_count; i++)
        scalars->mixes |= program->instructions[i].class == CLASS_MATRIX ||
                          program->instructions[i].op == PROGRAM_MATRIX_ADDRESS ||
                          program->instructions[i].op == PROGRAM_MATRIX_LD ||
                          program->instructions[i].op == PROGRAM_MATRIX_ST;
    pthread_once(&known_once, known_fill);
    names_sizes(scalars);
    plain_fill(scalars, run);
    scalars->plain = state_keep(scalars, scalars->work);
    if (!scalars->plain) {
        scalars_destroy(scalars);
        return NULL;
    }
    return scalars;
}

void scalars_destroy(struct scalars *scalars)
{
    if (!scalars)
        return;
    arena_fini(&scalars->arena);
    free(scalars->steps);
    free(scalars->accesses);
    free(scalars);
}

/* The accesses of a step. What of them L1 did not have has been taken off the hits; where each lane has a sector of its
 * own, all of it has been counted. */
static void step_settle(struct worker *worker, const struct scalar_step *step)
{
    for (uint32_t layout = 0; layout < COUNT_LAYOUTS; layout++) {
        const uint64_t told = step->access->told[layout];
        if (!told)
            continue;
        worker->counter.stretches[step->pc].usual[layout] += told;
        step->access->told[layout] = 0;
        if (step->counts == SCALAR_COUNTS_LAYOUT || layout == COUNT_APART)
            continue;
        const uint64_t sectors =
            told * count_layout_sectors((enum count_layout)layout, step->instruction->width_bytes);
        worker->caches.l1_lookups += sectors;
        worker->caches.l1_hits += sectors;
        worker->caches.l1_lines += told;
    }
}

void scalars_settle(struct worker *worker)
{
    for (struct scalar_stretch *at = worker->scalars ? worker->scalars->all : NULL; at; at = at->all) {
        struct counter *const counter = &worker->counter;
        counter->stretches[at->first].warps += at->runs;
        counter->stretches[at->first].threads += at->runs * WARP_LANES;
        counter->stretches[at->end].warps -= at->runs;
        counter->stretches[at->end].threads -= at->runs * WARP_LANES;
        if (at->passed)
            counter->instructions[at->end - 1].thread_instructions_on -= at->passed * WARP_LANES;
        at->runs = at->passed = 0;
        for (uint32_t i = 0; i < at->step_count; i++)
            if (step_is_access(&at->steps[i]))
                step_settle(worker, &at->steps[i]);
    }
}
