/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, textures and surfaces of every kind through the device, with the kernels of
 * tests/gpu/programs/kernel_texture.cu. What is expected is computed here from the texels, by hand.
 */
#include "simt/device/device.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct device *device;
static struct error error;
static char ptx[1 << 16];
static uint64_t out;
static float floats[96];
static union {
    float number[64];
    int32_t whole[64];
} seen;

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/programs/%s.ptx", TEST_SOURCE_DIR, image);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    *size_bytes = fread(ptx, 1, sizeof ptx, file);
    fclose(file);
    return ptx;
}

static void open_device(void)
{
    struct simt_options options = {.workers = 1, .check = true, .ptx = ptx_of};
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->memory_alloc(device, sizeof seen, &out, &error), STATUS_OK);
    for (int i = 0; i < 96; i++)
        floats[i] = (float)(i * i % 61);
}

static void close_device(void)
{
    device->ops->close(device);
}

TestSuite(simt_surface, .init = open_device, .fini = close_device);

static void array_move(uint64_t array, const struct texture_shape *shape, void *texels, bool to_array)
{
    uint64_t pitch = (uint64_t)shape->width * shape->channels * shape->channel_bytes;
    const struct simt_array_copy copy = {.array = array,
                                         .linear = device_host_address(texels),
                                         .pitch_bytes = pitch,
                                         .slice_bytes = pitch * shape->height,
                                         .width = shape->width,
                                         .height = shape->height,
                                         .depth = shape->depth,
                                         .to_array = to_array};
    cr_assert_eq(simt_device_array_copy(device, &copy, 0, &error), STATUS_OK, "%s", error.text);
}

static uint64_t array_of(const struct texture_shape *shape, void *texels)
{
    uint64_t array;
    cr_assert_eq(simt_device_array_create(device, shape, &array, &error), STATUS_OK, "%s", error.text);
    array_move(array, shape, texels, true);
    return array;
}

static uint64_t view_of(struct texture_view view, uint64_t texels)
{
    uint64_t handle;
    view.texels = texels;
    for (int i = 0; i < 3; i++)
        view.address[i] = TEXTURE_CLAMP;
    cr_assert_eq(simt_device_texture_create(device, &view, &handle, &error), STATUS_OK, "%s", error.text);
    return handle;
}

static enum status launch(const char *kernel, uint32_t x, uint32_t y, uint32_t z, void **arguments)
{
    struct device_launch asked = {.image = "kernel_texture",
                                  .kernel = kernel,
                                  .grid = {1, 1, 1},
                                  .block = {x, y, z},
                                  .arguments = arguments};
    return device->ops->launch(device, &asked, &error);
}

static void fetch(const char *kernel, uint32_t threads, uint64_t handle)
{
    cr_assert_eq(launch(kernel, threads, 1, 1, (void *[]){&out, &handle}), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(&seen), out, sizeof seen,
                                   0, false, &error),
                 STATUS_OK);
}

#define SINGLES(width, height, depth, kind)             \
    {                                                   \
        width, height, depth, kind, 1, 4, TEXTURE_FLOAT \
    }

Test(simt_surface, one_dimension)
{
    const struct texture_shape shape = SINGLES(4, 1, 1, TEXTURE_1D);
    fetch("_Z8fetch_1dPfy", 12, view_of((struct texture_view){.linear = true}, array_of(&shape, floats)));
    for (int i = 0; i < 12; i++) {
        double at = fmin(fmax(i * 0.5 - 0.5, 0), 3);
        int left = (int)at < 3 ? (int)at : 2;
        double wanted = (double)floats[left] + (at - left) * (double)(floats[left + 1] - floats[left]);
        cr_assert_float_eq((double)seen.number[i], wanted, 1e-5, "%d: %g", i, (double)seen.number[i]);
    }
}

Test(simt_surface, linear_memory)
{
    uint64_t memory;
    int32_t whole[8];
    for (int i = 0; i < 8; i++)
        whole[i] = 3 - i;
    cr_assert_eq(device->ops->memory_alloc(device, sizeof whole, &memory, &error), STATUS_OK);
    device->ops->copy(device, DEVICE_COPY_TO_DEVICE, memory, device_host_address(whole), sizeof whole, 0,
                      false, &error);
    fetch("_Z12fetch_linearPiy", 10,
          view_of((struct texture_view){.shape = {8, 1, 1, TEXTURE_1D, 1, 4, TEXTURE_SIGNED},
                                        .pitch_bytes = sizeof whole},
                  memory));
    for (int i = 0; i < 10; i++)
        cr_assert_eq(seen.whole[i], i < 8 ? whole[i] : 0, "%d: %d", i, seen.whole[i]);
}

Test(simt_surface, channels_of_bytes)
{
    const struct texture_shape shape = {4, 4, 1, TEXTURE_2D, 4, 1, TEXTURE_UNSIGNED};
    uint8_t bytes[64];
    for (int i = 0; i < 64; i++)
        bytes[i] = (uint8_t)(i * 7);
    fetch("_Z11fetch_bytesP6float4y", 4,
          view_of((struct texture_view){.normalised_read = true}, array_of(&shape, bytes)));
    for (int i = 0; i < 16; i++)
        cr_assert_float_eq((double)seen.number[i], bytes[16 + i] / 255.0, 1e-6);
}

Test(simt_surface, three_dimensions)
{
    const struct texture_shape shape = SINGLES(4, 4, 3, TEXTURE_3D);
    fetch("_Z8fetch_3dPfy", 16, view_of((struct texture_view){.linear = true}, array_of(&shape, floats)));
    for (int i = 0; i < 16; i++) {
        double x = fmin(fmax(i * 0.25 - 0.5, 0), 3);
        int left = (int)x < 3 ? (int)x : 2;
        double wanted = 0; /* y 1.25 is 0.75 from row 0 to row 1; z 1.5 is slice 1 */
        for (int row = 0; row < 2; row++)
            for (int side = 0; side < 2; side++)
                wanted += (row ? 0.75 : 0.25) * (side ? x - left : 1 - (x - left)) *
                          (double)floats[16 + 4 * row + left + side];
        cr_assert_float_eq((double)seen.number[i], wanted, 1e-4, "%d: %g, not %g", i, (double)seen.number[i],
                           wanted);
    }
}

Test(simt_surface, layers_cube_and_gather)
{
    const struct texture_shape layers = SINGLES(4, 4, 3, TEXTURE_2D_LAYERED),
                               cube = SINGLES(4, 4, 6, TEXTURE_CUBE), plane = SINGLES(4, 4, 1, TEXTURE_2D);
    const struct texture_view nearest = {0};
    fetch("_Z12fetch_layersPfy", 12, view_of(nearest, array_of(&layers, floats)));
    for (int i = 0; i < 12; i++)
        cr_assert_eq(seen.number[i], floats[16 * (i / 4) + 4 + i % 4], "%d", i);

    /* The directions of the kernel, by the guide's table: face, column and row. */
    static const int places[6][2] = {{1, 1}, {2, 1}, {2, 2}, {2, 1}, {2, 1}, {1, 1}};
    fetch("_Z10fetch_cubePfy", 6,
          view_of((struct texture_view){.normalised = true}, array_of(&cube, floats)));
    for (int i = 0; i < 6; i++)
        cr_assert_eq(seen.number[i], floats[16 * i + 4 * places[i][1] + places[i][0]], "face %d: %g", i,
                     (double)seen.number[i]);

    fetch("_Z6gatherP6float4y", 3, view_of(nearest, array_of(&plane, floats)));
    for (int i = 0; i < 3; i++) {
        const float *quad = &seen.number[4 * i]; /* around x = 1 + i, y = 1 */
        cr_assert(quad[0] == floats[4 + i] && quad[1] == floats[4 + i + 1] && quad[2] == floats[i + 1] &&
                      quad[3] == floats[i],
                  "%d", i);
    }
}

Test(simt_surface, surfaces)
{
    const struct texture_shape plane = SINGLES(4, 4, 1, TEXTURE_2D),
                               deep = {4, 4, 2, TEXTURE_3D, 1, 2, TEXTURE_SIGNED};
    float back[16];
    int16_t shorts[32] = {0};
    uint64_t array = array_of(&plane, floats), surface = view_of((struct texture_view){0}, array);
    cr_assert_eq(launch("_Z10surface_2dy", 4, 4, 1, (void *[]){&surface}), STATUS_OK, "%s", error.text);
    array_move(array, &plane, back, false);
    for (int i = 0; i < 16; i++)
        cr_assert_eq(back[i], floats[i] + 1, "%d: %g", i, (double)back[i]);
    array = array_of(&deep, shorts);
    surface = view_of((struct texture_view){0}, array);
    cr_assert_eq(launch("_Z10surface_3dy", 4, 4, 2, (void *[]){&surface}), STATUS_OK, "%s", error.text);
    array_move(array, &deep, shorts, false);
    for (int i = 0; i < 32; i++)
        cr_assert_eq(shorts[i], i % 4 + 10 * (i / 4 % 4) + 100 * (i / 16), "%d: %d", i, shorts[i]);
    /* Outside: .trap ends the launch. */
    cr_assert_eq(launch("_Z10surface_3dy", 5, 4, 2, (void *[]){&surface}), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "out of bounds"), "%s", error.text);
}

Test(simt_surface, what_is_refused)
{
    const struct texture_shape shape = SINGLES(4, 4, 1, TEXTURE_2D),
                               odd = {4, 4, 1, TEXTURE_2D, 3, 4, TEXTURE_FLOAT};
    uint64_t array, handle;
    struct texture_view view = {.texels = 12345};
    cr_assert_eq(simt_device_array_create(device, &odd, &array, &error), STATUS_USAGE);
    cr_assert_eq(simt_device_texture_create(device, &view, &handle, &error), STATUS_STATE);
    array = array_of(&shape, floats);
    view.texels = array;
    cr_assert_eq(simt_device_texture_create(device, &view, &handle, &error), STATUS_OK);
    struct simt_array_copy copy = {
        .array = array, .x = 1, .width = 4, .height = 1, .depth = 1, .to_array = true};
    cr_assert_eq(simt_device_array_copy(device, &copy, 0, &error), STATUS_USAGE);
    /* The array is gone, the view is not: a fetch ends the launch, and it can be destroyed. */
    cr_assert_eq(simt_device_texture_destroy(device, array, &error), STATUS_OK);
    cr_assert_not(simt_device_texture(device, handle, &view));
    cr_assert_eq(launch("_Z12fetch_layersPfy", 4, 1, 1, (void *[]){&out, &handle}), STATUS_CHECK);
    cr_assert_eq(simt_device_texture_destroy(device, handle, &error), STATUS_OK);
    cr_assert_eq(simt_device_texture_destroy(device, handle, &error), STATUS_STATE);
}
