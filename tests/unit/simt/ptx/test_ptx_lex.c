/* SPDX-License-Identifier: Apache-2.0 */
/* PTX texts -> tokens, by tables; and no text, however cut, reads past its end (a sanitizer watches). */
#include "simt/ptx/ptx_lex.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "W:add D:.u32 I:5 F:3ff0000000000000 f:3f800000 S:\"x\" P:, !problem", a '/' before a token on a new line.
 */
static void describe(const char *text, size_t size_bytes, char *out, size_t out_bytes)
{
    struct ptx_lexer lexer;
    struct ptx_token token;
    size_t used = 0;
    uint32_t line = 1;
    ptx_lexer_init(&lexer, text, size_bytes);
    out[0] = '\0';
    for (ptx_lexer_next(&lexer, &token); token.kind != PTX_TOKEN_END; ptx_lexer_next(&lexer, &token)) {
        char one[256];
        char value[32] = "";
        const char *letter = (const char *[]){"", "W", "D", "I", "F", "S", "P", "!"}[token.kind];
        if (token.kind == PTX_TOKEN_INTEGER)
            snprintf(value, sizeof value, "%" PRIu64 "%s", token.bits, token.is_unsigned ? "U" : "");
        if (token.kind == PTX_TOKEN_FLOAT)
            snprintf(value, sizeof value, "%" PRIx64, token.bits);
        if (token.is_single)
            letter = "f";
        if (token.kind == PTX_TOKEN_BAD)
            snprintf(one, sizeof one, "!%s", token.problem);
        else
            snprintf(one, sizeof one, "%s:%.*s", letter,
                     value[0] ? (int)strlen(value) : (int)token.size_bytes, value[0] ? value : token.text);
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s%s", used ? " " : "",
                                 token.line != line ? "/" : "", one);
        cr_assert_lt(used, out_bytes);
        line = token.line;
        if (token.kind == PTX_TOKEN_BAD)
            break;
    }
}

static const struct {
    const char *text, *tokens;
} cases[] = {
    {"", ""},
    {" \t\r\n\f\v", ""},
    {"add.u32 %r1, %r2, 5;", "W:add D:.u32 W:%r1 P:, W:%r2 P:, I:5 P:;"},
    {"ld.shared::cta.v2.b64", "W:ld D:.shared::cta D:.v2 D:.b64"},
    {".L2::128B.2d", "D:.L2::128B D:.2d"},
    {"$L__BB0_1: _ _a $ a$b", "W:$L__BB0_1 P:: W:_ W:_a W:$ W:a$b"},
    {"%r1%2", "W:%r1 P:% I:2"},
    {"%tid.x", "W:%tid D:.x"},
    {"// all of it\na", "/W:a"},
    {"a/**/b /* x\n y */ c", "W:a W:b /W:c"},
    {"a // no end", "W:a"},
    {"\"a b\\\"c\" d", "S:\"a b\\\"c\" W:d"},
    {"0 7 10 4294967296 18446744073709551615", "I:0 I:7 I:10 I:4294967296 I:18446744073709551615U"},
    {"0x0 0xfF 0XA 0x7fffffffffffffff 0x8000000000000000",
     "I:0 I:255 I:10 I:9223372036854775807 I:9223372036854775808U"},
    {"017 00 0b101 0B1", "I:15 I:0 I:5 I:1"},
    {"5U 0x5U 0b1U 07U", "I:5U I:5U I:1U I:7U"},
    {"0f3F800000 0F00000001", "f:3f800000 f:1"},
    {"0d3FF0000000000000 0DFFF0000000000000", "F:3ff0000000000000 F:fff0000000000000"},
    {"1.0 1. 1.e1 1e1 1E+1 2.5e-1 01.5",
     "F:3ff0000000000000 F:3ff0000000000000 F:4024000000000000 "
     "F:4024000000000000 F:4024000000000000 F:3fd0000000000000 F:3ff8000000000000"},
    {"1e400", "F:7ff0000000000000"},
    {"9.0\n.target", "F:4022000000000000 /D:.target"},
    {"{}[]()<>,;:@!|&^~?+-*/%=",
     "P:{ P:} P:[ P:] P:( P:) P:< P:> P:, P:; P:: P:@ P:! P:| P:& P:^ P:~ P:? P:+ "
     "P:- P:* P:/ P:% P:="},
    {"<<>><=>===!=&&||", "P:<< P:>> P:<= P:>= P:== P:!= P:&& P:||"},
    {"%r<5>;", "W:%r P:< I:5 P:> P:;"},
    {"p|q", "W:p P:| W:q"},
};

static const struct {
    const char *text, *problem;
} bad[] = {
    {"a /* b", "W:a !a comment that does not end"},
    {"/*/", "!a comment that does not end"},
    {"a.", "W:a !a lone '.'"},
    {"..a", "!a lone '.'"},
    {"\"a", "!a string that does not end on its line"},
    {"\"a\n\"", "!a string that does not end on its line"},
    {"\"a\\", "!a string that does not end on its line"},
    {"0x", "!a number without digits"},
    {"0b2", "!a number without digits"},
    {"08", "!a number followed by other characters"},
    {"5a", "!a number followed by other characters"},
    {"0x5g", "!a number followed by other characters"},
    {"0b12", "!a number followed by other characters"},
    {"18446744073709551616", "!a number that does not fit into 64 bits"},
    {"0x10000000000000000", "!a number that does not fit into 64 bits"},
    {"0f3F80000", "!a number 0f without 8 hexadecimal digits"},
    {"0f3F8000001", "!a number 0f without 8 hexadecimal digits"},
    {"0d3FF", "!a number 0d without 16 hexadecimal digits"},
    {"1e", "!a number whose exponent has no digits"},
    {"1e+", "!a number whose exponent has no digits"},
    {"1.5f", "!a number followed by other characters"},
    {"1.00000000000000000000000000000000000000000000000000000000000000000", "!a number with too many digits"},
    {"a ` b", "W:a !a byte that PTX does not use"},
    {"\x80", "!a byte that PTX does not use"},
    {"#", "!a byte that PTX does not use"},
    {"%1", "P:% I:1"}, /* no register's name */
};

Test(ptx_lex, tokens)
{
    char got[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        describe(cases[i].text, strlen(cases[i].text), got, sizeof got);
        cr_assert_str_eq(got, cases[i].tokens, "%s\n%s", cases[i].text, got);
    }
}

Test(ptx_lex, bad_tokens)
{
    char got[1024];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        describe(bad[i].text, strlen(bad[i].text), got, sizeof got);
        cr_assert_str_eq(got, bad[i].problem, "%s\n%s", bad[i].text, got);
    }
    describe("a\0b", 3, got, sizeof got);
    cr_assert_str_eq(got, "W:a !a byte that PTX does not use");
}

/* Each text cut anywhere, in memory that ends with it. */
Test(ptx_lex, cut_anywhere)
{
    char got[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases + sizeof bad / sizeof *bad; i++) {
        size_t bad_index = i - sizeof cases / sizeof *cases;
        const char *text = i < sizeof cases / sizeof *cases ? cases[i].text : bad[bad_index].text;
        for (size_t size = 0; size <= strlen(text); size++) {
            char *cut = malloc(size + (size == 0));
            cr_assert_not_null(cut);
            memcpy(cut, text, size);
            describe(cut, size, got, sizeof got);
            free(cut);
        }
    }
}

Test(ptx_lex, places)
{
    struct ptx_lexer lexer;
    struct ptx_token token;
    const char *text = "a.b .c\n\n/*\n*/d";
    static const struct {
        const char *text;
        uint32_t line;
        bool joined;
    } expected[] = {{"a", 1, true}, {".b", 1, true}, {".c", 1, false}, {"d", 4, false}, {"", 4, true}};
    ptx_lexer_init(&lexer, text, strlen(text));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ptx_lexer_next(&lexer, &token);
        cr_assert(ptx_token_is(&token, expected[i].text), "%zu", i);
        cr_assert_eq(token.line, expected[i].line, "%zu", i);
        cr_assert_eq(token.joined, expected[i].joined, "%zu", i);
    }
}
