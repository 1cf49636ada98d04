/*
 * Where records go: the prepared INSERTs of one recording. A record's strings are written before it, so that
 * whatever refers to a string finds it. Events go in sixteen at a time: opening and closing a table, and
 * finding its end, costs SQLite a third of what a row by itself does. So before a COMMIT those that are held
 * have to be put: sink_flush. The recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_SINK_H
#define CORE_RECORDING_WRITER_RECORDER_SINK_H

#include "core/recording/recording_rows.h"

#define SINK_STRINGS_MOST 16u
#define SINK_BATCH 16u

struct recorder_sink {
    const struct session *session;
    sqlite3 *database;
    char *path;
    sqlite3_stmt *insert[TABLE_COUNT], *insert_string, *set_string, *set_meta;
    uint32_t strings;     /* strings 1...this are written */
    bool texts_later;     /* texts of code stay empty until sink_put_text_of writes them */
    struct sink_strings { /* where a table's records refer to strings */
        uint32_t count, at[SINK_STRINGS_MOST];
    } strings_of[TABLE_COUNT];
    void *before[TABLE_COUNT];  /* the last written record; NULL: none */
    struct sink_batch {         /* of a table of events */
        sqlite3_stmt *insert;   /* for SINK_BATCH rows; NULL: not needed yet */
        unsigned char *records; /* what is bound to it, row by row */
        uint32_t bound, held; /* rows bound since the start; rows not written yet, which are the first ones */
    } batches[TABLE_COUNT - TABLE_EVENT_FIRST];
    uint64_t rows; /* records put */
    bool holds;    /* some rows are data, not only about processes and runs */
};

/* Takes over the connection; sink_fini closes it, also after a failure. The caller zeroes the sink. */
enum status sink_init(struct recorder_sink *sink, const struct session *session, sqlite3 *database,
                      const char *path, struct error *error);
void sink_fini(struct recorder_sink *sink);

enum status sink_put(struct recorder_sink *sink, enum recording_table table, const void *record,
                     struct error *error);
enum status sink_flush(struct recorder_sink *sink, struct error *error);
enum status sink_put_number(struct recorder_sink *sink, const char *key, int64_t number,
                            struct error *error); /* into meta */
enum status sink_put_text(struct recorder_sink *sink, const char *key, const char *text, struct error *error);
/* Writes the text of a string whose row is still empty. */
enum status sink_put_text_of(struct recorder_sink *sink, uint32_t string, struct error *error);
enum status sink_execute(struct recorder_sink *sink, const char *sql, struct error *error);

#endif
