/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed array of NESTED_MAX items, and a parameter buffer for each in device memory. A thread of a grid
 * reserves an item with an atomic counter, fills it and launches it at most once; it does not access other
 * items. When the grid has ended, the launched items are sorted by block and order.
 */
#include "simt/engine/nested.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 256

struct item {
    const struct ptx_function *kernel; /* NULL: a copy or a set */
    struct nested_move move;
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t from_block;
    uint32_t order;
    atomic_bool launched;
};

struct nested {
    struct memory *memory;
    const struct ptx_module *module;
    uint64_t buffers, buffer_bytes; /* device address of the first buffer; bytes of each */
    atomic_uint given, launched;
    struct item items[NESTED_MAX];
};

/* Enough for the parameters of any kernel of the module. */
static uint64_t parameter_bytes(const struct ptx_module *module)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct ptx_function *function = &module->functions[i];
        uint64_t bytes = 0;
        for (uint32_t p = 0; function->entry && p < function->parameter_count; p++)
            bytes += function->parameters[p].size_bytes + function->parameters[p].align;
        most = bytes > most ? bytes : most;
    }
    return (most + ALIGN) / ALIGN * ALIGN;
}

enum status nested_create(struct nested **nested, struct memory *memory, const struct ptx_module *module,
                          struct error *error)
{
    struct nested *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for kernels that a kernel launches");
    made->memory = memory;
    made->module = module;
    made->buffer_bytes = parameter_bytes(module);
    enum status status = memory_alloc(memory, NESTED_MAX * made->buffer_bytes, &made->buffers, error);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *nested = made;
    return STATUS_OK;
}

void nested_destroy(struct nested *nested)
{
    if (nested) {
        memory_free(nested->memory, nested->buffers, NULL);
        free(nested);
    }
}

static const struct ptx_function *kernel_at(const struct nested *nested, uint64_t address)
{
    uint64_t index = (address - MEMORY_FUNCTION_ADDRESS(0)) / 16;
    bool is_kernel = address >= MEMORY_FUNCTION_ADDRESS(0) && index < nested->module->function_count &&
                     address == MEMORY_FUNCTION_ADDRESS(index) && nested->module->functions[index].entry &&
                     !nested->module->functions[index].declared;
    return is_kernel ? &nested->module->functions[index] : NULL;
}

uint64_t nested_buffer(struct nested *nested, uint64_t kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint32_t shared_bytes)
{
    const struct ptx_function *function = kernel_at(nested, kernel);
    if (!function || atomic_load(&nested->given) >= NESTED_MAX)
        return 0;
    uint32_t i = atomic_fetch_add(&nested->given, 1);
    if (i >= NESTED_MAX)
        return 0;
    struct item *item = &nested->items[i];
    item->kernel = function;
    memcpy(item->grid, grid, sizeof item->grid);
    memcpy(item->block, block, sizeof item->block);
    item->shared_bytes = shared_bytes;
    return nested->buffers + i * nested->buffer_bytes;
}

uint32_t nested_launch(struct nested *nested, uint64_t buffer, uint64_t from_block)
{
    uint64_t i = (buffer - nested->buffers) / nested->buffer_bytes;
    if (buffer < nested->buffers || i >= NESTED_MAX || buffer != nested->buffers + i * nested->buffer_bytes ||
        !nested->items[i].kernel || atomic_exchange(&nested->items[i].launched, true))
        return 1;
    nested->items[i].from_block = from_block;
    nested->items[i].order = atomic_fetch_add(&nested->launched, 1);
    return 0;
}

uint32_t nested_move(struct nested *nested, const struct nested_move *move, uint64_t from_block)
{
    uint32_t i = atomic_load(&nested->given) < NESTED_MAX ? atomic_fetch_add(&nested->given, 1) : NESTED_MAX;
    if (i >= NESTED_MAX)
        return 2;
    struct item *item = &nested->items[i];
    item->move = *move;
    item->from_block = from_block;
    item->order = atomic_fetch_add(&nested->launched, 1);
    atomic_store(&item->launched, true);
    return 0;
}

static int compare_launches(const void *left, const void *right)
{
    const struct item *a = *(const struct item *const *)left, *b = *(const struct item *const *)right;
    return a->from_block != b->from_block ? (a->from_block > b->from_block) - (a->from_block < b->from_block)
                                          : (a->order > b->order) - (a->order < b->order);
}

enum status nested_take(struct nested *nested, struct grid_child **children, uint32_t *count,
                        struct error *error)
{
    const struct item *launched[NESTED_MAX];
    uint32_t launches = 0;
    uint8_t *bytes;
    for (uint32_t i = 0; i < NESTED_MAX; i++)
        if (atomic_load(&nested->items[i].launched))
            launched[launches++] = &nested->items[i];
    *count = 0;
    if (launches == 0)
        return STATUS_OK;
    qsort(launched, launches, sizeof launched[0], compare_launches);
    *children = calloc(launches, sizeof **children);
    enum status status = *children ? memory_access(nested->memory, nested->buffers,
                                                   NESTED_MAX * nested->buffer_bytes, false, &bytes, error)
                                   : error_no_memory(error, "for kernels that a kernel launches");
    for (uint32_t i = 0; i < launches && status == STATUS_OK; i++) {
        struct grid_child *child = &(*children)[i];
        if (!launched[i]->kernel) {
            *child = (struct grid_child){.move = launched[i]->move};
            ++*count;
            continue;
        }
        *child = (struct grid_child){.kernel = launched[i]->kernel->name,
                                     .dynamic_shared_bytes = launched[i]->shared_bytes,
                                     .parameters = malloc(nested->buffer_bytes)};
        memcpy(child->grid, launched[i]->grid, sizeof child->grid);
        memcpy(child->block, launched[i]->block, sizeof child->block);
        if (!child->parameters)
            return error_no_memory(error, "for kernels that a kernel launches");
        memcpy(child->parameters, bytes + (size_t)(launched[i] - nested->items) * nested->buffer_bytes,
               nested->buffer_bytes);
        ++*count;
    }
    return status;
}
