/*
 * A session as the bundled workloads make it on the device model, through the real intake; with `gpu` the
 * same work ran on a GPU before, traced and counted. Three cases: copy-stride with stride 1 and 8, whose
 * expectations hold everywhere, and a histogram, which has none and for which GPU and model disagree by one
 * sector. The caller destroys it.
 */
#ifndef TESTS_UNIT_FIXTURE_MODEL_H
#define TESTS_UNIT_FIXTURE_MODEL_H

#include "core/session.h"

struct session *fixture_model_session(bool gpu);

#define FIXTURE_MODEL_CASES 3
#define FIXTURE_MODEL_TIME_NS 2000 /* of the model's first case; the GPU's is 3000, +- 100 */

/* The kernel row of a case in the run of this clock and mode; NONE. */
uint32_t fixture_model_kernel(const struct session *session, uint32_t which, enum clock_kind clock,
                              enum run_mode mode);

#endif
