/*
 * The state of a schedule, for schedule.c (data) and schedule_clock.c (times).
 *
 * Work waits in its stream's queue; of each queue only the first may start. Kernels that run side by side
 * have what is left to do in ns of running alone, times SCHEDULE_WHOLE: in a moment of dt ns at a rate of r
 * millionths dt * r of it is done.
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

/* The end of work that took time, and where: what comes after it elsewhere waits for the handover too. */
struct schedule_past {
    int64_t end_ns;
    enum schedule_engine engine;
    uint64_t id;
};

struct schedule_entry {
    struct schedule_work work;
    enum schedule_state state;
    enum schedule_engine engine;
    bool taken;
    uint64_t next;        /* in the stream; once ended, in the order of the ends */
    uint64_t next_engine; /* in the order of issue on its engine */
    int64_t start_ns, end_ns;
    struct schedule_past past; /* ended: its own; of a mark, of what it waited for */
    int64_t left;              /* COMPUTE, running */
    uint32_t rate;
};

struct schedule_stream {
    bool used, non_blocking;
    uint64_t first, last;      /* not ended; SCHEDULE_NONE */
    int64_t end_ns;            /* of its last work that has ended, marks too */
    struct schedule_past past; /* of that */
};

struct schedule {
    struct schedule_limits limits;
    int64_t now;
    struct schedule_entry *entries; /* ids base ... base + count - 1 */
    size_t count, capacity, gone;   /* gone: of the first ones, all taken */
    uint64_t base;
    struct schedule_stream *streams;
    size_t stream_count;
    uint64_t engine_first[SCHEDULE_ENGINE_COUNT],
        engine_last[SCHEDULE_ENGINE_COUNT];      /* not started, in the order of issue */
    uint64_t engine_runs[SCHEDULE_ENGINE_COUNT]; /* but COMPUTE's */
    uint64_t *kernels;                           /* that run, in the order of start */
    uint32_t kernel_count;
    uint64_t ended_first, ended_last; /* not yet taken */
    int64_t last_end_ns;
};

/* NULL: it was taken and is forgotten. */
static inline struct schedule_entry *schedule_entry_of(const struct schedule *s, uint64_t id)
{
    return id >= s->base && id - s->base < s->count ? &s->entries[id - s->base] : NULL;
}

#endif
