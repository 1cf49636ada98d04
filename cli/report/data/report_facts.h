/*
 * What is worked out of a traced run, once for all parts of a report: its overlap, where its time went, its
 * steps and its advice. Owned by the report's data; one thread.
 */
#ifndef CLI_REPORT_DATA_REPORT_FACTS_H
#define CLI_REPORT_DATA_REPORT_FACTS_H

#include "cli/report/data/report_data.h"

#include "core/advice/verdict.h"

struct report_facts {
    bool loops;                       /* a program, with steps */
    uint32_t run;                     /* the trace run */
    struct overlap overlap;           /* of the whole run */
    struct advice_run figures;        /* the run's steps, and the part that is judged */
    struct partition_list time;       /* of the whole run, from the first operation to the last */
    struct partition_list steps_time; /* of its steps; none without steps */
    struct advice *advice;            /* problems of the run, most to gain first */
    size_t advice_count;
};

/* For a run with a trace run. STATUS_STATE: events of it were evicted from memory. */
enum status report_facts(const struct report_data *data, const struct report_run *run,
                         const struct report_facts **facts, struct error *error);
/* What is wrong with a run whose facts are valid. */
const struct verdict *report_verdict(const struct report_data *data, const struct report_run *run);
void report_facts_begin(struct report_data *data); /* of runs that are known */
void report_facts_free(struct report_data *data);

/* Partition of the device with the longest span: over the steps, else over the whole run, as for a bundled
 * workload, whose steps are repetitions without copies; NULL: the run did nothing on a device. */
const struct partition *report_shown_time(const struct report_facts *facts);
/* The most to gain, 0 to 1: of a program's run a share of report_shown_time, as on the first screen and in
 * the panel; else of what the rule says. */
double report_gain(const struct session *session, const struct report_facts *facts,
                   const struct advice *advice);

#endif
