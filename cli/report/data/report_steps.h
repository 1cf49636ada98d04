/*
 * The steps of a run one by one: their times, which of them are outliers, and what differs in these. Owned by
 * the caller, who frees it with report_steps_fini; one thread.
 */
#ifndef CLI_REPORT_DATA_REPORT_STEPS_H
#define CLI_REPORT_DATA_REPORT_STEPS_H

#include "cli/report/data/report_facts.h"

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

#endif
