/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the list of workloads says of each workload that was run: which variants, how much faster the best is,
 * whether they were verified; and that it is worked out once, not at every frame.
 */
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t process, device;

static uint32_t add_string(const char *text)
{
    return session_add_string(fixture.session, text, strlen(text));
}

static void begin(int width, int height)
{
    start(FIXTURE_EMPTY, width, height);
    struct process_row row = {.pid = 1, .rank = -1, .clock = CLOCK_MODEL};
    atomic_init(&row.end_ns, INT64_MIN);
    atomic_init(&row.exit_status, -1);
    process = session_add_process(fixture.session, &row);
    struct device_row gpu = {.process = process, .info = {.name = "NVIDIA H200", .is_model = true}};
    device = session_add_device(fixture.session, &gpu);
}

static void look(void)
{
    screen_update(&screen, canvas.width, canvas.height);
    while (screen_work(&screen))
        screen_update(&screen, canvas.width, canvas.height);
}

/* A run of one kernel, "useful" bytes of which are wanted, after a copy of `copy_ns`; verified: 1, 0, -1; 2:
 * it goes on. */
static void add_run(const char *workload, const char *variant, const char *params, int64_t kernel_ns,
                    int64_t copy_ns, double useful, int verified)
{
    struct session *session = fixture.session;
    int64_t start_ns = session_now_ns(session, CLOCK_MODEL) + 1000;
    struct run_row run = {.process = process,
                          .device = device,
                          .group = session_run_count(session),
                          .workload = add_string(workload),
                          .variant = add_string(variant),
                          .params = add_string(params),
                          .effective_kernel = useful > 0 ? add_string("kernel") : 0,
                          .effective_bytes = useful,
                          .clock = CLOCK_MODEL,
                          .start_ns = start_ns};
    struct shape_row shape = {.name = add_string("kernel"), .grid = {8, 1, 1}, .block = {256, 1, 1}};
    struct track_row stream = {
        .kind = TRACK_STREAM, .clock = CLOCK_MODEL, .process = process, .device = device, .stream = 7};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    uint32_t added = session_add_run(session, &run), track = session_add_track(session, &stream);
    uint32_t kernel = session_add_kernel(session, added, session_add_shape(session, &shape), device);
    struct item copy = {.kind = ITEM_COPY, .a = COPY_HTOD, .copy = {.size_bytes = 1000}},
                launch = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel, .call_start_ns = INT64_MIN}};
    cr_assert(session_add_event(session, track, start_ns, start_ns + copy_ns, &copy));
    start_ns += copy_ns;
    cr_assert(session_add_event(session, track, start_ns, start_ns + kernel_ns, &launch));
    if (verified != 2)
        session_end_run(session, added, start_ns + kernel_ns + 100, (int8_t)verified, 0);
    session_set_now(session, CLOCK_MODEL, start_ns + kernel_ns + 1000);
}

Test(states, variants_are_compared)
{
    begin(80, 24);
    look();
    cr_assert(shows("  transpose          Transpose a matrix"), "nothing was run");
    add_run("transpose", "pad", "n=1024", 1000, 50000, 1e6, 1);
    look();
    cr_assert(shows("\u2713 transpose          1 run"));
    add_run("transpose", "naive", "n=1024", 8000, 50000, 1e6, 1);
    add_run("transpose", "tile", "n=1024", 1900, 50000, 1e6, 1);
    look();
    cr_assert(shows("\u2713 transpose          3 variants, naive -> pad kernels 8.0x"),
              "of the kernels, not of the copies");
    add_run("transpose", "copy", "n=4096", 16000, 50000, 16e6, 1);
    look();
    cr_assert(!shows("8.0x"), "another size is other work");
    stop();
}

Test(states, parameters_are_compared)
{
    begin(80, 24);
    add_run("copy-stride", "strided", "stride=1,n=1024", 1000, 10, 1e6, 1);
    add_run("copy-stride", "strided", "stride=32,n=1024", 2500, 10, 1e6 / 4, 1);
    look();
    cr_assert(shows("\u2713 copy-stride        2 runs, stride=32 -> stride=1 kernels 10x"),
              "for each useful byte");
    add_run("bank-stride", "32-bit", "stride=2", 1000, 10, 1e6, 1);
    add_run("bank-stride", "32-bit", "stride=2", 1030, 10, 1e6, 1);
    look();
    cr_assert(shows("\u2713 bank-stride        2 runs"));
    char *text = screen_text();
    cr_assert_null(strstr(text, "stride=2 ->"), "the same again is no other case:\n%s", text);
    free(text);
    stop();
}

/* Where the work is copying the time of the run counts, and n rounded to whole chunks is the same work. */
Test(states, streams_are_compared_by_the_time_of_the_run)
{
    begin(80, 24);
    add_run("n-way", "serial", "n=100000,streams=1", 1000, 19000, 1e6, 1);
    add_run("n-way", "two", "n=100100,streams=2", 2000, 8000, 1e6, 1);
    look();
    cr_assert(shows("\u2713 n-way              2 variants, serial -> two 2.0x"));
    add_run("n-way", "serial", "n=200000,streams=1", 1000, 19000, 1e6, 1);
    look();
    cr_assert(!shows("2.0x"), "twice the words are other work");
    stop();
}

/* What is compared does not depend on which runs were looked at before, nor on when: a verdict that was made while
 * its run was in progress is made again. */
Test(states, views_before_change_nothing)
{
    begin(80, 24);
    add_run("n-way", "serial", "n=100000", 1000, 19000, 0, 1);
    add_run("n-way", "two", "n=100000", 2000, 8000, 0, 1);
    add_run("n-way", "four", "n=100000", 1000, 4000, 0, 1);
    for (uint32_t run = 1; run < 3; run++) /* as when they are shown */
        run_verdicts_ask(&screen, run);
    screen_update(&screen, 80, 24);
    char *text = screen_text();
    cr_assert_null(strstr(text, "->"), "two of three times are known:\n%s", text);
    free(text);
    look();
    cr_assert(shows("2 variants, serial -> four 4.0x"));
    stop();
    begin(80, 24);
    fixture.state.live = true;
    screen.clock_ms = 10000;
    add_run("n-way", "two", "n=100000", 2000, 8000, 0, 1);
    add_run("n-way", "serial", "n=100000", 1000, 19000, 0, 2);
    look();
    run_verdicts_ask(&screen, 1); /* in progress: 20 us so far */
    int64_t end_ns = session_now_ns(fixture.session, CLOCK_MODEL);
    const struct item copy = {.kind = ITEM_COPY, .a = COPY_DTOH, .copy = {.size_bytes = 1000}};
    cr_assert(session_add_event(fixture.session, 0, end_ns, end_ns + 20000, &copy));
    session_end_run(fixture.session, 1, end_ns + 21000, 1, 0);
    session_set_now(fixture.session, CLOCK_MODEL, end_ns + 22000);
    add_run("transpose", "pad", "n=1024", 1000, 50000, 1e6, 1); /* the views show this one */
    screen.clock_ms += 600;
    look();
    cr_assert(shows("serial -> two 4.0x"));
    stop();
}

/* A host that judges at once, and shows a stage more with each look: nothing, the times, the advice. */
static struct run_verdict_share *share;
static uint32_t looks, ended;

static const struct run_verdict_share *judge_in_stages(void *context, uint32_t run, bool *done)
{
    (void)context;
    if (!share) {
        share = calloc(1, run_verdict_share_bytes(fixture.session));
        share->kernel_room = session_kernel_count(fixture.session);
        run_verdict_make(fixture.session, run, share);
    }
    atomic_store(&share->made, looks < 2 ? looks : 2);
    *done = looks++ >= 2;
    return share;
}

static void stop_judging(void *context)
{
    (void)context;
    free(share);
    share = NULL;
    ended++;
}

/* 6,000 times: a launch, and a synchronisation after which the host goes on. */
static void add_long_run(void)
{
    struct session *session = fixture.session;
    struct run_row run = {.process = process, .device = device, .clock = CLOCK_MODEL};
    struct shape_row shape = {.name = add_string("kernel"), .grid = {800, 1, 1}, .block = {256, 1, 1}};
    struct track_row stream = {
        .kind = TRACK_STREAM, .clock = CLOCK_MODEL, .process = process, .device = device, .stream = 7};
    struct track_row calls = {
        .kind = TRACK_CALLS, .clock = CLOCK_MODEL, .process = process, .device = NONE, .thread = 9};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    uint32_t added = session_add_run(session, &run), on = session_add_track(session, &stream),
             by = session_add_track(session, &calls);
    uint32_t kernel = session_add_kernel(session, added, session_add_shape(session, &shape), device);
    for (int64_t at_ns = 0; at_ns < INT64_C(6000) * 20000; at_ns += 20000) {
        struct item item = {
            .kind = ITEM_LAUNCH,
            .launch = {.kernel = kernel, .call_start_ns = at_ns, .call_duration_ns = 5000, .call_thread = 9}};
        struct item call = {
            .kind = ITEM_CALL, .b = CALL_LAUNCH, .call = {.name = add_string("cuLaunchKernel")}};
        cr_assert(session_add_event(session, on, at_ns + 6000, at_ns + 11000, &item));
        cr_assert(session_add_event(session, by, at_ns, at_ns + 5000, &call));
        call.b = CALL_OTHER;
        call.call.name = add_string("cuCtxGetDevice");
        cr_assert(session_add_event(session, by, at_ns + 5100, at_ns + 5200, &call));
        cr_assert(session_add_event(session, by, at_ns + 5300, at_ns + 5400, &call));
    }
    session_end_run(session, added, INT64_C(6000) * 20000, -1, 0);
    session_set_now(session, CLOCK_MODEL, INT64_C(6000) * 20000 + 1000);
}

/* A long run says what a short one would: what the replay ranks first, and until then that it is replayed. */
Test(states, a_long_run_is_judged_beside_the_screen)
{
    char text[400], here[400];
    begin(80, 24);
    add_long_run();
    run_verdicts_ask(&screen, 0);
    while (run_verdicts_work(&screen))
        ;
    run_verdict_text(run_verdicts_of(&screen.verdicts, 0), here, sizeof here);
    cr_assert(strlen(here) > 20, "%s", here);
    cr_assert(run_verdicts_of(&screen.verdicts, 0)->run_first, "the replay ranks it: %s", here);
    stop();
    begin(80, 24);
    add_long_run();
    fixture.host.judge = judge_in_stages;
    fixture.host.stop_judging = stop_judging;
    run_verdicts_ask(&screen, 0);
    const struct run_verdict *verdict = run_verdicts_of(&screen.verdicts, 0);
    cr_assert(run_verdicts_is_due(&screen.verdicts, 0) && !verdict->known);
    cr_assert(run_verdicts_work(&screen) && !verdict->known, "nothing is there yet");
    cr_assert(run_verdicts_work(&screen) && verdict->known && verdict->replaying);
    cr_assert_gt(verdict->time.operations, 0);
    cr_assert_eq(verdict->advice_count, 0);
    run_verdict_text(verdict, text, sizeof text);
    cr_assert_str_eq(text, "the run: replayed to see what would help");
    cr_assert(run_verdicts_work(&screen) && !verdict->replaying && ended == 1);
    run_verdict_text(verdict, text, sizeof text);
    cr_assert_str_eq(text, here);
    cr_assert(!run_verdicts_work(&screen) && !run_verdicts_is_due(&screen.verdicts, 0));
    stop();
}

Test(states, what_is_not_verified_is_said_first)
{
    begin(80, 24);
    fixture.state.live = true;
    screen.clock_ms += 1000;
    add_run("transpose", "pad", "n=1024", 1000, 10, 1e6, 1);
    add_run("transpose", "naive", "n=1024", 8000, 10, 1e6, 0);
    add_run("bank-stride", "32-bit", "stride=2", 1000, 10, 1e6, -1);
    add_run("n-way", "two", "n=1024", 1000, 10, 1e6, 2);
    look();
    cr_assert(shows("\u2717 transpose          1 of 2 runs not verified, naive -> pad kernels"));
    cr_assert(shows("\u00b7 bank-stride        1 of 1 runs not verified"));
    cr_assert(shows("\u2591 n-way              running, 1 run so far"));
    fixture.state.live = false; /* it was cut off */
    look();
    cr_assert(shows("\u00b7 n-way              1 of 1 runs not verified"));
    stop();
}

/* Under the ribbon of a live session: the runs for the same work in their order, the one in progress last and
 * hatched. A bound and what goes on are not compared, and the best is the best of what is comparable. */
Test(states, runs_for_the_same_work_race)
{
    static struct tui_workload nway = {.name = "n-way"};
    static const struct tui_variant variants[] = {
        {.name = "serial"}, {.name = "two"}, {.name = "none", .bound = true}};
    char *text;
    begin(120, 40);
    nway.variants = variants;
    nway.variant_count = sizeof variants / sizeof *variants;
    fixture.host.workloads = &nway;
    fixture.host.workload_count = 1;
    fixture.state.live = true;
    screen.clock_ms += 1000;
    add_run("n-way", "serial", "n=200000", 9000, 19000, 1e6, 1);
    add_run("n-way", "serial", "n=100000", 1000, 19000, 1e6, 1);
    add_run("n-way", "none", "n=100000", 1000, 1000, 1e6, 1);
    add_run("n-way", "two", "n=100000", 2000, 8000, 1e6, 1);
    add_run("n-way", "two", "n=100000", 1000, 1000, 1e6, 2);
    screen_show_panes(&screen);
    screen_update(&screen, 120, 40);
    const struct race *race = &timeline_state(&screen)->race;
    cr_assert_eq(race->count, 4, "%d lines: twice the words are other work", race->count);
    cr_assert(shows("\u2713 serial n=100000  ~20.0 us    2.00x \u2588"));
    cr_assert(shows("\u2713 none             ~2.00 us    bound \u2588"));
    cr_assert(shows("\u2713 two              ~10.0 us     best \u2588"));
    cr_assert(shows("\u25b8 two              ~2.00 us   so far \u2591"));
    for (int i = 0; i < 10; i++)
        add_run("n-way", "serial", "n=100000", 1000, 19000, 1e6, 1);
    screen_update(&screen, 120, 40);
    cr_assert_eq(race->count, 5);
    cr_assert(shows("\u2713 two              ~10.0 us     best"), "the best stays");
    fixture.state.live = false;
    screen_update(&screen, 120, 40);
    cr_assert(shows("\u2713 two              ~10.0 us     best"), "also after the end");
    screen_update(&screen, 80, 24);
    text = screen_text();
    cr_assert(race->count == 0 && strstr(text, " best ") == NULL, "%s", text);
    free(text);
    stop();
}

Test(states, the_preview_has_a_result_for_each_variant)
{
    begin(120, 40);
    add_run("transpose", "copy", "n=4096", 16000, 10, 16e6, 1);
    add_run("transpose", "pad", "n=1024", 1000, 10, 1e6, 1);
    add_run("transpose", "naive", "n=1024", 8000, 10, 1e6, 1);
    press("/");
    type("transpose");
    press("ENTER");
    look();
    cr_assert(shows("run so far  3 variants, naive -> pad kernels 8.0x"));
    cr_assert(shows("copy     run   no transpose") && shows("naive    8.0x  rows in"));
    cr_assert(shows("tile           through shared") && shows("pad      best  a tile with"));
    stop();
}

/* In place of the title, or, where both have room, beside it. */
Test(states, the_title_stays_where_there_is_room)
{
    static const int widths[] = {80, 120, 200, 240, 300};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        begin(widths[i], 40);
        add_run("transpose", "pad", "n=1024", 1000, 10, 1e6, 1);
        add_run("transpose", "naive", "n=1024", 8000, 10, 1e6, 1);
        look();
        cr_assert(shows("naive -> pad kernels 8.0x"), "at %d", widths[i]);
        char *text = screen_text();
        bool titled = strstr(text, "transpose          Transpose a matrix") != NULL;
        cr_assert_eq(titled, widths[i] >= 240, "%s", text);
        free(text);
        stop();
    }
}

/* The states are those of the session's counts: nothing is worked out while these stay. */
Test(states, they_are_made_once)
{
    begin(80, 24);
    add_run("transpose", "pad", "n=1024", 1000, 10, 1e6, 1);
    add_run("transpose", "naive", "n=1024", 8000, 10, 1e6, 1);
    look();
    struct workload_states *states = &workloads_state(&screen)->states;
    const struct workload_state *made = workload_state_of(states, 3);
    const void *before = states->runs;
    cr_assert(made != NULL && made->judged);
    states->items[3].times = 99;
    for (int i = 0; i < 10; i++) {
        press("j k");
        cr_assert(!screen_work(&screen));
    }
    cr_assert(states->runs == before && states->items[3].times == 99);
    add_run("transpose", "tile", "n=1024", 1900, 10, 1e6, 1);
    look();
    cr_assert_float_eq(states->items[3].times, 8, 0.01);
    stop();
}

/* Live, twice a second and not at every event. */
Test(states, they_are_made_twice_a_second_while_events_come)
{
    begin(80, 24);
    fixture.state.live = true;
    screen.clock_ms = 10000;
    look();
    add_run("transpose", "pad", "n=1024", 1000, 10, 1e6, 1);
    screen.clock_ms += 400;
    look();
    cr_assert_null(workload_state_of(&workloads_state(&screen)->states, 3));
    screen.clock_ms += 200;
    look();
    cr_assert_not_null(workload_state_of(&workloads_state(&screen)->states, 3));
    stop();
}

/* Of a recording, with findings: the slow one's. */
Test(states, the_finding_is_the_slow_ones)
{
    start(FIXTURE_BOTH, 200, 60);
    press("w j");
    look();
    cr_assert(shows("4 runs, stride=8 -> stride=1 kernels 1.2x"), "two of them on the model");
    cr_assert(shows("Global loads move 8x the sectors"), "whole in the preview");
    stop();
}
