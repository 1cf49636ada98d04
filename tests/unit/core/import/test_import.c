/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of other tools, written by tests/tools/make_trace.py to the schemas of several releases: what is in the
 * session afterwards is counted, and the ns are added up, as the writer counted them. Then traces that are cut off
 * and damaged.
 */
#include "core/analysis/partition.h"
#include "core/analysis/steps.h"
#include "core/import/import.h"
#include "core/recording/recording.h"
#include "core/session/session_walk.h"
#include "core/session/stacks.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lanescope-import-XXXXXX", told[4096];

static void enter(void)
{
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(import, .init = enter, .fini = leave, .timeout = 120);

/* Writes a trace; what the writer says of it is in `told`. */
static void make(const char *arguments)
{
    char command[600];
    snprintf(command, sizeof command, "python3 " TEST_SOURCE_DIR "/tests/tools/make_trace.py %s", arguments);
    FILE *writer = popen(command, "r");
    cr_assert_not_null(writer);
    told[fread(told, 1, sizeof told - 1, writer)] = '\0';
    cr_assert_eq(pclose(writer), 0, "%s", command);
}

struct sum {
    uint64_t count, ns;
};

static struct sum told_of(const char *kind)
{
    char wanted[40];
    struct sum sum = {0};
    snprintf(wanted, sizeof wanted, "\"%s\": {\"count\": ", kind);
    const char *at = strstr(told, wanted);
    if (at)
        cr_assert_eq(sscanf(at + strlen(wanted), "%" SCNu64 ", \"ns\": %" SCNu64, &sum.count, &sum.ns), 2);
    return sum;
}

enum { GRAPHS = ITEM_MEASUREMENT + 1, MIGRATIONS, KINDS };

static void add_up(const struct session *session, struct sum *sums)
{
    memset(sums, 0, KINDS * sizeof *sums);
    for (uint32_t track = 0; track < session_track_count(session); track++)
        for (uint32_t lane = 0; lane < session_lane_count(session, track); lane++)
            for (uint64_t i = 0; i < session_lane_count_events(session, track, lane); i++) {
                int64_t start_ns, end_ns;
                struct item item;
                cr_assert(
                    session_event(session, (struct event_ref){track, lane, i}, &start_ns, &end_ns, &item));
                int kind = item.kind;
                if (session_track(session, track)->kind == TRACK_COPY_ENGINE)
                    continue;
                if (kind == ITEM_LAUNCH && (item.flags & ITEM_WHOLE_GRAPH) != 0)
                    kind = GRAPHS;
                if (kind == ITEM_RANGE &&
                    strcmp(session_string(session, item.range.domain), "unified memory") == 0)
                    kind = MIGRATIONS;
                sums[kind].count++;
                sums[kind].ns += (uint64_t)(end_ns - start_ns);
            }
}

static void check_sums(const struct session *session, const char *trace)
{
    static const struct {
        const char *name;
        int kind;
    } rows[] = {{"kernel", ITEM_LAUNCH}, {"copy", ITEM_COPY}, {"call", ITEM_CALL},      {"range", ITEM_RANGE},
                {"sync", ITEM_SYNC},     {"graph", GRAPHS},   {"migration", MIGRATIONS}};
    struct sum sums[KINDS];
    struct session_lost lost;
    add_up(session, sums);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sum wanted = told_of(rows[i].name), found = sums[rows[i].kind];
        cr_expect_eq(found.count, wanted.count, "%s: %" PRIu64 " of %s, wanted %" PRIu64, trace, found.count,
                     rows[i].name, wanted.count);
        cr_expect_eq(found.ns, wanted.ns, "%s: %" PRIu64 " ns of %s, wanted %" PRIu64, trace, found.ns,
                     rows[i].name, wanted.ns);
    }
    session_lost(session, &lost);
    cr_expect_eq(lost.refused + lost.no_memory + lost.dropped, 0, "%s", trace);
}

static struct session *load(const char *path)
{
    struct session *session;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    return session;
}

static bool has_notice(const struct session *session, const char *words)
{
    for (uint32_t i = 0; i < session_notice_count(session); i++)
        if (strstr(session_string(session, session_notice(session, i)->text), words))
            return true;
    return false;
}

Test(import, every_release_of_nsys)
{
    static const char *const releases[] = {"2021", "2022.2", "2024.5", "2025.1", "2026.1", "2027.0"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        char arguments[120], path[40];
        snprintf(path, sizeof path, "r%s.sqlite", releases[i]);
        snprintf(arguments, sizeof arguments, "nsys %s --release %s --processes 2 --launches 800", path,
                 releases[i]);
        make(arguments);
        cr_assert_str_eq(import_recognises(path), "an export of Nsight Systems");
        struct session *session = load(path);
        check_sums(session, path);
        cr_expect_eq(session_process_count(session), 2);
        cr_expect_eq(session_process(session, 1)->pid, 4001);
        cr_expect_eq(session_device_count(session), 2);
        cr_expect_neq(strstr(session_origin(session), "Nsight Systems"), NULL);
        cr_expect_eq(session_first_ns(session, CLOCK_WALL), 0, "it begins with its first event");
        cr_expect(has_notice(session, "calls of the operating system were left out"), "%s", path);
        session_destroy(session);
    }
}

Test(import, every_era_of_pytorch)
{
    static const char *const releases[] = {"1.8", "1.12", "2.3", "2.6", "2.6 --gzip"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        char arguments[120];
        snprintf(arguments, sizeof arguments, "kineto t.json --release %s --launches 800", releases[i]);
        make(arguments);
        struct session *session = load("t.json");
        check_sums(session, releases[i]);
        cr_expect_eq(session_process(session, 0)->pid, 4711);
        cr_expect_eq(session_process(session, 0)->rank, i == 0 ? -1 : 5, "%s", releases[i]);
        cr_expect_str_eq(session_device(session, 0)->info.name,
                         i == 0 ? "GPU 0 (the trace does not name it)" : "NVIDIA Test 80");
        session_destroy(session);
    }
}

/* Schema 2 is rocmProfileData's, which has all processes' work in one table. */
Test(import, every_schema_of_rocpd)
{
    static const char *const releases[] = {"3.0", "4.0", "4.1", "2"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        char arguments[120];
        unlink("t.db");
        snprintf(arguments, sizeof arguments, "rocpd t.db --release %s --launches 800 --processes %d",
                 releases[i], i < 3 ? 2 : 1);
        make(arguments);
        cr_assert_str_eq(import_recognises("t.db"), "a database of rocprof");
        struct session *session = load("t.db");
        check_sums(session, releases[i]);
        cr_expect_eq(session_process_count(session), i < 3 ? 2 : 1);
        cr_expect_eq(session_process(session, 0)->pid, 4000, "%s", releases[i]);
        cr_expect_str_eq(session_string(session, session_process(session, 0)->program), i < 3 ? "train" : "");
        cr_expect_str_eq(session_device(session, 0)->info.name,
                         i < 3 ? "AMD Test 300" : "GPU 0 (the trace does not name it)");
        session_destroy(session);
    }
}

/* A view is text of the file's: one that never ends is stopped. */
Test(import, a_view_without_an_end_is_stopped)
{
    sqlite3 *database;
    struct session *session = NULL;
    struct error error = {0};
    make("rocpd t.db --release 3.0 --launches 8");
    cr_assert_eq(sqlite3_open("t.db", &database), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(
            database,
            "DROP VIEW rocpd_event; CREATE VIEW rocpd_event AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id "
            "+ 1 FROM n) SELECT id, 'x' AS guid, 1 AS category_id, 1 AS stack_id, 1 AS correlation_id, '' AS extdata FROM n",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    cr_expect_eq(recording_load(&session, "t.db", &error), STATUS_FORMAT);
    cr_expect(strstr(error.text, "too much work"), "%s", error.text);
    session_destroy(session);
}

/* The number that PyTorch appends to an operator's name is not part of the name. */
Test(import, operators_are_one_name)
{
    make("nsys t.sqlite --release 2026.1");
    struct session *session = load("t.sqlite");
    size_t found = 0;
    for (uint32_t track = 0; track < session_track_count(session); track++)
        for (uint64_t i = 0; i < session_lane_count_events(session, track, 1); i++) {
            const struct item item = session_event_item(session, (struct event_ref){track, 1, i});
            found += item.kind == ITEM_RANGE &&
                     strcmp(session_string(session, item.range.name), "aten::add_") == 0 &&
                     item.range.payload > 0;
        }
    cr_expect_eq(found, 50);
    session_destroy(session);
}

/* Times of a trace whose microseconds do not fit into a double are whole. */
Test(import, times_are_not_rounded)
{
    FILE *file = fopen("t.json", "w");
    fputs(
        "{\"schemaVersion\": 1, \"traceEvents\": [\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 1712195495520824.518, \"dur\": 0.003, "
        "\"args\": {\"stream\": 7}},\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": \"1712195495520824.525\", \"dur\": 1e2, "
        "\"args\": {\"stream\": 7}}]}",
        file);
    fclose(file);
    struct session *session = load("t.json");
    struct sum sums[KINDS];
    add_up(session, sums);
    cr_expect_eq(session_start_ns(session), INT64_C(1712195495520824518));
    cr_expect_eq(sums[ITEM_LAUNCH].ns, 3 + 100000);
    cr_expect_eq(session_now_ns(session, CLOCK_WALL), 7 + 100000);
    session_destroy(session);
}

static void cut(const char *path, double share)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(truncate(path, (off_t)((double)status.st_size * share)), 0);
}

Test(import, what_is_cut_off_is_read_as_far_as_it_goes)
{
    static const char *const releases[] = {"2.6", "2.6 --gzip"};
    for (size_t i = 0; i < 2; i++) {
        char arguments[80];
        struct sum sums[KINDS];
        snprintf(arguments, sizeof arguments, "kineto t.json --release %s --launches 800", releases[i]);
        make(arguments);
        cut("t.json", 0.6);
        struct session *session = load("t.json");
        add_up(session, sums);
        const uint64_t all = told_of("kernel").count;
        cr_expect(sums[ITEM_LAUNCH].count > all / 2 && sums[ITEM_LAUNCH].count < all);
        cr_expect(has_notice(session, "cut off"));
        session_destroy(session);
    }
}

/* A quote is missing, bytes are 0, an event lacks its time: the others are read. */
Test(import, one_bad_event_costs_that_event)
{
    FILE *file = fopen("t.json", "w");
    fputs(
        "{\"schemaVersion\": 1,\n\"traceEvents\": [\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"good, \"pid\": 0, \"ts\": 1000, \"dur\": 5,\n"
        "\"args\": {\"stream\": 7}},\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"no time\", \"args\": {\"stream\": 7}},\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\tb\\u00e4\\\"\", \"ts\": 2000, \"dur\": 5, \"x\": [1, [2, {}]], "
        "\"args\": {\"stream\": 7}},\n17, null, \"word\",\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"last\", \"ts\": 3000, \"dur\": -5, \"args\": {\"stream\": 7}}\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"last\", \"ts\": 3000, \"dur\": 6, \"args\": {\"stream\": 7}}",
        file);
    fclose(file);
    struct session *session = load("t.json");
    struct sum sums[KINDS];
    add_up(session, sums);
    cr_expect_eq(sums[ITEM_LAUNCH].count, 2, "%" PRIu64, sums[ITEM_LAUNCH].count);
    cr_expect_eq(sums[ITEM_LAUNCH].ns, 11000);
    cr_expect(has_notice(session, "3 events were left out"));
    session_destroy(session);
}

/* The time is a word, or after the end of all clocks; an end is before its start. */
Test(import, one_bad_row_costs_that_row)
{
    sqlite3 *database;
    make("nsys t.sqlite --release 2024.5 --processes 1 --launches 200");
    const uint64_t wanted = told_of("kernel").count;
    cr_assert_eq(sqlite3_open("t.sqlite", &database), SQLITE_OK);
    cr_assert_eq(
        sqlite3_exec(database,
                     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'word' WHERE rowid = 7;"
                     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 9223372036854775807 WHERE rowid = 9;"
                     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 1 WHERE rowid = 11",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    struct session *session = load("t.sqlite");
    struct sum sums[KINDS];
    add_up(session, sums);
    cr_expect_eq(sums[ITEM_LAUNCH].count, wanted - 3, "%" PRIu64 " of %" PRIu64, sums[ITEM_LAUNCH].count,
                 wanted);
    cr_expect(has_notice(session, "3 rows were left out"));
    session_destroy(session);
}

/* Calls alone: it is not said that CUDA was not traced. */
Test(import, calls_without_device_work)
{
    sqlite3 *database;
    make("nsys t.sqlite --release 2025.1 --launches 20");
    cr_assert_eq(sqlite3_open("t.sqlite", &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database,
                              "DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_KERNEL; "
                              "DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_MEMCPY; "
                              "DROP TABLE IF EXISTS CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                              NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(database);
    struct session *session = load("t.sqlite");
    cr_expect(has_notice(session, "The trace has CUDA calls, but no kernel and no copy"));
    session_destroy(session);
}

Test(import, what_is_no_trace_is_said_to_be_none)
{
    static const char *const texts[] = {"", "{}", "{\"a\": 1}", "[1, 2]", "SQLite format 3", "\x1f\x8b\x08"};
    struct session *session;
    struct error error;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen("t", "w");
        fputs(texts[i], file);
        fclose(file);
        cr_expect_null(import_recognises("t"), "%s", texts[i]);
        cr_expect_eq(recording_load(&session, "t", &error), STATUS_FORMAT);
    }
    cr_expect_null(import_recognises(folder));
    cr_expect_null(import_recognises("/dev/zero"));
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_expect_null(import_recognises("pipe"));
}

/* A format of its own is refused with the command that makes another one. */
Test(import, reports_in_their_own_format_are_explained)
{
    struct session *session;
    struct error error;
    cr_expect_eq(recording_load(&session, "a.nsys-rep", &error), STATUS_FORMAT);
    cr_expect_neq(strstr(error.text, "nsys export --type sqlite --lazy true a.nsys-rep"), NULL, "%s",
                  error.text);
    cr_expect_eq(recording_load(&session, "nsys-rep", &error), STATUS_IO);
    FILE *file = fopen("908_results.json", "w");
    fputs("{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":908}}]}", file);
    fclose(file);
    cr_expect_eq(recording_load(&session, "908_results.json", &error), STATUS_FORMAT);
    cr_expect(strstr(error.text, "rocprofv3 --sys-trace --output-format rocpd"), "%s", error.text);
}

/* Bytes anywhere in the file are changed: it is read, or refused with a sentence. */
Test(import, damaged_files_do_no_harm)
{
    static const char *const kinds[] = {"nsys t.sqlite --release 2026.1 --launches 200",
                                        "kineto t.json --release 2.6 --launches 200",
                                        "rocpd t.db --release 3.0 --launches 100"};
    static const char *const paths[] = {"t.sqlite", "t.json", "t.db"};
    for (size_t kind = 0; kind < 3; kind++) {
        const char *path = paths[kind];
        struct stat status;
        srand(7);
        for (int round = 0; round < 40; round++) {
            unlink(path);
            if (round % 8 == 0) {
                make(kinds[kind]);
                cr_assert_eq(rename(path, "whole"), 0);
            }
            char command[80];
            snprintf(command, sizeof command, "cp whole %s", path);
            cr_assert_eq(system(command), 0);
            cr_assert_eq(stat(path, &status), 0);
            FILE *file = fopen(path, "r+");
            for (int i = 0; i < 12; i++) {
                fseek(file, 100 + rand() % (status.st_size - 100), SEEK_SET);
                fputc(rand() % 256, file);
            }
            fclose(file);
            struct session *session = NULL;
            struct error error = {0};
            if (recording_load(&session, path, &error) != STATUS_OK)
                cr_expect_neq(error.text[0], '\0');
            session_destroy(session);
        }
    }
}

/* ---- what PyTorch says of its own steps, and of a trace without a GPU ---- */

/* `steps` declared ones, each with six operators that launch a kernel each. */
static struct session *of_pytorch(uint32_t steps, bool with_gpu, const char *head)
{
    FILE *file = fopen("p.json", "w");
    fprintf(file, "{\"schemaVersion\": 1, %s \"traceEvents\": [\n", head);
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t at = 1000 * step;
        fprintf(
            file,
            "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%u\", \"pid\": 4, \"tid\": 4, "
            "\"ts\": %u, \"dur\": 990},\n",
            step + 3, at);
        for (uint32_t i = 0; i < 6; i++) {
            fprintf(
                file,
                "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::empty\", \"pid\": 4, \"tid\": 4, \"ts\": %u, "
                "\"dur\": 40},\n",
                at + 10 + 100 * i);
            if (with_gpu)
                fprintf(
                    file,
                    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 4, \"tid\": 4, "
                    "\"ts\": %u, \"dur\": 5, \"args\": {\"correlation\": %u}},\n"
                    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%u\", \"ts\": %u, \"dur\": 30, "
                    "\"args\": {\"stream\": 7, \"correlation\": %u}},\n",
                    at + 20 + 100 * i, 1 + 6 * step + i, i % 2, at + 60 + 100 * i, 1 + 6 * step + i);
        }
    }
    fputs("{}]}", file);
    fclose(file);
    return load("p.json");
}

Test(import, declared_steps_come_before_operators)
{
    for (uint32_t count = 1; count <= 4; count++) {
        struct session *session = of_pytorch(count, true, "");
        struct steps steps;
        struct error error;
        cr_assert_eq(steps_find(session, 0, &steps, &error), STATUS_OK);
        cr_expect_eq(steps.count, count > 1 ? count : 0, "%" PRIu64 " of %u", steps.count, count);
        if (count > 1)
            cr_expect_str_eq(session_string(session, steps.range), "ProfilerStep#3");
        session_destroy(session);
    }
}

Test(import, a_trace_of_the_cpu_alone_says_so)
{
    struct session *session = of_pytorch(2, false, "");
    cr_expect(has_notice(session, "The trace is of the CPU alone: 14 ranges"));
    session_destroy(session);
    session = of_pytorch(2, true, "\"roctracer_version\": 4,");
    cr_expect_not(has_notice(session, "The trace is of the CPU alone"));
    cr_expect_str_eq(session_counting(session), "rocprof-compute profile --name counted --");
    session_destroy(session);
}

/* Work of an accelerator that is no GPU: said, and not called a trace of the CPU. */
Test(import, an_unknown_device_is_named)
{
    FILE *file = fopen("p.json", "w");
    fputs(
        "{\"schemaVersion\": 1, \"traceEvents\": ["
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 4, \"tid\": 4, \"ts\": 1, \"dur\": 9},"
        "{\"ph\": \"X\", \"cat\": \"mtia_ccp_events\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": 5, \"dur\": 9}]}",
        file);
    fclose(file);
    struct session *session = load("p.json");
    cr_expect(
        has_notice(session, "1 events are of categories that lanescope does not know (mtia_ccp_events)"));
    cr_expect_not(has_notice(session, "of the CPU alone"));
    session_destroy(session);
}

/* A range is opened in a function and outlives it: what comes later is inside of it. Launches have the call path. */
Test(import, functions_of_python_are_call_paths)
{
    static const char *const rows[] = {
        "\"cat\": \"python_function\", \"name\": \"train.py(12): step\", \"ts\": 0, \"dur\": 900",
        "\"cat\": \"python_function\", \"name\": \"torch/profiler/profiler.py(7): __enter__\", \"ts\": 1, \"dur\": 9",
        "\"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", \"ts\": 2, \"dur\": 800",
        "\"cat\": \"python_function\", \"name\": \"load.py(40): resize\", \"ts\": 100, \"dur\": 300",
        "\"cat\": \"python_function\", \"name\": \"torch/nn/modules/module.py(3): _call_impl\", \"ts\": 500, \"dur\": 100",
        "\"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"ts\": 510, \"dur\": 5, \"args\": {\"correlation\": 3}",
        "\"cat\": \"kernel\", \"name\": \"k\", \"ts\": 530, \"dur\": 30, \"args\": {\"stream\": 7, \"correlation\": 3}"};
    FILE *file = fopen("p.json", "w");
    fputs("{\"schemaVersion\": 1, \"traceEvents\": [", file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(file, "{\"ph\": \"X\", \"pid\": 4, \"tid\": 4, %s},\n", rows[i]);
    fputs("{}]}", file);
    fclose(file);
    struct session *session = load("p.json");
    char text[80];
    int64_t until_ns;
    cr_assert_eq(session_launch_site_count(session), 1);
    const uint32_t stack = session_launch_site(session, 0)->stack;
    session_stack_text(session, session_stack_own(session, stack), text, sizeof text);
    cr_expect_str_eq(text, "train.py:12 step");
    cr_expect_str_eq(session_string(session, session_stack(session, stack)->file),
                     "torch/nn/modules/module.py");
    for (uint32_t track = 0; track < session_track_count(session); track++)
        if (session_track(session, track)->kind == TRACK_RANGES)
            cr_expect_str_eq(session_string(session, partition_range_at(session, track, 200000, &until_ns)),
                             "load.py(40): resize");
    cr_expect_eq(until_ns, 400000);
    session_destroy(session);
}
