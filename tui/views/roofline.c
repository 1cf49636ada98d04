/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are in the order of the kernel list, those that are points of the chart first, one for each provenance
 * that has bytes and time. They are made again when the session has new rows, at most every REFRESH_MS while
 * something runs.
 */
#include "tui/views/roofline.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/views/kernels/view_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_MS 500
/* Range of the axis if there are no points: from the intensity of a copy to that of a matrix product. */
#define X_LEAST 0.1
#define X_MOST 100.0
#define PEAK_LEAST_PCT 5 /* of L2's peak: less says little of the peak */

void roofline_forget(struct screen *screen)
{
    struct roofline_view *view = roofline_state(screen);
    kernel_index_destroy(view->index);
    free(view->rows);
    sheet_table_fini(&view->table);
    *view =
        (struct roofline_view){.device_of = NONE, .followed = NONE, .peak_of = NONE, .selected = SIZE_MAX};
}

const char *roofline_level_text(enum roofline_level level)
{
    static const char *const texts[LEVEL_COUNT] = {
        [LEVEL_DRAM] = "DRAM", [LEVEL_L2] = "L2", [LEVEL_L1] = "L1"};
    return texts[level];
}

bool roofline_row_is_point(const struct roofline_row *row)
{
    const struct value *intensity = &row->intensity[LEVEL_DRAM];
    return intensity->available && row->speed.available && intensity->number > 0 && row->speed.number > 0;
}

static struct value value_of(const struct roofline_view *view, uint32_t kernel, enum metric metric,
                             enum provenance provenance)
{
    return kernel_index_statistic(view->index, kernel, metric, provenance).value;
}

static struct roofline_roofs roofs_of(const struct roofline_view *view, uint32_t kernel)
{
    static const enum metric metrics[] = {METRIC_theoretical_bandwidth_bytes_per_second,
                                          METRIC_peak_float_per_second, METRIC_peak_double_per_second};
    double number[3] = {0};
    for (int i = 0; i < 3 && kernel != NONE; i++) {
        struct value value = value_of(view, kernel, metrics[i], PROVENANCE_EXPECTED);
        number[i] = value.available ? value.number : 0;
    }
    return (struct roofline_roofs){number[0], number[1], number[2]};
}

static bool same_roofs(const struct roofline_roofs *a, const struct roofline_roofs *b)
{
    return a->bytes == b->bytes && a->float_operations == b->float_operations &&
           a->double_operations == b->double_operations;
}

/* Returns false if the row's place is not known, with the reason in *why. */
static bool make_row(const struct roofline_view *view, uint32_t kernel, enum provenance provenance,
                     struct roofline_row *row, const char **why)
{
    static const enum metric intensities[LEVEL_COUNT] = {[LEVEL_DRAM] = METRIC_arithmetic_intensity,
                                                         [LEVEL_L2] = METRIC_l2_intensity,
                                                         [LEVEL_L1] = METRIC_l1_intensity};
    *row = (struct roofline_row){.kernel = kernel, .provenance = provenance};
    for (int level = 0; level < LEVEL_COUNT; level++)
        row->intensity[level] = value_of(view, kernel, intensities[level], provenance);
    row->speed = value_of(view, kernel, METRIC_operations_per_second, provenance);
    row->roof = value_of(view, kernel, METRIC_roof, provenance);
    row->share = value_of(view, kernel, METRIC_roof_pct, provenance);
    row->bandwidth = value_of(view, kernel, METRIC_dram_bandwidth_bytes_per_second, provenance);
    if (row->share.available && row->share.number > 0)
        row->possible = row->speed.number * 100 / row->share.number;
    *why = row->intensity[LEVEL_DRAM].available ? row->speed.why : row->intensity[LEVEL_DRAM].why;
    return row->speed.available && (row->intensity[LEVEL_DRAM].available || row->share.available);
}

static bool add_row(struct roofline_view *view, const struct roofline_row *row)
{
    if (!array_grow(view->rows, view->capacity, (size_t)view->count, 1))
        return false;
    view->rows[view->count++] = *row;
    return true;
}

/* Is it the model's row of work that also ran on a GPU? It is then shown with the GPU's row. */
static bool stands_with_another(const struct screen *screen, uint32_t kernel)
{
    return kernel_on_model(screen->session, kernel) &&
           value_of(roofline_state(screen), kernel, METRIC_time_ns, PROVENANCE_MEASURED).available;
}

static void add_kernel(struct screen *screen, uint32_t kernel)
{
    struct roofline_view *view = roofline_state(screen);
    uint16_t name = naming_of_kernel(&screen->naming, screen->session, kernel);
    const char *reasons[PROVENANCE_COUNT] = {NULL};
    struct roofline_roofs roofs = roofs_of(view, kernel);
    bool any = false;
    if (!same_roofs(&roofs, &view->roofs)) {
        view->elsewhere++;
        return;
    }
    for (enum provenance p = PROVENANCE_MEASURED; p > PROVENANCE_EXPECTED; p--) {
        struct roofline_row row;
        if (!make_row(view, kernel, p, &row, &reasons[p]))
            continue;
        row.place = view->count;
        row.letter = naming_letter(name);
        row.color = (uint8_t)naming_color(name);
        if (add_row(view, &row)) {
            any = true;
            view->idle += !roofline_row_is_point(&row);
        }
    }
    if (any)
        return;
    view->without++;
    if (!view->why)
        view->why =
            reasons[kernel_on_model(screen->session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED];
}

/* Sets the axes to whole decades around the points and the ridges of the roofs. */
static void make_axes(struct roofline_view *view)
{
    double x_least = X_LEAST, x_most = X_MOST, y_least = HUGE_VAL, y_most = 0;
    const struct roofline_roofs *roofs = &view->roofs;
    if (roofs->bytes > 0 && roofs->float_operations > 0) {
        x_most = fmax(x_most, 4 * roofs->float_operations / roofs->bytes);
        y_most = 1.2 * fmax(roofs->float_operations, roofs->double_operations);
    }
    for (int i = 0; i < view->count; i++) {
        const struct roofline_row *row = &view->rows[i];
        if (!roofline_row_is_point(row))
            continue;
        for (int level = 0; level < LEVEL_COUNT; level++) {
            double number = row->intensity[level].available ? row->intensity[level].number : 0;
            x_least = number > 0 ? fmin(x_least, number) : x_least;
            x_most = fmax(x_most, number);
        }
        y_least = fmin(y_least, row->speed.number);
        y_most = fmax(y_most, row->speed.number);
    }
    if (roofs->bytes > 0)
        y_least = fmin(y_least, x_least * roofs->bytes);
    if (!(y_most > 0)) {
        y_least = 1e9;
        y_most = 1e12;
    }
    y_least = fmin(y_least, y_most);
    view->x_least = pow(10, floor(log10(x_least)));
    view->x_most = pow(10, ceil(log10(x_most)));
    view->y_least = pow(10, floor(log10(y_least)));
    view->y_most = fmax(pow(10, ceil(log10(y_most))), 10 * view->y_least);
}

/* L2 has no documented peak: it follows from the kernel that used most of it. */
static void make_l2_roof(struct roofline_view *view)
{
    struct value *roof = &view->levels[LEVEL_L2];
    double most = PEAK_LEAST_PCT;
    *roof = (struct value){.derived = true, .provenance = PROVENANCE_MEASURED};
    for (int i = 0; i < view->count; i++) {
        uint32_t kernel = view->rows[i].kernel;
        if (view->rows[i].provenance != PROVENANCE_MEASURED)
            continue;
        struct value bytes = value_of(view, kernel, METRIC_l2_bytes, PROVENANCE_MEASURED),
                     share = value_of(view, kernel, METRIC_l2_peak_pct, PROVENANCE_MEASURED),
                     time_ns = value_of(view, kernel, METRIC_time_ns, PROVENANCE_MEASURED);
        if (!bytes.available || !share.available || !time_ns.available) {
            roof->why = !bytes.available ? bytes.why : !share.available ? share.why : time_ns.why;
            continue;
        }
        if (share.number < most || !(time_ns.number > 0))
            continue;
        most = share.number;
        roof->available = true;
        roof->number = bytes.number * 1e9 / time_ns.number * 100 / share.number;
        view->peak_of = kernel;
    }
    if (!roof->available && !roof->why)
        roof->why = "no kernel that was measured uses 5 % of its peak";
}

static void make_levels(struct roofline_view *view)
{
    view->levels[LEVEL_DRAM] = view->levels[LEVEL_L1] = (struct value){.why = "no kernel is selected"};
    if (view->device_of == NONE)
        return;
    view->levels[LEVEL_DRAM] =
        value_of(view, view->device_of, METRIC_theoretical_bandwidth_bytes_per_second, PROVENANCE_EXPECTED);
    view->levels[LEVEL_L1] =
        value_of(view, view->device_of, METRIC_l1_bandwidth_bytes_per_second, PROVENANCE_EXPECTED);
}

/* Points first; else as they were added. */
static int compare_rows(const void *a, const void *b)
{
    const struct roofline_row *left = a, *right = b;
    bool left_is = roofline_row_is_point(left), right_is = roofline_row_is_point(right);
    return left_is != right_is ? (left_is ? -1 : 1) : left->place - right->place;
}

static void make_rows(struct screen *screen)
{
    struct roofline_view *view = roofline_state(screen);
    const struct kernel_list *kernels = kernels_state(screen);
    view->count = view->without = view->elsewhere = view->idle = 0;
    view->why = NULL;
    view->peak_of = NONE;
    view->device_of = screen->kernel;
    view->roofs = roofs_of(view, view->device_of);
    for (int i = 0; i < kernels->item_count; i++) {
        uint32_t kernel = kernels->items[i].kernel;
        if (kernels->items[i].part == 0 && (!stands_with_another(screen, kernel) || kernel == NONE))
            add_kernel(screen, kernel);
    }
    if (view->count > 1)
        qsort(view->rows, (size_t)view->count, sizeof *view->rows, compare_rows);
    make_levels(view);
    make_l2_roof(view);
    make_axes(view);
}

static uint64_t state_of(const struct screen *screen)
{
    const struct session *session = screen->session;
    return (uint64_t)session_kernel_count(session) + session_measurement_count(session) +
           session_launch_count(session) + session_run_count(session) +
           (uint64_t)kernels_state(screen)->kernel_count;
}

bool roofline_make(struct screen *screen)
{
    struct roofline_view *view = roofline_state(screen);
    uint64_t state = state_of(screen);
    struct error error = {0};
    bool soon = screen->state.live && screen->clock_ms - view->made_ms < REFRESH_MS;
    if (view->index && (state == view->made_of || screen->frozen || soon))
        return false;
    kernel_index_destroy(view->index);
    view->index = NULL;
    view->count = 0;
    if (kernel_index_create(&view->index, screen->session, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return true;
    }
    view->made_of = state;
    view->made_ms = screen->clock_ms;
    make_rows(screen);
    return true;
}
