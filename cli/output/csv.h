/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fields of CSV (RFC 4180): texts in quotes, control bytes made visible. The caller writes commas and line
 * ends. Errors stay in the stream.
 */
#ifndef CLI_OUTPUT_CSV_H
#define CLI_OUTPUT_CSV_H

#include <stdio.h>

void csv_text(FILE *out, const char *text);

#endif
