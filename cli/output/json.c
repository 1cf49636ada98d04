/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each open level has a flag: whether it has an element yet. Levels deeper than lines_depth are on one
 * line. A failed write shows in the stream.
 */
#include "cli/output/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *json, FILE *out, int lines_depth)
{
    *json = (struct json){.out = out, .lines_depth = lines_depth};
}

/* The code point at *text, which takes *length bytes; U+FFFD for one byte that is not UTF-8. */
static uint32_t utf8_next(const unsigned char *text, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80             ? 1
                   : (text[0] & 0xe0) == 0xc0 ? 2
                   : (text[0] & 0xf0) == 0xe0 ? 3
                   : (text[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    *length = 1;
    if (bytes == 1)
        return text[0];
    uint32_t point = bytes ? text[0] & (0x7fu >> bytes) : 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) /* also the terminator */
            return 0xfffd;
        point = point << 6 | (text[i] & 0x3fu);
    }
    if (bytes == 0 || point < least[bytes] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return 0xfffd;
    *length = bytes;
    return point;
}

/* Characters that control a terminal or change how others are read: controls, bidirectional and line marks.
 */
static bool character_steers(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x061c ||
           (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

/* How many bytes from here on need no escape. */
static size_t plain_bytes(const unsigned char *text)
{
    size_t count = 0;
    while (text[count] >= 0x20 && text[count] < 0x7f && text[count] != '"' && text[count] != '\\')
        count++;
    return count;
}

static void write_text(FILE *out, const char *text)
{
    putc_unlocked('"', out);
    size_t length;
    for (const unsigned char *at = (const unsigned char *)text; *at; at += length) {
        length = plain_bytes(at);
        if (length > 0) {
            fwrite_unlocked(at, 1, length, out);
            continue;
        }
        uint32_t point = utf8_next(at, &length);
        if (point == '"' || point == '\\')
            fprintf(out, "\\%c", (int)point);
        else if (point == '\n')
            fputs_unlocked("\\n", out);
        else if (character_steers(point))
            fprintf(out, "\\u%04" PRIx32, point);
        else if (point == 0xfffd)
            fputs_unlocked("\xef\xbf\xbd", out);
        else
            fwrite_unlocked(at, 1, length, out);
    }
    putc_unlocked('"', out);
}

/* Writes what precedes a value: comma, line break, key. */
static void separator_put(struct json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->begun[json->depth - 1])
            putc_unlocked(',', json->out);
        if (json->depth <= json->lines_depth)
            fprintf(json->out, "\n%*s", json->depth, "");
        else if (json->begun[json->depth - 1])
            putc_unlocked(' ', json->out);
        json->begun[json->depth - 1] = true;
    }
    if (key) {
        write_text(json->out, key);
        fputs_unlocked(": ", json->out);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    separator_put(json, key);
    putc_unlocked(bracket, json->out);
    if (json->depth < JSON_DEPTH_MAX)
        json->begun[json->depth] = false;
    json->depth++;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->begun[json->depth] && json->depth < json->lines_depth)
        fprintf(json->out, "\n%*s", json->depth, "");
    putc_unlocked(bracket, json->out);
    if (json->depth == 0)
        putc_unlocked('\n', json->out);
}

void json_string(struct json *json, const char *key, const char *text)
{
    separator_put(json, key);
    write_text(json->out, text);
}

/* What fprintf does, in a tenth of its time: a report has a million numbers. */
static void write_integer(FILE *out, int64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        putc_unlocked('-', out);
    fwrite_unlocked(digits + at, 1, sizeof digits - at, out);
}

void json_integer(struct json *json, const char *key, int64_t number)
{
    separator_put(json, key);
    write_integer(json->out, number);
}

void json_number(struct json *json, const char *key, double number)
{
    separator_put(json, key);
    if (!isfinite(number)) {
        fputs_unlocked("null", json->out);
        return;
    }
    if (fabs(number) < 0x1p53 && number == (double)(int64_t)number && !(number == 0 && signbit(number))) {
        write_integer(json->out, (int64_t)number);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs_unlocked(text, json->out);
}

void json_bool(struct json *json, const char *key, bool yes)
{
    separator_put(json, key);
    fputs_unlocked(yes ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    separator_put(json, key);
    fputs_unlocked("null", json->out);
}

void json_raw(struct json *json, const char *key, const char *text)
{
    separator_put(json, key);
    fputs_unlocked(text, json->out);
}
