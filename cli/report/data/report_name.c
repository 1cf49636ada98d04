/*
 * One text for a kernel: its run's workload, variant and parameters, and its own name; kernel NONE stands
 * for the run.
 */
#include "cli/report/data/report_name.h"
#include "cli/report/data/report_choice.h"

#include "cli/output/memory.h"

#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"
#include "tui/widgets/short_names.h"

void report_name_shorten(const struct report_data *data, const char *full, int cells, bool wide, char *text,
                         size_t size_bytes)
{
    if (wide)
        name_print_plain(full, text, size_bytes);
    else
        report_short_name(data->names, full, cells, text, size_bytes);
}

void report_kernel_shorten(const struct report_data *data, uint32_t kernel, int cells, bool wide, char *text,
                           size_t size_bytes)
{
    if (wide)
        name_print_plain(kernel_full_name(data->session, kernel), text, size_bytes);
    else if (!short_names_print_kernel(data->names, data->session, kernel, cells, text, size_bytes))
        memory_end();
}

void report_name_text(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                      bool wide, char *text, size_t size_bytes)
{
    const struct session *session = data->session;
    const struct run_row *row = report_run_row(session, run);
    char name[512] = "";
    if (kernel != NONE)
        report_kernel_shorten(data, kernel, SHORT_NAME_WHOLE, wide, name, sizeof name);
    snprintf(text, size_bytes, "%.200s%s%.100s%s%.300s%s%s",
             session_string(session, row->workload ? row->workload : row->program), row->workload ? ":" : "",
             session_string(session, row->workload ? row->variant : 0), row->params ? " " : "",
             session_string(session, row->params), kernel == NONE ? ": the run" : " ", name);
}

void report_name_print(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                       FILE *out, bool wide)
{
    char text[1400];
    report_name_text(data, run, kernel, wide, text, sizeof text);
    text_print(text, out);
}
