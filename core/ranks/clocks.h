/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a host against another one, from the ends of collectives that both took part in: all members of one leave
 * it at about the same time. Offset and drift are medians (Theil and Sen), so that single late ends do not matter.
 * Pure; any thread.
 */
#ifndef CORE_RANKS_CLOCKS_H
#define CORE_RANKS_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

struct clock_point {
    double at_ns, apart_ns; /* time, and by how much the clock is ahead then */
};
struct clock_fit {
    double offset_ns, drift; /* ahead by offset_ns + drift * at_ns */
    double residual_ns;      /* 95 % of the points lie closer */
};

#define CLOCK_POINTS_LEAST 3u /* chosen: of fewer points a residual says nothing */
/* Below so many points, or in less than this time, a drift is not told from the noise: it is taken as 0. */
#define CLOCK_DRIFT_POINTS 8u
#define CLOCK_DRIFT_NS 1e9
#define CLOCK_DRIFT_MOST 1e-3 /* chosen: clocks that differ by more are no clocks */

/* The points are sorted by another order afterwards. scratch: room for CLOCK_SCRATCH + count numbers. False: fewer
 * than CLOCK_POINTS_LEAST points, or no clock fits. */
#define CLOCK_SCRATCH 2048u
bool clock_fit(struct clock_fit *fit, const struct clock_point *points, size_t count, double *scratch);

#endif
