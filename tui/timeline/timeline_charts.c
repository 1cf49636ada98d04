/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chart is a chain of series (`next`) of one description and device. The columns of one chart at a time are
 * kept (`made`): all its lines use them in the same frame. Rows of charts are added last, since their height
 * is the height that the other rows leave.
 */
#include "tui/timeline/timeline_charts.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include "core/session/lod.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how a chart looks ---- */

/*
 * The tones of a chart: on further lines the part below the top is dim; the top is soft for a low value and
 * bright for a high one. If samples are wider than columns, a column in which a sample begins has the other
 * tone: a step and a tick for each sample. Fewer samples than make a shape are a dashed line at their height.
 */

/* The charts that decide most often come first. */
static const char *const first_titles[CHART_RANKS - 1] = {"achieved occupancy", "bank conflicts",
                                                          "L2 sectors", "DRAM read", "DRAM write"};

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
        if (strcmp(title, first_titles[i]) == 0)
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

void timeline_charts_fini(struct timeline_charts *charts)
{
    free(charts->items);
    free(charts->next);
    free(charts->columns);
    free(charts->part);
    free(charts->edges);
    *charts = (struct timeline_charts){.made = NONE, .cut_sampling = NONE};
}

/* ---- which series are one chart ---- */
static uint32_t chart_of(const struct session *session, const struct timeline_charts *charts,
                         const struct series_row *row)
{
    for (uint32_t i = 0; i < charts->count; i++) {
        const struct series_row *first = session_series(session, charts->items[i].first);
        if (first->name == row->name && first->clock == row->clock && first->flags == row->flags &&
            series_same_device(session, first, row->device, row->process))
            return i;
    }
    return NONE;
}

/* Shown instead of the charts of a device that cannot be sampled. */
static const struct series_description unsampled = {
    .title = "counters over time", .meaning = "", .unit = SERIES_NUMBER, .order = UINT_MAX};

const char *timeline_chart_why(const struct screen *screen, uint32_t chart)
{
    uint32_t why = timeline_state(screen)->charts.items[chart].why;
    return why == 0 ? NULL : session_string(screen->session, why);
}

/* Adds the series that are new to the charts. */
static bool charts_update(struct screen *screen)
{
    struct timeline_charts *charts = &timeline_state(screen)->charts;
    uint32_t count = session_series_count(screen->session);
    for (; charts->series_seen < count; charts->series_seen++) {
        uint32_t series = charts->series_seen;
        const struct series_row *row = session_series(screen->session, series);
        if (!array_grow(charts->next, charts->next_capacity, series, 1))
            return false;
        charts->next[series] = NONE;
        uint32_t chart = chart_of(screen->session, charts, row);
        if (chart != NONE) {
            charts->next[charts->items[chart].last] = series;
            charts->items[chart].last = series;
            continue;
        }
        if (!array_grow(charts->items, charts->capacity, charts->count, 1))
            return false;
        bool cannot = (row->flags & SERIES_CANNOT) != 0;
        if (charts->count < CHARTS_MAX)
            charts->items[charts->count++] = (struct timeline_chart){
                .first = series,
                .last = series,
                .about = cannot ? unsampled : series_describe(session_string(screen->session, row->name)),
                .burst = (row->flags & SERIES_BURST) != 0,
                .why = cannot ? row->name : 0};
    }
    return true;
}

/* ---- rows ---- */
/* Does the work of the shown run take place on the device of the series? */
static bool in_scope(const struct screen *screen, const struct series_row *row)
{
    return screen->run == NONE ? row->clock == screen_clock(screen)
                               : series_is_of_run(screen->session, row, screen->run);
}

/* Whether the series has samples in the bounds; widens the extent by them. */
static bool has_samples(const struct session *session, const struct series_row *row, struct window bounds,
                        struct window *extent)
{
    uint64_t count = sample_count(session, row->sampling);
    uint64_t first = sample_find(session, row->sampling, bounds.start_ns);
    if (first >= count || sample_start_ns(session, row->sampling, first) >= bounds.end_ns)
        return false;
    uint64_t last = sample_find(session, row->sampling, bounds.end_ns);
    last = last >= count || sample_start_ns(session, row->sampling, last) >= bounds.end_ns ? last - 1 : last;
    int64_t start_ns = sample_start_ns(session, row->sampling, first);
    int64_t end_ns = sample_end_ns(session, row->sampling, last);
    if (extent->start_ns > extent->end_ns)
        *extent = (struct window){start_ns, end_ns};
    extent->start_ns = start_ns < extent->start_ns ? start_ns : extent->start_ns;
    extent->end_ns = end_ns > extent->end_ns ? end_ns : extent->end_ns;
    return true;
}

/* Is this the reason why the device has no charts? Only the last reason counts, and only if nothing was
 * sampled. */
static bool says_why(const struct screen *screen, uint32_t chart)
{
    const struct timeline_charts *charts = &timeline_state(screen)->charts;
    const struct series_row *own = session_series(screen->session, charts->items[chart].last);
    if (!in_scope(screen, own))
        return false;
    for (uint32_t i = 0; i < charts->count; i++)
        for (uint32_t s = charts->items[i].first; s != NONE && i != chart; s = charts->next[s]) {
            const struct series_row *row = session_series(screen->session, s);
            bool says_more = charts->items[i].why != 0 ? s > charts->items[chart].last
                                                       : sample_count(screen->session, row->sampling) > 0;
            if (says_more && in_scope(screen, row) &&
                series_same_device(screen->session, row, own->device, own->process))
                return false;
        }
    return true;
}

/* The device whose heading the chart is under: the shown device that its series are of, even if another
 * process uses it. */
static uint32_t device_of(const struct screen *screen, const struct series_row *row, uint32_t *process)
{
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    for (size_t i = 0; i < groups->count; i++) {
        const struct timeline_member *member = &groups->members[i];
        if (member->device != NONE &&
            series_same_device(screen->session, row, member->device, member->process)) {
            *process = member->process;
            return member->device;
        }
    }
    *process = row->process;
    return row->device;
}

/* Adds the chart's first row; lines 0: as many as fit. */
static bool add_row(struct screen *screen, uint32_t chart, size_t *count)
{
    struct timeline *timeline = timeline_state(screen);
    const struct timeline_chart *item = &timeline->charts.items[chart];
    if (!array_grow(timeline->rows, timeline->row_capacity, *count, 1))
        return false;
    uint32_t process, device = device_of(screen, session_series(screen->session, item->first), &process);
    struct timeline_row made = {
        .track = NONE, .lane = NONE, .chart = chart, .kind = ROW_CHART, .lines = item->choice.fold};
    if (item->why != 0 || (item->low && made.lines == 0))
        made.lines = 1;
    timeline_place_chart(screen, device, process, &item->choice,
                         item->about.order + (item->quiet ? CHARTS_MAX : UINT64_C(0)), &made);
    if (made.pinned || !timeline_is_folded_away(screen, device, process))
        timeline->rows[(*count)++] = made;
    return true;
}

/* Moves the most important charts to the top of the charts: below their device's heading, above its streams.
 */
static void put_first(const struct screen *screen, struct timeline_row *rows, size_t count, int most)
{
    const struct timeline_chart *items = timeline_state(screen)->charts.items;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const char *rule = verdict->known && verdict->wrong > 0 ? verdict->advice[0].rule->id : "";
    for (unsigned rank = 1, put = 0; rank <= CHART_RANKS && put < (unsigned)most; rank++)
        for (size_t i = 0; i < count && put < (unsigned)most; i++) {
            const struct timeline_chart *chart = &items[rows[i].chart];
            if (chart->quiet || chart->choice.order != 0 || chart_rank(chart->about.title, rule) != rank)
                continue;
            rows[i].place[2] = rank;
            put++;
        }
}

#define FIRST_MOST 4

/* Adds the further lines of the charts from `first` on: as many as the user chose; the other charts share the
 * rest of the height. */
static bool add_lines(struct screen *screen, size_t first, int height, size_t *count, int *wanted)
{
    struct timeline *timeline = timeline_state(screen);
    size_t charts = *count - first;
    int chosen = 0, usual = 0, least = (int)*count;
    for (size_t i = first; i < first + charts; i++) {
        chosen += timeline->rows[i].lines;
        usual += timeline->rows[i].lines == 0;
    }
    *wanted = (int)first + chosen + usual * CHART_LINES_MAX;
    if (least > height)
        put_first(screen, timeline->rows + first, charts, height < 4 * FIRST_MOST ? height / 4 : FIRST_MOST);
    int spare = height - (int)first - chosen, each = usual > 0 ? spare / usual : 1;
    each = each < 1 ? 1 : each > CHART_LINES_MAX ? CHART_LINES_MAX : each;
    int more = each < CHART_LINES_MAX && spare > each * usual ? spare - each * usual : 0;
    for (size_t i = first; i < first + charts; i++) {
        if (timeline->rows[i].lines == 0)
            timeline->rows[i].lines = (uint8_t)(each + (more-- > 0));
        if (!array_grow(timeline->rows, timeline->row_capacity, *count, CHART_LINES_MAX))
            return false;
        for (uint8_t line = 1; line < timeline->rows[i].lines; line++) {
            timeline->rows[*count] = timeline->rows[i];
            timeline->rows[(*count)++].line = line;
        }
    }
    return true;
}

/* Merges columns of two series of one chart over the same time. */
static void merge_columns(struct sample_column *into, const struct sample_column *more)
{
    into->count += more->count;
    into->folded = more->folded > into->folded ? more->folded : into->folded;
    if (more->covered_ns == 0)
        return;
    if (into->covered_ns == 0) {
        struct sample_column both = *more;
        both.count = into->count;
        both.folded = into->folded;
        *into = both;
        return;
    }
    int64_t covered_ns = into->covered_ns + more->covered_ns;
    into->mean =
        (into->mean * (double)into->covered_ns + more->mean * (double)more->covered_ns) / (double)covered_ns;
    into->covered_ns = covered_ns;
    into->least = fminf(into->least, more->least);
    into->most = fmaxf(into->most, more->most);
}

#define FEW_SAMPLES 5 /* with fewer in sight, a fill would tell of times that no sample resolves */

/* Computes the mean over the window, and how many samples are in it if they are few. Samples at the starts
 * and ends of kernels are not: each is as long as what it is of. */
static void measure_shown(const struct screen *screen, struct timeline_chart *chart, struct window window)
{
    struct sample_column shown = {.mean = NAN};
    bool periodic = true;
    for (uint32_t s = chart->first; s != NONE; s = timeline_state(screen)->charts.next[s]) {
        const struct series_row *row = session_series(screen->session, s);
        if (!in_scope(screen, row))
            continue;
        struct sample_column part = samples_over(screen->session, s, window.start_ns, window.end_ns);
        periodic = periodic && row->interval_ns > 0;
        merge_columns(&shown, &part);
    }
    chart->mean = shown.mean;
    chart->few = periodic && shown.count < FEW_SAMPLES ? shown.count : 0;
}

/* Computes the chart's scale; false: it has no samples in the run. */
static bool measure_chart(const struct screen *screen, struct timeline_chart *chart, struct window bounds,
                          struct window worked, struct window *sampled)
{
    const struct timeline_charts *charts = &timeline_state(screen)->charts;
    struct sample_column work = {.mean = NAN};
    bool there = false;
    for (uint32_t s = chart->first; s != NONE; s = charts->next[s]) {
        const struct series_row *row = session_series(screen->session, s);
        if (!in_scope(screen, row) || !has_samples(screen->session, row, bounds, sampled))
            continue;
        struct sample_column part = samples_over(screen->session, s, worked.start_ns, worked.end_ns);
        merge_columns(&work, &part);
        there = true;
    }
    double most = work.covered_ns > 0 ? (double)work.most : 0;
    chart->scale = series_scale(chart->about.unit, most);
    chart->quiet = !(most > 0);
    chart->low = most < chart->scale / 4;
    return there;
}

bool timeline_charts_rows(struct screen *screen, struct window bounds, int height, struct window *extent,
                          size_t *count, int *wanted)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_charts *charts = &timeline->charts;
    struct window sampled = {1, 0}, worked = extent->start_ns <= extent->end_ns ? *extent : bounds;
    size_t first = *count;
    *wanted = (int)*count;
    charts->made = charts->cut_sampling = NONE;
    if (!charts_update(screen))
        return false;
    for (uint32_t i = 0; i < charts->count; i++) {
        struct timeline_chart *chart = &charts->items[i];
        bool there = measure_chart(screen, chart, bounds, worked, &sampled) ||
                     (chart->why != 0 && says_why(screen, i));
        timeline->hidden += there && chart->choice.hidden;
        if (there && !chart->choice.hidden &&
            timeline_filter_keeps_chart(&timeline->filter, chart->about.title) && !add_row(screen, i, count))
            return false;
    }
    if (extent->start_ns > extent->end_ns)
        *extent = sampled;
    return add_lines(screen, first, height, count, wanted);
}

/* ---- cells ---- */
/* Finds the samples of a sampling in the columns of a window: the same for all its series. */
static void cut_columns(struct screen *screen, uint32_t sampling, struct window window, size_t count)
{
    struct timeline_charts *charts = &timeline_state(screen)->charts;
    if (charts->cut_sampling == sampling && charts->cut_count == count &&
        charts->cut_window.start_ns == window.start_ns && charts->cut_window.end_ns == window.end_ns)
        return;
    charts->cut_sampling = sampling;
    charts->cut_window = window;
    charts->cut_count = count;
    samples_cut(screen->session, sampling, window.start_ns, window.end_ns, charts->edges, count);
}

/* Makes the columns from all series of a chart that are shown. False: out of memory. */
static bool make_columns(struct screen *screen, uint32_t chart, struct window window, size_t count)
{
    struct timeline_charts *charts = &timeline_state(screen)->charts;
    if (!array_grow(charts->columns, charts->column_capacity, count, 1) ||
        !array_grow(charts->part, charts->part_capacity, count, 1) ||
        !array_grow(charts->edges, charts->edge_capacity, count, 1))
        return false;
    for (size_t k = 0; k < count; k++)
        charts->columns[k] = (struct sample_column){.mean = NAN, .least = NAN, .most = NAN};
    for (uint32_t s = charts->items[chart].first; s != NONE; s = charts->next[s]) {
        const struct series_row *row = session_series(screen->session, s);
        struct window ignored = {1, 0};
        if (!in_scope(screen, row) || !has_samples(screen->session, row, window, &ignored))
            continue;
        cut_columns(screen, row->sampling, window, count);
        samples_columns(screen->session, s, window.start_ns, window.end_ns, charts->edges, charts->part,
                        count);
        for (size_t k = 0; k < count; k++)
            merge_columns(&charts->columns[k], &charts->part[k]);
    }
    return true;
}

void timeline_charts_cells(struct screen *screen, const struct timeline_row *row, struct timeline_cell *cells)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_charts *charts = &timeline->charts;
    struct timeline_chart *chart = &charts->items[row->chart];
    memset(cells, 0, (size_t)timeline->columns * sizeof *cells);
    if (charts->made != row->chart &&
        !make_columns(screen, row->chart, timeline->window, (size_t)timeline->columns))
        return;
    if (charts->made != row->chart)
        measure_shown(screen, chart, timeline->window);
    charts->made = row->chart;
    chart_cells(chart, row, charts->columns, timeline->columns, cells);
}

void timeline_charts_minimap(struct screen *screen, struct window extent, uint8_t *levels, size_t columns)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_charts *charts = &timeline->charts;
    if (timeline->rows_list.count == 0 || timeline->rows[0].chart == NONE ||
        !make_columns(screen, timeline->rows[0].chart, extent, columns))
        return;
    charts->made = NONE;
    for (size_t k = 0; k < columns; k++) {
        int level =
            (chart_eighths(charts->columns[k].mean, charts->items[timeline->rows[0].chart].scale, 1) + 1) / 2;
        levels[k] = charts->columns[k].covered_ns > 0 ? (uint8_t)level : 0;
    }
}

/* ---- read-out ---- */
void timeline_charts_readout(struct screen *screen, uint32_t chart, struct window column)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_charts *charts = &timeline->charts;
    struct timeline_chart_readout *readout = &timeline->readout.chart;
    struct window marked = {timeline->mark_ns[0], timeline->mark_ns[1]};
    *readout = (struct timeline_chart_readout){.chart = NONE, .series = NONE};
    if (chart == NONE || !make_columns(screen, chart, column, 1))
        return;
    readout->chart = chart;
    readout->here = charts->columns[0];
    charts->made = NONE;
    for (uint32_t s = charts->items[chart].first; s != NONE; s = charts->next[s]) {
        const struct series_row *row = session_series(screen->session, s);
        uint64_t at = sample_find(screen->session, row->sampling, column.start_ns);
        if (in_scope(screen, row) && at < sample_count(screen->session, row->sampling) &&
            sample_start_ns(screen->session, row->sampling, at) < column.end_ns) {
            readout->series = s;
            readout->sample = at;
        }
    }
    if (timeline->marked[0] && timeline->marked[1] && marked.start_ns < marked.end_ns &&
        make_columns(screen, chart, marked, 1))
        readout->range = charts->columns[0];
}

void timeline_chart_text(const struct screen *screen, char *text, size_t size_bytes)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct timeline_chart_readout *readout = &timeline->readout.chart;
    const struct timeline_chart *chart = &timeline->charts.items[readout->chart];
    const struct sample_column *here = &readout->here;
    char mean[32], least[32], most[32];
    const char *why = timeline_chart_why(screen, readout->chart);
    size_t used = 0;
    if (why) {
        snprintf(text, size_bytes, "not sampled. %s", why);
        return;
    }
#define ADD(...) append_text(text, size_bytes, &used, __VA_ARGS__)
    series_format(chart->about.unit, here->mean, mean, sizeof mean);
    series_format(chart->about.unit, (double)here->least, least, sizeof least);
    series_format(chart->about.unit, (double)here->most, most, sizeof most);
    if (here->count == 0) {
        ADD("not sampled here%s", chart->burst ? ": between bursts" : "");
    } else if (here->covered_ns == 0) {
        ADD("sampled here, but the counter gave no number");
    } else if (here->folded > 0) {
        const struct series_row *row = session_series(screen->session, readout->series);
        struct sample_span unit = sample_span(screen->session, row->sampling, readout->sample);
        const char *where = timeline_detail_text(screen);
        if (here->count <= unit.first + unit.count - readout->sample) /* the parts of a sum are not known */
            ADD("%s  mean of %s samples, %s to %s, in %s ns from %s; the single samples are %s", mean,
                number_exact((int64_t)unit.count).text, least, most,
                number_exact(unit.end_ns - unit.start_ns).text,
                number_since(unit.start_ns, screen->zero_ns, 1).text, where);
        else
            ADD("%s  mean of %s samples, %s to %s, in sums of %s; the single samples are %s", mean,
                number_exact((int64_t)here->count).text, least, most, number_exact(here->folded).text, where);
    } else if (here->count == 1) {
        const struct series_row *row = session_series(screen->session, readout->series);
        int64_t start_ns = sample_start_ns(screen->session, row->sampling, readout->sample);
        int64_t span_ns = sample_end_ns(screen->session, row->sampling, readout->sample) - start_ns;
        double number = (double)sample_number(screen->session, readout->series, readout->sample);
        ADD("%s  ", mean);
        if (chart->about.counted)
            ADD("%s in ", number_exact((int64_t)number).text);
        else
            ADD("(%.7g) over ", number);
        ADD("%s ns from %s", number_exact(span_ns).text, number_since(start_ns, screen->zero_ns, 1).text);
    } else {
        ADD("%s  mean of %s samples, %s to %s", mean, number_exact((int64_t)here->count).text, least, most);
    }
    if (readout->range.covered_ns > 0) {
        double share =
            100.0 * (double)readout->range.covered_ns / (double)(timeline->mark_ns[1] - timeline->mark_ns[0]);
        series_format(chart->about.unit, readout->range.mean, mean, sizeof mean);
        ADD("  [ to ]: mean %s", mean);
        if (share < 99.95)
            ADD(", %.1f %% of it sampled", share);
    } else if (timeline->marked[0] && timeline->marked[1]) {
        ADD("  [ to ]: not sampled");
    }
#undef ADD
}

/* ---- jumps ---- */
/* The start of the highest sample in a window: found in columns that get narrower. */
static int64_t highest_sample(struct screen *screen, uint32_t chart, struct window window)
{
    enum { PARTS = 32 };
    const struct sample_column *columns;
    for (;;) {
        size_t best = PARTS, parts = window.end_ns - window.start_ns < PARTS ? 1 : PARTS;
        if (!make_columns(screen, chart, window, parts))
            return window.start_ns;
        columns = timeline_state(screen)->charts.columns;
        for (size_t k = 0; k < parts; k++)
            if (columns[k].covered_ns > 0 && (best == PARTS || columns[k].most > columns[best].most))
                best = k;
        if (best == PARTS || parts == 1)
            return window.start_ns;
        bool one = columns[best].count == 1;
        window = (struct window){lod_column_start_ns(window.start_ns, window.end_ns, parts, best),
                                 lod_column_start_ns(window.start_ns, window.end_ns, parts, best + 1)};
        if (one)
            return window.start_ns;
    }
}

/* The nearest start of a sample, or of a group of folded samples, after or before a time; INT64_MIN: none. */
static int64_t neighbour_sample(const struct screen *screen, uint32_t chart, int64_t at_ns, bool forward)
{
    const struct timeline_charts *charts = &timeline_state(screen)->charts;
    int64_t best = INT64_MIN;
    for (uint32_t s = charts->items[chart].first; s != NONE; s = charts->next[s]) {
        const struct series_row *row = session_series(screen->session, s);
        uint64_t count = sample_count(screen->session, row->sampling);
        uint64_t at = sample_find(screen->session, row->sampling, at_ns);
        if (!in_scope(screen, row) || count == 0)
            continue;
        struct sample_span span = sample_span(screen->session, row->sampling, at);
        if (forward && at < count && span.start_ns <= at_ns)
            at = span.first + span.count;
        if (!forward && (at >= count || span.start_ns >= at_ns))
            at = span.first - 1; /* before the first index it wraps to an invalid one */
        if (at >= count)
            continue;
        int64_t start_ns = sample_span(screen->session, row->sampling, at).start_ns;
        if (best == INT64_MIN || (forward ? start_ns < best : start_ns > best))
            best = start_ns;
    }
    return best;
}

bool timeline_charts_jump(struct screen *screen, uint32_t chart, enum action action)
{
    struct timeline *timeline = timeline_state(screen);
    int64_t to_ns = INT64_MIN;
    if (timeline->charts.items[chart].why != 0) {
        screen_message(screen, SEVERITY_INFO, "There are no samples to move to.");
        return true;
    }
    switch (action) {
    case ACTION_NEXT:
    case ACTION_PREVIOUS:
        to_ns = neighbour_sample(screen, chart, timeline->cursor_ns, action == ACTION_NEXT);
        break;
    case ACTION_LONGEST: to_ns = highest_sample(screen, chart, timeline->window); break;
    case ACTION_SAME_NEXT:
    case ACTION_SAME_PREVIOUS:
    case ACTION_OTHER_END:
        screen_message(screen, SEVERITY_INFO,
                       "This row is a chart: n and N move by sample, M to the highest.");
        return true;
    default: return false;
    }
    if (to_ns != INT64_MIN)
        timeline_cursor_to(screen, to_ns);
    return true;
}
