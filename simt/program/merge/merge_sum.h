/*
 * Sums, for simt/program/merge/merge_value: the content of a register as values with factors and a constant,
 * modulo 2^32 or 2^64; and the known content of the slots of a frame. A value that is not a sum of others is
 * an atom; two instructions with the same operation on the same sums give the same atom. One owner and
 * thread. If memory runs out, `no_memory` is set and all other fields are invalid.
 */
#ifndef SIMT_PROGRAM_MERGE_SUM_H
#define SIMT_PROGRAM_MERGE_SUM_H

#include "simt/program/merge/merge_flow.h"
#include "simt/program/merge/merge_intern.h"

#define SUM_TERMS 4

struct term {
    uint64_t factor;
    uint32_t atom, unused;
};

/* term[0].atom < term[1].atom ...; no factor is 0. All bytes after term_count terms are 0, because sums are
 * compared as bytes. */
struct sum {
    uint64_t constant;
    struct term term[SUM_TERMS];
    uint32_t term_count, bits; /* 32 or 64: sums are modulo 2^bits */
};

enum atom_kind {
    ATOM_SLOT,       /* a register with several writers, or never written: a: slot, b: stretch */
    ATOM_SYMBOL,     /* the address of a variable: bits */
    ATOM_RESULT,     /* of instruction a, destination b */
    ATOM_EXPRESSION, /* of the same operation on the same sums */
    ATOM_PRODUCT     /* likewise, in either order of the operands */
};

struct atom_key {
    lane_function *function;
    uint64_t bits;
    uint32_t kind, a, b;
    uint32_t sums[PROGRAM_SOURCES];
    uint32_t unused;
};

struct atom {
    uint64_t symbol;
    uint8_t zeros;
    bool uniform, is_symbol;
};

struct slot {
    uint32_t writers; /* a guarded one counts as two: the old value can remain */
    uint32_t stretch; /* the stretch in which the value is known; 0: it is not */
    uint8_t zeros;    /* if there are several writers: common to all values written */
    bool constant, uniform_special;
    uint64_t bits;
    struct sum value;
};

struct values {
    const struct program *program;
    const struct flow *flow;
    struct slot *slots; /* by frame offset / 4 */
    uint32_t slot_count;
    uint32_t stretch;
    struct intern sums, atom_keys;
    struct atom *atoms; /* by number in atom_keys */
    uint32_t atom_capacity;
    bool no_memory, changed;
};

struct sum sum_constant(uint64_t constant, uint32_t bits);
struct sum sum_atom(uint32_t atom, uint32_t bits);
struct sum sum_scale(const struct sum *a, uint64_t factor);
/* False, with nothing changed: the sum would have more than SUM_TERMS terms. */
bool sum_add(struct sum *sum, const struct sum *a, const struct sum *b);
/* Number of low bits that are always 0, with and without the constant; 64: the value is 0. */
uint32_t sum_zeros(const struct values *values, const struct sum *sum);
uint32_t sum_root_zeros(const struct values *values, const struct sum *sum);
uint32_t sum_zeros_of(uint64_t constant);
bool sum_uniform(const struct values *values, const struct sum *sum); /* the same for all lanes of a warp */
bool sum_has_symbol(const struct values *values, const struct sum *sum);
uint32_t sum_number(struct values *values, const struct sum *sum); /* equal sums have equal numbers */
/* The number of the atom with this key; if it is new, `atom` is stored. */
uint32_t atom_find(struct values *values, const struct atom_key *key, const struct atom *atom);

struct slot *slot_at(const struct values *values, uint32_t offset); /* NULL: none */
struct sum slot_read(struct values *values, uint32_t offset, uint32_t bits);
void slot_write(struct values *values, uint32_t offset, const struct sum *sum);

#endif
