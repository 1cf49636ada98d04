/* Operands: PTX ISA 9.0, chapter 6. */
#include "simt/ptx/ptx_parse.h"

#include <stdio.h>
#include <string.h>

/* Parts separated by commas, up to the closing sign. The opening sign has been read. */
static bool parse_parts(struct parser *parser, const char *closing, struct ptx_operand *operand)
{
    struct parse_list parts = {0};
    bool done = parse_is(parser, closing);
    bool good = true;
    while (good && !done) {
        struct ptx_operand part = {0};
        struct ptx_operand *kept;
        good = parse_operand(parser, false, &part) && (kept = parse_push(parser, &parts, sizeof part));
        if (good) {
            *kept = part;
            done = !parse_is(parser, ",");
            good = done || parse_next(parser);
        }
    }
    const void *items = NULL;
    good = good && parse_take(parser, closing, "or ','") &&
           parse_keep(parser, &parts, 0, sizeof(struct ptx_operand), &items, &operand->part_count);
    operand->parts = (struct ptx_operand *)(uintptr_t)items;
    parse_list_free(&parts);
    return good;
}

/* A name; %tid.x and the like count as one name. */
static bool parse_name(struct parser *parser, struct ptx_operand *operand)
{
    const char *text = parser->token.text;
    size_t size = parser->token.size_bytes;
    operand->kind = PTX_OPERAND_NAME;
    if (!parse_next(parser))
        return false;
    if (parser->token.kind == PTX_TOKEN_DOTTED && parser->token.joined) {
        size += parser->token.size_bytes;
        if (!parse_next(parser))
            return false;
    }
    if (size == 1 && *text == '_')
        operand->kind = PTX_OPERAND_SINK;
    else {
        const struct name *name = names_intern(&parser->names, text, size);
        if (!name)
            return parse_no_memory(parser);
        operand->name = name->text;
    }
    return true;
}

/* After a name: + or - and a constant. `a + -8` and `a - 8` are the same. */
static bool parse_offset(struct parser *parser, struct ptx_operand *operand)
{
    bool minus = parse_is(parser, "-");
    if (!minus && !parse_is(parser, "+"))
        return true;
    return (minus || parse_next(parser)) && parse_integer(parser, &operand->offset);
}

static bool parse_address(struct parser *parser, struct ptx_operand *operand)
{
    operand->kind = PTX_OPERAND_ADDRESS;
    if (!parse_next(parser) || !parse_deeper(parser))
        return false;
    if (parser->token.kind == PTX_TOKEN_WORD && !parse_is(parser, "WARP_SZ")) {
        struct ptx_operand base = {0};
        if (!parse_name(parser, &base) || !parse_offset(parser, operand))
            return false;
        operand->name = base.name;
        if (!base.name)
            return parse_fail(parser, parser->token.line, "'_' is not an address");
    } else if (!parse_integer(parser, &operand->offset)) {
        return false;
    }
    bool more;
    if (!parse_skip(parser, ",", &more))
        return false;
    if (more ? !parse_parts(parser, "]", operand) : !parse_take(parser, "]", "after the address"))
        return false;
    parse_shallower(parser);
    return true;
}

static bool parse_group(struct parser *parser, enum ptx_operand_kind kind, const char *closing,
                        struct ptx_operand *operand)
{
    operand->kind = kind;
    if (!parse_next(parser) || !parse_deeper(parser) || !parse_parts(parser, closing, operand))
        return false;
    parse_shallower(parser);
    return true;
}

/* The rest of p|q, after p. */
static bool parse_pair(struct parser *parser, struct ptx_operand *operand)
{
    struct ptx_operand *parts = arena_alloc(parser->arena, 2, sizeof *parts);
    if (!parts)
        return parse_no_memory(parser);
    parts[0] = *operand;
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .parts = parts, .part_count = 2};
    if (!parse_next(parser))
        return false;
    if (parser->token.kind != PTX_TOKEN_WORD)
        return parse_expected(parser, "a name after '|'");
    return parse_name(parser, &parts[1]);
}

/* '-' or '!' is followed by a name, not by a constant. */
static bool is_before_name(const struct parser *parser)
{
    struct ptx_lexer lexer = parser->lexer;
    struct ptx_token token;
    ptx_lexer_next(&lexer, &token);
    return token.kind == PTX_TOKEN_WORD && !ptx_token_is(&token, "WARP_SZ");
}

/* Whether the token can begin a constant or a constant expression. */
static bool is_constant(const struct parser *parser)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_SIGN)
        return token->size_bytes == 1 && strchr("+-!~(", *token->text);
    return token->kind == PTX_TOKEN_INTEGER || token->kind == PTX_TOKEN_FLOAT || parse_is(parser, "WARP_SZ");
}

bool parse_operand(struct parser *parser, bool list, struct ptx_operand *operand)
{
    *operand = (struct ptx_operand){0};
    if (list && parse_is(parser, "("))
        return parse_group(parser, PTX_OPERAND_LIST, ")", operand);
    if (parse_is(parser, "{"))
        return parse_group(parser, PTX_OPERAND_VECTOR, "}", operand);
    if (parse_is(parser, "["))
        return parse_address(parser, operand);
    bool negated = parse_is(parser, "!") && is_before_name(parser);
    bool minus = parse_is(parser, "-") && is_before_name(parser);
    if ((negated || minus) && !parse_next(parser))
        return false;
    if (parser->token.kind != PTX_TOKEN_WORD || parse_is(parser, "WARP_SZ")) {
        if (!is_constant(parser))
            return parse_expected(parser, "an operand");
        return parse_constant(parser, operand);
    }
    if (!parse_name(parser, operand))
        return false;
    if (parse_is(parser, "|"))
        return parse_pair(parser, operand);
    if (parse_is(parser, "["))
        return parse_fail(parser, parser->token.line,
                          "elements by index such as %.40s[...] are not supported: write [%.40s + bytes]",
                          operand->name ? operand->name : "_", operand->name ? operand->name : "_");
    operand->negated = negated;
    operand->minus = minus;
    return parse_offset(parser, operand);
}
