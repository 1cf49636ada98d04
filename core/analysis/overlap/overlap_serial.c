/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which operation waited for which. core/analysis/overlap/overlap.h has the rules; here they become
 * windows of time, one reason each, that overlap_sum.c intersects with the time in which only one stream was
 * busy on a device.
 *
 * struct serial is what is known of streams, contexts and devices while operations are looked at in order of
 * start. The time in which only one stream is busy on a device is found by a sweep over the starts and ends
 * of operations.
 */
#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/array.h"

#include <stdlib.h>

/* The latest work, and the latest work of another stream than that. */
struct latest {
    const struct operation *first, *other;
};

struct device_state {
    uint32_t device, process; /* device NONE: by process */
    struct latest engines[ENGINE_COPIES + COPY_KIND_COUNT];
};

struct context_state {
    uint32_t process, context;
    struct latest defaults, blocking; /* of the legacy default stream; of the streams that it waits for */
};

struct stream_state {
    const struct operation *latest; /* the one that ends last */
    uint32_t device, context;       /* numbers of its states */
    uint32_t running;
    bool known;
};

struct running {
    int64_t end_ns;
    uint32_t track;
};

struct serial {
    struct work *work;
    int stage;
    size_t at; /* operation */
    struct calls_sort calls;
    struct adder adder;
    size_t cost;                  /* cost of following back the waits of one operation */
    struct stream_state *streams; /* by track */
    struct device_state *devices;
    size_t device_count, device_capacity;
    struct context_state *contexts;
    size_t context_count, context_capacity;
    int64_t *reached_ns; /* by operation: the latest end of it and of all before it */
    /* Used while finding the times in which only one stream is busy: */
    struct running *heap; /* heap of running operations, the one that ends first on top */
    size_t running;
    uint32_t *active;  /* streams busy, by device */
    int64_t *since_ns; /* by device */
    struct windows windows;
};

static inline int64_t overlap_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t overlap_sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- times in which one stream is busy ---- */

/* False: no memory. */
static bool overlap_window_add(struct windows *windows, uint32_t device, unsigned what, int64_t start_ns,
                               int64_t end_ns)
{
    for (int i = 0; i < 2; i++) {
        if (!array_grow(windows->boundaries, windows->boundary_capacity, windows->boundary_count, 1))
            return false;
        windows->boundaries[windows->boundary_count++] =
            (struct boundary){.time_ns = i == 0 ? start_ns : end_ns,
                              .device = device,
                              .step = i == 0 ? 1 : -1,
                              .what = (uint8_t)what};
    }
    return true;
}

static void running_push(struct running *heap, size_t *count, struct running entry)
{
    size_t at = (*count)++;
    for (; at > 0 && entry.end_ns < heap[(at - 1) / 2].end_ns; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

static struct running running_pop(struct running *heap, size_t *count)
{
    struct running first = heap[0], entry = heap[--*count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= *count)
            break;
        if (child + 1 < *count && heap[child + 1].end_ns < heap[child].end_ns)
            child++;
        if (heap[child].end_ns >= entry.end_ns)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
    return first;
}

static bool alone_begin(struct serial *serial)
{
    serial->heap = array_make(serial->work->count + 1, sizeof *serial->heap);
    serial->active = calloc(serial->device_count + 1, sizeof *serial->active);
    serial->since_ns = malloc((serial->device_count + 1) * sizeof *serial->since_ns);
    return serial->heap && serial->active && serial->since_ns;
}

/* frees its memory, also if it did not finish */
static void alone_end(struct serial *serial)
{
    free(serial->heap);
    free(serial->active);
    free(serial->since_ns);
    serial->heap = NULL;
    serial->active = NULL;
    serial->since_ns = NULL;
}

/* The next start or end of all. */
static bool alone_next(struct serial *serial)
{
    const struct work *work = serial->work;
    const struct operation *next = serial->at < work->count ? &work->operations[serial->at] : NULL;
    bool starts = next && (serial->running == 0 || next->start_ns < serial->heap[0].end_ns);
    uint32_t track = starts ? next->track : serial->heap[0].track;
    int64_t now_ns = starts ? next->start_ns : serial->heap[0].end_ns;
    struct stream_state *stream = &serial->streams[track];
    uint32_t *active = &serial->active[stream->device], before = *active;
    if (starts) {
        running_push(serial->heap, &serial->running,
                     (struct running){.end_ns = next->end_ns, .track = track});
        *active += stream->running++ == 0;
        serial->at++;
    } else {
        running_pop(serial->heap, &serial->running);
        *active -= --stream->running == 0;
    }
    if (before == 1 && *active != 1) {
        int64_t from_ns = overlap_later(serial->since_ns[stream->device], work->batch_start_ns);
        int64_t to_ns = overlap_sooner(now_ns, work->batch_end_ns);
        return from_ns >= to_ns ||
               overlap_window_add(&serial->windows, stream->device, BOUNDARY_ALONE, from_ns, to_ns);
    }
    if (before != 1 && *active == 1)
        serial->since_ns[stream->device] = now_ns;
    return true;
}

/* Finds the times in which only one stream is busy on a device, as windows of BOUNDARY_ALONE. Runs once, from
 * operation 0 on, when all streams are known. */
static enum slice alone_step(struct serial *serial, size_t *left)
{
    if (serial->windows.wait_count == 0) /* nothing waited meanwhile */
        return SLICE_DONE;
    if (!serial->heap && !alone_begin(serial))
        return SLICE_NO_MEMORY;
    for (; (serial->at < serial->work->count || serial->running > 0) && *left > 0; slice_take(left, 1))
        if (!alone_next(serial))
            return SLICE_NO_MEMORY;
    if (serial->at < serial->work->count || serial->running > 0)
        return SLICE_MORE;
    alone_end(serial);
    return SLICE_DONE;
}

/* ---- reasons ---- */

#define CHAIN_MAX 4096u /* the most waits in a row that are followed back */

/* Adds a wait of the operation from start_ns to end_ns, unless it is empty. what: as in struct boundary. */
static bool wait_add(struct serial *serial, const struct operation *operation, unsigned what,
                     int64_t start_ns, int64_t end_ns)
{
    struct windows *windows = &serial->windows;
    uint32_t device = serial->streams[operation->track].device;
    if (start_ns >= end_ns)
        return true;
    if (!array_grow(windows->waits, windows->wait_capacity, windows->wait_count, 1))
        return false;
    windows->waits[windows->wait_count++] =
        (struct wait){.start_ns = start_ns,
                      .end_ns = end_ns,
                      .operation = (size_t)(operation - serial->work->operations),
                      .device = device,
                      .reason = what == BOUNDARY_UNISSUED ? SERIAL_SAME_STREAM : (uint8_t)what};
    return overlap_window_add(windows, device, what, start_ns, end_ns);
}

/* ---- devices and contexts of streams ---- */
static bool stream_know(struct serial *serial, uint32_t track)
{
    struct stream_state *stream = &serial->streams[track];
    const struct track_row *row = session_track(serial->work->session, track);
    if (stream->known)
        return true;
    size_t device = 0, context = 0;
    while (device < serial->device_count &&
           (serial->devices[device].device != row->device ||
            (row->device == NONE && serial->devices[device].process != row->process)))
        device++;
    if (device == serial->device_count) {
        if (!array_grow(serial->devices, serial->device_capacity, device, 1))
            return false;
        serial->devices[serial->device_count++] =
            (struct device_state){.device = row->device, .process = row->process};
    }
    while (context < serial->context_count && (serial->contexts[context].process != row->process ||
                                               serial->contexts[context].context != row->context))
        context++;
    if (context == serial->context_count) {
        if (!array_grow(serial->contexts, serial->context_capacity, context, 1))
            return false;
        serial->contexts[serial->context_count++] =
            (struct context_state){.process = row->process, .context = row->context};
    }
    stream->device = (uint32_t)device;
    stream->context = (uint32_t)context;
    stream->known = true;
    return true;
}

/* ---- the waits of one operation ---- */
/* The latest operation that is not of `track`. */
static const struct operation *latest_other(const struct latest *latest, uint32_t track)
{
    return latest->first && latest->first->track != track ? latest->first : latest->other;
}

static void latest_take(struct latest *latest, const struct operation *operation)
{
    if (latest->first && latest->first->end_ns > operation->end_ns) {
        if (operation->track != latest->first->track &&
            (!latest->other || latest->other->end_ns <= operation->end_ns))
            latest->other = operation;
        return;
    }
    if (latest->first && latest->first->track != operation->track)
        latest->other = latest->first;
    latest->first = operation;
}

/* When the operation was queued, as far as known from its call, or from `before`, which ended earlier:
 * without a call, when `before` started, if the operation started soon after `before` ended. */
static int64_t queued_ns(const struct operation *operation, const struct operation *before)
{
    if (operation->call_start_ns != INT64_MIN)
        return operation->call_start_ns;
    return operation->start_ns - before->end_ns <= SOON_NS ? before->start_ns : operation->start_ns;
}

/* The operation waited for `before`, of another stream, after its own stream was free. */
static bool device_wait(struct serial *serial, const struct operation *operation,
                        const struct operation *before, int64_t free_ns, enum serial_reason reason)
{
    if (!before || before->end_ns > operation->start_ns || operation->start_ns - before->end_ns > SOON_NS)
        return true;
    int64_t since_ns = overlap_later(overlap_later(queued_ns(operation, before), free_ns), before->start_ns);
    return wait_add(serial, operation, reason, since_ns, before->end_ns);
}

/* The latest work that the legacy default stream's rule puts before the operation; NULL: none. */
static const struct operation *default_before(const struct serial *serial, const struct operation *operation)
{
    const struct context_state *context = &serial->contexts[serial->streams[operation->track].context];
    uint8_t flags = session_track(serial->work->session, operation->track)->flags;
    if ((flags & STREAM_NON_BLOCKING) != 0)
        return NULL;
    return latest_other((flags & STREAM_DEFAULT) != 0 ? &context->blocking : &context->defaults,
                        operation->track);
}

/* The kernel was queued while a kernel that fills the device was running, and started when that one ended. */
static bool resource_waits(struct serial *serial, const struct operation *operation, int64_t free_ns)
{
    uint32_t device = serial->streams[operation->track].device;
    const struct operation *before =
        latest_other(&serial->devices[device].engines[ENGINE_KERNELS], operation->track);
    if (operation->engine != ENGINE_KERNELS || !before || !before->fills ||
        operation->call_start_ns == INT64_MIN || operation->start_ns - before->end_ns > SOON_NS)
        return true;
    int64_t since_ns = overlap_later(overlap_later(operation->call_start_ns, free_ns), before->start_ns);
    int64_t until_ns = overlap_sooner(before->end_ns, operation->start_ns);
    return wait_add(serial, operation, SERIAL_RESOURCES, since_ns, until_ns);
}

/* Did an allocation or a free wait for the device: was something running or queued when it began, and nothing
 * of that when it ended? */
static bool call_waited(struct serial *serial, const struct blocked *blocked)
{
    const struct operation *operations = serial->work->operations;
    size_t low = 0,
           high = serial->work->count; /* the first operation that starts at the call's start or later */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (operations[middle].start_ns < blocked->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < serial->work->count && operations[low].start_ns < blocked->end_ns &&
           operations[low].call_start_ns != INT64_MIN && operations[low].call_start_ns < blocked->start_ns) {
        low++; /* issued before the call */
        serial->cost++;
    }
    return low > 0 && serial->reached_ns[low - 1] > blocked->start_ns &&
           serial->reached_ns[low - 1] <= blocked->end_ns;
}

/* Follows the host's waits back from the issue of the operation to since_ns. Without them the host would have
 * issued it earlier; each wait counts from held_ns on, when nothing on the device held the operation any
 * more. Sets *ready_ns to when the operation would have been issued without them. */
static bool host_waits(struct serial *serial, const struct operation *operation, int64_t held_ns,
                       int64_t since_ns, int64_t *ready_ns)
{
    const struct work *work = serial->work;
    uint32_t process = session_track(work->session, operation->track)->process;
    int64_t issued_ns = operation->call_start_ns;
    size_t at = overlap_blocked_find(work, process, operation->call_thread, issued_ns);
    if (at == work->blocked_count)
        return true;
    for (uint32_t steps = 0; steps < CHAIN_MAX; steps++) {
        serial->cost++;
        const struct blocked *blocked = &work->blocked[at];
        if (blocked->process != process || blocked->thread != operation->call_thread ||
            issued_ns - blocked->end_ns > HOST_GAP_NS)
            break;
        if (blocked->reason != SERIAL_IMPLICIT_SYNC || call_waited(serial, blocked)) {
            if (!wait_add(serial, operation, blocked->reason, overlap_later(blocked->start_ns, held_ns),
                          blocked->end_ns))
                return false;
            *ready_ns = overlap_sooner(*ready_ns, blocked->start_ns);
        }
        issued_ns = overlap_sooner(issued_ns, blocked->start_ns);
        if (issued_ns <= since_ns || at == 0)
            break;
        at--;
    }
    return true;
}

/* Did only the stream hold the operation behind the one before it? True if the engine that it needs was free,
 * and if they are not two nodes of one graph launch, which the graph's edges order. */
static bool stream_held(const struct operation *operation, const struct operation *before)
{
    bool engine_free =
        operation->engine != before->engine || (operation->engine == ENGINE_KERNELS && !before->fills);
    bool one_graph = operation->graph != 0 && operation->graph == before->graph &&
                     operation->call_start_ns == before->call_start_ns;
    return engine_free && !one_graph;
}

/* The operation waited for its own stream: while it was queued, or, from ready_ns on, before it was issued
 * because the host waited. */
static bool stream_waits(struct serial *serial, const struct operation *operation,
                         const struct operation *previous, int64_t ready_ns)
{
    if (!previous || previous->end_ns > operation->start_ns || !stream_held(operation, previous))
        return true;
    int64_t since_ns = overlap_later(ready_ns, previous->start_ns);
    int64_t issued_ns = operation->call_start_ns == INT64_MIN ? since_ns : operation->call_start_ns;
    return wait_add(serial, operation, BOUNDARY_UNISSUED, since_ns,
                    overlap_sooner(issued_ns, previous->end_ns)) &&
           wait_add(serial, operation, SERIAL_SAME_STREAM, overlap_later(since_ns, issued_ns),
                    previous->end_ns);
}

static bool operation_waits(struct serial *serial, const struct operation *operation)
{
    const struct stream_state *stream = &serial->streams[operation->track];
    const struct operation *previous = stream->latest;
    const struct operation *before = default_before(serial, operation);
    struct device_state *device = &serial->devices[stream->device];
    int64_t free_ns = !previous ? INT64_MIN : previous->end_ns; /* its own stream was, from then on */
    if (serial->work->sums)
        return device_wait(serial, operation, before, free_ns, SERIAL_DEFAULT_STREAM);
    int64_t ready_ns = operation->start_ns;
    bool called = operation->call_start_ns != INT64_MIN;
    if (called) {
        ready_ns = operation->call_start_ns;
        /* If issued earlier, it would still have waited for its own stream, and for the default stream (or
         * the default stream for it). */
        int64_t held_ns = before && before->end_ns <= operation->start_ns
                              ? overlap_later(free_ns, before->end_ns)
                              : free_ns;
        if (!host_waits(serial, operation, held_ns, !previous ? INT64_MIN : previous->start_ns, &ready_ns))
            return false;
    } else if (previous) {
        ready_ns = queued_ns(operation, previous);
    }
    if (!stream_waits(serial, operation, previous, ready_ns))
        return false;
    int64_t since_ns, until_ns;
    if (overlap_event_window(serial->work, operation, previous, &since_ns, &until_ns) &&
        !wait_add(serial, operation, SERIAL_EVENT_WAIT, since_ns, until_ns))
        return false;
    if (operation->engine >= ENGINE_COPIES &&
        !device_wait(serial, operation, latest_other(&device->engines[operation->engine], operation->track),
                     free_ns, SERIAL_ONE_ENGINE))
        return false;
    if (operation->async && operation->pageable && called &&
        !wait_add(serial, operation, SERIAL_PAGEABLE, overlap_later(operation->call_start_ns, free_ns),
                  operation->start_ns))
        return false;
    return device_wait(serial, operation, before, free_ns, SERIAL_DEFAULT_STREAM) &&
           resource_waits(serial, operation, free_ns);
}

static void operation_remember(struct serial *serial, const struct operation *operation)
{
    struct stream_state *stream = &serial->streams[operation->track];
    struct context_state *context = &serial->contexts[stream->context];
    uint8_t flags = session_track(serial->work->session, operation->track)->flags;
    if (!stream->latest || stream->latest->end_ns <= operation->end_ns)
        stream->latest = operation;
    latest_take(&serial->devices[stream->device].engines[operation->engine], operation);
    if ((flags & STREAM_DEFAULT) != 0)
        latest_take(&context->defaults, operation);
    else if ((flags & STREAM_NON_BLOCKING) == 0)
        latest_take(&context->blocking, operation);
}

/* ---- all of them ---- */
enum { CALLS, KNOW, WAITS, ALONE, ADD_UP, ALL };

/* Are there a legacy default stream and one that it waits for? */
static bool has_default_stream(const struct session *session)
{
    bool is_default = false, is_blocking = false;
    for (uint32_t i = 0; i < session_track_count(session) && !(is_default && is_blocking); i++) {
        const struct track_row *row = session_track(session, i);
        is_default |= row->kind == TRACK_STREAM && (row->flags & STREAM_DEFAULT) != 0;
        is_blocking |=
            row->kind == TRACK_STREAM && (row->flags & (STREAM_DEFAULT | STREAM_NON_BLOCKING)) == 0;
    }
    return is_default && is_blocking;
}

struct serial *serial_begin(struct work *work, struct carried_waits *carried)
{
    struct serial *serial = calloc(1, sizeof *serial);
    if (!serial)
        return NULL;
    serial->work = work;
    serial->calls.work = work;
    serial->adder = (struct adder){.work = work, .windows = &serial->windows, .carried = carried};
    serial->stage = work->sums && !has_default_stream(work->session) ? ALL : CALLS;
    serial->streams = calloc(session_track_count(work->session) + 1u, sizeof *serial->streams);
    serial->reached_ns = array_make(work->count + 1, sizeof *serial->reached_ns);
    if (!serial->streams || !serial->reached_ns) {
        serial_free(serial);
        return NULL;
    }
    return serial;
}

void serial_free(struct serial *serial)
{
    if (!serial)
        return;
    slice_sort_fini(&serial->calls.sort);
    adder_fini(&serial->adder);
    alone_end(serial);
    free(serial->streams);
    free(serial->devices);
    free(serial->contexts);
    free(serial->reached_ns);
    free(serial->windows.boundaries);
    free(serial->windows.waits);
    free(serial);
}

static enum slice know_step(struct serial *serial, size_t *left)
{
    const struct work *work = serial->work;
    for (; *left > 0 && serial->at < work->count; serial->at++, slice_take(left, 1)) {
        size_t i = serial->at;
        serial->reached_ns[i] =
            overlap_later(work->operations[i].end_ns, i > 0 ? serial->reached_ns[i - 1] : INT64_MIN);
        if (!stream_know(serial, work->operations[i].track))
            return SLICE_NO_MEMORY;
    }
    return serial->at < work->count ? SLICE_MORE : SLICE_DONE;
}

static enum slice waits_step(struct serial *serial, size_t *left)
{
    const struct work *work = serial->work;
    for (; *left > 0 && serial->at < work->count; serial->at++) {
        serial->cost = 1;
        if (serial->at >= work->own && !operation_waits(serial, &work->operations[serial->at]))
            return SLICE_NO_MEMORY;
        operation_remember(serial, &work->operations[serial->at]);
        slice_take(left, serial->cost);
    }
    if (serial->at < work->count)
        return SLICE_MORE;
    free(serial->reached_ns);
    serial->reached_ns = NULL;
    return SLICE_DONE;
}

enum slice serial_step(struct serial *serial, struct overlap *overlap, size_t *left)
{
    while (serial->stage < ALL) {
        enum slice slice = serial->stage == CALLS   ? calls_sort_step(&serial->calls, left)
                           : serial->stage == KNOW  ? know_step(serial, left)
                           : serial->stage == ALONE ? alone_step(serial, left)
                           : serial->stage == WAITS ? waits_step(serial, left)
                                                    : adder_step(&serial->adder, overlap, left);
        if (slice != SLICE_DONE)
            return slice;
        serial->stage++;
        serial->at = 0;
    }
    return SLICE_DONE;
}

double serial_progress(const struct serial *serial)
{
    size_t count = serial->stage == ADD_UP ? serial->adder.windows->boundary_count : serial->work->count;
    size_t at = serial->stage == ADD_UP ? serial->adder.at : serial->at;
    double part = (double)at / (double)(count + 1);
    if (serial->stage == ADD_UP)
        part = (serial->adder.reason + (part < 1 ? part : 1)) / SERIAL_COUNT;
    return (serial->stage + part) / ALL;
}
