/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers that are kept as one value, or as a row of steps (simt/engine/scalars.h), where that could go wrong:
 * rows that wrap at 32 bits when they are widened, loops whose counter is the same in all lanes while they part
 * in the body, values that a barrier comes between. test_simt_layouts compares random kernels.
 */
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(scalars, .init = model_open, .fini = model_close);

#define THREADS 64
#define RESULTS 8

static const char text[] = ".version 7.8\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry widen(.param .u64 out, .param .u32 begin)\n"
                           "{\n"
                           "  .reg .b32 %r<8>;\n"
                           "  .reg .b64 %d<16>;\n"
                           "  ld.param.u64 %d0, [out];\n"
                           "  ld.param.u32 %r0, [begin];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %d1, %r1, 64;\n"
                           "  add.s64 %d0, %d0, %d1;\n"
                           "  add.u32 %r2, %r1, %r0;\n"
                           "  sub.u32 %r3, %r0, %r1;\n"
                           "  mul.wide.u32 %d2, %r2, 4;\n"
                           "  mul.wide.s32 %d3, %r2, 4;\n"
                           "  cvt.u64.u32 %d4, %r2;\n"
                           "  cvt.s64.s32 %d5, %r2;\n"
                           "  mad.wide.u32 %d6, %r3, 3, %d4;\n"
                           "  mad.wide.s32 %d7, %r3, -3, %d4;\n"
                           "  cvt.s64.s32 %d8, %r3;\n"
                           "  mul.wide.u32 %d9, %r3, %r0;\n"
                           "  st.global.u64 [%d0], %d2;\n"
                           "  st.global.u64 [%d0+8], %d3;\n"
                           "  st.global.u64 [%d0+16], %d4;\n"
                           "  st.global.u64 [%d0+24], %d5;\n"
                           "  st.global.u64 [%d0+32], %d6;\n"
                           "  st.global.u64 [%d0+40], %d7;\n"
                           "  st.global.u64 [%d0+48], %d8;\n"
                           "  st.global.u64 [%d0+56], %d9;\n"
                           "  ret;\n"
                           "}\n"
                           ".visible .entry part(.param .u64 out, .param .u32 turns)\n"
                           "{\n"
                           "  .reg .pred %p<4>;\n"
                           "  .reg .b32 %r<12>;\n"
                           "  .reg .b64 %d<4>;\n"
                           "  ld.param.u64 %d0, [out];\n"
                           "  ld.param.u32 %r0, [turns];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %d1, %r1, 64;\n"
                           "  add.s64 %d0, %d0, %d1;\n"
                           "  mov.u32 %r2, 0;\n"
                           "  mov.u32 %r3, 0;\n"
                           "  mov.u32 %r5, %r1;\n"
                           "again:\n"
                           "  and.b32 %r4, %r1, %r2;\n"
                           "  setp.ne.u32 %p0, %r4, 0;\n"
                           "  @%p0 bra odd;\n"
                           "  add.u32 %r3, %r3, %r2;\n"
                           "  mov.u32 %r5, 7;\n"
                           "odd:\n"
                           "  add.u32 %r5, %r5, %r2;\n"
                           "  bar.sync 0;\n"
                           "  add.u32 %r2, %r2, 1;\n"
                           "  setp.lt.u32 %p1, %r2, %r0;\n"
                           "  @%p1 bra again;\n"
                           "  cvt.u64.u32 %d2, %r3;\n"
                           "  cvt.u64.u32 %d3, %r5;\n"
                           "  st.global.u64 [%d0], %d2;\n"
                           "  st.global.u64 [%d0+8], %d3;\n"
                           "  ret;\n"
                           "}\n"
                           ".const .align 16 .b8 table[256];\n"
                           ".visible .entry widths(.param .u64 out, .param .u32 at)\n"
                           "{\n"
                           "  .reg .b16 %h<4>;\n"
                           "  .reg .b32 %r<24>;\n"
                           "  .reg .b64 %d<12>;\n"
                           "  .shared .align 16 .b8 words[256];\n"
                           "  ld.param.u64 %d0, [out];\n"
                           "  ld.param.u32 %r0, [at];\n"
                           "  mov.u32 %r1, words;\n"
                           "  add.u32 %r1, %r1, %r0;\n"
                           "  cvt.u64.u32 %d1, %r0;\n"
                           "  mov.u64 %d2, table;\n"
                           "  add.s64 %d2, %d2, %d1;\n"
                           "  add.s64 %d3, %d0, %d1;\n"
                           "  ld.shared.u8 %r2, [%r1];\n"
                           "  ld.shared.u16 %h0, [%r1];\n"
                           "  ld.shared.v2.u32 {%r3, %r4}, [%r1];\n"
                           "  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r1];\n"
                           "  ld.shared.v2.u64 {%d4, %d5}, [%r1];\n"
                           "  ld.const.u8 %r9, [%d2];\n"
                           "  ld.const.v2.u32 {%r10, %r11}, [%d2];\n"
                           "  ld.const.v4.u32 {%r12, %r13, %r14, %r15}, [%d2];\n"
                           "  ld.global.u8 %r16, [%d3];\n"
                           "  ld.global.u16 %h1, [%d3];\n"
                           "  ld.global.v2.u32 {%r17, %r18}, [%d3];\n"
                           "  ld.global.v4.u32 {%r19, %r20, %r21, %r22}, [%d3];\n"
                           "  ld.global.v2.u64 {%d6, %d7}, [%d3];\n"
                           "  xor.b32 %r2, %r2, %r3; xor.b32 %r2, %r2, %r4; xor.b32 %r2, %r2, %r5;\n"
                           "  xor.b32 %r2, %r2, %r6; xor.b32 %r2, %r2, %r7; xor.b32 %r2, %r2, %r8;\n"
                           "  xor.b32 %r2, %r2, %r9; xor.b32 %r2, %r2, %r10; xor.b32 %r2, %r2, %r11;\n"
                           "  xor.b32 %r2, %r2, %r12; xor.b32 %r2, %r2, %r13; xor.b32 %r2, %r2, %r14;\n"
                           "  xor.b32 %r2, %r2, %r15; xor.b32 %r2, %r2, %r16; xor.b32 %r2, %r2, %r17;\n"
                           "  xor.b32 %r2, %r2, %r18; xor.b32 %r2, %r2, %r19; xor.b32 %r2, %r2, %r20;\n"
                           "  xor.b32 %r2, %r2, %r21; xor.b32 %r2, %r2, %r22; cvt.u32.u16 %r3, %h0;\n"
                           "  xor.b32 %r2, %r2, %r3; cvt.u32.u16 %r3, %h1; xor.b32 %r2, %r2, %r3;\n"
                           "  cvt.u64.u32 %d8, %r2; xor.b64 %d8, %d8, %d4; xor.b64 %d8, %d8, %d5;\n"
                           "  xor.b64 %d8, %d8, %d6; xor.b64 %d8, %d8, %d7; st.global.u64 [%d0+248], %d8;\n"
                           "  ret;\n"
                           "}\n";

/* Runs it with scalars from the first instruction on, or without any. totals: NULL, or what was counted. */
static void launch(const char *kernel, uint64_t out, uint32_t argument, bool by_vectors, bool uncounted,
                   struct count_totals *totals)
{
    struct grid_machine machine = model_machine;
    struct grid_launch launch = {.module = model_module, .grid = {3, 1, 1}, .block = {THREADS, 1, 1}};
    struct grid_result result;
    struct error error;
    uint8_t parameters[16] = {0};
    memcpy(parameters, &out, sizeof out);
    memcpy(parameters + 8, &argument, sizeof argument);
    launch.parameters = parameters;
    machine.check = false;
    machine.scalars_after = 1;
    machine.by_vectors = by_vectors;
    machine.uncounted = uncounted;
    cr_assert_eq(module_program(model_module, kernel, true, &launch.program, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(grid_run(&machine, &launch, &result, &error), STATUS_OK, "%s", error.text);
    if (totals)
        count_totals(&result.counter, totals);
    grid_result_fini(&result);
}

static void expect_widened(uint32_t thread, uint32_t begin, uint64_t wanted[RESULTS])
{
    const uint32_t up = begin + thread, down = begin - thread;
    const int64_t signed_up = (int32_t)up, signed_down = (int32_t)down;
    wanted[0] = UINT64_C(4) * up;
    wanted[1] = (uint64_t)(4 * signed_up);
    wanted[2] = up;
    wanted[3] = (uint64_t)signed_up;
    wanted[4] = UINT64_C(3) * down + up;
    wanted[5] = (uint64_t)(-3 * signed_down) + up;
    wanted[6] = (uint64_t)signed_down;
    wanted[7] = (uint64_t)down * begin;
}

Test(scalars, a_row_that_wraps_is_widened_lane_by_lane)
{
    static const uint32_t begins[] = {0,          5,          100,        UINT32_MAX, 0xfffffff0,
                                      0x7ffffff0, 0x7fffffff, 0x80000000, 0x8000000f, 0xffffffe0};
    uint8_t *bytes;
    model_load_text("scalars", text, sizeof text - 1);
    const uint64_t out = model_allocate(sizeof(uint64_t) * RESULTS * THREADS, &bytes);
    for (uint32_t i = 0; i < 4 * sizeof begins / sizeof *begins; i++) {
        const uint32_t begin = begins[i / 4];
        launch("widen", out, begin, i & 1, i & 2, NULL);
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            uint64_t wanted[RESULTS];
            expect_widened(thread, begin, wanted);
            cr_assert_eq(memcmp(bytes + thread * sizeof wanted, wanted, sizeof wanted), 0,
                         "from %#x, thread %u, %s", begin, thread, i & 1 ? "vectors" : "scalars");
        }
    }
}

Test(scalars, a_counter_outlives_lanes_that_part)
{
    uint8_t *bytes;
    model_load_text("scalars", text, sizeof text - 1);
    const uint64_t out = model_allocate(sizeof(uint64_t) * RESULTS * THREADS, &bytes);
    for (uint32_t i = 0; i < 4; i++) {
        launch("part", out, 40, i & 1, i & 2, NULL);
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            uint64_t sum = 0, last = thread;
            for (uint32_t turn = 0; turn < 40; turn++) {
                sum += thread & turn ? 0 : turn;
                last = (thread & turn ? last : 7) + turn;
            }
            cr_assert_eq(memcmp(bytes + thread * 64, &sum, 8), 0, "thread %u", thread);
            cr_assert_eq(memcmp(bytes + thread * 64 + 8, &last, 8), 0, "thread %u", thread);
        }
    }
}

/* Loads of all widths from one place of each memory: what a vector costs depends on its width. */
Test(scalars, counts_are_those_of_vectors_at_every_width)
{
    struct count_totals scalars, vectors;
    model_load_text("scalars", text, sizeof text - 1);
    const uint64_t out = model_allocate(256, NULL);
    for (uint32_t at = 0; at < 64; at += 16) {
        launch("widths", out, at, false, false, &scalars);
        launch("widths", out, at, true, false, &vectors);
        cr_assert_eq(memcmp(&scalars, &vectors, sizeof scalars), 0, "at %u", at);
    }
}
