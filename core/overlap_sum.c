/*
 * From windows of waiting to sums: the time in which one stream alone was busy on a device is given, piece by
 * piece between two boundaries, to the first reason that is open; and each wait is told what it has of that.
 */
#include "core/overlap_parts.h"

#include <stdlib.h>

#define NO_REASON SERIAL_COUNT

/* Where several reasons hold at once, the first one counts. */
static const struct {
    uint8_t what, reason;
} precedence[] = {
    {SERIAL_DEFAULT_STREAM, SERIAL_DEFAULT_STREAM}, {SERIAL_ONE_ENGINE, SERIAL_ONE_ENGINE},
    {SERIAL_EVENT_WAIT, SERIAL_EVENT_WAIT},         {SERIAL_PAGEABLE, SERIAL_PAGEABLE},
    {SERIAL_IMPLICIT_SYNC, SERIAL_IMPLICIT_SYNC},   {SERIAL_RESOURCES, SERIAL_RESOURCES},
    {SERIAL_SAME_STREAM, SERIAL_SAME_STREAM},       {SERIAL_EXPLICIT_SYNC, SERIAL_EXPLICIT_SYNC},
    {BOUNDARY_UNISSUED, SERIAL_SAME_STREAM},
};

static int boundary_compare(const void *a, const void *b)
{
    const struct boundary *left = a, *right = b;
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static uint8_t first_open(const int64_t open[BOUNDARY_COUNT])
{
    for (size_t i = 0; open[BOUNDARY_ALONE] > 0 && i < sizeof precedence / sizeof precedence[0]; i++) {
        if (open[precedence[i].what] > 0) {
            return precedence[i].reason;
        }
    }
    return NO_REASON;
}

/* The reason of the time from each boundary to the next. */
static void find_reasons(const struct windows *windows, uint8_t *reasons)
{
    int64_t open[BOUNDARY_COUNT] = {0};
    for (size_t i = 0; i < windows->boundary_count; i++) {
        const struct boundary *at = &windows->boundaries[i], *next = at + 1;
        open[at->what] += at->step;
        bool last = i + 1 == windows->boundary_count || next->device != at->device;
        reasons[i] = last ? (uint8_t)NO_REASON : first_open(open);
    }
}

/* The first boundary of the device at time_ns or later. */
static size_t boundary_find(const struct windows *windows, uint32_t device, int64_t time_ns)
{
    const struct boundary wanted = {.time_ns = time_ns, .device = device};
    size_t low = 0, high = windows->boundary_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (boundary_compare(&windows->boundaries[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Keep it among the longest, in order; the earlier one first of equals. */
static void keep_longest(struct overlap *overlap, const struct overlap_wait *wait)
{
    uint32_t at = overlap->wait_count;
    while (at > 0 && overlap->waits[at - 1].serialised_ns < wait->serialised_ns) {
        at--;
    }
    if (at == OVERLAP_WAITS_MAX) {
        return;
    }
    if (overlap->wait_count < OVERLAP_WAITS_MAX) {
        overlap->wait_count++;
    }
    for (uint32_t i = overlap->wait_count - 1; i > at; i--) {
        overlap->waits[i] = overlap->waits[i - 1];
    }
    overlap->waits[at] = *wait;
}

/* One operation can wait for a reason in several windows, which come one after the other. */
static void give_waits(const struct work *work, const struct windows *windows, enum serial_reason reason,
                       const int64_t *until_ns, struct overlap *overlap)
{
    struct overlap_wait wait = {.reason = (uint8_t)reason};
    size_t waiting = work->count;
    for (size_t i = 0; i <= windows->wait_count; i++) {
        const struct wait *at = i < windows->wait_count ? &windows->waits[i] : NULL;
        if (at != NULL && at->reason != reason) {
            continue;
        }
        if (at == NULL || at->operation != waiting) {
            if (wait.serialised_ns > 0) {
                overlap->waited[reason]++;
                keep_longest(overlap, &wait);
            }
            if (at == NULL) {
                break;
            }
            const struct operation *operation = &work->operations[at->operation];
            waiting = at->operation;
            wait.event = (struct event_ref){operation->track, operation->lane, operation->index};
            wait.serialised_ns = 0;
            wait.start_ns = at->start_ns;
        }
        wait.serialised_ns += until_ns[boundary_find(windows, at->device, at->end_ns)] -
                              until_ns[boundary_find(windows, at->device, at->start_ns)];
        wait.start_ns = at->start_ns < wait.start_ns ? at->start_ns : wait.start_ns;
    }
}

bool overlap_add_up(const struct work *work, struct windows *windows, struct overlap *overlap)
{
    size_t count = windows->boundary_count;
    uint8_t *reasons = malloc(count + 1);
    int64_t *until_ns = malloc((count + 1) * sizeof *until_ns); /* of one reason, before each boundary */
    bool fine = reasons != NULL && until_ns != NULL;
    if (fine && count > 0) {
        qsort(windows->boundaries, count, sizeof *windows->boundaries, boundary_compare);
        find_reasons(windows, reasons);
        for (uint8_t reason = 0; reason < SERIAL_COUNT; reason++) {
            int64_t sum_ns = 0;
            for (size_t i = 0; i < count; i++) {
                until_ns[i] = sum_ns;
                sum_ns += reasons[i] == reason
                              ? windows->boundaries[i + 1].time_ns - windows->boundaries[i].time_ns
                              : 0;
            }
            overlap->serialised_ns[reason] = sum_ns;
            if (sum_ns > 0) {
                give_waits(work, windows, reason, until_ns, overlap);
            }
        }
    }
    free(reasons);
    free(until_ns);
    return fine;
}
