/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer that a program can afford to read: the first screen as lines, and the sheets behind it in compact JSON, each with
 * few fields and rows. While it is longer than BRIEF_BYTES_MAX, each sheet gives half of its rows.
 */
#include "cli/report/summary/report_summary.h"

#include "cli/output/answer.h"
#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/report/report_sheets.h"

#include <stdlib.h>
#include <string.h>

#define BRIEF_SCHEMA 1
#define BRIEF_DEPTH 3 /* a line for each part of a sheet */

static const struct part {
    const struct sheet *sheet;
    const char *fields;
    size_t most;
} parts[] = {
    {&sheet_runs, "run,name,clock,device_time_ns,span_ns,copies_hidden,verified,exit_status,why", 4},
    {&sheet_time, "run,of,device,class,share,ns", 16},
    {&sheet_remedies, "run,edit,gain,before_ns,after_ns,title,assumes,why,now", 4},
    {&sheet_kernels, "name,clock,share,total_ns,count,median_ns,why", 8},
    {&sheet_notices, "severity,text", 3},
};

static FILE *begin_text(char **text, size_t *size_bytes)
{
    FILE *memory = open_memstream(text, size_bytes);
    memory_check(memory ? STATUS_OK : STATUS_MEMORY);
    return memory;
}

static void print_screen(struct json *json, const char *screen)
{
    json_open(json, "screen", '[');
    for (const char *line = screen; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char text[REPORT_COLUMNS * 4 + 1];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        if (*text)
            json_string(json, NULL, text);
    }
    json_close(json, ']');
}

static enum status print_brief(const struct report_data *data, const char *screen, size_t less, FILE *out,
                               struct error *error)
{
    enum status status = STATUS_OK;
    struct json json;
    json_init(&json, out, BRIEF_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", BRIEF_SCHEMA);
    answer_print(&json);
    print_screen(&json, screen);
    json_open(&json, "sheets", '{');
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == STATUS_OK; i++) {
        const struct sheet_look look = {.form = SHEET_FORM_COMPACT,
                                        .most = parts[i].most > less ? parts[i].most / less : 1,
                                        .fields = parts[i].fields,
                                        .names = data->names};
        status = sheet_print_json(&json, parts[i].sheet->id, parts[i].sheet, data, &look, error);
    }
    json_close(&json, '}');
    json_close(&json, '}');
    return status;
}

enum status report_brief(const struct session *session, const char *file, FILE *out, struct error *error)
{
    const struct report_look look = {.file = file, .columns = REPORT_COLUMNS};
    struct report_data data;
    char *screen = NULL, *text = NULL;
    size_t screen_bytes, text_bytes = SIZE_MAX;
    FILE *memory = begin_text(&screen, &screen_bytes);
    enum status status = report_summary(session, &look, memory, error);
    memory_check(fclose(memory) == 0 && screen ? STATUS_OK : STATUS_MEMORY);
    if (status == STATUS_OK)
        status = report_data_of(&data, session, NULL, error);
    if (status != STATUS_OK) {
        free(screen);
        return status;
    }
    for (size_t less = 1; less <= 16 && status == STATUS_OK && text_bytes > BRIEF_BYTES_MAX; less *= 2) {
        free(text);
        memory = begin_text(&text, &text_bytes);
        status = print_brief(&data, screen, less, memory, error);
        memory_check(fclose(memory) == 0 && text ? STATUS_OK : STATUS_MEMORY);
    }
    if (status == STATUS_OK)
        fwrite(text, 1, text_bytes, out);
    report_data_fini(&data);
    free(screen);
    free(text);
    return status == STATUS_OK ? out_flush(out, error) : status;
}

static void print_list(struct json *json, const char *key, const char *of, const char *meaning)
{
    json_open(json, key, '{');
    json_string(json, "type", "array");
    if (of) {
        json_open(json, "items", '{');
        json_string(json, "type", of);
        json_close(json, '}');
    }
    json_string(json, "description", meaning);
    json_close(json, '}');
}

void report_brief_schema(FILE *out)
{
    struct json json;
    json_init(&json, out, 6);
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_string(&json, "title", "lanescope report --summary --json");
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    json_open(&json, "schema", '{');
    json_integer(&json, "const", BRIEF_SCHEMA);
    json_close(&json, '}');
    answer_print_schema(&json);
    print_list(&json, "screen", "string",
               "the first screen of lanescope report, line by line: verdict, partition of the time, what "
               "to do first, kernels");
    json_open(&json, "sheets", '{');
    json_string(&json, "description",
                "sheets in compact JSON: the value of a field is in `same`, or in each row at the "
                "place of its name in `fields`; their meaning is that of docs/report.schema.json");
    json_string(&json, "type", "object");
    json_open(&json, "additionalProperties", '{');
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    json_open(&json, "same", '{');
    json_string(&json, "type", "object");
    json_string(&json, "description", "fields in which all rows are equal");
    json_close(&json, '}');
    print_list(&json, "fields", "string", "the names of what a row has");
    print_list(&json, "rows", "array",
               "an array for each row, one value for each of `fields`; null: not known");
    print_list(&json, "notes", "string", "what holds for the whole sheet, and how many rows are left out");
    json_close(&json, '}');
    json_close(&json, '}');
    json_close(&json, '}');
    json_close(&json, '}');
    json_close(&json, '}');
}
