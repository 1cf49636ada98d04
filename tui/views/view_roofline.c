/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline on the screen: the chart (roofline_chart.c), and below it, or beside it on wide screens, a row
 * for each kernel with its run and its values.
 */
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/roofline.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHART_HEIGHT_MIN 7
#define FOOT_LINES 3
#define BESIDE_FROM_WIDTH 180

/* ---- places ---- */

struct roofline_places {
    struct rect head, chart, table, foot;
};

/* As many rows as there are, as long as the chart keeps two thirds of the height. */
static void place_below(struct rect area, int rows, struct roofline_places *places)
{
    int left = area.height - 1;
    int most = left >= CHART_HEIGHT_MIN + 4 ? left / 3 : left;
    rows = rows < most ? rows : most > 0 ? most : 0;
    int chart = left - rows;
    if (chart >= CHART_HEIGHT_MIN) {
        places->chart = (struct rect){area.x, area.y, area.width, chart};
        area.y += chart;
    } else {
        rows = left > 0 ? left : 0;
    }
    places->table = (struct rect){area.x, area.y, area.width, 1 + rows};
}

static struct roofline_places places_of(const struct roofline_view *view, struct rect inside)
{
    int heads = inside.height >= 19 ? 2 : 1, foot = inside.height >= 15 ? FOOT_LINES : 0;
    struct roofline_places places = {.head = {inside.x, inside.y, inside.width, heads}};
    struct rect area = {inside.x, inside.y + heads, inside.width, inside.height - heads - foot};
    int rows = view->count > 0 ? view->count : 1;
    if (inside.width >= BESIDE_FROM_WIDTH && area.height >= CHART_HEIGHT_MIN) {
        int cells = inside.width * 9 / 20;
        places.chart = (struct rect){area.x, area.y, area.width - cells - 1, area.height};
        places.table = (struct rect){area.x + area.width - cells, area.y, cells, area.height};
    } else {
        place_below(area, rows, &places);
    }
    places.foot = (struct rect){inside.x, inside.y + inside.height - foot, inside.width, foot};
    return places;
}

/* ---- the table ---- */
/* clang-format off */
#define FIGURES(X)                                                                                                           \
    X(roof_pct, "of_roof_pct", "of it", "share of its roof that is reached, in per cent", share, 8, 0)                             \
    X(roof, "roof", "roof", "the lowest roof at its intensity", roof, 7, 0)                                                        \
    X(operations_per_second, "flop_per_second", "FLOP/s", "floating-point operations per second", speed, 13, 0)                    \
    X(arithmetic_intensity, "flop_per_byte", "FLOP/byte", "operations for each byte of DRAM", intensity[LEVEL_DRAM], 9, 0)         \
    X(dram_bandwidth_bytes_per_second, "dram_bytes_per_second", "DRAM", "bytes of DRAM per second", bandwidth, 9, 1)               \
    X(l2_intensity, "flop_per_l2_byte", "FLOP/L2 B", "operations for each byte that goes through L2", intensity[LEVEL_L2], 9, 2)   \
    X(l1_intensity, "flop_per_l1_byte", "FLOP/L1 B", "operations for each byte that goes through L1", intensity[LEVEL_L1], 9, 2)
#define FIGURE_COLUMN(metric, id, head, meaning, field, cells, priority) \
    {id, head, meaning, SHEET_NUMBER, SHEET_NEITHER, cells, priority, false},
#define FIGURE_PLACE(metric, ...) FIGURE_##metric,
enum { FIGURES(FIGURE_PLACE) FIGURE_COUNT, COLUMN_RUN = FIGURE_COUNT, COLUMN_NAME, COLUMN_COUNT };
static const struct sheet_column columns[COLUMN_COUNT] = {
    FIGURES(FIGURE_COLUMN)
    {"run", "run", "the run of the kernel", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"name", "kernel", "the kernel's whole name; ~: modelled", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct screen *screen = from;
    const struct roofline_view *view = roofline_state(screen);
    (void)error;
    for (int i = 0; i < view->count; i++) {
        const struct roofline_row *row = &view->rows[i];
        const uint32_t run = session_kernel(screen->session, row->kernel)->run;
        char texts[FIGURE_COUNT][40], name[300];
        struct sheet_cell cells[COLUMN_COUNT] = {{0}};
#define FIGURE_CELL(metric, id, head, meaning, field, ...)                                \
    metric_format(METRIC_##metric, &row->field, texts[FIGURE_##metric], sizeof texts[0]); \
    cells[FIGURE_##metric].number =                                                       \
        row->field.available && !row->field.word ? row->field.number : (double)NAN;       \
    cells[FIGURE_##metric].text = row->field.available ? texts[FIGURE_##metric] : NULL;
        FIGURES(FIGURE_CELL)
        screen_run_name(screen, run, name, sizeof name);
        cells[COLUMN_RUN].text = session_run(screen->session, run)->workload != 0 ? name : NULL;
        cells[COLUMN_NAME].text = kernel_full_name(screen->session, row->kernel);
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static const struct sheet sheet = {
    .id = "roofline", .title = "Roofline", SHEET_COLUMNS(columns), .none = "", .rows = make_rows};

static struct sheet_mark mark_of(const void *of, size_t index)
{
    const struct roofline_row *row = &roofline_state(of)->rows[index];
    return (struct sheet_mark){.codepoint = (unsigned char)row->letter,
                               .color = row->color,
                               .before = row->provenance == PROVENANCE_MODELLED ? '~' : 0,
                               .before_color = COLOR_DIM};
}

static bool text_of(const void *of, size_t index, int column, int cells, char *text, size_t size_bytes)
{
    const struct screen *screen = of;
    const uint32_t kernel = roofline_state(of)->rows[index].kernel,
                   run = session_kernel(screen->session, kernel)->run;
    if (column == COLUMN_NAME)
        short_names_print_kernel(screen->naming.names, screen->session, kernel, cells, text, size_bytes);
    else if (column == COLUMN_RUN && session_run(screen->session, run)->workload != 0)
        run_names_print(&kernels_state(screen)->names, screen->session, run, cells, text, size_bytes);
    else
        return false;
    return true;
}

static void style_of(const void *of, size_t index, int column, struct style *style)
{
    if (column == COLUMN_RUN || roofline_state(of)->rows[index].provenance == PROVENANCE_MODELLED)
        style->foreground = style->foreground == COLOR_TEXT && style->background == COLOR_NONE
                                ? COLOR_DIM
                                : style->foreground;
}

static const struct sheet_face face = {
    .mark = mark_of, .marks_two = true, .text = text_of, .style = style_of, .brief = true};

static void take_rows(struct screen *screen)
{
    struct roofline_view *view = roofline_state(screen);
    struct sheet_kept kept;
    struct error error = {0};
    if (sheet_kept_make(&kept, &sheet, screen, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return;
    }
    view->table.face = &face;
    view->table.of = screen;
    sheet_table_take(&view->table, &kept);
    view->selected = SIZE_MAX;
    view->followed = NONE;
}

static void select_kernel(struct roofline_view *view, uint32_t kernel)
{
    for (int i = 0; i < view->count; i++) {
        if (view->rows[i].kernel == kernel) {
            sheet_table_select(&view->table, (size_t)i);
            view->followed = kernel;
            view->selected = SIZE_MAX;
            return;
        }
    }
}

/* One selection: here and in the list of kernels. */
static void roofline_update(struct screen *screen, struct rect area)
{
    struct roofline_view *view = roofline_state(screen);
    if (roofline_make(screen))
        take_rows(screen);
    sheet_table_update(&view->table, places_of(view, view_inside(area)).table);
    if (view->followed != screen->kernel)
        select_kernel(view, screen->kernel);
    size_t row = sheet_table_row(&view->table);
    if (view->selected != SIZE_MAX && row < (size_t)view->count && row != view->selected) {
        view->followed = view->rows[row].kernel;
        screen_select_kernel(screen, view->followed);
    }
    view->selected = row;
}

/* ---- head ---- */

static void level_value(const struct roofline_view *view, enum roofline_level level, char *text,
                        size_t size_bytes)
{
    metric_format(METRIC_theoretical_bandwidth_bytes_per_second, &view->levels[level], text, size_bytes);
}

/* L2's roof and where it comes from, or why there is none. */
static void l2_text(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct roofline_view *view = roofline_state(screen);
    char number[32], name[80];
    if (!view->levels[LEVEL_L2].available) {
        snprintf(text, size_bytes, "no roof of L2: %s", view->levels[LEVEL_L2].why);
        return;
    }
    level_value(view, LEVEL_L2, number, sizeof number);
    short_names_print_kernel(screen->naming.names, screen->session, view->peak_of, 40, name, sizeof name);
    snprintf(text, size_bytes, "L2 %s, measured: bytes, time and share of the peak of %s", number, name);
}

static void draw_head(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct roofline_view *view = roofline_state(screen);
    const struct value peaks[] = {
        {.available = view->roofs.float_operations > 0, .number = view->roofs.float_operations},
        {.available = view->roofs.double_operations > 0, .number = view->roofs.double_operations}};
    char dram[32], l1[32], l2[300], single[32], doubles[32];
    bool wide = area.width >= 100;
    level_value(view, LEVEL_DRAM, dram, sizeof dram);
    level_value(view, LEVEL_L1, l1, sizeof l1);
    metric_format(METRIC_peak_float_per_second, &peaks[0], single, sizeof single);
    metric_format(METRIC_peak_double_per_second, &peaks[1], doubles, sizeof doubles);
    snprintf(l2, sizeof l2, "%s", wide ? "" : "expected; ");
    l2_text(screen, l2 + strlen(l2), sizeof l2 - strlen(l2));
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    canvas_printf(canvas, area.x + 1, area.y, area.width - 1, style,
                  wide ? "roofs, expected of the device: DRAM %s, L1 %s, single precision %s, double %s"
                       : "DRAM %s, L1 %s, single %s, double %s",
                  dram, l1, single, doubles);
    if (area.height > 1)
        canvas_text(canvas, area.x + 1, area.y + 1, area.width - 1, STYLE(COLOR_DIM, COLOR_NONE, 0), l2);
}

/* ---- foot ---- */

static void say_row(const struct roofline_row *row, char *text, size_t size_bytes)
{
    char share[32], possible[32], gain[64];
    const struct value allowed = {.available = true, .number = row->possible};
    bool at_most = row->share.bound == VALUE_AT_LEAST;
    metric_format(METRIC_roof_pct, &row->share, share, sizeof share);
    metric_format_ratio(row->share.number > 0 ? 100 / row->share.number : 0, 3, gain, sizeof gain);
    metric_format(METRIC_operations_per_second, &allowed, possible, sizeof possible);
    if (!row->share.available)
        snprintf(text, size_bytes, "Its distance from its roof is not known: %s.",
                 row->share.why ? row->share.why : "its bytes or operations are not known");
    else if (!roofline_row_is_point(row))
        snprintf(text, size_bytes, "No floating-point operations: no point; %s of %s reached", share,
                 roofline_bound_name(row->roof.word));
    else if (row->share.number > 0)
        snprintf(text, size_bytes, "Lowest roof%s: %s, %s; %s reached, %s%s to gain",
                 at_most ? " of those counted" : "", roofline_bound_name(row->roof.word), possible, share,
                 at_most ? "at most " : "", gain);
}

/* Appends a part of a sentence, after a semicolon. */
static void say_part(char *text, size_t size_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say_part(char *text, size_t size_bytes, const char *format, ...)
{
    size_t length = strlen(text);
    va_list list;
    if (length > 0)
        length += (size_t)snprintf(text + length, size_bytes - length, "; ");
    va_start(list, format);
    if (length < size_bytes)
        vsnprintf(text + length, size_bytes - length, format, list);
    va_end(list);
}

static void bandwidth_share(double share, char *text, size_t size_bytes)
{
    if (share >= 0.0005)
        snprintf(text, size_bytes, ", %.1f %% of its bandwidth", 100 * share);
    else
        snprintf(text, size_bytes, ", under 0.1 %% of its bandwidth");
}

/* The selected row at each level: "1: L1 0.25 FLOP/B, 12.3 % of its bandwidth; ..." */
static void say_levels(const struct roofline_view *view, const struct roofline_row *row, char *text,
                       size_t size_bytes)
{
    static const struct {
        enum roofline_level level;
        const char *mark;
    } levels[] = {{LEVEL_L1, "1: L1"}, {LEVEL_L2, "2: L2"}, {LEVEL_DRAM, "DRAM"}};
    text[0] = '\0';
    for (int i = 0; i < LEVEL_COUNT; i++) {
        const struct value *intensity = &row->intensity[levels[i].level],
                           *roof = &view->levels[levels[i].level];
        char number[32], share[48] = "";
        metric_format(METRIC_arithmetic_intensity, intensity, number, sizeof number);
        if (!intensity->available || !(intensity->number > 0))
            continue;
        if (roof->available)
            bandwidth_share(row->speed.number / intensity->number / roof->number, share, sizeof share);
        say_part(text, size_bytes, "%s %s FLOP/B%s", levels[i].mark, number, share);
    }
}

/* What the chart does not show. */
static void say_rest(const struct roofline_view *view, int without_room, char *text, size_t size_bytes)
{
    text[0] = '\0';
    if (view->idle > 0)
        say_part(text, size_bytes, "%d of %d are no points: no floating-point operations", view->idle,
                 view->count);
    if (without_room > 0)
        say_part(text, size_bytes, "%d letters have no room", without_room);
    if (view->without > 0)
        say_part(text, size_bytes, "%d more: %s", view->without, view->why ? view->why : "not counted");
    else if (view->elsewhere > 0)
        say_part(text, size_bytes, "%d more on devices with other roofs", view->elsewhere);
}

static void draw_foot(const struct roofline_view *view, struct canvas *canvas, struct rect area,
                      int without_room)
{
    char text[400] = "";
    struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0), dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    area.x++;
    area.width -= 2;
    size_t row = sheet_table_row(&view->table);
    if (row < (size_t)view->count) {
        say_row(&view->rows[row], text, sizeof text);
        canvas_text(canvas, area.x, area.y, area.width, plain, text);
        say_levels(view, &view->rows[row], text, sizeof text);
        canvas_text(canvas, area.x, area.y + 1, area.width, plain, text);
    }
    int taken = text[0] != '\0' ? 2 : 1; /* a kernel that does not compute has no levels */
    say_rest(view, without_room, text, sizeof text);
    canvas_wrap(canvas, (struct rect){area.x, area.y + taken, area.width, area.height - taken}, dim, text);
}

static void roofline_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct roofline_view *view = roofline_state(screen);
    char title[160] = "Roofline";
    const struct device_row *device = screen_device(screen);
    int without_room = 0;
    if (device)
        snprintf(title, sizeof title, "Roofline  %.90s%s", device->info.name,
                 device->info.is_model ? ", modelled" : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    struct roofline_places places = places_of(view, inside);
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
        without_room = roofline_chart_draw(view, canvas, places.chart);
    sheet_table_draw(&view->table, canvas, screen->naming.names, focus);
    view_frame_list(canvas, area, &view->table.list);
    if (rect_shown(places.foot))
        draw_foot(view, canvas, places.foot, without_room);
}

/* ---- acting ---- */
static bool roofline_act(struct screen *screen, enum action action)
{
    if (action != ACTION_OPEN || roofline_state(screen)->count == 0)
        return false;
    screen_show_panes(screen);
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &roofline_state(screen)->table;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "kernel"},
    {.action = ACTION_OPEN, .hint = "panel", .help = "the kernel in the list, with its panel"},
    {.action = ACTION_SOURCE},
    {.action = ACTION_OCCUPANCY},
    {.action = ACTION_AMDAHL},
    {.action = ACTION_SORT, .help = "sort by the chosen column (h, l), or again as the list of kernels"},
    {.action = ACTION_FILTER},
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
    .table = table_of,
    .keys = keys,
};
