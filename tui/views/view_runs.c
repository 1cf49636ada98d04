/*
 * The runs of a session: every variant of every workload, or every process of a program, in each of its
 * modes, with its device time, and beside it the time of the whole run, including set-up. The rows of a sweep
 * are folded, as in the list of kernels. ENTER shows timeline and kernels, limited to the selected run and
 * the run of the same work in the other mode; the first line removes this limit.
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

const struct kernel_item *runs_item(const struct run_list *runs, int row)
{
    row -= runs->filter[0] == '\0';
    return row < 0 || row >= runs->item_count ? NULL : &runs->items[row];
}

static uint32_t run_of_row(const struct run_list *runs)
{
    const struct kernel_item *item = runs_item(runs, runs->list.selected);
    return item != NULL && runs->list.selected < runs->list.count ? item->run : NONE;
}

static const char *mode_text(const struct run_row *run)
{
    return run->clock == CLOCK_MODEL ? "model" : run_mode_text(run->mode);
}

static int64_t whole_ns_of(const struct screen *screen, uint32_t run)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
    return verdict->known && verdict->times.ended ? verdict->times.ns[RUN_TIME_WHOLE]
                                                  : run_whole_ns(screen->session, run);
}

static bool passes_filter(const struct screen *screen, const struct kernel_item *item, const char *filter)
{
    char name[300];
    screen_run_name(screen, item->run, name, sizeof name);
    return filter[0] == '\0' || filter_matches(filter, (const char *const[]){name, item->name}, 2);
}

static int compare_numbers(int64_t left, int64_t right)
{
    return left > right ? -1 : left < right;
}

/* Longest first; starts and names in their order. */
static int compare_items(const void *a, const void *b, void *context)
{
    const struct screen *screen = context;
    const struct run_list *runs = runs_state(screen);
    const struct kernel_item *left = a, *right = b;
    char name[300], other[300];
    int order = 0;
    switch (runs->sort) {
    case RUN_SORT_DEVICE: order = compare_numbers((int64_t)left->total_ns, (int64_t)right->total_ns); break;
    case RUN_SORT_SPAN:
        order = compare_numbers(whole_ns_of(screen, left->run), whole_ns_of(screen, right->run));
        break;
    case RUN_SORT_NAME:
        screen_run_name(screen, left->run, name, sizeof name);
        screen_run_name(screen, right->run, other, sizeof other);
        order = strverscmp(name, other);
        break;
    case RUN_SORT_START:
    case RUN_SORT_COUNT: break;
    }
    if (order == 0)
        order = left->first_run < right->first_run ? -1 : left->first_run > right->first_run;
    return runs->reverse ? -order : order;
}

/* One row per run, with its device time as far as it is known. */
static int collect_runs(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    uint32_t count = session_run_count(screen->session);
    int shown = 0;
    run_names_begin(&runs->names);
    for (uint32_t run = 0; run < count; run++) {
        const struct run_row *row = session_run(screen->session, run);
        if (run_verdicts_of(&screen->verdicts, run)->made_of == 0)
            run_verdicts_ask(screen, run);
        const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
        int64_t device_ns = verdict->known ? verdict->times.ns[RUN_TIME_DEVICE] : 0;
        struct kernel_item *item = &runs->items[shown];
        *item = (struct kernel_item){.kernel = run,
                                     .run = run,
                                     .mark_run = run,
                                     .first_run = run,
                                     .total_ns = (uint64_t)device_ns,
                                     .typical_ns = device_ns,
                                     .name = mode_text(row)};
        if (!passes_filter(screen, item, runs->filter))
            continue;
        run_names_add(&runs->names, screen->session, run);
        shown++;
    }
    return shown;
}

/* The chosen run stays selected, wherever the order puts it. */
static void select_chosen(struct run_list *runs)
{
    for (int row = 0; row < runs->list.count && runs->chosen != NONE; row++) {
        const struct kernel_item *item = runs_item(runs, row);
        if (item != NULL && item->run == runs->chosen) {
            runs->list.selected = row;
            return;
        }
    }
    runs->list.selected = 0;
}

static void runs_update(struct screen *screen, struct rect area)
{
    struct run_list *runs = runs_state(screen);
    if (!array_grow(runs->items, runs->capacity, session_run_count(screen->session), 1))
        return;
    int shown = collect_runs(screen);
    if (runs->filter[0] == '\0')
        shown = kernel_sweeps_fold(&runs->sweeps, screen->session, runs->items, runs->chosen, shown);
    qsort_r(runs->items, (size_t)shown, sizeof *runs->items, compare_items, screen);
    runs->item_count = shown;
    runs->list.count = shown + (runs->filter[0] == '\0');
    select_chosen(runs);
    list_update(&runs->list, runs->list.count, view_inside(area).height - 2);
    runs->chosen = run_of_row(runs);
    for (int line = 0; line < runs->list.height; line++)
        if (runs_item(runs, runs->list.top + line) != NULL)
            run_verdicts_ask(screen, runs_item(runs, runs->list.top + line)->run);
}

/* The run's whole name if it fits; else at least what distinguishes it from the others. Of a sweep what was
 * swept. */
static void name_in_list(const struct screen *screen, const struct kernel_item *item, int cells, char *text,
                         size_t size_bytes)
{
    const struct run_names *names = &runs_state(screen)->names;
    char whole[300], essential[200];
    screen_run_name(screen, item->run, whole, sizeof whole);
    if (item->sweep_count == 0 &&
        (session_run(screen->session, item->run)->workload == 0 || text_width(whole, cells + 1) <= cells)) {
        text_shorten(whole, cells, text, size_bytes);
        return;
    }
    if (item->sweep_count > 0)
        run_names_print_range(names, screen->session, item->first_run, item->last_run, item->sweep_count,
                              cells, essential, sizeof essential);
    else
        run_names_print_essential(names, screen->session, item->run, cells, essential, sizeof essential);
    run_name_print(screen->session, item->run, whole, sizeof whole);
    name_join(whole, essential, cells, text, size_bytes);
}

static void draw_run(const struct screen *screen, struct canvas *canvas, struct rect line,
                     const struct kernel_item *item, bool selected)
{
    const struct run_row *run = session_run(screen->session, item->run);
    uint8_t ground = selected ? COLOR_SELECTED : COLOR_NONE;
    struct style plain = STYLE(selected ? COLOR_TITLE : COLOR_TEXT, ground, 0),
                 dim = STYLE(COLOR_DIM, ground, 0), mark;
    char shown[300];
    canvas_glyph(canvas, line.x, line.y, screen_run_mark(session_run(screen->session, item->mark_run), &mark),
                 mark);
    bool running = atomic_load_explicit(&run->end_ns, memory_order_relaxed) == INT64_MIN;
    canvas_put(canvas, line.x + 1, line.y, (unsigned char)compare_mark_of(screen, item->run),
               STYLE(COLOR_FOCUS, ground, ATTRIBUTE_BOLD));
    canvas_text(canvas, line.x + 3, line.y, 8, plain, item->name);
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, item->run);
    if (item->sweep_count > 0) {
        kernel_sweeps_draw(&runs_state(screen)->sweeps, item, canvas, line.x + DEVICE_X + 1, line.y,
                           DEVICE_WIDTH - 1, plain);
        snprintf(shown, sizeof shown, "%d runs", item->sweep_count);
        field_words(canvas, line.x + SPAN_X, line.y, SPAN_WIDTH, dim, shown);
    } else {
        field_number(canvas, line.x + DEVICE_X, line.y, DEVICE_WIDTH, verdict->known ? plain : dim,
                     verdict->known ? number_time(verdict->times.ns[RUN_TIME_DEVICE]).text : "n/a");
        field_number(canvas, line.x + SPAN_X, line.y, SPAN_WIDTH, dim,
                     number_time(whole_ns_of(screen, item->run)).text);
    }
    if (running)
        canvas_text(canvas, line.x + RUNNING_X, line.y, NAME_X - RUNNING_X, dim, "...");
    name_in_list(screen, item, line.width - NAME_X - 1, shown, sizeof shown);
    plain.attributes = selected ? ATTRIBUTE_BOLD : 0;
    canvas_text(canvas, line.x + NAME_X, line.y, line.width - NAME_X, plain, shown);
}

static const struct run_column {
    const char *title; /* NULL: the name of the time */
    int x, width;      /* width 0: to the right border, from the left */
} columns[RUN_SORT_COUNT] = {
    [RUN_SORT_START] = {"mode", 3, DEVICE_X - 4},
    [RUN_SORT_DEVICE] = {NULL, DEVICE_X, DEVICE_WIDTH},
    [RUN_SORT_SPAN] = {NULL, SPAN_X, SPAN_WIDTH},
    [RUN_SORT_NAME] = {"workload:variant parameters, or program", NAME_X, 0},
};

static const char *const orders[RUN_SORT_COUNT] = {
    [RUN_SORT_START] = "start", [RUN_SORT_NAME] = "name", /* the others by the name of their time, which is
                                                             the column's head */
};

static const char *order_name(enum run_sort sort)
{
    return sort == RUN_SORT_DEVICE ? run_time_name(RUN_TIME_DEVICE)
           : sort == RUN_SORT_SPAN ? run_time_name(RUN_TIME_WHOLE)
                                   : orders[sort];
}

static void draw_head(const struct run_list *runs, struct canvas *canvas, struct rect inside)
{
    for (int c = 0; c < RUN_SORT_COUNT; c++) {
        bool sorted = c == (int)runs->sort && (c != RUN_SORT_START || runs->reverse);
        struct style style = STYLE(sorted ? COLOR_FOCUS : COLOR_DIM, COLOR_NONE, sorted ? ATTRIBUTE_BOLD : 0);
        int x = inside.x + columns[c].x, width = columns[c].width;
        if (c == RUN_SORT_DEVICE || c == RUN_SORT_SPAN)
            field_words(canvas, x, inside.y, width, style, order_name((enum run_sort)c));
        else
            canvas_text(canvas, x, inside.y, width > 0 ? width : inside.width - columns[c].x, style,
                        columns[c].title);
        if (sorted)
            canvas_glyph(canvas, c == RUN_SORT_START || c == RUN_SORT_NAME ? x - 1 : x + width, inside.y,
                         runs->reverse ? GLYPH_SORTED_UP : GLYPH_SORTED_DOWN, style);
    }
}

/* Below the list: whether the selected run's result was verified. */
static void draw_verified(const struct screen *screen, struct canvas *canvas, struct rect line,
                          uint32_t index)
{
    const struct run_row *run = session_run(screen->session, index);
    int8_t verified = atomic_load_explicit(&run->verified, memory_order_relaxed);
    const char *detail =
        session_string(screen->session, atomic_load_explicit(&run->detail, memory_order_relaxed));
    const char *words = verified > 0    ? "verified against the CPU reference"
                        : verified == 0 ? "NOT verified: "
                        : *detail       ? ""
                                        : "not checked (your own program, or not ended)";
    int taken = canvas_text(canvas, line.x, line.y, line.width,
                            STYLE(verified == 0 ? COLOR_BAD : COLOR_DIM, COLOR_NONE, 0), words);
    if (verified > 0 && *detail)
        taken += canvas_text(canvas, line.x + taken, line.y, line.width - taken,
                             STYLE(COLOR_DIM, COLOR_NONE, 0), "; ");
    canvas_text(canvas, line.x + taken, line.y, line.width - taken,
                STYLE(verified > 0 ? COLOR_DIM : COLOR_BAD, COLOR_NONE, 0), detail);
}

static void runs_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct run_list *runs = runs_state(screen);
    const struct kernel_item *chosen = runs_item(runs, runs->list.selected);
    char title[400];
    snprintf(title, sizeof title, "Runs  %u%s%s%s", session_run_count(screen->session),
             chosen != NULL && chosen->sweep_count > 0 ? "  z unfolds" : "",
             runs->filter[0] != '\0' ? "  filter: " : "", runs->filter);
    struct rect inside = view_frame(canvas, area, title, focus);
    draw_head(runs, canvas, inside);
    for (int line = 0; line < runs->list.height && runs->list.top + line < runs->list.count; line++) {
        const struct kernel_item *item = runs_item(runs, runs->list.top + line);
        bool selected = runs->list.top + line == runs->list.selected;
        struct rect at = {inside.x, inside.y + 1 + line, inside.width, 1};
        if (selected) {
            canvas_fill(canvas, at, ' ', STYLE(COLOR_TEXT, COLOR_SELECTED, 0));
            canvas_glyph(canvas, at.x + 2, at.y, GLYPH_SELECTED,
                         STYLE(COLOR_TITLE, COLOR_SELECTED, ATTRIBUTE_BOLD));
        }
        if (item == NULL)
            canvas_text(canvas, at.x + 3, at.y, at.width - 3,
                        STYLE(COLOR_TITLE, selected ? COLOR_SELECTED : COLOR_NONE, 0), "all runs");
        else
            draw_run(screen, canvas, at, item, selected);
    }
    view_frame_list(canvas, area, &runs->list);
    if (runs->item_count == 0)
        canvas_wrap(canvas, (struct rect){inside.x + 3, inside.y + 2, inside.width - 3, inside.height - 2},
                    STYLE(COLOR_DIM, COLOR_NONE, 0),
                    runs->filter[0] != '\0' ? "No run matches the filter. / changes it, ESC clears it."
                                            : screen_why_empty(screen, "Nothing has run yet."));
    if (chosen != NULL && inside.height >= 4)
        draw_verified(screen, canvas, (struct rect){inside.x, inside.y + inside.height - 1, inside.width, 1},
                      chosen->run);
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

static void open_runs(struct screen *screen)
{
    runs_state(screen)->chosen = screen->run;
    screen_open(screen, VIEW_RUNS);
}

static bool sort_runs(struct screen *screen, enum run_sort sort, bool reverse)
{
    struct run_list *runs = runs_state(screen);
    runs->sort = sort;
    runs->reverse = reverse;
    screen_message(screen, SEVERITY_INFO, "Sorted by %s%s; g goes to the first.", order_name(sort),
                   reverse ? ", reversed" : "");
    return true;
}

static bool show_selected(struct screen *screen)
{
    uint32_t run = run_of_row(runs_state(screen));
    if (run != NONE) {
        show_run(screen, run);
    } else if (runs_state(screen)->list.count > 0) {
        screen->follows_runs = true;
        kernels_state(screen)->scope_group = NONE;
        screen_show_panes(screen);
    }
    return true;
}

static bool runs_act(struct screen *screen, enum action action)
{
    struct run_list *runs = runs_state(screen);
    const struct kernel_item *item = runs_item(runs, runs->list.selected);
    switch (action) {
    case ACTION_OPEN: return show_selected(screen);
    case ACTION_FILTER: prompt_filter(&screen->prompt, "Filter:"); return true;
    case ACTION_SORT: return sort_runs(screen, (enum run_sort)((runs->sort + 1) % RUN_SORT_COUNT), false);
    case ACTION_REVERSE: return sort_runs(screen, runs->sort, !runs->reverse);
    case ACTION_FOLD: return item != NULL && kernel_sweeps_toggle(&runs->sweeps, screen->session, item);
    default: break;
    }
    if (!list_act(&runs->list, action))
        return false;
    runs->chosen = run_of_row(runs);
    return true;
}

static void runs_mouse(struct screen *screen, const struct mouse *event, struct rect area)
{
    struct run_list *runs = runs_state(screen);
    struct rect inside = view_inside(area);
    if (event->kind == MOUSE_DOWN && event->y == inside.y) {
        for (int c = RUN_SORT_COUNT - 1; c >= 0; c--)
            if (event->x - inside.x >= columns[c].x) {
                sort_runs(screen, (enum run_sort)c, c == (int)runs->sort && !runs->reverse);
                return;
            }
        return;
    }
    screen_list_mouse(screen, &runs->list, event, event->y - inside.y - 1);
    runs->chosen = run_of_row(runs);
}

static char *filter_text(struct screen *screen)
{
    return runs_state(screen)->filter;
}

static void forget_runs(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    free(runs->items);
    run_names_fini(&runs->names);
    kernel_sweeps_fini(&runs->sweeps);
    *runs = (struct run_list){.chosen = NONE};
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    subject->run = run_of_row(runs_state(screen));
    subject->kernel = subject->run == NONE ? NONE : screen_kernel_of_run(screen, subject->run);
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "show", .help = "show its timeline and kernels"},
    {.action = ACTION_MARK},
    {.action = ACTION_COMPARE},
    {.action = ACTION_FILTER},
    {.action = ACTION_SORT},
    {.action = ACTION_FOLD, .help = "fold or unfold a sweep"},
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
    .open = open_runs,
    .act = runs_act,
    .filter = filter_text,
    .show = {[ITEM_RUN] = show_run},
    .mouse = runs_mouse,
    .subject = take_subject,
    .keys = keys,
};
