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
    bool clocks[CLOCK_COUNT]; /* which clocks' events to export; one for a Chrome trace, which has one time
                                 axis */
};

/* One event, and where it lies. */
struct export_event {
    const struct track_row *row;
    uint32_t track, lane;
    int64_t start_ns, duration_ns;
    struct item item;
};

/* Visits every event of these clocks, by track, lane and time; except those of the copy engines, which are
 * copies of the streams' events. */
typedef void export_visitor(void *context, const struct export_event *event);
void export_visit(const struct export *export, export_visitor *visit, void *context);

/* Are the track's events visited? */
bool export_takes(const struct export *export, const struct track_row *row);

/* The event's name: its kernel's, "copy host to device", "cuLaunchKernel". The session's text, or static. */
const char *export_name(const struct session *session, const struct item *item);
const char *export_kind(const struct item *item); /* "launch" */

/* "stream 13"; for further lanes "stream 13 (2)". */
#define EXPORT_LANE_BYTES 120
void export_lane_name(const struct session *session, uint32_t track, uint32_t lane,
                      char text[EXPORT_LANE_BYTES]);

/* The call that issued a launch, copy or memset; false: not known, or another kind of event. */
struct export_call {
    int64_t start_ns;
    uint32_t duration_ns, thread;
};
bool export_call(const struct item *item, struct export_call *call);

#endif
