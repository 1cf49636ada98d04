/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lines run that samples: PC sampling of the program's contexts, from their creation on. If the launcher
 * requests it, kernels run one at a time; each sample then belongs to a known launch and is sent before the
 * launch's call returns. Else kernels run as they would without sampling, and samples belong to a kernel; its
 * shape is reported if it was launched in one shape only.
 *
 * Application threads report contexts, modules and launches, the agent's thread reads samples; one lock
 * around CUPTI's sampling calls.
 */
#ifndef CUPTI_AGENT_LINES_LINES_H
#define CUPTI_AGENT_LINES_LINES_H

#include "core/base/error.h"
#include "core/base/event.h"

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

#define LINES_PERIOD_SERIAL 9u /* 512 cycles: 9,000 samples from a kernel of 20 us that fills an H200 */
#define LINES_PERIOD_CONTINUOUS \
    15u /* 32,768 cycles: 7 million samples per second, which CUPTI's threads can read */

/* Once, at injection. */
enum status lines_start(struct error *error);

void lines_context_created(CUcontext context);
void lines_context_going(CUcontext context);

/* A module is unloaded: its samples must be read before another one takes its place. */
void lines_module_going(void);

/* Called for a launch: `call` and `shape` as for launches_enter. */
void lines_launch_enter(CUcontext context, const struct event *call, const struct event *shape);
void lines_launch_exit(void);

/* From the agent's thread. */
void lines_tick(int64_t now_ns);

/* At the end of the process, after the agent's thread has ended. */
void lines_end(void);

#endif
