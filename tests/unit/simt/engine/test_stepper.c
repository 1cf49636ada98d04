/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with a loop and a branch, run at once and one instruction at a time: the same, and what is seen at a position. */
#include "simt/engine/stepper.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>

#include <string.h>

#define THREADS 96
#define BLOCKS 2

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k(.param .u64 out)\n{\n"
                          ".reg .b64 %rd<4>;\n.reg .b32 %r<10>;\n.reg .pred %p<3>;\n.reg .f32 %f<2>;\n"
                          "ld.param.u64 %rd1, [out];\n"
                          "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                          "mad.lo.u32 %r3, %r2, 96, %r1;\n"
                          "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
                          "and.b32 %r4, %r1, 3;\nmov.u32 %r5, 0;\n"
                          "loop:\nadd.u32 %r5, %r5, %r3;\nadd.u32 %r4, %r4, 1;\n"
                          "setp.lt.u32 %p1, %r4, 6;\n@%p1 bra loop;\n"
                          "st.global.u32 [%rd3], %r5;\n"
                          "setp.gt.u32 %p2, %r1, 40;\n@%p2 st.global.u32 [%rd3], %r4;\n"
                          "bar.sync 0;\nret;\n}\n";

static struct seen {
    uint64_t stops[STEPPER_ENDS + 1];
    uint64_t digest, goal, positions;
    uint32_t on, pc, value[32];
    struct warp_access access;
    enum ptx_space space;
} seen;

static bool wants(void *owner, struct stepper *stepper, const struct program *program)
{
    (void)owner;
    (void)stepper;
    return strcmp(program->entry->name, "k") == 0;
}

static uint32_t slot_of(const struct stepper *stepper, const char *name)
{
    for (uint32_t i = 0; i < stepper->program->register_count; i++)
        if (strcmp(stepper->program->registers[i].variable->name, name) == 0)
            return stepper->program->registers[i].slot;
    cr_assert_fail("no register %s", name);
    return 0;
}

static void stopped(void *owner, struct stepper *stepper, enum stepper_reason reason)
{
    (void)owner;
    seen.stops[reason]++;
    if (reason == STEPPER_WARP)
        seen.digest = seen.digest * 31 + stepper->position * 7 + stepper->pc + stepper->on;
    if (reason == STEPPER_ENDS)
        seen.positions = stepper->position;
    if (reason == STEPPER_POSITION || reason == STEPPER_WRITE) {
        uint32_t slot = slot_of(stepper, "%r5");
        for (uint32_t lane = 0; lane < 32; lane++)
            seen.value[lane] = (uint32_t)stepper_register(stepper, slot, 4, lane);
        seen.on = stepper->on;
        seen.pc = stepper->pc;
        seen.goal = stepper->position;
        cr_assert(stepper_access(stepper, &seen.space, &seen.access));
    }
}

/* Runs the kernel; out gets what it has written. */
static void run(struct stepper *stepper, uint32_t *out, struct count_totals *totals)
{
    uint8_t *bytes;
    uint64_t argument = model_allocate(THREADS * BLOCKS * 4, &bytes);
    model_load_text("k", ptx, sizeof ptx - 1);
    if (stepper)
        module_keep_registers(model_module);
    model_machine.stepper = stepper;
    model_launch("k", SHAPE(BLOCKS, 1, 1), SHAPE(THREADS, 1, 1), 0, &argument, totals);
    model_machine.stepper = NULL;
    memcpy(out, bytes, THREADS * BLOCKS * 4);
    cr_assert_eq(memory_free(model_memory, argument, NULL), STATUS_OK);
}

TestSuite(stepper, .init = model_open, .fini = model_close);

static struct stepper stepper_made(void)
{
    struct stepper stepper;
    stepper_init(&stepper);
    stepper.wants = wants;
    stepper.stopped = stopped;
    seen = (struct seen){0};
    return stepper;
}

Test(stepper, a_stepped_launch_is_the_same_launch)
{
    uint32_t plain[THREADS * BLOCKS], stepped[THREADS * BLOCKS];
    struct count_totals before, after;
    struct stepper stepper = stepper_made();
    run(NULL, plain, &before);
    stepper_choose(&stepper, 1, 2);
    stepper.every = true;
    run(&stepper, stepped, &after);
    cr_assert_arr_eq(plain, stepped, sizeof plain);
    cr_assert(memcmp(&before, &after, sizeof before) == 0);
    cr_assert_eq(seen.positions, after.warp_instructions, "%lu", (unsigned long)seen.positions);
    cr_assert_eq(seen.stops[STEPPER_BEGINS], 1);
    cr_assert_eq(seen.stops[STEPPER_ENDS], 1);
    cr_assert(seen.stops[STEPPER_WARP] > 20);
    uint64_t digest = seen.digest;
    stepper = stepper_made();
    stepper_choose(&stepper, 1, 2);
    stepper.every = true;
    run(&stepper, stepped, NULL);
    cr_assert_eq(seen.digest, digest);
}

Test(stepper, a_write_is_found_and_seen_at_its_position)
{
    uint32_t out[THREADS * BLOCKS];
    uint64_t address = model_allocate(THREADS * BLOCKS * 4, NULL);
    cr_assert_eq(memory_free(model_memory, address, NULL), STATUS_OK); /* where run() will have it */
    struct stepper stepper = stepper_made();
    stepper_choose(&stepper, 0, 1);
    stepper.watch_space = PTX_GLOBAL;
    stepper.watch_address = address + 4 * 45;
    stepper.watch_bytes = 4;
    stepper.keeps = true;
    run(&stepper, out, NULL);
    uint64_t written = stepper.kept;
    cr_assert(written != STEPPER_NEVER);
    cr_assert_eq(out[45], 6);
    stepper = stepper_made();
    stepper.stop_at = written;
    run(&stepper, out, NULL);
    /* Thread 45 is in warp 1; the second store is guarded: threads 41 to 63 of the warp make it. */
    cr_assert_eq(seen.on, 0xfffffe00u, "%x", seen.on);
    cr_assert_eq(seen.access.address[13], address + 4 * 45);
    cr_assert_eq(seen.space, PTX_GLOBAL);
    for (uint32_t lane = 0; lane < 32; lane++)
        cr_assert_eq(seen.value[lane], (32 + lane) * (6 - lane % 4));
    /* A stop at each write: both stores, of which the first stands at another instruction. */
    stepper = stepper_made();
    stepper.watch_space = PTX_GLOBAL;
    stepper.watch_address = address + 4 * 45;
    stepper.watch_bytes = 4;
    run(&stepper, out, NULL);
    cr_assert_eq(seen.stops[STEPPER_WRITE], 2);
    cr_assert_eq(seen.goal, written);
}
