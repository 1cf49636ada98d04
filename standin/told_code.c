/*
 * What the lines of the program's kernels cost: the first counted launch of each kernel and shape is sent as
 * an agent sends the counts of instructions (docs/wire.md), with the counters "model." and the name of a
 * cost. A function's instructions are sent once, its number is that of its row. With the costs go the
 * addresses of the costliest execution of each memory instruction, for the lane map. Under the lock of
 * standin.c.
 */
#include "standin/told_code.h"

#include "core/base/array.h"
#include "core/base/lookup.h"
#include "simt/device/line_cost.h"
#include "simt/engine/capture.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 120 /* of an instruction */
/* Of a process: a program with thousands of shapes would fill the recording with addresses. */
#define ACCESSES_MAX 8192u

struct sent_launch {
    const struct program *program; /* stays until the device is closed */
    uint32_t grid[3], block[3], shared_bytes;
};

static const struct program **functions;
static size_t function_count, function_capacity;
static struct sent_launch *launches;
static size_t launch_count, launch_capacity;
static struct lookup known_launches;
static uint32_t accesses_sent;
static struct capture parts; /* of one access */

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

static uint16_t limit_16(uint64_t number)
{
    return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

static void access_send(struct wire_producer *producer, const struct costliest_access *of,
                        const struct capture_access *part, const struct count_instruction *all,
                        struct event event)
{
    const struct program_instruction *instruction =
        &parts.kernels[part->kernel]->instructions[of->instruction];
    char text[ACCESS_TEXT_BYTES];
    access_print(&part->access, text);
    event.kind = EVENT_ACCESS;
    event.flags =
        (uint8_t)((part->access.store ? ACCESS_IS_STORE : 0) | (part->atomic ? ACCESS_IS_ATOMIC : 0) |
                  (part->atomic && instruction->sub == ATOMIC_CAS ? ACCESS_IS_SWAP : 0) |
                  (part->atomic && of->space == PTX_GLOBAL ? ACCESS_IS_PASSES : 0) |
                  (part->whole ? ACCESS_IS_ALONE : 0) |
                  (part->access.l1 == ACCESS_L1_ON    ? ACCESS_IS_L1_ON
                   : part->access.l1 == ACCESS_L1_OFF ? ACCESS_IS_L1_OFF
                                                      : 0));
    event.access.pc_offset = of->instruction;
    event.access.addresses = wire_string(producer, text);
    event.access.block = of->block;
    event.access.warp = limit_16(of->warp);
    event.access.part = limit_16(part->part);
    event.access.transfers = limit_16(part->transfers);
    event.access.ideal_transfers = limit_16(part->ideal_transfers);
    event.access.space = of->space == PTX_SHARED  ? ACCESS_SHARED
                         : of->space == PTX_LOCAL ? ACCESS_LOCAL
                                                  : ACCESS_GLOBAL;
    event.access.width_bytes = (uint8_t)part->access.width_bytes;
    event.access.requests = all->requests < UINT32_MAX ? (uint32_t)all->requests : UINT32_MAX;
    event.access.all_transfers = count_steps(all);
    event.access.all_ideal_transfers = all->ideal_transfers;
    if (event.access.addresses && access_width_valid(part->access.width_bytes))
        wire_emit(producer, &event);
}

/* ptxas makes several instructions of some: each has a picture of its own. */
static void accesses_send(struct wire_producer *producer, const struct simt_launch *launch, uint32_t function)
{
    const struct costliest *costliest = &launch->result->costliest;
    const struct count_instruction none = {0};
    const struct event event = {.access = {.function = function, .shape = launch->shape}};
    parts.kernels[0] = launch->program;
    parts.kernel_count = 1;
    for (uint32_t i = 0; i < costliest->count; i++) {
        const struct costliest_access *of = &costliest->accesses[i];
        const struct count_instruction *all =
            count_so_far(&launch->result->counter, of->instruction, of->space);
        parts.count = 0;
        capture_add(&parts, of->instruction, of->space, &of->access, &none, &of->cost);
        for (uint32_t part = 0; part < parts.count && accesses_sent < ACCESSES_MAX; part++, accesses_sent++)
            access_send(producer, of, &parts.accesses[part], all, event);
    }
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
    if (function)
        accesses_send(producer, launch, function);
}
