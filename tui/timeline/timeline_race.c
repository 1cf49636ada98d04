/*
 * Of more runs than lines the newest are shown, and the best, in the place of the oldest of them. Runs
 * without a device time (one that was not run) have no line.
 */
#include "tui/timeline/timeline_race.h"

#include "core/analysis/compare_work.h"
#include "core/analysis/run_times.h"
#include "tui/frame/screen.h"
#include "tui/terminal/text.h"
#include "tui/timeline/view_timeline.h"
#include "tui/widgets/field.h"
#include "tui/widgets/number.h"

#include <stdio.h>
#include <string.h>

#define RUNS_MAX 64     /* that are compared: the newest */
#define LINES_SHARE 8   /* lines of the screen for each of the race */
#define HEIGHT_LEAST 30 /* lines of the screen */
#define NAME_CELLS 34
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
static void print_name(const struct screen *screen, uint32_t run, char *text, size_t size_bytes)
{
    const struct session *session = screen->session;
    char params[120];
    run_names_print_essential(&timeline_state(screen)->ribbon.names, session, run, NAME_CELLS, params,
                              sizeof params);
    name_join(session_string(session, session_run(session, run)->variant), params, NAME_CELLS, text,
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
    print_name(screen, line->run, name, sizeof name);
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
        print_name(screen, race->lines[i].run, name, sizeof name);
        int cells = text_width(name, NAME_CELLS);
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
