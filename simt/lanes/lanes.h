/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of PTX over the 32 lanes of a warp: integer, float and double operations, logic, shifts,
 * comparisons, selection, conversions, moves. There is one function per operation and type, written so that
 * compilers vectorise it. The files are compiled for several vector widths; which of these builds runs is
 * chosen once, by the processor's features. All builds give the same bits.
 *
 * Results are bit-equal to the GPU's for integer operations and for IEEE operations with their rounding (.rn
 * .rz .rm .rp), saturation and .ftz. Approximations (rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx;
 * div.approx, div.full) have the errors that docs/ptx.md states. NaN results are 0x7fffffff (f32), 0x7fff
 * (f16, bf16) and 0xfff8000000000000 (f64; not specified by PTX). PTX ISA 9.0, chapter 9.
 *
 * Static tables, any thread.
 */
#ifndef SIMT_LANES_LANES_H
#define SIMT_LANES_LANES_H

#include "simt/lanes/program.h"

#define LANES_OPERANDS 8

/* Values of lanes_form.operands besides the PTX types. */
#define LANES_CARRY \
    ((enum ptx_type)(PTX_TYPE_COUNT + 0)) /* the carry, not written in the text: one predicate slot */
#define LANES_OTHER_PRED ((enum ptx_type)(PTX_TYPE_COUNT + 1)) /* q of p|q: PROGRAM_NO_SLOT if missing */

/* An instruction as written, and the function that executes it. */
struct lanes_form {
    lane_function *function;
    enum program_class class;
    uint32_t destination_count, operand_count;
    /* Destinations (destination[0], ...), then sources (source[0], ...), in the order of the text. An operand
     * of an integer or float type may be a register of that kind or of .b; one of a .b type may be any
     * register of that size. */
    enum ptx_type operands[LANES_OPERANDS];
    uint32_t modifiers; /* the bits below; stored in `immediate` */
};

enum lanes_rounding { LANES_RN, LANES_RZ, LANES_RM, LANES_RP, LANES_RNA };
enum lanes_boolean { LANES_NO_BOOLEAN, LANES_AND, LANES_OR, LANES_XOR };

#define LANES_ROUNDING(modifiers) ((modifiers)&7u)
#define LANES_FTZ 0x8u
#define LANES_SAT 0x10u
#define LANES_RELU 0x20u
#define LANES_SATFINITE 0x40u
#define LANES_NEGATED 0x80u /* set by lower: the last predicate source is !c */
#define LANES_BOOLEAN(modifiers) ((modifiers) >> 8 & 3u)
#define LANES_SWAPPED 0x400u                                             /* a comparison compares b with a */
#define LANES_COMPLEMENT 0x800u                                          /* ... and its result is inverted */
#define LANES_NAN 0x1000u                                                /* min.NaN, max.NaN */
#define LANES_XORSIGN 0x2000u                                            /* .xorsign.abs */
#define LANES_TO_INTEGER 0x4000u                                         /* .rni .rzi .rmi .rpi */
#define LANES_TYPE(modifiers) ((enum ptx_type)((modifiers) >> 16 & 31u)) /* first type: a cvt's result */
#define LANES_SECOND_TYPE(modifiers) ((enum ptx_type)((modifiers) >> 21 & 31u)) /* the last type */
/* Set by lower for a cvt whose registers are wider than its types: the bytes of the destination, 2, 4 or 8;
 * and whether the source is in a 64-bit slot. */
#define LANES_WIDE_DESTINATION(log2_bytes) ((uint32_t)(log2_bytes) << 26)
#define LANES_DESTINATION_BYTES(modifiers) (1u << ((modifiers) >> 26 & 3u))
#define LANES_WIDE_SOURCE 0x10000000u

/*
 * Finds the form of an opcode with modifiers as written ("add.rn.f32"). Returns false if it is not an
 * instruction of simt/lanes, or a combination that PTX does not have. Where the text is ambiguous, simt/lanes
 * has names of its own:
 *   mov.pack.b64.2, mov.unpack.b64.2   mov between a vector of 2 or 4 and a scalar
 *   cvt.any...                         a cvt with registers of any sizes (LANES_WIDE_DESTINATION...)
 * source[...] holds shift counts, selectors and lop3's table like any other operand.
 */
bool lanes_find(const char *text, struct lanes_form *form);

/* ---- tables of forms ---- */

/*
 * The tables of lane functions, for the files of simt/lanes, tests and benchmarks. Each lanes_*.c that is
 * compiled once per variant (its name is LANES_VARIANT) ends in a table of its forms.
 */

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
