#include "tui/workload.h"

#include <inttypes.h>
#include <stdio.h>

void workload_params_line(const struct tui_workload *workload, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < workload->param_count && used < size_bytes; i++) {
        const struct tui_param *param = &workload->params[i];
        int length =
            snprintf(text + used, size_bytes - used, "%s%s=%" PRId64 "..%" PRId64 " (%" PRId64 ")",
                     i > 0 ? "  " : "", param->name, param->minimum, param->maximum, param->standard);
        used += length > 0 ? (size_t)length : 0;
    }
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
