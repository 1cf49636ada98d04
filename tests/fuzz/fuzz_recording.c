/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader against hostile recordings. Two kinds of input: an SQLite file as it stands ("SQLite format 3"
 * at its start), and else a list of changes to a good recording, 12 bytes each: table, column, row, kind of
 * value, value. The second gets past the file format, to the values. Whatever comes, the session must hold
 * together: ids within their tables, lanes in order.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"

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

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "The session does not hold together: %s.\n", what);
    abort();
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

/* ---- what must hold ---- */
static void check_lane(const struct session *session, uint32_t track, uint32_t lane)
{
    int64_t before_ns = INT64_MIN;
    uint64_t count = session_lane_count_events(session, track, lane);
    for (uint64_t i = 0; i < count; i++) {
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        struct item item = session_event_item(session, ref);
        int64_t start_ns = session_event_start_ns(session, ref);
        check(start_ns >= before_ns && session_event_end_ns(session, ref) >= start_ns,
              "a lane is out of order");
        before_ns = session_event_end_ns(session, ref);
        if (item.kind == ITEM_LAUNCH)
            check(item.launch.kernel == NONE || item.launch.kernel < session_kernel_count(session),
                  "a launch of no kernel");
        if (item.kind == ITEM_MEASUREMENT)
            check(item.measurement.measurement < session_measurement_count(session),
                  "a replay of no measurement");
        if (item.kind == ITEM_CALL)
            check(!item.call.name || session_string(session, item.call.name)[0], "a call without its name");
    }
}

static void check_session(const struct session *session)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        check(kernel->run == NONE || kernel->run < session_run_count(session), "a kernel of no run");
        check(kernel->shape == NONE || kernel->shape < session_shape_count(session),
              "a kernel without a shape");
        check(kernel->device == NONE || kernel->device < session_device_count(session),
              "a kernel on no device");
    }
    for (uint32_t i = 0; i < session_series_count(session); i++) {
        const struct series_row *series = session_series(session, i);
        uint64_t count = sample_count(session, series->sampling);
        check(series->place < sampling_at(session, series->sampling)->series, "a series without its place");
        for (uint64_t n = 1; n < count; n++)
            check(sample_start_ns(session, series->sampling, n) >=
                      sample_end_ns(session, series->sampling, n - 1),
                  "samples that overlap");
    }
    for (uint32_t i = 0; i < session_run_count(session); i++)
        check(session_run(session, i)->process < session_process_count(session), "a run of no process");
    for (uint32_t i = 0; i < session_device_count(session); i++)
        check(memchr(session_device(session, i)->info.name, 0,
                     sizeof session_device(session, i)->info.name) != NULL,
              "a device's name does not end");
    for (uint32_t i = 0; i < session_measurement_count(session); i++) {
        const struct measurement_row *row = session_measurement(session, i);
        check((uint64_t)row->first_value + row->values <= session_value_count(session),
              "values of a measurement are missing");
    }
    for (uint32_t t = 0; t < session_track_count(session); t++)
        for (uint32_t l = 0; l < session_track(session, t)->lane_count; l++)
            check_lane(session, t, l);
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
    check(status == STATUS_OK || (error.text[0] && !session), "a refusal without a sentence");
    if (status == STATUS_OK)
        check_session(session);
    session_destroy(session);
    return 0;
}
