/* SPDX-License-Identifier: Apache-2.0 */
/* All from core/analysis/launch_sites.h; paths whole in JSON alone. */
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "core/analysis/launch_sites.h"
#include "core/base/append.h"
#include "tui/widgets/number.h"

#include <math.h>

/* ---- where the work is called ---- */
#define FRAME_BYTES 2600 /* a session's file and function names, cut here */
#define CALLERS_SHOWN 3  /* for readers: of the program's own frames */
/* clang-format off */
static const struct sheet_column stack_columns[] = {
    {"share", "share", "share of the time on the device of everything with a call path", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"total_ns", "total", "time on the device", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"count", "count", "kernels, copies and sets", SHEET_COUNT, SHEET_NEITHER, 9, 0, false},
    {"called_at", "called at", "function, file and line", SHEET_TEXT, SHEET_NEITHER, 40, 0, false},
    {"callers", "callers", "the callers, innermost first", SHEET_TEXT, SHEET_NEITHER, 30, 1, false}};
/* clang-format on */

static void append_callers(const struct report_data *data, uint32_t stack, char *text, size_t size_bytes)
{
    const struct session *session = data->session;
    char caller[FRAME_BYTES];
    size_t used = 0;
    for (uint32_t at = session_stack(session, stack)->caller; at != NONE;
         at = session_stack(session, at)->caller) {
        session_stack_text(session, at, caller, sizeof caller);
        append_text(text, size_bytes, &used, "%s%s", used > 0 ? " < " : "", caller);
    }
}

/* The program's own, the innermost first, a line each: for the full report. */
static void append_own(const struct report_data *data, uint32_t stack, char *text, size_t size_bytes)
{
    const struct session *session = data->session;
    uint32_t at = session_stack(session, stack)->caller;
    char caller[FRAME_BYTES];
    size_t used = 0;
    for (int shown = 0; at != NONE && (data->is_wide || shown < CALLERS_SHOWN); shown++) {
        at = session_stack_own(session, at);
        if (session_stack(session, at)->flags & STACK_LIBRARY)
            return;
        session_stack_text(session, at, caller, sizeof caller);
        append_text(text, size_bytes, &used, "%sby %s", used > 0 ? "\n" : "", caller);
        at = session_stack(session, at)->caller;
    }
}

/* All work on the device that was traced on the wall clock, including work without a path. */
static struct launch_sites sum_of_work(const struct report_data *data)
{
    const struct report_times *times = &data->times[CLOCK_WALL];
    struct launch_sites all = {.total_ns = (uint64_t)times->gpu_ns};
    for (size_t i = 0; i < times->kernel_count; i++)
        all.launches += times->kernels[i].sum.count;
    for (size_t i = 0; i < times->copy_count; i++)
        all.launches += times->copies[i].sum.count;
    return all;
}

static void make_stack_row(uint64_t ns, uint64_t total_ns, uint64_t count, const char *place,
                           const char *callers, struct sheet_sink *to)
{
    const struct sheet_cell cells[] = {{.number = total_ns > 0 ? (double)ns / (double)total_ns : (double)NAN},
                                       {.number = (double)ns},
                                       {.number = (double)count},
                                       {.text = place},
                                       {.text = callers}};
    sheet_row(to, cells);
}

/* In the full report shares are of all work, and a note says what has no path. */
static enum status make_stacks(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct launch_sites sites, all = sum_of_work(data);
    enum status status = memory_check(launch_sites_make(data->session, NONE, NONE, &sites, error));
    const bool rest = data->is_full && !data->evicted && sites.count > 0 && all.launches > sites.launches &&
                      all.total_ns >= sites.total_ns;
    const uint64_t total_ns = rest ? all.total_ns : sites.total_ns;
    for (size_t i = 0; status == STATUS_OK && i < sites.count; i++) {
        const struct launch_site *site = &sites.sites[i];
        char place[FRAME_BYTES], callers[8000] = "";
        session_stack_text(data->session, site->stack, place, sizeof place);
        (data->is_full ? append_own : append_callers)(data, site->stack, callers, sizeof callers);
        make_stack_row(site->total_ns, total_ns, site->launches, place, callers, to);
    }
    if (rest) {
        char note[300];
        snprintf(note, sizeof note,
                 "%s %% of the time, %s, is of work whose path is not known: by threads that run no Python "
                 "(--stacks records their functions)",
                 number_percent(100 * (double)(all.total_ns - sites.total_ns) / (double)total_ns, 1).text,
                 number_time((int64_t)(all.total_ns - sites.total_ns)).text);
        sheet_note(to, note);
    }
    launch_sites_fini(&sites);
    return status;
}

const struct sheet sheet_stacks = {
    .id = "stacks",
    .title = "Where kernels, copies and sets are called",
    SHEET_COLUMNS(stack_columns),
    .none = "stacks: not recorded. Of native programs --record does so with --stacks.",
    .rows = make_stacks};

/* ---- the same of each kernel and run ---- */
/* clang-format off */
#define FRAME_COLUMNS                                                                                          \
    {"function", "function", "its name", SHEET_TEXT, SHEET_NEITHER, 30, 0, false},                             \
    {"library", NULL, "is it a library's, not the program's own", SHEET_YES, SHEET_NEITHER, 0, 0, false},      \
    {"line", "line", "line in the file; null: not known", SHEET_NUMBER, SHEET_NEITHER, 6, 0, false},           \
    {"file", "file", "path of the file; null: not known", SHEET_TEXT, SHEET_NEITHER, 30, 0, false}
#define FRAME_CELLS 4
static const struct sheet_column from_columns[] = {
    {"kernel", "kernel", "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 6, 0, false},
    {"launches", "launches", "launches from there", SHEET_COUNT, SHEET_NEITHER, 8, 0, false},
    {"time_ns", "time", "their time on the device", SHEET_TIME, SHEET_LESS, 9, 0, false},
    FRAME_COLUMNS};
static const struct sheet_column path_columns[] = {
    {"path", "path", "number of the row; the sheet of frames refers to it", SHEET_COUNT, SHEET_NEITHER, 5, 0, false},
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 0, false},
    {"kind", "what", "launch, copy or set", SHEET_TEXT, SHEET_NEITHER, 6, 0, false},
    {"count", "count", "how many", SHEET_COUNT, SHEET_NEITHER, 7, 0, false},
    {"time_ns", "time", "their time on the device", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"kernel", "kernel", "the kernel's name; null: none", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column frame_columns[] = {
    {"path", "path", "row of the sheet of paths", SHEET_COUNT, SHEET_NEITHER, 5, 0, false},
    {"depth", "depth", "0: the innermost", SHEET_COUNT, SHEET_NEITHER, 5, 0, false},
    FRAME_COLUMNS};
/* clang-format on */

static void fill_frame(struct sheet_cell *cells, const struct session *session, uint32_t stack)
{
    const struct stack_row *row = session_stack(session, stack);
    cells[0].text = session_string(session, row->name);
    cells[1].number = (row->flags & STACK_LIBRARY) != 0;
    cells[2].number = row->line > 0 ? row->line : (double)NAN;
    cells[3].text = row->file != 0 ? session_string(session, row->file) : NULL;
}

static enum status make_launched_from(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    for (size_t run = 0; run < data->run_count; run++) {
        REPORT_EACH_KERNEL (data, run, kernel) {
            struct launch_sites sites;
            memory_check(launch_sites_make(data->session, NONE, kernel, &sites, error));
            for (size_t i = 0; i < sites.count; i++) {
                struct sheet_cell cells[3 + FRAME_CELLS] = {{.number = kernel},
                                                            {.number = (double)sites.sites[i].launches},
                                                            {.number = (double)sites.sites[i].total_ns}};
                fill_frame(&cells[3], data->session, sites.sites[i].stack);
                sheet_row(to, cells);
            }
            launch_sites_fini(&sites);
        }
    }
    return STATUS_OK;
}

static void make_path_row(const struct session *session, double run, size_t path,
                          const struct launch_site_row *row, struct sheet_sink *to)
{
    const struct kernel_row *kernel = session_kernel(session, row->kernel);
    const struct shape_row *shape = !kernel ? NULL : session_shape(session, kernel->shape);
    const struct sheet_cell cells[] = {
        {.number = (double)path},
        {.number = run},
        {.text = item_kind_text(row->kind)},
        {.number = (double)atomic_load_explicit(&row->launches, memory_order_relaxed)},
        {.number = (double)atomic_load_explicit(&row->total_ns, memory_order_relaxed)},
        {.text = shape ? session_string(session, shape->name) : NULL}};
    sheet_row(to, cells);
}

static void make_frame_rows(const struct session *session, double run, size_t path,
                            const struct launch_site_row *row, struct sheet_sink *to)
{
    int depth = 0;
    (void)run;
    for (uint32_t at = row->stack; at != NONE; at = session_stack(session, at)->caller) {
        struct sheet_cell cells[2 + FRAME_CELLS] = {{.number = (double)path}, {.number = depth++}};
        fill_frame(&cells[2], session, at);
        sheet_row(to, cells);
    }
}

/* Each path of each traced run; paths are numbered from 0. */
static enum status walk_paths(const struct report_data *data, struct sheet_sink *to,
                              void (*make)(const struct session *session, double run, size_t path,
                                           const struct launch_site_row *row, struct sheet_sink *to))
{
    size_t path = 0;
    for (size_t run = 0; run < data->run_count; run++) {
        for (uint32_t i = 0; i < session_launch_site_count(data->session); i++) {
            const struct launch_site_row *row = session_launch_site(data->session, i);
            if (data->runs[run].runs[RUN_TRACE] != NONE && row->run == data->runs[run].runs[RUN_TRACE])
                make(data->session, (double)run, path++, row, to);
        }
    }
    return STATUS_OK;
}

static enum status make_paths(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    return walk_paths(from, to, make_path_row);
}

static enum status make_frames(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    return walk_paths(from, to, make_frame_rows);
}

const struct sheet sheet_launched_from = {.id = "launched_from",
                                          .title = "The program's lines that launch each kernel",
                                          SHEET_COLUMNS(from_columns),
                                          .none = "launched_from: no call path was recorded",
                                          .rows = make_launched_from};
const struct sheet sheet_paths = {.id = "paths",
                                  .title = "Call paths of kernels, copies and sets of each run",
                                  SHEET_COLUMNS(path_columns),
                                  .none = "paths: no call path was recorded",
                                  .rows = make_paths};
const struct sheet sheet_frames = {.id = "frames",
                                   .title = "The functions of each call path",
                                   SHEET_COLUMNS(frame_columns),
                                   .none = "frames: no call path was recorded",
                                   .rows = make_frames};
