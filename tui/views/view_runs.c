/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of a session: every variant of every workload, or every process of a program, in each of its
 * modes, with its device time, and beside it the time of the whole run, including set-up: a table. The rows of a
 * sweep are folded, as in the list of kernels, unless there is a filter. ENTER shows timeline and kernels, limited to the selected run and
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
#include "tui/widgets/sheet_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kernel_item *runs_item(const struct run_list *runs, int line)
{
    size_t row = sheet_table_row_at(&runs->table, line);
    return row == SIZE_MAX || row == 0 || row > (size_t)runs->shown_count ? NULL : &runs->shown[row - 1];
}

static const struct kernel_item *selected_item(const struct run_list *runs)
{
    return runs_item(runs, runs->table.list.selected);
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

/* One item per run, with its device time as far as it is known. */
static void collect_runs(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    uint32_t count = session_run_count(screen->session);
    run_names_begin(&runs->names);
    for (uint32_t run = 0; run < count; run++) {
        if (!run_verdict_is_last(run_verdicts_of(&screen->verdicts, run)))
            run_verdicts_ask(screen, run);
        const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, run);
        int64_t device_ns = verdict->known ? verdict->times.ns[RUN_TIME_DEVICE] : 0;
        runs->items[run] = (struct kernel_item){.kernel = run,
                                                .run = run,
                                                .mark_run = run,
                                                .first_run = run,
                                                .total_ns = (uint64_t)device_ns,
                                                .max_ns = (uint64_t)whole_ns_of(screen, run),
                                                .typical_ns = verdict->known ? device_ns : -1,
                                                .name = mode_text(session_run(screen->session, run))};
        run_names_add(&runs->names, screen->session, run);
    }
    runs->item_count = (int)count;
    if (runs->table.filter[0] == '\0')
        runs->item_count =
            kernel_sweeps_fold(&runs->sweeps, screen->session, runs->items, runs->chosen, (int)count);
}

static int compare_starts(const void *a, const void *b)
{
    const struct kernel_item *left = a, *right = b;
    return left->first_run < right->first_run ? -1 : left->first_run > right->first_run;
}

/* ---- the table ---- */
enum { C_MARK, C_MODE, C_DEVICE, C_WHOLE, C_NAME, C_COUNT };
/* clang-format off */
static const struct sheet_column columns[C_COUNT] = {
    {"verified", "", "is its result right; A and B are compared", SHEET_TEXT, SHEET_NEITHER, 2, 1, false},
    {"mode", "mode", "trace, counters, or model", SHEET_TEXT, SHEET_NEITHER, 8, 2, false},
    {"device_time_ns", NULL, DEVICE_TIME_MEANING, SHEET_TIME, SHEET_LESS, 11, 0, false},
    {"span_ns", NULL, "from its begin to its end, set-up included", SHEET_TIME, SHEET_LESS, 12, 3, false},
    {"name", "workload:variant parameters, or program", "what was run", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
/* clang-format on */

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    static const char *const verified[] = {"not verified", "not checked", "verified"};
    const struct screen *screen = from;
    const struct run_list *runs = runs_state(screen);
    (void)error;
    if (runs->shown_count > 0)
        sheet_row(
            to,
            (const struct sheet_cell[C_COUNT]){
                [C_DEVICE] = {.number = NAN}, [C_WHOLE] = {.number = NAN}, [C_NAME] = {.text = "all runs"}});
    for (int i = 0; i < runs->shown_count; i++) {
        const struct kernel_item *item = &runs->shown[i];
        int8_t right = atomic_load_explicit(&session_run(screen->session, item->mark_run)->verified,
                                            memory_order_relaxed);
        char name[300];
        screen_run_name(screen, item->run, name, sizeof name);
        const struct sheet_cell cells[C_COUNT] = {
            {.text = verified[right > 0    ? 2
                              : right == 0 ? 0
                                           : 1]},
            {.text = item->name},
            {.number = item->typical_ns < 0 ? (double)NAN : (double)item->total_ns},
            {.number = (double)item->max_ns},
            {.text = name}};
        sheet_row(to, cells);
    }
    return STATUS_OK;
}

/* Its heads are the names of the times. */
static const struct sheet *runs_sheet(void)
{
    static struct sheet_column named[C_COUNT];
    static const struct sheet sheet = {.id = "runs",
                                       .title = "Runs",
                                       SHEET_COLUMNS(named),
                                       .none = "Nothing has run yet.",
                                       .rows = make_rows};
    memcpy(named, columns, sizeof columns);
    named[C_DEVICE].head = run_time_name(RUN_TIME_DEVICE);
    named[C_WHOLE].head = run_time_name(RUN_TIME_WHOLE);
    return &sheet;
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

static const struct kernel_item *item_at(const struct screen *screen, size_t row)
{
    return row > 0 ? &runs_state(screen)->shown[row - 1] : NULL;
}

static bool text_of(const void *of, size_t row, int column, int cells, char *text, size_t size_bytes)
{
    const struct kernel_item *item = item_at(of, row);
    if (!item)
        snprintf(text, size_bytes, "%s", column == C_NAME ? "all runs" : "");
    else if (column == C_NAME)
        name_in_list(of, item, cells, text, size_bytes);
    else if (column == C_WHOLE && item->sweep_count > 0)
        snprintf(text, size_bytes, "%d runs", item->sweep_count);
    else if (column == C_WHOLE &&
             atomic_load_explicit(&session_run(((const struct screen *)of)->session, item->run)->end_ns,
                                  memory_order_relaxed) == INT64_MIN)
        snprintf(text, size_bytes, "... %s", number_time((int64_t)item->max_ns).text);
    else
        return false;
    return true;
}

/* The run's sign and the letter of a side of the comparison; the times of a sweep as bars. */
static bool draw_cell(const void *of, size_t row, int column, struct canvas *canvas, struct rect at,
                      struct style style)
{
    const struct screen *screen = of;
    const struct kernel_item *item = item_at(screen, row);
    struct style mark;
    if (column == C_DEVICE && item && item->sweep_count > 0)
        kernel_sweeps_draw(&runs_state(screen)->sweeps, item, canvas, at.x, at.y, at.width, style);
    else if (column != C_MARK)
        return false;
    else if (item) {
        enum glyph glyph = screen_run_mark(session_run(screen->session, item->mark_run), &mark);
        mark.background = style.background;
        canvas_glyph(canvas, at.x, at.y, glyph, mark);
        canvas_put(canvas, at.x + 1, at.y, (unsigned char)compare_mark_of(screen, item->run),
                   STYLE(COLOR_FOCUS, style.background, ATTRIBUTE_BOLD));
    }
    return true;
}

static void style_of(const void *of, size_t row, int column, struct style *style)
{
    (void)of;
    if (column == C_WHOLE && style->foreground == COLOR_TEXT)
        style->foreground = COLOR_DIM;
    if (row == 0)
        style->foreground = COLOR_TITLE;
}

static const struct sheet_face face = {
    .text = text_of, .cell = draw_cell, .style = style_of, .brief = true, .first_stays = true};

static void select_run(struct run_list *runs, uint32_t run)
{
    for (int i = 0; i < runs->shown_count; i++)
        if (runs->shown[i].run == run)
            sheet_table_select(&runs->table, (size_t)i + 1);
    if (run == NONE)
        sheet_table_select(&runs->table, 0);
}

/* The rows are made anew where the items differ from those shown; the chosen run stays selected. */
static void take_rows(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    size_t count = (size_t)runs->item_count;
    bool first = !runs->table.kept.sheet;
    struct sheet_kept kept;
    if ((!first && runs->shown_count == runs->item_count &&
         (count == 0 || memcmp(runs->shown, runs->items, count * sizeof *runs->items) == 0)) ||
        !array_grow(runs->shown, runs->shown_capacity, count, 1))
        return;
    if (count > 0)
        memcpy(runs->shown, runs->items, count * sizeof *runs->items);
    runs->shown_count = runs->item_count;
    if (sheet_kept_make(&kept, runs_sheet(), screen, NULL) != STATUS_OK)
        return;
    runs->table.face = &face;
    runs->table.of = screen;
    sheet_table_take(&runs->table, &kept);
    if (first)
        runs->table.chosen = C_DEVICE;
    select_run(runs, runs->chosen);
}

static void runs_update(struct screen *screen, struct rect area)
{
    struct run_list *runs = runs_state(screen);
    struct rect inside = view_inside(area);
    if (!array_grow(runs->items, runs->capacity, session_run_count(screen->session), 1))
        return;
    if (selected_item(runs) || runs->table.kept.sheet)
        runs->chosen = selected_item(runs) ? selected_item(runs)->run : NONE;
    collect_runs(screen);
    if (runs->item_count > 1)
        qsort(runs->items, (size_t)runs->item_count, sizeof *runs->items, compare_starts);
    take_rows(screen);
    sheet_table_update(&runs->table, (struct rect){inside.x, inside.y, inside.width, inside.height - 1});
    for (int line = 0; line < runs->table.list.height; line++)
        if (runs_item(runs, runs->table.list.top + line))
            run_verdicts_ask(screen, runs_item(runs, runs->table.list.top + line)->run);
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
    const struct kernel_item *chosen = selected_item(runs);
    char title[400];
    snprintf(title, sizeof title, "Runs  %u%s", session_run_count(screen->session),
             chosen && chosen->sweep_count > 0 ? "  z unfolds" : "");
    view_table_draw(screen, canvas, area, &runs->table, title, focus);
    struct rect inside = view_inside(area);
    if (runs->table.shown_rows == 0) {
        canvas_fill(canvas, inside, ' ', STYLE(COLOR_TEXT, COLOR_NONE, 0));
        canvas_wrap(canvas, (struct rect){inside.x + 3, inside.y + 2, inside.width - 3, inside.height - 2},
                    STYLE(COLOR_DIM, COLOR_NONE, 0),
                    runs->table.filter[0] != '\0' ? "No run matches the filter. / changes it, ESC clears it."
                                                  : screen_why_empty(screen, "Nothing has run yet."));
    }
    if (chosen && inside.height >= 4)
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
    struct run_list *runs = runs_state(screen);
    runs->chosen = screen->run;
    select_run(runs, runs->chosen);
    screen_open(screen, VIEW_RUNS);
}

static void show_selected(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    const struct kernel_item *item = selected_item(runs);
    if (item) {
        show_run(screen, item->run);
    } else if (sheet_table_row(&runs->table) == 0) {
        screen->follows_runs = true;
        kernels_state(screen)->scope_group = NONE;
        screen_show_panes(screen);
    }
}

static bool runs_act(struct screen *screen, enum action action)
{
    struct run_list *runs = runs_state(screen);
    const struct kernel_item *item = selected_item(runs);
    if (action == ACTION_OPEN)
        show_selected(screen);
    else if (action == ACTION_FOLD)
        return item && kernel_sweeps_toggle(&runs->sweeps, screen->session, item);
    else
        return false;
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &runs_state(screen)->table;
}

static void forget_runs(struct screen *screen)
{
    struct run_list *runs = runs_state(screen);
    free(runs->items);
    free(runs->shown);
    sheet_table_fini(&runs->table);
    run_names_fini(&runs->names);
    kernel_sweeps_fini(&runs->sweeps);
    *runs = (struct run_list){.chosen = NONE};
}

static void take_subject(const struct screen *screen, struct subject *subject)
{
    const struct kernel_item *item = selected_item(runs_state(screen));
    subject->run = item ? item->run : NONE;
    subject->kernel = subject->run == NONE ? NONE : screen_kernel_of_run(screen, subject->run);
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "show", .help = "show its timeline and kernels"},
    {.action = ACTION_MARK},
    {.action = ACTION_COMPARE},
    {.action = ACTION_FILTER},
    {.action = ACTION_SORT, .help = "sort by the chosen column (h, l), or again by the start"},
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
    .show = {[ITEM_RUN] = show_run},
    .table = table_of,
    .subject = take_subject,
    .keys = keys,
};
