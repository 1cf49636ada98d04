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

#include "cli/output/json.h"
#include "cli/report/data/report_data.h"
#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"
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

/* The sheets in short (report_table.c): 100 columns, names shortened in the middle, unless changed by `how`, a sum of
 * these: */
#define REPORT_WIDE 1u /* everything in full */
#define REPORT_LINES \
    2u /* also the cost of lines; where nothing was measured, as the model counts bundled kernels */
#define REPORT_STACKS 4u /* also where kernels, copies and memsets are called */
/* Prints the report. `kernels`: only kernels whose names match this pattern (and nothing else), NULL:
 * everything. STATUS_USAGE: none matches. */
enum status report_table(const struct session *session, const char *kernels, FILE *out, unsigned how,
                         struct error *error);

/* `most`: rows of each group of each sheet; 0: all. */
enum status report_json(const struct session *session, const char *kernels, size_t most, FILE *out,
                        struct error *error);

/* The sheet of notices as text; nothing if there are none. */
void report_notices(const struct session *session, FILE *out);

/* One line per run, kernel and metric:
 * workload,variant,params,program,kernel,grid,block,metric,value,unit,provenance,derived,n,min,max,expected,why.
 */
enum status report_csv(const struct session *session, const char *kernels, FILE *out, struct error *error);

/* The lines that CUDA's old command-line profiler wrote. STATUS_STATE: events were evicted from memory. */
enum status report_cuda_profile(const struct session *session, FILE *out, struct error *error);

/* What several sheets are made of, and what export needs of the lines; as report.h says of threads. */

/* "instructions" of all kernels: docs/export.schema.json. */
void report_instructions_json(struct json *json, const struct session *session);

/* The advice on a kernel, most to gain first, with its source line if known. It is made once, and kept while the
 * session has few kernels. */
void report_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list);

#endif
