/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of 512 bytes begins with a magic number, which identifies it. Every fetch reads the head again, so
 * no state is kept here. A kernel may have written into it, so its values are checked against the
 * allocations.
 */
#include "simt/memory/texture.h"

#include "simt/lanes/lanes_half.h"

#include <math.h>
#include <string.h>

#define MAGIC UINT64_C(0x7865746c65786574)
#define HEAD_BYTES 512  /* the texels begin at a block */
#define SIDE_MAX 131072 /* in texels; CUDA C++ Programming Guide, technical specifications */
#define LINEAR_MAX (UINT32_C(1) << 28)
#define BLOCK_WIDTH 64 /* in bytes */
#define BLOCK_ROWS 8
#define BLOCK_BYTES 512
#define WEIGHT_STEPS 256
#define FAR 0x1p40 /* larger coordinates are clamped to this */
#define FACES 6

struct head {
    uint64_t magic;
    struct texture_view view;
};

static uint64_t texel_bytes(const struct texture_shape *shape)
{
    return (uint64_t)shape->channels * shape->channel_bytes;
}

static uint64_t blocks_of(uint64_t size, uint32_t of_block)
{
    return (size + of_block - 1) / of_block;
}

static uint64_t slice_bytes(const struct texture_shape *shape)
{
    return blocks_of(shape->width * texel_bytes(shape), BLOCK_WIDTH) * blocks_of(shape->height, BLOCK_ROWS) *
           BLOCK_BYTES;
}

uint64_t texture_bytes(const struct texture_view *view)
{
    const struct texture_shape *shape = &view->shape;
    if (view->pitch_bytes)
        return (shape->height - 1) * view->pitch_bytes + shape->width * texel_bytes(shape);
    return slice_bytes(shape) * shape->depth;
}

static bool shape_is_possible(const struct texture_shape *shape, bool linear)
{
    uint32_t most = linear && shape->height == 1 ? LINEAR_MAX : SIDE_MAX, channel = shape->channel_bytes;
    return shape->width && shape->height && shape->depth && shape->width <= most &&
           shape->height <= SIDE_MAX && shape->depth <= SIDE_MAX &&
           (shape->channels == 1 || shape->channels == 2 || shape->channels == 4) &&
           (channel == 1 || channel == 2 || channel == 4) && shape->kind <= TEXTURE_CUBE_LAYERED &&
           (shape->format < TEXTURE_FLOAT || (shape->format == TEXTURE_FLOAT && channel > 1));
}

uint64_t texture_place(const struct texture_view *view, uint64_t byte, uint64_t y, uint64_t slice)
{
    const struct texture_shape *shape = &view->shape;
    if (view->pitch_bytes)
        return view->texels + y * view->pitch_bytes + byte;
    uint64_t block =
        y / BLOCK_ROWS * blocks_of(shape->width * texel_bytes(shape), BLOCK_WIDTH) + byte / BLOCK_WIDTH;
    uint64_t row = y % BLOCK_ROWS;
    byte %= BLOCK_WIDTH;
    /* Order within a block: halves of 32 bytes, in them pairs of rows, in those quarters of 16 bytes, rows,
     * bytes. */
    return view->texels + slice * slice_bytes(shape) + block * BLOCK_BYTES + byte / 32 * 256 + row / 2 * 64 +
           byte % 32 / 16 * 32 + row % 2 * 16 + byte % 16;
}

/* The inverse of texture_place, for an array. */
bool texture_box_has(const struct texture_view *array, const struct texture_box *box, uint64_t address)
{
    const struct texture_shape *shape = &array->shape;
    uint64_t in_slice = (address - array->texels) % slice_bytes(shape), in_block = in_slice % BLOCK_BYTES;
    uint64_t wide = blocks_of(shape->width * texel_bytes(shape), BLOCK_WIDTH);
    uint64_t block = in_slice / BLOCK_BYTES, z = (address - array->texels) / slice_bytes(shape);
    uint64_t y = block / wide * BLOCK_ROWS + in_block % 256 / 64 * 2 + in_block % 32 / 16;
    uint64_t byte =
        block % wide * BLOCK_WIDTH + in_block / 256 * 32 + in_block % 64 / 32 * 16 + in_block % 16;
    uint64_t x = byte / texel_bytes(shape);
    return x - box->x < box->width && y - box->y < box->height && z - box->z < box->depth;
}

/* ---- make, find, free ---- */
static enum status head_make(struct memory *memory, const struct texture_view *view, bool own_texels,
                             uint64_t *handle, struct error *error)
{
    struct head head = {.magic = MAGIC, .view = *view};
    const struct texture_shape *shape = &view->shape;
    uint8_t *bytes;
    if (!shape_is_possible(shape, view->pitch_bytes > 0))
        return error_set(error, STATUS_USAGE,
                         "A texture of %u x %u texels is not possible: each side must have 1 to %d.",
                         shape->width, shape->height, SIDE_MAX);
    enum status status =
        memory_alloc(memory, HEAD_BYTES + (own_texels ? texture_bytes(view) : 0), handle, error);
    if (status == STATUS_OK)
        status = memory_access(memory, *handle, HEAD_BYTES, true, &bytes, error);
    if (status != STATUS_OK)
        return status;
    if (own_texels)
        head.view.texels = *handle + HEAD_BYTES;
    memcpy(bytes, &head, sizeof head);
    return STATUS_OK;
}

enum status texture_array_make(struct memory *memory, const struct texture_shape *shape, uint64_t *handle,
                               struct error *error)
{
    const struct texture_view view = {.shape = *shape,
                                      .address = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP}};
    return head_make(memory, &view, true, handle, error);
}

enum status texture_view_make(struct memory *memory, const struct texture_view *view, uint64_t *handle,
                              struct error *error)
{
    struct texture_view made = *view;
    if (view->pitch_bytes == 0) {
        const struct memory_range *array = texture_find(memory, view->texels);
        if (!array)
            return error_set(error, STATUS_STATE, "There is no array 0x%llx to make a texture of.",
                             (unsigned long long)view->texels);
        made.texels = texture_view_of(array).texels;
        made.shape = texture_view_of(array).shape;
    }
    return head_make(memory, &made, false, handle, error);
}

static struct texture_view picture_view(const struct device_texture *what)
{
    const uint32_t depth = what->depth ? what->depth : 1, bytes = (uint32_t)device_texel_bytes(what);
    const bool floats = what->texel == DEVICE_TEXEL_FLOAT;
    struct texture_view view = {.shape = {what->width, what->height, depth,
                                          what->depth ? TEXTURE_3D : TEXTURE_2D, 1, bytes,
                                          floats ? TEXTURE_FLOAT : TEXTURE_UNSIGNED},
                                .address = {what->address, what->address, what->address},
                                .linear = what->linear,
                                .normalised = what->normalised,
                                .normalised_read = !floats};
    if (what->linear_memory) {
        view.shape.kind = TEXTURE_1D;
        view.texels = what->linear_memory;
        view.pitch_bytes = (uint64_t)what->width * bytes;
    }
    return view;
}

/* Writes the texels of the host into an array's. */
static void picture_fill(const struct texture_view *view, const struct device_texture *what, uint8_t *texels)
{
    const size_t bytes = device_texel_bytes(what);
    const uint8_t *from = what->values;
    for (uint32_t z = 0; z < view->shape.depth; z++)
        for (uint32_t y = 0; y < what->height; y++)
            for (uint32_t x = 0; x < what->width; x++, from += bytes)
                memcpy(texels + texture_place(view, x * bytes, y, z), from, bytes);
}

enum status texture_picture_make(struct memory *memory, const struct device_texture *what, uint64_t *handle,
                                 struct error *error)
{
    const struct texture_view view = picture_view(what);
    uint8_t *bytes;
    if (what->linear_memory)
        return texture_view_make(memory, &view, handle, error);
    enum status status = head_make(memory, &view, true, handle, error);
    if (status == STATUS_OK && what->values) {
        status = memory_access(memory, *handle, HEAD_BYTES + texture_bytes(&view), true, &bytes, error);
        if (status == STATUS_OK)
            picture_fill(&view, what, bytes + HEAD_BYTES);
    }
    if (status == STATUS_OK && what->surface)
        *what->surface = *handle;
    return status;
}

struct texture_view texture_view_of(const struct memory_range *texture)
{
    struct head head;
    memcpy(&head, texture->bytes, sizeof head);
    return head.view;
}

const struct memory_range *texture_find(const struct memory *memory, uint64_t handle)
{
    const struct memory_range *range = memory_find(memory, handle);
    struct head head;
    if (!range || range->address != handle || range->size_bytes < HEAD_BYTES)
        return NULL;
    memcpy(&head, range->bytes, sizeof head);
    if (head.magic != MAGIC || !shape_is_possible(&head.view.shape, head.view.pitch_bytes > 0))
        return NULL;
    const struct memory_range *texels = memory_find(memory, head.view.texels);
    uint64_t before = texels ? head.view.texels - texels->address : 0;
    /* Linear memory may be smaller than the texture of it, as on a GPU: what counts is what is fetched. */
    return texels && (head.view.pitch_bytes || texture_bytes(&head.view) <= texels->size_bytes - before)
               ? range
               : NULL;
}

enum status texture_free(struct memory *memory, uint64_t handle, struct error *error)
{
    const struct memory_range *range = memory_find(memory, handle);
    /* The texels may be gone already: the array of an object may be freed first. */
    if (!range || range->address != handle || range->size_bytes < HEAD_BYTES ||
        memcmp(range->bytes, &(uint64_t){MAGIC}, sizeof(uint64_t)) != 0)
        return error_set(error, STATUS_STATE, "There is no texture %llu to destroy.",
                         (unsigned long long)handle);
    return memory_free(memory, handle, error);
}

/* ---- fetches ---- */
/* The texel fetched for coordinate i of a side of n texels; -1: beyond the border. */
static int64_t address_texel(const struct texture_view *view, uint32_t mode, int64_t i, int64_t n)
{
    int64_t turn;
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case TEXTURE_BORDER: return -1;
    case TEXTURE_WRAP:
        if (view->normalised)
            return (i % n + n) % n;
        break;
    case TEXTURE_MIRROR:
        turn = (i % (2 * n) + 2 * n) % (2 * n);
        if (view->normalised)
            return turn < n ? turn : 2 * n - 1 - turn;
        break;
    default: break;
    }
    return i < 0 ? 0 : n - 1;
}

/* The address of a texel, or TEXTURE_OUTSIDE. */
static uint64_t texel_address(const struct texture_view *view, const int64_t axis[3], uint32_t dimensions,
                              uint32_t slice, bool bounded)
{
    const int64_t sides[3] = {view->shape.width, view->shape.height, view->shape.depth};
    int64_t at[3] = {0, 0, slice};
    for (uint32_t i = 0; i < dimensions; i++) {
        at[i] = address_texel(view, bounded ? TEXTURE_BORDER : view->address[i], axis[i], sides[i]);
        if (at[i] < 0)
            return TEXTURE_OUTSIDE;
    }
    return texture_place(view, (uint64_t)at[0] * texel_bytes(&view->shape), (uint64_t)at[1], (uint64_t)at[2]);
}

static uint32_t channel_bits(const struct texture_view *view, const struct memory_range *texels,
                             uint64_t address, uint32_t channel)
{
    const uint8_t *from =
        texels->bytes + (address - texels->address) + (size_t)channel * view->shape.channel_bytes;
    uint32_t bits = 0;
    if (channel >= view->shape.channels)
        return 0;
    switch (view->shape.channel_bytes) {
    case 1: bits = *from; break;
    case 2: memcpy(&bits, from, 2); break;
    default: memcpy(&bits, from, 4); break;
    }
    if (view->shape.format != TEXTURE_SIGNED)
        return bits;
    return view->shape.channel_bytes == 1   ? (uint32_t)(int8_t)bits
           : view->shape.channel_bytes == 2 ? (uint32_t)(int16_t)bits
                                            : bits;
}

static bool reads_floats(const struct texture_view *view)
{
    return view->shape.format == TEXTURE_FLOAT || view->normalised_read;
}

static double channel_number(const struct texture_view *view, const struct memory_range *texels,
                             uint64_t address, uint32_t channel)
{
    if (address == TEXTURE_OUTSIDE)
        return channel < view->shape.channels ? (double)view->border[channel] : 0;
    uint32_t bits = channel_bits(view, texels, address, channel);
    if (view->shape.format == TEXTURE_FLOAT) {
        float value;
        if (view->shape.channel_bytes == 2)
            return (double)f16_float(bits);
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    const uint32_t bits_used = 8 * view->shape.channel_bytes - (view->shape.format == TEXTURE_SIGNED);
    const double most = (double)((UINT64_C(1) << bits_used) - 1);
    double value = view->shape.format == TEXTURE_SIGNED ? (double)(int32_t)bits : (double)bits;
    return value < -most ? -1 : value / most;
}

static uint32_t float_bits(double number)
{
    float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t result_bits(const struct texture_view *view, const struct memory_range *texels,
                            uint64_t address, uint32_t channel)
{
    if (channel >= view->shape.channels)
        return 0;
    bool words = view->shape.format == TEXTURE_FLOAT && view->shape.channel_bytes == 4;
    if (words && address != TEXTURE_OUTSIDE)
        return channel_bits(view, texels, address, channel);
    if (reads_floats(view))
        return float_bits(channel_number(view, texels, address, channel));
    return address == TEXTURE_OUTSIDE ? 0 : channel_bits(view, texels, address, channel);
}

/* The face of a direction, and the position on it, 0 ... 1: CUDA C++ Programming Guide, cubemap textures. */
static uint32_t cube_face(double axis[3])
{
    const double x = axis[0], y = axis[1], z = axis[2], ax = fabs(x), ay = fabs(y), az = fabs(z);
    uint32_t face = ax >= ay && ax >= az ? (x < 0) : ay >= az ? 2 + (y < 0) : 4 + (z < 0);
    const double most[] = {ax, ay, az};
    const double s[] = {-z, z, x, x, x, -x}, t[] = {-y, -y, z, -z, -y, -y};
    double m = most[face / 2] > 0 ? most[face / 2] : 1;
    axis[0] = (s[face] / m + 1) / 2;
    axis[1] = (t[face] / m + 1) / 2;
    return face;
}

static double coordinate_clamp(double coordinate)
{
    if (isnan(coordinate))
        return 0;
    return coordinate > FAR ? FAR : coordinate < -FAR ? -FAR : coordinate;
}

/* Of a clamped coordinate: without a call of the library where the processor has no instruction for it. */
static int64_t floor_of(double coordinate)
{
    int64_t whole = (int64_t)coordinate;
    return whole - ((double)whole > coordinate);
}

/* Returns the number of addressed dimensions; sets axis[] in texels, and *slice. */
static uint32_t axes_take(const struct texture_view *view, const struct texture_at *at, double axis[3],
                          uint32_t *slice)
{
    static const uint32_t dimensions[] = {
        [TEXTURE_1D] = 1,         [TEXTURE_2D] = 2,   [TEXTURE_3D] = 3,          [TEXTURE_1D_LAYERED] = 1,
        [TEXTURE_2D_LAYERED] = 2, [TEXTURE_CUBE] = 2, [TEXTURE_CUBE_LAYERED] = 2};
    const double sides[3] = {view->shape.width, view->shape.height, view->shape.depth};
    bool cube = at->kind == TEXTURE_CUBE || at->kind == TEXTURE_CUBE_LAYERED;
    uint32_t face = 0, layers = cube ? view->shape.depth / FACES : view->shape.depth, layer = at->layer;
    for (int i = 0; i < 3; i++)
        axis[i] = coordinate_clamp(at->axis[i]);
    if (cube)
        face = cube_face(axis);
    layer = layers == 0 ? 0 : layer < layers ? layer : layers - 1;
    *slice = cube ? layer * FACES + face : layer;
    *slice = *slice < view->shape.depth ? *slice : view->shape.depth - 1;
    for (int i = 0; i < 3; i++)
        if ((view->normalised || cube) && !at->whole)
            axis[i] = coordinate_clamp(axis[i] * sides[i]);
    return dimensions[at->kind];
}

static void texels_gather(const struct texture_view *view, const struct memory_range *texels,
                          const struct texture_at *at, struct texture_texels *found)
{
    static const uint32_t corners[] = {2, 3, 1, 0}; /* by index of the result */
    for (uint32_t i = 0; i < 4; i++)
        found->bits[i] = result_bits(view, texels, found->address[corners[i]], at->gather - 1);
}

/* ---- filtering; fitted to an H200: docs/model.md ---- */
/* The share of each corner of a square in 256, the first axis in bit 0 of its index: only one product is
 * rounded. */
static void square_shares(uint32_t a, uint32_t b, bool by_difference, uint32_t share[4])
{
    const uint32_t half = WEIGHT_STEPS / 2;
    uint32_t both =
        by_difference ? b - ((WEIGHT_STEPS - a) * b + half) / WEIGHT_STEPS : (a * b + half) / WEIGHT_STEPS;
    share[0] = WEIGHT_STEPS - a - b + both;
    share[1] = a - both;
    share[2] = b - both;
    share[3] = both;
}

static void corner_shares(const uint32_t weight[3], uint32_t dimensions, uint32_t share[TEXTURE_CORNERS])
{
    uint32_t side[4];
    if (dimensions == 1) {
        share[0] = WEIGHT_STEPS - weight[0];
        share[1] = weight[0];
    } else if (dimensions == 2) {
        square_shares(weight[0], weight[1], false, share);
    } else { /* of z and x, each split by y; an eighth of the shares is one off an H200's */
        square_shares(weight[2], weight[0], true, side);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t z = k & 1, x = k >> 1, at = x | z << 2, y = x ? weight[1] : WEIGHT_STEPS - weight[1];
            uint32_t rounded = (side[k] * y + WEIGHT_STEPS / 2) / WEIGHT_STEPS;
            share[at | 2] = x ? rounded : side[k] - rounded;
            share[at] = side[k] - share[at | 2];
        }
    }
}

/* The exponent of frexp: of a number that is 0 or normal. */
static int exponent_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const int biased = (int)(bits >> 52 & 0x7ff);
    return biased ? biased - 1022 : 0;
}

static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Half away from zero, to this many bits; no exponent below `least` (of frexp). */
static double round_to_bits(double number, int bits, int least)
{
    const int exponent = exponent_of(number), shift = (exponent > least ? exponent : least) - bits;
    const double steps = (double)(int64_t)(fabs(number) * power_of_two(-shift) + 0.5);
    return copysign(steps * power_of_two(shift), number);
}

/* Texels lose what lies below the largest by 28 bits, of halves by 15; the sum is exact, then rounded. All
 * numbers are floats, so that their exponents and the powers of two are normal ones of doubles. */
static double mix_floats(const double *texels, const uint32_t *share, uint32_t count, bool halves)
{
    int most = INT32_MIN;
    double sum = 0, plain = 0;
    for (uint32_t i = 0; i < count; i++) {
        plain += share[i] ? texels[i] * share[i] : 0;
        if (share[i] && texels[i] != 0) {
            const int exponent = exponent_of(texels[i]);
            most = exponent > most ? exponent : most;
        }
    }
    if (!isfinite(plain) || most == INT32_MIN)
        return plain / WEIGHT_STEPS;
    const int shift = most - (halves ? 15 : 28);
    const double steps = power_of_two(-shift);
    for (uint32_t i = 0; i < count; i++)
        sum += share[i] ? (double)(int64_t)(texels[i] * steps) * share[i] : 0;
    return round_to_bits(sum * power_of_two(shift) / WEIGHT_STEPS, halves ? 11 : 24, halves ? -13 : -125);
}

/* Integers read as floats are filtered with 16 bits. */
static double mix_integers(const double *texels, const uint32_t *share, uint32_t count, double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += share[i] * (texels[i] * most);
    return floor(round(sum) / WEIGHT_STEPS + 0.5) / most;
}

static double mix_texels(const struct texture_shape *shape, const double *texels, const uint32_t *share,
                         uint32_t count)
{
    return shape->format == TEXTURE_FLOAT
               ? mix_floats(texels, share, count, shape->channel_bytes == 2)
               : mix_integers(texels, share, count, shape->format == TEXTURE_SIGNED ? 32767 : 65535);
}

/* Whether the memory has the texel. */
static bool texel_is_there(const struct texture_view *view, const struct memory_range *texels,
                           uint64_t address)
{
    return address == TEXTURE_OUTSIDE ||
           (address >= texels->address &&
            address - texels->address + texel_bytes(&view->shape) <= texels->size_bytes);
}

struct texture_texels texture_fetch(const struct texture_view *view, const struct memory_range *texels,
                                    const struct texture_at *at)
{
    struct texture_texels found = {.count = 1, .missing = TEXTURE_OUTSIDE};
    double axis[3], corners[4][TEXTURE_CORNERS];
    uint32_t weight[3], share[TEXTURE_CORNERS];
    int64_t first[3], corner_at[3];
    uint32_t slice, dimensions = axes_take(view, at, axis, &slice);
    bool bounded = view->pitch_bytes && at->whole;
    if (at->gather == 0 && (!view->linear || at->whole || !reads_floats(view))) {
        for (int i = 0; i < 3; i++)
            first[i] = floor_of(axis[i]);
        found.address[0] = texel_address(view, first, dimensions, slice, bounded);
        if (!texel_is_there(view, texels, found.address[0])) {
            found.missing = found.address[0];
            return found;
        }
        for (uint32_t channel = 0; channel < 4; channel++)
            found.bits[channel] = result_bits(view, texels, found.address[0], channel);
        return found;
    }
    for (int i = 0; i < 3; i++) {
        first[i] = floor_of(axis[i] - 0.5);
        weight[i] = (uint32_t)((axis[i] - 0.5 - (double)first[i]) * WEIGHT_STEPS + 0.5);
    }
    found.count = 1u << dimensions;
    corner_shares(weight, dimensions, share);
    for (uint32_t corner = 0; corner < found.count; corner++) {
        for (uint32_t i = 0; i < 3; i++)
            corner_at[i] = first[i] + (corner >> i & 1u);
        found.address[corner] = texel_address(view, corner_at, dimensions, slice, bounded);
        if (!texel_is_there(view, texels, found.address[corner])) {
            found.missing = found.address[corner];
            return found;
        }
        for (uint32_t channel = 0; at->gather == 0 && channel < view->shape.channels; channel++)
            corners[channel][corner] =
                share[corner] ? channel_number(view, texels, found.address[corner], channel) : 0;
    }
    for (uint32_t channel = 0; channel < 4; channel++) {
        bool has = at->gather == 0 && channel < view->shape.channels;
        found.bits[channel] =
            float_bits(has ? mix_texels(&view->shape, corners[channel], share, found.count) : 0);
    }
    if (at->gather)
        texels_gather(view, texels, at, &found);
    return found;
}
