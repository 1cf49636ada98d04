/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of a report: all, or those whose short, plain or full name matches the pattern of --kernel.
 */
#ifndef CLI_REPORT_DATA_REPORT_CHOICE_H
#define CLI_REPORT_DATA_REPORT_CHOICE_H

#include "core/base/error.h"
#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <stdbool.h>

/* `pattern` NULL: all. */
bool report_wants_name(struct short_names *names, const struct session *session, uint32_t name,
                       const char *pattern);
bool report_wants(struct short_names *names, const struct session *session, const struct kernel_row *kernel,
                  const char *pattern);

/* STATUS_USAGE, with the existing names, if none matches. */
enum status report_choice_check(struct short_names *names, const struct session *session, const char *pattern,
                                struct error *error);

/* The short names of the kernels of one session, or of two (NULL: one). The caller frees with
 * short_names_destroy. */
struct short_names *report_names_of(const struct session *session, const struct session *other);

/* short_names_print; ends the program if memory runs out. */
void report_short_name(struct short_names *names, const char *full, int cells, char *text, size_t size_bytes);

#endif
