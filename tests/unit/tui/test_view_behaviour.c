/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the views do: keys through the whole screen, judged by what is drawn and by the state.
 */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(view, drawing_changes_nothing)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("TAB TAB + + l l");
    static struct screen before;
    static struct timeline timeline; /* the others' states are compared by what is drawn */
    memcpy(&before, &screen, sizeof before);
    memcpy(&timeline, timeline_state(&screen), sizeof timeline);
    for (int i = 0; i < 3; i++)
        screen_draw(&screen, &canvas);
    cr_assert_eq(memcmp(&before, &screen, sizeof before), 0);
    cr_assert_eq(memcmp(&timeline, timeline_state(&screen), sizeof timeline), 0);
    stop();
}

Test(view, the_list_decides_what_timeline_and_panel_show)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert(shows("Timeline  transpose:naive n=8192") && shows("A transpose_naive ") &&
              shows("Global stores move 8x"));
    press("j");
    cr_assert(shows("Timeline  transpose:tile n=8192") && shows("Shared loads take 32x"));
    press("G");
    cr_assert(shows("Timeline  transpose:pad n=8192") && shows("This kernel: "));
    stop();
}

/* The list has the short name, by which it can be filtered, too; the panel has all of it: in its title, or in
 * lines of its own. */
Test(view, a_panel_says_the_whole_name)
{
    static const char whole[] = "vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>";
    start(FIXTURE_PROGRAM, 160, 40);
    press("/ _ k e r n e l < A d d ENTER");
    cr_assert(shows("  vectorized_elementwise_kernel<AddFunctor> "));
    press("TAB ENTER");
    char title[120];
    snprintf(title, sizeof title, "at::native::%s ", whole);
    cr_assert(shows(title));
    stop();
    start(FIXTURE_PROGRAM, 60, 40);
    press("/ v e c t o r ENTER TAB ENTER");
    cr_assert(shows(" vectorized_elementwise_kernel<AddFunctor> "));
    cr_assert(shows("at::native::vectorized_elementwise_kernel<4,") &&
              shows("at::native::AddFunctor<float>>"));
    stop();
}

Test(view, counter_runs_are_rows_of_their_trace_runs)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert_eq(session_kernel_count(fixture.session), 16);
    cr_assert_eq(kernels_state(&screen)->list.count, 8);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(session_run(fixture.session, kernels_state(&screen)->items[i].run)->mode, RUN_TRACE);
    stop();
}

Test(view, sorts_by_every_column)
{
    start(FIXTURE_WORKLOADS, 160, 40);
    for (int round = 0; round < 2 * SORT_COUNT; round++) {
        const struct kernel_item *items = kernels_state(&screen)->items;
        for (int i = 1; i < kernels_state(&screen)->list.count; i++) {
            const struct kernel_item *a = &items[i - 1], *b = &items[i];
            switch (kernels_state(&screen)->sort) {
            case SORT_TOTAL:
                cr_assert(kernels_state(&screen)->reverse ? a->total_ns <= b->total_ns
                                                          : a->total_ns >= b->total_ns);
                break;
            case SORT_MEDIAN:
                cr_assert(kernels_state(&screen)->reverse ? a->typical_ns <= b->typical_ns
                                                          : a->typical_ns >= b->typical_ns);
                break;
            case SORT_MAX:
                cr_assert(kernels_state(&screen)->reverse ? a->max_ns <= b->max_ns : a->max_ns >= b->max_ns);
                break;
            case SORT_NAME:
                cr_assert((kernels_state(&screen)->reverse ? -1 : 1) * strcmp(a->name, b->name) <= 0);
                break;
            case SORT_RUN:
                cr_assert(kernels_state(&screen)->reverse ? a->run >= b->run : a->run <= b->run);
                break;
            default: break;
            }
        }
        press(round % 2 == 0 ? "S" : "s");
    }
    stop();
}

Test(view, the_selected_kernel_stays_selected_when_the_order_changes)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("j j j");
    uint32_t kernel = screen.kernel;
    press("s s s S");
    cr_assert_eq(screen.kernel, kernel);
    cr_assert_eq(kernels_state(&screen)->items[kernels_state(&screen)->list.selected].kernel, kernel);
    stop();
}

Test(view, filters_as_it_is_typed)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("OFFSET=3");
    cr_assert_eq(kernels_state(&screen)->list.count, 1);
    press("ENTER");
    cr_assert(shows("filter: OFFSET=3"));
    press("/");
    type("nothing like it");
    cr_assert(shows("No kernel matches the filter"));
    press("ESC");
    cr_assert_eq(kernels_state(&screen)->list.count, 8);
    stop();
}

Test(view, a_run_narrows_the_list)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("r g j j j ENTER");
    cr_assert_eq(kernels_state(&screen)->kernel_count, 1);
    cr_assert(shows("Kernels  1 of transpose:tile n=8192"));
    press("r g ENTER");
    cr_assert_eq(kernels_state(&screen)->list.count, 8);
    stop();
}

Test(view, zooms_and_goes_back)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    struct window before = timeline_state(&screen)->window;
    press("+ + +");
    cr_assert_lt((timeline_state(&screen)->window.end_ns - timeline_state(&screen)->window.start_ns) * 7,
                 before.end_ns - before.start_ns);
    struct window zoomed = timeline_state(&screen)->window;
    press("u u u u u");
    cr_assert_eq(timeline_state(&screen)->window.start_ns, before.start_ns);
    cr_assert_eq(timeline_state(&screen)->window.end_ns, before.end_ns);
    press("U U U U U");
    cr_assert_eq(timeline_state(&screen)->window.start_ns, zoomed.start_ns);
    cr_assert_eq(timeline_state(&screen)->window.end_ns, zoomed.end_ns);
    press("u u + U"); /* another way ends the one gone back from */
    cr_assert_neq(timeline_state(&screen)->window.end_ns, zoomed.end_ns);
    cr_assert_eq(timeline_state(&screen)->undone_count, 0);
    press("u u u u u");
    press("+ + + + + + + + + + + + + + + + + + + + + + + + + + + + + + + +");
    cr_assert_geq(timeline_state(&screen)->window.end_ns - timeline_state(&screen)->window.start_ns,
                  timeline_state(&screen)->columns);
    press("0");
    cr_assert_eq(timeline_state(&screen)->window.end_ns, before.end_ns);
    stop();
}

Test(view, the_cursor_reads_exact_times)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("S-TAB");
    const struct timeline_readout *readout = &timeline_state(&screen)->readout;
    cr_assert(readout->found);
    cr_assert_eq(readout->item.kind, ITEM_COPY);
    cr_assert_eq(readout->start_ns, 2100000);
    press("n");
    cr_assert_eq(readout->item.kind, ITEM_LAUNCH);
    cr_assert_eq(readout->start_ns, 2100000 + (64 << 20) / 50 + 250000);
    cr_assert(shows("at +1.59 ms")); /* from the start of the run's work, to a column's digits */
    cr_assert(shows("from +1,592,177 ns"));
    press("n n N N N");
    cr_assert_eq(readout->item.kind, ITEM_COPY);
    stop();
}

/* Zero is where the run's work begins, with or without the calls before it; one key counts from the session's
 * start, for every run. */
Test(view, times_count_from_the_run_or_from_the_session)
{
    const struct track_row thread = {
        .kind = TRACK_CALLS, .device = NONE, .context = NONE, .stream = NONE, .thread = 901};
    const struct item call = {.kind = ITEM_CALL};
    start(FIXTURE_TIMELINE, 120, 40);
    press("S-TAB g");
    int64_t zero_ns = screen.zero_ns;
    cr_assert(session_add_event(fixture.session, session_add_track(fixture.session, &thread), zero_ns - 5000,
                                zero_ns - 1000, &call));
    cr_assert_gt(zero_ns, 0);
    cr_assert_eq(zero_ns, timeline_state(&screen)->extent.start_ns);
    cr_assert(shows("at +0 "));
    press("c");
    cr_assert_lt(timeline_state(&screen)->extent.start_ns, zero_ns);
    cr_assert_eq(screen.zero_ns, zero_ns);
    press("g");
    cr_assert(shows("at -5 us"));
    press("c Z");
    cr_assert(shows("from the start of the session"));
    cr_assert_eq(screen.zero_ns, 0);
    cr_assert_not(shows("at +"));
    press("r g j ENTER");
    cr_assert_eq(screen.zero_ns, 0);
    press("S-TAB Z");
    cr_assert_eq(screen.zero_ns, timeline_state(&screen)->origin_ns);
    stop();
}

Test(view, enter_on_the_timeline_selects_the_kernel)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("G");
    cr_assert_neq(kernels_state(&screen)->list.selected, 0);
    press("TAB TAB g n n ENTER");
    cr_assert_eq(timeline_state(&screen)->readout.item.kind, ITEM_LAUNCH);
    cr_assert_eq(screen.kernel, timeline_state(&screen)->readout.item.launch.kernel);
    stop();
}

/* What every cell of a row says must follow from the events alone. */
Test(view, cells_agree_with_the_events)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("S-TAB 0 + + + +");
    const struct timeline *t = timeline_state(&screen);
    for (int r = 0; r < t->cell_rows; r++) {
        uint32_t track = t->rows[t->rows_list.top + r].track;
        if (t->rows[t->rows_list.top + r].kind != ROW_TRACK)
            continue;
        for (int k = 0; k < t->columns; k++) {
            int64_t from = axis_column_start(t->window, t->columns, k),
                    to = axis_column_start(t->window, t->columns, k + 1);
            bool busy = false;
            uint32_t lanes = atomic_load(&session_track(fixture.session, track)->lane_count);
            for (uint32_t lane = 0; lane < lanes; lane++) {
                struct event_ref ref = {track, lane, session_lane_find(fixture.session, track, lane, from)};
                busy |= ref.index < session_lane_count_events(fixture.session, track, lane) &&
                        session_event_start_ns(fixture.session, ref) < to;
            }
            const struct timeline_cell *cell = &t->cells[r * t->columns + k];
            if (cell->shape == CELL_OPEN)
                continue;
            cr_assert_eq(cell->shape != CELL_EMPTY, busy, "row %d column %d", r, k);
            if (cell->shape == CELL_EMPTY)
                continue;
            int64_t start = session_event_start_ns(fixture.session, cell->event),
                    end = session_event_end_ns(fixture.session, cell->event);
            cr_assert(start < to && end > from);
            if (cell->shape == CELL_FULL)
                cr_assert(start <= from + (to - from) / 8 && end >= to - (to - from) / 8);
        }
    }
    stop();
}

/* One cell of many events between cells of other work: the longest of many says little, and the cell is grey.
 */
static bool is_confetti(const struct timeline *t, const struct timeline_cell *cell, int k)
{
    int from = k, to = k + 1;
    while (from > 0 && cell[from - 1 - k].shape != CELL_EMPTY && cell[from - 1 - k].owner == cell->owner)
        from--;
    while (to < t->columns && cell[to - k].shape != CELL_EMPTY && cell[to - k].owner == cell->owner)
        to++;
    bool folded = true;
    for (int i = from; i < to; i++)
        folded = folded && cell[i - k].shape == CELL_LEVEL;
    return cell->count > 4 && folded && to - from < 3;
}

/* A cell of several events has the colour of the longest, and a heading's that of what its busiest stream
 * ran: but for confetti none is grey while work of a device is below it. */
Test(view, mixed_cells_have_the_colour_of_work)
{
    start(FIXTURE_TIMELINE, 80, 40);
    press("S-TAB O");
    cr_assert(shows("GPU 0, H200"));
    const struct timeline *t = timeline_state(&screen);
    struct timeline_parts parts = timeline_parts_of(t, screen.layout.pane[PANE_TIMELINE]);
    int mixed = 0, summed = 0;
    for (int r = 0; r < t->cell_rows; r++) {
        const struct timeline_row *row = &t->rows[timeline_row_of_line(&screen, r)];
        for (int k = 0; k < t->columns; k++) {
            const struct timeline_cell *cell = &t->cells[r * t->columns + k];
            const struct cell *drawn =
                canvas_cell(&canvas, parts.inside.x + t->label_width + k, parts.rows + r);
            if (cell->shape == CELL_EMPTY || k == axis_column(t->window, t->columns, t->cursor_ns) ||
                row->kind == ROW_CHART || (row->kind == ROW_TRACK && cell->shape != CELL_LEVEL) ||
                (row->kind == ROW_TRACK && session_track(fixture.session, row->track)->kind == TRACK_RANGES))
                continue;
            cr_assert_neq(cell->color, COLOR_CPU, "row %d, column %d", r, k);
            uint8_t color = row->kind == ROW_TRACK && is_confetti(t, cell, k) ? COLOR_CPU : cell->color;
            cr_assert(drawn->style.foreground == color || drawn->style.background == color,
                      "row %d, column %d is not drawn in its colour, %d: U+%04x %d on %d", r, k, cell->color,
                      drawn->codepoint, drawn->style.foreground, drawn->style.background);
            mixed += row->kind == ROW_TRACK;
            summed += row->kind == ROW_DEVICE;
        }
    }
    cr_assert(mixed > 20 && summed > 20, "%d, %d", mixed, summed);
    stop();
}

Test(view, follows_in_steps_until_one_pans)
{
    start(FIXTURE_PROGRAM, 120, 40);
    cr_assert(timeline_state(&screen)->follow);
    int64_t now = session_now_ns(fixture.session, CLOCK_WALL),
            span = timeline_state(&screen)->window.end_ns - timeline_state(&screen)->window.start_ns;
    int moves = 0;
    struct window last = timeline_state(&screen)->window;
    for (int i = 0; i < 1000; i++) {
        session_set_now(fixture.session, CLOCK_WALL, now += span / 10);
        screen_update(&screen, 120, 40);
        cr_assert(timeline_state(&screen)->window.start_ns <= now &&
                  now < timeline_state(&screen)->window.end_ns);
        moves += last.start_ns != timeline_state(&screen)->window.start_ns ||
                 last.end_ns != timeline_state(&screen)->window.end_ns;
        last = timeline_state(&screen)->window;
    }
    cr_assert(moves > 10 && moves < 40, "%d moves", moves);
    press("H");
    cr_assert(!timeline_state(&screen)->follow);
    last = timeline_state(&screen)->window;
    session_set_now(fixture.session, CLOCK_WALL, now += 10 * span);
    screen_update(&screen, 120, 40);
    cr_assert_eq(timeline_state(&screen)->window.start_ns, last.start_ns);
    press("f");
    cr_assert(now < timeline_state(&screen)->window.end_ns);
    stop();
}

/* The end of a recording that is followed may be read before the last of its events. */
Test(view, shows_all_of_what_has_ended)
{
    start(FIXTURE_PROGRAM, 120, 40);
    cr_assert(timeline_follows(&screen));
    fixture.state.live = false;
    screen_update(&screen, 120, 40);
    cr_assert(!timeline_follows(&screen));
    int64_t now = session_now_ns(fixture.session, CLOCK_WALL);
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = kernels_state(&screen)->items[0].kernel;
    for (int i = 0; i < 3; i++) {
        now += INT64_C(2000000000);
        cr_assert(session_add_event(fixture.session, 1, now, now + 1000, &item));
        session_set_now(fixture.session, CLOCK_WALL, now + 1000);
        screen_update(&screen, 120, 40);
        cr_assert_gt(timeline_state(&screen)->window.end_ns, now);
    }
    press("+"); /* but not once it has been changed */
    struct window window = timeline_state(&screen)->window;
    now += INT64_C(2000000000);
    cr_assert(session_add_event(fixture.session, 1, now, now + 1000, &item));
    session_set_now(fixture.session, CLOCK_WALL, now + 1000);
    screen_update(&screen, 120, 40);
    cr_assert(timeline_state(&screen)->window.start_ns == window.start_ns &&
              timeline_state(&screen)->window.end_ns == window.end_ns);
    stop();
}

Test(view, freezing_holds_the_screen_while_the_session_grows)
{
    start(FIXTURE_PROGRAM, 120, 40);
    press("SPACE");
    cr_assert(shows("FROZEN (collection continues)"));
    struct window window = timeline_state(&screen)->window;
    uint64_t calls = kernels_state(&screen)->items[0].launches;
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = kernels_state(&screen)->items[0].kernel;
    int64_t now = session_now_ns(fixture.session, CLOCK_WALL);
    cr_assert(
        session_add_event(fixture.session, 1, now + INT64_C(5000000000), now + INT64_C(5000100000), &item));
    session_set_now(fixture.session, CLOCK_WALL, now + INT64_C(6000000000));
    screen_update(&screen, 120, 40);
    cr_assert_eq(timeline_state(&screen)->window.end_ns, window.end_ns);
    cr_assert_eq(kernels_state(&screen)->items[0].launches, calls);
    press("SPACE");
    cr_assert_eq(kernels_state(&screen)->items[0].launches, calls + 1);
    cr_assert_gt(timeline_state(&screen)->window.end_ns, window.end_ns);
    stop();
}

Test(view, open_launches_are_drawn_as_running)
{
    start(FIXTURE_PROGRAM, 120, 40);
    int running = 0;
    for (int i = 0; i < timeline_state(&screen)->cell_rows * timeline_state(&screen)->columns; i++)
        running += timeline_state(&screen)->cells[i].shape == CELL_OPEN;
    cr_assert_gt(running, 0);
    stop();
}

Test(view, runs_what_is_chosen)
{
    start(FIXTURE_EMPTY, 100, 30);
    cr_assert(shows("Workloads  5"));
    press("j j j ENTER");
    cr_assert_str_eq(fixture.ran, "transpose");
    cr_assert_eq(screen.stack_count, 0);
    press("w /");
    type("bank\r");
    cr_assert_eq(workloads_state(&screen)->list.count, 1);
    stop();
}

Test(view, keeps_the_recording)
{
    start(FIXTURE_PROGRAM, 100, 30);
    press("W");
    type("mine.lsr\r");
    cr_assert_str_eq(fixture.kept, "mine.lsr");
    cr_assert(shows("Saved as mine.lsr."));
    press("W");
    cr_assert(shows("ENTER: train.lsr"));
    press("ENTER"); /* an empty line: what is proposed */
    cr_assert_str_eq(fixture.kept, "train.lsr");
    stop();
}

Test(view, a_mismatch_carries_a_sign)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    cr_assert(shows("2,097,152 =  2,097,152"));
    uint32_t expected = session_expected_count(fixture.session);
    cr_assert_gt(expected, 0);
    struct panel_line *line = &panel_state(&screen)->lines[METRIC_global_load_requests];
    line->value[PROVENANCE_MEASURED].value.number += 1;
    char *text = screen_text();
    cr_assert(strstr(text, "2,097,152 \xe2\x89\xa0  2,097,153") != NULL, "%s", text);
    free(text);
    stop();
}

Test(view, errors_are_said_at_once)
{
    static const char text[] = "The program could not be started: no such file.";
    start(FIXTURE_PROGRAM, 120, 40);
    const struct notice_row notice = {.text = session_add_string(fixture.session, text, sizeof text - 1),
                                      .process = NONE,
                                      .severity = SEVERITY_ERROR};
    session_add_notice(fixture.session, &notice);
    screen_update(&screen, 120, 40);
    cr_assert(shows(text));
    press("j");
    cr_assert(shows("1 error (m)"));
    stop();
}

Test(view, a_wrong_result_comes_first)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("j j j j j");
    cr_assert(shows("WRONG result: element (3, 17): expected 1041, found 0"));
    stop();
}

Test(view, q_closes_views_and_then_quits)
{
    start(FIXTURE_PROGRAM, 100, 30);
    press("? m r q q");
    cr_assert_eq(screen.stack_count, 1);
    press("q ENTER q");
    cr_assert(!screen.quit && !screen.maximised);
    press("ESC ESC");
    cr_assert(!screen.quit);
    press("q");
    cr_assert(!screen.quit && shows("This run is not saved: W saves it, q again quits."));
    press("j q");
    cr_assert(!screen.quit, "another key between them: it asks again");
    press("q");
    cr_assert(screen.quit);
    stop();
}

static struct session *other_session(void *context)
{
    return context;
}

static void no_state(void *context, struct tui_host_state *state)
{
    (void)context;
    *state = (struct tui_host_state){.overhead_pct = -1};
}

/* why_not: the run did not copy, for this reason; NULL: it did */
static void add_copying_run(uint32_t process, uint32_t device, const char *params, int64_t start_ns,
                            const char *why_not)
{
    struct session *session = fixture.session;
    struct run_row run = {.process = process,
                          .device = device,
                          .group = session_run_count(session),
                          .workload = session_add_string(session, "host-copy", 9),
                          .variant = session_add_string(session, "pinned-in", 9),
                          .params = session_add_string(session, params, strlen(params)),
                          .clock = CLOCK_MODEL,
                          .start_ns = start_ns};
    struct track_row stream = {
        .kind = TRACK_STREAM, .clock = CLOCK_MODEL, .process = process, .device = device, .stream = 7};
    struct item copy = {.kind = ITEM_COPY, .a = COPY_HTOD, .copy = {.size_bytes = 1000}};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    uint32_t added = session_add_run(session, &run), track = session_add_track(session, &stream);
    cr_assert(session_add_event(session, track, start_ns, start_ns + 1000, &copy));
    session_end_run(session, added, start_ns + 2000, why_not ? -1 : 1,
                    why_not ? session_add_string(session, why_not, strlen(why_not)) : 0);
    session_set_now(session, CLOCK_MODEL, start_ns + 2000);
    screen_update(&screen, canvas.width, canvas.height);
}

/* A workload that only copies has no kernel that leads to its run. */
Test(view, shows_a_run_without_kernels)
{
    start(FIXTURE_EMPTY, 140, 40);
    struct process_row process = {.pid = 1, .rank = -1, .clock = CLOCK_MODEL};
    atomic_init(&process.end_ns, INT64_MIN);
    atomic_init(&process.exit_status, -1);
    uint32_t id = session_add_process(fixture.session, &process);
    struct device_row device = {.process = id, .info = {.name = "NVIDIA H200", .is_model = true}};
    uint32_t gpu = session_add_device(fixture.session, &device);

    screen_show_panes(&screen);
    fixture.state.live = true;
    add_copying_run(id, gpu, "kib=1", 1000, NULL);
    cr_assert(shows("Timeline  host-copy:pinned-in kib=1 "));
    cr_assert(shows("This run started no kernel.") && shows("Kernels  0 "));
    cr_assert_str_eq(screen_workload_looked_at(&screen), "host-copy");
    add_copying_run(id, gpu, "kib=2", 5000, NULL);
    cr_assert(shows("Timeline  host-copy:pinned-in kib=2 "));
    fixture.state.live = false;
    add_copying_run(id, gpu, "kib=3", 9000, "Not run: there is one GPU.");
    cr_assert(shows("Timeline  host-copy:pinned-in kib=2 "));
    fixture.state.live = true;
    fixture.state.run = fixture.state.planned = 3;
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(shows("Timeline  host-copy:pinned-in kib=3 ") && shows("run 3 of 3, "));
    fixture.state.launching = true;
    fixture.state.launch =
        (struct progress){.launch = 2, .blocks = 100, .ended = 42, .elapsed_ns = 2100000000};
    snprintf(fixture.state.kernel, sizeof fixture.state.kernel, "tiles");
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(shows(" 42 %  about 3 s left ") && shows("3 of 3 "));
    fixture.state.launching = false;
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(!shows(" 42 %"));
    press("H"); /* the user looks at this run */
    add_copying_run(id, gpu, "kib=4", 12000, NULL);
    cr_assert(shows("Timeline  host-copy:pinned-in kib=3 "));
    press("f");
    cr_assert(shows("Timeline  host-copy:pinned-in kib=4 "));
    press("f");
    cr_assert(shows("no longer follows; f follows the newest run again"));
    fixture.state.live = false;
    fixture.state.run = fixture.state.planned = 0;
    screen_update(&screen, canvas.width, canvas.height);
    press("f");
    cr_assert(shows("Nothing to follow: this session has ended."));
    press("r G k");
    cr_assert(shows("\u2502Not run: there is one GPU. "));
    stop();
}

/* Rows of copies and idle time have no kernel, as a run that has just begun has none: they are not its. */
Test(view, follows_a_run_beside_idle_time)
{
    start(FIXTURE_MODEL, 140, 40);
    fixture.state.live = true;
    press("r G ENTER"); /* only one run: rows of its copies and idle time */
    bool parts = false;
    for (int i = 0; i < kernels_state(&screen)->list.count; i++)
        parts = parts || kernels_state(&screen)->items[i].part != 0;
    cr_assert(parts);
    press("f");
    if (!screen.follows_runs)
        press("f");
    add_copying_run(0, 0, "kib=1", 50000, NULL);
    cr_assert_eq(screen.run, session_run_count(fixture.session) - 1);
    cr_assert(shows("Timeline  host-copy:pinned-in kib=1 "));
    for (int i = 0; i < kernels_state(&screen)->list.count; i++)
        cr_assert_eq(kernels_state(&screen)->items[i].part, 0, "under the bar of another run");
    cr_assert(shows("kern %"));
    stop();
}

/* Kernels of the program's run, each longer than those before it, that end now. */
static void add_longer_kernels(int count)
{
    struct session *session = fixture.session;
    struct track_row stream = {.kind = TRACK_STREAM,
                               .clock = CLOCK_WALL,
                               .process = fixture.process,
                               .device = fixture.device,
                               .stream = 7};
    uint32_t track = session_add_track(session, &stream);
    for (int i = 0; i < count; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "layer_%u", session_kernel_count(session));
        struct shape_row shape = {.name = session_add_string(session, name, (size_t)length),
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1},
                                  .cluster = {1, 1, 1}};
        struct item launch = {.kind = ITEM_LAUNCH};
        launch.launch.call_start_ns = INT64_MIN;
        launch.launch.kernel =
            session_add_kernel(session, 0, session_add_shape(session, &shape), fixture.device);
        int64_t start_ns = INT64_C(1000000000) * (1 + session_kernel_count(session));
        int64_t length_ns = INT64_C(5000000) * (1 + session_kernel_count(session));
        cr_assert(session_add_event(session, track, start_ns, start_ns + length_ns, &launch));
    }
    screen_update(&screen, canvas.width, canvas.height);
}

/* The kernels that take longest come last, some of them with the end of the session, and are most of the run's operations,
 * so that the program's ranges are not its steps; copies from pageable memory are a problem of the run before that. */
Test(view, a_programs_list_shows_its_top_while_it_runs_and_at_its_end)
{
    start(FIXTURE_PROGRAM, 120, 40);
    const struct kernel_list *kernels = kernels_state(&screen);
    for (int part = 0; part < 4; part++) {
        fixture.state.live = part < 2;
        if (part == 2) {
            session_end_run(fixture.session, 0, INT64_C(1000000000000), -1, 0);
            session_end_process(fixture.session, fixture.process, INT64_C(1000000000000), 0);
        }
        add_longer_kernels(300);
        int first = 0; /* kernel: idle time may stand above it */
        while (first < kernels->list.count && kernels->items[first].part != 0)
            first++;
        cr_assert(kernels->list.count > 30 && kernels->list.top == 0 && kernels->list.selected == first,
                  "part %d: %d rows, the first shown is %d, the selected one %d", part, kernels->list.count,
                  kernels->list.top, kernels->list.selected);
        cr_assert(!fixture.state.live || !screen.on_run, "part %d: the run is judged before its end", part);
    }
    cr_assert(run_verdicts_of(&screen.verdicts, 0)->wrong > 0 && screen.on_run);
    stop();
}

/* A run on the model of which a copy of 1 us has ended; it is followed. */
static void start_run_in_progress(void)
{
    add_copying_run(0, 0, "kib=1", 50000, NULL);
    struct run_row *run =
        (struct run_row *)session_run(fixture.session, session_run_count(fixture.session) - 1);
    atomic_store(&run->end_ns, INT64_MIN);
    press("f");
    if (!screen.follows_runs)
        press("f");
    timeline_state(&screen)->fitted = false; /* as when it is the first run */
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert(timeline_follows(&screen));
}

/* A run that is shorter than the usual window fills it, in steps, also after `f` has ended following. */
Test(view, the_window_fits_the_run_in_progress)
{
    start(FIXTURE_MODEL, 120, 40);
    fixture.state.live = true;
    start_run_in_progress();
    const struct timeline *timeline = timeline_state(&screen);
    for (int i = 0; i < 2; i++) {
        int64_t span = timeline->window.end_ns - timeline->window.start_ns,
                known = timeline->extent.end_ns - timeline->extent.start_ns;
        cr_assert(timeline->window.start_ns <= timeline->extent.start_ns &&
                      timeline->window.end_ns >= timeline->extent.end_ns && 2 * known >= span,
                  "%lld of %lld ns", (long long)known, (long long)span);
        press("f");
    }
    stop();
}

/* On the model: hatched up to the percentage that is known, beside what has ended. */
Test(view, a_launch_in_progress_grows)
{
    start(FIXTURE_MODEL, 120, 40);
    fixture.state.live = true;
    start_run_in_progress();
    fixture.state.launching = true;
    int last = 0;
    for (unsigned ended = 20; ended <= 80; ended += 30) {
        fixture.state.launch = (struct progress){.launch = 1, .blocks = 100, .ended = ended};
        screen_update(&screen, 120, 40);
        int hatched = 0;
        for (int i = 0; i < timeline_state(&screen)->cell_rows * timeline_state(&screen)->columns; i++)
            hatched += timeline_state(&screen)->cells[i].shape == CELL_OPEN;
        cr_assert_gt(hatched, last, "%d cells at %u %%, %d before", hatched, ended, last);
        last = hatched;
    }
    stop();
}

/* The host may start a new session under the screen's feet. */
Test(view, takes_another_session)
{
    struct session *empty = NULL;
    start(FIXTURE_WORKLOADS, 120, 40);
    press("j j + TAB j r");
    cr_assert_eq(session_create(&empty, 0, NULL), STATUS_OK);
    fixture.host.session = other_session;
    fixture.host.state = no_state;
    fixture.host.context = empty;
    screen_update(&screen, 120, 40);
    screen_draw(&screen, &canvas);
    press("q");
    cr_assert(shows("No kernel has run yet."));
    session_destroy(empty);
    stop();
}

/* Any keys, in any order, at any size: no crash, and what is selected exists. */
Test(view, survives_random_keys)
{
    uint32_t random = 7;
    start(FIXTURE_PROGRAM, 100, 30);
    for (int i = 0; i < 6000; i++) {
        random = random * 1664525u + 1013904223u;
        enum action action = (enum action)(1 + (random >> 16) % (ACTION_COUNT - 1));
        int width = 1 + (int)(random >> 8 & 127), height = 1 + (int)(random >> 20 & 63);
        screen_key(&screen, (random & 15) == 0 ? (random >> 24) & 127 : action_info(action)->key[0]);
        struct mouse mouse = {.kind = (enum mouse_kind)(random >> 5 & 3),
                              .x = (int)(random >> 9 & 127),
                              .y = (int)(random >> 18 & 63),
                              .second = (random >> 3 & 1) != 0};
        if ((random & 0x700) == 0x100)
            screen_mouse(&screen, &mouse);
        canvas_resize(&canvas, width, height, NULL);
        screen_update(&screen, width, height);
        screen_draw(&screen, &canvas);
        screen.quit = false;
        cr_assert(kernels_state(&screen)->list.count == 0 ||
                  kernels_state(&screen)->list.selected < kernels_state(&screen)->list.count);
        cr_assert_gt(timeline_state(&screen)->window.end_ns, timeline_state(&screen)->window.start_ns - 1);
    }
    stop();
}
