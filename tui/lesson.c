#include "tui/lesson.h"

#include "tui/text.h"

#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1000
#define TABLE_COLUMNS_MAX 8

/* Where the next line goes; without a canvas lines are only counted. */
struct page {
    struct canvas *canvas;
    struct rect area;
    int top, line, width;
};

static void emit(struct page *page, struct style style, const char *text)
{
    int y = page->line++ - page->top;
    if (page->canvas != NULL && y >= 0 && y < page->area.height)
        canvas_text(page->canvas, page->area.x, page->area.y + y, page->area.width, style, text);
}

/* Append what stands between the marks of code and of strong text. */
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

/* Break a paragraph at blanks; what follows its first line stands below the text of a list's item. */
static void emit_wrapped(struct page *page, struct style style, const char *text, int indent)
{
    char line[LINE_BYTES];
    for (int first = 1; *text != '\0'; first = 0) {
        int room = page->width - (first ? 0 : indent);
        size_t length = strlen(text), cut = 0;
        for (size_t end = 0; end <= length; end++) {
            if (text[end] != ' ' && text[end] != '\0')
                continue;
            snprintf(line, sizeof line, "%.*s", (int)end, text);
            if (cut > 0 && text_width(line, LINE_BYTES) > room)
                break;
            cut = end;
        }
        snprintf(line, sizeof line, "%*s%.*s", first ? 0 : indent, "", (int)cut, text);
        emit(page, style, line);
        text += cut;
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

/* A list's item begins with "- " or "1. "; the width of that. */
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

/* ---- tables ---- */

/* One cell of a row, trimmed; the start of the next one, NULL after the last. */
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

static const char *emit_table(struct page *page, const char *at)
{
    int widths[TABLE_COLUMNS_MAX] = {0};
    char cell[LINE_BYTES], line[2 * LINE_BYTES];
    const char *end = at;
    for (; *end == '|'; end = next_line(end)) {
        const char *next = end + 1;
        for (int c = 0; c < TABLE_COLUMNS_MAX && (next = table_cell(next, cell)) != NULL; c++) {
            int width = text_width(cell, LINE_BYTES);
            widths[c] = !is_rule(end) && width > widths[c] ? width : widths[c];
        }
    }
    for (const char *row = at; row < end; row = next_line(row)) {
        const char *next = row + 1;
        size_t used = 0;
        if (is_rule(row))
            continue;
        for (int c = 0; c < TABLE_COLUMNS_MAX && (next = table_cell(next, cell)) != NULL; c++) {
            int gap = widths[c] - text_width(cell, LINE_BYTES) + 2;
            int length = snprintf(line + used, sizeof line - used, "%s%*s", cell, gap, "");
            used += length > 0 && (size_t)length < sizeof line - used ? (size_t)length : 0;
        }
        emit(page, STYLE(row == at ? COLOR_FOCUS : COLOR_TEXT, COLOR_NONE, 0), line);
    }
    return end;
}

/* ---- all of it ---- */

static const char *emit_paragraph(struct page *page, const char *at)
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

static void lay_out(struct page *page, const char *at)
{
    char text[LINE_BYTES];
    bool fenced = false;
    while (*at != '\0') {
        if (strncmp(at, "```", 3) == 0) {
            fenced = !fenced;
        } else if (fenced || strncmp(at, "    ", 4) == 0) {
            snprintf(text, sizeof text, "%.*s", (int)line_length(at), at);
            emit(page, STYLE(COLOR_GOOD, COLOR_NONE, 0), text);
        } else if (*at == '\n') {
            emit(page, STYLE(COLOR_NONE, COLOR_NONE, 0), "");
        } else if (*at == '#') {
            const char *title = at + strspn(at, "# ");
            append_plain(text, 0, title, line_length(title));
            emit_wrapped(page, STYLE(COLOR_TITLE, COLOR_NONE, ATTRIBUTE_BOLD), text, 0);
        } else {
            at = *at == '|' ? emit_table(page, at) : emit_paragraph(page, at);
            continue;
        }
        at = next_line(at);
    }
}

int lesson_lines(const char *text, int width)
{
    struct page page = {.width = width};
    lay_out(&page, text);
    return page.line;
}

void lesson_draw(struct canvas *canvas, struct rect area, const char *text, int top)
{
    struct page page = {.canvas = canvas, .area = area, .top = top, .width = area.width};
    lay_out(&page, text);
}
