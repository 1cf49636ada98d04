/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grids of the device model over several workers, with all that blocks share: atomics of every kind, a lock,
 * a scan in one pass whose blocks wait for the one before, a sum that the last block makes of what all others
 * left in memory; with caches, with checks, and cancelled half way. Meant for the thread sanitizer; in any
 * build the results are checked.
 */
#include "simt/engine/grid.h"
#include "simt/timing/gpu.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BLOCKS 120u
#define THREADS 64u
#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static const char text[] = HEAD
    /* out[0] += 1, out[1] += 0.5, out[2] max= thread, out[3] ^= thread; out[4] counted by hand under the lock
       out[5], by one thread a block */
    ".visible .entry atomics(.param .u64 out)\n{\n .reg .b32 %r<20>;\n .reg .u64 %rd<4>;\n .reg .pred "
    "%p<3>;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n"
    " mad.lo.u32 %r4, %r2, %r3, %r1;\n red.global.add.u32 [%rd1], 1;\n"
    " atom.global.add.f32 %r5, [%rd1+4], 0f3F000000;\n red.global.max.u32 [%rd1+8], %r4;\n"
    " red.global.xor.b32 [%rd1+12], %r4;\n setp.ne.u32 %p1, %r1, 0;\n @%p1 ret;\n"
    "TRY:\n atom.global.cas.b32 %r6, [%rd1+20], 0, 1;\n setp.ne.u32 %p2, %r6, 0;\n @%p2 bra TRY;\n"
    " membar.gl;\n ld.global.u32 %r7, [%rd1+16];\n add.u32 %r7, %r7, 1;\n st.global.u32 [%rd1+16], %r7;\n "
    "membar.gl;\n"
    " atom.global.exch.b32 %r8, [%rd1+20], 0;\n ret;\n}\n"
    /* out[block] = out[block - 1] + 1, the first begins with 1 */
    ".visible .entry chain(.param .u64 out)\n{\n .reg .b32 %r<8>;\n .reg .u64 %rd<6>;\n .reg .pred %p<4>;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n setp.ne.u32 %p1, %r1, 0;\n @%p1 ret;\n"
    " mov.u32 %r2, %ctaid.x;\n mul.wide.u32 %rd2, %r2, 4;\n add.u64 %rd3, %rd1, %rd2;\n mov.u32 %r3, 0;\n"
    " setp.eq.u32 %p2, %r2, 0;\n @%p2 bra HAVE;\n"
    "WAIT:\n ld.acquire.gpu.global.u32 %r3, [%rd3+-4];\n setp.eq.u32 %p3, %r3, 0;\n @%p3 bra WAIT;\n"
    "HAVE:\n add.u32 %r3, %r3, 1;\n st.release.gpu.global.u32 [%rd3], %r3;\n ret;\n}\n"
    /* out[2 + i] = i by all; the block that comes last sums them up into out[1]; out[0] counts blocks */
    ".visible .entry last(.param .u64 out)\n{\n .reg .b32 %r<16>;\n .reg .u64 %rd<6>;\n .reg .pred %p<4>;\n"
    " .shared .align 4 .u32 ticket;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n"
    " mad.lo.u32 %r4, %r2, %r3, %r1;\n mul.wide.u32 %rd2, %r4, 4;\n add.u64 %rd3, %rd1, %rd2;\n"
    " st.global.u32 [%rd3+8], %r4;\n membar.gl;\n bar.sync 0;\n setp.ne.u32 %p1, %r1, 0;\n @%p1 bra SEE;\n"
    " atom.global.add.u32 %r5, [%rd1], 1;\n st.shared.u32 [ticket], %r5;\n"
    "SEE:\n bar.sync 0;\n ld.shared.u32 %r6, [ticket];\n mov.u32 %r7, %nctaid.x;\n sub.u32 %r7, %r7, 1;\n"
    " setp.ne.u32 %p2, %r6, %r7;\n @%p2 ret;\n mov.u32 %r8, 0;\n mov.u32 %r9, %r1;\n"
    " mad.lo.u32 %r10, %r7, %r3, %r3;\n"
    "MORE:\n mul.wide.u32 %rd4, %r9, 4;\n add.u64 %rd5, %rd1, %rd4;\n ld.global.u32 %r11, [%rd5+8];\n"
    " add.u32 %r8, %r8, %r11;\n add.u32 %r9, %r9, %r3;\n setp.lt.u32 %p3, %r9, %r10;\n @%p3 bra MORE;\n"
    " red.global.add.u32 [%rd1+4], %r8;\n ret;\n}\n"
    ".visible .entry endless(.param .u64 out)\n{\nTOP:\n bra TOP;\n}\n";

static struct memory *memory;
static struct module *module;
static int failures;

static void fail(const char *what)
{
    fprintf(stderr, "tsan_simt: %s\n", what);
    failures++;
}

static enum status run(const struct grid_machine *machine, const char *kernel, uint64_t out,
                       struct error *error)
{
    struct grid_result result;
    struct grid_launch launch = {.module = module,
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {THREADS, 1, 1},
                                 .parameters = (const uint8_t *)&out};
    enum status status = module_program(module, kernel, true, &launch.program, error);
    if (status == STATUS_OK) {
        status = grid_run(machine, &launch, &result, error);
        if (result.checks.report_count && status == STATUS_OK) {
            char report[512];
            check_text(launch.program, &result.checks.reports[0], report, sizeof report);
            fail(report);
        }
        grid_result_fini(&result);
    }
    return status;
}

/* The kernels that end; their results. */
static void run_all(const struct grid_machine *machine, uint64_t out, uint32_t *words, size_t size_bytes)
{
    struct error error;
    uint32_t threads = BLOCKS * THREADS, folded = 0;
    float halves;
    memset(words, 0, size_bytes);
    if (run(machine, "atomics", out, &error) != STATUS_OK)
        fail(error.text);
    for (uint32_t i = 0; i < threads; i++)
        folded ^= i;
    memcpy(&halves, &words[1], sizeof halves);
    if (words[0] != threads || halves != (float)threads / 2 || words[2] != threads - 1 ||
        words[3] != folded || words[4] != BLOCKS || words[5] != 0)
        fail("atomics are lost");
    memset(words, 0, size_bytes);
    if (run(machine, "chain", out, &error) != STATUS_OK)
        fail(error.text);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (words[i] != i + 1) {
            fail("the chain is broken");
            break;
        }
    }
    memset(words, 0, size_bytes);
    if (run(machine, "last", out, &error) != STATUS_OK)
        fail(error.text);
    if (words[0] != BLOCKS || words[1] != threads * (threads - 1) / 2)
        fail("the last block did not see what the others wrote");
}

static atomic_bool cancel;

static void *cancel_soon(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&cancel, true);
    return unused;
}

int main(void)
{
    const struct gpu *gpu = gpu_at(0);
    struct error error;
    struct cache_l2 *l2;
    uint64_t out;
    uint8_t *bytes;
    const size_t size_bytes = 4 * (2 + BLOCKS * THREADS);
    if (memory_create(&memory, 1 << 26, true, &error) != STATUS_OK ||
        module_load(&module, memory, "simt.ptx", text, sizeof text - 1, &error) != STATUS_OK ||
        memory_alloc(memory, size_bytes, &out, &error) != STATUS_OK ||
        memory_access(memory, out, size_bytes, true, &bytes, &error) != STATUS_OK ||
        cache_l2_create(&l2, 1 << 20, &gpu->l2, &error) != STATUS_OK) {
        fail(error.text);
        return 1;
    }
    for (uint32_t workers = 2; workers <= 4; workers += 2) {
        struct grid_machine machine = {
            .memory = memory, .info = &gpu->info, .rules = arch_find(90), .l1_bytes = 64 << 10};
        if (grid_pool_create(&machine.pool, workers, &error) != STATUS_OK) {
            fail(error.text);
            return 1;
        }
        for (int turn = 0; turn < 4; turn++) {
            machine.l2 = turn % 2 ? l2 : NULL;
            machine.check = turn == 3;
            run_all(&machine, out, (uint32_t *)(void *)bytes, size_bytes);
        }
        pthread_t thread;
        atomic_store(&cancel, false);
        machine.cancel = &cancel;
        if (pthread_create(&thread, NULL, cancel_soon, NULL) != 0) {
            fail("no thread");
            return 1;
        }
        if (run(&machine, "endless", out, &error) != STATUS_STATE)
            fail("an endless kernel was not cancelled");
        pthread_join(thread, NULL);
        grid_pool_destroy(machine.pool);
    }
    cache_l2_destroy(l2);
    module_unload(module);
    memory_destroy(memory);
    return failures != 0;
}
