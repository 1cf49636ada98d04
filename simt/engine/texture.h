/*
 * Arrays, textures and surfaces of the modelled device. An array is one allocation: a head, and its texels
 * laid out in blocks of 64 bytes by 8 rows as GPUs lay pictures out (Tegra X1 Technical Reference Manual,
 * block linear), so that a sector of 32 bytes is 16 bytes by 2 rows and a line 32 by 4; layers, faces and
 * slices come one behind the other. A texture or surface object is a head alone: a view of an array, or of
 * linear memory. A handle is the address of such a head.
 *
 * Fetches follow the CUDA C++ Programming Guide, texture fetching; the weights of a filtering one are rounded
 * to its 8 bits of fraction, and a cube's are not filtered over its edges. Make and free from the device's
 * thread, never while a grid runs; any thread fetches.
 */
#ifndef SIMT_ENGINE_TEXTURE_H
#define SIMT_ENGINE_TEXTURE_H

#include "core/hardware/device.h"
#include "simt/engine/memory.h"
#include "simt/lanes/program.h"

enum texture_format { TEXTURE_UNSIGNED, TEXTURE_SIGNED, TEXTURE_FLOAT };

struct texture_shape {
    uint32_t width, height;                   /* texels, 1 at least */
    uint32_t depth;                           /* slices, or layers; of cubes six faces each */
    uint32_t kind;                            /* enum program_texture */
    uint32_t channels, channel_bytes, format; /* 1, 2, 4; 1, 2, 4 */
};

struct texture_view {
    struct texture_shape shape;
    uint64_t texels, pitch_bytes; /* where; bytes of a row, 0: in blocks */
    uint32_t address[3];          /* enum texture_address, by axis */
    uint32_t linear;              /* filters */
    uint32_t normalised;          /* coordinates 0 ... 1 */
    uint32_t normalised_read;     /* whole numbers are read as floats, of 1 at most */
    float border[4];
};

/* USAGE with a sentence for a picture without texels, or of more than a device takes; MEMORY. */
enum status texture_array_make(struct memory *memory, const struct texture_shape *shape, uint64_t *handle,
                               struct error *error);
/* Of an array (texels: its handle), or of linear memory. */
enum status texture_view_make(struct memory *memory, const struct texture_view *view, uint64_t *handle,
                              struct error *error);
/* A picture of floats with its own texels. */
enum status texture_picture_make(struct memory *memory, const struct device_texture *what, uint64_t *handle,
                                 struct error *error);
/* STATE: there is no such texture, array or surface. */
enum status texture_free(struct memory *memory, uint64_t handle, struct error *error);
/* What a handle stands for; NULL: no texture. */
const struct memory_range *texture_find(const struct memory *memory, uint64_t handle);
/* The head of what was found. */
struct texture_view texture_view_of(const struct memory_range *texture);
/* The address of a byte of a row (from its begin); in bounds. */
uint64_t texture_place(const struct texture_view *view, uint64_t byte, uint64_t y, uint64_t slice);

#define TEXTURE_CORNERS 8
#define TEXTURE_OUTSIDE UINT64_MAX /* a texel beyond the border: in no memory */

struct texture_at {
    double axis[3]; /* in the texture's own measure */
    uint32_t layer, kind;
    uint32_t gather; /* 0: none; 1 + the channel: of the four texels that a filter would take */
    bool whole;      /* numbers of texels, which are not filtered */
};

struct texture_texels {
    union {
        float value;
        uint32_t bits[4]; /* floats, or whole numbers extended to 32 bits; 0 for missing channels */
    };
    uint32_t count; /* texels it was made of */
    uint64_t address[TEXTURE_CORNERS];
};

/* texels: the memory that they lie in. */
struct texture_texels texture_fetch(const struct texture_view *view, const struct memory_range *texels,
                                    const struct texture_at *at);

#endif
