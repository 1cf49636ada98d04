/* SPDX-License-Identifier: Apache-2.0 */
/* sessions_differ of made_session.h: every published field of two sessions, side by side. */
#include "core/session/code.h"
#include "core/session/stacks.h"
#include "tests/shared/made/made_session.h"

#include "core/session/samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- equality ---- */
static bool same_double(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_text(const struct session *a, uint32_t x, const struct session *b, uint32_t y)
{
    return x == y && !strcmp(session_string(a, x), session_string(b, y));
}

#define SAME(field) (x->field == y->field)
#define TEXT(field) same_text(a, x->field, b, y->field)

static const char *tables_differ(const struct session *a, const struct session *b)
{
#define COUNTS(noun)                                                \
    {                                                               \
        if (session_##noun##_count(a) != session_##noun##_count(b)) \
            return "number of rows: " #noun;                        \
    }
    SESSION_TABLE_LIST(COUNTS)
#define DIFFER(noun, equal)                                                           \
    for (uint32_t i = 0; i < session_##noun##_count(a); i++) {                        \
        const struct noun##_row *x = session_##noun(a, i), *y = session_##noun(b, i); \
        if (!(equal))                                                                 \
            return #noun;                                                             \
    }
    DIFFER(process, SAME(pid) && SAME(parent_pid) && SAME(rank) && TEXT(host) && TEXT(program) &&
                        TEXT(command) && SAME(role) && SAME(mode) && SAME(clock) && SAME(start_ns) &&
                        SAME(end_ns) && SAME(exit_status))
    DIFFER(device, SAME(process) && SAME(ordinal) && !memcmp(&x->info, &y->info, sizeof x->info))
    DIFFER(run, SAME(process) && SAME(device) && SAME(group) && TEXT(workload) && TEXT(variant) &&
                    TEXT(params) && TEXT(program) && SAME(mode) && SAME(clock) && SAME(start_ns) &&
                    SAME(end_ns) && SAME(verified) && TEXT(detail) &&
                    same_double(x->effective_bytes, y->effective_bytes) && TEXT(effective_kernel))
    DIFFER(shape, !memcmp(x, y, sizeof *x) && TEXT(name) && TEXT(mangled))
    DIFFER(kernel, SAME(run) && SAME(shape) && SAME(device) && SAME(launches) && SAME(total_ns) &&
                       SAME(min_ns) && SAME(max_ns) && SAME(measured_launches))
    DIFFER(track, SAME(kind) && SAME(clock) && SAME(flags) && SAME(copy_kind) && SAME(process) &&
                      SAME(device) && SAME(context) && SAME(stream) && SAME(thread) && SAME(priority) &&
                      SAME(lane_count))
    DIFFER(measurement, SAME(kernel) && SAME(correlation) && SAME(context) && SAME(stream) && SAME(passes) &&
                            SAME(first_value) && SAME(values) && SAME(start_ns) && SAME(end_ns))
    DIFFER(value, TEXT(counter) && same_double(x->number, y->number))
    DIFFER(expected,
           SAME(run) && TEXT(kernel_name) && TEXT(metric) && TEXT(why) && same_double(x->number, y->number))
    DIFFER(notice, SAME(time_ns) && TEXT(text) && SAME(process) && SAME(severity) && SAME(status))
    DIFFER(bookmark, SAME(time_ns) && SAME(clock) && strcmp(x->text, y->text) == 0)
    DIFFER(series, SAME(process) && SAME(device) && TEXT(name) && SAME(interval_ns) && SAME(sampling) &&
                       SAME(place) && SAME(clock) && SAME(flags))
    DIFFER(drop, SAME(time_ns) && SAME(count) && SAME(process) && SAME(kind) && SAME(reason))
    DIFFER(function, SAME(module) && TEXT(mangled) && TEXT(name) && SAME(size_bytes))
    DIFFER(instruction, SAME(function) && SAME(pc_offset) && TEXT(text) && TEXT(file) && SAME(line))
    DIFFER(stall, SAME(run) && SAME(kernel) && SAME(instruction) && TEXT(reason) && SAME(period_cycles) &&
                      SAME(samples))
    DIFFER(tally,
           SAME(run) && SAME(kernel) && SAME(instruction) && TEXT(counter) && SAME(launches) && SAME(number))
    DIFFER(access, SAME(run) && SAME(kernel) && SAME(instruction) && TEXT(addresses) && SAME(block) &&
                       SAME(warp) && SAME(part) && SAME(transfers) && SAME(ideal_transfers) &&
                       SAME(requests) && SAME(all_transfers) && SAME(all_ideal_transfers) && SAME(space) &&
                       SAME(width_bytes) && SAME(flags))
    DIFFER(source, TEXT(file) && TEXT(text))
    DIFFER(stack, SAME(caller) && TEXT(name) && TEXT(file) && SAME(line) && SAME(flags))
    DIFFER(launch_site, SAME(run) && SAME(kernel) && SAME(stack) && SAME(kind) && SAME(copy_kind) &&
                            SAME(launches) && SAME(total_ns))
    DIFFER(event_use, SAME(process) && SAME(correlation) && SAME(context) && SAME(stream) && SAME(event) &&
                          SAME(use) && SAME(record))
    DIFFER(graph_node,
           SAME(process) && SAME(graph) && SAME(node) && SAME(dependency) && SAME(stream) && SAME(start_ns))
    return NULL;
}

static bool same_item(const struct session *a, const struct item *x, const struct session *b,
                      const struct item *y)
{
    if (!(SAME(kind) && SAME(flags) && SAME(a) && SAME(b) && SAME(correlation)))
        return false;
    switch (x->kind) {
    case ITEM_LAUNCH:
        return SAME(launch.call_start_ns) && SAME(launch.call_duration_ns) && SAME(launch.call_thread) &&
               SAME(launch.kernel) && SAME(launch.graph);
    case ITEM_COPY:
    case ITEM_SET:
        return SAME(copy.call_start_ns) && SAME(copy.call_duration_ns) && SAME(copy.call_thread) &&
               SAME(copy.size_bytes);
    case ITEM_CALL: return TEXT(call.name) && SAME(call.result) && SAME(call.context) && SAME(call.stream);
    case ITEM_RANGE:
        return TEXT(range.name) && TEXT(range.domain) && SAME(range.color) && SAME(range.depth) &&
               same_double(x->range.payload, y->range.payload);
    case ITEM_SYNC: return SAME(sync.context) && SAME(sync.stream) && SAME(sync.thread);
    case ITEM_OVERHEAD: return TEXT(overhead.name);
    default: return SAME(measurement.measurement);
    }
}

static const char *lanes_differ(const struct session *a, const struct session *b)
{
    static char text[128];
    for (uint32_t t = 0; t < session_track_count(a); t++)
        for (uint32_t l = 0; l < session_track(a, t)->lane_count; l++) {
            if (session_lane_count_events(a, t, l) != session_lane_count_events(b, t, l)) {
                snprintf(text, sizeof text, "number of events: track %u (%s) lane %u", t,
                         track_kind_text(session_track(a, t)->kind), l);
                return text;
            }
            for (uint64_t i = 0; i < session_lane_count_events(a, t, l); i++) {
                struct event_ref ref = {.track = t, .lane = l, .index = i};
                struct item x = session_event_item(a, ref), y = session_event_item(b, ref);
                if (session_event_start_ns(a, ref) == session_event_start_ns(b, ref) &&
                    session_event_end_ns(a, ref) == session_event_end_ns(b, ref) && same_item(a, &x, b, &y))
                    continue;
                snprintf(text, sizeof text, "track %u (%s) lane %u event %llu", t,
                         track_kind_text(session_track(a, t)->kind), l, (unsigned long long)i);
                return text;
            }
        }
    return NULL;
}

static const char *samples_differ(const struct session *a, const struct session *b)
{
    for (uint32_t s = 0; s < session_series_count(a); s++) {
        uint32_t sampling = session_series(a, s)->sampling;
        if (sample_count(a, sampling) != sample_count(b, sampling))
            return "number of samples";
        for (uint64_t i = 0; i < sample_count(a, sampling); i++) {
            float x = sample_number(a, s, i), y = sample_number(b, s, i);
            if (sample_start_ns(a, sampling, i) != sample_start_ns(b, sampling, i) ||
                sample_end_ns(a, sampling, i) != sample_end_ns(b, sampling, i))
                return "time of a sample";
            if (!same_double((double)x, (double)y))
                return "number of a sample";
        }
    }
    return NULL;
}

static bool same_open(const struct session *a, const struct session *b)
{
    static struct open_launch rows[2][SESSION_OPEN_LAUNCHES_MAX];
    size_t count = session_open_launches(a, rows[0], SESSION_OPEN_LAUNCHES_MAX);
    if (session_open_launches(b, rows[1], SESSION_OPEN_LAUNCHES_MAX) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        /* Launches called at the same time stand in any order. */
        bool found = false;
        for (size_t j = 0; j < count && !found; j++) {
            const struct open_launch *x = &rows[0][i], *y = &rows[1][j];
            found = SAME(process) && SAME(track) && SAME(correlation) && SAME(thread) && SAME(shape) &&
                    SAME(call_start_ns);
        }
        if (!found)
            return false;
    }
    return true;
}

const char *sessions_differ(const struct session *a, const struct session *b)
{
    if (session_start_ns(a) != session_start_ns(b))
        return "start_ns";
    const char *differ = tables_differ(a, b);
    if (!differ)
        differ = lanes_differ(a, b);
    if (!differ)
        differ = samples_differ(a, b);
    if (!differ && !same_open(a, b))
        differ = "open launches";
    for (enum clock_kind clock = 0; !differ && clock < CLOCK_COUNT; clock++)
        if (session_now_ns(a, clock) != session_now_ns(b, clock))
            differ = "now_ns";
        else if (session_first_ns(a, clock) != session_first_ns(b, clock))
            differ = "first_ns";
    if (!differ && (session_event_count(a) != session_event_count(b) ||
                    session_launch_count(a) != session_launch_count(b)))
        differ = "number of events";
    return differ;
}
