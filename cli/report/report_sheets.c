/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each sheet is a list of columns and a function that gives its rows. Times of the device model are never in
 * one group with a GPU's; machines have a column for the clock.
 */
#include "cli/report/report_sheets.h"

#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/data/report_facts.h"
#include "cli/report/data/report_ranges.h"
#include "cli/report/report.h"
#include "cli/report/report_reasons.h"
#include "core/base/append.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const clocks[CLOCK_COUNT] = {[CLOCK_WALL] = "wall", [CLOCK_MODEL] = "model"};

/* clang-format off */
#define CLOCK_COLUMN {"clock", NULL, "wall: measured; model: modelled", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}
#define SPREAD_COLUMNS                                                                                            \
    {"total_ns", "total", "sum of the durations", SHEET_TIME, SHEET_LESS, 7, 0, false},                           \
    {"count", "calls", "how many there were", SHEET_COUNT, SHEET_NEITHER, 7, 0, false},                           \
    {"mean_ns", "mean", "mean duration", SHEET_TIME, SHEET_LESS, 7, 2, false},                                    \
    {"median_ns", "median", "median duration", SHEET_TIME, SHEET_LESS, 7, 0, false},                              \
    {"deviation_ns", "std dev", "standard deviation of the durations", SHEET_TIME, SHEET_LESS, 7, 3, false},      \
    {"min_ns", "min", "shortest duration", SHEET_TIME, SHEET_LESS, 7, 1, false},                                  \
    {"max_ns", "max", "longest duration", SHEET_TIME, SHEET_LESS, 7, 1, false}
/* clang-format on */
#define SPREAD_CELLS 7

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void fill_spread(struct sheet_cell *cells, const struct report_sum *sum, bool known)
{
    double count = (double)sum->count;
    const double numbers[SPREAD_CELLS] = {(double)sum->total_ns,
                                          count,
                                          count > 0 ? (double)sum->total_ns / count : NAN,
                                          known ? sum->median_ns : NAN,
                                          known ? sum->deviation_ns : NAN,
                                          (double)sum->min_ns,
                                          (double)sum->max_ns};
    for (int i = 0; i < SPREAD_CELLS; i++)
        cells[i].number = numbers[i];
}

/* A group of its own for what was modelled. */
static void begin_clock(struct sheet_sink *to, enum clock_kind clock, size_t rows)
{
    if (rows > 0 && clock == CLOCK_MODEL)
        sheet_group(to, "modelled:");
}

/* ---- kernels, copies, calls ---- */
/* clang-format off */
static const struct sheet_column kernel_columns[] = {
    CLOCK_COLUMN,
    {"share", "share", "share of the sum of the kernels', copies' and sets' durations", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    SPREAD_COLUMNS,
    {"why", NULL, "the rule that explains most of its time, what it gains at most, and of what; null: none", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static enum status make_kernels(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct report_reasons reasons;
    (void)error;
    report_reasons_make(&reasons, data);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        const struct report_times *times = &data->times[clock];
        bool begun = false;
        char why[1600];
        for (size_t i = 0; i < times->kernel_count; i++) {
            const struct report_named *kernel = &times->kernels[i];
            struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.text = clocks[clock]}};
            struct report_sum launches;
            if (!report_wants_name(data->names, data->session, kernel->name, data->kernels))
                continue;
            begin_clock(to, clock, !begun);
            begun = true;
            bool known = report_launches(data, kernel->name, clock, &launches);
            cells[1].number =
                share_of((double)kernel->sum.total_ns, data->evicted ? 0 : (double)times->gpu_ns);
            fill_spread(&cells[2], known ? &launches : &kernel->sum, known);
            report_reason_line(&reasons, data, kernel->name, clock, why, sizeof why);
            cells[2 + SPREAD_CELLS].text = *why ? why : NULL;
            cells[3 + SPREAD_CELLS].text = session_string(data->session, kernel->name);
            sheet_row(to, cells);
        }
        char sum[300], note[320];
        const bool uncounted = report_reasons_sum(&reasons, clock, sum, sizeof sum);
        snprintf(note, sizeof note, "%s%s", clock == CLOCK_MODEL ? "modelled: " : "", sum);
        if (*sum)
            sheet_note(to, note);
        snprintf(note, sizeof note, "%s counts them",
                 *session_counting(data->session) ? "rocprof-compute"
                                                  : session_counting_options(data->session));
        if (uncounted)
            sheet_note(to, note);
    }
    report_reasons_fini(&reasons);
    return STATUS_OK;
}

const struct sheet sheet_kernels = {.id = "kernels",
                                    .title = "Kernels by their time",
                                    SHEET_COLUMNS(kernel_columns),
                                    .none = "kernels: none in this recording",
                                    .rows = make_kernels};

/* clang-format off */
static const struct sheet_column copy_columns[] = {
    CLOCK_COLUMN,
    {"kind", NULL, "direction: htod, dtoh, dtod, ptop, htoh; or set", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"host_memory", NULL, "kind of the host's memory", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"share", "share", "share of the sum of the kernels', copies' and sets' durations", SHEET_SHARE, SHEET_LESS, 8, 2, false},
    {"bytes", "bytes", "sum of the bytes", SHEET_BYTES, SHEET_LESS, 7, 0, false},
    {"bytes_per_second", "rate", "bytes by the time; not for copies that go through the host in pieces", SHEET_RATE, SHEET_MORE, 9, 0, false},
    SPREAD_COLUMNS,
    {NULL, "copies and sets", "", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

/* Copies and calls are summed anew, with their spread. */
static enum status make_operations(const struct report_data *data, struct sheet_sink *to,
                                   void (*rows)(const struct report_data *data,
                                                const struct report_times *times, enum clock_kind clock,
                                                struct sheet_sink *to),
                                   struct error *error)
{
    struct report_times times[CLOCK_COUNT] = {{0}};
    enum status status = report_operations(data->session, NONE, times, error);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++) {
        if (status == STATUS_OK)
            rows(data, &times[clock], clock, to);
        report_times_fini(&times[clock]);
    }
    return status;
}

static void make_copy_rows(const struct report_data *data, const struct report_times *times,
                           enum clock_kind clock, struct sheet_sink *to)
{
    bool staged = false;
    begin_clock(to, clock, times->copy_count);
    for (size_t i = 0; i < times->copy_count; i++) {
        const struct report_copy *copy = &times->copies[i];
        const struct report_sum *sum = &copy->sum;
        struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.text = clocks[clock]}};
        char text[80];
        snprintf(text, sizeof text, "%s%s%s", report_copy_text(copy->kind),
                 copy->host == COPY_HOST_NONE ? "" : ", ",
                 copy->host == COPY_HOST_NONE ? "" : copy_host_text(copy->host));
        staged |= copy->host == COPY_HOST_STAGED;
        cells[1].text = report_copy_id(copy->kind);
        cells[2].text = copy_host_text(copy->host);
        cells[3].number =
            share_of((double)sum->total_ns, data->evicted ? 0 : (double)data->times[clock].gpu_ns);
        cells[4].number = (double)sum->bytes;
        cells[5].number = copy->host == COPY_HOST_STAGED || sum->total_ns <= 0 /* times of a piece */
                              ? NAN
                              : (double)sum->bytes / ((double)sum->total_ns * 1e-9);
        fill_spread(&cells[6], sum, true);
        cells[6 + SPREAD_CELLS].text = text;
        sheet_row(to, cells);
    }
    if (staged)
        sheet_note(to, "staged: between GPUs, through the host; the times are those of one piece");
}

static enum status make_copies(const void *from, struct sheet_sink *to, struct error *error)
{
    return make_operations(from, to, make_copy_rows, error);
}

const struct sheet sheet_copies = {.id = "copies",
                                   .title = "Copies and sets by their time",
                                   SHEET_COLUMNS(copy_columns),
                                   .none = "copies: none in this recording",
                                   .rows = make_copies};

/* clang-format off */
static const struct sheet_column call_columns[] = {
    CLOCK_COLUMN,
    {"share", "share", "share of the sum of all calls' durations", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    SPREAD_COLUMNS,
    {"name", "call", "function of the CUDA API", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static void make_call_rows(const struct report_data *data, const struct report_times *times,
                           enum clock_kind clock, struct sheet_sink *to)
{
    begin_clock(to, clock, times->call_count);
    for (size_t i = 0; i < times->call_count; i++) {
        const struct report_sum *sum = &times->calls[i].sum;
        struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.text = clocks[clock]}};
        cells[1].number = share_of((double)sum->total_ns, (double)times->call_ns);
        fill_spread(&cells[2], sum, true);
        cells[2 + SPREAD_CELLS].text = session_string(data->session, times->calls[i].name);
        sheet_row(to, cells);
    }
}

static enum status make_calls(const void *from, struct sheet_sink *to, struct error *error)
{
    return make_operations(from, to, make_call_rows, error);
}

const struct sheet sheet_calls = {.id = "calls",
                                  .title = "Calls of the CUDA API by their time",
                                  SHEET_COLUMNS(call_columns),
                                  .none = "calls: none in this recording",
                                  .rows = make_calls};

/* ---- the same of each run ---- */
/* clang-format off */
#define RUN_COLUMN {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 0, false}
static const struct sheet_column run_copy_columns[] = {
    RUN_COLUMN,
    {"kind", "kind", "direction, as in the sheet of copies", SHEET_TEXT, SHEET_NEITHER, 5, 0, false},
    {"host_memory", "host memory", "kind of the host's memory", SHEET_TEXT, SHEET_NEITHER, 11, 0, false},
    {"bytes", "bytes", "sum of the bytes", SHEET_BYTES, SHEET_LESS, 7, 0, false},
    SPREAD_COLUMNS};
static const struct sheet_column run_call_columns[] = {
    RUN_COLUMN,
    SPREAD_COLUMNS,
    {"name", "call", "function of the CUDA API", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static void make_run_copy_rows(const struct report_data *data, double run, const struct report_times *times,
                               struct sheet_sink *to)
{
    (void)data;
    for (size_t i = 0; i < times->copy_count; i++) {
        const struct report_copy *copy = &times->copies[i];
        struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.number = run},
                                                      {.text = report_copy_id(copy->kind)},
                                                      {.text = copy_host_text(copy->host)},
                                                      {.number = (double)(copy->sum.bytes & INT64_MAX)}};
        fill_spread(&cells[4], &copy->sum, true);
        sheet_row(to, cells);
    }
}

static void make_run_call_rows(const struct report_data *data, double run, const struct report_times *times,
                               struct sheet_sink *to)
{
    for (size_t i = 0; i < times->call_count; i++) {
        struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.number = run}};
        fill_spread(&cells[1], &times->calls[i].sum, true);
        cells[1 + SPREAD_CELLS].text = session_string(data->session, times->calls[i].name);
        sheet_row(to, cells);
    }
}

/* Of the sums of a run. */
struct operations {
    struct sheet_sink *to;
    void (*rows)(const struct report_data *data, double run, const struct report_times *times,
                 struct sheet_sink *to);
};

static enum status visit_operations(const struct report_data *data, size_t run, void *context,
                                    struct error *error)
{
    const struct operations *operations = context;
    struct report_times times[CLOCK_COUNT] = {{0}};
    const uint32_t traced = data->runs[run].runs[RUN_TRACE];
    enum status status = report_operations(data->session, traced, times, error);
    if (status == STATUS_OK)
        operations->rows(data, (double)run, &times[session_run(data->session, traced)->clock],
                         operations->to);
    for (enum clock_kind clock = 0; clock < CLOCK_COUNT; clock++)
        report_times_fini(&times[clock]);
    return status;
}

static enum status make_run_copies(const void *from, struct sheet_sink *to, struct error *error)
{
    struct operations copies = {to, make_run_copy_rows};
    return report_visit_traced(from, visit_operations, &copies, error);
}

static enum status make_run_calls(const void *from, struct sheet_sink *to, struct error *error)
{
    struct operations calls = {to, make_run_call_rows};
    return report_visit_traced(from, visit_operations, &calls, error);
}

const struct sheet sheet_run_copies = {.id = "run_copies",
                                       .title = "Copies and sets of each run",
                                       SHEET_COLUMNS(run_copy_columns),
                                       .none = "run_copies: none in this recording",
                                       .rows = make_run_copies};
const struct sheet sheet_run_calls = {.id = "run_calls",
                                      .title = "Calls of the CUDA API of each run",
                                      SHEET_COLUMNS(run_call_columns),
                                      .none = "run_calls: none in this recording",
                                      .rows = make_run_calls};

/* ---- ranges ---- */
/* clang-format off */
static const struct sheet_column range_columns[] = {
    {"run", NULL, "number of the run in the sheet of runs; null: of all", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"device_ns", "GPU sum", "sum of the durations of the operations that were issued in the range", SHEET_TIME, SHEET_LESS, 7, 0, false},
    {"projected_ns", "projected", "from the first operation's start to the last one's end, summed over the ranges", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"operations", "GPU ops", "operations on the GPU that were issued in the range", SHEET_COUNT, SHEET_NEITHER, 7, 0, false},
    SPREAD_COLUMNS,
    {"depth", NULL, "how many ranges are around it", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"parent", NULL, "row, among those of the run, of the one around it; null: none", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"name", "range", "name, with # for numbers that differ", SHEET_TEXT, SHEET_NEITHER, 18, 0, false}};
/* clang-format on */

/* `traced` NONE: of all runs, whose number is not known. */
static enum status make_range_rows(const struct session *session, uint32_t traced, double run,
                                   struct sheet_sink *to, struct error *error)
{
    struct report_ranges ranges;
    enum status status = report_ranges_make(&ranges, session, traced, error);
    for (size_t i = 0; status == STATUS_OK && i < ranges.count; i++) {
        const struct report_range *range = &ranges.items[i];
        struct sheet_cell cells[SHEET_COLUMNS_MAX] = {
            {.number = run}, {.number = (double)range->device_ns}, {.number = (double)range->projected_ns}};
        char name[600];
        snprintf(name, sizeof name, "%*s%s", 2 * (int)(range->depth < 10 ? range->depth : 10), "",
                 range->name);
        cells[3].number = (double)range->operations;
        fill_spread(&cells[4], &range->sum, true);
        cells[4 + SPREAD_CELLS].number = range->depth;
        cells[5 + SPREAD_CELLS].number = range->parent == NONE ? (double)NAN : range->parent;
        cells[6 + SPREAD_CELLS].text = name;
        cells[6 + SPREAD_CELLS].id = range->name;
        sheet_row(to, cells);
    }
    report_ranges_fini(&ranges);
    return status;
}

static enum status make_ranges(const void *from, struct sheet_sink *to, struct error *error)
{
    return make_range_rows(((const struct report_data *)from)->session, NONE, NAN, to, error);
}

static enum status visit_ranges(const struct report_data *data, size_t run, void *to, struct error *error)
{
    return make_range_rows(data->session, data->runs[run].runs[RUN_TRACE], (double)run, to, error);
}

static enum status make_run_ranges(const void *from, struct sheet_sink *to, struct error *error)
{
    return report_visit_traced(from, visit_ranges, to, error);
}

const struct sheet sheet_run_ranges = {.id = "run_ranges",
                                       .title = "Ranges (NVTX) of each run",
                                       SHEET_COLUMNS(range_columns),
                                       .none = "run_ranges: none in this recording",
                                       .rows = make_run_ranges};
const struct sheet sheet_ranges = {.id = "ranges",
                                   .title = "Ranges (NVTX), each below the one around it",
                                   SHEET_COLUMNS(range_columns),
                                   .none = "ranges: none in this recording",
                                   .rows = make_ranges};

/* ---- steps ---- */
/* clang-format off */
static const struct sheet_column step_columns[] = {
    {"run", NULL, "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"step", "step", "number of the step, from 0", SHEET_COUNT, SHEET_NEITHER, 6, 0, false},
    {"start_ns", "start", "since the start of the session", SHEET_TIME, SHEET_NEITHER, 9, 1, false},
    {"time_ns", "time", "from its first launch to that of the next step", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"kernels_ns", "kernels", "time in which kernels ran", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"copies_ns", "copies", "time of copies and sets that no kernel hides", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"idle_ns", "idle", "time in which nothing ran", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"outlier", NULL, "is it far from the median", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"differs_ns", NULL, "by how much an outlier's class differs from a mean step's", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"differs_in", "outliers: what differs from a mean step", "class of an outlier's time that differs most", SHEET_TEXT, SHEET_NEITHER, 20, 0, false}};
/* clang-format on */

static void make_step(const struct report_step *step, size_t index, double run, struct sheet_sink *to)
{
    char text[200] = "";
    int64_t idle_ns = 0;
    for (int part = PARTITION_IDLE_FIRST; part < PARTITION_COUNT; part++)
        idle_ns += step->ns[part];
    if (step->outlier && step->known)
        snprintf(text, sizeof text, "%s%s: %s", step->differs_ns < 0 ? "-" : "+",
                 number_time(llabs(step->differs_ns)).text, partition_class_text(step->differs_in));
    else if (step->outlier)
        snprintf(text, sizeof text, "outlier");
    const struct sheet_cell cells[] = {
        {.number = run},
        {.number = (double)index},
        {.number = (double)step->start_ns},
        {.number = (double)step->time_ns},
        {.number =
             step->known ? (double)step->ns[PARTITION_KERNEL] + (double)step->ns[PARTITION_COLLECTIVE] : NAN},
        {.number = step->known ? (double)step->ns[PARTITION_COPY] : NAN},
        {.number = step->known ? (double)idle_ns : NAN},
        {.number = step->outlier},
        {.number = step->outlier && step->known ? (double)step->differs_ns : NAN},
        {.text = *text ? text : NULL,
         .id = step->outlier && step->known ? partition_class_id(step->differs_in) : NULL}};
    sheet_row(to, cells);
}

/* The run's name, and the steps in two lines. */
static void begin_steps(const struct report_steps *steps, const struct report_facts *facts, const char *run,
                        struct sheet_sink *to)
{
    char text[1000];
    size_t outliers = 0, used = 0;
    for (size_t k = 0; k < steps->count; k++)
        outliers += steps->items[k].outlier;
    append_text(text, sizeof text, &used, "%.400s\n%s steps of %s launches, %zu outlier%s\n", run,
                number_exact((int64_t)steps->count).text,
                number_exact((int64_t)facts->figures.steps.launches).text, outliers,
                outliers == 1 ? "" : "s");
    append_text(text, sizeof text, &used, "median %s, mean %s, std dev %s, min %s, max %s",
                number_time((int64_t)steps->sum.median_ns).text,
                number_time(steps->sum.total_ns / (int64_t)steps->count).text,
                number_time((int64_t)steps->sum.deviation_ns).text, number_time(steps->sum.min_ns).text,
                number_time(steps->sum.max_ns).text);
    char slow[STEPS_SLOW_TEXT];
    if (report_steps_slow(steps, slow))
        append_text(text, sizeof text, &used, "\n%s", slow);
    sheet_group(to, text);
}

/* Of the steps of a run that has some. */
struct stepping {
    struct sheet_sink *to;
    void (*rows)(const struct report_data *data, size_t run, const struct report_facts *facts,
                 const struct report_steps *steps, struct sheet_sink *to);
};

static enum status visit_steps(const struct report_data *data, size_t run, void *context, struct error *error)
{
    const struct stepping *stepping = context;
    const struct report_facts *facts;
    struct report_steps steps = {0};
    enum status status = report_facts(data, &data->runs[run], &facts, error);
    if (status == STATUS_OK)
        status = report_steps_make(&steps, data->session, facts, error);
    if (status == STATUS_OK && steps.count > 0)
        stepping->rows(data, run, facts, &steps, stepping->to);
    report_steps_fini(&steps);
    return status;
}

static void make_step_rows(const struct report_data *data, size_t run, const struct report_facts *facts,
                           const struct report_steps *steps, struct sheet_sink *to)
{
    char name[1400];
    report_name_text(data, &data->runs[run], NONE, false, name, sizeof name);
    begin_steps(steps, facts, name, to);
    for (size_t k = 0; k < steps->count; k++)
        make_step(&steps->items[k], k, (double)run, to);
}

static enum status make_steps(const void *from, struct sheet_sink *to, struct error *error)
{
    struct stepping stepping = {to, make_step_rows};
    return report_visit_traced(from, visit_steps, &stepping, error);
}

const struct sheet sheet_steps = {.id = "steps",
                                  .title = "Steps of the runs, one by one",
                                  SHEET_COLUMNS(step_columns),
                                  .none = "steps: none in this recording",
                                  .rows = make_steps};

/* clang-format off */
static const struct sheet_column step_sum_columns[] = {
    RUN_COLUMN,
    {"launches", "launches", "launches of kernels in all steps", SHEET_COUNT, SHEET_NEITHER, 8, 0, false},
    {"start_ns", NULL, "start of the first step", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    {"end_ns", NULL, "end of the last step", SHEET_TIME, SHEET_NEITHER, 0, 0, false},
    SPREAD_COLUMNS};
/* clang-format on */

static void make_step_sum(const struct report_data *data, size_t run, const struct report_facts *facts,
                          const struct report_steps *steps, struct sheet_sink *to)
{
    struct sheet_cell cells[SHEET_COLUMNS_MAX] = {{.number = (double)run},
                                                  {.number = (double)facts->figures.steps.launches},
                                                  {.number = (double)facts->figures.steps.start_ns},
                                                  {.number = (double)facts->figures.steps.end_ns}};
    (void)data;
    fill_spread(&cells[4], &steps->sum, true);
    sheet_row(to, cells);
}

static enum status make_run_steps(const void *from, struct sheet_sink *to, struct error *error)
{
    struct stepping stepping = {to, make_step_sum};
    return report_visit_traced(from, visit_steps, &stepping, error);
}

const struct sheet sheet_run_steps = {.id = "run_steps",
                                      .title = "The steps of each run together",
                                      SHEET_COLUMNS(step_sum_columns),
                                      .none = "run_steps: no steps in this recording",
                                      .rows = make_run_steps};

/* ---- idle time ---- */
struct idle {
    enum partition_class part;
    char name[400];
    int64_t ns;
    uint64_t times;
};

struct idles {
    struct idle *items;
    size_t count, capacity;
    int64_t span_ns;
};

static void take_idle(struct idles *idles, const struct session *session, const struct partition *partition)
{
    idles->span_ns = session_add_ns(idles->span_ns, partition_span_ns(partition));
    for (uint32_t i = 0; i < partition->blame_count; i++) {
        const struct partition_blame *blame = &partition->blames[i];
        struct idle idle = {.part = (enum partition_class)blame->part};
        size_t at = 0;
        partition_blame_name(session, blame, idle.name, sizeof idle.name);
        while (at < idles->count &&
               (idles->items[at].part != idle.part || strcmp(idles->items[at].name, idle.name) != 0))
            at++;
        if (at == idles->count) {
            memory_grow(idles->items, idles->capacity, idles->count, 1);
            idles->items[idles->count++] = idle;
        }
        idles->items[at].ns = session_add_ns(idles->items[at].ns, blame->ns);
        idles->items[at].times += blame->times;
    }
}

static int compare_idles(const void *a, const void *b)
{
    const struct idle *left = a, *right = b;
    return (left->ns < right->ns) - (left->ns > right->ns);
}

/* clang-format off */
static const struct sheet_column idle_columns[] = {
    {"of", NULL, "steps, or runs from the first operation to the last", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"share", "share", "share of the time of the steps or runs", SHEET_SHARE, SHEET_LESS, 8, 0, false},
    {"total_ns", "total", "idle time of this cause", SHEET_TIME, SHEET_LESS, 9, 0, false},
    {"times", "times", "idle times that have some of it", SHEET_COUNT, SHEET_LESS, 7, 0, false},
    {"mean_ns", "mean", "mean idle time", SHEET_TIME, SHEET_LESS, 9, 1, false},
    {"class", "what the host did", "class of the partition of the time", SHEET_TEXT, SHEET_NEITHER, 36, 0, false},
    {"name", "call, code or range", "what the host was in", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
/* clang-format on */

static void make_idles(struct idles *idles, const char *of, struct sheet_sink *to)
{
    char text[120];
    if (idles->count > 1)
        qsort(idles->items, idles->count, sizeof *idles->items, compare_idles);
    snprintf(text, sizeof text, "idle time of %s, %s:", of, number_time(idles->span_ns).text);
    if (idles->count > 0)
        sheet_group(to, text);
    for (size_t i = 0; i < idles->count; i++) {
        const struct idle *idle = &idles->items[i];
        const struct sheet_cell cells[] = {
            {.text = of},
            {.number = share_of((double)idle->ns, (double)idles->span_ns)},
            {.number = (double)idle->ns},
            {.number = (double)idle->times},
            {.number = idle->times > 0 ? (double)idle->ns / (double)idle->times : NAN},
            {.text = report_idle_text(idle->part), .id = partition_class_id(idle->part)},
            {.text = idle->name[0] ? idle->name : "-", .id = idle->name}};
        sheet_row(to, cells);
    }
    free(idles->items);
}

/* First the runs with steps, over their steps, then whole runs, from the first operation to the last. */
static enum status make_idle(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct idles of_steps = {0}, of_runs = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < data->run_count; i++) {
        const struct report_facts *facts;
        if (data->runs[i].runs[RUN_TRACE] == NONE)
            continue;
        status = report_facts(data, &data->runs[i], &facts, error);
        for (size_t k = 0; status == STATUS_OK && k < facts->time.count; k++)
            take_idle(&of_runs, data->session, &facts->time.items[k]);
        for (size_t k = 0; status == STATUS_OK && k < facts->steps_time.count; k++)
            take_idle(&of_steps, data->session, &facts->steps_time.items[k]);
    }
    make_idles(&of_steps, "steps", to);
    make_idles(&of_runs, "runs", to);
    return status;
}

const struct sheet sheet_idle = {.id = "idle",
                                 .title = "Idle time of the GPU by what the host did",
                                 SHEET_COLUMNS(idle_columns),
                                 .none = "idle: none in this recording",
                                 .rows = make_idle};

/* ---- all of them ---- */
#define REPORT_SHEET_ROW(name) &sheet_##name,
static const struct sheet *const sheets[] = {REPORT_SHEET_LIST(REPORT_SHEET_ROW)};

const struct sheet *report_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? sheets[index] : NULL;
}

const struct sheet *report_sheet_find(const char *id)
{
    for (size_t i = 0; report_sheet_at(i); i++)
        if (strcmp(report_sheet_at(i)->id, id) == 0)
            return report_sheet_at(i);
    return NULL;
}

static bool has_kernels(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].kind == SHEET_KERNEL)
            return true;
    return false;
}

enum status report_sheet_print(const struct session *session, const char *kernels, const struct sheet *sheet,
                               struct sheet_look *look, FILE *out, struct error *error)
{
    struct report_data data;
    if (kernels && !has_kernels(sheet))
        return error_set(error, STATUS_USAGE, "--kernel limits tables with kernels; the table %s has none.",
                         sheet->id);
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    look->names = data.names;
    status = sheet_print(sheet, &data, look, out, error);
    report_data_fini(&data);
    return status == STATUS_OK ? out_flush(out, error) : status;
}

/* ---- the document ---- */
/*
 * The report as JSON: one document of all sheets, each under its id. docs/report.schema.json is made of the
 * same table of sheets. What a sheet cannot be made of, since events were evicted from memory, it says
 * itself.
 */

const struct sheet_document report_document = {
    .title = "lanescope report --json",
    .description =
        "One object for each table of `lanescope report --table NAME`. `run`, `kernel`, `device`, "
        "`advice` and `path` are keys: the columns of that name in the sheets runs, shapes, devices, "
        "advice and paths.",
    .version = 2,
    .list = report_sheet_at};

enum status report_json(const struct session *session, const char *kernels, size_t most, FILE *out,
                        struct error *error)
{
    struct report_data data;
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    const struct sheet_look look = {.form = SHEET_FORM_JSON, .most = most, .names = data.names};
    status = sheet_document_print(&report_document, &data, &look, out, error);
    report_data_fini(&data);
    return status == STATUS_OK ? out_flush(out, error) : status;
}
