/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent as NCCL's profiler plug-in: NCCL_PROFILER_PLUGIN names it, and NCCL takes the newest of these structures that
 * it knows: ncclProfiler_v5 (NCCL 2.28), _v4 (2.27), _v2 (2.24 to 2.26). NCCL says communicator, rank, number and bytes
 * of each collective on the thread that has just launched its kernel, so that launch is the one that this thread made
 * last; collectives that NCCL fuses have one launch. Where a graph is captured nothing is launched, and nothing is said.
 *
 * The declarations are written after the documentation of the interface (NCCL, plugins/profiler, Apache-2.0), as far as
 * they are used. Numbers count the collectives of one function of a communicator, since NCCL's start.
 */
#include "cupti/agent/agent.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { NCCL_SUCCESS = 0, NCCL_COLLECTIVE = 2, NCCL_POINT_TO_POINT = 4 };

/* Of both kinds of events, from v4 on. */
struct nccl_collective {
    uint64_t sequence;
    const char *function;
    const void *send;
    void *receive;
    size_t count;
    int root;
    const char *datatype;
};
struct nccl_point_to_point {
    const char *function;
    void *buffer;
    const char *datatype;
    size_t count;
    int peer;
};

struct nccl_event_v2 {
    uint8_t type;
    void *parent;
    int rank;
    union {
        struct {
            const char *communicator_name;
            uint64_t communicator;
            struct nccl_collective rest;
        } collective;
        struct {
            const char *communicator_name;
            uint64_t communicator;
            struct nccl_point_to_point rest;
        } point_to_point;
    };
};

struct nccl_event_v5 { /* v4 too, where the type is one byte */
    uint64_t type;
    void *parent;
    int rank;
    union {
        struct nccl_collective collective;
        struct nccl_point_to_point point_to_point;
    };
};

typedef void nccl_logger(int level, unsigned long flags, const char *file, int line, const char *format, ...);

struct nccl_profiler_v2 {
    const char *name;
    int (*begin)(void **context, int *wanted);
    int (*start)(void *context, void **handle, const struct nccl_event_v2 *event);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*end)(void *context);
};
struct nccl_profiler_v4 {
    const char *name;
    int (*begin)(void **context, int *wanted, const char *communicator_name, uint64_t communicator, int nodes,
                 int ranks, int rank, nccl_logger *log);
    int (*start)(void *context, void **handle, const struct nccl_event_v5 *event);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*end)(void *context);
};
struct nccl_profiler_v5 {
    const char *name;
    int (*begin)(void **context, uint64_t communicator, int *wanted, const char *communicator_name, int nodes,
                 int ranks, int rank, nccl_logger *log);
    int (*start)(void *context, void **handle, const struct nccl_event_v5 *event);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*end)(void *context);
};

struct communicator {
    uint64_t id;
    int rank, ranks; /* ranks 0: not known */
    char name[64];
};

/* "ncclFloat32", "ncclFloat8e4m3", "ncclBfloat16": the first number is that of bits. */
static uint64_t bytes_of(size_t count, const char *datatype)
{
    const char *digits = datatype ? strpbrk(datatype, "0123456789") : NULL;
    const long bits = digits ? strtol(digits, NULL, 10) : 0;
    return bits >= 8 && bits <= 128 ? (uint64_t)count * (uint64_t)bits / 8 : COLLECTIVE_UNKNOWN;
}

static void send_event(const struct communicator *of, const char *function, uint64_t sequence, uint64_t bytes)
{
    char name[120];
    const uint32_t launch = agent_nccl_launch();
    if (!agent.wire || !function || !atomic_load(&agent.running) || !atomic_load(&agent.capturing) ||
        launch == 0)
        return;
    snprintf(name, sizeof name, "%s%s0x%016llx", of->name, of->name[0] ? " " : "",
             (unsigned long long)of->id);
    const struct event event = {.kind = EVENT_COLLECTIVE,
                                .collective = {.correlation = launch,
                                               .communicator = wire_string(agent.wire, name),
                                               .function = wire_string(agent.wire, function),
                                               .ranks = (uint32_t)of->ranks,
                                               .rank = of->rank,
                                               .sequence = sequence,
                                               .bytes = bytes}};
    wire_emit(agent.wire, &event);
}

static void send_collective(const struct communicator *of, const struct nccl_collective *collective)
{
    send_event(of, collective->function, collective->sequence,
               bytes_of(collective->count, collective->datatype));
}

static void send_point_to_point(const struct communicator *of, const struct nccl_point_to_point *message)
{
    send_event(of, message->function, COLLECTIVE_UNKNOWN, bytes_of(message->count, message->datatype));
}

static void copy_name(char name[64], const char *given)
{
    snprintf(name, 64, "%s", given ? given : "");
}

/* ---- v2 ---- */

static int begin_v2(void **context, int *wanted)
{
    *context = NULL;
    *wanted = agent.wire ? NCCL_COLLECTIVE | NCCL_POINT_TO_POINT : 0;
    return NCCL_SUCCESS;
}

static int start_v2(void *context, void **handle, const struct nccl_event_v2 *event)
{
    struct communicator of = {.rank = event->rank};
    (void)context;
    *handle = NULL;
    if (event->type == NCCL_COLLECTIVE) {
        of.id = event->collective.communicator;
        copy_name(of.name, event->collective.communicator_name);
        send_collective(&of, &event->collective.rest);
    } else if (event->type == NCCL_POINT_TO_POINT) {
        of.id = event->point_to_point.communicator;
        copy_name(of.name, event->point_to_point.communicator_name);
        send_point_to_point(&of, &event->point_to_point.rest);
    }
    return NCCL_SUCCESS;
}

/* ---- v4 and v5 ---- */

static int begin_v5(void **context, uint64_t communicator, int *wanted, const char *communicator_name,
                    int nodes, int ranks, int rank, nccl_logger *log)
{
    struct communicator *made = agent.wire ? calloc(1, sizeof *made) : NULL;
    (void)nodes, (void)log;
    *context = made;
    *wanted = made ? NCCL_COLLECTIVE | NCCL_POINT_TO_POINT : 0;
    if (!made)
        return NCCL_SUCCESS;
    *made = (struct communicator){.id = communicator, .rank = rank, .ranks = ranks > 0 ? ranks : 0};
    copy_name(made->name, communicator_name);
    return NCCL_SUCCESS;
}

static int begin_v4(void **context, int *wanted, const char *communicator_name, uint64_t communicator,
                    int nodes, int ranks, int rank, nccl_logger *log)
{
    return begin_v5(context, communicator, wanted, communicator_name, nodes, ranks, rank, log);
}

static int event_start(void *context, void **handle, const struct nccl_event_v5 *event, uint64_t type)
{
    *handle = NULL;
    if (context && type == NCCL_COLLECTIVE)
        send_collective(context, &event->collective);
    else if (context && type == NCCL_POINT_TO_POINT)
        send_point_to_point(context, &event->point_to_point);
    return NCCL_SUCCESS;
}

static int start_v4(void *context, void **handle, const struct nccl_event_v5 *event)
{
    return event_start(context, handle, event, event->type & 0xff);
}

static int start_v5(void *context, void **handle, const struct nccl_event_v5 *event)
{
    return event_start(context, handle, event, event->type);
}

static int event_stop(void *handle)
{
    (void)handle;
    return NCCL_SUCCESS;
}

static int state_record(void *handle, int state, void *arguments)
{
    (void)handle, (void)state, (void)arguments;
    return NCCL_SUCCESS;
}

static int context_end(void *context)
{
    free(context);
    return NCCL_SUCCESS;
}

extern EXPORTED const struct nccl_profiler_v2 ncclProfiler_v2;
extern EXPORTED const struct nccl_profiler_v4 ncclProfiler_v4;
extern EXPORTED const struct nccl_profiler_v5 ncclProfiler_v5;

const struct nccl_profiler_v2 ncclProfiler_v2 = {"lanescope", begin_v2,     start_v2,
                                                 event_stop,  state_record, context_end};
const struct nccl_profiler_v4 ncclProfiler_v4 = {"lanescope", begin_v4,     start_v4,
                                                 event_stop,  state_record, context_end};
const struct nccl_profiler_v5 ncclProfiler_v5 = {"lanescope", begin_v5,     start_v5,
                                                 event_stop,  state_record, context_end};
