/*
 * Parts that follow each other from the top of an area, each with as many lines as it needs and there are:
 * `page` is the rest of the area. Text that does not fit is cut with "..", and the lesson says how much is
 * missing.
 */
#include "tui/views/workloads/workload_preview.h"

#include "core/base/append.h"
#include "tui/frame/lesson.h"
#include "tui/terminal/text.h"
#include "tui/views/source/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1000
#define LABEL_CELLS 12
#define RESULT_CELLS 6
#define TALL_FROM 18       /* lines: with as many each variant and each parameter has a line */
#define WIDE_FROM 40       /* cells: with as many there is a column of labels */
#define TWO_PAGES_FROM 110 /* cells: with as many the lesson is beside the rest */
#define AFTER_LINES 12     /* lines kept for the parts after the pictures */
#define LESSON_FROM 4      /* lines: with fewer the lesson is not started */
#define SOURCE_FROM 8

#define DIM STYLE(COLOR_DIM, COLOR_NONE, 0)
#define PLAIN STYLE(COLOR_TEXT, COLOR_NONE, 0)
#define STRONG STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD)

static void skip_lines(struct rect *page, int lines)
{
    lines = lines < page->height ? lines : page->height;
    page->y += lines;
    page->height -= lines;
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
static void draw_entry(struct canvas *canvas, struct rect *page, const char *label, int name_cells,
                       const char *name, const char *result, const char *meaning, int most)
{
    int x = page->x + LABEL_CELLS, cells = name_cells + 2 + (result[0] != '\0' ? RESULT_CELLS : 0);
    struct rect beside = {x + cells, page->y, page->width - LABEL_CELLS - cells, most};
    if (page->height <= 0)
        return;
    beside.height = most < page->height ? most : page->height;
    canvas_text(canvas, page->x, page->y, LABEL_CELLS - 1, DIM, label);
    canvas_text(canvas, x, page->y, name_cells, PLAIN, name);
    canvas_text(canvas, x + name_cells + 2, page->y, RESULT_CELLS - 1, STRONG, result);
    int lines = canvas_wrap(canvas, beside, DIM, meaning);
    skip_lines(page, lines > 0 ? lines : 1);
}

/* "8.1x": its time relative to the best time. " " if it is not known, but others were run. */
static void result_text(const struct workload_states *states, size_t workload, int variant, char *text,
                        size_t size_bytes)
{
    const struct workload_state *state = workload_state_of(states, workload);
    const struct workload_run *run = workload_state_variant(states, workload, variant);
    snprintf(text, size_bytes, "%s", state == NULL ? "" : run != NULL ? "run" : " ");
    if (run == NULL || !run->alike || run->cost <= 0 || state->times < FASTER_FROM)
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
    for (size_t i = 0; i < workload->variant_count; i++) {
        int width = text_width(workload->variants[i].name, LINE_BYTES);
        cells = width > cells ? width : cells;
    }
    for (size_t i = 0; i < workload->variant_count; i++) {
        result_text(states, index, (int)i, result, sizeof result);
        draw_entry(canvas, page, i == 0 ? "variants" : "", cells, workload->variants[i].name, result,
                   workload->variants[i].meaning, most);
    }
}

/* "n=0", and "0..16384 words: rows and columns of the matrix" */
static void param_texts(const struct tui_param *param, char *name, size_t name_bytes, char *meaning,
                        size_t meaning_bytes)
{
    snprintf(name, name_bytes, "%s=%" PRId64, param->name, param->standard);
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
    for (size_t i = 0; i < workload->param_count; i++) {
        param_texts(&workload->params[i], name, sizeof name, line, sizeof line);
        cells = (int)strlen(name) > cells ? (int)strlen(name) : cells;
    }
    for (size_t i = 0; i < workload->param_count; i++) {
        param_texts(&workload->params[i], name, sizeof name, line, sizeof line);
        draw_entry(canvas, page, i == 0 ? "parameters" : "", cells, name, "", line, most);
    }
}

/* Draws the lesson without its heading. */
static void draw_lesson(struct canvas *canvas, struct rect *left, const char *lesson)
{
    struct rect page = *left;
    if (lesson == NULL || page.height < LESSON_FROM)
        return;
    if (lesson[0] == '#')
        lesson += strcspn(lesson, "\n");
    lesson += strspn(lesson, "\n");
    int lines = lesson_lines(lesson, page.width, false), hidden = lines - page.height + 1;
    if (lines > page.height)
        page.height--;
    lesson_draw(canvas, page, lesson, 0, false);
    skip_lines(left, lines + 1);
    if (lines > page.height)
        canvas_printf(canvas, page.x, page.y + page.height, page.width, DIM,
                      ".. %d more lines: e opens the lesson", hidden);
}

/* Draws the start of the kernels' source. */
static void draw_source(struct canvas *canvas, struct rect *left, const char *source)
{
    struct rect page = *left;
    char text[LINE_BYTES];
    if (source == NULL || page.height < SOURCE_FROM)
        return;
    canvas_text(canvas, page.x, page.y, page.width, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD),
                "the kernel");
    for (skip_lines(&page, 1); *source != '\0' && page.height > 0; skip_lines(&page, 1)) {
        bool remark = source[0] == '/' && source[1] == '/';
        source_text_line(source, 0, text, sizeof text);
        canvas_fill(canvas, (struct rect){page.x, page.y, page.width, 1}, ' ',
                    STYLE(COLOR_TEXT, COLOR_TRACK, 0));
        canvas_text(canvas, page.x, page.y, page.width,
                    STYLE(remark ? COLOR_DIM : COLOR_TEXT, COLOR_TRACK, 0), text);
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    *left = page;
}

int workload_preview_draw(const struct screen *screen, struct canvas *canvas, struct rect area,
                          const struct workload_states *states, const struct workload_pictures *pictures,
                          const struct tui_workload *workload, const char *note)
{
    size_t index = (size_t)(workload - screen->host->workloads);
    struct rect page = area, lesson = area;
    int noted = 0;
    bool tall = area.height >= TALL_FROM && area.width >= WIDE_FROM, beside = area.width >= TWO_PAGES_FROM;
    char text[LINE_BYTES];
    if (beside) {
        page.width = area.width / 2 - 1;
        lesson = (struct rect){page.x + page.width + 2, area.y, area.width - page.width - 2, area.height};
    }
    if (tall) {
        skip_lines(&page, canvas_wrap(canvas, page, STRONG, workload->title));
        skip_lines(&page, canvas_wrap(canvas, page, PLAIN, workload->meaning) + 1);
    } else {
        struct rect meaning = page;
        meaning.height = meaning.height < 2 ? meaning.height : 2;
        skip_lines(&page, canvas_wrap(canvas, meaning, STRONG, workload->meaning));
    }
    workload_state_print(screen, states, index, LINE_BYTES, text, sizeof text);
    draw_labelled(canvas, &page, "run so far", STRONG, text, 2);
    skip_lines(&page, tall && text[0] != '\0');
    draw_variants(screen, canvas, &page, states, index, tall);
    skip_lines(&page, tall);
    if (tall && pictures->workload == workload) {
        struct rect room = page;
        room.height -= 2 * AFTER_LINES < page.height ? AFTER_LINES : page.height / 2;
        skip_lines(&page, workload_pictures_draw(pictures, NULL, 0, canvas, room, screen->options.color));
    }
    draw_params(canvas, &page, workload, tall);
    skip_lines(&page, tall);
    lesson_part_text(workload->lesson != NULL ? workload->lesson : "", "Picture", text, sizeof text);
    draw_labelled(canvas, &page, "look at", PLAIN, text,
                  tall && page.height > 3 ? page.height / 2 : page.height);
    if (workload->minutes > 0) {
        snprintf(text, sizeof text, "%u minutes", workload->minutes);
        draw_labelled(canvas, &page, "lesson", PLAIN, text, 1);
    }
    skip_lines(&page, text[0] != '\0');
    if (note != NULL && page.height > 0) {
        int lines = canvas_wrapped_lines(note, page.width);
        struct rect last = {page.x, page.y + page.height - lines, page.width, lines};
        if (lines <= page.height) {
            canvas_wrap(canvas, last, STYLE(COLOR_FOCUS, COLOR_NONE, 0), note);
            page.height -= lines;
            noted = lines;
        }
    }
    draw_lesson(canvas, beside ? &lesson : &page, workload->lesson);
    draw_source(canvas, beside && lesson.height > page.height ? &lesson : &page, workload->source);
    int used = page.y + noted - area.y, used_beside = beside ? lesson.y - area.y : 0;
    return used > used_beside ? used : used_beside;
}
