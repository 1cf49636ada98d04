/*
 * The data of the reports, collected from a session: runs joined with their counter runs, sums over copies,
 * sets and API calls. Plain data; the caller frees with report_data_fini. Only trace runs count for times: a
 * counter run serialises and replays. A run on the device model is one run, with times and counts; its times
 * are never added to a GPU's.
 */
#ifndef CLI_REPORT_DATA_REPORT_DATA_H
#define CLI_REPORT_DATA_REPORT_DATA_H

#include "core/analysis/kernel_index.h"
#include "core/analysis/overlap.h"
#include "core/base/error.h"
#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of work: its runs by mode, NONE where there is none. On the model: its run is the trace run. */
struct report_run {
    uint32_t runs[RUN_MODE_COUNT];
};

struct report_sum {
    uint64_t count, bytes;
    int64_t total_ns, min_ns, max_ns;
    /* Where it was asked for, else 0: the median (of two middle ones the shorter), the standard deviation. */
    double median_ns, deviation_ns;
    double *all; /* durations, while they are collected */
    size_t room;
};

/* `spread`: also for the median and the deviation, which report_sum_spread works out at the end. */
void report_sum_add(struct report_sum *sum, int64_t duration_ns, uint64_t bytes, bool spread);
void report_sum_spread(struct report_sum *sum);

/* What was copied or set: its kind, and the kind of host memory at the host's end. */
#define REPORT_COPY_SET UINT8_MAX
enum report_host {
    REPORT_HOST_NONE,
    REPORT_HOST_PAGEABLE,
    REPORT_HOST_PINNED,
    REPORT_HOST_STAGED /* item_copy_is_staged: times of a piece, bytes of the whole */
};
struct report_copy {
    uint8_t kind; /* enum copy_kind, or REPORT_COPY_SET */
    enum report_host host;
    struct report_sum sum;
};
const char *report_copy_id(uint8_t kind);   /* "htod", "set" */
const char *report_copy_text(uint8_t kind); /* "host to device" */
const char *report_host_text(enum report_host host);

/* By a string of the session: a kernel's name, an API call's. */
struct report_named {
    uint32_t name;
    struct report_sum sum;
};

struct report_times {                     /* of all runs on one clock */
    struct report_named *kernels, *calls; /* most time first */
    size_t kernel_count, call_count;
    struct report_copy *copies; /* most time first */
    size_t copy_count;
    int64_t gpu_ns, call_ns; /* sums of durations: kernels, copies and sets; calls */
};

struct report_data {
    const struct session *session;
    struct kernel_index *index;
    struct short_names *names;
    struct report_run *runs;
    size_t run_count;
    struct report_known *known; /* of each run: report_facts.h */
    struct report_times times[CLOCK_COUNT];
    bool evicted;        /* some events, from memory: copies, sets and calls are those that are left */
    const char *kernels; /* pattern of the names that are reported; NULL: all */
    char pattern[600];   /* of a name that was cut, for `kernels` */
    bool ask_model;      /* for the lines of advice, where nothing was measured: a tenth of a second each */
};

/* Over all trace runs. */
void report_data_init(struct report_data *data, const struct session *session);
void report_data_fini(struct report_data *data);
/* The same, of the kernels whose names match; STATUS_USAGE: none does. */
enum status report_data_of(struct report_data *data, const struct session *session, const char *kernels,
                           struct error *error);

/* Is an exact count of the kernel, measured or modelled, what the weaker provenance says? values: the count,
 * and what it was to be. NONE: not both are known, or the counters only bound it, and it is within. */
enum report_count { REPORT_COUNT_NONE, REPORT_COUNT_SAME, REPORT_COUNT_DIFFERENT };
enum report_count report_count_agrees(const struct report_data *data, uint32_t kernel, enum metric metric,
                                      enum provenance weaker, struct value values[2]);

/* The sums of a whole session, kernels too; false: some events were evicted from memory. */
bool report_times_make(const struct session *session, struct report_times times[CLOCK_COUNT]);
/* Makes `kernels` and `gpu_ns` those of a part of a run's time. */
void report_times_narrow(struct report_times *times, const struct session *session, uint32_t run,
                         int64_t start_ns, int64_t end_ns);
/* The copies, sets and calls of one run (NONE: of all traced ones) by clock, with medians and deviations; no
 * kernels. The caller frees each with report_times_fini. STATUS_STATE: some were evicted from memory. */
enum status report_operations(const struct session *session, uint32_t run,
                              struct report_times times[CLOCK_COUNT], struct error *error);
void report_times_fini(struct report_times *times);
/* All launches of a kernel's name on a clock, which may be of several runs and shapes; false: not all are
 * there to look at. */
bool report_launches(const struct report_data *data, uint32_t name, enum clock_kind clock,
                     struct report_sum *sum);
/* Their median; -1: as above. */
int64_t report_median_ns(const struct report_data *data, uint32_t name, enum clock_kind clock);

/* Whether a kernel row belongs to the run: rows of its trace run, and those of its counter runs that no
 * earlier run has. */
bool report_run_has(const struct report_data *data, const struct report_run *run, uint32_t kernel);

/* The metric as it is to be shown: of a kernel on a GPU measured, of one on the model modelled, else
 * expected; when there is none, the reason why it was not measured or modelled. */
struct kernel_statistic report_statistic(const struct report_data *data, uint32_t kernel, enum metric metric);

/* 1, 0, -1 (not known, not ours): 0 where any of its runs failed its check. */
int report_verified(const struct session *session, const struct report_run *run);

/* Why it is not verified, in the words of the run that failed; "" when nothing was said. */
const char *report_detail(const struct session *session, const struct report_run *run);

/* The 16 digits of RUN_DIGEST_TEXT, of the run that launched each kernel once (counters, memory, the model)
 * if there is one; NULL: none. */
const char *report_digest(const struct session *session, const struct report_run *run);

/* The run to name things by: the trace run, else the first counter run. */
const struct run_row *report_run_row(const struct session *session, const struct report_run *run);

/* What was lost, one sentence per kind and reason; false past the end. */
bool report_loss(const struct session *session, size_t index, char *text, size_t size_bytes);

#endif
