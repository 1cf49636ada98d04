/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX of any bytes: what is understood of it is read through to the last operand and checked for what
 * simt/ptx/ptx.h promises; its control flow is made and its registers are estimated; what is refused says
 * where. Kernels that can be made ready are run, as they are and as ptxas would merge them, for RUN_MS at
 * most. Its two halves are linked, too.
 */
#include "simt/engine/grid.h"
#include "simt/program/cfg.h"
#include "simt/program/liveness.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_link.h"
#include "simt/timing/gpu.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUN_MS 20
#define RUN_KERNELS 3 /* of a text */
#define MEMORY_BYTES (8u << 20)
#define BUFFER_BYTES 4096u

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

static atomic_bool cancelled;
static timer_t timer;
static struct grid_pool *pool;

static void cancel(int signal_number)
{
    (void)signal_number;
    atomic_store(&cancelled, true);
}

/* libFuzzer has SIGALRM for itself. */
static void set_up(void)
{
    struct sigaction action = {.sa_handler = cancel, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    check(sigaction(SIGUSR2, &action, NULL) == 0 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    check(grid_pool_create(&pool, 1, NULL) == STATUS_OK);
}

static void set_timer(long ms)
{
    struct itimerspec when = {.it_value = {.tv_nsec = ms * 1000000}};
    check(timer_settime(timer, 0, &when, NULL) == 0);
}

/* Every parameter points to a buffer, or is its address's lower half. */
static void run_kernel(struct memory *memory, struct module *module, const struct program *program,
                       uint64_t buffer)
{
    struct error error = {0};
    struct grid_result result;
    uint8_t *parameters = calloc(1, program->parameter_bytes + 8);
    struct grid_machine machine = {.pool = pool,
                                   .memory = memory,
                                   .info = &gpu_at(0)->info,
                                   .rules = arch_find(90),
                                   .check = true,
                                   .cancel = &cancelled};
    struct grid_launch launch = {.module = module,
                                 .program = program,
                                 .grid = {2, 1, 1},
                                 .block = {40, 1, 1},
                                 .parameters = parameters};
    check(parameters != NULL);
    for (uint64_t at = 0; at + 8 <= program->parameter_bytes; at += 8)
        memcpy(parameters + at, &buffer, sizeof buffer);
    atomic_store(&cancelled, false);
    set_timer(RUN_MS);
    enum status status = grid_run(&machine, &launch, &result, &error);
    set_timer(0);
    check(status == STATUS_OK || error.text[0]);
    for (uint32_t i = 0; i < result.checks.report_count && i < CHECK_REPORTS; i++) {
        char text[512];
        check_text(program, &result.checks.reports[i], text, sizeof text);
        sink = strlen(text);
    }
    grid_result_fini(&result);
    free(parameters);
}

static void run_kernels(const uint8_t *data, size_t size, const struct ptx_module *parsed)
{
    struct memory *memory;
    struct module *module;
    struct error error = {0};
    uint64_t buffer;
    uint32_t kernels = 0;
    if (!pool)
        set_up();
    check(memory_create(&memory, MEMORY_BYTES, true, NULL) == STATUS_OK);
    check(memory_alloc(memory, BUFFER_BYTES, &buffer, NULL) == STATUS_OK);
    if (module_load(&module, memory, "fuzz", (const char *)data, size, &error) == STATUS_OK) {
        for (uint32_t i = 0; i < parsed->function_count && kernels < RUN_KERNELS; i++) {
            const struct ptx_function *kernel = &parsed->functions[i];
            const struct program *program;
            for (int merge = 0; merge < 2 && kernel->entry && !kernel->declared; merge++)
                if (module_program(module, kernel->name, merge, &program, &error) == STATUS_OK)
                    run_kernel(memory, module, program, buffer);
                else
                    check(error.text[0]);
            kernels += kernel->entry;
        }
        module_unload(module);
    } else {
        check(error.text[0]);
    }
    memory_destroy(memory);
}

static void read_registers(const struct ptx_module *module, const struct ptx_function *function)
{
    uint32_t registers;
    struct error error = {0};
    if (liveness_registers(&registers, module, function, &error) == STATUS_OK)
        check(registers >= 8 && registers <= 255);
    else
        check(error.text[0]);
}

static void link_halves(const char *text, size_t size)
{
    const struct ptx_text halves[] = {{.text = text, .size_bytes = size / 2, .replaceable = size % 2 == 1},
                                      {.text = text + size / 2, .size_bytes = size - size / 2}};
    struct error error = {0};
    uint32_t groups[2];
    size_t size_bytes;
    char *linked;
    if (ptx_link(halves, 2, &linked, &size_bytes, &error) == STATUS_OK) {
        check(linked[size_bytes] == '\0' && ptx_link_groups(halves, 2, groups, &error) == STATUS_OK);
        free(linked);
    } else {
        check(error.text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_module *module;
    struct error error = {0};
    link_halves((const char *)data, size);
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
        read_registers(module, &module->functions[i]);
    }
    run_kernels(data, size, module);
    ptx_destroy(module);
    return 0;
}
