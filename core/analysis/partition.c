/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the run's operations in order of start. Of each device it is enough to know until when a
 * kernel, a collective and a copy run at most: between two starts these three times are the only places where
 * the class changes. Idle time is handed to the launching thread's calls.
 *
 * Collectives: a library is recognised by how the names of its kernels and ranges begin; a framework by a
 * part of them.
 *
 * Idle time is blamed on what the launching thread did meanwhile. The gap is cut where a call begins or ends,
 * and a call's part again where the driver loaded or compiled something, or where the tracing took the time
 * (OVERHEAD events of the thread). Calls of a thread may be nested: lanes further down hold the inner ones,
 * and the outermost names the class.
 */
#include "core/analysis/partition.h"

#include "core/analysis/launch_sites.h"
#include "core/analysis/run_times.h"
#include "core/base/array.h"
#include "core/base/function_name.h"
#include "core/session/session_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SET_UP_NAMED 0.5 /* chosen, share of the time */

/* Idle time by class and name, one row each. */
struct blame_table {
    struct partition_blame *items;
    size_t count, capacity;
    size_t last; /* the row found last */
    struct {
        int64_t ns;
        uint32_t name;
    } pieces[PARTITION_COUNT]; /* the longest of the current idle time by class */
    uint64_t gap;              /* number of the current idle time, from 1 */
};

/* A thread of a process, and the tracks of its calls and ranges; NONE: no such track. In [from_ns, until_ns)
 * its innermost range is, or is not, that of a collective. */
struct host_thread {
    uint32_t process, thread, calls, ranges, overhead;
    int64_t from_ns, until_ns;
    bool in_collective, python;
};

/* A lane's event that was looked for last, and the one before it: the next one is near it. */
struct lane_near {
    uint32_t track, lane;
    uint64_t index;
    bool is_event, has_before; /* false: there is none at the index; none before it */
    int64_t start_ns, end_ns, before_end_ns;
    struct item item, before;
};
#define LANES_NEAR 32u
#define NEAR_STEPS 8 /* events after it that are looked at, before the lane is searched */

struct idle_blamer {
    const struct session *session;
    struct host_thread *threads;
    size_t count, capacity, last; /* last: the one asked about last */
    bool folded;                  /* calls in the analysed time were evicted from memory */
    bool has_collectives;         /* a string of the session is a name of one */
    struct lane_near near[LANES_NEAR];
};

struct idle_gap {
    int64_t start_ns, end_ns;
    uint32_t process;
    const struct item *item; /* of the operation that ended it */
    bool issued;             /* the operation before it was issued by the same call */
    bool loads;              /* the operation's call is a launch that loads the code of its kernel */
    uint32_t place;          /* 1 + stack row that issues the operation; 0: not known */
};

/* ---- collectives ---- */

/* The same as kernel_is_collective, of the name of a range, as NCCL's own ranges have them: "ncclAllReduce".
 */
static bool range_is_collective(const char *name)
{
    static const char *const beginnings[] = {"nccl", "rccl", "nvshmem"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

bool kernel_is_collective(const char *name)
{
    static const char *const parts[] = {"cross_device_reduce", "all_reduce_kernel",   "multimem_all_reduce",
                                        "one_shot_all_reduce", "two_shot_all_reduce", "multimem_all_gather"};
    size_t words = strcspn(name, "<("); /* what follows are arguments, which name types of these libraries */
    for (size_t at = 0; at < words; at++) {
        bool begins = at == 0 || name[at - 1] == ' ' || name[at - 1] == ':'; /* "void nvshmem::put<int>" */
        if (begins && range_is_collective(name + at))
            return true;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (name_has_words(name, parts[i])) /* not in "small_reduce_kernel" */
            return true;
    return false;
}

/* ---- blames ---- */
#define BLAMES_MOST 4096u /* a program may use any number of names: those past this number share name 0 */

static bool blame_is(const struct partition_blame *blame, uint8_t part, uint32_t name, uint32_t place)
{
    return blame->part == part && blame->name == name && blame->place == place;
}

static bool blame_add(struct blame_table *table, uint8_t part, uint32_t name, uint32_t place, int64_t ns)
{
    size_t at = table->last;
    if (at >= table->count || !blame_is(&table->items[at], part, name, place))
        for (at = 0; at < table->count; at++)
            if (blame_is(&table->items[at], part, name, place))
                break;
    if (at == table->count) {
        if ((name != 0 || place != 0) && table->count >= BLAMES_MOST)
            return blame_add(table, part, 0, 0, ns);
        if (!array_grow(table->items, table->capacity, table->count, 1))
            return false;
        table->items[table->count++] = (struct partition_blame){.name = name, .place = place, .part = part};
    }
    struct partition_blame *blame = &table->items[at];
    table->last = at;
    blame->ns += ns;
    if (ns > table->pieces[part].ns) {
        table->pieces[part].ns = ns;
        table->pieces[part].name = name;
    }
    blame->times += blame->gap != table->gap;
    blame->gap = table->gap;
    return true;
}

/* longest first */
static int partition_compare_blames(const void *a, const void *b)
{
    const struct partition_blame *first = a, *second = b;
    if (first->ns != second->ns)
        return (first->ns < second->ns) - (first->ns > second->ns);
    if (first->part != second->part)
        return first->part < second->part ? -1 : 1;
    if (first->name != second->name)
        return first->name < second->name ? -1 : 1;
    return (first->place > second->place) - (first->place < second->place);
}

/* The longest go to the partition. */
static void blame_table_list(struct blame_table *table, struct partition *partition)
{
    if (table->count > 0)
        qsort(table->items, table->count, sizeof *table->items, partition_compare_blames);
    size_t listed = table->count < PARTITION_BLAMES_MAX ? table->count : PARTITION_BLAMES_MAX;
    for (size_t i = 0; i < listed; i++)
        partition->blames[i] = table->items[i];
    partition->blame_count = (uint32_t)listed;
}

static void blame_table_fini(struct blame_table *table)
{
    free(table->items);
    *table = (struct blame_table){0};
}

bool partition_names_alike(const char *a, const char *b)
{
    for (;;) {
        size_t of_a = strspn(a, "0123456789"), of_b = strspn(b, "0123456789");
        a += of_a;
        b += of_b;
        if ((of_a > 0) != (of_b > 0) || *a != *b)
            return false;
        if (*a == '\0')
            return true;
        a++;
        b++;
    }
}

/* The name under which ranges with such names are summed: the first one seen. */
static uint32_t range_common_name(struct blame_table *table, const struct session *session, uint32_t name)
{
    for (size_t i = 0; name != 0 && i < table->count; i++) {
        struct partition_blame *blame = &table->items[i];
        if ((blame->part != PARTITION_HOST && blame->part != PARTITION_BETWEEN) || blame->name == 0)
            continue;
        if (blame->name == name)
            return name;
        if (partition_names_alike(session_string(session, blame->name), session_string(session, name))) {
            blame->alike = true;
            return blame->name;
        }
    }
    return name;
}

bool process_runs_python(const struct session *session, uint32_t process)
{
    const struct process_row *row = session_process(session, process);
    return row && (strstr(session_string(session, row->program), "python") ||
                   strstr(session_string(session, row->command), "python"));
}

bool partition_blame_named(const struct partition_blame *blame)
{
    return blame->name != 0 || blame->place != 0;
}

void partition_blame_name(const struct session *session, const struct partition_blame *blame, char *text,
                          size_t size_bytes)
{
    const char *name = session_string(session, blame->name);
    size_t at = 0;
    if (blame->place != 0 && size_bytes > sizeof "before ") {
        at = (size_t)snprintf(text, size_bytes, "before ");
        session_stack_text(session, blame->place - 1, text + at, size_bytes - at);
        return;
    }
    while (*name != '\0' && at + 1 < size_bytes) {
        size_t digits = blame->alike ? strspn(name, "0123456789") : 0;
        if (digits == 0 || at == 0 || text[at - 1] != '#') /* "ProfilerStep#7" */
            text[at++] = digits > 0 ? '#' : *name;
        name += digits > 0 ? digits : 1;
    }
    text[at] = '\0';
}

/* ---- threads ---- */
static struct host_thread *thread_find(struct idle_blamer *blamer, uint32_t process, uint32_t thread)
{
    if (blamer->last < blamer->count && blamer->threads[blamer->last].process == process &&
        blamer->threads[blamer->last].thread == thread)
        return &blamer->threads[blamer->last];
    for (size_t i = 0; i < blamer->count; i++) {
        if (blamer->threads[i].process == process && blamer->threads[i].thread == thread) {
            blamer->last = i;
            return &blamer->threads[i];
        }
    }
    return NULL;
}

/* false: no memory */
static bool idle_blamer_init(struct idle_blamer *blamer, const struct session *session)
{
    *blamer = (struct idle_blamer){.session = session};
    for (size_t i = 0; i < LANES_NEAR; i++)
        blamer->near[i].track = NONE;
    for (uint32_t i = 1; !blamer->has_collectives && *session_string(session, i) != '\0'; i++)
        blamer->has_collectives = range_is_collective(session_string(session, i));
    uint32_t tracks = session_track_count(session);
    for (uint32_t i = 0; i < tracks; i++) {
        const struct track_row *row = session_track(session, i);
        if (row->kind != TRACK_CALLS && row->kind != TRACK_RANGES && row->kind != TRACK_OVERHEAD)
            continue;
        struct host_thread *thread = thread_find(blamer, row->process, row->thread);
        if (!thread) {
            if (!array_grow(blamer->threads, blamer->capacity, blamer->count, 1))
                return false;
            thread = &blamer->threads[blamer->count++];
            *thread = (struct host_thread){.process = row->process,
                                           .thread = row->thread,
                                           .calls = NONE,
                                           .ranges = NONE,
                                           .overhead = NONE,
                                           .python = process_runs_python(session, row->process)};
        }
        *(row->kind == TRACK_CALLS    ? &thread->calls
          : row->kind == TRACK_RANGES ? &thread->ranges
                                      : &thread->overhead) = i;
    }
    return true;
}

static void idle_blamer_fini(struct idle_blamer *blamer)
{
    free(blamer->threads);
    *blamer = (struct idle_blamer){0};
}

/* ---- what a thread did ---- */
/* The track's outermost event at time_ns, or, if there is none, the last one before and the first one after.
 */
struct moment {
    bool inside;
    int64_t start_ns, end_ns; /* of the event if inside; else of the time between two events */
    struct item item, before; /* before: if not inside, the event that ended last */
    bool has_before;
};

/* Takes the event at near->index, after the one that it has. */
static void near_load(struct lane_near *near, const struct session *session)
{
    near->is_event = session_event(session, (struct event_ref){near->track, near->lane, near->index},
                                   &near->start_ns, &near->end_ns, &near->item);
}

static void near_step(struct lane_near *near, const struct session *session)
{
    near->has_before = true;
    near->before_end_ns = near->end_ns;
    near->before = near->item;
    near->index++;
    near_load(near, session);
}

static void near_search(struct lane_near *near, const struct session *session, uint32_t track, uint32_t lane,
                        int64_t time_ns)
{
    const uint64_t index = session_lane_find(session, track, lane, time_ns);
    *near = (struct lane_near){.track = track, .lane = lane, .index = index > 0 ? index - 1 : 0};
    near_load(near, session);
    if (index > 0)
        near_step(near, session);
}

/* The first event of the lane that ends after time_ns; times mostly come in order. */
static const struct lane_near *lane_at(struct idle_blamer *blamer, uint32_t track, uint32_t lane,
                                       int64_t time_ns)
{
    struct lane_near *near = &blamer->near[(track * 5 + lane) % LANES_NEAR];
    const struct session *session = blamer->session;
    if (near->track != track || near->lane != lane || (near->has_before && near->before_end_ns > time_ns)) {
        near_search(near, session, track, lane, time_ns);
        return near;
    }
    for (int i = 0; near->is_event && near->end_ns <= time_ns; i++) {
        if (i == NEAR_STEPS) {
            near_search(near, session, track, lane, time_ns);
            break;
        }
        near_step(near, session);
    }
    return near;
}

static struct moment moment_at(struct idle_blamer *blamer, uint32_t track, int64_t time_ns)
{
    const struct session *session = blamer->session;
    struct moment moment = {.start_ns = INT64_MIN, .end_ns = INT64_MAX};
    uint32_t lanes = session_lane_count(session, track);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct lane_near *near = lane_at(blamer, track, lane, time_ns);
        if (near->is_event) {
            blamer->folded |= (near->item.flags & ITEM_FOLDED) != 0;
            if (near->start_ns <= time_ns && (!moment.inside || near->start_ns < moment.start_ns)) {
                moment = (struct moment){
                    .inside = true, .start_ns = near->start_ns, .end_ns = near->end_ns, .item = near->item};
                continue;
            }
            if (!moment.inside && near->start_ns > time_ns && near->start_ns < moment.end_ns)
                moment.end_ns = near->start_ns;
        }
        if (moment.inside || !near->has_before)
            continue;
        if (!moment.has_before || near->before_end_ns > moment.start_ns) {
            moment.has_before = true;
            moment.start_ns = near->before_end_ns;
            moment.before = near->before;
        }
    }
    return moment;
}

static bool text_begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

#define NOT_READY 600 /* cudaErrorNotReady, CUDA_ERROR_NOT_READY */

/* A query that found work unfinished is one of a loop that waits for it. */
static enum partition_class call_class(const struct session *session, const struct item *call)
{
    switch (call->b) {
    case CALL_LAUNCH: return PARTITION_LAUNCH;
    case CALL_COPY:
    case CALL_SET: return PARTITION_TRANSFER;
    case CALL_SYNC: return PARTITION_SYNC;
    case CALL_ALLOC:
    case CALL_FREE: return PARTITION_ALLOC;
    case CALL_MODULE: return PARTITION_MODULE;
    case CALL_STREAM:
        return call->call.result == NOT_READY && strstr(session_string(session, call->call.name), "Query")
                   ? PARTITION_SYNC
                   : PARTITION_CALL;
    default: return PARTITION_CALL;
    }
}

/* cupti/agent/translate.c and bursts.c define these words. */
bool partition_is_tool(const char *overhead)
{
    return text_begins(overhead, "CUPTI") || text_begins(overhead, "the first launch waits for the sampler");
}

static enum partition_class overhead_class(const char *name)
{
    if (text_begins(name, "driver") || text_begins(name, "runtime"))
        return PARTITION_MODULE;
    return partition_is_tool(name) ? PARTITION_TOOL : PARTITION_LAUNCH;
}

uint32_t partition_range_at(const struct session *session, uint32_t track, int64_t time_ns, int64_t *until_ns)
{
    uint32_t lanes = track == NONE ? 0 : session_lane_count(session, track), name = 0;
    int64_t last_ns = INT64_MIN;
    *until_ns = INT64_MAX;
    for (uint32_t lane = 0; lane < lanes; lane++) { /* of equal beginnings the inner one lies further down */
        uint64_t index = session_lane_find(session, track, lane, time_ns);
        int64_t start_ns, end_ns;
        struct item item;
        if (!session_event(session, (struct event_ref){track, lane, index}, &start_ns, &end_ns, &item))
            continue;
        bool inside = start_ns <= time_ns;
        int64_t change_ns = inside ? end_ns : start_ns;
        *until_ns = change_ns < *until_ns ? change_ns : *until_ns;
        if (inside && start_ns >= last_ns) {
            name = item.range.name;
            last_ns = start_ns;
        }
    }
    return name;
}

/* Copies and sets have these fields at the same place as launches. */
static uint32_t issuing_thread(const struct item *item)
{
    return item->kind == ITEM_LAUNCH ? item->launch.call_thread : item->copy.call_thread;
}

static int64_t issue_ns(const struct item *item)
{
    return item->kind == ITEM_LAUNCH ? item->launch.call_start_ns : item->copy.call_start_ns;
}

/* Was the operation issued within a range of a collective's (NCCL's NVTX ranges: ncclAllReduce)? The
 * innermost range of the issuing thread counts. */
static bool issued_in_collective(struct idle_blamer *blamer, uint32_t process, const struct item *item)
{
    if (!blamer->has_collectives)
        return false;
    struct host_thread *thread = thread_find(blamer, process, issuing_thread(item));
    const int64_t at_ns = issue_ns(item);
    if (!thread || thread->ranges == NONE)
        return false;
    if (at_ns < thread->from_ns || at_ns >= thread->until_ns) {
        const uint32_t name = partition_range_at(blamer->session, thread->ranges, at_ns, &thread->until_ns);
        thread->from_ns = at_ns;
        thread->in_collective = name != 0 && range_is_collective(session_string(blamer->session, name));
    }
    return thread->in_collective;
}

/* Where time of the gap goes. */
struct pouring {
    struct idle_blamer *blamer;
    const struct host_thread *thread; /* NULL: nothing is known of it */
    bool waited;                      /* the host waited in this idle time, and no longer pause followed */
    uint32_t wait;                    /* the call by which */
    uint32_t place;                   /* 1 + stack row that issues what ends the gap; 0: not known */
    int64_t *ns;
    struct blame_table *blames;
};

static bool pour_time(const struct pouring *pouring, enum partition_class part, uint32_t name, int64_t ns)
{
    bool own = (part == PARTITION_HOST || part == PARTITION_BETWEEN) && name == 0;
    pouring->ns[part] += ns;
    return blame_add(pouring->blames, (uint8_t)part, name, own ? pouring->place : 0, ns);
}

/* Adds time of one class, without the part that was overhead. */
static bool pour_call(const struct pouring *pouring, enum partition_class part, uint32_t name,
                      int64_t start_ns, int64_t end_ns)
{
    bool fine = true;
    while (fine && start_ns < end_ns) {
        if (!pouring->thread || pouring->thread->overhead == NONE)
            return pour_time(pouring, part, name, end_ns - start_ns);
        const struct session *session = pouring->blamer->session;
        struct moment moment = moment_at(pouring->blamer, pouring->thread->overhead, start_ns);
        int64_t until_ns = moment.end_ns < end_ns ? moment.end_ns : end_ns;
        if (moment.inside) {
            uint32_t what = moment.item.overhead.name;
            fine =
                pour_time(pouring, overhead_class(session_string(session, what)), what, until_ns - start_ns);
        } else {
            fine = pour_time(pouring, part, name, until_ns - start_ns);
        }
        start_ns = until_ns;
    }
    return fine;
}

/* The program's own work, by range. */
static bool pour_host(const struct pouring *pouring, enum partition_class part, int64_t start_ns,
                      int64_t end_ns)
{
    bool fine = true;
    while (fine && start_ns < end_ns) {
        int64_t until_ns;
        uint32_t name =
            partition_range_at(pouring->blamer->session, pouring->thread->ranges, start_ns, &until_ns);
        until_ns = until_ns < end_ns ? until_ns : end_ns;
        name = range_common_name(pouring->blames, pouring->blamer->session, name);
        fine = pour_call(pouring, part, name, start_ns, until_ns);
        start_ns = until_ns;
    }
    return fine;
}

/* Launching: attributed to the wait that it follows, if there was one. */
static bool pour_launching(const struct pouring *pouring, uint32_t name, int64_t start_ns, int64_t end_ns)
{
    return pouring->waited ? pour_call(pouring, PARTITION_SYNC, pouring->wait, start_ns, end_ns)
                           : pour_call(pouring, PARTITION_LAUNCH, name, start_ns, end_ns);
}

/* Attributes what the thread did in [start_ns, end_ns), before it issued the operation. */
static bool pour_before(struct pouring *pouring, int64_t start_ns, int64_t end_ns)
{
    const int64_t between_ns = pouring->thread->python ? PARTITION_PAUSE_NS : PARTITION_OWN_NS;
    bool fine = true;
    while (fine && start_ns < end_ns) {
        struct moment moment = moment_at(pouring->blamer, pouring->thread->calls, start_ns);
        int64_t until_ns = moment.end_ns < end_ns ? moment.end_ns : end_ns;
        const struct item *call = moment.inside ? &moment.item : &moment.before;
        bool pause = !moment.inside && until_ns - start_ns <= PARTITION_PAUSE_NS;
        bool near = moment.inside || (moment.has_before && start_ns - PARTITION_PAUSE_NS <= moment.start_ns);
        bool made_wait = near && call->b == CALL_SYNC;
        if (made_wait)
            pouring->wait = call->call.name;
        pouring->waited = (pouring->waited || made_wait) && (moment.inside || pause);
        enum partition_class part =
            moment.inside ? call_class(pouring->blamer->session, call) : PARTITION_BETWEEN;
        if (!moment.inside && !(pause && pouring->waited))
            fine = pour_host(pouring, until_ns - start_ns <= between_ns ? PARTITION_BETWEEN : PARTITION_HOST,
                             start_ns, until_ns);
        else if (!moment.inside)
            fine = pour_launching(pouring, 0, start_ns, until_ns);
        else if (part == PARTITION_LAUNCH)
            fine = pour_launching(pouring, call->call.name, start_ns, until_ns);
        else
            fine = pour_call(pouring, part, call->call.name, start_ns, until_ns);
        start_ns = until_ns;
    }
    return fine;
}

/* Adds the gap's time to the classes (ns) and to the blames. False: no memory. */
static bool idle_blame(struct idle_blamer *blamer, const struct idle_gap *gap, int64_t ns[PARTITION_COUNT],
                       struct blame_table *blames)
{
    const struct item *item = gap->item;
    blames->gap++;
    memset(blames->pieces, 0, sizeof blames->pieces);
    bool launch = item->kind == ITEM_LAUNCH;
    int64_t call_ns = issue_ns(item);
    int64_t length_ns = launch ? item->launch.call_duration_ns : item->copy.call_duration_ns;
    struct pouring pouring = {.blamer = blamer,
                              .thread = thread_find(blamer, gap->process, issuing_thread(item)),
                              .place = gap->place,
                              .ns = ns,
                              .blames = blames};
    if (call_ns < -SESSION_TIME_MAX_NS || call_ns > SESSION_TIME_MAX_NS)
        return pour_time(&pouring, PARTITION_UNKNOWN, 0, gap->end_ns - gap->start_ns);
    if (gap->issued || call_ns + length_ns <= gap->start_ns)
        return pour_time(&pouring, PARTITION_DEVICE, 0, gap->end_ns - gap->start_ns);

    int64_t issued_ns = call_ns < gap->start_ns ? gap->start_ns
                        : call_ns < gap->end_ns ? call_ns
                                                : gap->end_ns;
    int64_t arrives_ns = call_ns + length_ns + PARTITION_LATENCY_NS;
    arrives_ns = arrives_ns < gap->end_ns ? arrives_ns : gap->end_ns;
    bool fine = pouring.thread && pouring.thread->calls != NONE
                    ? pour_before(&pouring, gap->start_ns, issued_ns)
                    : issued_ns == gap->start_ns ||
                          pour_time(&pouring, PARTITION_UNKNOWN, 0, issued_ns - gap->start_ns);
    uint32_t name = 0;
    if (fine && arrives_ns > issued_ns && pouring.thread && pouring.thread->calls != NONE) {
        struct moment moment = moment_at(blamer, pouring.thread->calls, issued_ns);
        name = moment.inside ? moment.item.call.name : 0;
    }
    if (fine && gap->loads) {
        int64_t loaded_ns = call_ns + length_ns < arrives_ns ? call_ns + length_ns : arrives_ns;
        fine = pour_call(&pouring, PARTITION_MODULE, name, issued_ns, loaded_ns) &&
               pour_launching(&pouring, name, loaded_ns, arrives_ns);
    } else if (fine && launch) {
        fine = pour_launching(&pouring, name, issued_ns, arrives_ns);
    } else if (fine) {
        fine = pour_call(&pouring, PARTITION_TRANSFER, name, issued_ns, arrives_ns);
    }
    return fine &&
           (arrives_ns == gap->end_ns || pour_time(&pouring, PARTITION_DEVICE, 0, gap->end_ns - arrives_ns));
}

/* ---- the partition ---- */

/* What can run, in order of precedence and of the classes: while a kernel runs, collectives and copies are
 * hidden. */
enum partition_running { RUNNING_KERNEL, RUNNING_COLLECTIVE, RUNNING_COPY, RUNNING_COUNT };

struct partition_sweep {
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
    int64_t start_ns, end_ns;       /* the range */
    struct partition_sweep *sweeps; /* by device row; the last one: of tracks without a device */
    uint32_t devices;
    uint8_t *collective; /* by kernel row, is it a collective: 0 not looked at, 1 no, 2 yes */
    bool *launched;      /* by kernel row, was it launched before */
    uint32_t *places;    /* by kernel row, as launch_sites_of_kernels */
    uint32_t kernels;
    struct idle_blamer blamer;
};

static int64_t earlier_ns(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Assigns the time up to to_ns, in which nothing starts; returns for how long of it nothing ran. The idle
 * time is at its end. */
static int64_t sweep_advance(struct partition_sweep *sweep, int64_t to_ns)
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

static enum partition_running running_of(struct sweeping *sweeping, uint32_t process, const struct item *item)
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
        bool is = shape && kernel_is_collective(session_string(sweeping->session, shape->name));
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
    for (uint32_t i = 0; shape && i < sweeping->kernels; i++) {
        const struct shape_row *other = session_shape(session, session_kernel(session, i)->shape);
        if (sweeping->launched[i] && other && other->name == shape->name)
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
    struct partition_sweep *sweep =
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
                               .place = cursor->item.kind == ITEM_LAUNCH &&
                                                cursor->item.launch.kernel < sweeping->kernels
                                            ? sweeping->places[cursor->item.launch.kernel]
                                            : 0,
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
    enum partition_running running = running_of(sweeping, track->process, &cursor->item);
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
    if (!list->items)
        return false;
    for (uint32_t i = 0; i <= sweeping->devices; i++) {
        struct partition_sweep *sweep = &sweeping->sweeps[i];
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
    if (run != NONE && !sweeping.scope.row) {
        return error_set(error, STATUS_STATE, "There is no run %u in this session: it has %u.", run,
                         session_run_count(session));
    }
    sweeping.sweeps = calloc(sweeping.devices + 1, sizeof *sweeping.sweeps);
    sweeping.collective = calloc(sweeping.kernels + 1, 1);
    sweeping.launched = calloc(sweeping.kernels + 1, sizeof *sweeping.launched);
    sweeping.places = calloc(sweeping.kernels + 1, sizeof *sweeping.places);
    enum status status = STATUS_MEMORY;
    if (sweeping.places)
        launch_sites_of_kernels(session, sweeping.kernels, sweeping.places);
    if (sweeping.sweeps && sweeping.collective && sweeping.launched && sweeping.places &&
        idle_blamer_init(&sweeping.blamer, session))
        status = sweep_all(&sweeping, list, error);
    else
        error_no_memory(error, "to say where the time went");
    idle_blamer_fini(&sweeping.blamer);
    for (uint32_t i = 0; sweeping.sweeps && i <= sweeping.devices; i++)
        blame_table_fini(&sweeping.sweeps[i].blames);
    free(sweeping.sweeps);
    free(sweeping.collective);
    free(sweeping.launched);
    free(sweeping.places);
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
    while (at < total->blame_count && !blame_is(&total->blames[at], blame->part, blame->name, blame->place))
        at++;
    if (at == PARTITION_BLAMES_MAX)
        return;
    if (at == total->blame_count)
        total->blames[total->blame_count++] = (struct partition_blame){.name = blame->name,
                                                                       .place = blame->place,
                                                                       .part = blame->part,
                                                                       .alike = blame->alike,
                                                                       .gap = blame->gap};
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

bool partition_set_up_text(const struct partition *whole, char text[PARTITION_SET_UP_TEXT])
{
    const int64_t span_ns = partition_span_ns(whole);
    const double share = span_ns > 0 ? (double)partition_set_up_ns(whole) / (double)span_ns : 0;
    snprintf(text, PARTITION_SET_UP_TEXT, "%.0f %% of %s is set-up", 100 * share,
             run_time_name(RUN_TIME_SPAN));
    return share > SET_UP_NAMED;
}

enum partition_class partition_mostly(const struct partition *partition)
{
    const int64_t *ns = partition->ns;
    int most = PARTITION_COLLECTIVE;
    for (int part = most; part < PARTITION_COUNT; part++)
        most = ns[part] > ns[most] ? part : most;
    return 2 * ns[PARTITION_KERNEL] < partition_sum_ns(partition) ? (enum partition_class)most
                                                                  : PARTITION_KERNEL;
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
