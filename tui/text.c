#include "tui/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static locale_t text_locale;

static void text_locale_make(void)
{
    text_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (text_locale == (locale_t)0)
        text_locale = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
}

static int codepoint_width(uint32_t codepoint)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (codepoint >= 0x20 && codepoint < 0x7f)
        return 1;
    pthread_once(&once, text_locale_make);
    locale_t before = uselocale(text_locale);
    int width = wcwidth((wchar_t)codepoint);
    uselocale(before);
    return width;
}

/* Characters that change how a terminal reads its neighbours: marks of direction, joiners, invisible
 * operators, tags. */
static bool codepoint_is_format(uint32_t c)
{
    return c == 0 || c == 0xad || c == 0x61c || c == 0x34f || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xfff0 && c <= 0xfffb) || (c >= 0xe000 && c <= 0xf8ff) ||
           c >= 0xe0000;
}

void text_reader_init(struct text_reader *reader, const char *bytes, size_t size_bytes)
{
    reader->bytes = bytes;
    reader->end = bytes + size_bytes;
    reader->pending[0] = '\0';
    reader->pending_at = 0;
}

/* Decode one code point of strict UTF-8; returns its bytes, 0 when they are not UTF-8. */
static size_t utf8_decode(const char *bytes, size_t size, uint32_t *codepoint)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)bytes[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xc0 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf8 ? 4
                                   : 0;
    if (length == 0 || length > size)
        return 0;
    uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (next & 0x3fu);
    }
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *codepoint = c;
    return length;
}

int text_next(struct text_reader *reader, struct text_glyph *glyph)
{
    if (reader->pending[reader->pending_at] != '\0') {
        *glyph = (struct text_glyph){(unsigned char)reader->pending[reader->pending_at++], 1};
        return 1;
    }
    if (reader->bytes >= reader->end)
        return 0;
    uint32_t c = 0;
    size_t length = utf8_decode(reader->bytes, (size_t)(reader->end - reader->bytes), &c);
    int width = length == 0 || codepoint_is_format(c) ? -1 : codepoint_width(c);
    if (width >= 0) {
        reader->bytes += length;
        *glyph = (struct text_glyph){c, width};
        return 1;
    }
    if (length <= 1) {
        snprintf(reader->pending, sizeof reader->pending, "\\x%02x", (unsigned char)*reader->bytes);
        length = 1;
    } else {
        snprintf(reader->pending, sizeof reader->pending, "\\u%04x", c);
    }
    reader->bytes += length;
    reader->pending_at = 1;
    *glyph = (struct text_glyph){'\\', 1};
    return 1;
}

int text_width(const char *text, int most)
{
    struct text_reader reader;
    struct text_glyph glyph;
    int width = 0;
    text_reader_init(&reader, text, strlen(text));
    while (width < most && text_next(&reader, &glyph))
        width += glyph.width;
    return width < most ? width : most;
}

size_t text_encode(uint32_t c, char bytes[4])
{
    if (c < 0x80) {
        bytes[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        bytes[0] = (char)(0xc0 | c >> 6);
        bytes[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        bytes[0] = (char)(0xe0 | c >> 12);
        bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    bytes[0] = (char)(0xf0 | c >> 18);
    bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Append the glyphs whose cells lie in [from, to) of the text. */
static size_t copy_cells(const char *text, int from, int to, char *out, size_t at, size_t size_bytes)
{
    struct text_reader reader;
    struct text_glyph glyph;
    int cell = 0;
    text_reader_init(&reader, text, strlen(text));
    while (cell < to && text_next(&reader, &glyph)) {
        bool inside = cell >= from && cell + glyph.width <= to;
        cell += glyph.width;
        if (inside && at + 5 <= size_bytes)
            at += text_encode(glyph.codepoint, out + at);
    }
    return at;
}

void text_shorten(const char *text, int cells, char *out, size_t size_bytes)
{
    const int endless = 1 << 20;
    int width = text_width(text, endless);
    size_t at = 0;
    if (size_bytes == 0)
        return;
    if (width <= cells) {
        at = copy_cells(text, 0, width + 1, out, 0, size_bytes);
    } else if (cells >= 5) {
        int tail = (cells - 2) / 3, head = cells - 2 - tail;
        at = copy_cells(text, 0, head, out, 0, size_bytes);
        at = copy_cells("..", 0, 2, out, at, size_bytes);
        at = copy_cells(text, width - tail, width + 1, out, at, size_bytes);
    } else if (cells > 0) {
        at = copy_cells(text, 0, cells, out, 0, size_bytes);
    }
    out[at] = '\0';
}

void text_print(const char *text, FILE *out)
{
    struct text_reader reader;
    struct text_glyph glyph;

    text_reader_init(&reader, text, strlen(text));
    while (text_next(&reader, &glyph)) {
        char bytes[4];
        fwrite(bytes, 1, text_encode(glyph.codepoint, bytes), out);
    }
}
