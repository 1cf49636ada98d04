/* One table of columns; roofs are printed once for each device that has other ones. */
#include "cli/report/report_roofline.h"

#include "cli/report/data/report_name.h"

static const struct {
    enum metric metric;
    const char *head;
    int cells;
} columns[] = {{METRIC_arithmetic_intensity, "FLOP/byte", 9},
               {METRIC_operations_per_second, "speed", 13},
               {METRIC_dram_bandwidth_bytes_per_second, "DRAM", 10},
               {METRIC_roof, "roof", 7},
               {METRIC_roof_pct, "of it", 8}};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

/* The device's roofs, once for each device of its kernels. */
struct roofs {
    double bandwidth, peak_float, peak_double;
};

static void print_roofs(const struct report_data *data, uint32_t kernel, struct roofs *printed, FILE *out)
{
    static const enum metric metrics[] = {METRIC_theoretical_bandwidth_bytes_per_second,
                                          METRIC_peak_float_per_second, METRIC_peak_double_per_second};
    char text[3][32];
    struct value values[3];
    for (int i = 0; i < 3; i++) {
        values[i] = kernel_index_statistic(data->index, kernel, metrics[i], PROVENANCE_EXPECTED).value;
        metric_format(metrics[i], &values[i], text[i], sizeof text[i]);
    }
    const struct roofs roofs = {values[0].number, values[1].number, values[2].number};
    if (roofs.bandwidth == printed->bandwidth && roofs.peak_float == printed->peak_float &&
        roofs.peak_double == printed->peak_double)
        return;
    *printed = roofs;
    fprintf(out, "roofs: DRAM %s, single precision %s, double precision %s (expected)\n", text[0], text[1],
            text[2]);
}

static bool on_roofline(const struct report_data *data, uint32_t kernel)
{
    struct kernel_statistic operations = report_statistic(data, kernel, METRIC_floating_point_operations);
    return operations.value.available && operations.value.number > 0 &&
           report_statistic(data, kernel, METRIC_roof).value.available;
}

void report_roofline_table(const struct report_data *data, FILE *out, bool wide)
{
    struct roofs printed = {0};
    bool any = false;
    for (size_t i = 0; i < data->run_count; i++) {
        const struct report_run *run = &data->runs[i];
        for (uint32_t kernel = 0; kernel < kernel_index_count(data->index); kernel++) {
            if (!report_run_has(data, run, kernel) || !on_roofline(data, kernel))
                continue;
            if (!any)
                fputs("\nroofline: kernels that compute in floating point (modelled: ~)\n", out);
            print_roofs(data, kernel, &printed, out);
            for (size_t c = 0; c < COLUMN_COUNT && !any; c++)
                fprintf(out, "%*s ", columns[c].cells, columns[c].head);
            fputs(any ? "" : " kernel\n", out);
            any = true;
            enum provenance provenance = PROVENANCE_MEASURED;
            for (size_t c = 0; c < COLUMN_COUNT; c++) {
                struct value value = report_statistic(data, kernel, columns[c].metric).value;
                char text[40];
                metric_format(columns[c].metric, &value, text, sizeof text);
                provenance = value.available && value.provenance < provenance ? value.provenance : provenance;
                fprintf(out, "%*s ", columns[c].cells, text);
            }
            fputs(provenance == PROVENANCE_MODELLED ? "~" : " ", out);
            report_name_print(data, run, kernel, out, wide);
            putc('\n', out);
        }
    }
}
