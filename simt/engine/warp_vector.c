/* The loops of simt/engine/warp_vector.h. This file is compiled once per variant of simt/lanes/lanes. */
#include "simt/engine/warp_vector.h"

#include "simt/lanes/lanes_ops.h"

/* Gives inactive lanes the address of an active one, so that loops over addresses need not skip them. */
static void fill_access(struct warp_access *access)
{
    uint64_t *address = access->address;
    if (access->active == LANES_ALL)
        return;
    const uint64_t first = address[__builtin_ctz(access->active)];
    LANES_LOOP
    {
        const uint64_t mask = (access->active & lanes_bit[lane]) != 0 ? UINT64_MAX : 0;
        address[lane] = (address[lane] & mask) | (first & ~mask);
    }
}

static void add_32(struct warp_access *access, const uint32_t *base, int64_t offset)
{
    uint64_t *restrict address = access->address;
    const uint32_t add = (uint32_t)(uint64_t)offset;
    LANES_LOOP
    {
        address[lane] = base[lane] + add;
    }
    fill_access(access);
}

static void add_64(struct warp_access *access, const uint64_t *base, int64_t offset)
{
    uint64_t *restrict address = access->address;
    LANES_LOOP
    {
        address[lane] = base[lane] + (uint64_t)offset;
    }
    fill_access(access);
}

static enum warp_reach find_reach(const struct memory_range *range, const struct warp_access *access)
{
    const uint64_t *address = access->address, width = access->width_bytes;
    const uint64_t begin = range->address, first = address[0], last = range->size_bytes - width;
    if (range->size_bytes < width)
        return WARP_OUTSIDE;
    /* An offset is past the last valid offset exactly if the highest bit of the offset, or of its distance to
     * the last valid one, is set. */
    uint64_t outside = 0, odd = 0, apart = 0, spread = 0;
    for (uint64_t lane = 0; lane < WARP_LANES; lane++) {
        const uint64_t offset = address[lane] - begin;
        outside |= offset | (last - offset);
        odd |= address[lane];
        apart |= address[lane] ^ (first + lane * width);
        spread |= address[lane] ^ first;
    }
    if (outside >> 63 || (odd & (width - 1)))
        return WARP_OUTSIDE;
    return spread == 0 ? WARP_SAME : apart == 0 ? WARP_ROW : WARP_INSIDE;
}

static void spread_32(uint32_t *to, uint32_t value, uint32_t active)
{
    LANES_LOOP
    {
        const uint32_t mask = (active & lanes_bit[lane]) != 0 ? UINT32_MAX : 0;
        to[lane] = (value & mask) | (to[lane] & ~mask);
    }
}

static void spread_64(uint64_t *to, uint64_t value, uint32_t active)
{
    LANES_LOOP
    {
        const uint64_t mask = (active & lanes_bit[lane]) != 0 ? UINT64_MAX : 0;
        to[lane] = (value & mask) | (to[lane] & ~mask);
    }
}

static void copy_32(uint32_t *to, const uint32_t *from, uint32_t active)
{
    lanes_blend_32(to, from, active);
}

extern const struct warp_vector LANES_PASTED(warp_, vector, LANES_VARIANT);
const struct warp_vector LANES_PASTED(warp_, vector, LANES_VARIANT) = {.add_32 = add_32,
                                                                       .add_64 = add_64,
                                                                       .reach = find_reach,
                                                                       .spread_32 = spread_32,
                                                                       .spread_64 = spread_64,
                                                                       .copy_32 = copy_32};
