/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU of 1.x would have had in one instruction: which products are of 24 bits, which masks go with
 * them. */
#include "simt/timing/chain.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(simt_multiply, .init = model_open, .fini = model_close);

static const char text[] = ".version 7.8\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry products(.param .u64 p)\n"
                           "{\n"
                           "  .reg .b32 %r<20>;\n"
                           "  .reg .b64 %rd<4>;\n"
                           "  ld.param.u64 %rd1, [p];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  and.b32 %r2, %r1, 16777215;\n" /* of products alone */
                           "  and.b32 %r3, %r1, 16777215;\n" /* stored, too */
                           "  and.b32 %r4, %r1, 65535;\n"    /* another mask */
                           "  and.b32 %r5, %r1, 16777215;\n" /* %r5 is written again */
                           "  add.s32 %r5, %r1, 1;\n"
                           "  mul.lo.s32 %r6, %r2, %r3;\n"      /* 24 bits */
                           "  mad.lo.s32 %r7, %r2, 100, %r6;\n" /* 24 bits: the constant, too */
                           "  mul.lo.s32 %r8, %r2, %r1;\n"      /* 32 bits */
                           "  mul.lo.s32 %r9, %r2, %r5;\n"      /* 32 bits */
                           "  mul.lo.s32 %r10, %r1, 64;\n"      /* a shift */
                           "  mul24.lo.s32 %r11, %r1, %r1;\n"   /* 24 bits */
                           "  mul.hi.u32 %r12, %r2, %r2;\n"     /* 32 bits */
                           "  mul.wide.u32 %rd2, %r1, 12;\n"    /* 32 bits */
                           "  add.s32 %r13, %r4, %r3;\n"
                           "  and.b32 %r14, %r1, 16777215;\n" /* of a product alone */
                           "  mul.lo.s32 %r15, %r14, %r14;\n"
                           "  st.global.u32 [%rd1], %r13;\n"
                           "  ret;\n"
                           "}\n";

static void check_kinds(const struct program *program, const struct counter *counter)
{
    static const struct {
        const char *text;
        enum multiply_kind kind;
    } wanted[] = {
        {"and.b32 %r2", MULTIPLY_NONE}, /* %r8 wants it as it is */
        {"and.b32 %r3", MULTIPLY_NONE},     {"and.b32 %r4", MULTIPLY_NONE},
        {"and.b32 %r5", MULTIPLY_NONE},     {"mul.lo.s32 %r6", MULTIPLY_24},
        {"mad.lo.s32 %r7", MULTIPLY_24},    {"mul.lo.s32 %r8", MULTIPLY_32},
        {"mul.lo.s32 %r9", MULTIPLY_32},    {"mul.lo.s32 %r10", MULTIPLY_NONE},
        {"mul24.lo.s32 %r11", MULTIPLY_24}, {"mul.hi.u32 %r12", MULTIPLY_32},
        {"mul.wide.u32 %rd2", MULTIPLY_32}, {"add.s32 %r13", MULTIPLY_NONE},
        {"and.b32 %r14", MULTIPLY_MASK},    {"mul.lo.s32 %r15", MULTIPLY_24},
    };
    uint8_t kinds[64];
    size_t found = 0;

    (void)counter;
    cr_assert_lt(program->instruction_count, sizeof kinds);
    cr_assert_eq(multiply_find(program, kinds, NULL), STATUS_OK);
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        char line[128];
        program_instruction_text(program, at, line, sizeof line);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            size_t length = strlen(wanted[i].text);
            if (strncmp(line, wanted[i].text, length) == 0 && line[length] == ',') {
                cr_assert_eq(kinds[at], wanted[i].kind, "%s: %d", line, kinds[at]);
                found++;
            }
        }
    }
    cr_assert_eq(found, sizeof wanted / sizeof *wanted, "%zu", found);
}

Test(simt_multiply, products_and_masks)
{
    uint8_t *bytes;
    uint64_t address = model_allocate(256, &bytes);

    model_load_text("products", text, sizeof text - 1);
    model_launch_counted("products", false, SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, &address, check_kinds);
}
