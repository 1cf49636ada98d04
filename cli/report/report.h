/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports of a session: the table at the end of --record and of `lanescope report`, JSON with a schema
 * (docs/report.schema.json), and CSV. Only reads the session; any thread; the session should no longer
 * change.
 *
 * Text from outside is made visible (table), escaped (JSON, CSV); a value that is not available is never
 * printed as a number. STATUS_IO when writing failed. Without memory the program ends: cli/output/memory.h.
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "core/base/error.h"
#include "core/session/session.h"

#include <stdbool.h>
#include <stdio.h>

/* How a report looks, for its terminal or file. */
struct report_look {
    const char *file; /* the recording's name, for the commands that are suggested */
    int columns;
    size_t lines; /* of a first screen, at most; 0, or more than it takes by itself: as many as that */
    bool color;
};
#define REPORT_COLUMNS 100 /* where it goes to no terminal */
#define REPORT_COLUMNS_LEAST 60
#define REPORT_LINES_LEAST 22 /* of a terminal of 24 lines, without the command and the prompt */

/* Kernels by their share of GPU time, copies and memsets, API calls, overlap in one line, counters if
 * measured, notices. 100 columns, names shortened in the middle, unless changed by `how`, a sum of these: */
#define REPORT_WIDE 1u /* everything in full */
#define REPORT_LINES \
    2u /* also the cost of lines; where nothing was measured, as the model counts bundled kernels */
#define REPORT_STACKS 4u /* also where kernels, copies and memsets are called */
/* Prints the report. `kernels`: only kernels whose names match this pattern (and nothing else), NULL:
 * everything. STATUS_USAGE: none matches. */
enum status report_table(const struct session *session, const char *kernels, FILE *out, unsigned how,
                         struct error *error);

enum status report_json(const struct session *session, const char *kernels, FILE *out, struct error *error);

/* If not all events of a part are in memory (STATUS_STATE), leaves the part out with a line that says why.
 * For other failures *error is set as usual. */
enum status report_leave_out(FILE *out, const char *part, enum status status, const struct error *error);

/* STATUS_IO with a sentence if not everything could be written. */
enum status report_flush(FILE *out, struct error *error);

/* Notices and losses, a line each. */
void report_notices(const struct session *session, FILE *out);

/* One line per run, kernel and metric:
 * workload,variant,params,program,kernel,grid,block,metric,value,unit,provenance,derived,n,min,max,expected,why.
 */
enum status report_csv(const struct session *session, const char *kernels, FILE *out, struct error *error);

#endif
