/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent as NCCL's profiler plug-in: a program plays NCCL's calls, in the order in which NCCL makes them, with
 * declarations of its own after NCCL's headers (profiler_v2.h, _v4.h, _v5.h).
 */
#include "core/wire/wire.h"
#include "tests/shared/made/watched_program.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

struct description_v2 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            const char *name;
            uint64_t commHash, seqNumber;
            const char *func;
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            size_t trafficBytes;
            uint8_t nMaxChannels, nWarps;
            const char *algo, *proto;
        } coll;
        struct {
            const char *name;
            uint64_t commHash;
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
        } p2p;
        struct {
            pid_t pid;
            uint8_t channelId;
            int peer, nSteps, chunkSize, isSend;
        } proxyOp;
    };
};
#define COLL_AND_P2P               \
    struct {                       \
        uint64_t seqNumber;        \
        const char *func;          \
        void const *sendBuff;      \
        void *recvBuff;            \
        size_t count;              \
        int root;                  \
        const char *datatype;      \
        uint8_t nChannels, nWarps; \
        const char *algo, *proto;  \
    } coll;                        \
    struct {                       \
        const char *func;          \
        void *buff;                \
        const char *datatype;      \
        size_t count;              \
        int peer;                  \
        uint8_t nChannels;         \
    } p2p;
struct description_v4 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        COLL_AND_P2P
    };
};
struct description_v5 {
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            bool graphCaptured;
            int groupDepth;
        } groupApi;
        COLL_AND_P2P
    };
};

struct plugin { /* of every version: their functions differ in what they take */
    const char *name;
    void *init, *startEvent, *stopEvent, *recordEventState, *finalize;
};
typedef int start_event(void *context, void **handle, void *description);
typedef int init_v2(void **context, int *mask);
typedef int init_v4(void **context, int *mask, const char *name, uint64_t hash, int nodes, int ranks,
                    int rank, void *log);
typedef int init_v5(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks, int rank,
                    void *log);
typedef int finalize(void *context);

static const char *symbol;

static void settle(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
}

/* NCCL launches the kernel of a plan, then says which collectives are in it. */
static void nccl_calls(void)
{
    void *library = dlopen(TEST_AGENT, RTLD_NOW | RTLD_LOCAL), *context = (void *)1, *handle = (void *)1;
    const struct plugin *plugin = library ? dlsym(library, symbol) : NULL;
    const int version = symbol[strlen(symbol) - 1] - '0';
    int mask = 0;
    start_event *start;
    if (!plugin || strcmp(plugin->name, "lanescope") != 0)
        _exit(20);
    play.context(1, 1);
    memcpy(&start, &plugin->startEvent, sizeof start);
    init_v2 *begin_2;
    init_v4 *begin_4;
    init_v5 *begin_5;
    memcpy(&begin_2, &plugin->init, sizeof begin_2);
    memcpy(&begin_4, &plugin->init, sizeof begin_4);
    memcpy(&begin_5, &plugin->init, sizeof begin_5);
    int failed = version == 2   ? begin_2(&context, &mask)
                 : version == 4 ? begin_4(&context, &mask, "tensor parallel", 0xabc, 2, 16, 5, NULL)
                                : begin_5(&context, 0xabc, &mask, "tensor parallel", 2, 16, 5, NULL);
    if (failed || mask != (2 | 4))
        _exit(21);
    struct description_v2 two = {.type = 2, .rank = 5};
    two.coll.name = "tensor parallel";
    two.coll.commHash = 0xabc;
    two.coll.seqNumber = 41;
    two.coll.func = "AllReduce";
    two.coll.count = 1000;
    two.coll.datatype = "ncclBfloat16";
    struct description_v4 four = {.type = 2, .rank = 5};
    memset((char *)&four + 1, 0xff, 7); /* what the compiler leaves there */
    four.coll.seqNumber = 41;
    four.coll.func = "AllReduce";
    four.coll.count = 1000;
    four.coll.datatype = "ncclBfloat16";
    struct description_v5 five = {.type = 2, .rank = 5};
    five.coll.seqNumber = 41;
    five.coll.func = "AllReduce";
    five.coll.count = 1000;
    five.coll.datatype = "ncclBfloat16";
    void *description = version == 2 ? (void *)&two : version == 4 ? (void *)&four : (void *)&five;

    if (start(context, &handle, description) || handle) /* before anything was launched: of no launch */
        _exit(22);
    play.launch("_Z6kernelPf", 4, 7);
    play.launch("_Z32ncclDevKernel_AllReduce_Sum_bf16", 8,
                8); /* a kernel of somebody else's, by its mangled name */
    start(context, &handle, description);
    play.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 8, 9);
    start(context, &handle, description);
    two.coll.seqNumber = four.coll.seqNumber = five.coll.seqNumber = 42; /* fused into the same launch */
    start(context, &handle, description);
    play.launch("ncclDevKernel_SendRecv", 8, 10);
    two = (struct description_v2){.type = 4, .rank = 5};
    two.p2p.name = "tensor parallel";
    two.p2p.commHash = 0xabc;
    four.type = 4;
    five.type = 4;
    two.p2p.func = four.p2p.func = five.p2p.func = "Send";
    two.p2p.datatype = four.p2p.datatype = five.p2p.datatype = "ncclFloat8e4m3";
    two.p2p.count = four.p2p.count = five.p2p.count = 64;
    start(context, &handle, description);
    two.type = four.type = 1;
    five.type = 256; /* not asked for: left alone */
    start(context, &handle, description);
    finalize *end;
    memcpy(&end, &plugin->finalize, sizeof end);
    end(context);
    settle();
}

static void check_collective(size_t n, uint32_t correlation, const char *function, uint64_t sequence,
                             uint64_t bytes, bool ranks_known)
{
    const struct event *event = nth(EVENT_COLLECTIVE, n);
    cr_assert(event, "%zu of %zu", n, count(EVENT_COLLECTIVE));
    cr_expect_eq(event->collective.correlation, correlation);
    cr_expect_str_eq(seen.strings[event->collective.communicator], "tensor parallel 0x0000000000000abc");
    cr_expect_str_eq(seen.strings[event->collective.function], function);
    cr_expect_eq(event->collective.sequence, sequence);
    cr_expect_eq(event->collective.bytes, bytes);
    cr_expect_eq(event->collective.rank, 5);
    cr_expect_eq(event->collective.ranks, ranks_known ? 16 : 0);
}

static void check_version(const char *name)
{
    symbol = name;
    watch("", "", nccl_calls, NULL);
    const bool ranks = strcmp(name, "ncclProfiler_v2") != 0;
    cr_assert_eq(count(EVENT_COLLECTIVE), 3, "%s: %zu", name, count(EVENT_COLLECTIVE));
    check_collective(0, 9, "AllReduce", 41, 2000, ranks);
    check_collective(1, 9, "AllReduce", 42, 2000, ranks);
    check_collective(2, 10, "Send", COLLECTIVE_UNKNOWN, 64, ranks);
    cr_assert_eq(count(EVENT_KERNEL), 4);
}

Test(nccl, each_version_of_the_interface_names_the_launch)
{
    check_version("ncclProfiler_v2");
    check_version("ncclProfiler_v4");
    check_version("ncclProfiler_v5");
}

#endif
