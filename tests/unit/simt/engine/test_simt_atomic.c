/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of every operation and type, in global and shared memory, against an oracle that goes lane by lane.
 */
#include "tests/shared/made/made_program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct made_machine machine;
static struct grid_result result;

static void set_up(void)
{
    made_machine_init(&machine, 1, 4, false);
}

static void tear_down(void)
{
    made_machine_fini(&machine);
}

TestSuite(simt_atomic, .init = set_up, .fini = tear_down);

static uint32_t random_state = 5;

static uint32_t random_32(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state ^ random_state >> 15;
}

static float as_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A half's value: 5 or 8 bits of exponent, the rest but the sign of mantissa. */
static double half_value(bool brain, uint32_t bits)
{
    int digits = brain ? 7 : 10, bias = brain ? 127 : 15;
    int exponent = (int)((bits & 0x7fff) >> digits), mantissa = (int)(bits & ((1u << digits) - 1));
    double value = exponent == 0 ? ldexp(mantissa, 1 - bias - digits)
                                 : ldexp(mantissa + (1 << digits), exponent - bias - digits);
    return bits & 0x8000 ? -value : value;
}

/* The half that is nearest to a finite value, by looking at all of them; of two the one with an even
 * mantissa. */
static uint32_t half_nearest(bool brain, double value)
{
    double size = fabs(value), best = INFINITY;
    uint32_t found = 0, last = brain ? 0x7f7f : 0x7bff;
    for (uint32_t bits = 0; bits <= last; bits++) {
        double off = fabs(half_value(brain, bits) - size);
        if (off < best || (off == best && bits % 2 == 0)) {
            best = off;
            found = bits;
        }
    }
    return found | (signbit(value) ? 0x8000 : 0);
}

static uint64_t half_sum(enum ptx_type type, uint64_t a, uint64_t b)
{
    bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    uint64_t sum = 0;
    for (uint32_t at = 0; at < 8 * ptx_type_bytes(type); at += 16) {
        double value = half_value(brain, a >> at & 0xffff) + half_value(brain, b >> at & 0xffff);
        sum |= (uint64_t)half_nearest(brain, value) << at;
    }
    return sum;
}

static bool is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

static uint64_t oracle(enum program_atomic op, enum ptx_type type, uint64_t old, uint64_t b, uint64_t new)
{
    bool wide = ptx_type_bytes(type) == 8, sign = type == PTX_S32 || type == PTX_S64;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    int64_t so = wide ? (int64_t)old : (int32_t)(uint32_t)old, sb = wide ? (int64_t)b : (int32_t)(uint32_t)b;
    switch (op) {
    case ATOMIC_ADD:
        return is_half(type)     ? half_sum(type, old, b)
               : type == PTX_F32 ? of_float(as_float(old) + as_float(b))
               : type == PTX_F64 ? of_double(as_double(old) + as_double(b))
                                 : (old + b) & mask;
    case ATOMIC_MIN: return (sign ? so < sb : old < b) ? old : b;
    case ATOMIC_MAX: return (sign ? so > sb : old > b) ? old : b;
    case ATOMIC_INC: return old >= b ? 0 : old + 1;
    case ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOMIC_AND: return old & b;
    case ATOMIC_OR: return old | b;
    case ATOMIC_XOR: return old ^ b;
    case ATOMIC_EXCH: return b;
    case ATOMIC_CAS: return old == b ? new : old;
    }
    return 0;
}

/* Values that make something of each operation: small ones meet, and floats are ordinary numbers. */
static uint64_t operand(enum ptx_type type)
{
    switch (type) {
    case PTX_F32: return of_float((float)(random_32() % 2000) / 7.0f - 100.0f);
    case PTX_F64: return of_double((double)random_32() / 7.0 - 1e8);
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: { /* any but the largest, of like size, so that digits are lost */
        uint32_t bits = (random_32() & 0x83ff83ffu) | (random_32() % 4 << 10 | 0x1800u) | 0x18000000u;
        return type == PTX_F16 || type == PTX_BF16 ? bits & 0xffff : bits;
    }
    case PTX_B16: return random_32() % 3;
    default: break;
    }
    uint64_t bits = random_32() % 3 ? random_32() % 4 : (uint64_t)random_32() << 32 | random_32();
    return ptx_type_bytes(type) == 8 ? bits : (uint32_t)bits;
}

/*
 * Lane l works on place l & mask of eight; memory: 8 places, then 32 operands, 32 new values, 32 old ones,
 * all 8 bytes apart. In shared memory places are brought there first and back afterwards by one lane.
 */
static void check_one(enum program_atomic op, enum ptx_type type, enum ptx_space space, uint32_t mask,
                      uint32_t lanes)
{
    struct made_program made;
    uint64_t words[8 + 96], want[8 + 96];
    uint32_t bytes = ptx_type_bytes(type), slot_bytes = bytes < 4 ? 4 : bytes;
    made_begin(&made, "kernel");
    uint32_t lane = made_special(&made, SPECIAL_TID_X), out = made_parameter(&made, 0, 8);
    uint32_t own = made_slot(&made, 8), twice = made_slot(&made, 4), some = made_slot(&made, 1);
    uint32_t value = made_slot(&made, slot_bytes), other = made_slot(&made, slot_bytes);
    uint32_t old = made_slot(&made, slot_bytes);
    uint32_t place = made_slot(&made, 8), index = made_slot(&made, 4), few = made_slot(&made, 1);
    uint32_t small = made_slot(&made, 4), moved = made_slot(&made, 8);
    made_lanes(&made, made_add, twice, lane, lane);
    made_lanes(&made, made_wide_add, own, out, twice);
    made_lanes(&made, made_and, index, twice, made_constant(&made, 4, 2 * mask));
    made_lanes(&made, made_wide_add, place, out, index);
    made_lanes(&made, made_mul, small, index, made_constant(&made, 4, 4));
    made_lanes(&made, made_less, some, lane, made_constant(&made, 4, lanes));
    made_lanes(&made, made_less, few, lane, made_constant(&made, 4, 8));
    made_load(&made, PTX_GLOBAL, value, own, bytes)->offset = 64;
    made_load(&made, PTX_GLOBAL, other, own, bytes)->offset = 64 + 256;
    uint32_t at = place;
    if (space == PTX_SHARED) {
        uint32_t eight = made_slot(&made, 4);
        made.program.static_shared_bytes = 64;
        made_lanes(&made, made_mul, eight, lane, made_constant(&made, 4, 8));
        made_load(&made, PTX_GLOBAL, moved, own, 8)->guard = few;
        made_store(&made, PTX_SHARED, eight, moved, 8)->guard = few;
        at = small;
        struct program_instruction *atomic = made_atomic(&made, space, op, type, old, at, value);
        atomic->source[2] = other;
        atomic->guard = some;
        made_load(&made, PTX_SHARED, moved, eight, 8)->guard = few;
        made_store(&made, PTX_GLOBAL, own, moved, 8)->guard = few;
    } else {
        struct program_instruction *atomic = made_atomic(&made, space, op, type, old, at, value);
        atomic->source[2] = other;
        atomic->guard = some;
    }
    struct program_instruction *store = made_store(&made, PTX_GLOBAL, own, old, bytes);
    store->offset = 64 + 512;
    store->guard = some;
    store->destination_bytes = (uint8_t)slot_bytes;
    made_end(&made);

    for (int i = 0; i < 8 + 96; i++)
        words[i] = i < 72 ? operand(type) : 0;
    memcpy(want, words, sizeof want);
    for (uint32_t l = 0; l < lanes; l++) {
        uint64_t before = want[l & mask];
        want[l & mask] = oracle(op, type, before, want[8 + l], want[40 + l]);
        want[72 + l] = before;
    }
    made_run_words(&machine, &made, 1, 32, (uint32_t *)words, 2 * (8 + 96), &result);
    grid_result_fini(&result);
    for (int i = 0; i < 8 + 96; i++) {
        cr_assert_eq(words[i], want[i], "op %d %s space %d lanes %u word %d: %llx, not %llx", op,
                     ptx_type_text(type), space, lanes, i, (unsigned long long)words[i],
                     (unsigned long long)want[i]);
    }
}

static bool has(enum program_atomic op, enum ptx_type type)
{
    if (type == PTX_F32 || type == PTX_F64)
        return op == ATOMIC_ADD || op == ATOMIC_EXCH;
    return type == PTX_B16 ? op == ATOMIC_CAS : !is_half(type) || op == ATOMIC_ADD;
}

Test(simt_atomic, every_operation_and_type_in_the_order_of_lanes)
{
    static const enum ptx_type types[] = {PTX_B32, PTX_U32, PTX_S32, PTX_B64,   PTX_U64,  PTX_S64,   PTX_F32,
                                          PTX_F64, PTX_B16, PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        for (int op = ATOMIC_ADD; op <= ATOMIC_CAS; op++) {
            for (uint32_t mask = 0; has((enum program_atomic)op, types[t]) && mask < 8; mask = 2 * mask + 1) {
                check_one((enum program_atomic)op, types[t], PTX_GLOBAL, mask, 32);
                check_one((enum program_atomic)op, types[t], PTX_SHARED, mask, 32 - mask);
            }
        }
    }
}

/* A float addition in global memory takes and gives no subnormals; in shared memory it does. */
Test(simt_atomic, global_float_additions_flush_subnormals)
{
    for (int shared = 0; shared < 2; shared++) {
        struct made_program made;
        uint32_t words[2] = {0x00000001, 0};
        made_begin(&made, "kernel");
        uint32_t out = made_parameter(&made, 0, 8), value = made_slot(&made, 4),
                 zero = made_constant(&made, 4, 0);
        uint32_t tiny = made_constant(&made, 4, 0x00000002);
        made.program.static_shared_bytes = 4;
        if (shared) {
            made_store(&made, PTX_SHARED, zero, made_constant(&made, 4, 1), 4);
            made_atomic(&made, PTX_SHARED, ATOMIC_ADD, PTX_F32, PROGRAM_NO_SLOT, zero, tiny);
            made_load(&made, PTX_SHARED, value, zero, 4);
        } else {
            made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_F32, PROGRAM_NO_SLOT, out, tiny);
            made_load(&made, PTX_GLOBAL, value, out, 4);
        }
        made_store(&made, PTX_GLOBAL, out, value, 4)->offset = 4;
        made_end(&made);
        made_run_words(&machine, &made, 1, 1, words, 2, &result);
        grid_result_fini(&result);
        cr_assert_eq(words[1], shared ? 3 : 0);
    }
}
