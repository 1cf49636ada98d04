/* SPDX-License-Identifier: Apache-2.0 */
/* One line per run, kernel and metric; RFC 4180 quotes, control bytes made visible. */
#include "cli/output/csv.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"
#include "cli/report/report.h"

#include <inttypes.h>

static void write_number(FILE *out, bool there, double number)
{
    if (there)
        fprintf(out, ",%.15g", number);
    else
        putc(',', out);
}

static void write_value(FILE *out, const struct kernel_statistic *statistic)
{
    if (statistic->value.available && statistic->value.word) {
        putc(',', out);
        csv_text(out, statistic->value.word);
    } else {
        write_number(out, statistic->value.available, statistic->value.number);
    }
}

static void write_metric(FILE *out, const struct report_data *data, uint32_t kernel, enum metric metric)
{
    const struct metric_info *info = metric_info(metric);
    struct kernel_statistic shown = report_statistic(data, kernel, metric);
    struct kernel_statistic expected =
        kernel_index_statistic(data->index, kernel, metric, PROVENANCE_EXPECTED);
    bool number = shown.value.available && !shown.value.word;
    fprintf(out, ",%s", info->id);
    write_value(out, &shown);
    fprintf(out, ",%s,%s,%s,%" PRIu32, info->unit, provenance_text(shown.value.provenance),
            info->derived ? "true" : "false", shown.value.available ? shown.n : 0);
    write_number(out, number, shown.min);
    write_number(out, number, shown.max);
    write_value(out, &expected);
    putc(',', out);
    if (!shown.value.available)
        csv_text(out, shown.value.why ? shown.value.why : "not known");
}

static void write_kernel(FILE *out, const struct report_data *data, const struct run_row *run,
                         uint32_t kernel)
{
    const struct session *session = data->session;
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    char name[2048];
    report_short_name(data->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    for (unsigned metric = 0; metric < METRIC_COUNT; metric++) {
        uint32_t names[] = {run->workload, run->variant, run->params, run->workload ? 0 : run->program,
                            shape->name};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (i > 0)
                putc(',', out);
            csv_text(out, session_string(session, names[i]));
        }
        fprintf(out, ",%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%ux%ux%u", shape->grid[0], shape->grid[1],
                shape->grid[2], shape->block[0], shape->block[1], shape->block[2]);
        write_metric(out, data, kernel, (enum metric)metric);
        putc(',', out);
        csv_text(out, name);
        putc('\n', out);
    }
}

enum status report_csv(const struct session *session, const char *kernels, FILE *out, struct error *error)
{
    struct report_data data;
    enum status status = report_data_of(&data, session, kernels, error);
    if (status != STATUS_OK)
        return status;
    fputs("workload,variant,params,program,kernel,grid,block,metric,value,unit,provenance,derived,n,min,max,"
          "expected,why,short_name\n",
          out);
    for (size_t i = 0; i < data.run_count; i++)
        REPORT_EACH_KERNEL (&data, i, kernel)
            write_kernel(out, &data, report_run_row(session, &data.runs[i]), kernel);
    report_data_fini(&data);
    return report_flush(out, error);
}
