/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series over numbers: braille dots join the points of a series, and its letter marks them; in ASCII the dots
 * are full stops. Heights come from the scale, so that this file needs only the texts of metrics.
 */
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/chart/chart.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_CELLS 10
#define DOTS_APART 5 /* distance between the dots of documents' lines */

struct plot {
    struct rect inside; /* the area of the dots */
    struct canvas *canvas;
    const struct chart *chart;
};

static struct style style_of(const struct chart *chart, int series)
{
    const struct chart_series *one = &chart->series[series];
    return STYLE(one->figure ? COLOR_WARN : one->color, COLOR_NONE,
                 series == chart->selected ? ATTRIBUTE_BOLD : 0);
}

struct dot {
    int x, y;
    bool known;
};

static struct dot dot_of(const struct plot *plot, const struct chart_series *series,
                         const struct chart_point *point)
{
    double height = chart_height(plot->chart, series, point->y), place = chart_place(plot->chart, point->x);
    if (!isfinite(height) || !isfinite(place))
        return (struct dot){0};
    int wide = plot->inside.width * 2 - 1, high = plot->inside.height * 4 - 1;
    height = height > 1 ? 1 : height < 0 ? 0 : height;
    return (struct dot){(int)lround(place * wide), high - (int)lround(height * high), true};
}

static void draw_lines_of(const struct plot *plot, int which)
{
    const struct chart_series *series = &plot->chart->series[which];
    const struct dots dots = {plot->inside, plot->canvas};
    struct dot before = {0};
    for (uint32_t i = 0; i < series->count; i++) {
        struct dot dot = dot_of(plot, series, &plot->chart->points[series->first + i]);
        if (dot.known && before.known)
            dots_join(&dots, before.x, before.y, dot.x, dot.y, series->figure ? DOTS_APART : 1,
                      style_of(plot->chart, which));
        before = dot;
    }
}

static bool is_mark(const struct plot *plot, int x, int y)
{
    const struct cell *cell = canvas_cell(plot->canvas, x, y);
    return cell && (cell->codepoint == '?' || (cell->codepoint >= '1' && cell->codepoint <= 'z'));
}

/* Marks at the same place are drawn side by side, if there is room. */
static void draw_marks_of(const struct plot *plot, int which)
{
    const struct chart_series *series = &plot->chart->series[which];
    for (uint32_t i = 0; i < series->count && series->mark != '\0'; i++) {
        struct dot dot = dot_of(plot, series, &plot->chart->points[series->first + i]);
        bool cursor = which == plot->chart->selected && i == plot->chart->cursor;
        int x = plot->inside.x + dot.x / 2, y = plot->inside.y + dot.y / 4;
        if (!dot.known)
            continue;
        if (is_mark(plot, x, y) && !cursor)
            x += !is_mark(plot, x + 1, y) && x + 1 <= plot->inside.x + plot->inside.width ? 1 : 0;
        canvas_put(plot->canvas, x, y, (unsigned char)series->mark,
                   cursor ? STYLE(COLOR_TITLE, COLOR_CURSOR, ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE)
                          : style_of(plot->chart, which));
    }
}

/* ---- axes ---- */

static void draw_frame(const struct plot *plot)
{
    struct style style = STYLE(COLOR_FRAME, COLOR_NONE, 0);
    int x = plot->inside.x - 1, y = plot->inside.y + plot->inside.height;
    for (int i = 0; i < plot->inside.height; i++)
        canvas_glyph(plot->canvas, x, plot->inside.y + i, GLYPH_VERTICAL, style);
    for (int i = 0; i < plot->inside.width; i++)
        canvas_glyph(plot->canvas, x + 1 + i, y, GLYPH_HORIZONTAL, style);
    canvas_glyph(plot->canvas, x, y, GLYPH_BOTTOM_LEFT, style);
}

/* Labels at round values on a linear scale, else at equal distances. */
/* The end of the digits behind the point of a number if they are all 0, else NULL; *from: the point, or where a
 * number without one ends. */
static char *zero_fraction(char *text, char **from)
{
    *from = text + strcspn(text, ".");
    char *end = *from + (**from == '.');
    end += strspn(end, "0");
    return *end >= '1' && *end <= '9' ? NULL : end;
}

static void print_tick(const struct chart *chart, double value, char text[NUMBER_SIZE])
{
    if (chart->scale == CHART_SHARE)
        snprintf(text, NUMBER_SIZE, "%.0f %%", value);
    else if (chart->metric < METRIC_COUNT && value >= 1e6 && metric_info((enum metric)chart->metric)->exact)
        snprintf(text, NUMBER_SIZE, "%s", number_short((uint64_t)value).text);
    else
        chart_format(chart->metric, value, text, NUMBER_SIZE);
}

#define TICKS_MOST 20

/* Without digits behind the point where all of them are 0: 100, 50 and 0 instead of 100, 50.0 and 0.00. */
static void draw_values(const struct plot *plot, int label_cells)
{
    const struct chart *chart = plot->chart;
    struct {
        char text[NUMBER_SIZE];
        int y;
    } ticks[TICKS_MOST];
    int tick_count = 0;
    bool whole = true;
    char *point, *end;
    int count = plot->inside.height / 5 < 2 ? 2 : plot->inside.height / 5 > 6 ? 6 : plot->inside.height / 5;
    double most = chart->scale == CHART_SHARE ? 100 : chart->y_most, step = most / count;
    if (chart->scale != CHART_LOG && step > 0) {
        double unit = pow(10, floor(log10(step)));
        step = step >= 5 * unit ? 5 * unit : step >= 2 * unit ? 2 * unit : unit;
    }
    for (int i = 0, last = -1; i <= 3 * count && tick_count < TICKS_MOST; i++) {
        double height = chart->scale == CHART_LOG ? (double)i / count : most > 0 ? i * step / most : i;
        double value = chart_value_at(chart, height);
        if (height > 1.0001)
            break;
        int y = plot->inside.y + plot->inside.height - 1 -
                (int)lround(height * (plot->inside.height * 4 - 1)) / 4;
        if (y == last) /* a line has room for one label */
            continue;
        ticks[tick_count].y = last = y;
        print_tick(chart, value, ticks[tick_count].text);
        whole = zero_fraction(ticks[tick_count].text, &point) && whole;
        tick_count++;
    }
    for (int i = 0; i < tick_count; i++) {
        if (whole && (end = zero_fraction(ticks[i].text, &point)))
            memmove(point, end, strlen(end) + 1);
        field_number(plot->canvas, plot->inside.x - 1 - label_cells, ticks[i].y, label_cells - 1,
                     STYLE(COLOR_DIM, COLOR_NONE, 0), ticks[i].text);
        canvas_put(plot->canvas, plot->inside.x - 1, ticks[i].y, '+', STYLE(COLOR_DIM, COLOR_NONE, 0));
    }
}

/* Labels the x values of the series' points, from the left, as far as they fit. */
static void draw_places(const struct plot *plot)
{
    const struct chart *chart = plot->chart;
    int y = plot->inside.y + plot->inside.height + 1, free_from = plot->inside.x - 2;
    double last = -HUGE_VAL;
    for (;;) { /* the next larger x of any series */
        double next = HUGE_VAL;
        char text[NUMBER_SIZE];
        for (uint32_t i = 0; i < chart->point_count; i++)
            if (chart->points[i].x > last && chart->points[i].x < next)
                next = chart->points[i].x;
        if (next == HUGE_VAL)
            return;
        last = next;
        snprintf(text, sizeof text, "%g", next);
        int width = (int)strlen(text);
        int at = plot->inside.x + (int)lround(chart_place(chart, next) * (plot->inside.width * 2 - 1)) / 2;
        canvas_glyph(plot->canvas, at, y - 1, GLYPH_TICK, STYLE(COLOR_FRAME, COLOR_NONE, 0));
        int x = at - width / 2;
        if (x + width > plot->inside.x + plot->inside.width)
            x = plot->inside.x + plot->inside.width - width;
        if (x < plot->inside.x - 1)
            x = plot->inside.x - 1;
        if (x <= free_from)
            continue;
        canvas_text(plot->canvas, x, y, width, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        free_from = x + width;
    }
}

void chart_draw_lines(const struct chart *chart, struct canvas *canvas, struct rect area)
{
    int labels = area.width >= 40 ? LABEL_CELLS + 1 : 0, places = area.height >= 6 ? 2 : 0;
    struct plot plot = {.canvas = canvas, .chart = chart};
    plot.inside = (struct rect){area.x + labels + 1, area.y, area.width - labels - 2, area.height - places};
    if (plot.inside.width < 2 || plot.inside.height < 1)
        return;
    if (places > 0)
        draw_frame(&plot);
    if (labels > 0)
        draw_values(&plot, labels);
    if (places > 0)
        draw_places(&plot);
    for (int i = 0; i < chart->series_count; i++)
        draw_lines_of(&plot, i);
    if (chart->series_count > 0) /* the selected series' marks have fixed places; others move aside */
        draw_marks_of(&plot, chart->selected);
    for (int i = 0; i < chart->series_count; i++)
        if (i != chart->selected)
            draw_marks_of(&plot, i);
}
