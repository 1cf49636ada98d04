/*
 * The inside of core/overlap*.c: the device work of a range in order of start, and what is asked of it.
 * overlap.c collects it and adds up what is busy; overlap_serial.c finds who waited for what; amdahl.c who
 * ran alone.
 */
#ifndef CORE_OVERLAP_PARTS_H
#define CORE_OVERLAP_PARTS_H

#include "core/overlap.h"

/* What work runs on: kernels, sets, and copies by kind. */
enum overlap_engine { ENGINE_KERNELS, ENGINE_SETS, ENGINE_COPIES };

struct operation {
    uint64_t index; /* of its event in the lane */
    int64_t start_ns, end_ns;
    int64_t call_start_ns; /* INT64_MIN: not known */
    uint32_t call_duration_ns, call_thread;
    uint32_t track, lane;
    uint32_t kernel; /* its row; NONE of other work */
    float share; /* KERNEL: of the device's places for blocks that one launch takes, 1 at most; NAN: not known
                  */
    uint8_t engine; /* enum overlap_engine; a copy: ENGINE_COPIES + enum copy_kind */
    bool async;     /* COPY: by an asynchronous call */
    bool pageable;  /* COPY: host memory that is pageable */
    bool fills;     /* KERNEL: known to fill the device by itself */
};

/* A thread of the host was in a call that waits. */
struct blocked {
    int64_t start_ns, end_ns;
    uint32_t process, thread;
    enum serial_reason reason;
};

struct work {
    const struct session *session;
    int64_t start_ns, end_ns;     /* the range */
    struct operation *operations; /* in order of start */
    size_t count, capacity;
    struct blocked *blocked;
    size_t blocked_count, blocked_capacity;
};

/* The device work of a run (NONE: of all on one clock) in this range, for work_free to free, also when it
 * fails. */
enum status work_collect(struct work *work, const struct session *session, uint32_t run, int64_t start_ns,
                         int64_t end_ns, struct error *error);
void work_free(struct work *work);

/* A window of time opens or closes on a device. */
struct boundary {
    int64_t time_ns;
    uint32_t device; /* number among the devices seen here */
    int8_t step;     /* +1, -1 */
    uint8_t what;    /* enum serial_reason, or BOUNDARY_ALONE */
};
#define BOUNDARY_ALONE SERIAL_COUNT /* one stream alone is busy */

/* An operation waited; its ends are boundaries too. */
struct wait {
    int64_t start_ns, end_ns;
    size_t operation; /* of the work's */
    uint32_t device;
    uint8_t reason;
};

struct windows {
    struct boundary *boundaries;
    size_t boundary_count, boundary_capacity;
    struct wait *waits;
    size_t wait_count, wait_capacity;
};

/* Fill serialised_ns and what waited. False: no memory. */
bool overlap_serialised(struct work *work, struct overlap *overlap);
/* Lay the waits over the time in which one stream alone was busy. The same. */
bool overlap_add_up(const struct work *work, struct windows *windows, struct overlap *overlap);
/* Fill least_ns and least_engine. The same. */
bool overlap_least(const struct work *work, struct overlap *overlap);

/* Room for one more element; false: no memory. */
bool overlap_room(void **array, size_t count, size_t *capacity, size_t element_bytes);

#endif
