/* SPDX-License-Identifier: Apache-2.0 */
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
    for (uint32_t i = 0; texts[i]; i++) {
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
    return next_modifier(lower)
               ? lower_fail(lower, ".%s is not a type, but a type is expected.", next_modifier(lower))
               : lower_fail(lower, "its type is missing.");
}

bool lower_take_end(struct lower *lower)
{
    return !next_modifier(lower) ||
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

/* Opcode and modifiers. */
static bool lower_join(struct lower *lower, const char *opcode, char *text, size_t size_bytes)
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
    return operand && lower_destination(lower, operand, type == LANES_OTHER_PRED ? PTX_PRED : type,
                                        LOWER_SAME_SIZE, slot, NULL);
}

static bool take_source(struct lower *lower, struct operands *operands, enum ptx_type type,
                        struct program_instruction *made, uint32_t which)
{
    if (type == LANES_CARRY)
        return take_carry(lower, &made->source[which]);
    const struct ptx_operand *const operand = next_operand(lower, operands);
    if (!operand)
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

/* Lowers the current instruction as the form `text`; braces and bars around its operands are removed. */
static bool lower_as_lanes(struct lower *lower, const char *text)
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
    if (!made)
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

/* ---- mov, vsub, cvt ---- */

/*
 * mov and vsub, which are lowered to several instructions, and cvt, whose registers may be wider than its
 * types.
 */

/* ---- mov ---- */
/* A special register that changes while a warp runs is read by an instruction of its own. */
static bool lower_mov_clock(struct lower *lower, enum program_special special, enum ptx_type type)
{
    const bool wide = special == SPECIAL_CLOCK64 || special == SPECIAL_GLOBALTIMER;
    uint32_t slot;
    if (ptx_type_bytes(type) != (wide ? 8 : 4))
        return lower_fail(lower, "%s has %d bits.", lower->at->operands[1].name, wide ? 64 : 32);
    if (!lower_destination(lower, &lower->at->operands[0], type, LOWER_SAME_SIZE, &slot, NULL))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_SPECIAL, CLASS_INTEGER);
    if (!made)
        return false;
    made->type = (uint8_t)type;
    made->sub = (uint8_t)special;
    made->destination[0] = slot;
    return true;
}

static bool changing_special(const char *name, enum program_special *special)
{
    static const struct {
        const char *name;
        enum program_special special;
    } changing[] = {
        {"%clock", SPECIAL_CLOCK},
        {"%clock_hi", SPECIAL_CLOCK_HI},
        {"%clock64", SPECIAL_CLOCK64},
        {"%globaltimer", SPECIAL_GLOBALTIMER},
        {"%globaltimer_lo", SPECIAL_GLOBALTIMER_LO},
        {"%globaltimer_hi", SPECIAL_GLOBALTIMER_HI},
    };
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        if (strcmp(name, changing[i].name) == 0) {
            *special = changing[i].special;
            return true;
        }
    }
    return false;
}

/* Element i of {a, b, ...} or of the vector register %v, whose element's name is written to `name`. */
static bool element_of(struct lower *lower, const struct ptx_operand *operand, uint32_t i, char name[256],
                       struct ptx_operand *element)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        *element = operand->parts[i];
        return true;
    }
    *element = (struct ptx_operand){.kind = PTX_OPERAND_NAME, .name = name};
    return snprintf(name, 256, "%s.%c", operand->name, "xyzw"[i]) < 256 ||
           lower_fail(lower, "the name of %.40s is too long.", operand->name);
}

/* Whether two operands are the same register. */
static bool is_same_register(struct lower *lower, const struct ptx_operand *a, const struct ptx_operand *b)
{
    enum ptx_type type;
    uint32_t slot_a, slot_b;
    return a->kind == PTX_OPERAND_NAME && b->kind == PTX_OPERAND_NAME &&
           lower_register(lower, a->name, &type, &slot_a) && lower_register(lower, b->name, &type, &slot_b) &&
           slot_a == slot_b;
}

/* mov.v2.u32 %v, {0, 0}: a move for each element. No element may be read after it was written. */
static bool lower_mov_vector(struct lower *lower, const char *text, uint32_t count)
{
    const struct ptx_instruction *const at = lower->at;
    char names[2][4][256];
    struct ptx_operand elements[4][2];
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t side = 0; side < 2; side++) {
            const struct ptx_operand *const operand = &at->operands[side];
            const bool list = operand->kind == PTX_OPERAND_VECTOR;
            if (list ? operand->part_count != count : operand->kind != PTX_OPERAND_NAME)
                return lower_fail(lower, "it moves %u elements.", count);
            if (!element_of(lower, operand, i, names[side][i], &elements[i][side]))
                return false;
        }
        for (uint32_t before = 0; before < i; before++)
            if (is_same_register(lower, &elements[before][0], &elements[i][1]))
                return lower_fail(lower, "the model does not exchange elements of a vector.");
    }
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        struct ptx_instruction element = *at;
        element.operands = elements[i];
        lower->at = &element;
        good = lower_as_lanes(lower, text);
        lower->at = at;
    }
    return good;
}

bool lower_mov(struct lower *lower)
{
    static const char *const vectors[] = {"v2", "v4", NULL};
    char text[64];
    enum ptx_type type;
    enum program_special special;
    uint32_t vector;
    const bool is_vector = lower_take_one(lower, vectors, &vector);
    if (!lower_take_type(lower, &type) || !lower_take_end(lower) || !lower_operand_count(lower, 2, 2))
        return false;
    const struct ptx_operand *const to = &lower->at->operands[0], *const from = &lower->at->operands[1];
    if (is_vector) {
        snprintf(text, sizeof text, "mov.%s", ptx_type_text(type));
        return lower_mov_vector(lower, text, 2u << vector);
    }
    const bool packs = from->kind == PTX_OPERAND_VECTOR, unpacks = to->kind == PTX_OPERAND_VECTOR;
    if (packs && unpacks)
        return lower_fail(lower, "one of its operands must be a single register.");
    if (packs || unpacks) {
        snprintf(text, sizeof text, "mov.%s.%s.%u", packs ? "pack" : "unpack", ptx_type_text(type),
                 packs ? from->part_count : to->part_count);
        return lower_as_lanes(lower, text);
    }
    if (from->kind == PTX_OPERAND_NAME && changing_special(from->name, &special))
        return lower_mov_clock(lower, special, type);
    snprintf(text, sizeof text, "mov.%s", ptx_type_text(type));
    return lower_as_lanes(lower, text);
}

/* ---- vsub ---- */
/* vsub.u32.u32.u32.add d, a, b, c: a - b + c, modulo 2^32; gcc writes it. */
bool lower_vsub(struct lower *lower)
{
    static const char *const others[] = {"sat", "min", "max", NULL};
    const struct ptx_instruction *const at = lower->at;
    enum ptx_type type = PTX_U32;
    uint32_t index;
    for (uint32_t i = 0; i < 3; i++) {
        if (!lower_take_type(lower, &type))
            return false;
        if (type != PTX_U32 && type != PTX_S32)
            return lower_fail(lower, "the types of vsub are .u32 and .s32.");
    }
    if (lower_take_one(lower, others, &index))
        return lower_fail(lower, "the model has no vsub with .%s.", others[index]);
    const uint32_t adds = lower_take(lower, "add");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 3 + adds, 3 + adds))
        return false;
    struct ptx_operand *const operands = at->operands;
    if (adds && is_same_register(lower, &operands[0], &operands[3]))
        return lower_fail(lower, "the model has no vsub that adds the register of its result.");
    struct ptx_operand sum[] = {operands[0], operands[0], operands[2 + adds]};
    struct ptx_instruction step = *at;
    step.operand_count = 3;
    lower->at = &step;
    bool good = lower_as_lanes(lower, "sub.u32");
    step.operands = sum;
    good = good && (!adds || lower_as_lanes(lower, "add.u32"));
    lower->at = at;
    return good;
}

/* ---- cvt ---- */
static bool is_unsigned(enum ptx_type type)
{
    return type >= PTX_U8 && type <= PTX_U64;
}

/* Returns whether the function of the form supports registers of these sizes. */
static bool form_takes(const struct lanes_form *form, uint32_t to_bytes, uint32_t from_bytes)
{
    const uint32_t to = ptx_type_bytes(form->operands[0]), from = ptx_type_bytes(form->operands[1]);
    const bool zeros_above = is_unsigned(form->operands[0]) && to <= 4 && to_bytes <= 4;
    return (to == to_bytes || zeros_above) && (from <= 4) == (from_bytes <= 4);
}

bool lower_cvt(struct lower *lower)
{
    char text[160], any[168];
    struct lanes_form form, general;
    const struct ptx_operand *const operands = lower->at->operands;
    uint32_t to, from, to_bytes, from_bytes;
    if (!lower_join(lower, "cvt", text, sizeof text))
        return false;
    snprintf(any, sizeof any, "cvt.any%s", text + strlen("cvt"));
    if (!lanes_find(any, &general))
        return lower_as_lanes(lower, text); /* cvt.pack, pairs, tf32: registers have the sizes of the types */
    if (!lower_operand_count(lower, 2, 2) ||
        !lower_destination(lower, &operands[0], general.operands[0], LOWER_WIDER_TOO, &to, &to_bytes) ||
        !lower_source(lower, &operands[1], general.operands[1], LOWER_WIDER_TOO, &from, &from_bytes))
        return false;
    if (to_bytes > 8 || from_bytes > 8)
        return lower_fail(lower, "a register of 128 bits cannot be converted.");
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, general.class);
    if (!made)
        return false;
    made->destination[0] = to;
    made->source[0] = from;
    if (lanes_find(text, &form) && form_takes(&form, to_bytes, from_bytes)) {
        made->lanes = form.function;
        made->immediate = form.modifiers;
        return true;
    }
    made->lanes = general.function;
    made->immediate = general.modifiers | LANES_WIDE_DESTINATION(__builtin_ctz(to_bytes)) |
                      (from_bytes == 8 ? LANES_WIDE_SOURCE : 0);
    return true;
}

/* ---- addresses in clusters ---- */
/* `named` sources as written, then the rank of the thread's block. */
static bool lower_in_cluster(struct lower *lower, const char *opcode, uint32_t named, uint32_t sources)
{
    char text[64];
    struct lanes_form form;
    uint32_t result, slots[PROGRAM_SOURCES], own;
    enum ptx_type type;
    if (!lower_join(lower, opcode, text, sizeof text))
        return false;
    if (!lanes_find(text, &form))
        return lower_fail(lower, "there is no %s.", text);
    const struct ptx_operand *const operands = lower->at->operands;
    if (!lower_operand_count(lower, 1 + named, 1 + named) ||
        !lower_destination(lower, &operands[0], form.operands[0], LOWER_SAME_SIZE, &result, NULL) ||
        !lower_special(lower, "%cluster_ctarank", &type, &own))
        return false;
    for (uint32_t i = 0; i < sources; i++) {
        slots[i] = own;
        if (i < named &&
            !lower_source(lower, &operands[1 + i], form.operands[1 + i], LOWER_SAME_SIZE, &slots[i], NULL))
            return false;
    }
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, form.class);
    if (!made)
        return false;
    made->lanes = form.function;
    made->destination[0] = result;
    memcpy(made->source, slots, sources * sizeof slots[0]);
    return true;
}

/* mapa{.shared::cluster}.u32|.u64 d, a, rank */
bool lower_mapa(struct lower *lower)
{
    return lower_in_cluster(lower, "mapa", 2, 4);
}

/* getctarank{.shared::cluster}.u32|.u64 d, a: an address of the own block gives its rank. */
bool lower_getctarank(struct lower *lower)
{
    return lower_in_cluster(lower, "getctarank", 1, 2);
}
