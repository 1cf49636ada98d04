/*
 * One text for a kernel: its run's workload, variant and parameters, and its own name; kernel NONE stands
 * for the run.
 */
#include "cli/report/data/report_name.h"

#include "core/analysis/kernel_metrics.h"
#include "tui/terminal/text.h"

void report_name_print(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                       FILE *out, bool wide)
{
    const struct session *session = data->session;
    const struct run_row *row = report_run_row(session, run);
    char text[1400], name[512] = "";
    if (kernel != NONE)
        kernel_display_name(
            session_string(session, session_shape(session, session_kernel(session, kernel)->shape)->name),
            !wide, name, sizeof name);
    snprintf(text, sizeof text, "%.200s%s%.100s%s%.300s%s%s",
             session_string(session, row->workload ? row->workload : row->program), row->workload ? ":" : "",
             session_string(session, row->workload ? row->variant : 0), row->params ? " " : "",
             session_string(session, row->params), kernel == NONE ? ": the run" : " ", name);
    text_print(text, out);
}

void report_name_within(const struct session *session, uint32_t name, int cells, char *text,
                        size_t size_bytes)
{
    const char *demangled = session_string(session, name);
    char folded[1024];
    kernel_display_name(demangled, true, folded, sizeof folded);
    if (text_width(folded, cells + 1) > cells)
        kernel_own_name(demangled, folded, sizeof folded);
    text_shorten(folded, cells, text, size_bytes);
}
