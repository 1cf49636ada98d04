/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of named keys. A key that is not in the table is named by its character.
 */
#include "tui/terminal/key.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

struct name {
    uint32_t key;
    const char *text;
};

#define KEY_CODE_ROW(name, text) {CODE_##name, text},
static const struct name names[] = {
    KEY_CODE_LIST(KEY_CODE_ROW){KEY_TAB, "TAB"},
    {KEY_RETURN, "ENTER"},
    {KEY_ESCAPE, "ESC"},
    {KEY_SPACE, "SPACE"},
    {KEY_RUBOUT, "BACKSPACE"},
};
#undef KEY_CODE_ROW

uint32_t key_parse(const char *name, size_t size_bytes)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].text) == size_bytes && strncasecmp(names[i].text, name, size_bytes) == 0)
            return names[i].key;
    if (size_bytes == 3 && name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z')
        return KEY_CONTROL(name[2]);
    struct text_reader reader;
    struct text_glyph glyph, more;
    text_reader_init(&reader, name, size_bytes);
    if (text_next(&reader, &glyph) && !text_next(&reader, &more))
        return glyph.codepoint;
    return 0;
}

void key_text(uint32_t key, char *text, size_t size_bytes)
{
    char bytes[5] = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].key == key) {
            snprintf(text, size_bytes, "%s", names[i].text);
            return;
        }
    }
    if (key < 32) {
        snprintf(text, size_bytes, "C-%c", (int)(key + 'a' - 1));
        return;
    }
    text_encode(key, bytes);
    snprintf(text, size_bytes, "%s", bytes);
}
