/*
 * The tables of lane functions, for the files of simt/lanes, tests and benchmarks. Each lanes_*.c that is
 * compiled once per variant (its name is LANES_VARIANT) ends in a table of its forms.
 */
#ifndef SIMT_LANES_LANES_TABLE_H
#define SIMT_LANES_LANES_TABLE_H

#include "simt/lanes/lanes.h"

struct lanes_entry {
    const char *form; /* "add[.rn|].f32": brackets hold alternatives */
    lane_function *function;
    uint8_t class; /* enum program_class */
    uint8_t destination_count;
    uint8_t
        operands[LANES_OPERANDS]; /* enum ptx_type, LANES_CARRY or LANES_OTHER_PRED; ended by PTX_NO_TYPE */
};

/* Files with a table, each compiled for every variant. */
#define LANES_GROUP_LIST(X) \
    X(integer) X(carry) X(bits) X(float) X(half) X(approx) X(compare) X(convert) X(move)
#define LANES_VARIANT_GROUPS 9

struct lanes_variant {
    const char *name;        /* "baseline", "avx2", "avx512" */
    bool (*runs_here)(void); /* whether this processor has the features that it needs */
    const struct lanes_entry *const
        *groups; /* LANES_VARIANT_GROUPS tables, each ended by an entry without form */
};

const struct lanes_variant *lanes_variant_at(size_t index); /* NULL past the end; the widest is last */
/* The widest that this processor has, or that MODEL_VECTORS_VARIABLE allows (core/wire/standin_config.h). */
size_t lanes_variant_chosen(void);

extern const struct lanes_entry lanes_rounding[], lanes_convert_any[]; /* compiled once, not per variant */

bool lanes_form_matches(const char *form, const char *text);
/* The value of `immediate` for the modifiers of an instruction. */
uint32_t lanes_modifiers(const char *text);
bool lanes_find_in(const struct lanes_variant *variant, const char *text, struct lanes_form *form);

/* For listing all forms: entry `index`; NULL past the end. */
const struct lanes_entry *lanes_entry_at(size_t index);

#endif
