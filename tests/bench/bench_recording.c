/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recording costs: rows a second of the recorder against bare prepared INSERTs of the same rows (aim: at
 * least 0.8 of them), bytes on disk per launch, time to open and to load, and what a recorder takes from the
 * session's writer (aim: nothing).
 *
 *     bench_recording [LAUNCHES] [FOLDER] [LAUNCHES OF THE LARGE ONE]
 *
 * The large one (5,000,000: ten million events) is for the time until a user sees something of it.
 */
#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"
#include "tests/bench/figure.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7
#define STREAMS 8
#define KERNELS 50

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time of the whole process: what a busy machine does not change. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void die(const char *what, const struct error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    exit(1);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare_doubles);
    return values[ROUNDS / 2];
}

static uint64_t file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* ---- a session of launches on eight streams, 5 us apart, from one thread; calls: the launch calls on its
 * track too ---- */
static struct session *make_session(uint32_t *streams, uint32_t *calls)
{
    struct error error;
    struct session *session;
    if (session_create(&session, INT64_C(1790000000000000000), &error) != STATUS_OK)
        die("session", &error);
    struct process_row process = {.pid = 4711, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(session, &process);
    struct device_row device = {.info = {.name = "bench"}};
    session_add_device(session, &device);
    struct run_row run = {.end_ns = INT64_MIN, .verified = -1};
    session_add_run(session, &run);
    for (uint32_t s = 0; s < STREAMS; s++) {
        struct track_row row = {
            .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = 13 + s, .thread = NONE};
        streams[s] = session_add_track(session, &row);
    }
    struct track_row row = {
        .kind = TRACK_CALLS, .device = NONE, .context = NONE, .stream = NONE, .thread = 254711};
    *calls = session_add_track(session, &row);
    for (uint32_t k = 0; k < KERNELS; k++) {
        char name[64];
        int length = snprintf(name, sizeof name, "void kernel_%u<float, 4>(float const *, float *, int)", k);
        struct shape_row shape = {.name = session_add_string(session, name, (size_t)length),
                                  .grid = {k, 1, 1},
                                  .block = {256, 1, 1}};
        session_add_kernel(session, 0, session_add_shape(session, &shape), 0);
    }
    session_add_string(session, "cudaLaunchKernel", 16);
    return session;
}

static void add_launches(struct session *session, const uint32_t *streams, uint32_t calls, uint32_t from,
                         uint32_t to, bool with_calls)
{
    uint32_t name = session_find_string(session, "cudaLaunchKernel");
    for (uint32_t n = from; n < to; n++) {
        int64_t call_ns = 5000 * (int64_t)n + n % 37, start_ns = call_ns + 6000 + n % 211;
        struct item launch = {.kind = ITEM_LAUNCH, .correlation = n + 1};
        launch.launch.call_start_ns = call_ns;
        launch.launch.call_duration_ns = 2300 + n % 100;
        launch.launch.call_thread = 254711;
        launch.launch.kernel = n % KERNELS;
        struct item call = {.kind = ITEM_CALL, .a = API_RUNTIME, .b = CALL_LAUNCH, .correlation = n + 1};
        call.call.name = name;
        call.call.context = call.call.stream = NONE;
        if (with_calls)
            session_add_event(session, calls, call_ns, call_ns + 2300 + n % 100, &call);
        session_add_event(session, streams[n % STREAMS], start_ns, start_ns + 2000 + n % 900, &launch);
    }
    session_set_now(session, CLOCK_WALL, 5000 * (int64_t)to + 20000);
}

/* ---- the two ways to write ---- */
static double record(const struct session *session, const char *path)
{
    struct error error;
    struct recorder *recorder;
    struct recorder_options options = {.overwrite = true};
    double begin = seconds();
    if (recorder_start(&recorder, session, path, &options, &error) != STATUS_OK ||
        recorder_stop(recorder, &error) != STATUS_OK)
        die("recorder", &error);
    return seconds() - begin;
}

static void run(sqlite3 *database, const char *sql)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database));
        exit(1);
    }
}

/* The rows of `path` again, from memory, by prepared INSERTs in transactions of as many rows, under the same
 * pragmas: nothing but SQLite. */
static double insert_bare(const struct event_record *records, const uint8_t *tables, size_t count,
                          const char *path)
{
    size_t objects_count;
    char sql[2048];
    sqlite3 *database;
    sqlite3_stmt *insert[TABLE_COUNT] = {0};
    unlink(path);
    double begin = seconds();
    if (recording_connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &database) != SQLITE_OK)
        exit(1);
    run(database, "PRAGMA secure_delete=OFF; PRAGMA cache_size=-16384; PRAGMA journal_mode=WAL; PRAGMA "
                  "synchronous=NORMAL; PRAGMA "
                  "wal_autocheckpoint=4000");
    const struct schema_object *objects = recording_schema(&objects_count);
    for (size_t i = 0; i < objects_count; i++)
        run(database, objects[i].sql);
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT; t++)
        if (!recording_insert_sql(recording_table(t), 1, sql, sizeof sql) ||
            sqlite3_prepare_v2(database, sql, -1, &insert[t], NULL) != SQLITE_OK)
            exit(1);
    for (size_t i = 0; i < count; i++) {
        if (i % 50000 == 0)
            run(database, i ? "COMMIT; BEGIN" : "BEGIN");
        if (row_write(insert[tables[i]], recording_table(tables[i]), &records[i], NULL) != SQLITE_DONE)
            exit(1);
    }
    run(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE");
    for (unsigned t = 0; t < TABLE_COUNT; t++)
        sqlite3_finalize(insert[t]);
    sqlite3_close(database);
    return seconds() - begin;
}

static size_t read_records(const char *path, struct event_record *records, uint8_t *tables, size_t most)
{
    char sql[2048];
    size_t count = 0;
    sqlite3 *database;
    uint32_t strings[65536];
    for (uint32_t i = 0; i < 65536; i++)
        strings[i] = i;
    struct row_limits limits = {.strings = strings};
    for (unsigned r = 0; r < REFERS_COUNT; r++)
        limits.rows[r] = r == REFERS_STRING ? 65535 : UINT32_MAX;
    if (recording_connect(path, SQLITE_OPEN_READONLY, &database) != SQLITE_OK)
        exit(1);
    for (unsigned t = TABLE_EVENT_FIRST; t < TABLE_COUNT; t++) {
        sqlite3_stmt *select;
        if (!recording_select_sql(recording_table(t), sql, sizeof sql) ||
            sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK)
            exit(1);
        sqlite3_bind_int64(select, 1, 0);
        while (sqlite3_step(select) == SQLITE_ROW && count < most) {
            if (row_read(select, recording_table(t), &limits, &records[count]))
                exit(1);
            tables[count++] = (uint8_t)t;
        }
        sqlite3_finalize(select);
    }
    sqlite3_close(database);
    return count;
}

/* Each round is a pair, one right after the other, and what counts is the median of the pairs' ratios: what
 * runs beside, on the same core's other thread above all, nearly doubles the CPU time of some rounds. */
static void bench_write(uint32_t launches, bool with_calls, const char *path, const char *bare_path)
{
    uint32_t streams[STREAMS], calls;
    double recorded[ROUNDS], bare[ROUNDS], ratio[ROUNDS], cpu_ratio[ROUNDS];
    struct session *session = make_session(streams, &calls);
    add_launches(session, streams, calls, 0, launches, with_calls);
    size_t most = 2 * (size_t)launches, count = 0;
    struct event_record *records = malloc(most * sizeof *records);
    uint8_t *tables = malloc(most);
    if (!records || !tables)
        exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = cpu_seconds();
        recorded[round] = record(session, path);
        double recorded_cpu = cpu_seconds() - begin;
        if (round == 0)
            count = read_records(path, records, tables, most);
        begin = cpu_seconds();
        bare[round] = insert_bare(records, tables, count, bare_path);
        cpu_ratio[round] = (cpu_seconds() - begin) / recorded_cpu;
        ratio[round] = bare[round] / recorded[round];
    }
    printf("%-28s %10zu %12.0f %12.0f %8.2f %10.2f %14.1f",
           with_calls ? "launches and their API rows" : "launches", count, (double)count / median(recorded),
           (double)count / median(bare), median(ratio), median(cpu_ratio),
           (double)file_bytes(path) / launches);
    printf("   (%.2f to %.2f; CPU %.2f to %.2f)\n", ratio[0], ratio[ROUNDS - 1], cpu_ratio[0],
           cpu_ratio[ROUNDS - 1]);
    const char *what = with_calls ? "launches and their API rows" : "launches";
    figure_print(median(ratio), "of bare", FIGURE_AT_LEAST, 0.8, "rows a second recorded, %s", what);
    figure_print(median(cpu_ratio), "of bare", FIGURE_AT_LEAST, 0.8, "rows a second of CPU time recorded, %s",
                 what);
    figure_print((double)file_bytes(path) / launches, "bytes", FIGURE_AT_MOST, 48, "a launch on disk, %s",
                 what);
    free(records);
    free(tables);
    session_destroy(session);
}

/* ---- opening and loading ---- */
static void bench_load(const char *path, uint32_t launches)
{
    double opened[ROUNDS], loaded[ROUNDS];
    struct error error;
    for (int round = 0; round < ROUNDS; round++) {
        struct loader *loader;
        struct session *session;
        bool done = false;
        double begin = seconds();
        if (loader_open(&loader, &session, path, &error) != STATUS_OK)
            die("open", &error);
        opened[round] = seconds() - begin;
        while (!done)
            if (loader_step(loader, 20000, &done, &error) != STATUS_OK)
                die("load", &error);
        loaded[round] = seconds() - begin;
        if (session_launch_count(session) != launches)
            exit(1);
        loader_close(loader);
        session_destroy(session);
    }
    printf("\n%-28s %10s %12s %12s\n", "reading it", "rows", "open ms", "all ms");
    double all = median(loaded);
    printf("%-28s %10u %12.2f %12.0f   (%.0f rows/s)\n", "loader", 2 * launches, median(opened) * 1e3,
           all * 1e3, 2.0 * launches / all);
}

/* ---- the first frame of a large recording, as `lanescope view` draws it ---- */
#define SLICE 20000 /* rows between two frames */

struct opened {
    struct session *session;
    struct loader *loader;
};

static struct session *opened_session(void *context)
{
    return ((struct opened *)context)->session;
}

static void opened_state(void *context, struct tui_host_state *state)
{
    *state = (struct tui_host_state){.overhead_pct = -1, .loading = true};
    state->progress = loader_progress(((struct opened *)context)->loader);
}

static void draw_frame(struct screen *screen, struct canvas *canvas)
{
    screen_update(screen, 200, 60);
    screen_draw(screen, canvas);
}

static void bench_first_frame(uint32_t launches, const char *path)
{
    uint32_t streams[STREAMS], calls;
    double first[ROUNDS], all = 0;
    struct error error;
    struct session *session = make_session(streams, &calls);
    add_launches(session, streams, calls, 0, launches, true);
    uint64_t events = session_event_count(session);
    double written = record(session, path);
    session_destroy(session);
    for (int round = 0; round < ROUNDS; round++) {
        struct opened opened;
        struct tui_host host = {
            .context = &opened, .session = opened_session, .state = opened_state, .title = "bench"};
        struct tui_options options = {.color = true};
        static struct screen screen;
        struct canvas canvas;
        bool done = false;
        double begin = seconds();
        if (loader_open(&opened.loader, &opened.session, path, &error) != STATUS_OK ||
            loader_step(opened.loader, SLICE, &done, &error) != STATUS_OK ||
            screen_init(&screen, view_table, &host, &options, &error) != STATUS_OK ||
            canvas_init(&canvas, 200, 60, false, &error) != STATUS_OK)
            die("open", &error);
        draw_frame(&screen, &canvas);
        first[round] = seconds() - begin;
        while (round == 0 && !done) {
            if (loader_step(opened.loader, SLICE, &done, &error) != STATUS_OK)
                die("load", &error);
            draw_frame(&screen, &canvas);
        }
        all = round == 0 ? seconds() - begin : all;
        screen_fini(&screen);
        canvas_fini(&canvas);
        loader_close(opened.loader);
        session_destroy(opened.session);
    }
    printf("\n%-28s %10s %12s %12s %12s %8s\n", "a large recording", "events", "first ms", "all s",
           "written s", "MB");
    printf("%-28s %10lu %12.1f %12.1f %12.1f %8.0f   (aim: first frame under 1000 ms)\n",
           "opened, with all frames", (unsigned long)events, median(first) * 1e3, all, written,
           (double)file_bytes(path) / 1e6);
    figure_print(median(first) * 1e3, "ms", FIGURE_AT_MOST, 1000,
                 "the first frame of a recording of %lu events", (unsigned long)events);
}

/* ---- the session's writer, alone and with a recorder beside it: at 200,000 events a second ---- */
static double feed_cost(bool recording, const char *path)
{
    uint32_t streams[STREAMS], calls;
    struct session *session = make_session(streams, &calls);
    struct recorder *recorder = NULL;
    struct recorder_options options = {.overwrite = true};
    struct error error;
    double busy = 0;
    if (recording && recorder_start(&recorder, session, path, &options, &error) != STATUS_OK)
        die("recorder", &error);
    for (uint32_t burst = 0; burst < 100; burst++) { /* 20 ms each, as a watermark lets them out */
        double begin = seconds();
        add_launches(session, streams, calls, burst * 2000, burst * 2000 + 2000, true);
        busy += seconds() - begin;
        struct timespec pause = {.tv_nsec = 18000000};
        nanosleep(&pause, NULL);
    }
    if (recorder_stop(recorder, &error) != STATUS_OK)
        die("recorder", &error);
    session_destroy(session);
    return busy / 400000 * 1e9;
}

static void bench_writer(const char *path)
{
    double alone[ROUNDS], beside[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        alone[round] = feed_cost(false, path);
        beside[round] = feed_cost(true, path);
    }
    double a = median(alone), b = median(beside);
    printf("\n%-28s %12s %12s %8s\n", "the session's writer", "alone ns", "beside ns", "ratio");
    printf("%-28s %12.0f %12.0f %8.2f\n", "an event added", a, b, b / a);
}

int main(int argc, char **argv)
{
    uint32_t launches = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 500000;
    const char *folder = argc > 2 ? argv[2] : ".";
    uint32_t large = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 5000000;
    char path[512], bare_path[512];
    snprintf(path, sizeof path, "%s/bench.lsr", folder);
    snprintf(bare_path, sizeof bare_path, "%s/bench-bare.db", folder);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a table that grows, also in a file */
    printf("%-28s %10s %12s %12s %8s %10s %14s\n", "writing (median of 7)", "rows", "recorder/s", "bare/s",
           "ratio", "CPU ratio", "bytes/launch");
    bench_write(launches, false, path, bare_path);
    bench_write(launches, true, path, bare_path);
    bench_load(path, launches);
    bench_writer(path);
    if (large > 0)
        bench_first_frame(large, path);
    unlink(path);
    unlink(bare_path);
    return 0;
}
