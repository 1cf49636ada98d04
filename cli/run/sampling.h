/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samplers of a live session: one child process per GPU (cupti/sampler/sampler.h), started early because
 * setting up the GPU takes up to 0.7 s, told when samples are wanted, ended with the session.
 *
 * Made, used and freed by the thread of jobs and by main in turn, never at once; sampling_burst by any
 * thread. One thread per sampler waits for its end; one more begins the samplers that the first one tells of.
 */
#ifndef CLI_RUN_SAMPLING_H
#define CLI_RUN_SAMPLING_H

#include "cli/options/options.h"
#include "cli/run/collect.h"

struct sampling;

/* Starts the samplers: of GPU --gpu, or with `every_gpu` and no --gpu of all GPUs, or, if a launcher started
 * several programs on this host, of the GPU with this process's number among them. STATUS_UNSUPPORTED if this
 * build has no sampler. The options and the collector must outlive it. */
enum status sampling_create(struct sampling **sampling, const struct options *options, bool every_gpu,
                            struct collector *collector, struct error *error);

/* Samples are wanted from now on. A `patient` caller, and one that requested bursts, waits until samples
 * arrive or cannot, a few seconds at most. Others continue at once: a program starts while the samplers set
 * up, and its first launch waits for them (cupti/agent/bursts.h). Returns how many GPUs are sampled. sampling
 * may be NULL in all functions but create. */
unsigned sampling_begin(struct sampling *sampling, bool patient);
/* Samples are no longer wanted. Waits for nothing: the last ones arrive later, before sampling_destroy
 * returns. */
void sampling_end(struct sampling *sampling);

/* Waits until the samplers have given the counters back, 2 s at most: for a run that counts. */
void sampling_free(struct sampling *sampling);

/* Number of GPUs that are sampled, or will be when another profiler has ended. */
unsigned sampling_alive(const struct sampling *sampling);

/* Requests a burst, as long as the buffer allows, on all GPUs, now. False: none began within 0.2 s. */
bool sampling_burst(struct sampling *sampling);

/* Ends the samplers, and waits until their last samples are sent; the processes end by themselves. */
void sampling_destroy(struct sampling *sampling);

#endif
