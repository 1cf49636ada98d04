#include "tests/unit/fixture_timeline.h"

#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000)
#define THREADS 2

struct made {
    struct session *session;
    uint32_t run, streams[4], calls[THREADS], waits, ranges, kernels[3];
    int64_t host_ns[THREADS]; /* when the thread is free again */
    uint32_t correlation;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint32_t string(struct made *made, const char *text)
{
    return session_add_string(made->session, text, strlen(text));
}

static uint32_t add_track(struct made *made, enum track_kind kind, uint32_t stream, uint32_t thread,
                          uint8_t flags)
{
    bool cpu = kind != TRACK_STREAM;
    struct track_row row = {.kind = (uint8_t)kind,
                            .flags = flags,
                            .device = cpu ? NONE : 0,
                            .context = cpu ? NONE : 1,
                            .stream = cpu ? NONE : stream,
                            .thread = cpu ? thread : NONE};
    return session_add_track(made->session, &row);
}

static void add(struct made *made, uint32_t track, int64_t start_ns, int64_t end_ns, const struct item *item)
{
    must(session_add_event(made->session, track, start_ns, end_ns, item));
    if (end_ns > session_now_ns(made->session, CLOCK_WALL))
        session_set_now(made->session, CLOCK_WALL, end_ns);
}

/* A call of the thread that returns after duration_ns. */
static int64_t add_call(struct made *made, uint32_t thread, const char *name, enum call_category category,
                        int64_t duration_ns)
{
    struct item item = {.kind = ITEM_CALL,
                        .b = (uint8_t)category,
                        .correlation = ++made->correlation,
                        .call = {.name = string(made, name)}};
    int64_t start_ns = made->host_ns[thread];
    add(made, made->calls[thread], start_ns, start_ns + duration_ns, &item);
    made->host_ns[thread] = start_ns + duration_ns + 500;
    return start_ns;
}

static int64_t launch(struct made *made, uint32_t thread, uint32_t stream, uint32_t kernel, int64_t at_ns,
                      int64_t duration_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.call_start_ns = add_call(made, thread, "cudaLaunchKernel", CALL_LAUNCH, 4 * US);
    item.launch.call_duration_ns = 4 * US;
    item.launch.call_thread = 900 + thread;
    item.launch.kernel = made->kernels[kernel];
    item.correlation = made->correlation;
    add(made, made->streams[stream], at_ns, at_ns + duration_ns, &item);
    return at_ns + duration_ns;
}

static int64_t copy(struct made *made, uint32_t stream, enum copy_kind kind, enum memory_kind host,
                    int64_t at_ns, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_COPY, .flags = ITEM_ASYNC, .a = (uint8_t)kind};
    bool in = kind == COPY_HTOD, pageable = host == MEMORY_PAGEABLE;
    uint32_t call_ns = (uint32_t)(pageable ? duration_ns + 20 * US : 3 * US);
    item.b = (uint8_t)((in ? host : MEMORY_DEVICE) | (in ? MEMORY_DEVICE : host) << 4);
    item.copy.call_start_ns = add_call(made, 0, "cudaMemcpyAsync", CALL_COPY, call_ns);
    item.copy.call_duration_ns = call_ns;
    item.copy.call_thread = 900;
    item.copy.size_bytes = (uint64_t)duration_ns * 50;
    item.correlation = made->correlation;
    add(made, made->streams[stream], at_ns, at_ns + duration_ns, &item);
    return at_ns + duration_ns;
}

static void add_range(struct made *made, const char *name, int64_t start_ns, int64_t end_ns, uint32_t depth)
{
    struct item item = {.kind = ITEM_RANGE};
    item.range.name = string(made, name);
    item.range.depth = depth;
    add(made, made->ranges, start_ns, end_ns, &item);
}

static void add_tables(struct made *made)
{
    static const struct {
        const char *name;
        uint32_t blocks;
    } kernels[] = {
        {"scale_chunk(float*, int)", 64}, {"sum_all(float const*, float*, int)", 4096}, {"fill(float*)", 8}};
    struct process_row process = {.pid = 900, .rank = -1, .program = string(made, "./staged")};
    atomic_init(&process.end_ns, INT64_MIN);
    session_add_process(made->session, &process);
    struct device_row device = {.info = {.name = "NVIDIA H200",
                                         .chip = "GH100",
                                         .compute_capability = 90,
                                         .multiprocessors = 132,
                                         .copy_engines = 3}};
    session_add_device(made->session, &device);
    struct run_row run = {.program = process.program};
    atomic_init(&run.end_ns, INT64_MIN);
    atomic_init(&run.verified, (int8_t)-1);
    made->run = session_add_run(made->session, &run);
    for (int i = 0; i < 3; i++) {
        struct shape_row shape = {.name = string(made, kernels[i].name),
                                  .grid = {kernels[i].blocks, 1, 1},
                                  .block = {256, 1, 1},
                                  .registers_per_thread = 32};
        made->kernels[i] =
            session_add_kernel(made->session, made->run, session_add_shape(made->session, &shape), 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        made->streams[i] =
            add_track(made, TRACK_STREAM, i == 0 ? 7 : 12 + i, NONE, i == 0 ? STREAM_DEFAULT : 0);
    for (uint32_t i = 0; i < THREADS; i++)
        made->calls[i] = add_track(made, TRACK_CALLS, NONE, 900 + i, 0);
    made->waits = add_track(made, TRACK_SYNCS, NONE, 900, 0);
    made->ranges = add_track(made, TRACK_RANGES, NONE, 900, 0);
}

void fixture_timeline_fill(struct session *session)
{
    struct made made = {.session = session};
    add_tables(&made);
    for (int step = 0; step < 4; step++) {
        int64_t begin = 1000 * US + step * 3000 * US, in = begin + 20 * US, end = 0;
        made.host_ns[0] = begin;
        made.host_ns[1] = begin + 700 * US;
        for (uint32_t chunk = 0; chunk < FIXTURE_TIMELINE_CHUNKS; chunk++) {
            uint32_t stream = 1 + chunk % 3;
            in = copy(&made, stream, COPY_HTOD, MEMORY_PINNED, in, 150 * US) + 2 * US;
            end = launch(&made, 0, stream, 0, in + 3 * US, 120 * US);
            end = copy(&made, stream, COPY_DTOH, MEMORY_PINNED, end + 4 * US, 140 * US);
        }
        /* The default stream waits for all of it, and the next step's first work for it. */
        end = launch(&made, 0, 0, 1, end + 5 * US, 300 * US);
        for (int i = 0; i < 8; i++)
            launch(&made, 1, 1, 2, end + 8 * US + i * 14 * US, 9 * US);
        struct item wait = {.kind = ITEM_SYNC, .a = SYNC_CONTEXT};
        int64_t waits_ns = made.host_ns[0];
        add_call(&made, 0, "cudaDeviceSynchronize", CALL_SYNC, end - waits_ns);
        add(&made, made.waits, waits_ns + US, end, &wait);
        made.host_ns[0] = end + 150 * US;
        copy(&made, 2, COPY_HTOD, MEMORY_PAGEABLE, end + 160 * US, 200 * US);
        add_range(&made, "step", begin - 30 * US, end + 420 * US, 0);
        add_range(&made, "stage in, work, stage out", begin - 10 * US, waits_ns, 1);
        add_range(&made, "copies", begin, begin + 60 * US, 2);
        add_range(&made, "wait", waits_ns + US, end + 10 * US, 1);
        add_range(&made, "upload of parameters", end + 140 * US, end + 400 * US, 1);
    }
}
