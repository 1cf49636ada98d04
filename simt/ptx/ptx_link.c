/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes over the tokens of each text. The first lists what the texts declare at module level: a row in
 * `symbols` for each declaration, one in `names` for each name. The second copies each text, without the
 * header of all but the first and without weak definitions of what another text defines. Local names that
 * another text has too get a suffix; numbers of source files follow those of the texts before.
 */
#include "simt/ptx/ptx_link.h"

#include "core/base/array.h"
#include "core/base/lookup.h"
#include "simt/ptx/ptx_lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum linkage { LOCAL, VISIBLE, WEAK, EXTERN };

struct name {
    const char *text;
    size_t bytes;
    uint32_t first_text, local_text; /* local_text: while that text is copied */
    uint32_t defined_text;           /* UINT32_MAX: by none */
    bool several, weak;              /* in several texts; the definition is weak */
};

struct symbol {
    uint32_t name, text;
    enum linkage linkage;
    bool defined;
    const char *begin, *end;
};

struct linker {
    const struct ptx_text *texts;
    struct name *names;
    struct symbol *symbols; /* text by text, in order */
    uint32_t name_count, name_capacity, symbol_count, symbol_capacity;
    struct lookup lookup; /* of names */
    char *out;
    size_t out_bytes, out_capacity;
    struct error *error;
};

static enum status no_memory(const struct linker *linker)
{
    return error_no_memory(linker->error, "to link PTX");
}

/* ---- names ---- */
static bool name_equals(const void *context, uint32_t row, const void *key)
{
    const struct name *name = (const struct name *)context + row;
    const struct ptx_token *token = key;

    return name->bytes == token->size_bytes && memcmp(name->text, token->text, name->bytes) == 0;
}

static uint32_t name_find(const struct linker *linker, const struct ptx_token *token)
{
    return lookup_find(&linker->lookup, lookup_hash(0, token->text, token->size_bytes), name_equals,
                       linker->names, token);
}

/* LOOKUP_NONE: no memory. */
static uint32_t name_intern(struct linker *linker, const struct ptx_token *token, uint32_t text)
{
    uint32_t row = name_find(linker, token);

    if (row != LOOKUP_NONE) {
        linker->names[row].several |= linker->names[row].first_text != text;
        return row;
    }
    if (!array_grow(linker->names, linker->name_capacity, linker->name_count, 1) ||
        !lookup_reserve(&linker->lookup))
        return LOOKUP_NONE;
    row = linker->name_count++;
    linker->names[row] = (struct name){.text = token->text,
                                       .bytes = token->size_bytes,
                                       .first_text = text,
                                       .local_text = UINT32_MAX,
                                       .defined_text = UINT32_MAX};
    lookup_add(&linker->lookup, lookup_hash(0, token->text, token->size_bytes), row);
    return row;
}

/* ---- what a text declares ---- */
static bool token_is_one(const struct ptx_token *token, const char *const *texts)
{
    for (; *texts; texts++)
        if (ptx_token_is(token, *texts))
            return true;
    return false;
}

static const char *const openings[] = {"(", "{", "[", NULL}, *const closings[] = {")", "}", "]", NULL},
                         *const functions[] = {".entry", ".func", NULL},
                         *const variables[] = {".global", ".const", ".shared", NULL},
                         *const headers[] = {".version", ".target", ".address_size", NULL},
                         *const lines[] = {".version", ".target", ".address_size", ".file", ".loc", NULL};

static enum linkage linkage_of(const struct ptx_token *token, enum linkage before)
{
    return ptx_token_is(token, ".extern")                                   ? EXTERN
           : ptx_token_is(token, ".visible")                                ? VISIBLE
           : ptx_token_is(token, ".weak") || ptx_token_is(token, ".common") ? WEAK
                                                                            : before;
}

/* To the first token of the next line. */
static void line_skip(struct ptx_lexer *lexer, struct ptx_token *token)
{
    uint32_t line = token->line;

    while (token->kind != PTX_TOKEN_END && token->kind != PTX_TOKEN_BAD && token->line == line)
        ptx_lexer_next(lexer, token);
}

/*
 * One statement from its first token: to its ; or, of a function and of a section, to the end of its braces.
 * The token is then the first of the next. *name: of what it declares; its size 0: it declares nothing.
 */
static bool statement_read(struct ptx_lexer *lexer, struct ptx_token *token, struct symbol *symbol,
                           struct ptx_token *name)
{
    bool function = false, variable = false, ended = false;
    int depth = 0;

    symbol->begin = token->text;
    while (!ended && token->kind != PTX_TOKEN_END && token->kind != PTX_TOKEN_BAD) {
        if (depth == 0) {
            symbol->linkage = linkage_of(token, symbol->linkage);
            function |= token_is_one(token, functions);
            variable |= token_is_one(token, variables);
            if ((function || variable) && name->size_bytes == 0 && token->kind == PTX_TOKEN_WORD)
                *name = *token;
        }
        depth += token_is_one(token, openings) - token_is_one(token, closings);
        bool body = ptx_token_is(token, "}") && !variable;
        ended = depth == 0 && (body || ptx_token_is(token, ";"));
        symbol->defined = symbol->linkage != EXTERN && (variable || body);
        symbol->end = token->text + token->size_bytes;
        ptx_lexer_next(lexer, token);
    }
    return ended;
}

static void name_define(struct name *name, const struct symbol *symbol)
{
    bool weak = symbol->linkage == WEAK;

    if (symbol->defined && symbol->linkage != LOCAL &&
        (name->defined_text == UINT32_MAX || (name->weak && !weak))) {
        name->defined_text = symbol->text;
        name->weak = weak;
    }
}

static enum status text_list(struct linker *linker, uint32_t text)
{
    struct ptx_lexer lexer;
    struct ptx_token token;

    ptx_lexer_init(&lexer, linker->texts[text].text, linker->texts[text].size_bytes);
    ptx_lexer_next(&lexer, &token);
    while (token.kind != PTX_TOKEN_END) {
        struct symbol symbol = {.text = text};
        struct ptx_token name = {.size_bytes = 0};
        if (token_is_one(&token, lines)) {
            line_skip(&lexer, &token);
            continue;
        }
        if (!statement_read(&lexer, &token, &symbol, &name))
            return error_set(
                linker->error, STATUS_FORMAT, "Line %u of PTX text %u cannot be read: %s.", token.line,
                text + 1, token.kind == PTX_TOKEN_BAD ? token.problem : "the text ends within a statement");
        if (name.size_bytes == 0)
            continue;
        if (linker->texts[text].replaceable && symbol.linkage == VISIBLE)
            symbol.linkage = WEAK;
        symbol.name = name_intern(linker, &name, text);
        if (symbol.name == LOOKUP_NONE ||
            !array_grow(linker->symbols, linker->symbol_capacity, linker->symbol_count, 1))
            return no_memory(linker);
        linker->symbols[linker->symbol_count++] = symbol;
        name_define(&linker->names[symbol.name], &symbol);
    }
    return STATUS_OK;
}

static enum status texts_list(struct linker *linker, uint32_t count)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = text_list(linker, i);
    return status;
}

static void linker_fini(struct linker *linker)
{
    lookup_fini(&linker->lookup);
    free(linker->names);
    free(linker->symbols);
}

/* ---- copying ---- */
static bool text_put(struct linker *linker, const char *text, size_t bytes)
{
    if (!array_grow(linker->out, linker->out_capacity, linker->out_bytes, bytes + 1))
        return false;
    memcpy(linker->out + linker->out_bytes, text, bytes);
    linker->out_bytes += bytes;
    linker->out[linker->out_bytes] = '\0';
    return true;
}

static bool number_put(struct linker *linker, const char *format, uint64_t number)
{
    char text[32];
    int length = snprintf(text, sizeof text, format, (unsigned long long)number);

    return text_put(linker, text, (size_t)length);
}

/* Is it a weak definition of what another text defines? */
static bool is_left_out(const struct linker *linker, const struct symbol *symbol)
{
    return symbol->defined && symbol->linkage == WEAK &&
           linker->names[symbol->name].defined_text != symbol->text;
}

static bool is_renamed(const struct linker *linker, const struct ptx_token *token, uint32_t text)
{
    uint32_t row = token->kind == PTX_TOKEN_WORD ? name_find(linker, token) : LOOKUP_NONE;

    return row != LOOKUP_NONE && linker->names[row].several && linker->names[row].local_text == text;
}

/* first_file: added to the numbers of files; *last_file: the highest number so far. */
static bool text_copy(struct linker *linker, uint32_t text, const struct symbol **symbol, uint64_t first_file,
                      uint64_t *last_file)
{
    const struct symbol *end = linker->symbols ? linker->symbols + linker->symbol_count : NULL;
    const char *copied = linker->texts[text].text;
    struct ptx_lexer lexer;
    struct ptx_token token;
    bool file_next = false, whole = true;

    ptx_lexer_init(&lexer, copied, linker->texts[text].size_bytes);
    ptx_lexer_next(&lexer, &token);
    while (token.kind != PTX_TOKEN_END && whole) {
        while (*symbol < end &&
               ((*symbol)->text < text || ((*symbol)->text == text && (*symbol)->end <= token.text)))
            ++*symbol;
        const struct symbol *here =
            *symbol < end && (*symbol)->text == text && (*symbol)->begin == token.text ? *symbol : NULL;
        whole = text_put(linker, copied, (size_t)(token.text - copied)); /* what stands between two tokens */
        copied = token.text;
        if (here && is_left_out(linker, here)) {
            while (token.kind != PTX_TOKEN_END && token.text < here->end)
                ptx_lexer_next(&lexer, &token);
            copied = here->end;
            continue;
        }
        if (text > 0 && token_is_one(&token, headers)) {
            line_skip(&lexer, &token);
            copied = token.text;
            continue;
        }
        if (file_next && token.kind == PTX_TOKEN_INTEGER) {
            whole = whole && number_put(linker, "%llu", first_file + token.bits);
            *last_file = first_file + token.bits > *last_file ? first_file + token.bits : *last_file;
        } else {
            whole = whole && text_put(linker, token.text, token.size_bytes);
            if (is_renamed(linker, &token, text))
                whole = whole && number_put(linker, "$of_text_%llu", text + 1);
        }
        copied = token.text + token.size_bytes;
        file_next = ptx_token_is(&token, ".file") || ptx_token_is(&token, ".loc") ||
                    ptx_token_is(&token, "inlined_at");
        ptx_lexer_next(&lexer, &token);
    }
    return whole && text_put(linker, "\n", 1);
}

enum status ptx_link(const struct ptx_text *texts, uint32_t count, char **linked, size_t *size_bytes,
                     struct error *error)
{
    struct linker linker = {.texts = texts, .error = error};
    enum status status = texts_list(&linker, count);
    const struct symbol *symbol = linker.symbols;
    uint64_t first_file = 0, last_file = 0;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        for (uint32_t s = 0; s < linker.symbol_count; s++)
            if (linker.symbols[s].text == i && linker.symbols[s].linkage == LOCAL)
                linker.names[linker.symbols[s].name].local_text = i;
        if (!text_copy(&linker, i, &symbol, first_file, &last_file))
            status = no_memory(&linker);
        first_file = last_file;
    }
    linker_fini(&linker);
    if (status != STATUS_OK) {
        free(linker.out);
        return status;
    }
    *linked = linker.out;
    *size_bytes = linker.out_bytes;
    return STATUS_OK;
}

/* ---- which texts belong together ---- */
static void group_join(uint32_t *groups, uint32_t count, uint32_t one, uint32_t other)
{
    uint32_t low = groups[one] < groups[other] ? groups[one] : groups[other],
             high = groups[one] < groups[other] ? groups[other] : groups[one];

    for (uint32_t i = 0; i < count; i++)
        if (groups[i] == high)
            groups[i] = low;
}

enum status ptx_link_groups(const struct ptx_text *texts, uint32_t count, uint32_t *groups,
                            struct error *error)
{
    struct linker linker = {.texts = texts, .error = error};
    enum status status = texts_list(&linker, count);

    for (uint32_t i = 0; i < count; i++)
        groups[i] = i;
    for (uint32_t i = 0; i < linker.symbol_count && status == STATUS_OK; i++) {
        const struct symbol *symbol = &linker.symbols[i];
        uint32_t defined = linker.names[symbol->name].defined_text;
        if (symbol->linkage == EXTERN && defined != UINT32_MAX)
            group_join(groups, count, symbol->text, defined);
    }
    linker_fini(&linker);
    return status;
}
