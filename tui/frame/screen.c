#include "tui/frame/screen.h"

#include "tui/frame/bars.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct view *const panes[PANE_COUNT] = {
    [PANE_TIMELINE] = &view_timeline,
    [PANE_KERNELS] = &view_kernels,
    [PANE_PANEL] = &view_panel,
};

/* ---- life ---- */

/* Another session: nothing that was prepared of the one before holds. */
static void take_session(struct screen *screen, struct session *session)
{
    bool cpu_rows = screen->timeline.cpu_rows, keep = screen->session != NULL;
    enum kernel_sort sort = screen->kernels.sort;
    char chart[sizeof screen->chart.name];
    memcpy(chart, screen->chart.name, sizeof chart);
    chart_fini(&screen->chart);
    if (chart[0] != '\0')
        chart_choose(screen, chart);
    naming_fini(&screen->naming);
    timeline_fini(&screen->timeline);
    free(screen->kernels.items);
    run_names_fini(&screen->kernels.names);
    kernel_gains_fini(&screen->kernels.gains);
    free(screen->runs.runs);
    run_names_fini(&screen->runs.names);
    screen->kernels =
        (struct kernel_list){.selected_kernel = NONE, .scope_group = NONE, .sort = keep ? sort : SORT_TOTAL};
    screen->runs = (struct run_list){0};
    panel_fini(&screen->panel);
    run_verdicts_fini(&screen->verdicts);
    overlap_forget(&screen->overlap);
    range_forget(&screen->range);
    amdahl_view_fini(&screen->amdahl);
    roofline_view_fini(&screen->roofline);
    screen->occupancy.set.arch = NULL;
    screen->marked[0] = screen->marked[1] = NONE;
    if (screen->stack_count > 0 && screen->stack[screen->stack_count - 1] == &view_compare)
        screen_close(screen);
    source_fini(&screen->source); /* its texts are the session's */
    if (screen->stack_count > 0 && screen->stack[screen->stack_count - 1] == &view_source)
        screen_close(screen);
    screen->lab.run = screen->lab.kernel = NONE;
    screen->timeline.run = screen->timeline.select_track = screen->timeline.select_group = NONE;
    screen->timeline.charts.made = screen->timeline.charts.cut_sampling = NONE;
    screen->timeline.filter.stream = screen->timeline.find.stream = NONE;
    screen->timeline.window = axis_make(0, 1); /* until it is shown */
    screen->timeline.columns = 1;
    screen->timeline.cpu_rows = cpu_rows;
    screen->timeline.follow = screen->state.live;
    screen->notices = (struct list){0};
    screen->notices_seen = screen->notice_errors = 0;
    screen->session = session;
}

enum status screen_init(struct screen *screen, const struct tui_host *host, const struct tui_options *options,
                        struct error *error)
{
    *screen = (struct screen){.host = host, .options = *options, .focus = PANE_KERNELS};
    screen->theme = theme_find(options->theme);
    if (screen->theme == NULL)
        return error_set(error, STATUS_USAGE,
                         "There is no theme '%s': choose standard, colorblind, projector or mono.",
                         options->theme);
    if (!options->color)
        screen->theme = theme_find("mono");
    host->state(host->context, &screen->state);
    take_session(screen, host->session(host->context));
    if (host->workload_count > 0 && !screen->state.live && session_run_count(screen->session) == 0 &&
        host->run != NULL)
        screen_open(screen, &view_workloads);
    /* A recording of watching has nothing but series. */
    if (host->watch ||
        (!screen->state.live && host->run == NULL && session_run_count(screen->session) == 0 &&
         session_track_count(screen->session) == 0 && session_series_count(screen->session) > 0))
        screen_open(screen, &view_watch);
    return STATUS_OK;
}

void screen_fini(struct screen *screen)
{
    naming_fini(&screen->naming);
    timeline_fini(&screen->timeline);
    free(screen->kernels.items);
    run_names_fini(&screen->kernels.names);
    kernel_gains_fini(&screen->kernels.gains);
    free(screen->runs.runs);
    run_names_fini(&screen->runs.names);
    free(screen->workloads.shown);
    source_fini(&screen->source);
    panel_fini(&screen->panel);
    run_verdicts_fini(&screen->verdicts);
    chart_fini(&screen->chart);
    amdahl_view_fini(&screen->amdahl);
    range_forget(&screen->range);
    overlap_forget(&screen->overlap);
    roofline_view_fini(&screen->roofline);
    lane_map_fini(&screen->lane_map);
    *screen = (struct screen){0};
}

/* ---- frame ---- */

static struct layout layout_of(const struct screen *screen)
{
    struct layout layout =
        layout_compute(screen->width, screen->height, screen->focus, screen->timeline.rows_list.count);
    if (screen->maximised && !layout.too_small) {
        for (int p = 0; p < PANE_COUNT; p++)
            layout.pane[p] = (struct rect){0};
        layout.pane[screen->focus] = layout.body;
    }
    return layout;
}

/* An error is said at once where things happen now; a recording's are counted in the status line. */
static void take_notices(struct screen *screen)
{
    uint32_t count = session_notice_count(screen->session);
    for (; screen->notices_seen < count; screen->notices_seen++) {
        const struct notice_row *notice = session_notice(screen->session, screen->notices_seen);
        if (notice->severity < SEVERITY_ERROR)
            continue;
        screen->notice_errors++;
        if (screen->host->keep != NULL)
            screen_message(screen, SEVERITY_ERROR, "%s", session_string(screen->session, notice->text));
    }
}

/* The list's choice decides what the others show, so it goes first, even without a place of its own. */
static void update_panes(struct screen *screen)
{
    static const enum pane order[PANE_COUNT] = {PANE_KERNELS, PANE_TIMELINE, PANE_PANEL};
    bool watched = screen->stack_count > 0 && screen->stack[screen->stack_count - 1] == &view_watch;
    for (int i = 0; i < PANE_COUNT; i++) {
        struct rect area = screen->layout.pane[order[i]];
        if (watched && order[i] == PANE_TIMELINE)
            continue; /* its place is that view's */
        if (rect_shown(area) || order[i] == PANE_KERNELS)
            panes[order[i]]->update(screen, rect_shown(area) ? area : screen->layout.body);
    }
}

/* How the device shown is doing: of a GPU that the host watches. */
static void take_health(struct screen *screen)
{
    const struct device_row *row = screen_device(screen);
    const struct device_description *hosts = screen->host->device;
    const struct device_info *info = row != NULL ? &row->info : hosts != NULL ? &hosts->info : NULL;
    if (screen->frozen)
        return;
    if (info != NULL && info->is_model)
        device_health_modelled(&screen->health, info);
    else if (screen->host->health == NULL)
        device_health_none(&screen->health, "n/a: a recording does not keep sensor values");
    else if (info == NULL)
        device_health_none(&screen->health, "n/a: no device is known yet");
    else
        screen->host->health(screen->host->context, info->uuid, &screen->health);
}

void screen_update(struct screen *screen, int width, int height)
{
    struct session *session = screen->host->session(screen->host->context);
    screen->host->state(screen->host->context, &screen->state);
    if (session != screen->session)
        take_session(screen, session);
    screen->width = width;
    screen->height = height;
    take_notices(screen);
    take_health(screen);
    if (!screen->frozen) {
        for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
            screen->now_ns[clock] = session_now_ns(session, clock);
        naming_update(&screen->naming, session);
    }
    /* The timeline's place depends on its rows, which depend on the run that the list chooses: a second look
     * settles it. */
    for (int pass = 0, rows = -1; pass < 2 && rows != screen->timeline.rows_list.count; pass++) {
        rows = screen->timeline.rows_list.count;
        screen->layout = layout_of(screen);
        if (screen->layout.too_small)
            return;
        update_panes(screen);
    }
    if (screen->stack_count > 0)
        screen->stack[screen->stack_count - 1]->update(screen, screen->layout.body);
}

bool screen_work(struct screen *screen)
{
    const struct view *top = screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
    bool same =
        screen->session == screen->host->session(screen->host->context); /* else the next frame takes it */
    return same && ((top != NULL && top->work != NULL && top->work(screen)) || run_verdicts_work(screen));
}

void screen_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct layout *layout = &screen->layout;
    canvas_clear(canvas);
    if (layout->too_small) {
        canvas_printf(canvas, 0, 0, canvas->width, STYLE(COLOR_TEXT, COLOR_NONE, 0), "needs %dx%d",
                      LAYOUT_WIDTH_MIN, LAYOUT_HEIGHT_MIN);
        return;
    }
    if (screen->stack_count > 0) {
        screen->stack[screen->stack_count - 1]->draw(screen, canvas, layout->body, true);
    } else {
        for (enum pane pane = 0; pane < PANE_COUNT; pane++)
            if (rect_shown(layout->pane[pane]))
                panes[pane]->draw(screen, canvas, layout->pane[pane], pane == screen->focus);
    }
    if (rect_shown(layout->header))
        bars_draw_header(screen, canvas, layout->header);
    bars_draw_status(screen, canvas, layout->status);
    if (rect_shown(layout->keys))
        bars_draw_keys(screen, canvas, layout->keys);
}

struct rect view_inside(struct rect area)
{
    return area.width >= 24 && area.height >= 5 ? rect_inside(area) : area;
}

struct rect view_frame(struct canvas *canvas, struct rect area, const char *title, bool focus)
{
    struct rect inside = view_inside(area);
    if (inside.width != area.width)
        canvas_frame(canvas, area, title, focus);
    return inside;
}

/* ---- for the views ---- */

void screen_message(struct screen *screen, enum severity severity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(screen->message, sizeof screen->message, format, arguments);
    va_end(arguments);
    screen->message_severity = severity;
}

void screen_open(struct screen *screen, const struct view *view)
{
    for (int i = 0; i < screen->stack_count; i++) {
        if (screen->stack[i] == view) {
            screen->stack_count = i + 1;
            return;
        }
    }
    if (screen->stack_count < SCREEN_STACK_MAX)
        screen->stack[screen->stack_count++] = view;
}

bool screen_is_outermost(const struct screen *screen)
{
    const struct view *top = screen->stack_count == 1 ? screen->stack[0] : NULL;
    bool nothing_ran = session_run_count(screen->session) == 0 && !screen->state.live;
    if (screen->stack_count == 0)
        return !screen->maximised;
    return top == &view_watch || (top == &view_workloads && nothing_ran);
}

/* What nothing keeps is not lost without a word. */
static void leave(struct screen *screen)
{
    uint32_t runs = session_run_count(screen->session);
    screen->quit = screen->asked || screen->kept || screen->host->keep == NULL || runs == 0;
    screen->asked = true;
    if (!screen->quit)
        screen_message(screen, SEVERITY_WARNING, "Nothing keeps %s: W keeps %s, q again quits.",
                       runs == 1 ? "this run" : "these runs", runs == 1 ? "it" : "them");
}

void screen_close(struct screen *screen)
{
    if (screen_is_outermost(screen))
        leave(screen);
    else if (screen->stack_count > 0)
        screen->stack_count--;
    else {
        if (screen->from_list && screen->focus == PANE_PANEL)
            screen->focus = PANE_KERNELS;
        screen->maximised = screen->from_list = false;
    }
}

void screen_show_panes(struct screen *screen)
{
    screen->stack_count = screen->stack_count > 0 && screen->stack[0] == &view_watch ? 1 : 0;
    screen->maximised = screen->from_list = false;
    screen->focus = PANE_KERNELS;
}

bool screen_start(struct screen *screen, const char *spec)
{
    struct error error = {0};
    if (screen->host->run == NULL) {
        screen_message(screen, SEVERITY_WARNING, "Nothing can be run here: this is a recording.");
        return false;
    }
    if (screen->host->run(screen->host->context, spec, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return false;
    }
    screen->timeline.follow = true;
    screen->timeline.fitted = false;
    return true;
}

void screen_run(struct screen *screen, const char *spec)
{
    if (screen_start(screen, spec))
        screen->stack_count = 0;
}

void screen_select_kernel(struct screen *screen, uint32_t kernel)
{
    const struct kernel_list *kernels = &screen->kernels;
    for (int i = 0; i < kernels->list.count; i++) {
        if (kernels->items[i].kernel == kernel) {
            list_select(&screen->kernels.list, i);
            screen->kernels.selected_kernel = kernel;
            return;
        }
    }
    screen_message(screen, SEVERITY_INFO,
                   "That kernel is not in the list: the filter or the chosen run hides it.");
}

void screen_show_kernel(struct screen *screen, uint32_t kernel)
{
    screen->kernels.filter[0] = '\0';
    screen->kernels.scope_group = NONE;
    screen->kernels.selected_kernel = kernel;
    update_panes(screen);
}

/* ---- keys ---- */

static void turn_pane(struct screen *screen, int by)
{
    screen->focus = (enum pane)(((int)screen->focus + PANE_COUNT + by) % PANE_COUNT);
}

static void stop_runs(struct screen *screen)
{
    bool stopped = screen->host->stop != NULL && screen->host->stop(screen->host->context);
    screen_message(screen, SEVERITY_INFO, "%s",
                   stopped ? "Stopped. The events received so far are kept."
                           : "No run started here is in progress.");
}

/* What works everywhere. */
static bool act_anywhere(struct screen *screen, enum action action)
{
    switch (action) {
    case ACTION_QUIT: screen->quit = true; return true;
    case ACTION_BACK: screen_close(screen); return true;
    case ACTION_CLOSE:
        if (screen_clear_filter(screen))
            return true;
        if (!screen_is_outermost(screen))
            screen_close(screen);
        else if (screen->stack_count > 0 && screen->stack[0] == &view_workloads)
            screen_message(screen, SEVERITY_INFO,
                           "Nothing has run yet: ENTER runs the workload, e opens its lab, q quits.");
        return true;
    case ACTION_HELP: screen_open(screen, &view_help); return true;
    case ACTION_NOTICES: screen_open(screen, &view_notices); return true;
    case ACTION_RUNS: screen_open(screen, &view_runs); return true;
    case ACTION_AMDAHL: screen_open(screen, &view_amdahl); return true;
    case ACTION_OCCUPANCY: occupancy_open(screen); return true;
    case ACTION_ROOFLINE: screen_open(screen, &view_roofline); return true;
    case ACTION_LANES: lane_map_open(screen); return true;
    case ACTION_DEVICE: screen_open(screen, &view_device); return true;
    case ACTION_STATISTICS: screen_open(screen, &view_range); return true;
    case ACTION_OVERLAP: screen_open(screen, &view_overlap); return true;
    case ACTION_WORKLOADS:
        if (screen->host->workload_count > 0)
            screen_open(screen, &view_workloads);
        else
            screen_message(screen, SEVERITY_INFO,
                           "This session has no workloads to run: it shows a recording or a program.");
        return true;
    case ACTION_STOP: stop_runs(screen); return true;
    case ACTION_SOURCE: source_open(screen); return true;
    case ACTION_LINES: lab_run_lines(screen); return true;
    case ACTION_PLOT: chart_open(screen); return true;
    case ACTION_MARK: compare_mark(screen); return true;
    case ACTION_COMPARE: compare_open(screen); return true;
    case ACTION_EDIT:
        if (screen->stack_count > 0)
            return false;
        lab_open_selected(screen);
        return true;
    case ACTION_LARGE:
        screen->maximised = !screen->maximised;
        screen->from_list = false;
        return true;
    case ACTION_FREEZE: screen->frozen = !screen->frozen; return true;
    case ACTION_THEME:
        if (screen->options.color)
            screen->theme = theme_next(screen->theme);
        screen->repaint = true;
        return true;
    case ACTION_REDRAW: screen->repaint = true; return true;
    case ACTION_KEEP:
        if (screen->host->keep != NULL)
            prompt_open(&screen->prompt, PROMPT_KEEP, "Save the recording as:", "");
        else
            screen_message(screen, SEVERITY_INFO, "There is nothing to save: this is a recording already.");
        return true;
    default: return false;
    }
}

/* Is it part of a paste that nothing takes? A line that is typed takes text; no paste is a command. ESC ends
 * a paste whose end got lost. */
static bool is_pasted(struct screen *screen, uint32_t key)
{
    bool mark = key == CODE_PASTE || key == CODE_PASTED, typing = screen->prompt.purpose != PROMPT_NONE;
    if (key == CODE_PASTE && !typing)
        screen_message(screen, SEVERITY_INFO, "Pasted text is taken only in an input line.");
    if (mark || key == KEY_ESCAPE)
        screen->pasting = key == CODE_PASTE;
    return mark || (screen->pasting && (!typing || key < KEY_SPACE));
}

void screen_key(struct screen *screen, uint32_t key)
{
    if (is_pasted(screen, key))
        return;
    if (screen->prompt.purpose != PROMPT_NONE) {
        screen_take_typed(screen, prompt_key(&screen->prompt, key));
        return;
    }
    enum action action = action_of_key(key);
    const struct view *top = screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
    screen->message[0] = '\0';
    screen->asked = screen->asked && action == ACTION_BACK;
    if (top != NULL && top->key != NULL && top->key(screen, key))
        return;
    if (action == ACTION_NONE || act_anywhere(screen, action))
        return;
    if (top != NULL) {
        if (top->act != NULL)
            top->act(screen, action);
        return;
    }
    if (action == ACTION_NEXT_PANE || action == ACTION_PREVIOUS_PANE) {
        turn_pane(screen, action == ACTION_NEXT_PANE ? 1 : -1);
        return;
    }
    /* Time belongs to the timeline and lists to the kernels, whichever pane has the keys. */
    if (panes[screen->focus]->act(screen, action))
        return;
    enum action_section section = action_info(action)->section;
    if (section == SECTION_TIME || action == ACTION_LEFT || action == ACTION_RIGHT)
        view_timeline.act(screen, action);
    else if (section == SECTION_LIST)
        view_kernels.act(screen, action);
}

void screen_mouse(struct screen *screen, const struct mouse *mouse)
{
    if (screen->stack_count > 0) {
        const struct view *top = screen->stack[screen->stack_count - 1];
        if (top->mouse != NULL)
            top->mouse(screen, mouse, screen->layout.body);
        return;
    }
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        bool dragged = pane == PANE_TIMELINE && screen->timeline.dragging && mouse->kind != MOUSE_DOWN;
        if (!dragged && !rect_holds(screen->layout.pane[pane], mouse->x, mouse->y))
            continue;
        if (mouse->kind == MOUSE_DOWN)
            screen->focus = pane;
        panes[pane]->mouse(screen, mouse, screen->layout.pane[pane]);
        return;
    }
}
