/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooperative launches: barriers of the whole grid, what is refused, and what ends in a deadlock. The kernels
 * are those of tests/gpu/programs/kernel_grid.cu, whose host code expects the same of a GPU.
 */
#include "simt/device/device.h"
#include "simt/timing/timing.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static struct device *device;
static struct error error;
static char ptx[1 << 16];
static uint64_t instructions, handoffs;
static double latency_ns;

static const char stuck[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 flag;\n"
    /* Block 0 waits for what block 1 writes; of one thread each. */
    ".entry pass(.param .u64 out) { .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>; mov.u32 %r1, "
    "%ctaid.x;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra WRITE; L: ld.acquire.gpu.global.u32 %r2, [flag];\n"
    "setp.eq.u32 %p2, %r2, 0; @%p2 bra L; ret; WRITE: mov.u32 %r3, 1; st.release.gpu.global.u32 [flag], %r3; "
    "ret; }\n"
    ".entry never(.param .u64 out) { .reg .pred %p<3>; .reg .b32 %r<4>;\n"
    "L: ld.acquire.gpu.global.u32 %r2, [flag]; setp.ne.u32 %p2, %r2, 77; @%p2 bra L; ret; }\n"
    /* Task t waits for word t and sets word t + 1; blocks take tasks in turn. */
    ".entry chain(.param .u64 out, .param .u32 tasks) { .reg .pred %p<3>; .reg .b32 %r<7>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r5, [tasks]; mov.u32 %r1, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r3, 1;\n"
    "NEXT: setp.ge.u32 %p1, %r1, %r5; @%p1 bra END; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "L: ld.acquire.gpu.global.u32 %r2, [%rd3]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L;\n"
    "st.release.gpu.global.u32 [%rd3+4], %r3; add.u32 %r1, %r1, %r4; bra NEXT; END: ret; }\n"
    /* Each even block waits for the next one. */
    ".entry pairs(.param .u64 out, .param .u32 tasks) { .reg .pred %p<3>; .reg .b32 %r<7>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r3, 1; shr.u32 %r4, %r1, 1;\n"
    "mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1; @%p1 bra SET;\n"
    "L: atom.global.add.u32 %r2, [%rd3], 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; ret;\n"
    "SET: atom.global.exch.b32 %r2, [%rd3], %r3; ret; }\n"
    /* Barriers of the grid by hand, as many as tasks. */
    ".entry meet(.param .u64 out, .param .u32 tasks) { .reg .pred %p<3>; .reg .b32 %r<7>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r5, [tasks]; mov.u32 %r4, %nctaid.x; mov.u32 %r3, 0; mov.u32 %r6, 0;\n"
    "NEXT: add.u32 %r3, %r3, %r4; atom.global.add.u32 %r2, [%rd1], 1;\n"
    "L: ld.volatile.global.u32 %r2, [%rd1]; setp.lt.u32 %p2, %r2, %r3; @%p2 bra L;\n"
    "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra NEXT; ret; }\n"
/* The last block writes what all others wait for, each in its way; then they count themselves. */
#define WAIT_FOR_LAST(name, look)                                                                     \
    ".entry " name "(.param .u64 out) { .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"       \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; sub.u32 %r2, %r2, 1;\n" \
    "setp.eq.u32 %p1, %r1, %r2; @%p1 bra WRITE;\n"                                                    \
    "L: " look " setp.eq.u32 %p2, %r3, 0; @%p2 bra L; bra DONE;\n"                                    \
    "WRITE: mov.u32 %r4, 1; st.release.gpu.global.u32 [%rd1], %r4;\n"                                 \
    "DONE: red.global.add.u32 [%rd1+4], 1; ret; }\n"
    WAIT_FOR_LAST("by_acquire", "ld.acquire.gpu.global.u32 %r3, [%rd1];")
        WAIT_FOR_LAST("by_volatile", "ld.volatile.global.u32 %r3, [%rd1];")
            WAIT_FOR_LAST("by_addition", "atom.global.add.u32 %r3, [%rd1], 0;")
                WAIT_FOR_LAST("by_exchange", "atom.global.cas.b32 %r3, [%rd1], 1, 1;")
                    WAIT_FOR_LAST("asleep", "nanosleep.u32 100; ld.relaxed.gpu.global.u32 %r3, [%rd1];");

/* Two blocks that answer each other. */
static const char turns[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".entry turns(.param .u64 out, .param .u32 tasks) { .reg .pred %p<3>; .reg .b32 %r<7>; .reg .b64 %rd<7>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r5, [tasks]; mov.u32 %r1, %ctaid.x; xor.b32 %r4, %r1, 1; mov.u32 %r6, 0;\n"
    "mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r4, 128; add.u64 %rd5, %rd1, %rd4;\n"
    "NEXT: add.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra B; st.volatile.global.u32 [%rd3], %r6;\n"
    "A: ld.volatile.global.u32 %r2, [%rd5]; setp.lt.u32 %p2, %r2, %r6; @%p2 bra A; bra DONE;\n"
    "B: ld.volatile.global.u32 %r2, [%rd5]; setp.lt.u32 %p2, %r2, %r6; @%p2 bra B; st.volatile.global.u32 [%rd3], %r6;\n"
    "DONE: setp.lt.u32 %p1, %r6, %r5; @%p1 bra NEXT; ret; }\n";

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    char path[4096];
    if (strcmp(image, "stuck") == 0) {
        *size_bytes = sizeof stuck - 1;
        return stuck;
    }
    if (strcmp(image, "turns") == 0) {
        *size_bytes = sizeof turns - 1;
        return turns;
    }
    snprintf(path, sizeof path, "%s/tests/data/programs/%s.ptx", TEST_SOURCE_DIR, image);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    *size_bytes = fread(ptx, 1, sizeof ptx, file);
    fclose(file);
    return ptx;
}

static void note_launch(void *owner, const struct simt_launch *launch)
{
    (void)owner;
    instructions = 0;
    handoffs = launch->result->counter.handoffs;
    latency_ns = launch->timing ? launch->timing->roof_ns[TIMING_LATENCY] : 0;
    for (uint32_t i = 0; launch->result->counter.program && i < launch->program->instruction_count; i++)
        instructions += launch->result->counter.instructions[i].warp_instructions;
}

static void open_device(void)
{
    struct simt_options options = {
        .workers = 2, .check = true, .ptx = ptx_of, .sink = {.launched = note_launch}};
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
}

static void close_device(void)
{
    device->ops->close(device);
}

TestSuite(simt_cooperative, .init = open_device, .fini = close_device);

static enum status launch(const char *image, const char *kernel, uint32_t blocks, uint32_t threads,
                          bool cooperative, void **arguments)
{
    struct device_launch asked = {.image = image,
                                  .kernel = kernel,
                                  .grid = {blocks, 1, 1},
                                  .block = {threads, 1, 1},
                                  .arguments = arguments,
                                  .cooperative = cooperative};
    return device->ops->launch(device, &asked, &error);
}

#define BLOCKS 300 /* more than the GPU has multiprocessors */
#define THREADS 64
#define STEPS 5
#define N (BLOCKS * THREADS)
static int32_t values[N];

Test(simt_cooperative, blocks_wait_for_the_grid)
{
    uint64_t address, before = 0;
    int32_t steps = STEPS;
    cr_assert_eq(device->ops->memory_alloc(device, sizeof values, &address, &error), STATUS_OK);
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < N; i++)
            values[i] = 10 * i;
        device->ops->copy(device, DEVICE_COPY_TO_DEVICE, address, device_host_address(values), sizeof values,
                          0, false, &error);
        cr_assert_eq(
            launch("kernel_grid", "_Z6rotatePii", BLOCKS, THREADS, true, (void *[]){&address, &steps}),
            STATUS_OK, "%s", error.text);
        device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(values), address, sizeof values, 0,
                          false, &error);
        for (int i = 0; i < N; i++)
            cr_assert_eq(values[i], 10 * ((i + N - STEPS) % N) + STEPS, "%d: %d", i, values[i]);
        cr_assert(again == 0 || instructions == before, "the counts are the same each time");
        before = instructions;
    }
}

/* A flag that goes from block to block costs 600 to 900 cycles of an H200 each time, as far as the handoffs follow each
 * other. */
Test(simt_cooperative, handoffs_take_time)
{
    static const struct {
        const char *image, *kernel;
        uint32_t blocks, tasks, handoffs;
    } rows[] = {{"stuck", "chain", 4, 20, 19}, {"stuck", "chain", 40, 100, 99},
                {"stuck", "chain", 1, 20, 0},  {"stuck", "pairs", 40, 0, 1},
                {"stuck", "meet", 132, 7, 7},  {"turns", "turns", 2, 100, 200}};
    const double cycle_ns = 1 / 1.98;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t address;
        uint32_t tasks = rows[i].tasks, first = strcmp(rows[i].kernel, "chain") == 0;
        cr_assert_eq(device->ops->memory_alloc(device, sizeof values, &address, &error), STATUS_OK);
        memset(values, 0, sizeof values);
        values[0] = (int32_t)first;
        device->ops->copy(device, DEVICE_COPY_TO_DEVICE, address, device_host_address(values), sizeof values,
                          0, false, &error);
        cr_assert_eq(
            launch(rows[i].image, rows[i].kernel, rows[i].blocks, 1, true, (void *[]){&address, &tasks}),
            STATUS_OK, "%s", error.text);
        cr_expect_eq(handoffs, rows[i].handoffs, "%s: %lu", rows[i].kernel, (unsigned long)handoffs);
        cr_expect(latency_ns >= rows[i].handoffs * 600 * cycle_ns &&
                      latency_ns <= rows[i].handoffs * 900 * cycle_ns + 8000,
                  "%s: %g ns", rows[i].kernel, latency_ns);
    }
}

Test(simt_cooperative, what_is_refused)
{
    uint64_t address;
    int32_t steps = 1;
    void *arguments[] = {&address, &steps};
    cr_assert_eq(device->ops->memory_alloc(device, 1 << 20, &address, &error), STATUS_OK);
    cr_assert_eq(launch("kernel_grid", "_Z6rotatePii", 100000, THREADS, true, arguments), STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "all its blocks on the device at once"), "%s", error.text);
}

/* As on a GPU, where resident blocks run side by side in every launch. */
Test(simt_cooperative, blocks_of_any_launch_wait_for_later_ones)
{
    static const char *const kernels[] = {"by_acquire", "by_volatile", "by_addition", "by_exchange",
                                          "asleep"};
    uint32_t most = 32 * 132, words[2]; /* one warp each, on an H200 */
    uint64_t address;
    int32_t steps = 1;
    cr_assert_eq(device->ops->memory_alloc(device, 1 << 20, &address, &error), STATUS_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        for (uint32_t blocks = 2; blocks <= 400; blocks += 398) {
            memset(words, 0, sizeof words);
            device->ops->copy(device, DEVICE_COPY_TO_DEVICE, address, device_host_address(words),
                              sizeof words, 0, false, &error);
            cr_assert_eq(launch("stuck", kernels[i], blocks, 32, false, (void *[]){&address}), STATUS_OK,
                         "%s, %u: %s", kernels[i], blocks, error.text);
            device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(words), address, sizeof words,
                              0, false, &error);
            cr_assert_eq(words[1], 32 * blocks, "%s, %u: %u", kernels[i], blocks, words[1]);
        }
    }
    cr_assert_eq(launch("kernel_grid", "_Z6rotatePii", 2 * 132, THREADS, false, (void *[]){&address, &steps}),
                 STATUS_OK, "%s", error.text);
    /* One block more than the device holds at once: the last one never begins. */
    memset(words, 0, sizeof words);
    for (uint32_t more = 0; more < 2; more++) {
        device->ops->copy(device, DEVICE_COPY_TO_DEVICE, address, device_host_address(words), sizeof words, 0,
                          false, &error);
        cr_assert_eq(launch("stuck", "by_volatile", most + more, 32, false, (void *[]){&address}),
                     more ? STATUS_CHECK : STATUS_OK);
    }
    cr_assert_not_null(strstr(error.text,
                              "all 4224 blocks of this size that the device holds at once: 1 more "
                              "begin only when one of them ends"),
                       "%s", error.text);
}

/* As on an H200, where the grid's barrier is there in every launch. */
Test(simt_cooperative, a_grid_is_valid_in_every_launch)
{
    uint64_t address;
    int32_t valid[32];
    cr_assert_eq(device->ops->memory_alloc(device, sizeof valid, &address, &error), STATUS_OK);
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        cr_assert_eq(launch("kernel_grid", "_Z7invalidPi", 1, 32, cooperative != 0, (void *[]){&address}),
                     STATUS_OK, "%s", error.text);
        device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(valid), address, sizeof valid, 0,
                          false, &error);
        cr_assert(valid[0] == 1 && valid[31] == 1, "%d: %d", cooperative, valid[0]);
    }
}

Test(simt_cooperative, scratch_in_reserved_shared_memory)
{
    uint64_t address;
    int32_t out[512];
    cr_assert_eq(device->ops->memory_alloc(device, sizeof out, &address, &error), STATUS_OK);
    cr_assert_eq(launch("kernel_grid", "_Z12reduce_blockPi", 2, 256, false, (void *[]){&address}), STATUS_OK,
                 "%s", error.text);
    device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(out), address, sizeof out, 0, false,
                      &error);
    for (int i = 0; i < 512; i++)
        cr_assert_eq(out[i], i % 256 < 128 ? 127 * 64 : 127 * 64 + 128 * 128, "%d: %d", i, out[i]);
}

Test(simt_cooperative, an_earlier_block_waits_for_a_later_one)
{
    uint64_t address = 0;
    cr_assert_eq(launch("stuck", "pass", 2, 1, true, (void *[]){&address}), STATUS_OK, "%s", error.text);
    cr_assert_eq(launch("stuck", "never", 3, 32, true, (void *[]){&address}), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "loops until memory changes"), "%s", error.text);
    cr_assert_not_null(strstr(error.text, "block (0,0,0)"), "%s", error.text);
}
