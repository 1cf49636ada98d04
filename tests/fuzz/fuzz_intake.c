/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intake of anything: the input is a row of 64-byte events, a BLOB's bytes are those that follow it. What
 * comes of it is then read as the screen and the report read it.
 */
#include "core/analysis/code_costs.h"
#include "core/analysis/overlap/overlap.h"
#include "core/intake/intake.h"
#include "core/session/lod.h"
#include "core/session/samples.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_NS 1700000000000000000

static void read_code(const struct session *session)
{
    for (uint32_t kernel = 0; kernel < session_kernel_count(session) && kernel < 20; kernel++) {
        struct code_listing listing;
        struct code_lines lines;
        double samples = 0;
        if (code_listing_make(session, kernel, &listing, NULL) != STATUS_OK)
            continue;
        if (code_lines_make(&listing, &lines, NULL) == STATUS_OK) {
            for (uint32_t i = 0; i < lines.count; i++)
                samples += lines.lines[i].costs[CODE_SAMPLES];
            double off = samples - listing.totals[CODE_SAMPLES]; /* added up in another order */
            if (off > 1e-9 * samples || off < -1e-9 * samples)
                abort();
            code_lines_fini(&lines);
        }
        code_listing_fini(&listing);
    }
}

static void read_all(const struct session *session)
{
    struct lod_column columns[20];
    struct overlap overlap;
    char name[64];
    for (uint32_t track = 0; track < session_track_count(session) && track < 50; track++) {
        uint32_t lanes = session_track(session, track)->lane_count;
        session_track_name(session, track, name, sizeof name);
        for (uint32_t lane = 0; lane < lanes && lane < 10; lane++) {
            lod_query(session, track, lane, session_first_ns(session, CLOCK_WALL),
                      session_now_ns(session, CLOCK_WALL) + 1, columns, 20);
            uint64_t counted = 0, events = session_lane_count_events(session, track, lane);
            for (size_t i = 0; i < 20; i++)
                counted += columns[i].count;
            if (counted > events)
                abort();
        }
    }
    for (uint32_t series = 0; series < session_series_count(session) && series < 100; series++) {
        uint32_t sampling = session_series(session, series)->sampling;
        uint64_t count = sample_count(session, sampling), edges[21];
        struct sample_column samples[20];
        int64_t now_ns = session_now_ns(session, CLOCK_WALL) + 1, covered_ns = 0, span_ns = 0;
        samples_cut(session, sampling, -SESSION_TIME_MAX_NS, now_ns, edges, 20);
        samples_columns(session, series, -SESSION_TIME_MAX_NS, now_ns, edges, samples, 20);
        for (size_t i = 0; i < 20; i++)
            covered_ns += samples[i].covered_ns;
        for (uint64_t i = 0; i < count; i++) {
            span_ns += sample_end_ns(session, sampling, i) - sample_start_ns(session, sampling, i);
            if (i > 0 && sample_start_ns(session, sampling, i) < sample_end_ns(session, sampling, i - 1))
                abort();
        }
        if (covered_ns > span_ns ||
            session_series(session, series)->place >= sampling_at(session, sampling)->series)
            abort();
    }
    if (overlap_compute(session, NONE, INT64_MIN, INT64_MAX, &overlap, NULL) == STATUS_OK) {
        int64_t serialised_ns = 0;
        for (size_t reason = 0; reason < SERIAL_COUNT; reason++)
            serialised_ns += overlap.serialised_ns[reason];
        if (overlap.any_busy_ns > overlap.span_ns || overlap.copy_hidden_ns < 0 || serialised_ns < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session *session;
    struct intake *intake;
    if (session_create(&session, ZERO_NS, NULL) != STATUS_OK)
        return 0;
    struct process_row process = {
        .pid = 1, .clock = size % 2 == 0 ? CLOCK_MODEL : CLOCK_WALL, .end_ns = INT64_MIN};
    uint32_t row = session_add_process(session, &process);
    if (intake_create(&intake, session, row, NONE, NULL) == STATUS_OK) {
        for (size_t at = 0; at + sizeof(struct event) <= size; at += sizeof(struct event)) {
            struct event event;
            memcpy(&event, data + at, sizeof event);
            size_t rest = size - at - sizeof event;
            if (event.kind == EVENT_BLOB && event.blob.size_bytes > rest)
                event.blob.size_bytes = (uint32_t)rest;
            intake_event(intake, &event, event.kind == EVENT_BLOB ? data + at + sizeof event : NULL);
        }
        intake_finish(intake);
        intake_destroy(intake);
    }
    read_all(session);
    read_code(session);
    session_destroy(session);
    return 0;
}
