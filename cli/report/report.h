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

/* How a report looks on the terminal, or file, that it goes to. */
struct report_look {
    const char *file; /* the recording's name, for the commands that are proposed */
    int columns;
    bool color;
};
#define REPORT_COLUMNS 100 /* where it goes to no terminal */
#define REPORT_COLUMNS_LEAST 60

/* Kernels by their share of GPU time, copies and sets, API calls, overlap in one line, counters if taken,
 * notices. 100 columns, names shortened in the middle, but for `how`: a sum of these. */
#define REPORT_WIDE 1u /* everything in full */
#define REPORT_LINES \
    2u /* also what lines cost; where nothing was measured, as the model counts bundled kernels */
#define REPORT_STACKS 4u /* also where kernels, copies and sets are called */
/* `kernels`: a pattern of the names of the kernels that it is of (and of nothing else), NULL: all.
 * STATUS_USAGE: none matches. */
enum status report_table(const struct session *session, const char *kernels, FILE *out, unsigned how,
                         struct error *error);

enum status report_json(const struct session *session, const char *kernels, FILE *out, struct error *error);

/* The kernel object alone, as docs/report.schema.json has it under $defs/kernel. */
enum status report_json_kernel(const struct session *session, uint32_t kernel, FILE *out,
                               struct error *error);

/* A part of the table whose events are not all in memory (STATUS_STATE) is left out: a line says why. What
 * failed otherwise still has. */
enum status report_leave_out(FILE *out, const char *part, enum status status, const struct error *error);

/* STATUS_IO with a sentence when what was written is not all there. */
enum status report_flush(FILE *out, struct error *error);

/* One table by itself, of all that was traced: as text, or as CSV with times in ns and a header. `kernels` as
 * above, for the table of kernels; STATUS_USAGE with another. STATUS_STATE: events were evicted from memory.
 */
enum report_part {
    REPORT_PART_KERNELS,
    REPORT_PART_COPIES,
    REPORT_PART_CALLS,
    REPORT_PART_RANGES,
    REPORT_PART_STEPS,
    REPORT_PART_IDLE,
    REPORT_PART_STACKS,
    REPORT_PART_COUNT
};
bool report_part_find(const char *id, enum report_part *part); /* "kernels" */
enum status report_part_print(const struct session *session, const char *kernels, enum report_part part,
                              bool csv, int columns, FILE *out, struct error *error);

/* Notices and losses, a line each. */
void report_notices(const struct session *session, FILE *out);

/* One line per run, kernel and metric:
 * workload,variant,params,program,kernel,grid,block,metric,value,unit,provenance,derived,n,min,max,expected,why.
 */
enum status report_csv(const struct session *session, const char *kernels, FILE *out, struct error *error);

#endif
