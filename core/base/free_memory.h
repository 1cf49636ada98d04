/*
 * How much memory the system could still give. It gives also what it does not have, and ends a program once
 * that is used, which may be the one that is looked at: what takes much asks first. Any thread.
 */
#ifndef CORE_BASE_FREE_MEMORY_H
#define CORE_BASE_FREE_MEMORY_H

#include <stdint.h>

uint64_t free_memory_bytes(void); /* UINT64_MAX: the system does not tell */

#endif
