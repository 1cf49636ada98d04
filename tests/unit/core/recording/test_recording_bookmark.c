/* SPDX-License-Identifier: Apache-2.0 */
/* Bookmarks: kept in a recording that has ended, and a sentence where they cannot be. */
#include "core/recording/recording.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(recording_bookmark, .init = temporary_make, .fini = temporary_remove);

static const struct bookmark_row mark = {
    .time_ns = 1234567, .clock = CLOCK_MODEL, .text = "here it \xc3\xa4ndert"};

Test(recording_bookmark, is_kept_after_the_end)
{
    temporary_record(1, 100);
    struct session *before = temporary_load();
    uint32_t count = session_bookmark_count(before);
    for (uint32_t i = 1; i <= 3; i++) {
        struct bookmark_row row = mark;
        struct error error = {0};
        row.time_ns += i;
        cr_assert_eq(recording_add_bookmark(temporary_path, &row, &error), STATUS_OK, "%s", error.text);
        struct session *again = temporary_load();
        cr_assert_eq(session_bookmark_count(again), count + i);
        const struct bookmark_row *last = session_bookmark(again, count + i - 1);
        cr_assert(last->time_ns == row.time_ns && last->clock == CLOCK_MODEL &&
                  strcmp(last->text, mark.text) == 0);
        cr_assert_eq(session_event_count(again), session_event_count(before));
        session_destroy(again);
    }
    session_destroy(before);
    cr_assert_eq(temporary_query("SELECT count(*) FROM bookmark WHERE text = 'here it \xc3\xa4ndert'"), 3);
}

static void expect_refused(enum status status, const char *part)
{
    struct error error = {0};
    cr_assert_eq(recording_add_bookmark(temporary_path, &mark, &error), status, "%s", error.text);
    cr_assert(strstr(error.text, "The bookmark is not saved") != NULL, "%s", error.text);
    cr_assert(strstr(error.text, part) != NULL, "%s", error.text);
}

Test(recording_bookmark, is_not_kept_while_it_is_written)
{
    temporary_record(2, 100);
    temporary_change("UPDATE meta SET value = 0 WHERE key = 'finished'");
    expect_refused(STATUS_STATE, "still being recorded");
}

/* A user who may not write it is told so; root may write everything but what is mounted read-only. */
Test(recording_bookmark, is_not_kept_where_another_one_writes)
{
    temporary_record(3, 100);
    sqlite3 *other;
    cr_assert_eq(sqlite3_open(temporary_path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    struct error error = {0};
    cr_assert_neq(recording_add_bookmark(temporary_path, &mark, &error), STATUS_OK);
    cr_assert(strstr(error.text, "The bookmark is not saved") != NULL, "%s", error.text);
    sqlite3_close(other);
    if (geteuid() == 0)
        return;
    cr_assert_eq(chmod(temporary_path, 0444), 0);
    expect_refused(STATUS_PERMISSION, "may not write");
}
