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
