/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in the source a report is, and where a barrier is missing: the lines before which one would order the two
 * accesses of a race. Reports whose accesses one barrier orders are one report. Lines are numbers made of the file
 * and the line (without lines, of the instruction). Pure functions of the program; any thread.
 */
#ifndef SIMT_CHECK_PLACE_H
#define SIMT_CHECK_PLACE_H

#include "simt/check/check.h"

/* The source line; of code that was inlined from a header of the toolkit (atomicAdd), the line that calls it, or the
 * kernel's where that is the toolkit's, too. */
struct ptx_location place_of(const struct program *program, uint32_t instruction);
/* The same of a report: of a function of the toolkit that was not inlined (nvcc -G), its caller's line. */
struct ptx_location place_of_report(const struct program *program, const struct check_report *report);
/* The line at which the program's own function that the report is in was called or inlined; line 0: it is in the
 * kernel itself. */
struct ptx_location place_of_call(const struct program *program, const struct check_report *report);

/* Equal for reports of the same kind at the same two lines of a kernel, in functions called at the same line.
 * program NULL: of a race between two copies. */
uint64_t place_key(const struct program *program, const struct check_report *report);

/* False: the report names no two accesses, or nothing on the way from one to the other is missing. */
bool place_gap_find(const struct program *program, const struct check_report *report, struct check_gap *gap);
/* Whether one barrier fills both; then *to keeps the lines that they share. */
bool place_gap_join(struct check_gap *to, const struct check_gap *from);
/* Whether both are steps of a warp behind the same barrier. */
bool place_gap_follows(const struct check_gap *gap, const struct check_gap *other);

#endif
