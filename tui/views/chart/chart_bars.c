/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series over variants: a bar per variant and series, with its value. The background of a bar repeats what
 * its mark says: measured bars are full, modelled ones lighter, a document's the lightest.
 */
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/chart/chart.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALUE_CELLS 12
#define RATIO_CELLS 8
#define RATIO_FROM 90 /* cells of the chart: with as many each bar has its ratio to the best */

/* The next bar after (x, series) in the order of variants; false: there is none. */
struct bar {
    double x;
    int series;
    const struct chart_point *point;
};

static bool next_bar(const struct chart *chart, struct bar *bar)
{
    struct bar best = {.x = HUGE_VAL};
    for (int s = 0; s < chart->series_count; s++) {
        const struct chart_series *series = &chart->series[s];
        for (uint32_t i = 0; i < series->count; i++) {
            const struct chart_point *point = &chart->points[series->first + i];
            bool later = point->x > bar->x || (point->x == bar->x && s > bar->series);
            if (later && (point->x < best.x || (point->x == best.x && s < best.series)))
                best = (struct bar){point->x, s, point};
        }
    }
    *bar = best;
    return best.point != NULL;
}

/* "best", "1.86x": so many times the smallest value, or the largest, whichever is better; "": neither is, or the series does not say which
 * is best, as a guess. */
static void print_ratio(const struct chart *chart, const struct chart_series *series, double y, char *text,
                        size_t size_bytes)
{
    enum metric_better better = METRIC_NEITHER; /* a share, or a ratio already */
    if (chart->metric < METRIC_COUNT)
        better = metric_info((enum metric)chart->metric)->better;
    else if (chart->metric == CHART_BUSY)
        better = METRIC_LOWER;
    else if (chart->metric == CHART_RATE_IN || chart->metric == CHART_RATE_OUT)
        better = METRIC_HIGHER;
    double ratio = better == METRIC_LOWER && series->least > 0            ? y / series->least
                   : better == METRIC_HIGHER && y > 0 && series->best > 0 ? series->best / y
                                                                          : NAN;
    text[0] = '\0';
    if (isfinite(ratio) && series->count > 1)
        snprintf(text, size_bytes, ratio < 1.005 ? "best" : ratio < 10 ? "%.2fx" : "%.1fx", ratio);
}

char chart_bar_letter(const struct chart *chart, const struct chart_series *series, double x)
{
    if (chart->axis != CHART_VARIANTS || series->figure || x < 0 || x >= 26)
        return '\0';
    for (int i = 0; i < chart->series_count; i++) {
        const struct chart_series *one = &chart->series[i], *two = one + 1;
        for (; !one->figure && two < chart->series + chart->series_count; two++)
            if (!two->figure && two->provenance == one->provenance)
                return '\0';
    }
    return (char)((series->provenance == PROVENANCE_MODELLED ? 'a' : 'A') + (int)x);
}

uint32_t chart_bar_glyph(const struct chart_series *series, bool ascii, int eighths)
{
    bool ours = !series->figure, light = series->provenance == PROVENANCE_MODELLED && ours;
    return ours && !light ? glyph_left_eighths(eighths, ascii)
           : ascii        ? (light ? '=' : '-')
           : light        ? 0x2592
                          : 0x2591;
}

int chart_bar_color(double x)
{
    return COLOR_KERNEL + (int)x % STYLE_KERNEL_COLORS;
}

static void draw_bar(const struct chart *chart, struct canvas *canvas, struct rect line, int name_cells,
                     const struct bar *bar, const char *name)
{
    const struct chart_series *series = &chart->series[bar->series];
    bool selected =
        bar->series == chart->selected && bar->point == &chart->points[series->first + chart->cursor];
    struct style style = STYLE(series->figure ? COLOR_WARN : series->color, COLOR_NONE, 0);
    struct style text = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, selected ? COLOR_SELECTED : COLOR_NONE,
                              selected ? ATTRIBUTE_BOLD : 0);
    char value[NUMBER_SIZE];
    if (selected)
        canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
    char letter = chart_bar_letter(chart, series, bar->x);
    if (letter != '\0')
        style.foreground = (uint8_t)chart_bar_color(bar->x);
    canvas_put(canvas, line.x, line.y, (unsigned char)(letter != '\0' ? letter : series->mark), style);
    canvas_text(canvas, line.x + 2, line.y, name_cells - 2, text, name);
    chart_format(chart->metric, bar->point->y, value, sizeof value);
    field_number(canvas, line.x + name_cells, line.y, VALUE_CELLS, text, value);
    int x = line.x + name_cells + VALUE_CELLS + 1;
    if (line.width >= RATIO_FROM) {
        value[0] = '\0';
        if (!bar->point->open)
            print_ratio(chart, series, bar->point->y, value, sizeof value);
        field_number(canvas, x, line.y, RATIO_CELLS, text, value);
        x += RATIO_CELLS + 1;
    }
    int room = line.x + line.width - x;
    double height = chart_height(chart, series, bar->point->y);
    if (room < 1 || !isfinite(height))
        return;
    int eighths = (int)lround(fmin(fmax(height, 0), 1) * room * 8);
    for (int i = 0; i * 8 < eighths; i++) {
        int part = eighths - i * 8 < 8 ? eighths - i * 8 : 8;
        canvas_put(canvas, x + i, line.y,
                   bar->point->open ? glyph_codepoint(GLYPH_RUNNING, canvas->ascii)
                                    : chart_bar_glyph(series, canvas->ascii, part),
                   style);
    }
}

/* What stands behind the name of a bar's variant. */
static const char *bar_kind(const struct chart_series *series, const struct bar *bar)
{
    return bar->point->open ? "so far" : series->figure ? series->place : series->name;
}

static const char *bar_variant(const struct chart *chart, const struct bar *bar)
{
    const struct tui_workload *workload = chart->workload;
    return workload && bar->x < (double)workload->variant_count ? workload->variants[(size_t)bar->x].name
                                                                : "variant";
}

/* As many cells as the longest name needs, and at most half of the line. */
static int bar_name_cells(const struct chart *chart, int width)
{
    struct bar bar = {.x = -HUGE_VAL, .series = -1};
    int most = 26;
    while (next_bar(chart, &bar)) {
        int cells =
            (int)(strlen(bar_variant(chart, &bar)) + strlen(bar_kind(&chart->series[bar.series], &bar))) + 4;
        most = cells > most ? cells : most;
    }
    return width < 70 ? width * 2 / 5 : most < width / 2 ? most : width / 2;
}

void chart_draw_bars(const struct chart *chart, struct canvas *canvas, struct rect area)
{
    struct bar bar = {.x = -HUGE_VAL, .series = -1};
    int name_cells = bar_name_cells(chart, area.width);
    for (int row = 0; next_bar(chart, &bar); row++) {
        char name[2 * CHART_NAME_SIZE];
        if (row < chart->bars.top || row - chart->bars.top >= area.height)
            continue;
        name_join(bar_variant(chart, &bar), bar_kind(&chart->series[bar.series], &bar), name_cells - 3, name,
                  sizeof name);
        draw_bar(chart, canvas, (struct rect){area.x, area.y + row - chart->bars.top, area.width, 1},
                 name_cells, &bar, name);
    }
}
