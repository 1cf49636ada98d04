/* A terminal has its own width; anything else gets REPORT_COLUMNS, so that files do not depend on where they
 * were written. */
#include "cli/report/summary/report_command.h"

#include "cli/options/terminal.h"
#include "cli/output/memory.h"
#include "cli/report/summary/report_summary.h"
#include "core/recording/recording.h"

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

enum status report_command(const struct options *options, struct error *error)
{
    struct session *session;
    enum status status = memory_check(recording_load(&session, options->file, error));
    if (status != STATUS_OK)
        return status;
    if (options->table) {
        enum report_part part = REPORT_PART_KERNELS;
        int width = isatty(STDOUT_FILENO) ? terminal_columns() : REPORT_COLUMNS;
        report_part_find(options->table, &part);
        status = report_part_print(session, options->kernel_glob, part, options->format == REPORT_CSV,
                                   options->wide ? 0 : width, stdout, error);
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
