/* Initial values of variables: PTX ISA 9.0, 5.4.4. */
#include "core/base/array.h"

#include "simt/ptx/ptx_parse.h"

#include <stdlib.h>
#include <string.h>

struct initial {
    struct ptx_variable *variable;
    uint32_t element_bytes;
    uint64_t strides[4]; /* per level of braces: elements per item */
    uint32_t levels;
    struct parse_list bytes; /* the bytes given so far */
    struct parse_list relocations;
};

/* Appends zeros up to `size_bytes`. Braces may skip more bytes than the text is long, so this checks a limit
 * of its own. */
static bool extend_initial(struct parser *parser, struct initial *initial, uint64_t size_bytes)
{
    struct parse_list *bytes = &initial->bytes;
    if (size_bytes > PARSE_MAX_INITIAL_BYTES - parser->initial_bytes)
        return parse_fail(parser, parser->token.line, "more initial values than the model supports");
    if (!array_grow(bytes->items, bytes->capacity, size_bytes, 0))
        return parse_no_memory(parser);
    if (size_bytes > bytes->count) {
        memset(bytes->items + bytes->count, 0, size_bytes - bytes->count);
        bytes->count = (uint32_t)size_bytes;
    }
    return true;
}

/* symbol + 4, generic(symbol) + 4 */
static bool parse_symbol(struct parser *parser, struct initial *initial, uint64_t offset)
{
    struct ptx_relocation relocation = {.offset = offset, .generic = parse_is(parser, "generic")};
    uint32_t line = parser->token.line;
    struct name *name;
    if (initial->element_bytes != 8)
        return parse_fail(parser, line, "an address needs a .u64, not a .%s",
                          ptx_type_text(initial->variable->type));
    if (!parse_word(parser, "a symbol", &name))
        return false;
    if (relocation.generic &&
        (!parse_take(parser, "(", "after generic") || !parse_word(parser, "a symbol", &name) ||
         !parse_take(parser, ")", "after the symbol")))
        return false;
    bool minus = parse_is(parser, "-");
    if (minus || parse_is(parser, "+")) {
        if ((!minus && !parse_next(parser)) || !parse_integer(parser, &relocation.addend))
            return false;
    }
    relocation.symbol = name->text;
    struct ptx_relocation *kept = parse_push(parser, &initial->relocations, sizeof *kept);
    if (kept)
        *kept = relocation;
    return kept != NULL;
}

/* As ptxas does: 0f... and decimal numbers are converted to the type; a .b64 takes the bits of 0f...
 * unchanged. */
static uint64_t float_bits_as(enum ptx_type type, const struct ptx_operand *number)
{
    uint32_t single = (uint32_t)number->bits;
    float narrow;
    double wide;
    if (ptx_type_bytes(type) == 8 && (!number->is_single || type == PTX_B64))
        return number->bits;
    if (type == PTX_F64) {
        memcpy(&narrow, &single, sizeof narrow);
        wide = narrow;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    if (number->is_single)
        return single;
    memcpy(&wide, &number->bits, sizeof wide);
    narrow = (float)wide;
    memcpy(&single, &narrow, sizeof single);
    return single;
}

static bool parse_value(struct parser *parser, struct initial *initial, uint64_t offset)
{
    enum ptx_type type = initial->variable->type;
    uint32_t line = parser->token.line;
    struct ptx_operand number = {0};
    if (!extend_initial(parser, initial, offset + initial->element_bytes))
        return false;
    if (parser->token.kind == PTX_TOKEN_WORD && !parse_is(parser, "WARP_SZ"))
        return parse_symbol(parser, initial, offset);
    if (!parse_constant(parser, &number))
        return false;
    if (parse_is(parser, "("))
        return parse_fail(parser, line, "masks of an address such as 0xff(symbol) are not supported");
    uint64_t bits = number.bits;
    if (number.kind == PTX_OPERAND_FLOAT) {
        if (type != PTX_F32 && type != PTX_F64 && type != PTX_B32 && type != PTX_B64)
            return parse_fail(parser, line, "a floating-point value cannot initialise a .%s",
                              ptx_type_text(type));
        bits = float_bits_as(type, &number);
    } else if (type == PTX_F32 || type == PTX_F64) {
        return parse_fail(parser, line, "an integer value cannot initialise a .%s", ptx_type_text(type));
    }
    uint32_t size = initial->element_bytes < 8 ? initial->element_bytes : 8;
    memcpy(initial->bytes.items + offset, &bits, size);
    return true;
}

/* {{a, b}, {c}}: one level of braces per dimension, and one for a vector's elements. Elements that are not
 * given are zero. */
static bool parse_braces(struct parser *parser, struct initial *initial, uint32_t level, uint64_t first)
{
    bool innermost = level + 1 == initial->levels;
    uint64_t step = innermost ? 1 : initial->strides[level + 1];
    uint64_t end = first + initial->strides[level];
    bool done;
    if (!parse_take(parser, "{", "before the values") || !parse_deeper(parser) ||
        !parse_skip(parser, "}", &done))
        return false;
    for (uint64_t at = first; !done; at += step) {
        bool more;
        if (at + step > end)
            return parse_fail(parser, parser->token.line, "more initial values than elements");
        if (innermost ? !parse_value(parser, initial, at * initial->element_bytes)
                      : !parse_braces(parser, initial, level + 1, at))
            return false;
        if (!parse_skip(parser, ",", &more) || (!more && !parse_take(parser, "}", "after the values")))
            return false;
        done = !more;
    }
    parse_shallower(parser);
    return true;
}

/* .samplerref s = {filter_mode = linear, ...}: ignored. */
static bool skip_properties(struct parser *parser)
{
    struct name *name;
    bool more = true;
    if (!parse_take(parser, "{", "before the properties"))
        return false;
    while (more) {
        if (!parse_word(parser, "a property", &name) || !parse_take(parser, "=", "after the property"))
            return false;
        if (parser->token.kind != PTX_TOKEN_WORD && parser->token.kind != PTX_TOKEN_INTEGER)
            return parse_expected(parser, "a property's value");
        if (!parse_next(parser) || !parse_skip(parser, ",", &more))
            return false;
    }
    return parse_take(parser, "}", "after the properties");
}

/* An empty first [] takes its size from the number of values in the outermost braces. */
static bool size_by_values(struct parser *parser, struct initial *initial, const uint64_t dimensions[],
                           uint32_t dimension_count)
{
    struct ptx_variable *variable = initial->variable;
    uint64_t step = variable->vector;
    for (uint32_t i = 1; i < dimension_count; i++)
        step *= dimensions[i];
    uint64_t step_bytes = step * initial->element_bytes;
    if (step_bytes == 0)
        return parse_fail(parser, variable->ptx_line, "an array without elements has no initial values");
    uint64_t steps = (initial->bytes.count + step_bytes - 1) / step_bytes;
    variable->size_bytes = steps * step_bytes;
    variable->element_count = steps * (step / variable->vector);
    return true;
}

static bool parse_values(struct parser *parser, struct initial *initial, const uint64_t dimensions[],
                         uint32_t dimension_count)
{
    struct ptx_variable *variable = initial->variable;
    bool by_values = dimension_count > 0 && dimensions[0] == 0;
    uint64_t stride = variable->vector;
    initial->levels = dimension_count;
    if (variable->vector > 1)
        initial->strides[initial->levels++] = variable->vector;
    for (uint32_t i = dimension_count; i-- > 0;) {
        if (i > 0 || !by_values)
            stride *= dimensions[i];
        initial->strides[i] = i == 0 && by_values ? PARSE_MAX_BYTES : stride;
    }
    if (initial->levels == 0 ? !parse_value(parser, initial, 0) : !parse_braces(parser, initial, 0, 0))
        return false;
    return !by_values || size_by_values(parser, initial, dimensions, dimension_count);
}

bool parse_initial(struct parser *parser, struct ptx_variable *variable, const uint64_t dimensions[],
                   uint32_t dimension_count)
{
    struct initial initial = {.variable = variable, .element_bytes = ptx_type_bytes(variable->type)};
    if (variable->type == PTX_TEXREF || variable->type == PTX_SAMPLERREF || variable->type == PTX_SURFREF)
        return skip_properties(parser);
    if (variable->type == PTX_PRED || (variable->space != PTX_GLOBAL && variable->space != PTX_CONST))
        return parse_fail(parser, variable->ptx_line,
                          "only .global and .const variables have initial values");
    const void *bytes;
    const void *relocations;
    uint32_t byte_count;
    bool good = parse_values(parser, &initial, dimensions, dimension_count) &&
                parse_keep(parser, &initial.bytes, 0, 1, &bytes, &byte_count) &&
                parse_keep(parser, &initial.relocations, 0, sizeof(struct ptx_relocation), &relocations,
                           &variable->relocation_count);
    if (good) {
        variable->initial = bytes;
        variable->initial_bytes = byte_count;
        parser->initial_bytes += byte_count;
        variable->relocations = relocations;
    }
    parse_list_free(&initial.bytes);
    parse_list_free(&initial.relocations);
    return good;
}
