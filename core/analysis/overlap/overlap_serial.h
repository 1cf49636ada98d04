/*
 * The inside of core/analysis/overlap/overlap_serial.c and core/analysis/overlap/overlap_alone.c: what is
 * known of streams, contexts and devices while operations are looked at in order of start.
 */
#ifndef CORE_ANALYSIS_OVERLAP_OVERLAP_SERIAL_H
#define CORE_ANALYSIS_OVERLAP_OVERLAP_SERIAL_H

#include "core/analysis/overlap/overlap_internal.h"

/* The latest work, and the latest work of another stream than that. */
struct latest {
    const struct operation *first, *other;
};

struct device_state {
    uint32_t device, process; /* device NONE: by process */
    struct latest engines[ENGINE_COPIES + COPY_KIND_COUNT];
};

struct context_state {
    uint32_t process, context;
    struct latest defaults, blocking; /* of the legacy default stream; of the streams that it waits for */
};

struct stream_state {
    const struct operation *latest; /* the one that ends last */
    uint32_t device, context;       /* numbers of its states */
    uint32_t running;
    bool known;
};

struct running {
    int64_t end_ns;
    uint32_t track;
};

struct serial {
    struct work *work;
    int stage;
    size_t at; /* operation */
    struct calls_sort calls;
    struct adder adder;
    size_t cost;                  /* cost of following back the waits of one operation */
    struct stream_state *streams; /* by track */
    struct device_state *devices;
    size_t device_count, device_capacity;
    struct context_state *contexts;
    size_t context_count, context_capacity;
    int64_t *reached_ns; /* by operation: the latest end of it and of all before it */
    /* Used while finding the times in which only one stream is busy: */
    struct running *heap; /* heap of running operations, the one that ends first on top */
    size_t running;
    uint32_t *active;  /* streams busy, by device */
    int64_t *since_ns; /* by device */
    struct windows windows;
};

static inline int64_t overlap_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t overlap_sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* False: no memory. */
bool overlap_window_add(struct windows *windows, uint32_t device, unsigned what, int64_t start_ns,
                        int64_t end_ns);

/* Finds the times in which only one stream is busy on a device, as windows of BOUNDARY_ALONE. Runs once, from
 * operation 0 on, when all streams are known. */
enum slice alone_step(struct serial *serial, size_t *left);
void alone_end(struct serial *serial); /* frees its memory, also if it did not finish */

#endif
