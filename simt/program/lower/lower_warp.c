/* Instructions that the lanes of a warp execute together: PTX ISA 9.0, 9.7.9.5, .6, 9.7.13.8 to .12. */
#include "simt/program/lower/lower_internal.h"

#include <string.h>

/* Emits the instruction with these fields, once all its operands are known. */
static bool finish_instruction(struct lower *lower, enum program_op op,
                               const struct program_instruction *parts)
{
    struct program_instruction *const made = lower_emit(lower, op, CLASS_CONTROL);
    if (made == NULL)
        return false;
    made->type = parts->type;
    made->sub = parts->sub;
    memcpy(made->destination, parts->destination, sizeof made->destination);
    memcpy(made->source, parts->source, sizeof made->source);
    return true;
}

static struct program_instruction nothing_yet(void)
{
    struct program_instruction parts = {.type = PTX_B32};
    memset(parts.destination, 0xff, sizeof parts.destination); /* PROGRAM_NO_SLOT */
    memset(parts.source, 0xff, sizeof parts.source);
    return parts;
}

/* d, or d|p. '_' is a result that is not used. */
static bool take_results(struct lower *lower, enum ptx_type first, bool pair_allowed,
                         struct program_instruction *parts)
{
    const struct ptx_operand *const operand = &lower->at->operands[0];
    const bool pair = operand->kind == PTX_OPERAND_PAIR;
    const struct ptx_operand *const results = pair ? operand->parts : operand;
    if (pair && !pair_allowed)
        return lower_fail(lower, "it has only one result.");
    for (uint32_t i = 0; i < (pair ? 2u : 1u); i++)
        if (results[i].kind != PTX_OPERAND_SINK &&
            !lower_destination(lower, &results[i], i == 0 ? first : PTX_PRED, LOWER_SAME_SIZE,
                               &parts->destination[i], NULL))
            return false;
    return true;
}

static bool take_sources(struct lower *lower, uint32_t first, uint32_t count, enum ptx_type type,
                         struct program_instruction *parts, uint32_t to)
{
    for (uint32_t i = 0; i < count; i++)
        if (!lower_source(lower, &lower->at->operands[first + i], type, LOWER_SAME_SIZE,
                          &parts->source[to + i], NULL))
            return false;
    return true;
}

/* The forms without .sync belong to PTX before 6.0: they use the lanes that are active at the time. */
bool lower_shfl(struct lower *lower)
{
    static const char *const ways[] = {"up", "down", "bfly", "idx", NULL}; /* enum program_shfl */
    struct program_instruction parts = nothing_yet();
    const uint32_t sync = lower_take(lower, "sync");
    uint32_t way;
    if (!lower_take_one(lower, ways, &way))
        return lower_fail(lower, "it needs .up, .down, .bfly or .idx.");
    if (!lower_take(lower, "b32") || !lower_take_end(lower))
        return lower_fail(lower, "it moves only .b32.");
    parts.sub = (uint8_t)way;
    return lower_operand_count(lower, 4 + sync, 4 + sync) && take_results(lower, PTX_B32, true, &parts) &&
           take_sources(lower, 1, 3 + sync, PTX_B32, &parts, 0) &&
           finish_instruction(lower, PROGRAM_SHFL, &parts);
}

bool lower_vote(struct lower *lower)
{
    static const char *const ways[] = {"all", "any", "uni", "ballot", NULL}; /* enum program_vote */
    struct program_instruction parts = nothing_yet();
    const uint32_t sync = lower_take(lower, "sync");
    uint32_t way;
    if (!lower_take_one(lower, ways, &way))
        return lower_fail(lower, "it needs .all, .any, .uni or .ballot.");
    const bool ballot = way == VOTE_BALLOT;
    if (!lower_take(lower, ballot ? "b32" : "pred") || !lower_take_end(lower))
        return lower_fail(lower, "its result must be a .%s.", ballot ? "b32" : "pred");
    parts.sub = (uint8_t)way;
    return lower_operand_count(lower, 2 + sync, 2 + sync) &&
           take_results(lower, ballot ? PTX_B32 : PTX_PRED, false, &parts) &&
           lower_predicate(lower, &lower->at->operands[1], &parts.source[0]) &&
           take_sources(lower, 2, sync, PTX_B32, &parts, 1) &&
           finish_instruction(lower, PROGRAM_VOTE, &parts);
}

bool lower_match(struct lower *lower)
{
    static const char *const ways[] = {"any", "all", NULL};
    struct program_instruction parts = nothing_yet();
    enum ptx_type type;
    uint32_t way;
    if (!lower_take_one(lower, ways, &way) || !lower_take(lower, "sync"))
        return lower_fail(lower, "it needs .any.sync or .all.sync.");
    if (!lower_take_type(lower, &type) || !lower_take_end(lower))
        return false;
    if (type != PTX_B32 && type != PTX_B64)
        return lower_fail(lower, "it compares only .b32 or .b64.");
    parts.sub = (uint8_t)way;
    parts.type = (uint8_t)type;
    return lower_operand_count(lower, 3, 3) && take_results(lower, PTX_B32, way == 1, &parts) &&
           take_sources(lower, 1, 1, type, &parts, 0) && take_sources(lower, 2, 1, PTX_B32, &parts, 1) &&
           finish_instruction(lower, PROGRAM_MATCH, &parts);
}

bool lower_redux(struct lower *lower)
{
    static const char *const ways[] = {"add", "min", "max", "and", "or", "xor", NULL};
    static const uint8_t operations[] = {ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX,
                                         ATOMIC_AND, ATOMIC_OR,  ATOMIC_XOR};
    struct program_instruction parts = nothing_yet();
    enum ptx_type type;
    uint32_t way;
    if (!lower_take(lower, "sync") || !lower_take_one(lower, ways, &way))
        return lower_fail(lower, "it needs .sync and .add, .min, .max, .and, .or or .xor.");
    if (!lower_take_type(lower, &type) || !lower_take_end(lower))
        return false;
    if (way < 3 ? type != PTX_U32 && type != PTX_S32 : type != PTX_B32)
        return lower_fail(lower, "the device model has no .%s of a .%s.", ways[way], ptx_type_text(type));
    parts.sub = operations[way];
    parts.type = (uint8_t)type;
    return lower_operand_count(lower, 3, 3) && take_results(lower, type, false, &parts) &&
           take_sources(lower, 1, 1, type, &parts, 0) && take_sources(lower, 2, 1, PTX_B32, &parts, 1) &&
           finish_instruction(lower, PROGRAM_REDUX, &parts);
}

bool lower_elect(struct lower *lower)
{
    struct program_instruction parts = nothing_yet();
    return (lower_take(lower, "sync") || lower_fail(lower, "it needs .sync.")) && lower_take_end(lower) &&
           lower_operand_count(lower, 2, 2) && take_results(lower, PTX_B32, true, &parts) &&
           take_sources(lower, 1, 1, PTX_B32, &parts, 0) && finish_instruction(lower, PROGRAM_ELECT, &parts);
}

bool lower_activemask(struct lower *lower)
{
    struct program_instruction parts = nothing_yet();
    return (lower_take(lower, "b32") || lower_fail(lower, "its result must be a .b32.")) &&
           lower_take_end(lower) && lower_operand_count(lower, 1, 1) &&
           take_results(lower, PTX_B32, false, &parts) &&
           finish_instruction(lower, PROGRAM_ACTIVEMASK, &parts);
}
