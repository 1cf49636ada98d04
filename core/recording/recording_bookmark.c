/* Bookmarks in a recording that has ended: the one thing that is ever added to it. */
#include "core/recording/recording.h"

#include "core/recording/recording_file.h"
#include "core/recording/recording_rows.h"

#include <stdio.h>

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
