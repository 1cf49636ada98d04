/*
 * Warps that poll memory. A turn of a loop from a poll to the same poll, after which the registers and paths
 * of the warp are as before and nothing of the block has changed, changes nothing: the warp only waits,
 * whatever its program is. It yields then, and each further turn is a look at memory, which is counted as
 * such and not as instructions: how many there are on a GPU depends on time. While a turn is watched its
 * counts are kept apart, and belong to the others if something has changed. A loop whose registers change, as
 * one that counts, yields after many polls.
 */
#include "simt/engine/worker.h"

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

enum warp_stop warp_give_way(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
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

void warp_poll_begin(struct worker *worker, struct warp *warp)
{
    look_begin(worker, warp);
    warp->still = false;
}

void warp_poll_end(struct worker *worker)
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

enum warp_stop warp_polled(struct worker *worker, struct warp *warp, uint32_t path, uint32_t pc)
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
