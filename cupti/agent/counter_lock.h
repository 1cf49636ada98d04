/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns at the counters of a GPU: CUPTI gives them to one process at a time, so processes that lanescope
 * profiles take turns. counter_lock_wait waits for this process's turns at its GPUs, keeps them until the process
 * ends, and reports the holder if the wait is long.
 *
 * A turn is a socket bound to a name made of the GPU's UUID, which only one process can have. The kernel
 * releases it when the holder ends for any reason, and nothing is left on disk. Any thread.
 */
#ifndef CUPTI_AGENT_COUNTER_LOCK_H
#define CUPTI_AGENT_COUNTER_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True: this process may use the counters of this GPU (CUDA's ordinal). Waits at most 10 s in total over the
 * life of the process; after that returns false, with one notice, until the other process has ended. */
bool counter_lock_wait(uint32_t device);

/* In a forked child: the turns belong to the parent. */
void counter_lock_abandon(void);

#define TURN_TAKEN (-1)   /* another process has it */
#define TURN_UNKNOWN (-2) /* the system has no such sockets, so it is not known */

/* Returns a descriptor that holds the turn until it is closed, or TURN_TAKEN, or TURN_UNKNOWN. Does not wait.
 */
int turn_take(const uint8_t gpu_uuid[16]);

/* The holder, for a sentence: "process 733 (program)"; "another process" if it is not known. */
void turn_holder(const uint8_t gpu_uuid[16], char *text, size_t size_bytes);

#endif
