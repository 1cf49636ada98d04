/*
 * The session's memory limit: the oldest chunks of lanes leave, readers let go of them. By epochs: a reader
 * notes the epoch it came in; a chunk that left in an epoch is freed when all readers are of a later one.
 */
#include "core/session_parts.h"

#include <sched.h>
#include <stdlib.h>

bool session_limit_init(struct session *session)
{
    session->limit = (struct session_limit){.bytes = SIZE_MAX, .fold_at = SIZE_MAX};
    session->limit.last = &session->limit.first;
    for (int clock = 0; clock < CLOCK_COUNT; clock++)
        atomic_init(&session->folded_until_ns[clock], INT64_MIN);
    session->holds = calloc(1, sizeof *session->holds);
    if (session->holds != NULL)
        atomic_init(&session->holds->epoch, 1);
    return session->holds != NULL;
}

void session_limit_fini(struct session *session)
{
    while (session->limit.first != NULL) {
        struct retired *next = session->limit.first->next;
        lane_chunk_free(&session->pool, session->limit.first->memory, session->limit.first->bytes);
        free(session->limit.first);
        session->limit.first = next;
    }
    free(session->holds);
}

void session_set_memory_limit(struct session *session, size_t bytes, bool recorded)
{
    session->limit.bytes = session->limit.fold_at = bytes == 0 ? SIZE_MAX : bytes;
    session->limit.recorded = recorded;
}

/* ---- readers ---- */
unsigned session_hold(const struct session *session)
{
    struct session_holds *holds = session->holds;
    for (unsigned hold = 0;; hold = (hold + 1) % SESSION_HOLDS_MOST) {
        uint64_t nobody = 0, epoch = atomic_load(&holds->epoch), now;
        if (!atomic_compare_exchange_strong(&holds->since[hold], &nobody, epoch)) {
            if (hold + 1 == SESSION_HOLDS_MOST)
                sched_yield();
            continue;
        }
        /* What left before we were noted, we must not find: come in again, later. */
        for (; (now = atomic_load(&holds->epoch)) != epoch; epoch = now)
            atomic_store(&holds->since[hold], now);
        return hold;
    }
}

void session_let_go(const struct session *session, unsigned hold)
{
    atomic_store(&session->holds->since[hold], 0);
}

void session_set_recorded(const struct session *session, uint32_t track, uint32_t lane, uint64_t events)
{
    struct lane *there =
        (struct lane *)session_lane(session, track, lane); /* its one field that is not the writer's */
    if (there != NULL)
        atomic_store_explicit(&there->recorded, events, memory_order_release);
}

int64_t session_folded_until_ns(const struct session *session, enum clock_kind clock)
{
    return atomic_load_explicit(&session->folded_until_ns[clock], memory_order_acquire);
}

/* ---- writer ---- */
static void free_retired(struct session *session)
{
    struct session_limit *limit = &session->limit;
    uint64_t oldest = UINT64_MAX;
    for (unsigned hold = 0; hold < SESSION_HOLDS_MOST; hold++) {
        uint64_t since = atomic_load(&session->holds->since[hold]);
        oldest = since != 0 && since < oldest ? since : oldest;
    }
    while (limit->first != NULL && limit->first->epoch < oldest) {
        struct retired *freed = limit->first;
        limit->first = freed->next;
        if (limit->first == NULL)
            limit->last = &limit->first;
        limit->retired_bytes -= freed->bytes;
        atomic_fetch_sub_explicit(&session->memory_bytes, freed->bytes, memory_order_relaxed);
        lane_chunk_free(&session->pool, freed->memory, freed->bytes);
        free(freed);
    }
}

/* The bytes that will be held once readers have let go. */
static size_t held_bytes(const struct session *session)
{
    return atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) - session->limit.retired_bytes;
}

static bool fold_lane(struct session *session, struct lane *lane)
{
    struct session_limit *limit = &session->limit;
    struct retired *retired = malloc(sizeof *retired);
    if (retired == NULL)
        return false;
    *retired = (struct retired){0};
    retired->memory = lane_fold(lane, &retired->bytes, &session->memory_bytes);
    if (retired->memory == NULL) {
        free(retired);
        return false;
    }
    retired->epoch = atomic_fetch_add(&session->holds->epoch, 1);
    *limit->last = retired;
    limit->last = &retired->next;
    limit->retired_bytes += retired->bytes;
    return true;
}

struct pass {                     /* over all lanes */
    int64_t oldest_ns, newest_ns; /* of what may leave */
    int64_t until_ns;             /* what starts until then leaves */
    size_t target_bytes;
    bool folded;
};

static void take_lane(struct session *session, struct track *track, struct lane *lane, struct pass *pass,
                      bool fold)
{
    struct lane_span span;
    if (!lane_foldable(lane, session->limit.recorded, &span))
        return;
    pass->oldest_ns = span.start_ns < pass->oldest_ns ? span.start_ns : pass->oldest_ns;
    pass->newest_ns = span.end_ns > pass->newest_ns ? span.end_ns : pass->newest_ns;
    while (fold && span.start_ns <= pass->until_ns && held_bytes(session) > pass->target_bytes &&
           fold_lane(session, lane)) {
        pass->folded = true;
        _Atomic int64_t *until_ns = &session->folded_until_ns[track->row.clock];
        if (span.end_ns > atomic_load_explicit(until_ns, memory_order_relaxed))
            atomic_store_explicit(until_ns, span.end_ns, memory_order_release);
        if (!lane_foldable(lane, session->limit.recorded, &span))
            break;
    }
}

static void take_lanes(struct session *session, struct pass *pass, bool fold)
{
    for (uint32_t t = 0; t < table_count(&session->track_rows); t++) {
        struct track *track = table_at(&session->track_rows, t);
        for (uint32_t l = 0; l < table_count(&track->lanes); l++)
            take_lane(session, track, table_at(&track->lanes, l), pass, fold);
    }
}

#define PARTS 32 /* of the time that may leave, which leave together: a pass looks at every lane */

void session_fold(struct session *session)
{
    struct session_limit *limit = &session->limit;
    struct pass pass = {.target_bytes = limit->bytes - limit->bytes / 16, .folded = true};
    free_retired(session);
    while (pass.folded && held_bytes(session) > pass.target_bytes) {
        pass.oldest_ns = INT64_MAX;
        pass.newest_ns = INT64_MIN;
        pass.folded = false;
        take_lanes(session, &pass, false);
        if (pass.oldest_ns == INT64_MAX)
            break;
        pass.until_ns = pass.oldest_ns + (pass.newest_ns - pass.oldest_ns) / PARTS;
        take_lanes(session, &pass, true);
    }
    free_retired(session);
    size_t held = atomic_load_explicit(&session->memory_bytes, memory_order_relaxed);
    limit->fold_at = (held > limit->bytes ? held : limit->bytes) + limit->bytes / 64;
}
