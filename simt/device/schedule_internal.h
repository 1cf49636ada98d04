/*
 * The state of a schedule, for schedule.c (data) and schedule_clock.c (times).
 *
 * Work waits in the queue of its stream; only the first work of each queue may start. The remaining work of
 * concurrent kernels is measured in ns of running alone, times SCHEDULE_WHOLE: running for dt ns at a rate of
 * r millionths reduces it by dt * r.
 */
#ifndef SIMT_DEVICE_SCHEDULE_INTERNAL_H
#define SIMT_DEVICE_SCHEDULE_INTERNAL_H

#include "simt/device/schedule.h"

#include <stddef.h>

enum schedule_state { SCHEDULE_WAITING, SCHEDULE_RUNNING, SCHEDULE_ENDED };
enum schedule_engine {
    SCHEDULE_ENGINE_COMPUTE,
    SCHEDULE_ENGINE_IN,
    SCHEDULE_ENGINE_OUT,
    SCHEDULE_ENGINE_HOST,
    SCHEDULE_ENGINE_COUNT,
    SCHEDULE_ENGINE_NONE
};

/* The end of work that took time, and its engine: work that follows on another engine also waits for the
 * handover. */
struct schedule_past {
    int64_t end_ns;
    enum schedule_engine engine;
    uint32_t gpu; /* whose engine it is */
    uint64_t id;
};

struct schedule_entry {
    struct schedule_work work;
    enum schedule_state state;
    enum schedule_engine engine;
    uint32_t gpu;
    bool taken;
    uint64_t next;        /* next in the stream; after the end, next in the order of the ends */
    uint64_t next_engine; /* next in the order of issue on its engine */
    int64_t start_ns, end_ns;
    struct schedule_past past; /* if ended: of the work itself; for a mark, of the work that it waited for */
    int64_t left;              /* COMPUTE, running: the remaining work */
    uint32_t rate;
};

struct schedule_stream {
    bool used, non_blocking;
    uint32_t gpu;
    uint64_t first, last;      /* work that has not ended; SCHEDULE_NONE */
    int64_t end_ns;            /* end of its last work that has ended, including marks */
    struct schedule_past past; /* of that work */
};

struct schedule_gpu {
    uint64_t engine_first[SCHEDULE_ENGINE_COUNT],
        engine_last[SCHEDULE_ENGINE_COUNT];      /* work that has not started, in the order of issue */
    uint64_t engine_runs[SCHEDULE_ENGINE_COUNT]; /* running work; not used for COMPUTE */
    uint64_t *kernels;                           /* running, in the order of start */
    uint32_t kernel_count;
};

struct schedule {
    struct schedule_limits limits;
    int64_t now;
    struct schedule_entry *entries; /* ids base ... base + count - 1 */
    size_t count, capacity, gone;   /* gone: number of entries at the front that are taken */
    uint64_t base;
    struct schedule_stream *streams;
    size_t stream_count;
    struct schedule_gpu *gpus;
    uint64_t ended_first, ended_last; /* work that has ended and is not taken yet */
    int64_t last_end_ns;
};

/* NULL: it was taken and is forgotten. */
static inline struct schedule_entry *schedule_entry_of(const struct schedule *s, uint64_t id)
{
    return id >= s->base && id - s->base < s->count ? &s->entries[id - s->base] : NULL;
}

#endif
