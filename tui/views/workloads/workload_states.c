/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States are made in one pass over runs and kernels from what the session has published, and made again when
 * there is more. Runs are compared with those that did the same work as the newest run of their workload
 * (core/analysis/run_times.h): by the time of their kernels per useful byte, if the workload gives the number
 * of useful bytes, else by their device time. Results that need a walk over events or counters (device times,
 * the finding) are computed for one workload at a time, between frames.
 */
#include "tui/views/workloads/workload_states.h"

#include "core/advice/session_advice.h"
#include "core/analysis/compare_work.h"
#include "core/analysis/run_times.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/kernels/view_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS 500    /* least time between two passes while events come in */
#define FINDING_ROOM 24 /* cells; with fewer the finding is left out */

void workload_states_fini(struct workload_states *states)
{
    free(states->items);
    free(states->runs);
    *states = (struct workload_states){0};
}

/* ---- runs and kernels ---- */

static int variant_of(const struct tui_workload *workload, const char *name)
{
    for (size_t i = 0; i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int workload_of(const struct screen *screen, const char *name)
{
    for (size_t i = 0; i < screen->host->workload_count; i++)
        if (strcmp(screen->host->workloads[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Runs of one workload mostly follow each other: the previous row is tried first. */
static void take_run(const struct screen *screen, struct workload_states *states, uint32_t index)
{
    const struct session *session = screen->session;
    const struct run_row *row = session_run(session, index),
                         *before = index > 0 ? session_run(session, index - 1) : NULL;
    struct workload_run *run = &states->runs[index];
    *run = (struct workload_run){.workload = -1, .variant = -1, .kernel = NONE};
    if (row->workload == 0 || !run_is_traced(row))
        return;
    run->workload = before && before->workload == row->workload && run[-1].workload >= 0
                        ? run[-1].workload
                        : workload_of(screen, session_string(session, row->workload));
    if (run->workload < 0)
        return;
    run->variant = variant_of(&screen->host->workloads[run->workload], session_string(session, row->variant));
    struct workload_state *state = &states->items[run->workload];
    state->newest = state->measure = index;
    state->runs++;
    state->running +=
        screen->state.live && atomic_load_explicit(&row->end_ns, memory_order_acquire) == INT64_MIN;
    int8_t verified = atomic_load_explicit(&row->verified, memory_order_relaxed);
    state->verified += verified > 0;
    state->wrong += verified == 0;
}

static uint64_t kernel_total_ns(const struct session *session, uint32_t kernel)
{
    return atomic_load_explicit(&session_kernel(session, kernel)->total_ns, memory_order_relaxed);
}

static void take_kernel(const struct session *session, struct workload_states *states, uint32_t index)
{
    const struct kernel_row *kernel = session_kernel(session, index);
    if (kernel->run >= states->run_count || states->runs[kernel->run].workload < 0)
        return;
    struct workload_run *run = &states->runs[kernel->run];
    if (run->kernel == NONE || kernel_total_ns(session, run->kernel) < kernel_total_ns(session, index))
        run->kernel = index;
}

/* Sets the time of the kernels per useful byte, if the number of bytes is known. Copies, which set up and
 * check the work, do not count; in workloads about copies there is no such time. */
static void take_cost(const struct screen *screen, struct workload_states *states, uint32_t index)
{
    struct workload_run *run = &states->runs[index];
    if (run->workload < 0 || strcmp(screen->host->workloads[run->workload].chapter, CHAPTER_TRANSFERS) == 0)
        return;
    run->cost = run_kernel_cost(screen->session, index);
    run->by_kernels = run->cost > 0;
    if (run->by_kernels)
        states->items[run->workload].measure = index;
}

/* By the kernels' time or by the device's, as the newest run, which the others are compared with. */
static bool runs_alike(const struct screen *screen, const struct workload_states *states, uint32_t a,
                       uint32_t b)
{
    return states->runs[a].by_kernels == states->runs[b].by_kernels &&
           compare_runs_alike(screen->session, a, b);
}

/* Is a time of the workload's runs still to come? Which were looked at before must not decide what is compared.
 */
static bool lacks_times(const struct screen *screen, const struct workload_states *states, size_t workload)
{
    for (uint32_t run = 0; run < states->run_count; run++)
        if (states->runs[run].workload == (int)workload && states->runs[run].alike &&
            !states->runs[run].by_kernels &&
            (run_verdicts_of(&screen->verdicts, run)->made_of == 0 ||
             run_verdicts_is_due(&screen->verdicts, run)))
            return true;
    return false;
}

/* Finds the slowest of the runs that did the same work as the newest, and the best of them. */
static void compare_runs(const struct screen *screen, const struct workload_states *states, size_t workload)
{
    struct workload_state *state = &states->items[workload];
    struct run_cost *costs = calloc(states->run_count + 1u, sizeof *costs);
    size_t count = 0, slow = 0;
    state->slow = state->fast = NONE;
    state->times = 0;
    bool lacks = lacks_times(screen, states, workload);
    for (uint32_t index = 0; !lacks && costs && index < states->run_count; index++) {
        struct workload_run *run = &states->runs[index];
        if (run->workload != (int)workload || !run->alike)
            continue;
        const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, index);
        if (!run->by_kernels)
            run->cost = verdict->known ? (double)verdict->times.ns[RUN_TIME_DEVICE] : 0;
        bool bound = run->variant >= 0 && screen->host->workloads[workload].variants[run->variant].bound;
        costs[count] = (struct run_cost){.run = index, .bound = bound, .cost = run->cost};
        if (!bound && (costs[slow].bound || costs[count].cost > costs[slow].cost))
            slow = count;
        count++;
    }
    if (count > 0 && costs[slow].cost > 0) {
        struct run_best best = run_best_of(screen->session, costs, count, slow);
        state->slow = costs[slow].run;
        state->fast = costs[best.best].run;
        state->times = best.times;
        state->by_kernels = states->runs[state->slow].by_kernels;
    }
    free(costs);
}

static void count_variants(const struct screen *screen, struct workload_states *states)
{
    for (size_t i = 0; i < screen->host->workload_count; i++)
        for (int variant = 0; variant < (int)screen->host->workloads[i].variant_count; variant++)
            states->items[i].variants +=
                states->items[i].newest != NONE && workload_state_variant(states, i, variant);
}

static void make_states(const struct screen *screen, struct workload_states *states)
{
    const struct session *session = screen->session;
    uint32_t runs = session_run_count(session);
    size_t count = screen->host->workload_count;
    free(states->items);
    free(states->runs);
    states->items = calloc(count + 1, sizeof *states->items);
    states->runs = calloc(runs + 1u, sizeof *states->runs);
    states->run_count = states->items && states->runs ? runs : 0;
    states->next = states->asked = 0;
    if (!states->items)
        return;
    for (size_t i = 0; i < count; i++)
        states->items[i].newest = states->items[i].slow = states->items[i].fast = NONE;
    for (uint32_t run = 0; run < states->run_count; run++)
        take_run(screen, states, run);
    for (uint32_t kernel = 0; kernel < session_kernel_count(session); kernel++)
        take_kernel(session, states, kernel);
    for (uint32_t run = 0; run < states->run_count; run++)
        take_cost(screen, states, run);
    for (uint32_t run = 0; run < states->run_count; run++) {
        int workload = states->runs[run].workload;
        if (workload >= 0)
            states->runs[run].alike = runs_alike(screen, states, states->items[workload].measure, run);
    }
    for (size_t i = 0; i < count; i++)
        if (states->items[i].newest != NONE)
            compare_runs(screen, states, i);
    count_variants(screen, states);
}

/* Compares a workload's runs again when a device time that took long has arrived. */
static void take_verdicts(const struct screen *screen, struct workload_states *states)
{
    for (uint32_t run = 0; run < states->run_count; run++) {
        const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
        if (!states->runs[run].alike || states->runs[run].by_kernels || !verdict->known ||
            states->runs[run].cost == (double)verdict->times.ns[RUN_TIME_DEVICE])
            continue;
        states->items[states->runs[run].workload].judged = false;
        states->next = states->asked = 0;
    }
}

void workload_states_update(struct screen *screen, struct workload_states *states)
{
    const struct kernel_gains *gains = &kernels_state(screen)->gains;
    uint32_t runs = session_run_count(screen->session);
    bool made = states->items != NULL, live = screen->state.live;
    bool same = made && states->made_of_values == gains->made_of && states->made_of_runs == runs &&
                states->made_live == live;
    if (screen->state.loading || screen->frozen ||
        (made && live && screen->clock_ms - states->made_ms < AGAIN_MS))
        return;
    if (!same || live) {
        make_states(screen, states);
        states->made_of_values = gains->made_of;
        states->made_of_runs = runs;
        states->made_live = live;
        states->made_ms = screen->clock_ms;
    } else if (states->made_of_verdicts != screen->verdicts.made) {
        take_verdicts(screen, states);
    }
    states->made_of_verdicts = screen->verdicts.made;
}

/* ---- between frames ---- */

/* Requests the device time of a run that is compared by it, also if it was made while the run was in progress;
 * false: all are known or requested. */
static bool request_time(struct screen *screen, struct workload_states *states, size_t workload)
{
    while (states->asked < states->run_count) {
        const struct workload_run *run = &states->runs[states->asked++];
        if (run->workload != (int)workload || !run->alike || run->by_kernels)
            continue;
        run_verdicts_ask(screen, states->asked - 1);
        return true;
    }
    states->asked = 0;
    return false;
}

/* Finds the problem of the slowest run, of its kernel first. */
static void judge_state(const struct screen *screen, const struct workload_states *states,
                        struct workload_state *state)
{
    uint32_t run = state->slow != NONE ? state->slow : state->newest;
    const struct kernel_index *index = kernels_state(screen)->gains.index;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
    struct advice_list list = {0};
    state->judged = true;
    state->finding[0] = '\0';
    if (run == NONE)
        return;
    if (index && states->runs[run].kernel < kernel_index_count(index))
        session_advise_indexed(index, states->runs[run].kernel, &list);
    if (list.count > 0 && !list.items[0].fine)
        snprintf(state->finding, sizeof state->finding, "%.*s", (int)sizeof state->finding - 1,
                 list.items[0].text);
    else if (verdict->known && verdict->advice_count > 0 && verdict->wrong > 0)
        snprintf(state->finding, sizeof state->finding, "%.*s", (int)sizeof state->finding - 1,
                 verdict->advice[0].text);
}

bool workload_states_work(struct screen *screen, struct workload_states *states)
{
    if (!states->items || screen->state.loading || screen->frozen)
        return false;
    for (; states->next < screen->host->workload_count; states->next++) {
        struct workload_state *state = &states->items[states->next];
        if (state->newest == NONE || state->judged)
            continue;
        if (!request_time(screen, states, states->next)) {
            compare_runs(screen, states, states->next++);
            judge_state(screen, states, state);
        }
        states->made_of_verdicts = screen->verdicts.made;
        return true;
    }
    return false;
}

/* ---- words ---- */

const struct workload_state *workload_state_of(const struct workload_states *states, size_t workload)
{
    return states->items && states->items[workload].newest != NONE ? &states->items[workload] : NULL;
}

const struct workload_run *workload_state_variant(const struct workload_states *states, size_t workload,
                                                  int variant)
{
    for (uint32_t run = states->run_count; run-- > 0;)
        if (states->runs[run].workload == (int)workload && states->runs[run].variant == variant)
            return &states->runs[run];
    return NULL;
}

/* "naive", or if the variants are equal, the value that differs: "stride=32". */
static void print_side(const struct screen *screen, uint32_t run, uint32_t other, char *text,
                       size_t size_bytes)
{
    const struct session *session = screen->session;
    const struct run_row *row = session_run(session, run), *beside = session_run(session, other);
    const char *a = session_string(session, row->params), *b = session_string(session, beside->params);
    struct run_param left, right;
    snprintf(text, size_bytes, "%s", session_string(session, row->variant));
    while (row->variant == beside->variant && run_param_next(&a, &left) && run_param_next(&b, &right)) {
        if (left.name_length == right.name_length && left.value_length == right.value_length &&
            memcmp(left.name, right.name, (size_t)left.name_length) == 0 &&
            memcmp(left.value, right.value, (size_t)left.value_length) == 0)
            continue;
        snprintf(text, size_bytes, "%.*s=%.*s", left.name_length, left.name, left.value_length, left.value);
        return;
    }
}

void workload_state_print(const struct screen *screen, const struct workload_states *states, size_t workload,
                          int cells, char *text, size_t size_bytes)
{
    const struct workload_state *state = workload_state_of(states, workload);
    char slow[80], fast[80];
    size_t used = 0;
    text[0] = '\0';
    if (!state)
        return;
    if (state->running > 0) {
        append_text(text, size_bytes, &used, "running, %u run%s so far", state->runs,
                    state->runs == 1 ? "" : "s");
        return;
    }
    if (state->verified < state->runs)
        append_text(text, size_bytes, &used, "%u of %u runs not verified", state->runs - state->verified,
                    state->runs);
    else if (state->variants > 1)
        append_text(text, size_bytes, &used, "%u variants", state->variants);
    else
        append_text(text, size_bytes, &used, "%u run%s", state->runs, state->runs == 1 ? "" : "s");
    bool faster = state->times >= FASTER_FROM;
    if (faster) {
        print_side(screen, state->slow, state->fast, slow, sizeof slow);
        print_side(screen, state->fast, state->slow, fast, sizeof fast);
        faster = strcmp(slow, fast) != 0; /* else the same case just took longer once */
    }
    if (faster) {
        const size_t counted = used;
        append_text(text, size_bytes, &used, ", %s -> %s%s %.*fx", slow, fast,
                    state->by_kernels ? " kernels" : "", state->times < 10, state->times);
        if ((int)used > cells &&
            state->verified == state->runs) { /* rather without the count than the ratio */
            memmove(text, text + counted + 2, used - counted - 1);
            used -= counted + 2;
        }
    }
    if (state->finding[0] != '\0' && (int)used + FINDING_ROOM <= cells)
        append_text(text, size_bytes, &used, ": %s", state->finding);
}
