/* What a whole run did on the device: how long it worked, what it hid, how fast it copied. */
#include "tui/chart.h"

#include "core/overlap.h"

#include <math.h>

/* Bytes of the run's copies in one direction over the time that each of them took. */
static double copy_rate(const struct session *session, uint32_t run, enum copy_kind kind)
{
    const struct run_row *row = session_run(session, run);
    int64_t end_ns = atomic_load_explicit(&row->end_ns, memory_order_relaxed), time_ns = 0;
    double bytes = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *stream = session_track(session, track);
        uint32_t lanes = session_lane_count(session, track);
        if (stream->kind != TRACK_STREAM || stream->process != row->process)
            continue;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t count = session_lane_count_events(session, track, lane);
            for (uint64_t i = session_lane_find(session, track, lane, row->start_ns); i < count; i++) {
                const struct event_ref ref = {track, lane, i};
                int64_t start_ns = session_event_start_ns(session, ref);
                struct item item = session_event_item(session, ref);
                if (end_ns != INT64_MIN && start_ns >= end_ns)
                    break;
                if (item.kind != ITEM_COPY || item.a != kind)
                    continue;
                bytes += (double)item.copy.size_bytes;
                time_ns += session_event_end_ns(session, ref) - start_ns;
            }
        }
    }
    return time_ns > 0 ? bytes * 1e9 / (double)time_ns : (double)NAN;
}

double chart_run_value(const struct session *session, uint32_t run, int metric)
{
    struct overlap overlap;
    struct error error;
    if (metric == CHART_RATE_IN || metric == CHART_RATE_OUT)
        return copy_rate(session, run, metric == CHART_RATE_IN ? COPY_HTOD : COPY_DTOH);
    if (overlap_compute(session, run, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS, &overlap, &error) !=
        STATUS_OK)
        return (double)NAN;
    if (metric == CHART_BUSY && overlap.any_busy_ns > 0)
        return (double)overlap.any_busy_ns;
    if (metric == CHART_HIDDEN && overlap.copy_busy_ns > 0 && overlap.kernel_busy_ns > 0)
        return 100 * (double)overlap.copy_hidden_ns / (double)overlap.copy_busy_ns;
    return (double)NAN;
}
