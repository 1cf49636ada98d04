/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any sheet of the session as a table; the finder opens it by its name. The host makes the rows beside the
 * screen; the view asks for them when it is opened, and while the session grows again, the rarer the longer
 * they took.
 */
#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

#include "core/base/clock.h"

#include <stdio.h>

#define AGAIN_MS 1000           /* least time between two tables while the session grows */
#define AGAIN_TIMES 4           /* of the time that the last one took */
#define WORK_NS (5 * NS_PER_MS) /* between two looks whether the rows are there */

struct sheet_view {
    const struct sheet *sheet;
    struct sheet_table table;
    bool making, made;
    uint64_t made_of; /* how much there was in the session */
    int64_t asked_ms, made_ms;
    char why[400]; /* why there are no rows; "": there are */
};

static struct sheet_view *sheet_state(const struct screen *screen)
{
    return screen->view_state[VIEW_SHEET];
}

static uint64_t size_of(const struct session *session)
{
    return session_event_count(session) + session_run_count(session) + session_kernel_count(session) +
           session_measurement_count(session) + session_notice_count(session) +
           session_instruction_count(session) + session_stall_count(session);
}

static void ask_rows(struct screen *screen)
{
    struct sheet_view *view = sheet_state(screen);
    struct sheet_kept kept = {0};
    struct error error = {0};
    bool made = false;
    enum status status = screen->host->sheet_rows(screen->host->context, view->sheet, &kept, &made, &error);
    view->making = status == STATUS_OK && !made;
    if (view->making)
        return;
    view->made_ms = screen->clock_ms;
    view->made = true;
    snprintf(view->why, sizeof view->why, "%.*s", (int)sizeof view->why - 1,
             status == STATUS_OK ? "" : error.text);
    if (status == STATUS_OK)
        sheet_table_take(&view->table, &kept);
}

static bool is_due(const struct screen *screen)
{
    const struct sheet_view *view = sheet_state(screen);
    int64_t pause_ms = AGAIN_TIMES * (view->made_ms - view->asked_ms);
    if (!view->sheet || view->making || screen->state.loading)
        return false;
    return !view->made || (!screen->frozen && size_of(screen->session) != view->made_of &&
                           screen->clock_ms - view->made_ms >= (pause_ms > AGAIN_MS ? pause_ms : AGAIN_MS));
}

static void sheet_update(struct screen *screen, struct rect area)
{
    struct sheet_view *view = sheet_state(screen);
    if (is_due(screen)) {
        view->made_of = size_of(screen->session);
        view->asked_ms = screen->clock_ms;
        ask_rows(screen);
    }
    sheet_table_update(&view->table, view_inside(area));
}

static bool sheet_work(struct screen *screen)
{
    if (!sheet_state(screen)->making)
        return false;
    clock_pause(WORK_NS);
    ask_rows(screen);
    return true;
}

static void sheet_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct sheet_view *view = sheet_state(screen);
    const char *name = view->sheet ? view->sheet->title : "Tables";
    char title[200];
    if (view->made && view->why[0] == '\0') {
        snprintf(title, sizeof title, "%.120s  %s row%s", name,
                 number_exact((int64_t)view->table.shown_rows).text, view->table.shown_rows == 1 ? "" : "s");
        view_table_draw(screen, canvas, area, &view->table, title, focus);
        return;
    }
    struct rect inside = view_frame(canvas, area, name, focus);
    canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                STYLE(COLOR_DIM, COLOR_NONE, 0),
                view->why[0] != '\0'    ? view->why
                : !view->sheet          ? ": and the name of a table opens it."
                : screen->state.loading ? "The table is made when the recording is loaded."
                                        : "Making the table...");
}

static void forget_sheet(struct screen *screen)
{
    struct sheet_view *view = sheet_state(screen);
    const struct sheet *sheet = view->sheet;
    if (screen->host->stop_sheet)
        screen->host->stop_sheet(screen->host->context);
    sheet_table_fini(&view->table);
    *view = (struct sheet_view){.sheet = sheet};
}

static void show_sheet(struct screen *screen, uint32_t index)
{
    struct sheet_view *view = sheet_state(screen);
    const struct sheet *sheet = screen->host->sheet_at(index);
    if (view->sheet != sheet) {
        forget_sheet(screen);
        view->sheet = sheet;
    }
    screen_open(screen, VIEW_SHEET);
}

/* Nobody waits for rows of a view that is closed. */
static bool sheet_key(struct screen *screen, uint32_t key)
{
    struct sheet_view *view = sheet_state(screen);
    if (view->making && (key == KEY_ESCAPE || action_of_key(key) == ACTION_BACK)) {
        if (screen->host->stop_sheet)
            screen->host->stop_sheet(screen->host->context);
        view->making = false;
        view->made_of = 0;
    }
    return false;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &sheet_state(screen)->table;
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "whole row", .help = "the row whole: every column, and what it means"},
    {.action = ACTION_LEFT,
     .hint = "column",
     .name = "h l",
     .help = "choose a column; it is shown at any width"},
    {.action = ACTION_SORT, .help = "sort by the chosen column, or again as the table came"},
    {.action = ACTION_REVERSE},
    {.action = ACTION_FILTER, .help = "only rows with this text"},
    {.action = ACTION_FOLD, .help = "fold or unfold the group, or without groups equal rows"},
    {.action = ACTION_SCALE, .hint = "copy", .help = "copy the chosen cell to the terminal's clipboard"},
    {.action = ACTION_NONE},
};

const struct view view_sheet = {
    .title = "Table",
    .state_bytes = sizeof(struct sheet_view),
    .forget = forget_sheet,
    .update = sheet_update,
    .draw = sheet_draw,
    .work = sheet_work,
    .key = sheet_key,
    .table = table_of,
    .show = {[ITEM_SHEET] = show_sheet},
    .keys = keys,
};
