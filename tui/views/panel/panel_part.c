/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Above are the sum and, of idle time, the calls or ranges that it is blamed on; below are the rows of
 * panel->part_list: of copies one for each kind and host memory (panel->copies), of idle time one for each of
 * the longest (partition.gaps).
 */
#include "tui/views/panel/panel_part.h"

#include "tui/timeline/view_timeline.h"
#include "tui/views/kernels/view_kernels.h"
#include "tui/views/panel/view_panel.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"
#include "tui/widgets/time_bar.h"

#include <inttypes.h>
#include <stdio.h>

#define BLAMES 5

static const struct partition *time_of(const struct screen *screen)
{
    return run_verdict_time(run_verdicts_of(&screen->verdicts, screen->run));
}

static const struct partition_gap *gaps_of(const struct screen *screen)
{
    return time_of(screen)->gaps[screen->part];
}

bool panel_shows_part(const struct screen *screen)
{
    return !screen->on_run && screen->part != 0 && screen->part < PARTITION_COUNT &&
           time_of(screen)->operations > 0;
}

/* ---- lines ---- */

/* The blames of the class with a name; at most `most`. Returns their number. */
static int blames_of(const struct partition *whole, uint8_t part, int most,
                     const struct partition_blame *blames[BLAMES])
{
    int count = 0;
    for (uint32_t i = 0; i < whole->blame_count && count < most; i++)
        if (whole->blames[i].part == part && partition_blame_named(&whole->blames[i]))
            blames[count++] = &whole->blames[i];
    return count;
}

struct part_lines {
    int sum, blames, head, rows; /* y of each; blame_count lines of blames */
    int blame_count, row_count;
};

static struct part_lines lines_of(const struct screen *screen, struct rect inside)
{
    const struct partition_blame *blames[BLAMES];
    int most = inside.height / 3 < BLAMES ? inside.height / 3 : BLAMES;
    struct part_lines lines = {.sum = inside.y};
    lines.blames = lines.sum + 2;
    lines.blame_count = blames_of(time_of(screen), screen->part, most, blames);
    lines.head = lines.blames + lines.blame_count;
    lines.rows = lines.head + 1;
    lines.row_count = inside.y + inside.height - lines.rows;
    lines.row_count = lines.row_count > 0 ? lines.row_count : 0;
    return lines;
}

void panel_part_update(struct screen *screen, struct rect area)
{
    struct panel *panel = panel_state(screen);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    int rows = 0;
    if (!panel_shows_part(screen))
        return;
    if (panel->part != screen->part || panel->part_run != screen->run) {
        panel->part = screen->part;
        panel->part_list = (struct list){0};
        panel->part_made_of = 0;
    }
    if (screen->part == PARTITION_COPY && panel->part_made_of != verdict->made_of)
        copy_times_make(screen->session, screen->run, &panel->copies);
    panel->part_run = screen->run;
    panel->part_made_of = verdict->made_of;
    if (screen->part == PARTITION_COPY)
        rows = (int)panel->copies.count;
    else
        while (rows < (int)PARTITION_GAPS_MAX && gaps_of(screen)[rows].ns > 0)
            rows++;
    list_update(&panel->part_list, rows, lines_of(screen, view_inside(area)).row_count);
}

/* ---- drawing ---- */

static void draw_sum(const struct screen *screen, struct canvas *canvas, struct rect inside, int y)
{
    const struct partition *whole = time_of(screen);
    uint8_t part = screen->part;
    int64_t hidden_ns = part == PARTITION_COPY ? whole->copy_hidden_ns : 0, ns = whole->ns[part] + hidden_ns;
    struct style strong = STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                 dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    int64_t run_ns = partition_sum_ns(whole);
    canvas_printf(canvas, inside.x, y, inside.width, strong, "%s, %s %% of the %s %s%s", number_time(ns).text,
                  number_percent(100 * (double)ns / (double)(run_ns > 0 ? run_ns : 1), 1).text,
                  run_verdicts_of(&screen->verdicts, screen->run)->by_steps ? "steps'" : "run's",
                  number_time(run_ns).text, whole->device == NONE ? " on all its devices" : "");
    if (part == PARTITION_COPY)
        canvas_printf(canvas, inside.x, y + 1, inside.width, dim,
                      "%.0f %% hidden by kernels; %s remain that no kernel hides",
                      100 * (double)hidden_ns / (double)(ns > 0 ? ns : 1),
                      number_time(whole->ns[PARTITION_COPY]).text);
    else
        canvas_printf(canvas, inside.x, y + 1, inside.width, dim, "%s, in %s idle %s",
                      partition_class_text((enum partition_class)part),
                      number_exact((int64_t)whole->times[part]).text,
                      whole->times[part] == 1 ? "time" : "times");
}

static void draw_blames(const struct screen *screen, struct canvas *canvas, struct rect inside,
                        const struct part_lines *lines)
{
    const struct partition_blame *blames[BLAMES];
    blames_of(time_of(screen), screen->part, lines->blame_count, blames);
    for (int i = 0; i < lines->blame_count; i++) {
        char name[200];
        partition_blame_name(screen->session, blames[i], name, sizeof name);
        canvas_printf(canvas, inside.x + 2, lines->blames + i, inside.width - 2,
                      STYLE(COLOR_TEXT, COLOR_NONE, 0), "%s %s%s, %s %s", number_time(blames[i]->ns).text,
                      blames[i]->place ? "" : "in ", name, number_exact((int64_t)blames[i]->times).text,
                      blames[i]->times == 1 ? "time" : "times");
    }
}

#define NUMBER_CELLS 9
#define KIND_CELLS 25

/* The columns of numbers, right-aligned, as many as there is room for; the words follow or precede them. */
static void draw_copy(struct canvas *canvas, struct rect line, const struct copy_time *row,
                      struct style style)
{
    bool staged = row->host == COPY_HOST_STAGED, set = row->kind == COPY_KIND_COUNT;
    char words[80];
    struct number numbers[] = {number_short(row->count), number_bytes(row->bytes), number_time(row->total_ns),
                               number_rate(1e9 * (double)row->bytes / (double)row->total_ns),
                               number_time(row->longest_ns)};
    if (staged || row->total_ns <= 0)
        snprintf(numbers[3].text, NUMBER_SIZE, "-");
    snprintf(words, sizeof words, "%s%s%s", set ? "set" : copy_kind_text(row->kind),
             row->host == COPY_HOST_NONE ? "" : ", ",
             row->host == COPY_HOST_NONE ? "" : copy_host_text(row->host));
    canvas_text(canvas, line.x, line.y, line.width < KIND_CELLS ? line.width : KIND_CELLS, style, words);
    for (int i = 0, x = line.x + KIND_CELLS; i < 5 && x + NUMBER_CELLS <= line.x + line.width;
         i++, x += NUMBER_CELLS + 1)
        field_number(canvas, x, line.y, NUMBER_CELLS, style, numbers[i].text);
}

static uint32_t track_of_calls(const struct session *session, const struct partition_gap *gap)
{
    uint32_t tracks = session_track_count(session);
    for (uint32_t i = 0; i < tracks; i++) {
        const struct track_row *row = session_track(session, i);
        if (row->kind == TRACK_CALLS && row->process == gap->process && row->thread == gap->thread)
            return i;
    }
    return NONE;
}

static void draw_gap(const struct screen *screen, struct canvas *canvas, struct rect line,
                     const struct partition_gap *gap, struct style style)
{
    char thread[120], text[400], whole[100] = "", device[40] = "";
    uint32_t track = track_of_calls(screen->session, gap);
    const char *name = session_string(screen->session, gap->name);
    const struct device_row *row =
        time_of(screen)->device == NONE ? session_device(screen->session, gap->device) : NULL;
    if (track != NONE)
        timeline_track_name(screen, track, true, thread, sizeof thread);
    else
        snprintf(thread, sizeof thread, "a thread whose calls were not traced");
    if (gap->ns < gap->end_ns - gap->start_ns)
        snprintf(whole, sizeof whole, ", of %s idle", number_time(gap->end_ns - gap->start_ns).text);
    if (row)
        snprintf(device, sizeof device, ", GPU %" PRIu32, row->ordinal);
    snprintf(text, sizeof text, "%s%s%s%s%s", thread, name[0] != '\0' ? ": " : "", name, whole, device);
    field_number(canvas, line.x, line.y, NUMBER_CELLS, style, number_time(gap->ns).text);
    field_number(canvas, line.x + NUMBER_CELLS + 1, line.y, NUMBER_CELLS + 3, style,
                 number_since(gap->start_ns, screen->zero_ns, 1000).text);
    int taken = 2 * NUMBER_CELLS + 6;
    canvas_text(canvas, line.x + taken, line.y, line.width - taken, style, text);
}

static const char *const copy_titles[] = {"number", "bytes", "time", "rate", "longest"};

static void draw_copy_head(struct canvas *canvas, struct rect line, struct style style)
{
    canvas_text(canvas, line.x, line.y, KIND_CELLS, style, "kind and host memory");
    for (int i = 0, x = line.x + KIND_CELLS; i < 5 && x + NUMBER_CELLS <= line.x + line.width;
         i++, x += NUMBER_CELLS + 1)
        field_words(canvas, x, line.y, NUMBER_CELLS, style, copy_titles[i]);
}

static void draw_head(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, ATTRIBUTE_BOLD);
    if (screen->part == PARTITION_COPY) {
        draw_copy_head(canvas, line, dim);
        return;
    }
    field_words(canvas, line.x, line.y, NUMBER_CELLS, dim, "longest");
    field_words(canvas, line.x + NUMBER_CELLS + 1, line.y, NUMBER_CELLS + 3, dim, "at");
    canvas_text(canvas, line.x + 2 * NUMBER_CELLS + 6, line.y, line.width - 2 * NUMBER_CELLS - 6, dim,
                "what issued the work that ended it; ENTER shows it");
}

int panel_part_draw_copies(const struct copy_times *copies, struct canvas *canvas, struct rect area)
{
    int lines = 0;
    if (copies->count == 0 || area.height < 2)
        return 0;
    canvas_fill(canvas, (struct rect){area.x, area.y, area.width, 1}, ' ', STYLE(COLOR_TEXT, COLOR_TRACK, 0));
    draw_copy_head(canvas, (struct rect){area.x, area.y, area.width, 1},
                   STYLE(COLOR_FOCUS, COLOR_TRACK, ATTRIBUTE_BOLD));
    for (lines = 1; lines < area.height && lines <= (int)copies->count; lines++)
        draw_copy(canvas, (struct rect){area.x, area.y + lines, area.width, 1}, &copies->rows[lines - 1],
                  STYLE(COLOR_TEXT, COLOR_NONE, 0));
    return lines;
}

/* The next longest idle time after `before` (NULL: the longest of all), and its cause; NULL: there is none.
 */
static const struct partition_gap *next_gap(const struct partition *whole, const struct partition_gap *before,
                                            int *part)
{
    const struct partition_gap *next = NULL;
    for (int p = 0; p < PARTITION_COUNT; p++)
        for (const struct partition_gap *gap = whole->gaps[p]; gap < whole->gaps[p] + PARTITION_GAPS_MAX;
             gap++) {
            bool after = !before || gap->ns < before->ns || (gap->ns == before->ns && gap > before);
            if (gap->ns > 0 && after && (!next || gap->ns > next->ns)) {
                next = gap;
                *part = p;
            }
        }
    return next;
}

int panel_part_draw_gaps(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct partition *whole = time_of(screen);
    struct style head = STYLE(COLOR_FOCUS, COLOR_TRACK, ATTRIBUTE_BOLD);
    int part = 0, lines = 1;
    const struct partition_gap *gap = whole->operations > 0 ? next_gap(whole, NULL, &part) : NULL;
    if (!gap || area.height < 2)
        return 0;
    canvas_fill(canvas, (struct rect){area.x, area.y, area.width, 1}, ' ', head);
    field_words(canvas, area.x + 2, area.y, NUMBER_CELLS, head, "idle");
    field_words(canvas, area.x + NUMBER_CELLS + 3, area.y, NUMBER_CELLS + 3, head, "at");
    canvas_text(canvas, area.x + 2 * NUMBER_CELLS + 8, area.y, area.width - 2 * NUMBER_CELLS - 8, head,
                "what issued the work that ended it");
    for (; gap && lines < area.height; lines++, gap = next_gap(whole, gap, &part)) {
        canvas_put(canvas, area.x, area.y + lines,
                   (unsigned char)partition_class_letter((enum partition_class)part),
                   time_bar_style((enum partition_class)part));
        draw_gap(screen, canvas, (struct rect){area.x + 2, area.y + lines, area.width - 2, 1}, gap,
                 STYLE(COLOR_TEXT, COLOR_NONE, 0));
    }
    return lines;
}

void panel_part_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct panel *panel = panel_state(screen);
    const struct list *list = &panel->part_list;
    char name[400], title[480];
    screen_run_name(screen, screen->run, name, sizeof name);
    snprintf(title, sizeof title, "%s  %.300s",
             screen->part == PARTITION_COPY ? "Copies and sets"
                                            : partition_class_brief((enum partition_class)screen->part),
             name);
    struct rect inside = view_frame(canvas, area, title, focus);
    struct part_lines lines = lines_of(screen, inside);
    int bottom = inside.y + inside.height;
    if (lines.sum + 1 >= bottom)
        return;
    draw_sum(screen, canvas, inside, lines.sum);
    if (lines.head >= bottom)
        return;
    draw_blames(screen, canvas, inside, &lines);
    draw_head(screen, canvas, (struct rect){inside.x + 1, lines.head, inside.width - 1, 1});
    for (int i = 0; i < lines.row_count && list->top + i < list->count; i++) {
        int row = list->top + i;
        bool selected = row == list->selected;
        struct rect line = {inside.x, lines.rows + i, inside.width, 1};
        struct style style =
            STYLE(selected ? COLOR_TITLE : COLOR_TEXT, selected && focus ? COLOR_SELECTED : COLOR_NONE, 0);
        canvas_fill(canvas, line, ' ', style);
        if (selected)
            canvas_glyph(canvas, line.x, line.y, GLYPH_SELECTED, style);
        line.x++;
        line.width--;
        if (screen->part == PARTITION_COPY)
            draw_copy(canvas, line, &panel->copies.rows[row], style);
        else
            draw_gap(screen, canvas, line, &gaps_of(screen)[row], style);
    }
    if (screen->part == PARTITION_COPY && !panel->copies.complete && lines.rows + list->count < bottom)
        canvas_text(canvas, inside.x + 1, lines.rows + list->count, inside.width - 1,
                    STYLE(COLOR_DIM, COLOR_NONE, 0), "without copies that were evicted from memory");
}

/* ---- moving ---- */

static void show_row(struct screen *screen)
{
    const struct panel *panel = panel_state(screen);
    int row = panel->part_list.selected;
    struct timeline *timeline = timeline_state(screen);
    int64_t start_ns, end_ns;
    if (row >= panel->part_list.count)
        return;
    if (screen->part == PARTITION_COPY) {
        struct event_ref longest = panel->copies.rows[row].longest;
        timeline->select_track = longest.track;
        start_ns = session_event_start_ns(screen->session, longest);
        end_ns = session_event_end_ns(screen->session, longest);
    } else {
        const struct partition_gap *gap = &gaps_of(screen)[row];
        timeline->select_track = track_of_calls(screen->session, gap);
        timeline->cpu_rows = true; /* the cause is what the thread did */
        start_ns = gap->start_ns;
        end_ns = gap->end_ns;
    }
    screen_show_panes(screen);
    screen->focus = PANE_TIMELINE;
    screen->maximised = screen->from_list = false;
    timeline_zoom_to(screen, start_ns, end_ns);
}

bool panel_part_act(struct screen *screen, enum action action)
{
    if (action == ACTION_OPEN) {
        show_row(screen);
        return true;
    }
    return list_act(&panel_state(screen)->part_list, action);
}

void panel_part_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    screen_list_mouse(screen, &panel_state(screen)->part_list, event,
                      event->y - lines_of(screen, view_inside(area)).rows);
}
