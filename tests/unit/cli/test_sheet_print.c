/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up sheet with every kind of column in all forms, byte for byte; columns without room; fields. */
#include "cli/output/sheet_print.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct sheet_column columns[] = {
    {"clock", NULL, "the clock", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"part", "share", "its share", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"time_ns", "time", "its time", SHEET_TIME, SHEET_LESS, 7, 2, true},
    {"count", "times", "how often", SHEET_COUNT, SHEET_NEITHER, 7, 1, false},
    {"moved", "bytes", "what it moved", SHEET_BYTES, SHEET_LESS, 7, 3, false},
    {"rate", "rate", "how fast", SHEET_RATE, SHEET_MORE, 9, 4, false},
    {"gain", "gain", "how much faster", SHEET_RATIO, SHEET_MORE, 8, 5, false},
    {"level", "level", "a number", SHEET_NUMBER, SHEET_NEITHER, 5, 6, false},
    {"good", "good", "is it", SHEET_YES, SHEET_NEITHER, 4, 7, false},
    {"class", "what", "what it is", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
};

/* A sentence goes on below itself. */
static const struct sheet_column said_columns[] = {
    {"pid", "pid", "a number, whole", SHEET_NUMBER, SHEET_NEITHER, 7, 0, false},
    {"text", "what is wrong", "a sentence", SHEET_SENTENCE, SHEET_NEITHER, 10, 0, false},
};

static enum status make_said(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct sheet_cell cells[] = {{.number = 1234567}, {.text = "one two three four five six"}};
    (void)from, (void)error;
    sheet_row(to, cells);
    return STATUS_OK;
}

static const struct sheet said = {
    .id = "said", .title = "Said", SHEET_COLUMNS(said_columns), .none = "said: nothing", .rows = make_said};

/* `from`: the number of rows. */
static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    size_t rows = *(const size_t *)from;
    (void)error;
    sheet_group(to, "first, with | and _:");
    for (size_t i = 0; i < rows; i++) {
        const struct sheet_cell cells[] = {
            {.text = "wall"},
            {.number = 0.125},
            {.number = 1500.0 * (double)(i + 1),
             .provenance = i % 2 ? PROVENANCE_MODELLED : PROVENANCE_MEASURED},
            {.number = 1234567},
            {.number = i == 1 ? (double)NAN : 64e6},
            {.number = 1.5e9},
            {.number = i == 1 ? (double)INFINITY : 2.5},
            {.number = 3.14159},
            {.number = (double)(i % 2)},
            {.text = i == 1 ? NULL : "a \"word\"\x1b[31m of a stranger", .id = i == 1 ? NULL : "word"}};
        sheet_row(to, cells);
    }
    sheet_note(to, "a note");
    return STATUS_OK;
}

static const struct sheet made = {
    .id = "made", .title = "Made up", SHEET_COLUMNS(columns), .none = "made: none", .rows = make_rows};

static char *printed(struct sheet_look look, size_t rows, enum status wanted)
{
    char *text = NULL;
    size_t size;
    struct error error = {0};
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(sheet_print(&made, &rows, &look, out, &error), wanted, "%s", error.text);
    if (wanted != STATUS_OK)
        fputs(error.text, out);
    fclose(out);
    return text;
}

static void expect(struct sheet_look look, size_t rows, const char *wanted)
{
    char *text = printed(look, rows, STATUS_OK);
    cr_expect_str_eq(text, wanted);
    free(text);
}

Test(sheet_print, text_has_columns_a_group_and_notes)
{
    expect(
        (struct sheet_look){.form = SHEET_FORM_TEXT}, 2,
        "first, with | and _:\n"
        "   share     time   times   bytes      rate     gain level good what\n"
        " 12.50 %  1.50 us  1.23 M 64.0 MB 1.50 GB/s    2.50x 3.142   no a \"word\"\\x1b[31m of a stranger\n"
        " 12.50 % ~3.00 us  1.23 M       - 1.50 GB/s no limit 3.142  yes -\n"
        "a note\n");
}

/* Only files that are there are links, and a name is no way out of the sequence. */
static const struct sheet_column place_columns[] = {
    {"file", "file", "a path", SHEET_TEXT, SHEET_NEITHER, 12, 0, false},
    {"line", "line", "a line", SHEET_NUMBER, SHEET_NEITHER, 4, 0, false},
    {NULL, "what", "for readers alone", SHEET_TEXT, SHEET_NEITHER, 4, 0, false},
};

static enum status make_places(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    sheet_row(to, (const struct sheet_cell[]){{.text = from}, {.number = 7}, {.text = "here"}});
    sheet_row(to, (const struct sheet_cell[]){{.text = "/no/such.cu"}, {.number = 8}, {.text = "not"}});
    return STATUS_OK;
}

static const struct sheet places = {
    .id = "places", .title = "Places", SHEET_COLUMNS(place_columns), .none = "none", .rows = make_places};

Test(sheet_print, sources_that_are_here_are_links)
{
    char name[] = "/tmp/lanescope \x1b\\XXXXXX", wanted[400], *text = NULL;
    size_t size;
    struct error error;
    const int file = mkstemp(name);
    cr_assert_geq(file, 0);
    close(file);
    for (int links = 0; links < 2; links++) {
        FILE *out = open_memstream(&text, &size);
        const struct sheet_look look = {.form = SHEET_FORM_TEXT, .width = 40, .links = links};
        cr_assert_eq(sheet_print(&places, name, &look, out, &error), STATUS_OK);
        fclose(out);
        snprintf(wanted, sizeof wanted, "\x1b]8;;file:///tmp/lanescope%%20%%1B%%5C%s#7\x1b\\",
                 strrchr(name, '\\') + 1);
        cr_expect_eq(strncmp(text, "file", 4), 0);
        cr_expect_eq(strstr(text, wanted) != NULL, links, "%s", text);
        const char *last = strstr(text, "/no/such");
        cr_assert_not_null(last, "%s", text);
        cr_expect_null(strchr(last, '\x1b'), "%s", text);
        cr_expect_eq(strchr(text, '\x1b') != NULL, links);
        free(text);
    }
    unlink(name);
}

/* Those of the highest priority go first; the last one takes what is left. */
Test(sheet_print, text_leaves_out_what_has_no_room)
{
    expect((struct sheet_look){.form = SHEET_FORM_TEXT, .width = 44}, 1,
           "first, with | and _:\n"
           "   share     time   times   bytes what\n"
           " 12.50 %  1.50 us  1.23 M 64.0 MB a \"..er\n"
           "a note\n");
}

Test(sheet_print, csv_is_for_machines)
{
    expect((struct sheet_look){.form = SHEET_FORM_CSV}, 2,
           "clock,part,time_ns,time_ns_provenance,count,moved,rate,gain,level,good,class\n"
           "\"wall\",0.125,1500,measured,1234567,64000000,1500000000,2.5,3.14159,false,\"word\"\n"
           "\"wall\",0.125,3000,modelled,1234567,,1500000000,,3.14159,true,\n");
}

Test(sheet_print, json_has_nulls_and_provenance)
{
    expect((struct sheet_look){.form = SHEET_FORM_JSON, .fields = "time_ns,moved,gain,good,class"}, 2,
           "{\n \"sheet_version\": 1,\n \"sheet\": \"made\",\n \"title\": \"Made up\",\n \"rows\": [\n"
           "  {\"time_ns\": 1500, \"time_ns_provenance\": \"measured\", \"moved\": 64000000, \"gain\": 2.5, "
           "\"good\": false, \"class\": \"word\"},\n"
           "  {\"time_ns\": 3000, \"time_ns_provenance\": \"modelled\", \"moved\": null, \"gain\": null, "
           "\"good\": true, \"class\": null}\n"
           " ],\n \"left_out\": null,\n \"notes\": [\n  \"a note\"\n ]\n}\n");
}

/* What is equal in all rows is said once; one row alone has all of its fields. */
Test(sheet_print, compact_json_names_each_field_once)
{
    expect((struct sheet_look){.form = SHEET_FORM_COMPACT, .fields = "clock,time_ns,level,class"}, 2,
           "{\n \"sheet_version\": 1,\n \"sheet\": \"made\",\n \"title\": \"Made up\",\n"
           " \"same\": {\n  \"clock\": \"wall\",\n  \"level\": 3.14159\n },\n"
           " \"fields\": [\n  \"time_ns\",\n  \"time_ns_provenance\",\n  \"class\"\n ],\n"
           " \"rows\": [\n  [1500, \"measured\", \"word\"],\n  [3000, \"modelled\", null]\n ],\n"
           " \"left_out\": null,\n \"notes\": [\n  \"a note\"\n ]\n}\n");
    expect(
        (struct sheet_look){.form = SHEET_FORM_COMPACT, .fields = "clock,moved"}, 1,
        "{\n \"sheet_version\": 1,\n \"sheet\": \"made\",\n \"title\": \"Made up\",\n"
        " \"same\": {},\n \"fields\": [\n  \"clock\",\n  \"moved\"\n ],\n \"rows\": [\n  [\"wall\", 64000000]\n ],\n"
        " \"left_out\": null,\n \"notes\": [\n  \"a note\"\n ]\n}\n");
}

Test(sheet_print, markdown_is_escaped)
{
    expect((struct sheet_look){.form = SHEET_FORM_MARKDOWN, .fields = "count,class", .most = 1}, 2,
           "first, with \\| and \\_:\n\n| times | what |\n| ---: | --- |\n"
           "| 1.23 M | a \"word\"\\\\x1b[31m of a stranger |\n\na note\n1 more row is left out (--top 1)\n");
}

Test(sheet_print, says_that_there_are_no_rows)
{
    expect((struct sheet_look){.form = SHEET_FORM_CSV, .fields = "count"}, 0, "count\n");
    char *text = printed((struct sheet_look){.form = SHEET_FORM_TEXT}, 0, STATUS_OK);
    cr_expect(strstr(text, "made: none\n"), "%s", text);
    free(text);
}

Test(sheet_print, refuses_a_field_that_is_not_there)
{
    char *text = printed((struct sheet_look){.form = SHEET_FORM_CSV, .fields = "count,nil"}, 1, STATUS_USAGE);
    cr_expect(strstr(text, "no field \"nil\": it has clock, part,"), "%s", text);
    free(text);
}

/* The schema names each column of the JSON. */
Test(sheet_print, schema_has_every_column)
{
    char *text = printed((struct sheet_look){.form = SHEET_FORM_SCHEMA}, 0, STATUS_OK);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\": {", columns[i].id);
        cr_expect(strstr(text, key), "%s: %s", key, text);
    }
    cr_expect(strstr(text, "\"time_ns_provenance\""));
    free(text);
}

Test(sheet_print, text_wraps_a_sentence)
{
    const struct sheet_look look = {.form = SHEET_FORM_TEXT, .width = 22};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(sheet_print(&said, NULL, &look, out, NULL), STATUS_OK);
    fclose(out);
    cr_expect_str_eq(text, "    pid what is wrong\n1234567 one two three\n        four five six\n");
    free(text);
}
