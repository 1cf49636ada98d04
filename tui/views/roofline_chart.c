/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chart of the roofline: the device's roofs on logarithmic axes, and a letter for each kernel that
 * computes (with a tilde before a modelled one). Letters do not overlap: one whose cell is taken stands in
 * the nearest free cell. For the selected row, 1 and 2 stand at the bytes of L1 and L2, on the line of its
 * speed, and a dotted line leads up to its roof: the possible gain.
 */
#include "tui/views/roofline.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_CELLS 12
#define APART_CELLS 4 /* a letter stands at most this far from its point, and a line above or below */
#define LINE_WEIGHT 2 /* cells to the side that are as far as one line */

struct roofline_plot {
    const struct roofline_view *view;
    struct dots dots;
};

static int dot_x(const struct roofline_plot *plot, double intensity)
{
    double share = log10(intensity / plot->view->x_least) / log10(plot->view->x_most / plot->view->x_least);
    return (int)lround(share * (plot->dots.inside.width * 2 - 1));
}

static int dot_y(const struct roofline_plot *plot, double speed)
{
    double share = log10(speed / plot->view->y_least) / log10(plot->view->y_most / plot->view->y_least);
    return (int)lround((1 - share) * (plot->dots.inside.height * 4 - 1));
}

/* ---- axes ---- */

/* A power of ten: "100 GFLOP/s". */
static void decade_text(double speed, char *text, size_t size_bytes)
{
    static const char prefixes[] = " kMGTPE";
    int step = 0;
    while (speed > 999 && prefixes[step + 1] != '\0') {
        speed /= 1000;
        step++;
    }
    if (step == 0)
        snprintf(text, size_bytes, "%.3g FLOP/s", speed);
    else
        snprintf(text, size_bytes, "%.0f %cFLOP/s", speed, prefixes[step]);
}

static void draw_axes(const struct roofline_plot *plot, bool labels)
{
    const struct rect inside = plot->dots.inside;
    struct canvas *canvas = plot->dots.canvas;
    struct style frame = STYLE(COLOR_FRAME, COLOR_NONE, 0), dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    int x = inside.x - 1, y = inside.y + inside.height, free_from = 0, last = -2;
    for (int i = 0; i < inside.height; i++)
        canvas_glyph(canvas, x, inside.y + i, GLYPH_VERTICAL, frame);
    for (int i = 0; i < inside.width; i++)
        canvas_glyph(canvas, x + 1 + i, y, GLYPH_HORIZONTAL, frame);
    canvas_glyph(canvas, x, y, GLYPH_BOTTOM_LEFT, frame);
    for (double at = plot->view->y_least; at < plot->view->y_most * 1.01; at *= 10) {
        int line = inside.y + dot_y(plot, at) / 4;
        char text[32];
        if (last == line)
            continue;
        last = line;
        decade_text(at, text, sizeof text);
        canvas_put(canvas, x, line, '+', dim);
        if (labels)
            field_number(canvas, x - LABEL_CELLS, line, LABEL_CELLS - 1, dim, text);
    }
    for (double at = plot->view->x_least; at < plot->view->x_most * 1.01; at *= 10) {
        char text[32];
        int length = snprintf(text, sizeof text, "%g", at), column = inside.x + dot_x(plot, at) / 2;
        int from = column - length / 2;
        canvas_glyph(canvas, column, y, GLYPH_TICK, frame);
        if (from + length > inside.x + inside.width)
            from = inside.x + inside.width - length;
        if (from <= free_from)
            continue;
        canvas_text(canvas, from, y + 1, length, dim, text);
        free_from = from + length;
    }
}

/* ---- roofs ---- */

/* The slope of a level of memory up to the roof of single precision. */
static void draw_slope(const struct roofline_plot *plot, double bytes, struct style style)
{
    double ridge = plot->view->roofs.float_operations / bytes, least = plot->view->x_least;
    if (least * bytes < plot->view->y_least) /* it enters the chart at its bottom */
        least = plot->view->y_least / bytes;
    if (least < ridge)
        dots_join(&plot->dots, dot_x(plot, least), dot_y(plot, least * bytes), dot_x(plot, ridge),
                  dot_y(plot, plot->view->roofs.float_operations), 1, style);
}

/* From the steepest slope on. */
static void draw_flat(const struct roofline_plot *plot, double operations, int step, struct style style)
{
    double bytes = plot->view->roofs.bytes;
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (plot->view->levels[level].available)
            bytes = fmax(bytes, plot->view->levels[level].number);
    double ridge = fmax(operations / bytes, plot->view->x_least);
    dots_join(&plot->dots, dot_x(plot, ridge), dot_y(plot, operations), dot_x(plot, plot->view->x_most),
              dot_y(plot, operations), step, style);
}

/* Writes a roof's name, unless something stands there. The heading lists all roofs. */
static bool name_line(const struct roofline_plot *plot, int x, int y, struct style style, const char *text)
{
    const struct rect inside = plot->dots.inside;
    int cells = (int)strlen(text);
    if (x <= inside.x || y < inside.y || y >= inside.y + inside.height || x + cells > inside.x + inside.width)
        return false;
    for (int i = -1; i <= cells; i++) {
        const struct cell *cell = canvas_cell(plot->dots.canvas, x + i, y);
        if (cell && cell->codepoint > ' ' && i >= 0 && i < cells)
            return false;
    }
    canvas_text(plot->dots.canvas, x, y, cells, style, text);
    return true;
}

static void name_flat(const struct roofline_plot *plot, const char *name, double operations, int line_apart,
                      struct style style)
{
    const struct rect inside = plot->dots.inside;
    const struct value value = {.available = true, .number = operations};
    char text[60], number[32];
    metric_format(METRIC_operations_per_second, &value, number, sizeof number);
    snprintf(text, sizeof text, "%s %s", name, number);
    if (inside.width >= 50 && inside.height >= 9)
        name_line(plot, inside.x + inside.width - (int)strlen(text),
                  inside.y + dot_y(plot, operations) / 4 + line_apart, style, text);
}

/* Left of its slope, with the number where there is room. */
static void name_slope(const struct roofline_plot *plot, enum roofline_level level, double bytes,
                       struct style style)
{
    static const double places[] = {0.4, 0.55, 0.25, 0.7, 0.15, 0.85};
    const struct value value = {.available = true, .number = bytes};
    double least = fmax(plot->view->x_least, plot->view->y_least / bytes),
           ridge = plot->view->roofs.float_operations / bytes;
    char texts[2][60], number[32];
    metric_format(METRIC_theoretical_bandwidth_bytes_per_second, &value, number, sizeof number);
    snprintf(texts[0], sizeof texts[0], "%s %s", roofline_level_text(level), number);
    snprintf(texts[1], sizeof texts[1], "%s", roofline_level_text(level));
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            double at = least * pow(ridge / least, places[i]);
            int x = plot->dots.inside.x + dot_x(plot, at) / 2,
                y = plot->dots.inside.y + dot_y(plot, at * bytes) / 4;
            if (name_line(plot, x - (int)strlen(texts[t]) - 1, y, style, texts[t]))
                return;
        }
}

/* ---- points ---- */

/* Draws the line from the point up to its roof. */
static void draw_gain(const struct roofline_plot *plot, const struct roofline_row *row)
{
    if (!roofline_row_is_point(row) || !(row->possible > row->speed.number))
        return;
    int x = dot_x(plot, row->intensity[LEVEL_DRAM].number);
    dots_join(&plot->dots, x, dot_y(plot, row->speed.number), x, dot_y(plot, row->possible),
              plot->dots.canvas->ascii ? 4 : 2, STYLE(COLOR_GOOD, COLOR_NONE, 0));
}

static bool is_mark(const struct roofline_plot *plot, int x, int y)
{
    const struct cell *cell = canvas_cell(plot->dots.canvas, x, y);
    uint32_t c = cell ? cell->codepoint : 0;
    return c == '~' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_free(const struct roofline_plot *plot, int x, int y, int cells)
{
    if (!rect_holds(plot->dots.inside, x, y) || !rect_holds(plot->dots.inside, x + cells - 1, y))
        return false;
    for (int i = 0; i < cells; i++)
        if (is_mark(plot, x + i, y))
            return false;
    return true;
}

/* Does the same text already stand there? Two points of one name are one letter then. */
static bool stands_there(const struct roofline_plot *plot, int x, int y, const char *text)
{
    const struct cell *before = canvas_cell(plot->dots.canvas, x - 1, y);
    for (int i = 0; text[i] != '\0'; i++) {
        const struct cell *cell = canvas_cell(plot->dots.canvas, x + i, y);
        if (!cell || cell->codepoint != (unsigned char)text[i])
            return false;
    }
    return text[0] == '~' || !before || before->codepoint != '~';
}

/* Puts a mark at a point or into the nearest free cells. False: there are none. */
static bool put_mark(const struct roofline_plot *plot, double intensity, double speed, const char *text,
                     struct style style)
{
    const struct rect inside = plot->dots.inside;
    int x = inside.x + dot_x(plot, intensity) / 2, y = inside.y + dot_y(plot, speed) / 4;
    int cells = (int)strlen(text), best = 0, best_x = x, best_y = y;
    if (x + cells > inside.x + inside.width)
        x = inside.x + inside.width - cells;
    if (stands_there(plot, x, y, text))
        return true;
    best = -1;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -APART_CELLS; dx <= APART_CELLS; dx++) {
            int far = abs(dx) + LINE_WEIGHT * abs(dy);
            if ((best < 0 || far < best) && is_free(plot, x + dx, y + dy, cells)) {
                best = far;
                best_x = x + dx;
                best_y = y + dy;
            }
        }
    for (int i = 0; best >= 0 && i < cells; i++)
        canvas_put(plot->dots.canvas, best_x + i, best_y, (unsigned char)text[i], style);
    return best >= 0;
}

static bool draw_point(const struct roofline_plot *plot, const struct roofline_row *row, bool selected)
{
    bool model = row->provenance == PROVENANCE_MODELLED;
    struct style style = selected ? STYLE(COLOR_TITLE, COLOR_CURSOR, ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE)
                                  : STYLE(row->color, COLOR_NONE, model ? 0 : ATTRIBUTE_BOLD);
    char text[4] = {'~', row->letter, '\0'};
    if (!roofline_row_is_point(row))
        return true;
    return put_mark(plot, row->intensity[LEVEL_DRAM].number, row->speed.number, text + !model, style);
}

static bool has_level(const struct roofline_row *row, int level)
{
    return row->intensity[level].available && row->intensity[level].number > 0;
}

/* From the selected row's bytes of one level to those of another. */
static void draw_level_line(const struct roofline_plot *plot, const struct roofline_row *row)
{
    double least = row->intensity[LEVEL_DRAM].number, most = least, speed = row->speed.number;
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (!has_level(row, level))
            continue;
        least = fmin(least, row->intensity[level].number);
        most = fmax(most, row->intensity[level].number);
    }
    dots_join(&plot->dots, dot_x(plot, least), dot_y(plot, speed), dot_x(plot, most), dot_y(plot, speed), 3,
              STYLE(COLOR_DIM, COLOR_NONE, 0));
}

/* The selected row at the bytes of the other levels. */
static void draw_levels(const struct roofline_plot *plot, const struct roofline_row *row)
{
    static const char *const marks[LEVEL_COUNT] = {[LEVEL_L1] = "1", [LEVEL_L2] = "2"};
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (marks[level] && has_level(row, level))
            put_mark(plot, row->intensity[level].number, row->speed.number, marks[level],
                     STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD));
}

static int draw_points(const struct roofline_plot *plot, const struct roofline_row *selected)
{
    const struct roofline_view *view = plot->view;
    int without_room = 0;
    if (selected && roofline_row_is_point(selected)) {
        draw_level_line(plot, selected);
        without_room += !draw_point(plot, selected, true);
        draw_levels(plot, selected);
    }
    for (enum provenance p = PROVENANCE_MEASURED; p > PROVENANCE_EXPECTED; p--)
        for (int i = 0; i < view->count; i++)
            if (view->rows[i].provenance == p && &view->rows[i] != selected)
                without_room += !draw_point(plot, &view->rows[i], false);
    return without_room;
}

static void draw_roofs(const struct roofline_plot *plot, struct style flat, struct style slope)
{
    const struct roofline_view *view = plot->view;
    if (view->roofs.double_operations > 0)
        draw_flat(plot, view->roofs.double_operations, 3, flat);
    for (int level = LEVEL_COUNT - 1; level >= 0; level--)
        if (view->levels[level].available)
            draw_slope(plot, view->levels[level].number, level == LEVEL_DRAM ? flat : slope);
    draw_flat(plot, view->roofs.float_operations, 1, flat);
}

static void name_roofs(const struct roofline_plot *plot, struct style flat, struct style slope)
{
    const struct roofline_view *view = plot->view;
    name_flat(plot, "single", view->roofs.float_operations, -1, flat);
    if (view->roofs.double_operations > 0)
        name_flat(plot, "double", view->roofs.double_operations, 1, flat);
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (view->levels[level].available)
            name_slope(plot, (enum roofline_level)level, view->levels[level].number,
                       level == LEVEL_DRAM ? flat : slope);
}

int roofline_chart_draw(const struct roofline_view *view, struct canvas *canvas, struct rect area)
{
    bool labels = area.width >= 40;
    int left = (labels ? LABEL_CELLS : 0) + 1;
    struct roofline_plot plot = {
        .view = view, .dots = {{area.x + left, area.y, area.width - left - 1, area.height - 2}, canvas}};
    struct style flat = STYLE(COLOR_WARN, COLOR_NONE, 0), slope = STYLE(COLOR_COPY_IN, COLOR_NONE, 0);
    const struct roofline_row *selected = sheet_table_row(&view->table) < (size_t)view->count
                                              ? &view->rows[sheet_table_row(&view->table)]
                                              : NULL;
    bool roofed = view->roofs.bytes > 0 && view->roofs.float_operations > 0;
    draw_axes(&plot, labels);
    if (selected)
        draw_gain(&plot, selected);
    if (roofed)
        draw_roofs(&plot, flat, slope);
    int without_room = draw_points(&plot, selected);
    if (roofed)
        name_roofs(&plot, flat, slope);
    return without_room;
}
