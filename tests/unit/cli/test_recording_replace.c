/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording in the place of an older one: it goes once the new one holds something, else it is put back; a
 * lock of somebody else's delays, and loses nothing.
 */
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(recording_replace, .init = temporary_make, .fini = temporary_remove, .timeout = 280);

static char told[2048];
static bool old_is_back;

static void tell(const char *sentence)
{
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", sentence);
}

static const struct recorder_options overwrite = {
    .overwrite = true, .command = "test", .tell = tell, .old_is_back = &old_is_back};

static struct session *make_session(int64_t start_ns)
{
    struct session *session;
    cr_assert_eq(session_create(&session, start_ns, NULL), STATUS_OK);
    return session;
}

static void add_launches(struct session *session, int count)
{
    const struct track_row row = {.kind = TRACK_STREAM, .process = NONE, .device = NONE, .thread = NONE};
    const struct item item = {.kind = ITEM_LAUNCH, .launch.kernel = NONE, .launch.call_start_ns = INT64_MIN};
    uint32_t track = session_add_track(session, &row);
    int64_t from_ns = 100 * (int64_t)session_event_count(session);
    for (int i = 0; i < count; i++)
        cr_assert(session_add_event(session, track, from_ns + 100 * i, from_ns + 100 * i + 50, &item));
}

static struct recorder *start(const struct session *session)
{
    struct recorder *recorder;
    struct error error = {.text = ""};
    cr_assert_eq(recorder_start(&recorder, session, temporary_path, &overwrite, &error), STATUS_OK, "%s",
                 error.text);
    return recorder;
}

static void check_is_old(const unsigned char *bytes, size_t size)
{
    size_t now_size;
    unsigned char *now = temporary_read(&now_size);
    cr_assert(now_size == size && memcmp(now, bytes, size) == 0, "the old recording is another");
    free(now);
}

Test(recording_replace, one_that_holds_nothing_leaves_the_old_one)
{
    size_t size;
    temporary_record(1, 1000);
    unsigned char *old = temporary_read(&size);
    struct session *session = make_session(77);
    session_add_process(session, &(struct process_row){.pid = 1, .end_ns = INT64_MIN});
    session_add_notice(session, &(struct notice_row){.text = session_add_string(session, "nothing", 7)});
    struct recorder *recorder = start(session);
    sleep_ms(500);
    cr_assert(temporary_exists(".old"), "it is aside");
    cr_assert_eq(recorder_stop(recorder, NULL), STATUS_OK);
    check_is_old(old, size);
    cr_assert(old_is_back);
    cr_assert_not(temporary_exists(".old"));
    cr_assert_not(temporary_exists("-wal"));
    cr_assert_not_null(strstr(told, "Nothing was recorded"), "%s", told);
    session_destroy(session);
    free(old);
}

Test(recording_replace, one_that_holds_something_takes_its_place)
{
    temporary_record(1, 1000);
    struct session *session = make_session(77);
    struct recorder *recorder = start(session);
    add_launches(session, 3);
    for (int waited = 0; temporary_exists(".old"); waited++) {
        cr_assert_lt(waited, 1000, "the old one stays");
        sleep_ms(10);
    }
    cr_assert_eq(recorder_stop(recorder, NULL), STATUS_OK);
    cr_assert_eq(temporary_query("SELECT count(*) FROM launch"), 3);
    cr_assert_str_eq(told, "");
    cr_assert_not(old_is_back);
    session_destroy(session);
}

/* Killed between: nothing is deleted that is not known to be replaced, and readers are told. */
Test(recording_replace, a_kill_between_loses_nothing)
{
    size_t size;
    char byte;
    int ready[2];
    temporary_record(1, 1000);
    unsigned char *old = temporary_read(&size);
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        start(make_session(77));
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct session *loaded = temporary_load();
    cr_assert(session_has_notice(loaded, "could replace"));
    session_destroy(loaded);

    struct session *session = make_session(78);
    struct recorder *recorder = start(session);
    cr_assert_not_null(strstr(told, "It is not changed"), "%s", told);
    add_launches(session, 3);
    cr_assert_eq(recorder_stop(recorder, NULL), STATUS_OK);
    session_destroy(session);
    cr_assert_eq(temporary_query("SELECT count(*) FROM launch"), 3);
    cr_assert_not(temporary_exists(".old.1"));
    char aside[128];
    snprintf(aside, sizeof aside, "%s.old", temporary_path);
    cr_assert_eq(unlink(temporary_path), 0);
    temporary_refused(STATUS_IO, ".old is the previous recording");
    cr_assert_eq(rename(aside, temporary_path), 0);
    check_is_old(old, size);
    free(old);
}

Test(recording_replace, only_its_user_reads_it)
{
    struct stat status;
    char beside[128];
    umask(0);
    struct session *session = make_session(1);
    struct recorder *recorder = start(session);
    add_launches(session, 3);
    sleep_ms(300);
    for (int i = 0; i < 3; i++) {
        snprintf(beside, sizeof beside, "%s%s", temporary_path, (const char *const[]){"", "-wal", "-shm"}[i]);
        cr_assert_eq(stat(beside, &status), 0);
        cr_assert_eq(status.st_mode & 0777, 0600, "%s: %o", beside, status.st_mode);
    }
    cr_assert_eq(recorder_stop(recorder, NULL), STATUS_OK);
    session_destroy(session);
}

/* Longer than the recorder tries by itself. */
Test(recording_replace, a_lock_at_the_end_loses_nothing)
{
    enum { LOCK_S = 11 };
    char byte;
    int ready[2], begin[2];
    struct recorder_state state;
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(begin), 0);
    /* Before the recorder's thread begins: a process forked beside it may have SQLite's locks, taken for
     * ever. */
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *database;
        if (read(begin[0], &byte, 1) != 1 || sqlite3_open(temporary_path, &database) != SQLITE_OK ||
            sqlite3_busy_timeout(database, 5000) != SQLITE_OK ||
            sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        sleep(LOCK_S);
        sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
        sqlite3_close(database);
        _exit(0);
    }
    struct session *session = make_session(1);
    struct recorder *recorder = start(session);
    cr_assert_eq(write(begin[1], "x", 1), 1);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    add_launches(session, 1000);
    do {
        sleep_ms(50);
        recorder_state(recorder, &state);
    } while (!strstr(state.note, "has locked the recording"));
    struct error error = {.text = ""};
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
    waitpid(child, NULL, 0);
    cr_assert_not_null(strstr(told, "is locked by another program"), "%s", told);
    cr_assert_eq(temporary_query("SELECT count(*) FROM launch"), 1000);
    cr_assert_eq(temporary_query("SELECT value FROM meta WHERE key = 'finished'"), 1);
    session_destroy(session);
}

/* Names that mean something to SQLite are names of files here. */
Test(recording_replace, names_are_names_of_files)
{
    static const char *const names[] = {":memory:", "file:x.lsr?mode=memory", "-x.lsr", ":memory:.lsr"};
    cr_assert_eq(chdir(temporary_folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct session *session = make_session(1), *loaded;
        struct recorder *recorder;
        struct error error = {.text = ""};
        add_launches(session, 5);
        cr_assert_eq(recorder_start(&recorder, session, names[i], &overwrite, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
        session_destroy(session);
        cr_assert_eq(recording_load(&loaded, names[i], &error), STATUS_OK, "%s: %s", names[i], error.text);
        cr_assert_eq(session_launch_count(loaded), 5);
        session_destroy(loaded);
        cr_assert_eq(unlink(names[i]), 0);
    }
}
