/*
 * Amdahl's law: what the run of the selected kernel gains if one of its kernels becomes twice, ten times or
 * infinitely as fast. It is applied to the run's device time, and to its span including set-up; narrow
 * screens show one of the two, and s switches between them.
 *
 * As curves: over the factor by which a kernel becomes faster, on a logarithmic axis, the factor by which the
 * whole does. A kernel's letter stands at the end of its curve; the dotted line above the selected one is
 * what an infinitely fast kernel would give.
 */
#include "tui/views/view_amdahl.h"

#include "core/analysis/kernel_metrics.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/widgets/dots.h"
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

struct plot {
    struct dots dots;
    double most; /* at the top */
    int64_t whole_ns;
};

static int dot_x(const struct plot *plot, double factor)
{
    return (int)lround(log(factor) / log(FACTOR_MOST) * (plot->dots.inside.width * 2 - 1));
}

static int dot_y(const struct plot *plot, double speedup)
{
    return (int)lround((1 - (speedup - 1) / (plot->most - 1)) * (plot->dots.inside.height * 4 - 1));
}

static double limit_of(const struct amdahl_share *share, int64_t whole_ns)
{
    double limit = amdahl_speedup(share->alone_ns, whole_ns, (double)INFINITY);
    return isnan(limit) ? 1 : limit;
}

static void draw_axes(const struct plot *plot)
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

static void draw_curve(const struct plot *plot, const struct amdahl_share *share, char letter,
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
    struct plot plot = {.dots = {{area.x + LABEL_CELLS + 1, area.y + 1,
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
        if ((int)i == view->list.selected && limit <= plot.most)
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

/* The selected kernel stays selected, as in the list of kernels. */
static void amdahl_update(struct screen *screen, struct rect area)
{
    struct amdahl_view *view = amdahl_state(screen);
    uint32_t run = wanted_run(screen), kernel = screen->kernel;
    compute_law(screen, run);
    uint32_t traced = kernel == NONE ? NONE : kernel_in_mode(screen->session, kernel, RUN_TRACE);
    list_update(&view->list, (int)view->law.count, list_height(view, view_inside(area)));
    for (size_t i = 0; i < view->law.count && view->followed != traced; i++)
        if (view->law.shares[i].kernel == traced)
            list_select(&view->list, (int)i);
    view->followed = traced;
}

static void forget_law(struct screen *screen)
{
    struct amdahl_view *view = amdahl_state(screen);
    amdahl_fini(&view->law);
    *view = (struct amdahl_view){.run = NONE, .followed = NONE};
}

/* ---- drawing ---- */

#define SET_WIDTH 33 /* p, 2x, 10x, infinitely */
#define NAME_LEAST 6 /* cells; narrow screens show fewer factors to leave them */
#define CELL_WIDTH 8

static const struct {
    const char *title;
    double factor;
} factors[] = {{"2x", 2}, {"10x", 10}, {"inf.", 0}};
#define FACTORS ((int)(sizeof factors / sizeof factors[0]))

struct places {
    int busy, alone, sets[2], set_count, factors, name_width;
    bool of_run[2];
};

static struct places places_of(const struct amdahl_view *view, struct rect inside)
{
    struct places places = {.set_count = inside.width >= 124 ? 2 : 1, .factors = FACTORS};
    int width = inside.width, columns = width >= 62 ? 2 : width >= 52 ? 1 : 0;
    places.name_width = width - 10 * columns - places.set_count * SET_WIDTH;
    for (; places.factors > 0 && places.name_width < NAME_LEAST; places.factors--)
        places.name_width += CELL_WIDTH;
    places.busy = columns == 2 ? inside.x + places.name_width : -1;
    places.alone = columns >= 1 ? inside.x + places.name_width + 10 * (columns - 1) : -1;
    places.of_run[0] = places.set_count == 1 && view->of_run;
    places.of_run[1] = true;
    for (int i = 0; i < 2; i++)
        places.sets[i] = inside.x + places.name_width + 10 * columns + i * SET_WIDTH;
    return places;
}

static void speedup_text(double speedup, char *text, size_t size_bytes)
{
    if (isnan(speedup))
        snprintf(text, size_bytes, "n/a");
    else if (isinf(speedup))
        snprintf(text, size_bytes, "no limit");
    else
        snprintf(text, size_bytes, "%.*fx", speedup < 9.995 ? 2 : speedup < 99.95 ? 1 : 0, speedup);
}

static void draw_set(struct canvas *canvas, int x, int y, int count, const struct amdahl_share *share,
                     int64_t whole_ns, struct style style)
{
    char text[32] = "n/a";
    if (whole_ns > 0)
        snprintf(text, sizeof text, "%.1f %%", 100.0 * (double)share->alone_ns / (double)whole_ns);
    field_number(canvas, x, y, 8, style, text);
    for (int i = 0; i < count; i++) {
        double factor = factors[i].factor > 0 ? factors[i].factor : (double)INFINITY;
        speedup_text(amdahl_speedup(share->alone_ns, whole_ns, factor), text, sizeof text);
        field_number(canvas, x + CELL_WIDTH * (i + 1), y, 8, style, text);
    }
}

static void draw_head(const struct amdahl_view *view, struct canvas *canvas, struct rect inside,
                      const struct places *places)
{
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0),
                 strong = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    canvas_text(canvas, inside.x + 1, inside.y + 1, places->name_width - 1, dim, "kernel");
    if (places->busy >= 0)
        field_words(canvas, places->busy, inside.y + 1, 9, dim, "busy");
    if (places->alone >= 0)
        field_words(canvas, places->alone, inside.y + 1, 9, dim, "alone *");
    for (int i = 0; i < places->set_count; i++) {
        int64_t whole_ns =
            places->of_run[i] ? view->law.times.ns[RUN_TIME_WHOLE] : view->law.times.ns[RUN_TIME_DEVICE];
        bool one = places->set_count == 1; /* then it has the whole line */
        char title[120];
        snprintf(title, sizeof title, "of %s, %s%s",
                 run_time_name(places->of_run[i] ? RUN_TIME_WHOLE : RUN_TIME_DEVICE),
                 number_time(whole_ns).text, one ? " (s)" : "");
        field_words(canvas, one ? inside.x : places->sets[i], inside.y, one ? inside.width : SET_WIDTH - 1,
                    strong, title);
        field_words(canvas, places->sets[i], inside.y + 1, 8, dim, "p *");
        for (int f = 0; f < places->factors; f++) {
            char factor[16];
            snprintf(factor, sizeof factor, "%s *", factors[f].title);
            field_words(canvas, places->sets[i] + CELL_WIDTH * (f + 1), inside.y + 1, 8, dim, factor);
        }
    }
}

static void draw_share(const struct screen *screen, struct canvas *canvas, struct rect inside,
                       const struct places *places, int y, int index)
{
    const struct amdahl_view *view = amdahl_state(screen);
    const struct amdahl_share *share = &view->law.shares[index];
    const struct session *session = screen->session;
    bool selected = index == view->list.selected;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style plain = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    uint16_t name = naming_of_kernel(&screen->naming, session, share->kernel);
    char text[300];
    canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
    canvas_put(canvas, inside.x + 1, y, (unsigned char)naming_letter(name),
               STYLE(naming_color(name), ground, ATTRIBUTE_BOLD));
    short_names_print_kernel(screen->naming.names, session, share->kernel, places->name_width - 4, text,
                             sizeof text);
    canvas_text(canvas, inside.x + 3, y, places->name_width - 3, plain, text);
    if (places->busy >= 0)
        field_number(canvas, places->busy, y, 9, plain, number_time(share->busy_ns).text);
    if (places->alone >= 0)
        field_number(canvas, places->alone, y, 9, plain, number_time(share->alone_ns).text);
    for (int i = 0; i < places->set_count; i++)
        draw_set(canvas, places->sets[i], y, places->factors, share,
                 places->of_run[i] ? view->law.times.ns[RUN_TIME_WHOLE] : view->law.times.ns[RUN_TIME_DEVICE],
                 plain);
}

/* Weak scaling, for the selected kernel. */
static void print_scaled(const struct amdahl_view *view, struct rect inside, char *text, size_t size_bytes)
{
    const struct amdahl_share *share = &view->law.shares[view->list.selected];
    bool of_run = places_of(view, inside).of_run[0];
    char scaled[32];
    speedup_text(
        amdahl_scaled(share->alone_ns,
                      of_run ? view->law.times.ns[RUN_TIME_WHOLE] : view->law.times.ns[RUN_TIME_DEVICE], 10),
        scaled, sizeof scaled);
    snprintf(text, size_bytes,
             " Weak scaling (Gustafson): a kernel's work that grows N-fold with the device makes it 1 - p + "
             "N p times the work in that time: %s for N = 10 here.",
             scaled);
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
    if (view->list.selected < (int)view->law.count)
        print_scaled(view, inside, text + used, sizeof text - used);
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
    struct places places = places_of(view, inside);
    draw_head(view, canvas, inside, &places);
    for (int line = 0; line < view->list.height && view->list.top + line < view->list.count; line++)
        draw_share(screen, canvas, inside, &places, inside.y + 2 + line, view->list.top + line);
    int chart = chart_height(view, inside);
    if (chart > 0)
        amdahl_chart_draw(screen, canvas,
                          (struct rect){inside.x, inside.y + 2 + view->list.height, inside.width, chart});
    if (has_note(inside))
        draw_note(screen, canvas, inside);
}

/* ---- moving ---- */

/* The selection here is also the selection in the list of kernels. */
static void take_selection(struct screen *screen)
{
    struct amdahl_view *view = amdahl_state(screen);
    if (view->list.selected >= (int)view->law.count)
        return;
    view->followed = view->law.shares[view->list.selected].kernel;
    screen_select_kernel(screen, view->followed);
}

static bool amdahl_act(struct screen *screen, enum action action)
{
    struct amdahl_view *view = amdahl_state(screen);
    if (action == ACTION_SORT) {
        view->of_run = !view->of_run;
        return true;
    }
    if (!list_act(&view->list, action))
        return false;
    take_selection(screen);
    return true;
}

static void amdahl_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    if (list_mouse(&amdahl_state(screen)->list, event, event->y - view_inside(area).y - 2))
        take_selection(screen);
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
    .mouse = amdahl_mouse,
    .keys = keys,
};
