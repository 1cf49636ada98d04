/*
 * The sheets of a report. `from` of each is a struct report_data; only what was traced is summed. The
 * caller of a table picks it here by its id; core/sheet/sheet.h says what a sheet is. Only reads the session;
 * one thread.
 */
#ifndef CLI_REPORT_REPORT_SHEETS_H
#define CLI_REPORT_REPORT_SHEETS_H

#include "cli/output/sheet_print.h"
#include "core/session/session.h"

extern const struct sheet sheet_kernels, sheet_copies, sheet_calls, sheet_ranges, sheet_steps, sheet_idle,
    sheet_stacks; /* report_sheets.c */
extern const struct sheet sheet_runs, sheet_time, sheet_overlap, sheet_amdahl, sheet_findings, sheet_metrics,
    sheet_notices, sheet_devices; /* report_sheets_runs.c */

const struct sheet *report_sheet_at(size_t index); /* NULL: past the end */
const struct sheet *report_sheet_find(const char *id);

/* One table alone. STATUS_STATE: events were evicted from memory; STATUS_USAGE: --kernel with a table that
 * has no kernels, or a field that it does not have. */
enum status report_sheet_print(const struct session *session, const char *kernels, const struct sheet *sheet,
                               struct sheet_look *look, FILE *out, struct error *error);

#endif
