/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place for each run of the report, made when it is first asked for. What failed stays failed: its status
 * and sentence are kept, too.
 */
#include "cli/report/data/report_facts.h"

#include "cli/output/memory.h"
#include "core/advice/session_advice.h"
#include "core/analysis/kernel_sources.h"
#include "core/base/append.h"
#include "core/session/session_walk.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct report_known {
    bool made, judged, replayed;
    struct error failure; /* status STATUS_OK: the facts are valid */
    bool overlap_made;
    struct error overlap_failure;
    struct overlap overlap; /* of the whole run */
    struct report_facts facts;
    struct verdict verdict;
    struct remedies remedies;
    bool ranked_made;
    struct verdict ranked;
    struct remedies_ground ground; /* opened by the thread, if `opening` */
    pthread_t opener, maker;
    bool opening, making; /* making: the facts, by the other thread, which begins the opener */
    const struct session *session;
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

/* One part of the facts: of a long run the parts are computed side by side, since each walks over all of it. */
struct part {
    const struct session *session;
    struct report_facts *facts;
    enum status (*compute)(struct part *part);
    struct advice_range range;
    struct error error;
    enum status status;
    pthread_t thread;
    bool beside;
};

static enum status compute_sums(struct part *part)
{
    return overlap_sums(part->session, part->facts->run, part->range.start_ns, part->range.end_ns,
                        &part->facts->figures.overlap, &part->error);
}

static enum status compute_time(struct part *part)
{
    return partition_compute(part->session, part->facts->run, INT64_MIN, INT64_MAX, &part->facts->time,
                             &part->error);
}

static void *part_run(void *context)
{
    struct part *part = context;
    part->status = part->compute(part);
    return NULL;
}

static void part_begin(struct part *part)
{
    part->beside = session_event_count(part->session) >= REPORT_BESIDE_LEAST &&
                   pthread_create(&part->thread, NULL, part_run, part) == 0;
}

static enum status part_end(struct part *part)
{
    if (part->beside)
        pthread_join(part->thread, NULL);
    else
        part_run(part);
    return memory_check(part->status);
}

static void *open_ground(void *context)
{
    struct report_known *known = context;
    remedies_prepare(known->session, known->facts.run, &known->facts.figures.steps, &known->ground);
    return NULL;
}

/* The replay is opened beside the rest, if the facts are made by a thread of their own. */
static enum status make_parts(const struct session *session, struct report_known *known, struct error *error)
{
    struct report_facts *facts = &known->facts;
    struct part time = {.session = session, .facts = facts, .compute = compute_time}, sums = time;
    sums.compute = compute_sums;
    part_begin(&time);
    enum status status =
        memory_check(session_find_range(session, facts->run, &facts->figures, &sums.range, error));
    known->opening = known->session && pthread_create(&known->opener, NULL, open_ground, known) == 0;
    part_begin(&sums);
    status = memory_check(session_run_figures(session, facts->run, &facts->figures, error));
    if (part_end(&sums) != STATUS_OK && status == STATUS_OK)
        status = error_set(error, sums.status, "%s", sums.error.text);
    if (part_end(&time) != STATUS_OK && status == STATUS_OK)
        status = error_set(error, time.status, "%s", time.error.text);
    return status;
}

static enum status make_facts(const struct session *session, struct report_known *known, struct error *error)
{
    struct report_facts *facts = &known->facts;
    struct advice_list list;
    enum status status = make_parts(session, known, error);
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
    if (known->making) {
        pthread_join(known->maker, NULL);
        known->making = false;
    } else if (!known->made) {
        known->made = true;
        known->facts.run = run->runs[RUN_TRACE];
        known->failure.status = make_facts(data->session, known, &known->failure);
    }
    *facts = &known->facts;
    return known->failure.status == STATUS_OK
               ? STATUS_OK
               : error_set(error, known->failure.status, "%s", known->failure.text);
}

enum status report_overlap(const struct report_data *data, const struct report_run *run,
                           const struct overlap **overlap, struct error *error)
{
    struct report_known *known = &data->known[run - data->runs];
    struct error *failure = &known->overlap_failure;
    if (!known->overlap_made)
        failure->status = memory_check(overlap_compute(data->session, run->runs[RUN_TRACE], INT64_MIN,
                                                       INT64_MAX, &known->overlap, failure));
    known->overlap_made = true;
    *overlap = &known->overlap;
    return failure->status == STATUS_OK ? STATUS_OK : error_set(error, failure->status, "%s", failure->text);
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

static void *make_known(void *context)
{
    struct report_known *known = context;
    known->failure.status = make_facts(known->session, known, &known->failure);
    return NULL;
}

void report_prepare(const struct report_data *data, const struct report_run *run)
{
    struct report_known *known = &data->known[run - data->runs];
    if (run->runs[RUN_TRACE] == NONE || known->made || known->replayed ||
        session_event_count(data->session) < REPORT_BESIDE_LEAST)
        return;
    known->facts.run = run->runs[RUN_TRACE];
    known->session = data->session;
    known->making = known->made = pthread_create(&known->maker, NULL, make_known, known) == 0;
}

const struct remedies *report_remedies(const struct report_data *data, const struct report_run *run)
{
    struct report_known *known = &data->known[run - data->runs];
    report_verdict(data, run);
    if (known->opening) {
        pthread_join(known->opener, NULL);
        known->opening = false;
        memory_check(remedies_make_on(&known->ground, data->index, known->facts.run, &known->facts.figures,
                                      &known->verdict, &known->remedies, NULL));
    } else if (!known->replayed) {
        memory_check(remedies_make(data->index, known->facts.run, &known->facts.figures, &known->verdict,
                                   &known->remedies, NULL));
    }
    known->replayed = true;
    return &known->remedies;
}

const struct verdict *report_ranked(const struct report_data *data, const struct report_run *run)
{
    struct report_known *known = &data->known[run - data->runs];
    const struct remedies *remedies = report_remedies(data, run);
    if (!known->ranked_made)
        remedies_rank(data->index, remedies, &known->verdict, &known->ranked);
    known->ranked_made = true;
    return &known->ranked;
}

void report_facts_begin(struct report_data *data)
{
    data->known = memory_zeroed(data->run_count, sizeof *data->known);
}

void report_facts_free(struct report_data *data)
{
    for (size_t i = 0; i < data->run_count; i++) {
        if (data->known[i].making)
            pthread_join(data->known[i].maker, NULL);
        if (data->known[i].opening) {
            pthread_join(data->known[i].opener, NULL);
            replay_close(data->known[i].ground.replay);
        }
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
    double span_ns = program && time ? (double)partition_span_ns(time) : 0;
    return span_ns > 0 && advice->gain_ns > 0 ? fmin(1, advice->gain_ns / span_ns) : advice->gain;
}

/* ---- steps one by one ---- */
/*
 * core/analysis/steps.h says when each starts. The partition of a
 * step is another walk over the run, so of many steps only that of the outliers is worked out, and of these
 * the furthest.
 */

#define PARTITIONS_MOST 200u /* chosen: with steps of a run of 10,000 launches this takes 0.3 s */

static void find_outliers(struct report_steps *steps)
{
    double *distances = memory_zeroed(steps->count, sizeof *distances);
    for (size_t i = 0; i < steps->count; i++)
        distances[i] = fabs((double)steps->items[i].time_ns - steps->sum.median_ns);
    double limit = STEP_OUTLIER * 1.4826 * kernel_median(distances, steps->count);
    limit = fmax(limit, 0.05 * steps->sum.median_ns);
    for (size_t i = 0; i < steps->count; i++)
        steps->items[i].outlier = fabs((double)steps->items[i].time_ns - steps->sum.median_ns) > limit;
    free(distances);
}

/* The time of a step up to the start of the next one. The range includes the first ns of the next step, so that the
 * idle time before it is classified. */
static enum status find_partition(struct report_step *step, const struct session *session,
                                  const struct report_facts *facts, struct error *error)
{
    struct partition_list list = {0};
    enum status status = memory_check(partition_compute(session, facts->run, step->start_ns,
                                                        step->start_ns + step->time_ns + 1, &list, error));
    for (size_t k = 0; k < list.count; k++)
        if (list.items[k].device == facts->steps_time.items[0].device)
            memcpy(step->ns, list.items[k].ns, sizeof step->ns);
    partition_free(&list);
    int64_t over_ns = -step->time_ns;
    for (int part = 0; part < PARTITION_COUNT; part++)
        over_ns += step->ns[part];
    if (over_ns > 0)
        step->ns[step->ns[PARTITION_KERNEL] > 0       ? PARTITION_KERNEL
                 : step->ns[PARTITION_COLLECTIVE] > 0 ? PARTITION_COLLECTIVE
                                                      : PARTITION_COPY] -= over_ns;
    step->known = status == STATUS_OK;
    return status;
}

/* The class in which the step's time differs most from a mean step's. */
static void find_difference(struct report_step *step, const int64_t sum_ns[PARTITION_COUNT], size_t count)
{
    for (int part = 0; part < PARTITION_COUNT; part++) {
        int64_t differs_ns = step->ns[part] - sum_ns[part] / (int64_t)count;
        if (llabs(differs_ns) > llabs(step->differs_ns)) {
            step->differs_ns = differs_ns;
            step->differs_in = (enum partition_class)part;
        }
    }
}

static enum status find_partitions(struct report_steps *steps, const struct session *session,
                                   const struct report_facts *facts, struct error *error)
{
    int64_t sum_ns[PARTITION_COUNT] = {0};
    bool all = steps->count <= PARTITIONS_MOST;
    size_t made = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < steps->count && made < PARTITIONS_MOST; i++) {
        if (!steps->items[i].outlier && !all)
            continue;
        made++;
        status = find_partition(&steps->items[i], session, facts, error);
    }
    for (int part = 0; part < PARTITION_COUNT; part++) {
        for (size_t i = 0; all && i < steps->count; i++)
            sum_ns[part] += steps->items[i].ns[part];
        sum_ns[part] = all ? sum_ns[part] : facts->steps_time.items[0].ns[part];
    }
    for (size_t i = 0; status == STATUS_OK && i < steps->count; i++)
        if (steps->items[i].outlier && steps->items[i].known)
            find_difference(&steps->items[i], sum_ns, steps->count);
    return status;
}

enum status report_steps_make(struct report_steps *steps, const struct session *session,
                              const struct report_facts *facts, struct error *error)
{
    int64_t *starts_ns;
    *steps = (struct report_steps){0};
    if (facts->steps_time.count == 0)
        return STATUS_OK;
    enum status status = memory_check(
        steps_starts(session, facts->run, &facts->figures.steps, &starts_ns, &steps->count, error));
    if (status != STATUS_OK) {
        free(starts_ns);
        steps->count = 0;
        return status;
    }
    steps->items = memory_zeroed(steps->count, sizeof *steps->items);
    for (size_t i = 0; i < steps->count; i++) {
        steps->items[i].start_ns = starts_ns[i];
        steps->items[i].time_ns = starts_ns[i + 1] - starts_ns[i];
        report_sum_add(&steps->sum, steps->items[i].time_ns, 0, true);
    }
    free(starts_ns);
    report_sum_spread(&steps->sum);
    if (steps->count == 0)
        return STATUS_OK;
    find_outliers(steps);
    struct report_step *last = &steps->items[steps->count - 1];
    if (facts->figures.steps.range != 0 && (double)last->time_ns < steps->sum.median_ns)
        last->outlier = false; /* it ends with its last operation, without the idle time after it */
    return find_partitions(steps, session, facts, error);
}

void report_steps_fini(struct report_steps *steps)
{
    free(steps->items);
    *steps = (struct report_steps){0};
}

#define SLOW_RATIO 1.5 /* chosen: of the median */
#define SLOW_MOST 4    /* chosen: if more than every fourth step is slow, they are another kind of step */

/* Steps that take more than SLOW_RATIO times the median, and whether they come at equal distances. */
struct slow_steps {
    size_t count, first, last, every; /* every: 0: not at equal distances */
    int64_t sum_ns, differs_ns[PARTITION_COUNT];
    size_t known;
};

static void add_slow(struct slow_steps *slow, const struct report_step *step, size_t at)
{
    size_t distance = slow->count > 0 ? at - slow->last : 0;
    if (slow->count == 1)
        slow->every = distance;
    else if (slow->count > 1 && distance != slow->every)
        slow->every = 0;
    slow->first = slow->count == 0 ? at : slow->first;
    slow->last = at;
    slow->count++;
    slow->sum_ns += step->time_ns;
    if (!step->known)
        return;
    slow->known++;
    slow->differs_ns[step->differs_in] += step->differs_ns;
}

bool report_steps_slow(const struct report_steps *steps, char text[STEPS_SLOW_TEXT])
{
    struct slow_steps slow = {0};
    size_t used = 0;
    int most = 0;
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].outlier && (double)steps->items[i].time_ns > SLOW_RATIO * steps->sum.median_ns)
            add_slow(&slow, &steps->items[i], i);
    double beyond_ns = (double)slow.sum_ns - (double)slow.count * steps->sum.median_ns;
    text[0] = '\0';
    if (slow.count == 0 || SLOW_MOST * slow.count > steps->count ||
        beyond_ns < STEPS_SLOW_LEAST * (double)steps->sum.total_ns)
        return false;
    for (int part = 0; part < PARTITION_COUNT; part++)
        most = slow.differs_ns[part] > slow.differs_ns[most] ? part : most;
    double mean_ns = (double)slow.sum_ns / (double)slow.count;
    append_text(text, STEPS_SLOW_TEXT, &used, "%zu of %zu steps", slow.count, steps->count);
    if (slow.count > 2 && slow.every > 1)
        append_text(text, STEPS_SLOW_TEXT, &used, ", every %zu%s,", slow.every,
                    slow.every % 10 == 2 && slow.every % 100 != 12   ? "nd"
                    : slow.every % 10 == 3 && slow.every % 100 != 13 ? "rd"
                    : slow.every % 10 == 1 && slow.every % 100 != 11 ? "st"
                                                                     : "th");
    append_text(text, STEPS_SLOW_TEXT, &used, " take%s %s, %.3gx the median", slow.count == 1 ? "s" : "",
                number_time((int64_t)mean_ns).text, mean_ns / steps->sum.median_ns);
    if (slow.known > 0 && slow.differs_ns[most] > 0)
        append_text(text, STEPS_SLOW_TEXT, &used, ": %s, %s longer each",
                    partition_class_brief((enum partition_class)most),
                    number_time(slow.differs_ns[most] / (int64_t)slow.known).text);
    return true;
}
