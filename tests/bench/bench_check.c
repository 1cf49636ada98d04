/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --check costs: seconds of a launch without and with the checks, on one worker, counted and with
 * caches, for the six kernels of bench_simt at smaller sizes; the quickest of ROUNDS launches each.
 *
 * Usage: bench_check [KERNEL], from a build with optimisation.
 */
#include "simt/timing/gpu.h"
#include "tests/bench/ptx_kernel.h"

#define WORDS (1u << 20)
#define ROUNDS 5

static const struct bench benches[] = {
    {"n-body", "tests/data/ptx/nbody.ptx", "nbody", {4, 1, 1}, {256, 1, 1}, 0, 1024, 2},
    {"matmul, simple", "workloads/ptx/matmul_ab.ptx", "matmul_simple", {8, 8, 1}, {32, 32, 1}, 0, 256, 3},
    {"matmul, tiles", "workloads/ptx/matmul_ab.ptx", "matmul_ab_tiles", {8, 8, 1}, {32, 32, 1}, 0, 256, 3},
    {"reduction", "tests/data/ptx/reduction.ptx", "reduction", {132, 1, 1}, {256, 1, 1}, 1024, WORDS / 4, 2},
    {"copy", "workloads/ptx/copy_offset.ptx", "copy_offset", {2048, 1, 1}, {256, 1, 1}, 0, 0, 2},
    {"copy, stride 32", "workloads/ptx/copy_stride.ptx", "copy_stride", {128, 1, 1}, {256, 1, 1}, 0, 32, 2},
};

/* Processor seconds of the quickest launch. */
static double quickest(const struct grid_machine *machine, const struct grid_launch *launch,
                       uint64_t *instructions)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        struct grid_result result;
        struct count_totals totals;
        struct error error;
        double begin = seconds_now(CLOCK_PROCESS_CPUTIME_ID);
        if (grid_run(machine, launch, &result, &error) != STATUS_OK)
            die(launch->program->entry->name, &error);
        double took = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - begin;
        best = took < best ? took : best;
        if (result.checks.report_count)
            printf("%s has %u reports\n", launch->program->entry->name, result.checks.report_count);
        count_totals(&result.counter, &totals);
        *instructions = totals.warp_instructions;
        grid_result_fini(&result);
    }
    return best;
}

static void run(struct grid_machine *machine, const uint64_t buffers[3], const struct bench *bench)
{
    uint8_t parameters[64] = {0};
    struct module *module = load(machine->memory, bench->file);
    const struct grid_launch launch = launch_of(module, bench, buffers, parameters);
    uint64_t instructions;
    machine->check = false;
    double plain = quickest(machine, &launch, &instructions);
    machine->check = true;
    double checked = quickest(machine, &launch, &instructions);
    printf("%-16s %10.2f %10.2f %8.1f\n", bench->name, (double)instructions / plain / 1e6,
           (double)instructions / checked / 1e6, checked / plain);
    module_unload(module);
}

int main(int argc, char **argv)
{
    const struct gpu *gpu = gpu_at(0);
    struct error error;
    struct grid_machine machine = {.info = &gpu->info, .rules = arch_find(90), .l1_bytes = 128 << 10};
    uint64_t buffers[3];
    if (memory_create(&machine.memory, UINT64_C(1) << 32, true, &error) != STATUS_OK ||
        grid_pool_create(&machine.pool, 1, &error) != STATUS_OK ||
        cache_l2_create(&machine.l2, gpu->info.l2_bytes, &gpu->l2, &error) != STATUS_OK)
        die("the device", &error);
    for (int i = 0; i < 3; i++) {
        uint8_t *bytes = NULL;
        if (memory_alloc(machine.memory, 4 * (uint64_t)WORDS, &buffers[i], &error) != STATUS_OK ||
            memory_access(machine.memory, buffers[i], 4 * (uint64_t)WORDS, true, &bytes, &error) != STATUS_OK)
            die("memory", &error);
        memset(bytes, 0, 4 * (size_t)WORDS);
    }
    printf("kernel           M wi/s    checked   slower\n");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++)
        if (argc < 2 || strcmp(argv[1], benches[i].name) == 0)
            run(&machine, buffers, &benches[i]);
    grid_pool_destroy(machine.pool);
    cache_l2_destroy(machine.l2);
    memory_destroy(machine.memory);
    return 0;
}
