/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of blocks and clusters, mbarriers and fences: PTX ISA 9.0, 9.7.13.1 to .4 and .15; and
 * instructions that have no effect in the model. */
#include "simt/program/lower/lower_internal.h"

#include <string.h>

/* ---- barriers and fences ---- */

static bool lower_bar_warp(struct lower *lower)
{
    uint32_t members;
    if (!lower_take(lower, "sync") || !lower_take_end(lower))
        return lower_fail(lower, "it needs .sync and no other modifier.");
    if (!lower_operand_count(lower, 1, 1) ||
        !lower_source(lower, &lower->at->operands[0], PTX_B32, LOWER_SAME_SIZE, &members, NULL))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_BAR_WARP, CLASS_BARRIER);
    if (!made)
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

/* barrier.cluster.arrive{.release|.relaxed}{.aligned}; barrier.cluster.wait{.acquire}{.aligned}. */
static bool lower_cluster_barrier(struct lower *lower)
{
    const bool arrive = lower_take(lower, "arrive");
    if (!arrive && !lower_take(lower, "wait"))
        return lower_fail(lower, "it needs .arrive or .wait.");
    if (arrive && !lower_take(lower, "release"))
        lower_take(lower, "relaxed");
    else if (!arrive)
        lower_take(lower, "acquire");
    lower_take(lower, "aligned");
    return lower_take_end(lower) && lower_operand_count(lower, 0, 0) &&
           lower_emit(lower, arrive ? PROGRAM_CLUSTER_ARRIVE : PROGRAM_CLUSTER_WAIT, CLASS_BARRIER);
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
        return lower_cluster_barrier(lower);
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
    if (!made)
        return false;
    made->sub = barrier.vote;
    made->unaligned = !barrier.aligned;
    made->destination[0] = result;
    memcpy(made->source, slots, sizeof slots);
    return true;
}

/* ---- mbarrier ---- */
static const char *const mbarrier_orders[] = {"relaxed", "release", "acquire", NULL};
static const char *const mbarrier_scopes[] = {"cta", "cluster", NULL};
static const char *const mbarrier_spaces[] = {"shared", "shared::cta", "shared::cluster", NULL};

struct mbarrier {
    enum program_mbarrier action;
    enum ptx_space space;
    bool remote; /* .shared::cluster: gives no token */
    uint32_t address_slot;
    int64_t offset;
    bool is_32_bits;
};

/* {.sem}{.scope}{.space}.b64 */
static bool take_mbarrier_space(struct lower *lower, struct mbarrier *mbarrier)
{
    uint32_t index;
    lower_take_one(lower, mbarrier_orders, &index);
    lower_take_one(lower, mbarrier_scopes, &index);
    mbarrier->space = PTX_GENERIC;
    if (lower_take_one(lower, mbarrier_spaces, &index)) {
        mbarrier->space = PTX_SHARED;
        mbarrier->remote = index == 2;
    }
    return (lower_take(lower, "b64") || lower_fail(lower, "an mbarrier is a .b64.")) && lower_take_end(lower);
}

static bool take_mbarrier_address(struct lower *lower, uint32_t operand, struct mbarrier *mbarrier)
{
    return lower_address(lower, &lower->at->operands[operand], mbarrier->space, &mbarrier->address_slot,
                         &mbarrier->offset, &mbarrier->is_32_bits);
}

static struct program_instruction *emit_mbarrier(struct lower *lower, enum program_op op,
                                                 const struct mbarrier *mbarrier)
{
    struct program_instruction *const made = lower_emit(lower, op, CLASS_BARRIER);
    if (!made)
        return NULL;
    made->space = PTX_SHARED;
    made->width_bytes = 8;
    made->sub = (uint8_t)mbarrier->action;
    made->source[0] = mbarrier->address_slot;
    made->offset = mbarrier->offset;
    made->address_is_32_bits = mbarrier->is_32_bits;
    return made;
}

/* {state,} [a]{, count}: the operands after the address; a count that is not given is 1. */
static bool lower_mbarrier_change(struct lower *lower, struct mbarrier *mbarrier, bool gives_token,
                                  uint32_t least)
{
    const uint32_t first = gives_token ? 1 : 0;
    uint32_t count = PROGRAM_NO_SLOT, token = PROGRAM_NO_SLOT;
    if (!take_mbarrier_space(lower, mbarrier) || !lower_operand_count(lower, first + least, first + 2) ||
        !take_mbarrier_address(lower, first, mbarrier))
        return false;
    const struct ptx_operand *const operands = lower->at->operands;
    if (lower->at->operand_count == first + 2 &&
        !lower_source(lower, &operands[first + 1], PTX_U32, LOWER_SAME_SIZE, &count, NULL))
        return false;
    if (gives_token && operands[0].kind != PTX_OPERAND_SINK) {
        if (mbarrier->remote)
            return lower_fail(lower, "an arrival at .shared::cluster has no result but '_'.");
        if (!lower_destination(lower, &operands[0], PTX_B64, LOWER_SAME_SIZE, &token, NULL))
            return false;
    }
    struct program_instruction *const made = emit_mbarrier(lower, PROGRAM_MBARRIER, mbarrier);
    if (!made)
        return false;
    made->destination[0] = token;
    made->source[1] = count;
    return true;
}

/* p, [a], state|parity{, time hint} */
static bool lower_mbarrier_test(struct lower *lower, bool may_wait)
{
    const bool parity = lower_take(lower, "parity");
    struct mbarrier mbarrier = {.action = (enum program_mbarrier)parity};
    const struct ptx_operand *const operands = lower->at->operands;
    uint32_t predicate, phase, hint = PROGRAM_NO_SLOT;
    if (!take_mbarrier_space(lower, &mbarrier) || !lower_operand_count(lower, 3, may_wait ? 4 : 3) ||
        !lower_destination(lower, &operands[0], PTX_PRED, LOWER_SAME_SIZE, &predicate, NULL) ||
        !take_mbarrier_address(lower, 1, &mbarrier) ||
        !lower_source(lower, &operands[2], parity ? PTX_U32 : PTX_B64, LOWER_SAME_SIZE, &phase, NULL))
        return false;
    if (lower->at->operand_count == 4 &&
        !lower_source(lower, &operands[3], PTX_U32, LOWER_SAME_SIZE, &hint, NULL))
        return false;
    if (mbarrier.remote)
        return lower_fail(lower, "a thread can test only mbarriers of its own block.");
    struct program_instruction *const made = emit_mbarrier(lower, PROGRAM_MBARRIER_WAIT, &mbarrier);
    if (!made)
        return false;
    made->destination[0] = predicate;
    made->source[1] = phase;
    made->source[2] = hint;
    return true;
}

/* count, state */
static bool lower_mbarrier_pending(struct lower *lower)
{
    const struct mbarrier none = {.action = MBARRIER_DO_PENDING, .address_slot = PROGRAM_NO_SLOT};
    uint32_t count, token;
    if (!lower_take(lower, "b64"))
        return lower_fail(lower, "an mbarrier is a .b64.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 2, 2) ||
        !lower_destination(lower, &lower->at->operands[0], PTX_U32, LOWER_SAME_SIZE, &count, NULL) ||
        !lower_source(lower, &lower->at->operands[1], PTX_B64, LOWER_SAME_SIZE, &token, NULL))
        return false;
    struct program_instruction *const made = emit_mbarrier(lower, PROGRAM_MBARRIER, &none);
    if (!made)
        return false;
    made->destination[0] = count;
    made->source[1] = token;
    return true;
}

bool lower_mbarrier_copies(struct lower *lower)
{
    struct mbarrier mbarrier = {.action = lower_take(lower, "noinc") ? MBARRIER_DO_COPIES_NOINC
                                                                     : MBARRIER_DO_COPIES};
    if (!take_mbarrier_space(lower, &mbarrier) || !lower_operand_count(lower, 1, 1) ||
        !take_mbarrier_address(lower, 0, &mbarrier))
        return false;
    return emit_mbarrier(lower, PROGRAM_MBARRIER, &mbarrier) != NULL;
}

bool lower_mbarrier(struct lower *lower)
{
    enum { ARRIVE, DROP, INIT, INVAL, EXPECT, COMPLETE, TEST, TRY, PENDING };
    static const char *const ways[] = {"arrive",      "arrive_drop", "init",     "inval",         "expect_tx",
                                       "complete_tx", "test_wait",   "try_wait", "pending_count", NULL};
    static const enum program_mbarrier actions[] = {MBARRIER_DO_ARRIVE, MBARRIER_DO_DROP,
                                                    MBARRIER_DO_INIT,   MBARRIER_DO_INVAL,
                                                    MBARRIER_DO_EXPECT, MBARRIER_DO_COMPLETE};
    uint32_t way;
    if (!lower_take_one(lower, ways, &way))
        return lower_fail(lower, "the model does not know this operation on an mbarrier.");
    struct mbarrier mbarrier = {.action = way <= COMPLETE ? actions[way] : MBARRIER_DO_PENDING};
    switch (way) {
    case INVAL: return lower_mbarrier_change(lower, &mbarrier, false, 1);
    case INIT:
    case EXPECT:
    case COMPLETE: return lower_mbarrier_change(lower, &mbarrier, false, 2);
    case TEST:
    case TRY: return lower_mbarrier_test(lower, way == TRY);
    case PENDING: return lower_mbarrier_pending(lower);
    default: break;
    }
    const bool expects = lower_take(lower, "expect_tx");
    if (expects)
        mbarrier.action = way == ARRIVE ? MBARRIER_DO_EXPECT_ARRIVE : MBARRIER_DO_EXPECT_DROP;
    else
        lower_take(lower, "noComplete");
    return lower_mbarrier_change(lower, &mbarrier, true, expects ? 2 : 1);
}

/* ---- fences ---- */
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
    static const char *const places[] = {"global", "shared::cta", "shared::cluster", NULL};
    static const char *const restrictions[] = {"sync_restrict::shared::cta", "sync_restrict::shared::cluster",
                                               NULL};
    uint32_t index, order = 0;
    uint8_t sync = 0;
    bool known;
    if (lower_take(lower, "mbarrier_init")) {
        known = lower_take(lower, "release") && lower_take(lower, "cluster");
    } else if (lower_take(lower, "proxy")) {
        known = lower_take_one(lower, proxies, &index);
        sync = index > 0 ? SYNC_PROXY : 0;
        lower_take_one(lower, places, &index);
        /* fence.proxy.async::generic.acquire|release.sync_restrict::... .cluster */
        lower_take_one(lower, orders, &index);
        lower_take_one(lower, restrictions, &index);
        lower_take(lower, "cluster");
    } else if (strcmp(lower->at->opcode, "membar") == 0) {
        known = lower_take_one(lower, levels, &index);
        sync = SYNC_ACQUIRE | SYNC_RELEASE | (index == 2 ? SYNC_SYSTEM : 0);
    } else {
        lower_take_one(lower, orders, &order);
        lower_take_one(lower, restrictions, &index);
        known = lower_take_one(lower, scopes, &index);
        sync = order == 2 ? SYNC_ACQUIRE : order == 3 ? SYNC_RELEASE : SYNC_ACQUIRE | SYNC_RELEASE;
        sync |= index == 3 ? SYNC_SYSTEM : 0;
    }
    if (!known)
        return lower_fail(lower, "the model does not support this kind of fence.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 0, 0))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_FENCE, CLASS_MEMORY);
    if (!made)
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
    if (!made)
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

/* ---- the lanes of a warp together ---- */

/* Instructions that the lanes of a warp execute together: PTX ISA 9.0, 9.7.9.5, .6, 9.7.13.8 to .12. */

/* Emits the instruction with these fields, once all its operands are known. */
static bool finish_instruction(struct lower *lower, enum program_op op,
                               const struct program_instruction *parts)
{
    struct program_instruction *const made = lower_emit(lower, op, CLASS_CONTROL);
    if (!made)
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
