/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a process, from RUN_BEGIN and RUN_END, and the expected values of their kernels. */
#include "core/intake/intake_internal.h"

#define GROUP_LOOK_BACK 4096u /* runs; the other modes of the same work usually follow soon */

static bool same_work(const struct run_row *a, const struct run_row *b)
{
    return a->workload == b->workload && a->variant == b->variant && a->params == b->params;
}

/* Runs of the same work in different modes, and on the device model, make a group. A run joins the group of
 * the newest run of this work, unless that group already has a run of its mode. A work can have several lines
 * runs, one process for each kernel. */
static uint32_t group_of(const struct session *session, const struct run_row *run)
{
    uint32_t count = session_run_count(session), group = NONE;
    for (uint32_t i = count; i-- > 0 && count - i <= GROUP_LOOK_BACK;) {
        const struct run_row *row = session_run(session, i);
        if (!same_work(row, run))
            continue;
        if (group == NONE)
            group = row->group;
        if (row->group == group && row->clock == run->clock && run->mode != RUN_LINES &&
            (row->mode == run->mode || run->clock == CLOCK_MODEL))
            return count;
    }
    return group == NONE ? count : group;
}

/* Ends the run that this ring has begun. verified: from RUN_END, or -1 if that never arrives. */
static void open_run_end(struct intake *intake, int64_t end_ns, int8_t verified, uint32_t detail)
{
    const struct run_row *row = session_run(intake->session, intake->open_run);
    if (row) {
        session_end_run(intake->session, intake->open_run, end_ns < row->start_ns ? row->start_ns : end_ns,
                        verified, detail);
    }
    intake->open_run = NONE;
}

void intake_run_begin(struct intake *intake, const struct event *event)
{
    struct run_row row = {.process = intake->process,
                          .device = intake_device(intake, event->device),
                          .workload = intake_string(intake, event->run.workload),
                          .variant = intake_string(intake, event->run.variant),
                          .params = intake_string(intake, event->run.params),
                          .mode = event->run.mode < RUN_MODE_COUNT ? event->run.mode : (uint8_t)RUN_TRACE,
                          .clock = intake->clock,
                          .end_ns = INT64_MIN,
                          .verified = -1,
                          .effective_bytes = event->run.effective_bytes >= 0 ? event->run.effective_bytes : 0,
                          .effective_kernel = intake_string(intake, event->run.kernel)};
    if (!intake_time(intake, event->run.time_ns, &row.start_ns) || row.workload == 0 ||
        intake->runs_begun == INTAKE_RUNS_MAX) {
        intake->stats.malformed++;
        return;
    }
    if (intake->open_run != NONE)
        open_run_end(intake, row.start_ns, -1, 0);
    row.group = group_of(intake->session, &row);
    uint32_t run = session_add_run(intake->session, &row);
    if (run == NONE || !idmap_put(&intake->run_ids, event->run.id, run)) {
        intake->stats.malformed++;
        return;
    }
    intake->open_run = run;
    intake->runs_begun++;
}

void intake_run_end(struct intake *intake, const struct event *event)
{
    int64_t end_ns;
    uint32_t run = idmap_find(&intake->run_ids, event->run.id);
    if (run == IDMAP_NONE || run != intake->open_run || !intake_time(intake, event->run.time_ns, &end_ns)) {
        intake->stats.malformed++;
        return;
    }
    int8_t verified = event->run.verified < 0 ? -1 : event->run.verified > 0;
    open_run_end(intake, end_ns, verified, intake_string(intake, event->run.detail));
}

void intake_expected(struct intake *intake, const struct event *event)
{
    struct expected_row row = {.run = idmap_find(&intake->run_ids, event->expected.run),
                               .kernel_name = intake_string(intake, event->expected.kernel),
                               .metric = intake_string(intake, event->expected.metric),
                               .why = intake_string(intake, event->expected.why),
                               .number = event->expected.number};
    if (row.run == IDMAP_NONE || row.kernel_name == 0 || row.metric == 0 ||
        intake->expected_added == INTAKE_ROWS_MAX) {
        intake->stats.malformed++;
        return;
    }
    intake->expected_added++;
    session_add_expected(intake->session, &row);
}

/* Runs of this process that were added to the session's table since the last look. */
static void runs_scan(struct intake *intake)
{
    uint32_t count = session_run_count(intake->session);
    for (; intake->runs_scanned < count; intake->runs_scanned++) {
        const struct run_row *row = session_run(intake->session, intake->runs_scanned);
        if (row->process != intake->process || intake->runs_scanned == intake->fallback_run ||
            !array_grow(intake->runs, intake->run_capacity, intake->run_count, 1))
            continue;
        struct run_span span = {.start_ns = row->start_ns, .run = intake->runs_scanned};
        if (intake->run_count > 0 && span.start_ns < intake->runs[intake->run_count - 1].start_ns)
            span.start_ns = intake->runs[intake->run_count - 1].start_ns;
        intake->runs[intake->run_count++] = span;
    }
}

static bool run_holds(const struct intake *intake, uint32_t i, int64_t time_ns)
{
    return intake->runs[i].start_ns <= time_ns &&
           (i + 1 == intake->run_count || time_ns < intake->runs[i + 1].start_ns);
}

uint32_t intake_run_at(struct intake *intake, int64_t time_ns)
{
    runs_scan(intake);
    if (intake->run_count == 0 || time_ns < intake->runs[0].start_ns)
        return intake->fallback_run;
    if (!run_holds(intake, intake->last_run, time_ns)) {
        uint32_t low = 0, high = intake->run_count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (intake->runs[middle].start_ns <= time_ns)
                low = middle;
            else
                high = middle;
        }
        intake->last_run = low;
    }
    const struct run_row *row = session_run(intake->session, intake->runs[intake->last_run].run);
    int64_t end_ns = atomic_load_explicit(&row->end_ns, memory_order_acquire);
    return end_ns == INT64_MIN || time_ns <= end_ns ? intake->runs[intake->last_run].run
                                                    : intake->fallback_run;
}

uint32_t intake_kernel(struct intake *intake, int64_t start_ns, uint32_t shape, uint32_t device)
{
    if (shape == NONE)
        return NONE;
    uint32_t run = intake_run_at(intake, start_ns);
    struct kernel_cache *cache = &intake->kernels[shape % KERNEL_CACHE];
    if (cache->kernel == NONE || cache->run != run || cache->shape != shape || cache->device != device) {
        *cache = (struct kernel_cache){.run = run,
                                       .shape = shape,
                                       .device = device,
                                       .kernel = session_add_kernel(intake->session, run, shape, device)};
    }
    return cache->kernel;
}
