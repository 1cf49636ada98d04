/* Lowers instructions that simt/lanes/lanes computes: finds their form and operands. */
#include "core/base/append.h"

#include "simt/program/lower/lower_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- modifiers ---- They are accepted in any order, as by ptxas: nvcc (atom.global.cta.add) and CUB
 * (vote.ballot.sync) write orders that PTX ISA 9.0 does not define. */
_Static_assert(PTX_MODIFIERS <= 64, "lower.modifiers_taken has a bit for each");

static bool is_taken(const struct lower *lower, uint32_t index)
{
    return lower->modifiers_taken >> index & 1;
}

/* The first modifier not taken yet; NULL: all are taken. */
static const char *next_modifier(const struct lower *lower)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++)
        if (!is_taken(lower, i))
            return lower->at->modifiers[i];
    return NULL;
}

bool lower_take(struct lower *lower, const char *modifier)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++) {
        if (!is_taken(lower, i) && strcmp(lower->at->modifiers[i], modifier) == 0) {
            lower->modifiers_taken |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

bool lower_take_one(struct lower *lower, const char *const *texts, uint32_t *index)
{
    for (uint32_t i = 0; texts[i] != NULL; i++) {
        if (lower_take(lower, texts[i])) {
            *index = i;
            return true;
        }
    }
    return false;
}

bool lower_take_type(struct lower *lower, enum ptx_type *type)
{
    for (uint32_t i = 0; i < lower->at->modifier_count; i++) {
        *type = is_taken(lower, i) ? PTX_NO_TYPE : ptx_type_find(lower->at->modifiers[i]);
        if (*type != PTX_NO_TYPE) {
            lower->modifiers_taken |= UINT64_C(1) << i;
            return true;
        }
    }
    return next_modifier(lower) != NULL
               ? lower_fail(lower, ".%s is not a type, but a type is expected.", next_modifier(lower))
               : lower_fail(lower, "its type is missing.");
}

bool lower_take_end(struct lower *lower)
{
    return next_modifier(lower) == NULL ||
           lower_fail(lower, ".%s is not a modifier of this instruction.", next_modifier(lower));
}

bool lower_operand_count(struct lower *lower, uint32_t least, uint32_t most)
{
    const uint32_t count = lower->at->operand_count;
    if (count >= least && count <= most)
        return true;
    return least == most
               ? lower_fail(lower, "it has %u operands where it takes %u.", count, least)
               : lower_fail(lower, "it has %u operands where it takes %u to %u.", count, least, most);
}

/* ---- forms ---- */
#define MOST_OPERANDS 16

struct operands { /* operands of the instruction, flattened */
    const struct ptx_operand *of[MOST_OPERANDS];
    uint32_t count, next;
    bool pair; /* the first was p|q */
};

bool lower_join(struct lower *lower, const char *opcode, char *text, size_t size_bytes)
{
    size_t used = 0;
    bool fits = append_text(text, size_bytes, &used, "%s", opcode);
    for (uint32_t i = 0; i < lower->at->modifier_count && fits; i++)
        fits = append_text(text, size_bytes, &used, ".%s", lower->at->modifiers[i]);
    return fits || lower_fail(lower, "its modifiers are too long.");
}

static bool flatten_operands(struct lower *lower, struct operands *operands)
{
    const struct ptx_instruction *const at = lower->at;
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ptx_operand *const operand = &at->operands[i];
        const bool pair = operand->kind == PTX_OPERAND_PAIR && i == 0;
        const bool group = pair || (operand->kind == PTX_OPERAND_VECTOR && strcmp(at->opcode, "mov") == 0);
        const uint32_t count = group ? operand->part_count : 1;
        if (operands->count + count > MOST_OPERANDS)
            return lower_fail(lower, "it has too many operands.");
        for (uint32_t k = 0; k < count; k++)
            operands->of[operands->count++] = group ? &operand->parts[k] : operand;
        operands->pair |= pair;
    }
    return true;
}

static const struct ptx_operand *next_operand(struct lower *lower, struct operands *operands)
{
    if (operands->next == operands->count) {
        lower_fail(lower, "it has too few operands: %u.", operands->count);
        return NULL;
    }
    return operands->of[operands->next++];
}

static bool take_carry(struct lower *lower, uint32_t *slot)
{
    if (lower->carry_slot == PROGRAM_NO_SLOT && !lower_slot(lower, PTX_PRED, &lower->carry_slot))
        return false;
    *slot = lower->carry_slot;
    return true;
}

static bool take_destination(struct lower *lower, struct operands *operands, enum ptx_type type,
                             uint32_t *slot)
{
    if (type == LANES_CARRY)
        return take_carry(lower, slot);
    if (type == LANES_OTHER_PRED && !operands->pair)
        return true; /* missing */
    const struct ptx_operand *const operand = next_operand(lower, operands);
    return operand != NULL && lower_destination(lower, operand, type == LANES_OTHER_PRED ? PTX_PRED : type,
                                                LOWER_SAME_SIZE, slot, NULL);
}

static bool take_source(struct lower *lower, struct operands *operands, enum ptx_type type,
                        struct program_instruction *made, uint32_t which)
{
    if (type == LANES_CARRY)
        return take_carry(lower, &made->source[which]);
    const struct ptx_operand *const operand = next_operand(lower, operands);
    if (operand == NULL)
        return false;
    if (type != PTX_PRED)
        return lower_source(lower, operand, type, LOWER_SAME_SIZE, &made->source[which], NULL);
    struct ptx_operand plain = *operand;
    const bool select = strcmp(lower->at->opcode, "selp") == 0;
    if (operand->negated && select) { /* swapped */
        const uint32_t first = made->source[0];
        made->source[0] = made->source[1];
        made->source[1] = first;
        plain.negated = false;
    } else if (operand->negated && strncmp(lower->at->opcode, "set", 3) == 0) {
        made->immediate |= LANES_NEGATED;
        plain.negated = false;
    }
    return lower_predicate(lower, &plain, &made->source[which]);
}

/* What a GPU counts as FADD, FMUL and FFMA, and the same for doubles and halves. */
static uint8_t operations_of(const struct ptx_instruction *at, enum program_class class)
{
    static const char *const once[] = {"add", "sub", "mul"}, *const twice[] = {"fma", "mad"};
    const char *type = at->modifier_count > 0 ? at->modifiers[at->modifier_count - 1] : "";
    uint8_t operations = 0;
    if (class != CLASS_FLOAT && class != CLASS_DOUBLE && class != CLASS_HALF)
        return 0;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        operations = strcmp(at->opcode, once[i]) == 0 ? 1 : operations;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        operations = strcmp(at->opcode, twice[i]) == 0 ? 2 : operations;
    bool packed = strlen(type) > 2 && strcmp(type + strlen(type) - 2, "x2") == 0;
    return packed ? (uint8_t)(2 * operations) : operations;
}

bool lower_as_lanes(struct lower *lower, const char *text)
{
    struct operands operands = {0};
    struct lanes_form form;
    if (!lanes_find(text, &form)) {
        return lower_fail(lower,
                          "PTX has no such form of %s, or the model does not support it: docs/ptx.md lists "
                          "the supported forms.",
                          lower->at->opcode);
    }
    struct program_instruction parts = {.immediate = form.modifiers};
    memset(parts.destination, 0xff, sizeof parts.destination); /* PROGRAM_NO_SLOT */
    memset(parts.source, 0xff, sizeof parts.source);
    if (!flatten_operands(lower, &operands))
        return false;
    for (uint32_t i = 0; i < form.operand_count; i++) {
        const bool good =
            i < form.destination_count
                ? take_destination(lower, &operands, form.operands[i], &parts.destination[i])
                : take_source(lower, &operands, form.operands[i], &parts, i - form.destination_count);
        if (!good)
            return false;
    }
    if (operands.next < operands.count)
        return lower_fail(lower, "it has %u operands where it takes %u.", operands.count, operands.next);
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, form.class);
    if (made == NULL)
        return false;
    made->lanes = form.function;
    made->operations = operations_of(lower->at, form.class);
    made->immediate = parts.immediate;
    memcpy(made->destination, parts.destination, sizeof made->destination);
    memcpy(made->source, parts.source, sizeof made->source);
    return true;
}

bool lower_lanes(struct lower *lower)
{
    char text[160];
    if (!lower_join(lower, lower->at->opcode, text, sizeof text))
        return false;
    if (strcmp(lower->at->opcode, "lop3") == 0) {
        uint64_t table;
        const uint32_t at = 4;
        if (lower->at->operand_count > at &&
            !lower_integer(lower, &lower->at->operands[at], "its table", &table))
            return false;
    }
    return lower_as_lanes(lower, text);
}
