/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From lanes to cells: what each column of each row on screen shows. Calls core/session/lod once per lane and
 * row, so that the cost follows columns and not events; only the events at the edge of a partly filled cell
 * are looked at one by one.
 */

#include "core/analysis/kernel_metrics.h"

#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdio.h>
#include <string.h>

/* A mark for the direction: from the host to the device, back, or neither. */
static char copy_mark(uint8_t kind)
{
    return kind == COPY_HTOD || kind == COPY_HTOA ? '>' : kind == COPY_DTOH || kind == COPY_ATOH ? '<' : '=';
}

static uint8_t copy_color(uint8_t kind)
{
    char mark = copy_mark(kind);
    return mark == '>' ? COLOR_COPY_IN : mark == '<' ? COLOR_COPY_OUT : COLOR_COPY_ON;
}

void timeline_item_look(const struct screen *screen, const struct item *item, struct timeline_cell *cell)
{
    uint16_t name;
    switch ((enum item_kind)item->kind) {
    case ITEM_LAUNCH:
        name = naming_of_kernel(&screen->naming, screen->session, item->launch.kernel);
        cell->mark = item->flags & ITEM_WHOLE_GRAPH ? '*' : naming_letter(name);
        cell->color = item->flags & ITEM_WHOLE_GRAPH ? COLOR_CPU : (uint8_t)naming_color(name);
        cell->owner = 0x100u + name;
        return;
    case ITEM_COPY:
        cell->mark = copy_mark(item->a);
        cell->color = copy_color(item->a);
        cell->owner = 0x10u + item->a;
        return;
    case ITEM_SET:
        cell->mark = '0';
        cell->color = COLOR_COPY_ON;
        cell->owner = 1;
        return;
    case ITEM_RANGE:
        cell->mark = '#';
        cell->color = COLOR_CPU;
        cell->owner = 0x20000u + item->range.name;
        return;
    case ITEM_CALL:
        cell->mark = call_category_mark(item->b);
        cell->color = COLOR_CPU;
        cell->owner = 0x1000000u + item->call.name;
        return;
    case ITEM_SYNC: cell->mark = 'W'; break;
    case ITEM_OVERHEAD: cell->mark = '!'; break;
    case ITEM_MEASUREMENT:
        name = NAMING_NONE;
        if (item->measurement.measurement < session_measurement_count(screen->session))
            name =
                naming_of_kernel(&screen->naming, screen->session,
                                 session_measurement(screen->session, item->measurement.measurement)->kernel);
        cell->mark = naming_letter(name);
        cell->color = (uint8_t)naming_color(name);
        cell->owner = 0x100u + name;
        return;
    }
    cell->color = COLOR_CPU;
    cell->owner = 2u + item->kind;
}

/* The kernel of the event; NONE: the event is not of a kernel, or the kernel is not known. */
uint32_t timeline_item_kernel(const struct session *session, const struct item *item)
{
    uint32_t kernel = NONE;
    if (item->kind == ITEM_LAUNCH && (item->flags & ITEM_WHOLE_GRAPH) == 0)
        kernel = item->launch.kernel;
    if (item->kind == ITEM_MEASUREMENT && item->measurement.measurement < session_measurement_count(session))
        kernel = session_measurement(session, item->measurement.measurement)->kernel;
    return kernel < session_kernel_count(session) ? kernel : NONE;
}

void timeline_item_name(const struct screen *screen, const struct item *item, char *text, size_t size_bytes)
{
    const struct session *session = screen->session;
    uint32_t kernel = timeline_item_kernel(session, item);
    switch ((enum item_kind)item->kind) {
    case ITEM_COPY:
        snprintf(text, size_bytes, "%s%s", item->a == COPY_OTHER ? "" : "copy ", copy_kind_text(item->a));
        return;
    case ITEM_SET: snprintf(text, size_bytes, "set"); return;
    case ITEM_CALL: snprintf(text, size_bytes, "%s", session_string(session, item->call.name)); return;
    case ITEM_RANGE: snprintf(text, size_bytes, "%s", session_string(session, item->range.name)); return;
    case ITEM_SYNC: snprintf(text, size_bytes, "%s", sync_kind_text(item->a)); return;
    case ITEM_OVERHEAD:
        snprintf(text, size_bytes, "profiling: %s", session_string(session, item->overhead.name));
        return;
    case ITEM_LAUNCH:
    case ITEM_MEASUREMENT: break;
    }
    if (kernel != NONE)
        short_names_print_kernel(screen->naming.names, session, kernel, SHORT_NAME_WHOLE, text, size_bytes);
    else if (item->flags & ITEM_WHOLE_GRAPH)
        snprintf(text, size_bytes, "graph %u, whole launch", item->launch.graph);
    else
        snprintf(text, size_bytes, "an unknown kernel");
}

const char *timeline_detail_text(const struct screen *screen)
{
    return session_is_recorded(screen->session) ? "in the recording" : "lost, because the recording failed";
}

/* A description of the event without its times: a kernel with its letter, a copy with its size. */
void timeline_item_text(const struct screen *screen, const struct item *item, int64_t duration_ns, char *text,
                        size_t size_bytes)
{
    struct timeline_cell look = {0};
    char name[128];
    timeline_item_name(screen, item, name, sizeof name);
    if (item->kind == ITEM_COPY || item->kind == ITEM_SET) {
        uint64_t bytes = item->kind == ITEM_COPY ? item->copy.size_bytes : item->set.size_bytes;
        bool staged = item->kind == ITEM_COPY && item_copy_is_staged(item);
        struct number rate = {""};
        if (duration_ns > 0 && !staged)
            rate = number_rate((double)bytes * 1e9 / (double)duration_ns);
        snprintf(text, size_bytes, "%s, %s%s%s%s", name, number_bytes(bytes).text,
                 rate.text[0] != '\0' ? ", " : "", rate.text,
                 staged ? " between GPUs; time of one piece" : "");
        return;
    }
    if (timeline_item_kernel(screen->session, item) == NONE) {
        snprintf(text, size_bytes, "%s", name);
        return;
    }
    timeline_item_look(screen, item, &look);
    snprintf(text, size_bytes, "%c %s", look.mark, name);
}

static int eighths_of(int64_t part_ns, int64_t whole_ns)
{
    int n = (int)((part_ns * 16 / (whole_ns > 0 ? whole_ns : 1) + 1) / 2);
    return n < 1 ? 1 : n > 8 ? 8 : n;
}

static int64_t clipped_ns(int64_t start, int64_t end, int64_t from, int64_t to)
{
    start = start < from ? from : start;
    end = end > to ? to : end;
    return end > start ? end - start : 0;
}

/* Two events share a cell, one up to its right edge, one from its left edge: both are drawn. */
static bool split_cell(const struct screen *screen, const struct lod_column *column, struct event_ref longest,
                       int64_t from, int64_t to, struct timeline_cell *cell)
{
    const struct session *session = screen->session;
    uint64_t count = session_lane_count_events(session, longest.track, longest.lane);
    bool longest_is_left = session_event_start_ns(session, longest) < from;
    struct event_ref other = longest;
    if ((longest_is_left ? longest.index + 1 >= count : longest.index == 0) ||
        timeline_state(screen)->filter.text[0] != '\0') /* the other event may be filtered out */
        return false;
    other.index = longest_is_left ? longest.index + 1 : longest.index - 1;
    struct event_ref left = longest_is_left ? longest : other, right = longest_is_left ? other : longest;
    int64_t left_end = session_event_end_ns(session, left),
            right_start = session_event_start_ns(session, right);
    int64_t left_ns = clipped_ns(session_event_start_ns(session, left), left_end, from, to);
    int64_t right_ns = clipped_ns(right_start, session_event_end_ns(session, right), from, to);
    if (left_ns + right_ns != column->busy_ns || left_ns == 0 || session_event_end_ns(session, right) < to ||
        (right_start - left_end) * 8 > to - from)
        return false;
    struct timeline_cell second = {0};
    struct item item = session_event_item(session, left);
    timeline_item_look(screen, &item, cell);
    item = session_event_item(session, right);
    timeline_item_look(screen, &item, &second);
    cell->shape = CELL_SPLIT;
    cell->color2 = second.color;
    cell->eighths = (uint8_t)eighths_of(left_ns, to - from);
    return true;
}

/* Fills the cell for one column of one lane. */
static void make_cell(const struct screen *screen, const struct lod_column *column, struct event_ref longest,
                      int64_t from, int64_t to, struct timeline_cell *cell)
{
    const struct session *session = screen->session;
    struct item item = session_event_item(session, longest);
    int64_t start = session_event_start_ns(session, longest), end = session_event_end_ns(session, longest);
    int64_t own = clipped_ns(start, end, from, to);
    *cell =
        (struct timeline_cell){.event = longest, .eighths = (uint8_t)eighths_of(column->busy_ns, to - from)};
    timeline_item_look(screen, &item, cell);
    bool alone = own == column->busy_ns && column->count <= 1;
    if (column->busy_ns >= to - from)
        cell->shape = alone ? CELL_FULL : CELL_LEVEL;
    else if (alone && start <= from)
        cell->shape = CELL_LEFT;
    else if (alone && end >= to)
        cell->shape = CELL_RIGHT;
    else if (alone)
        cell->shape = CELL_LEFT;
    else
        cell->shape = CELL_LEVEL;
    if (cell->shape == CELL_LEVEL && column->count == 1 &&
        split_cell(screen, column, longest, from, to, cell))
        return;
    if (cell->eighths == 8 && cell->shape != CELL_LEVEL)
        cell->shape = CELL_FULL;
}

static bool keeps_item(void *context, const struct item *item)
{
    return timeline_keeps(context, item, INT64_MAX);
}

void timeline_query(struct screen *screen, uint32_t track, uint32_t lane, struct window window,
                    struct lod_column *columns, size_t count)
{
    const struct timeline_filter *filter = &timeline_state(screen)->filter;
    if (filter->text[0] == '\0')
        lod_query(screen->session, track, lane, window.start_ns, window.end_ns, columns, count);
    else
        lod_query_where(screen->session, track, lane, window.start_ns, window.end_ns, columns, count,
                        filter->least_ns, keeps_item, screen);
}

/* The lanes that the row shows: from *first to before *end. */
static void lanes_of(const struct session *session, const struct timeline_row *row, uint32_t *first,
                     uint32_t *end)
{
    *first = row->lane == NONE ? 0 : row->lane;
    *end = row->lane == NONE
               ? atomic_load_explicit(&session_track(session, row->track)->lane_count, memory_order_acquire)
               : row->lane + 1;
}

static void make_row(struct screen *screen, struct timeline_row *row, struct timeline_cell *cells)
{
    struct timeline *timeline = timeline_state(screen);
    const struct session *session = screen->session;
    size_t columns = (size_t)timeline->columns;
    struct window window = timeline->window;
    uint32_t lane, lanes;
    if (row->kind == ROW_CHART) {
        timeline_charts_cells(screen, row, cells);
        return;
    }
    memset(cells, 0, columns * sizeof *cells);
    if (row->kind != ROW_TRACK) /* headings are made from the sums of the other rows */
        return;
    row->events = 0;
    for (lanes_of(session, row, &lane, &lanes); lane < lanes; lane++) {
        timeline_query(screen, row->track, lane, window, timeline->scratch, columns);
        lod_fetch_longest(session, row->track, lane, timeline->scratch, columns);
        for (size_t k = 0; k < columns; k++) {
            const struct lod_column *column = &timeline->scratch[k];
            row->events += column->count;
            cells[k].count += (uint32_t)column->count;
            if (column->longest == UINT64_MAX)
                continue;
            int64_t from = lod_column_start_ns(window.start_ns, window.end_ns, columns, k);
            int64_t to = lod_column_start_ns(window.start_ns, window.end_ns, columns, k + 1);
            /* Lanes are folded: the busiest one in the column is drawn. */
            if (cells[k].shape != CELL_EMPTY && eighths_of(column->busy_ns, to - from) <= cells[k].eighths)
                continue;
            uint32_t begun = cells[k].count;
            make_cell(screen, column, (struct event_ref){row->track, lane, column->longest}, from, to,
                      &cells[k]);
            cells[k].count = begun;
        }
        if (row->lane == NONE)
            timeline_sums_add(screen, row->track, timeline->scratch, cells, lane + 1 == lanes);
    }
    for (size_t i = 0; i < timeline->open_count; i++) {
        const struct open_launch *open = &timeline->open[i];
        uint16_t name = naming_of_shape(&screen->naming, session, open->shape);
        if (open->track != row->track || (row->lane != NONE && row->lane != 0))
            continue;
        int first = axis_column(window, timeline->columns, open->call_start_ns);
        int last = axis_column(window, timeline->columns, screen->now_ns[screen_clock(screen)]);
        for (int k = first < 0 ? 0 : first; k <= last && k < timeline->columns; k++)
            if (cells[k].shape == CELL_EMPTY)
                cells[k] = (struct timeline_cell){.shape = CELL_OPEN,
                                                  .color = (uint8_t)naming_color(name),
                                                  .mark = naming_letter(name),
                                                  .owner = 0x8000000u + name};
    }
}

/* The length of a launch in progress on the model is not known: it has the rest of the window, hatched up to
 * its percentage. Which stream it is in is not known either, unless there is one. */
static void add_launch_in_progress(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    int streams = 0, columns = timeline->columns;
    if (!timeline_follows(screen) || !timeline->follow_whole || screen_clock(screen) != CLOCK_MODEL ||
        !screen->state.launching)
        return;
    for (int i = 0; i < timeline->rows_list.count; i++)
        streams += timeline->rows[i].kind == ROW_TRACK &&
                   session_track(screen->session, timeline->rows[i].track)->kind == TRACK_STREAM;
    int first = axis_column(timeline->window, columns, timeline->cursor_ns);
    first = first < 0 ? 0 : first;
    int last =
        first + (int)((unsigned)(columns - first) * (progress_percent(&screen->state.launch) % 101) / 100);
    for (int r = 0; r < timeline->cell_rows; r++) {
        const struct timeline_row *row = &timeline->rows[timeline_row_of_line(screen, r)];
        struct timeline_cell *cells = timeline->cells + (size_t)r * (size_t)columns;
        if (row->kind != ROW_DEVICE && (row->kind != ROW_TRACK || streams != 1 ||
                                        session_track(screen->session, row->track)->kind != TRACK_STREAM))
            continue;
        for (int k = first; k <= last && k < columns; k++)
            if (cells[k].shape == CELL_EMPTY)
                cells[k] = (struct timeline_cell){.shape = CELL_OPEN, .color = COLOR_FOCUS};
    }
}

/* The minimap of all lanes is the most expensive part of a frame, so it is made again only when it shows
 * other work, and at most twice a second while work comes in. */
#define MINIMAP_MS 500

static bool minimap_is_fresh(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    struct window extent = timeline_extent(screen);
    uint64_t events = session_event_count(screen->session);
    bool same_place = timeline->minimap_columns == timeline->columns &&
                      timeline->minimap_run == screen->run &&
                      timeline->minimap_tracks == timeline->groups.count + timeline->charts.count;
    bool same = same_place && timeline->minimap_events == events &&
                timeline->minimap_extent.start_ns == extent.start_ns &&
                timeline->minimap_extent.end_ns == extent.end_ns;
    bool rescaled = timeline_follows(screen) && (timeline->minimap_extent.start_ns != extent.start_ns ||
                                                 timeline->minimap_extent.end_ns != extent.end_ns);
    if (same || (same_place && !rescaled && screen->state.live &&
                 screen->clock_ms - timeline->minimap_ms < MINIMAP_MS))
        return true;
    timeline->minimap_columns = timeline->columns;
    timeline->minimap_run = screen->run;
    timeline->minimap_tracks = timeline->groups.count + timeline->charts.count;
    timeline->minimap_events = events;
    timeline->minimap_extent = extent;
    timeline->minimap_ms = screen->clock_ms;
    return false;
}

/* For each half cell of the whole run, the busy time of the busiest track that is shown, as 0 to 4. */
static void make_minimap(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    struct window extent = timeline_extent(screen);
    size_t halves = 2 * (size_t)timeline->columns;
    memset(timeline->minimap, 0, halves);
    timeline_charts_minimap(screen, extent, timeline->minimap, halves);
    for (size_t i = 0; i < timeline->groups.count; i++) {
        uint32_t track = timeline->groups.members[i].track;
        uint8_t kind = session_track(screen->session, track)->kind;
        if (kind != TRACK_STREAM && kind != TRACK_MEASUREMENTS)
            continue;
        const struct timeline_row folded = {.track = track, .lane = NONE};
        uint32_t lane, lanes;
        for (lanes_of(screen->session, &folded, &lane, &lanes); lane < lanes; lane++) {
            lod_query(screen->session, track, lane, extent.start_ns, extent.end_ns, timeline->scratch,
                      halves);
            for (size_t k = 0; k < halves; k++) {
                int64_t width = lod_column_start_ns(extent.start_ns, extent.end_ns, halves, k + 1) -
                                lod_column_start_ns(extent.start_ns, extent.end_ns, halves, k);
                if (timeline->scratch[k].longest == UINT64_MAX)
                    continue;
                int level = (eighths_of(timeline->scratch[k].busy_ns, width) + 1) / 2;
                if (level > timeline->minimap[k])
                    timeline->minimap[k] = (uint8_t)level;
            }
        }
    }
}

/* Computes how many of the heading's streams and copy engines were busy on average. */
static void read_heading(struct screen *screen, const struct timeline_row *heading, struct window column)
{
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    struct timeline_readout *readout = &timeline_state(screen)->readout;
    double column_ns = (double)(column.end_ns - column.start_ns);
    for (size_t i = 0; i < groups->count; i++) {
        const struct timeline_row row = {.track = groups->members[i].track, .lane = NONE};
        uint8_t kind = session_track(screen->session, row.track)->kind;
        if (!timeline_row_has(heading, &groups->members[i]))
            continue;
        uint32_t lane, lanes;
        for (lanes_of(screen->session, &row, &lane, &lanes); lane < lanes; lane++) {
            struct lod_column found;
            timeline_query(screen, row.track, lane, column, &found, 1);
            if (kind == TRACK_COPY_ENGINE) {
                readout->engines += (double)found.busy_ns / column_ns;
            } else if (kind == TRACK_STREAM || kind == TRACK_MEASUREMENTS) {
                readout->streams += (double)found.busy_ns / column_ns;
                readout->count += found.count;
            }
        }
    }
}

/* Finds the lane's event that starts exactly at this time, as after a jump; false: none that is shown. */
static bool starts_at(struct screen *screen, uint32_t track, uint32_t lane, int64_t time_ns,
                      struct event_ref *event)
{
    const struct session *session = screen->session;
    struct event_ref ref = {track, lane, session_lane_find(session, track, lane, time_ns)};
    if (ref.index >= session_lane_count_events(session, track, lane) ||
        session_event_start_ns(session, ref) != time_ns)
        return false;
    struct item item = session_event_item(session, ref);
    if (!timeline_keeps(screen, &item, session_event_end_ns(session, ref) - time_ns))
        return false;
    *event = ref;
    return true;
}

static void make_readout(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_readout *readout = &timeline->readout;
    int column = axis_column(timeline->window, timeline->columns, timeline->cursor_ns);
    *readout = (struct timeline_readout){.track = NONE, .chart.chart = NONE};
    if (timeline->rows_list.count == 0 || column < 0 || column >= timeline->columns)
        return;
    const struct timeline_row *row = &timeline->rows[timeline->rows_list.selected];
    readout->track = row->track;
    int64_t from = axis_column_start(timeline->window, timeline->columns, column);
    int64_t to = axis_column_start(timeline->window, timeline->columns, column + 1);
    readout->column_ns = to - from;
    if (row->kind == ROW_CHART) {
        timeline_charts_readout(screen, row->chart, (struct window){from, to});
        return;
    }
    if (row->kind != ROW_TRACK) {
        read_heading(screen, row, (struct window){from, to});
        return;
    }
    uint32_t lane, lanes;
    for (lanes_of(screen->session, row, &lane, &lanes); lane < lanes; lane++) {
        struct lod_column found;
        timeline_query(screen, readout->track, lane, (struct window){from, to}, &found, 1);
        readout->count += found.count;
        if (!readout->exact && starts_at(screen, readout->track, lane, timeline->cursor_ns, &readout->event))
            readout->exact = readout->found = true;
        if (found.longest == UINT64_MAX || (readout->found && found.busy_ns <= readout->busy_ns))
            continue;
        readout->found = true;
        readout->busy_ns = found.busy_ns;
        if (!readout->exact)
            readout->event = (struct event_ref){readout->track, lane, found.longest};
    }
    if (!readout->found)
        return;
    readout->start_ns = session_event_start_ns(screen->session, readout->event);
    readout->end_ns = session_event_end_ns(screen->session, readout->event);
    readout->item = session_event_item(screen->session, readout->event);
}

void timeline_cells_make(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    size_t columns = (size_t)timeline->columns;
    int rows = timeline->rows_list.count - timeline->rows_list.top;
    timeline->cell_rows = 0;
    if (rows > timeline->rows_list.height)
        rows = timeline->rows_list.height;
    if (!array_grow(timeline->cells, timeline->cell_capacity, columns * (size_t)(rows < 1 ? 1 : rows), 1) ||
        !array_grow(timeline->scratch, timeline->scratch_capacity, 2 * columns, 1) ||
        !array_grow(timeline->minimap, timeline->minimap_capacity, 2 * columns, 1))
        return;
    timeline_sums_begin(screen);
    for (int r = 0; r < rows; r++)
        make_row(screen, &timeline->rows[timeline_row_of_line(screen, r)],
                 timeline->cells + (size_t)r * columns);
    timeline->cell_rows = rows;
    timeline_sums_end(screen);
    add_launch_in_progress(screen);
    if (timeline->overview && !minimap_is_fresh(screen))
        make_minimap(screen);
    make_readout(screen);
    timeline->link = timeline_link_of(screen);
}
