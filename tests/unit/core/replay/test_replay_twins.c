/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of runs in the recordings of tests/data, of which the second really has what an edit does to the first: the gain
 * that the edit predicts from the first alone, and that which the second has. LANESCOPE_TABLE=1 prints the table of
 * docs/results/replay.md.
 *
 * The bundled workloads repeat three times, and the host checks results in between. Compared is the last round: from the
 * end of the last set to the last end, or, where a workload sets nothing in a round, from the end of the operation before
 * the round to that of its last one.
 */
#include "core/recording/recording.h"
#include "core/replay/edits.h"
#include "core/replay/replay_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const char *base, *twin, *edit;
    uint32_t chunks;       /* of the edit chunks, where the twin has another number than the edit */
    uint32_t before, last; /* operations, counted from the end of the run; 0: by the last set */
    double most;           /* points that the prediction may differ by */
};

/* clang-format off */
static const struct pair pairs[] = {
    {"n-way serial", "n-way 3-way", "chunks", 8, 0, 0, 14},
    {"n-way serial", "n-way 4-way", "chunks", 8, 0, 0, 12},
    {"n-way 3-way", "n-way 4-way", "events", 1, 0, 0, 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=2", "chunks", 2, 0, 0, 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=4", "chunks", 4, 0, 0, 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=8", "chunks", 8, 0, 0, 5},
    {"staged-overlap whole-pageable streams=1", "staged-overlap whole-pinned streams=1", "pinned", 1, 0, 0, 17},
    {"staged-overlap staged-pageable streams=4", "staged-overlap staged-pinned streams=4", "pinned", 1, 0, 0, 6},
    {"staged-overlap staged-pageable streams=16", "staged-overlap staged-pinned streams=16", "pinned", 1, 0, 0, 6},
    {"default-stream legacy", "default-stream non-blocking", "legacy", 1, 0, 0, 5},
    {"default-stream allocation", "default-stream streams", "allocations", 1, 0, 0, 12},
    {"launch stream kernels=100", "launch graph kernels=100", "launches", 1, 102, 2, 10},
    {"launch stream kernels=1000", "launch graph kernels=1000", "launches", 1, 1002, 2, 10},
    {"host-copy pageable-in kib=1024", "host-copy pinned-in kib=1024", "pinned", 1, 3, 2, 5},
    {"host-copy pageable-in kib=16384", "host-copy pinned-in kib=16384", "pinned", 1, 3, 2, 11},
    {"host-copy pageable-out kib=1024", "host-copy pinned-out kib=1024", "pinned", 1, 3, 2, 5},
    {"host-copy pageable-out kib=16384", "host-copy pinned-out kib=16384", "pinned", 1, 3, 2, 5}};
/* clang-format on */

static uint32_t find_run(const struct session *session, const char *name)
{
    size_t length = strlen(name);
    for (uint32_t i = 0; i < session_run_count(session); i++) {
        const struct run_row *run = session_run(session, i);
        char text[300];
        snprintf(text, sizeof text, "%s %s %s", session_string(session, run->workload),
                 session_string(session, run->variant), session_string(session, run->params));
        if (run_is_traced(run) && strncmp(text, name, length) == 0 && strchr(" ,", text[length]))
            return i;
    }
    cr_assert_fail("there is no run %s", name);
    return NONE;
}

/* The last round, by the ends of the last replay, or as measured. */
static double round_us(const struct replay *replay, const struct pair *pair, bool measured)
{
    size_t count = replay->operation_count, before = count - pair->before, last = count - pair->last;
    int64_t start_ns = INT64_MIN, end_ns = INT64_MIN;
    for (size_t i = 0; i < count && pair->before == 0; i++)
        if (replay->operations[i].kind == REPLAY_SET)
            before = i;
    for (size_t i = before; i < count; i++) {
        int64_t own_ns = measured ? replay->operations[i].end_ns : replay_end_ns(replay, i);
        start_ns = i == before ? own_ns : start_ns;
        if (i > before && (pair->before == 0 || i <= last))
            end_ns = own_ns > end_ns ? own_ns : end_ns;
    }
    return (double)(end_ns - start_ns) / 1000;
}

static void compare_pair(const struct session *session, const char *file, const struct pair *pair)
{
    struct replay *base, *twin;
    struct error error = {0};
    struct replay_change change = replay_as_measured;
    cr_assert_eq(replay_open(&base, session, find_run(session, pair->base), INT64_MIN, INT64_MAX, &error),
                 STATUS_OK);
    replay_edit_find(pair->edit, strlen(pair->edit))->apply(&change);
    change.chunks = pair->chunks;
    double measured = round_us(base, pair, true);
    replay_run(base, &replay_as_measured);
    double replayed = round_us(base, pair, false);
    replay_run(base, &change);
    double predicted = 1 - round_us(base, pair, false) / replayed;
    cr_assert_eq(replay_open(&twin, session, find_run(session, pair->twin), INT64_MIN, INT64_MAX, &error),
                 STATUS_OK);
    double real = 1 - round_us(twin, pair, true) / measured;
    if (getenv("LANESCOPE_TABLE"))
        printf("| %s | %s | %s | %s | %.0f | %.1f | %.1f | %+.1f | %.2f |\n", file, pair->base, pair->twin,
               pair->edit, measured, 100 * predicted, 100 * real, 100 * (predicted - real),
               (1 - predicted) / (1 - real));
    cr_expect(100 * fabs(predicted - real) < pair->most, "%s, %s: %s gains %.1f %%, and predicted were %.1f",
              file, pair->base, pair->twin, 100 * real, 100 * predicted);
    replay_close(base);
    replay_close(twin);
}

Test(replay_twins, gain_what_edits_predict, .timeout = 120)
{
    static const char *const files[] = {"curriculum_h200", "small_h100"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct session *session;
        struct error error = {0};
        char path[300];
        snprintf(path, sizeof path, "%s/tests/data/%s.lsr", TEST_SOURCE_DIR, files[i]);
        cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            compare_pair(session, files[i], &pairs[k]);
        session_destroy(session);
    }
}
