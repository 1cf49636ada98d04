/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheets of a report. `from` of each is a struct report_data; only what was traced is summed. The
 * caller of a table picks it here by its id; core/sheet/sheet.h says what a sheet is. Only reads the session;
 * one thread.
 */
#ifndef CLI_REPORT_REPORT_SHEETS_H
#define CLI_REPORT_REPORT_SHEETS_H

#include "cli/output/sheet_print.h"
#include "core/metric/metric.h"
#include "core/session/session.h"

/* Every sheet, in the order of the document: sheet_NAME, beside its analysis. */
/* clang-format off */
#define REPORT_SHEET_LIST(X)                                                                             \
    X(devices) X(runs)                                                        /* report_sheets_runs.c */ \
    X(kernels)                                                                     /* report_sheets.c */ \
    X(shapes) X(metrics) X(counters)                                              /* report_metrics.c */ \
    X(levels)                                                                      /* report_levels.c */ \
    X(roofline)                                                                  /* report_roofline.c */ \
    X(copies) X(calls) X(ranges) X(run_copies) X(run_calls) X(run_ranges)          /* report_sheets.c */ \
    X(time) X(idle) X(run_idle) X(run_steps) X(steps) X(overlap) X(serialised)                           \
    X(amdahl)                                                                      /* report_amdahl.c */ \
    X(remedies)                                                                  /* report_remedies.c */ \
    X(advice) X(evidence) X(rules)                                                 /* report_advice.c */ \
    X(lines) X(stalls)                                                              /* report_lines.c */ \
    X(samples)                                                                    /* report_samples.c */ \
    X(stacks) X(launched_from) X(paths) X(frames)                                  /* report_stacks.c */ \
    X(notices)                                                                /* report_sheets_runs.c */ \
    X(checks)                                                                      /* report_checks.c */
/* clang-format on */
#define REPORT_SHEET_EXTERN(name) extern const struct sheet sheet_##name;
REPORT_SHEET_LIST(REPORT_SHEET_EXTERN)
#undef REPORT_SHEET_EXTERN

/* A value as a cell; its text lies in `text`, of 40 bytes. */
struct sheet_cell report_metric_cell(enum metric metric, const struct value *value, char *text);

const struct sheet *report_sheet_at(size_t index);  /* NULL: past the end */
extern const struct sheet_document report_document; /* report --json: docs/report.schema.json */
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
