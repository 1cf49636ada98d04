/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tones of a chart: on further lines the part below the top is dim; the top is soft for a low value and
 * bright for a high one. If samples are wider than columns, a column in which a sample begins has the other
 * tone: a step and a tick for each sample. Fewer samples than make a shape are a dashed line at their height.
 */
#include "tui/timeline/chart_look.h"

#include "tui/timeline/view_timeline.h"

#include <math.h>
#include <string.h>

/* The charts that decide most often come first. */
static const char *const first[CHART_RANKS - 1] = {"achieved occupancy", "bank conflicts", "L2 sectors",
                                                   "DRAM read", "DRAM write"};

/* The chart that belongs to a rule on runs. */
static const struct {
    const char *rule, *title;
} spoken[] = {
    {"pageable_copies", "PCIe read"}, {"small_copies", "PCIe read"}, {"low_overlap", "PCIe read"},
    {"few_blocks", "active SMs"},     {"dram_bound", "DRAM read"},   {"float_products", "tensor pipe"},
};

unsigned chart_rank(const char *title, const char *rule)
{
    for (size_t i = 0; i < sizeof spoken / sizeof spoken[0]; i++)
        if (strcmp(rule, spoken[i].rule) == 0 && strcmp(title, spoken[i].title) == 0)
            return 1;
    for (unsigned i = 0; i + 1 < CHART_RANKS; i++)
        if (strcmp(title, first[i]) == 0)
            return i + 2;
    return 0;
}

/* Charts next to each other have different hues. Of a direction, the chart of reads has the hue of copies to
 * the device, and the chart of writes that of copies to the host. */
static const struct {
    const char *title;
    uint8_t hue;
} known[] = {
    {"achieved occupancy", 0}, {"active SMs", 1},  {"instructions issued", 2}, {"DRAM read", 3},
    {"DRAM write", 4},         {"DRAM used", 3},   {"shared wavefronts", 5},   {"bank conflicts", 6},
    {"L2 sectors", 7},         {"L2 hit rate", 2}, {"PCIe read", 1},           {"PCIe write", 5},
    {"NVLink received", 1},    {"NVLink sent", 5}, {"tensor pipe", 0},         {"active threads", 6},
};

uint8_t chart_hue(const char *title)
{
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(title, known[i].title) == 0)
            return known[i].hue;
    for (const char *at = title; *at != '\0'; at++)
        sum = sum * 31 + (unsigned char)*at;
    return (uint8_t)(sum % STYLE_COUNTER_COLORS);
}

int chart_eighths(double value, double scale, int lines)
{
    int most = 8 * lines - 1;
    if (!(value > 0))
        return 0;
    if (value >= scale) /* the column is outside of the run for which the scale was chosen */
        return most;
    int n = (int)lround(value / scale * most);
    return n < 1 ? 1 : n;
}

/* Does a sample begin in this column while the column before it shows the sample before? */
static bool is_tick(const struct sample_column *columns, int k)
{
    const struct sample_column *here = &columns[k], *before = &columns[k > 0 ? k - 1 : 0];
    return before->count > 0 && here->count > 0 && here->first + here->count > before->first + before->count;
}

#define SPARSE_COLUMNS 4 /* least columns per sample */

static bool is_sparse(const struct sample_column *columns, int count)
{
    int ticks = 0, covered = 0;
    for (int k = 0; k < count; k++) {
        ticks += is_tick(columns, k);
        covered += columns[k].covered_ns > 0;
    }
    return ticks > 0 && SPARSE_COLUMNS * (ticks + 1) <= covered;
}

void chart_cells(const struct timeline_chart *chart, const struct timeline_row *row,
                 const struct sample_column *columns, int count, struct timeline_cell *cells)
{
    int below = 8 * (row->lines - 1 - row->line);
    uint8_t hue = chart_hue(chart->about.title);
    bool sparse = is_sparse(columns, count);
    for (int k = 0; k < count; k++) {
        const struct sample_column *column = &columns[k];
        if (column->covered_ns == 0)
            continue;
        int filled = chart_eighths(column->mean, chart->scale, row->lines) - below;
        int peak = chart_eighths((double)column->most, chart->scale, row->lines) - below;
        bool tick = sparse && is_tick(columns, k), inner = filled > 8;
        bool bright = (column->mean >= chart->scale / 2 || row->lines > 1) != tick;
        struct timeline_cell *cell = &cells[k];
        if (chart->few > 0 && filled > 0 && !inner)
            *cell = (struct timeline_cell){.shape = CELL_DASH,
                                           .eighths = (uint8_t)filled,
                                           .color = (uint8_t)(COLOR_COUNTER + hue),
                                           .mark = tick ? '|' : 0};
        if (chart->few > 0 && filled + below > 0)
            continue;
        *cell = (struct timeline_cell){.shape = CELL_CHART,
                                       .eighths = (uint8_t)(filled < 0 ? 0
                                                            : inner    ? 8
                                                                       : filled),
                                       .color = (uint8_t)((bright ? COLOR_COUNTER : COLOR_SOFT) + hue)};
        if (inner)
            cell->color = (uint8_t)((tick ? COLOR_SOFT : COLOR_FILL) + hue);
        if (filled <= 0 && peak > 0 && peak <= 8)
            cell->mark = '\'';
        else if (filled + below == 0 && below == 0)
            cell->mark = '_';
        else if (tick && below == 0)
            cell->mark = '|';
    }
}
