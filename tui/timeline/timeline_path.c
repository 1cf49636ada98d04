/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path on the rows of the timeline. A line through the cells marks it, and a letter for each column says
 * what it is spent in, in the place of the overview. It is asked for again when the time shown changes; until the answer
 * is there the old line is not drawn, since it is of other columns.
 */
#include "core/base/clock.h"
#include "tui/timeline/view_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_NS (2 * NS_PER_MS) /* between two looks whether the answer is there */
#define FULL_BLOCK 0x2588u

static const char *refusal_of(const struct screen *screen)
{
    const struct run_row *run = screen->run == NONE ? NULL : session_run(screen->session, screen->run);
    if (!screen->host->what_if || !run)
        return "No run is shown whose critical path could be found.";
    if (screen->state.loading)
        return "The critical path is found when the recording is loaded.";
    if (!run_is_traced(run))
        return "This run counted, launch by launch: its times are not those of the program.";
    if (screen_run_runs(screen, screen->run))
        return "The critical path of the run is found when it has ended.";
    return NULL;
}

static int columns_of(const struct timeline *timeline)
{
    return timeline->columns < REPLAY_LINE_COLUMNS ? timeline->columns : REPLAY_LINE_COLUMNS;
}

/* Is the line of what is on the screen? */
static bool is_current(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct timeline_path *path = &timeline->path;
    return path->known && path->run == screen->run && path->line.columns == (uint32_t)columns_of(timeline) &&
           path->line.start_ns == timeline->window.start_ns && path->line.end_ns == timeline->window.end_ns;
}

static void forget_answer(struct screen *screen)
{
    struct timeline_path *path = &timeline_state(screen)->path;
    if (path->pending && screen->host->stop_path)
        screen->host->stop_path(screen->host->context);
    path->pending = path->known = false;
    path->why[0] = '\0';
}

void timeline_path_switch(struct screen *screen)
{
    struct timeline_path *path = &timeline_state(screen)->path;
    const char *refusal = refusal_of(screen);
    if (!path->shown && refusal) {
        screen_message(screen, SEVERITY_INFO, "%s", refusal);
        return;
    }
    forget_answer(screen);
    path->shown = !path->shown;
    if (!path->shown && screen->host->stop_path)
        screen->host->stop_path(screen->host->context);
}

bool timeline_path_ask(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    struct timeline_path *path = &timeline->path;
    struct error error = {0};
    bool made = false;
    if (!path->shown)
        return false;
    if (path->run != screen->run || refusal_of(screen))
        forget_answer(screen);
    path->run = screen->run;
    if (refusal_of(screen) || path->why[0] || (!path->pending && is_current(screen)) || timeline->columns < 1)
        return false;
    if (!path->pending)
        path->question = (struct tui_what_if_question){.kind = TUI_WHAT_IF_PATH,
                                                       .run = screen->run,
                                                       .start_ns = timeline->window.start_ns,
                                                       .end_ns = timeline->window.end_ns,
                                                       .columns = (uint32_t)columns_of(timeline)};
    else
        clock_pause(WORK_NS);
    struct tui_what_if_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return false;
    enum status status = screen->host->what_if(screen->host->context, &path->question, answer, &made, &error);
    path->pending = status == STATUS_OK && !made;
    if (status != STATUS_OK)
        snprintf(path->why, sizeof path->why, "%.*s", (int)sizeof path->why - 1, error.text);
    path->known = status == STATUS_OK && (made || path->known);
    if (status == STATUS_OK && made)
        path->line = answer->line;
    free(answer);
    return true;
}

static enum color part_color(enum replay_part part)
{
    switch (part) {
    case REPLAY_PART_KERNEL: return COLOR_KERNEL;
    case REPLAY_PART_COPY: return COLOR_COPY_IN;
    case REPLAY_PART_SET: return COLOR_COPY_ON;
    default: return COLOR_TEXT;
    }
}

/* A letter stays, and is underlined. */
static void mark_cell(struct canvas *canvas, int x, int y)
{
    const struct cell *cell = canvas_cell(canvas, x, y);
    if (cell->codepoint == FULL_BLOCK)
        canvas_glyph(canvas, x, y, GLYPH_PATH, STYLE(COLOR_INK, cell->style.foreground, ATTRIBUTE_BOLD));
    else if (cell->codepoint == ' ' && cell->style.background == COLOR_NONE)
        canvas_glyph(canvas, x, y, GLYPH_PATH, STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD));
    else if (cell->codepoint == ' ')
        canvas_glyph(canvas, x, y, GLYPH_PATH, STYLE(COLOR_INK, cell->style.background, ATTRIBUTE_BOLD));
    else
        canvas_add_attribute(canvas, x, y, ATTRIBUTE_UNDERLINE | ATTRIBUTE_BOLD);
}

static void draw_parts(const struct timeline_path *path, struct canvas *canvas, int x, int y)
{
    for (uint32_t k = 0; k < path->line.columns; k++)
        if (path->line.parts[k] < REPLAY_PARTS)
            canvas_put(canvas, x + (int)k, y,
                       (unsigned char)replay_part_letter((enum replay_part)path->line.parts[k]),
                       STYLE(part_color((enum replay_part)path->line.parts[k]), COLOR_NONE, ATTRIBUTE_BOLD));
}

void timeline_path_draw(const struct screen *screen, struct canvas *canvas, int x, int rows, int line)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct timeline_path *path = &timeline->path;
    const char *refusal = refusal_of(screen);
    bool current = is_current(screen);
    if (!path->shown)
        return;
    if (line >= 0) {
        canvas_text(canvas, x - timeline->label_width + 1, line, timeline->label_width - 2,
                    STYLE(COLOR_TITLE, COLOR_NONE, 0), "critical path");
        if (current)
            draw_parts(path, canvas, x, line);
        else
            canvas_text(canvas, x, line, timeline->columns, STYLE(COLOR_DIM, COLOR_NONE, 0),
                        refusal        ? refusal
                        : path->why[0] ? path->why
                                       : "The run is replayed...");
    }
    for (int r = 0; current && r < timeline->cell_rows; r++) {
        const struct timeline_row *row = &timeline->rows[timeline_row_of_line(screen, r)];
        for (uint32_t k = 0; row->track != NONE && k < path->line.columns; k++)
            if (replay_line_on(&path->line, row->track, k))
                mark_cell(canvas, x + (int)k, rows + r);
    }
}
