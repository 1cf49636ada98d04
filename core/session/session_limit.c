/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's memory limit: the oldest chunks of lanes leave, the oldest samples become coarser. What left
 * is freed when no reader can be in it: session_retire.c.
 */
#include "core/base/free_memory.h"
#include "core/session/samples_internal.h"

#include <malloc.h>
#include <stdlib.h>

/* What is left of evicted events may take this part of the limit; a lane keeps up to this many runs of merged
 * chunks of each level. */
#define FOLDS_PART 10
#define RUNS_KEPT_MOST 64u

/* This part of the limit is evicted at a time. */
#define EVICTED_PART 16

#define TEXT_LEAST ((uint64_t)64 << 20)
#define TEXT_MOST ((uint64_t)512 << 20)

void session_limit_init(struct session *session)
{
    session->limit = (struct session_limit){.bytes = SIZE_MAX, .fold_at = SIZE_MAX, .asked_bytes = SIZE_MAX};
    session->limit.last = &session->limit.first;
    for (int clock = 0; clock < CLOCK_COUNT; clock++) {
        atomic_init(&session->folded_until_ns[clock], INT64_MIN);
        atomic_init(&session->samples_folded_until_ns[clock], INT64_MIN);
    }
}

void session_set_memory_limit(struct session *session, size_t bytes, bool recorded)
{
    session->limit.bytes = session->limit.fold_at = session->limit.asked_bytes =
        bytes == 0 ? SIZE_MAX : bytes;
    session->limit.recorded = recorded;
}

void session_measure_memory(struct session *session)
{
    session->limit.measured = session->limit.bytes != SIZE_MAX;
}

void session_use_file(struct session *session, int file, size_t in_memory_bytes)
{
    lane_pool_use_file(&session->pool, file, in_memory_bytes);
}

void session_count_memory(const struct session *session, int64_t bytes)
{
    struct session *there = (struct session *)session; /* both counters are atomic */
    atomic_fetch_add_explicit(&there->memory_bytes, (size_t)bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&there->beside_bytes, (size_t)bytes, memory_order_relaxed);
}

bool session_has_room_beside(const struct session *session, size_t bytes)
{
    return atomic_load_explicit(&session->beside_bytes, memory_order_relaxed) + bytes <=
           session->limit.asked_bytes / 2;
}

bool session_has_room_for_text(const struct session *session)
{
    uint64_t room = session->limit.bytes / 2;
    room = room < TEXT_LEAST ? TEXT_LEAST : room > TEXT_MOST ? TEXT_MOST : room;
    return session->text_bytes < room;
}

void session_count_text(struct session *session, int64_t bytes)
{
    session->text_bytes += (uint64_t)bytes;
    atomic_fetch_add_explicit(&session->memory_bytes, (size_t)bytes, memory_order_relaxed);
}

/* ---- readers ---- */
void session_set_recorded(const struct session *session, uint32_t track, uint32_t lane, uint64_t events)
{
    struct lane *there =
        (struct lane *)session_lane(session, track, lane); /* the only field not of the writer */
    if (there)
        atomic_store_explicit(&there->recorded, events, memory_order_release);
}

void session_set_samples_recorded(const struct session *session, uint32_t sampling, uint64_t samples)
{
    struct sampling *there = (struct sampling *)sampling_of(session, sampling); /* its one field, too */
    if (there)
        atomic_store_explicit(&there->recorded, samples, memory_order_release);
}

void session_end_recording(const struct session *session)
{
    atomic_store_explicit(&((struct session *)session)->recording_ended, true, memory_order_release);
}

bool session_is_recorded(const struct session *session)
{
    return !atomic_load_explicit(&session->recording_ended, memory_order_acquire);
}

int64_t session_samples_folded_until_ns(const struct session *session, enum clock_kind clock)
{
    return atomic_load_explicit(&session->samples_folded_until_ns[clock], memory_order_acquire);
}

int64_t session_folded_until_ns(const struct session *session, enum clock_kind clock)
{
    return atomic_load_explicit(&session->folded_until_ns[clock], memory_order_acquire);
}

/* ---- writer ---- */
/* May only recorded events and samples be evicted? */
static bool waits_for_recording(const struct session *session)
{
    return session->limit.recorded && !atomic_load_explicit(&session->recording_ended, memory_order_acquire);
}

/* The bytes in use after readers have released what was evicted. */
static size_t held_bytes(const struct session *session)
{
    return atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) - session->limit.retired_bytes;
}

static void memory_free(struct retired *retired)
{
    free(retired->memory);
    free(retired);
}

/* Retires the tables of a lane's index by time that newer ones have replaced. */
static void retire_older_times(struct session *session, struct lane *lane)
{
    struct retired *retired;
    while (lane_times_has_older(lane) && (retired = malloc(sizeof *retired))) {
        *retired = (struct retired){.release = memory_free};
        retired->memory = lane_times_take_older(lane, &retired->bytes);
        session_retire(session, retired);
    }
}

static bool fold_lane(struct session *session, struct lane *lane)
{
    struct retired *retired = malloc(sizeof *retired);
    if (!retired)
        return false;
    *retired = (struct retired){0};
    retired->memory = lane_fold(lane, &retired->bytes, &session->memory_bytes);
    if (!retired->memory) {
        free(retired);
        return false;
    }
    session_retire(session, retired);
    return true;
}

struct pass {                     /* over all lanes and samplings */
    int64_t oldest_ns, newest_ns; /* of what may leave */
    int64_t until_ns;             /* what starts until then leaves */
    size_t target_bytes;
    bool folded;
};

static void pass_see(struct pass *pass, const struct lane_span *span)
{
    pass->oldest_ns = span->start_ns < pass->oldest_ns ? span->start_ns : pass->oldest_ns;
    pass->newest_ns = span->end_ns > pass->newest_ns ? span->end_ns : pass->newest_ns;
}

static void pass_leave(struct pass *pass, _Atomic int64_t *until_ns, const struct lane_span *span)
{
    pass->folded = true;
    if (span->end_ns > atomic_load_explicit(until_ns, memory_order_relaxed))
        atomic_store_explicit(until_ns, span->end_ns, memory_order_release);
}

static void take_lane(struct session *session, struct track *track, struct lane *lane, struct pass *pass,
                      bool fold)
{
    struct lane_span span;
    if (fold)
        retire_older_times(session, lane);
    if (!lane_foldable(lane, waits_for_recording(session), &span))
        return;
    pass_see(pass, &span);
    while (fold && span.start_ns <= pass->until_ns && held_bytes(session) > pass->target_bytes &&
           fold_lane(session, lane)) {
        pass_leave(pass, &session->folded_until_ns[track->row.clock], &span);
        if (!lane_foldable(lane, waits_for_recording(session), &span))
            break;
    }
}

static void take_sampling(struct session *session, struct sampling *sampling, struct pass *pass, bool fold)
{
    struct lane_span span;
    bool recorded = waits_for_recording(session);
    if (!samples_foldable(sampling, 0, recorded, &span))
        return;
    pass_see(pass, &span);
    while (fold && span.start_ns <= pass->until_ns && held_bytes(session) > pass->target_bytes &&
           samples_fold(session, sampling, 0)) {
        pass_leave(pass, &session->samples_folded_until_ns[sampling->row.clock], &span);
        if (!samples_foldable(sampling, 0, recorded, &span))
            break;
    }
}

/* The oldest of the samples that were folded `step` times. */
static bool fold_further(struct session *session, unsigned step)
{
    struct sampling *oldest = NULL;
    int64_t oldest_ns = INT64_MAX;
    for (uint32_t i = 0; i < table_count(&session->samplings); i++) {
        struct sampling *sampling = table_at(&session->samplings, i);
        struct lane_span span;
        if (samples_foldable(sampling, step, false, &span) && span.start_ns < oldest_ns) {
            oldest = sampling;
            oldest_ns = span.start_ns;
        }
    }
    return oldest && samples_fold(session, oldest, step);
}

/* Folds samples once more, where those folded equally often take the most memory: only if they take more than
 * half as much as the unfolded ones, so that the newest keep more detail, or in any case with `all`, when
 * nothing else can be evicted. */
static bool fold_samples_further(struct session *session, bool all)
{
    const size_t *held = session->limit.sample_bytes;
    bool tried[SAMPLES_FOLDS] = {0};
    for (;;) {
        unsigned most = 0;
        for (unsigned step = 1; step < SAMPLES_FOLDS; step++)
            if (!tried[step] && held[step] > (all ? 0 : held[0] / 2) &&
                (most == 0 || held[step] > held[most]))
                most = step;
        if (most == 0)
            return false;
        if (fold_further(session, most))
            return true;
        tried[most] = true;
    }
}

/* ---- what is left of lanes ---- */
static bool merge_runs(struct session *session, struct lane *lane, uint32_t level, uint32_t keep)
{
    struct retired *retired[2] = {malloc(sizeof **retired), malloc(sizeof **retired)};
    void *replaced[2];
    size_t bytes;
    if (!retired[0] || !retired[1] ||
        !lane_merge_runs(lane, level, keep, replaced, &bytes, &session->memory_bytes)) {
        free(retired[0]);
        free(retired[1]);
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        *retired[i] = (struct retired){.release = memory_free, .memory = replaced[i], .bytes = bytes};
        session_retire(session, retired[i]);
    }
    return true;
}

/* Runs of merged chunks in all lanes. */
static uint64_t count_runs(const struct session *session)
{
    uint64_t runs = 0;
    for (uint32_t t = 0; t < table_count(&session->track_rows); t++) {
        const struct track *track = table_at(&session->track_rows, t);
        for (uint32_t l = 0; l < table_count(&track->lanes); l++) {
            const struct lane *lane = table_at(&track->lanes, l);
            for (uint32_t level = 0; level < LANE_MERGES; level++)
                runs += lane->runs[level];
        }
    }
    return runs;
}

/* Merges what is left of evicted events, the oldest first, until at most `most` runs are left: each lane
 * keeps an equal number of each level. */
static void merge_lanes(struct session *session, uint64_t most)
{
    uint64_t runs = count_runs(session);
    for (uint32_t keep = RUNS_KEPT_MOST; keep > 0 && runs > most; keep /= 2)
        for (uint32_t t = 0; t < table_count(&session->track_rows); t++) {
            struct track *track = table_at(&session->track_rows, t);
            for (uint32_t l = 0; l < table_count(&track->lanes); l++)
                for (uint32_t level = 0; level < LANE_MERGES; level++)
                    while (runs > most && merge_runs(session, table_at(&track->lanes, l), level, keep))
                        runs--;
        }
}

static void take_all(struct session *session, struct pass *pass, bool fold)
{
    for (uint32_t i = 0; i < table_count(&session->samplings); i++)
        take_sampling(session, table_at(&session->samplings, i), pass, fold);
    for (uint32_t t = 0; t < table_count(&session->track_rows); t++) {
        struct track *track = table_at(&session->track_rows, t);
        for (uint32_t l = 0; l < table_count(&track->lanes); l++)
            take_lane(session, track, table_at(&track->lanes, l), pass, fold);
    }
}

/* At most this part of the limit is taken for memory that nothing counts. */
#define UNCOUNTED_PART 4

/* What the process holds and nothing counts (heads and gaps of the heap, stacks, parts of huge pages) is
 * taken from the limit: a quarter of the difference at each look, since freed memory goes back to the system
 * late. */
static void measure_uncounted(struct session *session)
{
    struct session_limit *limit = &session->limit;
    size_t own = own_memory_bytes();
    size_t counted = atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) +
                     lane_pool_kept_bytes(&session->pool);
    size_t now = own > counted ? own - counted : 0, most = limit->asked_bytes / UNCOUNTED_PART;
    now = now < most ? now : most;
    limit->uncounted_bytes = limit->uncounted_bytes - limit->uncounted_bytes / 4 + now / 4;
    limit->bytes = limit->asked_bytes - limit->uncounted_bytes;
}

#define PARTS 32 /* each pass looks at every lane, so it evicts this part of the evictable time */

static void fold_session(struct session *session)
{
    struct session_limit *limit = &session->limit;
    struct pass pass = {.target_bytes = limit->bytes - limit->bytes / EVICTED_PART, .folded = true};
    size_t before = atomic_load_explicit(&session->memory_bytes, memory_order_relaxed);
    session_free_retired(session);
    merge_lanes(session, limit->bytes / FOLDS_PART / lane_folds_bytes());
    while (pass.folded && held_bytes(session) > pass.target_bytes) {
        pass.oldest_ns = INT64_MAX;
        pass.newest_ns = INT64_MIN;
        pass.folded = false;
        take_all(session, &pass, false);
        if (pass.oldest_ns != INT64_MAX) {
            pass.until_ns = pass.oldest_ns + (pass.newest_ns - pass.oldest_ns) / PARTS;
            take_all(session, &pass, true);
        }
        while (held_bytes(session) > pass.target_bytes && fold_samples_further(session, !pass.folded))
            pass.folded = true;
    }
    session_free_retired(session);
    size_t held = atomic_load_explicit(&session->memory_bytes, memory_order_relaxed);
    if (held + limit->bytes / 64 <= before)
        malloc_trim(0); /* freed chunks and tables lie between others: without it their pages stay */
    if (limit->measured)
        measure_uncounted(session);
    limit->fold_at = (held > limit->bytes ? held : limit->bytes) + limit->bytes / 64;
    lane_pool_keep(&session->pool, held < limit->bytes ? limit->bytes - held : 0);
}

void session_fold_when_full(struct session *session)
{
    if (atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) > session->limit.fold_at)
        fold_session(session);
}

#define UNRECORDED_PART \
    16 /* over the limit, no more than this part of it may be added to unrecorded events */
#define RETIRED_PART \
    32 /* and evicted memory that readers still hold, the recorder's transaction, is so much */
#define EVENT_BYTES 41 /* core/session/lane.h */

/* Of events and samples, about. */
static size_t unrecorded_bytes(const struct session *session)
{
    size_t bytes = 0;
    for (uint32_t t = 0; t < table_count(&session->track_rows); t++) {
        const struct track *track = table_at(&session->track_rows, t);
        if (track->row.kind == TRACK_COPY_ENGINE)
            continue; /* doubles, which go with the copies */
        for (uint32_t l = 0; l < table_count(&track->lanes); l++) {
            const struct lane *lane = table_at(&track->lanes, l);
            bytes += (lane_count(lane) - atomic_load_explicit(&lane->recorded, memory_order_acquire)) *
                     EVENT_BYTES;
        }
    }
    for (uint32_t i = 0; i < table_count(&session->samplings); i++) {
        const struct sampling *sampling = table_at(&session->samplings, i);
        uint64_t samples = atomic_load_explicit(&sampling->count, memory_order_relaxed) -
                           atomic_load_explicit(&sampling->recorded, memory_order_acquire);
        bytes += samples * (2 * sizeof(uint32_t) + sampling->row.series * sizeof(float));
    }
    return bytes;
}

bool session_recording_lags(struct session *session)
{
    struct session_limit *limit = &session->limit;
    if (limit->bytes == SIZE_MAX || !waits_for_recording(session) ||
        atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) <= limit->bytes)
        return false;
    if (limit->lags) /* the recorder has gone on since */
        fold_session(session);
    limit->lags = unrecorded_bytes(session) > limit->bytes / UNRECORDED_PART ||
                  limit->retired_bytes > limit->bytes / RETIRED_PART;
    return limit->lags;
}
