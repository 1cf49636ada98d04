/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions made of random rows, for tests of what keeps or draws sessions; and whether two are the same in
 * every field that is published. A seed makes the same session everywhere. The maker is the session's one
 * writer.
 */
#ifndef TESTS_SHARED_MADE_MADE_SESSION_H
#define TESTS_SHARED_MADE_MADE_SESSION_H

#include "core/session/samples.h"
#include "core/session/session.h"

#define MADE_CALLS 32

struct maker {
    struct session *session;
    struct made_call { /* calls whose work may still come */
        uint32_t process, correlation, duration_ns;
        int64_t start_ns;
        uint8_t category;
    } calls[MADE_CALLS];
    uint32_t call_count, correlation;
    uint64_t state, code_state; /* of the random numbers */
    uint64_t sample_state;
    int64_t sampled_ns[CLOCK_COUNT];
    int64_t now_ns;
};

uint64_t made_random(struct maker *maker, uint64_t below);

/* A session with a process, a device, a run, a few kernels and a track of every kind; no events yet. */
void maker_init(struct maker *maker, uint64_t seed);
/* So many more rows, most of them events; some overlap, some have no duration, some come late. */
void maker_grow(struct maker *maker, size_t rows);
/* Part of it: functions, instructions, their costs, sources. */
void made_code_grow(struct maker *maker, size_t rows);
/* Every process and run ends, nothing is open. */
void maker_end(struct maker *maker);

/* NULL when they are equal, else what differs (static text). */
const char *sessions_differ(const struct session *a, const struct session *b);

#endif
