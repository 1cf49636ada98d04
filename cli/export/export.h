/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `lanescope export`: the events of a recording for other programs, as a Chrome trace (Perfetto opens it,
 * too), in Perfetto's own format, as a profile of pprof, as CSV or JSON, or as a recording. docs/export.md describes their content and how exact their times are; the schemas
 * are docs/export.schema.json and docs/export-chrome.schema.json. Reads a session at rest. One thread.
 */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include "cli/options/options.h"
#include "cli/output/json.h"
#include "core/session/session.h"
#include "tui/widgets/short_names.h"

#include <stdio.h>

enum status export_command(const struct options *options, struct error *error);

/* The events of a session for `lanescope export`, and their texts. Reads a session at rest. One thread. */
struct export
{
    const struct session *session;
    struct short_names *names;
    FILE *out;
    bool clocks[CLOCK_COUNT]; /* which clocks' events to export; one for a Chrome trace, which has one time
                                 axis */
};

/* The caller checks the stream for write errors. */
void export_chrome(const struct export *export);
void export_perfetto(const struct export *export);
void export_pprof(const struct export *export);
void export_csv(const struct export *export);
void export_json(const struct export *export);

/* The events of a live session as they come, a line of JSON each, with the fields that they have in `lanescope export --json` and
 * "on", the lane's name: docs/export.md. Each step writes what was published since the last one, lane by lane; lanes are in
 * order of time. The caller closes the stream. One thread, which is not the session's writer. */
#define EXPORT_EVENTS_SCHEMA 1
struct export_events;
struct export_events *export_events_begin(const struct session *session, FILE *out);
void export_events_step(struct export_events *events);
void export_events_end(struct export_events *events); /* with what is left */

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

/*
 * Counters over time in exports: a counter track for each series in a Chrome trace, lines of kind `sample` in
 * CSV, series and samples in JSON. Only samples on the selected clocks are written. One thread.
 */
/* Has the process series to be exported? */
bool export_samples_of(const struct export *export, uint32_t process);

void export_samples_chrome(const struct export *export, struct json *json, int64_t origin_ns);
void export_samples_csv(const struct export *export);
void export_samples_json(const struct export *export, struct json *json);

/*
 * The counter tracks of a Chrome trace: the number of running kernels and copies of a process, and each
 * kernel's metrics while it runs. One thread.
 */
/* "ts" and "dur" in us from ns: the smallest double that times 1000 is not below the ns, so that a reader
 * gets the ns back by rounding or by truncation (up to 2^50 ns). */
void export_write_us(struct json *json, const char *key, int64_t ns);

/* An event that gives a counter track of a process its values: they are written between the two calls. */
void export_open_values(struct json *json, const char *track, uint32_t process, int64_t ns);
void export_close_values(struct json *json);

/* Writes the events; their times are the session's minus origin_ns. */
void export_counters(const struct export *export, struct json *json, int64_t origin_ns);

#endif
