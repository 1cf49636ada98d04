/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a modelled device told, kept: its events in their order, its strings, what became of its launches. For
 * tests; a log is its maker's, model_log_fini frees it. Assertions of Criterion fail the test.
 */
#ifndef TESTS_SHARED_MADE_MODEL_LOG_H
#define TESTS_SHARED_MADE_MODEL_LOG_H

#include "simt/device/device.h"

struct model_log {
    struct event *events;
    size_t count, capacity;
    char **strings; /* id i is strings[i - 1] */
    size_t string_count;
    double last_ns; /* simt_launch.timing of the last launch; NaN: it was stopped */
    uint64_t launches;
    double achieved_occupancy_pct;
};

void model_log_fini(struct model_log *log);

/* A device that tells the log, on the bundled kernels' PTX. options: NULL or what else is wanted. */
struct device *model_log_device(struct model_log *log, const struct simt_options *options);

/* A workload's case as typed ("transpose:pad,n=1024"), at its small size if wanted, run once and verified. */
void model_log_run(struct device *device, struct device *peer, const char *text, bool small);

/* What holds of every log: things are announced before they are named, work of a stream never overlaps, calls
 * follow each other, each kernel has its values, nothing comes that ended before a watermark. */
void model_log_check(const struct model_log *log);

/* Ns in which a kernel (kind EVENT_KERNEL), a copy (EVENT_COPY with the copy_kind) ran, and ns in which both
 * of two did, from event `from` on. */
int64_t model_log_busy(const struct model_log *log, size_t from, uint8_t kind, uint8_t copy_kind);
int64_t model_log_overlap(const struct model_log *log, size_t from, const uint8_t first[2],
                          const uint8_t second[2]);
/* From the start of the first to the end of the last kernel or copy. */
int64_t model_log_span(const struct model_log *log, size_t from);

#endif
