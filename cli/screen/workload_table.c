/*
 * Rows, variants and parameters are three arrays of the whole size, made once; rows point into the other
 * two.
 */
#include "cli/screen/workload_table.h"

#include "cli/screen/published_figures.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <stdlib.h>

static void take_workload(struct workload_table *table, const struct workload *workload,
                          struct tui_variant *variants, struct tui_param *params)
{
    table->rows[table->count++] = (struct tui_workload){.name = workload->name,
                                                        .chapter = chapter_letter(workload->chapter),
                                                        .chapter_name = chapter_name(workload->chapter),
                                                        .title = workload->title,
                                                        .words = workload->words,
                                                        .meaning = workload->meaning,
                                                        .variants = variants,
                                                        .variant_count = workload->variant_count,
                                                        .params = params,
                                                        .param_count = workload->param_count,
                                                        .lesson = text_lesson(workload->name),
                                                        .minutes = text_lesson_minutes(workload->name),
                                                        .source = text_source(workload->name),
                                                        .sweeps = workload->sweeps};
    struct tui_workload *row = &table->rows[table->count - 1];
    row->figures = figures_of(workload->name, &row->figure_count);
    for (size_t i = 0; i < workload->variant_count; i++)
        variants[i] = (struct tui_variant){.name = workload->variants[i].name,
                                           .meaning = workload->variants[i].meaning};
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];

        params[i] = (struct tui_param){.name = param->name,
                                       .meaning = param->meaning,
                                       .unit = param->unit ? param->unit : "",
                                       .minimum = param->minimum,
                                       .maximum = param->maximum,
                                       .standard = param->standard,
                                       .step = param->step,
                                       .doubles = param->doubles};
    }
}

enum status workload_table_make(struct workload_table *table, struct error *error)
{
    size_t count = 0, variants = 0, params = 0;

    for (; workload_at(count); count++) {
        variants += workload_at(count)->variant_count;
        params += workload_at(count)->param_count;
    }
    *table = (struct workload_table){.rows = calloc(count + 1, sizeof *table->rows),
                                     .variants = calloc(variants + 1, sizeof *table->variants),
                                     .params = calloc(params + 1, sizeof *table->params)};
    if (!table->rows || !table->variants || !table->params) {
        workload_table_free(table);
        return error_no_memory(error, "for the list of workloads");
    }
    variants = params = 0;
    for (size_t i = 0; i < count; i++) {
        take_workload(table, workload_at(i), table->variants + variants, table->params + params);
        variants += workload_at(i)->variant_count;
        params += workload_at(i)->param_count;
    }
    return STATUS_OK;
}

void workload_table_free(struct workload_table *table)
{
    free(table->rows);
    free(table->variants);
    free(table->params);
    *table = (struct workload_table){0};
}
