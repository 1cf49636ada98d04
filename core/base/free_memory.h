/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that the system can still provide. Linux overcommits memory and kills a process when it runs
 * out, perhaps the profiled one: code that needs a large amount checks first. And the memory that this
 * process has. Any thread.
 */
#ifndef CORE_BASE_FREE_MEMORY_H
#define CORE_BASE_FREE_MEMORY_H

#include <stdint.h>

uint64_t free_memory_bytes(void); /* UINT64_MAX: not known */
/* What this process holds, apart from files and memory that it shares; 0: not known. */
uint64_t own_memory_bytes(void);

#endif
