/*
 * The state of the panel: every metric of the selected kernel, and the advice on it. The tui's thread.
 */
#ifndef TUI_VIEWS_PANEL_VIEW_PANEL_H
#define TUI_VIEWS_PANEL_VIEW_PANEL_H

#include "core/advice/advice.h"
#include "core/analysis/code_costs.h"
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

/* Of a kernel of the run shown. */
struct panel_finding {
    struct advice advice;
    uint32_t kernel;
    double share; /* of the run's time that it could gain */
};
#define PANEL_FINDINGS_MAX 3

struct panel {
    struct list list;
    uint32_t kernel;
    uint64_t launches, measured; /* for which the lines were made */
    int64_t made_ms;
    struct panel_line lines[METRIC_COUNT];
    /* What the list shows: a metric, a group's heading (METRIC_COUNT + group), or a reason (PANEL_REASON +
     * index); what the advice is about comes first. */
    int rows[2 * METRIC_COUNT + METRIC_GROUP_COUNT];
    int row_count;
    struct panel_reason reasons[METRIC_COUNT];
    int reason_count;
    struct panel_finding findings[PANEL_FINDINGS_MAX]; /* most to gain first */
    int finding_count;
    bool not_judged; /* the rules lack the values of a kernel that matters to the run */
    uint32_t findings_run;
    uint64_t findings_made_of;  /* with the run, for which they were made */
    bool studied;               /* it has the keys: the list of metrics goes before what is said above it */
    bool has[PROVENANCE_COUNT]; /* a column has at least one value */
    char filter[FILTER_SIZE];   /* only metrics that hold this text */
    char headline[240];
    char launched[400];           /* from where the program launches it; empty: not recorded */
    char whole_name[400];         /* with namespaces and template arguments; empty: it has none */
    enum provenance own;          /* what the kernel's device gives: MODELLED or MEASURED */
    struct code_listing modelled; /* of kernel modelled_of: names the lines that advice is about */
    const char *modelled_text;    /* its source; NULL: not known */
    char line[200];               /* of source, that the first advice is about; empty: not known */
    uint32_t modelled_of;         /* NONE: not asked for yet */
    int64_t chosen_ms;            /* since when the kernel is the one looked at */
    bool wrong;                   /* the headline says that the result is wrong */
    bool uncounted;               /* it says that nothing was counted, and what does */
    uint32_t traced;              /* the run that times the kernel; NONE: there is none */
    struct run_verdict run;       /* on that one */
    struct advice_list advice;    /* else it is the first of these, or says that there is none */
};

/* Of the panel and of the lab, which shows it. */
char *panel_filter(struct screen *screen);
void panel_filtered(struct screen *screen);

static inline struct panel *panel_state(const struct screen *screen)
{
    return screen->view_state[VIEW_PANEL];
}

#endif
