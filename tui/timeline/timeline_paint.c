/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paints the cells of a row, which update has prepared: first each cell, then letters and names over cells
 * that belong to the same event or name, then the numbers of folded events.
 */
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include "tui/terminal/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A full cell of a chart has its colour as background, too: fonts may leave gaps between full blocks. */
static void paint_chart(struct canvas *canvas, int x, int y, const struct timeline_cell *cell)
{
    bool fill = cell->color >= COLOR_FILL && cell->color < COLOR_INK;
    if (!canvas->ascii)
        canvas_put(canvas, x, y, glyph_lower_eighths(cell->eighths, false),
                   STYLE(cell->color, fill ? cell->color : COLOR_NONE, 0));
    else
        canvas_put(canvas, x, y, cell->mark == '|' ? '|' : glyph_lower_eighths(cell->eighths, true),
                   STYLE(fill ? cell->color - COLOR_FILL + COLOR_SOFT : cell->color, COLOR_NONE, 0));
}

static void paint_cell(struct canvas *canvas, int x, int y, const struct timeline_cell *cell)
{
    struct style ink = STYLE(cell->color, COLOR_NONE, 0);
    bool kernel = cell->owner >= 0x100u && cell->owner < 0x20000u;
    switch ((enum cell_shape)cell->shape) {
    case CELL_EMPTY: return;
    case CELL_FULL:
        if (cell->owner == OWNER_HEADING && cell->mark == ' ') /* one stream */
            canvas_glyph(canvas, x, y, GLYPH_FULL, ink);
        else if (kernel && !canvas->ascii)
            canvas_glyph(canvas, x, y, GLYPH_FULL, ink);
        else
            canvas_put(canvas, x, y, (unsigned char)cell->mark, STYLE(COLOR_INK, cell->color, 0));
        return;
    case CELL_LEFT: canvas_put(canvas, x, y, glyph_left_eighths(cell->eighths, canvas->ascii), ink); return;
    case CELL_RIGHT:
        if (canvas->ascii) {
            canvas_put(canvas, x, y, glyph_left_eighths(cell->eighths, true), ink);
            return;
        }
        ink.attributes = ATTRIBUTE_REVERSE;
        canvas_put(canvas, x, y, glyph_left_eighths(8 - cell->eighths, false), ink);
        return;
    case CELL_SPLIT:
        if (canvas->ascii)
            canvas_put(canvas, x, y, '|', STYLE(COLOR_INK, cell->color2, 0));
        else if (cell->color == cell->color2) /* a line where the next event of the same kind starts */
            canvas_put(canvas, x, y, glyph_left_eighths(1, false), STYLE(COLOR_INK, cell->color, 0));
        else
            canvas_put(canvas, x, y, glyph_left_eighths(cell->eighths, false),
                       STYLE(cell->color, cell->color2, 0));
        return;
    case CELL_LEVEL: canvas_put(canvas, x, y, glyph_lower_eighths(cell->eighths, canvas->ascii), ink); return;
    case CELL_OPEN: canvas_glyph(canvas, x, y, GLYPH_RUNNING, ink); return;
    case CELL_DASH: canvas_glyph(canvas, x, y, cell->mark == '|' ? GLYPH_VERTICAL : GLYPH_DASH, ink); return;
    case CELL_CHART:
        if (cell->eighths > 0)
            paint_chart(canvas, x, y, cell);
        else if (cell->mark != 0)
            canvas_put(canvas, x, y, (unsigned char)cell->mark, STYLE(COLOR_DIM, COLOR_NONE, 0));
        return;
    }
}

/* Fewer adjacent cells than this, with several events folded into each, have the colour of the longest event
 * and no letter: it means little that one is the longest of many different events. */
#define NAMED_LEAST 3
/* As few cells with more events than this folded into them are grey: colours that change every cell or two
 * give no information, and colours are most of a frame's bytes. */
#define FEW_EVENTS 4

/* "I matmul_aat_simple" becomes "I matmul_aat", then "I": never a part of a word. */
static void cut_after_word(char *text, int cells)
{
    size_t end = text_break_at(text, cells);
    bool within = text[end] != '\0' && text[end] != ' ' && text[end] != '_';
    while (within && end > 0 && text[end] != ' ' && text[end] != '_')
        end--;
    text[end] = '\0';
}

/* Names cells [from, to), which all belong to the same thing: with its letter at least, with its name if it
 * fits. */
static void name_segment(const struct screen *screen, struct canvas *canvas, int x, int y,
                         const struct timeline_cell *cells, int from, int to)
{
    int full = -1, room = 0, best = from, folded = 0;
    for (int k = from; k < to; k++) {
        bool solid = cells[k].shape == CELL_FULL;
        folded += cells[k].shape == CELL_LEVEL;
        if (solid && full < 0)
            full = k;
        if (solid && full >= 0 && k == full + room)
            room++;
        if (cells[k].eighths > cells[best].eighths)
            best = k;
    }
    const struct timeline_cell *cell = &cells[full >= 0 ? full : best];
    if (full < 0) {
        if (folded == to - from && folded < NAMED_LEAST) {
            for (int k = from; k < to; k++)
                if (cells[k].count > FEW_EVENTS)
                    canvas_put(canvas, x + k, y, glyph_lower_eighths(cells[k].eighths, canvas->ascii),
                               STYLE(COLOR_CPU, COLOR_NONE, 0));
            return;
        }
        if (cell->shape != CELL_SPLIT && cell->eighths >= 4)
            canvas_put(canvas, x + best, y, (unsigned char)cell->mark,
                       STYLE(COLOR_INK, cell->color, ATTRIBUTE_BOLD));
        else if (cell->shape != CELL_SPLIT)
            canvas_put(canvas, x + best, y, (unsigned char)cell->mark,
                       STYLE(cell->color, COLOR_NONE, ATTRIBUTE_BOLD));
        return;
    }
    struct style ink = STYLE(COLOR_INK, cell->color, ATTRIBUTE_BOLD);
    char text[162];
    text[0] = '\0';
    if (room >= 6) {
        struct item item = session_event_item(screen->session, cell->event);
        char whole[160];
        timeline_item_text(screen, &item,
                           session_event_end_ns(screen->session, cell->event) -
                               session_event_start_ns(screen->session, cell->event),
                           whole, sizeof whole);
        bool marked = item.kind == ITEM_LAUNCH || item.kind == ITEM_MEASUREMENT;
        /* A kernel's name may be cut after a word, since it begins with its letter; a copy is named in full
         * or not at all. */
        if (marked || text_width(whole, room) <= room - 3)
            snprintf(text, sizeof text, "%s%s", marked ? "" : " ", whole);
    }
    cut_after_word(text, room - 1);
    if (text[0] == '\0')
        canvas_put(canvas, x + full, y, (unsigned char)cell->mark, ink);
    else
        canvas_put(canvas, x + full + canvas_text(canvas, x + full, y, room - 1, ink, text), y, ' ', ink);
}

/* A run of folded cells that is wide enough shows the number of its events; the label has the number of the
 * whole row. */
#define COUNTED_LEAST 12

static bool is_folded(const struct timeline_cell *cell)
{
    return cell->shape == CELL_LEVEL && cell->owner != OWNER_HEADING;
}

static void count_folded(struct canvas *canvas, int x, int y, const struct timeline_cell *cells, int columns,
                         uint64_t events)
{
    for (int k = 0; k < columns;) {
        int from = k;
        uint64_t count = 0;
        for (; k < columns && is_folded(&cells[k]); k++)
            count += cells[k].count;
        struct number number = number_short(count);
        int width = (int)strlen(number.text);
        if (k - from >= COUNTED_LEAST && k - from >= 3 * width && count > (uint64_t)(k - from) &&
            count < events) {
            canvas_text(canvas, x + from + (k - from - width) / 2, y, width, STYLE(COLOR_INK, COLOR_CPU, 0),
                        number.text);
        }
        k += k == from;
    }
}

/* On a wide timeline, how long a stream is idle between two operations stands on a line between them. */
#define GAPS_FROM 90 /* columns */
#define GAP_LEAST 14

/* The gap that holds this time; 0: it is not between two operations of this run, or their times are not
 * known, since they were evicted. */
static int64_t gap_ns(const struct screen *screen, const struct timeline_row *row, int64_t time_ns)
{
    const struct session *session = screen->session;
    struct window extent = timeline_extent(screen);
    struct event_ref next = {row->track, 0, 0}, before;
    next.index = session_lane_find(session, next.track, next.lane, time_ns);
    if (next.index == 0 || next.index >= session_lane_count_events(session, next.track, next.lane))
        return 0;
    before = next;
    before.index--;
    if ((session_event_item(session, before).flags | session_event_item(session, next).flags) & ITEM_FOLDED)
        return 0;
    int64_t from = session_event_end_ns(session, before), to = session_event_start_ns(session, next);
    return from > time_ns || from < extent.start_ns || to > extent.end_ns ? 0 : to - from;
}

static void paint_gaps(const struct screen *screen, struct canvas *canvas, int x, int y,
                       const struct timeline_row *row, const struct timeline_cell *cells)
{
    const struct timeline *timeline = timeline_state(screen);
    struct session_lost lost; /* may have been between two operations */
    session_lost(screen->session, &lost);
    if (lost.refused + lost.no_memory + lost.dropped + screen->state.dropped > 0)
        return;
    if (row->kind != ROW_TRACK || timeline->columns < GAPS_FROM || timeline->filter.text[0] != '\0' ||
        session_track(screen->session, row->track)->kind != TRACK_STREAM ||
        session_lane_count(screen->session, row->track) != 1)
        return;
    for (int k = 0, from; k < timeline->columns; k += k == from) {
        for (from = k; k < timeline->columns && cells[k].shape == CELL_EMPTY; k++)
            ;
        int64_t gap =
            k - from < GAP_LEAST
                ? 0
                : gap_ns(screen, row,
                         axis_column_start(timeline->window, timeline->columns, from + (k - from) / 2));
        if (gap <= 0)
            continue;
        struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
        struct number number = number_time(gap);
        int width = (int)strlen(number.text) + 2;
        for (int i = from + 1; i < k - 1; i++)
            canvas_glyph(canvas, x + i, y, GLYPH_HORIZONTAL, dim);
        canvas_printf(canvas, x + from + (k - from - width) / 2, y, width, dim, " %s ", number.text);
    }
}

#define MARKS_MOST 64 /* of a row: more have no room */

/* A mark has no length, and a range may be shorter than a cell: the text stands beside it, where the row is empty. *taken: the columns before it have text. */
static void paint_mark(struct canvas *canvas, int x, int y, const struct timeline_cell *cells, int columns,
                       int at, const char *text, int *taken)
{
    const struct style style = STYLE(COLOR_TEXT, COLOR_NONE, 0);
    const int width = text_width(text, INT_MAX);
    int right = 0, left = 0;
    while (at + 1 + right < columns && cells[at + 1 + right].shape == CELL_EMPTY)
        right++;
    while (at - 1 - left >= *taken && cells[at - 1 - left].shape == CELL_EMPTY)
        left++;
    if (at >= *taken && width + 2 <= right) {
        canvas_text(canvas, x + at + 2, y, width, style, text);
        *taken = at + 2 + width;
    } else if (width + 2 <= left) {
        canvas_text(canvas, x + at - 1 - width, y, width, style, text);
        *taken = at;
    }
}

static void paint_marks(const struct screen *screen, struct canvas *canvas, int x, int y,
                        const struct timeline_row *row, const struct timeline_cell *cells)
{
    const struct session *session = screen->session;
    const struct timeline *timeline = timeline_state(screen);
    const struct window window = timeline->window;
    if (row->kind != ROW_TRACK || session_track(session, row->track)->kind != TRACK_RANGES ||
        row->events > MARKS_MOST)
        return;
    for (uint32_t lane = 0; lane < session_lane_count(session, row->track); lane++) {
        int taken = 0;
        struct event_ref ref = {row->track, lane, 0};
        if (row->lane != NONE && row->lane != lane)
            continue;
        const uint64_t count = session_lane_count_events(session, row->track, lane);
        for (ref.index = session_lane_find(session, row->track, lane, window.start_ns - 1); ref.index < count;
             ref.index++) {
            const int64_t start_ns = session_event_start_ns(session, ref);
            const int at = axis_column(window, timeline->columns, start_ns);
            if (start_ns >= window.end_ns)
                break;
            const int64_t end_ns = session_event_end_ns(session, ref);
            const struct item item = session_event_item(session, ref);
            char name[128], text[240];
            if (at < 0 || at >= timeline->columns || axis_column(window, timeline->columns, end_ns) > at)
                continue;
            timeline_item_name(screen, &item, name, sizeof name);
            snprintf(text, sizeof text, "%s%s%s", name, end_ns > start_ns ? " " : "",
                     end_ns > start_ns ? number_time(end_ns - start_ns).text : "");
            paint_mark(canvas, x, y, cells, timeline->columns, at, text, &taken);
        }
    }
}

void timeline_paint_row(const struct screen *screen, struct canvas *canvas, int x, int y,
                        const struct timeline_row *row, const struct timeline_cell *cells)
{
    int columns = timeline_state(screen)->columns;
    for (int k = 0; k < columns; k++)
        paint_cell(canvas, x + k, y, &cells[k]);
    for (int k = 0; k < columns;) {
        int end = k + 1;
        if (cells[k].owner == OWNER_HEADING) {
            k++;
            continue;
        }
        while (end < columns && cells[k].shape != CELL_EMPTY && cells[end].shape != CELL_EMPTY &&
               cells[end].owner == cells[k].owner)
            end++;
        if (cells[k].shape != CELL_EMPTY && cells[k].shape != CELL_CHART && cells[k].shape != CELL_DASH)
            name_segment(screen, canvas, x, y, cells, k, end);
        k = end;
    }
    count_folded(canvas, x, y, cells, columns, row->events);
    paint_gaps(screen, canvas, x, y, row, cells);
    paint_marks(screen, canvas, x, y, row, cells);
}
