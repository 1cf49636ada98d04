/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libcupti, for runs of the agent where there is no GPU: a program of contexts, modules and
 * launches is played by the test, the agent sees it through CUPTI's own calls. Written after CUPTI's headers
 * and what an H200 was seen to do (docs/cupti-notes.md): sampling one context at a time, records that name
 * reasons by index, SASS metrics of one function and one configuration a process, counters in one context
 * (cupti_ranges.c).
 *
 * What fails, the environment says: CUPTI_DOUBLE_FAULT="cuptiPCSamplingGetData=8@2" makes the second call
 * answer 8; several are separated by blanks, without @N it is every call. CUPTI_DOUBLE_VERSION is its version; CUPTI_DOUBLE_TWELVE: the
 * program has loaded CUPTI 12, too. One thread plays; calls may come
 * from any.
 */
#ifndef TESTS_DOUBLES_CUPTI_DOUBLE_H
#define TESTS_DOUBLES_CUPTI_DOUBLE_H

#include <stddef.h>

/* Each launch of a kernel is seen twice at 0x10, waiting for memory 7 times and selected 3 times, and at
 * 0x20, waiting 5 times; so many records more come at 0x30 and on, of one sample each, with
 * CUPTI_DOUBLE_PCS=N; CUPTI_DOUBLE_TIMES=N makes all waiting N times as long. Reasons have these indices: */
#define DOUBLE_REASON_MEMORY 14
#define DOUBLE_REASON_SELECTED 28

/* What SASS metrics count at each of four instructions from 0x00: executed warp instructions, and sectors at
 * 0x20. */
#define DOUBLE_EXECUTED 64
#define DOUBLE_SECTORS 256

typedef void cupti_double_context(int created, size_t context);
typedef void cupti_double_module(int loaded, const void *cubin, size_t size_bytes);
typedef void cupti_double_launch(const char *name, unsigned blocks, unsigned correlation);
typedef void cupti_double_edge(unsigned long node, unsigned long dependency); /* of a graph that is made */
typedef int cupti_double_sampled(void);                                       /* is any context? */

/* Any call of the driver: one that launches a kernel, or "cuMemcpyHtoD_v2", "cuStreamBeginCapture_v2",
 * "cuStreamEndCapture", "cuCtxSynchronize", calls of graphs. Inside a launch that is counted the double
 * synchronises, as CUPTI does. */
struct cupti_double_call {
    const char *function, *kernel;
    unsigned blocks, correlation;
    size_t context;       /* 0: the first */
    int result;           /* what it returns */
    const void *params;   /* of calls that launch no kernel */
    void (*within)(void); /* runs between enter and exit, or NULL */
};
typedef void cupti_double_call(const struct cupti_double_call *call);

/* Inside the double: a launched kernel, for its activity record; does the profiler count it, for its range;
 * what the environment makes this call answer; streams that are captured. */
void cupti_double_ran(const char *name, unsigned blocks, unsigned correlation);
int cupti_double_counts(size_t context, unsigned blocks);
int cupti_double_fault(const char *function);
int cupti_double_captures(void);

#endif
