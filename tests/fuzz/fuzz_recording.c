/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader against hostile recordings. Two kinds of input: an SQLite file as it stands ("SQLite format 3"
 * at its start), and else a list of changes to a good recording, 12 bytes each: table, column, row, kind of
 * value, value. The second gets past the file format, to the values. Whatever comes, the session must hold
 * together: ids within their tables, lanes in order.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"
#include "session_check.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHANGE_BYTES 12
#define CHANGES_MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64], good_path[64];

static void remove_files(void)
{
    unlink(path);
    unlink(good_path);
}

/* ---- a good recording: a row of every table ---- */
static void make_good(void)
{
    struct session *session;
    struct recorder *recorder;
    struct error error = {0};
    struct recorder_options options = {.overwrite = true};
    if (session_create(&session, 1000, &error) != STATUS_OK)
        abort();
    uint32_t name = session_add_string(session, "name", 4);
    session_add_process(
        session, &(struct process_row){.rank = -1, .host = name, .end_ns = INT64_MIN, .exit_status = -1});
    session_add_device(session, &(struct device_row){.info = {.name = "GPU", .chip = "GH100"}});
    session_add_run(session, &(struct run_row){.workload = name, .end_ns = INT64_MIN, .verified = -1});
    for (uint32_t i = 0; i < 3; i++)
        session_add_kernel(
            session, 0, session_add_shape(session, &(struct shape_row){.name = name, .grid = {i, 1, 1}}), 0);
    struct value_row values[2] = {{.counter = name, .number = 1}, {.counter = name, .number = 2}};
    session_add_measurement(session, &(struct measurement_row){.values = 2}, values);
    session_add_expected(session, &(struct expected_row){.kernel_name = name, .metric = name, .number = 4});
    session_add_notice(session, &(struct notice_row){.text = name});
    session_add_drop(session, &(struct drop_row){.count = 3});
    for (uint32_t i = 0; i < 20; i++) {
        static const uint8_t kinds[] = {TRACK_STREAM, TRACK_STREAM, TRACK_STREAM,   TRACK_CALLS,
                                        TRACK_RANGES, TRACK_SYNCS,  TRACK_OVERHEAD, TRACK_MEASUREMENTS};
        uint8_t kind = (uint8_t)(i % (ITEM_MEASUREMENT + 1));
        struct track_row row = {.kind = kinds[kind], .context = 1, .stream = i % 2};
        session_add_event(session, session_add_track(session, &row), 100 * i, 100 * i + 250,
                          &(struct item){.kind = kind});
    }
    struct sampling_row sampling = {.series = 2, .interval_ns = 10};
    uint32_t names[2] = {name, name};
    sampling_add(session, &sampling, names);
    for (int64_t i = 0; i < 30; i++)
        sample_add(session, 0, 10 * i + i / 10, 10, (const float[]){1, (float)i});
    session_set_open_launches(session, 0, &(struct open_launch){.shape = 1}, 1);
    if (recorder_start(&recorder, session, good_path, &options, &error) != STATUS_OK ||
        recorder_stop(recorder, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    session_destroy(session);
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
}

static void copy_good(void)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(good_path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file || fclose(file) || size == 0 || size == sizeof bytes)
        abort();
    write_file(path, bytes, size);
}

static void bind_hostile(sqlite3_stmt *update, uint8_t kind, const uint8_t *value)
{
    int64_t number;
    double real;
    memcpy(&number, value, sizeof number);
    memcpy(&real, value, sizeof real);
    switch (kind % 6) {
    case 0: sqlite3_bind_int64(update, 1, number); break;
    case 1: sqlite3_bind_int64(update, 1, (int8_t)value[0]); break;
    case 2: sqlite3_bind_double(update, 1, real); break;
    case 3: sqlite3_bind_text(update, 1, (const char *)value, 8, SQLITE_TRANSIENT); break;
    case 4: sqlite3_bind_blob(update, 1, value, 8, SQLITE_TRANSIENT); break;
    default: sqlite3_bind_null(update, 1); break;
    }
}

static void change(sqlite3 *database, const uint8_t *bytes)
{
    char sql[256];
    sqlite3_stmt *update;
    unsigned which = bytes[0] % (TABLE_COUNT + 2);
    if (which >= TABLE_COUNT) {
        snprintf(sql, sizeof sql,
                 which == TABLE_COUNT ? "UPDATE string SET text = ? WHERE id = %u"
                                      : "UPDATE meta SET value = ? WHERE length(key) %% 8 = %u",
                 bytes[2] % 8u);
    } else {
        const struct record_table *table = recording_table(which);
        snprintf(sql, sizeof sql, "UPDATE OR IGNORE \"%s\" SET \"%s\" = ? WHERE id %% 4 = %u", table->name,
                 table->columns[bytes[1] % table->column_count].name, bytes[2] % 4u);
    }
    if (sqlite3_prepare_v2(database, sql, -1, &update, NULL) != SQLITE_OK)
        abort();
    bind_hostile(update, bytes[3], bytes + 4);
    sqlite3_step(update); /* an id that cannot be is refused here: as good */
    sqlite3_finalize(update);
}

static void change_good(const uint8_t *data, size_t size)
{
    sqlite3 *database;
    copy_good();
    if (sqlite3_open(path, &database) != SQLITE_OK)
        abort();
    sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL, NULL);
    for (size_t at = 0, n = 0; at + CHANGE_BYTES <= size && n < CHANGES_MOST; at += CHANGE_BYTES, n++)
        change(database, data + at);
    sqlite3_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/fuzz-recording-%ld.lsr", (long)getpid());
        snprintf(good_path, sizeof good_path, "/tmp/fuzz-recording-%ld-good.lsr", (long)getpid());
        atexit(remove_files);
        make_good();
    }
    if (size >= 16 && !memcmp(data, "SQLite format 3", 16))
        write_file(path, data, size);
    else
        change_good(data, size);
    struct session *session;
    struct error error = {0};
    enum status status = recording_load(&session, path, &error);
    session_check_loaded(session, status, &error);
    session_destroy(session);
    return 0;
}
