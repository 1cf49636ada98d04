/*
 * A recording of kernels that compute: on an H200, traced, counted and with a memory run, and on its model.
 * Figures are of an H200's size: a copy, products of matrices, doubles by constants; of a sort only the time
 * is known.
 */
#ifndef TESTS_UNIT_FIXTURE_ROOFLINE_H
#define TESTS_UNIT_FIXTURE_ROOFLINE_H

#include "core/session.h"

void fixture_roofline_fill(struct session *session);

#endif
