/*
 * A session made by hand for the timeline: chunks copied and worked on in three streams, the default stream
 * between them, a pageable copy, the API calls of two threads with what they asked for, waits, and ranges
 * that lie in each other. Deterministic.
 */
#ifndef TESTS_FIXTURE_TIMELINE_H
#define TESTS_FIXTURE_TIMELINE_H

#include "core/session.h"

/* Fills an empty session. Aborts when memory runs out. */
void fixture_timeline_fill(struct session *session);

#define FIXTURE_TIMELINE_CHUNKS 6

#endif
