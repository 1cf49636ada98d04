/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ptxas makes of memory instructions: small kernels, and what their machine code has (read from it:
 * ptxas 13.0.88 -O3, sm_90, nvdisasm); the merged program is listed in the same words. Random programs for
 * what must always hold.
 */
#include "simt/program/merge/merge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* r0, r1: parameters; r2: %tid.x; r5: sm + 16 x %tid.x; r8: sn + 16 x %tid.x; d1: global; p1, p2: of loaded
 * values. What is loaded to r10 ... r19 is read at the end. */
static const char head[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry kernel(.param .u64 p0, .param .u32 p1, .param .u32 p2)\n{\n"
    " .reg .pred %p<9>; .reg .b16 %h<40>; .reg .b32 %r<100>; .reg .f32 %f<40>; .reg .b64 %d<40>; .reg .f64 "
    "%g<9>;\n"
    " .shared .align 16 .b8 sm[4096]; .shared .align 16 .b8 sn[4096];\n"
    " ld.param.u64 %d0, [p0]; cvta.to.global.u64 %d1, %d0; ld.param.u32 %r0, [p1]; ld.param.u32 %r1, [p2];\n"
    " mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r90, [%d3];\n"
    " setp.eq.u32 %p1, %r90, 3; setp.eq.u32 %p2, %r90, %r2;\n"
    " mov.u32 %r4, sm; shl.b32 %r6, %r2, 4; add.u32 %r5, %r4, %r6; mov.u32 %r7, sn; add.u32 %r8, %r7, %r6;\n";
static const char tail[] =
    " bar.sync 0; xor.b32 %r91, %r10, %r11; xor.b32 %r91, %r91, %r12;"
    " xor.b32 %r91, %r91, %r13; xor.b32 %r91, %r91, %r14; st.global.u32 [%d3], %r91;"
    " st.global.f32 [%d3+4], %f10; st.global.u64 [%d3+8], %d10; st.global.u64 [%d3+16], %d11;"
    " st.global.u32 [%d3+24], %r15; ret;\n}\n";

static bool place(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    (void)loader;
    (void)variable;
    *address = 0x700001000;
    return true;
}

struct merged {
    struct ptx_module *module;
    struct program *program;
};

static struct merged merge_text(const char *name, const char *text)
{
    static const struct program_placement placement = {.address = place};
    struct merged merged;
    struct error error = {0};
    cr_assert_eq(ptx_parse(&merged.module, name, text, strlen(text), &error), STATUS_OK, "%s: %s", name,
                 error.text);
    cr_assert_eq(program_create(&merged.program, merged.module, ptx_function_find(merged.module, "kernel"),
                                &placement, &error),
                 STATUS_OK, "%s: %s", name, error.text);
    cr_assert_eq(program_merge(merged.program, &error), STATUS_OK, "%s: %s", name, error.text);
    return merged;
}

static void merged_free(struct merged *merged)
{
    program_destroy(merged->program);
    ptx_destroy(merged->module);
}

/* "L16+0 L8+16": loads and stores of a space as the machine has them, in the order of the PTX; bytes per
 * lane, and the offset from the base register. */
static void list(const struct program *program, enum ptx_space space, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        const char *what = at->op == PROGRAM_LD ? "L" : "S";
        if ((at->op != PROGRAM_LD && at->op != PROGRAM_ST) || at->space != space ||
            at->rewrite == REWRITE_FOLDED)
            continue;
        struct program_part whole = {0, at->width_bytes};
        uint32_t parts = at->rewrite == REWRITE_PARTS ? at->part_count : 1;
        for (uint32_t p = 0; p < parts; p++) {
            struct program_part part = at->rewrite == REWRITE_PARTS ? at->parts[p] : whole;
            int length = snprintf(text + used, size_bytes - used, "%s%s%u+%ld", used ? " " : "", what,
                                  part.bytes, (long)(at->offset + part.offset));
            used += (size_t)length < size_bytes - used ? (size_t)length : size_bytes - used - 1;
        }
    }
}

struct known {
    const char *what, *body, *machine;
};

static void compare(const struct known *cases, size_t count, enum ptx_space space)
{
    for (size_t i = 0; i < count; i++) {
        char text[8192], found[1024];
        snprintf(text, sizeof text, "%s%s%s", head, cases[i].body, tail);
        struct merged merged = merge_text(cases[i].what, text);
        list(merged.program, space, found, sizeof found);
        cr_assert_str_eq(found, cases[i].machine, "%s: %s, the machine code has %s", cases[i].what, found,
                         cases[i].machine);
        merged_free(&merged);
    }
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define LOAD(r, at) " ld.shared.u32 %r" #r ", [%r5+" #at "];"
#define LOAD_AT(r, base, at) " ld.shared.u32 %r" #r ", [%" #base "+" #at "];"
#define FOUR LOAD_AT(10, r30, 0) LOAD_AT(11, r30, 4) LOAD_AT(12, r30, 8) LOAD_AT(13, r30, 12)
#define STORE(at, r) " st.shared.u32 [%r5+" #at "], %r" #r ";"

/* Which words of a window of 16 bytes are wanted. */
Test(merge, windows_of_loads)
{
    static const struct known cases[] = {
        {"one", LOAD(10, 4), "L4+4"},
        {"a half", LOAD(10, 0) LOAD(11, 4), "L8+0"},
        {"the other half", LOAD(10, 12) LOAD(11, 8), "L8+8"},
        {"neighbours of two halves", LOAD(10, 4) LOAD(11, 8), "L4+4 L4+8"},
        {"first and last", LOAD(10, 0) LOAD(11, 12), "L4+0 L4+12"},
        {"first three", LOAD(10, 0) LOAD(11, 4) LOAD(12, 8), "L16+0"},
        {"last three", LOAD(10, 4) LOAD(11, 8) LOAD(12, 12), "L16+0"},
        {"all but the third", LOAD(10, 0) LOAD(11, 4) LOAD(12, 12), "L16+0"},
        {"all", LOAD(10, 0) LOAD(11, 4) LOAD(12, 8) LOAD(13, 12), "L16+0"},
        {"all, from behind", LOAD(10, 12) LOAD(11, 8) LOAD(12, 4) LOAD(13, 0), "L16+0"},
        {"off by a word", LOAD(10, 4) LOAD(11, 8) LOAD(12, 12) LOAD(13, 16) LOAD(14, 20), "L16+0 L8+16"},
        {"off by two", LOAD(10, 8) LOAD(11, 12) LOAD(12, 16) LOAD(13, 20) LOAD(14, 24), "L8+8 L16+16"},
        {"two windows in turns", LOAD(10, 0) LOAD(11, 16) LOAD(12, 4) LOAD(13, 20), "L8+0 L8+16"},
        {"twice the same", LOAD(10, 0) LOAD(11, 0), "L4+0"},
        {"float and integer", " ld.shared.f32 %f10, [%r5];" LOAD(11, 4), "L8+0"},
        {"doubles", " ld.shared.f64 %g1, [%r5]; ld.shared.u64 %d10, [%r5+8]; cvt.rn.f32.f64 %f10, %g1;",
         "L16+0"},
        {"doubles across", " ld.shared.u64 %d10, [%r5+8]; ld.shared.u64 %d11, [%r5+16];", "L8+8 L8+16"},
        {"64 bits and 32", " ld.shared.u64 %d10, [%r5];" LOAD(10, 8), "L8+0 L4+8"},
        {"vector and words", " ld.shared.v2.u32 {%r10, %r11}, [%r5];" LOAD(12, 8) LOAD(13, 12), "L16+0"},
        {"two vectors",
         " ld.shared.v2.u32 {%r10, %r11}, [%r5]; ld.shared.v2.f32 {%f10, %f11}, [%r5+8];"
         " mov.b32 %r12, %f11;",
         "L16+0"},
        {"half words",
         " ld.shared.u16 %h1, [%r5]; ld.shared.u16 %h2, [%r5+2]; cvt.u32.u16 %r10, %h1;"
         " cvt.u32.u16 %r11, %h2;",
         "L2+0 L2+2"},
        {"bytes",
         " ld.shared.u8 %h1, [%r5]; ld.shared.u8 %h2, [%r5+1]; cvt.u32.u16 %r10, %h1;"
         " cvt.u32.u16 %r11, %h2;",
         "L1+0 L1+1"},
        {"the variable itself",
         " ld.shared.u32 %r10, [sm+4]; ld.shared.u32 %r11, [sm+8];"
         " ld.shared.u32 %r12, [sm+12]; ld.shared.u32 %r13, [sm+16];",
         "L16+0 L4+16"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

/* What is known of the low bits of the base. */
Test(merge, alignment)
{
    static const struct known cases[] = {
        {"shl 4", " shl.b32 %r31, %r2, 4; add.u32 %r30, %r4, %r31;" FOUR, "L16+0"},
        {"shl 3", " shl.b32 %r31, %r2, 3; add.u32 %r30, %r4, %r31;" FOUR, "L8+0 L8+8"},
        {"shl 2", " shl.b32 %r31, %r2, 2; add.u32 %r30, %r4, %r31;" FOUR, "L4+0 L4+4 L4+8 L4+12"},
        {"x 48", " mul.lo.u32 %r31, %r2, 48; add.u32 %r30, %r4, %r31;" FOUR, "L16+0"},
        {"x 132", " mul.lo.u32 %r31, %r2, 132; add.u32 %r30, %r4, %r31;" FOUR, "L4+0 L4+4 L4+8 L4+12"},
        {"mad", " mad.lo.u32 %r30, %r2, 16, %r4;" FOUR, "L16+0"},
        {"and -16", " and.b32 %r31, %r0, -16; add.u32 %r30, %r4, %r31;" FOUR, "L16+0"},
        {"a parameter", " add.u32 %r30, %r4, %r0;" FOUR, "L4+0 L4+4 L4+8 L4+12"},
        {"product", " shl.b32 %r31, %r0, 2; shl.b32 %r32, %r2, 2; mad.lo.u32 %r30, %r31, %r32, %r4;" FOUR,
         "L16+0"},
        {"or", " shl.b32 %r31, %r0, 4; or.b32 %r30, %r4, %r31;" FOUR, "L16+0"},
        {"selp", " shl.b32 %r31, %r2, 4; selp.b32 %r32, %r31, 64, %p1; add.u32 %r30, %r4, %r32;" FOUR,
         "L16+0"},
        {"min", " shl.b32 %r31, %r2, 4; min.u32 %r31, %r31, 64; add.u32 %r30, %r4, %r31;" FOUR,
         "L4+0 L4+4 L4+8 L4+12"},
        {"shr", " shl.b32 %r31, %r2, 8; shr.u32 %r31, %r31, 4; add.u32 %r30, %r4, %r31;" FOUR,
         "L4+0 L4+4 L4+8 L4+12"},
        {"sub", " shl.b32 %r31, %r2, 4; sub.u32 %r30, %r4, %r31; add.u32 %r30, %r30, 1024;" FOUR, "L16+0"},
        {"bfi", " bfi.b32 %r31, %r2, 0, 4, 5; add.u32 %r30, %r4, %r31;" FOUR, "L16+0"},
        {"64 bits",
         " mov.u64 %d20, sm; mul.wide.u32 %d21, %r2, 16; add.s64 %d22, %d20, %d21;"
         " cvt.u32.u64 %r30, %d22;" FOUR,
         "L16+0"},
        {"mul24", " mul24.lo.u32 %r31, %r2, 16; add.u32 %r30, %r4, %r31;" FOUR, "L16+0"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

/* Where variables lie: in the order of their declaration, as their alignment has it; those nobody uses
 * nowhere. */
Test(merge, places_of_variables)
{
    static const char before[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry kernel(.param .u64 p0)\n{\n .reg .b32 %r<40>; .reg .b64 %d<9>;\n"
        " .shared .align 4 .b8 a[36]; .shared .align 4 .b8 b[40]; .shared .align 4 .b8 c[4096];\n"
        " ld.param.u64 %d1, [p0]; mov.u32 %r2, %tid.x; shl.b32 %r6, %r2, 4;\n";
    static const char after[] =
        " xor.b32 %r20, %r10, %r11; xor.b32 %r20, %r20, %r12; xor.b32 %r20, %r20, %r13;"
        " st.global.u32 [%d1], %r20; ret;\n}\n";
#define USE(name) " st.shared.u32 [" #name "], %r2;"
    static const struct known cases[] = {
        {"alone", " mov.u32 %r4, c; add.u32 %r30, %r4, %r6;" FOUR, "L16+0"},
        {"behind 36 bytes", USE(a) " mov.u32 %r4, c; add.u32 %r30, %r4, %r6;" FOUR,
         "S4+0 L4+0 L4+4 L4+8 L4+12"},
        {"behind 40 bytes", USE(b) " mov.u32 %r4, c; add.u32 %r30, %r4, %r6;" FOUR, "S4+0 L8+0 L8+8"},
        {"the variable itself, behind 36 bytes",
         USE(a) " ld.shared.u32 %r10, [c]; ld.shared.u32 %r11, [c+4]; ld.shared.u32 %r12, [c+8];"
                " ld.shared.u32 %r13, [c+12];",
         "S4+0 L16+32 L4+48"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[4096], found[256];
        snprintf(text, sizeof text, "%s%s%s", before, cases[i].body, after);
        struct merged merged = merge_text(cases[i].what, text);
        list(merged.program, PTX_SHARED, found, sizeof found);
        cr_assert_str_eq(found, cases[i].machine, "%s: %s, the machine code has %s", cases[i].what, found,
                         cases[i].machine);
        merged_free(&merged);
    }
}

/* Bases that are the same sum by other ways. */
Test(merge, sums)
{
#define TWO(with, at) with LOAD(10, 0) LOAD_AT(11, r30, at)
    static const struct known cases[] = {
        {"constant added to the factor", TWO(" or.b32 %r31, %r6, 4; add.u32 %r30, %r4, %r31;", 0), "L8+0"},
        {"distributed over a shift",
         TWO(" add.u32 %r31, %r2, 1; shl.b32 %r31, %r31, 4; add.u32 %r30, %r4, %r31;", -12), "L8+0"},
        {"distributed over mad", TWO(" add.u32 %r31, %r2, 1; mad.lo.u32 %r30, %r31, 16, %r4;", -12), "L8+0"},
        {"four times (4 x + 1)",
         TWO(" shl.b32 %r32, %r2, 2; or.b32 %r31, %r32, 1; shl.b32 %r33, %r31, 2; add.u32 %r30, %r4, %r33;",
             0),
         "L8+0"},
        {"not through 64 bits",
         TWO(" shl.b32 %r32, %r2, 2; add.u32 %r31, %r32, 1; mul.wide.u32 %d20, %r31, 4; cvt.u32.u64 %r33, "
             "%d20;"
             " add.u32 %r30, %r4, %r33;",
             0),
         "L4+0 L4+0"},
        {"the other way round", TWO(" add.u32 %r30, %r6, %r4;", 4), "L8+0"},
        {"less -4", TWO(" sub.u32 %r30, %r5, -4;", 0), "L8+0"},
        {"two variables", LOAD_AT(10, r8, 0) LOAD(11, 4100), "L4+0 L4+4100"},
        {"two variables themselves", " ld.shared.u32 %r10, [sn]; ld.shared.u32 %r11, [sm+4100];", "L8+4096"},
        {"an or that may carry", TWO(" or.b32 %r30, %r5, 4;", 0), "L4+0 L4+0"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

/* What may stand between two halves of a window. */
Test(merge, between)
{
#define HALVES(between) LOAD(10, 0) LOAD(11, 4) between LOAD(12, 8) LOAD(13, 12)
    static const struct known cases[] = {
        {"a store to another variable", HALVES(" st.shared.u32 [%r8], %r0;"), "L8+0 S4+0 L8+8"},
        {"a store elsewhere in the same", HALVES(STORE(64, 0)), "L8+0 S4+64 L8+8"},
        {"a global store", HALVES(" st.global.u32 [%d1], %r0;"), "L16+0"},
        {"a generic store", HALVES(" st.u32 [%d1], %r0;"), "L8+0 L8+8"},
        {"a global load", HALVES(" ld.global.u32 %r14, [%d1];"), "L16+0"},
        {"a shared load", HALVES(" ld.shared.u32 %r14, [%r8];"), "L16+0 L4+0"},
        {"a volatile load", HALVES(" ld.volatile.shared.u32 %r14, [%r8];"), "L16+0 L4+0"},
        {"a barrier", HALVES(" bar.sync 0;"), "L8+0 L8+8"},
        {"a fence", HALVES(" membar.cta;"), "L8+0 L8+8"},
        {"a barrier of the warp", HALVES(" bar.warp.sync -1;"), "L8+0 L8+8"},
        {"a shuffle", HALVES(" shfl.sync.idx.b32 %r14, %r10, 0, 31, -1;"), "L16+0"},
        {"a vote", HALVES(" vote.sync.ballot.b32 %r14, %p1, -1;"), "L16+0"},
        {"a shared atomic", HALVES(" atom.shared.add.u32 %r14, [%r8], %r0;"), "L8+0 L8+8"},
        {"a global atomic", HALVES(" atom.global.add.u32 %r14, [%d3], %r0;"), "L16+0"},
        {"volatile loads", " ld.volatile.shared.u32 %r10, [%r5]; ld.volatile.shared.u32 %r11, [%r5+4];",
         "L4+0 L4+4"},
        {"predicated loads",
         " mov.u32 %r10, 7; mov.u32 %r11, 7; @%p1 ld.shared.u32 %r10, [%r5];"
         " @%p1 ld.shared.u32 %r11, [%r5+4];",
         "L4+0 L4+4"},
        {"the base is written anew", LOAD_AT(10, r5, 0) " add.u32 %r5, %r5, %r0;" LOAD_AT(11, r5, 4),
         "L4+0 L4+4"},
        {"the base moves on by a word", LOAD_AT(10, r5, 0) " add.u32 %r5, %r5, 4;" LOAD_AT(11, r5, 0),
         "L8+0"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

/* Other blocks. */
Test(merge, blocks)
{
#define IF(p, body, label) " @%" #p " bra " #label ";" body " st.global.u32 [%d3+128], %r2; " #label ":"
#define WHILE(body, label)                                                                        \
    " mov.u32 %r50, 0; " #label ":" body " st.global.u32 [%d3+256], %r50; add.u32 %r50, %r50, 1;" \
    " setp.lt.u32 %p3, %r50, %r90; @%p3 bra " #label ";"
    static const struct known cases[] = {
        {"behind a branch", LOAD(10, 0) " mov.u32 %r11, 0;" IF(p1, LOAD(11, 4), X1), "L8+0"},
        {"behind two",
         LOAD(10, 0) " mov.u32 %r11, 0; mov.u32 %r12, 0;" IF(p1, LOAD(11, 4), X1) IF(p2, LOAD(12, 8), X2),
         "L16+0"},
        {"where they meet again", LOAD(10, 0) IF(p1, "", X1) LOAD(11, 4), "L8+0"},
        {"in a branch before", " mov.u32 %r10, 0;" IF(p1, LOAD(10, 0), X1) LOAD(11, 4), "L4+0 L4+4"},
        {"in two branches",
         " mov.u32 %r10, 0; mov.u32 %r11, 0;" IF(p1, LOAD(10, 0), X1) IF(p2, LOAD(11, 4), X2), "L4+0 L4+4"},
        {"a store in between on one way", LOAD(10, 0) IF(p1, " st.shared.u32 [%r8], %r0;", X1) LOAD(11, 4),
         "L4+0 S4+0 L4+4"},
        {"a store on the other way",
         LOAD(10, 0) " @%p1 bra X1; st.shared.u32 [%r8], %r0; bra X2; X1: st.global.u32 [%d3+128], %r2; "
                     "X2:" LOAD(11, 4),
         "L4+0 S4+0 L4+4"},
        {"the base made anew where they meet",
         LOAD(10, 0)
             IF(p1, "", X1) " mov.u32 %r60, %tid.x; shl.b32 %r61, %r60, 4; add.u32 %r62, %r4, %r61;" LOAD_AT(
                 11, r62, 4),
         "L8+0"},
        {"in a loop behind it", LOAD(10, 0) " mov.u32 %r11, 0;" WHILE(LOAD(11, 4), X1), "L8+0"},
        {"behind a loop", " mov.u32 %r10, 0;" WHILE(LOAD(10, 0), X1) LOAD(11, 4), "L4+0 L4+4"},
        {"in a loop that writes", LOAD(10, 0) " mov.u32 %r11, 0;" WHILE(LOAD(11, 4) STORE(32, 0), X1),
         "L4+0 L4+4 S4+32"},
        {"behind an end", LOAD(10, 0) " @%p1 ret;" LOAD(11, 4), "L8+0"},
        {"a base that moves on in a loop",
         " mov.u32 %r30, %r5;" WHILE(LOAD_AT(10, r30, 0) LOAD_AT(11, r30, 4) " add.u32 %r30, %r30, 8;", X1),
         "L8+0"},
        {"by 4 only",
         " mov.u32 %r30, %r5;" WHILE(LOAD_AT(10, r30, 0) LOAD_AT(11, r30, 4) " add.u32 %r30, %r30, 4;", X1),
         "L4+0 L4+4"},
        {"from 8 on",
         " add.u32 %r30, %r5, 8;" WHILE(LOAD_AT(10, r30, -8) LOAD_AT(11, r30, -4) LOAD_AT(12, r30, 0)
                                            LOAD_AT(13, r30, 4) " add.u32 %r30, %r30, 16;",
                                        X1),
         "L8+-8 L8+0"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

Test(merge, stores)
{
#define HALF_WORDS " cvt.u16.u32 %h1, %r0; cvt.u16.u32 %h2, %r1; cvt.u16.u32 %h3, %r2; cvt.u16.u32 %h4, %r90;"
#define STORE_16(at, h) " st.shared.u16 [%r5+" #at "], %h" #h ";"
    static const struct known cases[] = {
        {"a half", STORE(0, 0) STORE(4, 1), "S8+0"},
        {"across", STORE(4, 0) STORE(8, 1), "S4+4 S4+8"},
        {"all", STORE(0, 0) STORE(4, 1) STORE(8, 2) STORE(12, 0), "S16+0"},
        {"all, in no order", STORE(12, 0) STORE(0, 1) STORE(4, 2) STORE(8, 0), "S16+0"},
        {"three", STORE(0, 0) STORE(4, 1) STORE(8, 2), "S8+0 S4+8"},
        {"the last three", STORE(4, 0) STORE(8, 1) STORE(12, 2), "S4+4 S8+8"},
        {"two windows", STORE(0, 0) STORE(4, 0) STORE(8, 0) STORE(12, 0) STORE(16, 0) STORE(20, 0),
         "S16+0 S8+16"},
        {"two windows in turns", STORE(0, 0) STORE(16, 1) STORE(4, 2) STORE(20, 1), "S4+0 S4+16 S4+4 S4+20"},
        {"another one between", STORE(0, 0) " st.shared.u32 [%r8+4], %r1;" STORE(4, 2), "S4+0 S4+4 S4+4"},
        {"a load between", STORE(0, 0) LOAD_AT(10, r8, 0) STORE(4, 2), "S4+0 L4+0 S4+4"},
        {"a global store between", STORE(0, 0) " st.global.u32 [%d3+64], %r0;" STORE(4, 2), "S8+0"},
        {"a barrier between", STORE(0, 0) " bar.sync 0;" STORE(4, 2), "S4+0 S4+4"},
        {"written twice", STORE(0, 0) STORE(4, 1) STORE(4, 2), "S8+0 S4+4"},
        {"vectors", " st.shared.v2.u32 [%r5], {%r0, %r1}; st.shared.v2.u32 [%r5+8], {%r1, %r2};", "S16+0"},
        {"words, then a vector", STORE(8, 0) STORE(12, 1) " st.shared.v2.u32 [%r5], {%r0, %r1};", "S16+0"},
        {"a vector, then words", " st.shared.v2.u32 [%r5], {%r0, %r1};" STORE(8, 0) STORE(12, 1),
         "S8+0 S4+8 S4+12"},
        {"a vector, then words of the next window",
         " st.shared.v2.u32 [%r5], {%r0, %r1};" STORE(16, 0) STORE(20, 1), "S8+0 S8+16"},
        {"64 bits twice", " st.shared.u64 [%r5], %d1; st.shared.u64 [%r5+8], %d2;", "S16+0"},
        {"64 bits and words", " st.shared.u64 [%r5], %d1;" STORE(8, 0) STORE(12, 1), "S8+0 S8+8"},
        {"half words", HALF_WORDS STORE_16(0, 1) STORE_16(2, 2), "S4+0"},
        {"half words across", HALF_WORDS STORE_16(2, 1) STORE_16(4, 2), "S2+2 S2+4"},
        {"four half words", HALF_WORDS STORE_16(0, 1) STORE_16(2, 2) STORE_16(4, 3) STORE_16(6, 4), "S8+0"},
        {"half words and a word", HALF_WORDS STORE_16(0, 1) STORE_16(2, 2) STORE(4, 0), "S4+0 S4+4"},
        {"bytes", HALF_WORDS " st.shared.u8 [%r5], %h1; st.shared.u8 [%r5+1], %h2;", "S1+0 S1+1"},
        {"pairs of half words",
         HALF_WORDS " st.shared.v2.u16 [%r5], {%h1, %h2}; st.shared.v2.u16 [%r5+4], {%h3, %h4};", "S8+0"},
        {"predicated", " @%p1 st.shared.u32 [%r5], %r0; @%p1 st.shared.u32 [%r5+4], %r1;", "S4+0 S4+4"},
        {"volatile", " st.volatile.shared.u32 [%r5], %r0; st.volatile.shared.u32 [%r5+4], %r1;", "S4+0 S4+4"},
        {"another block", STORE(0, 0) IF(p1, "", X1) STORE(4, 1), "S4+0 S4+4"},
    };
    compare(cases, COUNT(cases), PTX_SHARED);
}

Test(merge, elements_that_nobody_reads)
{
#define VECTOR(space, x, y, z, w) " ld." space ".v4.u32 {" x ", " y ", " z ", " w "}, [%" VECTOR_BASE "];"
#define VECTOR_BASE "r5"
    static const struct known shared[] = {
        {"x", VECTOR("shared", "%r10", "%r40", "%r41", "%r42"), "L4+0"},
        {"w", VECTOR("shared", "%r40", "%r41", "%r42", "%r10"), "L4+12"},
        {"xy", VECTOR("shared", "%r10", "%r11", "%r41", "%r42"), "L8+0"},
        {"xz", VECTOR("shared", "%r10", "%r40", "%r11", "%r42"), "L4+0 L4+8"},
        {"yz", VECTOR("shared", "%r40", "%r10", "%r11", "%r42"), "L4+4 L4+8"},
        {"xyz", VECTOR("shared", "%r10", "%r11", "%r12", "%r42"), "L16+0"},
        {"none", VECTOR("shared", "%r40", "%r41", "%r42", "%r43"), ""},
        {"y of two", " ld.shared.v2.u32 {%r40, %r10}, [%r5];", "L4+4"},
        {"none of one", " ld.shared.u32 %r40, [%r5];", ""},
        {"none, volatile", " ld.volatile.shared.u32 %r40, [%r5];", "L4+0"},
        {"half of a 64-bit pair", " ld.shared.v2.u64 {%d10, %d20}, [%r5];", "L8+0"},
        {"one word of each", VECTOR("shared", "%r10", "%r40", "%r41", "%r42") LOAD(11, 4), "L8+0"},
    };
    compare(shared, COUNT(shared), PTX_SHARED);
#undef VECTOR_BASE
#define VECTOR_BASE "d3"
    static const struct known global[] = {
        {"xy", VECTOR("global", "%r10", "%r11", "%r41", "%r42"), "L4+0 L8+0 S4+0 S4+4 S8+8 S8+16 S4+24"},
        {"xyz", VECTOR("global", "%r10", "%r11", "%r12", "%r42"), "L4+0 L16+0 S4+0 S4+4 S8+8 S8+16 S4+24"},
        {"never merged", " ld.global.u32 %r10, [%d3+16]; ld.global.u32 %r11, [%d3+20];",
         "L4+0 L4+16 L4+20 S4+0 S4+4 S8+8 S8+16 S4+24"},
    };
    compare(global, COUNT(global), PTX_GLOBAL);
}

Test(merge, atomics)
{
    static const struct {
        const char *what, *body;
        enum program_rewrite rewrite;
    } cases[] = {
        {"add", " atom.shared.add.u32 %r40, [%r5], %r0;", REWRITE_NONE},
        {"add 1", " atom.shared.add.u32 %r40, [%r5], 1;", REWRITE_COUNTED},
        {"red 1", " red.shared.add.u32 [%r5], 1;", REWRITE_COUNTED},
        {"add 1, with its result", " atom.shared.add.u32 %r10, [%r5], 1;", REWRITE_NONE},
        {"add 2", " atom.shared.add.u32 %r40, [%r5], 2;", REWRITE_NONE},
        {"float", " atom.shared.add.f32 %f10, [%r5], %f1;", REWRITE_LOOP},
        {"long", " atom.shared.add.u64 %d10, [%r5], %d1;", REWRITE_LOOP},
        {"long, exchanged", " atom.shared.exch.b64 %d10, [%r5], %d1;", REWRITE_NONE},
        {"long, compared", " atom.shared.cas.b64 %d10, [%r5], %d1, %d2;", REWRITE_NONE},
        {"global", " atom.global.add.u32 %r40, [%d3], %r0;", REWRITE_NONE},
        {"global, float", " atom.global.add.f32 %f10, [%d3], %f1;", REWRITE_NONE},
        {"one for all", " atom.global.add.u32 %r40, [%d1], %r2;", REWRITE_ELECTED},
        {"one for all, 1 on shared memory", " atom.shared.add.u32 %r40, [sm], 1;", REWRITE_COUNTED},
        {"one for all on shared memory", " atom.shared.add.u32 %r40, [sm], %r2;", REWRITE_ELECTED},
        {"one for all, float", " atom.global.add.f32 %f10, [%d1], %f1;", REWRITE_NONE},
        {"one for all, the same value and its result", " atom.global.add.u32 %r10, [%d1], %r0;",
         REWRITE_ELECTED},
        {"one for all, values and result", " atom.global.add.u32 %r10, [%d1], %r2;", REWRITE_ELECTED_OF_32},
        {"one for all, long, values", " atom.global.add.u64 %d20, [%d1], %d2;", REWRITE_NONE},
        {"one for all, long, one value", " atom.global.add.u64 %d20, [%d1], 5;", REWRITE_ELECTED},
        {"greatest of all", " atom.global.max.s32 %r40, [%d1], %r2;", REWRITE_ELECTED},
        {"greatest of all, with its result", " atom.global.max.s32 %r10, [%d1], %r2;", REWRITE_NONE},
        {"inc", " atom.global.inc.u32 %r40, [%d1], %r2;", REWRITE_NONE},
        {"exchange", " atom.global.exch.b32 %r10, [%d1], %r2;", REWRITE_NONE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[8192];
        const struct program_instruction *atomic = NULL;
        snprintf(text, sizeof text, "%s%s%s", head, cases[i].body, tail);
        struct merged merged = merge_text(cases[i].what, text);
        for (uint32_t k = 0; k < merged.program->instruction_count; k++) {
            const struct program_instruction *at = &merged.program->instructions[k];
            atomic = at->op == PROGRAM_ATOM ? at : atomic;
        }
        cr_assert_not_null(atomic);
        cr_assert_eq(atomic->rewrite, cases[i].rewrite, "%s: %u", cases[i].what, atomic->rewrite);
        merged_free(&merged);
    }
}

/* Accesses to four neighbouring words of a variable, by its name or by a register; the bytes of each are
 * listed. align 0: of dynamic shared memory. */
static void list_of_variable(uint32_t align, bool relocatable, bool stores, const char *base, char *text,
                             size_t size_bytes)
{
    static char ptx[2048];
    char declared[64] = ".extern .shared .align 4 .b8 v[];", accesses[400];
    if (align > 0)
        snprintf(declared, sizeof declared, ".shared .align %u .b8 v[64];", align);
    if (stores)
        snprintf(accesses, sizeof accesses,
                 "st.shared.u32 [%s], %%r2; st.shared.u32 [%s+4], %%r3; st.shared.u32 [%s+8], %%r4; "
                 "st.shared.u32 [%s+12], %%r5;",
                 base, base, base, base);
    else
        snprintf(accesses, sizeof accesses,
                 "ld.shared.u32 %%r2, [%s]; ld.shared.u32 %%r3, [%s+4]; ld.shared.u32 %%r4, [%s+8]; "
                 "ld.shared.u32 %%r5, [%s+12];",
                 base, base, base, base);
    snprintf(ptx, sizeof ptx,
             ".version 9.0\n.target sm_90\n.address_size 64\n%s\n"
             ".visible .entry kernel(.param .u64 p0)\n{\n .reg .b32 %%r<20>; .reg .b64 %%d<4>;\n %s\n"
             " ld.param.u64 %%d1, [p0]; mov.u32 %%r1, v; mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%tid.y;\n"
             " mov.u32 %%r4, %%ctaid.x; mov.u32 %%r5, %%ctaid.y;\n %s\n xor.b32 %%r6, %%r2, %%r3;\n"
             " xor.b32 %%r6, %%r6, %%r4; xor.b32 %%r6, %%r6, %%r5; st.global.u32 [%%d1], %%r6; ret;\n}\n%s\n",
             align > 0 ? "" : declared, align > 0 ? declared : "", accesses,
             relocatable ? PTX_RELOCATABLE : "");
    struct merged merged = merge_text("variable", ptx);
    list(merged.program, PTX_SHARED, text, size_bytes);
    merged_free(&merged);
}

/* nvcc -rdc=true: LDS; LDS.64; LDS.128, and stores alike. Whole programs: LDS.128, since ptxas places the
 * variables. */
Test(merge, relocatable_code_knows_only_the_alignment_of_a_variable)
{
    static const struct {
        uint32_t align;
        const char *accesses;
    } rows[] = {{4, "L4+0 L4+4 L4+8 L4+12"}, {8, "L8+0 L8+8"}, {16, "L16+0"}, {32, "L16+0"}, {0, "L16+0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int way = 0; way < 4; way++) {
            const bool stores = way & 1;
            const char *base = way & 2 ? "v" : "%r1";
            char text[256], wanted[64], whole[] = "L16+0";
            snprintf(wanted, sizeof wanted, "%s", rows[i].accesses);
            for (char *at = wanted; stores && (at = strchr(at, 'L')) != NULL;)
                *at = 'S';
            whole[0] = stores ? 'S' : 'L';
            list_of_variable(rows[i].align, true, stores, base, text, sizeof text);
            cr_assert_str_eq(text, wanted, "align %u: %s", rows[i].align, text);
            list_of_variable(rows[i].align, false, stores, base, text, sizeof text);
            cr_assert_str_eq(text, whole, "align %u, a whole program: %s", rows[i].align, text);
        }
    }
}
