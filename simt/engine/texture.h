/*
 * Textures of the modelled device, with one float per texel. The handle of one is the address of an
 * allocation of its own in the modelled memory, which holds a head and the texels, laid out in blocks of 64
 * bytes by 8 rows as GPUs lay pictures out (Tegra X1 Technical Reference Manual, block linear): a sector of
 * 32 bytes is 4 x 2 texels, a line 8 x 4.
 *
 * Fetches follow the CUDA C++ Programming Guide, texture fetching; the weights of a filtering one are rounded
 * to its 8 bits of fraction. Make and free from the device's thread, never while a grid runs; any thread
 * fetches.
 */
#ifndef SIMT_ENGINE_TEXTURE_H
#define SIMT_ENGINE_TEXTURE_H

#include "core/hardware/device.h"
#include "simt/engine/memory.h"

/* USAGE with a sentence for a picture without texels, or of more than a device takes; MEMORY. */
enum status texture_make(struct memory *memory, const struct device_texture *what, uint64_t *handle,
                         struct error *error);
/* STATE: there is no such texture. */
enum status texture_free(struct memory *memory, uint64_t handle, struct error *error);
/* What a handle stands for; NULL: no texture. */
const struct memory_range *texture_find(const struct memory *memory, uint64_t handle);

#define TEXTURE_CORNERS 4
#define TEXTURE_OUTSIDE UINT64_MAX /* a texel beyond the border: 0, and in no memory */

struct texture_texels {
    float value;
    uint32_t count; /* texels it was made of: 1, or 4 of a filtering texture */
    uint64_t address[TEXTURE_CORNERS];
};

/* At coordinates in the texture's own measure. whole: they are numbers of texels, which are not filtered. */
struct texture_texels texture_fetch(const struct memory_range *texture, double x, double y, bool whole);

#endif
