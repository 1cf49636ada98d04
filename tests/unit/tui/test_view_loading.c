/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording is of use while it loads: its kernels' sums are known at once, and what is loaded can be looked
 * at, filtered and summed up, as it is when all is there.
 */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 24000
#define SLICE 8000

static struct session *session;
static struct loader *loader;
static bool done;

/* Two streams: matmul now and then, and copies_much between. */
static void record(void)
{
    static const char *const names[] = {"matmul", "saxpy"};
    uint32_t kernels[2], tracks[2];
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, INT64_C(1790000000000000000), NULL), STATUS_OK);
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(session, &process);
    struct device_row device = {.info = {.name = "test"}};
    session_add_device(session, &device);
    struct run_row run = {.program = session_add_string(session, "test", 4), .verified = -1};
    atomic_init(&run.end_ns, INT64_MIN);
    session_add_run(session, &run);
    for (uint32_t i = 0; i < 2; i++) {
        struct shape_row shape = {.name = session_add_string(session, names[i], strlen(names[i])),
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1}};
        kernels[i] = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
        struct track_row track = {.kind = TRACK_STREAM, .context = 1, .stream = 7 + i, .thread = NONE};
        tracks[i] = session_add_track(session, &track);
    }
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        struct item item = {.kind = ITEM_LAUNCH, .correlation = i + 1};
        item.launch.call_start_ns = INT64_MIN;
        item.launch.kernel = kernels[i % 2];
        int64_t start_ns = (int64_t)(i / 2) * 1000;
        cr_assert(session_add_event(session, tracks[i % 2], start_ns, start_ns + 500 + 100 * (i % 2), &item));
    }
    temporary_start(&recorder, session, 0);
    temporary_stop(recorder);
    session_destroy(session);
}

static struct session *host_session(void *context)
{
    (void)context;
    return session;
}

static void host_state(void *context, struct tui_host_state *state)
{
    (void)context;
    *state = (struct tui_host_state){.overhead_pct = -1, .loading = !done};
    state->progress = loader_progress(loader);
}

static const struct tui_host host = {.session = host_session, .state = host_state, .title = "a.lsr"};

static void setup(void)
{
    const struct tui_options options = {.color = true};
    temporary_make();
    record();
    done = false;
    cr_assert_eq(loader_open(&loader, &session, temporary_path, NULL), STATUS_OK);
    cr_assert_eq(loader_step(loader, SLICE, &done, NULL), STATUS_OK);
    cr_assert(!done);
    cr_assert_eq(screen_init(&screen, view_table, &host, &options, NULL), STATUS_OK);
    cr_assert_eq(canvas_init(&canvas, 160, 50, false, NULL), STATUS_OK);
    screen_update(&screen, 160, 50);
}

static void teardown(void)
{
    screen_fini(&screen);
    canvas_fini(&canvas);
    loader_close(loader);
    session_destroy(session);
    temporary_remove();
}

/* With what is worked out between frames. */
static void update(void)
{
    screen_update(&screen, 160, 50);
    while (screen_work(&screen)) {
    }
}

static void load_all(void)
{
    while (!done)
        cr_assert_eq(loader_step(loader, SLICE, &done, NULL), STATUS_OK);
    screen.clock_ms += 10000;
    update();
}

static void act(enum action action)
{
    screen_key(&screen, action_info(action)->key[0]);
    update();
}

static uint64_t events_shown(void)
{
    uint64_t events = 0;
    for (int i = 0; i < timeline_state(&screen)->cell_rows; i++)
        events += timeline_state(&screen)->rows[timeline_row_of_line(&screen, i)].kind == ROW_TRACK
                      ? timeline_state(&screen)->rows[timeline_row_of_line(&screen, i)].events
                      : 0;
    return events;
}

/* The first quarter of what is loaded. */
static void look(void)
{
    screen.focus = PANE_TIMELINE;
    timeline_state(&screen)->window = axis_make(0, SLICE / 8 * 1000);
    timeline_state(&screen)->fitted = true;
    screen_update(&screen, 160, 50);
}

Test(view_loading, kernels_have_their_sums_at_once, .init = setup, .fini = teardown)
{
    cr_assert(shows("loading 33 %"));
    cr_assert_eq(kernels_state(&screen)->list.count, 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(kernels_state(&screen)->items[i].launches, LAUNCHES / 2);
        cr_assert_eq(kernels_state(&screen)->items[i].max_ns,
                     strcmp(kernels_state(&screen)->items[i].name, "saxpy") ? 500 : 600);
    }
    uint64_t total = kernels_state(&screen)->items[0].total_ns;
    load_all();
    cr_assert_eq(kernels_state(&screen)->items[0].total_ns, total);
    cr_assert(!shows("loading"));
}

Test(view_loading, what_is_loaded_is_summed_up, .init = setup, .fini = teardown)
{
    look();
    cr_assert_eq(events_shown(), SLICE / 4);
    act(ACTION_OVERLAP);
    struct overlap early = overlap_state(&screen)->overlap;
    cr_assert_eq(early.operations, SLICE / 4);
    cr_assert_eq(early.kernel_busy_ns, SLICE / 8 * 600);
    load_all();
    cr_assert_eq(overlap_state(&screen)->overlap.operations, early.operations);
    cr_assert_eq(overlap_state(&screen)->overlap.kernel_busy_ns, early.kernel_busy_ns);
    act(ACTION_BACK);
    cr_assert_eq(events_shown(), SLICE / 4);
}

Test(view_loading, what_is_loaded_is_found_by_name, .init = setup, .fini = teardown)
{
    look();
    cr_assert(timeline_filter_set(&timeline_state(&screen)->filter, "matmul", NULL));
    screen_update(&screen, 160, 50);
    cr_assert_eq(events_shown(), SLICE / 8);
    load_all();
    cr_assert_eq(events_shown(), SLICE / 8);
}
