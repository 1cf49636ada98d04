/* *used < size_bytes holds before and after: snprintf's result, which counts what it cut too, never leaves
 * this file. */
#include "core/base/append.h"

#include <stdarg.h>
#include <stdio.h>

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
