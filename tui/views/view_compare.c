/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of two runs, a line per metric. The values that the rules expect are shown beside the actual
 * values of both sides. A difference is shown only between numbers that exist; "better" is not said of a
 * difference within the spread of the launches ("spread"), or of one from too few launches ("better?").
 *
 * A table, in which what differs stands first (compare_order) and the other metrics are a group, folded at
 * first. Metrics that are zero on both sides are not shown.
 */
#include "tui/frame/screen.h"
#include "tui/views/compare.h"

#include "core/advice/session_advice.h"

#include "tui/frame/run_names.h"
#include "tui/terminal/text.h"
#include "tui/widgets/brief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REFRESH_MS 500
#define TAIL_FROM 14 /* lines: with as many there are two more below */
#define RUN_FROM 8   /* lines: with as many, the runs' times and the differences of the work are shown */

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

static void forget_compare(struct screen *screen)
{
    sheet_table_fini(&compare_state(screen)->table);
    *compare_state(screen) = (struct compare){0};
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
    forget_compare(screen);
    compare_state(screen)->side[0].run = a;
    compare_state(screen)->side[1].run = b;
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
            if (values[v]->available && (values[v]->word || values[v]->number != 0))
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
    for (int rest = 0; rest < 2; rest++) {
        for (int i = 0; i < count; i++) {
            bool old = metric_info(order[i])->group == METRIC_GROUP_OLD; /* the same again by other names */
            if ((i >= differing || old) != (rest == 1) || !says_something(compare, order[i]))
                continue;
            compare->rows[rows++] = order[i];
        }
        compare->differing = rest ? compare->differing : rows;
    }
    compare->rest = rows - compare->differing;
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

/* The number of lines for A, B and the remarks on both runs. */
static int head_lines(const struct compare *compare, struct rect inside)
{
    bool room = inside.height >= RUN_FROM,
         runs = compare->runs.run[0] != NONE && compare->runs.run[1] != NONE;
    return 2 + (room && runs) + (room && (compare->work[0] != '\0' || !compare->same_clock));
}

/* ---- the table ---- */
enum compare_column {
    C_METRIC,
    C_EXPECTED_A,
    C_A,
    C_EXPECTED_B,
    C_B,
    C_DIFFERENCE,
    C_RATIO,
    C_JUDGEMENT,
    C_COUNT
};
/* clang-format off */
static const struct sheet_column columns[C_COUNT] = {
    {"metric", "metric", "the metric; the verdict of a run rests on the bold ones", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"expected_a", "A expected", "what the rules expect of A", SHEET_NUMBER, SHEET_NEITHER, 10, 4, false},
    {"a", "A median", "median of A's launches", SHEET_NUMBER, SHEET_NEITHER, 10, 1, false},
    {"expected_b", "B expected", "what the rules expect of B", SHEET_NUMBER, SHEET_NEITHER, 10, 4, false},
    {"b", "B median", "median of B's launches", SHEET_NUMBER, SHEET_NEITHER, 10, 1, false},
    {"difference", "B - A", "the difference", SHEET_NUMBER, SHEET_NEITHER, 11, 2, false},
    {"ratio", "change", "the difference by A, or how many times as much B is", SHEET_NUMBER, SHEET_NEITHER, 8, 0, false},
    {"judgement", "B is", "better, worse, or within the spread of the launches; ?: of too few launches", SHEET_TEXT, SHEET_NEITHER, 7, 3, false}};
/* clang-format on */

static const struct value *value_of(const struct compare *compare, enum compare_column column,
                                    enum metric metric)
{
    const struct compare_side *side = &compare->side[column >= C_EXPECTED_B];
    bool expected = column == C_EXPECTED_A || column == C_EXPECTED_B;
    return expected ? &side->expected[metric].value : &side->value[metric].value;
}

static const char *judgement_of(const struct compare_metric *compared)
{
    static const char *const sure[] = {"worse", "", "better"}, *const unsure[] = {"worse?", "", "better?"};
    if (!compared->change.known || !compared->alike)
        return "";
    return compared->weight == COMPARE_WITHIN    ? "spread"
           : compared->weight == COMPARE_TOO_FEW ? unsure[compared->change.better + 1]
                                                 : sure[compared->change.better + 1];
}

static void fill_row(const struct compare *compare, enum metric metric, struct sheet_cell cells[C_COUNT])
{
    const struct compare_change *change = &compare->metrics[metric].change;
    cells[C_METRIC].text = metric_info(metric)->title;
    for (enum compare_column column = C_EXPECTED_A; column <= C_B; column++) {
        const struct value *value = value_of(compare, column, metric);
        cells[column].number = value->available && !value->word ? value->number : (double)NAN;
        cells[column].text = value->available ? value->word : NULL;
    }
    cells[C_DIFFERENCE].number = change->known ? change->difference : (double)NAN;
    cells[C_RATIO].number = change->known && change->has_ratio ? change->ratio : (double)NAN;
    cells[C_JUDGEMENT].text = judgement_of(&compare->metrics[metric]);
}

static enum status make_sheet(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct compare *compare = compare_state(from);
    (void)error;
    for (int i = 0; i < compare->differing + compare->rest; i++) {
        struct sheet_cell cells[C_COUNT] = {{0}};
        if (i == compare->differing)
            sheet_group(to, "equal rows and older names of metrics: z");
        fill_row(compare, compare->rows[i], cells);
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

static const struct sheet sheet = {.id = "comparison",
                                   .title = "Comparison",
                                   SHEET_COLUMNS(columns),
                                   .none = "There is nothing to compare.",
                                   .rows = make_sheet};

/* Names and numbers for as many cells. */
static bool text_of(const void *of, size_t row, int column, int cells, char *text, size_t size_bytes)
{
    const struct compare *compare = compare_state(of);
    const enum metric metric = compare->rows[row];
    const struct compare_change *change = &compare->metrics[metric].change;
    if (column == C_JUDGEMENT)
        snprintf(text, size_bytes, "%s", judgement_of(&compare->metrics[metric]));
    else if (column == C_METRIC)
        brief_metric(metric, cells, text, size_bytes);
    else if (column < C_DIFFERENCE)
        metric_format_within(metric, value_of(compare, (enum compare_column)column, metric), (size_t)cells,
                             text, size_bytes);
    else if (!change->known || (column == C_RATIO && change->difference != 0 && !change->has_ratio))
        snprintf(text, size_bytes, "n/a");
    else if (column == C_DIFFERENCE)
        metric_format_change(metric, change->difference, (size_t)cells, text, size_bytes);
    else if (change->difference == 0)
        snprintf(text, size_bytes, "=");
    else
        metric_format_relative(change->ratio, text, size_bytes);
    return true;
}

static void style_of(const void *of, size_t row, int column, struct style *style)
{
    const struct compare *compare = compare_state(of);
    const struct compare_metric *compared = &compare->metrics[compare->rows[row]];
    bool sure = compared->weight != COMPARE_WITHIN && compared->weight != COMPARE_TOO_FEW;
    if (column == C_JUDGEMENT && !(style->attributes & ATTRIBUTE_UNDERLINE))
        style->foreground = !sure || compared->change.better == 0 ? COLOR_DIM
                            : compared->change.better > 0         ? COLOR_GOOD
                                                                  : COLOR_BAD;
    if (style->foreground == COLOR_TEXT &&
        (column == C_A || column == C_B || (column == C_METRIC && compare->first[compare->rows[row]])))
        *style = STYLE(COLOR_TITLE, style->background, style->attributes | ATTRIBUTE_BOLD);
}

static void draw_bar(const void *of, size_t row, struct canvas *canvas, struct rect room, uint8_t ground);

static const struct sheet_face face = {.text = text_of,
                                       .style = style_of,
                                       .behind = draw_bar,
                                       .brief = true,
                                       .groups_folded = true,
                                       .tells_empty = true,
                                       .roomy = 1 + C_METRIC};

static void make_rows(struct screen *screen)
{
    struct compare *compare = compare_state(screen);
    struct kernel_index *index;
    struct sheet_kept kept;
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
    compare->table.face = &face;
    compare->table.of = screen;
    if (sheet_kept_make(&kept, &sheet, screen, NULL) == STATUS_OK)
        sheet_table_take(&compare->table, &kept);
    else
        screen_message(screen, SEVERITY_ERROR, "There is not enough memory to compare the runs.");
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
    int head = head_lines(compare, inside), tail = inside.height >= TAIL_FROM ? 2 : 0;
    sheet_table_update(&compare->table,
                       (struct rect){inside.x, inside.y + head, inside.width, inside.height - head - tail});
}

/* ---- bars ---- */
#define BARS_LEAST 24
#define BARS_MOST 64

/* Odd: one cell is the zero. */
static struct rect bars_place(struct rect room)
{
    room.x++;
    room.width = room.width - 2 < BARS_MOST ? room.width - 2 : BARS_MOST;
    room.width -= room.width % 2 == 0;
    return room;
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

static void draw_bars_head(const struct compare *compare, struct canvas *canvas, struct rect place)
{
    struct style style = STYLE(COLOR_DIM, COLOR_NONE, 0);
    char text[40];
    canvas_text(canvas, place.x + place.width / 2 - 1, place.y, 3, style, "B/A");
    int cells = snprintf(text, sizeof text, "1/%.0f", bars_scale(compare));
    if (cells > place.width / 2 - 2) /* whole, or not at all */
        return;
    canvas_text(canvas, place.x, place.y, cells, style, text);
    cells = snprintf(text, sizeof text, "%.0fx", bars_scale(compare));
    canvas_text(canvas, place.x + place.width - cells, place.y, cells, style, text);
}

/* B against A, round "the same": to the left what became less, to the right what became more, as long as the
 * logarithm of the ratio. */
static void draw_bar(const void *of, size_t row, struct canvas *canvas, struct rect room, uint8_t ground)
{
    const struct compare *compare = compare_state(of);
    struct rect place = bars_place(room);
    if (place.width < BARS_LEAST)
        return;
    if (row == SIZE_MAX) {
        draw_bars_head(compare, canvas, place);
        return;
    }
    const struct compare_metric *compared = &compare->metrics[compare->rows[row]];
    double distance = compare_distance(compared), whole = log(bars_scale(compare));
    int half = place.width / 2, zero = place.x + half;
    canvas_glyph(canvas, zero, place.y, GLYPH_VERTICAL, STYLE(COLOR_DIM, ground, 0));
    if (!compared->change.known || !(distance > 0))
        return;
    bool sure = compared->weight == COMPARE_CERTAIN || compared->weight == COMPARE_BEYOND;
    int better = sure ? compared->change.better : 0;
    struct style style = STYLE(better > 0 ? COLOR_GOOD : better < 0 ? COLOR_BAD : COLOR_CPU, ground, 0);
    double share = distance < whole ? distance / whole : 1;
    if (compared->change.difference < 0) {
        int cells = (int)(share * half + 0.5);
        for (int cell = 1; cell <= cells; cell++)
            canvas_put(canvas, zero - cell, place.y, glyph_left_eighths(8, canvas->ascii), style);
        return;
    }
    int eighths = (int)(8 * half * share + 0.5);
    for (int cell = 1; eighths > 0; cell++, eighths -= 8)
        canvas_put(canvas, zero + cell, place.y, glyph_left_eighths(eighths < 8 ? eighths : 8, canvas->ascii),
                   style);
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
                 device ? device->info.name : "");
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
static void draw_tail(const struct compare *compare, struct canvas *canvas, struct rect lines)
{
    size_t row = sheet_table_row(&compare->table);
    if (row >= (size_t)(compare->differing + compare->rest))
        return;
    const enum metric metric = compare->rows[row];
    char text[2][NUMBER_SIZE], shown[80];
    brief_metric(metric, compare->table.columns.cells[0], shown, sizeof shown);
    bool cut = strcmp(shown, metric_info(metric)->title) != 0;
    for (int s = 0; s < 2; s++)
        metric_format(metric, &compare->side[s].expected[metric].value, text[s], sizeof text[s]);
    canvas_printf(canvas, lines.x + 1, lines.y, lines.width - 1, STYLE(COLOR_FOCUS, COLOR_NONE, 0),
                  "expected of A: %s, of B: %s", text[0], text[1]);
    canvas_printf(canvas, lines.x + 1, lines.y + 1, lines.width - 1, STYLE(COLOR_DIM, COLOR_NONE, 0),
                  "%s%s%s", cut ? metric_info(metric)->title : "", cut ? ": " : "",
                  metric_info(metric)->meaning);
}

static void compare_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct compare *compare = compare_state(screen);
    struct rect inside = view_frame(canvas, area, "Comparison", focus);
    int head = head_lines(compare, inside);
    for (int side = 0; side < 2; side++)
        draw_side(screen, canvas, (struct rect){inside.x, inside.y + side, inside.width, 1}, side);
    if (head > 2)
        draw_runs(compare, canvas, (struct rect){inside.x, inside.y + 2, inside.width, head - 2});
    sheet_table_draw(&compare->table, canvas, screen->naming.names, focus);
    view_frame_list(canvas, area, &compare->table.list);
    if (inside.height >= TAIL_FROM)
        draw_tail(compare, canvas, (struct rect){inside.x, inside.y + inside.height - 2, inside.width, 2});
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
    if (action != ACTION_FOLD || compare->rest == 0)
        return false;
    sheet_table_fold(&compare->table, 1);
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &compare_state(screen)->table;
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
    .forget = forget_compare,
    .update = compare_update,
    .draw = compare_draw,
    .open = compare_open,
    .act_anywhere = act_anywhere,
    .act = compare_act,
    .table = table_of,
    .subject = take_subject,
    .keys = keys,
};
