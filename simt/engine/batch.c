/* The phases of simt/engine/batch.h. */
#include "simt/engine/batch.h"

#include "core/base/clock.h"
#include "simt/engine/cooperative.h"

#include <errno.h>

/* Number of times that an idle worker checks the phase before it sleeps: about ten microseconds. */
#define LOOKS_BEFORE_SLEEP 2000
/* Number of neighbouring blocks that one worker takes. Their data is adjacent, and a processor that
 * prefetches past the end of one block's data would fetch data of another worker. The number is small because
 * a block may wait for the one before it. */
#define NEIGHBOURS 4
#define BLOCKS_MAX UINT32_C(0x40000000)
#define PHASE_ENDED UINT32_MAX

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
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&batches->mutex);
    batches->sleepers++;
    while (atomic_load(&batches->phase) == seen)
        phase_sleep(batches, worker);
    batches->sleepers--;
    pthread_mutex_unlock(&batches->mutex);
}

bool batches_take_multiprocessor(struct batches *batches, struct worker *worker, uint32_t index)
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

bool batches_have_taken(const struct batches *batches, uint64_t number)
{
    uint64_t first = atomic_load(&batches->first), at = number - first;
    if (number < first || at >= batches->blocks)
        return number < first;
    uint64_t round = (uint64_t)NEIGHBOURS * batches->hand_count;
    uint64_t block = at / round * NEIGHBOURS + at % NEIGHBOURS;
    return hand_playing(batches) + block < hand_taken(batches, (uint32_t)(at % round / NEIGHBOURS));
}

void batches_settle(struct batches *batches, struct worker *worker)
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

void batches_note_end(struct batches *batches, struct worker *worker, uint64_t number, enum block_end end)
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
