/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrong programs of students and what is said of them: the table of docs/results/own-kernel.md is made of
 * this (UPDATE_GOLDEN=1 writes it anew) and compared with it. All are changes of the kernel of copy-stride.
 */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE TEST_SOURCE_DIR "/docs/results/own-kernel.md"
#define BEGIN "| program | what is wrong | status | message |\n|---|---|---|---|\n"

static char output[1 << 18], errors[1 << 16], table[1 << 16], page[1 << 18];

static void enter(void)
{
    program_enter();
#ifdef TEST_TOOLKIT
    setenv("CUDA_HOME", TEST_TOOLKIT, 1);
#endif
}

TestSuite(own_wrong, .init = enter, .fini = program_leave, .timeout = 240);

#define HEAD "extern \"C\" __global__ void copy_stride(float *out, const float *in, unsigned stride)\n"
#define BODY "{\n    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;\n\n"
#define KERNEL(rest) HEAD BODY rest "}\n"

static const struct {
    const char *name, *what, *text, *options;
} rows[] = {
    {"syntax", "a `;` is missing", KERNEL("    out[i] = in[i]\n"), ""},
    {"name", "an unknown name", KERNEL("    out[i] = im[i];\n"), ""},
    {"header", "a header that is not there", "#include \"tile.cuh\"\n" KERNEL("    out[i] = in[i];\n"), ""},
    {"no kernel", "the kernel has another name",
     "extern \"C\" __global__ void copy(float *out, const float *in) { out[0] = in[0]; }\n", ""},
    {"C++ name", "no `extern \"C\"`",
     "__global__ void copy_stride(float *out, const float *in, unsigned stride) { out[0] = in[0]; }\n", ""},
    {"parameters", "a parameter is left out",
     "extern \"C\" __global__ void copy_stride(float *out, const float *in) { out[0] = in[0]; }\n", ""},
    {"shared memory", "80,000 bytes of it",
     KERNEL("    __shared__ float tile[20000];\n    tile[threadIdx.x] = in[i];\n    out[i] = "
            "tile[threadIdx.x];\n"),
     ""},
    {"host only", "host code and no kernel", "int main() { return 0; }\n", ""},
    {"out of bounds", "the index is too large", KERNEL("    out[i + 1000000] = in[i];\n"), ""},
    {"misaligned", "a float2 at an odd word",
     KERNEL("    *(float2 *)(out + i + 1) = make_float2(in[i], in[i]);\n"), ""},
    {"race", "no barrier between write and read",
     KERNEL(
         "    __shared__ float tile[256];\n    tile[threadIdx.x] = in[i];\n    out[i] = tile[threadIdx.x ^ "
         "32];\n"),
     ""},
    {"divergent barrier", "a barrier for half of a warp",
     KERNEL("    if (threadIdx.x < 16)\n        __syncthreads();\n    out[i] = in[i];\n"), ""},
    {"endless loop", "it never ends",
     KERNEL("    while (stride)\n        i += stride;\n    out[i] = in[i];\n"), "--time-limit 1"},
    {"waits for ever", "a lane waits for a word that no other writes",
     KERNEL("    while (*(volatile float *)&out[i] != 0)\n        ;\n    out[i] = in[i];\n"),
     "--time-limit 10"},
    {"wrong result", "one element", KERNEL("    out[i] = in[i] + (i == 512);\n"), ""},
    {"not written", "half of the result", KERNEL("    if (i < 512)\n        out[i] = in[i];\n"), ""},
    {"read before written", "shared memory is not zero at first",
     KERNEL("    __shared__ float tile[256];\n    out[i] = in[i] + tile[threadIdx.x];\n"), ""},
    {"trap", "it ends itself", KERNEL("    __trap();\n"), ""},
};

static void add_row(size_t index, int status)
{
    size_t used = strlen(table);
    char *end = strrchr(errors, '\n');
    const char *message = strstr(errors, "lanescope: ");

    if (end)
        *end = '\0';
    /* the first sentence says where the numbers come from */
    while (message && (strstr(message, "Problem sizes are small") || strstr(message, "The device model")) &&
           strchr(message, '\n') && strncmp(message + 11, "Device model of", 15) == 0)
        message = strchr(message, '\n') + 1;
    message = message ? message : "lanescope: ";
    snprintf(table + used, sizeof table - used, "| %s | %s | %d | %.*s |\n", rows[index].name,
             rows[index].what, status, (int)strcspn(message + 11, "\n"), message + 11);
}

/* Equal to the end of the line; of what a time limit ended, up to its status: how far it came depends on the
 * machine. */
static bool same_row(const char *a, const char *b)
{
    size_t length = strcspn(a, "\n");
    const char *status = strstr(a, "| 124 |");
    if (status && status < a + length)
        return strncmp(a, b, (size_t)(status - a) + strlen("| 124 |")) == 0;
    return strncmp(a, b, length + 1) == 0;
}

static bool same_rows(const char *a, const char *b, const char *b_end)
{
    while (*a && b < b_end && same_row(a, b)) {
        a += strcspn(a, "\n") + 1;
        b += strcspn(b, "\n") + 1;
    }
    return *a == '\0' && b == b_end;
}

static void check_page(void)
{
    program_read(PAGE, page, sizeof page);
    char *begin = strstr(page, BEGIN);
    cr_assert_not_null(begin);
    begin += strlen(BEGIN);
    const char *end = begin;
    while (*end == '|')
        end += strcspn(end, "\n") + 1;
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(PAGE, "w");
        cr_assert(file && fprintf(file, "%.*s%s", (int)(begin - page), page, table) > 0 &&
                  fputs(end, file) >= 0);
        fclose(file);
        return;
    }
    cr_assert(same_rows(table, begin, end),
              "docs/results/own-kernel.md has another table than this (UPDATE_GOLDEN=1 writes it):\n%s",
              table);
}

#ifdef TEST_TOOLKIT
Test(own_wrong, every_program_ends_with_a_sentence)
{
    char arguments[200];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        program_write("mine.cu", rows[i].text);
        snprintf(arguments, sizeof arguments,
                 "--device simt --record %zu.lsr --kernel mine.cu %s copy-stride", i, rows[i].options);
        int status = program_run(arguments, output, errors, sizeof errors);
        cr_assert_neq(status, 0, "%s is taken for right", rows[i].name);
        cr_assert(status <= 3 || status == 124, "%s: status %d\n%s", rows[i].name, status, errors);
        add_row(i, status);
    }
    check_page();
}

/* The arrays of a smaller case end where they end, whatever a larger case before it has had. */
Test(own_wrong, a_smaller_case_has_smaller_arrays)
{
    program_write("past.cu",
                  "extern \"C\" __global__ void copy_offset(float *out, const float *in, unsigned offset)\n"
                  "{\n"
                  "    unsigned i = blockIdx.x * 256 + threadIdx.x + offset;\n"
                  "    out[i] = in[i];\n"
                  "    if (gridDim.x < 8)\n"
                  "        out[i + 1024] = in[i + 1024];\n"
                  "}\n");
    cr_assert_eq(
        program_run("--device simt --check --record r.lsr --kernel past.cu copy-offset,offset=0,n=4096 "
                    "copy-offset,offset=0,n=1024",
                    output, errors, sizeof errors),
        1, "%s", output);
    cr_expect(strstr(errors, "out of bounds: in copy_offset"), "%s", errors);
    cr_expect(strstr(errors, "of the 4224 bytes allocated"), "%s", errors);
    cr_expect(strstr(output, "1 of 2 runs verified"), "%s", output);
}
#else
/* Without a compiler: the table is there, with as many rows. */
Test(own_wrong, the_page_has_a_row_for_each_program)
{
    size_t count = 0;

    program_read(PAGE, page, sizeof page);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(table, sizeof table, "\n| %s | %s | ", rows[i].name, rows[i].what);
        count += strstr(page, table) != NULL;
    }
    cr_assert_eq(count, sizeof rows / sizeof rows[0]);
    (void)add_row;
    (void)check_page;
    (void)output;
}
#endif
