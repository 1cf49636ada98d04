/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is worked out of a traced run, once for all parts of a report: where its time went, its steps and its advice, its
 * overlap. Owned by the report's data; one thread.
 */
#ifndef CLI_REPORT_DATA_REPORT_FACTS_H
#define CLI_REPORT_DATA_REPORT_FACTS_H

#include "cli/report/data/report_data.h"
#include "core/advice/remedies.h"

struct report_facts {
    bool loops;                 /* a program, with steps */
    uint32_t run;               /* the trace run */
    struct advice_run figures;  /* the run's steps, and the part that is judged, with sums of its overlap */
    struct partition_list time; /* of the whole run, from the first operation to the last */
    struct partition_list steps_time; /* of its steps; none without steps */
    struct advice *advice;            /* problems of the run, most to gain first */
    size_t advice_count;
};

/* For a run with a trace run. STATUS_STATE: events of it were evicted from memory. */
enum status report_facts(const struct report_data *data, const struct report_run *run,
                         const struct report_facts **facts, struct error *error);
/* What ran side by side over the whole run, and what waited for what: made when it is first asked for, since no rule and
 * no line of the first screen reads it. As report_facts. */
enum status report_overlap(const struct report_data *data, const struct report_run *run,
                           const struct overlap **overlap, struct error *error);
/* Begins to work out the facts of a long run, and to open its replay, beside the rest: report_facts and report_remedies
 * wait for them. */
void report_prepare(const struct report_data *data, const struct report_run *run);
/* What is wrong with a run whose facts are valid. */
const struct verdict *report_verdict(const struct report_data *data, const struct report_run *run);
/* What would help it, and how much; the first call puts the verdict's findings in this order. */
const struct remedies *report_remedies(const struct report_data *data, const struct report_run *run);
/* Its findings as the replay ranks them: what a line on the run says. */
const struct verdict *report_ranked(const struct report_data *data, const struct report_run *run);
void report_facts_begin(struct report_data *data); /* of runs that are known */
void report_facts_free(struct report_data *data);

/* Partition of the device with the longest span: over the steps, else over the whole run, as for a bundled
 * workload, whose steps are repetitions without copies; NULL: the run did nothing on a device. */
const struct partition *report_shown_time(const struct report_facts *facts);
/* The most to gain, 0 to 1: of a program's run a share of report_shown_time, as on the first screen and in
 * the panel; else of what the rule says. */
double report_gain(const struct session *session, const struct report_facts *facts,
                   const struct advice *advice);

/*
 * The steps of a run one by one: their times, which of them are outliers, and what differs in these. Owned by
 * the caller, who frees it with report_steps_fini; one thread.
 */
struct report_step {
    int64_t start_ns, time_ns;
    bool outlier; /* farther from the median than STEP_OUTLIER deviations, and than 5 % of it */
    bool known;   /* ns is valid; if there are many steps, it is computed only for the first outliers */
    int64_t ns[PARTITION_COUNT];
    enum partition_class differs_in; /* of an outlier: the class in which it differs most from a mean step */
    int64_t differs_ns;
};
#define STEP_OUTLIER \
    3.0 /* chosen; in robust standard deviations, 1.4826 x the median distance from the median */

struct report_steps {
    struct report_step *items;
    size_t count;
    struct report_sum sum;
};

/* No rows for a run without steps. STATUS_STATE: events were evicted from memory. */
enum status report_steps_make(struct report_steps *steps, const struct session *session,
                              const struct report_facts *facts, struct error *error);
void report_steps_fini(struct report_steps *steps);
/* "6 of 60 steps, every 10th, take 12.3 ms, 5.1x the median: copies, not hidden, are 9.9 ms longer"; false: no steps that
 * are much slower than the others have STEPS_SLOW_LEAST of the time. */
#define STEPS_SLOW_LEAST 0.05 /* chosen: what the slow steps take beyond the median, of all steps' time */
#define STEPS_SLOW_TEXT 200
bool report_steps_slow(const struct report_steps *steps, char text[STEPS_SLOW_TEXT]);

#endif
