/* The module level of a PTX text: PTX ISA 9.0, chapter 11. */
#include "simt/ptx/ptx_parse.h"

#include <stdlib.h>
#include <string.h>

bool parse_pragma(struct parser *parser)
{
    bool more = true;
    if (!parse_next(parser))
        return false;
    while (more) {
        if (parser->token.kind != PTX_TOKEN_STRING)
            return parse_expected(parser, "a string after .pragma");
        parser->module->relocatable |= ptx_token_is(&parser->token, "\"lanescope:relocatable\"");
        if (!parse_next(parser) || !parse_skip(parser, ",", &more))
            return false;
    }
    return parse_take(parser, ";", "after .pragma");
}

/* .version 9.0: the lexer returns it as a floating-point number. */
static bool parse_version(struct parser *parser)
{
    if (parser->token.kind != PTX_TOKEN_FLOAT)
        return parse_expected(parser, "a version such as 9.0");
    parser->module->version = arena_text(parser->arena, parser->token.text, parser->token.size_bytes);
    return parser->module->version ? parse_next(parser) : parse_no_memory(parser);
}

/* .target sm_90, texmode_independent, debug: only the first one is kept. */
static bool parse_target(struct parser *parser)
{
    struct name *name;
    bool more;
    if (!parse_word(parser, "a target such as sm_90", &name))
        return false;
    parser->module->target = name->text;
    if (!parse_skip(parser, ",", &more))
        return false;
    while (more)
        if (!parse_word(parser, "a target's option", &name) || !parse_skip(parser, ",", &more))
            return false;
    return true;
}

static bool parse_address_size(struct parser *parser)
{
    uint32_t line = parser->token.line;
    if (!parse_uint32(parser, "an address size", &parser->module->address_bits))
        return false;
    return parser->module->address_bits == 64 ||
           parse_fail(parser, line, "addresses of %u bits: only 64 are supported",
                      parser->module->address_bits);
}

/* .section .debug_info { ... }: debug information, ignored. */
static bool skip_section(struct parser *parser)
{
    if (parser->token.kind != PTX_TOKEN_DOTTED && parser->token.kind != PTX_TOKEN_WORD &&
        parser->token.kind != PTX_TOKEN_STRING)
        return parse_expected(parser, "a section's name");
    if (!parse_next(parser) || !parse_take(parser, "{", "after the section's name"))
        return false;
    while (!parse_is(parser, "}")) {
        if (parser->token.kind == PTX_TOKEN_END)
            return parse_expected(parser, "'}' after the section");
        if (!parse_next(parser))
            return false;
    }
    return parse_next(parser);
}

/* Up to three numbers separated by commas; missing ones are 1. */
static bool parse_extents(struct parser *parser, uint32_t extents[3])
{
    bool more = true;
    extents[0] = extents[1] = extents[2] = 1;
    for (int i = 0; i < 3 && more; i++)
        if (!parse_uint32(parser, "a number of threads", &extents[i]) || !parse_skip(parser, ",", &more))
            return false;
    return true;
}

/* Performance directives and others: PTX ISA 9.0, 11.4, 11.7, 11.8. */
bool parse_function_directives(struct parser *parser, struct ptx_function *function)
{
    static const char *const alone[] = {".noreturn", ".explicitcluster"};
    static const char *const with_number[] = {".maxnctapersm", ".maxclusterrank", ".abi_preserve",
                                              ".abi_preserve_control"};
    while (parser->token.kind == PTX_TOKEN_DOTTED) {
        uint32_t ignored[3];
        uint32_t *numbers = NULL;
        bool extents = false;
        bool good = false;
        if (parse_is(parser, ".pragma")) {
            if (!parse_pragma(parser))
                return false;
            continue;
        }
        if (parse_is(parser, ".attribute")) {
            if (!parse_variable_attribute(parser, &(bool){false}))
                return false;
            continue;
        }
        if (parse_is(parser, ".blocksareclusters"))
            good = function->blocks_are_clusters = true;
        for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
            good |= parse_is(parser, alone[i]);
        for (size_t i = 0; i < sizeof with_number / sizeof *with_number; i++)
            if (parse_is(parser, with_number[i]))
                numbers = ignored;
        if (parse_is(parser, ".maxnreg"))
            numbers = &function->max_registers;
        else if (parse_is(parser, ".minnctapersm"))
            numbers = &function->minimum_blocks;
        else if ((extents = parse_is(parser, ".maxntid")))
            numbers = function->max_threads;
        else if ((extents = parse_is(parser, ".reqntid")))
            numbers = function->required_threads;
        else if ((extents = parse_is(parser, ".reqnctapercluster")))
            numbers = function->cluster;
        if (!good && !numbers)
            return parse_expected(parser, "a function's directive");
        if (!parse_next(parser) || (numbers && (extents ? !parse_extents(parser, numbers)
                                                        : !parse_uint32(parser, "a limit", numbers))))
            return false;
    }
    return true;
}

/* Its index in the module: a new one, or that of its earlier declaration. */
static bool declare_function(struct parser *parser, struct name *name, const struct ptx_function *function,
                             uint32_t *index)
{
    struct ptx_function *there = NULL;
    if (name->module_kind == NAME_FUNCTION)
        there = (struct ptx_function *)(void *)parser->functions.items + name->module_index;
    if (name->module_kind == NAME_VARIABLE || (there && !there->declared && !function->declared))
        return parse_fail(parser, function->ptx_line, "%.80s is declared twice", name->text);
    if (!there) {
        there = parse_push(parser, &parser->functions, sizeof *there);
        if (!there)
            return false;
        name->module_kind = NAME_FUNCTION;
        name->module_index = parser->functions.count - 1;
        *there = *function;
    } else if (there->declared) {
        *there = *function;
    }
    *index = name->module_index;
    return true;
}

static bool parse_head(struct parser *parser, struct ptx_function *function, struct name **name)
{
    if (!function->entry && parse_is(parser, ".attribute") &&
        !parse_variable_attribute(parser, &(bool){false}))
        return false;
    if (!function->entry && parse_is(parser, "(") &&
        !parse_parameters(parser, &function->results, &function->result_count))
        return false;
    if (!parse_word(parser, "a function's name", name))
        return false;
    function->name = (*name)->text;
    if (parse_is(parser, "(") && !parse_parameters(parser, &function->parameters, &function->parameter_count))
        return false;
    return parse_function_directives(parser, function);
}

/* A function after the word .entry or .func. */
static bool parse_function(struct parser *parser, bool entry)
{
    struct ptx_function function = {.entry = entry, .ptx_line = parser->token.line};
    struct name *name;
    uint32_t index = 0;
    names_begin_function(&parser->names);
    names_open(&parser->names);
    if (!parse_head(parser, &function, &name))
        return false;
    function.declared = !parse_is(parser, "{");
    if (!declare_function(parser, name, &function, &index))
        return false;
    if (function.declared) {
        if (!parse_take(parser, ";", "or a body"))
            return false;
    } else {
        parser->function = &function;
        if (!parse_body(parser))
            return false;
        parser->function = NULL;
        ((struct ptx_function *)(void *)parser->functions.items)[index] = function;
    }
    names_close(&parser->names);
    return true;
}

/* .alias f, g; makes the declared function f another name of g. */
static bool parse_alias(struct parser *parser)
{
    uint32_t line = parser->token.line;
    struct name *names[2];
    if (!parse_word(parser, "a function's name", &names[0]) || !parse_take(parser, ",", "after the alias") ||
        !parse_word(parser, "a function's name", &names[1]) || !parse_take(parser, ";", "after .alias"))
        return false;
    struct ptx_function *functions = (struct ptx_function *)(void *)parser->functions.items;
    for (int i = 0; i < 2; i++) {
        if (names[i]->module_kind != NAME_FUNCTION || functions[names[i]->module_index].declared != (i == 0))
            return parse_fail(parser, line, ".alias takes a declared function and a defined one, not %.80s",
                              names[i]->text);
    }
    struct ptx_function *alias = &functions[names[0]->module_index];
    *alias = functions[names[1]->module_index];
    alias->name = names[0]->text;
    return true;
}

/* The declarations that may follow .visible, .extern, .weak and .common. */
static bool parse_declaration(struct parser *parser)
{
    bool external = false;
    bool visible = false;
    bool weak = false;
    for (;;) {
        if (parse_is(parser, ".extern"))
            external = true;
        else if (parse_is(parser, ".visible"))
            visible = true;
        else if (parse_is(parser, ".weak") || parse_is(parser, ".common"))
            weak = true;
        else
            break;
        if (!parse_next(parser))
            return false;
    }
    bool entry = parse_is(parser, ".entry");
    if (entry || parse_is(parser, ".func"))
        return parse_next(parser) && parse_function(parser, entry);
    if (!parse_is_space(parser) || parse_is(parser, ".reg") || parse_is(parser, ".param"))
        return parse_expected(parser, "a directive");
    if (parse_is(parser, ".local"))
        return parse_fail(parser, parser->token.line, "a .local variable outside of a function");
    return parse_variables(parser, external, visible, weak);
}

static bool parse_top(struct parser *parser)
{
    static const struct {
        const char *text;
        bool (*parse)(struct parser *parser);
    } directives[] = {
        {".version", parse_version}, {".target", parse_target},  {".address_size", parse_address_size},
        {".file", parse_file},       {".section", skip_section}, {".loc", parse_location},
        {".alias", parse_alias}};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (parse_is(parser, directives[i].text))
            return parse_next(parser) && directives[i].parse(parser);
    if (parse_is(parser, ".pragma"))
        return parse_pragma(parser);
    if (parse_is(parser, ";"))
        return parse_next(parser);
    return parse_declaration(parser);
}

/* Gives the runtime functions of simt/ptx/ptx.h their empty bodies. */
static bool give_runtime_bodies(struct parser *parser)
{
    for (size_t i = 0; i < PTX_RUNTIME_COUNT; i++) {
        const char *text = ptx_runtime_functions[i].name;
        const struct name *name = names_intern(&parser->names, text, strlen(text));
        if (!name)
            return parse_no_memory(parser);
        if (name->module_kind != NAME_FUNCTION)
            continue;
        struct ptx_instruction *instruction = arena_alloc(parser->arena, 1, sizeof *instruction);
        if (!instruction)
            return parse_no_memory(parser);
        struct ptx_function *function =
            (struct ptx_function *)(void *)parser->functions.items + name->module_index;
        if (!function->declared)
            continue;
        *instruction = (struct ptx_instruction){.opcode = "ret", .ptx_line = function->ptx_line};
        function->declared = false;
        function->runtime = &ptx_runtime_functions[i];
        function->instructions = instruction;
        function->instruction_count = 1;
    }
    return true;
}

bool parse_module(struct parser *parser)
{
    struct ptx_module *module = parser->module;
    if (!parse_next(parser))
        return false;
    if (!parse_is(parser, ".version"))
        return parse_expected(parser, "'.version' first");
    while (parser->token.kind != PTX_TOKEN_END)
        if (!parse_top(parser))
            return false;
    if (!module->target)
        return parse_fail(parser, parser->token.line, "the text has no .target");
    if (module->address_bits != 64)
        return parse_fail(parser, parser->token.line, "the text has no .address_size 64");
    if (!give_runtime_bodies(parser))
        return false;
    const void *files;
    const void *variables;
    const void *functions;
    if (!parse_keep(parser, &parser->files, 0, sizeof(struct ptx_file), &files, &module->file_count) ||
        !parse_keep(parser, &parser->variables, 0, sizeof(struct ptx_variable), &variables,
                    &module->variable_count) ||
        !parse_keep(parser, &parser->functions, 0, sizeof(struct ptx_function), &functions,
                    &module->function_count))
        return false;
    module->files = files;
    module->variables = variables;
    module->functions = functions;
    return true;
}
