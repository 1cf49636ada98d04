/* One line, from core/analysis/overlap/overlap.h, over all runs of a clock. */
#include "cli/report/report_overlap.h"

#include "cli/report/data/report_facts.h"
#include "cli/report/report.h"
#include "core/analysis/run_times.h"
#include "tui/widgets/number.h"

enum status report_overlap_table(const struct report_data *data, enum clock_kind clock, FILE *out,
                                 struct error *error)
{
    struct overlap all = {0};
    double weighted_streams = 0;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct report_facts *facts;
        uint32_t traced = data->runs[i].runs[RUN_TRACE];
        if (traced == NONE || session_run(data->session, traced)->clock != clock)
            continue;
        enum status status = report_facts(data, &data->runs[i], &facts, error);
        if (status != STATUS_OK)
            return report_leave_out(out, "overlap", status, error);
        const struct overlap *one = &facts->overlap;
        all.span_ns = session_add_ns(all.span_ns, one->span_ns);
        all.copy_busy_ns = session_add_ns(all.copy_busy_ns, one->copy_busy_ns);
        all.copy_hidden_ns = session_add_ns(all.copy_hidden_ns, one->copy_hidden_ns);
        all.any_busy_ns = session_add_ns(all.any_busy_ns, one->any_busy_ns);
        weighted_streams += one->mean_active_streams * (double)one->any_busy_ns;
    }
    if (all.any_busy_ns <= 0)
        return STATUS_OK;
    fprintf(out, "\noverlap%s: %s %s, %s %s;", clock == CLOCK_MODEL ? ", modelled" : "",
            run_time_name(RUN_TIME_DEVICE), number_time(all.any_busy_ns).text, run_time_name(RUN_TIME_SPAN),
            number_time(all.span_ns).text);
    if (all.copy_busy_ns > 0) {
        fprintf(out, " %.0f %% of %s of copies hidden;",
                100.0 * (double)all.copy_hidden_ns / (double)all.copy_busy_ns,
                number_time(all.copy_busy_ns).text);
    }
    fprintf(out, " %.2f streams\n", weighted_streams / (double)all.any_busy_ns);
    return STATUS_OK;
}
