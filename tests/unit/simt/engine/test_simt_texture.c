/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures of the model: where texels lie, what is fetched against an oracle that knows no layout, and the
 * instruction through the device ops.
 */
#include "simt/count/count.h"
#include "simt/device/device.h"
#include "simt/memory/texture.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIDE_MAX 40
#define MEMORY_BYTES (1u << 22)

static struct memory *memory;
static struct error error;
static uint32_t state = 1;

static void setup(void)
{
    cr_assert_eq(memory_create(&memory, MEMORY_BYTES, true, &error), STATUS_OK, "%s", error.text);
}

static void teardown(void)
{
    memory_destroy(memory);
}

TestSuite(simt_texture, .init = setup, .fini = teardown);

static uint32_t number(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static const struct memory_range *make(const struct device_texture *what)
{
    uint64_t handle = 0;

    cr_assert_eq(texture_picture_make(memory, what, &handle, &error), STATUS_OK, "%s", error.text);
    cr_assert_not_null(texture_find(memory, handle));
    return texture_find(memory, handle);
}

static struct texture_texels fetch_2d(const struct memory_range *texture, double x, double y, bool whole)
{
    const struct texture_view view = texture_view_of(texture);
    const struct texture_at at = {.axis = {x, y}, .kind = TEXTURE_2D, .whole = whole};

    return texture_fetch(&view, texture, &at);
}

/* ---- the oracle ---- */

static int step_inside(const struct device_texture *what, int i, int n)
{
    bool repeats = what->normalised;

    while (repeats && what->address == TEXTURE_WRAP && i < 0)
        i += n;
    while (repeats && what->address == TEXTURE_WRAP && i >= n)
        i -= n;
    while (repeats && what->address == TEXTURE_MIRROR && (i < 0 || i >= n))
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

static double texel(const struct device_texture *what, int x, int y)
{
    int width = (int)what->width, height = (int)what->height;

    x = step_inside(what, x, width);
    y = step_inside(what, y, height);
    if (what->address == TEXTURE_BORDER && (x < 0 || y < 0 || x >= width || y >= height))
        return 0;
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return (double)((const float *)what->values)[y * width + x];
}

static double expected(const struct device_texture *what, double x, double y)
{
    double column = what->normalised ? x * what->width : x, row = what->normalised ? y * what->height : y;
    int left, top;
    double right, down, both; /* in steps of 1/256 */

    if (!what->linear)
        return texel(what, (int)floor(column), (int)floor(row));
    left = (int)floor(column - 0.5);
    top = (int)floor(row - 0.5);
    right = floor((column - 0.5 - left) * 256 + 0.5);
    down = floor((row - 0.5 - top) * 256 + 0.5);
    both = floor(right * down / 256 + 0.5);
    return ((256 - right - down + both) * texel(what, left, top) +
            (right - both) * texel(what, left + 1, top) + (down - both) * texel(what, left, top + 1) +
            both * texel(what, left + 1, top + 1)) /
           256;
}

Test(simt_texture, fetches_what_the_guide_says)
{
    float values[SIDE_MAX * SIDE_MAX];

    for (int i = 0; i < SIDE_MAX * SIDE_MAX; i++)
        values[i] = (float)number(1u << 20) / 4096.0f - 100.0f;
    for (int round = 0; round < 200; round++) {
        struct device_texture what = {.values = values,
                                      .width = 1 + number(SIDE_MAX),
                                      .height = 1 + number(SIDE_MAX),
                                      .address = (enum texture_address)(round % 4),
                                      .linear = round / 4 % 2,
                                      .normalised = round / 8 % 2};
        const struct memory_range *texture = make(&what);

        for (int i = 0; i < 200; i++) {
            double x = (double)((float)number(400) / 64.0f - 2.0f),
                   y = (double)((float)number(400) / 64.0f - 2.0f);
            if (!what.normalised) {
                x *= what.width;
                y *= what.height;
            }
            struct texture_texels found = fetch_2d(texture, x, y, false);
            double wanted = expected(&what, x, y);

            cr_assert_float_eq((double)found.value, wanted, 1e-4, "round %d at %g, %g: %g, not %g", round, x,
                               y, (double)found.value, wanted);
            cr_assert_eq(found.count, what.linear ? 4u : 1u);
        }
        cr_assert_eq(texture_free(memory, texture->address, &error), STATUS_OK, "%s", error.text);
    }
    cr_assert_eq(memory_used_bytes(memory), 0);
}

/* ---- what an H200 gave: tests/gpu/programs/filter.cu, 2026-11-23, driver 580.159.04 ---- */
#define FETCHES 16384
#define SIDE 8
#define IN_3D (SIDE * SIDE * SIDE) /* the program fills a 3D texture after each of two dimensions */

static uint32_t drawn = 12345;

static uint32_t draw(void)
{
    drawn = drawn * 1664525u + 1013904223u;
    return drawn >> 8;
}

/* A texel of a kind of the program: f, F (exponents far apart), h, u, s, U, S. */
static uint32_t texel_of(char kind)
{
    uint32_t r = draw(), e = draw();
    switch (kind) {
    case 'f': return (r & 0x7fffffu) | (127 - 4 + e % 8) << 23 | (e >> 10 & 1) << 31;
    case 'F': return (r & 0x7fffffu) | (127 - 30 + e % 60) << 23 | (e >> 10 & 1) << 31;
    case 'h': return (r & 0x3ffu) | (8 + e % 14) << 10 | (e >> 10 & 1) << 15;
    default: return r;
    }
}

static uint32_t scrambled(uint32_t i)
{
    uint32_t h = i * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    return h ^ h >> 16;
}

static double coordinate(uint32_t i)
{
    return (double)((float)(scrambled(i) & 0xfffffu) / 1048576.0f * 10 - 1);
}

Test(simt_texture, filters_as_an_h200)
{
    static const struct {
        char kind;
        uint32_t bytes, format;
        uint64_t results; /* FNV-1a of the bytes of all; 0: not equal to the bit */
    } cases[] = {
        {'f', 4, TEXTURE_FLOAT, UINT64_C(0xdc30bd8c41cd7c79)},
        {'F', 4, TEXTURE_FLOAT, UINT64_C(0x2533d0745eb330ac)},
        {'h', 2, TEXTURE_FLOAT, UINT64_C(0x804e9a6d75df42e4)},
        {'u', 1, TEXTURE_UNSIGNED, UINT64_C(0x9fe8493bb4a3ee5d)},
        {'s', 1, TEXTURE_SIGNED, UINT64_C(0)},
        {'U', 2, TEXTURE_UNSIGNED, UINT64_C(0xac22df5e64dde7bf)},
        {'S', 2, TEXTURE_SIGNED, UINT64_C(0x930c5087e0ed3b51)},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct texture_view view = {.shape = {SIDE, SIDE, 1, TEXTURE_2D, 1, cases[c].bytes, cases[c].format},
                                    .address = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP},
                                    .linear = true,
                                    .normalised_read = cases[c].format != TEXTURE_FLOAT};
        uint64_t hash = UINT64_C(0xcbf29ce484222325), handle;
        uint8_t *bytes;
        cr_assert_eq(texture_array_make(memory, &view.shape, &view.texels, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(texture_view_make(memory, &view, &handle, &error), STATUS_OK, "%s", error.text);
        const struct memory_range *texture = texture_find(memory, handle);
        view = texture_view_of(texture);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            uint32_t bits = texel_of(cases[c].kind);
            uint64_t at = texture_place(&view, i % SIDE * cases[c].bytes, i / SIDE, 0);
            cr_assert_eq(memory_access(memory, at, cases[c].bytes, true, &bytes, &error), STATUS_OK);
            memcpy(bytes, &bits, cases[c].bytes);
        }
        for (uint32_t i = 0; i < IN_3D; i++)
            (void)texel_of(cases[c].kind);
        for (uint32_t i = 0; i < FETCHES; i++) {
            const struct texture_at at = {.axis = {coordinate(i), coordinate(i + 77777)}, .kind = TEXTURE_2D};
            const struct texture_texels found = texture_fetch(&view, memory_find(memory, view.texels), &at);
            for (uint32_t byte = 0; byte < 4; byte++)
                hash = (hash ^ (found.bits[0] >> 8 * byte & 0xffu)) * UINT64_C(0x100000001b3);
        }
        cr_assert(cases[c].results == 0 || hash == cases[c].results, "%c: %llx", cases[c].kind,
                  (unsigned long long)hash);
    }
}

Test(simt_texture, coordinates_that_are_none_stay_inside)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0x1p62, -0x1p63};
    const float values[] = {1, 2, 3, 4, 5, 6};

    for (int kind = 0; kind < 16; kind++) {
        struct device_texture what = {.values = values,
                                      .width = 3,
                                      .height = 2,
                                      .address = (enum texture_address)(kind % 4),
                                      .linear = kind / 4 % 2,
                                      .normalised = kind / 8};
        const struct memory_range *texture = make(&what);

        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            struct texture_texels found = fetch_2d(texture, odd[i], odd[(i + 3) % 7], false);

            for (uint32_t k = 0; k < found.count; k++)
                cr_assert(found.address[k] == TEXTURE_OUTSIDE ||
                          found.address[k] - texture->address <= texture->size_bytes - 4);
            cr_assert(found.value >= 0 && found.value <= 6);
        }
        cr_assert_eq(texture_free(memory, texture->address, NULL), STATUS_OK);
    }
}

Test(simt_texture, neighbours_in_both_directions_share_sectors)
{
    static uint8_t taken[MEMORY_BYTES / 4];
    static float values[37 * 21];
    struct device_texture what = {.values = values, .width = 37, .height = 21, .address = TEXTURE_CLAMP};
    const struct memory_range *texture = make(&what);

    for (uint32_t y = 0; y < what.height; y++) {
        for (uint32_t x = 0; x < what.width; x++) {
            uint64_t at = fetch_2d(texture, x, y, true).address[0],
                     sector = fetch_2d(texture, x / 4 * 4, y / 2 * 2, true).address[0],
                     line = fetch_2d(texture, x / 8 * 8, y / 4 * 4, true).address[0];

            cr_assert(at % 4 == 0 && at - texture->address <= texture->size_bytes - 4);
            cr_assert_eq(taken[(at - texture->address) / 4]++, 0, "two texels at one place");
            cr_assert(sector % 32 == 0 && at / 32 == sector / 32, "texel %u, %u", x, y);
            cr_assert(line % 128 == 0 && at / 128 == line / 128, "texel %u, %u", x, y);
        }
    }
}

Test(simt_texture, what_is_no_texture_is_not_found)
{
    const float one = 1;
    struct device_texture what = {.values = &one, .width = 1, .height = 1};
    const struct memory_range *texture = make(&what);
    uint64_t plain, handle = texture->address;

    cr_assert_eq(memory_alloc(memory, 4096, &plain, NULL), STATUS_OK);
    cr_assert_null(texture_find(memory, plain));
    cr_assert_null(texture_find(memory, handle + 4));
    cr_assert_null(texture_find(memory, 0));
    for (size_t byte = 0; byte < 16;
         byte++) { /* the head, damaged: found within its allocation or not at all */
        texture->bytes[byte] ^= 0x40;
        cr_assert_null(texture_find(memory, handle), "byte %zu", byte);
        texture->bytes[byte] ^= 0x40;
    }
    cr_assert_eq(texture_free(memory, plain, &error), STATUS_STATE);
    cr_assert_eq(texture_free(memory, handle, NULL), STATUS_OK);
    cr_assert_eq(texture_free(memory, handle, NULL), STATUS_STATE);
    what.width = 0;
    cr_assert_eq(texture_picture_make(memory, &what, &handle, &error), STATUS_USAGE);
    what.width = 1u << 20;
    cr_assert_eq(texture_picture_make(memory, &what, &handle, &error), STATUS_USAGE);
    cr_assert_not_null(strstr(error.text, "1048576 x 1"));
}

/* ---- through the device ops ---- */

static char ptx_text[2048];
static struct count_totals totals;

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    (void)image;
    *size_bytes = strlen(ptx_text);
    return ptx_text;
}

static void launched(void *owner, const struct simt_launch *launch)
{
    (void)owner;
    count_totals(&launch->result->counter, &totals);
}

/* Four warps fetch with this instruction from %rd2 at (%r1, %r2) or (%f5, %f6): lane and warp. */
static enum status fetch(const char *instruction, uint64_t picture, struct device *device, float *values)
{
    uint64_t out = 0;
    struct device_launch launch = {.image = "fetch",
                                   .kernel = "fetch",
                                   .grid = {1, 1, 1},
                                   .block = {32, 4, 1},
                                   .arguments = (void *[]){&out, &picture}};

    snprintf(ptx_text, sizeof ptx_text,
             ".version 9.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry fetch(.param .u64 out, .param .u64 picture)\n{\n"
             ".reg .b32 %%r<8>; .reg .b64 %%rd<6>; .reg .f32 %%f<8>;\n"
             "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [picture];\n"
             "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%tid.y;\n"
             "cvt.rn.f32.u32 %%f5, %%r1; cvt.rn.f32.u32 %%f6, %%r2;\n%s\n"
             "mad.lo.s32 %%r3, %%r2, 32, %%r1; mul.wide.u32 %%rd3, %%r3, 4; add.s64 %%rd4, %%rd1, %%rd3;\n"
             "st.global.f32 [%%rd4], %%f1; ret;\n}\n",
             instruction);
    cr_assert_eq(device->ops->memory_alloc(device, 128 * sizeof *values, &out, &error), STATUS_OK);
    enum status status = device->ops->launch(device, &launch, &error);
    if (status == STATUS_OK)
        status = device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(values), out,
                                   128 * sizeof *values, DEVICE_STREAM_DEFAULT, false, &error);
    return status;
}

static struct device *open_device(void)
{
    struct simt_options options = {
        .workers = 1, .check = true, .ptx = ptx_of, .sink = {.launched = launched}};
    struct device *device = NULL;

    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    return device;
}

Test(simt_texture, kernels_fetch)
{
    static const char *const instructions[] = {
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r2}];",
        "tex.2d.v4.f32.f32 {%f1, _, _, _}, [%rd2, {%f5, %f6}];",
    };
    struct device *device = open_device();
    float values[24 * 4], found[128];
    struct device_texture what = {.values = values, .width = 24, .height = 4, .address = TEXTURE_CLAMP};
    uint64_t texture = 0;

    for (int i = 0; i < 24 * 4; i++)
        values[i] = (float)i;
    cr_assert_eq(device->ops->texture_create(device, &what, &texture, &error), STATUS_OK, "%s", error.text);
    for (size_t k = 0; k < 2; k++) {
        cr_assert_eq(fetch(instructions[k], texture, device, found), STATUS_OK, "%s", error.text);
        for (int i = 0; i < 128; i++)
            cr_assert_eq(found[i], (float)(i / 32 * 24 + (i % 32 < 24 ? i % 32 : 23)), "thread %d: %g", i,
                         (double)found[i]);
        /* 24 texels of a row lie in 6 sectors of 4 x 2. */
        cr_assert_eq(totals.textures.requests, 4);
        cr_assert_eq(totals.textures.transfers, 4 * 6);
        cr_assert_eq(totals.global[0].requests, 0);
        cr_assert_eq(totals.global[1].requests, 4);
        device->ops->close(device); /* it keeps the kernel it has */
        device = open_device();
        cr_assert_eq(device->ops->texture_create(device, &what, &texture, &error), STATUS_OK);
    }
    cr_assert_eq(device->ops->texture_destroy(device, texture, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->texture_destroy(device, texture, &error), STATUS_STATE);
    cr_assert_eq(fetch(instructions[0], texture, device, found), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "not a texture object: in fetch, thread (0,0,0)"), "%s",
                       error.text);
    device->ops->close(device);
}

Test(simt_texture, other_fetches_are_refused)
{
    static const struct {
        const char *instruction, *part;
    } table[] = {
        {"tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r1, %r2, %r3, %r4}];",
         "the model supports only .v4"},
        {"tex.2d.v2.f32.f32 {%f1, %f2}, [%rd2, {%f5, %f6}];", "the model supports only .v4"},
        {"tex.2d.v4.f16.f32 {%r4, %r5, %r6, %r7}, [%rd2, {%f5, %f6}];", "fetches .f16 at .f32"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd2, {%f5, %f6}];", "must be four registers"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, %rd1, {%f5, %f6}];", "must have an object and 2"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6, %f7}];", "must have an object and 2"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [picture, {%f5, %f6}];", "must be an object in a register"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f5, %f6}];", "%r1"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%rd1, %f6}];", "%rd1"},
        {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}];", "operands"},
        {"tld4.r.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6, %f7, %f7}];", "tld4 with .2d"},
        {"suld.b.2d.v4.b64.trap {%rd1, %rd1, %rd1, %rd1}, [%rd2, {%r1, %r1}];",
         "it moves 4 elements of type .b64"},
        {"suld.b.2d.b32 {%r1}, [%rd2, {%r1, %r1}];", "it needs .trap"},
        {"suq.width.b32 %r1, [%rd2];", "no queries of textures"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct device *device = open_device();
        float found[128];

        error.text[0] = 0;
        cr_assert_neq(fetch(table[i].instruction, 0, device, found), STATUS_OK, "%s", table[i].instruction);
        cr_assert_not_null(strstr(error.text, table[i].part), "%s: %s", table[i].instruction, error.text);
        device->ops->close(device);
    }
}

/* As on a GPU: what is fetched decides, not the size of the texture. */
Test(simt_texture, linear_memory_may_be_smaller_than_its_texture)
{
    const uint32_t held = 64, said = 128;
    uint64_t address = 0, handle = 0;
    struct texture_at at = {.axis = {63}, .kind = TEXTURE_1D, .whole = true};

    cr_assert_eq(memory_alloc(memory, held * sizeof(float), &address, &error), STATUS_OK, "%s", error.text);
    const struct texture_view view = {.shape = {said, 1, 1, TEXTURE_1D, 1, sizeof(float), TEXTURE_FLOAT},
                                      .texels = address,
                                      .pitch_bytes = said * sizeof(float)};
    cr_assert_eq(texture_view_make(memory, &view, &handle, &error), STATUS_OK, "%s", error.text);
    cr_assert_not_null(texture_find(memory, handle));
    const struct memory_range *texels = memory_find(memory, address);
    cr_assert_eq(texture_fetch(&view, texels, &at).missing, TEXTURE_OUTSIDE);
    at.axis[0] = 64;
    cr_assert_eq(texture_fetch(&view, texels, &at).missing, address + held * sizeof(float));
}
