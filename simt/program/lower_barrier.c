/* Barriers and fences: PTX ISA 9.0, 9.7.13.1, .2, .4; and instructions that have no effect in the model. */
#include "simt/program/lower_internal.h"

#include <string.h>

static bool lower_bar_warp(struct lower *lower)
{
    uint32_t members;
    if (!lower_take(lower, "sync") || !lower_take_end(lower))
        return lower_fail(lower, "it needs .sync and no other modifier.");
    if (!lower_operand_count(lower, 1, 1) ||
        !lower_source(lower, &lower->at->operands[0], PTX_B32, LOWER_SAME_SIZE, &members, NULL))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_BAR_WARP, CLASS_BARRIER);
    if (made == NULL)
        return false;
    made->source[0] = members;
    return true;
}

struct barrier {
    enum program_op op;
    uint8_t vote; /* enum program_vote, for BAR_RED */
    bool aligned;
};

/* sync, arrive, red.popc.u32, red.and.pred or red.or.pred; .aligned where it is allowed. */
static bool take_barrier(struct lower *lower, struct barrier *barrier)
{
    static const char *const ways[] = {"sync", "arrive", "red", NULL};
    static const enum program_op ops[] = {PROGRAM_BAR_SYNC, PROGRAM_BAR_ARRIVE, PROGRAM_BAR_RED};
    static const char *const votes[] = {"popc", "and", "or", NULL};
    static const uint8_t vote_of[] = {VOTE_POPC, VOTE_ALL, VOTE_ANY};
    uint32_t way, vote;
    lower_take(lower, "cta");
    if (!lower_take_one(lower, ways, &way))
        return lower_fail(lower, "it needs .sync, .arrive or .red.");
    barrier->op = ops[way];
    if (barrier->op != PROGRAM_BAR_RED) {
        barrier->aligned |= lower_take(lower, "aligned");
        return lower_take_end(lower);
    }
    if (!lower_take_one(lower, votes, &vote))
        return lower_fail(lower, "it needs .popc, .and or .or.");
    barrier->vote = vote_of[vote];
    barrier->aligned |= lower_take(lower, "aligned");
    if (!lower_take(lower, vote == 0 ? "u32" : "pred"))
        return lower_fail(lower, "its result must be a .%s.", vote == 0 ? "u32" : "pred");
    return lower_take_end(lower);
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red d, a{, b}, p. */
bool lower_bar(struct lower *lower)
{
    struct barrier barrier = {.aligned = strcmp(lower->at->opcode, "bar") == 0};
    const struct ptx_operand *const operands = lower->at->operands;
    uint32_t slots[3] = {PROGRAM_NO_SLOT, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT}, result = PROGRAM_NO_SLOT;
    if (lower_take(lower, "warp"))
        return lower_bar_warp(lower);
    if (lower_take(lower, "cluster"))
        return lower_fail(lower, "the model has no clusters of blocks.");
    if (!take_barrier(lower, &barrier))
        return false;
    const bool reduces = barrier.op == PROGRAM_BAR_RED;
    const uint32_t first = reduces ? 1 : 0, least = reduces ? 3 : barrier.op == PROGRAM_BAR_ARRIVE ? 2 : 1;
    if (!lower_operand_count(lower, least, reduces ? 4 : 2))
        return false;
    const uint32_t count = lower->at->operand_count;
    const uint32_t numbers = count - first - (reduces ? 1 : 0);
    for (uint32_t i = 0; i < numbers; i++)
        if (!lower_source(lower, &operands[first + i], PTX_U32, LOWER_SAME_SIZE, &slots[i], NULL))
            return false;
    if (reduces && (!lower_destination(lower, &operands[0], barrier.vote == VOTE_POPC ? PTX_U32 : PTX_PRED,
                                       LOWER_SAME_SIZE, &result, NULL) ||
                    !lower_predicate(lower, &operands[count - 1], &slots[2])))
        return false;
    struct program_instruction *const made = lower_emit(lower, barrier.op, CLASS_BARRIER);
    if (made == NULL)
        return false;
    made->sub = barrier.vote;
    made->unaligned = !barrier.aligned;
    made->destination[0] = result;
    memcpy(made->source, slots, sizeof slots);
    return true;
}

/* membar.cta|gl|sys; fence{.sc|.acq_rel|.acquire|.release}.scope; fence.proxy....: the model's memory is
 * always in order, so all do the same; the checks for races tell them apart. */
bool lower_fence(struct lower *lower)
{
    static const char *const levels[] = {"cta", "gl", "sys", NULL};
    static const char *const orders[] = {"sc", "acq_rel", "acquire", "release", NULL};
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
    static const char *const proxies[] = {
        "alias", "async", "async.global", "async::generic", "async.shared::cta", "async.shared::cluster",
        NULL};
    uint32_t index, order = 0;
    uint8_t sync = 0;
    bool known;
    if (lower_take(lower, "proxy")) {
        known = lower_take_one(lower, proxies, &index);
        lower_take(lower, "global");
        lower_take(lower, "shared::cta");
    } else if (strcmp(lower->at->opcode, "membar") == 0) {
        known = lower_take_one(lower, levels, &index);
        sync = SYNC_ACQUIRE | SYNC_RELEASE;
    } else {
        lower_take_one(lower, orders, &order);
        known = lower_take_one(lower, scopes, &index);
        sync = order == 2 ? SYNC_ACQUIRE : order == 3 ? SYNC_RELEASE : SYNC_ACQUIRE | SYNC_RELEASE;
    }
    if (!known)
        return lower_fail(lower, "the model does not support this kind of fence.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 0, 0))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_FENCE, CLASS_MEMORY);
    if (made == NULL)
        return false;
    made->sync = sync && index > 0 ? sync | SYNC_WIDE : sync; /* the first level and scope is the block's */
    return true;
}

bool lower_nanosleep(struct lower *lower)
{
    uint32_t slot;
    if (!lower_take(lower, "u32"))
        return lower_fail(lower, "its time must be a .u32.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 1, 1) ||
        !lower_source(lower, &lower->at->operands[0], PTX_U32, LOWER_SAME_SIZE, &slot, NULL))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_NANOSLEEP, CLASS_CONTROL);
    if (made == NULL)
        return false;
    made->source[0] = slot;
    return true;
}

/* griddepcontrol, setmaxnreg, pmevent, applypriority, discard: they do not change anything that the model
 * computes. */
bool lower_nothing(struct lower *lower)
{
    return lower_emit(lower, PROGRAM_FENCE, CLASS_CONTROL) != NULL;
}
