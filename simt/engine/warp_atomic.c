/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics, lane by lane in the order of lanes. In shared memory, and if one worker runs the whole launch,
 * they are plain operations; otherwise the host's compare-and-swap makes them atomic between workers.
 *
 * Floats round to nearest even. Global additions of f32 flush subnormals, as on GPUs; shared ones do not (PTX
 * ISA 9.0, atom).
 */
#include "simt/engine/handoff.h"
#include "simt/engine/warp_memory.h"

#include "simt/engine/warp_undefined.h"
#include "simt/lanes/lanes_half.h"

/* The operation of one lane of one instruction. */
struct atomic {
    enum program_atomic op;
    enum ptx_type type;
    uint32_t size_bytes;
    bool flush; /* of subnormals */
    bool plain;
    uint64_t operand, other; /* cas: operand is compared with, other is the new value */
};

static uint64_t atomic_unsigned(const struct atomic *atomic, uint64_t old)
{
    uint64_t b = atomic->operand;
    switch (atomic->op) {
    case ATOMIC_ADD: return old + b;
    case ATOMIC_MIN: return old < b ? old : b;
    case ATOMIC_MAX: return old > b ? old : b;
    case ATOMIC_INC: return old >= b ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    case ATOMIC_EXCH: return b;
    case ATOMIC_CAS: return old == b ? atomic->other : old;
    }
    return old;
}

static int64_t atomic_signed_value(const struct atomic *atomic, uint64_t bits)
{
    return atomic->size_bytes == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
}

static uint64_t atomic_signed(const struct atomic *atomic, uint64_t old)
{
    bool less = atomic_signed_value(atomic, old) < atomic_signed_value(atomic, atomic->operand);
    switch (atomic->op) {
    case ATOMIC_MIN: return less ? old : atomic->operand;
    case ATOMIC_MAX: return less ? atomic->operand : old;
    default: return atomic_unsigned(atomic, old);
    }
}

static uint64_t atomic_add_float(const struct atomic *atomic, uint64_t old)
{
    uint32_t a = (uint32_t)old, b = (uint32_t)atomic->operand;
    float sum = atomic->flush ? lanes_bits_float(lanes_flush_bits(a)) + lanes_bits_float(lanes_flush_bits(b))
                              : lanes_bits_float(a) + lanes_bits_float(b);
    uint32_t bits = sum != sum ? 0x7fffffffu : lanes_float_bits(sum);
    return atomic->flush ? lanes_flush_bits(bits) : bits;
}

static uint64_t atomic_add_double(const struct atomic *atomic, uint64_t old)
{
    double sum = lanes_bits_double(old) + lanes_bits_double(atomic->operand);
    return sum != sum ? UINT64_C(0xfff8000000000000) : lanes_double_bits(sum);
}

/* Halves are added as floats. A float has more than twice the digits, so rounding the sum a second time gives
 * the same result as rounding it once. */
static uint32_t half_sum(bool brain, uint32_t a, uint32_t b)
{
    a &= 0xffff;
    b &= 0xffff;
    return brain ? float_bf16(bf16_float(a) + bf16_float(b)) : float_f16(f16_float(a) + f16_float(b));
}

static uint64_t atomic_add_halves(const struct atomic *atomic, uint64_t old)
{
    uint32_t a = (uint32_t)old, b = (uint32_t)atomic->operand;
    bool brain = atomic->type == PTX_BF16 || atomic->type == PTX_BF16X2;
    uint32_t low = half_sum(brain, a, b);
    return atomic->size_bytes == 2 ? low : low | half_sum(brain, a >> 16, b >> 16) << 16;
}

static uint64_t atomic_result(const struct atomic *atomic, uint64_t old)
{
    bool add = atomic->op == ATOMIC_ADD;
    switch (atomic->type) {
    case PTX_S32:
    case PTX_S64: return atomic_signed(atomic, old);
    case PTX_F32: return add ? atomic_add_float(atomic, old) : atomic_unsigned(atomic, old);
    case PTX_F64: return add ? atomic_add_double(atomic, old) : atomic_unsigned(atomic, old);
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return add ? atomic_add_halves(atomic, old) : atomic_unsigned(atomic, old);
    default: return atomic_unsigned(atomic, old);
    }
}

/* Applies the operation at `place`; returns the old value; *changed: whether the new value differs. */
#define ATOMIC_APPLY(name, word)                                                                             \
    static uint64_t name(const struct atomic *atomic, uint8_t *place, bool *changed)                         \
    {                                                                                                        \
        word *at = (word *)(void *)place, old, new;                                                          \
        if (atomic->plain) {                                                                                 \
            old = *at;                                                                                       \
            *at = new = (word)atomic_result(atomic, old);                                                    \
        } else {                                                                                             \
            old = __atomic_load_n(at, __ATOMIC_ACQUIRE);                                                     \
            do {                                                                                             \
                new = (word)atomic_result(atomic, old);                                                      \
            } while (!__atomic_compare_exchange_n(at, &old, new, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)); \
        }                                                                                                    \
        *changed = new != old;                                                                               \
        return old;                                                                                          \
    }
ATOMIC_APPLY(atomic_apply_16, uint16_t)
ATOMIC_APPLY(atomic_apply_32, uint32_t)
ATOMIC_APPLY(atomic_apply_64, uint64_t)

static uint64_t atomic_apply(const struct atomic *atomic, uint8_t *place, bool *changed)
{
    switch (atomic->size_bytes) {
    case 2: return atomic_apply_16(atomic, place, changed);
    case 8: return atomic_apply_64(atomic, place, changed);
    default: return atomic_apply_32(atomic, place, changed);
    }
}

void warp_atomic_combine(const struct worker *worker, bool global, enum program_atomic op, enum ptx_type type,
                         uint8_t *place, uint64_t operand)
{
    const struct atomic atomic = {.op = op,
                                  .type = type,
                                  .size_bytes = ptx_type_bytes(type),
                                  .flush = false, /* cp.reduce keeps subnormals, as an H200's results show */
                                  .plain = !global || worker->run->alone,
                                  .operand = operand};
    bool changed;
    atomic_apply(&atomic, place, &changed);
}

static uint64_t slot_get(const uint8_t *frame, uint32_t slot, uint32_t size_bytes, uint32_t lane)
{
    if (slot == PROGRAM_NO_SLOT)
        return 0;
    return size_bytes == 8 ? ((const uint64_t *)(const void *)(frame + slot))[lane]
                           : ((const uint32_t *)(const void *)(frame + slot))[lane];
}

static void slot_set(uint8_t *frame, uint32_t slot, uint32_t size_bytes, uint32_t lane, uint64_t value)
{
    if (slot == PROGRAM_NO_SLOT)
        return;
    if (size_bytes == 8)
        ((uint64_t *)(void *)(frame + slot))[lane] = value;
    else
        ((uint32_t *)(void *)(frame + slot))[lane] = (uint32_t)value;
}

/* One lane: its elements one after the other. Returns whether memory has changed. */
static bool atomic_lane(struct worker *worker, struct warp *warp,
                        const struct program_instruction *instruction, struct atomic *atomic, uint8_t *place,
                        uint32_t lane)
{
    uint32_t size_bytes = atomic->size_bytes;
    bool any = false;
    for (uint32_t k = 0; k < instruction->vector; k++) {
        bool changed;
        atomic->operand = slot_get(warp->frame, instruction->source[1 + k], size_bytes, lane);
        if (atomic->op == ATOMIC_CAS)
            atomic->other = slot_get(warp->frame, instruction->source[2], size_bytes, lane);
        uint64_t old = atomic_apply(atomic, place + (size_t)k * size_bytes, &changed);
        slot_set(warp->frame, instruction->destination[k], size_bytes, lane, old);
        worker->block.changes += changed;
        warp->polls = changed ? 0 : warp->polls;
        warp->yields = changed ? 0 : warp->yields;
        any |= changed;
    }
    return any;
}

static struct undefined_element element_of(const struct worker *worker, enum ptx_space space,
                                           const struct memory_range *range, const struct warp_access *access,
                                           uint32_t lane, uint32_t k, uint32_t size_bytes)
{
    uint64_t address = access->address[lane] + (uint64_t)k * size_bytes;
    return (struct undefined_element){.space = space,
                                      .bits = range->initialised,
                                      .at = address - range->address,
                                      .address = address,
                                      .key = undefined_key(space, worker->block.number, 0, address),
                                      .size_bytes = size_bytes,
                                      .lane = lane,
                                      .k = k};
}

/* Local memory is nobody else's. Its words are not in a row: the element is copied out and back. */
static bool atomic_local(struct worker *worker, struct warp *warp, uint32_t pc,
                         const struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct atomic atomic = {.op = (enum program_atomic)instruction->sub,
                            .type = (enum ptx_type)instruction->type,
                            .size_bytes = warp_element_bytes(instruction),
                            .plain = true};
    const struct memory_range own = {.size_bytes = worker->run->local_bytes};
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = access->address[lane];
        uint64_t value[2 * PROGRAM_VECTOR] = {0};
        if (address >= own.size_bytes || own.size_bytes - address < access->width_bytes) {
            warp_fault_outside(worker, warp, pc, PTX_LOCAL, access, lane, &own);
            return false;
        }
        if (!warp_is_aligned(worker, warp, pc, PTX_LOCAL, access, lane))
            return false;
        for (uint32_t at = 0; at < access->width_bytes; at++)
            ((uint8_t *)value)[at] = warp->local[warp_local_place(address + at, lane)];
        atomic_lane(worker, warp, instruction, &atomic, (uint8_t *)value, lane);
        for (uint32_t at = 0; at < access->width_bytes; at++) {
            uint64_t place = warp_local_place(address + at, lane);
            warp->local[place] = ((uint8_t *)value)[at];
            if (worker->run->check)
                warp->local_written[place / 8] |= (uint8_t)(1u << place % 8);
        }
    }
    return true;
}

static bool atomic_in_space(struct worker *worker, struct warp *warp, uint32_t pc, enum ptx_space space,
                            const struct warp_access *access)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const struct memory_range *range = NULL;
    enum warp_reach reach = WARP_OUTSIDE;
    struct atomic atomic = {.op = (enum program_atomic)instruction->sub,
                            .type = (enum ptx_type)instruction->type,
                            .size_bytes = warp_element_bytes(instruction),
                            .flush = space == PTX_GLOBAL,
                            .plain = space == PTX_SHARED || worker->run->alone};
    if (space == PTX_LOCAL)
        return atomic_local(worker, warp, pc, access);
    if (space == PTX_SHARED) {
        range = &worker->block.shared;
        reach = worker->vector->reach(range, access);
    } else if (space == PTX_GLOBAL) {
        range = warp_locate_all(worker, pc, access, &reach);
    }
    for (uint32_t left = access->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct memory_range *own = range;
        if (reach == WARP_OUTSIDE)
            own = warp_locate(worker, warp, pc, space, access, lane, 0, access->width_bytes);
        if (!own)
            return false;
        struct undefined_kept kept[PROGRAM_VECTOR] = {{0}};
        bool follow = worker->run->check && own->initialised;
        for (uint32_t k = 0; follow && k < instruction->vector; k++) {
            const struct undefined_element element =
                element_of(worker, space, own, access, lane, k, atomic.size_bytes);
            kept[k] = undefined_atomic(worker, warp, pc, &element);
        }
        if (worker->run->check) {
            warp_touch(worker, warp, pc, space, own, access->address[lane], access->width_bytes, lane,
                       WARP_UPDATES, NULL);
        }
        for (uint32_t k = 0; follow && k < instruction->vector; k++) {
            const struct undefined_element element =
                element_of(worker, space, own, access, lane, k, atomic.size_bytes);
            undefined_keep(worker, pc, &element, kept[k]);
        }
        bool changed = atomic_lane(worker, warp, instruction, &atomic,
                                   own->bytes + (access->address[lane] - own->address), lane);
        if (worker->run->handoffs && space == PTX_GLOBAL)
            handoff_atomic(worker, access->address[lane], changed);
    }
    warp_count(worker, warp, pc, space, access);
    return true;
}

bool warp_atomic(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    struct warp_spaces spaces;
    warp->polls++;
    warp_access_begin(&access, instruction, on, true);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   &access);
    if (instruction->space != PTX_GENERIC)
        return atomic_in_space(worker, warp, pc, (enum ptx_space)instruction->space, &access);
    if (!warp_split_spaces(worker, &access, &spaces))
        return atomic_in_space(worker, warp, pc, PTX_GLOBAL, &access);
    for (uint32_t i = 0; i < spaces.count; i++)
        if (!atomic_in_space(worker, warp, pc, spaces.space[i], &spaces.access[i]))
            return false;
    return true;
}
