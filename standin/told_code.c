/*
 * What the lines of the program's kernels cost: the first counted launch of each kernel and shape is sent as
 * an agent sends the counts of instructions (docs/wire.md), with the counters "model." and the name of a
 * cost. A function's instructions are sent once, its number is that of its row. Under the lock of standin.c.
 */
#include "standin/told_code.h"

#include "core/base/array.h"
#include "core/base/lookup.h"
#include "simt/device/line_cost.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 120 /* of an instruction */

struct sent_launch {
    const struct program *program; /* stays until the device is closed */
    uint32_t grid[3], block[3], shared_bytes;
};

static const struct program **functions;
static size_t function_count, function_capacity;
static struct sent_launch *launches;
static size_t launch_count, launch_capacity;
static struct lookup known_launches;

static bool launch_equals(const void *context, uint32_t row, const void *key)
{
    return memcmp((const struct sent_launch *)context + row, key, sizeof(struct sent_launch)) == 0;
}

/* False: it was sent before, or there is no memory to remember it. */
static bool launch_is_new(const struct simt_launch *launch)
{
    struct sent_launch key;
    memset(&key, 0, sizeof key);
    key.program = launch->program;
    memcpy(key.grid, launch->launch->grid, sizeof key.grid);
    memcpy(key.block, launch->launch->block, sizeof key.block);
    key.shared_bytes = launch->launch->dynamic_shared_bytes;
    uint32_t hash = lookup_hash(0, &key, sizeof key);
    if (lookup_find(&known_launches, hash, launch_equals, launches, &key) != LOOKUP_NONE ||
        !array_grow(launches, launch_capacity, launch_count, 1) || !lookup_reserve(&known_launches))
        return false;
    launches[launch_count] = key;
    lookup_add(&known_launches, hash, (uint32_t)launch_count++);
    return true;
}

static void instructions_send(struct wire_producer *producer, const struct program *program,
                              uint32_t function)
{
    const char *file = line_cost_file(program);
    struct event event = {.kind = EVENT_FUNCTION};
    event.function.id = function;
    event.function.name = wire_string(producer, program->entry->name);
    event.function.module = function;
    event.function.size_bytes = program->instruction_count;
    wire_emit(producer, &event);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        char text[TEXT_BYTES];
        program_instruction_text(program, i, text, sizeof text);
        event = (struct event){.kind = EVENT_INSTRUCTION};
        event.instruction.function = function;
        event.instruction.pc_offset = i;
        event.instruction.text = wire_string(producer, text);
        event.instruction.line = line_cost_line(program, i, file);
        event.instruction.file = event.instruction.line > 0 ? wire_string(producer, file) : 0;
        wire_emit(producer, &event);
    }
}

/* From 1; 0: no memory. */
static uint32_t function_number(struct wire_producer *producer, const struct program *program)
{
    for (size_t i = 0; i < function_count; i++)
        if (functions[i] == program)
            return (uint32_t)i + 1;
    if (!array_grow(functions, function_capacity, function_count, 1))
        return 0;
    functions[function_count++] = program;
    instructions_send(producer, program, (uint32_t)function_count);
    return (uint32_t)function_count;
}

static uint32_t counter_name(struct wire_producer *producer, enum code_cost cost)
{
    char name[60];
    snprintf(name, sizeof name, CODE_COST_OF_MODEL "%s", code_cost_info(cost)->id);
    return wire_string(producer, name);
}

void told_code(struct wire_producer *producer, const struct simt_launch *launch)
{
    const struct counter *counter = &launch->result->counter;
    if (launch->uncounted || !launch->timing || !counter->program || !launch_is_new(launch))
        return;
    uint32_t function = function_number(producer, launch->program);
    for (uint32_t i = 0; function && i < launch->program->instruction_count; i++) {
        double costs[CODE_COST_COUNT] = {0};
        line_cost_add(costs, counter, i);
        for (int cost = 0; cost < CODE_COST_COUNT; cost++) {
            if (costs[cost] <= 0)
                continue;
            struct event event = {.kind = EVENT_INSTRUCTION_COUNT};
            event.instruction_count.function = function;
            event.instruction_count.pc_offset = i;
            event.instruction_count.counter = counter_name(producer, (enum code_cost)cost);
            event.instruction_count.number = (uint64_t)costs[cost];
            event.instruction_count.shape = launch->shape;
            wire_emit(producer, &event);
        }
    }
}
