/* SPDX-License-Identifier: Apache-2.0 */
/* What all views have in common that have a table: the table's state is the view's. */
#include "tui/frame/screen.h"
#include "tui/widgets/sheet_table.h"

#include <stdio.h>

void view_table_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                     const struct sheet_table *table, const char *title, bool focus)
{
    char text[FILTER_SIZE + 300];
    snprintf(text, sizeof text, "%.250s%s%s", title, table->filter[0] != '\0' ? "  filter: " : "",
             table->filter);
    view_frame(canvas, area, text, focus);
    sheet_table_draw(table, canvas, screen->naming.names, focus);
    if (!table->whole)
        view_frame_list(canvas, area, &table->list);
}

static void copy_cell(struct screen *screen, const struct sheet_table *table)
{
    char text[sizeof screen->copied];
    if (!sheet_table_cell(table, screen->naming.names, text, sizeof text)) {
        screen_message(screen, SEVERITY_INFO, "No row is selected.");
        return;
    }
    if (!screen->present.pressing) /* the keys of a lesson leave the clipboard alone */
        snprintf(screen->copied, sizeof screen->copied, "%s", text);
    screen_message(screen, SEVERITY_INFO, "Copied, if the terminal allows it: %s", text);
}

bool view_table_act(struct screen *screen, const struct view *view, enum action action)
{
    struct sheet_table *table = view->table ? view->table(screen) : NULL;
    if (!table)
        return false;
    switch (action) {
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Filter:"); return true;
    case ACTION_SCALE: copy_cell(screen, table); return true;
    default: return sheet_table_act(table, action);
    }
}

void view_table_mouse(struct screen *screen, const struct view *view, const struct mouse *mouse)
{
    int line;
    if (!view->table)
        return;
    sheet_table_mouse(view->table(screen), mouse, &line);
    screen_list_mouse(screen, sheet_table_list(view->table(screen)), mouse, line);
}

char *view_filter(const struct screen *screen, const struct view *view)
{
    return view->filter ? view->filter(screen) : view->table ? view->table(screen)->filter : NULL;
}
