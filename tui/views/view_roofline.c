/*
 * The roofline on the screen: the device's roofs on logarithmic axes, kernels that compute as their numbers
 * (with a tilde before a modelled one; x where numbers would overlap), and below them a row for each kernel
 * with its values. A dotted line leads from the selected point up to its roof: the possible gain.
 */
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/roofline.h"
#include "tui/widgets/dots.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_CELLS 12
#define CHART_HEIGHT_MIN 7
#define FOOT_LINES 2
#define NUMBER_CELLS 4 /* a row's number, "~123" */
#define CROWDED 'x'    /* points whose numbers do not fit */

struct places {
    struct rect head, chart, titles, rows, foot;
};

/* As many rows as there are, as long as the chart keeps two thirds of the height. */
static struct places places_of(const struct roofline_view *view, struct rect inside)
{
    struct places places = {.head = {inside.x, inside.y, inside.width, 1}};
    int left = inside.height - 1, y = inside.y + 1;
    int foot = left >= 14 ? FOOT_LINES : 0, rows = view->count > 0 ? view->count : 1;
    int most = left - foot - 1 >= CHART_HEIGHT_MIN + 4 ? (left - foot - 1) / 3 : left - foot - 1;
    rows = rows < most ? rows : most > 0 ? most : 0;
    int chart = left - foot - 1 - rows;
    if (chart >= CHART_HEIGHT_MIN) {
        places.chart = (struct rect){inside.x, y, inside.width, chart};
        y += chart;
    } else {
        rows = left - foot - 1 > 0 ? left - foot - 1 : 0;
    }
    places.titles = (struct rect){inside.x, y, inside.width, 1};
    places.rows = (struct rect){inside.x, y + 1, inside.width, rows};
    places.foot = (struct rect){inside.x, inside.y + inside.height - foot, inside.width, foot};
    return places;
}

static void roofline_update(struct screen *screen, struct rect area)
{
    struct roofline_view *view = roofline_state(screen);
    roofline_make(screen);
    list_update(&view->list, view->count, places_of(view, view_inside(area)).rows.height);
    uint32_t kernel = screen->kernel;
    for (int i = 0; i < view->count && view->followed != kernel; i++) {
        if (view->rows[i].kernel == kernel) {
            list_select(&view->list, i);
            view->followed = kernel;
        }
    }
}

/* ---- the chart ---- */

struct plot {
    const struct roofline_view *view;
    struct dots dots;
};

static int dot_x(const struct plot *plot, double intensity)
{
    double share = log10(intensity / plot->view->x_least) / log10(plot->view->x_most / plot->view->x_least);
    return (int)lround(share * (plot->dots.inside.width * 2 - 1));
}

static int dot_y(const struct plot *plot, double speed)
{
    double share = log10(speed / plot->view->y_least) / log10(plot->view->y_most / plot->view->y_least);
    return (int)lround((1 - share) * (plot->dots.inside.height * 4 - 1));
}

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

static void draw_axes(const struct plot *plot, bool labels)
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

static void draw_roof(const struct plot *plot, enum roofline_bound precision, struct style style)
{
    const struct roofline_roofs *roofs = &plot->view->roofs;
    double flat = precision == ROOFLINE_DOUBLE ? roofs->double_operations : roofs->float_operations;
    double ridge = flat / roofs->bytes, least = plot->view->x_least, low = least * roofs->bytes;
    if (low < plot->view->y_least) { /* the slope enters the chart at its bottom */
        low = plot->view->y_least;
        least = low / roofs->bytes;
    }
    if (precision == ROOFLINE_FLOAT)
        dots_join(&plot->dots, dot_x(plot, least), dot_y(plot, low), dot_x(plot, ridge), dot_y(plot, flat), 1,
                  style);
    dots_join(&plot->dots, dot_x(plot, ridge), dot_y(plot, flat), dot_x(plot, plot->view->x_most),
              dot_y(plot, flat), precision == ROOFLINE_DOUBLE ? 3 : 1, style);
}

/* Writes a roof's name above its line, unless a kernel or another name is there. The heading lists all roofs.
 */
static void name_line(const struct plot *plot, int x, int y, struct style style, const char *text)
{
    const struct rect inside = plot->dots.inside;
    int cells = (int)strlen(text);
    if (x <= inside.x || y < inside.y || x + cells > inside.x + inside.width)
        return;
    for (int i = -1; i <= cells; i++) {
        const struct cell *cell = canvas_cell(plot->dots.canvas, x + i, y);
        if (cell != NULL && cell->codepoint > ' ' && cell->codepoint < 0x7f && cell->codepoint != '.')
            return;
    }
    canvas_text(plot->dots.canvas, x, y, cells, style, text);
}

static void name_roof(const struct plot *plot, enum roofline_bound precision, struct style style)
{
    const struct rect inside = plot->dots.inside;
    const struct roofline_roofs *roofs = &plot->view->roofs;
    bool of_doubles = precision == ROOFLINE_DOUBLE;
    const struct value value = {.available = true,
                                .number = of_doubles ? roofs->double_operations : roofs->float_operations};
    char text[60], number[32];
    metric_format(METRIC_operations_per_second, &value, number, sizeof number);
    snprintf(text, sizeof text, "%s %s", of_doubles ? "double" : "single", number);
    int line = inside.y + dot_y(plot, value.number) / 4 + (of_doubles ? 1 : -1);
    if (inside.width >= 50 && inside.height >= 12)
        name_line(plot, inside.x + inside.width - (int)strlen(text), line, style, text);
}

static void name_bandwidth(const struct plot *plot, struct style style)
{
    const struct roofline_roofs *roofs = &plot->view->roofs;
    const struct value value = {.available = true, .number = roofs->bytes};
    char text[60], number[32];
    double at = plot->view->x_least * pow(roofs->float_operations / roofs->bytes / plot->view->x_least, 0.3);
    int x = plot->dots.inside.x + dot_x(plot, at) / 2,
        y = plot->dots.inside.y + dot_y(plot, at * roofs->bytes) / 4 - 1;
    metric_format(METRIC_theoretical_bandwidth_bytes_per_second, &value, number, sizeof number);
    snprintf(text, sizeof text, "DRAM %s", number);
    name_line(plot, x - (int)strlen(text) - 1, y, style, text);
}

/* Draws the line from the point up to its roof. */
static void draw_gain(const struct plot *plot, const struct roofline_row *row)
{
    if (!roofline_row_is_point(row) || !(row->possible > row->speed.number))
        return;
    int x = dot_x(plot, row->intensity.number);
    dots_join(&plot->dots, x, dot_y(plot, row->speed.number), x, dot_y(plot, row->possible),
              plot->dots.canvas->ascii ? 4 : 2, STYLE(COLOR_GOOD, COLOR_NONE, 0));
}

static bool is_mark(const struct plot *plot, int x, int y)
{
    const struct cell *cell = canvas_cell(plot->dots.canvas, x, y);
    return cell != NULL && (cell->codepoint == '~' || cell->codepoint == CROWDED ||
                            (cell->codepoint >= '0' && cell->codepoint <= '9'));
}

/* Draws a number if it fits with a gap to others; else a cross in its place. The selected one is drawn first.
 */
static void draw_point(const struct plot *plot, const struct roofline_row *row, bool selected)
{
    if (!roofline_row_is_point(row))
        return;
    char text[16];
    bool model = row->provenance == PROVENANCE_MODELLED;
    int cells = snprintf(text, sizeof text, "%s%d", model ? "~" : "", row->number);
    struct style style = selected ? STYLE(COLOR_TITLE, COLOR_CURSOR, ATTRIBUTE_BOLD | ATTRIBUTE_REVERSE)
                                  : STYLE(model ? COLOR_DIM : COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD);
    const struct rect inside = plot->dots.inside;
    int x = inside.x + dot_x(plot, row->intensity.number) / 2;
    int y = inside.y + dot_y(plot, row->speed.number) / 4;
    int from = x + cells > inside.x + inside.width ? inside.x + inside.width - cells : x;
    bool room = true;
    for (int i = -1; i <= cells; i++)
        room = room && !is_mark(plot, from + i, y);
    if (!room) {
        if (!is_mark(plot, x, y))
            canvas_put(plot->dots.canvas, x, y, CROWDED, style);
        return;
    }
    for (int i = 0; i < cells; i++)
        canvas_put(plot->dots.canvas, from + i, y, (unsigned char)text[i], style);
}

static void draw_chart(const struct roofline_view *view, struct canvas *canvas, struct rect area)
{
    bool labels = area.width >= 40;
    int left = (labels ? LABEL_CELLS : 0) + 1;
    struct plot plot = {.view = view,
                        .dots = {{area.x + left, area.y, area.width - left - 1, area.height - 2}, canvas}};
    struct style roof = STYLE(COLOR_WARN, COLOR_NONE, 0);
    const struct roofline_row *selected =
        view->list.selected < view->count ? &view->rows[view->list.selected] : NULL;
    draw_axes(&plot, labels);
    if (selected != NULL)
        draw_gain(&plot, selected);
    bool roofed = view->roofs.bytes > 0 && view->roofs.float_operations > 0,
         doubled = roofed && view->roofs.double_operations > 0;
    if (doubled)
        draw_roof(&plot, ROOFLINE_DOUBLE, roof);
    if (roofed)
        draw_roof(&plot, ROOFLINE_FLOAT, roof);
    if (selected != NULL)
        draw_point(&plot, selected, true);
    for (enum provenance p = PROVENANCE_MEASURED; p > PROVENANCE_EXPECTED; p--)
        for (int i = 0; i < view->count; i++)
            if (view->rows[i].provenance == p && &view->rows[i] != selected)
                draw_point(&plot, &view->rows[i], false);
    if (roofed)
        name_roof(&plot, ROOFLINE_FLOAT, roof);
    if (doubled)
        name_roof(&plot, ROOFLINE_DOUBLE, roof);
    if (roofed)
        name_bandwidth(&plot, roof);
}

/* ---- the table ---- */

enum column {
    COLUMN_PROVENANCE,
    COLUMN_INTENSITY,
    COLUMN_SPEED,
    COLUMN_BANDWIDTH,
    COLUMN_ROOF,
    COLUMN_SHARE,
    COLUMN_COUNT
};
static const struct {
    const char *title;
    int cells, from_width; /* shown on screens of at least this width */
} columns[COLUMN_COUNT] = {
    [COLUMN_PROVENANCE] = {"", 10, 100}, [COLUMN_INTENSITY] = {"FLOP/byte", 10, 40},
    [COLUMN_SPEED] = {"FLOP/s", 14, 50}, [COLUMN_BANDWIDTH] = {"DRAM", 11, 100},
    [COLUMN_ROOF] = {"roof", 9, 60},     [COLUMN_SHARE] = {"of it", 9, 0},
};

static int column_cells(int width)
{
    int cells = 0;
    for (int c = 0; c < COLUMN_COUNT; c++)
        cells += width >= columns[c].from_width ? columns[c].cells : 0;
    return cells;
}

static void draw_cells(struct canvas *canvas, struct rect line, const char *const texts[COLUMN_COUNT],
                       struct style style)
{
    int x = line.x + line.width - column_cells(line.width);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (line.width < columns[c].from_width)
            continue;
        field_number(canvas, x, line.y, columns[c].cells - 1, style, texts[c]);
        x += columns[c].cells;
    }
}

static void draw_titles(struct canvas *canvas, struct rect line)
{
    const char *texts[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++)
        texts[c] = columns[c].title;
    struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    canvas_text(canvas, line.x + 1, line.y, line.width - column_cells(line.width) - 1, style, "  # kernel");
    draw_cells(canvas, line, texts, style);
}

static void draw_row(const struct screen *screen, struct canvas *canvas, struct rect line, int index)
{
    const struct roofline_view *view = roofline_state(screen);
    const struct roofline_row *row = &view->rows[index];
    const struct session *session = screen->session;
    bool selected = index == view->list.selected, model = row->provenance == PROVENANCE_MODELLED;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style style = STYLE(selected ? COLOR_TITLE
                               : model  ? COLOR_DIM
                                        : COLOR_TEXT,
                               ground, selected ? ATTRIBUTE_BOLD : 0);
    char name[300], number[16], text[COLUMN_COUNT][40];
    const char *texts[COLUMN_COUNT];
    int cells = line.width - column_cells(line.width) - NUMBER_CELLS - 2;
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    snprintf(number, sizeof number, "%s%d", model ? "~" : "", row->number);
    field_number(canvas, line.x, line.y, NUMBER_CELLS, style, number);
    short_names_print_kernel(screen->naming.names, session, row->kernel, cells, name, sizeof name);
    canvas_text(canvas, line.x + NUMBER_CELLS + 1, line.y, cells, style, name);
    snprintf(text[COLUMN_PROVENANCE], 40, "%s", provenance_text(row->provenance));
    metric_format(METRIC_arithmetic_intensity, &row->intensity, text[COLUMN_INTENSITY], 40);
    metric_format(METRIC_operations_per_second, &row->speed, text[COLUMN_SPEED], 40);
    metric_format(METRIC_dram_bandwidth_bytes_per_second, &row->bandwidth, text[COLUMN_BANDWIDTH], 40);
    metric_format(METRIC_roof, &row->roof, text[COLUMN_ROOF], 40);
    metric_format(METRIC_roof_pct, &row->share, text[COLUMN_SHARE], 40);
    for (int c = 0; c < COLUMN_COUNT; c++)
        texts[c] = text[c];
    draw_cells(canvas, line, texts, style);
}

/* ---- head, foot ---- */

static void draw_head(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct roofline_view *view = roofline_state(screen);
    const double numbers[] = {view->roofs.bytes, view->roofs.float_operations, view->roofs.double_operations};
    static const enum metric metrics[] = {METRIC_theoretical_bandwidth_bytes_per_second,
                                          METRIC_peak_float_per_second, METRIC_peak_double_per_second};
    char text[3][32];
    for (int i = 0; i < 3; i++) {
        const struct value value = {.available = numbers[i] > 0, .number = numbers[i]};
        metric_format(metrics[i], &value, text[i], sizeof text[i]);
    }
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    if (line.width >= 90)
        canvas_printf(canvas, line.x + 1, line.y, line.width - 1, style,
                      "roofs, expected: DRAM %s, single precision %s, double precision %s", text[0], text[1],
                      text[2]);
    else
        canvas_printf(canvas, line.x + 1, line.y, line.width - 1, style, "DRAM %s, single %s, double %s",
                      text[0], text[1], text[2]);
}

static void say_row(const struct roofline_row *row, char *text, size_t size_bytes)
{
    char share[32], possible[32], gain[64];
    const struct value allowed = {.available = true, .number = row->possible};
    metric_format(METRIC_roof_pct, &row->share, share, sizeof share);
    metric_format_ratio(row->share.number > 0 ? 100 / row->share.number : 0, 3, gain, sizeof gain);
    metric_format(METRIC_operations_per_second, &allowed, possible, sizeof possible);
    if (!row->share.available)
        snprintf(text, size_bytes, "Its distance from its roof is not known: %s.",
                 row->share.why ? row->share.why : "its bytes or operations are not known");
    else if (!roofline_row_is_point(row))
        snprintf(text, size_bytes, "No floating-point operations: its roof is the DRAM bandwidth, %s reached",
                 share);
    else if (row->share.number > 0)
        snprintf(text, size_bytes, "Roof: %s%s, %s; %s reached, %s to gain", row->roof.word,
                 strcmp(row->roof.word, roofline_bound_text(ROOFLINE_MEMORY)) == 0 ? "'s bandwidth"
                                                                                   : " precision",
                 possible, share, gain);
}

static void draw_foot(const struct roofline_view *view, struct canvas *canvas, struct rect area)
{
    char text[400] = "";
    if (view->list.selected < view->count)
        say_row(&view->rows[view->list.selected], text, sizeof text);
    canvas_text(canvas, area.x + 1, area.y, area.width - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
    if (view->without > 0)
        canvas_printf(canvas, area.x + 1, area.y + 1, area.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "%d more: %s", view->without, view->why ? view->why : "not counted");
    else if (view->elsewhere > 0)
        canvas_printf(canvas, area.x + 1, area.y + 1, area.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "%d more on devices with other roofs", view->elsewhere);
}

static void roofline_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct roofline_view *view = roofline_state(screen);
    char title[160] = "Roofline";
    const struct device_row *device = screen_device(screen);
    if (device != NULL)
        snprintf(title, sizeof title, "Roofline  %.90s%s", device->info.name,
                 device->info.is_model ? ", modelled" : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    struct places places = places_of(view, inside);
    if (view->count == 0) {
        char text[300];
        snprintf(text, sizeof text, "%s", screen_why_empty(screen, "No kernel is known."));
        if (view->without > 0)
            snprintf(text, sizeof text, "No kernel's operations and bytes are known: %s.",
                     view->why ? view->why : "they were not counted");
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        return;
    }
    draw_head(screen, canvas, places.head);
    if (rect_shown(places.chart))
        draw_chart(view, canvas, places.chart);
    draw_titles(canvas, places.titles);
    for (int i = 0; i < places.rows.height && view->list.top + i < view->count; i++)
        draw_row(screen, canvas, (struct rect){places.rows.x, places.rows.y + i, places.rows.width, 1},
                 view->list.top + i);
    if (rect_shown(places.foot))
        draw_foot(view, canvas, places.foot);
}

/* ---- moving ---- */

/* The selection here is also the selection in the list of kernels. */
static void take_selection(struct screen *screen)
{
    struct roofline_view *view = roofline_state(screen);
    if (view->list.selected >= view->count)
        return;
    view->followed = view->rows[view->list.selected].kernel;
    screen_select_kernel(screen, view->followed);
}

static bool roofline_act(struct screen *screen, enum action action)
{
    if (!list_act(&roofline_state(screen)->list, action))
        return false;
    take_selection(screen);
    return true;
}

static void roofline_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct places places = places_of(roofline_state(screen), view_inside(area));
    if (list_mouse(&roofline_state(screen)->list, event, event->y - places.rows.y))
        take_selection(screen);
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "kernel"},
    {.action = ACTION_SOURCE},
    {.action = ACTION_OCCUPANCY},
    {.action = ACTION_AMDAHL},
    {.action = ACTION_NONE},
};

const struct view view_roofline = {
    .title = "Roofline",
    .opened_by = ACTION_ROOFLINE,
    .state_bytes = sizeof(struct roofline_view),
    .forget = roofline_forget,
    .update = roofline_update,
    .draw = roofline_draw,
    .act = roofline_act,
    .mouse = roofline_mouse,
    .keys = keys,
};
