/*
 * One pass over the run's operations in order of start. Of each device it is enough to know until when a
 * kernel, a collective and a copy run at most: between two starts these three times are the only places where
 * the class changes. Idle time is handed to the launching thread's calls (core/analysis/partition_idle.c).
 */
#include "core/analysis/collective.h"
#include "core/analysis/partition_internal.h"
#include "core/session/lane_merge.h"
#include "core/session/session_walk.h"

#include <stdlib.h>
#include <string.h>

/* What can run, in order of precedence and of the classes: while a kernel runs, collectives and copies are
 * hidden. */
enum running { RUNNING_KERNEL, RUNNING_COLLECTIVE, RUNNING_COPY, RUNNING_COUNT };

struct sweep {
    struct partition partition;
    int64_t until_ns[RUNNING_COUNT];   /* INT64_MIN: none yet */
    int64_t at_ns;                     /* up to here time is given out */
    uint64_t kernels[PARTITION_COUNT]; /* that had run at the last gap of the class */
    int64_t graph_call_ns; /* call of the last operation if it was a node of a graph; else INT64_MIN */
    struct blame_table blames;
};

struct sweeping {
    const struct session *session;
    struct run_scope scope;
    int64_t start_ns, end_ns; /* the range */
    struct sweep *sweeps;     /* by device row; the last one: of tracks without a device */
    uint32_t devices;
    uint8_t *collective; /* by kernel row, is it a collective: 0 not looked at, 1 no, 2 yes */
    bool *launched;      /* by kernel row, was it launched before */
    uint32_t kernels;
    struct idle_blamer blamer;
};

static int64_t earlier_ns(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Assigns the time up to to_ns, in which nothing starts; returns for how long of it nothing ran. The idle
 * time is at its end. */
static int64_t sweep_advance(struct sweep *sweep, int64_t to_ns)
{
    struct partition *partition = &sweep->partition;
    while (sweep->at_ns < to_ns) {
        int64_t next_ns = to_ns;
        bool runs[RUNNING_COUNT];
        for (int i = 0; i < RUNNING_COUNT; i++) {
            runs[i] = sweep->until_ns[i] > sweep->at_ns;
            next_ns = runs[i] ? earlier_ns(next_ns, sweep->until_ns[i]) : next_ns;
        }
        if (!runs[RUNNING_KERNEL] && !runs[RUNNING_COLLECTIVE] && !runs[RUNNING_COPY])
            break;
        int64_t ns = next_ns - sweep->at_ns;
        partition->ns[runs[RUNNING_KERNEL]       ? PARTITION_KERNEL
                      : runs[RUNNING_COLLECTIVE] ? PARTITION_COLLECTIVE
                                                 : PARTITION_COPY] += ns;
        if (runs[RUNNING_KERNEL] && runs[RUNNING_COLLECTIVE])
            partition->collective_hidden_ns += ns;
        if (runs[RUNNING_COPY] && (runs[RUNNING_KERNEL] || runs[RUNNING_COLLECTIVE]))
            partition->copy_hidden_ns += ns;
        sweep->at_ns = next_ns;
    }
    return to_ns - sweep->at_ns;
}

static enum running running_of(struct sweeping *sweeping, uint32_t process, const struct item *item)
{
    if (issued_in_collective(&sweeping->blamer, process, item))
        return RUNNING_COLLECTIVE;
    if (item->kind != ITEM_LAUNCH)
        return RUNNING_COPY;
    if (item->launch.kernel >= sweeping->kernels)
        return RUNNING_KERNEL;
    uint8_t *known = &sweeping->collective[item->launch.kernel];
    if (*known == 0) {
        const struct kernel_row *kernel = session_kernel(sweeping->session, item->launch.kernel);
        const struct shape_row *shape = session_shape(sweeping->session, kernel->shape);
        bool is = shape != NULL && kernel_is_collective(session_string(sweeping->session, shape->name));
        *known = is ? 2 : 1;
    }
    return *known == 2 ? RUNNING_COLLECTIVE : RUNNING_KERNEL;
}

/* Is it the first launch of a kernel of this name in the run, by a call that takes too long for a launch? Of
 * a range within the run that is not known. */
static bool launch_loads(const struct sweeping *sweeping, const struct item *item)
{
    const struct session *session = sweeping->session;
    if (item->kind != ITEM_LAUNCH || item->launch.graph != 0 || item->launch.kernel >= sweeping->kernels ||
        item->launch.call_duration_ns <= PARTITION_PAUSE_NS || sweeping->start_ns > sweeping->scope.from_ns)
        return false;
    const struct shape_row *shape =
        session_shape(session, session_kernel(session, item->launch.kernel)->shape);
    for (uint32_t i = 0; shape != NULL && i < sweeping->kernels; i++) {
        const struct shape_row *other = session_shape(session, session_kernel(session, i)->shape);
        if (sweeping->launched[i] && other != NULL && other->name == shape->name)
            return false;
    }
    return shape != NULL;
}

/* Keeps the gap among the longest, in order; of equal ones the earlier comes first. */
static void keep_longest(struct partition_gap gaps[PARTITION_GAPS_MAX], const struct partition_gap *gap)
{
    size_t at = PARTITION_GAPS_MAX;
    while (at > 0 && gaps[at - 1].ns < gap->ns)
        at--;
    if (at == PARTITION_GAPS_MAX)
        return;
    memmove(&gaps[at + 1], &gaps[at], (PARTITION_GAPS_MAX - at - 1) * sizeof *gaps);
    gaps[at] = *gap;
}

/* False: no memory. */
static bool operation_take(struct sweeping *sweeping, const struct lane_cursor *cursor)
{
    const struct track_row *track = session_track(sweeping->session, cursor->ref.track);
    struct sweep *sweep =
        &sweeping->sweeps[track->device < sweeping->devices ? track->device : sweeping->devices];
    struct partition *partition = &sweep->partition;
    int64_t start_ns = cursor->start_ns > sweeping->start_ns ? cursor->start_ns : sweeping->start_ns;
    int64_t end_ns = earlier_ns(cursor->end_ns, sweeping->end_ns);
    bool after = start_ns == sweeping->end_ns; /* it only ends the last idle time */
    if (after && partition->operations == 0)
        return true;
    if (!after && partition->operations++ == 0) {
        partition->first_ns = partition->last_ns = sweep->at_ns = start_ns;
        for (int i = 0; i < RUNNING_COUNT; i++)
            sweep->until_ns[i] = INT64_MIN;
        sweep->graph_call_ns = INT64_MIN;
    }
    bool fine = true, node = cursor->item.kind == ITEM_LAUNCH && cursor->item.launch.graph != 0;
    int64_t graph_call_ns = node ? cursor->item.launch.call_start_ns : INT64_MIN;
    int64_t idle_ns = sweep_advance(sweep, start_ns);
    bool loads = launch_loads(sweeping, &cursor->item);
    if (cursor->item.kind == ITEM_LAUNCH && cursor->item.launch.kernel < sweeping->kernels)
        sweeping->launched[cursor->item.launch.kernel] = true;
    if (idle_ns > 0) {
        int64_t before_ns[PARTITION_COUNT];
        memcpy(before_ns, partition->ns, sizeof before_ns);
        struct idle_gap gap = {.start_ns = sweep->at_ns,
                               .end_ns = start_ns,
                               .process = track->process,
                               .item = &cursor->item,
                               .loads = loads,
                               .issued = graph_call_ns != INT64_MIN && graph_call_ns == sweep->graph_call_ns};
        fine = idle_blame(&sweeping->blamer, &gap, partition->ns, &sweep->blames);
        bool launch = cursor->item.kind == ITEM_LAUNCH;
        for (int part = PARTITION_IDLE_FIRST; part < PARTITION_COUNT; part++) {
            if (partition->ns[part] == before_ns[part])
                continue;
            partition->times[part]++;
            partition->rounds[part] +=
                partition->rounds[part] == 0 || sweep->kernels[part] < partition->times[PARTITION_KERNEL];
            sweep->kernels[part] = partition->times[PARTITION_KERNEL];
            keep_longest(partition->gaps[part],
                         &(struct partition_gap){.start_ns = gap.start_ns,
                                                 .end_ns = gap.end_ns,
                                                 .ns = partition->ns[part] - before_ns[part],
                                                 .process = track->process,
                                                 .thread = launch ? cursor->item.launch.call_thread
                                                                  : cursor->item.copy.call_thread,
                                                 .name = sweep->blames.pieces[part].name,
                                                 .device = track->device});
        }
        sweep->at_ns = start_ns;
    }
    if (after) {
        partition->last_ns = start_ns;
        return fine;
    }
    sweep->graph_call_ns = graph_call_ns;
    enum running running = running_of(sweeping, track->process, &cursor->item);
    partition->times[PARTITION_KERNEL + (int)running]++;
    int64_t *until_ns = &sweep->until_ns[running];
    *until_ns = end_ns > *until_ns ? end_ns : *until_ns;
    partition->last_ns = end_ns > partition->last_ns ? end_ns : partition->last_ns;
    return fine;
}

static int span_compare(const void *a, const void *b)
{
    int64_t first = partition_span_ns(a), second = partition_span_ns(b);
    return (first < second) - (first > second);
}

static bool list_fill(struct sweeping *sweeping, struct partition_list *list)
{
    list->items = calloc(sweeping->devices + 1, sizeof *list->items);
    if (list->items == NULL)
        return false;
    for (uint32_t i = 0; i <= sweeping->devices; i++) {
        struct sweep *sweep = &sweeping->sweeps[i];
        if (sweep->partition.operations == 0)
            continue;
        sweep_advance(sweep, sweep->partition.last_ns);
        sweep->partition.device = i < sweeping->devices ? i : NONE;
        blame_table_list(&sweep->blames, &sweep->partition);
        list->items[list->count++] = sweep->partition;
    }
    qsort(list->items, list->count, sizeof *list->items, span_compare);
    return true;
}

static enum status sweep_all(struct sweeping *sweeping, struct partition_list *list, struct error *error)
{
    /* An operation that starts at the end of the range, as the one after the last step does, ends its last
     * idle time: without it a step would be shorter than the distance of two. */
    int64_t end_ns = sweeping->end_ns < INT64_MAX ? sweeping->end_ns + 1 : INT64_MAX;
    struct lane_merge merge = {.session = sweeping->session,
                               .until_ns = earlier_ns(end_ns, sweeping->scope.until_ns)};
    bool folded = false;
    bool fine = lane_merge_add_streams(&merge, &sweeping->scope, sweeping->start_ns);
    lane_merge_begin(&merge);
    for (; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        folded = (first->item.flags & ITEM_FOLDED) != 0;
        if (!folded && run_scope_has_event(&sweeping->scope, &first->item, first->start_ns))
            fine = operation_take(sweeping, first);
        folded |= sweeping->blamer.folded;
    }
    lane_merge_fini(&merge);
    fine = fine && (folded || list_fill(sweeping, list));
    if (!fine)
        return error_no_memory(error, "to say where the time went");
    if (folded) {
        return error_set(error, STATUS_STATE,
                         "Events of this time were evicted from memory, so its parts cannot be added up. "
                         "The recording has them: use `lanescope report`.");
    }
    return STATUS_OK;
}

enum status partition_compute(const struct session *session, uint32_t run, int64_t start_ns, int64_t end_ns,
                              struct partition_list *list, struct error *error)
{
    struct sweeping sweeping = {.session = session,
                                .scope = run_scope_of(session, run),
                                .start_ns = start_ns,
                                .end_ns = end_ns,
                                .devices = session_device_count(session),
                                .kernels = session_kernel_count(session)};
    *list = (struct partition_list){0};
    if (run != NONE && sweeping.scope.row == NULL) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    sweeping.sweeps = calloc(sweeping.devices + 1, sizeof *sweeping.sweeps);
    sweeping.collective = calloc(sweeping.kernels + 1, 1);
    sweeping.launched = calloc(sweeping.kernels + 1, sizeof *sweeping.launched);
    enum status status = STATUS_MEMORY;
    if (sweeping.sweeps != NULL && sweeping.collective != NULL && sweeping.launched != NULL &&
        idle_blamer_init(&sweeping.blamer, session))
        status = sweep_all(&sweeping, list, error);
    else
        error_no_memory(error, "to say where the time went");
    idle_blamer_fini(&sweeping.blamer);
    for (uint32_t i = 0; sweeping.sweeps != NULL && i <= sweeping.devices; i++)
        blame_table_fini(&sweeping.sweeps[i].blames);
    free(sweeping.sweeps);
    free(sweeping.collective);
    free(sweeping.launched);
    return status;
}

void partition_free(struct partition_list *list)
{
    free(list->items);
    *list = (struct partition_list){0};
}

static void add_blame(struct partition *total, const struct partition_blame *blame)
{
    uint32_t at = 0;
    while (at < total->blame_count &&
           (total->blames[at].part != blame->part || total->blames[at].name != blame->name))
        at++;
    if (at == PARTITION_BLAMES_MAX)
        return;
    if (at == total->blame_count)
        total->blames[total->blame_count++] = (struct partition_blame){
            .name = blame->name, .part = blame->part, .alike = blame->alike, .gap = blame->gap};
    total->blames[at].ns += blame->ns;
    total->blames[at].times += blame->times;
}

int64_t partition_copies_beside_ns(const struct partition *whole, const struct partition *steps)
{
    int64_t ns = whole->ns[PARTITION_COPY] - steps->ns[PARTITION_COPY];
    return ns > partition_span_ns(steps) ? ns : 0;
}

void partition_total(const struct partition_list *list, struct partition *total)
{
    *total = (struct partition){.device = NONE};
    if (list->count == 1) {
        *total = list->items[0];
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct partition *item = &list->items[i];
        for (int part = 0; part < PARTITION_COUNT; part++) {
            total->ns[part] += item->ns[part];
            total->times[part] += item->times[part];
            total->rounds[part] += item->rounds[part];
            for (size_t g = 0; g < PARTITION_GAPS_MAX && item->gaps[part][g].ns > 0; g++)
                keep_longest(total->gaps[part], &item->gaps[part][g]);
        }
        total->copy_hidden_ns += item->copy_hidden_ns;
        total->collective_hidden_ns += item->collective_hidden_ns;
        total->operations += item->operations;
        for (uint32_t b = 0; b < item->blame_count; b++)
            add_blame(total, &item->blames[b]);
    }
    if (total->blame_count > 0)
        qsort(total->blames, total->blame_count, sizeof *total->blames, partition_compare_blames);
}

int64_t partition_set_up_ns(const struct partition *whole)
{
    static const enum partition_class classes[] = {PARTITION_ALLOC, PARTITION_MODULE, PARTITION_CALL,
                                                   PARTITION_HOST};
    int64_t sum_ns = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        sum_ns += whole->rounds[classes[i]] <= PARTITION_ONCE ? whole->ns[classes[i]] : 0;
    return sum_ns;
}

int64_t partition_sum_ns(const struct partition *partition)
{
    int64_t sum_ns = 0;
    for (int part = 0; part < PARTITION_COUNT; part++)
        sum_ns += partition->ns[part];
    return sum_ns;
}

int64_t partition_span_ns(const struct partition *partition)
{
    return partition->last_ns - partition->first_ns;
}

#define CLASS_TEXT(name, id, letter, brief, text) text,
#define CLASS_BRIEF(name, id, letter, brief, text) brief,
#define CLASS_LETTER(name, id, letter, brief, text) letter,
#define CLASS_ID(name, id, letter, brief, text) #id,
const char *partition_class_text(enum partition_class part)
{
    static const char *const texts[] = {PARTITION_CLASS_LIST(CLASS_TEXT)};
    return texts[part];
}

const char *partition_class_brief(enum partition_class part)
{
    static const char *const briefs[] = {PARTITION_CLASS_LIST(CLASS_BRIEF)};
    return briefs[part];
}

const char *partition_class_id(enum partition_class part)
{
    static const char *const ids[] = {PARTITION_CLASS_LIST(CLASS_ID)};
    return ids[part];
}

char partition_class_letter(enum partition_class part)
{
    static const char letters[] = {PARTITION_CLASS_LIST(CLASS_LETTER)};
    return letters[part];
}
#undef CLASS_TEXT
#undef CLASS_BRIEF
#undef CLASS_LETTER
#undef CLASS_ID

void partition_deal(const int64_t ns[PARTITION_COUNT], int cells, int dealt[PARTITION_COUNT])
{
    double rest[PARTITION_COUNT], whole_ns = 0;
    int left = cells;
    for (int part = 0; part < PARTITION_COUNT; part++)
        whole_ns += (double)ns[part];
    memset(dealt, 0, PARTITION_COUNT * sizeof *dealt);
    if (whole_ns <= 0)
        return;
    for (int part = 0; part < PARTITION_COUNT; part++) {
        double exact = (double)ns[part] / whole_ns * cells;
        dealt[part] = (int)exact;
        rest[part] = exact - dealt[part];
        left -= dealt[part];
    }
    for (; left > 0; left--) {
        int most = 0;
        for (int part = 1; part < PARTITION_COUNT; part++)
            most = rest[part] > rest[most] ? part : most;
        dealt[most]++;
        rest[most] = -1;
    }
}
