/*
 * The runs of a session: every variant of every workload, or every process of a program, in each of its
 * modes, with its device time, and beside it the span of the run, including set-up. ENTER shows timeline and
 * kernels, limited to the selected run and the run of the same work in the other mode; the first line removes
 * this limit.
 */
#include "tui/views/view_runs.h"
#include "core/base/array.h"
#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/views/compare.h"
#include "tui/views/kernels/view_kernels.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns' positions and widths. */
#define DEVICE_X 11
#define DEVICE_WIDTH 11
#define SPAN_X 23
#define SPAN_WIDTH 11
#define RUNNING_X 34
#define NAME_X 37

static void runs_update(struct screen *screen, struct rect area)
{
    struct run_list *runs = runs_state(screen);
    uint32_t count = session_run_count(screen->session);
    int shown = 0;
    if (!array_grow(runs->runs, runs->capacity, count, 1))
        return;
    run_names_begin(&runs->names);
    for (uint32_t run = 0; run < count; run++)
        runs->runs[shown++] = run;
    for (uint32_t run = 0; run < count; run++)
        run_names_add(&runs->names, screen->session, run);
    list_update(&runs->list, shown + 1, view_inside(area).height - 2);
    for (int line = 0; line < runs->list.height && runs->list.top + line < runs->list.count; line++)
        if (runs->list.top + line > 0)
            run_verdicts_ask(screen, runs->runs[runs->list.top + line - 1]);
}

/* The run's whole name if it fits; else at least what distinguishes it from the others. */
static void name_in_list(const struct screen *screen, uint32_t index, int cells, char *text,
                         size_t size_bytes)
{
    const struct run_row *run = session_run(screen->session, index);
    char whole[300], essential[200];
    screen_run_name(screen, index, whole, sizeof whole);
    if (run->workload == 0 || text_width(whole, cells + 1) <= cells) {
        text_shorten(whole, cells, text, size_bytes);
        return;
    }
    run_names_print_essential(&runs_state(screen)->names, screen->session, index, cells, essential,
                              sizeof essential);
    run_name_print(screen->session, index, whole, sizeof whole);
    name_join(whole, essential, cells, text, size_bytes);
}

static void draw_run(const struct screen *screen, struct canvas *canvas, struct rect line, uint32_t index,
                     bool selected)
{
    const struct run_row *run = session_run(screen->session, index);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style plain = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, 0),
                 dim = STYLE(COLOR_DIM, ground, 0), mark;
    char shown[300];
    canvas_glyph(canvas, line.x, line.y, screen_run_mark(run, &mark), mark);
    bool running = atomic_load_explicit(&run->end_ns, memory_order_relaxed) == INT64_MIN;
    canvas_put(canvas, line.x + 1, line.y, (unsigned char)compare_mark_of(screen, index),
               STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD));
    canvas_text(canvas, line.x + 3, line.y, 8, plain,
                run->clock == CLOCK_MODEL ? "model" : run_mode_text(run->mode));
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, index);
    int64_t whole_ns = verdict->known && verdict->times.ended ? verdict->times.ns[RUN_TIME_WHOLE]
                                                              : run_whole_ns(screen->session, index);
    field_number(canvas, line.x + DEVICE_X, line.y, DEVICE_WIDTH, verdict->known ? plain : dim,
                 verdict->known ? number_time(verdict->times.ns[RUN_TIME_DEVICE]).text : "n/a");
    field_number(canvas, line.x + SPAN_X, line.y, SPAN_WIDTH, dim, number_time(whole_ns).text);
    if (running)
        canvas_text(canvas, line.x + RUNNING_X, line.y, NAME_X - RUNNING_X, dim, "...");
    name_in_list(screen, index, line.width - NAME_X - 1, shown, sizeof shown);
    plain.attributes = selected ? ATTRIBUTE_BOLD : 0;
    canvas_text(canvas, line.x + NAME_X, line.y, line.width - NAME_X, plain, shown);
}

static void runs_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct run_list *runs = runs_state(screen);
    char title[80];
    snprintf(title, sizeof title, "Runs  %d", runs->list.count - 1);
    struct rect inside = view_frame(canvas, area, title, focus);
    struct style dim = STYLE(COLOR_DIM, COLOR_NONE, 0);
    canvas_text(canvas, inside.x + 3, inside.y, inside.width - 3, dim, "mode");
    field_words(canvas, inside.x + DEVICE_X, inside.y, DEVICE_WIDTH, dim, run_time_name(RUN_TIME_DEVICE));
    field_words(canvas, inside.x + SPAN_X, inside.y, SPAN_WIDTH, dim, run_time_name(RUN_TIME_WHOLE));
    canvas_text(canvas, inside.x + NAME_X, inside.y, inside.width - NAME_X, dim,
                "workload:variant parameters, or program");
    for (int line = 0; line < runs->list.height && runs->list.top + line < runs->list.count; line++) {
        int index = runs->list.top + line;
        bool selected = index == runs->list.selected;
        struct rect at = {inside.x, inside.y + 1 + line, inside.width, 1};
        if (selected) {
            canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
            canvas_glyph(canvas, at.x + 2, at.y, GLYPH_SELECTED,
                         STYLE(COLOR_TITLE, COLOR_SELECTED, ATTRIBUTE_BOLD));
        }
        if (index == 0)
            canvas_text(canvas, at.x + 3, at.y, at.width - 3,
                        STYLE(COLOR_TITLE, selected ? COLOR_SELECTED : COLOR_NONE, 0), "all runs");
        else
            draw_run(screen, canvas, at, runs->runs[index - 1], selected);
    }
    view_frame_list(canvas, area, &runs->list);
    if (runs->list.count == 1)
        canvas_wrap(canvas, (struct rect){inside.x + 3, inside.y + 2, inside.width - 3, inside.height - 2},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), screen_why_empty(screen, "Nothing has run yet."));
    if (runs->list.selected == 0 || inside.height < 4)
        return;
    const struct run_row *run = session_run(screen->session, runs->runs[runs->list.selected - 1]);
    int8_t verified = atomic_load_explicit(&run->verified, memory_order_relaxed);
    const char *detail =
        session_string(screen->session, atomic_load_explicit(&run->detail, memory_order_relaxed));
    const char *words = verified > 0    ? "verified against the CPU reference"
                        : verified == 0 ? "NOT verified: "
                        : *detail       ? ""
                                        : "not checked (your own program, or not ended)";
    int y = inside.y + inside.height - 1;
    int taken = canvas_text(canvas, inside.x, y, inside.width,
                            STYLE(verified == 0 ? COLOR_BAD : COLOR_DIM, COLOR_NONE, 0), words);
    if (verified > 0 && *detail)
        taken += canvas_text(canvas, inside.x + taken, y, inside.width - taken,
                             STYLE(COLOR_DIM, COLOR_NONE, 0), "; ");
    canvas_text(canvas, inside.x + taken, y, inside.width - taken,
                STYLE(verified > 0 ? COLOR_DIM : COLOR_BAD, COLOR_NONE, 0), detail);
}

/* Shows timeline and kernels, limited to the run and the run of the same work in the other mode. */
static void show_run(struct screen *screen, uint32_t run)
{
    screen->follows_runs = false;
    kernels_state(screen)->scope_group = session_run(screen->session, run)->group;
    kernels_state(screen)->filter[0] = '\0';
    screen->kernel = screen_kernel_of_run(screen, run);
    timeline_show_run(screen, run);
    screen_show_panes(screen);
}

static bool runs_act(struct screen *screen, enum action action)
{
    struct run_list *runs = runs_state(screen);
    if (action != ACTION_OPEN)
        return list_act(&runs->list, action);
    if (runs->list.selected > 0) {
        show_run(screen, runs->runs[runs->list.selected - 1]);
        return true;
    }
    screen->follows_runs = true;
    kernels_state(screen)->scope_group = NONE;
    screen_show_panes(screen);
    return true;
}

static void runs_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    screen_list_mouse(screen, &runs_state(screen)->list, event, event->y - view_inside(area).y - 1);
}

static void forget_runs(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    free(runs->runs);
    run_names_fini(&runs->names);
    *runs = (struct run_list){0};
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct run_list *runs = runs_state(screen);
    subject->kernel = subject->run = NONE;
    if (runs->list.selected > 0) {
        subject->run = runs->runs[runs->list.selected - 1];
        subject->kernel = screen_kernel_of_run(screen, subject->run);
    }
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "show", .help = "show its timeline and kernels"},
    {.action = ACTION_MARK},
    {.action = ACTION_COMPARE},
    {.action = ACTION_PLOT},
    {.action = ACTION_SOURCE},
    {.action = ACTION_LANES},
    {.action = ACTION_KEEP},
    {.action = ACTION_NONE},
};

const struct view view_runs = {
    .title = "Runs",
    .opened_by = ACTION_RUNS,
    .state_bytes = sizeof(struct run_list),
    .forget = forget_runs,
    .update = runs_update,
    .draw = runs_draw,
    .act = runs_act,
    .show = {[ITEM_RUN] = show_run},
    .mouse = runs_mouse,
    .subject = take_subject,
    .keys = keys,
};
