/* SPDX-License-Identifier: Apache-2.0 */
/* *used < size_bytes holds before and after: snprintf's result, which counts what it cut too, never leaves
 * this file. */
#include "core/base/append.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool append_text(char *text, size_t size_bytes, size_t *used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + *used, size_bytes - *used, format, arguments);
    va_end(arguments);
    bool fits = length >= 0 && (size_t)length < size_bytes - *used;
    if (length > 0)
        *used = fits ? *used + (size_t)length : size_bytes - 1;
    return fits;
}

void append_shell_word(char *text, size_t size_bytes, size_t *used, const char *word)
{
    bool plain = *word != '\0';
    for (const char *at = word; *at != '\0'; at++)
        plain = plain && (isalnum((unsigned char)*at) || strchr("_-./:,=+@%", *at));
    if (plain) {
        append_text(text, size_bytes, used, " %s", word);
        return;
    }
    append_text(text, size_bytes, used, " '");
    for (const char *at = word; *at != '\0'; at++)
        append_text(text, size_bytes, used, "%.*s", *at == '\'' ? 4 : 1, *at == '\'' ? "'\\''" : at);
    append_text(text, size_bytes, used, "'");
}
