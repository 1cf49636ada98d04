#include "tui/panel_head.h"

#include "tui/screen.h"

#include <stdio.h>

#define NOW_LINES 2 /* of what to do about the first advice */

int panel_head_further_lines(const struct panel *panel)
{
    return panel->wrong || panel->advice.count == 0 ? 0 : NOW_LINES + (int)panel->advice.count - 1;
}

/* One advice: what is wrong, and how much a change would gain at most. */
static void draw_advice(const struct advice *advice, struct canvas *canvas, struct rect line)
{
    struct style style = STYLE(advice->fine ? COLOR_GOOD : COLOR_WARN, COLOR_NONE, ATTRIBUTE_BOLD);
    canvas_glyph(canvas, line.x, line.y, advice->fine ? GLYPH_VERIFIED : GLYPH_WARNING, style);
    int taken = 2 + canvas_sentence(canvas, line.x + 2, line.y, line.width - 2, style, advice->text);
    char tail[64];
    int length = snprintf(tail, sizeof tail, " (%.0f %% at most, %s)", 100 * advice->gain,
                          provenance_text(advice->provenance));
    if (advice->fine ||
        length > line.width - taken) /* where it comes from is never cut off for what it could gain */
        snprintf(tail, sizeof tail, " (%s)", provenance_text(advice->provenance));
    canvas_text(canvas, line.x + taken, line.y, line.width - taken, STYLE(COLOR_DIM, COLOR_NONE, 0), tail);
}

void panel_head_draw_advice(const struct panel *panel, struct canvas *canvas, struct rect lines)
{
    const struct advice_list *list = &panel->advice;
    struct rect line = {lines.x, lines.y, lines.width, 1};
    if (panel->uncounted) {
        canvas_sentence(canvas, line.x, line.y, line.width, STYLE(COLOR_DIM, COLOR_NONE, 0), panel->headline);
        return;
    }
    if (panel->wrong || list->count == 0) {
        struct style style = STYLE(panel->wrong ? COLOR_BAD : COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD);
        canvas_glyph(canvas, line.x, line.y, panel->wrong ? GLYPH_FAILED : GLYPH_VERIFIED, style);
        canvas_sentence(canvas, line.x + 2, line.y, line.width - 2, style, panel->headline);
        return;
    }
    draw_advice(&list->items[0], canvas, line);
    int now = lines.height - 1 < NOW_LINES ? lines.height - 1 : NOW_LINES;
    char text[400];
    snprintf(text, sizeof text, "lesson %s: %s", advice_rule_info(list->items[0].rule)->taught,
             advice_rule_info(list->items[0].rule)->now);
    if (now > 0)
        canvas_wrap(canvas, (struct rect){line.x + 2, line.y + 1, line.width - 2, now},
                    STYLE(COLOR_TEXT, COLOR_NONE, 0), text);
    for (size_t i = 1; i < list->count && now + (int)i < lines.height; i++)
        draw_advice(&list->items[i], canvas, (struct rect){line.x, line.y + now + (int)i, line.width, 1});
}

void panel_head_draw_shape(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    const struct session *session = screen->session;
    const struct kernel_row *kernel = session_kernel(session, screen->panel.kernel);
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
    canvas_sentence(canvas, inside.x, inside.y, inside.width, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}
