/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stretch as it was measured and, under it, as it is predicted, on one axis. A line through the cells is the
 * critical path; above each timeline a letter a column says what the path is spent in.
 */
#include "tui/views/what_if.h"

#include "tui/terminal/text.h"
#include "tui/timeline/timeline.h"
#include "tui/widgets/axis.h"

#include <stdio.h>
#include <string.h>

static enum color part_color(enum replay_part part)
{
    switch (part) {
    case REPLAY_PART_KERNEL: return COLOR_KERNEL;
    case REPLAY_PART_COPY: return COLOR_COPY_IN;
    case REPLAY_PART_SET: return COLOR_COPY_ON;
    default: return COLOR_TEXT;
    }
}

int what_if_picture_lines(int rows)
{
    return 1 + 2 * (1 + rows) + 2; /* the axis, both timelines under their paths, the classes of both */
}

/* ---- cells ---- */

static char cell_mark(const struct screen *screen, const struct replay_cell *cell, enum color *color)
{
    uint16_t name;
    *color = COLOR_COPY_ON;
    switch ((enum replay_look)cell->look) {
    case REPLAY_LOOK_KERNEL:
        name = naming_of_kernel(&screen->naming, screen->session, cell->of);
        *color = naming_color(name);
        return naming_letter(name);
    case REPLAY_LOOK_IN: *color = COLOR_COPY_IN; return '>';
    case REPLAY_LOOK_OUT: *color = COLOR_COPY_OUT; return '<';
    case REPLAY_LOOK_COPY: return '=';
    case REPLAY_LOOK_SET: return '0';
    case REPLAY_LOOK_CALL: *color = COLOR_CPU; return call_category_mark((uint8_t)cell->of);
    default: return ' ';
    }
}

static bool same_thing(const struct replay_cell *a, const struct replay_cell *b)
{
    return a->look == b->look && a->of == b->of && b->eighths == 8;
}

/* A letter where something begins, then its colour; where it takes a part of the column only, as high as that part. */
static void draw_cell(const struct screen *screen, struct canvas *canvas, int x, int y,
                      const struct replay_cell *cell, const struct replay_cell *before)
{
    enum color color;
    char mark = cell_mark(screen, cell, &color);
    bool begins = !before || !same_thing(cell, before);
    if (cell->eighths == 0) {
        if (cell->path)
            canvas_glyph(canvas, x, y, GLYPH_PATH, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
        return;
    }
    if (cell->eighths < 8) {
        canvas_put(canvas, x, y, glyph_lower_eighths(cell->eighths, canvas->ascii),
                   STYLE(color, COLOR_NONE, 0));
        if (cell->path || cell->eighths >= 4)
            canvas_put(canvas, x, y, (unsigned char)mark,
                       STYLE(color, COLOR_NONE, cell->path ? ATTRIBUTE_BOLD | ATTRIBUTE_UNDERLINE : 0));
        return;
    }
    struct style ink = STYLE(COLOR_INK, color, cell->path ? ATTRIBUTE_BOLD : 0);
    if (begins || (canvas->ascii && !cell->path))
        canvas_put(canvas, x, y, (unsigned char)mark, ink);
    else if (cell->path)
        canvas_glyph(canvas, x, y, GLYPH_PATH, ink);
    else
        canvas_glyph(canvas, x, y, GLYPH_FULL, STYLE(color, COLOR_NONE, 0));
}

/* The columns up to the end of the stretch. */
static int end_column(const struct replay_picture *picture, const struct replay_drawing *drawing)
{
    int columns = (int)picture->stretch.columns;
    double span_ns = picture->span_ns > 0 ? (double)picture->span_ns : 1;
    int end = (int)((double)drawing->length_ns / span_ns * columns) + 1;
    return end < columns ? end : columns;
}

static void draw_parts(struct canvas *canvas, int x, int y, const struct replay_picture *picture,
                       const struct replay_drawing *drawing, double scale)
{
    int columns = (int)picture->stretch.columns;
    for (int i = 0; i < columns; i++)
        if (drawing->parts[i] < REPLAY_PARTS)
            canvas_put(canvas, x + i, y,
                       (unsigned char)replay_part_letter((enum replay_part)drawing->parts[i]),
                       STYLE(part_color(drawing->parts[i]), COLOR_NONE, ATTRIBUTE_BOLD));
    int end =
        (int)((double)drawing->length_ns / (double)(picture->span_ns > 0 ? picture->span_ns : 1) * columns) +
        1;
    struct number length = number_time((int64_t)((double)drawing->length_ns * scale));
    if (end + text_width(length.text, NUMBER_SIZE) + 2 <= columns) {
        for (int i = end; i < columns; i++)
            canvas_put(canvas, x + i, y, ' ', STYLE(COLOR_TEXT, COLOR_NONE, 0));
        canvas_printf(canvas, x + end, y, columns - end, STYLE(COLOR_TEXT, COLOR_NONE, 0), " %s",
                      length.text);
    }
}

/* Where rows are left out, the second thread is: streams say more. */
static bool is_thread(const struct screen *screen, uint32_t track)
{
    return track != NONE && session_track(screen->session, track)->kind == TRACK_CALLS;
}

static void draw_timeline(const struct screen *screen, struct canvas *canvas, struct rect area,
                          const struct replay_picture *picture, const struct replay_drawing *drawing,
                          const char *title)
{
    int rows = area.height - 1, x = area.x + WHAT_IF_LABEL, end = end_column(picture, drawing);
    canvas_printf(canvas, area.x + 1, area.y, WHAT_IF_LABEL - 2,
                  STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD), "%s", title);
    /* A prediction is stated by measured time, as in the list. */
    const struct replay_facts *facts = &what_if_state(screen)->row.result.facts;
    bool predicted = drawing == &picture->edited && facts->replayed_ns > 0;
    draw_parts(canvas, x, area.y, picture, drawing,
               predicted ? (double)facts->measured_ns / (double)facts->replayed_ns : 1);
    for (int line = 0; line < rows; line++) {
        int row = line + (line > 0 && rows < (int)picture->rows && is_thread(screen, picture->tracks[1]));
        char name[80] = "other";
        int y = area.y + 1 + line;
        if (picture->tracks[row] != NONE)
            timeline_track_name(screen, picture->tracks[row], false, name, sizeof name);
        canvas_text(canvas, area.x + 1, y, WHAT_IF_LABEL - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0), name);
        for (int i = 0; i < end; i++)
            draw_cell(screen, canvas, x + i, y, &drawing->cells[row][i],
                      i > 0 ? &drawing->cells[row][i - 1] : NULL);
    }
}

/* ---- words ---- */

static void draw_axis(struct canvas *canvas, int x, int y, const struct replay_picture *picture)
{
    int columns = (int)picture->stretch.columns;
    const struct window window = {0, picture->span_ns > AXIS_SPAN_MIN ? picture->span_ns : AXIS_SPAN_MIN};
    int64_t step = axis_step(window, columns, 12);
    for (int64_t at = 0; at < window.end_ns; at += step) {
        int k = axis_column(window, columns, at);
        struct number number = number_tick(at, step);
        canvas_glyph(canvas, x + k, y, GLYPH_TICK, STYLE(COLOR_FRAME, COLOR_NONE, 0));
        if (text_width(number.text, NUMBER_SIZE) <= columns - k - 2)
            canvas_text(canvas, x + k + 1, y, columns - k - 2, STYLE(COLOR_TEXT, COLOR_NONE, 0), number.text);
    }
}

/* "path: K kernels 61.0 %, c calls 20.1 %", the largest first. */
static void draw_classes(struct canvas *canvas, struct rect area, int y, const struct replay_drawing *drawing,
                         const char *title)
{
    bool done[REPLAY_PARTS] = {false};
    char text[400];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", title);
    for (int n = 0; n < REPLAY_PARTS; n++) {
        int best = -1;
        for (int part = 0; part < REPLAY_PARTS; part++)
            if (!done[part] && drawing->ns[part] > 0 && (best < 0 || drawing->ns[part] > drawing->ns[best]))
                best = part;
        if (best < 0 || used >= sizeof text - 80)
            break;
        done[best] = true;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s %c %s %s %%", n > 0 ? "," : "",
            replay_part_letter((enum replay_part)best), replay_part_text((enum replay_part)best),
            number_percent(100 * (double)drawing->ns[best] / (double)drawing->path_ns, 1).text);
    }
    canvas_text(canvas, area.x + 1, y, area.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

static void draw_heading(const struct screen *screen, struct canvas *canvas, struct rect area,
                         const struct replay_picture *picture, int rows)
{
    const struct what_if_view *view = what_if_state(screen);
    uint64_t all = view->row.result.facts.piece, step = what_if_step(view);
    uint64_t count = picture->stretch.end - picture->stretch.first;
    uint32_t hidden = picture->rows - (uint32_t)rows + picture->left_out;
    char text[80];
    if (count == all)
        snprintf(text, sizeof text, "all of it");
    else if (view->row.steps > 0 && count % step == 0)
        snprintf(text, sizeof text, "%llu step%s of %llu", (unsigned long long)(count / step),
                 count == step ? "" : "s", (unsigned long long)view->row.steps);
    else
        snprintf(text, sizeof text, "%llu of %s op.", (unsigned long long)count, number_short(all).text);
    if (hidden > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), " -%u row%s", hidden,
                 hidden == 1 ? "" : "s");
    canvas_text(canvas, area.x + 1, area.y, WHAT_IF_LABEL - 2, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
}

void what_if_picture_draw(const struct screen *screen, struct canvas *canvas, struct rect area, int rows)
{
    const struct what_if_view *view = what_if_state(screen);
    const struct replay_picture *picture = what_if_drawn(view);
    if (!picture) {
        canvas_text(canvas, area.x + 1, area.y, area.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    "Replaying...");
        return;
    }
    bool claims = view->row.result.facts.why[0] == '\0';
    const char *before =
        session_run(screen->session, view->run)->clock == CLOCK_MODEL ? "modelled" : "measured";
    char title[60];
    rows = rows < (int)picture->rows ? rows : (int)picture->rows;
    struct rect line = {area.x, area.y + 1, area.width, 1 + rows};
    draw_heading(screen, canvas, area, picture, rows);
    draw_axis(canvas, area.x + WHAT_IF_LABEL, area.y, picture);
    draw_timeline(screen, canvas, line, picture, &picture->measured, before);
    if (claims) {
        line.y += line.height;
        draw_timeline(screen, canvas, line, picture, &picture->edited, "predicted");
    }
    line.y += line.height;
    snprintf(title, sizeof title, "critical path, %s:", before);
    draw_classes(canvas, area, line.y, &picture->measured, title);
    if (claims)
        draw_classes(canvas, area, line.y + 1, &picture->edited, "predicted:");
}
