/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a warp instruction of simt/lanes/lanes costs, with all lanes active and with some, for every build of
 * the functions that this processor can run. To compare with: reading and writing the same bytes (mov.b32).
 */
#include "simt/lanes/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLOT_BYTES 256
#define TURNS 400000
#define ROUNDS 5

static const char *const instructions[] = {
    "mov.b32",          "add.f32",        "fma.rn.f32",      "fma.rn.ftz.f32",
    "mul.lo.s32",       "mad.lo.s32",     "mad.wide.u32",    "add.s64",
    "shl.b32",          "lop3.b32",       "setp.lt.s32",     "setp.lt.f32",
    "selp.b32",         "add.f64",        "fma.rn.f64",      "div.rn.f32",
    "rsqrt.approx.f32", "ex2.approx.f32", "lg2.approx.f32",  "sin.approx.f32",
    "div.u32",          "cvt.rn.f32.s32", "cvt.rzi.s32.f32", "cvt.u64.u32",
    "add.rn.f16x2",     "fma.rn.f16x2",   "add.rz.f32",      "cvta.to.global.u64",
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of several rounds. */
static double measure(const struct lanes_form *form, uint8_t *frame, uint32_t active)
{
    struct program_instruction instruction = {.lanes = form->function, .immediate = form->modifiers};
    double best = 1e30;
    for (uint32_t i = 0; i < form->operand_count; i++) {
        uint32_t *slot = i < form->destination_count ? &instruction.destination[i]
                                                     : &instruction.source[i - form->destination_count];
        *slot = (i + 1) * SLOT_BYTES;
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now_ns();
        for (int i = 0; i < TURNS; i++) {
            instruction.lanes(&instruction, frame, active);
            __asm__ volatile("" : : "r"(frame) : "memory");
        }
        const double taken = (now_ns() - start) / TURNS;
        best = taken < best ? taken : best;
    }
    return best;
}

int main(void)
{
    _Alignas(64) static uint8_t frame[SLOT_BYTES * (LANES_OPERANDS + 1)];
    for (uint32_t i = 0; i < sizeof frame / sizeof(float); i++)
        ((float *)(void *)frame)[i] = 1.0f + (float)i;
    printf("ns per warp instruction: all lanes active / half of them\n%-20s", "");
    for (size_t v = 0; lanes_variant_at(v) != NULL; v++)
        printf("%18s", lanes_variant_at(v)->name);
    putchar('\n');
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        printf("%-20s", instructions[i]);
        for (size_t v = 0; lanes_variant_at(v) != NULL; v++) {
            struct lanes_form form;
            if (!lanes_variant_at(v)->runs_here()) {
                printf("%18s", "not on this CPU");
            } else if (!lanes_find_in(lanes_variant_at(v), instructions[i], &form)) {
                fprintf(stderr, "%s is not there\n", instructions[i]);
                return EXIT_FAILURE;
            } else {
                printf("%9.1f /%7.1f", measure(&form, frame, UINT32_MAX), measure(&form, frame, 0x0ff00ff0u));
            }
        }
        putchar('\n');
    }
    return EXIT_SUCCESS;
}
