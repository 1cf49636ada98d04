/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a recording is written: what lies there already, permission, network file systems, disks that are
 * full or fail. A failing disk ends the recording, with a sentence; what was committed stays, whole and
 * without a gap.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_file.h"
#include "tests/shared/made/failing_disk.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(recording_disk, .init = temporary_make, .fini = temporary_remove);

static const struct recorder_options plain = {.command = "test"}, overwrite = {.overwrite = true};

static void loads_with_notice(const char *words)
{
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert(session_has_notice(session, words), "no notice says '%s'", words);
    session_destroy(session);
}

/* ---- what lies there already ---- */
static void not_recorded(const struct recorder_options *options, enum status status, const char *words)
{
    struct session *session;
    struct recorder *recorder;
    struct error error = {0};
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    enum status got = recorder_start(&recorder, session, temporary_path, options, &error);
    cr_assert_eq(got, status, "%s: %s", status_text(got), error.text);
    cr_assert_null(recorder);
    cr_assert(strstr(error.text, words), "'%s' lacks '%s'", error.text, words);
    session_destroy(session);
}

Test(recording_disk, a_file_of_others_is_never_overwritten)
{
    size_t size;
    temporary_write(
        "my thesis, which I have only once, and that is longer than a head of SQLite, so that it is "
        "read in full",
        100);
    not_recorded(&plain, STATUS_USAGE, "not a recording");
    not_recorded(&overwrite, STATUS_USAGE, "not replaced");
    unsigned char *bytes = temporary_read(&size);
    cr_assert(size == 100 && !memcmp(bytes, "my thesis", 9));
    free(bytes);

    unlink(temporary_path);
    temporary_change("CREATE TABLE photos (x); INSERT INTO photos VALUES (42)");
    not_recorded(&overwrite, STATUS_USAGE, "not replaced");
    temporary_change("SELECT * FROM photos");
}

Test(recording_disk, a_recording_is_overwritten_only_when_asked)
{
    temporary_record(1, 100);
    not_recorded(&plain, STATUS_USAGE, "exists already");
    struct session *session, *again;
    struct recorder *recorder;
    struct error error = {0};
    session_create(&session, 77, NULL);
    const struct track_row track = {.kind = TRACK_STREAM, .process = NONE, .device = NONE, .thread = NONE};
    cr_assert(session_add_event(session, session_add_track(session, &track), 1, 2,
                                &(struct item){.kind = ITEM_LAUNCH, .launch.kernel = NONE}));
    cr_assert_eq(recorder_start(&recorder, session, temporary_path, &overwrite, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(recording_load(&again, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(session_start_ns(again), 77);
    session_destroy(again);
    session_destroy(session);
}

Test(recording_disk, a_live_recording_is_not_overwritten)
{
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct session *session;
        struct recorder *recorder;
        session_create(&session, 1, NULL);
        if (recorder_start(&recorder, session, temporary_path, &plain, NULL) != STATUS_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    close(ready[1]);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    not_recorded(&overwrite, STATUS_STATE, "still being recorded");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    /* Left by a kill it may be replaced, -wal and all. */
    struct session *session;
    struct recorder *recorder;
    struct error error = {0};
    session_create(&session, 1, NULL);
    cr_assert_eq(recorder_start(&recorder, session, temporary_path, &overwrite, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
    session_destroy(session);
}

/* SQLite maps the -shm: a process of the same user can take it away. */
Test(recording_disk, a_truncated_shm_ends_with_a_sentence)
{
    char text[1024] = "", shm[128];
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        const struct track_row track = {
            .kind = TRACK_STREAM, .process = NONE, .device = NONE, .thread = NONE};
        const struct item item = {.kind = ITEM_LAUNCH, .launch.kernel = NONE};
        const struct recorder_options options = {.lost_exit = 74};
        struct session *session;
        struct recorder *recorder;
        struct recorder_state state = {0};
        dup2(ends[1], STDERR_FILENO);
        session_create(&session, 1, NULL);
        if (recorder_start(&recorder, session, temporary_path, &options, NULL) != STATUS_OK)
            _exit(1);
        const uint32_t stream = session_add_track(session, &track);
        session_add_event(session, stream, 1, 2, &item);
        while (state.rows == 0 && !state.failed) {
            sleep_ms(5);
            recorder_state(recorder, &state);
        }
        snprintf(shm, sizeof shm, "%s-shm", temporary_path);
        if (truncate(shm, 0) != 0)
            _exit(2);
        session_add_event(session, stream, 3, 4, &item);
        recorder_stop(recorder, NULL);
        _exit(3);
    }
    close(ends[1]);
    for (size_t size = 0; size < sizeof text - 1;) {
        ssize_t got = read(ends[0], text + size, sizeof text - 1 - size);
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 74, "status %x: %s", (unsigned)status, text);
    cr_assert(strstr(text, "-shm was truncated by another process") && text[strlen(text) - 1] == '\n', "%s",
              text);
    cr_assert_eq(temporary_query("SELECT count(*) FROM launch"), 1);
}

Test(recording_disk, a_device_is_no_file)
{
    cr_assert_eq(symlink("/dev/null", temporary_path), 0);
    not_recorded(&overwrite, STATUS_USAGE, "not a regular file");
}

/* ---- permission ---- */
Test(recording_disk, no_permission_to_write)
{
    cr_assert_eq(chmod(temporary_folder, 0555), 0);
    temporary_be_nobody();
    not_recorded(&plain, STATUS_PERMISSION, "Permission denied");
}

Test(recording_disk, no_folder)
{
    strcat(temporary_folder, "/none");
    snprintf(temporary_path, sizeof temporary_path, "%s/a.lsr", temporary_folder);
    not_recorded(&plain, STATUS_IO, "No such file");
    *strrchr(temporary_folder, '/') = '\0';
}

Test(recording_disk, no_permission_to_read)
{
    temporary_record(1, 100);
    cr_assert_eq(chmod(temporary_path, 0), 0);
    temporary_be_nobody();
    temporary_refused(STATUS_PERMISSION, "Permission denied");
}

Test(recording_disk, a_read_only_file_in_a_read_only_folder)
{
    temporary_record(9, 1000);
    cr_assert_eq(chmod(temporary_path, 0444), 0);
    cr_assert_eq(chmod(temporary_folder, 0555), 0);
    temporary_be_nobody();
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert_gt(session_event_count(session), 500);
    session_destroy(session);
}

/* Killed: rows lie in the -wal. In a folder that cannot be written it is read all the same, or refused; never
 * without them. */
Test(recording_disk, a_wal_in_a_read_only_folder_is_never_passed_over)
{
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct maker maker;
        struct recorder *recorder;
        struct recorder_state state = {0};
        maker_init(&maker, 4);
        maker_grow(&maker, 1000);
        if (recorder_start(&recorder, maker.session, temporary_path, &plain, NULL) != STATUS_OK)
            _exit(1);
        for (int i = 0; i < 6000 && state.committed_until_ns != session_now_ns(maker.session, CLOCK_WALL);
             i++) {
            sleep_ms(10);
            recorder_state(recorder, &state);
        }
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        pause();
    }
    close(ready[1]);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    char wal[128], shm[128];
    snprintf(wal, sizeof wal, "%s-wal", temporary_path);
    snprintf(shm, sizeof shm, "%s-shm", temporary_path);
    for (int with_shm = 1; with_shm >= 0; with_shm--) {
        cr_assert_eq(chmod(temporary_path, 0444) | chmod(wal, 0444), 0);
        if (with_shm)
            cr_assert_eq(chmod(shm, 0444), 0);
        else
            cr_assert_eq(unlink(shm), 0);
        cr_assert_eq(chmod(temporary_folder, 0555), 0);
        pid_t reader = fork();
        if (reader == 0) {
            struct session *session;
            struct error error = {0};
            if (geteuid() == 0 && setresuid(65534, 65534, 65534))
                _exit(1);
            enum status status = recording_load(&session, temporary_path, &error);
            if (status == STATUS_OK)
                _exit(session_event_count(session) > 500 &&
                              session_has_notice(session, "The recording was not closed")
                          ? 0
                          : 2);
            _exit(error.text[0] && (status == STATUS_PERMISSION || status == STATUS_IO) ? 0 : 3);
        }
        int status;
        waitpid(reader, &status, 0);
        cr_assert_eq(status, 0, "with shm %d: %x", with_shm, status);
        cr_assert_eq(chmod(temporary_folder, 0777), 0);
    }
    /* Where it can be written it is whole. */
    loads_with_notice("The recording was not closed");
}

/* ---- network file systems ---- */
Test(recording_disk, network_file_systems_are_known)
{
    static const struct {
        int64_t type;
        bool network;
    } types[] = {{0x6969, true},
                 {0xff534d42, true},
                 {(int32_t)0xff534d42, true},
                 {0xfe534d42, true},
                 {0x0bd00bd0, true},
                 {0x47504653, true},
                 {0x65735546, true},
                 {0xef53, false} /* ext4 */,
                 {0x58465342, false} /* xfs */,
                 {0x9123683e, false} /* btrfs */,
                 {0x01021994, false} /* tmpfs */,
                 {0x794c7630, false} /* overlay */};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        cr_assert_eq(recording_network_file_system(types[i].type) != NULL, types[i].network, "%" PRIx64,
                     types[i].type);
    cr_assert_null(recording_path_network(temporary_path));
}

/* The rules for these: no shared memory beside the file, and nobody opens it while it is written. */
Test(recording_disk, on_a_network_file_system_nobody_follows)
{
    sqlite3 *database;
    struct error error = {0};
    char *aside;
    int go[2], status;
    cr_assert_eq(pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        struct session *session;
        char byte;
        _exit(read(go[0], &byte, 1) == 1 ? (int)recording_load(&session, temporary_path, &error) : 255);
    }
    cr_assert_eq(recording_create(&database, temporary_path, false, "NFS", &aside, &error), STATUS_OK, "%s",
                 error.text);
    cr_assert_eq(sqlite3_exec(database, "INSERT INTO meta VALUES ('start_ns', 1)", NULL, NULL, NULL),
                 SQLITE_OK);
    cr_assert_not(temporary_exists("-shm"), "shared memory does not work there");
    cr_assert_eq(write(go[1], "x", 1), 1);
    waitpid(child, &status, 0);
    cr_assert_eq(WEXITSTATUS(status), STATUS_STATE);
    sqlite3_close(database);
}

/* ---- disks that fail ---- */
/* Numbered launches, 5 us apart, until the recorder has failed or has all. */
static uint32_t record_numbers(struct session *session, uint32_t most, enum status *status,
                               struct recorder_state *state, struct error *error)
{
    struct recorder *recorder;
    *state = (struct recorder_state){0};
    uint32_t number = 0;
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(session, &process);
    struct track_row row = {.kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = 7, .thread = NONE};
    uint32_t track = session_add_track(session, &row);
    *status = recorder_start(&recorder, session, temporary_path, &overwrite, error);
    if (*status != STATUS_OK)
        return 0;
    while (number < most && !state->failed) {
        for (int i = 0; i < 5000; i++, number++) {
            struct item item = {.kind = ITEM_LAUNCH, .correlation = number};
            item.launch.kernel = NONE;
            session_add_event(session, track, 5000 * (int64_t)number, 5000 * (int64_t)number + 3000, &item);
        }
        do {
            struct timespec pause = {.tv_nsec = 10000000};
            nanosleep(&pause, NULL);
            recorder_state(recorder, state);
        } while (state->lag_rows > 0 && !state->failed);
    }
    *status = recorder_stop(recorder, error);
    return number;
}

static uint64_t check_prefix(const char *notice)
{
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert(session_has_notice(session, notice), "no notice says '%s'", notice);
    uint64_t events = session_track_count(session) ? session_lane_count_events(session, 0, 0) : 0;
    for (uint64_t i = 0; i < events; i++)
        cr_assert_eq(session_event_item(session, (struct event_ref){.index = i}).correlation, i,
                     "a gap at %" PRIu64, i);
    session_destroy(session);
    return events;
}

Test(recording_disk, full_at_any_byte)
{
    uint64_t most = 0;
    int starts_failed = 0;
    failing_disk_install(INT64_MAX / 2, SQLITE_FULL);
    for (int64_t bytes = 0; bytes < 1500000; bytes += bytes < 150000 ? 13337 : 161803) {
        struct session *session;
        struct error error = {0};
        struct recorder_state state;
        enum status status;
        cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
        failing_disk_install(bytes, SQLITE_FULL);
        uint32_t sent = record_numbers(session, 100000, &status, &state, &error);
        cr_assert_gt(failing_disk_failures(), 0);
        cr_assert_eq(status, STATUS_IO, "%" PRId64 ": %s %s", bytes, status_text(status), error.text);
        cr_assert(strstr(error.text, "is full") && strstr(error.text, temporary_path), "%s", error.text);
        failing_disk_allow(INT64_MAX / 2);
        if (sent == 0) {
            starts_failed++;
            cr_assert_neq(access(temporary_path, F_OK), 0, "what could not be started leaves nothing");
        } else {
            cr_assert(state.failed && state.full);
            cr_assert_str_eq(state.error.text, error.text);
            cr_assert_eq(session_event_count(session), sent, "the session goes on");
            uint64_t events = check_prefix("");
            cr_assert_lt(events, sent);
            most = events > most ? events : most;
        }
        session_destroy(session);
    }
    cr_assert_gt(starts_failed, 0);
    cr_assert_gt(most, 5000, "what was committed stays: %" PRIu64, most);
}

Test(recording_disk, an_input_output_error)
{
    struct session *session;
    struct error error = {0};
    struct recorder_state state;
    enum status status;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    failing_disk_install(700000, SQLITE_IOERR_WRITE);
    record_numbers(session, 100000, &status, &state, &error);
    cr_assert_eq(status, STATUS_IO);
    cr_assert(state.failed && !state.full);
    cr_assert(strstr(error.text, "Check the disk"), "%s", error.text);
    failing_disk_allow(INT64_MAX / 2);
    cr_assert_gt(check_prefix(""), 5000);
    session_destroy(session);
}

/* A file that may not grow: what a quota does. */
Test(recording_disk, a_file_size_limit)
{
    struct session *session;
    struct error error = {0};
    struct recorder_state state;
    struct rlimit limit, before;
    enum status status;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 900000;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    record_numbers(session, 200000, &status, &state, &error);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    cr_assert_eq(status, STATUS_IO, "%s", error.text);
    cr_assert(state.failed && state.full, "%s", error.text);
    cr_assert_gt(check_prefix(""), 5000);
    session_destroy(session);
}
