/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the machine, not the program that is tested, stood still: a thread on every CPU that wants to wake
 * every 2 ms, and one that writes to the disk every 10 ms, note when they came late. A virtual machine that
 * is not run, CPUs that others hold and a disk that blocks look like that.
 *
 * The threads allocate nothing, so that the process may fork.
 */
#ifndef TESTS_FAULTS_STALLS_H
#define TESTS_FAULTS_STALLS_H

#include <stdint.h>

struct stalls;

/* Writes to a file without a name in `folder`. NULL when the threads cannot be had. */
struct stalls *stalls_start(const char *folder);
void stalls_stop(struct stalls *stalls);

/* Of [from_ns, until_ns) of CLOCK_REALTIME, which is over: what the thread that was hindered most could not
 * use, in gaps of 20 ms and more. */
int64_t stalls_between_ns(const struct stalls *stalls, int64_t from_ns, int64_t until_ns);

#endif
