/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold in any session: ids within their tables, lanes in order, texts that end. */
#include "session_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "The session does not hold together: %s.\n", what);
    abort();
}

static void check_lane(const struct session *session, uint32_t track, uint32_t lane)
{
    int64_t before_ns = INT64_MIN;
    uint64_t count = session_lane_count_events(session, track, lane);
    for (uint64_t i = 0; i < count; i++) {
        struct event_ref ref = {.track = track, .lane = lane, .index = i};
        struct item item = session_event_item(session, ref);
        int64_t start_ns = session_event_start_ns(session, ref);
        check(start_ns >= before_ns && session_event_end_ns(session, ref) >= start_ns,
              "a lane is out of order");
        before_ns = session_event_end_ns(session, ref);
        if (item.kind == ITEM_LAUNCH)
            check(item.launch.kernel == NONE || item.launch.kernel < session_kernel_count(session),
                  "a launch of no kernel");
        if (item.kind == ITEM_MEASUREMENT)
            check(item.measurement.measurement < session_measurement_count(session),
                  "a replay of no measurement");
        if (item.kind == ITEM_CALL)
            check(!item.call.name || session_string(session, item.call.name)[0], "a call without its name");
    }
}

static void check_session(const struct session *session)
{
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        check(kernel->run == NONE || kernel->run < session_run_count(session), "a kernel of no run");
        check(kernel->shape == NONE || kernel->shape < session_shape_count(session),
              "a kernel without a shape");
        check(kernel->device == NONE || kernel->device < session_device_count(session),
              "a kernel on no device");
    }
    for (uint32_t i = 0; i < session_series_count(session); i++) {
        const struct series_row *series = session_series(session, i);
        uint64_t count = sample_count(session, series->sampling);
        check(series->place < sampling_at(session, series->sampling)->series, "a series without its place");
        for (uint64_t n = 1; n < count; n++)
            check(sample_start_ns(session, series->sampling, n) >=
                      sample_end_ns(session, series->sampling, n - 1),
                  "samples that overlap");
    }
    for (uint32_t i = 0; i < session_run_count(session); i++)
        check(session_run(session, i)->process < session_process_count(session), "a run of no process");
    for (uint32_t i = 0; i < session_device_count(session); i++)
        check(memchr(session_device(session, i)->info.name, 0,
                     sizeof session_device(session, i)->info.name) != NULL,
              "a device's name does not end");
    for (uint32_t i = 0; i < session_measurement_count(session); i++) {
        const struct measurement_row *row = session_measurement(session, i);
        check((uint64_t)row->first_value + row->values <= session_value_count(session),
              "values of a measurement are missing");
    }
    for (uint32_t t = 0; t < session_track_count(session); t++)
        for (uint32_t l = 0; l < session_track(session, t)->lane_count; l++)
            check_lane(session, t, l);
}

void session_check_loaded(const struct session *session, enum status status, const struct error *error)
{
    check(status == STATUS_OK || (error->text[0] && !session), "a refusal without a sentence");
    if (status == STATUS_OK)
        check_session(session);
}
