/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --check found, out of the notices: a sheet, and the forms in which other programs want it:
 * SARIF 2.1.0, commands of GitHub's workflows, and rows of a file for --suppress. A finding is a notice whose
 * status is CHECK; one that is suppressed is a note, and carries its reason.
 */
#include "cli/output/json.h"
#include "cli/output/out_file.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_sheets.h"
#include "core/base/append.h"
#include "simt/check/finding.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct found {
    const char *text; /* the whole sentence */
    struct finding finding;
    char reason[400]; /* "": it is not suppressed */
    int64_t pid;      /* -1: not known */
};

/* The next finding from *at on, which is moved behind it. */
static bool find_next(const struct session *session, uint32_t *at, struct found *found)
{
    for (; *at < session_notice_count(session); ++*at) {
        const struct notice_row *notice = session_notice(session, *at);
        found->text = session_string(session, notice->text);
        if (notice->status != STATUS_CHECK || !finding_read(found->text, &found->finding))
            continue;
        if (!finding_reason(found->text, found->reason, sizeof found->reason))
            found->reason[0] = '\0';
        const struct process_row *process = session_process(session, notice->process);
        found->pid = process ? process->pid : -1;
        ++*at;
        return true;
    }
    return false;
}

/* ---- the sheet ---- */
/* clang-format off */
static const struct sheet_column columns[] = {
    {"kind", "finding", "what was found", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"kernel", "kernel", "the kernel as the sentence names it; empty: a copy or a set", SHEET_TEXT, SHEET_NEITHER, 24, 1, false},
    {"file", "file", "the source's path in the program; empty: it was built without -lineinfo", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"line", "line", "line of the source", SHEET_COUNT, SHEET_NEITHER, 5, 0, false},
    {"suppressed", "known", "was it suppressed by a row of --suppress", SHEET_YES, SHEET_NEITHER, 5, 0, false},
    {"reason", "reason", "the reason of that row", SHEET_TEXT, SHEET_NEITHER, 10, 0, false},
    {"pid", NULL, "the process", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"text", NULL, "the sentence", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"pairs", NULL, "a race: how many pairs of lines the one missing barrier leaves without an order; 0: it is none", SHEET_COUNT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* No finding is not "clean": what was looked at, of each process, and how many runs were not. */
static void note_checked(const struct session *session, struct sheet_sink *to)
{
    const char *before = NULL;
    size_t on_gpu = 0, unchecked = 0;
    char text[300];

    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        const char *checked = report_checked(session, run);
        on_gpu += run->clock != CLOCK_MODEL;
        unchecked += run->clock == CLOCK_MODEL && !checked;
        if (checked && checked != before)
            sheet_note(to, checked);
        before = checked ? checked : before;
    }
    snprintf(
        text, sizeof text,
        "Not checked: %zu run%s on the device model without --check; only what stops a kernel would be here (out of "
        "bounds, misaligned, a trap, threads that wait for each other)",
        unchecked, unchecked == 1 ? "" : "s");
    if (unchecked > 0)
        sheet_note(to, text);
    snprintf(text, sizeof text, "Not checked: %zu run%s on a GPU; lanescope --device simt --check checks",
             on_gpu, on_gpu == 1 ? "" : "s");
    if (on_gpu > 0)
        sheet_note(to, text);
}

static enum status make_checks(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    uint32_t at = 0;
    struct found found;

    (void)error;
    while (find_next(data->session, &at, &found)) {
        const struct sheet_cell cells[] = {
            {.text = check_kind_text(found.finding.kind)},
            {.text = found.finding.kernel},
            {.text = name_of(found.finding.file), .id = found.finding.file},
            {.number = found.finding.line},
            {.number = found.reason[0] != '\0'},
            {.text = found.reason},
            {.number = (double)found.pid},
            {.text = found.text},
            {.number = found.finding.pairs},
        };
        sheet_row(to, cells);
    }
    note_checked(data->session, to);
    return STATUS_OK;
}

const struct sheet sheet_checks = {.id = "checks",
                                   .title = "What --check found, and what stopped a kernel",
                                   SHEET_COLUMNS(columns),
                                   .none = "checks: nothing was found",
                                   .rows = make_checks};

/* ---- paths ---- */
/* The file below the current folder, which for a workflow is the repository; else its whole path. */
static const char *path_from_here(const char *file)
{
    char *here = getcwd(NULL, 0);
    size_t length = here ? strlen(here) : 0;
    bool below = here && strncmp(file, here, length) == 0 && file[length] == '/';

    free(here);
    while (!below && strncmp(file, "./", 2) == 0)
        file += 2;
    return below ? file + length + 1 : file;
}

static void append_uri(char *uri, size_t size_bytes, const char *path)
{
    size_t used = 0;

    append_text(uri, size_bytes, &used, "%s", *path == '/' ? "file://" : "");
    for (; *path; path++)
        append_text(uri, size_bytes, &used,
                    isalnum((unsigned char)*path) || strchr("/-._~", *path) ? "%c" : "%%%02X",
                    (unsigned char)*path);
}

/* ---- SARIF ---- */
/* "race-in-shared-memory" */
static const char *rule_id(enum check_kind kind, char id[64])
{
    snprintf(id, 64, "%s", check_kind_text(kind));
    for (char *at = id; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '-';
    return id;
}

/* Kinds of one text are one rule: that of the first. */
static bool is_rule(int kind)
{
    int first = 0;

    while (strcmp(check_kind_text((enum check_kind)first), check_kind_text((enum check_kind)kind)) != 0)
        first++;
    return first == kind;
}

static int64_t rule_index(enum check_kind kind)
{
    int64_t index = 0;

    for (int other = 0; strcmp(check_kind_text((enum check_kind)other), check_kind_text(kind)) != 0; other++)
        index += is_rule(other);
    return index;
}

static void write_text(struct json *json, const char *key, const char *text)
{
    json_open(json, key, '{');
    json_string(json, "text", text);
    json_close(json, '}');
}

static void write_physical(struct json *json, const char *file, uint32_t line)
{
    char uri[1600];

    append_uri(uri, sizeof uri, path_from_here(file));
    json_open(json, "physicalLocation", '{');
    json_open(json, "artifactLocation", '{');
    json_string(json, "uri", uri);
    json_close(json, '}');
    json_open(json, "region", '{');
    json_integer(json, "startLine", line);
    json_close(json, '}');
    json_close(json, '}');
}

/* The other lines between which and a second one the same barrier is missing. */
static void write_related(struct json *json, const struct finding *finding)
{
    char text[80];

    if (finding->also_count == 0)
        return;
    json_open(json, "relatedLocations", '[');
    for (uint32_t i = 0; i < finding->also_count; i++) {
        json_open(json, NULL, '{');
        json_integer(json, "id", i);
        write_physical(json, finding->also[i].file, finding->also[i].line);
        if (finding->also[i].other_line == finding->also[i].line)
            snprintf(text, sizeof text, "the same is missing at this line");
        else
            snprintf(text, sizeof text, "the same is missing between this line and line %u",
                     finding->also[i].other_line);
        write_text(json, "message", text);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_result(struct json *json, const struct found *found)
{
    const struct finding *finding = &found->finding;
    char id[64], row[1600];

    json_open(json, NULL, '{');
    json_string(json, "ruleId", rule_id(finding->kind, id));
    json_integer(json, "ruleIndex", rule_index(finding->kind));
    json_string(json, "level", "error");
    write_text(json, "message", found->text);
    json_open(json, "locations", '[');
    json_open(json, NULL, '{');
    if (finding->line)
        write_physical(json, finding->file, finding->line);
    if (finding->kernel[0]) {
        json_open(json, "logicalLocations", '[');
        json_open(json, NULL, '{');
        json_string(json, "name", finding->kernel);
        json_string(json, "kind", "function");
        json_close(json, '}');
        json_close(json, ']');
    }
    json_close(json, '}');
    json_close(json, ']');
    write_related(json, finding);
    finding_row(finding, "-", row, sizeof row);
    json_open(json, "partialFingerprints", '{');
    json_string(json, "lanescopeFinding/v1", row);
    json_close(json, '}');
    if (found->reason[0]) {
        json_open(json, "suppressions", '[');
        json_open(json, NULL, '{');
        json_string(json, "kind", "external");
        json_string(json, "justification", found->reason);
        json_close(json, '}');
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void print_sarif(const struct session *session, FILE *out)
{
    struct json json;
    struct found found;
    char id[64];
    uint32_t at = 0;

    json_init(&json, out, 5);
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(&json, "version", "2.1.0");
    json_open(&json, "runs", '[');
    json_open(&json, NULL, '{');
    json_open(&json, "tool", '{');
    json_open(&json, "driver", '{');
    json_string(&json, "name", "lanescope");
    json_string(&json, "version", LANESCOPE_VERSION);
    json_open(&json, "rules", '[');
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++) {
        if (!is_rule(kind))
            continue;
        json_open(&json, NULL, '{');
        json_string(&json, "id", rule_id((enum check_kind)kind, id));
        write_text(&json, "shortDescription", check_kind_text((enum check_kind)kind));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, '}');
    json_open(&json, "results", '[');
    while (find_next(session, &at, &found))
        write_result(&json, &found);
    json_close(&json, ']');
    json_close(&json, '}');
    json_close(&json, ']');
    json_close(&json, '}');
    putc('\n', out);
}

/* ---- GitHub ---- */
static void print_escaped(FILE *out, const char *text, const char *also)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '%' || strchr(also, *text))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            putc(*text, out);
}

static void print_annotations(const struct session *session, FILE *out)
{
    struct found found;
    uint32_t at = 0;

    while (find_next(session, &at, &found)) {
        fprintf(out, "::%s ", found.reason[0] ? "notice" : "error");
        if (found.finding.line) {
            fputs("file=", out);
            print_escaped(out, path_from_here(found.finding.file), ":,");
            fprintf(out, ",line=%u,", found.finding.line);
        }
        fputs("title=", out);
        print_escaped(out, check_kind_text(found.finding.kind), ":,");
        fputs("::", out);
        print_escaped(out, found.text, "");
        putc('\n', out);
    }
}

/* ---- rows for --suppress ---- */
/* Each once: a finding comes again in each launch. */
static enum status print_known(const struct session *session, FILE *out, struct error *error)
{
    struct found found;
    char *text = NULL, row[1600];
    size_t size = 0;
    uint32_t at = 0;
    FILE *rows = open_memstream(&text, &size);

    if (!rows)
        return error_no_memory(error, "for the findings");
    fputs("# KERNEL | FILE:LINE | KIND | REASON, for lanescope --check --suppress\n", rows);
    while (find_next(session, &at, &found)) {
        finding_row(&found.finding, found.reason[0] ? found.reason : "not judged yet", row, sizeof row);
        strncat(row, "\n", sizeof row - strlen(row) - 1);
        fflush(rows);
        if (!strstr(text, row))
            fputs(row, rows);
    }
    enum status status = fclose(rows) == 0 ? STATUS_OK : error_no_memory(error, "for the findings");
    if (status == STATUS_OK)
        fputs(text, out);
    free(text);
    return status;
}

enum status report_checks_print(const struct session *session, const char *form, FILE *out,
                                struct error *error)
{
    enum status status = STATUS_OK;

    if (strcmp(form, "sarif") == 0)
        print_sarif(session, out);
    else if (strcmp(form, "github") == 0)
        print_annotations(session, out);
    else
        status = print_known(session, out, error);
    return status == STATUS_OK ? out_flush(out, error) : status;
}
