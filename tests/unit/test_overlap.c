/* Overlap: traces made by hand, their sums and reasons worked out by hand. Times in us. */
#include "core/overlap.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN (-1) /* the call is not in the trace */
#define EVERYTHING INT64_MIN, INT64_MAX

enum work {
    KERNEL,
    LARGE_KERNEL,
    TO_DEVICE,
    TO_HOST,
    SET
}; /* a large kernel has more blocks than the device has places */
enum how { ASYNC, PAGEABLE_ASYNC, SYNCHRONOUS };

struct operation {
    uint32_t stream;
    enum work work;
    int64_t start, end, call_start, call_end;
    enum how how;
    uint32_t device;
};

struct call {
    enum call_category category;
    int64_t start, end;
    uint32_t thread;
};

struct trace {
    const char *name;
    uint8_t stream_flags[4]; /* by stream; stream 0 is the legacy default stream where it is marked */
    uint32_t issuer[4];      /* thread that issues a stream's work */
    struct operation operations[16];
    struct call calls[8];
    int64_t kernel_busy, copy_busy, copy_hidden;
    int64_t serialised[SERIAL_COUNT];
};

#define DEFAULT_0 .stream_flags = {STREAM_DEFAULT}
#define ALL_FREE \
    .stream_flags = {STREAM_DEFAULT, STREAM_NON_BLOCKING, STREAM_NON_BLOCKING, STREAM_NON_BLOCKING}

#define WORK(stream, work, start, end, call_start, call_end)     \
    {                                                            \
        stream, work, start, end, call_start, call_end, ASYNC, 0 \
    }

static const struct trace traces[] = {
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
     .operations = {{1, TO_DEVICE, 100, 200, 90, 205, PAGEABLE_ASYNC, 0},
                    {2, TO_DEVICE, 215, 315, 207, 320, PAGEABLE_ASYNC, 0}},
     .copy_busy = 200,
     .serialised[SERIAL_PAGEABLE] = 100},
    {.name = "pageable chunks, depth first: nothing of the second is issued before the first is through",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 205, PAGEABLE_ASYNC, 0},
                    WORK(1, KERNEL, 212, 312, 206, 210),
                    {1, TO_HOST, 315, 415, 211, 420, PAGEABLE_ASYNC, 0},
                    {2, TO_DEVICE, 430, 530, 421, 535, PAGEABLE_ASYNC, 0}},
     .kernel_busy = 100,
     .copy_busy = 300,
     .serialised[SERIAL_PAGEABLE] = 300},
    {.name = "a pageable copy that waits itself",
     .operations = {WORK(1, KERNEL, 100, 300, 90, 92), {2, TO_DEVICE, 310, 400, 150, 405, PAGEABLE_ASYNC, 0}},
     .kernel_busy = 200,
     .copy_busy = 90,
     .serialised[SERIAL_PAGEABLE] = 150},
    {.name = "the host waits before it goes on in another stream",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0}},
     .kernel_busy = 200,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "the host waits twice in a row, for two kernels",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208),
                    WORK(3, KERNEL, 320, 420, 314, 316)},
     .calls = {{CALL_SYNC, 96, 203, 0}, {CALL_SYNC, 209, 312, 0}},
     .kernel_busy = 300,
     .serialised[SERIAL_EXPLICIT_SYNC] = 200},
    {.name = "the host is late, but did not wait",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .kernel_busy = 200},
    {.name = "the host waits, and is busy with other things after it",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 710, 810, 705, 708)},
     .calls = {{CALL_SYNC, 96, 203, 0}},
     .kernel_busy = 200},
    {.name = "one thread waits, another issues",
     .issuer = {0, 0, 1},
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0}},
     .kernel_busy = 200},
    {.name = "two threads wait, the one that issues and another",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0},
               {CALL_SYNC, 450, 500, 0},
               {CALL_SYNC, 50, 60, 1},
               {CALL_SYNC, 190, 204, 1}},
     .kernel_busy = 200,
     .serialised[SERIAL_EXPLICIT_SYNC] = 100},
    {.name = "the host waits, but its own stream would have held the work too",
     .operations = {WORK(1, TO_DEVICE, 100, 200, 90, 95), WORK(1, KERNEL, 210, 310, 205, 208)},
     .calls = {{CALL_SYNC, 96, 203, 0}},
     .kernel_busy = 100,
     .copy_busy = 100,
     .serialised[SERIAL_SAME_STREAM] = 100},
    {.name = "a free waits for a kernel",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 212, 312, 206, 209)},
     .calls = {{CALL_FREE, 110, 204, 0}},
     .kernel_busy = 200,
     .serialised[SERIAL_IMPLICIT_SYNC] = 90},
    {.name = "an allocation that does not wait",
     .operations = {WORK(1, KERNEL, 100, 200, 90, 95), WORK(2, KERNEL, 212, 312, 206, 209)},
     .calls = {{CALL_ALLOC, 110, 130, 0}},
     .kernel_busy = 200},
    {.name = "a synchronous copy",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 202, SYNCHRONOUS, 0}, WORK(2, KERNEL, 208, 308, 203, 206)},
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
     .calls = {{CALL_SYNC, 93, 112, 0}, {CALL_SYNC, 119, 325, 0}, {CALL_SYNC, 330, 347, 0}},
     .kernel_busy = 200,
     .copy_busy = 220,
     .serialised[SERIAL_SAME_STREAM] = 300},
    {.name = "two devices",
     .operations = {{1, TO_DEVICE, 100, 200, 90, 91, ASYNC, 0}, {2, TO_DEVICE, 202, 302, 92, 93, ASYNC, 1}},
     .copy_busy = 200},
};

static uint32_t add_shape(struct session *session, uint32_t blocks)
{
    struct shape_row shape = {.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .registers_per_thread = 32};
    return session_add_shape(session, &shape);
}

static void add_operation(struct session *session, const struct trace *trace,
                          const struct operation *operation, uint32_t run)
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
        uint32_t shape = add_shape(session, operation->work == KERNEL ? 1 : 100000);
        item.kind = ITEM_LAUNCH;
        item.launch.call_start_ns = call_start_ns;
        item.launch.call_duration_ns = call_duration_ns;
        item.launch.call_thread = thread;
        item.launch.kernel = session_add_kernel(session, run, shape, operation->device);
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

static struct session *session_of(const struct trace *trace)
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
    struct run_row run = {.end_ns = INT64_MIN};
    session_add_run(session, &run);
    for (size_t i = 0; i < 16 && trace->operations[i].end > 0; i++) {
        add_operation(session, trace, &trace->operations[i], 0);
    }
    for (size_t i = 0; i < 8 && trace->calls[i].end > 0; i++) {
        struct track_row calls = {.kind = TRACK_CALLS, .device = NONE, .thread = 7 + trace->calls[i].thread};
        struct item item = {.kind = ITEM_CALL, .b = (uint8_t)trace->calls[i].category};
        cr_assert(session_add_event(session, session_add_track(session, &calls), trace->calls[i].start * 1000,
                                    trace->calls[i].end * 1000, &item));
    }
    return session;
}

Test(overlap, equals_what_was_worked_out_by_hand)
{
    for (size_t t = 0; t < sizeof traces / sizeof traces[0]; t++) {
        const struct trace *trace = &traces[t];
        struct session *session = session_of(trace);
        struct overlap overlap;
        struct error error;
        for (uint32_t run = 0; run < 2; run++) { /* as a run, and as everything there is */
            cr_assert_eq(overlap_compute(session, run == 0 ? 0 : NONE, EVERYTHING, &overlap, &error),
                         STATUS_OK);
            cr_expect_eq(overlap.kernel_busy_ns, trace->kernel_busy * 1000, "%s: kernels %ld", trace->name,
                         (long)overlap.kernel_busy_ns);
            cr_expect_eq(overlap.copy_busy_ns, trace->copy_busy * 1000, "%s: copies %ld", trace->name,
                         (long)overlap.copy_busy_ns);
            cr_expect_eq(overlap.copy_hidden_ns, trace->copy_hidden * 1000, "%s: hidden %ld", trace->name,
                         (long)overlap.copy_hidden_ns);
            for (int reason = 0; reason < SERIAL_COUNT; reason++) {
                cr_expect_eq(overlap.serialised_ns[reason], trace->serialised[reason] * 1000,
                             "%s: %s %ld us, not %ld", trace->name,
                             serial_reason_id((enum serial_reason)reason),
                             (long)overlap.serialised_ns[reason] / 1000, (long)trace->serialised[reason]);
            }
        }
        session_destroy(session);
    }
}

static const struct trace *trace_find(const char *name)
{
    for (size_t t = 0; t < sizeof traces / sizeof traces[0]; t++) {
        if (strcmp(traces[t].name, name) == 0) {
            return &traces[t];
        }
    }
    cr_assert_fail("no trace is called %s", name);
    return NULL;
}

Test(overlap, clips_to_the_range)
{
    struct session *session = session_of(trace_find("one stream"));
    struct overlap overlap;
    struct error error;
    cr_assert_eq(overlap_compute(session, NONE, 150000, 260000, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.kernel_busy_ns, 58000);
    cr_assert_eq(overlap.copy_busy_ns, 50000);
    cr_assert_eq(overlap.any_busy_ns, 108000);
    cr_assert_eq(overlap.span_ns, 110000);
    cr_assert_eq(overlap.serialised_ns[SERIAL_SAME_STREAM], 50000);
    cr_assert_eq(overlap.operations, 2);
    cr_assert_eq(overlap_compute(session, NONE, 400000, 500000, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.operations, 0);
    cr_assert_eq(overlap.span_ns, 0);
    session_destroy(session);
}

Test(overlap, counts_streams_that_are_busy)
{
    struct session *session = session_of(trace_find("one stream, but another one is busy half of the time"));
    struct overlap overlap;
    struct error error;
    cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.any_busy_ns, 300000);
    cr_assert_float_eq(overlap.mean_active_streams, 450.0 / 300.0, 1e-12);
    session_destroy(session);
}

Test(overlap, keeps_to_the_run)
{
    static const struct trace empty = {.name = "nothing"};
    struct session *session = session_of(&empty);
    struct overlap overlap;
    struct error error;
    struct process_row process = {.end_ns = INT64_MIN};
    session_add_process(session, &process);
    struct run_row row = {.start_ns = 1000000, .end_ns = 2000000};
    uint32_t run = session_add_run(session, &row);
    const struct operation own = {1, KERNEL, 1100, 1200, 1090, 1095, ASYNC, 0},
                           other = {1, KERNEL, 1300, 1400, 1290, 1295, ASYNC, 0},
                           copy = {1, TO_DEVICE, 1500, 1600, 1490, 1495, ASYNC, 0},
                           later = {1, TO_DEVICE, 2500, 2600, 2490, 2495, ASYNC, 0};
    add_operation(session, &empty, &own, run);
    add_operation(session, &empty, &other, 0);
    add_operation(session, &empty, &copy, run);
    add_operation(session, &empty, &later, run);
    cr_assert_eq(overlap_compute(session, run, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.kernel_busy_ns, 100000);
    cr_assert_eq(overlap.copy_busy_ns, 100000);
    cr_assert_eq(overlap_compute(session, 7, EVERYTHING, &overlap, &error), STATUS_STATE);
    session_destroy(session);
}

Test(overlap, takes_calls_without_sense_for_unknown)
{
    static const struct trace empty = {.name = "nothing"};
    struct session *session = session_of(&empty);
    struct track_row stream = {.kind = TRACK_STREAM, .thread = NONE};
    struct item copy = {.kind = ITEM_COPY, .a = 255, .b = MEMORY_PAGEABLE};
    struct overlap overlap;
    struct error error;
    copy.copy.call_start_ns = INT64_MAX;
    copy.copy.call_duration_ns = UINT32_MAX;
    cr_assert(session_add_event(session, session_add_track(session, &stream), 100, 200, &copy));
    cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
    cr_assert_eq(overlap.copy_busy_ns, 100);
    session_destroy(session);
}

/* Against a sum over single microseconds, on random work. */
Test(overlap, equals_brute_force)
{
    enum { SPAN = 2000, STREAMS = 4 };
    uint64_t state = 3;
    for (int round = 0; round < 40; round++) {
        static uint8_t running[SPAN][STREAMS]; /* bit 0: a kernel, bit 1: a copy */
        static const struct trace free_streams = {ALL_FREE};
        struct session *session = session_of(&free_streams);
        memset(running, 0, sizeof running);
        for (int i = 0; i < 60; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            struct operation operation = {.stream = (uint32_t)(state >> 60) % STREAMS,
                                          .work = (state >> 40) % 2 ? KERNEL : TO_DEVICE,
                                          .start = (int64_t)((state >> 20) % (SPAN - 100)),
                                          .call_start = UNKNOWN};
            operation.end = operation.start + 1 + (int64_t)((state >> 50) % 99);
            add_operation(session, &free_streams, &operation, 0);
            for (int64_t t = operation.start; t < operation.end; t++) {
                running[t][operation.stream] |= operation.work == KERNEL ? 1 : 2;
            }
        }
        int64_t kernels = 0, copies = 0, both = 0, any = 0, streams = 0;
        for (size_t t = 0; t < SPAN; t++) {
            uint8_t all = running[t][0] | running[t][1] | running[t][2] | running[t][3];
            kernels += all & 1;
            copies += all >> 1;
            both += all == 3;
            any += all != 0;
            streams +=
                (running[t][0] != 0) + (running[t][1] != 0) + (running[t][2] != 0) + (running[t][3] != 0);
        }
        struct overlap overlap;
        struct error error;
        cr_assert_eq(overlap_compute(session, NONE, EVERYTHING, &overlap, &error), STATUS_OK);
        cr_assert_eq(overlap.kernel_busy_ns, kernels * 1000);
        cr_assert_eq(overlap.copy_busy_ns, copies * 1000);
        cr_assert_eq(overlap.copy_hidden_ns, both * 1000);
        cr_assert_eq(overlap.any_busy_ns, any * 1000);
        cr_assert_float_eq(overlap.mean_active_streams, (double)streams / (double)any, 1e-9);
        int64_t serialised_ns = 0;
        for (int reason = 0; reason < SERIAL_COUNT; reason++) {
            serialised_ns += overlap.serialised_ns[reason];
        }
        cr_assert_leq(serialised_ns, overlap.any_busy_ns);
        session_destroy(session);
    }
}
