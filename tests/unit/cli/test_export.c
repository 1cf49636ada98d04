/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports of sessions made of random rows (overlaps, lanes, calls that are not there, names that mean harm,
 * times before the start) against their schemas and the trace event format's rules, by readers that are not
 * ours; and that microseconds lose no nanosecond.
 */
#include "cli/export/export.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(export, .init = temporary_make, .fini = temporary_remove);

static void write_to(const char *name, const struct export *export, void (*write)(const struct export *))
{
    char path[160];
    struct export with = *export;
    snprintf(path, sizeof path, "%s/%s", temporary_folder, name);
    with.out = fopen(path, "w");
    cr_assert_not_null(with.out);
    write(&with);
    cr_assert_eq(fclose(with.out), 0);
}

static int python(const char *tool, const char *arguments)
{
    char command[8192];
    snprintf(command, sizeof command, "cd %s && python3 " TEST_SOURCE_DIR "/tests/tools/%s %s >&2",
             temporary_folder, tool, arguments);
    return system(command);
}

Test(export, random_sessions)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct maker maker;
        maker_init(&maker, seed);
        maker_grow(&maker, 500);
        for (int i = 0; i < 3; i++) { /* before the session began */
            struct item item = {.kind = ITEM_OVERHEAD};
            struct track_row track = {.kind = TRACK_OVERHEAD, .clock = seed % 2, .thread = 1 + (uint32_t)i};
            session_add_event(maker.session, session_add_track(maker.session, &track), -1234567 - i, -1000,
                              &item);
        }
        maker_end(&maker);
        struct export export = {.session = maker.session, .clocks = {seed % 2 == 0, seed % 2 == 1}};
        write_to("trace", &export, export_chrome);
        write_to("events.csv", &export, export_csv);
        write_to("events.json", &export, export_json);
        cr_assert_eq(python("check_export.py", "- trace events.csv events.json"), 0, "seed %" PRIu64, seed);
        cr_assert_eq(python("check_json.py", TEST_SOURCE_DIR "/docs/export.schema.json events.json"), 0,
                     "seed %" PRIu64, seed);
        cr_assert_eq(python("check_json.py", TEST_SOURCE_DIR "/docs/export-chrome.schema.json trace"), 0,
                     "seed %" PRIu64, seed);
        session_destroy(maker.session);
    }
}

/* Each ns count up to 2^50 comes back from the text, rounded or cut off, by the C library's own reader. */
Test(export, microseconds_are_exact)
{
    uint64_t state = 1;
    for (int i = 0; i < 40000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t ns = i < 5000 ? i : (int64_t)(state >> (14 + state % 40));
        char text[80];
        FILE *out = fmemopen(text, sizeof text, "w");
        struct json json;
        json_init(&json, out, 0);
        export_write_us(&json, "ts", ns);
        fclose(out);
        double us = strtod(strchr(text, ':') + 1, NULL);
        cr_assert_eq((int64_t)floor(us * 1000), ns, "%" PRId64 ": %s", ns, text);
        cr_assert_eq((int64_t)llround(us * 1000), ns, "%" PRId64 ": %s", ns, text);
    }
}
