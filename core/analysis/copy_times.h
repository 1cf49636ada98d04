/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copies and sets of a run by kind and by the host's memory that they read or write: number, bytes, time,
 * and the longest of each. From events alone. Reader side, any thread.
 */
#ifndef CORE_ANALYSIS_COPY_TIMES_H
#define CORE_ANALYSIS_COPY_TIMES_H

#include "core/session/session.h"

enum copy_host {
    COPY_HOST_NONE, /* no host memory, or of a kind that is not known */
    COPY_HOST_PAGEABLE,
    COPY_HOST_PINNED,
    COPY_HOST_STAGED, /* item_copy_is_staged: the times are of one piece, the bytes of the whole copy */
    COPY_HOST_COUNT
};
enum copy_host copy_host_of(const struct item *item); /* of a COPY */
const char *copy_host_text(enum copy_host host);      /* "pageable" */

struct copy_time {
    uint8_t kind; /* enum copy_kind; COPY_KIND_COUNT: sets */
    enum copy_host host;
    uint64_t count, bytes;
    int64_t total_ns;
    struct event_ref longest;
    int64_t longest_ns;
};

struct copy_times {
    struct copy_time rows[(COPY_KIND_COUNT + 1) * COPY_HOST_COUNT]; /* most time first */
    size_t count;
    bool complete; /* false: some events were evicted from memory, the sums lack them */
};

void copy_times_make(const struct session *session, uint32_t run, struct copy_times *times);

#endif
