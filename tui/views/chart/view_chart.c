/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chart on the screen: the plot, the legend of its marks, and the value under the cursor in words.
 */
#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"
#include "tui/views/lab.h"

#include "tui/terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEGEND_WIDTH_MAX 52
#define PAGE_POINTS 8

struct chart_places {
    struct rect plot, legend;
    bool packed; /* the legend has several series in a line */
    int readout; /* line; -1: no room */
};

static int legend_width(const struct chart *chart)
{
    int widest = 0;
    for (int i = 0; i < chart->series_count; i++) {
        const struct chart_series *series = &chart->series[i];
        int width =
            text_width(series->name, CHART_NAME_SIZE) + text_width(series->place, CHART_NAME_SIZE) + 6;
        widest = width > widest ? width : widest;
    }
    return widest < LEGEND_WIDTH_MAX ? widest : LEGEND_WIDTH_MAX;
}

static void draw_mark(const struct chart *chart, const struct chart_series *series, struct canvas *canvas,
                      int x, int y)
{
    if (chart_bar_letter(chart, series, 0) != '\0') { /* the bars' letters are those of variants */
        canvas_put(canvas, x, y, chart_bar_glyph(series, canvas->ascii, 8), STYLE(COLOR_TEXT, COLOR_NONE, 0));
        return;
    }
    canvas_put(canvas, x, y, (unsigned char)series->mark,
               STYLE(series->figure ? COLOR_WARN : series->color, COLOR_NONE, ATTRIBUTE_BOLD));
}

/* The name of a series; with its origin if only that distinguishes it from another series. */
static void packed_name(const struct chart *chart, int index, char *text, size_t size_bytes)
{
    const struct chart_series *series = &chart->series[index];
    bool shared = false;
    for (int i = 0; i < chart->series_count; i++)
        shared = shared || (i != index && strcmp(chart->series[i].name, series->name) == 0);
    snprintf(text, size_bytes, "%s%s%s", series->name, shared && series->name[0] != '\0' ? ", " : "",
             shared ? series->place : "");
}

/* If there is no line for each series, the first `count` are listed side by side, from the line `top` on; the
 * origin is given only for the selected one. Returns the lines that they need; without a canvas they are only
 * counted. */
static int pack_legend(const struct chart *chart, int count, struct canvas *canvas, struct rect area, int top)
{
    int x = 1, line = 0;
    for (int i = 0; i < count; i++) {
        const struct chart_series *series = &chart->series[i];
        char name[2 * CHART_NAME_SIZE];
        packed_name(chart, i, name, sizeof name);
        int width = text_width(name, (int)sizeof name) + 4;
        bool selected = i == chart->selected;
        if (x > 1 && x + width > area.width) {
            x = 1;
            line++;
        }
        if (canvas && line >= top && line - top < area.height) {
            draw_mark(chart, series, canvas, area.x + x, area.y + line - top);
            canvas_text(canvas, area.x + x + 2, area.y + line - top, area.width - x - 2,
                        STYLE(selected ? COLOR_TITLE : COLOR_TEXT, COLOR_NONE, selected ? ATTRIBUTE_BOLD : 0),
                        name);
        }
        x += width;
    }
    return line + 1;
}

static struct chart_places places_of(const struct chart *chart, struct rect area)
{
    struct rect inside = view_inside(area);
    struct chart_places places = {.plot = inside, .readout = -1};
    if (inside.height >= 8) {
        places.plot.height -= 2;
        places.readout = inside.y + places.plot.height;
    }
    int lines = chart->series_count, most = places.plot.height / 3;
    if (inside.width >= 100 && lines > 1) {
        int width = legend_width(chart);
        places.plot.width -= width;
        places.legend = (struct rect){places.plot.x + places.plot.width, inside.y, width, places.plot.height};
    } else if (places.plot.height >= 12) {
        places.packed = lines > most;
        if (places.packed)
            lines = pack_legend(chart, lines, NULL, inside, 0);
        lines = lines > most ? most : lines;
        places.plot.height -= lines;
        places.legend = (struct rect){inside.x, places.plot.y + places.plot.height, places.plot.width, lines};
        if (places.readout >= 0)
            places.readout = places.legend.y + lines;
    }
    return places;
}

/* The bar under the cursor, counted in the order of drawing: by variant, then by series. */
static int bar_of_cursor(const struct chart *chart)
{
    int before = 0;
    if (chart->series_count == 0)
        return 0;
    double x = chart->points[chart->series[chart->selected].first + chart->cursor].x;
    for (int s = 0; s < chart->series_count; s++)
        for (uint32_t i = 0; i < chart->series[s].count; i++) {
            double other = chart->points[chart->series[s].first + i].x;
            before += other < x || (other == x && s < chart->selected);
        }
    return before;
}

static void chart_update(struct screen *screen, struct rect area)
{
    struct chart *chart = chart_state(screen);
    chart_make(screen);
    list_update(&chart->bars, (int)chart->point_count, places_of(chart, area).plot.height);
    list_select(&chart->bars, bar_of_cursor(chart));
}

/* ---- drawing ---- */

static const char *axis_name(const struct chart *chart)
{
    return chart->axis == CHART_VARIANTS ? "variant" : chart->axes[chart->axis].name;
}

static const char *axis_unit(const struct chart *chart)
{
    for (size_t i = 0; chart->workload && i < chart->workload->param_count; i++)
        if (strcmp(chart->workload->params[i].name, axis_name(chart)) == 0)
            return chart->workload->params[i].unit;
    return "";
}

static void draw_legend(const struct chart *chart, struct canvas *canvas, struct rect area)
{
    int top = chart->selected >= area.height ? chart->selected - area.height + 1 : 0;
    for (int i = top; i < chart->series_count && i - top < area.height; i++) {
        const struct chart_series *series = &chart->series[i];
        bool selected = i == chart->selected;
        int y = area.y + i - top, end = area.x + area.width;
        draw_mark(chart, series, canvas, area.x + 1, y);
        int x = area.x + 3;
        x +=
            canvas_text(canvas, x, y, end - x,
                        STYLE(selected ? COLOR_TITLE : COLOR_TEXT, COLOR_NONE, selected ? ATTRIBUTE_BOLD : 0),
                        series->name);
        x += canvas_text(canvas, x, y, end - x, STYLE(COLOR_DIM, COLOR_NONE, 0),
                         series->name[0] != '\0' ? ", " : "");
        canvas_text(canvas, x, y, end - x, STYLE(COLOR_DIM, COLOR_NONE, 0), series->place);
    }
}

/* The point under the cursor: its place, its value, the provenance, and the expected value there. */
static void draw_readout(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct chart *chart = chart_state(screen);
    const struct chart_series *series = &chart->series[chart->selected];
    const struct chart_point *point = &chart->points[series->first + chart->cursor];
    char value[NUMBER_SIZE], place[CHART_NAME_SIZE], text[600], expected[NUMBER_SIZE + 16] = "";
    chart_format(chart->metric, point->y, value, sizeof value);
    if (chart->axis != CHART_VARIANTS)
        snprintf(place, sizeof place, "%s=%g", axis_name(chart), point->x);
    else
        snprintf(place, sizeof place, "%s",
                 chart->workload && point->x < (double)chart->workload->variant_count
                     ? chart->workload->variants[(size_t)point->x].name
                     : "");
    if (point->kernel != NONE && chart->metric < METRIC_COUNT) {
        struct kernel_statistic rule = kernel_index_statistic(
            chart->index, point->kernel, (enum metric)chart->metric, PROVENANCE_EXPECTED);
        char number[NUMBER_SIZE];
        chart_format(chart->metric, rule.value.number, number, sizeof number);
        if (rule.value.available)
            snprintf(expected, sizeof expected, "; expected %s", number);
    }
    char letter = chart_bar_letter(chart, series, point->x);
    snprintf(text, sizeof text, "%c %s%s%s: %s, %s%s", letter != '\0' ? letter : series->mark, series->name,
             series->name[0] != '\0' ? " " : "", place, value, series->place, expected);
    canvas_text(canvas, line.x + 1, line.y, line.width - 1, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
    if (series->figure)
        canvas_text(canvas, line.x + 1, line.y + 1, line.width - 1, STYLE(COLOR_WARN, COLOR_NONE, 0),
                    series->figure->source);
    else
        canvas_text(canvas, line.x + 1, line.y + 1, line.width - 1, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    chart_metric_meaning(chart->metric));
}

static bool is_swept(const struct chart *chart)
{
    for (int i = 0; i < chart->axis_count; i++)
        if (chart->axes[i].numeric)
            return true;
    return false;
}

/* "copy-stride,stride=1..32": the first sweep that ENTER runs, and the number of further ones. */
static const char *sweep_of(const struct tui_workload *workload, int *more)
{
    *more = 0;
    if (!workload->sweeps || !workload->sweeps[0])
        return workload->name;
    while (workload->sweeps[*more + 1])
        ++*more;
    return workload->sweeps[0];
}

static void why_empty(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct chart *chart = chart_state(screen);
    int more = 0;
    if (chart->filter[0] != '\0')
        snprintf(text, size_bytes, "No variant matches the filter. / changes it, / and then ESC clears it.");
    else if (chart->case_count == 0 && chart->workload && screen->host->run)
        snprintf(
            text, size_bytes,
            "This workload has not run yet. ENTER runs %s%s; the lab (e) runs it with values of your own.",
            sweep_of(chart->workload, &more), more > 0 ? " and its other sweeps" : "");
    else if (chart->case_count == 0)
        snprintf(text, size_bytes, "This recording has no run of the workload.");
    else
        snprintf(text, size_bytes,
                 chart->evicted > 0
                     ? "The events of its runs were evicted from memory. A larger --memory keeps them."
                     : "None of its runs has this metric: j and k select another one.");
}

static void chart_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    static const char *const scales[] = {
#define SCALE_TEXT(name, text) text,
        CHART_SCALE_LIST(SCALE_TEXT)
#undef SCALE_TEXT
    };
    const struct chart *chart = chart_state(screen);
    const char *unit = axis_unit(chart);
    char title[300];
    snprintf(title, sizeof title, "%s%s%.60s: %s over %s%s%s%s%s%s", chart->name,
             chart->filter[0] != '\0' ? ", only " : "", chart->filter, chart_metric_title(chart->metric),
             axis_name(chart), unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "",
             chart->scale != CHART_LINEAR ? ", " : "", scales[chart->scale]);
    if (chart->launch_bound)
        snprintf(title + strlen(title), sizeof title - strlen(title), "%s",
                 chart_is_timed(chart->metric) ? ", times of launching: size full shows the kernel's"
                                               : ", counts: times are those of launching");
    if (chart->hidden > 0)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", no room for %d more series",
                 chart->hidden);
    if (chart->evicted > 0)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", without %d evicted %s",
                 chart->evicted, chart->evicted == 1 ? "run" : "runs");
    struct rect inside = view_frame(canvas, area, title, focus);
    struct chart_places places = places_of(chart, area);
    if (chart->series_count == 0) {
        char text[300];
        why_empty(screen, text, sizeof text);
        canvas_wrap(canvas, inside, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        return;
    }
    if (chart->axis == CHART_VARIANTS)
        chart_draw_bars(chart, canvas, places.plot);
    else
        chart_draw_lines(chart, canvas, places.plot);
    if (rect_shown(places.legend) && places.packed) {
        int below = pack_legend(chart, chart->selected + 1, NULL, places.legend, 0) - places.legend.height;
        pack_legend(chart, chart->series_count, canvas, places.legend, below > 0 ? below : 0);
    } else if (rect_shown(places.legend))
        draw_legend(chart, canvas, places.legend);
    if (places.readout >= 0)
        draw_readout(screen, canvas, (struct rect){inside.x, places.readout, inside.width, 2});
}

/* ---- keys ---- */

static void turn_metric(struct screen *screen, int by)
{
    struct chart *chart = chart_state(screen);
    for (int i = 1; i <= CHART_METRICS; i++) {
        int metric = (chart->metric + by * i + 2 * CHART_METRICS) % CHART_METRICS;
        if (!chart->has[metric])
            continue;
        chart->metric = metric;
        chart->metric_chosen = true;
        chart_remake(screen);
        return;
    }
}

static void turn_axis(struct screen *screen)
{
    struct chart *chart = chart_state(screen);
    int before = chart->axis;
    do
        chart->axis = chart->axis + 1 < chart->axis_count ? chart->axis + 1 : CHART_VARIANTS;
    while (chart->axis != CHART_VARIANTS && !chart->axes[chart->axis].numeric);
    chart->axis_chosen = true;
    chart_remake(screen);
    if (chart->axis == before)
        screen_message(screen, SEVERITY_INFO, "There is only one axis: no other parameter was swept.");
}

/* On bars the cursor moves from variant to variant, on lines from point to point; it stops at the end of a
 * series. */
static void move_cursor(struct chart *chart, int64_t by)
{
    int64_t last = chart->series_count > 0 ? (int64_t)chart->series[chart->selected].count - 1 : 0;
    int64_t cursor = (int64_t)chart->cursor + by;
    chart->cursor = (uint32_t)(cursor < 0 ? 0 : cursor > last ? last : cursor);
}

/* Selects the next series, at the nearest x. */
static void turn_series(struct chart *chart, int by)
{
    if (chart->series_count == 0)
        return;
    double x = chart->points[chart->series[chart->selected].first + chart->cursor].x;
    chart->selected = (chart->selected + chart->series_count + by) % chart->series_count;
    const struct chart_series *series = &chart->series[chart->selected];
    chart->cursor = 0;
    for (uint32_t i = 1; i < series->count; i++)
        if (fabs(chart->points[series->first + i].x - x) <
            fabs(chart->points[series->first + chart->cursor].x - x))
            chart->cursor = i;
}

/* Runs what the figure needs: its points appear as the values arrive. */
static void run_sweep(struct screen *screen)
{
    const struct chart *chart = chart_state(screen);
    if (!chart->workload || is_swept(chart)) {
        screen_message(screen, SEVERITY_INFO, "This sweep has run already: the lab (e) runs other values.");
        return;
    }
    int more;
    const char *first = sweep_of(chart->workload, &more);
    bool started = screen_start(screen, first);
    for (int i = 1; started && i <= more; i++)
        started = screen_start(screen, chart->workload->sweeps[i]);
    if (started)
        screen_message(screen, SEVERITY_INFO, "Started %s%s.", first,
                       more > 0 ? " and its other sweeps" : "");
}

static bool chart_act(struct screen *screen, enum action action)
{
    struct chart *chart = chart_state(screen);
    switch (action) {
    case ACTION_UP: turn_metric(screen, -1); return true;
    case ACTION_DOWN: turn_metric(screen, 1); return true;
    case ACTION_LEFT: move_cursor(chart, -1); return true;
    case ACTION_RIGHT: move_cursor(chart, 1); return true;
    case ACTION_NEXT: turn_series(chart, 1); return true;
    case ACTION_PREVIOUS: turn_series(chart, -1); return true;
    case ACTION_SORT: turn_axis(screen); return true;
    case ACTION_SCALE: chart->scale = (enum chart_scale)((chart->scale + 1) % CHART_SCALE_COUNT); return true;
    case ACTION_OPEN: run_sweep(screen); return true;
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Show only (-word excludes):"); return true;
    case ACTION_NEXT_PANE: chart_next_workload(screen, 1); return true;
    case ACTION_PREVIOUS_PANE: chart_next_workload(screen, -1); return true;
    case ACTION_EDIT:
        if (chart->workload)
            lab_open(screen, (size_t)(chart->workload - screen->host->workloads));
        return true;
    case ACTION_HOME: move_cursor(chart, -(int64_t)chart->point_count); return true;
    case ACTION_END: move_cursor(chart, chart->point_count); return true;
    case ACTION_PAGE_UP: move_cursor(chart, -PAGE_POINTS); return true;
    case ACTION_PAGE_DOWN: move_cursor(chart, PAGE_POINTS); return true;
    default: return false;
    }
}

static void chart_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    (void)area;
    if (event->kind == MOUSE_WHEEL_UP || event->kind == MOUSE_WHEEL_DOWN)
        move_cursor(chart_state(screen), event->kind == MOUSE_WHEEL_UP ? -1 : 1);
}

static char *filter_text(const struct screen *screen)
{
    return chart_state(screen)->filter;
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct chart *chart = chart_state(screen);
    bool empty = chart->series_count == 0;
    subject_set_kernel(subject, screen,
                       empty ? NONE
                             : chart->points[chart->series[chart->selected].first + chart->cursor].kernel);
}

static bool can_sweep(const struct screen *screen)
{
    const struct chart *chart = chart_state(screen);
    return chart->workload && screen->host->run && !is_swept(chart);
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN,
     .hint = "sweep",
     .when = can_sweep,
     .help = "run the sweep that its figure needs"},
    {.action = ACTION_DOWN, .hint = "metric"},
    {.action = ACTION_RIGHT, .hint = "point", .help = "to the next point; h: to the previous"},
    {.action = ACTION_NEXT, .hint = "series", .help = "to the next series; N: to the previous"},
    {.action = ACTION_SCALE},
    {.action = ACTION_SORT, .hint = "axis", .help = "the next axis: a parameter, or the variants"},
    {.action = ACTION_FILTER},
    {.action = ACTION_EDIT},
    {.action = ACTION_SOURCE},
    {.action = ACTION_NEXT_PANE, .hint = "workload"},
    {.action = ACTION_NONE},
};

const struct view view_chart = {
    .title = "Chart",
    .opened_by = ACTION_PLOT,
    .state_bytes = sizeof(struct chart),
    .forget = chart_forget,
    .update = chart_update,
    .draw = chart_draw,
    .open = chart_open,
    .act = chart_act,
    .mouse = chart_mouse,
    .filter = filter_text,
    .filtered = chart_remake,
    .subject = take_subject,
    .keys = keys,
};
