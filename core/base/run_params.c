/* SPDX-License-Identifier: Apache-2.0 */
/* A parameter is a view into the text; nothing is copied or kept. */
#include "core/base/run_params.h"
#include "core/base/append.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 32

bool run_param_next(const char **text, struct run_param *param)
{
    const char *at = *text + strspn(*text, ", ");
    if (*at == '\0')
        return false;
    size_t length = strcspn(at, ", "), name = strcspn(at, "=, ");
    bool valued = name < length;
    *param = (struct run_param){.name = at,
                                .name_length = (int)name,
                                .value = at + name + valued,
                                .value_length = (int)(length - name - valued)};
    *text = at + length;
    return true;
}

bool run_param_find(const char *text, const char *name, struct run_param *param)
{
    size_t length = strlen(name);
    while (run_param_next(&text, param))
        if ((size_t)param->name_length == length && memcmp(param->name, name, length) == 0)
            return true;
    return false;
}

bool run_param_number(const char *text, const char *name, double *number)
{
    struct run_param param;
    char digits[NUMBER_BYTES], *end;
    if (!run_param_find(text, name, &param) || param.value_length <= 0 || param.value_length >= NUMBER_BYTES)
        return false;
    snprintf(digits, sizeof digits, "%.*s", param.value_length, param.value);
    *number = strtod(digits, &end);
    return end != digits && *end == '\0' && isfinite(*number);
}

bool run_params_within(const char *text, int cells, char *out, size_t size_bytes)
{
    struct run_param param;
    size_t used = 0;
    bool all = true;
    if (size_bytes > 0)
        out[0] = '\0';
    while (run_param_next(&text, &param)) {
        size_t length = (size_t)(param.value + param.value_length - param.name);
        bool fits = (int)(used + length) + (used > 0) <= cells && used + length + 2 <= size_bytes;
        all = all && fits;
        if (fits)
            append_text(out, size_bytes, &used, "%s%.*s", used > 0 ? "," : "", (int)length, param.name);
    }
    return all;
}
