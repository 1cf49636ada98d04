/* A terminal has its own width; anything else gets REPORT_COLUMNS, so that files do not depend on where they
 * were written. */
#include "cli/report/summary/report_command.h"

#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/report/report_sheets.h"
#include "cli/report/summary/report_summary.h"
#include "core/base/append.h"
#include "core/recording/recording.h"

#include <string.h>
#include <unistd.h>

enum status report_print(const struct session *session, const struct options *options, const char *file,
                         struct error *error)
{
    const char *kernels = options->command == COMMAND_REPORT ? options->kernel_glob : NULL;
    unsigned how = (options->wide ? REPORT_WIDE : 0) | (options->lines ? REPORT_LINES : 0) |
                   (options->stacks ? REPORT_STACKS : 0);
    int columns = isatty(STDOUT_FILENO) ? terminal_columns() : REPORT_COLUMNS;
    struct report_look look = {.file = file,
                               .columns = columns < REPORT_COLUMNS_LEAST ? REPORT_COLUMNS_LEAST : columns,
                               .color = terminal_wants_color(options)};
    return options->full || how != 0 || kernels != NULL ? report_table(session, kernels, stdout, how, error)
                                                        : report_summary(session, &look, stdout, error);
}

static void list_tables(FILE *out)
{
    for (size_t i = 0; report_sheet_at(i); i++)
        fprintf(out, "%-10s %s\n", report_sheet_at(i)->id, report_sheet_at(i)->title);
}

static enum status refuse_table(const char *name, struct error *error)
{
    char known[400] = "";
    size_t used = 0;
    for (size_t i = 0; report_sheet_at(i); i++)
        append_text(known, sizeof known, &used, "%s%s", i > 0 ? ", " : "", report_sheet_at(i)->id);
    return error_set(error, STATUS_USAGE, "There is no table \"%.60s\": there are %s.", name, known);
}

static enum status print_sheet(const struct session *session, const struct options *options,
                               struct error *error)
{
    const struct sheet *sheet = report_sheet_find(options->table);
    struct sheet_look look = {.form = options->format == REPORT_CSV    ? SHEET_FORM_CSV
                                      : options->format == REPORT_JSON ? SHEET_FORM_JSON
                                                                       : SHEET_FORM_TEXT,
                              .most = options->top,
                              .fields = options->fields};
    look.width = options->wide ? 0 : isatty(STDOUT_FILENO) ? terminal_columns() : REPORT_COLUMNS;
    if (strcmp(options->table, "list") == 0) {
        list_tables(stdout);
        return STATUS_OK;
    }
    bool foreign = options->table_format && !sheet_form_find(options->table_format, &look.form);
    if (foreign && sheet != &sheet_checks)
        return error_set(error, STATUS_USAGE, "--format %s is of --table checks alone.",
                         options->table_format);
    if (foreign)
        return report_checks_print(session, options->table_format, stdout, error);
    if (options->table_format)
        sheet_form_find(options->table_format, &look.form);
    return sheet ? report_sheet_print(session, options->kernel_glob, sheet, &look, stdout, error)
                 : refuse_table(options->table, error);
}

enum status report_command(const struct options *options, struct error *error)
{
    struct session *session;
    enum status status = memory_check(recording_load(&session, options->file, error));
    if (status != STATUS_OK)
        return status;
    if (options->table) {
        status = print_sheet(session, options, error);
        session_destroy(session);
        return status;
    }
    switch (options->format) {
    case REPORT_JSON: status = report_json(session, options->kernel_glob, stdout, error); break;
    case REPORT_CSV: status = report_csv(session, options->kernel_glob, stdout, error); break;
    case REPORT_CHROME: /* is no report's */
    case REPORT_TABLE: status = report_print(session, options, options->file, error); break;
    }
    session_destroy(session);
    return status;
}
