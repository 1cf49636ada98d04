/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays, texture objects and surfaces for programs that use CUDA's API. A copy to or from an array moves its
 * rows of texels at once; on the clock it is one copy.
 */
#include "simt/device/device_internal.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 16 /* bytes of a row that are contiguous in a block */

enum status simt_device_array_create(struct device *device, const struct texture_shape *shape,
                                     uint64_t *array, struct error *error)
{
    struct model *model = model_of(device);

    return texture_array_make(model->memory, shape, array, error);
}

enum status simt_device_texture_create(struct device *device, const struct texture_view *view,
                                       uint64_t *handle, struct error *error)
{
    struct model *model = model_of(device);

    return texture_view_make(model->memory, view, handle, error);
}

enum status simt_device_texture_destroy(struct device *device, uint64_t handle, struct error *error)
{
    struct model *model = model_of(device);

    return texture_free(model->memory, handle, error);
}

bool simt_device_texture(struct device *device, uint64_t handle, struct texture_view *view)
{
    const struct memory_range *found = texture_find(model_of(device)->memory, handle);

    if (found)
        *view = texture_view_of(found);
    return found != NULL;
}

/* Copies one row, from or to linear memory at `linear`. */
static void row_move(const struct texture_view *view, const struct memory_range *texels,
                     const struct simt_array_copy *copy, uint8_t *linear, uint32_t y, uint32_t z)
{
    uint64_t texel_bytes = (uint64_t)view->shape.channels * view->shape.channel_bytes;
    uint64_t from = copy->x * texel_bytes, end = from + copy->width * texel_bytes;

    for (uint64_t at = from; at < end;) {
        uint64_t piece = (at / PIECE_BYTES + 1) * PIECE_BYTES - at;
        piece = piece < end - at ? piece : end - at;
        uint64_t address = texture_place(view, at, copy->y + y, copy->z + z);
        uint8_t *there = texels->bytes + (address - texels->address);
        if (copy->to_array) {
            memcpy(there, linear + (at - from), piece);
            if (texels->initialised)
                memory_mark(texels, address - texels->address, piece);
        } else {
            memcpy(linear + (at - from), there, piece);
        }
        at += piece;
    }
}

static size_t row_bytes_of(const struct texture_view *view, const struct simt_array_copy *copy)
{
    return (size_t)copy->width * view->shape.channels * view->shape.channel_bytes;
}

static struct claim claim_texels(const struct texture_view *view, const struct simt_array_copy *copy,
                                 bool write)
{
    return (struct claim){.address = view->texels,
                          .size_bytes = texture_bytes(view),
                          .box = {copy->x, copy->y, copy->z, copy->width, copy->height, copy->depth},
                          .array = *view,
                          .write = write};
}

/* The linear memory of a copy, where it can be accessed at the same time; else nothing. */
static struct claim claim_linear(const struct model *model, const struct texture_view *view,
                                 const struct simt_array_copy *copy, enum host_memory memory)
{
    if (!copy->device && (memory == HOST_PAGEABLE || !model->options.unified))
        return (struct claim){0};
    /* Slices that do not follow each other row by row: all from the first to the last. */
    const bool even = copy->depth == 1 || copy->slice_bytes == copy->height * copy->pitch_bytes;
    const size_t row = row_bytes_of(view, copy), rows = (size_t)copy->height * copy->depth;
    const size_t reach = (copy->depth - 1) * copy->slice_bytes + (copy->height - 1) * copy->pitch_bytes + row;

    return model_claim_rows(copy->linear, even ? row : reach, even ? rows : 1, copy->pitch_bytes,
                            !copy->to_array);
}

/* The bytes have already been moved: adds the copy to the clock, as a copy of the bytes onto themselves. */
static enum status copy_tell(struct model *model, const struct simt_array_copy *copy,
                             const struct memory_range *texels, const struct claim claims[2], size_t bytes,
                             enum host_memory memory, uint64_t handle, struct error *error)
{
    struct model_stream *stream = model_stream_find(model, handle, error);
    uint8_t *there;
    uint64_t id;

    if (!stream)
        return STATUS_STATE;
    struct model_call call = model_call_begin(model, "cuMemcpy3D", CALL_COPY, stream);
    const struct model_place place = {.stream = stream, .correlation = call.correlation};
    enum status status = memory_access(model->memory, texels->address, bytes, true, &there, error);
    const uint64_t host = device_host_address(there);
    const struct model_copy moved = {.direction = copy->device     ? DEVICE_COPY_ON_DEVICE
                                                  : copy->to_array ? DEVICE_COPY_TO_DEVICE
                                                                   : DEVICE_COPY_TO_HOST,
                                     .memory = memory,
                                     .destination = copy->device || copy->to_array ? texels->address : host,
                                     .source = copy->device || !copy->to_array ? texels->address : host,
                                     .bytes = bytes,
                                     .async = copy->async,
                                     .claims = claims};

    model->now += model->gpu->host.call_ns;
    if (status == STATUS_OK && (status = model_copy(model, &moved, &place, &id, error)) == STATUS_OK &&
        (!copy->async || memory == HOST_PAGEABLE)) {
        model_host_reach(model, schedule_wait(model->schedule, id));
        model_order_wait(model, stream);
        model->now += model->gpu->host.sync_ns;
    }
    return model_call_end(model, &call, 0, status);
}

/* The array of the copy, which fits into it, and its texels. */
static enum status array_of_copy(struct model *model, const struct simt_array_copy *copy,
                                 struct texture_view *view, const struct memory_range **texels,
                                 struct error *error)
{
    const struct memory_range *array = texture_find(model->memory, copy->array);

    if (!array)
        return error_set(error, STATUS_STATE, "There is no array 0x%llx to copy.",
                         (unsigned long long)copy->array);
    *view = texture_view_of(array);
    const struct texture_shape *shape = &view->shape;
    *texels = memory_find(model->memory, view->texels);
    if (!copy->width || !copy->height || !copy->depth || copy->x > shape->width ||
        copy->width > shape->width - copy->x || copy->y > shape->height ||
        copy->height > shape->height - copy->y || copy->z > shape->depth ||
        copy->depth > shape->depth - copy->z)
        return error_set(
            error, STATUS_USAGE,
            "A copy of %u x %u x %u texels at %u, %u, %u does not fit into the array of %u x %u x %u.",
            copy->width, copy->height, copy->depth, copy->x, copy->y, copy->z, shape->width, shape->height,
            shape->depth);
    return STATUS_OK;
}

enum status simt_device_array_copy(struct device *device, const struct simt_array_copy *copy, uint64_t stream,
                                   struct error *error)
{
    struct model *model = model_of(device);
    const struct memory_range *texels;
    struct texture_view view;
    enum status found = array_of_copy(model, copy, &view, &texels, error);

    if (found != STATUS_OK)
        return found;
    size_t row_bytes = row_bytes_of(&view, copy);
    for (uint32_t z = 0; z < copy->depth; z++) {
        for (uint32_t y = 0; y < copy->height; y++) {
            uint64_t at = copy->linear + z * copy->slice_bytes + y * copy->pitch_bytes;
            uint8_t *linear;
            enum status status =
                copy->device ? memory_access(model->memory, at, row_bytes, !copy->to_array, &linear, error)
                             : model_host_bytes(model, at, row_bytes, !copy->to_array, &linear, error);
            if (status)
                return status;
            row_move(&view, texels, copy, linear, y, z);
        }
    }
    const enum host_memory memory = copy->device ? HOST_PINNED : model_host_kind(model, copy->linear);
    const struct claim claims[2] = {claim_texels(&view, copy, copy->to_array),
                                    claim_linear(model, &view, copy, memory)};
    return copy_tell(model, copy, texels, claims, row_bytes * copy->height * copy->depth, memory, stream,
                     error);
}

enum status simt_device_array_move(struct device *device, const struct simt_array_copy *from,
                                   const struct simt_array_copy *to, uint64_t stream, struct error *error)
{
    struct model *model = model_of(device);
    struct simt_array_copy read = *from, write = *to;
    const struct memory_range *source, *target;
    struct texture_view here, there;
    enum status status = array_of_copy(model, from, &here, &source, error);

    if (status == STATUS_OK)
        status = array_of_copy(model, to, &there, &target, error);
    if (status != STATUS_OK)
        return status;
    size_t row_bytes = row_bytes_of(&here, from);
    if (row_bytes != row_bytes_of(&there, to) || from->height != to->height || from->depth != to->depth)
        return error_set(error, STATUS_USAGE,
                         "A copy from array to array moves texels of the same size: here are %zu and %zu "
                         "bytes in a row.",
                         row_bytes, row_bytes_of(&there, to));
    uint8_t *row = malloc(row_bytes);
    if (!row)
        return model_no_memory(error);
    read.to_array = false;
    write.to_array = write.device = true;
    for (uint32_t z = 0; z < to->depth; z++) {
        for (uint32_t y = 0; y < to->height; y++) {
            row_move(&here, source, &read, row, y, z);
            row_move(&there, target, &write, row, y, z);
        }
    }
    free(row);
    const struct claim claims[2] = {claim_texels(&there, to, true), claim_texels(&here, from, false)};
    return copy_tell(model, &write, target, claims, row_bytes * to->height * to->depth, HOST_PINNED, stream,
                     error);
}
