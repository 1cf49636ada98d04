/*
 * Finds the time in which only one stream is busy on a device, by a sweep over the starts and ends of
 * operations.
 */
#include "core/analysis/overlap/overlap_serial.h"
#include "core/base/array.h"

#include <stdlib.h>

bool overlap_window_add(struct windows *windows, uint32_t device, unsigned what, int64_t start_ns,
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
    return serial->heap != NULL && serial->active != NULL && serial->since_ns != NULL;
}

void alone_end(struct serial *serial)
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
    bool starts = next != NULL && (serial->running == 0 || next->start_ns < serial->heap[0].end_ns);
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

enum slice alone_step(struct serial *serial, size_t *left)
{
    if (serial->heap == NULL && !alone_begin(serial))
        return SLICE_NO_MEMORY;
    for (; (serial->at < serial->work->count || serial->running > 0) && *left > 0; slice_take(left, 1))
        if (!alone_next(serial))
            return SLICE_NO_MEMORY;
    if (serial->at < serial->work->count || serial->running > 0)
        return SLICE_MORE;
    alone_end(serial);
    return SLICE_DONE;
}
