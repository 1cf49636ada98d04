/*
 * The prepared statements of the recorder, one per table: prepared once when recording starts, and executed
 * once per row.
 */
#include "core/recording/writer/recorder_sink.h"

#include <stdlib.h>
#include <string.h>

static void find_strings(struct sink_strings *strings, const struct table *table)
{
    for (size_t i = 0; i < table->column_count && strings->count < SINK_STRINGS_MOST; i++)
        if (table->columns[i].reference == REFERS_STRING)
            strings->at[strings->count++] = (uint32_t)table->columns[i].offset;
}

/* The greatest string number that the record refers to; 0 for none. */
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

static enum status prepare_insert(struct recorder_sink *sink, enum recording_table number, unsigned rows,
                                  sqlite3_stmt **insert, struct error *error)
{
    char sql[4096];
    const struct table *table = recording_table(number);
    if (!recording_insert_sql(table, rows, sql, sizeof sql))
        return error_set(error, STATUS_FORMAT,
                         "The table %s has more columns than an INSERT of it has room for.", table->name);
    return recording_prepare(sink->database, sink->path, sql, insert, error);
}

enum status sink_init(struct recorder_sink *sink, const struct session *session, sqlite3 *database,
                      const char *path, struct error *error)
{
    enum status status = STATUS_OK;
    sink->session = session;
    sink->database = database;
    sink->path = strdup(path);
    if (!sink->path)
        return error_no_memory(error, "to record to %s", path);
    for (unsigned t = 0; t < TABLE_COUNT && status == STATUS_OK; t++) {
        find_strings(&sink->strings_of[t], recording_table(t));
        status = prepare_insert(sink, t, 1, &sink->insert[t], error);
    }
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "INSERT INTO string (id, text) VALUES (?, ?)",
                                   &sink->insert_string, error);
    if (status == STATUS_OK)
        status = recording_prepare(database, path, "UPDATE string SET text = ?2 WHERE id = ?1",
                                   &sink->set_string, error);
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
    for (unsigned t = 0; t < TABLE_COUNT - TABLE_EVENT_FIRST; t++) {
        sqlite3_finalize(sink->batches[t].insert);
        free(sink->batches[t].records);
    }
    sqlite3_finalize(sink->insert_string);
    sqlite3_finalize(sink->set_string);
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

static enum status put_string(struct recorder_sink *sink, sqlite3_stmt *put, uint32_t id, const char *text,
                              struct error *error)
{
    int bound = sqlite3_bind_int64(put, 1, id);
    if (bound == SQLITE_OK)
        bound = sqlite3_bind_text(put, 2, text, -1, SQLITE_STATIC);
    return step_bound(sink, put, bound, error);
}

static enum status put_strings(struct recorder_sink *sink, uint32_t last, struct error *error)
{
    while (sink->strings < last) {
        uint32_t id = sink->strings + 1;
        bool later = sink->texts_later && session_is_code_text(sink->session, id);
        enum status status =
            put_string(sink, sink->insert_string, id, later ? "" : session_string(sink->session, id), error);
        if (status != STATUS_OK)
            return status;
        sink->strings = id;
    }
    return STATUS_OK;
}

enum status sink_put_text_of(struct recorder_sink *sink, uint32_t string, struct error *error)
{
    enum status status = string > sink->strings ? put_strings(sink, string, error) : STATUS_OK;
    return status == STATUS_OK
               ? put_string(sink, sink->set_string, string, session_string(sink->session, string), error)
               : status;
}

static enum status write_error(struct recorder_sink *sink, struct error *error)
{
    return recording_error(sink->database, sink->path, "writing to it", error);
}

static enum status put_row(struct recorder_sink *sink, enum recording_table number, const void *record,
                           struct error *error)
{
    const struct table *table = recording_table(number);
    if (row_write(sink->insert[number], table, record, sink->before[number]) != SQLITE_DONE)
        return write_error(sink, error);
    if (sink->before[number] == NULL)
        sink->before[number] = malloc(table->record_bytes); /* without it each row binds all */
    if (sink->before[number] != NULL)
        memcpy(sink->before[number], record, table->record_bytes);
    return STATUS_OK;
}

static enum status batch_make(struct recorder_sink *sink, enum recording_table number,
                              struct sink_batch *batch, struct error *error)
{
    if (batch->records == NULL)
        batch->records = malloc(SINK_BATCH * recording_table(number)->record_bytes);
    if (batch->records == NULL)
        return error_no_memory(error, "to record to %s", sink->path);
    return prepare_insert(sink, number, SINK_BATCH, &batch->insert, error);
}

static enum status put_event(struct recorder_sink *sink, enum recording_table number, const void *record,
                             struct error *error)
{
    const struct table *table = recording_table(number);
    struct sink_batch *batch = &sink->batches[number - TABLE_EVENT_FIRST];
    enum status status = batch->insert == NULL ? batch_make(sink, number, batch, error) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    unsigned char *row = batch->records + batch->held * table->record_bytes;
    int first = (int)(batch->held * table->column_count) + 1;
    if (row_bind(batch->insert, first, table, record, batch->held < batch->bound ? row : NULL) != SQLITE_OK)
        return write_error(sink, error);
    memcpy(row, record, table->record_bytes);
    batch->held++;
    batch->bound = batch->held > batch->bound ? batch->held : batch->bound;
    if (batch->held < SINK_BATCH)
        return STATUS_OK;
    batch->held = 0;
    return rows_insert(batch->insert) == SQLITE_DONE ? STATUS_OK : write_error(sink, error);
}

enum status sink_put(struct recorder_sink *sink, enum recording_table number, const void *record,
                     struct error *error)
{
    uint32_t last = last_string(&sink->strings_of[number], record);
    enum status status = last > sink->strings ? put_strings(sink, last, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = number < TABLE_EVENT_FIRST ? put_row(sink, number, record, error)
                                            : put_event(sink, number, record, error);
    sink->rows += status == STATUS_OK;
    sink->holds |= number >= TABLE_EVENT_FIRST || number == TABLE_MEASUREMENT || number == TABLE_SAMPLE ||
                   number == TABLE_INSTRUCTION || number == TABLE_STALL || number == TABLE_TALLY ||
                   number == TABLE_ACCESS;
    return status;
}

enum status sink_flush(struct recorder_sink *sink, struct error *error)
{
    enum status status = STATUS_OK;
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT; t++) {
        struct sink_batch *batch = &sink->batches[t - TABLE_EVENT_FIRST];
        for (uint32_t row = 0; row < batch->held && status == STATUS_OK; row++)
            status = put_row(sink, t, batch->records + row * recording_table(t)->record_bytes, error);
        batch->held = 0;
    }
    return status;
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
