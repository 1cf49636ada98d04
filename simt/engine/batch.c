/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of simt/engine/batch.h. */
#include "simt/engine/batch.h"
#include "simt/engine/handoff.h"

#include "core/base/clock.h"
#include "core/base/machine.h"

#include <errno.h>
#include <stdlib.h>

/* ---- batches ---- */

/* Number of times that an idle worker checks the phase before it sleeps: about ten microseconds. */
#define LOOKS_BEFORE_SLEEP 2000
/* Number of neighbouring blocks that one worker takes. Their data is adjacent, and a processor that
 * prefetches past the end of one block's data would fetch data of another worker. The number is small because
 * a block may wait for the one before it. */
#define NEIGHBOURS 4
#define BLOCKS_MAX UINT32_C(0x40000000)
#define PHASE_ENDED UINT32_MAX

/* Takes a block that only polls from a worker. False: out of memory. */
static bool cooperative_park(struct batches *batches, struct worker *worker, uint64_t number);

/* Cancelled, or out of memory. */
static bool run_is_over(const struct run *run)
{
    return (run->cancel && atomic_load(run->cancel)) || atomic_load(&run->out_of_memory);
}

/* Number of replay pieces of each hand, 0 or 1: there is one if logs are to be replayed. It is the first
 * piece of the hand. */
static uint32_t hand_playing(const struct batches *batches)
{
    return batches->blocks_before > 0;
}

static uint32_t hand_blocks(const struct batches *batches, uint32_t hand)
{
    uint32_t round = NEIGHBOURS * batches->hand_count, rest = batches->blocks % round;
    uint32_t others = hand * NEIGHBOURS, mine = rest > others ? rest - others : 0;
    return batches->blocks / round * NEIGHBOURS + (mine < NEIGHBOURS ? mine : NEIGHBOURS);
}

static uint64_t hand_block(const struct batches *batches, uint32_t hand, uint32_t block)
{
    uint64_t group = (uint64_t)(block / NEIGHBOURS) * batches->hand_count + hand;
    return atomic_load(&batches->first) + group * NEIGHBOURS + block % NEIGHBOURS;
}

/* Whether an earlier block is not taken yet. */
static bool batches_keep_earlier(const struct batches *batches, uint64_t number)
{
    uint32_t playing = hand_playing(batches);
    for (uint32_t i = 0; i < batches->hand_count; i++) {
        uint32_t taken = batches->hands[i].pieces - (uint32_t)atomic_load(&batches->hands[i].left);
        uint32_t block = taken > playing ? taken - playing : 0;
        if (block < hand_blocks(batches, i) && hand_block(batches, i, block) < number)
            return true;
    }
    return false;
}

bool batches_have_ended_before(const struct worker *worker)
{
    /* Check this first: a worker stores its block in `running` before it takes the block. */
    if (batches_keep_earlier(worker->run->batches, worker->block.number))
        return false;
    for (uint32_t i = 0; i < worker->run->workers; i++)
        if (atomic_load_explicit(&worker->run->lines[i].running, memory_order_acquire) < worker->block.number)
            return false;
    return true;
}

/* Distributes a phase: the blocks from `first` on, and the replay of the batch before. No worker runs now. */
static void phase_deal(struct batches *batches, uint64_t first, uint32_t phase)
{
    struct run *run = batches->run;
    uint64_t left = run->blocks - first, most = batches->l2 ? batches->multiprocessor_count : BLOCKS_MAX;
    bool stops = run_is_over(run) || atomic_load(&run->first_fault) < first;
    batches->blocks_before = batches->l2 ? batches->blocks : 0;
    batches->blocks = stops ? 0 : (uint32_t)(left < most ? left : most);
    batches->parity ^= 1;
    atomic_store(&batches->first, first);
    atomic_store(&batches->done, 0);
    batches->pieces = 0;
    for (uint32_t i = 0; i < batches->hand_count; i++) {
        struct batch_hand *hand = &batches->hands[i];
        hand->pieces = hand_playing(batches) + hand_blocks(batches, i);
        batches->pieces += hand->pieces;
        atomic_store(&hand->left, (uint64_t)phase << 32 | hand->pieces);
    }
    atomic_store(&batches->phase, batches->pieces ? phase : PHASE_ENDED);
}

void batches_begin(struct batches *batches)
{
    uint32_t hands = batches->l2 ? batches->run->workers : 1;
    pthread_mutex_init(&batches->mutex, NULL);
    pthread_cond_init(&batches->next_phase, NULL);
    batches->hand_count = hands < BATCH_HANDS_MAX ? hands : BATCH_HANDS_MAX;
    batches->log_parts = batches->hand_count;
    batches->parked = NULL;
    batches->sleepers = 0;
    batches->blocks = 0;
    phase_deal(batches, 0, 0);
}

void batches_fini(struct batches *batches)
{
    pthread_cond_destroy(&batches->next_phase);
    pthread_mutex_destroy(&batches->mutex);
}

/* After the last piece of a phase: starts the next phase. */
static void phase_end(struct batches *batches)
{
    pthread_mutex_lock(&batches->mutex);
    phase_deal(batches, atomic_load(&batches->first) + batches->blocks, atomic_load(&batches->phase) + 1);
    if (batches->sleepers > 0)
        pthread_cond_broadcast(&batches->next_phase);
    pthread_mutex_unlock(&batches->mutex);
}

/* Sleeps until the next phase may have begun. Worker 0 wakes to report the progress of the others. */
static void phase_sleep(struct batches *batches, const struct worker *worker)
{
    struct timespec until;
    if (worker->index > 0 || !batches->run->watch) {
        pthread_cond_wait(&batches->next_phase, &batches->mutex);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += GRID_WATCH_NS;
    until.tv_sec += until.tv_nsec / NS_PER_S;
    until.tv_nsec %= NS_PER_S;
    if (pthread_cond_timedwait(&batches->next_phase, &batches->mutex, &until) == ETIMEDOUT) {
        pthread_mutex_unlock(&batches->mutex);
        run_report(batches->run, false);
        pthread_mutex_lock(&batches->mutex);
    }
}

static void phase_wait(struct batches *batches, const struct worker *worker, uint32_t seen)
{
    for (int look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
        if (atomic_load_explicit(&batches->phase, memory_order_relaxed) != seen)
            return;
        machine_pause();
    }
    pthread_mutex_lock(&batches->mutex);
    batches->sleepers++;
    while (atomic_load(&batches->phase) == seen)
        phase_sleep(batches, worker);
    batches->sleepers--;
    pthread_mutex_unlock(&batches->mutex);
}

/* Gives the worker the caches of multiprocessor `index`, with an empty log. False: out of memory. */
static bool batches_take_multiprocessor(struct batches *batches, struct worker *worker, uint32_t index)
{
    struct batch_multiprocessor *multiprocessor = &batches->multiprocessors[index];
    struct cache_log **log = &batches->logs[batches->parity][index];
    if (multiprocessor->l1 &&
        (multiprocessor->l1_bytes != batches->l1_bytes || multiprocessor->l1_lines != batches->l1_lines)) {
        cache_l1_destroy(multiprocessor->l1);
        multiprocessor->l1 = NULL;
    }
    if (!multiprocessor->l1 && cache_l1_create(&multiprocessor->l1, batches->l1_bytes, NULL) != STATUS_OK)
        return false;
    if (batches->l1_lines && cache_l1_fetch_lines(multiprocessor->l1, NULL) != STATUS_OK)
        return false;
    if (!*log && cache_log_create(log, NULL) != STATUS_OK)
        return false;
    if (multiprocessor->launch != batches->launch)
        cache_l1_clear(multiprocessor->l1);
    multiprocessor->launch = batches->launch;
    multiprocessor->l1_bytes = batches->l1_bytes;
    multiprocessor->l1_lines = worker->l1_lines = batches->l1_lines;
    cache_log_clear(*log, batches->l2, batches->log_parts);
    worker->l1 = multiprocessor->l1;
    worker->log = *log;
    return true;
}

/* Records how a block of the worker ended. */
static void batches_note_end(struct batches *batches, struct worker *worker, uint64_t number,
                             enum block_end end)
{
    struct run *run = batches->run;
    worker_publish(worker, end == BLOCK_ENDS);
    if (end == BLOCK_NO_MEMORY) {
        atomic_store(&run->out_of_memory, true);
    } else if (end == BLOCK_FAILS) {
        worker->fault_block = number;
        uint64_t lowest = atomic_load(&run->first_fault);
        while (number < lowest && !atomic_compare_exchange_weak(&run->first_fault, &lowest, number)) {
        }
    }
}

static void block_work(struct batches *batches, struct worker *worker, uint64_t number)
{
    enum block_end end = BLOCK_NO_MEMORY;
    worker->block.multiprocessor = (uint32_t)(number % batches->multiprocessor_count);
    if (!batches->l2 || batches_take_multiprocessor(batches, worker, worker->block.multiprocessor))
        end = block_run(worker, number);
    if (end == BLOCK_POLLS && !cooperative_park(batches, worker, number))
        end = BLOCK_NO_MEMORY;
    if (end != BLOCK_POLLS)
        batches_note_end(batches, worker, number, end);
}

/* No phase follows: the pieces of this one never are all done. */
static void batches_stop(struct batches *batches)
{
    pthread_mutex_lock(&batches->mutex);
    atomic_store(&batches->phase, PHASE_ENDED);
    if (batches->sleepers > 0)
        pthread_cond_broadcast(&batches->next_phase);
    pthread_mutex_unlock(&batches->mutex);
}

static uint32_t hand_taken(const struct batches *batches, uint32_t hand)
{
    return batches->hands[hand].pieces - (uint32_t)atomic_load(&batches->hands[hand].left);
}

/* After run->turns, when no worker runs: whether the block has been taken; and replays what is in the logs.
 * From then on the logs are replayed in one part. */
static bool batches_have_taken(const struct batches *batches, uint64_t number)
{
    uint64_t first = atomic_load(&batches->first), at = number - first;
    if (number < first || at >= batches->blocks)
        return number < first;
    uint64_t round = (uint64_t)NEIGHBOURS * batches->hand_count;
    uint64_t block = at / round * NEIGHBOURS + at % NEIGHBOURS;
    return hand_playing(batches) + block < hand_taken(batches, (uint32_t)(at % round / NEIGHBOURS));
}

static void batches_settle(struct batches *batches, struct worker *worker)
{
    const atomic_bool *cancel = batches->run->cancel;
    uint64_t first = atomic_load(&batches->first);
    for (uint32_t i = 0; batches->l2 && i < batches->hand_count; i++)
        if (hand_playing(batches) && hand_taken(batches, i) == 0)
            cache_l2_play(batches->l2, batches->logs[batches->parity ^ 1], batches->blocks_before, i, cancel,
                          &worker->caches);
    for (uint32_t i = 0; batches->l2 && i < batches->blocks; i++)
        if (!batches_have_taken(batches, first + i))
            batches_take_multiprocessor(batches, worker, i); /* an old log is there */
    for (uint32_t i = 0; batches->l2 && i < batches->hand_count; i++)
        cache_l2_play(batches->l2, batches->logs[batches->parity], batches->blocks, i, cancel,
                      &worker->caches);
    batches->log_parts = 1;
}

static void piece_work(struct batches *batches, struct worker *worker, uint32_t hand, uint32_t piece)
{
    struct run *run = batches->run;
    atomic_uint_least64_t *running = &run->lines[worker->index].running;
    uint32_t playing = hand_playing(batches);
    if (piece < playing) {
        atomic_store(running, UINT64_MAX);
        cache_l2_play(batches->l2, batches->logs[batches->parity ^ 1], batches->blocks_before, hand,
                      run->cancel, &worker->caches);
        return;
    }
    uint64_t number = hand_block(batches, hand, piece - playing);
    atomic_store(running, number);
    /* Blocks before a failed one are still run: the failure of the first block is reported. */
    if (atomic_load(&run->first_fault) > number && !run_is_over(run))
        block_work(batches, worker, number);
}

/* Takes and executes pieces of a hand until none are left in this phase; returns their number. */
static uint32_t hand_work(struct batches *batches, struct worker *worker, uint32_t hand, uint32_t phase)
{
    atomic_uint_least64_t *left = &batches->hands[hand].left;
    atomic_uint_least64_t *running = &batches->run->lines[worker->index].running;
    uint32_t worked = 0;
    for (; !atomic_load(&batches->run->turns); worked++) {
        /* A lower bound of the block taken next, so that no later block counts as the oldest in the
         * meantime. */
        atomic_store(running, atomic_load(&batches->first));
        uint64_t seen = atomic_load(left);
        do {
            if (seen >> 32 != phase || (uint32_t)seen == 0)
                return worked;
        } while (!atomic_compare_exchange_weak(left, &seen, seen - 1));
        piece_work(batches, worker, hand, batches->hands[hand].pieces - (uint32_t)seen);
    }
    return worked;
}

/* Adds `count` finished pieces at once: if all workers wrote this word for each piece, that would cost more
 * than a small block. Returns true if these were the last ones of the phase. */
static bool pieces_done(struct batches *batches, uint32_t count)
{
    if (count == 0)
        return false; /* another worker may already be distributing the next phase */
    uint32_t pieces = batches->pieces;
    if (atomic_fetch_add(&batches->done, count) + count != pieces)
        return false;
    phase_end(batches);
    return true;
}

void batches_work(struct batches *batches, struct worker *worker)
{
    atomic_uint_least64_t *running = &batches->run->lines[worker->index].running;
    uint32_t phase;
    while ((phase = atomic_load(&batches->phase)) != PHASE_ENDED) {
        uint32_t worked = 0;
        for (uint32_t i = 0; i < batches->hand_count; i++)
            worked += hand_work(batches, worker, (worker->index + i) % batches->hand_count, phase);
        atomic_store(running, UINT64_MAX);
        if (atomic_load(&batches->run->turns)) {
            batches_stop(batches);
            return;
        }
        if (!pieces_done(batches, worked))
            phase_wait(batches, worker, phase);
    }
}

/* ---- cooperative launches ---- */

/*
 * The resident blocks are a team; one team runs after the other. A resident block holds the parts of a worker
 * that belong to a block; they are swapped into the worker for the block's turn and out again afterwards. One
 * turn of each block is a pass. The i-th block of a team runs on multiprocessor i mod n. Blocks of a
 * multiprocessor run one after the other and share its L1. The logs of one block per multiprocessor are
 * replayed into the L2 together, as in batches.
 */

/* After so many passes in which no block makes progress and nothing changes, nothing will change any more. */
#define IDLE_PASSES_MAX 64
#define RESIDENT_BLOCKS 16 /* of a multiprocessor, where the launch does not say how many fit */

struct resident {
    struct warp *warps;
    uint8_t *storage;
    size_t storage_bytes;
    struct shadow *shadow;
    struct order *order;
    struct block block;
    struct cluster *cluster;
    uint64_t number; /* of the block */
    bool begun, ended;
};

struct parked {
    struct resident resident;
    struct cluster cluster; /* of its own */
    struct parked *next;
};

struct team {
    struct resident *residents;
    struct cluster *clusters;
    uint64_t count, cluster_count; /* residents; clusters */
    uint32_t cluster_size;
    bool refills;  /* the next block begins in the place of one that has ended */
    uint64_t next; /* no block before it begins any more */
    uint64_t left; /* blocks that have not begun */
};

bool cooperative_is(const struct run *run)
{
    return run->launch->cooperative || run->cluster[0] * run->cluster[1] * run->cluster[2] > 1;
}

static void resident_swap(struct resident *resident, struct worker *worker)
{
    const struct resident own = *resident;
    resident->warps = worker->warps;
    resident->storage = worker->storage;
    resident->storage_bytes = worker->storage_bytes;
    resident->shadow = worker->shadow;
    resident->order = worker->order;
    resident->block = worker->block;
    worker->warps = own.warps;
    worker->storage = own.storage;
    worker->storage_bytes = own.storage_bytes;
    worker->shadow = own.shadow;
    worker->order = own.order;
    worker->block = own.block;
}

/* Frees the storage of a resident block, by way of the worker. */
static void resident_free(struct resident *resident, struct worker *worker)
{
    resident_swap(resident, worker);
    worker_drop_block(worker);
    resident_swap(resident, worker);
}

/* Number of the block with this rank in a cluster. */
static uint64_t block_of_cluster(const struct run *run, uint64_t cluster, uint32_t rank)
{
    const uint32_t *grid = run->launch->grid, *size = run->cluster;
    uint64_t columns = grid[0] / size[0], rows = grid[1] / size[1];
    uint64_t x = cluster % columns * size[0] + rank % size[0];
    uint64_t y = cluster / columns % rows * size[1] + rank / size[0] % size[1];
    uint64_t z = cluster / columns / rows * size[2] + rank / size[0] / size[1];
    return (z * grid[1] + y) * grid[0] + x;
}

/* One turn of a block. */
static enum block_end resident_turn(struct batches *batches, struct worker *worker, uint64_t at, bool idle,
                                    bool *ran)
{
    uint32_t multiprocessor = (uint32_t)(at % batches->multiprocessor_count);
    if (batches->l2 && !batches_take_multiprocessor(batches, worker, multiprocessor))
        return BLOCK_NO_MEMORY;
    return block_go_on(worker, idle, ran);
}

/* Replays the logs of the first `count` multiprocessors. */
static void logs_play(struct batches *batches, struct worker *worker, uint64_t count)
{
    if (batches->l2)
        cache_l2_play(batches->l2, batches->logs[batches->parity], (uint32_t)count, 0, batches->run->cancel,
                      &worker->caches);
}

static bool resident_begin(struct batches *batches, struct worker *worker, struct resident *resident,
                           uint64_t at, uint32_t rank, uint64_t number)
{
    resident->number = number;
    resident->ended = false;
    resident_swap(resident, worker);
    bool good = worker_prepare_block(worker, batches->run, NULL) == STATUS_OK;
    resident->begun = true;
    if (good) {
        worker->block.multiprocessor = (uint32_t)(at % batches->multiprocessor_count);
        worker->block.rank = rank;
        worker->cluster = resident->cluster;
        cluster_add(resident->cluster, rank, &worker->block.shared);
        good = block_begin(worker, resident->number);
    }
    resident_swap(resident, worker);
    if (!good)
        atomic_store(&batches->run->out_of_memory, true);
    return good;
}

/* The next block that has not begun; false: there is none. Blocks behind a failed one are not run. */
static bool team_next(const struct batches *batches, struct team *team, uint64_t *number)
{
    const struct run *run = batches->run;
    if (!team->refills || team->left == 0)
        return false;
    while (batches_have_taken(batches, team->next))
        team->next++;
    if (team->next >= atomic_load(&run->first_fault))
        return false;
    team->left--;
    *number = team->next++;
    return true;
}

/* Begins the next block in this place, if there is one. False: out of memory. */
static bool resident_refill(struct batches *batches, struct worker *worker, struct team *team, uint64_t at)
{
    struct resident *resident = &team->residents[at];
    uint64_t number;
    if (!resident->ended || !team_next(batches, team, &number))
        return true;
    resident->cluster = &team->clusters[at];
    cluster_begin(resident->cluster, number, 1, batches->run->threads);
    return resident_begin(batches, worker, resident, at, 0, number);
}

/* One turn of each block that has not ended. idle: for the blocks' turns. False: the launch is over. */
static bool pass_run(struct batches *batches, struct worker *worker, struct team *team, bool idle, bool *ran,
                     uint64_t *left)
{
    uint64_t wave = batches->multiprocessor_count;
    for (uint64_t first = 0; first < team->count; first += wave) {
        uint64_t count = team->count - first < wave ? team->count - first : wave;
        for (uint64_t i = 0; i < count; i++) {
            struct resident *resident = &team->residents[first + i];
            if (!resident_refill(batches, worker, team, first + i))
                return false;
            if (resident->ended) {
                if (batches->l2 && !batches_take_multiprocessor(batches, worker, (uint32_t)i))
                    return false;
                continue;
            }
            resident_swap(resident, worker);
            worker->cluster = resident->cluster;
            enum block_end end = resident_turn(batches, worker, first + i, idle, ran);
            resident_swap(resident, worker);
            resident->ended = end != BLOCK_POLLS;
            *left -= resident->ended;
            if (end != BLOCK_POLLS)
                batches_note_end(batches, worker, resident->number, end);
            if (end != BLOCK_POLLS && end != BLOCK_ENDS)
                return false;
        }
        logs_play(batches, worker, count);
    }
    return true;
}

static bool passes_run_watched(struct batches *batches, struct worker *worker, struct team *team)
{
    uint64_t left = team->left, first = 0;
    uint32_t idle = 0;
    for (uint64_t i = 0; i < team->count; i++)
        left += !team->residents[i].ended;
    while (left > 0 && idle <= IDLE_PASSES_MAX) {
        bool ran = false;
        if (!pass_run(batches, worker, team, idle > 0, &ran, &left))
            return false;
        idle = ran ? 0 : idle + 1;
    }
    if (left == 0 || team->count == 0)
        return true;
    while (first < team->count && team->residents[first].ended)
        first++;
    if (first == team->count)
        return false; /* a block has failed, and those behind it do not begin */
    struct resident *resident = &team->residents[first];
    resident_swap(resident, worker);
    worker->cluster = resident->cluster;
    block_report_deadlock(worker);
    worker->fault.resident_blocks = team->left ? team->count : 0;
    worker->fault.blocks_left = team->left;
    resident_swap(resident, worker);
    batches_note_end(batches, worker, resident->number, BLOCK_FAILS);
    return false;
}

/* The same, and how many handoffs follow each other. */
static bool passes_run(struct batches *batches, struct worker *worker, struct team *team)
{
    struct run *run = batches->run;
    run->handoffs = handoffs_create();
    bool good = passes_run_watched(batches, worker, team);
    worker->counter.handoffs += handoffs_most(run->handoffs);
    handoffs_destroy(run->handoffs);
    run->handoffs = NULL;
    return good;
}

/* All blocks of a cluster begin before one of them runs: they access each other's shared memory. False: the
 * launch is over. */
static bool team_run(struct batches *batches, struct worker *worker, struct team *team,
                     uint64_t first_cluster)
{
    const struct run *run = batches->run;
    for (uint64_t i = 0; i < team->cluster_count; i++)
        cluster_begin(&team->clusters[i], first_cluster + i, team->cluster_size,
                      team->cluster_size * run->threads);
    for (uint64_t i = 0; i < team->count; i++) {
        uint32_t rank = (uint32_t)(i % team->cluster_size);
        uint64_t cluster = i / team->cluster_size;
        team->residents[i].cluster = &team->clusters[cluster];
        if (!resident_begin(batches, worker, &team->residents[i], i, rank,
                            block_of_cluster(run, first_cluster + cluster, rank)))
            return false;
    }
    return passes_run(batches, worker, team) && !worker_must_stop(worker);
}

static void team_fini(struct team *team, struct worker *worker)
{
    for (uint64_t i = 0; team->residents && i < team->count; i++)
        if (team->residents[i].begun)
            resident_free(&team->residents[i], worker);
    for (uint64_t i = 0; team->clusters && i < team->cluster_count; i++)
        cluster_fini(&team->clusters[i]);
    free(team->residents);
    free(team->clusters);
    worker->cluster = NULL;
}

void cooperative_work(struct batches *batches, struct worker *worker)
{
    const struct run *run = batches->run;
    uint32_t size = run->cluster[0] * run->cluster[1] * run->cluster[2];
    uint64_t clusters = run->blocks / size, at_once = batches->multiprocessor_count / size;
    if (run->launch->cooperative || at_once > clusters)
        at_once = clusters;
    at_once = at_once ? at_once : 1;
    struct team team = {.cluster_size = size, .cluster_count = at_once, .count = at_once * size};
    const uint64_t room = team.count;
    team.residents = calloc(team.count, sizeof *team.residents);
    team.clusters = calloc(at_once, sizeof *team.clusters);
    bool good = team.residents && team.clusters;
    if (!good)
        atomic_store(&batches->run->out_of_memory, true);
    for (uint64_t first = 0; first < clusters && good; first += at_once) {
        team.cluster_count = clusters - first < at_once ? clusters - first : at_once;
        team.count = team.cluster_count * size;
        good = team_run(batches, worker, &team, first);
    }
    team.cluster_count = at_once;
    team.count = room;
    team_fini(&team, worker);
}

/* ---- launches whose blocks turn out to wait for later ones ---- */
static bool cooperative_park(struct batches *batches, struct worker *worker, uint64_t number)
{
    struct parked *parked = calloc(1, sizeof *parked);
    if (!parked)
        return false;
    for (uint32_t i = 0; i < worker->run->warps; i++)
        worker->warps[i].polls_at_once = COOPERATIVE_POLLS_AT_ONCE;
    parked->resident.number = number;
    parked->resident.begun = true;
    parked->cluster = worker->alone;
    worker->alone = (struct cluster){0};
    resident_swap(&parked->resident, worker);
    pthread_mutex_lock(&batches->mutex);
    struct parked **at = &batches->parked;
    while (*at && (*at)->resident.number < number)
        at = &(*at)->next;
    parked->next = *at;
    *at = parked;
    pthread_mutex_unlock(&batches->mutex);
    return true;
}

/* A block is parked for each worker at most, and there is a place for each. */
static uint64_t parked_take(struct batches *batches, struct team *team)
{
    uint64_t count = 0;
    for (struct parked *parked = batches->parked, *next; parked; parked = next, count++) {
        struct resident *resident = &team->residents[count];
        next = parked->next;
        *resident = parked->resident;
        resident->cluster = &team->clusters[count];
        *resident->cluster = parked->cluster;
        free(parked);
    }
    batches->parked = NULL;
    return count;
}

void cooperative_take_over(struct batches *batches, struct worker *worker)
{
    struct run *run = batches->run;
    const uint64_t most = run->launch->resident_blocks
                              ? run->launch->resident_blocks
                              : (uint64_t)batches->multiprocessor_count * RESIDENT_BLOCKS;
    struct team team = {.cluster_size = 1, .refills = true};
    team.count = most > run->workers ? most : run->workers;
    team.count = team.count < run->blocks ? team.count : run->blocks;
    team.cluster_count = team.count;
    team.residents = calloc(team.count, sizeof *team.residents);
    team.clusters = calloc(team.count, sizeof *team.clusters);
    if (!team.residents || !team.clusters) {
        atomic_store(&run->out_of_memory, true);
        team.count = team.cluster_count = 0;
    }
    /* Without memory the parked blocks are freed here, too. */
    while (batches->parked && team.count == 0) {
        struct parked *parked = batches->parked;
        batches->parked = parked->next;
        resident_free(&parked->resident, worker);
        cluster_fini(&parked->cluster);
        free(parked);
    }
    run->polls_at_once = COOPERATIVE_POLLS_AT_ONCE;
    batches_settle(batches, worker);
    for (uint64_t i = parked_take(batches, &team); i < team.count; i++)
        team.residents[i].ended = true;
    for (uint64_t i = atomic_load(&batches->first); i < run->blocks && team.count; i++)
        team.left += !batches_have_taken(batches, i);
    passes_run(batches, worker, &team);
    team_fini(&team, worker);
}
