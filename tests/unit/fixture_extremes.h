/*
 * A recording in which every metric has its extreme values: nothing, zero, parts of one, what is almost a
 * unit more, and more than any device counts. On a GPU and on its model, a sweep of one workload and the
 * variants of another, whose parameters differ in one number of several.
 */
#ifndef TESTS_UNIT_FIXTURE_EXTREMES_H
#define TESTS_UNIT_FIXTURE_EXTREMES_H

#include "core/session.h"

#define FIXTURE_EXTREMES_SWEEP 32 /* strides, 1 to 32 */

void fixture_extremes_fill(struct session *session);

#endif
