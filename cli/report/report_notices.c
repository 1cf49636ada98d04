/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices in the order in which they arrived. Where not all events of a part of the report are in memory, a
 * notice stands in place of that part, and the other parts are printed.
 */
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"

#include "tui/terminal/text.h"

void report_notices(const struct session *session, FILE *out)
{
    static const char *const severities[] = {
        [SEVERITY_INFO] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    char text[200];
    if (session_notice_count(session) > 0 || report_loss(session, 0, text, sizeof text))
        putc('\n', out);
    for (uint32_t i = 0; i < session_notice_count(session); i++) {
        const struct notice_row *notice = session_notice(session, i);
        fprintf(out,
                "%s: ", severities[notice->severity <= SEVERITY_ERROR ? notice->severity : SEVERITY_ERROR]);
        text_print(session_string(session, notice->text), out);
        putc('\n', out);
    }
    for (size_t i = 0; report_loss(session, i, text, sizeof text); i++)
        fprintf(out, "warning: %s\n", text);
}

enum status report_flush(FILE *out, struct error *error)
{
    if (fflush(out) != 0 || ferror(out)) {
        return error_set(error, STATUS_IO,
                         "The report could not be written: is the disk full, or has its reader exited?");
    }
    return STATUS_OK;
}

enum status report_leave_out(FILE *out, const char *part, enum status status, const struct error *error)
{
    if (status != STATUS_STATE)
        return status;
    fprintf(out, "\n%s: left out. ", part);
    text_print(error->text, out);
    putc('\n', out);
    return STATUS_OK;
}
