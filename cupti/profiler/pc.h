/* SPDX-License-Identifier: Apache-2.0 */
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
    uint32_t period;                                  /* exponent of the cycles */
    bool serialize;                                   /* one kernel at a time: a record then has its launch */
    uint32_t (*string)(void *user, const char *text); /* of a reason's name */
    /* One record of CUPTI's and the events made from it: one per reason; function and shape are not set. */
    void (*take)(void *user, const CUpti_PCSamplingPCData *record, struct event *events, size_t count);
    void *user;
};

struct pc_totals {
    uint64_t samples, dropped; /* as counted by CUPTI; dropped by the hardware */
};

/* Starts to sample. Call it during the context's creation, before its first kernel. */
enum status pc_open(struct pc **pc, const struct pc_options *options, struct error *error);

/* Hands over the samples so far. STATUS_MEMORY: the hardware's buffer overflowed; no more samples will
 * arrive. */
enum status pc_collect(struct pc *pc, struct error *error);

/* detach: the context still works; the samples that CUPTI keeps until the end are handed over first. totals:
 * over all samples. */
void pc_close(struct pc *pc, bool detach, struct pc_totals *totals);

/* ---- */

/* CUPTI's reasons: records refer to them by `index`, which is not the position in this list. */
struct pc_reason {
    uint32_t index, text; /* text: string id */
};

/* The events of a record, at most reason_count; none for reasons without samples, or that CUPTI did not
 * announce. */
size_t pc_events(const CUpti_PCSamplingPCData *record, const struct pc_reason *reasons, size_t reason_count,
                 uint32_t period, struct event *events);

#endif
