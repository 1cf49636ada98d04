/* SPDX-License-Identifier: Apache-2.0 */
/* How a made module is written as PTX. */
#include "tests/shared/made/made_ptx.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct printer {
    FILE *out;
    uint64_t state;
};

static uint32_t pick(struct printer *printer, uint32_t below)
{
    printer->state = printer->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(printer->state >> 33) % below;
}

static void print_blank(struct printer *printer)
{
    static const char *const blanks[] = {" ", "\t", "\n", " /* x */ ", " // y\n", "\r\n", "  "};
    fputs(blanks[pick(printer, sizeof blanks / sizeof *blanks)], printer->out);
}

static void print_gap(struct printer *printer) /* where none is needed */
{
    if (pick(printer, 4) == 0)
        print_blank(printer);
}

static void print_integer(struct printer *printer, uint64_t bits)
{
    FILE *out = printer->out;
    switch (pick(printer, 6)) {
    case 0: fprintf(out, "0x%" PRIx64, bits); break;
    case 1: fprintf(out, "0%" PRIo64, bits); break;
    case 2: fprintf(out, "%" PRIu64 "U", bits); break;
    case 3: fprintf(out, "%" PRIu64 " - 3", bits + 3); break;
    case 4: fprintf(out, "~%" PRIu64, ~bits); break;
    default: fprintf(out, "%" PRId64, (int64_t)bits); break;
    }
}

static void print_float(struct printer *printer, uint64_t bits, bool is_single)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (is_single)
        fprintf(printer->out, pick(printer, 2) ? "0f%08" PRIX64 : "0F%08" PRIx64, bits);
    else if (isfinite(value) && pick(printer, 2))
        fprintf(printer->out, "%.17e", value);
    else
        fprintf(printer->out, "0d%016" PRIX64, bits);
}

static void print_operand(struct printer *printer, const struct ptx_operand *operand);

static void print_list(struct printer *printer, const struct ptx_operand *operands, uint32_t count,
                       const char *separator)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            fputs(separator, printer->out);
        print_gap(printer);
        print_operand(printer, &operands[i]);
        print_gap(printer);
    }
}

static void print_address(struct printer *printer, const struct ptx_operand *operand)
{
    fputs("[", printer->out);
    print_gap(printer);
    if (operand->name) {
        fputs(operand->name, printer->out);
        if (operand->offset < 0 && pick(printer, 2))
            fprintf(printer->out, "%" PRId64, operand->offset);
        else if (operand->offset || pick(printer, 2))
            fprintf(printer->out, "+%" PRId64, operand->offset);
    } else {
        fprintf(printer->out, "%" PRId64, operand->offset);
    }
    if (operand->part_count > 0) {
        fputs(",", printer->out);
        print_list(printer, operand->parts, operand->part_count, ",");
    }
    fputs("]", printer->out);
}

static void print_operand(struct printer *printer, const struct ptx_operand *operand)
{
    FILE *out = printer->out;
    bool list = operand->kind == PTX_OPERAND_LIST;
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        fprintf(out, "%s%s%s", operand->negated ? "!" : "", operand->minus ? "- " : "", operand->name);
        if (operand->offset)
            fprintf(out, "+%" PRId64, operand->offset);
        break;
    case PTX_OPERAND_INTEGER: print_integer(printer, operand->bits); break;
    case PTX_OPERAND_FLOAT: print_float(printer, operand->bits, operand->is_single); break;
    case PTX_OPERAND_ADDRESS: print_address(printer, operand); break;
    case PTX_OPERAND_PAIR: print_list(printer, operand->parts, 2, "|"); break;
    case PTX_OPERAND_SINK: fputs("_", out); break;
    default:
        fputs(list ? "(" : "{", out);
        print_list(printer, operand->parts, operand->part_count, ",");
        fputs(list ? ")" : "}", out);
        break;
    }
}

static void print_type(struct printer *printer, const struct ptx_variable *variable)
{
    static const char *const spaces[] = {"", ".reg", ".const", ".global", ".local", ".param", ".shared"};
    fputs(spaces[variable->space], printer->out);
    print_blank(printer);
    if (variable->align != ptx_type_bytes(variable->type) * variable->vector || pick(printer, 2))
        fprintf(printer->out, ".align %u ", variable->align);
    if (variable->vector > 1)
        fprintf(printer->out, ".v%u ", variable->vector);
    fprintf(printer->out, ".%s ", ptx_type_text(variable->type));
}

static void print_value(struct printer *printer, const struct ptx_variable *variable, uint64_t offset)
{
    uint64_t bits = 0;
    uint32_t element = ptx_type_bytes(variable->type);
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        if (relocation->offset == offset) {
            fprintf(printer->out, relocation->generic ? "generic(%s)" : "%s", relocation->symbol);
            if (relocation->addend)
                fprintf(printer->out, "%+" PRId64, relocation->addend);
            return;
        }
    }
    memcpy(&bits, variable->initial + offset, element);
    if (variable->type == PTX_F32 || variable->type == PTX_F64)
        print_float(printer, bits, variable->type == PTX_F32);
    else
        print_integer(printer, bits);
}

static void print_values(struct printer *printer, const struct ptx_variable *variable)
{
    uint32_t element = ptx_type_bytes(variable->type);
    uint64_t count = variable->initial_bytes / element;
    bool vectors = variable->vector > 1 && variable->element_count > 1;
    bool braces = variable->element_count > 1 || variable->vector > 1;
    fputs(braces ? " = {" : " = ", printer->out);
    for (uint64_t i = 0; i < count; i++) {
        bool first = i % variable->vector == 0;
        fprintf(printer->out, "%s%s", i ? ", " : "", vectors && first ? "{" : "");
        print_value(printer, variable, i * element);
        if (vectors && i % variable->vector == variable->vector - 1)
            fputs("}", printer->out);
    }
    fputs(braces ? "}" : "", printer->out);
}

static void print_variable(struct printer *printer, const struct ptx_variable *variable)
{
    print_type(printer, variable);
    fputs(variable->name, printer->out);
    if (variable->element_count > 1)
        fprintf(printer->out, "[%" PRIu64 "]", variable->element_count);
}

static void print_parameters(struct printer *printer, const struct ptx_variable *variables, uint32_t count)
{
    fputs("(", printer->out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? "," : "", printer->out);
        print_gap(printer);
        print_variable(printer, &variables[i]);
    }
    fputs(")", printer->out);
}

static void print_registers(struct printer *printer, const struct ptx_function *function)
{
    bool alike = strncmp(function->variables[0].name, "%r", 2) == 0;
    for (uint32_t i = 1; i < function->variable_count; i++)
        alike &= function->variables[i].type == function->variables[0].type &&
                 function->variables[i].vector == function->variables[0].vector;
    if (alike) {
        print_type(printer, &function->variables[0]);
        fprintf(printer->out, "%%r<%u>;\n", function->variable_count);
        return;
    }
    for (uint32_t i = 0; i < function->variable_count; i++) {
        print_variable(printer, &function->variables[i]);
        fputs(";\n", printer->out);
    }
}

static void print_location(struct printer *printer, const struct ptx_location *location)
{
    fprintf(printer->out, ".loc %u %u %u", location->file, location->line, location->column);
    if (location->inlined_line) {
        const char *separator = ",";
        if (pick(printer, 2))
            fputs(", function_name L0+4", printer->out);
        fprintf(printer->out, "%s inlined_at %u %u 7", separator, location->inlined_file,
                location->inlined_line);
    }
    print_blank(printer);
}

static void print_instruction(struct printer *printer, const struct ptx_instruction *instruction)
{
    if (instruction->guard)
        fprintf(printer->out, "@%s%s ", instruction->guard_negated ? "!" : "", instruction->guard);
    fputs(instruction->opcode, printer->out);
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        fprintf(printer->out, ".%s", instruction->modifiers[i]);
    print_blank(printer);
    print_list(printer, instruction->operands, instruction->operand_count, ",");
    fputs(";\n", printer->out);
}

static void print_labels(struct printer *printer, const struct ptx_function *function, uint32_t instruction)
{
    for (uint32_t i = 0; i < function->label_count; i++) {
        const struct ptx_label *label = &function->labels[i];
        if (label->instruction != instruction)
            continue;
        fprintf(printer->out, "%s:", label->name);
        print_blank(printer);
        for (uint32_t j = 0; j < label->target_count; j++)
            fprintf(printer->out, "%s%s%s",
                    j                  ? ", "
                    : pick(printer, 2) ? ".branchtargets "
                                       : ".calltargets ",
                    label->targets[j], j + 1 == label->target_count ? ";\n" : "");
    }
}

static void print_body(struct printer *printer, const struct ptx_function *function)
{
    struct ptx_location location = {0};
    fputs("\n{\n", printer->out);
    print_registers(printer, function);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        print_labels(printer, function, i);
        if (memcmp(&location, &instruction->location, sizeof location) != 0) {
            location = instruction->location;
            print_location(printer, &location);
        }
        print_instruction(printer, instruction);
    }
    print_labels(printer, function, function->instruction_count);
    fputs("}\n", printer->out);
}

static void print_function(struct printer *printer, const struct ptx_function *function)
{
    FILE *out = printer->out;
    fprintf(out, "%s ", function->entry ? ".visible .entry" : ".func");
    if (function->result_count > 0)
        print_parameters(printer, function->results, function->result_count);
    fprintf(out, " %s", function->name);
    if (function->parameter_count > 0 || pick(printer, 2))
        print_parameters(printer, function->parameters, function->parameter_count);
    if (function->entry)
        fprintf(out, ".maxntid %u, %u, %u .reqntid %u,%u,%u\n.minnctapersm %u .maxnreg %u",
                function->max_threads[0], function->max_threads[1], function->max_threads[2],
                function->required_threads[0], function->required_threads[1], function->required_threads[2],
                function->minimum_blocks, function->max_registers);
    if (function->declared)
        fputs(";\n", out);
    else
        print_body(printer, function);
}

void made_ptx_print(FILE *out, const struct ptx_module *module, uint64_t seed)
{
    struct printer printer = {.out = out, .state = seed};
    fprintf(out, "// made\n.version %s\n.target %s\n.address_size %u\n", module->version, module->target,
            module->address_bits);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *variable = &module->variables[i];
        fprintf(out, "%s%s", variable->visible ? ".visible " : "", variable->weak ? ".weak " : "");
        print_variable(&printer, variable);
        if (variable->initial)
            print_values(&printer, variable);
        fputs(";\n", out);
    }
    for (uint32_t i = 0; i < module->function_count; i++)
        print_function(&printer, &module->functions[i]);
    for (uint32_t i = 0; i < module->file_count; i++)
        fprintf(out, ".file %u \"%s\"\n", module->files[i].number, module->files[i].name);
}
