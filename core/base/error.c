/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error sentences. Control bytes in them become '?', since they quote names from outside and are printed on a
 * terminal; a sentence that is too long is cut between two UTF-8 characters.
 */
#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Number of bytes of the UTF-8 character that begins here; 0: none does. */
static size_t character_bytes(const unsigned char *c)
{
    size_t bytes = c[0] < 0x80   ? 1
                   : c[0] < 0xc2 ? 0
                   : c[0] < 0xe0 ? 2
                   : c[0] < 0xf0 ? 3
                   : c[0] < 0xf5 ? 4
                                 : 0;
    for (size_t i = 1; i < bytes; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    /* overlong, a surrogate, or beyond the last code point */
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
                 (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90);
    return wrong ? 0 : bytes;
}

/* Is it a control character: C0 or DEL, C1 in UTF-8 (c2 80 ... c2 9f), or a byte that is not UTF-8? A
 * terminal may take 80 ... 9f among the latter for C1 controls. */
static void hide_controls(char *text)
{
    size_t bytes;
    for (unsigned char *c = (unsigned char *)text; *c; c += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(c);
        if (*c == '\n' || *c == '\t')
            *c = ' ';
        else if (bytes == 0 || *c < 0x20 || *c == 0x7f)
            *c = '?';
        else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
            c[0] = c[1] = '?';
    }
}

/* Removes an unfinished UTF-8 character from the end. */
static void cut_partial(char *text)
{
    size_t size = strlen(text);
    size_t back = 0;
    while (back < 3 && back < size && ((unsigned char)text[size - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back == size)
        return;
    unsigned char lead = (unsigned char)text[size - 1 - back];
    size_t needs = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    if (needs > back)
        text[size - 1 - back] = '\0';
}

static void format_sentence(struct error *error, const char *format, va_list arguments)
{
    int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    if (length < 0)
        snprintf(error->text, sizeof error->text, "%s", status_text(error->status));
    else if ((size_t)length >= sizeof error->text)
        cut_partial(error->text);
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    if (!error)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    format_sentence(error, format, arguments);
    va_end(arguments);
    hide_controls(error->text);
    return status;
}

enum status error_set_errno(struct error *error, enum status status, int errno_value, const char *format, ...)
{
    if (!error)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    format_sentence(error, format, arguments);
    va_end(arguments);
    size_t size = strlen(error->text);
    char reason[128];
    snprintf(error->text + size, sizeof error->text - size, ": %s",
             strerror_r(errno_value, reason, sizeof reason));
    hide_controls(error->text);
    return status;
}

enum status error_no_memory(struct error *error, const char *format, ...)
{
    struct error what = {.status = STATUS_MEMORY};
    va_list arguments;
    va_start(arguments, format);
    format_sentence(&what, format, arguments);
    va_end(arguments);
    what.text[sizeof what.text - 64] = '\0'; /* room for the rest of the sentence */
    cut_partial(what.text);
    return error_set(error, STATUS_MEMORY, "There is no memory %s: close other programs.", what.text);
}

#define STATUS_TEXT(name, text) [STATUS_##name] = text,
static const char *const status_texts[] = {STATUS_LIST(STATUS_TEXT)};

const char *status_text(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? status_texts[status] : "an unknown status";
}
