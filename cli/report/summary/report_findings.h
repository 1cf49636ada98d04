/*
 * What is wrong in a session, over all of its runs and kernels, what could gain most first: the advice of the
 * report's first screen. Internal to cli/report; one thread.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_FINDINGS_H
#define CLI_REPORT_SUMMARY_REPORT_FINDINGS_H

#include "cli/report/report_runs.h"

#include "core/advice/verdict.h"

/* What a rule says, of the run or of the kernel name where most is to gain by it. */
struct report_finding {
    struct advice advice;
    const struct report_run *run, *best; /* best: the fastest run of the same work */
    uint32_t kernel;                     /* kernel row; NONE: it is said of the run */
    size_t others;                       /* further runs of which the rule says it */
    double gain_ns, most_ns;             /* over all of them, and of this one; of the time that is shown */
};

struct report_findings {
    struct report_finding *items;
    size_t count, capacity;
    double uncounted_ns; /* of one run: of kernels whose counters could change what is said first; else 0 */
    double whole_ns; /* the time judged, of all runs; of bundled workloads their device time without set-up */
};

/* What could be gained of the run, as far as it can be believed: where the fastest case of the same work was
 * run, no more than that gained. */
double report_believed_ns(const struct report_row *row, double gain_ns);

/* Of the rows' runs, which must outlive it. */
void report_findings_make(struct report_findings *findings, const struct report_data *data,
                          const struct report_row *rows, size_t count);
void report_findings_fini(struct report_findings *findings);

/* The command to type next, for a recording of that name: `lanescope report FILE --table idle`. One that
 * fits `cells` cells where there is one. */
void report_finding_next(const struct report_finding *finding, const struct report_data *data,
                         const char *file, int cells, char *text, size_t size_bytes);

#endif
