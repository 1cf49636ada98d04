/*
 * The terms of a sum are sorted by atom and have no factor 0; a sum has at most SUM_TERMS of them. Atoms and
 * sums are interned (simt/program/merge/merge_intern): equal keys have equal numbers, and numbers are never
 * freed.
 */
#include "simt/program/merge/merge_sum.h"

#include "core/base/array.h"
#include <stdlib.h>

/* ---- sums ---- */
static uint64_t sum_mask(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : UINT32_MAX;
}

struct sum sum_constant(uint64_t constant, uint32_t bits)
{
    return (struct sum){.constant = constant & sum_mask(bits), .bits = bits};
}

struct sum sum_atom(uint32_t atom, uint32_t bits)
{
    return (struct sum){.term = {{.factor = 1, .atom = atom}}, .term_count = 1, .bits = bits};
}

/* A single value, the same in 32 bits and in 64. */
static bool sum_is_atom(const struct sum *sum)
{
    return sum->term_count == 1 && sum->term[0].factor == 1 && sum->constant == 0;
}

uint32_t sum_zeros_of(uint64_t constant)
{
    return constant ? (uint32_t)__builtin_ctzll(constant) : 64;
}

static uint32_t sum_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t sum_root_zeros(const struct values *values, const struct sum *sum)
{
    uint32_t zeros = 64;
    for (uint32_t i = 0; i < sum->term_count; i++) {
        uint32_t atom = values->no_memory ? 0 : values->atoms[sum->term[i].atom].zeros;
        zeros = sum_least(zeros, atom + sum_zeros_of(sum->term[i].factor));
    }
    return zeros;
}

uint32_t sum_zeros(const struct values *values, const struct sum *sum)
{
    return sum_least(sum_root_zeros(values, sum), sum_zeros_of(sum->constant));
}

bool sum_uniform(const struct values *values, const struct sum *sum)
{
    for (uint32_t i = 0; i < sum->term_count; i++)
        if (values->no_memory || !values->atoms[sum->term[i].atom].uniform)
            return false;
    return true;
}

bool sum_has_symbol(const struct values *values, const struct sum *sum)
{
    for (uint32_t i = 0; i < sum->term_count; i++)
        if (!values->no_memory && values->atoms[sum->term[i].atom].is_symbol)
            return true;
    return false;
}

struct sum sum_scale(const struct sum *a, uint64_t factor)
{
    struct sum sum = sum_constant(a->constant * factor, a->bits);
    for (uint32_t i = 0; i < a->term_count; i++) {
        uint64_t product = a->term[i].factor * factor & sum_mask(a->bits);
        if (product)
            sum.term[sum.term_count++] = (struct term){.factor = product, .atom = a->term[i].atom};
    }
    return sum;
}

bool sum_add(struct sum *sum, const struct sum *a, const struct sum *b)
{
    struct sum result = sum_constant(a->constant + b->constant, a->bits);
    for (uint32_t i = 0, j = 0; i < a->term_count || j < b->term_count;) {
        struct term term;
        if (j == b->term_count || (i < a->term_count && a->term[i].atom < b->term[j].atom)) {
            term = a->term[i++];
        } else if (i == a->term_count || b->term[j].atom < a->term[i].atom) {
            term = b->term[j++];
        } else {
            term = a->term[i++];
            term.factor = (term.factor + b->term[j++].factor) & sum_mask(a->bits);
        }
        if (term.factor == 0)
            continue;
        if (result.term_count == SUM_TERMS)
            return false;
        result.term[result.term_count++] = term;
    }
    *sum = result;
    return true;
}

/* ---- atoms ---- */
uint32_t atom_find(struct values *values, const struct atom_key *key, const struct atom *atom)
{
    bool is_new;
    uint32_t number = intern_find(&values->atom_keys, key, &is_new);
    if (number == INTERN_NONE) {
        values->no_memory = true;
        return 0;
    }
    if (is_new) {
        if (!array_grow(values->atoms, values->atom_capacity, number, 1)) {
            values->no_memory = true;
            return 0;
        }
        values->atoms[number] = *atom;
    }
    return number;
}

uint32_t sum_number(struct values *values, const struct sum *sum)
{
    bool is_new;
    uint32_t number = intern_find(&values->sums, sum, &is_new);
    values->no_memory = values->no_memory || number == INTERN_NONE;
    return number;
}

/* ---- slots ---- */
struct slot *slot_at(const struct values *values, uint32_t offset)
{
    return offset / 4 < values->slot_count ? &values->slots[offset / 4] : NULL;
}

struct sum slot_read(struct values *values, uint32_t offset, uint32_t bits)
{
    struct slot *slot = offset == PROGRAM_NO_SLOT ? NULL : slot_at(values, offset);
    if (slot && slot->constant)
        return sum_constant(slot->bits, bits);
    bool known = slot && slot->stretch && (slot->writers < 2 || slot->stretch == values->stretch);
    if (known && (slot->value.bits == bits || sum_is_atom(&slot->value))) {
        struct sum value = slot->value;
        value.bits = bits;
        return value;
    }
    struct atom_key key = {.kind = ATOM_SLOT, .a = offset, .b = values->stretch};
    struct atom atom = {.uniform = slot && slot->uniform_special};
    if (known) { /* of another width: the known low bits remain true, the sum may not */
        atom.zeros = (uint8_t)sum_zeros(values, &slot->value);
        atom.uniform = sum_uniform(values, &slot->value);
        key.bits = bits;
    } else if (slot && slot->writers > 1) {
        atom.zeros = slot->zeros;
    } else {
        key.b = 0; /* never written, or written by a later instruction: the same everywhere */
    }
    return sum_atom(atom_find(values, &key, &atom), bits);
}

void slot_write(struct values *values, uint32_t offset, const struct sum *sum)
{
    struct slot *slot = slot_at(values, offset);
    if (!slot)
        return;
    slot->value = *sum;
    slot->stretch = values->stretch;
    uint32_t zeros = sum_zeros(values, sum);
    if (slot->writers > 1 && zeros < slot->zeros) {
        slot->zeros = (uint8_t)zeros;
        values->changed = true;
    }
}
