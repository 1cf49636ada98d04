/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture-kinds: textures of one and three dimensions, of bytes, and what kernels write: linear memory under
 * a texture, and surfaces.
 *
 * Fetches are at texels or in the middle between them, so that weights are exact. Where a kernel fetches what
 * it has just written, the old value and the new one are both right (CUDA C++ Programming Guide, texture
 * memory: caches are not kept coherent with writes of the same launch).
 */
#include "workloads/frame/single.h"
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdlib.h>

#define BLOCK 256
#define ROW 1024 /* texels of a row, and of a side of a slice, as in texture_kinds.cu */
#define SIDE 64
#define SLICE (SIDE * SIDE)
#define BYTE_MOST 255

enum { PARAM_OFFSET, PARAM_N };
enum { ARRAY_OUT, ARRAY_IN, ARRAYS };
enum kind_tag {
    LINE_PLAIN,
    LINE,
    WRITTEN_BEFORE,
    WRITTEN_DURING,
    BYTES_PLAIN,
    BYTES,
    VOLUME_PLAIN,
    VOLUME,
    SURFACE
};

static const struct workload_param params[] = {
    [PARAM_OFFSET] = {.name = "offset",
                      .meaning = "first word of the line that is read (line)",
                      .unit = "words",
                      .minimum = 0,
                      .maximum = 32,
                      .standard = 1},
    [PARAM_N] = {.name = "n",
                 .meaning = "texels, a multiple of 4096; 0: by the size of the device",
                 SIZE_UP_TO(1 << 22, "texels"),
                 .step = SLICE,
                 .doubles = true},
};

static enum kind_tag tag_of(const struct workload_case *c)
{
    return (enum kind_tag)c->variant->tag;
}

static uint64_t kinds_texels(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_N];
}

/* The first word of a line: only the copies begin further on. */
static uint64_t kinds_offset(const struct workload_case *c)
{
    return tag_of(c) <= LINE ? (uint64_t)c->params.value[PARAM_OFFSET] : 0;
}

/* The corner of eight in a volume; at the far sides the last texel stands for the next. */
static uint64_t volume_corner(const struct workload_case *c, uint64_t i, uint64_t corner)
{
    uint64_t x = i % SIDE + corner % 2, y = i / SIDE % SIDE + corner / 2 % 2, z = i / SLICE + corner / 4;
    uint64_t slices = kinds_texels(c) / SLICE;

    x = x < SIDE ? x : SIDE - 1;
    y = y < SIDE ? y : SIDE - 1;
    z = z < slices ? z : slices - 1;
    return (z * SIDE + y) * SIDE + x;
}

static uint64_t thread_of(const struct access_point *at)
{
    return at->block[0] * (uint64_t)BLOCK + access_thread(at);
}

ACCESS_ADDRESS(line_address, (thread_of(at) + kinds_offset(c)) * sizeof(float))
ACCESS_ADDRESS(byte_address, thread_of(at))
ACCESS_ADDRESS(volume_address, volume_corner(c, thread_of(at), at->i) * sizeof(float))

static uint64_t corners_of(const struct workload_case *c)
{
    (void)c;
    return 8;
}

/* Fetches through a texture and accesses of surfaces are not global ones: nothing is expected of them. */
#define STORE SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word)
static const struct access_site fetch_sites[] = {STORE};
static const struct access_site line_sites[] = {
    SITE_ONCE("in[i + offset]", ACCESS_GLOBAL, ACCESS_LOAD, 4, line_address), STORE};
static const struct access_site write_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word)};
static const struct access_site written_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word), STORE};
static const struct access_site byte_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 1, byte_address), STORE};
static const struct access_site volume_sites[] = {{.name = "in[corner]",
                                                   .space = ACCESS_GLOBAL,
                                                   .op = ACCESS_LOAD,
                                                   .width_bytes = 4,
                                                   .count = corners_of,
                                                   .address = volume_address},
                                                  STORE};
static const struct access_site source_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word)};

#define VARIANT(id, text, kernel_name, table, what)                              \
    {                                                                            \
        .name = text, .meaning = what, .tag = id, ONE_KERNEL(kernel_name, table) \
    }
#define VARIANT_OF_TWO(id, text, first, first_table, second, second_table, what) \
    {                                                                            \
        .name = text, .meaning = what, .tag = id, .kernel_count = 2,             \
        .kernels = (const struct kernel_sites[])                                 \
        {                                                                        \
            {KERNEL_SITES(first, first_table)},                                  \
            {                                                                    \
                KERNEL_SITES(second, second_table)                               \
            }                                                                    \
        }                                                                        \
    }
static const struct workload_variant variants[] = {
    VARIANT(LINE_PLAIN, "line-plain", "texture_line_plain", line_sites,
            "a misaligned copy of a line, by plain loads"),
    VARIANT(LINE, "line-texture", "texture_line", fetch_sites, "the same, by tex1Dfetch from linear memory"),
    VARIANT_OF_TWO(WRITTEN_BEFORE, "written-before", "texture_line_write", write_sites, "texture_line",
                   fetch_sites, "a launch writes the line, the next one fetches it"),
    VARIANT(WRITTEN_DURING, "written-during", "texture_line_written", written_sites,
            "one launch does both: the old value may come back, or the new one"),
    VARIANT(BYTES_PLAIN, "bytes-plain", "texture_bytes_plain", byte_sites,
            "bytes divided by 255, by the kernel"),
    VARIANT(BYTES, "bytes-texture", "texture_picture", fetch_sites,
            "a texture of bytes, which it returns as floats from 0 to 1"),
    VARIANT(VOLUME_PLAIN, "volume-plain", "texture_volume_plain", volume_sites,
            "the mean of eight neighbours in a volume, by eight loads"),
    VARIANT(VOLUME, "volume-texture", "texture_volume", fetch_sites, "the same, by one filtered fetch"),
    VARIANT_OF_TWO(SURFACE, "surface", "texture_surface_write", source_sites, "texture_surface_read",
                   fetch_sites,
                   "a launch writes a surface, the next one reads it as a surface and as a texture"),
};

static enum status kinds_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 1 << 16 : 1 << 22;
    if (*n % SLICE)
        return error_set(error, STATUS_USAGE,
                         "texture-kinds: n=%d is not a multiple of %d, a slice of the volume. Give n=%d.",
                         (int)*n, SLICE, (int)((*n + SLICE - 1) / SLICE * SLICE));
    return case_grid_of_threads(
        c, *n, BLOCK, (tag_of(c) == BYTES || tag_of(c) == BYTES_PLAIN ? 5.0 : 8.0) * (double)*n, error);
}

/* ---- reference ---- */
static uint8_t byte_at(uint64_t i)
{
    return (uint8_t)(workload_mixed(i) % (BYTE_MOST + 1));
}

static void kinds_fill(const struct workload_case *c, void *bytes, size_t size_bytes)
{
    uint8_t *texels = bytes;
    float *floats = bytes;

    if (tag_of(c) == BYTES_PLAIN || tag_of(c) == BYTES)
        for (size_t i = 0; i < size_bytes; i++)
            texels[i] = byte_at(i);
    else
        for (size_t i = 0; i < size_bytes / sizeof(float); i++)
            floats[i] = workbench_pattern_at(i);
}

static float kinds_wanted(const struct workload_case *c, uint64_t i, float found)
{
    float own = workbench_pattern_at(i), sum = 0;

    switch (tag_of(c)) {
    case LINE_PLAIN:
    case LINE: return workbench_pattern_at(i + kinds_offset(c));
    case WRITTEN_BEFORE: return own + 1;
    case WRITTEN_DURING: return found == own ? own : own + 1;
    case BYTES_PLAIN:
    case BYTES: return (float)byte_at(i) / BYTE_MOST;
    case VOLUME_PLAIN:
    case VOLUME:
        for (uint64_t corner = 0; corner < 8; corner++)
            sum += workbench_pattern_at(volume_corner(c, i, corner));
        return sum / 8;
    case SURFACE: break;
    }
    return 2 * own + 2 * own;
}

/* A texture unit adds eight texels in an order of its own, and divides bytes with its own rounding. */
static void kinds_verify(const struct workload_case *c, const float *out, struct workload_result *result)
{
    const bool rounded = tag_of(c) == BYTES || tag_of(c) == VOLUME;

    for (uint64_t i = 0; i < kinds_texels(c); i++) {
        float wanted = kinds_wanted(c, i, out[i]);

        if (rounded ? !verify_close("out", i, &out[i], &wanted, 1, 1e-6, result)
                    : !verify_words("out", i, &out[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}

/* ---- run ---- */
struct kinds_objects {
    uint64_t texture, surface;
};

/* The texels are copied from `values`, or, of a line, are the words at `line`. */
static enum status objects_make(const struct workload_case *c, struct workbench *bench, const void *values,
                                device_pointer line, struct kinds_objects *objects, struct error *error)
{
    const uint32_t n = (uint32_t)kinds_texels(c);
    struct device_texture what = {
        .values = values, .width = ROW, .height = n / ROW, .address = TEXTURE_CLAMP};

    switch (tag_of(c)) {
    case LINE:
    case WRITTEN_BEFORE:
    case WRITTEN_DURING:
        what.linear_memory = line;
        what.width = n + (uint32_t)kinds_offset(c);
        what.height = 1;
        break;
    case BYTES: what.texel = DEVICE_TEXEL_BYTE; break;
    case VOLUME:
        what.width = what.height = SIDE;
        what.depth = n / SLICE;
        what.linear = true;
        break;
    case SURFACE: what.surface = &objects->surface; break;
    default: return STATUS_OK;
    }
    return bench->device->ops->texture_create(bench->device, &what, &objects->texture, error);
}

/* Behind the arguments of the first kernel stand those of the second. */
static enum status second_launch(const struct workload_case *c, struct workbench *bench,
                                 const struct single *single, struct error *error)
{
    struct device_launch launch = single->launch;

    launch.kernel = c->variant->kernels[1].kernel;
    launch.arguments += tag_of(c) == SURFACE ? 2 : 1;
    launch.grid[0] = c->grid[0];
    launch.block[0] = c->block[0];
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    return bench->device->ops->launch(bench->device, &launch, error);
}

/* Texels of the host for a texture that copies them; NULL in *texels: the case has none. */
static enum status texels_make(const struct workload_case *c, void **texels, struct error *error)
{
    size_t bytes = (size_t)kinds_texels(c) * (tag_of(c) == BYTES ? 1 : sizeof(float));

    *texels = NULL;
    if (tag_of(c) != BYTES && tag_of(c) != VOLUME)
        return STATUS_OK;
    if (!(*texels = malloc(bytes)))
        return error_set(error, STATUS_MEMORY,
                         "texture-kinds: no memory for %zu bytes of texels. Give a smaller n.", bytes);
    kinds_fill(c, *texels, bytes);
    return STATUS_OK;
}

static enum status kinds_launch(const struct workload_case *c, struct workbench *bench, struct single *single,
                                const struct kinds_objects *objects, struct error *error)
{
    uint32_t offset = (uint32_t)kinds_offset(c), slices = (uint32_t)(kinds_texels(c) / SLICE);
    void *out = &single->array[ARRAY_OUT].pointer, *in = &single->array[ARRAY_IN].pointer;
    void *texture = (void *)&objects->texture, *surface = (void *)&objects->surface;
    void *const arguments[][5] = {
        [LINE_PLAIN] = {out, in, &offset},
        [LINE] = {out, texture, &offset},
        [WRITTEN_BEFORE] = {in, out, texture, &offset},
        [WRITTEN_DURING] = {out, in, texture},
        [BYTES_PLAIN] = {out, in},
        [BYTES] = {out, texture},
        [VOLUME_PLAIN] = {out, in, &slices},
        [VOLUME] = {out, texture},
        [SURFACE] = {surface, in, out, surface, texture},
    };

    single->launch.arguments = (void **)arguments[tag_of(c)];
    return single_run(c, bench, single, error);
}

static enum status kinds_run(const struct workload_case *c, struct workbench *bench,
                             struct workload_result *result, struct error *error)
{
    const bool written = tag_of(c) == WRITTEN_BEFORE || tag_of(c) == WRITTEN_DURING;
    const size_t n = (size_t)kinds_texels(c), in_texels = n + (size_t)kinds_offset(c);
    struct single single = {
        .array = {[ARRAY_OUT] = {.use = SINGLE_OUTPUT, .size_bytes = n * sizeof(float)},
                  [ARRAY_IN] = {.use = written ? SINGLE_CHANGED : SINGLE_INPUT,
                                .size_bytes = in_texels * (tag_of(c) == BYTES_PLAIN ? 1 : sizeof(float)),
                                .fill = kinds_fill}},
        .array_count = tag_of(c) == BYTES || tag_of(c) == VOLUME ? ARRAY_IN : ARRAYS,
        .launch = {.image = "texture_kinds", .kernel = c->variant->kernels[0].kernel},
        .then = c->variant->kernel_count > 1 ? second_launch : NULL,
    };
    struct kinds_objects objects = {0};
    device_pointer line = 0;
    void *texels;
    enum status status = texels_make(c, &texels, error);

    if (status == STATUS_OK && single.array_count == ARRAYS)
        status = workbench_device_buffer(bench, ARRAY_IN, single.array[ARRAY_IN].size_bytes, &line, error);
    if (status == STATUS_OK)
        status = objects_make(c, bench, texels, line, &objects, error);
    free(texels);
    if (status)
        return status;
    status = kinds_launch(c, bench, &single, &objects, error);
    if (status == STATUS_OK)
        kinds_verify(c, single.array[ARRAY_OUT].output, result);
    if (objects.texture) {
        enum status freed =
            bench->device->ops->texture_destroy(bench->device, objects.texture, status ? NULL : error);
        status = status ? status : freed;
    }
    return status;
}

const struct workload workload_texture_kinds = {
    .name = "texture-kinds",
    .chapter = CHAPTER_MEMORIES,
    .title = "Textures of lines, bytes and volumes, and surfaces",
    .words = "tex1Dfetch tex3D surf2Dwrite surface coherence format conversion trilinear filter",
    .meaning =
        "One fetch converts a byte, or filters eight texels of a volume. What a launch writes, the next "
        "one may fetch; the same launch may get old values",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = kinds_resolve,
    .run = kinds_run,
};
