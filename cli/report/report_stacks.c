/* SPDX-License-Identifier: Apache-2.0 */
/* All from core/analysis/launch_sites.h; paths whole in JSON alone. */
#include "cli/report/report_parts.h"
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "core/analysis/launch_sites.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>

#define SITES_SHOWN 15
#define PLACE_CELLS 66
#define CALLERS_SHOWN 3
#define WIDE_CELLS 1000
#define FRAME_BYTES 2600 /* a session's file and function names, cut here */

/* ---- the table ---- */
static void print_place(const struct session *session, uint32_t stack, int cells, FILE *out)
{
    char text[FRAME_BYTES], shown[FRAME_BYTES];
    session_stack_text(session, stack, text, sizeof text);
    text_shorten(text, cells, shown, sizeof shown);
    text_print(shown, out);
}

/* The program's own frames on the path, the innermost first. */
static void print_callers(const struct session *session, uint32_t stack, bool wide, FILE *out)
{
    uint32_t at = session_stack(session, stack)->caller;
    for (int shown = 0; at != NONE && (wide || shown < CALLERS_SHOWN); shown++) {
        at = session_stack_own(session, at);
        const struct stack_row *row = session_stack(session, at);
        if (row->flags & STACK_LIBRARY)
            return;
        fprintf(out, "%*s", 32, "by ");
        print_place(session, at, wide ? WIDE_CELLS : PLACE_CELLS, out);
        putc('\n', out);
        at = row->caller;
    }
}

static void print_share(uint64_t ns, uint64_t total_ns, uint64_t count, FILE *out)
{
    double share = total_ns > 0 ? 100.0 * (double)ns / (double)total_ns : 0;
    fprintf(out, "%6s %% %11s %9s ", number_percent(share, 1).text, number_time((int64_t)ns).text,
            number_short(count).text);
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

static void print_sites(const struct report_data *data, const struct launch_sites *sites, bool wide,
                        FILE *out)
{
    const struct session *session = data->session;
    struct launch_sites all = sum_of_work(data);
    size_t shown = wide || sites->count < SITES_SHOWN ? sites->count : SITES_SHOWN;
    bool rest = !data->evicted && all.launches > sites->launches && all.total_ns >= sites->total_ns;
    uint64_t total_ns = rest ? all.total_ns : sites->total_ns;
    fputs("\ncall paths: where kernels, copies and sets are called, by their time on the device\n", out);
    fprintf(out, "%8s %11s %9s %s\n", "share", "time", "count", "called at");
    for (size_t i = 0; i < shown; i++) {
        const struct launch_site *site = &sites->sites[i];
        print_share(site->total_ns, total_ns, site->launches, out);
        print_place(session, site->stack, wide ? WIDE_CELLS : PLACE_CELLS + 2, out);
        putc('\n', out);
        print_callers(session, site->stack, wide, out);
    }
    if (shown < sites->count)
        fprintf(out, "and %s more places (--wide)\n", number_exact((int64_t)(sites->count - shown)).text);
    if (rest) {
        print_share(all.total_ns - sites->total_ns, total_ns, all.launches - sites->launches, out);
        fputs("not known: by threads that run no Python (--stacks records their functions)\n", out);
    }
}

void report_stacks_table(const struct report_data *data, FILE *out, bool wide)
{
    struct launch_sites sites;
    memory_check(launch_sites_make(data->session, NONE, NONE, &sites, NULL));
    if (sites.count > 0)
        print_sites(data, &sites, wide, out);
    else
        fputs("\ncall paths: not recorded. Of native programs --record does so with --stacks.\n", out);
    launch_sites_fini(&sites);
}

/* ---- the sheets ---- */
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
