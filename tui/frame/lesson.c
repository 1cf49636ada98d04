/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lesson is laid out line by line, each time it is drawn or counted: `page` has the number of the next line
 * and the range of visible lines. Counting is painting without a canvas.
 */
#include "tui/frame/lesson.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1000
#define TABLE_COLUMNS_MAX 8
#define TABLE_GAP 2 /* cells between two columns */
#define TABLE_CELL_LEAST 4

/* The place of the next line; without a canvas lines are only counted. */
struct lesson_page {
    struct canvas *canvas;
    struct rect area;
    int top, line, width;
    bool answered;
    const char *part; /* the part that is looked for; NULL: none */
    int part_line;    /* its line, if it has been found */
};

static void emit_line(struct lesson_page *page, struct style style, const char *text)
{
    int y = page->line++ - page->top;
    if (!page->canvas || y < 0 || y >= page->area.height)
        return;
    if (style.background != COLOR_NONE)
        canvas_fill(page->canvas, (struct rect){page->area.x, page->area.y + y, page->area.width, 1}, ' ',
                    style);
    canvas_text(page->canvas, page->area.x, page->area.y + y, page->area.width, style, text);
}

/* Appends the text without the marks of code and of strong text. */
static size_t append_plain(char *text, size_t used, const char *from, size_t length)
{
    for (size_t i = 0; i < length && used + 1 < LINE_BYTES; i++) {
        bool strong = from[i] == '*' && i + 1 < length && from[i + 1] == '*';
        if (strong)
            i++;
        else if (from[i] != '`')
            text[used++] = from[i];
    }
    text[used] = '\0';
    return used;
}

/* The number of bytes of the text for a line of `room` cells: up to a blank, or part of a word that is longer
 * than a line, split at a hyphen if it has one. */
static size_t line_bytes(const char *text, int room)
{
    char line[LINE_BYTES];
    size_t length = strlen(text), cut = 0, word = strcspn(text, " "), hyphen = 0;
    for (size_t end = word; end <= length; end += 1 + strcspn(text + end + 1, " ")) {
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        if (text_width(line, LINE_BYTES) > room)
            break;
        cut = end;
        if (end == length)
            break;
    }
    for (size_t end = 1; cut == 0 && end < word; end++) { /* after the last hyphen that fits */
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        if (text_width(line, LINE_BYTES) > room)
            break;
        hyphen = text[end - 1] == '-' ? end : hyphen;
    }
    cut = cut == 0 ? hyphen : cut;
    return cut > 0 || *text == '\0' ? cut : text_break_at(text, room);
}

/* Breaks a paragraph at blanks; its further lines are indented like the text of a list's item. */
static void emit_wrapped(struct lesson_page *page, struct style style, const char *text, int indent)
{
    char line[LINE_BYTES];
    for (int before = 0; *text != '\0'; before = indent) {
        int room = page->width - before;
        size_t bytes = line_bytes(text, room > 1 ? room : 1);
        snprintf(line, sizeof line, "%*s%.*s", before, "", (int)bytes, text);
        emit_line(page, style, line);
        text += bytes;
        text += strspn(text, " ");
    }
}

static size_t line_length(const char *at)
{
    return strcspn(at, "\n");
}

static const char *next_line(const char *at)
{
    at += line_length(at);
    return *at == '\n' ? at + 1 : at;
}

/* A list's item begins with "- " or "1. ". Returns the width of this mark; 0: not an item. */
static int item_indent(const char *at)
{
    if (at[0] == '-' && at[1] == ' ')
        return 2;
    return at[0] >= '1' && at[0] <= '9' && at[1] == '.' && at[2] == ' ' ? 3 : 0;
}

static bool begins_something(const char *at)
{
    return *at == '\n' || *at == '\0' || *at == '#' || *at == '|' || strncmp(at, "    ", 4) == 0 ||
           strncmp(at, "```", 3) == 0 || item_indent(at) > 0;
}

/* A command that is longer than the line continues below, at the indentation of its first line, so that it
 * can be typed. */
static void emit_code(struct lesson_page *page, const char *text)
{
    size_t blanks = strspn(text, " ");
    char line[LINE_BYTES];
    for (const char *at = text + blanks; *at != '\0' || at == text + blanks;) {
        int room = page->width - (int)blanks;
        size_t bytes = line_bytes(at, room > 1 ? room : 1);
        snprintf(line, sizeof line, "%*s%.*s", (int)blanks, "", (int)bytes, at);
        emit_line(page, STYLE(COLOR_GOOD, COLOR_TRACK, 0), line);
        at += bytes;
        at += strspn(at, " ");
        if (*at == '\0')
            return;
    }
}

/* ---- tables ---- */

/* Reads one cell of a row, trimmed. Returns the start of the next cell, NULL after the last. */
static const char *table_cell(const char *at, char *cell)
{
    const char *end = at + strcspn(at, "|\n");
    if (*end != '|')
        return NULL;
    while (*at == ' ' && at < end)
        at++;
    const char *last = end;
    while (last > at && last[-1] == ' ')
        last--;
    append_plain(cell, 0, at, (size_t)(last - at));
    return end + 1;
}

static bool is_rule(const char *at)
{
    return strspn(at, "|-: ") >= line_length(at);
}

/* Narrows the widest columns until the table fits; the texts in them are then broken into lines. */
static void narrow_columns(int widths[TABLE_COLUMNS_MAX], int room)
{
    for (;;) {
        int total = 0, widest = 0;
        for (int c = 0; c < TABLE_COLUMNS_MAX; c++) {
            total += widths[c] > 0 ? widths[c] + TABLE_GAP : 0;
            widest = widths[c] > widths[widest] ? c : widest;
        }
        if (total - TABLE_GAP <= room || widths[widest] <= TABLE_CELL_LEAST)
            return;
        widths[widest]--;
    }
}

static void emit_table_row(struct lesson_page *page, const char *row, const int widths[TABLE_COLUMNS_MAX],
                           struct style style)
{
    char cell[TABLE_COLUMNS_MAX][LINE_BYTES] = {0}, line[2 * LINE_BYTES];
    const char *rest[TABLE_COLUMNS_MAX], *next = row + 1;
    for (int c = 0; c < TABLE_COLUMNS_MAX; c++) {
        next = next ? table_cell(next, cell[c]) : NULL;
        rest[c] = next ? cell[c] : "";
    }
    for (bool more = true; more;) {
        size_t used = 0;
        more = false;
        for (int c = 0; c < TABLE_COLUMNS_MAX && widths[c] > 0; c++) {
            char part[LINE_BYTES];
            snprintf(part, sizeof part, "%.*s", (int)line_bytes(rest[c], widths[c]), rest[c]);
            rest[c] += strlen(part);
            rest[c] += strspn(rest[c], " ");
            more = more || *rest[c] != '\0';
            int gap = widths[c] - text_width(part, LINE_BYTES) + TABLE_GAP;
            int length = snprintf(line + used, sizeof line - used, "%s%*s", part, gap, "");
            used += length > 0 && (size_t)length < sizeof line - used ? (size_t)length : 0;
        }
        emit_line(page, style, line);
    }
}

static const char *emit_table(struct lesson_page *page, const char *at)
{
    int widths[TABLE_COLUMNS_MAX] = {0};
    char cell[LINE_BYTES];
    const char *end = at;
    for (; *end == '|'; end = next_line(end)) {
        const char *next = end + 1;
        for (int c = 0; c < TABLE_COLUMNS_MAX && (next = table_cell(next, cell)); c++) {
            int width = text_width(cell, LINE_BYTES);
            width = width > 0 ? width : 1; /* an empty column keeps one cell */
            widths[c] = !is_rule(end) && width > widths[c] ? width : widths[c];
        }
    }
    narrow_columns(widths, page->width);
    int number = 0; /* every second row has a ground, as the head has */
    for (const char *row = at; row < end; row = next_line(row))
        if (!is_rule(row))
            emit_table_row(
                page, row, widths,
                STYLE(row == at ? COLOR_FOCUS : COLOR_TEXT, number++ % 2 == 0 ? COLOR_TRACK : COLOR_NONE, 0));
    return end;
}

/* ---- the whole lesson ---- */

static const char *emit_paragraph(struct lesson_page *page, const char *at)
{
    char text[LINE_BYTES];
    size_t used = 0;
    int indent = item_indent(at);
    do {
        if (used > 0)
            used = append_plain(text, used, " ", 1);
        at += used > 0 ? strspn(at, " ") : 0;
        used = append_plain(text, used, at, line_length(at));
        at = next_line(at);
    } while (!begins_something(at));
    emit_wrapped(page, STYLE(COLOR_TEXT, COLOR_NONE, 0), text, indent);
    return at;
}

/* The text after the line "## PART"; NULL: `at` is not at that line. */
static const char *after_heading(const char *at, const char *part)
{
    size_t length = strlen(part);
    bool is_here =
        strncmp(at, "## ", 3) == 0 && strncmp(at + 3, part, length) == 0 && line_length(at) == length + 3;
    return is_here ? next_line(at) : NULL;
}

/* The start of the next part, or the end of the text. */
static const char *next_part(const char *at)
{
    while (*at != '\0' && strncmp(at, "## ", 3) != 0)
        at = next_line(at);
    return at;
}

/* Emits the heading, and nothing for the empty line after it. Returns the text of the part, or for a hidden
 * answer of the next part. */
static const char *emit_heading(struct lesson_page *page, const char *at)
{
    char text[LINE_BYTES];
    const char *title = at + strspn(at, "# "), *hidden = after_heading(at, LESSON_ANSWER);
    if (page->part && after_heading(at, page->part))
        page->part_line = page->line;
    append_plain(text, 0, title, line_length(title));
    emit_wrapped(page, STYLE(COLOR_TITLE, COLOR_TRACK, ATTRIBUTE_BOLD), text, 0);
    if (!hidden || page->answered)
        return at[1] == '#' && *next_line(at) == '\n' ? next_line(next_line(at)) : next_line(at);
    emit_wrapped(page, STYLE(COLOR_FOCUS, COLOR_NONE, 0), "! shows it, in the lab (e).", 0);
    emit_line(page, STYLE(COLOR_NONE, COLOR_NONE, 0), "");
    return next_part(hidden);
}

static void lay_out(struct lesson_page *page, const char *at)
{
    char text[LINE_BYTES];
    bool fenced = false;
    while (*at != '\0' && (!page->canvas || page->line < page->top + page->area.height)) {
        if (strncmp(at, "```", 3) == 0) {
            fenced = !fenced;
        } else if (fenced || strncmp(at, "    ", 4) == 0) {
            snprintf(text, sizeof text, "%.*s", (int)line_length(at), at);
            emit_code(page, text);
        } else if (*at == '\n') {
            emit_line(page, STYLE(COLOR_NONE, COLOR_NONE, 0), "");
        } else {
            at = *at == '#'   ? emit_heading(page, at)
                 : *at == '|' ? emit_table(page, at)
                              : emit_paragraph(page, at);
            continue;
        }
        at = next_line(at);
    }
}

int lesson_lines(const char *text, int width, bool answered)
{
    struct lesson_page page = {.width = width, .answered = answered};
    lay_out(&page, text);
    return page.line;
}

int lesson_part_line(const char *text, const char *part, int width, bool answered)
{
    struct lesson_page page = {.width = width, .answered = answered, .part = part};
    lay_out(&page, text);
    return page.part_line;
}

void lesson_draw(struct canvas *canvas, struct rect area, const char *text, int top, bool answered)
{
    struct lesson_page page = {
        .canvas = canvas, .area = area, .top = top, .width = area.width, .answered = answered};
    lay_out(&page, text);
}

void lesson_part_text(const char *text, const char *part, char *line, size_t size_bytes)
{
    const char *at = text, *body = NULL;
    size_t used = 0;
    while (*at != '\0' && !(body = after_heading(at, part)))
        at = next_line(at);
    for (at = body ? body : ""; *at != '\0' && strncmp(at, "## ", 3) != 0; at = next_line(at)) {
        if (*at == '\n' || *at == '|' || strncmp(at, "    ", 4) == 0)
            continue;
        if (used > 0 && used + 1 < size_bytes)
            line[used++] = ' ';
        for (size_t i = 0; i < line_length(at) && used + 1 < size_bytes; i++)
            if (at[i] != '`' && at[i] != '*')
                line[used++] = at[i];
    }
    line[used] = '\0';
}
