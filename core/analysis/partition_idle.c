/*
 * What the launching thread did while a device was idle. The gap is cut where a call begins or ends, and a
 * call's part again where the driver loaded or compiled something, or where the tracing took the time
 * (OVERHEAD events of the thread). Calls of a thread may be nested: lanes further down hold the inner ones,
 * and the outermost names the class.
 */
#include "core/analysis/collective.h"
#include "core/analysis/partition_internal.h"

#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- blames ---- */
#define BLAMES_MOST 4096u /* a program may use any number of names: those past this number share name 0 */

static bool blame_add(struct blame_table *table, uint8_t part, uint32_t name, int64_t ns)
{
    size_t at = table->last;
    if (at >= table->count || table->items[at].part != part || table->items[at].name != name)
        for (at = 0; at < table->count; at++)
            if (table->items[at].part == part && table->items[at].name == name)
                break;
    if (at == table->count) {
        if (name != 0 && table->count >= BLAMES_MOST)
            return blame_add(table, part, 0, ns);
        if (!array_grow(table->items, table->capacity, table->count, 1))
            return false;
        table->items[table->count++] = (struct partition_blame){.name = name, .part = part};
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

int partition_compare_blames(const void *a, const void *b)
{
    const struct partition_blame *first = a, *second = b;
    if (first->ns != second->ns)
        return (first->ns < second->ns) - (first->ns > second->ns);
    if (first->part != second->part)
        return first->part < second->part ? -1 : 1;
    return (first->name > second->name) - (first->name < second->name);
}

void blame_table_list(struct blame_table *table, struct partition *partition)
{
    if (table->count > 0)
        qsort(table->items, table->count, sizeof *table->items, partition_compare_blames);
    size_t listed = table->count < PARTITION_BLAMES_MAX ? table->count : PARTITION_BLAMES_MAX;
    for (size_t i = 0; i < listed; i++)
        partition->blames[i] = table->items[i];
    partition->blame_count = (uint32_t)listed;
}

void blame_table_fini(struct blame_table *table)
{
    free(table->items);
    *table = (struct blame_table){0};
}

/* Are the names equal except for their numbers: "step 12" and "step 9"? */
static bool names_alike(const char *a, const char *b)
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
        if (blame->part != PARTITION_HOST || blame->name == 0)
            continue;
        if (blame->name == name)
            return name;
        if (names_alike(session_string(session, blame->name), session_string(session, name))) {
            blame->alike = true;
            return blame->name;
        }
    }
    return name;
}

void partition_blame_name(const struct session *session, const struct partition_blame *blame, char *text,
                          size_t size_bytes)
{
    const char *name = session_string(session, blame->name);
    size_t at = 0;
    while (*name != '\0' && at + 1 < size_bytes) {
        size_t digits = blame->alike ? strspn(name, "0123456789") : 0;
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

bool idle_blamer_init(struct idle_blamer *blamer, const struct session *session)
{
    *blamer = (struct idle_blamer){.session = session};
    for (uint32_t i = 1; !blamer->has_collectives && *session_string(session, i) != '\0'; i++)
        blamer->has_collectives = range_is_collective(session_string(session, i));
    uint32_t tracks = session_track_count(session);
    for (uint32_t i = 0; i < tracks; i++) {
        const struct track_row *row = session_track(session, i);
        if (row->kind != TRACK_CALLS && row->kind != TRACK_RANGES && row->kind != TRACK_OVERHEAD)
            continue;
        struct host_thread *thread = thread_find(blamer, row->process, row->thread);
        if (thread == NULL) {
            if (!array_grow(blamer->threads, blamer->capacity, blamer->count, 1))
                return false;
            thread = &blamer->threads[blamer->count++];
            *thread = (struct host_thread){.process = row->process,
                                           .thread = row->thread,
                                           .calls = NONE,
                                           .ranges = NONE,
                                           .overhead = NONE};
        }
        *(row->kind == TRACK_CALLS    ? &thread->calls
          : row->kind == TRACK_RANGES ? &thread->ranges
                                      : &thread->overhead) = i;
    }
    return true;
}

void idle_blamer_fini(struct idle_blamer *blamer)
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

static struct moment moment_at(struct idle_blamer *blamer, uint32_t track, int64_t time_ns)
{
    const struct session *session = blamer->session;
    struct moment moment = {.start_ns = INT64_MIN, .end_ns = INT64_MAX};
    uint32_t lanes = session_lane_count(session, track);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t count = session_lane_count_events(session, track, lane);
        uint64_t index = session_lane_find(session, track, lane, time_ns);
        struct event_ref ref = {track, lane, index};
        int64_t start_ns, end_ns;
        struct item item;
        if (index < count) {
            session_event(session, ref, &start_ns, &end_ns, &item);
            blamer->folded |= (item.flags & ITEM_FOLDED) != 0;
            if (start_ns <= time_ns && (!moment.inside || start_ns < moment.start_ns)) {
                moment =
                    (struct moment){.inside = true, .start_ns = start_ns, .end_ns = end_ns, .item = item};
                continue;
            }
            if (!moment.inside && start_ns > time_ns && start_ns < moment.end_ns)
                moment.end_ns = start_ns;
        }
        if (moment.inside || index == 0)
            continue;
        ref.index--;
        session_event(session, ref, &start_ns, &end_ns, &item);
        if (!moment.has_before || end_ns > moment.start_ns) {
            moment.has_before = true;
            moment.start_ns = end_ns;
            moment.before = item;
        }
    }
    return moment;
}

static bool text_begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static enum partition_class call_class(const struct item *call)
{
    switch (call->b) {
    case CALL_LAUNCH: return PARTITION_LAUNCH;
    case CALL_COPY:
    case CALL_SET: return PARTITION_TRANSFER;
    case CALL_SYNC: return PARTITION_SYNC;
    case CALL_ALLOC:
    case CALL_FREE: return PARTITION_ALLOC;
    case CALL_MODULE: return PARTITION_MODULE;
    default: return PARTITION_CALL;
    }
}

/* cupti/agent/translate.c defines these words. */
static enum partition_class overhead_class(const char *name)
{
    if (text_begins(name, "driver") || text_begins(name, "runtime"))
        return PARTITION_MODULE;
    return text_begins(name, "CUPTI") ? PARTITION_TOOL : PARTITION_LAUNCH;
}

/* The innermost range at time_ns, 0: none; *until_ns: how long this stays so. */
static uint32_t range_at(const struct session *session, uint32_t track, int64_t time_ns, int64_t *until_ns)
{
    uint32_t lanes = track == NONE ? 0 : session_lane_count(session, track), name = 0;
    *until_ns = INT64_MAX;
    for (uint32_t lane = 0; lane < lanes; lane++) { /* an inner range lies further down */
        uint64_t index = session_lane_find(session, track, lane, time_ns);
        int64_t start_ns, end_ns;
        struct item item;
        if (!session_event(session, (struct event_ref){track, lane, index}, &start_ns, &end_ns, &item))
            continue;
        bool inside = start_ns <= time_ns;
        int64_t change_ns = inside ? end_ns : start_ns;
        *until_ns = change_ns < *until_ns ? change_ns : *until_ns;
        name = inside ? item.range.name : name;
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

bool issued_in_collective(struct idle_blamer *blamer, uint32_t process, const struct item *item)
{
    if (!blamer->has_collectives)
        return false;
    struct host_thread *thread = thread_find(blamer, process, issuing_thread(item));
    const int64_t at_ns = issue_ns(item);
    if (thread == NULL || thread->ranges == NONE)
        return false;
    if (at_ns < thread->from_ns || at_ns >= thread->until_ns) {
        const uint32_t name = range_at(blamer->session, thread->ranges, at_ns, &thread->until_ns);
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
    int64_t *ns;
    struct blame_table *blames;
};

static bool pour_time(const struct pouring *pouring, enum partition_class part, uint32_t name, int64_t ns)
{
    pouring->ns[part] += ns;
    return blame_add(pouring->blames, (uint8_t)part, name, ns);
}

/* Adds time of one class, without the part that was overhead. */
static bool pour_call(const struct pouring *pouring, enum partition_class part, uint32_t name,
                      int64_t start_ns, int64_t end_ns)
{
    bool fine = true;
    while (fine && start_ns < end_ns) {
        if (pouring->thread == NULL || pouring->thread->overhead == NONE)
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
static bool pour_host(const struct pouring *pouring, int64_t start_ns, int64_t end_ns)
{
    bool fine = true;
    while (fine && start_ns < end_ns) {
        int64_t until_ns;
        uint32_t name = range_at(pouring->blamer->session, pouring->thread->ranges, start_ns, &until_ns);
        until_ns = until_ns < end_ns ? until_ns : end_ns;
        name = range_common_name(pouring->blames, pouring->blamer->session, name);
        fine = pour_call(pouring, PARTITION_HOST, name, start_ns, until_ns);
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
        enum partition_class part = moment.inside ? call_class(call) : PARTITION_LAUNCH;
        if (!moment.inside && !pause)
            fine = pour_host(pouring, start_ns, until_ns);
        else if (part == PARTITION_LAUNCH)
            fine = pour_launching(pouring, moment.inside ? call->call.name : 0, start_ns, until_ns);
        else
            fine = pour_call(pouring, part, call->call.name, start_ns, until_ns);
        start_ns = until_ns;
    }
    return fine;
}

bool idle_blame(struct idle_blamer *blamer, const struct idle_gap *gap, int64_t ns[PARTITION_COUNT],
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
    bool fine = pouring.thread != NULL && pouring.thread->calls != NONE
                    ? pour_before(&pouring, gap->start_ns, issued_ns)
                    : issued_ns == gap->start_ns ||
                          pour_time(&pouring, PARTITION_UNKNOWN, 0, issued_ns - gap->start_ns);
    uint32_t name = 0;
    if (fine && arrives_ns > issued_ns && pouring.thread != NULL && pouring.thread->calls != NONE) {
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
