/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text's id is its row in the session, so that all processes share them; a process's intake gets each text
 * that it uses once. Which calls of a process do not wait is kept for the newest CALLS_KEPT correlations.
 */
#include "core/import/sender.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/function_name.h"
#include "core/base/idmap.h"
#include "core/base/lookup.h"
#include "core/intake/intake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_KEPT (1u << 16)
#define DEVICES_MAX 64u

struct source {
    struct intake *intake;
    uint32_t process, run; /* the session's */
    struct told {
        uint8_t *bits;
        uint32_t room;
    } texts, shapes;        /* that the intake has */
    uint32_t *asynchronous; /* by correlation modulo CALLS_KEPT; NULL until needed */
    uint64_t devices, ranges;
};

struct sender {
    struct session *session;
    struct source *sources;
    uint32_t count, room;
    struct idmap keys;
    struct lookup lookup;
    struct event *shapes; /* [id - 1] */
    uint32_t shape_count, shape_room;
    int64_t last_ns;
};

enum status sender_create(struct sender **sender, struct session **session, int64_t utc_ns,
                          struct error *error)
{
    struct sender *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to read the trace");
    *sender = made;
    idmap_init(&made->keys, SENDER_PROCESSES_MAX, (uint64_t)(uintptr_t)made);
    const enum status status =
        session_create(session, utc_ns > 0 && utc_ns < clock_real_ns() ? utc_ns : 1, error);
    made->session = *session;
    return status;
}

static void report_losses(const struct sender *sender, const struct source *source)
{
    struct intake_stats stats;
    intake_stats(source->intake, &stats);
    for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++) {
        struct drop_row row = {.time_ns = sender->last_ns, .process = source->process, .kind = kind};
        row.count = stats.refused[kind];
        row.reason = DROP_REFUSED;
        if (row.count > 0)
            session_add_drop(sender->session, &row);
        row.count = stats.unkept[kind];
        row.reason = DROP_NO_ROOM;
        if (row.count > 0)
            session_add_drop(sender->session, &row);
    }
}

void sender_end(struct sender *sender)
{
    if (!sender)
        return;
    for (uint32_t i = 0; i < sender->count; i++) {
        struct source *source = &sender->sources[i];
        intake_finish(source->intake);
        report_losses(sender, source);
        session_end_run(sender->session, source->run, sender->last_ns, -1, 0);
        session_end_process(sender->session, source->process, sender->last_ns, -1);
        intake_destroy(source->intake);
        free(source->texts.bits);
        free(source->shapes.bits);
        free(source->asynchronous);
    }
    idmap_fini(&sender->keys);
    lookup_fini(&sender->lookup);
    free(sender->shapes);
    free(sender->sources);
    free(sender);
}

/* ---- processes ---- */
uint32_t sender_find(const struct sender *sender, uint64_t key)
{
    return idmap_find(&sender->keys, key);
}

static uint32_t text_row(const struct sender *sender, const char *text)
{
    return session_add_string(sender->session, text, strlen(text));
}

uint32_t sender_add(struct sender *sender, uint64_t key, const struct sender_process *what)
{
    if (sender->count == SENDER_PROCESSES_MAX ||
        !array_grow_zeroed(sender->sources, sender->room, sender->count, 1))
        return UINT32_MAX;
    const struct process_row process = {.pid = what->pid,
                                        .parent_pid = 0,
                                        .rank = what->rank,
                                        .host = text_row(sender, what->host),
                                        .program = text_row(sender, what->program),
                                        .command = text_row(sender, what->command),
                                        .mode = RUN_TRACE,
                                        .clock = CLOCK_WALL,
                                        .end_ns = INT64_MIN,
                                        .exit_status = -1};
    struct source *source = &sender->sources[sender->count];
    *source = (struct source){.process = session_add_process(sender->session, &process)};
    if (source->process == NONE)
        return UINT32_MAX;
    const struct run_row run = {.process = source->process,
                                .device = NONE,
                                .group = session_run_count(sender->session),
                                .program = text_row(sender, *what->program ? what->program : "program"),
                                .mode = RUN_TRACE,
                                .clock = CLOCK_WALL,
                                .end_ns = INT64_MIN,
                                .verified = -1};
    source->run = session_add_run(sender->session, &run);
    if (source->run == NONE ||
        intake_create(&source->intake, sender->session, source->process, source->run, NULL) != STATUS_OK)
        return UINT32_MAX;
    if (!idmap_put(&sender->keys, key, sender->count)) {
        intake_destroy(source->intake);
        return UINT32_MAX;
    }
    return sender->count++;
}

static void send_blob(const struct source *source, enum blob_type type, uint32_t id, const void *bytes,
                      size_t size_bytes)
{
    struct event event = {.kind = EVENT_BLOB};
    event.blob.type = type;
    event.blob.id = id;
    event.blob.size_bytes = (uint32_t)size_bytes;
    intake_event(source->intake, &event, bytes);
}

bool sender_has_device(const struct sender *sender, uint32_t process, uint16_t ordinal)
{
    return ordinal >= DEVICES_MAX || (sender->sources[process].devices >> ordinal & 1) != 0;
}

void sender_device(struct sender *sender, uint32_t process, uint16_t ordinal, const struct device_info *info)
{
    if (sender_has_device(sender, process, ordinal))
        return;
    sender->sources[process].devices |= UINT64_C(1) << ordinal;
    send_blob(&sender->sources[process], BLOB_DEVICE, ordinal, info, sizeof *info);
}

/* ---- texts and shapes ---- */
#define TEXT_MAX 4096u /* bytes: longer names are cut */

uint32_t sender_intern(struct sender *sender, const char *text, size_t size_bytes)
{
    return session_add_string(sender->session, text, size_bytes < TEXT_MAX ? size_bytes : TEXT_MAX);
}

const char *sender_interned_text(const struct sender *sender, uint32_t interned)
{
    return session_string(sender->session, interned);
}

/* Is it told now, for the first time? */
static bool mark_told(struct told *told, uint32_t id)
{
    if (!array_grow_zeroed(told->bits, told->room, id / 8, 1) || (told->bits[id / 8] >> id % 8 & 1) != 0)
        return false;
    told->bits[id / 8] |= (uint8_t)(1u << id % 8);
    return true;
}

uint32_t sender_text_id(struct sender *sender, uint32_t process, uint32_t interned)
{
    struct source *source = &sender->sources[process];
    if (interned != 0 && mark_told(&source->texts, interned)) {
        const char *text = session_string(sender->session, interned);
        send_blob(source, BLOB_STRING, interned, text, strlen(text));
    }
    return interned;
}

uint32_t sender_text(struct sender *sender, uint32_t process, const char *text)
{
    return sender_text_id(sender, process, sender_intern(sender, text, strlen(text)));
}

static bool shape_equal(const void *context, uint32_t row, const void *key)
{
    const struct sender *sender = context;
    return memcmp(&sender->shapes[row], key, sizeof sender->shapes[row]) == 0;
}

uint32_t sender_intern_shape(struct sender *sender, const struct event *shape)
{
    const uint32_t hash = lookup_hash(0, shape, sizeof *shape);
    const uint32_t row = lookup_find(&sender->lookup, hash, shape_equal, sender, shape);
    if (row != LOOKUP_NONE)
        return row + 1;
    if (!lookup_reserve(&sender->lookup) ||
        !array_grow(sender->shapes, sender->shape_room, sender->shape_count, 1))
        return 0;
    sender->shapes[sender->shape_count] = *shape;
    lookup_add(&sender->lookup, hash, sender->shape_count);
    return ++sender->shape_count;
}

uint32_t sender_shape_id(struct sender *sender, uint32_t process, uint32_t interned)
{
    struct source *source = &sender->sources[process];
    if (interned == 0 || !mark_told(&source->shapes, interned))
        return interned;
    struct event shape = sender->shapes[interned - 1];
    shape.shape.id = interned;
    sender_text_id(sender, process, shape.shape.name);
    intake_event(source->intake, &shape, NULL);
    return interned;
}

/* ---- events ---- */
/* The reader's times into those of a clock, as intake takes them. */
static int64_t raw_ns(const struct sender *sender, int64_t time_ns)
{
    return time_ns > SESSION_TIME_MAX_NS ? INT64_MAX : session_start_ns(sender->session) + time_ns;
}

void sender_event(struct sender *sender, uint32_t process, const struct event *event)
{
    struct event own = *event;
    if (own.kind == EVENT_KERNEL || own.kind == EVENT_COPY || own.kind == EVENT_SET ||
        own.kind == EVENT_CALL || own.kind == EVENT_SYNC || own.kind == EVENT_OVERHEAD) {
        if (own.kernel.end_ns > sender->last_ns && own.kernel.end_ns < SESSION_TIME_MAX_NS)
            sender->last_ns = own.kernel.end_ns;
        own.kernel.start_ns = raw_ns(sender, own.kernel.start_ns);
        own.kernel.end_ns = raw_ns(sender, own.kernel.end_ns);
    }
    intake_event(sender->sources[process].intake, &own, NULL);
}
_Static_assert(offsetof(struct event, kernel.start_ns) == offsetof(struct event, call.start_ns) &&
                   offsetof(struct event, kernel.end_ns) == offsetof(struct event, call.end_ns) &&
                   offsetof(struct event, kernel.start_ns) == offsetof(struct event, sync.start_ns) &&
                   offsetof(struct event, kernel.end_ns) == offsetof(struct event, overhead.end_ns),
               "sender_event sets the times of any of them");

/* Of calls that copy or set: does the name say that they return before the work is done? */
static bool name_is_asynchronous(const char *plain)
{
    return strstr(plain, "Async") || strstr(plain, "Prefetch") || strstr(plain, "GraphLaunch");
}

void sender_call(struct sender *sender, uint32_t process, const struct sender_call *call)
{
    struct source *source = &sender->sources[process];
    char plain[API_NAME_BYTES];
    api_plain_name(call->name, plain, sizeof plain);
    struct event event = {.kind = EVENT_CALL};
    event.call.start_ns = call->start_ns;
    event.call.end_ns = call->end_ns;
    event.call.correlation = call->correlation;
    event.call.thread = call->thread;
    event.call.name = sender_text(sender, process, plain);
    event.call.result = call->result;
    event.call.domain = (uint8_t)call->domain;
    event.call.category = (uint8_t)api_category(plain);
    if (call->correlation != 0 && name_is_asynchronous(plain) && !source->asynchronous)
        source->asynchronous = calloc(CALLS_KEPT, sizeof *source->asynchronous);
    if (call->correlation != 0 && name_is_asynchronous(plain) && source->asynchronous)
        source->asynchronous[call->correlation % CALLS_KEPT] = call->correlation;
    sender_event(sender, process, &event);
}

bool sender_is_asynchronous(const struct sender *sender, uint32_t process, uint32_t correlation)
{
    const struct source *source = &sender->sources[process];
    return source->asynchronous && source->asynchronous[correlation % CALLS_KEPT] == correlation;
}

void sender_range(struct sender *sender, uint32_t process, const struct sender_range *range)
{
    struct source *source = &sender->sources[process];
    struct event event = {.kind = range->end_ns < range->start_ns ? EVENT_MARK : EVENT_RANGE_BEGIN};
    event.range.time_ns = raw_ns(sender, range->start_ns);
    event.range.id = ++source->ranges;
    event.range.name = range->name;
    event.range.domain = range->domain;
    event.range.thread = range->thread;
    event.range.color = range->color;
    event.range.payload = range->payload;
    intake_event(source->intake, &event, NULL);
    if (event.kind == EVENT_MARK)
        return;
    if (range->end_ns > sender->last_ns && range->end_ns < SESSION_TIME_MAX_NS)
        sender->last_ns = range->end_ns;
    event.kind = EVENT_RANGE_END;
    event.range.time_ns = raw_ns(sender, range->end_ns);
    intake_event(source->intake, &event, NULL);
}

void sender_collective(struct sender *sender, uint32_t process, const struct collective_row *row)
{
    struct collective_row own = *row;
    own.process = sender->sources[process].process;
    session_add_collective(sender->session, &own);
}

void sender_until(struct sender *sender, int64_t time_ns)
{
    struct event event = {.kind = EVENT_WATERMARK};
    event.watermark.time_ns = raw_ns(sender, time_ns);
    for (uint32_t i = 0; i < sender->count; i++)
        intake_event(sender->sources[i].intake, &event, NULL);
}

void sender_notice(struct sender *sender, enum severity severity, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct notice_row row = {
        .text = text_row(sender, text), .process = NONE, .severity = (uint8_t)severity, .status = STATUS_OK};
    session_add_notice(sender->session, &row);
}
