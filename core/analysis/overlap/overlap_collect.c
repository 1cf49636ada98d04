/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device work of a range, and what the host's calls say of it: of lanes of calls one after the other, of
 * lanes of work all at once, so that operations come in order of start.
 */
#include "core/analysis/overlap/overlap_internal.h"

#include "core/base/array.h"
#include "core/base/free_memory.h"
#include "core/hardware/occupancy.h"

#include <math.h>
#include <stdlib.h>

/* ---- which work ---- */
static bool scope_has_track(const struct scope *scope, const struct track_row *track)
{
    return track->clock == scope->clock && run_scope_has_track(&scope->of, track);
}

/* The share of its device's block slots that one launch of the kernel takes, 1 at most. Known only with the
 * device's limits. */
static float kernel_share(const struct scope *scope, uint32_t index)
{
    const struct kernel_row *kernel = session_kernel(scope->session, index);
    const struct shape_row *shape = !kernel ? NULL : session_shape(scope->session, kernel->shape);
    const struct device_row *device = !kernel ? NULL : session_device(scope->session, kernel->device);
    const struct arch *arch = !device ? NULL : arch_find(device->info.compute_capability);
    if (!shape || !arch || device->info.multiprocessors == 0)
        return NAN;
    struct occupancy_input input = {
        .threads_per_block = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2],
        .registers_per_thread = shape->registers_per_thread,
        .shared_bytes_per_block = shape->static_shared_bytes + shape->dynamic_shared_bytes,
        .shared_bytes_available = shape_shared_set_aside(shape)};
    uint64_t places = (uint64_t)occupancy_compute(arch, &input).blocks * device->info.multiprocessors;
    double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    if (places == 0)
        return NAN;
    return blocks >= (double)places ? 1 : (float)(blocks / (double)places);
}

static float launch_share(const struct scope *scope, const struct item *item)
{
    if (item->launch.kernel >= scope->kernels)
        return NAN;
    float *share = &scope->shares[item->launch.kernel];
    if (*share < 0)
        *share = kernel_share(scope, item->launch.kernel);
    return *share;
}

static struct operation operation_of(const struct scope *scope, const struct item *item)
{
    struct operation operation = {.kernel = NONE};
    switch (item->kind) {
    case ITEM_LAUNCH:
        operation.kernel = item->launch.kernel;
        operation.graph = item->launch.graph;
        operation.engine = ENGINE_KERNELS;
        operation.call_start_ns = item->launch.call_start_ns;
        operation.call_duration_ns = item->launch.call_duration_ns;
        operation.call_thread = item->launch.call_thread;
        operation.share = launch_share(scope, item);
        operation.fills = operation.share >= 1;
        break;
    case ITEM_COPY:
        operation.engine =
            (uint8_t)(ENGINE_COPIES + (item->a < COPY_KIND_COUNT ? item->a : (uint8_t)COPY_OTHER));
        operation.call_start_ns = item->copy.call_start_ns;
        operation.call_duration_ns = item->copy.call_duration_ns;
        operation.call_thread = item->copy.call_thread;
        operation.async = (item->flags & ITEM_ASYNC) != 0;
        operation.pageable =
            item_copy_source(item) == MEMORY_PAGEABLE || item_copy_destination(item) == MEMORY_PAGEABLE;
        break;
    default:
        operation.engine = ENGINE_SETS;
        operation.call_start_ns = item->set.call_start_ns;
        operation.call_duration_ns = item->set.call_duration_ns;
        operation.call_thread = item->set.call_thread;
        break;
    }
    if (operation.call_start_ns < -SESSION_TIME_MAX_NS || operation.call_start_ns > SESSION_TIME_MAX_NS) {
        operation.call_start_ns =
            INT64_MIN; /* no API call, or a time that is not possible: a recording may come from anybody */
    }
    return operation;
}

/* ---- what is kept of them ---- */
/* A call that makes the host wait, as far as its category shows. */
static bool blocks_host(const struct item *call, enum serial_reason *reason)
{
    *reason = call->b == CALL_SYNC ? SERIAL_EXPLICIT_SYNC : SERIAL_IMPLICIT_SYNC;
    return call->b == CALL_SYNC || call->b == CALL_ALLOC || call->b == CALL_FREE;
}

static bool blocked_add(struct work *work, struct blocked blocked)
{
    if (!array_grow(work->blocked, work->blocked_capacity, work->blocked_count, 1))
        return false;
    work->blocked[work->blocked_count++] = blocked;
    return true;
}

static bool operation_add(struct work *work, const struct track_row *track, const struct operation *operation)
{
    if (!array_grow(work->operations, work->capacity, work->count, 1))
        return false;
    work->operations[work->count++] = *operation;
    bool waits = operation->engine >= ENGINE_COPIES && (operation->pageable || !operation->async);
    if (!waits || work->sums || operation->call_start_ns == INT64_MIN)
        return true;
    return blocked_add(work,
                       (struct blocked){.start_ns = operation->call_start_ns,
                                        .end_ns = operation->call_start_ns + operation->call_duration_ns,
                                        .process = track->process,
                                        .thread = operation->call_thread,
                                        .reason = operation->async ? SERIAL_PAGEABLE : SERIAL_EXPLICIT_SYNC});
}

static bool stream_wait_add(struct work *work, const struct track_row *track, const struct item *item,
                            int64_t call_ns)
{
    if (item->a != SYNC_STREAM_WAIT_EVENT)
        return true;
    if (!array_grow(work->stream_waits, work->stream_wait_capacity, work->stream_wait_count, 1))
        return false;
    work->stream_waits[work->stream_wait_count++] = (struct stream_wait){.call_ns = call_ns,
                                                                         .process = track->process,
                                                                         .context = item->sync.context,
                                                                         .stream = item->sync.stream,
                                                                         .correlation = item->correlation};
    return true;
}

/* How long before the range its work may have been issued, and its streams told to wait. */
#define ISSUED_BEFORE_NS INT64_C(100000000)

/* ---- batches ---- */
/* Up to when calls matter: until the last collected operation began. */
static int64_t horizon_ns(const struct collector *collector)
{
    const struct work *work = collector->work;
    return collector->streams.count == 0 ? INT64_MAX : work->operations[work->count - 1].start_ns;
}

/* Sets where the next batch begins, between operations that do not start together. False: more must be
 * collected first. */
static bool batch_divide(struct collector *collector)
{
    struct work *work = collector->work;
    const struct operation *operations = work->operations;
    work->next = work->count;
    work->batch_end_ns = work->end_ns;
    if (collector->streams.count == 0)
        return true;
    size_t next = work->own + collector->batch;
    while (next < work->count && operations[next].start_ns == operations[next - 1].start_ns)
        next++;
    if (next + collector->ahead > work->count)
        return false;
    work->next = next;
    work->batch_end_ns = operations[next].start_ns;
    return true;
}

/* Are there enough operations for a batch? */
static bool batch_is_full(struct collector *collector)
{
    const struct work *work = collector->work;
    return collector->batch > 0 && work->count >= work->own + collector->batch + collector->ahead &&
           batch_divide(collector);
}

/* Keeps the calls that the next batch needs; returns since when operations matter: since then they may have
 * kept an allocation or a free waiting. */
static int64_t blocked_keep(struct work *work, int64_t from_ns)
{
    size_t kept = 0;
    int64_t needed_ns = from_ns;
    for (size_t i = 0; i < work->blocked_count; i++) {
        const struct blocked *blocked = &work->blocked[i];
        if (blocked->end_ns <= from_ns - HOST_GAP_NS)
            continue;
        if (blocked->reason == SERIAL_IMPLICIT_SYNC && blocked->start_ns < needed_ns)
            needed_ns = blocked->start_ns;
        work->blocked[kept++] = *blocked;
    }
    work->blocked_count = kept;
    return needed_ns;
}

static void stream_waits_keep(struct work *work, int64_t since_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < work->stream_wait_count; i++)
        if (work->stream_waits[i].call_ns >= since_ns)
            work->stream_waits[kept++] = work->stream_waits[i];
    work->stream_wait_count = kept;
}

/* Finds for each track the operation before `next` that ends last, as its index + 1; 0: none. */
static size_t *latest_by_track(const struct work *work)
{
    size_t *latest = calloc(session_track_count(work->session) + 1u, sizeof *latest);
    for (size_t i = 0; latest && i < work->next; i++) {
        size_t *of = &latest[work->operations[i].track];
        if (*of == 0 || work->operations[*of - 1].end_ns <= work->operations[i].end_ns)
            *of = i + 1;
    }
    return latest;
}

enum slice collector_next(struct collector *collector)
{
    struct work *work = collector->work;
    if (work->next == work->count && collector->streams.count == 0)
        return SLICE_DONE;
    size_t *latest = latest_by_track(work);
    if (!latest)
        return SLICE_NO_MEMORY;
    size_t blocked_count = work->blocked_count;
    int64_t from_ns = work->batch_end_ns, needed_ns = blocked_keep(work, from_ns);
    int64_t issued_ns = from_ns - ISSUED_BEFORE_NS;
    work->blocked_capacity = blocked_count; /* sorting replaced the arrays by others of that size */
    work->stream_wait_capacity = work->stream_wait_count;
    size_t kept = 0, own = 0;
    collector->passed += work->next - work->own;
    for (size_t i = 0; i < work->count; i++) {
        const struct operation *operation = &work->operations[i];
        if (i < work->next && operation->end_ns < needed_ns && latest[operation->track] != i + 1)
            continue;
        if (operation->call_start_ns != INT64_MIN && operation->call_start_ns < issued_ns)
            issued_ns = operation->call_start_ns;
        own += i < work->next;
        work->operations[kept++] = *operation;
    }
    work->count = kept;
    work->own = own;
    work->batch_start_ns = from_ns;
    stream_waits_keep(work, issued_ns);
    free(work->by_end);
    work->by_end = NULL;
    collector->other = 0;
    free(latest);
    return SLICE_MORE;
}

/* ---- lanes ---- */
static bool lane_add(struct collector *collector, uint32_t track, uint32_t lane)
{
    const struct session *session = collector->work->session;
    const struct scope *scope = &collector->scope;
    const struct track_row *row = session_track(session, track);
    int64_t from_ns = collector->work->start_ns;
    if (row->kind == TRACK_SYNCS && from_ns > INT64_MIN + ISSUED_BEFORE_NS)
        from_ns -= ISSUED_BEFORE_NS;
    uint64_t first = from_ns <= scope->of.from_ns ? run_scope_first(&scope->of, track, lane)
                                                  : session_lane_find(session, track, lane, from_ns);
    uint64_t end = session_lane_find(session, track, lane, scope->until_ns);
    uint64_t events = end > first ? end - first : 1;
    struct lane_merge *merge = row->kind == TRACK_STREAM ? &collector->streams : &collector->others;
    if (first >= session_lane_count_events(session, track, lane))
        return true;
    collector->events += events;
    collector->operations += row->kind == TRACK_STREAM ? events : 0;
    return lane_merge_add(merge, track, lane, first);
}

/* ---- collecting ---- */
static bool other_take(struct collector *collector, const struct lane_cursor *cursor)
{
    struct work *work = collector->work;
    const struct track_row *row = session_track(work->session, cursor->ref.track);
    enum serial_reason reason;
    work->folded |= (cursor->item.flags & ITEM_FOLDED) != 0;
    if (row->kind == TRACK_SYNCS)
        return stream_wait_add(work, row, &cursor->item, cursor->start_ns);
    return !blocks_host(&cursor->item, &reason) ||
           blocked_add(work, (struct blocked){cursor->start_ns, cursor->end_ns, row->process, row->thread,
                                              cursor->item.correlation, reason});
}

static bool operation_take(struct collector *collector, const struct lane_cursor *cursor)
{
    struct work *work = collector->work;
    work->folded |= (cursor->item.flags & ITEM_FOLDED) != 0;
    if (!run_scope_has_event(&collector->scope.of, &cursor->item, cursor->start_ns))
        return true;
    struct operation operation = operation_of(&collector->scope, &cursor->item);
    operation.start_ns = cursor->start_ns;
    operation.end_ns = cursor->end_ns;
    operation.track = cursor->ref.track;
    operation.lane = cursor->ref.lane;
    operation.index = cursor->ref.index;
    return operation_add(work, session_track(work->session, cursor->ref.track), &operation);
}

enum slice collector_step(struct collector *collector, size_t *left)
{
    struct lane_merge *others = &collector->others, *streams = &collector->streams;
    size_t before = *left;
    bool fine = true;
    bool full = batch_is_full(collector);
    while (fine && !full && *left > 0 && !collector->work->folded && streams->count > 0) {
        fine = operation_take(collector, &streams->items[0]);
        lane_merge_next(streams);
        slice_take(left, 1);
        full = batch_is_full(collector);
    }
    full = full || streams->count == 0;
    int64_t until_ns = full ? horizon_ns(collector) : INT64_MIN;
    while (fine && full && *left > 0 && !collector->work->folded && collector->other < others->count) {
        struct lane_cursor *cursor = &others->items[collector->other];
        if (cursor->start_ns > until_ns) {
            collector->other++;
            continue;
        }
        fine = other_take(collector, cursor);
        cursor->ref.index++;
        if (!lane_cursor_load(cursor, others->session, others->until_ns))
            *cursor = others->items[--others->count];
        slice_take(left, 1);
    }
    collector->done += before - *left;
    bool ended = collector->work->folded || (full && collector->other == others->count);
    if (fine && ended && !collector->work->folded)
        batch_divide(collector);
    return !fine ? SLICE_NO_MEMORY : ended ? SLICE_DONE : SLICE_MORE;
}

void collector_fini(struct collector *collector)
{
    free(collector->scope.shares);
    lane_merge_fini(&collector->others);
    lane_merge_fini(&collector->streams);
    *collector = (struct collector){0};
}

static bool collector_lanes(struct collector *collector)
{
    uint32_t tracks = session_track_count(collector->work->session);
    bool fine = true;
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(collector->work->session, track);
        bool asked = row->kind == TRACK_STREAM ||
                     (!collector->work->sums && (row->kind == TRACK_CALLS || row->kind == TRACK_SYNCS));
        uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; fine && asked && scope_has_track(&collector->scope, row) && lane < lanes;
             lane++)
            fine = lane_add(collector, track, lane);
    }
    lane_merge_begin(&collector->streams);
    return fine;
}

#define OPERATION_BYTES 250u /* at most, of one operation with its waits, when the longest sort ends */

static enum status collector_check_memory(const struct collector *collector, struct error *error)
{
    uint64_t most = collector->batch > 0 ? collector->batch + collector->ahead : UINT64_MAX;
    uint64_t operations = collector->operations < most ? collector->operations : most;
    uint64_t wanted = operations * OPERATION_BYTES, available = free_memory_bytes();
    if (wanted <= available)
        return STATUS_OK;
    return error_set(error, STATUS_STATE,
                     "To examine the overlap of %llu operations takes %.1f GB of memory, and %.1f GB are "
                     "free: zoom in, or mark a shorter range with [ and ].",
                     (unsigned long long)collector->operations, (double)wanted / 1e9,
                     (double)available / 1e9);
}

enum status collector_begin(struct collector *collector, struct work *work, const struct session *session,
                            uint32_t run, int64_t start_ns, int64_t end_ns, size_t batch, size_t ahead,
                            bool sums, struct error *error)
{
    *work = (struct work){.session = session,
                          .sums = sums,
                          .start_ns = start_ns,
                          .end_ns = end_ns,
                          .batch_start_ns = start_ns,
                          .batch_end_ns = end_ns};
    *collector = (struct collector){.work = work, .batch = batch, .ahead = ahead};
    struct scope *scope = &collector->scope;
    *scope = (struct scope){.session = session, .of = run_scope_of(session, run)};
    if (run != NONE && !scope->of.row) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    scope->clock = run_scope_clock(&scope->of);
    scope->until_ns = end_ns < scope->of.until_ns ? end_ns : scope->of.until_ns;
    collector->others = (struct lane_merge){.session = session, .until_ns = scope->until_ns};
    collector->streams = (struct lane_merge){.session = session, .until_ns = scope->until_ns};
    scope->kernels = session_kernel_count(session);
    scope->shares = malloc((scope->kernels + 1) * sizeof *scope->shares);
    for (uint32_t i = 0; scope->shares && i < scope->kernels; i++)
        scope->shares[i] = -1;
    return scope->shares && collector_lanes(collector) ? collector_check_memory(collector, error)
                                                       : work_no_memory(work, error);
}

enum status collector_end(const struct collector *collector, struct error *error)
{
    if (!collector->work->folded)
        return STATUS_OK;
    return error_set(
        error, STATUS_STATE,
        "Events of this time were evicted from memory; the recording has them. The screen reads back a "
        "shorter range; or choose a range after %.3f s, or give more memory with --memory.",
        (double)session_folded_until_ns(collector->work->session, collector->scope.clock) / 1e9);
}

enum status work_no_memory(const struct work *work, struct error *error)
{
    return error_set(
        error, STATUS_MEMORY,
        "There is not enough memory to examine the overlap of %zu operations: choose a shorter range.",
        work->count);
}

enum status work_collect(struct work *work, const struct session *session, uint32_t run, int64_t start_ns,
                         int64_t end_ns, struct error *error)
{
    struct collector collector;
    size_t left = SIZE_MAX;
    enum status status =
        collector_begin(&collector, work, session, run, start_ns, end_ns, 0, 0, false, error);
    if (status == STATUS_OK) {
        status = collector_step(&collector, &left) == SLICE_DONE ? collector_end(&collector, error)
                                                                 : work_no_memory(work, error);
    }
    collector_fini(&collector);
    return status;
}

void work_free(struct work *work)
{
    free(work->operations);
    free(work->blocked);
    free(work->stream_waits);
    free(work->by_end);
}
