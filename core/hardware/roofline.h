/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline: the least time that a kernel with the operations it executes and the bytes it moves could
 * take if one of the device's limits were all that holds it up (Williams, Waterman, Patterson, 2009), with a
 * roof for each level of memory as ncu's hierarchical roofline has. The lowest roof binds: it is the one that
 * leaves the longest time. Pure arithmetic; any thread.
 *
 * Single and double precision have pipes of their own. Half precision and tensor cores are not included.
 */
#ifndef CORE_HARDWARE_ROOFLINE_H
#define CORE_HARDWARE_ROOFLINE_H

#include <stdbool.h>

/* id, one word, and the name of what is used up */
#define ROOFLINE_BOUND_LIST(X)                   \
    X(DRAM, "DRAM", "DRAM's bandwidth")          \
    X(L2, "L2", "L2's bandwidth")                \
    X(L1, "L1", "L1's bandwidth")                \
    X(SHARED, "shared", "shared memory's banks") \
    X(FLOAT, "single", "single precision")       \
    X(DOUBLE, "double", "double precision")
#define ROOFLINE_BOUND_ENUM(id, text, name) ROOFLINE_##id,
enum roofline_bound { ROOFLINE_BOUND_LIST(ROOFLINE_BOUND_ENUM) ROOFLINE_BOUND_COUNT };
#undef ROOFLINE_BOUND_ENUM
const char *roofline_bound_text(enum roofline_bound bound); /* one word: "DRAM" */
/* "DRAM's bandwidth", of that word; "?" of another. */
const char *roofline_bound_name(const char *word);

struct roofline_roofs { /* of the device, per second; all above 0 */
    double bytes, float_operations, double_operations;
};

struct roofline {
    enum roofline_bound bound; /* the roof above it */
    double ns;                 /* the least time that the limits allow; 0: it uses none of them */
    bool whole;                /* all limits are known; else `ns` is at least this */
};

/* least_ns: what the kernel's work needs at the full rate of each limit; NAN: not known. */
struct roofline roofline_of(const double least_ns[ROOFLINE_BOUND_COUNT]);

#endif
