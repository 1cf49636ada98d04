/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports of a session made by hand: against golden files, the JSON against its schema by a validator
 * that is not ours, and with names that mean harm.
 */
#include "cli/output/json.h"
#include "cli/report/report.h"
#include "cli/report/summary/report_summary.h"
#include "core/base/event.h"
#include "core/recording/recording.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000

struct bench {
    struct session *session;
    uint32_t process, device, run, stream_a, stream_b, calls;
};

static uint32_t string(struct bench *bench, const char *text)
{
    return *text ? session_add_string(bench->session, text, strlen(text)) : 0;
}

static void begin_process(struct bench *bench, int pid, enum run_mode mode)
{
    struct process_row process = {.pid = pid,
                                  .rank = mode == RUN_TRACE ? 3 : -1,
                                  .host = string(bench, "node7"),
                                  .program = string(bench, "lanescope"),
                                  .mode = (uint8_t)mode,
                                  .end_ns = INT64_MIN,
                                  .exit_status = -1};
    bench->process = session_add_process(bench->session, &process);
    struct device_row device = {.process = bench->process};
    strcpy(device.info.name, "NVIDIA H200");
    strcpy(device.info.chip, "GH100");
    memset(device.info.uuid, 0xab, sizeof device.info.uuid);
    device.info.compute_capability = 90;
    device.info.multiprocessors = 132;
    bench->device = session_add_device(bench->session, &device);
    struct track_row track = {
        .kind = TRACK_STREAM, .process = bench->process, .device = bench->device, .context = 1, .stream = 7};
    bench->stream_a = session_add_track(bench->session, &track);
    track.stream = 13;
    bench->stream_b = session_add_track(bench->session, &track);
    struct track_row calls = {.kind = TRACK_CALLS, .process = bench->process, .device = NONE, .thread = 4711};
    bench->calls = session_add_track(bench->session, &calls);
}

static void begin_run(struct bench *bench, uint32_t group, enum run_mode mode, const char *workload,
                      const char *variant, const char *params, int64_t start_ns)
{
    struct run_row run = {.process = bench->process,
                          .device = bench->device,
                          .group = group,
                          .workload = string(bench, workload),
                          .variant = string(bench, variant),
                          .params = string(bench, params),
                          .mode = (uint8_t)mode,
                          .start_ns = start_ns,
                          .end_ns = INT64_MIN,
                          .verified = -1,
                          .effective_bytes = 2.0 * 128 * 1024,
                          .effective_kernel = string(bench, "copy_offset")};
    bench->run = session_add_run(bench->session, &run);
}

static uint32_t add_kernel(struct bench *bench, const char *name, const char *mangled, uint32_t blocks)
{
    struct shape_row shape = {.name = string(bench, name),
                              .mangled = string(bench, mangled),
                              .grid = {blocks, 1, 1},
                              .block = {256, 1, 1},
                              .registers_per_thread = 16};
    return session_add_kernel(bench->session, bench->run, session_add_shape(bench->session, &shape),
                              bench->device);
}

static void launch(struct bench *bench, uint32_t track, uint32_t kernel, int64_t start_ns,
                   int64_t duration_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = kernel;
    item.launch.call_start_ns = start_ns - 5000;
    item.launch.call_duration_ns = 3000;
    cr_assert(session_add_event(bench->session, track, start_ns, start_ns + duration_ns, &item));
}

static void copy(struct bench *bench, enum copy_kind kind, enum memory_kind source,
                 enum memory_kind destination, uint64_t bytes, int64_t start_ns, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_COPY, .a = (uint8_t)kind, .b = (uint8_t)(source | destination << 4)};
    item.copy.size_bytes = bytes;
    item.copy.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(bench->session, bench->stream_b, start_ns, start_ns + duration_ns, &item));
}

static void call(struct bench *bench, const char *name, int64_t start_ns, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_CALL, .a = API_DRIVER, .b = CALL_LAUNCH};
    item.call.name = string(bench, name);
    cr_assert(session_add_event(bench->session, bench->calls, start_ns, start_ns + duration_ns, &item));
}

static void measure(struct bench *bench, uint32_t kernel, double sectors)
{
    const struct value_row values[] = {
        {string(bench, "gpu__time_duration.sum"), 2100},
        {string(bench, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 1024},
        {string(bench, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 1024},
        {string(bench, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"), sectors},
        {string(bench, "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"), 4096},
        {string(bench, "smsp__sass_data_bytes_mem_global_op_ld.sum"), 131072},
        {string(bench, "smsp__sass_data_bytes_mem_global_op_st.sum"), 131072},
        {string(bench, "smsp__sass_inst_executed_op_shared_ld.sum"), 0},
        {string(bench, "smsp__inst_executed_op_generic_ld_pred_on_any.sum"), 0},
        {string(bench, "smsp__inst_executed_op_generic_st_pred_on_any.sum"), 0},
        {string(bench, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), 0},
        {string(bench, "smsp__sass_inst_executed_op_memory_8b.sum"), 0},
        {string(bench, "smsp__sass_inst_executed_op_memory_16b.sum"), 0},
        {string(bench, "smsp__sass_inst_executed_op_memory_64b.sum"), 0},
        {string(bench, "smsp__sass_inst_executed_op_memory_128b.sum"), 0},
        {string(bench, "sm__warps_active.avg.pct_of_peak_sustained_active"), 71.25},
        {string(bench, "dram__bytes_read.sum"), NAN},
        {string(bench, "lts__t_sector_hit_rate.pct"), 110},
    };
    struct measurement_row row = {.kernel = kernel, .passes = 4, .values = sizeof values / sizeof values[0]};
    cr_assert_neq(session_add_measurement(bench->session, &row, values), NONE);
}

static void measure_memory(struct bench *bench, uint32_t kernel)
{
    const struct value_row read = {string(bench, "dram__bytes_read.sum"), 131072};
    struct measurement_row row = {.kernel = kernel, .passes = 1, .values = 1};
    cr_assert_neq(session_add_measurement(bench->session, &row, &read), NONE);
}

static void expect(struct bench *bench, const char *kernel, const char *metric, double number)
{
    struct expected_row row = {.run = bench->run,
                               .kernel_name = string(bench, kernel),
                               .metric = string(bench, metric),
                               .number = number};
    session_add_expected(bench->session, &row);
}

static void notice(struct bench *bench, enum severity severity, const char *text)
{
    struct notice_row row = {
        .time_ns = 9 * MS, .text = string(bench, text), .process = NONE, .severity = (uint8_t)severity};
    session_add_notice(bench->session, &row);
}

/* Two variants of a workload in all three modes, then a program of somebody's with one templated kernel. */
static struct bench bench_open(void)
{
    struct bench bench = {0};
    cr_assert_eq(session_create(&bench.session, 0, NULL), STATUS_OK);
    static const char *const variants[][2] = {{"0", "offset=0,n=32768"}, {"1", "offset=1,n=32768"}};
    begin_process(&bench, 100, RUN_TRACE);
    for (uint32_t v = 0; v < 2; v++) {
        int64_t at = (1 + 2 * (int64_t)v) * MS;
        begin_run(&bench, v, RUN_TRACE, "copy-offset", variants[v][0], variants[v][1], at);
        expect(&bench, "copy_offset", "global_load_requests", 1024);
        expect(&bench, "copy_offset", "global_load_sectors", v ? 5120 : 4096);
        expect(&bench, "copy_offset", "global_load_ideal_sectors", 4096);
        uint32_t kernel = add_kernel(&bench, "copy_offset", "copy_offset", 128);
        copy(&bench, COPY_HTOD, MEMORY_PINNED, MEMORY_DEVICE, 131072, at + 1000, 10000);
        for (int i = 0; i < 3; i++) {
            call(&bench, "cuLaunchKernel", at + 20000 + i * 10000, 3000);
            launch(&bench, bench.stream_a, kernel, at + 25000 + i * 10000, 2000 + i * 100 + (v ? 500 : 0));
        }
        copy(&bench, COPY_DTOH, MEMORY_DEVICE, MEMORY_PAGEABLE, 131072, at + 46000, 20000);
        session_end_run(bench.session, bench.run, at + 1 * MS, 1, 0);
    }
    session_end_process(bench.session, bench.process, 6 * MS, 0);
    begin_process(&bench, 101, RUN_COUNTERS);
    for (uint32_t v = 0; v < 2; v++) {
        int64_t at = (10 + 2 * (int64_t)v) * MS;
        begin_run(&bench, v, RUN_COUNTERS, "copy-offset", variants[v][0], variants[v][1], at);
        uint32_t kernel = add_kernel(&bench, "copy_offset", "copy_offset", 128);
        for (int i = 0; i < 3; i++)
            measure(&bench, kernel, 4096); /* of offset 1 too: not what is expected there */
        /* serialised and replayed: not to be seen among the times */
        copy(&bench, COPY_HTOD, MEMORY_PINNED, MEMORY_DEVICE, 131072, at + 1000, 90000);
        call(&bench, "cuLaunchKernel", at + 20000, 90000);
        session_end_run(bench.session, bench.run, at + 1 * MS, v == 0,
                        v ? string(&bench, "element 7 is 3, not 4") : 0);
    }
    session_end_process(bench.session, bench.process, 16 * MS, 0);
    begin_process(&bench, 103, RUN_MEMORY); /* of the first variant only: it was broken off */
    begin_run(&bench, 0, RUN_MEMORY, "copy-offset", variants[0][0], variants[0][1], 17 * MS);
    measure_memory(&bench, add_kernel(&bench, "copy_offset", "copy_offset", 128));
    session_end_process(bench.session, bench.process, 19 * MS, 1);
    begin_process(&bench, 102, RUN_TRACE);
    struct run_row run = {.process = bench.process,
                          .device = bench.device,
                          .group = 2,
                          .program = string(&bench, "train.py"),
                          .mode = RUN_TRACE,
                          .start_ns = 20 * MS,
                          .end_ns = INT64_MIN,
                          .verified = -1};
    bench.run = session_add_run(bench.session, &run);
    uint32_t kernel =
        add_kernel(&bench,
                   "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                   "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
                   "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEEEEvi", 64);
    launch(&bench, bench.stream_a, kernel, 21 * MS, 2 * MS);
    copy(&bench, COPY_DTOD, MEMORY_DEVICE, MEMORY_DEVICE, 1 << 20, 22 * MS, 2 * MS);
    session_end_process(bench.session, bench.process, 30 * MS, 3);
    notice(&bench, SEVERITY_WARNING, "Kernels of graphs were not measured.");
    struct drop_row drop = {
        .time_ns = 0, .count = 12, .process = 0, .kind = EVENT_CALL, .reason = DROP_RING_FULL};
    session_add_drop(bench.session, &drop);
    session_add_drop(bench.session, &drop);
    session_set_now(bench.session, CLOCK_WALL, 30 * MS);
    return bench;
}

/* ---- golden files ---- */
Test(report, equals_the_golden_files)
{
    static const struct {
        enum report_form form;
        const char *name;
    } forms[] = {{TABLE, "report_table.txt"},
                 {TABLE_WIDE, "report_wide.txt"},
                 {JSON, "report_session.json"},
                 {CSV, "report_session.csv"}};
    struct bench bench = bench_open();
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *text = made_report(bench.session, forms[i].form);
        cr_assert(golden_equals(forms[i].name, text, NULL));
        free(text);
    }
    session_destroy(bench.session);
}

/* A count that is not as the workload's access sites say is wrong, and on the first screen, too. */
Test(report, counts_that_are_not_as_expected_are_on_the_first_screen)
{
    const struct report_look look = {.file = "a.lsr", .columns = 100};
    struct bench bench = bench_open();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_summary(bench.session, &look, out, NULL), STATUS_OK);
    fclose(out);
    const char *line = strstr(text, " not as expected, the first of ");
    cr_assert(line && strstr(text, "exact count"), "%s", text);
    free(text);
    session_destroy(bench.session);
}

Test(report, table_fits_100_columns)
{
    struct bench bench = bench_open();
    char *text = made_report(bench.session, TABLE);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "note:", 5) != 0 && strncmp(line, "warning:", 8) != 0)
            cr_assert_leq(strlen(line), 100, "%s", line);
    free(text);
    session_destroy(bench.session);
}

/* ---- the schema ---- */
Test(report, json_is_as_its_schema_says, .timeout = 280)
{
    struct bench bench = bench_open();
    char *text = made_report(bench.session, JSON);
    cr_assert_eq(report_validate(text), 0);
    /* The validator does see what is wrong. */
    char *at = strstr(text, "_provenance\": \"measured\"");
    cr_assert_not_null(at);
    memcpy(strchr(at, ' ') + 2, "mesaured", strlen("mesaured"));
    cr_assert_neq(report_validate(text), 0);
    free(text);
    session_destroy(bench.session);
}

#define VALIDATED_BYTES (2u << 20)

/* What was recorded once must go on giving valid reports. */
Test(report, of_every_recording_in_the_tests_data, .timeout = 280)
{
    glob_t found;
    cr_assert_eq(glob(TEST_SOURCE_DIR "/tests/data/*.lsr", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct session *session = NULL;
        struct error error = {0};
        cr_assert_eq(recording_load(&session, found.gl_pathv[i], &error), STATUS_OK, "%s", error.text);
        char *text = made_report(session, JSON);
#ifndef SANITIZES_ADDRESSES /* the validator is Python, and slow; tests/cli/sheets.py has sheets of the largest */
        cr_assert(strlen(text) > VALIDATED_BYTES || report_validate(text) == 0, "%s", found.gl_pathv[i]);
#endif
        free(text);
        free(made_report(session, TABLE));
        free(made_report(session, CSV));
        session_destroy(session);
    }
    globfree(&found);
}

Test(report, an_empty_session, .timeout = 280)
{
    struct bench bench = {0};
    cr_assert_eq(session_create(&bench.session, 0, NULL), STATUS_OK);
    char *text = made_report(bench.session, JSON);
    cr_assert_eq(report_validate(text), 0);
    free(text);
    text = made_report(bench.session, TABLE);
    cr_assert_str_eq(text, "no work on a GPU was traced\n");
    free(text);
    free(made_report(bench.session, CSV));
    session_destroy(bench.session);
}

/* A run that still goes on, a device and a process that are not known, a kernel without launches. */
Test(report, an_unfinished_session, .timeout = 280)
{
    struct bench bench = {0};
    cr_assert_eq(session_create(&bench.session, 0, NULL), STATUS_OK);
    begin_process(&bench, 1, RUN_TRACE);
    bench.process = NONE;
    bench.device = NONE;
    begin_run(&bench, 0, RUN_TRACE, "copy-offset", "0", "", 0);
    add_kernel(&bench, "copy_offset", "", 1);
    char *text = made_report(bench.session, JSON);
    cr_assert_eq(report_validate(text), 0, "%s", text);
    free(text);
    text = made_report(bench.session, TABLE);
    cr_assert(strstr(text, "copy-offset:0 : not verified. It ended before its result was checked.\n"), "%s",
              text);
    free(text);
    free(made_report(bench.session, CSV));
    session_destroy(bench.session);
}

/* ---- text that means harm ---- */

/* Valid UTF-8 without control bytes (but line feeds). */
static bool harmless(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t more = *at < 0x80             ? 0
                      : (*at & 0xe0) == 0xc0 ? 1
                      : (*at & 0xf0) == 0xe0 ? 2
                      : (*at & 0xf8) == 0xf0 ? 3
                                             : 9;
        if (more == 9 || (*at < 0x20 && *at != '\n') || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
            return false;
        for (at++; more > 0; more--, at++)
            if ((*at & 0xc0) != 0x80)
                return false;
    }
    return true;
}

Test(report, names_that_mean_harm, .timeout = 280)
{
    static const char *const nasty[] = {
        "\x1b]0;owned\x07",    "\"},\"x\":{\"",          "back\\slash\"quote",    "\xff\xfe\x80",
        "\xc0\xaf overlong",   "\xed\xa0\x80 surrogate", "\xe2\x80\xae reversed", "\xc2\x9b 31m",
        "line\r\nfeed\ttab\b", "cut \xe2\x82",           "k<int, =1+1>",          "\xf4\x90\x80\x80 beyond"};
    struct bench bench = {0};
    cr_assert_eq(session_create(&bench.session, 0, NULL), STATUS_OK);
    begin_process(&bench, 1, RUN_TRACE);
    srand(6);
    for (int i = 0; i < 36; i++) {
        char name[64], params[200];
        if (i < 12) {
            snprintf(name, sizeof name, "%s", nasty[i]);
        } else {
            size_t length = 1 + (size_t)rand() % 60;
            for (size_t b = 0; b < length; b++)
                name[b] = (char)(1 + rand() % 255);
            name[length] = '\0';
        }
        snprintf(params, sizeof params, "%s=%s,n%d=007,m=-12", i % 2 ? "p" : name, name, i);
        begin_run(&bench, (uint32_t)i, RUN_TRACE, i % 3 ? name : "", name, params, i * 1000);
        launch(&bench, bench.stream_a, add_kernel(&bench, name, name, 1), i * 1000, 10);
        call(&bench, name, i * 1000, 10);
        session_end_run(bench.session, bench.run, i * 1000 + 900, 0, string(&bench, name));
        notice(&bench, SEVERITY_ERROR, name);
    }
    for (int form = TABLE; form <= CSV; form++) {
        char *text = made_report(bench.session, (enum report_form)form);
        cr_assert(harmless(text), "form %d", form);
        if (form == JSON)
            cr_assert_eq(report_validate(text), 0);
        free(text);
    }
    session_destroy(bench.session);
}

/* What memory cannot hold is left out, and each sheet says so; the rest of the report is there. */
Test(report, json_leaves_out_what_memory_does_not_hold)
{
    static const char *const sheets[] = {"copies", "overlap", "amdahl", "advice", "runs"};
    struct bench bench = bench_open();
    session_set_memory_limit(bench.session, 1, false);
    begin_run(&bench, 9, RUN_TRACE, "copy-offset", "9", "offset=9,n=32768", 20 * MS);
    uint32_t kernel = add_kernel(&bench, "copy_offset", "copy_offset", 128);
    for (int i = 0; i < 20000; i++)
        launch(&bench, bench.stream_a, kernel, 20 * MS + i * 1000, 900);
    session_end_run(bench.session, bench.run, 50 * MS, 0, 0);
    char *text = made_report(bench.session, JSON);
    cr_assert_eq(report_validate(text), 0);
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        char sheet[64];
        snprintf(sheet, sizeof sheet, "\"sheet\": \"%s\"", sheets[i]);
        const char *left_out = strstr(strstr(text, sheet), "\"left_out\": ");
        cr_expect_eq(strncmp(left_out, "\"left_out\": \"", 13), 0, "%s: %.40s", sheet, left_out);
    }
    cr_expect(strstr(text, "\"device_time_ns\": null"), "%s", text);
    cr_expect(strstr(text, "\"launches\": 20000"), "%s", text);
    free(text);
    session_destroy(bench.session);
    bench = bench_open(); /* where all of it fits nothing is left out */
    text = made_report(bench.session, JSON);
    cr_expect(!strstr(text, "\"left_out\": \""), "%s", text);
    free(text);
    session_destroy(bench.session);
}

Test(report, says_when_it_cannot_be_written)
{
    struct bench bench = bench_open();
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    struct error error = {0};
    cr_assert_eq(report_json(bench.session, NULL, 0, full, &error), STATUS_IO);
    cr_assert_str_not_empty(error.text);
    clearerr(full);
    cr_assert_eq(report_table(bench.session, NULL, full, 0, &error), STATUS_IO);
    clearerr(full);
    cr_assert_eq(report_csv(bench.session, NULL, full, &error), STATUS_IO);
    fclose(full);
    session_destroy(bench.session);
}

/* ---- the JSON writer ---- */
Test(report, json_numbers_read_back)
{
    static const double numbers[] = {
        0,   1,      -1,      0.1,  1.0 / 3,           1e300, 5e-324, 123456789012345678.0,
        0.8, 131072, 1.34e12, 1e15, 4503599627370497.5};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        struct json json;
        FILE *out = open_memstream(&text, &size);
        json_init(&json, out, 1);
        json_number(&json, NULL, numbers[i]);
        fclose(out);
        cr_assert_eq(strtod(text, NULL), numbers[i], "%s", text);
        free(text);
    }
    char *text = NULL;
    size_t size = 0;
    struct json json;
    FILE *out = open_memstream(&text, &size);
    json_init(&json, out, 1);
    json_open(&json, NULL, '[');
    json_number(&json, NULL, NAN);
    json_number(&json, NULL, INFINITY);
    json_close(&json, ']');
    fclose(out);
    cr_assert_str_eq(text, "[\n null,\n null\n]\n");
    free(text);
}
