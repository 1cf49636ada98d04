/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches: what is the same whatever the number of workers, what a device refuses, cancelling, blocks that
 * wait for earlier ones.
 */
#include "tests/shared/made/made_program.h"

#include "simt/count/cache.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct cache_l2_rules rules = {.fetch_bytes = 32, .dirty_ways = 6, .partial_ways = 2};
static struct made_program made;
static struct error error;

/* The number of a thread in the grid, and the address of its word. */
struct start {
    uint32_t thread, block, global, out, address;
};

static struct start start(void)
{
    struct start s;
    made_begin(&made, "kernel");
    s.thread = made_special(&made, SPECIAL_TID_X);
    s.block = made_special(&made, SPECIAL_CTAID_X);
    s.global = made_slot(&made, 4);
    s.address = made_slot(&made, 8);
    s.out = made_parameter(&made, 0, 8);
    made_lanes(&made, made_mul, s.global, s.block, made_special(&made, SPECIAL_NTID_X));
    made_lanes(&made, made_add, s.global, s.global, s.thread);
    made_lanes(&made, made_wide_add, s.address, s.out, s.global);
    return s;
}

#define BLOCKS 301u
#define THREADS 96u
#define WORDS (1u << 16)

/* Scattered loads, stores, a shared exchange, atomics, divergence by block and lane: something of everything.
 */
static void make_mixed(void)
{
    struct start s = start();
    uint32_t index = made_slot(&made, 4), from = made_slot(&made, 8), value = made_slot(&made, 4);
    uint32_t shared = made_slot(&made, 4), odd = made_slot(&made, 4), is_odd = made_slot(&made, 1);
    made.program.static_shared_bytes = 4 * THREADS;
    made_lanes(&made, made_mul, index, s.global, made_constant(&made, 4, 2654435761u));
    made_lanes(&made, made_and, index, index, made_constant(&made, 4, WORDS - 1));
    made_lanes(&made, made_wide_add, from, s.out, index);
    made_load(&made, PTX_GLOBAL, value, from, 4);
    made_lanes(&made, made_mul, shared, s.thread, made_constant(&made, 4, 4));
    made_store(&made, PTX_SHARED, shared, value, 4);
    made_barrier(&made, PROGRAM_BAR_SYNC, 0, 0);
    made_lanes(&made, made_xor, shared, shared, made_constant(&made, 4, 4));
    made_load(&made, PTX_SHARED, value, shared, 4);
    made_lanes(&made, made_xor, odd, s.block, s.thread);
    made_lanes(&made, made_and, odd, odd, made_constant(&made, 4, 5));
    made_lanes(&made, made_equal, is_odd, odd, made_constant(&made, 4, 1));
    struct program_instruction *part = made_branch(&made, is_odd, true);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_U32, PROGRAM_NO_SLOT, s.out, value)->offset = 4 * WORDS;
    part->target = part->meet = made_here(&made);
    made_lanes(&made, made_and, index, s.global, made_constant(&made, 4, WORDS - 1));
    made_lanes(&made, made_wide_add, s.address, s.out, index);
    made_store(&made, PTX_GLOBAL, s.address, value, 4)->offset = 4 * WORDS + 64;
    made_end(&made);
}

static void run_mixed(uint32_t workers, uint32_t multiprocessors, bool caches, struct grid_result *result,
                      uint32_t *words)
{
    struct made_machine machine;
    struct cache_l2 *l2 = NULL;
    made_machine_init(&machine, workers, multiprocessors, false);
    if (caches) {
        cr_assert_eq(cache_l2_create(&l2, 64 << 10, &rules, NULL), STATUS_OK);
        machine.grid.l2 = l2;
        machine.grid.l1_bytes = 16 << 10;
    }
    for (uint32_t i = 0; i < 2 * WORDS + 16; i++)
        words[i] = i < WORDS ? i * i : 0;
    made_run_words(&machine, &made, BLOCKS, THREADS, words, 2 * WORDS + 16, result);
    cache_l2_destroy(l2);
    made_machine_fini(&machine);
}

Test(simt_grid, counts_caches_and_results_do_not_depend_on_the_workers)
{
    static uint32_t first_words[2 * WORDS + 16], words[2 * WORDS + 16];
    make_mixed();
    for (int caches = 0; caches < 2; caches++) {
        struct grid_result first, result;
        run_mixed(1, 7, caches, &first, first_words);
        cr_assert_eq(first.counter.blocks, BLOCKS);
        cr_assert_eq(first.caches.l2_lookups > 0, caches);
        for (uint32_t workers = 2; workers <= 5; workers++) {
            run_mixed(workers, 7, caches, &result, words);
            cr_assert_eq(memcmp(words, first_words, sizeof words), 0);
            cr_assert_eq(memcmp(result.counter.instructions, first.counter.instructions,
                                made.program.instruction_count * sizeof *first.counter.instructions),
                         0, "%u workers", workers);
            cr_assert_eq(memcmp(&result.caches, &first.caches, sizeof first.caches), 0, "%u workers",
                         workers);
            cr_assert_eq(result.counter.warps, first.counter.warps);
            cr_assert_eq(result.counter.barriers, first.counter.barriers);
            grid_result_fini(&result);
        }
        grid_result_fini(&first);
    }
}

Test(simt_grid, atomics_of_all_workers_add_up)
{
    struct start s = start();
    uint32_t zero = made_constant(&made, 4, 0), one = made_constant(&made, 4, 1), old = made_slot(&made, 4);
    uint32_t half = made_constant(&made, 4, 0x3f000000);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_U32, PROGRAM_NO_SLOT, s.out, one);
    made_atomic(&made, PTX_GLOBAL, ATOMIC_ADD, PTX_F32, old, s.out, half)->offset = 4;
    made_atomic(&made, PTX_GLOBAL, ATOMIC_MAX, PTX_U32, PROGRAM_NO_SLOT, s.out, s.global)->offset = 8;
    made_atomic(&made, PTX_GLOBAL, ATOMIC_XOR, PTX_B32, PROGRAM_NO_SLOT, s.out, s.global)->offset = 12;
    made_lanes(&made, made_add, zero, zero, zero);
    made_end(&made);
    struct made_machine machine;
    struct grid_result result;
    made_machine_init(&machine, 4, 16, false);
    uint32_t words[4] = {0};
    made_run_words(&machine, &made, 200, 256, words, 4, &result);
    float halves;
    memcpy(&halves, &words[1], sizeof halves);
    cr_assert_eq(words[0], 200 * 256);
    cr_assert_eq(halves, 100 * 256);
    cr_assert_eq(words[2], 200 * 256 - 1);
    cr_assert_eq(words[3], 0);
    cr_assert_eq(result.counter.blocks, 200);
    grid_result_fini(&result);
    made_machine_fini(&machine);
}

/* Block b waits until block b - 1 has set its flag, as a scan in one pass does. */
static void make_chain(void)
{
    struct start s = start();
    uint32_t before = made_slot(&made, 8), flag = made_slot(&made, 4), unset = made_slot(&made, 1);
    uint32_t first = made_slot(&made, 1), zero = made_constant(&made, 4, 0), own = made_slot(&made, 8);
    made_lanes(&made, made_equal, first, s.block, zero);
    made_lanes(&made, made_wide_add, own, s.out, s.block);
    /* Block 0 lets the others wait, for longer than a deadlock takes to be seen. */
    uint32_t turn = made_slot(&made, 4), more = made_slot(&made, 1), turns = made_slot(&made, 4);
    made_lanes(&made, made_move, turn, zero, zero);
    made_lanes(&made, made_move, turns, zero, zero);
    made_lanes(&made, made_move, turns, made_constant(&made, 4, 150000), zero)->guard = first;
    uint32_t wait = made_here(&made);
    made_lanes(&made, made_add, turn, turn, made_constant(&made, 4, 1));
    made_lanes(&made, made_less, more, turn, turns);
    struct program_instruction *again = made_branch(&made, more, false);
    again->target = wait;
    again->meet = made_here(&made);
    made_lanes(&made, made_move, flag, made_constant(&made, 4, 1), zero);
    struct program_instruction *skip = made_branch(&made, first, false);
    made_lanes(&made, made_sub, flag, s.block, made_constant(&made, 4, 1));
    made_lanes(&made, made_wide_add, before, s.out, flag);
    uint32_t top = made_here(&made);
    made_load(&made, PTX_GLOBAL, flag, before, 4)->strong = true;
    made_lanes(&made, made_equal, unset, flag, zero);
    struct program_instruction *back = made_branch(&made, unset, false);
    back->target = top;
    back->meet = made_here(&made);
    made_lanes(&made, made_add, flag, flag, made_constant(&made, 4, 1));
    skip->target = skip->meet = made_here(&made);
    made_store(&made, PTX_GLOBAL, own, flag, 4)->strong = true;
    made_end(&made);
}

static void run_chain(struct made_machine *machine, uint32_t blocks)
{
    static uint32_t words[500];
    struct grid_result result;
    memset(words, 0, sizeof words);
    made_run_words(machine, &made, blocks, 1, words, 500, &result);
    for (uint32_t i = 0; i < blocks; i++)
        cr_assert_eq(words[i], i + 1);
    grid_result_fini(&result);
}

Test(simt_grid, a_block_may_wait_for_the_one_before)
{
    make_chain();
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        struct made_machine machine;
        made_machine_init(&machine, workers, 8, false);
        run_chain(&machine, 500);
        made_machine_fini(&machine);
    }
}

/* Of the threads that there are but this one: threads[0] is how many. */
static void others(pid_t threads[16])
{
    DIR *folder = opendir("/proc/self/task");
    cr_assert_not_null(folder);
    threads[0] = 0;
    for (struct dirent *entry = readdir(folder); entry && threads[0] < 15; entry = readdir(folder)) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != getpid())
            threads[++threads[0]] = thread;
    }
    closedir(folder);
}

static void schedule(const pid_t threads[16], int policy)
{
    for (int i = 1; i <= threads[0]; i++)
        sched_setscheduler(threads[i], policy, &(struct sched_param){0});
}

static void *let_go_soon(void *threads)
{
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL); /* block 0 takes a while, too */
    schedule(threads, SCHED_OTHER);
    return NULL;
}

/* With caches, blocks are dealt out to the workers: the one before may be another's, who has not come yet.
 * All threads are on one processor, and for a while the others only have it when this one has nothing to do;
 * where that is not allowed they come as they do. */
Test(simt_grid, a_block_may_wait_for_one_whose_worker_is_late)
{
    struct made_machine machine;
    struct cache_l2 *l2;
    pid_t threads[16];
    cpu_set_t one;
    make_chain();
    made_machine_init(&machine, 3, 16, false);
    cr_assert_eq(cache_l2_create(&l2, 1 << 20, &rules, &error), STATUS_OK);
    machine.grid.l2 = l2;
    machine.grid.l1_bytes = 64 << 10;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one); /* the workers, too, which begin now */
    run_chain(&machine, 64);
    others(threads);
    for (int turn = 0; turn < 4; turn++) {
        pthread_t thread;
        schedule(threads, SCHED_IDLE);
        cr_assert_eq(pthread_create(&thread, NULL, let_go_soon, threads), 0);
        run_chain(&machine, 64);
        pthread_join(thread, NULL);
    }
    made_machine_fini(&machine);
    cache_l2_destroy(l2);
}

Test(simt_grid, what_a_device_refuses_is_said)
{
    static const struct {
        uint32_t grid[3], block[3], dynamic_shared_bytes;
        const char *words;
    } cases[] = {
        {{0, 1, 1}, {32, 1, 1}, 0, "blocks along x on a small GPU, not 0"},
        {{65536, 1, 1}, {32, 1, 1}, 0, "65535 blocks along x on a small GPU, not 65536"},
        {{1, 65536, 1}, {32, 1, 1}, 0, "blocks along y on a small GPU, not 65536"},
        {{1, 1, 65536}, {32, 1, 1}, 0, "65535 blocks along z on a small GPU, not 65536"},
        {{1, 1, 1}, {0, 1, 1}, 0, "threads along x, not 0"},
        {{1, 1, 1}, {1025, 1, 1}, 0, "threads along x, not 1025"},
        {{1, 1, 1}, {1, 1, 65}, 0, "threads along z, not 65"},
        {{1, 1, 1}, {32, 33, 1}, 0, "at most 1024 threads"},
        {{1, 1, 1}, {32, 1, 1}, 232449, "at most 232448 bytes of shared memory"},
    };
    struct made_machine machine;
    struct grid_result result;
    uint64_t out;
    start();
    made_end(&made);
    made_machine_init(&machine, 1, 4, false);
    machine.info.compute_capability = 20;
    out = made_alloc(&machine, 4);
    struct grid_launch launch = {
        .module = machine.module, .program = &made.program, .parameters = (const uint8_t *)&out};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memcpy(launch.grid, cases[i].grid, sizeof launch.grid);
        memcpy(launch.block, cases[i].block, sizeof launch.block);
        launch.dynamic_shared_bytes = cases[i].dynamic_shared_bytes;
        cr_assert_eq(grid_run(&machine.grid, &launch, &result, &error), STATUS_USAGE);
        cr_assert_not_null(strstr(error.text, cases[i].words), "%s", error.text);
        grid_result_fini(&result);
    }
    launch.dynamic_shared_bytes = 0;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = 1;
        launch.block[i] = i == 0 ? 64 : 1;
        made.entry.max_threads[i] = i == 0 ? 63 : 1;
    }
    cr_assert_eq(grid_run(&machine.grid, &launch, &result, &error), STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "__launch_bounds__"), "%s", error.text);
    grid_result_fini(&result);
    made.entry.max_threads[0] = 64;
    made.entry.required_threads[0] = 32;
    cr_assert_eq(grid_run(&machine.grid, &launch, &result, &error), STATUS_USAGE);
    grid_result_fini(&result);
    made.entry.required_threads[0] = 64;
    cr_assert_eq(grid_run(&machine.grid, &launch, &result, &error), STATUS_OK, "%s", error.text);
    grid_result_fini(&result);
    made_machine_fini(&machine);
}

static atomic_bool cancel;

static void *cancel_soon(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    atomic_store(&cancel, true);
    return unused;
}

Test(simt_grid, an_endless_kernel_can_be_cancelled)
{
    start();
    uint32_t top = made_here(&made);
    made_lanes(&made, made_move, made_slot(&made, 4), made_constant(&made, 4, 0), made_constant(&made, 4, 0));
    made_branch(&made, PROGRAM_NO_SLOT, false)->target = top;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        struct made_machine machine;
        struct grid_result result;
        pthread_t thread;
        made_machine_init(&machine, workers, 4, false);
        machine.grid.cancel = &cancel;
        atomic_store(&cancel, false);
        uint64_t out = made_alloc(&machine, 4);
        cr_assert_eq(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
        cr_assert_eq(made_run(&machine, &made, 1000, 128, &out, &result, &error), STATUS_STATE);
        cr_assert_not_null(strstr(error.text, "cancelled"), "%s", error.text);
        pthread_join(thread, NULL);
        grid_result_fini(&result);
        made_machine_fini(&machine);
    }
}

/* ---- progress ---- */
struct watched {
    struct grid_watch watch;
    struct progress newest;
    uint32_t reports;
    bool cancels; /* at the first report */
};

static void watch_launch(void *owner, const struct progress *progress)
{
    struct watched *watched = owner;
    cr_assert_eq(progress->blocks, 200);
    cr_assert(progress->ended <= 200 && progress->elapsed_ns >= 0 && !watched->newest.over);
    cr_assert(progress->ended >= watched->newest.ended && progress->executed >= watched->newest.executed);
    watched->newest = *progress;
    watched->reports++;
    watched->watch.next_ns = 0; /* not only twice a second */
    if (watched->cancels)
        atomic_store(&cancel, true);
}

/* Each block takes 4 * LOOPS instructions of each of its 4 warps, and a few more. */
#define LOOPS 600
static void make_loop(void)
{
    struct start s = start();
    uint32_t count = made_slot(&made, 4), more = made_slot(&made, 1);
    made_lanes(&made, made_move, count, made_constant(&made, 4, 0), made_constant(&made, 4, 0));
    uint32_t top = made_here(&made);
    made_lanes(&made, made_add, count, count, made_constant(&made, 4, 1));
    made_lanes(&made, made_equal, more, count, made_constant(&made, 4, LOOPS));
    made_branch(&made, more, true)->target = top;
    made_store(&made, PTX_GLOBAL, s.address, count, 4);
    made_end(&made);
}

static void run_watched(uint32_t workers, struct watched *watched, enum status wanted, uint64_t *instructions)
{
    struct made_machine machine;
    struct grid_result result;
    watched->watch.progress = watch_launch;
    watched->watch.owner = watched;
    made_machine_init(&machine, workers, 7, false);
    machine.grid.cancel = &cancel;
    machine.grid.watch = &watched->watch;
    atomic_store(&cancel, false);
    uint64_t out = made_alloc(&machine, 200 * 128 * 4);
    cr_assert_eq(made_run(&machine, &made, 200, 128, &out, &result, &error), wanted, "%s", error.text);
    *instructions = 0;
    for (uint32_t i = 0; i < made.program.instruction_count; i++)
        *instructions += result.counter.instructions[i].warp_instructions;
    grid_result_fini(&result);
    made_machine_fini(&machine);
}

Test(simt_grid, a_launch_tells_its_progress)
{
    uint64_t instructions;
    make_loop();
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct watched seldom = {.watch.next_ns = INT64_MAX}, often = {.cancels = false},
                       cut = {.cancels = true};
        run_watched(workers, &seldom, STATUS_OK, &instructions);
        cr_assert_eq(seldom.reports, 0, "a short launch reports nothing, not even its end");
        run_watched(workers, &often, STATUS_OK, &instructions);
        /* Worker 0 reports; on a busy machine others may have run all blocks before its first look. */
        cr_assert_gt(often.reports, workers == 1 ? 10 : 0);
        cr_assert(often.newest.over && often.newest.ended == 200);
        cr_assert_eq(often.newest.executed, instructions);
        run_watched(workers, &cut, STATUS_STATE, &instructions);
        cr_assert(cut.newest.over && cut.newest.ended < 200);
    }
}

/* Launches one after the other on one machine, of every shape, with and without caches: nothing is left over.
 */
Test(simt_grid, a_launch_finds_nothing_of_the_one_before)
{
    struct made_machine machine;
    struct cache_l2 *l2;
    uint32_t random = 3;
    cr_assert_eq(cache_l2_create(&l2, 1 << 20, &rules, NULL), STATUS_OK);
    made_machine_init(&machine, 3, 6, false);
    struct start s = start();
    made_store(&made, PTX_GLOBAL, s.address, s.global, 4);
    made_end(&made);
    for (int i = 0; i < 150; i++) {
        static uint32_t words[1 << 15];
        struct grid_result result;
        random = random * 1664525u + 1013904223u;
        uint32_t blocks = 1 + (random >> 8) % 40, threads = 1 + (random >> 16) % 512;
        machine.grid.l2 = random >> 31 ? l2 : NULL;
        machine.grid.l1_bytes = (random >> 30 & 1) ? 16384 : 65536;
        made_run_words(&machine, &made, blocks, threads, words, 1 << 15, &result);
        uint64_t sectors = 0;
        for (uint32_t j = 0; j < blocks * threads; j++)
            cr_assert_eq(words[j], j);
        for (uint32_t block = 0; block < blocks; block++) {
            for (uint32_t first = 0; first < threads; first += 32) {
                uint32_t from = block * threads + first, lanes = threads - first < 32 ? threads - first : 32;
                sectors += (from + lanes - 1) / 8 - from / 8 + 1;
            }
        }
        cr_assert_eq(result.counter.instructions[made.program.instruction_count - 2].transfers, sectors);
        cr_assert_eq(result.caches.l1_lookups, machine.grid.l2 ? sectors : 0);
        cr_assert_eq(result.caches.l2_lookups, machine.grid.l2 ? sectors : 0);
        cr_assert_eq(result.counter.blocks, blocks);
        grid_result_fini(&result);
    }
    made_machine_fini(&machine);
    cache_l2_destroy(l2);
}

/* Each thread reads its word twice: the second time from L1, which is empty at the begin of each launch. */
Test(simt_grid, caches_of_multiprocessors_are_empty_at_first)
{
    struct made_machine machine;
    struct cache_l2 *l2;
    static uint32_t words[64 * 128];
    cr_assert_eq(cache_l2_create(&l2, 1 << 20, &rules, NULL), STATUS_OK);
    made_machine_init(&machine, 2, 8, false);
    machine.grid.l2 = l2;
    machine.grid.l1_bytes = 128 << 10;
    struct start s = start();
    uint32_t value = made_slot(&made, 4);
    made_load(&made, PTX_GLOBAL, value, s.address, 4);
    made_load(&made, PTX_GLOBAL, value, s.address, 4);
    made_end(&made);
    for (int launch = 0; launch < 3; launch++) {
        struct grid_result result;
        made_run_words(&machine, &made, 64, 128, words, 64 * 128, &result);
        cr_assert_eq(result.caches.l1_lookups, 2 * 64 * 128 / 8);
        cr_assert_eq(result.caches.l1_hits, 64 * 128 / 8);
        cr_assert_eq(result.caches.l2_lookups, 64 * 128 / 8);
        grid_result_fini(&result);
    }
    made_machine_fini(&machine);
    cache_l2_destroy(l2);
}
