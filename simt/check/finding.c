/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are kept in the order of the file; their texts point into one copy of it. */
#include "simt/check/finding.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/file.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_BEGIN " [known: "
#define FIELDS 4

struct row {
    const char *fields[FIELDS]; /* kernel, place, kind, reason */
    unsigned line;
    bool met;
};

#define KNOWN_BYTES_MAX ((size_t)64 << 20)

struct known_findings {
    char *text;
    struct row *rows;
    size_t count, capacity;
};

/* ---- sentences ---- */
/* The last "(FILE:LINE, ..." of the sentence: the access's own place. */
static void place_read(const char *text, struct finding *finding)
{
    for (const char *at = text + strlen(text); at > text; at--) {
        if (at[-1] != '(')
            continue;
        const char *colon = at + strcspn(at, ":)");
        size_t digits = *colon == ':' ? strspn(colon + 1, "0123456789") : 0;
        if (digits == 0 || (colon[1 + digits] != ',' && colon[1 + digits] != ')') ||
            (size_t)(colon - at) >= sizeof finding->file)
            continue;
        snprintf(finding->file, sizeof finding->file, "%.*s", (int)(colon - at), at);
        finding->line = (uint32_t)strtoul(colon + 1, NULL, 10);
        return;
    }
}

/* "[FILE:]LINE": *at is moved behind it. False: it is none. */
static bool line_read(const char **at, const char *file, char into[512], uint32_t *line)
{
    size_t length = strcspn(*at, " ,;)");
    const char *digits = *at + length;
    while (digits > *at && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == *at + length || (digits > *at && digits[-1] != ':'))
        return false;
    if (digits > *at)
        snprintf(into, 512, "%.*s", (int)(digits - 1 - *at), *at);
    else
        snprintf(into, 512, "%s", file);
    *line = (uint32_t)strtoul(digits, NULL, 10);
    *at += length;
    return true;
}

static bool words_skip(const char **at, const char *words)
{
    const size_t length = strlen(words);
    const bool there = strncmp(*at, words, length) == 0;

    *at += there ? length : 0;
    return there;
}

/* "; the same is missing between lines 98 and 87, b.cuh:99 and 87, at line 9, and 3 more pairs of lines"; recordings
 * of before have "9 and 9" in place of "at line 9". */
static void pairs_read(const char *text, struct finding *finding)
{
    const char *at = strstr(text, CHECK_PAIRS_TEXT);
    char other[512];

    if (!at)
        return;
    at += strlen(CHECK_PAIRS_TEXT);
    while (finding->also_count < CHECK_PAIRS) {
        struct finding_line *also = &finding->also[finding->also_count];
        bool one = words_skip(&at, CHECK_PAIRS_ONE);
        words_skip(&at, CHECK_PAIRS_TWO);
        if (!line_read(&at, finding->file, also->file, &also->line))
            break;
        also->other_line = also->line;
        if (!one && (!words_skip(&at, " and ") || !line_read(&at, finding->file, other, &also->other_line)))
            break;
        finding->also_count++;
        words_skip(&at, ", ");
    }
    finding->pairs += finding->also_count;
    if (strncmp(at, "and ", 4) == 0)
        finding->pairs += (uint32_t)strtoul(at + 4, NULL, 10);
}

bool finding_read(const char *text, struct finding *finding)
{
    static const char thread[] = ", thread (";
    size_t length = 0;

    *finding = (struct finding){.kind = CHECK_KIND_COUNT};
    for (int kind = 0; kind < CHECK_KIND_COUNT && finding->kind == CHECK_KIND_COUNT; kind++) {
        length = strlen(check_kind_text((enum check_kind)kind));
        if (strncmp(text, check_kind_text((enum check_kind)kind), length) == 0 && text[length] == ':')
            finding->kind = (enum check_kind)kind;
    }
    if (finding->kind == CHECK_KIND_COUNT)
        return false;
    const char *kernel = text + length + 2, *end = strstr(kernel, thread);
    if (strncmp(kernel, "in ", 3) == 0 && end)
        snprintf(finding->kernel, sizeof finding->kernel, "%.*s", (int)(end - kernel - 3), kernel + 3);
    const char *reason = strstr(text, REASON_BEGIN);
    char *own = reason ? strndup(text, (size_t)(reason - text)) : NULL;
    place_read(own ? own : text, finding);
    finding->pairs = finding->kind == CHECK_RACE || finding->kind == CHECK_GLOBAL_RACE;
    pairs_read(own ? own : text, finding);
    free(own);
    return true;
}

const char *finding_reason(const char *text, char *reason, size_t size_bytes)
{
    const char *at = strstr(text, REASON_BEGIN);

    if (!at)
        return NULL;
    snprintf(reason, size_bytes, "%s", at + strlen(REASON_BEGIN));
    if (*reason)
        reason[strlen(reason) - 1] = '\0'; /* the bracket */
    return reason;
}

void finding_add_reason(char *text, size_t size_bytes, const char *reason)
{
    size_t used = strlen(text);

    append_text(text, size_bytes, &used, REASON_BEGIN "%s]", reason);
}

/* Of what would be a pattern. */
static void append_escaped(char *text, size_t size_bytes, size_t *used, const char *plain)
{
    for (; *plain; plain++)
        append_text(text, size_bytes, used, "%s%c", strchr("*?[\\", *plain) ? "\\" : "", *plain);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void finding_row(const struct finding *finding, const char *reason, char *text, size_t size_bytes)
{
    size_t used = 0;

    text[0] = '\0';
    append_escaped(text, size_bytes, &used, finding->kernel[0] ? finding->kernel : "-");
    append_text(text, size_bytes, &used, " | ");
    append_escaped(text, size_bytes, &used, finding->line ? name_of(finding->file) : "-");
    if (finding->line)
        append_text(text, size_bytes, &used, ":%u", finding->line);
    append_text(text, size_bytes, &used, " | %s | %s", check_kind_text(finding->kind), reason);
}

/* ---- the file ---- */
static char *trim_blanks(char *text)
{
    char *end = text + strlen(text);

    text += strspn(text, " \t");
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

static enum status row_read(struct row *row, char *line, const char *path, struct error *error)
{
    size_t count = 0;

    for (char *field = line; field && count < FIELDS; count++) {
        char *bar = count + 1 < FIELDS ? strstr(field, " |") : NULL;
        if (bar)
            *bar = '\0';
        row->fields[count] = trim_blanks(field);
        field = bar ? bar + 2 : NULL;
    }
    if (count < FIELDS || !*row->fields[FIELDS - 1])
        return error_set(
            error, STATUS_FORMAT,
            "%.300s:%u is not KERNEL | FILE:LINE | KIND | REASON: give all four, also the reason.", path,
            row->line);
    bool kind = strpbrk(row->fields[2], "*?[") != NULL;
    for (int i = 0; i < CHECK_KIND_COUNT && !kind; i++)
        kind = strcmp(row->fields[2], check_kind_text((enum check_kind)i)) == 0;
    return kind ? STATUS_OK
                : error_set(
                      error, STATUS_FORMAT,
                      "%.300s:%u: there is no kind of finding \"%.60s\"; a finding begins with its kind, as "
                      "\"race in shared memory\".",
                      path, row->line, row->fields[2]);
}

enum status known_findings_open(const char *path, struct known_findings **known, struct error *error)
{
    struct known_findings *made = calloc(1, sizeof *made);
    size_t size_bytes;
    unsigned number = 0;

    if (!made)
        return error_no_memory(error, "for the findings that are known");
    enum status status = file_read(path, KNOWN_BYTES_MAX, &made->text, &size_bytes, error);
    for (char *line = made->text, *next; status == STATUS_OK && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        number++;
        line = trim_blanks(line);
        if (!*line || *line == '#')
            continue;
        if (!array_grow(made->rows, made->capacity, made->count, 1)) {
            status = error_no_memory(error, "for the findings that are known");
            break;
        }
        made->rows[made->count] = (struct row){.line = number};
        status = row_read(&made->rows[made->count++], line, path, error);
    }
    if (status == STATUS_OK)
        *known = made;
    else
        known_findings_close(made);
    return status;
}

static bool row_fits_place(const struct row *row, const char *file, uint32_t line)
{
    char place[600] = "-";

    if (line)
        snprintf(place, sizeof place, "%s:%u", file, line);
    return fnmatch(row->fields[1], place, 0) == 0 || fnmatch(row->fields[1], name_of(place), 0) == 0;
}

const char *known_findings_find(struct known_findings *known, const struct finding *finding)
{
    for (size_t i = 0; known && i < known->count; i++) {
        struct row *row = &known->rows[i];
        if (fnmatch(row->fields[0], finding->kernel[0] ? finding->kernel : "-", 0) != 0 ||
            fnmatch(row->fields[2], check_kind_text(finding->kind), 0) != 0)
            continue;
        bool fits = row_fits_place(row, finding->file, finding->line);
        for (uint32_t j = 0; j < finding->also_count && !fits; j++)
            fits = row_fits_place(row, finding->also[j].file, finding->also[j].line);
        if (fits) {
            row->met = true;
            return row->fields[3];
        }
    }
    return NULL;
}

size_t known_findings_unmet(const struct known_findings *known, unsigned *line)
{
    size_t unmet = 0;

    for (size_t i = 0; known && i < known->count; i++) {
        if (known->rows[i].met)
            continue;
        if (unmet++ == 0)
            *line = known->rows[i].line;
    }
    return unmet;
}

void known_findings_close(struct known_findings *known)
{
    if (!known)
        return;
    free(known->text);
    free(known->rows);
    free(known);
}
