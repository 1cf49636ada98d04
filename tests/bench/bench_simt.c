/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the device model runs kernels: million warp instructions a second, with one worker and with two;
 * counted, with bounds checks and caches on, as a user runs the first launches of a kernel, and uncounted, as
 * the later ones are run. `caches` is the share of one worker's counted time that they take. Rates are those
 * of the quickest launch of all made in SECONDS (3) for each kernel; of one worker by the processor's time,
 * since other programs on the machine only ever slow one. `frame`: bytes of registers of a warp, and `before`
 * registers share slots. The last line is the cost of a launch of one block.
 *
 * Usage: bench_simt [SECONDS [KERNEL [vectors | counted | uncounted]]]: with every register as 32 lanes; or one kind
 * of launches alone, by one worker, for a profile. From a build with optimisation.
 */
#include "simt/timing/gpu.h"
#include "tests/bench/ptx_kernel.h"

#define WORDS (8u << 20)

static const struct bench benches[] = {
    {"n-body", "tests/data/ptx/nbody.ptx", "nbody", {32, 1, 1}, {256, 1, 1}, 0, 8192, 2},
    {"matmul, simple", "workloads/ptx/matmul_ab.ptx", "matmul_simple", {64, 16, 1}, {32, 32, 1}, 0, 2048, 3},
    {"matmul, tiles", "workloads/ptx/matmul_ab.ptx", "matmul_ab_tiles", {64, 16, 1}, {32, 32, 1}, 0, 2048, 3},
    {"reduction", "tests/data/ptx/reduction.ptx", "reduction", {528, 1, 1}, {256, 1, 1}, 1024, WORDS / 4, 2},
    {"copy", "workloads/ptx/copy_offset.ptx", "copy_offset", {8192, 1, 1}, {256, 1, 1}, 0, 0, 2},
    {"copy, stride 32", "workloads/ptx/copy_stride.ptx", "copy_stride", {1024, 1, 1}, {256, 1, 1}, 0, 32, 2},
    {"histogram",
     "tests/data/ptx/histogram.ptx",
     "histogram_shared",
     {528, 1, 1},
     {256, 1, 1},
     0,
     WORDS / 2,
     2},
};

struct machine {
    const struct gpu *gpu;
    struct memory *memory;
    struct cache_l2 *l2;
    uint64_t buffers[3];
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void watch_nothing(void *owner, const struct progress *progress)
{
    (void)owner;
    (void)progress;
}

static bool by_vectors;
static const char *alone; /* "counted" or "uncounted": these alone, by one worker */
static struct grid_watch watch = {.progress = watch_nothing};

/* Repeats the launch for about so many seconds; million warp instructions a second in the quickest one: what
 * others do on the machine only ever slows a launch. */
static double rate(const struct grid_machine *grid, const struct grid_launch *launch, clockid_t clock,
                   double seconds)
{
    double end = seconds_now(CLOCK_MONOTONIC) + seconds, best = 0;
    struct error error;
    do {
        struct grid_result result;
        struct count_totals totals;
        double begin = seconds_now(clock);
        if (grid_run(grid, launch, &result, &error) != STATUS_OK)
            die(launch->program->entry->name, &error);
        double took = seconds_now(clock) - begin;
        count_totals(&result.counter, &totals);
        grid_result_fini(&result);
        double now = (double)totals.warp_instructions / took / 1e6;
        best = now > best ? now : best;
    } while (seconds_now(CLOCK_MONOTONIC) < end);
    return best;
}

static void run(const struct machine *machine, const struct bench *bench, double seconds)
{
    struct error error;
    struct grid_pool *pools[2];
    uint8_t parameters[64] = {0};
    struct module *module = load(machine->memory, bench->file);
    const struct grid_launch launch = launch_of(module, bench, machine->buffers, parameters);
    struct grid_machine full = {.memory = machine->memory,
                                .info = &machine->gpu->info,
                                .rules = arch_find(90),
                                .l2 = machine->l2,
                                .l1_bytes = 128 << 10,
                                .by_vectors = by_vectors,
                                .watch = &watch};
    for (uint32_t workers = 1; workers <= 2; workers++)
        if (grid_pool_create(&pools[workers - 1], workers, &error) != STATUS_OK)
            die("pool", &error);
    full.pool = pools[0];
    struct grid_machine plain = full;
    plain.l2 = NULL;
    struct grid_machine uncounted = plain;
    uncounted.uncounted = true;
    struct grid_machine both[2] = {full, uncounted};
    both[0].pool = both[1].pool = pools[1];
    double all = 0, rules = 0, none = 0, two[2] = {0};
    if (alone) {
        const bool counted = strcmp(alone, "counted") == 0;
        printf("%-16s %8.2f %s\n", bench->name,
               rate(counted ? &full : &uncounted, &launch, CLOCK_PROCESS_CPUTIME_ID, seconds), alone);
        goto end;
    }
    for (int turn = 0; turn < 4; turn++) {
        all = larger(all, rate(&full, &launch, CLOCK_PROCESS_CPUTIME_ID, seconds / 20));
        rules = larger(rules, rate(&plain, &launch, CLOCK_PROCESS_CPUTIME_ID, seconds / 20));
        none = larger(none, rate(&uncounted, &launch, CLOCK_PROCESS_CPUTIME_ID, seconds / 20));
        for (int i = 0; i < 2; i++)
            two[i] = larger(two[i], rate(&both[i], &launch, CLOCK_MONOTONIC, seconds / 20));
    }
    printf("%-16s %8.2f %10.2f %6.2f %6.0f %% %10.2f %6.2f %10.2f %6.2f %7u %7u\n", bench->name, all, two[0],
           two[0] / all, 100 * (1 - all / rules), none, none / all, two[1], two[1] / none,
           launch.program->frame_bytes, launch.program->name_bytes);
end:
    grid_pool_destroy(pools[0]);
    grid_pool_destroy(pools[1]);
    module_unload(module);
}

/* One block of one warp, again and again. */
static void run_small(const struct machine *machine)
{
    struct error error;
    struct module *module = load(machine->memory, "workloads/ptx/copy_offset.ptx");
    struct grid_pool *pool = NULL;
    struct grid_launch launch = {.module = module, .grid = {1, 1, 1}, .block = {256, 1, 1}};
    uint8_t parameters[32] = {0};
    memcpy(parameters, machine->buffers, 16);
    launch.parameters = parameters;
    if (module_program(module, "copy_offset", true, &launch.program, &error) != STATUS_OK ||
        grid_pool_create(&pool, 2, &error) != STATUS_OK)
        die("copy_offset", &error);
    struct grid_machine grid = {.pool = pool,
                                .memory = machine->memory,
                                .info = &machine->gpu->info,
                                .rules = arch_find(90),
                                .l2 = machine->l2,
                                .l1_bytes = 128 << 10,
                                .watch = &watch};
    const int launches = 20000;
    double begin = seconds_now(CLOCK_MONOTONIC);
    for (int i = 0; i < launches; i++) {
        struct grid_result result;
        if (grid_run(&grid, &launch, &result, &error) != STATUS_OK)
            die("copy_offset", &error);
        grid_result_fini(&result);
    }
    printf("a launch of one block of 256 threads: %.1f us\n",
           1e6 * (seconds_now(CLOCK_MONOTONIC) - begin) / launches);
    grid_pool_destroy(pool);
    module_unload(module);
}

int main(int argc, char **argv)
{
    by_vectors = argc > 3 && strcmp(argv[3], "vectors") == 0;
    alone = argc > 3 && !by_vectors ? argv[3] : NULL;
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    struct error error;
    struct machine machine = {.gpu = gpu_at(0)};
    if (memory_create(&machine.memory, UINT64_C(1) << 32, false, &error) != STATUS_OK ||
        cache_l2_create(&machine.l2, machine.gpu->info.l2_bytes, &machine.gpu->l2, &error) != STATUS_OK)
        die("memory", &error);
    for (int i = 0; i < 3; i++) {
        uint8_t *bytes;
        if (memory_alloc(machine.memory, 4 * (uint64_t)WORDS, &machine.buffers[i], &error) != STATUS_OK ||
            memory_access(machine.memory, machine.buffers[i], 4 * (uint64_t)WORDS, true, &bytes, &error) !=
                STATUS_OK)
            die("memory", &error);
        for (uint32_t j = 0; j < WORDS; j++) {
            float value = (float)(j % 1000) / 1000.0f;
            memcpy(bytes + 4 * (size_t)j, &value, sizeof value);
        }
    }
    if (!alone)
        printf(
            "kernel           counted  2 workers  ratio   caches  uncounted  ratio  2 workers  ratio   frame  "
            "before\n");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++)
        if (argc < 3 || !*argv[2] || strcmp(benches[i].name, argv[2]) == 0)
            run(&machine, &benches[i], seconds);
    if (!alone)
        run_small(&machine);
    cache_l2_destroy(machine.l2);
    memory_destroy(machine.memory);
    return 0;
}
