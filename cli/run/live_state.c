/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a live session: whether it is ending, what failed, and both as text. */
#include "cli/run/live_internal.h"

#include "core/session/lod.h"

#include <signal.h>
#include <stdio.h>

bool live_is_ending(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    bool ending = live->ending;
    pthread_mutex_unlock(&live->mutex);
    return ending || atomic_load(&live->interrupted) != 0;
}

bool live_runs(const struct live *live)
{
    for (size_t i = 0; i < LIVE_SLOTS; i++)
        if (live->current[i])
            return true;
    return false;
}

void live_fail(struct live *live, const struct error *error, int exit_status)
{
    collector_notice(live->collector, SEVERITY_ERROR, error->text);
    pthread_mutex_lock(&live->mutex);
    live->error = *error;
    live->exit_status = exit_status;
    pthread_mutex_unlock(&live->mutex);
}

void live_interrupt(struct live *live, int signal_number)
{
    atomic_store(&live->interrupted, signal_number);
    for (size_t i = 0; i < LIVE_SLOTS; i++) {
        int child = atomic_load(&live->child[i]);

        if (child > 0)
            kill(-child, signal_number);
    }
}

/* CUPTI's own cost, by its overhead tracks, as a share of the session so far. */
static double overhead_pct(const struct session *session)
{
    int64_t now_ns = session_now_ns(session, CLOCK_WALL), cost_ns = 0;
    bool known = false;

    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        uint32_t lanes = session_lane_count(session, track);

        if (row->kind != TRACK_OVERHEAD)
            continue;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            struct lod_column column;

            lod_query(session, track, lane, 0, now_ns, &column, 1);
            cost_ns += column.busy_ns;
            known = true;
        }
    }
    return known && now_ns > 0 ? 100.0 * (double)cost_ns / (double)now_ns : -1;
}

void live_planned_name(struct live *live, uint32_t number, char *text, size_t size_bytes)
{
    text[0] = '\0';
    pthread_mutex_lock(&live->mutex);
    const struct planned_runs *cases = live->request ? &live->request->cases : NULL;
    if (cases && cases->names && number > 0 && cases->count > 0)
        snprintf(text, size_bytes, "%s", cases->names[(number - 1) % cases->count]);
    pthread_mutex_unlock(&live->mutex);
}

static void progress_of_launch(struct live *live, struct live_state *state)
{
    struct collector_progress progress;

    state->launch.over = true;
    if (!state->running || !collector_progress(live->collector, &progress))
        return;
    state->launch = progress.of;
    progress_kernel_name(session_string(live->session, progress.kernel), state->kernel, sizeof state->kernel);
}

void live_state(struct live *live, struct live_state *state)
{
    static const char *const run_words[RUN_MODE_COUNT] = {[RUN_TRACE] = "trace",
                                                          [RUN_COUNTERS] = "counter",
                                                          [RUN_MEMORY] = "memory counter",
                                                          [RUN_LINES] = "line"};
    const struct session *session = live->session;
    uint32_t runs = session_run_count(session);
    struct session_lost lost;

    session_lost(session, &lost);
    pthread_mutex_lock(&live->mutex);
    *state = (struct live_state){.running = live_runs(live), .dropped = lost.dropped};
    struct step_plan plan = live->plan;
    if (live->busy && runs > live->first_run && runs - live->first_run <= live->planned) {
        state->run = runs - live->first_run;
        state->planned = live->planned;
    }
    pthread_mutex_unlock(&live->mutex);
    progress_of_launch(live, state);
    char mode[40];
    snprintf(mode, sizeof mode, "%s", plan.model ? "modelled" : run_words[plan.mode]);
    if (plan.of > 0)
        snprintf(mode, sizeof mode, "line (kernel %hu of %hu)", plan.number, plan.of);
    state->overhead_pct = overhead_pct(session);
    if (state->running && runs) {
        const struct run_row *run = session_run(session, runs - 1);
        uint32_t name = run->workload ? run->workload : run->program;

        snprintf(state->text, sizeof state->text, "%.24s run of %.60s%s%.20s %.40s", mode,
                 session_string(session, name), run->variant ? ":" : "",
                 session_string(session, run->variant), session_string(session, run->params));
    } else if (state->running) {
        snprintf(state->text, sizeof state->text, "%s run starts", mode);
    }
}
