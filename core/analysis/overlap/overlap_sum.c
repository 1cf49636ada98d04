/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From windows of waiting to sums: the time in which one stream alone was busy on a device is given, piece by
 * piece between two boundaries, to the first reason that is open; and each wait gets its part of that time.
 *
 * least_step computes a lower bound of the time of a range's work: the time that each engine of each device
 * needs by itself. See core/analysis/overlap/overlap.h for the rule.
 */
#include "core/analysis/overlap/overlap_internal.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>

#define NO_REASON SERIAL_COUNT
#define BOUNDARIES_AT_ONCE 8u /* count as one unit of work: a few ns each */

/* Where several reasons apply at once, the first one counts. */
static const struct {
    uint8_t what, reason;
} precedence[] = {
    {SERIAL_DEFAULT_STREAM, SERIAL_DEFAULT_STREAM}, {SERIAL_ONE_ENGINE, SERIAL_ONE_ENGINE},
    {SERIAL_EVENT_WAIT, SERIAL_EVENT_WAIT},         {SERIAL_PAGEABLE, SERIAL_PAGEABLE},
    {SERIAL_IMPLICIT_SYNC, SERIAL_IMPLICIT_SYNC},   {SERIAL_RESOURCES, SERIAL_RESOURCES},
    {SERIAL_SAME_STREAM, SERIAL_SAME_STREAM},       {SERIAL_EXPLICIT_SYNC, SERIAL_EXPLICIT_SYNC},
    {BOUNDARY_UNISSUED, SERIAL_SAME_STREAM},
};

static int boundary_compare(const void *a, const void *b, void *context)
{
    (void)context;
    const struct boundary *left = a, *right = b;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->time_ns > right->time_ns) - (left->time_ns < right->time_ns);
}

static uint8_t first_open(const int64_t open[BOUNDARY_COUNT])
{
    for (size_t i = 0; open[BOUNDARY_ALONE] > 0 && i < sizeof precedence / sizeof precedence[0]; i++)
        if (open[precedence[i].what] > 0)
            return precedence[i].reason;
    return NO_REASON;
}

/* The device's first boundary at time_ns or later; searched from that which was found before, since waits come nearly in
 * the order of time. */
static size_t boundary_find(struct adder *adder, uint32_t device, int64_t time_ns)
{
    const struct windows *windows = adder->windows;
    const struct boundary wanted = {.time_ns = time_ns, .device = device};
    size_t low = adder->found, high = windows->boundary_count, step = 1;
    if (low < high && boundary_compare(&windows->boundaries[low], &wanted, NULL) < 0) {
        while (low + step < high && boundary_compare(&windows->boundaries[low + step], &wanted, NULL) < 0) {
            low += step;
            step *= 2;
        }
        high = low + step < high ? low + step : high;
    } else {
        high = low;
        while (step < high && boundary_compare(&windows->boundaries[high - step], &wanted, NULL) >= 0) {
            high -= step;
            step *= 2;
        }
        low = step < high ? high - step : 0;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (boundary_compare(&windows->boundaries[middle], &wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    adder->found = low;
    return low;
}

/* Keeps the wait among the longest, in order; of equal ones the earlier comes first. */
static void keep_longest(struct overlap *overlap, const struct overlap_wait *wait)
{
    uint32_t at = overlap->wait_count;
    while (at > 0 && overlap->waits[at - 1].serialised_ns < wait->serialised_ns)
        at--;
    if (at == OVERLAP_WAITS_MAX)
        return;
    if (overlap->wait_count < OVERLAP_WAITS_MAX)
        overlap->wait_count++;
    for (uint32_t i = overlap->wait_count - 1; i > at; i--)
        overlap->waits[i] = overlap->waits[i - 1];
    overlap->waits[at] = *wait;
}

/* Sets the reason for the time from each boundary to the next. */
static enum slice reasons_step(struct adder *adder, size_t *left)
{
    const struct windows *windows = adder->windows;
    for (; *left > 0 && adder->at < windows->boundary_count; adder->at++) {
        slice_take(left, adder->at % BOUNDARIES_AT_ONCE == 0);
        const struct boundary *at = &windows->boundaries[adder->at], *next = at + 1;
        adder->open[at->what] += at->step;
        bool last = adder->at + 1 == windows->boundary_count || next->device != at->device;
        const uint8_t reason = adder->reasons[adder->at] =
            last ? (uint8_t)NO_REASON : first_open(adder->open);
        if (reason != NO_REASON)
            adder->total_ns[reason] += next->time_ns - at->time_ns;
    }
    return adder->at < windows->boundary_count ? SLICE_MORE : SLICE_DONE;
}

/* Sums the reason's time before each boundary, and in all. */
static enum slice times_step(struct adder *adder, struct overlap *overlap, size_t *left)
{
    const struct windows *windows = adder->windows;
    for (; *left > 0 && adder->at < windows->boundary_count; adder->at++) {
        slice_take(left, adder->at % BOUNDARIES_AT_ONCE == 0);
        const struct boundary *at = &windows->boundaries[adder->at];
        adder->until_ns[adder->at] = adder->sum_ns;
        adder->sum_ns += adder->reasons[adder->at] == adder->reason ? at[1].time_ns - at->time_ns : 0;
    }
    if (adder->at < windows->boundary_count)
        return SLICE_MORE;
    overlap->serialised_ns[adder->reason] += adder->sum_ns;
    return SLICE_DONE;
}

static void count_wait(struct overlap *overlap, const struct overlap_wait *wait)
{
    overlap->waited[wait->reason]++;
    keep_longest(overlap, wait);
}

static bool same_wait(const struct overlap_wait *a, const struct overlap_wait *b)
{
    return a->reason == b->reason && a->event.track == b->event.track && a->event.lane == b->event.lane &&
           a->event.index == b->event.index;
}

/* Adds what the operation waited in the time of earlier batches. */
static void carried_take(struct carried_waits *carried, struct overlap_wait *wait)
{
    for (size_t i = 0; i < carried->count; i++) {
        if (!same_wait(&carried->items[i].wait, wait))
            continue;
        const struct overlap_wait *before = &carried->items[i].wait;
        wait->serialised_ns += before->serialised_ns;
        wait->start_ns = before->start_ns < wait->start_ns ? before->start_ns : wait->start_ns;
        carried->items[i] = carried->items[--carried->count];
        return;
    }
}

/* False: no memory. */
static bool wait_close(struct adder *adder, struct overlap *overlap)
{
    struct overlap_wait *wait = &adder->wait;
    struct carried_waits *carried = adder->carried;
    bool fine = true;
    if (wait->serialised_ns > 0) {
        carried_take(carried, wait);
        if (adder->waiting < adder->work->next) {
            count_wait(overlap, wait);
        } else {
            fine = array_grow(carried->items, carried->capacity, carried->count, 1);
            if (fine)
                carried->items[carried->count++] =
                    (struct carried_wait){*wait, adder->work->operations[adder->waiting].start_ns};
        }
    }
    wait->serialised_ns = 0;
    return fine;
}

/* Counts the waits of earlier batches to which this one, of their operations, added nothing. */
static void carried_count(struct adder *adder, struct overlap *overlap)
{
    struct carried_waits *carried = adder->carried;
    const struct work *work = adder->work;
    size_t kept = 0;
    for (size_t i = 0; i < carried->count; i++)
        if (work->next < work->count && carried->items[i].operation_start_ns >= work->batch_end_ns)
            carried->items[kept++] = carried->items[i];
        else
            count_wait(overlap, &carried->items[i].wait);
    carried->count = kept;
}

/* An operation can wait for one reason in several windows; these are adjacent in the order. */
static enum slice waits_step(struct adder *adder, struct overlap *overlap, size_t *left)
{
    const struct windows *windows = adder->windows;
    const int64_t *until_ns = adder->until_ns;
    for (; *left > 0 && adder->at < windows->wait_count; adder->at++, slice_take(left, 1)) {
        const struct wait *at = &windows->waits[adder->at];
        if (at->reason != adder->reason)
            continue;
        if (at->operation != adder->waiting) {
            const struct operation *operation = &adder->work->operations[at->operation];
            if (!wait_close(adder, overlap))
                return SLICE_NO_MEMORY;
            adder->waiting = at->operation;
            adder->wait =
                (struct overlap_wait){.event = {operation->track, operation->lane, operation->index},
                                      .start_ns = at->start_ns,
                                      .reason = adder->reason};
        }
        const int64_t before_ns = until_ns[boundary_find(adder, at->device, at->start_ns)];
        adder->wait.serialised_ns += until_ns[boundary_find(adder, at->device, at->end_ns)] - before_ns;
        adder->wait.start_ns = at->start_ns < adder->wait.start_ns ? at->start_ns : adder->wait.start_ns;
    }
    if (adder->at < windows->wait_count)
        return SLICE_MORE;
    bool fine = wait_close(adder, overlap);
    adder->waiting = adder->work->count;
    return fine ? SLICE_DONE : SLICE_NO_MEMORY;
}

enum { SORT, ROOM, REASONS, TIMES, WAITS, ADDED };

static enum slice adder_room(struct adder *adder)
{
    size_t count = adder->windows->boundary_count;
    adder->reasons = malloc(count + 1);
    adder->until_ns = malloc((count + 1) * sizeof *adder->until_ns);
    adder->waiting = adder->work->count;
    return adder->reasons && adder->until_ns ? SLICE_DONE : SLICE_NO_MEMORY;
}

enum slice adder_step(struct adder *adder, struct overlap *overlap, size_t *left)
{
    struct windows *windows = adder->windows;
    if (adder->stage == SORT && !adder->sort.array) {
        slice_sort_begin(&adder->sort, (void **)&windows->boundaries, windows->boundary_count,
                         sizeof *windows->boundaries, boundary_compare, NULL);
    }
    while (adder->stage < ADDED) {
        if (adder->stage == TIMES && adder->at == 0 && adder->total_ns[adder->reason] == 0) {
            adder->stage = ++adder->reason < SERIAL_COUNT ? TIMES : ADDED;
            continue;
        }
        enum slice slice = adder->stage == SORT      ? slice_sort_step(&adder->sort, left)
                           : adder->stage == ROOM    ? adder_room(adder)
                           : adder->stage == REASONS ? reasons_step(adder, left)
                           : adder->stage == TIMES   ? times_step(adder, overlap, left)
                                                     : waits_step(adder, overlap, left);
        if (slice != SLICE_DONE)
            return slice;
        adder->at = 0;
        if (adder->stage == WAITS && ++adder->reason < SERIAL_COUNT) {
            adder->stage = TIMES;
            adder->sum_ns = 0;
        } else {
            adder->stage++;
        }
    }
    carried_count(adder, overlap);
    return SLICE_DONE;
}

void adder_fini(struct adder *adder)
{
    slice_sort_fini(&adder->sort);
    free(adder->reasons);
    free(adder->until_ns);
}

/* ---- the least time ---- */

#define ENGINE_COUNT (ENGINE_COPIES + COPY_KIND_COUNT)

struct load {
    uint32_t device, process;                                /* device NONE: by process */
    int64_t busy_ns[ENGINE_COUNT], covered_ns[ENGINE_COUNT]; /* the union of an engine's work */
    double kernel_area_ns;                                   /* time by share of the device */
    int64_t longest_kernel_ns;
};

static struct load *load_of(const struct work *work, uint32_t track, struct load **loads, size_t *count,
                            size_t *capacity)
{
    const struct track_row *row = session_track(work->session, track);
    for (size_t i = 0; i < *count; i++)
        if ((*loads)[i].device == row->device && (row->device != NONE || (*loads)[i].process == row->process))
            return &(*loads)[i];
    if (!array_grow(*loads, *capacity, *count, 1))
        return NULL;
    struct load *load = &(*loads)[(*count)++];
    *load = (struct load){.device = row->device, .process = row->process};
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        load->covered_ns[engine] = INT64_MIN;
    return load;
}

static void load_add(struct load *load, const struct operation *operation, int64_t start_ns, int64_t end_ns)
{
    int64_t *covered_ns = &load->covered_ns[operation->engine];
    int64_t from_ns = start_ns > *covered_ns ? start_ns : *covered_ns, duration_ns = end_ns - start_ns;
    if (end_ns > from_ns) {
        load->busy_ns[operation->engine] += end_ns - from_ns;
        *covered_ns = end_ns;
    }
    if (operation->engine == ENGINE_KERNELS) {
        load->kernel_area_ns +=
            (double)duration_ns * (isnan(operation->share) ? 1.0 : (double)operation->share);
        load->longest_kernel_ns =
            duration_ns > load->longest_kernel_ns ? duration_ns : load->longest_kernel_ns;
    }
}

static int64_t needs_ns(const struct load *load, int engine)
{
    int64_t busy_ns = load->busy_ns[engine];
    if (engine != ENGINE_KERNELS || load->kernel_area_ns >= (double)busy_ns)
        return busy_ns;
    int64_t area_ns = (int64_t)ceil(load->kernel_area_ns);
    return area_ns > load->longest_kernel_ns ? area_ns : load->longest_kernel_ns;
}

enum slice least_step(struct least *least, const struct work *work, struct overlap *overlap, size_t *left)
{
    size_t own = work->next - work->own;
    for (; *left > 0 && least->at < own; least->at++, slice_take(left, 1)) {
        const struct operation *operation = &work->operations[work->own + least->at];
        struct load *load = load_of(work, operation->track, &least->loads, &least->count, &least->capacity);
        if (!load)
            return SLICE_NO_MEMORY;
        load_add(load, operation, operation->start_ns > work->start_ns ? operation->start_ns : work->start_ns,
                 operation->end_ns < work->end_ns ? operation->end_ns : work->end_ns);
    }
    if (least->at < own)
        return SLICE_MORE;
    overlap->least_ns = 0;
    for (size_t i = 0; i < least->count; i++) {
        for (int engine = 0; engine < ENGINE_COUNT; engine++) {
            int64_t needs = needs_ns(&least->loads[i], engine);
            if (needs > overlap->least_ns) {
                overlap->least_ns = needs;
                overlap->least_engine = (uint8_t)engine;
            }
        }
    }
    return SLICE_DONE;
}
