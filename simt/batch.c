/* The phases of simt/batch.h. */
#include "simt/batch.h"

/* Looks at the ticket before a worker that has nothing to do sleeps: some ten microseconds. */
#define LOOKS_BEFORE_SLEEP 1000
#define PIECES_MAX UINT32_C(0x40000000)
#define PHASE_ENDED UINT32_MAX

static uint32_t ticket_phase(uint64_t ticket)
{
    return (uint32_t)(ticket >> 32);
}

static uint32_t ticket_left(uint64_t ticket)
{
    return (uint32_t)ticket;
}

/* Cancelled, or out of memory. */
static bool run_is_over(const struct run *run)
{
    return (run->cancel && atomic_load(run->cancel)) || atomic_load(&run->out_of_memory);
}

/* The batch that begins at block `first`, or the end: the next phase's number. Nobody works now. */
static uint32_t batch_begin(struct batches *batches, uint64_t first, uint32_t phase)
{
    struct run *run = batches->run;
    uint64_t left = run->blocks - first, most = batches->l2 ? batches->multiprocessor_count : PIECES_MAX;
    bool stops = run_is_over(run) || atomic_load(&run->first_fault) < first;
    atomic_store(&batches->first, first);
    batches->pieces = batches->blocks = (uint32_t)(left < most ? left : most);
    batches->playing = false;
    return left == 0 || stops ? PHASE_ENDED : phase;
}

void batches_begin(struct batches *batches)
{
    pthread_mutex_init(&batches->mutex, NULL);
    pthread_cond_init(&batches->next_phase, NULL);
    atomic_init(&batches->done, 0);
    atomic_init(&batches->joined, 0);
    atomic_init(&batches->first, 0);
    batches->sleepers = 0;
    uint64_t phase = batch_begin(batches, 0, 0);
    atomic_init(&batches->ticket, phase << 32 | batches->pieces);
}

void batches_fini(struct batches *batches)
{
    pthread_cond_destroy(&batches->next_phase);
    pthread_mutex_destroy(&batches->mutex);
}

/* The last piece of a phase is done: the next one. */
static void phase_end(struct batches *batches)
{
    uint64_t phase = ticket_phase(atomic_load(&batches->ticket)) + 1;
    if (!batches->playing && batches->l2) {
        batches->playing = true;
        batches->pieces = atomic_load(&batches->joined);
    } else {
        phase = batch_begin(batches, atomic_load(&batches->first) + batches->blocks, (uint32_t)phase);
    }
    atomic_store(&batches->done, 0);
    pthread_mutex_lock(&batches->mutex);
    atomic_store(&batches->ticket, phase << 32 | batches->pieces);
    if (batches->sleepers > 0) {
        pthread_cond_broadcast(&batches->next_phase);
    }
    pthread_mutex_unlock(&batches->mutex);
}

/* Waits until there is work in another phase than `seen`, or no work any more. */
static void phase_wait(struct batches *batches, uint32_t seen)
{
    for (int look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
        if (ticket_phase(atomic_load_explicit(&batches->ticket, memory_order_relaxed)) != seen) {
            return;
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&batches->mutex);
    batches->sleepers++;
    while (ticket_phase(atomic_load(&batches->ticket)) == seen) {
        pthread_cond_wait(&batches->next_phase, &batches->mutex);
    }
    batches->sleepers--;
    pthread_mutex_unlock(&batches->mutex);
}

/* The multiprocessor's caches for the worker that runs its block. */
static bool multiprocessor_take(struct batches *batches, struct worker *worker, uint32_t index)
{
    struct batch_multiprocessor *multiprocessor = &batches->multiprocessors[index];
    struct cache_log **log = &batches->logs[index];
    if (multiprocessor->l1 && multiprocessor->l1_bytes != batches->l1_bytes) {
        cache_l1_destroy(multiprocessor->l1);
        multiprocessor->l1 = NULL;
    }
    if (!multiprocessor->l1 && cache_l1_create(&multiprocessor->l1, batches->l1_bytes, NULL) != STATUS_OK) {
        return false;
    }
    if (!*log && cache_log_create(log, NULL) != STATUS_OK) {
        return false;
    }
    if (multiprocessor->launch != batches->launch) {
        cache_l1_clear(multiprocessor->l1);
    }
    multiprocessor->launch = batches->launch;
    multiprocessor->l1_bytes = batches->l1_bytes;
    cache_log_clear(*log);
    worker->l1 = multiprocessor->l1;
    worker->log = *log;
    return true;
}

static void block_work(struct batches *batches, struct worker *worker, uint64_t number)
{
    struct run *run = batches->run;
    enum block_end end = BLOCK_NO_MEMORY;
    worker->block.multiprocessor = (uint32_t)(number % batches->multiprocessor_count);
    if (!batches->l2 || multiprocessor_take(batches, worker, worker->block.multiprocessor)) {
        end = block_run(worker, number);
    }
    if (end == BLOCK_NO_MEMORY) {
        atomic_store(&run->out_of_memory, true);
    } else if (end == BLOCK_FAILS) {
        worker->fault_block = number;
        uint64_t lowest = atomic_load(&run->first_fault);
        while (number < lowest && !atomic_compare_exchange_weak(&run->first_fault, &lowest, number)) {
        }
    }
}

static void piece_work(struct batches *batches, struct worker *worker, uint32_t piece)
{
    struct run *run = batches->run;
    atomic_uint_least64_t *running = &run->running[worker->index];
    if (batches->playing) {
        atomic_store(running, UINT64_MAX);
        cache_l2_play(batches->l2, batches->logs, batches->blocks, piece, batches->pieces, &worker->caches);
        return;
    }
    uint64_t number = atomic_load(&batches->first) + piece;
    atomic_store(running, number);
    /* Blocks before one that failed are still run: the first of all failures is reported. */
    if (atomic_load(&run->first_fault) > number && !run_is_over(run)) {
        block_work(batches, worker, number);
    } else if (batches->l2 && batches->logs[number % batches->multiprocessor_count]) {
        cache_log_clear(batches->logs[number % batches->multiprocessor_count]); /* an earlier block's */
    }
}

void batches_work(struct batches *batches, struct worker *worker)
{
    atomic_uint_least64_t *running = &batches->run->running[worker->index];
    atomic_fetch_add(&batches->joined, 1);
    for (;;) {
        /* At least this block, so that no later one takes itself for the oldest before it is taken. */
        atomic_store(running, atomic_load(&batches->first));
        uint64_t ticket = atomic_load(&batches->ticket);
        if (ticket_phase(ticket) == PHASE_ENDED) {
            break;
        }
        if (ticket_left(ticket) == 0) {
            atomic_store(running, UINT64_MAX);
            phase_wait(batches, ticket_phase(ticket));
            continue;
        }
        if (!atomic_compare_exchange_strong(&batches->ticket, &ticket, ticket - 1)) {
            continue;
        }
        uint32_t pieces = batches->pieces;
        piece_work(batches, worker, pieces - ticket_left(ticket));
        if (atomic_fetch_add(&batches->done, 1) + 1 == pieces) {
            phase_end(batches);
        }
    }
    atomic_store(running, UINT64_MAX);
}
