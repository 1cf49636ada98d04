/*
 * The names of kernels and runs in the report's tables.
 */
#ifndef CLI_REPORT_DATA_REPORT_NAME_H
#define CLI_REPORT_DATA_REPORT_NAME_H

#include "cli/report/data/report_data.h"

#include <stdio.h>

/* "copy-offset:copy offset=3 copy_offset", or with a program's name first; kernel NONE: only the run. Without
 * line breaks; control characters are made visible. */
void report_name_print(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                       FILE *out, bool wide);
/* The same as text from outside, which the caller makes visible. */
void report_name_text(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                      bool wide, char *text, size_t size_bytes);

/* Of a kernel row, with its launch where its run has others of its name (tui/widgets/kernel_shapes.h). */
void report_kernel_shorten(const struct report_data *data, uint32_t kernel, int cells, bool wide, char *text,
                           size_t size_bytes);
/* The same for a kernel alone: its full name in at most `cells` cells; `wide`: all except its parameters. */
void report_name_shorten(const struct report_data *data, const char *full, int cells, bool wide, char *text,
                         size_t size_bytes);

#endif
