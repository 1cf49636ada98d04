/*
 * A place for each run of the report, made when it is first asked for. What failed stays failed: its status
 * and sentence are kept, too.
 */
#include "cli/report/data/report_facts.h"

#include "cli/output/memory.h"
#include "core/advice/session_advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_known {
    bool made, judged;
    struct error failure; /* status STATUS_OK: the facts are valid */
    struct report_facts facts;
    struct verdict verdict;
};

/* Steps on all devices; with a single device that is the one that is judged. */
static enum status find_steps_time(const struct session *session, struct report_facts *facts,
                                   struct error *error)
{
    const struct steps *steps = &facts->figures.steps;
    if (steps->count == 0)
        return STATUS_OK;
    if (facts->time.count > 1 || facts->figures.partition.operations == 0)
        return memory_check(partition_compute(session, facts->run, steps->start_ns, steps->end_ns,
                                              &facts->steps_time, error));
    facts->steps_time.items = memory_zeroed(1, sizeof *facts->steps_time.items);
    facts->steps_time.items[0] = facts->figures.partition;
    facts->steps_time.count = 1;
    return STATUS_OK;
}

static enum status make_facts(const struct session *session, struct report_facts *facts, struct error *error)
{
    struct advice_list list;
    struct advice_range range;
    enum status status =
        memory_check(overlap_compute(session, facts->run, INT64_MIN, INT64_MAX, &facts->overlap, error));
    if (status == STATUS_OK)
        status = memory_check(session_find_range(session, facts->run, &facts->figures, &range, error));
    facts->figures.overlap = facts->overlap;
    if (status == STATUS_OK && facts->figures.steps.count > 0)
        status = memory_check(overlap_compute(session, facts->run, range.start_ns, range.end_ns,
                                              &facts->figures.overlap, error));
    if (status == STATUS_OK)
        status = memory_check(session_run_figures(session, facts->run, &facts->figures, error));
    if (status == STATUS_OK)
        status =
            memory_check(partition_compute(session, facts->run, INT64_MIN, INT64_MAX, &facts->time, error));
    if (status == STATUS_OK)
        status = find_steps_time(session, facts, error);
    if (status != STATUS_OK)
        return status;
    facts->loops = facts->steps_time.count > 0 && session_run(session, facts->run)->workload == 0;
    advice_of_run(&facts->figures, &list);
    facts->advice = memory_zeroed(list.count, sizeof *facts->advice);
    facts->advice_count = list.count;
    memcpy(facts->advice, list.items, list.count * sizeof *facts->advice);
    return STATUS_OK;
}

enum status report_facts(const struct report_data *data, const struct report_run *run,
                         const struct report_facts **facts, struct error *error)
{
    struct report_known *known = &data->known[run - data->runs];
    if (!known->made) {
        known->made = true;
        known->facts.run = run->runs[RUN_TRACE];
        known->failure.status = make_facts(data->session, &known->facts, &known->failure);
    }
    *facts = &known->facts;
    return known->failure.status == STATUS_OK
               ? STATUS_OK
               : error_set(error, known->failure.status, "%s", known->failure.text);
}

const struct verdict *report_verdict(const struct report_data *data, const struct report_run *run)
{
    struct report_known *known = &data->known[run - data->runs];
    if (!known->judged)
        memory_check(
            verdict_of_run(data->index, known->facts.run, &known->facts.figures, &known->verdict, NULL));
    known->judged = true;
    return &known->verdict;
}

void report_facts_begin(struct report_data *data)
{
    data->known = memory_zeroed(data->run_count, sizeof *data->known);
}

void report_facts_free(struct report_data *data)
{
    for (size_t i = 0; i < data->run_count; i++) {
        partition_free(&data->known[i].facts.time);
        partition_free(&data->known[i].facts.steps_time);
        free(data->known[i].facts.advice);
    }
    free(data->known);
}

const struct partition *report_shown_time(const struct report_facts *facts)
{
    const struct partition_list *list = facts->loops ? &facts->steps_time : &facts->time;
    return list->count > 0 && partition_span_ns(&list->items[0]) > 0 ? &list->items[0] : NULL;
}

double report_gain(const struct session *session, const struct report_facts *facts,
                   const struct advice *advice)
{
    const struct partition *time = report_shown_time(facts);
    bool program = session_run(session, facts->run)->workload == 0;
    double span_ns = program && time != NULL ? (double)partition_span_ns(time) : 0;
    return span_ns > 0 && advice->gain_ns > 0 ? fmin(1, advice->gain_ns / span_ns) : advice->gain;
}
