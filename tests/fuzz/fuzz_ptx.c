/*
 * PTX of any bytes: what is understood of it is read through to the last operand and checked for what
 * simt/ptx.h promises; its control flow is made; what is refused says where.
 */
#include "simt/cfg.h"
#include "simt/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void read_variables(const struct ptx_variable *variables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_variable *variable = &variables[i];
        uint64_t element = (uint64_t)ptx_type_bytes(variable->type) * variable->vector;
        check(variable->name && variable->type > PTX_NO_TYPE && variable->type < PTX_TYPE_COUNT);
        check(variable->align > 0 && (variable->align & (variable->align - 1)) == 0);
        check(variable->size_bytes == variable->element_count * element);
        check(variable->initial_bytes <= variable->size_bytes);
        for (uint64_t j = 0; j < variable->initial_bytes; j++)
            sink = variable->initial[j];
        for (uint32_t j = 0; j < variable->relocation_count; j++) {
            check(variable->relocations[j].offset + 8 <= variable->initial_bytes);
            sink = strlen(variable->relocations[j].symbol);
        }
    }
}

static void read_operands(const struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check(operands[i].kind <= PTX_OPERAND_SINK);
        check(operands[i].kind != PTX_OPERAND_NAME || operands[i].name);
        check(operands[i].kind != PTX_OPERAND_PAIR || operands[i].part_count == 2);
        if (operands[i].name)
            sink = strlen(operands[i].name);
        read_operands(operands[i].parts, operands[i].part_count);
    }
}

static void read_flow(const struct ptx_function *function)
{
    struct cfg *cfg;
    struct error error = {0};
    if (cfg_create(&cfg, function, &error) != STATUS_OK) {
        check(error.text[0]);
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        const struct cfg_block *block = &cfg->blocks[i];
        check(block->first == at && block->count > 0);
        check(block->post_dominator == PTX_NONE || block->post_dominator < cfg->block_count);
        check(block->ends || block->successor_count > 0);
        for (uint32_t j = 0; j < block->successor_count; j++)
            check(block->successors[j] < cfg->block_count);
        at += block->count;
    }
    check(at == function->instruction_count);
    cfg_destroy(cfg);
}

static void read_function(const struct ptx_function *function)
{
    read_variables(function->parameters, function->parameter_count);
    read_variables(function->results, function->result_count);
    read_variables(function->variables, function->variable_count);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *instruction = &function->instructions[i];
        sink = strlen(instruction->opcode);
        if (instruction->guard)
            sink = strlen(instruction->guard);
        for (uint32_t j = 0; j < instruction->modifier_count; j++)
            sink = strlen(instruction->modifiers[j]);
        read_operands(instruction->operands, instruction->operand_count);
    }
    for (uint32_t i = 0; i < function->label_count; i++) {
        check(function->labels[i].instruction <= function->instruction_count);
        for (uint32_t j = 0; j < function->labels[i].target_count; j++)
            sink = strlen(function->labels[i].targets[j]);
    }
    read_flow(function);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module *module;
    struct error error = {0};
    if (ptx_parse(&module, "fuzz", (const char *)data, size, &error) != STATUS_OK) {
        check(strncmp(error.text, "fuzz, line ", 11) == 0 && !module);
        return 0;
    }
    check(module->version && module->target && module->address_bits == 64);
    for (uint32_t i = 0; i < module->file_count; i++)
        check(ptx_file_name(module, module->files[i].number) != NULL);
    read_variables(module->variables, module->variable_count);
    for (uint32_t i = 0; i < module->function_count; i++) {
        check(ptx_function_find(module, module->functions[i].name) != NULL);
        read_function(&module->functions[i]);
    }
    ptx_destroy(module);
    return 0;
}
