/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device model, which implements core/hardware/device.h for the same host code without a GPU. Work is
 * executed when it is issued. The times at which it would run are simulated by a discrete-event clock
 * (streams, copy engines, events, the legacy default stream) in ns of the modelled GPU. They are reported as
 * events (core/base/event.h) on clock `model`: kernels, copies, sets, API calls, synchronisation, and per
 * launch a MEASUREMENT whose VALUEs are catalogue metrics with the counter name "model." + metric id. One
 * thread drives the device.
 */
#ifndef SIMT_DEVICE_DEVICE_H
#define SIMT_DEVICE_DEVICE_H

#include "core/base/event.h"
#include "core/hardware/device.h"
#include "simt/engine/grid.h"
#include "simt/memory/memory.h"
#include "simt/memory/texture.h"
#include "simt/timing/gpu.h"
#include "simt/timing/timing.h"

/* The results of a launch beyond its events: counts per instruction, errors, time. */
struct simt_launch {
    const struct device_launch *launch;
    const struct program *program;
    /* Incomplete if the launch was stopped; counter.program is NULL if it was refused. */
    const struct grid_result *result;
    uint32_t shape;              /* number of its shape in events */
    bool uncounted;              /* not counted: the time is from an earlier launch (options.launches) */
    bool checked;                /* the checks on demand were made */
    const struct timing *timing; /* NULL: the kernel was stopped, as a GPU would have done */
};

struct simt_sink { /* the receiver of events; NULL functions are not called. They are called by the thread
                      that drives the device */
    void (*emit)(void *owner, const struct event *event);
    uint32_t (*string)(void *owner, const char *text);
    /* All of it is valid only during the call. */
    void (*launched)(void *owner, const struct simt_launch *launch);
    /* What the checks have found outside of launches: a copy that races with a kernel, `program`. */
    void (*reported)(void *owner, const struct program *program, const struct check_report *report);
    /* While a launch runs, at most every GRID_WATCH_NS. If it was called in a launch, or the launch was
     * cancelled, then also at its end, before `printed`. kernel: its name in the PTX. A kernel's launches are
     * counted from simt_device_run_begin on. */
    void (*progress)(void *owner, const char *kernel, const struct progress *progress);
    /* What a kernel printed, at the end of its launch, before `launched`. `asserted`: the text of failed
     * asserts. */
    void (*printed)(void *owner, bool asserted, const char *text, size_t size_bytes);
    void *owner;
};

#define SIMT_GPUS_MAX MEMORY_GPUS_MAX

struct simt_options {
    const struct gpu *gpu;    /* NULL: the default */
    const struct arch *rules; /* NULL: those of the GPU */
    uint32_t ordinal;         /* number of the device in events */
    uint32_t gpus;            /* 0: one; else so many equal ones, numbered from `ordinal` in events */
    uint32_t workers;         /* 0: one per processor */
    uint32_t launches;        /* counted launches of each kernel and shape, the first ones; 0: all */
    const char *checked;      /* with check: fnmatch(3) over the kernels' names, mangled and demangled without
                                 parameters;      NULL: all */
    bool check, keep_ptx;     /* keep_ptx: do not merge instructions as ptxas does */
    bool reverse;     /* blocks and warps run from the last to the first, where there are no clusters */
    bool unified;     /* device addresses are host addresses: a program's own host code runs here */
    int64_t epoch_ns; /* start of the model's clock */
    struct simt_sink sink;
    const atomic_bool
        *cancel;             /* set by another thread or a signal: launches end with STATUS_STATE; or NULL */
    struct capture *capture; /* NULL: addresses are not recorded (simt/engine/capture.h) */
    struct stepper *stepper; /* NULL: launches are not stepped (simt/engine/stepper.h) */
    bool costliest; /* keep the costliest access of each instruction in the first counted launch of each
                       kernel and shape: result->costliest of simt_launch */
    /* ptx: the PTX of a kernel image (device_launch.image); NULL: unknown. registers: of a kernel, as ptxas
     * gives them; 0: not known, they are estimated. spills: the same, bytes that a thread's instructions
     * load [0] and store [1] because there are no registers. */
    const char *(*ptx)(const char *image, size_t *size_bytes);
    uint32_t (*registers)(const char *image, const char *kernel);
    void (*spills)(const char *image, const char *kernel, uint32_t spilled_bytes[2]); /* or NULL */
};

enum status simt_device_open(const struct simt_options *options, struct device **device, struct error *error);

/* ---- the functions of struct device_ops, whose contracts core/hardware/device.h has ---- */
/* For clients of the model alone; workloads, which run on a GPU as well, call them through device->ops. */
void simt_device_close(struct device *device);
const struct device_info *simt_device_info(struct device *device);
enum status simt_device_memory_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                     struct error *error);
enum status simt_device_memory_free(struct device *device, device_pointer pointer, struct error *error);
enum status simt_device_memory_alloc_async(struct device *device, size_t bytes, uint64_t stream,
                                           device_pointer *pointer, struct error *error);
enum status simt_device_memory_free_async(struct device *device, device_pointer pointer, uint64_t stream,
                                          struct error *error);
enum status simt_device_host_alloc(struct device *device, size_t bytes, enum host_memory kind, void **pointer,
                                   struct error *error);
enum status simt_device_host_free(struct device *device, enum host_memory kind, void *pointer,
                                  struct error *error);
enum status simt_device_launch(struct device *device, const struct device_launch *launch,
                               struct error *error);
enum status simt_device_stream_create(struct device *device, bool non_blocking, uint64_t *stream,
                                      struct error *error);
enum status simt_device_stream_destroy(struct device *device, uint64_t stream, struct error *error);
enum status simt_device_stream_sync(struct device *device, uint64_t stream, struct error *error);
enum status simt_device_event_create(struct device *device, uint64_t *event, struct error *error);
enum status simt_device_event_destroy(struct device *device, uint64_t event, struct error *error);
enum status simt_device_event_record(struct device *device, uint64_t event, uint64_t stream,
                                     struct error *error);
enum status simt_device_event_wait(struct device *device, uint64_t stream, uint64_t event,
                                   struct error *error);
enum status simt_device_event_elapsed(struct device *device, uint64_t start, uint64_t end, double *ns,
                                      struct error *error);
enum status simt_device_sync(struct device *device, struct error *error);
enum status simt_device_host_function(struct device *device, uint64_t stream, void (*fn)(void *),
                                      void *argument, struct error *error);
enum status simt_device_symbol(struct device *device, const char *image, const char *name,
                               device_pointer *pointer, size_t *bytes, struct error *error);
enum status simt_device_graph_begin(struct device *device, uint64_t stream, struct error *error);
enum status simt_device_graph_end(struct device *device, uint64_t stream, uint64_t *graph,
                                  struct error *error);
enum status simt_device_graph_launch(struct device *device, uint64_t graph, uint64_t stream,
                                     struct error *error);
enum status simt_device_graph_destroy(struct device *device, uint64_t graph, struct error *error);

/* ---- what workloads need not: CUDA's API has more than struct device_ops ---- */
/*
 * Several GPUs of one process share the model's clock and its addresses; each has its own streams, copy
 * engines, multiprocessors, L2 cache and variables. A stream belongs to the GPU that was selected when it was
 * created. The default streams, allocations, symbols and simt_device_sync are those of the selected GPU, which is 0
 * at first. A kernel reaches memory of another GPU if access was allowed; its sectors are counted and timed
 * as if they were local. Copies between two GPUs take the link to the host.
 */
void simt_device_select(struct device *device, uint32_t gpu);
void simt_device_allow(struct device *device, uint32_t gpu, uint32_t peer, bool allowed);
bool simt_device_allowed(struct device *device, uint32_t gpu, uint32_t peer);
/* Sizes of cudaDeviceSetLimit. STATUS_STATE: the heap is already in use (a kernel with malloc has run). */
enum simt_limit { SIMT_LIMIT_HEAP, SIMT_LIMIT_STACK, SIMT_LIMIT_COUNT };
enum status simt_device_limit_set(struct device *device, enum simt_limit limit, uint64_t size_bytes,
                                  struct error *error);
uint64_t simt_device_limit(struct device *device, enum simt_limit limit);
/* Arrays, textures and surfaces (simt/memory/texture.h). A surface is a view of an array. One function
 * destroys all three. */
enum status simt_device_array_create(struct device *device, const struct texture_shape *shape,
                                     uint64_t *array, struct error *error);
enum status simt_device_texture_create(struct device *device, const struct texture_view *view,
                                       uint64_t *handle, struct error *error);
enum status simt_device_texture_destroy(struct device *device, uint64_t handle, struct error *error);
/* false: no such handle. */
bool simt_device_texture(struct device *device, uint64_t handle, struct texture_view *view);

/* Copies between an array and linear memory of the host or the device, in rows of `width` texels. Waits for
 * the end of the copy unless it is async, and the linear memory the device's, or pinned. */
struct simt_array_copy {
    uint64_t array, linear;
    uint64_t pitch_bytes, slice_bytes;      /* of the linear memory: from row to row, from slice to slice */
    uint32_t x, y, z, width, height, depth; /* texels of the array */
    bool to_array, device;                  /* device: the linear memory belongs to the device */
    bool async;
};
enum status simt_device_array_copy(struct device *device, const struct simt_array_copy *copy, uint64_t stream,
                                   struct error *error);
/* From array to array, on the device: `linear` and the pitches are not used. */
enum status simt_device_array_move(struct device *device, const struct simt_array_copy *from,
                                   const struct simt_array_copy *to, uint64_t stream, struct error *error);
void simt_device_run_begin(struct device *device); /* the launches of each kernel are numbered from 1 again */
/* Who calls from now on: the thread's number in events, and the program's call, whose function names the
 * first event of a call that is sent in it. NULL: calls are named by what the model does. MODEL_THREAD at
 * first. */
#define MODEL_THREAD 1
struct simt_caller {
    uint64_t call;    /* differs from that of other calls */
    const char *name; /* valid until the next caller gets its turn */
    uint32_t thread;
};
void simt_device_caller(struct device *device, struct simt_caller caller);
int64_t simt_device_now_ns(struct device *device); /* current time of the host on the model's clock */

/* Sets memory of the device to a value of 1, 2 or 4 bytes, in rows whose starts are `pitch` bytes apart. It
 * is one set on the clock and in events. */
struct simt_fill {
    device_pointer destination;
    uint32_t value, value_bytes;
    size_t row_bytes, rows, pitch; /* rows: at least 1; row_bytes: a multiple of value_bytes */
};
enum status simt_device_fill(struct device *device, const struct simt_fill *fill, uint64_t stream,
                             struct error *error);

/* Copies rows of bytes; a linear copy has one row. It is one copy on the clock and in events. */
struct simt_rows {
    enum device_copy direction;
    uint64_t destination, source;
    size_t row_bytes, rows, destination_pitch, source_pitch;
};
enum status simt_device_copy_rows(struct device *device, const struct simt_rows *rows, uint64_t stream,
                                  bool async, struct error *error);

/* The allocation of the device or of pinned host memory that contains the address. False: there is none. */
struct simt_allocation {
    uint64_t address, size_bytes;
    bool of_host, managed;
    uint32_t gpu; /* whose it is, if it is not the host's */
};
/* Pins and unpins memory of the program for the device. */
enum status simt_device_register(struct device *device, void *bytes, size_t size_bytes, struct error *error);
enum status simt_device_unregister(struct device *device, void *bytes, struct error *error);
/* The stream's GPU, and whether it does not wait for the legacy one. False: there is no such stream. */
bool simt_device_stream(struct device *device, uint64_t stream, uint32_t *gpu, bool *non_blocking);
bool simt_device_event(struct device *device, uint64_t event); /* is there such an event? */
size_t simt_device_free_bytes(struct device *device);
/* The pool of allocations in stream order keeps at most so many bytes that were freed. */
void simt_device_pool_trim(struct device *device, uint64_t bytes);
/* The host has waited for the work of a stream, or an event: for the checks. */
void simt_device_stream_over(struct device *device, uint64_t stream);
void simt_device_event_over(struct device *device, uint64_t event);
/* Of a checked device, in unified memory: what operations do that the host has not waited for. `guard` is
 * called for each page of managed and pinned memory that they access, writes: they write there. The second
 * function: whether one of them accesses this byte, and one of both writes; no memory is allocated if the
 * first was called since the last operation. */
#define SIMT_GUARD_BYTES UINT64_C(4096)
typedef void simt_guard(void *owner, uint64_t page, bool writes);
void simt_device_guard(struct device *device, simt_guard *guard, void *owner);
struct simt_host_race {
    const char *copy;              /* "copy to the host"; NULL: a kernel */
    uint32_t stream;               /* of a copy */
    const struct program *program; /* of a kernel */
    uint32_t instruction;
    bool writes; /* the device does */
};
bool simt_device_races_host(struct device *device, uint64_t address, bool write, struct simt_host_race *race);
/* Virtual memory: addresses, and memory mapped to a part of them; ops->memory_free unmaps it. `alignment`: a
 * power of two. False: they are in use, or were not reserved. */
enum status simt_device_reserve(struct device *device, uint64_t size_bytes, uint64_t alignment,
                                uint64_t *address, struct error *error);
bool simt_device_unreserve(struct device *device, uint64_t address, uint64_t size_bytes);
enum status simt_device_map(struct device *device, uint64_t address, uint64_t size_bytes,
                            struct error *error);
/* Memory of the device, managed memory too, that was allocated and is not freed. */
struct simt_live {
    uint64_t count, bytes;
};
struct simt_live simt_device_live(struct device *device);

/*
 * Graphs that are made node by node. ops->graph_launch runs the nodes in order, ops->graph_destroy frees the
 * graph. Nodes are numbered from 0; a captured graph has them, too. STATUS_STATE: no such graph or node.
 */
enum simt_node_kind {
    SIMT_NODE_NOTHING,
    SIMT_NODE_COPY,
    SIMT_NODE_SET,
    SIMT_NODE_KERNEL,
    SIMT_NODE_HOST,
    SIMT_NODE_CONDITION,
    SIMT_NODE_GRAPH,  /* a copy of another graph runs */
    SIMT_NODE_RECORD, /* the event is recorded in the stream in which the graph is launched, */
    SIMT_NODE_WAIT    /* or that stream waits for it */
};
/* IF: its first body runs if the value is not 0, else the second if there is one; WHILE: the body runs as
 * long as it is not 0; SWITCH: the body of that number runs. */
enum simt_condition { SIMT_CONDITION_IF, SIMT_CONDITION_WHILE, SIMT_CONDITION_SWITCH };
struct simt_node {
    enum simt_node_kind kind;
    struct device_launch launch; /* KERNEL: the stream is ignored; arguments are copied */
    struct simt_rows rows;       /* COPY */
    struct simt_fill fill;       /* SET */
    void (*function)(void *);    /* HOST */
    void *argument;
    enum simt_condition condition_kind; /* CONDITION */
    uint64_t condition;                 /* device address of its value, 4 bytes that kernels set */
    uint64_t *bodies; /* CONDITION, GRAPH (one). out: body_count graphs, destroyed with the node's graph */
    uint32_t body_count;
    uint64_t child; /* GRAPH */
    uint64_t event; /* RECORD, WAIT */
};
/* Sets the value of a condition at each launch of the graph. */
enum status simt_device_graph_condition(struct device *device, uint64_t graph, uint64_t condition,
                                        uint32_t value, struct error *error);
/* The graph that is captured from the stream; 0: none. simt_device_graph_capture begins to capture into a
 * graph; ops->graph_end ends it. */
uint64_t simt_device_graph_captured(struct device *device, uint64_t stream);
enum status simt_device_graph_capture(struct device *device, uint64_t graph, uint64_t stream,
                                      struct error *error);
enum status simt_device_graph_create(struct device *device, uint64_t *graph, struct error *error);
enum status simt_device_graph_add(struct device *device, uint64_t graph, const struct simt_node *node,
                                  struct error *error);
enum status simt_device_graph_change(struct device *device, uint64_t graph, uint32_t index,
                                     const struct simt_node *node, struct error *error);
/* Makes another graph of the same nodes. `call`: the name of the driver's function in events. */
enum status simt_device_graph_copy(struct device *device, uint64_t graph, const char *call, uint64_t *copy,
                                   struct error *error);
/* Graph `from` takes the place of `graph`, under its handle; `from` is gone then. */
enum status simt_device_graph_replace(struct device *device, uint64_t graph, uint64_t from,
                                      struct error *error);
/* 0 where there is no such graph. */
uint32_t simt_device_graph_node_count(struct device *device, uint64_t graph);
enum simt_node_kind simt_device_graph_node_kind(struct device *device, uint64_t graph, uint32_t index);
bool simt_device_allocation(struct device *device, uint64_t address, struct simt_allocation *allocation);

/* Device memory that the host accesses without a call. Page migration is not modelled. */
enum status simt_device_managed_alloc(struct device *device, size_t bytes, device_pointer *pointer,
                                      struct error *error);
/* The driver's attributes of a kernel; the same status as a launch of it. */
struct simt_kernel {
    uint32_t registers, static_shared_bytes, max_threads;
    uint64_t local_bytes, constant_bytes;
    const struct program_parameter *parameters; /* the program's, until the device is closed */
    uint32_t parameter_count;
};
enum status simt_device_kernel(struct device *device, const char *image, const char *kernel,
                               struct simt_kernel *facts, struct error *error);

#endif
