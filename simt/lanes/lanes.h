/*
 * The arithmetic of PTX over the 32 lanes of a warp: integer, float and double operations, logic, shifts,
 * comparisons, selection, conversions, moves. One function per operation and type, written so that compilers
 * make vector instructions of them; the files are compiled for several widths of vectors, and which of these
 * builds runs is chosen once, by what the processor has. All builds give the same bits.
 *
 * Results are bit-equal to the GPU's for integer and IEEE operations with their rounding (.rn .rz .rm .rp),
 * saturation and .ftz; approximations (rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx; div.approx,
 * div.full) are within the errors that docs/ptx.md states. NaN results: 0x7fffffff (f32), 0x7fff (f16, bf16),
 * 0xfff8000000000000 (f64; PTX does not say which). PTX ISA 9.0, chapter 9.
 *
 * Static tables, any thread.
 */
#ifndef SIMT_LANES_LANES_H
#define SIMT_LANES_LANES_H

#include "simt/lanes/program.h"

#define LANES_OPERANDS 8

/* What stands in lanes_form.operands beside the types of PTX. */
#define LANES_CARRY \
    ((enum ptx_type)(PTX_TYPE_COUNT + 0)) /* the carry, not written in the text: one predicate slot */
#define LANES_OTHER_PRED \
    ((enum ptx_type)(PTX_TYPE_COUNT + 1)) /* q of p|q: may be left out, PROGRAM_NO_SLOT */

/* An instruction as written, and the function that does it. */
struct lanes_form {
    lane_function *function;
    enum program_class class;
    uint32_t destination_count, operand_count;
    /* Destinations (destination[0], ...), then sources (source[0], ...), in the order of the text. An integer
     * or float type takes a register of that kind or of .b; a .b type any register of its size. */
    enum ptx_type operands[LANES_OPERANDS];
    uint32_t modifiers; /* goes into `immediate`: the bits below */
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
#define LANES_SWAPPED 0x400u     /* a comparison is done on b, a */
#define LANES_COMPLEMENT 0x800u  /* ... and its result turned round */
#define LANES_NAN 0x1000u        /* min.NaN, max.NaN */
#define LANES_XORSIGN 0x2000u    /* .xorsign.abs */
#define LANES_TO_INTEGER 0x4000u /* .rni .rzi .rmi .rpi */
#define LANES_TYPE(modifiers)                                                    \
    ((enum ptx_type)((modifiers) >> 16 & 31u)) /* the first type: a cvt's result \
                                                */
#define LANES_SECOND_TYPE(modifiers) ((enum ptx_type)((modifiers) >> 21 & 31u)) /* the last */
/* Set by lower for cvt between registers wider than its types: the destination's bytes, 2, 4 or 8; and that
 * the source lies in a 64-bit slot. */
#define LANES_WIDE_DESTINATION(log2_bytes) ((uint32_t)(log2_bytes) << 26)
#define LANES_DESTINATION_BYTES(modifiers) (1u << ((modifiers) >> 26 & 3u))
#define LANES_WIDE_SOURCE 0x10000000u

/*
 * The form of opcode and modifiers as written ("add.rn.f32"); false: this is no instruction of these, or a
 * combination PTX does not have. Where the text does not say all, there are names of lanes' own:
 *   mov.pack.b64.2, mov.unpack.b64.2   mov between a vector of 2 or 4 and a scalar
 *   cvt.any...                         a cvt, whatever its registers' sizes (LANES_WIDE_DESTINATION...)
 * source[...] holds shift counts, selectors and lop3's table like any other operand.
 */
bool lanes_find(const char *text, struct lanes_form *form);

#endif
