#include "core/overlap.h"

#include "core/occupancy.h"
#include "core/overlap_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIAL_TEXT(name, id, text) [SERIAL_##name] = text,
#define SERIAL_ID(name, id, text) [SERIAL_##name] = #id,

const char *serial_reason_text(enum serial_reason reason)
{
    static const char *const texts[SERIAL_COUNT] = {SERIAL_REASON_LIST(SERIAL_TEXT)};
    return (unsigned)reason < SERIAL_COUNT ? texts[reason] : "unknown";
}

const char *serial_reason_id(enum serial_reason reason)
{
    static const char *const ids[SERIAL_COUNT] = {SERIAL_REASON_LIST(SERIAL_ID)};
    return (unsigned)reason < SERIAL_COUNT ? ids[reason] : "unknown";
}

const char *overlap_engine_text(uint8_t engine)
{
    return engine == ENGINE_KERNELS ? "kernels"
           : engine == ENGINE_SETS  ? "sets"
                                    : session_copies_text((uint8_t)(engine - ENGINE_COPIES));
}

bool overlap_room(void **array, size_t count, size_t *capacity, size_t element_bytes)
{
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity == 0 ? 256 : *capacity * 2;
    void *grown = realloc(*array, wanted * element_bytes);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

/* ---- which work ---- */
/* What is asked about: a run, or everything on one clock. */
struct scope {
    const struct session *session;
    uint32_t run;
    const struct run_row *row; /* NULL: everything */
    uint8_t clock;
    int64_t run_end_ns;
    uint32_t kernels; /* there were when it began */
    float *shares;    /* by kernel row: of its device's places that a launch takes; NAN: not known; -1: not
                         looked at */
};

static bool scope_has_track(const struct scope *scope, const struct track_row *track)
{
    return track->clock == scope->clock && (scope->row == NULL || track->process == scope->row->process);
}

static bool scope_has_work(const struct scope *scope, const struct item *item, int64_t start_ns)
{
    if (scope->row == NULL) {
        return true;
    }
    const struct kernel_row *kernel =
        item->kind == ITEM_LAUNCH ? session_kernel(scope->session, item->launch.kernel) : NULL;
    if (kernel != NULL) {
        return kernel->run == scope->run;
    }
    return start_ns >= scope->row->start_ns && start_ns <= scope->run_end_ns;
}

/* How much of its device's places for blocks one launch of the kernel takes, 1 at most. Known only with the
 * device's limits. */
static float kernel_share(const struct scope *scope, uint32_t index)
{
    const struct kernel_row *kernel = session_kernel(scope->session, index);
    const struct shape_row *shape = kernel == NULL ? NULL : session_shape(scope->session, kernel->shape);
    const struct device_row *device = kernel == NULL ? NULL : session_device(scope->session, kernel->device);
    const struct arch *arch = device == NULL ? NULL : arch_find(device->info.compute_capability);
    if (shape == NULL || arch == NULL || device->info.multiprocessors == 0) {
        return NAN;
    }
    struct occupancy_input input = {
        .threads_per_block = (uint32_t)shape->block[0] * shape->block[1] * shape->block[2],
        .registers_per_thread = shape->registers_per_thread,
        .shared_bytes_per_block = shape->static_shared_bytes + shape->dynamic_shared_bytes,
        .shared_bytes_available = shape->shared_config_bytes};
    uint64_t places = (uint64_t)occupancy_compute(arch, &input).blocks * device->info.multiprocessors;
    double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    if (places == 0) {
        return NAN;
    }
    return blocks >= (double)places ? 1 : (float)(blocks / (double)places);
}

static float launch_share(const struct scope *scope, const struct item *item)
{
    if (item->launch.kernel >= scope->kernels) {
        return NAN;
    }
    float *share = &scope->shares[item->launch.kernel];
    if (*share < 0) {
        *share = kernel_share(scope, item->launch.kernel);
    }
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
        operation.engine = (uint8_t)(ENGINE_COPIES + (item->a <= COPY_DTOA ? item->a : (uint8_t)COPY_OTHER));
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
            INT64_MIN; /* not known, or no time at all: recordings come from strangers */
    }
    return operation;
}

/* ---- collecting ---- */
/* A call that makes the host wait, as far as its category tells. */
static bool blocks_host(const struct item *call, enum serial_reason *reason)
{
    *reason = call->b == CALL_SYNC ? SERIAL_EXPLICIT_SYNC : SERIAL_IMPLICIT_SYNC;
    return call->b == CALL_SYNC || call->b == CALL_ALLOC || call->b == CALL_FREE;
}

static bool blocked_add(struct work *work, struct blocked blocked)
{
    if (!overlap_room((void **)&work->blocked, work->blocked_count, &work->blocked_capacity,
                      sizeof blocked)) {
        return false;
    }
    work->blocked[work->blocked_count++] = blocked;
    return true;
}

static bool operation_add(struct work *work, const struct track_row *track, const struct operation *operation)
{
    if (!overlap_room((void **)&work->operations, work->count, &work->capacity, sizeof *operation)) {
        return false;
    }
    work->operations[work->count++] = *operation;
    bool waits = operation->engine >= ENGINE_COPIES && (operation->pageable || !operation->async);
    if (!waits || operation->call_start_ns == INT64_MIN) {
        return true;
    }
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
    if (item->a != SYNC_STREAM_WAIT_EVENT) {
        return true;
    }
    if (!overlap_room((void **)&work->stream_waits, work->stream_wait_count, &work->stream_wait_capacity,
                      sizeof *work->stream_waits)) {
        return false;
    }
    work->stream_waits[work->stream_wait_count++] = (struct stream_wait){.call_ns = call_ns,
                                                                         .process = track->process,
                                                                         .context = item->sync.context,
                                                                         .stream = item->sync.stream,
                                                                         .correlation = item->correlation};
    return true;
}

/* How long before the range work of the range may have been issued, and its streams been told to wait. */
#define ISSUED_BEFORE_NS INT64_C(100000000)

/* A run's work lies within the run; the GPU's clock and the host's may be so far apart. */
#define RUN_MARGIN_NS INT64_C(100000000)

static bool lane_collect(struct work *work, const struct scope *scope, uint32_t track, uint32_t lane)
{
    const struct track_row *row = session_track(work->session, track);
    uint64_t count = session_lane_count_events(work->session, track, lane);
    int64_t from_ns = work->start_ns;
    if (scope->row != NULL && from_ns < scope->row->start_ns - RUN_MARGIN_NS) {
        from_ns = scope->row->start_ns - RUN_MARGIN_NS;
    }
    if (row->kind == TRACK_SYNCS && from_ns > INT64_MIN + ISSUED_BEFORE_NS) {
        from_ns -= ISSUED_BEFORE_NS;
    }
    for (uint64_t i = session_lane_find(work->session, track, lane, from_ns); i < count; i++) {
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        int64_t start_ns = session_event_start_ns(work->session, ref),
                end_ns = session_event_end_ns(work->session, ref);
        if (start_ns >= work->end_ns || (scope->row != NULL && start_ns - RUN_MARGIN_NS > scope->run_end_ns)) {
            break;
        }
        struct item item = session_event_item(work->session, ref);
        enum serial_reason reason;
        work->folded |= (item.flags & ITEM_FOLDED) != 0;
        if (row->kind == TRACK_CALLS) {
            if (blocks_host(&item, &reason) &&
                !blocked_add(work, (struct blocked){start_ns, end_ns, row->process, row->thread,
                                                    item.correlation, reason})) {
                return false;
            }
        } else if (row->kind == TRACK_SYNCS) {
            if (!stream_wait_add(work, row, &item, start_ns)) {
                return false;
            }
        } else if (scope_has_work(scope, &item, start_ns)) {
            struct operation operation = operation_of(scope, &item);
            operation.start_ns = start_ns;
            operation.end_ns = end_ns;
            operation.track = track;
            operation.lane = lane;
            operation.index = i;
            if (!operation_add(work, row, &operation)) {
                return false;
            }
        }
    }
    return true;
}

static int operation_compare(const void *a, const void *b)
{
    const struct operation *left = a, *right = b;
    if (left->start_ns != right->start_ns) {
        return left->start_ns < right->start_ns ? -1 : 1;
    }
    return (left->end_ns > right->end_ns) - (left->end_ns < right->end_ns);
}

static bool collect(struct work *work, const struct scope *scope)
{
    uint32_t tracks = session_track_count(work->session);
    for (uint32_t track = 0; track < tracks; track++) {
        const struct track_row *row = session_track(work->session, track);
        bool asked = row->kind == TRACK_STREAM || row->kind == TRACK_CALLS || row->kind == TRACK_SYNCS;
        if (!asked || !scope_has_track(scope, row)) {
            continue;
        }
        uint32_t lanes = atomic_load_explicit(&row->lane_count, memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            if (!lane_collect(work, scope, track, lane)) {
                return false;
            }
        }
    }
    if (work->count > 0) {
        qsort(work->operations, work->count, sizeof *work->operations, operation_compare);
    }
    return true;
}

/* ---- what is busy ---- */
/* Grow a union of intervals that come in order of start: covered_ns is how far it reaches. */
static void cover(int64_t *busy_ns, int64_t *covered_ns, int64_t start_ns, int64_t end_ns)
{
    int64_t from_ns = start_ns > *covered_ns ? start_ns : *covered_ns;
    if (end_ns > from_ns) {
        *busy_ns += end_ns - from_ns;
        *covered_ns = end_ns;
    }
}

static bool busy(const struct work *work, struct overlap *overlap)
{
    uint32_t tracks = session_track_count(work->session);
    int64_t *stream_covered_ns = malloc((tracks + 1) * sizeof *stream_covered_ns);
    if (stream_covered_ns == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < tracks; i++) {
        stream_covered_ns[i] = INT64_MIN;
    }
    int64_t kernels_ns = INT64_MIN, copies_ns = INT64_MIN, any_ns = INT64_MIN, streams_busy_ns = 0;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < work->count; i++) {
        const struct operation *operation = &work->operations[i];
        int64_t start_ns = operation->start_ns > work->start_ns ? operation->start_ns : work->start_ns;
        int64_t end_ns = operation->end_ns < work->end_ns ? operation->end_ns : work->end_ns;
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
        if (operation->engine == ENGINE_KERNELS) {
            cover(&overlap->kernel_busy_ns, &kernels_ns, start_ns, end_ns);
        } else {
            cover(&overlap->copy_busy_ns, &copies_ns, start_ns, end_ns);
        }
        cover(&overlap->any_busy_ns, &any_ns, start_ns, end_ns);
        cover(&streams_busy_ns, &stream_covered_ns[operation->track], start_ns, end_ns);
    }
    free(stream_covered_ns);
    overlap->operations = work->count;
    overlap->span_ns = work->count > 0 ? last_ns - first_ns : 0;
    /* What two unions share is what they have too much together. */
    overlap->copy_hidden_ns = overlap->kernel_busy_ns + overlap->copy_busy_ns - overlap->any_busy_ns;
    overlap->mean_active_streams =
        overlap->any_busy_ns > 0 ? (double)streams_busy_ns / (double)overlap->any_busy_ns : 0;
    return true;
}

/* The wall clock, unless the session has only the model's. */
static uint8_t clock_of(const struct session *session)
{
    uint32_t tracks = session_track_count(session);
    for (uint32_t i = 0; i < tracks; i++) {
        if (session_track(session, i)->clock == CLOCK_WALL) {
            return CLOCK_WALL;
        }
    }
    return CLOCK_MODEL;
}

static enum status no_memory(const struct work *work, struct error *error)
{
    return error_set(
        error, STATUS_MEMORY,
        "There is not enough memory to look at the overlap of %zu operations: choose a shorter range.",
        work->count);
}

enum status work_collect(struct work *work, const struct session *session, uint32_t run, int64_t start_ns,
                         int64_t end_ns, struct error *error)
{
    struct scope scope = {
        .session = session, .run = run, .row = run == NONE ? NULL : session_run(session, run)};
    *work = (struct work){.session = session, .start_ns = start_ns, .end_ns = end_ns};
    if (run != NONE && scope.row == NULL) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    scope.clock = scope.row == NULL ? clock_of(session) : scope.row->clock;
    if (scope.row != NULL) {
        int64_t run_end_ns = atomic_load_explicit(&scope.row->end_ns, memory_order_acquire);
        scope.run_end_ns = run_end_ns == INT64_MIN ? INT64_MAX : run_end_ns;
    }
    scope.kernels = session_kernel_count(session);
    scope.shares = malloc((scope.kernels + 1) * sizeof *scope.shares);
    for (uint32_t i = 0; scope.shares != NULL && i < scope.kernels; i++) {
        scope.shares[i] = -1;
    }
    bool there = scope.shares != NULL && collect(work, &scope);
    free(scope.shares);
    if (there && work->folded)
        return error_set(error, STATUS_STATE,
                         "What ran here one by one has left memory; the recording has it. Look at a time "
                         "after %.3f s, or give more with --memory.",
                         (double)session_folded_until_ns(session, scope.clock) / 1e9);
    return there ? STATUS_OK : no_memory(work, error);
}

void work_free(struct work *work)
{
    free(work->operations);
    free(work->blocked);
    free(work->stream_waits);
    free(work->by_end);
}

enum status overlap_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                            struct overlap *overlap, struct error *error)
{
    struct work work;
    enum status status = work_collect(&work, session, run, start_ns, end_ns, error);
    *overlap = (struct overlap){0};
    if (status == STATUS_OK &&
        (!busy(&work, overlap) || !overlap_serialised(&work, overlap) || !overlap_least(&work, overlap))) {
        status = no_memory(&work, error);
    }
    work_free(&work);
    return status;
}
