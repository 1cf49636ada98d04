/* Which run, kernel and workload a key is about: those of the view that has the keys. */
#include "tui/frame/screen.h"

#include <string.h>

#define STANDARD_CAPABILITY 90

bool screen_run_is_of(const struct screen *screen, uint32_t run, const char *workload)
{
    const struct run_row *row = session_run(screen->session, run);
    return row->workload != 0 && strcmp(session_string(screen->session, row->workload), workload) == 0;
}

uint32_t screen_kernel_of_run(const struct screen *screen, uint32_t run)
{
    const struct session *session = screen->session;
    const struct run_row *row = session_run(session, run);
    uint64_t best_ns = 0;
    uint32_t best = NONE;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        if (kernel->run != run)
            continue;
        if (row->effective_kernel != 0 &&
            session_shape(session, kernel->shape)->name == row->effective_kernel)
            return i;
        uint64_t total_ns = atomic_load_explicit(&kernel->total_ns, memory_order_relaxed);
        if (best == NONE || total_ns > best_ns) {
            best = i;
            best_ns = total_ns;
        }
    }
    return best;
}

const char *screen_why_empty(const struct screen *screen, const char *text)
{
    bool can_begin = screen->host->run != NULL && screen->host->workload_count > 0 && !screen->state.live &&
                     session_run_count(screen->session) == 0;
    return can_begin ? "Nothing has run yet: w lists the workloads, ENTER there runs one." : text;
}

const struct arch *screen_arch(const struct screen *screen)
{
    const struct device_row *row = screen_device(screen);
    const struct device_description *hosts = screen->host->device;
    uint32_t capability = row != NULL     ? row->info.compute_capability
                          : hosts != NULL ? hosts->info.compute_capability
                                          : STANDARD_CAPABILITY;
    const struct arch *arch = arch_find(capability);
    return arch != NULL ? arch : arch_find(STANDARD_CAPABILITY);
}

static const struct view *top_of(const struct screen *screen)
{
    return screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
}

uint32_t screen_kernel_looked_at(const struct screen *screen)
{
    const struct view *top = top_of(screen);
    const struct chart *chart = &screen->chart;
    if (top == &view_lab)
        return screen->lab.kernel;
    if (top == &view_compare)
        return screen->compare.side[1].kernel;
    if (top == &view_chart)
        return chart->series_count > 0
                   ? chart->points[chart->series[chart->selected].first + chart->cursor].kernel
                   : NONE;
    if (top == &view_runs)
        return screen->runs.list.selected > 0 ? screen_kernel_of_run(screen, screen_run_looked_at(screen))
                                              : NONE;
    return screen->kernels.selected_kernel;
}

uint32_t screen_run_looked_at(const struct screen *screen)
{
    const struct view *top = top_of(screen);
    const struct run_list *runs = &screen->runs;
    if (top == &view_runs)
        return runs->list.selected > 0 ? runs->runs[runs->list.selected - 1] : NONE;
    if (top == &view_lab)
        return screen->lab.run;
    uint32_t kernel = screen_kernel_looked_at(screen);
    return kernel != NONE ? session_kernel(screen->session, kernel)->run : screen->timeline.run;
}

const char *screen_workload_looked_at(const struct screen *screen)
{
    const struct view *top = top_of(screen);
    const struct workload_list *workloads = &screen->workloads;
    if (top == &view_lab || top == &view_lane_map)
        return screen->lab.workload->name;
    if (top == &view_workloads && workloads->list.count > 0)
        return screen->host->workloads[workloads->shown[workloads->list.selected]].name;
    uint32_t run = screen_run_looked_at(screen);
    return run != NONE ? session_string(screen->session, session_run(screen->session, run)->workload) : "";
}
