/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of one source line with the same cost look alike: the first represents all of them. Pictures
 * are drawn with the smallest cells, so that several fit below each other. The cost of a line is that of all
 * executions of its instructions, as in the list of instructions.
 */
#include "tui/views/lanes/lane_more.h"

#include "tui/frame/lesson.h"
#include "tui/terminal/text.h"
#include "tui/views/source/source.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_LEAST 6 /* fewest lines of source that are useful */
#define SOURCE_WIDTH 50
#define NUMBER_CELLS 4
#define COST_CELLS 13
#define HEAD_LINES 1
#define PICTURE_WIDTH 40
#define COST_WHOLE_CELLS 32 /* "4 sectors of 32 bytes, ideal 4" */
#define COST_SHORT_CELLS 24 /* "32 wavefronts, ideal 1" */
#define TEXT_LEAST 16       /* cells for code that is cut */
#define BESIDE_WIDTH 130    /* cells; the source is beside the pictures */

/* ---- source ---- */

/* Sums over all accesses of a line; false: it has none. */
static bool cost_of_line(const struct lane_case *of, uint32_t line, uint64_t *cost, uint64_t *ideal)
{
    bool any = false;
    *cost = *ideal = 0;
    for (uint32_t i = 0; i < of->answer.got.count; i++) {
        const struct tui_access *one = &of->answer.got.items[i];
        if (one->line != line || one->file_text != of->access->file_text)
            continue;
        *cost += one->requests > 0 ? one->all_counted : one->counted;
        *ideal += one->requests > 0 ? one->all_ideal : one->counted_ideal;
        any = true;
    }
    return any;
}

static void draw_source_line(const struct lane_case *of, struct canvas *canvas, struct rect at, uint32_t line,
                             const char *text)
{
    uint8_t ground = line == of->access->line ? COLOR_SELECTED : COLOR_TRACK;
    bool remark = strncmp(text + strspn(text, " "), "//", 2) == 0;
    char words[200];
    uint64_t cost, ideal;
    source_text_line(text, 0, words, sizeof words);
    canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, ground, 0));
    canvas_printf(canvas, at.x, at.y, NUMBER_CELLS, STYLE(COLOR_DIM, ground, 0), "%3" PRIu32, line);
    bool costs = cost_of_line(of, line, &cost, &ideal);
    canvas_text(canvas, at.x + NUMBER_CELLS, at.y, at.width - NUMBER_CELLS - (costs ? COST_CELLS : 0),
                STYLE(remark ? COLOR_DIM : COLOR_TEXT, ground, 0), words);
    if (!costs)
        return;
    if (cost < 1000000)
        snprintf(words, sizeof words, "%" PRIu64 " / %" PRIu64, cost, ideal);
    else
        snprintf(words, sizeof words, "%s / %s", number_short(cost).text, number_short(ideal).text);
    field_words(canvas, at.x + at.width - COST_CELLS, at.y, COST_CELLS - 1,
                STYLE(cost > ideal ? COLOR_WARN : COLOR_TEXT, ground, 0), words);
}

static int lines_of(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static bool draw_source(const struct lane_case *of, struct canvas *canvas, struct rect area)
{
    const char *at = of->access->file_text;
    uint32_t rows = (uint32_t)area.height - 1, line = 1;
    if (!at || of->access->line == 0 || area.height < SOURCE_LEAST || area.width < SOURCE_WIDTH)
        return false;
    uint32_t lines = (uint32_t)lines_of(at);
    uint32_t first = of->access->line > rows / 2 ? of->access->line - rows / 2 : 1;
    first = lines < rows ? 1 : first > lines - rows + 1 ? lines - rows + 1 : first;
    canvas_printf(canvas, area.x, area.y, area.width - COST_CELLS, STYLE(COLOR_DIM, COLOR_NONE, 0), "%.*s",
                  (int)strcspn(of->access->place, ":"), of->access->place);
    field_words(canvas, area.x + area.width - COST_CELLS, area.y, COST_CELLS - 1,
                STYLE(COLOR_DIM, COLOR_NONE, 0), "cost / ideal");
    for (; *at != '\0' && line < first + rows; line++, at += *at == '\n') {
        if (line >= first)
            draw_source_line(
                of, canvas, (struct rect){area.x, area.y + 1 + (int)(line - first), area.width, 1}, line, at);
        at += strcspn(at, "\n");
    }
    return true;
}

/* ---- other instructions ---- */

static bool looks_alike(const struct tui_access *a, const struct tui_access *b)
{
    return a->space == b->space && a->access.store == b->access.store && a->line == b->line &&
           a->counted == b->counted && a->counted_ideal == b->counted_ideal;
}

/* The first execution of an instruction; NULL: it looks like the one shown, or like one before it. */
static const struct tui_access *first_of_look(const struct lane_case *of, uint32_t site)
{
    const struct tui_accesses *got = &of->answer.got;
    const struct tui_access *found = NULL;
    for (uint32_t i = 0; i < got->count && !found; i++)
        found = got->items[i].site == site ? &got->items[i] : NULL;
    if (!found || looks_alike(found, of->access))
        return NULL;
    for (const struct tui_access *one = got->items; one < found; one++)
        if (one->site != of->access->site && looks_alike(one, found))
            return NULL;
    return found;
}

static int draw_others(const struct lane_case *of, struct canvas *canvas, struct rect area,
                       const struct lane_picture_options *options)
{
    const struct tui_accesses *got = &of->answer.got;
    const struct lane_picture_options whole = {.color = options->color};
    int taken = 0;
    if (area.width < PICTURE_WIDTH)
        return 0;
    for (uint32_t i = 1; i < got->sites; i++) {
        const struct tui_access *access = first_of_look(of, (of->access->site + i) % got->sites);
        struct lane_picture picture;
        if (!access)
            continue;
        lane_picture_make(&picture, of->answer.rules, access);
        int room = area.height - taken - HEAD_LINES, lines = lane_picture_lines(&picture, area.width, room);
        if (lines > room)
            continue;
        struct rect at = {area.x, area.y + taken, area.width, 1};
        int half = canvas_printf(canvas, at.x, at.y, at.width / 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                                 "%" PRIu32 "  %s  ", access->site + 1,
                                 access->place[0] != '\0' ? access->place : access->kernel);
        int cells = at.width - half - COST_WHOLE_CELLS, text_cells = text_width(access->text, at.width);
        if (text_cells > cells) /* then the cost is in short words */
            cells = at.width - half - COST_SHORT_CELLS;
        if (text_cells <= cells || cells >= TEXT_LEAST)
            half +=
                canvas_text(canvas, at.x + half, at.y, cells, STYLE(COLOR_TEXT, COLOR_NONE, 0), access->text);
        lane_case_draw_cost(access, &picture, 0, canvas,
                            (struct rect){at.x + half, at.y, at.width - half, 1});
        lane_picture_draw(canvas, (struct rect){at.x, at.y + HEAD_LINES, at.width, lines}, &picture, &whole);
        taken += HEAD_LINES + lines + 1;
    }
    return taken;
}

void lane_more_draw_beside(const struct lane_case *of, const char *lesson, struct canvas *canvas,
                           struct rect area)
{
    int lines = of->access && of->access->file_text ? 1 + lines_of(of->access->file_text) : 0;
    int most = lesson ? area.height * 2 / 3 : area.height;
    if (lines > most)
        lines = most;
    if (lines > 0 && !draw_source(of, canvas, (struct rect){area.x, area.y, area.width, lines}))
        lines = 0;
    area.y += lines + 1;
    area.height -= lines + 1;
    if (lesson && area.height > 0)
        lesson_draw(canvas, area, lesson, 0, false);
}

void lane_more_draw(const struct lane_case *sides, int side_count, int side,
                    const struct workload_pictures *variants, struct canvas *canvas, struct rect area,
                    const struct lane_picture_options *options, bool source)
{
    const struct lane_case *of = &sides[side];
    struct rect code = area, others = area;
    if (!of->access)
        return;
    bool beside = source && area.width >= BESIDE_WIDTH;
    if (beside) {
        code.x += (area.width + 2) / 2;
        code.width -= (area.width + 2) / 2;
        if (draw_source(of, canvas, code))
            others.width = area.width / 2 - 1;
    }
    int taken = draw_others(of, canvas, others, options);
    others.y += taken;
    others.height -= taken;
    if (beside || !source || !draw_source(of, canvas, others))
        workload_pictures_draw(variants, sides, side_count, canvas, others, options->color);
}
