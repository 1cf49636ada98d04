/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports of Nsight Systems: SQLite files, one table for each kind of event. Tables exist only if they have
 * rows, and columns come and go with the release, so each table is asked for the columns that it has; one that
 * is missing is read as NULL. Ids of processes and threads are packed: host, process, thread (24 bits each of
 * the last two). Correlations are unique within a process.
 *
 * Every table is a cursor in the order of start; a step takes the earliest row of all.
 */
#include "core/import/sender.h"

#include "core/base/array.h"
#include "core/base/database.h"
#include "core/base/idmap.h"

#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_TEXT (16 << 20)
#define STRINGS_MAX (1u << 20)
#define STREAMS_MAX (1u << 14)
#define GPUS_MAX 64u

/* The tables of events, in the order of `tables`. */
enum {
    CURSOR_CALLS,
    CURSOR_KERNELS,
    CURSOR_GRAPHS,
    CURSOR_COPIES,
    CURSOR_SETS,
    CURSOR_SYNCS,
    CURSOR_RANGES,
    CURSOR_OVERHEAD,
    CURSOR_CUPTI_OVERHEAD,
    CURSOR_OS_CALLS,
    CURSORS
};

struct gpu {
    int64_t id;
    struct device_info info;
};

/* Which GPU a process means by a number: what CUDA_VISIBLE_DEVICES makes of it. */
struct visible {
    int64_t process, ordinal, gpu;
};

struct nsys;
struct cursor {
    const struct nsys_table *table;
    sqlite3_stmt *select; /* NULL: the table is not there */
    int64_t next_ns;      /* INT64_MAX: at its end */
};

struct nsys {
    struct sender *sender;
    sqlite3 *database;
    char *path;
    struct cursor cursors[CURSORS];
    sqlite3_stmt *string;
    struct idmap strings; /* id of the trace -> interned */
    struct idmap domains; /* process and domain -> interned */
    struct gpu gpus[GPUS_MAX];
    uint32_t gpu_count, visible_count, visible_room, stream_count, stream_room;
    struct visible *visible;
    struct nsys_stream {
        int64_t process;
        struct event event;
    } * streams; /* by process */
    int64_t base_ns, last_ns;
    uint64_t taken, expected, skipped;
    uint64_t migrations, migrated_bytes, os_calls_left;
};

struct nsys_table {
    const char *name;
    const char *columns[32]; /* the first one is the time by which rows are ordered */
    void (*take)(struct nsys *nsys, sqlite3_stmt *row);
};

/* ---- values ---- */
static int64_t column_number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_int64(row, column);
}

static bool is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

static int64_t process_of_global(int64_t global)
{
    return (int64_t)((uint64_t)global >> 24);
}

static uint32_t thread_of_global(int64_t global)
{
    return (uint32_t)global & 0xffffffu;
}

/* ---- statements ---- */
static bool has_column(sqlite3 *database, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(database, NULL, table, column, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

/* SELECT of the columns in this order, NULL in the place of those that the table lacks; NULL: there is no such
 * table, or the first column is missing. */
static sqlite3_stmt *select_columns(sqlite3 *database, const char *table, const char *const *columns,
                                    bool in_order)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_str *sql = sqlite3_str_new(database);
    if (!database_has_table(database, table) || !has_column(database, table, columns[0])) {
        sqlite3_free(sqlite3_str_finish(sql));
        return NULL;
    }
    for (size_t i = 0; columns[i]; i++) {
        sqlite3_str_appendall(sql, i == 0 ? "SELECT " : ", ");
        if (has_column(database, table, columns[i]))
            sqlite3_str_appendf(sql, "\"%w\"", columns[i]);
        else
            sqlite3_str_appendall(sql, "NULL");
    }
    sqlite3_str_appendf(sql, " FROM \"%w\"", table);
    if (in_order)
        sqlite3_str_appendf(sql, " WHERE \"%w\" IS NOT NULL ORDER BY \"%w\"", columns[0], columns[0]);
    char *finished = sqlite3_str_finish(sql);
    if (finished && sqlite3_prepare_v2(database, finished, -1, &statement, NULL) != SQLITE_OK) {
        sqlite3_finalize(statement);
        statement = NULL;
    }
    sqlite3_free(finished);
    return statement;
}

static uint32_t intern_string(struct nsys *nsys, int64_t id)
{
    uint32_t known = idmap_find(&nsys->strings, (uint64_t)id);
    if (known != IDMAP_NONE)
        return known;
    known = 0;
    if (nsys->string && sqlite3_bind_int64(nsys->string, 1, id) == SQLITE_OK) {
        if (sqlite3_step(nsys->string) == SQLITE_ROW)
            known = sender_intern(nsys->sender, row_text(nsys->string, 0),
                                  (size_t)sqlite3_column_bytes(nsys->string, 0));
        sqlite3_reset(nsys->string);
    }
    idmap_put(&nsys->strings, (uint64_t)id, known);
    return known;
}

/* ---- processes, devices, streams ---- */
static void read_one(struct nsys *nsys, const char *sql, int64_t id, char *value, size_t size_bytes)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(nsys->database, sql, -1, &row, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(row, 1, id);
        if (sqlite3_step(row) == SQLITE_ROW)
            snprintf(value, size_bytes, "%s", row_text(row, 0));
    }
    sqlite3_finalize(row);
}

static int32_t rank_of(struct nsys *nsys, int64_t process)
{
    char rank[16] = "";
    read_one(nsys, "SELECT rank FROM MPI_RANKS WHERE globalTid >> 24 = ?1", process, rank, sizeof rank);
    return *rank ? (int32_t)strtol(rank, NULL, 10) : -1;
}

static uint32_t find_process(struct nsys *nsys, int64_t process)
{
    uint32_t index = sender_find(nsys->sender, (uint64_t)process);
    if (index != UINT32_MAX)
        return index;
    struct sender_process what = {.pid = (int32_t)(process & 0xffffff), .rank = rank_of(nsys, process)};
    read_one(nsys, "SELECT name FROM PROCESSES WHERE globalPid >> 24 = ?1", process, what.program,
             sizeof what.program);
    read_one(nsys, "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'", 0, what.host,
             sizeof what.host);
    read_one(nsys,
             "SELECT group_concat(value, ' ') FROM (SELECT value FROM META_DATA_CAPTURE WHERE name LIKE "
             "'PROCESS\\_0:COMMAND' ESCAPE '\\' OR name LIKE 'PROCESS\\_0:ARGUMENT\\_%' ESCAPE '\\')",
             0, what.command, sizeof what.command);
    index = sender_add(nsys->sender, (uint64_t)process, &what);
    for (uint32_t i = 0; index != UINT32_MAX && i < nsys->stream_count; i++)
        if (nsys->streams[i].process == (process & 0xffffff))
            sender_event(nsys->sender, index, &nsys->streams[i].event);
    return index;
}

static void announce_device(struct nsys *nsys, uint32_t index, int64_t process, uint16_t ordinal)
{
    if (sender_has_device(nsys->sender, index, ordinal))
        return;
    int64_t gpu = ordinal;
    for (uint32_t i = 0; i < nsys->visible_count; i++)
        if (nsys->visible[i].process == (process & 0xffffff) && nsys->visible[i].ordinal == ordinal)
            gpu = nsys->visible[i].gpu;
    struct device_info info = {0};
    snprintf(info.name, sizeof info.name, "GPU %u (the trace does not name it)", ordinal);
    for (uint32_t i = 0; i < nsys->gpu_count; i++)
        if (nsys->gpus[i].id == gpu)
            info = nsys->gpus[i].info;
    sender_device(nsys->sender, index, ordinal, &info);
}

static void read_gpus(struct nsys *nsys)
{
    static const char *const now[] = {"id",
                                      "name",
                                      "chipName",
                                      "computeMajor",
                                      "computeMinor",
                                      "smCount",
                                      "maxWarpsPerSm",
                                      "maxBlocksPerSm",
                                      "maxThreadsPerBlock",
                                      "maxRegistersPerSm",
                                      "maxRegistersPerBlock",
                                      "maxShmemPerSm",
                                      "maxShmemPerBlock",
                                      "maxShmemPerBlockOptin",
                                      "l2CacheSize",
                                      "clockRate",
                                      "asyncEngines",
                                      "totalMemory",
                                      NULL};
    static const char *const then[] = {"deviceId",
                                       "name",
                                       "chipName",
                                       "computeCapabilityMajor",
                                       "computeCapabilityMinor",
                                       "numMultiprocessors",
                                       "maxWarpsPerMultiprocessor",
                                       "maxBlocksPerMultiprocessor",
                                       "maxThreadsPerBlock",
                                       "maxRegistersPerMultiprocessor",
                                       "maxRegistersPerBlock",
                                       "maxSharedMemoryPerMultiprocessor",
                                       "maxSharedMemoryPerBlock",
                                       "maxSharedMemoryPerBlock",
                                       "l2CacheSize",
                                       "coreClockRate",
                                       "numMemcpyEngines",
                                       "globalMemorySize",
                                       NULL};
    sqlite3_stmt *row = select_columns(nsys->database, "TARGET_INFO_GPU", now, false);
    if (!row)
        row = select_columns(nsys->database, "TARGET_INFO_CUDA_GPU", then, false);
    while (row && sqlite3_step(row) == SQLITE_ROW && nsys->gpu_count < GPUS_MAX) {
        struct gpu *gpu = &nsys->gpus[nsys->gpu_count++];
        gpu->id = column_number(row, 0);
        snprintf(gpu->info.name, sizeof gpu->info.name, "%s", row_text(row, 1));
        snprintf(gpu->info.chip, sizeof gpu->info.chip, "%s", row_text(row, 2));
        gpu->info.compute_capability = row_u32(row, 3) * 10 + row_u32(row, 4);
        gpu->info.multiprocessors = row_u32(row, 5);
        gpu->info.max_threads_per_multiprocessor = row_u32(row, 6) * 32;
        gpu->info.max_blocks_per_multiprocessor = row_u32(row, 7);
        gpu->info.max_threads_per_block = row_u32(row, 8);
        gpu->info.registers_per_multiprocessor = row_u32(row, 9);
        gpu->info.registers_per_block = row_u32(row, 10);
        gpu->info.shared_bytes_per_multiprocessor = row_u32(row, 11);
        gpu->info.shared_bytes_per_block = row_u32(row, 12);
        gpu->info.shared_bytes_per_block_optin = row_u32(row, 13);
        gpu->info.l2_bytes = row_u32(row, 14);
        gpu->info.core_clock_khz = (uint32_t)(column_number(row, 15) / 1000);
        gpu->info.copy_engines = row_u32(row, 16);
        gpu->info.memory_bytes = (uint64_t)column_number(row, 17);
    }
    sqlite3_finalize(row);
}

static void read_visible(struct nsys *nsys)
{
    static const char *const columns[] = {"gpuId", "cudaId", "pid", NULL};
    sqlite3_stmt *row = select_columns(nsys->database, "TARGET_INFO_CUDA_DEVICE", columns, false);
    while (row && sqlite3_step(row) == SQLITE_ROW && nsys->visible_count < STREAMS_MAX &&
           array_grow(nsys->visible, nsys->visible_room, nsys->visible_count, 1))
        nsys->visible[nsys->visible_count++] = (struct visible){
            .gpu = column_number(row, 0), .ordinal = column_number(row, 1), .process = column_number(row, 2)};
    sqlite3_finalize(row);
}

static void add_stream(struct nsys *nsys, int64_t process, const struct event *event)
{
    if (nsys->stream_count < STREAMS_MAX &&
        array_grow(nsys->streams, nsys->stream_room, nsys->stream_count, 1))
        nsys->streams[nsys->stream_count++] = (struct nsys_stream){.process = process, .event = *event};
}

/* Flags as in CUPTI: 1 blocking, 2 non-blocking, 3 the legacy default stream. */
static void read_streams(struct nsys *nsys)
{
    static const char *const columns[] = {"streamId", "contextId", "processId", "priority", "flag", NULL};
    static const char *const legacy[] = {"nullStreamId", "contextId", "processId", NULL};
    static const char *const older[] = {"streamId", "contextId", "processId", NULL};
    sqlite3_stmt *row = select_columns(nsys->database, "TARGET_INFO_CUDA_STREAM", columns, false);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        struct event event = {.kind = EVENT_STREAM};
        event.stream.stream = row_u32(row, 0);
        event.stream.context = row_u32(row, 1);
        event.stream.priority = (int32_t)column_number(row, 3);
        event.flags = column_number(row, 4) == 2   ? STREAM_NON_BLOCKING
                      : column_number(row, 4) == 3 ? STREAM_DEFAULT
                                                   : 0;
        add_stream(nsys, column_number(row, 2), &event);
    }
    sqlite3_finalize(row);
    row = select_columns(nsys->database, "TARGET_INFO_CUDA_CONTEXT_INFO", legacy, false);
    if (!row)
        row = select_columns(nsys->database, "TARGET_INFO_CUDA_NULL_STREAM", older, false);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        struct event event = {.kind = EVENT_STREAM, .flags = STREAM_DEFAULT};
        event.stream.stream = row_u32(row, 0);
        event.stream.context = row_u32(row, 1);
        add_stream(nsys, column_number(row, 2), &event);
    }
    sqlite3_finalize(row);
}

/* ---- rows ---- */
static int64_t time_of(const struct nsys *nsys, int64_t ns)
{
    return sender_time(ns, nsys->base_ns);
}

/* The graph that a node belongs to, as far as it is told; 0: none. */
static uint32_t graph_of(sqlite3_stmt *row, int graph, int node)
{
    if (!is_null(row, graph) && column_number(row, graph) != 0)
        return row_u32(row, graph);
    return is_null(row, node) ? 0 : (uint32_t)((uint64_t)column_number(row, node) >> 32);
}

enum {
    KERNEL_START,
    KERNEL_END,
    KERNEL_DEVICE,
    KERNEL_CONTEXT,
    KERNEL_STREAM,
    KERNEL_CORRELATION,
    KERNEL_PROCESS,
    KERNEL_MANGLED,
    KERNEL_DEMANGLED,
    KERNEL_SHORT,
    KERNEL_REGISTERS,
    KERNEL_GRID,
    KERNEL_BLOCK = KERNEL_GRID + 3,
    KERNEL_CLUSTER = KERNEL_BLOCK + 3,
    KERNEL_STATIC = KERNEL_CLUSTER + 3,
    KERNEL_DYNAMIC,
    KERNEL_LOCAL,
    KERNEL_GRAPH,
    KERNEL_NODE
};

static uint32_t find_shape(struct nsys *nsys, uint32_t index, sqlite3_stmt *row)
{
    static const int names[] = {KERNEL_DEMANGLED, KERNEL_SHORT, KERNEL_MANGLED};
    struct event shape = {.kind = EVENT_SHAPE};
    uint32_t name = 0;
    for (size_t i = 0; i < 3 && name == 0; i++)
        if (!is_null(row, names[i]))
            name = intern_string(nsys, column_number(row, names[i]));
    shape.shape.name = name;
    for (int i = 0; i < 3; i++) {
        shape.shape.grid[i] = row_u32(row, KERNEL_GRID + i);
        shape.shape.block[i] = row_u16(row, KERNEL_BLOCK + i);
        shape.shape.cluster[i] = row_u16(row, KERNEL_CLUSTER + i);
    }
    shape.shape.registers_per_thread = row_u16(row, KERNEL_REGISTERS);
    shape.shape.static_shared_bytes = row_u32(row, KERNEL_STATIC);
    shape.shape.dynamic_shared_bytes = row_u32(row, KERNEL_DYNAMIC);
    shape.shape.local_bytes_per_thread = row_u32(row, KERNEL_LOCAL);
    return sender_shape_id(nsys->sender, index, sender_intern_shape(nsys->sender, &shape));
}

/* What the tables of device work begin with: its process, UINT32_MAX if there is none, its device and times. */
enum { WORK_START, WORK_END, WORK_DEVICE, WORK_CONTEXT, WORK_STREAM, WORK_CORRELATION, WORK_PROCESS };

static uint32_t begin_work(struct nsys *nsys, sqlite3_stmt *row, struct event *event)
{
    const int64_t process = process_of_global(column_number(row, WORK_PROCESS));
    const uint32_t index = find_process(nsys, process);
    if (index == UINT32_MAX)
        return index;
    event->device = row_u16(row, WORK_DEVICE);
    announce_device(nsys, index, process, event->device);
    event->kernel.start_ns = time_of(nsys, column_number(row, WORK_START)); /* a copy's and a set's, too */
    event->kernel.end_ns = time_of(nsys, column_number(row, WORK_END));
    return index;
}

static void take_kernel(struct nsys *nsys, sqlite3_stmt *row)
{
    struct event event = {.kind = EVENT_KERNEL};
    const uint32_t index = begin_work(nsys, row, &event);
    if (index == UINT32_MAX)
        return;
    event.kernel.correlation = row_u32(row, KERNEL_CORRELATION);
    event.kernel.context = row_u32(row, KERNEL_CONTEXT);
    event.kernel.stream = row_u32(row, KERNEL_STREAM);
    event.kernel.shape = find_shape(nsys, index, row);
    event.kernel.graph = graph_of(row, KERNEL_GRAPH, KERNEL_NODE);
    event.kernel.graph_node = (uint64_t)column_number(row, KERNEL_NODE);
    sender_event(nsys->sender, index, &event);
}

static void take_graph(struct nsys *nsys, sqlite3_stmt *row)
{
    struct event event = {.kind = EVENT_KERNEL, .flags = KERNEL_FROM_GRAPH_TRACE};
    const uint32_t index = begin_work(nsys, row, &event);
    if (index == UINT32_MAX)
        return;
    event.kernel.context = row_u32(row, 3);
    event.kernel.stream = row_u32(row, 4);
    event.kernel.correlation = row_u32(row, 5);
    event.kernel.graph = row_u32(row, 7);
    sender_event(nsys->sender, index, &event);
}

static uint8_t memory_kind(sqlite3_stmt *row, int column)
{
    static const uint8_t kinds[] = {MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_ARRAY,
                                    MEMORY_MANAGED,  MEMORY_DEVICE, MEMORY_MANAGED};
    const int64_t kind = column_number(row, column);
    return is_null(row, column) || kind < 0 || kind >= (int64_t)sizeof kinds ? (uint8_t)MEMORY_UNKNOWN
                                                                             : kinds[kind];
}

enum {
    COPY_START,
    COPY_END,
    COPY_DEVICE,
    COPY_CONTEXT,
    COPY_STREAM,
    COPY_CORRELATION,
    COPY_PROCESS,
    COPY_BYTES,
    COPY_WHAT,
    COPY_SOURCE_KIND,
    COPY_DESTINATION_KIND,
    COPY_SOURCE,
    COPY_DESTINATION,
    COPY_NODE,
    COPY_GRAPH
};

/* Pages of unified memory move without a stream: ranges in a domain of their own. */
static void take_migration(struct nsys *nsys, uint32_t index, sqlite3_stmt *row)
{
    static const char *const names[] = {"migration to the device", "migration to the host",
                                        "migration between devices"};
    const int64_t kind = column_number(row, COPY_WHAT) - 11;
    nsys->migrations++;
    nsys->migrated_bytes += (uint64_t)column_number(row, COPY_BYTES);
    const struct sender_range range = {
        .start_ns = time_of(nsys, column_number(row, COPY_START)),
        .end_ns = time_of(nsys, column_number(row, COPY_END)),
        .name = sender_text(nsys->sender, index, names[kind < 3 ? kind : 2]),
        .domain = sender_text(nsys->sender, index, "unified memory"),
        .payload = (double)column_number(row, COPY_BYTES),
    };
    sender_range(nsys->sender, index, &range);
}

static void take_copy(struct nsys *nsys, sqlite3_stmt *row)
{
    static const uint8_t kinds[] = {COPY_OTHER, COPY_HTOD, COPY_DTOH, COPY_HTOA, COPY_ATOH, COPY_ATOA,
                                    COPY_ATOD,  COPY_DTOA, COPY_DTOD, COPY_HTOH, COPY_PTOP};
    const int64_t kind = column_number(row, COPY_WHAT);
    struct event event = {.kind = EVENT_COPY};
    const uint32_t index = begin_work(nsys, row, &event);
    if (index == UINT32_MAX)
        return;
    if (kind >= 11) {
        take_migration(nsys, index, row);
        return;
    }
    event.copy.context = row_u32(row, COPY_CONTEXT);
    event.copy.stream = row_u32(row, COPY_STREAM);
    event.copy.correlation = row_u32(row, COPY_CORRELATION);
    event.copy.size_bytes = (uint64_t)column_number(row, COPY_BYTES);
    event.copy.copy_kind = kind < 0 ? (uint8_t)COPY_OTHER : kinds[kind];
    event.copy.source_memory = memory_kind(row, COPY_SOURCE_KIND);
    event.copy.destination_memory = memory_kind(row, COPY_DESTINATION_KIND);
    event.copy.engine = 0xff;
    event.copy.source_device = row_u16(row, COPY_SOURCE);
    event.copy.destination_device = row_u16(row, COPY_DESTINATION);
    event.copy.graph = graph_of(row, COPY_GRAPH, COPY_NODE);
    event.flags = sender_is_asynchronous(nsys->sender, index, event.copy.correlation) ? COPY_ASYNC : 0;
    sender_event(nsys->sender, index, &event);
}

static void take_set(struct nsys *nsys, sqlite3_stmt *row)
{
    struct event event = {.kind = EVENT_SET};
    const uint32_t index = begin_work(nsys, row, &event);
    if (index == UINT32_MAX)
        return;
    event.set.context = row_u32(row, 3);
    event.set.stream = row_u32(row, 4);
    event.set.correlation = row_u32(row, 5);
    event.set.size_bytes = (uint64_t)column_number(row, 7);
    event.set.value = row_u32(row, 8);
    event.set.memory = memory_kind(row, 9);
    event.set.graph = graph_of(row, 11, 10);
    sender_event(nsys->sender, index, &event);
}

static void take_call(struct nsys *nsys, sqlite3_stmt *row)
{
    const int64_t global = column_number(row, 2);
    const uint32_t index = find_process(nsys, process_of_global(global));
    if (index == UINT32_MAX)
        return;
    const uint32_t name = intern_string(nsys, column_number(row, 4));
    const struct sender_call call = {.start_ns = time_of(nsys, column_number(row, 0)),
                                     .end_ns = time_of(nsys, column_number(row, 1)),
                                     .correlation = row_u32(row, 3),
                                     .thread = thread_of_global(global),
                                     .result = (int32_t)column_number(row, 5),
                                     .domain = column_number(row, 6) == 1 ? API_DRIVER : API_RUNTIME,
                                     .name = sender_interned_text(nsys->sender, name)};
    sender_call(nsys->sender, index, &call);
}

static void take_sync(struct nsys *nsys, sqlite3_stmt *row)
{
    static const uint8_t kinds[] = {SYNC_OTHER, SYNC_EVENT, SYNC_STREAM_WAIT_EVENT, SYNC_STREAM,
                                    SYNC_CONTEXT};
    const uint32_t index = find_process(nsys, process_of_global(column_number(row, 6)));
    const int64_t kind = column_number(row, 7);
    if (index == UINT32_MAX)
        return;
    struct event event = {.kind = EVENT_SYNC, .device = row_u16(row, 2)};
    event.sync.start_ns = time_of(nsys, column_number(row, 0));
    event.sync.end_ns = time_of(nsys, column_number(row, 1));
    event.sync.context = row_u32(row, 3);
    event.sync.stream = row_u32(row, 4);
    event.sync.correlation = row_u32(row, 5);
    event.sync.sync_kind = kind < 0 || kind >= (int64_t)sizeof kinds ? (uint8_t)SYNC_OTHER : kinds[kind];
    sender_event(nsys->sender, index, &event);
}

static void take_overhead(struct nsys *nsys, sqlite3_stmt *row)
{
    const int64_t global = column_number(row, 2);
    const uint32_t index = sender_find(nsys->sender, (uint64_t)process_of_global(global));
    if (is_null(row, 2) || index == UINT32_MAX)
        return; /* of no thread, or of a process without events of its own: a compiler that was started */
    struct event event = {.kind = EVENT_OVERHEAD};
    event.overhead.start_ns = time_of(nsys, column_number(row, 0));
    event.overhead.end_ns = time_of(nsys, column_number(row, 1));
    event.overhead.thread = thread_of_global(global);
    event.overhead.name = sender_text_id(nsys->sender, index, intern_string(nsys, column_number(row, 3)));
    sender_event(nsys->sender, index, &event);
}

/* What the host did outside CUDA: ranges in a domain of their own. Of processes that use CUDA or NVTX, from their first event
 * on; others would be runs without any work. */
static void take_os_call(struct nsys *nsys, sqlite3_stmt *row)
{
    const int64_t global = column_number(row, 2);
    const uint32_t index = sender_find(nsys->sender, (uint64_t)process_of_global(global));
    if (index == UINT32_MAX) {
        nsys->os_calls_left++;
        return;
    }
    char name[80];
    snprintf(name, sizeof name, "%s (OS)",
             sender_interned_text(nsys->sender, intern_string(nsys, column_number(row, 3))));
    const struct sender_range range = {.start_ns = time_of(nsys, column_number(row, 0)),
                                       .end_ns = time_of(nsys, column_number(row, 1)),
                                       .thread = thread_of_global(global),
                                       .name = sender_text(nsys->sender, index, name),
                                       .domain = sender_text(nsys->sender, index, "operating system")};
    sender_range(nsys->sender, index, &range);
}

/* ---- ranges ---- */
enum { NVTX_CATEGORY_NAME = 33, NVTX_MARK = 34, NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTX_DOMAIN = 75 };

enum {
    RANGE_START,
    RANGE_END_NS,
    RANGE_TYPE,
    RANGE_THREAD,
    RANGE_TEXT,
    RANGE_TEXT_ID,
    RANGE_DOMAIN,
    RANGE_COLOR,
    RANGE_PAYLOAD
};

static uint64_t domain_key(int64_t process, int64_t domain)
{
    return (uint64_t)process << 24 ^ (uint64_t)domain;
}

/* PyTorch's autograd numbers its operators: "aten::add, seq = 3, op_id = 17" is one name with a number. */
static size_t without_number(const char *name, size_t length, double *payload)
{
    static const char *const marks[] = {", op_id = ", ", seq = "};
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(name, marks[i]);
        if (!at || (size_t)(at - name) >= length)
            continue;
        *payload = i == 0 ? strtod(at + strlen(marks[i]), NULL) : *payload;
        length = (size_t)(at - name);
    }
    return length;
}

static void take_range(struct nsys *nsys, sqlite3_stmt *row)
{
    const int64_t type = column_number(row, RANGE_TYPE), global = column_number(row, RANGE_THREAD);
    const int64_t process = process_of_global(global);
    if (type != NVTX_MARK && type != NVTX_PUSH_POP && type != NVTX_START_END)
        return;
    const uint32_t index = find_process(nsys, process);
    if (index == UINT32_MAX)
        return;
    struct sender_range range = {.start_ns = time_of(nsys, column_number(row, RANGE_START)),
                                 .end_ns = time_of(nsys, column_number(row, RANGE_END_NS)),
                                 .thread = thread_of_global(global),
                                 .color = (uint32_t)column_number(row, RANGE_COLOR),
                                 .payload = sqlite3_column_double(row, RANGE_PAYLOAD)};
    const uint32_t named =
        is_null(row, RANGE_TEXT_ID) ? 0 : intern_string(nsys, column_number(row, RANGE_TEXT_ID));
    const char *name = named ? sender_interned_text(nsys->sender, named) : row_text(row, RANGE_TEXT);
    const size_t length = without_number(name, strlen(name), &range.payload);
    range.name = sender_text_id(nsys->sender, index, sender_intern(nsys->sender, name, length));
    const uint32_t domain = idmap_find(&nsys->domains, domain_key(process, column_number(row, RANGE_DOMAIN)));
    range.domain = domain == IDMAP_NONE ? 0 : sender_text_id(nsys->sender, index, domain);
    if (type == NVTX_MARK || is_null(row, RANGE_END_NS))
        range.end_ns = INT64_MIN;
    sender_range(nsys->sender, index, &range);
}

static void read_domains(struct nsys *nsys)
{
    static const char *const columns[] = {"eventType", "globalTid", "domainId", "text", "textId", NULL};
    sqlite3_stmt *row = select_columns(nsys->database, "NVTX_EVENTS", columns, false);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        if (column_number(row, 0) != NVTX_DOMAIN)
            continue;
        const char *name = row_text(row, 3);
        const uint32_t named = is_null(row, 4) ? sender_intern(nsys->sender, name, strlen(name))
                                               : intern_string(nsys, column_number(row, 4));
        idmap_put(&nsys->domains, domain_key(process_of_global(column_number(row, 1)), column_number(row, 2)),
                  named);
    }
    sqlite3_finalize(row);
}

/* clang-format off */
static const struct nsys_table tables[CURSORS] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     {"start", "end", "globalTid", "correlationId", "nameId", "returnValue", "eventClass"}, take_call},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "mangledName",
      "demangledName", "shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY",
      "blockZ", "clusterX", "clusterY", "clusterZ", "staticSharedMemory", "dynamicSharedMemory",
      "localMemoryPerThread", "graphId", "graphNodeId"}, take_kernel},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphId"},
     take_graph},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes", "copyKind",
      "srcKind", "dstKind", "srcDeviceId", "dstDeviceId", "graphNodeId", "graphId"}, take_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "bytes", "value",
      "memKind", "graphNodeId", "graphId"}, take_set},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     {"start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "syncType"},
     take_sync},
    {"NVTX_EVENTS",
     {"start", "end", "eventType", "globalTid", "text", "textId", "domainId", "color", "doubleValue"},
     take_range},
    {"PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, take_overhead},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "globalTid", "nameId"}, take_overhead},
    {"OSRT_API", {"start", "end", "globalTid", "nameId"}, take_os_call},
};
/* clang-format on */

/* ---- the file ---- */
static bool nsys_recognises(const char *path, const char *head, size_t size_bytes)
{
    static const char *const signs[] = {"META_DATA_EXPORT",
                                        "EXPORT_META_DATA",
                                        "ENUM_NSYS_EVENT_TYPE",
                                        "CUPTI_ACTIVITY_KIND_RUNTIME",
                                        "CUPTI_ACTIVITY_KIND_KERNEL",
                                        "NVTX_EVENTS",
                                        "ANALYSIS_DETAILS"};
    if (size_bytes < 100 || memcmp(head, "SQLite format 3", 16) != 0 || memcmp(head + 68, "LSC1", 4) == 0)
        return false; /* no database, or lanescope's own */
    char *uri = database_immutable_uri(path);
    sqlite3 *database = NULL;
    bool is_ours = false;
    if (uri && sqlite3_open_v2(uri, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK) {
        database_distrust(database, LONGEST_TEXT);
        for (size_t i = 0; i < sizeof signs / sizeof *signs && !is_ours; i++)
            is_ours = database_has_table(database, signs[i]);
    }
    sqlite3_close(database);
    sqlite3_free(uri);
    return is_ours;
}

static void nsys_close(void *reader)
{
    struct nsys *nsys = reader;
    for (size_t i = 0; i < CURSORS; i++)
        sqlite3_finalize(nsys->cursors[i].select);
    sqlite3_finalize(nsys->string);
    sqlite3_close(nsys->database);
    idmap_fini(&nsys->strings);
    idmap_fini(&nsys->domains);
    free(nsys->visible);
    free(nsys->streams);
    free(nsys->path);
    free(nsys);
}

static enum status say_failed(const struct nsys *nsys, struct error *error)
{
    return error_set(error, STATUS_FORMAT,
                     "%s, an export of Nsight Systems, cannot be read: %s. Export it again.", nsys->path,
                     sqlite3_errmsg(nsys->database));
}

/* Moves a cursor to its next row. */
static enum status advance_cursor(struct nsys *nsys, struct cursor *cursor, struct error *error)
{
    int result;
    do { /* the text or the time of no clock in the first column cannot be put in order */
        result = sqlite3_step(cursor->select);
        const int type = result == SQLITE_ROW ? sqlite3_column_type(cursor->select, 0) : SQLITE_NULL;
        cursor->next_ns =
            type == SQLITE_INTEGER || type == SQLITE_FLOAT ? column_number(cursor->select, 0) : INT64_MAX;
        nsys->skipped += result == SQLITE_ROW && cursor->next_ns == INT64_MAX;
    } while (result == SQLITE_ROW && cursor->next_ns == INT64_MAX);
    return result == SQLITE_ROW || result == SQLITE_DONE ? STATUS_OK : say_failed(nsys, error);
}

static uint64_t rows_of(const struct nsys *nsys, const char *table)
{
    char sql[128];
    sqlite3_stmt *row = NULL;
    uint64_t rows = 0;
    snprintf(sql, sizeof sql, "SELECT max(rowid) FROM \"%s\"", table);
    if (sqlite3_prepare_v2(nsys->database, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW && column_number(row, 0) > 0)
        rows = (uint64_t)column_number(row, 0);
    sqlite3_finalize(row);
    return rows;
}

/* Do the rows of the table stand in the order of time? Most do, and sorting is the dearest part of reading. */
static bool is_in_order(const struct nsys *nsys, const struct nsys_table *table)
{
    const char *const time_alone[] = {table->columns[0], NULL};
    sqlite3_stmt *row = select_columns(nsys->database, table->name, time_alone, false);
    int64_t last_ns = INT64_MIN;
    bool in_order = row != NULL;
    while (in_order && sqlite3_step(row) == SQLITE_ROW) {
        in_order = !is_null(row, 0) && column_number(row, 0) >= last_ns;
        last_ns = column_number(row, 0);
    }
    sqlite3_finalize(row);
    return in_order;
}

static enum status open_cursors(struct nsys *nsys, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < CURSORS && status == STATUS_OK; i++) {
        struct cursor *cursor = &nsys->cursors[i];
        cursor->table = &tables[i];
        cursor->next_ns = INT64_MAX;
        cursor->select =
            select_columns(nsys->database, tables[i].name, tables[i].columns, !is_in_order(nsys, &tables[i]));
        if (!cursor->select)
            continue;
        nsys->expected += rows_of(nsys, tables[i].name);
        status = advance_cursor(nsys, cursor, error);
    }
    return status;
}

static int64_t first_time(const struct nsys *nsys)
{
    int64_t first_ns = INT64_MAX;
    for (size_t i = 0; i < CURSOR_OS_CALLS; i++)
        if (nsys->cursors[i].next_ns < first_ns)
            first_ns = nsys->cursors[i].next_ns;
    return first_ns;
}

static enum status connect_database(struct nsys *nsys, struct error *error)
{
    char *uri = database_immutable_uri(nsys->path);
    const int result =
        uri ? sqlite3_open_v2(uri, &nsys->database,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL)
            : SQLITE_NOMEM;
    sqlite3_free(uri);
    if (result != SQLITE_OK)
        return say_failed(nsys, error);
    database_distrust(nsys->database, LONGEST_TEXT);
    sqlite3_exec(nsys->database, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON; PRAGMA cache_size=-65536",
                 NULL, NULL, NULL);
    sqlite3_prepare_v2(nsys->database, "SELECT value FROM StringIds WHERE id = ?1", -1, &nsys->string, NULL);
    return STATUS_OK;
}

/* What a user has to know of the file before any number of it. */
static void say_what_it_is(struct nsys *nsys, struct session *session)
{
    static const char *const tables_of_facts[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};
    char release[64] = "a release before 2022", schema[32] = "", graphs[32] = "", origin[256];
    for (size_t i = 0; i < 2; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT value FROM %s WHERE name = 'EXPORT_PRODUCT_VERSION'",
                 tables_of_facts[i]);
        read_one(nsys, sql, 0, release, sizeof release);
        snprintf(sql, sizeof sql, "SELECT ', schema ' || value FROM %s WHERE name = 'EXPORT_SCHEMA_VERSION'",
                 tables_of_facts[i]);
        read_one(nsys, sql, 0, schema, sizeof schema);
    }
    read_one(nsys, "SELECT value FROM META_DATA_CAPTURE WHERE name = 'CUDA_GRAPH_TRACE_OPTIONS:MODE'", 0,
             graphs, sizeof graphs);
    const bool is_whole = nsys->cursors[CURSOR_GRAPHS].select && strcmp(graphs, "Node") != 0;
    snprintf(origin, sizeof origin, "from an export of Nsight Systems (%s%s): times, no counters%s", release,
             schema,
             is_whole
                 ? "; CUDA graphs whole, without the kernels of their launches (--cuda-graph-trace=node has "
                   "them)"
                 : "");
    session_set_origin(session, origin, "");
    if (!nsys->cursors[CURSOR_KERNELS].select && !nsys->cursors[CURSOR_GRAPHS].select &&
        !nsys->cursors[CURSOR_COPIES].select)
        sender_notice(
            nsys->sender, SEVERITY_WARNING,
            nsys->cursors[CURSOR_CALLS].select
                ? "The trace has CUDA calls, but no kernel and no copy: none was launched while it was captured, or "
                  "the driver reported none of them."
                : "The trace has no kernel, no copy and no call: CUDA was not traced (--trace=cuda), or the program "
                  "used no GPU.");
}

static enum status nsys_open(void **reader, struct session **session, struct sender **sender,
                             const char *path, struct error *error)
{
    struct nsys *nsys = calloc(1, sizeof *nsys);
    char utc[32] = "";
    if (!nsys || !(nsys->path = strdup(path))) {
        free(nsys);
        return error_no_memory(error, "to open %s", path);
    }
    *reader = nsys;
    idmap_init(&nsys->strings, STRINGS_MAX, (uint64_t)(uintptr_t)nsys);
    idmap_init(&nsys->domains, STREAMS_MAX, (uint64_t)(uintptr_t)nsys);
    enum status status = connect_database(nsys, error);
    if (status == STATUS_OK)
        status = open_cursors(nsys, error);
    nsys->base_ns = status == STATUS_OK ? first_time(nsys) : 0;
    if (status == STATUS_OK && nsys->base_ns == INT64_MAX)
        status =
            error_set(error, STATUS_FORMAT,
                      "%s is an export of Nsight Systems without any event of CUDA or NVTX. Profile with "
                      "--trace=cuda,nvtx.",
                      path);
    if (status != STATUS_OK)
        return status;
    read_one(nsys, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME", 0, utc, sizeof utc);
    const int64_t utc_ns = strtoll(utc, NULL, 10);
    status =
        sender_create(sender, session,
                      utc_ns > 0 && nsys->base_ns < INT64_MAX - utc_ns ? utc_ns + nsys->base_ns : 0, error);
    nsys->sender = *sender;
    if (status == STATUS_OK) {
        read_gpus(nsys);
        read_visible(nsys);
        read_streams(nsys);
        read_domains(nsys);
        say_what_it_is(nsys, *session);
    }
    return status;
}

static void say_what_was_left(struct nsys *nsys)
{
    if (nsys->migrations > 0)
        sender_notice(nsys->sender, SEVERITY_INFO,
                      "%" PRIu64
                      " migrations of unified memory moved %.1f MB: they are ranges of their own, no "
                      "work of a stream.",
                      nsys->migrations, (double)nsys->migrated_bytes / 1e6);
    if (nsys->os_calls_left > 0)
        sender_notice(nsys->sender, SEVERITY_INFO,
                      "%" PRIu64
                      " calls of the operating system were left out: of processes without CUDA, or "
                      "before a process's first event of CUDA or NVTX.",
                      nsys->os_calls_left);
    if (nsys->skipped > 0)
        sender_notice(nsys->sender, SEVERITY_WARNING,
                      "%" PRIu64 " rows were left out: they have no time, or end before they start.",
                      nsys->skipped);
}

static enum status nsys_step(void *reader, size_t most, bool *done, struct error *error)
{
    (void)error;
    struct nsys *nsys = reader;
    enum status status = STATUS_OK;
    size_t taken = 0;
    for (; taken < most && status == STATUS_OK; taken++) {
        struct cursor *first = &nsys->cursors[0];
        for (size_t i = 1; i < CURSORS; i++)
            if (nsys->cursors[i].next_ns < first->next_ns)
                first = &nsys->cursors[i];
        if (first->next_ns == INT64_MAX)
            break;
        nsys->last_ns = first->next_ns;
        if (first->table->take != take_range && column_number(first->select, 1) < first->next_ns)
            nsys->skipped++;
        else
            first->table->take(nsys, first->select);
        status = advance_cursor(nsys, first, NULL);
    }
    nsys->taken += taken;
    sender_until(nsys->sender, time_of(nsys, nsys->last_ns));
    *done = taken < most || status != STATUS_OK;
    if (status != STATUS_OK)
        sender_notice(nsys->sender, SEVERITY_WARNING,
                      "The trace is damaged: what follows %.3f s is missing (%s).",
                      (double)time_of(nsys, nsys->last_ns) / 1e9, sqlite3_errmsg(nsys->database));
    if (*done)
        say_what_was_left(nsys);
    return STATUS_OK;
}

static double nsys_progress(const void *reader)
{
    const struct nsys *nsys = reader;
    return nsys->taken < nsys->expected ? (double)nsys->taken / (double)nsys->expected : 1;
}

const struct import_format import_nsys = {
    .name = "an export of Nsight Systems",
    .recognises = nsys_recognises,
    .open = nsys_open,
    .step = nsys_step,
    .progress = nsys_progress,
    .close = nsys_close,
};
