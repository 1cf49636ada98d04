/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a run went: hand-made traces for every class, random traces against the definition taken
 * instant by instant, and all recordings of tests/data, whose busy time overlap has as well.
 */
#include "core/analysis/overlap/overlap.h"
#include "core/analysis/partition.h"
#include "core/recording/recording.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>

#define EVERYTHING INT64_MIN, INT64_MAX
#define UNIT_NS 20000 /* traces are made in units of 20 us */
#define UNKNOWN (-1)

/* ---- traces ---- */
enum what { KERNEL, COLLECTIVE, COPY, SET };

struct operation {
    enum what what;
    int64_t start, end, call_start, call_end; /* call_start UNKNOWN: not traced */
    uint32_t stream, thread;
};

struct host {
    enum track_kind kind; /* CALLS, RANGES, OVERHEAD */
    enum call_category category;
    const char *name;
    int64_t start, end;
    uint32_t thread;
};

static uint32_t string_add(struct session *session, const char *text)
{
    return text == NULL ? 0 : session_add_string(session, text, strlen(text));
}

static struct session *session_make(bool python)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 0, NULL), STATUS_OK);
    session_add_process(session,
                        &(struct process_row){.program = string_add(session, python ? "python3" : "program"),
                                              .end_ns = INT64_MIN});
    session_add_device(session, &(struct device_row){.info = {.compute_capability = 90}});
    session_add_run(session, &(struct run_row){.end_ns = INT64_MIN});
    return session;
}

static void operation_add(struct session *session, const struct operation *o)
{
    struct track_row track = {.kind = TRACK_STREAM, .stream = o->stream, .thread = NONE};
    struct item item = {.kind = ITEM_LAUNCH};
    bool known = o->call_start != UNKNOWN;
    int64_t call_ns = known ? o->call_start * UNIT_NS : INT64_MIN;
    uint32_t call_length_ns = known ? (uint32_t)((o->call_end - o->call_start) * UNIT_NS) : 0;
    if (o->what == KERNEL || o->what == COLLECTIVE) {
        const char *name = o->what == KERNEL ? "gemm" : "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
        uint32_t shape = session_add_shape(session, &(struct shape_row){.name = string_add(session, name)});
        item.launch.kernel = session_add_kernel(session, 0, shape, 0);
        item.launch.call_start_ns = call_ns;
        item.launch.call_duration_ns = call_length_ns;
        item.launch.call_thread = o->thread;
    } else {
        item.kind = o->what == COPY ? ITEM_COPY : ITEM_SET;
        item.copy.call_start_ns = call_ns;
        item.copy.call_duration_ns = call_length_ns;
        item.copy.call_thread = o->thread;
    }
    cr_assert(session_add_event(session, session_add_track(session, &track), o->start * UNIT_NS,
                                o->end * UNIT_NS, &item));
}

static void host_add(struct session *session, const struct host *h)
{
    struct track_row track = {.kind = (uint8_t)h->kind, .device = NONE, .thread = h->thread};
    struct item item = {.kind = ITEM_CALL, .b = (uint8_t)h->category};
    uint32_t name = string_add(session, h->name);
    if (h->kind == TRACK_RANGES)
        item = (struct item){.kind = ITEM_RANGE, .range = {.name = name}};
    else if (h->kind == TRACK_OVERHEAD)
        item = (struct item){.kind = ITEM_OVERHEAD, .overhead = {.name = name}};
    else
        item.call.name = name;
    if (item.kind == ITEM_CALL && strstr(h->name, "Query"))
        item.call.result = 600; /* cudaErrorNotReady */
    cr_assert(session_add_event(session, session_add_track(session, &track), h->start * UNIT_NS,
                                h->end * UNIT_NS, &item));
}

static int64_t partition_sum(const struct partition *partition)
{
    int64_t sum = 0;
    for (int part = 0; part < PARTITION_COUNT; part++)
        sum += partition->ns[part];
    return sum;
}

/* ---- by hand ---- */
/* The first operation ends at 10, the last begins at 100 or where it says. The program is Python, but where the name
 * begins with COMPILED. */
#define COMPILED "compiled: "
struct trace {
    const char *name;
    struct operation operations[5];
    struct host host[5];
    int64_t units[PARTITION_COUNT];
    const char *blamed; /* the name of the longest idle time; NULL: none */
};

#define FIRST                       \
    {                               \
        KERNEL, 0, 10, -2, -1, 0, 0 \
    }
#define CALL(category, name, start, end)                  \
    {                                                     \
        TRACK_CALLS, CALL_##category, name, start, end, 0 \
    }

static const struct trace traces[] = {
    {"kernels hide copies and collectives",
     {{KERNEL, 0, 50, -5, -4, 0, 0},
      {COPY, 40, 60, -4, -3, 1, 0},
      {COLLECTIVE, 45, 80, -3, -2, 2, 0},
      {SET, 70, 90, -2, -1, 3, 0}},
     {{0}},
     {[PARTITION_KERNEL] = 50, [PARTITION_COLLECTIVE] = 30, [PARTITION_COPY] = 10},
     NULL},
    {"the host was in a launch for long",
     {FIRST, {KERNEL, 100, 110, 20, 99, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 20, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_LAUNCH] = 80, [PARTITION_BETWEEN] = 10},
     "cudaLaunchKernel"},
    {"short pauses between launches are launching",
     {FIRST, {KERNEL, 20, 21, 18, 19, 1, 0}, {KERNEL, 31, 32, 28, 30, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 9, 10), CALL(LAUNCH, "cudaLaunchKernel", 18, 19),
      CALL(OTHER, "cudaGetDevice", 22, 23), CALL(LAUNCH, "cudaLaunchKernel", 28, 30)},
     {[PARTITION_KERNEL] = 12, [PARTITION_LAUNCH] = 5, [PARTITION_BETWEEN] = 14, [PARTITION_CALL] = 1},
     NULL},
    {COMPILED "a pause of more than 100 us is the program's own work",
     {FIRST, {KERNEL, 20, 21, 18, 19, 1, 0}, {KERNEL, 31, 32, 28, 30, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 9, 10), CALL(LAUNCH, "cudaLaunchKernel", 18, 19),
      CALL(OTHER, "cudaGetDevice", 22, 23), CALL(LAUNCH, "cudaLaunchKernel", 28, 30)},
     {[PARTITION_KERNEL] = 12,
      [PARTITION_LAUNCH] = 5,
      [PARTITION_BETWEEN] = 6,
      [PARTITION_HOST] = 8,
      [PARTITION_CALL] = 1},
     NULL},
    {"the host waited and took a while to go on",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(SYNC, "cudaDeviceSynchronize", 5, 91), CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_SYNC] = 90},
     "cudaDeviceSynchronize"},
    {"a long pause after a wait is the program's own work",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(SYNC, "cudaDeviceSynchronize", 5, 20), CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_SYNC] = 10, [PARTITION_HOST] = 78, [PARTITION_LAUNCH] = 2},
     ""},
    {"a query that finds work unfinished waits",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(STREAM, "cudaEventQuery", 5, 91), CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_SYNC] = 81, [PARTITION_BETWEEN] = 7, [PARTITION_LAUNCH] = 2},
     "cudaEventQuery"},
    {"a stream that waits does not make the host wait",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(STREAM, "cuStreamWaitEvent", 5, 91), CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_CALL] = 81, [PARTITION_BETWEEN] = 7, [PARTITION_LAUNCH] = 2},
     "cuStreamWaitEvent"},
    {"work that another thread issues right after this one's",
     {FIRST, {KERNEL, 20, 30, 18, 19, 1, 1}},
     {CALL(LAUNCH, "cudaLaunchKernel", 1, 2),
      {TRACK_CALLS, CALL_LAUNCH, "cudaLaunchKernel", -90, -89, 1},
      {TRACK_CALLS, CALL_LAUNCH, "cudaLaunchKernel", 18, 19, 1}},
     {[PARTITION_KERNEL] = 20, [PARTITION_BETWEEN] = 8, [PARTITION_LAUNCH] = 2},
     NULL},
    {"memory was allocated and freed",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(ALLOC, "cudaMalloc", 10, 60), CALL(FREE, "cudaFree", 60, 98),
      CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_ALLOC] = 88, [PARTITION_LAUNCH] = 2},
     "cudaMalloc"},
    {"code was loaded by a call, and within the launch",
     {FIRST, {KERNEL, 100, 110, 60, 99, 1, 0}},
     {CALL(MODULE, "cuModuleLoadData", 10, 60),
      CALL(LAUNCH, "cudaLaunchKernel", 60, 99),
      {TRACK_OVERHEAD, 0, "driver loads a function", 70, 90, 0}},
     {[PARTITION_KERNEL] = 20, [PARTITION_MODULE] = 70, [PARTITION_LAUNCH] = 20},
     "cuModuleLoadData"},
    {"a first launch that takes as long as loading its code, and a second one",
     {{COPY, 0, 10, -2, -1, 0, 0}, {KERNEL, 90, 95, 10, 80, 1, 0}, {KERNEL, 180, 190, 95, 165, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 10, 80), CALL(LAUNCH, "cudaLaunchKernel", 95, 165)},
     {[PARTITION_KERNEL] = 15,
      [PARTITION_COPY] = 10,
      [PARTITION_MODULE] = 70,
      [PARTITION_LAUNCH] = 1 + 70 + 1,
      [PARTITION_DEVICE] = 9 + 14},
     "cudaLaunchKernel"},
    {"a first launch that waits for the sampler, and loads its code",
     {{COPY, 0, 10, -2, -1, 0, 0}, {KERNEL, 90, 95, 10, 80, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 10, 80),
      {TRACK_OVERHEAD, 0, "the first launch waits for the sampler", 12, 78, 0}},
     {[PARTITION_KERNEL] = 5,
      [PARTITION_COPY] = 10,
      [PARTITION_TOOL] = 66,
      [PARTITION_MODULE] = 4,
      [PARTITION_LAUNCH] = 1,
      [PARTITION_DEVICE] = 9},
     "the first launch waits for the sampler"},
    {"another call, and the tracing",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {CALL(OTHER, "cudaHostRegister", 10, 98),
      CALL(LAUNCH, "cudaLaunchKernel", 98, 99),
      {TRACK_OVERHEAD, 0, "CUPTI sets up", 20, 30, 0}},
     {[PARTITION_KERNEL] = 20, [PARTITION_CALL] = 78, [PARTITION_TOOL] = 10, [PARTITION_LAUNCH] = 2},
     "cudaHostRegister"},
    {"what was issued in the range of a collective, and in one around it or behind it",
     .operations = {FIRST,
                    {COPY, 10, 20, 2, 3, 1, 0},    /* in ncclAllGather */
                    {KERNEL, 20, 30, 4, 5, 1, 0},  /* in ncclAllGather: a kernel of another name */
                    {COPY, 30, 40, 6, 7, 1, 0},    /* in the step around it */
                    {KERNEL, 40, 50, 8, 9, 1, 1}}, /* of another thread */
     .host = {{TRACK_RANGES, 0, "step of ncclAllGather", 1, 9, 0},
              {TRACK_RANGES, 0, "ncclAllGather", 2, 6, 0}},
     .units = {[PARTITION_KERNEL] = 20, [PARTITION_COLLECTIVE] = 20, [PARTITION_COPY] = 10}},
    {"the program's own work, in a range",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 0}},
     {{TRACK_RANGES, 0, "step", -5, 120, 0},
      {TRACK_RANGES, 0, "load data", 30, 97, 0},
      CALL(LAUNCH, "cudaLaunchKernel", 98, 99)},
     {[PARTITION_KERNEL] = 20, [PARTITION_HOST] = 88, [PARTITION_LAUNCH] = 2},
     "load data"},
    {"work of another thread is not this one's",
     {FIRST, {KERNEL, 100, 110, 98, 99, 1, 1}},
     {CALL(ALLOC, "cudaMalloc", 10, 97), {TRACK_CALLS, CALL_LAUNCH, "cudaLaunchKernel", 98, 99, 1}},
     {[PARTITION_KERNEL] = 20, [PARTITION_HOST] = 88, [PARTITION_LAUNCH] = 2},
     ""},
    {"a copy that the host makes itself",
     {FIRST, {COPY, 100, 110, 10, 112, 1, 0}},
     {CALL(COPY, "cudaMemcpy", 10, 112)},
     {[PARTITION_KERNEL] = 10, [PARTITION_COPY] = 10, [PARTITION_TRANSFER] = 90},
     "cudaMemcpy"},
    {"issued work that had not started",
     {FIRST, {KERNEL, 100, 110, 0, 5, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 0, 5)},
     {[PARTITION_KERNEL] = 20, [PARTITION_DEVICE] = 90},
     ""},
    {"work that arrives late",
     {FIRST, {KERNEL, 100, 110, 10, 20, 1, 0}},
     {CALL(LAUNCH, "cudaLaunchKernel", 10, 20)},
     {[PARTITION_KERNEL] = 20, [PARTITION_LAUNCH] = 11, [PARTITION_DEVICE] = 79},
     ""},
    {"calls were not traced",
     {FIRST, {KERNEL, 100, 110, UNKNOWN, 0, 1, 0}},
     {{0}},
     {[PARTITION_KERNEL] = 20, [PARTITION_UNKNOWN] = 90},
     ""},
};

Test(partition, equals_what_was_worked_out_by_hand)
{
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        const struct trace *trace = &traces[t];
        struct session *session = session_make(strncmp(trace->name, COMPILED, strlen(COMPILED)) != 0);
        struct partition_list list;
        for (size_t i = 0; i < 5 && trace->operations[i].end != 0; i++)
            operation_add(session, &trace->operations[i]);
        for (size_t i = 0; i < 5 && trace->host[i].end != 0; i++)
            host_add(session, &trace->host[i]);
        cr_assert_eq(partition_compute(session, NONE, EVERYTHING, &list, NULL), STATUS_OK);
        cr_assert_eq(list.count, 1, "%s", trace->name);
        const struct partition *partition = &list.items[0];
        for (int part = 0; part < PARTITION_COUNT; part++) {
            cr_expect_eq(partition->ns[part], trace->units[part] * UNIT_NS, "%s: %s: %ld us, not %ld",
                         trace->name, partition_class_id((enum partition_class)part),
                         (long)partition->ns[part] / 1000, (long)trace->units[part] * UNIT_NS / 1000);
        }
        cr_expect_eq(partition_sum(partition), partition_span_ns(partition), "%s", trace->name);
        if (trace->blamed != NULL) {
            cr_assert_gt(partition->blame_count, 0, "%s", trace->name);
            cr_expect_str_eq(session_string(session, partition->blames[0].name), trace->blamed, "%s",
                             trace->name);
        }
        partition_free(&list);
        session_destroy(session);
    }
}

/* ---- at random, against the definition ---- */
#define UNITS 600
#define OPERATIONS 40
#define STREAMS 3
#define THREADS 2
#define CALLS_MAX 80

static uint64_t random_state;

static int64_t random_below(int64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((random_state >> 33) % (uint64_t)below);
}

struct random_trace {
    struct operation operations[OPERATIONS];
    size_t operation_count;
    struct host calls[CALLS_MAX], overheads[CALLS_MAX];
    size_t call_count, overhead_count;
    bool python;
};

static void trace_random(struct random_trace *trace)
{
    static const char *const names[] = {"cudaDeviceSynchronize", "cuModuleLoadData", "cudaFuncGetAttributes",
                                        "cuStreamWaitEvent"};
    *trace = (struct random_trace){0};
    int64_t stream_at[STREAMS] = {0};
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (int64_t at = random_below(20); at < UNITS && trace->call_count < CALLS_MAX - 1;) {
            int64_t end = at + 1 + random_below(12);
            enum call_category category = (enum call_category)random_below(CALL_CATEGORY_COUNT);
            trace->calls[trace->call_count++] =
                (struct host){TRACK_CALLS, category, names[random_below(4)], at, end, thread};
            if (category <= CALL_SET && category != CALL_OTHER && trace->operation_count < OPERATIONS) {
                uint32_t stream = (uint32_t)random_below(STREAMS);
                int64_t start = at + random_below(20), length = random_below(25);
                start = start > stream_at[stream] ? start : stream_at[stream];
                stream_at[stream] = start + length;
                trace->operations[trace->operation_count++] =
                    (struct operation){(enum what)random_below(4),
                                       start,
                                       start + length,
                                       random_below(12) == 0 ? UNKNOWN : at,
                                       end,
                                       stream,
                                       thread};
            }
            if (random_below(4) == 0)
                trace->overheads[trace->overhead_count++] =
                    (struct host){TRACK_OVERHEAD,
                                  0,
                                  random_below(2) == 0 ? "driver compiles" : "CUPTI sets up",
                                  at,
                                  at + 1 + random_below(end - at),
                                  thread};
            at = end + random_below(3) * random_below(40);
        }
    }
}

static bool unit_within(const struct host *host, uint32_t thread, int64_t unit)
{
    return host->thread == thread && host->start <= unit && unit < host->end;
}

static enum partition_class oracle_call(const struct host *call)
{
    static const enum partition_class of[] = {
        [CALL_OTHER] = PARTITION_CALL,   [CALL_LAUNCH] = PARTITION_LAUNCH, [CALL_COPY] = PARTITION_TRANSFER,
        [CALL_SET] = PARTITION_TRANSFER, [CALL_ALLOC] = PARTITION_ALLOC,   [CALL_FREE] = PARTITION_ALLOC,
        [CALL_SYNC] = PARTITION_SYNC,    [CALL_STREAM] = PARTITION_CALL,   [CALL_MODULE] = PARTITION_MODULE};
    return of[call->category];
}

static bool waits(const struct host *call)
{
    return oracle_call(call) == PARTITION_SYNC;
}

/* What the thread does at an instant: *inside, in a call; *before, the call that ended last; and until when
 * the time between two calls is. */
static void oracle_moment(const struct random_trace *trace, uint32_t thread, int64_t unit,
                          const struct host **inside, const struct host **before, int64_t *after)
{
    *inside = *before = NULL;
    *after = INT64_MAX;
    for (size_t i = 0; i < trace->call_count; i++) { /* a thread's calls come in order */
        const struct host *call = &trace->calls[i];
        if (call->thread != thread)
            continue;
        *inside = unit_within(call, thread, unit) ? call : *inside;
        *before = call->end <= unit ? call : *before;
        *after = call->start > unit && call->start < *after ? call->start : *after;
    }
}

/* How long is the thread outside calls, of the idle time before it issues `next`? */
static int64_t oracle_pause_ns(const struct operation *next, int64_t idle_since, const struct host *before,
                               int64_t after)
{
    int64_t from = before != NULL && before->end > idle_since ? before->end : idle_since;
    int64_t until = after < next->call_start ? after : next->call_start;
    return (until - from) * UNIT_NS;
}

/* Did the thread wait at some instant of [idle_since, unit] or shortly before, and made no longer pause
 * since? */
static bool oracle_waited(const struct random_trace *trace, const struct operation *next, int64_t idle_since,
                          int64_t unit)
{
    bool waited = false;
    for (int64_t at = idle_since; at <= unit; at++) {
        const struct host *inside, *before;
        int64_t after;
        oracle_moment(trace, next->thread, at, &inside, &before, &after);
        bool near = before != NULL && idle_since - before->end <= PARTITION_PAUSE_NS / UNIT_NS;
        if (inside != NULL)
            waited |= waits(inside);
        else if (oracle_pause_ns(next, idle_since, before, after) <= PARTITION_PAUSE_NS)
            waited |= near && waits(before);
        else
            waited = false;
    }
    return waited;
}

/* What the header says of one instant in which nothing runs, `next` being the operation that ends the idle
 * time and idle_since the start of it. */
static enum partition_class oracle_idle(const struct random_trace *trace, const struct operation *next,
                                        int64_t idle_since, int64_t unit)
{
    if (next->call_start == UNKNOWN)
        return PARTITION_UNKNOWN;
    if (next->call_end <= idle_since || unit >= next->call_end + PARTITION_LATENCY_NS / UNIT_NS)
        return PARTITION_DEVICE;
    for (size_t i = 0; i < trace->overhead_count; i++)
        if (unit_within(&trace->overheads[i], next->thread, unit))
            return strcmp(trace->overheads[i].name, "driver compiles") == 0 ? PARTITION_MODULE
                                                                            : PARTITION_TOOL;
    bool issued = unit >= next->call_start;
    bool waited = oracle_waited(trace, next, idle_since, issued ? next->call_start - 1 : unit);
    enum partition_class launching = waited ? PARTITION_SYNC : PARTITION_LAUNCH;
    if (issued)
        return next->what == KERNEL || next->what == COLLECTIVE ? launching : PARTITION_TRANSFER;
    const struct host *inside, *before;
    int64_t after;
    oracle_moment(trace, next->thread, unit, &inside, &before, &after);
    if (inside != NULL)
        return oracle_call(inside) == PARTITION_LAUNCH ? launching : oracle_call(inside);
    int64_t pause_ns = oracle_pause_ns(next, idle_since, before, after);
    if (waited && pause_ns <= PARTITION_PAUSE_NS)
        return PARTITION_SYNC;
    return pause_ns <= (trace->python ? PARTITION_PAUSE_NS : PARTITION_OWN_NS) ? PARTITION_BETWEEN
                                                                               : PARTITION_HOST;
}

static void oracle(const struct random_trace *trace, int64_t from, int64_t until,
                   int64_t units[PARTITION_COUNT])
{
    int64_t first = INT64_MAX, last = INT64_MIN, idle_since = 0;
    memset(units, 0, PARTITION_COUNT * sizeof *units);
    for (size_t i = 0; i < trace->operation_count; i++) {
        const struct operation *o = &trace->operations[i];
        if (o->end <= from || o->start >= until)
            continue;
        first = o->start < first ? o->start : first;
        last = o->end > last ? o->end : last;
    }
    for (size_t i = 0; i < trace->operation_count && last != INT64_MIN; i++)
        last = trace->operations[i].start == until ? until : last; /* it ends the last idle time */
    first = first < from ? from : first;
    last = last > until ? until : last;
    for (int64_t unit = first; unit < last; unit++) {
        bool runs[4] = {false};
        const struct operation *next = NULL;
        for (size_t i = 0; i < trace->operation_count; i++) {
            const struct operation *o = &trace->operations[i];
            runs[o->what] |= o->start <= unit && unit < o->end;
            idle_since =
                o->start == unit ? unit : idle_since; /* also one of no length ends the time before */
            if (o->start > unit && o->start <= until &&
                (next == NULL || o->start < next->start ||
                 (o->start == next->start &&
                  (o->end < next->end || (o->end == next->end && o->stream < next->stream)))))
                next = o;
        }
        if (runs[KERNEL] || runs[COLLECTIVE] || runs[COPY] || runs[SET]) {
            units[runs[KERNEL]       ? PARTITION_KERNEL
                  : runs[COLLECTIVE] ? PARTITION_COLLECTIVE
                                     : PARTITION_COPY]++;
            idle_since = unit + 1;
        } else {
            cr_assert_not_null(next);
            units[oracle_idle(trace, next, idle_since, unit)]++;
        }
    }
}

static void random_compare(const struct random_trace *trace, const struct session *session, int64_t from,
                           int64_t until, uint64_t seed)
{
    int64_t units[PARTITION_COUNT];
    struct partition_list list;
    oracle(trace, from, until, units);
    cr_assert_eq(partition_compute(session, NONE, from * UNIT_NS, until * UNIT_NS, &list, NULL), STATUS_OK);
    for (int part = 0; part < PARTITION_COUNT; part++) {
        int64_t ns = list.count == 0 ? 0 : list.items[0].ns[part];
        cr_assert_eq(ns, units[part] * UNIT_NS, "seed %lu, %ld to %ld: %s: %ld units, not %ld",
                     (unsigned long)seed, (long)from, (long)until,
                     partition_class_id((enum partition_class)part), (long)(ns / UNIT_NS), (long)units[part]);
    }
    if (list.count > 0)
        cr_assert_eq(partition_sum(&list.items[0]), partition_span_ns(&list.items[0]));
    partition_free(&list);
}

static int operation_order(const void *a, const void *b)
{
    const struct operation *first = a, *second = b;
    return (first->end > second->end) - (first->end < second->end);
}

/* By the name as it is shown: with what it returns, namespaces and arguments. */
Test(partition, knows_collectives_by_name)
{
    static const char *const collectives[] = {
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "rcclGenericKernel",
        "void rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)",
        "nvshmemi_barrier_all",
        "void nvshmem::put<float>(float*)",
        "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)",
        "void c10d::symmetric_memory::one_shot_all_reduce_kernel<float>(float**)",
        "void c10d::multimem_all_gather_kernel<16>(char*)"};
    static const char *const others[] = {
        "gemm",  "pack_for_nccl(float*)", "void copy<ncclWork>(ncclWork*)", "vectorized(nccl::type)", "",
        "void ", "my_nccl_helper"};
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        cr_assert(kernel_is_collective(collectives[i]), "%s", collectives[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert(!kernel_is_collective(others[i]), "%s", others[i]);
}

/* A wait that is put down with what follows it is one idle time, in however many pieces. */
Test(partition, counts_idle_times_and_not_their_pieces)
{
    struct session *session = session_make(true);
    struct partition_list list;
    for (int64_t i = 0; i < 5; i++) {
        int64_t at = 20 * i;
        struct host calls[] = {CALL(LAUNCH, "cudaLaunchKernel", at + 1, at + 2),
                               CALL(SYNC, "cudaDeviceSynchronize", at + 3, at + 15)};
        operation_add(session, &(struct operation){KERNEL, at + 3, at + 10, at + 1, at + 2, 1, 0});
        host_add(session, &calls[0]);
        host_add(session, &calls[1]);
    }
    cr_assert_eq(partition_compute(session, NONE, EVERYTHING, &list, NULL), STATUS_OK);
    cr_assert_eq(list.items[0].blame_count, 1);
    cr_assert_eq(list.items[0].blames[0].times, 4);
    cr_assert_eq(list.items[0].times[PARTITION_SYNC], 4);
    cr_assert_eq(list.items[0].times[PARTITION_KERNEL], 5);
    const struct partition_gap *gap = &list.items[0].gaps[PARTITION_SYNC][0];
    int64_t sum_ns = 0;
    for (size_t i = 0; i < PARTITION_GAPS_MAX; i++) {
        cr_assert(gap[i].ns > 0 && gap[i].ns <= gap[i].end_ns - gap[i].start_ns);
        cr_assert(i == 0 || gap[i].ns <= gap[i - 1].ns);
        cr_assert_str_eq(session_string(session, gap[i].name), "cudaDeviceSynchronize");
        sum_ns += gap[i].ns;
    }
    cr_assert_eq(sum_ns, list.items[0].ns[PARTITION_SYNC], "all four are kept");
    partition_free(&list);
    session_destroy(session);
}

/* Nine buffers are allocated and filled before a kernel, which is set-up, or each between two kernels. */
Test(partition, tells_set_up_from_a_loop)
{
    for (int loop = 0; loop < 2; loop++) {
        struct session *session = session_make(true);
        struct partition_list list;
        operation_add(session, &(struct operation){KERNEL, 0, 10, -2, -1, 0, 0});
        for (int64_t i = 0; i < 9; i++) {
            int64_t at = 100 * i;
            struct host calls[] = {CALL(ALLOC, "cudaMalloc", at + 10, at + 98),
                                   CALL(COPY, "cudaMemcpy", at + 98, at + 99)};
            host_add(session, &calls[0]);
            host_add(session, &calls[1]);
            operation_add(session, &(struct operation){loop ? KERNEL : COPY, at + 100, at + 110, at + 98,
                                                       at + 99, 0, 0});
        }
        operation_add(session, &(struct operation){KERNEL, 910, 920, 98, 99, 0, 0});
        cr_assert_eq(partition_compute(session, NONE, EVERYTHING, &list, NULL), STATUS_OK);
        cr_assert_eq(list.items[0].times[PARTITION_ALLOC], 9);
        cr_assert_eq(list.items[0].rounds[PARTITION_ALLOC], loop ? 9 : 1);
        cr_assert_eq(list.items[0].ns[PARTITION_ALLOC], 9 * 88 * UNIT_NS);
        cr_assert_eq(partition_set_up_ns(&list.items[0]), loop ? 0 : 9 * 88 * UNIT_NS);
        partition_free(&list);
        session_destroy(session);
    }
}

Test(partition, equals_its_definition_on_random_traces)
{
    static struct random_trace trace;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        random_state = seed;
        trace_random(&trace);
        trace.python = seed % 2 == 0;
        struct session *session = session_make(trace.python);
        for (uint32_t stream = 0; stream < STREAMS; stream++) /* tracks in the order of streams */
            session_add_track(session,
                              &(struct track_row){.kind = TRACK_STREAM, .stream = stream, .thread = NONE});
        qsort(trace.operations, trace.operation_count, sizeof *trace.operations, operation_order);
        for (size_t i = 0; i < trace.operation_count; i++)
            operation_add(session, &trace.operations[i]);
        for (size_t i = 0; i < trace.call_count; i++)
            host_add(session, &trace.calls[i]);
        for (size_t i = 0; i < trace.overhead_count; i++)
            host_add(session, &trace.overheads[i]);
        random_compare(&trace, session, -100, 10 * UNITS, seed);
        random_compare(&trace, session, 100, 400, seed);
        session_destroy(session);
    }
}

/* ---- real runs ---- */
/* Of each idle class the longest are kept, all if there are no more. */
static void check_gaps(const struct partition *partition)
{
    for (int part = PARTITION_IDLE_FIRST; part < PARTITION_COUNT; part++) {
        const struct partition_gap *gaps = partition->gaps[part];
        uint64_t count = 0;
        int64_t sum_ns = 0;
        for (; count < PARTITION_GAPS_MAX && gaps[count].ns > 0; count++) {
            cr_assert(count == 0 || gaps[count].ns <= gaps[count - 1].ns);
            cr_assert(gaps[count].ns <= gaps[count].end_ns - gaps[count].start_ns);
            sum_ns += gaps[count].ns;
        }
        cr_assert_eq(count, partition->times[part] < PARTITION_GAPS_MAX ? partition->times[part]
                                                                        : PARTITION_GAPS_MAX);
        cr_assert(count < PARTITION_GAPS_MAX ? sum_ns == partition->ns[part] : sum_ns <= partition->ns[part]);
    }
}

static void check_total(const struct partition_list *list)
{
    struct partition total;
    int64_t span_ns = 0, copies_ns = 0;
    uint64_t operations = 0;
    partition_total(list, &total);
    for (size_t i = 0; i < list->count; i++) {
        span_ns += partition_span_ns(&list->items[i]);
        copies_ns += list->items[i].ns[PARTITION_COPY];
        operations += list->items[i].operations;
    }
    cr_assert_eq(partition_sum_ns(&total), span_ns);
    cr_assert_eq(total.ns[PARTITION_COPY], copies_ns);
    cr_assert_eq(total.operations, operations);
    cr_assert_eq(total.times[PARTITION_KERNEL] + total.times[PARTITION_COLLECTIVE] +
                     total.times[PARTITION_COPY],
                 operations);
    check_gaps(&total);
}

Test(partition, of_every_recording_sums_to_the_span_and_to_the_busy_time)
{
    glob_t files;
    uint32_t compared = 0;
    cr_assert_eq(glob(TEST_SOURCE_DIR "/tests/data/*.lsr", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        struct session *session;
        struct error error;
        cr_assert_eq(recording_load(&session, files.gl_pathv[f], &error), STATUS_OK, "%s", error.text);
        for (uint32_t run = 0; run < session_run_count(session); run++) {
            struct partition_list list;
            struct overlap overlap;
            cr_assert_eq(partition_compute(session, run, EVERYTHING, &list, &error), STATUS_OK, "%s",
                         error.text);
            cr_assert_eq(overlap_compute(session, run, EVERYTHING, &overlap, &error), STATUS_OK);
            for (size_t i = 0; i < list.count; i++) {
                cr_assert_eq(partition_sum(&list.items[i]), partition_span_ns(&list.items[i]));
                check_gaps(&list.items[i]);
            }
            check_total(&list);
            if (list.count == 1) {
                const struct partition *only = &list.items[0];
                compared++;
                cr_assert_eq(only->ns[PARTITION_KERNEL] + only->ns[PARTITION_COLLECTIVE] +
                                 only->ns[PARTITION_COPY],
                             overlap.any_busy_ns);
                cr_assert_eq(partition_span_ns(only), overlap.span_ns);
                cr_assert_eq(only->copy_hidden_ns, overlap.copy_hidden_ns);
                cr_assert_eq(only->operations, overlap.operations);
            }
            partition_free(&list);
        }
        session_destroy(session);
    }
    cr_assert_gt(compared, 500);
    globfree(&files);
}

/* A bar's cells add up to it, and no class is more than a cell off its share. */
Test(partition, a_bar_is_dealt_out_whole)
{
    int64_t ns[PARTITION_COUNT] = {0};
    int dealt[PARTITION_COUNT];
    unsigned state = 7;
    partition_deal(ns, 40, dealt);
    for (int part = 0; part < PARTITION_COUNT; part++)
        cr_assert_eq(dealt[part], 0);
    for (int round = 0; round < 1000; round++) {
        int cells = round % 90, sum = 0;
        double whole = 0;
        for (int part = 0; part < PARTITION_COUNT; part++) {
            state = state * 1664525u + 1013904223u;
            ns[part] = state % 3 == 0 ? 0 : (int64_t)(state >> (state % 20));
            whole += (double)ns[part];
        }
        partition_deal(ns, cells, dealt);
        for (int part = 0; part < PARTITION_COUNT && whole > 0; part++) {
            double share = cells * (double)ns[part] / whole;
            cr_assert(dealt[part] > share - 1 && dealt[part] < share + 1, "%d of %g", dealt[part], share);
            sum += dealt[part];
        }
        cr_assert_eq(sum, whole > 0 ? cells : 0);
    }
}

Test(partition, copies_outside_of_the_steps_are_told_where_they_are_longer)
{
    struct partition whole = {.first_ns = 0, .last_ns = 1000, .ns = {[PARTITION_COPY] = 700}},
                     steps = {.first_ns = 400, .last_ns = 800, .ns = {[PARTITION_COPY] = 200}};
    cr_assert_eq(partition_copies_beside_ns(&whole, &steps), 500);
    whole.ns[PARTITION_COPY] = 600;
    cr_assert_eq(partition_copies_beside_ns(&whole, &steps), 0, "as long as the steps");
}

Test(partition, what_a_run_mostly_is)
{
    struct partition run = {
        .ns = {[PARTITION_KERNEL] = 500, [PARTITION_COPY] = 200, [PARTITION_TRANSFER] = 300}};
    cr_assert_eq(partition_mostly(&run), PARTITION_KERNEL, "half of it");
    run.ns[PARTITION_KERNEL] = 499;
    cr_assert_eq(partition_mostly(&run), PARTITION_TRANSFER);
    run = (struct partition){0};
    cr_assert_eq(partition_mostly(&run), PARTITION_KERNEL, "nothing is known");
}
