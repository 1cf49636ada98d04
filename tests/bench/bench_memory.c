/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session under a memory limit, with a recorder beside it: what the process holds at most, and whether the
 * session's sums and the recording have all events. The writer waits for a recorder that is far behind, as no
 * program does: what is not recorded yet cannot leave memory.
 *
 *     bench_memory [EVENTS] [FOLDER] [LIMIT MB]      (30,000,000, ".", 256)
 */
#include "core/recording/recording.h"
#include "core/recording/recording_schema.h"
#include "core/session/lod.h"
#include "tests/bench/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STREAMS 40u
#define LAG_MOST 400000u
#define OTHER_MB 32 /* the program, SQLite's pages, chunks that wait to be used again */

static void die(const char *what, const struct error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    exit(1);
}

/* Of the process, from the kernel: "VmHWM" is the most it ever was, "VmRSS" what it is. */
static double resident_mb(const char *field)
{
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            kilobytes = strtod(line + strlen(field) + 1, NULL);
    if (status != NULL)
        fclose(status);
    return kilobytes * 1024 / 1e6;
}

static void wait_for(const struct recorder *recorder)
{
    struct recorder_state state;
    struct timespec pause = {.tv_nsec = 10000000};
    for (recorder_state(recorder, &state); state.lag_rows > LAG_MOST && !state.failed;
         recorder_state(recorder, &state))
        nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 30000000;
    const char *folder = argc > 2 ? argv[2] : ".";
    size_t limit_mb = argc > 3 ? strtoull(argv[3], NULL, 10) : 256;
    struct recorder_options options = {.overwrite = true};
    struct recorder *recorder;
    struct session *session;
    struct error error;
    char path[512];
    uint32_t tracks[STREAMS];
    int64_t at[STREAMS] = {0}, duration_sum_ns = 0;
    snprintf(path, sizeof path, "%s/bench-memory.lsr", folder);
    if (session_create(&session, INT64_C(1790000000000000000), &error) != STATUS_OK)
        die("session", &error);
    session_set_memory_limit(session, limit_mb * 1000000, true);
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(session, &process);
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct track_row track = {
            .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = i + 1, .thread = NONE};
        tracks[i] = session_add_track(session, &track);
    }
    struct shape_row shape = {.name = session_add_string(session, "kernel", 6), .grid = {1, 1, 1}};
    uint32_t kernel = session_add_kernel(session, NONE, session_add_shape(session, &shape), NONE);
    if (recorder_start(&recorder, session, path, &options, &error) != STATUS_OK)
        die("recorder", &error);
    for (uint64_t i = 0; i < events; i++) {
        uint32_t stream = (uint32_t)(i % STREAMS);
        struct item item = {.kind = ITEM_LAUNCH, .correlation = (uint32_t)i + 1};
        item.launch.call_start_ns = INT64_MIN;
        item.launch.kernel = kernel;
        int64_t start_ns = at[stream] + 500, end_ns = start_ns + 1000 + (int64_t)(i * 7919 % 60000);
        session_add_event(session, tracks[stream], start_ns, end_ns, &item);
        at[stream] = end_ns;
        duration_sum_ns += end_ns - start_ns;
        if (i % 10000 == 0)
            wait_for(recorder);
    }
    double held_mb = (double)session_memory_bytes(session) / 1e6, now_mb = resident_mb("VmRSS"),
           most_mb = resident_mb("VmHWM");
    int64_t busy_ns = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct lod_column columns[200];
        lod_query(session, tracks[i], 0, 0, at[i], columns, 200);
        for (size_t k = 0; k < 200; k++) {
            busy_ns += columns[k].busy_ns;
            count += columns[k].count;
        }
    }
    if (recorder_stop(recorder, &error) != STATUS_OK)
        die("recorder", &error);
    sqlite3 *database;
    int64_t rows = 0, rows_ns = 0;
    if (recording_connect(path, SQLITE_OPEN_READONLY, &database) != SQLITE_OK ||
        recording_number(database, path, "SELECT count(*) FROM launch", 0, &rows, &error) != STATUS_OK ||
        recording_number(database, path, "SELECT sum(duration_ns) FROM launch", 0, &rows_ns, &error) !=
            STATUS_OK)
        die("recording", &error);
    sqlite3_close(database);
    printf("%-24s %10s %10s %10s %10s %12s %10s\n", "a limit of memory", "events", "limit MB", "held MB",
           "RSS MB", "most RSS MB", "B/event");
    printf("%-24s %10lu %10lu %10.0f %10.0f %12.0f %10.2f\n", "live, beside a recorder",
           (unsigned long)events, (unsigned long)limit_mb, held_mb, now_mb, most_mb,
           held_mb * 1e6 / (double)events);
    printf("sums of the columns: %s; the recording: %s\n",
           count == events && busy_ns == duration_sum_ns ? "all events, all their time" : "NOT ALL",
           (uint64_t)rows == events && rows_ns == duration_sum_ns ? "all events, all their time" : "NOT ALL");
    figure_print(held_mb, "MB", FIGURE_AT_MOST, (double)limit_mb * 17 / 16,
                 "a session of %lu events under a limit of %lu MB", (unsigned long)events,
                 (unsigned long)limit_mb);
    figure_print(most_mb, "MB", FIGURE_AT_MOST, (double)limit_mb * 17 / 16 + OTHER_MB,
                 "the whole process at most, SQLite's 16 MB in it");
    session_destroy(session);
    unlink(path);
    return 0;
}
