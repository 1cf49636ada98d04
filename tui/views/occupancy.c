/*
 * A curve is made by changing one value of the setting over its range and computing the occupancy of each
 * (core/hardware/occupancy). `own` has the values of the kernel that the calculator was opened for; `set` has
 * the values that the user has set.
 */
#include "tui/views/occupancy.h"
#include "tui/frame/screen.h"
#include "tui/views/chart/chart.h"

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
    if (view->set.arch == NULL || kernel != view->kernel) {
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
    while (arch_at(at) != NULL && arch_at(at) != set->arch)
        at++;
    if ((by < 0 && at == 0) || arch_at(by < 0 ? at - 1 : at + 1) == NULL)
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
    if (view->own.arch != NULL)
        add_mark(chart, &used, view->letter, (int)view->color, occupancy_place(&view->own, curve),
                 occupancy_of_setting(&view->own).percent);
}

void occupancy_make(struct occupancy_view *view)
{
    view->now = occupancy_of_setting(&view->set);
    for (enum occupancy_curve curve = 0; curve < CURVE_COUNT; curve++)
        make_curve(view, curve);
}
