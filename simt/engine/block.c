/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and barriers of simt/engine/worker.h. */
#include "simt/engine/worker.h"

#include "simt/engine/async.h"
#include "simt/engine/batch.h"
#include "simt/engine/warp_undefined.h"

#include <sched.h>
#include <string.h>

/* If in so many rounds over all warps of a block, in which each warp yields after many polls of memory,
 * nothing changes, nothing will change any more. */
#define IDLE_ROUNDS_MAX 64
/* The same for tests of mbarriers that give up. */
#define EXPIRED_MAX 64

/* ---- barriers ---- */
static const uint32_t *barrier_operand(const struct warp *warp, const struct program_instruction *instruction,
                                       int i)
{
    return instruction->source[i] == PROGRAM_NO_SLOT
               ? NULL
               : (const uint32_t *)(const void *)(warp->frame + instruction->source[i]);
}

/* Stores the result of bar.red for the lanes of a path. */
static void barrier_give(const struct block_barrier *barrier, const struct warp *warp,
                         const struct program_instruction *instruction, uint32_t lanes)
{
    if (instruction->op != PROGRAM_BAR_RED)
        return;
    uint32_t *to = (uint32_t *)(void *)(warp->frame + instruction->destination[0]);
    bool all = barrier->votes == barrier->arrived, any = barrier->votes > 0;
    if (instruction->sub == VOTE_POPC) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            to[lane] = lanes >> lane & 1u ? barrier->votes : to[lane];
    } else {
        bool answer = instruction->sub == VOTE_ALL ? all : any;
        *to = (*to & ~lanes) | (answer ? lanes : 0);
    }
}

/* Lanes of the warp that have not ended are elsewhere when these pass the barrier. */
static void barrier_check_whole(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on)
{
    if (worker->run->check && on != warp->alive && !warp->apart &&
        !worker->run->program->instructions[pc].unaligned) {
        struct check_report report =
            worker_report(worker, warp, CHECK_DIVERGENT_BARRIER, pc, (uint32_t)__builtin_ctz(on));
        check_add(&worker->checks, &report);
    }
}

/* Parts of a block that meet at two instructions. Named barriers for a number of threads may be used so. */
static void barrier_check_same(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                               struct block_barrier *barrier)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t first = (uint32_t)__builtin_ctz(on);
    if (!worker->run->check || instruction->unaligned || barrier->expected)
        return;
    if (!barrier->came) {
        barrier->first_pc = pc;
        barrier->first_thread = warp->index * WARP_LANES + first;
    } else if (barrier->first_pc != pc) {
        struct check_report report = worker_report(worker, warp, CHECK_SPLIT_BARRIER, pc, first);
        report.has_other = true;
        report.other_program = worker->run->program;
        report.other_instruction = barrier->first_pc;
        worker_thread(worker->run, barrier->first_thread, report.other_thread);
        check_add(&worker->checks, &report);
    }
}

static void barrier_open(struct worker *worker, uint32_t number)
{
    struct block_barrier *barrier = &worker->block.barriers[number];
    for (uint32_t left = barrier->waiting; left; left &= left - 1) {
        struct warp *warp = &worker->warps[__builtin_ctz(left)];
        for (uint32_t at = 0; at < warp->path_count; at++) {
            struct warp_path *path = &warp->paths[at];
            if (path->state == WARP_PATH_AT_BARRIER && path->barrier == number) {
                barrier_check_whole(worker, warp, path->pc - 1, path->mask);
                barrier_give(barrier, warp, &worker->run->program->instructions[path->pc - 1], path->mask);
                path->state = WARP_PATH_READY;
                warp->waits = false;
            }
        }
    }
    if (worker->order)
        order_meet(worker->order, barrier->came, barrier->waiting);
    *barrier = (struct block_barrier){0};
    worker->block.awaited &= ~(1u << number);
    worker->counter.barriers++;
    worker->block.changes++;
}

static void barrier_try(struct worker *worker, uint32_t number)
{
    const struct block_barrier *barrier = &worker->block.barriers[number];
    uint32_t expected = barrier->expected ? barrier->expected : worker->block.alive;
    if (barrier->arrived >= expected)
        barrier_open(worker, number);
}

/* A lane of `on` that names another barrier, or another number of threads, than the first lane; WARP_LANES:
 * there is none. */
static uint32_t barrier_other_lane(const struct warp *warp, const struct program_instruction *instruction,
                                   uint32_t on)
{
    uint32_t first = (uint32_t)__builtin_ctz(on);
    for (int i = 0; i < 2; i++) {
        const uint32_t *operand = barrier_operand(warp, instruction, i);
        if (operand && memcmp(operand, operand + 1, (WARP_LANES - 1) * sizeof *operand) == 0)
            continue; /* a constant, mostly */
        for (uint32_t left = operand ? on : 0; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            if (operand[lane] != operand[first])
                return lane;
        }
    }
    return WARP_LANES;
}

bool block_arrive(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t first = (uint32_t)__builtin_ctz(on);
    const uint32_t *numbers = barrier_operand(warp, instruction, 0),
                   *counts = barrier_operand(warp, instruction, 1);
    uint32_t number = numbers ? numbers[first] : 0, expected = counts ? counts[first] : 0;
    bool arrive = instruction->op == PROGRAM_BAR_ARRIVE;
    uint32_t other = barrier_other_lane(warp, instruction, on);
    if (other < WARP_LANES || number >= BLOCK_BARRIERS || expected % WARP_LANES ||
        expected > BLOCK_WARPS_MAX * WARP_LANES || (arrive && !expected)) {
        worker->fault = worker_report(worker, warp, CHECK_ILLEGAL_BARRIER, pc, first);
        worker->fault.barrier = number;
        worker->fault.barrier_threads = expected;
        if (other < WARP_LANES) {
            worker->fault.has_other = true;
            worker_thread(worker->run, warp->index * WARP_LANES + other, worker->fault.other_thread);
        }
        return false;
    }
    if (arrive)
        barrier_check_whole(worker, warp, pc, on);
    struct block_barrier *barrier = &worker->block.barriers[number];
    barrier->expected = expected;
    barrier_check_same(worker, warp, pc, on, barrier);
    worker->block.awaited |= 1u << number;
    barrier->arrived += expected && on == warp->alive ? WARP_LANES : (uint32_t)__builtin_popcount(on);
    barrier->came |= 1u << warp->index;
    if (instruction->op == PROGRAM_BAR_RED)
        barrier->votes += (uint32_t)__builtin_popcount(on & *barrier_operand(warp, instruction, 2));
    if (!arrive) {
        barrier->waiting |= 1u << warp->index;
        warp->paths[path].state = WARP_PATH_AT_BARRIER;
        warp->paths[path].barrier = number;
    }
    barrier_try(worker, number);
    return true;
}

void block_threads_end(struct worker *worker, uint32_t threads)
{
    worker->block.alive -= threads;
    worker->block.changes++;
    for (uint32_t left = worker->block.alive ? worker->block.awaited : 0; left; left &= left - 1)
        barrier_try(worker, (uint32_t)__builtin_ctz(left));
}

/* ---- a block that cannot continue ---- */
static uint32_t waiting_lanes(const struct warp *warp, enum warp_path_state state, uint32_t barrier)
{
    uint32_t lanes = 0;
    for (uint32_t at = 0; at < warp->path_count; at++) {
        const struct warp_path *path = &warp->paths[at];
        if (path->state == state && (state != WARP_PATH_AT_BARRIER || path->barrier == barrier))
            lanes |= path->mask;
    }
    return lanes;
}

/* Fills in the threads that wait at the barrier, and one that does not. */
static void deadlock_at_barrier(const struct worker *worker, uint32_t number, struct check_report *report)
{
    const struct run *run = worker->run;
    uint32_t expected = worker->block.barriers[number].expected;
    report->barrier = number;
    report->barrier_threads = expected ? expected : worker->block.alive;
    for (uint32_t i = 0; i < run->warps; i++) {
        const struct warp *warp = &worker->warps[i];
        uint32_t lanes = waiting_lanes(warp, WARP_PATH_AT_BARRIER, number), others = warp->alive & ~lanes;
        report->waiting_threads += (uint32_t)__builtin_popcount(lanes);
        if (others && !report->has_other) {
            report->has_other = true;
            worker_thread(run, i * WARP_LANES + (uint32_t)__builtin_ctz(others), report->other_thread);
        }
    }
}

static void deadlock_at_members(const struct worker *worker, const struct warp *warp,
                                const struct warp_path *path, struct check_report *report)
{
    uint32_t others = warp_members_missing(worker, warp, (uint32_t)(path - warp->paths));
    uint32_t outside = warp_members_outside(worker, warp, path, &report->members);
    if (outside) {
        report->kind = CHECK_MASK;
        worker_thread(worker->run, warp->index * WARP_LANES + (uint32_t)__builtin_ctz(outside),
                      report->thread);
        return;
    }
    report->waiting_threads = (uint32_t)__builtin_popcount(path->mask);
    if (others) {
        report->has_other = true;
        worker_thread(worker->run, warp->index * WARP_LANES + (uint32_t)__builtin_ctz(others),
                      report->other_thread);
    }
}

static void deadlock_at_wait(struct worker *worker, const struct warp *warp, const struct warp_path *path,
                             struct check_report *report)
{
    for (uint32_t i = 0; i < worker->run->warps; i++)
        report->waiting_threads +=
            (uint32_t)__builtin_popcount(waiting_lanes(&worker->warps[i], path->state, 0));
    if (path->state == WARP_PATH_AT_CLUSTER)
        report->at_cluster = true;
    else
        warp_mbarrier_describe(worker, warp, path->pc, path->barrier, report);
}

/* Does the loop poll managed, mapped or registered memory? */
static void deadlock_in_loop(const struct worker *worker, struct check_report *report)
{
    const struct program *program = worker->run->program;
    for (uint32_t pc = 0; pc < program->instruction_count && !report->polls_host; pc++) {
        const struct memory_range *range = worker->last_range[pc];
        if (!program->instructions[pc].strong || !range || range->gpu != MEMORY_EVERY_GPU)
            continue;
        report->polls_host = true;
        report->range_address = range->address;
        report->range_bytes = range->size_bytes;
    }
}

void block_report_deadlock(struct worker *worker)
{
    /* What polls comes first: the others mostly wait for it. */
    static const enum warp_path_state order[] = {WARP_PATH_READY, WARP_PATH_AT_MEMBERS, WARP_PATH_AT_MBARRIER,
                                                 WARP_PATH_AT_BARRIER, WARP_PATH_AT_CLUSTER};
    for (size_t kind = 0; kind < sizeof order / sizeof order[0]; kind++) {
        for (uint32_t i = 0; i < worker->run->warps; i++) {
            const struct warp *warp = &worker->warps[i];
            for (uint32_t at = 0; at < warp->path_count; at++) {
                const struct warp_path *path = &warp->paths[at];
                if (path->state != order[kind])
                    continue;
                uint32_t pc = order[kind] == WARP_PATH_AT_BARRIER ? path->pc - 1 : path->pc;
                struct check_report report =
                    worker_report(worker, warp, CHECK_DEADLOCK, pc, (uint32_t)__builtin_ctz(path->mask));
                if (order[kind] == WARP_PATH_AT_BARRIER) {
                    barrier_check_whole(worker, warp, pc, path->mask);
                    deadlock_at_barrier(worker, path->barrier, &report);
                } else if (order[kind] == WARP_PATH_AT_MEMBERS) {
                    deadlock_at_members(worker, warp, path, &report);
                } else if (order[kind] != WARP_PATH_READY) {
                    deadlock_at_wait(worker, warp, path, &report);
                } else {
                    deadlock_in_loop(worker, &report);
                }
                worker->fault = report;
                return;
            }
        }
    }
}

/* ---- a block ---- */
/* Fills the special registers that are constant for this block and warp. */
static void warp_fill_specials(const struct worker *worker, struct warp *warp)
{
    const struct run *run = worker->run;
    for (uint32_t i = 0; i < run->program->special_count; i++) {
        enum program_special special = run->program->specials[i].special;
        uint32_t *slot = (uint32_t *)(void *)(warp->frame + run->program->specials[i].slot);
        uint32_t value;
        switch (special) {
        case SPECIAL_TID_X:
        case SPECIAL_TID_Y:
        case SPECIAL_TID_Z:
            memcpy(slot, &run->thread_indices[(warp->index * 3 + (special - SPECIAL_TID_X)) * WARP_LANES],
                   WARP_LANES * sizeof *slot);
            continue;
        case SPECIAL_CTAID_X:
        case SPECIAL_CTAID_Y:
        case SPECIAL_CTAID_Z: value = worker->block.index[special - SPECIAL_CTAID_X]; break;
        case SPECIAL_WARPID: value = warp->index; break;
        case SPECIAL_CLUSTERID_X:
        case SPECIAL_CLUSTERID_Y:
        case SPECIAL_CLUSTERID_Z: {
            uint32_t axis = special - SPECIAL_CLUSTERID_X;
            value = worker->block.index[axis] / run->cluster[axis];
            break;
        }
        case SPECIAL_CLUSTER_CTAID_X:
        case SPECIAL_CLUSTER_CTAID_Y:
        case SPECIAL_CLUSTER_CTAID_Z: {
            uint32_t axis = special - SPECIAL_CLUSTER_CTAID_X;
            value = worker->block.index[axis] % run->cluster[axis];
            break;
        }
        case SPECIAL_CLUSTER_CTARANK: value = worker->block.rank; break;
        case SPECIAL_SMID: value = worker->block.multiprocessor; break;
        default: continue; /* the same for all warps: already in the frame that is copied */
        }
        for (int lane = 0; lane < WARP_LANES; lane++)
            slot[lane] = value;
    }
}

bool block_begin(struct worker *worker, uint64_t number)
{
    const struct run *run = worker->run;
    struct block *block = &worker->block;
    const uint32_t *grid = run->launch->grid;
    uint64_t place = run->reverse ? run->blocks - 1 - number : number; /* in the grid */
    block->number = number;
    block->index[0] = (uint32_t)(place % grid[0]);
    block->index[1] = (uint32_t)(place / grid[0] % grid[1]);
    block->index[2] = (uint32_t)(place / grid[0] / grid[1]);
    block->alive = run->threads;
    block->executed = block->looked = 0;
    block->waited_cycles = block->expired = 0;
    block->handoffs = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    block->awaited = 0;
    if (run->shared_bytes)
        memset(block->shared.bytes, BLOCK_FILL, run->shared_bytes);
    if (block->shared.initialised)
        memset(block->shared.initialised, 0, run->shared_bytes / 8 + 1);
    if (worker->order)
        order_begin(worker->order, &run->races->launch, (uint32_t)place);
    worker->counter.blocks++;
    worker->counter.warps += run->warps;
    for (uint32_t i = 0; i < run->warps; i++) {
        struct warp *warp = &worker->warps[i];
        uint32_t threads = run->threads - i * WARP_LANES;
        memcpy(warp->frame, run->frame, run->program->initial_bytes);
        undefined_begin(warp);
        warp->polls_at_once = run->polls_at_once;
        warp_fill_specials(worker, warp);
        if (run->local_bytes) {
            memset(warp->local, BLOCK_FILL, run->local_bytes * WARP_LANES);
            warp->local_address =
                MEMORY_LOCAL_WINDOW +
                ((uint64_t)block->multiprocessor * BLOCK_WARPS_MAX + i) * run->local_bytes * WARP_LANES;
        }
        if (warp->local_written)
            memset(warp->local_written, 0, run->local_bytes * WARP_LANES / 8 + 1);
        if (!warp_start(warp, threads >= WARP_LANES ? WARP_ALL_LANES : (1u << threads) - 1u))
            return false;
    }
    return true;
}

/* Paths that wait at an mbarrier or a cluster's barrier continue where they can, or where their time is over.
 */
static bool block_wake(struct worker *worker, bool expire, bool *woken)
{
    for (uint32_t i = 0; i < worker->run->warps; i++)
        if (worker->warps[i].alive && !warp_wake(worker, &worker->warps[i], expire, woken))
            return false;
    return true;
}

/* All warps wait at mbarriers: let their try_waits time out, as on a GPU after a while; false: none did, or that
 * has not helped so far. */
static bool block_expire(struct worker *worker)
{
    struct block *block = &worker->block;
    bool woken = false;
    if (block->changes - block->computed != block->expired_at)
        block->expired = 0;
    block->expired_at = block->changes - block->computed;
    return block->expired++ < EXPIRED_MAX && block_wake(worker, true, &woken) && woken;
}

/* One round over the warps: each runs until it stops. */
enum block_round { ROUND_RAN, ROUND_POLLED, ROUND_STUCK, ROUND_ENDED };

static enum block_end block_round(struct worker *worker, enum block_round *round)
{
    bool alive = false, ran = false, polled = false, woken = false;
    const uint32_t warps = worker->run->warps;
    for (uint32_t i = 0; i < warps; i++) {
        struct warp *warp = &worker->warps[worker->run->reverse ? warps - 1 - i : i];
        if (warp->alive == 0)
            continue;
        alive = true;
        if (warp->waits)
            continue;
        worker->block.others = worker->block.executed - warp->executed;
        enum warp_stop stop = warp_run(worker, warp);
        warp->executed = worker->block.executed - worker->block.others;
        switch (stop) {
        case WARP_FAILS: return BLOCK_FAILS;
        case WARP_CANCELS: return BLOCK_CANCELS;
        case WARP_NO_MEMORY: return BLOCK_NO_MEMORY;
        case WARP_POLLS: polled = true; break;
        default: ran = true; break;
        }
    }
    if (alive && !ran && !block_wake(worker, false, &woken))
        return BLOCK_FAILS;
    ran |= woken;
    *round = !alive ? ROUND_ENDED : ran ? ROUND_RAN : polled ? ROUND_POLLED : ROUND_STUCK;
    return BLOCK_ENDS;
}

/* Lanes that wait for the rest of their warp where they meet again continue alone while the rest is at a
 * barrier: since compute capability 7.0 every thread makes progress. */
static bool block_part_waiting(struct worker *worker, bool *parted)
{
    *parted = false;
    for (uint32_t i = 0; i < worker->run->warps; i++) {
        struct warp *warp = &worker->warps[i];
        for (uint32_t at = 0, count = warp->path_count; at < count; at++) {
            const struct warp_path *path = &warp->paths[at];
            if (path->state == WARP_PATH_AT_BARRIER)
                barrier_check_whole(worker, warp, path->pc - 1, path->mask);
            if (path->state != WARP_PATH_FORKED || warp_waiting_lanes(warp, at) == 0)
                continue;
            if (!warp_go_ahead(warp, at))
                return false;
            warp->waits = false;
            *parted = true;
        }
    }
    return true;
}

/* The outcome of a round that is stuck; BLOCK_ENDS: the block continues. */
static enum block_end block_unstick(struct worker *worker)
{
    bool parted;
    if (!block_part_waiting(worker, &parted))
        return BLOCK_NO_MEMORY;
    if (parted || block_expire(worker))
        return BLOCK_ENDS;
    block_report_deadlock(worker);
    return BLOCK_FAILS;
}

/* Whether a path waits for what another block of the cluster can do. */
static bool block_waits_for_cluster(const struct worker *worker)
{
    for (uint32_t i = 0; worker->cluster->size > 1 && i < worker->run->warps; i++) {
        const struct warp *warp = &worker->warps[i];
        for (uint32_t at = 0; at < warp->path_count; at++)
            if (warp->paths[at].state == WARP_PATH_AT_MBARRIER ||
                warp->paths[at].state == WARP_PATH_AT_CLUSTER)
                return true;
    }
    return false;
}

enum block_end block_go_on(struct worker *worker, bool idle, bool *ran)
{
    bool gave_up = false; /* then only changes of memory show that the block makes progress */
    for (;;) {
        enum block_round round = ROUND_RAN;
        uint64_t changes = worker->block.changes;
        enum block_end end = block_round(worker, &round);
        *ran |= (round == ROUND_RAN && !gave_up) || round == ROUND_ENDED || worker->block.changes != changes;
        if (end != BLOCK_ENDS)
            return end;
        if (round == ROUND_ENDED)
            return bulk_end(worker) ? BLOCK_ENDS : BLOCK_FAILS;
        if (round == ROUND_POLLED)
            return BLOCK_POLLS;
        if (round == ROUND_STUCK) {
            bool cluster = block_waits_for_cluster(worker);
            if (cluster && (!idle || gave_up))
                return BLOCK_POLLS;
            if (cluster) {
                bool parted;
                if (!block_part_waiting(worker, &parted))
                    return BLOCK_NO_MEMORY;
                gave_up = !parted;
                if (!parted && !block_wake(worker, true, &parted))
                    return BLOCK_FAILS;
                if (!parted)
                    return BLOCK_POLLS;
                continue;
            }
            end = block_unstick(worker);
            if (end != BLOCK_ENDS)
                return end;
        }
        if (worker_must_stop(worker))
            return BLOCK_CANCELS;
    }
}

enum block_end block_run(struct worker *worker, uint64_t number)
{
    worker->cluster = &worker->alone;
    worker->block.rank = 0;
    cluster_begin(&worker->alone, number, 1, worker->run->threads);
    cluster_add(&worker->alone, 0, &worker->block.shared);
    if (!block_begin(worker, number))
        return BLOCK_NO_MEMORY;
    uint64_t changes = worker->block.changes;
    uint32_t idle = 0;
    bool alone = false;
    for (;;) {
        enum block_round round = ROUND_RAN;
        enum block_end end = block_round(worker, &round);
        if (end != BLOCK_ENDS)
            return end;
        if (round == ROUND_ENDED)
            return bulk_end(worker) ? BLOCK_ENDS : BLOCK_FAILS;
        if (round == ROUND_RAN)
            continue;
        /* A worker that runs an earlier block may change the polled memory until that block ends: only
         * rounds after its end count. */
        idle = alone && worker->block.changes == changes ? idle + 1 : 0;
        changes = worker->block.changes;
        alone = batches_have_ended_before(worker);
        if (round == ROUND_STUCK) {
            end = block_unstick(worker);
            if (end != BLOCK_ENDS)
                return end;
            continue;
        }
        if (alone && idle > 0 && block_expire(worker))
            continue;
        if (worker->run->blocks > 1 &&
            (atomic_load(&worker->run->turns) || (alone && idle > IDLE_ROUNDS_MAX))) {
            atomic_store(&worker->run->turns, true);
            return BLOCK_POLLS;
        }
        if (alone && idle > IDLE_ROUNDS_MAX) {
            block_report_deadlock(worker);
            return BLOCK_FAILS;
        }
        if (worker_must_stop(worker))
            return BLOCK_CANCELS;
        if (!alone)
            sched_yield();
    }
}
