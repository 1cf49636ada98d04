/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first word that is wrong ends a comparison and is described, in bits and as a number, in the result's
 * detail. Where sums may be in any order, words are close instead of equal.
 */
#include "workloads/frame/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void difference_report(const char *name, size_t index, uint32_t found, uint32_t wanted,
                              struct workload_result *result)
{
    float found_value, wanted_value;

    memcpy(&found_value, &found, sizeof found);
    memcpy(&wanted_value, &wanted, sizeof wanted);
    result->verified = 0;
    if (found == WORKBENCH_POISON_WORD)
        snprintf(result->detail, sizeof result->detail, "%s[%zu] was never written, expected %.9g (0x%08x)",
                 name, index, (double)wanted_value, wanted);
    else if (wanted == WORKBENCH_POISON_WORD)
        snprintf(result->detail, sizeof result->detail,
                 "%s[%zu] is %.9g (0x%08x), and no thread should have written it", name, index,
                 (double)found_value, found);
    else
        snprintf(result->detail, sizeof result->detail, "%s[%zu] is %.9g (0x%08x), expected %.9g (0x%08x)",
                 name, index, (double)found_value, found, (double)wanted_value, wanted);
}

bool verify_words(const char *name, size_t first, const void *found, const void *wanted, size_t count,
                  struct workload_result *result)
{
    const uint32_t *f = found, *w = wanted;
    size_t i = 0;

    if (memcmp(found, wanted, count * sizeof *f) == 0)
        return true;
    while (f[i] == w[i])
        i++;
    difference_report(name, first + i, f[i], w[i], result);
    return false;
}

bool verify_untouched(const char *name, size_t first, const void *found, size_t count,
                      struct workload_result *result)
{
    const uint32_t *f = found;

    for (size_t i = 0; i < count; i++) {
        if (f[i] != WORKBENCH_POISON_WORD) {
            difference_report(name, first + i, f[i], WORKBENCH_POISON_WORD, result);
            return false;
        }
    }
    return true;
}

bool verify_close(const char *name, size_t first, const float *found, const float *wanted, size_t count,
                  double relative, struct workload_result *result)
{
    for (size_t i = 0; i < count; i++) {
        double least = fabs((double)wanted[i]) > 1 ? fabs((double)wanted[i]) : 1,
               apart = fabs((double)found[i] - (double)wanted[i]);
        /* Not written with ">": a NaN must not count as close. */
        if (!(apart <= relative * least)) {
            uint32_t f, w;

            memcpy(&f, &found[i], sizeof f);
            memcpy(&w, &wanted[i], sizeof w);
            difference_report(name, first + i, f, w, result);
            return false;
        }
    }
    return true;
}

void verify_doubled(const float *input, const float *found, size_t count, struct workload_result *result)
{
    for (size_t i = 0; i < count; i++) {
        float wanted = input[i] * 2;

        if (!verify_words("out", i, &found[i], &wanted, 1, result))
            return;
    }
    result->verified = 1;
}
