/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bars are drawn in eighths of a cell. Numbers of one unit share a scale, which ends at the largest of them;
 * percentages end at 100. A number that is the only one of its unit has no bar.
 */
#include "tui/views/panel/panel_part.h"

#include "tui/terminal/text.h"
#include "tui/views/panel/view_panel.h"
#include "tui/views/source/source.h"
#include "tui/widgets/brief.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_NUMBER 10 /* cells */
#define WHY_TITLE 30  /* cells at most */
#define GAUGE_TITLE 10
#define GAUGE_NUMBER 6
#define WHY_WIDTH 26   /* cells of a panel that has room for the numbers */
#define GAUGE_WIDTH 18 /* cells of a column of gauges */

/* ---- the numbers behind the advice ---- */
struct why {
    enum metric metric;
    const struct value *value;
    double full; /* value of a full bar; 0: no bar */
};

static int make_why(const struct panel *panel, struct why whys[ADVICE_EVIDENCE_MAX])
{
    const struct advice *advice = &panel->advice.items[0];
    int count = 0;
    if (panel->wrong || panel->advice.count == 0 || advice->fine)
        return 0;
    for (size_t i = 0; i < advice->evidence_count; i++) {
        enum metric metric = metric_find(advice->evidence[i].id);
        const struct value *value = &advice->evidence[i].value;
        if (metric != METRIC_COUNT && value->available && !value->word)
            whys[count++] = (struct why){metric, value, 0};
    }
    for (int i = 0; i < count; i++) {
        const char *unit = metric_info(whys[i].metric)->unit;
        int alike = 0;
        for (int k = 0; k < count; k++) {
            if (strcmp(metric_info(whys[k].metric)->unit, unit) != 0)
                continue;
            whys[i].full = fmax(whys[i].full, whys[k].value->number);
            alike++;
        }
        if (strcmp(unit, "%") == 0)
            whys[i].full = 100;
        else if (alike < 2)
            whys[i].full = 0;
    }
    return count;
}

int panel_card_why_lines(const struct panel *panel, int width)
{
    struct why whys[ADVICE_EVIDENCE_MAX];
    return width < WHY_WIDTH ? 0 : make_why(panel, whys);
}

/* The first number of the first advice is the actual value, marked as bad; an ideal is marked as good. */
static enum color color_of_why(const struct why *why, int index)
{
    if (metric_info(why->metric)->how == HOW_ACCESSES &&
        metric_info(why->metric)->accesses.quantity == QUANTITY_IDEAL)
        return COLOR_GOOD;
    return index == 0 ? COLOR_WARN : COLOR_FOCUS;
}

void panel_card_draw_why(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    struct why whys[ADVICE_EVIDENCE_MAX];
    int count = make_why(panel, whys);
    int title = lines.width / 2 < WHY_TITLE ? lines.width / 2 : WHY_TITLE;
    int bar = lines.x + title + 1 + WHY_NUMBER + 1, cells = lines.x + lines.width - bar;
    for (int i = 0; i < count && i < lines.height; i++) {
        char text[80];
        const char *name = metric_info(whys[i].metric)->title;
        bool ideal = i > 0 && strncmp(name, "ideal ", 6) == 0; /* of the line above */
        if (ideal && text_width(name, title) > title - 2)
            snprintf(text, sizeof text, "ideal");
        else if (metric_info(whys[i].metric)->group == METRIC_GROUP_OLD) /* the name of the old profiler */
            snprintf(text, sizeof text, "%s", metric_info(whys[i].metric)->unit);
        else
            brief_metric(whys[i].metric, title - 2, text, sizeof text);
        canvas_text(canvas, lines.x + 2, lines.y + i, title - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
        field_value(canvas, lines.x + title + 1, lines.y + i, WHY_NUMBER,
                    STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), whys[i].metric, whys[i].value);
        if (whys[i].full > 0)
            canvas_bar(canvas, bar, lines.y + i, cells, whys[i].value->number / whys[i].full,
                       color_of_why(&whys[i], i));
    }
}

/* ---- the source line ---- */
static const char *text_of_place(const struct panel *panel, const struct session *session,
                                 const struct code_place *place)
{
    const char *text = session_source_text(session, place->file);
    return text ? text : panel->modelled_of == panel->kernel ? panel->modelled_text : NULL;
}

static bool is_at(const struct code_place *place, const char *where)
{
    char at[80];
    const char *base = strrchr(place->file, '/');
    snprintf(at, sizeof at, "%.60s:%u", !base ? place->file : base + 1, place->line);
    return strcmp(at, where) == 0;
}

static bool take_line(struct panel *panel, const struct session *session, const struct code_listing *listing)
{
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct code_place *place = &listing->places[i];
        const char *text =
            is_at(place, panel->advice.items[0].where) ? text_of_place(panel, session, place) : NULL;
        if (!text)
            continue;
        for (uint32_t line = 1; line < place->line && text; line++) {
            text = strchr(text, '\n');
            text = !text ? NULL : text + 1;
        }
        if (!text)
            continue;
        int used = snprintf(panel->line, sizeof panel->line, "%u  ", place->line);
        source_text_line(text + strspn(text, " \t"), 0, panel->line + used,
                         sizeof panel->line - (size_t)used);
        return true;
    }
    return false;
}

void panel_card_find_line(struct panel *panel, const struct session *session)
{
    struct code_listing listing;
    panel->line[0] = '\0';
    if (panel->wrong || panel->advice.count == 0 || panel->advice.items[0].where[0] == '\0')
        return;
    if (code_listing_make(session, panel->kernel, &listing, NULL) == STATUS_OK) {
        bool taken = take_line(panel, session, &listing);
        code_listing_fini(&listing);
        if (taken)
            return;
    }
    if (panel->modelled_of == panel->kernel)
        take_line(panel, session, &panel->modelled);
}

void panel_card_draw_line(const struct panel *panel, struct canvas *canvas, struct rect line)
{
    canvas_text(canvas, line.x + 2, line.y, line.width - 2, STYLE(COLOR_CPU, COLOR_NONE, 0), panel->line);
}

/* ---- gauges ---- */
struct gauge {
    const char *title;
    double percent;
};
#define GAUGES 5

/* The share of the time of the run's copies that kernels hide, from the run's partition. */
static bool overlap_pct(const struct run_verdict *verdict, double *percent)
{
    const struct partition *time = &verdict->time;
    int64_t copies = time->ns[PARTITION_COPY] + time->copy_hidden_ns;
    if (!verdict->known || time->operations == 0 || copies <= 0)
        return false;
    *percent = 100 * (double)time->copy_hidden_ns / (double)copies;
    return true;
}

static int make_gauges(const struct panel *panel, struct gauge gauges[GAUGES])
{
    static const struct {
        const char *title;
        enum metric metric;
    } rows[] = {{"DRAM", METRIC_dram_peak_pct},
                {"L2 hits", METRIC_l2_hit_pct},
                {"issue", METRIC_issue_slots_pct},
                {"occupancy", METRIC_achieved_occupancy_pct}};
    int count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct value *value = &panel->lines[rows[i].metric].value[panel->own].value;
        if (value->available)
            gauges[count++] = (struct gauge){rows[i].title, value->number};
    }
    double percent;
    if (overlap_pct(&panel->run, &percent))
        gauges[count++] = (struct gauge){"overlap", percent};
    return count;
}

static int gauge_columns(int width)
{
    return width - 2 >= 2 * GAUGE_WIDTH ? 2 : width - 2 >= GAUGE_WIDTH;
}

int panel_card_gauge_lines(const struct panel *panel, int width)
{
    struct gauge gauges[GAUGES];
    int columns = gauge_columns(width);
    return columns == 0 ? 0 : (make_gauges(panel, gauges) + columns - 1) / columns;
}

static void draw_gauge(const struct gauge *gauge, struct canvas *canvas, int x, int y, int title, int cells)
{
    char text[40];
    snprintf(text, sizeof text, gauge->percent < 9.95 ? "%.1f %%" : "%.0f %%", gauge->percent);
    canvas_text(canvas, x, y, title, STYLE(COLOR_DIM, COLOR_NONE, 0), gauge->title);
    field_number(canvas, x + title, y, GAUGE_NUMBER, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
    canvas_bar(canvas, x + title + GAUGE_NUMBER + 1, y, cells - title - GAUGE_NUMBER - 2,
               gauge->percent / 100, COLOR_FOCUS);
}

void panel_card_draw_gauges(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    struct gauge gauges[GAUGES];
    int count = make_gauges(panel, gauges), columns = gauge_columns(lines.width);
    for (int i = 0; columns > 0 && i < count && i / columns < lines.height; i++) {
        int width = (lines.width - 2) / columns;
        draw_gauge(&gauges[i], canvas, lines.x + 2 + i % columns * width, lines.y + i / columns, GAUGE_TITLE,
                   width);
    }
}

#define OVERLAP_TITLE "copies that kernels hide "
bool panel_card_draw_overlap(const struct run_verdict *verdict, struct canvas *canvas, int x, int y,
                             int cells)
{
    struct gauge gauge = {.title = OVERLAP_TITLE};
    if (!overlap_pct(verdict, &gauge.percent) || cells < (int)sizeof OVERLAP_TITLE + GAUGE_NUMBER)
        return false;
    draw_gauge(&gauge, canvas, x, y, (int)sizeof OVERLAP_TITLE, cells);
    return true;
}
