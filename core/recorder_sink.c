/*
 * Prepared once, used a million times.
 */
#include "core/recorder_sink.h"

#include <stdlib.h>
#include <string.h>

static void find_strings(struct sink_strings *strings, const struct table *table)
{
    for (size_t i = 0; i < table->column_count && strings->count < SINK_STRINGS_MOST; i++)
        if (table->columns[i].reference == REFERS_STRING)
            strings->at[strings->count++] = (uint32_t)table->columns[i].offset;
}

/* The greatest string that the record refers to; 0 for none. */
static uint32_t last_string(const struct sink_strings *strings, const void *record)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < strings->count; i++) {
        uint32_t string;
        memcpy(&string, (const unsigned char *)record + strings->at[i], sizeof string);
        last = string > last ? string : last;
    }
    return last;
}

enum status sink_init(struct recorder_sink *sink, const struct session *session, sqlite3 *database,
                      const char *path, struct error *error)
{
    char sql[2048];
    enum status status = STATUS_OK;
    sink->session = session;
    sink->database = database;
    sink->path = strdup(path);
    if (!sink->path)
        return error_set(error, STATUS_MEMORY, "Out of memory while starting to record to %s.", path);
    for (unsigned t = 0; t < TABLE_COUNT && status == STATUS_OK; t++) {
        if (!recording_insert_sql(recording_table(t), sql, sizeof sql))
            return error_set(error, STATUS_FORMAT,
                             "The table %s has more columns than an INSERT of it has room for.",
                             recording_table(t)->name);
        find_strings(&sink->strings_of[t], recording_table(t));
        status = recording_prepare(database, path, sql, &sink->insert[t], error);
    }
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "INSERT INTO string (id, text) VALUES (?, ?)",
                                   &sink->insert_string, error);
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "REPLACE INTO meta (key, value) VALUES (?, ?)",
                                   &sink->set_meta, error);
    return status;
}

void sink_fini(struct recorder_sink *sink)
{
    for (unsigned t = 0; t < TABLE_COUNT; t++) {
        sqlite3_finalize(sink->insert[t]);
        free(sink->before[t]);
    }
    sqlite3_finalize(sink->insert_string);
    sqlite3_finalize(sink->set_meta);
    sqlite3_close(sink->database);
    free(sink->path);
    memset(sink, 0, sizeof *sink);
}

static enum status step_bound(struct recorder_sink *sink, sqlite3_stmt *insert, int bound,
                              struct error *error)
{
    int result = bound == SQLITE_OK ? sqlite3_step(insert) : bound;
    if (result == SQLITE_DONE) {
        sqlite3_reset(insert);
        return STATUS_OK;
    }
    enum status status = recording_error(sink->database, sink->path, "writing to it", error);
    sqlite3_reset(insert);
    return status;
}

static enum status put_strings(struct recorder_sink *sink, uint32_t last, struct error *error)
{
    while (sink->strings < last) {
        uint32_t id = sink->strings + 1;
        int bound = sqlite3_bind_int64(sink->insert_string, 1, id);
        if (bound == SQLITE_OK)
            bound = sqlite3_bind_text(sink->insert_string, 2, session_string(sink->session, id), -1,
                                      SQLITE_STATIC);
        enum status status = step_bound(sink, sink->insert_string, bound, error);
        if (status != STATUS_OK)
            return status;
        sink->strings = id;
    }
    return STATUS_OK;
}

enum status sink_put(struct recorder_sink *sink, enum recording_table number, const void *record,
                     struct error *error)
{
    const struct table *table = recording_table(number);
    uint32_t last = last_string(&sink->strings_of[number], record);
    if (last > sink->strings) {
        enum status status = put_strings(sink, last, error);
        if (status != STATUS_OK)
            return status;
    }
    if (row_write(sink->insert[number], table, record, sink->before[number]) != SQLITE_DONE)
        return recording_error(sink->database, sink->path, "writing to it", error);
    if (sink->before[number] == NULL)
        sink->before[number] = malloc(table->record_bytes); /* without it each row binds all */
    if (sink->before[number] != NULL)
        memcpy(sink->before[number], record, table->record_bytes);
    sink->rows++;
    return STATUS_OK;
}

static enum status put_meta(struct recorder_sink *sink, const char *key, int bound, struct error *error)
{
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_text(sink->set_meta, 1, key, -1, SQLITE_STATIC);
    return step_bound(sink, sink->set_meta, bound, error);
}

enum status sink_put_number(struct recorder_sink *sink, const char *key, int64_t number, struct error *error)
{
    return put_meta(sink, key, sqlite3_bind_int64(sink->set_meta, 2, number), error);
}

enum status sink_put_text(struct recorder_sink *sink, const char *key, const char *text, struct error *error)
{
    return put_meta(sink, key, sqlite3_bind_text(sink->set_meta, 2, text, -1, SQLITE_TRANSIENT), error);
}

enum status sink_execute(struct recorder_sink *sink, const char *sql, struct error *error)
{
    return recording_execute(sink->database, sink->path, sql, error);
}
