/* The events of a session for `lanescope export`, and their texts. Reads a session at rest. One thread. */
#ifndef CLI_EXPORT_EXPORT_EVENT_H
#define CLI_EXPORT_EXPORT_EVENT_H

#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>

struct export
{
    const struct session *session;
    struct short_names *names;
    FILE *out;
    bool clocks[CLOCK_COUNT]; /* whose events are wanted; of a Chrome trace one, since it has one axis */
};

/* One event, and where it lies. */
struct export_event {
    const struct track_row *row;
    uint32_t track, lane;
    int64_t start_ns, duration_ns;
    struct item item;
};

/* Every event of the clocks that are wanted, by track, lane and time; those of the copy engines, which are
 * the streams' copies once more, are left out. */
typedef void export_visitor(void *context, const struct export_event *event);
void export_visit(const struct export *export, export_visitor *visit, void *context);

/* Whether the track's events are visited. */
bool export_takes(const struct export *export, const struct track_row *row);

/* What an event is called: its kernel's name, "copy host to device", "cuLaunchKernel". The session's, or
 * static. */
const char *export_name(const struct session *session, const struct item *item);
const char *export_kind(const struct item *item); /* "launch" */

/* "stream 13", and of further lanes "stream 13 (2)". */
#define EXPORT_LANE_BYTES 120
void export_lane_name(const struct session *session, uint32_t track, uint32_t lane,
                      char text[EXPORT_LANE_BYTES]);

/* The call that asked for a launch, copy or set; false: not known, or nothing of the kind. */
struct export_call {
    int64_t start_ns;
    uint32_t duration_ns, thread;
};
bool export_call(const struct item *item, struct export_call *call);

#endif
