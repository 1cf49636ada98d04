/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing what a kernel left: what is close, what is not, and what the sentence says. */
#include "workloads/frame/verify.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

Test(verify, close_is_relative_above_one_and_absolute_below)
{
    static const struct {
        float found, wanted;
        double relative;
        bool close;
    } table[] = {
        {1.0f, 1.0f, 0, true},          {1.0f, 1.0009f, 1e-3, true},       {1.0f, 1.002f, 1e-3, false},
        {1000.5f, 1000.0f, 1e-3, true}, {1002.0f, 1000.0f, 1e-3, false},   {0.0005f, 0.0f, 1e-3, true},
        {-0.002f, 0.0f, 1e-3, false},   {(float)NAN, 1.0f, 1e-3, false},   {1.0f, (float)NAN, 1e-3, false},
        {-5.0f, 5.0f, 1e-3, false},     {(float)INFINITY, 1.0f, 1, false},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct workload_result result = {.verified = 1};
        bool close = verify_close("out", 7, &table[i].found, &table[i].wanted, 1, table[i].relative, &result);

        cr_assert_eq(close, table[i].close, "row %zu", i);
        cr_assert_eq(result.verified, table[i].close);
        cr_assert(table[i].close || strstr(result.detail, "out[7] is"), "%s", result.detail);
    }
}

Test(verify, the_first_that_differs_is_named)
{
    float found[4] = {1, 2, 3, 4}, wanted[4] = {1, 2, 4, 5};
    struct workload_result result = {.verified = 1};

    cr_assert(!verify_words("out", 100, found, wanted, 4, &result));
    cr_assert(strstr(result.detail, "out[102] is 3"), "%s", result.detail);
}
