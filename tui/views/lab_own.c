/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host has the file, its text and what the compiler said; here is only where it is shown. Rows of the
 * text: what is said of no line, then each line with what is said of it below.
 */
#include "tui/views/lab_own.h"

#include "core/analysis/kernel_metrics.h"
#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/terminal/text.h"
#include "tui/views/lab.h"
#include "tui/widgets/short_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tui_own own_state(const struct screen *screen)
{
    struct tui_own own = {.workload = "", .exercise = ""};
    if (screen->host->own)
        screen->host->own->state(screen->host->context, &own);
    return own;
}

bool lab_own_is_there(const struct screen *screen)
{
    const struct lab *lab = lab_state(screen);
    const struct tui_own own = own_state(screen);
    return lab->workload && strcmp(own.workload, lab->workload->name) == 0 &&
           strcmp(own.exercise, lab->exercise ? lab->exercise->exercise->name : "") == 0;
}

bool lab_own_is_shown(const struct screen *screen)
{
    return !lab_state(screen)->original && lab_own_is_there(screen);
}

const char *lab_own_label(const struct screen *screen)
{
    return lab_own_is_shown(screen) ? own_state(screen).label : "";
}

const char *lab_own_of_run(const struct session *session, uint32_t run, char *own, size_t size_bytes)
{
    struct run_param label;
    own[0] = '\0';
    if (run_param_find(session_string(session, session_run(session, run)->params), RUN_PARAM_KERNEL, &label))
        snprintf(own, size_bytes, "%.*s", label.value_length, label.value);
    return own;
}

void lab_own_print_option(const struct screen *screen, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    if (!lab_own_is_shown(screen))
        return;
    append_text(text, size_bytes, &used, " --kernel");
    append_shell_word(text, size_bytes, &used, own_state(screen).path);
}

/* ---- runs ---- */

/* The newest finished run with the lab's values, of the user's kernels or of the bundled ones. */
static uint32_t find_run(const struct screen *screen, bool of_user)
{
    const struct session *session = screen->session;
    struct run_param label;
    for (uint32_t i = session_run_count(session); i-- > 0;) {
        const struct run_row *run = session_run(session, i);
        bool of = run_param_find(session_string(session, run->params), RUN_PARAM_KERNEL, &label);
        if (of == of_user && run_is_traced(run) &&
            screen_run_is_of(screen, i, lab_state(screen)->workload->name) &&
            lab_matches(lab_state(screen), session, run) && screen_kernel_of_run(screen, i) != NONE)
            return i;
    }
    return NONE;
}

void lab_own_run(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    struct error error = {0};
    char spec[LAB_SPEC_SIZE];
    if (screen->state.live && screen->host->stop)
        screen->host->stop(screen->host->context); /* of an older version */
    lab_spec(lab, spec, sizeof spec);
    lab->runs_asked = session_run_count(screen->session);
    if (find_run(screen, false) == NONE && !screen_start(screen, spec))
        return;
    if (screen->host->own->run(screen->host->context, spec, &error) != STATUS_OK)
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
}

static bool run_has_kernel(const struct screen *screen, uint32_t run, const char *name)
{
    for (uint32_t i = 0; i < session_kernel_count(screen->session); i++)
        if (session_kernel(screen->session, i)->run == run &&
            strcmp(kernel_full_name(screen->session, i), name) == 0)
            return true;
    return false;
}

/* X then compares the two. */
static void mark_runs(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    uint32_t original = find_run(screen, false), own = find_run(screen, true);
    if (original == NONE || own == NONE || own == lab->own_marked)
        return;
    lab->own_marked = own;
    screen->marked[0] = original;
    screen->marked[1] = own;
}

/* ---- the text ---- */

#define MARGIN 6 /* cells before the text: the line's number, the sign of a change */

/* Tabs are drawn as blanks to the next column that is a multiple of four. */
static void print_line(const char *text, size_t length, char *out, size_t size_bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used + 5 < size_bytes; i++) {
        if (text[i] != '\t')
            out[used++] = text[i];
        else
            do
                out[used++] = ' ';
            while (used % 4 != 0);
    }
    out[used] = '\0';
}

/* A line is wrapped into rows. */
static int line_rows(const char *line, int width)
{
    char shown[400];
    print_line(line, strcspn(line, "\n"), shown, sizeof shown);
    int rows = canvas_wrapped_lines(shown, width - MARGIN);
    return rows > 0 ? rows : 1;
}

/* Rows of what the compiler says: a caret below its line, and the whole of the text. */
static int said_rows(const struct tui_own_line *said, int width)
{
    return (said->column > 0) + canvas_wrapped_lines(said->text, width - MARGIN);
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* The rows before a line, by its number from 1, with what is said of the lines before it. */
static int rows_before(const struct tui_own *own, uint32_t line, int width)
{
    const char *text = own->text;
    int rows = 0;
    for (uint32_t number = 1; number < line && number <= own->line_count; number++, text = next_line(text))
        rows += line_rows(text, width);
    for (uint32_t i = 0; i < own->said_count; i++)
        rows += own->said[i].line < line ? said_rows(&own->said[i], width) : 0;
    return rows;
}

/* The first line of the text behind the comment at its head, from 1. */
static uint32_t line_after_head(const struct tui_own *own)
{
    const char *text = own->text;
    bool within = false;
    for (uint32_t number = 1; number <= own->line_count; number++, text = next_line(text)) {
        const char *first = text + strspn(text, " \t"), *end = text + strcspn(text, "\n");
        within = within || strncmp(first, "/*", 2) == 0;
        if (!within && strncmp(first, "//", 2) != 0 && first != end)
            return number;
        for (const char *at = first; within && at + 1 < end; at++)
            within = strncmp(at, "*/", 2) != 0;
    }
    return 1;
}

/* The first error, else the first line that was changed, else where the code begins: the list is to begin
 * with it
 * (*first). */
static int row_to_see(const struct tui_own *own, int width, bool *first)
{
    *first = false;
    for (uint32_t i = 0; i < own->said_count; i++)
        if (!own->said[i].warning)
            return own->said[i].line == 0 ? 0 : rows_before(own, own->said[i].line, width);
    for (uint32_t i = 0; i < own->line_count; i++)
        if (own->changed[i])
            return rows_before(own, i + 1, width);
    *first = true;
    return rows_before(own, line_after_head(own), width);
}

/* After the newest run of an exercise's kernel; "": none. */
static const char *hint_of(const struct screen *screen)
{
    uint32_t run = lab_state(screen)->exercise ? find_run(screen, true) : NONE;
    return run != NONE ? screen->host->own->hint(screen->host->context, run) : "";
}

#define GOAL_WIDTH 38 /* cells of a goal beside another */

static int goal_columns(int width)
{
    return width >= 2 * GOAL_WIDTH ? 2 : 1;
}

/* Lines below the text for the hint and the goals of an exercise. */
static int goal_lines(const struct screen *screen, struct rect inside)
{
    const struct tui_workload *exercise = lab_state(screen)->exercise;
    int columns = goal_columns(inside.width);
    int goals = exercise ? ((int)exercise->exercise->goal_count + columns - 1) / columns : 0;
    const char *hint = hint_of(screen);
    int hints = *hint != '\0' ? canvas_wrapped_lines(hint, inside.width) : 0;
    return inside.height >= 2 * (goals + hints) ? goals + hints : inside.height >= 2 * goals ? goals : 0;
}

/* ---- a change that no run has ---- */

/* The name before the first parenthesis of a kernel's head, from behind __global__. False: there is none. */
static bool kernel_name(const char *head, char *name, size_t size_bytes)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    while (*head != '\0' && *head != '{' && *head != ';') {
        size_t length = strspn(head, letters), blanks = strspn(head + length, " \n");
        if (length == 0) {
            head++;
        } else if (head[length + blanks] != '(') {
            head += length;
        } else if (strncmp(head, "__launch_bounds__", length) == 0) {
            head += length + strcspn(head + length, ")");
        } else {
            snprintf(name, size_bytes, "%.*s", (int)length, head);
            return true;
        }
    }
    return false;
}

/* The kernel that a changed line is in, the first that did not run: its number; 0: every change in a kernel
 * ran, or none is in a kernel. Changes elsewhere may be of any kernel. */
static uint32_t find_unrun(const struct screen *screen, const struct tui_own *own, uint32_t run, char *name,
                           size_t size_bytes)
{
    const char *text = own->text;
    uint32_t unrun = 0;
    char within[80] = "", first[80] = "";
    int depth = 0;
    for (uint32_t line = 1; line <= own->line_count; line++, text = next_line(text)) {
        const char *end = text + strcspn(text, "\n"), *head = strstr(text, "__global__");
        bool begins = head && head < end && kernel_name(head + strlen("__global__"), within, sizeof within);
        bool opened = depth > 0;
        if (begins)
            depth = 0;
        for (const char *at = text; at < end && strncmp(at, "//", 2) != 0; at++)
            depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        if (own->changed[line - 1] && within[0] != '\0') {
            if (run_has_kernel(screen, run, within))
                return 0;
            if (unrun == 0)
                snprintf(first, sizeof first, "%s", within);
            unrun = unrun == 0 ? line : unrun;
        }
        if (depth <= 0 && opened && !begins)
            within[0] = '\0';
    }
    snprintf(name, size_bytes, "%s", first);
    return unrun;
}

/* A variant whose stated accesses are of the kernel; NULL: none is known. */
static const char *variant_of_kernel(const struct screen *screen, const char *name)
{
    const struct tui_workload *workload = lab_state(screen)->workload;
    const char *found = NULL;
    for (size_t i = 0; i < workload->variant_count && !found && screen->host->accesses; i++) {
        char spec[LAB_SPEC_SIZE];
        struct tui_accesses got = {0};
        struct error error = {0};
        const struct tui_access_query query = {.spec = spec, .rules = screen_arch(screen), .stated = true};
        snprintf(spec, sizeof spec, "%s:%s", workload->name, workload->variants[i].name);
        if (screen->host->accesses(screen->host->context, &query, &got, &error) != STATUS_OK)
            continue;
        for (uint32_t k = 0; k < got.count && !found; k++)
            found = strcmp(got.items[k].kernel, name) == 0 ? workload->variants[i].name : NULL;
        free(got.items);
    }
    return found;
}

/* Says, once for each version, that its changes are in a kernel that the chosen variant does not run: the run
 * then shows no difference. */
static void say_unrun(struct screen *screen)
{
    struct lab *lab = lab_state(screen);
    const struct tui_own own = own_state(screen);
    uint32_t run = find_run(screen, true);
    char name[80], label[200];
    if (run == NONE || own.made == lab->own_judged || *own.label == '\0' || lab->exercise ||
        lab->variant == LAB_ALL_VARIANTS ||
        strcmp(lab_own_of_run(screen->session, run, label, sizeof label), own.label) != 0)
        return;
    lab->own_judged = own.made;
    uint32_t line = find_unrun(screen, &own, run, name, sizeof name);
    if (line == 0)
        return;
    const char *runs = variant_of_kernel(screen, name);
    if (runs)
        screen_message(screen, SEVERITY_WARNING,
                       "Line %u is in %s: choose variant %s (h, l) to run it, not %s.", line, name, runs,
                       lab->workload->variants[lab->variant].name);
    else
        screen_message(screen, SEVERITY_WARNING, "Line %u is in %s, which variant %s does not run.", line,
                       name, lab->workload->variants[lab->variant].name);
}

void lab_own_update(struct screen *screen, struct rect inside)
{
    struct lab *lab = lab_state(screen);
    if (!lab_own_is_there(screen))
        return;
    if (screen->host->own->saved(screen->host->context)) {
        lab->original = false;
        lab_own_run(screen);
    }
    mark_runs(screen);
    struct tui_own own = own_state(screen);
    int rows = rows_before(&own, UINT32_MAX, inside.width);
    inside.height -= goal_lines(screen, inside);
    list_update(&lab->own, rows, inside.height);
    if (own.made != lab->own_made) {
        bool first;
        int row = row_to_see(&own, inside.width, &first), above = first ? 0 : inside.height / 2;
        lab->own_made = own.made;
        list_select(&lab->own, row);
        lab->own.top = row > above ? row - above : 0;
        list_update(&lab->own, rows, inside.height);
        if (*own.refused != '\0')
            screen_message(screen, SEVERITY_ERROR, "%s", own.refused);
        else
            screen->message[0] = '\0';
    }
    say_unrun(screen);
}

/* Draws what the compiler says of a line, without the first `skip` rows. source: the line. */
static void draw_said(struct canvas *canvas, struct rect area, const struct tui_own_line *said, int skip,
                      const char *source)
{
    struct style style = STYLE(said->warning ? COLOR_WARN : COLOR_BAD, COLOR_NONE, ATTRIBUTE_BOLD);
    const int carets = said->column > 0;
    char before[400];
    if (carets && skip == 0) {
        size_t length = strcspn(source, "\n");
        print_line(source, said->column <= length ? said->column - 1 : length, before, sizeof before);
        const int cell = MARGIN + text_width(before, (int)sizeof before);
        if (cell < area.width)
            canvas_put(canvas, area.x + cell, area.y, '^', style);
        area.y++;
        area.height--;
    }
    if (skip <= carets && area.height > 0)
        canvas_glyph(canvas, area.x + 4, area.y, GLYPH_WARNING, style);
    area.x += MARGIN;
    area.width -= MARGIN;
    canvas_wrap_from(canvas, area, style, said->text, skip > carets ? skip - carets : 0);
}

/* Draws the rows of a line without the first `skip`; the one chosen, if it is one of them, is `chosen`. */
static void draw_line(struct canvas *canvas, struct rect area, const struct tui_own *own, uint32_t number,
                      const char *text, int skip, int chosen)
{
    bool changed = own->changed[number - 1];
    char shown[400];
    struct rect words = {area.x + MARGIN, area.y, area.width - MARGIN, area.height};
    print_line(text, strcspn(text, "\n"), shown, sizeof shown);
    if (skip == 0) {
        canvas_printf(canvas, area.x, area.y, 4, STYLE(COLOR_DIM, COLOR_NONE, 0), "%4u", number);
        canvas_text(canvas, area.x + 4, area.y, 1, STYLE(COLOR_GOOD, COLOR_NONE, ATTRIBUTE_BOLD),
                    changed ? "+" : "");
    }
    canvas_wrap_from(canvas, words, STYLE(changed ? COLOR_TITLE : COLOR_TEXT, COLOR_NONE, 0), shown, skip);
    if (chosen >= skip && chosen - skip < area.height)
        canvas_ground(canvas, (struct rect){area.x, area.y + chosen - skip, area.width, 1}, COLOR_SELECTED);
}

static void draw_text(const struct screen *screen, struct canvas *canvas, struct rect inside,
                      const struct tui_own *own, bool focus)
{
    const struct list *list = &lab_state(screen)->own;
    const char *text = own->text, *source = text;
    int row = 0;
    for (uint32_t number = 0; number <= own->line_count && row < list->top + inside.height; number++) {
        if (number > 0) {
            int rows = line_rows(text, inside.width), skip = list->top > row ? list->top - row : 0;
            struct rect area = {inside.x, inside.y + row + skip - list->top, inside.width, rows - skip};
            if (area.height > inside.y + inside.height - area.y)
                area.height = inside.y + inside.height - area.y;
            if (area.height > 0)
                draw_line(canvas, area, own, number, text, skip, focus ? list->selected - row : -1);
            row += rows;
            source = text;
            text = next_line(text);
        }
        for (uint32_t i = 0; i < own->said_count; i++) {
            if (own->said[i].line != number)
                continue;
            int rows = said_rows(&own->said[i], inside.width), skip = list->top > row ? list->top - row : 0;
            struct rect area = {inside.x, inside.y + row + skip - list->top, inside.width, rows - skip};
            if (area.height > inside.y + inside.height - area.y)
                area.height = inside.y + inside.height - area.y;
            if (area.height > 0)
                draw_said(canvas, area, &own->said[i], skip, source);
            row += rows;
        }
    }
}

/* ---- an exercise's goals ---- */

/* Of the newest run of the user's file. */
static struct value goal_value(const struct screen *screen, uint32_t run, size_t goal)
{
    const int metric = lab_state(screen)->exercise->exercise->goals[goal].metric;
    const uint32_t kernel = run != NONE ? screen_kernel_of_run(screen, run) : NONE;
    struct value value = {.available = false};
    if (metric >= METRIC_COUNT && run != NONE) {
        value.number = screen->host->own->share(screen->host->context, run, goal);
        value.available = !isnan(value.number);
    }
    if (metric >= METRIC_COUNT || kernel == NONE)
        return value;
    value = kernel_statistic(screen->session, kernel, (enum metric)metric, PROVENANCE_MODELLED).value;
    return value.available
               ? value
               : kernel_statistic(screen->session, kernel, (enum metric)metric, PROVENANCE_MEASURED).value;
}

static void print_figure(int metric, const struct value *value, char *text, size_t size_bytes)
{
    if (metric < METRIC_COUNT)
        metric_format((enum metric)metric, value, text, size_bytes);
    else
        snprintf(text, size_bytes, "%.1f %%", value->number);
}

/* "load sectors 16,384, at most 2,048", or where that does not fit "ld sectors 16,384 (<= 2,048)". */
static void draw_goal(struct canvas *canvas, struct rect line, const struct tui_goal *goal,
                      const struct value *value)
{
    const struct value wanted = {.available = true, .number = goal->limit};
    char limit[40], number[40] = "not run yet", text[300];
    print_figure(goal->metric, &wanted, limit, sizeof limit);
    bool reached =
        value->available && (goal->at_least ? value->number >= goal->limit : value->number <= goal->limit);
    if (value->available) {
        print_figure(goal->metric, value, number, sizeof number);
        canvas_glyph(canvas, line.x, line.y, reached ? GLYPH_VERIFIED : GLYPH_FAILED,
                     STYLE(reached ? COLOR_GOOD : COLOR_BAD, COLOR_NONE, ATTRIBUTE_BOLD));
    }
    snprintf(text, sizeof text, "%s %s, %s %s", goal->title, number, goal->at_least ? "at least" : "at most",
             limit);
    if (text_width(text, line.width) > line.width - 2)
        snprintf(text, sizeof text, "%s %s (%s%s)",
                 goal->metric < METRIC_COUNT ? metric_info((enum metric)goal->metric)->brief : goal->title,
                 value->available ? number : "?",
                 goal->at_least    ? ">= "
                 : goal->limit > 0 ? "<= "
                                   : "",
                 limit);
    canvas_text(canvas, line.x + 2, line.y, line.width - 2, STYLE(COLOR_TITLE, COLOR_NONE, 0), text);
}

static void draw_goals(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct tui_workload *exercise = lab_state(screen)->exercise;
    uint32_t run = find_run(screen, true);
    int goals = (int)exercise->exercise->goal_count, columns = goal_columns(area.width);
    int width = area.width / columns, lines = (goals + columns - 1) / columns;
    for (int i = 0; i < goals; i++) {
        struct value value = goal_value(screen, run, (size_t)i);
        draw_goal(canvas, (struct rect){area.x + i % columns * width, area.y + i / columns, width - 1, 1},
                  &exercise->exercise->goals[i], &value);
    }
    canvas_wrap(canvas, (struct rect){area.x, area.y + lines, area.width, area.height - lines},
                STYLE(COLOR_FOCUS, COLOR_NONE, 0), hint_of(screen));
}

void lab_own_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    struct tui_own own = own_state(screen);
    const char *slash = strrchr(own.path, '/');
    char title[300], made[60] = "";
    if (own.compiling)
        snprintf(made, sizeof made, ", compiling");
    else if (*own.refused != '\0')
        snprintf(made, sizeof made, ", refused");
    else if (own.made > 0)
        snprintf(made, sizeof made, ", in %.1f s", own.compile_s);
    snprintf(title, sizeof title, "Yours  %s: %u %s changed%s", slash ? slash + 1 : own.path,
             own.changed_count, own.changed_count == 1 ? "line" : "lines", made);
    struct rect inside = view_frame(canvas, area, title, focus), goals = inside;
    goals.height = goal_lines(screen, inside);
    inside.height -= goals.height;
    goals.y = inside.y + inside.height;
    draw_text(screen, canvas, inside, &own, focus);
    if (goals.height > 0)
        draw_goals(screen, canvas, goals);
}

/* ---- opening ---- */

void lab_own_edit(struct screen *screen)
{
    const char *name =
        lab_has_keys(screen) ? lab_state(screen)->workload->name : screen_workload_looked_at(screen);
    const struct tui_workload *workload = *name != '\0' ? lab_find_workload(screen, name) : NULL;
    struct error error = {0};
    if (!screen->host->own) {
        screen_message(screen, SEVERITY_INFO,
                       "Nothing can be run here, so no kernel can be edited: this is "
                       "a recording, or a program's session.");
        return;
    }
    if (!workload) {
        screen_message(screen, SEVERITY_INFO,
                       "E edits the kernels of a bundled workload: select one, or a run of one.");
        return;
    }
    if (!lab_has_keys(screen))
        lab_open(screen, (size_t)(workload - screen->host->workloads));
    const struct lab *lab = lab_state(screen);
    if (screen->host->own->open(screen->host->context, lab->workload->name,
                                lab->exercise ? lab->exercise->exercise->name : NULL, &error) != STATUS_OK) {
        screen_message(screen, SEVERITY_ERROR, "%s", error.text);
        return;
    }
    lab_state(screen)->original = false;
    screen->edits = true;
}
