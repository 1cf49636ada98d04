/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace run's dealings with the samplers. Without bursts: a program is started while its GPU's sampler sets
 * up, and its first launch waits until samples are taken, so that its first kernels are sampled.
 *
 * Bursts of samples around launches of a trace run (--burst): the first launch of each kernel name and shape,
 * of each case of a bundled workload, waits until the GPU is quiet and the sampler has started the hardware
 * (core/wire/sampling_control.h); the burst may end when that kernel's record has come. Every wait is
 * bounded, nothing here calls CUDA, and one burst is open at a time.
 *
 * Application threads report launches; the thread that gets CUPTI's records reports kernels.
 */
#ifndef CUPTI_AGENT_BURSTS_H
#define CUPTI_AGENT_BURSTS_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stdint.h>

/* How long a launch may wait altogether: for earlier launches, and for the sampler. */
#define BURSTS_QUIET_NS 200000000
#define BURSTS_BEGIN_NS 400000000
#define SAMPLER_READY_NS 500000000

/* Sets up from the settings; without a sampler nothing happens. Once, at injection. */
void bursts_start(void);

/* Is a launch to be reported? */
bool bursts_want_launch(void);
/* Called before a launch on GPU `device`; name is the mangled one. May wait. */
void bursts_launch(uint32_t device, const char *name, const struct event *shape, uint32_t correlation);

/* Called when the kernel of this launch is done, or was not launched. */
void bursts_kernel_done(uint32_t correlation);

/* Is a launch waiting for a record, so that flushes should be as frequent as possible? */
bool bursts_waiting(void);

#endif
