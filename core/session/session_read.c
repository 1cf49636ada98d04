/* The readers' side of the session: any thread, no lock; everything below a published count stays as it is.
 */
#include "core/session/session_internal.h"

#include <inttypes.h>
#include <stdio.h>

#define SESSION_TABLE_DEFINE(noun)                                                                         \
    uint32_t session_##noun##_count(const struct session *session)                                         \
    {                                                                                                      \
        return table_count(&session->noun##_rows);                                                         \
    }                                                                                                      \
    const struct noun##_row *session_##noun(const struct session *session, uint32_t index)                 \
    {                                                                                                      \
        return index < table_count(&session->noun##_rows) ? table_at(&session->noun##_rows, index) : NULL; \
    }
SESSION_TABLE_LIST(SESSION_TABLE_DEFINE)
#undef SESSION_TABLE_DEFINE

uint32_t session_next_of_group(const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    uint32_t next = row != NULL ? atomic_load_explicit(&row->next_of_group, memory_order_acquire) : 0;
    return next - 1; /* NONE of 0 */
}

uint32_t session_lane_count(const struct session *session, uint32_t track)
{
    const struct track_row *row = session_track(session, track);
    return row != NULL ? atomic_load_explicit(&row->lane_count, memory_order_acquire) : 0;
}

int64_t session_start_ns(const struct session *session)
{
    return session->start_ns;
}

size_t session_memory_bytes(const struct session *session)
{
    return atomic_load_explicit(&session->memory_bytes, memory_order_relaxed) +
           atomic_load_explicit(&session->refilled_bytes, memory_order_relaxed);
}

uint32_t shape_shared_set_aside(const struct shape_row *shape)
{
    bool known = shape->static_shared_bytes > 0 && shape->dynamic_shared_bytes == 0;
    return known ? shape->shared_config_bytes : 0;
}

const char *session_string(const struct session *session, uint32_t string)
{
    if (string >= table_count(&session->strings))
        return "";
    return ((const struct string_row *)table_at(&session->strings, string))->text;
}

const struct lane *session_lane(const struct session *session, uint32_t track, uint32_t lane)
{
    if (track >= table_count(&session->track_rows))
        return NULL;
    const struct track *owner = table_at(&session->track_rows, track);
    return lane < table_count(&owner->lanes) ? table_at(&owner->lanes, lane) : NULL;
}

uint64_t session_lane_count_events(const struct session *session, uint32_t track, uint32_t lane)
{
    const struct lane *there = session_lane(session, track, lane);
    return there == NULL ? 0 : lane_count(there);
}

int64_t session_event_start_ns(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return lane == NULL || ref.index >= lane_count(lane) ? 0 : lane_start_ns(lane, ref.index);
}

int64_t session_event_end_ns(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return lane == NULL || ref.index >= lane_count(lane)
               ? 0
               : lane_start_ns(lane, ref.index) + lane_duration_ns(lane, ref.index);
}

struct item session_event_item(const struct session *session, struct event_ref ref)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    return lane == NULL || ref.index >= lane_count(lane) ? (struct item){0} : lane_item(lane, ref.index);
}

bool session_event(const struct session *session, struct event_ref ref, int64_t *start_ns, int64_t *end_ns,
                   struct item *item)
{
    const struct lane *lane = session_lane(session, ref.track, ref.lane);
    if (lane == NULL || ref.index >= lane_count(lane))
        return false;
    lane_event(lane, ref.index, start_ns, end_ns, item);
    return true;
}

uint64_t session_lane_find(const struct session *session, uint32_t track, uint32_t lane, int64_t time_ns)
{
    const struct lane *there = session_lane(session, track, lane);
    if (there == NULL)
        return 0;
    uint64_t count = lane_count(there);
    if (time_ns == INT64_MAX)
        return count;
    /* Only the last event that starts at time_ns or before can end after it. */
    uint64_t later = lane_find_start(there, count, time_ns + 1);
    if (later > 0 && lane_start_ns(there, later - 1) + lane_duration_ns(there, later - 1) > time_ns)
        return later - 1;
    return later;
}

int64_t session_now_ns(const struct session *session, enum clock_kind clock)
{
    return atomic_load_explicit(&session->now_ns[clock], memory_order_relaxed);
}

int64_t session_first_ns(const struct session *session, enum clock_kind clock)
{
    int64_t first_ns = atomic_load_explicit(&session->first_ns[clock], memory_order_relaxed);
    return first_ns == INT64_MAX ? 0 : first_ns;
}

uint64_t session_event_count(const struct session *session)
{
    return atomic_load_explicit(&session->events, memory_order_relaxed);
}

uint64_t session_launch_count(const struct session *session)
{
    return atomic_load_explicit(&session->launches, memory_order_relaxed);
}

void session_lost(const struct session *session, struct session_lost *lost)
{
    *lost = (struct session_lost){
        .late = atomic_load_explicit(&session->late, memory_order_relaxed),
        .refused = atomic_load_explicit(&session->refused, memory_order_relaxed),
        .no_memory = atomic_load_explicit(&session->no_memory, memory_order_relaxed),
        .dropped = atomic_load_explicit(&session->dropped, memory_order_relaxed),
        .told = atomic_load_explicit(&session->told, memory_order_relaxed),
    };
}

const char *track_kind_text(enum track_kind kind)
{
#define TRACK_TEXT(name, text) [TRACK_##name] = text,
    static const char *const texts[TRACK_KIND_COUNT] = {TRACK_KIND_LIST(TRACK_TEXT)};
#undef TRACK_TEXT
    return (unsigned)kind < TRACK_KIND_COUNT ? texts[kind] : "unknown";
}

void session_track_name(const struct session *session, uint32_t track, char *text, size_t size_bytes)
{
    const struct track_row *row = session_track(session, track);
    if (row == NULL) {
        snprintf(text, size_bytes, "no track");
        return;
    }
    switch (row->kind) {
    case TRACK_STREAM:
        if ((row->flags & STREAM_DEFAULT) != 0)
            snprintf(text, size_bytes, "default stream");
        else if ((row->flags & STREAM_PER_THREAD) != 0)
            snprintf(text, size_bytes, "per-thread stream %" PRIu32, row->stream);
        else
            snprintf(text, size_bytes, "stream %" PRIu32, row->stream);
        break;
    case TRACK_COPY_ENGINE: snprintf(text, size_bytes, "%s", copy_kind_copies(row->copy_kind)); break;
    case TRACK_CALLS: snprintf(text, size_bytes, "calls of thread %" PRIu32, row->thread); break;
    case TRACK_RANGES: snprintf(text, size_bytes, "ranges of thread %" PRIu32, row->thread); break;
    case TRACK_SYNCS: snprintf(text, size_bytes, "waits of thread %" PRIu32, row->thread); break;
    case TRACK_OVERHEAD: snprintf(text, size_bytes, "overhead in thread %" PRIu32, row->thread); break;
    case TRACK_MEASUREMENTS: snprintf(text, size_bytes, "replay of stream %" PRIu32, row->stream); break;
    default: snprintf(text, size_bytes, "track %" PRIu32, track); break;
    }
}
