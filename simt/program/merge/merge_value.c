/*
 * Walks the program block by block, dominators first, with a sum for every slot. A register with several
 * writers is first assumed to have only zero low bits; the walk is repeated with the number found until
 * nothing changes.
 */
#include "simt/program/merge/merge_value.h"

#include "simt/lanes/matrix.h"
#include "simt/program/merge/merge_make.h"

#include <stdlib.h>

#define ROUNDS_MAX 12

/* Entry parameters, and constant memory at a uniform address, are the same for all lanes. */
static bool loads_uniform(struct values *values, const struct program_instruction *instruction)
{
    if (instruction->op != PROGRAM_LD)
        return false;
    if (instruction->space == PTX_PARAM)
        return instruction->immediate == PROGRAM_NO_SLOT;
    struct sum address = slot_read(values, instruction->source[0], instruction->address_is_32_bits ? 32 : 64);
    return instruction->space == PTX_CONST &&
           (instruction->source[0] == PROGRAM_NO_SLOT || sum_uniform(values, &address));
}

static void value_instruction(struct values *values, uint32_t i)
{
    const struct program_instruction *instruction = &values->program->instructions[i];
    if (instruction->destination[0] == PROGRAM_NO_SLOT)
        return;
    struct sum result;
    bool guarded = instruction->guard != PROGRAM_NO_SLOT;
    if (!guarded && value_make(values, instruction, &result)) {
        slot_write(values, instruction->destination[0], &result);
        return;
    }
    bool uniform = loads_uniform(values, instruction) && !guarded;
    for (uint32_t d = 0; d < PROGRAM_VECTOR && instruction->destination[d] != PROGRAM_NO_SLOT; d++) {
        if (instruction->op == PROGRAM_LANES && !guarded) {
            result = value_expression(values, instruction, d, 32, 32, 0);
        } else {
            struct atom_key key = {.kind = ATOM_RESULT, .a = i, .b = d};
            struct atom atom = {.uniform = uniform};
            result = sum_atom(atom_find(values, &key, &atom), 32);
        }
        slot_write(values, instruction->destination[d], &result);
    }
}

/* The variable that the address of a load, store or atomic names, "[name + 4]"; NULL: none. */
static const struct ptx_operand *operand_named(const struct values *values,
                                               const struct program_instruction *instruction)
{
    const struct ptx_instruction *ptx = instruction_written(values, instruction);
    for (uint32_t i = 0; ptx && i < ptx->operand_count; i++)
        if (ptx->operands[i].kind == PTX_OPERAND_ADDRESS)
            return ptx->operands[i].name ? &ptx->operands[i] : NULL;
    return NULL;
}

static void value_address(struct values *values, uint32_t i, struct value_address *address)
{
    const struct program_instruction *instruction = &values->program->instructions[i];
    uint32_t bits = instruction->address_is_32_bits ? 32 : 64;
    struct sum sum = sum_constant(0, bits);
    int64_t offset = instruction->offset;
    const struct ptx_operand *named;
    if (instruction->source[0] != PROGRAM_NO_SLOT) {
        sum = slot_read(values, instruction->source[0], bits);
    } else if (instruction->space == PTX_SHARED && (named = operand_named(values, instruction)) != NULL) {
        sum = value_place(values, instruction, named->name, (uint64_t)(offset - named->offset), bits);
        offset = named->offset;
    }
    if (sum.term_count == 1 && sum.term[0].factor == 1 && !values->no_memory &&
        values->atoms[sum.term[0].atom].is_symbol) {
        uint64_t symbol = values->atoms[sum.term[0].atom].symbol;
        sum = sum_constant(sum.constant + symbol, bits);
    }
    uint64_t constant = sum.constant;
    address->constant = offset + (bits == 32 ? (int64_t)(int32_t)(uint32_t)constant : (int64_t)constant);
    address->uniform = sum_uniform(values, &sum);
    address->zeros = sum_root_zeros(values, &sum);
    sum.constant = 0;
    sum.bits = 64;
    address->root = sum_number(values, &sum);
    if (instruction->op == PROGRAM_ATOM) {
        struct sum operand =
            slot_read(values, instruction->source[1], instruction->width_bytes == 8 ? 64 : 32);
        address->operand_uniform = sum_uniform(values, &operand);
    }
}

/* One walk over the program. A stretch continues in the next block if no other path leads there. */
static void value_walk(struct values *values, struct value_address *addresses)
{
    const struct flow *flow = values->flow;
    intern_clear(&values->sums);
    intern_clear(&values->atom_keys);
    values->changed = false;
    for (uint32_t i = 0; i < values->slot_count; i++)
        values->slots[i].stretch = 0;
    values->stretch = 0;
    for (uint32_t i = 0; i < flow->order_count && !values->no_memory; i++) {
        const struct flow_block *block = &flow->blocks[flow->order[i]];
        bool goes_on = i > 0 && !block->entry && block->predecessor_count == 1 &&
                       block->predecessors[0] == flow->order[i - 1];
        values->stretch += !goes_on;
        for (uint32_t j = block->first; j < block->first + block->count; j++) {
            uint8_t op = values->program->instructions[j].op;
            if (op == PROGRAM_LD || op == PROGRAM_ST || op == PROGRAM_ATOM)
                value_address(values, j, &addresses[j]);
            value_instruction(values, j);
        }
    }
}

static bool special_is_uniform(enum program_special special)
{
    switch (special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
    case SPECIAL_CLUSTERID_X:
    case SPECIAL_CLUSTERID_Y:
    case SPECIAL_CLUSTERID_Z:
    case SPECIAL_NCLUSTERID_X:
    case SPECIAL_NCLUSTERID_Y:
    case SPECIAL_NCLUSTERID_Z:
    case SPECIAL_CLUSTER_CTAID_X:
    case SPECIAL_CLUSTER_CTAID_Y:
    case SPECIAL_CLUSTER_CTAID_Z:
    case SPECIAL_CLUSTER_NCTAID_X:
    case SPECIAL_CLUSTER_NCTAID_Y:
    case SPECIAL_CLUSTER_NCTAID_Z:
    case SPECIAL_CLUSTER_CTARANK:
    case SPECIAL_CLUSTER_NCTARANK: return true;
    default: return false;
    }
}

static void value_slots(struct values *values)
{
    const struct program *program = values->program;
    for (uint32_t i = 0; i < program->constant_count; i++) {
        struct slot *slot = slot_at(values, program->constants[i].slot);
        if (slot) {
            slot->constant = true;
            slot->bits = program->constants[i].bits;
        }
    }
    for (uint32_t i = 0; i < program->special_count; i++) {
        struct slot *slot = slot_at(values, program->specials[i].slot);
        if (slot)
            slot->uniform_special = special_is_uniform(program->specials[i].special);
    }
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *instruction = &program->instructions[i];
        for (uint32_t d = 0; d < PROGRAM_VECTOR; d++) {
            struct slot *slot = instruction->destination[d] == PROGRAM_NO_SLOT
                                    ? NULL
                                    : slot_at(values, instruction->destination[d]);
            if (slot) {
                slot->writers += instruction->guard == PROGRAM_NO_SLOT ? 1 : 2;
                slot->zeros = 64;
            }
        }
        for (uint32_t r = 0;
             instruction->op == PROGRAM_MATRIX && r < instruction->matrix->parts[MATRIX_D].registers; r++) {
            struct slot *slot = slot_at(values, instruction->matrix->parts[MATRIX_D].slots[r]);
            if (slot) { /* of unknown value */
                slot->writers += 2;
                slot->zeros = 0;
            }
        }
    }
}

enum status value_addresses(struct value_address **addresses, const struct program *program,
                            const struct flow *flow, struct error *error)
{
    struct values values = {.program = program,
                            .flow = flow,
                            .slot_count = program->frame_bytes / 4 + 1,
                            .sums = {.key_bytes = sizeof(struct sum)},
                            .atom_keys = {.key_bytes = sizeof(struct atom_key)}};
    struct value_address *list = calloc((size_t)program->instruction_count + 1, sizeof *list);
    values.slots = calloc(values.slot_count, sizeof *values.slots);
    values.no_memory = !list || !values.slots;
    if (!values.no_memory) {
        value_slots(&values);
        values.changed = true;
    }
    for (uint32_t round = 0; values.changed && !values.no_memory; round++) {
        if (round == ROUNDS_MAX)
            for (uint32_t i = 0; i < values.slot_count; i++)
                values.slots[i].zeros = 0;
        value_walk(&values, list);
    }
    intern_fini(&values.sums);
    intern_fini(&values.atom_keys);
    free(values.atoms);
    free(values.slots);
    if (values.no_memory) {
        free(list);
        return error_no_memory(error, "for the addresses of %s", program->entry->name);
    }
    *addresses = list;
    return STATUS_OK;
}
