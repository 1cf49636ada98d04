/*
 * Samples for sessions made by hand: of the timeline's program, every 50 us with a gap, and of two bursts;
 * and a session of nothing but samples, as `lanescope watch` has. Deterministic: a known step stands at a
 * known time.
 */
#ifndef TESTS_FIXTURE_SAMPLES_H
#define TESTS_FIXTURE_SAMPLES_H

#include "core/samples.h"

/* The occupancy of the first sampling: FIXTURE_LOW until the step, FIXTURE_HIGH from then on. */
#define FIXTURE_LOW 12.5f
#define FIXTURE_HIGH 75.0f
#define FIXTURE_STEP_NS INT64_C(4000000)
#define FIXTURE_SAMPLE_NS 50000
/* Nothing is sampled from ... to. */
#define FIXTURE_GAP_NS INT64_C(8000000)
#define FIXTURE_GAP_END_NS INT64_C(9500000)

/* Onto fixture_timeline_fill's session. */
void fixture_samples_fill(struct session *session);
/* Onto the same: no counters, and why. */
void fixture_unsampled_fill(struct session *session, const char *why);
/* Into an empty one. */
void fixture_watch_fill(struct session *session);

#endif
