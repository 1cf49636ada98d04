/* SPDX-License-Identifier: Apache-2.0 */
/* Slopes are those between at most 64 points spread over all of them; the offset is of all points. */
#include "core/ranks/clocks.h"

#include <math.h>
#include <stdlib.h>

#define SLOPE_POINTS 64u /* 2,016 slopes */

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of two middle ones the mean; sorts the numbers. */
static double median_of(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_doubles);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double drift_of(const struct clock_point *points, size_t count, double *scratch)
{
    const size_t chosen = count < SLOPE_POINTS ? count : SLOPE_POINTS;
    size_t slopes = 0;
    for (size_t i = 0; i < chosen; i++)
        for (size_t j = i + 1; j < chosen; j++) {
            const struct clock_point *a = &points[i * count / chosen], *b = &points[j * count / chosen];
            if (fabs(b->at_ns - a->at_ns) > CLOCK_DRIFT_NS / 100)
                scratch[slopes++] = (b->apart_ns - a->apart_ns) / (b->at_ns - a->at_ns);
        }
    return slopes > 0 ? median_of(scratch, slopes) : 0;
}

bool clock_fit(struct clock_fit *fit, const struct clock_point *points, size_t count, double *scratch)
{
    *fit = (struct clock_fit){0};
    if (count < CLOCK_POINTS_LEAST)
        return false;
    double first_ns = points[0].at_ns, last_ns = first_ns;
    for (size_t i = 1; i < count; i++) {
        first_ns = fmin(first_ns, points[i].at_ns);
        last_ns = fmax(last_ns, points[i].at_ns);
    }
    if (count >= CLOCK_DRIFT_POINTS && last_ns - first_ns >= CLOCK_DRIFT_NS)
        fit->drift = drift_of(points, count, scratch);
    for (size_t i = 0; i < count; i++)
        scratch[i] = points[i].apart_ns - fit->drift * points[i].at_ns;
    fit->offset_ns = median_of(scratch, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(points[i].apart_ns - fit->drift * points[i].at_ns - fit->offset_ns);
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    fit->residual_ns = scratch[(size_t)((double)(count - 1) * 0.95 + 0.5)];
    return fabs(fit->drift) <= CLOCK_DRIFT_MOST && fabs(fit->offset_ns) < 0x1p60;
}
