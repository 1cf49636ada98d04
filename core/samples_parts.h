/*
 * The inside of a sampling, for core/samples*.c and the session's end.
 *
 * Over SAMPLES_FANOUT samples lies a node that sums them up, over as many nodes one of the next level. A node
 * is there when all below it are, and is never changed.
 */
#ifndef CORE_SAMPLES_PARTS_H
#define CORE_SAMPLES_PARTS_H

#include "core/samples.h"
#include "core/table.h"

#include <float.h>
#include <math.h>

#define SAMPLES_FANOUT 16u
#define SAMPLES_LEVELS 6u

struct samples_node {
    double sum;         /* of value x ns */
    int64_t covered_ns; /* 0: none of them is there */
    float least, most;
};

struct samples_series { /* a series' column */
    bool counted;       /* its numbers are counts: its sums are of counts per second */
    struct table numbers;
    struct table nodes[SAMPLES_LEVELS];
};

struct sampling {
    struct sampling_row row;
    _Atomic uint64_t count;
    int64_t last_end_ns; /* writer */
    struct table starts_ns, durations_ns;
    struct samples_series *series;
};

/* What a sample's number says of each moment of it: a count is spread evenly over its time. */
static inline float samples_value(const struct samples_series *series, float number, uint32_t duration_ns)
{
    double rate = (double)number * 1e9 / duration_ns;
    return !series->counted ? number : fabs(rate) <= (double)FLT_MAX ? (float)rate : NAN;
}

void sampling_fini(struct sampling *sampling);
const struct sampling *sampling_of(const struct session *session, uint32_t sampling); /* NULL: none */

#endif
