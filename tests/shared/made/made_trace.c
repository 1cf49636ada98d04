/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_trace.h"

#include <criterion/criterion.h>
#include <string.h>

#define WORK(stream, work, start, end, call_start, call_end)        \
    {                                                               \
        stream, work, start, end, call_start, call_end, ASYNC, 0, 0 \
    }
#define NODE(stream, work, start, end, graph, call_start, call_end)     \
    {                                                                   \
        stream, work, start, end, call_start, call_end, ASYNC, 0, graph \
    }
/* What CUPTI of CUDA 13 tells of cudaStreamWaitEvent: a call that waits, though only its stream does. */
#define TOLD(stream, start, end)         \
    {                                    \
        CALL_SYNC, start, end, 0, stream \
    }

const struct trace traces[] = {
    {.name = "one kernel", .operations = {WORK(1, KERNEL, 100, 200, 90, 95)}, .kernel_busy = 100},
    {.name = "a copy under a kernel",
     .operations = {WORK(1, KERNEL, 100, 300, 90, 91), WORK(2, TO_DEVICE, 100, 300, 92, 94)},
     .kernel_busy = 200,
     .copy_busy = 200,
     .copy_hidden = 200},
    {.name = "one stream",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 95), WORK(1, KERNEL, 202, 302, 96, 98)},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "one stream, queued while the copy was running",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 95), WORK(1, KERNEL, 202, 302, 130, 132)},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_SAME_STREAM] = 70},
    {.name = "one stream, but another one is busy half of the time",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 92), WORK(1, KERNEL, 202, 302, 93, 94),
                    WORK(2, KERNEL, 150, 400, 95, 96)},
     .kernel_busy = 250,
     .copy_busy = 100,
     .copy_hidden = 50,
     .serialised[SERIAL_SAME_STREAM] = 50},
    {.name = "one stream, calls not traced",
     .operations = {WORK(1, TO_DEVICE, 100, 200, UNKNOWN, 0), WORK(1, KERNEL, 202, 302, UNKNOWN, 0)},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "one stream, calls not traced, a pause between",
     .operations = {WORK(1, TO_DEVICE, 100, 200, UNKNOWN, 0), WORK(1, KERNEL, 250, 350, UNKNOWN, 0)},
     .kernel_busy = 100,
     .copy_busy = 100},
    {.name = "one stream, two copies: their engine was not free",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(1, TO_DEVICE, 202, 302, 92, 93)},
     .copy_busy = 200},
    {.name = "one stream, two small kernels",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(1, KERNEL, 202, 302, 92, 93)},
     .kernel_busy = 200,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "one stream, two large kernels: the device was not free",
     .operations = {WORK(1, LARGE_KERNEL, 100, 200, 90, 91), WORK(1, LARGE_KERNEL, 202, 302, 92, 93)},
     .kernel_busy = 200},
    {.name = "the default stream between two others",
     DEFAULT_0,
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(0, KERNEL, 203, 303, 92, 93),
                    WORK(2, KERNEL, 306, 406, 94, 95)},
     .kernel_busy = 300,
     .serialised[SERIAL_DEFAULT_STREAM] = 200},
    {.name = "the default stream between two that do not block",
     ALL_FREE,
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(0, KERNEL, 203, 303, 92, 93),
                    WORK(2, KERNEL, 306, 406, 94, 95)},
     .kernel_busy = 300},
    {.name = "the default stream, and one that does not block beside it",
     .stream_flags = {STREAM_DEFAULT, 0, STREAM_NON_BLOCKING},
     .operations = {WORK(0, KERNEL, 100, 300, 90, 91), WORK(2, KERNEL, 100, 250, 92, 93),
                    WORK(1, KERNEL, 303, 403, 94, 95)},
     .kernel_busy = 300,
     .serialised[SERIAL_DEFAULT_STREAM] = 50}, /* from 250 on the default stream is alone */
    {.name = "one engine for two copies to the device",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, TO_DEVICE, 202, 302, 92, 93)},
     .copy_busy = 200,
     .serialised[SERIAL_ONE_ENGINE] = 100},
    {.name = "an engine for each direction",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, TO_HOST, 100, 200, 92, 93)},
     .copy_busy = 100},
    {.name = "one engine, but a kernel runs meanwhile",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, TO_DEVICE, 202, 302, 92, 93),
                    WORK(3, KERNEL, 100, 302, 88, 89)},
     .kernel_busy = 202,
     .copy_busy = 200,
     .copy_hidden = 200},
    {.name = "two copies, the second much later than the engine was free",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, TO_DEVICE, 250, 350, 92, 93)},
     .copy_busy = 200},
    {.name = "pageable copies in two streams",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 205, PAGEABLE_ASYNC, 0, 0},
                    {2, TO_DEVICE, 215, 315, 207, 320, PAGEABLE_ASYNC, 0, 0}},
     .copy_busy = 200,
     .serialised[SERIAL_PAGEABLE] = 100},
    {.name = "pageable chunks, depth first: nothing of the second is issued before the first is through",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 205, PAGEABLE_ASYNC, 0, 0},
                    WORK(1, KERNEL, 212, 312, 206, 210),
                    {1, TO_HOST, 315, 415, 211, 420, PAGEABLE_ASYNC, 0, 0},
                    {2, TO_DEVICE, 430, 530, 421, 535, PAGEABLE_ASYNC, 0, 0}},
     .kernel_busy = 100,
     .copy_busy = 300,
     .serialised[SERIAL_PAGEABLE] = 300},
    {.name = "a pageable copy that waits itself",
     .operations = {WORK(1, KERNEL, 100, 300, 90, 92),
                    {2, TO_DEVICE, 310, 400, 150, 405, PAGEABLE_ASYNC, 0, 0}},
     .kernel_busy = 200,
     .copy_busy = 90,
     .serialised[SERIAL_PAGEABLE] = 150},
    {.name = "the host waits before it goes on in another stream",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0}},
     .kernel_busy = 200,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "the host waits twice in a row, for two kernels",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208),
                    WORK(3, KERNEL, 320, 420, 314, 316)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0}, {CALL_SYNC, 209, 312, 0, 0}},
     .kernel_busy = 300,
     .serialised[SERIAL_EXPLICIT_SYNC] = 200},
    {.name = "the host is late, but did not wait",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .kernel_busy = 200},
    {.name = "the host waits, and is busy with other things after it",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 710, 810, 705, 708)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0}},
     .kernel_busy = 200},
    {.name = "one thread waits, another issues",
     .issuer = {0, 0, 1},
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0}},
     .kernel_busy = 200},
    {.name = "two threads wait, the one that issues and another",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0},
               {CALL_SYNC, 450, 500, 0, 0},
               {CALL_SYNC, 50, 60, 1, 0},
               {CALL_SYNC, 190, 204, 1, 0}},
     .kernel_busy = 200,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "the host waits, but its own stream would have held the work too",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 95), WORK(1, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0, 0}},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "a free waits for a kernel",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 212, 312, 206, 209)},
     .calls = {{CALL_FREE, 110, 204, 0, 0}},
     .kernel_busy = 200,
     .serialised[SERIAL_IMPLICIT_SYNC] = 90},
    {.name = "an allocation waits for a kernel that was on its way",
     .operations = {WORK(1, KERNEL, 112, 200, 90, 95), WORK(2, KERNEL, 222, 312, 216, 219)},
     .calls = {{CALL_ALLOC, 110, 214, 0, 0}},
     .kernel_busy = 178,
     .serialised[SERIAL_IMPLICIT_SYNC] = 88},
    {.name = "an allocation that does not wait",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 212, 312, 206, 209)},
     .calls = {{CALL_ALLOC, 110, 130, 0, 0}},
     .kernel_busy = 200},
    {.name = "a synchronous copy",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 202, SYNCHRONOUS, 0, 0},
                    WORK(2, KERNEL, 208, 308, 203, 206)},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "a kernel that fills the device",
     .operations = {WORK(1, LARGE_KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 195, 295, 92, 93)},
     .kernel_busy = 195,
     .serialised[SERIAL_RESOURCES] = 95},
    {.name = "a kernel that does not fill it: why the other one waited is not known",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 195, 295, 92, 93)},
     .kernel_busy = 195},
    {.name = "one stream waits for an event in another",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 203, 303, 94, 95)},
     .kernel_busy = 200},
    {.name = "two chunks in a pipeline: only its filling is lost",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(1, KERNEL, 202, 302, 91, 92),
                    WORK(1, TO_HOST, 304, 404, 92, 93), WORK(2, TO_DEVICE, 202, 302, 93, 94),
                    WORK(2, KERNEL, 304, 404, 94, 95), WORK(2, TO_HOST, 406, 506, 95, 96)},
     .kernel_busy = 200,
     .copy_busy = 400,
     .copy_hidden = 200,
     .serialised[SERIAL_ONE_ENGINE] = 100},
    {.name = "rounds of one stream, a set in the default stream and a wait between",
     DEFAULT_0,
     .operations = {WORK(0, SET, 100, 110, 90, 92), WORK(1, TO_DEVICE, 120, 220, 114, 116),
                    WORK(1, KERNEL, 222, 322, 117, 118), WORK(0, SET, 335, 345, 327, 329),
                    WORK(1, TO_DEVICE, 355, 455, 349, 351), WORK(1, KERNEL, 457, 557, 352, 353)},
     .calls = {{CALL_SYNC, 93, 112, 0, 0}, {CALL_SYNC, 119, 325, 0, 0}, {CALL_SYNC, 330, 347, 0, 0}},
     .kernel_busy = 200,
     .copy_busy = 220,
     .serialised[SERIAL_SAME_STREAM] = 300},
    {.name = "one stream is told to wait for an event in another",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 203, 303, 94, 95)},
     .calls = {TOLD(2, 92, 93)},
     .kernel_busy = 200,
     .serialised[SERIAL_EVENT_WAIT] = 100},
    {.name = "the event had come long before",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 250, 350, 94, 95)},
     .calls = {TOLD(2, 92, 93)},
     .kernel_busy = 200},
    {.name = "what was told to wait was the work before",
     .operations = {WORK(2, KERNEL, 92, 96, 88, 89), WORK(1, KERNEL, 100, 200, 80, 81),
                    WORK(2, KERNEL, 203, 303, 94, 95)},
     .calls = {TOLD(2, 85, 86)},
     .kernel_busy = 204,
     .serialised[SERIAL_SAME_STREAM] = 2},
    {.name = "the event is of work issued after the wait: it cannot be",
     .operations = {WORK(2, KERNEL, 203, 303, 94, 95), WORK(1, KERNEL, 100, 200, 96, 97)},
     .calls = {TOLD(2, 92, 93)},
     .kernel_busy = 200},
    {.name = "telling a stream to wait does not make the host wait",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {TOLD(2, 96, 203)},
     .kernel_busy = 200},
    {.name = "two streams are told to wait for a copy, and run together after it",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, KERNEL, 203, 303, 94, 95),
                    WORK(3, KERNEL, 204, 304, 98, 99)},
     .calls = {TOLD(2, 92, 93), TOLD(3, 96, 97)},
     .kernel_busy = 101,
     .copy_busy = 100,
     .serialised[SERIAL_EVENT_WAIT] = 100},
    {.name = "told to wait for a copy, but the engine was not free either",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, TO_DEVICE, 202, 302, 94, 95)},
     .calls = {TOLD(2, 92, 93)},
     .copy_busy = 200,
     .serialised[SERIAL_ONE_ENGINE] = 100},
    {.name = "the legacy default stream waits for the default stream of a thread",
     .stream_flags = {STREAM_DEFAULT, STREAM_PER_THREAD},
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(0, KERNEL, 203, 303, 92, 93)},
     .kernel_busy = 200,
     .serialised[SERIAL_DEFAULT_STREAM] = 100},
    {.name = "default streams of two threads",
     .stream_flags = {STREAM_DEFAULT, STREAM_PER_THREAD, STREAM_PER_THREAD},
     .issuer = {0, 0, 1},
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 101, 201, 92, 93)},
     .kernel_busy = 101},
    {.name = "default streams of two threads, whose second is late",
     .stream_flags = {STREAM_DEFAULT, STREAM_PER_THREAD, STREAM_PER_THREAD},
     .issuer = {0, 0, 1},
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(2, KERNEL, 205, 305, 198, 199)},
     .kernel_busy = 200},
    {.name = "a set in the default stream between two blocking streams",
     DEFAULT_0,
     .operations = {WORK(1, KERNEL, 100, 200, 90, 91), WORK(0, SET, 203, 213, 92, 93),
                    WORK(2, KERNEL, 216, 316, 94, 95)},
     .kernel_busy = 200,
     .copy_busy = 10,
     .serialised[SERIAL_DEFAULT_STREAM] = 110},
    {.name = "the default stream of another device",
     DEFAULT_0,
     .operations = {{1, KERNEL, 100, 200, 90, 91, ASYNC, 0, 0}, {0, KERNEL, 203, 303, 92, 93, ASYNC, 1, 0}},
     .kernel_busy = 200},
    {.name = "two nodes of a graph's launch, one after the other as its edges have it",
     .operations = {NODE(1, KERNEL, 100, 200, 5, 90, 95), NODE(1, KERNEL, 202, 302, 5, 90, 95)},
     .kernel_busy = 200},
    {.name = "two launches of a graph in one stream",
     .operations = {NODE(1, KERNEL, 100, 200, 5, 90, 92), NODE(1, KERNEL, 202, 302, 5, 93, 95)},
     .kernel_busy = 200,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "kernels shorter than their launches: nothing was ready",
     .operations = {WORK(1, KERNEL, 100, 102, 92, 97), WORK(2, KERNEL, 106, 108, 98, 103),
                    WORK(1, KERNEL, 112, 114, 104, 109), WORK(2, KERNEL, 118, 120, 110, 115)},
     .kernel_busy = 8},
    {.name = "copy and kernel in one stream, then the host waits for both",
     ALL_FREE,
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(1, KERNEL, 202, 302, 92, 93),
                    WORK(2, TO_DEVICE, 320, 420, 310, 311)},
     .calls = {{CALL_SYNC, 94, 305, 0, 0}},
     .kernel_busy = 100,
     .copy_busy = 200,
     .serialised = {[SERIAL_SAME_STREAM] = 100, [SERIAL_EXPLICIT_SYNC] = 100}},
    {.name = "a synchronous copy for each of two streams",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 202, SYNCHRONOUS, 0, 0},
                    WORK(1, KERNEL, 208, 308, 203, 205),
                    {2, TO_DEVICE, 215, 315, 206, 317, SYNCHRONOUS, 0, 0}},
     .kernel_busy = 100,
     .copy_busy = 200,
     .copy_hidden = 93,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "a copy each way and a kernel at once",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 91), WORK(2, KERNEL, 100, 200, 92, 93),
                    WORK(3, TO_HOST, 100, 200, 94, 95)},
     .kernel_busy = 100,
     .copy_busy = 100,
     .copy_hidden = 100},
    {.name = "an allocation while nothing runs",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 270, 370, 262, 265)},
     .calls = {{CALL_ALLOC, 210, 260, 0, 0}},
     .kernel_busy = 200},
    {.name = "two devices",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 91, ASYNC, 0, 0},
                    {2, TO_DEVICE, 202, 302, 92, 93, ASYNC, 1, 0}},
     .copy_busy = 200},
};

const size_t trace_count = sizeof traces / sizeof traces[0];

static uint32_t string(struct session *session, const char *text)
{
    return text == NULL ? 0 : session_add_string(session, text, strlen(text));
}

static uint32_t add_shape(struct session *session, uint32_t blocks, const char *name)
{
    struct shape_row shape = {.name = string(session, name),
                              .mangled = string(session, name),
                              .grid = {blocks, 1, 1},
                              .block = {256, 1, 1},
                              .registers_per_thread = 32};
    return session_add_shape(session, &shape);
}

static void add_named(struct session *session, const struct trace *trace, const struct operation *operation,
                      uint32_t run, const char *name)
{
    struct track_row stream = {.kind = TRACK_STREAM,
                               .flags = trace->stream_flags[operation->stream],
                               .process = 0,
                               .device = operation->device,
                               .context = 1 + operation->device,
                               .stream = operation->stream,
                               .thread = NONE};
    int64_t call_start_ns = operation->call_start == UNKNOWN ? INT64_MIN : operation->call_start * 1000;
    uint32_t call_duration_ns =
        call_start_ns == INT64_MIN ? 0 : (uint32_t)(operation->call_end - operation->call_start) * 1000;
    uint32_t thread = 7 + trace->issuer[operation->stream];
    struct item item = {0};
    if (operation->work == KERNEL || operation->work == LARGE_KERNEL) {
        uint32_t shape = add_shape(session, operation->work == KERNEL ? 1 : 100000, name);
        item.kind = ITEM_LAUNCH;
        item.launch.call_start_ns = call_start_ns;
        item.launch.call_duration_ns = call_duration_ns;
        item.launch.call_thread = thread;
        item.launch.kernel = session_add_kernel(session, run, shape, operation->device);
        item.launch.graph = operation->graph;
    } else if (operation->work == SET) {
        item.kind = ITEM_SET;
        item.set.call_start_ns = call_start_ns;
        item.set.call_duration_ns = call_duration_ns;
        item.set.call_thread = thread;
    } else {
        item.kind = ITEM_COPY;
        item.flags = operation->how == SYNCHRONOUS ? 0 : ITEM_ASYNC;
        item.a = operation->work == TO_DEVICE ? COPY_HTOD : COPY_DTOH;
        unsigned host = operation->how == PAGEABLE_ASYNC ? MEMORY_PAGEABLE : MEMORY_PINNED;
        unsigned from = operation->work == TO_DEVICE ? host : MEMORY_DEVICE,
                 to = operation->work == TO_DEVICE ? MEMORY_DEVICE : host;
        item.b = (uint8_t)(from | to << 4);
        item.copy.call_start_ns = call_start_ns;
        item.copy.call_duration_ns = call_duration_ns;
        item.copy.call_thread = thread;
    }
    cr_assert(session_add_event(session, session_add_track(session, &stream), operation->start * 1000,
                                operation->end * 1000, &item));
}

void trace_add(struct session *session, const struct trace *trace, const struct operation *operation,
               uint32_t run)
{
    add_named(session, trace, operation, run, NULL);
}

static void add_stream_wait(struct session *session, const struct call *call, uint32_t correlation)
{
    struct track_row waits = {.kind = TRACK_SYNCS, .device = NONE, .thread = 7 + call->thread};
    struct item item = {.kind = ITEM_SYNC,
                        .a = SYNC_STREAM_WAIT_EVENT,
                        .correlation = correlation,
                        .sync = {.context = 1, .stream = call->told, .thread = 7 + call->thread}};
    if (call->told != 0) {
        cr_assert(session_add_event(session, session_add_track(session, &waits), call->start * 1000,
                                    call->end * 1000, &item));
    }
}

struct session *trace_session(const struct trace *trace, const char *names)
{
    struct session *session;
    struct error error;
    cr_assert_eq(session_create(&session, 0, &error), STATUS_OK);
    struct process_row process = {.end_ns = INT64_MIN};
    session_add_process(session, &process);
    for (uint32_t i = 0; i < 2; i++) {
        struct device_row device = {.ordinal = i, .info = {.compute_capability = 90, .multiprocessors = 132}};
        session_add_device(session, &device);
    }
    uint32_t name = string(session, names);
    struct run_row run = {
        .workload = name, .variant = name, .params = name, .program = name, .end_ns = INT64_MIN};
    session_add_run(session, &run);
    for (size_t i = 0; i < 16 && trace->operations[i].end > 0; i++)
        add_named(session, trace, &trace->operations[i], 0, names);
    for (size_t i = 0; i < 8 && trace->calls[i].end > 0; i++) {
        struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 7 + trace->calls[i].thread};
        struct item item = {.kind = ITEM_CALL,
                            .b = (uint8_t)trace->calls[i].category,
                            .correlation = 100 + (uint32_t)i,
                            .call = {.name = name}};
        cr_assert(session_add_event(session, session_add_track(session, &calls), trace->calls[i].start * 1000,
                                    trace->calls[i].end * 1000, &item));
        add_stream_wait(session, &trace->calls[i], item.correlation);
    }
    return session;
}

const struct trace *trace_find(const char *name)
{
    for (size_t t = 0; t < trace_count; t++)
        if (strcmp(traces[t].name, name) == 0)
            return &traces[t];
    cr_assert_fail("no trace is called %s", name);
    return NULL;
}
