/*
 * Amdahl's law as curves: over the factor by which a kernel becomes faster, on a logarithmic axis, the factor
 * by which the whole does. A kernel's letter stands at the end of its curve; the dotted line above the
 * selected one is what an infinitely fast kernel would give.
 */
#include "tui/views/view_amdahl.h"
#include "tui/widgets/dots.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>

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
