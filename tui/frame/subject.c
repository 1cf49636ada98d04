/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a key is about: the run, kernel and workload of the focused view; and the device and model that the
 * screen's numbers come from.
 */
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

bool screen_can_begin(const struct screen *screen)
{
    return screen->host->run && screen->host->workload_count > 0 && !screen->state.live &&
           session_run_count(screen->session) == 0;
}

const char *screen_why_empty(const struct screen *screen, const char *text)
{
    return screen_can_begin(screen) ? "Nothing has run yet: w lists the workloads, ENTER there runs one."
                                    : text;
}

const struct device_row *screen_device(const struct screen *screen)
{
    const struct session *session = screen->session;
    uint32_t kernel = screen->kernel, devices = session_device_count(session);
    if (kernel != NONE && session_kernel(session, kernel)->device < devices)
        return session_device(session, session_kernel(session, kernel)->device);
    return devices > 0 ? session_device(session, 0) : NULL;
}

const char *screen_model(const struct screen *screen)
{
    const struct device_row *device = screen_device(screen);
    uint32_t run = screen->run, runs = session_run_count(screen->session);
    if (run >= runs && !device)
        return screen->host->model;
    if (run >= runs) /* no run is selected yet: take the one that the header names */
        return device->info.is_model ? device->info.name : NULL;
    if (session_run(screen->session, run)->clock != CLOCK_MODEL)
        return NULL;
    return device && device->info.is_model ? device->info.name : "a GPU";
}

const struct arch *screen_arch(const struct screen *screen)
{
    const struct device_row *row = screen_device(screen);
    const struct device_description *hosts = screen->host->device;
    uint32_t capability = row     ? row->info.compute_capability
                          : hosts ? hosts->info.compute_capability
                                  : STANDARD_CAPABILITY;
    const struct arch *arch = arch_find(capability);
    return arch ? arch : arch_find(STANDARD_CAPABILITY);
}

enum clock_kind screen_clock(const struct screen *screen)
{
    return screen->run != NONE ? session_run(screen->session, screen->run)->clock : CLOCK_WALL;
}

struct subject screen_subject(const struct screen *screen)
{
    const struct view *view = screen_focused(screen);
    struct subject subject = {.kernel = screen->kernel, .run = screen->run, .line = NONE};
    if (subject.kernel != NONE)
        subject.run = session_kernel(screen->session, subject.kernel)->run;
    if (view->subject)
        view->subject(screen, &subject);
    if (!subject.workload)
        subject.workload =
            subject.run != NONE
                ? session_string(screen->session, session_run(screen->session, subject.run)->workload)
                : "";
    return subject;
}

void subject_set_kernel(struct subject *subject, const struct screen *screen, uint32_t kernel)
{
    subject->kernel = kernel;
    subject->run = kernel != NONE ? session_kernel(screen->session, kernel)->run : screen->run;
}

uint32_t screen_kernel_looked_at(const struct screen *screen)
{
    return screen_subject(screen).kernel;
}

uint32_t screen_run_looked_at(const struct screen *screen)
{
    return screen_subject(screen).run;
}

const char *screen_workload_looked_at(const struct screen *screen)
{
    return screen_subject(screen).workload;
}
