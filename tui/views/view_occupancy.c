/*
 * The occupancy calculator on the screen: the setting, its occupancy and what limits it, and the curves with
 * the point of the setting (@) and of the kernel (its letter). If there is no room for three curves, the one
 * of the selected row is shown.
 */
#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"
#include "tui/views/occupancy.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <stdio.h>
#include <string.h>

#define TITLE_CELLS 21
#define FORM_CELLS 44
#define LIMITS_CELLS 34
#define CHART_WIDTH_MIN 24
#define CHART_HEIGHT_MIN 6

struct places {
    struct rect head, form, limits, legend, charts;
};

static struct places places_of(struct rect inside)
{
    struct places places = {.head = {inside.x, inside.y, inside.width, 1}};
    int y = inside.y + 1, left = inside.height - 1;
    bool beside = inside.width >= FORM_CELLS + LIMITS_CELLS;
    int rows = left < OCCUPANCY_ROW_COUNT ? left : OCCUPANCY_ROW_COUNT;
    places.form = (struct rect){inside.x, y, beside ? FORM_CELLS : inside.width, rows};
    if (beside)
        places.limits = (struct rect){inside.x + FORM_CELLS, y, inside.width - FORM_CELLS, rows};
    y += rows;
    left -= rows;
    if (left < CHART_HEIGHT_MIN + 1)
        return places;
    places.legend = (struct rect){inside.x, y, inside.width, 1};
    places.charts = (struct rect){inside.x, y + 1, inside.width, left - 1};
    return places;
}

static void occupancy_update(struct screen *screen, struct rect area)
{
    struct occupancy_view *view = occupancy_state(screen);
    struct places places = places_of(view_inside(area));
    if (view->set.arch == NULL) { /* the session has changed: the kernel belonged to the old one */
        view->kernel = screen->kernel;
        occupancy_reset(screen);
    }
    occupancy_make(view);
    list_update(&view->form, OCCUPANCY_ROW_COUNT, places.form.height > 0 ? places.form.height : 1);
}

/* ---- drawing ---- */

static void size_text(uint32_t bytes, char *text, size_t size_bytes)
{
    if (bytes >= 1024 && bytes % 1024 == 0)
        snprintf(text, size_bytes, "%u KiB", bytes / 1024);
    else
        snprintf(text, size_bytes, "%u B", bytes);
}

static void value_text(const struct occupancy_setting *set, int row, char *text, size_t size_bytes)
{
    const struct arch *arch = set->arch;
    char size[32];
    switch (row) {
    case OCCUPANCY_ROW_CAPABILITY:
        snprintf(text, size_bytes, "%s %s", capability_text(arch->compute_capability).text, arch->name);
        return;
    case OCCUPANCY_ROW_BLOCK:
    case OCCUPANCY_ROW_REGISTERS: snprintf(text, size_bytes, "%u", set->value[row]); return;
    case OCCUPANCY_ROW_CARVEOUT:
        if (set->value[row] == 0) {
            size_text(arch->shared_bytes_per_multiprocessor, size, sizeof size);
            snprintf(text, size_bytes, "%s, all%s", size,
                     arch->shared_configurations_kib[0] == 0 ? "; fixed" : "");
            return;
        }
        break;
    default: break;
    }
    size_text(set->value[row], text, size_bytes);
}

static void draw_row(const struct occupancy_view *view, struct canvas *canvas, struct rect line, int row)
{
    static const char *const titles[] = {
#define TITLE(name, title) title,
        OCCUPANCY_ROW_LIST(TITLE)
#undef TITLE
    };
    bool selected = row == view->form.selected;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style dim = STYLE(COLOR_DIM, ground, 0),
                 strong = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0);
    char text[64], own[64] = "";
    int titles_cells = line.width >= 36 ? TITLE_CELLS : line.width * 2 / 5;
    canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, ground, 0));
    if (selected)
        canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, strong);
    canvas_text(canvas, line.x + 1, line.y, titles_cells - 1, dim, titles[row]);
    value_text(&view->set, row, text, sizeof text);
    int x = line.x + titles_cells + 1, end = line.x + line.width;
    x += canvas_text(canvas, x, line.y, end - x, strong, text);
    if (view->own.arch != NULL)
        value_text(&view->own, row, own, sizeof own);
    if (own[0] != '\0' && strcmp(own, text) != 0)
        canvas_printf(canvas, x + 1, line.y, end - x - 1, STYLE(view->color, ground, 0), "%c %s",
                      view->letter, own);
}

static void draw_head(const struct occupancy_view *view, struct canvas *canvas, struct rect line)
{
    const struct occupancy *now = &view->now;
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    int x = line.x + canvas_printf(canvas, line.x, line.y, line.width, style, "%.1f %%", now->percent);
    const char *why = occupancy_limiter_text(now->limiter);
    int left = line.x + line.width - x;
    if (now->blocks == 0)
        canvas_printf(canvas, x, line.y, left, style, ": %s", why);
    else if (line.width < 60)
        canvas_printf(canvas, x, line.y, left, style, ": %s", why);
    else
        canvas_printf(canvas, x, line.y, left, style,
                      ": %u block%s, %u of %u warps of a multiprocessor; limited by %s", now->blocks,
                      now->blocks == 1 ? "" : "s", now->warps, view->set.arch->max_warps_per_multiprocessor,
                      why);
}

/* Draws each limit alone. */
static void draw_limits(const struct occupancy *now, struct canvas *canvas, struct rect area)
{
    const struct {
        enum occupancy_limiter limiter;
        uint32_t blocks;
    } limits[] = {{OCCUPANCY_WARPS, now->blocks_by_warps},
                  {OCCUPANCY_BLOCKS, now->blocks_by_blocks},
                  {OCCUPANCY_REGISTERS, now->blocks_by_registers},
                  {OCCUPANCY_SHARED, now->blocks_by_shared}};
    canvas_text(canvas, area.x, area.y, area.width, STYLE(COLOR_DIM, COLOR_NONE, ATTRIBUTE_UNDERLINE),
                "most blocks, by each limit alone");
    for (int i = 0; i < 4 && i + 1 < area.height; i++) {
        bool least = limits[i].limiter == now->limiter || (now->blocks == 0 && limits[i].blocks == 0);
        struct style style = STYLE(least ? COLOR_WARN : COLOR_TEXT, COLOR_NONE, least ? ATTRIBUTE_BOLD : 0);
        int y = area.y + 1 + i;
        char text[16] = "no limit";
        if (limits[i].blocks != UINT32_MAX)
            snprintf(text, sizeof text, "%u", limits[i].blocks);
        canvas_text(canvas, area.x, y, 14, style, occupancy_limiter_text(limits[i].limiter));
        field_number(canvas, area.x + 14, y, 9, style, text);
        if (least)
            canvas_text(canvas, area.x + 24, y, area.width - 24, style, "<- limits");
    }
}

static void draw_legend(const struct occupancy_view *view, struct canvas *canvas, struct rect line)
{
    int x = line.x + canvas_printf(canvas, line.x, line.y, line.width, STYLE(COLOR_TITLE, COLOR_NONE, 0),
                                   "@ as set, %.1f %%", view->now.percent);
    if (view->own.arch == NULL)
        return;
    double percent = occupancy_of_setting(&view->own).percent;
    canvas_printf(canvas, x + 3, line.y, line.x + line.width - x - 3, STYLE(view->color, COLOR_NONE, 0),
                  "%c %s as launched, %.1f %%", view->letter, view->name, percent);
}

static void draw_curve(const struct occupancy_view *view, struct canvas *canvas, struct rect area,
                       enum occupancy_curve curve)
{
    static const char *const titles[CURVE_COUNT] = {"0-100 % by block size", "0-100 % by registers",
                                                    "0-100 % by shared KiB"};
    canvas_text(canvas, area.x + 1, area.y, area.width - 1, STYLE(COLOR_FOCUS, COLOR_NONE, 0), titles[curve]);
    chart_draw_lines(&view->curves[curve], canvas,
                     (struct rect){area.x, area.y + 1, area.width, area.height - 1});
}

static enum occupancy_curve chosen_curve(const struct occupancy_view *view)
{
    return view->form.selected <= OCCUPANCY_ROW_BLOCK       ? CURVE_BLOCK
           : view->form.selected == OCCUPANCY_ROW_REGISTERS ? CURVE_REGISTERS
                                                            : CURVE_SHARED;
}

static void draw_curves(const struct occupancy_view *view, struct canvas *canvas, struct rect area)
{
    if (area.width < CURVE_COUNT * CHART_WIDTH_MIN) {
        draw_curve(view, canvas, area, chosen_curve(view));
        return;
    }
    int width = area.width / CURVE_COUNT;
    for (int i = 0; i < CURVE_COUNT; i++)
        draw_curve(view, canvas, (struct rect){area.x + i * width, area.y, width, area.height},
                   (enum occupancy_curve)i);
}

static void occupancy_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct occupancy_view *view = occupancy_state(screen);
    struct rect inside = view_frame(canvas, area, "Occupancy", focus);
    struct places places = places_of(inside);
    draw_head(view, canvas, places.head);
    for (int i = 0; i < places.form.height; i++)
        draw_row(view, canvas, (struct rect){places.form.x, places.form.y + i, places.form.width - 1, 1},
                 view->form.top + i);
    if (rect_shown(places.limits))
        draw_limits(&view->now, canvas, places.limits);
    if (!rect_shown(places.charts))
        return;
    draw_legend(view, canvas, places.legend);
    draw_curves(view, canvas, places.charts);
}

/* ---- keys ---- */

static bool occupancy_act(struct screen *screen, enum action action)
{
    struct occupancy_view *view = occupancy_state(screen);
    if (view->set.arch == NULL)
        return false;
    switch (action) {
    case ACTION_LEFT: occupancy_step(view, -1, false); return true;
    case ACTION_RIGHT: occupancy_step(view, 1, false); return true;
    case ACTION_PAN_LEFT: occupancy_step(view, -1, true); return true;
    case ACTION_PAN_RIGHT: occupancy_step(view, 1, true); return true;
    case ACTION_UNDO_ZOOM:
        occupancy_reset(screen);
        screen_message(screen, SEVERITY_INFO, "%s",
                       view->kernel != NONE ? "These are the kernel's own values."
                                            : "No kernel is selected: these are typical values.");
        return true;
    default: return list_act(&view->form, action);
    }
}

static void occupancy_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct places places = places_of(view_inside(area));
    if (rect_holds(places.form, event->x, event->y) || event->kind != MOUSE_DOWN)
        list_mouse(&occupancy_state(screen)->form, event, event->y - places.form.y);
}

/* The setting is taken again from the kernel that is selected then. */
static void forget_kernel(struct screen *screen)
{
    occupancy_state(screen)->set.arch = NULL;
}

static const struct view_key keys[] = {
    {.action = ACTION_DOWN, .hint = "row"},
    {.action = ACTION_RIGHT, .hint = "change", .name = "h l", .help = "larger; h: smaller"},
    {.action = ACTION_PAN_RIGHT,
     .hint = "by more",
     .name = "H L",
     .help = "larger by several steps; H: smaller"},
    {.action = ACTION_UNDO_ZOOM, .hint = "the kernel's"},
    {.action = ACTION_NONE},
};

const struct view view_occupancy = {
    .title = "Occupancy",
    .opened_by = ACTION_OCCUPANCY,
    .state_bytes = sizeof(struct occupancy_view),
    .forget = forget_kernel,
    .update = occupancy_update,
    .draw = occupancy_draw,
    .open = occupancy_open,
    .act = occupancy_act,
    .mouse = occupancy_mouse,
    .keys = keys,
};
