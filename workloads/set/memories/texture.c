/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture: a picture read as an array and through a texture object: along rows, down columns, turned, and
 * beyond its edges.
 *
 * What is fetched at the centre of a texel is compared bit by bit. Turned, a texture unit's coordinates have
 * 8 bits of fraction: the nearest texel may be the neighbour of one whose edge is within 1/256, and the two
 * weights of an interpolation may each be off by 1/256, with texels between 1 and 2
 * (CUDA C++ Programming Guide, texture fetching).
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 32 /* threads of a block */
#define ROWS 8
#define PI 3.14159265358979323846
#define FRACTION 256

enum { PARAM_ANGLE, PARAM_N };
enum texture_tag {
    COPY_PLAIN,
    COPY_TEXTURE,
    COLUMN_PLAIN,
    COLUMN_TEXTURE,
    ROTATE_PLAIN,
    ROTATE_TEXTURE,
    ROTATE_LINEAR,
    WRAP,
    CLAMP,
    MIRROR,
    BORDER
};

static const struct workload_param params[] = {
    [PARAM_ANGLE] = {.name = "angle",
                     .meaning = "angle by which the picture is rotated (rotate)",
                     .unit = "degrees",
                     .minimum = 0,
                     .maximum = 359,
                     .standard = 30,
                     .step = 15},
    [PARAM_N] = {.name = "n",
                 .meaning = "rows and columns, a power of two from 32; 0: by the size of the device",
                 SIZE_UP_TO(4096, "texels"),
                 .step = 128,
                 .doubles = true},
};

static enum texture_tag tag_of(const struct workload_case *c)
{
    return (enum texture_tag)c->variant->tag;
}

static int64_t texture_side(const struct workload_case *c)
{
    return c->params.value[PARAM_N];
}

static void turn_of(const struct workload_case *c, float *cosine, float *sine)
{
    double angle = (double)c->params.value[PARAM_ANGLE] * PI / 180;

    *cosine = (float)cos(angle);
    *sine = (float)sin(angle);
}

/* The source of texel (x, y) of the rotated picture, rounded as in the kernels. */
static void texture_turned(const struct workload_case *c, float cosine, float sine, uint64_t x, uint64_t y,
                           float from[2])
{
    float half = (float)(texture_side(c) / 2), right = (float)x + 0.5f - half, down = (float)y + 0.5f - half;

    from[0] = cosine * right - sine * down + half;
    from[1] = sine * right + cosine * down + half;
}

/* Coordinates outside are clamped to the edge. */
static uint64_t texture_clamped(const struct workload_case *c, float coordinate)
{
    int64_t i = (int64_t)floorf(coordinate);

    return (uint64_t)(i < 0 ? 0 : i < texture_side(c) ? i : texture_side(c) - 1);
}

static uint64_t texture_texel(const struct workload_case *c, float x, float y)
{
    return texture_clamped(c, y) * (uint64_t)texture_side(c) + texture_clamped(c, x);
}

/* threadIdx.x is the lane, threadIdx.y the warp. */
static uint64_t texture_across(const struct access_point *at)
{
    return at->block[0] * (uint64_t)COLUMNS + at->lane;
}

static uint64_t texture_along(const struct access_point *at)
{
    return at->block[1] * (uint64_t)ROWS + at->warp;
}

static uint64_t row_address(const struct workload_case *c, const struct access_point *at)
{
    return (texture_along(at) * (uint64_t)texture_side(c) + texture_across(at)) * sizeof(float);
}

static uint64_t column_address(const struct workload_case *c, const struct access_point *at)
{
    return (texture_across(at) * (uint64_t)texture_side(c) + texture_along(at)) * sizeof(float);
}

static uint64_t turned_address(const struct workload_case *c, const struct access_point *at)
{
    float cosine, sine, from[2];

    turn_of(c, &cosine, &sine);
    texture_turned(c, cosine, sine, texture_across(at), texture_along(at), from);
    return texture_texel(c, from[0], from[1]) * sizeof(float);
}

/* Fetches through a texture are not global loads: nothing is expected of them. */
#define STORE SITE_ONCE("out[y * n + x]", ACCESS_GLOBAL, ACCESS_STORE, 4, row_address)
static const struct access_site texture_sites[] = {STORE};
static const struct access_site copy_sites[] = {
    SITE_ONCE("in[y * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, 4, row_address), STORE};
static const struct access_site column_sites[] = {
    SITE_ONCE("in[y * n + x]", ACCESS_GLOBAL, ACCESS_LOAD, 4, column_address), STORE};
static const struct access_site rotate_sites[] = {{.name = "in[row * n + column]",
                                                   .space = ACCESS_GLOBAL,
                                                   .op = ACCESS_LOAD,
                                                   .width_bytes = 4,
                                                   .count = access_once,
                                                   .address = turned_address},
                                                  STORE};

#define VARIANT(id, text, kernel_name, table, what)                              \
    {                                                                            \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL(kernel_name, table) \
    }
static const struct workload_variant variants[] = {
    VARIANT(COPY_PLAIN, "copy-plain", "texture_copy_plain", copy_sites, "lanes along a row, from an array"),
    VARIANT(COPY_TEXTURE, "copy-texture", "texture_copy", texture_sites, "the same, through a texture"),
    VARIANT(COLUMN_PLAIN, "column-plain", "texture_column_plain", column_sites,
            "lanes down a column, from an array"),
    VARIANT(COLUMN_TEXTURE, "column-texture", "texture_column", texture_sites, "the same, through a texture"),
    VARIANT(ROTATE_PLAIN, "rotate-plain", "texture_rotate_plain", rotate_sites,
            "rotated: the nearest texel of an array, computed by the kernel"),
    VARIANT(ROTATE_TEXTURE, "rotate-texture", "texture_rotate", texture_sites, "the same, through a texture"),
    VARIANT(ROTATE_LINEAR, "rotate-linear", "texture_rotate", texture_sites,
            "rotated, and the texture interpolates between four texels"),
    VARIANT(WRAP, "wrap", "texture_around", texture_sites, "beyond the edges the picture repeats"),
    VARIANT(CLAMP, "clamp", "texture_around", texture_sites, "beyond the edges the edge texels repeat"),
    VARIANT(MIRROR, "mirror", "texture_around", texture_sites, "beyond the edges the picture is mirrored"),
    VARIANT(BORDER, "border", "texture_around", texture_sites, "beyond the edges every texel is 0"),
};

static enum status texture_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N], power = COLUMNS;

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 512 : c->info->multiprocessors >= 64 ? 2048 : 1024;
    while (power < *n)
        power *= 2;
    if (power != *n)
        return error_set(error, STATUS_USAGE, "texture: n=%d is not a power of two from 32. Give n=%d.",
                         (int)*n, (int)power);
    c->grid[0] = (uint32_t)(*n / COLUMNS);
    c->grid[1] = (uint32_t)(*n / ROWS);
    c->block[0] = COLUMNS;
    c->block[1] = ROWS;
    c->grid[2] = c->block[2] = 1;
    c->effective_bytes = 2.0 * sizeof(float) * (double)*n * (double)*n;
    c->effective_kernel = c->variant->kernels[0].kernel;
    return STATUS_OK;
}

/* Interpolates between four texels, with weights of 8 bits. */
static float texture_interpolated(const struct workload_case *c, const float *in, const float from[2])
{
    float x = floorf(from[0] - 0.5f), y = floorf(from[1] - 0.5f);
    double right = round((double)(from[0] - 0.5f - x) * FRACTION) / FRACTION,
           down = round((double)(from[1] - 0.5f - y) * FRACTION) / FRACTION;
    double above = (1 - right) * (double)in[texture_texel(c, x, y)] +
                   right * (double)in[texture_texel(c, x + 1, y)],
           below = (1 - right) * (double)in[texture_texel(c, x, y + 1)] +
                   right * (double)in[texture_texel(c, x + 1, y + 1)];

    return (float)((1 - down) * above + down * below);
}

/* The nearest texel; or `found`, if it equals a neighbour's that is less than 1/256 away. */
static float texture_nearest(const struct workload_case *c, const float *in, const float from[2], float found)
{
    const float edge = 1.0f / FRACTION;

    for (int corner = 0; corner < 4 && tag_of(c) == ROTATE_TEXTURE; corner++) {
        float near = in[texture_texel(c, from[0] + (corner & 1 ? edge : -edge),
                                      from[1] + (corner & 2 ? edge : -edge))];

        if (near == found)
            return near;
    }
    return in[texture_texel(c, from[0], from[1])];
}

/* At half the size, with a border of half of that on every side. -1: a texel of the border. */
static int64_t texel_around(const struct workload_case *c, uint64_t x)
{
    int64_t n = texture_side(c), i = (int64_t)x * 2 - n / 2;

    if (i >= 0 && i < n)
        return i;
    switch (tag_of(c)) {
    case WRAP: return (i + n) % n;
    case MIRROR: return i < 0 ? -1 - i : 2 * n - 1 - i;
    case BORDER: return -1;
    default: return i < 0 ? 0 : n - 1;
    }
}

static float value_around(const struct workload_case *c, const float *in, uint64_t x, uint64_t y)
{
    int64_t column = texel_around(c, x), row = texel_around(c, y);

    return column < 0 || row < 0 ? 0 : in[row * texture_side(c) + column];
}

static float texture_wanted(const struct workload_case *c, const float *in, uint64_t x, uint64_t y,
                            const float turn[2], float found)
{
    uint64_t n = (uint64_t)texture_side(c);
    float from[2];

    switch (tag_of(c)) {
    case COPY_PLAIN:
    case COPY_TEXTURE: return in[y * n + x];
    case COLUMN_PLAIN:
    case COLUMN_TEXTURE: return in[x * n + y];
    case WRAP:
    case CLAMP:
    case MIRROR:
    case BORDER: return value_around(c, in, x, y);
    default: texture_turned(c, turn[0], turn[1], x, y, from);
    }
    return tag_of(c) == ROTATE_LINEAR ? texture_interpolated(c, in, from)
                                      : texture_nearest(c, in, from, found);
}

static void texture_verify(const struct workload_case *c, const float *in, const float *out,
                           struct workload_result *result)
{
    uint64_t n = (uint64_t)texture_side(c);
    float turn[2];

    turn_of(c, &turn[0], &turn[1]);
    for (uint64_t i = 0; i < n * n; i++) {
        float value = texture_wanted(c, in, i % n, i / n, turn, out[i]);
        bool right = tag_of(c) == ROTATE_LINEAR
                         ? verify_close("out", i, &out[i], &value, 1, 2.0 / FRACTION, result)
                         : verify_words("out", i, &out[i], &value, 1, result);
        if (!right)
            return;
    }
    result->verified = 1;
}

#define BEYOND 1.3 /* the guide's coordinate */

/* Which coordinate of the first row is read at BEYOND: the column of the texel that is there. */
static void beyond_tell(const struct workload_case *c, const float *in, const float *out,
                        struct workbench *bench)
{
    uint64_t n = (uint64_t)texture_side(c), x = (uint64_t)((BEYOND + 0.5) / 2 * (double)n), column = 0;
    char text[80];

    while (column < n && memcmp(&in[column], &out[n / 4 * n + x], sizeof *in) != 0)
        column++;
    snprintf(text, sizeof text, column < n ? "%.2f is read at %.1f" : "no texel of the row is read",
             (double)column / (double)n, BEYOND);
    workbench_tell(bench, WORKBENCH_MARK, text);
}

static enum status make_picture(const struct workload_case *c, struct workbench *bench, const float *values,
                                uint64_t *texture, struct error *error)
{
    static const enum texture_address modes[] = {
        [WRAP] = TEXTURE_WRAP, [CLAMP] = TEXTURE_CLAMP, [MIRROR] = TEXTURE_MIRROR, [BORDER] = TEXTURE_BORDER};
    const bool around = tag_of(c) >= WRAP;
    struct device_texture what = {.values = values,
                                  .width = (uint32_t)texture_side(c),
                                  .height = (uint32_t)texture_side(c),
                                  .address = around ? modes[tag_of(c)] : TEXTURE_CLAMP,
                                  .linear = tag_of(c) == ROTATE_LINEAR,
                                  .normalised = around};

    return bench->device->ops->texture_create(bench->device, &what, texture, error);
}

static enum status texture_run(const struct workload_case *c, struct workbench *bench,
                               struct workload_result *result, struct error *error)
{
    size_t texels = (size_t)(texture_side(c) * texture_side(c));
    bool plain = c->variant->kernels->sites != texture_sites;
    uint32_t n = (uint32_t)texture_side(c);
    uint64_t texture = 0;
    const float *in;
    float turn[2];
    struct single single = {
        .array = {{.use = SINGLE_OUTPUT, .size_bytes = texels * sizeof(float)},
                  {.use = SINGLE_INPUT, .size_bytes = texels * sizeof(float)}},
        .array_count = plain ? 2 : 1,
        .launch = {.image = "texture",
                   .kernel = c->effective_kernel,
                   .arguments = (void *[]){&single.array[0].pointer,
                                           plain ? (void *)&single.array[1].pointer : &texture, &n, &turn[0],
                                           &turn[1]}},
    };
    enum status status;

    turn_of(c, &turn[0], &turn[1]);
    if ((status = workbench_pattern(bench, texels, &in, error)) ||
        (!plain && (status = make_picture(c, bench, in, &texture, error))))
        return status;
    status = single_run(c, bench, &single, error);
    if (status == STATUS_OK)
        texture_verify(c, in, single.array[0].output, result);
    if (status == STATUS_OK && tag_of(c) >= WRAP)
        beyond_tell(c, in, single.array[0].output, bench);
    if (texture) {
        enum status freed =
            bench->device->ops->texture_destroy(bench->device, texture, status ? NULL : error);
        status = status ? status : freed;
    }
    return status;
}

const struct workload workload_texture = {
    .name = "texture",
    .chapter = CHAPTER_MEMORIES,
    .title = "An image through textures and by plain loads",
    .words = "image tex2D sampler filtering interpolation 2D locality cache",
    .meaning = "A texture serves neighbours in both directions, filters, and handles coordinates beyond the "
               "edges; along rows plain loads are as good",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = texture_resolve,
    .run = texture_run,
};
