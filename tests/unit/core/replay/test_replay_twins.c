/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of runs in the recordings of tests/data, of which the second really has what an edit does to the first: the gain
 * that the edit predicts from the first alone, and that which the second has. LANESCOPE_TABLE=1 prints the table of
 * docs/results/replay.md.
 */
#include "core/recording/recording.h"
#include "core/replay/replay_twins.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const char *base, *twin, *edit;
    double most; /* points that the prediction may differ by */
};

/* clang-format off */
static const struct pair pairs[] = {
    {"n-way serial", "n-way 3-way", "chunks", 14},
    {"n-way serial", "n-way 4-way", "chunks", 12},
    {"n-way 3-way", "n-way 4-way", "events", 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=2", "chunks", 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=4", "chunks", 5},
    {"staged-overlap whole-pinned streams=1", "staged-overlap staged-pinned streams=8", "chunks", 5},
    {"staged-overlap whole-pageable streams=1", "staged-overlap whole-pinned streams=1", "pinned", 17},
    {"staged-overlap staged-pageable streams=4", "staged-overlap staged-pinned streams=4", "pinned", 6},
    {"staged-overlap staged-pageable streams=16", "staged-overlap staged-pinned streams=16", "pinned", 6},
    {"default-stream legacy", "default-stream non-blocking", "legacy", 5},
    {"default-stream allocation", "default-stream streams", "allocations", 12},
    {"launch stream kernels=100", "launch graph kernels=100", "launches", 10},
    {"launch stream kernels=1000", "launch graph kernels=1000", "launches", 10},
    {"host-copy pageable-in kib=1024", "host-copy pinned-in kib=1024", "pinned", 5},
    {"host-copy pageable-in kib=16384", "host-copy pinned-in kib=16384", "pinned", 11},
    {"host-copy pageable-out kib=1024", "host-copy pinned-out kib=1024", "pinned", 5},
    {"host-copy pageable-out kib=16384", "host-copy pinned-out kib=16384", "pinned", 5}};
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

static void compare_pair(const struct session *session, const char *file, const struct pair *pair)
{
    struct replay_twin twin = {.base = find_run(session, pair->base), .run = find_run(session, pair->twin)};
    struct error error = {0};
    cr_assert_eq(replay_twin_compare(session, &twin, &error), STATUS_OK, "%s", error.text);
    if (getenv("LANESCOPE_TABLE"))
        printf("| %s | %s | %s | %s | %.0f | %.1f | %.1f | %+.1f | %.2f |\n", file, pair->base, pair->twin,
               pair->edit, (double)twin.base_ns / 1000, 100 * twin.predicted, 100 * twin.real,
               100 * (twin.predicted - twin.real), (1 - twin.predicted) / (1 - twin.real));
    cr_expect_str_eq(twin.edit->id, pair->edit);
    cr_expect(100 * fabs(twin.predicted - twin.real) < pair->most,
              "%s, %s: %s gains %.1f %%, and predicted were %.1f", file, pair->base, pair->twin,
              100 * twin.real, 100 * twin.predicted);
}

/* Of several pairs that of the workload's lesson: pieces in streams, before pinned memory. */
Test(replay_twins, are_found)
{
    struct session *session;
    struct error error = {0};
    struct replay_twin twin;
    char path[300];
    snprintf(path, sizeof path, "%s/tests/data/curriculum_h200.lsr", TEST_SOURCE_DIR);
    cr_assert_eq(recording_load(&session, path, &error), STATUS_OK, "%s", error.text);
    cr_expect(!replay_twin_find(session, find_run(session, "n-way serial"), &twin));
    cr_expect(
        !replay_twin_find(session, find_run(session, "staged-overlap staged-pageable streams=4"), &twin));
    cr_assert(replay_twin_find(session, find_run(session, "staged-overlap staged-pinned streams=4"), &twin));
    cr_expect_eq(twin.base, find_run(session, "staged-overlap whole-pinned streams=1"));
    cr_expect_str_eq(twin.edit->id, "chunks");
    cr_assert(replay_twin_find(session, find_run(session, "n-way 4-way"), &twin));
    cr_expect_eq(twin.base, find_run(session, "n-way serial"));
    session_destroy(session);
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
