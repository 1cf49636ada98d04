/*
 * This process's turns at the counters of its GPUs: waits for them, keeps them until the process ends, and
 * reports the holder if the wait is long. Any thread.
 */
#ifndef CUPTI_AGENT_TURNS_H
#define CUPTI_AGENT_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/* True: this process may use the counters of this GPU (CUDA's ordinal). Waits at most 10 s in total over the
 * life of the process; after that returns false, with one notice, until the other process has ended. */
bool turns_wait(uint32_t device);

/* In a forked child: the turns belong to the parent. */
void turns_abandon(void);

#endif
