/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that follow each other from the top of an area, each with as many lines as it needs and there are:
 * `page` is the rest of the area. A tall preview has a heading over each part; a wide one has columns, of
 * which the lesson, the source and the terms fill one after the other. Text that does not fit is cut with
 * "..", and the lesson says how much is missing.
 */
#include "tui/views/workloads/workload_preview.h"

#include "core/base/append.h"
#include "tui/frame/glossary.h"
#include "tui/frame/lesson.h"
#include "tui/terminal/text.h"
#include "tui/views/source/source.h"
#include "tui/widgets/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1000
#define LABEL_CELLS 12
#define RESULT_CELLS 6
#define TALL_FROM 18    /* lines: with as many each variant and each parameter has a line */
#define WIDE_FROM 40    /* cells: with as many there is a column of labels */
#define COLUMN_CELLS 50 /* cells of a column, if there are several */
#define COLUMNS_MAX 2
#define COLUMN_GAP 2
#define AFTER_LINES 12 /* lines kept for the parts after the pictures */
#define LESSON_FROM 4  /* lines: with fewer the lesson is not started */
#define SOURCE_FROM 4
#define PLACE_CELLS 16
#define NUMBER_CELLS 10

#define DIM STYLE(COLOR_DIM, COLOR_NONE, 0)
#define PLAIN STYLE(COLOR_TEXT, COLOR_NONE, 0)
#define STRONG STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD)

static void skip_lines(struct rect *page, int lines)
{
    lines = lines < page->height ? lines : page->height;
    page->y += lines;
    page->height -= lines;
}

/* Draws the heading of a part. */
static void draw_heading(struct canvas *canvas, struct rect *page, const char *text)
{
    if (page->height <= 0)
        return;
    canvas_fill(canvas, (struct rect){page->x, page->y, page->width, 1}, ' ',
                STYLE(COLOR_TEXT, COLOR_TRACK, 0));
    canvas_text(canvas, page->x, page->y, page->width, STYLE(COLOR_FOCUS, COLOR_TRACK, ATTRIBUTE_BOLD), text);
    skip_lines(page, 1);
}

/* Draws a label, and beside it a text in at most `most` lines; without a column of labels the label is before
 * the text. */
static void draw_labelled(struct canvas *canvas, struct rect *page, const char *label, struct style style,
                          const char *text, int most)
{
    struct rect beside = {page->x + LABEL_CELLS, page->y, page->width - LABEL_CELLS, page->height};
    char line[LINE_BYTES + LABEL_CELLS];
    beside.height = beside.height < most ? beside.height : most;
    if (beside.height <= 0 || text[0] == '\0')
        return;
    if (page->width < WIDE_FROM) {
        snprintf(line, sizeof line, "%s: %s", label, text);
        beside.x = page->x;
        beside.width = page->width;
        skip_lines(page, canvas_wrap(canvas, beside, style, line));
        return;
    }
    canvas_text(canvas, page->x, page->y, LABEL_CELLS - 1, DIM, label);
    skip_lines(page, canvas_wrap(canvas, beside, style, text));
}

/* Draws a name in a column as wide as the widest name, its result, and its meaning in at most `most` lines.
 */
static void draw_entry(struct canvas *canvas, struct rect *page, int name_cells, const char *name,
                       const char *result, const char *meaning, int most)
{
    int cells = name_cells + 2 + (result[0] != '\0' ? RESULT_CELLS : 0);
    struct rect beside = {page->x + cells, page->y, page->width - cells, most};
    if (page->height <= 0)
        return;
    beside.height = most < page->height ? most : page->height;
    canvas_text(canvas, page->x, page->y, name_cells, PLAIN, name);
    canvas_text(canvas, page->x + name_cells + 2, page->y, RESULT_CELLS - 1, STRONG, result);
    int lines = canvas_wrap(canvas, beside, DIM, meaning);
    skip_lines(page, lines > 0 ? lines : 1);
}

/* "8.1x": its time relative to the best time. " " if it is not known, but others were run. */
static void result_text(const struct workload_states *states, size_t workload, int variant, char *text,
                        size_t size_bytes)
{
    const struct workload_state *state = workload_state_of(states, workload);
    const struct workload_run *run = workload_state_variant(states, workload, variant);
    snprintf(text, size_bytes, "%s", !state ? "" : run ? "run" : " ");
    if (!run || !run->alike || run->cost <= 0 || state->times < FASTER_FROM)
        return;
    double times = run->cost / states->runs[state->fast].cost;
    if (times < FASTER_FROM)
        snprintf(text, size_bytes, "best");
    else
        snprintf(text, size_bytes, "%.*fx", times < 10, times);
}

static void draw_variants(const struct screen *screen, struct canvas *canvas, struct rect *page,
                          const struct workload_states *states, size_t index, bool one_a_line)
{
    const struct tui_workload *workload = &screen->host->workloads[index];
    char line[LINE_BYTES], result[32];
    int cells = 0, count = (int)workload->variant_count, most = 3 * count < page->height ? 2 : 1;
    workload_variants_line(workload, line, sizeof line);
    if (!one_a_line || 2 * count > page->height) {
        draw_labelled(canvas, page, "variants", PLAIN, line, one_a_line ? page->height / 3 : 2);
        return;
    }
    draw_heading(canvas, page, "variants");
    for (size_t i = 0; i < workload->variant_count; i++) {
        int width = text_width(workload->variants[i].name, LINE_BYTES);
        cells = width > cells ? width : cells;
    }
    for (size_t i = 0; i < workload->variant_count; i++) {
        result_text(states, index, (int)i, result, sizeof result);
        draw_entry(canvas, page, cells, workload->variants[i].name, result, workload->variants[i].meaning,
                   most);
    }
}

/* "n=auto", and "0..16384 words: rows and columns of the matrix" */
static void param_texts(const struct tui_param *param, char *name, size_t name_bytes, char *meaning,
                        size_t meaning_bytes)
{
    snprintf(name, name_bytes, "%s=%s", param->name, param_standard(param).text);
    snprintf(meaning, meaning_bytes, "%" PRId64 "..%" PRId64 "%s%s: %s", param->minimum, param->maximum,
             param->unit[0] != '\0' ? " " : "", param->unit, param->meaning);
}

static void draw_params(struct canvas *canvas, struct rect *page, const struct tui_workload *workload,
                        bool one_a_line)
{
    char name[100], line[LINE_BYTES];
    int cells = 0;
    workload_params_line(workload, line, sizeof line);
    if (!one_a_line || workload->param_count == 0) {
        draw_labelled(canvas, page, "parameters", PLAIN, workload->param_count > 0 ? line : "none", 2);
        return;
    }
    int most = page->height > 6 * (int)workload->param_count ? 3 : 2;
    draw_heading(canvas, page, "parameters");
    for (size_t i = 0; i < workload->param_count; i++) {
        param_texts(&workload->params[i], name, sizeof name, line, sizeof line);
        cells = (int)strlen(name) > cells ? (int)strlen(name) : cells;
    }
    for (size_t i = 0; i < workload->param_count; i++) {
        param_texts(&workload->params[i], name, sizeof name, line, sizeof line);
        draw_entry(canvas, page, cells, name, "", line, most);
    }
}

/* ---- parts that continue in the next column ---- */

struct flow {
    struct rect column[COLUMNS_MAX]; /* what is left of each */
    int count, at;
};

/* The column in which the next line is; one without lines: there is no room left. */
static struct rect *flow_page(struct flow *flow)
{
    while (flow->at < flow->count - 1 && flow->column[flow->at].height <= 0)
        flow->at++;
    return &flow->column[flow->at];
}

static int flow_left(const struct flow *flow)
{
    int left = 0;
    for (int i = flow->at; i < flow->count; i++)
        left += flow->column[i].height;
    return left;
}

/* Draws the lesson without its title. */
static void draw_lesson(struct canvas *canvas, struct flow *flow, const char *lesson)
{
    int room = flow_left(flow), drawn = 0;
    if (!lesson || room < LESSON_FROM)
        return;
    if (lesson[0] == '#')
        lesson += strcspn(lesson, "\n");
    lesson += strspn(lesson, "\n");
    int all = lesson_lines(lesson, flow_page(flow)->width, false), lines = all > room ? room - 1 : all;
    while (drawn < lines) {
        struct rect *page = flow_page(flow), part = *page;
        part.height = part.height < lines - drawn ? part.height : lines - drawn;
        lesson_draw(canvas, part, lesson, drawn, false);
        skip_lines(page, part.height);
        drawn += part.height;
    }
    struct rect *page = flow_page(flow);
    if (all > drawn)
        canvas_printf(canvas, page->x, page->y, page->width, DIM, ".. %d more lines: e opens the lesson",
                      all - drawn);
    skip_lines(page, 1);
}

/* Draws the start of the kernels' source. */
static void draw_source(struct canvas *canvas, struct flow *flow, const char *source)
{
    char text[LINE_BYTES];
    if (!source || flow_left(flow) < SOURCE_FROM)
        return;
    draw_heading(canvas, flow_page(flow), "the kernel");
    while (*source != '\0' && flow_page(flow)->height > 0) {
        struct rect *page = flow_page(flow), lines = *page;
        bool remark = source[0] == '/' && source[1] == '/';
        source_text_line(source, 0, text, sizeof text);
        int needed = canvas_wrapped_lines(text, page->width);
        lines.height = needed < 1 ? 1 : needed < page->height ? needed : page->height;
        canvas_fill(canvas, lines, ' ', STYLE(COLOR_TEXT, COLOR_TRACK, 0));
        canvas_wrap(canvas, lines, STYLE(remark ? COLOR_DIM : COLOR_TEXT, COLOR_TRACK, 0), text);
        skip_lines(page, lines.height);
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
}

/* "offset=1", or the variant; "" where the document gives no place. */
static void place_text(const struct tui_figure *figure, const struct tui_figure_point *point, char *text,
                       size_t size_bytes)
{
    snprintf(text, size_bytes, "%s", point->variant ? point->variant : "");
    if (!point->variant && !isnan(point->x) && figure->param)
        snprintf(text, size_bytes, "%s=%g", figure->param, point->x);
}

/* Draws the numbers that a document gives, with bars. */
static void draw_figure(struct canvas *canvas, struct flow *flow, const struct tui_figure *figure)
{
    enum metric metric = metric_find(figure->metric);
    int lines = 1 + canvas_wrapped_lines(figure->source, flow_page(flow)->width) + (int)figure->point_count;
    double most = 0;
    char text[200];
    if (figure->point_count == 0 || lines > flow_page(flow)->height)
        return;
    struct rect *page = flow_page(flow);
    snprintf(text, sizeof text, "published: %.80s, %.80s",
             metric < METRIC_COUNT ? metric_info(metric)->title : "gain", figure->gpu);
    draw_heading(canvas, page, text);
    skip_lines(page, canvas_wrap(canvas, *page, DIM, figure->source));
    for (size_t i = 0; i < figure->point_count; i++)
        most = figure->points[i].y > most ? figure->points[i].y : most;
    for (size_t i = 0; i < figure->point_count; i++, skip_lines(page, 1)) {
        const struct value value = {.available = true, .number = figure->points[i].y};
        int x = page->x + PLACE_CELLS + NUMBER_CELLS + 1;
        place_text(figure, &figure->points[i], text, sizeof text);
        canvas_text(canvas, page->x, page->y, PLACE_CELLS - 1, PLAIN, text);
        snprintf(text, sizeof text, "%gx", value.number); /* a gain */
        if (metric < METRIC_COUNT)
            field_value(canvas, page->x + PLACE_CELLS, page->y, NUMBER_CELLS, STRONG, metric, &value);
        else
            field_number(canvas, page->x + PLACE_CELLS, page->y, NUMBER_CELLS, STRONG, text);
        canvas_bar(canvas, x, page->y, page->x + page->width - x, value.number / most, COLOR_WARN);
    }
}

/* Draws the glossary's terms that the lesson has. */
static void draw_terms(struct canvas *canvas, struct flow *flow, const char *glossary, const char *lesson)
{
    struct glossary_term term;
    bool begun = false;
    for (uint32_t i = 0; lesson && glossary_at(glossary, i, &term); i++) {
        struct rect *page = flow_page(flow), below = *page;
        skip_lines(&below, !begun);
        int lines = strcasestr(lesson, term.term) ? glossary_draw_term(canvas, below, &term) : 0;
        if (lines > 0 && !begun)
            draw_heading(canvas, page, "its terms");
        begun = begun || lines > 0;
        skip_lines(page, lines);
    }
}

/* ---- all of it ---- */

/* Draws what it teaches, its variants, its pictures and its parameters. */
static void draw_facts(const struct screen *screen, struct canvas *canvas, struct rect *page,
                       const struct workload_states *states, const struct workload_pictures *pictures,
                       const struct tui_workload *workload, bool tall)
{
    size_t index = (size_t)(workload - screen->host->workloads);
    char text[LINE_BYTES];
    if (tall) {
        skip_lines(page, canvas_wrap(canvas, *page, STRONG, workload->title));
        skip_lines(page, canvas_wrap(canvas, *page, PLAIN, workload->meaning));
    } else {
        struct rect meaning = *page;
        meaning.height = meaning.height < 2 ? meaning.height : 2;
        skip_lines(page, canvas_wrap(canvas, meaning, STRONG, workload->meaning));
    }
    workload_state_print(screen, states, index, LINE_BYTES, text, sizeof text);
    draw_labelled(canvas, page, "run so far", STRONG, text, tall ? 4 : 2);
    draw_variants(screen, canvas, page, states, index, tall);
    if (tall && pictures->workload == workload && pictures->count > 0 && page->height > AFTER_LINES) {
        struct rect room = *page, heading = *page;
        room.y++;
        room.height -= 1 + (2 * AFTER_LINES < page->height ? AFTER_LINES : page->height / 2);
        int lines = workload_pictures_draw(pictures, NULL, 0, canvas, room, screen->options.color);
        if (lines > 0)
            draw_heading(canvas, &heading, "lane map of the costliest access");
        skip_lines(page, lines > 0 ? lines + 1 : 0);
    }
    draw_params(canvas, page, workload, tall);
}

int workload_preview_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                          const struct workload_states *states, const struct workload_pictures *pictures,
                          const struct tui_workload *workload, const char *note)
{
    const char *lesson = workload->lesson ? workload->lesson : "";
    bool tall = area.height >= TALL_FROM && area.width >= WIDE_FROM;
    struct flow flow = {.count = tall && area.width >= 2 * COLUMN_CELLS + COLUMN_GAP ? COLUMNS_MAX : 1};
    int cells = (area.width - (flow.count - 1) * COLUMN_GAP) / flow.count, noted = 0, used = 0;
    char text[LINE_BYTES];
    for (int i = 0; i < flow.count; i++)
        flow.column[i] = (struct rect){area.x + i * (cells + COLUMN_GAP), area.y, cells, area.height};
    struct rect *page = &flow.column[0], *last = &flow.column[flow.count - 1];
    draw_facts(screen, canvas, page, states, pictures, workload, tall);
    int facts = page->y - area.y;
    lesson_part_text(lesson, "Picture", text, sizeof text);
    if (!tall || flow_left(&flow) < LESSON_FROM) /* else the lesson below has it */
        draw_labelled(canvas, page, "look at", PLAIN, text, page->height);
    snprintf(text, sizeof text, "%u minutes", workload->minutes);
    if (workload->minutes > 0 && (!tall || lesson[0] == '\0'))
        draw_labelled(canvas, page, "lesson", PLAIN, text, 1);
    if (note)
        noted = canvas_wrapped_lines(note, cells);
    noted = noted < last->height ? noted : 0;
    if (noted > 0) {
        last->height -= noted;
        canvas_wrap(canvas, (struct rect){last->x, last->y + last->height, cells, noted},
                    STYLE(COLOR_FOCUS, COLOR_NONE, 0), note);
    }
    draw_lesson(canvas, &flow, workload->lesson);
    draw_source(canvas, &flow, workload->source);
    for (size_t i = 0; i < workload->figure_count; i++)
        draw_figure(canvas, &flow, &workload->figures[i]);
    draw_terms(canvas, &flow, screen->host->glossary, workload->lesson);
    for (int i = 0; i < flow.count; i++)
        used += flow.column[i].y - area.y;
    used = (used + noted + flow.count - 1) / flow.count;
    return used > facts ? used : facts;
}
