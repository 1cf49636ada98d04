/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overlap in a time range, either the visible time of the timeline or the time between its marks: how
 * much of the copies is hidden under kernels, how many streams are busy, what was serialised and why, which
 * operations waited, and how long the work would take if everything that may overlap did.
 * core/analysis/overlap/overlap has the rules.
 */
#include "tui/views/view_overlap.h"
#include "core/analysis/run_times.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"
#include "tui/widgets/brief.h"

#include "tui/terminal/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OVERLAP_SLICE 16384u /* events or operations between two frames, about 2 ms */
#define AGAIN_MS 1000        /* least time between two computations while work comes in */

#define LINES_UNKNOWN 10 /* as many are expected, before they are made */

enum overlap_line_kind {
    LINE_RANGE,
    LINE_BUSY,
    LINE_KERNELS,
    LINE_COPIES,
    LINE_HIDDEN,
    LINE_STREAMS,
    LINE_LEAST,
    LINE_REASON,
    LINE_NONE,
    LINE_WAIT
};

static void add_line(struct overlap_view *view, enum overlap_line_kind kind, uint32_t index)
{
    if (view->line_count < OVERLAP_LINES_MAX)
        view->lines[view->line_count++] = (struct overlap_line){(uint8_t)kind, (uint8_t)index};
}

static void make_lines(struct overlap_view *view)
{
    const struct overlap *overlap = &view->overlap;
    view->line_count = 0;
    for (enum overlap_line_kind kind = LINE_RANGE; kind <= LINE_LEAST; kind++)
        add_line(view, kind, 0);
    int before = view->line_count;
    for (uint32_t reason = 0; reason < SERIAL_COUNT; reason++)
        if (overlap->serialised_ns[reason] > 0)
            add_line(view, LINE_REASON, reason);
    if (view->line_count == before)
        add_line(view, LINE_NONE, 0);
    for (uint32_t i = 0; i < overlap->wait_count; i++)
        add_line(view, LINE_WAIT, i);
}

static uint64_t operations_in(const struct screen *screen, struct window range)
{
    uint64_t count = 0;
    for (uint32_t track = 0; track < session_track_count(screen->session); track++) {
        const struct track_row *row = session_track(screen->session, track);
        uint32_t lanes = session_lane_count(screen->session, track);
        for (uint32_t lane = 0; row->kind == TRACK_STREAM && lane < lanes; lane++)
            count += session_lane_find(screen->session, track, lane, range.end_ns) -
                     session_lane_find(screen->session, track, lane, range.start_ns);
    }
    return count;
}

/* If several processes are shown: the run of the process whose row is selected. */
static uint32_t run_of(const struct screen *screen)
{
    const struct timeline *timeline = timeline_state(screen);
    const struct session *session = screen->session;
    if (!timeline->groups.many_processes || screen->run == NONE || timeline->rows_list.count == 0)
        return screen->run;
    uint32_t process = timeline_process_of(screen, &timeline->rows[timeline->rows_list.selected]);
    uint8_t mode = session_run(session, screen->run)->mode;
    for (uint32_t run = 0; run < session_run_count(session); run++)
        if (session_run(session, run)->process == process && session_run(session, run)->mode == mode)
            return run;
    return screen->run;
}

static void finish_job(struct screen *screen, enum status status, const struct error *error)
{
    struct overlap_view *view = overlap_state(screen);
    view->why[0] = '\0';
    if (status != STATUS_OK) {
        view->overlap = (struct overlap){0};
        snprintf(view->why, sizeof view->why, "%s", error->text);
    } else if (view->overlap.operations == 0)
        snprintf(view->why, sizeof view->why, "%s",
                 screen_why_empty(screen, "Nothing ran on the device in this range."));
    overlap_end(view->job);
    view->job = NULL;
    view->made_ms = screen->clock_ms;
    view->made = true;
    make_lines(view);
}

static bool overlap_work(struct screen *screen)
{
    struct overlap_view *view = overlap_state(screen);
    struct error error = {0};
    bool done;
    if (!view->job)
        return false;
    enum status status = overlap_step(view->job, OVERLAP_SLICE, &view->overlap, &done, &error);
    if (done || status != STATUS_OK)
        finish_job(screen, status, &error);
    return true;
}

static void begin_job(struct screen *screen)
{
    struct overlap_view *view = overlap_state(screen);
    struct error error = {0};
    overlap_end(view->job);
    view->events = session_event_count(screen->session);
    view->detail = timeline_state(screen)->detail.changes;
    view->operations = operations_in(screen, view->range);
    enum status status = overlap_begin(&view->job, screen->session, view->run, view->range.start_ns,
                                       view->range.end_ns, &error);
    if (status != STATUS_OK)
        finish_job(screen, status, &error);
    overlap_work(screen);
}

static void forget_overlap(struct screen *screen)
{
    struct overlap_view *view = overlap_state(screen);
    overlap_end(view->job);
    view->job = NULL;
    view->asked = view->made = false;
    sheet_table_fini(&view->table);
}

/* ---- the rows ---- */

struct overlap_texts {
    char label[80], value[64], note[240];
    int64_t time_ns;
    double share; /* the length of a bar; NAN: no bar */
};

static double share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* The run's lengths, as the other views have them, if the range has all work of the run; else NULL: its lengths
 * are the range's. While a run is in progress the overlap may be older or newer than they. */
static const struct run_times *times_of_run(const struct screen *screen)
{
    const struct overlap_view *view = overlap_state(screen);
    const struct window extent = timeline_state(screen)->extent;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, view->run);
    bool holds = view->run == screen->run && screen_run_runs(screen, view->run) &&
                 view->range.start_ns <= extent.start_ns && view->range.end_ns >= extent.end_ns;
    return verdict->known && (holds || view->overlap.span_ns >= verdict->times.ns[RUN_TIME_SPAN])
               ? &verdict->times
               : NULL;
}

static void text_of_wait(const struct screen *screen, const struct overlap_wait *wait,
                         struct overlap_texts *texts)
{
    const struct session *session = screen->session;
    const struct overlap_view *view = overlap_state(screen);
    struct item item = session_event_item(session, wait->event);
    int64_t start = session_event_start_ns(session, wait->event);
    char track[80], what[120];
    timeline_track_name(screen, wait->event.track, true, track, sizeof track);
    timeline_item_text(screen, &item, 0, what, sizeof what);
    snprintf(texts->label, sizeof texts->label, "%s", serial_reason_text((enum serial_reason)wait->reason));
    texts->time_ns = wait->serialised_ns;
    snprintf(texts->note, sizeof texts->note, "%-10s %.60s: %.100s",
             number_since_within(start, screen->zero_ns, view->range.end_ns - view->range.start_ns).text,
             track, what);
}

static struct overlap_texts texts_of(const struct screen *screen, int line)
{
    const struct overlap_view *view = overlap_state(screen);
    const struct overlap *overlap = &view->overlap;
    const struct run_times *run = times_of_run(screen);
    int64_t span_ns = run ? run->ns[RUN_TIME_SPAN] : overlap->span_ns,
            busy_ns = run ? run->ns[RUN_TIME_DEVICE] : overlap->any_busy_ns;
    struct overlap_texts texts = {.share = NAN, .time_ns = -1};
    uint8_t index = view->lines[line].index;
#define SAY(field, ...) snprintf(texts.field, sizeof texts.field, __VA_ARGS__)
    switch ((enum overlap_line_kind)view->lines[line].kind) {
    case LINE_RANGE:
        SAY(label, "range");
        texts.time_ns = view->range.end_ns - view->range.start_ns;
        SAY(note, "%s, %s to %s", view->marked ? "marked" : "shown",
            number_since_within(view->range.start_ns, screen->zero_ns,
                                view->range.end_ns - view->range.start_ns)
                .text,
            number_since_within(view->range.end_ns, screen->zero_ns,
                                view->range.end_ns - view->range.start_ns)
                .text);
        break;
    case LINE_BUSY:
        SAY(label, "%s%s", run_time_name(RUN_TIME_SPAN), run ? "" : ", in the range");
        texts.time_ns = span_ns;
        SAY(note, "%s operation%s, %s%s %s", number_exact((int64_t)overlap->operations).text,
            overlap->operations == 1 ? "" : "s", run_time_name(RUN_TIME_DEVICE), run ? "" : " in it",
            number_time(busy_ns).text);
        texts.share = share_of(busy_ns, span_ns);
        break;
    case LINE_KERNELS:
        SAY(label, "kernels");
        texts.time_ns = overlap->kernel_busy_ns;
        SAY(note, "%s %% of it",
            number_percent(100 * share_of(overlap->kernel_busy_ns, overlap->span_ns), 1).text);
        texts.share = share_of(overlap->kernel_busy_ns, overlap->span_ns);
        break;
    case LINE_COPIES:
        SAY(label, "copies and sets");
        texts.time_ns = overlap->copy_busy_ns;
        SAY(note, "%s %% of it",
            number_percent(100 * share_of(overlap->copy_busy_ns, overlap->span_ns), 1).text);
        texts.share = share_of(overlap->copy_busy_ns, overlap->span_ns);
        break;
    case LINE_HIDDEN:
        SAY(label, "hidden by kernels");
        texts.time_ns = overlap->copy_hidden_ns;
        SAY(note, "%s %% of the copies are hidden",
            number_percent(100 * share_of(overlap->copy_hidden_ns, overlap->copy_busy_ns), 1).text);
        texts.share = share_of(overlap->copy_hidden_ns, overlap->span_ns);
        break;
    case LINE_STREAMS:
        SAY(label, "streams busy at once");
        SAY(value, "%.2f", overlap->mean_active_streams);
        SAY(note, "on average while something ran");
        break;
    case LINE_LEAST:
        SAY(label, "with all possible overlap");
        texts.time_ns = overlap->least_ns;
        SAY(note, "%s at least; bound: %s", run_time_name(RUN_TIME_DEVICE),
            overlap_engine_text(overlap->least_engine));
        texts.share = share_of(overlap->least_ns, overlap->span_ns);
        break;
    case LINE_REASON:
        SAY(label, "%s", serial_reason_text((enum serial_reason)index));
        texts.time_ns = overlap->serialised_ns[index];
        SAY(note, "%s %%, %s operation%s waited",
            number_percent(100 * share_of(overlap->serialised_ns[index], overlap->span_ns), 1).text,
            number_exact((int64_t)overlap->waited[index]).text, overlap->waited[index] == 1 ? "" : "s");
        texts.share = share_of(overlap->serialised_ns[index], overlap->span_ns);
        break;
    case LINE_NONE: SAY(label, "nothing"); break;
    case LINE_WAIT: text_of_wait(screen, &overlap->waits[index], &texts); break;
    }
#undef SAY
    return texts;
}

/* clang-format off */
static const struct sheet_column columns[] = {
    {"what", "what", "a sum over the range, a reason why work was serialised, or of a wait its reason", SHEET_TEXT, SHEET_NEITHER, 29, 0, false},
    {"time_ns", "time", "its length; - of a number", SHEET_TIME, SHEET_NEITHER, 8, 0, false},
    {"share", "share", "its part of the time from the first operation to the last", SHEET_SHARE, SHEET_NEITHER, 24, 2, false},
    {"note", "which is", "what the length is of; of a wait its begin and what waited", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */
#define COLUMN_WHAT 0
#define COLUMN_SHARE 2

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct screen *screen = from;
    const struct overlap_view *view = overlap_state(screen);
    uint8_t last = LINE_RANGE;
    (void)error;
    for (int line = 0; line < view->line_count && view->made && view->why[0] == '\0'; line++) {
        const uint8_t kind = view->lines[line].kind;
        const struct overlap_texts texts = texts_of(screen, line);
        if ((kind == LINE_REASON && last != LINE_REASON) || kind == LINE_NONE)
            sheet_group(to, "Serialised: why one stream was busy alone while other work waited");
        if (kind == LINE_WAIT && last != LINE_WAIT)
            sheet_group(to, screen_has_open(screen, VIEW_OVERLAP)
                                ? "What waited longest, with its begin; ENTER shows it"
                                : "What waited longest");
        last = kind;
        sheet_row(to, (const struct sheet_cell[]){
                          {.text = texts.label},
                          {.number = texts.time_ns >= 0 ? (double)texts.time_ns : (double)NAN,
                           .text = texts.value[0] != '\0' ? texts.value : NULL},
                          {.number = texts.share},
                          {.text = texts.note}});
    }
    return STATUS_OK;
}

static const struct sheet sheet = {
    .id = "overlap", .title = "Overlap", SHEET_COLUMNS(columns), .none = "", .rows = make_rows};

/* Work has the colours that it has on the timeline; no bar has the colour of a verdict. */
static uint8_t bar_color(enum overlap_line_kind kind)
{
    switch (kind) {
    case LINE_KERNELS: return COLOR_KERNEL;
    case LINE_COPIES: return COLOR_COPY_IN;
    case LINE_HIDDEN: return COLOR_COPY_ON;
    case LINE_LEAST: return COLOR_FOCUS;
    default: return COLOR_CPU;
    }
}

static bool draw_share(const void *of, size_t row, int column, struct canvas *canvas, struct rect at,
                       struct style style)
{
    const struct overlap_view *view = of;
    if (column != COLUMN_SHARE)
        return false;
    const double share = sheet_kept_cell(&view->table.kept, row, column).number;
    const uint8_t kind = view->lines[row].kind;
    if (isnan(share))
        return true;
    style.foreground = bar_color((enum overlap_line_kind)kind);
    int eighths = (int)(share * at.width * 8 + 0.5);
    if (eighths < 1 && share > 0)
        eighths = 1;
    for (int k = 0; k < at.width; k++, eighths -= 8) {
        if (eighths <= 0 && kind == LINE_BUSY) /* the bar is all of it, and its first part is filled */
            canvas_glyph(canvas, at.x + k, at.y, GLYPH_REST, style);
        else
            canvas_put(canvas, at.x + k, at.y,
                       glyph_left_eighths(eighths > 8   ? 8
                                          : eighths < 0 ? 0
                                                        : eighths,
                                          canvas->ascii),
                       style);
    }
    return true;
}

/* A reason that does not fit is said in fewer words, as on the timeline. */
static bool text_of_what(const void *of, size_t row, int column, int cells, char *text, size_t size_bytes)
{
    const struct overlap_view *view = of;
    if (column != COLUMN_WHAT)
        return false;
    brief_text(sheet_kept_cell(&view->table.kept, row, column).text, cells, text, size_bytes);
    return true;
}

static const struct sheet_face face = {.text = text_of_what, .cell = draw_share, .brief = true};

static void overlap_update(struct screen *screen, struct rect area)
{
    struct overlap_view *view = overlap_state(screen);
    struct sheet_kept kept;
    if (!timeline_state(screen)->fitted) /* the timeline has not been on the screen yet */
        screen->views[VIEW_TIMELINE]->update(screen, screen->layout.body);
    struct window range = timeline_range(timeline_state(screen), &view->marked);
    uint32_t run = run_of(screen);
    bool same = view->asked && view->run == run && view->detail == timeline_state(screen)->detail.changes &&
                view->range.start_ns == range.start_ns && view->range.end_ns == range.end_ns;
    bool stays = view->job || view->events == session_event_count(screen->session) || screen->frozen ||
                 screen->clock_ms - view->made_ms < AGAIN_MS;
    if (!same || !stays) {
        view->made = view->made && same;
        view->line_count = view->made ? view->line_count : 0;
        view->range = range;
        view->run = run;
        view->asked = true;
        begin_job(screen);
    }
    run_verdicts_ask(screen, view->run);
    view->table.face = &face;
    view->table.of = view;
    /* anew in each frame: the run's lengths may have become known */
    if (sheet_kept_make(&kept, &sheet, screen, NULL) == STATUS_OK)
        sheet_table_take(&view->table, &kept);
    sheet_table_update(&view->table, view_inside(area));
}

/* ---- drawing ---- */

static void overlap_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct overlap_view *view = overlap_state(screen);
    char run[200] = "all processes", title[260];
    if (view->run != NONE)
        screen_run_name(screen, view->run, run, sizeof run);
    snprintf(title, sizeof title, "Overlap  %s%s", run,
             screen_clock(screen) == CLOCK_MODEL ? ", in modelled time" : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    if (!view->made) {
        canvas_printf(canvas, inside.x + 1, inside.y, inside.width - 2, STYLE(COLOR_DIM, COLOR_NONE, 0),
                      "Examining %s operations: %.0f %%", number_short(view->operations).text,
                      !view->job ? 0.0 : 100 * overlap_progress(view->job));
        return;
    }
    if (view->why[0] != '\0') {
        canvas_wrap(canvas, (struct rect){inside.x + 1, inside.y, inside.width - 2, inside.height},
                    STYLE(COLOR_DIM, COLOR_NONE, 0), view->why);
        return;
    }
    sheet_table_draw(&view->table, canvas, screen->naming.names, screen_has_open(screen, VIEW_OVERLAP));
    view_frame_list(canvas, area, &view->table.list);
}

/* ---- moving ---- */

/* Closes the view, and moves the timeline's cursor to the operation that waited. */
static void show_wait(struct screen *screen, const struct overlap_wait *wait)
{
    struct timeline *timeline = timeline_state(screen);
    timeline->select_track = wait->event.track;
    screen->focus = PANE_TIMELINE;
    timeline_cursor_to(screen, session_event_start_ns(screen->session, wait->event));
    screen_close(screen);
}

static bool overlap_act(struct screen *screen, enum action action)
{
    struct overlap_view *view = overlap_state(screen);
    const size_t row = sheet_table_row(&view->table);
    if (action != ACTION_OPEN || !view->made || view->why[0] != '\0' || row >= (size_t)view->line_count ||
        view->lines[row].kind != LINE_WAIT)
        return false;
    show_wait(screen, &view->overlap.waits[view->lines[row].index]);
    return true;
}

static struct sheet_table *table_of(const struct screen *screen)
{
    return &overlap_state(screen)->table;
}

/* Only of a run whose operations could overlap: several, or copies. */
static int lines_beside(struct screen *screen, int width)
{
    const struct overlap_view *view = overlap_state(screen);
    (void)width;
    if (screen->run == NONE || timeline_state(screen)->rows_list.count == 0)
        return 0;
    return 3 +
           (view->made && view->run == screen->run ? view->line_count : LINES_UNKNOWN); /* heads, groups */
}

static const struct view_key keys[] = {
    {.action = ACTION_OPEN, .hint = "show what waited", .help = "go to what waited in the timeline"},
    {.action = ACTION_STATISTICS},
    {.action = ACTION_NONE},
};

const struct view view_overlap = {
    .title = "Overlap",
    .flags = VIEW_OF_RANGE,
    .opened_by = ACTION_OVERLAP,
    .state_bytes = sizeof(struct overlap_view),
    .forget = forget_overlap,
    .update = overlap_update,
    .draw = overlap_draw,
    .work = overlap_work,
    .act = overlap_act,
    .table = table_of,
    .beside = {.order = 2, .lines = lines_beside},
    .keys = keys,
};
