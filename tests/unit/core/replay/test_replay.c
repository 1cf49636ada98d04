/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of made sessions: a round of calls and operations, repeated, so that every delay is the same and the
 * time of each edit can be worked out by hand, as it is beside each row. Times in us.
 */
#include "core/replay/replay_internal.h"
#include "core/replay/what_if.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 24
#define BYTES 1000000u /* of a copy: 20 us at the 50 bytes/ns that PCIe 5 reaches */

enum work { NOTHING, KERNEL, SET, IN, OUT, PAGEABLE_IN, SMALL_OUT, INSIDE };
enum sync { NO_SYNC, ALL, STREAM_1, STREAM_2, TOLD_2 }; /* TOLD_2: stream 2 is told to wait for an event */

struct row { /* a call, and the operation that it issues */
    double start, end;
    enum call_category category;
    enum sync sync;
    enum work work;
    uint32_t stream; /* 0: the legacy default stream */
    double work_start, work_end;
    uint32_t thread, graph;
    uint32_t bytes;     /* of a copy; 0: BYTES */
    const char *kernel; /* its name; NULL: as made.kernel */
    const char *call;   /* its name; NULL: another */
    uint16_t result;    /* what the call returned */
};

struct made {
    const char *name;
    struct row rows[6];
    double round;       /* its length */
    uint32_t grid;      /* blocks of a kernel; 0: one */
    const char *kernel; /* its name; NULL: another */
    const char *edit;
    double edited, last; /* by hand: a round with the change, and the last end after the last round's start */
    double queued;       /* of work that is issued ahead: a round's part of the device's time; else 0 */
};

#define CALLED(from, to, what, waits) .start = from, .end = to, .category = what, .sync = waits
#define LAUNCH(from, to) CALLED(from, to, CALL_LAUNCH, NO_SYNC), KERNEL

static const struct made cases[] = {
    /* Kernels of two streams run side by side. Without waiting, a round is issued in 5 + 1 + 5 + 1 + 1 + 2 us, and
     * each stream has a kernel of 100 us every 101 us. */
    {.name = "two streams, no waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {LAUNCH(6, 11), 2, 13, 113}, {CALLED(12, 118, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "waits",
     .edited = 101,
     .last = 118},
    /* Kernels of two streams, each waited for. Each has more blocks than the device holds, so that without the waits they
     * still run one after the other: the second begins at 107 in place of 120. */
    {.name = "two streams with full kernels, no waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 112, CALL_SYNC, STREAM_1)},
              {LAUNCH(113, 118), 2, 120, 220},
              {CALLED(119, 225, CALL_SYNC, STREAM_2)}},
     .round = 230,
     .grid = 4096,
     .edit = "waits",
     .edited = 200,
     .last = 212},
    /* A kernel on the legacy stream waits for stream 1, and stream 2 for it. Without it they start at 7, 13, 19; the
     * synchronisation returns 5 us after 119, and the next round begins 5 us later. */
    {.name = "legacy stream",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {LAUNCH(6, 11), 0, 108.5, 208.5},
              {LAUNCH(12, 17), 2, 210, 310},
              {CALLED(18, 315, CALL_SYNC, ALL)}},
     .round = 320,
     .edit = "legacy",
     .edited = 129,
     .last = 124},
    /* Stream 2 waits for the kernel of stream 1. Without the wait its own starts 2 us after its launch, at 15; the
     * synchronisation returns at 115 + 5, the next round begins 6.5 us later. */
    {.name = "event",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 7, CALL_STREAM, TOLD_2)},
              {LAUNCH(8, 13), 2, 108.5, 208.5},
              {CALLED(14, 213.5, CALL_SYNC, ALL)}},
     .round = 220,
     .edit = "events",
     .edited = 126.5,
     .last = 120},
    /* A result of 4 bytes that the host reads after each kernel. If it reads none, neither the call nor its copy is
     * there, and the stream has a kernel of 100 us and a delay of 1 us in each round. */
    {.name = "small read",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 115, CALL_COPY, NO_SYNC), SMALL_OUT, 1, 108, 110}},
     .round = 120,
     .edit = "waits",
     .edited = 101,
     .last = 107},
    /* The same by an asynchronous copy and a wait, as PyTorch's .item(). The last wait and its copy stay. */
    {.name = "small read and wait",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), SMALL_OUT, 1, 108, 110},
              {CALLED(12, 115, CALL_SYNC, STREAM_1)}},
     .round = 120,
     .edit = "waits",
     .edited = 101,
     .last = 115},
    /* A host function of 199 us holds the second kernel. Beside the stream that starts 1 us after the first; the
     * synchronisation returns at 208 + 5, and the next round begins 8 us later. The last host function ends at 306. */
    {.name = "host function",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_OTHER, NO_SYNC), .call = "cudaLaunchHostFunc"},
              {LAUNCH(12, 17), 1, 307, 407},
              {CALLED(18, 412, CALL_SYNC, ALL)}},
     .round = 420,
     .edit = "hosts",
     .edited = 221,
     .last = 306},
    /* A constant: without the call and its copy the launch begins 20 us earlier. */
    {.name = "constant",
     .rows = {{CALLED(0, 20, CALL_COPY, NO_SYNC), IN, 1, 10, 12, .bytes = 1000, .call = "cudaMemcpyToSymbol"},
              {LAUNCH(21, 26), 1, 28, 128},
              {CALLED(27, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "constants",
     .edited = 120,
     .last = 113},
    /* A megabyte goes to the device in each round, and the host has 9 us between its calls, too few to write it anew. All but
     * the first are left out, with their calls of 5 us. */
    {.name = "upload of the same",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 27},
              {LAUNCH(6, 11), 1, 28, 128},
              {CALLED(12, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "uploads",
     .edited = 120,
     .last = 133},
    /* Two small copies, each waited for, as PyTorch's .to() does. The second, its call, its wait and the gaps before them
     * go: the launch begins 1 us after the first wait, at 33. */
    {.name = "merged copies with waits",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 27, .bytes = 50000},
              {CALLED(6, 32, CALL_SYNC, STREAM_1)},
              {CALLED(33, 38, CALL_COPY, NO_SYNC), IN, 1, 40, 60, .bytes = 50000},
              {CALLED(39, 65, CALL_SYNC, STREAM_1)},
              {LAUNCH(66, 71), 1, 73, 173},
              {CALLED(72, 178, CALL_SYNC, ALL)}},
     .round = 185,
     .edit = "merged",
     .edited = 152,
     .last = 145},
    /* A copy of pageable memory, which its call waits for. Pinned it starts 6 us after its call, takes 20 us and its
     * call returns 4 us later, at 30 in place of 120. */
    {.name = "blocking copy, pinned",
     .rows = {{CALLED(0, 120, CALL_COPY, NO_SYNC), PAGEABLE_IN, 1, 10, 110},
              {LAUNCH(121, 126), 1, 128, 228},
              {CALLED(127, 233, CALL_SYNC, ALL)}},
     .round = 240,
     .edit = "pinned",
     .edited = 150,
     .last = 143},
    /* The last piece of a staged copy ends 12 us after its call. A fiftieth of the gaps is left: the kernel begins 1 us after
     * the copy's end at 202, the synchronisation returns at 303 + 5, and the next round begins 1.6 us later. */
    {.name = "staged copy that ends after its call",
     .rows = {{CALLED(0, 190, CALL_COPY, NO_SYNC), PAGEABLE_IN, 1, 10, 202},
              {LAUNCH(204, 209), 1, 211, 311},
              {CALLED(210, 316, CALL_SYNC, ALL)}},
     .round = 396,
     .edit = "gaps",
     .edited = 309.6,
     .last = 316},
    /* An allocation waits for the kernel and takes 43 us more. Without it the stream has a kernel every 101 us; the last one
     * is behind the last kernel, outside of the loop as it is. */
    {.name = "allocation that waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 150, CALL_ALLOC, NO_SYNC)}},
     .round = 160,
     .edit = "allocations",
     .edited = 101,
     .last = 150},
    /* The same, kernels of half the time: the allocation waits for the kernel until 57 and returns at 100. */
    {.name = "allocation that waits for a shorter kernel",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 150, CALL_ALLOC, NO_SYNC)}},
     .round = 160,
     .edit = "bounds",
     .edited = 110,
     .last = 100},
    /* Stream 2 had work before it was told to wait: its second kernel alone waits for stream 1. Without the wait it
     * begins 1 us after its first, at 58; the synchronisation returns at 158 + 5, the next round begins 6.5 us later. */
    {.name = "event behind earlier work",
     .rows = {{LAUNCH(0, 5), 2, 7, 57},
              {LAUNCH(6, 11), 1, 13, 113},
              {CALLED(12, 13, CALL_STREAM, TOLD_2)},
              {LAUNCH(14, 19), 2, 114.5, 214.5},
              {CALLED(20, 219.5, CALL_SYNC, ALL)}},
     .round = 226,
     .edit = "events",
     .edited = 169.5,
     .last = 163},
    /* Copies of two streams on one engine. Issued ahead they follow each other every 51 us, two a round. */
    {.name = "one engine, no waits",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 57},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), IN, 2, 58, 108},
              {CALLED(12, 113, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "waits",
     .edited = 102,
     .last = 113},
    /* Two threads in turn: each begins 188 us after the other's synchronisation has returned. If that returns after 1
     * us, at 7, the other begins at 195, and the next round 188 us after its own has returned at 202. */
    {.name = "two threads in turn, no waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 112, CALL_SYNC, STREAM_1)},
              {LAUNCH(300, 305), 2, 307, 407, 1},
              {CALLED(306, 412, CALL_SYNC, STREAM_2), .thread = 1}},
     .round = 600,
     .edit = "waits",
     .edited = 390,
     .last = 307}, /* the last synchronisation waits: 195 + 7 + 100, and 5 */
    /* Launches of 10 us. At a tenth of that a kernel starts 3 us after its call began; the host comes round every 3
     * us, and the stream, 1 us after a kernel of 3 us, every 4. The first call stays, which is 9 us. */
    {.name = "launches",
     .rows = {{LAUNCH(0, 10), 1, 12, 15}},
     .round = 12,
     .edit = "launches",
     .edited = 4,
     .last = 6 + 9},
    /* Between the calls the host works for 80 us; a fiftieth of that is left: 1 + 0.02 us from the first call's return
     * to the second, and 80 from its return at 112. */
    {.name = "gaps",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 192,
     .edit = "gaps",
     .edited = 113.6,
     .last = 112},
    /* The set of 20 us and its call go: the launch begins 1 us after the round, its kernel 7 us later. */
    {.name = "sets",
     .rows = {{CALLED(0, 5, CALL_SET, NO_SYNC), SET, 1, 7, 27},
              {LAUNCH(6, 11), 1, 28, 128},
              {CALLED(12, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "sets",
     .edited = 120,
     .last = 113},
    /* Two small copies of 20 us each. The second is part of the first, 1 us longer at 50 bytes/ns, and has no call: the
     * synchronisation begins at 7 and returns 5 us after 28; the next round begins 37 us later. A copy before a
     * synchronisation is no part of one so long after it. */
    {.name = "merged copies",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 27, .bytes = 50000},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), IN, 1, 28, 48, .bytes = 50000},
              {CALLED(12, 53, CALL_SYNC, ALL)}},
     .round = 90,
     .edit = "merged",
     .edited = 70,
     .last = 33},
    /* 33 blocks on 132 multiprocessors: 25 us in place of 100. */
    {.name = "multiprocessors",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .grid = 33,
     .edit = "multiprocessors",
     .edited = 45,
     .last = 37},
    /* A collective waits for other devices: more blocks would not help it. */
    {.name = "a collective on few multiprocessors",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .grid = 33,
     .kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
     .edit = "multiprocessors",
     .edited = 120,
     .last = 112},
    /* Half of each kernel's time (replay_set_bounds below). */
    {.name = "bounds",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 112, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "bounds",
     .edited = 70,
     .last = 62},
    /* Copy in 50, kernel 100, copy out 50 in one stream, issued ahead: 203 us a round. With two buffers the kernels
     * follow each other every 101 us; before the first there is a copy in, after the last a copy out. */
    {.name = "copies beside kernels",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 0, 50},
              {LAUNCH(6, 11), 1, 51, 151},
              {CALLED(12, 17, CALL_COPY, NO_SYNC), OUT, 1, 152, 202}},
     .round = 18,
     .queued = 203,
     .edit = "beside",
     .edited = 101,
     .last = 202 + 7},
    /* A copy to the host of as many bytes as the next one brings back. Without both, and their calls, the synchronisation
     * returns 5 us after the kernel's end at 107, and the next round begins 6 us later. */
    {.name = "a round trip over the host",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), OUT, 1, 108, 158},
              {CALLED(12, 17, CALL_COPY, NO_SYNC), IN, 1, 159, 209},
              {CALLED(18, 214, CALL_SYNC, ALL)}},
     .round = 220,
     .edit = "kept",
     .edited = 118,
     .last = 112},
    /* Copies of other sizes are no round trip. */
    {.name = "copies out and in of two sizes",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), OUT, 1, 108, 158},
              {CALLED(12, 17, CALL_COPY, NO_SYNC), IN, 1, 159, 209, .bytes = 500000},
              {CALLED(18, 214, CALL_SYNC, ALL)}},
     .round = 220,
     .edit = "kept",
     .edited = 220,
     .last = 214},
    /* Kernel 100, collective 50 in one stream, issued ahead: 152 us a round. Beside the collectives the kernels follow each
     * other every 101 us; the last collective begins 1 us after the last kernel. */
    {.name = "kernels beside collectives",
     .rows = {{LAUNCH(0, 5), 1, 0, 100},
              {LAUNCH(6, 11), 1, 101, 151, .kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"}},
     .round = 12,
     .queued = 152,
     .edit = "collectives",
     .edited = 101,
     .last = 151 + 7},
    /* A graph of two nodes in each round; the second follows the first 1 us later. The launch is the first call after
     * a wait, and a graph already: nothing is gained. */
    {.name = "graph",
     .rows = {{LAUNCH(0, 5), 1, 15, 65, .graph = 7}, {CALLED(6, 121, CALL_SYNC, ALL)}},
     .round = 130,
     .edit = "launches",
     .edited = 130,
     .last = 121},
    /* Three launches and a wait: the first stays, the others return after 0.5 us, at 6.5 and 8. The kernels of 1 us
     * start at 7, 9 and 11, 1 us after each other; the wait returns 5 us after 12, the next round begins 4 us later. */
    {.name = "launches between waits",
     .rows = {{LAUNCH(0, 5), 1, 7, 8},
              {LAUNCH(6, 11), 1, 13, 14},
              {LAUNCH(12, 17), 1, 19, 20},
              {CALLED(18, 25, CALL_SYNC, ALL)}},
     .round = 29,
     .edit = "launches",
     .edited = 21,
     .last = 17},
    /* A stream is made between two launches: no graph makes it. The second launch comes 0.1 us after it and takes 0.5; its
     * kernel starts at 28.6 in place of 34. */
    {.name = "launches with a call aside",
     .rows = {{LAUNCH(0, 5), 1, 7, 17},
              {CALLED(6, 26, CALL_STREAM, NO_SYNC), .call = "cudaStreamCreate"},
              {LAUNCH(27, 32), 1, 34, 44},
              {CALLED(33, 49, CALL_SYNC, ALL)}},
     .round = 53,
     .edit = "launches",
     .edited = 47.6,
     .last = 43.6},
    /* The host asks, sleeps for 300 us and asks again. A synchronisation returns 5 us after 107, and the next round begins
     * 2 us later. */
    {.name = "polling",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 7, CALL_STREAM, NO_SYNC), .call = "cudaStreamQuery", .result = 600},
              {CALLED(307, 308, CALL_STREAM, NO_SYNC), .call = "cudaStreamQuery"}},
     .round = 310,
     .edit = "polls",
     .edited = 114,
     .last = 112},
    /* Behind each kernel its result is copied inside the device. Without that the synchronisation returns at 107 + 5, and
     * the next round begins 7 us later; the last copy stands before no kernel, and stays. */
    {.name = "copy inside the device",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), INSIDE, 1, 108, 158},
              {CALLED(12, 163, CALL_SYNC, ALL)}},
     .round = 170,
     .edit = "swaps",
     .edited = 119,
     .last = 163},
    /* So with the copies of two fields. */
    {.name = "two copies inside the device",
     .rows = {{LAUNCH(0, 5), 1, 7, 107},
              {CALLED(6, 11, CALL_COPY, NO_SYNC), INSIDE, 1, 108, 158},
              {CALLED(12, 17, CALL_COPY, NO_SYNC), INSIDE, 1, 159, 209},
              {CALLED(18, 214, CALL_SYNC, ALL)}},
     .round = 221,
     .edit = "swaps",
     .edited = 119,
     .last = 214},
    /* Each synchronisation takes 300 us more, and each allocation 200, of which 2 are left: the kernel starts at 10, the
     * synchronisation returns at 110 + 5, and the next round begins 7 us later. The loop begins with the first launch, 3 us
     * later in its round. */
    {.name = "pool that is trimmed",
     .rows = {{CALLED(0, 200, CALL_ALLOC, NO_SYNC), .call = "cudaMallocAsync"},
              {LAUNCH(201, 206), 1, 208, 308},
              {CALLED(207, 209, CALL_FREE, NO_SYNC), .call = "cudaFreeAsync"},
              {CALLED(210, 613, CALL_SYNC, ALL)}},
     .round = 620,
     .edit = "pool",
     .edited = 122,
     .last = 112},
    /* Both streams work for 200 us: the second ends at 213, the synchronisation returns 5 us later, and the next round
     * begins 7 us after that. */
    {.name = "uneven streams",
     .rows = {{LAUNCH(0, 5), 1, 7, 107}, {LAUNCH(6, 11), 2, 13, 313}, {CALLED(12, 318, CALL_SYNC, ALL)}},
     .round = 325,
     .edit = "even",
     .edited = 225,
     .last = 218},
    /* The call that makes an event goes: the launch begins 2 us after the round. */
    {.name = "calls aside",
     .rows = {{CALLED(0, 20, CALL_OTHER, NO_SYNC)},
              {LAUNCH(21, 26), 1, 28, 128},
              {CALLED(27, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "calls",
     .edited = 120,
     .last = 113},
    /* 65,536 bytes in rows at 0.66 GB/s: by PCIe 5 they take 1.3 us. */
    {.name = "short rows",
     .rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 107, .call = "cudaMemcpy2DAsync", .bytes = 65536},
              {CALLED(6, 113, CALL_SYNC, ALL)}},
     .round = 120,
     .edit = "rows",
     .edited = 21.31,
     .last = 14.31},
    {.name = "asking for properties",
     .rows = {{CALLED(0, 20, CALL_STREAM, NO_SYNC), .call = "cudaGetDeviceProperties"},
              {LAUNCH(21, 26), 1, 28, 128},
              {CALLED(27, 133, CALL_SYNC, ALL)}},
     .round = 140,
     .edit = "calls",
     .edited = 120,
     .last = 113},
};

static uint32_t string(struct session *session, const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static int64_t ns(double us)
{
    return (int64_t)(us * 1000);
}

static void add_work(struct session *session, const struct made *made, const struct row *row, double at,
                     double work_at, double late)
{
    struct track_row stream = {.kind = TRACK_STREAM,
                               .context = 1,
                               .stream = 10 + row->stream,
                               .thread = NONE,
                               .flags = row->stream == 0 ? STREAM_DEFAULT : 0};
    struct item item = {.kind = row->work == KERNEL ? ITEM_LAUNCH : row->work == SET ? ITEM_SET : ITEM_COPY};
    /* All three have the call at the same place. */
    item.launch.call_start_ns = ns(at + row->start);
    item.launch.call_duration_ns = (uint32_t)ns(row->end - row->start);
    item.launch.call_thread = 100 + row->thread;
    if (row->work == KERNEL) {
        const char *name = row->kernel ? row->kernel : made->kernel ? made->kernel : "kernel";
        struct shape_row shape = {
            .name = string(session, name), .grid = {made->grid ? made->grid : 1, 1, 1}, .block = {256, 1, 1}};
        item.launch.kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
        item.launch.graph = row->graph;
    } else if (row->work == SET) {
        item.set.size_bytes = BYTES;
    } else {
        uint8_t host = row->work == PAGEABLE_IN ? MEMORY_PAGEABLE : MEMORY_PINNED;
        bool inside = row->work == INSIDE, out = row->work == OUT || row->work == SMALL_OUT;
        item.a = inside ? COPY_DTOD : out ? COPY_DTOH : COPY_HTOD;
        item.b = inside ? (uint8_t)(MEMORY_DEVICE | MEMORY_DEVICE << 4)
                 : out  ? (uint8_t)(MEMORY_DEVICE | host << 4)
                        : (uint8_t)(host | MEMORY_DEVICE << 4);
        item.flags = row->work == PAGEABLE_IN || row->work == SMALL_OUT ? 0 : ITEM_ASYNC;
        item.copy.size_bytes = row->work == SMALL_OUT ? 4 : row->bytes ? row->bytes : BYTES;
    }
    uint32_t track = session_add_track(session, &stream);
    cr_assert(session_add_event(session, track, ns(work_at + row->work_start + late),
                                ns(work_at + row->work_end + late), &item));
    if (row->graph)
        cr_assert(session_add_event(session, track, ns(work_at + row->work_end + late + 1),
                                    ns(work_at + 2 * row->work_end - row->work_start + late + 1), &item));
}

static void add_row(struct session *session, const struct made *made, const struct row *row, int round,
                    double late)
{
    double at = round * made->round, work_at = at;
    if (made->queued > 0) /* the first starts when it is issued, the others 1 us after the one before */
        work_at = 7 + round * made->queued;
    struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100 + row->thread};
    struct item item = {.kind = ITEM_CALL, .b = (uint8_t)row->category};
    item.call.name = string(session, row->call                     ? row->call
                                     : row->category == CALL_SYNC  ? "cuSomeSync"
                                     : row->category == CALL_OTHER ? "cuEventCreate"
                                                                   : "cuSomeCall");
    item.call.result = row->result;
    cr_assert(session_add_event(session, session_add_track(session, &calls), ns(at + row->start),
                                ns(at + row->end), &item));
    if (row->work != NOTHING)
        add_work(session, made, row, at, work_at, late);
    if (row->sync == NO_SYNC)
        return;
    struct track_row syncs = {.kind = TRACK_SYNCS, .device = NONE, .thread = 100 + row->thread};
    struct item sync = {.kind = ITEM_SYNC,
                        .a = row->sync == ALL      ? SYNC_CONTEXT
                             : row->sync == TOLD_2 ? SYNC_STREAM_WAIT_EVENT
                                                   : SYNC_STREAM};
    sync.sync.context = 1;
    sync.sync.stream = row->sync == STREAM_1 ? 11 : 12;
    sync.sync.thread = 100 + row->thread;
    cr_assert(session_add_event(session, session_add_track(session, &syncs), ns(at + row->start),
                                ns(at + row->end), &sync));
}

static struct session *empty_session(void)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    session_add_device(session,
                       &(struct device_row){.info = {.compute_capability = 90, .multiprocessors = 132}});
    session_add_run(session,
                    &(struct run_row){.start_ns = INT64_MIN / 4, .end_ns = INT64_MIN, .verified = -1});
    return session;
}

/* late: from the middle on, operations start so much later than before. */
static struct session *make_session(const struct made *made, double late)
{
    struct session *session = empty_session();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 6 && made->rows[i].end > 0; i++)
            add_row(session, made, &made->rows[i], round, round >= ROUNDS / 2 ? late : 0);
    return session;
}

static struct replay *open_replay(const struct session *session)
{
    struct replay *replay;
    struct error error = {0};
    cr_assert_eq(replay_open(&replay, session, 0, INT64_MIN, INT64_MAX, &error), STATUS_OK, "%s", error.text);
    return replay;
}

static const struct made *find_case(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    cr_assert_fail("no case is called %s", name);
    return NULL;
}

Test(replay, takes_the_measured_time)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *session = make_session(&cases[i], 0);
        struct replay *replay = open_replay(session);
        const struct replay_facts *facts = replay_facts(replay);
        double ratio = (double)facts->replayed_ns / (double)facts->measured_ns;
        cr_expect(fabs(ratio - 1) < 0.001, "%s: %.4f", cases[i].name, ratio);
        cr_expect(fabs(facts->error) < 0.001, "%s: error %.4f", cases[i].name, facts->error);
        cr_expect_eq(facts->why[0], '\0', "%s: %s", cases[i].name, facts->why);
        cr_expect_eq(facts->unexplained_ns, 0, "%s", cases[i].name);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, takes_the_time_of_an_edit_that_was_worked_out_by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct made *made = &cases[i];
        struct session *session = make_session(made, 0);
        struct replay *replay = open_replay(session);
        struct error error;
        cr_assert_eq(replay_set_bounds(replay, (const float[]){0.5F}, 1, &error), STATUS_OK);
        struct replay_change change = replay_as_measured;
        replay_edit_find(made->edit, strlen(made->edit))->apply(&change);
        double took = (double)replay_run(replay, &change) / 1000;
        double expected = (ROUNDS - 1) * made->edited + made->last;
        cr_expect(fabs(took - expected) < 0.005 * expected, "%s: %.1f us, by hand %.1f", made->name, took,
                  expected);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Products on the tensor cores take their part of the time, and no part of what a bound leaves; they are an assumption, unless
 * counters show that FP32 arithmetic is their limit. */
Test(replay, products_on_the_tensor_cores)
{
    const struct replay_edit *edit = replay_edit_find("tensor", 6), *bounds = replay_edit_find("bounds", 6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].edit, "bounds") != 0)
            continue;
        struct session *session = make_session(&cases[i], 0);
        struct replay *replay = open_replay(session);
        cr_assert(what_if_assumes(edit, replay_facts(replay)) &&
                  !(replay_facts(replay)->has & REPLAY_HAS_PRODUCTS));
        cr_assert_eq(replay_set_bounds(replay, (const float[]){0.5F}, 1, NULL), STATUS_OK);
        cr_assert_eq(replay_set_products(replay, (const float[]){0.5F}, 1, false, NULL), STATUS_OK);
        cr_assert(what_if_assumes(edit, replay_facts(replay)) &&
                  (replay_facts(replay)->has & REPLAY_HAS_PRODUCTS));
        struct replay_change one = replay_as_measured, other = replay_as_measured;
        edit->apply(&one);
        bounds->apply(&other);
        int64_t alone = replay_run(replay, &one);
        cr_assert_lt(alone, replay_run(replay, &replay_as_measured));
        cr_assert_eq(alone, replay_run(replay, &other));
        edit->apply(&other);
        cr_assert_eq(alone, replay_run(replay, &other));
        cr_assert_eq(replay_set_products(replay, (const float[]){0.25F}, 1, true, NULL), STATUS_OK);
        cr_assert(!what_if_assumes(edit, replay_facts(replay)));
        cr_assert_lt(replay_run(replay, &other), alone);
        replay_close(replay);
        session_destroy(session);
        return;
    }
    cr_assert_fail("no case has bounds");
}

/* From the words: four chunks of 12.5, 25 and 12.5 us. The kernels' chunks are the longest and follow each other: 100
 * us a round and a delay of 1 us for each. */
Test(replay, cuts_operations_into_chunks)
{
    struct session *session = make_session(find_case("copies beside kernels"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_change change = {.launch = 1, .gap = 1, .allocate = 1, .load = 1, .chunks = 4};
    double took = (double)replay_run(replay, &change) / 1000;
    cr_expect(took > ROUNDS * 100 && took < ROUNDS * 106 + 50, "%.1f us", took);
    replay_close(replay);
    session_destroy(session);
}

/* The second half has delays that the first one does not have. */
Test(replay, claims_nothing_above_its_error)
{
    const struct made *made = find_case("launches");
    for (int late = 0; late < 2; late++) {
        struct session *session = make_session(made, late ? 15 : 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        cr_expect_eq(result.facts.why[0] != '\0', late, "%s", result.facts.why);
        cr_expect_eq(result.count > 0, !late);
        cr_expect(late ? result.facts.error < -REPLAY_ERROR_MOST / 2 : fabs(result.facts.error) < 0.001);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, takes_the_best_edit_first_and_assumptions_last)
{
    struct session *session = make_session(find_case("event"), 0);
    struct replay *replay = open_replay(session);
    struct what_if result;
    what_if_make(replay, NULL, 0, &result);
    cr_assert_geq(result.count, 2);
    cr_expect_str_eq(result.steps[0].edit->id, "waits");
    bool assumed = false;
    for (size_t i = 0; i < result.count; i++) {
        const struct what_if_step *step = &result.steps[i];
        cr_expect(!assumed || step->assumed, "%s", step->edit->id);
        cr_expect((double)(step->before_ns - step->after_ns) >= 0.02 * (double)result.facts.measured_ns - 2,
                  "%s", step->edit->id);
        cr_expect(i == 0 || step->before_ns ==
                                (assumed ? result.steps[i - 1].before_ns : result.steps[i - 1].after_ns));
        assumed = step->assumed;
    }
    cr_expect(assumed, "the events' edit has no sign in a run whose kernels never overlap");
    replay_close(replay);
    session_destroy(session);
}

/* Of launches that come too slowly because something is done between them that can be done once that is told first, and of
 * a host that polls, that it polls. */
Test(replay, tells_what_can_be_done_once_before_fewer_launches)
{
    static const struct made loops[] = {
        {.name = "constants",
         .rows = {{CALLED(0, 6, CALL_COPY, NO_SYNC), IN, 1, 8, 9, .bytes = 16, .call = "cudaMemcpyToSymbol"},
                  {LAUNCH(7, 13), 1, 15, 17}},
         .round = 14},
        {.name = "calls",
         .rows = {{CALLED(0, 6, CALL_STREAM, NO_SYNC), .call = "cudaStreamCreate"},
                  {CALLED(7, 13, CALL_STREAM, NO_SYNC), .call = "cudaStreamDestroy"},
                  {LAUNCH(14, 20), 1, 22, 24}},
         .round = 21},
        {.name = "launches", .rows = {{LAUNCH(0, 6), 1, 8, 9}, {LAUNCH(7, 13), 1, 15, 17}}, .round = 14},
        {.name = "polls",
         .rows = {{LAUNCH(0, 5), 1, 7, 107},
                  {CALLED(6, 7, CALL_STREAM, NO_SYNC), .call = "cudaEventQuery", .result = 600},
                  {CALLED(307, 308, CALL_STREAM, NO_SYNC), .call = "cudaEventQuery"}},
         .round = 310}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct session *session = make_session(&loops[i], 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        cr_assert(result.count > 0, "%s", loops[i].name);
        cr_expect_str_eq(result.steps[0].edit->id, loops[i].name);
        replay_close(replay);
        session_destroy(session);
    }
}

/* What looks like it and is not: queries without pauses, copies of other sizes, an allocation that takes long once, streams
 * that are busy for equally long. */
Test(replay, does_not_take_what_looks_alike)
{
    static const struct made loops[] = {
        {.rows = {{LAUNCH(0, 5), 1, 7, 107},
                  {CALLED(6, 7, CALL_STREAM, NO_SYNC), .call = "cudaStreamQuery", .result = 600},
                  {CALLED(8, 109, CALL_STREAM, NO_SYNC), .call = "cudaStreamQuery"}},
         .round = 112},
        {.rows = {{LAUNCH(0, 5), 1, 7, 107},
                  {CALLED(6, 11, CALL_COPY, NO_SYNC), INSIDE, 1, 108, 111, .bytes = 4096},
                  {CALLED(12, 116, CALL_SYNC, ALL)}},
         .round = 120},
        {.rows = {{CALLED(0, 3, CALL_ALLOC, NO_SYNC), .call = "cudaMallocAsync"},
                  {LAUNCH(4, 9), 1, 11, 111},
                  {CALLED(10, 12, CALL_FREE, NO_SYNC), .call = "cudaFreeAsync"},
                  {CALLED(13, 116, CALL_SYNC, ALL)}},
         .round = 120},
        {.rows = {{LAUNCH(0, 5), 1, 7, 107}, {LAUNCH(6, 11), 2, 13, 123}, {CALLED(12, 128, CALL_SYNC, ALL)}},
         .round = 132}};
    const uint64_t kinds = REPLAY_HAS_POLLS | REPLAY_HAS_SWAPS | REPLAY_HAS_TRIMS | REPLAY_HAS_UNEVEN;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct session *session = make_session(&loops[i], 0);
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->has & kinds, 0, "%zu", i);
        replay_close(replay);
        session_destroy(session);
    }
}

/* The first launch of a kernel loads its code for 30 ms, or the tracing has it wait for that long. */
Test(replay, tells_loading_from_launching_and_from_tracing)
{
    const struct made loading = {.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}};
    const struct made *made = find_case("launches");
    const int first = (int)(30100 / made->round) + 1;
    for (int traced = 0; traced < 2; traced++) {
        struct session *session = empty_session();
        const struct track_row overhead = {.kind = TRACK_OVERHEAD, .device = NONE, .thread = 100};
        const struct item waiting = {
            .kind = ITEM_OVERHEAD,
            .overhead = {.name = string(session, "the first launch waits for the sampler")}};
        if (traced)
            cr_assert(session_add_event(session, session_add_track(session, &overhead), ns(-5), ns(29990),
                                        &waiting));
        add_row(session, &loading, &loading.rows[0], 0, 0);
        for (int round = first; round < first + ROUNDS; round++)
            for (int i = 0; i < 6 && made->rows[i].end > 0; i++)
                add_row(session, made, &made->rows[i], round, 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        double gained_us = 0; /* by the first edit */
        if (result.count > 0)
            gained_us = (double)(result.steps[0].before_ns - result.steps[0].after_ns) / 1000;
        cr_expect(gained_us < ROUNDS * made->round, "%s gains %.0f us", result.steps[0].edit->id, gained_us);
        cr_expect_eq(result.facts.set_up_ns, traced ? 0 : ns(30000)); /* before the loop */
        replay_close(replay);
        /* Steps that begin with the kernel of such a launch begin after its call. */
        cr_assert_eq(replay_open(&replay, session, 0, ns(30001), INT64_MAX, NULL), STATUS_OK);
        cr_expect(replay_facts(replay)->measured_ns < ns(ROUNDS * made->round + 100), "%lld us",
                  (long long)replay_facts(replay)->measured_ns / 1000);
        replay_close(replay);
        session_destroy(session);
    }
}

/* The first launch of a kernel of that name loads its code, that of another grid does not. */
Test(replay, takes_one_launch_of_a_name_for_loading)
{
    const struct made made[] = {{.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}, .round = 30100, .grid = 1},
                                {.rows = {{LAUNCH(0, 30000), 1, 30002, 30012}}, .round = 30100, .grid = 2},
                                {.rows = {{LAUNCH(0, 5), 1, 7, 17}}, .round = 30100, .grid = 1}};
    struct session *session = empty_session();
    for (int round = 0; round < ROUNDS; round++) {
        const struct made *of = &made[round < 2 ? round : 2];
        add_row(session, of, &of->rows[0], round, 0);
    }
    struct replay *replay = open_replay(session);
    cr_expect_eq(replay_facts(replay)->set_up_ns, ns(30000));
    cr_expect_eq(replay_facts(replay)->has & REPLAY_HAS_LOADING, 0);
    replay_close(replay);
    session_destroy(session);
}

/* Code that is loaded in every round is no set-up; a run of which loading is most, and little else, is nothing but it. */
Test(replay, tells_set_up_from_a_loop_that_loads)
{
    const struct made loads = {
        .rows = {{CALLED(0, 30000, CALL_MODULE, NO_SYNC)}, {LAUNCH(30001, 30006), 1, 30008, 30018}},
        .round = 30100};
    for (int rounds = 3; rounds <= ROUNDS; rounds += ROUNDS - 3) {
        struct session *session = empty_session();
        for (int round = 0; round < rounds; round++)
            for (int i = 0; i < 2; i++)
                add_row(session, &loads, &loads.rows[i], round, 0);
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->set_up_ns, 0);
        cr_expect_eq(strstr(replay_facts(replay)->why, "is all set-up: code is loaded during 100 %") != NULL,
                     rounds < ROUNDS, "%s", replay_facts(replay)->why);
        struct what_if result;
        what_if_make(replay, NULL, 0, &result);
        cr_expect_eq(result.count > 0, rounds == ROUNDS);
        if (result.count > 0) { /* and says which kernel's code it is */
            cr_expect_str_eq(result.steps[0].edit->id, "loading");
            cr_expect_str_eq(result.steps[0].where, "before kernel");
        }
        replay_close(replay);
        session_destroy(session);
    }
}

/* The program joins its threads before it synchronises: that is no time of the loop. */
Test(replay, ends_the_loop_with_its_work)
{
    const struct made made = {.rows = {{LAUNCH(0, 5), 1, 7, 107}}, .round = 110};
    const struct row waits[] = {{CALLED(100, 112, CALL_SYNC, ALL)}, {CALLED(5000, 5010, CALL_SYNC, ALL)}};
    const double lasts[] = {112, 107}; /* since the last round began */
    for (int i = 0; i < 2; i++) {
        struct session *session = make_session(&made, 0);
        add_row(session, &made, &waits[i], ROUNDS - 1, 0);
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->measured_ns, ns((ROUNDS - 1) * made.round + lasts[i]), "%d: %lld",
                     i, (long long)replay_facts(replay)->measured_ns);
        replay_close(replay);
        session_destroy(session);
    }
}

static void add_call(struct session *session, const char *name, double start, double end,
                     uint32_t correlation, int32_t result)
{
    const struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100};
    struct item item = {.kind = ITEM_CALL,
                        .b = strstr(name, "Synchronize") ? CALL_SYNC : CALL_STREAM,
                        .correlation = correlation};
    item.call.name = string(session, name);
    item.call.result = result;
    cr_assert(session_add_event(session, session_add_track(session, &calls), ns(start), ns(end), &item));
}

/* A wait for the event that the record of this number recorded. */
static void add_event_wait(struct session *session, double start, double end, uint32_t correlation,
                           enum sync_kind kind, uint64_t record)
{
    const struct track_row syncs = {.kind = TRACK_SYNCS, .device = NONE, .thread = 100};
    struct item sync = {.kind = ITEM_SYNC, .a = (uint8_t)kind, .correlation = correlation};
    sync.sync.context = 1;
    sync.sync.stream = kind == SYNC_STREAM_WAIT_EVENT ? 12 : 0;
    sync.sync.thread = 100;
    cr_assert(session_add_event(session, session_add_track(session, &syncs), ns(start), ns(end), &sync));
    add_call(session, kind == SYNC_EVENT ? "cudaEventSynchronize" : "cudaStreamWaitEvent", start, end,
             correlation, 0);
    if (record > 0)
        session_add_event_use(
            session,
            &(struct event_use_row){.correlation = correlation,
                                    .use = kind == SYNC_EVENT ? EVENT_USE_HOST_WAITS : EVENT_USE_STREAM_WAITS,
                                    .record = record});
}

static void add_event_record(struct session *session, double start, double end, uint32_t correlation,
                             uint64_t record)
{
    add_call(session, "cudaEventRecord", start, end, correlation, 0);
    session_add_event_use(session, &(struct event_use_row){.correlation = correlation,
                                                           .context = 1,
                                                           .stream = 11,
                                                           .use = EVENT_USE_RECORD,
                                                           .record = record});
}

/* Stream 2 waits for the first of two kernels of stream 1, both issued before the wait: times do not say which. The host
 * waits for a kernel of stream 1, although one of stream 2 ended later. known: the records of the events are there. */
Test(replay, waits_for_the_work_before_the_record_of_an_event)
{
    const struct made made = {.rows = {{LAUNCH(0, 5), 2, 7, 207},
                                       {LAUNCH(6, 11), 1, 13, 113},
                                       {LAUNCH(30, 35), 2, 208, 308},
                                       {LAUNCH(320, 325), 2, 327, 337},
                                       {LAUNCH(326, 331), 1, 333, 335}},
                              .round = 400};
    const struct row second = {LAUNCH(13.2, 13.8), 1, 114, 150};
    for (unsigned known = 0; known < 2; known++) {
        struct session *session = empty_session();
        for (unsigned round = 0; round < ROUNDS; round++) {
            double at = round * made.round;
            uint32_t id = 10 * round;
            uint64_t record = 2 * round;
            add_row(session, &made, &made.rows[0], (int)round, 0);
            add_row(session, &made, &made.rows[1], (int)round, 0);
            if (known)
                add_event_record(session, at + 12, at + 13, id + 1, record + 1);
            add_row(session, &made, &second, (int)round, 0);
            add_event_wait(session, at + 14, at + 15, id + 2, SYNC_STREAM_WAIT_EVENT, known ? record + 1 : 0);
            add_row(session, &made, &made.rows[2], (int)round, 0);
            add_row(session, &made, &made.rows[3], (int)round, 0);
            add_row(session, &made, &made.rows[4], (int)round, 0);
            if (known)
                add_event_record(session, at + 332, at + 333, id + 3, record + 2);
            add_event_wait(session, at + 334, at + 341, id + 4, SYNC_EVENT, known ? record + 2 : 0);
        }
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay_facts(replay)->waits, ROUNDS);
        cr_assert_eq(replay_facts(replay)->waits_found, ROUNDS);
        for (size_t i = 0; i < replay->event_count; i++) {
            const struct replay_operation *source = &replay->operations[replay->events[i].from];
            cr_expect_eq(source->end_ns - source->start_ns, ns(known ? 100 : 36), "%u", known);
        }
        size_t waits = 0;
        for (size_t i = 0; i < replay->call_count; i++) {
            const struct replay_call *call = &replay->calls[i];
            if (call->wait != REPLAY_WAITS_EVENT)
                continue;
            waits++;
            cr_assert_neq(call->source, NONE);
            uint32_t stream = replay->streams[replay->operations[call->source].stream].stream;
            cr_expect_eq(stream, known ? 11 : 12, "%u", stream);
        }
        cr_expect_eq(waits, ROUNDS);
        replay_close(replay);
        session_destroy(session);
    }
}

/* The host asks every 33 us whether the kernel is over: with a kernel of half the time it goes on 50 us earlier. Asking
 * once, whatever is found, is no wait. */
Test(replay, takes_a_loop_of_queries_for_a_wait)
{
    const struct made made = {.rows = {{LAUNCH(0, 5), 1, 7, 107}}, .round = 116};
    for (unsigned polls = 0; polls < 2; polls++) {
        struct session *session = empty_session();
        for (unsigned round = 0; round < ROUNDS; round++) {
            double at = round * made.round;
            add_row(session, &made, &made.rows[0], (int)round, 0);
            for (int i = 0; polls && i < 4; i++)
                add_call(session, "cudaEventQuery", at + 10 + 33 * i, at + 11 + 33 * i, 0, i < 3 ? 600 : 0);
            if (!polls)
                add_call(session, "cudaEventQuery", at + 109, at + 110, 0, 0);
        }
        struct replay *replay = open_replay(session);
        cr_expect_eq(replay->call_count, 2 * ROUNDS);
        cr_assert_eq(replay_set_bounds(replay, (const float[]){0.5F}, 1, NULL), STATUS_OK);
        struct replay_change change = replay_as_measured;
        double before_us = (double)replay_run(replay, &change) / 1000;
        replay_edit_find("bounds", 6)->apply(&change);
        double after_us = (double)replay_run(replay, &change) / 1000;
        cr_expect(fabs(before_us / (ROUNDS * made.round) - 1) < 0.01, "%.1f us", before_us);
        double gained_us = before_us - after_us;
        cr_expect(polls ? fabs(gained_us / (ROUNDS * 50) - 1) < 0.05 : gained_us < 60, "%u: %.1f us", polls,
                  gained_us);
        replay_close(replay);
        session_destroy(session);
    }
}

/* What launches graphs already is told to make them larger. */
Test(replay, does_not_tell_a_loop_of_graphs_to_capture_one)
{
    for (uint32_t graph = 0; graph < 2; graph++) {
        struct made made = *find_case("launches");
        for (int i = 0; i < 6; i++)
            made.rows[i].graph = graph;
        struct session *session = make_session(&made, 0);
        struct replay *replay = open_replay(session);
        const char *now =
            replay_edit_now(replay_edit_find("launches", strlen("launches")), replay_facts(replay));
        cr_expect_eq(strstr(now, "make the graphs larger") != NULL, graph == 1, "%s", now);
        cr_expect_eq(strstr(now, "capture the calls of a step") != NULL, graph == 0, "%s", now);
        replay_close(replay);
        session_destroy(session);
    }
}

Test(replay, puts_chosen_edits_on_top_of_each_other)
{
    struct session *session = make_session(find_case("sets"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_edit *chosen[] = {replay_edit_find("gaps", 4), replay_edit_find("sets", 4)};
    struct what_if result;
    what_if_make(replay, chosen, 2, &result);
    cr_assert_eq(result.count, 2);
    cr_expect_eq(result.steps[0].edit, chosen[0]);
    cr_expect_eq(result.steps[1].edit, chosen[1]);
    cr_expect_lt(result.steps[1].after_ns, result.steps[0].after_ns);
    replay_close(replay);
    session_destroy(session);
}

Test(replay, needs_calls)
{
    struct session *session;
    struct replay *replay;
    struct error error;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    cr_expect_eq(replay_open(&replay, session, NONE, INT64_MIN, INT64_MAX, &error), STATUS_STATE);
    session_add_process(session, &(struct process_row){.rank = -1, .end_ns = INT64_MIN});
    struct track_row stream = {.kind = TRACK_STREAM, .context = 1, .stream = 7, .thread = NONE};
    struct item item = {.kind = ITEM_SET};
    item.set.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(session, session_add_track(session, &stream), 0, 10, &item));
    cr_expect_eq(replay_open(&replay, session, NONE, INT64_MIN, INT64_MAX, &error), STATUS_STATE);
    cr_expect(strstr(error.text, "no calls"), "%s", error.text);
    session_destroy(session);
}

/* Every edit has words, is found by its id, and changes something. */
Test(replay, has_a_table_of_edits)
{
    const struct replay_edit *edit;
    size_t count = 0;
    for (; (edit = replay_edit_at(count)); count++) {
        struct replay_change change = replay_as_measured;
        edit->apply(&change);
        cr_expect(memcmp(&change, &replay_as_measured, sizeof change) != 0, "%s", edit->id);
        cr_expect_eq(replay_edit_find(edit->id, strlen(edit->id)), edit);
        cr_expect(strlen(edit->title) > 10 && edit->assumes[strlen(edit->assumes) - 1] == '.', "%s",
                  edit->id);
        cr_expect(edit->changes != 0 && (edit->assumption || edit->sign == 0), "%s", edit->id);
    }
    cr_expect_geq(count, 12);
    cr_expect_eq(replay_edit_find("waitss", 6), NULL);
    cr_expect_eq(replay_edit_find("wait", 4), NULL);
}

/* The place that has most of a gain is named, and its edit is made there alone. */
Test(replay, names_the_place_of_an_edit)
{
    static const struct {
        const char *made, *edit, *where;
    } rows[] = {{"gaps", "gaps", "before cuSomeCall of kernel"},
                {"two streams, no waits", "waits", "cuSomeSync"},
                {"blocking copy, pinned", "pinned", "cuSomeCall to the device"},
                {"bounds", "bounds", "kernel"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct session *session = make_session(find_case(rows[i].made), 0);
        struct replay *replay = open_replay(session);
        struct what_if result;
        const struct what_if_step *found = NULL;
        if (strcmp(rows[i].edit, "bounds") == 0)
            cr_assert_eq(replay_set_bounds(replay, (const float[]){0.1F}, 1, NULL), STATUS_OK);
        what_if_make(replay, NULL, 0, &result);
        for (size_t k = 0; k < result.count && !found; k++)
            if (strcmp(result.steps[k].edit->id, rows[i].edit) == 0)
                found = &result.steps[k];
        cr_assert(found, "%s", rows[i].made);
        cr_expect(found->at_place && strcmp(found->where, rows[i].where) == 0, "%s: '%s'", rows[i].made,
                  found->where);
        cr_expect_eq(found->kernel != NONE, strcmp(rows[i].edit, "bounds") == 0);
        replay_close(replay);
        session_destroy(session);
    }
}

/* A chunk that waits for another one of its own operation does not hold it: the path comes to its begin. */
Test(replay, walks_the_path_of_chunks, .timeout = 30)
{
    struct session *session = make_session(find_case("copies beside kernels"), 0);
    struct replay *replay = open_replay(session);
    const struct replay_change change = {.launch = 1, .gap = 1, .allocate = 1, .load = 1, .chunks = 4};
    struct replay_weights weights;
    cr_assert_eq(replay_weigh(replay, &change, &weights, NULL), STATUS_OK);
    cr_expect_gt(weights.kernels[0], 0);
    replay_weights_fini(&weights);
    replay_close(replay);
    session_destroy(session);
}

/* Three kernels of one grid, 40, 20 and 60 us, and a copy, in a round: fused, the launch of the first at 7 us, the longest
 * takes 60 us, the copy 1 us later 20 us, and the round ends 5 us and a gap of 5 us after it. Kernels that are not at DRAM's
 * limit stay, and so does one kernel three times, which may be three steps, but for one that is elementwise by its name:
 * the round is its step. That their shapes alone allow it is no sign; and of those that were counted, one that stores
 * other bytes stays, as does one whose shape alone fits (a stencil): the first two, 40 and 20 us with 1 between them, take 40. */
Test(replay, fuses_kernels_at_drams_limit)
{
    static const char *const names[] = {"scale", "add", "clip"};
    struct made made = {.rows = {{LAUNCH(0, 5), 1, 7, 47},
                                 {LAUNCH(6, 11), 1, 48, 68},
                                 {LAUNCH(12, 17), 1, 69, 129},
                                 {CALLED(18, 23, CALL_COPY, NO_SYNC), OUT, 1, 130, 150},
                                 {CALLED(24, 155, CALL_SYNC, ALL)}},
                        .round = 160,
                        .grid = 4096};
#define COUNTED(bytes)             \
    {                              \
        REPLAY_DRAM_COUNTED, bytes \
    }
    static const struct {
        bool one_kernel, has, has_sign;
        double saved_us;
        struct replay_at_dram at_dram[3];
    } rows[] = {
        {false, true, false, 62, {{REPLAY_DRAM_SHAPED, 0}, {REPLAY_DRAM_SHAPED, 0}, {REPLAY_DRAM_SHAPED, 0}}},
        {false, false, false, 0, {{REPLAY_DRAM_NOT, 0}, {REPLAY_DRAM_NOT, 0}, {REPLAY_DRAM_NOT, 0}}},
        {true, false, false, 0, {{REPLAY_DRAM_SHAPED, 0}}},
        {true, false, false, 62, {{REPLAY_DRAM_NAMED, 0}}},
        {false, true, true, 62, {COUNTED(4e6), COUNTED(4e6), COUNTED(4.05e6)}},
        {false, true, true, 62, {{REPLAY_DRAM_NAMED, 0}, {REPLAY_DRAM_NAMED, 0}, {REPLAY_DRAM_NAMED, 0}}},
        {false, true, true, 21, {COUNTED(4e6), COUNTED(4e6), COUNTED(8e6)}},
        {false, true, true, 21, {COUNTED(4e6), COUNTED(4e6), {REPLAY_DRAM_SHAPED, 0}}},
        {false, true, false, 62, {COUNTED(4e6), {REPLAY_DRAM_SHAPED, 0}, COUNTED(4e6)}}};
#undef COUNTED
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct session *session = empty_session();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 5; i++) {
                made.kernel = rows[k].one_kernel || i > 2 ? names[0] : names[i];
                add_row(session, &made, &made.rows[i], round, 0);
            }
        struct replay *replay = open_replay(session);
        struct replay_change change = replay_as_measured;
        replay_set_at_dram(replay, rows[k].at_dram, 3);
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_FUSIBLE) != 0, rows[k].has, "%zu", k);
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_ELEMENTS) != 0, rows[k].has_sign, "%zu", k);
        const double measured_us = (double)replay_run(replay, &change) / 1000;
        change.fused = true;
        const double saved_us = measured_us - (double)replay_run(replay, &change) / 1000;
        cr_expect(fabs(saved_us - ROUNDS * rows[k].saved_us) < ROUNDS * 0.2, "%zu: %g us", k,
                  saved_us / ROUNDS);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Before the first kernel of a run without steps memory is set, allocated, and an event is made: that is set-up, and no
 * edit moves it out of the loop. Between kernels it is part of the loop; but memory that is allocated once there is that of
 * a first use. */
Test(replay, leaves_set_up_as_it_is)
{
    const struct made before = {.rows = {{CALLED(0, 5, CALL_SET, NO_SYNC), SET, 1, 7, 27},
                                         {CALLED(30, 90, CALL_ALLOC, NO_SYNC)},
                                         {CALLED(91, 111, CALL_OTHER, NO_SYNC)}},
                                .round = 120},
                      steps = {.rows = {{LAUNCH(0, 5), 1, 7, 107}, {CALLED(6, 113, CALL_SYNC, ALL)}},
                               .round = 120};
    for (int between = 0; between < 3; between++) {
        struct session *session = empty_session();
        int times = 0;
        for (int round = 0; round < ROUNDS; round++) {
            const bool sets =
                between == 2 ? round > 0 && round % 2 == 0 : round == (between ? ROUNDS / 2 : 0);
            times += sets && between;
            for (int i = 0; i < (sets ? 3 : 2); i++)
                add_row(session, sets ? &before : &steps, sets ? &before.rows[i] : &steps.rows[i], round, 0);
        }
        struct replay *replay = open_replay(session);
        const uint32_t has = REPLAY_HAS_ALLOCATIONS | REPLAY_HAS_ASIDE;
        struct replay_change change = replay_as_measured;
        const int64_t measured_ns = replay_run(replay, &change);
        change.allocate = 0;
        change.no_calls = true;
        cr_expect_eq(replay_facts(replay)->has & has, between == 2   ? has
                                                      : between == 1 ? REPLAY_HAS_ASIDE
                                                                     : 0);
        cr_expect_eq(measured_ns - replay_run(replay, &change), times * 80000);
        replay_close(replay);
        session_destroy(session);
    }
}

/* A kernel of a graph, launched in the round by a call of 5 us. */
struct node {
    uint32_t stream;
    double start, end;
    const char *kernel;
};

static void add_node(struct session *session, const struct node *node, double call, double at)
{
    struct track_row stream = {
        .kind = TRACK_STREAM, .context = 1, .stream = 10 + node->stream, .thread = NONE, .flags = 0};
    struct shape_row shape = {.name = string(session, node->kernel), .grid = {1, 1, 1}, .block = {256, 1, 1}};
    struct item item = {
        .kind = ITEM_LAUNCH,
        .launch = {.call_start_ns = ns(call),
                   .call_duration_ns = 5000,
                   .call_thread = 100,
                   .graph = 7,
                   .kernel = session_add_kernel(session, 0, session_add_shape(session, &shape), 0)}};
    cr_assert(session_add_event(session, session_add_track(session, &stream), ns(at + node->start),
                                ns(at + node->end), &item));
}

/* Launches of a graph, 24 us apart and queued: two branches, of 50 + 50 us and of 70 + 70 us, begin together, and a last
 * kernel of 20 us joins them, in the stream of either: a launch takes 142 + 20 us, and the next one begins 1 us later. If
 * the kernels of the second branch take a tenth of their time, the last one waits for the first branch: 102 + 20 + 1. If
 * those of the first do, it waits for the second as before. Without the last kernel, which converts, a launch takes 141 +
 * 1 us: a node that goes costs nothing. */
Test(replay, branches_of_a_graph_begin_and_join)
{
    static const float faster[3][3] = {{1, 1, 1}, {1, 0.1F, 1}, {0.1F, 1, 1}};
    static const double rounds_us[] = {163, 123, 163};
    for (uint32_t joins = 1; joins <= 2; joins++) {
        const struct node nodes[] = {{1, 0, 50, "one"},
                                     {2, 0.1, 70, "two"},
                                     {1, 51, 101, "one"},
                                     {2, 71, 141, "two"},
                                     {joins, 142, 162, "convert"}};
        struct session *session = empty_session();
        const struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100};
        for (int round = 0; round < 2 * ROUNDS; round++) {
            struct item call = {
                .kind = ITEM_CALL, .b = CALL_LAUNCH, .call.name = string(session, "cudaGraphLaunch")};
            cr_assert(session_add_event(session, session_add_track(session, &calls), ns(24.0 * round),
                                        ns(24.0 * round + 5), &call));
            for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
                add_node(session, &nodes[i], 24.0 * round, 10 + 163.0 * round);
        }
        struct replay *replay = open_replay(session);
        cr_expect(fabs(replay_facts(replay)->error) < 0.01, "%g", replay_facts(replay)->error);
        cr_expect_eq(replay_facts(replay)->has & REPLAY_HAS_EVENTS, 0);
        for (size_t k = 0; k < 3; k++) {
            struct replay_change change = replay_as_measured;
            change.bound = true;
            cr_assert_eq(replay_set_bounds(replay, faster[k], 3, NULL), STATUS_OK);
            const double took_us = (double)replay_run(replay, &change) / 1000 / (2 * ROUNDS);
            cr_expect(fabs(took_us - rounds_us[k]) < 2, "%u, %zu: %g us", joins, k, took_us);
        }
        struct replay_change change = replay_as_measured;
        change.no_casts = true;
        const double left_us = (double)replay_run(replay, &change) / 1000 / (2 * ROUNDS);
        cr_expect(fabs(left_us - 142) < 1, "%u: %g us", joins, left_us);
        replay_close(replay);
        session_destroy(session);
    }
}

/* A kernel ends at 17; the host that waits is told 23 us later, where it sleeps, or 6 us: a spinning one 5. */
Test(replay, a_host_that_sleeps_is_told_late)
{
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        const struct made made = {
            .rows = {{LAUNCH(0, 5), 1, 7, 17}, {CALLED(6, sleeps ? 40 : 23, CALL_SYNC, ALL)}}, .round = 50};
        struct session *session = empty_session();
        for (int round = 0; round < 10 * ROUNDS; round++)
            for (int i = 0; i < 2; i++)
                add_row(session, &made, &made.rows[i], round, 0);
        struct replay *replay = open_replay(session);
        struct replay_change change = replay_as_measured;
        const int64_t measured_ns = replay_run(replay, &change);
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_SLEEPS) != 0, sleeps);
        change.no_sleeps = true;
        const double saved_us = (double)(measured_ns - replay_run(replay, &change)) / 1000 / (10 * ROUNDS);
        cr_expect(fabs(saved_us - (sleeps ? 18 : 1)) < 0.2, "%g us", saved_us);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Two branches of a graph begin and go on together, 100 + 200 us and 100 + 50 us: which kernel of the first part each of
 * the second follows is not in their times. By the edges, of which one leads through a node without work, the long branch
 * takes 10 + 1 + 200 us if its first kernel takes a tenth. The first launch was into another stream. */
Test(replay, branches_of_a_graph_follow_its_edges)
{
    static const struct node nodes[] = {
        {1, 0, 100, "one"}, {2, 0.1, 100.2, "two"}, {1, 101.3, 301, "three"}, {2, 101.4, 151, "four"}};
    static const struct graph_node_row rows[] = {
        {.graph = 7, .node = 0, .dependency = NONE, .stream = 77, .start_ns = 0},
        {.graph = 7, .node = 1, .dependency = NONE, .stream = 12, .start_ns = 100},
        {.graph = 7, .node = 2, .dependency = NONE, .stream = 77, .start_ns = 101300},
        {.graph = 7, .node = 3, .dependency = NONE, .stream = 12, .start_ns = 101400},
        {.graph = 7, .node = 2, .dependency = 9},
        {.graph = 7, .node = 9, .dependency = 0},
        {.graph = 7, .node = 3, .dependency = 1}};
    static const float faster[] = {0.1F, 1, 1, 1};
    for (uint32_t known = 0; known < 2; known++) {
        struct session *session = empty_session();
        const struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 100};
        for (int round = 0; round < 2 * ROUNDS; round++) {
            struct item call = {
                .kind = ITEM_CALL, .b = CALL_LAUNCH, .call.name = string(session, "cudaGraphLaunch")};
            cr_assert(session_add_event(session, session_add_track(session, &calls), ns(24.0 * round),
                                        ns(24.0 * round + 5), &call));
            for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
                add_node(session, &nodes[i], 24.0 * round, 10 + 302.0 * round);
        }
        for (size_t i = 0; known && i < sizeof rows / sizeof *rows; i++)
            cr_assert(session_add_graph_node(session, &rows[i]) != NONE);
        struct replay *replay = open_replay(session);
        struct replay_change change = replay_as_measured;
        change.bound = true;
        cr_expect(fabs(replay_facts(replay)->error) < 0.01, "%g", replay_facts(replay)->error);
        cr_assert_eq(replay_set_bounds(replay, faster, 4, NULL), STATUS_OK);
        const double took_us = (double)replay_run(replay, &change) / 1000 / (2 * ROUNDS);
        cr_expect(fabs(took_us - (known ? 213 : 302)) < 2, "%u: %g us", known, took_us);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Of a round of 160 us a kernel that converts takes 40 us, and its launch 5 with a gap of 1. */
Test(replay, leaves_out_kernels_that_convert)
{
    struct made made = {
        .rows = {{LAUNCH(0, 5), 1, 7, 47}, {LAUNCH(6, 11), 1, 48, 108}, {CALLED(12, 113, CALL_SYNC, ALL)}},
        .round = 120};
    static const struct {
        const char *name;
        bool is;
    } names[] = {
        {"to_half(float const*, __half*)", true},
        {"wrapped_convert", true},
        {"vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)>",
         true},
        {"elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::AddFunctor>>", false},
        {"broadcast_add", false}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct session *session = empty_session();
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 3; i++) {
                made.kernel = i == 0 ? names[k].name : "product";
                add_row(session, &made, &made.rows[i], round, 0);
            }
        struct replay *replay = open_replay(session);
        struct replay_change change = replay_as_measured;
        cr_expect_eq((replay_facts(replay)->has & REPLAY_HAS_CASTS) != 0, names[k].is, "%s", names[k].name);
        const double measured_us = (double)replay_run(replay, &change) / 1000;
        change.no_casts = true;
        const double saved_us = measured_us - (double)replay_run(replay, &change) / 1000;
        cr_expect(fabs(saved_us - (names[k].is ? ROUNDS * 40.0 : 0)) < ROUNDS * 1.0, "%s: %g us",
                  names[k].name, saved_us / ROUNDS);
        replay_close(replay);
        session_destroy(session);
    }
}

/* 1,000 kernels of 100 us fit into the queue. Every further launch returns 10 us after one has ended; were the kernels
 * short, of one block and 132 multiprocessors, it would take as long as the first ones, 5 us. */
Test(replay, a_launch_takes_no_time_of_a_full_queue)
{
    enum { LAUNCHES = 30000, QUEUE = 1000 };
    const struct made made = {.grid = 1};
    struct session *session = empty_session();
    double at = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        struct row row = {LAUNCH(at, at + 5), 1, 7 + 101.0 * i, 107 + 101.0 * i};
        if (i >= QUEUE)
            row.end = fmax(row.end, 117 + 101.0 * (i - QUEUE));
        add_row(session, &made, &row, 0, 0);
        at = row.end + 1;
    }
    const double last = 107 + 101.0 * (LAUNCHES - 1);
    add_row(session, &made, &(struct row){CALLED(at, last + 5, CALL_SYNC, ALL)}, 0, 0);
    struct replay *replay = open_replay(session);
    struct replay_change change = replay_as_measured;
    const double measured_us = (double)replay_run(replay, &change) / 1000;
    cr_expect(fabs(measured_us / last - 1) < 0.01, "%g us", measured_us);
    change.spread = true;
    const double short_us = (double)replay_run(replay, &change) / 1000;
    cr_expect(short_us < 20.0 * LAUNCHES, "%g us a launch", short_us / LAUNCHES);
    replay_close(replay);
    session_destroy(session);
}

/* 100,000 kernels of 10 us, each waited for: a piece of them is replayed, and times are those of all. The first ones, or the
 * last ones, take longer: the piece is then one near to them, in the second case that at the loop's end. */
Test(replay, scales_a_piece_of_a_long_loop)
{
    enum { LAUNCHES = 100000 };
    static const int slow[][2] = {{0, LAUNCHES / 20}, {LAUNCHES - 3300, LAUNCHES}};
    const struct made made = {.grid = 4096};
    for (int kind = 0; kind < 2; kind++) {
        struct session *session = empty_session();
        double at = 0;
        for (int i = 0; i < LAUNCHES; i++) {
            const double took = i >= slow[kind][0] && i < slow[kind][1] ? 400 : 10;
            add_row(session, &made, &(struct row){LAUNCH(at, at + 5), 1, at + 7, at + 7 + took}, 0, 0);
            add_row(session, &made, &(struct row){CALLED(at + 6, at + 12 + took, CALL_SYNC, ALL)}, 0, 0);
            at += 13 + took;
        }
        struct replay *replay = open_replay(session);
        const struct replay_facts *facts = replay_facts(replay);
        struct what_if result;
        what_if_make(replay, (const struct replay_edit *[]){replay_edit_find("waits", 5)}, 1, &result);
        cr_expect_eq(facts->operations, LAUNCHES);
        cr_expect_lt(facts->piece, LAUNCHES);
        cr_expect(fabs((double)facts->loop_ns / 1000 / at - 1) < 0.001, "%lld us of %g",
                  (long long)facts->loop_ns / 1000, at);
        cr_expect_eq(result.facts.measured_ns, facts->loop_ns);
        cr_expect_lt(facts->measured_ns, facts->loop_ns);
        cr_expect_eq(replay->end_call == replay->whole_end, kind == 1);
        cr_assert(result.count == 1 || facts->why[0], "%s", facts->why);
        if (result.count == 1)
            cr_expect(fabs((double)result.steps[0].before_ns / (double)facts->loop_ns - 1) < 0.01);
        replay_close(replay);
        session_destroy(session);
    }
}

/* Time in PyTorch's own operators is no work for another thread. */
Test(replay, says_what_to_do_about_a_framework)
{
    static const struct {
        const char *where;
        bool framework;
    } places[] = {{"the range aten::cudnn_batch_norm", true},
                  {"the range autograd::engine::evaluate_function: MmBackward0", true},
                  {"the range CompiledFunctionBackward", true},
                  {"the range modeling_bert.py(#): forward", true},
                  {"the range Optimizer.step#Adam.step", true},
                  {"the range load", false},
                  {"the range train.py(#): forward_pass", false},
                  {"before cudaLaunchKernel of aten::", false},
                  {"", false}};
    const struct replay_facts facts = {.error = 0};
    struct what_if_step step = {.edit = replay_edit_find("gaps", 4)};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(step.where, sizeof step.where, "%s", places[i].where);
        cr_expect_eq(strstr(what_if_now(&step, &facts), "torch.compile") != NULL, places[i].framework, "%s",
                     places[i].where);
    }
    step.edit = replay_edit_find("waits", 5);
    snprintf(step.where, sizeof step.where, "the range aten::item");
    cr_expect_str_eq(what_if_now(&step, &facts), step.edit->now);
}

/* One thread copies to the device and hands the rest to another, which launches: no lock is held, and neither does the
 * other's work. */
Test(replay, takes_work_that_is_handed_on_for_no_turn)
{
    const struct made made = {.rows = {{CALLED(0, 5, CALL_COPY, NO_SYNC), IN, 1, 7, 107},
                                       {CALLED(6, 115, CALL_SYNC, STREAM_1)},
                                       {LAUNCH(316, 321), 2, 323, 623, 1},
                                       {CALLED(322, 631, CALL_SYNC, STREAM_2), .thread = 1}},
                              .round = 932};
    struct session *session = make_session(&made, 0);
    struct replay *replay = open_replay(session);
    cr_expect_gt(replay->hand_count, 0);
    cr_expect_eq(replay_facts(replay)->has & REPLAY_HAS_HANDS, 0);
    replay_close(replay);
    session_destroy(session);
}

/* Two threads, each with a stream: one holds a lock from its launch to its synchronisation, so that the other's launch
 * begins 1 us after the first one's synchronisation has ended. Without the lock both kernels run at once. */
Test(replay, lets_threads_go_without_turns)
{
    const struct made made = {
        .rows = {{.start = 0,
                  .end = 5,
                  .category = CALL_LAUNCH,
                  .work = KERNEL,
                  .stream = 1,
                  .work_start = 7,
                  .work_end = 307},
                 {.start = 6, .end = 315, .category = CALL_SYNC, .sync = STREAM_1},
                 {.start = 316,
                  .end = 321,
                  .category = CALL_LAUNCH,
                  .work = KERNEL,
                  .stream = 2,
                  .work_start = 323,
                  .work_end = 623,
                  .thread = 1},
                 {.start = 322, .end = 631, .category = CALL_SYNC, .sync = STREAM_2, .thread = 1}},
        .round = 632};
    struct session *session = make_session(&made, 0);
    struct replay *replay = open_replay(session);
    struct replay_change change = replay_as_measured;
    cr_expect((replay_facts(replay)->has & REPLAY_HAS_HANDS) != 0);
    const double measured_us = (double)replay_run(replay, &change) / 1000;
    cr_expect(fabs(measured_us - ROUNDS * 632.0) < ROUNDS * 5.0, "%g us", measured_us);
    change.no_hands = true;
    const double left_us = (double)replay_run(replay, &change) / 1000;
    /* The second thread was there, and waited for the first one's first turn, too. */
    cr_expect(fabs(left_us - 316 * ROUNDS) < 8 * ROUNDS, "%g us", left_us);
    char text[REPLAY_PLACE_TEXT];
    replay_most_text(replay, REPLAY_HAS_HANDS, text);
    cr_expect_str_eq(text, "behind cuSomeSync");
    replay_close(replay);
    session_destroy(session);
}
