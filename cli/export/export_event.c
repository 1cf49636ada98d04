/* SPDX-License-Identifier: Apache-2.0 */
/* What the formats share: which events are exported, their order, and the names of their fields. */
#include "cli/export/export.h"

#include "core/session/session_walk.h"

#include <stdio.h>
#include <string.h>

static const char *kernel_name(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row ? session_shape(session, row->shape) : NULL;
    return shape ? session_string(session, shape->name) : "kernel not known";
}

const char *export_name(const struct session *session, const struct item *item)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH:
        return item->flags & ITEM_WHOLE_GRAPH ? "graph" : kernel_name(session, item->launch.kernel);
    case ITEM_COPY: return copy_kind_text(item->a);
    case ITEM_SET: return "set";
    case ITEM_CALL: return session_string(session, item->call.name);
    case ITEM_RANGE: return session_string(session, item->range.name);
    case ITEM_SYNC: return sync_kind_id(item->a);
    case ITEM_OVERHEAD: return session_string(session, item->overhead.name);
    case ITEM_MEASUREMENT: {
        const struct measurement_row *row = session_measurement(session, item->measurement.measurement);
        return kernel_name(session, row ? row->kernel : NONE);
    }
    }
    return "other";
}

void export_lane_name(const struct session *session, uint32_t track, uint32_t lane,
                      char text[EXPORT_LANE_BYTES])
{
    session_track_name(session, track, text, EXPORT_LANE_BYTES - 16);
    if (lane > 0) {
        size_t length = strlen(text);
        snprintf(text + length, EXPORT_LANE_BYTES - length, " (%u)", lane + 1);
    }
}

bool export_call(const struct item *item, struct export_call *call)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH:
        *call = (struct export_call){item->launch.call_start_ns, item->launch.call_duration_ns,
                                     item->launch.call_thread};
        break;
    case ITEM_COPY:
        *call = (struct export_call){item->copy.call_start_ns, item->copy.call_duration_ns,
                                     item->copy.call_thread};
        break;
    case ITEM_SET:
        *call =
            (struct export_call){item->set.call_start_ns, item->set.call_duration_ns, item->set.call_thread};
        break;
    default: return false;
    }
    return call->start_ns != INT64_MIN;
}

bool export_takes(const struct export *export, const struct track_row *row)
{
    return row->kind != TRACK_COPY_ENGINE && row->clock < CLOCK_COUNT && export->clocks[row->clock];
}

struct visiting {
    const struct export *export;
    export_visitor *visit;
    void *context;
};

static bool event_visit(void *context, const struct walk_event *walked)
{
    struct visiting *visiting = context;
    struct export_event event = {.row = walked->track,
                                 .track = walked->ref.track,
                                 .lane = walked->ref.lane,
                                 .start_ns = walked->start_ns,
                                 .duration_ns = walked->end_ns - walked->start_ns,
                                 .item = walked->item};
    if (export_takes(visiting->export, event.row))
        visiting->visit(visiting->context, &event);
    return true;
}

void export_visit(const struct export *export, export_visitor *visit, void *context)
{
    struct visiting visiting = {.export = export, .visit = visit, .context = context};
    session_walk(export->session, &(struct walk){.run = NONE, .tracks = ~WALK_TRACK(COPY_ENGINE)},
                 event_visit, &visiting);
}
