/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the model's device, shared by the files of simt/device. device.c opens and closes it and has
 * streams, events and waits; device_memory.c allocations and copies; device_launch.c kernels; device_graph.c
 * graphs; device_tell.c the events that it sends, and counters over time.
 *
 * Time: `now` is the host's time on the model's clock, in ns from 0; events add epoch_ns. It advances by the
 * cost of API calls and by waits; the host's own code between calls takes no time. Everything runs on the
 * thread that drives the device, except the grid's workers during a launch.
 */
#ifndef SIMT_DEVICE_DEVICE_INTERNAL_H
#define SIMT_DEVICE_DEVICE_INTERNAL_H

#include "simt/check/shadow.h"
#include "simt/device/device.h"
#include "simt/device/schedule.h"

#include "core/session/series.h"

#define MODEL_HOST_FUNCTION_THREAD 2 /* as in CUDA, functions in streams run on a thread of their own */
#define MODEL_QUEUE 1024 /* maximum of pending work before the host has to wait, as in the driver */

struct model_stream {
    bool used, non_blocking;
    uint32_t gpu;
    uint32_t scheduled; /* its number in the schedule */
    uint32_t shown;     /* the number used in events */
    bool announced;
    int64_t free_ns;             /* when its work so far ends if nothing runs beside it */
    struct model_graph *capture; /* the graph being captured, or NULL */
    uint32_t next_free;          /* not used: the next such stream; 0: none */
};

struct model_event {
    bool used, recorded;
    uint64_t mark;  /* id of the work in the schedule */
    int64_t end_ns; /* time at which it was reached; -1: not known */
    uint64_t
        record; /* number of its last record by a call, over all events; 0: none, or by a graph's launch */
    uint32_t next_free; /* not used: the next such event's index + 1; 0: none */
};

/* The load of a kernel on the device while it runs, as if it ran alone. */
struct model_load {
    /* Of multiprocessors with a block; share of multiprocessors with a block. */
    double occupancy_pct, multiprocessors;
    uint64_t count[SERIES_MODEL_COUNT]; /* total counts; DRAM in bytes */
    int64_t launch_ns;                  /* the part at its start in which no thread runs */
    bool caches;                        /* the counts of caches are known */
};

struct model_samples {
    struct model_sampled {
        struct model_load load;
        int64_t start_ns, end_ns; /* start and end of its run */
    } * kernels;                  /* kernels that have ended and are in no sample yet */
    size_t count;
    int64_t told_ns; /* end of the last sample */
    bool announced;
};

/* Scheduled work, and the event that is sent when it has ended. */
struct model_record {
    struct event event;  /* KERNEL, COPY or SET, without times; NONE: no event is sent */
    uint32_t event_slot; /* for the MARK of an event: its index + 1 */
    uint32_t next_free, gpu;
    bool measured;
    struct model_value {
        enum metric metric;
        double number;
    } values[METRIC_COUNT];
    uint32_t value_count;
    struct model_load load; /* only of a kernel */
};

struct model_image {
    char *name;
    uint32_t gpu; /* each GPU has variables of its own */
    struct module *module;
};

struct model_kernel {
    const struct program *program;
    uint32_t registers, name; /* name: id of the string */
    uint32_t spilled_bytes[2];
    uint64_t launches;                                         /* since simt_device_run_begin */
    enum { CHECKED_UNKNOWN, CHECKED_YES, CHECKED_NO } checked; /* by the pattern of options.checked */
};

struct model_shape {
    struct event event;   /* the SHAPE, as sent */
    uint32_t counted;     /* number of counted launches */
    struct timing timing; /* of the last counted launch */
    struct model_load load;
};

struct model_host {
    uint8_t *pointer;
    size_t size_bytes;
    enum host_memory kind;
    device_pointer mapped; /* MAPPED: the device's address */
};

struct model {
    struct device device; /* must be first: the functions of core/hardware/device.h receive its address */
    struct simt_options options;
    const struct gpu *gpu;
    const struct arch *arch, *rules; /* arch: limits of the GPU; rules: rules of the counts */
    struct device_info info;
    struct memory *memory;
    struct grid_pool *pool;
    struct heap *heap; /* of malloc in kernels; NULL: not used yet */
    uint64_t limits[SIMT_LIMIT_COUNT];
    uint32_t gpus, selected; /* GPUs; that of the host's calls (simt_device_select) */
    struct cache_l2 *l2[SIMT_GPUS_MAX];
    struct schedule *schedule;
    int64_t now, told_until;
    int64_t wall_ns; /* since 1970, when the model's clock began: for %globaltimer */
    uint32_t correlation, measurement, next_stream;
    uint32_t counter_strings[METRIC_COUNT]; /* of the sink; 0: not looked up yet */
    uint64_t event_records;
    bool told_any; /* an event was sent after the last watermark */
    struct simt_caller caller;
    uint64_t named_call; /* the program's call that has named an event */

    struct model_stream *streams; /* of each GPU legacy default and per-thread default, then created ones */
    size_t stream_count;
    uint32_t stream_free, event_free;        /* the first that can be given out again; 0: none */
    int64_t blocking_free_ns[SIMT_GPUS_MAX]; /* the latest free_ns of streams that wait for the legacy one */
    struct model_event *events;
    size_t event_count;
    struct model_record *records;
    size_t record_count;
    uint32_t record_free, records_open; /* free records: index + 1 */
    struct model_image *images;
    size_t image_count;
    struct model_kernel **kernels; /* the elements do not move */
    size_t kernel_count;
    struct model_shape *shapes;
    size_t shape_count;
    struct model_host *hosts;
    size_t host_count;
    struct simt_live live;
    uint64_t small_bytes;        /* of small allocations that are not freed, in units of the driver */
    uint64_t pool_bytes;         /* freed in stream order: the next allocations in stream order reuse them */
    struct model_graph **graphs; /* NULL: destroyed */
    size_t graph_count;
    struct model_samples samples[SIMT_GPUS_MAX];
    struct grid_watch watch;
    const struct model_kernel *running; /* of the launch that runs */
    struct model_order *order;          /* NULL: not checked */
};

static inline struct model *model_of(struct device *device)
{
    return (struct model *)device;
}

/* Grows the array to hold at least `count` + 1 elements and returns it, possibly moved; NULL: out of memory,
 * the array is unchanged. */
void *model_grow(void *array, size_t count, size_t element_bytes);
enum status model_no_memory(struct error *error);

/* --- streams and the clock (device.c) */

/* The stream of a handle; NULL, with a sentence: there is none. */
struct model_stream *model_stream_find(struct model *model, uint64_t handle, struct error *error);
/* When work that is issued now starts in the stream, if nothing runs beside it. */
int64_t model_start_ns(const struct model *model, const struct model_stream *stream);
/* The selected GPU's legacy default stream. */
static inline struct model_stream *model_stream_default(struct model *model)
{
    return &model->streams[2 * (size_t)model->selected];
}
/* Work of this GPU is executed now: what is allocated belongs to it, and kernels reach what it reaches. */
void model_act(struct model *model, uint32_t gpu);
/* Schedules work at the host's time; first waits if the queue is full. record: describes the event to
 * send. */
enum status model_enqueue(struct model *model, struct model_stream *stream, struct schedule_work *work,
                          const struct model_record *record, uint64_t *id, struct error *error);
/* The host waits until this time. */
void model_host_reach(struct model *model, int64_t time_ns);

/* --- calls and events (device_tell.c) */

struct model_call {
    const char *name;
    enum call_category category;
    uint32_t thread;
    uint32_t correlation, shape, stream, gpu;
    int64_t start_ns;
};

struct model_call model_call_begin(struct model *model, const char *name, enum call_category category,
                                   const struct model_stream *stream);
/* Ends the call, which took cost_ns on the host; sends its event and those of all work that has ended. */
enum status model_call_end(struct model *model, const struct model_call *call, uint32_t cost_ns,
                           enum status status);
void model_tell_context(struct model *model, uint32_t gpu);
void model_tell_stream(struct model *model, struct model_stream *stream);
void model_tell_running(struct model *model, const struct model_call *call);
/* event: its handle; 0: the wait is for none. */
void model_tell_wait(struct model *model, const struct model_call *call, enum sync_kind kind, uint64_t event);
void model_tell_query(struct model *model, const struct model_call *call, enum sync_kind kind,
                      uint64_t event);
void model_tell_stream_wait(struct model *model, const struct model_call *call, uint64_t event);
void model_tell_event_record(struct model *model, const struct model_call *call, uint64_t event);
void model_tell_progress(void *owner, const struct progress *progress); /* for struct grid_watch */
/* The id of a launch's shape, which is sent once. 0: out of memory. */
uint32_t model_shape(struct model *model, const struct event *shape);
/* Sends the events of all work that has ended by the host's time. */
void model_tell_ended(struct model *model);
void model_emit(struct model *model, struct event *event, uint32_t gpu); /* adds the device's ordinal */
static inline uint32_t model_context(uint32_t gpu)
{
    return gpu + 1;
}
uint32_t model_string(struct model *model, const char *text); /* returns its id */

/* --- counters over time (device_tell.c) */
struct model_load model_load_of(const struct model *model, const struct timing_input *input,
                                const struct timing *timing);
void model_samples_fini(struct model_samples *samples);
/* Sends the samples of all GPUs up to the end of the last kernel; call only while no kernel runs. */
void model_samples_tell(struct model *model);

/* --- runtime functions of kernels (device.c) */
/* Makes the heap if the program may call malloc or free. */
enum status model_heap_make(struct model *model, const struct program *program, struct error *error);
void model_tell_printed(struct model *model, const struct grid_result *result);

/* --- work, executed at once and scheduled; used by the device's functions and by graphs */

struct model_copy {
    enum device_copy direction;
    enum host_memory memory; /* of the memory on the host */
    uint64_t destination, source;
    size_t bytes; /* of all rows together */
    bool async;
    size_t rows, destination_pitch, source_pitch; /* rows 0: one contiguous copy */
    const struct claim *claims; /* two, of a copy to or from an array; NULL: the rows are what it accesses */
};

struct model_launch {
    struct device_launch asked; /* image and kernel are copies owned by the launch; arguments is invalid */
    struct module *module;
    struct model_kernel *kernel;
    uint8_t *parameters;
    uint32_t depth; /* nesting depth: launched by a kernel that was launched by ... */
};

struct model_place { /* the stream, and the call or graph that the work belongs to */
    struct model_stream *stream;
    uint32_t correlation, graph, graph_node; /* graph 0: none */
};

/* The bytes at an address that a call names as the host's. */
enum status model_host_bytes(struct model *model, uint64_t address, size_t bytes, bool write, uint8_t **at,
                             struct error *error);
struct model_copy model_copy_of_rows(const struct model *model, const struct simt_rows *rows, bool async);
/* What pinned memory of the host belongs to: a copy reads or writes pageable memory while its call runs. */
enum host_memory model_host_kind(const struct model *model, uint64_t address);
/* Rows of linear memory that a copy or a set accesses; what has no bytes between its rows is one. */
struct claim model_claim_rows(uint64_t address, size_t row_bytes, size_t rows, size_t pitch, bool write);
enum status model_copy(struct model *model, const struct model_copy *copy, const struct model_place *place,
                       uint64_t *id, struct error *error);
enum status model_set(struct model *model, const struct simt_fill *fill, const struct model_place *place,
                      struct error *error);
/* Finds the kernel and copies the arguments. */
enum status model_launch_make(struct model *model, const struct device_launch *asked,
                              struct model_launch *launch, struct error *error);
enum status model_launch_copy(struct model_launch *copy, const struct model_launch *launch,
                              struct error *error);
void model_launch_fini(struct model_launch *launch);
enum status model_launch_run(struct model *model, const struct model_launch *launch,
                             const struct model_place *place, struct model_call *call, struct error *error);
enum status model_host_function(struct model *model, void (*fn)(void *), void *argument,
                                const struct model_place *place, struct error *error);
/* On the device alone: no call of the host. */
enum status model_event_record(struct model *model, struct model_stream *stream, uint64_t event,
                               struct error *error);
enum status model_event_wait(struct model *model, struct model_stream *stream, uint64_t event,
                             struct error *error);

/* --- the order of operations, for the checks (device_order.c); without checks these do nothing */
enum status model_order_create(struct model *model, struct error *error);
void model_order_destroy(struct model_order *order);
/* The host waits for a stream, or for all of the selected GPU. */
void model_order_wait(struct model *model, const struct model_stream *stream);
void model_order_wait_all(struct model *model);
void model_order_record(struct model *model, uint32_t event_slot, const struct model_stream *stream);
/* stream NULL: the host waits. */
void model_order_wait_event(struct model *model, const struct model_stream *stream, uint32_t event_slot);
/* A launch in the stream: fills the fields of the launch for the checks. */
void model_order_launch(struct model *model, const struct model_stream *stream, const struct program *program,
                        struct grid_launch *launch);
/* A copy or a set, with what it reads and writes, at most two claims; compares it with kernels, copies and
 * sets that may run at the same time. what: "copy to the device". */
void model_order_copy(struct model *model, const struct model_stream *stream, const char *what,
                      const struct claim *claims, uint32_t count);
/* The last operation is a copy of a call that is not asynchronous: the host may use its memory. */
void model_order_returned(struct model *model);
/* What a copy gives to the host, or copies on the device, of bytes that depend on unwritten memory. */
void model_undefined_copy(struct model *model, enum device_copy direction, uint64_t destination,
                          uint64_t source, size_t bytes);
/* A free in the order of a stream; the memory may then belong to someone else. */
void model_order_free(struct model *model, const struct model_stream *stream, uint64_t address,
                      uint64_t size_bytes);

/* --- graphs (device_graph.c) */

enum model_node_kind {
    NODE_NOTHING,
    NODE_COPY,
    NODE_SET,
    NODE_LAUNCH,
    NODE_HOST,
    NODE_CONDITION,
    NODE_GRAPH, /* its one body runs */
    NODE_RECORD,
    NODE_WAIT
};
struct model_node {
    enum model_node_kind kind;
    union {
        struct model_copy copy;
        struct simt_fill set;
        struct model_launch launch;
        struct {
            void (*fn)(void *);
            void *argument;
        } host;
        struct {
            enum simt_condition kind;
            uint64_t condition;          /* device address of its value */
            struct model_graph **bodies; /* the node's own */
            uint32_t body_count;
        } condition;    /* also of NODE_GRAPH */
        uint64_t event; /* RECORD, WAIT */
    };
};

/* Adds the node to the graph that is captured from the stream. */
enum status model_capture(struct model *model, struct model_stream *stream, const struct model_node *node,
                          struct error *error);
void model_graph_free(struct model *model, struct model_graph *graph);

/* --- functions of struct device_ops that device.h does not name */
enum status model_host_pointer(struct device *, void *, device_pointer *, struct error *);
enum status model_copy_op(struct device *, enum device_copy, uint64_t, uint64_t, size_t, uint64_t, bool,
                          struct error *);
enum status model_set_op(struct device *, device_pointer, uint8_t, size_t, uint64_t, struct error *);
enum status model_texture_create(struct device *, const struct device_texture *, uint64_t *, struct error *);
enum status model_texture_destroy(struct device *, uint64_t, struct error *);
enum status model_peer_access(struct device *, struct device *, bool *, struct error *);
enum status model_peer_enable(struct device *, struct device *, bool, struct error *);
enum status model_peer_copy(struct device *, device_pointer, struct device *, device_pointer, size_t,
                            uint64_t, struct error *);

#endif
