/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong in a session, over all of its runs and kernels, what could gain most first: the advice of the
 * report's first screen. Internal to cli/report; one thread.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_FINDINGS_H
#define CLI_REPORT_SUMMARY_REPORT_FINDINGS_H

#include "cli/report/report.h"
#include "cli/report/report_runs.h"
#include "core/advice/verdict.h"

/* What a rule finds, for the run or for the kernel name with most to gain. */
struct report_finding {
    struct advice advice;
    const struct report_run *run, *best; /* best: the fastest run of the same work */
    uint32_t kernel;                     /* kernel row; NONE: the finding is about the run */
    size_t others;                       /* number of further runs with the same finding */
    double gain_ns, most_ns; /* gain over all runs, and in this one; as a share of the time shown */
};

struct report_findings {
    struct report_finding *items;
    size_t count, capacity;
    double uncounted_ns; /* of one run: kernels whose counters could change the first finding; else 0 */
    double whole_ns; /* the judged time of all runs; for bundled workloads their device time without set-up */
};

/* The largest plausible gain of the run: if the fastest case of the same work was run, at most what that case
 * gained. */
double report_believed_ns(const struct report_row *row, double gain_ns);

/* Findings on the rows' runs; the rows must outlive it. */
void report_findings_make(struct report_findings *findings, const struct report_data *data,
                          const struct report_row *rows, size_t count);
void report_findings_fini(struct report_findings *findings);

/* The command to type next, for a recording of that name: `lanescope report FILE --table idle`. Fits into
 * `cells` cells if possible. */
void report_finding_next(const struct report_finding *finding, const struct report_data *data,
                         const char *file, int cells, char *text, size_t size_bytes);
/* For an edit that no finding explains: "lanescope what-if FILE --edit ID". */
void report_step_next(const char *file, const char *edit, char *text, size_t size_bytes);
/* "lanescope report FILE --table NAME", for a shell. */
void report_table_next(const char *file, const char *table, char *text, size_t size_bytes);

/*
 * The block of the first screen that says what would help a run, the best first: each edit of the replay with what
 * is gained and left, what is assumed, why, what to do, and the command to type next. One thread.
 */

#define HELP_COLUMN 10 /* in which sentences begin */

/* A sentence in at most `most` lines that begin in HELP_COLUMN, the last one cut; the first line has its first
 * columns already. Returns the lines. */
size_t report_help_words(FILE *out, int columns, const char *text, size_t most);

/* The block for a run that the replay ranks, in at most `lines` lines. *more: steps that it does not show.
 * Returns the lines. */
size_t report_help_print(const struct report_data *data, const struct report_row *row,
                         const struct report_look *look, size_t lines, size_t *more, FILE *out);

#endif
