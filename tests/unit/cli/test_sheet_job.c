/* SPDX-License-Identifier: Apache-2.0 */
/* Rows made by a process beside: as made here; and what becomes of one that crashes, has no memory or hangs.
 */
#include "cli/output/memory.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"
#include "cli/screen/screen_job.h"
#include "core/base/clock.h"
#include "tests/shared/fixture/fixture_session.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct sheet_column columns[] = {
    {"text", "text", "a text", SHEET_TEXT, SHEET_NEITHER, 10, 0, false}};

static enum status make_crash(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)to, (void)error;
    raise(SIGSEGV);
    return STATUS_OK;
}

static enum status make_no_memory(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)to, (void)error;
    memory_end();
}

static enum status make_nothing_ever(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)to, (void)error;
    while (pause() != 0)
        continue;
    return STATUS_OK;
}

static enum status make_many(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)from, (void)error;
    for (size_t i = 0; i < SHEET_KEPT_ROWS_MAX + 5; i++)
        sheet_row(to, &(const struct sheet_cell){.text = i % 2 ? "odd" : "even"});
    sheet_note(to, "the end");
    return error_set(error, STATUS_STATE, "Some events were evicted.");
}

#define MADE(name, function)           \
    static const struct sheet name = { \
        .id = #name, .title = #name, SHEET_COLUMNS(columns), .none = "-", .rows = function}
MADE(crashing, make_crash);
MADE(hungry, make_no_memory);
MADE(hanging, make_nothing_ever);
MADE(long_one, make_many);

static enum status rows_of(struct sheet_job *job, const struct session *session, const struct sheet *sheet,
                           struct sheet_kept *kept, struct error *error)
{
    for (;;) {
        bool made;
        enum status status = sheet_job_rows(job, session, sheet, kept, &made, error);
        if (made || status != STATUS_OK)
            return status;
        clock_pause(NS_PER_MS);
    }
}

static void expect_same(const struct sheet_kept *a, const struct sheet_kept *b)
{
    cr_assert_eq(a->rows, b->rows, "%s: %zu, %zu", a->sheet->id, a->rows, b->rows);
    cr_assert_eq(a->note_count, b->note_count);
    for (size_t row = 0; row < a->rows; row++) {
        cr_assert_str_eq(sheet_kept_group(a, a->groups[row]), sheet_kept_group(b, b->groups[row]));
        for (int i = 0; i < a->sheet->column_count; i++) {
            struct sheet_cell x = sheet_kept_cell(a, row, i), y = sheet_kept_cell(b, row, i);
            cr_assert(x.number == y.number || (isnan(x.number) && isnan(y.number)));
            cr_assert(x.text == NULL ? y.text == NULL : strcmp(x.text, y.text) == 0);
            cr_assert(x.id == NULL ? y.id == NULL : strcmp(x.id, y.id) == 0);
        }
    }
}

Test(sheet_job, rows_are_as_made_here)
{
    struct fixture fixture;
    struct sheet_job job = {0};
    fixture_init(&fixture, FIXTURE_TIMELINE);
    size_t rows = 0;
    for (size_t i = 0; sheet_job_at(i); i++) {
        struct sheet_kept there, here;
        struct report_data data;
        struct error error = {0};
        cr_assert_eq(rows_of(&job, fixture.session, sheet_job_at(i), &there, &error), STATUS_OK, "%s",
                     error.text);
        cr_assert_eq(report_data_of(&data, fixture.session, NULL, &error), STATUS_OK);
        cr_assert_eq(sheet_kept_make(&here, sheet_job_at(i), &data, &error), STATUS_OK);
        expect_same(&there, &here);
        rows += here.rows;
        report_data_fini(&data);
        sheet_kept_fini(&here);
        sheet_kept_fini(&there);
    }
    cr_assert_gt(rows, 100, "%zu rows", rows);
    fixture_fini(&fixture);
}

Test(sheet_job, a_long_one_is_cut_and_says_so)
{
    struct fixture fixture;
    struct sheet_job job = {0};
    struct sheet_kept kept;
    fixture_init(&fixture, FIXTURE_EMPTY);
    cr_assert_eq(rows_of(&job, fixture.session, &long_one, &kept, NULL), STATUS_OK);
    cr_assert_eq(kept.rows, SHEET_KEPT_ROWS_MAX);
    cr_assert_eq(kept.left_out, 5);
    cr_assert_str_eq(kept.why, "Some events were evicted.");
    cr_assert_str_eq(sheet_kept_cell(&kept, SHEET_KEPT_ROWS_MAX - 1, 0).text, "odd");
    cr_assert_str_eq(sheet_kept_note(&kept, 0), "the end");
    cr_assert_null(sheet_kept_note(&kept, 1));
    sheet_kept_fini(&kept);
    fixture_fini(&fixture);
}

Test(sheet_job, a_failure_is_only_the_tables)
{
    struct fixture fixture;
    struct sheet_job job = {0};
    struct sheet_kept kept;
    struct error error = {0};
    bool made;
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    fixture_init(&fixture, FIXTURE_EMPTY);
    cr_assert_eq(rows_of(&job, fixture.session, &crashing, &kept, &error), STATUS_STATE);
    cr_assert(strstr(error.text, "ended by signal 11"), "%s", error.text);
    cr_assert_eq(rows_of(&job, fixture.session, &hungry, &kept, &error), STATUS_MEMORY);
    cr_assert_eq(sheet_job_rows(&job, fixture.session, &hanging, &kept, &made, &error), STATUS_OK);
    cr_assert(!made && job.pid > 0);
    int hung = job.pid;
    char byte;
    close(ends[1]);
    cr_assert_eq(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 5000), 1,
                 "the process holds it open");
    cr_assert_eq(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    cr_assert_eq(rows_of(&job, fixture.session, &hungry, &kept, &error), STATUS_MEMORY, "another ends it");
    cr_assert(kill(hung, 0) < 0 && errno == ESRCH);
    cr_assert_eq(sheet_job_rows(&job, fixture.session, &hanging, &kept, &made, &error), STATUS_OK);
    sheet_job_stop(&job);
    cr_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
    fixture_fini(&fixture);
}
