/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is one verdict per run, by the run's index; one overlap is computed at a time. A run with few events
 * is judged while a view updates, the others in slices. A verdict is computed again when the run has new
 * events.
 */
#include "tui/frame/run_verdicts.h"

#include "core/advice/remedies.h"
#include "core/advice/session_advice.h"
#include "core/analysis/run_times.h"
#include "core/base/array.h"
#include "core/session/session_walk.h"
#include "tui/frame/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 4096u        /* most events that are processed while a view updates */
#define EVENTS_MAX 10000000u /* with more events the walk of the advice would delay a frame too long */
#define REPLAY_EVENTS 16384u /* most events of a run that is replayed at once: some ms */
#define AGAIN_MS 1000        /* least time between two verdicts while events come in */

static const struct run_verdict no_verdict;

void run_verdicts_fini(struct run_verdicts *verdicts)
{
    overlap_end(verdicts->job);
    kernel_index_destroy(verdicts->index);
    for (size_t i = 0; i < verdicts->count; i++)
        free(verdicts->runs[i].kernel_ns);
    free(verdicts->runs);
    *verdicts = (struct run_verdicts){0};
}

static struct run_verdict *verdict_at(struct run_verdicts *verdicts, uint32_t run)
{
    if (run >= verdicts->count) {
        if (!array_grow(verdicts->runs, verdicts->capacity, run, 1))
            return NULL;
        memset(verdicts->runs + verdicts->count, 0, (run + 1 - verdicts->count) * sizeof *verdicts->runs);
        verdicts->count = (size_t)run + 1;
    }
    return &verdicts->runs[run];
}

/* As in the report: copies before the first kernel and after the last one are part of the run's time, but not
 * of that of its steps. */
static void take_whole_time(const struct session *session, uint32_t run, struct run_verdict *verdict)
{
    struct partition_list list;
    if (partition_compute(session, run, INT64_MIN, INT64_MAX, &list, NULL) != STATUS_OK)
        return;
    partition_total(&list, &verdict->whole);
    if (list.count > 0 && verdict->steps == 0) {
        verdict->time = list.items[0];
        verdict->devices = list.count;
    }
    partition_free(&list);
}

/* In how much of the judged time each kernel ran: of the steps, without warm-up, set-up and tear-down, or of
 * the whole run. */
static void take_kernel_times(const struct session *session, uint32_t run, const struct steps *steps,
                              struct run_verdict *verdict)
{
    verdict->by_steps = steps->count > 0 && verdict->devices == 1;
    free(verdict->kernel_ns);
    verdict->kernel_count = session_kernel_count(session);
    verdict->kernel_ns = calloc(verdict->kernel_count + 1u, sizeof *verdict->kernel_ns);
    if (!verdict->kernel_ns || run_kernels_busy(session, run, verdict->by_steps ? steps->start_ns : INT64_MIN,
                                                verdict->by_steps ? steps->end_ns : INT64_MAX, NULL,
                                                verdict->kernel_count, verdict->kernel_ns, NULL) != STATUS_OK)
        verdict->kernel_count = 0;
}

/* The gains of a program's run are shares of the time that its bar shows, as in the report. */
static void weigh_gains(struct run_verdict *verdict)
{
    double span_ns = (double)partition_span_ns(&verdict->time);
    for (size_t i = 0; i < verdict->advice_count && span_ns > 0; i++)
        if (verdict->advice[i].gain_ns > 0)
            verdict->advice[i].gain = verdict->advice[i].gain_ns / span_ns;
}

/* Of all kernels, for the values as they are now; NULL: there are too many launches for between two frames. */
static const struct kernel_index *current_index(struct run_verdicts *verdicts, const struct session *session)
{
    uint64_t index_of = 1 + (uint64_t)session_measurement_count(session) + session_expected_count(session) +
                        session_tally_count(session) + session_kernel_count(session) +
                        session_launch_count(session);
    if (index_of == verdicts->index_of)
        return verdicts->index;
    kernel_index_destroy(verdicts->index);
    verdicts->index = NULL;
    verdicts->index_of = index_of;
    if (session_launch_count(session) <= REPLAY_EVENTS)
        kernel_index_create(&verdicts->index, session, NULL);
    return verdicts->index;
}

/* The problems of the run itself as the replay ranks them, as in the report; those of its kernels are with these. False: it
 * claims nothing, or the run is too long to be replayed between two frames. */
static bool take_replayed(struct screen *screen, uint32_t run, const struct advice_run *figures,
                          struct run_verdict *verdict)
{
    const struct walk walk = {.run = run, .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS)};
    struct remedies remedies;
    struct verdict found, ranked;
    if (session_walk_events(screen->session, &walk) > REPLAY_EVENTS)
        return false;
    const struct kernel_index *index = current_index(&screen->verdicts, screen->session);
    if (!index || verdict_of_run(index, run, figures, &found, NULL) != STATUS_OK ||
        remedies_make(index, run, figures, &found, &remedies, NULL) != STATUS_OK || remedies.why[0])
        return false;
    remedies_rank(index, &remedies, &found, &ranked);
    verdict->advice_count = verdict->wrong = 0;
    verdict->run_first = ranked.wrong > 0 && ranked.findings[0].kernel == NONE;
    for (size_t i = 0; i < ranked.count; i++) {
        const struct run_finding *finding = &ranked.findings[i];
        bool least = 100 * finding->advice.gain >= VERDICT_LEAST_PCT;
        if (finding->kernel != NONE || (!finding->advice.fine && (i >= ranked.wrong || !least)))
            continue;
        verdict->wrong += i < ranked.wrong;
        if (verdict->advice_count < RUN_ADVICE_MAX)
            verdict->advice[verdict->advice_count++] = finding->advice;
    }
    return true;
}

static void take_overlap(struct screen *screen, uint32_t run, const struct overlap *overlap)
{
    struct run_verdict *verdict = &screen->verdicts.runs[run];
    struct advice_run figures = {.overlap = *overlap, .steps = screen->verdicts.job_steps};
    struct advice_list list;
    if (session_run_figures(screen->session, run, &figures, NULL) != STATUS_OK ||
        run_times_of(screen->session, run, &verdict->times, NULL) != STATUS_OK)
        return;
    advice_of_run(&figures, &list);
    screen->verdicts.made++;
    verdict->known = true;
    verdict->run_first = false;
    verdict->wrong = 0;
    for (size_t i = 0; i < list.count; i++)
        verdict->wrong += !list.items[i].fine;
    verdict->advice_count = list.count < RUN_ADVICE_MAX ? list.count : RUN_ADVICE_MAX;
    memcpy(verdict->advice, list.items, verdict->advice_count * sizeof *list.items);
    verdict->time = figures.partition;
    verdict->devices = figures.devices;
    verdict->steps = figures.steps.count;
    take_kernel_times(screen->session, run, &figures.steps, verdict);
    verdict->whole = (struct partition){0};
    take_whole_time(screen->session, run, verdict);
    if (!take_replayed(screen, run, &figures, verdict) && session_run(screen->session, run)->workload == 0)
        weigh_gains(verdict);
}

/* Does a slice of the current job; returns true when the job has ended. */
static bool step_job(struct screen *screen, size_t most)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    struct overlap overlap;
    bool done;
    enum status status = overlap_step(verdicts->job, most, &overlap, &done, NULL);
    if (status == STATUS_OK && !done)
        return false;
    verdicts->runs[verdicts->job_run].known = false;
    if (status == STATUS_OK)
        take_overlap(screen, verdicts->job_run, &overlap);
    overlap_end(verdicts->job);
    verdicts->job = NULL;
    return true;
}

static bool begin_job(struct screen *screen, uint32_t run)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    struct advice_run figures = {0};
    struct advice_range range;
    if (session_find_range(screen->session, run, &figures, &range, NULL) != STATUS_OK)
        return false;
    verdicts->job_run = run;
    verdicts->job_steps = figures.steps;
    return overlap_begin(&verdicts->job, screen->session, run, range.start_ns, range.end_ns, NULL) ==
           STATUS_OK;
}

void run_verdicts_ask(struct screen *screen, uint32_t run)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    const struct run_row *row = run == NONE ? NULL : session_run(screen->session, run);
    struct run_verdict *verdict =
        row && run_is_traced(row) && !screen->state.loading ? verdict_at(verdicts, run) : NULL;
    if (!verdict || (screen->frozen && verdict->known))
        return;
    uint64_t events =
        session_walk_events(screen->session, &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM)});
    bool ended = atomic_load_explicit(&row->end_ns, memory_order_acquire) != INT64_MIN;
    uint64_t made_of = 1 + 2 * events + ended;
    if (made_of == verdict->made_of ||
        (verdict->made_of != 0 && !ended && screen->clock_ms - verdict->made_ms < AGAIN_MS))
        return;
    verdict->made_of = made_of;
    verdict->made_ms = screen->clock_ms;
    if (events > EVENTS_MAX) {
        verdict->known = false;
    } else if (events <= AT_ONCE && !verdicts->job) {
        if (begin_job(screen, run))
            step_job(screen, SIZE_MAX);
    } else if (!verdict->wanted) {
        verdict->wanted = true;
        verdicts->wanted++;
    }
}

bool run_verdicts_work(struct screen *screen)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    if (!verdicts->job && verdicts->wanted == 0)
        return false;
    for (uint32_t run = 0; !verdicts->job && run < verdicts->count; run++) {
        if (verdicts->runs[run].wanted) {
            verdicts->runs[run].wanted = false;
            verdicts->wanted--;
            begin_job(screen, run);
        }
    }
    if (verdicts->job)
        step_job(screen, OVERLAP_SLICE);
    return true;
}

bool run_verdicts_is_due(const struct run_verdicts *verdicts, uint32_t run)
{
    return run_verdicts_of(verdicts, run)->wanted || (verdicts->job && verdicts->job_run == run);
}

const struct run_verdict *run_verdicts_of(const struct run_verdicts *verdicts, uint32_t run)
{
    return run < verdicts->count ? &verdicts->runs[run] : &no_verdict;
}

const struct partition *run_verdict_time(const struct run_verdict *verdict)
{
    return verdict->by_steps ? &verdict->time : &verdict->whole;
}

void run_verdict_text(const struct run_verdict *verdict, char *text, size_t size_bytes)
{
    *text = '\0';
    if (verdict->known && verdict->wrong > 0)
        snprintf(text, size_bytes, "the run: %s", verdict->advice[0].text);
}
