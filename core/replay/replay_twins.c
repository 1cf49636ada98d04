/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of pairs; of a run that stands in several, the first whose base is there. A round goes from the end of its last set to its last end; or, of a workload that sets nothing in a
 * round, from the end of the operation before the round to that of its last one.
 */
#include "core/replay/replay_twins.h"

#include "core/replay/replay_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const char *workload, *base, *twin, *edit;
    uint32_t chunks;        /* of the edit `chunks`: as many as the twin has; 0: as many as it has streams */
    uint32_t before, last;  /* operations, counted from the end of the run; 0: by the last set */
    const char *operations; /* the parameter that says how many more there are; NULL: none */
};

static const struct pair pairs[] = {
    {"n-way", "serial", "3-way", "chunks", 8, 0, 0, NULL},
    {"n-way", "serial", "4-way", "chunks", 8, 0, 0, NULL},
    {"n-way", "3-way", "4-way", "events", 1, 0, 0, NULL},
    {"staged-overlap", "whole-pinned", "staged-pinned", "chunks", 0, 0, 0, NULL},
    {"staged-overlap", "whole-pageable", "whole-pinned", "pinned", 1, 0, 0, NULL},
    {"staged-overlap", "staged-pageable", "staged-pinned", "pinned", 1, 0, 0, NULL},
    {"default-stream", "legacy", "non-blocking", "legacy", 1, 0, 0, NULL},
    {"default-stream", "allocation", "streams", "allocations", 1, 0, 0, NULL},
    {"launch", "stream", "graph", "launches", 1, 2, 2, "kernels"},
    {"host-copy", "pageable-in", "pinned-in", "pinned", 1, 3, 2, NULL},
    {"host-copy", "pageable-out", "pinned-out", "pinned", 1, 3, 2, NULL}};

/* ---- the runs ---- */

/* Of "streams=4,n=1024" the value of a name; `otherwise`: it has none. */
static uint32_t param_of(const char *params, const char *name, uint32_t otherwise)
{
    const size_t length = strlen(name);
    for (const char *at = params; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return (uint32_t)strtoul(at + length + 1, NULL, 10);
    return otherwise;
}

/* The parameters behind the number of streams, which a run that is not cut into pieces has no use for. */
static const char *behind_streams(const char *params)
{
    const char *comma = strchr(params, ',');
    return strncmp(params, "streams=", 8) == 0 && comma ? comma + 1 : params;
}

static const char *text_of(const struct session *session, uint32_t string)
{
    return session_string(session, string);
}

static bool is_pair(const struct session *session, const struct pair *pair, const struct run_row *run,
                    const struct run_row *base)
{
    const char *params = text_of(session, run->params), *of_base = text_of(session, base->params);
    if (strcmp(text_of(session, run->workload), pair->workload) != 0 || base->workload != run->workload ||
        strcmp(text_of(session, run->variant), pair->twin) != 0 ||
        strcmp(text_of(session, base->variant), pair->base) != 0)
        return false;
    if (pair->chunks > 0)
        return strcmp(params, of_base) == 0;
    uint32_t streams = param_of(params, "streams", 1);
    return streams > 1 && streams <= REPLAY_CHUNKS_MAX && param_of(of_base, "streams", 1) == 1 &&
           strcmp(behind_streams(params), behind_streams(of_base)) == 0;
}

static bool is_judged(const struct run_row *run)
{
    return run->workload != 0 && run_is_traced(run) &&
           atomic_load_explicit(&run->end_ns, memory_order_relaxed) != INT64_MIN;
}

bool replay_twin_find(const struct session *session, uint32_t run, struct replay_twin *twin)
{
    const struct run_row *row = session_run(session, run);
    *twin = (struct replay_twin){.run = run, .base = NONE};
    for (size_t k = 0; row && is_judged(row) && k < sizeof pairs / sizeof *pairs; k++)
        for (uint32_t i = session_run_count(session); i-- > 0;) {
            const struct run_row *base = session_run(session, i);
            if (base->clock != row->clock || base->device != row->device || !is_judged(base) ||
                !is_pair(session, &pairs[k], row, base))
                continue;
            twin->base = i;
            twin->edit = replay_edit_find(pairs[k].edit, strlen(pairs[k].edit));
            return true;
        }
    return false;
}

/* ---- their last rounds ---- */

/* By the ends of the last replay, or as measured. */
static int64_t round_ns(const struct replay *replay, const struct pair *pair, uint32_t more, bool measured)
{
    const size_t count = replay->operation_count, back = pair->before > 0 ? pair->before + more : 0;
    size_t before = back < count ? count - back : 0, last = pair->last < count ? count - pair->last : 0;
    int64_t start_ns = INT64_MIN, end_ns = INT64_MIN;
    for (size_t i = 0; i < count && pair->before == 0; i++)
        if (replay->operations[i].kind == REPLAY_SET)
            before = i;
    for (size_t i = before; i < count; i++) {
        int64_t own_ns = measured ? replay->operations[i].end_ns : replay_end_ns(replay, i);
        start_ns = i == before ? own_ns : start_ns;
        if (i > before && (pair->before == 0 || i <= last))
            end_ns = own_ns > end_ns ? own_ns : end_ns;
    }
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static uint32_t more_of(const struct session *session, const struct pair *pair, uint32_t run)
{
    return pair->operations
               ? param_of(text_of(session, session_run(session, run)->params), pair->operations, 0)
               : 0;
}

enum status replay_twin_compare(const struct session *session, struct replay_twin *twin, struct error *error)
{
    const struct pair *pair = NULL;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs && !pair; k++)
        if (is_pair(session, &pairs[k], session_run(session, twin->run), session_run(session, twin->base)))
            pair = &pairs[k];
    struct replay *base = NULL, *run = NULL;
    struct replay_change change = replay_as_measured;
    if (!pair)
        return error_set(error, STATUS_STATE, "These runs are no pair.");
    twin->edit = replay_edit_find(pair->edit, strlen(pair->edit));
    enum status status = replay_open(&base, session, twin->base, INT64_MIN, INT64_MAX, error);
    if (status == STATUS_OK)
        status = replay_open(&run, session, twin->run, INT64_MIN, INT64_MAX, error);
    if (status == STATUS_OK) {
        const uint32_t more = more_of(session, pair, twin->base);
        twin->edit->apply(&change);
        change.chunks = pair->chunks > 0 ? pair->chunks
                                         : param_of(text_of(session, session_run(session, twin->run)->params),
                                                    "streams", 1);
        snprintf(twin->why, sizeof twin->why, "%s", replay_facts(base)->why);
        twin->base_ns = round_ns(base, pair, more, true);
        twin->run_ns = round_ns(run, pair, more_of(session, pair, twin->run), true);
        replay_run(base, &replay_as_measured);
        const double replayed_ns = (double)round_ns(base, pair, more, false);
        replay_run(base, &change);
        const double edited_ns = (double)round_ns(base, pair, more, false);
        if (replayed_ns > 0 && twin->base_ns > 0 && twin->run_ns > 0) {
            twin->predicted = 1 - edited_ns / replayed_ns;
            twin->real = 1 - (double)twin->run_ns / (double)twin->base_ns;
        } else {
            status = error_set(error, STATUS_STATE, "A run of these has no round.");
        }
    }
    replay_close(base);
    replay_close(run);
    return status;
}
