/* The cause of a race is found by asking which of the rules that order two accesses failed last. */
#include "simt/check/race.h"

static void index_split(uint32_t number, const uint32_t size[3], uint32_t index[3])
{
    index[0] = number % size[0];
    index[1] = number / size[0] % size[1];
    index[2] = number / size[0] / size[1];
}

/* Returns whether a write is of a kind that flags are made of, and not counters. */
static bool writes_flag(const struct program_instruction *instruction)
{
    return instruction->op == PROGRAM_ST ||
           (instruction->op == PROGRAM_ATOM &&
            (instruction->sub == ATOMIC_EXCH || instruction->sub == ATOMIC_CAS));
}

/* A write that the block has observed, and that the other thread's warp made after the access. Within a block
 * an addition is rather a counter than a flag. */
static const struct order_seen *seen_find(const struct order *order, const struct program *program,
                                          const struct shadow_access *access)
{
    uint32_t count = order->seen_count < ORDER_SEEN ? order->seen_count : ORDER_SEEN;
    for (uint32_t i = 0; i < count; i++) {
        const struct order_seen *seen = &order->seen[i];
        if (seen->block == access->block && seen->warp == shadow_thread(access) / 32 &&
            seen->clock >= access->clock &&
            (access->block != order->block || writes_flag(&program->instructions[seen->instruction])))
            return seen;
    }
    return NULL;
}

static enum check_missing race_missing(const struct order *order, const struct program *program,
                                       const struct shadow_now *now, const struct shadow_access *other,
                                       uint32_t *flag)
{
    const struct known_table *table = &order->launch->known;
    const struct order_warp *warp = &order->warps[now->thread / 32];
    uint32_t of = shadow_thread(other) / 32;
    bool same_block = other->block == order->block;
    if (shadow_run(other) != order->launch->run)
        return MISSING_LAUNCH_ORDER;
    if (same_block && of == now->thread / 32)
        return MISSING_WARP_BARRIER;
    if (warp->acquired && (same_block ? other->clock <= warp->clock[of]
                                      : known_has(table, warp->known, other->block, of, other->clock)))
        return MISSING_LANE;
    if (shadow_kind(other) & now->kind & SHADOW_STRONG)
        return MISSING_ATOMIC_SCOPE;
    if (known_has(table, warp->pending[0], other->block, of, other->clock) ||
        known_has(table, warp->pending[1], other->block, of, other->clock))
        return MISSING_ACQUIRE;
    if (known_has(table, order->narrow, other->block, of, other->clock))
        return MISSING_FENCE_SCOPE;
    bool strong = (shadow_kind(other) | now->kind) & SHADOW_STRONG;
    const struct order_seen *seen = strong ? NULL : seen_find(order, program, other);
    if (seen) {
        *flag = seen->instruction;
        return MISSING_RELEASE;
    }
    return same_block ? MISSING_BARRIER : MISSING_ORDER;
}

void race_describe(const struct order *order, const struct shadow_now *now, bool shared,
                   const struct shadow_access *other, const struct program *program, const uint32_t grid[3],
                   const uint32_t block[3], struct check_report *report)
{
    const struct order_launch *launch = order->launch;
    uint32_t run = shadow_run(other);
    report->kind = shadow_kind(other) & SHADOW_COPY ? CHECK_EARLY_READ
                   : shared                         ? CHECK_RACE
                                                    : CHECK_GLOBAL_RACE;
    report->has_other = true;
    report->other_write = shadow_kind(other) & SHADOW_WRITES;
    report->other_instruction = shadow_instruction(other);
    report->missing = race_missing(order, program, now, other, &report->flag_instruction);
    report->other_program = program;
    const struct program_instruction *at = &program->instructions[now->instruction],
                                     *before = &program->instructions[report->other_instruction];
    report->guess =
        run == launch->run &&
        ((at->op == PROGRAM_LD && !at->strong && before->op == PROGRAM_ATOM && before->sub == ATOMIC_CAS) ||
         (before->op == PROGRAM_LD && !before->strong && at->op == PROGRAM_ATOM && at->sub == ATOMIC_CAS));
    if (run != launch->run) {
        const struct order_past *past = &launch->past[run - launch->first];
        report->other_program = past->program;
        grid = past->grid;
        block = past->block;
        report->other_copy = past->copy;
        report->other_stream = past->stream;
        if (!past->program)
            return;
    }
    index_split(shadow_thread(other), block, report->other_thread);
    index_split(other->block, grid, report->other_block);
}
