/*
 * Recordings against sessions: what is written is what is read, also while it grows, near a size limit, and
 * after the end of time. Files of strangers and failing disks: test_recording_faults.c.
 */
#include "core/recording.h"
#include "core/recording_file.h"
#include "core/recording_schema.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64], path[96];

static void make_folder(void)
{
    strcpy(folder, "/tmp/lanescope-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.lsr", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(recording, .init = make_folder, .fini = remove_folder);

static void start(struct recorder **recorder, const struct session *session, uint64_t max_bytes)
{
    struct error error = {0};
    struct recorder_options options = {
        .max_bytes = max_bytes, .overwrite = true, .command = "lanescope --record a.lsr"};
    cr_assert_eq(recorder_start(recorder, session, path, &options, &error), STATUS_OK, "%s", error.text);
}

static void stop(struct recorder *recorder)
{
    struct error error = {0};
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
}

static struct session *load(void)
{
    struct error error = {0};
    struct session *session;
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    return session;
}

/* The first number of a query through the sqlite3 library, as any other program would ask. */
static int64_t query(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW, "%s", sql);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

static bool exists(const char *ending)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return access(name, F_OK) == 0;
}

/* ---- the same again ---- */
Test(recording, is_read_back_equal)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct maker maker;
        struct recorder *recorder;
        maker_init(&maker, seed);
        maker_grow(&maker, seed % 3 * 200);
        start(&recorder, maker.session, 0);
        maker_grow(&maker, seed * 10);
        if (seed % 2)
            maker_end(&maker);
        stop(recorder);
        struct session *again = load();
        const char *differ = sessions_differ(maker.session, again);
        cr_assert_null(differ, "seed %" PRIu64 ": %s", seed, differ);
        session_destroy(again);
        session_destroy(maker.session);
    }
}

Test(recording, is_read_back_equal_when_written_while_it_grows)
{
    for (uint64_t seed = 100; seed < 103; seed++) {
        struct maker maker;
        struct recorder *recorder;
        maker_init(&maker, seed);
        start(&recorder, maker.session, 0);
        struct timespec pause = {.tv_nsec = 1000000};
        for (int i = 0; i < 300; i++) {
            maker_grow(&maker, 100);
            nanosleep(&pause, NULL);
        }
        maker_end(&maker);
        stop(recorder);
        struct session *again = load();
        const char *differ = sessions_differ(maker.session, again);
        cr_assert_null(differ, "seed %" PRIu64 ": %s", seed, differ);
        session_destroy(again);
        session_destroy(maker.session);
    }
}

Test(recording, of_an_empty_session_is_one)
{
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 5, NULL), STATUS_OK);
    start(&recorder, session, 0);
    stop(recorder);
    struct session *again = load();
    cr_assert_null(sessions_differ(session, again));
    cr_assert_eq(session_start_ns(again), 5);
    session_destroy(again);
    session_destroy(session);
}

/* ---- the file ---- */
Test(recording, ends_as_one_file)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, 7);
    start(&recorder, maker.session, 0);
    cr_assert(exists("-wal"));
    maker_grow(&maker, 500);
    stop(recorder);
    cr_assert_not(exists("-wal"));
    cr_assert_not(exists("-shm"));
    cr_assert_not(exists("-journal"));
    cr_assert_eq(query("SELECT value FROM meta WHERE key = 'finished'"), 1);
    session_destroy(maker.session);
}

/* Before the first transaction: what another program sees the moment recorder_start returns. */
Test(recording, has_its_schema_from_the_start)
{
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    start(&recorder, session, 0);
    cr_assert_eq(query("PRAGMA application_id"), RECORDING_APPLICATION_ID);
    cr_assert_eq(query("PRAGMA user_version"), RECORDING_VERSION);
    size_t count;
    cr_assert_not_null(recording_schema(RECORDING_VERSION, &count));
    cr_assert_eq(query("SELECT count(*) FROM sqlite_schema"), (int64_t)count);
    stop(recorder);
    session_destroy(session);
}

Test(recording, views_work_in_any_sqlite)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, 11);
    start(&recorder, maker.session, 0);
    maker_grow(&maker, 3000);
    stop(recorder);
    size_t count;
    const struct schema_object *objects = recording_schema(RECORDING_VERSION, &count);
    for (size_t i = 0; i < count; i++) {
        char sql[128];
        if (strcmp(objects[i].type, "view"))
            continue;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT * FROM %s)", objects[i].name);
        cr_assert_gt(query(sql), 0, "%s", objects[i].name);
    }
    cr_assert_eq(query("SELECT count(*) FROM launches"), (int64_t)session_launch_count(maker.session));
    cr_assert_eq(query("SELECT sum(launches) FROM kernels"),
                 query("SELECT count(*) FROM launch WHERE kernel IS NOT NULL"));
    cr_assert_eq(query("SELECT sum(total_ns) FROM kernels"),
                 query("SELECT sum(duration_ns) FROM launch WHERE kernel IS NOT NULL"));
    session_destroy(maker.session);
}

/* A row per lane and 4,096 events, the rest at the end: together every event once. */
Test(recording, summaries_cover_every_event)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, 12);
    start(&recorder, maker.session, 0);
    maker_grow(&maker, 10000);
    struct track_row row = {
        .kind = TRACK_OVERHEAD, .device = NONE, .context = NONE, .stream = NONE, .thread = 77777};
    uint32_t track = session_add_track(maker.session, &row);
    for (int64_t i = 0; i < 9000; i++)
        session_add_event(maker.session, track, 10 * i, 10 * i + i % 11,
                          &(struct item){.kind = ITEM_OVERHEAD});
    stop(recorder);
    cr_assert_eq(query("SELECT sum(events) FROM summary"), (int64_t)session_event_count(maker.session));
    cr_assert_eq(query("SELECT max(events) FROM summary"), 4096);
    cr_assert_eq(
        query("SELECT sum(busy_ns) FROM summary"),
        query("SELECT (SELECT sum(duration_ns) FROM launch) + (SELECT sum(duration_ns) FROM copy) + (SELECT "
              "sum(duration_ns) FROM memset) + (SELECT sum(duration_ns) FROM call) + (SELECT "
              "sum(duration_ns) FROM range) + "
              "(SELECT sum(duration_ns) FROM sync) + (SELECT sum(duration_ns) FROM overhead) + (SELECT "
              "sum(duration_ns) FROM replay)"));
    cr_assert_eq(query("SELECT count(*) FROM summary s WHERE first_index % 4096 != 0"), 0);
    session_destroy(maker.session);
}

/* ---- following ---- */
Test(recording, is_followed_while_it_grows)
{
    struct maker maker;
    struct recorder *recorder;
    struct loader *loader;
    struct session *seen;
    struct error error = {0};
    maker_init(&maker, 21);
    maker_grow(&maker, 100);
    start(&recorder, maker.session, 0);
    cr_assert_eq(loader_open(&loader, &seen, path, &error), STATUS_OK, "%s", error.text);
    cr_assert(loader_growing(loader));
    uint64_t last = 0;
    int grew = 0;
    struct timespec pause = {.tv_nsec = 2000000};
    for (int i = 0; i < 600; i++) {
        bool done = false;
        maker_grow(&maker, 20);
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
        cr_assert_leq(session_event_count(seen), session_event_count(maker.session));
        grew += session_event_count(seen) > last;
        last = session_event_count(seen);
        nanosleep(&pause, NULL);
    }
    cr_assert_geq(grew, 4, "the follower saw %d steps in 1.2 s", grew);
    cr_assert(loader_growing(loader));
    maker_end(&maker);

    loader_close(loader);
    stop(recorder);
    session_destroy(seen);
    struct session *again = load();
    cr_assert_null(sessions_differ(maker.session, again));
    session_destroy(again);
    session_destroy(maker.session);
}

/* ---- limits ---- */
static uint64_t file_bytes(const char *ending)
{
    char name[128];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, ending);
    return stat(name, &status) == 0 ? (uint64_t)status.st_size : 0;
}

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

static void feed_events(struct feed *feed, uint32_t launches, bool calls)
{
    while (launches-- > 0) {
        uint32_t n = feed->number++;
        int64_t at_ns = 20000 * (int64_t)n; /* 100,000 rows a second, with calls */
        struct item call = {.kind = ITEM_CALL, .b = CALL_LAUNCH, .correlation = n};
        struct item launch = {.kind = ITEM_LAUNCH, .correlation = n};
        launch.launch.call_start_ns = at_ns;
        launch.launch.call_duration_ns = 2500;
        launch.launch.call_thread = 99;
        launch.launch.kernel = feed->kernel;
        if (calls)
            session_add_event(feed->session, feed->calls, at_ns, at_ns + 2500, &call);
        session_add_event(feed->session, feed->stream, at_ns + 3000, at_ns + 4500, &launch);
    }
}

static void sleep_ms(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static bool has_notice(const struct session *session, const char *words)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (strstr(session_string(session, session_notice(session, i)->text), words))
            return true;
    return false;
}

Test(recording, keeps_a_size_limit)
{
    const uint64_t most = 4 << 20;
    struct feed feed;
    struct recorder *recorder;
    struct recorder_state state = {0};
    feed_init(&feed);
    start(&recorder, feed.session, most);
    uint64_t largest = 0;
    bool calls_stopped = false, ring = false;
    while (!ring || feed.number < 250000) {
        feed_events(&feed, 10000, true);
        do {
            sleep_ms(20);
            recorder_state(recorder, &state);
            uint64_t bytes = file_bytes("") + file_bytes("-wal");
            if (bytes > largest)
                largest = bytes;
        } while (state.lag_rows > 0 && !state.failed);
        cr_assert_not(state.failed, "%s", state.error.text);
        calls_stopped |= strstr(state.note, "no API calls") != NULL;
        ring |= strstr(state.note, "newest data") != NULL;
        cr_assert_lt(feed.number, 2000000, "the ring never came");
    }
    cr_assert(calls_stopped, "API calls go before launches do");
    stop(recorder);
    if (file_bytes("") > largest)
        largest = file_bytes("");
    cr_assert_leq(largest, most, "%" PRIu64 " bytes", largest);
    cr_assert_geq(file_bytes(""), most / 2, "room is left unused: %" PRIu64 " bytes", file_bytes(""));

    /* The newest launches are all there; the sums still know of all. */
    struct session *again = load();
    cr_assert(has_notice(again, "size limit and kept the newest data"));
    cr_assert(has_notice(again, "holds no API calls"));
    uint64_t left = session_lane_count_events(again, 0, 0);
    cr_assert_gt(left, 10000);
    for (uint64_t i = 0; i < left; i++) {
        struct event_ref ref = {.track = 0, .lane = 0, .index = i};
        cr_assert_eq(session_event_item(again, ref).correlation, feed.number - left + i);
    }
    cr_assert_eq(session_kernel(again, feed.kernel)->launches, feed.number);
    cr_assert_eq(query("SELECT sum(events) FROM summary WHERE track = 0"), (int64_t)feed.number);
    /* It says from when: the next event after that time is the first that is there. */
    int64_t from_ns = query("SELECT value FROM meta WHERE key = 'events_from_ns'");
    cr_assert_eq(session_event_end_ns(again, (struct event_ref){.track = 0}), from_ns + 20000);
    session_destroy(again);
    session_destroy(feed.session);
}

Test(recording, of_no_size_is_refused)
{
    struct feed feed;
    struct recorder *recorder;
    struct error error = {0};
    struct recorder_options options = {.max_bytes = 1000};
    feed_init(&feed);
    cr_assert_eq(recorder_start(&recorder, feed.session, path, &options, &error), STATUS_USAGE);
    cr_assert_not(exists(""));
    session_destroy(feed.session);
}

/* Names alone can fill it: that cannot be helped by a ring. */
Test(recording, says_when_names_alone_fill_it)
{
    struct feed feed;
    struct recorder *recorder;
    struct recorder_state state = {0};
    feed_init(&feed);
    start(&recorder, feed.session, RECORDING_LEAST_MAX_BYTES);
    static char name[4096];
    memset(name, 'x', sizeof name);
    for (int i = 0; i < 2000; i++) {
        int length = snprintf(name, sizeof name, "%d", i);
        name[length] = '-';
        struct shape_row shape = {.name = session_add_string(feed.session, name, sizeof name - 1)};
        session_add_shape(feed.session, &shape);
    }
    for (int i = 0; i < 200 && !state.failed; i++) {
        sleep_ms(20);
        recorder_state(recorder, &state);
    }
    cr_assert(state.failed && state.full);
    cr_assert(strstr(state.error.text, "Allow it more"), "%s", state.error.text);
    struct error error = {0};
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_IO);
    cr_assert_str_eq(error.text, state.error.text);
    struct session *again = load();
    cr_assert(has_notice(again, "Allow it more"));
    session_destroy(again);
    session_destroy(feed.session);
}

/* ---- kill ---- */
static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A child records and is killed: what is left opens, is a prefix without a gap, and reaches to 400 ms before the
 * kill (the median does: a busy machine may keep a thread waiting for longer than that). */
Test(recording, survives_kill_9)
{
    int64_t lost[12];
    for (int round = 0; round < 12; round++) {
        int shared[2];
        cr_assert_eq(pipe(shared), 0);
        pid_t child = fork();
        if (child == 0) {
            struct feed feed;
            struct recorder *recorder;
            feed_init(&feed);
            start(&recorder, feed.session, 0);
            struct timespec begin, now;
            clock_gettime(CLOCK_MONOTONIC, &begin);
            for (;;) {
                clock_gettime(CLOCK_MONOTONIC, &now);
                int64_t run_ns =
                    (now.tv_sec - begin.tv_sec) * INT64_C(1000000000) + now.tv_nsec - begin.tv_nsec;
                while ((int64_t)feed.number * 20000 < run_ns)
                    feed_events(&feed, 1, true);
                session_set_now(feed.session, run_ns);
                if (write(shared[1], &run_ns, sizeof run_ns) != sizeof run_ns)
                    _exit(1);
                sleep_ms(1);
            }
        }
        sleep_ms(300 + 61 * round);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(shared[1]);
        int64_t reached_ns = 0;
        while (read(shared[0], &reached_ns, sizeof reached_ns) == sizeof reached_ns) {
        }
        close(shared[0]);

        struct session *again = load();
        cr_assert(has_notice(again, "without a clean end"));
        uint64_t launches = session_lane_count_events(again, 0, 0),
                 calls = session_lane_count_events(again, 1, 0);
        cr_assert_gt(launches, 0);
        cr_assert(calls == launches || calls == launches + 1, "%" PRIu64 " calls, %" PRIu64 " launches",
                  calls, launches);
        for (uint64_t i = 0; i < launches; i++) {
            struct event_ref ref = {.track = 0, .lane = 0, .index = i};
            cr_assert_eq(session_event_item(again, ref).correlation, i, "a gap at %" PRIu64, i);
        }
        int64_t lost_ns = reached_ns - session_now_ns(again);
        lost[round] = lost_ns;
        cr_assert_eq(session_kernel(again, 0)->launches, launches);
        session_destroy(again);
    }
    qsort(lost, 12, sizeof lost[0], compare_ns);
    cr_assert_leq(lost[6], 400000000, "%" PRId64 " ms are missing in half of the rounds", lost[6] / 1000000);
    cr_assert_leq(lost[11], 2000000000, "%" PRId64 " ms are missing in one round", lost[11] / 1000000);
}
