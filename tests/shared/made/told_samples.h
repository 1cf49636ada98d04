/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as a test told them to a session, kept beside it one by one, and what a walk over all of them
 * finds: what every quicker way must equal. Of the series the one at place TOLD_COUNTS counts (a sum, which
 * charts show per second). One thread.
 */
#ifndef TESTS_SHARED_MADE_TOLD_SAMPLES_H
#define TESTS_SHARED_MADE_TOLD_SAMPLES_H

#include "core/session/samples.h"

#define TOLD_COUNTS 2

struct told_samples {
    struct session *session;
    uint32_t sampling, first; /* its first series */
    uint32_t series;
    uint64_t count, room;
    int64_t now_ns; /* where the last one ended */
    int64_t *start_ns, *end_ns;
    float *numbers; /* sample by sample */
};

/* A sampling of so many series. */
uint32_t told_sampling(struct session *session, uint16_t series);

/* None yet, from now_ns on, in a sampling that is not the session's first. The session is its own from then
 * on. */
struct told_samples told_make(struct session *session, uint16_t series, uint64_t room, int64_t now_ns);
void told_free(struct told_samples *told);

/* One more, pause_ns after the last. */
void told_add(struct told_samples *told, int64_t pause_ns, uint32_t duration_ns, const float *numbers);

/* What lies within a time of a series. */
struct told_column {
    double sum; /* value x ns */
    float least, most;
    int64_t covered_ns;
    int64_t sampled_ns; /* also where the number is not there */
    uint64_t first, count;
};
struct told_column told_walk(const struct told_samples *told, uint32_t series, int64_t from_ns,
                             int64_t to_ns);

#endif
