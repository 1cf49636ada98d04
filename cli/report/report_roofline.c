/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sheet of the roofline: every kernel with floating-point operations, its operations per byte and per second, its
 * roof and the share of it that is reached. The roofs of the device are notes, once for each device that has other
 * ones.
 */
#include "cli/report/data/report_data.h"
#include "cli/report/report_sheets.h"

#include "core/base/append.h"

#include <math.h>

/* clang-format off */
#define FIGURES(X)                                                                                                \
    X(arithmetic_intensity, "flop_per_byte", "FLOP/byte", "operations for each byte of DRAM", SHEET_MORE, 9, 0)     \
    X(operations_per_second, "flop_per_second", "speed", "floating-point operations per second", SHEET_MORE, 13, 0) \
    X(dram_bandwidth_bytes_per_second, "dram_bytes_per_second", "DRAM", "bytes of DRAM per second", SHEET_NEITHER, 10, 1) \
    X(roof, "roof", "roof", "the lowest roof at its intensity, as a word", SHEET_NEITHER, 7, 0)                     \
    X(roof_pct, "of_roof_pct", "of it", "share of it that is reached, in per cent", SHEET_MORE, 8, 0)
#define FIGURE_COLUMN(metric, id, head, meaning, better, cells, priority) \
    {id, head, meaning, SHEET_NUMBER, better, cells, priority, true},
static const struct sheet_column roofline_columns[] = {
    FIGURES(FIGURE_COLUMN)
    {"run", NULL, "number of the run in the sheet of runs", SHEET_COUNT, SHEET_NEITHER, 0, 0, false},
    {"kernel", NULL, "the kernel in the sheet of shapes", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"name", NULL, "the kernel's whole name", SHEET_KERNEL, SHEET_NEITHER, 0, 0, false},
    {NULL, "kernel", "", SHEET_TEXT, SHEET_NEITHER, 30, 0, false}};
#define FIGURE_METRIC(metric, ...) METRIC_##metric,
static const enum metric figures[] = {FIGURES(FIGURE_METRIC)};
/* clang-format on */
#define FIGURE_COUNT (sizeof figures / sizeof *figures)

/* The device's roofs. */
struct roofs {
    double bandwidth, peak_float, peak_double;
};

static void note_roofs(const struct report_data *data, uint32_t kernel, struct roofs *noted,
                       struct sheet_sink *to)
{
    static const enum metric metrics[] = {METRIC_theoretical_bandwidth_bytes_per_second,
                                          METRIC_peak_float_per_second, METRIC_peak_double_per_second};
    char text[3][32], note[200];
    struct value values[3];
    for (int i = 0; i < 3; i++) {
        values[i] = kernel_index_statistic(data->index, kernel, metrics[i], PROVENANCE_EXPECTED).value;
        metric_format(metrics[i], &values[i], text[i], sizeof text[i]);
    }
    const struct roofs roofs = {values[0].number, values[1].number, values[2].number};
    if (roofs.bandwidth == noted->bandwidth && roofs.peak_float == noted->peak_float &&
        roofs.peak_double == noted->peak_double)
        return;
    *noted = roofs;
    snprintf(note, sizeof note, "roofs: DRAM %s, single precision %s, double precision %s (expected)",
             text[0], text[1], text[2]);
    sheet_note(to, note);
}

static bool is_on_roofline(const struct report_data *data, uint32_t kernel)
{
    struct kernel_statistic operations = report_statistic(data, kernel, METRIC_floating_point_operations);
    return operations.value.available && operations.value.number > 0 &&
           report_statistic(data, kernel, METRIC_roof).value.available;
}

static void make_row(const struct report_data *data, size_t run, uint32_t kernel, struct sheet_sink *to)
{
    struct sheet_cell cells[FIGURE_COUNT + 4] = {0};
    char texts[FIGURE_COUNT][40], name[1400];
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        struct value value = report_statistic(data, kernel, figures[i]).value;
        metric_format(figures[i], &value, texts[i], sizeof texts[i]);
        cells[i] = (struct sheet_cell){.number = value.available && !value.word ? value.number : (double)NAN,
                                       .text = texts[i],
                                       .id = value.available ? value.word : NULL,
                                       .provenance = (int)value.provenance};
    }
    report_name_text(data, &data->runs[run], kernel, false, name, sizeof name);
    cells[FIGURE_COUNT].number = (double)run;
    cells[FIGURE_COUNT + 1].number = kernel;
    cells[FIGURE_COUNT + 2].text = kernel_full_name(data->session, kernel);
    cells[FIGURE_COUNT + 3].text = name;
    sheet_row(to, cells);
}

static enum status make_roofline(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct report_data *data = from;
    struct roofs noted = {0};
    (void)error;
    for (size_t run = 0; run < data->run_count; run++) {
        REPORT_EACH_KERNEL (data, run, kernel) {
            if (!is_on_roofline(data, kernel))
                continue;
            note_roofs(data, kernel, &noted, to);
            make_row(data, run, kernel, to);
        }
    }
    return STATUS_OK;
}

const struct sheet sheet_roofline = {
    .id = "roofline",
    .title = "Kernels that compute in floating point, and their roofs",
    SHEET_COLUMNS(roofline_columns),
    .none = "roofline: no kernel's floating-point operations and bytes were counted",
    .rows = make_roofline};
