/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program under the agent where there is no GPU: a child process that plays contexts, modules and launches
 * through the double of CUPTI (tests/doubles/cupti_double.h), and what the agent told of it. One program at a
 * time.
 */
#ifndef TESTS_SHARED_MADE_WATCHED_PROGRAM_H
#define TESTS_SHARED_MADE_WATCHED_PROGRAM_H

#include "core/base/event.h"
#include "tests/doubles/cupti_double.h"

#include <stddef.h>
#include <sys/types.h>

#define WATCHED_EVENTS 65536
#define WATCHED_STRINGS 1024

/* The double's functions, in the child. */
extern struct play {
    cupti_double_context *context;
    cupti_double_module *module;
    cupti_double_launch *launch;
    cupti_double_call *call;
    cupti_double_edge *edge;
    cupti_double_sampled *sampled;
} play;

typedef void watched_program(void);

/* The child, with the socket to tell (NULL: none). config: the agent's; environment: "NAME=value;NAME=value" of the
 * doubles. */
pid_t watched_start(const char *socket, const char *config, const char *environment, watched_program *run);

extern struct seen {
    struct event events[WATCHED_EVENTS];
    size_t count;
    char strings[WATCHED_STRINGS][256], notices[4096]; /* notices: a line each */
} seen;

/* What a program has told, added to seen. */
struct wire_consumer;
void watched_read(struct wire_consumer *consumer);

/* Runs a program to its end, which must be a good one. after: before the session's folder goes; may be NULL.
 */
void watch(const char *config, const char *environment, watched_program *run,
           void (*after)(const char *socket));

const struct event *nth(enum event_kind kind, size_t n); /* NULL: there are not so many */
size_t count(enum event_kind kind);

#endif
