/*
 * The comparison of two runs, a line per metric. The values that the rules expect are shown beside the actual
 * values of both sides. A difference is shown only between numbers that exist; "better" is not said of a
 * difference within the spread of the launches ("spread"), or of one from too few launches ("better?").
 *
 * What differs stands first (compare_order). A line under it has the number of the other rows, and they
 * follow it once it is unfolded. Metrics that are zero on both sides are not shown.
 */
#include "tui/frame/screen.h"
#include "tui/views/compare.h"

#include "core/advice/session_advice.h"

#include "tui/frame/run_names.h"
#include "tui/terminal/text.h"
#include "tui/widgets/brief.h"
#include "tui/widgets/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REFRESH_MS 500
#define CELLS 12  /* least cells of a column */
#define WIDEST 14 /* cells of the widest number: "-17.7 TFLOP/s" */
#define TITLE_MOST 46
#define TITLE_LEAST 22 /* cells kept for the metrics' names when columns grow */
#define TAIL_FROM 14   /* lines: with as many there are two more below */
#define RUN_FROM 8     /* lines: with as many, the runs' times and the differences of the work are shown */

/* ---- which runs ---- */

char compare_mark_of(const struct screen *screen, uint32_t run)
{
    return run == screen->marked[0] ? 'A' : run == screen->marked[1] ? 'B' : ' ';
}

void compare_mark(struct screen *screen)
{
    uint32_t run = screen_run_looked_at(screen), *marked = screen->marked;
    char name[300];
    if (run == NONE) {
        screen_message(screen, SEVERITY_INFO, "%s",
                       screen_why_empty(screen, "There is no run to mark here."));
        return;
    }
    screen_run_name(screen, run, name, sizeof name);
    if (run == marked[0] || run == marked[1]) {
        if (run == marked[0])
            marked[0] = marked[1];
        marked[1] = NONE;
        screen_message(screen, SEVERITY_INFO, "No longer marked: %s.", name);
        return;
    }
    if (marked[0] != NONE && marked[1] != NONE)
        marked[0] = marked[1];
    marked[marked[0] != NONE] = run;
    screen_message(screen, SEVERITY_INFO, "%c is %s. %s", compare_mark_of(screen, run), name,
                   marked[1] != NONE ? "X compares A and B." : "Mark another one, or press X there.");
}

/* The previous run of the same workload with other work; if there is none, the next one. */
static uint32_t neighbour_of(const struct screen *screen, uint32_t run)
{
    const struct session *session = screen->session;
    const struct run_row *row = session_run(session, run);
    uint32_t count = session_run_count(session), after = NONE;
    for (uint32_t i = count; i-- > 0;) {
        const struct run_row *other = session_run(session, i);
        bool fits = other->workload == row->workload && other->workload != 0 && run_is_traced(other) &&
                    other->group != row->group && screen_kernel_of_run(screen, i) != NONE;
        if (fits && i < run)
            return i;
        if (fits)
            after = i;
    }
    return after;
}

void compare_open(struct screen *screen)
{
    uint32_t here = screen_run_looked_at(screen), a = screen->marked[0], b = screen->marked[1];
    if (a != NONE && b == NONE)
        b = here;
    if (a == NONE && here != NONE) {
        a = neighbour_of(screen, here);
        b = here;
    }
    if (a == NONE || b == NONE || a == b) {
        screen_message(
            screen, SEVERITY_INFO, "%s",
            screen_why_empty(
                screen, "A comparison needs two runs: mark them with x, here or in the list of runs (r)."));
        return;
    }
    *compare_state(screen) = (struct compare){.side = {{.run = a}, {.run = b}}};
    screen_open(screen, VIEW_COMPARE);
}

/* ---- values ---- */

static void make_side(const struct screen *screen, const struct kernel_index *index,
                      struct compare_side *side)
{
    side->kernel = screen_kernel_of_run(screen, side->run);
    if (side->kernel == NONE)
        return;
    side->own = compare_own(&(struct compare_kernel){index, side->kernel});
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        side->expected[metric] = kernel_index_statistic(index, side->kernel, metric, PROVENANCE_EXPECTED);
        side->value[metric] = kernel_index_statistic(index, side->kernel, metric, side->own);
    }
}

/* Has a side a word, or a number that is not zero? */
static bool says_something(const struct compare *compare, enum metric metric)
{
    for (int s = 0; s < 2; s++) {
        const struct value *values[] = {&compare->side[s].expected[metric].value,
                                        &compare->side[s].value[metric].value};
        for (int v = 0; v < 2; v++)
            if (values[v]->available && (values[v]->word != NULL || values[v]->number != 0))
                return true;
    }
    return false;
}

/* The metrics that the costliest problem of either side was found by. */
static void make_first(struct compare *compare, const struct kernel_index *index)
{
    struct advice_list list;
    memset(compare->first, 0, sizeof compare->first);
    for (int s = 0; s < 2; s++) {
        if (compare->side[s].kernel == NONE)
            continue;
        session_advise_indexed(index, compare->side[s].kernel, &list);
        for (size_t i = 0; list.count > 0 && i < list.items[0].evidence_count; i++)
            for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
                if (strcmp(metric_info(metric)->id, list.items[0].evidence[i].id) == 0)
                    compare->first[metric] = true;
    }
}

static void order_rows(struct compare *compare)
{
    enum metric order[METRIC_COUNT];
    int rows = 0, differing, count = compare_order(compare->metrics, compare->first, order, &differing);
    compare->equal = 0;
    for (int rest = 0; rest < 2; rest++) {
        for (int i = 0; i < count; i++) {
            bool old = metric_info(order[i])->group == METRIC_GROUP_OLD; /* the same again by other names */
            if ((i >= differing || old) != (rest == 1) || !says_something(compare, order[i]))
                continue;
            compare->rows[rows++] = order[i];
            compare->equal += rest && !old;
        }
        compare->differing = rest ? compare->differing : rows;
    }
    compare->rest = rows - compare->differing;
}

/* The number of lines of the list: with the line that folds. */
static int line_count(const struct compare *compare)
{
    return compare->differing + (compare->rest > 0) + (compare->unfolded ? compare->rest : 0);
}

/* The metric of a line of the list; METRIC_COUNT: the line that folds. */
static enum metric metric_of_line(const struct compare *compare, int line)
{
    return line == compare->differing ? METRIC_COUNT : compare->rows[line - (line > compare->differing)];
}

static void make_metrics(struct compare *compare, const struct kernel_index *index)
{
    struct compare_kernel a = {index, compare->side[0].kernel}, b = {index, compare->side[1].kernel};
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
        if (a.kernel == NONE || b.kernel == NONE ||
            compare_metric(&a, &b, metric, &compare->metrics[metric], NULL) != STATUS_OK)
            compare->metrics[metric] = (struct compare_metric){0};
}

static void make_work(struct compare *compare, const struct kernel_index *index)
{
    struct compare_kernel a = {index, compare->side[0].kernel}, b = {index, compare->side[1].kernel};
    compare->runs = (struct compare_run){.run = {NONE, NONE}};
    compare->work[0] = '\0';
    compare->same_clock = true;
    if (a.kernel == NONE || b.kernel == NONE)
        return;
    compare->same_clock = compare_same_clock(&a, &b);
    compare_work_difference(&a, &b, compare->work, sizeof compare->work);
    if (compare_run_of(&compare->runs, &a, &b, NULL) != STATUS_OK)
        compare->runs = (struct compare_run){.run = {NONE, NONE}};
}

/* The number of lines for A, B, the remarks on both runs, and the headings of the columns. */
static int head_lines(const struct compare *compare, struct rect inside)
{
    bool room = inside.height >= RUN_FROM,
         runs = compare->runs.run[0] != NONE && compare->runs.run[1] != NONE;
    return 3 + (room && runs) + (room && (compare->work[0] != '\0' || !compare->same_clock));
}

static void make_rows(struct screen *screen)
{
    struct compare *compare = compare_state(screen);
    struct kernel_index *index;
    if (kernel_index_create(&index, screen->session, NULL) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "There is not enough memory to compare the runs.");
        return;
    }
    for (int s = 0; s < 2; s++)
        make_side(screen, index, &compare->side[s]);
    make_metrics(compare, index);
    make_work(compare, index);
    make_first(compare, index);
    kernel_index_destroy(index);
    order_rows(compare);
    compare->made_ms = screen->clock_ms;
    compare->made = true;
}

static void compare_update(struct screen *screen, struct rect area)
{
    struct compare *compare = compare_state(screen);
    uint64_t made_of = (uint64_t)session_measurement_count(screen->session) +
                       session_expected_count(screen->session) + session_launch_count(screen->session);
    if (!compare->made || (made_of != compare->made_of && !screen->frozen &&
                           (!screen->state.live || screen->clock_ms - compare->made_ms >= REFRESH_MS))) {
        make_rows(screen);
        compare->made_of = made_of;
    }
    struct rect inside = view_inside(area);
    int tail = inside.height >= TAIL_FROM ? 2 : 0;
    list_update(&compare->list, line_count(compare), inside.height - head_lines(compare, inside) - tail);
}

/* ---- drawing ---- */

enum column { C_EXPECTED_A, C_A, C_EXPECTED_B, C_B, C_DIFFERENCE, C_RATIO, C_JUDGEMENT, C_COUNT };

static const struct {
    const char *title;
    int since; /* shown if the list is at least this wide */
} columns[C_COUNT] = {
    [C_EXPECTED_A] = {"A expected", 100},
    [C_A] = {"A", 50},
    [C_EXPECTED_B] = {"B expected", 100},
    [C_B] = {"B", 50},
    [C_DIFFERENCE] = {"B - A", 64},
    [C_RATIO] = {"change", 0},
    [C_JUDGEMENT] = {"", 76},
};

struct places {
    int x[C_COUNT], width[C_COUNT], title_width; /* x -1: not shown */
};

static const struct value *value_of(const struct compare *compare, enum column column, enum metric metric)
{
    const struct compare_side *side = &compare->side[column >= C_EXPECTED_B];
    bool expected = column == C_EXPECTED_A || column == C_EXPECTED_B;
    return expected ? &side->expected[metric].value : &side->value[metric].value;
}

/* The text of a column of numbers, in at most this many cells if possible. */
static void number_text(const struct compare *compare, enum column column, enum metric metric, int cells,
                        char *text, size_t size_bytes)
{
    const struct compare_change *change = &compare->metrics[metric].change;
    if (column < C_DIFFERENCE)
        metric_format_within(metric, value_of(compare, column, metric), (size_t)cells, text, size_bytes);
    else if (!change->known || (column == C_RATIO && change->difference != 0 && !change->has_ratio))
        snprintf(text, size_bytes, "n/a");
    else if (column == C_DIFFERENCE)
        metric_format_change(metric, change->difference, (size_t)cells, text, size_bytes);
    else if (change->difference == 0)
        snprintf(text, size_bytes, "=");
    else
        metric_format_relative(change->ratio, text, size_bytes);
}

/* The cells that the column's widest number takes; 0: it has none. */
static int wanted_cells(const struct compare *compare, enum column column)
{
    char text[NUMBER_SIZE];
    int most = 0;
    for (int line = 0; line < compare->list.count; line++) {
        enum metric metric = metric_of_line(compare, line);
        if (metric == METRIC_COUNT)
            continue;
        number_text(compare, column, metric, WIDEST, text, sizeof text);
        int cells = strcmp(text, "n/a") == 0 ? 0 : text_width(text, NUMBER_SIZE);
        most = cells > most ? cells : most;
    }
    return most;
}

/* Columns grow to their widest number, in the order below, as long as the titles keep their room. */
static void widen_columns(const struct compare *compare, struct places *places)
{
    static const enum column order[] = {C_DIFFERENCE, C_B, C_A, C_RATIO, C_EXPECTED_B, C_EXPECTED_A};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        enum column column = order[i];
        int more = wanted_cells(compare, column) + 1 - places->width[column];
        if (places->width[column] == 0 || more <= 0 || places->title_width - more < TITLE_LEAST)
            continue;
        places->width[column] += more;
        places->title_width -= more;
    }
}

static struct places places_of(const struct compare *compare, struct rect inside)
{
    struct places places = {.title_width = inside.width};
    for (int c = 0; c < C_COUNT; c++)
        if (inside.width >= columns[c].since &&
            (c == C_JUDGEMENT || wanted_cells(compare, (enum column)c) > 0))
            places.title_width -= places.width[c] = c == C_JUDGEMENT ? 8 : c == C_RATIO ? 9 : CELLS;
    widen_columns(compare, &places);
    if (places.title_width > TITLE_MOST) /* numbers stand beside their names, also on wide screens */
        places.title_width = TITLE_MOST;
    for (int c = 0, x = inside.x + places.title_width; c < C_COUNT; c++) {
        places.x[c] = places.width[c] > 0 ? x : -1;
        x += places.width[c];
    }
    return places;
}

/* Draws words: a heading, a judgement. */
static void put_field(struct canvas *canvas, const struct places *places, enum column column, int y,
                      struct style style, const char *text)
{
    int x = places->x[column] + 1, width = places->width[column] - 1;
    if (places->x[column] < 0)
        return;
    if (column == C_JUDGEMENT)
        canvas_text(canvas, x, y, width, style, text);
    else
        field_words(canvas, x, y, width, style, text);
}

static void put_number(const struct compare *compare, struct canvas *canvas, const struct places *places,
                       enum column column, int y, struct style style, enum metric metric)
{
    char text[NUMBER_SIZE];
    int width = places->width[column] - 1;
    if (places->x[column] < 0)
        return;
    number_text(compare, column, metric, width, text, sizeof text);
    if (strcmp(text, "n/a") == 0)
        style.foreground = COLOR_DIM;
    field_number(canvas, places->x[column] + 1, y, width, style, text);
}

static void put_judgement(struct canvas *canvas, const struct places *places, int y, struct style style,
                          const struct compare_metric *compared)
{
    const struct compare_change *change = &compared->change;
    static const char *const sure[] = {"worse", "", "better"}, *const unsure[] = {"worse?", "", "better?"};
    if (!change->known)
        return;
    style.foreground = change->better > 0 ? COLOR_GOOD : change->better < 0 ? COLOR_BAD : COLOR_DIM;
    if (compared->weight == COMPARE_WITHIN || compared->weight == COMPARE_TOO_FEW)
        style.foreground = COLOR_DIM;
    if (!compared->alike)
        return;
    put_field(canvas, places, C_JUDGEMENT, y, style,
              compared->weight == COMPARE_WITHIN    ? "spread"
              : compared->weight == COMPARE_TOO_FEW ? unsure[change->better + 1]
                                                    : sure[change->better + 1]);
}

#define BARS_LEAST 20 /* cells right of the table from which on there are bars */
#define BARS_MOST 64
#define BAR_GAP 2

/* The bars' place; width 0: no room. */
static struct rect bars_place(struct rect line, const struct places *places)
{
    int from = places->x[C_JUDGEMENT] + places->width[C_JUDGEMENT] + BAR_GAP;
    int room = line.x + line.width - 1 - from;
    if (places->x[C_JUDGEMENT] < 0 || room < BARS_LEAST)
        return (struct rect){0};
    room = room < BARS_MOST ? room : BARS_MOST;
    return (struct rect){from, line.y, room - (room % 2 == 0), 1}; /* odd: one cell is the zero */
}

/* The factor that the longest bars stand for, a power of two; changes from and to zero have the longest. */
static double bars_scale(const struct compare *compare)
{
    double most = log(2);
    for (int row = 0; row < compare->differing; row++) {
        double distance = compare_distance(&compare->metrics[compare->rows[row]]);
        most = isfinite(distance) && distance > most ? distance : most;
    }
    return exp2(ceil(most / log(2) - 1e-9));
}

/* B against A, round "the same": to the left what became less, to the right what became more, as long as the
 * logarithm of the ratio. */
static void draw_bar(const struct compare *compare, struct canvas *canvas, struct rect line,
                     const struct places *places, enum metric metric, uint8_t ground)
{
    const struct compare_metric *compared = &compare->metrics[metric];
    struct rect place = bars_place(line, places);
    double distance = compare_distance(compared), whole = log(bars_scale(compare));
    int half = place.width / 2, zero = place.x + half;
    if (place.width == 0)
        return;
    canvas_glyph(canvas, zero, line.y, GLYPH_VERTICAL, STYLE(COLOR_DIM, ground, 0));
    if (!compared->change.known || !(distance > 0))
        return;
    bool sure = compared->weight == COMPARE_CERTAIN || compared->weight == COMPARE_BEYOND;
    int better = sure ? compared->change.better : 0;
    struct style style = STYLE(better > 0 ? COLOR_GOOD : better < 0 ? COLOR_BAD : COLOR_CPU, ground, 0);
    double share = distance < whole ? distance / whole : 1;
    if (compared->change.difference < 0) {
        int cells = (int)(share * half + 0.5);
        for (int cell = 1; cell <= cells; cell++)
            canvas_put(canvas, zero - cell, line.y, glyph_left_eighths(8, canvas->ascii), style);
        return;
    }
    int eighths = (int)(8 * half * share + 0.5);
    for (int cell = 1; eighths > 0; cell++, eighths -= 8)
        canvas_put(canvas, zero + cell, line.y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                   style);
}

static void draw_bars_head(const struct compare *compare, struct canvas *canvas, struct rect line,
                           const struct places *places)
{
    struct rect place = bars_place(line, places);
    struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    char text[40];
    if (place.width == 0)
        return;
    canvas_text(canvas, place.x + place.width / 2 - 1, line.y, 3, style, "B/A");
    int cells = snprintf(text, sizeof text, "1/%.0f", bars_scale(compare));
    if (cells > place.width / 2 - 2) /* whole, or not at all */
        return;
    canvas_text(canvas, place.x, line.y, cells, style, text);
    cells = snprintf(text, sizeof text, "%.0fx", bars_scale(compare));
    canvas_text(canvas, place.x + place.width - cells, line.y, cells, style, text);
}

/* The line between what differs and the rest. */
static void draw_fold(const struct compare *compare, struct canvas *canvas, struct rect line, bool selected)
{
    struct style style =
        selected ? STYLE(COLOR_TITLE, COLOR_SELECTED, ATTRIBUTE_BOLD) : STYLE(COLOR_DIM, COLOR_NONE, 0);
    int old = compare->rest - compare->equal;
    char text[100], names[40] = "";
    if (old > 0)
        snprintf(names, sizeof names, "%s%d older name%s", compare->equal > 0 ? " and " : "", old,
                 old == 1 ? "" : "s");
    if (compare->equal > 0)
        snprintf(text, sizeof text, "%d equal row%s%s: z %s", compare->equal, compare->equal == 1 ? "" : "s",
                 names, compare->unfolded ? "hides" : "shows");
    else
        snprintf(text, sizeof text, "%s: z %s", names, compare->unfolded ? "hides" : "shows");
    if (selected)
        canvas_fill(canvas, line, ' ', style);
    canvas_text(canvas, line.x + 1, line.y, line.width - 1, style, text);
}

static void draw_row(const struct compare *compare, struct canvas *canvas, struct rect line,
                     const struct places *places, enum metric metric, bool selected)
{
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style strong = STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD), plain = STYLE(COLOR_TEXT, ground, 0);
    char shown[80];
    if (selected)
        canvas_fill(canvas, line, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
    brief_metric(metric, places->title_width - 1, shown, sizeof shown);
    canvas_text(canvas, line.x + 1, line.y, places->title_width - 1,
                selected || compare->first[metric] ? strong : plain, shown);
    for (enum column column = C_EXPECTED_A; column <= C_RATIO; column++)
        put_number(compare, canvas, places, column, line.y, column == C_A || column == C_B ? strong : plain,
                   metric);
    put_judgement(canvas, places, line.y, plain, &compare->metrics[metric]);
    draw_bar(compare, canvas, line, places, metric, ground);
}

static void draw_side(const struct screen *screen, struct canvas *canvas, struct rect line, int which)
{
    const struct compare_side *side = &compare_state(screen)->side[which];
    struct style style;
    char name[300], kernel[200] = "no kernel";
    canvas_put(canvas, line.x + 1, line.y, (unsigned char)('A' + which),
               STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
    enum glyph mark = screen_run_mark(session_run(screen->session, side->run), &style);
    canvas_glyph(canvas, line.x + 3, line.y, mark, style);
    if (session_run(screen->session, side->run)->workload != 0)
        run_name_print_within(screen->session, side->run, line.width - 5, name, sizeof name);
    else
        screen_run_name(screen, side->run, name, sizeof name);
    if (side->kernel != NONE) {
        const struct kernel_row *row = session_kernel(screen->session, side->kernel);
        const struct device_row *device = session_device(screen->session, row->device);
        short_names_print_kernel(screen->naming.names, screen->session, side->kernel, SHORT_NAME_WHOLE,
                                 kernel, 100);
        size_t used = strlen(kernel);
        snprintf(kernel + used, sizeof kernel - used, ", %s %s", provenance_text(side->own),
                 device != NULL ? device->info.name : "");
    }
    int taken =
        canvas_text(canvas, line.x + 5, line.y, line.width - 5, STYLE(COLOR_TITLE, COLOR_NONE, 0), name);
    canvas_text(canvas, line.x + 7 + taken, line.y, line.width - 7 - taken, STYLE(COLOR_DIM, COLOR_NONE, 0),
                kernel);
}

static void draw_runs(const struct compare *compare, struct canvas *canvas, struct rect lines)
{
    char text[200];
    int y = lines.y;
    if (compare->runs.run[0] != NONE && compare->runs.run[1] != NONE) {
        double factor = compare_run_factor(&compare->runs);
        compare_run_text(&compare->runs, text, sizeof text);
        canvas_printf(canvas, lines.x + 1, y++, lines.width - 1,
                      STYLE(factor >= 1 + COMPARE_SLIGHT                       ? COLOR_GOOD
                            : factor > 0 && factor <= 1 / (1 + COMPARE_SLIGHT) ? COLOR_BAD
                                                                               : COLOR_TEXT,
                            COLOR_NONE, ATTRIBUTE_BOLD),
                      "the run's device time: %s", text);
    }
    if (compare->work[0] != '\0')
        canvas_printf(canvas, lines.x + 1, y, lines.width - 1, STYLE(COLOR_WARN, COLOR_NONE, 0),
                      "not the same work: %s", compare->work);
    else if (!compare->same_clock)
        canvas_text(canvas, lines.x + 1, y, lines.width - 1, STYLE(COLOR_WARN, COLOR_NONE, 0),
                    "measured beside modelled: times and rates are not compared");
}

/* Draws the expected values of both, for screens that have no columns for them, and the meaning of the
 * metric. */
static void draw_tail(const struct compare *compare, struct canvas *canvas, struct rect lines,
                      const struct places *places)
{
    enum metric metric = metric_of_line(compare, compare->list.selected);
    if (metric == METRIC_COUNT)
        return;
    const char *title = metric_info(metric)->title;
    bool cut = text_width(title, 100) > places->title_width - 1;
    char text[2][NUMBER_SIZE];
    for (int s = 0; s < 2; s++)
        metric_format(metric, &compare->side[s].expected[metric].value, text[s], sizeof text[s]);
    canvas_printf(canvas, lines.x + 1, lines.y, lines.width - 1, STYLE(COLOR_FOCUS, COLOR_NONE, 0),
                  "expected of A: %s, of B: %s", text[0], text[1]);
    canvas_printf(canvas, lines.x + 1, lines.y + 1, lines.width - 1, STYLE(COLOR_DIM, COLOR_NONE, 0),
                  "%s%s%s", cut ? title : "", cut ? ": " : "", metric_info(metric)->meaning);
}

static void compare_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct compare *compare = compare_state(screen);
    struct rect inside = view_frame(canvas, area, "Comparison", focus);
    struct places places = places_of(compare, inside);
    int head = head_lines(compare, inside);
    view_frame_list(canvas, area, &compare->list);
    for (int s = 0; s < 2; s++)
        draw_side(screen, canvas, (struct rect){inside.x, inside.y + s, inside.width, 1}, s);
    if (head > 3)
        draw_runs(compare, canvas, (struct rect){inside.x, inside.y + 2, inside.width, head - 3});
    for (int c = 0; c < C_COUNT; c++) {
        char title[40];
        int side = c == C_A ? 0 : c == C_B ? 1 : -1;
        snprintf(title, sizeof title, "%s%s%s", columns[c].title, side >= 0 ? " " : "",
                 side >= 0 ? provenance_text(compare->side[side].own) : "");
        put_field(canvas, &places, (enum column)c, inside.y + head - 1,
                  STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE), title);
    }
    draw_bars_head(compare, canvas, (struct rect){inside.x, inside.y + head - 1, inside.width, 1}, &places);
    for (int line = 0; line < compare->list.height && compare->list.top + line < compare->list.count;
         line++) {
        int index = compare->list.top + line;
        struct rect at = {inside.x, inside.y + head + line, inside.width, 1};
        if (at.y >= inside.y + inside.height)
            break;
        if (metric_of_line(compare, index) == METRIC_COUNT)
            draw_fold(compare, canvas, at, index == compare->list.selected);
        else
            draw_row(compare, canvas, at, &places, metric_of_line(compare, index),
                     index == compare->list.selected);
    }
    if (inside.height >= TAIL_FROM && compare->list.count > 0)
        draw_tail(compare, canvas, (struct rect){inside.x, inside.y + inside.height - 2, inside.width, 2},
                  &places);
}

/* ---- keys ---- */

static bool compare_act(struct screen *screen, enum action action)
{
    struct compare *compare = compare_state(screen);
    if (action == ACTION_REVERSE) {
        struct compare_side side = compare->side[0];
        compare->side[0] = compare->side[1];
        compare->side[1] = side;
        compare->made = false;
        return true;
    }
    if (action == ACTION_FOLD || (action == ACTION_OPEN && compare->list.selected == compare->differing)) {
        compare->unfolded = !compare->unfolded;
        list_update(&compare->list, line_count(compare), compare->list.height);
        return true;
    }
    return list_act(&compare->list, action);
}

static void compare_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct rect inside = view_inside(area);
    list_mouse(&compare_state(screen)->list, event,
               event->y - inside.y - head_lines(compare_state(screen), inside));
}

static bool act_anywhere(struct screen *screen, enum action action)
{
    if (action == ACTION_MARK)
        compare_mark(screen);
    return action == ACTION_MARK;
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    subject_set_kernel(subject, screen, compare_state(screen)->side[1].kernel);
}

static const struct view_key keys[] = {
    {.action = ACTION_REVERSE, .hint = "swaps"},
    {.action = ACTION_DOWN, .hint = "metric", .name = "j k"},
    {.action = ACTION_FOLD, .hint = "equal rows"},
    {.action = ACTION_SOURCE},
    {.action = ACTION_RUNS},
    {.action = ACTION_NONE},
};

const struct view view_compare = {
    .title = "Comparison",
    .flags = VIEW_OF_SESSION,
    .opened_by = ACTION_COMPARE,
    .state_bytes = sizeof(struct compare),
    .update = compare_update,
    .draw = compare_draw,
    .open = compare_open,
    .act_anywhere = act_anywhere,
    .act = compare_act,
    .mouse = compare_mouse,
    .subject = take_subject,
    .keys = keys,
};
