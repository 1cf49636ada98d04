/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheet of Amdahl's law, with the shares of core/analysis/amdahl.h: for each run and whole its kernels, those with
 * most to gain first. In the full report it is that of programs alone, and of their device time: a bundled
 * workload's run is mostly set-up and verification.
 */
#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"
#include "core/analysis/amdahl.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdio.h>

/* clang-format off */
static const struct sheet_column columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 1, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"of", "of the", "the whole that gets faster", SHEET_TEXT, SHEET_NEITHER, 13, 0, false},
    {"whole_ns", "whole", "its length", SHEET_TIME, SHEET_NEITHER, 9, 2, true},
    {"busy_ns", "busy", "time in which the kernel ran", SHEET_TIME, SHEET_LESS, 9, 3, true},
    {"alone_ns", "alone", "of that, the time in which nothing else ran", SHEET_TIME, SHEET_LESS, 9, 0, true},
    {"share", "p", "time alone by the whole", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"gain_2x", "2x", "by how much the whole gets faster if the kernel does by 2", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"gain_10x", "10x", "the same for 10", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"gain_infinite", "infinite", "the same for a kernel that takes no time; null: no limit", SHEET_RATIO, SHEET_MORE, 8, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 12, 0, false}};
static const struct {
    const char *id;
    enum run_time time;
} wholes[] = {{"device_time", RUN_TIME_DEVICE}, {"run", RUN_TIME_WHOLE}, {"device_span", RUN_TIME_SPAN}};
/* clang-format on */

static void make_row(const struct report_data *data, double run, const struct amdahl *law,
                     const struct amdahl_share *share, size_t whole, struct sheet_sink *to)
{
    const int provenance =
        session_run(data->session, data->runs[(size_t)run].runs[RUN_TRACE])->clock == CLOCK_MODEL
            ? PROVENANCE_MODELLED
            : PROVENANCE_MEASURED;
    const int64_t whole_ns = law->times.ns[wholes[whole].time];
    const struct sheet_cell cells[] = {
        {.number = run},
        {.number = share->kernel},
        {.text = run_time_name(wholes[whole].time), .id = wholes[whole].id},
        {.number = (double)whole_ns, .provenance = provenance},
        {.number = (double)share->busy_ns, .provenance = provenance},
        {.number = (double)share->alone_ns, .provenance = provenance},
        {.number = whole_ns > 0 ? (double)share->alone_ns / (double)whole_ns : (double)NAN},
        {.number = amdahl_speedup(share->alone_ns, whole_ns, 2)},
        {.number = amdahl_speedup(share->alone_ns, whole_ns, 10)},
        {.number = amdahl_speedup(share->alone_ns, whole_ns, (double)INFINITY)},
        {.text = kernel_full_name(data->session, share->kernel)}};
    sheet_row(to, cells);
}

#define NAME_CELLS 41

/* "the device time of train.py, 3.00 ms of a whole run of 10.0 ms, if one kernel were faster" */
static void make_group(const struct report_data *data, size_t run, const struct run_times *times,
                       struct sheet_sink *to)
{
    const struct run_row *row = session_run(data->session, data->runs[run].runs[RUN_TRACE]);
    char program[4 * NAME_CELLS + 1], text[400];
    text_shorten(session_string(data->session, row->program), NAME_CELLS, program, sizeof program);
    snprintf(text, sizeof text, "the %s of %s, %s of a %s of %s, if one kernel were faster",
             run_time_name(RUN_TIME_DEVICE), program, number_time(times->ns[RUN_TIME_DEVICE]).text,
             run_time_name(RUN_TIME_WHOLE), number_time(times->ns[RUN_TIME_WHOLE]).text);
    sheet_group(to, text);
}

static void make_whole(const struct report_data *data, size_t run, const struct amdahl *law, size_t whole,
                       struct sheet_sink *to)
{
    bool begun = !data->is_full;
    for (size_t k = 0; k < law->count; k++) {
        if (!report_run_has(data, &data->runs[run], law->shares[k].kernel))
            continue;
        if (!begun)
            make_group(data, run, &law->times, to);
        begun = true;
        make_row(data, (double)run, law, &law->shares[k], whole, to);
    }
}

static enum status visit_run(const struct report_data *data, size_t run, void *to, struct error *error)
{
    struct amdahl law;
    if (data->is_full && session_run(data->session, data->runs[run].runs[RUN_TRACE])->workload)
        return STATUS_OK;
    enum status status =
        memory_check(amdahl_compute(data->session, data->runs[run].runs[RUN_TRACE], &law, error));
    for (size_t whole = 0; status == STATUS_OK && whole < sizeof wholes / sizeof *wholes; whole++)
        if (!data->is_full || (wholes[whole].time == RUN_TIME_DEVICE && law.times.ns[RUN_TIME_DEVICE] > 0))
            make_whole(data, run, &law, whole, to);
    amdahl_fini(&law);
    return status;
}

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    enum status status = report_visit_traced(from, visit_run, to, error);
    sheet_note(to, "gain = " AMDAHL_FORMULA);
    return status;
}

const struct sheet sheet_amdahl = {.id = "amdahl",
                                   .title = "What each run gains if one kernel is faster (Amdahl's law)",
                                   SHEET_COLUMNS(columns),
                                   .none = "amdahl: no kernel was traced",
                                   .rows = make_rows};
