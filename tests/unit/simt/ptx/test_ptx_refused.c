/* SPDX-License-Identifier: Apache-2.0 */
/* Every sentence of the PTX parser about what it refuses, with the line it names. */
#include "simt/ptx/ptx.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define BODY                                                                                    \
    HEAD ".global .u32 g[2];\n.entry k(.param .u64 arg) {\n.reg .u32 %r<9>; .reg .pred %p<9>; " \
         ".reg .v2 .f32 v;\n"

static void check(const char *text, size_t size, const char *sentence)
{
    struct ptx_module *module;
    struct error error = {0};
    char *cut = malloc(size + (size == 0)); /* so that a sanitizer sees a byte read behind it */
    cr_assert_not_null(cut);
    memcpy(cut, text, size);
    cr_assert_eq(ptx_parse(&module, "t.ptx", cut, size, &error), STATUS_USAGE, "%s", text);
    cr_assert_null(module);
    cr_assert_str_eq(error.text, sentence, "%s\n%s\n%s", text, error.text, sentence);
    free(cut);
}

struct row {
    uint32_t line; /* of the text as it stands here, from 1 */
    const char *text, *sentence;
};

static void check_rows(const char *head, const struct row *rows, size_t count)
{
    uint32_t lines = 0;
    for (const char *c = head; *c; c++)
        lines += *c == '\n';
    for (size_t i = 0; i < count; i++) {
        char text[4096];
        char sentence[1024];
        snprintf(text, sizeof text, "%s%s", head, rows[i].text);
        snprintf(sentence, sizeof sentence, "t.ptx, line %u: %s.", lines + rows[i].line, rows[i].sentence);
        check(text, strlen(text), sentence);
    }
}

static const struct row heads[] = {
    {1, "", "expected '.version' first, but the text ends"},
    {2, "\n.target sm_90", "expected '.version' first, found '.target'"},
    {1, ".version x", "expected a version such as 9.0, found 'x'"},
    {1, ".version 9", "expected a version such as 9.0, found '9'"},
    {1, ".version 9.0 .target 5", "expected a target such as sm_90, found '5'"},
    {1, ".version 9.0 .target sm_90, 7", "expected a target's option, found '7'"},
    {1, ".version 9.0 .address_size 32", "addresses of 32 bits: only 64 are supported"},
    {1, ".version 9.0 .address_size -1", "an address size cannot be -1"},
    {1, ".version 9.0 .address_size 64", "the text has no .target"},
    {1, ".version 9.0 .target sm_90", "the text has no .address_size 64"},
    {1,
     "\x7f"
     "ELF",
     "a byte that PTX does not use: 0x7f"},
    {1, "#", "a byte that PTX does not use: '#'"},
    {2, "\n/* x", "a comment that does not end: '/* x'"},
    {2, ".version 9.0\n\"no end", "a string that does not end on its line: '\"no end'"},
    {1, ".version 9.0 08", "a number followed by other characters: '08'"},
};

static const struct row tops[] = {
    {1, "garbage", "expected a directive, found 'garbage'"},
    {1, ".nonsense", "expected a directive, found '.nonsense'"},
    {1, "a_name_of_more_than_forty_characters_is_cut_there",
     "expected a directive, found 'a_name_of_more_than_forty_characters_is_...'"},
    {1, ".reg .u32 x;", "expected a directive, found '.reg'"},
    {1, ".param .u32 x;", "expected a directive, found '.param'"},
    {1, ".extern 5", "expected a directive, found '5'"},
    {1, ".local .u32 x;", "a .local variable outside of a function"},
    {1, ".section 5", "expected a section's name, found '5'"},
    {1, ".section .x 5", "expected '{' after the section's name, found '5'"},
    {2, ".section .x {\n", "expected '}' after the section, but the text ends"},
    {1, ".file x", "expected an integer constant, found 'x'"},
    {1, ".file 1 x", "expected a file's name, found 'x'"},
    {1, ".file 1 \"x\", 5;", "expected ',' after the time, found ';'"},
    {1, ".file 1 \"x\", -5, 5", "a time cannot be -5"},
    {1, ".file 1 \"x\", 5, -5", "a size cannot be -5"},
    {1, ".file -1 \"x\"", "a file's number cannot be -1"},
    {1, ".file 4294967296 \"x\"", "a file's number cannot be 4294967296"},
    {1, ".pragma 5;", "expected a string after .pragma, found '5'"},
    {1, ".pragma \"x\" 5", "expected ';' after .pragma, found '5'"},
    {1, ".alias f, g;", ".alias takes a declared function and a defined one, not f"},
    {1, ".func f; .func g; .alias f, g;", ".alias takes a declared function and a defined one, not g"},
    {1, ".alias f;", "expected ',' after the alias, found ';'"},
    {1, ".alias f, g", "expected ';' after .alias, but the text ends"},
    {1, ".alias 5", "expected a function's name, found '5'"},
    {1, ".func 5", "expected a function's name, found '5'"},
    {1, ".func f x", "expected ';' or a body, found 'x'"},
    {1, ".func f .nonsense", "expected a function's directive, found '.nonsense'"},
    {1, ".entry k .maxnreg -1", "a limit cannot be -1"},
    {1, ".entry k .maxntid 1, -1", "a number of threads cannot be -1"},
    {1, ".entry k(.reg", "expected a type, but the text ends"},
    {1, ".entry k(5)", "expected '.param', found '5'"},
    {1, ".entry k(.global .u32 x)", "expected '.param', found '.global'"},
    {1, ".entry k(.param .u32 5)", "expected a parameter's name, found '5'"},
    {1, ".entry k(.param .u32 x;", "expected ')' after the parameters, found ';'"},
    {1, ".entry k(.param .u32 x, .param .u32 x)", "x is declared twice"},
    {2, ".entry k { ret; }\n.entry k { ret; }", "k is declared twice"},
    {1, ".global .u32 k; .entry k { ret; }", "k is declared twice"},
    {1, ".entry k { ret; } .global .u32 k;", "k is declared twice"},
    {1, ".global .u32 x, x;", "x is declared twice"},
    {1, ".global .u32 5;", "expected a name, found '5'"},
    {1, ".global x;", "expected a type, found 'x'"},
    {1, ".global .u31 x;", "expected a type and a name, found '.u31'"},
    {1, ".global .u32 .u32 x;", "expected a type and a name, found '.u32'"},
    {1, ".global .v3 .u32 x;", "expected a type and a name, found '.v3'"},
    {1, ".global .align 3 .u32 x;", "an alignment is a power of two, not 3"},
    {1, ".global .align 0 .u32 x;", "an alignment is a power of two, not 0"},
    {1, ".global .align -4 .u32 x;", "an alignment cannot be -4"},
    {1, ".global .attribute .u32 x;", "expected '(' after .attribute, found '.u32'"},
    {1, ".global .attribute(.managed", "expected ')' of .attribute, but the text ends"},
    {1, ".global .u32 x", "expected ';' after the declaration, but the text ends"},
    {1, ".global .u32 x<5>;", "x<>: ranges of .global, .const and a module's variables are not supported"},
    {1, ".global .u32 x[];", "x has no size; only .extern variables may have none"},
    {1, ".global .u32 x[0];", "x has no size; only .extern variables may have none"},
    {1, ".global .u32 x[2][];", "expected an integer constant, found ']'"},
    {1, ".global .u32 x[2;", "expected ']' after the array's size, found ';'"},
    {1, ".global .u32 x[-2];", "an array cannot have -2 elements"},
    {1, ".global .u32 x[1][1][1][1];", "an array of more than three dimensions"},
    {1, ".global .b8 x[1099511627777];", "an array larger than the model's memory can be"},
    {1, ".global .b16 x[1099511627776];", "an array larger than the model's memory can be"},
    {1, ".global .b8 x[0xffffffff][0xffffffff][0xffffffff];",
     "an array larger than the model's memory can be"},
    {1, ".shared .u32 x = 5;", "only .global and .const variables have initial values"},
    {1, ".global .pred x = 1;", "only .global and .const variables have initial values"},
    {1, ".global .u32 x = ;", "expected an integer constant, found ';'"},
    {1, ".global .u32 x = 1.5;", "a floating-point value cannot initialise a .u32"},
    {1, ".global .f32 x = 1;", "an integer value cannot initialise a .f32"},
    {1, ".global .u32 x[2] = 1;", "expected '{' before the values, found '1'"},
    {1, ".global .u32 x[2][2] = {1};", "expected '{' before the values, found '1'"},
    {1, ".global .u32 x[2] = {1, 2, 3};", "more initial values than elements"},
    {1, ".global .u32 x[2] = {1 2};", "expected '}' after the values, found '2'"},
    {1, ".global .u32 x[2] = {{1}};", "expected an integer constant, found '{'"},
    {1, ".global .u8 x[2][67108864] = {{}, {1}};", "more initial values than the model supports"},
    {1, ".global .u32 x[][0] = {{}};", "an array without elements has no initial values"},
    {1, ".global .u8 x[2] = {0xff(g), 1};", "masks of an address such as 0xff(symbol) are not supported"},
    {1, ".global .u32 x = g;", "an address needs a .u64, not a .u32"},
    {1, ".global .u64 x = generic g;", "expected '(' after generic, found 'g'"},
    {1, ".global .u64 x = generic(5);", "expected a symbol, found '5'"},
    {1, ".global .u64 x = generic(g + 4);", "expected ')' after the symbol, found '+'"},
    {1, ".global .samplerref x = 5;", "expected '{' before the properties, found '5'"},
    {1, ".global .samplerref x = {5};", "expected a property, found '5'"},
    {1, ".global .samplerref x = {a 5};", "expected '=' after the property, found '5'"},
    {1, ".global .samplerref x = {a = ;", "expected a property's value, found ';'"},
    {1, ".global .samplerref x = {a = 5;", "expected '}' after the properties, found ';'"},
};

static const struct row bodies[] = {
    {1, "ret", "expected an operand, but the text ends"},
    {3, "\nadd.u32 %r1, %r2, 1\n}", "expected ';' after the instruction, found '}'"},
    {1, "5;", "expected an instruction, found '5'"},
    {1, "Ret;", "expected an instruction, found 'Ret'"},
    {1, "%r1;", "expected an instruction, found '%r1'"},
    {1, "@5 ret;", "expected a predicate after '@', found '5'"},
    {1, "@%p1 { ret; }", "expected an instruction, found '{'"},
    {1, "@%p1 .loc", "expected an instruction, found '.loc'"},
    {1, "@%p9 ret; }", "%p9 is not declared"},
    {1, "bra nowhere; }", "nowhere is not declared"},
    {1, "{ A: } bra A; }", "A is not declared"},
    {1, "add.u32 %r1, %r09, 1; }", "%r09 is not declared"},
    {1, "mov.u32 %r1, %nosuch.x;", "%nosuch.x is not declared"},
    {1, "mov.u32 %r1, %tid.q;", "%tid.q is not declared"},
    {1, "mov.u32 x, 1; .reg .u32 x; }", "x is not declared"},
    {1, "A: A:", "A is declared twice"},
    {1, ".reg .u32 A; A:", "A is declared twice"},
    {1, "A: .reg .u32 A;", "A is declared twice"},
    {1, ".reg .u32 %r<2>;", "%r<> is declared twice"},
    {1, ".reg .u32 a, a;", "a is declared twice"},
    {1, ".reg .u32 a<-1>;", "a<>: -1 is not a valid number of variables"},
    {1, ".reg .u32 a<4294967296>;", "a<>: 4294967296 is not a valid number of variables"},
    {1, ".reg .u32 a<5;", "expected '>' after the number of variables, found ';'"},
    {1, ".const .u32 a<5>;", "a<>: ranges of .global, .const and a module's variables are not supported"},
    {1, ".reg .u32 a = 5;", "only .global and .const variables have initial values"},
    {1, ".maxntid 5;", "expected a directive that a function's body may have, found '.maxntid'"},
    {1, ".loc x", "expected an integer constant, found 'x'"},
    {1, ".loc 1 -2 3", "a line cannot be -2"},
    {1, ".loc 1 2 -3", "a column cannot be -3"},
    {1, ".loc 1 2 3, x", "expected 'function_name' or 'inlined_at', found 'x'"},
    {1, ".loc 1 2 3, function_name 5", "expected a label, found '5'"},
    {1, ".pragma x;", "expected a string after .pragma, found 'x'"},
    {1, "T: .branchtargets 5;", "expected a target, found '5'"},
    {1, "T: .branchtargets T 5", "expected ';' after the targets, found '5'"},
    {1, "T: .branchtargets nowhere; }", "nowhere is not declared"},
    {1, "P: .callprototype 5;", "expected '_', found '5'"},
    {1, "P: .callprototype _ (5);", "expected '.param', found '5'"},
    {1, "P: .callprototype _ 5;", "expected ';' after the prototype, found '5'"},
    {1, "mov.u32 %r1, ;", "expected an operand, found ';'"},
    {1, "mov.u32 %r1, \"x\";", "expected an operand, found '\"x\"'"},
    {1, "mov.u32 %r1, (1, 2);", "expected ')' after the expression, found ','"},
    {1, "mov.u32 %r1, (.u32) 1;", "expected '.s64' or '.u64', found '.u32'"},
    {1, "mov.u32 %r1, (.u64 1;", "expected ')' after the type, found '1'"},
    {1, "mov.u32 %r1, 1 ? 2;", "expected ':' between the two values, found ';'"},
    {1, "mov.u32 %r1, 1 / 0;", "a constant is divided by zero"},
    {1, "mov.u32 %r1, 1 % (2 - 2);", "a constant is divided by zero"},
    {1, "mov.u32 %r1, {%r1 %r2};", "expected '}' or ',', found '%r2'"},
    {1, "mov.u32 %r1, {%r1;", "expected '}' or ',', found ';'"},
    {1, "ld.u32 %r1, [%r1;", "expected ']' after the address, found ';'"},
    {1, "ld.u32 %r1, [_];", "'_' is not an address"},
    {1, "ld.u32 %r1, [%r1+%r2];", "expected an integer constant, found '%r2'"},
    {1, "ld.u32 %r1, g[1];", "elements by index such as g[...] are not supported: write [g + bytes]"},
    {1, "setp.eq.u32 %p1|5, %r1, 1;", "expected a name after '|', found '5'"},
    {1, "call f; }", "f is not declared"},
    {1, "mov.f32 w.x, 1.0;", "w.x is not declared"},
};

Test(ptx_refused, heads)
{
    check_rows("", heads, sizeof heads / sizeof *heads);
}

Test(ptx_refused, tops)
{
    check_rows(HEAD, tops, sizeof tops / sizeof *tops);
}

Test(ptx_refused, bodies)
{
    check_rows(BODY, bodies, sizeof bodies / sizeof *bodies);
}

/* `open` so often, in a body or as an initial value. */
static void check_nesting(const char *head, const char *open, size_t times, const char *sentence)
{
    size_t size = strlen(head) + times * strlen(open);
    char *text = malloc(size + 1);
    cr_assert_not_null(text);
    strcpy(text, head);
    for (size_t i = 0; i < times; i++)
        memcpy(text + strlen(head) + i * strlen(open), open, strlen(open) + 1);
    check(text, size, sentence);
    free(text);
}

Test(ptx_refused, nesting)
{
    const char *scopes = "t.ptx, line 7: more than 64 nested scopes.";
    const char *brackets = "t.ptx, line 7: more than 64 nested brackets or braces.";
    check_nesting(BODY, "{", 1000000, scopes);
    check_nesting(BODY "mov.u32 %r1, ", "{", 1000000, brackets);
    check_nesting(BODY "mov.u32 %r1, ", "(", 1000000, brackets);
    check_nesting(BODY "mov.u32 %r1, ", "- ", 1000000, brackets);
    check_nesting(BODY "mov.u32 %r1, ", "1?", 1000000, brackets);
    check_nesting(BODY "mov.u32 %r1, ", "1?1:", 1000000, brackets);
    check_nesting(BODY "mov.u32 %r1, ", "[%r1, ", 1000000, brackets);
    check_nesting(BODY "ld.u32 %r1, [", "(", 1000000, brackets);
    check_nesting(BODY "ld", ".x", 100, "t.ptx, line 7: ld has more than 64 modifiers.");
}

/* A valid text cut anywhere is refused, or is a shorter valid one; nothing behind it is read. */
Test(ptx_refused, cut_anywhere)
{
    static const char text[] =
        BODY ".loc 1 2 3, function_name L, inlined_at 1 4 5\nL: @!%p1 ld.global.v2.u32 {%r1, %r2}, "
             "[arg+4*(1+2)];\n"
             "T: .branchtargets L, T; brx.idx %r1, T; call (%r1), k, (%r2); mov.f32 v.x, 0f00000000; }\n"
             ".global .u64 x[2] = {generic(g) + 4, 0x5U}; /* c */ .file 1 \"a\"\n";
    struct error error;
    struct ptx_module *module;
    cr_assert_eq(ptx_parse(&module, "t.ptx", text, sizeof text - 1, &error), STATUS_OK, "%s", error.text);
    ptx_destroy(module);
    uint32_t good = 0;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        char *cut = malloc(size + (size == 0));
        cr_assert_not_null(cut);
        memcpy(cut, text, size);
        enum status status = ptx_parse(&module, "t.ptx", cut, size, &error);
        cr_assert(status == STATUS_OK || (status == STATUS_USAGE && strstr(error.text, "t.ptx, line ")));
        good += status == STATUS_OK;
        ptx_destroy(module);
        free(cut);
    }
    cr_assert_lt(good, 40);
}
