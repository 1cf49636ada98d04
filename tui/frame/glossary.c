/* SPDX-License-Identifier: Apache-2.0 */
/* The first two rows of the table are its head and the line below it. A link "[text](place)" is its text. */
#include "tui/frame/glossary.h"

#include <stdio.h>
#include <string.h>

#define HEAD_ROWS 2

/* The next line that is a row of a table; NULL: there is none. */
static const char *find_row(const char *at)
{
    while (at && *at != '|') {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at;
}

static const char *row_after(const char *row)
{
    const char *end = strchr(row, '\n');
    return end ? find_row(end + 1) : NULL;
}

/* Copies the cell that begins here without its marks; returns its end. */
static const char *copy_cell(const char *at, char *text, size_t size_bytes)
{
    size_t used = 0;
    at += strspn(at, " ");
    for (; *at != '|' && *at != '\n' && *at != '\0'; at++)
        if (*at == ']' && at[1] == '(')
            at += strcspn(at, ")\n|") - (at[strcspn(at, ")\n|")] != ')');
        else if (!strchr("`*[", *at) && used + 1 < size_bytes)
            text[used++] = *at;
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
    return *at == '|' ? at + 1 : at;
}

uint32_t glossary_count(const char *text)
{
    uint32_t rows = 0;
    for (const char *row = find_row(text); row; row = row_after(row))
        rows++;
    return rows > HEAD_ROWS ? rows - HEAD_ROWS : 0;
}

bool glossary_at(const char *text, uint32_t index, struct glossary_term *term)
{
    const char *row = find_row(text);
    for (uint32_t i = 0; i < index + HEAD_ROWS && row; i++)
        row = row_after(row);
    if (!row)
        return false;
    copy_cell(copy_cell(row + 1, term->term, sizeof term->term), term->meaning, sizeof term->meaning);
    return true;
}

bool glossary_find(const char *text, const char *name, struct glossary_term *term)
{
    for (uint32_t i = 0; glossary_at(text, i, term); i++)
        if (strcmp(term->term, name) == 0)
            return true;
    return false;
}

int glossary_draw_term(struct canvas *canvas, struct rect area, const struct glossary_term *term)
{
    char text[GLOSSARY_TERM_BYTES + GLOSSARY_MEANING_BYTES + 4];
    snprintf(text, sizeof text, "%s: %s", term->term, term->meaning);
    if (canvas_wrapped_lines(text, area.width) > area.height)
        return 0;
    int lines = canvas_wrap(canvas, area, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    canvas_text(canvas, area.x, area.y, area.width, STYLE(COLOR_TEXT, COLOR_NONE, 0), term->term);
    return lines;
}
