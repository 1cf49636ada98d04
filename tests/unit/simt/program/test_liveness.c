/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live registers: tables of known functions; an oracle that follows every path from an instruction until the
 * register is read or written; and the estimate beside what ptxas gave the bundled kernels.
 */
#include "simt/program/liveness.h"

#include "workloads/frame/image.h"

#include "tests/shared/oracle/ptx_dump.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                      \
    ".version 9.0\n.target sm_90\n.address_size 64\n.func f(.param .b32 a) {\n.reg .f32 %f<99>; " \
    ".reg .b32 t; ld.global.f32 %f1, [0]; ld.global.f32 %f2, [0]; ld.global.f32 %f3, [0]; "       \
    "st.global.f32 [0], %f1; st.global.f32 [0], %f2; st.global.f32 [0], %f3; ret; }\n"
#define KERNEL                                                                                    \
    "{\n.reg .b32 %r<99>; .reg .b64 %d<9>; .reg .f32 %f<99>; .reg .pred %p<9>; .reg .b16 %h<9>; " \
    ".reg .v4 .f32 v; .reg .b128 %q<2>;\n"

/* Bodies, with what lives at their worst instruction: of all values, and of those that differ in a block. */
static const struct {
    const char *body;
    uint32_t all, varying;
} cases[] = {
    {"ret;", 0, 0},
    {"mov.u32 %r1, %tid.x; st.u32 [%d1], %r1;", 3,
     1}, /* %d1 is never written: it counts as the same in all threads */
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;", 1, 1},
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; add.u32 %r3, %r1, %r2;", 2, 2},
    {"mov.u64 %d1, %clock64; add.u64 %d2, %d1, %d1;", 2, 2},
    {"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mul.lo.u32 %r3, %r1, %r2; add.u32 %r4, %r3, %r1;", 2, 0},
    {"ld.param.u64 %d1, [arg]; ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1;", 3, 1},
    {"ld.param.f32 %f1, [arg]; add.f32 %f2, %f1, %f1; add.f32 %f3, %f2, %f1; add.f32 %f4, %f3, %f2;", 2, 2},
    {"mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r2, 1;", 1, 1},
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; @%p1 mov.u32 %r1, %r2; add.u32 %r3, %r1, %r2;", 2, 2},
    {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1]; st.global.v4.f32 [%d1], {%f1, %f2, %f3, %f4};", 6, 4},
    {"ld.global.f32 v.x, [%d1]; st.global.f32 [%d1], v.y;", 6, 4},
    {"mov.b128 %q0, {%d1, %d2}; mov.b128 {%d3, %d4}, %q0;", 4, 0},
    {"ld.global.b16 %h1, [%d1]; cvt.u32.u16 %r1, %h1;", 1, 1},
    /* a loop: what is read in its next round lives through all of it */
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; A: add.u32 %r3, %r1, 1; mov.u32 %r2, %r3; "
     "setp.lt.u32 %p1, %r2, 9; @%p1 bra A; st.u32 [%d1], %r2;",
     4, 2},
    /* only one side of a branch needs it */
    {"mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; @%p1 bra A; st.u32 [%d1], %r1; ret; A: st.u32 [%d1], %r2;", 4,
     2},
    {"mov.u32 %r1, %tid.x; atom.global.add.u32 %r2, [%d1], %r1; red.global.add.u32 [%d1], %r2;", 3, 1},
    {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1; st.u32 [%d1], %r1;", 3, 1},
};

Test(liveness, cases)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        struct liveness liveness;
        struct error error = {0};
        snprintf(text, sizeof text, "%s.entry k(.param .u64 arg) %s%s\n}\n", HEAD, KERNEL, cases[i].body);
        struct ptx_module *module = ptx_parse_good(text);
        cr_assert_eq(liveness_find(&liveness, ptx_function_find(module, "k"), &error), STATUS_OK, "%s",
                     error.text);
        cr_assert(liveness.all == cases[i].all && liveness.varying == cases[i].varying, "%s: %u %u",
                  cases[i].body, liveness.all, liveness.varying);
        ptx_destroy(module);
    }
}

/* Heads and bodies of kernels, and the estimate. */
static const struct {
    const char *directives, *body;
    uint32_t registers;
} estimates[] = {
    {"", "ret;", 8},
    {"", "mov.u32 %r1, %tid.x; st.u32 [%d1], %r1;", 10},
    {"", "call f, (%r1);", 12},
    {"", "call f, (%r1); call f, (%r1); call k, (%r1);", 12},
    {".maxnreg 9", "call f, (%r1);", 9},
    {".maxnreg 2", "call f, (%r1);", 8},
    {"", "MANY", 106},
    {".maxntid 1024", "MANY", 64},
    {".maxntid 32, 8", "MANY", 106},
    {".maxntid 256 .minnctapersm 4", "MANY", 64},
    {".reqntid 256 .minnctapersm 8", "MANY", 32},
    {".reqntid 1024 .minnctapersm 100000", "MANY", 8},
    {".maxntid 0xffffffff, 0xffffffff, 0xffffffff", "MANY", 64},
    {".maxntid 256 .minnctapersm 4 .maxnreg 40", "MANY", 40},
};

/* 98 values that live at once. */
static char *write_many(void)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_not_null(out);
    for (int i = 0; i < 98; i++)
        fprintf(out, "ld.global.f32 %%f%d, [0]; ", i);
    for (int i = 0; i < 98; i++)
        fprintf(out, "st.global.f32 [0], %%f%d; ", i);
    fclose(out);
    return text;
}

Test(liveness, estimates)
{
    char *many = write_many();
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++) {
        char text[16384];
        uint32_t registers;
        struct error error = {0};
        const char *body = strcmp(estimates[i].body, "MANY") == 0 ? many : estimates[i].body;
        snprintf(text, sizeof text, "%s.entry k(.param .u64 arg) %s %s%s\n}\n", HEAD, estimates[i].directives,
                 KERNEL, body);
        struct ptx_module *module = ptx_parse_good(text);
        cr_assert_eq(liveness_registers(&registers, module, ptx_function_find(module, "k"), &error),
                     STATUS_OK, "%s", error.text);
        cr_assert_eq(registers, estimates[i].registers, "%s %.40s: %u", estimates[i].directives,
                     estimates[i].body, registers);
        ptx_destroy(module);
    }
    free(many);
}

Test(liveness, refused)
{
    uint32_t registers;
    struct error error = {0};
    struct ptx_module *module = ptx_parse_good(HEAD ".entry k() " KERNEL "bra %r1;\n}\n");
    cr_assert_eq(liveness_registers(&registers, module, ptx_function_find(module, "k"), &error),
                 STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "%r1"));
    ptx_destroy(module);
}

/* Random functions: an instruction writes one register, reads two, and may branch. */
#define MOST 30
#define REGISTERS 700 /* more than one slice of them is used */

struct made {
    uint32_t count;
    uint32_t writes[MOST], reads[MOST][2], target[MOST];
    bool guarded[MOST], branches[MOST];
};

static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static void make(struct made *made, uint64_t *state)
{
    made->count = 1 + next_random(state, MOST - 1);
    uint32_t used = 1 + next_random(state, 12);
    for (uint32_t i = 0; i < made->count; i++) {
        made->writes[i] = next_random(state, used) * (REGISTERS / 12);
        for (int j = 0; j < 2; j++)
            made->reads[i][j] = next_random(state, used) * (REGISTERS / 12);
        made->guarded[i] = next_random(state, 3) == 0;
        made->branches[i] = next_random(state, 4) == 0;
        made->target[i] = next_random(state, made->count);
    }
}

static void print(const struct made *made, char *text, size_t size_bytes)
{
    FILE *out = fmemopen(text, size_bytes, "w");
    cr_assert_not_null(out);
    fprintf(out,
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .f32 %%f<%d>; .reg .pred "
            "%%p<2>;\n",
            REGISTERS);
    for (uint32_t i = 0; i < made->count; i++) {
        fprintf(out, "L%u: %sadd.f32 %%f%u, %%f%u, %%f%u;\n", i, made->guarded[i] ? "@%p1 " : "",
                made->writes[i], made->reads[i][0], made->reads[i][1]);
        if (made->branches[i])
            fprintf(out, "%sbra L%u;\n", made->guarded[i] ? "@%p1 " : "", made->target[i]);
    }
    fputs("}\n", out);
    fclose(out);
}

/* Whether some path from behind `from` reads the register before it is written for all lanes. */
static bool is_live(const struct made *made, uint32_t from, uint32_t reg)
{
    bool seen[MOST] = {false};
    uint32_t queue[2 * MOST + 2];
    uint32_t count = 0;
    for (uint32_t at = from, first = 0;; at = queue[first++]) {
        bool fresh = at == from && first == 0;
        if (fresh || (!seen[at] && made->reads[at][0] != reg && made->reads[at][1] != reg &&
                      (made->guarded[at] || made->writes[at] != reg))) {
            if (!fresh)
                seen[at] = true;
            if (made->branches[at])
                queue[count++] = made->target[at];
            if ((!made->branches[at] || made->guarded[at]) && at + 1 < made->count)
                queue[count++] = at + 1;
        } else if (!seen[at] && (made->reads[at][0] == reg || made->reads[at][1] == reg)) {
            return true;
        }
        if (first == count)
            return false;
    }
}

static uint32_t expected_most(const struct made *made)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        uint32_t live = 0;
        for (uint32_t reg = 0; reg < REGISTERS; reg += REGISTERS / 12)
            live += made->writes[i] == reg || is_live(made, i, reg);
        most = live > most ? live : most;
    }
    return most;
}

Test(liveness, random_functions)
{
    uint64_t state = 7;
    for (int i = 0; i < 600; i++) {
        static char text[16384];
        struct made made;
        struct liveness liveness;
        struct error error = {0};
        make(&made, &state);
        print(&made, text, sizeof text);
        struct ptx_module *module = ptx_parse_good(text);
        cr_assert_eq(liveness_find(&liveness, &module->functions[0], &error), STATUS_OK, "%s", error.text);
        uint32_t expected = expected_most(&made);
        cr_assert_eq(liveness.all, expected, "%u, not %u\n%s", liveness.all, expected, text);
        ptx_destroy(module);
    }
}

/* Beside ptxas: docs/ptx.md has the table that this keeps true. */
struct comparison {
    uint32_t kernels, same_occupancy;
    uint32_t errors[512]; /* how many are off by that much */
};

static uint32_t
warps_of_registers(uint32_t registers) /* that fit beside each other, sm_90, by registers alone */
{
    uint32_t granted = (registers + 7) / 8 * 8;
    uint32_t warps = 16384 / (granted * 32) * 4;
    return warps < 64 ? warps : 64;
}

static void compare(struct comparison *comparison, const char *image, const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        uint32_t estimate;
        struct error error = {0};
        const struct ptx_function *kernel = &module->functions[i];
        uint32_t registers = kernel_registers(image, kernel->name);
        if (!kernel->entry || registers == 0)
            continue;
        cr_assert_eq(liveness_registers(&estimate, module, kernel, &error), STATUS_OK, "%s", error.text);
        comparison->kernels++;
        comparison->same_occupancy += warps_of_registers(estimate) == warps_of_registers(registers);
        comparison->errors[estimate > registers ? estimate - registers : registers - estimate]++;
    }
}

Test(liveness, beside_ptxas)
{
    static struct comparison comparison;
    DIR *folder = opendir(TEST_SOURCE_DIR "/workloads/ptx");
    cr_assert_not_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 5 || length >= sizeof name || strcmp(entry->d_name + length - 4, ".ptx") != 0)
            continue;
        memcpy(name, entry->d_name, length - 4);
        name[length - 4] = 0;
        const struct kernel_image *ptx = kernel_ptx_find(name);
        cr_assert_not_null(ptx, "%s", name);
        struct ptx_module *module = ptx_parse_good(ptx->data);
        compare(&comparison, name, module);
        ptx_destroy(module);
    }
    closedir(folder);
    cr_assert_gt(comparison.kernels, 20);
    uint32_t within_six = 0;
    for (uint32_t i = 0; i <= 6; i++)
        within_six += comparison.errors[i];
    cr_assert_geq(comparison.same_occupancy * 100, comparison.kernels * 90, "%u of %u",
                  comparison.same_occupancy, comparison.kernels);
    cr_assert_geq(within_six * 2, comparison.kernels, "%u of %u", within_six, comparison.kernels);
}
