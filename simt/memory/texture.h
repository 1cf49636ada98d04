/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, textures and surfaces of the modelled device. An array is one allocation: a head, and its texels in
 * blocks of 64 bytes by 8 rows, the layout of images on GPUs (Tegra X1 Technical Reference Manual, block
 * linear). A sector of 32 bytes is then 16 bytes by 2 rows, and a line 32 by 4. Layers, faces and slices lie
 * one after the other. A texture or surface object is only a head: a view of an array, or of linear memory. A
 * handle is the address of such a head.
 *
 * Fetches follow the CUDA C++ Programming Guide, texture fetching. Weights of filtering are rounded to its 8
 * bits of fraction; a cube is not filtered across its edges. Create and free on the device's thread, never
 * while a grid runs; any thread fetches.
 */
#ifndef SIMT_MEMORY_TEXTURE_H
#define SIMT_MEMORY_TEXTURE_H

#include "core/hardware/device.h"
#include "simt/lanes/program.h"
#include "simt/memory/memory.h"

enum texture_format { TEXTURE_UNSIGNED, TEXTURE_SIGNED, TEXTURE_FLOAT };

struct texture_shape {
    uint32_t width, height;                   /* in texels, at least 1 */
    uint32_t depth;                           /* slices or layers; six faces for each cube */
    uint32_t kind;                            /* enum program_texture */
    uint32_t channels, channel_bytes, format; /* 1, 2 or 4; 1, 2 or 4 */
};

struct texture_view {
    struct texture_shape shape;
    uint64_t texels, pitch_bytes; /* address of the texels; bytes of a row, 0: in blocks */
    uint32_t address[3];          /* enum texture_address, per axis */
    uint32_t linear;              /* whether fetches are filtered */
    uint32_t normalised;          /* coordinates are 0 ... 1 */
    uint32_t normalised_read;     /* integers are read as floats of at most 1 */
    float border[4];
};

/* STATUS_USAGE, with a sentence, if it has no texels or exceeds the limits of the device; STATUS_MEMORY. */
enum status texture_array_make(struct memory *memory, const struct texture_shape *shape, uint64_t *handle,
                               struct error *error);
/* Makes a view of an array (texels: its handle), or of linear memory. */
enum status texture_view_make(struct memory *memory, const struct texture_view *view, uint64_t *handle,
                              struct error *error);
/* Makes a texture with texels of its own, or over linear memory. A surface of it has the same handle. */
enum status texture_picture_make(struct memory *memory, const struct device_texture *what, uint64_t *handle,
                                 struct error *error);
/* STATUS_STATE: there is no such texture, array or surface. */
enum status texture_free(struct memory *memory, uint64_t handle, struct error *error);
/* The allocation of a handle; NULL: not a texture. */
const struct memory_range *texture_find(const struct memory *memory, uint64_t handle);
/* Reads the head of a texture. */
struct texture_view texture_view_of(const struct memory_range *texture);
/* The address of byte `byte` of a row, which must be in bounds. */
uint64_t texture_place(const struct texture_view *view, uint64_t byte, uint64_t y, uint64_t slice);
/* Bytes from the first texel to the end of the last. */
uint64_t texture_bytes(const struct texture_view *view);

struct texture_box { /* a part of an array, in texels */
    uint32_t x, y, z, width, height, depth;
};
/* Whether the byte at this address, which is one of the texels', lies in the box. */
bool texture_box_has(const struct texture_view *array, const struct texture_box *box, uint64_t address);

#define TEXTURE_CORNERS 8
#define TEXTURE_OUTSIDE UINT64_MAX /* a texel beyond the border: has no address */

struct texture_at {
    double axis[3]; /* in the texture's own units */
    uint32_t layer, kind;
    uint32_t gather; /* 0: no gather; 1 + the channel: of the four texels that a filter would use */
    bool whole;      /* coordinates are texel numbers; not filtered */
};

struct texture_texels {
    union {
        float value;
        uint32_t bits[4]; /* floats, or integers extended to 32 bits; 0 for missing channels */
    };
    uint64_t missing; /* a texel behind the end of the memory, where that is smaller than the texture;
                         TEXTURE_OUTSIDE: none. Then nothing has been read */
    uint32_t count;   /* number of texels used */
    uint64_t address[TEXTURE_CORNERS];
};

/* texels: the memory that holds them. */
struct texture_texels texture_fetch(const struct texture_view *view, const struct memory_range *texels,
                                    const struct texture_at *at);

#endif
