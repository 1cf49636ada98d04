/* A plain name is the name without its version (_v2) and the per-thread suffixes (_ptsz, _ptds). No state. */
#include "core/base/api_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

void api_plain_name(const char *name, char *plain, size_t size_bytes)
{
    if (strncmp(name, "__cuda", 6) == 0)
        name += 2; /* what nvcc makes of <<<>>> */
    size_t length = strnlen(name, size_bytes - 1);
    bool shortened = true;
    while (shortened) {
        shortened = false;
        size_t digits = length;
        while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
            digits--;
        if (digits < length && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_') {
            length = digits - 2;
            shortened = true;
        }
        if (ends_with(name, length, "_ptsz") || ends_with(name, length, "_ptds")) {
            length -= 5;
            shortened = true;
        }
    }
    memcpy(plain, name, length);
    plain[length] = '\0';
}
