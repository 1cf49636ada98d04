/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal has its own width; anything else gets REPORT_COLUMNS, so that files do not depend on where they
 * were written. */
#include "cli/report/summary/report_summary.h"

#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "cli/report/report_sheets.h"
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
    int lines = terminal_lines() - 2; /* the command above it, the prompt below */
    struct report_look look = {.file = file,
                               .columns = columns < REPORT_COLUMNS_LEAST ? REPORT_COLUMNS_LEAST : columns,
                               .lines = lines < REPORT_LINES_LEAST ? lines < 1 ? 0 : REPORT_LINES_LEAST
                                                                   : (size_t)lines,
                               .color = terminal_wants_color(options)};
    return options->full || how != 0 || kernels ? report_table(session, kernels, stdout, how, error)
                                                : report_summary(session, &look, stdout, error);
}

static enum status print_sheet(const struct session *session, const struct options *options,
                               struct error *error)
{
    const struct sheet *sheet;
    struct sheet_look look;
    enum sheet_form form;
    bool foreign = options->table_format && !sheet_form_find(options->table_format, &form);
    if (foreign && strcmp(options->table, sheet_checks.id) == 0)
        return report_checks_print(session, options->table_format, stdout, error);
    enum status status = sheet_option_choose(report_sheet_at, options, stdout, &sheet, &look, error);
    return status == STATUS_OK && sheet
               ? report_sheet_print(session, options->kernel_glob, sheet, &look, stdout, error)
               : status;
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
    if (options->cuda_profile) {
        status = report_cuda_profile(session, stdout, error);
        session_destroy(session);
        return status;
    }
    switch (options->format) {
    case REPORT_JSON:
        status = options->summary ? report_brief(session, options->file, stdout, error)
                                  : report_json(session, options->kernel_glob, options->top, stdout, error);
        break;
    case REPORT_CSV: status = report_csv(session, options->kernel_glob, stdout, error); break;
    case REPORT_PERFETTO:
    case REPORT_PPROF:
    case REPORT_LSR:
    case REPORT_CHROME: /* is no report's */
    case REPORT_TABLE: status = report_print(session, options, options->file, error); break;
    }
    session_destroy(session);
    return status;
}

enum status report_tables(const struct options *options, struct error *error)
{
    struct session *session;
    struct report_data data;
    enum status status = memory_check(recording_load(&session, options->file, error));
    if (status != STATUS_OK)
        return status;
    if (options->anonymous)
        session_make_anonymous(session);
    status = report_data_of(&data, session, NULL, error);
    if (status == STATUS_OK) {
        status = sheet_folder_print(report_sheet_at, &data, options->tables, error);
        report_data_fini(&data);
    }
    session_destroy(session);
    return status;
}
