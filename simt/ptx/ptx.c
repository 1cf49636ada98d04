/* SPDX-License-Identifier: Apache-2.0 */
/* The module: its look-up functions, and the base of its parser with the current token, error messages and growing lists;
 * source lines; the module level. ptx_parse_*.c parse bodies, operands and variables. */
#include "simt/ptx/ptx.h"

#include "core/base/array.h"
#include "simt/ptx/ptx_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens, messages, lists ---- */

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

/* ---- source lines ---- */

/*
 * Source lines of instructions: .file and .loc, PTX ISA 9.0, 11.5. A .loc may give the line that its code was
 * inlined at. That line may itself have been inlined, as an earlier .loc for it says: only the innermost and the
 * outermost line are kept.
 */

/* The location as one number; 0: the numbers are too large for the look-up. */
static uint64_t place_id(const uint32_t place[3])
{
    if (place[0] > 0xffff || place[1] > 0xffffff || place[2] > 0xffffff)
        return 0;
    return (uint64_t)place[0] << 48 | (uint64_t)place[1] << 24 | place[2];
}

static bool parse_place(struct parser *parser, uint32_t place[3])
{
    return parse_uint32(parser, "a file's number", &place[0]) && parse_uint32(parser, "a line", &place[1]) &&
           parse_uint32(parser, "a column", &place[2]);
}

/* Follows the inlining from `at` to the outermost line. */
static void set_callers(struct parser *parser, const uint32_t at[3])
{
    struct ptx_location *location = &parser->location;
    location->caller_file = at[0];
    location->caller_line = at[1];
    uint32_t number = idmap_find(&parser->inlined_ids, place_id(at));
    if (number == IDMAP_NONE) {
        location->inlined_file = at[0];
        location->inlined_line = at[1];
    } else {
        const struct parse_inlined *outer = (struct parse_inlined *)(void *)parser->inlined.items + number;
        location->inlined_file = outer->file;
        location->inlined_line = outer->line;
    }
}

static bool remember_inlined(struct parser *parser, const uint32_t place[3])
{
    uint64_t id = place_id(place);
    if (id == 0)
        return true;
    uint32_t number = idmap_find(&parser->inlined_ids, id);
    struct parse_inlined *inlined = number == IDMAP_NONE
                                        ? parse_push(parser, &parser->inlined, sizeof *inlined)
                                        : (struct parse_inlined *)(void *)parser->inlined.items + number;
    if (!inlined)
        return false;
    *inlined = (struct parse_inlined){parser->location.inlined_file, parser->location.inlined_line};
    if (number == IDMAP_NONE) /* a location beyond the limit is not looked up, which is no error */
        idmap_put(&parser->inlined_ids, id, parser->inlined.count - 1);
    return true;
}

/* What follows a comma: function_name LABEL + 4, inlined_at FILE LINE COLUMN, in any order. */
static bool parse_attribute(struct parser *parser, uint32_t at[3], bool *inlined)
{
    struct name *name;
    int64_t offset;
    bool plus;
    if (parse_is(parser, "inlined_at")) {
        *inlined = true;
        return parse_next(parser) && parse_place(parser, at);
    }
    if (!parse_is(parser, "function_name"))
        return parse_expected(parser, "'function_name' or 'inlined_at'");
    return parse_next(parser) && parse_word(parser, "a label", &name) && parse_skip(parser, "+", &plus) &&
           (!plus || parse_integer(parser, &offset));
}

bool parse_location(struct parser *parser)
{
    uint32_t place[3] = {0};
    uint32_t at[3];
    bool more;
    bool inlined = false;
    if (!parse_place(parser, place) || !parse_skip(parser, ",", &more))
        return false;
    while (more)
        if (!parse_attribute(parser, at, &inlined) || !parse_skip(parser, ",", &more))
            return false;
    parser->location = (struct ptx_location){.file = place[0], .line = place[1], .column = place[2]};
    if (inlined)
        set_callers(parser, at);
    return !inlined || remember_inlined(parser, place);
}

static bool parse_file(struct parser *parser)
{
    uint32_t number = 0;
    uint32_t ignored;
    bool more;
    if (!parse_uint32(parser, "a file's number", &number))
        return false;
    if (parser->token.kind != PTX_TOKEN_STRING)
        return parse_expected(parser, "a file's name");
    char *name = arena_text(parser->arena, parser->token.text + 1, parser->token.size_bytes - 2);
    struct ptx_file *file = name ? parse_push(parser, &parser->files, sizeof *file) : NULL;
    if (!name)
        return parse_no_memory(parser);
    if (!file)
        return false;
    *file = (struct ptx_file){.number = number, .name = name};
    if (!parse_next(parser) || !parse_skip(parser, ",", &more))
        return false;
    /* the file's modification time and size */
    return !more || (parse_uint32(parser, "a time", &ignored) && parse_take(parser, ",", "after the time") &&
                     parse_uint32(parser, "a size", &ignored));
}

/* ---- the module level ---- */

/* The module level of a PTX text: PTX ISA 9.0, chapter 11. */

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

/* .target sm_90, texmode_independent, debug: the first one and the last are kept. */
static bool parse_target(struct parser *parser)
{
    struct name *name = NULL;
    bool more;
    if (!parse_word(parser, "a target such as sm_90", &name))
        return false;
    parser->module->target = name->text;
    if (!parse_skip(parser, ",", &more))
        return false;
    while (more) {
        if (!parse_word(parser, "a target's option", &name) || !parse_skip(parser, ",", &more))
            return false;
        parser->module->debug = parser->module->debug || strcmp(name->text, "debug") == 0;
    }
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

/* The module level. */
static bool parse_module(struct parser *parser)
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

/* ---- modules ---- */

static const struct {
    const char *text;
    uint32_t bytes;
} types[PTX_TYPE_COUNT] = {[PTX_NO_TYPE] = {"", 0},
#define TYPE_ROW(id, text, bytes) [PTX_##id] = {text, bytes},
                           PTX_TYPE_LIST(TYPE_ROW)
#undef TYPE_ROW
};

uint32_t ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

const char *ptx_type_text(enum ptx_type type)
{
    return types[type].text;
}

enum ptx_type ptx_type_find(const char *text)
{
    for (int type = PTX_NO_TYPE + 1; type < PTX_TYPE_COUNT; type++)
        if (strcmp(types[type].text, text) == 0)
            return (enum ptx_type)type;
    return PTX_NO_TYPE;
}

#define RUNTIME_ROW(id, name, result, p0, p1, p2, p3, p4) \
    [PTX_RUNTIME_##id] = {name, result, {p0, p1, p2, p3, p4}},
const struct ptx_runtime_function ptx_runtime_functions[] = {PTX_RUNTIME_LIST(RUNTIME_ROW)};
#undef RUNTIME_ROW

struct owned_module { /* the module and the arena that holds everything in it */
    struct ptx_module module;
    struct arena arena;
};

enum status ptx_parse(struct ptx_module **module, const char *name, const char *text, size_t size_bytes,
                      struct error *error)
{
    struct owned_module *owned = calloc(1, sizeof *owned);
    *module = NULL;
    if (!owned)
        return error_no_memory(error, "to read %s", name);
    struct parser parser = {.arena = &owned->arena, .name = name, .error = error, .module = &owned->module};
    ptx_lexer_init(&parser.lexer, text, size_bytes);
    names_init(&parser.names, &owned->arena);
    bool good = parse_module(&parser);
    names_fini(&parser.names);
    idmap_fini(&parser.inlined_ids);
    struct parse_list *lists[] = {&parser.files,        &parser.variables, &parser.functions, &parser.locals,
                                  &parser.instructions, &parser.labels,    &parser.inlined};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        parse_list_free(lists[i]);
    if (good)
        *module = &owned->module;
    else
        ptx_destroy(&owned->module);
    return good ? STATUS_OK : parser.status;
}

void ptx_destroy(struct ptx_module *module)
{
    if (!module)
        return;
    struct owned_module *owned = (struct owned_module *)module; /* `module` is its first member */
    arena_fini(&owned->arena);
    free(owned);
}

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

const char *ptx_file_name(const struct ptx_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == number)
            return module->files[i].name;
    return NULL;
}
