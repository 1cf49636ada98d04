/* Declarations of registers, variables and parameters: PTX ISA 9.0, chapter 5. */
#include "simt/ptx/ptx_parse.h"

#include <string.h>

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
    bool found;
    if (!parse_next(parser))
        return false;
    if ((parse_is(parser, ".const") || parse_is(parser, ".global") || parse_is(parser, ".local") ||
         parse_is(parser, ".shared")) &&
        !parse_next(parser))
        return false;
    found = parse_is(parser, ".align");
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
