/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each event gives two edges, +1 and -1; sorted by process and time, their running sums are the counter.
 * Metrics of a kernel are looked up once and kept by kernel row.
 */
#include "cli/export/export.h"

#include "cli/output/memory.h"
#include "core/analysis/kernel_index.h"

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
