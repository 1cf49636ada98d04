/*
 * The roofline on the screen: the chart (roofline_chart.c), and below it, or beside it on wide screens, a row
 * for each kernel with its run and its values.
 */
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/roofline.h"
#include "tui/widgets/field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHART_HEIGHT_MIN 7
#define FOOT_LINES 3
#define BESIDE_FROM_WIDTH 180
#define LETTER_CELLS 3 /* "~A " */
#define NAME_LEAST 8

/* ---- places ---- */

struct places {
    struct rect head, chart, titles, rows, foot;
};

/* As many rows as there are, as long as the chart keeps two thirds of the height. */
static void place_below(struct rect area, int rows, struct places *places)
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
    places->titles = (struct rect){area.x, area.y, area.width, 1};
    places->rows = (struct rect){area.x, area.y + 1, area.width, rows};
}

static int table_cells(const struct roofline_view *view, int most);

static struct places places_of(const struct roofline_view *view, struct rect inside)
{
    int heads = inside.height >= 19 ? 2 : 1, foot = inside.height >= 15 ? FOOT_LINES : 0;
    struct places places = {.head = {inside.x, inside.y, inside.width, heads}};
    struct rect area = {inside.x, inside.y + heads, inside.width, inside.height - heads - foot};
    int rows = view->count > 0 ? view->count : 1;
    if (inside.width >= BESIDE_FROM_WIDTH && area.height >= CHART_HEIGHT_MIN) {
        int cells = table_cells(view, inside.width * 11 / 20);
        places.chart = (struct rect){area.x, area.y, area.width - cells - 1, area.height};
        places.titles = (struct rect){area.x + area.width - cells, area.y, cells, 1};
        places.rows = (struct rect){places.titles.x, area.y + 1, cells, area.height - 1};
    } else {
        place_below(area, rows, &places);
    }
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

/* ---- the table ---- */

enum column {
    COLUMN_PROVENANCE,
    COLUMN_L1,
    COLUMN_L2,
    COLUMN_INTENSITY,
    COLUMN_SPEED,
    COLUMN_BANDWIDTH,
    COLUMN_ROOF,
    COLUMN_SHARE,
    COLUMN_COUNT
};
static const struct {
    const char *title;
    int cells, from_width; /* shown in tables of at least this width */
} columns[COLUMN_COUNT] = {
    [COLUMN_PROVENANCE] = {"", 10, 124}, [COLUMN_L1] = {"FLOP/L1 B", 10, 84},
    [COLUMN_L2] = {"FLOP/L2 B", 10, 84}, [COLUMN_INTENSITY] = {"FLOP/byte", 10, 40},
    [COLUMN_SPEED] = {"FLOP/s", 14, 50}, [COLUMN_BANDWIDTH] = {"DRAM", 11, 112},
    [COLUMN_ROOF] = {"roof", 9, 60},     [COLUMN_SHARE] = {"of it", 9, 0},
};

/* A level that no kernel has bytes of has no column. */
static bool has_column(const struct roofline_view *view, enum column column, int width)
{
    enum roofline_level level = column == COLUMN_L1 ? LEVEL_L1 : LEVEL_L2;
    bool any = column != COLUMN_L1 && column != COLUMN_L2;
    for (int i = 0; i < view->count && !any; i++)
        any = view->rows[i].intensity[level].available;
    return any && width >= columns[column].from_width;
}

static int column_cells(const struct roofline_view *view, int width)
{
    int cells = 0;
    for (int c = 0; c < COLUMN_COUNT; c++)
        cells += has_column(view, (enum column)c, width) ? columns[c].cells : 0;
    return cells;
}

/* The width that shows everything, at most `most`. */
static int table_cells(const struct roofline_view *view, int most)
{
    int cells = LETTER_CELLS + view->name_cells + 1 + view->run_cells + 1 + column_cells(view, most);
    return cells < most ? cells : most;
}

struct name_places {
    int name, run, columns; /* cells of the names, and where the columns begin */
};

/* The run has its cells if the name keeps NAME_LEAST; both are cut as lists cut them. */
static struct name_places name_places_of(const struct roofline_view *view, int width)
{
    struct name_places places = {.columns = width - column_cells(view, width)};
    int room = places.columns - LETTER_CELLS - 1;
    int name = room / 4 > NAME_LEAST ? room / 4 : NAME_LEAST; /* least cells of the name */
    name = name < view->name_cells ? name : view->name_cells;
    places.run = view->run_cells < room - name - 1 ? view->run_cells : room - name - 1;
    places.run = places.run >= 4 ? places.run : 0;
    places.name = room - (places.run > 0 ? places.run + 1 : 0);
    if (places.name > view->name_cells && places.run > 0)
        places.name = view->name_cells;
    places.name = places.name > 0 ? places.name : 0;
    return places;
}

static void draw_cells(const struct roofline_view *view, struct canvas *canvas, struct rect line,
                       const char *const texts[COLUMN_COUNT], struct style style)
{
    int x = line.x + line.width - column_cells(view, line.width);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!has_column(view, (enum column)c, line.width))
            continue;
        field_number(canvas, x, line.y, columns[c].cells - 1, style, texts[c]);
        x += columns[c].cells;
    }
}

static void draw_titles(const struct roofline_view *view, struct canvas *canvas, struct rect line)
{
    const char *texts[COLUMN_COUNT];
    struct name_places places = name_places_of(view, line.width);
    struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    for (int c = 0; c < COLUMN_COUNT; c++)
        texts[c] = columns[c].title;
    canvas_text(canvas, line.x + LETTER_CELLS, line.y, places.name, style, "kernel");
    if (places.run > 0)
        canvas_text(canvas, line.x + LETTER_CELLS + places.name + 1, line.y, places.run, style, "run");
    draw_cells(view, canvas, line, texts, style);
}

/* "~A chunk  staged-pinned streams=4" */
static void draw_names(const struct screen *screen, struct canvas *canvas, struct rect line,
                       const struct roofline_row *row, struct style style, bool selected)
{
    const struct kernel_list *kernels = kernels_state(screen);
    struct name_places places = name_places_of(roofline_state(screen), line.width);
    uint32_t run = session_kernel(screen->session, row->kernel)->run;
    int x = line.x;
    char text[300];
    if (row->provenance == PROVENANCE_MODELLED)
        canvas_put(canvas, x, line.y, '~', style);
    canvas_put(canvas, x + 1, line.y, (unsigned char)row->letter,
               STYLE(row->color, style.background, ATTRIBUTE_BOLD));
    short_names_print_kernel(screen->naming.names, screen->session, row->kernel, places.name, text,
                             sizeof text);
    canvas_text(canvas, x + LETTER_CELLS, line.y, places.name, style, text);
    if (places.run <= 0 || session_run(screen->session, run)->workload == 0)
        return;
    run_names_print(&kernels->names, screen->session, run, places.run, text, sizeof text);
    canvas_text(canvas, x + LETTER_CELLS + places.name + 1, line.y, places.run,
                STYLE(selected ? COLOR_TEXT : COLOR_DIM, style.background, 0), text);
}

static void draw_row(const struct screen *screen, struct canvas *canvas, struct rect line, int index)
{
    const struct roofline_view *view = roofline_state(screen);
    const struct roofline_row *row = &view->rows[index];
    bool selected = index == view->list.selected, model = row->provenance == PROVENANCE_MODELLED;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style style = STYLE(selected ? COLOR_TITLE
                               : model  ? COLOR_DIM
                                        : COLOR_TEXT,
                               ground, selected ? ATTRIBUTE_BOLD : 0);
    char text[COLUMN_COUNT][40];
    const char *texts[COLUMN_COUNT];
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    draw_names(screen, canvas, line, row, style, selected);
    snprintf(text[COLUMN_PROVENANCE], 40, "%s", provenance_text(row->provenance));
    metric_format(METRIC_l1_intensity, &row->intensity[LEVEL_L1], text[COLUMN_L1], 40);
    metric_format(METRIC_l2_intensity, &row->intensity[LEVEL_L2], text[COLUMN_L2], 40);
    metric_format(METRIC_arithmetic_intensity, &row->intensity[LEVEL_DRAM], text[COLUMN_INTENSITY], 40);
    metric_format(METRIC_operations_per_second, &row->speed, text[COLUMN_SPEED], 40);
    metric_format(METRIC_dram_bandwidth_bytes_per_second, &row->bandwidth, text[COLUMN_BANDWIDTH], 40);
    metric_format(METRIC_roof, &row->roof, text[COLUMN_ROOF], 40);
    metric_format(METRIC_roof_pct, &row->share, text[COLUMN_SHARE], 40);
    for (int c = 0; c < COLUMN_COUNT; c++)
        texts[c] = text[c];
    draw_cells(view, canvas, line, texts, style);
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
    if (view->list.selected < view->count) {
        say_row(&view->rows[view->list.selected], text, sizeof text);
        canvas_text(canvas, area.x, area.y, area.width, plain, text);
        say_levels(view, &view->rows[view->list.selected], text, sizeof text);
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
    if (device != NULL)
        snprintf(title, sizeof title, "Roofline  %.90s%s", device->info.name,
                 device->info.is_model ? ", modelled" : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    struct places places = places_of(view, inside);
    view_frame_list(canvas, area, &view->list);
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
    draw_titles(view, canvas, places.titles);
    for (int i = 0; i < places.rows.height && view->list.top + i < view->count; i++)
        draw_row(screen, canvas, (struct rect){places.rows.x, places.rows.y + i, places.rows.width, 1},
                 view->list.top + i);
    if (rect_shown(places.foot))
        draw_foot(view, canvas, places.foot, without_room);
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
    if (action == ACTION_OPEN && roofline_state(screen)->count > 0) {
        take_selection(screen);
        screen_show_panes(screen);
        return true;
    }
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
    {.action = ACTION_OPEN, .hint = "panel", .help = "the kernel in the list, with its panel"},
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
