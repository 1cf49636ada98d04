/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would help a run, and how much (core/advice/remedies.h), as the lines of the report's first screen, and as
 * a sheet. Times are of one step where the run has steps, else of the loop. One
 * thread.
 */
#ifndef CLI_REPORT_REPORT_REMEDIES_H
#define CLI_REPORT_REPORT_REMEDIES_H

#include "cli/report/data/report_facts.h"

#define REMEDY_TEXT 700

/* The share of the loop's measured time that a step gains. */
double report_remedy_gain(const struct remedies *remedies, size_t step);
/* "what would help, by replaying 39 steps of 101 us (error 0.1 %)" */
void report_remedies_head(const struct remedies *remedies, char text[REMEDY_TEXT]);
/* "Calls that launch, copy or set take a tenth of their time: 101 us become 24.3 us a step" */
void report_remedy_text(const struct remedies *remedies, size_t step, char text[REMEDY_TEXT]);
/* "if a graph, or fewer and larger operations, can issue the same work" */
void report_remedy_if(const struct remedies *remedies, size_t step, char text[REMEDY_TEXT]);
/* What to do: as the finding that explains it says, else as the edit does. */
const char *report_remedy_now(const struct remedies *remedies, const struct verdict *verdict, size_t step);
/* "24.3 us a step are left, 4.2x as fast: .." after all steps that the trace supports. */
void report_remedies_left(const struct remedies *remedies, char text[REMEDY_TEXT]);

#endif
