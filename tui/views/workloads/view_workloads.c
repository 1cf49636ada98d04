/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bundled workloads by chapter: what each teaches, its variants and parameters. ENTER runs all variants,
 * e opens the lab of one: variant, parameters, lesson. The list's lines are its rows and, if all workloads
 * are listed and there is room, a line with the chapter's name before the first row of each chapter.
 */
#include "tui/views/workloads/view_workloads.h"
#include "core/base/append.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/frame/workload_search.h"
#include "tui/views/lab.h"
#include "tui/views/workloads/workload_preview.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE_FROM 100 /* cells: with as many the preview is beside the list */
#define NEXT_FROM 160   /* cells beside the list: with as many there are two previews side by side */
#define BELOW_FROM 7    /* lines: with as many the preview is below the list */

#define LIST_LEAST 3     /* lines for the reason why the list is empty */
#define HEADINGS_FROM 10 /* lines of the view: with fewer there are only rows */
#define TITLE_CELLS 57   /* the longest title, and a gap */
#define VERDICT_LEAST 36 /* cells for the variants or the results of their runs, beside the title */
#define MINUTES_FROM 60  /* cells of the list: with as many a row ends with the minutes of its lesson */
#define MINUTES_CELLS 8  /* " 12 min " */
#define GROUNDS_FROM \
    84 /* cells: with as many every second row has a ground, which the eye follows to the minutes */
#define NAME_X 3
#define NAME_WIDTH 19

#define COLUMNS_MAX 3
#define PREVIEW_LEAST 12 /* lines of a preview that is not the first of its column */

struct workload_places {
    struct rect list, left; /* the list, and its frame */
    struct rect below;      /* the preview in the list's frame, if there are no others; empty: no room */
    struct rect columns[COLUMNS_MAX]; /* for previews of the selected workload and of those after it */
    int column_count;
};

/* The list gets room for its titles, then for the variants and the results of their runs. */
static int list_cells(int width)
{
    int whole = 4 + NAME_X + NAME_WIDTH + TITLE_CELLS + MINUTES_CELLS; /* with the frame */
    return width < whole + 80 ? width * 56 / 100 : whole + (width >= 240 ? VERDICT_LEAST : 0);
}

static struct rect inside_of(struct rect frame)
{
    struct rect inside = view_inside(frame);
    return (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height};
}

/* The preview is beside the list on a wide screen, else below it; if there is more room, the next workloads'
 * previews are below and beside it. `lines`: of the list. */
static struct workload_places places_of(struct rect area, int lines)
{
    struct workload_places places = {.left = area};
    struct rect inside = view_inside(area), right = area;
    lines = lines < LIST_LEAST ? LIST_LEAST : lines;
    if (area.width < BESIDE_FROM) {
        int below = inside.height < BELOW_FROM ? 0 : inside.height / 2;
        below = below > 0 && inside.height - lines > below ? inside.height - lines : below;
        places.list = (struct rect){inside.x, inside.y, inside.width, inside.height - below};
        places.below = (struct rect){inside.x + 1, inside.y + places.list.height + 1, inside.width - 2,
                                     below > 0 ? below - 1 : 0};
        return places;
    }
    places.left.width = list_cells(area.width);
    right.x += places.left.width;
    right.width -= places.left.width;
    places.columns[places.column_count++] = right;
    if (inside.height - lines >= BELOW_FROM + 3) {
        places.left.height = lines + 2;
        places.columns[places.column_count++] = (struct rect){
            area.x, area.y + places.left.height, places.left.width, area.height - places.left.height};
    }
    if (right.width >= NEXT_FROM) {
        int width = right.width / 3;
        places.columns[0].width -= width;
        places.columns[places.column_count++] =
            (struct rect){right.x + right.width - width, area.y, width, area.height};
    }
    places.list = view_inside(places.left);
    return places;
}

static const struct tui_workload *workload_in_list(const struct screen *screen, int row)
{
    return &screen->host->workloads[workloads_state(screen)->shown[row].workload];
}

static bool begins_chapter(const struct screen *screen, int row)
{
    return row == 0 ||
           strcmp(workload_in_list(screen, row - 1)->chapter, workload_in_list(screen, row)->chapter) != 0;
}

/* The line of a row, counted from the start of the list; for the row after the last one, the number of lines.
 */
static int line_of_row(const struct screen *screen, int row)
{
    const struct workload_list *workloads = workloads_state(screen);
    int line = row;
    for (int i = 0; i <= row && i < workloads->list.count && workloads->headings; i++)
        line += begins_chapter(screen, i);
    return line;
}

/* Scrolls so that the selected row is on the screen, and its chapter's name too if the row is the first of
 * the chapter. */
static void scroll_lines(struct screen *screen)
{
    struct workload_list *workloads = workloads_state(screen);
    int selected = workloads->list.selected, height = workloads->list.height;
    int line = line_of_row(screen, selected), last = line_of_row(screen, workloads->list.count) - height;
    int first = selected > 0 ? line_of_row(screen, selected - 1) + 1 : 0;
    if (workloads->top > first)
        workloads->top = first;
    if (workloads->top < line - height + 1)
        workloads->top = line - height + 1;
    if (workloads->top > last)
        workloads->top = last < 0 ? 0 : last;
}

static const struct tui_workload *selected_workload(const struct screen *screen)
{
    const struct list *list = &workloads_state(screen)->list;
    return list->count > 0 ? workload_in_list(screen, list->selected) : NULL;
}

/* The workload that is `by` rows after it; NULL: there is none. */
static const struct tui_workload *next_workload(const struct screen *screen, int by)
{
    const struct list *list = &workloads_state(screen)->list;
    return list->selected + by < list->count ? workload_in_list(screen, list->selected + by) : NULL;
}

/* Lists the workloads that match the filter, the best first. The best one is selected; without a filter the
 * selection stays. */
static void search_workloads(struct screen *screen)
{
    struct workload_list *workloads = workloads_state(screen);
    const struct tui_workload *all = screen->host->workloads, *before = selected_workload(screen);
    char hit[2];
    int shown = 0, selected = 0;
    for (enum workload_match match = MATCH_NONE + 1; match < MATCH_COUNT; match++)
        for (size_t i = 0; i < screen->host->workload_count; i++)
            if (workload_search(&all[i], workloads->filter, hit, sizeof hit) == match)
                workloads->shown[shown++] = (struct workload_found){i, match};
    for (int i = 0; i < shown && workloads->filter[0] == '\0'; i++)
        if (&all[workloads->shown[i].workload] == before)
            selected = i;
    workloads->list.count = shown;
    list_select(&workloads->list, selected);
    memcpy(workloads->looked_for, workloads->filter, sizeof workloads->looked_for);
    workloads->searched = true;
}

/* The lines of the i-th preview, without its frame, in a column. */
static int preview_lines(const struct screen *screen, struct rect inside, int i)
{
    const struct workload_list *workloads = workloads_state(screen);
    struct canvas canvas = {0};
    if (canvas_init(&canvas, inside.width, inside.height, false, NULL) != STATUS_OK)
        return inside.height;
    int lines = workload_preview_draw(screen, &canvas, (struct rect){0, 0, inside.width, inside.height},
                                      &workloads->states, &workloads->pictures[i], next_workload(screen, i),
                                      i == 0 ? screen->host->note : NULL);
    canvas_fini(&canvas);
    return lines;
}

/* Places previews below each other: each has the lines that it needs, the last one what is left. */
static void fill_column(struct screen *screen, struct rect column)
{
    struct workload_list *workloads = workloads_state(screen);
    while (column.height > 0 && workloads->frame_count < WORKLOAD_PREVIEWS_MAX) {
        int i = workloads->frame_count++;
        workloads->frames[i] = column;
        workload_pictures_make(screen, &workloads->pictures[i], next_workload(screen, i), NULL);
        if (!next_workload(screen, i + 1) || column.height < 2 * PREVIEW_LEAST)
            return;
        int lines = preview_lines(screen, inside_of(column), i) + 2;
        if (column.height - lines < PREVIEW_LEAST)
            return;
        workloads->frames[i].height = lines;
        column.y += lines;
        column.height -= lines;
    }
}

static void workloads_update(struct screen *screen, struct rect area)
{
    struct workload_list *workloads = workloads_state(screen);
    if (!array_grow(workloads->shown, workloads->capacity, screen->host->workload_count, 1))
        return;
    if (!workloads->searched || strcmp(workloads->filter, workloads->looked_for) != 0)
        search_workloads(screen);
    int count = workloads->list.count;
    workloads->headings = workloads->filter[0] == '\0' && view_inside(area).height >= HEADINGS_FROM;
    struct workload_places places = places_of(area, line_of_row(screen, count));
    list_update(&workloads->list, count, places.list.height);
    scroll_lines(screen);
    workload_states_update(screen, &workloads->states);
    workloads->frame_count = 0;
    for (int c = 0; c < places.column_count; c++)
        fill_column(screen, places.columns[c]);
}

static bool work_on_states(struct screen *screen)
{
    return workload_states_work(screen, &workloads_state(screen)->states);
}

/* Draws the minutes at the end of a line if they fit behind `taken` cells; of a chapter also the number of
 * its workloads, if that fits, too. */
static void draw_minutes(struct canvas *canvas, struct rect line, int taken, unsigned minutes, int rows,
                         const char *noun, uint8_t ground)
{
    char text[64];
    int cells = snprintf(text, sizeof text, "%d %s, %u min", rows, noun, minutes);
    if (rows == 0 || taken + cells + 2 >= line.width)
        cells = snprintf(text, sizeof text, "%u min", minutes);
    if (minutes > 0 && taken + cells + 2 < line.width)
        canvas_text(canvas, line.x + line.width - cells - 1, line.y, cells, STYLE(COLOR_DIM, ground, 0),
                    text);
}

/* Draws the name of a row's chapter, and the minutes of its lessons. */
static void draw_heading(const struct screen *screen, struct canvas *canvas, struct rect line, int row)
{
    const struct tui_workload *workload = workload_in_list(screen, row);
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    unsigned minutes = workload->minutes;
    int count = 1,
        taken = canvas_printf(canvas, line.x + 1, line.y, line.width - 1, style, "%s  ", workload->chapter);
    taken += canvas_text(canvas, line.x + 1 + taken, line.y, line.width - 1 - taken, style,
                         workload->chapter_name);
    for (int i = row + 1; i < workloads_state(screen)->list.count && !begins_chapter(screen, i); i++, count++)
        minutes += workload_in_list(screen, i)->minutes;
    draw_minutes(canvas, line, taken + 1, minutes, count > 1 ? count : 0,
                 workload->exercise ? "exercises" : "workloads", COLOR_NONE);
}

/* Draws a mark for the results of its runs, if known. */
static void draw_mark(const struct screen *screen, struct canvas *canvas, int x, int y, int row,
                      uint8_t ground)
{
    const struct workload_list *workloads = workloads_state(screen);
    const struct workload_state *state =
        workload_state_of(&workloads->states, workloads->shown[row].workload);
    if (!state)
        return;
    if (state->running > 0)
        canvas_glyph(canvas, x, y, GLYPH_RUNNING, STYLE(COLOR_FOCUS, ground, 0));
    else if (state->wrong > 0)
        canvas_glyph(canvas, x, y, GLYPH_FAILED, STYLE(COLOR_BAD, ground, ATTRIBUTE_BOLD));
    else if (state->verified < state->runs)
        canvas_glyph(canvas, x, y, GLYPH_SEPARATOR, STYLE(COLOR_DIM, ground, ATTRIBUTE_BOLD));
    else
        canvas_glyph(canvas, x, y, GLYPH_VERIFIED, STYLE(COLOR_GOOD, ground, ATTRIBUTE_BOLD));
}

/* Prints the names of the variants, as many as there is room for: "copy, naive, 3 more"; of an exercise its
 * case. */
static void print_variants(const struct tui_workload *workload, int cells, char *text, size_t size_bytes)
{
    char names[200];
    size_t used = 0, count = workload->variant_count;
    if (workload->exercise)
        text_cut(workload->exercise->spec, cells, text, size_bytes);
    for (size_t i = 0; i < count; i++) {
        char more[32] = "";
        append_text(names, sizeof names, &used, i > 0 ? ", %s" : "%s", workload->variants[i].name);
        if (i + 1 < count)
            snprintf(more, sizeof more, ", %zu more", count - i - 1);
        if (text_width(names, cells + 1) + (int)strlen(more) > cells)
            break;
        snprintf(text, size_bytes, "%s%s", names, more);
    }
}

/* Draws the title and, in a search, the text that it found elsewhere. */
static void draw_title(const struct screen *screen, struct canvas *canvas, struct rect cells, int row,
                       struct style style)
{
    const struct workload_list *workloads = workloads_state(screen);
    const struct tui_workload *workload = workload_in_list(screen, row);
    struct style strong = style;
    char hit[400] = "";
    strong.foreground = COLOR_FOCUS;
    if (workloads->filter[0] != '\0')
        workload_search(workload, workloads->filter, hit, sizeof hit);
    if (workloads->shown[row].match == MATCH_LESSON) {
        int taken = canvas_text(canvas, cells.x, cells.y, cells.width, style, "lesson: ");
        canvas_text(canvas, cells.x + taken, cells.y, cells.width - taken, strong, hit);
        return;
    }
    int wide = hit[0] != '\0' ? text_width(hit, cells.width / 2) + 2 : 0;
    char title[120];
    /* Its heading, "exercises", is not among what a search found. */
    int kind = workload->exercise && workloads->filter[0] != '\0'
                   ? canvas_text(canvas, cells.x, cells.y, cells.width - wide, style, "exercise: ")
                   : 0;
    text_clauses(workload->title, cells.width - wide - kind, title,
                 sizeof title); /* the preview has all of it */
    int taken = kind + canvas_text(canvas, cells.x + kind, cells.y, cells.width - wide - kind, style, title);
    canvas_text(canvas, cells.x + taken + 2, cells.y, cells.width - taken - 2, strong, hit);
}

static void draw_row(const struct screen *screen, struct canvas *canvas, struct rect line, int row)
{
    const struct workload_list *workloads = workloads_state(screen);
    const struct tui_workload *workload = workload_in_list(screen, row);
    bool selected = row == workloads->list.selected;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    if (selected) {
        canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
        canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD));
    }
    canvas_text(canvas, line.x + NAME_X, line.y, NAME_WIDTH - 1,
                STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0),
                workload->exercise ? workload->exercise->name : workload->name);
    draw_mark(screen, canvas, line.x + 1, line.y, row, ground);
    int kept = line.width >= MINUTES_FROM && workloads->filter[0] == '\0' ? MINUTES_CELLS : 0;
    struct rect title = {line.x + NAME_X + NAME_WIDTH, line.y, line.width - NAME_X - NAME_WIDTH - kept, 1},
                verdict = title;
    if (title.width >= TITLE_CELLS + VERDICT_LEAST) { /* side by side, else in its place */
        title.width = TITLE_CELLS - 2;
        verdict.x += TITLE_CELLS;
        verdict.width -= TITLE_CELLS;
    }
    char text[300] = "";
    if (workloads->filter[0] == '\0' || verdict.x > title.x)
        workload_state_print(screen, &workloads->states, workloads->shown[row].workload, verdict.width, text,
                             sizeof text);
    if (text[0] == '\0' || verdict.x > title.x)
        draw_title(screen, canvas, title, row, STYLE(selected ? COLOR_TEXT : COLOR_DIM, ground, 0));
    bool has_run = text[0] != '\0';
    if (!has_run && verdict.x > title.x)
        print_variants(workload, verdict.width, text, sizeof text);
    canvas_text(canvas, verdict.x, verdict.y, verdict.width,
                STYLE(has_run || selected ? COLOR_TEXT : COLOR_DIM, ground, 0), text);
    if (kept > 0)
        draw_minutes(canvas, line, 0, workload->minutes, 0, "", ground);
}

static void draw_list(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct workload_list *workloads = workloads_state(screen);
    int line = -workloads->top;
    for (int row = 0; row < workloads->list.count && line < area.height; row++) {
        if (workloads->headings && begins_chapter(screen, row)) {
            if (line >= 0)
                draw_heading(screen, canvas, (struct rect){area.x, area.y + line, area.width, 1}, row);
            line++;
        }
        if (line >= 0 && line < area.height)
            draw_row(screen, canvas, (struct rect){area.x, area.y + line, area.width, 1}, row);
        if (line >= 0 && line < area.height && row % 2 == 1 && area.width >= GROUNDS_FROM)
            canvas_ground(canvas, (struct rect){area.x, area.y + line, area.width, 1}, COLOR_TRACK);
        line++;
    }
}

/* Draws why the list is empty, and what to do. */
static void draw_nothing(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct workload_list *workloads = workloads_state(screen);
    char text[700], word[80];
    const struct tui_workload *near = workload_search_nearest(
        screen->host->workloads, screen->host->workload_count, workloads->filter, word, sizeof word);
    struct rect lines = {area.x + 1, area.y, area.width - 2, area.height};
    if (screen->host->workload_count == 0) {
        canvas_wrap(canvas, lines, STYLE(COLOR_DIM, COLOR_NONE, 0), "This session has no workloads to run.");
        return;
    }
    snprintf(text, sizeof text, "No workload has '%s' in its name, title, other names or lesson.",
             workloads->filter);
    int taken = canvas_wrap(canvas, lines, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
    lines.y += taken;
    lines.height -= taken;
    if (near)
        snprintf(text, sizeof text, "Did you mean '%s' (%s)? ESC shows all workloads, / searches again.",
                 word, near->name);
    canvas_wrap(canvas, lines, STYLE(COLOR_FOCUS, COLOR_NONE, 0),
                near ? text : "ESC shows all workloads, / searches again.");
}

/* How many workloads are above and below those on screen. */
static void draw_more_rows(const struct screen *screen, struct canvas *canvas,
                           const struct workload_places *places)
{
    const struct workload_list *workloads = workloads_state(screen);
    int above = 0, below = 0;
    for (int row = 0; row < workloads->list.count; row++) {
        int line = line_of_row(screen, row) - workloads->top;
        above += line < 0;
        below += line >= places->list.height;
    }
    struct rect frame = places->left;
    if (places->below.height > 0) /* the line between list and preview */
        frame.height = places->below.y - frame.y;
    view_frame_rows(canvas, frame, above, below);
}

static void workloads_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct workload_list *workloads = workloads_state(screen);
    char title[400];
    const char *hint = screen->host->run ? "ENTER runs all variants, e opens the lab" : "e shows the lesson";
    snprintf(title, sizeof title, "Workloads  %d%s%.200s    %s%s", workloads->list.count,
             workloads->filter[0] != '\0' ? "  search: " : "", workloads->filter,
             session_run_count(screen->session) > 0 ? "q shows the runs, " : "", hint);
    struct workload_places places = places_of(area, line_of_row(screen, workloads->list.count));
    struct rect inside = view_frame(canvas, places.left, title, focus);
    if (workloads->list.count == 0)
        draw_nothing(screen, canvas, places.list);
    draw_list(screen, canvas, places.list);
    for (int x = 0; x < inside.width && places.below.height > 0; x++)
        canvas_glyph(canvas, inside.x + x, places.below.y - 1, GLYPH_HORIZONTAL,
                     STYLE(COLOR_FRAME, COLOR_NONE, 0));
    draw_more_rows(screen, canvas, &places);
    if (workloads->frame_count == 0 && workloads->list.count > 0)
        workload_preview_draw(screen, canvas, places.below, &workloads->states, &workloads->pictures[0],
                              next_workload(screen, 0), screen->host->note);
    for (int i = 0; i < workloads->frame_count; i++) {
        const struct tui_workload *workload = next_workload(screen, i);
        if (i > 0 && !workload)
            continue;
        snprintf(title, sizeof title, "%s%s", i > 0 ? "next: " : "", workload ? workload->name : "");
        view_frame(canvas, workloads->frames[i], title, false);
        if (workload)
            workload_preview_draw(screen, canvas, inside_of(workloads->frames[i]), &workloads->states,
                                  &workloads->pictures[i], workload, i == 0 ? screen->host->note : NULL);
    }
}

/* Selects the first workload of the next or previous chapter, wrapping around. */
static void turn_chapter(struct screen *screen, int by)
{
    struct list *list = &workloads_state(screen)->list;
    int row = list->selected;
    do
        row = (row + by + list->count) % list->count;
    while (row != list->selected && !begins_chapter(screen, row));
    list_select(list, row);
}

static bool workloads_act(struct screen *screen, enum action action)
{
    struct workload_list *workloads = workloads_state(screen);
    const struct tui_workload *workload = selected_workload(screen);
    switch (action) {
    case ACTION_NEXT_PANE:
    case ACTION_PREVIOUS_PANE:
        if (workload)
            turn_chapter(screen, action == ACTION_NEXT_PANE ? 1 : -1);
        return true;
    case ACTION_OPEN:
        if (workload && workload->exercise)
            lab_open(screen, (size_t)(workload - screen->host->workloads));
        else if (workload)
            screen_run(screen, workload->name);
        return true;
    case ACTION_EDIT:
        if (workload)
            lab_open(screen, (size_t)(workload - screen->host->workloads));
        return true;
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Search:"); return true;
    default: return list_act(&workloads->list, action);
    }
}

static void workloads_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct workload_list *workloads = workloads_state(screen);
    struct rect list = places_of(area, line_of_row(screen, workloads->list.count)).list;
    int line = event->y - list.y + workloads->top, row = 0;
    while (row < workloads->list.count && line_of_row(screen, row) != line)
        row++;
    bool hits = row < workloads->list.count && rect_holds(list, event->x, event->y);
    screen_list_mouse(screen, &workloads->list, event, hits ? row - workloads->list.top : -1);
}

static void forget_states(struct screen *screen)
{
    workload_states_fini(&workloads_state(screen)->states);
}

static void free_list(struct screen *screen)
{
    free(workloads_state(screen)->shown);
}

/* Does the session begin with this view? Yes if workloads can be run, and none was requested. */
static bool begins_session(const struct screen *screen)
{
    return screen->host->workload_count > 0 && !screen->state.live &&
           session_run_count(screen->session) == 0 && screen->host->run;
}

static void open_workloads(struct screen *screen)
{
    if (screen->host->workload_count > 0)
        screen_open(screen, VIEW_WORKLOADS);
    else
        screen_message(screen, SEVERITY_INFO,
                       "This session has no workloads to run: it shows a recording or a program.");
}

static char *filter_text(const struct screen *screen)
{
    return workloads_state(screen)->filter;
}

/* The next key may come before the next frame, so the list is updated now. */
static void show_filtered(struct screen *screen)
{
    workloads_update(screen, screen->layout.body);
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct tui_workload *workload = selected_workload(screen);
    subject->workload = workload ? workload->name : NULL;
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
    {.action = ACTION_OWN, .hint = "edit its kernels"},
    {.action = ACTION_FILTER,
     .hint = "search",
     .help = "search names, titles, other words for them, lessons"},
    {.action = ACTION_NEXT_PANE, .hint = "chapter", .help = "to the next chapter"},
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
    .forget = forget_states,
    .fini = free_list,
    .work = work_on_states,
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
