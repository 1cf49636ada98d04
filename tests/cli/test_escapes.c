/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stranger's recording: hostile bytes in every column that has a text, one column after the other, through
 * every command that shows a recording. Nothing of it may reach a terminal as more than text.
 */
#include "core/recording/recording_schema.h"
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ESC, OSC with BEL, C1 as UTF-8 and raw, a bidirectional override, DEL, a carriage return. */
#define HOSTILE_HEX "1b5b33316d1b5d303b50574e4544079b33316dc29b33316de280ae7f0d58"
#define RECORDING TEST_SOURCE_DIR "/tests/data/small.lsr"

static char output[1 << 22], errors[1 << 22];

TestSuite(escapes, .init = program_enter, .fini = program_leave, .timeout = 560);

static const char *const commands[] = {
    "report hostile.lsr",
    "report --full hostile.lsr",
    "report --wide hostile.lsr",
    "report --lines hostile.lsr",
    "report --lines --wide hostile.lsr",
    "report --stacks hostile.lsr",
    "report --stacks --wide hostile.lsr",
    "report --csv hostile.lsr",
    "report --table kernels hostile.lsr",
    "report --table calls --csv hostile.lsr",
    "report --table ranges hostile.lsr",
    "report --table idle hostile.lsr",
    "report --table stacks hostile.lsr",
    "report --table stacks --csv hostile.lsr",
    "report --json hostile.lsr",
    "diff hostile.lsr good.lsr",
    "diff --wide good.lsr hostile.lsr",
    "export --csv hostile.lsr",
    "export --json hostile.lsr",
    "export --chrome hostile.lsr",
    "view hostile.lsr --snapshot text --size 200x60",
    "view hostile.lsr --snapshot svg --size 200x60",
    "view hostile.lsr --snapshot text --size 120x40 --keys '2'",
    "view hostile.lsr --snapshot text --size 120x40 --keys '2 Enter'",
    "view hostile.lsr --snapshot text --size 120x40 --keys '2 Enter s'",
    "view hostile.lsr --snapshot text --size 120x40 --keys '3'",
    "view hostile.lsr --snapshot text --size 120x40 --keys '5'",
};

/* Where the first thing lies that is more than text; NULL: nowhere. */
static const char *find_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool second = c > (const unsigned char *)text && c[-1] >= 0xc2;
        bool later = c > (const unsigned char *)text && c[-1] >= 0x80 && !second;
        if ((*c < 0x20 && *c != '\n') || *c == 0x7f)
            return (const char *)c;
        if (*c >= 0x80 && *c < 0xc0 && !second && !later) /* a C1 by itself */
            return (const char *)c;
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            return (const char *)c;
        if (c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae)
            return (const char *)c;
    }
    return NULL;
}

static bool make_hostile(const char *table, const char *column)
{
    sqlite3 *database;
    char sql[512], *why = NULL;
    cr_assert_eq(system("cp good.lsr hostile.lsr"), 0);
    cr_assert_eq(sqlite3_open("hostile.lsr", &database), SQLITE_OK);
    snprintf(sql, sizeof sql,
             "INSERT INTO string SELECT max(id) + 1, CAST(x'" HOSTILE_HEX "' AS TEXT) FROM string;"
             "UPDATE \"%s\" SET %s = (SELECT max(id) FROM string) WHERE %s IS NOT NULL",
             table, column, column);
    sqlite3_exec(database, sql, NULL, NULL, &why);
    cr_assert_null(why, "%s: %s", sql, why);
    bool any = sqlite3_changes(database) > 0;
    sqlite3_close(database);
    return any;
}

static void check_commands(const char *where)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int status = program_run(commands[i], output, errors, sizeof output);
        cr_assert_lt(status, 125, "%s: `%s` ended with %d: %s", where, commands[i], status, errors);
        const char *control = find_control(output);
        cr_expect_null(control, "%s: `%s` prints byte %02x: %.40s", where, commands[i],
                       control ? (unsigned)(unsigned char)*control : 0, control);
        control = find_control(errors);
        cr_expect_null(control, "%s: `%s` says byte %02x: %.40s", where, commands[i],
                       control ? (unsigned)(unsigned char)*control : 0, control);
    }
}

/* Rows in the tables that the kept recording leaves empty, and in those it is too old for. */
static void make_good(void)
{
    sqlite3 *database;
    char *why = NULL;
    size_t count;
    const struct schema_object *objects = recording_schema(&count);
    cr_assert_eq(system("cp " RECORDING " good.lsr && chmod u+w good.lsr"), 0);
    cr_assert_eq(sqlite3_open("good.lsr", &database), SQLITE_OK);
    for (size_t i = 0; i < count; i++)
        if (objects[i].later)
            cr_assert_eq(sqlite3_exec(database, objects[i].sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_exec(
        database,
        "INSERT INTO stack VALUES (0, NULL, 1, 1, 9, 0);"
        "INSERT INTO launch_site VALUES (0, 0, 0, 0, 0, 0, 3, 1000);"
        "INSERT INTO notice (id, time_ns, severity, status, process, text) VALUES (0, 1, 1, 0, 0, 1);"
        "UPDATE run SET workload = 1, variant = 1, params = 1, detail = 1 WHERE id = 1",
        NULL, NULL, &why);
    cr_assert_null(why, "%s", why);
    sqlite3_close(database);
}

Test(escapes, no_column_with_a_text_reaches_a_terminal)
{
    unsigned columns = 0;
    make_good();
    for (enum recording_table t = 0; t < TABLE_COUNT; t++) {
        const struct record_table *table = recording_table(t);
        for (size_t c = 0; c < table->column_count; c++) {
            char where[128];
            snprintf(where, sizeof where, "%s.%s", table->name, table->columns[c].name);
            if (table->columns[c].reference != REFERS_STRING ||
                !make_hostile(table->name, table->columns[c].name))
                continue;
            check_commands(where);
            columns++;
        }
    }
    cr_assert_geq(columns, 30, "only %u columns had a text to be replaced", columns);
}

Test(escapes, the_check_sees_what_it_looks_for)
{
    cr_assert_null(find_control("plain \xc3\xa4 \xe2\x82\xac\n"));
    cr_assert_not_null(find_control("a\x1b[31m"));
    cr_assert_not_null(find_control("a\x9b"));
    cr_assert_not_null(find_control("a\xc2\x9b"));
    cr_assert_not_null(find_control("a\xe2\x80\xae"));
    cr_assert_not_null(find_control("a\r"));
}

/* A name in a sentence of failure, too. */
Test(escapes, sentences_of_failure_have_none)
{
    sqlite3 *database;
    make_good();
    cr_assert_eq(sqlite3_open("good.lsr", &database), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(database, "CREATE INDEX \"\x9b\x33\x31m\x1b[31m\" ON run (id)", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    cr_assert_gt(program_run("report good.lsr", output, errors, sizeof output), 0);
    cr_assert_not_null(strstr(errors, "which lanescope did not make"), "%s", errors);
    cr_assert_null(find_control(errors), "%s", errors);
}
