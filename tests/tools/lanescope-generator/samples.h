/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters over time with known values: twelve series of device 0, a sample every --samples microseconds from
 * the load's beginning. Series s, from 0, is SAMPLES_LOW + s for a hundred samples, then SAMPLES_HIGH + s for
 * a hundred, and so on.
 */
#ifndef TESTS_TOOLS_LANESCOPE_GENERATOR_SAMPLES_H
#define TESTS_TOOLS_LANESCOPE_GENERATOR_SAMPLES_H

#include "load.h"

#define SAMPLES_SERIES 12u
#define SAMPLES_STEP 100u
#define SAMPLES_LOW 10.0f
#define SAMPLES_HIGH 70.0f

void samples_announce(struct load *load);
/* Send those that have ended until then. */
void samples_send(struct load *load, int64_t until_ns);

#endif
