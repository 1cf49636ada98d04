/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Amdahl's law: what the run of the selected kernel gains if one of its kernels becomes twice, ten times or
 * infinitely as fast. It is applied to the run's device time, and to its span including set-up; narrow
 * screens show one of the two, and s switches between them. The kernels are a table.
 *
 * As curves: over the factor by which a kernel becomes faster, on a logarithmic axis, the factor by which the
 * whole does. A kernel's letter stands at the end of its curve; the dotted line above the selected one is
 * what an infinitely fast kernel would give.
 */
#include "tui/views/view_amdahl.h"

#include "core/analysis/kernel_metrics.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/widgets/axis.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MOST 100.0 /* of the horizontal axis, from 1 on */
#define SPEEDUP_MOST 20.0 /* of the vertical one; a curve above it leaves the chart */
#define LABEL_CELLS 8
#define END_CELLS 2 /* right of the curves, for letters */
#define CURVES_MOST 8

struct amdahl_plot {
    struct dots dots;
    double most; /* at the top */
    int64_t whole_ns;
};

static int dot_x(const struct amdahl_plot *plot, double factor)
{
    return (int)lround(log(factor) / log(FACTOR_MOST) * (plot->dots.inside.width * 2 - 1));
}

static int dot_y(const struct amdahl_plot *plot, double speedup)
{
    return (int)lround((1 - (speedup - 1) / (plot->most - 1)) * (plot->dots.inside.height * 4 - 1));
}

static double limit_of(const struct amdahl_share *share, int64_t whole_ns)
{
    double limit = amdahl_speedup(share->alone_ns, whole_ns, (double)INFINITY);
    return isnan(limit) ? 1 : limit;
}

static void draw_axes(const struct amdahl_plot *plot)
{
    static const double factors[] = {1, 2, 5, 10, 20, 50, 100};
    const struct rect inside = plot->dots.inside;
    struct canvas *canvas = plot->dots.canvas;
    struct style frame = STYLE(COLOR_FRAME, COLOR_NONE, 0), dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    int foot = inside.y + inside.height;
    char text[32];
    for (int i = 0; i < inside.height; i++)
        canvas_glyph(canvas, inside.x - 1, inside.y + i, GLYPH_VERTICAL, frame);
    for (int i = 0; i < inside.width; i++)
        canvas_glyph(canvas, inside.x + i, foot, GLYPH_HORIZONTAL, frame);
    canvas_glyph(canvas, inside.x - 1, foot, GLYPH_BOTTOM_LEFT, frame);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        int x = inside.x + dot_x(plot, factors[i]) / 2,
            cells = snprintf(text, sizeof text, "%gx", factors[i]);
        canvas_glyph(canvas, x, foot, GLYPH_TICK, frame);
        canvas_text(canvas, x, foot + 1, cells, dim, text);
    }
    for (int i = 0; i < 3; i++) { /* the top, the middle, 1 */
        double at = 1 + (plot->most - 1) * (2 - i) / 2;
        snprintf(text, sizeof text, "%.2fx", at);
        field_number(canvas, inside.x - 1 - LABEL_CELLS, inside.y + dot_y(plot, at) / 4, LABEL_CELLS - 1, dim,
                     text);
    }
}

static void draw_curve(const struct amdahl_plot *plot, const struct amdahl_share *share, char letter,
                       struct style style)
{
    const struct rect inside = plot->dots.inside;
    int last_x = 0, last_y = dot_y(plot, 1);
    for (int x = 1; x < inside.width * 2; x++) {
        double factor = pow(FACTOR_MOST, (double)x / (inside.width * 2 - 1));
        double speedup = amdahl_speedup(share->alone_ns, plot->whole_ns, factor);
        if (!(speedup <= plot->most))
            break;
        int y = dot_y(plot, speedup);
        dots_join(&plot->dots, last_x, last_y, x, y, 1, style);
        last_x = x;
        last_y = y;
    }
    canvas_put(plot->dots.canvas, inside.x + last_x / 2 + 1, inside.y + last_y / 4, (unsigned char)letter,
               STYLE(style.foreground, COLOR_NONE, ATTRIBUTE_BOLD));
}

/* The scale: what the best of the curves could reach, with some air. */
static double most_of(const struct amdahl_view *view, int64_t whole_ns, size_t count)
{
    double most = 1.1;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, 1 + (limit_of(&view->law.shares[i], whole_ns) - 1) * 1.05);
    return fmin(most, SPEEDUP_MOST);
}

void amdahl_chart_draw(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct amdahl_view *view = amdahl_state(screen);
    size_t count = view->law.count < CURVES_MOST ? view->law.count : CURVES_MOST;
    int64_t whole_ns =
        view->of_run ? view->law.times.ns[RUN_TIME_WHOLE] : view->law.times.ns[RUN_TIME_DEVICE];
    struct amdahl_plot plot = {.dots = {{area.x + LABEL_CELLS + 1, area.y + 1,
                                         area.width - LABEL_CELLS - END_CELLS - 2, area.height - 3},
                                        canvas},
                               .most = most_of(view, whole_ns, count),
                               .whole_ns = whole_ns};
    canvas_printf(canvas, area.x + 1, area.y, area.width - 1, STYLE(COLOR_FOCUS, COLOR_NONE, 0),
                  "how much faster the %s is, over how much faster the kernel is",
                  run_time_name(view->of_run ? RUN_TIME_WHOLE : RUN_TIME_DEVICE));
    draw_axes(&plot);
    for (size_t i = count; i-- > 0;) { /* the largest share last, on top */
        const struct amdahl_share *share = &view->law.shares[i];
        uint16_t name = naming_of_kernel(&screen->naming, screen->session, share->kernel);
        double limit = limit_of(share, whole_ns);
        struct style style = STYLE(naming_color(name), COLOR_NONE, 0);
        if (i == sheet_table_row(&view->table) && limit <= plot.most)
            dots_join(&plot.dots, 0, dot_y(&plot, limit), plot.dots.inside.width * 2 - 1, dot_y(&plot, limit),
                      4, style);
        draw_curve(&plot, share, naming_letter(name), style);
    }
}

#define REFRESH_MS 500 /* for a live run the law needs a walk over its events */
#define NOTE_LINES 7   /* a rule, and the meaning of the numbers */

/* The trace run of the selected kernel's work, or the run whose copies or idle time are selected; NONE: there
 * is none. */
static uint32_t wanted_run(const struct screen *screen)
{
    uint32_t kernel = screen->kernel;
    if (kernel == NONE)
        return screen->part != 0 ? screen->run : NONE;
    uint32_t traced = kernel_in_mode(screen->session, kernel, RUN_TRACE);
    return traced == NONE ? NONE : session_kernel(screen->session, traced)->run;
}

/* A number that changes with everything that the law is computed from. */
static uint64_t run_state(const struct session *session, uint32_t run)
{
    int64_t end_ns = atomic_load_explicit(&session_run(session, run)->end_ns, memory_order_acquire);
    return session_event_count(session) * 2 + (end_ns != INT64_MIN);
}

/* ---- the table ---- */
/* clang-format off */
#define GAIN_COLUMNS(id, head, of, priority)                                                                            \
    {id "share", "p" head " *", "time alone by " of, SHEET_SHARE, SHEET_LESS, 8, priority, false},                      \
    {id "gain_2x", "2x" head " *", "how much faster " of " is, if the kernel is by 2", SHEET_RATIO, SHEET_MORE, 7, priority, false},   \
    {id "gain_10x", "10x" head " *", "how much faster " of " is, if the kernel is by 10", SHEET_RATIO, SHEET_MORE, 7, priority, false}, \
    {id "gain_infinite", "inf." head " *", "how much faster " of " is, if the kernel takes no time", SHEET_RATIO, SHEET_MORE, 8, priority, false}
#define DEVICE_COLUMNS(priority) GAIN_COLUMNS("device_", "", "the work on the device", priority)
#define RUN_COLUMNS(priority) GAIN_COLUMNS("run_", " run", "all of the run", priority)
#define TIME_COLUMNS                                                                                                    \
    {"alone_ns", "alone", "time in which nothing else ran on its devices", SHEET_TIME, SHEET_LESS, 9, 1, false},        \
    {"busy_ns", "busy", "time in which it ran", SHEET_TIME, SHEET_LESS, 9, 2, false}
#define NAME_COLUMN {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}
static const struct sheet_column device_columns[] = {DEVICE_COLUMNS(0), TIME_COLUMNS, RUN_COLUMNS(3), NAME_COLUMN};
static const struct sheet_column run_columns[] = {RUN_COLUMNS(0), TIME_COLUMNS, DEVICE_COLUMNS(3), NAME_COLUMN};
/* clang-format on */
enum { COLUMN_FIRST = 0, COLUMN_TIMES = 4, COLUMN_SECOND = 6, COLUMN_NAME = 10, COLUMN_COUNT };
_Static_assert(COLUMN_COUNT == sizeof device_columns / sizeof *device_columns, "a place for each column");

static int64_t whole_of(const struct amdahl *law, bool of_run)
{
    return law->times.ns[of_run ? RUN_TIME_WHOLE : RUN_TIME_DEVICE];
}

static void fill_gains(struct sheet_cell *cells, const struct amdahl_share *share, int64_t whole_ns)
{
    cells[0].number = whole_ns > 0 ? (double)share->alone_ns / (double)whole_ns : (double)NAN;
    cells[1].number = amdahl_speedup(share->alone_ns, whole_ns, 2);
    cells[2].number = amdahl_speedup(share->alone_ns, whole_ns, 10);
    cells[3].number = amdahl_speedup(share->alone_ns, whole_ns, (double)INFINITY);
}

static enum status make_shares(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct screen *screen = from;
    const struct amdahl_view *view = amdahl_state(screen);
    (void)error;
    for (size_t i = 0; i < view->law.count; i++) {
        const struct amdahl_share *share = &view->law.shares[i];
        struct sheet_cell cells[COLUMN_COUNT] = {{0}};
        fill_gains(&cells[COLUMN_FIRST], share, whole_of(&view->law, view->of_run));
        fill_gains(&cells[COLUMN_SECOND], share, whole_of(&view->law, !view->of_run));
        cells[COLUMN_TIMES].number = (double)share->alone_ns;
        cells[COLUMN_TIMES + 1].number = (double)share->busy_ns;
        cells[COLUMN_NAME].text = kernel_full_name(screen->session, share->kernel);
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static const struct sheet sheets[2] = {
    {.id = "amdahl", .title = "Amdahl", SHEET_COLUMNS(device_columns), .none = "", .rows = make_shares},
    {.id = "amdahl_run", .title = "Amdahl", SHEET_COLUMNS(run_columns), .none = "", .rows = make_shares}};

static uint16_t naming_at(const struct screen *screen, size_t row)
{
    return naming_of_kernel(&screen->naming, screen->session, amdahl_state(screen)->law.shares[row].kernel);
}

static struct sheet_mark mark_of(const void *of, size_t row)
{
    uint16_t name = naming_at(of, row);
    return (struct sheet_mark){.codepoint = (unsigned char)naming_letter(name),
                               .color = (uint8_t)naming_color(name)};
}

static bool text_of(const void *of, size_t row, int column, int cells, char *text, size_t size_bytes)
{
    const struct screen *screen = of;
    if (column == COLUMN_NAME)
        short_names_print_kernel(screen->naming.names, screen->session,
                                 amdahl_state(screen)->law.shares[row].kernel, cells, text, size_bytes);
    return column == COLUMN_NAME;
}

static const struct sheet_face face = {.mark = mark_of, .text = text_of, .brief = true};

static void take_rows(struct screen *screen)
{
    struct amdahl_view *view = amdahl_state(screen);
    struct sheet_kept kept;
    struct error error = {0};
    if (sheet_kept_make(&kept, &sheets[view->of_run], screen, &error) != STATUS_OK) {
        snprintf(view->error, sizeof view->error, "%.*s", (int)sizeof view->error - 1, error.text);
        return;
    }
    view->table.face = &face;
    view->table.of = screen;
    sheet_table_take(&view->table, &kept);
    view->selected = NONE;
}

static void compute_law(struct screen *screen, uint32_t run)
{
    struct amdahl_view *view = amdahl_state(screen);
    uint64_t state = run == NONE ? 0 : run_state(screen->session, run);
    bool due = state != view->state && (screen->clock_ms - view->made_ms >= REFRESH_MS || view->state == 0);
    if (run == view->run && (screen->frozen || !due))
        return;
    amdahl_fini(&view->law);
    view->error[0] = '\0';
    view->run = run;
    view->state = state;
    view->made_ms = screen->clock_ms;
    struct error error = {0};
    if (run != NONE && amdahl_compute(screen->session, run, &view->law, &error) != STATUS_OK)
        snprintf(view->error, sizeof view->error, "%.*s", (int)sizeof view->error - 1, error.text);
    take_rows(screen);
}

#define CHART_HEIGHT_MIN 8
#define CHART_WIDTH_MIN 60
#define LIST_LEAST 3 /* kernels that are listed above a chart */

static bool has_note(struct rect inside)
{
    return inside.height - 2 > 2 * NOTE_LINES;
}

/* The curves stand below the list, where it leaves room or is long enough to give some. */
static int chart_height(const struct amdahl_view *view, struct rect inside)
{
    int left = inside.height - 2 - (has_note(inside) ? NOTE_LINES : 0), rows = (int)view->law.count;
    int most = left / 3 > LIST_LEAST ? left / 3 : LIST_LEAST;
    int height = left - (rows < most ? rows : most);
    return height >= CHART_HEIGHT_MIN && inside.width >= CHART_WIDTH_MIN ? height : 0;
}

static int list_height(const struct amdahl_view *view, struct rect inside)
{
    int height = inside.height - 2;
    return height - (has_note(inside) ? NOTE_LINES : 0) - chart_height(view, inside);
}

static uint32_t selected_kernel(const struct amdahl_view *view)
{
    size_t row = sheet_table_row(&view->table);
    return row < view->law.count ? view->law.shares[row].kernel : NONE;
}

static void select_kernel(struct amdahl_view *view, uint32_t kernel)
{
    for (size_t i = 0; i < view->law.count; i++)
        if (view->law.shares[i].kernel == kernel)
            sheet_table_select(&view->table, i);
    view->followed = kernel;
    view->selected = NONE;
}

/* One selection: here and in the list of kernels. */
static void amdahl_update(struct screen *screen, struct rect area)
{
    struct amdahl_view *view = amdahl_state(screen);
    struct rect inside = view_inside(area);
    uint32_t run = wanted_run(screen), kernel = screen->kernel;
    compute_law(screen, run);
    uint32_t traced = kernel == NONE ? NONE : kernel_in_mode(screen->session, kernel, RUN_TRACE);
    sheet_table_update(&view->table,
                       (struct rect){inside.x, inside.y + 1, inside.width, 1 + list_height(view, inside)});
    if (view->followed != traced)
        select_kernel(view, traced);
    uint32_t selected = selected_kernel(view);
    if (view->selected != NONE && selected != NONE && selected != view->selected) {
        view->followed = selected;
        screen_select_kernel(screen, selected);
    }
    view->selected = selected;
}

static void forget_law(struct screen *screen)
{
    struct amdahl_view *view = amdahl_state(screen);
    amdahl_fini(&view->law);
    sheet_table_fini(&view->table);
    *view = (struct amdahl_view){.run = NONE, .followed = NONE, .selected = NONE};
}

/* ---- drawing ---- */
/* Weak scaling, for the selected kernel. */
static void print_scaled(const struct amdahl_view *view, size_t row, char *text, size_t size_bytes)
{
    double scaled = amdahl_scaled(view->law.shares[row].alone_ns, whole_of(&view->law, view->of_run), 10);
    snprintf(text, size_bytes,
             " Weak scaling (Gustafson): a kernel's work that grows N-fold with the device makes it 1 - p + "
             "N p times the work in that time");
    size_t used = strlen(text);
    snprintf(text + used, size_bytes - used, isnan(scaled) ? "." : ": %.*fx for N = 10 here.",
             scaled < 9.995 ? 2 : 1, scaled);
}

static void draw_note(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    const struct amdahl_view *view = amdahl_state(screen);
    bool model = session_run(screen->session, view->run)->clock == CLOCK_MODEL;
    int y = inside.y + inside.height - NOTE_LINES;
    char text[800];
    for (int x = 0; x < inside.width; x++)
        canvas_glyph(canvas, inside.x + x, y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    snprintf(text, sizeof text,
             "* derived from %s start and end times: the whole becomes faster by %s. Alone: while nothing "
             "else ran on its devices; time hidden under other work gains nothing. The run's span includes "
             "set-up and idle time.",
             model ? "modelled" : "measured", AMDAHL_FORMULA);
    size_t used = strlen(text);
    if (sheet_table_row(&view->table) < view->law.count)
        print_scaled(view, sheet_table_row(&view->table), text + used, sizeof text - used);
    canvas_wrap(canvas, (struct rect){inside.x + 1, y + 1, inside.width - 2, NOTE_LINES - 1},
                STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

static void amdahl_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct amdahl_view *view = amdahl_state(screen);
    char title[400] = "Amdahl", run[300];
    if (view->run != NONE) {
        screen_run_name(screen, view->run, run, sizeof run);
        snprintf(title, sizeof title, "Amdahl  %.250s: the gain from a faster kernel", run);
    }
    struct rect inside = view_frame(canvas, area, title, focus);
    if (view->law.count == 0) {
        const char *text = view->error[0] != '\0' ? view->error
                           : view->run == NONE
                               ? screen_why_empty(screen, "No kernel with a trace run is selected: the times "
                                                          "of a counter run are not those of the program.")
                               : "No kernel of this run has ended yet.";
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        return;
    }
    canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 1,
                  STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD), "gain of %s, %s (s: of %s, %s)",
                  run_time_name(view->of_run ? RUN_TIME_WHOLE : RUN_TIME_DEVICE),
                  number_time(whole_of(&view->law, view->of_run)).text,
                  run_time_name(view->of_run ? RUN_TIME_DEVICE : RUN_TIME_WHOLE),
                  number_time(whole_of(&view->law, !view->of_run)).text);
    int rows = list_height(view, inside), chart = chart_height(view, inside);
    sheet_table_draw(&view->table, canvas, screen->naming.names, focus);
    if (chart > 0)
        amdahl_chart_draw(screen, canvas, (struct rect){inside.x, inside.y + 2 + rows, inside.width, chart});
    if (has_note(inside))
        draw_note(screen, canvas, inside);
}

/* ---- acting ---- */
static bool amdahl_act(struct screen *screen, enum action action)
{
    struct amdahl_view *view = amdahl_state(screen);
    if (view->law.count == 0 || action != ACTION_SORT)
        return false;
    view->of_run = !view->of_run;
    take_rows(screen);
    select_kernel(view, view->followed);
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &amdahl_state(screen)->table;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "kernel"},
    {.action = ACTION_SORT,
     .hint = "switch",
     .help = "switch between the gain of the run and of its work on the device"},
    {.action = ACTION_SOURCE},
    {.action = ACTION_ROOFLINE},
    {.action = ACTION_NONE},
};

const struct view view_amdahl = {
    .title = "Amdahl",
    .opened_by = ACTION_AMDAHL,
    .state_bytes = sizeof(struct amdahl_view),
    .forget = forget_law,
    .update = amdahl_update,
    .draw = amdahl_draw,
    .act = amdahl_act,
    .table = table_of,
    .keys = keys,
};
