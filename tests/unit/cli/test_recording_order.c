/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that overlap as no GPU's do: each is recorded, also those for which their engine's track has no
 * lane. */
#include "tests/shared/made/temporary_recording.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(recording_order, .init = temporary_make, .fini = temporary_remove, .timeout = 280);

static struct session *make_session(uint32_t streams, uint32_t *tracks)
{
    struct session *session;
    cr_assert_eq(session_create(&session, 1, NULL), STATUS_OK);
    session_add_process(session, &(struct process_row){.pid = 1, .end_ns = INT64_MIN});
    session_add_device(session, &(struct device_row){.process = 0});
    for (uint32_t i = 0; i < streams; i++) {
        const struct track_row row = {
            .kind = TRACK_STREAM, .device = 0, .context = 1, .stream = i, .thread = NONE};
        tracks[i] = session_add_track(session, &row);
        cr_assert_neq(tracks[i], NONE);
    }
    return session;
}

static void add_copy(struct session *session, uint32_t track, int64_t start_ns, int64_t end_ns,
                     uint32_t correlation)
{
    struct item item = {.kind = ITEM_COPY, .a = COPY_HTOD, .correlation = correlation};
    item.copy.size_bytes = 4096;
    item.copy.call_start_ns = INT64_MIN;
    cr_assert(session_add_event(session, track, start_ns, end_ns, &item));
}

/* So many overlap at any time. */
static void record_overlapping(uint32_t streams, uint32_t copies, uint32_t at_once)
{
    struct recorder *recorder;
    uint32_t *tracks = calloc(streams, sizeof *tracks);
    struct session *session = make_session(streams, tracks);
    temporary_start(&recorder, session, 0);
    for (uint32_t i = 0; i < copies; i++)
        add_copy(session, tracks[i % streams], 100 * (int64_t)i, 100 * (int64_t)(i + at_once), i + 1);
    temporary_stop(recorder);
    cr_assert_eq(temporary_query("SELECT count(*) FROM copy"), copies);
    cr_assert_eq(temporary_query("SELECT count(DISTINCT correlation) FROM copy"), copies);
    cr_assert_eq(temporary_query("SELECT value FROM meta WHERE key = 'finished'"), 1);
    session_destroy(session);
    free(tracks);
}

Test(recording_order, of_as_many_copies_at_once_as_an_engine_has_lanes)
{
    record_overlapping(16, 20000, 4000);
}

Test(recording_order, of_more_copies_at_once_than_an_engine_has_lanes)
{
    record_overlapping(16, 20000, 10000);
}

Test(recording_order, of_such_copies_in_many_streams)
{
    record_overlapping(1000, 20000, 6000);
}
