/*
 * Advice goes first. Without it the row of the name that takes most time is looked at: as long as a launch
 * call takes longer than the kernel, that is what matters; else what its advice list says.
 */
#include "cli/report/summary/report_kernel_reason.h"

#include "tui/widgets/number.h"

struct launched {                /* of all kernels of a name, on a clock */
    int64_t longest_ns, call_ns; /* of the row with the most time: its total, and its median launch call */
};

/* Does one call of the run launch many kernels? Its time is then no single kernel's. */
static bool in_graphs(const struct report_main_kernels *of, uint32_t run)
{
    for (size_t i = 0; i < of->row_count; i++) {
        const struct advice_run *figures = &of->rows[i].facts->figures;
        if (of->rows[i].run == run)
            return 2 * figures->launch_calls < figures->launches;
    }
    return true;
}

static struct launched launches_of(const struct report_main_kernels *of, uint32_t name)
{
    const struct session *session = of->data->session;
    struct launched launched = {.longest_ns = -1};
    for (uint32_t kernel = 0; kernel < kernel_index_count(of->data->index); kernel++) {
        const struct kernel_row *row = session_kernel(session, kernel);
        const struct shape_row *shape = session_shape(session, row->shape);
        const struct run_row *run = session_run(session, row->run);
        struct kernel_times times = kernel_index_times(of->data->index, kernel);
        if (!shape || !run || shape->name != name || run->clock != of->clock || !run_is_traced(run) ||
            times.total_ns <= launched.longest_ns)
            continue;
        launched = (struct launched){
            .longest_ns = times.total_ns,
            .call_ns = times.calls > 0 && !in_graphs(of, row->run) ? times.call_median_ns : -1};
    }
    return launched;
}

void report_kernel_reason(const struct report_main_kernels *of, uint32_t name, char *text, size_t size_bytes)
{
    const struct report_reason *reason = report_reason_find(of->reasons, name, of->clock);
    struct launched launched = launches_of(of, name);
    int64_t median_ns = report_median_ns(of->data, name, of->clock);
    if (reason && reason->kernel != NONE)
        snprintf(text, size_bytes, "%s%s", reason->advice.fine ? "fine: " : "", reason->advice.text);
    else if (of->clock == CLOCK_WALL && median_ns > 0 && launched.call_ns > median_ns)
        snprintf(text, size_bytes, "takes %s, its launch call %s", number_time(median_ns).text,
                 number_time(launched.call_ns).text);
    else if (reason && reason->said[0] != '\0')
        snprintf(text, size_bytes, "%s%s", reason->state == ADVICE_STATE_FINE ? "fine: " : "", reason->said);
    else if (median_ns > 0)
        snprintf(text, size_bytes, "takes %s; not counted", number_time(median_ns).text);
    else
        snprintf(text, size_bytes, "not counted");
}
