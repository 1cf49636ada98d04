/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each series in turn, with its samples as the session has them. A Chrome trace cannot end a level, so a gap
 * between samples is written there as a 0 at its start.
 */
#include "cli/export/export.h"

#include "cli/output/csv.h"

#include "core/session/samples.h"
#include "core/session/series.h"

#include <inttypes.h>
#include <math.h>

static const char *const unit_texts[] = {[SERIES_PERCENT] = "%",
                                         [SERIES_PER_SECOND] = "per second",
                                         [SERIES_BYTES_PER_SECOND] = "bytes per second",
                                         [SERIES_NUMBER] = "number"};

static bool sampling_taken(const struct export *export, const struct sampling_row *row)
{
    return row->clock < CLOCK_COUNT && export->clocks[row->clock] && (row->flags & SERIES_CANNOT) == 0;
}

bool export_samples_of(const struct export *export, uint32_t process)
{
    for (uint32_t i = 0; i < sampling_count(export->session); i++) {
        const struct sampling_row *row = sampling_at(export->session, i);
        if (row->process == process && sampling_taken(export, row))
            return true;
    }
    return false;
}

/* ---- Chrome ---- */

static void write_level(struct json *json, const char *name, const char *unit, uint32_t process, int64_t ns,
                        double level)
{
    export_open_values(json, name, process, ns);
    json_number(json, unit, level);
    export_close_values(json);
}

static int64_t end_of(const struct session *session, const struct series_row *row)
{
    uint64_t count = sample_count(session, row->sampling);
    return count > 0 ? sample_end_ns(session, row->sampling, count - 1) : INT64_MIN;
}

/* Series of the same name share a track, unless their times overlap. */
static unsigned place_of(const struct session *session, uint32_t series)
{
    const struct series_row *row = session_series(session, series);
    unsigned place = 1;
    for (uint32_t i = 0; i < series; i++) {
        const struct series_row *other = session_series(session, i);
        place += other->process == row->process && other->device == row->device && other->name == row->name &&
                 end_of(session, other) > sample_start_ns(session, row->sampling, 0);
    }
    return place;
}

/* A level is shown until the next one is written: where nothing was sampled the trace says 0, since the
 * format cannot say "not known". */
static void draw_series(const struct export *export, struct json *json, int64_t origin_ns, uint32_t series)
{
    const struct session *session = export->session;
    const struct series_row *row = session_series(session, series);
    const struct device_row *device = session_device(session, row->device);
    struct series_description about = series_describe(session_string(session, row->name));
    uint64_t count = sample_count(session, row->sampling);
    bool known = false;
    int64_t end_ns = 0;
    char name[400];
    int length = snprintf(name, sizeof name, "%.200s, %s, device %u", about.title,
                          provenance_text(series_provenance(row->clock)), device ? device->ordinal : 0);
    unsigned place = place_of(session, series);
    if (place > 1)
        snprintf(name + length, sizeof name - (size_t)length, " (%u)", place);
    for (uint64_t i = 0; i < count; i++) {
        double value = (double)sample_value(session, series, i);
        int64_t start_ns = sample_start_ns(session, row->sampling, i);
        if (known && (start_ns > end_ns || isnan(value)))
            write_level(json, name, unit_texts[about.unit], row->process, end_ns - origin_ns, 0);
        known = !isnan(value);
        end_ns = sample_end_ns(session, row->sampling, i);
        if (known)
            write_level(json, name, unit_texts[about.unit], row->process, start_ns - origin_ns, value);
    }
    if (known)
        write_level(json, name, unit_texts[about.unit], row->process, end_ns - origin_ns, 0);
}

void export_samples_chrome(const struct export *export, struct json *json, int64_t origin_ns)
{
    for (uint32_t series = 0; series < session_series_count(export->session); series++) {
        const struct series_row *row = session_series(export->session, series);
        if (sampling_taken(export, sampling_at(export->session, row->sampling)))
            draw_series(export, json, origin_ns, series);
    }
}

/* ---- CSV ---- */

void export_samples_csv(const struct export *export)
{
    const struct session *session = export->session;
    for (uint32_t series = 0; series < session_series_count(session); series++) {
        const struct series_row *row = session_series(session, series);
        const struct process_row *process = session_process(session, row->process);
        const struct device_row *device = session_device(session, row->device);
        uint64_t count = sample_count(session, row->sampling);
        for (uint64_t i = 0; sampling_taken(export, sampling_at(session, row->sampling)) && i < count; i++) {
            int64_t start_ns = sample_start_ns(session, row->sampling, i);
            float number = sample_number(session, series, i);
            fprintf(export->out, "%s,%" PRIu32 ",%" PRId32 ",,,sample,",
                    row->clock == CLOCK_MODEL ? "model" : "wall", row->process, process ? process->pid : 0);
            csv_text(export->out, session_string(session, row->name));
            fprintf(export->out, ",%" PRId64 ",%" PRId64 ",,", start_ns,
                    sample_end_ns(session, row->sampling, i) - start_ns);
            if (device)
                fprintf(export->out, "%" PRIu32, device->ordinal);
            fputs(",,,,,,,,,,,,,,,,,,,", export->out); /* up to the number */
            if (isnan(number))
                fputs(",\n", export->out);
            else
                fprintf(export->out, "%.9g,\n", (double)number);
        }
    }
}

/* ---- JSON ---- */

static void write_series(const struct export *export, struct json *json, uint32_t series)
{
    const struct session *session = export->session;
    const struct series_row *row = session_series(session, series);
    const char *name = session_string(session, row->name);
    struct series_description about = series_describe(name);
    json_open(json, NULL, '{');
    json_string(json, "name", name);
    json_string(json, "title", about.title);
    json_string(json, "unit", unit_texts[about.unit]);
    json_bool(json, "counted", about.counted);
    json_string(json, "provenance", provenance_text(series_provenance(row->clock)));
    json_string(json, "clock", row->clock == CLOCK_MODEL ? "model" : "wall");
    json_integer(json, "process", row->process);
    if (row->device == NONE)
        json_null(json, "device");
    else
        json_integer(json, "device", row->device);
    json_integer(json, "sampling", row->sampling);
    json_integer(json, "interval_ns", row->interval_ns);
    json_bool(json, "bursts", row->flags & SERIES_BURST);
    json_close(json, '}');
}

static void write_samples(const struct export *export, struct json *json, uint32_t sampling)
{
    const struct session *session = export->session;
    const struct sampling_row *row = sampling_at(session, sampling);
    uint64_t count = sample_count(session, sampling);
    for (uint64_t i = 0; sampling_taken(export, row) && i < count; i++) {
        int64_t start_ns = sample_start_ns(session, sampling, i);
        json_open(json, NULL, '{');
        json_integer(json, "sampling", sampling);
        json_integer(json, "start_ns", start_ns);
        json_integer(json, "duration_ns", sample_end_ns(session, sampling, i) - start_ns);
        json_open(json, "numbers", '[');
        for (uint32_t series = 0; series < row->series; series++)
            json_number(json, NULL, (double)sample_number(session, row->first_series + series, i));
        json_close(json, ']');
        json_close(json, '}');
    }
}

void export_samples_json(const struct export *export, struct json *json)
{
    json_open(json, "series", '[');
    for (uint32_t i = 0; i < session_series_count(export->session); i++)
        if ((session_series(export->session, i)->flags & SERIES_CANNOT) == 0)
            write_series(export, json, i);
    json_close(json, ']');
    json_open(json, "samples", '[');
    for (uint32_t i = 0; i < sampling_count(export->session); i++)
        write_samples(export, json, i);
    json_close(json, ']');
}
