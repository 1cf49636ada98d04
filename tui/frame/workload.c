/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts about a workload from the host's table, and the steps of a parameter's value.
 */
#include "tui/frame/workload.h"

#include <inttypes.h>
#include <stdio.h>

#define SHORT_RANGE 300 /* ranges up to this length go in steps of 1, longer ones by doubling */
#define FIRST_SIZE 1024 /* first value after 0 of a parameter whose 0 means that the device chooses */

struct param_text param_standard(const struct tui_param *param)
{
    struct param_text shown;
    if (param_is_size(param))
        snprintf(shown.text, sizeof shown.text, PARAM_AUTO);
    else
        snprintf(shown.text, sizeof shown.text, "%" PRId64, param->standard);
    return shown;
}

void workload_params_line(const struct tui_workload *workload, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < workload->param_count && used < size_bytes; i++) {
        const struct tui_param *param = &workload->params[i];
        int length =
            snprintf(text + used, size_bytes - used, "%s%s=%" PRId64 "..%" PRId64 " (%s)", i > 0 ? "  " : "",
                     param->name, param->minimum, param->maximum, param_standard(param).text);
        used += length > 0 ? (size_t)length : 0;
    }
}

static int64_t next_doubled(int64_t first, int64_t number, int by)
{
    int64_t power = first;
    if (by < 0 && number <= first)
        return INT64_MIN;
    while (power <= INT64_MAX / 2 && (by > 0 ? power <= number : power * 2 < number))
        power *= 2;
    return power;
}

static int64_t next_multiple(int64_t step, int64_t number, int by)
{
    int64_t below = number / step * step;
    return by > 0 ? below + step : below == number ? number - step : below;
}

int64_t workload_param_step(const struct tui_param *param, int64_t number, int by)
{
    int64_t step = param->step;
    bool doubles = param->doubles || (step == 0 && param->maximum - param->minimum > SHORT_RANGE);
    if (step == 0)
        step = doubles && param->minimum == 0 ? FIRST_SIZE : 1;
    number = doubles ? next_doubled(step, number, by) : next_multiple(step, number, by);
    return number < param->minimum ? param->minimum : number > param->maximum ? param->maximum : number;
}

void workload_variants_line(const struct tui_workload *workload, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < workload->variant_count && used < size_bytes; i++) {
        int length =
            snprintf(text + used, size_bytes - used, "%s%s", i > 0 ? ", " : "", workload->variants[i].name);
        used += length > 0 ? (size_t)length : 0;
    }
}
