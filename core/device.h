/*
 * The device ops: what workloads' host code runs on. Behind it the CUDA driver (workloads/cuda.c) or the device model (simt/device.c);
 * host code does not know the difference. One thread drives one device. Handles are opaque; 0 is the default stream.
 * Asynchronous as CUDA is: a copy or launch on a stream returns at once, sync waits. Every function fills error when it fails.
 */
#ifndef CORE_DEVICE_H
#define CORE_DEVICE_H

#include "core/device_info.h"
#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
typedef uint64_t device_pointer; /* an address on the device */

enum host_memory { HOST_PAGEABLE, HOST_PINNED };
enum device_copy { DEVICE_COPY_TO_DEVICE, DEVICE_COPY_TO_HOST, DEVICE_COPY_ON_DEVICE };

struct device_launch {
    const char *image;  /* kernel file, "copy_offset" (workloads/image.h) */
    const char *kernel; /* extern "C" name in it */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    void **arguments; /* addresses of the arguments, as cuLaunchKernel takes them */
    uint64_t stream;
};

struct device_ops {
    const char *name; /* "cuda" */
    void (*close)(struct device *device);
    const struct device_info *(*info)(struct device *device);
    enum status (*memory_alloc)(struct device *device, size_t bytes, device_pointer *pointer, struct error *error);
    enum status (*memory_free)(struct device *device, device_pointer pointer, struct error *error);
    enum status (*host_alloc)(struct device *device, size_t bytes, enum host_memory kind, void **pointer, struct error *error);
    enum status (*host_free)(struct device *device, enum host_memory kind, void *pointer, struct error *error);
    /* destination and source are host pointers or device_pointers by direction */
    enum status (*copy)(struct device *device, enum device_copy direction, uint64_t destination, uint64_t source, size_t bytes,
                        uint64_t stream, bool async, struct error *error);
    enum status (*set)(struct device *device, device_pointer destination, uint8_t byte, size_t bytes, uint64_t stream, struct error *error);
    enum status (*launch)(struct device *device, const struct device_launch *launch, struct error *error);
    enum status (*stream_create)(struct device *device, bool non_blocking, uint64_t *stream, struct error *error);
    enum status (*stream_destroy)(struct device *device, uint64_t stream, struct error *error);
    enum status (*stream_sync)(struct device *device, uint64_t stream, struct error *error);
    enum status (*event_create)(struct device *device, uint64_t *event, struct error *error);
    enum status (*event_destroy)(struct device *device, uint64_t event, struct error *error);
    enum status (*event_record)(struct device *device, uint64_t event, uint64_t stream, struct error *error);
    enum status (*event_wait)(struct device *device, uint64_t stream, uint64_t event, struct error *error); /* the stream waits */
    enum status (*event_elapsed)(struct device *device, uint64_t start, uint64_t end, double *ns, struct error *error);
    enum status (*sync)(struct device *device, struct error *error);
    /* host work inside a workload (n-way's fourth way): runs fn on the host in stream order */
    enum status (*host_function)(struct device *device, uint64_t stream, void (*fn)(void *), void *argument, struct error *error);
};

struct device {
    const struct device_ops *ops;
};

static inline uint64_t device_host_address(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

#endif
