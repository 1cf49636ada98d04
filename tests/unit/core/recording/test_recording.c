/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings against sessions: what is written is what is read, also while it grows, near a size limit, and
 * after the end of time. Files of strangers and failing disks: test_recording_faults.c.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_file.h"
#include "core/recording/recording_schema.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(recording, .init = temporary_make, .fini = temporary_remove);

/* What every compiler must make of this seed. Whoever changes the maker changes these numbers. */
Test(recording, the_data_do_not_depend_on_the_compiler)
{
    struct maker maker;
    maker_init(&maker, 5);
    maker_grow(&maker, 3000);
    uint64_t events = session_event_count(maker.session), next = made_random(&maker, 1000000);
    cr_assert(events == 1671 && next == 959096, "%" PRIu64 " events, then %" PRIu64, events, next);
    session_destroy(maker.session);
}

/* ---- the same again ---- */
Test(recording, is_read_back_equal)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct maker maker;
        struct recorder *recorder;
        maker_init(&maker, seed);
        maker_grow(&maker, seed % 3 * 200);
        temporary_start(&recorder, maker.session, 0);
        maker_grow(&maker, seed * 10);
        if (seed % 2)
            maker_end(&maker);
        temporary_stop(recorder);
        struct session *again = temporary_load();
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
        temporary_start(&recorder, maker.session, 0);
        struct timespec pause = {.tv_nsec = 1000000};
        for (int i = 0; i < 300; i++) {
            maker_grow(&maker, 100);
            nanosleep(&pause, NULL);
        }
        maker_end(&maker);
        temporary_stop(recorder);
        struct session *again = temporary_load();
        const char *differ = sessions_differ(maker.session, again);
        cr_assert_null(differ, "seed %" PRIu64 ": %s", seed, differ);
        session_destroy(again);
        session_destroy(maker.session);
    }
}

/* Its queues and SQLite's cache are part of the session's memory while it records. */
Test(recording, counts_its_memory)
{
    struct maker maker;
    struct recorder *recorder;
    struct recorder_state state = {0};
    maker_init(&maker, 7);
    maker_grow(&maker, 3000);
    const size_t before = session_memory_bytes(maker.session);
    temporary_start(&recorder, maker.session, 0);
    while (state.committed_until_ns == 0)
        recorder_state(recorder, &state);
    const size_t with = session_memory_bytes(maker.session);
    cr_assert(with > before + 300000 && with < before + 20000000, "%zu more", with - before);
    temporary_stop(recorder);
    cr_assert_eq(session_memory_bytes(maker.session), before);
    session_destroy(maker.session);
}

Test(recording, of_an_empty_session_is_one)
{
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 5, NULL), STATUS_OK);
    temporary_start(&recorder, session, 0);
    temporary_stop(recorder);
    struct session *again = temporary_load();
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
    temporary_start(&recorder, maker.session, 0);
    cr_assert(temporary_exists("-wal"));
    maker_grow(&maker, 500);
    temporary_stop(recorder);
    cr_assert_not(temporary_exists("-wal"));
    cr_assert_not(temporary_exists("-shm"));
    cr_assert_not(temporary_exists("-journal"));
    cr_assert_eq(temporary_query("SELECT value FROM meta WHERE key = 'finished'"), 1);
    session_destroy(maker.session);
}

/* Before the first transaction: what another program sees the moment recorder_start returns. */
Test(recording, has_its_schema_from_the_start)
{
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    temporary_start(&recorder, session, 0);
    cr_assert_eq(temporary_query("PRAGMA application_id"), RECORDING_APPLICATION_ID);
    cr_assert_eq(temporary_query("PRAGMA user_version"), RECORDING_VERSION);
    size_t count;
    recording_schema(&count);
    cr_assert_eq(temporary_query("SELECT count(*) FROM sqlite_schema"), (int64_t)count);
    temporary_stop(recorder);
    session_destroy(session);
}

/* The view takes floats and times apart with nothing but SQL. */
Test(recording, its_view_of_samples_has_every_number)
{
    static const float numbers[] = {0,      -0.0f,    1,    -1.5f, 3.0e38f, -1.1754944e-38f,
                                    1e-45f, 16777215, 0.1f, NAN};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 5, NULL), STATUS_OK);
    struct process_row process = {.pid = 1};
    session_add_process(session, &process);
    uint32_t name = session_add_string(session, "x", 1);
    struct sampling_row row = {.device = NONE, .series = 1};
    uint32_t sampling = sampling_add(session, &row, &name);
    for (int i = 0; i < COUNT; i++)
        sample_add(session, sampling, i * INT64_C(3000000000), (uint32_t)i + 1, &numbers[i]);
    temporary_start(&recorder, session, 0);
    temporary_stop(recorder);
    cr_assert_eq(temporary_query("SELECT count(*) FROM samples"), COUNT);
    for (int i = 0; i < COUNT; i++) {
        char sql[200];
        int length = snprintf(
            sql, sizeof sql, "SELECT count(*) FROM samples WHERE start_ns = %" PRId64 " AND duration_ns = %d",
            i * INT64_C(3000000000), i + 1);
        if (isnan(numbers[i]))
            snprintf(sql + length, sizeof sql - (size_t)length, " AND number IS NULL");
        else
            snprintf(sql + length, sizeof sql - (size_t)length, " AND number = %.17g", (double)numbers[i]);
        cr_assert_eq(temporary_query(sql), 1, "%s", sql);
    }
    session_destroy(session);
}

/* A number of a series is worked out once, and of no other series with it. */
Test(recording, its_view_of_samples_takes_each_number_apart_once)
{
    enum { SERIES = 8, COUNT = 5000 };
    struct session *session;
    struct recorder *recorder;
    cr_assert_eq(session_create(&session, 5, NULL), STATUS_OK);
    struct process_row process = {.pid = 1};
    session_add_process(session, &process);
    uint32_t names[SERIES];
    for (uint32_t i = 0; i < SERIES; i++)
        names[i] = session_add_string(session, &"abcdefgh"[i], 1);
    struct sampling_row row = {.device = NONE, .series = SERIES};
    uint32_t sampling = sampling_add(session, &row, names);
    for (uint32_t i = 0; i < COUNT; i++) {
        float numbers[SERIES];
        for (uint32_t k = 0; k < SERIES; k++)
            numbers[k] = (float)(i * SERIES + k);
        sample_add(session, sampling, i * 1000 + i % 3, 900, numbers);
    }
    temporary_start(&recorder, session, 0);
    temporary_stop(recorder);
    session_destroy(session);
    cr_assert_eq(temporary_query("SELECT sum(number) FROM samples WHERE series = 3"),
                 (int64_t)COUNT * (COUNT - 1) / 2 * SERIES + INT64_C(3) * COUNT);
    int64_t one = temporary_steps("SELECT sum(number) FROM samples WHERE series = 3");
    int64_t all = temporary_steps("SELECT sum(number) FROM samples");
    cr_assert_lt(one, 200 * COUNT, "%" PRId64 " steps a number", one / COUNT);
    cr_assert_lt(all, 200 * COUNT * SERIES, "%" PRId64 " steps a number", all / COUNT / SERIES);
}

Test(recording, views_work_in_any_sqlite)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, 5);
    temporary_start(&recorder, maker.session, 0);
    maker_grow(&maker, 3000);
    temporary_stop(recorder);
    size_t count;
    const struct schema_object *objects = recording_schema(&count);
    for (size_t i = 0; i < count; i++) {
        char sql[128];
        if (strcmp(objects[i].type, "view"))
            continue;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT * FROM %s)", objects[i].name);
        cr_assert_gt(temporary_query(sql), 0, "%s", objects[i].name);
    }
    cr_assert_eq(temporary_query("SELECT count(*) FROM launches"),
                 (int64_t)session_launch_count(maker.session));
    cr_assert_eq(temporary_query("SELECT sum(launches) FROM kernels"),
                 temporary_query("SELECT count(*) FROM launch WHERE kernel IS NOT NULL"));
    cr_assert_eq(temporary_query("SELECT sum(total_ns) FROM kernels"),
                 temporary_query("SELECT sum(duration_ns) FROM launch WHERE kernel IS NOT NULL"));
    session_destroy(maker.session);
}

/* A row per lane and 4,096 events, the rest at the end: together every event once. */
Test(recording, summaries_cover_every_event)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, 12);
    temporary_start(&recorder, maker.session, 0);
    maker_grow(&maker, 10000);
    struct track_row row = {
        .kind = TRACK_OVERHEAD, .device = NONE, .context = NONE, .stream = NONE, .thread = 77777};
    uint32_t track = session_add_track(maker.session, &row);
    for (int64_t i = 0; i < 9000; i++)
        session_add_event(maker.session, track, 10 * i, 10 * i + i % 11,
                          &(struct item){.kind = ITEM_OVERHEAD});
    temporary_stop(recorder);
    cr_assert_eq(temporary_query("SELECT sum(events) FROM summary"),
                 (int64_t)session_event_count(maker.session));
    cr_assert_eq(temporary_query("SELECT max(events) FROM summary"), 4096);
    cr_assert_eq(
        temporary_query("SELECT sum(busy_ns) FROM summary"),
        temporary_query(
            "SELECT (SELECT sum(duration_ns) FROM launch) + (SELECT sum(duration_ns) FROM copy) + (SELECT "
            "sum(duration_ns) FROM memset) + (SELECT sum(duration_ns) FROM calls) + (SELECT "
            "sum(duration_ns) FROM range) + "
            "(SELECT sum(duration_ns) FROM sync) + (SELECT sum(duration_ns) FROM overhead) + (SELECT "
            "sum(duration_ns) FROM replay)"));
    cr_assert_eq(temporary_query("SELECT count(*) FROM summary s WHERE first_index % 4096 != 0"), 0);
    session_destroy(maker.session);
}

/* docs/recording.md names every table, and every column in backticks. */
Test(recording, is_described)
{
    static char text[65536], word[128];
    FILE *file = fopen(TEST_SOURCE_DIR "/docs/recording.md", "r");
    cr_assert_not_null(file);
    cr_assert_lt(fread(text, 1, sizeof text - 1, file), sizeof text - 1);
    fclose(file);
    for (unsigned t = 0; t < TABLE_COUNT; t++) {
        const struct record_table *table = recording_table(t);
        for (size_t c = 0; c <= table->column_count; c++) {
            snprintf(word, sizeof word, "`%s`", c ? table->columns[c - 1].name : table->name);
            cr_assert_not_null(strstr(text, word), "%s of table %s", word, table->name);
        }
    }
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
    temporary_start(&recorder, maker.session, 0);
    cr_assert_eq(loader_open(&loader, &seen, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert(loader_growing(loader));
    uint64_t last = 0;
    int grew = 0;
    for (int i = 0; i < 10000 && grew < 6; i++) {
        bool done = false;
        maker_grow(&maker, 20);
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
        cr_assert_leq(session_event_count(seen), session_event_count(maker.session));
        grew += session_event_count(seen) > last;
        last = session_event_count(seen);
        sleep_ms(2);
    }
    cr_assert_eq(grew, 6, "the follower saw it grow %d times", grew);
    cr_assert(loader_growing(loader));
    maker_end(&maker);

    loader_close(loader);
    temporary_stop(recorder);
    session_destroy(seen);
    struct session *again = temporary_load();
    cr_assert_null(sessions_differ(maker.session, again));
    session_destroy(again);
    session_destroy(maker.session);
}

/* A follower in another process sees the end, has all, and lets go, so that one file remains. It is forked
 * before there are threads. */
static int follow_to_the_end(int go)
{
    struct loader *loader;
    struct session *seen;
    bool done;
    char byte;
    if (read(go, &byte, 1) != 1 || loader_open(&loader, &seen, temporary_path, NULL) != STATUS_OK)
        return 1;
    do {
        if (loader_step(loader, 1000, &done, NULL) != STATUS_OK)
            return 2;
        sleep_ms(20);
    } while (!done || loader_growing(loader));
    return !session_has_notice(seen, "was not closed") && session_process(seen, 0)->end_ns != INT64_MIN ? 0
                                                                                                        : 3;
}

Test(recording, ends_as_one_file_with_a_follower, .timeout = 280)
{
    struct maker maker;
    struct recorder *recorder;
    int go[2], status;
    cr_assert_eq(pipe(go), 0);
    pid_t follower = fork();
    if (follower == 0)
        _exit(follow_to_the_end(go[0]));
    maker_init(&maker, 31);
    maker_grow(&maker, 1000);
    temporary_start(&recorder, maker.session, 0);
    cr_assert_eq(write(go[1], "x", 1), 1);
    sleep_ms(100);
    maker_grow(&maker, 1000);
    maker_end(&maker);
    temporary_stop(recorder);
    waitpid(follower, &status, 0);
    cr_assert_not(temporary_exists("-wal"));
    cr_assert_eq(status, 0, "the follower: %x", status);
    session_destroy(maker.session);
}
