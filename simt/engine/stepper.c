/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decision is made before an instruction, when what the instruction before it has done is complete: a report, or
 * a change of watched bytes that no store or atomic announced, belongs to that one.
 */
#include "simt/engine/stepper.h"

#include "simt/engine/warp_memory.h"

#include <string.h>

void stepper_init(struct stepper *stepper)
{
    *stepper = (struct stepper){.mark = STEPPER_NEVER,
                                .stop_at = STEPPER_NEVER,
                                .previous = STEPPER_NEVER,
                                .kept = STEPPER_NEVER,
                                .last = STEPPER_NEVER};
}

void stepper_choose(struct stepper *stepper, uint64_t block, uint32_t warp)
{
    if (stepper->block == block && stepper->warp == warp)
        return;
    stepper->block = block;
    stepper->warp = warp;
    stepper->previous = STEPPER_NEVER;
}

struct stepper *stepper_begin(struct stepper *stepper, struct run *run)
{
    if (!stepper)
        return NULL;
    stepper->launch++;
    if (!stepper->wants(stepper->owner, stepper, run->program))
        return NULL;
    stepper->program = run->program;
    stepper->grid = run->launch;
    stepper->run = run;
    stepper->worker = NULL;
    stepper->begun = stepper->position;
    stepper->previous = stepper->last = stepper->kept = STEPPER_NEVER;
    stepper->reported = 0;
    stepper->watched_known = false;
    stepper->report = NULL;
    stepper->stopped(stepper->owner, stepper, STEPPER_BEGINS);
    return stepper;
}

void stepper_end(struct stepper *stepper, const struct check_report *fault)
{
    stepper->report = fault;
    stepper->worker = NULL;
    stepper->stopped(stepper->owner, stepper, STEPPER_ENDS);
    stepper->run = NULL;
}

/* ---- what an instruction accesses ---- */

static bool instruction_accesses(const struct program_instruction *instruction)
{
    if (instruction->op != PROGRAM_LD && instruction->op != PROGRAM_ST && instruction->op != PROGRAM_ATOM)
        return false;
    return instruction->space != PTX_PARAM || instruction->immediate == PROGRAM_NO_SLOT;
}

/* The addresses of the lanes `on`, by space; the number of spaces. */
static uint32_t accesses_of(const struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                            struct warp_spaces *spaces)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    if (!on || !instruction_accesses(instruction))
        return 0;
    warp_access_begin(&access, instruction, on, instruction->op != PROGRAM_LD);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   &access);
    if (instruction->space == PTX_GENERIC && warp_split_spaces(worker, &access, spaces))
        return spaces->count;
    spaces->count = 1;
    spaces->space[0] = instruction->space == PTX_GENERIC ? PTX_GLOBAL : (enum ptx_space)instruction->space;
    spaces->access[0] = access;
    return 1;
}

bool stepper_access(const struct stepper *stepper, enum ptx_space *space, struct warp_access *access)
{
    struct warp_spaces spaces;
    if (!stepper->worker ||
        !accesses_of(stepper->worker, stepper->at_warp, stepper->pc, stepper->on, &spaces))
        return false;
    *space = spaces.space[0];
    *access = spaces.access[0];
    return true;
}

/* Does the instruction write watched bytes? */
static bool writes_watched(const struct stepper *stepper, const struct worker *worker,
                           const struct warp *warp, uint32_t pc, uint32_t on)
{
    struct warp_spaces spaces;
    if (worker->run->program->instructions[pc].op == PROGRAM_LD)
        return false;
    uint32_t count = accesses_of(worker, warp, pc, on, &spaces);
    for (uint32_t i = 0; i < count; i++) {
        const struct warp_access *access = &spaces.access[i];
        if (spaces.space[i] != stepper->watch_space)
            continue;
        for (uint32_t left = access->active; left; left &= left - 1) {
            uint64_t address = access->address[__builtin_ctz(left)];
            if (address < stepper->watch_address + stepper->watch_bytes &&
                stepper->watch_address < address + access->width_bytes)
                return true;
        }
    }
    return false;
}

/* ---- memory ---- */

static size_t range_bytes(const struct memory_range *range, uint64_t address, uint8_t *bytes,
                          size_t size_bytes)
{
    if (!range || !range->bytes || address < range->address || address - range->address >= range->size_bytes)
        return 0;
    uint64_t offset = address - range->address, there = range->size_bytes - offset;
    size_t count = there < size_bytes ? (size_t)there : size_bytes;
    memcpy(bytes, range->bytes + offset, count);
    return count;
}

static size_t memory_bytes(const struct worker *worker, const struct warp *warp, enum ptx_space space,
                           uint32_t lane, uint64_t address, uint8_t *bytes, size_t size_bytes)
{
    const struct run *run = worker->run;
    size_t count = 0;
    switch (space) {
    case PTX_SHARED: return range_bytes(&worker->block.shared, address, bytes, size_bytes);
    case PTX_CONST: return range_bytes(&run->constants, address, bytes, size_bytes);
    case PTX_PARAM: return range_bytes(&run->parameters, address, bytes, size_bytes);
    case PTX_LOCAL:
        for (; count < size_bytes && address + count < run->local_bytes; count++)
            bytes[count] = warp->local[warp_local_place(address + count, lane)];
        return count;
    default: return range_bytes(memory_find(run->memory, address), address, bytes, size_bytes);
    }
}

size_t stepper_memory(const struct stepper *stepper, enum ptx_space space, uint32_t lane, uint64_t address,
                      uint8_t *bytes, size_t size_bytes)
{
    if (!stepper->worker) /* between launches there is global memory alone */
        return stepper->run && (space == PTX_GLOBAL || space == PTX_GENERIC)
                   ? range_bytes(memory_find(stepper->run->memory, address), address, bytes, size_bytes)
                   : 0;
    return memory_bytes(stepper->worker, stepper->at_warp, space, lane, address, bytes, size_bytes);
}

/* ---- the decision ---- */

/* The position at which the watched bytes are written: this one, or that of the instruction before, if it has changed
 * them without having been noticed as a store; STEPPER_NEVER: they are not. */
static uint64_t watch_look(struct stepper *stepper, struct worker *worker, struct warp *warp, uint32_t pc)
{
    uint8_t now[sizeof stepper->watched];
    uint64_t at = STEPPER_NEVER;
    if (stepper->watch_space == PTX_SHARED && worker->block.number != stepper->watch_block)
        return STEPPER_NEVER;
    size_t count = memory_bytes(worker, warp, stepper->watch_space, 0, stepper->watch_address, now,
                                (size_t)stepper->watch_bytes);
    bool changed = count && stepper->watched_known && memcmp(now, stepper->watched, count) != 0;
    if (changed && !stepper->stored)
        at = stepper->last;
    stepper->watched_known = count == stepper->watch_bytes;
    memcpy(stepper->watched, now, count);
    stepper->stored = writes_watched(stepper, worker, warp, pc, stepper->on);
    return stepper->stored ? stepper->position : at;
}

static const struct check_report *report_of(const struct check_result *checks, uint32_t pc)
{
    for (uint32_t i = 0; i < checks->report_count; i++)
        if (checks->reports[i].instruction == pc)
            return &checks->reports[i];
    return checks->report_count ? &checks->reports[checks->report_count - 1] : NULL;
}

/* Has a check reported something since the last look? */
static bool report_look(struct stepper *stepper, const struct worker *worker)
{
    uint64_t total = 0;
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        total += worker->checks.total[kind];
    if (total == stepper->reported)
        return false;
    stepper->reported = total;
    stepper->report = report_of(&worker->checks, stepper->last_pc);
    return stepper->report != NULL;
}

void stepper_before(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
{
    struct stepper *stepper = worker->run->stepper;
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    bool mine = worker->block.number == stepper->block && warp->index == stepper->warp;
    warp->paths[path].pc = pc;
    stepper->worker = worker;
    stepper->at_warp = warp;
    stepper->path = path;
    stepper->pc = pc;
    stepper->on = warp->paths[path].mask;
    if (instruction->guard != PROGRAM_NO_SLOT) {
        uint32_t guard = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            guard |= (uint32_t)warp_register(warp, instruction->guard, 1, lane) << lane;
        stepper->on &= instruction->guard_negated ? ~guard : guard;
    }
    if (stepper->position == stepper->mark)
        stepper->stopped(stepper->owner, stepper, STEPPER_MARK);
    uint64_t written = stepper->watch_bytes ? watch_look(stepper, worker, warp, pc) : STEPPER_NEVER;
    bool reported = stepper->reports && report_look(stepper, worker);
    bool met = (stepper->breaks && stepper->breaks[pc]) || (mine && stepper->goals && stepper->goals[pc]);
    bool any = reported || written != STEPPER_NEVER || met || (mine && stepper->every);
    if (stepper->position == stepper->stop_at && (stepper->keeps || !any))
        stepper->stopped(stepper->owner, stepper, STEPPER_POSITION);
    else if (stepper->keeps && any)
        stepper->kept = written != STEPPER_NEVER ? written : stepper->position;
    else if (any)
        stepper->stopped(stepper->owner, stepper,
                         reported                   ? STEPPER_REPORT
                         : written != STEPPER_NEVER ? STEPPER_WRITE
                         : met                      ? STEPPER_BREAK
                                                    : STEPPER_WARP);
    if (worker->block.number == stepper->block && warp->index == stepper->warp) {
        stepper->previous = stepper->position;
        stepper->previous_pc = pc;
    }
    stepper->last = stepper->position++;
    stepper->last_pc = pc;
}

/* ---- lanes ---- */

uint64_t stepper_register(const struct stepper *stepper, uint32_t slot, uint32_t size_bytes, uint32_t lane)
{
    return warp_register(stepper->at_warp, slot, size_bytes, lane);
}

const char *stepper_lane_text(enum stepper_lane lane)
{
    static const char *const texts[STEPPER_LANE_COUNT] = {"running",
                                                          "on another path, which runs later",
                                                          "waiting for the other lanes of the warp",
                                                          "waiting for the members of the instruction",
                                                          "waiting at the barrier of the block",
                                                          "waiting at an mbarrier",
                                                          "waiting for the cluster",
                                                          "ended"};
    return texts[lane];
}

void stepper_lanes(const struct stepper *stepper, uint32_t warp, enum stepper_lane lanes[WARP_LANES],
                   uint32_t pcs[WARP_LANES])
{
    static const enum stepper_lane of_state[] = {
        [WARP_PATH_READY] = STEPPER_READY,          [WARP_PATH_FORKED] = STEPPER_MEETS,
        [WARP_PATH_AT_MEMBERS] = STEPPER_MEMBERS,   [WARP_PATH_AT_BARRIER] = STEPPER_BARRIER,
        [WARP_PATH_AT_MBARRIER] = STEPPER_MBARRIER, [WARP_PATH_AT_CLUSTER] = STEPPER_CLUSTER};
    const struct warp *of = &stepper->worker->warps[warp];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        lanes[lane] = STEPPER_OVER;
        pcs[lane] = PROGRAM_END;
    }
    for (uint32_t at = 0; of->alive && at < of->path_count; at++) {
        const struct warp_path *path = &of->paths[at];
        bool barrier = path->state == WARP_PATH_AT_BARRIER;
        if (path->state == WARP_PATH_FREE)
            continue;
        uint32_t mask = path->state == WARP_PATH_FORKED ? warp_waiting_lanes(of, at) : path->mask;
        for (uint32_t left = mask & of->alive; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            lanes[lane] =
                of == stepper->at_warp && at == stepper->path ? STEPPER_RUNS : of_state[path->state];
            pcs[lane] = barrier ? path->pc - 1 : path->pc;
        }
    }
}

uint32_t stepper_warps(const struct stepper *stepper)
{
    return stepper->run ? stepper->run->warps : 0;
}

uint64_t stepper_block(const struct stepper *stepper, uint32_t index[3])
{
    memcpy(index, stepper->worker->block.index, sizeof stepper->worker->block.index);
    return stepper->worker->block.number;
}

uint32_t stepper_warp_index(const struct stepper *stepper)
{
    return stepper->at_warp->index;
}
