/*
 * The device time of a run: the time in which at least one of its kernels, copies or sets ran on a device.
 * Overlapping operations count once; set-up, tear-down and idle time are left out. It is *the* time of a run
 * wherever one is named: list of runs, report, comparison, Amdahl, chart, and advice's gains are shares of
 * it. overlap_compute's any_busy_ns over the whole run is the same number. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_DEVICE_TIME_H
#define CORE_ANALYSIS_DEVICE_TIME_H

#include "core/session/session.h"

#define DEVICE_TIME_MEANING "time in which a kernel, copy or set of the run ran on a device"

/* The device time of a trace run, or of a run on the model; 0 if nothing of it ran on a device. Walks the
 * run's events once. Fails as overlap_compute does. */
enum status device_time_of_run(const struct session *session, uint32_t run, int64_t *device_ns,
                               struct error *error);

#endif
