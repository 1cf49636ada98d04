/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There is one verdict per run, by the run's index. A run with few events is judged while a view updates, one with more
 * between frames, and one that would delay a frame by another process, one at a time, that of the run shown first. A
 * verdict is made again when the run has new events.
 */
#include "tui/frame/run_verdicts.h"

#include "core/advice/remedies.h"
#include "core/advice/session_advice.h"
#include "core/analysis/run_times.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/session/session_walk.h"
#include "tui/frame/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 4096u /* most operations that are processed while a view updates */
/* A run with more events, or of a session with more launches, is judged beside the screen; else it takes some ms. */
#define BESIDE_EVENTS 16384u
#define BESIDE_LAUNCHES 262144u
#define AGAIN_MS 1000           /* least time between two verdicts while events come in */
#define WORK_NS (2 * NS_PER_MS) /* between two looks at what the process has made */

static const struct run_verdict no_verdict = {.first_kernel = NONE};

static void free_verdicts(struct run_verdicts *verdicts)
{
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

/* ---- judging ---- */

/* The problems of the run itself as the replay ranks them, as in the report; those of its kernels are with these. */
static void take_ranked(const struct verdict *ranked, struct run_verdict *verdict)
{
    verdict->advice_count = verdict->wrong = 0;
    verdict->run_first = ranked->wrong > 0 && ranked->findings[0].kernel == NONE;
    verdict->first_kernel = ranked->wrong > 0 ? ranked->findings[0].kernel : NONE;
    for (size_t i = 0; i < ranked->count; i++) {
        const struct run_finding *finding = &ranked->findings[i];
        bool least = 100 * finding->advice.gain >= VERDICT_LEAST_PCT;
        if (finding->kernel != NONE || (!finding->advice.fine && (i >= ranked->wrong || !least)))
            continue;
        verdict->wrong += i < ranked->wrong;
        if (verdict->advice_count < RUN_ADVICE_MAX)
            verdict->advice[verdict->advice_count++] = finding->advice;
    }
}

/* Where the replay claims nothing, or there is no memory for it: as the rules rank. */
static void take_rules(const struct session *session, uint32_t run, const struct advice_run *figures,
                       struct run_verdict *verdict)
{
    struct advice_list list;
    advice_of_run(figures, &list);
    verdict->run_first = false;
    verdict->first_kernel = NONE;
    verdict->wrong = 0;
    for (size_t i = 0; i < list.count; i++)
        verdict->wrong += !list.items[i].fine;
    verdict->advice_count = list.count < RUN_ADVICE_MAX ? list.count : RUN_ADVICE_MAX;
    memcpy(verdict->advice, list.items, verdict->advice_count * sizeof *list.items);
    if (session_run(session, run)->workload == 0)
        weigh_gains(verdict);
}

/* The run's times; its advice is not there yet. False: they are not known, or there is no memory. */
static bool make_times(const struct session *session, uint32_t run, struct advice_run *figures,
                       struct run_verdict *verdict)
{
    struct advice_range range;
    *figures = (struct advice_run){0};
    if (session_find_range(session, run, figures, &range, NULL) != STATUS_OK ||
        overlap_sums(session, run, range.start_ns, range.end_ns, &figures->overlap, NULL) != STATUS_OK ||
        session_run_figures(session, run, figures, NULL) != STATUS_OK ||
        run_times_of(session, run, &verdict->times, NULL) != STATUS_OK)
        return false;
    verdict->known = verdict->replaying = true;
    verdict->run_first = false;
    verdict->first_kernel = NONE;
    verdict->wrong = verdict->advice_count = 0;
    verdict->time = figures->partition;
    verdict->devices = figures->devices;
    verdict->steps = figures->steps.count;
    take_kernel_times(session, run, &figures->steps, verdict);
    verdict->whole = (struct partition){0};
    take_whole_time(session, run, verdict);
    return true;
}

static void make_advice(const struct session *session, uint32_t run, const struct kernel_index *index,
                        const struct advice_run *figures, struct run_verdict *verdict)
{
    struct remedies remedies;
    struct verdict found, ranked;
    verdict->replaying = false;
    if (!index || verdict_of_run(index, run, figures, &found, NULL) != STATUS_OK ||
        remedies_make(index, run, figures, &found, &remedies, NULL) != STATUS_OK || remedies.why[0]) {
        take_rules(session, run, figures, verdict);
        return;
    }
    remedies_rank(index, &remedies, &found, &ranked);
    take_ranked(&ranked, verdict);
}

/* ---- at once, and between frames ---- */

/* Of all kernels, for the values as they are now; NULL: there is no memory. */
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
    kernel_index_create(&verdicts->index, session, NULL);
    return verdicts->index;
}

static void judge_here(struct screen *screen, uint32_t run)
{
    struct run_verdict *verdict = &screen->verdicts.runs[run];
    struct advice_run figures;
    verdict->known = make_times(screen->session, run, &figures, verdict);
    if (!verdict->known)
        return;
    make_advice(screen->session, run, current_index(&screen->verdicts, screen->session), &figures, verdict);
    screen->verdicts.made++;
}

/* ---- beside the screen ---- */

size_t run_verdict_share_bytes(const struct session *session)
{
    return sizeof(struct run_verdict_share) + (session_kernel_count(session) + 1u) * sizeof(uint64_t);
}

static void share_verdict(struct run_verdict_share *share, uint32_t at, const struct run_verdict *verdict)
{
    share->verdicts[at] = *verdict;
    share->verdicts[at].kernel_ns = NULL;
    if (verdict->kernel_count > share->kernel_room)
        share->verdicts[at].kernel_count = share->kernel_room;
    if (at == 0 && share->verdicts[at].kernel_count > 0)
        memcpy(share->kernel_ns, verdict->kernel_ns,
               share->verdicts[at].kernel_count * sizeof *share->kernel_ns);
    atomic_store_explicit(&share->made, at + 1, memory_order_release);
}

void run_verdict_make(const struct session *session, uint32_t run, struct run_verdict_share *share)
{
    struct run_verdict verdict = no_verdict;
    struct kernel_index *index = NULL;
    struct advice_run figures;
    if (make_times(session, run, &figures, &verdict)) {
        share_verdict(share, 0, &verdict);
        kernel_index_create(&index, session, NULL);
        make_advice(session, run, index, &figures, &verdict);
        share_verdict(share, 1, &verdict);
    }
    kernel_index_destroy(index);
    free(verdict.kernel_ns);
}

static bool is_long(const struct screen *screen, uint32_t run)
{
    const struct walk walk = {.run = run, .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS)};
    return screen->host->judge && (session_walk_events(screen->session, &walk) > BESIDE_EVENTS ||
                                   session_launch_count(screen->session) > BESIDE_LAUNCHES);
}

/* What identifies the data is the screen's own: when it was asked for, and of how many events. */
static void take_shared(struct run_verdict *verdict, const struct run_verdict_share *share, uint32_t made)
{
    struct run_verdict taken = share->verdicts[made - 1];
    taken.wanted = verdict->wanted;
    taken.made_of = verdict->made_of;
    taken.made_ms = verdict->made_ms;
    free(verdict->kernel_ns);
    taken.kernel_ns = calloc(taken.kernel_count + 1u, sizeof *taken.kernel_ns);
    if (!taken.kernel_ns)
        taken.kernel_count = 0;
    else
        memcpy(taken.kernel_ns, share->kernel_ns, taken.kernel_count * sizeof *taken.kernel_ns);
    *verdict = taken;
}

static void judge_beside(struct screen *screen)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    struct run_verdict *verdict = &verdicts->runs[verdicts->beside];
    bool done = false;
    const struct run_verdict_share *share =
        screen->host->judge(screen->host->context, verdicts->beside, &done);
    uint32_t made = share ? atomic_load_explicit(&share->made, memory_order_acquire) : 0;
    if (made > verdicts->beside_made) {
        take_shared(verdict, share, made);
        verdicts->beside_made = made;
        verdicts->made++;
    } else if (!done) {
        clock_pause(WORK_NS);
    }
    if (!done || (share && atomic_load_explicit(&share->made, memory_order_acquire) > made))
        return;
    if (made < 2) { /* it could not be judged: events were evicted, or there is no memory */
        verdict->known = verdict->replaying = false;
        verdicts->made++;
    }
    verdicts->asked = false;
    screen->host->stop_judging(screen->host->context);
}

void run_verdicts_stop(struct screen *screen)
{
    if (screen->verdicts.asked)
        screen->host->stop_judging(screen->host->context);
    free_verdicts(&screen->verdicts);
}

/* ---- requests ---- */

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
    if (events <= AT_ONCE && !is_long(screen, run)) {
        judge_here(screen, run);
    } else if (!verdict->wanted) {
        verdict->wanted = true;
        verdicts->wanted++;
    }
}

/* The run shown first. */
static uint32_t next_wanted(const struct screen *screen)
{
    const struct run_verdicts *verdicts = &screen->verdicts;
    uint32_t run = 0;
    if (screen->run < verdicts->count && verdicts->runs[screen->run].wanted)
        return screen->run;
    while (run < verdicts->count && !verdicts->runs[run].wanted)
        run++;
    return run;
}

bool run_verdicts_work(struct screen *screen)
{
    struct run_verdicts *verdicts = &screen->verdicts;
    uint32_t run = verdicts->wanted > 0 && !verdicts->asked ? next_wanted(screen) : NONE;
    if (run < verdicts->count) {
        verdicts->runs[run].wanted = false;
        verdicts->wanted--;
        verdicts->asked = is_long(screen, run);
        verdicts->beside = run;
        verdicts->beside_made = 0;
        if (!verdicts->asked)
            judge_here(screen, run);
    }
    bool asked = verdicts->asked;
    if (asked)
        judge_beside(screen);
    return run != NONE || asked;
}

bool run_verdicts_is_due(const struct run_verdicts *verdicts, uint32_t run)
{
    return run_verdicts_of(verdicts, run)->wanted || (verdicts->asked && verdicts->beside == run);
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
    if (verdict->known && verdict->replaying)
        snprintf(text, size_bytes, "the run: replayed to see what would help");
    else if (verdict->known && verdict->wrong > 0)
        snprintf(text, size_bytes, "the run: %s", verdict->advice[0].text);
}
