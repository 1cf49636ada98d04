/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal has its own width; anything else gets COLUMNS, so that files do not depend on where they were written.
 */
#include "cli/output/sheet_option.h"

#include "cli/options/terminal.h"
#include "core/base/append.h"

#include <string.h>
#include <unistd.h>

#define COLUMNS 100

static enum status refuse_table(sheet_list *list, const char *name, struct error *error)
{
    char known[500] = "";
    size_t used = 0;
    for (size_t i = 0; list(i); i++)
        append_text(known, sizeof known, &used, "%s%s", i > 0 ? ", " : "", list(i)->id);
    return error_set(error, STATUS_USAGE, "There is no table \"%.60s\": there are %s.", name, known);
}

enum status sheet_option_choose(sheet_list *list, const struct options *options, FILE *out,
                                const struct sheet **sheet, struct sheet_look *look, struct error *error)
{
    *sheet = NULL;
    *look = (struct sheet_look){.form = options->format == REPORT_CSV    ? SHEET_FORM_CSV
                                        : options->format == REPORT_JSON ? SHEET_FORM_JSON
                                                                         : SHEET_FORM_TEXT,
                                .width = options->wide           ? 0
                                         : isatty(STDOUT_FILENO) ? terminal_columns()
                                                                 : COLUMNS,
                                .most = options->top,
                                .fields = options->fields};
    if (strcmp(options->table, "list") == 0) {
        for (size_t i = 0; list(i); i++)
            fprintf(out, "%-10s %s\n", list(i)->id, list(i)->title);
        return STATUS_OK;
    }
    for (size_t i = 0; list(i) && !*sheet; i++)
        *sheet = strcmp(list(i)->id, options->table) == 0 ? list(i) : NULL;
    if (!*sheet)
        return refuse_table(list, options->table, error);
    if (options->table_format && !sheet_form_find(options->table_format, &look->form))
        return error_set(error, STATUS_USAGE, "--format %s is of report's --table checks alone.",
                         options->table_format);
    return STATUS_OK;
}

enum status sheet_option_print(sheet_list *list, const void *from, const struct options *options, FILE *out,
                               struct error *error)
{
    const struct sheet *sheet;
    struct sheet_look look;
    enum status status = sheet_option_choose(list, options, out, &sheet, &look, error);
    if (status == STATUS_OK && sheet)
        status = sheet_print(sheet, from, &look, out, error);
    if (status == STATUS_OK && (fflush(out) != 0 || ferror(out)))
        return error_set(error, STATUS_IO,
                         "The table could not be written: is the disk full, or has its reader exited?");
    return status;
}
