/*
 * The resident blocks are a team; one team runs after the other. A resident block holds the parts of a worker
 * that belong to a block; they are swapped into the worker for the block's turn and out again afterwards. One
 * turn of each block is a pass. The i-th block of a team runs on multiprocessor i mod n. Blocks of a
 * multiprocessor run one after the other and share its L1. The logs of one block per multiprocessor are
 * replayed into the L2 together, as in batches.
 */
#include "simt/engine/cooperative.h"

#include <stdlib.h>

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

static bool passes_run(struct batches *batches, struct worker *worker, struct team *team)
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
bool cooperative_park(struct batches *batches, struct worker *worker, uint64_t number)
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
