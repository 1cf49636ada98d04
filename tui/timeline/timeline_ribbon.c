/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs[0...count - 1] have begun; the waiting ones follow them. items are those that fit around the run
 * shown, by x. The workload is named with the first of its runs, the parameters that differ between runs of a
 * variant with each.
 *
 * Of more runs than the race has lines the newest are shown, and the best, in the place of the oldest of
 * them. Runs without a device time (one that was not run) have no line.
 */
#include "tui/timeline/timeline_ribbon.h"

#include "core/analysis/compare_work.h"
#include "core/analysis/run_times.h"
#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/timeline/view_timeline.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 64     /* that are compared: the newest */
#define LINES_SHARE 8   /* lines of the screen for each of the race */
#define HEIGHT_LEAST 30 /* lines of the screen */
#define RACE_NAME_CELLS 34
#define TIME_CELLS 10
#define RATIO_CELLS 8
#define BAR_LEAST 8

static bool is_bound(const struct screen *screen, const struct run_row *run)
{
    const char *name = session_string(screen->session, run->workload),
               *variant = session_string(screen->session, run->variant);
    for (size_t i = 0; i < screen->host->workload_count; i++) {
        const struct tui_workload *workload = &screen->host->workloads[i];
        for (size_t v = 0; strcmp(workload->name, name) == 0 && v < workload->variant_count; v++)
            if (strcmp(workload->variants[v].name, variant) == 0)
                return workload->variants[v].bound;
    }
    return false;
}

/* The newest runs for the same work as the run shown that have a device time, in their order. */
static size_t collect_runs(struct screen *screen, struct run_cost costs[RUNS_MAX],
                           struct race_line lines[RUNS_MAX])
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    uint32_t alike[RUNS_MAX];
    size_t found = 0, count = 0;
    for (uint32_t i = ribbon->count; i-- > 0 && found < RUNS_MAX;)
        if (compare_runs_alike(screen->session, screen->run, ribbon->runs[i]))
            alike[found++] = ribbon->runs[i];
    while (found-- > 0) {
        uint32_t run = alike[found];
        const struct run_row *row = session_run(screen->session, run);
        run_verdicts_ask(screen, run);
        const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
        struct race_line line = {.run = run,
                                 .device_ns = verdict->known ? verdict->times.ns[RUN_TIME_DEVICE] : 0,
                                 .bound = is_bound(screen, row),
                                 .open =
                                     atomic_load_explicit(&row->end_ns, memory_order_acquire) == INT64_MIN};
        if (line.device_ns <= 0 && !line.open)
            continue;
        costs[count] = (struct run_cost){
            .run = run, .bound = line.bound, .cost = line.open ? 0 : (double)line.device_ns};
        lines[count++] = line;
    }
    return count;
}

void race_collect(struct screen *screen, int most)
{
    struct race *race = &timeline_state(screen)->race;
    struct run_cost costs[RUNS_MAX];
    struct race_line lines[RUNS_MAX];
    race->count = race->wanted = 0;
    race->was_live = race->was_live || screen->state.live;
    if (!race->was_live || screen->height < HEIGHT_LEAST || screen->run == NONE ||
        session_run(screen->session, screen->run)->workload == 0)
        return;
    size_t count = collect_runs(screen, costs, lines), best = 0,
           room = (size_t)(screen->height / LINES_SHARE);
    room = room > RACE_LINES_MAX ? RACE_LINES_MAX : room;
    if (count < 2)
        return;
    race->wanted = (int)(count < room ? count : room);
    if (most < 2)
        return;
    room = room > (size_t)most ? (size_t)most : room;
    for (size_t i = 0; i < count; i++) {
        struct run_best of = run_best_of(screen->session, costs, count, i);
        lines[i].times = of.times;
        if (of.times > 0 && !costs[i].bound)
            best = of.best;
    }
    size_t first = count > room ? count - room : 0;
    for (size_t i = first; i < count; i++)
        race->lines[race->count++] = lines[i == first && best < first ? best : i];
}

/* "naive stride=2" */
static void print_race_name(const struct screen *screen, uint32_t run, char *text, size_t size_bytes)
{
    const struct session *session = screen->session;
    char params[120];
    run_names_print_essential(&timeline_state(screen)->ribbon.names, session, run, RACE_NAME_CELLS, params,
                              sizeof params);
    name_join(session_string(session, session_run(session, run)->variant), params, RACE_NAME_CELLS, text,
              size_bytes);
}

static void draw_line(const struct screen *screen, struct canvas *canvas, struct rect area,
                      const struct race_line *line, int name_cells, int64_t longest_ns)
{
    const struct run_row *run = session_run(screen->session, line->run);
    bool shown = line->run == screen->run;
    struct style text = STYLE(shown ? COLOR_TITLE : COLOR_TEXT, COLOR_NONE, shown ? ATTRIBUTE_BOLD : 0),
                 dim = STYLE(COLOR_DIM, COLOR_NONE, 0), mark = dim;
    enum glyph glyph = screen_run_mark(run, &mark);
    if (screen_run_runs(screen, line->run)) {
        glyph = GLYPH_SELECTED;
        mark = STYLE(COLOR_FOCUS, COLOR_NONE, ATTRIBUTE_BOLD);
    }
    char name[200], number[NUMBER_SIZE + 1] = "", ratio[24] = "";
    int x = area.x, end = area.x + area.width;
    print_race_name(screen, line->run, name, sizeof name);
    canvas_glyph(canvas, x, area.y, glyph, mark);
    canvas_text(canvas, x + 2, area.y, name_cells, text, name);
    x += 2 + name_cells;
    if (line->device_ns > 0)
        snprintf(number, sizeof number, "%s%s", run->clock == CLOCK_MODEL ? "~" : "",
                 number_time(line->device_ns).text);
    field_number(canvas, x, area.y, TIME_CELLS, text, number);
    x += TIME_CELLS + 1;
    if (line->open)
        snprintf(ratio, sizeof ratio, "so far");
    else if (line->bound)
        snprintf(ratio, sizeof ratio, "bound");
    else if (line->times > 0)
        snprintf(ratio, sizeof ratio,
                 line->times < 1.005 ? "best"
                 : line->times < 10  ? "%.2fx"
                                     : "%.1fx",
                 line->times);
    field_words(canvas, x, area.y, RATIO_CELLS, dim, ratio);
    x += RATIO_CELLS + 1;
    double share = longest_ns > 0 ? (double)line->device_ns / (double)longest_ns : 0;
    if (end - x < BAR_LEAST)
        return;
    if (!line->open)
        canvas_bar(canvas, x, area.y, end - x, share,
                   line->bound                              ? COLOR_DIM
                   : line->times > 0 && line->times < 1.005 ? COLOR_GOOD
                                                            : COLOR_CPU);
    int cells = line->device_ns > 0 ? (int)(share * (end - x) + 0.999) : 0;
    for (int i = 0; line->open && i < cells; i++)
        canvas_glyph(canvas, x + i, area.y, GLYPH_RUNNING, STYLE(COLOR_FOCUS, COLOR_NONE, 0));
}

void race_draw(const struct screen *screen, struct canvas *canvas, struct rect area)
{
    const struct race *race = &timeline_state(screen)->race;
    int name_cells = 0;
    int64_t longest_ns = 0;
    for (int i = 0; i < race->count; i++) {
        char name[200];
        print_race_name(screen, race->lines[i].run, name, sizeof name);
        int cells = text_width(name, RACE_NAME_CELLS);
        name_cells = cells > name_cells ? cells : name_cells;
        longest_ns = race->lines[i].device_ns > longest_ns ? race->lines[i].device_ns : longest_ns;
    }
    for (int i = 0; i < race->count; i++)
        draw_line(screen, canvas, (struct rect){area.x, area.y + i, area.width, 1}, &race->lines[i],
                  name_cells, longest_ns);
}

void race_click(struct screen *screen, int line)
{
    const struct race *race = &timeline_state(screen)->race;
    if (line >= 0 && line < race->count)
        ribbon_show_run(screen, race->lines[line].run);
}

#define HEIGHT_ENDED 30 /* lines of the screen from which on it is shown though nothing runs */
#define NAME_CELLS 40   /* of one run */
#define GAP 2           /* cells between two names, and a mark and a blank before each */
#define MARK 2
#define SHARE_CELLS 12 /* " 42 %, 100 s" */
#define HIDDEN_CELLS 6 /* "<123 " */
#define COUNT_CELLS 12 /* " 4 of 10" */

static bool runs_now(const struct screen *screen)
{
    const struct tui_host_state *state = &screen->state;
    return state->live && state->run > 0 && state->planned > 1;
}

bool ribbon_collect(struct screen *screen)
{
    struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    uint32_t runs = session_run_count(screen->session);
    if (runs != ribbon->seen && array_grow(ribbon->runs, ribbon->capacity, runs, 1)) {
        ribbon->seen = runs;
        ribbon->count = 0;
        run_names_begin(&ribbon->names);
        for (uint32_t i = 0; i < runs; i++) {
            const struct run_row *run = session_run(screen->session, i);
            if (run->workload == 0 || !run_is_traced(run))
                continue;
            ribbon->runs[ribbon->count++] = i;
            run_names_add(&ribbon->names, screen->session, i);
        }
    }
    bool live = runs_now(screen);
    ribbon->done = live ? screen->state.run : 0;
    ribbon->waiting =
        live && screen->state.planned > screen->state.run ? screen->state.planned - screen->state.run : 0;
    return ribbon->count + ribbon->waiting > 1 && ribbon->count > 0 &&
           (live || screen->height >= HEIGHT_ENDED);
}

/* The whole name of the item at this place, "workload:variant" first. */
static void print_whole(const struct screen *screen, uint32_t place, char *text, size_t size_bytes)
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    text[0] = '\0';
    if (place < ribbon->count)
        run_name_print(screen->session, ribbon->runs[place], text, size_bytes);
    else if (screen->host->planned)
        screen->host->planned(screen->host->context, ribbon->done + place - ribbon->count + 1, text,
                              size_bytes);
}

/* The name of the item at this place: without its workload, and its variant, if the item before has the same,
 * and it is not the first that is shown. */
static void print_name(const struct screen *screen, uint32_t place, bool first, char name[RIBBON_NAME_BYTES])
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    char whole[200], before[200] = "", params[120] = "", text[340];
    const char *shown = whole;
    print_whole(screen, place, whole, sizeof whole);
    if (!first && place > 0)
        print_whole(screen, place - 1, before, sizeof before);
    if (place < ribbon->count)
        run_names_print_essential(&ribbon->names, screen->session, ribbon->runs[place], NAME_CELLS, params,
                                  sizeof params);
    size_t workload = strcspn(whole, ":");
    if (params[0] != '\0' && strcmp(whole, before) == 0)
        shown = "";
    else if (strcspn(before, ":") == workload && strncmp(whole, before, workload) == 0 &&
             whole[workload] == ':')
        shown = whole + workload + 1;
    snprintf(text, sizeof text, "%s%s%s", shown, shown[0] != '\0' && params[0] != '\0' ? " " : "", params);
    text_cut(text, NAME_CELLS, name, RIBBON_NAME_BYTES);
}

static int width_of(const struct screen *screen, uint32_t place, bool first, char name[RIBBON_NAME_BYTES])
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    print_name(screen, place, first, name);
    bool running = place < ribbon->count && screen_run_runs(screen, ribbon->runs[place]);
    return MARK + text_width(name, NAME_CELLS) + (running ? SHARE_CELLS : 0);
}

/* The place of the run shown; the newest if it is none of these. */
static uint32_t place_shown(const struct screen *screen)
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    for (uint32_t i = 0; i < ribbon->count; i++)
        if (ribbon->runs[i] == screen->run)
            return i;
    return ribbon->count - 1;
}

void ribbon_place(struct screen *screen, int width)
{
    struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    uint32_t total = ribbon->count + ribbon->waiting, left = place_shown(screen), right = left;
    char name[RIBBON_NAME_BYTES];
    int room = width - 2 * HIDDEN_CELLS - COUNT_CELLS - width_of(screen, left, true, name);
    for (bool grown = true; grown && right - left + 1 < RIBBON_SHOWN_MAX;) {
        int after = right + 1 < total ? GAP + width_of(screen, right + 1, false, name) : width;
        grown = after <= room;
        if (grown) {
            room -= after;
            right++;
        }
        /* with its workload's name, which it has if it stays the leftmost */
        int before = left > 0 ? GAP + width_of(screen, left - 1, true, name) : width;
        if (before <= room && right - left + 1 < RIBBON_SHOWN_MAX) {
            room -= before;
            left--;
            grown = true;
        }
    }
    ribbon->before = left;
    ribbon->after = total - right - 1;
    ribbon->shown = 0;
    int x = ribbon->before > 0 ? HIDDEN_CELLS : 0;
    for (uint32_t place = left; place <= right; place++) {
        struct ribbon_item *item = &ribbon->items[ribbon->shown++];
        item->x = x;
        item->run = place < ribbon->count ? ribbon->runs[place] : NONE;
        item->width = width_of(screen, place, place == left, item->name);
        x += item->width + GAP;
    }
}

static void draw_item(const struct screen *screen, struct canvas *canvas, struct rect line,
                      const struct ribbon_item *item)
{
    bool shown = item->run != NONE && item->run == screen->run;
    bool running = item->run != NONE && screen_run_runs(screen, item->run);
    uint8_t ground = shown ? COLOR_SELECTED : COLOR_NONE;
    struct style mark = STYLE(COLOR_DIM, ground, 0);
    enum glyph glyph = GLYPH_SEPARATOR;
    if (item->run != NONE)
        glyph = screen_run_mark(session_run(screen->session, item->run), &mark);
    if (running) {
        glyph = GLYPH_SELECTED;
        mark = STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD);
    }
    mark.background = ground;
    int x = line.x + item->x, end = x + item->width;
    if (shown)
        canvas_fill(canvas, (struct rect){x, line.y, item->width, 1}, ' ', STYLE(COLOR_TEXT, ground, 0));
    canvas_glyph(canvas, x, line.y, glyph, mark);
    uint8_t color = shown ? COLOR_TITLE : item->run == NONE ? COLOR_DIM : COLOR_TEXT;
    x += MARK;
    x +=
        canvas_text(canvas, x, line.y, end - x, STYLE(color, ground, shown ? ATTRIBUTE_BOLD : 0), item->name);
    if (!running)
        return;
    const struct tui_host_state *state = &screen->state;
    char text[40] = "";
    long long seconds = (long long)((screen->clock_ms - screen->run_seen_ms) / 1000);
    if (state->launching)
        snprintf(text, sizeof text, " %u %%, %lld s", progress_percent(&state->launch) % 101,
                 seconds > 9999 ? 9999 : seconds);
    else
        snprintf(text, sizeof text, " %lld s", seconds > 9999 ? 9999 : seconds);
    canvas_text(canvas, x, line.y, end - x, STYLE(COLOR_FOCUS, ground, 0), text);
}

void ribbon_draw(const struct screen *screen, struct canvas *canvas, struct rect line)
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    int end = line.x;
    if (ribbon->before > 0)
        canvas_printf(canvas, line.x, line.y, HIDDEN_CELLS, dim, "<%u", ribbon->before);
    for (int i = 0; i < ribbon->shown; i++) {
        draw_item(screen, canvas, line, &ribbon->items[i]);
        end = line.x + ribbon->items[i].x + ribbon->items[i].width;
    }
    if (ribbon->after > 0)
        end += GAP + canvas_printf(canvas, end + GAP, line.y, HIDDEN_CELLS, dim, "%u>", ribbon->after);
    char text[40];
    if (ribbon->done > 0)
        snprintf(text, sizeof text, "%u of %u", ribbon->done, ribbon->done + ribbon->waiting);
    else
        snprintf(text, sizeof text, "( ) choose");
    int width = text_width(text, COUNT_CELLS);
    if (end + GAP + width <= line.x + line.width)
        canvas_text(canvas, line.x + line.width - width, line.y, width, dim, text);
}

void ribbon_show_run(struct screen *screen, uint32_t run)
{
    uint32_t kernel = screen_kernel_of_run(screen, run);
    const struct view *top = screen_top(screen);
    screen->follows_runs = false;
    if (top && top->show[ITEM_RUN])
        top->show[ITEM_RUN](screen, run);
    else if (kernel != NONE)
        screen_show_kernel(screen, kernel);
    else
        screen->views[VIEW_RUNS]->show[ITEM_RUN](screen, run);
}

void ribbon_step(struct screen *screen, int by)
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    uint32_t at = ribbon->count > 0 ? place_shown(screen) : 0;
    if (by < 0 && at > 0)
        ribbon_show_run(screen, ribbon->runs[at - 1]);
    else if (by > 0 && at + 1 < ribbon->count)
        ribbon_show_run(screen, ribbon->runs[at + 1]);
    else
        screen_message(screen, SEVERITY_INFO, "There is no run of a workload %s this one.",
                       by < 0 ? "before" : "after");
}

void ribbon_click(struct screen *screen, int x)
{
    const struct ribbon *ribbon = &timeline_state(screen)->ribbon;
    for (int i = 0; i < ribbon->shown; i++) {
        const struct ribbon_item *item = &ribbon->items[i];
        if (x < item->x || x >= item->x + item->width)
            continue;
        if (item->run != NONE)
            ribbon_show_run(screen, item->run);
        else
            screen_message(screen, SEVERITY_INFO, "%s has not started yet.", item->name);
        return;
    }
}

void ribbon_fini(struct ribbon *ribbon)
{
    free(ribbon->runs);
    run_names_fini(&ribbon->names);
    *ribbon = (struct ribbon){0};
}
