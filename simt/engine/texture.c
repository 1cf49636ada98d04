/*
 * A texture is one allocation: a head of 512 bytes, in which a magic number tells it from other memory,
 * and the texels in blocks of 64 bytes by 8 rows. Every fetch reads the head again, so nothing is kept
 * here.
 */
#include "simt/engine/texture.h"

#include <math.h>
#include <string.h>

#define MAGIC UINT64_C(0x7865746c65786574)
#define HEAD_BYTES 512   /* the texels begin at a block of their own */
#define SIDE_MAX 131072  /* texels; CUDA C++ Programming Guide, technical specifications */
#define BLOCK_COLUMNS 16 /* texels of a block: 64 bytes by 8 rows */
#define BLOCK_ROWS 8
#define BLOCK_BYTES 512
#define WEIGHT_STEPS 256.0
#define FAR 0x1p40 /* coordinates beyond are as good as this one */

struct head {
    uint64_t magic;
    uint32_t width, height;
    uint32_t address; /* enum texture_address */
    uint32_t linear, normalised;
};

static uint64_t blocks_of(uint32_t texels, uint32_t of_block)
{
    return ((uint64_t)texels + of_block - 1) / of_block;
}

static uint64_t bytes_of(const struct head *head)
{
    return HEAD_BYTES +
           blocks_of(head->width, BLOCK_COLUMNS) * blocks_of(head->height, BLOCK_ROWS) * BLOCK_BYTES;
}

/* From the texture's begin. Within a block: halves of 32 bytes, in them pairs of rows, in those quarters of
 * 16 bytes, rows, bytes. */
static uint64_t place_of(const struct head *head, uint64_t x, uint64_t y)
{
    uint64_t block = y / BLOCK_ROWS * blocks_of(head->width, BLOCK_COLUMNS) + x / BLOCK_COLUMNS;
    uint64_t byte = x % BLOCK_COLUMNS * sizeof(float), row = y % BLOCK_ROWS;

    return HEAD_BYTES + block * BLOCK_BYTES + byte / 32 * 256 + row / 2 * 64 + byte % 32 / 16 * 32 +
           row % 2 * 16 + byte % 16;
}

enum status texture_make(struct memory *memory, const struct device_texture *what, uint64_t *handle,
                         struct error *error)
{
    struct head head = {.magic = MAGIC,
                        .width = what->width,
                        .height = what->height,
                        .address = what->address,
                        .linear = what->linear,
                        .normalised = what->normalised};
    uint8_t *bytes;
    enum status status;

    if (!what->width || !what->height || what->width > SIDE_MAX || what->height > SIDE_MAX)
        return error_set(error, STATUS_USAGE,
                         "A texture of %u x %u texels is not possible: give 1 to %d of each.", what->width,
                         what->height, SIDE_MAX);
    if ((status = memory_alloc(memory, bytes_of(&head), handle, error)))
        return status;
    if ((status = memory_access(memory, *handle, bytes_of(&head), true, &bytes, error)))
        return status;
    memcpy(bytes, &head, sizeof head);
    for (uint32_t y = 0; y < head.height; y++)
        for (uint32_t x = 0; x < head.width; x++)
            memcpy(bytes + place_of(&head, x, y), &what->values[(size_t)y * head.width + x], sizeof(float));
    return STATUS_OK;
}

const struct memory_range *texture_find(const struct memory *memory, uint64_t handle)
{
    const struct memory_range *range = memory_find(memory, handle);
    struct head head;

    if (!range || range->address != handle || range->size_bytes < HEAD_BYTES)
        return NULL;
    /* A kernel may have written there: what the head says is believed as far as the allocation goes. */
    memcpy(&head, range->bytes, sizeof head.magic + sizeof head.width + sizeof head.height);
    if (head.magic != MAGIC || !head.width || !head.height || head.width > SIDE_MAX ||
        head.height > SIDE_MAX || bytes_of(&head) > range->size_bytes)
        return NULL;
    return range;
}

enum status texture_free(struct memory *memory, uint64_t handle, struct error *error)
{
    if (!texture_find(memory, handle))
        return error_set(error, STATUS_STATE, "There is no texture %llu to destroy.",
                         (unsigned long long)handle);
    return memory_free(memory, handle, error);
}

/* Where coordinate i of a side of n texels is fetched; -1: beyond the border. */
static int64_t address_texel(const struct head *head, int64_t i, int64_t n)
{
    int64_t turn;

    if (i >= 0 && i < n)
        return i;
    switch (head->address) {
    case TEXTURE_BORDER: return -1;
    case TEXTURE_WRAP:
        if (head->normalised)
            return (i % n + n) % n;
        break;
    case TEXTURE_MIRROR:
        turn = (i % (2 * n) + 2 * n) % (2 * n);
        if (head->normalised)
            return turn < n ? turn : 2 * n - 1 - turn;
        break;
    default: break;
    }
    return i < 0 ? 0 : n - 1;
}

static float texel_at(const struct memory_range *texture, const struct head *head, int64_t x, int64_t y,
                      uint64_t *address)
{
    int64_t column = address_texel(head, x, head->width), row = address_texel(head, y, head->height);
    float value;

    *address = TEXTURE_OUTSIDE;
    if (column < 0 || row < 0)
        return 0;
    uint64_t place = place_of(head, (uint64_t)column, (uint64_t)row);
    memcpy(&value, texture->bytes + place, sizeof value);
    *address = texture->address + place;
    return value;
}

static double coordinate_clamp(double coordinate)
{
    if (isnan(coordinate))
        return 0;
    return coordinate > FAR ? FAR : coordinate < -FAR ? -FAR : coordinate;
}

struct texture_texels texture_fetch(const struct memory_range *texture, double x, double y, bool whole)
{
    struct texture_texels texels = {.count = 1};
    struct head head;

    memcpy(&head, texture->bytes, sizeof head);
    x = coordinate_clamp(head.normalised && !whole ? x * head.width : x);
    y = coordinate_clamp(head.normalised && !whole ? y * head.height : y);
    if (!head.linear || whole) {
        texels.value = texel_at(texture, &head, (int64_t)floor(x), (int64_t)floor(y), &texels.address[0]);
        return texels;
    }
    int64_t left = (int64_t)floor(x - 0.5), top = (int64_t)floor(y - 0.5);
    double right = round((x - 0.5 - (double)left) * WEIGHT_STEPS) / WEIGHT_STEPS;
    double down = round((y - 0.5 - (double)top) * WEIGHT_STEPS) / WEIGHT_STEPS;
    double sum = 0;

    texels.count = TEXTURE_CORNERS;
    for (int corner = 0; corner < TEXTURE_CORNERS; corner++) {
        bool second = corner % 2, lower = corner / 2;
        double value = (double)texel_at(texture, &head, left + second, top + lower, &texels.address[corner]);

        sum += (second ? right : 1 - right) * (lower ? down : 1 - down) * value;
    }
    texels.value = (float)sum;
    return texels;
}
