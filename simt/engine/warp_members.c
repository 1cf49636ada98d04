/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that lanes execute together: shuffles, votes, matches, reductions over a warp, its barrier.
 * Lanes that name the same members are a group; lanes of one path may belong to different groups. A group
 * waits until all its members that have not ended have arrived, on any paths. Then the operands of each lane
 * are gathered from the instruction that its path is at, and results are returned the same way.
 */
#include "simt/engine/warp_undefined.h"

#include <string.h>

/* Index of the source that is the member mask; -1: the instruction has none (PTX before 6.0). */
static int member_source(const struct program_instruction *instruction)
{
    switch ((enum program_op)instruction->op) {
    case PROGRAM_SHFL: return 3;
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX: return 1;
    case PROGRAM_ELECT:
    case PROGRAM_BAR_WARP: return 0;
    default: return -1;
    }
}

static const uint32_t *slot_32(const struct warp *warp, uint32_t slot)
{
    return (const uint32_t *)(const void *)(warp->frame + slot);
}

uint32_t warp_same_members(const struct warp *warp, const struct program_instruction *instruction,
                           uint32_t on)
{
    int source = member_source(instruction);
    if (source < 0 || instruction->source[source] == PROGRAM_NO_SLOT)
        return on;
    const uint32_t *named = slot_32(warp, instruction->source[source]);
    uint32_t first = named[__builtin_ctz(on)], differ = 0, same = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        differ |= named[lane] ^ first;
    if (differ == 0) /* the usual case; the loop above is a few vector instructions */
        return on;
    for (uint32_t lane = 0; lane < 32; lane++)
        same |= (uint32_t)(named[lane] == first) << lane;
    return same & on;
}

static uint32_t members_named(const struct warp *warp, const struct program_instruction *instruction,
                              uint32_t group)
{
    int source = member_source(instruction);
    if (source < 0 || instruction->source[source] == PROGRAM_NO_SLOT)
        return group;
    return slot_32(warp, instruction->source[source])[__builtin_ctz(group)];
}

uint32_t warp_members(const struct warp *warp, const struct program_instruction *instruction, uint32_t group)
{
    return members_named(warp, instruction, group) & warp->alive;
}

/* The result of a lane that is not in its own mask is undefined in PTX: here the lane takes part. */
static void members_check(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t group)
{
    if (!worker->run->check)
        return;
    uint32_t named = members_named(warp, &worker->run->program->instructions[pc], group);
    if (group & ~named) {
        struct check_report report =
            worker_report(worker, warp, CHECK_NOT_A_MEMBER, pc, (uint32_t)__builtin_ctz(group & ~named));
        report.members = named;
        check_add(&worker->checks, &report);
    }
}

bool warp_votes_inside(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t group)
{
    uint32_t named = members_named(warp, &worker->run->program->instructions[pc], group);
    if ((group & ~named) == 0)
        return true;
    worker->fault = worker_report(worker, warp, CHECK_MASK, pc, (uint32_t)__builtin_ctz(group & ~named));
    worker->fault.members = named;
    return false;
}

/* Operands and results of the lanes. */
struct members {
    uint32_t lanes;
    uint64_t value[32];
    uint32_t b[32], c[32]; /* of a shuffle */
    uint32_t result[32];
    uint8_t from[32]; /* of a shuffle: the lane whose value a lane gets */
    uint32_t flags;   /* a predicate: the second result, or the only one of a vote */
};

static uint64_t member_value(const struct warp *warp, const struct program_instruction *instruction,
                             uint32_t lane)
{
    const uint8_t *slot = warp->frame + instruction->source[0];
    if (instruction->op == PROGRAM_VOTE)
        return *(const uint32_t *)(const void *)slot >> lane & 1u;
    bool wide = instruction->op == PROGRAM_MATCH && ptx_type_bytes((enum ptx_type)instruction->type) == 8;
    return wide ? ((const uint64_t *)(const void *)slot)[lane] : ((const uint32_t *)(const void *)slot)[lane];
}

/* The operands of the lanes `on`. A shuffle may name a lane outside its mask: the result is undefined in PTX.
 * An H200 gives the lane's register if that lane executes the shuffle too (it is one of `here`), else 0. */
static void members_gather(struct members *members, const struct warp *warp,
                           const struct program_instruction *instruction, uint32_t on, uint32_t here)
{
    if (instruction->op == PROGRAM_BAR_WARP)
        return;
    bool first = members->lanes == 0;
    members->lanes |= on;
    if (instruction->op != PROGRAM_SHFL) {
        for (uint32_t left = first ? WARP_ALL_LANES : on; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            members->value[lane] = member_value(warp, instruction, lane);
        }
        return;
    }
    const uint32_t *value = slot_32(warp, instruction->source[0]), *b = slot_32(warp, instruction->source[1]),
                   *c = slot_32(warp, instruction->source[2]);
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (first || on >> lane & 1u) {
            members->value[lane] = here >> lane & 1u ? value[lane] : 0;
            members->b[lane] = b[lane];
            members->c[lane] = c[lane];
        }
    }
}

static void members_scatter(const struct members *members, const struct warp *warp,
                            const struct program_instruction *instruction, uint32_t on)
{
    bool flag_only = instruction->op == PROGRAM_VOTE && instruction->sub != VOTE_BALLOT;
    uint32_t flag_slot = instruction->destination[flag_only ? 0 : 1];
    bool flag = flag_only || instruction->op == PROGRAM_SHFL || instruction->op == PROGRAM_MATCH ||
                instruction->op == PROGRAM_ELECT;
    if (instruction->op == PROGRAM_BAR_WARP)
        return;
    if (flag && flag_slot != PROGRAM_NO_SLOT) {
        uint32_t *predicate = (uint32_t *)(void *)(warp->frame + flag_slot);
        *predicate = (*predicate & ~on) | (members->flags & on);
    }
    if (flag_only || instruction->destination[0] == PROGRAM_NO_SLOT)
        return;
    uint32_t *to = (uint32_t *)(void *)(warp->frame + instruction->destination[0]);
    for (uint32_t lane = 0; lane < 32; lane++)
        to[lane] = on >> lane & 1u ? members->result[lane] : to[lane];
}

/* ---- operations ---- */
/* PTX ISA 9.0, shfl.sync: follows the target semantics literally. */
static void members_shuffle(struct members *members, enum program_shfl how)
{
    members->flags = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t b = members->b[lane] & 0x1f, c = members->c[lane] & 0x1f,
                 segment = members->c[lane] >> 8 & 0x1f;
        uint32_t most = (lane & segment) | (c & ~segment), from = lane;
        bool inside = true;
        switch (how) {
        case SHFL_UP:
            from = lane - b;
            inside = (int32_t)from >= (int32_t)most;
            break;
        case SHFL_DOWN:
            from = lane + b;
            inside = from <= most;
            break;
        case SHFL_BFLY:
            from = lane ^ b;
            inside = from <= most;
            break;
        case SHFL_IDX:
            from = (lane & segment) | (b & ~segment);
            inside = from <= most;
            break;
        }
        members->from[lane] = (uint8_t)(inside ? from & 31u : lane);
        members->result[lane] = (uint32_t)members->value[members->from[lane]];
        members->flags |= (uint32_t)inside << lane;
    }
}

static void members_vote(struct members *members, enum program_vote how)
{
    uint32_t yes = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        yes |= (uint32_t)(members->value[lane] != 0) << lane;
    yes &= members->lanes;
    bool all = yes == members->lanes, any = yes != 0;
    bool answer = how == VOTE_ALL ? all : how == VOTE_ANY ? any : all || !any;
    members->flags = answer ? UINT32_MAX : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        members->result[lane] = yes;
}

static void members_match(struct members *members, bool all)
{
    members->flags = 0;
    for (uint32_t left = members->lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), alike = 0;
        for (uint32_t others = members->lanes; others; others &= others - 1) {
            uint32_t other = (uint32_t)__builtin_ctz(others);
            alike |= (uint32_t)(members->value[lane] == members->value[other]) << other;
        }
        bool whole = alike == members->lanes;
        members->result[lane] = all && !whole ? 0 : alike;
        members->flags |= (uint32_t)whole << lane;
    }
}

/* Elects the lowest lane that has arrived. PTX does not say which one is elected. */
static void members_elect(struct members *members)
{
    uint32_t lowest = (uint32_t)__builtin_ctz(members->lanes);
    members->flags = 1u << lowest;
    for (uint32_t lane = 0; lane < 32; lane++)
        members->result[lane] = lowest;
}

static uint32_t reduce_two(enum program_atomic op, bool sign, uint32_t a, uint32_t b)
{
    bool less = sign ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case ATOMIC_MIN: return less ? a : b;
    case ATOMIC_MAX: return less ? b : a;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    default: return a + b;
    }
}

static void members_reduce(struct members *members, enum program_atomic op, bool sign)
{
    uint32_t first = (uint32_t)__builtin_ctz(members->lanes);
    uint32_t sum = (uint32_t)members->value[first];
    for (uint32_t left = members->lanes & (members->lanes - 1); left; left &= left - 1)
        sum = reduce_two(op, sign, sum, (uint32_t)members->value[__builtin_ctz(left)]);
    for (uint32_t lane = 0; lane < 32; lane++)
        members->result[lane] = sum;
}

static void members_compute(struct members *members, const struct program_instruction *instruction)
{
    switch ((enum program_op)instruction->op) {
    case PROGRAM_SHFL: members_shuffle(members, (enum program_shfl)instruction->sub); break;
    case PROGRAM_VOTE: members_vote(members, (enum program_vote)instruction->sub); break;
    case PROGRAM_MATCH: members_match(members, instruction->sub == 1); break;
    case PROGRAM_ELECT: members_elect(members); break;
    case PROGRAM_REDUX:
        members_reduce(members, (enum program_atomic)instruction->sub, instruction->type == PTX_S32);
        break;
    default: break;
    }
}

/* Groups of one instruction, or of several that lanes on different paths are at. */
struct members_call {
    struct warp *warp;
    const struct program_instruction *code;
    uint32_t pcs[32], lanes[32], here[32], count;
    struct members members;
};

static void members_run(void *context)
{
    struct members_call *call = context;
    call->members.lanes = 0;
    for (uint32_t i = 0; i < call->count; i++)
        members_gather(&call->members, call->warp, &call->code[call->pcs[i]], call->lanes[i], call->here[i]);
    members_compute(&call->members, &call->code[call->pcs[0]]);
    for (uint32_t i = 0; i < call->count; i++)
        members_scatter(&call->members, call->warp, &call->code[call->pcs[i]], call->lanes[i]);
}

/* Executes them, and follows values that depend on unwritten memory, or on lanes that are no more. */
static void members_perform(struct worker *worker, struct members_call *call)
{
    struct warp *warp = call->warp;
    if (warp->undefined.slots)
        undefined_exchange(worker, warp, call->pcs, call->count, members_run, call);
    else
        members_run(call);
    if (!worker->run->check || call->code[call->pcs[0]].op != PROGRAM_SHFL || warp->alive == WARP_ALL_LANES)
        return;
    for (uint32_t i = 0; i < call->count; i++) {
        uint32_t gone = 0;
        for (uint32_t left = call->lanes[i]; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            gone |= (~warp->alive >> call->members.from[lane] & 1u) << lane;
        }
        if (gone)
            undefined_returned(worker, warp, call->pcs[i], gone, call->members.from);
    }
}

void warp_execute_members(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, uint32_t here)
{
    const struct program_instruction *code = worker->run->program->instructions;
    struct members_call call;
    call.warp = warp;
    call.code = code;
    call.pcs[0] = pc;
    call.lanes[0] = on;
    call.here[0] = here;
    call.count = 1;
    members_check(worker, warp, pc, on);
    if (code[pc].op != PROGRAM_BAR_WARP)
        members_perform(worker, &call);
    else if (worker->order)
        order_meet_warp(worker->order, warp->index, on, warp->alive);
}

/* ---- members on several paths ---- */
/* Returns whether two paths wait at instructions that can be executed together. */
static bool members_agree(const struct program_instruction *a, uint32_t a_members,
                          const struct program_instruction *b, uint32_t b_members)
{
    return a->op == b->op && a->sub == b->sub && a_members == b_members;
}

/* Indices of the paths that wait for the same group as this one, including itself; their lanes in *lanes. */
static uint32_t members_at(const struct program_instruction *code, const struct warp *warp, uint32_t which,
                           uint32_t paths[32], uint32_t *lanes)
{
    const struct warp_path *one = &warp->paths[which];
    uint32_t members = members_named(warp, &code[one->pc], one->mask), count = 0;
    *lanes = 0;
    for (uint32_t at = 0; at < warp->path_count && count < 32; at++) {
        const struct warp_path *path = &warp->paths[at];
        if (path->state == WARP_PATH_AT_MEMBERS &&
            members_agree(&code[one->pc], members, &code[path->pc],
                          members_named(warp, &code[path->pc], path->mask))) {
            paths[count++] = at;
            *lanes |= path->mask;
        }
    }
    return count;
}

static void members_execute_apart(struct worker *worker, struct warp *warp, const uint32_t *paths,
                                  uint32_t count, uint32_t lanes)
{
    const struct program_instruction *code = worker->run->program->instructions;
    struct members_call call;
    call.warp = warp;
    call.code = code;
    call.count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct warp_path *path = &warp->paths[paths[i]];
        members_check(worker, warp, path->pc, path->mask);
        call.pcs[i] = path->pc;
        call.lanes[i] = call.here[i] = path->mask;
    }
    if (code[warp->paths[paths[0]].pc].op != PROGRAM_BAR_WARP)
        members_perform(worker, &call);
    for (uint32_t i = 0; i < count; i++) {
        struct warp_path *path = &warp->paths[paths[i]];
        path->state = WARP_PATH_READY;
        path->pc++;
    }
    if (worker->order && code[warp->paths[paths[0]].pc - 1].op == PROGRAM_BAR_WARP)
        order_meet_warp(worker->order, warp->index, lanes, warp->alive);
    for (uint32_t i = count - 1; i > 0; i--)
        warp_join(warp, paths[0], paths[i]);
}

bool warp_meet_members(struct worker *worker, struct warp *warp)
{
    const struct program_instruction *code = worker->run->program->instructions;
    bool any = false;
    for (uint32_t at = 0; at < warp->path_count; at++) {
        uint32_t paths[32], lanes;
        if (warp->paths[at].state != WARP_PATH_AT_MEMBERS)
            continue;
        uint32_t count = members_at(code, warp, at, paths, &lanes);
        const struct warp_path *path = &warp->paths[at];
        if ((warp_members(warp, &code[path->pc], path->mask) & ~lanes) == 0) {
            members_execute_apart(worker, warp, paths, count, lanes);
            any = true;
        }
    }
    return any;
}

uint32_t warp_members_outside(const struct worker *worker, const struct warp *warp,
                              const struct warp_path *path, uint32_t *named)
{
    *named = members_named(warp, &worker->run->program->instructions[path->pc], path->mask);
    return path->mask & ~*named;
}

uint32_t warp_members_missing(const struct worker *worker, const struct warp *warp, uint32_t path)
{
    const struct program_instruction *code = worker->run->program->instructions;
    const struct warp_path *one = &warp->paths[path];
    uint32_t paths[32], lanes;
    members_at(code, warp, path, paths, &lanes);
    return warp_members(warp, &code[one->pc], one->mask) & ~lanes;
}

uint32_t warp_waited_for(const struct worker *worker, const struct warp *warp)
{
    uint32_t missing = 0;
    for (uint32_t at = 0; at < warp->path_count; at++)
        if (warp->paths[at].state == WARP_PATH_AT_MEMBERS)
            missing |= warp_members_missing(worker, warp, at);
    for (uint32_t at = 0; missing && at < warp->path_count; at++)
        if (warp->paths[at].state == WARP_PATH_FORKED && (warp_waiting_lanes(warp, at) & missing))
            return at;
    return WARP_NO_PATH;
}
