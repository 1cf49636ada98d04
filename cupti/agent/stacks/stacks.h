/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call paths of launches and copies: which function of the program asked for the device's work. The thread
 * that launches captures its path; the records that CUPTI delivers later find it by their correlation id.
 *
 * A path is announced once, as a tree of EVENT_STACKs: a frame and the path of its caller. Python frames
 * where the thread runs Python (python.h), else native frames, if wanted. At most STACKS_FRAMES innermost
 * frames. Any thread; one per process, never freed while a thread may launch.
 */
#ifndef CUPTI_AGENT_STACKS_STACKS_H
#define CUPTI_AGENT_STACKS_STACKS_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stdint.h>

#define STACKS_FRAMES 64u
#define STACKS_PATHS_MOST 65536u  /* threads of a process; launches from further ones have no path */
#define STACKS_FRAMES_MOST 65536u /* distinct places: instructions of Python, return addresses */

struct stacks;

/* How paths are announced: as wire_string and wire_emit. */
struct stacks_out {
    uint32_t (*string)(void *user, const char *text);
    bool (*emit)(void *user, const struct event *event);
    void *user;
    bool native;     /* also if the thread runs no Python: costs a hundred times as much */
    bool public_api; /* only Python's: for tests, and for later versions */
};

struct stacks *stacks_create(const struct stacks_out *out); /* NULL: no memory */

/* The id of the calling thread's path; 0: none. */
uint32_t stacks_capture(struct stacks *stacks);

/* The same, kept for the records of this correlation id. */
void stacks_enter(struct stacks *stacks, uint32_t correlation);
uint32_t stacks_find(const struct stacks *stacks, uint32_t correlation); /* 0: none */

/* Paths were left out: there are more than STACKS_PATHS_MOST, or STACKS_FRAMES_MOST. */
bool stacks_full(const struct stacks *stacks);

#endif
