/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the source page: a row per line or instruction (source_rows.c), the columns that fit, and a list that moves over the rows. Texts are the session's or the host's and are not
 * copied.
 */
#include "tui/frame/screen.h"
#include "tui/views/lab.h"
#include "tui/views/source/source.h"

#include "core/analysis/code_costs.h"
#include "tui/terminal/text.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

/*
 * Chooses the columns beside the source. They are tried in the order of `telling` until the width is used up,
 * and then shown in the order of `standing`.
 */

#define TEXT_CELLS 47      /* cells kept free for line number and text */
#define TEXT_CELLS_BOTH 72 /* the same if the columns of both sides are shown */
#define COUNT_CELLS 8
#define REASON_CELLS 19
#define REASON_CELLS_BOTH 38 /* with ncu's name beside ours */

enum kind { KIND_COST, KIND_REASON, KIND_SHARE };

/* The columns by importance; and in the order in which they are shown. */
static const enum code_cost telling[] = {
    CODE_SAMPLES,       CODE_SECTORS,          CODE_PASSES,        CODE_INSTRUCTIONS,    CODE_WAVEFRONTS,
    CODE_IDEAL_SECTORS, CODE_IDEAL_WAVEFRONTS, CODE_LOCAL_SECTORS, CODE_TEXTURE_SECTORS, CODE_DIVERGENT};
static const enum code_cost standing[] = {
    CODE_SAMPLES,    CODE_INSTRUCTIONS,     CODE_SECTORS,       CODE_IDEAL_SECTORS,   CODE_PASSES,
    CODE_WAVEFRONTS, CODE_IDEAL_WAVEFRONTS, CODE_LOCAL_SECTORS, CODE_TEXTURE_SECTORS, CODE_DIVERGENT};
#define COSTS (sizeof telling / sizeof telling[0])

/* Rare costs have a column only if they are not all 0. */
static bool is_worth(const struct code_listing *listing, enum code_cost cost)
{
    bool rare = cost == CODE_LOCAL_SECTORS || cost == CODE_TEXTURE_SECTORS || cost == CODE_DIVERGENT ||
                cost == CODE_PASSES;
    return listing->has[cost] && (!rare || listing->totals[cost] > 0);
}

static void add_column(struct source_columns *columns, enum kind kind, enum provenance side,
                       enum code_cost cost, int width)
{
    columns->columns[columns->count++] = (struct source_column){
        .kind = (uint8_t)kind, .side = (uint8_t)side, .cost = (uint8_t)cost, .width = (uint8_t)width};
    columns->width += width;
}

/* Are there more wavefronts than the ideal, and by a larger ratio than for sectors? A narrow screen then
 * shows the wavefronts. */
static bool is_about_banks(const struct code_listing *listing)
{
    const double *totals = listing->totals;
    double conflicts = totals[CODE_WAVEFRONTS] - totals[CODE_IDEAL_WAVEFRONTS];
    return listing->has[CODE_WAVEFRONTS] && conflicts > totals[CODE_SECTORS] - totals[CODE_IDEAL_SECTORS];
}

/* Adds a side's columns to `room` cells. */
static void add_side(const struct source_view *view, struct source_columns *columns, enum provenance side,
                     int room)
{
    const struct code_listing *listing = &view->sides[side].listing;
    bool chosen[CODE_COST_COUNT] = {false}, reasons = false, banks = is_about_banks(listing);
    int reason_cells = columns->both_names ? REASON_CELLS_BOTH : REASON_CELLS;
    for (size_t i = 0; i < COSTS; i++) {
        enum code_cost cost = telling[i];
        if (banks && (cost == CODE_INSTRUCTIONS || cost == CODE_WAVEFRONTS))
            cost = cost == CODE_INSTRUCTIONS ? CODE_WAVEFRONTS : CODE_INSTRUCTIONS;
        if (is_worth(listing, cost) && room >= COUNT_CELLS &&
            columns->count + (int)COSTS < SOURCE_COLUMNS_MAX) {
            chosen[cost] = true;
            room -= COUNT_CELLS;
        }
        if (cost == CODE_SECTORS && chosen[CODE_SAMPLES] && room >= reason_cells) {
            reasons = true;
            room -= reason_cells;
        }
    }
    for (size_t i = 0; i < COSTS; i++) {
        if (chosen[standing[i]])
            add_column(columns, KIND_COST, side, standing[i], COUNT_CELLS);
        if (standing[i] == CODE_SAMPLES && reasons)
            add_column(columns, KIND_REASON, side, CODE_SAMPLES, reason_cells);
    }
}

static struct source_columns columns_with(const struct source_view *view, int width, bool both_names)
{
    struct source_columns columns = {.both_names = both_names};
    enum provenance other = view->shown == PROVENANCE_MEASURED ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    if (width < 40)
        return columns;
    add_side(view, &columns, view->shown, width - TEXT_CELLS - COUNT_CELLS);
    /* Show all columns of the other side or none: only some of them would mislead. */
    struct source_columns more = columns;
    add_side(view, &more, other, width - TEXT_CELLS_BOTH - COUNT_CELLS - columns.width);
    if (view->sides[other].known && view->shape == SOURCE_LINES && more.count - columns.count >= 5) {
        columns = more;
        columns.both = true;
    }
    add_column(&columns, KIND_SHARE, view->shown, CODE_SAMPLES, COUNT_CELLS);
    return columns;
}

/* ncu's names of the reasons stand beside ours if that costs no other column. */
struct source_columns source_columns_of(const struct source_view *view, int width)
{
    struct source_columns columns = columns_with(view, width, false), named = columns_with(view, width, true);
    return named.count == columns.count ? named : columns;
}

static const char *head_of(const struct source_column *column)
{
    return column->kind == KIND_SHARE    ? "cost"
           : column->kind == KIND_REASON ? "  mostly waits for"
                                         : code_cost_info(column->cost)->title;
}

void source_columns_draw_heads(const struct source_view *view, const struct source_columns *columns,
                               struct canvas *canvas, int x, int y)
{
    struct style style = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE);
    enum provenance last = PROVENANCE_COUNT;
    for (int i = 0; i < columns->count; i++) {
        const struct source_column *column = &columns->columns[i];
        if (columns->both && column->side != last && column->kind != KIND_SHARE)
            canvas_printf(canvas, x + 1, y - 1, 5 * COUNT_CELLS - 1, STYLE(COLOR_TITLE, COLOR_NONE, 0),
                          "%s on %s%s", provenance_text(column->side), view->sides[column->side].of,
                          view->sides[column->side].small ? ", small" : "");
        last = column->side;
        if (column->kind == KIND_REASON)
            canvas_text(canvas, x + 1, y, column->width - 1, style, "mostly");
        else
            field_words(canvas, x, y, column->width - 1, style, head_of(column));
        x += column->width;
    }
}

static void count_text(const double *costs, const struct source_column *column, char *text, size_t size_bytes)
{
    text[0] = '\0';
    if (!costs)
        return;
    double number = costs[column->cost];
    if (number == floor(number) || number >= 1000)
        snprintf(text, size_bytes, "%s", number_short((uint64_t)(number + 0.5)).text);
    else
        snprintf(text, size_bytes, "%.1f", number);
}

static void reason_text(const struct source_view *view, const struct source_line *row, bool both_names,
                        char text[STALL_REASON_TEXT_BYTES])
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t count = source_row_reasons(view, row, reasons), first = 0;
    const struct stall_reason *known = NULL;
    text[0] = '\0';
    for (; first < count; first++) { /* skip reasons that are not stalls */
        known = stall_reason_find(reasons[first].name);
        if (!known || !known->works)
            break;
    }
    if (first < count && both_names)
        stall_reason_text(reasons[first].name, text);
    else if (first < count)
        snprintf(text, STALL_REASON_TEXT_BYTES, "%s", known ? known->title : reasons[first].name);
}

void source_columns_draw(const struct source_view *view, const struct source_columns *columns,
                         struct canvas *canvas, int x, int y, const struct source_line *row,
                         struct style style)
{
    char text[NUMBER_SIZE], reason[STALL_REASON_TEXT_BYTES];
    for (int i = 0; i < columns->count; i++) {
        const struct source_column *column = &columns->columns[i];
        if (column->kind == KIND_REASON) {
            reason_text(view, row, columns->both_names, reason);
            canvas_text(canvas, x + 1, y, column->width - 1, style, reason);
        } else if (column->kind == KIND_COST) {
            count_text(source_row_costs(view, row, column->side), column, text, sizeof text);
            field_number(canvas, x, y, column->width - 1, style, text);
        } else if (source_row_cost(view, row) > 0 && view->total > 0) {
            snprintf(text, sizeof text, "%.60s %%",
                     number_percent(100 * source_row_cost(view, row) / view->total, 1).text);
            field_number(canvas, x, y, column->width - 1, style, text);
        }
        x += column->width;
    }
}

#define NUMBER_CELLS 7 /* the line's number and the mark */
#define REASONS_SHOWN 4
#define SHIFT_CELLS 8 /* cells scrolled by one key press */
#define SHIFT_CELLS_MAX 800
#define BAR_CELLS_WIDE 16
#define BAR_CELLS 6
#define WARP_FROM 150 /* cells: with as many, a reason is a whole sentence */

/* ---- places ---- */
struct source_parts {
    struct rect inside;
    int heads, rows, tail, reasons; /* numbers of lines; `reasons` of the tail's lines show reasons */
};

static struct source_parts parts_of(const struct source_view *view, struct rect area)
{
    struct source_parts parts = {.inside = view_inside(area)};
    int height = parts.inside.height;
    bool wide = parts.inside.width >= 40;
    parts.heads = height >= 8 && wide ? 1 + source_columns_of(view, parts.inside.width).both : 0;
    parts.tail = height >= 6 ? 1 : 0;
    if (height >= 14 && wide && view->sides[PROVENANCE_MEASURED].listing.has[CODE_SAMPLES])
        parts.reasons = height >= 18 ? REASONS_SHOWN + 1 : 2;
    if (parts.tail > 0 && view->why[0] != '\0')
        parts.tail++;
    parts.tail += parts.reasons;
    parts.rows = height - parts.heads - parts.tail;
    return parts;
}

static void source_view_update(struct screen *screen, struct rect area)
{
    source_update(screen);
    list_update(&source_state(screen)->list, source_state(screen)->list.count,
                parts_of(source_state(screen), area).rows);
}

/* ---- rows ---- */
static void draw_text(struct canvas *canvas, int x, int y, int width, struct style style, const char *text,
                      int left)
{
    char shown[1200];
    source_text_line(text, left, shown, sizeof shown);
    canvas_text(canvas, x, y, width, style, shown);
}

static void draw_row(const struct source_view *view, const struct source_columns *columns,
                     struct canvas *canvas, struct rect at, int index)
{
    const struct source_line *row = &view->rows[index];
    bool selected = index == view->list.selected, worst = index == view->worst;
    bool costs = source_row_cost(view, row) > 0, place = row->place != NONE;
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style style = STYLE(worst   ? COLOR_BAD
                               : place ? COLOR_TEXT
                               : costs ? COLOR_TITLE
                                       : COLOR_TEXT,
                               ground, worst ? ATTRIBUTE_BOLD : 0);
    if (place && !costs)
        style.foreground = COLOR_DIM;
    if (selected)
        canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
    if (source_is_heading(row)) {
        canvas_text(canvas, at.x + columns->width, at.y, at.width - columns->width,
                    STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD), row->text);
        return;
    }
    source_columns_draw(view, columns, canvas, at.x, at.y, row, style);
    int x = at.x + columns->width, indent = place && view->shape == SOURCE_FOLDED ? 4 : 0;
    if (place)
        canvas_printf(canvas, x, at.y, 5, STYLE(COLOR_DIM, ground, 0),
                      view->shown == PROVENANCE_MEASURED ? "%04x" : "%4u",
                      view->sides[view->shown].listing.places[row->place].pc_offset);
    else
        canvas_printf(canvas, x, at.y, 5, STYLE(COLOR_DIM, ground, 0), "%4u", row->line);
    if (source_row_is_changed(view, row))
        canvas_text(canvas, x + 4, at.y, 1, STYLE(COLOR_GOOD, ground, ATTRIBUTE_BOLD), "+");
    if (worst)
        canvas_glyph(canvas, x + 5, at.y, GLYPH_SELECTED, style);
    const char *missing = place ? "(not disassembled)" : "(text not available)";
    bool there = row->text && (row->text[0] != '\0' || !place);
    draw_text(canvas, x + NUMBER_CELLS + indent, at.y, at.x + at.width - x - NUMBER_CELLS - indent, style,
              there ? row->text : missing, there ? view->left : 0);
}

/* ---- below the rows ---- */
static void place_text(const struct source_view *view, const struct source_line *row, char *text,
                       size_t size_bytes)
{
    const char *base = row->file[0] == '\0' ? NULL : strrchr(row->file, '/');
    base = !base ? row->file : base + 1;
    if (row->place != NONE && row->line > 0)
        snprintf(text, size_bytes, "instruction of %.60s:%u", base, row->line);
    else if (row->place != NONE)
        snprintf(text, size_bytes, "instruction");
    else if (strcmp(row->file, view->path) == 0)
        snprintf(text, size_bytes, "line %u", row->line);
    else
        snprintf(text, size_bytes, "%.60s:%u", base, row->line);
}

static void draw_selected(const struct source_view *view, struct canvas *canvas, struct rect line)
{
    const struct source_line *row = &view->rows[view->list.selected];
    double cost = source_row_cost(view, row);
    char place[120];
    if (source_is_heading(row))
        return;
    place_text(view, row, place, sizeof place);
    canvas_printf(canvas, line.x, line.y, line.width, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                  "%s%s: %s of %s %s%s%s", place, view->list.selected == view->worst ? " costs most" : "",
                  number_short((uint64_t)cost).text, number_short((uint64_t)view->total).text,
                  source_cost_text(view->cost),
                  view->cost == SOURCE_BY_MOVED && source_has_cost(view, SOURCE_BY_PASSES)
                      ? ", of atomics the passes"
                      : "",
                  view->cost == SOURCE_BY_SAMPLES && view->shown != PROVENANCE_MEASURED ? ", measured" : "");
}

/* Draws the selected line's whole text if its row does not show all of it; false: the row does. */
static bool draw_whole_text(const struct source_view *view, struct canvas *canvas, struct rect line)
{
    const struct source_line *row = &view->rows[view->list.selected];
    char text[1200];
    int room = line.width - source_columns_of(view, line.width).width - NUMBER_CELLS;
    if (source_is_heading(row) || !row->text)
        return false;
    source_text_line(row->text, view->left, text, sizeof text);
    if (view->left == 0 && text_width(text, room + 1) <= room)
        return false;
    source_text_line(row->text, 0, text, sizeof text);
    canvas_text(canvas, line.x, line.y, line.width, STYLE(COLOR_TITLE, COLOR_NONE, 0),
                text + strspn(text, " "));
    return true;
}

/* Cells of the widest of these names, with a gap. */
static int reason_cells(const struct code_reason *reasons, uint32_t count)
{
    char text[STALL_REASON_TEXT_BYTES];
    int widest = 0;
    for (uint32_t i = 0; i < count; i++) {
        stall_reason_text(reasons[i].name, text);
        int cells = text_width(text, STALL_REASON_TEXT_BYTES);
        widest = cells > widest ? cells : widest;
    }
    return widest + 1;
}

/* Draws the selected row's stall reasons, by our names and ncu's, as bars, and what to do about the first. */
static void draw_reasons(const struct source_view *view, struct canvas *canvas, struct rect area)
{
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t count = source_row_reasons(view, &view->rows[view->list.selected], reasons);
    const struct stall_reason *first = NULL;
    uint32_t shown = (uint32_t)(area.height - (area.height > 2));
    shown = shown < count ? shown : count;
    int cells = area.width >= 100 ? BAR_CELLS_WIDE : BAR_CELLS, name_cells = reason_cells(reasons, shown);
    char text[STALL_REASON_TEXT_BYTES];
    double all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += reasons[i].samples;
    for (uint32_t i = 0; i < shown; i++) {
        const struct stall_reason *known = stall_reason_find(reasons[i].name);
        int eighths = (int)(8 * cells * reasons[i].samples / all + 0.5), y = area.y + (int)i, x = area.x;
        if (!first && known && !known->works)
            first = known;
        stall_reason_text(reasons[i].name, text);
        canvas_text(canvas, x, y, name_cells - 1, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
        x += name_cells;
        for (int cell = 0; cell < cells; cell++, eighths -= 8)
            if (eighths > 0)
                canvas_put(canvas, x + cell, y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                           STYLE(known && known->works ? COLOR_GOOD : COLOR_WARN, COLOR_NONE, 0));
        x += cells;
        canvas_printf(canvas, x, y, 9, STYLE(COLOR_TITLE, COLOR_NONE, 0), " %5s %%",
                      number_percent(100 * reasons[i].samples / all, 1).text);
        canvas_printf(canvas, x + 10, y, area.x + area.width - x - 10, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "%s%s", known && area.width >= WARP_FROM ? "the warp " : "",
                      known ? known->meaning : "no description of this reason");
    }
    if (first && first->now[0] != '\0' && area.height > 2)
        canvas_printf(canvas, area.x, area.y + area.height - 1, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                      "%s: %s", first->title, first->now);
}

static void draw_tail(const struct source_view *view, struct canvas *canvas, const struct source_parts *parts)
{
    struct rect line = {parts->inside.x, parts->inside.y + parts->heads + parts->rows, parts->inside.width,
                        1};
    draw_selected(view, canvas, line);
    line.y++;
    if (parts->reasons > 0) {
        line.height = parts->reasons;
        draw_reasons(view, canvas, line);
        line.y += parts->reasons;
        line.height = 1;
    }
    if (view->why[0] != '\0' && !draw_whole_text(view, canvas, line))
        canvas_text(canvas, line.x, line.y, line.width, STYLE(COLOR_TEXT, COLOR_NONE, 0), view->why);
}

static void title_of(const struct source_view *view, int width, char *title, size_t size_bytes)
{
    const char *base = strrchr(view->path, '/');
    bool model = view->shown == PROVENANCE_MODELLED;
    const char *name = view->path[0] == '\0' ? "instructions" : width < 90 && base ? base + 1 : view->path;
    snprintf(title, size_bytes, "%.120s    %s%s on %s%s", name,
             !model && view->shape != SOURCE_LINES  ? "SASS "
             : model && view->shape != SOURCE_LINES ? "PTX "
                                                    : "",
             provenance_text(view->shown), view->sides[view->shown].of,
             view->sides[view->shown].small ? ", at small size" : "");
}

/* The text alone from the kernel on, while the model counts. */
static void draw_counting(const struct source_view *view, const struct screen *screen, struct canvas *canvas,
                          struct rect inside)
{
    const struct kernel_row *row = session_kernel(screen->session, view->kernel);
    const char *name = session_string(screen->session, session_shape(screen->session, row->shape)->name);
    char head[200];
    snprintf(head, sizeof head, " %.190s(", name);
    const char *text = view->file_text ? view->file_text : "", *at = strstr(text, head);
    canvas_text(canvas, inside.x + 1, inside.y, inside.width - 1, STYLE(COLOR_WARN, COLOR_NONE, 0),
                "counting on the model...  ESC stops it");
    for (at = at ? at : text; at > text && at[-1] != '\n';)
        at--;
    for (int y = 1; y < inside.height && *at != '\0'; y++) {
        int length = (int)strcspn(at, "\n");
        canvas_printf(canvas, inside.x + 1, inside.y + y, inside.width - 1, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                      "%.*s", length, at);
        at += length + (at[length] == '\n');
    }
}

static void source_view_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct source_view *view = source_state(screen);
    char title[300];
    if (!view->sides[view->shown].known) {
        struct rect inside = view_frame(canvas, area, "Source", focus);
        if (view->counting)
            draw_counting(view, screen, canvas, inside);
        return;
    }
    struct source_parts parts = parts_of(view, area);
    struct source_columns columns = source_columns_of(view, parts.inside.width);
    title_of(view, area.width, title, sizeof title);
    view_frame(canvas, area, title, focus);
    if (parts.heads > 0)
        source_columns_draw_heads(view, &columns, canvas, parts.inside.x, parts.inside.y + parts.heads - 1);
    for (int i = 0; i < parts.rows && view->list.top + i < view->list.count; i++)
        draw_row(view, &columns, canvas,
                 (struct rect){parts.inside.x, parts.inside.y + parts.heads + i, parts.inside.width, 1},
                 view->list.top + i);
    if (parts.tail > 0 && view->list.selected < view->list.count)
        draw_tail(view, canvas, &parts);
}

/* ---- keys ---- */
static void next_cost(struct source_view *view, int by)
{
    for (int i = 1; i <= SOURCE_COST_COUNT; i++) {
        int cost = ((int)view->cost + by * i + 2 * SOURCE_COST_COUNT) % SOURCE_COST_COUNT;
        if (source_has_cost(view, (enum source_cost)cost)) {
            source_choose_cost(view, (enum source_cost)cost);
            break;
        }
    }
    view->cost_chosen = true;
    source_jump(view, 0);
}

static void next_shape(struct screen *screen, int by)
{
    struct source_view *view = source_state(screen);
    view->wanted = (enum source_shape)(((int)view->shape + by + SOURCE_SHAPE_COUNT) % SOURCE_SHAPE_COUNT);
    if (view->path[0] == '\0')
        screen_message(screen, SEVERITY_INFO, "There are no lines: %s.", view->why);
    source_show(view, screen, view->shown);
    view->list.top = view->list.selected - view->list.height / 3; /* most of the rows around it are below */
    list_select(&view->list, view->list.selected);
}

static void other_side(struct screen *screen)
{
    struct source_view *view = source_state(screen);
    enum provenance other = view->shown == PROVENANCE_MEASURED ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    view->wants_modelled = view->counting && other == PROVENANCE_MODELLED && !view->sides[other].known;
    if (view->sides[other].known)
        source_show(view, screen, other);
    else
        screen_message(screen, SEVERITY_INFO, "%s",
                       view->counting ? "Counting on the model: its counts are shown when they are there."
                       : view->why[0] != '\0' ? view->why
                                              : "The model has no counts of this kernel.");
}

/* Lists the line's instructions below it, or hides them. */
static bool fold_line(struct screen *screen)
{
    struct source_view *view = source_state(screen);
    const struct source_line *row = &view->rows[view->list.selected];
    uint32_t line = row->lines[view->shown];
    if (view->shape != SOURCE_FOLDED || row->place != NONE || line == NONE || line >= view->open_count)
        return false;
    view->open[line] = !view->open[line];
    source_rows_make(view, screen->session);
    return true;
}

static bool search_text(struct screen *screen, int by)
{
    struct source_view *view = source_state(screen);
    if (view->search[0] == '\0')
        prompt_open(&screen->prompt, PROMPT_LINE, "search:", "", source_search_for);
    else if (!source_search(view, by))
        screen_message(screen, SEVERITY_INFO, "'%s' was not found here.", view->search);
    return true;
}

void source_search_for(struct screen *screen, const char *text)
{
    snprintf(source_state(screen)->search, sizeof source_state(screen)->search, "%s", text);
    if (text[0] != '\0')
        search_text(screen, 1);
}

/* by: as source_jump has it. */
static bool jump_to_costly(struct screen *screen, int by)
{
    struct source_view *view = source_state(screen);
    int before = view->list.selected;
    source_jump(view, by);
    if (view->list.selected == before)
        screen_message(screen, SEVERITY_INFO,
                       by > 0 ? "No line costs less." : "This line costs most; n goes to the next.");
    return true;
}

static bool source_view_act(struct screen *screen, enum action action)
{
    struct source_view *view = source_state(screen);
    if (action == ACTION_CLOSE && view->counting) {
        if (screen->host->stop_counting)
            screen->host->stop_counting(screen->host->context);
        view->counting = false;
        return view->sides[view->shown].known; /* else there is nothing to show, and the view closes */
    }
    if (!view->sides[view->shown].known || view->list.count == 0)
        return false;
    switch (action) {
    case ACTION_SORT: next_cost(view, 1); return true;
    case ACTION_REVERSE: next_cost(view, -1); return true;
    case ACTION_NEXT_PANE: next_shape(screen, 1); return true;
    case ACTION_PREVIOUS_PANE: next_shape(screen, -1); return true;
    case ACTION_LEFT: view->left = view->left > SHIFT_CELLS ? view->left - SHIFT_CELLS : 0; return true;
    case ACTION_RIGHT: view->left += view->left < SHIFT_CELLS_MAX ? SHIFT_CELLS : 0; return true;
    case ACTION_LONGEST: return jump_to_costly(screen, 0);
    case ACTION_NEXT: return jump_to_costly(screen, 1);
    case ACTION_PREVIOUS: return jump_to_costly(screen, -1);
    case ACTION_SIDE: other_side(screen); return true;
    case ACTION_STEPPER: lab_run_stepper(screen, view->rows[view->list.selected].line); return true;
    case ACTION_FOLD:
    case ACTION_OPEN: return fold_line(screen);
    case ACTION_FILTER:
        prompt_open(&screen->prompt, PROMPT_LINE, "search:", "", source_search_for);
        return true;
    case ACTION_SAME_NEXT: return search_text(screen, 1);
    case ACTION_SAME_PREVIOUS: return search_text(screen, -1);
    default: return list_act(&view->list, action);
    }
}

static void source_view_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct source_parts parts = parts_of(source_state(screen), area);
    list_mouse(&source_state(screen)->list, event, event->y - parts.inside.y - parts.heads);
}

/* The texts belong to the session. */
static void forget_source(struct screen *screen)
{
    source_fini(source_state(screen));
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct source_view *view = source_state(screen);
    subject->line = view->list.selected < view->list.count ? view->rows[view->list.selected].line : 0;
}

static bool shows_measured(const struct screen *screen)
{
    const struct source_view *view = source_state(screen);
    return view->shown == PROVENANCE_MEASURED && view->sides[PROVENANCE_MODELLED].known;
}

static bool shows_modelled(const struct screen *screen)
{
    const struct source_view *view = source_state(screen);
    return view->shown == PROVENANCE_MODELLED && view->sides[PROVENANCE_MEASURED].known;
}

static bool can_step(const struct screen *screen)
{
    return screen->host->step != NULL;
}

static const struct view_key keys[] = {
    {.action = ACTION_SORT, .hint = "cost", .help = "the next cost of a line: samples, sectors, ..."},
    {.action = ACTION_NEXT,
     .hint = "costly",
     .name = "n N",
     .help = "to the next costly line; N: to the previous"},
    {.action = ACTION_NEXT_PANE, .hint = "lines, SASS", .help = "lines, instructions, or both"},
    {.action = ACTION_FILTER, .hint = "find"},
    {.action = ACTION_SIDE, .hint = "modelled", .when = shows_measured},
    {.action = ACTION_SIDE, .hint = "measured", .when = shows_modelled},
    {.action = ACTION_STEPPER, .when = can_step},
    {.action = ACTION_LINES},
    {.action = ACTION_LANES},
    {.action = ACTION_FOLD},
    {.action = ACTION_EDIT},
    {.action = ACTION_NONE},
};

const struct view view_source = {
    .title = "Source",
    .flags = VIEW_OF_SESSION,
    .opened_by = ACTION_SOURCE,
    .state_bytes = sizeof(struct source_view),
    .forget = forget_source,
    .update = source_view_update,
    .work = source_work,
    .draw = source_view_draw,
    .open = source_open,
    .act = source_view_act,
    .mouse = source_view_mouse,
    .subject = take_subject,
    .keys = keys,
};
