/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the system's clocks, in ns. Any thread; async-signal-safe. */
#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000
#define NS_PER_MS 1000000

static inline int64_t timespec_ns(struct timespec time)
{
    return (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* ns: 0 or more. */
static inline struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

/* Since 1970, by the wall clock, which CUPTI's records use too. The clock can be changed at any time. */
static inline int64_t clock_real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return timespec_ns(now);
}

/* Since an unspecified moment; never goes back. */
static inline int64_t clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return timespec_ns(now);
}

/* Sleeps for at least ns, or until a signal arrives. */
static inline void clock_pause(int64_t ns)
{
    const struct timespec pause = timespec_of(ns);
    nanosleep(&pause, NULL);
}

#endif
