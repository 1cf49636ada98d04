/* How idle time is blamed on the host: between core/analysis/partition.c and core/analysis/partition_idle.c.
 */
#ifndef CORE_ANALYSIS_PARTITION_INTERNAL_H
#define CORE_ANALYSIS_PARTITION_INTERNAL_H

#include "core/analysis/partition.h"

/* Idle time by class and name, a row each. */
struct blame_table {
    struct partition_blame *items;
    size_t count, capacity;
    size_t last;  /* the row found last */
    uint64_t gap; /* number of the idle time in hand, from 1 */
};
/* The longest go to the partition. */
void blame_table_list(struct blame_table *table, struct partition *partition);
void blame_table_fini(struct blame_table *table);

/* A thread of a process, and the tracks of what it did; NONE: there is none. */
struct host_thread {
    uint32_t process, thread, calls, ranges, overhead;
};

struct idle_blamer {
    const struct session *session;
    struct host_thread *threads;
    size_t count, capacity, last; /* last: the one asked about last */
    bool folded;                  /* calls of the time asked about were evicted from memory */
};
bool idle_blamer_init(struct idle_blamer *blamer, const struct session *session); /* false: no memory */
void idle_blamer_fini(struct idle_blamer *blamer);

struct idle_gap {
    int64_t start_ns, end_ns;
    uint32_t process;
    const struct item *item; /* of the operation that ended it */
    bool issued;             /* it was issued by a call that the operation before it came from, too */
};
/* Adds the gap's time to the classes, ns by ns, and to the blames. False: no memory. */
bool idle_blame(struct idle_blamer *blamer, const struct idle_gap *gap, int64_t ns[PARTITION_COUNT],
                struct blame_table *blames);

#endif
