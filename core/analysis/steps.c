/*
 * Two passes. In the first, of each kernel it is enough to know where its last launch was, how many launches
 * before that the one before it was, and where that distance began to be the same: a stretch, whose best is
 * kept. The second takes the times of that kernel's launches, to leave out the warm-up.
 */
#include "core/analysis/steps.h"

#include "core/session/lane_merge.h"
#include "core/session/session_walk.h"

#include <stdlib.h>

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
            if (stepping->starts_ns != NULL)
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
    enum status status = stepping->starts_ns != NULL && lengths_ns != NULL
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
    if (stepping.stretches == NULL)
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
