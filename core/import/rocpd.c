/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Databases of AMD's profilers: rocpd, which rocprofv3 and rocprofiler-systems write (schema 3 and 4), and that of
 * rocmProfileData (schema 2). In rocpd a table's name ends in the process's UUID, and a plain view of the first part
 * of the name joins the tables of all processes in the file: those views are what is read, with the guid in each join.
 * Schema 4 has process, thread, agent, queue and stream of an event in rocpd_track, and 4.0 has its times in
 * rocpd_timestamp.
 *
 * Every kind of event is a statement whose rows have the same columns, in the order of start; a step takes the earliest
 * row of all. A view is text of the file's, so the work of a statement has a limit.
 */
#include "core/import/sender.h"

#include "core/base/append.h"
#include "core/base/database.h"
#include "core/base/idmap.h"
#include "core/base/lookup.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST_TEXT (16 << 20)
#define SQL_BYTES 4096u
/* Instructions of SQLite's machine: for any file, and for each byte of it. */
#define WORK_LEAST UINT64_C(20000000)
#define WORK_OF_BYTE 200u
#define WORK_BETWEEN 1000000 /* two looks at it */

/* The columns of every statement. */
enum {
    ROW_START,
    ROW_END,
    ROW_PID,
    ROW_TID,
    ROW_CORRELATION,
    ROW_GUID,
    ROW_NAME,
    ROW_DEVICE,
    ROW_QUEUE,
    ROW_STREAM,
    ROW_BYTES,
    ROW_CATEGORY,
    ROW_GRID,
    ROW_GROUP = ROW_GRID + 3,
    ROW_SHARED = ROW_GROUP + 3,
    ROW_REGISTERS
};

struct rocpd;
enum { CURSOR_REGIONS, CURSOR_KERNELS, CURSOR_COPIES, CURSORS };

struct rocpd {
    struct sender *sender;
    sqlite3 *database;
    char *path;
    struct cursor {
        sqlite3_stmt *select; /* NULL: the file has none of the kind */
        int64_t next_ns;      /* INT64_MAX: at its end */
        void (*take)(struct rocpd *rocpd, sqlite3_stmt *row);
    } cursors[CURSORS];
    int64_t base_ns, last_ns;
    uint64_t taken, expected, skipped;
    uint64_t work_left;
};

/* ---- the statements ---- */
/* clang-format off */
#define WHO "LEFT JOIN rocpd_info_process P ON P.id = %w.pid AND P.guid = D.guid " \
            "LEFT JOIN rocpd_info_thread H ON H.id = %w.tid AND H.guid = D.guid " \
            "LEFT JOIN rocpd_event E ON E.id = D.event_id AND E.guid = D.guid "
#define ID "coalesce(nullif(E.stack_id, 0), E.correlation_id), D.guid, "
#define GPU_OF(agent) "CASE " agent ".type WHEN 'GPU' THEN " agent ".type_index END"

/* %s: the start, %e: the end, %w: the table that has process, agent, queue and stream, %j: how that is joined. */
static const char *const kernels_sql =
    "SELECT %s, %e, P.pid, H.tid, " ID "coalesce(S.display_name, S.kernel_name), A.type_index, %w.queue_id, %w.stream_id, 0, 'kernel', "
    "D.grid_size_x / max(D.workgroup_size_x, 1), D.grid_size_y / max(D.workgroup_size_y, 1), D.grid_size_z / max(D.workgroup_size_z, 1), "
    "D.workgroup_size_x, D.workgroup_size_y, D.workgroup_size_z, D.group_segment_size, S.arch_vgpr_count "
    "FROM rocpd_kernel_dispatch D %j" WHO
    "LEFT JOIN rocpd_info_agent A ON A.id = %w.agent_id AND A.guid = D.guid "
    "LEFT JOIN rocpd_info_kernel_symbol S ON S.id = D.kernel_id AND S.guid = D.guid ORDER BY 1";
static const char *const copies_sql =
    "SELECT %s, %e, P.pid, H.tid, " ID "N.string, coalesce(" GPU_OF("T") ", " GPU_OF("F") ", 0), %w.queue_id, %w.stream_id, D.size, "
    "coalesce(F.type, '') || coalesce(T.type, '') "
    "FROM rocpd_memory_copy D %j" WHO
    "LEFT JOIN rocpd_info_agent T ON T.id = D.dst_agent_id AND T.guid = D.guid "
    "LEFT JOIN rocpd_info_agent F ON F.id = D.src_agent_id AND F.guid = D.guid "
    "LEFT JOIN rocpd_string N ON N.id = D.name_id AND N.guid = D.guid ORDER BY 1";
static const char *const regions_sql =
    "SELECT %s, %e, P.pid, H.tid, " ID
    "coalesce(CASE WHEN C.string LIKE 'MARKER%%' AND json_valid(E.extdata) THEN nullif(json_extract(E.extdata, '$.message'), '') END, N.string), "
    "0, 0, 0, 0, C.string "
    "FROM rocpd_region D %j" WHO
    "LEFT JOIN rocpd_string N ON N.id = D.name_id AND N.guid = D.guid "
    "LEFT JOIN rocpd_string C ON C.id = E.category_id AND C.guid = D.guid ORDER BY 1";

/* rocmProfileData, which has one process's calls and all its operations in one table. */
#define OPERATIONS(kind) \
    "SELECT O.start, O.end, coalesce(C.pid, (SELECT min(pid) FROM rocpd_api)), C.tid, C.id, '', " \
    "coalesce(nullif(N.string, ''), M.string, Y.string), O.gpuId, O.queueId, O.queueId, coalesce(B.size, 0), Y.string, " \
    "K.gridX, K.gridY, K.gridZ, K.workgroupX, K.workgroupY, K.workgroupZ, K.groupSegmentSize, 0 " \
    "FROM rocpd_op O LEFT JOIN rocpd_string N ON N.id = O.description_id LEFT JOIN rocpd_string Y ON Y.id = O.opType_id " \
    "LEFT JOIN rocpd_api_ops X ON X.op_id = O.id LEFT JOIN rocpd_api C ON C.id = X.api_id " \
    "LEFT JOIN rocpd_kernelapi K ON K.api_ptr_id = C.id LEFT JOIN rocpd_string M ON M.id = K.kernelName_id " \
    "LEFT JOIN rocpd_copyapi B ON B.api_ptr_id = C.id WHERE Y.string " kind " LIKE '%%Copy%%' GROUP BY O.id ORDER BY 1"
static const char *const data_kernels_sql = OPERATIONS("NOT"), *const data_copies_sql = OPERATIONS("");
static const char *const data_regions_sql =
    "SELECT C.start, C.end, C.pid, C.tid, C.id, '', CASE N.string WHEN 'UserMarker' THEN coalesce(nullif(A.string, ''), N.string) ELSE N.string END, "
    "0, 0, 0, 0, CASE WHEN N.string LIKE 'hip%%' THEN 'HIP' WHEN N.string LIKE 'hsa%%' THEN 'HSA' ELSE '' END "
    "FROM rocpd_api C LEFT JOIN rocpd_string N ON N.id = C.apiName_id LEFT JOIN rocpd_string A ON A.id = C.args_id ORDER BY 1";
/* clang-format on */

/* Is there such a column in a table or view? */
static bool has_column(sqlite3 *database, const char *table, const char *column)
{
    char sql[128];
    sqlite3_stmt *row = NULL;
    snprintf(sql, sizeof sql, "SELECT [%s] FROM [%s] LIMIT 0", column, table);
    const bool there = sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK;
    sqlite3_finalize(row);
    return there;
}

/* The statement with the places of this file's schema filled in. */
static sqlite3_stmt *prepare_rows(sqlite3 *database, const char *table, const char *sql)
{
    static const char of_time[] =
        "(SELECT value FROM rocpd_timestamp X WHERE X.id = D.%s_id AND X.guid = D.guid)";
    const bool has_track = !has_column(database, table, "pid"),
               has_times = has_column(database, table, "start");
    char text[SQL_BYTES], start[128] = "D.start", end[128] = "D.end";
    size_t length = 0;
    sqlite3_stmt *select = NULL;
    if (!has_times) {
        snprintf(start, sizeof start, of_time, "start");
        snprintf(end, sizeof end, of_time, "end");
    }
    for (const char *at = sql; *at; at++) {
        if (*at != '%') {
            append_text(text, sizeof text, &length, "%c", *at);
            continue;
        }
        switch (*++at) {
        case 's': append_text(text, sizeof text, &length, "%s", start); break;
        case 'e': append_text(text, sizeof text, &length, "%s", end); break;
        case 'w': append_text(text, sizeof text, &length, has_track ? "W" : "D"); break;
        case 'j':
            append_text(text, sizeof text, &length, "%s",
                        has_track ? "LEFT JOIN rocpd_track W ON W.id = D.track_id AND W.guid = D.guid " : "");
            break;
        default: append_text(text, sizeof text, &length, "%%"); break;
        }
    }
    if (sqlite3_prepare_v2(database, text, -1, &select, NULL) != SQLITE_OK) {
        sqlite3_finalize(select);
        select = NULL;
    }
    return select;
}

/* ---- processes and devices ---- */
static uint64_t process_key(sqlite3_stmt *row)
{
    const char *guid = row_text(row, ROW_GUID);
    return (uint64_t)lookup_hash(0, guid, strlen(guid)) << 32 | row_u32(row, ROW_PID);
}

static sqlite3_stmt *prepare_for(struct rocpd *rocpd, const char *sql, sqlite3_stmt *row)
{
    sqlite3_stmt *select = NULL;
    if (sqlite3_prepare_v2(rocpd->database, sql, -1, &select, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(select, 1, row_text(row, ROW_GUID), -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(select, 2, sqlite3_column_int64(row, ROW_PID));
    return select;
}

/* "./bin/a.out -n 3" */
static void set_program(struct sender_process *process)
{
    const size_t length = strcspn(process->command, " ");
    size_t start = length;
    while (start > 0 && process->command[start - 1] != '/')
        start--;
    snprintf(process->program, sizeof process->program, "%.*s", (int)(length - start),
             process->command + start);
}

static uint32_t find_process(struct rocpd *rocpd, sqlite3_stmt *row)
{
    const uint64_t key = process_key(row);
    const uint32_t index = sender_find(rocpd->sender, key);
    if (index != UINT32_MAX)
        return index;
    struct sender_process process = {.pid = (int32_t)row_u32(row, ROW_PID), .rank = -1};
    sqlite3_stmt *known =
        prepare_for(rocpd,
                    "SELECT P.command, N.hostname FROM rocpd_info_process P LEFT JOIN rocpd_info_node N "
                    "ON N.id = P.nid AND N.guid = P.guid WHERE P.guid = ?1 AND P.pid = ?2",
                    row);
    if (known && sqlite3_step(known) == SQLITE_ROW) {
        snprintf(process.command, sizeof process.command, "%s", row_text(known, 0));
        snprintf(process.host, sizeof process.host, "%s", row_text(known, 1));
    }
    sqlite3_finalize(known);
    set_program(&process);
    return sender_add(rocpd->sender, key, &process);
}

static void announce_device(struct rocpd *rocpd, uint32_t process, sqlite3_stmt *row, uint16_t ordinal)
{
    struct device_info info = {0};
    if (sender_has_device(rocpd->sender, process, ordinal))
        return;
    sqlite3_stmt *known = prepare_for(
        rocpd,
        "SELECT coalesce(nullif(product_name, ''), name), name, json_extract(X, '$.cu_count'), "
        "json_extract(X, '$.max_waves_per_cu') * json_extract(X, '$.wave_front_size'), json_extract(X, '$.lds_size_in_kb') * 1024 "
        "FROM (SELECT *, CASE WHEN json_valid(extdata) THEN extdata ELSE '{}' END AS X FROM rocpd_info_agent) "
        "WHERE guid = ?1 AND type = 'GPU' AND type_index = ?3",
        row);
    if (known) {
        sqlite3_bind_int64(known, 3, ordinal);
        if (sqlite3_step(known) == SQLITE_ROW) {
            snprintf(info.name, sizeof info.name, "%s", row_text(known, 0));
            snprintf(info.chip, sizeof info.chip, "%s", row_text(known, 1));
            info.multiprocessors = row_u32(known, 2);
            info.max_threads_per_multiprocessor = row_u32(known, 3);
            info.shared_bytes_per_multiprocessor = row_u32(known, 4);
        }
    }
    sqlite3_finalize(known);
    if (!info.name[0])
        snprintf(info.name, sizeof info.name, "GPU %u (the trace does not name it)", ordinal);
    sender_device(rocpd->sender, process, ordinal, &info);
}

/* ---- rows ---- */
static uint32_t intern_name(struct rocpd *rocpd, sqlite3_stmt *row)
{
    const char *name = row_text(row, ROW_NAME);
    return sender_intern(rocpd->sender, name, strlen(name));
}

static int64_t time_of(const struct rocpd *rocpd, sqlite3_stmt *row, int column)
{
    return sender_time(sqlite3_column_int64(row, column), rocpd->base_ns);
}

/* Copies may have no stream; then their queue stands for it. */
static uint32_t stream_of(sqlite3_stmt *row)
{
    return row_u32(row, sqlite3_column_type(row, ROW_STREAM) == SQLITE_NULL ? ROW_QUEUE : ROW_STREAM);
}

/* The process of a device's work, UINT32_MAX: there is no room for it. */
static uint32_t begin_work(struct rocpd *rocpd, sqlite3_stmt *row, struct event *event)
{
    const uint32_t process = find_process(rocpd, row);
    if (process == UINT32_MAX)
        return process;
    event->device = row_u16(row, ROW_DEVICE);
    announce_device(rocpd, process, row, event->device);
    event->kernel.start_ns = time_of(rocpd, row, ROW_START); /* a copy's and a set's, too */
    event->kernel.end_ns = time_of(rocpd, row, ROW_END);
    return process;
}

static void take_kernel(struct rocpd *rocpd, sqlite3_stmt *row)
{
    struct event event = {.kind = EVENT_KERNEL}, shape = {.kind = EVENT_SHAPE};
    const uint32_t process = begin_work(rocpd, row, &event);
    if (process == UINT32_MAX)
        return;
    shape.shape.name = intern_name(rocpd, row);
    for (int i = 0; i < 3; i++) {
        shape.shape.grid[i] = row_u32(row, ROW_GRID + i);
        shape.shape.block[i] = row_u16(row, ROW_GROUP + i);
    }
    shape.shape.static_shared_bytes = row_u32(row, ROW_SHARED);
    shape.shape.registers_per_thread = row_u16(row, ROW_REGISTERS);
    event.kernel.correlation = row_u32(row, ROW_CORRELATION);
    event.kernel.stream = stream_of(row);
    event.kernel.shape = sender_shape_id(rocpd->sender, process, sender_intern_shape(rocpd->sender, &shape));
    sender_event(rocpd->sender, process, &event);
}

/* By the kinds of the agents, "CPUGPU"; rocmProfileData has none, but a name. */
static uint8_t copy_kind_of(const char *agents)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } kinds[] = {{"CPUGPU", COPY_HTOD},        {"GPUCPU", COPY_DTOH},       {"GPUGPU", COPY_DTOD},
                 {"CPUCPU", COPY_HTOH},        {"HostToDevice", COPY_HTOD}, {"DeviceToHost", COPY_DTOH},
                 {"DeviceToDevice", COPY_DTOD}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(agents, kinds[i].word))
            return kinds[i].kind;
    return COPY_OTHER;
}

static void take_copy(struct rocpd *rocpd, sqlite3_stmt *row)
{
    struct event event = {.kind = EVENT_COPY};
    const uint32_t process = begin_work(rocpd, row, &event);
    if (process == UINT32_MAX)
        return;
    event.copy.correlation = row_u32(row, ROW_CORRELATION);
    event.copy.stream = stream_of(row);
    event.copy.size_bytes = (uint64_t)sqlite3_column_int64(row, ROW_BYTES);
    event.copy.copy_kind = copy_kind_of(row_text(row, ROW_CATEGORY));
    event.copy.engine = 0xff;
    event.flags = sender_is_asynchronous(rocpd->sender, process, event.copy.correlation) ? COPY_ASYNC : 0;
    sender_event(rocpd->sender, process, &event);
}

/* Calls of HIP and HSA; all else, and the program's own marks (roctx), are ranges. */
static void take_region(struct rocpd *rocpd, sqlite3_stmt *row)
{
    const char *category = row_text(row, ROW_CATEGORY);
    const uint32_t process = find_process(rocpd, row);
    if (process == UINT32_MAX)
        return;
    const int64_t start_ns = time_of(rocpd, row, ROW_START), end_ns = time_of(rocpd, row, ROW_END);
    if (strncmp(category, "HIP", 3) == 0 || strncmp(category, "HSA", 3) == 0) {
        const struct sender_call call = {.start_ns = start_ns,
                                         .end_ns = end_ns,
                                         .correlation = row_u32(row, ROW_CORRELATION),
                                         .thread = row_u32(row, ROW_TID),
                                         .domain = category[1] == 'S' ? API_DRIVER : API_RUNTIME,
                                         .name = row_text(row, ROW_NAME)};
        sender_call(rocpd->sender, process, &call);
        return;
    }
    const struct sender_range range = {
        .start_ns = start_ns,
        .end_ns = end_ns > start_ns ? end_ns : INT64_MIN,
        .thread = row_u32(row, ROW_TID),
        .name = sender_text_id(rocpd->sender, process, intern_name(rocpd, row)),
        .domain = strncmp(category, "MARKER", 6) == 0 ? 0 : sender_text(rocpd->sender, process, category)};
    sender_range(rocpd->sender, process, &range);
}

/* ---- the file ---- */
static int look_at_work(void *context)
{
    struct rocpd *rocpd = context;
    rocpd->work_left -= rocpd->work_left > WORK_BETWEEN ? WORK_BETWEEN : rocpd->work_left;
    return rocpd->work_left == 0;
}

static sqlite3 *open_database(const char *path)
{
    char *uri = database_immutable_uri(path);
    sqlite3 *database = NULL;
    if (!uri || sqlite3_open_v2(uri, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                                NULL) != SQLITE_OK) {
        sqlite3_close(database);
        database = NULL;
    } else {
        database_distrust(database, LONGEST_TEXT);
        sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
        sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON; PRAGMA cache_size=-65536",
                     NULL, NULL, NULL);
    }
    sqlite3_free(uri);
    return database;
}

static bool rocpd_recognises(const char *path, const char *head, size_t size_bytes)
{
    if (size_bytes < 100 || memcmp(head, "SQLite format 3", 16) != 0)
        return false;
    sqlite3 *database = open_database(path);
    const bool is_ours = database && has_column(database, "rocpd_metadata", "tag") &&
                         has_column(database, "rocpd_string", "string");
    sqlite3_close(database);
    return is_ours;
}

static void rocpd_close(void *reader)
{
    struct rocpd *rocpd = reader;
    for (size_t i = 0; i < CURSORS; i++)
        sqlite3_finalize(rocpd->cursors[i].select);
    sqlite3_close(rocpd->database);
    free(rocpd->path);
    free(rocpd);
}

/* Moves a cursor to its next row. */
static enum status advance_cursor(struct rocpd *rocpd, struct cursor *cursor, struct error *error)
{
    int result;
    do { /* a row without a time cannot be put in order */
        result = sqlite3_step(cursor->select);
        const bool has_time =
            result == SQLITE_ROW && sqlite3_column_type(cursor->select, ROW_START) == SQLITE_INTEGER;
        cursor->next_ns = has_time ? sqlite3_column_int64(cursor->select, ROW_START) : INT64_MAX;
        rocpd->skipped += result == SQLITE_ROW && !has_time;
    } while (result == SQLITE_ROW && cursor->next_ns == INT64_MAX);
    if (result == SQLITE_ROW || result == SQLITE_DONE)
        return STATUS_OK;
    return error_set(error, STATUS_FORMAT, "%s, a database of rocprof, cannot be read: %s.", rocpd->path,
                     result == SQLITE_INTERRUPT ? "its views ask for too much work"
                                                : sqlite3_errmsg(rocpd->database));
}

static uint64_t rows_of(struct rocpd *rocpd, const char *table)
{
    char sql[128];
    sqlite3_stmt *row = NULL;
    uint64_t rows = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM [%s]", table);
    if (sqlite3_prepare_v2(rocpd->database, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        rows = (uint64_t)sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return rows;
}

static enum status open_cursors(struct rocpd *rocpd, struct error *error)
{
    static const struct {
        const char *table, *sql, *data_table, *data_sql;
        void (*take)(struct rocpd *rocpd, sqlite3_stmt *row);
    } kinds[CURSORS] = {{"rocpd_region", regions_sql, "rocpd_api", data_regions_sql, take_region},
                        {"rocpd_kernel_dispatch", kernels_sql, "rocpd_op", data_kernels_sql, take_kernel},
                        {"rocpd_memory_copy", copies_sql, "rocpd_op", data_copies_sql, take_copy}};
    const bool is_data = database_has_table(rocpd->database, "rocpd_op");
    enum status status = STATUS_OK;
    rocpd->base_ns = INT64_MAX;
    for (size_t i = 0; i < CURSORS && status == STATUS_OK; i++) {
        struct cursor *cursor = &rocpd->cursors[i];
        const char *table = is_data ? kinds[i].data_table : kinds[i].table;
        *cursor = (struct cursor){.next_ns = INT64_MAX, .take = kinds[i].take};
        cursor->select = prepare_rows(rocpd->database, table, is_data ? kinds[i].data_sql : kinds[i].sql);
        if (!cursor->select)
            continue;
        rocpd->expected += rows_of(rocpd, table);
        status = advance_cursor(rocpd, cursor, error);
        rocpd->base_ns = cursor->next_ns < rocpd->base_ns ? cursor->next_ns : rocpd->base_ns;
    }
    if (status == STATUS_OK && rocpd->base_ns == INT64_MAX)
        status = error_set(
            error, STATUS_FORMAT,
            "%s is a database of rocprof without any kernel, copy or call. Profile with rocprofv3 --sys-trace.",
            rocpd->path);
    return status;
}

/* What a user has to know of the file before any number of it. */
static void say_what_it_is(struct rocpd *rocpd, struct session *session)
{
    const bool is_data = database_has_table(rocpd->database, "rocpd_op");
    char origin[128], schema[16] = "not known";
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(rocpd->database, "SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'",
                           -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW)
        snprintf(schema, sizeof schema, "%s", row_text(row, 0));
    sqlite3_finalize(row);
    snprintf(origin, sizeof origin, "from a database of %s (rocpd, schema %s): times, no counters",
             is_data ? "rocmProfileData" : "rocprof", schema);
    session_set_origin(session, origin, COUNTING_ON_ROCM);
    if (rocpd->cursors[CURSOR_KERNELS].next_ns == INT64_MAX &&
        rocpd->cursors[CURSOR_COPIES].next_ns == INT64_MAX)
        sender_notice(
            rocpd->sender, SEVERITY_WARNING,
            "The trace has no kernel and no copy: they were not traced (rocprofv3 --sys-trace), or the program used no GPU.");
}

static enum status rocpd_open(void **reader, struct session **session, struct sender **sender,
                              const char *path, struct error *error)
{
    struct rocpd *rocpd = calloc(1, sizeof *rocpd);
    struct stat file = {0};
    if (!rocpd || !(rocpd->path = strdup(path)) || !(rocpd->database = open_database(path))) {
        if (rocpd)
            free(rocpd->path);
        free(rocpd);
        return error_no_memory(error, "to open %s", path);
    }
    *reader = rocpd;
    rocpd->work_left = WORK_LEAST + (stat(path, &file) == 0 ? (uint64_t)file.st_size * WORK_OF_BYTE : 0);
    sqlite3_progress_handler(rocpd->database, WORK_BETWEEN, look_at_work, rocpd);
    enum status status = open_cursors(rocpd, error);
    if (status == STATUS_OK)
        status = sender_create(sender, session, 0, error); /* times are those of the host since it started */
    rocpd->sender = *sender;
    if (status == STATUS_OK)
        say_what_it_is(rocpd, *session);
    return status;
}

static enum status rocpd_step(void *reader, size_t most, bool *done, struct error *error)
{
    struct rocpd *rocpd = reader;
    struct error damage;
    enum status status = STATUS_OK;
    size_t taken = 0;
    (void)error;
    for (; taken < most && status == STATUS_OK; taken++) {
        struct cursor *first = &rocpd->cursors[0];
        for (size_t i = 1; i < CURSORS; i++)
            if (rocpd->cursors[i].next_ns < first->next_ns)
                first = &rocpd->cursors[i];
        if (first->next_ns == INT64_MAX)
            break;
        rocpd->last_ns = first->next_ns;
        if (sqlite3_column_int64(first->select, ROW_END) < first->next_ns)
            rocpd->skipped++;
        else
            first->take(rocpd, first->select);
        status = advance_cursor(rocpd, first, &damage);
    }
    rocpd->taken += taken;
    sender_until(rocpd->sender, sender_time(rocpd->last_ns, rocpd->base_ns));
    *done = taken < most || status != STATUS_OK;
    if (status != STATUS_OK)
        sender_notice(rocpd->sender, SEVERITY_WARNING,
                      "The trace is damaged: what follows %.3f s is missing. %s",
                      (double)(sender_time(rocpd->last_ns, rocpd->base_ns)) / 1e9, damage.text);
    if (*done && rocpd->skipped > 0)
        sender_notice(rocpd->sender, SEVERITY_WARNING,
                      "%" PRIu64 " rows were left out: they have no time, or end before they start.",
                      rocpd->skipped);
    return STATUS_OK;
}

static double rocpd_progress(const void *reader)
{
    const struct rocpd *rocpd = reader;
    return rocpd->taken < rocpd->expected ? (double)rocpd->taken / (double)rocpd->expected : 1;
}

const struct import_format import_rocpd = {
    .name = "a database of rocprof",
    .recognises = rocpd_recognises,
    .open = rocpd_open,
    .step = rocpd_step,
    .progress = rocpd_progress,
    .close = rocpd_close,
};
