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
    int64_t start_ns, end_ns;
    int64_t call_start_ns; /* INT64_MIN: not known */
    uint32_t call_duration_ns, call_thread;
    uint32_t track, kernel; /* kernel: its row; NONE of other work */
    uint8_t engine;         /* enum overlap_engine; a copy: ENGINE_COPIES + enum copy_kind */
    bool async;             /* COPY: by an asynchronous call */
    bool pageable;          /* COPY: host memory that is pageable */
    bool fills;             /* KERNEL: known to fill the device by itself */
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

/* Fill serialised_ns. False: no memory. */
bool overlap_serialised(struct work *work, int64_t serialised_ns[SERIAL_COUNT]);

/* Room for one more element; false: no memory. */
bool overlap_room(void **array, size_t count, size_t *capacity, size_t element_bytes);

#endif
