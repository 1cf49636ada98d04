/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that may not grow, and those that are cut off: what they still hold.
 */
#include "core/recording/recording.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(recording_limits, .init = temporary_make, .fini = temporary_remove);

/* ---- limits ---- */
#define FEED_NS 100000 /* from one to the next */

/* One stream of launches and one thread of calls: numbered by correlation, all of the same size. */
struct feed {
    struct session *session;
    uint32_t stream, calls, kernel;
    uint32_t number;
};

static void feed_init(struct feed *feed)
{
    *feed = (struct feed){0};
    cr_assert_eq(session_create(&feed->session, 1000, NULL), STATUS_OK);
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(feed->session, &process);
    struct track_row stream = {
        .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = 7, .thread = NONE};
    struct track_row calls = {
        .kind = TRACK_CALLS, .device = NONE, .context = NONE, .stream = NONE, .thread = 99};
    feed->stream = session_add_track(feed->session, &stream);
    feed->calls = session_add_track(feed->session, &calls);
    struct shape_row shape = {.name = session_add_string(feed->session, "k", 1)};
    feed->kernel = session_add_kernel(feed->session, NONE, session_add_shape(feed->session, &shape), NONE);
}

/* category: of the calls; CALL_OTHER for none. */
static void feed_events(struct feed *feed, uint32_t launches, uint8_t category)
{
    while (launches-- > 0) {
        uint32_t n = feed->number++;
        int64_t at_ns = FEED_NS * (int64_t)n;
        struct item call = {.kind = ITEM_CALL, .b = category, .correlation = n + 1};
        struct item launch = {.kind = ITEM_LAUNCH, .correlation = n + 1};
        launch.launch.call_start_ns = at_ns;
        launch.launch.call_duration_ns = 2500;
        launch.launch.call_thread = 99;
        launch.launch.kernel = feed->kernel;
        if (category)
            session_add_event(feed->session, feed->calls, at_ns, at_ns + 2500, &call);
        session_add_event(feed->session, feed->stream, at_ns + 3000, at_ns + 4500, &launch);
    }
}

static uint64_t kernel_total_ns(const struct session *session, uint32_t kernel)
{
    return atomic_load(&session_kernel(session, kernel)->total_ns);
}

/* Nine launches of 2^60 ns: a program chooses its times, and none may make the file unreadable for others. */
Test(recording_limits, sums_stay_at_the_most)
{
    struct feed feed;
    struct recorder *recorder;
    feed_init(&feed);
    temporary_start(&recorder, feed.session, 0);
    feed_events(&feed, 100, CALL_OTHER);
    struct shape_row shape = {.name = session_add_string(feed.session, "long", 4)};
    uint32_t kernel = session_add_kernel(feed.session, NONE, session_add_shape(feed.session, &shape), NONE);
    for (uint32_t stream = 0; stream < 9; stream++) {
        struct track_row row = {
            .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = 8 + stream, .thread = NONE};
        struct item launch = {.kind = ITEM_LAUNCH, .launch = {.kernel = kernel, .call_start_ns = INT64_MIN}};
        session_add_event(feed.session, session_add_track(feed.session, &row), 0, INT64_C(1) << 60, &launch);
    }
    temporary_stop(recorder);
    session_destroy(feed.session);
    cr_assert_eq(temporary_query("SELECT total_ns FROM kernel WHERE id = 1"), INT64_MAX);
    struct session *session = temporary_load();
    cr_assert_eq(kernel_total_ns(session, kernel), SESSION_SUM_MAX_NS);
    cr_assert_eq(kernel_total_ns(session, feed.kernel), 100 * 1500);
    session_destroy(session);
    temporary_change("UPDATE kernel SET total_ns = -8070450532247928832 WHERE id = 1");
    session = temporary_load(); /* written before sums were bounded */
    cr_assert_eq(kernel_total_ns(session, kernel), SESSION_SUM_MAX_NS);
    cr_assert_eq(kernel_total_ns(session, feed.kernel), 100 * 1500);
    session_destroy(session);
}

Test(recording_limits, keeps_a_size_limit)
{
    const uint64_t most = 4 << 20;
    struct feed feed;
    struct recorder *recorder;
    struct recorder_state state = {0};
    feed_init(&feed);
    temporary_start(&recorder, feed.session, most);
    uint64_t largest = 0;
    bool calls_stopped = false, ring = false;
    while (!ring || feed.number < 250000) {
        feed_events(&feed, 10000, CALL_ALLOC);
        do {
            sleep_ms(20);
            recorder_state(recorder, &state);
            uint64_t bytes = temporary_bytes("") + temporary_bytes("-wal");
            if (bytes > largest)
                largest = bytes;
        } while (state.lag_rows > 0 && !state.failed);
        cr_assert_not(state.failed, "%s", state.error.text);
        calls_stopped |= strstr(state.note, "no API calls") != NULL;
        ring |= strstr(state.note, "newest data") != NULL;
        cr_assert_lt(feed.number, 2000000, "the ring never came");
    }
    cr_assert(calls_stopped, "API calls go before launches do");
    temporary_stop(recorder);
    if (temporary_bytes("") > largest)
        largest = temporary_bytes("");
    cr_assert_leq(largest, most, "%" PRIu64 " bytes", largest);
    cr_assert_geq(temporary_bytes(""), most / 2, "room is left unused: %" PRIu64 " bytes",
                  temporary_bytes(""));

    /* The newest launches are all there; the sums still know of all. */
    struct session *again = temporary_load();
    cr_assert(session_has_notice(again, "size limit and kept the newest data"));
    cr_assert(session_has_notice(again, "has only the API calls"));
    uint64_t left = session_lane_count_events(again, 0, 0);
    cr_assert_gt(left, 10000);
    for (uint64_t i = 0; i < left; i++) {
        struct event_ref ref = {.track = 0, .lane = 0, .index = i};
        cr_assert_eq(session_event_item(again, ref).correlation, feed.number - left + i + 1);
    }
    cr_assert_eq(session_kernel(again, feed.kernel)->launches, feed.number);
    cr_assert_eq(temporary_query("SELECT sum(events) FROM summary WHERE track = 0"), (int64_t)feed.number);
    /* It says from when: the next event after that time is the first that is there. */
    int64_t from_ns = temporary_query("SELECT value FROM meta WHERE key = 'events_from_ns'");
    cr_assert_eq(session_event_end_ns(again, (struct event_ref){.track = 0}), from_ns + FEED_NS);
    session_destroy(again);
    session_destroy(feed.session);
}

/* Watching has no events: the oldest samples go, with their numbers, and the newest stay. */
Test(recording_limits, keeps_a_size_limit_of_samples)
{
    const uint64_t most = 2 << 20;
    struct feed feed;
    struct recorder *recorder;
    uint64_t largest = 0;
    int64_t samples = 0;
    feed_init(&feed);
    uint32_t names[8];
    for (int i = 0; i < 8; i++)
        names[i] = session_add_string(feed.session, "x", 1);
    struct sampling_row row = {.device = NONE, .series = 8, .interval_ns = 1000};
    uint32_t sampling = sampling_add(feed.session, &row, names);
    temporary_start(&recorder, feed.session, most);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 33000; i++, samples++) {
            float numbers[8];
            for (int s = 0; s < 8; s++)
                numbers[s] = (float)(samples * 8 + s) * 0.37f;
            sample_add(feed.session, sampling, samples * 1000, 900, numbers);
        }
        struct recorder_state state = {.committed_until_ns = -1};
        for (int waited = 0; state.committed_until_ns < samples * 1000 - 100 && waited < 12000; waited++) {
            sleep_ms(5);
            recorder_state(recorder, &state);
            cr_assert_not(state.failed, "%s", state.error.text);
        }
        uint64_t size = temporary_bytes("") + temporary_bytes("-wal");
        largest = size > largest ? size : largest;
    }
    temporary_stop(recorder);
    session_destroy(feed.session);
    cr_assert_leq(largest, most, "%" PRIu64, largest);
    cr_assert_eq(
        temporary_query("SELECT count(*) FROM sample WHERE id / 64 NOT IN (SELECT id FROM sample_time)"), 0);
    cr_assert_eq(
        temporary_query("SELECT count(*) FROM sample_time WHERE id * 64 NOT IN (SELECT id FROM sample)"), 0);
    struct session *again = temporary_load();
    uint64_t kept = sample_count(again, 0);
    cr_assert(kept > 5000 && kept < (uint64_t)samples, "%" PRIu64 " of %" PRId64, kept, samples);
    cr_assert_eq(sample_start_ns(again, 0, kept - 1), (samples - 1) * 1000);
    cr_assert_eq(sample_number(again, 7, kept - 1), (float)((samples - 1) * 8 + 7) * 0.37f);
    cr_assert(session_has_notice(again, "kept the newest data"));
    session_destroy(again);
}

Test(recording_limits, of_no_size_is_refused)
{
    struct feed feed;
    struct recorder *recorder;
    struct error error = {0};
    struct recorder_options options = {.max_bytes = 1000};
    feed_init(&feed);
    cr_assert_eq(recorder_start(&recorder, feed.session, temporary_path, &options, &error), STATUS_USAGE);
    cr_assert_not(temporary_exists(""));
    session_destroy(feed.session);
}

/* Names alone can fill it: that cannot be helped by a ring. */
Test(recording_limits, says_when_names_alone_fill_it)
{
    struct feed feed;
    struct recorder *recorder;
    struct recorder_state state = {0};
    feed_init(&feed);
    temporary_start(&recorder, feed.session, RECORDING_LEAST_MAX_BYTES);
    static char name[4096];
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 2000; i++) {
        int length = snprintf(name, sizeof name, "%d", i);
        name[length] = '-';
        struct shape_row shape = {.name = session_add_string(feed.session, name, sizeof name - 1)};
        session_add_shape(feed.session, &shape);
    }
    for (int i = 0; i < 3000 && !state.failed; i++) {
        sleep_ms(20);
        recorder_state(recorder, &state);
    }
    cr_assert(state.failed && state.full);
    cr_assert(strstr(state.error.text, "Allow more"), "%s", state.error.text);
    struct error error = {0};
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_IO);
    cr_assert_str_eq(error.text, state.error.text);
    cr_assert(!session_is_recorded(feed.session), "memory would wait for it for ever");
    struct session *again = temporary_load();
    cr_assert(session_has_notice(again, "Allow more"));
    session_destroy(again);
    session_destroy(feed.session);
}

/* ---- kill ---- */
/* So that a reader of a cut off, or still growing, file has what came first. Checked over both tables by
 * their common id. */
Test(recording_limits, rows_stand_in_order_of_end)
{
    struct feed feed;
    struct recorder *recorder;
    feed_init(&feed);
    feed_events(&feed, 5000, CALL_ALLOC);
    temporary_start(&recorder, feed.session, 0);
    temporary_stop(recorder);
    cr_assert_eq(
        temporary_query(
            "SELECT count(*) FROM (SELECT end_ns, lag(end_ns) OVER (ORDER BY id) AS before_ns FROM (SELECT "
            "id, "
            "start_ns + duration_ns AS end_ns FROM launch UNION ALL SELECT id, start_ns + duration_ns "
            "FROM call)) WHERE end_ns < before_ns"),
        0);
    cr_assert_eq(temporary_query("SELECT max(id) FROM launch"), 10000);
    session_destroy(feed.session);
}

Test(recording_limits, a_launch_and_its_call_are_one_row)
{
    struct feed feed;
    struct recorder *recorder;
    feed_init(&feed);
    feed_events(&feed, 5000, CALL_LAUNCH);
    temporary_start(&recorder, feed.session, 0);
    temporary_stop(recorder);
    cr_assert_eq(temporary_query("SELECT count(*) FROM launch WHERE call_track = 1"), 5000);
    cr_assert_eq(temporary_query("SELECT count(*) FROM call"), 0);
    cr_assert_eq(temporary_query("SELECT count(*) FROM calls WHERE duration_ns = 2500 AND thread = 99"),
                 5000);
    struct session *again = temporary_load();
    cr_assert_null(sessions_differ(feed.session, again));
    session_destroy(again);
    session_destroy(feed.session);
}

/* A call whose work does not come holds back what follows it only until nothing more happens. */
Test(recording_limits, a_call_without_its_work_goes_out_alone)
{
    struct feed feed;
    struct recorder *recorder;
    struct recorder_state state = {.lag_rows = 1};
    feed_init(&feed);
    temporary_start(&recorder, feed.session, 0);
    for (uint32_t n = 1; n <= 2; n++) {
        struct item call = {.kind = ITEM_CALL, .b = n == 1 ? CALL_LAUNCH : CALL_SYNC, .correlation = n};
        session_add_event(feed.session, feed.calls, 1000 * (int64_t)n, 1000 * (int64_t)n + 500, &call);
    }
    for (int i = 0; i < 6000 && state.lag_rows > 0; i++) {
        sleep_ms(10);
        recorder_state(recorder, &state);
    }
    cr_assert_eq(state.lag_rows, 0);
    cr_assert_eq(state.committed_until_ns, session_now_ns(feed.session, CLOCK_WALL));
    cr_assert_eq(temporary_query("SELECT count(*) FROM call"), 2);
    temporary_stop(recorder);
    session_destroy(feed.session);
}

/* A child records and is killed: what is left opens, is a prefix without a gap, and holds what was said to be
 * committed. (How soon that is, tests/faults measures.) */
Test(recording_limits, survives_kill_9)
{
    for (int round = 0; round < 12; round++) {
        int shared[2];
        cr_assert_eq(pipe(shared), 0);
        pid_t child = fork();
        if (child == 0) {
            struct feed feed;
            struct recorder *recorder;
            struct recorder_state state;
            feed_init(&feed);
            temporary_start(&recorder, feed.session, 0);
            struct timespec begin, now;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            for (;;) {
                clock_gettime(CLOCK_MONOTONIC, &now);
                int64_t run_ns =
                    (now.tv_sec - begin.tv_sec) * INT64_C(1000000000) + now.tv_nsec - begin.tv_nsec;
                while (FEED_NS * (int64_t)feed.number < run_ns)
                    feed_events(&feed, 1, CALL_LAUNCH);
                session_set_now(feed.session, CLOCK_WALL, run_ns);
                recorder_state(recorder, &state);
                int64_t committed_ns = state.committed_until_ns;
                if (write(shared[1], &committed_ns, sizeof committed_ns) != sizeof committed_ns)
                    _exit(1);
                sleep_ms(1);
            }
        }
        close(shared[1]);
        int64_t committed_ns = 0;
        while (read(shared[0], &committed_ns, sizeof committed_ns) == sizeof committed_ns &&
               committed_ns <= 0) {
        }
        cr_assert_gt(committed_ns, 0, "nothing was recorded");
        sleep_ms(61 * round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(shared[0], &committed_ns, sizeof committed_ns) == sizeof committed_ns) {
        }
        close(shared[0]);

        struct session *again = temporary_load();
        cr_assert(session_has_notice(again, "The recording was not closed"));
        uint64_t launches = session_lane_count_events(again, 0, 0),
                 calls = session_lane_count_events(again, 1, 0);
        cr_assert_gt(launches, 0);
        cr_assert(calls == launches || calls == launches + 1, "%" PRIu64 " calls, %" PRIu64 " launches",
                  calls, launches);
        for (uint64_t i = 0; i < launches; i++) {
            struct event_ref ref = {.track = 0, .lane = 0, .index = i};
            cr_assert_eq(session_event_item(again, ref).correlation, i + 1, "a gap at %" PRIu64, i);
        }
        cr_assert_geq(session_now_ns(again, CLOCK_WALL), committed_ns);
        cr_assert_eq(session_kernel(again, 0)->launches, launches);
        session_destroy(again);
    }
}
