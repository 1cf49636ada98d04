/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of tensor cores in kernels: which lane gets which element, what lies where in memory, products
 * of small integers, which are exact in every type, and the counts. The places of ldmatrix, stmatrix and
 * movmatrix are those of PTX ISA 9.0, 9.7.14.5.15 to .17. The bits of products are in
 * tests/unit/simt/lanes/test_matrix_h200.c.
 */
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(simt_matrix, .init = model_open, .fini = model_close);

/* A kernel k(in, out) of one warp. Its first 8 KiB of `in` are in shared memory s; %r1 is the lane, %rd1 and
 * %rd2 are in and out, %rd3 the lane's 32 bytes of out, %r2 the address of s. */
static void load_kernel(const char *body)
{
    static char text[16384];
    int size = snprintf(
        text, sizeof text,
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 "
        "out)\n{\n"
        ".reg .b32 %%r<99>; .reg .b64 %%rd<40>; .reg .f64 %%fd<20>; .reg .f32 %%f<40>; .reg .pred %%p<3>;\n"
        ".shared .align 128 .b8 s[8192];\n"
        "mov.u32 %%r1, %%tid.x; ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [out]; mov.u32 %%r2, s;\n"
        "mul.wide.u32 %%rd3, %%r1, 32; add.u64 %%rd3, %%rd2, %%rd3;\n"
        "mul.wide.u32 %%rd4, %%r1, 256; add.u64 %%rd5, %%rd1, %%rd4; shl.b32 %%r3, %%r1, 8; add.u32 %%r4, "
        "%%r2, %%r3;\n"
        "mov.u32 %%r5, 0;\nL: ld.global.u64 %%rd6, [%%rd5]; st.shared.u64 [%%r4], %%rd6;\n"
        "add.u64 %%rd5, %%rd5, 8; add.u32 %%r4, %%r4, 8; add.u32 %%r5, %%r5, 1;\n"
        "setp.lt.u32 %%p1, %%r5, 32; @%%p1 bra L; bar.sync 0;\n%s\nret;\n}\n",
        body);
    cr_assert_lt((size_t)size, sizeof text);
    model_load_text("matrix", text, (size_t)size);
}

static uint8_t *in, *out;
static struct count_totals totals;

static void run_kernel(const char *body)
{
    uint64_t arguments[2] = {model_allocate(8192, &in), model_allocate(8192, &out)};
    for (uint32_t i = 0; i < 4096; i++) {
        const uint16_t half = (uint16_t)(i * 7 + 3);
        memcpy(in + 2 * i, &half, 2);
    }
    memset(out, 0, 8192);
    load_kernel(body);
    model_launch("k", SHAPE(1, 1, 1), SHAPE(32, 1, 1), 0, arguments, &totals);
}

static uint32_t word_of(uint32_t lane, uint32_t i)
{
    uint32_t word;
    memcpy(&word, out + 32 * lane + 4 * i, 4);
    return word;
}

static uint32_t half_in(uint32_t index)
{
    return (uint16_t)(index * 7 + 3);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */
/* Row addresses: lane l has that of row l * stride bytes; the four registers are then stored. */
static void run_load(uint32_t count, bool turn, uint32_t stride)
{
    static const char *const registers[] = {"", "%r10", "%r10, %r11", "", "%r10, %r11, %r12, %r13"};
    char body[1024];
    snprintf(body, sizeof body,
             "mov.u32 %%r10, 0; mov.u32 %%r11, 0; mov.u32 %%r12, 0; mov.u32 %%r13, 0; mad.lo.u32 %%r6, %%r1, "
             "%u, %%r2;\n"
             "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 {%s}, [%%r6];\n"
             "st.global.v4.u32 [%%rd3], {%%r10, %%r11, %%r12, %%r13};",
             stride, count, turn ? ".trans" : "", registers[count]);
    run_kernel(body);
}

Test(simt_matrix, ldmatrix_gives_each_lane_two_neighbours_of_a_row)
{
    for (uint32_t count = 1; count <= 4; count *= 2) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            run_load(count, turn, 48);
            for (uint32_t lane = 0; lane < 32; lane++) {
                for (uint32_t i = 0; i < 4; i++) {
                    const uint32_t line = lane / 4, at = lane % 4 * 2;
                    const uint32_t low = turn ? (8 * i + at) * 24 + line : (8 * i + line) * 24 + at;
                    const uint32_t high = turn ? low + 24 : low + 1;
                    cr_assert_eq(word_of(lane, i), i < count ? half_in(low) | half_in(high) << 16 : 0,
                                 "x%u trans %u lane %u register %u", count, turn, lane, i);
                }
            }
        }
    }
}

Test(simt_matrix, ldmatrix_takes_a_pass_for_each_matrix_and_conflict)
{
    static const struct {
        uint32_t count, stride, passes;
    } rows[] = {{1, 16, 1},  {2, 16, 2},   {4, 16, 4}, {4, 144, 4},
                {1, 128, 8}, {4, 128, 32}, {4, 32, 8}, {2, 64, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_load(rows[i].count, false, rows[i].stride);
        cr_assert_eq(totals.matrices[0].requests, 1);
        cr_assert_eq(totals.matrices[0].transfers, rows[i].passes, "x%u stride %u: %lu", rows[i].count,
                     rows[i].stride, (unsigned long)totals.matrices[0].transfers);
        cr_assert_eq(totals.matrices[0].ideal_transfers, rows[i].count);
    }
}

Test(simt_matrix, stmatrix_is_the_reverse_of_ldmatrix)
{
    run_kernel("shl.b32 %r6, %r1, 4; add.u32 %r6, %r6, %r2;\n"
               "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r6+512];\n"
               "stmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 [%r6], {%r10, %r11, %r12, %r13};\n"
               "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6+512], {%r12, %r13}; bar.sync 0;\n"
               "ld.shared.v2.u64 {%rd10, %rd11}, [%r6]; ld.shared.v2.u64 {%rd12, %rd13}, [%r6+512];\n"
               "st.global.v2.u64 [%rd3], {%rd10, %rd11}; st.global.v2.u64 [%rd3+16], {%rd12, %rd13};");
    for (uint32_t row = 0; row < 32; row++) {
        for (uint32_t column = 0; column < 8; column++) {
            uint16_t turned, plain;
            memcpy(&turned, out + 32 * row + 2 * column, 2);
            memcpy(&plain, out + 32 * row + 16 + 2 * column, 2);
            cr_assert_eq(turned, half_in(256 + row / 8 * 64 + column * 8 + row % 8), "row %u column %u", row,
                         column);
            cr_assert_eq(plain, half_in(256 + (row < 16 ? row + 16 : row) * 8 + column), "row %u column %u",
                         row, column);
        }
    }
    cr_assert_eq(totals.shared[1].requests, 32);
    cr_assert_eq(totals.matrices[1].requests, 2);
    cr_assert_eq(totals.shared[1].transfers - totals.shared[1].ideal_transfers,
                 32 * (32 - 2)); /* the copying in, 8 bytes each 256 apart: 16 passes for a half-warp */
}

Test(simt_matrix, movmatrix_transposes)
{
    run_kernel("shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r2; ld.shared.u32 %r10, [%r6];\n"
               "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r10; st.global.u32 [%rd3], %r10;");
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t low = lane % 4 * 16 + lane / 4;
        cr_assert_eq(word_of(lane, 0), half_in(low) | half_in(low + 8) << 16, "lane %u", lane);
    }
}

Test(simt_matrix, a_row_that_is_not_aligned_or_outside_is_told)
{
    static const struct {
        const char *offset;
        enum check_kind kind;
    } rows[] = {{"8", CHECK_MISALIGNED}, {"8192", CHECK_OUT_OF_BOUNDS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[256];
        struct error error = {0};
        uint64_t arguments[2] = {model_allocate(8192, &in), model_allocate(8192, &out)};
        memset(in, 0, 8192);
        snprintf(body, sizeof body, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%%r10}, [%%r2+%s];",
                 rows[i].offset);
        load_kernel(body);
        cr_assert_eq(model_stopped("k", SHAPE(1, 1, 1), SHAPE(32, 1, 1), arguments, &error), rows[i].kind,
                     "%s", error.text);
    }
}

/* ---- wmma ---- */
struct shape {
    const char *text;
    uint32_t m, n, k;
};

/* {%r10, %r11, ...} */
static const char *registers_of(char text[256], const char *prefix, uint32_t count)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, 256 - used, "%s%s%u", i ? ", " : "", prefix, 10 + i);
    return text;
}

/* A matrix of sums goes from memory to registers and back, by all layouts: the same, or transposed. */
Test(simt_matrix, sums_are_loaded_and_stored_alike)
{
    static const struct {
        struct shape shape;
        const char *type, *prefix;
        uint32_t registers, bytes;
    } rows[] = {
        {{"m16n16k16", 16, 16, 16}, "f16", "%r", 4, 2}, {{"m32n8k16", 32, 8, 16}, "f16", "%r", 4, 2},
        {{"m8n32k16", 8, 32, 16}, "f16", "%r", 4, 2},   {{"m16n16k16", 16, 16, 16}, "f32", "%f", 8, 4},
        {{"m32n8k16", 32, 8, 16}, "s32", "%r", 8, 4},   {{"m8n32k16", 8, 32, 16}, "f32", "%f", 8, 4},
        {{"m16n16k8", 16, 16, 8}, "f32", "%f", 8, 4},   {{"m8n8k4", 8, 8, 4}, "f64", "%fd", 2, 8},
        {{"m8n8k32", 8, 8, 32}, "s32", "%r", 2, 4},     {{"m8n8k128", 8, 8, 128}, "s32", "%r", 2, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t way = 0; way < 4; way++) {
            const char *const from = way & 1 ? "col" : "row", *const to = way & 2 ? "col" : "row";
            const uint32_t m = rows[i].shape.m, n = rows[i].shape.n, bytes = rows[i].bytes;
            char body[1024], list[256];
            registers_of(list, rows[i].prefix, rows[i].registers);
            snprintf(body, sizeof body,
                     "wmma.load.c.sync.aligned.%s.%s.shared.%s {%s}, [%%r2], 40;\n"
                     "wmma.store.d.sync.aligned.%s.%s.%s [%%rd2], {%s};",
                     from, rows[i].shape.text, rows[i].type, list, to, rows[i].shape.text, rows[i].type,
                     list);
            run_kernel(body);
            for (uint32_t row = 0; row < m; row++) {
                for (uint32_t column = 0; column < n; column++) {
                    const uint32_t there = way & 1 ? column * 40 + row : row * 40 + column;
                    const uint32_t here = way & 2 ? column * m + row : row * n + column;
                    cr_assert_eq(memcmp(out + here * bytes, in + there * bytes, bytes), 0,
                                 "%s.%s %s to %s: %u, %u", rows[i].shape.text, rows[i].type, from, to, row,
                                 column);
                }
            }
        }
    }
}

/* Products of whole numbers from -3 to 4, from both spaces and by all layouts. */
static int number_at(uint32_t seed, uint32_t row, uint32_t column)
{
    return (int)((row * 5 + column * 3 + row * column + seed) % 8) - 3;
}

/* Bits of a small whole number in a type. */
static uint64_t bits_of(const char *type, int number)
{
    const double wide = number;
    const float single = (float)number;
    uint64_t bits = 0;
    if (strcmp(type, "f64") == 0) {
        memcpy(&bits, &wide, 8);
    } else if (type[0] == 's' || type[0] == 'u') {
        bits = (uint64_t)(int64_t)number;
    } else {
        uint32_t word;
        memcpy(&word, &single, 4);
        const uint32_t half =
            number == 0 ? 0 : (word >> 16 & 0x8000u) | (((word >> 13) - (112u << 10)) & 0x7fffu);
        bits = strcmp(type, "bf16") == 0 ? word >> 16 : strcmp(type, "f16") == 0 ? half : word;
    }
    return bits;
}

struct product {
    struct shape shape;
    const char *type, *sum, *tail;      /* tail: of wmma.mma */
    uint32_t bytes, sum_bytes, a, b, c; /* registers */
    bool unsigned_;
};

#define A_AT 0
#define B_AT 2048
#define C_AT 4096

static void put_number(uint32_t at, uint32_t index, uint32_t bytes, uint64_t bits)
{
    memcpy(in + at + index * bytes, &bits, bytes);
}

static void check_product(const struct product *of, uint32_t way)
{
    const uint32_t m = of->shape.m, n = of->shape.n, k = of->shape.k;
    const bool a_column = way & 1, b_column = way & 2, shared = way & 4;
    char body[4096], a[256], b[256], c[256], d[256];
    const bool wide = strcmp(of->type, "f64") == 0;
    uint64_t arguments[2] = {model_allocate(8192, &in), model_allocate(8192, &out)};
    memset(in, 0, 8192);
    memset(out, 0, 8192);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < k; j++)
            put_number(A_AT, a_column ? j * m + i : i * k + j, of->bytes,
                       bits_of(of->type, number_at(1, i, j) + (of->unsigned_ ? 200 : 0)));
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < n; j++)
            put_number(B_AT, b_column ? j * k + i : i * n + j, of->bytes,
                       bits_of(of->type, number_at(2, i, j) + (of->unsigned_ ? 200 : 0)));
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++)
            put_number(C_AT, i * n + j, of->sum_bytes, bits_of(of->sum, number_at(3, i, j)));
    const char *const space = shared ? ".shared" : ".global", *const base = shared ? "%r2" : "%rd1";
    registers_of(a, wide ? "%da" : "%ra", of->a);
    registers_of(b, wide ? "%da2" : "%rb", of->b);
    registers_of(c, wide ? "%dc" : "%rc", of->c);
    registers_of(d, wide ? "%dd" : "%rd_", of->c);
    snprintf(body, sizeof body,
             ".reg .b32 %%ra<20>, %%rb<20>, %%rc<20>, %%rd_<20>; .reg .f64 %%da<300>, %%dc<20>, %%dd<20>;\n"
             "wmma.load.a.sync.aligned.%s.%s%s.%s {%s}, [%s];\n"
             "wmma.load.b.sync.aligned.%s.%s%s.%s {%s}, [%s+%d];\n"
             "wmma.load.c.sync.aligned.row.%s%s.%s {%s}, [%s+%d], %u;\n"
             "wmma.mma.sync.aligned.%s.%s.%s.%s {%s}, {%s}, {%s}, {%s};\n"
             "wmma.store.d.sync.aligned.row.%s.global.%s [%%rd2], {%s};",
             a_column ? "col" : "row", of->shape.text, space, of->type, a, base, b_column ? "col" : "row",
             of->shape.text, space, of->type, b, base, B_AT, of->shape.text, space, of->sum, c, base, C_AT, n,
             a_column ? "col" : "row", b_column ? "col" : "row", of->shape.text, of->tail, d, a, b, c,
             of->shape.text, of->sum, d);
    load_kernel(body);
    model_launch("k", SHAPE(1, 1, 1), SHAPE(32, 1, 1), 0, arguments, &totals);
    for (uint32_t i = 0; i < m; i++) {
        for (uint32_t j = 0; j < n; j++) {
            int sum = number_at(3, i, j);
            for (uint32_t x = 0; x < k; x++)
                sum += (number_at(1, i, x) + (of->unsigned_ ? 200 : 0)) *
                       (number_at(2, x, j) + (of->unsigned_ ? 200 : 0));
            const uint64_t wanted = bits_of(of->sum, sum);
            cr_assert_eq(memcmp(out + (i * n + j) * of->sum_bytes, &wanted, of->sum_bytes), 0,
                         "%s.%s way %u: %u, %u is not %d", of->shape.text, of->tail, way, i, j, sum);
        }
    }
    cr_assert_eq(totals.operations[CLASS_MATRIX], 2 * m * n * k, "%s.%s", of->shape.text, of->tail);
    cr_assert_eq(totals.class_warp_instructions[CLASS_MATRIX], m * n == 256 && k <= 16 ? 2 : 1);
}

Test(simt_matrix, products_of_whole_numbers)
{
#define SQUARE                  \
    {                           \
        "m16n16k16", 16, 16, 16 \
    }
#define HIGH                  \
    {                         \
        "m32n8k16", 32, 8, 16 \
    }
#define WIDE                  \
    {                         \
        "m8n32k16", 8, 32, 16 \
    }
    static const struct product products[] = {
        {SQUARE, "f16", "f32", "f32.f32", 2, 4, 8, 8, 8, false},
        {SQUARE, "f16", "f16", "f16.f16", 2, 2, 8, 8, 4, false},
        {HIGH, "f16", "f32", "f32.f32", 2, 4, 8, 8, 8, false},
        {WIDE, "f16", "f16", "f16.f16", 2, 2, 8, 8, 4, false},
        {SQUARE, "bf16", "f32", "f32.bf16.bf16.f32", 2, 4, 4, 4, 8, false},
        {HIGH, "bf16", "f32", "f32.bf16.bf16.f32", 2, 4, 8, 2, 8, false},
        {WIDE, "bf16", "f32", "f32.bf16.bf16.f32", 2, 4, 2, 8, 8, false},
        {{"m16n16k8", 16, 16, 8}, "tf32", "f32", "f32.tf32.tf32.f32", 4, 4, 4, 4, 8, false},
        {{"m8n8k4", 8, 8, 4}, "f64", "f64", "f64.f64.f64.f64", 8, 8, 1, 1, 2, false},
        {SQUARE, "s8", "s32", "s32.s8.s8.s32", 1, 4, 2, 2, 8, false},
        {HIGH, "u8", "s32", "s32.u8.u8.s32", 1, 4, 4, 1, 8, true},
        {WIDE, "s8", "s32", "s32.s8.s8.s32", 1, 4, 1, 4, 8, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (uint32_t way = 0; way < 8; way++)
            check_product(&products[i], way);
}

/* What ptxas 13.0 makes of a load: ldmatrix for A and B in shared memory, pairs of words for rows of C. The
 * lines follow each other without gaps, so that those of 32 bytes, and more, meet in the banks. */
Test(simt_matrix, loads_are_those_of_the_machine)
{
    static const struct {
        const char *load, *prefix;
        uint32_t registers, requests, passes; /* of shared memory */
    } rows[] = {{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", "%r", 8, 1, 8},
                {"wmma.load.b.sync.aligned.row.m16n16k16.shared.f16", "%r", 8, 1, 8},
                {"wmma.load.a.sync.aligned.row.m32n8k16.shared.f16", "%r", 8, 2, 16},
                {"wmma.load.a.sync.aligned.row.m16n16k16.shared.s8", "%r", 2, 1, 2},
                {"wmma.load.a.sync.aligned.col.m16n16k16.shared.s8", "%r", 2, 8, 16},
                {"wmma.load.c.sync.aligned.row.m16n16k16.shared.f32", "%f", 8, 4, 16},
                {"wmma.load.c.sync.aligned.col.m16n16k16.shared.f32", "%f", 8, 8, 32},
                {"wmma.load.c.sync.aligned.col.m16n16k16.shared.f16", "%r", 4, 4, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[512], list[256];
        const char *const type = strrchr(rows[i].load, '.');
        const bool sums = strstr(rows[i].load, "load.c") != NULL; /* a load without use would be left out */
        registers_of(list, rows[i].prefix, rows[i].registers);
        int size = snprintf(body, sizeof body, "%s {%s}, [%%r2];\n", rows[i].load, list);
        snprintf(body + size, sizeof body - (size_t)size,
                 sums ? "wmma.store.d.sync.aligned.row.m16n16k16.global%s [%%rd2], {%s};"
                      : "st.global.b32 [%%rd3], %%r10;",
                 type, list);
        run_kernel(body);
        const struct count_instruction *const of =
            totals.matrices[0].requests > 0 ? &totals.matrices[0] : &totals.shared[0];
        cr_assert_eq(totals.shared[0].requests + totals.matrices[0].requests, rows[i].requests);
        cr_assert_eq(of->requests, rows[i].requests, "%s: %lu", rows[i].load, (unsigned long)of->requests);
        cr_assert_eq(of->transfers, rows[i].passes, "%s: %lu", rows[i].load, (unsigned long)of->transfers);
    }
}

/* ptxas leaves out a load whose result nothing uses, and loads a word again behind a store that may have
 * changed it. */
Test(simt_matrix, loads_for_a_product_and_behind_a_store_count)
{
    run_kernel(
        "shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r2;\n"
        "ld.shared.f32 %f1, [%r6]; ld.shared.f32 %f2, [%r6+512]; ld.shared.f32 %f3, [%r6+1024];\n"
        "ld.shared.f32 %f4, [%r6+1536]; ld.shared.f32 %f5, [%r6+2048]; mov.u32 %r10, 0;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f6, %f7, %f8, %f9}, {%r10, %r10}, {%r10},\n"
        "{%f1, %f2, %f3, %f4}; st.global.v4.f32 [%rd3], {%f6, %f7, %f8, %f9};");
    cr_assert_eq(totals.shared[0].requests, 4);
    /* A lane reads the row that it has the address of, so that no other writes there. */
    run_kernel("shl.b32 %r6, %r1, 4; add.u32 %r6, %r6, %r2; ld.shared.u32 %r10, [%r6];\n"
               "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r1};\n"
               "ld.shared.u32 %r11, [%r6]; st.global.v2.u32 [%rd3], {%r10, %r11};");
    cr_assert_eq(totals.shared[0].requests, 2);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t before = half_in(8 * lane) | half_in(8 * lane + 1) << 16;
        cr_assert_eq(word_of(lane, 0), before);
        cr_assert_eq(word_of(lane, 1), lane < 8 ? 4 * lane : before, "lane %u", lane);
    }
}

/* A kernel that Triton made for sm_80: cp.async, ldmatrix and mma.sync. The sums are whole numbers below
 * 2^11, which are exact; the matrices do not fill the last blocks. */
Test(simt_matrix, a_triton_matrix_product)
{
    enum { M = 96, N = 80, K = 80, STRIDE = 80 };
    uint8_t *a, *b, *c;
    const uint64_t arguments[] = {model_allocate(M * STRIDE * 2, &a),
                                  model_allocate(K * STRIDE * 2, &b),
                                  model_allocate(M * STRIDE * 2, &c),
                                  M,
                                  N,
                                  K,
                                  STRIDE,
                                  STRIDE,
                                  STRIDE,
                                  0,
                                  0};
    memset(a, 0, M * STRIDE * 2);
    memset(c, 0, M * STRIDE * 2);
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t x = 0; x < K; x++)
            memcpy(a + 2 * (i * STRIDE + x), &(uint16_t){(uint16_t)bits_of("f16", number_at(1, i, x))}, 2);
    for (uint32_t x = 0; x < K; x++)
        for (uint32_t j = 0; j < N; j++)
            memcpy(b + 2 * (x * STRIDE + j), &(uint16_t){(uint16_t)bits_of("f16", number_at(2, x, j))}, 2);
    model_load("tests/data/triton/matmul");
    model_launch("matmul", SHAPE(2, 2, 1), SHAPE(128, 1, 1), 16384, arguments, &totals);
    for (uint32_t i = 0; i < M; i++) {
        for (uint32_t j = 0; j < N; j++) {
            int sum = 0;
            for (uint32_t x = 0; x < K; x++)
                sum += number_at(1, i, x) * number_at(2, x, j);
            const uint16_t wanted = (uint16_t)bits_of("f16", sum);
            cr_assert_eq(memcmp(c + 2 * (i * STRIDE + j), &wanted, 2), 0, "%u, %u is not %d", i, j, sum);
        }
    }
    /* Per block and step of 32: 64 x 64 x 32 in products of 16 x 8 x 16, by four warps. */
    cr_assert_eq(totals.class_warp_instructions[CLASS_MATRIX], 4 * 3 * (4 * 8 * 2));
    cr_assert_eq(totals.operations[CLASS_MATRIX], UINT64_C(4) * 3 * 2 * 64 * 64 * 32);
}
