/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a recording into the session. Rows that others refer to by id must be whole and dense, as the
 * recorder writes them, or the file is refused: an id would mean another row. Rows that nothing refers to are
 * skipped one by one.
 */
#include "core/base/array.h"

#include "core/recording/reader/loader_internal.h"
#include "core/session/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- code ---- */

/*
 * The tables of code. Functions and instructions are referred to, so they must be dense and each its own;
 * they are looked at anew when there is news, since instructions get their texts late, and so are samples and
 * counts, which grow.
 */

/* Adds the row to the session. NULL if it is valid, else the column that is not. */
typedef const char *take_code(struct loader *loader, const void *record);

static const char *take_function(struct loader *loader, const void *at)
{
    const struct function_record *record = at;
    return session_add_function(loader->session, &record->row) == record->id ? NULL
                                                                             : "mangled (it is there twice)";
}

static const char *take_instruction(struct loader *loader, const void *at)
{
    const struct instruction_record *record = at;
    if (session_add_instruction(loader->session, record->function, record->pc_offset) != record->id)
        return "pc_offset (it is there twice)";
    session_set_instruction(loader->session, record->id, record->text, record->file, record->line);
    return NULL;
}

static const char *take_source(struct loader *loader, const void *at)
{
    const struct source_record *record = at;
    const char *text = session_string(loader->session, record->row.text);
    if (text[0] == '\0') /* a follower can see the row before its text is written */
        return NULL;
    return record->row.file != 0 &&
                   session_add_source(loader->session, record->row.file, text, SOURCE_BYTES_MAX + 1) != NONE
               ? NULL
               : "text";
}

static const char *take_stall(struct loader *loader, const void *at)
{
    const struct stall_record *record = at;
    struct stall_row row = {.run = record->run,
                            .kernel = record->kernel,
                            .instruction = record->instruction,
                            .reason = record->reason,
                            .period_cycles = record->period_cycles};
    uint32_t stall = session_add_stall(loader->session, &row);
    const struct stall_row *there = session_stall(loader->session, stall);
    if (!there)
        return "reason";
    uint64_t before = atomic_load_explicit(&there->samples, memory_order_relaxed);
    atomic_init(&row.samples, record->samples - before); /* the increase since it was loaded last */
    return record->samples >= before && session_add_stall(loader->session, &row) != NONE ? NULL : "samples";
}

static const char *take_tally(struct loader *loader, const void *at)
{
    const struct tally_record *record = at;
    struct tally_row row = {.run = record->run,
                            .kernel = record->kernel,
                            .instruction = record->instruction,
                            .counter = record->counter};
    const struct tally_row *there = session_tally(loader->session, session_add_tally(loader->session, &row));
    if (!there)
        return "counter";
    uint64_t number = atomic_load_explicit(&there->number, memory_order_relaxed);
    uint32_t launches = atomic_load_explicit(&there->launches, memory_order_relaxed);
    if (record->launches < launches)
        return "launches";
    atomic_init(&row.number, record->number - number);
    atomic_init(&row.launches, record->launches - launches);
    return record->number >= number && session_add_tally(loader->session, &row) != NONE ? NULL : "number";
}

/* Rows of accesses do not change. */
static const char *take_access(struct loader *loader, const void *at)
{
    const struct access_record *record = at;
    return record->id <= loader->last_id[TABLE_ACCESS] ||
                   session_add_access(loader->session, &record->row) != NONE
               ? NULL
               : "addresses";
}

static const char *take_stack(struct loader *loader, const void *at)
{
    const struct stack_record *record = at;
    return session_add_stack(loader->session, &record->row) == record->id ? NULL : "name (it is there twice)";
}

static const char *take_launch_site(struct loader *loader, const void *at)
{
    const struct launch_site_record *record = at;
    struct launch_site_row row = {.run = record->run,
                                  .kernel = record->kernel,
                                  .stack = record->stack,
                                  .kind = record->kind,
                                  .copy_kind = record->copy_kind};
    const struct launch_site_row *there =
        session_launch_site(loader->session, session_add_launch_site(loader->session, &row));
    if (!there)
        return "stack";
    uint64_t launches = atomic_load_explicit(&there->launches, memory_order_relaxed);
    uint64_t total_ns = atomic_load_explicit(&there->total_ns, memory_order_relaxed);
    if (record->launches < launches || record->total_ns < total_ns)
        return "launches";
    atomic_init(&row.launches, record->launches - launches);
    atomic_init(&row.total_ns, record->total_ns - total_ns);
    return session_add_launch_site(loader->session, &row) != NONE ? NULL : "total_ns";
}

/* Rows of events' uses do not change. */
static const char *take_event_use(struct loader *loader, const void *at)
{
    const struct event_use_record *record = at;
    return session_add_event_use(loader->session, &record->row) != NONE ? NULL : "process";
}

static const char *take_graph_node(struct loader *loader, const void *at)
{
    const struct graph_node_record *record = at;
    return session_add_graph_node(loader->session, &record->row) != NONE ? NULL : "process";
}

static const char *take_collective(struct loader *loader, const void *at)
{
    const struct collective_record *record = at;
    return session_add_collective(loader->session, &record->row) != NONE ? NULL : "process";
}

/* dense: rows that others refer to: an invalid one makes the file unusable; other invalid rows are skipped.
 */
static enum status read_rows(struct loader *loader, enum recording_table number, uint32_t *dense,
                             take_code *take, struct error *error)
{
    union {
        struct function_record function;
        struct instruction_record instruction;
        struct stall_record stall;
        struct tally_record tally;
        struct access_record access;
        struct source_record source;
        struct stack_record stack;
        struct launch_site_record launch_site;
        struct event_use_record event_use;
        struct graph_node_record graph_node;
        struct collective_record collective;
    } record;
    const struct record_table *table = recording_table(number);
    sqlite3_stmt *select = loader->select[number];
    enum status status = STATUS_OK;
    if (!select) /* a recording of an earlier release */
        return STATUS_OK;
    const bool only_new =
        number == TABLE_EVENT_USE || number == TABLE_GRAPH_NODE || number == TABLE_COLLECTIVE;
    int result = sqlite3_bind_int64(select, 1, only_new ? loader->last_id[number] : -1);
    for (uint32_t next = 0; status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW; next++) {
        int64_t id = sqlite3_column_int64(select, 0);
        const char *bad = row_read(select, table, &loader->limits, &record);
        if (!bad && dense && id != next)
            bad = "id";
        if (!bad)
            bad = take(loader, &record);
        if (bad && dense)
            status = loader_damaged(loader, table->name, id, bad, error);
        else if (bad && id > loader->last_id[number])
            loader_skip(loader, number, id, bad);
        else if (dense && next == *dense)
            ++*dense;
        if (id > loader->last_id[number])
            loader->last_id[number] = id;
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its code", error);
    sqlite3_reset(select);
    return status;
}

/* The tables of code: functions, instructions, sources, samples, counts. */
static enum status loader_read_code(struct loader *loader, struct error *error)
{
    enum status status =
        read_rows(loader, TABLE_FUNCTION, &loader->limits.rows[REFERS_FUNCTION], take_function, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_INSTRUCTION, &loader->limits.rows[REFERS_INSTRUCTION],
                           take_instruction, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_SOURCE, NULL, take_source, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_STALL, NULL, take_stall, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_TALLY, NULL, take_tally, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_ACCESS, NULL, take_access, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_STACK, &loader->limits.rows[REFERS_STACK], take_stack, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_LAUNCH_SITE, NULL, take_launch_site, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_EVENT_USE, NULL, take_event_use, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_GRAPH_NODE, NULL, take_graph_node, error);
    if (status == STATUS_OK)
        status = read_rows(loader, TABLE_COLLECTIVE, NULL, take_collective, error);
    return status;
}

/* ---- tables ---- */

#define VALUES_MOST 65536 /* of one measurement */

/* Recordings of earlier releases lack some of these. */
static enum status table_exists(struct loader *loader, const char *name, bool *there, struct error *error)
{
    char sql[128];
    int64_t count = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '%s'",
             name);
    enum status status = recording_number(loader->database, loader->path, sql, 0, &count, error);
    *there = count > 0;
    return status;
}

enum status loader_prepare(struct loader *loader, struct error *error)
{
    char sql[2048];
    enum status status = STATUS_OK;
    for (unsigned t = 0; t < TABLE_COUNT && status == STATUS_OK; t++) {
        bool there = true;
        if (t == TABLE_SUMMARY)
            continue; /* for people and other tools; the session has the events themselves */
        if (t == TABLE_STACK || t == TABLE_LAUNCH_SITE || t == TABLE_ACCESS || t == TABLE_EVENT_USE ||
            t == TABLE_GRAPH_NODE || t == TABLE_COLLECTIVE)
            status = table_exists(loader, recording_table(t)->name, &there, error);
        if (!there)
            continue;
        if (!recording_select_sql(recording_table(t), sql, sizeof sql))
            return error_set(error, STATUS_FORMAT,
                             "The table %s has more columns than a SELECT of it has room for.",
                             recording_table(t)->name);
        if (status == STATUS_OK)
            status = recording_prepare(loader->database, loader->path, sql, &loader->select[t], error);
    }
    if (status == STATUS_OK)
        status = recording_prepare(loader->database, loader->path,
                                   "SELECT id, text FROM string NOT INDEXED WHERE id > ? ORDER BY id",
                                   &loader->select_strings, error);
    if (status == STATUS_OK)
        status = recording_prepare(loader->database, loader->path, "SELECT key, value FROM meta",
                                   &loader->select_meta, error);
    if (status == STATUS_OK)
        status = recording_prepare(loader->database, loader->path, "PRAGMA data_version",
                                   &loader->select_version, error);
    return status;
}

/* ---- meta ---- */
static int64_t meta_integer(sqlite3_stmt *row, int64_t least, int64_t most)
{
    if (sqlite3_column_type(row, 1) != SQLITE_INTEGER)
        return INT64_MIN;
    int64_t value = sqlite3_column_int64(row, 1);
    return value >= least && value <= most ? value : INT64_MIN;
}

static void take_meta(struct loader *loader, const char *key, sqlite3_stmt *row)
{
    if (!strcmp(key, "start_ns"))
        loader->start_ns = meta_integer(row, 0, INT64_MAX / 2);
    else if (!strcmp(key, "now_ns"))
        loader->now_ns[CLOCK_WALL] = meta_integer(row, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS);
    else if (!strcmp(key, "model_now_ns"))
        loader->now_ns[CLOCK_MODEL] = meta_integer(row, 0, SESSION_TIME_MAX_NS);
    else if (!strcmp(key, "calls_until_ns"))
        loader->calls_until_ns = meta_integer(row, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS);
    else if (!strcmp(key, "events_from_ns"))
        loader->events_from_ns = meta_integer(row, -SESSION_TIME_MAX_NS, SESSION_TIME_MAX_NS);
    else if (!strcmp(key, "code_left_out"))
        loader->code_left_out = meta_integer(row, 0, 1) == 1;
    else if (!strcmp(key, "finished"))
        loader->finished = meta_integer(row, 0, 1) == 1;
    else if (!strcmp(key, "failed") && sqlite3_column_type(row, 1) == SQLITE_TEXT)
        snprintf(loader->failed, sizeof loader->failed, "%s", (const char *)sqlite3_column_text(row, 1));
    else if (!strcmp(key, "origin") && sqlite3_column_type(row, 1) == SQLITE_TEXT)
        snprintf(loader->origin, sizeof loader->origin, "%s", (const char *)sqlite3_column_text(row, 1));
    else if (!strcmp(key, "counting") && sqlite3_column_type(row, 1) == SQLITE_TEXT)
        snprintf(loader->counting, sizeof loader->counting, "%s", (const char *)sqlite3_column_text(row, 1));
    else if (!strcmp(key, "writer") && sqlite3_column_type(row, 1) == SQLITE_TEXT)
        snprintf(loader->writer, sizeof loader->writer, "%s", (const char *)sqlite3_column_text(row, 1));
}

enum status loader_read_meta(struct loader *loader, struct error *error)
{
    int result;
    bool empty = true;
    while ((result = sqlite3_step(loader->select_meta)) == SQLITE_ROW) {
        empty = false;
        const char *key = (const char *)sqlite3_column_text(loader->select_meta, 0);
        if (key)
            take_meta(loader, key, loader->select_meta);
    }
    enum status status = STATUS_OK;
    if (result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its description", error);
    else if (empty) /* written in one transaction, after the tables */
        status = error_set(
            error, STATUS_FORMAT,
            "%s has no contents: lanescope was killed while creating it, or is creating it just now.",
            loader->path);
    else if (loader->start_ns == INT64_MIN)
        status =
            error_set(error, STATUS_FORMAT, "%s does not say when it started: it is damaged.", loader->path);
    sqlite3_reset(loader->select_meta);
    return status;
}

/* ---- strings ---- */
static enum status take_string(struct loader *loader, sqlite3_stmt *row, struct error *error)
{
    int64_t id = sqlite3_column_int64(row, 0);
    uint32_t next = loader->limits.rows[REFERS_STRING] + 1;
    const char *text =
        sqlite3_column_type(row, 1) == SQLITE_TEXT ? (const char *)sqlite3_column_text(row, 1) : NULL;
    if (id != next || !text || next == NONE)
        return loader_damaged(loader, "string", id, id != next ? "id" : "text", error);
    if (!array_grow(loader->strings, loader->string_room, next, 1))
        return error_no_memory(error, "to load %s", loader->path);
    loader->strings[0] = 0;
    loader->limits.strings = loader->strings;
    loader->strings[next] = session_add_string(loader->session, text, (size_t)sqlite3_column_bytes(row, 1));
    loader->limits.rows[REFERS_STRING] = next;
    return STATUS_OK;
}

static enum status read_strings(struct loader *loader, struct error *error)
{
    sqlite3_stmt *select = loader->select_strings;
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, loader->limits.rows[REFERS_STRING]);
    while (status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW)
        status = take_string(loader, select, error);
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its strings", error);
    sqlite3_reset(select);
    return status;
}

/* ---- rows that others refer to: `take` gives the row's index in the session, which must be its id ---- */
typedef uint32_t take_row(struct loader *loader, const void *record, bool known);

static uint32_t take_process(struct loader *loader, const void *at, bool known)
{
    const struct process_record *record = at;
    struct session *session = loader->session;
    uint32_t process = record->id;
    if (!known) {
        struct process_row row;
        memcpy(&row, &record->row,
               sizeof row); /* no other thread has this row: its atomic fields are used as plain ones */
        atomic_init(&row.command, record->command);
        atomic_init(&row.end_ns, INT64_MIN);
        atomic_init(&row.exit_status, -1);
        process = session_add_process(session, &row);
    }
    const struct process_row *now = session_process(session, process);
    if (now && record->command != atomic_load(&now->command))
        session_set_process_command(session, process, record->command);
    if (now && (record->end_ns != atomic_load(&now->end_ns) ||
                record->exit_status != atomic_load(&now->exit_status)))
        session_end_process(session, process, record->end_ns, record->exit_status);
    return process;
}

static uint32_t take_device(struct loader *loader, const void *at, bool known)
{
    (void)known;
    return session_add_device(loader->session, &((const struct device_record *)at)->row);
}

static uint32_t take_run(struct loader *loader, const void *at, bool known)
{
    const struct run_record *record = at;
    struct session *session = loader->session;
    uint32_t run = record->id;
    if (!known) {
        struct run_row row;
        memcpy(&row, &record->row, sizeof row);
        atomic_init(&row.end_ns, INT64_MIN);
        atomic_init(&row.verified, -1);
        atomic_init(&row.detail, 0);
        run = session_add_run(session, &row);
    }
    const struct run_row *now = session_run(session, run);
    if (now &&
        (record->end_ns != atomic_load(&now->end_ns) || record->verified != atomic_load(&now->verified) ||
         record->detail != atomic_load(&now->detail)))
        session_end_run(session, run, record->end_ns, record->verified, record->detail);
    return run;
}

static uint32_t take_shape(struct loader *loader, const void *at, bool known)
{
    (void)known;
    return session_add_shape(loader->session, &((const struct shape_record *)at)->row);
}

static uint32_t take_kernel(struct loader *loader, const void *at, bool known)
{
    const struct kernel_record *record = at;
    uint32_t kernel =
        known ? record->id : session_add_kernel(loader->session, record->run, record->shape, record->device);
    session_set_kernel_sums(loader->session, kernel, record->launches, record->total_ns, record->min_ns,
                            record->max_ns);
    return kernel;
}

static uint32_t take_track(struct loader *loader, const void *at, bool known)
{
    (void)known;
    return session_add_track(loader->session, &((const struct track_record *)at)->row);
}

/* from_start: reads the known rows again, since they may have changed. */
static enum status read_dense(struct loader *loader, enum recording_table number,
                              enum column_reference reference, bool from_start, take_row *take,
                              struct error *error)
{
    union {
        struct process_record process;
        struct device_record device;
        struct run_record run;
        struct shape_record shape;
        struct kernel_record kernel;
        struct track_record track;
    } record;
    const struct record_table *table = recording_table(number);
    sqlite3_stmt *select = loader->select[number];
    int64_t expected_id = from_start ? 0 : loader->limits.rows[reference];
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, expected_id - 1);
    while (status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(select, 0);
        const char *bad = row_read(select, table, &loader->limits, &record);
        if (!bad && id != expected_id)
            bad = "id";
        bool known = expected_id < loader->limits.rows[reference];
        if (!bad && take(loader, &record, known) != (uint32_t)id)
            bad = "id (the row is there twice)"; /* or memory ran out; loader.c checks that */
        if (bad)
            status = loader_damaged(loader, table->name, id, bad, error);
        else if (!known)
            loader->limits.rows[reference]++;
        expected_id++;
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its tables", error);
    sqlite3_reset(select);
    return status;
}

/* ---- measurements ---- */
static enum status read_values(struct loader *loader, const struct measurement_record *measurement,
                               struct value_row *values, uint32_t *count, struct error *error)
{
    struct value_record record;
    sqlite3_stmt *select = loader->select[TABLE_VALUE];
    int64_t first = measurement->row.first_value, end = first + measurement->row.values;
    int result = sqlite3_bind_int64(select, 1, first - 1);
    enum status status = STATUS_OK;
    *count = 0;
    for (int64_t id = first; id < end && result == SQLITE_OK; id++) {
        if ((result = sqlite3_step(select)) != SQLITE_ROW)
            break;
        result = SQLITE_OK;
        const char *bad = row_read(select, recording_table(TABLE_VALUE), &loader->limits, &record);
        if (!bad && (record.id != id || record.measurement != measurement->id))
            bad = "measurement";
        if (bad)
            loader_skip(loader, TABLE_VALUE, id, bad);
        else
            values[(*count)++] = record.row;
    }
    if (result != SQLITE_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading the values of counters", error);
    sqlite3_reset(select);
    return status;
}

static enum status take_measurement(struct loader *loader, const struct measurement_record *record,
                                    struct error *error)
{
    if (record->row.values > VALUES_MOST)
        return loader_damaged(loader, "measurement", record->id, "value_count", error);
    /* Every measurement has its own values, one after the other: rows shared by many would be read again and
     * again. */
    if (record->row.values > 0 && record->row.first_value < loader->values_end)
        return loader_damaged(loader, "measurement", record->id, "first_value", error);
    if (record->row.values > 0)
        loader->values_end = (int64_t)record->row.first_value + record->row.values;
    uint32_t count = 0;
    struct value_row *values = malloc((record->row.values + 1) * sizeof *values);
    if (!values)
        return error_no_memory(error, "to load %s", loader->path);
    /* From now on its values may refer to this measurement. */
    loader->limits.rows[REFERS_MEASUREMENT]++;
    enum status status = read_values(loader, record, values, &count, error);
    struct measurement_row row = record->row;
    row.values = count;
    if (status == STATUS_OK && session_add_measurement(loader->session, &row, values) != record->id)
        status = error_no_memory(error, "to load %s", loader->path);
    free(values);
    return status;
}

static enum status read_measurements(struct loader *loader, struct error *error)
{
    struct measurement_record record;
    sqlite3_stmt *select = loader->select[TABLE_MEASUREMENT];
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, (int64_t)loader->limits.rows[REFERS_MEASUREMENT] - 1);
    while (status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(select, 0);
        const char *bad = row_read(select, recording_table(TABLE_MEASUREMENT), &loader->limits, &record);
        if (!bad && id != loader->limits.rows[REFERS_MEASUREMENT])
            bad = "id";
        status = bad ? loader_damaged(loader, "measurement", id, bad, error)
                     : take_measurement(loader, &record, error);
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its measurements", error);
    sqlite3_reset(select);
    return status;
}

/* ---- rows that nothing refers to ---- */
static void take_expected(struct loader *loader, const void *record)
{
    session_add_expected(loader->session, &((const struct expected_record *)record)->row);
}

static void take_notice(struct loader *loader, const void *record)
{
    session_add_notice(loader->session, &((const struct notice_record *)record)->row);
}

static void take_drop(struct loader *loader, const void *record)
{
    session_add_drop(loader->session, &((const struct drop_record *)record)->row);
}

static void take_bookmark(struct loader *loader, const void *record)
{
    session_add_bookmark(loader->session, &((const struct bookmark_record *)record)->row);
}

static enum status read_sparse(struct loader *loader, enum recording_table number,
                               void (*take)(struct loader *, const void *), struct error *error)
{
    union {
        struct expected_record expected;
        struct notice_record notice;
        struct drop_record drop;
        struct bookmark_record bookmark;
    } record;
    const struct record_table *table = recording_table(number);
    sqlite3_stmt *select = loader->select[number];
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, loader->last_id[number]);
    while (status == STATUS_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(select, 0);
        if (id <= loader->last_id[number]) {
            status = loader_damaged(loader, table->name, id, "id", error);
            break;
        }
        loader->last_id[number] = id;
        const char *bad = row_read(select, table, &loader->limits, &record);
        if (bad)
            loader_skip(loader, number, id, bad);
        else
            take(loader, &record);
    }
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(loader->database, loader->path, "reading its tables", error);
    sqlite3_reset(select);
    return status;
}

/* ---- launches still open ---- */
static void set_open_launches(struct loader *loader, const struct open_launch *rows, size_t count)
{
    struct open_launch own[SESSION_OPEN_LAUNCHES_MAX];
    for (uint32_t process = 0; process < loader->limits.rows[REFERS_PROCESS]; process++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            if (rows[i].process == process)
                own[found++] = rows[i];
        session_set_open_launches(loader->session, process, own, found);
    }
}

static enum status read_open_launches(struct loader *loader, struct error *error)
{
    struct open_launch_record record;
    struct open_launch rows[SESSION_OPEN_LAUNCHES_MAX];
    size_t count = 0;
    sqlite3_stmt *select = loader->select[TABLE_OPEN_LAUNCH];
    enum status status = STATUS_OK;
    int result = sqlite3_bind_int64(select, 1, -1);
    while ((result = sqlite3_step(select)) == SQLITE_ROW && count < SESSION_OPEN_LAUNCHES_MAX) {
        const char *bad = row_read(select, recording_table(TABLE_OPEN_LAUNCH), &loader->limits, &record);
        if (bad)
            loader_skip(loader, TABLE_OPEN_LAUNCH, sqlite3_column_int64(select, 0), bad);
        else
            rows[count++] = record.row;
    }
    if (result != SQLITE_DONE && result != SQLITE_ROW)
        status = recording_error(loader->database, loader->path, "reading its open launches", error);
    sqlite3_reset(select);
    if (status == STATUS_OK && (count > 0 || session_open_launches(loader->session, rows, 1) > 0))
        set_open_launches(loader, rows, count);
    return status;
}

enum status loader_read_tables(struct loader *loader, struct error *error)
{
    enum status status = read_strings(loader, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_PROCESS, REFERS_PROCESS, true, take_process, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_DEVICE, REFERS_DEVICE, false, take_device, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_RUN, REFERS_RUN, true, take_run, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_SHAPE, REFERS_SHAPE, false, take_shape, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_KERNEL, REFERS_KERNEL, true, take_kernel, error);
    if (status == STATUS_OK)
        status = read_dense(loader, TABLE_TRACK, REFERS_TRACK, false, take_track, error);
    if (status == STATUS_OK)
        status = read_measurements(loader, error);
    if (status == STATUS_OK)
        status = loader_read_series(loader, error);
    if (status == STATUS_OK)
        status = read_sparse(loader, TABLE_EXPECTED, take_expected, error);
    if (status == STATUS_OK)
        status = read_sparse(loader, TABLE_NOTICE, take_notice, error);
    if (status == STATUS_OK)
        status = read_sparse(loader, TABLE_DROP, take_drop, error);
    if (status == STATUS_OK)
        status = read_sparse(loader, TABLE_BOOKMARK, take_bookmark, error);
    if (status == STATUS_OK)
        status = loader_read_code(loader, error);
    if (status == STATUS_OK)
        status = read_open_launches(loader, error);
    return status;
}
