/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text is valid UTF-8, whole code points, shorter than PROMPT_SIZE.
 */
#include "tui/widgets/prompt.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

void prompt_open(struct prompt *prompt, enum prompt_purpose purpose, const char *label, const char *text,
                 void (*take)(struct screen *screen, const char *text))
{
    prompt->purpose = purpose;
    prompt->label = label;
    prompt->take = take;
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->usual[0] = '\0';
}

void prompt_filter(struct prompt *prompt, const char *label)
{
    prompt_open(prompt, PROMPT_FILTER, label, "", NULL);
}

enum prompt_result prompt_key(struct prompt *prompt, uint32_t key)
{
    size_t length = strlen(prompt->text);
    if (key == KEY_RETURN || key == '\n')
        return PROMPT_ACCEPTED;
    if (key == KEY_ESCAPE)
        return PROMPT_CANCELLED;
    if (key == KEY_CONTROL('u')) {
        prompt->text[0] = '\0';
        return PROMPT_CHANGED;
    }
    if (key == KEY_RUBOUT || key == KEY_CONTROL('h') || key == CODE_DELETE) {
        while (length > 0 && ((unsigned char)prompt->text[length - 1] & 0xc0) == 0x80)
            length--;
        if (length > 0)
            length--;
        prompt->text[length] = '\0';
        return PROMPT_CHANGED;
    }
    if (key < 0x20 || key > 0x10ffff || length + 5 > sizeof prompt->text)
        return PROMPT_EDITING;
    length += text_encode(key, prompt->text + length);
    prompt->text[length] = '\0';
    return PROMPT_CHANGED;
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct rect line)
{
    struct style plain = STYLE(COLOR_TITLE, COLOR_BAR, 0);
    canvas_fill(canvas, line, ' ', plain);
    int taken = canvas_text(canvas, line.x, line.y, line.width, STYLE(COLOR_FOCUS, COLOR_BAR, ATTRIBUTE_BOLD),
                            prompt->label);
    if (prompt->usual[0] != '\0' && prompt->text[0] == '\0')
        canvas_printf(canvas, line.x + taken + 3, line.y, line.width - taken - 3,
                      STYLE(COLOR_DIM, COLOR_BAR, 0), "ENTER: %s", prompt->usual);
    int room = line.width - taken - 2, width = text_width(prompt->text, PROMPT_SIZE);
    if (room < 1)
        return;
    const char *end = prompt->text; /* the end of the text, where the user types, is always shown */
    while (text_width(end, PROMPT_SIZE) > room)
        do
            end++;
        while (((unsigned char)*end & 0xc0) == 0x80);
    canvas_text(canvas, line.x + taken + 1, line.y, room, plain, end);
    canvas_put(canvas, line.x + taken + 1 + (width < room ? width : room), line.y, ' ',
               STYLE(COLOR_TITLE, COLOR_FOCUS, 0));
}

static bool is_in_one(const char *piece, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (texts[i] && strcasestr(texts[i], piece))
            return true;
    return false;
}

bool filter_matches(const char *filter, const char *const *texts, size_t count)
{
    char pieces[FILTER_SIZE];
    if (is_in_one(filter, texts, count))
        return true;
    snprintf(pieces, sizeof pieces, "%s", filter);
    for (const char *marks[] = {"..", "~", "\xe2\x80\xa6"}, **mark = marks; mark < marks + 3; mark++)
        for (char *at = pieces; (at = strstr(at, *mark));)
            memset(at, ' ', strlen(*mark));
    for (char *rest = pieces, *piece; (piece = strsep(&rest, " "));) {
        char *number = strrchr(piece, '#');
        if (number && number[1] != '\0' && number[1 + strspn(number + 1, "0123456789")] == '\0')
            *number = '\0';
        if (!is_in_one(piece, texts, count))
            return false;
    }
    return true;
}
