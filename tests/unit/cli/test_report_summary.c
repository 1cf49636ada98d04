/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first screen of a report: at most 25 lines that fit the width, whatever was recorded; against golden
 * files for two recordings of an H200 and a training loop made by hand.
 */
#include "cli/report/report_sheets.h"
#include "cli/report/summary/report_summary.h"
#include "core/recording/recording.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/temporary_recording.h"
#include "tui/terminal/text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DATA TEST_SOURCE_DIR "/tests/data/"
#define US INT64_C(1000)

static char *summary_on(const struct session *session, size_t lines, int columns, bool color)
{
    const struct report_look look = {.file = "a.lsr", .columns = columns, .lines = lines, .color = color};
    struct error error = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_summary(session, &look, out, &error), STATUS_OK, "%s", error.text);
    fclose(out);
    return text;
}

static char *summary_of(const struct session *session, int columns, bool color)
{
    return summary_on(session, 0, columns, color);
}

static struct session *recorded(const char *path)
{
    struct session *session = NULL;
    struct error error = {0};
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    return session;
}

/* Without what sets colours. */
static void strip_colors(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0';)
        if (at[0] == '\x1b' && at[1] == '[')
            at = strchr(at, 'm') + 1;
        else
            *to++ = *at++;
    *to = '\0';
}

static char *full_of(const struct session *session);

/* The first gain below the heading, per cent; negative: nothing is replayed. */
static double first_gain(const char *text)
{
    const char *at = strstr(text, "what would help, by replaying");
    double gain = -1;
    for (at = at ? strchr(at, '\n') : NULL; at && gain < 0 && at[1] == ' '; at = strchr(at + 1, '\n'))
        if (sscanf(at + 1, " %lf %%", &gain) != 1)
            gain = -1;
    return gain;
}

/* Of the whole report. */
static double best_of(const struct session *session)
{
    char *full = full_of(session);
    double best = first_gain(full);
    free(full);
    return best;
}

/* `best`: the first gain of the whole report. Colours, and a terminal of 24 lines, at widths at which lines wrap. */
static void check_screen(const struct session *session, const char *name, int columns, double best)
{
    char *text = summary_of(session, columns, false);
    size_t lines = 0;
    if (columns <= 80) {
        char *colored = summary_of(session, columns, true);
        strip_colors(colored);
        cr_expect_str_eq(colored, text, "%s: colours change the text", name);
        free(colored);
    }
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
        *end = '\0';
        if (strstr(line, "$ lanescope ")) /* a command is never cut */
            cr_expect_neq(strcmp(end - 2, ".."), 0, "%s at %d: %s", name, columns, line);
        else
            cr_expect_leq(text_width(line, 1000), columns, "%s at %d: %s", name, columns, line);
    }
    cr_expect(lines > 0 && lines <= SUMMARY_LINES, "%s at %d columns has %zu lines", name, columns, lines);
    free(text);
    if (columns > 80)
        return;
    /* A terminal of 24 lines keeps the first one, which says what ran, above its prompt. */
    text = summary_on(session, REPORT_LINES_LEAST, columns, false);
    lines = 0;
    for (const char *end = text; (end = strchr(end, '\n')); end++)
        lines++;
    cr_expect(best < 0 || !strstr(text, "what would help, by") || fabs(first_gain(text) - best) < 0.51,
              "%s at %d columns: the best comes first", name, columns);
    cr_expect(lines > 0 && lines <= REPORT_LINES_LEAST, "%s at %d columns has %zu lines on a low screen",
              name, columns, lines);
    free(text);
}

Test(report_summary, is_25_lines_that_fit_for_every_recording, .timeout = 280)
{
#ifdef SANITIZES_ADDRESSES
    static const int widths[] = {80};
#else
    static const int widths[] = {60, 80, 100, 200};
#endif
    glob_t found;
    cr_assert_eq(glob(DATA "*.lsr", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct session *session = recorded(found.gl_pathv[i]);
        double best = best_of(session);
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            check_screen(session, found.gl_pathv[i], widths[w], best);
        session_destroy(session);
    }
    globfree(&found);
}

/* ---- a training loop ---- */
struct loop {
    struct session *session;
    uint32_t stream, calls, ranges, kernels[8];
    int64_t now_ns; /* of the host */
};

static uint32_t add_string(struct loop *loop, const char *text)
{
    return session_add_string(loop->session, text, strlen(text));
}

static void add_call(struct loop *loop, const char *name, enum call_category category, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_CALL, .a = API_RUNTIME, .b = (uint8_t)category};
    item.call.name = add_string(loop, name);
    cr_assert(session_add_event(loop->session, loop->calls, loop->now_ns, loop->now_ns + duration_ns, &item));
    loop->now_ns += duration_ns;
}

static void add_launch(struct loop *loop, unsigned kernel, int64_t duration_ns)
{
    struct item item = {.kind = ITEM_LAUNCH};
    item.launch.kernel = loop->kernels[kernel];
    item.launch.call_start_ns = loop->now_ns;
    item.launch.call_duration_ns = (uint32_t)(10 * US);
    item.launch.call_thread = 7;
    add_call(loop, "cudaLaunchKernel", CALL_LAUNCH, 10 * US);
    cr_assert(
        session_add_event(loop->session, loop->stream, loop->now_ns, loop->now_ns + duration_ns, &item));
}

#define SLOW_STEP 20

/* A copy that takes so long (0: none), then so many steps of eight kernels of 3 us, launched by calls of 10 us;
 * each step is a range, the last four launches of it are another one in it, and the host works for 20 us at
 * the end, in one step for 70. */
static struct session *steps_session(int64_t copy_ns, enum memory_kind host, unsigned steps)
{
    struct loop loop = {0};
    cr_assert_eq(session_create(&loop.session, INT64_C(1790000000) * 1000000000, NULL), STATUS_OK);
    struct process_row process = {.pid = 9, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    process.program = add_string(&loop, "python3");
    process.command = add_string(&loop, "python3 train.py --steps 40");
    session_add_process(loop.session, &process);
    struct device_row device = {.info = {.name = "NVIDIA H200",
                                         .compute_capability = 90,
                                         .multiprocessors = 132,
                                         .driver_version = 13000}};
    session_add_device(loop.session, &device);
    struct run_row run = {.program = process.program, .end_ns = INT64_MIN, .verified = -1};
    session_add_run(loop.session, &run);
    struct track_row track = {.kind = TRACK_STREAM, .context = 1, .stream = 7, .thread = NONE};
    loop.stream = session_add_track(loop.session, &track);
    track = (struct track_row){.kind = TRACK_CALLS, .device = NONE, .thread = 7};
    loop.calls = session_add_track(loop.session, &track);
    track.kind = TRACK_RANGES;
    loop.ranges = session_add_track(loop.session, &track);
    for (unsigned k = 0; k < 8; k++) {
        char name[60];
        snprintf(name, sizeof name, "void layer_%u<float>(float *, int)", k);
        struct shape_row shape = {
            .name = add_string(&loop, name), .grid = {k == 7 ? 8 : 1024, 1, 1}, .block = {256, 1, 1}};
        loop.kernels[k] = session_add_kernel(loop.session, 0, session_add_shape(loop.session, &shape), 0);
    }
    struct item copy = {.kind = ITEM_COPY,
                        .a = COPY_HTOD,
                        .b = (uint8_t)(host | MEMORY_DEVICE << 4),
                        .copy = {.call_start_ns = INT64_MIN, .size_bytes = 200u << 20}};
    cr_assert(copy_ns == 0 || session_add_event(loop.session, loop.stream, 0, copy_ns, &copy));
    loop.now_ns = copy_ns;
    for (unsigned step = 0; step < steps; step++) {
        struct item range = {.kind = ITEM_RANGE};
        char name[40];
        int64_t start_ns = loop.now_ns;
        snprintf(name, sizeof name, "step %u", step);
        range.range.name = add_string(&loop, name);
        int64_t inner_ns = 0;
        for (unsigned k = 0; k < 8; k++) {
            inner_ns = k == 4 ? loop.now_ns : inner_ns;
            add_launch(&loop, k, 3 * US);
        }
        struct item inner = {.kind = ITEM_RANGE,
                             .range = {.name = add_string(&loop, "backward"), .depth = 1}};
        cr_assert(session_add_event(loop.session, loop.ranges, inner_ns, loop.now_ns, &inner));
        loop.now_ns += (step == SLOW_STEP ? 70 : 20) * US;
        cr_assert(session_add_event(loop.session, loop.ranges, start_ns, loop.now_ns, &range));
    }
    session_end_run(loop.session, 0, loop.now_ns + 100 * US, -1, 0);
    session_end_process(loop.session, 0, loop.now_ns + 100 * US, 0);
    return loop.session;
}

static struct session *loop_session(int64_t copy_ns)
{
    return steps_session(copy_ns, MEMORY_PAGEABLE, 40);
}

/* Where no rule fires, what most of the time is stands there: also copies of pinned memory that no kernel could
 * hide. */
Test(report_summary, names_copies_where_no_rule_fires)
{
    struct session *session = steps_session(5000 * US, MEMORY_PINNED, 1);
    char *text = summary_of(session, 100, false);
    cr_expect(strstr(text,
                     "No rule finds 5 % of a run's time to gain; 98 % of the time is copies, not hidden:\n"
                     "  $ lanescope report a.lsr --table copies\n"),
              "%s", text);
    check_screen(session, "copies", 80, best_of(session));
    free(text);
    session_destroy(session);
}

static char *full_of(const struct session *session)
{
    char *full = NULL;
    size_t size;
    struct error error = {0};
    FILE *out = open_memstream(&full, &size);
    cr_assert_eq(report_table(session, NULL, out, 0, &error), STATUS_OK, "%s", error.text);
    fclose(out);
    return full;
}

/* What the replay gains is the same share, in the same order, on the first screen and in the whole report. */
Test(report_summary, gains_are_those_of_the_whole_report)
{
    struct session *session = recorded(DATA "times_h100.lsr");
    char *text = summary_of(session, 100, false), *full = full_of(session);
    const char *listed = strstr(full, "what would help, by replaying");
    const char *shown = strstr(text, "what would help, by replaying");
    size_t found = 0;
    cr_assert(listed && shown, "%s", text);
    for (const char *line = strchr(shown, '\n'); line; line = strchr(line + 1, '\n')) {
        char *end, *whole;
        long share = strtol(line + 1, &end, 10);
        if (strncmp(end, " %  ", 4) != 0)
            continue;
        while (listed && (strtod(listed, &whole), strncmp(whole, " % ", 3) != 0))
            listed = strchr(listed + 1, '\n');
        cr_assert(listed, "%ld %% is not in\n%s", share, full);
        cr_expect(fabs(strtod(listed, NULL) - (double)share) < 0.56, "%s", listed); /* rounded twice */
        listed = strchr(listed + 1, '\n');
        found++;
        if (found == 2)
            break; /* what follows are the kernels */
    }
    cr_expect_eq(found, 2);
    free(text);
    free(full);
    session_destroy(session);
}

/* Where the replay claims nothing the rules rank, and a clause says why. */
Test(report_summary, says_why_the_rules_rank)
{
    struct session *session = recorded(DATA "cublas_h200.lsr");
    char *text = summary_of(session, 100, false), *full = full_of(session);
    cr_expect(strstr(text, " <=   7 % Matrix products") &&
                  strstr(text, "(ranked by the rules' bounds: no replay. It has 4"),
              "%s", text);
    cr_expect(strstr(full, "<= 7 % to gain") && strstr(full, "since the replay claims nothing"), "%s", full);
    free(text);
    for (size_t lines = 20; lines <= 24;
         lines++) { /* of one finding there is room for both in few lines, too */
        text = summary_on(session, lines, 100, false);
        cr_expect(strstr(text, "what to do first, and what it gains at most") &&
                      strstr(text, "(ranked by the rules' bounds"),
                  "%zu lines\n%s", lines, text);
        free(text);
    }
    free(full);
    session_destroy(session);
}

Test(report_summary, equals_the_golden_files, .timeout = 120)
{
    static const char *const names[] = {"h200", "curriculum_h200", "loop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[400], golden[80];
        snprintf(path, sizeof path, DATA "%s.lsr", names[i]);
        snprintf(golden, sizeof golden, "report_summary_%s.txt", names[i]);
        struct session *session = strcmp(names[i], "loop") == 0 ? loop_session(20000 * US) : recorded(path);
        char *text = summary_of(session, 100, false);
        cr_expect(golden_equals(golden, text, NULL));
        check_screen(session, names[i], 60, best_of(session));
        free(text);
        session_destroy(session);
    }
}

/* ---- tables of their own ---- */
static char *part_of(const struct session *session, const struct sheet *sheet, enum sheet_form form)
{
    struct sheet_look look = {.form = form, .width = 100};
    struct error error = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_sheet_print(session, NULL, sheet, &look, out, &error), STATUS_OK, "%s", error.text);
    fclose(out);
    return text;
}

/* Worked out by hand: eight launches of 3 us in each of 40 steps, four of them in the inner range, the first
 * of which starts 30 us before the last. */
Test(report_parts, are_the_numbers_of_the_trace, .timeout = 60)
{
    static const struct {
        const struct sheet *sheet;
        const char *row;
    } rows[] = {
        {&sheet_kernels,
         "clock,share,total_ns,count,mean_ns,median_ns,deviation_ns,min_ns,max_ns,why,name\n"},
        {&sheet_kernels, "\"wall\",0.124610591900312,120000,40,3000,3000,0,3000,3000,,\"void "
                         "layer_7<float>(float *, int)\"\n"},
        {&sheet_copies,
         "\"wall\",\"htod\",\"pageable\",0.00311526479750779,6000,2000000000,3000,2,1500,1000,707.106781186548,1000,2000\n"},
        {&sheet_calls, "\"wall\",1,3200000,320,10000,10000,0,10000,10000,\"cudaLaunchKernel\"\n"},
        {&sheet_ranges,
         ",960000,2920000,320,4050000,40,101250,100000,7905.69415042095,100000,150000,0,,\"step #\"\n"},
        {&sheet_ranges, ",480000,1320000,160,1600000,40,40000,40000,0,40000,40000,1,0,\"backward\"\n"},
        {&sheet_steps, ",20,2010000,150000,24000,0,126000,true,49175,\"idle_between\"\n"},
        {&sheet_steps, ",19,1910000,100000,24000,0,76000,false,,\n"},
        {&sheet_idle,
         "\"steps\",0.584141188168034,2350000,319,7366.77115987461,\"idle_launch\",\"cudaLaunchKernel\"\n"},
    };
    struct session *session = loop_session(0);
    struct item item = {.kind = ITEM_COPY, .a = COPY_HTOD, .b = MEMORY_PAGEABLE | MEMORY_DEVICE << 4};
    item.copy.call_start_ns = INT64_MIN;
    for (int i = 0; i < 2; i++) { /* behind the loop */
        item.copy.size_bytes = i ? 4000 : 2000;
        cr_assert(session_add_event(session, 0, (5000 + 10 * i) * US, (5001 + 11 * i) * US, &item));
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = part_of(session, rows[i].sheet, SHEET_FORM_CSV);
        cr_expect(strstr(text, rows[i].row), "%s not in\n%s", rows[i].row, text);
        free(text);
    }
    session_destroy(session);
}

/* A wrong result and a loss are on the first screen. */
Test(report_summary, has_what_went_wrong)
{
    struct session *session = loop_session(0);
    struct run_row run = {.workload = session_add_string(session, "transpose", 9),
                          .group = 1,
                          .end_ns = INT64_MIN,
                          .verified = -1};
    struct drop_row drop = {.count = 12, .kind = EVENT_CALL, .reason = DROP_RING_FULL};
    uint32_t added = session_add_run(session, &run);
    session_end_run(session, added, 10, 0, session_add_string(session, "element 7 is 3, not 4", 21));
    session_add_drop(session, &drop);
    char *text = summary_of(session, 100, false);
    cr_expect(strstr(text, "1 WRONG RESULT: transpose"), "%s", text);
    cr_expect(strstr(text, "12 events of kind"), "%s", text);
    check_screen(session, "wrong", 80, best_of(session));
    free(text);
    session_destroy(session);
}

/* So is that a recording was cut off by kill -9, though it has kernels and is verified. */
Test(report_summary, has_that_the_recording_was_not_closed, .init = temporary_make, .fini = temporary_remove)
{
    char bytes[4096];
    size_t size;
    FILE *from = fopen(DATA "h200.lsr", "re"), *to = fopen(temporary_path, "we");
    cr_assert(from && to);
    while ((size = fread(bytes, 1, sizeof bytes, from)) > 0)
        cr_assert_eq(fwrite(bytes, 1, size, to), size);
    fclose(from);
    cr_assert_eq(fclose(to), 0);
    for (int cut = 0; cut < 2; cut++) {
        struct session *session = recorded(temporary_path);
        char *text = summary_of(session, 80, true);
        cr_expect_eq(strstr(text, "\x1b[1;31mThe recording was not closed") != NULL, cut == 1, "%s", text);
        check_screen(session, "cut off", 80, best_of(session));
        free(text);
        session_destroy(session);
        const struct timespec old[2] = {{0}};
        temporary_change("UPDATE meta SET value = 0 WHERE key = 'finished'");
        cr_assert_eq(utimensat(AT_FDCWD, temporary_path, old, 0), 0); /* not written just now */
    }
}
