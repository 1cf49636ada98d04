/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By ranges: one pass over them gathers those with one name but for its numbers on one lane of a thread; one over the
 * operations finds between which of them most was issued. By a kernel: see below.
 */
#include "core/analysis/steps.h"

#include "core/analysis/launch_sites.h"
#include "core/analysis/partition.h"
#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/session/session_walk.h"

#include <stdlib.h>
#include <string.h>

/* ---- by a kernel ---- */

/*
 * Kernels are put in groups: those that one place of the program alone launches, then each by itself. Steps begin with a
 * launch of a group.
 *
 * Two passes. In the first, of each group it is enough to know where its last launch was, how many launches
 * before that the one before it was, and where that distance began to be the same: a stretch, whose best is
 * kept. The second takes the times of that kernel's launches, to leave out the warm-up.
 */

/* A sequence of launches of one group at equal distances, up to now; of a place at similar ones, since a step may
 * launch a few more. */
struct stretch {
    uint64_t launched; /* 1 + the number of its last launch, counted over all kernels; 0: none yet */
    uint64_t distance,
        count;     /* distance: launches from one to the next, at its begin; how often it occurred */
    uint64_t held; /* launches in it */
    int64_t start_ns, last_ns; /* start of the first and of the last launch of the sequence */
};

struct stepping {
    struct stretch *stretches; /* by group */
    uint32_t *groups;          /* by kernel row: the first kernel row of its group; NONE: it has none */
    bool places;               /* groups are places */
    uint32_t kernels, group;   /* group: of `best` */
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
    if (stepping->groups[kernel] == stepping->group && start_ns >= best->start_ns &&
        stepping->start_count <= best->count)
        stepping->starts_ns[stepping->start_count++] = start_ns;
}

#define PLACE_APART 4 /* chosen: steps of a place differ by a quarter of their launches at most */

static bool is_alike(const struct stepping *stepping, uint64_t distance, uint64_t first)
{
    uint64_t apart = distance > first ? distance - first : first - distance;
    return stepping->places ? PLACE_APART * apart <= first : apart == 0;
}

static void launch_take(struct stepping *stepping, uint32_t kernel, int64_t start_ns)
{
    uint64_t number = stepping->launches++;
    if (stepping->groups[kernel] == NONE)
        return;
    struct stretch *stretch = &stepping->stretches[stepping->groups[kernel]];
    struct steps *best = &stepping->best;
    uint64_t distance = stretch->launched == 0 ? 0 : number + 1 - stretch->launched;
    if (!is_alike(stepping, distance, stretch->distance)) { /* a new sequence begins with the launch before */
        stretch->count = stretch->held = 0;
        stretch->start_ns = stretch->last_ns;
        stretch->distance = distance;
    }
    stretch->count += distance > 0;
    stretch->held += distance;
    stretch->launched = number + 1;
    stretch->last_ns = start_ns;
    uint64_t most = best->count * best->launches;
    /* A place that issues each launch is no step. */
    if (stretch->count >= STEPS_LEAST && (!stepping->places || stretch->distance > 1) &&
        (stretch->held > most || (stretch->held == most && stretch->distance > best->launches))) {
        stepping->group = stepping->groups[kernel];
        *best = (struct steps){.count = stretch->count,
                               .launches = stretch->held / stretch->count,
                               .kernel = stepping->places ? NONE : kernel,
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

static bool is_sorted(const int64_t *times_ns, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (times_ns[i] < times_ns[i - 1])
            return false;
    return true;
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
        const int64_t most_ns = 2 * select_int64(lengths_ns, count, count / 2);
        while (starts_ns[warm + 1] - starts_ns[warm] > most_ns)
            warm++; /* ends: at least half of the steps are no longer than the median */
        best->start_ns = starts_ns[warm];
        best->count -= warm;
    }
    free(stepping->starts_ns);
    free(lengths_ns);
    return status;
}

/* The kernels of each place, which the first of them stands for; a kernel that is launched at several has no group. */
static void group_by_place(const struct session *session, uint32_t kernels, const uint32_t *places,
                           uint32_t *groups)
{
    for (uint32_t i = 0; i < kernels; i++) {
        groups[i] = places[i] == 0 ? NONE : i;
        for (uint32_t k = 0; places[i] != 0 && k < i; k++)
            if (groups[k] == k && launch_sites_alike(session, places[k] - 1, places[i] - 1)) {
                groups[i] = k;
                break;
            }
    }
}

/* The groups that begin steps, by places (false: of a session without call paths there are none) or by kernels. */
static bool make_groups(const struct session *session, struct stepping *stepping, uint32_t *places)
{
    bool any = false;
    if (stepping->places && session_launch_site_count(session) > 0) {
        launch_sites_of_kernels(session, stepping->kernels, places);
        group_by_place(session, stepping->kernels, places, stepping->groups);
        any = true;
    }
    for (uint32_t i = 0; !stepping->places && i < stepping->kernels; i++)
        stepping->groups[i] = i;
    return any || !stepping->places;
}

static enum status find_by_launches(const struct session *session, uint32_t run, bool by_places,
                                    struct steps *steps, struct error *error)
{
    struct stepping stepping = {
        .places = by_places, .kernels = session_kernel_count(session), .best = {.kernel = NONE}};
    enum status status = STATUS_OK;
    *steps = (struct steps){.kernel = NONE};
    stepping.stretches = calloc(stepping.kernels + 1, sizeof *stepping.stretches);
    stepping.groups = calloc(stepping.kernels + 1, sizeof *stepping.groups);
    uint32_t *places = calloc(stepping.kernels + 1, sizeof *places);
    if (!stepping.stretches || !stepping.groups || !places)
        status = error_no_memory(error, "to find the steps of a run");
    bool has = status == STATUS_OK && make_groups(session, &stepping, places);
    if (has)
        status = launches_walk(session, run, &stepping, error);
    bool found = has && status == STATUS_OK && stepping.best.count > 0 &&
                 2 * stepping.best.count * stepping.best.launches >= stepping.launches;
    if (found && stepping.best.count <= STEPS_TIMED)
        status = warm_up_leave(session, run, &stepping, error);
    if (found && by_places)
        stepping.best.place = places[stepping.group];
    if (found && status == STATUS_OK)
        *steps = stepping.best;
    free(stepping.stretches);
    free(stepping.groups);
    free(places);
    return status;
}

/* ---- by ranges ---- */

#define DECLARED_LEAST 2u /* steps that the program itself names */
#define GROUPS_MOST 64u   /* names on one lane; further ones are no steps */
#define TRIED_MOST 16u    /* groups, those that last longest, whose operations are counted */
#define OWN_LEAST \
    0.1 /* chosen: the share of the operations that the thread of the ranges issues; a thread that loads
                             data for another issues fewer, one whose gradients another thread computes issues more */
#define ISSUED_LEAST \
    0.5 /* share of the operations that are issued between the first range and the end of the last */

/* Ranges on one lane whose names are alike. */
struct range_group {
    uint32_t track, lane, thread, name; /* name: of the first */
    bool declared;                      /* by PyTorch's profiler */
    uint64_t count, issued,
        own; /* issued: operations, in their time, by any thread of the process; own: by theirs */
    int64_t start_ns, end_ns;
};

struct grouping {
    const struct session *session;
    struct range_group *groups;
    size_t count, room, first; /* first: of the lane */
    struct range_group *tried[TRIED_MOST];
    size_t tried_count;
    uint64_t operations;
    bool no_memory;
};

/* Ranges of NVIDIA's libraries, operators of PyTorch, functions of Python and calls of the operating system are parts of a step;
 * where the program calls from is a place. */
static bool is_of_library(const char *domain, const char *name)
{
    static const char *const libraries[] = {"CCCL",   "NCCL",     "NVSHMEM",  "cuBLAS",          "cuBLASLt",
                                            "cuDNN",  "cuSPARSE", "cuSOLVER", "TensorRT",        "cuFFT",
                                            "RAPIDS", "PyTorch",  "Python",   "operating system"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncasecmp(domain, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return strncmp(name, "aten::", 6) == 0 || strncmp(name, "autograd::", 10) == 0;
}

/* What torch.profiler writes around each step of its schedule. */
static bool is_declared(const char *name)
{
    return strncmp(name, "ProfilerStep#", 13) == 0;
}

static bool group_range(void *context, const struct walk_event *event)
{
    struct grouping *grouping = context;
    const struct session *session = grouping->session;
    const struct range_group *last = grouping->count > 0 ? &grouping->groups[grouping->count - 1] : NULL;
    if (!last || last->track != event->ref.track || last->lane != event->ref.lane)
        grouping->first = grouping->count;
    uint32_t name = event->item.range.name;
    struct range_group *group = NULL;
    if (is_of_library(session_string(session, event->item.range.domain), session_string(session, name)))
        return true;
    for (size_t i = grouping->first; i < grouping->count && !group; i++)
        if (grouping->groups[i].name == name ||
            partition_names_alike(session_string(session, grouping->groups[i].name),
                                  session_string(session, name)))
            group = &grouping->groups[i];
    if (!group) {
        bool declared = is_declared(session_string(session, name));
        if (grouping->count - grouping->first >= GROUPS_MOST && !declared)
            return true;
        if (!array_grow(grouping->groups, grouping->room, grouping->count, 1)) {
            grouping->no_memory = true;
            return false;
        }
        group = &grouping->groups[grouping->count++];
        *group = (struct range_group){.track = event->ref.track,
                                      .lane = event->ref.lane,
                                      .thread = event->track->thread,
                                      .name = name,
                                      .declared = declared,
                                      .start_ns = event->start_ns,
                                      .end_ns = event->end_ns};
    }
    group->count++;
    group->end_ns = event->end_ns > group->end_ns ? event->end_ns : group->end_ns;
    return true;
}

/* Those with enough ranges that last longest from the first to the last; declared steps alone, if there are any. */
static void choose_tried(struct grouping *grouping)
{
    for (size_t i = 0; i < grouping->count; i++)
        if (grouping->groups[i].declared &&
            (grouping->tried_count == 0 || grouping->groups[i].count > grouping->tried[0]->count)) {
            grouping->tried[0] = &grouping->groups[i];
            grouping->tried_count = 1;
        }
    if (grouping->tried_count > 0)
        return;
    for (size_t i = 0; i < grouping->count; i++) {
        struct range_group *group = &grouping->groups[i];
        if (group->count < STEPS_LEAST || group->count > STEPS_TIMED)
            continue;
        size_t at = grouping->tried_count;
        while (at > 0 && grouping->tried[at - 1]->end_ns - grouping->tried[at - 1]->start_ns <
                             group->end_ns - group->start_ns)
            at--;
        if (at == TRIED_MOST)
            continue;
        grouping->tried_count += grouping->tried_count < TRIED_MOST;
        for (size_t k = grouping->tried_count - 1; k > at; k--)
            grouping->tried[k] = grouping->tried[k - 1];
        grouping->tried[at] = group;
    }
}

/* When and by whom an operation was issued. */
static int64_t issued_of(const struct item *item, uint32_t *thread)
{
    *thread = item->kind == ITEM_LAUNCH ? item->launch.call_thread
              : item->kind == ITEM_COPY ? item->copy.call_thread
                                        : item->set.call_thread;
    return item->kind == ITEM_LAUNCH ? item->launch.call_start_ns
           : item->kind == ITEM_COPY ? item->copy.call_start_ns
                                     : item->set.call_start_ns;
}

static bool count_operation(void *context, const struct walk_event *event)
{
    struct grouping *grouping = context;
    uint32_t thread;
    int64_t issued_ns = issued_of(&event->item, &thread);
    grouping->operations++;
    for (size_t i = 0; i < grouping->tried_count; i++) {
        struct range_group *group = grouping->tried[i];
        bool in = issued_ns >= group->start_ns && issued_ns < group->end_ns;
        group->issued += in;
        group->own += in && group->thread == thread;
    }
    return true;
}

#define WALK_OPERATIONS (WALK_ITEM(LAUNCH) | WALK_ITEM(COPY) | WALK_ITEM(SET))

/* The outermost; of one depth those whose thread issues most. */
static const struct range_group *best_group(const struct grouping *grouping)
{
    const struct range_group *best = NULL;
    double all = (double)grouping->operations;
    for (size_t i = 0; i < grouping->tried_count; i++) {
        const struct range_group *group = grouping->tried[i];
        if ((double)group->issued < ISSUED_LEAST * all ||
            (!group->declared && ((double)group->own < OWN_LEAST * all || group->own == 0)))
            continue;
        if (!best || group->lane < best->lane || (group->lane == best->lane && group->own > best->own) ||
            (group->lane == best->lane && group->own == best->own && group->start_ns < best->start_ns))
            best = group;
    }
    return best;
}

/* The steps of such ranges, one each, in order. */
struct range_step {
    int64_t range_ns, start_ns, end_ns; /* range_ns: when the range begins; then of its operations */
    uint64_t launches;
};

struct range_steps {
    const struct session *session;
    const struct steps *of;
    struct range_step *items;
    size_t count, room;
    bool no_memory;
};

static bool add_range(void *context, const struct walk_event *event)
{
    struct range_steps *steps = context;
    if (event->ref.track != steps->of->track || event->ref.lane != steps->of->lane ||
        (event->item.range.name != steps->of->range &&
         !partition_names_alike(session_string(steps->session, steps->of->range),
                                session_string(steps->session, event->item.range.name))))
        return true;
    if (!array_grow(steps->items, steps->room, steps->count, 1)) {
        steps->no_memory = true;
        return false;
    }
    steps->items[steps->count++] =
        (struct range_step){.range_ns = event->start_ns, .start_ns = INT64_MAX, .end_ns = INT64_MIN};
    return true;
}

/* Of the last step only while its range lasts: what comes after it is tear-down. */
static bool add_operation(void *context, const struct walk_event *event)
{
    struct range_steps *steps = context;
    uint32_t thread;
    int64_t issued_ns = issued_of(&event->item, &thread);
    size_t low = 0, high = steps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (steps->items[middle].range_ns <= issued_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || (low == steps->count && issued_ns >= steps->of->last_ns))
        return true;
    struct range_step *step = &steps->items[low - 1];
    step->start_ns = event->start_ns < step->start_ns ? event->start_ns : step->start_ns;
    step->end_ns = event->end_ns > step->end_ns ? event->end_ns : step->end_ns;
    step->launches += event->item.kind == ITEM_LAUNCH;
    return true;
}

/* Those that issue something; each starts after the one before it. */
static enum status make_range_steps(const struct session *session, uint32_t run, const struct steps *of,
                                    struct range_steps *steps, struct error *error)
{
    *steps = (struct range_steps){.session = session, .of = of};
    bool whole =
        session_walk(session,
                     &(struct walk){.run = run, .tracks = WALK_TRACK(RANGES), .items = WALK_ITEM(RANGE)},
                     add_range, steps) &&
        session_walk(session,
                     &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_OPERATIONS},
                     add_operation, steps);
    if (steps->no_memory)
        return error_no_memory(error, "to find the steps of a run");
    if (!whole)
        return error_set(error, STATUS_STATE, "Events of the run were evicted from memory.");
    size_t kept = 0;
    for (size_t i = 0; i < steps->count; i++) {
        struct range_step step = steps->items[i];
        if (step.launches == 0 && step.end_ns == INT64_MIN)
            continue;
        if (kept > 0 && step.start_ns <= steps->items[kept - 1].start_ns)
            step.start_ns = steps->items[kept - 1].start_ns + 1;
        steps->items[kept++] = step;
    }
    steps->count = kept;
    return STATUS_OK;
}

static int64_t step_end_ns(const struct range_steps *steps, size_t at)
{
    const struct range_step *step = &steps->items[at];
    if (at + 1 < steps->count)
        return steps->items[at + 1].start_ns;
    return step->end_ns > step->start_ns ? step->end_ns : step->start_ns + 1;
}

/* Leaves the warm-up out, as of kernels. */
static enum status take_range_steps(const struct range_steps *list, size_t least, struct steps *steps,
                                    struct error *error)
{
    size_t count = list->count, warm = 0;
    uint64_t launches = 0;
    if (count < least)
        return STATUS_OK;
    int64_t *lengths_ns = malloc(count * sizeof *lengths_ns);
    if (!lengths_ns)
        return error_no_memory(error, "to find the steps of a run");
    for (size_t i = 0; i < count; i++)
        lengths_ns[i] = step_end_ns(list, i) - list->items[i].start_ns;
    int64_t most_ns = 2 * select_int64(lengths_ns, count, count / 2);
    free(lengths_ns);
    while (step_end_ns(list, warm) - list->items[warm].start_ns > most_ns)
        warm++; /* ends: at least half of the steps are no longer than the median */
    for (size_t i = warm; i < count; i++)
        launches += list->items[i].launches;
    steps->count = count - warm;
    steps->launches = launches / steps->count;
    steps->start_ns = list->items[warm].start_ns;
    steps->end_ns = step_end_ns(list, count - 1);
    return STATUS_OK;
}

static enum status find_by_ranges(const struct session *session, uint32_t run, struct steps *steps,
                                  bool *declared, struct error *error)
{
    struct grouping grouping = {.session = session};
    const struct walk ranges = {.run = run, .tracks = WALK_TRACK(RANGES), .items = WALK_ITEM(RANGE)};
    *steps = (struct steps){.kernel = NONE};
    if (run == NONE || session_walk_events(session, &ranges) == 0)
        return STATUS_OK;
    bool whole = session_walk(session, &ranges, group_range, &grouping);
    choose_tried(&grouping);
    *declared = grouping.tried_count > 0 && grouping.tried[0]->declared;
    if (whole && grouping.tried_count > 0)
        whole = session_walk(
            session, &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_OPERATIONS},
            count_operation, &grouping);
    const struct range_group *best = best_group(&grouping);
    enum status status = grouping.no_memory ? error_no_memory(error, "to find the steps of a run")
                         : whole
                             ? STATUS_OK
                             : error_set(error, STATUS_STATE, "Events of the run were evicted from memory.");
    if (status == STATUS_OK && best) {
        struct range_steps list;
        struct steps of = {.kernel = NONE,
                           .range = best->name,
                           .track = best->track,
                           .lane = best->lane,
                           .last_ns = best->end_ns};
        status = make_range_steps(session, run, &of, &list, error);
        if (status == STATUS_OK)
            status = take_range_steps(&list, *declared ? DECLARED_LEAST : STEPS_LEAST, &of, error);
        if (status == STATUS_OK && of.count > 0)
            *steps = of;
        free(list.items);
    }
    free(grouping.groups);
    return status;
}

/* ---- either ---- */

enum status steps_find(const struct session *session, uint32_t run, struct steps *steps, struct error *error)
{
    bool declared = false;
    enum status status = find_by_ranges(session, run, steps, &declared, error);
    /* One declared step is not taken apart. */
    for (int places = 1; places >= 0 && status == STATUS_OK && steps->count == 0 && !declared; places--)
        status = find_by_launches(session, run, places, steps, error);
    return status;
}

struct kernel_starts {
    const struct session *session;
    const struct steps *of;
    uint32_t *places; /* by kernel row, where a place begins the steps; else NULL */
    uint32_t kernels;
    int64_t *items;
    size_t count, room;
    bool no_memory;
};

static bool add_launch(void *context, const struct walk_event *event)
{
    struct kernel_starts *starts = context;
    const uint32_t kernel = event->item.launch.kernel;
    bool begins = !starts->places ? kernel == starts->of->kernel
                                  : kernel < starts->kernels && starts->places[kernel] != 0 &&
                                        launch_sites_alike(starts->session, starts->places[kernel] - 1,
                                                           starts->of->place - 1);
    if (!begins || event->start_ns < starts->of->start_ns || event->start_ns > starts->of->end_ns)
        return true;
    if (!array_grow(starts->items, starts->room, starts->count, 1)) {
        starts->no_memory = true;
        return false;
    }
    starts->items[starts->count++] = event->start_ns;
    return true;
}

static enum status starts_by_kernel(const struct session *session, uint32_t run, const struct steps *steps,
                                    int64_t **starts_ns, size_t *count, struct error *error)
{
    struct kernel_starts starts = {.session = session, .of = steps, .kernels = session_kernel_count(session)};
    if (steps->place != 0) {
        starts.places = calloc(starts.kernels + 1, sizeof *starts.places);
        if (!starts.places)
            return error_no_memory(error, "to find the steps of a run");
        launch_sites_of_kernels(session, starts.kernels, starts.places);
    }
    bool whole = session_walk(
        session, &(struct walk){.run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(LAUNCH)},
        add_launch, &starts);
    free(starts.places);
    *starts_ns = starts.items;
    *count = starts.count > 0 ? starts.count - 1 : 0;
    if (starts.no_memory)
        return error_no_memory(error, "to find the steps of a run");
    if (!is_sorted(starts.items, starts.count))
        qsort(starts.items, starts.count, sizeof *starts.items, time_compare);
    return whole ? STATUS_OK : error_set(error, STATUS_STATE, "Not all launches of this run fit in memory.");
}

enum status steps_starts(const struct session *session, uint32_t run, const struct steps *steps,
                         int64_t **starts_ns, size_t *count, struct error *error)
{
    struct range_steps list;
    *starts_ns = NULL;
    *count = 0;
    if (steps->range == 0)
        return starts_by_kernel(session, run, steps, starts_ns, count, error);
    enum status status = make_range_steps(session, run, steps, &list, error);
    size_t first = 0;
    while (status == STATUS_OK && first < list.count && list.items[first].start_ns < steps->start_ns)
        first++;
    if (status == STATUS_OK && first < list.count) {
        *count = list.count - first;
        *starts_ns = malloc((*count + 1) * sizeof **starts_ns);
        for (size_t i = 0; *starts_ns && i < *count; i++)
            (*starts_ns)[i] = list.items[first + i].start_ns;
        if (*starts_ns)
            (*starts_ns)[*count] = step_end_ns(&list, list.count - 1);
        else
            status = error_no_memory(error, "to find the steps of a run");
    }
    free(list.items);
    return status;
}
