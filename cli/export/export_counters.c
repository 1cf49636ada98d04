/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of a Chrome trace, and counters over time in all formats. Each event gives two edges, +1 and -1; sorted by process and
 * time, their running sums are the counter. Metrics of a kernel are looked up once and kept by kernel row. Of counters over time
 * each series in turn, with its samples as the session has them; a Chrome trace cannot end a level, so a gap between samples is
 * written there as a 0 at its start.
 */
#include "cli/export/export.h"

#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"
#include "core/analysis/kernel_index.h"
#include "core/session/samples.h"
#include "core/session/series.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void export_write_us(struct json *json, const char *key, int64_t ns)
{
    double us = (double)ns / 1000;
    if ((int64_t)(us * 1000) < ns)
        us = nextafter(us, INFINITY);
    json_number(json, key, us);
}

void export_open_values(struct json *json, const char *track, uint32_t process, int64_t ns)
{
    json_open(json, NULL, '{');
    json_string(json, "name", track);
    json_string(json, "ph", "C");
    json_integer(json, "pid", (int64_t)process + 1);
    export_write_us(json, "ts", ns);
    json_open(json, "args", '{');
}

void export_close_values(struct json *json)
{
    json_close(json, '}');
    json_close(json, '}');
}

/* ---- how many are running ---- */

enum series { KERNELS, COPIES_TO, COPIES_FROM, COPIES_OTHER, SERIES_COUNT };

struct edge {
    int64_t ns;
    uint32_t process;
    int8_t change; /* 1: begins, -1: ends */
    uint8_t series;
};

struct edges {
    struct edge *rows;
    size_t count, capacity;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *left = a, *right = b;
    int order = (left->process > right->process) - (left->process < right->process);
    return order ? order : (left->ns > right->ns) - (left->ns < right->ns);
}

static void add_edges(void *context, const struct export_event *event)
{
    struct edges *edges = context;
    const struct item *item = &event->item;
    enum series series = item->kind == ITEM_LAUNCH ? KERNELS
                         : item->kind != ITEM_COPY ? SERIES_COUNT
                         : item->a == COPY_HTOD    ? COPIES_TO
                         : item->a == COPY_DTOH    ? COPIES_FROM
                                                   : COPIES_OTHER;
    if (series == SERIES_COUNT)
        return;
    memory_grow(edges->rows, edges->capacity, edges->count, 2);
    struct edge edge = {
        .ns = event->start_ns, .process = event->row->process, .change = 1, .series = (uint8_t)series};
    edges->rows[edges->count++] = edge;
    edge.ns += event->duration_ns;
    edge.change = -1;
    edges->rows[edges->count++] = edge;
}

static void write_running(struct json *json, uint32_t process, int64_t ns,
                          const int64_t running[SERIES_COUNT], const bool changed[2])
{
    if (changed[0]) {
        export_open_values(json, "kernels running", process, ns);
        json_integer(json, "kernels", running[KERNELS]);
        export_close_values(json);
    }
    if (changed[1]) {
        export_open_values(json, "copies running", process, ns);
        json_integer(json, "to the device", running[COPIES_TO]);
        json_integer(json, "to the host", running[COPIES_FROM]);
        json_integer(json, "other", running[COPIES_OTHER]);
        export_close_values(json);
    }
}

static void write_edges(struct json *json, const struct edges *edges, int64_t origin_ns)
{
    int64_t running[SERIES_COUNT] = {0};
    for (size_t i = 0; i < edges->count;) {
        const struct edge *now = &edges->rows[i];
        bool changed[2] = {false, false};
        for (; i < edges->count && compare_edges(now, &edges->rows[i]) == 0; i++) {
            running[edges->rows[i].series] += edges->rows[i].change;
            changed[edges->rows[i].series != KERNELS] = true;
        }
        write_running(json, now->process, now->ns - origin_ns, running, changed);
    }
}

/* ---- a kernel's metrics while it runs ---- */

static const enum metric metrics[] = {
    METRIC_global_load_sectors_per_request, METRIC_global_store_sectors_per_request,
    METRIC_shared_load_conflicts,           METRIC_shared_store_conflicts,
    METRIC_achieved_occupancy_pct,          METRIC_dram_peak_pct};
#define METRICS (sizeof metrics / sizeof metrics[0])

struct drawing {
    const struct session *session;
    struct json *json;
    int64_t origin_ns;
    struct {
        struct value values[METRICS];
        bool looked_up;
    } * kernels;
    const struct kernel_index *index;
};

static const struct value *values_of(struct drawing *drawing, uint32_t kernel)
{
    if (!drawing->kernels[kernel].looked_up) {
        enum provenance own =
            kernel_on_model(drawing->session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
        for (size_t i = 0; i < METRICS; i++) {
            drawing->kernels[kernel].values[i] =
                kernel_index_statistic(drawing->index, kernel, metrics[i], own).value;
        }
        drawing->kernels[kernel].looked_up = true;
    }
    return drawing->kernels[kernel].values;
}

static void draw_metrics(void *context, const struct export_event *event)
{
    struct drawing *drawing = context;
    uint32_t kernel = event->item.kind == ITEM_LAUNCH ? event->item.launch.kernel : NONE;
    if (kernel >= kernel_index_count(drawing->index))
        return;
    const struct value *values = values_of(drawing, kernel);
    for (size_t i = 0; i < METRICS; i++) {
        const struct metric_info *info = metric_info(metrics[i]);
        char lane[EXPORT_LANE_BYTES], name[240];
        if (!values[i].available || values[i].bound != VALUE_EXACT)
            continue;
        export_lane_name(drawing->session, event->track, event->lane, lane);
        snprintf(name, sizeof name, "%s, %s, %s", info->title, provenance_text(values[i].provenance), lane);
        for (int end = 0; end < 2; end++) {
            int64_t ns = event->start_ns + (end ? event->duration_ns : 0);
            export_open_values(drawing->json, name, event->row->process, ns - drawing->origin_ns);
            json_number(drawing->json, info->unit, end ? 0 : values[i].number);
            export_close_values(drawing->json);
        }
    }
}

void export_counters(const struct export *export, struct json *json, int64_t origin_ns)
{
    struct edges edges = {0};
    struct kernel_index *index = NULL;
    struct drawing drawing = {.session = export->session, .json = json, .origin_ns = origin_ns};
    export_visit(export, add_edges, &edges);
    if (edges.count > 0)
        qsort(edges.rows, edges.count, sizeof *edges.rows, compare_edges);
    write_edges(json, &edges, origin_ns);
    memory_check(kernel_index_create(&index, export->session, NULL));
    drawing.index = index;
    drawing.kernels = memory_zeroed(kernel_index_count(index), sizeof *drawing.kernels);
    export_visit(export, draw_metrics, &drawing);
    free(drawing.kernels);
    kernel_index_destroy(index);
    free(edges.rows);
}

/* ---- counters over time ---- */
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
