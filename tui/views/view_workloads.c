/*
 * The bundled workloads by chapter: what each teaches, its variants and parameters. ENTER runs all variants,
 * e opens the lab of one: variant, parameters, lesson.
 */
#include "tui/views/view_workloads.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/views/lab.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 1000
#define NOTE_FROM 12 /* lines: with fewer they are the list's */

static bool passes_filter(const struct tui_workload *workload, const char *filter)
{
    char variants[LINE_BYTES];
    workload_variants_line(workload, variants, sizeof variants);
    return filter[0] == '\0' || strcasestr(workload->name, filter) != NULL ||
           strcasestr(workload->title, filter) != NULL || strcasestr(workload->chapter, filter) != NULL ||
           strcasestr(variants, filter) != NULL;
}

/* What the selected workload teaches takes two lines where one is too short for most. */
static int meaning_lines(struct rect inside)
{
    return inside.height >= 14 && inside.width < 150 ? 2 : 1;
}

static bool has_note(const struct screen *screen, struct rect inside)
{
    return screen->host->note != NULL && inside.height >= NOTE_FROM;
}

/* Lines below the list: the selected workload's, and what the host says of all of them. */
static int detail_lines(const struct screen *screen, struct rect inside)
{
    return inside.height < 7 ? 0 : meaning_lines(inside) + (has_note(screen, inside) ? 5 : 3);
}

/* A filter is mostly the name of the one that is wanted, or how it begins. */
static void select_named(struct screen *screen)
{
    struct workload_list *workloads = workloads_state(screen);
    size_t length = strlen(workloads->filter);
    int found = 0;
    for (int i = workloads->list.count; i-- > 0;) {
        const char *name = screen->host->workloads[workloads->shown[i]].name;
        if (strncasecmp(name, workloads->filter, length) == 0)
            found = i;
    }
    list_select(&workloads->list, found);
}

static void workloads_update(struct screen *screen, struct rect area)
{
    struct workload_list *workloads = workloads_state(screen);
    size_t count = screen->host->workload_count;
    int shown = 0;
    if (!array_grow(workloads->shown, workloads->capacity, count, 1))
        return;
    for (size_t i = 0; i < count; i++)
        if (passes_filter(&screen->host->workloads[i], workloads->filter))
            workloads->shown[shown++] = i;
    struct rect inside = view_inside(area);
    list_update(&workloads->list, shown, inside.height - detail_lines(screen, inside));
    if (strcmp(workloads->filter, workloads->looked_for) != 0) {
        if (workloads->filter[0] != '\0')
            select_named(screen);
        memcpy(workloads->looked_for, workloads->filter, sizeof workloads->looked_for);
    }
}

static const struct tui_workload *selected_workload(const struct screen *screen)
{
    const struct workload_list *workloads = workloads_state(screen);
    if (workloads->list.count == 0)
        return NULL;
    return &screen->host->workloads[workloads->shown[workloads->list.selected]];
}

static void draw_detail(const struct screen *screen, struct canvas *canvas, struct rect lines, int meaning,
                        bool note)
{
    const struct tui_workload *workload = selected_workload(screen);
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0), text = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    char line[LINE_BYTES];
    if (workload == NULL)
        return;
    for (int x = 0; x < lines.width; x++)
        canvas_glyph(canvas, lines.x + x, lines.y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    canvas_wrap(canvas, (struct rect){lines.x + 1, lines.y + 1, lines.width - 2, meaning},
                STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), workload->meaning);
    int y = lines.y + 1 + meaning;
    workload_variants_line(workload, line, sizeof line);
    int taken = canvas_text(canvas, lines.x + 1, y, lines.width - 2, dim, "variants    ");
    canvas_text(canvas, lines.x + 1 + taken, y++, lines.width - 2 - taken, text, line);
    workload_params_line(workload, line, sizeof line);
    taken = canvas_text(canvas, lines.x + 1, y, lines.width - 2, dim, "parameters  ");
    canvas_text(canvas, lines.x + 1 + taken, y++, lines.width - 2 - taken, text,
                line[0] != '\0' ? line : "none");
    if (note)
        canvas_wrap(canvas, (struct rect){lines.x + 1, y, lines.width - 2, 2},
                    STYLE(COLOR_FOCUS, COLOR_NONE, 0), screen->host->note);
}

static void workloads_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct workload_list *workloads = workloads_state(screen);
    char title[400];
    const char *hint =
        screen->host->run != NULL ? "ENTER runs all variants, e opens the lab" : "e shows the lesson";
    snprintf(title, sizeof title, "Workloads  %d    %s%s%s%.200s", workloads->list.count, hint,
             session_run_count(screen->session) > 0 ? ", q shows the runs" : "",
             workloads->filter[0] != '\0' ? "  filter: " : "", workloads->filter);
    struct rect inside = view_frame(canvas, area, title, focus);
    if (workloads->list.count == 0)
        canvas_text(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    screen->host->workload_count == 0
                        ? "This session has no workloads to run."
                        : "No workload passes the filter. Press / to change it.");
    int detail = detail_lines(screen, inside), rows = inside.height - detail;
    for (int line = 0; line < rows && workloads->list.top + line < workloads->list.count; line++) {
        int index = workloads->list.top + line;
        const struct tui_workload *workload = &screen->host->workloads[workloads->shown[index]];
        bool selected = index == workloads->list.selected;
        uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
        bool first = line == 0 || strcmp(workload->chapter,
                                         screen->host->workloads[workloads->shown[index - 1]].chapter) != 0;
        struct rect at = {inside.x, inside.y + line, inside.width, 1};
        if (selected) {
            canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
            canvas_glyph(canvas, at.x, at.y, GLYPH_SELECTED, STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD));
        }
        canvas_text(canvas, at.x + 1, at.y, 3, STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD),
                    first ? workload->chapter : "");
        canvas_text(canvas, at.x + 5, at.y, 20,
                    STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0),
                    workload->name);
        canvas_text(canvas, at.x + 26, at.y, at.width - 27,
                    STYLE(selected ? COLOR_TEXT : COLOR_DIM, ground, 0), workload->title);
    }
    if (detail > 0)
        draw_detail(screen, canvas, (struct rect){inside.x, inside.y + rows, inside.width, detail},
                    meaning_lines(inside), has_note(screen, inside));
}

static bool workloads_act(struct screen *screen, enum action action)
{
    struct workload_list *workloads = workloads_state(screen);
    const struct tui_workload *workload = selected_workload(screen);
    switch (action) {
    case ACTION_OPEN:
        if (workload != NULL)
            screen_run(screen, workload->name);
        return true;
    case ACTION_EDIT:
        if (workload != NULL)
            lab_open(screen, (size_t)(workload - screen->host->workloads));
        return true;
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Filter:"); return true;
    default: return list_act(&workloads->list, action);
    }
}

static void workloads_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    screen_list_mouse(screen, &workloads_state(screen)->list, event, event->y - view_inside(area).y);
}

static void free_list(struct screen *screen)
{
    free(workloads_state(screen)->shown);
}

/* Where something can be run, and nothing has been asked for. */
static bool begins_session(const struct screen *screen)
{
    return screen->host->workload_count > 0 && !screen->state.live &&
           session_run_count(screen->session) == 0 && screen->host->run != NULL;
}

static void open_workloads(struct screen *screen)
{
    if (screen->host->workload_count > 0)
        screen_open(screen, VIEW_WORKLOADS);
    else
        screen_message(screen, SEVERITY_INFO,
                       "This session has no workloads to run: it shows a recording or a program.");
}

static char *filter_text(struct screen *screen)
{
    return workloads_state(screen)->filter;
}

/* The next key may come before the next frame. */
static void show_filtered(struct screen *screen)
{
    workloads_update(screen, screen->layout.body);
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct tui_workload *workload = selected_workload(screen);
    subject->workload = workload != NULL ? workload->name : NULL;
}

static const char *why_it_stays(const struct screen *screen)
{
    return session_run_count(screen->session) == 0 && !screen->state.live
               ? "Nothing has run yet: ENTER runs the workload, e opens its lab, q quits."
               : NULL;
}

static bool can_run(const struct screen *screen)
{
    return screen->host->run != NULL;
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "run", .when = can_run, .help = "run all of its variants"},
    {.action = ACTION_EDIT},
    {.action = ACTION_FILTER},
    {.action = ACTION_LANES},
    {.action = ACTION_RUNS},
    {.action = ACTION_PLOT},
    {.action = ACTION_KEEP},
    {.action = ACTION_NONE},
};

const struct view view_workloads = {
    .title = "Workloads",
    .opened_by = ACTION_WORKLOADS,
    .state_bytes = sizeof(struct workload_list),
    .fini = free_list,
    .begins = begins_session,
    .update = workloads_update,
    .draw = workloads_draw,
    .open = open_workloads,
    .act = workloads_act,
    .mouse = workloads_mouse,
    .filter = filter_text,
    .filtered = show_filtered,
    .subject = take_subject,
    .stays = why_it_stays,
    .keys = keys,
};
