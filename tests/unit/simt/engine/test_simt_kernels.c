/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels from their PTX, through parser, lowering and engine: the bundled ones against what their sources
 * say, and small texts of what the bundled ones do not have: module variables, addresses in them, calls.
 */
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

TestSuite(simt_kernels, .init = model_open, .fini = model_close);

static struct error error;

/* Of two blocks of 64 threads: an H200's inter-thread communication of threads, atomics and loads of shared
 * memory by warps (ncu 2025.3.1, driver 580.159.04, 2026-11-29). */
Test(simt_kernels, exchanges_are_those_that_an_h200_counted)
{
    static const struct {
        const char *kernel;
        double lanes, atomics, loads;
    } rows[] = {
        {"exchange_none", 0, 0, 0},         {"exchange_shuffle", 128, 0, 0}, {"exchange_part", 40, 0, 0},
        {"exchange_shuffle_64", 256, 0, 0}, {"exchange_ballot", 128, 0, 0},  {"exchange_any", 128, 0, 0},
        {"exchange_match", 128, 0, 0},      {"exchange_sum", 128, 0, 0},     {"exchange_add", 0, 4, 4},
        {"exchange_count", 0, 4, 4},        {"exchange_swap", 0, 4, 4},      {"exchange_max", 0, 4, 4},
        {"exchange_floats", 0, 4, 8},
    };
    uint8_t *bytes;
    uint64_t out = model_allocate(64 * 8, &bytes);
    struct count_totals totals;

    memset(bytes, 0, 64 * 8);
    model_load("tests/data/ptx/exchange");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        model_launch(rows[i].kernel, SHAPE(1, 1, 1), SHAPE(64, 1, 1), 0, &out, &totals);
        cr_expect_eq(2 * count_value(&totals, METRIC_lane_exchanges).number, rows[i].lanes, "%s",
                     rows[i].kernel);
        cr_expect_eq(2 * count_value(&totals, METRIC_shared_atomic_instructions).number, rows[i].atomics,
                     "%s", rows[i].kernel);
        cr_expect_eq(2 * count_value(&totals, METRIC_shared_load_instructions).number, rows[i].loads, "%s",
                     rows[i].kernel);
    }
}

Test(simt_kernels, copies)
{
    const uint32_t n = 64 * 256;
    uint8_t *bytes[2];
    uint64_t in = model_allocate(4 * (n * 32 + 64), &bytes[0]),
             out = model_allocate(4 * (n * 32 + 64), &bytes[1]);
    uint32_t *from = (uint32_t *)(void *)bytes[0], *to = (uint32_t *)(void *)bytes[1];
    for (uint32_t i = 0; i < n * 32 + 64; i++)
        from[i] = i * 2654435761u;
    struct count_totals totals;
    model_load("workloads/ptx/copy_offset");
    for (uint32_t offset = 0; offset <= 9; offset += 3) {
        uint64_t arguments[] = {out, in, offset};
        model_launch("copy_offset", SHAPE(64, 1, 1), SHAPE(256, 1, 1), 0, arguments, &totals);
        cr_assert_eq(memcmp(to + offset, from + offset, 4 * n), 0);
        cr_assert_eq(totals.global[0].requests, n / 32);
        cr_assert_eq(totals.global[0].transfers, n / 32 * (offset % 8 ? 5 : 4));
        cr_assert_eq(totals.global[1].transfers, totals.global[0].transfers);
        memset(to, 0, 4 * (n + 64));
    }
    model_load("workloads/ptx/copy_stride");
    for (uint32_t stride = 1; stride <= 32; stride *= 2) {
        uint64_t arguments[] = {out, in, stride};
        model_launch("copy_stride", SHAPE(64, 1, 1), SHAPE(256, 1, 1), 0, arguments, &totals);
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(to[i * stride], from[i * stride]);
        cr_assert_eq(totals.global[0].transfers, n / 32 * (stride < 8 ? 4 * stride : 32));
        memset(to, 0, 4 * (n * 32 + 64));
    }
}

Test(simt_kernels, matrix_products)
{
    static const char *const kernels[] = {"matmul_simple", "matmul_a_tile", "matmul_ab_tiles"};
    const uint32_t w = 32, m = 64, n = 96;
    uint8_t *bytes[3];
    uint64_t c = model_allocate(4 * m * n, &bytes[0]), a = model_allocate(4 * m * w, &bytes[1]),
             b = model_allocate(4 * w * n, &bytes[2]);
    float *results = (float *)(void *)bytes[0], *left = (float *)(void *)bytes[1],
          *right = (float *)(void *)bytes[2];
    for (uint32_t i = 0; i < m * w; i++)
        left[i] = (float)(i % 37) / 7.0f - 2.0f;
    for (uint32_t i = 0; i < w * n; i++)
        right[i] = (float)(i % 41) / 11.0f - 1.0f;
    model_load("workloads/ptx/matmul_ab");
    for (int k = 0; k < 3; k++) {
        struct count_totals totals;
        uint64_t arguments[] = {c, a, b, n};
        memset(results, 0xff, 4 * m * n);
        model_launch(kernels[k], SHAPE(n / 32, m / 32, 1), SHAPE(32, 32, 1), 0, arguments, &totals);
        for (uint32_t i = 0; i < m * n; i++) {
            float sum = 0;
            for (uint32_t j = 0; j < w; j++) {
                float product = left[i / n * w + j] * right[j * n + i % n];
                sum += product;
            }
            cr_assert_eq(memcmp(&sum, &results[i], sizeof sum), 0, "%s %u: %g, not %g", kernels[k], i,
                         (double)results[i], (double)sum);
        }
        uint64_t warps = m * n / 32;
        cr_assert_eq(totals.global[0].requests, k == 0 ? 64 * warps : k == 1 ? 33 * warps : 2 * warps);
    }
}

Test(simt_kernels, reductions_and_bodies)
{
    const uint32_t n = 10000, blocks = 7;
    uint8_t *bytes[2];
    struct count_totals totals;
    uint64_t in = model_allocate(4 * n, &bytes[0]), out = model_allocate(4 * blocks, &bytes[1]);
    float *from = (float *)(void *)bytes[0], *sums = (float *)(void *)bytes[1], total = 0;
    for (uint32_t i = 0; i < n; i++)
        from[i] = (float)(i % 16);
    model_load("tests/data/ptx/reduction");
    uint64_t arguments[] = {out, in, n};
    model_launch("reduction", SHAPE(blocks, 1, 1), SHAPE(128, 1, 1), 512, arguments, &totals);
    for (uint32_t i = 0; i < blocks; i++)
        total += sums[i];
    cr_assert_eq(total, 75000.0f); /* 625 rounds of 0 ... 15, whole numbers all the way */

    const uint32_t bodies = 512;
    uint64_t body = model_allocate(16 * bodies, &bytes[0]), pull = model_allocate(16 * bodies, &bytes[1]);
    float *at = (float *)(void *)bytes[0], *pulls = (float *)(void *)bytes[1];
    for (uint32_t i = 0; i < 4 * bodies; i++)
        at[i] = (float)(i * 2654435761u % 1000) / 100.0f;
    model_load("tests/data/ptx/nbody");
    uint64_t body_arguments[] = {pull, body, bodies};
    model_launch("nbody", SHAPE(bodies / 256, 1, 1), SHAPE(256, 1, 1), 0, body_arguments, &totals);
    for (uint32_t i = 0; i < bodies; i += 17) {
        double sum[3] = {0}, scale = 0;
        for (uint32_t j = 0; j < bodies; j++) {
            double d[3], square = 1e-4;
            for (uint32_t axis = 0; axis < 3; axis++) {
                d[axis] = (double)at[4 * j + axis] - (double)at[4 * i + axis];
                square += d[axis] * d[axis];
            }
            double factor = (double)at[4 * j + 3] / (square * __builtin_sqrt(square));
            for (uint32_t axis = 0; axis < 3; axis++) {
                sum[axis] += d[axis] * factor;
                scale += d[axis] * factor < 0 ? -d[axis] * factor : d[axis] * factor;
            }
        }
        for (uint32_t axis = 0; axis < 3; axis++) {
            double off = (double)pulls[4 * i + axis] - sum[axis];
            cr_assert(off < 1e-5 * scale && off > -1e-5 * scale, "body %u: %g, not %g", i,
                      (double)pulls[4 * i + axis], sum[axis]);
        }
    }
}

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* out[t] = table[t] + constants[t] + *pointer (which points at table[2]) + inner call's t * 3 */
static const char variables[] = HEAD
    ".visible .global .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
    ".visible .const .align 4 .u32 constants[4] = {1000, 2000, 3000, 4000};\n"
    ".visible .global .align 8 .u64 pointer = table+8;\n"
    ".visible .const .align 8 .u64 place[1] = {generic(constants)+4};\n"
    ".func (.param .u32 r) triple(.param .u32 x)\n{\n .reg .u32 %r<3>;\n"
    " ld.param.u32 %r1, [x];\n mul.lo.u32 %r2, %r1, 3;\n st.param.u32 [r], %r2;\n ret;\n}\n"
    ".visible .entry kernel(.param .u64 out)\n{\n .reg .u32 %r<20>;\n .reg .u64 %rd<20>;\n .reg .pred %p;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %rd2, %r1, 4;\n"
    " mov.u64 %rd3, table;\n add.u64 %rd4, %rd3, %rd2;\n ld.global.u32 %r2, [%rd4];\n"
    " mov.u64 %rd5, constants;\n add.u64 %rd6, %rd5, %rd2;\n ld.const.u32 %r3, [%rd6];\n"
    " add.u32 %r2, %r2, %r3;\n ld.global.u64 %rd7, [pointer];\n ld.global.u32 %r4, [%rd7];\n"
    " add.u32 %r2, %r2, %r4;\n ld.const.u64 %rd8, [place];\n ld.u32 %r6, [%rd8];\n add.u32 %r2, %r2, %r6;\n"
    " setp.eq.u32 %p, %r1, 1;\n @%p bra SKIP;\n"
    " {\n .param .u32 a;\n .param .u32 b;\n st.param.u32 [a], %r1;\n call.uni (b), triple, (a);\n"
    " ld.param.u32 %r5, [b];\n }\n add.u32 %r2, %r2, %r5;\nSKIP:\n"
    " add.u64 %rd9, %rd1, %rd2;\n st.global.u32 [%rd9], %r2;\n ret;\n}\n";

Test(simt_kernels, variables_and_calls)
{
    uint8_t *bytes;
    uint64_t address, size_bytes, out = model_allocate(16, &bytes);
    struct count_totals totals;
    model_load_text("variables.ptx", variables, sizeof variables - 1);
    model_launch("kernel", SHAPE(1, 1, 1), SHAPE(4, 1, 1), 0, &out, &totals);
    const uint32_t *words = (const uint32_t *)(const void *)bytes;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t want = 10 * (i + 1) + 1000 * (i + 1) + 30 + 2000 + (i == 1 ? 0 : 3 * i);
        cr_assert_eq(words[i], want, "%u: %u, not %u", i, words[i], want);
    }
    cr_assert(module_variable(model_module, "constants", &address, &size_bytes));
    cr_assert_eq(size_bytes, 16);
    uint8_t *constants;
    cr_assert_eq(memory_access(model_memory, address, size_bytes, true, &constants, &error), STATUS_OK);
    cr_assert_eq(memcmp(constants, &(uint32_t){1000}, 4), 0);
    memcpy(constants, &(uint32_t){5}, 4);
    model_launch("kernel", SHAPE(1, 1, 1), SHAPE(4, 1, 1), 0, &out, &totals);
    cr_assert_eq(words[0], 10 + 5 + 30 + 2000);
    cr_assert_not(module_variable(model_module, "triple", &address, &size_bytes));
    uint64_t used = memory_used_bytes(model_memory);
    model_unload();
    cr_assert_lt(memory_used_bytes(model_memory), used);
    cr_assert_eq(memory_used_bytes(model_memory), 16);
}

Test(simt_kernels, what_a_module_can_not_be_is_said)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {HEAD ".const .u32 a[16000];\n.const .u32 b[1000];\n", "65536 bytes"},
        {HEAD ".global .u64 p = nowhere;\n", "nowhere"},
        {HEAD ".visible .entry k()\n{\n frobnicate.u32;\n ret;\n}\n", NULL},
    };
    for (int i = 0; i < 3; i++) {
        struct module *made = NULL;
        enum status status =
            module_load(&made, model_memory, "wrong.ptx", cases[i].text, strlen(cases[i].text), &error);
        if (cases[i].words) {
            cr_assert_eq(status, STATUS_USAGE);
            cr_assert_not_null(strstr(error.text, cases[i].words), "%s", error.text);
            continue;
        }
        const struct program *program;
        cr_assert_eq(status, STATUS_OK, "%s", error.text);
        cr_assert_eq(module_program(made, "k", false, &program, &error), STATUS_USAGE);
        cr_assert_not_null(strstr(error.text, "frobnicate"), "%s", error.text);
        cr_assert_eq(module_program(made, "l", false, &program, &error), STATUS_USAGE);
        cr_assert_not_null(strstr(error.text, "no kernel l"), "%s", error.text);
        module_unload(made);
    }
    cr_assert_eq(memory_used_bytes(model_memory), 0);
}

/* Kernels that never end, each in its own way. */
static const char *const endless[] = {
    "A: add.u32 %r1, %r1, 1; bra A;",
    "A: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r2, 7; @%p bra A; bra A;",
    "A: bar.sync 0; bra A;",
    "A: call f; bra A;",
    "A: setp.lt.u32 %p, %r2, 7; @%p call f; bra A;",
    "T: .branchtargets A, B; A: and.b32 %r3, %r2, 1; brx.idx %r3, T; B: bra A;",
    "A: shfl.sync.idx.b32 %r1, %r1, 3, 31, -1; bra A;",
    "A: add.u32 %r1, %r1, 1; ld.volatile.global.u32 %r3, [g]; bra A;",
    "A: atom.global.add.u32 %r1, [g], 1; bra A;",
};

static atomic_bool cancel;

static void *cancel_soon(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    atomic_store(&cancel, true);
    return unused;
}

Test(simt_kernels, all_endless_kernels_can_be_cancelled)
{
    model_machine.cancel = &cancel;
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        char text[1024];
        pthread_t thread;
        struct grid_result result;
        struct grid_launch launch = {
            .grid = {1, 1, 1}, .block = {64, 1, 1}, .parameters = (const uint8_t *)""};
        int size =
            snprintf(text, sizeof text,
                     HEAD ".global .u32 g;\n.func f { ret; }\n.entry k() {\n.reg .b32 %%r<4>; .reg .pred "
                          "%%p;\nmov.u32 %%r1, 0; mov.u32 %%r2, %%tid.x;\n%s\n}\n",
                     endless[i]);
        model_load_text("endless.ptx", text, (size_t)size);
        launch.module = model_module;
        cr_assert_eq(module_program(model_module, "k", true, &launch.program, &error), STATUS_OK, "%s",
                     error.text);
        atomic_store(&cancel, false);
        cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
        cr_assert_eq(grid_run(&model_machine, &launch, &result, &error), STATUS_STATE, "%s: %s", endless[i],
                     error.text);
        grid_result_fini(&result);
        pthread_join(thread, NULL);
    }
}

/* A block's frames are those of the block before: what only that one wrote must not be read. */
Test(simt_kernels, a_register_that_no_lane_has_written_is_zero)
{
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry unwritten(.param .u64 out)\n{\n"
                               ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd1, [out];\n"
                               "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
                               "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
                               "@!%p1 add.u32 %r4, %r2, %r2;\n"
                               "@%p1 bra LAST;\nadd.u32 %r5, %r4, %r2;\nadd.u32 %r8, %r5, %r2;\n"
                               "LAST:\nadd.u32 %r6, %r4, %r5;\nadd.u32 %r6, %r6, %r8;\n"
                               "mad.lo.u32 %r7, %r1, 32, %r2;\nmul.wide.u32 %rd2, %r7, 4;\n"
                               "add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r6;\nret;\n}\n";
    uint8_t *bytes;
    uint64_t out = model_allocate(64 * 32 * 4, &bytes);
    const uint32_t *words = (const uint32_t *)(const void *)bytes;

    model_load_text("unwritten", text, sizeof text - 1);
    model_launch_counted("unwritten", false, SHAPE(64, 1, 1), SHAPE(32, 1, 1), 0, &out, NULL);
    for (uint32_t i = 0; i < 64 * 32; i++)
        cr_assert_eq(words[i], i / 32 % 2 ? 0 : 9 * (i % 32), "thread %u: %u", i, words[i]);
}
