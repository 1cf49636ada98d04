#include "cli/export/export.h"

#include "cli/output/out_file.h"
#include "cli/report/report_data.h"

#include "core/recording/recording.h"
#include "core/session/samples.h"
#include "core/session/session_walk.h"

#include <string.h>

#define TEXT_OF(texts, index) \
    ((index) < sizeof(texts) / sizeof *(texts) && (texts)[index] ? (texts)[index] : "other")

const char *export_memory(uint8_t memory)
{
    static const char *const texts[] = {
        [MEMORY_UNKNOWN] = "unknown", [MEMORY_PAGEABLE] = "pageable", [MEMORY_PINNED] = "pinned",
        [MEMORY_DEVICE] = "device",   [MEMORY_ARRAY] = "array",       [MEMORY_MANAGED] = "managed"};
    return TEXT_OF(texts, memory);
}

const char *export_domain(uint8_t domain)
{
    static const char *const texts[] = {
        [API_DRIVER] = "driver", [API_RUNTIME] = "runtime", [API_OPS] = "lanescope"};
    return TEXT_OF(texts, domain);
}

const char *export_sync(uint8_t sync)
{
    static const char *const texts[] = {[SYNC_OTHER] = "other",
                                        [SYNC_EVENT] = "event",
                                        [SYNC_STREAM] = "stream",
                                        [SYNC_STREAM_WAIT_EVENT] = "stream-waits-for-event",
                                        [SYNC_CONTEXT] = "context"};
    return TEXT_OF(texts, sync);
}

const char *export_kind(const struct item *item)
{
    static const char *const texts[] = {
        [ITEM_LAUNCH] = "launch",     [ITEM_COPY] = "copy",         [ITEM_SET] = "set",
        [ITEM_CALL] = "call",         [ITEM_RANGE] = "range",       [ITEM_SYNC] = "wait",
        [ITEM_OVERHEAD] = "overhead", [ITEM_MEASUREMENT] = "replay"};
    return TEXT_OF(texts, item->kind);
}

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
    case ITEM_COPY: return report_copy_text(item->a);
    case ITEM_SET: return report_copy_text(REPORT_COPY_SET);
    case ITEM_CALL: return session_string(session, item->call.name);
    case ITEM_RANGE: return session_string(session, item->range.name);
    case ITEM_SYNC: return export_sync(item->a);
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
    enum status status;
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
        visiting->status = visiting->visit(visiting->context, &event);
    return visiting->status == STATUS_OK;
}

enum status export_visit(const struct export *export, export_visitor *visit, void *context)
{
    struct visiting visiting = {.export = export, .visit = visit, .context = context};
    session_walk(export->session, &(struct walk){.run = NONE, .tracks = ~WALK_TRACK(COPY_ENGINE)},
                 event_visit, &visiting);
    return visiting.status;
}

/* ---- the command ---- */

static bool has_events(const struct session *session, enum clock_kind clock)
{
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->clock == clock && atomic_load_explicit(&row->lane_count, memory_order_acquire) > 0)
            return true;
    }
    for (uint32_t sampling = 0; sampling < sampling_count(session); sampling++)
        if (sampling_at(session, sampling)->clock == clock && sample_count(session, sampling) > 0)
            return true;
    return false;
}

/* All by default, but in a Chrome trace, whose one axis takes one clock: the wall's if anything is on it. */
static enum status choose_clocks(struct export *export, const struct options *options, struct error *error)
{
    bool wall = strcmp(options->device, "simt") != 0, model = strcmp(options->device, "cuda") != 0;
    if (options->format == REPORT_CHROME && strcmp(options->device, "both") == 0) {
        return error_set(error, STATUS_USAGE,
                         "A Chrome trace has one time axis, and the time of the model is not wall time: give "
                         "--device cuda or --device simt.");
    }
    if (options->format == REPORT_CHROME && wall && model) {
        wall = has_events(export->session, CLOCK_WALL);
        model = !wall;
        if (wall && has_events(export->session, CLOCK_MODEL)) {
            fprintf(stderr, "note: Runs on the device model have their own clock and are left out: --device "
                            "simt exports them.\n");
        }
    }
    export->clocks[CLOCK_WALL] = wall;
    export->clocks[CLOCK_MODEL] = model;
    return STATUS_OK;
}

enum status export_command(const struct options *options, struct error *error)
{
    struct session *session;
    struct out_file file;
    if (options->format == REPORT_TABLE)
        return error_set(error, STATUS_USAGE, "Give the format of the export: --chrome, --csv or --json.");
    enum status status = recording_load(&session, options->file, error);
    if (status != STATUS_OK)
        return status;
    struct export export = {.session = session};
    if (session_folded_until_ns(session, CLOCK_WALL) != INT64_MIN ||
        session_folded_until_ns(session, CLOCK_MODEL) != INT64_MIN) {
        session_destroy(session);
        return error_set(error, STATUS_MEMORY,
                         "Not all events of %s fit in memory: export it on a machine with more memory.",
                         options->file);
    }
    status = choose_clocks(&export, options, error);
    if (status == STATUS_OK)
        status = out_file_open(&file, options->out, options->file, error);
    if (status == STATUS_OK) {
        export.out = file.stream;
        switch (options->format) {
        case REPORT_CHROME: status = export_chrome(&export, error); break;
        case REPORT_CSV: status = export_csv(&export, error); break;
        case REPORT_JSON:
        case REPORT_TABLE: status = export_json(&export, error); break;
        }
        enum status closed = out_file_close(&file, status == STATUS_OK, error);
        status = status == STATUS_OK ? closed : status;
    }
    session_destroy(session);
    return status;
}
