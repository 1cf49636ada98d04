/* SPDX-License-Identifier: Apache-2.0 */
/* The command: the recording, the clocks that are exported, and the output file. export_event.c has the
 * events and their names. */
#include "cli/export/export.h"

#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/report/data/report_choice.h"

#include "core/recording/recording.h"
#include "core/session/samples.h"

#include <string.h>
#include <unistd.h>

static bool has_events(const struct session *session, enum clock_kind clock)
{
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        if (row->clock == clock && atomic_load_explicit(&row->lane_count, memory_order_acquire) > 0)
            return true;
    }
    for (uint32_t sampling = 0; sampling < sampling_count(session); sampling++)
        if (sampling_at(session, sampling)->clock == clock && sample_count(session, sampling) > 0)
            return true;
    return false;
}

static bool has_one_axis(const struct options *options)
{
    return options->format == REPORT_CHROME || options->format == REPORT_PERFETTO ||
           options->format == REPORT_PPROF;
}

/* The default is everything; but a trace of Chrome or Perfetto has one time axis, so one clock: the wall clock if it has any
 * events. */
static enum status choose_clocks(struct export *export, const struct options *options, struct error *error)
{
    bool wall = strcmp(options->device, "simt") != 0, model = strcmp(options->device, "cuda") != 0;
    if (has_one_axis(options) && strcmp(options->device, "both") == 0) {
        return error_set(
            error, STATUS_USAGE,
            "A trace of Chrome or Perfetto has one time axis, and the time of the model is not wall time: give "
            "--device cuda or --device simt.");
    }
    if (has_one_axis(options) && wall && model) {
        wall = has_events(export->session, CLOCK_WALL);
        model = !wall;
        if (wall && has_events(export->session, CLOCK_MODEL)) {
            fprintf(stderr, "note: Runs on the device model have their own clock and are left out: --device "
                            "simt exports them.\n");
        }
    }
    export->clocks[CLOCK_WALL] = wall;
    export->clocks[CLOCK_MODEL] = model;
    return STATUS_OK;
}

/* Removes a half-written file. */
static int end_without_file(void *file)
{
    out_file_close(file, false, NULL);
    return EXIT_FAILED;
}

enum status export_command(const struct options *options, struct error *error)
{
    struct session *session;
    struct out_file file;
    if (options->format == REPORT_TABLE)
        return error_set(
            error, STATUS_USAGE,
            "Give the format of the export: --chrome, --perfetto, --pprof, --csv, --json, --lsr or --tables DIR.");
    if (options->format == REPORT_LSR && !options->out)
        return error_set(error, STATUS_USAGE, "Say where the recording goes: --lsr --out FILE.lsr.");
    if ((options->format == REPORT_PERFETTO || options->format == REPORT_PPROF) && !options->out &&
        isatty(STDOUT_FILENO))
        return error_set(error, STATUS_USAGE,
                         "--%s writes bytes, which a terminal does not show: add --out FILE.%s.",
                         options->format == REPORT_PPROF ? "pprof" : "perfetto",
                         options->format == REPORT_PPROF ? "pb.gz" : "pftrace");
    enum status status = memory_check(recording_load(&session, options->file, error));
    if (status != STATUS_OK)
        return status;
    struct export export = {.session = session};
    if (session_folded_until_ns(session, CLOCK_WALL) != INT64_MIN ||
        session_folded_until_ns(session, CLOCK_MODEL) != INT64_MIN) {
        session_destroy(session);
        return error_set(error, STATUS_STATE,
                         "Not all events of %s fit in memory: export it on a machine with more memory.",
                         options->file);
    }
    if (options->anonymous)
        session_make_anonymous(session);
    if (options->format == REPORT_LSR) {
        struct recorder *recorder;
        status = recorder_start(&recorder, session, options->out, &(struct recorder_options){0}, error);
        if (status == STATUS_OK)
            status = recorder_stop(recorder, error);
        session_destroy(session);
        return status;
    }
    export.names = report_names_of(session, NULL);
    status = choose_clocks(&export, options, error);
    if (status == STATUS_OK)
        status = out_file_open(&file, options->out, options->file, error);
    if (status == STATUS_OK) {
        export.out = file.stream;
        memory_end_by(end_without_file, &file);
        switch (options->format) {
        case REPORT_CHROME: export_chrome(&export); break;
        case REPORT_PERFETTO: export_perfetto(&export); break;
        case REPORT_PPROF: export_pprof(&export); break;
        case REPORT_CSV: export_csv(&export); break;
        case REPORT_JSON:
        case REPORT_LSR: /* is written above */
        case REPORT_TABLE: export_json(&export); break;
        }
        memory_end_by(NULL, NULL);
        status = out_file_close(&file, true, error);
    }
    short_names_destroy(export.names);
    session_destroy(session);
    return status;
}
