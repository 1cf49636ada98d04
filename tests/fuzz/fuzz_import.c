/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of other tools against hostile ones. Input that begins as a file of SQLite or as JSON is a file as it stands. Else
 * its first byte chooses an export of Nsight Systems or a database of rocprof, and the rest is a list of changes to it,
 * 12 bytes each: table, column, row, kind of change, value. A change sets values, renames a column or drops a table, as
 * releases do. Whatever comes, the session must hold together.
 */
#include "core/recording/recording.h"
#include "session_check.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHANGE_BYTES 12
#define CHANGES_MOST 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* clang-format off */
static const char nsys_sql[] =
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1'), ('EXPORT_SCHEMA_VERSION', '3.24');"
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'void k<4>(int)'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaMemcpyAsync_v3020'), (4, 'step 1'), (5, 'poll');"
    "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
    "INSERT INTO PROCESSES VALUES (281543696187392, 4000, 'train');"
    "CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER); INSERT INTO MPI_RANKS VALUES (281543696191392, 3);"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER); INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);"
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, chipName TEXT, computeMajor INTEGER, computeMinor INTEGER, smCount INTEGER,"
    " maxWarpsPerSm INTEGER, clockRate INTEGER, totalMemory INTEGER); INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 'GH100', 9, 0, 132, 64, 1980000000, 80000000000);"
    "CREATE TABLE TARGET_INFO_CUDA_STREAM (streamId INTEGER, contextId INTEGER, processId INTEGER, priority INTEGER, flag INTEGER);"
    "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES (7, 1, 4000, 0, 3), (13, 1, 4000, -1, 2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER,"
    " nameId INTEGER, returnValue INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 1000 * x, 1000 * x + 400, 0, 281543696191392, x, 2 + x % 2, 0 FROM"
    " (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 12) SELECT x FROM n);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER,"
    " blockX INTEGER, blockY INTEGER, blockZ INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 700, start + 1500, 0, 1, 7, correlationId, 281543696187392, 1, 32, 64, 1, 1, 128, 1, 1, 0"
    " FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = 2;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT start + 500, start + 900, 0, 1, 13, correlationId, 281543696187392, 4096, 1 + correlationId, 0, 2"
    " FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId = 3;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, syncType INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (9000, 9900, 0, 1, 7, 9, 281543696187392, 3);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, graphId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (12500, 14000, 0, 1, 7, 12, 281543696187392, 3);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, text TEXT, textId INTEGER, domainId INTEGER, color INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES (900, 5000, 59, 281543696191392, NULL, 4, 0, 1), (5000, 9000, 60, 281543696191392, 'aten::add, seq = 3', NULL, 1, 0),"
    " (0, NULL, 75, 281543696191392, 'NCCL', NULL, 1, 0), (6000, NULL, 34, 281543696191392, 'mark', NULL, 0, 0);"
    "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER); INSERT INTO OSRT_API VALUES (1500, 1900, 281543696191392, 5);"
    "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER); INSERT INTO PROFILER_OVERHEAD VALUES (2500, 2900, 281543696191392, 5);";

static const char rocpd_sql[] =
    "CREATE TABLE rocpd_metadata (tag TEXT, value TEXT); INSERT INTO rocpd_metadata VALUES ('schema_version', '3');"
    "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);"
    "INSERT INTO rocpd_string VALUES (1, 'g', 'hipLaunchKernel'), (2, 'g', 'HIP_API'), (3, 'g', 'MEMORY_COPY_HOST_TO_DEVICE');"
    "CREATE TABLE rocpd_info_node (id INTEGER PRIMARY KEY, guid TEXT, hostname TEXT); INSERT INTO rocpd_info_node VALUES (1, 'g', 'host');"
    "CREATE TABLE rocpd_info_process (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, command TEXT); INSERT INTO rocpd_info_process VALUES (1, 'g', 1, 4000, 'train');"
    "CREATE TABLE rocpd_info_thread (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER); INSERT INTO rocpd_info_thread VALUES (1, 'g', 1, 1, 4000);"
    "CREATE TABLE rocpd_info_agent (id INTEGER PRIMARY KEY, guid TEXT, type TEXT, type_index INTEGER, name TEXT, product_name TEXT, extdata TEXT);"
    "INSERT INTO rocpd_info_agent VALUES (1, 'g', 'GPU', 0, 'gfx942', 'MI300', '{}');"
    "CREATE TABLE rocpd_info_kernel_symbol (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER);"
    "INSERT INTO rocpd_info_kernel_symbol VALUES (1, 'g', 'k', 'k', 32);"
    "CREATE TABLE rocpd_event (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, correlation_id INTEGER, extdata TEXT);"
    "INSERT INTO rocpd_event VALUES (1, 'g', 2, 1, 1, '{}'), (2, 'g', 2, 1, 1, '{}'), (3, 'g', 2, 2, 2, '{}');"
    "CREATE TABLE rocpd_region (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER, event_id INTEGER);"
    "INSERT INTO rocpd_region VALUES (1, 'g', 1, 1, 1, 1000, 2000, 1, 1);"
    "CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER,"
    " start INTEGER, end INTEGER, kernel_id INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,"
    " grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);"
    "INSERT INTO rocpd_kernel_dispatch VALUES (1, 'g', 1, 1, 1, 1, 1, 1, 2500, 4000, 1, 0, 64, 1, 1, 640, 1, 1, 2);"
    "CREATE TABLE rocpd_memory_copy (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, name_id INTEGER,"
    " dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);"
    "INSERT INTO rocpd_memory_copy VALUES (1, 'g', 1, 1, 1, 5000, 6000, 3, 1, 1, 4096, 1, 1, 3);";
/* clang-format on */

static char path[64];

/* The good databases, as the bytes of their files. */
static struct {
    unsigned char *bytes;
    sqlite3_int64 size;
} good[2];

static void remove_file(void)
{
    unlink(path);
    for (size_t i = 0; i < 2; i++)
        sqlite3_free(good[i].bytes);
}

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void write_file(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "the input cannot be written");
}

/* The name in the nth row, of as many as there are. */
static bool nth_name(sqlite3 *database, const char *sql, const char *of, unsigned nth, char name[80])
{
    sqlite3_stmt *row;
    unsigned count = 0;
    name[0] = '\0';
    must(sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK, sql);
    if (of)
        sqlite3_bind_text(row, 1, of, -1, SQLITE_STATIC);
    while (sqlite3_step(row) == SQLITE_ROW)
        count++;
    sqlite3_reset(row);
    for (unsigned i = 0; count > 0 && i <= nth % count && sqlite3_step(row) == SQLITE_ROW; i++)
        snprintf(name, 80, "%s", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return name[0] != '\0';
}

static void set_value(sqlite3 *database, const char *table, const char *column, const uint8_t *bytes)
{
    char sql[300];
    sqlite3_stmt *update;
    int64_t number;
    double real;
    memcpy(&number, bytes + 4, sizeof number);
    memcpy(&real, bytes + 4, sizeof real);
    snprintf(sql, sizeof sql, "UPDATE OR IGNORE \"%s\" SET \"%s\" = ? WHERE rowid %% 4 = %u", table, column,
             bytes[2] % 4u);
    if (sqlite3_prepare_v2(database, sql, -1, &update, NULL) != SQLITE_OK)
        return;
    switch (bytes[3] % 8) {
    case 0: sqlite3_bind_int64(update, 1, number); break;
    case 1: sqlite3_bind_int64(update, 1, (int8_t)bytes[4]); break;
    case 2: sqlite3_bind_double(update, 1, real); break;
    case 3: sqlite3_bind_text(update, 1, (const char *)bytes + 4, 8, SQLITE_TRANSIENT); break;
    case 4: sqlite3_bind_blob(update, 1, bytes + 4, 8, SQLITE_TRANSIENT); break;
    case 5: sqlite3_bind_int64(update, 1, INT64_MAX - bytes[4]); break;
    default: sqlite3_bind_null(update, 1); break;
    }
    sqlite3_step(update);
    sqlite3_finalize(update);
}

static void change(sqlite3 *database, const uint8_t *bytes)
{
    char table[80], column[80], sql[300];
    if (!nth_name(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", NULL,
                  bytes[0], table) ||
        !nth_name(database, "SELECT name FROM pragma_table_info(?)", table, bytes[1], column))
        return;
    if (bytes[3] < 0xf0) {
        set_value(database, table, column, bytes);
        return;
    }
    if (bytes[3] < 0xf8)
        snprintf(sql, sizeof sql, "ALTER TABLE \"%s\" RENAME COLUMN \"%s\" TO another%u", table, column,
                 bytes[4]);
    else
        snprintf(sql, sizeof sql, "DROP TABLE \"%s\"", table);
    sqlite3_exec(database, sql, NULL, NULL, NULL);
}

static void make_good(void)
{
    for (size_t i = 0; i < 2; i++) {
        sqlite3 *memory;
        must(sqlite3_open(":memory:", &memory) == SQLITE_OK, "no memory");
        sqlite3_exec(memory, "PRAGMA page_size=512", NULL, NULL, NULL);
        must(sqlite3_exec(memory, i == 0 ? nsys_sql : rocpd_sql, NULL, NULL, NULL) == SQLITE_OK,
             sqlite3_errmsg(memory));
        good[i].bytes = sqlite3_serialize(memory, "main", &good[i].size, 0);
        must(good[i].bytes, "no memory");
        sqlite3_close(memory);
    }
}

static void make_database(const uint8_t *data, size_t size)
{
    sqlite3 *memory = NULL;
    const size_t which = size > 0 ? data[0] % 2 : 0;
    sqlite3_int64 bytes = good[which].size;
    unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)bytes * 2);
    must(copy && sqlite3_open(":memory:", &memory) == SQLITE_OK, "no memory");
    memcpy(copy, good[which].bytes, (size_t)bytes);
    must(sqlite3_deserialize(memory, "main", copy, bytes, bytes * 2,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK,
         "no memory");
    for (size_t at = 1, n = 0; at + CHANGE_BYTES <= size && n < CHANGES_MOST; at += CHANGE_BYTES, n++)
        change(memory, data + at);
    unsigned char *file = sqlite3_serialize(memory, "main", &bytes, 0);
    must(file, "no memory");
    write_file(file, (size_t)bytes);
    sqlite3_free(file);
    sqlite3_close(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/fuzz-import-%ld", (long)getpid());
        make_good();
        atexit(remove_file);
        /* What is changed is read at all. */
        for (uint8_t format = 0; format < 2; format++) {
            struct session *session = NULL;
            make_database(&format, 1);
            must(recording_load(&session, path, &(struct error){0}) == STATUS_OK &&
                     session_kernel_count(session) > 0,
                 "an unchanged database is not read");
            session_destroy(session);
        }
    }
    if (size > 0 && (data[0] == '{' || data[0] == '[' || data[0] == 0x1f || data[0] == 'S'))
        write_file(data, size);
    else
        make_database(data, size);
    struct session *session = NULL;
    struct error error = {0};
    const enum status status = recording_load(&session, path, &error);
    session_check_loaded(session, status, &error);
    session_destroy(session);
    return 0;
}
