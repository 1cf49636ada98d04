/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of simt/engine/scalars.h. This file is compiled once per variant of simt/lanes/lanes.
 */
#include "simt/engine/scalars.h"

#include "simt/engine/warp_memory.h"
#include "simt/lanes/lanes_ops.h"
#ifdef __AVX2__
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpedantic" /* goto *place: of gcc and clang */

/* The first two lanes of a slot. */
typedef uint32_t two_32 __attribute__((vector_size(8), may_alias));
typedef int32_t two_s32 __attribute__((vector_size(8), may_alias));
typedef int64_t two_s64 __attribute__((vector_size(16), may_alias));
typedef uint64_t two_64 __attribute__((vector_size(16), may_alias));

#define TWO_32(slot) (*(two_32 *)(void *)(frame + (slot)))
#define TWO_64(slot) (*(two_64 *)(void *)(frame + (slot)))
#define WORD(slot) (*(const uint32_t *)(const void *)(frame + (slot)))
#define LONG(slot) (*(const uint64_t *)(const void *)(frame + (slot)))

static inline two_64 widen_u32(two_32 a)
{
    return __builtin_convertvector(a, two_64);
}

static inline two_64 widen_s32(two_32 a)
{
    return (two_64) __builtin_convertvector((two_s32)a, two_s64);
}

/* For a product of 64 bits the host takes three times as long as for one of words. */
#if defined(__AVX2__)
static inline two_64 widen_product_u32(two_32 a, uint32_t b)
{
    return (two_64)_mm_mul_epu32((__m128i)widen_u32(a), _mm_set1_epi32((int32_t)b));
}

static inline two_64 widen_product_s32(two_32 a, uint32_t b)
{
    return (two_64)_mm_mul_epi32((__m128i)widen_u32(a), _mm_set1_epi32((int32_t)b));
}
#else
static inline two_64 widen_product_u32(two_32 a, uint32_t b)
{
    return widen_u32(a) * b;
}

static inline two_64 widen_product_s32(two_32 a, uint32_t b)
{
    return widen_s32(a) * (uint64_t)(int64_t)(int32_t)b;
}
#endif

/* No lane of a row wraps at 32 bits. */
static inline bool row_stays_u32(two_32 a)
{
    const int64_t last = (int64_t)a[0] + 31 * (int64_t)(int32_t)(a[1] - a[0]);
    return last >= 0 && last <= UINT32_MAX;
}

static inline bool row_stays_s32(two_32 a)
{
    const int64_t last = (int64_t)(int32_t)a[0] + 31 * (int64_t)(int32_t)(a[1] - a[0]);
    return last >= INT32_MIN && last <= INT32_MAX;
}

/* ---- slots become whole ---- */
#define FILL_FUNCTION(name, type, stepwise)                                      \
    static inline void name(uint8_t *frame, uint32_t slot)                       \
    {                                                                            \
        type *const to = lanes_slot(frame, slot);                                \
        const type first = to[0], step = (stepwise) ? (type)(to[1] - to[0]) : 0; \
        LANES_LOOP                                                               \
        {                                                                        \
            to[lane] = (stepwise) ? (type)(first + (type)lane * step) : first;   \
        }                                                                        \
    }
FILL_FUNCTION(fill_same_32, uint32_t, 0)
FILL_FUNCTION(fill_same_64, uint64_t, 0)
FILL_FUNCTION(fill_row_32, uint32_t, 1)
FILL_FUNCTION(fill_row_64, uint64_t, 1)

static void slots_fill(uint8_t *frame, const struct scalar_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool row = (slots[i].state & SCALAR_ROW) != 0;
        if (slots[i].state & SCALAR_WIDE)
            row ? fill_row_64(frame, slots[i].at) : fill_same_64(frame, slots[i].at);
        else
            row ? fill_row_32(frame, slots[i].at) : fill_same_32(frame, slots[i].at);
    }
}

#define IS_STEPWISE(name, type)                                               \
    static inline bool name(const uint8_t *frame, uint32_t slot, bool row)    \
    {                                                                         \
        const type *const from = __builtin_assume_aligned(frame + slot, 64);  \
        const type first = from[0], step = row ? (type)(from[1] - first) : 0; \
        type differ = 0;                                                      \
        LANES_LOOP                                                            \
        {                                                                     \
            differ |= from[lane] ^ (type)(first + (type)lane * step);         \
        }                                                                     \
        return differ == 0;                                                   \
    }
IS_STEPWISE(is_stepwise_32, uint32_t)
IS_STEPWISE(is_stepwise_64, uint64_t)

static uint64_t slots_look(const uint8_t *frame, const struct scalar_slot *slots, uint32_t count)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool row = (slots[i].state & SCALAR_ROW) != 0;
        const bool holds = slots[i].state & SCALAR_WIDE ? is_stepwise_64(frame, slots[i].at, row)
                                                        : is_stepwise_32(frame, slots[i].at, row);
        held |= (uint64_t)holds << i;
    }
    return held;
}

/* ---- floats of all lanes ---- */
#define EACH(slot) (((const SLOT_F32 *)lanes_slot(frame, slot))[lane])
#define ONE(slot) (*(const SLOT_F32 *)(const void *)(frame + (slot)))
#define FLOATS(name, sources, expression)                                                    \
    static inline void name(uint8_t *frame, uint32_t to, uint32_t a, uint32_t b, uint32_t c) \
    {                                                                                        \
        uint32_t *const result = lanes_slot(frame, to);                                      \
        sources;                                                                             \
        (void)c;                                                                             \
        LANES_LOOP                                                                           \
        {                                                                                    \
            result[lane] = lanes_raw_F32(expression);                                        \
        }                                                                                    \
        lanes_mend_F32(result);                                                              \
    }
FLOATS(add_f32, , EACH(a) + EACH(b))
FLOATS(add_f32_a, const float x = ONE(a), x + EACH(b))
FLOATS(sub_f32, , EACH(a) - EACH(b))
FLOATS(sub_f32_a, const float x = ONE(a), x - EACH(b))
FLOATS(sub_f32_b, const float y = ONE(b), EACH(a) - y)
FLOATS(mul_f32, , EACH(a) * EACH(b))
FLOATS(mul_f32_a, const float x = ONE(a), x *EACH(b))
FLOATS(fma_f32, , fused_f32(EACH(a), EACH(b), EACH(c)))
FLOATS(fma_f32_a, const float x = ONE(a), fused_f32(x, EACH(b), EACH(c)))
FLOATS(fma_f32_c, const float z = ONE(c), fused_f32(EACH(a), EACH(b), z))
FLOATS(fma_f32_ac, const float x = ONE(a); const float z = ONE(c), fused_f32(x, EACH(b), z))

/* ---- comparisons ---- */
static inline void predicates_set(const struct program_instruction *instruction, uint8_t *frame, bool holds)
{
    const uint32_t modifiers = instruction->immediate, boolean = LANES_BOOLEAN(modifiers);
    uint32_t p = holds != ((modifiers & LANES_COMPLEMENT) != 0) ? LANES_ALL : 0, q = ~p;
    if (boolean != LANES_NO_BOOLEAN) {
        const uint32_t written = *lanes_predicate(frame, instruction->source[2]);
        const uint32_t c = (modifiers & LANES_NEGATED) != 0 ? ~written : written;
        p = boolean == LANES_AND ? p & c : boolean == LANES_OR ? p | c : p ^ c;
        q = boolean == LANES_AND ? q & c : boolean == LANES_OR ? q | c : q ^ c;
    }
    *lanes_predicate(frame, instruction->destination[0]) = p;
    if (instruction->destination[1] != PROGRAM_NO_SLOT)
        *lanes_predicate(frame, instruction->destination[1]) = q;
}

/* The first and the last lane's value of a row, or of one value. False: a lane wraps. */
#define ENDS_FUNCTION(name, type, bits, signed_type)                                       \
    static inline bool name(const uint8_t *frame, uint32_t slot, bool row, type ends[2])   \
    {                                                                                      \
        const bits *const at = __builtin_assume_aligned(frame + slot, 64);                 \
        signed_type way;                                                                   \
        ends[0] = ends[1] = (type)at[0];                                                   \
        return !row || (!__builtin_mul_overflow((signed_type)(at[1] - at[0]), 31, &way) && \
                        !__builtin_add_overflow(ends[0], way, &ends[1]));                  \
    }
ENDS_FUNCTION(ends_u32, uint32_t, uint32_t, int32_t)
ENDS_FUNCTION(ends_s32, int32_t, uint32_t, int32_t)
ENDS_FUNCTION(ends_u64, uint64_t, uint64_t, int64_t)
ENDS_FUNCTION(ends_s64, int64_t, uint64_t, int64_t)

/* ---- memory ---- */
/* Its place on the host; NULL: not in the range, or not aligned. */
static inline uint8_t *place_of(const struct memory_range *range, uint64_t address, uint32_t bytes,
                                uint32_t width)
{
    if (!range)
        return NULL;
    const uint64_t offset = address - range->address;
    if (offset > range->size_bytes || range->size_bytes - offset < bytes || address & (width - 1))
        return NULL;
    return range->bytes + offset;
}

static inline uint64_t address_of(const struct scalar_step *step, const uint8_t *frame)
{
    if (step->a == PROGRAM_NO_SLOT)
        return (uint64_t)step->offset;
    if (step->narrow)
        return WORD(step->a) + (uint32_t)(uint64_t)step->offset;
    return LONG(step->a) + (uint64_t)step->offset;
}

static inline bool is_row(const struct scalar_step *step, const uint8_t *frame, uint32_t width)
{
    if (step->narrow)
        return WORD(step->a + 4) - WORD(step->a) == width;
    return LONG(step->a + 8) - LONG(step->a) == width;
}

static void address_fill(const struct scalar_step *step, uint8_t *frame, bool row)
{
    if (step->a == PROGRAM_NO_SLOT)
        return;
    if (step->narrow)
        row ? fill_row_32(frame, step->a) : fill_same_32(frame, step->a);
    else
        row ? fill_row_64(frame, step->a) : fill_same_64(frame, step->a);
}

static __attribute__((noinline)) bool access_other(struct worker *worker, struct warp *warp,
                                                   const struct scalar_step *step, bool row)
{
    address_fill(step, warp->frame, row);
    return step->instruction->op == PROGRAM_ST ? warp_store(worker, warp, step->pc, LANES_ALL)
                                               : warp_load(worker, warp, step->pc, LANES_ALL);
}

static __attribute__((noinline)) bool access_any(struct worker *worker, struct warp *warp,
                                                 const struct scalar_step *step)
{
    const struct program_instruction *const instruction = step->instruction;
    uint32_t on = LANES_ALL;
    if (instruction->guard != PROGRAM_NO_SLOT) {
        const uint32_t written = *lanes_predicate(warp->frame, instruction->guard);
        on = instruction->guard_negated ? ~written : written;
        if (on != LANES_ALL)
            count_guarded_off(&worker->counter, step->pc, (uint32_t)__builtin_popcount(~on));
        if (on == 0)
            return true;
    }
    return instruction->op == PROGRAM_ST ? warp_store(worker, warp, step->pc, on)
                                         : warp_load(worker, warp, step->pc, on);
}

/* Counted for the costliest access of the instruction, too: once for each layout, since what is not wanted of a
 * block is not wanted of a later one either. */
static __attribute__((noinline)) void tell_costliest(struct worker *worker, const struct warp *warp,
                                                     struct scalar_step *step, enum count_layout layout,
                                                     enum warp_reach reach, uint64_t address, bool store)
{
    step->access->wanted_below[layout] = worker->block.number;
    warp_count_usual(worker, warp, step->pc, reach, address, store);
}

/* As warp_count_usual, of whose cases it has the frequent ones. */
static inline __attribute__((always_inline)) void tell_access(struct worker *worker, const struct warp *warp,
                                                              struct scalar_step *step,
                                                              const enum warp_reach reach, uint64_t address,
                                                              const uint32_t width, const bool store)
{
    const enum count_layout layout = reach == WARP_SAME ? COUNT_SAME
                                     : address % 32     ? COUNT_ROW_BETWEEN
                                                        : COUNT_ROW;
    if (step->counts == SCALAR_UNCOUNTED)
        return;
    if (worker->costliest.accesses && worker->block.number < step->access->wanted_below[layout]) {
        tell_costliest(worker, warp, step, layout, reach, address, store);
        return;
    }
    if (step->counts == SCALAR_COUNTS_LAYOUT) {
        step->access->told[layout]++;
        return;
    }
    const uint32_t sectors = count_layout_sectors(layout, width);
    if (step->counts == (store ? SCALAR_COUNTS_STORE : SCALAR_COUNTS_LOAD) &&
        !(store && layout == COUNT_ROW_BETWEEN) && cache_is_one_line(address / 32, sectors)) {
        step->access->told[layout]++;
        worker->caches.l1_hits -=
            store ? cache_l1_store(worker->l1, &step->access->seen, address / 32, sectors, worker->log)
                  : cache_l1_load(worker->l1, &step->access->seen, address / 32, sectors, step->allocates,
                                  worker->log);
        return;
    }
    warp_count_usual(worker, warp, step->pc, reach, address, store);
}

static inline __attribute__((always_inline)) bool load_same(struct worker *worker, struct warp *warp,
                                                            struct scalar_step *step, const uint32_t width)
{
    uint8_t *const frame = warp->frame;
    const uint64_t address = address_of(step, frame);
    const uint8_t *const place = place_of(*step->access->range, address, width, width);
    if (__builtin_expect(!place, 0))
        return access_other(worker, warp, step, false);
    if (width == 4) {
        uint32_t value;
        memcpy(&value, place, 4);
        TWO_32(step->to) = (two_32){value, value};
    } else {
        uint64_t value;
        memcpy(&value, place, 8);
        TWO_64(step->to) = (two_64){value, value};
    }
    tell_access(worker, warp, step, WARP_SAME, address, width, false);
    return true;
}

static uint64_t element_of(const struct program_instruction *instruction, const uint8_t *place,
                           uint32_t bytes)
{
    const bool sign = instruction->sign_extended;
    uint64_t value = 0;
    switch (bytes) {
    case 1: value = sign ? (uint64_t)(int64_t)(int8_t)*place : *place; break;
    case 2: {
        uint16_t half;
        memcpy(&half, place, 2);
        value = sign ? (uint64_t)(int64_t)(int16_t)half : half;
        break;
    }
    case 4: {
        uint32_t word;
        memcpy(&word, place, 4);
        value = sign ? (uint64_t)(int64_t)(int32_t)word : word;
        break;
    }
    default: memcpy(&value, place, 8); break;
    }
    return sign && instruction->destination_bytes == 2 ? value & 0xffff : value;
}

/* Any other form, from one place. */
static bool load_same_any(struct worker *worker, struct warp *warp, struct scalar_step *step)
{
    const struct program_instruction *const instruction = step->instruction;
    uint8_t *const frame = warp->frame;
    const uint64_t address = address_of(step, frame);
    const uint32_t width = instruction->width_bytes, bytes = warp_element_bytes(instruction);
    const bool wide = bytes == 8 || instruction->destination_bytes == 8;
    const uint8_t *const place = place_of(*step->access->range, address, width, width);
    if (!place)
        return access_other(worker, warp, step, false);
    for (uint32_t k = 0; k < instruction->vector; k++) {
        const uint32_t to = instruction->destination[k];
        if (to == PROGRAM_NO_SLOT)
            continue;
        if (bytes == 4 && !wide) {
            uint32_t value;
            memcpy(&value, place + 4 * k, 4);
            TWO_32(to) = (two_32){value, value};
            continue;
        }
        const uint64_t value = element_of(instruction, place + k * bytes, bytes);
        if (wide)
            TWO_64(to) = (two_64){value, value};
        else
            TWO_32(to) = (two_32){(uint32_t)value, (uint32_t)value};
    }
    tell_access(worker, warp, step, WARP_SAME, address, width, false);
    return true;
}

/* ---- accesses at any step ---- */
typedef uint8_t __attribute__((may_alias)) any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* The addresses of all lanes. */
struct sweep {
    uint64_t first;
    int64_t step; /* from lane to lane */
};
#define STEP_MOST (INT64_C(1) << 40) /* 31 of them are no overflow */

static inline struct sweep sweep_of(const struct scalar_step *step, const uint8_t *frame)
{
    if (step->narrow)
        return (struct sweep){address_of(step, frame), (int32_t)(WORD(step->a + 4) - WORD(step->a))};
    return (struct sweep){address_of(step, frame), (int64_t)(LONG(step->a + 8) - LONG(step->a))};
}

/* The first lane's place on the host; NULL: a lane's bytes are not in the range, or not aligned. */
static uint8_t *sweep_place(const struct scalar_step *step, const struct sweep *sweep, uint32_t width)
{
    if (sweep->step < -STEP_MOST || sweep->step > STEP_MOST || (uint64_t)sweep->step & (width - 1))
        return NULL;
    const int64_t way = 31 * sweep->step, low = way < 0 ? way : 0, high = way < 0 ? 0 : way;
    if (step->narrow && ((int64_t)sweep->first + low < 0 || (int64_t)sweep->first + high > UINT32_MAX))
        return NULL;
    uint8_t *const lowest = place_of(*step->access->range, sweep->first + (uint64_t)low, width, width);
    const uint64_t left =
        lowest ? (uint64_t)((*step->access->range)->bytes + (*step->access->range)->size_bytes - lowest) : 0;
    return lowest && left >= (uint64_t)(high - low) + width ? lowest - low : NULL;
}

#define SWEEP_LOAD(type, result, value)                                                \
    do {                                                                               \
        result *const to = (result *)lanes_slot(frame, slot);                          \
        LANES_LOOP                                                                     \
        {                                                                              \
            const type *const from = (const type *)(const void *)(place + lane * way); \
            to[lane] = (result)(value);                                                \
        }                                                                              \
    } while (0)

static void sweep_load(const struct program_instruction *instruction, uint8_t *frame, const uint8_t *place,
                       int64_t way)
{
    const uint32_t bytes = warp_element_bytes(instruction);
    const bool wide = bytes == 8 || instruction->destination_bytes == 8;
    for (uint32_t k = 0; k < instruction->vector; k++, place += bytes) {
        const uint32_t slot = instruction->destination[k];
        if (slot == PROGRAM_NO_SLOT)
            continue;
        if (bytes == 4 && !wide)
            SWEEP_LOAD(any_u32, uint32_t, *from);
        else if (bytes == 8)
            SWEEP_LOAD(any_u64, uint64_t, *from);
        else if (wide)
            SWEEP_LOAD(uint8_t, uint64_t, element_of(instruction, from, bytes));
        else
            SWEEP_LOAD(uint8_t, uint32_t, element_of(instruction, from, bytes));
    }
}

#define SWEEP_STORE(type, source)                                           \
    do {                                                                    \
        const source *const from = (const source *)lanes_slot(frame, slot); \
        for (int64_t lane = 0; lane < LANES_WARP; lane++)                   \
            *(type *)(void *)(place + lane * way) = (type)from[lane];       \
    } while (0)

/* In the order of the lanes: the last one's value stays where they have one place. */
static void sweep_store(const struct program_instruction *instruction, uint8_t *frame, uint8_t *place,
                        int64_t way)
{
    const uint32_t bytes = warp_element_bytes(instruction);
    const bool wide = bytes == 8 || instruction->destination_bytes == 8;
    for (uint32_t k = 0; k < instruction->vector; k++, place += bytes) {
        const uint32_t slot = instruction->source[1 + k];
        if (bytes == 8)
            SWEEP_STORE(any_u64, uint64_t);
        else if (bytes == 4 && wide)
            SWEEP_STORE(any_u32, uint64_t);
        else if (bytes == 4)
            SWEEP_STORE(any_u32, uint32_t);
        else if (bytes == 2 && wide)
            SWEEP_STORE(any_u16, uint64_t);
        else if (bytes == 2)
            SWEEP_STORE(any_u16, uint32_t);
        else if (wide)
            SWEEP_STORE(any_u8, uint64_t);
        else
            SWEEP_STORE(any_u8, uint32_t);
    }
}

/* Steps of loads and stores in global memory, of which the sectors follow from the first address. */
static bool sweep_is_told(struct worker *worker, const struct scalar_step *step, const struct sweep *sweep,
                          uint32_t width, bool store)
{
    struct scalar_access *const access = step->access;
    const uint64_t first = sweep->first / 32,
                   last = (sweep->first + (uint64_t)(31 * sweep->step) + width - 1) / 32;
    if (step->counts != (store ? SCALAR_COUNTS_STORE : SCALAR_COUNTS_LOAD) || sweep->step <= 0)
        return false;
    if (sweep->step >= 32) {
        if (worker->costliest.accesses && worker->block.number < access->wanted_below[COUNT_APART]) {
            access->wanted_below[COUNT_APART] = worker->block.number;
            return false;
        }
        access->told[COUNT_APART]++;
        cache_l1_sweep(worker->l1, store ? CACHE_STORE : CACHE_LOAD, sweep->first, (uint64_t)sweep->step,
                       width, step->allocates, worker->log, &worker->caches);
        return true;
    }
    if (store)
        return false;
    const struct count_instruction cost =
        count_spread_cost(&worker->counter, step->pc, (uint32_t)(last - first) + 1);
    if (worker->costliest.accesses &&
        costliest_wants(&worker->costliest, step->pc, PTX_GLOBAL, &cost, worker->block.number))
        return false;
    count_cost(&worker->counter, step->pc, &cost);
    cache_l1_row(worker->l1, CACHE_LOAD, (enum program_cache)step->instruction->cache, first,
                 (uint32_t)(last - first) + 1, worker->log, &worker->caches);
    return true;
}

/* A row is counted by its layout, all else by the general rule. */
static void sweep_tell(struct worker *worker, const struct warp *warp, struct scalar_step *step,
                       const struct sweep *sweep, bool store)
{
    const struct program_instruction *const instruction = step->instruction;
    struct warp_access access;
    if (step->counts == SCALAR_UNCOUNTED)
        return;
    if (sweep->step == instruction->width_bytes) {
        tell_access(worker, warp, step, WARP_ROW, sweep->first, instruction->width_bytes, store);
        return;
    }
    if (sweep_is_told(worker, step, sweep, instruction->width_bytes, store))
        return;
    warp_access_begin(&access, instruction, LANES_ALL, store);
    for (int64_t lane = 0; lane < LANES_WARP; lane++)
        access.address[lane] = sweep->first + (uint64_t)(lane * sweep->step);
    warp_count_shape(worker, warp, step->pc, (enum ptx_space)instruction->space, &access,
                     instruction->space == PTX_GLOBAL && sweep->step >= 32 ? ACCESS_APART : ACCESS_ANY);
}

static __attribute__((noinline)) bool access_steps(struct worker *worker, struct warp *warp,
                                                   struct scalar_step *step)
{
    const struct program_instruction *const instruction = step->instruction;
    const bool store = instruction->op == PROGRAM_ST;
    const struct sweep sweep = sweep_of(step, warp->frame);
    uint8_t *const place = sweep_place(step, &sweep, instruction->width_bytes);
    if (!place)
        return access_other(worker, warp, step, true);
    if (store) {
        warp->polls = warp->yields = 0;
        worker->block.changes++;
        sweep_store(instruction, warp->frame, place, sweep.step);
    } else {
        sweep_load(instruction, warp->frame, place, sweep.step);
    }
    sweep_tell(worker, warp, step, &sweep, store);
    return true;
}

static inline __attribute__((always_inline)) bool load_row(struct worker *worker, struct warp *warp,
                                                           struct scalar_step *step, const uint32_t width)
{
    uint8_t *const frame = warp->frame;
    const uint64_t address = address_of(step, frame);
    const uint8_t *const place = place_of(*step->access->range, address, width * LANES_WARP, width);
    if (!place || !is_row(step, frame, width))
        return access_steps(worker, warp, step);
    memcpy(lanes_slot(frame, step->to), place, width * LANES_WARP);
    tell_access(worker, warp, step, WARP_ROW, address, width, false);
    return true;
}

static inline __attribute__((always_inline)) bool store_row(struct worker *worker, struct warp *warp,
                                                            struct scalar_step *step, const uint32_t width)
{
    uint8_t *const frame = warp->frame;
    const uint64_t address = address_of(step, frame);
    uint8_t *const place = place_of(*step->access->range, address, width * LANES_WARP, width);
    if (!place || !is_row(step, frame, width))
        return access_steps(worker, warp, step);
    warp->polls = warp->yields = 0;
    worker->block.changes++;
    memcpy(place, lanes_slot(frame, step->b), width * LANES_WARP);
    tell_access(worker, warp, step, WARP_ROW, address, width, true);
    return true;
}

/* ---- the loop ---- */
/* Leaves at pc, of whose stretch the instructions before it have been executed. */
static enum scalar_stop leave_within(struct worker *worker, struct warp *warp,
                                     const struct scalar_stretch *stretch, const uint8_t *state, uint32_t pc)
{
    count_stretch(&worker->counter, stretch->first, pc, LANES_WARP);
    worker->block.executed += pc - stretch->first;
    scalars_part(worker, warp, state);
    return SCALAR_STOPS;
}

#define TO step->to
#define A step->a
#define B step->b
#define C step->c
/* Each step jumps to the next one's code by itself: the host's processor foresees such jumps better. */
#define NEXT                \
    do {                    \
        step++;             \
        goto * step->place; \
    } while (0)
#define PLACE(id) [SCALAR_##id] = &&DO_##id,
#define PAIR_PLACE(id, form) PLACE(id)

static enum scalar_stop scalars_run(struct worker *worker, struct warp *warp, struct scalar_stretch *stretch,
                                    uint32_t *pc, const void *const **places)
{
    static const void *const own[SCALAR_OP_COUNT] = {SCALAR_PAIR_LIST(PAIR_PLACE) SCALAR_STEP_LIST(PLACE)};
    if (!stretch) {
        *places = own;
        return SCALAR_STOPS;
    }
    uint8_t *const frame = warp->frame;
    struct scalar_step *step = stretch->steps;
    goto * step->place;
DO_ADD_32:
    TWO_32(TO) = TWO_32(A) + TWO_32(B);
    NEXT;
DO_ADD_64:
    TWO_64(TO) = TWO_64(A) + TWO_64(B);
    NEXT;
DO_SUB_32:
    TWO_32(TO) = TWO_32(A) - TWO_32(B);
    NEXT;
DO_SUB_64:
    TWO_64(TO) = TWO_64(A) - TWO_64(B);
    NEXT;
DO_MUL_32:
    TWO_32(TO) = TWO_32(A) * TWO_32(B);
    NEXT;
DO_MUL_64:
    TWO_64(TO) = TWO_64(A) * TWO_64(B);
    NEXT;
DO_MAD_32:
    TWO_32(TO) = TWO_32(A) * TWO_32(B) + TWO_32(C);
    NEXT;
DO_MAD_64:
    TWO_64(TO) = TWO_64(A) * TWO_64(B) + TWO_64(C);
    NEXT;
DO_SHL_32:
    TWO_32(TO) = WORD(B) > 31 ? (two_32){0} : TWO_32(A) << WORD(B);
    NEXT;
DO_SHL_64:
    TWO_64(TO) = WORD(B) > 63 ? (two_64){0} : TWO_64(A) << WORD(B);
    NEXT;
DO_MOV_32:
    TWO_32(TO) = TWO_32(A);
    NEXT;
DO_MOV_64:
DO_CVTA:
    TWO_64(TO) = TWO_64(A);
    NEXT;
DO_LOW_32:
    TWO_32(TO) = (two_32){(uint32_t)LONG(A), (uint32_t)LONG(A + 8)};
    NEXT;
DO_WIDEN_U32:
    TWO_64(TO) = widen_u32(TWO_32(A));
    NEXT;
DO_WIDEN_S32:
    TWO_64(TO) = widen_s32(TWO_32(A));
    NEXT;
DO_WIDE_U32:
    TWO_64(TO) = widen_product_u32(TWO_32(A), WORD(B));
    NEXT;
DO_WIDE_S32:
    TWO_64(TO) = widen_product_s32(TWO_32(A), WORD(B));
    NEXT;
DO_WIDE_ADD_U32:
    TWO_64(TO) = widen_product_u32(TWO_32(A), WORD(B)) + TWO_64(C);
    NEXT;
DO_WIDE_ADD_S32:
    TWO_64(TO) = widen_product_s32(TWO_32(A), WORD(B)) + TWO_64(C);
    NEXT;
DO_AND_32:
    TWO_32(TO) = TWO_32(A) & TWO_32(B);
    NEXT;
DO_OR_32:
    TWO_32(TO) = TWO_32(A) | TWO_32(B);
    NEXT;
DO_XOR_32:
    TWO_32(TO) = TWO_32(A) ^ TWO_32(B);
    NEXT;
DO_NOT_32:
    TWO_32(TO) = ~TWO_32(A);
    NEXT;
DO_SHR_U32:
    TWO_32(TO) = WORD(B) > 31 ? (two_32){0} : TWO_32(A) >> WORD(B);
    NEXT;
DO_SHR_S32:
    TWO_32(TO) = (two_32)((two_s32)TWO_32(A) >> (int32_t)(WORD(B) > 31 ? 31 : WORD(B)));
    NEXT;
DO_AND_64:
    TWO_64(TO) = TWO_64(A) & TWO_64(B);
    NEXT;
DO_OR_64:
    TWO_64(TO) = TWO_64(A) | TWO_64(B);
    NEXT;
DO_SHR_U64:
    TWO_64(TO) = WORD(B) > 63 ? (two_64){0} : TWO_64(A) >> WORD(B);
    NEXT;
DO_SHR_S64 : {
    const uint64_t value = (uint64_t)((int64_t)LONG(A) >> (WORD(B) > 63 ? 63 : WORD(B)));
    TWO_64(TO) = (two_64){value, value};
    NEXT;
}
#define TWO_OF(type, condition)                                                       \
    {                                                                                 \
        const type x = (type)WORD(A), y = (type)WORD(B), value = (condition) ? x : y; \
        TWO_32(TO) = (two_32){(uint32_t)value, (uint32_t)value};                      \
        NEXT;                                                                         \
    }
DO_MIN_U32:
    TWO_OF(uint32_t, x < y)
DO_MIN_S32:
    TWO_OF(int32_t, x < y)
DO_MAX_U32:
    TWO_OF(uint32_t, x > y)
DO_MAX_S32:
    TWO_OF(int32_t, x > y)
#define COMPARE(type, read, condition)                                               \
    {                                                                                \
        const bool swapped = (step->instruction->immediate & LANES_SWAPPED) != 0;    \
        const type x = (type)read(swapped ? B : A), y = (type)read(swapped ? A : B); \
        predicates_set(step->instruction, frame, condition);                         \
        NEXT;                                                                        \
    }
DO_IS_EQUAL_32:
    COMPARE(uint32_t, WORD, x == y)
DO_IS_LESS_U32:
    COMPARE(uint32_t, WORD, x < y)
DO_IS_LESS_S32:
    COMPARE(int32_t, WORD, x < y)
DO_IS_EQUAL_64:
    COMPARE(uint64_t, LONG, x == y)
DO_IS_LESS_U64:
    COMPARE(uint64_t, LONG, x < y)
DO_IS_LESS_S64:
    COMPARE(int64_t, LONG, x < y)
/* Where the lanes do not agree, by the function of all. */
#define ROW_COMPARE(type, ends_of, operator)                                                                 \
    {                                                                                                        \
        const struct program_instruction *const instruction = step->instruction;                             \
        const bool swapped = (instruction->immediate & LANES_SWAPPED) != 0;                                  \
        type x[2], y[2];                                                                                     \
        if (ends_of(frame, swapped ? B : A, swapped ? !step->row : step->row, x) &&                          \
            ends_of(frame, swapped ? A : B, swapped ? step->row : !step->row, y) && ROWS_AGREE_##operator) { \
            predicates_set(instruction, frame, ROWS_##operator);                                             \
        } else {                                                                                             \
            if (sizeof(type) == 4) {                                                                         \
                fill_row_32(frame, step->row ? A : B);                                                       \
                fill_same_32(frame, step->row ? B : A);                                                      \
            } else {                                                                                         \
                fill_row_64(frame, step->row ? A : B);                                                       \
                fill_same_64(frame, step->row ? B : A);                                                      \
            }                                                                                                \
            instruction->lanes(instruction, frame, LANES_ALL);                                               \
        }                                                                                                    \
        NEXT;                                                                                                \
    }
#define ROWS_LESS (x[0] < y[0])
#define ROWS_AGREE_LESS ((x[0] < y[0]) == (x[1] < y[1]))
#define ROWS_EQUAL (x[0] == y[0])
#define ROWS_AGREE_EQUAL \
    ((x[0] < y[0] && x[1] < y[1]) || (x[0] > y[0] && x[1] > y[1]) || (x[0] == y[0] && x[1] == y[1]))
DO_ROW_IS_EQUAL_32:
    ROW_COMPARE(int32_t, ends_s32, EQUAL)
DO_ROW_IS_LESS_U32:
    ROW_COMPARE(uint32_t, ends_u32, LESS)
DO_ROW_IS_LESS_S32:
    ROW_COMPARE(int32_t, ends_s32, LESS)
DO_ROW_IS_EQUAL_64:
    ROW_COMPARE(int64_t, ends_s64, EQUAL)
DO_ROW_IS_LESS_U64:
    ROW_COMPARE(uint64_t, ends_u64, LESS)
DO_ROW_IS_LESS_S64:
    ROW_COMPARE(int64_t, ends_s64, LESS)
DO_FILL_SAME_32:
    fill_same_32(frame, TO);
    NEXT;
DO_FILL_SAME_64:
    fill_same_64(frame, TO);
    NEXT;
DO_FILL_ROW_32:
    fill_row_32(frame, TO);
    NEXT;
DO_FILL_ROW_64:
    fill_row_64(frame, TO);
    NEXT;
DO_ROW_WIDEN_U32:
    if (__builtin_expect(row_stays_u32(TWO_32(A)), 1))
        goto DO_WIDEN_U32;
    goto leaves;
DO_ROW_WIDEN_S32:
    if (__builtin_expect(row_stays_s32(TWO_32(A)), 1))
        goto DO_WIDEN_S32;
    goto leaves;
DO_ROW_WIDE_U32:
    if (__builtin_expect(row_stays_u32(TWO_32(A)), 1))
        goto DO_WIDE_U32;
    goto leaves;
DO_ROW_WIDE_S32:
    if (__builtin_expect(row_stays_s32(TWO_32(A)), 1))
        goto DO_WIDE_S32;
    goto leaves;
DO_ROW_WIDE_ADD_U32:
    if (__builtin_expect(row_stays_u32(TWO_32(A)), 1))
        goto DO_WIDE_ADD_U32;
    goto leaves;
DO_ROW_WIDE_ADD_S32:
    if (__builtin_expect(row_stays_s32(TWO_32(A)), 1))
        goto DO_WIDE_ADD_S32;
    goto leaves;
DO_ADD_F32:
    add_f32(frame, TO, A, B, C);
    NEXT;
DO_ADD_F32_A:
    add_f32_a(frame, TO, A, B, C);
    NEXT;
DO_SUB_F32:
    sub_f32(frame, TO, A, B, C);
    NEXT;
DO_SUB_F32_A:
    sub_f32_a(frame, TO, A, B, C);
    NEXT;
DO_SUB_F32_B:
    sub_f32_b(frame, TO, A, B, C);
    NEXT;
DO_MUL_F32:
    mul_f32(frame, TO, A, B, C);
    NEXT;
DO_MUL_F32_A:
    mul_f32_a(frame, TO, A, B, C);
    NEXT;
DO_FMA_F32:
    fma_f32(frame, TO, A, B, C);
    NEXT;
DO_FMA_F32_A:
    fma_f32_a(frame, TO, A, B, C);
    NEXT;
DO_FMA_F32_C:
    fma_f32_c(frame, TO, A, B, C);
    NEXT;
DO_FMA_F32_AC:
    fma_f32_ac(frame, TO, A, B, C);
    NEXT;
DO_LANES:
    step->instruction->lanes(step->instruction, frame, LANES_ALL);
    NEXT;
DO_LANES_SOME : {
    const struct program_instruction *const instruction = step->instruction;
    const uint32_t written = *lanes_predicate(frame, instruction->guard);
    const uint32_t on = instruction->guard_negated ? ~written : written;
    if (on != LANES_ALL)
        count_guarded_off(&worker->counter, step->pc, (uint32_t)__builtin_popcount(~on));
    if (on)
        instruction->lanes(instruction, frame, on);
    NEXT;
}
DO_LOAD_SAME_32:
    if (!load_same(worker, warp, step, 4))
        goto fails;
    NEXT;
DO_LOAD_SAME_64:
    if (!load_same(worker, warp, step, 8))
        goto fails;
    NEXT;
DO_LOAD_SAME_ANY:
    if (!load_same_any(worker, warp, step))
        goto fails;
    NEXT;
DO_LOAD_ROW_32:
    if (!load_row(worker, warp, step, 4))
        goto fails;
    NEXT;
DO_LOAD_ROW_64:
    if (!load_row(worker, warp, step, 8))
        goto fails;
    NEXT;
DO_STORE_ROW_32:
    if (!store_row(worker, warp, step, 4))
        goto fails;
    NEXT;
DO_STORE_ROW_64:
    if (!store_row(worker, warp, step, 8))
        goto fails;
    NEXT;
DO_ACCESS_STEPS:
    if (!access_steps(worker, warp, step))
        goto fails;
    NEXT;
DO_ACCESS:
    if (!access_any(worker, warp, step))
        goto fails;
    NEXT;
DO_BRANCH : {
    const struct program_instruction *const instruction = step->instruction;
    const uint32_t written = *lanes_predicate(frame, A);
    const uint32_t on = instruction->guard_negated ? ~written : written;
    if (on != 0 && on != LANES_ALL) {
        *pc = step->pc;
        return leave_within(worker, warp, stretch, stretch->ends, step->pc);
    }
    stretch->runs++;
    worker->block.executed += stretch->end - stretch->first;
    struct scalar_stretch **const way = on ? &stretch->taken : &stretch->next;
    const uint32_t target = on ? instruction->target : stretch->end;
    stretch->passed += !on;
    if (__builtin_expect(!*way, 0))
        *way = scalars_follow(worker, stretch, target);
    if (__builtin_expect(!*way, 0)) {
        *pc = target;
        scalars_part(worker, warp, stretch->ends);
        return SCALAR_STOPS;
    }
    stretch = *way;
    if (on && worker_look_is_due(worker)) {
        *pc = target;
        warp->scalars.at = stretch;
        warp->scalars.state = stretch->begins;
        return SCALAR_LOOKS;
    }
    step = stretch->steps;
    goto * step->place;
}
DO_JUMP:
DO_ON : {
    const bool jump = step->op == SCALAR_JUMP;
    const uint32_t target = jump ? step->instruction->target : stretch->end;
    stretch->runs++;
    worker->block.executed += stretch->end - stretch->first;
    if (__builtin_expect(!stretch->taken, 0))
        stretch->taken = scalars_follow(worker, stretch, target);
    if (__builtin_expect(!stretch->taken, 0)) {
        *pc = target;
        scalars_part(worker, warp, stretch->ends);
        return SCALAR_STOPS;
    }
    stretch = stretch->taken;
    if (jump && worker_look_is_due(worker)) {
        *pc = target;
        warp->scalars.at = stretch;
        warp->scalars.state = stretch->begins;
        return SCALAR_LOOKS;
    }
    step = stretch->steps;
    goto * step->place;
}
DO_LEAVE:
    stretch->runs++;
    worker->block.executed += stretch->end - stretch->first;
    *pc = stretch->end;
    if (__builtin_expect(!stretch->next, 0) && step->instruction)
        stretch->next = scalars_follow(worker, stretch, stretch->end + 1);
    warp->scalars.at = stretch->next;
    warp->scalars.state = stretch->ends;
    return SCALAR_STOPS;
leaves:
    *pc = step->pc;
    return leave_within(worker, warp, stretch, step->state, step->pc);
fails:
    *pc = step->pc;
    count_stretch(&worker->counter, stretch->first, step->pc + 1, LANES_WARP);
    worker->block.executed += step->pc + 1 - stretch->first;
    return SCALAR_FAILS;
}

extern const struct scalar_build LANES_PASTED(scalar_, build, LANES_VARIANT);
const struct scalar_build LANES_PASTED(scalar_, build, LANES_VARIANT) = {
    .run = scalars_run, .fill = slots_fill, .look = slots_look};
