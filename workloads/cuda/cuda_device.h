/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the CUDA device (workloads/cuda/cuda.h): its state, and the operations as its files have them:
 * cuda_memory.c, cuda_module.c, cuda_stream.c, cuda_texture.c. One thread drives all devices of a process.
 */
#ifndef WORKLOADS_CUDA_CUDA_DEVICE_H
#define WORKLOADS_CUDA_CUDA_DEVICE_H

#include "core/hardware/device.h"
#include "core/hardware/device_info.h"
#include "workloads/cuda/cuda_driver.h"
#include "workloads/frame/image.h"

#define CUDA_MODULES_MAX 128
#define CUDA_TEXTURES_MAX 16

struct cuda_device {
    struct device device; /* first: the ops get this address */
    struct cuda_driver driver;
    cuda_device_ordinal ordinal;
    cuda_handle context;
    struct device_info info;
    struct {
        const struct kernel_image *image;
        cuda_handle module;
    } modules[CUDA_MODULES_MAX];
    size_t module_count;
    struct {
        uint64_t texture;  /* 0: free */
        cuda_handle array; /* NULL: over linear memory */
        uint64_t surface;  /* of the array; 0: none */
    } textures[CUDA_TEXTURES_MAX];
};

/* The device behind the ops; makes its context the calling thread's. */
struct cuda_device *cuda_of(struct device *device);
/* The device whose context is the calling thread's; NULL: none. */
void cuda_current_set(struct cuda_device *cuda);

/* Handles of core/hardware/device.h are the driver's, converted to numbers. */
static inline cuda_handle cuda_handle_of(uint64_t number)
{
    return (cuda_handle)(uintptr_t)number;
}

static inline uint64_t cuda_number_of(cuda_handle handle)
{
    return (uint64_t)(uintptr_t)handle;
}

static inline void *cuda_pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* The module of an image, which is loaded at its first use. */
enum status cuda_module(struct cuda_device *cuda, const char *image, cuda_handle *module,
                        struct error *error);

enum status cuda_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                              struct error *error);
enum status cuda_memory_free(struct device *device, device_pointer pointer, struct error *error);
enum status cuda_memory_alloc_async(struct device *device, size_t bytes, uint64_t stream,
                                    device_pointer *pointer, struct error *error);
enum status cuda_memory_free_async(struct device *device, device_pointer pointer, uint64_t stream,
                                   struct error *error);
enum status cuda_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                            struct error *error);
enum status cuda_host_free(struct device *device, enum host_memory kind, void *pointer, struct error *error);
enum status cuda_copy(struct device *device, enum device_copy direction, uint64_t destination,
                      uint64_t source, size_t bytes, uint64_t stream, bool async, struct error *error);
enum status cuda_set(struct device *device, device_pointer destination, uint8_t byte, size_t bytes,
                     uint64_t stream, struct error *error);
enum status cuda_launch(struct device *device, const struct device_launch *launch, struct error *error);
enum status cuda_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                               struct error *error);
enum status cuda_stream_destroy(struct device *device, uint64_t stream, struct error *error);
enum status cuda_stream_sync(struct device *device, uint64_t stream, struct error *error);
enum status cuda_event_create(struct device *device, uint64_t *event, struct error *error);
enum status cuda_event_destroy(struct device *device, uint64_t event, struct error *error);
enum status cuda_event_record(struct device *device, uint64_t event, uint64_t stream, struct error *error);
enum status cuda_event_wait(struct device *device, uint64_t stream, uint64_t event, struct error *error);
enum status cuda_event_elapsed(struct device *device, uint64_t start, uint64_t end, double *ns,
                               struct error *error);
enum status cuda_sync(struct device *device, struct error *error);
enum status cuda_host_function(struct device *device, uint64_t stream, void (*fn)(void *), void *argument,
                               struct error *error);
enum status cuda_host_pointer(struct device *device, void *host, device_pointer *pointer,
                              struct error *error);
enum status cuda_symbol(struct device *device, const char *image, const char *name, device_pointer *pointer,
                        size_t *bytes, struct error *error);
enum status cuda_texture_create(struct device *device, const struct device_texture *what, uint64_t *texture,
                                struct error *error);
enum status cuda_texture_destroy(struct device *device, uint64_t texture, struct error *error);
enum status cuda_graph_begin(struct device *device, uint64_t stream, struct error *error);
enum status cuda_graph_end(struct device *device, uint64_t stream, uint64_t *graph, struct error *error);
enum status cuda_graph_launch(struct device *device, uint64_t graph, uint64_t stream, struct error *error);
enum status cuda_graph_destroy(struct device *device, uint64_t graph, struct error *error);

#endif
