/*
 * PC sampling of one context: every 2^period cycles each multiprocessor records the current instruction of a
 * warp and its stall reason. Samples are returned as STALLS events; a record of CUPTI is one instruction with
 * its reasons.
 *
 * CUPTI samples one context of a GPU at a time. Not thread-safe: its user serialises. The functions below the
 * line are pure.
 */
#ifndef CUPTI_PROFILER_PC_H
#define CUPTI_PROFILER_PC_H

#include "core/base/error.h"
#include "core/base/event.h"
#include "cupti/load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pc;

struct pc_options {
    const struct cupti *cupti;
    CUcontext context;
    uint32_t period; /* exponent of the cycles */
    bool serialize;  /* one kernel at a time; a record then names its launch */
    uint32_t (*string)(void *user, const char *text); /* of a reason's name */
    /* One record of CUPTI's, and what was made of it: one event a reason, function and shape not set. */
    void (*take)(void *user, const CUpti_PCSamplingPCData *record, struct event *events, size_t count);
    void *user;
};

struct pc_totals {
    uint64_t samples, dropped; /* by CUPTI's count; dropped by the hardware */
};

/* Begin to sample. In the context's creation, before its first kernel. */
enum status pc_open(struct pc **pc, const struct pc_options *options, struct error *error);

/* Hand over what there is. STATUS_MEMORY: the hardware's buffer overflowed, nothing more will come. */
enum status pc_collect(struct pc *pc, struct error *error);

/* detach: the context still works; what CUPTI holds back until the end is handed over first. totals: of all
 * that was sampled. */
void pc_close(struct pc *pc, bool detach, struct pc_totals *totals);

/* ---- */

/* CUPTI's reasons: records speak of them by `index`, which is no position. */
struct pc_reason {
    uint32_t index, text; /* text: string id */
};

/* The events of a record, at most reason_count; reasons without samples, and such as CUPTI did not announce,
 * give none. */
size_t pc_events(const CUpti_PCSamplingPCData *record, const struct pc_reason *reasons, size_t reason_count,
                 uint32_t period, struct event *events);

#endif
