/*
 * One limit of memory for all processes of a program, however many there are: a cgroup (version 2), where
 * this user may make one, else their memory is counted from time to time by whoever waits for the program.
 * One thread.
 */
#ifndef CLI_PROCESS_MEMORY_LIMIT_H
#define CLI_PROCESS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct memory_limit {
    uint64_t bytes;
    char cgroup[512]; /* its folder; "": there is none, and processes are counted */
};

/* root: where cgroups are, "/sys/fs/cgroup". */
void memory_limit_begin(struct memory_limit *limit, const char *root, uint64_t bytes);
/* The calling process, and those that it will start, are of the program. Before it is executed. */
void memory_limit_enter(const struct memory_limit *limit);
/* Do the processes below `ancestor` have more? Then they are to be killed. In a cgroup: one was killed for
 * it. */
bool memory_limit_exceeded(const struct memory_limit *limit, pid_t ancestor);
/* None of them is left. */
void memory_limit_end(struct memory_limit *limit);

/* The memory of the processes below one, in bytes. exact: what several share is counted once. */
uint64_t memory_of_descendants(pid_t ancestor, bool exact);

#endif
