/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places of a graph: where the program's calls stand, so that an edit can be made at one of them. The place of a
 * call is its function, what it launches or copies, and the innermost range (NVTX) that it is in; that of a gap is
 * the range that the host is in meanwhile, and if there is none the call that follows. Ranges whose names
 * differ only in their numbers are one. Found when an edit is first tried at places.
 */
#ifndef CORE_REPLAY_REPLAY_PLACES_H
#define CORE_REPLAY_REPLAY_PLACES_H

#include "core/replay/replay.h"

#define REPLAY_PLACES_MAX 4096u /* further ones are one, which is place 0 */
#define REPLAY_PLACE_TEXT 160

/* What the time of the last replay's critical path is made of, by place, ns. A kernel's place is its row. */
struct replay_weights {
    int64_t *gaps, *waits, *copies; /* by place: of gaps; of returns from waits; of copies and their calls */
    int64_t *kernels;               /* by kernel row, of durations */
    size_t places, kernel_count;
};

/* STATUS_MEMORY. */
enum status replay_find_places(struct replay *replay, struct error *error);
size_t replay_place_count(const struct replay *replay); /* 0: they were not found yet */
/* "cudaMemcpyAsync to the host in the range step #", "the range load #", "before cudaLaunchKernel of scale". Names are
 * from the program. gap: the place of one. */
void replay_place_text(const struct replay *replay, size_t place, bool gap, char text[REPLAY_PLACE_TEXT]);

/* Where most of the time is that an edit of these changes saves, which is made everywhere: "before softmax_kernel" (LOADING),
 * "behind cudaStreamSynchronize" (HANDS: of the thread that is waited for). "": it is not known. */
void replay_most_text(const struct replay *replay, uint64_t changes, char text[REPLAY_PLACE_TEXT]);

/* A kernel's own name, without what is before and after it, and at most 32 bytes of that: "scan_sums" of
 * "void scan_sums<float>(float *)". */
void replay_kernel_text(const char *name, char text[REPLAY_PLACE_TEXT]);

/* Replays the change and weighs its critical path. The caller frees with replay_weights_fini, also after a failure.
 * STATUS_MEMORY. */
enum status replay_weigh(struct replay *replay, const struct replay_change *change,
                         struct replay_weights *weights, struct error *error);
void replay_weights_fini(struct replay_weights *weights);

#endif
