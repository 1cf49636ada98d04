/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer reads one byte at a time at `at`; every look-ahead is checked against `end`. */
#include "simt/ptx/ptx_lex.h"

#include <stdlib.h>
#include <string.h>

#define FLOAT_TEXT_BYTES 64 /* a longer decimal constant is refused */

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t size_bytes)
{
    *lexer = (struct ptx_lexer){.at = text, .end = text + size_bytes, .line = 1};
}

bool ptx_token_is(const struct ptx_token *token, const char *text)
{
    return strlen(text) == token->size_bytes && memcmp(token->text, text, token->size_bytes) == 0;
}

/* The byte at distance `ahead`, or 0 past the end. A zero byte in the text is part of no token either. */
static char peek_char(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Skips a comment. Returns false, at the end of the text, if the comment is not closed. */
static bool skip_comment(struct ptx_lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (*lexer->at == '*' && peek_char(lexer, 1) == '/') {
            lexer->at += 2;
            return true;
        }
        lexer->line += *lexer->at == '\n';
    }
    return false;
}

/* Skips white space and comments. Returns false, with the comment as token, if a comment is not closed. */
static bool skip_blanks(struct ptx_lexer *lexer, struct ptx_token *token)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (c == '\n') {
            lexer->line++;
            lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && peek_char(lexer, 1) == '/') {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else if (c == '/' && peek_char(lexer, 1) == '*') {
            token->text = lexer->at;
            token->line = lexer->line;
            if (!skip_comment(lexer))
                return false;
        } else {
            break;
        }
    }
    return true;
}

static void token_refuse(struct ptx_token *token, const char *problem)
{
    token->kind = PTX_TOKEN_BAD;
    token->problem = problem;
}

/* 0f followed by 8, or 0d followed by 16 hexadecimal digits: the bits of the value. */
static void lex_float_bits(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_FLOAT;
    token->is_single = lexer->at[1] == 'f' || lexer->at[1] == 'F';
    lexer->at += 2;
    int digits = 0;
    for (; digit_value(peek_char(lexer, 0)) < 16; lexer->at++, digits++)
        token->bits = token->bits << 4 | (uint64_t)digit_value(*lexer->at);
    if (digits != (token->is_single ? 8 : 16))
        token_refuse(token, token->is_single ? "a number 0f without 8 hexadecimal digits"
                                             : "a number 0d without 16 hexadecimal digits");
}

static void lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token)
{
    while (is_digit(peek_char(lexer, 0)))
        lexer->at++;
    if (peek_char(lexer, 0) == '.')
        lexer->at++;
    while (is_digit(peek_char(lexer, 0)))
        lexer->at++;
    if (peek_char(lexer, 0) == 'e' || peek_char(lexer, 0) == 'E') {
        lexer->at++;
        if (peek_char(lexer, 0) == '+' || peek_char(lexer, 0) == '-')
            lexer->at++;
        if (!is_digit(peek_char(lexer, 0)))
            token_refuse(token, "a number whose exponent has no digits");
        while (is_digit(peek_char(lexer, 0)))
            lexer->at++;
    }
    size_t size = (size_t)(lexer->at - token->text);
    char text[FLOAT_TEXT_BYTES];
    if (token->kind == PTX_TOKEN_BAD)
        return;
    if (size >= sizeof text) {
        token_refuse(token, "a number with too many digits");
        return;
    }
    memcpy(text, token->text, size);
    text[size] = '\0';
    double value = strtod(text, NULL); /* the process always has the "C" locale for numbers */
    memcpy(&token->bits, &value, sizeof value);
    token->kind = PTX_TOKEN_FLOAT;
}

/* Returns whether a number that begins with decimal digits is a floating-point number. */
static bool is_decimal_float(const struct ptx_lexer *lexer)
{
    size_t ahead = 0;
    while (is_digit(peek_char(lexer, ahead)))
        ahead++;
    char c = peek_char(lexer, ahead);
    char behind = peek_char(lexer, ahead + 1);
    if (c == '.' && !is_digit(behind) && is_word(behind))
        c = behind; /* 1.e5 is a floating-point number, 1.f32 is not */
    return c == '.' || c == 'e' || c == 'E';
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    char second = peek_char(lexer, 1);
    bool zero = *lexer->at == '0';
    if (zero && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        lex_float_bits(lexer, token);
    } else if (is_decimal_float(lexer)) {
        lex_decimal_float(lexer, token);
    } else {
        int base = 10;
        bool overflow = false;
        token->kind = PTX_TOKEN_INTEGER;
        if (zero && (second == 'x' || second == 'X'))
            base = 16;
        else if (zero && (second == 'b' || second == 'B'))
            base = 2;
        else if (zero)
            base = 8;
        if (base == 16 || base == 2)
            lexer->at += 2;
        const char *digits = lexer->at;
        for (; digit_value(peek_char(lexer, 0)) < base; lexer->at++) {
            overflow |= __builtin_mul_overflow(token->bits, (uint64_t)base, &token->bits);
            overflow |= __builtin_add_overflow(token->bits, (uint64_t)digit_value(*lexer->at), &token->bits);
        }
        if (lexer->at == digits)
            token_refuse(token, "a number without digits");
        else if (overflow)
            token_refuse(token, "a number that does not fit into 64 bits");
        token->is_unsigned = token->bits > INT64_MAX;
        if (peek_char(lexer, 0) == 'U') {
            token->is_unsigned = true;
            lexer->at++;
        }
    }
    if (token->kind != PTX_TOKEN_BAD && is_word(peek_char(lexer, 0)))
        token_refuse(token, "a number followed by other characters");
    while (is_word(peek_char(lexer, 0))) /* so that the error shows the whole number */
        lexer->at++;
}

static void lex_dotted(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_DOTTED;
    do {
        lexer->at++;
    } while (is_word(peek_char(lexer, 0)) || (peek_char(lexer, 0) == ':' && peek_char(lexer, 1) == ':') ||
             (peek_char(lexer, 0) == ':' && lexer->at[-1] == ':'));
    if (lexer->at - token->text == 1)
        token_refuse(token, "a lone '.'");
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_STRING;
    for (lexer->at++; lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n'; lexer->at++)
        if (*lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n')
            lexer->at++;
    if (peek_char(lexer, 0) == '"')
        lexer->at++;
    else
        token_refuse(token, "a string that does not end on its line");
}

static void lex_sign(struct ptx_lexer *lexer, struct ptx_token *token)
{
    static const char doubled[] = "<>=&|"; /* << >> == && || */
    char c = *lexer->at++;
    token->kind = PTX_TOKEN_SIGN;
    if (!c || !strchr("{}[]()<>,;:@!|&^~?+-*/%=", c)) {
        token_refuse(token, "a byte that PTX does not use");
        return;
    }
    if ((strchr(doubled, c) && peek_char(lexer, 0) == c) || (strchr("<>=!", c) && peek_char(lexer, 0) == '='))
        lexer->at++;
}

void ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *token)
{
    const char *before = lexer->at;
    if (!skip_blanks(lexer, token)) {
        *token = (struct ptx_token){
            .text = token->text, .size_bytes = (size_t)(lexer->end - token->text), .line = token->line};
        token_refuse(token, "a comment that does not end");
        return;
    }
    *token = (struct ptx_token){.text = lexer->at, .line = lexer->line, .joined = lexer->at == before};
    if (lexer->at == lexer->end)
        return;
    char c = *lexer->at;
    char next = peek_char(lexer, 1);
    if (is_letter(c) || c == '_' || c == '$' ||
        (c == '%' && (is_letter(next) || next == '_' || next == '$'))) {
        token->kind = PTX_TOKEN_WORD;
        do {
            lexer->at++;
        } while (is_word(peek_char(lexer, 0)));
    } else if (is_digit(c)) {
        lex_number(lexer, token);
    } else if (c == '.') {
        lex_dotted(lexer, token);
    } else if (c == '"') {
        lex_string(lexer, token);
    } else {
        lex_sign(lexer, token);
    }
    token->size_bytes = (size_t)(lexer->at - token->text);
}
