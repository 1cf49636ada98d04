/* The first two rows of the table are its head and the line below it. A link "[text](place)" is its text. */
#include "tui/frame/glossary.h"

#include <string.h>

#define HEAD_ROWS 2

/* The next line that is a row of a table; NULL: there is none. */
static const char *find_row(const char *at)
{
    while (at != NULL && *at != '|') {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return at;
}

static const char *row_after(const char *row)
{
    const char *end = strchr(row, '\n');
    return end != NULL ? find_row(end + 1) : NULL;
}

/* Copies the cell that begins here without its marks; returns its end. */
static const char *copy_cell(const char *at, char *text, size_t size_bytes)
{
    size_t used = 0;
    at += strspn(at, " ");
    for (; *at != '|' && *at != '\n' && *at != '\0'; at++)
        if (*at == ']' && at[1] == '(')
            at += strcspn(at, ")\n|") - (at[strcspn(at, ")\n|")] != ')');
        else if (strchr("`*[", *at) == NULL && used + 1 < size_bytes)
            text[used++] = *at;
    while (used > 0 && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
    return *at == '|' ? at + 1 : at;
}

uint32_t glossary_count(const char *text)
{
    uint32_t rows = 0;
    for (const char *row = find_row(text); row != NULL; row = row_after(row))
        rows++;
    return rows > HEAD_ROWS ? rows - HEAD_ROWS : 0;
}

bool glossary_at(const char *text, uint32_t index, struct glossary_term *term)
{
    const char *row = find_row(text);
    for (uint32_t i = 0; i < index + HEAD_ROWS && row != NULL; i++)
        row = row_after(row);
    if (row == NULL)
        return false;
    copy_cell(copy_cell(row + 1, term->term, sizeof term->term), term->meaning, sizeof term->meaning);
    return true;
}
