/* SPDX-License-Identifier: Apache-2.0 */
/* PTX texts -> modules: tables of what each construct becomes, and of every sentence about what is refused.
 */
#include "simt/ptx/ptx.h"

#include "tests/shared/made/made_ptx.h"
#include "tests/shared/oracle/ptx_dump.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* Instructions in a text that has one on each line that ends in ';', is more than that and begins with no
 * directive. */
static uint32_t count_instructions(const char *text)
{
    uint32_t count = 0;
    while (*text) {
        size_t size = strcspn(text, "\n");
        const char *first = text + strspn(text, " \t");
        const char *last = text + size;
        while (last > first && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        count += last > first + 1 && last[-1] == ';' && *first != '.' && *first != '/';
        text += size + (text[size] == '\n');
    }
    return count;
}

Test(ptx_parse, kept_kernels)
{
    const char *folder = TEST_SOURCE_DIR "/workloads/ptx";
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries);
    uint32_t files = 0;
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (!strstr(entry->d_name, ".ptx"))
            continue;
        char path[8192];
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_file(path, &size);
        struct ptx_module *module = ptx_parse_good(text);
        uint32_t instructions = 0, kernels = 0;
        for (uint32_t i = 0; i < module->function_count; i++) {
            if (module->functions[i].runtime)
                continue; /* given by the parser */
            kernels += module->functions[i].entry;
            instructions += module->functions[i].instruction_count;
        }
        cr_assert_gt(kernels, 0, "%s", path);
        cr_assert_eq(instructions, count_instructions(text), "%s", path);
        cr_assert_str_eq(module->target, "sm_90");
        cr_assert_not_null(ptx_file_name(module, 1));
        ptx_destroy(module);
        free(text);
        files++;
    }
    closedir(entries);
    cr_assert_geq(files, 6);
}

static char *dump(const struct ptx_module *module)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_not_null(out);
    ptx_dump_module(out, module);
    fclose(out);
    return text;
}

/* Print, parse: the same. */
Test(ptx_parse, round_trip)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct arena arena = {0};
        char *text;
        size_t size;
        const struct ptx_module *made = made_ptx(seed, &arena);
        FILE *out = open_memstream(&text, &size);
        cr_assert_not_null(out);
        made_ptx_print(out, made, seed);
        fclose(out);
        struct ptx_module *parsed = ptx_parse_good(text);
        char *expected = dump(made);
        char *got = dump(parsed);
        cr_assert_str_eq(got, expected, "seed %llu\n%s\n%s\n%s", (unsigned long long)seed, text, expected,
                         got);
        free(got);
        free(expected);
        ptx_destroy(parsed);
        free(text);
        arena_fini(&arena);
    }
}

/* Statements of a body with %r<9>, %rd<9>, %f<9>, %p<9>, the parameter `arg` and the variables of BODY_HEAD,
 * and what the first instruction among them becomes. */
static const struct {
    const char *text, *instruction;
} instructions[] = {
    {"ret;", "ret"},
    {"add.s32 %r1, %r2, 5;", "add.s32 %r1 %r2 5"},
    {"@%p1 bra L; L:", "@%p1 bra L"},
    {"@!%p1 bra.uni L; L:", "@!%p1 bra.uni L"},
    {"ld.param.u64 %rd1, [arg];", "ld.param.u64 %rd1 [arg+0]"},
    {"ld.global.v2.f32 {%f1, %f2}, [%rd1 + 8];", "ld.global.v2.f32 {%f1 %f2} [%rd1+8]"},
    {"ld.global.u32 %r1, [%rd1+-8];", "ld.global.u32 %r1 [%rd1-8]"},
    {"ld.global.u32 %r1, [%rd1-8];", "ld.global.u32 %r1 [%rd1-8]"},
    {"ld.global.L1::no_allocate.L2::128B.u32 %r1, [table + 4 * 2];",
     "ld.global.L1::no_allocate.L2::128B.u32 %r1 [table+8]"},
    {"ld.local.u32 %r1, [0x10 + 4];", "ld.local.u32 %r1 [+20]"},
    {"st.shared::cta.u32 [tile+4], -1;", "st.shared::cta.u32 [tile+4] -1"},
    {"mov.u64 %rd1, table;", "mov.u64 %rd1 table"},
    {"mov.u64 %rd1, table+4;", "mov.u64 %rd1 table+4"},
    {"mov.u32 %r1, %tid.x;", "mov.u32 %r1 %tid.x"},
    {"mov.v4.u32 %r1, %ctaid;", "mov.v4.u32 %r1 %ctaid"},
    {"mov.b64 {%r1, _}, %rd1;", "mov.b64 {%r1 _} %rd1"},
    {"mov.f32 v.x, v.w;", "mov.f32 v.x v.w"},
    {"mov.f32 %f1, 0f3F800000;", "mov.f32 %f1 f3f800000"},
    {"mov.f32 %f1, -0f3F800000;", "mov.f32 %f1 fbf800000"},
    {"mov.f64 %rd1, 0d3FF0000000000000;", "mov.f64 %rd1 d3ff0000000000000"},
    {"mov.f64 %rd1, -1.5;", "mov.f64 %rd1 dbff8000000000000"},
    {"setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", "setp.lt.and.u32 <%p1 %p2> %r1 %r2 !%p3"},
    {"setp.lt.u32 _|%p2, %r1, %r2;", "setp.lt.u32 <_ %p2> %r1 %r2"},
    {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "shfl.sync.down.b32 <%r1 %p1> %r2 1 31 -1"},
    {"vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;", "vadd.s32.u32.s32.sat %r1 %r2.b0 %r3.h1"},
    {"vmad.s32.s32.s32 %r1, %r2, %r3, -%r4;", "vmad.s32.s32.s32 %r1 %r2 %r3 -%r4"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];",
     "tex.2d.v4.f32.f32 {%f1 %f2 %f3 %f4} [%rd1+0 {%f5 %f6}]"},
    {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%r1}];",
     "tex.1d.v4.f32.s32 {%f1 %f2 %f3 %f4} [%rd1+0 %rd2 {%r1}]"},
    {"cp.async.cg.shared.global [%r1], [%rd1+16], 16;", "cp.async.cg.shared.global [%r1+0] [%rd1+16] 16"},
    {"call f;", "call f"},
    {"call.uni f, (%r1, 5);", "call.uni f (%r1 5)"},
    {"call (%r1), f, ();", "call (%r1) f ()"},
    {"L: .callprototype (.param .b32 _) _ (.param .b64 x, .param .b8 y[]) ; call (%r1), %rd1, (%r2), L;",
     "call (%r1) %rd1 (%r2) L"},
    {"brx.idx %r1, T; A: T: .branchtargets A, B; B:", "brx.idx %r1 T"},
    {"mma.sync {%f1,%f2}, {%r1}, {%r2}, {%f3, {%f4}};", "mma.sync {%f1 %f2} {%r1} {%r2} {%f3 {%f4}}"},
    /* constant expressions, PTX ISA 4.5 */
    {"mov.u32 %r1, 1 + 2 * 3 - 8 / 2 % 3;", "mov.u32 %r1 6"},
    {"mov.u32 %r1, (1 + 2) * 3;", "mov.u32 %r1 9"},
    {"mov.u32 %r1, 1 << 4 >> 2 | 1 ^ 3 & 6;", "mov.u32 %r1 7"},
    {"mov.u32 %r1, 5 > 3 && 2 <= 2 || 0;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, 5 == 5 ? 7 : 9;", "mov.u32 %r1 7"},
    {"mov.u32 %r1, 0 ? 7 : 1 ? 8 : 9;", "mov.u32 %r1 8"},
    {"mov.u32 %r1, 5 != 5 || 5 >= 6 || 5 < 5;", "mov.u32 %r1 0"},
    {"mov.u32 %r1, - - 5;", "mov.u32 %r1 5"},
    {"mov.u32 %r1, !0 + !7;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, ~0 == 0xffffffffffffffff;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, -1 < 0;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, -1 < 0U;", "mov.u32 %r1 0"},
    {"mov.u32 %r1, (.u64)-1 > 0;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, (.s64)0xffffffffffffffff < 0;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, -8 >> 1;", "mov.u32 %r1 -4"},
    {"mov.u32 %r1, 0xfffffffffffffff8 >> 63;", "mov.u32 %r1 1"},
    {"mov.u32 %r1, -8 >> 64;", "mov.u32 %r1 -1"},
    {"mov.u32 %r1, 1 << 64;", "mov.u32 %r1 0"},
    {"mov.u32 %r1, -7 / 2;", "mov.u32 %r1 -3"},
    {"mov.u32 %r1, -7 % 3;", "mov.u32 %r1 -1"},
    {"mov.u64 %rd1, (-0x7fffffffffffffff - 1) / -1;", "mov.u64 %rd1 -9223372036854775808"},
    {"mov.u32 %r1, (-0x7fffffffffffffff - 1) % -1;", "mov.u32 %r1 0"},
    {"mov.u32 %r1, WARP_SZ * 2;", "mov.u32 %r1 64"},
    {"mov.u32 %r1, +5;", "mov.u32 %r1 5"},
    /* scopes: the second of a name gets a number */
    {"{ .reg .u32 x; } { .reg .u64 x; mov.u64 x, 1; }", "mov.u64 x#2 1"},
    {".reg .u32 x; { .reg .u64 x; } mov.u32 x, 1;", "mov.u32 x 1"},
    {"{ .reg .u32 %r<4>; mov.u32 %r3, %r4; }", "mov.u32 %r3 %r4"},
    {"{ .reg .u32 %r<4>; { .reg .u32 %r3; mov.u32 %r3, 1; } }", "mov.u32 %r3 1"},
    {"{ .reg .u32 table; mov.u32 table, 1; }", "mov.u32 table#2 1"},
    {"{ .reg .v2 .f32 v; mov.f32 v.x, 0f00000000; }", "mov.f32 v#2.x f0"},
    {"{ bra A; { A: } A: } A:", "bra A#2"},
    {"{ bra A; } A:", "bra A"},
    {"{ A: bra A; } A: bra A;", "bra A"},
    {".const .u32 q = 4; ld.const.u32 %r1, [q];", "ld.const.u32 %r1 [k::q+0]"},
};

#define BODY_HEAD                                                                                      \
    HEAD ".global .align 4 .u32 table[8];\n.func f;\n.entry k(.param .u64 arg)\n{\n.reg .u32 %r<9>;\n" \
         ".reg .u64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n.reg .v4 .f32 v;\n.shared .u32 tile[4];\n"
#define BODY_LINE 14 /* of the first line behind BODY_HEAD */

static char *in_body(const char *text)
{
    char *whole = malloc(strlen(BODY_HEAD) + strlen(text) + 16);
    cr_assert_not_null(whole);
    strcpy(whole, BODY_HEAD);
    strcat(whole, text);
    strcat(whole, "\n}\n");
    return whole;
}

Test(ptx_parse, instructions)
{
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        char *text = in_body(instructions[i].text);
        char got[512];
        struct ptx_module *module = ptx_parse_good(text);
        const struct ptx_function *function = ptx_function_find(module, "k");
        FILE *out = fmemopen(got, sizeof got, "w");
        ptx_dump_instruction(out, &function->instructions[0], false);
        fclose(out);
        cr_assert_str_eq(got, instructions[i].instruction, "%s: %s", instructions[i].text, got);
        cr_assert_eq(function->instructions[0].ptx_line, BODY_LINE);
        ptx_destroy(module);
        free(text);
    }
}

/* A declaration at module scope, and what becomes of the last variable in it. */
static const struct {
    const char *text, *variable;
} variables[] = {
    {".global .u32 x;", "global u32 v1 align 4 4 bytes 1 elements x"},
    {".visible .global .align 8 .f32 x, y[2];", "global f32 v1 align 8 8 bytes 2 elements visible y"},
    {".weak .const .s8 x[3] = {1, -1};", "const s8 v1 align 1 3 bytes 3 elements weak x = 01ff"},
    {".common .global .b16 x;", "global b16 v1 align 2 2 bytes 1 elements weak x"},
    {".extern .shared .align 16 .b8 x[];", "shared b8 v1 align 16 0 bytes 0 elements extern x"},
    {".extern .global .u32 x; .global .u32 x = 3;", "global u32 v1 align 4 4 bytes 1 elements x = 03000000"},
    {".global .u32 x = 3; .extern .global .u32 x;", "global u32 v1 align 4 4 bytes 1 elements x = 03000000"},
    {".global .v4 .f32 x = {1.0, 0f40000000, 0d4008000000000000, -1.0};",
     "global f32 v4 align 16 16 bytes 1 elements x = 0000803f 00000040 00004040 000080bf"},
    {".global .v2 .u16 x[2] = {{1, 2}, {3}};", "global u16 v2 align 4 8 bytes 2 elements x = 01000200 0300"},
    {".global .s16 x[3][2] = {{1, 2}, {3}};", "global s16 v1 align 2 12 bytes 6 elements x = 01000200 0300"},
    {".global .u8 x[2][2][2] = {{{1}, {2}}, {{3, 4}}};",
     "global u8 v1 align 1 8 bytes 8 elements x = 01000200 0304"},
    {".global .u8 x[] = {1, 2, 3};", "global u8 v1 align 1 3 bytes 3 elements x = 010203"},
    {".global .u8 x[][2] = {{1}, {2}, {3}};", "global u8 v1 align 1 6 bytes 6 elements x = 01000200 03"},
    {".global .f64 x = 0f3F800000;", "global f64 v1 align 8 8 bytes 1 elements x = 00000000 0000f03f"},
    {".global .b32 x = 1.5;", "global b32 v1 align 4 4 bytes 1 elements x = 0000c03f"},
    {".global .b64 x = 0f3F800000;", "global b64 v1 align 8 8 bytes 1 elements x = 0000803f 00000000"},
    {".global .b128 x = 1;", "global b128 v1 align 16 16 bytes 1 elements x = 01000000 00000000 00000000 "
                             "00000000"},
    {".global .u8 x = 300;", "global u8 v1 align 1 1 bytes 1 elements x = 2c"},
    {".global .u64 y; .global .u64 x[4] = {y, generic(y) + 4, y - 4, 7};",
     "global u64 v1 align 8 32 bytes 4 elements x = 00000000 00000000 00000000 00000000 00000000 00000000 "
     "07000000 00000000 0:y+0 8:generic y+4 16:y-4"},
    {".global .texref x;", "global texref v1 align 8 8 bytes 1 elements x"},
    {".tex .u32 x;", "global texref v1 align 8 8 bytes 1 elements x"},
    {".global .samplerref x = {addr_mode_0 = clamp_to_edge, force_unnormalized_coords = 1};",
     "global samplerref v1 align 8 8 bytes 1 elements x"},
    {".global .attribute(.managed) .u32 x;", "global u32 v1 align 4 4 bytes 1 elements x"},
    {".global .attribute(.unified(19, 95)) .u32 x;", "global u32 v1 align 4 4 bytes 1 elements x"},
    {".global .b8 x[1099511627776];", "global b8 v1 align 1 1099511627776 bytes 1099511627776 elements x"},
};

Test(ptx_parse, variables)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        char text[1024];
        char got[512];
        snprintf(text, sizeof text, "%s%s", HEAD, variables[i].text);
        struct ptx_module *module = ptx_parse_good(text);
        FILE *out = fmemopen(got, sizeof got, "w");
        ptx_dump_variable(out, &module->variables[module->variable_count - 1]);
        fclose(out);
        cr_assert_str_eq(got, variables[i].variable, "%s: %s", variables[i].text, got);
        ptx_destroy(module);
    }
}

/* Functions, and all of what becomes of them. */
static const struct {
    const char *text, *dump;
} functions[] = {
    {".visible .entry k { ret; }",
     "entry k max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 ret\n"},
    {".entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 q[12]) .maxntid 32, 2 .minnctapersm "
     "2 "
     ".pragma \"a\", \"b\"; { }",
     "entry k max 32 2 1 required 0 0 0 blocks 2 registers 0\n"
     "  parameter param u64 v1 align 8 8 bytes 1 elements p\n"
     "  parameter param b8 v1 align 8 12 bytes 12 elements q\n"},
    {".entry k() .reqntid 64 .maxnreg 32 .explicitcluster .reqnctapercluster 2, 1 .maxnctapersm 3 "
     ".maxclusterrank 2 .blocksareclusters { }",
     "entry k max 0 0 0 required 64 1 1 blocks 0 registers 32\n"},
    {".func (.param .b32 r) f (.param .b32 a) .noreturn .abi_preserve 4 .abi_preserve_control 2;",
     "func declared f max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  result param b32 v1 align 4 4 bytes 1 elements r\n"
     "  parameter param b32 v1 align 4 4 bytes 1 elements a\n"},
    {".func .attribute(.unified(1, 2)) (.reg .u32 r) f(.reg .u32 a) { mov.u32 r, a; }",
     "func f max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  result reg u32 v1 align 4 4 bytes 1 elements r\n"
     "  parameter reg u32 v1 align 4 4 bytes 1 elements a\n"
     "  0:0:0<0:0 mov.u32 r a\n"},
    {".func f; .weak .func f { call f; } .func f;",
     "func f max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 call f\n"},
    {".func f(); .func g() { ret; } .alias f, g;",
     "func f max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 ret\n"
     "func g max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 ret\n"},
    {".extern .func f(.param .b32 _, .param .b8 _[]);",
     "func declared f max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  parameter param b32 v1 align 4 4 bytes 1 elements _\n"
     "  parameter param b8 v1 align 1 0 bytes 0 elements _\n"},
    {".entry k { .reg .b32 %a<100000000>, b; { .param .b32 p; st.param.b32 [p], %a99; } "
     "{ .param .b64 p; st.param.b64 [p], %a0; } A: .pragma \"nounroll\"; { A: } T: .branchtargets A, T; ; B: "
     "}",
     "entry k max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  variable reg b32 v1 align 4 4 bytes 1 elements %a0\n"
     "  variable reg b32 v1 align 4 4 bytes 1 elements %a99\n"
     "  variable reg b32 v1 align 4 4 bytes 1 elements b\n"
     "  variable param b32 v1 align 4 4 bytes 1 elements p\n"
     "  variable param b64 v1 align 8 8 bytes 1 elements p#2\n"
     "  0:0:0<0:0 st.param.b32 [p+0] %a99\n"
     "  0:0:0<0:0 st.param.b64 [p#2+0] %a0\n"
     "  label A 2\n  label A#2 2\n  label T 2 -> A T\n  label B 2\n"},
    {".entry k { .local .align 16 .b8 d<3>, e; .shared .b32 s<2>; st.local.u8 [d2], 1; st.shared.b32 [s1], "
     "2; { .param .b64 P<2>; st.param.b64 [P1], 3; } }",
     "entry k max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  variable param b64 v1 align 8 8 bytes 1 elements P1\n"
     "  variable local b8 v1 align 16 1 bytes 1 elements d2\n"
     "  variable local b8 v1 align 16 1 bytes 1 elements e\n"
     "  variable shared b32 v1 align 4 4 bytes 1 elements s1\n"
     "  0:0:0<0:0 st.local.u8 [d2+0] 1\n"
     "  0:0:0<0:0 st.shared.b32 [s1+0] 2\n"
     "  0:0:0<0:0 st.param.b64 [P1+0] 3\n"},
    {".entry k { ret; .loc 1 2 3\n ret; .loc 2 5 6, function_name L, inlined_at 1 7 8\n ret; "
     ".loc 3 1 1, inlined_at 2 5 6, function_name L + 4 ret; .loc 3 2 2, inlined_at 3 1 1 ret; .loc 1 9 9 "
     "ret; L: } "
     ".entry l { .loc 3 2 2, inlined_at 2 5 6 ret; }",
     "entry k max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  0:0:0<0:0 ret\n  1:2:3<0:0 ret\n  2:5:6<1:7 ret\n  3:1:1<1:7 ret\n  3:2:2<1:7 ret\n  1:9:9<0:0 ret\n"
     "  label L 6\n"
     "entry l max 0 0 0 required 0 0 0 blocks 0 registers 0\n  3:2:2<2:5 ret\n"},
    {".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);",
     "func vprintf max 0 0 0 required 0 0 0 blocks 0 registers 0\n"
     "  result param b32 v1 align 4 4 bytes 1 elements r\n"
     "  parameter param b64 v1 align 8 8 bytes 1 elements a\n"
     "  parameter param b64 v1 align 8 8 bytes 1 elements b\n"
     "  0:0:0<0:0 ret\n"},
    {".func __assertfail; .func vprintf { exit; }",
     "func __assertfail max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 ret\n"
     "func vprintf max 0 0 0 required 0 0 0 blocks 0 registers 0\n  0:0:0<0:0 exit\n"},
    {".section .debug_str { L: .b8 1,2\n.b32 L+4 } .file 1 \"x y.cu\", 5, 6 .pragma \"x\"; .loc 1 2 3 ;", ""},
};

Test(ptx_parse, functions)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", HEAD, functions[i].text);
        struct ptx_module *module = ptx_parse_good(text);
        module->file_count = 0;
        char *got = dump(module);
        const char *behind_head = strchr(got, '\n') + 1;
        cr_assert_str_eq(behind_head, functions[i].dump, "%s\n%s", functions[i].text, got);
        free(got);
        ptx_destroy(module);
    }
}

Test(ptx_parse, asked_for)
{
    struct ptx_module *module =
        ptx_parse_good(".version 8.3\n.target sm_90a, texmode_independent, debug\n.address_size 64\n"
                       ".entry k { }\n.file 3 \"a/b.cu\"\n");
    cr_assert_str_eq(module->version, "8.3");
    cr_assert_str_eq(module->target, "sm_90a");
    cr_assert_str_eq(ptx_file_name(module, 3), "a/b.cu");
    cr_assert_null(ptx_file_name(module, 1));
    cr_assert_not_null(ptx_function_find(module, "k"));
    cr_assert_null(ptx_function_find(module, "l"));
    ptx_destroy(module);
    ptx_destroy(NULL);
    cr_assert_eq(ptx_type_find("f16x2"), PTX_F16X2);
    cr_assert_eq(ptx_type_find("f17"), PTX_NO_TYPE);
    cr_assert_eq(ptx_type_bytes(PTX_B128), 16);
    cr_assert_str_eq(ptx_type_text(PTX_BF16), "bf16");
}
