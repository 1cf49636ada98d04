/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of registers, variables and parameters: PTX ISA 9.0, chapter 5. */
#include "simt/ptx/ptx_parse.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- initial values ---- */

/* Initial values of variables: PTX ISA 9.0, 5.4.4. */

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

/* After '='. A variable of one dimension without a size gets its size here. */
static bool parse_initial(struct parser *parser, struct ptx_variable *variable, const uint64_t dimensions[],
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

/* ---- declarations ---- */

/* Declarations of a body go into its scopes, those of the module into its table. */
static bool declare_local(struct parser *parser, struct name *name, uint32_t line, const char *owner,
                          const char **text)
{
    switch (names_declare(&parser->names, name, owner, text)) {
    case NAME_OK: return true;
    case NAME_TAKEN: return parse_fail(parser, line, "%.80s is declared twice", name->text);
    default: return parse_no_memory(parser);
    }
}

/* An extern declaration may be followed by the definition, and a definition by an extern declaration. */
static bool declare_global(struct parser *parser, struct name *name, const struct ptx_variable *variable)
{
    struct ptx_variable *there = NULL;
    if (name->module_kind == NAME_VARIABLE)
        there = (struct ptx_variable *)(void *)parser->variables.items + name->module_index;
    if (name->module_kind == NAME_FUNCTION || (there && !there->external && !variable->external))
        return parse_fail(parser, variable->ptx_line, "%.80s is declared twice", name->text);
    if (there) {
        if (there->external)
            *there = *variable;
        return true;
    }
    there = parse_push(parser, &parser->variables, sizeof *there);
    if (!there)
        return false;
    *there = *variable;
    name->module_kind = NAME_VARIABLE;
    name->module_index = parser->variables.count - 1;
    return true;
}

static bool parse_align(struct parser *parser, struct ptx_variable *variable)
{
    uint32_t line = parser->token.line;
    uint32_t align;
    if (!parse_next(parser) || !parse_uint32(parser, "an alignment", &align))
        return false;
    if (align == 0 || (align & (align - 1)) != 0 || align > 1u << 20)
        return parse_fail(parser, line, "an alignment is a power of two, not %u", align);
    if (align > variable->align)
        variable->align = align;
    return true;
}

/* .attribute(.managed), .attribute(.unified(1, 2)): where the driver places the variable. */
bool parse_variable_attribute(struct parser *parser, bool *managed)
{
    uint32_t open = 0;
    *managed = false;
    if (!parse_next(parser))
        return false;
    do {
        if (parse_is(parser, "("))
            open++;
        else if (parse_is(parser, ")") && open > 0)
            open--;
        else if (parse_is(parser, ".managed"))
            *managed = true;
        else if (open == 0 || parser->token.kind == PTX_TOKEN_END)
            return parse_expected(parser, open ? "')' of .attribute" : "'(' after .attribute");
        if (!parse_next(parser))
            return false;
    } while (open > 0);
    return true;
}

/* .ptr .global .align 8: describes what a kernel's pointer points to. */
static bool skip_pointee(struct parser *parser)
{
    struct ptx_variable pointee = {0};
    if (!parse_next(parser))
        return false;
    if ((parse_is(parser, ".const") || parse_is(parser, ".global") || parse_is(parser, ".local") ||
         parse_is(parser, ".shared")) &&
        !parse_next(parser))
        return false;
    bool found = parse_is(parser, ".align");
    return !found || parse_align(parser, &pointee);
}

static enum ptx_type find_type(const struct ptx_token *token)
{
    char text[16];
    if (token->kind != PTX_TOKEN_DOTTED || token->size_bytes > sizeof text)
        return PTX_NO_TYPE;
    memcpy(text, token->text + 1, token->size_bytes - 1);
    text[token->size_bytes - 1] = '\0';
    return ptx_type_find(text);
}

static bool parse_variable_type(struct parser *parser, struct ptx_variable *variable)
{
    variable->vector = 1;
    variable->type = PTX_NO_TYPE;
    while (parser->token.kind == PTX_TOKEN_DOTTED) {
        bool good;
        enum ptx_type type = find_type(&parser->token);
        if (parse_is(parser, ".align")) {
            good = parse_align(parser, variable);
        } else if (parse_is(parser, ".attribute")) {
            good = parse_variable_attribute(parser, &variable->managed);
        } else if (parse_is(parser, ".ptr")) {
            good = skip_pointee(parser);
        } else if (parse_is(parser, ".v2") || parse_is(parser, ".v4")) {
            variable->vector = (uint32_t)(parser->token.text[2] - '0');
            good = parse_next(parser);
        } else if (type != PTX_NO_TYPE && variable->type == PTX_NO_TYPE) {
            variable->type = type;
            good = parse_next(parser);
        } else {
            return parse_expected(parser, "a type and a name");
        }
        if (!good)
            return false;
    }
    if (variable->type == PTX_NO_TYPE)
        return parse_expected(parser, "a type");
    uint32_t natural = ptx_type_bytes(variable->type) * variable->vector;
    if (variable->align < natural)
        variable->align = natural;
    return true;
}

static bool parse_dimensions(struct parser *parser, struct ptx_variable *variable, uint64_t dimensions[3],
                             uint32_t *dimension_count)
{
    *dimension_count = 0;
    uint64_t count = 1;
    while (parse_is(parser, "[")) {
        uint32_t line = parser->token.line;
        int64_t size = 0;
        if (*dimension_count == 3)
            return parse_fail(parser, line, "an array of more than three dimensions");
        if (!parse_next(parser))
            return false;
        if (!parse_is(parser, "]") || *dimension_count > 0) {
            if (!parse_integer(parser, &size))
                return false;
            if (size < 0)
                return parse_fail(parser, line, "an array cannot have %lld elements", (long long)size);
        }
        if (!parse_take(parser, "]", "after the array's size"))
            return false;
        dimensions[(*dimension_count)++] = (uint64_t)size;
        if (__builtin_mul_overflow(count, (uint64_t)size, &count) || count > PARSE_MAX_BYTES)
            return parse_fail(parser, line, "an array larger than the model's memory can be");
    }
    variable->element_count = count;
    variable->size_bytes = count * ptx_type_bytes(variable->type) * variable->vector;
    if (variable->size_bytes > PARSE_MAX_BYTES)
        return parse_fail(parser, parser->token.line, "an array larger than the model's memory can be");
    return true;
}

/* %r<5> in a body: the name has been read, '<' is the next token. PTX ISA 5.4.6 allows it in all state
 * spaces. A static variable would be made for each member, whatever the count: no compiler writes that. */
static bool parse_range(struct parser *parser, struct name *name, const struct ptx_variable *variable)
{
    int64_t count;
    struct ptx_variable *member;
    if (!parse_next(parser) || !parse_term(parser, &count) ||
        !parse_take(parser, ">", "after the number of variables"))
        return false;
    if (!parser->function || variable->space == PTX_GLOBAL || variable->space == PTX_CONST)
        return parse_fail(parser, variable->ptx_line,
                          "%.80s<>: ranges of .global, .const and a module's variables are not supported",
                          name->text);
    if (count < 0 || count > INT32_MAX)
        return parse_fail(parser, variable->ptx_line, "%.80s<>: %lld is not a valid number of variables",
                          name->text, (long long)count);
    member = arena_alloc(parser->arena, 1, sizeof *member);
    if (!member)
        return parse_no_memory(parser);
    *member = *variable;
    member->element_count = 1;
    member->size_bytes = (uint64_t)ptx_type_bytes(variable->type) * variable->vector;
    switch (names_declare_range(&parser->names, name, (uint32_t)count, member)) {
    case NAME_OK: return true;
    case NAME_TAKEN: return parse_fail(parser, variable->ptx_line, "%.80s<> is declared twice", name->text);
    default: return parse_no_memory(parser);
    }
}

/* A .global or .const variable of a body belongs to the module, under a unique name. */
static bool keep_static(struct parser *parser, struct ptx_variable *variable)
{
    struct ptx_variable *kept = parse_push(parser, &parser->variables, sizeof *kept);
    if (kept)
        *kept = *variable;
    return kept != NULL;
}

static bool parse_one(struct parser *parser, struct ptx_variable *variable)
{
    struct name *name;
    uint64_t dimensions[3];
    uint32_t dimension_count;
    variable->ptx_line = parser->token.line;
    if (!parse_word(parser, "a name", &name))
        return false;
    if (parse_is(parser, "<"))
        return parse_range(parser, name, variable);
    variable->name = name->text;
    bool is_static = variable->space == PTX_GLOBAL || variable->space == PTX_CONST;
    if (parser->function && !declare_local(parser, name, variable->ptx_line,
                                           is_static ? parser->function->name : NULL, &variable->name))
        return false;
    bool initial;
    if (!parse_dimensions(parser, variable, dimensions, &dimension_count) ||
        !parse_skip(parser, "=", &initial) ||
        (initial && !parse_initial(parser, variable, dimensions, dimension_count)))
        return false;
    if (variable->size_bytes == 0 && !variable->external)
        return parse_fail(parser, variable->ptx_line,
                          "%.80s has no size; only .extern variables may have none", name->text);
    if (!parser->function)
        return declare_global(parser, name, variable);
    if (is_static)
        return keep_static(parser, variable);
    struct ptx_variable *kept = parse_push(parser, &parser->locals, sizeof *kept);
    if (kept)
        *kept = *variable;
    return kept != NULL;
}

static enum ptx_space find_space(const struct parser *parser)
{
    static const struct {
        const char *text;
        enum ptx_space space;
    } spaces[] = {{".reg", PTX_REG},     {".const", PTX_CONST}, {".global", PTX_GLOBAL},
                  {".local", PTX_LOCAL}, {".param", PTX_PARAM}, {".shared", PTX_SHARED},
                  {".tex", PTX_GLOBAL}}; /* .tex is a deprecated .global .texref */
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (parse_is(parser, spaces[i].text))
            return spaces[i].space;
    return PTX_GENERIC;
}

bool parse_is_space(const struct parser *parser)
{
    return find_space(parser) != PTX_GENERIC;
}

bool parse_variables(struct parser *parser, bool external, bool visible, bool weak)
{
    struct ptx_variable like = {
        .space = find_space(parser), .external = external, .visible = visible, .weak = weak};
    bool texture = parse_is(parser, ".tex");
    bool more = true;
    if (!parse_next(parser) || !parse_variable_type(parser, &like))
        return false;
    if (texture) {
        like.type = PTX_TEXREF;
        like.align = ptx_type_bytes(PTX_TEXREF);
    }
    while (more) {
        struct ptx_variable variable = like;
        if (!parse_one(parser, &variable) || !parse_skip(parser, ",", &more))
            return false;
    }
    return parse_take(parser, ";", "after the declaration");
}

static bool parse_parameter(struct parser *parser, struct parse_list *list)
{
    struct ptx_variable variable = {.space = find_space(parser), .ptx_line = parser->token.line};
    struct name *name;
    uint64_t dimensions[3];
    uint32_t dimension_count;
    if (variable.space != PTX_PARAM && variable.space != PTX_REG)
        return parse_expected(parser, "'.param'");
    if (!parse_next(parser) || !parse_variable_type(parser, &variable) ||
        !parse_word(parser, "a parameter's name", &name))
        return false;
    variable.name = name->text;
    if (strcmp(name->text, "_") != 0 && !declare_local(parser, name, variable.ptx_line, NULL, &variable.name))
        return false;
    if (!parse_dimensions(parser, &variable, dimensions, &dimension_count))
        return false;
    struct ptx_variable *kept = parse_push(parser, list, sizeof *kept);
    if (kept)
        *kept = variable;
    return kept != NULL;
}

bool parse_parameters(struct parser *parser, const struct ptx_variable **parameters, uint32_t *count)
{
    struct parse_list list = {0};
    const void *items = NULL;
    bool done;
    bool good = parse_next(parser) && parse_skip(parser, ")", &done);
    while (good && !done) {
        bool more;
        good = parse_parameter(parser, &list) && parse_skip(parser, ",", &more);
        done = good && !more;
        good = good && (more || parse_take(parser, ")", "after the parameters"));
    }
    good = good && parse_keep(parser, &list, 0, sizeof(struct ptx_variable), &items, count);
    *parameters = items;
    parse_list_free(&list);
    return good;
}
