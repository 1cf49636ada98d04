/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by address, virtual functions and recursion: the kernels of tests/gpu/programs/kernel_calls.cu, whose
 * host code expects the same of a GPU.
 */
#include "simt/engine/grid.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>

#include <string.h>

static struct error error;

TestSuite(simt_calls, .init = model_open, .fini = model_close);

#define THREADS 64

static const int32_t *run(const char *kernel, uint64_t second)
{
    uint8_t *bytes;
    uint64_t arguments[] = {model_allocate(3 * THREADS * 4, &bytes), second};
    model_launch(kernel, SHAPE(1, 1, 1), SHAPE(THREADS, 1, 1), 0, arguments, NULL);
    return (const void *)bytes;
}

Test(simt_calls, virtual_functions)
{
    model_load("tests/data/programs/kernel_calls");
    const int32_t *out = run("_Z17virtual_functionsPi", 0);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(out[i], i % 3 == 0 ? 2 * i : 4000000 + 2 * i * i * (i % 3 == 2 ? 6 : 1), "%d: %d", i,
                     out[i]);
}

Test(simt_calls, pointers)
{
    uint64_t address, size_bytes, pointer;
    uint8_t *bytes;
    model_load("tests/data/programs/kernel_calls");
    cr_assert(module_variable(model_module, "chosen", &address, &size_bytes));
    cr_assert_eq(memory_access(model_memory, address, 8, false, &bytes, &error), STATUS_OK);
    memcpy(&pointer, bytes, sizeof pointer);
    const float *out = (const void *)run("_Z8pointersPfPFfffE", pointer);
    for (int i = 0; i < THREADS; i++) {
        int wanted = (i % 3 == 0 ? i + 2 : i % 3 == 1 ? i - 2 : i * i) + (i % 2 ? i * i * i : 0);
        cr_assert_eq(out[i], (float)wanted, "%d: %g", i, (double)out[i]);
    }
    uint64_t arguments[] = {model_allocate(256, NULL), pointer + 1};
    cr_assert_eq(model_stopped("_Z8pointersPfPFfffE", SHAPE(1, 1, 1), SHAPE(32, 1, 1), arguments, &error),
                 CHECK_NO_FUNCTION);
    cr_assert_not_null(strstr(error.text, "which is not a function of the module"), "%s", error.text);
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int sum_chain(int depth, const int *before)
{
    int own[3] = {depth, 2 * depth, *before};
    if (depth == 0)
        return own[2];
    int below = sum_chain(depth - 1, &own[depth % 3]);
    return below + own[0] + own[1] + own[2] % 7;
}

Test(simt_calls, recursion)
{
    const int start = 5;
    model_load("tests/data/programs/kernel_calls");
    const int32_t *out = run("_Z9recursionPi", 0);
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(out[i], fibonacci(i % 12), "%d: %d", i, out[i]);
        cr_assert_eq(out[i + THREADS], sum_chain(i % 9, &start), "%d: %d", i, out[i + THREADS]);
        cr_assert_eq(out[i + 2 * THREADS], (i % 20 + 1) % 2);
    }
}

Test(simt_calls, stack_overflow)
{
    uint64_t out = model_allocate(4, NULL);
    model_load("tests/data/programs/kernel_calls");
    cr_assert_eq(model_stopped("_Z8overflowPi", SHAPE(1, 1, 1), SHAPE(32, 1, 1), &out, &error), CHECK_STACK);
    cr_assert_not_null(strstr(error.text, "overflows its stack of 1024 bytes"), "%s", error.text);
    cr_assert_eq(check_cuda_error(CHECK_STACK), 714);
    /* What was stopped in the middle of calls leaves nothing behind. */
    const int32_t *words = run("_Z9recursionPi", 0);
    cr_assert_eq(words[11], 89);
}

/* Kernels that can not be lowered leave the others alone. */
static const char mixed[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".extern .func missing ();\n.func there () { ret; }\n.global .u64 both[2] = {missing, there};\n"
    ".entry good() { .reg .b64 %rd<3>; mov.u64 %rd1, both; ld.global.u64 %rd2, [%rd1+8];\n"
    "P: .callprototype _ (); call %rd2, P; ret; }\n"
    ".entry bad() { call missing; ret; }\n"
    ".entry jumps() { .reg .b64 %rd<3>; mov.u64 %rd1, both; ld.global.u64 %rd2, [%rd1];\n"
    "P: .callprototype _ (); call %rd2, P; ret; }\n";

Test(simt_calls, only_what_is_missing_is_refused)
{
    const struct program *program;
    model_load_text("mixed.ptx", mixed, sizeof mixed - 1);
    model_launch("good", SHAPE(1, 1, 1), SHAPE(32, 1, 1), 0, NULL, NULL);
    cr_assert_eq(module_program(model_module, "bad", true, &program, &error), STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "missing has no body in this file"), "%s", error.text);
    cr_assert_eq(model_stopped("jumps", SHAPE(1, 1, 1), SHAPE(32, 1, 1), NULL, &error), CHECK_NO_FUNCTION);
}

/* Compiled apart from its caller, a function may have no result where the caller's file declares one. */
static const char unused[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".func nothing(.param .b32 x) { ret; }\n"
    ".entry calls(.param .u64 out) { .reg .b64 %rd<2>; .reg .b32 %r<3>; ld.param.u64 %rd1, [out];\n"
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p], 4; call.uni (q), nothing, (p); ld.param.b32 %r1, [q]; "
    "}\n"
    "st.global.u32 [%rd1], 17; ret; }\n";

Test(simt_calls, a_result_that_the_function_does_not_give)
{
    uint8_t *bytes;

    model_load_text("unused.ptx", unused, sizeof unused - 1);
    uint64_t out = model_allocate(4, &bytes);
    model_launch("calls", SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, &out, NULL);
    cr_assert_eq(bytes[0], 17);
}

/* `__ballot_sync(0, true)`: as -G leaves it, a function of a header, which the program's own header calls, too; and inlined. */
static const char ballot[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".func ballot() { .reg .pred %p; .reg .b32 %r<3>; .loc 2 134 3\n setp.eq.s32 %p, 0, 0; mov.b32 %r1, 0;\n"
    "vote.sync.ballot.b32 %r2, %p, %r1; ret; }\n"
    ".func own() { .loc 3 7 3\n call ballot; ret; }\n"
    ".entry calls() { .loc 1 9 3\n call ballot; ret; }\n"
    ".entry calls_own() { .loc 1 12 3\n call own; ret; }\n"
    ".entry inlines() { .reg .pred %p; .reg .b32 %r<3>; .loc 1 40 3, function_name L, inlined_at 1 60 3\n"
    "L: setp.eq.s32 %p, 0, 0; mov.b32 %r1, 0; .loc 2 134 3, function_name L, inlined_at 1 40 3\n"
    "vote.sync.ballot.b32 %r2, %p, %r1; ret; }\n"
    ".file 1 \"kernel.cu\"\n.file 2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp\"\n"
    ".file 3 \"/home/user/include/own.cuh\"\n";

Test(simt_calls, the_line_that_calls_the_toolkit_is_named)
{
    static const char *const cases[][2] = {
        {"calls", "(kernel.cu:9, vote"},
        {"calls_own", "(/home/user/include/own.cuh:7, called at kernel.cu:12, vote"},
        {"inlines", "(kernel.cu:40, vote"}};

    model_load_text("ballot.ptx", ballot, sizeof ballot - 1);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(model_stopped(cases[i][0], SHAPE(1, 1, 1), SHAPE(32, 1, 1), NULL, &error), CHECK_MASK);
        cr_assert(strstr(error.text, cases[i][1]), "%s: %s", cases[i][1], error.text);
    }
}
