/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over a session's events for the reports: copies and sets by kind and host memory, API calls and
 * kernels by name, from one walk. Durations are kept while it lasts where medians are asked for: 8 bytes
 * each.
 */
#include "cli/report/data/report_data.h"

#include "cli/output/memory.h"
#include "core/analysis/kernel_sources.h"
#include "core/session/session_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */
const char *report_copy_id(uint8_t kind)
{
    return kind == REPORT_COPY_SET ? "set" : copy_kind_id(kind);
}

const char *report_copy_text(uint8_t kind)
{
    return kind == REPORT_COPY_SET ? "set" : copy_kind_text(kind);
}

/* ---- sums ---- */
void report_sum_add(struct report_sum *sum, int64_t duration_ns, uint64_t bytes, bool spread)
{
    if (sum->count == 0 || duration_ns < sum->min_ns)
        sum->min_ns = duration_ns;
    if (duration_ns > sum->max_ns)
        sum->max_ns = duration_ns;
    if (spread) {
        memory_grow(sum->all, sum->room, sum->count, 1);
        sum->all[sum->count] = (double)duration_ns;
    }
    sum->count++;
    sum->total_ns = session_add_ns(sum->total_ns, duration_ns);
    sum->bytes = bytes <= UINT64_MAX - sum->bytes ? sum->bytes + bytes : UINT64_MAX;
}

/* Computes them from the collected durations, and frees these. */
void report_sum_spread(struct report_sum *sum)
{
    if (sum->all) {
        double mean = (double)sum->total_ns / (double)sum->count, squares = 0;
        for (uint64_t i = 0; i < sum->count; i++)
            squares += (sum->all[i] - mean) * (sum->all[i] - mean);
        sum->deviation_ns = sum->count > 1 ? sqrt(squares / (double)(sum->count - 1)) : 0;
        sum->median_ns = kernel_median(sum->all, sum->count);
    }
    free(sum->all);
    sum->all = NULL;
}

struct copy_sums {
    struct report_sum by_kind[COPY_KIND_COUNT + 1][COPY_HOST_COUNT]; /* the last kind: sets */
};

static void copy_sums_add(struct copy_sums *sums, const struct item *item, int64_t duration_ns, bool spread)
{
    if (item->kind == ITEM_COPY) {
        uint8_t kind = item->a < COPY_KIND_COUNT ? item->a : (uint8_t)COPY_OTHER;
        report_sum_add(&sums->by_kind[kind][copy_host_of(item)], duration_ns, item->copy.size_bytes, spread);
    } else if (item->kind == ITEM_SET) {
        report_sum_add(&sums->by_kind[COPY_KIND_COUNT][COPY_HOST_NONE], duration_ns, item->set.size_bytes,
                       spread);
    }
}

static int compare_sums(const struct report_sum *left, const struct report_sum *right)
{
    return (left->total_ns < right->total_ns) - (left->total_ns > right->total_ns);
}

static int compare_copies(const void *a, const void *b)
{
    const struct report_copy *left = a, *right = b;
    int order = compare_sums(&left->sum, &right->sum);
    return order                       ? order
           : left->kind != right->kind ? left->kind - right->kind
                                       : (int)left->host - (int)right->host;
}

static int compare_named(const void *a, const void *b)
{
    const struct report_named *left = a, *right = b;
    int order = compare_sums(&left->sum, &right->sum);
    return order ? order : (left->name > right->name) - (left->name < right->name);
}

static void copies_of_sums(struct copy_sums *sums, struct report_copy **copies, size_t *count)
{
    *count = 0;
    *copies = memory_zeroed((COPY_KIND_COUNT + 1) * COPY_HOST_COUNT, sizeof **copies);
    for (size_t kind = 0; kind <= COPY_KIND_COUNT; kind++) {
        for (size_t host = 0; host < COPY_HOST_COUNT; host++) {
            if (sums->by_kind[kind][host].count > 0) {
                report_sum_spread(&sums->by_kind[kind][host]);
                (*copies)[(*count)++] =
                    (struct report_copy){.kind = kind == COPY_KIND_COUNT ? REPORT_COPY_SET : (uint8_t)kind,
                                         .host = (enum copy_host)host,
                                         .sum = sums->by_kind[kind][host]};
            }
        }
    }
    qsort(*copies, *count, sizeof **copies, compare_copies);
}

/* ---- by name ---- */
struct named_list {
    struct report_named *rows;
    size_t count, capacity, last;
};

/* The row of a name, added if it is new. The same name often follows, so the last row is tried first. */
static struct report_named *named_find(struct named_list *list, uint32_t name)
{
    if (list->last < list->count && list->rows[list->last].name == name)
        return &list->rows[list->last];
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].name == name) {
            list->last = i;
            return &list->rows[i];
        }
    }
    memory_grow(list->rows, list->capacity, list->count, 1);
    list->last = list->count;
    list->rows[list->count] = (struct report_named){.name = name};
    return &list->rows[list->count++];
}

static void collect_kernels(const struct session *session, struct named_list lists[CLOCK_COUNT])
{
    uint32_t count = session_kernel_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        const struct run_row *run = session_run(session, kernel->run);
        const struct shape_row *shape = session_shape(session, kernel->shape);
        struct kernel_times times = kernel_times(session, i, false);
        if (!run || !shape || !run_is_traced(run) || times.launches == 0)
            continue;
        struct report_sum *sum = &named_find(&lists[run->clock], shape->name)->sum;
        sum->min_ns = sum->count == 0 || times.min_ns < sum->min_ns ? times.min_ns : sum->min_ns;
        sum->max_ns = times.max_ns > sum->max_ns ? times.max_ns : sum->max_ns;
        sum->count += times.launches;
        sum->total_ns = session_add_ns(sum->total_ns, times.total_ns);
    }
}

/* ---- all of a run ---- */
static void sort_named(struct named_list *list, struct report_named **rows, size_t *count, int64_t *total_ns)
{
    if (list->count > 0)
        qsort(list->rows, list->count, sizeof *list->rows, compare_named);
    for (size_t i = 0; i < list->count; i++)
        *total_ns = session_add_ns(*total_ns, list->rows[i].sum.total_ns);
    *rows = list->rows;
    *count = list->count;
}

/* The copies, memsets and calls of a run, or of all traced processes. */
struct collecting {
    const struct session *session;
    bool all, spread;
    struct copy_sums copies[CLOCK_COUNT];
    struct named_list calls[CLOCK_COUNT];
};

static bool event_collect(void *context, const struct walk_event *event)
{
    struct collecting *collecting = context;
    const struct process_row *process = session_process(collecting->session, event->track->process);
    int64_t duration_ns = event->end_ns - event->start_ns;
    if (!process || process->clock >= CLOCK_COUNT ||
        (collecting->all && process->mode != RUN_TRACE && process->clock != CLOCK_MODEL))
        return true;
    if (event->item.kind == ITEM_CALL)
        report_sum_add(&named_find(&collecting->calls[process->clock], event->item.call.name)->sum,
                       duration_ns, 0, collecting->spread);
    else
        copy_sums_add(&collecting->copies[process->clock], &event->item, duration_ns, collecting->spread);
    return true;
}

/* False: some of them were evicted from memory. */
static bool collect_times(const struct session *session, uint32_t run, bool spread,
                          struct report_times times[CLOCK_COUNT])
{
    const struct walk walk = {.run = run,
                              .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS),
                              .items = WALK_ITEM(COPY) | WALK_ITEM(SET) | WALK_ITEM(CALL)};
    struct collecting collecting = {.session = session, .all = run == NONE, .spread = spread};
    bool whole = session_walk(session, &walk, event_collect, &collecting);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        for (size_t i = 0; i < collecting.calls[clock].count; i++)
            report_sum_spread(&collecting.calls[clock].rows[i].sum);
        sort_named(&collecting.calls[clock], &times[clock].calls, &times[clock].call_count,
                   &times[clock].call_ns);
        copies_of_sums(&collecting.copies[clock], &times[clock].copies, &times[clock].copy_count);
        for (size_t i = 0; i < times[clock].copy_count; i++)
            times[clock].gpu_ns = session_add_ns(times[clock].gpu_ns, times[clock].copies[i].sum.total_ns);
    }
    return whole;
}

void report_times_fini(struct report_times *times)
{
    free(times->kernels);
    free(times->calls);
    free(times->copies);
}

enum status report_operations(const struct session *session, uint32_t run,
                              struct report_times times[CLOCK_COUNT], struct error *error)
{
    memset(times, 0, CLOCK_COUNT * sizeof *times);
    if (collect_times(session, run, true, times))
        return STATUS_OK;
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&times[clock]);
    memset(times, 0, CLOCK_COUNT * sizeof *times);
    return error_set(error, STATUS_STATE, "Not all copies, sets and calls of this run fit in memory.");
}

bool report_times_make(const struct session *session, struct report_times times[CLOCK_COUNT])
{
    struct named_list kernels[CLOCK_COUNT] = {0};
    bool whole = collect_times(session, NONE, false, times);
    collect_kernels(session, kernels);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        sort_named(&kernels[clock], &times[clock].kernels, &times[clock].kernel_count, &times[clock].gpu_ns);
    return whole;
}

struct within {
    const struct session *session;
    int64_t start_ns, end_ns, gpu_ns;
    struct named_list kernels;
};

static bool event_within(void *context, const struct walk_event *event)
{
    struct within *within = context;
    int64_t duration_ns = event->end_ns - event->start_ns;
    if (event->start_ns < within->start_ns || event->start_ns >= within->end_ns)
        return true;
    const struct kernel_row *kernel =
        event->item.kind == ITEM_LAUNCH ? session_kernel(within->session, event->item.launch.kernel) : NULL;
    const struct shape_row *shape = kernel ? session_shape(within->session, kernel->shape) : NULL;
    if (shape)
        report_sum_add(&named_find(&within->kernels, shape->name)->sum, duration_ns, 0, false);
    else if (event->item.kind != ITEM_LAUNCH)
        within->gpu_ns = session_add_ns(within->gpu_ns, duration_ns);
    return true;
}

void report_times_narrow(struct report_times *times, const struct session *session, uint32_t run,
                         int64_t start_ns, int64_t end_ns)
{
    struct within within = {.session = session, .start_ns = start_ns, .end_ns = end_ns};
    const struct walk walk = {.run = run,
                              .tracks = WALK_TRACK(STREAM),
                              .items = WALK_ITEM(LAUNCH) | WALK_ITEM(COPY) | WALK_ITEM(SET)};
    session_walk(session, &walk, event_within, &within);
    free(times->kernels);
    times->gpu_ns = within.gpu_ns;
    sort_named(&within.kernels, &times->kernels, &times->kernel_count, &times->gpu_ns);
}

/* ---- the launches of a kernel's name ---- */
static void add_numbers(struct report_sum *sum, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        report_sum_add(sum, (int64_t)numbers[i], 0, true);
}

/* The launches of one row, if it has that name and that clock; false: they are not all in memory. */
static bool add_row(const struct report_data *data, uint32_t kernel, uint32_t name, enum clock_kind clock,
                    struct report_sum *sum)
{
    const struct session *session = data->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = kernel_is_whole(session, kernel) ? session_run(session, row->run) : NULL;
    if (!run || run->clock != clock || !run_is_traced(run) ||
        session_shape(session, row->shape)->name != name)
        return true;
    struct kernel_times times = kernel_index_times(data->index, kernel);
    double *launches = NULL;
    size_t count = 0;
    if (times.launches > 0 && times.median_ns > 0)
        memory_check(kernel_index_samples(data->index, kernel, METRIC_time_ns,
                                          clock == CLOCK_MODEL ? PROVENANCE_MODELLED : PROVENANCE_MEASURED,
                                          &launches, &count, NULL));
    bool there = count == times.launches;
    if (there && count > 0)
        add_numbers(sum, launches, count);
    free(launches);
    return there;
}

bool report_launches(const struct report_data *data, uint32_t name, enum clock_kind clock,
                     struct report_sum *sum)
{
    bool there = true;
    *sum = (struct report_sum){0};
    for (uint32_t kernel = 0; there && kernel < kernel_index_count(data->index); kernel++)
        there = add_row(data, kernel, name, clock, sum);
    if (!there)
        free(sum->all);
    else
        report_sum_spread(sum);
    sum->all = NULL;
    return there && sum->count > 0;
}

int64_t report_median_ns(const struct report_data *data, uint32_t name, enum clock_kind clock)
{
    struct report_sum sum;
    return report_launches(data, name, clock, &sum) ? (int64_t)sum.median_ns : -1;
}
