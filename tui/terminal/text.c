/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from outside is read glyph by glyph (text_next); every other function is built on that, so that
 * nothing unsafe comes through. Widths come from the C library in a C.UTF-8 locale that is created once.
 */
#include "tui/terminal/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
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

void text_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, text_locale_make);
}

static int codepoint_width(uint32_t codepoint)
{
    if (codepoint >= 0x20 && codepoint < 0x7f)
        return 1;
    text_start();
    locale_t before = uselocale(text_locale);
    int width = wcwidth((wchar_t)codepoint);
    uselocale(before);
    return width;
}

/* Characters that change how a terminal interprets the characters beside them: direction marks, joiners,
 * invisible operators, tags. */
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

/* Decodes one code point of strict UTF-8; returns its bytes, 0 if they are not valid UTF-8. */
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

/* ---- where text may be split ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the unit at the start of `text`, "TB/s"; 0: none. */
static size_t unit_length(const char *text)
{
    static const char *const units[] = {"B",  "B/s", "FLOP/s", "FLOP/B", "FLOP/byte", "Hz", "iB", "ns", "us",
                                        "ms", "s",   "pp",     "x",      "%",         "W",  "/s", ""};
    size_t length = 0;
    while (is_letter(text[length]) || text[length] == '/' || text[length] == '%')
        length++;
    bool prefixed = length > 0 && strchr("kKMGTPE", text[0]);
    if (length == 0 || is_digit(text[length]) || text[length] == '_')
        return 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (size_t prefix = 0; prefix <= prefixed; prefix++)
            if (strlen(units[i]) + prefix == length && strncmp(text + prefix, units[i], length - prefix) == 0)
                return length;
    return 0;
}

/* Bytes at `text` that join two digits of a number: "1,234", "0.5", "128x64", "0..32"; 0: none. */
static size_t joint_length(const char *text)
{
    size_t length = strncmp(text, "..", 2) == 0 ? 2 : *text == ',' || *text == '.' || *text == 'x';
    return length > 0 && is_digit(text[length]) ? length : 0;
}

/* Bytes of the number at the start of `text`, with its sign and unit; 0: none. */
static size_t number_length(const char *text, bool in_word)
{
    size_t at = 0;
    if (!in_word) {
        at += strspn(text, "<>=~");
        at += text[at] == '-' || text[at] == '+';
    }
    if (!is_digit(text[at]))
        return 0;
    for (size_t joint; is_digit(text[at]) || (joint = joint_length(text + at)) > 0;)
        at += is_digit(text[at]) ? 1 : joint;
    if (in_word)
        return at;
    if (text[at] == 'e' && (text[at + 1] == '-' || text[at + 1] == '+') && is_digit(text[at + 2]))
        at += 2 + strspn(text + at + 2, "0123456789");
    size_t blank = text[at] == ' ', unit = unit_length(text + at + blank);
    return unit > 0 ? at + blank + unit : at;
}

#define NUMBER_MOST 64 /* bytes of a number with its unit */

/* May the text be split before text[at] without breaking a number? */
static bool may_part(const char *text, size_t at)
{
    for (size_t i = at > NUMBER_MOST ? at - NUMBER_MOST : 0; i < at;) {
        bool in_word = i > 0 && (is_letter(text[i - 1]) || text[i - 1] == '_');
        size_t length = number_length(text + i, in_word);
        if (length > 0 && at < i + length)
            return false;
        i += length > 0 ? length : 1;
    }
    return true;
}

/* ---- shortening ---- */

#define ELLIPSIS "\xe2\x80\xa6"
#define DOTS ".."
#define HEAD_LEAST 1 /* least cells of a name before the mark if its last words follow it */

static atomic_bool ellipsis;

void text_use_ellipsis(bool able)
{
    atomic_store_explicit(&ellipsis, able, memory_order_relaxed);
}

const char *text_cut_mark(void)
{
    return atomic_load_explicit(&ellipsis, memory_order_relaxed) ? ELLIPSIS : DOTS;
}

static int mark_cells(void)
{
    return atomic_load_explicit(&ellipsis, memory_order_relaxed) ? 1 : (int)strlen(DOTS);
}

/* Bytes of the glyphs that end within `cells` cells; an escape counts only if all of it fits. */
static size_t bytes_within(const char *text, int cells)
{
    struct text_reader reader;
    struct text_glyph glyph;
    size_t at = 0;
    text_reader_init(&reader, text, strlen(text));
    while (text_next(&reader, &glyph) && (cells -= glyph.width) >= 0)
        if (reader.pending[reader.pending_at] == '\0')
            at = (size_t)(reader.bytes - text);
    return at;
}

/* Bytes of the glyphs that begin within `cells` cells; an escape that begins within them counts whole. */
static size_t bytes_begun(const char *text, int cells)
{
    struct text_reader reader;
    struct text_glyph glyph;
    text_reader_init(&reader, text, strlen(text));
    while ((cells > 0 || reader.pending[reader.pending_at] != '\0') && text_next(&reader, &glyph))
        cells -= glyph.width;
    return (size_t)(reader.bytes - text);
}

/* Steps back from `end` to a place where the text may be split, and where dots can follow. */
static size_t step_back(const char *text, size_t end, bool dots)
{
    while (end > 0 &&
           (!may_part(text, end) || (dots && (is_digit(text[end - 1]) || strchr(" .,;:(=-", text[end - 1])))))
        end--;
    return end;
}

/* Steps forward from `from` to a place where the text may be split, and where dots can stand before it. */
static size_t step_on(const char *text, size_t from)
{
    while (text[from] != '\0' && (!may_part(text, from) || is_digit(text[from]) || text[from] == '.'))
        from++;
    return from;
}

size_t text_cut_at(const char *text, int cells, bool *dots)
{
    size_t length = strlen(text), words = length;
    *dots = false;
    if (text_width(text, cells + 1) <= cells)
        return length;
    while (words > 0 && text[words - 1] == ' ')
        words--;
    if (bytes_within(text, cells) >= words) /* trailing blanks need no room */
        return words;
    if (cells < mark_cells())
        return step_back(text, bytes_within(text, cells), false);
    *dots = true;
    size_t most = bytes_within(text, cells - mark_cells()), word = most;
    while (word > 0 && !strchr(" ,;:", text[word]))
        word--;
    word = step_back(text, word, true);
    size_t end = step_back(text, most, true);
    return word > 0 && word >= most * 2 / 3 ? word : end;
}

size_t text_break_at(const char *text, int cells)
{
    size_t most = bytes_within(text, cells), end = step_back(text, most, false);
    if (end == 0 && most == 0)
        end = bytes_begun(text, 1);
    return end > 0 ? end : most;
}

/* Appends text[from ... to), made visible, in UTF-8. */
static size_t copy_glyphs(const char *text, size_t from, size_t to, char *out, size_t at, size_t size_bytes)
{
    struct text_reader reader;
    struct text_glyph glyph;
    text_reader_init(&reader, text + from, to - from);
    while (at + 5 <= size_bytes && text_next(&reader, &glyph))
        at += text_encode(glyph.codepoint, out + at);
    return at;
}

static size_t copy_mark(char *out, size_t at, size_t size_bytes)
{
    return copy_glyphs(text_cut_mark(), 0, strlen(text_cut_mark()), out, at, size_bytes);
}

void text_cut(const char *text, int cells, char *out, size_t size_bytes)
{
    bool dots;
    if (size_bytes == 0)
        return;
    size_t at = copy_glyphs(text, 0, text_cut_at(text, cells, &dots), out, 0, size_bytes);
    if (dots)
        at = copy_mark(out, at, size_bytes);
    out[at] = '\0';
}

void text_cut_front(const char *text, int cells, char *out, size_t size_bytes)
{
    const int endless = 1 << 20;
    int width = text_width(text, endless);
    if (width <= cells || cells <= mark_cells() + 1) {
        text_cut(text, cells, out, size_bytes);
        return;
    }
    if (size_bytes == 0)
        return;
    size_t from = step_on(text, bytes_begun(text, width - (cells - mark_cells())));
    size_t at = copy_mark(out, 0, size_bytes);
    at = copy_glyphs(text, from, strlen(text), out, at, size_bytes);
    out[at] = '\0';
}

/* Does a word of a name begin at text[at]: after a blank or a sign, or with a capital, as in deviceSort, or
 * with the bracket before template arguments? */
static bool word_begins(const char *text, size_t at)
{
    char before = text[at - 1];
    return text[at] == '<' || (before < 'A' && before > 0 && !is_digit(before)) || before == '_' ||
           (before >= 'a' && before <= 'z' && text[at] >= 'A' && text[at] <= 'Z');
}

static bool word_ends(const char *text, size_t at)
{
    return text[at] == '_' || word_begins(text, at);
}

/* The end of the part before the mark: the end of a word, unless that uses less than half of the room. */
static size_t head_end(const char *text, int cells)
{
    size_t end = step_back(text, bytes_within(text, cells), true), word = end;
    while (word > 0 && (!word_ends(text, word) || step_back(text, word, true) != word))
        word--;
    return 2 * word >= end ? word : end;
}

/* The weight of text[from ... to): the sum of its bytes' weights, each 1 without them. */
static size_t weigh_cut(const uint8_t *weights, size_t from, size_t to)
{
    size_t sum = 0;
    if (!weights)
        return to - from;
    for (; from < to; from++)
        sum += weights[from];
    return sum;
}

/* The start of the part after the mark: the word from which the heaviest part of the text remains, where
 * whole words count double. Nothing remains before the mark if more weight remains so. Returns `length` if no
 * word leaves room for the part before the mark. */
static size_t tail_begin(const char *text, const uint8_t *weights, size_t length, int width, int cells)
{
    size_t best = length, most = 0, headed = bytes_begun(text, width - (cells - HEAD_LEAST));
    for (size_t from = headed; from < length; from++) {
        if (from == 0 || text[from] == ' ' || text[from] == '>' || !word_begins(text, from) ||
            step_on(text, from) != from)
            continue;
        int tail = text_width(text + from, cells);
        size_t head = head_end(text, cells - tail);
        size_t whole = head > 0 && word_ends(text, head) ? head : 0;
        size_t kept = weigh_cut(weights, from, length) +
                      (weigh_cut(weights, 0, head) + weigh_cut(weights, 0, whole)) / 2;
        if (kept > most) {
            most = kept;
            best = from;
        }
    }
    for (size_t from = bytes_begun(text, width - cells); weights && from < headed; from++)
        if (from > 0 && text[from - 1] == '_' && weigh_cut(weights, from, length) > most)
            return from;
    return best;
}

void text_shorten_weighed(const char *text, const uint8_t *weights, int cells, char *out, size_t size_bytes)
{
    const int endless = 1 << 20;
    size_t length = strlen(text), at = 0;
    int width = text_width(text, endless), room = cells - mark_cells();
    bool dots;
    text_cut_at(text, cells, &dots);
    if (!dots || room < 3) {
        text_cut(text, cells, out, size_bytes);
        return;
    }
    if (size_bytes == 0)
        return;
    size_t from = tail_begin(text, weights, length, width, room);
    if (from == length)
        from = step_on(text, bytes_begun(text, width - room / 3));
    int head = room - text_width(text + from, room);
    size_t end = head < HEAD_LEAST ? 0 : head_end(text, head);
    at = copy_glyphs(text, 0, end, out, 0, size_bytes);
    at = copy_mark(out, at, size_bytes);
    at = copy_glyphs(text, from, length, out, at, size_bytes);
    out[at] = '\0';
}

void text_shorten(const char *text, int cells, char *out, size_t size_bytes)
{
    text_shorten_weighed(text, NULL, cells, out, size_bytes);
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

void text_clauses(const char *text, int cells, char *out, size_t size_bytes)
{
    size_t length = strlen(text), end = text_break_at(text, cells);
    if (end < length && end < size_bytes)
        while (end > 0 && strncmp(text + end, ", ", 2) != 0 && strncmp(text + end, ": ", 2) != 0 &&
               strncmp(text + end, "  ", 2) != 0)
            end--;
    if (end < length && (size_t)cells / 3 < end)
        snprintf(out, size_bytes, "%.*s", (int)end, text);
    else
        text_cut(text, cells, out, size_bytes);
}

void text_print_words(const char *text, int column, int width, FILE *out)
{
    int at = column;
    while (*text != '\0') {
        char word[400];
        size_t length = strcspn(text, " ");
        length = length < sizeof word - 1 ? length : sizeof word - 1;
        memcpy(word, text, length);
        word[length] = '\0';
        int cells = 1 + text_width(word, width);
        if (at + cells > width && at > column) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        if (at > 0)
            putc(' ', out);
        text_print(word, out);
        at += cells;
        text += length + strspn(text + length, " ");
    }
}
