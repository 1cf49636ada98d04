/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's side of strings and tables. Rows are only ever added, and published when they are whole; those
 * that are found by content again (strings, shapes, kernels, tracks) have a hash table beside them, which
 * only the writer reads.
 */
#include "core/session/session_internal.h"

#include "core/session/code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING_BLOCK_BYTES 65536u /* of a block, except for longer strings; the first blocks are smaller */
#define STRING_BLOCK_FIRST 2048u

/* ---- finding rows by content ---- */
bool session_reserve(struct session *session, struct lookup *lookup)
{
    uint32_t before = lookup->capacity;
    if (!lookup_reserve(lookup)) {
        counter_add(&session->no_memory, 1);
        return false;
    }
    atomic_fetch_add_explicit(&session->memory_bytes,
                              (size_t)(lookup->capacity - before) * sizeof(struct lookup_slot),
                              memory_order_relaxed);
    return true;
}

void *session_row_next(struct session *session, struct table *table)
{
    void *row = table_next(table, &session->memory_bytes);
    if (!row)
        counter_add(&session->no_memory, 1);
    return row;
}

uint32_t session_row_add(struct session *session, struct table *table, const void *row)
{
    void *next = session_row_next(session, table);
    if (!next)
        return NONE;
    memcpy(next, row, table->row_bytes);
    return table_publish(table);
}

/* ---- strings ---- */
struct string_key {
    const char *text;
    size_t size_bytes;
};

static bool string_equal(const void *context, uint32_t row, const void *key)
{
    const struct string_row *string = table_at(&((const struct session *)context)->strings, row);
    const struct string_key *wanted = key;
    return string->size_bytes == wanted->size_bytes &&
           memcmp(string->text, wanted->text, wanted->size_bytes) == 0;
}

/* Makes a terminated copy that never moves. */
static const char *text_keep(struct session *session, const char *text, size_t size_bytes)
{
    struct string_block *block = session->string_blocks;
    if (!block || block->size_bytes - block->used <= size_bytes) {
        size_t room = !block ? STRING_BLOCK_FIRST : 2 * block->size_bytes;
        room = room < STRING_BLOCK_BYTES ? room : STRING_BLOCK_BYTES;
        room = room > size_bytes ? room : size_bytes + 1;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct string_block){.next = session->string_blocks, .size_bytes = room};
        session->string_blocks = block;
        session_count_text(session, (int64_t)(sizeof *block + room));
    }
    char *copy = block->text + block->used;
    memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    block->used += size_bytes + 1;
    return copy;
}

/* A path from the root begins here: at the text's begin, or behind a character that is no part of a path. */
static bool begins_path(const char *text, size_t at)
{
    const char before = at == 0 ? ' ' : text[at - 1];
    const char after = text[at + 1];
    return text[at] == '/' &&
           (before == '~' || !(isalnum((unsigned char)before) || strchr("._-+/)]>*", before))) &&
           (isalnum((unsigned char)after) || after == '.' || after == '_');
}

/* Copies the text without the folders of the paths in it; returns the copy's length. room for the whole text. */
static size_t leave_paths_out(const char *text, size_t size_bytes, char *copy)
{
    size_t size = 0;
    for (size_t at = 0; at < size_bytes; at++) {
        size_t end = at, last = at;
        if (at + 1 < size_bytes && begins_path(text, at))
            for (; end < size_bytes && !strchr(" \t\n\"'`:;,()<>{}|=", text[end]); end++)
                last = text[end] == '/' && end + 1 < size_bytes ? end + 1 : last;
        at = last;
        if (at < size_bytes)
            copy[size++] = text[at];
    }
    return size;
}

static uint32_t text_add(struct session *session, const char *text, size_t size_bytes, bool code)
{
    struct string_key key = {.text = text, .size_bytes = size_bytes};
    uint32_t hash = lookup_hash(session->seed, text, key.size_bytes);
    uint32_t found = lookup_find(&session->string_lookup, hash, string_equal, session, &key);
    if (found != LOOKUP_NONE)
        return found;
    struct string_row *row = session_reserve(session, &session->string_lookup)
                                 ? session_row_next(session, &session->strings)
                                 : NULL;
    if (!row)
        return 0;
    row->text = text_keep(session, text, key.size_bytes);
    if (!row->text) {
        counter_add(&session->no_memory, 1);
        return 0;
    }
    row->size_bytes = (uint32_t)key.size_bytes;
    row->code = code;
    uint32_t string = table_publish(&session->strings);
    lookup_add(&session->string_lookup, hash, string);
    return string;
}

static uint32_t string_add(struct session *session, const char *text, size_t size_bytes, bool code)
{
    const size_t size = !text ? 0 : strnlen(text, size_bytes);
    char *copy = NULL;
    if (size == 0)
        return 0;
    if (size >= UINT32_MAX || (session->anonymous && !(copy = malloc(size)))) {
        counter_add(&session->no_memory, 1);
        return 0;
    }
    const uint32_t added = copy ? text_add(session, copy, leave_paths_out(text, size, copy), code)
                                : text_add(session, text, size, code);
    free(copy);
    return added;
}

uint32_t session_add_string(struct session *session, const char *text, size_t size_bytes)
{
    return string_add(session, text, size_bytes, false);
}

uint32_t session_add_code_text(struct session *session, const char *text, size_t size_bytes)
{
    return string_add(session, text, size_bytes, true);
}

uint32_t session_find_string(const struct session *session, const char *text)
{
    struct string_key key = {.text = text, .size_bytes = strlen(text)};
    uint32_t hash = lookup_hash(session->seed, text, key.size_bytes);
    uint32_t found = lookup_find(&session->string_lookup, hash, string_equal, session, &key);
    return found == LOOKUP_NONE ? 0 : found;
}

/* ---- rows ---- */
void session_set_origin(struct session *session, const char *text, const char *counting)
{
    session->counting = session_add_string(session, counting, strlen(counting));
    session->origin = session_add_string(session, text, strlen(text));
}

uint32_t session_add_process(struct session *session, const struct process_row *row)
{
    return session_row_add(session, &session->process_rows, row);
}

static void change_uuid(const struct session *session, struct device_info *info)
{
    static const uint8_t none[sizeof info->uuid];
    if (memcmp(info->uuid, none, sizeof none) == 0)
        return;
    uint32_t words[sizeof none / sizeof(uint32_t)];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = lookup_hash(session->salt + i, info->uuid, sizeof none);
    memcpy(info->uuid, words, sizeof none);
}

uint32_t session_add_device(struct session *session, const struct device_row *row)
{
    struct device_row own = *row;
    if (session->anonymous)
        change_uuid(session, &own.info);
    return session_row_add(session, &session->device_rows, &own);
}

/* ---- without names of the machine ---- */
static void change_text(struct session *session, uint32_t string, const char *text, size_t size_bytes)
{
    struct string_row *row = table_at(&session->strings, string);
    const char *kept = string == 0 ? NULL : text_keep(session, text, size_bytes);
    row->text = kept ? kept : "";
    row->size_bytes = kept ? (uint32_t)size_bytes : 0;
}

/* A number that only this machine has, and only until it starts again. */
static uint64_t salt_of_machine(const struct session *session)
{
    char id[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    const bool known = file && fgets(id, sizeof id, file);
    if (file)
        fclose(file);
    return known ? (uint64_t)lookup_hash(1, id, sizeof id) << 32 | lookup_hash(2, id, sizeof id)
                 : session->seed;
}

#define HOST_STAND_IN_BYTES 16
static size_t host_stand_in(const struct session *session, const char *host, char text[HOST_STAND_IN_BYTES])
{
    return (size_t)snprintf(text, HOST_STAND_IN_BYTES, "host-%08x",
                            lookup_hash(session->salt, host, strlen(host)));
}

uint32_t session_add_host(struct session *session, const char *host)
{
    char text[HOST_STAND_IN_BYTES];
    if (!session->anonymous || !*host)
        return session_add_string(session, host, strlen(host));
    return session_add_string(session, text, host_stand_in(session, host, text));
}

static void forget_process(struct session *session, struct process_row *row)
{
    const uint32_t command = atomic_load_explicit(&row->command, memory_order_relaxed);
    if (command != row->program)
        change_text(session, command, "", 0);
    atomic_store_explicit(&row->command, 0, memory_order_relaxed);
}

/* Processes of one host have one string, which is changed once. */
static void forget_host(struct session *session, uint32_t process)
{
    const uint32_t host = ((const struct process_row *)table_at(&session->process_rows, process))->host;
    char text[HOST_STAND_IN_BYTES];
    for (uint32_t i = 0; i < process; i++)
        if (((const struct process_row *)table_at(&session->process_rows, i))->host == host)
            return;
    if (host != 0)
        change_text(session, host, text, host_stand_in(session, session_string(session, host), text));
}

void session_make_anonymous(struct session *session)
{
    session->anonymous = true;
    session->salt = salt_of_machine(session);
    for (uint32_t i = 0; i < table_count(&session->process_rows); i++) {
        forget_host(session, i);
        forget_process(session, table_at(&session->process_rows, i));
    }
    for (uint32_t i = 0; i < table_count(&session->device_rows); i++)
        change_uuid(session, &((struct device_row *)table_at(&session->device_rows, i))->info);
    for (uint32_t i = 0; i < table_count(&session->source_rows); i++)
        change_text(session, ((struct source_row *)table_at(&session->source_rows, i))->text, "", 0);
    for (uint32_t i = 1; i < table_count(&session->strings); i++) {
        const struct string_row *row = table_at(&session->strings, i);
        char *copy = memchr(row->text, '/', row->size_bytes) ? malloc(row->size_bytes) : NULL;
        if (copy)
            change_text(session, i, copy, leave_paths_out(row->text, row->size_bytes, copy));
        free(copy);
    }
}

bool session_is_anonymous(const struct session *session)
{
    return session->anonymous;
}

static bool group_equal(const void *context, uint32_t row, const void *key)
{
    const struct run_row *run = table_at(&((const struct session *)context)->run_rows, row);
    return run->group == *(const uint32_t *)key;
}

uint32_t session_add_run(struct session *session, const struct run_row *row)
{
    struct run_row own = *row;
    uint32_t hash = lookup_hash(session->seed, &own.group, sizeof own.group);
    uint32_t first = lookup_find(&session->group_lookup, hash, group_equal, session, &own.group);

    own.first_launch_ns = INT64_MAX;
    own.last_launch_ns = INT64_MIN;
    own.first_of_group = first != LOOKUP_NONE ? first : table_count(&session->run_rows);
    own.next_of_group = own.last_of_group = 0;
    if (first == LOOKUP_NONE && !session_reserve(session, &session->group_lookup))
        return NONE;
    uint32_t added = session_row_add(session, &session->run_rows, &own);
    if (added == NONE)
        return NONE;
    struct run_row *leader = table_at(&session->run_rows, own.first_of_group);
    if (first == LOOKUP_NONE)
        lookup_add(&session->group_lookup, hash, added);
    else {
        struct run_row *last = table_at(&session->run_rows, leader->last_of_group);
        atomic_store_explicit(&last->next_of_group, added + 1, memory_order_release);
    }
    leader->last_of_group = added;
    return added;
}

uint32_t session_add_expected(struct session *session, const struct expected_row *row)
{
    struct run_row *run = NULL;
    struct expected_row own = *row;

    if (row->run < table_count(&session->run_rows)) {
        run = table_at(&session->run_rows, row->run);
        own.before = atomic_load_explicit(&run->expected, memory_order_relaxed);
    }
    uint32_t added = session_row_add(session, &session->expected_rows, &own);
    if (run && added != NONE)
        atomic_store_explicit(&run->expected, added + 1, memory_order_release);
    return added;
}

uint32_t session_add_notice(struct session *session, const struct notice_row *row)
{
    return session_row_add(session, &session->notice_rows, row);
}

uint32_t session_add_bookmark(struct session *session, const struct bookmark_row *row)
{
    return session_row_add(session, &session->bookmark_rows, row);
}

uint32_t session_add_collective(struct session *session, const struct collective_row *row)
{
    return session_row_add(session, &session->collective_rows, row);
}

uint32_t session_add_event_use(struct session *session, const struct event_use_row *row)
{
    return row->process < session_process_count(session) && row->use < EVENT_USE_COUNT
               ? session_row_add(session, &session->event_use_rows, row)
               : NONE;
}

uint32_t session_add_graph_node(struct session *session, const struct graph_node_row *row)
{
    return row->process < session_process_count(session)
               ? session_row_add(session, &session->graph_node_rows, row)
               : NONE;
}

uint32_t session_add_drop(struct session *session, const struct drop_row *row)
{
    uint32_t added = session_row_add(session, &session->drop_rows, row);
    if (added != NONE) {
        counter_add(&session->dropped, row->count);
        counter_add(&session->told, row->reason == DROP_NO_ROOM ? row->count : 0);
    }
    return added;
}

_Static_assert(sizeof(struct shape_row) == 52, "shapes are compared as bytes: no padding");

static bool shape_equal(const void *context, uint32_t row, const void *key)
{
    return memcmp(table_at(&((const struct session *)context)->shape_rows, row), key,
                  sizeof(struct shape_row)) == 0;
}

uint32_t session_add_shape(struct session *session, const struct shape_row *row)
{
    uint32_t hash = lookup_hash(session->seed, row, sizeof *row);
    uint32_t shape = lookup_find(&session->shape_lookup, hash, shape_equal, session, row);
    if (shape == LOOKUP_NONE && session_reserve(session, &session->shape_lookup)) {
        shape = session_row_add(session, &session->shape_rows, row);
        if (shape != NONE)
            lookup_add(&session->shape_lookup, hash, shape);
    }
    return shape;
}

struct kernel_key {
    uint32_t run, shape, device;
};

static bool kernel_equal(const void *context, uint32_t row, const void *key)
{
    const struct kernel_row *kernel = table_at(&((const struct session *)context)->kernel_rows, row);
    const struct kernel_key *wanted = key;
    return kernel->run == wanted->run && kernel->shape == wanted->shape && kernel->device == wanted->device;
}

uint32_t session_add_kernel(struct session *session, uint32_t run, uint32_t shape, uint32_t device)
{
    struct kernel_key key = {.run = run, .shape = shape, .device = device};
    uint32_t hash = lookup_hash(session->seed, &key, sizeof key);
    uint32_t kernel = lookup_find(&session->kernel_lookup, hash, kernel_equal, session, &key);
    if (kernel == LOOKUP_NONE && session_reserve(session, &session->kernel_lookup)) {
        struct kernel_row row = {.run = run, .shape = shape, .device = device};
        kernel = session_row_add(session, &session->kernel_rows, &row);
        if (kernel != NONE)
            lookup_add(&session->kernel_lookup, hash, kernel);
    }
    return kernel;
}

struct track_key {
    uint32_t kind, process, device, context, stream, thread, copy_kind;
};

static struct track_key track_key_of(const struct track_row *row)
{
    return (struct track_key){.kind = row->kind,
                              .process = row->process,
                              .device = row->device,
                              .context = row->context,
                              .stream = row->stream,
                              .thread = row->thread,
                              .copy_kind = row->copy_kind};
}

static bool track_equal(const void *context, uint32_t row, const void *key)
{
    struct track_key there = track_key_of(table_at(&((const struct session *)context)->track_rows, row));
    return memcmp(&there, key, sizeof there) == 0;
}

uint32_t session_add_track(struct session *session, const struct track_row *row)
{
    struct track_key key = track_key_of(row);
    uint32_t hash = lookup_hash(session->seed, &key, sizeof key);
    uint32_t track = lookup_find(&session->track_lookup, hash, track_equal, session, &key);
    if (track == LOOKUP_NONE && session_reserve(session, &session->track_lookup)) {
        struct track *next = session_row_next(session, &session->track_rows);
        if (!next)
            return NONE;
        track_init(next, row, &session->pool);
        track = table_publish(&session->track_rows);
        lookup_add(&session->track_lookup, hash, track);
    }
    return track;
}

uint32_t session_add_measurement(struct session *session, const struct measurement_row *row,
                                 const struct value_row *values)
{
    struct measurement_row own = *row;
    own.first_value = table_count(&session->value_rows);
    for (own.values = 0; own.values < row->values; own.values++)
        if (session_row_add(session, &session->value_rows, &values[own.values]) == NONE)
            break; /* session_row_add counts it; the measurement keeps the values so far */
    uint32_t measurement = session_row_add(session, &session->measurement_rows, &own);
    if (measurement != NONE && own.kernel < table_count(&session->kernel_rows)) {
        struct kernel_row *kernel = table_at(&session->kernel_rows, own.kernel);
        counter_add(&kernel->measured_launches, 1);
    }
    return measurement;
}

void session_end_process(struct session *session, uint32_t process, int64_t end_ns, int32_t exit_status)
{
    if (process < table_count(&session->process_rows)) {
        struct process_row *row = table_at(&session->process_rows, process);
        atomic_store_explicit(&row->exit_status, exit_status, memory_order_relaxed);
        atomic_store_explicit(&row->end_ns, end_ns, memory_order_release);
    }
}

void session_set_process_command(struct session *session, uint32_t process, uint32_t command)
{
    if (process < table_count(&session->process_rows)) {
        struct process_row *row = table_at(&session->process_rows, process);
        atomic_store_explicit(&row->command, command, memory_order_release);
    }
}

void session_end_run(struct session *session, uint32_t run, int64_t end_ns, int8_t verified, uint32_t detail)
{
    if (run < table_count(&session->run_rows)) {
        struct run_row *row = table_at(&session->run_rows, run);
        atomic_store_explicit(&row->detail, detail, memory_order_relaxed);
        atomic_store_explicit(&row->verified, verified, memory_order_relaxed);
        atomic_store_explicit(&row->end_ns, end_ns, memory_order_release);
    }
}

/* ---- time ---- */
void session_see(struct session *session, enum clock_kind clock, int64_t start_ns, int64_t end_ns)
{
    _Atomic int64_t *first_ns = &session->first_ns[clock];
    if (start_ns < atomic_load_explicit(first_ns, memory_order_relaxed))
        atomic_store_explicit(first_ns, start_ns, memory_order_relaxed);
    session_set_now(session, clock, end_ns);
}

void session_set_now(struct session *session, enum clock_kind clock, int64_t now_ns)
{
    if (now_ns > atomic_load_explicit(&session->now_ns[clock], memory_order_relaxed))
        atomic_store_explicit(&session->now_ns[clock], now_ns, memory_order_relaxed);
}
