/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits PTX text into tokens. Pure; any thread. A lexer reads a text that it does not own and copies
 * nothing: a token is a piece of that text.
 *
 * Source: PTX ISA 9.0, 4.1 (comments), 4.4 (identifiers), 4.5 (constants).
 */
#ifndef SIMT_PTX_PTX_LEX_H
#define SIMT_PTX_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,   /* name, %name, $name, _name, and _ alone */
    PTX_TOKEN_DOTTED, /* .name, .shared::cta or .2d, including the dot */
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_FLOAT,
    PTX_TOKEN_STRING, /* including its quotes */
    PTX_TOKEN_SIGN,   /* an operator or a bracket, one or two bytes */
    PTX_TOKEN_BAD     /* invalid: `problem` says why */
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text;
    size_t size_bytes;
    uint32_t line;               /* from 1 */
    bool joined;                 /* no white space or comment before it */
    bool is_unsigned, is_single; /* INTEGER: has suffix U or needs 64 bits; FLOAT: 0f... */
    uint64_t bits;               /* INTEGER: its value; FLOAT: of a double, or of a float if is_single */
    const char *problem;         /* BAD: "a comment that does not end" */
};

struct ptx_lexer {
    const char *at, *end;
    uint32_t line;
};

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t size_bytes);
/* Reads the next token. After END or BAD it may be called again: it returns END, BAD or the token that
 * follows, and never reads past the end. */
void ptx_lexer_next(struct ptx_lexer *lexer, struct ptx_token *token);
bool ptx_token_is(const struct ptx_token *token, const char *text);

#endif
