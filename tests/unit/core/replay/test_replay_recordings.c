/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every recording of tests/data, replayed unchanged: the table of errors of docs/results/replay.md, and its limits. A
 * recording as a whole, and each of its runs that has REPLAY_RUN_LEAST operations: of fewer the halves have too little
 * to learn from. LANESCOPE_TABLE=1 prints the table.
 */
#include "core/recording/recording.h"
#include "core/replay/replay.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLAY_RUN_LEAST 100u
#define REPLAY_WHOLE_LEAST 40u
#define ROWS_MAX 200

struct errors {
    double all[ROWS_MAX];
    size_t count;
};

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double at_share(struct errors *errors, double share)
{
    qsort(errors->all, errors->count, sizeof *errors->all, by_size);
    return errors->all[(size_t)(share * (double)(errors->count - 1))];
}

static void take(const struct session *session, uint32_t run, const char *file, uint64_t least,
                 struct errors *errors)
{
    struct replay *replay;
    const struct run_row *row = run == NONE ? NULL : session_run(session, run);
    char name[100] = "all runs";
    if (replay_open(&replay, session, run, INT64_MIN, INT64_MAX, NULL) != STATUS_OK)
        return;
    if (row)
        snprintf(name, sizeof name, "%s %s %.40s",
                 session_string(session, row->workload ? row->workload : row->program),
                 session_string(session, row->variant), session_string(session, row->params));
    const struct replay_facts *facts = replay_facts(replay);
    if (facts->operations >= least && !isnan(facts->error)) {
        cr_assert_lt(errors->count, ROWS_MAX);
        errors->all[errors->count++] = fabs(facts->error);
        if (getenv("LANESCOPE_TABLE"))
            printf("| %s | %s | %llu | %llu | %.2f | %+.2f |\n", file, name, (unsigned long long)facts->calls,
                   (unsigned long long)facts->operations, (double)facts->measured_ns * 1e-6,
                   100 * facts->error);
    }
    replay_close(replay);
}

Test(replay_recordings, err_no_more_than_they_did, .timeout = 120)
{
    struct errors wholes = {.count = 0}, runs = {.count = 0};
    glob_t files;
    cr_assert_eq(glob(TEST_SOURCE_DIR "/tests/data/*.lsr", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct session *session;
        struct error error = {0};
        cr_assert_eq(recording_load(&session, files.gl_pathv[i], &error), STATUS_OK, "%s", error.text);
        const char *file = strrchr(files.gl_pathv[i], '/') + 1;
        take(session, NONE, file, REPLAY_WHOLE_LEAST, &wholes);
        for (uint32_t run = 0; run < session_run_count(session); run++)
            if (run_is_traced(session_run(session, run)))
                take(session, run, file, REPLAY_RUN_LEAST, &runs);
        session_destroy(session);
    }
    globfree(&files);
    cr_assert_geq(wholes.count, 15);
    cr_assert_geq(runs.count, 30);
    if (getenv("LANESCOPE_TABLE"))
        printf(
            "recordings: %zu, median %.2f %%, 90 %% %.2f %%, worst %.2f %%\nruns: %zu, median %.2f %%, 90 %% %.2f %%, "
            "worst %.2f %%\n",
            wholes.count, 100 * at_share(&wholes, 0.5), 100 * at_share(&wholes, 0.9),
            100 * at_share(&wholes, 1), runs.count, 100 * at_share(&runs, 0.5), 100 * at_share(&runs, 0.9),
            100 * at_share(&runs, 1));
    cr_expect_leq(at_share(&wholes, 0.5), 0.001);
    cr_expect_leq(at_share(&wholes, 1), 0.02);
    cr_expect_leq(at_share(&runs, 0.5), 0.012);
    cr_expect_leq(at_share(&runs, 0.9), 0.051);
    cr_expect_leq(at_share(&runs, 1), 0.12);
}
