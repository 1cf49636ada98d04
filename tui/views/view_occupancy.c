/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The occupancy calculator on the screen: the setting, its occupancy and what limits it, and the curves with
 * the point of the setting (@) and of the kernel (its letter). If there is no room for three curves, the one
 * of the selected row is shown.
 *
 * A curve is made by changing one value of the setting over its range and computing the occupancy of each
 * (core/hardware/occupancy). `own` has the values of the kernel that the calculator was opened for; `set` has
 * the values that the user has set.
 */
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/chart/chart.h"
#include "tui/views/occupancy.h"
#include "tui/widgets/field.h"

#include <stdio.h>
#include <string.h>

#define KIB 1024u
#define STANDARD_THREADS 256
#define STANDARD_REGISTERS 32
#define CURVE_MARK_NONE '\0'

/* ---- the setting ---- */

struct occupancy occupancy_of_setting(const struct occupancy_setting *setting)
{
    const uint32_t *value = setting->value;
    const struct occupancy_input input = {
        .threads_per_block = value[OCCUPANCY_ROW_BLOCK],
        .registers_per_thread = value[OCCUPANCY_ROW_REGISTERS],
        .shared_bytes_per_block = value[OCCUPANCY_ROW_STATIC_SHARED] + value[OCCUPANCY_ROW_DYNAMIC_SHARED],
        .shared_bytes_available = value[OCCUPANCY_ROW_CARVEOUT],
    };
    return occupancy_compute(setting->arch, &input);
}

/* Takes the kernel's values; false: no kernel is selected, or its launches do not report their resources. */
static bool take_kernel(struct screen *screen, uint32_t kernel)
{
    const struct session *session = screen->session;
    struct occupancy_view *view = occupancy_state(screen);
    view->own = (struct occupancy_setting){0};
    if (kernel == NONE)
        return false;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    uint32_t threads = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2];
    if (row->device >= session_device_count(session) || shape->registers_per_thread == 0 || threads == 0)
        return false;
    view->own = (struct occupancy_setting){
        .arch = arch_find(session_device(session, row->device)->info.compute_capability),
        .value = {[OCCUPANCY_ROW_BLOCK] = threads,
                  [OCCUPANCY_ROW_REGISTERS] = shape->registers_per_thread,
                  [OCCUPANCY_ROW_STATIC_SHARED] = shape->static_shared_bytes,
                  [OCCUPANCY_ROW_DYNAMIC_SHARED] = shape->dynamic_shared_bytes,
                  [OCCUPANCY_ROW_CARVEOUT] = shape_shared_set_aside(shape)}};
    short_names_print_kernel(screen->naming.names, session, kernel, SHORT_NAME_WHOLE, view->name,
                             sizeof view->name);
    return view->own.arch != NULL;
}

void occupancy_reset(struct screen *screen)
{
    struct occupancy_view *view = occupancy_state(screen);
    if (take_kernel(screen, view->kernel)) {
        uint16_t name = naming_of_kernel(&screen->naming, screen->session, view->kernel);
        view->letter = naming_letter(name);
        view->color = (uint8_t)naming_color(name);
        view->set = view->own;
        return;
    }
    view->set = (struct occupancy_setting){
        .arch = screen_arch(screen),
        .value = {[OCCUPANCY_ROW_BLOCK] = STANDARD_THREADS, [OCCUPANCY_ROW_REGISTERS] = STANDARD_REGISTERS}};
}

void occupancy_open(struct screen *screen)
{
    struct occupancy_view *view = occupancy_state(screen);
    uint32_t kernel = screen_kernel_looked_at(screen);
    if (!view->set.arch || kernel != view->kernel) {
        view->kernel = kernel;
        occupancy_reset(screen);
    }
    screen_open(screen, VIEW_OCCUPANCY);
}

/* ---- changing it ---- */

static uint32_t most_of(const struct arch *arch, int row)
{
    switch (row) {
    case OCCUPANCY_ROW_BLOCK: return arch->max_threads_per_block;
    case OCCUPANCY_ROW_REGISTERS: return arch->max_registers_per_thread;
    case OCCUPANCY_ROW_STATIC_SHARED: return arch->shared_bytes_per_block;
    default: return arch->shared_bytes_per_block_optin;
    }
}

/* One warp, one register, one KiB, or several. */
static uint32_t step_of(int row, bool far)
{
    switch (row) {
    case OCCUPANCY_ROW_BLOCK: return far ? 128 : 32;
    case OCCUPANCY_ROW_REGISTERS: return far ? 8 : 1;
    default: return far ? 8 * KIB : KIB;
    }
}

static void step_capability(struct occupancy_setting *set, int by)
{
    size_t at = 0;
    while (arch_at(at) && arch_at(at) != set->arch)
        at++;
    if ((by < 0 && at == 0) || !arch_at(by < 0 ? at - 1 : at + 1))
        return;
    set->arch = arch_at(by < 0 ? at - 1 : at + 1);
    for (int row = OCCUPANCY_ROW_BLOCK; row < OCCUPANCY_ROW_CARVEOUT; row++)
        if (set->value[row] > most_of(set->arch, row))
            set->value[row] = most_of(set->arch, row);
    set->value[OCCUPANCY_ROW_CARVEOUT] = 0;
}

/* Steps through the sizes that the driver can reserve; below the smallest and above the largest is "as much
 * as there is". */
static void step_carveout(struct occupancy_setting *set, int by)
{
    const uint16_t *kib = set->arch->shared_configurations_kib;
    int count = 0, at = 0;
    while (count < ARCH_SHARED_CONFIGURATIONS && kib[count] != 0) {
        count++;
        at = set->value[OCCUPANCY_ROW_CARVEOUT] == kib[count - 1] * KIB ? count : at;
    }
    at = (at + count + 1 + by) % (count + 1);
    set->value[OCCUPANCY_ROW_CARVEOUT] = at == 0 ? 0 : kib[at - 1] * KIB;
}

void occupancy_step(struct occupancy_view *view, int by, bool far)
{
    struct occupancy_setting *set = &view->set;
    int row = view->form.selected;
    if (row == OCCUPANCY_ROW_CAPABILITY) {
        step_capability(set, by);
        return;
    }
    if (row == OCCUPANCY_ROW_CARVEOUT) {
        step_carveout(set, by);
        return;
    }
    uint32_t step = step_of(row, far), most = most_of(set->arch, row), value = set->value[row];
    uint32_t least = row == OCCUPANCY_ROW_BLOCK ? 32 : row == OCCUPANCY_ROW_REGISTERS ? 1 : 0;
    if (by > 0)
        value = value + step < most ? value + step : most;
    else
        value = value > least + step ? value - step : least;
    set->value[row] = value;
}

/* ---- curves ---- */

double occupancy_place(const struct occupancy_setting *setting, enum occupancy_curve curve)
{
    const uint32_t *value = setting->value;
    switch (curve) {
    case CURVE_BLOCK: return value[OCCUPANCY_ROW_BLOCK];
    case CURVE_REGISTERS: return value[OCCUPANCY_ROW_REGISTERS];
    default: return (double)(value[OCCUPANCY_ROW_STATIC_SHARED] + value[OCCUPANCY_ROW_DYNAMIC_SHARED]) / KIB;
    }
}

/* The setting with another value for the variable of the curve. */
static struct occupancy_setting move_setting(const struct occupancy_setting *set, enum occupancy_curve curve,
                                             uint32_t value)
{
    struct occupancy_setting other = *set;
    if (curve == CURVE_SHARED) {
        other.value[OCCUPANCY_ROW_STATIC_SHARED] = value;
        other.value[OCCUPANCY_ROW_DYNAMIC_SHARED] = 0;
    } else {
        other.value[curve == CURVE_BLOCK ? OCCUPANCY_ROW_BLOCK : OCCUPANCY_ROW_REGISTERS] = value;
    }
    return other;
}

struct range {
    uint32_t least, most, step, tick; /* tick: distance of the axis' labels */
};

static struct range range_of(const struct arch *arch, enum occupancy_curve curve)
{
    uint32_t shared = arch->shared_bytes_per_block_optin;
    switch (curve) {
    case CURVE_BLOCK: return (struct range){32, arch->max_threads_per_block, 32, 128};
    case CURVE_REGISTERS: return (struct range){8, arch->max_registers_per_thread, 8, 32};
    default: return (struct range){0, shared, KIB, shared > 64 * KIB ? 32 * KIB : 4 * KIB};
    }
}

static void add_point(struct chart *chart, uint32_t *used, double x, double y)
{
    if (*used < OCCUPANCY_POINTS_MAX)
        chart->points[(*used)++] = (struct chart_point){.x = x, .y = y, .kernel = NONE};
}

static void add_series(struct chart *chart, char mark, int color, uint32_t first, uint32_t end)
{
    chart->series[chart->series_count++] = (struct chart_series){.provenance = PROVENANCE_EXPECTED,
                                                                 .mark = mark,
                                                                 .first = first,
                                                                 .count = end - first,
                                                                 .color = color};
}

/* Adds one point; a point beyond the axis is placed at its end. */
static void add_mark(struct chart *chart, uint32_t *used, char mark, int color, double x, double y)
{
    x = x < chart->x_least ? chart->x_least : x > chart->x_most ? chart->x_most : x;
    add_point(chart, used, x, y);
    add_series(chart, mark, color, *used - 1, *used);
}

static void make_curve(struct occupancy_view *view, enum occupancy_curve curve)
{
    const struct occupancy_setting *set = &view->set;
    const struct range range = range_of(set->arch, curve);
    double unit = curve == CURVE_SHARED ? KIB : 1;
    struct chart *chart = &view->curves[curve];
    uint32_t used = 0;
    *chart = (struct chart){.metric = METRIC_theoretical_occupancy_pct,
                            .axes = {{.values = UINT32_MAX}}, /* linear axis, not by powers */
                            .axis_count = 1,
                            .points = view->points[curve],
                            .x_least = range.least / unit,
                            .x_most = range.most / unit,
                            .y_most = 100,
                            .y_least = 1};
    add_point(chart, &used, range.least / unit, 0);
    for (uint32_t x = range.tick; x <= range.most; x += range.tick)
        add_point(chart, &used, x / unit, 0);
    uint32_t first = chart->point_count = used;
    for (uint32_t x = range.least;; x = x + range.step < range.most ? x + range.step : range.most) {
        struct occupancy_setting other = move_setting(set, curve, x);
        add_point(chart, &used, x / unit, occupancy_of_setting(&other).percent);
        if (x == range.most)
            break;
    }
    add_series(chart, CURVE_MARK_NONE, COLOR_KERNEL, first, used);
    add_mark(chart, &used, '@', COLOR_TITLE, occupancy_place(set, curve), view->now.percent);
    chart->selected = 1;
    if (view->own.arch)
        add_mark(chart, &used, view->letter, (int)view->color, occupancy_place(&view->own, curve),
                 occupancy_of_setting(&view->own).percent);
}

void occupancy_make(struct occupancy_view *view)
{
    view->now = occupancy_of_setting(&view->set);
    for (enum occupancy_curve curve = 0; curve < CURVE_COUNT; curve++)
        make_curve(view, curve);
}

#define TITLE_CELLS 21
#define FORM_CELLS 44
#define LIMITS_CELLS 34
#define CHART_WIDTH_MIN 24
#define CHART_HEIGHT_MIN 6

struct occupancy_places {
    struct rect head, form, limits, legend, charts;
};

static struct occupancy_places places_of(struct rect inside)
{
    struct occupancy_places places = {.head = {inside.x, inside.y, inside.width, 1}};
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
    struct occupancy_places places = places_of(view_inside(area));
    if (!view->set.arch) { /* the session has changed: the kernel belonged to the old one */
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
    if (view->own.arch)
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
    if (!view->own.arch)
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
    struct occupancy_places places = places_of(inside);
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
    if (!view->set.arch)
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
    struct occupancy_places places = places_of(view_inside(area));
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
