/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if: the edits of the run shown with what each gains, chosen by key, and what the loop would look like with
 * them, under what was measured. core/replay/what_if has what the numbers are.
 */
#include "tui/views/what_if.h"

#include "core/base/clock.h"
#include "tui/terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORK_NS (5 * NS_PER_MS) /* between two looks whether the answer is there */
#define WIDTH_LEAST 40
#define HEIGHT_LEAST 8
#define EDITS_LEAST 4 /* lines of the list, before the timelines get more rows */
#define SENTENCE_LINES 2

/* ---- layout ---- */

struct parts {
    struct rect inside;
    int list, list_lines; /* y of the first row */
    int sentence;
    int picture, rows; /* rows of each timeline; negative: it is not drawn */
};

static int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

/* Two lines say what is judged, one is the list's heading. */
static struct parts find_parts(const struct what_if_view *view, struct rect area)
{
    const struct replay_picture *picture = what_if_drawn(view);
    struct rect inside = view_inside(area);
    struct parts parts = {.inside = inside, .rows = -1};
    int wanted = picture ? smaller_of((int)picture->rows, REPLAY_PICTURE_ROWS) : 3;
    int left = inside.height - 3 - SENTENCE_LINES, list = smaller_of(view->count, EDITS_LEAST);
    for (int rows = 1; rows <= wanted; rows++)
        if (what_if_picture_lines(rows) <= left - list)
            parts.rows = rows;
    int drawn = parts.rows > 0 ? what_if_picture_lines(parts.rows) : 0;
    parts.list = inside.y + 3;
    parts.list_lines = left - drawn < view->count ? left - drawn : view->count;
    parts.list_lines = parts.list_lines < 1 ? 1 : parts.list_lines;
    parts.sentence = parts.list + parts.list_lines;
    parts.picture = parts.sentence + SENTENCE_LINES;
    return parts;
}

static bool has_room(struct rect area)
{
    return area.width >= WIDTH_LEAST && area.height >= HEIGHT_LEAST;
}

/* ---- update ---- */

static void what_if_update(struct screen *screen, struct rect area)
{
    struct what_if_view *view = what_if_state(screen);
    if (what_if_refusal(screen) || !has_room(area))
        return;
    if (!view->begun || view->run != screen->run) {
        what_if_forget(screen);
        view->begun = true;
        view->run = screen->run;
    }
    int columns = view_inside(area).width - WHAT_IF_LABEL - 1;
    view->stretch.columns = (uint32_t)smaller_of(columns, REPLAY_PICTURE_COLUMNS);
    if (!view->pending)
        what_if_ask(screen);
    list_update(&view->list, view->count, find_parts(view, area).list_lines);
}

static bool what_if_work(struct screen *screen)
{
    struct what_if_view *view = what_if_state(screen);
    if (!view->begun || what_if_refusal(screen))
        return false;
    if (view->pending)
        clock_pause(WORK_NS);
    return what_if_ask(screen);
}

/* ---- drawing ---- */

static void print_error(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct what_if_view *view = what_if_state(screen);
    const struct replay_facts *facts = &view->row.result.facts;
    char error[24] = "below 0.1 %", steps[60] = "All of the run (no steps)";
    if (fabs(facts->error) >= 5e-4)
        snprintf(error, sizeof error, "%+.1f %%", 100 * facts->error);
    if (session_run(screen->session, view->run)->workload != 0)
        snprintf(steps, sizeof steps, "From the first kernel to the last");
    else if (view->row.steps > 0)
        snprintf(steps, sizeof steps, "%llu steps", (unsigned long long)view->row.steps);
    if (facts->why[0])
        snprintf(text, size_bytes, "No gain is claimed. %s", facts->why);
    else
        snprintf(text, size_bytes,
                 "%s. Error of the replay: %s. Gains: of the loop, each on the chosen ones above.", steps,
                 error);
}

static void draw_head(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    const struct what_if_view *view = what_if_state(screen);
    const struct replay_facts *facts = &view->row.result.facts;
    struct style bold = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    int64_t after_ns;
    char text[400];
    if (facts->why[0] || view->chosen == 0)
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 2, bold, "The loop takes %s.%s",
                      number_time(facts->measured_ns).text,
                      facts->why[0]     ? ""
                      : view->count > 0 ? " SPACE or a digit chooses an edit."
                                        : "");
    else if (!what_if_after(view, view->chosen, &after_ns))
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 2, bold,
                      "The loop takes %s; replaying...", number_time(facts->measured_ns).text);
    else
        canvas_printf(
            canvas, inside.x + 1, inside.y, inside.width - 2, bold,
            "The loop takes %s; with %d edit%s %s: %s %% less, %.2fx", number_time(facts->measured_ns).text,
            __builtin_popcount(view->chosen), (view->chosen & (view->chosen - 1)) == 0 ? "" : "s",
            number_time(after_ns).text,
            number_percent(100 * (double)(facts->measured_ns - after_ns) / (double)facts->measured_ns, 1)
                .text,
            after_ns > 0 ? (double)facts->measured_ns / (double)after_ns : (double)INFINITY);
    print_error(screen, text, sizeof text);
    canvas_text(canvas, inside.x + 1, inside.y + 1, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

#define GAIN_AT 24 /* columns of the list */
#define LEFT_AT 33
#define WHAT_AT 44

static void draw_edit(const struct screen *screen, struct canvas *canvas, struct rect inside, int y, int row)
{
    const struct what_if_view *view = what_if_state(screen);
    const struct replay_facts *facts = &view->row.result.facts;
    bool selected = row == view->list.selected, chosen = (view->chosen & what_if_bit(view, row)) != 0;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style text = STYLE(chosen ? COLOR_TEXT : COLOR_DIM, ground, chosen ? ATTRIBUTE_BOLD : 0);
    const struct replay_edit *edit = what_if_edit(view, row);
    char title[WHAT_IF_TITLE];
    struct what_if_gain gain;
    int x = inside.x;
    canvas_fill(canvas, (struct rect){x, y, inside.width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
    if (selected)
        canvas_glyph(canvas, x, y, GLYPH_SELECTED, STYLE(COLOR_FOCUS, ground, 0));
    canvas_printf(canvas, x + 1, y, GAIN_AT - 2, text, "[%c] %c %s", chosen ? 'x' : ' ',
                  row < 9 ? '1' + row : ' ', edit->id);
    if (what_if_gain(view, row, &gain)) {
        double share = (double)(gain.before_ns - gain.after_ns) / (double)facts->measured_ns;
        canvas_printf(canvas, x + GAIN_AT, y, 8, text, "%6.1f %%", 100 * share);
        canvas_printf(canvas, x + LEFT_AT, y, 10, text, "%9s", number_time(gain.after_ns).text);
    } else {
        canvas_text(canvas, x + GAIN_AT + 4, y, 4, STYLE(COLOR_DIM, ground, 0), "...");
    }
    if (inside.width > WHAT_AT + 10)
        canvas_printf(canvas, x + WHAT_AT, y, inside.width - WHAT_AT - 1, text, "%s%s",
                      what_if_assumed(view, row) ? "ASSUMED: " : "", what_if_row_title(view, row, title));
}

static void draw_list(const struct screen *screen, struct canvas *canvas, const struct parts *parts)
{
    const struct what_if_view *view = what_if_state(screen);
    const struct rect inside = parts->inside;
    struct style head = STYLE(COLOR_TITLE, COLOR_NONE, 0);
    int y = parts->list - 1;
    if (view->count == 0) {
        canvas_text(canvas, inside.x + 1, y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    view->row.result.facts.why[0] ? ""
                    : view->listed                ? "No edit finds anything to change."
                                                  : "Replaying the edits...");
        return;
    }
    canvas_text(canvas, inside.x + 1, y, GAIN_AT - 2, head, "edit");
    canvas_text(canvas, inside.x + GAIN_AT + 4, y, 4, head, "gain");
    canvas_text(canvas, inside.x + LEFT_AT + 5, y, 4, head, "left");
    if (inside.width > WHAT_AT + 10)
        canvas_text(canvas, inside.x + WHAT_AT, y, inside.width - WHAT_AT - 1, head, "what is done");
    for (int i = 0; i < parts->list_lines && view->list.top + i < view->count; i++)
        draw_edit(screen, canvas, inside, parts->list + i, view->list.top + i);
}

static void draw_sentence(const struct what_if_view *view, struct canvas *canvas, const struct parts *parts)
{
    int row = view->list.selected;
    char text[700], title[WHAT_IF_TITLE];
    if (row >= view->count)
        return;
    bool assumed = what_if_assumed(view, row);
    snprintf(text, sizeof text, "%s%s; %s %s", assumed ? "ASSUMED: " : "",
             what_if_row_title(view, row, title), assumed ? "only if" : "if",
             what_if_edit(view, row)->assumes);
    canvas_wrap(canvas,
                (struct rect){parts->inside.x + 1, parts->sentence, parts->inside.width - 2, SENTENCE_LINES},
                STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

static void what_if_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct what_if_view *view = what_if_state(screen);
    char title[400] = "What if", run[300];
    const char *refusal = what_if_refusal(screen);
    if (!refusal && screen->run != NONE) {
        screen_run_name(screen, screen->run, run, sizeof run);
        snprintf(title, sizeof title, "What if  %.250s", run);
    }
    struct rect inside = view_frame(canvas, area, title, focus);
    const char *say = refusal           ? refusal
                      : !has_room(area) ? "A larger window shows what edits would gain."
                      : view->why[0]    ? view->why
                      : !view->opened   ? "Replaying the run..."
                                        : NULL;
    if (say) {
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), say);
        return;
    }
    const struct parts parts = find_parts(view, area);
    draw_head(screen, canvas, inside);
    draw_list(screen, canvas, &parts);
    draw_sentence(view, canvas, &parts);
    if (parts.rows > 0)
        what_if_picture_draw(
            screen, canvas,
            (struct rect){inside.x, parts.picture, inside.width, inside.y + inside.height - parts.picture},
            parts.rows);
}

/* ---- acting ---- */

static bool what_if_act(struct screen *screen, enum action action)
{
    struct what_if_view *view = what_if_state(screen);
    if (!view->opened)
        return false;
    switch (action) {
    case ACTION_OPEN: what_if_toggle(view, view->list.selected); return true;
    case ACTION_ZOOM_IN: what_if_zoom(view, true); return true;
    case ACTION_ZOOM_OUT: what_if_zoom(view, false); return true;
    case ACTION_FIT: what_if_fit(view); return true;
    case ACTION_LEFT:
    case ACTION_RIGHT: what_if_pan(view, action == ACTION_RIGHT); return true;
    default: return list_act(&view->list, action);
    }
}

/* SPACE and digits choose; a view that is left waits for nothing. */
static bool what_if_key(struct screen *screen, uint32_t key)
{
    struct what_if_view *view = what_if_state(screen);
    if (key == KEY_ESCAPE || action_of_key(key) == ACTION_BACK) {
        if (screen->host->stop_what_if)
            screen->host->stop_what_if(screen->host->context);
        view->pending = false;
        return false;
    }
    if (key >= '1' && key <= '9')
        what_if_toggle(view, (int)(key - '1'));
    else if (key == KEY_SPACE)
        what_if_toggle(view, view->list.selected);
    return key == KEY_SPACE || (key >= '1' && key <= '9');
}

static void what_if_mouse(struct screen *screen, const struct mouse *mouse, struct rect area)
{
    struct what_if_view *view = what_if_state(screen);
    if (view->opened && has_room(area))
        screen_list_mouse(screen, &view->list, mouse, mouse->y - find_parts(view, area).list);
}

static const struct view_key keys[] = {
    {.action = ACTION_FREEZE,
     .hint = "choose",
     .help = "choose the edit, or leave it out; so do ENTER and its digit"},
    {.action = ACTION_DOWN, .hint = "edit"},
    {.action = ACTION_ZOOM_IN, .hint = "fewer steps", .help = "draw fewer steps of the loop; -: more"},
    {.action = ACTION_FIT, .hint = "all", .help = "draw all of the loop"},
    {.action = ACTION_RIGHT, .hint = "later", .name = "h l", .help = "draw later steps; h: earlier ones"},
    {.action = ACTION_NONE},
};

const struct view view_what_if = {
    .title = "What if",
    .flags = VIEW_OF_SESSION,
    .opened_by = ACTION_WHAT_IF,
    .state_bytes = sizeof(struct what_if_view),
    .forget = what_if_forget,
    .update = what_if_update,
    .draw = what_if_draw,
    .work = what_if_work,
    .act = what_if_act,
    .key = what_if_key,
    .mouse = what_if_mouse,
    .keys = keys,
};
