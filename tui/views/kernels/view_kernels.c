/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel list: every kernel of every run with its share of GPU time, sortable and filterable. Times are
 * those of the trace runs; the same work in counter runs is in the same row.
 *
 * The run is above the rows of the list: a bar that shows how its time was spent, in kernels->run_lines
 * lines. It is a row that can be selected: the panel then shows the run's problems.
 *
 * The gains are one per kernel of the snapshot. If memory or the number of launches does not permit a
 * snapshot, the index is NULL, and no kernel has a gain.
 */
#include "tui/views/kernels/view_kernels.h"

#include "core/advice/session_advice.h"
#include "core/base/array.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/terminal/canvas.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/kernels/kernel_rows.h"
#include "tui/views/kernels/kernel_sweeps.h"
#include "tui/widgets/action.h"
#include "tui/widgets/number.h"
#include "tui/widgets/time_bar.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_MS 1000

void kernel_gains_fini(struct kernel_gains *gains)
{
    kernel_index_destroy(gains->index);
    free(gains->kernels);
    *gains = (struct kernel_gains){0};
}

static void make_index(struct kernel_gains *gains, const struct session *session, bool soon)
{
    kernel_gains_fini(gains);
    if (session_launch_count(session) > KERNEL_GAINS_LAUNCHES_MAX / (soon ? 10 : 1) ||
        kernel_index_create(&gains->index, session, NULL) != STATUS_OK)
        return;
    gains->count = kernel_index_count(gains->index);
    gains->kernels = calloc(gains->count + 1u, sizeof *gains->kernels);
    if (!gains->kernels)
        kernel_gains_fini(gains);
}

void kernel_gains_update(struct kernel_gains *gains, const struct session *session, bool soon,
                         int64_t clock_ms)
{
    uint64_t made_of = 1 + (uint64_t)session_measurement_count(session) + session_expected_count(session) +
                       session_tally_count(session) + session_kernel_count(session) +
                       session_launch_count(session);
    if (made_of == gains->made_of || (soon && gains->made_of != 0 && clock_ms - gains->made_ms < REFRESH_MS))
        return;
    make_index(gains, session, soon);
    gains->made_of = made_of;
    gains->made_ms = clock_ms;
}

static struct kernel_gain judge_kernel(const struct kernel_index *index, uint32_t kernel)
{
    struct advice_list list;
    session_advise_indexed(index, kernel, &list);
    if (list.count > 0 && !list.items[0].fine)
        return (struct kernel_gain){GAIN_SOME, (float)list.items[0].gain};
    return (struct kernel_gain){list.count > 0 || advice_has_judged(&list) ? GAIN_NOTHING : GAIN_UNKNOWN, 0};
}

struct kernel_gain kernel_gains_judge(struct kernel_gains *gains, uint32_t kernel)
{
    if (gains->index && kernel < gains->count && gains->kernels[kernel].state == GAIN_NOT_ASKED)
        gains->kernels[kernel] = judge_kernel(gains->index, kernel);
    gains->known = gains->known || kernel_gains_of(gains, kernel).state >= GAIN_NOTHING;
    return kernel_gains_of(gains, kernel);
}

struct kernel_gain kernel_gains_of(const struct kernel_gains *gains, uint32_t kernel)
{
    return kernel < gains->count ? gains->kernels[kernel] : (struct kernel_gain){GAIN_NOT_ASKED, 0};
}

#define BAR_CELLS_LEAST 10
#define RUN_SINCE 6 /* list's lines with room for it */

static const struct partition *run_time(const struct screen *screen)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    return verdict->known && verdict->time.operations > 0 ? &verdict->time : NULL;
}

/* Sets kernels->run_lines for a list of this height. A program's run that has a problem is selected at first.
 */
static void kernel_run_update(struct screen *screen, int height)
{
    struct kernel_list *kernels = kernels_state(screen);
    bool known = run_time(screen) != NULL;
    kernels->run_lines = (known || screen->state.loading) && height >= RUN_SINCE && kernels->list.count > 0;
    if (!kernels->chosen && !screen->state.live && kernels->one_run && kernels->filter[0] == '\0' &&
        run_verdicts_of(&screen->verdicts, screen->run)->wrong > 0)
        screen->on_run = true; /* until the user chooses */
    if (height > 0 && !(known && kernels->run_lines > 0))
        screen->on_run = false;
}

static void kernel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    int lines = kernels_state(screen)->run_lines;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const struct partition *time = run_time(screen);
    char text[200], device[40] = "", steps[40] = "";
    if (lines == 0 || !time)
        return;
    if (verdict->devices > 1 && time->device != NONE)
        snprintf(device, sizeof device, "GPU %" PRIu32 " of %zu",
                 session_device(screen->session, time->device)->ordinal, verdict->devices);
    if (verdict->steps > 0)
        snprintf(steps, sizeof steps, "%" PRIu64 " steps:", verdict->steps);
    snprintf(text, sizeof text, "%s%s%s %s", device, device[0] != '\0' ? ", " : "",
             verdict->steps > 0 ? steps : run_time_name(RUN_TIME_SPAN),
             number_time(partition_span_ns(time)).text);
    int64_t beside_ns =
        verdict->steps > 0 && verdict->devices == 1 ? partition_copies_beside_ns(&verdict->whole, time) : 0;
    char beside[100] = ""; /* only where the bar has room beside it */
    if (beside_ns > 0)
        snprintf(beside, sizeof beside, ", copies outside %s", number_time(beside_ns).text);
    if ((int)(strlen(text) + strlen(beside)) + BAR_CELLS_LEAST + 2 < inside.width)
        strcat(text, beside);
    uint8_t ground = screen->on_run ? COLOR_SELECTED : COLOR_NONE;
    canvas_fill(canvas, (struct rect){inside.x, inside.y, inside.width, 1}, ' ',
                STYLE(COLOR_TEXT, ground, 0));
    if (screen->on_run)
        canvas_glyph(canvas, inside.x, inside.y, GLYPH_SELECTED, STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD));
    int taken = 2 + canvas_text(canvas, inside.x + 1, inside.y, inside.width - 1,
                                STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD), text);
    if (taken + BAR_CELLS_LEAST < inside.width)
        time_bar_draw(time, canvas, inside.x + taken, inside.y, inside.width - taken - 1);
}

/* Moves up from the first kernel to the run, or back; false: the key does something else. */
static bool kernel_run_choose(struct screen *screen, enum action action)
{
    struct kernel_list *kernels = kernels_state(screen);
    bool first = kernels->run_lines > 0 && run_time(screen) && kernels->list.selected == 0;
    if (!(action == ACTION_UP && first) && !(action == ACTION_DOWN && screen->on_run))
        return false;
    screen->on_run = action == ACTION_UP;
    kernels->chosen = true;
    screen->follows_runs = false;
    return true;
}

#define GROUNDS_FROM 56 /* cells: with as many every second row has a ground, which the eye can follow */

/* Does the kernel's full or short name, or its run, match the filter? */
static bool passes_filter(const struct screen *screen, const struct kernel_item *item, const char *filter)
{
    char name[300], brief[300], run[300];
    if (filter[0] == '\0')
        return true;
    short_names_print_kernel(screen->naming.names, screen->session, item->kernel, SHORT_NAME_WHOLE, name,
                             sizeof name);
    short_names_print_brief(screen->naming.names, screen->session, item->kernel, brief, sizeof brief);
    screen_run_name(screen, item->run, run, sizeof run);
    return filter_matches(filter, (const char *const[]){item->name, name, brief, run}, 4);
}

/* The time of a launch: the median, as everywhere else; -1 if it is not known. If no snapshot of the launches
 * could be made (there are too many, or they are still loading) it is the mean, and the column's heading says
 * so. */
static int64_t typical_ns(const struct kernel_list *kernels, const struct kernel_item *item)
{
    if (item->launches == 0)
        return -1;
    if (!kernels->gains.index)
        return (int64_t)((double)item->total_ns / (double)item->launches + 0.5);
    struct kernel_times times = kernel_index_times(kernels->gains.index, item->kernel);
    return times.median_ns > 0 ? times.median_ns : -1;
}

static int compare_numbers(double left, double right)
{
    return left > right ? -1 : left < right;
}

/* Largest first; names and runs in alphabetical order. */
static int compare_items(const void *a, const void *b, void *context)
{
    const struct kernel_list *kernels = context;
    const struct kernel_item *left = a, *right = b;
    int order = 0;
    switch (kernels->sort) {
    case SORT_TOTAL: order = compare_numbers((double)left->share_ns, (double)right->share_ns); break;
    case SORT_GAIN: order = compare_numbers(left->gain_ns, right->gain_ns); break;
    case SORT_CALLS: order = compare_numbers((double)left->launches, (double)right->launches); break;
    case SORT_MEDIAN: order = compare_numbers((double)left->typical_ns, (double)right->typical_ns); break;
    case SORT_MIN: order = compare_numbers((double)left->min_ns, (double)right->min_ns); break;
    case SORT_MAX: order = compare_numbers((double)left->max_ns, (double)right->max_ns); break;
    case SORT_NAME: order = strcmp(left->name, right->name); break;
    case SORT_RUN:
    case SORT_COUNT: order = left->run < right->run ? -1 : left->run > right->run; break;
    }
    if (order == 0 && left->kernel == right->kernel)
        return left->part < right->part ? -1 : left->part > right->part;
    if (order == 0)
        return left->kernel < right->kernel ? -1 : left->kernel > right->kernel;
    return kernels->reverse ? -order : order;
}

static bool in_scope(const struct screen *screen, uint32_t index, struct kernel_item *item)
{
    const struct session *session = screen->session;
    const struct kernel_row *kernel = session_kernel(session, index);
    const struct run_row *run = session_run(session, kernel->run);
    if (!run) /* recordings may come from others and be invalid */
        return false;
    if (kernels_state(screen)->scope_group != NONE && run->group != kernels_state(screen)->scope_group)
        return false;
    if (!kernels_state(screen)->leads[index])
        return false;
    *item = (struct kernel_item){
        .kernel = index,
        .run = kernel->run,
        .mark_run = kernel->run,
        .launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed),
        .total_ns = atomic_load_explicit(&kernel->total_ns, memory_order_relaxed),
        .min_ns = atomic_load_explicit(&kernel->min_ns, memory_order_relaxed),
        .max_ns = atomic_load_explicit(&kernel->max_ns, memory_order_relaxed),
        .name = session_string(session, session_shape(session, kernel->shape)->name),
    };
    item->share_ns = item->total_ns;
    return true;
}

/* Only when kernels have come: what a row is does not change. False: no memory. */
static bool find_leaders(struct kernel_list *kernels, const struct session *session, uint32_t count)
{
    if (kernels->lead_count == count)
        return true;
    if (!array_grow(kernels->leads, kernels->lead_capacity, count, 1) ||
        kernel_find_leaders(session, count, kernels->leads, NULL) != STATUS_OK)
        return false;
    kernels->lead_count = count;
    return true;
}

/* Selects the kernel, or the row of the class; before the user has chosen a row, the first kernel. */
static void select_wanted(struct kernel_list *kernels, uint32_t kernel, uint8_t part)
{
    const struct kernel_item *items = kernels->items;
    for (int i = 0; i < kernels->list.count; i++) {
        if (items[i].kernel == kernel && items[i].part == part) {
            kernels->list.selected = i;
            return;
        }
    }
    for (int i = 0; i < kernels->list.count && !kernels->chosen; i++) {
        if (items[i].part == 0) {
            kernels->list.selected = i;
            return;
        }
    }
}

static void collect_items(struct screen *screen, uint32_t wanted)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t count = session_kernel_count(screen->session);
    int shown = 0;
    if (!array_grow(kernels->items, kernels->capacity, count, 1) ||
        !find_leaders(kernels, screen->session, count))
        return;
    memset(kernels->total_ns, 0, sizeof kernels->total_ns);
    kernels->hidden = kernels->modelled = 0;
    run_names_begin(&kernels->names);
    for (uint32_t i = 0; i < count; i++) {
        struct kernel_item *item = &kernels->items[shown];
        if (!in_scope(screen, i, item))
            continue;
        enum clock_kind clock = session_run(screen->session, item->run)->clock;
        kernels->total_ns[clock] += item->total_ns;
        if (!passes_filter(screen, item, kernels->filter)) {
            kernels->hidden++;
            continue;
        }
        kernels->modelled += clock == CLOCK_MODEL;
        run_names_add(&kernels->names, screen->session, item->run);
        shown++;
    }
    for (int i = 0; i < shown; i++)
        kernels->items[i].typical_ns = typical_ns(kernels, &kernels->items[i]);
    kernels->kernel_count = shown;
    kernels->one_run = true;
    for (int i = 1; i < shown; i++)
        kernels->one_run = kernels->one_run && kernels->items[i].run == kernels->items[0].run;
    shown = kernels->item_count = kernel_parts_add(screen, shown);
    for (int i = 0; i < kernels->kernel_count && kernels->sort == SORT_GAIN; i++)
        kernels->items[i].gain_ns = kernel_gains_judge(&kernels->gains, kernels->items[i].kernel).share *
                                    (double)kernels->items[i].share_ns;
    if (!kernels->one_run && kernels->filter[0] == '\0' && kernels->scope_group == NONE)
        shown = kernel_sweeps_fold(&kernels->sweeps, screen->session, kernels->items, wanted, shown);
    qsort_r(kernels->items, (size_t)shown, sizeof *kernels->items, compare_items, kernels);
    kernels->list.count = shown;
    kernel_rows_measure(screen, shown);
    select_wanted(kernels, wanted, wanted == NONE ? screen->part : 0);
}

/* Shows the run in the timeline, unless that belongs to the view on top. */
static void show_run(struct screen *screen, uint32_t run)
{
    const struct view *top = screen_top(screen);
    if (!top || (top->flags & VIEW_HAS_TIMELINE) == 0)
        timeline_show_run(screen, run);
}

/* For a workload that only copies: no kernel leads to its run, so the timeline shows the newest such run
 * while more may come. */
static void show_run_without_kernels(struct screen *screen)
{
    uint32_t runs = session_run_count(screen->session);
    bool follows = screen->state.live && screen->follows_runs;
    bool chosen = kernels_state(screen)->scope_group != NONE || (screen->run != NONE && !follows);
    if (runs == 0 || chosen || session_kernel_count(screen->session) > 0)
        return;
    uint32_t run = screen->state.live ? runs - 1 : 0;
    if (session_run(screen->session, run)->workload != 0)
        show_run(screen, run);
}

/* The newest run of a workload with known times; NONE: there is none, or the user has chosen a run. */
static uint32_t followed_run(const struct screen *screen)
{
    if (!screen->follows_runs || !screen->state.live || screen->frozen)
        return NONE;
    for (uint32_t i = session_run_count(screen->session); i-- > 0;) {
        const struct run_row *run = session_run(screen->session, i);
        if (run->workload != 0 && run_is_traced(run))
            return i;
    }
    return NONE;
}

/* Selects the run's main kernel, once there is one. False: no kernel of the run is in the list. */
static bool select_of_run(struct screen *screen, uint32_t run)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t kernel = screen_kernel_of_run(screen, run);
    for (int i = 0; i < kernels->list.count; i++) {
        if (kernels->items[i].part == 0 && kernels->items[i].kernel == kernel) {
            list_select(&kernels->list, i);
            return true;
        }
    }
    return false;
}

/* The selection in the list decides what timeline and panel show. */
static void take_selection(struct screen *screen)
{
    struct kernel_list *kernels = kernels_state(screen);
    uint32_t followed = followed_run(screen);
    screen->part = 0;
    if (followed != NONE && !select_of_run(screen, followed)) {
        screen->kernel = NONE;
        show_run(screen, followed);
        return;
    }
    if (kernels->list.count == 0) {
        screen->kernel = NONE;
        show_run_without_kernels(screen);
        return;
    }
    const struct kernel_item *item = &kernels->items[kernels->list.selected];
    screen->kernel = item->kernel;
    screen->part = item->part;
    show_run(screen, item->run);
}

static void kernels_update(struct screen *screen, struct rect area)
{
    struct kernel_list *kernels = kernels_state(screen);
    if (!screen->frozen || !kernels->items) {
        kernels->gains.coming = screen->state.loading && (session_measurement_count(screen->session) > 0 ||
                                                          session_tally_count(screen->session) > 0);
        if (!screen->state.loading)
            kernel_gains_update(&kernels->gains, screen->session, screen->state.live, screen->clock_ms);
        uint32_t followed = followed_run(screen);
        /* Of a program's run the first row is selected, whichever it is, until the user chooses another: also
         * when the last rows come with the session's end. */
        bool program = screen->run == NONE || session_run(screen->session, screen->run)->workload == 0;
        bool first = followed == NONE && !kernels->chosen && program;
        collect_items(screen, followed != NONE ? screen_kernel_of_run(screen, followed)
                              : first          ? NONE
                                               : screen->kernel);
    }
    int height = view_inside(area).height;
    kernel_run_update(screen, height);
    list_update(&kernels->list, kernels->list.count, height - 1 - kernels->run_lines);
    screen->list_rows = kernels->list.count + 1 + kernels->run_lines;
    for (int i = kernels->list.top; i < kernels->list.count && i < kernels->list.top + kernels->list.height;
         i++)
        if (kernels->items[i].part == 0)
            kernel_gains_judge(&kernels->gains, kernels->items[i].kernel);
    take_selection(screen);
}

/* ---- drawing ---- */

static bool run_has_ended(const struct screen *screen)
{
    const struct run_row *run = screen->run == NONE ? NULL : session_run(screen->session, screen->run);
    return run && atomic_load_explicit(&run->end_ns, memory_order_relaxed) != INT64_MIN;
}

static void kernels_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct kernel_list *kernels = kernels_state(screen);
    char title[700], filter[300] = "", scope[300] = "", common[200];
    if (kernels->filter[0] != '\0')
        snprintf(filter, sizeof filter, "  filter: %.200s", kernels->filter);
    if (kernels->scope_group != NONE && kernels->list.count > 0) {
        screen_run_name(screen, kernels->items[kernels->list.selected].run, title, sizeof title);
        snprintf(scope, sizeof scope, " of %.200s", title);
    }
    const char *times = kernels->modelled == 0                                 ? "measured"
                        : kernels->modelled == (uint32_t)kernels->kernel_count ? "~ modelled"
                                                                               : "measured and ~ modelled";
    struct kernel_places places = kernel_rows_places(kernels, view_inside(area));
    bool sweep = kernels->list.count > 0 && kernels->items[kernels->list.selected].sweep_count > 0;
    snprintf(title, sizeof title, "Kernels  %d%s%s%.120s%.200s", kernels->kernel_count,
             sweep ? "  z unfolds" : "", kernel_rows_unseen_order(kernels, &places), scope, filter);
    if (kernels->list.count > 0)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", %s times", times);
    run_names_print_common(&kernels->names, common, sizeof common); /* the parameters that no row shows */
    if (common[0] != '\0')
        snprintf(title + strlen(title), sizeof title - strlen(title), ", all with %s", common);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (kernels->list.count == 0) {
        const char *text = kernels->hidden > 0     ? "No kernel matches the filter. / changes it."
                           : run_has_ended(screen) ? "This run started no kernel."
                                                   : screen_why_empty(screen, "No kernel has run yet.");
        struct rect lines = {inside.x + 1, inside.y, inside.width - 2, inside.height};
        struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
        lines.y += canvas_wrap(canvas, lines, dim, text);
        if (kernels->hidden == 0 && run_has_ended(screen))
            canvas_text(canvas, lines.x, lines.y, lines.width, dim,
                        "T shows the times of its copies, p a chart of all runs.");
        return;
    }
    view_frame_list(canvas, area, &kernels->list);
    kernel_run_draw(screen, canvas, inside);
    inside.y += kernels->run_lines;
    inside.height -= kernels->run_lines;
    kernel_rows_draw_head(kernels, canvas, &places, inside.y);
    for (int line = 0; line + 1 < inside.height; line++) {
        int index = kernels->list.top + line;
        if (index >= kernels->list.count)
            break;
        bool selected = index == kernels->list.selected && !screen->on_run;
        if (selected)
            canvas_fill(canvas, (struct rect){inside.x, inside.y + 1 + line, inside.width, 1}, ' ',
                        STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
        kernel_rows_draw(screen, canvas, &places, inside.y + 1 + line, &kernels->items[index], selected);
        if (index % 2 == 1 && inside.width >= GROUNDS_FROM)
            canvas_ground(canvas, (struct rect){inside.x, inside.y + 1 + line, inside.width, 1}, COLOR_TRACK);
    }
}

/* ---- moving ---- */

/* The selected kernel stays selected, wherever the new order puts it. */
static void say_order(struct screen *screen)
{
    const struct kernel_list *kernels = kernels_state(screen);
    screen_message(screen, SEVERITY_INFO, "Sorted%s%s; g goes to the first.",
                   kernel_rows_order(kernels->sort), kernels->reverse ? ", reversed" : "");
}

static bool kernels_act(struct screen *screen, enum action action)
{
    struct kernel_list *kernels = kernels_state(screen);
    switch (action) {
    case ACTION_SORT:
        kernels->sort = (enum kernel_sort)((kernels->sort + 1) % SORT_COUNT);
        kernels->reverse = false;
        say_order(screen);
        return true;
    case ACTION_REVERSE:
        kernels->reverse = !kernels->reverse;
        say_order(screen);
        return true;
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Filter:"); return true;
    case ACTION_FOLD:
        return kernels->list.count > 0 && kernel_sweeps_toggle(&kernels->sweeps, screen->session,
                                                               &kernels->items[kernels->list.selected]);
    case ACTION_OPEN:
        screen->focus = PANE_PANEL;
        screen->maximised = screen->from_list = true;
        return true;
    default: break;
    }
    if (kernel_run_choose(screen, action))
        return true;
    if (!list_act(&kernels->list, action))
        return false;
    screen->follows_runs = screen->on_run = false;
    kernels->chosen = true;
    take_selection(screen);
    return true;
}

static void kernels_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct kernel_list *kernels = kernels_state(screen);
    struct rect inside = view_inside(area);
    int line = event->y - inside.y - 1 - kernels->run_lines;
    if (event->kind == MOUSE_DOWN && line == -1) {
        if (kernel_rows_sort_by_head(kernels, inside, event->x))
            say_order(screen);
        return;
    }
    if (event->kind == MOUSE_DOWN)
        screen->on_run = line < 0 && kernels->run_lines > 0;
    kernels->chosen = true;
    screen->follows_runs = false;
    screen_list_mouse(screen, &kernels->list, event, line);
    take_selection(screen);
}

static void forget_kernels(struct screen *screen)
{
    struct kernel_list *kernels = kernels_state(screen);
    free(kernels->items);
    free(kernels->leads);
    free(kernels->rows_of_name);
    kernel_sweeps_fini(&kernels->sweeps);
    run_names_fini(&kernels->names);
    kernel_gains_fini(&kernels->gains);
    *kernels = (struct kernel_list){.scope_group = NONE, .sort = kernels->sort};
}

static char *filter_text(const struct screen *screen)
{
    return kernels_state(screen)->filter;
}

static bool select_kernel(struct screen *screen, uint32_t kernel, bool show)
{
    struct kernel_list *kernels = kernels_state(screen);
    kernels->chosen = true;
    if (show) {
        kernels->filter[0] = '\0';
        kernels->scope_group = NONE;
        return true;
    }
    for (int i = 0; i < kernels->item_count; i++) {
        if (kernels->items[i].kernel != kernel || kernels->items[i].part != 0)
            continue;
        if (i >= kernels->list.count) /* a member of a sweep: it represents the sweep from now on */
            collect_items(screen, kernel);
        else
            list_select(&kernels->list, i);
        return true;
    }
    return false;
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN},
    {.action = ACTION_STOP},
    {.action = ACTION_NEXT_PANE},
    {.action = ACTION_SOURCE},
    {.action = ACTION_LANES},
    {.action = ACTION_EDIT},
    {.action = ACTION_RUNS},
    {.action = ACTION_KEEP},
    {.action = ACTION_WORKLOADS},
    {.action = ACTION_FILTER},
    {.action = ACTION_SORT},
    {.action = ACTION_PLOT},
    {.action = ACTION_FOLD, .help = "fold or unfold a sweep"},
    {.action = ACTION_NONE},
};

const struct view view_kernels = {
    .title = "Kernels",
    .state_bytes = sizeof(struct kernel_list),
    .forget = forget_kernels,
    .update = kernels_update,
    .draw = kernels_draw,
    .act = kernels_act,
    .mouse = kernels_mouse,
    .filter = filter_text,
    .select_kernel = select_kernel,
    .keys = keys,
};
