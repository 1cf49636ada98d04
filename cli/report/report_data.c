/*
 * Sums over a session's events for the reports: copies and sets by kind and host memory, API calls and
 * kernels by name. Each comes from one walk; of a session whose events were evicted there is none, and the
 * caller says so.
 */
#include "cli/report/report_data.h"

#include "cli/output/memory.h"
#include "cli/report/report_choice.h"
#include "cli/report/report_facts.h"
#include "core/session/session_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_KINDS (REPORT_HOST_STAGED + 1)

/* ---- words ---- */
const char *report_copy_id(uint8_t kind)
{
    return kind == REPORT_COPY_SET ? "set" : copy_kind_id(kind);
}

const char *report_copy_text(uint8_t kind)
{
    return kind == REPORT_COPY_SET ? "set" : copy_kind_text(kind);
}

const char *report_host_text(enum report_host host)
{
    switch (host) {
    case REPORT_HOST_NONE: return "none";
    case REPORT_HOST_PAGEABLE: return "pageable";
    case REPORT_HOST_PINNED: return "pinned";
    case REPORT_HOST_STAGED: return "staged";
    }
    return "none";
}

/* ---- sums ---- */
static void sum_add(struct report_sum *sum, int64_t duration_ns, uint64_t bytes)
{
    if (sum->count == 0 || duration_ns < sum->min_ns)
        sum->min_ns = duration_ns;
    if (duration_ns > sum->max_ns)
        sum->max_ns = duration_ns;
    sum->count++;
    sum->total_ns = session_add_ns(sum->total_ns, duration_ns);
    sum->bytes = bytes <= UINT64_MAX - sum->bytes ? sum->bytes + bytes : UINT64_MAX;
}

static enum report_host copy_host(const struct item *item)
{
    uint8_t from = item_copy_source(item), to = item_copy_destination(item);
    if (item_copy_is_staged(item))
        return REPORT_HOST_STAGED;
    if (from == MEMORY_PAGEABLE || to == MEMORY_PAGEABLE)
        return REPORT_HOST_PAGEABLE;
    return from == MEMORY_PINNED || to == MEMORY_PINNED ? REPORT_HOST_PINNED : REPORT_HOST_NONE;
}

struct copy_sums {
    struct report_sum by_kind[COPY_KIND_COUNT + 1][HOST_KINDS]; /* the last kind: sets */
};

static void copy_sums_add(struct copy_sums *sums, const struct item *item, int64_t duration_ns)
{
    if (item->kind == ITEM_COPY) {
        uint8_t kind = item->a < COPY_KIND_COUNT ? item->a : (uint8_t)COPY_OTHER;
        sum_add(&sums->by_kind[kind][copy_host(item)], duration_ns, item->copy.size_bytes);
    } else if (item->kind == ITEM_SET) {
        sum_add(&sums->by_kind[COPY_KIND_COUNT][REPORT_HOST_NONE], duration_ns, item->set.size_bytes);
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

static void copies_of_sums(const struct copy_sums *sums, struct report_copy **copies, size_t *count)
{
    *count = 0;
    *copies = memory_zeroed((COPY_KIND_COUNT + 1) * HOST_KINDS, sizeof **copies);
    for (size_t kind = 0; kind <= COPY_KIND_COUNT; kind++) {
        for (size_t host = 0; host < HOST_KINDS; host++) {
            if (sums->by_kind[kind][host].count > 0) {
                (*copies)[(*count)++] =
                    (struct report_copy){.kind = kind == COPY_KIND_COUNT ? REPORT_COPY_SET : (uint8_t)kind,
                                         .host = (enum report_host)host,
                                         .sum = sums->by_kind[kind][host]};
            }
        }
    }
    qsort(*copies, *count, sizeof **copies, compare_copies);
}

/* ---- by run ---- */
static bool copy_take(void *context, const struct walk_event *event)
{
    copy_sums_add(context, &event->item, event->end_ns - event->start_ns);
    return true;
}

enum status report_copies(const struct session *session, uint32_t run, struct report_copy **copies,
                          size_t *count, struct error *error)
{
    const struct walk walk = {
        .run = run, .tracks = WALK_TRACK(STREAM), .items = WALK_ITEM(COPY) | WALK_ITEM(SET)};
    struct copy_sums sums = {0};
    if (!session_walk(session, &walk, copy_take, &sums)) {
        *copies = NULL;
        *count = 0;
        return error_set(error, STATUS_STATE, "Not all copies and sets of this run fit in memory.");
    }
    copies_of_sums(&sums, copies, count);
    return STATUS_OK;
}

/* ---- by name ---- */
struct named_list {
    struct report_named *rows;
    size_t count, capacity, last;
};

/* The row of a name, added when it is new. Names come in runs, so the last one is tried first. */
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

/* ---- runs ---- */
/* Both on the model, or both on a GPU and in the same mode. */
static bool same_kind(const struct run_row *a, enum run_mode mode, enum clock_kind clock)
{
    return a->clock == clock && (a->mode == mode || clock == CLOCK_MODEL);
}

/* The n-th run of this group and kind; NONE when there are not so many. */
static uint32_t run_find(const struct session *session, uint32_t group, enum run_mode mode,
                         enum clock_kind clock, size_t n)
{
    uint32_t count = session_run_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const struct run_row *run = session_run(session, i);
        if (run->group == group && same_kind(run, mode, clock) && n-- == 0)
            return i;
    }
    return NONE;
}

/* How many runs before this one have its group and kind. */
static size_t run_rank(const struct session *session, uint32_t run)
{
    const struct run_row *asked = session_run(session, run);
    size_t rank = 0;
    for (uint32_t i = 0; i < run; i++) {
        const struct run_row *row = session_run(session, i);
        rank += row->group == asked->group && same_kind(row, asked->mode, asked->clock);
    }
    return rank;
}

static void collect_runs(struct report_data *data, const struct session *session)
{
    uint32_t count = session_run_count(session);
    data->runs = memory_zeroed(count, sizeof *data->runs);
    for (uint32_t i = 0; i < count; i++) {
        const struct run_row *run = session_run(session, i);
        if (run->clock == CLOCK_MODEL) {
            struct report_run *own = &data->runs[data->run_count++];
            for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
                own->runs[mode] = mode == RUN_TRACE ? i : NONE;
            continue;
        }
        size_t rank = run_rank(session, i);
        if (run->mode == RUN_LINES && rank > 0)
            continue; /* a work has several, a process for each kernel */
        struct report_run *work = &data->runs[data->run_count];
        bool leads = true;
        for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
            work->runs[mode] = mode == run->mode ? i : run_find(session, run->group, mode, CLOCK_WALL, rank);
            leads = leads && (mode >= run->mode || work->runs[mode] == NONE);
        }
        data->run_count += leads;
    }
}

/* The work's run in this mode, or NULL. */
static const struct run_row *run_in_mode(const struct session *session, const struct report_run *run,
                                         enum run_mode mode)
{
    return run->runs[mode] == NONE ? NULL : session_run(session, run->runs[mode]);
}

const struct run_row *report_run_row(const struct session *session, const struct report_run *run)
{
    const struct run_row *row = NULL;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT && !row; mode++)
        row = run_in_mode(session, run, mode);
    return row;
}

bool report_run_has(const struct report_data *data, const struct report_run *run, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(data->session, kernel);
    bool its_own = false;
    for (int mode = 0; mode < RUN_MODE_COUNT; mode++)
        its_own = its_own || (run->runs[mode] != NONE && row->run == run->runs[mode]);
    return its_own && session_shape(data->session, row->shape) && kernel_index_leads(data->index, kernel) &&
           report_wants(data->session, row, data->kernels);
}

int report_verified(const struct session *session, const struct report_run *run)
{
    int result = -1;
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        const struct run_row *row = run_in_mode(session, run, mode);
        int verified = row ? atomic_load_explicit(&row->verified, memory_order_acquire) : -1;
        if (verified == 0 || (verified > 0 && result < 0))
            result = verified > 0;
    }
    return result;
}

const char *report_detail(const struct session *session, const struct report_run *run)
{
    const char *detail = "";
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++) {
        const struct run_row *row = run_in_mode(session, run, mode);
        uint32_t text = row ? atomic_load_explicit(&row->detail, memory_order_acquire) : 0;
        if (text && (!*detail || atomic_load_explicit(&row->verified, memory_order_acquire) == 0))
            detail = session_string(session, text);
    }
    return detail;
}

const char *report_digest(const struct session *session, const struct report_run *run)
{
    static const enum run_mode once_first[] = {RUN_COUNTERS, RUN_MEMORY, RUN_TRACE};
    for (size_t i = 0; i < sizeof once_first / sizeof once_first[0]; i++) {
        const struct run_row *row = run_in_mode(session, run, once_first[i]);
        if (row && atomic_load_explicit(&row->verified, memory_order_acquire) > 0) {
            const char *detail =
                session_string(session, atomic_load_explicit(&row->detail, memory_order_acquire));
            if (strncmp(detail, RUN_DIGEST_TEXT, strlen(RUN_DIGEST_TEXT)) == 0)
                return detail + strlen(RUN_DIGEST_TEXT);
        }
    }
    return NULL;
}

struct kernel_statistic report_statistic(const struct report_data *data, uint32_t kernel, enum metric metric)
{
    enum provenance own = kernel_on_model(data->session, kernel) ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    struct kernel_statistic statistic = kernel_index_statistic(data->index, kernel, metric, own);
    struct kernel_statistic expected =
        kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
    return statistic.value.available || !expected.value.available ? statistic : expected;
}

/* ---- losses ---- */
bool report_loss(const struct session *session, size_t index, char *text, size_t size_bytes)
{
    static const char *const reasons[DROP_REASON_COUNT] = {
        [DROP_RING_FULL] = "the program sent events faster than lanescope read them",
        [DROP_CUPTI] = "CUPTI dropped them",
        [DROP_NO_TIMESTAMP] = "CUPTI gave no times for them",
        [DROP_UNKNOWN_RECORD] = "this version does not know their kind",
        [DROP_MEMORY] = "the program ran out of memory",
        [DROP_REFUSED] = "their times or contents are impossible",
        [DROP_NO_ROOM] = "lanescope had no memory or no lane for them"};
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        for (uint32_t reason = 0; reason < DROP_REASON_COUNT; reason++) {
            uint64_t lost = 0;
            for (uint32_t i = 0; i < session_drop_count(session); i++) {
                const struct drop_row *drop = session_drop(session, i);
                lost += drop->kind == kind && drop->reason == reason ? drop->count : 0;
            }
            if (lost > 0 && index-- == 0) {
                snprintf(text, size_bytes, "%" PRIu64 " events of kind %s were lost: %s.", lost,
                         event_kind_text((enum event_kind)kind), reasons[reason]);
                return true;
            }
        }
    }
    return false;
}

/* ---- all of it ---- */
static void sort_named(struct named_list *list, struct report_named **rows, size_t *count, int64_t *total_ns)
{
    if (list->count > 0)
        qsort(list->rows, list->count, sizeof *list->rows, compare_named);
    for (size_t i = 0; i < list->count; i++)
        *total_ns = session_add_ns(*total_ns, list->rows[i].sum.total_ns);
    *rows = list->rows;
    *count = list->count;
}

/* Copies, sets and calls of all traced processes. */
struct collecting {
    const struct session *session;
    struct copy_sums copies[CLOCK_COUNT];
    struct named_list calls[CLOCK_COUNT];
};

static bool event_collect(void *context, const struct walk_event *event)
{
    struct collecting *collecting = context;
    const struct process_row *process = session_process(collecting->session, event->track->process);
    int64_t duration_ns = event->end_ns - event->start_ns;
    if (!process || process->clock >= CLOCK_COUNT ||
        (process->mode != RUN_TRACE && process->clock != CLOCK_MODEL))
        return true;
    if (event->item.kind == ITEM_CALL)
        sum_add(&named_find(&collecting->calls[process->clock], event->item.call.name)->sum, duration_ns, 0);
    else
        copy_sums_add(&collecting->copies[process->clock], &event->item, duration_ns);
    return true;
}

static void collect_times(struct report_data *data, struct named_list kernels[CLOCK_COUNT])
{
    const struct walk walk = {.run = NONE,
                              .tracks = WALK_TRACK(STREAM) | WALK_TRACK(CALLS),
                              .items = WALK_ITEM(COPY) | WALK_ITEM(SET) | WALK_ITEM(CALL)};
    struct collecting collecting = {.session = data->session};
    data->evicted = !session_walk(data->session, &walk, event_collect, &collecting);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        struct report_times *times = &data->times[clock];
        sort_named(&kernels[clock], &times->kernels, &times->kernel_count, &times->gpu_ns);
        sort_named(&collecting.calls[clock], &times->calls, &times->call_count, &times->call_ns);
        copies_of_sums(&collecting.copies[clock], &times->copies, &times->copy_count);
        for (size_t i = 0; i < times->copy_count; i++)
            times->gpu_ns = session_add_ns(times->gpu_ns, times->copies[i].sum.total_ns);
    }
}

void report_data_init(struct report_data *data, const struct session *session)
{
    *data = (struct report_data){.session = session};
    struct named_list kernels[CLOCK_COUNT] = {0};
    memory_check(kernel_index_create(&data->index, session, NULL));
    collect_runs(data, session);
    report_facts_begin(data);
    collect_kernels(session, kernels);
    collect_times(data, kernels);
}

enum status report_data_of(struct report_data *data, const struct session *session, const char *kernels,
                           struct error *error)
{
    enum status status = report_choice_check(session, kernels, error);
    if (status != STATUS_OK)
        return status;
    report_data_init(data, session);
    data->kernels = kernels;
    return STATUS_OK;
}

void report_data_fini(struct report_data *data)
{
    report_facts_free(data);
    kernel_index_destroy(data->index);
    free(data->runs);
    for (size_t clock = 0; clock < CLOCK_COUNT; clock++) {
        free(data->times[clock].kernels);
        free(data->times[clock].calls);
        free(data->times[clock].copies);
    }
    *data = (struct report_data){0};
}
