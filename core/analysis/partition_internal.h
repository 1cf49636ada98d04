/* How idle time is blamed on the host: between core/analysis/partition.c and core/analysis/partition_idle.c.
 */
#ifndef CORE_ANALYSIS_PARTITION_INTERNAL_H
#define CORE_ANALYSIS_PARTITION_INTERNAL_H

#include "core/analysis/partition.h"

/* Idle time by class and name, one row each. */
struct blame_table {
    struct partition_blame *items;
    size_t count, capacity;
    size_t last; /* the row found last */
    struct {
        int64_t ns;
        uint32_t name;
    } pieces[PARTITION_COUNT]; /* the longest of the current idle time by class */
    uint64_t gap;              /* number of the current idle time, from 1 */
};
/* The longest go to the partition. */
void blame_table_list(struct blame_table *table, struct partition *partition);
int partition_compare_blames(const void *a, const void *b); /* longest first */
void blame_table_fini(struct blame_table *table);

/* A thread of a process, and the tracks of its calls and ranges; NONE: no such track. In [from_ns, until_ns)
 * its innermost range is, or is not, that of a collective. */
struct host_thread {
    uint32_t process, thread, calls, ranges, overhead;
    int64_t from_ns, until_ns;
    bool in_collective;
};

struct idle_blamer {
    const struct session *session;
    struct host_thread *threads;
    size_t count, capacity, last; /* last: the one asked about last */
    bool folded;                  /* calls in the analysed time were evicted from memory */
    bool has_collectives;         /* a string of the session is a name of one */
};
bool idle_blamer_init(struct idle_blamer *blamer, const struct session *session); /* false: no memory */
void idle_blamer_fini(struct idle_blamer *blamer);

/* Was the operation issued within a range of a collective's (NCCL's NVTX ranges: ncclAllReduce)? The
 * innermost range of the issuing thread counts. */
bool issued_in_collective(struct idle_blamer *blamer, uint32_t process, const struct item *item);

struct idle_gap {
    int64_t start_ns, end_ns;
    uint32_t process;
    const struct item *item; /* of the operation that ended it */
    bool issued;             /* the operation before it was issued by the same call */
    bool loads;              /* the operation's call is a launch that loads the code of its kernel */
};
/* Adds the gap's time to the classes (ns) and to the blames. False: no memory. */
bool idle_blame(struct idle_blamer *blamer, const struct idle_gap *gap, int64_t ns[PARTITION_COUNT],
                struct blame_table *blames);

#endif
