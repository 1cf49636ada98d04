/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheets of the kernels of each run: their launches' shapes, all their metrics, a row for each, and the main
 * counters side by side. `kernel` is the number in the sheet of shapes.
 */
#include "cli/output/out_file.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"
#include "cli/report/report_reasons.h"
#include "cli/report/report_sheets.h"

#include "core/base/append.h"
#include "core/base/run_params.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <string.h>

/* ---- kernels of the runs, by their launch's shape ---- */
/* clang-format off */
static const struct sheet_column shape_columns[] = {
    {"kernel", NULL, "number of the kernel's row; other sheets refer to it", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 2, false},
    {"launches", "launches", "launches", SHEET_COUNT, SHEET_NEITHER, 8, 0, false},
    {"measured_launches", NULL, "those that were counted", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"total_ns", "total", "sum of the durations", SHEET_TIME, SHEET_LESS, 7, 0, false},
    {"mean_ns", NULL, "mean duration", SHEET_TIME, SHEET_LESS, 0, 0, false},
    {"median_ns", "median", "median duration", SHEET_TIME, SHEET_LESS, 7, 0, false},
    {"min_ns", "min", "shortest", SHEET_TIME, SHEET_LESS, 7, 4, false},
    {"max_ns", "max", "longest", SHEET_TIME, SHEET_LESS, 7, 4, false},
    {"grid_x", NULL, "blocks", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"grid_y", NULL, "blocks", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"grid_z", NULL, "blocks", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"block_x", NULL, "threads of a block", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"block_y", NULL, "threads of a block", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"block_z", NULL, "threads of a block", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {NULL, "blocks x threads", "", SHEET_TEXT, SHEET_NEITHER, 22, 3, false},
    {"registers", "regs", "registers of a thread", SHEET_NUMBER, SHEET_LESS, 4, 1, false},
    {"dynamic_shared_bytes", NULL, "dynamic shared memory of a block", SHEET_BYTES, SHEET_NEITHER, 0, 0, false},
    {"state", "state", "gain: something to gain; limit, not_checked, fine", SHEET_TEXT, SHEET_NEITHER, 11, 0, false},
    {"said", NULL, "the sentence for it; null: none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"mangled", NULL, "the name of its symbol", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"short_name", NULL, "the name as the screen shows it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 16, 0, false}};
/* clang-format on */

static void make_shape(const struct report_data *data, size_t run, uint32_t kernel, struct sheet_sink *to)
{
    const struct session *session = data->session;
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    struct kernel_statistic time = report_statistic(data, kernel, METRIC_time_ns);
    struct kernel_times sums = kernel_index_times(data->index, kernel);
    struct advice_list list;
    char name[2048], launch[80];
    bool known = time.value.available;
    report_short_name(data->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    report_advice_of_kernel(data, kernel, &list);
    snprintf(launch, sizeof launch, "%ux%ux%u x %ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2],
             shape->block[0], shape->block[1], shape->block[2]);
    const struct sheet_cell cells[] = {
        {.number = kernel},
        {.number = (double)run},
        {.number = (double)kernel_times(session, kernel, false).launches},
        {.number = (double)kernel_index_measured(data->index, kernel)},
        {.number = sums.launches > 0 ? (double)sums.total_ns : (double)NAN},
        {.number = sums.launches > 0 ? (double)sums.total_ns / (double)sums.launches : (double)NAN},
        {.number = known ? time.value.number : (double)NAN},
        {.number = known ? time.min : (double)NAN},
        {.number = known ? time.max : (double)NAN},
        {.number = shape->grid[0]},
        {.number = shape->grid[1]},
        {.number = shape->grid[2]},
        {.number = shape->block[0]},
        {.number = shape->block[1]},
        {.number = shape->block[2]},
        {.text = launch},
        {.number = shape->registers_per_thread},
        {.number = shape->dynamic_shared_bytes},
        {.text = advice_state_text(list.state)},
        {.text = list.said[0] ? list.said : NULL},
        {.text = session_string(session, shape->mangled ? shape->mangled : shape->name)},
        {.text = name},
        {.text = session_string(session, shape->name)}};
    sheet_row(to, cells);
}

/* Calls `make` for each kernel of each run. */
static void walk_kernels(const struct report_data *data, struct sheet_sink *to,
                         void (*make)(const struct report_data *data, size_t run, uint32_t kernel,
                                      struct sheet_sink *to))
{
    for (size_t i = 0; i < data->run_count; i++)
        REPORT_EACH_KERNEL (data, i, kernel)
            make(data, i, kernel, to);
}

static enum status make_shapes(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    walk_kernels(from, to, make_shape);
    return STATUS_OK;
}

const struct sheet sheet_shapes = {.id = "shapes",
                                   .title = "Kernels of each run by the shape of their launch",
                                   SHEET_COLUMNS(shape_columns),
                                   .none = "shapes: no kernel in this recording",
                                   .rows = make_shapes};

/* ---- metrics ---- */
/* clang-format off */
static const struct sheet_column metric_columns[] = {
    {"run", "run", "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 4, 2, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 20, 0, false},
    {"metric", "metric", "id of the metric (docs/metrics.md)", SHEET_TEXT, SHEET_NEITHER, 40, 0, false},
    {"value", "value", "median over the launches; null: not available; some metrics are words", SHEET_NUMBER, SHEET_NEITHER, 14, 0, true},
    {"unit", NULL, "unit of the value", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"derived", NULL, "is it computed from others", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"bound", NULL, "exact, at-least or at-most", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"n", NULL, "launches with a value", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"min", NULL, "the least of them", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"max", NULL, "the most of them", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"expected", "expected", "by the rules for the workload's accesses, or by the launch", SHEET_NUMBER, SHEET_NEITHER, 13, 1, false},
    {"modelled", "modelled", "by the device model, of the same work", SHEET_NUMBER, SHEET_NEITHER, 13, 3, false},
    {"why", NULL, "why there is no value", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}};
/* clang-format on */

struct sheet_cell report_metric_cell(enum metric metric, const struct value *value, char *text)
{
    metric_format(metric, value, text, 40);
    return (struct sheet_cell){.number = value->available && !value->word ? value->number : (double)NAN,
                               .text = value->available ? text : NULL,
                               .id = value->available ? value->word : NULL,
                               .provenance = (int)value->provenance};
}

static void make_metric_rows(const struct report_data *data, size_t run, uint32_t kernel,
                             struct sheet_sink *to)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info(metric);
        struct kernel_statistic expected =
            kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
        struct kernel_statistic modelled =
            kernel_index_statistic(data->index, kernel, metric, PROVENANCE_MODELLED);
        struct kernel_statistic shown = report_statistic(data, kernel, metric);
        const struct value *value = &shown.value;
        bool number = value->available && !value->word;
        char texts[3][40];
        const struct sheet_cell cells[] = {
            {.number = (double)run},
            {.number = kernel},
            {.text = kernel_full_name(data->session, kernel)},
            {.text = info->id},
            report_metric_cell(metric, value, texts[0]),
            {.text = info->unit},
            {.number = value->available ? value->derived : info->derived},
            {.text = value_bound_text(value->available ? value->bound : VALUE_EXACT)},
            {.number = value->available ? shown.n : 0},
            {.number = number ? shown.min : (double)NAN},
            {.number = number ? shown.max : (double)NAN},
            report_metric_cell(metric, &expected.value, texts[1]),
            report_metric_cell(metric, &modelled.value, texts[2]),
            {.text = value->available ? NULL
                     : value->why     ? value->why
                                      : "not known"}};
        sheet_row(to, cells);
    }
}

static enum status make_metrics(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    walk_kernels(from, to, make_metric_rows);
    return STATUS_OK;
}

const struct sheet sheet_metrics = {.id = "metrics",
                                    .title = "Metrics of each kernel",
                                    SHEET_COLUMNS(metric_columns),
                                    .none = "metrics: no kernel in this recording",
                                    .rows = make_metrics};

/* ---- the same for report --csv, with what other programs join by in each row ---- */
/* clang-format off */
#define CSV_TEXT(id) {id, NULL, "", SHEET_TEXT, SHEET_NEITHER, 0, 0, false}
#define CSV_NUMBER(id) {id, NULL, "", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false}
static const struct sheet_column csv_columns[] = {
    CSV_TEXT("workload"), CSV_TEXT("variant"), CSV_TEXT("params"), CSV_TEXT("program"), CSV_TEXT("kernel"), CSV_TEXT("grid"),
    CSV_TEXT("block"), CSV_TEXT("metric"), CSV_NUMBER("value"), CSV_TEXT("unit"), CSV_TEXT("provenance"), {"derived", NULL, "", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    CSV_NUMBER("n"), CSV_NUMBER("min"), CSV_NUMBER("max"), CSV_NUMBER("expected"), CSV_TEXT("why"), CSV_TEXT("short_name")};
/* clang-format on */

static void make_csv_rows(const struct report_data *data, size_t run, uint32_t kernel, struct sheet_sink *to)
{
    const struct session *session = data->session;
    const struct run_row *row = report_run_row(session, &data->runs[run]);
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    char name[2048], grid[40], block[40], texts[2][40];
    report_short_name(data->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    snprintf(grid, sizeof grid, "%ux%ux%u", shape->grid[0], shape->grid[1], shape->grid[2]);
    snprintf(block, sizeof block, "%ux%ux%u", shape->block[0], shape->block[1], shape->block[2]);
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info(metric);
        struct kernel_statistic shown = report_statistic(data, kernel, metric);
        struct kernel_statistic expected =
            kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
        const struct value *value = &shown.value;
        const bool number = value->available && !value->word;
        const struct sheet_cell cells[] = {
            {.text = session_string(session, row->workload)},
            {.text = session_string(session, row->variant)},
            {.text = session_string(session, row->params)},
            {.text = session_string(session, row->workload ? 0 : row->program)},
            {.text = session_string(session, shape->name)},
            {.text = grid},
            {.text = block},
            {.text = info->id},
            report_metric_cell(metric, value, texts[0]),
            {.text = info->unit},
            {.text = provenance_text(value->provenance)},
            {.number = info->derived},
            {.number = value->available ? shown.n : 0},
            {.number = number ? shown.min : (double)NAN},
            {.number = number ? shown.max : (double)NAN},
            report_metric_cell(metric, &expected.value, texts[1]),
            {.text = value->available ? NULL
                     : value->why     ? value->why
                                      : "not known"},
            {.text = name}};
        sheet_row(to, cells);
    }
}

static enum status make_csv(const void *from, struct sheet_sink *to, struct error *error)
{
    (void)error;
    walk_kernels(from, to, make_csv_rows);
    return STATUS_OK;
}

enum status report_csv(const struct session *session, const char *kernels, FILE *out, struct error *error)
{
    static const struct sheet sheet = {
        .id = "csv", .title = "report --csv", SHEET_COLUMNS(csv_columns), .none = "", .rows = make_csv};
    struct sheet_look look = {.form = SHEET_FORM_CSV};
    struct report_data data;
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    status = sheet_print(&sheet, &data, &look, out, error);
    report_data_fini(&data);
    return status == STATUS_OK ? out_flush(out, error) : status;
}

/* ---- counters: of the median measured launch ---- */
/* Below a row stands what contradicts it: exact counts that are not as expected or as the model counts them, and bytes that
 * arrived faster than device memory can deliver. */
/* clang-format off */
#define FIGURES(X)                                                                                                           \
    X(global_load_sectors_per_request, "ld sec/req", "sectors per request of global memory, loads", SHEET_LESS, 9)             \
    X(global_store_sectors_per_request, "st sec/req", "the same of stores", SHEET_LESS, 9)                                     \
    X(shared_load_conflicts, "ld confl", "bank conflicts of shared memory, loads", SHEET_LESS, 7)                               \
    X(shared_store_conflicts, "st confl", "the same of stores", SHEET_LESS, 7)                                                  \
    X(achieved_occupancy_pct, "occup.", "achieved occupancy", SHEET_MORE, 6)                                                    \
    X(dram_bandwidth_bytes_per_second, "DRAM", "bandwidth of DRAM, wasted bytes included", SHEET_NEITHER, 9)                    \
    X(effective_bandwidth_bytes_per_second, "effective", "bandwidth of the bytes that the kernel wanted", SHEET_MORE, 9)
#define FIGURE_COLUMN(metric, head, meaning, better, cells) {#metric, head, meaning, SHEET_NUMBER, better, cells, 0, true},
static const struct sheet_column counter_columns[] = {
    {"run", NULL, "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    FIGURES(FIGURE_COLUMN)
    {"differs", NULL, "exact counts that are not as expected or modelled, and a bandwidth above that of device memory; null: none", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"name", "kernel", "the kernel's whole name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
#define FIGURE_METRIC(metric, ...) METRIC_##metric,
static const enum metric figures[] = {FIGURES(FIGURE_METRIC)};
/* clang-format on */
#define FIGURE_COUNT (sizeof figures / sizeof *figures)
#define FIGURE_BYTES 40
#define DIFFERS_BYTES 4000
#define NAME_CELLS 30     /* of 100 columns, what the figures leave */
#define OWN_NAME_LEAST 12 /* cells of a kernel's name beside its run's parameters */

/* How many exact counts were also expected (or modelled), and how many of these differ. */
struct agreement {
    uint64_t compared, different;
};

/* One line for each exact count that differs from the value of the weaker provenance. */
static void append_differences(const struct report_data *data, uint32_t kernel, enum provenance weaker,
                               struct agreement *agreement, char *lines, size_t *used)
{
    struct value values[2];
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        enum report_count count = report_count_agrees(data, kernel, metric, weaker, values);
        agreement->compared += count != REPORT_COUNT_NONE;
        if (count != REPORT_COUNT_DIFFERENT)
            continue;
        char text[40], wanted[40];
        metric_format(metric, &values[0], text, sizeof text);
        metric_format(metric, &values[1], wanted, sizeof wanted);
        agreement->different++;
        append_text(lines, DIFFERS_BYTES, used, "%snot as %s: %s, %s %s, %s %s", *used > 0 ? "\n" : "",
                    provenance_text(weaker), metric_info(metric)->title,
                    provenance_text(values[0].provenance), text, provenance_text(weaker), wanted);
    }
}

static void append_above_theory(const struct report_data *data, uint32_t kernel, char *lines, size_t *used)
{
    struct value effective =
        report_statistic(data, kernel, METRIC_effective_bandwidth_bytes_per_second).value;
    struct value peak = report_statistic(data, kernel, METRIC_theoretical_bandwidth_bytes_per_second).value;
    if (effective.available && peak.available && effective.number > peak.number)
        append_text(lines, DIFFERS_BYTES, used,
                    "%seffective bandwidth is above the %s of device memory: caches served part of it",
                    *used > 0 ? "\n" : "", number_rate(peak.number).text);
}

/* "offset=3,n=1024 copy_offset": distinguishes a row from others of its workload and variant. */
static void label_kernel(const struct report_data *data, const struct run_row *run, uint32_t kernel,
                         char *label, size_t size_bytes)
{
    const char *params = session_string(data->session, run->params);
    char name[512], shown[4 * NAME_CELLS + 1];
    report_kernel_shorten(data, kernel, SHORT_NAME_WHOLE, data->is_wide, name, sizeof name);
    if (!data->is_wide && text_width(params, NAME_CELLS) + text_width(name, NAME_CELLS) >= NAME_CELLS) {
        run_params_within(params, NAME_CELLS - text_width(name, OWN_NAME_LEAST) - 1, shown, sizeof shown);
        report_kernel_shorten(data, kernel, NAME_CELLS - (int)strlen(shown) - 1, false, name, sizeof name);
        params = shown;
    }
    snprintf(label, size_bytes, "%s%s%s", params, *params ? " " : "", name);
}

static void make_counter_row(const struct report_data *data, size_t run, uint32_t kernel,
                             struct agreement agreements[PROVENANCE_MEASURED], struct sheet_sink *to)
{
    const struct run_row *row = report_run_row(data->session, &data->runs[run]);
    struct sheet_cell cells[FIGURE_COUNT + 4] = {{.number = (double)run}, {.number = kernel}};
    char texts[FIGURE_COUNT][FIGURE_BYTES], label[1024], differs[DIFFERS_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        struct value value = report_statistic(data, kernel, figures[i]).value;
        /* values that the workload expects are not counters */
        bool counted = value.available && value.provenance != PROVENANCE_EXPECTED;
        metric_format_within(figures[i], &value, (size_t)counter_columns[2 + i].cells, texts[i],
                             sizeof texts[i]);
        cells[2 + i] = (struct sheet_cell){.number = counted ? value.number : (double)NAN,
                                           .text = counted ? texts[i] : NULL,
                                           .provenance = (int)value.provenance};
    }
    append_above_theory(data, kernel, differs, &used);
    for (enum provenance weaker = 0; weaker < PROVENANCE_MEASURED; weaker++)
        append_differences(data, kernel, weaker, &agreements[weaker], differs, &used);
    label_kernel(data, row, kernel, label, sizeof label);
    cells[2 + FIGURE_COUNT].text = *differs ? differs : NULL;
    cells[3 + FIGURE_COUNT] =
        (struct sheet_cell){.text = label, .id = kernel_full_name(data->session, kernel)};
    sheet_row(to, cells);
}

/* "copy-offset:offset", or the program's name, above the rows of a workload's variant. */
static void begin_group(const struct report_data *data, const struct run_row *run, struct sheet_sink *to)
{
    char group[512];
    snprintf(group, sizeof group, "%s%s%s",
             session_string(data->session, run->workload ? run->workload : run->program),
             run->workload ? ":" : "", session_string(data->session, run->workload ? run->variant : 0));
    sheet_group(to, group);
}

static bool same_group(const struct run_row *a, const struct run_row *b)
{
    return a && a->workload == b->workload && a->variant == b->variant && a->program == b->program;
}

/* Once for each device that has one. */
static void note_theoretical(const struct report_data *data, struct sheet_sink *to)
{
    for (uint32_t i = 0; i < session_device_count(data->session); i++) {
        const struct device_info *info = &session_device(data->session, i)->info;
        double peak = device_info_peak_bandwidth(info);
        bool noted = !(peak > 0);
        char note[300];
        for (uint32_t k = 0; k < i && !noted; k++) {
            const struct device_info *other = &session_device(data->session, k)->info;
            noted = device_info_peak_bandwidth(other) == peak && strcmp(other->name, info->name) == 0;
        }
        snprintf(note, sizeof note, "%s: %s in theory, memory clock x bus width x 2 / 8", info->name,
                 number_rate(peak).text);
        if (!noted)
            sheet_note(to, note);
    }
}

static void note_agreements(const struct agreement agreements[PROVENANCE_MEASURED], struct sheet_sink *to)
{
    char note[240];
    for (enum provenance weaker = 0; weaker < PROVENANCE_MEASURED; weaker++) {
        const struct agreement *agreement = &agreements[weaker];
        snprintf(note, sizeof note, "%s of %s exact counts are as %s",
                 number_exact((int64_t)(agreement->compared - agreement->different)).text,
                 number_exact((int64_t)agreement->compared).text, provenance_text(weaker));
        if (agreement->compared > 0)
            sheet_note(to, note);
    }
}

static enum status make_counters(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct agreement agreements[PROVENANCE_MEASURED] = {{0}}; /* by what the counts were compared with */
    const struct run_row *group = NULL;
    (void)error;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct run_row *run = report_run_row(data->session, &data->runs[i]);
        REPORT_EACH_KERNEL (data, i, kernel) {
            if (!report_has_counters(data, kernel) ||
                kernel_index_lends(data->index, kernel)) /* its counts stand beside the GPU's time */
                continue;
            if (!same_group(group, run))
                begin_group(data, run, to);
            group = run;
            make_counter_row(data, i, kernel, agreements, to);
        }
    }
    note_agreements(agreements, to);
    if (group)
        note_theoretical(data, to);
    return STATUS_OK;
}

const struct sheet sheet_counters = {
    .id = "counters",
    .title = "The main counters of each kernel, side by side: the median measured launch",
    SHEET_COLUMNS(counter_columns),
    .none = "counters: nothing was counted; --runs trace,counters counts on a GPU",
    .rows = make_counters};
