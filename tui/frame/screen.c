/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack of full views over the three panes, and who receives a key: the prompt, then the actions that
 * work everywhere, then the top view or the focused pane. Of the panes, the timeline receives actions about
 * time and the kernel list those about lists. This file names no view except the panes.
 *
 * Of a line that the user types, a filter is applied to the focused view at every key; other lines are passed
 * to the function that opened the prompt. The mouse is received by the finder while it is open, else by the
 * bar of keys, the top view, or the pane under the pointer; during a drag by the timeline, until the button
 * is released. The newest click is kept to detect a double click.
 */
#include "tui/frame/screen.h"

#include "core/base/append.h"
#include "tui/frame/bars.h"
#include "tui/frame/finder.h"
#include "tui/widgets/sheet_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- views beside the panes ---- */

/*
 * Rooms are filled from the top, views are taken in the order of their tables; the last one in a room gets
 * what is left of it. A room for which no view is left goes back to the pane that left it.
 */

#define FRAME_LINES 2
#define EVENTS_MAX UINT64_C(1000000) /* views of a range read all its events again after each move */

static bool has_too_many_events(const struct screen *screen, const struct view *view)
{
    return (view->flags & VIEW_OF_RANGE) != 0 && session_event_count(screen->session) > EVENTS_MAX;
}

/* The next view after this order that has something to show, and the lines that it would use, with its frame;
 * NULL: there is none. */
static const struct view *next_view(struct screen *screen, int after, int width, int *lines)
{
    for (;;) {
        const struct view *next = NULL;
        for (enum view_id id = 0; id < VIEW_COUNT; id++) {
            const struct view *view = screen->views[id];
            if (view->beside.lines && view->beside.order > after &&
                (!next || view->beside.order < next->beside.order))
                next = view;
        }
        if (!next)
            return NULL;
        *lines = has_too_many_events(screen, next) ? 0 : next->beside.lines(screen, width - FRAME_LINES);
        if (*lines > 0) {
            *lines += FRAME_LINES;
            return next;
        }
        after = next->beside.order;
    }
}

/* Gives a room to views, the first after *order; `shares`: the last one is left to another room. False: there
 * is none. */
static bool fill_room(struct screen *screen, struct rect room, bool shares, int *order)
{
    struct beside *beside = &screen->beside;
    const struct view *view;
    int before = beside->count, lines, next;
    while (room.height >= LAYOUT_ROOM_LINES && beside->count < BESIDE_MAX &&
           (view = next_view(screen, *order, room.width, &lines))) {
        if (shares && beside->count > before && !next_view(screen, view->beside.order, room.width, &next))
            break;
        *order = view->beside.order;
        lines = lines < LAYOUT_ROOM_LINES ? LAYOUT_ROOM_LINES : lines > room.height ? room.height : lines;
        beside->view[beside->count] = view;
        beside->area[beside->count++] = (struct rect){room.x, room.y, room.width, lines};
        room.y += lines;
        room.height -= lines;
    }
    if (beside->count > before)
        beside->area[beside->count - 1].height += room.height;
    return beside->count > before;
}

/* Gives the layout's room to views, and updates them. */
static void beside_update(struct screen *screen)
{
    static const enum pane left_by[LAYOUT_ROOMS] = {PANE_KERNELS, PANE_PANEL};
    struct layout *layout = &screen->layout;
    struct beside *beside = &screen->beside;
    int order = 0;
    beside->count = 0;
    if (screen->stack_count > 0)
        return;
    for (int i = 0; i < LAYOUT_ROOMS; i++) {
        struct rect *pane = &layout->pane[left_by[i]];
        bool shares = i + 1 < LAYOUT_ROOMS && rect_shown(layout->room[i + 1]);
        if (!rect_shown(layout->room[i]) || fill_room(screen, layout->room[i], shares, &order))
            continue;
        pane->height += layout->room[i].height; /* the pane has it back */
        layout->room[i] = (struct rect){0};
        screen->views[left_by[i]]->update(screen, *pane);
    }
    for (int i = 0; i < beside->count; i++)
        if (!beside->view[i]->beside.draw)
            beside->view[i]->update(screen, beside->area[i]);
}

static void beside_draw(const struct screen *screen, struct canvas *canvas)
{
    const struct beside *beside = &screen->beside;
    for (int i = 0; i < beside->count; i++) {
        const struct view *view = beside->view[i];
        (view->beside.draw ? view->beside.draw : view->draw)(screen, canvas, beside->area[i], false);
    }
}

/* A slice of the work of one of them; false: there was none. */
static bool beside_work(struct screen *screen)
{
    for (int i = 0; i < screen->beside.count; i++)
        if (screen->beside.view[i]->work && screen->beside.view[i]->work(screen))
            return true;
    return false;
}

/* False: the mouse is not on one of them. */
static bool beside_mouse(struct screen *screen, const struct mouse *mouse)
{
    for (int i = 0; i < screen->beside.count; i++) {
        if (!rect_holds(screen->beside.area[i], mouse->x, mouse->y))
            continue;
        if (mouse->kind == MOUSE_DOWN)
            screen_key(screen, action_info(screen->beside.view[i]->opened_by)->key[0]);
        return true;
    }
    return false;
}

#define DOUBLE_CLICK_MS 400

void screen_list_mouse(struct screen *screen, struct list *list, const struct mouse *mouse, int line)
{
    list_mouse(list, mouse, line);
    if (mouse->kind == MOUSE_DOWN && mouse->again && line >= 0 && list->top + line < list->count)
        screen_key(screen, KEY_RETURN);
}

static void give_mouse(struct screen *screen, const struct mouse *mouse)
{
    if (screen->stack_count > 0) {
        const struct view *top = screen_top(screen);
        if (top->mouse)
            top->mouse(screen, mouse, screen->layout.body);
        else
            view_table_mouse(screen, top, mouse);
        return;
    }
    if (!screen->dragging && beside_mouse(screen, mouse))
        return;
    for (enum pane pane = 0; pane < PANE_COUNT; pane++) {
        bool dragged = pane == PANE_TIMELINE && screen->dragging && mouse->kind != MOUSE_DOWN;
        if (!dragged && !rect_holds(screen->layout.pane[pane], mouse->x, mouse->y))
            continue;
        if (mouse->kind == MOUSE_DOWN)
            screen->focus = pane;
        screen->views[pane]->mouse(screen, mouse, screen->layout.pane[pane]);
        return;
    }
}

/* Is it the second click of two on one cell? A third click counts as a first one again. */
static bool clicks_again(struct screen *screen, const struct mouse *mouse)
{
    bool again = mouse->again || (!screen->clicked.again && !mouse->second && mouse->x == screen->clicked.x &&
                                  mouse->y == screen->clicked.y && screen->clicked_ms > 0 &&
                                  screen->clock_ms - screen->clicked_ms <= DOUBLE_CLICK_MS);
    screen->clicked = *mouse;
    screen->clicked.again = again;
    screen->clicked_ms = screen->clock_ms;
    return again;
}

void screen_mouse(struct screen *screen, const struct mouse *mouse)
{
    struct mouse event = *mouse;
    if (screen->prompt.purpose == PROMPT_FIND) {
        finder_mouse(screen, mouse);
        return;
    }
    if (mouse->kind == MOUSE_DOWN) {
        if (screen->asked) /* as for any key except q */
            screen->message[0] = '\0';
        screen->asked = false;
        event.again = clicks_again(screen, mouse);
    }
    if (mouse->kind != MOUSE_DOWN || screen->prompt.purpose != PROMPT_NONE ||
        !rect_holds(screen->layout.keys, mouse->x, mouse->y)) {
        give_mouse(screen, &event);
        return;
    }
    enum action action = key_bar_action_at(screen, screen->layout.keys, mouse->x);
    if (action != ACTION_NONE && !present_key(screen, action_info(action)->key[0]))
        screen_key(screen, action_info(action)->key[0]);
}

/* The view whose filter the keys change; NULL: there is none. In the panes this is the kernel list, whichever
 * pane has the focus, except the panel. */
static const struct view *filtered_view(const struct screen *screen)
{
    const struct view *view = screen_focused(screen);
    if (screen->stack_count == 0 && !view->filter)
        view = screen->views[PANE_KERNELS];
    return view_filter(screen, view) ? view : NULL;
}

static void filter_changed(struct screen *screen, const struct view *view)
{
    if (view->table)
        sheet_table_filtered(view->table(screen));
    if (view->filtered)
        view->filtered(screen);
}

static void set_filter(struct screen *screen, const char *text)
{
    const struct view *view = filtered_view(screen);
    if (!view)
        return;
    snprintf(view_filter(screen, view), FILTER_SIZE, "%s", text);
    filter_changed(screen, view);
}

static bool clear_filter_of(struct screen *screen, const struct view *view)
{
    char *filter = view ? view_filter(screen, view) : NULL;
    if (!filter || filter[0] == '\0')
        return false;
    filter[0] = '\0';
    filter_changed(screen, view);
    return true;
}

bool screen_clear_filter(struct screen *screen)
{
    if (screen->stack_count == 0 && screen->views[screen->focus]->act(screen, ACTION_CLOSE))
        return true;
    if (clear_filter_of(screen, filtered_view(screen)))
        return true;
    bool cleared = false;
    for (enum pane pane = 0; pane < PANE_COUNT && screen->stack_count == 0;
         pane++) /* beside the focused one */
        cleared = clear_filter_of(screen, screen->views[pane]) || cleared;
    return cleared;
}

void screen_take_typed(struct screen *screen, enum prompt_result result)
{
    struct prompt *prompt = &screen->prompt;
    enum prompt_purpose purpose = prompt->purpose;
    const char *text = result == PROMPT_CANCELLED ? "" : prompt->text;
    if (result == PROMPT_EDITING)
        return;
    if (purpose == PROMPT_FILTER)
        set_filter(screen, text);
    if (result == PROMPT_CHANGED)
        return;
    prompt->purpose = PROMPT_NONE;
    if (result == PROMPT_ACCEPTED && text[0] == '\0')
        text = prompt->usual;
    if (purpose == PROMPT_NARROW || (purpose == PROMPT_LINE && text[0] != '\0'))
        prompt->take(screen, text);
}

const struct view *screen_top(const struct screen *screen)
{
    return screen->stack_count > 0 ? screen->stack[screen->stack_count - 1] : NULL;
}

const struct view *screen_focused(const struct screen *screen)
{
    return screen->stack_count > 0 ? screen_top(screen) : screen->views[screen->focus];
}

const struct view *screen_view_of(const struct screen *screen, enum action action)
{
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (screen->views[id]->opened_by == action)
            return screen->views[id];
    return NULL;
}

/* ---- start and end ---- */

/* The session has changed: what was prepared from the old one is no longer valid. */
static void take_session(struct screen *screen, struct session *session)
{
    naming_fini(&screen->naming);
    run_verdicts_stop(screen);
    screen->kernel = screen->run = screen->marked[0] = screen->marked[1] = NONE;
    screen->timeline_rows = screen->list_rows = screen->panel_rows = 0;
    screen->beside.count = 0;
    screen->follows_runs = true;
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (screen->views[id]->forget)
            screen->views[id]->forget(screen);
    while (screen->stack_count > 0 && (screen_top(screen)->flags & VIEW_OF_SESSION) != 0)
        screen_close(screen);
    screen->notices_seen = screen->notice_errors = 0;
    if (screen->prompt.purpose == PROMPT_FIND) /* the matches are of the old session */
        screen->prompt.purpose = PROMPT_NONE;
    screen->session = session;
}

static enum status make_states(struct screen *screen, struct error *error)
{
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        size_t size_bytes = screen->views[id]->state_bytes;
        screen->view_state[id] = size_bytes > 0 ? calloc(1, size_bytes) : NULL;
        if (size_bytes > 0 && !screen->view_state[id])
            return error_no_memory(error, "to draw a screen");
    }
    return STATUS_OK;
}

enum status screen_init(struct screen *screen, const struct view *const *views, const struct tui_host *host,
                        const struct tui_options *options, struct error *error)
{
    *screen = (struct screen){.host = host, .options = *options, .focus = PANE_KERNELS};
    screen->theme = theme_find(options->theme);
    if (!screen->theme)
        return error_set(error, STATUS_USAGE,
                         "There is no theme '%s': choose standard, colorblind, projector or mono.",
                         options->theme);
    if (!options->color)
        screen->theme = theme_find("mono");
    screen->views = views;
    present_init(&screen->present, host->script, host->steps);
    if (make_states(screen, error) != STATUS_OK)
        return STATUS_MEMORY;
    host->state(host->context, &screen->state);
    take_session(screen, host->session(host->context));
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (views[id]->begins && views[id]->begins(screen))
            screen_open(screen, id);
    return STATUS_OK;
}

void screen_fini(struct screen *screen)
{
    for (enum view_id id = 0; id < VIEW_COUNT && screen->views; id++) {
        const struct view *view = screen->views[id];
        if (screen->view_state[id] && view->forget)
            view->forget(screen);
        if (screen->view_state[id] && view->fini)
            view->fini(screen);
        free(screen->view_state[id]);
    }
    naming_fini(&screen->naming);
    run_verdicts_stop(screen);
    *screen = (struct screen){0};
}

/* ---- frame ---- */

#define PASSES 3 /* the rows of a pane depend on what another one selects, and a list's on its height */

static struct layout layout_of(const struct screen *screen)
{
    struct layout layout = layout_compute(screen->width, screen->height, screen->focus, screen->timeline_rows,
                                          screen->list_rows, screen->panel_rows);
    if ((screen->maximised || screen_can_begin(screen)) && !layout.too_small) {
        for (int p = 0; p < PANE_COUNT; p++)
            layout.pane[p] = (struct rect){0};
        for (int i = 0; i < LAYOUT_ROOMS; i++)
            layout.room[i] = (struct rect){0};
        layout.pane[screen->focus] = layout.body;
    }
    return layout;
}

/* While live, errors are shown at once; errors of a recording are only counted in the status line. */
static void take_notices(struct screen *screen)
{
    uint32_t count = session_notice_count(screen->session);
    for (; screen->notices_seen < count; screen->notices_seen++) {
        const struct notice_row *notice = session_notice(screen->session, screen->notices_seen);
        if (notice->severity < SEVERITY_ERROR)
            continue;
        screen->notice_errors++;
        if (screen->host->keep)
            screen_message(screen, SEVERITY_ERROR, "%s", session_string(screen->session, notice->text));
    }
}

/* The choice in the list decides what the other panes show, so the list is updated first, even if it is not
 * shown. */
static void update_panes(struct screen *screen)
{
    static const enum pane order[PANE_COUNT] = {PANE_KERNELS, PANE_TIMELINE, PANE_PANEL};
    const struct view *top = screen_top(screen);
    bool replaced = top && (top->flags & (VIEW_REPLACES_PANES | VIEW_HAS_TIMELINE)) != 0;
    for (int i = 0; i < PANE_COUNT; i++) {
        struct rect area = screen->layout.pane[order[i]];
        if (replaced && order[i] == PANE_TIMELINE)
            continue; /* a view takes its place */
        if (rect_shown(area) || order[i] == PANE_KERNELS)
            screen->views[order[i]]->update(screen, rect_shown(area) ? area : screen->layout.body);
    }
}

/* Reads the state of the device on display, if the host watches it as a GPU. */
static void take_health(struct screen *screen)
{
    const struct device_row *row = screen_device(screen);
    const struct device_description *hosts = screen->host->device;
    const struct device_info *info = row ? &row->info : hosts ? &hosts->info : NULL;
    if (screen->frozen)
        return;
    if (info && info->is_model)
        device_health_modelled(&screen->health, info);
    else if (!screen->host->health)
        device_health_none(&screen->health, "n/a: a recording does not keep sensor values");
    else if (!info)
        device_health_none(&screen->health, "n/a: no device is known yet");
    else
        screen->host->health(screen->host->context, info->uuid, &screen->health);
}

struct rows {
    int timeline, list, panel;
};

/* Does the layout have to be made again? Remembers what it was made for. */
static bool wants_other_rows(const struct screen *screen, struct rows *made_for)
{
    struct rows rows = {screen->timeline_rows, screen->list_rows, screen->panel_rows};
    bool other = memcmp(&rows, made_for, sizeof rows) != 0;
    *made_for = rows;
    return other;
}

void screen_update(struct screen *screen, int width, int height)
{
    struct session *session = screen->host->session(screen->host->context);
    screen->host->state(screen->host->context, &screen->state);
    if (session != screen->session)
        take_session(screen, session);
    if (screen->state.run != screen->run_seen) {
        screen->run_seen = screen->state.run;
        screen->run_seen_ms = screen->clock_ms;
    }
    screen->width = width;
    screen->height = height - present_lines(screen, width, height);
    take_notices(screen);
    take_health(screen);
    if (!screen->frozen) {
        for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
            screen->now_ns[clock] = session_now_ns(session, clock);
        naming_update(&screen->naming, session);
    }
    /* The height of the timeline depends on its rows, which depend on the run that the list chooses, so a
     * second pass may be needed. */
    struct rows made_for = {-1, -1, -1};
    for (int pass = 0; pass < PASSES && wants_other_rows(screen, &made_for); pass++) {
        screen->layout = layout_of(screen);
        if (screen->layout.too_small)
            return;
        update_panes(screen);
    }
    beside_update(screen);
    if (screen->stack_count > 0)
        screen_top(screen)->update(screen, screen->layout.body);
}

bool screen_work(struct screen *screen)
{
    const struct view *top = screen_top(screen);
    bool same =
        screen->session == screen->host->session(screen->host->context); /* else wait for the next frame */
    return same && ((top && top->work && top->work(screen)) || screen->views[VIEW_TIMELINE]->work(screen) ||
                    run_verdicts_work(screen) || beside_work(screen));
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
        screen_top(screen)->draw(screen, canvas, layout->body, true);
    } else {
        for (enum pane pane = 0; pane < PANE_COUNT; pane++)
            if (rect_shown(layout->pane[pane]))
                screen->views[pane]->draw(screen, canvas, layout->pane[pane], pane == screen->focus);
        beside_draw(screen, canvas);
    }
    if (rect_shown(layout->header))
        bars_draw_header(screen, canvas, layout->header);
    bars_draw_status(screen, canvas, layout->status);
    if (rect_shown(layout->keys))
        key_bar_draw(screen, canvas, layout->keys);
    if (screen->prompt.purpose == PROMPT_FIND)
        finder_draw(screen, canvas);
    present_draw(screen, canvas);
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

void view_frame_rows(struct canvas *canvas, struct rect area, int above, int below)
{
    char text[80];
    size_t used = 0;
    if (above + below <= 0 || view_inside(area).width == area.width)
        return;
    append_text(text, sizeof text, &used, " ");
    if (below > 0)
        append_text(text, sizeof text, &used, "%d more row%s below ", below, below == 1 ? "" : "s");
    if (above > 0)
        append_text(text, sizeof text, &used, below > 0 ? "and %d above " : "%d more above ", above);
    if ((int)used <= area.width - 4)
        canvas_text(canvas, area.x + area.width - 2 - (int)used, area.y + area.height - 1, (int)used,
                    STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

void view_frame_list(struct canvas *canvas, struct rect area, const struct list *list)
{
    int below = list->count - list->top - list->height;
    view_frame_rows(canvas, area, list->top, below > 0 ? below : 0);
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

void screen_open(struct screen *screen, enum view_id id)
{
    const struct view *view = screen->views[id];
    for (int i = 0; i < screen->stack_count; i++) {
        if (screen->stack[i] == view) {
            screen->stack_count = i + 1;
            return;
        }
    }
    if (screen->stack_count < SCREEN_STACK_MAX)
        screen->stack[screen->stack_count++] = view;
}

/* Why the only full view cannot be closed; NULL: it can be closed, or there is none, or another view is below
 * it. */
static const char *why_it_stays(const struct screen *screen)
{
    const struct view *only = screen->stack_count == 1 ? screen->stack[0] : NULL;
    return only && only->stays ? only->stays(screen) : NULL;
}

bool screen_is_outermost(const struct screen *screen)
{
    if (present_is_text(screen)) /* its page covers all views */
        return true;
    return screen->stack_count == 0 ? !screen->maximised : why_it_stays(screen) != NULL;
}

/* Asks before it quits if that would lose runs that are not saved. */
static void leave_screen(struct screen *screen)
{
    uint32_t runs = session_run_count(screen->session);
    bool presents = screen->present.script != NULL;
    screen->quit = screen->asked || (!presents && (screen->kept || !screen->host->keep || runs == 0));
    screen->asked = true;
    if (!screen->quit && presents)
        screen_message(screen, SEVERITY_WARNING, "q again ends the lesson%s.",
                       runs > 0 && !screen->kept ? "; W saves its runs" : "");
    else if (!screen->quit)
        screen_message(screen, SEVERITY_WARNING, "%s not saved: W saves %s, q again quits.",
                       runs == 1 ? "This run is" : "These runs are", runs == 1 ? "it" : "them");
}

void screen_close(struct screen *screen)
{
    if (screen_is_outermost(screen))
        leave_screen(screen);
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
    screen->stack_count =
        screen->stack_count > 0 && (screen->stack[0]->flags & VIEW_REPLACES_PANES) != 0 ? 1 : 0;
    screen->maximised = screen->from_list = false;
    screen->focus = PANE_KERNELS;
}

bool screen_start(struct screen *screen, const char *spec)
{
    struct error error = {0};
    if (present_takes_run(screen, spec))
        return true;
    if (!screen->host->run) {
        screen_message(screen, SEVERITY_WARNING, "Nothing can be run here: this is a recording.");
        return false;
    }
    if (screen->host->run(screen->host->context, spec, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return false;
    }
    screen->follows_runs = true;
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (screen->views[id]->run_started)
            screen->views[id]->run_started(screen);
    return true;
}

void screen_run(struct screen *screen, const char *spec)
{
    if (screen_start(screen, spec))
        screen->stack_count = 0;
}

/* Returns false if a view that lists kernels hides it. */
static bool select_in_views(struct screen *screen, uint32_t kernel, bool show)
{
    bool found = true;
    for (enum view_id id = 0; id < VIEW_COUNT; id++)
        if (screen->views[id]->select_kernel)
            found = screen->views[id]->select_kernel(screen, kernel, show) && found;
    return found;
}

void screen_select_kernel(struct screen *screen, uint32_t kernel)
{
    screen->follows_runs = screen->on_run = false;
    if (select_in_views(screen, kernel, false))
        screen->kernel = kernel;
    else
        screen_message(screen, SEVERITY_INFO,
                       "That kernel is not in the list: the filter or the chosen run hides it.");
}

void screen_show_kernel(struct screen *screen, uint32_t kernel)
{
    screen->follows_runs = screen->on_run = false;
    screen->kernel = kernel;
    select_in_views(screen, kernel, true);
    update_panes(screen);
}

/* ---- keys ---- */

static void turn_pane(struct screen *screen, int by)
{
    screen->focus = (enum pane)(((int)screen->focus + PANE_COUNT + by) % PANE_COUNT);
}

static void stop_runs(struct screen *screen)
{
    struct error error;
    if (screen->host->attach && !screen->state.live) {
        bool begun = screen->host->attach(screen->host->context, &error) == STATUS_OK;
        screen_message(screen, begun ? SEVERITY_INFO : SEVERITY_ERROR, "%s",
                       begun ? "Captures again." : error.text);
        return;
    }
    bool stopped = screen->host->stop && screen->host->stop(screen->host->context);
    screen_message(screen, SEVERITY_INFO, "%s",
                   stopped ? "Stopped. The events received so far are kept."
                           : "No run started here is in progress.");
}

static void keep_recording(struct screen *screen, const char *path)
{
    struct error error = {0};
    if (present_refuses(screen, ACTION_KEEP)) /* the user had opened the line, a lesson typed into it */
        return;
    if (screen->host->keep(screen->host->context, path, &error) == STATUS_OK) {
        screen->kept = true;
        screen_message(screen, SEVERITY_INFO, "Saved as %s.", path);
    } else {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
    }
}

/* Proposes the name of what runs: "transpose.lsr", "train.lsr". */
static void ask_where_to_keep(struct screen *screen)
{
    const char *title = screen->host->title ? screen->host->title : "";
    size_t length = strcspn(title, " :,"), from = length;
    while (from > 0 && title[from - 1] != '/')
        from--;
    prompt_open(&screen->prompt, PROMPT_LINE, "Save the recording as:", "", keep_recording);
    snprintf(screen->prompt.usual, sizeof screen->prompt.usual, "%.*s.lsr",
             length > from ? (int)(length - from < 40 ? length - from : 40) : (int)strlen("lanescope"),
             length > from ? title + from : "lanescope");
}

static void next_theme(struct screen *screen)
{
    if (screen->options.color) {
        screen->theme = theme_next(screen->theme);
        screen->repaint = true;
        screen_message(screen, SEVERITY_INFO, "Theme %s, %s.", screen->theme->name, screen->theme->meaning);
    } else {
        screen_message(screen, SEVERITY_INFO, "Colours are off, so %s is the only theme.",
                       screen->theme->name);
    }
}

/* Opens the view of the action, or lets a view handle an action that does not need the focus. */
static bool act_of_views(struct screen *screen, enum action action)
{
    for (enum view_id id = 0; id < VIEW_COUNT; id++) {
        const struct view *view = screen->views[id];
        if (view->act_anywhere && view->act_anywhere(screen, action))
            return true;
        if (view->opened_by != action)
            continue;
        if (view->open)
            view->open(screen);
        else
            screen_open(screen, id);
        return true;
    }
    return false;
}

/* ESC clears the filter if there is one, else closes the view; it never quits. */
static void clear_or_close(struct screen *screen)
{
    const char *why = why_it_stays(screen);
    if (screen_clear_filter(screen))
        return;
    if (!screen_is_outermost(screen))
        screen_close(screen);
    else if (why && why[0] != '\0')
        screen_message(screen, SEVERITY_INFO, "%s", why);
}

/* Handles the actions that work everywhere. */
static bool act_anywhere(struct screen *screen, enum action action)
{
    switch (action) {
    case ACTION_QUIT: screen->quit = true; return true;
    case ACTION_BACK: screen_close(screen); return true;
    case ACTION_CLOSE: clear_or_close(screen); return true;
    case ACTION_STOP: stop_runs(screen); return true;
    case ACTION_LARGE:
        screen->maximised = !screen->maximised;
        screen->from_list = false;
        return true;
    case ACTION_STEP: present_end_step(screen); return true;
    case ACTION_FREEZE: screen->frozen = !screen->frozen; return true;
    case ACTION_THEME: next_theme(screen); return true;
    case ACTION_FIND: finder_open(screen); return true;
    case ACTION_REDRAW: screen->repaint = true; return true;
    case ACTION_KEEP:
        if (screen->host->keep)
            ask_where_to_keep(screen);
        else
            screen_message(screen, SEVERITY_INFO, "There is nothing to save: this is a recording already.");
        return true;
    default: return act_of_views(screen, action);
    }
}

/* Does the key belong to a paste, and is it to be ignored? An input line takes pasted text; pasted text is
 * never a command. ESC ends a paste whose end mark was lost. */
static bool is_pasted(struct screen *screen, uint32_t key)
{
    bool mark = key == CODE_PASTE || key == CODE_PASTED, typing = screen->prompt.purpose != PROMPT_NONE;
    if (key == CODE_PASTE && !typing)
        screen_message(screen, SEVERITY_INFO, "Pasted text is taken only in an input line.");
    if (mark || key == KEY_ESCAPE)
        screen->pasting = key == CODE_PASTE;
    return mark || (screen->pasting && (!typing || key < KEY_SPACE));
}

/* Is the key part of the word that was typed for a filter that the view does not have? ENTER and ESC end it.
 */
static bool is_refused(struct screen *screen, uint32_t key)
{
    bool ends = key == KEY_RETURN || key == KEY_ESCAPE;
    bool letter = (key >= KEY_SPACE && key <= 0x10ffff) || key == KEY_CONTROL('h') || key == KEY_CONTROL('u');
    if (!screen_refuses_word(screen) || (!ends && !letter)) {
        screen->refused = false;
        return false;
    }
    screen->refused = !ends;
    screen->refused_ms = screen->clock_ms;
    return true;
}

/* Gives an action that does not work everywhere to the top view, or else to a pane: the focused one if it
 * takes it, else the timeline for actions about time and the kernel list for those about lists. Returns false
 * if none takes it. */
static bool give_action(struct screen *screen, enum action action)
{
    const struct view *top = screen_top(screen);
    enum action_section section = action_info(action)->section;
    if (top)
        return (top->act && top->act(screen, action)) || view_table_act(screen, top, action);
    if (action == ACTION_NEXT_PANE || action == ACTION_PREVIOUS_PANE) {
        turn_pane(screen, action == ACTION_NEXT_PANE ? 1 : -1);
        return true;
    }
    if (screen->views[screen->focus]->act(screen, action))
        return true;
    if (section == SECTION_TIME || action == ACTION_LEFT || action == ACTION_RIGHT)
        return screen->views[PANE_TIMELINE]->act(screen, action);
    return section == SECTION_LIST && screen->views[PANE_KERNELS]->act(screen, action);
}

void screen_key(struct screen *screen, uint32_t key)
{
    if (is_pasted(screen, key))
        return;
    if (screen->prompt.purpose == PROMPT_FIND) {
        finder_key(screen, key);
        return;
    }
    if (screen->prompt.purpose != PROMPT_NONE) {
        screen_take_typed(screen, prompt_key(&screen->prompt, key));
        return;
    }
    if (is_refused(screen, key))
        return;
    enum action action = action_of_key(key);
    const struct view *top = screen_top(screen);
    char name[16];
    screen->message[0] = '\0';
    screen->asked = screen->asked && action == ACTION_BACK;
    if (present_refuses(screen, action))
        return;
    if (top && top->key && top->key(screen, key))
        return;
    if (top && top->table && key == KEY_ESCAPE && sheet_table_close(top->table(screen)))
        return;
    bool acted = action != ACTION_NONE && (act_anywhere(screen, action) || give_action(screen, action));
    screen->refused = action == ACTION_FILTER && screen->prompt.purpose == PROMPT_NONE;
    screen->refused_ms = screen->clock_ms;
    if (acted || screen->message[0] != '\0')
        return;
    key_text(key, name, sizeof name);
    if (action == ACTION_NONE)
        screen_message(screen, SEVERITY_INFO, "%s is not a key: ? lists the keys, : finds actions by name.",
                       name);
    else
        screen_message(screen, SEVERITY_INFO, "%s does nothing here (%s).", name, action_info(action)->help);
}
