/* The phases of simt/engine/batch.h. */
#include "simt/engine/batch.h"

/* Looks at the phase before a worker that has nothing to do sleeps: some ten microseconds. */
#define LOOKS_BEFORE_SLEEP 2000
/* Neighbouring blocks that one worker takes: what they read and write lies side by side, and a processor that
 * fetches ahead, or past the end of a page, fetches what the other one works on. No more, since a block may
 * wait for the one before it. */
#define NEIGHBOURS 4
#define BLOCKS_MAX UINT32_C(0x40000000)
#define PHASE_ENDED UINT32_MAX

/* Cancelled, or out of memory. */
static bool run_is_over(const struct run *run)
{
    return (run->cancel && atomic_load(run->cancel)) || atomic_load(&run->out_of_memory);
}

/* Of the hand's pieces the first is its part of the playing, where there is something to be played. */
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

bool batches_keep_earlier(const struct batches *batches, uint64_t number)
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

/* Deals a phase: blocks from `first` on, and the batch before. Nobody works now. */
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
    batches->sleepers = 0;
    batches->blocks = 0;
    phase_deal(batches, 0, 0);
}

void batches_fini(struct batches *batches)
{
    pthread_cond_destroy(&batches->next_phase);
    pthread_mutex_destroy(&batches->mutex);
}

/* The last piece of a phase is done: the next one. */
static void phase_end(struct batches *batches)
{
    pthread_mutex_lock(&batches->mutex);
    phase_deal(batches, atomic_load(&batches->first) + batches->blocks, atomic_load(&batches->phase) + 1);
    if (batches->sleepers > 0)
        pthread_cond_broadcast(&batches->next_phase);
    pthread_mutex_unlock(&batches->mutex);
}

static void phase_wait(struct batches *batches, uint32_t seen)
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
        pthread_cond_wait(&batches->next_phase, &batches->mutex);
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
    cache_log_clear(*log, batches->l2, batches->hand_count);
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
    batches_note_end(batches, worker, number, end);
}

void batches_note_end(struct batches *batches, struct worker *worker, uint64_t number, enum block_end end)
{
    struct run *run = batches->run;
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
    atomic_uint_least64_t *running = &run->running[worker->index * RUN_WORKER_STRIDE];
    uint32_t playing = hand_playing(batches);
    if (piece < playing) {
        atomic_store(running, UINT64_MAX);
        cache_l2_play(batches->l2, batches->logs[batches->parity ^ 1], batches->blocks_before, hand,
                      &worker->caches);
        return;
    }
    uint64_t number = hand_block(batches, hand, piece - playing);
    atomic_store(running, number);
    /* Blocks before one that failed are still run: the first of all failures is reported. */
    if (atomic_load(&run->first_fault) > number && !run_is_over(run))
        block_work(batches, worker, number);
}

/* Takes and does pieces of a hand until there are none left in this phase; returns how many. */
static uint32_t hand_work(struct batches *batches, struct worker *worker, uint32_t hand, uint32_t phase)
{
    atomic_uint_least64_t *left = &batches->hands[hand].left;
    atomic_uint_least64_t *running = &batches->run->running[worker->index * RUN_WORKER_STRIDE];
    uint32_t worked = 0;
    for (;; worked++) {
        /* At least this block, so that no later one takes itself for the oldest before one is taken. */
        atomic_store(running, atomic_load(&batches->first));
        uint64_t seen = atomic_load(left);
        do {
            if (seen >> 32 != phase || (uint32_t)seen == 0)
                return worked;
        } while (!atomic_compare_exchange_weak(left, &seen, seen - 1));
        piece_work(batches, worker, hand, batches->hands[hand].pieces - (uint32_t)seen);
    }
}

/* Tells that so many pieces are done, all at once: a word that all write costs more than a small block. The
 * last ones end the phase: true. */
static bool pieces_done(struct batches *batches, uint32_t count)
{
    if (count == 0)
        return false; /* others may be dealing already */
    uint32_t pieces = batches->pieces;
    if (atomic_fetch_add(&batches->done, count) + count != pieces)
        return false;
    phase_end(batches);
    return true;
}

void batches_work(struct batches *batches, struct worker *worker)
{
    atomic_uint_least64_t *running = &batches->run->running[worker->index * RUN_WORKER_STRIDE];
    uint32_t phase;
    while ((phase = atomic_load(&batches->phase)) != PHASE_ENDED) {
        uint32_t worked = 0;
        for (uint32_t i = 0; i < batches->hand_count; i++)
            worked += hand_work(batches, worker, (worker->index + i) % batches->hand_count, phase);
        atomic_store(running, UINT64_MAX);
        if (!pieces_done(batches, worked))
            phase_wait(batches, phase);
    }
}
