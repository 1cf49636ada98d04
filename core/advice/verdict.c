/*
 * One walk sums each kernel's time in the span. A kernel brings its first advice: one cause takes all of its
 * time at most, so a second one would count that time again.
 */
#include "core/advice/verdict.h"

#include "core/session/session_walk.h"

#include <stdlib.h>

struct weighing {
    int64_t start_ns, end_ns;
    double *kernel_ns; /* by kernel */
    uint32_t kernels;
};

static bool launch_weigh(void *context, const struct walk_event *event)
{
    struct weighing *weighing = context;
    uint32_t kernel = event->item.launch.kernel;
    if (kernel < weighing->kernels && event->start_ns >= weighing->start_ns &&
        event->start_ns < weighing->end_ns)
        weighing->kernel_ns[kernel] += (double)(event->end_ns - event->start_ns);
    return true;
}

static bool weighs_more(const struct finding *a, const struct finding *b)
{
    if (a->advice.fine != b->advice.fine)
        return b->advice.fine;
    return a->advice.fine ? a->kernel_ns > b->kernel_ns : a->advice.gain_ns > b->advice.gain_ns;
}

static void finding_add(struct verdict *verdict, const struct finding *finding)
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

static void kernel_judge(struct verdict *verdict, const struct kernel_index *index, uint32_t kernel,
                         double ns)
{
    struct advice_list list;
    double least_ns = verdict->span_ns * VERDICT_LEAST_PCT / 100;
    session_advise_indexed(index, kernel, &list);
    if (!advice_has_judged(&list))
        verdict->uncounted_ns += ns;
    if (list.count == 0 || ns < least_ns)
        return;
    struct finding finding = {.advice = list.items[0], .kernel = kernel, .kernel_ns = ns};
    finding.advice.gain_ns = finding.advice.gain * ns;
    if (finding.advice.fine || finding.advice.gain_ns >= least_ns)
        finding_add(verdict, &finding);
}

enum status verdict_of_run(const struct kernel_index *index, uint32_t run, const struct advice_run *figures,
                           struct verdict *verdict, struct error *error)
{
    const struct session *session = kernel_index_session(index);
    struct weighing weighing = {
        .kernels = kernel_index_count(index), .start_ns = figures->start_ns, .end_ns = figures->end_ns};
    struct advice_list list;
    *verdict = (struct verdict){0};
    advice_of_run(figures, &list);
    for (size_t i = 0; i < list.count; i++)
        finding_add(verdict, &(struct finding){.advice = list.items[i], .kernel = NONE});
    weighing.kernel_ns = calloc(weighing.kernels + 1, sizeof *weighing.kernel_ns);
    if (weighing.kernel_ns == NULL)
        return error_no_memory(error, "to judge the kernels of a run");
    session_walk(session,
                 &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)},
                 launch_weigh, &weighing);
    /* A bundled workload fills its memory first and reads it back last: that is not what it shows. */
    bool narrow = figures->steps.count > 0 || session_run(session, run)->workload != 0;
    int64_t start_ns = narrow ? figures->start_ns : figures->first_ns,
            end_ns = narrow ? figures->end_ns : figures->last_ns;
    verdict->span_ns = end_ns > start_ns ? (double)end_ns - (double)start_ns : 0;
    for (uint32_t kernel = 0; kernel < weighing.kernels; kernel++)
        if (weighing.kernel_ns[kernel] > 0)
            kernel_judge(verdict, index, kernel, weighing.kernel_ns[kernel]);
    free(weighing.kernel_ns);
    return STATUS_OK;
}

bool verdict_wants_counters(const struct verdict *verdict)
{
    double first_ns = verdict->wrong > 0 ? verdict->findings[0].advice.gain_ns : 0;
    return verdict->uncounted_ns > first_ns;
}
