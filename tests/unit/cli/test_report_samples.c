/* SPDX-License-Identifier: Apache-2.0 */
/* Counters over time in the reports: of a program's run while its kernels ran, and of a session of nothing
 * but samples. */
#include "cli/report/report.h"
#include "tests/shared/fixture/fixture_samples.h"
#include "tests/shared/fixture/fixture_session.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *report_of(enum fixture_content content, bool json)
{
    struct fixture fixture;
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    fixture_init(&fixture, content);
    FILE *out = open_memstream(&text, &size);
    enum status status = json ? report_json(fixture.session, NULL, 0, out, &error)
                              : report_table(fixture.session, NULL, out, 0, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    fclose(out);
    fixture_fini(&fixture);
    return text;
}

Test(report_samples, equal_the_golden_files)
{
    char *text = report_of(FIXTURE_SAMPLED, false);
    cr_assert(golden_equals("report_samples.txt", text, NULL));
    free(text);
    text = report_of(FIXTURE_WATCH, false);
    cr_assert(golden_equals("report_watch.txt", text, NULL));
    free(text);
}

/* Kernels that run before the step have the low number, those after it the high one: the mean lies between,
 * and the time in which both ran and were sampled is known. */
Test(report_samples, are_weighted_by_the_time_of_kernels)
{
    struct fixture fixture;
    double low_ns = 0, high_ns = 0;
    fixture_init(&fixture, FIXTURE_SAMPLED);
    /* ns by ns, in steps that divide all times of the fixture: does a kernel run, was it sampled? */
    for (int64_t at = 0; at < FIXTURE_GAP_NS * 2; at += 1000) {
        bool runs = false,
             sampled = at >= 500000 && at < 12500000 && (at < FIXTURE_GAP_NS || at >= FIXTURE_GAP_END_NS);
        for (uint32_t track = 0; track < session_track_count(fixture.session) && !runs; track++)
            for (uint32_t lane = 0; lane < session_track(fixture.session, track)->lane_count && !runs;
                 lane++) {
                struct event_ref ref = {track, lane, session_lane_find(fixture.session, track, lane, at)};
                runs = session_track(fixture.session, track)->kind == TRACK_STREAM &&
                       ref.index < session_lane_count_events(fixture.session, track, lane) &&
                       session_event_start_ns(fixture.session, ref) <= at &&
                       session_event_item(fixture.session, ref).kind == ITEM_LAUNCH;
            }
        *(at < FIXTURE_STEP_NS ? &low_ns : &high_ns) += runs && sampled ? 1000 : 0;
    }
    fixture_fini(&fixture);
    cr_assert(low_ns > 0 && high_ns > 0);
    char *text = report_of(FIXTURE_SAMPLED, true), wanted[100];
    snprintf(wanted, sizeof wanted, "\"sampled_ns\": %.0f", low_ns + high_ns);
    char *at = strstr(text, "\"achieved occupancy\"");
    cr_assert_not_null(at);
    cr_assert_not_null(strstr(at, wanted), "%s", wanted);
    double mean = strtod(strstr(at, "\"mean\": ") + 8, NULL);
    double right = ((double)FIXTURE_LOW * low_ns + (double)FIXTURE_HIGH * high_ns) / (low_ns + high_ns);
    cr_assert_float_eq(mean, right, 1e-9, "%g, not %g", mean, right);
    cr_assert_eq(report_validate(text), 0);
    free(text);
}
