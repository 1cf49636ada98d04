/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function's body: PTX ISA 9.0, 4.3 (statements), 11.2 (control flow directives). Scopes are opened and
 * closed in one loop, without recursion.
 */
#include "simt/ptx/ptx_parse.h"

#include <string.h>

static bool add_member(struct parser *parser, const char *text, const struct ptx_variable *like)
{
    struct ptx_variable *variable = parse_push(parser, &parser->locals, sizeof *variable);
    if (!variable)
        return false;
    *variable = *like;
    variable->name = text;
    return true;
}

/* Finds the variable that `name` means here; *text is NULL if there is none. */
static bool use_variable(struct parser *parser, struct name *name, const char **text)
{
    const struct ptx_variable *like;
    *text = NULL;
    enum name_result result = names_use(&parser->names, name, text, &like);
    if (result == NAME_NO_MEMORY)
        return parse_no_memory(parser);
    return result != NAME_OK || !like || add_member(parser, *text, like);
}

/* %v.x: the part before the dot is the name of the register. */
static bool use_element(struct parser *parser, uint32_t line, const char *dot, const char **place)
{
    const char *text;
    struct name *base = names_intern(&parser->names, *place, (size_t)(dot - *place));
    if (!base)
        return parse_no_memory(parser);
    if (!use_variable(parser, base, &text))
        return false;
    if (!text)
        return parse_fail(parser, line, "%.80s is not declared", *place);
    if (strcmp(text, base->text) == 0)
        return true;
    size_t text_bytes = strlen(text);
    char *joined = arena_alloc(parser->arena, text_bytes + strlen(dot) + 1, 1);
    if (!joined)
        return parse_no_memory(parser);
    memcpy(joined, text, text_bytes);
    memcpy(joined + text_bytes, dot, strlen(dot));
    *place = joined;
    return true;
}

/* Replaces the name as written by the text of its variable. Labels are resolved when their scope ends. */
static bool use_name(struct parser *parser, uint32_t line, const char **place)
{
    const char *text = NULL;
    const char *dot = strchr(*place, '.');
    if (**place == '%' && names_is_special(*place))
        return true;
    if (dot)
        return use_element(parser, line, dot, place);
    struct name *name = names_intern(&parser->names, *place, strlen(*place));
    if (!name)
        return parse_no_memory(parser);
    if (!use_variable(parser, name, &text))
        return false;
    if (text)
        *place = text;
    else if (names_use_later(&parser->names, name, line, place) != NAME_OK)
        return parse_no_memory(parser);
    return true;
}

static bool use_names(struct parser *parser, uint32_t line, struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].name && !use_name(parser, line, &operands[i].name))
            return false;
        if (!use_names(parser, line, operands[i].parts, operands[i].part_count))
            return false;
    }
    return true;
}

static bool parse_guard(struct parser *parser, struct ptx_instruction *instruction)
{
    struct name *name;
    if (!parse_next(parser) || !parse_skip(parser, "!", &instruction->guard_negated) ||
        !parse_word(parser, "a predicate after '@'", &name))
        return false;
    instruction->guard = name->text;
    return use_name(parser, instruction->ptx_line, &instruction->guard);
}

static bool parse_modifiers(struct parser *parser, struct ptx_instruction *instruction)
{
    const char *modifiers[PTX_MODIFIERS];
    uint32_t count = 0;
    while (parser->token.kind == PTX_TOKEN_DOTTED) {
        if (count == PTX_MODIFIERS)
            return parse_fail(parser, parser->token.line, "%.40s has more than %d modifiers",
                              instruction->opcode, PTX_MODIFIERS);
        const struct name *name =
            names_intern(&parser->names, parser->token.text + 1, parser->token.size_bytes - 1);
        if (!name)
            return parse_no_memory(parser);
        modifiers[count++] = name->text;
        if (!parse_next(parser))
            return false;
    }
    if (count == 0)
        return true;
    const char **kept = arena_alloc(parser->arena, count, sizeof *kept);
    if (!kept)
        return parse_no_memory(parser);
    memcpy(kept, modifiers, count * sizeof *kept);
    instruction->modifiers = kept;
    instruction->modifier_count = count;
    return true;
}

static bool parse_operands(struct parser *parser, struct ptx_instruction *instruction)
{
    struct parse_list list = {0};
    bool lists = strcmp(instruction->opcode, "call") == 0;
    bool more = !parse_is(parser, ";");
    bool good = true;
    while (good && more) {
        struct ptx_operand operand;
        struct ptx_operand *kept;
        good = parse_operand(parser, lists, &operand) && (kept = parse_push(parser, &list, sizeof operand));
        if (good) {
            *kept = operand;
            good = parse_skip(parser, ",", &more);
        }
    }
    const void *items = NULL;
    good = good && parse_take(parser, ";", "after the instruction") &&
           parse_keep(parser, &list, 0, sizeof(struct ptx_operand), &items, &instruction->operand_count);
    instruction->operands = (struct ptx_operand *)(uintptr_t)items;
    parse_list_free(&list);
    return good &&
           use_names(parser, instruction->ptx_line, instruction->operands, instruction->operand_count);
}

static bool is_opcode(const char *text)
{
    for (; *text; text++)
        if (!(*text >= 'a' && *text <= 'z') && !(*text >= '0' && *text <= '9'))
            return false;
    return true;
}

static bool parse_instruction(struct parser *parser, struct ptx_instruction *instruction,
                              const struct name *opcode)
{
    if (!is_opcode(opcode->text))
        return parse_fail(parser, instruction->ptx_line, "expected an instruction, found '%.40s'",
                          opcode->text);
    instruction->opcode = opcode->text;
    instruction->location = parser->location;
    if (!parse_modifiers(parser, instruction) || !parse_operands(parser, instruction))
        return false;
    struct ptx_instruction *kept = parse_push(parser, &parser->instructions, sizeof *kept);
    if (kept)
        *kept = *instruction;
    return kept != NULL;
}

/* The names of .branchtargets or .calltargets, up to ';'. The word itself has been read. */
static bool parse_targets(struct parser *parser, struct ptx_label *label)
{
    struct parse_list list = {0};
    uint32_t line = parser->token.line;
    bool more = true;
    bool good = true;
    while (good && more) {
        struct name *name;
        const char **kept;
        good = parse_word(parser, "a target", &name) && (kept = parse_push(parser, &list, sizeof *kept));
        if (good) {
            *kept = name->text;
            good = parse_skip(parser, ",", &more);
        }
    }
    const void *items = NULL;
    good = good && parse_take(parser, ";", "after the targets") &&
           parse_keep(parser, &list, 0, sizeof(const char *), &items, &label->target_count);
    parse_list_free(&list);
    const char **targets = (const char **)(uintptr_t)items;
    label->targets = targets;
    for (uint32_t i = 0; good && i < label->target_count; i++)
        good = use_name(parser, line, &targets[i]);
    return good;
}

/* (result) _ (parameters) .noreturn of .callprototype. The word itself has been read. */
static bool parse_prototype(struct parser *parser, struct ptx_label *label)
{
    struct ptx_function *prototype = arena_alloc(parser->arena, 1, sizeof *prototype);
    struct name *name;
    if (!prototype)
        return parse_no_memory(parser);
    label->prototype = prototype;
    if (names_open(&parser->names) != NAME_OK)
        return parse_fail(parser, parser->token.line, "more than %d nested scopes", NAMES_DEPTH);
    if (parse_is(parser, "(") && !parse_parameters(parser, &prototype->results, &prototype->result_count))
        return false;
    if (!parse_word(parser, "'_'", &name) ||
        (parse_is(parser, "(") &&
         !parse_parameters(parser, &prototype->parameters, &prototype->parameter_count)))
        return false;
    names_close(&parser->names);
    struct ptx_function ignored = {0};
    return parse_function_directives(parser, &ignored) && parse_take(parser, ";", "after the prototype");
}

static bool parse_label(struct parser *parser, struct name *name, uint32_t line)
{
    struct ptx_label label = {.instruction = parser->instructions.count};
    enum name_result result = names_declare_label(&parser->names, name, &label.name);
    if (result == NAME_TAKEN)
        return parse_fail(parser, line, "%.80s is declared twice", name->text);
    if (result != NAME_OK)
        return parse_no_memory(parser);
    bool good = true;
    if (parse_is(parser, ".branchtargets") || parse_is(parser, ".calltargets"))
        good = parse_next(parser) && parse_targets(parser, &label);
    else if (parse_is(parser, ".callprototype"))
        good = parse_next(parser) && parse_prototype(parser, &label);
    struct ptx_label *kept = good ? parse_push(parser, &parser->labels, sizeof *kept) : NULL;
    if (kept)
        *kept = label;
    return kept != NULL;
}

static bool parse_directive(struct parser *parser)
{
    bool external;
    if (parse_is(parser, ".loc"))
        return parse_next(parser) && parse_location(parser);
    if (parse_is(parser, ".pragma"))
        return parse_pragma(parser);
    if (!parse_skip(parser, ".extern", &external))
        return false;
    if (!parse_is_space(parser))
        return parse_expected(parser, "a directive that a function's body may have");
    return parse_variables(parser, external, false, false);
}

static bool parse_statement(struct parser *parser)
{
    struct ptx_instruction instruction = {.ptx_line = parser->token.line};
    struct name *word;
    bool colon = false;
    if (parser->token.kind == PTX_TOKEN_DOTTED)
        return parse_directive(parser);
    if (parse_is(parser, ";"))
        return parse_next(parser);
    bool guarded = parse_is(parser, "@");
    if (guarded && !parse_guard(parser, &instruction))
        return false;
    if (!parse_word(parser, "an instruction", &word) || (!guarded && !parse_skip(parser, ":", &colon)))
        return false;
    return colon ? parse_label(parser, word, instruction.ptx_line)
                 : parse_instruction(parser, &instruction, word);
}

static bool keep_body(struct parser *parser)
{
    struct ptx_function *function = parser->function;
    const void *variables;
    const void *instructions;
    const void *labels;
    if (!parse_keep(parser, &parser->locals, 0, sizeof(struct ptx_variable), &variables,
                    &function->variable_count) ||
        !parse_keep(parser, &parser->instructions, 0, sizeof(struct ptx_instruction), &instructions,
                    &function->instruction_count) ||
        !parse_keep(parser, &parser->labels, 0, sizeof(struct ptx_label), &labels, &function->label_count))
        return false;
    function->variables = variables;
    function->instructions = instructions;
    function->labels = labels;
    return true;
}

/* Names that are no label must be names of the module. */
static bool check_pending(struct parser *parser)
{
    for (uint32_t i = 0; i < parser->names.pending_count; i++) {
        const struct name_pending *pending = &parser->names.pendings[i];
        if (pending->name->module_kind == NAME_NOTHING)
            return parse_fail(parser, pending->line, "%.80s is not declared", pending->name->text);
    }
    return true;
}

bool parse_body(struct parser *parser)
{
    uint32_t outer = parser->names.scope_count;
    parser->location = (struct ptx_location){0};
    parser->inlined.count = 0;
    idmap_fini(&parser->inlined_ids);
    idmap_init(&parser->inlined_ids, PARSE_INLINED, 0);
    do {
        if (parse_is(parser, "{")) {
            if (names_open(&parser->names) != NAME_OK)
                return parse_fail(parser, parser->token.line, "more than %d nested scopes", NAMES_DEPTH);
            if (!parse_next(parser))
                return false;
        } else if (parse_is(parser, "}")) {
            names_close(&parser->names);
            if (!parse_next(parser))
                return false;
        } else if (!parse_statement(parser)) {
            return false;
        }
    } while (parser->names.scope_count > outer);
    return check_pending(parser) && keep_body(parser);
}
