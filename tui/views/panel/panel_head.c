/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines above the metrics, from the panel's advice and verdict. The number of lines is computed before
 * they are drawn, by the same functions.
 */
#include "tui/views/panel/panel_part.h"

#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/views/panel/view_panel.h"
#include "tui/widgets/number.h"

#include <stdio.h>
#include <string.h>

#define SENTENCE_LEAST 32 /* cells of an advice; with fewer, the provenance after it is left out */
#define FIRST_LINES 4     /* most lines for the first advice: its longest sentence in a panel of 80x24 */
#define NOW_LINES 3       /* most lines for what to do about it */
#define RUN_LINES 3       /* most lines for the run's problem: its longest sentence in a panel of 80x24 */

/* " (modelled)" */
static int print_origin(const struct advice *advice, char *text, size_t size_bytes)
{
    return snprintf(text, size_bytes, " (%s)", provenance_text(advice->provenance));
}

static bool has_advice(const struct panel *panel)
{
    return !panel->wrong && panel->advice.count > 0;
}

/* The first advice, or the headline. The provenance is left out where it alone would need a line more. */
static void print_first(const struct panel *panel, int width, char *text, size_t size_bytes)
{
    const struct advice *advice = &panel->advice.items[0];
    if (!has_advice(panel)) {
        snprintf(text, size_bytes, "%s", panel->headline);
        return;
    }
    int used = snprintf(text, size_bytes, "%s", advice->text);
    int lines = canvas_wrapped_lines(text, width - 2);
    print_origin(advice, text + used, size_bytes - (size_t)used);
    if (lines > 1 && canvas_wrapped_lines(text, width - 2) > lines)
        text[used] = '\0';
}

int panel_head_advice_lines(const struct panel *panel, int width)
{
    char text[400];
    if (!has_advice(panel) && panel->headline[0] == '\0')
        return 0;
    print_first(panel, width, text, sizeof text);
    int lines = canvas_wrapped_lines(text, width - 2);
    return lines < FIRST_LINES ? lines : FIRST_LINES;
}

/* What to do, and the lesson. Where NOW_LINES are too few the lesson is left out, then what follows a
 * semicolon. */
static int print_next(const struct panel *panel, int width, char *text, size_t size_bytes)
{
    const struct advice *first = &panel->advice.items[0];
    char taught[ADVICE_TAUGHT_TEXT];
    int used = snprintf(text, size_bytes, "do: %s", advice_now(first));
    snprintf(text + used, size_bytes - (size_t)used, " (%s)", advice_taught_text(first->rule, taught));
    if (canvas_wrapped_lines(text, width - 2) > NOW_LINES)
        text[used] = '\0';
    char *further = strstr(text, "; ");
    if (further && canvas_wrapped_lines(text, width - 2) > NOW_LINES)
        *further = '\0';
    int lines = canvas_wrapped_lines(text, width - 2);
    return lines < NOW_LINES ? lines : NOW_LINES;
}

int panel_head_next_lines(const struct panel *panel, int width)
{
    char text[400];
    if (!has_advice(panel) || panel->advice.items[0].fine)
        return 0;
    return print_next(panel, width, text, sizeof text);
}

int panel_head_more_lines(const struct panel *panel)
{
    return has_advice(panel) ? (int)panel->advice.count - 1 : 0;
}

/* The check mark is shown only if neither the kernel nor its run has a problem. */
static bool run_is_fine(const struct panel *panel)
{
    return panel->run.known && panel->run.wrong == 0 && !panel->run.replaying;
}

/* "the run: ... (86 % at most, measured)". If that does not fit, first the gain is left out and then the
 * provenance. Returns the lines, 0 if there is nothing to report. */
static int print_run(const struct panel *panel, int width, char *text, size_t size_bytes)
{
    const struct advice *first = &panel->run.advice[0];
    run_verdict_text(&panel->run, text, size_bytes);
    size_t used = strlen(text);
    if (used == 0 || panel->run.replaying)
        return used > 0;
    snprintf(text + used, size_bytes - used, " (%s at most, %s)", number_gain(first->gain).text,
             provenance_text(first->provenance));
    if (canvas_wrapped_lines(text, width - 2) > RUN_LINES)
        print_origin(first, text + used, size_bytes - used);
    if (canvas_wrapped_lines(text, width - 2) > RUN_LINES)
        text[used] = '\0';
    int lines = canvas_wrapped_lines(text, width - 2);
    return lines > RUN_LINES ? RUN_LINES : lines;
}

int panel_head_run_lines(const struct panel *panel, int width)
{
    char text[400];
    return print_run(panel, width, text, sizeof text);
}

void panel_head_draw_run(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    struct style style = panel->run.replaying ? STYLE(COLOR_DIM, COLOR_NONE, 0)
                                              : STYLE(COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD);
    char text[400];
    print_run(panel, lines.width, text, sizeof text);
    if (!panel->run.replaying)
        canvas_glyph(canvas, lines.x, lines.y, GLYPH_WARNING, style);
    canvas_wrap(canvas, (struct rect){lines.x + 2, lines.y, lines.width - 2, lines.height}, style, text);
}

/* Draws one advice: the problem, and the largest gain that a change could bring. */
static void draw_advice(const struct panel *panel, const struct advice *advice, struct canvas *canvas,
                        struct rect lines)
{
    bool tick = advice->fine && run_is_fine(panel);
    struct style style = STYLE(tick           ? COLOR_GOOD
                               : advice->fine ? COLOR_TEXT
                                              : COLOR_WARN,
                               COLOR_NONE, ATTRIBUTE_BOLD);
    char origin[40], gain[64], text[400];
    int least = print_origin(advice, origin, sizeof origin), x = lines.x + 2, width = lines.width - 2;
    if (tick || !advice->fine)
        canvas_glyph(canvas, lines.x, lines.y, tick ? GLYPH_VERIFIED : GLYPH_WARNING, style);
    if (lines.height > 1) {
        print_first(panel, lines.width, text, sizeof text);
        canvas_wrap(canvas, (struct rect){x, lines.y, width, lines.height}, style, text);
        return;
    }
    int room = width - least < SENTENCE_LEAST ? width : width - least;
    int taken = canvas_text(canvas, x, lines.y, room, style, advice->text);
    int most = snprintf(gain, sizeof gain, " (%s at most, %s)", number_gain(advice->gain).text,
                        provenance_text(advice->provenance));
    /* The gain is left out before the provenance. */
    bool brief = advice->fine || most > width - taken;
    if ((brief ? least : most) <= width - taken)
        canvas_text(canvas, x + taken, lines.y, width - taken, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    brief ? origin : gain);
}

void panel_head_draw_advice(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    const struct advice_list *list = &panel->advice;
    struct rect sentence = {lines.x + 2, lines.y, lines.width - 2, lines.height};
    if (panel->uncounted) {
        canvas_wrap(canvas, lines, STYLE(COLOR_DIM, COLOR_NONE, 0), panel->headline);
        return;
    }
    if (panel->wrong || list->count == 0) {
        bool tick = !panel->wrong && list->state == ADVICE_STATE_FINE && run_is_fine(panel);
        struct style style = STYLE(panel->wrong ? COLOR_BAD
                                   : tick       ? COLOR_GOOD
                                                : COLOR_TEXT,
                                   COLOR_NONE, panel->wrong || tick ? ATTRIBUTE_BOLD : 0);
        if (panel->wrong || tick)
            canvas_glyph(canvas, lines.x, lines.y, tick ? GLYPH_VERIFIED : GLYPH_FAILED, style);
        else if (list->state != ADVICE_STATE_FINE && panel->headline[0] != '\0')
            canvas_put(canvas, lines.x, lines.y, '?', STYLE(COLOR_DIM, COLOR_NONE, 0));
        canvas_wrap(canvas, sentence, style, panel->headline);
        return;
    }
    draw_advice(panel, &list->items[0], canvas, lines);
}

void panel_head_draw_next(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    char text[400];
    print_next(panel, lines.width, text, sizeof text);
    canvas_wrap(canvas, (struct rect){lines.x + 2, lines.y, lines.width - 2, lines.height},
                STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
}

void panel_head_draw_more(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    for (int i = 0; i < lines.height; i++)
        draw_advice(panel, &panel->advice.items[i + 1], canvas,
                    (struct rect){lines.x, lines.y + i, lines.width, 1});
}

void panel_head_draw_shape(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    const struct session *session = screen->session;
    const struct kernel_row *kernel = session_kernel(session, panel_state(screen)->kernel);
    const struct shape_row *shape = session_shape(session, kernel->shape);
    char text[300];
    int length = snprintf(text, sizeof text, "grid %u", shape->grid[0]);
    length += snprintf(text + length, sizeof text - (size_t)length, "x%u", shape->grid[1]);
    if (shape->grid[2] > 1)
        length += snprintf(text + length, sizeof text - (size_t)length, "x%u", shape->grid[2]);
    length += snprintf(text + length, sizeof text - (size_t)length, ", block %ux%u", shape->block[0],
                       shape->block[1]);
    if (shape->block[2] > 1)
        length += snprintf(text + length, sizeof text - (size_t)length, "x%u", shape->block[2]);
    if (shape->registers_per_thread > 0)
        length += snprintf(text + length, sizeof text - (size_t)length, ", %u registers",
                           shape->registers_per_thread);
    length += snprintf(text + length, sizeof text - (size_t)length, ", %s B shared",
                       number_exact((int64_t)shape->static_shared_bytes + shape->dynamic_shared_bytes).text);
    if (shape->local_bytes_per_thread > 0)
        snprintf(text + length, sizeof text - (size_t)length, ", %s B local",
                 number_exact((int64_t)shape->local_bytes_per_thread).text);
    canvas_text(canvas, inside.x, inside.y, inside.width, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}
