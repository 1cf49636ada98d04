/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a recording that may come from a stranger: read-only, nothing of its schema is run, and its schema
 * must be ours.
 */
#include "core/base/database.h"

#include "core/recording/recording.h"
#include "core/recording/recording_file.h"
#include "core/recording/recording_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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
    char *uri = is_immutable(path) ? database_immutable_uri(path) : NULL;
    int result = uri ? sqlite3_open_v2(uri, database,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, NULL)
                     : recording_connect(path, SQLITE_OPEN_READONLY, database);
    sqlite3_free(uri);
    if (result != SQLITE_OK) {
        status = recording_error(*database, path, "opening it", error);
        goto fail;
    }
    database_distrust(*database, 1 << 20);
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

/* ---- a new file ---- */

/* Creating a recording's file. */

#define ASIDE_NAMES 100

/* Magic numbers of statfs(2). FUSE is among them: sshfs and the like cannot be distinguished from a local
 * one. */
static const struct {
    uint32_t type;
    const char *name;
} network_file_systems[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB 2"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x00c36400, "Ceph"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"},
    {0x73757245, "Coda"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
    {0x01021997, "9P"},
    {0x65735546, "FUSE"},
    {0x0000564c, "NCP"},
    {0x786f4256, "VirtualBox shared folder"},
    {0xbacbacbc, "VMware shared folder"},
};

const char *recording_network_file_system(int64_t type)
{
    for (size_t i = 0; i < sizeof network_file_systems / sizeof network_file_systems[0]; i++)
        if ((uint32_t)type == network_file_systems[i].type)
            return network_file_systems[i].name;
    return NULL;
}

const char *recording_path_network(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof folder)
        return NULL; /* opening it will fail, and say so */
    memcpy(folder, path, length);
    folder[length] = '\0';
    struct statfs status;
    if (statfs(length ? folder : ".", &status))
        return NULL;
    return recording_network_file_system((int64_t)status.f_type);
}

bool recording_has_header(const char *path)
{
    unsigned char head[72];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    ssize_t size = read(file, head, sizeof head);
    close(file);
    if (size == 0)
        return true;
    uint32_t id = (uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71];
    return size == (ssize_t)sizeof head && !memcmp(head, "SQLite format 3", 16) &&
           id == RECORDING_APPLICATION_ID;
}

/* Only without another connection can the journal mode be changed. */
enum status recording_settle(const char *path, struct error *error)
{
    sqlite3 *database = NULL;
    enum status status = STATUS_OK;
    int result = recording_connect(path, SQLITE_OPEN_READWRITE, &database);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    if ((result & 0xff) == SQLITE_BUSY || (result & 0xff) == SQLITE_LOCKED)
        status = error_set(
            error, STATUS_STATE,
            "%s is open in another program, perhaps still being recorded. End that program, or record to "
            "another file.",
            path);
    sqlite3_close(database);
    return status; /* a damaged recording may be replaced */
}

enum status recording_remove(const char *path, struct error *error)
{
    static const char *const endings[] = {"-wal", "-shm", "-journal", ""};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *name = sqlite3_mprintf("%s%s", path, endings[i]);
        if (!name)
            return error_no_memory(error, "to replace %s", path);
        int result = unlink(name);
        sqlite3_free(name);
        if (result && errno != ENOENT)
            return error_set_errno(
                error, errno == EACCES || errno == EPERM || errno == EROFS ? STATUS_PERMISSION : STATUS_IO,
                errno, "The old recording %s could not be replaced", path);
    }
    return STATUS_OK;
}

/* Moves the side files first: if one were left behind, SQLite would take it for the new file's. */
static bool move_file(const char *from, const char *to)
{
    static const char *const endings[] = {"-wal", "-journal", ""};
    int failed = 0;
    char *shared = sqlite3_mprintf("%s-shm", from);
    if (shared)
        unlink(shared);
    sqlite3_free(shared);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !failed; i++) {
        char *old = sqlite3_mprintf("%s%s", from, endings[i]), *new = sqlite3_mprintf("%s%s", to, endings[i]);
        errno = ENOMEM;
        failed = !old || !new || rename(old, new);
        int reason = errno;
        if (failed && reason == ENOENT && endings[i][0])
            failed = unlink(new) && errno != ENOENT;
        sqlite3_free(old);
        sqlite3_free(new);
        errno = reason;
    }
    return !failed;
}

/* Gives the old recording a name that no file has, to be freed with sqlite3_free. */
static enum status set_aside(const char *path, char **aside, struct error *error)
{
    int reason = EEXIST;
    for (int number = 0; number < ASIDE_NAMES && reason == EEXIST; number++) {
        *aside = number ? sqlite3_mprintf("%s" RECORDING_ASIDE ".%d", path, number)
                        : sqlite3_mprintf("%s" RECORDING_ASIDE, path);
        if (!*aside)
            return error_no_memory(error, "to replace %s", path);
        /* Create the name first, so that no other file is overwritten. */
        int file = open(*aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 && (close(file), move_file(path, *aside)))
            return STATUS_OK;
        reason = errno;
        if (file >= 0)
            unlink(*aside);
        sqlite3_free(*aside);
        *aside = NULL;
    }
    return error_set_errno(
        error, reason == EACCES || reason == EPERM || reason == EROFS ? STATUS_PERMISSION : STATUS_IO, reason,
        "The old recording %s could not be replaced", path);
}

enum status recording_put_back(const char *aside, const char *path, struct error *error)
{
    enum status status = recording_remove(path, error);
    if (status == STATUS_OK && !move_file(aside, path))
        status = error_set_errno(
            error, STATUS_IO, errno,
            "Nothing was recorded, and the previous recording could not be restored: it is %s", aside);
    return status;
}

bool recording_lies_aside(const char *path, char *aside, size_t size_bytes)
{
    struct stat status;
    int length = snprintf(aside, size_bytes, "%s" RECORDING_ASIDE, path);
    return length > 0 && (size_t)length < size_bytes && stat(aside, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size > 0 && recording_has_header(aside);
}

static enum status make_way(const char *path, bool overwrite, char **aside, struct error *error)
{
    struct stat old;
    if (stat(path, &old))
        return error_set_errno(error, STATUS_IO, errno, "%s could not be examined", path);
    if (!S_ISREG(old.st_mode))
        return error_set(error, STATUS_USAGE, "%s is not a regular file: record to another name.", path);
    if (!recording_has_header(path))
        return error_set(
            error, STATUS_USAGE,
            "%s exists and is not a recording of lanescope, so it is not replaced. Record to another name.",
            path);
    if (!overwrite)
        return error_set(error, STATUS_USAGE,
                         "%s exists already. Record to another name, or remove it first.", path);
    enum status status = recording_settle(path, error);
    if (status != STATUS_OK)
        return status;
    return old.st_size > 0 ? set_aside(path, aside, error) : recording_remove(path, error);
}

static enum status create_empty(const char *path, bool overwrite, char **aside, struct error *error)
{
    for (int tries = 0; tries < 2; tries++) {
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
            close(file);
            return STATUS_OK;
        }
        if (errno == EACCES || errno == EPERM || errno == EROFS)
            return error_set_errno(
                error, STATUS_PERMISSION, errno,
                "The recording %s could not be created; record to a folder that you may write to", path);
        if (errno != EEXIST || tries > 0)
            break;
        enum status status = make_way(path, overwrite, aside, error);
        if (status != STATUS_OK)
            return status;
    }
    return error_set_errno(
        error, STATUS_IO, errno,
        "The recording %s could not be created; record to a folder that exists and has free space", path);
}

static enum status create_schema(sqlite3 *database, const char *path, struct error *error)
{
    size_t count;
    const struct schema_object *objects = recording_schema(&count);
    char sql[128];
    enum status status = recording_execute(database, path, "BEGIN IMMEDIATE", error);
    snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", RECORDING_APPLICATION_ID,
             RECORDING_VERSION);
    if (status == STATUS_OK)
        status = recording_execute(database, path, sql, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = recording_execute(database, path, objects[i].sql, error);
    return status == STATUS_OK ? recording_execute(database, path, "COMMIT", error) : status;
}

enum status recording_create(sqlite3 **database, const char *path, bool overwrite, const char *network,
                             char **aside, struct error *error)
{
    *database = NULL;
    *aside = NULL;
    enum status status = create_empty(path, overwrite, aside, error);
    if (status != STATUS_OK)
        goto put_back;
    if (recording_connect(path, SQLITE_OPEN_READWRITE, database) != SQLITE_OK) {
        status = recording_error(*database, path, "creating it", error);
        goto fail;
    }
    sqlite3_busy_timeout(*database, 2000);
    /* The schema is written before WAL is on, so that the file is a recording whatever happens later. Deleted
     * rows are not overwritten with zeros. */
    status = recording_execute(*database, path, "PRAGMA secure_delete=OFF; PRAGMA temp_store=MEMORY", error);
    if (status == STATUS_OK && network)
        status = recording_execute(*database, path, "PRAGMA locking_mode=EXCLUSIVE", error);
    if (status == STATUS_OK)
        status = create_schema(*database, path, error);
    if (status == STATUS_OK)
        status = recording_execute(
            *database, path,
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0", error);
    if (status == STATUS_OK)
        return STATUS_OK;
fail:
    sqlite3_close(*database);
    *database = NULL;
    recording_remove(path, NULL); /* we made it just now */
put_back:
    if (*aside)
        recording_put_back(*aside, path, NULL);
    sqlite3_free(*aside);
    *aside = NULL;
    return status;
}

/* ---- bookmarks ---- */

/* Bookmarks in a recording that has ended: the one thing that is ever added to it. */

/* Can it be changed: is it a recording that nobody is writing? */
static enum status file_check(const char *path, struct error *error)
{
    sqlite3 *database;
    int64_t finished = 0;
    enum status status = recording_open(&database, path, error);
    if (status != STATUS_OK)
        return status;
    status = recording_number(database, path, "SELECT value FROM meta WHERE key = 'finished'", 0, &finished,
                              error);
    sqlite3_close(database);
    if (status != STATUS_OK)
        return status;
    if (!finished)
        return error_set(error, STATUS_STATE,
                         "The bookmark is not saved: %s is still being recorded, or was cut off. The "
                         "bookmark stays until this screen is closed.",
                         path);
    return STATUS_OK;
}

static enum status bookmark_insert(sqlite3 *database, const char *path, const struct bookmark_row *row,
                                   struct error *error)
{
    struct bookmark_record record = {.row = *row};
    char sql[256];
    sqlite3_stmt *statement;
    int64_t last = -1;
    enum status status = recording_number(database, path, "SELECT max(id) FROM bookmark", -1, &last, error);
    if (status != STATUS_OK)
        return status;
    record.id = (uint32_t)(last + 1);
    if (!recording_insert_sql(recording_table(TABLE_BOOKMARK), 1, sql, sizeof sql))
        return error_set(error, STATUS_FORMAT, "The table of bookmarks has too many columns.");
    status = recording_prepare(database, path, sql, &statement, error);
    if (status != STATUS_OK)
        return status;
    if (row_write(statement, recording_table(TABLE_BOOKMARK), &record, NULL) != SQLITE_DONE)
        status = recording_error(database, path, "saving the bookmark", error);
    sqlite3_finalize(statement);
    return status;
}

enum status recording_add_bookmark(const char *path, const struct bookmark_row *row, struct error *error)
{
    sqlite3 *database = NULL;
    struct error why = {0};
    enum status status = file_check(path, error);
    if (status != STATUS_OK)
        return status;
    if (recording_connect(path, SQLITE_OPEN_READWRITE, &database) != SQLITE_OK)
        status = recording_error(database, path, "opening it to write", &why);
    else if (sqlite3_db_readonly(database, "main") == 1)
        status = error_set(&why, STATUS_PERMISSION, "This user may not write %s.", path);
    if (status == STATUS_OK) {
        sqlite3_busy_timeout(database, 1000);
        status = recording_execute(database, path, "BEGIN IMMEDIATE", &why);
    }
    if (status == STATUS_OK)
        status = bookmark_insert(database, path, row, &why);
    if (status == STATUS_OK)
        status = recording_execute(database, path, "COMMIT", &why);
    sqlite3_close(database);
    if (status != STATUS_OK)
        return error_set(error, status,
                         "The bookmark is not saved, but stays until this screen is closed: %s", why.text);
    return STATUS_OK;
}
