/* The figures of a whole run: how long it worked on the device, how much of its copies it hid, how fast it
 * copied. */
#include "tui/views/chart/chart.h"

#include "core/analysis/overlap/overlap.h"
#include "core/session/session_walk.h"

#include <math.h>

struct copy_rate {
    enum copy_kind kind;
    double bytes, time_ns;
};

static bool copy_rate_add(void *context, const struct walk_event *event)
{
    struct copy_rate *rate = context;
    if (event->item.a == rate->kind) {
        rate->bytes += (double)event->item.copy.size_bytes;
        rate->time_ns += (double)(event->end_ns - event->start_ns);
    }
    return true;
}

/* Bytes of the run's copies in one direction over the sum of their times; NAN: there are none, or some were
 * evicted from memory. */
static double copy_rate(const struct session *session, uint32_t run, enum copy_kind kind)
{
    struct copy_rate rate = {.kind = kind};
    const struct walk copies = {.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(COPY)};
    bool whole = session_walk(session, &copies, copy_rate_add, &rate);
    return whole && rate.time_ns > 0 ? rate.bytes * 1e9 / rate.time_ns : (double)NAN;
}

double chart_run_value(const struct session *session, uint32_t run, int metric)
{
    struct overlap overlap;
    struct run_times times;
    struct error error;
    if (metric == CHART_RATE_IN || metric == CHART_RATE_OUT)
        return copy_rate(session, run, metric == CHART_RATE_IN ? COPY_HTOD : COPY_DTOH);
    if (metric == CHART_BUSY)
        return run_times_of(session, run, &times, &error) == STATUS_OK && times.ns[RUN_TIME_DEVICE] > 0
                   ? (double)times.ns[RUN_TIME_DEVICE]
                   : (double)NAN;
    if (overlap_compute(session, run, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS, &overlap, &error) !=
        STATUS_OK)
        return (double)NAN;
    if (metric == CHART_HIDDEN && overlap.copy_busy_ns > 0 && overlap.kernel_busy_ns > 0)
        return 100 * (double)overlap.copy_hidden_ns / (double)overlap.copy_busy_ns;
    return (double)NAN;
}
