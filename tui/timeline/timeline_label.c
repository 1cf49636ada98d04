/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of the timeline's rows: a row's name, its number of events, the top of a chart's scale. */
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/widgets/brief.h"
#include "tui/widgets/field.h"

#include "tui/terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Paints the marks of a selected or pinned row before its name. */
static struct style label_ground(const struct timeline *timeline, struct canvas *canvas, int x, int y,
                                 const struct timeline_row *row, bool selected)
{
    struct style style = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, selected ? COLOR_SELECTED : COLOR_NONE,
                               selected || timeline_is_heading(row) ? ATTRIBUTE_BOLD : 0);
    canvas_fill(canvas, (struct rect){x, y, timeline->label_width - 1, 1}, ' ', style);
    if (selected)
        canvas_glyph(canvas, x, y, GLYPH_SELECTED, style);
    else if (row->pinned)
        canvas_put(canvas, x, y, '^', STYLE(COLOR_FOCUS, style.background, 0));
    return style;
}

/* Chooses a chart's name, its mean and the top of its scale as far as they fit: else a shorter name, then no
 * top, then no "mean" before the number. */
static void name_chart(const struct timeline_chart *chart, int room, char *name, size_t name_bytes,
                       char *number, size_t number_bytes)
{
    char mean[40], scale[40], texts[3][100];
    const char *const names[] = {chart->about.title, brief_of(chart->about.title)};
    series_format(chart->about.unit, chart->mean, mean, sizeof mean);
    series_format(chart->about.unit, chart->scale, scale, sizeof scale);
    bool known = (chart->about.unit == SERIES_PERCENT && chart->scale <= 100) || !(chart->mean > 0);
    snprintf(texts[0], sizeof texts[0], known ? "mean %s" : "mean %s of %s", mean, scale);
    snprintf(texts[1], sizeof texts[1], "mean %s", mean);
    snprintf(texts[2], sizeof texts[2], "%s", mean);
    for (int i = 0; i < 6 && !isnan(chart->mean); i++) {
        int left = room - 1 - (int)strlen(texts[i / 2]);
        if (text_width(names[i % 2], room + 1) > left)
            continue;
        snprintf(name, name_bytes, "%s", names[i % 2]);
        snprintf(number, number_bytes, "%s", texts[i / 2]);
        return;
    }
    brief_text(chart->about.title, room, name, name_bytes);
    number[0] = '\0';
}

/* On a single line, the name and the mean; on several, the top of the scale beside the name, and the mean and
 * the provenance below it. */
static void draw_chart_label(const struct screen *screen, struct canvas *canvas, int x, int y,
                             const struct timeline_row *row, bool selected)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct timeline_chart *chart = &timeline->charts.items[row->chart];
    const struct series_row *series = session_series(screen->session, chart->last);
    struct style style = label_ground(timeline, canvas, x, y, row, selected && row->line == 0);
    struct style dim = STYLE(COLOR_DIM, style.background, 0);
    int room = timeline->label_width - 2 - row->depth;
    char text[100] = "", number[100] = "", mean[40];
    x += row->depth;
    series_format(chart->about.unit, chart->mean, mean, sizeof mean);
    if (chart->why != 0) { /* grey; draw_why paints the reason */
        brief_text(chart->about.title, room, text, sizeof text);
        style = dim;
    } else if (row->lines == 1) {
        name_chart(chart, room, text, sizeof text, number, sizeof number);
    } else if (row->line == 0) {
        series_format(chart->about.unit, chart->scale, number, sizeof number);
        int left = room - 1 - (int)strlen(number);
        bool fits = text_width(brief_of(chart->about.title), room) <= left;
        brief_text(chart->about.title, fits ? left : room, text, sizeof text);
        number[fits ? strlen(number) : 0] = '\0';
    } else {
        style = dim;
        if (row->line + 1 == row->lines)
            snprintf(number, sizeof number, "0");
        if (row->line == 1 && strlen(mean) <= (size_t)room)
            snprintf(text, sizeof text, "%s%s", strlen(mean) + strlen("mean  ") < (size_t)room ? "mean " : "",
                     mean);
        else if (row->line + 1 == row->lines)
            snprintf(text, sizeof text, "%s", provenance_text(series_provenance(series->clock)));
        else if (series->interval_ns == 0)
            snprintf(text, sizeof text, "at kernel start, end");
        else
            snprintf(text, sizeof text, "%severy %s", chart->burst ? "bursts, " : "",
                     number_time(series->interval_ns).text);
    }
    int taken = canvas_text(canvas, x + 1, y, room, style, text);
    if (taken + 1 + (int)strlen(number) <= room)
        field_number(canvas, x + 1, y, room, dim, number);
}

#define NAME_LEAST 6      /* cells; with fewer, the number of events is left out */
#define NAME_CUT_LEAST 16 /* the same if the name has to be cut */

void timeline_draw_label(const struct screen *screen, struct canvas *canvas, int x, int y,
                         const struct timeline_row *row, bool selected)
{
    const struct timeline *timeline = timeline_state(screen);
    if (row->chart != NONE) {
        draw_chart_label(screen, canvas, x, y, row, selected);
        return;
    }
    const struct track_row *track =
        row->kind == ROW_TRACK ? session_track(screen->session, row->track) : NULL;
    uint32_t lanes = track ? atomic_load_explicit(&track->lane_count, memory_order_relaxed) : 1;
    char name[160], text[160];
    struct number events = number_short(row->events);
    struct style style = label_ground(timeline, canvas, x, y, row, selected);
    if (row->lane != NONE && row->lane > 0) /* below the first row of its track */
        snprintf(name, sizeof name, "  %s %u", track->kind == TRACK_RANGES ? "level" : "lane", row->lane + 1);
    else
        timeline_row_name(screen, row, row->pinned, name, sizeof name);
    int indent = row->depth + (!track ? 2 : 0), count = (int)strlen(events.text);
    int room = timeline->label_width - 2;
    if (!track)
        canvas_put(canvas, x + 1 + row->depth, y, row->folded ? '+' : '-', style);
    int beside = room - indent - count - 1; /* cells beside the number of events */
    brief_text(name, beside > 0 ? beside : 0, text, sizeof text);
    bool whole = !strstr(text, text_cut_mark()) || strstr(name, text_cut_mark());
    if (beside >= (whole ? NAME_LEAST : NAME_CUT_LEAST)) {
        field_number(canvas, x + 1, y, room, STYLE(COLOR_DIM, style.background, 0), events.text);
        room -= count + 1;
    }
    char folded[16] = "";
    if (lanes > 1 && row->lane == NONE)
        snprintf(folded, sizeof folded, " x%u", lanes);
    room -= (int)strlen(folded) + indent;
    brief_text(name, room, text, sizeof text);
    x += indent;
    int taken = canvas_text(canvas, x + 1, y, room, style, text);
    canvas_text(canvas, x + 1 + taken, y, 15, STYLE(COLOR_DIM, style.background, 0), folded);
}
