/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paints the timeline pane from what update has prepared: frame, axis, marks, minimap and read-out. Labels
 * are in timeline_label.c, cells in timeline_paint.c.
 */
#include "core/base/append.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/widgets/brief.h"

#include "tui/terminal/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FULL_BLOCK 0x2588u

struct timeline_parts timeline_parts_of(const struct timeline *timeline, struct rect area)
{
    struct timeline_parts parts = {
        .inside = view_inside(area), .ribbon = -1, .race = -1, .axis = -1, .minimap = -1, .readout = -1};
    int y = parts.inside.y, left = parts.inside.height;
    if (timeline->has_ribbon) {
        parts.ribbon = y++;
        left--;
    }
    if (timeline->race.count > 0) {
        parts.race = y;
        y += timeline->race.count;
        left -= timeline->race.count;
    }
    if (left >= 3) {
        parts.axis = y++;
        left--;
    }
    if (left >= 2)
        parts.readout = parts.inside.y + parts.inside.height - 1, left--;
    if (left >= 3 && timeline->overview)
        parts.minimap = parts.inside.y + parts.inside.height - (parts.readout >= 0 ? 2 : 1), left--;
    parts.rows = y;
    parts.row_count = left;
    return parts;
}

/* Is there a mark in these cells of the axis? */
static bool is_marked(const struct canvas *canvas, int x, int y, int cells)
{
    for (int i = 0; i < cells; i++) {
        uint32_t c = canvas_cell(canvas, x + i, y)->codepoint;
        if (c == '*' || c == '[' || c == ']')
            return true;
    }
    return false;
}

/* Labels that would overlap a mark are left out. */
static void draw_axis(const struct screen *screen, struct canvas *canvas, int x, int y)
{
    const struct timeline *timeline = timeline_state(screen);
    const int label = 14;
    struct style text = STYLE(COLOR_TEXT, COLOR_NONE, 0), line = STYLE(COLOR_FRAME, COLOR_NONE, 0);
    int64_t step = axis_step(timeline->window, timeline->columns, label);
    int64_t first = (timeline->window.start_ns - screen->zero_ns) / step * step + screen->zero_ns;
    for (int64_t at = first; at < timeline->window.end_ns; at += step) {
        int k = axis_column(timeline->window, timeline->columns, at);
        if (at < timeline->window.start_ns || k >= timeline->columns)
            continue;
        struct number number = number_tick(at - screen->zero_ns, step);
        int room = timeline->columns - k - 2, cells = text_width(number.text, NUMBER_SIZE);
        if (!is_marked(canvas, x + k, y, 1))
            canvas_glyph(canvas, x + k, y, GLYPH_TICK, line);
        if (cells <= room && !is_marked(canvas, x + k + 1, y, cells))
            canvas_text(canvas, x + k + 1, y, room, text, number.text);
    }
}

/* Paints the reason in place of a chart. */
static void draw_why(const struct screen *screen, struct canvas *canvas, int x, int y,
                     const struct timeline_row *row)
{
    const char *why = row->chart == NONE ? NULL : timeline_chart_why(screen, row->chart);
    char text[400];
    if (!why)
        return;
    snprintf(text, sizeof text, "not sampled. %s", why);
    canvas_text(canvas, x, y, timeline_state(screen)->columns, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

/* Says on the last line of a chart of what its dashed line is made. */
static void draw_few(const struct screen *screen, struct canvas *canvas, int x, int y,
                     const struct timeline_row *row)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct timeline_chart *chart = row->chart != NONE ? &timeline->charts.items[row->chart] : NULL;
    char text[80];
    if (!chart || chart->few == 0 || row->line + 1 < row->lines)
        return;
    int64_t interval_ns = session_series(screen->session, chart->last)->interval_ns;
    int width = snprintf(text, sizeof text, " %" PRIu64 " sample%s of %s ", chart->few,
                         chart->few == 1 ? "" : "s", number_time(interval_ns).text);
    if (width + 4 <= timeline->columns)
        canvas_text(canvas, x + (timeline->columns - width) / 2, y, width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    text);
}

static void draw_minimap(const struct screen *screen, struct canvas *canvas, int x, int y)
{
    const struct timeline *timeline = timeline_state(screen);
    struct window extent = timeline_extent(screen);
    canvas_text(canvas, x + 1, y, timeline->label_width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0), "whole run");
    x += timeline->label_width;
    int first = axis_column(extent, timeline->columns, timeline->window.start_ns);
    int last = axis_column(extent, timeline->columns, timeline->window.end_ns - 1);
    bool part = timeline->window.start_ns > extent.start_ns || timeline->window.end_ns < extent.end_ns;
    for (int k = 0; k < timeline->columns; k++) {
        bool inside = part && k >= first && k <= last;
        canvas_put(canvas, x + k, y,
                   glyph_bars(timeline->minimap[2 * k], timeline->minimap[2 * k + 1], canvas->ascii),
                   STYLE(inside ? COLOR_TITLE : COLOR_DIM, inside ? COLOR_SELECTED : COLOR_NONE, 0));
    }
    int open = first > 0 ? first - 1 : 0, end = timeline->columns - 1, close = last < end ? last + 1 : end;
    if (part && open < close) { /* outside of the part, or on its first or last cell */
        canvas_put(canvas, x + open, y, '[', STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
        canvas_put(canvas, x + close, y, ']', STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
    }
}

#define NOW_STEP_NS INT64_C(100000000)

/* As precise as the columns are; the times of the read-out beside it are exact. */
static struct number cursor_text(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    int64_t step = axis_step(timeline->window, 10 * timeline->columns, 1);
    return number_since(timeline->cursor_ns, screen->zero_ns, step);
}

/* Paints nothing if the text does not fit. */
static int draw_whole(struct canvas *canvas, int x, int y, int room, struct style style, const char *text)
{
    return (int)strlen(text) <= room ? canvas_text(canvas, x, y, room, style, text) : 0;
}

static void draw_readout(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct timeline_readout *readout = &timeline_state(screen)->readout;
    struct style plain = STYLE(COLOR_TEXT, COLOR_NONE, 0), dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    int x = line.x + 1, end = line.x + line.width;
    if (timeline_follows(screen)) {
        canvas_printf(canvas, x, line.y, end - x, dim,
                      "following the newest events, now at %s; moving the cursor stops",
                      number_since(screen->now_ns[screen_clock(screen)], screen->zero_ns, NOW_STEP_NS).text);
        return;
    }
    x += canvas_printf(canvas, x, line.y, end - x, dim, "at %s  ", cursor_text(screen).text);
    const struct bookmark_row *mark = timeline_bookmark_here(screen);
    if (mark)
        x += canvas_printf(canvas, x, line.y, (end - x) / 2, STYLE(COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD),
                           "* %s  ", mark->text);
    if (readout->chart.chart != NONE) {
        const struct timeline_chart *chart = &timeline_state(screen)->charts.items[readout->chart.chart];
        char text[400];
        timeline_chart_text(screen, text, sizeof text);
        x += canvas_printf(canvas, x, line.y, end - x, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), "%s  ",
                           chart->about.title);
        if (chart->why == 0)
            x += canvas_printf(canvas, x, line.y, end - x, dim, "%s  ",
                               provenance_text(series_provenance(screen_clock(screen))));
        canvas_text(canvas, x, line.y, end - x, plain, text);
        return;
    }
    if (readout->track == NONE && readout->column_ns > 0) {
        canvas_printf(
            canvas, x, line.y, end - x, plain,
            "%.2f streams and %.2f copy engines busy on average in this column, %s event%s begin%s in it",
            readout->streams, readout->engines, number_exact((int64_t)readout->count).text,
            readout->count == 1 ? "" : "s", readout->count == 1 ? "s" : "");
        return;
    }
    if (!readout->found) {
        canvas_text(canvas, x, line.y, end - x, dim, readout->track == NONE ? "" : "nothing here");
        return;
    }
    char text[200], brief[200], times[2][NUMBER_SIZE + 16];
    bool folded = readout->item.flags & ITEM_FOLDED;
    snprintf(times[0], sizeof times[0], "  %s ns", number_exact(readout->end_ns - readout->start_ns).text);
    snprintf(times[1], sizeof times[1], "  from %s",
             number_since(readout->start_ns, screen->zero_ns, 1).text);
    /* The exact times have fixed widths; the name is cut to make room for them; the texts after them are
     * shown whole or not at all. */
    int half = (end - x) / 2, room = end - x - (int)(strlen(times[0]) + strlen(times[1]));
    room = folded || room < half ? half : room;
    timeline_item_text(screen, &readout->item, readout->end_ns - readout->start_ns, text, sizeof text);
    brief_text(text, room, brief, sizeof brief);
    struct timeline_cell look = {0};
    timeline_item_look(screen, &readout->item, &look);
    x += canvas_text(canvas, x, line.y, room, STYLE(look.color, COLOR_NONE, ATTRIBUTE_BOLD), brief);
    if (folded) {
        canvas_printf(canvas, x, line.y, end - x, dim,
                      "  longest of several, about %.0f %% busy; the single events are %s (--memory)",
                      100.0 * (double)readout->busy_ns / (double)readout->column_ns, detail_where(screen));
        return;
    }
    x += draw_whole(canvas, x, line.y, end - x, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), times[0]);
    if (readout->item.flags & ITEM_UNFINISHED)
        x += canvas_text(canvas, x, line.y, end - x, STYLE(COLOR_WARN, COLOR_NONE, 0),
                         " at least: it never ended");
    x += draw_whole(canvas, x, line.y, end - x, plain, times[1]);
    const struct timeline_link *link = &timeline_state(screen)->link;
    bool call = readout->item.kind == ITEM_CALL;
    if (link->found) {
        snprintf(text, sizeof text, "  %s %s ns %s", call ? "its work starts" : "called",
                 number_exact(link->start_ns - link->call_start_ns).text, call ? "later" : "before");
        x += draw_whole(canvas, x, line.y, end - x, dim, text);
    }
    if (readout->count > 1) {
        snprintf(text, sizeof text, "  %s of %s in this column, %.1f %% busy",
                 readout->exact ? "one" : "longest", number_exact((int64_t)readout->count).text,
                 100.0 * (double)readout->busy_ns / (double)readout->column_ns);
        draw_whole(canvas, x, line.y, end - x, dim, text);
    }
}

/* For a program all processes are shown. */
static void name_run(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct run_row *run = session_run(screen->session, screen->run);
    if (run->workload == 0 && timeline_state(screen)->groups.many_processes)
        snprintf(text, size_bytes, "%s, all processes", session_string(screen->session, run->program));
    else
        screen_run_name(screen, screen->run, text, size_bytes);
}

static void title_of(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct timeline *timeline = timeline_state(screen);
    char run[200] = "all processes";
    if (screen->run != NONE)
        name_run(screen, run, sizeof run);
    else if (screen->host->watch && screen_device(screen))
        snprintf(run, sizeof run, "%s, all programs", screen_device(screen)->info.name);
    bool model = screen_clock(screen) == CLOCK_MODEL;
    struct number span = number_time(timeline->window.end_ns - timeline->window.start_ns);
    const char *mode = screen->frozen ? ", FROZEN" : timeline_follows(screen) ? ", following" : "";
    char only[120] = "", find[120] = "", hidden[40] = "", measured[100] = "";
    if (timeline->find.text[0] != '\0')
        snprintf(find, sizeof find, "  find: %.100s", timeline->find.text);
    if (timeline->filter.text[0] != '\0')
        snprintf(only, sizeof only, "  only: %.100s", timeline->filter.text);
    if (timeline->hidden > 0)
        snprintf(hidden, sizeof hidden, "  %d hidden", timeline->hidden);
    if (timeline->marked[0] && timeline->marked[1])
        snprintf(measured, sizeof measured, "  [ to ]: %s ns",
                 number_exact(timeline->mark_ns[1] - timeline->mark_ns[0]).text);
    size_t used = 0;
    append_text(text, size_bytes, &used, "%s  %s", screen->host->watch ? "Watch" : "Timeline", run);
    if (!screen->host->watch || timeline->rows_list.count > 0) /* without a sample no time is shown */
        append_text(text, size_bytes, &used, "  shows %s", span.text);
    append_text(text, size_bytes, &used, "%s%s%s%s%s%s", model ? " of modelled time" : "", mode, measured,
                only, find, hidden);
}

/* Paints the run's most important problem in the upper right of the frame, if the title leaves room; if only
 * that fits, without its last clause. */
static void draw_verdict(const struct screen *screen, struct canvas *canvas, struct rect area,
                         const char *title)
{
    char text[300];
    if (screen_run_runs(screen, screen->run))
        return;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    struct style style =
        verdict->replaying ? STYLE(COLOR_DIM, COLOR_NONE, 0) : STYLE(COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD);
    run_verdict_text(verdict, text, sizeof text);
    int room = area.width - text_width(title, area.width) - 12;
    char *clause = strrchr(text, ',');
    if (clause && text_width(text, area.width) > room)
        *clause = '\0';
    int width = text_width(text, area.width), x = area.x + area.width - width - 4;
    if (width == 0 || view_inside(area).width == area.width || width > room)
        return;
    canvas_put(canvas, x - 2, area.y, ' ', STYLE(COLOR_FRAME, COLOR_NONE, 0));
    if (!verdict->replaying)
        canvas_glyph(canvas, x - 1, area.y, GLYPH_WARNING, style);
    canvas_put(canvas, x, area.y, ' ', STYLE(COLOR_FRAME, COLOR_NONE, 0));
    canvas_text(canvas, x + 1, area.y, width, style, text);
    canvas_put(canvas, x + 1 + width, area.y, ' ', STYLE(COLOR_FRAME, COLOR_NONE, 0));
}

/* Paints into the lower frame how many rows are above and below those on screen. */
static void draw_more_rows(const struct timeline *timeline, struct canvas *canvas, struct rect area)
{
    const struct list *list = &timeline->rows_list;
    int above = 0, below = 0, end = list->top + list->height;
    for (int i = timeline->pinned; i < list->count; i++) {
        above += i < list->top + timeline->pinned && timeline->rows[i].line == 0;
        below += i >= end && timeline->rows[i].line == 0;
    }
    view_frame_rows(canvas, area, above, below);
}

/* In place of rows while the first launch of a run takes long on the device model: how far it is. */
static void draw_launch(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct tui_host_state *state = &screen->state;
    char left[PROGRESS_LEFT_BYTES];
    unsigned percent = progress_percent(&state->launch);
    progress_left_text(&state->launch, left);
    canvas_printf(canvas, area.x, area.y, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                  "%s launch %llu  %u %%%s%s", state->kernel, (unsigned long long)state->launch.launch,
                  percent, *left ? "  " : "", left);
    if (area.height > 1)
        canvas_bar(canvas, area.x, area.y + 1, area.width, (double)percent / 100, COLOR_FOCUS);
    if (area.height > 2)
        canvas_text(canvas, area.x, area.y + 2, area.width, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "Work of the device appears here as each operation ends.");
}

/* On the axis above the cursor; a label there stays readable. */
static void draw_cursor_mark(struct canvas *canvas, int x, int y)
{
    const struct cell *cell = canvas_cell(canvas, x, y);
    struct style style = STYLE(COLOR_INK, COLOR_FOCUS, ATTRIBUTE_BOLD);
    bool label =
        cell->codepoint >= ' ' && cell->codepoint < 0x7f && cell->codepoint != '-' && cell->codepoint != '+';
    canvas_put(canvas, x, y,
               label           ? cell->codepoint
               : canvas->ascii ? '|' /* 'v' is the mark of what was verified */
                               : 'v',
               style);
}

/* Paints bookmarks and the two marks on the axis. */
static void draw_marks(const struct screen *screen, struct canvas *canvas, int x, int y)
{
    const struct timeline *timeline = timeline_state(screen);
    for (int k = 0; k < timeline->columns; k++)
        canvas_glyph(canvas, x + k, y, GLYPH_HORIZONTAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    for (uint32_t i = 0; i < session_bookmark_count(screen->session); i++) {
        const struct bookmark_row *row = session_bookmark(screen->session, i);
        int k = axis_column(timeline->window, timeline->columns, row->time_ns);
        if (row->clock == screen_clock(screen) && k >= 0 && k < timeline->columns)
            canvas_put(canvas, x + k, y, '*', STYLE(COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD));
    }
    for (int i = 0; i < 2; i++) {
        int k = axis_column(timeline->window, timeline->columns, timeline->mark_ns[i]);
        if (timeline->marked[i] && k >= 0 && k < timeline->columns)
            canvas_put(canvas, x + k, y, i == 0 ? '[' : ']',
                       STYLE(COLOR_FOCUS, COLOR_SELECTED, ATTRIBUTE_BOLD));
    }
}

/* Paints the range between the marks. */
static void draw_between(const struct timeline *timeline, struct canvas *canvas, int x, int y)
{
    int from = axis_column(timeline->window, timeline->columns, timeline->mark_ns[0]);
    int last = axis_column(timeline->window, timeline->columns, timeline->mark_ns[1]);
    if (!timeline->marked[0] || !timeline->marked[1] || from > last)
        return;
    from = from < 0 ? 0 : from;
    int to = last < timeline->columns ? last + 1 : timeline->columns;
    if (to > from)
        canvas_ground(canvas, (struct rect){x + from, y, to - from, 1}, COLOR_SELECTED);
}

/* Paints one end of the link from a call to its work: underlined; the far end has an 'o' where it starts. */
static void draw_link_end(const struct screen *screen, struct canvas *canvas, int x, int y, uint32_t track,
                          uint32_t lane, int64_t start_ns, int64_t end_ns, bool far)
{
    const struct timeline *timeline = timeline_state(screen);
    int first = axis_column(timeline->window, timeline->columns, start_ns);
    int last = axis_column(timeline->window, timeline->columns, end_ns > start_ns ? end_ns - 1 : start_ns);
    for (int line = 0; line < timeline->cell_rows; line++) {
        const struct timeline_row *row = &timeline->rows[timeline_row_of_line(screen, line)];
        if (row->track != track || (row->lane != NONE && lane != NONE && row->lane != lane))
            continue;
        for (int k = first < 0 ? 0 : first; k <= last && k < timeline->columns; k++)
            canvas_add_attribute(canvas, x + k, y + line, ATTRIBUTE_UNDERLINE);
        if (far && first >= 0 && first < timeline->columns)
            canvas_put(canvas, x + first, y + line, 'o', STYLE(COLOR_INK, COLOR_FOCUS, ATTRIBUTE_BOLD));
    }
}

static void draw_link(const struct screen *screen, struct canvas *canvas, int x, int y)
{
    const struct timeline_link *link = &timeline_state(screen)->link;
    bool at_call = timeline_state(screen)->readout.item.kind == ITEM_CALL;
    if (!link->found)
        return;
    if (link->call_track != NONE)
        draw_link_end(screen, canvas, x, y, link->call_track, NONE, link->call_start_ns, link->call_end_ns,
                      !at_call);
    draw_link_end(screen, canvas, x, y, link->work.track, link->work.lane, link->start_ns, link->end_ns,
                  at_call);
}

/* Gives every second row a ground of its own, so that the eye follows a row across a wide screen; the lines
 * of a chart are one row. A full block needs no ground. */
static void draw_grounds(const struct screen *screen, struct canvas *canvas, struct rect rows)
{
    const struct timeline *timeline = timeline_state(screen);
    for (int line = 0; line < timeline->cell_rows; line++) {
        int index = timeline_row_of_line(screen, line), number = 0;
        for (int i = 0; i <= index; i++)
            number += timeline->rows[i].line == 0;
        for (int x = rows.x; x < rows.x + rows.width && number % 2 == 0; x++)
            if (canvas_cell(canvas, x, rows.y + line)->codepoint != FULL_BLOCK)
                canvas_ground(canvas, (struct rect){x, rows.y + line, 1, 1}, COLOR_TRACK);
    }
}

void timeline_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct timeline *timeline = timeline_state(screen);
    struct timeline_parts parts = timeline_parts_of(timeline, area);
    char title[600];
    title_of(screen, title, sizeof title);
    view_frame(canvas, area, title, focus);
    draw_more_rows(timeline, canvas, area);
    draw_verdict(screen, canvas, area, title);
    if (parts.ribbon >= 0)
        ribbon_draw(screen, canvas,
                    (struct rect){parts.inside.x + 1, parts.ribbon, parts.inside.width - 2, 1});
    if (parts.race >= 0)
        race_draw(
            screen, canvas,
            (struct rect){parts.inside.x + 1, parts.race, parts.inside.width - 2, timeline->race.count});
    int x = parts.inside.x + timeline->label_width;
    struct rect body = {parts.inside.x + 1, parts.rows, parts.inside.width - 2, parts.row_count};
    if (timeline->rows_list.count == 0 && screen->state.launching) {
        int above = timeline->has_ribbon + timeline->race.count;
        draw_launch(screen, canvas,
                    (struct rect){body.x, parts.inside.y + above, body.width, parts.inside.height - above});
        return;
    }
    if (timeline->rows_list.count == 0) {
        const char *text =
            timeline->hidden > 0 || timeline->filter.text[0] != '\0'
                ? "All rows are hidden: I shows them again, F changes the filter."
            : screen->host->watch                  ? "No sample has arrived yet."
            : screen->state.loading                ? "The events of this run are still being read."
            : screen_run_runs(screen, screen->run) ? "No operation of this run has ended on the device yet."
            : screen->state.live                   ? "Nothing has run on the device yet."
                                 : screen_why_empty(screen, "This recording has no work on a device.");
        canvas_wrap(canvas, body, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        if (screen_run_runs(screen, screen->run) && timeline->hidden == 0 && body.height > 1)
            for (int k = 0; k < body.width; k++)
                canvas_glyph(canvas, body.x + k, body.y + 1, GLYPH_RUNNING,
                             STYLE(COLOR_FOCUS, COLOR_NONE, 0));
        return;
    }
    int top = parts.axis >= 0 ? parts.axis : parts.rows;
    canvas->band = (struct canvas_band){
        .area = {x, top, timeline->columns, parts.rows + parts.row_count - top},
        .start = timeline->window.start_ns,
        .span = timeline->window.end_ns - timeline->window.start_ns,
    };
    if (parts.axis >= 0) {
        draw_marks(screen, canvas, x, parts.axis);
        draw_axis(screen, canvas, x, parts.axis);
        draw_between(timeline, canvas, x, parts.axis);
    }
    for (int r = 0; r < timeline->cell_rows; r++) {
        int index = timeline_row_of_line(screen, r);
        timeline_draw_label(screen, canvas, parts.inside.x, parts.rows + r, &timeline->rows[index],
                            index == timeline->rows_list.selected);
        timeline_paint_row(screen, canvas, x, parts.rows + r, &timeline->rows[index],
                           timeline->cells + (size_t)r * (size_t)timeline->columns);
        draw_why(screen, canvas, x, parts.rows + r, &timeline->rows[index]);
        draw_few(screen, canvas, x, parts.rows + r, &timeline->rows[index]);
    }
    int cursor = axis_column(timeline->window, timeline->columns, timeline->cursor_ns);
    if (cursor >= 0 && cursor < timeline->columns && !timeline_follows(screen)) {
        draw_link(screen, canvas, x, parts.rows);
        canvas_ground(canvas, (struct rect){x + cursor, parts.rows, 1, parts.row_count}, COLOR_CURSOR);
        if (parts.axis >= 0)
            draw_cursor_mark(canvas, x + cursor, parts.axis);
    }
    draw_grounds(screen, canvas, (struct rect){parts.inside.x, parts.rows, parts.inside.width, 1});
    timeline_path_draw(screen, canvas, x, parts.rows, parts.minimap);
    if (parts.minimap >= 0 && !timeline->path.shown &&
        timeline->minimap_columns == timeline->columns) /* else no memory */
        draw_minimap(screen, canvas, parts.inside.x, parts.minimap);
    if (parts.readout >= 0)
        draw_readout(screen, canvas, (struct rect){parts.inside.x, parts.readout, parts.inside.width, 1});
}
