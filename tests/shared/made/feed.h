/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with one process and an intake into it, fed with hand-made events. Times are given in session ns.
 * Fails the test it is used in.
 */
#ifndef TESTS_SHARED_MADE_FEED_H
#define TESTS_SHARED_MADE_FEED_H

#include "core/intake/intake.h"

#define ZERO_NS 1700000000000000000 /* the session's start on the wall clock */

struct feed {
    struct session *session;
    struct intake *intake;
    uint32_t process, run;
};

struct feed feed_open(void);
void feed_close(struct feed *feed);
void feed_send(struct feed *feed, struct event event);
void feed_string(struct feed *feed, uint32_t id, const char *text);
void feed_shape(struct feed *feed, uint32_t id, uint32_t name);
struct event feed_kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t stream);
struct event feed_call(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint8_t domain);
struct event feed_range(uint8_t kind, int64_t time_ns, uint64_t id);
void feed_watermark(struct feed *feed, int64_t time_ns);
struct intake_stats feed_stats(const struct feed *feed);
/* The n-th track of a kind, NONE when there is none. */
uint32_t feed_track(const struct feed *feed, enum track_kind kind, uint32_t n);
struct item feed_item(const struct feed *feed, uint32_t track, uint32_t lane, uint64_t index);

#endif
