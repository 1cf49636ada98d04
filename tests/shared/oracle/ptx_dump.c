/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/oracle/ptx_dump.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ptx_module *ptx_parse_good(const char *text)
{
    struct ptx_module *module;
    struct error error = {0};
    cr_assert_eq(ptx_parse(&module, "t.ptx", text, strlen(text), &error), STATUS_OK, "%s\n%s", error.text,
                 text);
    return module;
}

static void dump_parts(FILE *out, const struct ptx_operand *operand, const char *open, const char *close)
{
    fputs(open, out);
    for (uint32_t i = 0; i < operand->part_count; i++) {
        fputs(i ? " " : "", out);
        ptx_dump_operand(out, &operand->parts[i]);
    }
    fputs(close, out);
}

void ptx_dump_operand(FILE *out, const struct ptx_operand *operand)
{
    fprintf(out, "%s%s", operand->negated ? "!" : "", operand->minus ? "-" : "");
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        fputs(operand->name, out);
        if (operand->offset)
            fprintf(out, "%+" PRId64, operand->offset);
        break;
    case PTX_OPERAND_INTEGER: fprintf(out, "%" PRId64, (int64_t)operand->bits); break;
    case PTX_OPERAND_FLOAT: fprintf(out, "%c%" PRIx64, operand->is_single ? 'f' : 'd', operand->bits); break;
    case PTX_OPERAND_ADDRESS:
        fprintf(out, "[%s%+" PRId64, operand->name ? operand->name : "", operand->offset);
        dump_parts(out, operand, operand->part_count ? " " : "", "]");
        break;
    case PTX_OPERAND_VECTOR: dump_parts(out, operand, "{", "}"); break;
    case PTX_OPERAND_LIST: dump_parts(out, operand, "(", ")"); break;
    case PTX_OPERAND_PAIR: dump_parts(out, operand, "<", ">"); break;
    case PTX_OPERAND_SINK: fputs("_", out); break;
    }
}

void ptx_dump_instruction(FILE *out, const struct ptx_instruction *instruction, bool places)
{
    const struct ptx_location *location = &instruction->location;
    if (places)
        fprintf(out, "%u:%u:%u<%u:%u ", location->file, location->line, location->column,
                location->inlined_file, location->inlined_line);
    if (instruction->guard)
        fprintf(out, "@%s%s ", instruction->guard_negated ? "!" : "", instruction->guard);
    fputs(instruction->opcode, out);
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        fprintf(out, ".%s", instruction->modifiers[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        fputs(" ", out);
        ptx_dump_operand(out, &instruction->operands[i]);
    }
}

void ptx_dump_variable(FILE *out, const struct ptx_variable *variable)
{
    static const char *const spaces[] = {"generic", "reg", "const", "global", "local", "param", "shared"};
    fprintf(out, "%s %s v%u align %u %" PRIu64 " bytes %" PRIu64 " elements %s%s%s%s",
            spaces[variable->space], ptx_type_text(variable->type), variable->vector, variable->align,
            variable->size_bytes, variable->element_count, variable->external ? "extern " : "",
            variable->visible ? "visible " : "", variable->weak ? "weak " : "", variable->name);
    if (variable->initial)
        fputs(" =", out);
    for (uint64_t i = 0; i < variable->initial_bytes; i++)
        fprintf(out, "%s%02x", i % 4 ? "" : " ", variable->initial[i]);
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        fprintf(out, " %" PRIu64 ":%s%s%+" PRId64, relocation->offset, relocation->generic ? "generic " : "",
                relocation->symbol, relocation->addend);
    }
}

static int compare_variables(const void *a, const void *b)
{
    return strcmp(((const struct ptx_variable *)a)->name, ((const struct ptx_variable *)b)->name);
}

static void dump_variables(FILE *out, const char *title, const struct ptx_variable *variables, uint32_t count,
                           bool by_name)
{
    struct ptx_variable *sorted = malloc((count + 1) * sizeof *sorted);
    cr_assert_not_null(sorted);
    if (count)
        memcpy(sorted, variables, count * sizeof *sorted);
    if (by_name)
        qsort(sorted, count, sizeof *sorted, compare_variables);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s ", title);
        ptx_dump_variable(out, &sorted[i]);
        fputs("\n", out);
    }
    free(sorted);
}

static void dump_label(FILE *out, const struct ptx_label *label)
{
    fprintf(out, "  label %s %u", label->name, label->instruction);
    for (uint32_t i = 0; i < label->target_count; i++)
        fprintf(out, "%s %s", i ? "" : " ->", label->targets[i]);
    fputs("\n", out);
}

static void dump_function(FILE *out, const struct ptx_function *function)
{
    fprintf(out, "%s%s %s max %u %u %u required %u %u %u blocks %u registers %u\n",
            function->entry ? "entry" : "func", function->declared ? " declared" : "", function->name,
            function->max_threads[0], function->max_threads[1], function->max_threads[2],
            function->required_threads[0], function->required_threads[1], function->required_threads[2],
            function->minimum_blocks, function->max_registers);
    dump_variables(out, "  result", function->results, function->result_count, false);
    dump_variables(out, "  parameter", function->parameters, function->parameter_count, false);
    dump_variables(out, "  variable", function->variables, function->variable_count, true);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        fputs("  ", out);
        ptx_dump_instruction(out, &function->instructions[i], true);
        fputs("\n", out);
    }
    for (uint32_t i = 0; i < function->label_count; i++)
        dump_label(out, &function->labels[i]);
}

void ptx_dump_module(FILE *out, const struct ptx_module *module)
{
    fprintf(out, "ptx %s %s %u\n", module->version, module->target, module->address_bits);
    for (uint32_t i = 0; i < module->file_count; i++)
        fprintf(out, "file %u %s\n", module->files[i].number, module->files[i].name);
    dump_variables(out, "variable", module->variables, module->variable_count, false);
    for (uint32_t i = 0; i < module->function_count; i++)
        dump_function(out, &module->functions[i]);
}
