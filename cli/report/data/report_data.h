/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the reports, collected from a session: runs joined with their counter runs, sums over copies,
 * sets and API calls; and the names of kernels and runs in the reports' tables. Plain data; the caller frees
 * with report_data_fini. Only trace runs count for times: a counter run serialises and replays. A run on the
 * device model is one run, with times and counts; its times are never added to a GPU's.
 */
#ifndef CLI_REPORT_DATA_REPORT_DATA_H
#define CLI_REPORT_DATA_REPORT_DATA_H

#include "core/analysis/copy_times.h"
#include "core/analysis/kernel_index.h"
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/partition.h"
#include "core/base/error.h"
#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A piece of work: its runs by mode, NONE if there is none. On the model its one run stands for the trace
 * run. */
struct report_run {
    uint32_t runs[RUN_MODE_COUNT];
};

struct report_sum {
    uint64_t count, bytes;
    int64_t total_ns, min_ns, max_ns;
    /* If requested, else 0: the median (of two middle ones the shorter) and the standard deviation. */
    double median_ns, deviation_ns;
    double *all; /* durations while they are being collected */
    size_t room;
};

/* `spread`: collects also for the median and the deviation, which report_sum_spread computes at the end. */
void report_sum_add(struct report_sum *sum, int64_t duration_ns, uint64_t bytes, bool spread);
void report_sum_spread(struct report_sum *sum);

/* What was copied or set: its kind, and the kind of the host memory. */
#define REPORT_COPY_SET UINT8_MAX
struct report_copy {
    uint8_t kind; /* enum copy_kind, or REPORT_COPY_SET */
    enum copy_host host;
    struct report_sum sum;
};
const char *report_copy_id(uint8_t kind);   /* "htod", "set" */
const char *report_copy_text(uint8_t kind); /* "host to device" */

/* Sums by a string of the session: a kernel's name, an API call's. */
struct report_named {
    uint32_t name;
    struct report_sum sum;
};

struct report_times {                     /* of all runs on one clock */
    struct report_named *kernels, *calls; /* most time first */
    size_t kernel_count, call_count;
    struct report_copy *copies; /* most time first */
    size_t copy_count;
    int64_t gpu_ns, call_ns; /* sums of durations: of kernels, of copies and memsets; of calls */
};

struct report_data {
    const struct session *session;
    struct kernel_index *index;
    struct short_names *names;
    struct report_run *runs;
    size_t run_count;
    struct report_known *known; /* of each run: report_facts.h */
    void **advised;             /* of each kernel its advice (report_advice.c); NULL: not made yet */
    uint32_t *first_kernel, *next_kernel; /* of each run; after each kernel of a run; NONE: no more */
    struct report_times times[CLOCK_COUNT];
    bool evicted;        /* some events were evicted: copies, memsets and calls are those that are left */
    const char *kernels; /* pattern of the names to report; NULL: all */
    char pattern[600];   /* short names, for `kernels` */
    bool is_full;        /* a sheet that is long has what the full report prints of it */
    bool is_wide;        /* names and call paths are whole for readers, too */
    bool ask_model;      /* for advice on kernels without measured lines: a tenth of a second each */
};

/* Over all trace runs. */
/* Of a session with so many events what walks over all of them runs beside the rest, in threads of its own; a walk over
 * fewer takes less than 5 ms. */
#define REPORT_BESIDE_LEAST 50000u

/* The same in two parts: after the first one the runs are known, and report_prepare may be called. */
void report_data_start(struct report_data *data, const struct session *session);
void report_data_finish(struct report_data *data);
void report_data_init(struct report_data *data, const struct session *session);
void report_data_fini(struct report_data *data);
/* The same for the kernels whose names match; STATUS_USAGE: none does. */
enum status report_data_of(struct report_data *data, const struct session *session, const char *kernels,
                           struct error *error);

/* Does an exact count of the kernel, measured or modelled, equal the value of the weaker provenance? values:
 * the count, and the value that it should have. NONE: one of them is missing, or the counters only bound the
 * count, and the value is within the bound. */
enum report_count { REPORT_COUNT_NONE, REPORT_COUNT_SAME, REPORT_COUNT_DIFFERENT };
enum report_count report_count_agrees(const struct report_data *data, uint32_t kernel, enum metric metric,
                                      enum provenance weaker, struct value values[2]);

/* Adds up a whole session, kernels too; false: some events were evicted from memory. */
bool report_times_make(const struct session *session, struct report_times times[CLOCK_COUNT]);
/* Restricts `kernels` and `gpu_ns` to a part of a run's time. */
void report_times_narrow(struct report_times *times, const struct session *session, uint32_t run,
                         int64_t start_ns, int64_t end_ns);
/* The copies, memsets and calls of one run (NONE: of all traced ones) by clock, with medians and deviations;
 * no kernels. The caller frees each with report_times_fini. STATUS_STATE: some were evicted from memory. */
enum status report_operations(const struct session *session, uint32_t run,
                              struct report_times times[CLOCK_COUNT], struct error *error);
void report_times_fini(struct report_times *times);
/* Adds up all launches of a kernel's name on a clock, which may be of several runs and shapes; false: not all
 * are in memory. */
bool report_launches(const struct report_data *data, uint32_t name, enum clock_kind clock,
                     struct report_sum *sum);
/* Their median; -1: as above. */
int64_t report_median_ns(const struct report_data *data, uint32_t name, enum clock_kind clock);

/* The next kernel row of a run, by the run's index, after `kernel` (NONE: the first one); NONE: there are no
 * more. It visits, in their order, those that report_run_has. */
uint32_t report_next_kernel(const struct report_data *data, size_t run, uint32_t kernel);
#define REPORT_EACH_KERNEL(data, run, kernel)                                   \
    for (uint32_t kernel = report_next_kernel(data, run, NONE); kernel != NONE; \
         kernel = report_next_kernel(data, run, kernel))

/* Does a kernel row belong to the work? Rows of its trace run do, and rows of its counter runs that no
 * earlier run has. */
bool report_run_has(const struct report_data *data, const struct report_run *run, uint32_t kernel);

/* The metric to show: measured for a kernel on a GPU, modelled for one on the model and for one that was not counted on a
 * GPU, else expected; if there is none, the reason why it was not measured or modelled. */
struct kernel_statistic report_statistic(const struct report_data *data, uint32_t kernel, enum metric metric);

/* 1, 0, or -1 (not known, or a user's program): 0 if any of its runs failed its check. */
int report_verified(const struct session *session, const struct report_run *run);

/* The reason that the failed run gave for not being verified; "" if it gave none. */
const char *report_detail(const struct session *session, const struct report_run *run);

/* The 16 digits of RUN_DIGEST_TEXT, from the run that launched each kernel once (counters, memory, the model)
 * if there is one; NULL: none. */
const char *report_digest(const struct session *session, const struct report_run *run);

/* Of a program on the device model: what of the run is exact (STANDIN_FIDELITY); NULL: it does not say. */
const char *report_fidelity(const struct session *session, const struct run_row *run);
/* What --check looked at in the run's process; NULL: nothing is known to have been checked. */
const char *report_checked(const struct session *session, const struct run_row *run);
/* Kernels that were launched in checked processes, and those of them that were checked. False: there is no such process. */
bool report_checked_kernels(const struct session *session, unsigned long *checked, unsigned long *launched);

/* The run whose names are shown: the trace run, else the first counter run. */
const struct run_row *report_run_row(const struct session *session, const struct report_run *run);

/* The losses, one sentence per kind and reason; false past the end. */
bool report_loss(const struct session *session, size_t index, char *text, size_t size_bytes);

/* A run whose events are not all in memory has no rows in some sheets; those of the others are made. True: it
 * is such a run; *status is STATUS_OK again, and *left, which the sheet returns in the end, is STATUS_STATE.
 */
bool report_run_is_left_out(enum status *status, enum status *left);
/* The one that was traced; NULL: none was, or several were. */
const struct report_run *report_only_run(const struct report_data *data);
/* What the host did in idle time of the class: its text without "idle: ". */
const char *report_idle_text(enum partition_class part);
/* Visits each traced run, by its index, in this way. */
typedef enum status report_visit(const struct report_data *data, size_t run, void *context,
                                 struct error *error);
enum status report_visit_traced(const struct report_data *data, report_visit *visit, void *context,
                                struct error *error);

/* "copy-offset:copy offset=3 copy_offset", or with a program's name first; kernel NONE: only the run. Text from
 * outside, which the caller makes visible. */
void report_name_text(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                      bool wide, char *text, size_t size_bytes);

/* Of a kernel row, with its launch where its run has others of its name (tui/widgets/short_names.h). */
void report_kernel_shorten(const struct report_data *data, uint32_t kernel, int cells, bool wide, char *text,
                           size_t size_bytes);
/* The same for a kernel alone: its full name in at most `cells` cells; `wide`: all except its parameters. */
void report_name_shorten(const struct report_data *data, const char *full, int cells, bool wide, char *text,
                         size_t size_bytes);

#endif
