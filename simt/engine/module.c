/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules of simt/engine/grid.h. Each __device__ variable is an allocation of its own, so that an access past
 * its end is detected. __constant__ variables lie one after the other in the constant bank, which is one
 * allocation.
 */
#include "simt/engine/grid.h"
#include "simt/program/merge/merge.h"
#include "simt/program/share/slot_allocation.h"

#include <stdlib.h>
#include <string.h>

#define CONSTANT_BANK_BYTES 65536u

struct module_kernel {
    const struct ptx_function *function;
    struct program *programs[2]; /* [merged]; made on first use */
};

struct module {
    struct memory *memory;
    struct ptx_module *ptx;
    uint64_t *places; /* per variable: device address, or offset in the bank */
    uint64_t bank, bank_bytes;
    struct module_kernel *kernels;
    uint32_t kernel_count;
    bool keeps_registers;
};

static bool is_placed(const struct ptx_variable *variable)
{
    return (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) && !variable->external;
}

/* Index of the variable with this name; variable_count: there is none. */
static uint32_t module_find(const struct module *module, const char *name)
{
    uint32_t i = 0;
    while (i < module->ptx->variable_count &&
           (!is_placed(&module->ptx->variables[i]) || strcmp(module->ptx->variables[i].name, name) != 0))
        i++;
    return i;
}

static enum status module_place_constants(struct module *module, const char *name, struct error *error)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < module->ptx->variable_count; i++) {
        const struct ptx_variable *variable = &module->ptx->variables[i];
        if (variable->space != PTX_CONST || !is_placed(variable))
            continue;
        uint64_t align = variable->align ? variable->align : 1;
        at = (at + align - 1) / align * align;
        module->places[i] = at;
        if (variable->size_bytes > CONSTANT_BANK_BYTES || at + variable->size_bytes > CONSTANT_BANK_BYTES) {
            return error_set(
                error, STATUS_USAGE,
                "%s: its constants take more than the %u bytes of constant memory of a GPU: make some of "
                "them __device__ variables.",
                name, CONSTANT_BANK_BYTES);
        }
        at += variable->size_bytes;
    }
    module->bank_bytes = at;
    return at ? memory_alloc(module->memory, at, &module->bank, error) : STATUS_OK;
}

static enum status module_place(struct module *module, const char *name, struct error *error)
{
    enum status status = module_place_constants(module, name, error);
    for (uint32_t i = 0; status == STATUS_OK && i < module->ptx->variable_count; i++) {
        const struct ptx_variable *variable = &module->ptx->variables[i];
        if (variable->space == PTX_GLOBAL && is_placed(variable))
            status = (variable->managed ? memory_alloc_open : memory_alloc)(
                module->memory, variable->size_bytes, &module->places[i], error);
    }
    return status;
}

/* The address of a variable for the host. For kernels it is a generic address or an address in its space. */
static uint64_t variable_host_address(const struct module *module, uint32_t i)
{
    bool constant = module->ptx->variables[i].space == PTX_CONST;
    return module->places[i] + (constant ? module->bank : 0);
}

static uint64_t variable_address(const struct module *module, uint32_t i, bool generic)
{
    bool constant = module->ptx->variables[i].space == PTX_CONST;
    return module->places[i] + (constant && generic ? MEMORY_CONST_WINDOW : 0);
}

/* The address of a symbol in an initial value; false: the module does not have it. */
static bool symbol_address(const struct module *module, const struct ptx_relocation *relocation,
                           uint64_t *address)
{
    const struct ptx_module *ptx = module->ptx;
    uint32_t of = module_find(module, relocation->symbol);
    if (of < ptx->variable_count) {
        *address = variable_address(module, of, relocation->generic);
        return true;
    }
    const struct ptx_function *function = ptx_function_find(ptx, relocation->symbol);
    if (function)
        *address = MEMORY_FUNCTION_ADDRESS(function - ptx->functions);
    return function != NULL;
}

/* Stores addresses of other variables and of functions into the initial value of a variable. */
static enum status variable_relocate(const struct module *module, const struct ptx_variable *variable,
                                     uint8_t *bytes, struct error *error)
{
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const struct ptx_relocation *relocation = &variable->relocations[i];
        uint64_t address;
        if (!symbol_address(module, relocation, &address) || relocation->offset > variable->size_bytes ||
            variable->size_bytes - relocation->offset < sizeof(uint64_t)) {
            return error_set(error, STATUS_USAGE,
                             "%s holds the address of %s, which is not a variable or a function of the "
                             "module: the device model has no addresses of other modules.",
                             variable->name, relocation->symbol);
        }
        address += (uint64_t)relocation->addend;
        memcpy(bytes + relocation->offset, &address, sizeof address);
    }
    return STATUS_OK;
}

static enum status module_initialise(struct module *module, struct error *error)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < module->ptx->variable_count; i++) {
        const struct ptx_variable *variable = &module->ptx->variables[i];
        uint8_t *bytes;
        if (!is_placed(variable) || variable->size_bytes == 0)
            continue;
        status = memory_access(module->memory, variable_host_address(module, i), variable->size_bytes, true,
                               &bytes, error);
        if (status == STATUS_OK && variable->initial) {
            memcpy(bytes, variable->initial, variable->initial_bytes); /* the rest is zero */
            status = variable_relocate(module, variable, bytes, error);
        }
    }
    return status;
}

static enum status module_list_kernels(struct module *module, struct error *error)
{
    module->kernels = calloc(module->ptx->function_count + 1u, sizeof *module->kernels);
    if (!module->kernels)
        return error_no_memory(error, "for a module");
    for (uint32_t i = 0; i < module->ptx->function_count; i++)
        if (module->ptx->functions[i].entry && !module->ptx->functions[i].declared)
            module->kernels[module->kernel_count++].function = &module->ptx->functions[i];
    return STATUS_OK;
}

enum status module_load(struct module **module, struct memory *memory, const char *name, const char *ptx,
                        size_t size_bytes, struct error *error)
{
    struct module *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for a module");
    made->memory = memory;
    enum status status = ptx_parse(&made->ptx, name, ptx, size_bytes, error);
    if (status != STATUS_OK)
        goto fail;
    made->places = calloc(made->ptx->variable_count + 1u, sizeof *made->places);
    if (!made->places) {
        status = error_no_memory(error, "for a module");
        goto fail;
    }
    status = module_place(made, name, error);
    if (status == STATUS_OK)
        status = module_initialise(made, error);
    if (status == STATUS_OK)
        status = module_list_kernels(made, error);
    if (status != STATUS_OK)
        goto fail;
    *module = made;
    return STATUS_OK;

fail:
    module_unload(made);
    return status;
}

void module_unload(struct module *module)
{
    if (!module)
        return;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        program_destroy(module->kernels[i].programs[0]);
        program_destroy(module->kernels[i].programs[1]);
    }
    for (uint32_t i = 0; module->places && i < module->ptx->variable_count; i++)
        if (module->ptx->variables[i].space == PTX_GLOBAL && module->places[i])
            memory_free(module->memory, module->places[i], NULL);
    if (module->bank)
        memory_free(module->memory, module->bank, NULL);
    free(module->kernels);
    free(module->places);
    ptx_destroy(module->ptx);
    free(module);
}

bool module_variable(const struct module *module, const char *name, uint64_t *address, uint64_t *size_bytes)
{
    uint32_t i = module_find(module, name);
    if (i == module->ptx->variable_count)
        return false;
    *address = variable_host_address(module, i);
    *size_bytes = module->ptx->variables[i].size_bytes;
    return true;
}

struct memory_range module_constants(const struct module *module)
{
    struct memory_range bank = {0};
    if (module->bank) {
        bank = *memory_find(module->memory, module->bank);
        bank.address = 0;
        bank.initialised = NULL;
    }
    return bank;
}

/* ---- programs ---- */
void module_keep_registers(struct module *module)
{
    module->keeps_registers = true;
}

static bool module_address(void *loader, const struct ptx_variable *variable, uint64_t *address)
{
    const struct module *module = loader;
    uint32_t i = module_find(module, variable->name);
    if (i == module->ptx->variable_count)
        return false;
    *address = variable_address(module, i, false);
    return true;
}

enum status module_program(struct module *module, const char *kernel, bool merge,
                           const struct program **program, struct error *error)
{
    struct program_placement placement = {.address = module_address, .loader = module};
    struct module_kernel *of = module->kernels, *end = of + module->kernel_count;
    while (of < end && strcmp(of->function->name, kernel) != 0)
        of++;
    if (of == end) {
        return error_set(error, STATUS_USAGE, "There is no kernel %s in the module: %s%s.", kernel,
                         module->kernel_count ? "its first is " : "it has none",
                         module->kernel_count ? module->kernels[0].function->name : "");
    }
    struct program **made = &of->programs[merge];
    if (!*made) {
        enum status status = program_create(made, module->ptx, of->function, &placement, error);
        if (status == STATUS_OK && merge)
            status = program_merge(*made, error);
        if (status == STATUS_OK && !module->keeps_registers)
            status = program_allocate_slots(*made, error);
        if (status != STATUS_OK) {
            program_destroy(*made);
            *made = NULL;
            return status;
        }
    }
    *program = *made;
    return STATUS_OK;
}
