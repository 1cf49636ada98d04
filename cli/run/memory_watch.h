/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory of the GPUs and of the host a program takes while it runs, and so how many of it fit beside
 * each other. Between start and stop a thread reads what is in use every 20 ms, of NVML and /proc/meminfo:
 * what others take or free meanwhile is counted as the program's.
 */
#ifndef CLI_RUN_MEMORY_WATCH_H
#define CLI_RUN_MEMORY_WATCH_H

#include <stdint.h>

#define MEMORY_WATCH_GPUS 16u

/* A memory: of a GPU, or of the host. */
struct memory_use {
    uint64_t total_bytes, before_bytes, most_bytes; /* in use before the program and at most */
};

struct memory_watch;

/* NULL: no memory, or no thread; the others take that. */
struct memory_watch *memory_watch_start(void);

/* Ends and frees it. Gives how many processes of the program fit at a time, from 1 to `most`, and in *why
 * what limits them, or "". */
unsigned memory_watch_stop(struct memory_watch *watch, unsigned most, const char **why);

/* How many programs of this use fit into the memory, of which a tenth is left free; from 1 to `most`. */
unsigned memory_use_fits(const struct memory_use *use, unsigned most);

#endif
