/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest from a session. One pass over the device's operations in order of start finds the collectives, their
 * communicators, and how much of each runs beside kernels; then the partition of the time before each one that is kept,
 * and of each step. Kernels have their sums in the session already.
 *
 * While the pass is at an operation, kernels that began before it cover the time from its start to covered_ns without a
 * gap: that part of a collective is hidden at its start, and each later kernel adds what lies beyond covered_ns.
 */
#include "core/ranks/digest.h"

#include "core/analysis/partition.h"
#include "core/analysis/steps.h"
#include "core/base/array.h"
#include "core/base/function_name.h"
#include "core/base/idmap.h"
#include "core/session/session_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 160u /* of a text: longer ones are cut */

struct found { /* a collective */
    int64_t start_ns, end_ns, hidden_ns;
    uint64_t bytes;
    uint32_t sequence;
    uint16_t communicator;
    uint8_t operation;
};

struct
    communicator_key { /* the trace's text of it, or a stream. NCCL numbers the calls of each function on their own */
    uint32_t group, function, context, stream;
};

struct making {
    const struct session *session;
    uint32_t run, device; /* rows */
    struct run_scope scope;
    struct digest_parts parts;
    struct found *found;
    size_t found_count, found_room;
    struct communicator_key keys[DIGEST_COMMUNICATORS_MAX];
    uint32_t first[DIGEST_COMMUNICATORS_MAX]; /* number of a communicator's first collective in the trace */
    uint32_t streams;                         /* communicators that are a stream */
    struct idmap named; /* rows of what the trace says of collectives, by the launch's correlation */
    struct digest_communicator communicators[DIGEST_COMMUNICATORS_MAX];
    struct digest_collective collectives[DIGEST_COLLECTIVES_MAX];
    struct digest_step steps[DIGEST_STEPS_MAX];
    struct digest_kernel kernels[DIGEST_KERNELS_MAX];
    struct digest_kernel copies[COPY_KIND_COUNT + 1]; /* by kind; the last: sets */
    char texts[DIGEST_TEXTS_MAX];
    uint64_t operations;
    int64_t covered_ns;
    size_t open;           /* collectives from here on may still run */
    uint8_t *operation_of; /* by kernel row: 0 not looked at, 1 none, 2 + enum rank_operation */
};

/* ---- texts and names ---- */
/* The place of the text; 0 if it is empty or there is no room. */
static uint32_t add_text(struct making *making, const char *text)
{
    const size_t length = strnlen(text, NAME_BYTES - 1);
    uint32_t *used = &making->parts.head.texts_bytes;
    for (uint32_t at = 1; length > 0 && at < *used; at += (uint32_t)strlen(making->texts + at) + 1)
        if (strncmp(making->texts + at, text, length) == 0 && making->texts[at + length] == '\0')
            return at;
    if (length == 0 || *used + length + 9 > DIGEST_TEXTS_MAX)
        return 0;
    const uint32_t at = *used;
    memcpy(making->texts + at, text, length);
    making->texts[at + length] = '\0';
    *used += (uint32_t)length + 1;
    return at;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size_bytes)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* By the names of NCCL and RCCL: "ncclDevKernel_AllReduce_Sum_f32_RING_LL". */
static enum rank_operation operation_of_name(const char *name)
{
    static const struct {
        const char *part;
        enum rank_operation operation;
    } rows[] = {{"AllReduce", OPERATION_ALL_REDUCE},
                {"all_reduce", OPERATION_ALL_REDUCE},
                {"cross_device_reduce", OPERATION_ALL_REDUCE},
                {"AllGather", OPERATION_ALL_GATHER},
                {"all_gather", OPERATION_ALL_GATHER},
                {"ReduceScatter", OPERATION_REDUCE_SCATTER},
                {"reduce_scatter", OPERATION_REDUCE_SCATTER},
                {"AllToAll", OPERATION_ALL_TO_ALL},
                {"Broadcast", OPERATION_BROADCAST},
                {"SendRecv", OPERATION_SEND_RECEIVE},
                {"Reduce", OPERATION_REDUCE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(name, rows[i].part))
            return rows[i].operation;
    return OPERATION_OTHER;
}

static bool is_loader(const char *range)
{
    static const char *const parts[] = {"loader",       "dataloader", "load_data", "load data",
                                        "load_batch",   "load batch", "loadBatch", "data loading",
                                        "data_loading", "next_batch"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (name_has_words(range, parts[i]))
            return true;
    return false;
}

/* ---- the partition in the classes of a job ---- */
static const uint8_t class_of[PARTITION_COUNT] = {
    [PARTITION_KERNEL] = RANK_COMPUTE, [PARTITION_COLLECTIVE] = RANK_COLLECTIVE,
    [PARTITION_COPY] = RANK_COPY,      [PARTITION_LAUNCH] = RANK_LAUNCH,
    [PARTITION_BETWEEN] = RANK_LAUNCH, [PARTITION_TRANSFER] = RANK_COPY,
    [PARTITION_SYNC] = RANK_WAIT,      [PARTITION_ALLOC] = RANK_LAUNCH,
    [PARTITION_MODULE] = RANK_LAUNCH,  [PARTITION_CALL] = RANK_LAUNCH,
    [PARTITION_HOST] = RANK_HOST,      [PARTITION_TOOL] = RANK_OTHER,
    [PARTITION_DEVICE] = RANK_OTHER,   [PARTITION_UNKNOWN] = RANK_OTHER,
};

_Static_assert(PARTITION_COUNT == 14, "a further class has its place above");

struct parted {
    int64_t ns[RANK_CLASS_COUNT], first_ns, last_ns, hidden_ns;
    uint32_t range; /* text */
};

static enum status part_time(struct making *making, int64_t start_ns, int64_t end_ns, struct parted *parted,
                             struct error *error)
{
    struct partition_list list;
    *parted = (struct parted){0};
    enum status status = partition_compute(making->session, making->run, start_ns, end_ns, &list, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < list.count; i++) {
        const struct partition *partition = &list.items[i];
        int64_t longest_ns = 0;
        if (partition->device != making->device)
            continue;
        for (int part = 0; part < PARTITION_COUNT; part++)
            parted->ns[class_of[part]] += partition->ns[part];
        for (uint32_t j = 0; j < partition->blame_count; j++) {
            const struct partition_blame *blame = &partition->blames[j];
            char name[NAME_BYTES];
            partition_blame_name(making->session, blame, name, sizeof name);
            if (blame->part != PARTITION_HOST || blame->name == 0)
                continue;
            if (is_loader(name)) {
                parted->ns[RANK_LOADER] += blame->ns;
                parted->ns[RANK_HOST] -= blame->ns;
            }
            if (blame->ns > longest_ns) {
                longest_ns = blame->ns;
                parted->range = add_text(making, name);
            }
        }
        parted->first_ns = partition->first_ns;
        parted->last_ns = partition->last_ns;
        parted->hidden_ns = partition->collective_hidden_ns;
    }
    partition_free(&list);
    return STATUS_OK;
}

/* ---- the pass over the operations ---- */
/* What the trace says of the collective; NULL: nothing. */
static const struct collective_row *find_named(const struct making *making, const struct item *item)
{
    const uint32_t row = idmap_find(&making->named, item->correlation);
    return row != IDMAP_NONE ? session_collective(making->session, row) : NULL;
}

/* The communicator that the trace names, or of a stream; DIGEST_COMMUNICATORS_MAX: there are too many. */
static uint16_t communicator_of(struct making *making, const struct track_row *track,
                                const struct collective_row *named)
{
    uint32_t *count = &making->parts.head.communicators;
    const bool numbered = named && named->sequence >= 0;
    const struct communicator_key key = {named ? named->group : 0, numbered ? named->function : 0,
                                         named ? 0 : track->context, named ? 0 : track->stream};
    uint16_t at = 0;
    while (at < *count && memcmp(&making->keys[at], &key, sizeof key) != 0)
        at++;
    if (at < *count || at == DIGEST_COMMUNICATORS_MAX)
        return at;
    char own[NAME_BYTES];
    const char *name = own;
    if (numbered)
        snprintf(own, sizeof own, "%s %s", session_string(making->session, named->group),
                 session_string(making->session, named->function));
    else if (named)
        name = session_string(making->session, named->group);
    else
        snprintf(own, sizeof own, DIGEST_BY_STREAM "%u", ++making->streams);
    making->keys[at] = key;
    making->communicators[at] =
        (struct digest_communicator){.key = hash_bytes(HASH_START, name, strlen(name)),
                                     .name = add_text(making, name),
                                     .size = named ? named->ranks : 0,
                                     .stride = 1};
    (*count)++;
    return at;
}

static bool map_named(struct making *making)
{
    const uint32_t process = session_run(making->session, making->run)->process;
    uint32_t last = 0; /* those that NCCL fused follow each other: the first names the launch */
    idmap_init(&making->named, UINT32_MAX - 1, (uint64_t)(uintptr_t)making);
    for (uint32_t i = 0; i < session_collective_count(making->session); i++) {
        const struct collective_row *row = session_collective(making->session, i);
        if (row->process != process || row->correlation == 0 || row->correlation == last)
            continue;
        if (!idmap_put(&making->named, row->correlation, i))
            return false;
        last = row->correlation;
    }
    return true;
}

/* Of all that run in one launch. UINT64_MAX: not known. */
static uint64_t bytes_of(const struct making *making, const struct collective_row *named)
{
    uint64_t bytes = 0;
    const uint32_t count = session_collective_count(making->session);
    for (uint32_t i = named ? idmap_find(&making->named, named->correlation) : count; i < count; i++) {
        const struct collective_row *row = session_collective(making->session, i);
        if (row->correlation != named->correlation || row->process != named->process)
            break;
        if (row->bytes < 0)
            return UINT64_MAX;
        bytes += (uint64_t)row->bytes;
    }
    return named ? bytes : UINT64_MAX;
}

/* Its number in the communicator: NCCL's, or counted from the first one in the trace. Numbers rise. */
static uint32_t number_next(struct making *making, uint16_t communicator, const struct collective_row *named)
{
    struct digest_communicator *row = &making->communicators[communicator];
    const bool first = row->count == 0;
    uint32_t number = row->count;
    if (named && named->sequence > number && named->sequence < UINT32_MAX - 1)
        number = (uint32_t)named->sequence;
    if (named && named->sequence >= 0)
        making->parts.head.flags |= DIGEST_NUMBERED;
    if (first)
        making->first[communicator] = number;
    row->count = number + 1;
    return number;
}

static void cover_time(struct making *making, int64_t start_ns, int64_t end_ns)
{
    const int64_t from_ns = start_ns > making->covered_ns ? start_ns : making->covered_ns;
    for (size_t i = making->open; i < making->found_count; i++) {
        struct found *found = &making->found[i];
        const int64_t first_ns = found->start_ns > from_ns ? found->start_ns : from_ns;
        const int64_t last_ns = found->end_ns < end_ns ? found->end_ns : end_ns;
        found->hidden_ns += last_ns > first_ns ? last_ns - first_ns : 0;
    }
    while (making->open < making->found_count && making->found[making->open].end_ns <= start_ns)
        making->open++;
    making->covered_ns = end_ns > making->covered_ns ? end_ns : making->covered_ns;
}

static uint8_t operation_of_kernel(struct making *making, uint32_t kernel)
{
    uint8_t *known = &making->operation_of[kernel];
    if (*known == 0) {
        const struct shape_row *shape =
            session_shape(making->session, session_kernel(making->session, kernel)->shape);
        const char *name = shape ? session_string(making->session, shape->name) : "";
        *known = (uint8_t)(kernel_is_collective(name) ? 2 + operation_of_name(name) : 1);
    }
    return *known;
}

/* False: no memory. */
static bool take_operation(struct making *making, const struct lane_cursor *cursor,
                           const struct track_row *track)
{
    const struct item *item = &cursor->item;
    struct digest_head *head = &making->parts.head;
    if (making->operations++ == 0)
        head->first_ns = head->last_ns = cursor->start_ns;
    head->last_ns = cursor->end_ns > head->last_ns ? cursor->end_ns : head->last_ns;
    if (item->kind != ITEM_LAUNCH) {
        const uint8_t kind = item->kind == ITEM_SET || item->a >= COPY_KIND_COUNT ? COPY_KIND_COUNT : item->a;
        struct digest_kernel *copies = &making->copies[kind];
        const int64_t ns = cursor->end_ns - cursor->start_ns;
        copies->min_ns = copies->count == 0 || ns < copies->min_ns ? ns : copies->min_ns;
        copies->max_ns = ns > copies->max_ns ? ns : copies->max_ns;
        copies->sum_ns = session_add_ns(copies->sum_ns, ns);
        copies->bytes += item->kind == ITEM_SET ? item->set.size_bytes : item->copy.size_bytes;
        copies->count++;
        return true;
    }
    head->launches++;
    const uint8_t operation = item->launch.kernel < session_kernel_count(making->session)
                                  ? operation_of_kernel(making, item->launch.kernel)
                                  : 1;
    if (operation == 1) {
        cover_time(making, cursor->start_ns, cursor->end_ns);
        return true;
    }
    const struct collective_row *named = find_named(making, item);
    const uint16_t communicator = communicator_of(making, track, named);
    if (communicator == DIGEST_COMMUNICATORS_MAX)
        return true;
    if (!array_grow(making->found, making->found_room, making->found_count, 1))
        return false;
    const int64_t covered_ns = making->covered_ns < cursor->end_ns ? making->covered_ns : cursor->end_ns;
    making->found[making->found_count++] =
        (struct found){.start_ns = cursor->start_ns,
                       .end_ns = cursor->end_ns,
                       .hidden_ns = covered_ns > cursor->start_ns ? covered_ns - cursor->start_ns : 0,
                       .bytes = bytes_of(making, named),
                       .sequence = number_next(making, communicator, named),
                       .communicator = communicator,
                       .operation = (uint8_t)(operation - 2)};
    head->collectives_all++;
    return true;
}

static enum status walk_operations(struct making *making, struct error *error)
{
    struct lane_merge merge = {.session = making->session, .until_ns = making->scope.until_ns};
    making->operation_of = calloc(session_kernel_count(making->session) + 1, 1);
    bool fine = making->operation_of && map_named(making) &&
                lane_merge_add_streams(&merge, &making->scope, making->scope.from_ns),
         folded = false;
    lane_merge_begin(&merge);
    for (; fine && !folded && merge.count > 0; lane_merge_next(&merge)) {
        const struct lane_cursor *first = &merge.items[0];
        const struct track_row *track = session_track(making->session, first->ref.track);
        folded = (first->item.flags & ITEM_FOLDED) != 0;
        if (!folded && track->device == making->device &&
            run_scope_has_event(&making->scope, &first->item, first->start_ns))
            fine = take_operation(making, first, track);
    }
    lane_merge_fini(&merge);
    free(making->operation_of);
    idmap_fini(&making->named);
    if (folded)
        return error_set(error, STATUS_STATE,
                         "Events were evicted from memory, so no digest can be made: close other programs.");
    return fine ? STATUS_OK : error_no_memory(error, "for a digest");
}

/* ---- collectives ---- */
static uint32_t count_kept(const struct making *making, uint32_t communicator)
{
    const struct digest_communicator *row = &making->communicators[communicator];
    const uint32_t before = making->first[communicator];
    return (row->count + row->stride - 1) / row->stride - (before + row->stride - 1) / row->stride;
}

static void choose_strides(struct making *making)
{
    for (;;) {
        uint32_t all = 0, most = 0;
        for (uint32_t i = 0; i < making->parts.head.communicators; i++) {
            all += count_kept(making, i);
            if (count_kept(making, i) > count_kept(making, most))
                most = i;
        }
        if (all <= DIGEST_COLLECTIVES_MAX)
            return;
        making->communicators[most].stride *= 2;
    }
}

#define LOOK_BACK 256u /* kept collectives that may run at the same time */

/* 1 + the kept collective before `count` that ended last, but not after the time; 0: there is none. */
static uint32_t find_previous(const struct making *making, uint32_t count, int64_t time_ns)
{
    uint32_t previous = 0;
    for (uint32_t i = count; i-- > 0 && count - i <= LOOK_BACK;)
        if (making->collectives[i].end_ns <= time_ns &&
            (previous == 0 || making->collectives[i].end_ns > making->collectives[previous - 1].end_ns))
            previous = i + 1;
    return previous;
}

static enum status keep_collectives(struct making *making, struct error *error)
{
    uint32_t count = 0;
    choose_strides(making);
    for (size_t i = 0; i < making->found_count; i++) {
        const struct found *found = &making->found[i];
        if (found->sequence % making->communicators[found->communicator].stride != 0)
            continue;
        const uint32_t previous = find_previous(making, count, found->start_ns);
        const int64_t from_ns =
            previous > 0 ? making->collectives[previous - 1].end_ns : making->parts.head.first_ns;
        struct parted before = {0};
        if (found->start_ns > from_ns) { /* the last ns before it begins the partition */
            const enum status status = part_time(making, from_ns - 1, found->start_ns, &before, error);
            if (status != STATUS_OK)
                return status;
        }
        struct digest_collective *row = &making->collectives[count];
        *row = (struct digest_collective){.start_ns = found->start_ns,
                                          .end_ns = found->end_ns,
                                          .bytes = found->bytes,
                                          .hidden_ns = found->hidden_ns,
                                          .sequence = found->sequence,
                                          .communicator = found->communicator,
                                          .operation = found->operation,
                                          .previous = previous,
                                          .range = before.range};
        memcpy(row->before_ns, before.ns, sizeof row->before_ns);
        count++;
    }
    making->parts.head.collectives = count;
    return STATUS_OK;
}

/* ---- steps and kernels ---- */
static enum status keep_steps(struct making *making, struct error *error)
{
    struct steps steps;
    int64_t *starts_ns = NULL;
    size_t count = 0;
    enum status status = steps_find(making->session, making->run, &steps, error);
    if (status != STATUS_OK || steps.count == 0)
        return status;
    status = steps_starts(making->session, making->run, &steps, &starts_ns, &count, error);
    size_t each = 1;
    while (status == STATUS_OK && (count + each - 1) / each > DIGEST_STEPS_MAX)
        each *= 2;
    struct digest_head *head = &making->parts.head;
    for (size_t i = 0; status == STATUS_OK && i < count; i += each) {
        const size_t end = i + each < count ? i + each : count;
        struct parted parted;
        status = part_time(making, starts_ns[i], starts_ns[end], &parted, error);
        struct digest_step *row = &making->steps[head->steps++];
        *row = (struct digest_step){.start_ns = starts_ns[i],
                                    .end_ns = starts_ns[end],
                                    .first = (uint32_t)i,
                                    .count = (uint32_t)(end - i)};
        memcpy(row->ns, parted.ns, sizeof row->ns);
    }
    if (status == STATUS_OK && count > 0) {
        head->steps_all = count;
        head->loop_first_ns = starts_ns[0];
        head->loop_last_ns = starts_ns[count];
    }
    free(starts_ns);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const struct digest_kernel *left = a, *right = b;
    if (left->sum_ns != right->sum_ns)
        return left->sum_ns < right->sum_ns ? 1 : -1;
    return (left->key > right->key) - (left->key < right->key);
}

/* What waits for others is no measure of the device: collectives are left out. */
static enum status keep_kernels(struct making *making, struct error *error)
{
    struct digest_kernel *rows = NULL;
    uint32_t *kernels = NULL;
    size_t count = 0, room = 0, names = 0;
    for (uint32_t i = 0; i < session_kernel_count(making->session); i++) {
        const struct kernel_row *kernel = session_kernel(making->session, i);
        const struct shape_row *shape = session_shape(making->session, kernel->shape);
        if (kernel->run != making->run || kernel->device != making->device || kernel->launches == 0 ||
            !shape || kernel_is_collective(session_string(making->session, shape->name)))
            continue;
        if (!array_grow(rows, room, count, 1) || !array_grow(kernels, names, count, 1)) {
            free(rows);
            free(kernels);
            return error_no_memory(error, "for a digest");
        }
        const char *name = session_string(making->session, shape->name);
        uint64_t key = hash_bytes(HASH_START, name, strlen(name));
        key = hash_bytes(key, shape->grid, sizeof shape->grid);
        key = hash_bytes(key, shape->block, sizeof shape->block);
        kernels[count] = shape->name;
        rows[count] = (struct digest_kernel){.key = key,
                                             .count = kernel->launches,
                                             .sum_ns = (int64_t)kernel->total_ns,
                                             .min_ns = (int64_t)kernel->min_ns,
                                             .max_ns = (int64_t)kernel->max_ns,
                                             .name = (uint32_t)count};
        count++;
    }
    uint32_t *kept = &making->parts.head.kernels;
    for (uint8_t kind = 0; kind <= COPY_KIND_COUNT; kind++) {
        struct digest_kernel *copies = &making->copies[kind];
        if (copies->count == 0)
            continue;
        char name[60];
        snprintf(name, sizeof name, kind == COPY_KIND_COUNT ? "sets" : "copies, %s", copy_kind_text(kind));
        copies->is_copy = 1;
        copies->name = add_text(making, name);
        copies->key = hash_bytes(HASH_START, name, strlen(name));
        making->kernels[(*kept)++] = *copies;
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, by_time);
    for (size_t i = 0; i < count && *kept < DIGEST_KERNELS_MAX; i++) {
        if (rows[i].sum_ns >= SESSION_TIME_MAX_NS || rows[i].max_ns >= SESSION_TIME_MAX_NS)
            continue;
        rows[i].name = add_text(making, session_string(making->session, kernels[rows[i].name]));
        making->kernels[(*kept)++] = rows[i];
    }
    free(rows);
    free(kernels);
    return STATUS_OK;
}

/* ---- one digest ---- */
static void fill_head(struct making *making, const char *path)
{
    const struct session *session = making->session;
    const struct run_row *run = session_run(session, making->run);
    const struct process_row *process = session_process(session, run->process);
    const struct device_row *device = session_device(session, making->device);
    const char *host = process ? session_string(session, process->host) : "";
    struct session_lost lost;
    struct digest_head *head = &making->parts.head;
    if (session_is_anonymous(session) && strrchr(path, '/'))
        path = strrchr(path, '/') + 1;
    session_lost(session, &lost);
    head->rank = process && process->rank >= 0 ? process->rank : -1;
    head->local_rank = head->world = -1;
    head->pid = process && process->pid > 0 ? (uint32_t)process->pid : 0;
    head->device = device ? device->ordinal : 0;
    head->host = add_text(making, host);
    head->clock = add_text(making, *host ? host : path);
    head->program = add_text(making, process ? session_string(session, process->program) : "");
    head->device_name = add_text(making, device ? device->info.name : "");
    head->file = add_text(making, path);
    head->lost = lost.dropped + lost.refused + lost.no_memory;
    head->utc_ns = session_start_ns(session) > 0 ? session_start_ns(session) : 1;
}

static enum status make_one(const struct session *session, uint32_t run, uint32_t device, const char *path,
                            digest_taker *take, void *context, struct error *error)
{
    struct making *making = calloc(1, sizeof *making);
    if (!making)
        return error_no_memory(error, "for a digest");
    making->session = session;
    making->run = run;
    making->device = device;
    making->scope = run_scope_of(session, run);
    making->covered_ns = INT64_MIN;
    making->parts = (struct digest_parts){.head.texts_bytes = 1,
                                          .communicators = making->communicators,
                                          .collectives = making->collectives,
                                          .steps = making->steps,
                                          .kernels = making->kernels,
                                          .texts = making->texts};
    struct digest_head *head = &making->parts.head;
    fill_head(making, path);
    enum status status = walk_operations(making, error);
    struct parted whole;
    if (status != STATUS_OK || making->operations == 0)
        goto end;
    status = part_time(making, INT64_MIN, INT64_MAX, &whole, error);
    if (status != STATUS_OK)
        goto end;
    memcpy(head->ns, whole.ns, sizeof head->ns);
    head->hidden_ns = whole.hidden_ns;
    status = keep_collectives(making, error);
    if (status == STATUS_OK)
        status = keep_steps(making, error);
    if (status == STATUS_OK)
        status = keep_kernels(making, error);
    if (status != STATUS_OK)
        goto end;
    head->texts_bytes = (head->texts_bytes + 7) / 8 * 8;
    void *bytes;
    size_t size_bytes;
    status = digest_join(&making->parts, &bytes, &size_bytes, error);
    if (status == STATUS_OK) {
        status = take(context, bytes, size_bytes, error);
        free(bytes);
    }
end:
    free(making->found);
    free(making);
    return status;
}

static bool has_work(const struct session *session, uint32_t run, uint32_t device)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        if (kernel->run == run && kernel->device == device && kernel->launches > 0)
            return true;
    }
    return false;
}

enum status digest_make(const struct session *session, const char *path, digest_taker *take, void *context,
                        struct error *error)
{
    bool any = false;
    for (uint32_t run = 0; run < session_run_count(session); run++)
        for (uint32_t device = 0; device < session_device_count(session); device++) {
            if (!run_is_traced(session_run(session, run)) || !has_work(session, run, device))
                continue;
            const enum status status = make_one(session, run, device, path, take, context, error);
            if (status != STATUS_OK)
                return status;
            any = true;
        }
    return any ? STATUS_OK
               : error_set(error, STATUS_STATE, "%.300s has no kernels, so there is no digest of it.", path);
}
