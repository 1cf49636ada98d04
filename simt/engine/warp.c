/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that runs a warp: executes one decoded instruction at a time for the lanes of a path, applies
 * guards and counts every execution. simt/lanes/lanes computes lane by lane; memory, members and barriers are
 * in other files.
 */
#include "simt/engine/warp.h"

#include "simt/engine/async.h"
#include "simt/engine/stepper.h"
#include "simt/engine/warp_undefined.h"
#include "simt/engine/worker.h"
#include "simt/lanes/matrix.h"

/* ---- calls with a frame ---- */

/* struct program_call (simt/lanes/program.h): finds the called function, and the lanes that call it. */

static const struct program_callable *callable_at(const struct program *program,
                                                  const struct program_call *call, uint64_t address)
{
    if (call->callable != PROGRAM_END)
        return &program->callables[call->callable];
    for (uint32_t i = 0; i < program->callable_count; i++)
        if (program->callables[i].address == address)
            return &program->callables[i];
    return NULL;
}

static bool call_fits(const struct program_call *call, const struct program_callable *callee)
{
    if (callee->parameter_count != call->parameter_count || callee->result_count != call->result_count)
        return false;
    for (uint32_t i = 0; i < call->parameter_count + call->result_count; i++)
        if (callee->areas[i].size_bytes != call->areas[i].size_bytes)
            return false;
    return true;
}

static enum warp_stop call_fault(struct worker *worker, const struct warp *warp, enum check_kind kind,
                                 uint32_t pc, uint32_t on, uint64_t address)
{
    worker->fault = worker_report(worker, warp, kind, pc, (uint32_t)__builtin_ctz(on));
    worker->fault.address = address;
    worker->fault.width_bytes = worker->run->stack_bytes;
    return WARP_FAILS;
}

/* All lanes `on` call the same function. */
static enum warp_stop call_one(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                               uint32_t on, uint64_t address)
{
    const struct program *program = worker->run->program;
    const struct program_call *call = &program->calls[program->instructions[pc].immediate - 1];
    const struct program_callable *callee = callable_at(program, call, address);
    uint32_t stack_bytes = warp->paths[path].stack_bytes + call->stack_bytes;
    if (!callee || !call_fits(call, callee))
        return call_fault(worker, warp, CHECK_NO_FUNCTION, pc, on, address);
    if (stack_bytes > worker->run->stack_bytes)
        return call_fault(worker, warp, CHECK_STACK, pc, on, address);
    struct warp_frame *frame = warp_frame_enter(warp, call, callee, program->stack_slot, on);
    if (!frame)
        return WARP_NO_MEMORY;
    warp->paths[path].frame = frame;
    if (!warp_call(warp, path, on, callee->first, pc + 1))
        return WARP_NO_MEMORY;
    warp->paths[warp->next_path].stack_bytes = stack_bytes;
    return WARP_GOES_ON;
}

/* Made by the lanes `on`. Lanes that call another function than the first lane become paths of their own and
 * make their call later. */
static enum warp_stop warp_call_framed(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                       uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct count_instruction *count = &worker->counter.instructions[pc];
    uint64_t address = 0;
    uint32_t group = on;
    if (instruction->source[0] != PROGRAM_NO_SLOT) {
        const uint64_t *addresses = (const void *)(warp->frame + instruction->source[0]);
        address = addresses[__builtin_ctz(on)];
        for (uint32_t left = on; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            group &= ~((uint32_t)(addresses[lane] != address) << lane);
        }
    }
    if (group == on)
        return call_one(worker, warp, path, pc, on, address);
    /* The other lanes will execute this instruction again, as a path of their own: removes their share from
     * the counts. */
    uint32_t others = warp->paths[path].mask & ~group;
    count->thread_instructions -= (uint32_t)__builtin_popcount(others);
    count->thread_instructions_on -= (uint32_t)__builtin_popcount(on & ~group);
    count->divergent++;
    if (!warp_part(warp, path, others, pc, pc, pc + 1))
        return WARP_NO_MEMORY;
    return call_one(worker, warp, warp->next_path, pc, group, address);
}

/* ---- polls ---- */

/*
 * Warps that poll memory. A turn of a loop from a poll to the same poll, after which the registers and paths
 * of the warp are as before and nothing of the block has changed, changes nothing: the warp only waits,
 * whatever its program is. It yields then, and each further turn is a look at memory, which is counted as
 * such and not as instructions: how many there are on a GPU depends on time. While a turn is watched its
 * counts are kept apart, and belong to the others if something has changed. A loop whose registers change, as
 * one that counts, yields after many polls.
 */

/* Number of times that a path which still computes yields before the lanes that wait for it continue
 * alone. */
#define YIELDS_IN_STEP 16
/* A turn has at most so many polls, and turns that changed something pause the watching for at most so many.
 */
#define TURN_POLLS_MAX 8
#define PAUSE_MAX 4096

static uint64_t hash_add(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* A hash of the registers and paths: if it has not changed, the warp has done nothing in between. */
static uint64_t warp_digest(const struct warp *warp, uint32_t frame_bytes, uint32_t path, uint32_t pc)
{
    uint64_t digest = hash_add(1, pc);
    for (uint32_t at = 0; at + 8 <= frame_bytes; at += 8) {
        uint64_t word;
        __builtin_memcpy(&word, warp->frame + at, sizeof word);
        digest = hash_add(digest, word);
    }
    for (uint32_t at = 0; at < warp->path_count; at++) {
        const struct warp_path *of = &warp->paths[at];
        if (of->state == WARP_PATH_FREE)
            continue;
        digest = hash_add(digest, (uint64_t)at << 32 | (at == path ? 0 : of->pc));
        digest = hash_add(digest, (uint64_t)of->state << 32 | of->mask);
    }
    return digest;
}

/* A hash of what the poll at pc found; 0: it is none, since nothing comes of it. */
static uint64_t poll_value(const struct worker *worker, const struct warp *warp, uint32_t pc)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    if (!(instruction->op == PROGRAM_ATOM || (instruction->op == PROGRAM_LD && instruction->strong)) ||
        instruction->destination[0] == PROGRAM_NO_SLOT)
        return 0;
    uint64_t value = 1;
    for (uint32_t at = 0; at < WARP_LANES * sizeof(uint32_t); at += 8) {
        uint64_t word;
        __builtin_memcpy(&word, warp->frame + instruction->destination[0] + at, sizeof word);
        value = hash_add(value, word);
    }
    return value | 1;
}

/* The same whatever it has seen, after many polls. pc: of the next instruction. */
static enum warp_stop warp_give_way(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
{
    uint64_t seen = warp_digest(warp, worker->run->program->frame_bytes, path, pc);
    bool still = seen == warp->seen;
    worker->block.changes += !still;
    worker->block.computed += !still;
    warp->seen = seen;
    warp->polls = 0;
    warp->paths[path].pc = pc;
    return warp_yield(warp, path, still || ++warp->yields >= YIELDS_IN_STEP) ? WARP_POLLS : WARP_NO_MEMORY;
}

/* Counts what follows apart. */
static void look_begin(struct worker *worker, struct warp *warp)
{
    struct counter counts = worker->counter;
    if (!worker->spare.program &&
        counter_init(&worker->spare, worker->run->program, worker->run->rules, NULL) != STATUS_OK)
        return;
    worker->counter = worker->spare;
    worker->spare = counts;
    worker->looking = true;
    warp->turn.polls = 0;
    warp->turn.changes = worker->block.changes;
}

static void look_end(struct worker *worker, bool still)
{
    struct counter turn = worker->counter;
    worker->counter = worker->spare;
    worker->spare = turn;
    worker->looking = false;
    if (still) {
        worker->counter.polls++;
        counter_drop(&worker->spare);
    } else {
        counter_move(&worker->counter, &worker->spare);
    }
}

/* Around warp_run: a warp that only waited (`still`) looks again; what a look counted until the warp stops
 * (worker->looking). */
static void warp_poll_begin(struct worker *worker, struct warp *warp)
{
    look_begin(worker, warp);
    warp->still = false;
}

static void warp_poll_end(struct worker *worker)
{
    look_end(worker, false);
}

/* The warp is in the state in which the turn began. Lanes that wait for this path at a meeting point stay
 * until all others of the block only wait, too. */
static enum warp_stop warp_wait(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
{
    bool alone = warp->turn.waited == worker->block.changes;
    look_end(worker, true);
    worker->looks_failed = 0;
    warp->turn.waited = worker->block.changes;
    warp->still = true;
    warp->polls = 1;
    warp->paths[path].pc = pc + 1;
    return warp_yield(warp, path, alone) ? WARP_POLLS : WARP_NO_MEMORY;
}

/* A path has polled memory: the instruction at pc is a strong load or an atomic. WARP_STEPS: it continues;
 * WARP_POLLS: it yields, because it only waits or has polled for long. pc: of the poll. */
static enum warp_stop warp_polled(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
{
    const uint32_t frame_bytes = worker->run->program->frame_bytes;
    struct warp_turn *turn = &warp->turn;
    uint64_t value = poll_value(worker, warp, pc);
    if (!value)
        return WARP_STEPS;
    if (worker->looking) {
        bool again = pc == turn->pc && path == turn->path;
        if (again && turn->changes == worker->block.changes &&
            warp_digest(warp, frame_bytes, path, pc) == warp->seen)
            return warp_wait(worker, warp, path, pc);
        if (again || ++turn->polls >= TURN_POLLS_MAX) {
            look_end(worker, false);
            worker->looks_failed += worker->looks_failed < PAUSE_MAX;
            worker->looks_paused = worker->looks_failed;
        }
    } else if (pc == turn->pc && path == turn->path && value == turn->value && warp->polls > turn->polls) {
        if (worker->looks_paused > 0) {
            worker->looks_paused--;
        } else {
            warp->seen = warp_digest(warp, frame_bytes, path, pc);
            look_begin(worker, warp);
        }
    }
    /* The poll to which the next ones are compared: the first, then another one from time to time, since a
     * loop may poll several words. */
    if (!worker->looking && (warp->polls <= 1 || pc == turn->pc || warp->polls > 8 * turn->polls)) {
        turn->pc = pc;
        turn->path = path;
        turn->value = value;
        turn->polls = warp->polls;
    }
    return warp->polls >= warp->polls_at_once ? warp_give_way(worker, warp, path, pc + 1) : WARP_STEPS;
}

/* ---- the run ---- */

#define POLLS_OF_A_NAP 64

static uint32_t warp_predicate(const uint8_t *frame, const struct program_instruction *instruction)
{
    uint32_t predicate;
    __builtin_memcpy(&predicate, frame + instruction->guard, sizeof predicate);
    return instruction->guard_negated ? ~predicate : predicate;
}

static uint32_t lane_count(uint32_t lanes)
{
    return lanes == WARP_ALL_LANES ? 32 : (uint32_t)__builtin_popcount(lanes); /* a call of a function */
}

static void warp_set(struct warp *warp, uint32_t slot, uint32_t value, uint32_t on)
{
    uint32_t *lanes = (uint32_t *)(void *)(warp->frame + slot);
    for (uint32_t left = on; left; left &= left - 1)
        lanes[__builtin_ctz(left)] = value;
}

/* Cycles since the block began: an instruction of the warp takes CYCLES, and more than WARPS_AT_ONCE warps do
 * not hide each other's waiting. Fitted to loops on an H200 (docs/model.md). */
#define CYCLES 8
#define WARPS_AT_ONCE 16

static uint64_t warp_clock(const struct worker *worker)
{
    uint32_t warps = worker->run->warps > WARPS_AT_ONCE ? worker->run->warps : WARPS_AT_ONCE;
    return (worker->block.executed - worker->block.others) * CYCLES * warps / WARPS_AT_ONCE +
           worker->block.waited_cycles;
}

/* Special registers that change while a warp runs. */
static void warp_special(struct worker *worker, struct warp *warp,
                         const struct program_instruction *instruction, uint32_t on)
{
    uint64_t clock = warp_clock(worker);
    if (instruction->sub >= SPECIAL_GLOBALTIMER && instruction->sub <= SPECIAL_GLOBALTIMER_HI) {
        clock = (uint64_t)((double)clock * worker->run->cycle_ns);
        worker->timer_ns = clock > worker->timer_ns ? clock : worker->timer_ns;
        clock += (uint64_t)worker->run->launch->blocks_begin_ns;
    }
    uint8_t *slot = warp->frame + instruction->destination[0];
    bool wide = instruction->sub == SPECIAL_CLOCK64 || instruction->sub == SPECIAL_GLOBALTIMER;
    bool high = instruction->sub == SPECIAL_CLOCK_HI || instruction->sub == SPECIAL_GLOBALTIMER_HI;
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (wide)
            ((uint64_t *)(void *)slot)[lane] = clock;
        else
            ((uint32_t *)(void *)slot)[lane] = (uint32_t)(high ? clock >> 32 : clock);
    }
}

/* The lanes of a path jump to the targets of a table; lanes that a guard turns off continue after the
 * instruction. Each group becomes a path of its own. */
static bool warp_branch_by_table(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                 uint32_t on)
{
    const struct program *program = worker->run->program;
    const struct program_instruction *instruction = &program->instructions[pc];
    const uint32_t *index = (const uint32_t *)(const void *)(warp->frame + instruction->source[0]);
    uint32_t rest = warp->paths[path].mask, group = rest & ~on, target = pc + 1;
    for (bool parted = false;; parted = true) {
        if (group == 0) {
            uint32_t entry = index[__builtin_ctz(rest)];
            for (uint32_t left = rest; left; left &= left - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(left);
                group |= (uint32_t)(index[lane] == entry) << lane;
            }
            /* An index past the table is undefined in PTX: here it selects the last target. */
            uint32_t last = instruction->immediate - 1;
            target = program->targets[instruction->target + (entry < last ? entry : last)];
        }
        if (group == rest) {
            warp->paths[path].pc = target;
            warp->next_path = path;
            worker->counter.instructions[pc].divergent += parted;
            return true;
        }
        if (!warp_part(warp, path, group, target, pc, instruction->meet))
            return false;
        path = warp->next_path; /* the path of the rest, made last */
        rest &= ~group;
        group = 0;
    }
}

/* Lanes of a path end, or return from their function; the rest of the path continues at `after`. */
static void warp_leave(struct worker *worker, struct warp *warp, uint32_t path, uint32_t lanes,
                       uint32_t after, bool end)
{
    warp->paths[path].pc = after;
    warp->next_path = path;
    if (!end && warp->paths[path].depth > 0) {
        warp_return(warp, path, lanes);
        return;
    }
    warp_exit(warp, path, lanes);
    cluster_threads_end(worker, warp, lanes);
    block_threads_end(worker, lane_count(lanes));
}

/* The lanes of the path end at this instruction: a branch to it is an EXIT with a predicate on a GPU. */
static bool ends_at(const struct warp *warp, uint32_t path, const struct program_instruction *instruction)
{
    return instruction->guard == PROGRAM_NO_SLOT &&
           (instruction->op == PROGRAM_EXIT ||
            (instruction->op == PROGRAM_RET && warp->paths[path].depth == 0));
}

/* The lanes `on` will wait at pc. The other lanes of the path continue at `after`, and wait for them after pc
 * when they get there. Returns the path of the lanes on; WARP_NO_PATH: out of memory. */
static uint32_t warp_hold(struct warp *warp, uint32_t path, uint32_t on, uint32_t pc, uint32_t after)
{
    uint32_t others = warp->paths[path].mask & ~on;
    if (others) {
        if (!warp_part(warp, path, others, after, pc, pc + 1))
            return WARP_NO_PATH;
        path = warp->next_path; /* the path of the lanes on, made last */
    }
    warp->paths[path].pc = pc;
    return path;
}

/* An instruction with a member mask. A group is the lanes that name the same members. It executes the
 * instruction when all its members have arrived; other groups wait for theirs, each as a path of its own. */
static enum warp_stop warp_come_to_members(struct worker *worker, struct warp *warp, uint32_t path,
                                           uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t waiting = 0, group;
    for (uint32_t left = on; left; left &= ~group) {
        group = warp_same_members(warp, instruction, left);
        if (instruction->op == PROGRAM_VOTE && !warp_votes_inside(worker, warp, pc, group))
            return WARP_FAILS;
        if (warp_members(warp, instruction, group) & ~group)
            waiting |= group;
        else
            warp_execute_members(worker, warp, pc, group, on);
    }
    if (waiting == 0) {
        warp->paths[path].pc = pc + 1;
        return WARP_GOES_ON;
    }
    path = warp_hold(warp, path, waiting, pc, pc + 1);
    for (uint32_t left = waiting; left && path != WARP_NO_PATH; left &= ~group) {
        group = warp_same_members(warp, instruction, left);
        path = warp_hold(warp, warp_leaf(warp, left), group, pc, pc);
        if (path != WARP_NO_PATH)
            warp->paths[path].state = WARP_PATH_AT_MEMBERS;
    }
    if (path == WARP_NO_PATH)
        return WARP_NO_MEMORY;
    warp_meet_members(worker, warp);
    return WARP_GOES_ON;
}

/* Arrives at a barrier of the block. */
static enum warp_stop warp_come_to_barrier(struct worker *worker, struct warp *warp, uint32_t path,
                                           uint32_t pc, uint32_t on)
{
    bool waits = worker->run->program->instructions[pc].op != PROGRAM_BAR_ARRIVE;
    if (waits) {
        path = warp_hold(warp, path, on, pc, pc + 1);
        if (path == WARP_NO_PATH)
            return WARP_NO_MEMORY;
    }
    warp->paths[path].pc = pc + 1;
    return block_arrive(worker, warp, path, pc, on) ? WARP_GOES_ON : WARP_FAILS;
}

/* Tests a phase of an mbarrier, or waits at the barrier of the cluster: a path none of whose lanes can continue
 * waits as a whole. */
static enum warp_stop warp_come_to_wait(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                        uint32_t on)
{
    bool cluster = worker->run->program->instructions[pc].op == PROGRAM_CLUSTER_WAIT, passed;
    if (cluster)
        passed = cluster_has_met(worker, warp, on);
    else if (!warp_mbarrier_test(worker, warp, pc, on, &passed))
        return WARP_FAILS;
    if (!passed) {
        warp->paths[path].pc = pc;
        warp->paths[path].barrier = on;
        warp->paths[path].state = cluster ? WARP_PATH_AT_CLUSTER : WARP_PATH_AT_MBARRIER;
    }
    return WARP_GOES_ON;
}

static bool path_wake(struct worker *worker, struct warp *warp, struct warp_path *path, bool expire,
                      bool *woken)
{
    bool passed = false;
    if (path->state == WARP_PATH_AT_CLUSTER) {
        passed = cluster_has_met(worker, warp, path->barrier);
    } else if (path->state != WARP_PATH_AT_MBARRIER) {
        return true;
    } else if (expire) {
        worker->block.waited_cycles += warp_mbarrier_expire(worker, warp, path->pc, path->barrier);
        passed = true;
    } else if (!warp_mbarrier_test(worker, warp, path->pc, path->barrier, &passed)) {
        return false;
    }
    if (passed) {
        path->state = WARP_PATH_READY;
        path->pc++;
        warp->waits = false;
        *woken = true;
    }
    return true;
}

bool warp_wake(struct worker *worker, struct warp *warp, bool expire, bool *woken)
{
    for (uint32_t at = 0; at < warp->path_count; at++)
        if (!path_wake(worker, warp, &warp->paths[at], expire, woken))
            return false;
    return true;
}

/* Executes an instruction that is neither arithmetic nor control flow. */
static enum warp_stop warp_execute(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    bool done = true;
    switch ((enum program_op)instruction->op) {
    case PROGRAM_ATOM: done = warp_atomic(worker, warp, pc, on); break;
    case PROGRAM_PREFETCH: done = warp_prefetch(worker, warp, pc, on); break;
    case PROGRAM_TEX: done = warp_texture(worker, warp, pc, on); break;
    case PROGRAM_SURFACE: done = warp_surface(worker, warp, pc, on); break;
    case PROGRAM_MATRIX: warp_multiply(worker, warp, pc, on); break;
    case PROGRAM_MATRIX_ADDRESS: matrix_make_addresses(instruction, warp->frame, on); break;
    case PROGRAM_MATRIX_LD:
    case PROGRAM_MATRIX_ST: done = warp_matrix(worker, warp, pc, on); break;
    case PROGRAM_RUNTIME: return warp_runtime(worker, warp, pc, on);
    case PROGRAM_CP_ASYNC: return warp_copy_start(worker, warp, pc, on);
    case PROGRAM_CP_ASYNC_COMMIT: warp_copy_commit(warp, on); break;
    case PROGRAM_CP_ASYNC_WAIT: warp_copy_wait(worker, warp, on, instruction->immediate); break;
    case PROGRAM_MBARRIER: return warp_mbarrier(worker, warp, pc, on);
    case PROGRAM_BULK: return warp_bulk(worker, warp, pc, on);
    case PROGRAM_BULK_COMMIT: warp_bulk_commit(warp, on); break;
    case PROGRAM_BULK_WAIT:
        done = warp_bulk_wait(worker, warp, on, instruction->immediate, instruction->sub);
        break;
    case PROGRAM_CLUSTER_ARRIVE: cluster_arrive(worker, warp, on); break;
    case PROGRAM_ACTIVEMASK: warp_set(warp, instruction->destination[0], on, on); break;
    case PROGRAM_SPECIAL: warp_special(worker, warp, instruction, on); break;
    case PROGRAM_FENCE:
        atomic_fetch_add(&worker->fence, 1);
        if (worker->order)
            order_fence(worker->order, warp->index, instruction->sync);
        break;
    case PROGRAM_NANOSLEEP: warp->polls += POLLS_OF_A_NAP; break;
    default:
        worker->fault = worker_report(worker, warp, CHECK_TRAP, pc, (uint32_t)__builtin_ctz(on));
        done = false;
        break;
    }
    return done ? WARP_GOES_ON : WARP_FAILS;
}

/* An instruction after which the path may be another one, or may not continue. WARP_STEPS: it does. */
static enum warp_stop warp_step(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                uint32_t on)
{
    const struct program_instruction *const instruction = &worker->run->program->instructions[pc];
    const uint32_t active = warp->paths[path].mask;
    enum warp_stop stop;
    switch ((enum program_op)instruction->op) {
    case PROGRAM_BRX: return warp_branch_by_table(worker, warp, path, pc, on) ? WARP_GOES_ON : WARP_NO_MEMORY;
    case PROGRAM_CALL:
        if (instruction->immediate)
            return warp_call_framed(worker, warp, path, pc, on);
        return warp_call(warp, path, on, instruction->target, pc + 1) ? WARP_GOES_ON : WARP_NO_MEMORY;
    case PROGRAM_RET: warp_leave(worker, warp, path, on, pc + 1, false); return WARP_GOES_ON;
    case PROGRAM_EXIT: warp_leave(worker, warp, path, on, pc + 1, true); return WARP_GOES_ON;
    case PROGRAM_SHFL:
    case PROGRAM_VOTE:
    case PROGRAM_MATCH:
    case PROGRAM_REDUX:
    case PROGRAM_ELECT:
    case PROGRAM_BAR_WARP: stop = warp_come_to_members(worker, warp, path, pc, on); break;
    case PROGRAM_BAR_SYNC:
    case PROGRAM_BAR_RED:
    case PROGRAM_BAR_ARRIVE: stop = warp_come_to_barrier(worker, warp, path, pc, on); break;
    case PROGRAM_MBARRIER_WAIT:
    case PROGRAM_CLUSTER_WAIT: stop = warp_come_to_wait(worker, warp, path, pc, on); break;
    default:
        stop = warp_execute(worker, warp, pc, on);
        if (stop == WARP_GOES_ON && instruction->op == PROGRAM_NANOSLEEP &&
            warp->polls >= warp->polls_at_once)
            return warp_give_way(worker, warp, path, pc + 1);
        return stop == WARP_GOES_ON ? WARP_STEPS : stop;
    }
    bool same = warp->paths[path].state == WARP_PATH_READY && warp->paths[path].mask == active;
    return stop == WARP_GOES_ON && same ? WARP_STEPS : stop;
}

/* The active lanes diverge at a branch, which `on` take. */
static enum warp_stop warp_diverge(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc,
                                   uint32_t on)
{
    const struct program_instruction *const code = worker->run->program->instructions, *const instruction =
                                                                                           &code[pc];
    struct count_instruction *const counts = worker->counter.instructions;
    counts[pc].divergent++;
    if (ends_at(warp, path, &code[instruction->target])) {
        counts[instruction->target].thread_instructions += lane_count(on);
        counts[instruction->target].thread_instructions_on += lane_count(on);
        warp_leave(worker, warp, path, on, pc + 1, true);
        return WARP_GOES_ON;
    }
    return warp_part(warp, path, on, instruction->target, pc + 1, instruction->meet) ? WARP_GOES_ON
                                                                                     : WARP_NO_MEMORY;
}

/* The path is run on from another place. */
static enum warp_stop path_goes_on(struct warp *warp, uint32_t path, uint32_t pc)
{
    warp->paths[path].pc = pc;
    return WARP_GOES_ON;
}

/* After an instruction of all lanes at which they end, wait or part. */
static void scalars_stop(struct worker *worker, struct warp *warp, uint32_t path,
                         const struct program_instruction *instruction)
{
    if (warp->alive == 0)
        scalars_forget(warp);
    else if (instruction->op != PROGRAM_BAR_SYNC || instruction->guard != PROGRAM_NO_SLOT ||
             warp->paths[path].mask != WARP_ALL_LANES) /* else they go on together */
        scalars_part(worker, warp, NULL);
}

/* Runs all lanes as far as simt/engine/scalars knows their instructions. *stop is WARP_STEPS if those at *pc
 * are to be executed as ever; false: and all that follow. */
static bool run_scalars(struct worker *worker, struct warp *warp, uint32_t path, uint32_t *pc,
                        enum warp_stop *stop)
{
    struct scalar_stretch *at = warp->scalars.at;
    if (worker->looking) {
        scalars_part(worker, warp, NULL);
        return true;
    }
    if (!at || at->first != *pc || at->owner != worker->scalars) {
        scalars_part(worker, warp, NULL);
        at = scalars_enter(worker, warp, *pc);
    }
    if (!at)
        return false;
    warp->scalars.state = NULL;
    switch (worker->scalar_build->run(worker, warp, at, pc, NULL)) {
    case SCALAR_STOPS: return true;
    case SCALAR_LOOKS: *stop = WARP_GOES_ON; break;
    default: *stop = WARP_FAILS; break;
    }
    warp->paths[path].pc = *pc;
    return true;
}

/* Runs a path until it diverges, ends, waits or yields (WARP_GOES_ON: choose another path). Instructions are
 * counted by stretches of straight code; block.executed is up to date at all but arithmetic and branches. */
static inline __attribute__((always_inline)) enum warp_stop
run_path(struct worker *worker, struct warp *warp, uint32_t path, const bool undefined, const bool stepped)
{
    const struct program_instruction *const code = worker->run->program->instructions;
    uint8_t *const frame = warp->frame;
    const uint32_t active = warp->paths[path].mask, meet = warp->paths[path].meet;
    const uint32_t active_count = lane_count(active);
    enum warp_stop stop = WARP_STEPS;
    uint32_t pc = warp->paths[path].pc, first = pc;
    uint64_t before = worker->block.executed - first;
    bool scalars =
        !undefined && !stepped && worker->scalars && active == WARP_ALL_LANES && meet == PROGRAM_END;
    if (!scalars && warp->scalars.state)
        scalars_part(worker, warp, NULL);
    while (pc != meet) {
        if (scalars) {
            worker->block.executed = before + pc;
            count_stretch(&worker->counter, first, pc, WARP_LANES);
            scalars = run_scalars(worker, warp, path, &pc, &stop);
            if (stop != WARP_STEPS)
                return stop;
            first = pc;
            before = worker->block.executed - pc;
            if (pc == meet)
                break;
        }
        const struct program_instruction *instruction = &code[pc];
        uint32_t on = active;
        if (stepped)
            stepper_before(worker, warp, path, pc);
        if (!stepped && instruction->op == PROGRAM_LANES && instruction->straight) {
            const struct program_instruction *const end = instruction + instruction->straight;
            for (; instruction < end; instruction++)
                if (undefined)
                    undefined_lanes(worker, warp, (uint32_t)(instruction - code), active);
                else
                    instruction->lanes(instruction, frame, active);
            pc = (uint32_t)(end - code);
            continue;
        }
        if (instruction->guard != PROGRAM_NO_SLOT) {
            if (undefined)
                undefined_guard(worker, warp, pc, active);
            on &= warp_predicate(frame, instruction);
            if (on != active)
                count_guarded_off(&worker->counter, pc, lane_count(active & ~on));
            if (on == 0) {
                pc++;
                continue;
            }
        }
        if (instruction->op == PROGRAM_LANES) {
            if (undefined)
                undefined_lanes(worker, warp, pc, on);
            else
                instruction->lanes(instruction, frame, on);
            pc++;
            continue;
        }
        if (undefined)
            undefined_before(worker, warp, pc, on);
        worker->block.executed = before + pc + 1;
        bool polled = false;
        switch ((enum program_op)instruction->op) {
        case PROGRAM_LD:
            stop = warp_load(worker, warp, pc, on) ? WARP_STEPS : WARP_FAILS;
            polled = instruction->strong;
            break;
        case PROGRAM_ATOM:
            stop = warp_step(worker, warp, path, pc, on);
            polled = true;
            break;
        case PROGRAM_ST: stop = warp_store(worker, warp, pc, on) ? WARP_STEPS : WARP_FAILS; break;
        case PROGRAM_BRA:
            if (on != active) {
                stop = warp_diverge(worker, warp, path, pc, on);
                break;
            }
            count_stretch(&worker->counter, first, pc + 1, active_count);
            pc = first = instruction->target;
            before = worker->block.executed - first;
            if (worker_look_is_due(worker)) {
                warp->paths[path].pc = pc;
                return WARP_GOES_ON;
            }
            continue;
        default: stop = warp_step(worker, warp, path, pc, on); break;
        }
        if (polled && warp->polls > 0 && stop == WARP_STEPS) {
            count_stretch(&worker->counter, first, pc + 1, active_count);
            first = pc + 1;
            stop = warp_polled(worker, warp, path, pc);
        }
        if (!undefined && stop == WARP_STEPS && warp->undefined.slots) /* from here on */
            stop = path_goes_on(warp, path, pc + 1);
        if (stop != WARP_STEPS) {
            count_stretch(&worker->counter, first, pc + 1, active_count);
            if (scalars)
                scalars_stop(worker, warp, path, instruction);
            return stop;
        }
        pc++;
    }
    count_stretch(&worker->counter, first, pc, active_count);
    worker->block.executed = before + pc;
    if (pc == PROGRAM_END)
        warp_leave(worker, warp, path, active, pc, false);
    else
        warp_arrive(warp, path);
    return WARP_GOES_ON;
}

static enum warp_stop warp_run_path(struct worker *worker, struct warp *warp, uint32_t path)
{
    return run_path(worker, warp, path, false, false);
}

/* The same while registers depend on memory that nothing has written. */
static __attribute__((noinline)) enum warp_stop run_path_undefined(struct worker *worker, struct warp *warp,
                                                                   uint32_t path)
{
    return run_path(worker, warp, path, true, false);
}

/* The same one instruction at a time. */
static __attribute__((noinline)) enum warp_stop run_path_stepped(struct worker *worker, struct warp *warp,
                                                                 uint32_t path)
{
    return run_path(worker, warp, path, warp->undefined.slots != 0, true);
}

static enum warp_stop warp_run_paths(struct worker *worker, struct warp *warp)
{
    for (;;) {
        uint32_t path = warp_choose(warp);
        if (worker_look_is_due(worker) && worker_must_stop(worker))
            return WARP_CANCELS;
        if (path != WARP_NO_PATH) {
            enum warp_stop stop = worker->run->stepper    ? run_path_stepped(worker, warp, path)
                                  : warp->undefined.slots ? run_path_undefined(worker, warp, path)
                                                          : warp_run_path(worker, warp, path);
            if (stop != WARP_GOES_ON)
                return stop;
        } else if (warp->alive == 0) {
            return WARP_ENDS;
        } else if (!warp_meet_members(worker, warp)) {
            uint32_t forked = warp_waited_for(worker, warp);
            if (forked == WARP_NO_PATH) {
                warp->waits = true;
                return WARP_WAITS;
            }
            if (!warp_go_ahead(warp, forked))
                return WARP_NO_MEMORY;
        }
    }
}

enum warp_stop warp_run(struct worker *worker, struct warp *warp)
{
    if (warp->still)
        warp_poll_begin(worker, warp);
    enum warp_stop stop = warp_run_paths(worker, warp);
    if (worker->looking)
        warp_poll_end(worker);
    return stop;
}
