/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the panel: every metric of the selected kernel, and the advice on it. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_VIEW_PANEL_H
#define TUI_VIEWS_PANEL_VIEW_PANEL_H

#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"
#include "core/analysis/copy_times.h"
#include "core/analysis/kernel_metrics.h"

#include "tui/frame/run_verdicts.h"
#include "tui/frame/screen.h"
#include "tui/widgets/list.h"

struct panel_line {
    enum metric metric;
    struct kernel_statistic value[PROVENANCE_COUNT];
};

/* Metrics that have no value anywhere, all for the same reason on the kernel's own device. */
struct panel_reason {
    const char *why;
    int count;
    enum metric first;
};
#define PANEL_REASON (METRIC_COUNT + METRIC_GROUP_COUNT)

/* Advice on a kernel of the run shown. */
struct panel_finding {
    struct advice advice;
    uint32_t kernel;
    double share; /* of the run's time that it could gain */
};
#define PANEL_FINDINGS_MAX 3

struct panel {
    struct list list;
    uint32_t kernel;
    uint64_t launches, measured; /* numbers from which the lines were made */
    int64_t made_ms;
    struct panel_line lines[METRIC_COUNT];
    /* The listed rows: a metric, a group's heading (METRIC_COUNT + group), or a reason (PANEL_REASON +
     * index); what the advice is about comes first. */
    int rows[2 * METRIC_COUNT + METRIC_GROUP_COUNT];
    int row_count;
    struct panel_reason reasons[METRIC_COUNT];
    int reason_count;
    struct panel_finding findings[PANEL_FINDINGS_MAX]; /* most to gain first */
    int finding_count;
    bool not_judged; /* the rules have no values for a kernel that matters to the run */
    uint32_t findings_run;
    uint64_t findings_made_of; /* identifies, with the run, the data from which they were made */
    uint8_t part;              /* panel_part.c: what part_list is about, of part_run */
    uint32_t part_run;
    uint64_t part_made_of;
    struct list part_list;
    struct copy_times copies;     /* of the run, if part is the copies */
    struct copy_times run_copies; /* of findings_run, if the run is shown */
    bool studied; /* the panel has the focus: the list of metrics is more important than the parts above it */
    bool has[PROVENANCE_COUNT]; /* a column has at least one value */
    uint32_t before;            /* in the lab: the kernel shown before this one; NONE */
    uint32_t before_made;
    struct value before_value[METRIC_COUNT]; /* its own values, where they differ from the kernel's */
    bool has_before;                         /* there is one */
    int value_cells;                         /* of a value, where columns are neither narrow nor wide */
    char filter[FILTER_SIZE];                /* only metrics that contain this text */
    char headline[300];
    char launched[400];   /* where the program launches it; empty: not recorded */
    char whole_name[400]; /* with namespaces and template arguments; empty: the same as the short name */
    enum provenance own;  /* provenance of values from the kernel's device: MODELLED or MEASURED */
    struct code_listing modelled; /* of kernel modelled_of: gives the source lines that advice is about */
    const char *modelled_text;    /* the source of that listing; NULL: not known */
    char line[200];               /* the source line that the first advice is about; empty: not known */
    uint32_t modelled_of;         /* NONE: the model has not been asked yet */
    int64_t chosen_ms;            /* time since when the kernel is selected */
    bool wrong;                   /* the headline says that the result is wrong */
    bool uncounted;               /* the headline says that nothing was counted, and how to count */
    uint32_t traced;              /* the run that times the kernel; NONE: none */
    struct run_verdict run;       /* the verdict on that run */
    struct advice_list advice; /* otherwise the headline is the first of these, or says that there is none */
};

/* The filter of the panel and of the lab, which contains the panel. */
char *panel_filter(const struct screen *screen);
void panel_filtered(struct screen *screen);

static inline struct panel *panel_state(const struct screen *screen)
{
    return screen->view_state[VIEW_PANEL];
}

#endif
