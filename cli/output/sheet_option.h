/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --table, --format, --top, --fields, --csv and --json of a command that has sheets: which one is printed, and how.
 */
#ifndef CLI_OUTPUT_SHEET_OPTION_H
#define CLI_OUTPUT_SHEET_OPTION_H

#include "cli/options/options.h"
#include "cli/output/sheet_print.h"

/* The sheet that the options name, and how it is to be printed; `list` as a name prints the sheets to `out`, and
 * *sheet is NULL. STATUS_USAGE: there is none of this name, or the form is not one of sheets; `list` is all that
 * there are. */
enum status sheet_option_choose(sheet_list *list, const struct options *options, FILE *out,
                                const struct sheet **sheet, struct sheet_look *look, struct error *error);
/* The same, and prints it, made from `from`. */
enum status sheet_option_print(sheet_list *list, const void *from, const struct options *options, FILE *out,
                               struct error *error);

#endif
