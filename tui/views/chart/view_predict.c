/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A class's guess: a document's chart without its points, to be filled in by keys; then the step runs, and the runs'
 * points and the document's are drawn beside the guess. It is opened by a line of a lesson, for the runs that follow it.
 */
#include "core/base/run_params.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/chart/chart.h"
#include "tui/views/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 16
#define NAME_BYTES 32
#define LEVELS 20 /* a key raises the guess by so many parts of the scale */
#define TALLER 1.5
#define BY_VARIANT "variant"
#define BESIDE_FIRST "/first"
#define FIRST_BY "first/"
#define FOOT_LINES 2 /* the legend, and the point of the cursor */

/* What is drawn of a point: the metric, or it beside that of the first point. */
enum predict_form { PREDICT_PLAIN, PREDICT_BESIDE_FIRST, PREDICT_FIRST_BY };

enum predict_series { GUESS, OURS, DOCUMENT, PREDICT_SERIES };

struct prediction { /* a line of a lesson, read */
    int metric;
    enum predict_form form;
    char param[NAME_BYTES];
    uint32_t count;
    struct {
        char name[NAME_BYTES];
        double x, y;
    } points[POINTS_MAX];
};

struct predict {
    struct chart chart; /* as it is drawn */
    struct chart_point points[PREDICT_SERIES * POINTS_MAX];
    struct tui_figure figure;
    struct prediction of;
    char title[CHART_NAME_SIZE];
    double guess[POINTS_MAX], ours[POINTS_MAX];
    double values[POINTS_MAX]; /* of the runs, as the metric has them; NAN: none yet */
    bool asked, ran;           /* the class has done with its guess; and the step with a run */
};

static struct predict *predict_state(const struct screen *screen)
{
    return screen->view_state[VIEW_PREDICT];
}

/* ---- the line ---- */

static bool take_metric(struct prediction *prediction, char *word)
{
    size_t length = strlen(word), beside = strlen(BESIDE_FIRST);
    if (length > beside && strcmp(word + length - beside, BESIDE_FIRST) == 0) {
        prediction->form = PREDICT_BESIDE_FIRST;
        word[length - beside] = '\0';
    } else if (strncmp(word, FIRST_BY, strlen(FIRST_BY)) == 0) {
        prediction->form = PREDICT_FIRST_BY;
        word += strlen(FIRST_BY);
    }
    prediction->metric = chart_metric_find(word);
    return prediction->metric >= 0 && prediction->metric != CHART_SPEEDUP;
}

static bool take_point(struct prediction *prediction, const char *word)
{
    const char *is = strchr(word, '=');
    char *end = NULL;
    if (!is || is == word || (size_t)(is - word) >= NAME_BYTES || prediction->count == POINTS_MAX)
        return false;
    uint32_t i = prediction->count++;
    snprintf(prediction->points[i].name, NAME_BYTES, "%.*s", (int)(is - word), word);
    bool unknown = strcmp(is + 1, "?") == 0; /* the document has no number here */
    prediction->points[i].y = unknown ? NAN : strtod(is + 1, &end);
    if (!unknown &&
        (end == is + 1 || *end != '\0' || !(prediction->points[i].y >= 0) || isinf(prediction->points[i].y)))
        return false;
    prediction->points[i].x = strtod(word, &end);
    return strcmp(prediction->param, BY_VARIANT) == 0 || (end == is && isfinite(prediction->points[i].x));
}

/* "METRIC PARAM X=Y X=Y ...", or "METRIC variant NAME=Y ...". */
static bool prediction_read(const char *text, struct prediction *prediction)
{
    char words[LESSON_LINE_MAX + 1], *rest = words;
    int number = 0;
    *prediction = (struct prediction){0};
    snprintf(words, sizeof words, "%s", text);
    for (char *word; (word = strsep(&rest, " "));) {
        if (*word == '\0')
            continue;
        if (number == 1 && strlen(word) < NAME_BYTES)
            snprintf(prediction->param, NAME_BYTES, "%s", word);
        bool good = number == 0   ? take_metric(prediction, word)
                    : number == 1 ? prediction->param[0] != '\0'
                                  : take_point(prediction, word);
        if (!good)
            return false;
        number++;
    }
    return prediction->count > 0;
}

enum status lesson_prediction_check(const char *text, struct error *error)
{
    struct prediction prediction;
    if (prediction_read(text, &prediction))
        return STATUS_OK;
    return error_set(
        error, STATUS_USAGE,
        "a prediction is a metric of docs/metrics.md, a parameter or 'variant', and up to %d points, such as: "
        "predict time_ns/first words 1=1 2=2 4=4",
        POINTS_MAX);
}

/* ---- the runs ---- */

static bool is_point(const struct session *session, uint32_t run, const struct prediction *prediction,
                     uint32_t i)
{
    const struct run_row *row = session_run(session, run);
    double x;
    if (strcmp(prediction->param, BY_VARIANT) == 0)
        return strcmp(session_string(session, row->variant), prediction->points[i].name) == 0;
    return run_param_number(session_string(session, row->params), prediction->param, &x) &&
           x == prediction->points[i].x;
}

static double value_of(const struct session *session, const struct chart *cases, const struct chart_case *one,
                       int metric)
{
    if (metric >= METRIC_COUNT)
        return chart_run_value(session, one->run, metric);
    if (one->kernel == NONE)
        return NAN;
    struct value value = kernel_index_statistic(cases->index, one->kernel, (enum metric)metric,
                                                one->model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED)
                             .value;
    return value.available && !value.word ? value.number : (double)NAN;
}

/* The newest of the runs that is a point; the chart's cases know which kernel speaks for a run. */
static double point_value(const struct screen *screen, uint32_t i, uint32_t first, uint32_t end)
{
    const struct predict *predict = predict_state(screen);
    const struct chart *cases = chart_state(screen);
    double value = NAN;
    for (uint32_t c = 0; c < cases->case_count; c++)
        if (cases->cases[c].run >= first && cases->cases[c].run < end &&
            is_point(screen->session, cases->cases[c].run, &predict->of, i))
            value = value_of(screen->session, cases, &cases->cases[c], predict->of.metric);
    return value;
}

/* The chart's workload has been chosen, and its cases made. A step may have several lines of runs. */
static void take_runs(struct screen *screen, uint32_t first, uint32_t end)
{
    struct predict *predict = predict_state(screen);
    for (uint32_t i = 0; i < predict->of.count; i++) {
        double value = point_value(screen, i, first, end), *all = predict->values;
        all[i] = isfinite(value) ? value : all[i];
        predict->ours[i] = predict->of.form == PREDICT_PLAIN          ? all[i]
                           : predict->of.form == PREDICT_BESIDE_FIRST ? all[i] / all[0]
                                                                      : all[0] / all[i];
        predict->chart.y_most = fmax(predict->chart.y_most, predict->ours[i]);
    }
    predict->ran = true;
}

static void show_run(struct screen *screen, uint32_t run)
{
    const struct run_row *row = session_run(screen->session, run);
    uint32_t first = run, end = run + 1;
    if (screen_top(screen) != screen->views[VIEW_PREDICT]) /* a run that is looked for has no guess */
        return;
    for (uint32_t i = 0; i < screen->present.run_count; i++)
        if (screen->present.runs[i].first <= run && run < screen->present.runs[i].end) {
            first = screen->present.runs[i].first;
            end = screen->present.runs[i].end;
        }
    screen->views[VIEW_RUNS]->show[ITEM_RUN](screen, run); /* behind the chart: the header names its GPU */
    screen_open(screen, VIEW_PREDICT);
    chart_choose(screen, session_string(screen->session, row->workload));
    chart_state(screen)->made_of = 0;
    chart_make(screen);
    take_runs(screen, first, end);
}

/* ---- the chart ---- */

/* 1, 2 or 5 times a power of ten. */
static double round_up(double number)
{
    double unit = number > 0 ? pow(10, floor(log10(number))) : 1;
    for (int i = 0; i < 3; i++)
        if (number <= unit * (i == 0 ? 1 : i == 1 ? 2 : 5))
            return unit * (i == 0 ? 1 : i == 1 ? 2 : 5);
    return 10 * unit;
}

static double place_of_variant(const struct tui_workload *workload, const char *name)
{
    for (size_t i = 0; workload && i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, name) == 0)
            return (double)i;
    return NAN;
}

/* The workload that the step runs: the first word of "--model m2090 copy-offset:copy,offset=0" that is one. */
static const struct tui_workload *workload_of_step(const struct screen *screen)
{
    const struct lesson_step *step = &screen->present.script->steps[screen->present.step];
    for (uint32_t i = 0; i < step->count; i++) {
        const struct lesson_line *line = &screen->present.script->lines[step->first + i];
        char words[LESSON_LINE_MAX + 1], *rest = words;
        snprintf(words, sizeof words, "%s", line->kind == LESSON_RUN ? line->text : "");
        for (char *word; (word = strsep(&rest, " "));) {
            word[strcspn(word, ":,")] = '\0';
            const struct tui_workload *workload = lab_find_workload(screen, word);
            if (workload)
                return workload;
        }
    }
    return NULL;
}

static void make_axes(struct predict *predict)
{
    struct chart *chart = &predict->chart;
    double most = 0;
    bool variants = strcmp(predict->of.param, BY_VARIANT) == 0;
    chart->axis = variants ? CHART_VARIANTS : 0;
    chart->axis_count = !variants;
    chart->axes[0].values = predict->of.count;
    chart->x_least = HUGE_VAL;
    chart->x_most = -HUGE_VAL;
    for (uint32_t i = 0; i < predict->of.count; i++) {
        if (variants)
            predict->of.points[i].x = place_of_variant(chart->workload, predict->of.points[i].name);
        chart->x_least = fmin(chart->x_least, predict->of.points[i].x);
        chart->x_most = fmax(chart->x_most, predict->of.points[i].x);
        most = fmax(most, predict->of.points[i].y);
    }
    const bool share = predict->of.metric < METRIC_COUNT &&
                       strcmp(metric_info((enum metric)predict->of.metric)->unit, "%") == 0;
    chart->y_most = most == 0 && share ? 100 : round_up(TALLER * most); /* the document may have no number */
    chart->metric = predict->of.form == PREDICT_PLAIN ? predict->of.metric : CHART_SPEEDUP;
}

/* The series of the guess, and once the step has run those of the runs and of the document. */
static void make_series(struct predict *predict)
{
    static const struct {
        const char *name;
        char mark;
    } looks[PREDICT_SERIES] = {{"your guess", 'g'}, {"the run", 'a'}, {"the document", '1'}};
    struct chart *chart = &predict->chart;
    chart->points = predict->points;
    chart->point_count = 0;
    chart->series_count = predict->ran ? PREDICT_SERIES : 1;
    for (int s = 0; s < chart->series_count; s++) {
        struct chart_series *series = &chart->series[s];
        *series = (struct chart_series){.first = chart->point_count,
                                        .mark = looks[s].mark,
                                        .provenance = PROVENANCE_MODELLED,
                                        .figure = s == DOCUMENT ? &predict->figure : NULL,
                                        .color = COLOR_KERNEL + s};
        snprintf(series->name, sizeof series->name, "%s", looks[s].name);
        snprintf(series->place, sizeof series->place, "%s", looks[s].name);
        for (uint32_t i = 0; i < predict->of.count; i++) {
            double y = s == GUESS  ? predict->guess[i]
                       : s == OURS ? predict->ours[i]
                                   : predict->of.points[i].y;
            if (!isfinite(y))
                continue;
            series->count++;
            predict->points[chart->point_count++] =
                (struct chart_point){.x = predict->of.points[i].x, .y = y, .kernel = NONE};
        }
    }
}

/* The bars stand in the order of the workload's variants: shows those of the cursor's. */
static void scroll_bars(struct predict *predict, int height)
{
    int before = 0, count = predict->chart.series_count, most = (int)predict->chart.point_count - height;
    for (uint32_t i = 0; i < predict->of.count; i++)
        before += predict->of.points[i].x < predict->of.points[predict->chart.cursor].x;
    int top = before * count < most ? before * count : most;
    predict->chart.bars.top = top > 0 ? top : 0;
}

/* A line of a lesson, by its number in the script. */
static void show_line(struct screen *screen, uint32_t index)
{
    struct predict *predict = predict_state(screen);
    const struct present *present = &screen->present;
    *predict = (struct predict){0};
    if (!present->script || !prediction_read(present->script->lines[index].text, &predict->of))
        return;
    for (uint32_t i = 0; i < predict->of.count; i++)
        predict->values[i] = predict->ours[i] = NAN;
    predict->chart.workload = workload_of_step(screen);
    snprintf(predict->title, sizeof predict->title, "%s", present->script->steps[present->step].title);
    make_axes(predict);
    screen_open(screen, VIEW_PREDICT);
}

static void predict_update(struct screen *screen, struct rect area)
{
    make_series(predict_state(screen));
    scroll_bars(predict_state(screen), view_inside(area).height - FOOT_LINES);
}

/* ---- drawing ---- */

static void draw_legend(const struct predict *predict, struct canvas *canvas, struct rect line, int hidden)
{
    int x = line.x + 1;
    for (int s = 0; s < predict->chart.series_count; s++) {
        const struct chart_series *series = &predict->chart.series[s];
        if (series->count == 0)
            continue;
        canvas_put(canvas, x, line.y, (unsigned char)series->mark,
                   STYLE(series->figure ? COLOR_WARN : series->color, COLOR_NONE, ATTRIBUTE_BOLD));
        x += 2 +
             canvas_text(canvas, x + 2, line.y, line.x + line.width - x - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0),
                         series->name) +
             2;
    }
    if (predict->asked && !predict->ran)
        canvas_text(canvas, x, line.y, line.x + line.width - x, STYLE(COLOR_WARN, COLOR_NONE, 0),
                    "it runs ...");
    if (hidden > 0)
        canvas_printf(canvas, x, line.y, line.x + line.width - x, STYLE(COLOR_WARN, COLOR_NONE, 0),
                      "%d more bars below: l", hidden);
}

static void print_number(const struct predict *predict, double number, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, "-");
    if (isfinite(number))
        chart_format(predict->chart.metric, number, text, NUMBER_SIZE);
}

/* "offset=8: guess 104 GB/s, run 111 GB/s, document 104 GB/s (run +7.2 %)". */
static void draw_point(const struct predict *predict, struct canvas *canvas, struct rect line)
{
    uint32_t i = predict->chart.cursor;
    char text[300], guess[NUMBER_SIZE], ours[NUMBER_SIZE], theirs[NUMBER_SIZE];
    print_number(predict, predict->guess[i], guess);
    print_number(predict, predict->ours[i], ours);
    print_number(predict, predict->of.points[i].y, theirs);
    int used = snprintf(text, sizeof text, "%s%s%s: guess %s",
                        predict->chart.axis == CHART_VARIANTS ? "" : predict->of.param,
                        predict->chart.axis == CHART_VARIANTS ? "" : " ", predict->of.points[i].name, guess);
    if (predict->ran && used > 0 && (size_t)used < sizeof text)
        used += snprintf(text + used, sizeof text - (size_t)used, ", run %s, document %s", ours, theirs);
    if (predict->ran && isfinite(predict->ours[i]) && predict->of.points[i].y > 0 &&
        (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, " (run %+.1f %%)",
                 100 * (predict->ours[i] / predict->of.points[i].y - 1));
    canvas_text(canvas, line.x + 1, line.y, line.width - 1, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD),
                text);
}

static void predict_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct predict *predict = predict_state(screen);
    const char *what = chart_metric_title(predict->of.metric);
    char title[300];
    snprintf(title, sizeof title, "%s: %s%s over %s", predict->title, what,
             predict->of.form == PREDICT_BESIDE_FIRST ? ", times that of the first"
             : predict->of.form == PREDICT_FIRST_BY   ? ", that of the first over it"
                                                      : "",
             predict->of.param);
    struct rect inside = view_frame(canvas, area, title, focus);
    struct rect foot = {inside.x, inside.y + inside.height - FOOT_LINES, inside.width, 1};
    inside.height -= FOOT_LINES;
    if (predict->of.count == 0 || inside.height < 2)
        return;
    if (predict->chart.axis == CHART_VARIANTS)
        chart_draw_bars(&predict->chart, canvas, inside);
    else
        chart_draw_lines(&predict->chart, canvas, inside);
    const int below = (int)predict->chart.point_count - predict->chart.bars.top - inside.height;
    draw_legend(predict, canvas, foot, predict->chart.axis == CHART_VARIANTS ? below : 0);
    foot.y++;
    draw_point(predict, canvas, foot);
}

/* ---- keys ---- */

static void raise_guess(struct predict *predict, int by)
{
    double *guess = &predict->guess[predict->chart.cursor], level = predict->chart.y_most / LEVELS;
    if (!predict->asked)
        *guess = fmin(fmax(*guess + by * level, 0), predict->chart.y_most);
}

static void move_cursor(struct predict *predict, int by)
{
    uint32_t last = predict->of.count - 1, cursor = predict->chart.cursor;
    predict->chart.cursor = by < 0 ? cursor - (cursor > 0) : cursor + (cursor < last);
}

static void end_guess(struct screen *screen)
{
    predict_state(screen)->asked = true;
    present_guessed(screen);
}

static bool predict_act(struct screen *screen, enum action action)
{
    struct predict *predict = predict_state(screen);
    switch (action) {
    case ACTION_UP: raise_guess(predict, 1); return true;
    case ACTION_DOWN: raise_guess(predict, -1); return true;
    case ACTION_LEFT: move_cursor(predict, -1); return true;
    case ACTION_RIGHT: move_cursor(predict, 1); return true;
    case ACTION_OPEN: end_guess(screen); return true;
    default: return false;
    }
}

/* SPACE goes on in a lesson: here to the answer. */
static bool predict_key(struct screen *screen, uint32_t key)
{
    bool takes = key == KEY_SPACE && !predict_state(screen)->asked;
    if (takes)
        end_guess(screen);
    return takes;
}

static bool predict_walks(const struct screen *screen, char *text, size_t size_bytes)
{
    if (predict_state(screen)->asked)
        return false;
    snprintf(text, size_bytes, "the answer");
    return true;
}

static bool still_asks(const struct screen *screen)
{
    return !predict_state(screen)->asked;
}

static const struct view_key keys[] = {
    {.action = ACTION_UP,
     .hint = "guess",
     .name = "k j",
     .help = "a larger guess; j: a smaller one",
     .when = still_asks},
    {.action = ACTION_RIGHT, .hint = "point", .name = "h l", .help = "the next point; h: the one before"},
    {.action = ACTION_OPEN,
     .hint = "answer",
     .help = "run it, and draw its points and the document's",
     .when = still_asks},
    {.action = ACTION_NONE},
};

const struct view view_predict = {
    .title = "Guess",
    .state_bytes = sizeof(struct predict),
    .update = predict_update,
    .draw = predict_draw,
    .act = predict_act,
    .key = predict_key,
    .show = {[ITEM_RUN] = show_run, [ITEM_LESSON_LINE] = show_line},
    .walks = predict_walks,
    .keys = keys,
};
