/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of one warp for programs that count single memory instructions: patterns and masks of active
 * lanes, the same on every run. tests/gpu/patterns.py joins what such a program prints with what the GPU
 * counted. */
#ifndef TESTS_GPU_PROGRAMS_PATTERNS_H
#define TESTS_GPU_PROGRAMS_PATTERNS_H

#include "program.h"

#include <stdint.h>

#define PATTERN_KINDS 15
#define MASK_KINDS 8

static uint32_t random_state = 1;
static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

// A pattern of kind `kind`, in units of the width.
static void make(uint32_t kind, uint32_t unit[32])
{
    uint32_t span = 1u << draw(8), stride = draw(40), base = draw(16), bit = 1u << draw(5),
             group = 1u << draw(6);
    for (uint32_t lane = 0; lane < 32; lane++)
        unit[lane] = draw(span);
    for (uint32_t lane = 0; lane < 32; lane++) {
        switch (kind) {
        case 0: break;                                            // random in a span
        case 1: unit[lane] = base + lane * stride; break;         // strided
        case 2: unit[lane] = base + lane / group * stride; break; // groups of neighbours share
        case 3: unit[lane] = base + lane % group * stride; break; // repeated
        case 4: unit[lane] = unit[lane & ~bit]; break; // random, lanes that differ in one bit share
        case 5: unit[lane] = base + (lane & ~bit) * stride; break;       // strided, the same
        case 6: unit[lane] = base + (lane ^ (draw(4) ? 0 : bit)); break; // nearly in order
        case 7: unit[lane] = base + (lane & ~bit & ~(bit << 1)) * stride; break;
        case 8: unit[lane] = base + (lane & ~3u) + (lane & 1); break; // 0 1 0 1 4 5 4 5
        case 9: unit[lane] = base + lane % 16 / (group % 16 ? group % 16 : 1); break;
        case 10:
            unit[lane] = base + (lane & 15 & ~bit) + (lane & 16) * stride;
            break; // halves alike, conflict-free
        case 11:
            unit[lane] = lane & 16 ? base + lane % 8 : base + (lane & 15 & ~bit);
            break; // halves of two kinds
        case 12: unit[lane] = lane & 16 ? base + (lane & 15 & ~bit) : base + lane % 8; break;
        case 13: unit[lane] = base + draw(8); break; // never a conflict
        case 14: unit[lane] = base; break;
        }
    }
}

static uint32_t draw_mask(uint32_t kind)
{
    uint32_t any = draw(65536) << 16 | draw(65536);
    switch (kind) {
    case 0: return any;
    case 1: return any & (draw(65536) << 16 | draw(65536));
    case 2: return any | (draw(65536) << 16 | draw(65536));
    case 3: return 0xffffu << draw(17);
    case 4: return 0xffu << draw(25);
    case 5: return draw(2) ? any & 0xffffu : any & 0xffff0000u;
    default: return ~0u;
    }
}

// Prints the line of a launch, and makes byte offsets below `limit` of the units.
static void describe(const char *operation, uint32_t width, uint32_t mask, uint32_t unit[32], uint32_t limit)
{
    printf("%s %u %08x", operation, width, mask);
    for (uint32_t lane = 0; lane < 32; lane++) {
        unit[lane] = unit[lane] * width % limit;
        printf(" %u", unit[lane]);
    }
    printf("\n");
}

#endif
