/* SPDX-License-Identifier: Apache-2.0 */
/* The accesses of tests/shared/made/made_access.h. */
#include "tests/shared/made/made_access.h"

#include <inttypes.h>
#include <stdio.h>

struct warp_access access_in_steps(uint64_t start, uint64_t step, uint32_t width, uint32_t active)
{
    struct warp_access access = {.active = active, .width_bytes = width};
    for (uint64_t lane = 0; lane < WARP_LANES; lane++)
        access.address[lane] = start + lane * step;
    return access;
}

static uint64_t draw(struct made_access *made, uint64_t below)
{
    made->state ^= made->state << 13;
    made->state ^= made->state >> 7;
    made->state ^= made->state << 17;
    return (made->state >> 11) % below;
}

static uint32_t draw_active(struct made_access *made)
{
    uint32_t low = (uint32_t)draw(made, WARP_LANES), high = (uint32_t)draw(made, WARP_LANES);
    switch (draw(made, 10)) {
    case 0: return 0xffffu << draw(made, 17);
    case 1: return ALL_LANES << low & ALL_LANES >> high;
    case 2: return 0x55555555u << draw(made, 2);
    case 3: return 1u << low;
    case 4: return (uint32_t)draw(made, 1ull << 32);
    case 5: return ~(1u << low);
    default: return ALL_LANES;
    }
}

static uint64_t draw_step(struct made_access *made, uint64_t width)
{
    uint64_t step;
    switch (draw(made, 8)) {
    case 0: step = 0; break;
    case 1: step = width; break;
    case 2: step = draw(made, 66); break;
    case 3: step = 1ull << draw(made, 64); break;
    case 4: step = 4 * draw(made, 40); break;
    case 5: step = 32 * draw(made, 10); break;
    default: step = width * draw(made, 68); break;
    }
    return draw(made, 3) ? step : -step;
}

static uint64_t draw_base(struct made_access *made, uint64_t span)
{
    uint64_t base = draw(made, 4) ? draw(made, 4096) : 128 * draw(made, 32);
    if (span == UINT64_MAX) {
        switch (draw(made, 4)) {
        case 0: return base + (draw(made, 1 << 20) << 27);
        case 1: return -base;
        default: break;
        }
    }
    return base + (1 << 16);
}

static uint64_t draw_address(struct made_access *made, int kind, uint64_t lane, uint64_t base, uint64_t step,
                             uint64_t unit)
{
    switch (kind) {
    case 0: return base + draw(made, 4096) / unit * unit;            /* scattered */
    case 1: return base + draw(made, 128) / unit * unit;             /* crowded */
    case 2: return base + (lane ^ draw(made, 2)) * unit;             /* swapped with a neighbour */
    case 3: return base + lane / 16 * step + lane % 16 * unit;       /* rows of 16 */
    case 4: return base + lane / 8 * step + lane % 8 * unit;         /* rows of 8 */
    case 5: return base + draw(made, 4) * step;                      /* some places, many lanes */
    case 6: return base + lane * step + (draw(made, 24) ? 0 : unit); /* nearly a step apart */
    default: return base + lane * step;
    }
}

struct warp_access made_access_next(struct made_access *made, uint64_t span)
{
    static const uint32_t widths[] = {1, 2, 4, 4, 8, 12, 16};
    struct warp_access access = {.active = draw_active(made),
                                 .width_bytes = widths[draw(made, 7)],
                                 .store = draw(made, 3) == 0,
                                 .local = draw(made, 5) == 0,
                                 .l1 = (enum access_l1)draw(made, 3)};
    uint64_t unit = access.width_bytes == 12 ? 4 : access.width_bytes;
    bool aligned = draw(made, 4) != 0;
    uint64_t base = draw_base(made, span), step = draw_step(made, access.width_bytes);
    uint32_t share =
        draw(made, 4) ? 0 : (uint32_t)draw(made, 4); /* lanes that differ in these bits are one */
    int kind = (int)draw(made, 10);

    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t address = draw_address(made, kind, lane, base, step, aligned ? unit : 1);
        address = aligned ? address / unit * unit : address;
        address = lane & share ? access.address[lane & ~share] : address;
        if (span != UINT64_MAX)
            address %= span;
        else if (address > UINT64_MAX - 15)
            address &= ~UINT64_C(15);
        access.address[lane] = address;
    }
    return access;
}

const char *made_access_text(const struct warp_access *access)
{
    static char text[1024];
    int length =
        snprintf(text, sizeof text, "%s%s l1 %d, %u bytes, lanes %08x:", access->local ? "local " : "",
                 access->store ? "store" : "load", (int)access->l1, access->width_bytes, access->active);
    for (int lane = 0; lane < WARP_LANES && length < (int)sizeof text; lane++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %" PRIx64, access->address[lane]);
    return text;
}

struct lanes lanes_of(const struct warp_access *access, uint32_t first, uint32_t count)
{
    struct lanes lanes = {.width = access->width_bytes};
    for (uint32_t k = 0; k < count; k++) {
        if (access->active & 1u << (first + k)) {
            lanes.thread[lanes.count] = k;
            lanes.address[lanes.count++] = access->address[first + k];
        }
    }
    return lanes;
}

size_t sorted_add(uint64_t *numbers, size_t count, uint64_t number)
{
    size_t place = count;
    while (place > 0 && numbers[place - 1] >= number)
        place--;
    if (place < count && numbers[place] == number)
        return count;
    for (size_t i = count; i > place; i--)
        numbers[i] = numbers[i - 1];
    numbers[place] = number;
    return count + 1;
}
