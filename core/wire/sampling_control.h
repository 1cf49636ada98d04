/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control page shared by lanescope, the samplers (one process per GPU) and the agents during a session: a
 * page of words in a sealed memfd, named by a symbolic link beside the session's socket, so that everyone who
 * knows LANESCOPE_SOCKET can map it and nobody can shrink it. Samples themselves go over the wire.
 *
 * Every process of this user can write to the page, so it is trusted only to start or stop sampling, and
 * every wait has a time limit. Each word has one writer at a time, named beside it; the writer calls
 * sampling_control_tell after a change. Any thread, any process. Links libc only: the agent contains it.
 *
 * A burst: the requester sets `asked` to `ended` + 1 (one burst at a time). The sampler starts the hardware,
 * sets `begun` to that number, samples until `enough` is that number too or its buffer is full, sends what it
 * has, and sets `ended`.
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
    SAMPLING_CLOSING,  /* all samples were sent; it gives the counters back */
    SAMPLING_BUSY,     /* another profiler has the counters: the sampler tries again */
    SAMPLING_ENDED     /* it cannot, or has gone */
};

struct sampling_slot {        /* one GPU's */
    _Atomic uint32_t changes; /* futex: incremented after every change, by anybody */
    _Atomic uint32_t state;   /* set by the sampler; by lanescope before it begins and after it ended */
    _Atomic uint32_t wanted;  /* set by lanescope: 1: samples are wanted now */
    _Atomic uint32_t asked;   /* set by the requester; bursts are numbered from 1 */
    _Atomic uint32_t begun;   /* the sampler's */
    _Atomic uint32_t enough;  /* the asker's */
    _Atomic uint32_t ended;   /* the sampler's */
    _Atomic uint32_t gpus;    /* set by the sampler: how many GPUs CUDA shows it */
};

struct sampling_control {
    _Atomic uint32_t run; /* set by a workload's process: one more per case, which gets its own bursts */
    uint32_t unused[15];
    struct sampling_slot gpu[SAMPLING_GPUS_MAX];
};

/* The path of the link for the session with this socket. False: the path is too long. */
bool sampling_control_path(const char *socket_path, char *path, size_t size_bytes);

/* Creates the page (lanescope) or maps an existing one (all others). NULL if that fails. Others can map it
 * while *fd is open; the caller closes *fd. */
struct sampling_control *sampling_control_create(const char *socket_path, int *fd, struct error *error);
struct sampling_control *sampling_control_open(const char *socket_path);
void sampling_control_close(struct sampling_control *control); /* the link stays until its folder goes */

/* Wake all who wait on the slot. */
void sampling_control_tell(struct sampling_slot *slot);

/* Waits until something has changed since `changes` was read, a signal arrives or the time is over. */
void sampling_control_wait(struct sampling_slot *slot, uint32_t changes, int64_t most_ns);

/* Requests a burst and waits until it begins, at most most_ns. Returns its number; 0: it did not begin in
 * time (if it begins later, it ends at once). */
uint32_t sampling_burst_ask(struct sampling_slot *slot, int64_t most_ns);

/* Allows the burst with this number to end; does not wait for the sampler. */
void sampling_burst_enough(struct sampling_slot *slot, uint32_t number);

#endif
