/*
 * The device model behind core/hardware/device.h: the same host code, no GPU. Work is executed when it is
 * issued; the time at which it would run is simulated on a discrete-event clock (streams, copy engines,
 * events, the legacy default stream) in ns of the modelled GPU. It is reported as events (core/base/event.h)
 * on clock `model`: kernels, copies, sets, API calls, synchronisation, and per launch a MEASUREMENT whose
 * VALUEs are catalogue metrics, counter name "model." + metric id. One thread drives it.
 */
#ifndef SIMT_DEVICE_DEVICE_H
#define SIMT_DEVICE_DEVICE_H

#include "core/base/event.h"
#include "core/hardware/device.h"
#include "simt/engine/grid.h"
#include "simt/engine/texture.h"
#include "simt/timing/gpu.h"
#include "simt/timing/timing.h"

/* The results of a launch beyond its events: counts per instruction, errors, its time. */
struct simt_launch {
    const struct device_launch *launch;
    const struct program *program;
    const struct grid_result *result; /* as far as it got; counter.program NULL: it was refused */
    bool uncounted;                   /* its time is that of one before it: options.launches */
    const struct timing *timing;      /* NULL: it was stopped, as a GPU would have done */
};

struct simt_sink { /* where events go; NULL functions: nowhere. They are called by the thread that drives */
    void (*emit)(void *owner, const struct event *event);
    uint32_t (*string)(void *owner, const char *text);
    void (*launched)(void *owner, const struct simt_launch *launch); /* all of it lives for this call only */
    /* What a kernel printed, at its launch's end, before `launched`; `asserted`: what its asserts said. */
    void (*printed)(void *owner, bool asserted, const char *text, size_t size_bytes);
    void *owner;
};

struct simt_options {
    const struct gpu *gpu;    /* NULL: the default */
    const struct arch *rules; /* NULL: the GPU's own */
    uint32_t ordinal;         /* of the device in events */
    uint32_t workers;         /* 0: one per processor */
    uint32_t launches;        /* counted of a kernel and shape, the first; 0: all */
    bool check, keep_ptx;     /* keep_ptx: no merging as ptxas does */
    bool unified;             /* device addresses are the host's: a program's own host code runs here */
    int64_t epoch_ns;         /* what the model's clock starts at */
    struct simt_sink sink;
    struct capture *capture; /* NULL: no addresses are kept (simt/engine/capture.h) */
    /* The PTX of a kernel image (device_launch.image); NULL: unknown. registers of a kernel as ptxas gave it
     * for the modelled GPU, 0: not known. */
    const char *(*ptx)(const char *image, size_t *size_bytes);
    uint32_t (*registers)(const char *image, const char *kernel);
};

enum status simt_device_open(const struct simt_options *options, struct device **device, struct error *error);
/* cudaDeviceSetLimit's sizes. STATE: the heap is in use already (a kernel with malloc has run). */
enum simt_limit { SIMT_LIMIT_HEAP, SIMT_LIMIT_STACK, SIMT_LIMIT_COUNT };
enum status simt_device_limit_set(struct device *device, enum simt_limit limit, uint64_t size_bytes,
                                  struct error *error);
uint64_t simt_device_limit(struct device *device, enum simt_limit limit);
/* Arrays, textures and surfaces (simt/engine/texture.h). A surface is the view of an array; one function
 * destroys all three. */
enum status simt_device_array_create(struct device *device, const struct texture_shape *shape,
                                     uint64_t *array, struct error *error);
enum status simt_device_texture_create(struct device *device, const struct texture_view *view,
                                       uint64_t *handle, struct error *error);
enum status simt_device_texture_destroy(struct device *device, uint64_t handle, struct error *error);
bool simt_device_texture(struct device *device, uint64_t handle, struct texture_view *view); /* false: none */

/* Between an array and linear memory, of the host or the device, in rows of width texels; waits for its end.
 */
struct simt_array_copy {
    uint64_t array, linear;
    uint64_t pitch_bytes, slice_bytes;      /* from row to row, from slice to slice, of the linear memory */
    uint32_t x, y, z, width, height, depth; /* texels of the array */
    bool to_array, device;                  /* device: the linear memory is the device's */
};
enum status simt_device_array_copy(struct device *device, const struct simt_array_copy *copy, uint64_t stream,
                                   struct error *error);
int64_t simt_device_now_ns(struct device *device); /* the host's place on the model's clock */

/* Rows of bytes from one place to another; a linear copy has one row. One copy on the clock and in events. */
struct simt_rows {
    enum device_copy direction;
    uint64_t destination, source;
    size_t row_bytes, rows, destination_pitch, source_pitch;
};
enum status simt_device_copy_rows(struct device *device, const struct simt_rows *rows, uint64_t stream,
                                  bool async, struct error *error);

/* The allocation of the device, or of pinned host memory, in which the address lies. False: none. */
struct simt_allocation {
    uint64_t address, size_bytes;
    bool of_host, managed;
};
/* The program's own pages, pinned for the device from now on, and no longer. */
enum status simt_device_register(struct device *device, void *bytes, size_t size_bytes, struct error *error);
enum status simt_device_unregister(struct device *device, void *bytes, struct error *error);
bool simt_device_captures(struct device *device, uint64_t stream); /* into a graph */
size_t simt_device_free_bytes(struct device *device);
bool simt_device_allocation(struct device *device, uint64_t address, struct simt_allocation *allocation);

/* Memory of the device that the host reads and writes without a call. Migration of pages is not modelled. */
enum status simt_device_managed_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                      struct error *error);
/* What the driver says of a kernel; STATUS as a launch of it would give. */
struct simt_kernel {
    uint32_t registers, static_shared_bytes, max_threads;
    uint64_t local_bytes, constant_bytes;
};
enum status simt_device_kernel(struct device *device, const char *image, const char *kernel,
                               struct simt_kernel *facts, struct error *error);

#endif
