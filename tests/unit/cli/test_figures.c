/* SPDX-License-Identifier: Apache-2.0 */
/* The documents' figures speak of workloads, variants, parameters and metrics that there are. */
#include "cli/screen/workload_table.h"

#include "core/metric/metric.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static bool has_variant(const struct workload *workload, const char *name)
{
    for (size_t i = 0; i < workload->variant_count; i++)
        if (strcmp(workload->variants[i].name, name) == 0)
            return true;
    return false;
}

static const struct workload_param *param_of(const struct workload *workload, const char *name)
{
    for (size_t i = 0; i < workload->param_count; i++)
        if (strcmp(workload->params[i].name, name) == 0)
            return &workload->params[i];
    return NULL;
}

static void check(const struct workload *workload, const struct tui_figure *figure)
{
    const struct workload_param *param = figure->param ? param_of(workload, figure->param) : NULL;

    cr_assert(figure->source && *figure->source && figure->name && *figure->name);
    cr_assert(strcmp(figure->metric, TUI_FIGURE_SPEEDUP) == 0 || metric_find(figure->metric) < METRIC_COUNT,
              "%s: no metric %s", workload->name, figure->metric);
    cr_assert(!figure->param || param, "%s has no parameter %s", workload->name, figure->param);
    cr_assert(figure->point_count == 0 || (figure->gpu && *figure->gpu), "%s: whose numbers?",
              workload->name);
    for (size_t i = 0; i < figure->point_count; i++) {
        const struct tui_figure_point *point = &figure->points[i];

        cr_assert(isfinite(point->y) && point->y > 0);
        if (!figure->param)
            cr_assert(point->variant && has_variant(workload, point->variant), "%s has no variant %s",
                      workload->name, point->variant);
        else if (!isnan(point->x))
            cr_assert(point->x >= (double)param->minimum && point->x <= (double)param->maximum);
    }
}

Test(figures, are_of_what_there_is)
{
    size_t all = 0, count = 1;

    for (size_t w = 0; workload_at(w); w++) {
        const struct tui_figure *figures = figures_of(workload_at(w)->name, &count);

        for (size_t i = 0; i < count; i++)
            check(workload_at(w), &figures[i]);
        all += count;
    }
    cr_assert_geq(all, 10);
    cr_assert(figures_of("no-such", &count) == NULL && count == 0);
}
