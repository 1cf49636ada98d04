/*
 * What lanescope, the samplers (one process per GPU) and the agents say to each other while a session lasts:
 * a page of words in a sealed memfd, named by a symbolic link beside the session's socket, so that everyone
 * who knows LANESCOPE_SOCKET can map it and nobody can shrink it. Samples themselves go over the wire.
 *
 * Everyone of this user may write here, so nobody trusts it further than to start or stop sampling, and every
 * wait has an end. Each word has one writer at a time, named beside it; who changes one calls
 * sampling_control_tell. Any thread, any process. Links libc only: the agent contains it.
 *
 * A burst: who wants one makes `asked` one more than `ended` (one at a time). The sampler starts the
 * hardware, sets `begun` to that number, samples until `enough` is that number too or its buffer is full,
 * sends what it has, and sets `ended`.
 */
#ifndef CORE_WIRE_SAMPLING_CONTROL_H
#define CORE_WIRE_SAMPLING_CONTROL_H

#include "core/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SAMPLING_GPUS_MAX 16u

enum sampling_state {
    SAMPLING_NONE,     /* there is no sampler */
    SAMPLING_STARTING, /* it sets up its GPU */
    SAMPLING_READY,    /* it waits until samples are wanted */
    SAMPLING_RUNNING,  /* it samples; between bursts too */
    SAMPLING_BUSY,     /* another profiler has the counters: it tries again */
    SAMPLING_ENDED     /* it cannot, or has gone */
};

struct sampling_slot {        /* one GPU's */
    _Atomic uint32_t changes; /* futex: one more after every change; everybody's */
    _Atomic uint32_t state;   /* the sampler's; lanescope's before it begins and when it has ended */
    _Atomic uint32_t wanted;  /* lanescope's: 1, samples are wanted now */
    _Atomic uint32_t asked;   /* the asker's; numbers of bursts are from 1 */
    _Atomic uint32_t begun;   /* the sampler's */
    _Atomic uint32_t enough;  /* the asker's */
    _Atomic uint32_t ended;   /* the sampler's */
    _Atomic uint32_t gpus;    /* the sampler's: how many GPUs CUDA shows it */
};

struct sampling_control {
    _Atomic uint32_t run; /* a workload child's: one more with each case, so that each gets its bursts */
    uint32_t unused[15];
    struct sampling_slot gpu[SAMPLING_GPUS_MAX];
};

/* The link of the session whose socket this is. False: the path is too long. */
bool sampling_control_path(const char *socket_path, char *path, size_t size_bytes);

/* Make it (for lanescope), or map the one there is (for the others). NULL when there is none. Others find it
 * as long as *fd is open, which is the caller's to close. */
struct sampling_control *sampling_control_create(const char *socket_path, int *fd, struct error *error);
struct sampling_control *sampling_control_open(const char *socket_path);
void sampling_control_close(struct sampling_control *control); /* the link stays, for its folder to remove */

/* Wake all who wait on the slot. */
void sampling_control_tell(struct sampling_slot *slot);

/* Wait until something changes after `changes` was read, a signal comes or the time is over. */
void sampling_control_wait(struct sampling_slot *slot, uint32_t changes, int64_t most_ns);

/* Ask for a burst and wait for its beginning, at most most_ns in all. Its number; 0: none has begun (then
 * none will for this asking, or one that ends at once). */
uint32_t sampling_burst_ask(struct sampling_slot *slot, int64_t most_ns);

/* The burst of that number may end; the sampler is not waited for. */
void sampling_burst_enough(struct sampling_slot *slot, uint32_t number);

#endif
