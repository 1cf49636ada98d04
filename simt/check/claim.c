/* An array's texels are at no address that a linear copy can name, so the two kinds never overlap. */
#include "simt/check/claim.h"

static uint64_t lesser_address(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greater_address(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t last_row(const struct claim *claim)
{
    return claim->rows > 1 ? claim->rows - 1 : 0;
}

uint64_t claim_end(const struct claim *claim)
{
    return claim->address + last_row(claim) * claim->pitch + claim->size_bytes;
}

bool claim_touches(const struct claim *claim, uint64_t address, uint64_t size_bytes)
{
    uint64_t end = address + size_bytes, last = last_row(claim);
    if (end <= claim->address || address >= claim_end(claim))
        return false;
    if (claim->box.depth) {
        while (address < end && !texture_box_has(&claim->array, &claim->box, address))
            address++;
        return address < end;
    }
    if (last == 0 || address <= claim->address)
        return true;
    uint64_t row = (address - claim->address) / claim->pitch, start = claim->address + row * claim->pitch;
    return address < start + claim->size_bytes || (row < last && end > start + claim->pitch);
}

uint64_t claim_next(const struct claim *claim, uint64_t address)
{
    if (last_row(claim) == 0 || address <= claim->address)
        return address;
    uint64_t row = (address - claim->address) / claim->pitch, start = claim->address + row * claim->pitch;
    return address < start + claim->size_bytes ? address : start + claim->pitch;
}

/* Whether two ranges of texels have one in common; *at: the first, *count: how many. */
static bool sides_overlap(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size, uint32_t *at,
                          uint32_t *count)
{
    uint64_t end = lesser_address((uint64_t)a + a_size, (uint64_t)b + b_size);
    *at = a > b ? a : b;
    *count = end > *at ? (uint32_t)(end - *at) : 0;
    return *count > 0;
}

static bool boxes_overlap(const struct claim *a, const struct claim *b, uint64_t *address,
                          uint64_t *size_bytes)
{
    const struct texture_box *p = &a->box, *q = &b->box;
    uint64_t texel = (uint64_t)a->array.shape.channels * a->array.shape.channel_bytes;
    struct texture_box both;
    if (a->address != b->address || !sides_overlap(p->x, p->width, q->x, q->width, &both.x, &both.width) ||
        !sides_overlap(p->y, p->height, q->y, q->height, &both.y, &both.height) ||
        !sides_overlap(p->z, p->depth, q->z, q->depth, &both.z, &both.depth))
        return false;
    *address = texture_place(&a->array, both.x * texel, both.y, both.z);
    *size_bytes = both.width * texel;
    return true;
}

bool claims_overlap(const struct claim *a, const struct claim *b, uint64_t *address, uint64_t *size_bytes)
{
    if (a->box.depth || b->box.depth)
        return a->box.depth && b->box.depth && boxes_overlap(a, b, address, size_bytes);
    if (a->address >= claim_end(b) || b->address >= claim_end(a))
        return false;
    if (last_row(a) > last_row(b)) {
        const struct claim *more = a;
        a = b;
        b = more;
    }
    for (uint64_t row = 0; row <= last_row(a); row++) {
        uint64_t start = a->address + row * a->pitch, end = start + a->size_bytes;
        if (!claim_touches(b, start, a->size_bytes))
            continue;
        uint64_t first = claim_next(b, greater_address(start, b->address)), from = first - b->address;
        uint64_t b_end = first + b->size_bytes - (last_row(b) ? from % b->pitch : from);
        *address = first;
        *size_bytes = lesser_address(end, b_end) - first;
        return true;
    }
    return false;
}
