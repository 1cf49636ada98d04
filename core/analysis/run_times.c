/* SPDX-License-Identifier: Apache-2.0 */
/* The length of the union of a run's operations, which come in order of start. */
#include "core/analysis/run_times.h"

#include "core/session/lane_merge.h"
#include "core/session/session_walk.h"

#include <stdlib.h>

/* ---- steps ---- */

/*
 * Two passes. In the first, of each kernel it is enough to know where its last launch was, how many launches
 * before that the one before it was, and where that distance began to be the same: a stretch, whose best is
 * kept. The second takes the times of that kernel's launches, to leave out the warm-up.
 */

/* A sequence of launches of one kernel at equal distances, up to now. */
struct stretch {
    uint64_t launched;         /* 1 + the number of its last launch, counted over all kernels; 0: none yet */
    uint64_t distance, count;  /* distance: launches from one to the next; how often it occurred */
    int64_t start_ns, last_ns; /* start of the first and of the last launch of the sequence */
};

struct stepping {
    struct stretch *stretches; /* by kernel row */
    uint32_t kernels;
    uint64_t launches;
    struct steps best;
    /* In the second pass: when the steps of `best` start. NULL in the first pass. */
    int64_t *starts_ns;
    uint64_t start_count;
};
#define STEPS_TIMED (1u << 20) /* warm-up is looked for in at most this many steps: 8 MiB */

static void step_time(struct stepping *stepping, uint32_t kernel, int64_t start_ns)
{
    const struct steps *best = &stepping->best;
    if (kernel == best->kernel && start_ns >= best->start_ns && stepping->start_count <= best->count)
        stepping->starts_ns[stepping->start_count++] = start_ns;
}

static void launch_take(struct stepping *stepping, uint32_t kernel, int64_t start_ns)
{
    uint64_t number = stepping->launches++;
    struct stretch *stretch = &stepping->stretches[kernel];
    struct steps *best = &stepping->best;
    uint64_t distance = stretch->launched == 0 ? 0 : number + 1 - stretch->launched;
    if (distance != stretch->distance) { /* a new sequence begins with the launch before this one */
        stretch->count = 0;
        stretch->start_ns = stretch->last_ns;
        stretch->distance = distance;
    }
    stretch->count += distance > 0;
    stretch->launched = number + 1;
    stretch->last_ns = start_ns;
    uint64_t held = stretch->count * stretch->distance, most = best->count * best->launches;
    if (stretch->count >= STEPS_LEAST &&
        (held > most || (held == most && stretch->distance > best->launches))) {
        *best = (struct steps){.count = stretch->count,
                               .launches = stretch->distance,
                               .kernel = kernel,
                               .start_ns = stretch->start_ns,
                               .end_ns = start_ns};
    }
}

static enum status launches_walk(const struct session *session, uint32_t run, struct stepping *stepping,
                                 struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session, .until_ns = scope.until_ns};
    bool fine = lane_merge_add_streams(&merge, &scope, scope.from_ns), folded = false;
    lane_merge_begin(&merge);
    for (; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        folded = (first->item.flags & ITEM_FOLDED) != 0;
        if (!folded && first->item.kind == ITEM_LAUNCH && first->item.launch.kernel < stepping->kernels &&
            run_scope_has_event(&scope, &first->item, first->start_ns)) {
            if (stepping->starts_ns)
                step_time(stepping, first->item.launch.kernel, first->start_ns);
            else
                launch_take(stepping, first->item.launch.kernel, first->start_ns);
        }
    }
    lane_merge_fini(&merge);
    if (!fine)
        return error_no_memory(error, "to find the steps of a run");
    return folded ? error_set(error, STATUS_STATE, "Events of the run were evicted from memory.") : STATUS_OK;
}

static int time_compare(const void *a, const void *b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

/* Steps at the beginning that take more than twice the median are warm-up. */
static enum status warm_up_leave(const struct session *session, uint32_t run, struct stepping *stepping,
                                 struct error *error)
{
    struct steps *best = &stepping->best;
    stepping->starts_ns = calloc(best->count + 1, sizeof *stepping->starts_ns);
    int64_t *lengths_ns = calloc(best->count, sizeof *lengths_ns);
    enum status status = stepping->starts_ns && lengths_ns
                             ? launches_walk(session, run, stepping, error)
                             : error_no_memory(error, "to find the steps of a run");
    if (status == STATUS_OK && stepping->start_count == best->count + 1) {
        const int64_t *starts_ns = stepping->starts_ns;
        uint64_t warm = 0, count = best->count;
        for (uint64_t i = 0; i < count; i++)
            lengths_ns[i] = starts_ns[i + 1] - starts_ns[i];
        qsort(lengths_ns, count, sizeof *lengths_ns, time_compare);
        while (starts_ns[warm + 1] - starts_ns[warm] > 2 * lengths_ns[count / 2])
            warm++; /* ends: at least half of the steps are no longer than the median */
        best->start_ns = starts_ns[warm];
        best->count -= warm;
    }
    free(stepping->starts_ns);
    free(lengths_ns);
    return status;
}

enum status steps_find(const struct session *session, uint32_t run, struct steps *steps, struct error *error)
{
    struct stepping stepping = {.kernels = session_kernel_count(session), .best = {.kernel = NONE}};
    *steps = (struct steps){.kernel = NONE};
    stepping.stretches = calloc(stepping.kernels + 1, sizeof *stepping.stretches);
    if (!stepping.stretches)
        return error_no_memory(error, "to find the steps of a run");
    enum status status = launches_walk(session, run, &stepping, error);
    free(stepping.stretches);
    bool found = status == STATUS_OK && stepping.best.count > 0 &&
                 2 * stepping.best.count * stepping.best.launches >= stepping.launches;
    if (found && stepping.best.count <= STEPS_TIMED)
        status = warm_up_leave(session, run, &stepping, error);
    if (found && status == STATUS_OK)
        *steps = stepping.best;
    return status;
}

/* ---- times ---- */

const char *run_time_name(enum run_time time)
{
#define RUN_TIME_NAME(id, name, meaning) [RUN_TIME_##id] = name,
    static const char *const names[] = {RUN_TIME_LIST(RUN_TIME_NAME)};
#undef RUN_TIME_NAME
    return (unsigned)time < RUN_TIME_COUNT ? names[time] : "?";
}

int64_t run_whole_ns(const struct session *session, uint32_t run)
{
    const struct run_row *row = session_run(session, run);
    int64_t end_ns = atomic_load_explicit(&row->end_ns, memory_order_acquire);
    end_ns = end_ns == INT64_MIN ? session_now_ns(session, row->clock) : end_ns;
    return end_ns > row->start_ns ? end_ns - row->start_ns : 0;
}

enum status run_times_of(const struct session *session, uint32_t run, struct run_times *times,
                         struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session, .until_ns = scope.until_ns};
    int64_t first_ns = INT64_MIN, until_ns = INT64_MIN, *device_ns = &times->ns[RUN_TIME_DEVICE];
    bool folded = false;
    *times = (struct run_times){0};
    if (run != NONE && !scope.row) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    bool fine = lane_merge_add_streams(&merge, &scope, INT64_MIN);
    lane_merge_begin(&merge);
    for (; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        folded = (first->item.flags & ITEM_FOLDED) != 0;
        int64_t from_ns = first->start_ns > until_ns ? first->start_ns : until_ns;
        if (first->end_ns > from_ns && run_scope_has_event(&scope, &first->item, first->start_ns)) {
            *device_ns = session_add_ns(*device_ns, first->end_ns - from_ns);
            first_ns = first_ns == INT64_MIN ? first->start_ns : first_ns;
            until_ns = first->end_ns;
        }
    }
    lane_merge_fini(&merge);
    if (!fine)
        return error_no_memory(error, "to add up the time on the device");
    if (folded) {
        return error_set(error, STATUS_STATE,
                         "Events of this run were evicted from memory, so its time on the device is not "
                         "known. The recording has them: use `lanescope report`.");
    }
    times->ns[RUN_TIME_SPAN] = first_ns == INT64_MIN ? 0 : until_ns - first_ns;
    if (run != NONE) {
        int64_t whole_ns = run_whole_ns(session, run), span_ns = times->ns[RUN_TIME_SPAN];
        times->ns[RUN_TIME_WHOLE] = whole_ns > span_ns ? whole_ns : span_ns;
        times->ended = atomic_load_explicit(&scope.row->end_ns, memory_order_acquire) != INT64_MIN;
    }
    return STATUS_OK;
}

enum status run_kernels_busy(const struct session *session, uint32_t run, int64_t from_ns, int64_t until_ns,
                             const uint32_t *groups, uint32_t kernels, uint64_t *busy_ns, struct error *error)
{
    struct run_scope scope = run_scope_of(session, run);
    struct lane_merge merge = {.session = session,
                               .until_ns = scope.until_ns < until_ns ? scope.until_ns : until_ns};
    int64_t *counted_ns = malloc((kernels + 1u) * sizeof *counted_ns); /* by group: up to here */
    bool fine = counted_ns && lane_merge_add_streams(&merge, &scope, INT64_MIN);
    for (uint32_t i = 0; fine && i < kernels; i++)
        counted_ns[i] = from_ns;
    if (fine)
        lane_merge_begin(&merge);
    for (; fine && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        uint32_t kernel = first->item.launch.kernel;
        if (first->item.kind != ITEM_LAUNCH || (first->item.flags & ITEM_FOLDED) != 0 || kernel >= kernels ||
            !run_scope_has_event(&scope, &first->item, first->start_ns))
            continue;
        uint32_t group = groups ? groups[kernel] : kernel;
        if (group >= kernels)
            continue;
        int64_t start_ns = first->start_ns > counted_ns[group] ? first->start_ns : counted_ns[group],
                end_ns = first->end_ns < until_ns ? first->end_ns : until_ns;
        if (end_ns > start_ns) {
            busy_ns[group] += (uint64_t)(end_ns - start_ns);
            counted_ns[group] = end_ns;
        }
    }
    lane_merge_fini(&merge);
    free(counted_ns);
    return fine ? STATUS_OK : error_no_memory(error, "to add up the time of kernels");
}
