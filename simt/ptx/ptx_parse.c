/* The base of the parser: the current token, error messages and growing lists. */
#include "core/base/array.h"

#include "simt/ptx/ptx_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_BYTES 40 /* at most, of a token in an error message */

bool parse_fail(struct parser *parser, uint32_t line, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    parser->status = error_set(parser->error, STATUS_USAGE, "%s, line %u: %s.", parser->name, line, text);
    return false;
}

bool parse_no_memory(struct parser *parser)
{
    parser->status = error_no_memory(parser->error, "to read %s", parser->name);
    return false;
}

bool parse_expected(struct parser *parser, const char *what)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_END)
        return parse_fail(parser, token->line, "expected %s, but the text ends", what);
    bool cut = token->size_bytes > FOUND_BYTES;
    return parse_fail(parser, token->line, "expected %s, found '%.*s%s'", what,
                      cut ? FOUND_BYTES : (int)token->size_bytes, token->text, cut ? "..." : "");
}

bool parse_next(struct parser *parser)
{
    ptx_lexer_next(&parser->lexer, &parser->token);
    const struct ptx_token *token = &parser->token;
    if (token->kind != PTX_TOKEN_BAD)
        return true;
    size_t size = token->size_bytes < FOUND_BYTES ? token->size_bytes : FOUND_BYTES;
    if (size == 0)
        return parse_fail(parser, token->line, "%s", token->problem);
    if (size == 1 && (token->text[0] <= ' ' || token->text[0] > '~'))
        return parse_fail(parser, token->line, "%s: 0x%02x", token->problem, (uint8_t)token->text[0]);
    return parse_fail(parser, token->line, "%s: '%.*s'", token->problem, (int)size, token->text);
}

bool parse_is(const struct parser *parser, const char *text)
{
    return parser->token.kind >= PTX_TOKEN_WORD && ptx_token_is(&parser->token, text);
}

bool parse_take(struct parser *parser, const char *text, const char *where)
{
    if (parse_is(parser, text))
        return parse_next(parser);
    char what[96];
    snprintf(what, sizeof what, "'%s' %s", text, where);
    return parse_expected(parser, what);
}

bool parse_skip(struct parser *parser, const char *text, bool *found)
{
    *found = parse_is(parser, text);
    return !*found || parse_next(parser);
}

bool parse_word(struct parser *parser, const char *what, struct name **name)
{
    if (parser->token.kind != PTX_TOKEN_WORD)
        return parse_expected(parser, what);
    *name = names_intern(&parser->names, parser->token.text, parser->token.size_bytes);
    return *name ? parse_next(parser) : parse_no_memory(parser);
}

bool parse_uint32(struct parser *parser, const char *what, uint32_t *value)
{
    uint32_t line = parser->token.line;
    int64_t integer;
    if (!parse_term(parser, &integer))
        return false;
    if (integer < 0 || integer > UINT32_MAX)
        return parse_fail(parser, line, "%s cannot be %lld", what, (long long)integer);
    *value = (uint32_t)integer;
    return true;
}

bool parse_deeper(struct parser *parser)
{
    if (parser->depth == PARSE_DEPTH)
        return parse_fail(parser, parser->token.line, "more than %d nested brackets or braces", PARSE_DEPTH);
    parser->depth++;
    return true;
}

void parse_shallower(struct parser *parser)
{
    parser->depth--;
}

void *parse_push(struct parser *parser, struct parse_list *list, size_t item_bytes)
{
    if (!array_grow_32(&list->items, &list->capacity, list->count, 1, item_bytes, false)) {
        parse_no_memory(parser);
        return NULL;
    }
    void *item = list->items + (size_t)list->count++ * item_bytes;
    memset(item, 0, item_bytes);
    return item;
}

void parse_list_free(struct parse_list *list)
{
    free(list->items);
    *list = (struct parse_list){0};
}

bool parse_keep(struct parser *parser, struct parse_list *list, uint32_t first, size_t item_bytes,
                const void **items, uint32_t *count)
{
    *count = list->count - first;
    *items = NULL;
    if (*count > 0) {
        void *kept = arena_alloc(parser->arena, *count, item_bytes);
        if (!kept)
            return parse_no_memory(parser);
        memcpy(kept, list->items + (size_t)first * item_bytes, (size_t)*count * item_bytes);
        *items = kept;
    }
    list->count = first;
    return true;
}
