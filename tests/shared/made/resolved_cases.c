/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/resolved_cases.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct device_info info = {
    .compute_capability = 90, .multiprocessors = 132, .l2_bytes = 50u << 20};

struct workload_case *resolved_cases(const char *text, size_t *count)
{
    struct workload_case *cases = NULL;
    struct error error = {0};
    enum status status = strcmp(text, "--all") == 0 ? workload_all(&cases, count, &error)
                                                    : workload_parse(text, &cases, count, &error);

    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    for (size_t i = 0; i < *count; i++) {
        cases[i].info = &info;
        cases[i].small = true;
        cr_assert_eq(cases[i].workload->resolve(&cases[i], &error), STATUS_OK, "%s", error.text);
    }
    return cases;
}
