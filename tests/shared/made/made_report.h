/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of a session as text, for tests that look at them.
 */
#ifndef TESTS_SHARED_MADE_MADE_REPORT_H
#define TESTS_SHARED_MADE_MADE_REPORT_H

#include "core/session/session.h"

enum report_form { TABLE, TABLE_WIDE, JSON, CSV };

/* Fails the test when the report fails; the caller frees the text. */
char *made_report(const struct session *session, enum report_form form);

/* Is it JSON, and as docs/report.schema.json says? 0 if so. What is wrong is printed. */
int report_validate(const char *json);

#endif
