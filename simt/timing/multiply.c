/*
 * A register is a masked one if the one instruction that writes it is `and` with 0xffffff. PTX from nvcc
 * writes nearly all registers once; one that is written at several places is no masked one.
 */
#include "simt/timing/multiply.h"

#include <stdlib.h>
#include <string.h>

#define BITS_24 0xffffffu
#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

struct search {
    const struct program *program;
    uint8_t *kinds;
    uint32_t
        *writer; /* by word of the frame, had each register its own slot: the instruction, NOBODY, SEVERAL */
};

static bool constant_of(const struct program *program, uint32_t slot, uint64_t *bits)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        if (program->constants[i].slot == slot) {
            *bits = program->constants[i].bits;
            return true;
        }
    }
    return false;
}

static const struct ptx_instruction *text_of(const struct program *program, uint32_t at)
{
    const struct program_origin *origin = &program->origins[program->instructions[at].origin];

    return &origin->function->instructions[origin->instruction];
}

static bool has_modifier(const struct ptx_instruction *text, const char *modifier)
{
    for (uint32_t i = 0; i < text->modifier_count; i++)
        if (strcmp(text->modifiers[i], modifier) == 0)
            return true;
    return false;
}

static void find_writers(struct search *search)
{
    const struct program *program = search->program;

    for (uint32_t i = 0; i <= program->name_bytes / 4; i++)
        search->writer[i] = NOBODY;
    for (uint32_t at = 0; at < program->instruction_count; at++) {
        const struct program_names names = program_names_at(program, at);
        for (int i = 0; i < PROGRAM_VECTOR; i++) {
            uint32_t slot = names.destination[i];
            if (slot != PROGRAM_NO_SLOT)
                search->writer[slot / 4] = search->writer[slot / 4] == NOBODY ? at : SEVERAL;
        }
    }
}

static bool is_mask(const struct search *search, uint32_t at)
{
    const struct program_instruction *is = &search->program->instructions[at];
    uint64_t bits;

    return is->op == PROGRAM_LANES && is->destination[0] != PROGRAM_NO_SLOT &&
           search->writer[program_names_at(search->program, at).destination[0] / 4] == at &&
           strcmp(text_of(search->program, at)->opcode, "and") == 0 &&
           ((is->source[0] != PROGRAM_NO_SLOT && constant_of(search->program, is->source[0], &bits) &&
             bits == BITS_24) ||
            (is->source[1] != PROGRAM_NO_SLOT && constant_of(search->program, is->source[1], &bits) &&
             bits == BITS_24));
}

/* The mask that wrote this source, or NOBODY; kinds say which are masks. */
static uint32_t mask_of(const struct search *search, uint32_t at, int source)
{
    const uint32_t slot = program_names_at(search->program, at).source[source];
    const uint32_t writer = slot == PROGRAM_NO_SLOT ? NOBODY : search->writer[slot / 4];

    return writer < SEVERAL && search->kinds[writer] == MULTIPLY_MASK ? writer : NOBODY;
}

static bool is_24_bits(const struct search *search, uint32_t at, int source)
{
    const uint32_t slot = search->program->instructions[at].source[source];
    uint64_t bits;

    return mask_of(search, at, source) != NOBODY ||
           (slot != PROGRAM_NO_SLOT && constant_of(search->program, slot, &bits) && bits <= BITS_24);
}

static bool is_power_of_two(const struct search *search, uint32_t slot)
{
    uint64_t bits;

    return slot != PROGRAM_NO_SLOT && constant_of(search->program, slot, &bits) && (bits & (bits - 1)) == 0;
}

static enum multiply_kind kind_of(const struct search *search, uint32_t at)
{
    const struct program_instruction *is = &search->program->instructions[at];
    const struct ptx_instruction *text = text_of(search->program, at);

    if (is->op != PROGRAM_LANES)
        return MULTIPLY_NONE;
    if (strcmp(text->opcode, "mul24") == 0 || strcmp(text->opcode, "mad24") == 0)
        return MULTIPLY_24;
    if ((strcmp(text->opcode, "mul") != 0 && strcmp(text->opcode, "mad") != 0) ||
        !(has_modifier(text, "u32") || has_modifier(text, "s32")) || is_power_of_two(search, is->source[0]) ||
        is_power_of_two(search, is->source[1]))
        return MULTIPLY_NONE;
    return has_modifier(text, "lo") && is_24_bits(search, at, 0) && is_24_bits(search, at, 1) ? MULTIPLY_24
                                                                                              : MULTIPLY_32;
}

/* Masks whose result is used elsewhere too remain instructions. */
static void find_other_uses(const struct search *search)
{
    const struct program *program = search->program;

    for (uint32_t at = 0; at < program->instruction_count; at++) {
        for (int i = search->kinds[at] == MULTIPLY_24 ? 2 : 0; i < PROGRAM_SOURCES; i++) {
            uint32_t mask = mask_of(search, at, i);
            if (mask != NOBODY)
                search->kinds[mask] = MULTIPLY_NONE;
        }
    }
}

enum status multiply_find(const struct program *program, uint8_t *kinds, struct error *error)
{
    struct search search = {.program = program, .kinds = kinds};

    search.writer = malloc((program->name_bytes / 4 + 1) * sizeof *search.writer);
    if (!search.writer)
        return error_no_memory(error, "to estimate the time of %s", program->entry->name);
    find_writers(&search);
    for (uint32_t at = 0; at < program->instruction_count; at++)
        kinds[at] = is_mask(&search, at) ? MULTIPLY_MASK : MULTIPLY_NONE;
    for (uint32_t at = 0; at < program->instruction_count; at++)
        if (kinds[at] != MULTIPLY_MASK)
            kinds[at] = (uint8_t)kind_of(&search, at);
    find_other_uses(&search);
    free(search.writer);
    return STATUS_OK;
}
