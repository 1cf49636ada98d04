/*
 * The report as JSON: one document of all sheets, each under its id. docs/report.schema.json is made of the
 * same table of sheets. What a sheet cannot be made of, since events were evicted from memory, it says
 * itself.
 */
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_sheets.h"

#define REPORT_SCHEMA 2
#define LINES_DEPTH 4  /* a line for each row */
#define SCHEMA_DEPTH 9 /* a line for each column */

enum status report_json(const struct session *session, const char *kernels, FILE *out, struct error *error)
{
    struct report_data data;
    struct json json;
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    const struct sheet_look look = {.form = SHEET_FORM_JSON, .names = data.names};
    json_init(&json, out, LINES_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", REPORT_SCHEMA);
    json_open(&json, "sheets", '{');
    for (size_t i = 0; status == STATUS_OK && report_sheet_at(i); i++)
        status = sheet_print_json(&json, report_sheet_at(i)->id, report_sheet_at(i), &data, &look, error);
    json_close(&json, '}');
    json_close(&json, '}');
    report_data_fini(&data);
    return status == STATUS_OK ? report_flush(out, error) : status;
}

void report_schema(FILE *out)
{
    struct json json;
    json_init(&json, out, SCHEMA_DEPTH);
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_string(&json, "title", "lanescope report --json");
    json_string(&json, "description",
                "One object for each table of `lanescope report --table NAME`. `run`, `kernel`, `device`, "
                "`advice` and `path` are keys: the columns of that name in the sheets runs, shapes, devices, "
                "advice and paths.");
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    json_open(&json, "schema", '{');
    json_integer(&json, "const", REPORT_SCHEMA);
    json_close(&json, '}');
    json_open(&json, "sheets", '{');
    json_string(&json, "type", "object");
    json_open(&json, "properties", '{');
    for (size_t i = 0; report_sheet_at(i); i++)
        sheet_print_schema(&json, report_sheet_at(i)->id, report_sheet_at(i));
    json_close(&json, '}');
    json_open(&json, "required", '[');
    for (size_t i = 0; report_sheet_at(i); i++)
        json_string(&json, NULL, report_sheet_at(i)->id);
    json_close(&json, ']');
    json_bool(&json, "additionalProperties", false);
    json_close(&json, '}');
    json_close(&json, '}');
    json_open(&json, "required", '[');
    json_string(&json, NULL, "schema");
    json_string(&json, NULL, "sheets");
    json_close(&json, ']');
    json_close(&json, '}');
}
