/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first screen of a report: what ran, where the time went, what to do first, and the kernels that matter,
 * in at most SUMMARY_LINES lines. Only reads the session; as report.h says of threads and text from outside.
 */
#ifndef CLI_REPORT_SUMMARY_REPORT_SUMMARY_H
#define CLI_REPORT_SUMMARY_REPORT_SUMMARY_H

#include "cli/report/report.h"

#define SUMMARY_LINES 25

/* STATUS_IO when writing failed. */
enum status report_summary(const struct session *session, const struct report_look *look, FILE *out,
                           struct error *error);

#endif
