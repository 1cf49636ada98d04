/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts are forms of simt/lanes/lanes, what their modifiers say, and what they take. */
#include "simt/lanes/lanes.h"

#include <criterion/criterion.h>
#include <string.h>

Test(lanes_find, choices)
{
    static const struct {
        const char *form, *text;
        bool matches;
    } rows[] = {
        {"add.u32", "add.u32", true},
        {"add.u32", "add.u3", false},
        {"add.u32", "add.u322", false},
        {"add.[u32|s32]", "add.s32", true},
        {"add.[u32|s32]", "add.f32", false},
        {"add[.rn|][.ftz|].f32", "add.f32", true},
        {"add[.rn|][.ftz|].f32", "add.rn.f32", true},
        {"add[.rn|][.ftz|].f32", "add.ftz.f32", true},
        {"add[.rn|][.ftz|].f32", "add.rn.ftz.f32", true},
        {"add[.rn|][.ftz|].f32", "add.ftz.rn.f32", false},
        {"[fma|mad].rn.f64", "mad.rn.f64", true},
        {"[a|ab]b", "abb", true}, /* the first choice fits too, but what follows then does not */
        {"[a|ab]b", "ab", true},
        {"", "", true},
        {"", "x", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(lanes_form_matches(rows[i].form, rows[i].text), rows[i].matches, "%s %s", rows[i].form,
                     rows[i].text);
}

Test(lanes_find, modifiers)
{
    static const struct {
        const char *text;
        uint32_t bits;
        enum ptx_type first, last;
    } rows[] = {
        {"add.u32", 0, PTX_U32, PTX_U32},
        {"add.rz.ftz.sat.f32", LANES_RZ | LANES_FTZ | LANES_SAT, PTX_F32, PTX_F32},
        {"fma.rp.f64", LANES_RP, PTX_F64, PTX_F64},
        {"fma.rn.relu.bf16x2", LANES_RELU, PTX_BF16X2, PTX_BF16X2},
        {"cvt.rmi.s32.f64", LANES_RM | LANES_TO_INTEGER, PTX_S32, PTX_F64},
        {"cvt.rn.satfinite.f16.f32", LANES_SATFINITE, PTX_F16, PTX_F32},
        {"min.NaN.xorsign.abs.f32", LANES_NAN | LANES_XORSIGN, PTX_F32, PTX_F32},
        {"setp.lt.s32", 0, PTX_S32, PTX_S32},
        {"setp.gt.s32", LANES_SWAPPED, PTX_S32, PTX_S32},
        {"setp.ge.and.s32", LANES_COMPLEMENT | LANES_AND << 8, PTX_S32, PTX_S32},
        {"setp.ge.f32", LANES_SWAPPED, PTX_F32, PTX_F32},
        {"setp.ls.u32", LANES_SWAPPED | LANES_COMPLEMENT, PTX_U32, PTX_U32},
        {"setp.geu.xor.f64", LANES_COMPLEMENT | LANES_XOR << 8, PTX_F64, PTX_F64},
        {"set.nan.or.f32.f16", LANES_COMPLEMENT | LANES_OR << 8, PTX_F32, PTX_F16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t bits = lanes_modifiers(rows[i].text);
        cr_assert_eq(bits & 0xffff, rows[i].bits, "%s: %#x", rows[i].text, bits);
        cr_assert_eq(LANES_TYPE(bits), rows[i].first, "%s", rows[i].text);
        cr_assert_eq(LANES_SECOND_TYPE(bits), rows[i].last, "%s", rows[i].text);
    }
}

Test(lanes_find, no_such_form)
{
    static const char *const texts[] = {
        "",
        "add",
        "add.u8",
        "add.f32x2",
        "add.rni.f32",
        "add.sat.u32",
        "mul.s32",
        "mad.f32",
        "fma.f32",
        "div.f32",
        "div.rn.s32",
        "rcp.f32",
        "setp.u32",
        "setp.lo.s32",
        "setp.lt.b32",
        "setp.ltu.u32",
        "selp.f16",
        "cvt.f32.s32",
        "cvt.s32.f32",
        "cvt.any.f32.f64",
        "cvt.any.rn.f64.f32",
        "cvt.any.rn.u32.u64",
        "min.relu.u32",
        "ex2.approx.f64",
        "sin.f32",
        "ADD.u32",
    };
    struct lanes_form form;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_assert_not(lanes_find(texts[i], &form), "%s", texts[i]);
    char text[300];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cr_assert_not(lanes_find(text, &form));
}

Test(lanes_find, operands)
{
    static const struct {
        const char *text;
        enum program_class class;
        uint32_t destinations;
        enum ptx_type operands[LANES_OPERANDS];
    } rows[] = {
        {"add.s32", CLASS_INTEGER, 1, {PTX_U32, PTX_U32, PTX_U32}},
        {"mad.wide.u16", CLASS_INTEGER, 1, {PTX_U32, PTX_U16, PTX_U16, PTX_U32}},
        {"fma.rn.f64", CLASS_DOUBLE, 1, {PTX_F64, PTX_F64, PTX_F64, PTX_F64}},
        {"setp.eq.b64", CLASS_INTEGER, 2, {PTX_PRED, LANES_OTHER_PRED, PTX_B64, PTX_B64}},
        {"setp.eq.or.f16", CLASS_HALF, 2, {PTX_PRED, LANES_OTHER_PRED, PTX_F16, PTX_F16, PTX_PRED}},
        {"selp.f32", CLASS_INTEGER, 1, {PTX_F32, PTX_F32, PTX_F32, PTX_PRED}},
        {"selp.b32", CLASS_INTEGER, 1, {PTX_B32, PTX_B32, PTX_B32, PTX_PRED}},
        {"mov.s64", CLASS_INTEGER, 1, {PTX_S64, PTX_S64}},
        {"shl.b64", CLASS_INTEGER, 1, {PTX_B64, PTX_B64, PTX_B32}},
        {"addc.cc.u32", CLASS_INTEGER, 2, {PTX_U32, LANES_CARRY, PTX_U32, PTX_U32, LANES_CARRY}},
        {"mov.unpack.b64.2", CLASS_INTEGER, 2, {PTX_B32, PTX_B32, PTX_B64}},
        {"cvt.any.rn.f32.u8", CLASS_CONVERT, 1, {PTX_F32, PTX_U8}},
        {"rsqrt.approx.f32", CLASS_SPECIAL_FUNCTION, 1, {PTX_F32, PTX_F32}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lanes_form form;
        cr_assert(lanes_find(rows[i].text, &form), "%s", rows[i].text);
        cr_assert_eq(form.class, rows[i].class, "%s", rows[i].text);
        cr_assert_eq(form.destination_count, rows[i].destinations, "%s", rows[i].text);
        uint32_t count = 0;
        while (count < LANES_OPERANDS && rows[i].operands[count] != PTX_NO_TYPE)
            count++;
        cr_assert_eq(form.operand_count, count, "%s", rows[i].text);
        for (uint32_t k = 0; k < count; k++)
            cr_assert_eq(form.operands[k], rows[i].operands[k], "%s: %u", rows[i].text, k);
    }
}

/* The widest build that runs here is the one that is used. */
Test(lanes_find, variant)
{
    const struct lanes_variant *widest = NULL;
    struct lanes_form form, chosen;
    for (size_t i = 0; lanes_variant_at(i); i++)
        widest = lanes_variant_at(i)->runs_here() ? lanes_variant_at(i) : widest;
    cr_assert(lanes_find_in(widest, "add.u32", &form) && lanes_find("add.u32", &chosen));
    cr_assert_eq((uintptr_t)form.function, (uintptr_t)chosen.function);
}
