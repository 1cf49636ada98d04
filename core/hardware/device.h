/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device operations that the host code of workloads uses. They are implemented by the CUDA driver
 * (workloads/cuda/cuda.c) and by the device model (simt/device/device.c); host code does not see the
 * difference. One thread drives one device. Handles are opaque; 0 is the default stream. Operations are
 * asynchronous as in CUDA: a copy or launch on a stream returns at once, sync waits. Every function fills
 * error when it fails. A device that does not support an operation fails with a sentence; no function pointer
 * is NULL.
 */
#ifndef CORE_HARDWARE_DEVICE_H
#define CORE_HARDWARE_DEVICE_H

#include "core/base/error.h"
#include "core/hardware/device_info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
typedef uint64_t device_pointer; /* an address on the device */

/* Pinned: allocated as pinned memory. Mapped: pinned, and the device accesses it in place. Registered:
 * pageable memory that was pinned after its allocation. */
#define HOST_MEMORY_LIST(X) \
    X(PAGEABLE, "pageable") X(PINNED, "pinned") X(MAPPED, "mapped pinned") X(REGISTERED, "registered")
#define HOST_MEMORY_ENUM(id, text) HOST_##id,
enum host_memory { HOST_MEMORY_LIST(HOST_MEMORY_ENUM) HOST_MEMORY_COUNT };
#undef HOST_MEMORY_ENUM
enum device_copy { DEVICE_COPY_TO_DEVICE, DEVICE_COPY_TO_HOST, DEVICE_COPY_ON_DEVICE };
/* The split of a multiprocessor's memory into L1 and shared memory; a kernel keeps it until it is changed. */
enum device_carveout {
    DEVICE_CARVEOUT_DEFAULT,
    DEVICE_CARVEOUT_L1,
    DEVICE_CARVEOUT_EQUAL,
    DEVICE_CARVEOUT_SHARED
};
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

/* Streams that exist without being created: the legacy default stream of all threads, and the per-thread
 * default stream. */
#define DEVICE_STREAM_DEFAULT 0
#define DEVICE_STREAM_PER_THREAD 2

#define DEVICE_HOST_FUNCTION_TEXT "host function" /* the range that shows a host function on the timeline */

struct device_launch {
    const char *image;  /* kernel file, "copy_offset" (workloads/frame/image.h) */
    const char *kernel; /* extern "C" name in it */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];           /* blocks of a cluster; 0: as the kernel was compiled, else no clusters */
    uint32_t dynamic_shared_bytes; /* above 48 KiB the device opts in to it for the kernel */
    enum device_carveout carveout;
    void **arguments; /* addresses of the arguments, as cuLaunchKernel takes them */
    uint64_t stream;
    bool cooperative; /* cuLaunchCooperativeKernel: blocks may wait for each other */
};

enum device_texel { DEVICE_TEXEL_FLOAT, DEVICE_TEXEL_BYTE /* fetched as a float from 0 to 1 */ };

/* A texture: an array in a layout with locality in all directions, or linear memory. */
struct device_texture {
    const void
        *values; /* depth slices of height rows of width texels, on the host; copied. NULL: not written */
    device_pointer linear_memory;  /* not 0: `width` texels there, fetched by number, and no array */
    uint32_t width, height, depth; /* depth 0: of two dimensions */
    enum device_texel texel;
    enum texture_address address; /* wrap and mirror take normalised coordinates only */
    bool linear;       /* filtering: interpolates between four or eight texels; else takes the nearest */
    bool normalised;   /* coordinates from 0 to 1, else from 0 to width */
    uint64_t *surface; /* gets a surface of the array, destroyed with the texture; NULL: none */
};

static inline size_t device_texel_bytes(const struct device_texture *texture)
{
    return texture->texel == DEVICE_TEXEL_BYTE ? 1 : sizeof(float);
}

struct device_ops {
    const char *name; /* "cuda" */
    void (*close)(struct device *device);
    const struct device_info *(*info)(struct device *device);
    enum status (*memory_alloc)(struct device *device, size_t bytes, device_pointer *pointer,
                                struct error *error);
    enum status (*memory_free)(struct device *device, device_pointer pointer, struct error *error);
    /* From a pool, in stream order: the host does not wait. Memory may be used by work that is issued to the
     * stream later, and is freed there. */
    enum status (*memory_alloc_async)(struct device *device, size_t bytes, uint64_t stream,
                                      device_pointer *pointer, struct error *error);
    enum status (*memory_free_async)(struct device *device, device_pointer pointer, uint64_t stream,
                                     struct error *error);
    enum status (*host_alloc)(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                              struct error *error);
    enum status (*host_free)(struct device *device, enum host_memory kind, void *pointer,
                             struct error *error);
    /* destination and source are host pointers or device_pointers, according to the direction */
    enum status (*copy)(struct device *device, enum device_copy direction, uint64_t destination,
                        uint64_t source, size_t bytes, uint64_t stream, bool async, struct error *error);
    enum status (*set)(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                       uint64_t stream, struct error *error);
    enum status (*launch)(struct device *device, const struct device_launch *launch, struct error *error);
    enum status (*stream_create)(struct device *device, bool non_blocking, uint64_t *stream,
                                 struct error *error);
    enum status (*stream_destroy)(struct device *device, uint64_t stream, struct error *error);
    enum status (*stream_sync)(struct device *device, uint64_t stream, struct error *error);
    enum status (*event_create)(struct device *device, uint64_t *event, struct error *error);
    enum status (*event_destroy)(struct device *device, uint64_t event, struct error *error);
    enum status (*event_record)(struct device *device, uint64_t event, uint64_t stream, struct error *error);
    enum status (*event_wait)(struct device *device, uint64_t stream, uint64_t event,
                              struct error *error); /* the stream waits */
    enum status (*event_elapsed)(struct device *device, uint64_t start, uint64_t end, double *ns,
                                 struct error *error);
    enum status (*sync)(struct device *device, struct error *error);
    /* host work in a workload (the fourth variant of n-way): runs fn on the host in stream order. The model
     * reports it as a range; a driver does not (struct workbench) */
    enum status (*host_function)(struct device *device, uint64_t stream, void (*fn)(void *), void *argument,
                                 struct error *error);
    /* the device's address of HOST_MAPPED memory */
    enum status (*host_pointer)(struct device *device, void *host, device_pointer *pointer,
                                struct error *error);
    /* a __constant__ or __device__ variable of an image; bytes may be NULL */
    enum status (*symbol)(struct device *device, const char *image, const char *name, device_pointer *pointer,
                          size_t *bytes, struct error *error);
    enum status (*texture_create)(struct device *device, const struct device_texture *what, uint64_t *texture,
                                  struct error *error);
    enum status (*texture_destroy)(struct device *device, uint64_t texture, struct error *error);
    /* Work issued to a created stream between begin and end is captured into a graph, not executed. */
    enum status (*graph_begin)(struct device *device, uint64_t stream, struct error *error);
    enum status (*graph_end)(struct device *device, uint64_t stream, uint64_t *graph, struct error *error);
    enum status (*graph_launch)(struct device *device, uint64_t graph, uint64_t stream, struct error *error);
    enum status (*graph_destroy)(struct device *device, uint64_t graph, struct error *error);
    /* Two devices of one kind. direct: can this one access the other's memory? peer_enable allows it to. */
    enum status (*peer_access)(struct device *device, struct device *other, bool *direct,
                               struct error *error);
    enum status (*peer_enable)(struct device *device, struct device *other, bool enable, struct error *error);
    enum status (*peer_copy)(struct device *device, device_pointer destination, struct device *other,
                             device_pointer source, size_t bytes, uint64_t stream,
                             struct error *error); /* asynchronous, on device's stream */
};

struct device {
    const struct device_ops *ops;
};

static inline uint64_t device_host_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

#endif
