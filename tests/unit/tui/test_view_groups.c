/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headings on the timeline: devices and processes of an MPI-like program, three ranks with two devices each.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/golden.h"

#include "tui/terminal/writer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define RANKS 3
#define DEVICES 2
#define EVENTS 40
#define US INT64_C(1000)

static const int32_t ranks[RANKS] = {2, 0, 1}; /* in the order in which they came */

static uint32_t string(const char *text)
{
    return session_add_string(fixture.session, text, strlen(text));
}

static void add_work(uint32_t process, uint32_t device, uint32_t context, uint32_t stream, uint32_t kernel,
                     uint64_t *state)
{
    struct track_row row = {.kind = TRACK_STREAM,
                            .process = process,
                            .device = device,
                            .context = context,
                            .stream = stream,
                            .thread = NONE};
    uint32_t track = session_add_track(fixture.session, &row);
    int64_t at = 0;
    for (int i = 0; i < EVENTS; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        struct item item = {.kind = (*state >> 33) % 4 == 0 ? ITEM_COPY : ITEM_LAUNCH};
        if (item.kind == ITEM_COPY) {
            item.a = COPY_HTOD;
            item.copy.call_start_ns = INT64_MIN;
        } else {
            item.launch.call_start_ns = INT64_MIN;
            item.launch.kernel = kernel;
        }
        at += (int64_t)((*state >> 40) % 90) * US;
        int64_t end = at + (int64_t)(1 + (*state >> 50) % 70) * US;
        cr_assert(session_add_event(fixture.session, track, at, end, &item));
        at = end;
    }
    if (at > session_now_ns(fixture.session, CLOCK_WALL))
        session_set_now(fixture.session, CLOCK_WALL, at);
}

static void add_process(uint32_t index, uint64_t *state)
{
    struct process_row process = {
        .pid = 100 + (int32_t)index, .rank = ranks[index], .program = string("/bin/solve")};
    atomic_init(&process.end_ns, INT64_MIN);
    uint32_t id = session_add_process(fixture.session, &process);
    uint32_t devices[DEVICES];
    for (uint32_t d = 0; d < DEVICES; d++) {
        struct device_row device = {.process = id, .ordinal = d, .info = {.name = "NVIDIA H200"}};
        devices[d] = session_add_device(fixture.session, &device);
    }
    struct run_row run = {.process = id, .device = devices[0], .program = process.program};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    uint32_t made = session_add_run(fixture.session, &run);
    struct shape_row shape = {.name = string("step"), .grid = {8, 1, 1}, .block = {64, 1, 1}};
    uint32_t kernel =
        session_add_kernel(fixture.session, made, session_add_shape(fixture.session, &shape), devices[0]);
    add_work(id, devices[1], 2, 7, kernel, state);
    add_work(id, devices[0], 1, 13, kernel, state);
    add_work(id, devices[0], 1, 7, kernel, state);
    add_work(id, devices[0], 3, 7, kernel, state);
    struct track_row calls = {.kind = TRACK_CALLS,
                              .process = id,
                              .device = NONE,
                              .context = NONE,
                              .stream = NONE,
                              .thread = 100 + index};
    struct item call = {.kind = ITEM_CALL, .b = CALL_LAUNCH, .call = {.name = string("cudaLaunchKernel")}};
    cr_assert(session_add_event(fixture.session, session_add_track(fixture.session, &calls), 10 * US, 20 * US,
                                &call));
}

static void start_ranks_wide(int width, int height)
{
    uint64_t state = 17;
    start(FIXTURE_EMPTY, width, height);
    screen.stack_count = 0;
    for (uint32_t i = 0; i < RANKS; i++)
        add_process(i, &state);
    press("S-TAB O 0");
}

static void start_ranks(int height)
{
    start_ranks_wide(180, height);
}

static int heading_of(enum row_kind kind, uint32_t group)
{
    for (int i = 0; i < timeline_state(&screen)->rows_list.count; i++)
        if (timeline_state(&screen)->rows[i].kind == kind && timeline_state(&screen)->rows[i].group == group)
            return i;
    return -1;
}

static void select_heading(enum row_kind kind, uint32_t group)
{
    cr_assert_geq(heading_of(kind, group), 0);
    list_select(&timeline_state(&screen)->rows_list, heading_of(kind, group));
    screen_update(&screen, canvas.width, canvas.height);
}

/* The bar of a run is that of one device, and says so where the run has several. */
Test(groups, the_bar_of_a_run_names_its_device)
{
    start_ranks(50);
    press("O"); /* timeline, list and panel */
    cr_assert(shows("GPU 0 of 2, 129 steps: ") || shows("GPU 1 of 2, 129 steps: "));
    stop();
}

/* Ranks in their order, whatever order they came in; below each its devices, below these their streams. */
Test(groups, processes_lie_by_rank_and_rows_below_their_device)
{
    static const char *const lines[] = {
        "- rank 0, solve",       " - GPU 0, H200", "  stream 7, context 1", "  stream 13, context 1",
        "  stream 7, context 3", " - GPU 1, H200", "  stream 7 ",           " calls of thread 101",
        "- rank 1, solve"};
    start_ranks(50);
    press("c");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, RANKS * (2 + DEVICES + 4 + DEVICES));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        cr_assert(shows(lines[i]));
    int at[RANKS];
    for (uint32_t i = 0; i < RANKS; i++)
        at[i] = heading_of(ROW_PROCESS, i);
    cr_assert(at[1] < at[2] && at[2] < at[0]);
    for (int r = 0; r < timeline_state(&screen)->rows_list.count; r++) {
        const struct timeline_row *row = &timeline_state(&screen)->rows[r];
        int depth = row->kind == ROW_PROCESS ? 0 : row->kind == ROW_DEVICE ? 1 : 2;
        if (row->kind == ROW_TRACK && session_track(fixture.session, row->track)->device == NONE)
            depth = 1;
        cr_assert_eq(row->depth, depth);
    }
    cr_assert(shows("solve, all processes"));
    stop();
}

/* One process, one device: no heading but the device's. */
Test(groups, one_process_has_no_heading)
{
    start(FIXTURE_TIMELINE, 140, 40);
    press("S-TAB O");
    int devices = 0;
    for (int r = 0; r < timeline_state(&screen)->rows_list.count; r++) {
        cr_assert_neq(timeline_state(&screen)->rows[r].kind, ROW_PROCESS);
        devices += timeline_state(&screen)->rows[r].kind == ROW_DEVICE;
    }
    cr_assert_eq(devices, 1);
    cr_assert(shows("- GPU 0, H200"));
    stop();
}

static int64_t busy_of(const struct timeline_row *heading, int64_t from, int64_t to, uint64_t *begun)
{
    int64_t busy = 0;
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++) {
        const struct track_row *row = session_track(fixture.session, track);
        bool below =
            heading->kind == ROW_DEVICE ? row->device == heading->group : row->process == heading->group;
        uint32_t lanes = atomic_load(&row->lane_count);
        for (uint32_t lane = 0; below && row->kind == TRACK_STREAM && lane < lanes; lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(fixture.session, track, lane); i++) {
                struct event_ref ref = {track, lane, i};
                int64_t start = session_event_start_ns(fixture.session, ref),
                        end = session_event_end_ns(fixture.session, ref);
                *begun += start >= from && start < to;
                start = start > from ? start : from;
                end = end < to ? end : to;
                busy += end > start ? end - start : 0;
            }
        }
    }
    return busy;
}

/* Against a sum over all events, folded or not, scrolled or not, whole or zoomed. */
Test(groups, a_heading_sums_what_lies_below_it)
{
    static const char *const views[] = {"", "+ + +", "k k k k z", "j j j j j j j j j j", "z"};
    start_ranks(16);
    int compared = 0, digits = 0;
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) {
        press(views[v]);
        for (int line = 0; line < timeline_state(&screen)->cell_rows; line++) {
            const struct timeline_row *row =
                &timeline_state(&screen)->rows[timeline_row_of_line(&screen, line)];
            uint64_t begun = 0, all = 0;
            for (int k = 0; k < timeline_state(&screen)->columns && row->kind != ROW_TRACK; k++) {
                const struct timeline_cell *cell =
                    &timeline_state(&screen)
                         ->cells[(size_t)line * (size_t)timeline_state(&screen)->columns + (size_t)k];
                int64_t from = axis_column_start(timeline_state(&screen)->window,
                                                 timeline_state(&screen)->columns, k),
                        to = axis_column_start(timeline_state(&screen)->window,
                                               timeline_state(&screen)->columns, k + 1);
                double streams = (double)busy_of(row, from, to, &begun) / (double)(to - from);
                double drawn = cell->shape == CELL_EMPTY   ? 0
                               : cell->shape == CELL_LEVEL ? cell->eighths / 8.0
                               : cell->mark == ' '         ? 1
                                                           : cell->mark - '0';
                double off = streams < 1 ? 0.13 : 0.51;
                cr_assert_float_eq(drawn, streams, off, "%f drawn as %f", streams, drawn);
                compared++;
                digits += cell->mark >= '2';
            }
            busy_of(row, timeline_state(&screen)->window.start_ns, timeline_state(&screen)->window.end_ns,
                    &all);
            cr_assert(row->kind == ROW_TRACK || (row->events == all && begun == all));
        }
    }
    cr_assert(compared > 1000 && digits > 20, "%d, %d", compared, digits);
    stop();
}

Test(groups, a_folded_heading_stands_for_its_rows)
{
    start_ranks(50);
    press("+"); /* where all is shown there is no minimap */
    int count = timeline_state(&screen)->rows_list.count;
    uint8_t minimap[400];
    memcpy(minimap, timeline_state(&screen)->minimap, 2 * (size_t)timeline_state(&screen)->columns);
    select_heading(ROW_DEVICE, 2); /* GPU 0 of rank 0 */
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count - 4);
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].group, 2);
    cr_assert(shows("+ GPU 0, H200"));
    select_heading(ROW_PROCESS, 1);
    press("ENTER");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count - 8);
    cr_assert(shows("+ rank 0, solve"));
    cr_assert_eq(
        memcmp(minimap, timeline_state(&screen)->minimap, 2 * (size_t)timeline_state(&screen)->columns), 0,
        "the minimap has all");
    /* Jumps find what lies in it. */
    int64_t before = timeline_state(&screen)->cursor_ns;
    press("n");
    cr_assert_gt(timeline_state(&screen)->cursor_ns, before);
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].kind,
                 ROW_PROCESS);
    press("M N");
    cr_assert(shows("streams and"));
    press("z");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count - 4);
    stop();
}

/* A click on its sign folds it, one beside that does not. */
Test(groups, the_mouse_folds)
{
    start_ranks(50);
    struct rect area = screen.layout.pane[PANE_TIMELINE];
    struct timeline_parts parts = timeline_parts_of(timeline_state(&screen), area);
    int count = timeline_state(&screen)->rows_list.count;
    for (int beside = 1; beside >= 0; beside--) {
        const struct mouse click = {
            .kind = MOUSE_DOWN, .x = parts.inside.x + 1 + 4 * beside, .y = parts.rows};
        cr_assert_eq(timeline_state(&screen)->rows[timeline_row_of_line(&screen, 0)].kind, ROW_PROCESS);
        screen_mouse(&screen, &click);
        screen_update(&screen, canvas.width, canvas.height);
        cr_assert_eq(timeline_state(&screen)->rows_list.count < count, beside == 0);
    }
    stop();
}

/* Who goes to an event in a folded heading sees it. */
Test(groups, what_is_wanted_is_unfolded)
{
    start_ranks(50);
    select_heading(ROW_PROCESS, 1);
    press("z");
    for (uint32_t track = 0; track < session_track_count(fixture.session); track++)
        if (session_track(fixture.session, track)->process == 1)
            timeline_state(&screen)->select_track = track;
    uint32_t wanted = timeline_state(&screen)->select_track;
    press("c j");
    for (uint32_t track = 0; track < wanted; track++)
        if (session_track(fixture.session, track)->process == 1)
            timeline_state(&screen)->select_track = track;
    screen_update(&screen, canvas.width, canvas.height);
    cr_assert_eq(timeline_state(&screen)->rows[heading_of(ROW_PROCESS, 1)].folded, 0);
    cr_assert_eq(timeline_state(&screen)->rows[timeline_state(&screen)->rows_list.selected].kind, ROW_TRACK);
    stop();
}

Test(groups, headings_hide_move_and_pin)
{
    start_ranks(50);
    int count = timeline_state(&screen)->rows_list.count;
    select_heading(ROW_PROCESS, 2); /* rank 1 */
    press("K");
    cr_assert_eq(heading_of(ROW_PROCESS, 2), 0);
    cr_assert_eq(timeline_state(&screen)->rows_list.selected, 0);
    press("K");
    cr_assert(shows("the first of its kind"));
    press("i");
    cr_assert_eq(heading_of(ROW_PROCESS, 2), -1);
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count - 9);
    cr_assert_eq(timeline_state(&screen)->hidden, 6);
    press("I");
    cr_assert_eq(timeline_state(&screen)->rows_list.count, count);
    select_heading(ROW_DEVICE, 1); /* GPU 1 of rank 2 */
    int gpu_1 = heading_of(ROW_DEVICE, 1);
    press("K");
    cr_assert_eq(heading_of(ROW_DEVICE, 1), gpu_1 - 5);
    press("P");
    cr_assert_eq(heading_of(ROW_DEVICE, 1), 0);
    cr_assert(shows("GPU 1, H200, rank 2"));
    press("P");
    stop();
}

/* A stream that is pinned lies without its headings, and says whose it is. */
Test(groups, a_pinned_stream_says_whose_it_is)
{
    start_ranks(50);
    int first = heading_of(ROW_DEVICE, 2) + 1;
    list_select(&timeline_state(&screen)->rows_list, first);
    press("P j");
    cr_assert_eq(timeline_state(&screen)->rows[0].kind, ROW_TRACK);
    cr_assert_eq(timeline_state(&screen)->rows[0].depth, 0);
    cr_assert(shows("^stream 7, context 1, rank 0"));
    stop();
}

/* Overlap is of the process whose row is selected: its numbers are those of that run. */
Test(groups, overlap_is_of_the_selected_process)
{
    start_ranks(50);
    for (uint32_t process = 0; process < RANKS; process++) {
        struct overlap overlap;
        char title[40];
        select_heading(ROW_PROCESS, process);
        press("j o");
        snprintf(title, sizeof title, "solve, rank %d", ranks[process]);
        cr_assert(shows(title));
        cr_assert_eq(overlap_compute(fixture.session, process, timeline_state(&screen)->window.start_ns,
                                     timeline_state(&screen)->window.end_ns, &overlap, NULL),
                     STATUS_OK);
        cr_assert_eq(overlap_state(&screen)->overlap.kernel_busy_ns, overlap.kernel_busy_ns);
        cr_assert_eq(overlap_state(&screen)->overlap.operations, overlap.operations);
        cr_assert_eq(overlap.operations, 4 * EVENTS);
        press("q");
    }
    stop();
}

/* ---- pictures ---- */

Test(groups, equal_the_golden_files)
{
    static const struct {
        const char *name;
        int width, height;
        const char *keys;
        bool ascii;
    } cases[] = {{"ranks-20x5.txt", 20, 5, "k", false},
                 {"ranks-80x24.txt", 80, 24, "c + + k k", false},
                 {"ranks-200x60.txt", 200, 60, "c j j P k k k k z", false},
                 {"ranks-ascii-120x40.txt", 120, 40, "k k z", true}};
    int different = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        start_ranks_wide(cases[i].width, cases[i].height);
        press(cases[i].keys);
        canvas.ascii = cases[i].ascii;
        screen_draw(&screen, &canvas);
        writer_text(&canvas, out);
        fclose(out);
        different += !golden_equals(cases[i].name, text, NULL);
        free(text);
        stop();
    }
    cr_assert_eq(different, 0);
}

/* ---- folded events ---- */

/* Two bursts of short events with a pause between: each says how many they are. */
Test(groups, folded_runs_say_how_many_events_they_are_of)
{
    static const int counts[] = {431, 277};
    start(FIXTURE_EMPTY, 140, 30);
    screen.stack_count = 0;
    struct process_row process = {.pid = 5, .rank = -1};
    atomic_init(&process.end_ns, INT64_MIN);
    struct track_row row = {
        .kind = TRACK_CALLS, .device = NONE, .context = NONE, .stream = NONE, .thread = 5};
    session_add_process(fixture.session, &process);
    uint32_t track = session_add_track(fixture.session, &row);
    struct item call = {.kind = ITEM_CALL, .call = {.name = string("cudaLaunchKernel")}};
    for (int burst = 0; burst < 2; burst++)
        for (int i = 0; i < counts[burst]; i++) {
            int64_t at = burst * 1000 * US + i * (400 * US / counts[burst]);
            cr_assert(session_add_event(fixture.session, track, at, at + 300, &call));
            session_set_now(fixture.session, CLOCK_WALL, at + 300);
        }
    press("S-TAB O c 0");
    cr_assert(shows("431") && shows("277") && shows("708"));
    stop();
}
