/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three lengths of a run, each with one name wherever it is shown. The device time is *the* time of a
 * run: list of runs, report, comparison, Amdahl and chart read it from here, and advice's gains are shares of
 * it. Overlapping operations count once. overlap_compute's any_busy_ns and span_ns over the whole run are the
 * first two of these. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_RUN_TIMES_H
#define CORE_ANALYSIS_RUN_TIMES_H

#include "core/session/session.h"

#include <stdbool.h>

#define DEVICE_TIME_MEANING "time in which a kernel, copy or set of the run ran on a device"
/* id, name, meaning */
#define RUN_TIME_LIST(X)                                                                              \
    X(DEVICE, "device time", DEVICE_TIME_MEANING)                                                     \
    X(SPAN, "first to last",                                                                          \
      "from the start of the first kernel, copy or set of the run to the end of the last, idle time " \
      "included")                                                                                     \
    X(WHOLE, "whole run", "from the begin of the run to its end, set-up and tear-down included")
#define RUN_TIME_ENUM(id, name, meaning) RUN_TIME_##id,
enum run_time { RUN_TIME_LIST(RUN_TIME_ENUM) RUN_TIME_COUNT };
#undef RUN_TIME_ENUM
const char *run_time_name(enum run_time time); /* "device time" */

struct run_times {
    int64_t ns[RUN_TIME_COUNT]; /* 0: nothing of it ran on a device */
    bool ended;                 /* false: the whole run is up to now; in a recording, to its last event */
};

/* Of a trace run, or of a run on the model; NONE: of everything on the wall clock, without the whole run.
 * Walks the run's events once. Fails as overlap_compute does. */
enum status run_times_of(const struct session *session, uint32_t run, struct run_times *times,
                         struct error *error);

/* The time between from_ns and until_ns in which at least one launch of a kernel of the run ran, added to
 * busy_ns of the kernel's group: launches that overlap count once, so that it is a share of the time, which
 * the sum of the launches is not. groups: of each of the `kernels` first kernel rows, NONE to leave one out;
 * NULL: each is a group of its own. Events that were evicted from memory are left out. STATUS_MEMORY. */
enum status run_kernels_busy(const struct session *session, uint32_t run, int64_t from_ns, int64_t until_ns,
                             const uint32_t *groups, uint32_t kernels, uint64_t *busy_ns,
                             struct error *error);

/* The whole run, without a walk. A run in progress lasts until now; the clock that ends a run may be read
 * late, but a run is not shorter than its work, so run_times_of may give more. */
int64_t run_whole_ns(const struct session *session, uint32_t run);

#endif
