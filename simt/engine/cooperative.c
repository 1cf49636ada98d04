/*
 * A resident block holds the parts of a worker that belong to a block; they are swapped into the worker for
 * the block's turn and out again afterwards. One turn of each block is a pass. Blocks of a multiprocessor run
 * one after the other and share its L1. The logs of one block per multiprocessor are replayed into the L2
 * together, as in batches.
 */
#include "simt/engine/cooperative.h"

#include <stdlib.h>

/* After so many passes in which no block makes progress and nothing changes, nothing will change any more. */
#define IDLE_PASSES_MAX 64

struct resident {
    struct warp *warps;
    uint8_t *storage;
    size_t storage_bytes;
    struct shadow *shadow;
    struct order *order;
    struct block block;
    bool begun, ended;
};

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

/* One turn of a block. */
static enum block_end resident_turn(struct batches *batches, struct worker *worker, uint64_t number,
                                    bool begin, bool *ran)
{
    uint32_t multiprocessor = (uint32_t)(number % batches->multiprocessor_count);
    if (batches->l2 && !batches_take_multiprocessor(batches, worker, multiprocessor))
        return BLOCK_NO_MEMORY;
    if (begin) {
        if (worker_prepare_block(worker, batches->run, NULL) != STATUS_OK)
            return BLOCK_NO_MEMORY;
        worker->block.multiprocessor = multiprocessor;
        if (!block_begin(worker, number))
            return BLOCK_NO_MEMORY;
    }
    return block_go_on(worker, ran);
}

/* Replays the logs of the first `count` multiprocessors. */
static void logs_play(struct batches *batches, struct worker *worker, uint64_t count)
{
    if (batches->l2)
        cache_l2_play(batches->l2, batches->logs[batches->parity], (uint32_t)count, 0, batches->run->cancel,
                      &worker->caches);
}

/* One turn of each block that has not ended. False: the launch is over. */
static bool pass_run(struct batches *batches, struct worker *worker, struct resident *residents, bool *ran,
                     uint64_t *left)
{
    uint64_t blocks = batches->run->blocks, wave = batches->multiprocessor_count;
    for (uint64_t first = 0; first < blocks; first += wave) {
        uint64_t count = blocks - first < wave ? blocks - first : wave;
        for (uint64_t i = 0; i < count; i++) {
            struct resident *resident = &residents[first + i];
            if (resident->ended) {
                if (batches->l2 && !batches_take_multiprocessor(batches, worker, (uint32_t)i))
                    return false;
                continue;
            }
            resident_swap(resident, worker);
            enum block_end end = resident_turn(batches, worker, first + i, !resident->begun, ran);
            resident_swap(resident, worker);
            resident->begun = true;
            resident->ended = end != BLOCK_POLLS;
            *left -= resident->ended;
            if (end != BLOCK_POLLS)
                batches_note_end(batches, worker, first + i, end);
            if (end != BLOCK_POLLS && end != BLOCK_ENDS)
                return false;
        }
        logs_play(batches, worker, count);
    }
    return true;
}

static void passes_run(struct batches *batches, struct worker *worker, struct resident *residents)
{
    uint64_t left = batches->run->blocks, first = 0;
    uint32_t idle = 0;
    while (left > 0 && idle <= IDLE_PASSES_MAX) {
        bool ran = false;
        if (!pass_run(batches, worker, residents, &ran, &left))
            return;
        idle = ran ? 0 : idle + 1;
    }
    if (left == 0)
        return;
    while (residents[first].ended)
        first++;
    resident_swap(&residents[first], worker);
    block_report_deadlock(worker);
    resident_swap(&residents[first], worker);
    batches_note_end(batches, worker, first, BLOCK_FAILS);
}

void cooperative_work(struct batches *batches, struct worker *worker)
{
    uint64_t blocks = batches->run->blocks;
    struct resident *residents = calloc(blocks, sizeof *residents);
    if (!residents) {
        atomic_store(&batches->run->out_of_memory, true);
        return;
    }
    passes_run(batches, worker, residents);
    for (uint64_t i = 0; i < blocks; i++)
        if (residents[i].begun)
            resident_free(&residents[i], worker);
    free(residents);
}
