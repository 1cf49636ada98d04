/*
 * The sheets of a report. `from` of each is a struct report_data; only what was traced is summed. The
 * caller of a table picks it here by its id; core/sheet/sheet.h says what a sheet is. Only reads the session;
 * one thread.
 */
#ifndef CLI_REPORT_REPORT_SHEETS_H
#define CLI_REPORT_REPORT_SHEETS_H

#include "cli/output/sheet_print.h"
#include "core/session/session.h"

extern const struct sheet sheet_kernels, sheet_copies, sheet_calls, sheet_run_copies, sheet_run_calls,
    sheet_ranges, sheet_run_ranges, sheet_steps, sheet_run_steps, sheet_idle,
    sheet_stacks; /* report_sheets.c */
extern const struct sheet sheet_devices, sheet_runs, sheet_shapes, sheet_metrics, sheet_time, sheet_run_idle,
    sheet_overlap, sheet_serialised, sheet_notices;                       /* report_sheets_runs.c */
extern const struct sheet sheet_amdahl;                                   /* report_amdahl.c */
extern const struct sheet sheet_advice, sheet_evidence;                   /* report_advice.c */
extern const struct sheet sheet_lines, sheet_stalls;                      /* report_lines.c */
extern const struct sheet sheet_samples;                                  /* report_samples.c */
extern const struct sheet sheet_launched_from, sheet_paths, sheet_frames; /* report_stacks.c */
extern const struct sheet sheet_checks;                                   /* report_checks.c */

const struct sheet *report_sheet_at(size_t index); /* NULL: past the end */
const struct sheet *report_sheet_find(const char *id);

/* The sheet of checks for other programs: "sarif", "github" (commands of its workflows), "known" (a file for
 * --suppress). */
enum status report_checks_print(const struct session *session, const char *form, FILE *out,
                                struct error *error);

/* One table alone. STATUS_STATE: events were evicted from memory; STATUS_USAGE: --kernel with a table that
 * has no kernels, or a field that it does not have. */
enum status report_sheet_print(const struct session *session, const char *kernels, const struct sheet *sheet,
                               struct sheet_look *look, FILE *out, struct error *error);

#endif
