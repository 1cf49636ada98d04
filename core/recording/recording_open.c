/*
 * Opening a recording that may come from a stranger: read-only, nothing of its schema is run, and its schema
 * must be ours.
 */
#include "core/base/append.h"
#include "core/recording/recording.h"
#include "core/recording/recording_file.h"
#include "core/recording/recording_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- who writes ---- */
static void read_line(const char *path, char *text, size_t size_bytes)
{
    text[0] = '\0';
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t size = read(file, text, size_bytes - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* When the process started, in ticks since boot: field 22 of its stat, counted after the last ')' of its
 * name. 0: no such process. */
static uint64_t process_start(long pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    read_line(path, text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

/* The boot and the pid namespace that a pid belongs to. */
static void process_world(char *text, size_t size_bytes)
{
    char boot[64], pids[64];
    read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t size = readlink("/proc/self/ns/pid", pids, sizeof pids - 1);
    pids[size > 0 ? size : 0] = '\0';
    snprintf(text, size_bytes, "%s %s", boot, pids);
}

void recording_writer_identity(char *text, size_t size_bytes)
{
    char world[160];
    process_world(world, sizeof world);
    snprintf(text, size_bytes, "%ld %" PRIu64 " %s", (long)getpid(), process_start((long)getpid()), world);
}

enum writer_life recording_writer_lives(const char *identity)
{
    char *end;
    char world[160];
    errno = 0;
    long pid = strtol(identity, &end, 10);
    if (errno || pid <= 0 || *end != ' ')
        return WRITER_UNKNOWN;
    uint64_t start = strtoull(end + 1, &end, 10);
    process_world(world, sizeof world);
    if (!start || *end != ' ' || strcmp(end + 1, world))
        return WRITER_UNKNOWN;
    return process_start(pid) == start ? WRITER_LIVES : WRITER_ENDED;
}

/* ---- opening ---- */
/* "file:PATH?immutable=1", with every special byte escaped; to be freed with sqlite3_free. */
static char *immutable_uri(const char *path)
{
    static const char ending[] = "?immutable=1";
    size_t room = 5 + 3 * strlen(path) + sizeof ending;
    char *uri = sqlite3_malloc64(room);
    if (!uri)
        return NULL;
    size_t length = 0;
    append_text(uri, room, &length, "file:");
    for (const unsigned char *byte = (const unsigned char *)path; *byte; byte++) {
        bool plain = (*byte >= 'a' && *byte <= 'z') || (*byte >= 'A' && *byte <= 'Z') ||
                     (*byte >= '0' && *byte <= '9') || strchr("/._-", *byte);
        append_text(uri, room, &length, plain ? "%c" : "%%%02x", *byte);
    }
    memcpy(uri + length, ending, sizeof ending);
    return uri;
}

/* A recording in a folder where no file can be created is read without locks, but never if it has a -wal,
 * which holds rows. */
static bool is_immutable(const char *path)
{
    struct stat status;
    char folder[4096];
    char *wal = sqlite3_mprintf("%s-wal", path);
    bool beside_wal = !wal || stat(wal, &status) == 0;
    sqlite3_free(wal);
    if (beside_wal)
        return false;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    else
        snprintf(folder, sizeof folder, ".");
    return access(folder, W_OK) != 0;
}

static enum status check_path(const char *path, struct error *error)
{
    struct stat status;
    char aside[4096];
    if (stat(path, &status) && errno == ENOENT && recording_lies_aside(path, aside, sizeof aside))
        return error_set(error, STATUS_IO,
                         "There is no file %s, but %s is the previous recording: lanescope was killed while "
                         "replacing it. Rename it to recover it.",
                         path, aside);
    if (stat(path, &status) && errno == ENOENT)
        return error_set(error, STATUS_IO,
                         "There is no file %s. Name a recording that lanescope --record FILE wrote.", path);
    if (stat(path, &status))
        return error_set_errno(error, errno == EACCES ? STATUS_PERMISSION : STATUS_IO, errno,
                               "The recording %s could not be opened", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, STATUS_FORMAT,
                         "%s is not a file. Name a recording that lanescope --record FILE wrote.", path);
    if (access(path, R_OK))
        return error_set_errno(error, STATUS_PERMISSION, errno, "The recording %s may not be read", path);
    if (status.st_size == 0)
        return error_set(
            error, STATUS_FORMAT,
            "%s is empty: it is not a recording of lanescope. lanescope --record FILE writes recordings.",
            path);
    return STATUS_OK;
}

/* Limits on what a hostile file can make SQLite do; our own files stay far below them. */
static void database_distrust(sqlite3 *database)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
    sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 100);
    sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 10);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

static enum status check_identity(sqlite3 *database, const char *path, struct error *error)
{
    int64_t application = 0, number = 0;
    enum status status = recording_number(database, path, "PRAGMA application_id", 0, &application, error);
    if (status == STATUS_OK)
        status = recording_number(database, path, "PRAGMA user_version", 0, &number, error);
    if (status != STATUS_OK)
        return status;
    if (application != RECORDING_APPLICATION_ID)
        return error_set(error, STATUS_FORMAT,
                         "%s is an SQLite file, but not a recording of lanescope. lanescope --record FILE "
                         "writes recordings.",
                         path);
    if (number > RECORDING_VERSION)
        return error_set(error, STATUS_VERSION,
                         "%s is a recording of version %" PRId64
                         ", newer than this lanescope (" LANESCOPE_VERSION
                         ") can read, which is up to version %d. Use a newer lanescope.",
                         path, number, RECORDING_VERSION);
    if (number < 1)
        return error_set(error, STATUS_FORMAT,
                         "%s names version %" PRId64 " of recordings, which does not exist: it is damaged.",
                         path, number);
    return STATUS_OK;
}

/* Same texts, apart from views and tables that a person may have added: those are never read. */
static enum status check_object(const char *path, const struct schema_object *ours, size_t count,
                                sqlite3_stmt *row, size_t *found, struct error *error)
{
    const char *type = (const char *)sqlite3_column_text(row, 0);
    const char *name = (const char *)sqlite3_column_text(row, 1);
    const char *sql = (const char *)sqlite3_column_text(row, 2);
    if (!type || !name)
        return error_set(error, STATUS_FORMAT, "%s has an object without a name: it is damaged.", path);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, ours[i].name))
            continue;
        if (strcmp(type, ours[i].type) || !sql || strcmp(sql, ours[i].sql))
            return error_set(error, STATUS_FORMAT,
                             "%s is not a recording that lanescope wrote: its %s \"%s\" differs.", path, type,
                             name);
        *found += !ours[i].later;
        return STATUS_OK;
    }
    if (!strcmp(type, "table") || !strcmp(type, "view"))
        return STATUS_OK;
    return error_set(error, STATUS_FORMAT,
                     "%s has the %s \"%s\", which lanescope did not make and does not run. Remove it with "
                     "the sqlite3 shell "
                     "(DROP) if you trust the file.",
                     path, type, name);
}

static enum status check_schema(sqlite3 *database, const char *path, struct error *error)
{
    size_t count, found = 0, needed = 0;
    const struct schema_object *ours = recording_schema(&count);
    for (size_t i = 0; i < count; i++)
        needed += !ours[i].later;
    sqlite3_stmt *row = NULL;
    enum status status =
        recording_prepare(database, path, "SELECT type, name, sql FROM sqlite_schema", &row, error);
    int result = SQLITE_DONE;
    while (status == STATUS_OK && (result = sqlite3_step(row)) == SQLITE_ROW)
        status = check_object(path, ours, count, row, &found, error);
    if (status == STATUS_OK && result != SQLITE_DONE)
        status = recording_error(database, path, "reading its schema", error);
    sqlite3_finalize(row);
    if (status == STATUS_OK && found != needed)
        status =
            error_set(error, STATUS_FORMAT, "%s lacks tables that a recording has: it is damaged.", path);
    return status;
}

enum status recording_open(sqlite3 **database, const char *path, struct error *error)
{
    *database = NULL;
    enum status status = check_path(path, error);
    if (status != STATUS_OK)
        return status;
    char *uri = is_immutable(path) ? immutable_uri(path) : NULL;
    int result = uri ? sqlite3_open_v2(uri, database,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL)
                     : recording_connect(path, SQLITE_OPEN_READONLY, database);
    sqlite3_free(uri);
    if (result != SQLITE_OK) {
        status = recording_error(*database, path, "opening it", error);
        goto fail;
    }
    database_distrust(*database);
    sqlite3_busy_timeout(*database, 2000);
    if (sqlite3_exec(
            *database,
            "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON; PRAGMA temp_store=MEMORY; "
            "PRAGMA cache_size=-16384",
            NULL, NULL, NULL) != SQLITE_OK)
        status = recording_error(*database, path, "opening it", error);
    if (status == STATUS_OK)
        status = check_identity(*database, path, error);
    if (status == STATUS_OK)
        status = check_schema(*database, path, error);
    if (status == STATUS_OK)
        return STATUS_OK;
fail:
    sqlite3_close(*database);
    *database = NULL;
    return status;
}
