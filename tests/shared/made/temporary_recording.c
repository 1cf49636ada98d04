/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/temporary_recording.h"
#include "tests/shared/made/made_session.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char temporary_folder[64], temporary_path[96];

void temporary_make(void)
{
    strcpy(temporary_folder, "/tmp/lanescope-test-XXXXXX");
    cr_assert_not_null(mkdtemp(temporary_folder));
    cr_assert_eq(chmod(temporary_folder, 0777), 0);
    snprintf(temporary_path, sizeof temporary_path, "%s/a.lsr", temporary_folder);
}

void temporary_be_nobody(void)
{
    if (geteuid() == 0)
        cr_assert_eq(setresuid(65534, 65534, 0), 0);
}

void temporary_remove(void)
{
    uid_t real, effective, saved;
    char command[256];
    cr_assert_eq(getresuid(&real, &effective, &saved), 0);
    if (saved == 0 && effective != 0)
        cr_assert_eq(setresuid(0, 0, 0), 0);
    snprintf(command, sizeof command, "chmod -R u+rwx %s && rm -rf %s", temporary_folder, temporary_folder);
    cr_assert_eq(system(command), 0);
}

void temporary_start(struct recorder **recorder, const struct session *session, uint64_t max_bytes)
{
    struct error error = {0};
    struct recorder_options options = {
        .max_bytes = max_bytes, .overwrite = true, .command = "lanescope --record a.lsr"};
    cr_assert_eq(recorder_start(recorder, session, temporary_path, &options, &error), STATUS_OK, "%s",
                 error.text);
}

void temporary_stop(struct recorder *recorder)
{
    struct error error = {0};
    cr_assert_eq(recorder_stop(recorder, &error), STATUS_OK, "%s", error.text);
}

void temporary_record(uint64_t seed, size_t rows)
{
    struct maker maker;
    struct recorder *recorder;
    maker_init(&maker, seed);
    maker_grow(&maker, rows);
    temporary_start(&recorder, maker.session, 0);
    temporary_stop(recorder);
    session_destroy(maker.session);
}

struct session *temporary_load(void)
{
    struct error error = {0};
    struct session *session;
    cr_assert_eq(recording_load(&session, temporary_path, &error), STATUS_OK, "%s", error.text);
    return session;
}

void temporary_refused(enum status status, const char *words)
{
    struct session *session;
    struct error error = {0};
    enum status got = recording_load(&session, temporary_path, &error);
    cr_assert_eq(got, status, "%s, not %s: %s", status_text(got), status_text(status), error.text);
    cr_assert_null(session);
    cr_assert(strstr(error.text, words), "'%s' lacks '%s'", error.text, words);
    cr_assert(strstr(error.text, temporary_path), "the sentence names the file: %s", error.text);
}

/* On a connection of its own, ready to step; statement_end() closes both. */
static sqlite3_stmt *statement_begin(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open_v2(temporary_path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(database));
    return statement;
}

static void statement_end(sqlite3_stmt *statement)
{
    sqlite3 *database = sqlite3_db_handle(statement);
    sqlite3_finalize(statement);
    sqlite3_close(database);
}

int64_t temporary_query(const char *sql)
{
    sqlite3_stmt *statement = statement_begin(sql);
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW, "%s", sql);
    int64_t number = sqlite3_column_int64(statement, 0);
    statement_end(statement);
    return number;
}

int64_t temporary_steps(const char *sql)
{
    sqlite3_stmt *statement = statement_begin(sql);
    while (sqlite3_step(statement) == SQLITE_ROW)
        continue;
    int64_t steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    statement_end(statement);
    return steps;
}

void temporary_change(const char *sql)
{
    sqlite3 *database;
    char *why = NULL;
    cr_assert_eq(sqlite3_open(temporary_path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, sql, NULL, NULL, &why), SQLITE_OK, "%s: %s", sql, why);
    sqlite3_close(database);
}

uint64_t temporary_bytes(const char *ending)
{
    char name[128];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", temporary_path, ending);
    return stat(name, &status) == 0 ? (uint64_t)status.st_size : 0;
}

bool temporary_exists(const char *ending)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", temporary_path, ending);
    return access(name, F_OK) == 0;
}

unsigned char *temporary_read(size_t *size)
{
    FILE *file = fopen(temporary_path, "rb");
    cr_assert_not_null(file);
    *size = (size_t)temporary_bytes("");
    unsigned char *bytes = malloc(*size + 1);
    cr_assert_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

void temporary_write(const void *bytes, size_t size)
{
    FILE *file = fopen(temporary_path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

bool session_has_notice(const struct session *session, const char *words)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (strstr(session_string(session, session_notice(session, i)->text), words))
            return true;
    return false;
}

void sleep_ms(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}
