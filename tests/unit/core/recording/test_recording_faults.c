/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that are not, and disks that do not take them: every one a sentence and a status, never a crash,
 * and never another's file harmed.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_file.h"
#include "core/session/code.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(recording_faults, .init = temporary_make, .fini = temporary_remove);

static void loads_with_notice(const char *words)
{
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert(session_has_notice(session, words), "no notice says '%s'", words);
    session_destroy(session);
}

/* ---- what is no recording ---- */
Test(recording_faults, what_is_not_there)
{
    temporary_refused(STATUS_IO, "There is no file");
}

Test(recording_faults, a_folder)
{
    cr_assert_eq(mkdir(temporary_path, 0777), 0);
    temporary_refused(STATUS_FORMAT, "not a file");
}

Test(recording_faults, an_empty_file)
{
    temporary_write("", 0);
    temporary_refused(STATUS_FORMAT, "is empty");
}

Test(recording_faults, a_text_file)
{
    temporary_write("hello, world, this is no database at all\n", 41);
    temporary_refused(STATUS_FORMAT, "not an SQLite file");
}

/* Its journal is left, with which whoever may write would take back what there is. */
Test(recording_faults, one_that_was_being_created)
{
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *database;
        int result = sqlite3_open(temporary_path, &database);
        result |=
            sqlite3_exec(database,
                         "PRAGMA cache_size=1; BEGIN IMMEDIATE; CREATE TABLE launch (id, filling); "
                         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
                         "INSERT INTO launch SELECT i, zeroblob(4000) FROM n",
                         NULL, NULL, NULL);
        _exit(result == SQLITE_OK ? 0 : 1); /* killed: it ends nothing */
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert(temporary_exists("-journal"));
    temporary_refused(STATUS_FORMAT, "was being created when its program was killed");
}

/* Its tables are there, what describes it is not yet. */
Test(recording_faults, one_without_contents_was_being_created)
{
    sqlite3 *database;
    char *aside;
    struct error error = {0};
    cr_assert_eq(recording_create(&database, temporary_path, false, NULL, &aside, &error), STATUS_OK, "%s",
                 error.text);
    sqlite3_close(database);
    temporary_refused(STATUS_FORMAT, "lanescope was killed while creating it");
    temporary_change("INSERT INTO meta VALUES ('host', 'node')");
    temporary_refused(STATUS_FORMAT, "does not say when it started");
}

Test(recording_faults, a_foreign_sqlite_file)
{
    temporary_change("CREATE TABLE launch (id); INSERT INTO launch VALUES (1)");
    temporary_refused(STATUS_FORMAT, "not a recording of lanescope");
}

Test(recording_faults, a_newer_version)
{
    temporary_record(1, 100);
    temporary_change("PRAGMA user_version = 999");
    temporary_refused(STATUS_VERSION, "version 999");
}

Test(recording_faults, a_version_that_never_was)
{
    temporary_record(1, 100);
    temporary_change("PRAGMA user_version = 0");
    temporary_refused(STATUS_FORMAT, "does not exist");
}

/* ---- schemas of strangers ---- */
Test(recording_faults, another_table)
{
    temporary_record(1, 100);
    temporary_change("DROP TABLE sync; CREATE TABLE sync (id INTEGER PRIMARY KEY)");
    temporary_refused(STATUS_FORMAT, "differs");
}

Test(recording_faults, a_table_missing)
{
    temporary_record(1, 100);
    temporary_change("DROP TABLE sync");
    temporary_refused(STATUS_FORMAT, "lacks tables");
}

Test(recording_faults, a_view_in_the_place_of_a_table)
{
    temporary_record(1, 100);
    temporary_change("DROP TABLE sync; CREATE VIEW sync AS SELECT * FROM launch");
    temporary_refused(STATUS_FORMAT, "differs");
}

Test(recording_faults, a_trigger)
{
    temporary_record(1, 100);
    temporary_change("CREATE TRIGGER evil AFTER INSERT ON launch BEGIN DELETE FROM launch; END");
    temporary_refused(STATUS_FORMAT, "\"evil\"");
}

Test(recording_faults, an_index_of_an_expression)
{
    temporary_record(1, 100);
    temporary_change("CREATE INDEX evil ON launch (abs(start_ns))");
    temporary_refused(STATUS_FORMAT, "\"evil\"");
}

Test(recording_faults, tables_and_views_of_the_user_do_no_harm)
{
    temporary_record(1, 100);
    temporary_change("CREATE TABLE mine (x); CREATE VIEW ours AS SELECT load_extension('evil')");
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    session_destroy(session);
}

/* What a later release added is not in the files of an earlier one. */
Test(recording_faults, tables_of_later_releases_may_be_missing)
{
    temporary_record(1, 2000);
    temporary_change(
        "DROP VIEW stacks; DROP VIEW launch_sites; DROP VIEW accesses;"
        "DROP TABLE stack; DROP TABLE launch_site; DROP TABLE access; DROP TABLE event_use; DROP TABLE graph_node");
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert(session_stack_count(session) == 0 && session_access_count(session) == 0 &&
              session_event_use_count(session) == 0 && session_graph_node_count(session) == 0);
    cr_assert(session_stall_count(session) > 0);
    session_destroy(session);
}

/* ---- values of strangers ---- */
Test(recording_faults, rows_that_refer_to_nothing_refuse_the_file)
{
    static const char *const changes[] = {
        "UPDATE kernel SET run = 4000000000 WHERE id = 1",
        "UPDATE kernel SET id = 100000 WHERE id = 1",
        "UPDATE run SET process = -1 WHERE id = 0",
        "UPDATE run SET process = 'zero' WHERE id = 0",
        "UPDATE shape SET name = 1e300 WHERE id = 0",
        "UPDATE track SET kind = 200 WHERE id = 0",
        "UPDATE string SET text = x'00' WHERE id = 2",
        "DELETE FROM string WHERE id = 2",
        "UPDATE device SET name = hex(zeroblob(200))",
        "UPDATE device SET uuid = x'01'",
        "UPDATE process SET start_ns = -9223372036854775808",
        "UPDATE measurement SET value_count = 4294967295 WHERE id = 0",
        ("UPDATE measurement SET first_value = (SELECT first_value FROM measurement WHERE id = 0), "
         "value_count = 1 WHERE id IN (0, 1)"),
        "DELETE FROM kernel WHERE id = 0",
        "UPDATE track SET id = 1000 WHERE id = 0",
        "DELETE FROM meta WHERE key = 'start_ns'",
        "UPDATE meta SET value = 'x' WHERE key = 'start_ns'",
        "UPDATE kernel SET launches = -1 WHERE id = 0",
        "UPDATE instruction SET function = 4000000000 WHERE id = 0",
        "UPDATE instruction SET function = 0, pc_offset = 0; UPDATE instruction SET text = 1",
        "UPDATE instruction SET line = -1 WHERE id = 1",
        "UPDATE function SET mangled = 1, module = 1",
        "DELETE FROM function WHERE id = 0",
        "UPDATE stack SET caller = id WHERE id = 0",
        "UPDATE stack SET caller = 4000000000 WHERE id = 1",
        "UPDATE stack SET name = -1 WHERE id = 1",
        "DELETE FROM stack WHERE id = 0",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        temporary_record(3, 2000);
        temporary_change(changes[i]);
        struct session *session;
        struct error error = {0};
        enum status status = recording_load(&session, temporary_path, &error);
        cr_assert_eq(status, STATUS_FORMAT, "%s: %s %s", changes[i], status_text(status), error.text);
        unlink(temporary_path);
    }
}

Test(recording_faults, events_that_do_not_fit_are_skipped_and_counted)
{
    static const char *const changes[] = {
        "UPDATE launch SET duration_ns = -1",
        "UPDATE launch SET start_ns = -9223372036854775808",
        "UPDATE launch SET start_ns = 2305843009213693952, duration_ns = 4611686018427387904",
        "UPDATE launch SET kernel = 4000000000",
        "UPDATE launch SET track = 4000000000",
        "UPDATE launch SET track = NULL",
        "UPDATE launch SET track = (SELECT id FROM track WHERE kind = 1)",
        "UPDATE launch SET correlation = 'x'",
        "UPDATE launch SET flags = 1.5",
        "UPDATE launch SET call_lead_ns = 9223372036854775807",
        "UPDATE range SET name = 4000000000",
        "UPDATE copy SET source_memory = 16",
        "UPDATE replay SET measurement = 4000000000",
        "UPDATE notice SET severity = -1",
        "UPDATE expected SET number = 'many'",
        "UPDATE \"drop\" SET count = -1",
        "UPDATE value SET counter = -5",
        "UPDATE stall SET samples = -1",
        "UPDATE stall SET samples = 9223372036854775807",
        "UPDATE stall SET instruction = 4000000000",
        "UPDATE stall SET reason = NULL",
        "UPDATE stall SET run = 4000000000",
        "UPDATE stall SET run = 0, kernel = 0, instruction = 0, reason = 1, samples = 9007199254740992 - id",
        "UPDATE instruction_count SET number = -1",
        "UPDATE instruction_count SET launches = 4294967296",
        "UPDATE instruction_count SET counter = 0",
        "UPDATE access SET instruction = 4000000000",
        "UPDATE access SET space = 3",
        "UPDATE access SET width_bytes = 5",
        "UPDATE access SET flags = 128",
        "UPDATE access SET addresses = NULL",
        "UPDATE access SET addresses = kernel",
        "UPDATE access SET all_transfers = 9007199254740993",
        "UPDATE launch_site SET stack = 4000000000",
        "UPDATE launch_site SET kernel = 4000000000",
        "UPDATE launch_site SET launches = -1",
        "UPDATE launch_site SET total_ns = 'long'",
        "UPDATE launch_site SET kind = 3",
        "UPDATE launch_site SET copy_kind = 11",
        "UPDATE event_use SET process = 4000000000",
        "UPDATE event_use SET use = 3",
        "UPDATE graph_node SET process = 4000000000",
        "UPDATE graph_node SET dependency = -1",
        "UPDATE source SET file = NULL",
        "UPDATE source SET text = 4000000000",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        temporary_record(3, 2000);
        temporary_change(changes[i]);
        loads_with_notice("rows of the recording do not fit");
        unlink(temporary_path);
    }
}

Test(recording_faults, strings_with_control_bytes_and_nul_load)
{
    temporary_record(3, 500);
    temporary_change("UPDATE string SET text = 'a' || char(27) || '[2J' || char(0) || 'b' WHERE id = 1");
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(session_string(session, 1), "a\x1b[2J");
    session_destroy(session);
}

/* ---- damage ---- */
/* Cut anywhere: refused with a sentence, or loaded when only unused pages are missing; the process lives. */
Test(recording_faults, truncated)
{
    size_t size, refusals = 0;
    temporary_record(5, 3000);
    unsigned char *bytes = temporary_read(&size);
    for (size_t cut = 1; cut < size; cut += cut < 200 ? 37 : size / 23) {
        struct session *session;
        struct error error = {0};
        temporary_write(bytes, cut);
        enum status status = recording_load(&session, temporary_path, &error);
        refusals += status == STATUS_FORMAT;
        cr_assert(status == STATUS_OK || status == STATUS_FORMAT, "cut at %zu: %s %s", cut,
                  status_text(status), error.text);
        session_destroy(session);
    }
    cr_assert_geq(refusals, 20);
    free(bytes);
}

Test(recording_faults, corrupted)
{
    size_t size, refusals = 0;
    temporary_record(6, 2000);
    unsigned char *bytes = temporary_read(&size);
    struct maker random = {.state = 77};
    for (int round = 0; round < 300; round++) {
        struct session *session;
        struct error error = {0};
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        for (uint64_t n = 1 + made_random(&random, 20); n > 0; n--)
            copy[100 + made_random(&random, size - 100)] = (unsigned char)made_random(&random, 256);
        temporary_write(copy, size);
        free(copy);
        enum status status = recording_load(&session, temporary_path, &error);
        refusals += status != STATUS_OK;
        cr_assert(status == STATUS_OK || error.text[0], "round %d: no sentence", round);
        session_destroy(session);
    }
    cr_assert_geq(refusals, 30, "%zu refused", refusals);
    free(bytes);
}
