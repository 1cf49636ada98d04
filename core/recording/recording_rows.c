/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one place where a C record meets a row of SQLite.
 */
#include "core/recording/recording_schema.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- writing ---- */
#define GET(type)                         \
    {                                     \
        type value;                       \
        memcpy(&value, at, sizeof value); \
        return value;                     \
    }
static int64_t integer_get(const struct record_column *column, const unsigned char *at)
{
    switch ((enum column_type)column->type) {
    case COLUMN_U8: GET(uint8_t)
    case COLUMN_U16: GET(uint16_t)
    case COLUMN_U32: GET(uint32_t)
    case COLUMN_I8: GET(int8_t)
    case COLUMN_I32: GET(int32_t)
    default:
        GET(int64_t) /* an unsigned number above INT64_MAX becomes negative and is rejected when it is read */
    }
}

static int column_bind(sqlite3_stmt *insert, int index, const struct record_column *column,
                       const unsigned char *record)
{
    const unsigned char *at = record + column->offset;
    switch ((enum column_type)column->type) {
    case COLUMN_F64: {
        double number;
        memcpy(&number, at, sizeof number);
        return sqlite3_bind_double(insert, index, number); /* SQLite makes NULL of NaN */
    }
    case COLUMN_TEXT:
        return sqlite3_bind_text(insert, index, (const char *)at,
                                 (int)strnlen((const char *)at, column->size_bytes), SQLITE_STATIC);
    case COLUMN_BLOB: {
        const struct blob *blob = (const void *)at;
        return !blob->bytes
                   ? sqlite3_bind_null(insert, index)
                   : sqlite3_bind_blob(insert, index, blob->bytes, (int)blob->size_bytes, SQLITE_STATIC);
    }
    case COLUMN_BYTES: return sqlite3_bind_blob(insert, index, at, column->size_bytes, SQLITE_STATIC);
    default: {
        int64_t value = integer_get(column, at);
        if (column->nullable && value == column->null)
            return sqlite3_bind_null(insert, index);
        return sqlite3_bind_int64(insert, index, value);
    }
    }
}

/* Numbers stay bound from one row to the next: binding takes half as long as SQLite's work on them. */
static bool is_bound(const struct record_column *column, const unsigned char *record,
                     const unsigned char *before)
{
    if (!before || column->type > COLUMN_F64)
        return false;
    record += column->offset;
    before += column->offset;
    switch (column->size_bytes) { /* known sizes: no call */
    case 1: return *record == *before;
    case 2: return memcmp(record, before, 2) == 0;
    case 4: return memcmp(record, before, 4) == 0;
    default: return memcmp(record, before, 8) == 0;
    }
}

int row_bind(sqlite3_stmt *insert, int first, const struct record_table *table, const void *record,
             const void *before)
{
    int result = SQLITE_OK;
    for (size_t i = 0; i < table->column_count && result == SQLITE_OK; i++)
        if (!is_bound(&table->columns[i], record, before))
            result = column_bind(insert, first + (int)i, &table->columns[i], record);
    return result;
}

int rows_insert(sqlite3_stmt *insert)
{
    int result = sqlite3_step(insert);
    int reset = sqlite3_reset(insert);
    return result == SQLITE_DONE ? result : reset != SQLITE_OK ? reset : result;
}

int row_write(sqlite3_stmt *insert, const struct record_table *table, const void *record, const void *before)
{
    int result = row_bind(insert, 1, table, record, before);
    return result == SQLITE_OK ? rows_insert(insert) : result;
}

/* ---- reading ---- */
static void integer_put(const struct record_column *column, unsigned char *at, int64_t value)
{
    /* The value must lie within the column's range, and this within the range of the C type. */
    switch (column->size_bytes) {
    case 1: {
        uint8_t bits = (uint8_t)value;
        memcpy(at, &bits, sizeof bits);
        break;
    }
    case 2: {
        uint16_t bits = (uint16_t)value;
        memcpy(at, &bits, sizeof bits);
        break;
    }
    case 4: {
        uint32_t bits = (uint32_t)value;
        memcpy(at, &bits, sizeof bits);
        break;
    }
    default: memcpy(at, &value, sizeof value);
    }
}

/* By one call into the statement: its connection is of one thread, so that its values may be asked as they are. */
static bool integer_read(sqlite3_value *cell, const struct record_column *column,
                         const struct row_limits *limits, unsigned char *at)
{
    int type = sqlite3_value_type(cell);
    if (type == SQLITE_NULL && column->nullable) {
        integer_put(column, at, column->null);
        return true;
    }
    if (type != SQLITE_INTEGER)
        return false;
    int64_t value = sqlite3_value_int64(cell);
    if (column->sum && value < 0)
        value = column->most;
    if (value < column->least || value > column->most)
        return false;
    if (column->reference == REFERS_STRING) {
        if (value > limits->rows[REFERS_STRING])
            return false;
        value = limits->strings[value];
    } else if (column->reference != REFERS_NOTHING && value >= limits->rows[column->reference]) {
        return false;
    }
    integer_put(column, at, value);
    return true;
}

static bool real_read(sqlite3_stmt *select, int index, unsigned char *at)
{
    double number = NAN;
    int type = sqlite3_column_type(select, index);
    if (type == SQLITE_FLOAT || type == SQLITE_INTEGER)
        number = sqlite3_column_double(select, index);
    else if (type != SQLITE_NULL)
        return false;
    memcpy(at, &number, sizeof number);
    return true;
}

/* Texts in a record are terminated and end at their first NUL; blobs have exactly their size. */
static bool bytes_read(sqlite3_stmt *select, int index, const struct record_column *column, unsigned char *at)
{
    bool text = column->type == COLUMN_TEXT;
    if (sqlite3_column_type(select, index) != (text ? SQLITE_TEXT : SQLITE_BLOB))
        return false;
    const void *bytes =
        text ? (const void *)sqlite3_column_text(select, index) : sqlite3_column_blob(select, index);
    size_t size = (size_t)sqlite3_column_bytes(select, index);
    if (!bytes || (text ? size >= column->size_bytes : size != column->size_bytes))
        return false;
    memset(at, 0, column->size_bytes);
    memcpy(at, bytes, text ? strnlen(bytes, size) : size);
    return true;
}

/* Of any size: the reader of the record checks it. */
static bool blob_read(sqlite3_stmt *select, int index, unsigned char *at)
{
    int type = sqlite3_column_type(select, index);
    struct blob blob = {NULL, 0};
    if (type == SQLITE_BLOB) {
        blob.bytes = sqlite3_column_blob(select, index);
        blob.size_bytes = (uint32_t)sqlite3_column_bytes(select, index);
    }
    memcpy(at, &blob, sizeof blob);
    return type == SQLITE_NULL || blob.bytes;
}

const char *row_read(sqlite3_stmt *select, const struct record_table *table, const struct row_limits *limits,
                     void *record)
{
    memset(record, 0, table->record_bytes);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct record_column *column = &table->columns[i];
        unsigned char *at = (unsigned char *)record + column->offset;
        bool fits;
        if (column->type == COLUMN_F64)
            fits = real_read(select, (int)i, at);
        else if (column->type == COLUMN_BLOB)
            fits = blob_read(select, (int)i, at);
        else if (column->type == COLUMN_TEXT || column->type == COLUMN_BYTES)
            fits = bytes_read(select, (int)i, column, at);
        else
            fits = integer_read(sqlite3_column_value(select, (int)i), column, limits, at);
        if (!fits)
            return column->name;
    }
    return NULL;
}

/* ---- SQLite ---- */
/* A relative name could mean something special to SQLite: ":memory:", "file:...". */
int recording_connect(const char *path, int flags, sqlite3 **database)
{
    char *plain = sqlite3_mprintf("%s%s", path[0] == '/' ? "" : "./", path);
    *database = NULL;
    if (!plain)
        return SQLITE_NOMEM;
    int result = sqlite3_open_v2(plain, database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_free(plain);
    return result;
}

int recording_errno(sqlite3 *database)
{
    int number = sqlite3_system_errno(database);
    sqlite3_file *file = NULL; /* SQLite itself asks only some of its files for errno */
    if (number == 0)
        sqlite3_file_control(database, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    if (number == 0 &&
        sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK && file &&
        file->pMethods)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

enum status recording_error(sqlite3 *database, const char *path, const char *what, struct error *error)
{
    int code = database ? sqlite3_errcode(database) : SQLITE_NOMEM;
    int system = database ? recording_errno(database) : 0;
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return error_set(error, STATUS_FORMAT,
                         "%s is not a recording of lanescope: it is not an SQLite file. lanescope --record "
                         "FILE writes recordings.",
                         path);
    case SQLITE_ERROR:
        return error_set(error, STATUS_FORMAT, "%s cannot be used as a recording: %s, while %s.", path,
                         sqlite3_errmsg(database), what);
    case SQLITE_CORRUPT:
        return error_set(error, STATUS_FORMAT,
                         "%s is damaged (%s), found while %s. Take another copy of it; the sqlite3 shell's "
                         "command .recover may still get rows out of this one.",
                         path, sqlite3_errmsg(database), what);
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        if (sqlite3_extended_errcode(database) == SQLITE_READONLY_ROLLBACK)
            return error_set(error, STATUS_FORMAT,
                             "%s was being created when its program was killed, and is empty. Remove it and "
                             "its -journal file.",
                             path);
        return error_set(
            error, STATUS_PERMISSION,
            "No permission for %s, or for its folder (%s), while %s. Copy it, with its -wal file if there "
            "is one, to a folder of your own.",
            path, sqlite3_errmsg(database), what);
    case SQLITE_CANTOPEN:
        if (system == EACCES || system == EPERM || system == EROFS)
            return error_set_errno(error, STATUS_PERMISSION, system, "%s could not be opened while %s", path,
                                   what);
        return error_set_errno(error, STATUS_IO, system ? system : ENOENT, "%s could not be opened while %s",
                               path, what);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(
            error, STATUS_STATE,
            "%s is locked by another program, while %s. On a network file system a recording cannot be "
            "opened while it is written; otherwise try again when that program has ended.",
            path, what);
    case SQLITE_FULL:
        return error_set(
            error, STATUS_IO,
            "The disk of %s is full, found while %s. Make room there, or record to another disk.", path,
            what);
    case SQLITE_NOMEM: return error_set(error, STATUS_MEMORY, "%s: out of memory while %s.", path, what);
    default:
        if (system == ENOSPC || system == EDQUOT || system == EFBIG)
            return error_set_errno(
                error, STATUS_IO, system,
                "%s cannot grow any more, found while %s. Make room there, or record to another disk", path,
                what);
        return error_set(error, STATUS_IO,
                         "SQLite failed on %s while %s: %s%s%s. Check the disk and its free space.", path,
                         what, database ? sqlite3_errmsg(database) : "no connection", system ? ", " : "",
                         system ? strerror(system) : "");
    }
}

enum status recording_prepare(sqlite3 *database, const char *path, const char *sql, sqlite3_stmt **statement,
                              struct error *error)
{
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK)
        return STATUS_OK;
    return recording_error(database, path, "preparing to use its tables", error);
}

enum status recording_execute(sqlite3 *database, const char *path, const char *sql, struct error *error)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return STATUS_OK;
    return recording_error(database, path, sql, error);
}

enum status recording_number(sqlite3 *database, const char *path, const char *sql, int64_t otherwise,
                             int64_t *number, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    *number = otherwise;
    enum status status = recording_prepare(database, path, sql, &statement, error);
    if (status != STATUS_OK)
        return status;
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
        *number = sqlite3_column_int64(statement, 0);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        status = recording_error(database, path, "reading its head", error);
    sqlite3_finalize(statement);
    return status;
}
