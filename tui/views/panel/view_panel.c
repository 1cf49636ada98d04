/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The panel: every metric of the selected kernel, expected beside modelled beside measured, each with its
 * unit. A column is a provenance and names it in its heading; a value that is not available is a grey n/a,
 * and the reason is shown below; an exact count has a sign that says whether it equals the expected value, or
 * else the modelled one.
 */
#include "tui/views/panel/view_panel.h"
#include "tui/frame/screen.h"
#include "tui/views/source/source.h"

#include "core/advice/advice.h"
#include "core/advice/session_advice.h"
#include "core/analysis/launch_sites.h"
#include "tui/terminal/text.h"
#include "tui/views/panel/panel_part.h"
#include "tui/views/panel/panel_rows.h"
#include "tui/widgets/brief.h"
#include "tui/widgets/field.h"
#include "tui/widgets/name_parts.h"

#include <stdio.h>
#include <string.h>

#define REFRESH_MS 500 /* the median of a kernel's times needs a walk over its launches */

/* The parts above the metrics, from top to bottom. */
enum part {
    PART_RUN,    /* the problem of the run */
    PART_ADVICE, /* the problem of the kernel */
    PART_WHY,
    PART_LINE,
    PART_GAUGES,
    PART_NEXT,
    PART_MORE, /* the other advice on the kernel */
    PART_SHAPE,
    PART_LAUNCHED,
    PART_NAME, /* the part of the name that the title has no room for */
    PART_COUNT
};
/* A part without room has height 0. meaning: of the selected metric, below the metrics, or beside them if
 * three columns still fit. */
struct parts {
    struct rect part[PART_COUNT], metrics, meaning;
};

#define PAGE_WIDTH 116 /* with this width the selected metric has a column of its own */
#define PAGE_HEIGHT 14
#define METRICS_WIDTH 76 /* titles and three columns */
#define DETAIL_WIDTH 60
#define TWO_COLUMNS 32  /* cells; with fewer there is one column, which has a value */
#define COLUMNS_WIDE 56 /* with this width a column has room for a separate sign */
#define BESIDE_WIDTH 60 /* a table of metrics beside another */
#define BESIDE_VALUE 16 /* for each column of values after the second */
#define REST_MS 400     /* time for which a kernel must stay selected */
#define METRICS_LEAST 3 /* least lines of a useful table: its heading, and two metrics */
#define RUN_LINES_LOW 2 /* of a low panel, which needs lines for other parts */
#define LOW 12
#define LOW_STUDIED 8
#define NAME_LINES 3
#define ROWS_COUNTED_FROM 40 /* lines of the body; lower screens have no room to leave */
#define TITLE_EDGES 8        /* cells of the frame: corners, blanks and the kernel's letter */

static bool whole_name_in_title(const struct panel *panel, struct rect area)
{
    return text_width(panel->whole_name, area.width) <= area.width - TITLE_EDGES;
}

static int name_lines_of(const struct panel *panel, struct rect area, int width)
{
    if (panel->whole_name[0] == '\0' || whole_name_in_title(panel, area))
        return 0;
    int lines = text_width(panel->whole_name, NAME_LINES * width) / width + 1;
    return lines < NAME_LINES ? lines : NAME_LINES;
}

/* Gives lines to the parts in the order of their importance. */
static void deal_lines(const struct panel *panel, struct rect area, struct rect inside, int room,
                       int lines[PART_COUNT])
{
    static const enum part order[PART_COUNT] = {PART_ADVICE,   PART_RUN,  PART_WHY,  PART_NEXT,
                                                PART_GAUGES,   PART_MORE, PART_LINE, PART_SHAPE,
                                                PART_LAUNCHED, PART_NAME};
    int run = panel_head_run_lines(panel, inside.width), why = panel_card_why_lines(panel, inside.width);
    const int wanted[PART_COUNT] = {
        [PART_RUN] = run > RUN_LINES_LOW && why > 0 && inside.height < LOW ? RUN_LINES_LOW : run,
        [PART_ADVICE] = panel_head_advice_lines(panel, inside.width),
        [PART_WHY] = why,
        [PART_LINE] = panel->line[0] != '\0',
        [PART_GAUGES] = panel_card_gauge_lines(panel, inside.width),
        [PART_NEXT] = panel_head_next_lines(panel, inside.width),
        [PART_MORE] = panel_head_more_lines(panel),
        [PART_SHAPE] = 1,
        [PART_LAUNCHED] = panel->launched[0] != '\0',
        [PART_NAME] = name_lines_of(panel, area, inside.width)};
    for (int i = 0; i < PART_COUNT; i++) {
        enum part part = order[i];
        lines[part] = wanted[part] < room ? wanted[part] : room > 0 ? room : 0;
        room -= lines[part];
    }
}

static struct parts parts_of(const struct panel *panel, struct rect area)
{
    struct parts parts = {.metrics = view_inside(area)};
    struct rect *metrics = &parts.metrics;
    bool page = metrics->width >= PAGE_WIDTH && metrics->height >= PAGE_HEIGHT &&
                (panel->studied || metrics->width < 3 * BESIDE_WIDTH);
    int lines[PART_COUNT], room = metrics->height;
    if (panel->studied)
        room = room < LOW_STUDIED ? 0 : room / 2;
    int listed = panel->filter[0] != '\0' ? panel->row_count + 1 : 0; /* asked for, so before all else */
    room = listed > 0 && room > metrics->height - listed ? metrics->height - listed : room;
    deal_lines(panel, area, *metrics, room, lines);
    for (enum part part = 0; part < PART_COUNT; part++) {
        parts.part[part] = (struct rect){metrics->x, metrics->y, metrics->width, lines[part]};
        metrics->y += lines[part];
        metrics->height -= lines[part];
    }
    if (metrics->height < METRICS_LEAST && !panel->studied)
        metrics->height = 0;
    if (page) {
        int beside =
            metrics->width - METRICS_WIDTH > DETAIL_WIDTH ? DETAIL_WIDTH : metrics->width - METRICS_WIDTH;
        metrics->width -= beside;
        parts.meaning =
            (struct rect){metrics->x + metrics->width + 2, metrics->y, beside - 2, metrics->height};
        return parts;
    }
    int meaning = !panel->studied         ? 0
                  : metrics->height >= 18 ? 5
                  : metrics->height >= 14 ? 4
                  : metrics->height >= 6  ? 2
                                          : 0;
    if (metrics->height - meaning < listed)
        meaning = metrics->height > listed ? metrics->height - listed : 0;
    metrics->height -= meaning;
    parts.meaning = (struct rect){metrics->x, metrics->y + metrics->height, metrics->width, meaning};
    return parts;
}

/* ---- the headline ---- */

/* Names the source lines that the advice is about: from measurements, else from the model if it has run. */
static void name_lines(const struct session *session, struct panel *panel)
{
    struct code_listing listing;
    if (!advice_wants_lines(&panel->advice))
        return;
    if (code_listing_make(session, panel->kernel, &listing, NULL) == STATUS_OK) {
        advice_name_lines(&panel->advice, &listing);
        code_listing_fini(&listing);
    }
    if (panel->modelled_of == panel->kernel)
        advice_name_lines(&panel->advice, &panel->modelled);
}

static struct value panel_statistic(const void *context, uint32_t kernel, enum metric metric,
                                    enum provenance provenance)
{
    const struct panel *panel = context; /* its lines belong to this kernel */
    (void)kernel;
    return panel->lines[metric].value[provenance].value;
}

static void make_advice(const struct session *session, struct panel *panel)
{
    struct advice_list *list = &panel->advice;
    session_advise_kernel(session, panel->kernel, panel_statistic, panel, list);
    name_lines(session, panel);
    panel_card_find_line(panel, session);
    if (panel->wrong)
        return;
    if (list->count > 0)
        snprintf(panel->headline, sizeof panel->headline, "%s", list->said);
    else if (list->said[0] != '\0' && list->weakest < panel->own) /* the sentence begins with it */
        snprintf(panel->headline, sizeof panel->headline, "This kernel: %s", list->said);
    else if (list->said[0] != '\0')
        snprintf(panel->headline, sizeof panel->headline, "This kernel: %s (%s)", list->said,
                 provenance_text(list->weakest));
}

/* For a program's kernel that was only traced: says how to count it in the next run. */
static void say_uncounted(const struct session *session, struct panel *panel)
{
    const struct run_row *run = session_run(session, session_kernel(session, panel->kernel)->run);
    panel->uncounted = !panel->wrong && panel->advice.count == 0 && !advice_has_judged(&panel->advice) &&
                       panel->own == PROVENANCE_MEASURED && run->workload == 0;
    if (panel->uncounted)
        snprintf(panel->headline, sizeof panel->headline, "%s%snot counted: use %s", panel->advice.said,
                 panel->advice.said[0] != '\0' ? "; " : "",
                 *session_counting(session) ? session_counting(session) : session_counting_options(session));
}

/* A wrong result is reported before everything else. */
static void make_failure(const struct session *session, struct panel *panel)
{
    const struct run_row *run = session_run(session, session_kernel(session, panel->kernel)->run);
    panel->wrong = atomic_load_explicit(&run->verified, memory_order_relaxed) == 0;
    if (panel->wrong)
        snprintf(panel->headline, sizeof panel->headline, "WRONG result: %.120s",
                 session_string(session, atomic_load_explicit(&run->detail, memory_order_relaxed)));
}

static void forget_kernel(struct screen *screen)
{
    struct panel *panel = panel_state(screen);
    code_listing_fini(&panel->modelled);
    *panel = (struct panel){.kernel = NONE,
                            .before = NONE,
                            .before_made = NONE,
                            .modelled_of = NONE,
                            .traced = NONE,
                            .findings_run = NONE};
}

/* When a kernel has been selected for a while and nothing runs, the model runs it to find the source lines of
 * its problems. */
static void ask_model(struct screen *screen)
{
    struct panel *panel = panel_state(screen);
    struct tui_source source;
    bool named = true;
    if (panel->kernel == NONE || panel->modelled_of == panel->kernel || screen->state.live ||
        screen->state.loading || screen->clock_ms - panel->chosen_ms < REST_MS ||
        !advice_wants_lines(&panel->advice))
        return;
    for (size_t i = 0; i < panel->advice.count; i++)
        named = named && panel->advice.items[i].where[0] != '\0';
    code_listing_fini(&panel->modelled);
    panel->modelled_of = panel->kernel;
    panel->modelled_text = NULL;
    if (!named && source_of_model(screen, panel->kernel, false, &source, NULL) == STATUS_OK)
        panel->modelled = source.listing, panel->modelled_text = source.text;
    make_advice(screen->session, panel);
}

static void make_name(const struct screen *screen, struct panel *panel)
{
    char folded[sizeof panel->whole_name];
    const char *name = kernel_full_name(screen->session, panel->kernel);
    name_print_plain(name, panel->whole_name, sizeof panel->whole_name);
    short_names_print(screen->naming.names, name, SHORT_NAME_WHOLE, folded, sizeof folded);
    if (strcmp(folded, panel->whole_name) == 0)
        panel->whole_name[0] = '\0';
}

/* Finds the launch site with the most of its time, and the number of other sites. */
static void make_launched(const struct session *session, struct panel *panel, uint32_t traced)
{
    struct launch_sites sites;
    char place[300], others[40] = "";
    panel->launched[0] = '\0';
    if (traced == NONE || launch_sites_make(session, NONE, traced, &sites, NULL) != STATUS_OK)
        return;
    if (sites.count > 1)
        snprintf(others, sizeof others, " (%zu more)", sites.count - 1);
    if (sites.count > 0) {
        session_stack_text(session, sites.sites[0].stack, place, sizeof place);
        snprintf(panel->launched, sizeof panel->launched, "launched from %s%s", place, others);
    }
    launch_sites_fini(&sites);
}

/* Uses the verdict on the kernel's run: a kernel gets no check mark while its run has a problem. */
static void take_run(struct screen *screen)
{
    struct panel *panel = panel_state(screen);
    run_verdicts_ask(screen, panel->traced);
    panel->run = *run_verdicts_of(&screen->verdicts, panel->traced);
}

/* Where the kernel shown before has other values, these are shown, too. */
static void take_before(const struct session *session, struct panel *panel)
{
    struct kernel_statistic all[METRIC_COUNT];
    uint32_t kernel = panel->before_made = panel->before;
    bool comparable =
        kernel != NONE && kernel_on_model(session, kernel) == kernel_on_model(session, panel->kernel);
    panel->has_before = false;
    if (comparable)
        kernel_statistics(session, kernel, panel->own, all);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const struct value *now = &panel->lines[metric].value[panel->own].value;
        struct value *before = &panel->before_value[metric];
        *before = comparable ? all[metric].value : (struct value){0};
        before->available = before->available && now->available && !before->word && !now->word &&
                            before->number != now->number;
        panel->has_before |= before->available;
    }
}

/* The cells of a value in a panel of medium width: "16,252,928", or "66.9 TFLOP/s". */
static int count_value_cells(const struct panel *panel)
{
    int most = 11;
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        char text[NUMBER_SIZE];
        for (int p = 0; p < PROVENANCE_COUNT && strcmp(metric_info(metric)->unit, "FLOP/s") == 0; p++) {
            metric_format(metric, &panel->lines[metric].value[p].value, text, sizeof text);
            most = (int)strlen(text) > most ? (int)strlen(text) : most;
        }
    }
    return most;
}

#define TITLE_CELLS 28 /* "shared load bank conflicts" with its indent */
struct columns {
    int title_width, count, width;
    bool before; /* one more, of the kernel shown before; only beside the values of the same provenance */
    enum provenance provenance[PROVENANCE_COUNT];
};

static struct columns columns_of(const struct panel *panel, struct rect inside)
{
    struct columns columns = {.width = inside.width >= COLUMNS_WIDE ? 15 : inside.width >= 50 ? 13 : 11};
    for (enum provenance p = PROVENANCE_EXPECTED; p <= PROVENANCE_MEASURED; p++) {
        bool first = p == panel->own || !panel->has[panel->own];
        bool room = p == PROVENANCE_EXPECTED || p == panel->own ? inside.width >= TWO_COLUMNS
                                                                : inside.width >= COLUMNS_WIDE;
        if (panel->has[p] && (first || room))
            columns.provenance[columns.count++] = p;
    }
    columns.before = panel->has_before && inside.width >= COLUMNS_WIDE && columns.count > 0 &&
                     columns.count < 3 && columns.provenance[columns.count - 1] == panel->own;
    const int count = columns.count + columns.before, wide = panel->value_cells + 2;
    if (count > 2 && inside.width < 75)
        columns.width = 12;
    else if (wide > columns.width && inside.width - count * wide >= TITLE_CELLS) /* titles go first */
        columns.width = wide;
    columns.title_width = inside.width - count * columns.width;
    return columns;
}

/* The number of tables of metrics for which there is room side by side. */
static int tables_by_width(const struct panel *panel, struct rect metrics)
{
    struct columns columns = columns_of(panel, metrics);
    int values = columns.count + columns.before;
    int least = BESIDE_WIDTH + (values > 2 ? (values - 2) * BESIDE_VALUE : 0);
    return metrics.width < 2 * least ? 1 : metrics.width / least;
}

/* The number of tables of metrics side by side: no more than the rows need. */
static int tables_of(const struct panel *panel, struct rect metrics)
{
    int height = metrics.height - 1, needed = height > 0 ? (panel->row_count + height - 1) / height : 1;
    int room = tables_by_width(panel, metrics);
    return needed < 2 ? 1 : room < needed ? room : needed;
}

/* The tables side by side are one list, which continues at the top of the next table. */
static void update_list(struct panel *panel, struct rect area)
{
    struct rect metrics = parts_of(panel, area).metrics;
    list_update(&panel->list, panel->row_count, tables_of(panel, metrics) * (metrics.height - 1));
}

static void panel_make(struct screen *screen, struct rect area)
{
    struct panel *panel = panel_state(screen);
    uint32_t kernel = screen->kernel;
    run_verdicts_ask(screen, screen->run);
    panel_run_update(screen);
    panel_part_update(screen, area);
    if (screen->stack_count == 0) { /* else the view that contains the panel shows it */
        panel->studied = screen->focus == PANE_PANEL;
        panel->before = NONE;
    }
    /* A number that changes with everything that the lines are made from, except launches. */
    uint64_t measured = (uint64_t)session_measurement_count(screen->session) +
                        session_expected_count(screen->session) + session_tally_count(screen->session) +
                        session_instruction_count(screen->session),
             launches = 0;
    bool wrong = false;
    const struct kernel_row *row = session_kernel(screen->session, kernel);
    const struct run_row *run = row ? session_run(screen->session, row->run) : NULL;
    if (run) {
        launches = atomic_load_explicit(&row->launches, memory_order_relaxed);
        wrong = atomic_load_explicit(&run->verified, memory_order_relaxed) == 0;
    }
    bool same =
        kernel == panel->kernel && panel->before == panel->before_made && wrong == panel->wrong &&
        (screen->frozen || (launches == panel->launches && measured == panel->measured) ||
         ((screen->state.live || screen->state.loading) && screen->clock_ms - panel->made_ms < REFRESH_MS));
    if (kernel != panel->kernel)
        panel->chosen_ms = screen->clock_ms;
    if (same) {
        ask_model(screen);
        take_run(screen);
        update_list(panel, area);
        panel_leave_heading(panel, -1);
        return;
    }
    panel->kernel = kernel;
    panel->own = kernel != NONE && kernel_on_model(screen->session, kernel) ? PROVENANCE_MODELLED
                                                                            : PROVENANCE_MEASURED;
    panel->launches = launches;
    panel->measured = measured;
    panel->made_ms = screen->clock_ms;
    memset(panel->has, 0, sizeof panel->has);
    panel->headline[0] = '\0';
    panel->whole_name[0] = '\0';
    panel->wrong = panel->uncounted = false;
    panel->advice.count = 0;
    panel->row_count = 0;
    panel->traced = NONE;
    panel->run = (struct run_verdict){0};
    if (kernel == NONE)
        return;
    uint32_t traced = kernel_in_mode(screen->session, kernel, RUN_TRACE);
    panel->traced = traced == NONE ? NONE : session_kernel(screen->session, traced)->run;
    take_run(screen);
    make_launched(screen->session, panel, traced);
    make_name(screen, panel);
    for (enum provenance p = 0; p < PROVENANCE_COUNT; p++) {
        struct kernel_statistic all[METRIC_COUNT];
        kernel_statistics(screen->session, kernel, p, all);
        for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
            panel->lines[metric].metric = metric;
            panel->lines[metric].value[p] = all[metric];
            panel->has[p] |= all[metric].value.available;
        }
    }
    panel->value_cells = count_value_cells(panel);
    take_before(screen->session, panel);
    make_failure(screen->session, panel);
    make_advice(screen->session, panel);
    say_uncounted(screen->session, panel);
    panel_rows_make(panel);
    update_list(panel, area);
    panel_leave_heading(panel, -1);
}

/* The lines that the panel needs, of those of the body. */
static int rows_needed(const struct screen *screen, struct rect area)
{
    const struct panel *panel = panel_state(screen);
    struct rect inside = view_inside(area);
    if (panel->studied || screen->layout.body.height < ROWS_COUNTED_FROM)
        return 0;
    if (panel_shows_run(screen))
        return panel_run_lines(screen, inside.width);
    if (panel_shows_part(screen) || panel->kernel == NONE || panel->row_count == 0)
        return 0;
    int lines[PART_COUNT], used = 1;
    deal_lines(panel, area, inside, screen->layout.body.height, lines);
    for (enum part part = 0; part < PART_COUNT; part++)
        used += lines[part];
    int tables = tables_by_width(panel, inside);
    return used + (panel->row_count + tables - 1) / tables;
}

static void panel_update(struct screen *screen, struct rect area)
{
    panel_make(screen, area);
    screen->panel_rows = rows_needed(screen, area);
}

/* ---- drawing ---- */

/* The value to compare with: of the other provenances the weakest that has a value, which is the expected
 * value if there is one. NULL: none. Counts are compared exactly; rates have noise and are only shown side by
 * side. */
static const struct value *compared_with(const struct panel_line *line, enum provenance provenance)
{
    const struct value *value = &line->value[provenance].value;
    if (!metric_info(line->metric)->exact || !value->available || value->word)
        return NULL;
    for (enum provenance weaker = 0; weaker < provenance; weaker++)
        if (line->value[weaker].value.available && !line->value[weaker].value.word)
            return &line->value[weaker].value;
    return NULL;
}

static bool title_is_cut(enum metric metric, int title_width)
{
    return text_width(metric_info(metric)->title, title_width) > title_width - 2;
}

static void draw_line(const struct panel *panel, struct canvas *canvas, struct rect inside, int y,
                      enum metric metric, const struct columns *columns, bool selected)
{
    const struct panel_line *line = &panel->lines[metric];
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    char shown[80];
    if (selected)
        canvas_fill(canvas, (struct rect){inside.x, y, inside.width, 1}, ' ',
                    STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
    brief_metric(metric, columns->title_width - 2, shown, sizeof shown);
    int named =
        inside.x + 2 +
        canvas_text(canvas, inside.x + 2, y, columns->title_width - 1,
                    STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, selected ? ATTRIBUTE_BOLD : 0), shown);
    for (int c = 0; c < columns->count; c++) {
        enum provenance provenance = columns->provenance[c];
        const struct value *value = &line->value[provenance].value;
        int x = inside.x + columns->title_width + c * columns->width;
        struct style style = STYLE(COLOR_TEXT, ground, 0);
        if (!value->available)
            style.foreground = COLOR_DIM;
        else if (provenance == panel->own)
            style = STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD);
        const struct value *weaker = compared_with(line, provenance);
        enum value_agreement agreement = weaker ? value_compare(value, weaker) : VALUE_WITHIN;
        if (agreement != VALUE_WITHIN) { /* a value that keeps to a bound gets no sign */
            bool different = agreement == VALUE_DIFFERENT;
            canvas_glyph(canvas, x + (columns->width > 13), y, different ? GLYPH_DIFFERENT : GLYPH_EQUAL,
                         STYLE(different ? COLOR_BAD : COLOR_GOOD, ground, different ? ATTRIBUTE_BOLD : 0));
            if (different)
                style.foreground = COLOR_BAD;
        }
        if (!value->available && (provenance != panel->own || metric_from_launch(metric))) { /* no n/a here */
            canvas_glyph(canvas, x + columns->width - 2, y, GLYPH_SEPARATOR, style);
            continue;
        }
        field_value(canvas, x + 1, y, columns->width - 2, style, metric, value);
        if (value->available && value->derived)
            canvas_put(canvas, x + columns->width - 1, y, '*', STYLE(COLOR_DIM, ground, 0));
    }
    if (columns->before && panel->before_value[metric].available)
        field_value(canvas, inside.x + inside.width - columns->width + 1, y, columns->width - 2,
                    STYLE(COLOR_FOCUS, ground, 0), metric, &panel->before_value[metric]);
    field_leader(canvas, named, y, inside.x + inside.width, ground);
}

/* A group's heading has a ground in a wide table, as a lesson's has. */
#define GROUNDS_FROM 56 /* cells */

static void draw_ground(struct canvas *canvas, struct rect line)
{
    if (line.width >= GROUNDS_FROM)
        canvas_ground(canvas, line, COLOR_TRACK);
}

static void draw_row(const struct panel *panel, struct canvas *canvas, struct rect line, int row,
                     const struct columns *columns)
{
    bool selected = row == panel->list.selected;
    if (panel->rows[row] < METRIC_COUNT) {
        draw_line(panel, canvas, line, line.y, (enum metric)panel->rows[row], columns, selected);
        return;
    }
    struct style dim = STYLE(COLOR_DIM, selected ? COLOR_SELECTED : COLOR_NONE, 0);
    const struct panel_reason *reason = panel_row_reason(panel, row);
    canvas_fill(canvas, line, ' ', dim);
    if (reason) {
        canvas_printf(canvas, line.x, line.y, line.width, dim, "%d n/a: %s", reason->count, reason->why);
        return;
    }
    dim.attributes = ATTRIBUTE_BOLD;
    canvas_text(canvas, line.x, line.y, columns->title_width - 1, dim,
                metric_group_text(metric_info(panel_row_metric(panel, row))->group));
    if (!selected)
        draw_ground(canvas, line);
}

/* Draws one table: the headings of its columns, beside the group of its first metric, then the metrics from
 * row `top` on. Returns the row after its last one. */
static int draw_table(const struct panel *panel, struct canvas *canvas, struct rect inside, int top)
{
    struct columns columns = columns_of(panel, inside);
    int row = top + panel_row_is_open_heading(panel, top);
    for (int c = 0; c < columns.count; c++)
        field_words(canvas, inside.x + columns.title_width + c * columns.width, inside.y, columns.width - 1,
                    STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE),
                    provenance_text(columns.provenance[c]));
    if (columns.before)
        field_words(canvas, inside.x + inside.width - columns.width, inside.y, columns.width - 1,
                    STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_UNDERLINE), "before");
    if (panel->rows[top] < METRIC_COUNT || row > top)
        canvas_text(canvas, inside.x, inside.y, columns.title_width - 1,
                    STYLE(COLOR_DIM, COLOR_NONE, ATTRIBUTE_BOLD),
                    metric_group_text(metric_info(panel_row_metric(panel, top))->group));
    draw_ground(canvas, (struct rect){inside.x, inside.y, inside.width, 1});
    for (int y = 1; y < inside.height && row < panel->row_count; y++, row++)
        draw_row(panel, canvas, (struct rect){inside.x, inside.y + y, inside.width, 1}, row, &columns);
    return row;
}

static struct rect table_at(struct rect metrics, int tables, int table)
{
    int width = (metrics.width - tables + 1) / tables;
    return (struct rect){metrics.x + table * (width + 1), metrics.y, width, metrics.height};
}

static void draw_metrics(const struct panel *panel, struct canvas *canvas, struct rect inside)
{
    int tables = tables_of(panel, inside), row = panel->list.top;
    for (int i = 0; i < tables && row < panel->row_count; i++)
        row = draw_table(panel, canvas, table_at(inside, tables, i), row);
}

static void panel_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct panel *panel = panel_state(screen);
    if (panel_shows_part(screen)) {
        panel_part_draw(screen, canvas, area, focus);
        return;
    }
    if (panel_shows_run(screen)) {
        panel_run_draw(screen, canvas, area, focus);
        return;
    }
    if (panel->kernel == NONE) {
        struct rect empty = view_frame(canvas, area, "Panel", focus);
        canvas_wrap(canvas, (struct rect){empty.x + 1, empty.y, empty.width - 2, empty.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), screen_why_empty(screen, "No kernel is selected."));
        return;
    }
    char name[400], title[480];
    uint16_t index = naming_of_kernel(&screen->naming, screen->session, panel->kernel);
    if (whole_name_in_title(panel, area))
        name_print_plain(kernel_full_name(screen->session, panel->kernel), name, sizeof name);
    else
        short_names_print_kernel(screen->naming.names, screen->session, panel->kernel, SHORT_NAME_WHOLE, name,
                                 sizeof name);
    snprintf(title, sizeof title, "%c %s%s%.60s", naming_letter(index), name,
             panel->filter[0] != '\0' ? "  filter: " : "", panel->filter);
    view_frame(canvas, area, title, focus);
    struct parts parts = parts_of(panel, area);
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    if (rect_shown(parts.part[PART_RUN]))
        panel_head_draw_run(panel, canvas, parts.part[PART_RUN]);
    if (rect_shown(parts.part[PART_ADVICE]))
        panel_head_draw_advice(panel, canvas, parts.part[PART_ADVICE]);
    panel_card_draw_why(panel, canvas, parts.part[PART_WHY]);
    if (rect_shown(parts.part[PART_LINE]))
        panel_card_draw_line(panel, canvas, parts.part[PART_LINE]);
    panel_card_draw_gauges(panel, canvas, parts.part[PART_GAUGES]);
    if (rect_shown(parts.part[PART_NEXT]))
        panel_head_draw_next(panel, canvas, parts.part[PART_NEXT]);
    panel_head_draw_more(panel, canvas, parts.part[PART_MORE]);
    if (rect_shown(parts.part[PART_SHAPE]))
        panel_head_draw_shape(screen, canvas, parts.part[PART_SHAPE]);
    struct rect launched = parts.part[PART_LAUNCHED];
    if (rect_shown(launched)) {
        text_shorten(panel->launched, launched.width, name, sizeof name);
        canvas_text(canvas, launched.x, launched.y, launched.width, dim, name);
    }
    struct rect whole = parts.part[PART_NAME];
    text_shorten(panel->whole_name, whole.height * whole.width * 3 / 4, name, sizeof name);
    canvas_wrap(canvas, whole, dim, name); /* so that lines end at blanks */
    if (!rect_shown(parts.metrics))
        return;
    if (panel->row_count == 0) {
        canvas_wrap(canvas, parts.metrics, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "No metric matches the filter. / changes it, ESC clears it.");
        return;
    }
    draw_metrics(panel, canvas, parts.metrics);
    view_frame_list(canvas, area, &panel->list);
    if (rect_shown(parts.meaning)) {
        enum metric metric = panel_row_metric(panel, panel->list.selected);
        const struct panel_reason *reason = panel_row_reason(panel, panel->list.selected);
        if (reason)
            panel_detail_draw_reason(panel, canvas, parts.meaning, reason);
        else
            panel_detail_draw(screen, canvas, parts.meaning, metric,
                              title_is_cut(metric, columns_of(panel, parts.metrics).title_width));
    }
}

/* ---- moving ---- */

static bool panel_act(struct screen *screen, enum action action)
{
    struct panel *panel = panel_state(screen);
    int before = panel->list.selected;
    if (panel_shows_part(screen))
        return panel_part_act(screen, action);
    if (action == ACTION_OPEN) {
        if (screen->maximised && screen->stack_count == 0)
            screen_close(screen);
        else
            screen->maximised = !screen->maximised;
        return true;
    }
    if (panel_shows_run(screen))
        return false;
    if (action == ACTION_FILTER)
        prompt_filter(&screen->prompt, "Show only metrics with:");
    else if (list_act(&panel->list, action))
        panel_leave_heading(panel, before);
    else
        return false;
    return true;
}

/* Shows the row of a metric in the current kernel's panel, or the meaning of the metric if there is no such
 * row. */
static void show_metric(struct screen *screen, uint32_t index)
{
    struct panel *panel = panel_state(screen);
    const struct metric_info *info = metric_info((enum metric)index);
    if (screen->kernel == NONE) {
        screen_message(screen, SEVERITY_INFO, "%s: %s", info->title, info->meaning);
        return;
    }
    screen_show_panes(screen);
    screen->on_run = false;
    screen->focus = PANE_PANEL;
    screen->maximised = screen->from_list = true;
    panel->filter[0] = '\0';
    screen->views[VIEW_PANEL]->update(screen, screen->layout.body);
    panel_filtered(screen);
    int row = panel_row_of(panel, (enum metric)index);
    list_select(&panel->list, row);
    if (panel->rows[row] >= METRIC_COUNT)
        screen_message(screen, SEVERITY_INFO, "n/a here. %s: %s", info->title, info->meaning);
}

static void panel_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct panel *panel = panel_state(screen);
    if (panel_shows_part(screen)) {
        panel_part_mouse(screen, event, area);
        return;
    }
    struct rect metrics = parts_of(panel, area).metrics;
    int before = panel->list.selected, tables = tables_of(panel, metrics), row = panel->list.top, line = -1;
    for (int i = 0; i < tables && row < panel->row_count; i++) {
        struct rect table = table_at(metrics, tables, i);
        int first = row + panel_row_is_open_heading(panel, row);
        row = first + table.height - 1;
        if (event->x >= table.x && event->y > table.y && event->y < table.y + table.height)
            line = first - panel->list.top + event->y - table.y - 1;
    }
    list_mouse(&panel->list, event, line);
    panel_leave_heading(panel, before);
}

static bool is_beside(const struct screen *screen)
{
    return !screen->maximised && !panel_shows_part(screen);
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .when = is_beside},
    {.action = ACTION_OPEN, .when = panel_shows_part, .hint = "show on the timeline"},
    {.action = ACTION_NEXT_PANE},
    {.action = ACTION_FILTER},
    {.action = ACTION_SOURCE},
    {.action = ACTION_LANES},
    {.action = ACTION_COMPARE},
    {.action = ACTION_EDIT},
    {.action = ACTION_PLOT},
    {.action = ACTION_KEEP},
    {.action = ACTION_NONE},
};

const struct view view_panel = {
    .title = "Panel",
    .state_bytes = sizeof(struct panel),
    .forget = forget_kernel,
    .update = panel_update,
    .draw = panel_draw,
    .act = panel_act,
    .show = {[ITEM_METRIC] = show_metric},
    .mouse = panel_mouse,
    .filter = panel_filter,
    .filtered = panel_filtered,
    .keys = keys,
};
