/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture control: selects the part of the program's run that is recorded. It switches capturing on and off;
 * code that records reads agent.capturing.
 */
#ifndef CUPTI_AGENT_CAPTURE_H
#define CUPTI_AGENT_CAPTURE_H

#include <cupti.h>
#include <stdint.h>

/* Sets agent.capturing for the start of the process, and notes when a delay began. */
void capture_start(int64_t now_ns);

/* The program called cudaProfilerStart or cudaProfilerStop. */
void capture_profiler_api(int on);

/* An NVTX call of the program. */
void capture_nvtx(CUpti_CallbackId id, const CUpti_NvtxData *data);

/* Checks delays and durations; from the agent's thread. */
void capture_tick(int64_t now_ns);

#endif
