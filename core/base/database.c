/* SPDX-License-Identifier: Apache-2.0 */
/* No state: a connection's settings, and a path as a URI. */
#include "core/base/database.h"

#include "core/base/append.h"

#include <string.h>

char *database_immutable_uri(const char *path)
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

void database_distrust(sqlite3 *database, int longest_bytes)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_bytes);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
    sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 100);
    sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 10);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

bool database_has_table(sqlite3 *database, const char *name)
{
    return sqlite3_table_column_metadata(database, NULL, name, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

uint32_t row_u32(sqlite3_stmt *row, int column)
{
    const int64_t value = sqlite3_column_int64(row, column);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

uint16_t row_u16(sqlite3_stmt *row, int column)
{
    const uint32_t value = row_u32(row, column);
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

const char *row_text(sqlite3_stmt *row, int column)
{
    const unsigned char *value = sqlite3_column_text(row, column);
    return value ? (const char *)value : "";
}
