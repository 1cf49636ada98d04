/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path of a replay: what the end of its loop depends on, one thing after the other, back to the
 * loop's first call. Each operation was held by the end of another one or by its call; each call by the one
 * before it of its thread, or by what it waited for. The parts follow each other without a gap and without
 * overlap, so that their times add up to the time from the loop's first call to its last end.
 *
 * Owned by the caller; as core/replay/replay.h. Times in ns.
 */
#ifndef CORE_REPLAY_REPLAY_PATH_H
#define CORE_REPLAY_REPLAY_PATH_H

#include "core/replay/replay.h"

/* id, what the time is spent in */
#define REPLAY_PART_LIST(X)        \
    X(KERNEL, "kernels")           \
    X(COPY, "copies")              \
    X(SET, "sets")                 \
    X(CALL, "calls")               \
    X(RETURN, "return from waits") \
    X(GAP, "host between calls")   \
    X(DELAY, "delay before device work")
#define REPLAY_PART_ENUM(id, text) REPLAY_PART_##id,
enum replay_part { REPLAY_PART_LIST(REPLAY_PART_ENUM) REPLAY_PARTS };
#undef REPLAY_PART_ENUM
const char *replay_part_text(enum replay_part part);

struct replay_segment {
    int64_t start_ns, end_ns;
    uint32_t track; /* of the session: of the operation, or of the thread's calls; NONE: there is none */
    uint32_t at; /* KERNEL, COPY, SET: the operation, as replay_end_ns counts them; CALL, RETURN: the call, of
                       GAP the one that follows, in order of their starts; DELAY: NONE */
    uint8_t part; /* enum replay_part */
};

struct replay_path {
    struct replay_segment *segments; /* in order of time; free with replay_path_fini */
    size_t count;
    int64_t ns[REPLAY_PARTS]; /* sums */
};

/* From now on each replay keeps what a path needs. STATUS_MEMORY: it does not. */
enum status replay_keep_trace(struct replay *replay, struct error *error);
/* Walks the path of the last replay_run, after replay_keep_trace, from its end. STATUS_MEMORY, STATUS_STATE: no
 * trace is kept. */
typedef void replay_path_visit(void *context, const struct replay_segment *segment);
enum status replay_path_walk(const struct replay *replay, replay_path_visit *visit, void *context,
                             struct error *error);
/* The same of all of the loop as it was measured, also where a piece stands for it; after replay_keep_trace. */
enum status replay_path_walk_all(struct replay *replay, replay_path_visit *visit, void *context,
                                 struct error *error);
/* The path of the last replay_run, kept. */
enum status replay_path_make(const struct replay *replay, struct replay_path *path, struct error *error);
/* The loop as it was measured, in the place of a replay; after replay_keep_trace. */
void replay_run_measured(struct replay *replay);
void replay_path_fini(struct replay_path *path);

#endif
