/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass finds in how much of the span each kernel ran, and a second in how much of it any of those that
 * were not counted. A kernel brings its first advice: one cause takes all of its time at most, so a second
 * one would count that time again.
 */
#include "core/advice/verdict.h"

#include "core/analysis/run_times.h"

#include <stdlib.h>

static bool weighs_more(const struct run_finding *a, const struct run_finding *b)
{
    if (a->advice.fine != b->advice.fine)
        return b->advice.fine;
    return a->advice.fine ? a->kernel_ns > b->kernel_ns : a->advice.gain_ns > b->advice.gain_ns;
}

static void finding_add(struct verdict *verdict, const struct run_finding *finding)
{
    size_t place = verdict->count;
    verdict->wrong += !finding->advice.fine;
    while (place > 0 && weighs_more(finding, &verdict->findings[place - 1]))
        place--;
    if (verdict->count == VERDICT_MAX)
        verdict->more++;
    else
        verdict->count++;
    for (size_t i = verdict->count - 1; i > place && i > 0; i--)
        verdict->findings[i] = verdict->findings[i - 1];
    if (place < verdict->count)
        verdict->findings[place] = *finding;
}

/* Returns whether a rule could judge it by more than its launch. */
static bool kernel_judge(struct verdict *verdict, const struct kernel_index *index, uint32_t kernel,
                         double ns)
{
    struct advice_list list;
    double least_ns = verdict->span_ns * VERDICT_LEAST_PCT / 100;
    session_advise_indexed(index, kernel, &list);
    bool judged = advice_has_judged(&list);
    if (list.count == 0 || ns < least_ns)
        return judged;
    struct run_finding finding = {.advice = list.items[0], .kernel = kernel, .kernel_ns = ns};
    finding.advice.gain_ns = finding.advice.gain * ns;
    if (finding.advice.fine || finding.advice.gain_ns >= least_ns)
        finding_add(verdict, &finding);
    return judged;
}

enum status verdict_of_run(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                           struct verdict *verdict, struct error *error)
{
    const struct session *session = kernel_index_session(index);
    struct advice_list list;
    uint32_t kernels = kernel_index_count(index);
    *verdict = (struct verdict){0};
    advice_of_run(figures, &list);
    for (size_t i = 0; i < list.count; i++)
        finding_add(verdict, &(struct run_finding){.advice = list.items[i], .kernel = NONE});
    /* A bundled workload fills its memory first and reads it back last: that is not what it shows. */
    bool narrow = figures->steps.count > 0 || session_run(session, run)->workload != 0;
    int64_t start_ns = narrow ? figures->start_ns : figures->first_ns,
            end_ns = narrow ? figures->end_ns : figures->last_ns;
    verdict->span_ns = end_ns > start_ns ? (double)end_ns - (double)start_ns : 0;
    uint64_t *busy_ns = calloc(kernels + 1u, sizeof *busy_ns), uncounted_ns = 0;
    uint32_t *groups = calloc(kernels + 1u, sizeof *groups); /* 0: not counted; NONE: counted */
    enum status status = busy_ns && groups
                             ? run_kernels_busy(session, run, start_ns, end_ns, NULL, kernels, busy_ns, error)
                             : error_no_memory(error, "to judge the kernels of a run");
    for (uint32_t kernel = 0; status == STATUS_OK && kernel < kernels; kernel++)
        groups[kernel] =
            busy_ns[kernel] > 0 && !kernel_judge(verdict, index, kernel, (double)busy_ns[kernel]) ? 0 : NONE;
    if (status == STATUS_OK && kernels > 0) {
        busy_ns[0] = 0;
        status = run_kernels_busy(session, run, start_ns, end_ns, groups, kernels, busy_ns, error);
        uncounted_ns = busy_ns[0];
    }
    verdict->uncounted_ns = (double)uncounted_ns;
    free(busy_ns);
    free(groups);
    return status;
}

bool verdict_wants_counters(const struct verdict *verdict)
{
    double first_ns = verdict->wrong > 0 ? verdict->findings[0].advice.gain_ns : 0;
    return verdict->uncounted_ns > first_ns;
}
