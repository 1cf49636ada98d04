/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-made programs and a machine for them. */
#include "tests/shared/made/made_program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void made_begin(struct made_program *made, const char *name)
{
    memset(made, 0, sizeof *made);
    made->entry.name = name;
    made->entry.entry = true;
    made->program.entry = &made->entry;
    made->program.module = &made->module;
    made->program.instructions = made->instructions;
    made->program.origins = made->origins;
    made->program.constants = made->constants;
    made->program.specials = made->specials;
    made->program.targets = made->targets;
}

uint32_t made_slot(struct made_program *made, uint32_t bytes)
{
    uint32_t slot = made->program.frame_bytes;
    made->program.frame_bytes += bytes == 1 ? 64 : 32 * bytes;
    made->program.initial_bytes = made->program.name_bytes = made->program.frame_bytes;
    return slot;
}

uint32_t made_constant(struct made_program *made, uint32_t bytes, uint64_t bits)
{
    uint32_t slot = made_slot(made, bytes);
    made->constants[made->program.constant_count++] =
        (struct program_constant){.slot = slot, .bytes = bytes, .bits = bits};
    return slot;
}

uint32_t made_special(struct made_program *made, enum program_special special)
{
    uint32_t slot = made_slot(made, special == SPECIAL_GRIDID ? 8 : 4);
    made->specials[made->program.special_count++] =
        (struct program_special_slot){.slot = slot, .special = special};
    return slot;
}

uint32_t made_here(const struct made_program *made)
{
    return made->program.instruction_count;
}

struct program_instruction *made_op(struct made_program *made, enum program_op op)
{
    uint32_t at = made->program.instruction_count++;
    struct program_instruction *instruction = &made->instructions[at];
    cr_assert_lt(at, MADE_INSTRUCTIONS_MAX);
    *instruction = (struct program_instruction){
        .op = (uint8_t)op, .guard = PROGRAM_NO_SLOT, .meet = PROGRAM_END, .origin = at, .vector = 1};
    for (int i = 0; i < PROGRAM_VECTOR; i++)
        instruction->destination[i] = PROGRAM_NO_SLOT;
    for (int i = 0; i < PROGRAM_SOURCES; i++)
        instruction->source[i] = PROGRAM_NO_SLOT;
    made->origins[at] = (struct program_origin){.function = &made->entry, .instruction = at};
    made->program.origin_count = at + 1;
    return instruction;
}

struct program_instruction *made_lanes(struct made_program *made, lane_function *lanes, uint32_t destination,
                                       uint32_t a, uint32_t b)
{
    struct program_instruction *instruction = made_op(made, PROGRAM_LANES);
    instruction->lanes = lanes;
    instruction->destination[0] = destination;
    instruction->source[0] = a;
    instruction->source[1] = b;
    return instruction;
}

struct program_instruction *made_load(struct made_program *made, enum ptx_space space, uint32_t destination,
                                      uint32_t address, uint32_t width_bytes)
{
    struct program_instruction *instruction = made_op(made, PROGRAM_LD);
    instruction->space = (uint8_t)space;
    instruction->type = PTX_B32;
    instruction->width_bytes = (uint8_t)width_bytes;
    instruction->destination_bytes = width_bytes == 8 ? 8 : 4;
    instruction->destination[0] = destination;
    instruction->source[0] = address;
    instruction->immediate = PROGRAM_NO_SLOT;
    instruction->address_is_32_bits = space == PTX_SHARED || space == PTX_LOCAL;
    return instruction;
}

struct program_instruction *made_store(struct made_program *made, enum ptx_space space, uint32_t address,
                                       uint32_t value, uint32_t width_bytes)
{
    struct program_instruction *instruction = made_load(made, space, PROGRAM_NO_SLOT, address, width_bytes);
    instruction->op = PROGRAM_ST;
    instruction->source[1] = value;
    return instruction;
}

struct program_instruction *made_atomic(struct made_program *made, enum ptx_space space,
                                        enum program_atomic op, enum ptx_type type, uint32_t destination,
                                        uint32_t address, uint32_t operand)
{
    struct program_instruction *instruction = made_op(made, PROGRAM_ATOM);
    instruction->space = (uint8_t)space;
    instruction->sub = (uint8_t)op;
    instruction->type = (uint8_t)type;
    instruction->sync = SYNC_STRONG | SYNC_WIDE;
    instruction->width_bytes = (uint8_t)ptx_type_bytes(type);
    instruction->destination[0] = destination;
    instruction->source[0] = address;
    instruction->source[1] = operand;
    instruction->address_is_32_bits = space == PTX_SHARED;
    return instruction;
}

struct program_instruction *made_barrier(struct made_program *made, enum program_op op, uint32_t number,
                                         uint32_t threads)
{
    uint32_t number_slot = made_constant(made, 4, number);
    uint32_t threads_slot = threads ? made_constant(made, 4, threads) : PROGRAM_NO_SLOT;
    struct program_instruction *instruction = made_op(made, op);
    instruction->source[0] = number_slot;
    instruction->source[1] = threads_slot;
    return instruction;
}

uint32_t made_parameter(struct made_program *made, uint64_t offset, uint32_t bytes)
{
    uint32_t slot = made_slot(made, bytes);
    made_load(made, PTX_PARAM, slot, PROGRAM_NO_SLOT, bytes)->offset = (int64_t)offset;
    if (made->program.parameter_bytes < offset + bytes)
        made->program.parameter_bytes = offset + bytes;
    return slot;
}

struct program_instruction *made_branch(struct made_program *made, uint32_t guard, bool negated)
{
    struct program_instruction *instruction = made_op(made, PROGRAM_BRA);
    instruction->guard = guard;
    instruction->guard_negated = negated;
    return instruction;
}

void made_end(struct made_program *made)
{
    made_op(made, PROGRAM_EXIT);
}

#define LANES(name, expression)                                                               \
    void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                         \
        uint32_t *to = (uint32_t *)(void *)(frame + instruction->destination[0]);             \
        const uint32_t *x = (const uint32_t *)(const void *)(frame + instruction->source[0]); \
        const uint32_t *y = (const uint32_t *)(const void *)(frame + instruction->source[1]); \
        for (int lane = 0; lane < 32; lane++) {                                               \
            uint32_t a = x[lane], b = y[lane];                                                \
            to[lane] = active >> lane & 1u ? (expression) : to[lane];                         \
        }                                                                                     \
    }
LANES(made_add, a + b)
LANES(made_sub, a - b)
LANES(made_mul, a *b)
LANES(made_and, a &b)
LANES(made_xor, a ^ b)

#define COMPARE(name, expression)                                                             \
    void name(const struct program_instruction *instruction, uint8_t *frame, uint32_t active) \
    {                                                                                         \
        uint32_t *to = (uint32_t *)(void *)(frame + instruction->destination[0]), mask = 0;   \
        const uint32_t *x = (const uint32_t *)(const void *)(frame + instruction->source[0]); \
        const uint32_t *y = (const uint32_t *)(const void *)(frame + instruction->source[1]); \
        for (int lane = 0; lane < 32; lane++) {                                               \
            uint32_t a = x[lane], b = y[lane];                                                \
            mask |= (uint32_t)(expression) << lane;                                           \
        }                                                                                     \
        *to = (*to & ~active) | (mask & active);                                              \
    }
COMPARE(made_less, a < b)
COMPARE(made_equal, a == b)

void made_move(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    uint32_t *to = (uint32_t *)(void *)(frame + instruction->destination[0]);
    const uint32_t *from = (const uint32_t *)(const void *)(frame + instruction->source[0]);
    for (int lane = 0; lane < 32; lane++)
        to[lane] = active >> lane & 1u ? from[lane] : to[lane];
}

void made_wide_add(const struct program_instruction *instruction, uint8_t *frame, uint32_t active)
{
    uint64_t *to = (uint64_t *)(void *)(frame + instruction->destination[0]);
    const uint64_t *base = (const uint64_t *)(const void *)(frame + instruction->source[0]);
    const uint32_t *index = (const uint32_t *)(const void *)(frame + instruction->source[1]);
    for (int lane = 0; lane < 32; lane++)
        to[lane] = active >> lane & 1u ? base[lane] + 4 * (uint64_t)index[lane] : to[lane];
}

/* ---- the machine ---- */
void made_machine_init(struct made_machine *machine, uint32_t workers, uint32_t multiprocessors, bool check)
{
    static const char empty[] = ".version 9.0\n.target sm_90\n.address_size 64\n";
    struct error error;
    *machine = (struct made_machine){0};
    snprintf(machine->info.name, sizeof machine->info.name, "a small GPU");
    machine->info.compute_capability = 90;
    machine->info.multiprocessors = multiprocessors;
    machine->info.max_threads_per_block = 1024;
    machine->info.shared_bytes_per_block_optin = 232448;
    cr_assert_eq(memory_create(&machine->memory, 1 << 28, check, &error), STATUS_OK);
    cr_assert_eq(module_load(&machine->module, machine->memory, "empty.ptx", empty, sizeof empty - 1, &error),
                 STATUS_OK, "%s", error.text);
    machine->grid = (struct grid_machine){
        .memory = machine->memory, .info = &machine->info, .rules = arch_find(90), .check = check};
    cr_assert_eq(grid_pool_create(&machine->grid.pool, workers, &error), STATUS_OK);
}

void made_machine_fini(struct made_machine *machine)
{
    grid_pool_destroy(machine->grid.pool);
    module_unload(machine->module);
    memory_destroy(machine->memory);
}

uint64_t made_alloc(struct made_machine *machine, uint64_t size_bytes)
{
    uint64_t address;
    cr_assert_eq(memory_alloc(machine->memory, size_bytes, &address, NULL), STATUS_OK);
    return address;
}

void *made_bytes(struct made_machine *machine, uint64_t address, uint64_t size_bytes)
{
    uint8_t *bytes;
    cr_assert_eq(memory_access(machine->memory, address, size_bytes, true, &bytes, NULL), STATUS_OK);
    return bytes;
}

enum status made_run(struct made_machine *machine, const struct made_program *made, uint32_t blocks,
                     uint32_t threads, const void *parameters, struct grid_result *result,
                     struct error *error)
{
    struct grid_launch launch = {.module = machine->module,
                                 .program = &made->program,
                                 .grid = {blocks, 1, 1},
                                 .block = {threads, 1, 1},
                                 .parameters = parameters};
    return grid_run(&machine->grid, &launch, result, error);
}

void made_run_words(struct made_machine *machine, const struct made_program *made, uint32_t blocks,
                    uint32_t threads, uint32_t *words, uint32_t count, struct grid_result *result)
{
    struct error error;
    uint64_t size_bytes = count * sizeof *words, out = made_alloc(machine, size_bytes);
    memcpy(made_bytes(machine, out, size_bytes), words, size_bytes);
    enum status status = made_run(machine, made, blocks, threads, &out, result, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    memcpy(words, made_bytes(machine, out, size_bytes), size_bytes);
    memory_free(machine->memory, out, NULL);
}
