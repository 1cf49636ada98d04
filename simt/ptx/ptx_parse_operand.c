/* SPDX-License-Identifier: Apache-2.0 */
/* Operands: PTX ISA 9.0, chapter 6. */
#include "simt/ptx/ptx_parse.h"

#include <stdio.h>
#include <string.h>

/* ---- constants and expressions ---- */

/*
 * Constants and constant expressions: PTX ISA 9.0, 4.5. Integers are .s64 or .u64, and arithmetic wraps. If
 * one operand is unsigned, so is the result (4.5.5, 4.5.6). The precedences are C's.
 */

struct number {
    uint64_t bits;
    bool is_unsigned;
};

static bool parse_conditional(struct parser *parser, struct number *number);

static bool parse_parenthesis(struct parser *parser, struct number *number)
{
    return parse_next(parser) && parse_conditional(parser, number) &&
           parse_take(parser, ")", "after the expression");
}

static bool parse_unary(struct parser *parser, struct number *number);

/* The rest of a cast, (.s64) x or (.u64) x, after its '('. */
static bool parse_cast(struct parser *parser, struct number *number)
{
    bool to_unsigned = parse_is(parser, ".u64");
    if (!to_unsigned && !parse_is(parser, ".s64"))
        return parse_expected(parser, "'.s64' or '.u64'");
    if (!parse_next(parser) || !parse_take(parser, ")", "after the type") || !parse_unary(parser, number))
        return false;
    number->is_unsigned = to_unsigned;
    return true;
}

static bool parse_primary(struct parser *parser, struct number *number)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_INTEGER) {
        *number = (struct number){.bits = token->bits, .is_unsigned = token->is_unsigned};
        return parse_next(parser);
    }
    if (parse_is(parser, "WARP_SZ")) {
        *number = (struct number){.bits = 32};
        return parse_next(parser);
    }
    return parse_expected(parser, "an integer constant");
}

static bool parse_bracketed(struct parser *parser, struct number *number)
{
    struct ptx_lexer lexer = parser->lexer;
    struct ptx_token inner;
    ptx_lexer_next(&lexer, &inner);
    if (inner.kind == PTX_TOKEN_DOTTED)
        return parse_next(parser) && parse_cast(parser, number);
    return parse_parenthesis(parser, number);
}

static bool parse_unary(struct parser *parser, struct number *number)
{
    char sign =
        parser->token.kind == PTX_TOKEN_SIGN && parser->token.size_bytes == 1 ? *parser->token.text : 0;
    if (!sign || !strchr("+-!~(", sign))
        return parse_primary(parser, number);
    if (!parse_deeper(parser))
        return false;
    if (sign == '(' ? !parse_bracketed(parser, number) : !parse_next(parser) || !parse_unary(parser, number))
        return false;
    parse_shallower(parser);
    switch (sign) {
    case '-': number->bits = 0 - number->bits; break;
    case '~':
        number->bits = ~number->bits;
        number->is_unsigned = true;
        break;
    case '!': *number = (struct number){.bits = number->bits == 0}; break;
    default: break;
    }
    return true;
}

enum operation {
    OR_ELSE,
    AND_ALSO,
    OR,
    XOR,
    AND,
    EQUAL,
    NOT_EQUAL,
    LESS,
    NOT_GREATER,
    GREATER,
    NOT_LESS,
    LEFT,
    RIGHT,
    PLUS,
    MINUS,
    TIMES,
    OVER,
    REMAINDER
};

static const struct {
    const char *text;
    int precedence;
} operations[] = {
    [OR_ELSE] = {"||", 1},     [AND_ALSO] = {"&&", 2},  [OR] = {"|", 3},         [XOR] = {"^", 4},
    [AND] = {"&", 5},          [EQUAL] = {"==", 6},     [NOT_EQUAL] = {"!=", 6}, [LESS] = {"<", 7},
    [NOT_GREATER] = {"<=", 7}, [GREATER] = {">", 7},    [NOT_LESS] = {">=", 7},  [LEFT] = {"<<", 8},
    [RIGHT] = {">>", 8},       [PLUS] = {"+", 9},       [MINUS] = {"-", 9},      [TIMES] = {"*", 10},
    [OVER] = {"/", 10},        [REMAINDER] = {"%", 10},
};
#define OPERATION_COUNT (sizeof operations / sizeof *operations)

static struct number truth_number(bool value)
{
    return (struct number){.bits = value};
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

/* A shift by 64 or more gives zeros, or copies of the sign. */
static uint64_t shift_right(struct number a, uint64_t by)
{
    bool sign = !a.is_unsigned && a.bits >> 63;
    if (by > 63)
        return sign ? UINT64_MAX : 0;
    return a.bits >> by | (sign && by ? ~(UINT64_MAX >> by) : 0);
}

/* The divisor must not be 0. The least integer divided by -1 wraps. */
static struct number divide_numbers(struct number a, struct number b, bool is_unsigned, bool remainder)
{
    struct number result = {.is_unsigned = is_unsigned};
    if (is_unsigned)
        result.bits = remainder ? a.bits % b.bits : a.bits / b.bits;
    else if (b.bits == UINT64_MAX)
        result.bits = remainder ? 0 : 0 - a.bits;
    else
        result.bits =
            (uint64_t)(remainder ? (int64_t)a.bits % (int64_t)b.bits : (int64_t)a.bits / (int64_t)b.bits);
    return result;
}

static struct number compute_operation(enum operation operation, struct number a, struct number b)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    struct number result = {.is_unsigned = is_unsigned};
    switch (operation) {
    case OR_ELSE: return truth_number(a.bits || b.bits);
    case AND_ALSO: return truth_number(a.bits && b.bits);
    case EQUAL: return truth_number(a.bits == b.bits);
    case NOT_EQUAL: return truth_number(a.bits != b.bits);
    case LESS: return truth_number(is_less(a.bits, b.bits, is_unsigned));
    case GREATER: return truth_number(is_less(b.bits, a.bits, is_unsigned));
    case NOT_LESS: return truth_number(!is_less(a.bits, b.bits, is_unsigned));
    case NOT_GREATER: return truth_number(!is_less(b.bits, a.bits, is_unsigned));
    case OR: result.bits = a.bits | b.bits; break;
    case XOR: result.bits = a.bits ^ b.bits; break;
    case AND: result.bits = a.bits & b.bits; break;
    case PLUS: result.bits = a.bits + b.bits; break;
    case MINUS: result.bits = a.bits - b.bits; break;
    case TIMES: result.bits = a.bits * b.bits; break;
    case OVER: return divide_numbers(a, b, is_unsigned, false);
    case REMAINDER: return divide_numbers(a, b, is_unsigned, true);
    case LEFT: return (struct number){b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned};
    case RIGHT: return (struct number){shift_right(a, b.bits), a.is_unsigned};
    }
    return result;
}

static bool find_operation(const struct parser *parser, enum operation *operation)
{
    for (size_t i = 0; parser->token.kind == PTX_TOKEN_SIGN && i < OPERATION_COUNT; i++) {
        if (ptx_token_is(&parser->token, operations[i].text)) {
            *operation = (enum operation)i;
            return true;
        }
    }
    return false;
}

static bool parse_binary(struct parser *parser, int least, struct number *number)
{
    if (!parse_unary(parser, number))
        return false;
    enum operation operation;
    while (find_operation(parser, &operation) && operations[operation].precedence >= least) {
        struct number other;
        uint32_t line = parser->token.line;
        if (!parse_next(parser) || !parse_binary(parser, operations[operation].precedence + 1, &other))
            return false;
        if ((operation == OVER || operation == REMAINDER) && other.bits == 0)
            return parse_fail(parser, line, "a constant is divided by zero");
        *number = compute_operation(operation, *number, other);
    }
    return true;
}

static bool parse_conditional(struct parser *parser, struct number *number)
{
    struct number yes;
    struct number no;
    bool found;
    if (!parse_binary(parser, 1, number) || !parse_skip(parser, "?", &found))
        return false;
    if (!found)
        return true;
    if (!parse_deeper(parser) || !parse_conditional(parser, &yes) ||
        !parse_take(parser, ":", "between the two values") || !parse_conditional(parser, &no))
        return false;
    parse_shallower(parser);
    bool is_unsigned = yes.is_unsigned || no.is_unsigned;
    *number = number->bits ? yes : no;
    number->is_unsigned = is_unsigned;
    return true;
}

bool parse_integer(struct parser *parser, int64_t *value)
{
    struct number number;
    if (!parse_conditional(parser, &number))
        return false;
    *value = (int64_t)number.bits;
    return true;
}

bool parse_term(struct parser *parser, int64_t *value)
{
    struct number number;
    if (!parse_unary(parser, &number))
        return false;
    *value = (int64_t)number.bits;
    return true;
}

bool parse_constant(struct parser *parser, struct ptx_operand *constant)
{
    struct ptx_lexer lexer = parser->lexer;
    struct ptx_token token = parser->token;
    bool minus = parse_is(parser, "-");
    if (minus)
        ptx_lexer_next(&lexer, &token);
    if (token.kind == PTX_TOKEN_FLOAT) {
        uint64_t sign = (uint64_t)minus << (token.is_single ? 31 : 63);
        constant->kind = PTX_OPERAND_FLOAT;
        constant->bits = token.bits ^ sign;
        constant->is_single = token.is_single;
        return (!minus || parse_next(parser)) && parse_next(parser);
    }
    int64_t value;
    if (!parse_integer(parser, &value))
        return false;
    constant->kind = PTX_OPERAND_INTEGER;
    constant->bits = (uint64_t)value;
    return true;
}

/* ---- operands ---- */

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
