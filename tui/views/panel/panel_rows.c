/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the panel: a row is a metric, a group's heading (METRIC_COUNT + group), or a reason why metrics
 * have no value (PANEL_REASON + its index). The group that the first advice is about comes first, then the
 * groups with values that are not zero. The selected row is never a heading whose metrics are listed below
 * it.
 */
#include "tui/views/panel/panel_rows.h"

#include <string.h>

const char *panel_why_missing(const struct panel *panel, enum metric metric)
{
    const struct panel_line *line = &panel->lines[metric];
    for (int p = 0; p < PROVENANCE_COUNT; p++)
        if (line->value[p].value.available)
            return NULL;
    enum provenance own = metric_from_launch(metric) ? PROVENANCE_EXPECTED : panel->own;
    const char *why = line->value[own].value.why;
    return why ? why : "it is not known";
}

/* 3: the first advice is about the group; 2: it has a value that is not zero; 1: only zeros; 0: no values. */
static int group_rank(const struct panel *panel, enum metric_group group)
{
    const struct advice *first = &panel->advice.items[0];
    int rank = 0;
    if (panel->advice.count > 0 && !first->fine && first->evidence_count > 0) {
        enum metric about = metric_find(first->evidence[0].id);
        if (about != METRIC_COUNT && metric_info(about)->group == group)
            return 3;
    }
    for (int i = 0; i < METRIC_COUNT; i++) {
        for (int p = 0; p < PROVENANCE_COUNT && metric_info((enum metric)i)->group == group; p++) {
            const struct value *value = &panel->lines[i].value[p].value;
            int says = !value->available ? 0 : value->word || value->number != 0 ? 2 : 1;
            rank = says > rank ? says : rank;
        }
    }
    return rank;
}

static void add_group(struct panel *panel, enum metric_group group)
{
    int heading = panel->row_count++;
    panel->rows[heading] = METRIC_COUNT + (int)group;
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_info((enum metric)i)->group == group && !panel_why_missing(panel, (enum metric)i))
            panel->rows[panel->row_count++] = i;
    if (panel->row_count == heading + 1)
        panel->row_count--;
}

static struct panel_reason *find_reason(struct panel *panel, const char *why)
{
    int i = 0;
    while (i < panel->reason_count && strcmp(panel->reasons[i].why, why) != 0)
        i++;
    if (i == panel->reason_count)
        panel->reasons[panel->reason_count++] = (struct panel_reason){.why = why};
    return &panel->reasons[i];
}

/* The group of old names is left out: it repeats other metrics, including those without values. */
static void add_reasons(struct panel *panel)
{
    panel->reason_count = 0;
    for (int i = 0; i < METRIC_COUNT; i++) {
        const char *why = panel_why_missing(panel, (enum metric)i);
        if (!why || metric_info((enum metric)i)->group == METRIC_GROUP_OLD)
            continue;
        struct panel_reason *reason = find_reason(panel, why);
        if (reason->count++ == 0)
            reason->first = (enum metric)i;
    }
    for (int i = 0; i < panel->reason_count; i++)
        panel->rows[panel->row_count++] = PANEL_REASON + i;
}

/* With a filter: the metrics that contain its text, below their groups' headings, with or without values. */
static void make_filtered_rows(struct panel *panel)
{
    for (enum metric_group group = 0; group < METRIC_GROUP_COUNT; group++) {
        int heading = panel->row_count++;
        bool whole = strcasestr(metric_group_text(group), panel->filter) != NULL;
        panel->rows[heading] = METRIC_COUNT + (int)group;
        for (int i = 0; i < METRIC_COUNT; i++) {
            const struct metric_info *info = metric_info((enum metric)i);
            const char *const names[] = {info->title, info->id, info->brief};
            if (info->group == group && (whole || filter_matches(panel->filter, names, 3)))
                panel->rows[panel->row_count++] = i;
        }
        if (panel->row_count == heading + 1)
            panel->row_count--;
    }
}

void panel_rows_make(struct panel *panel)
{
    panel->row_count = panel->reason_count = 0;
    if (panel->filter[0] != '\0') {
        make_filtered_rows(panel);
        return;
    }
    for (int rank = 3; rank > 0; rank--)
        for (enum metric_group group = 0; group < METRIC_GROUP_OLD; group++)
            if (group_rank(panel, group) == rank)
                add_group(panel, group);
    add_group(panel, METRIC_GROUP_OLD);
    add_reasons(panel);
}

bool panel_row_is_open_heading(const struct panel *panel, int row)
{
    return panel->rows[row] >= METRIC_COUNT && panel->rows[row] < PANEL_REASON &&
           row + 1 < panel->row_count && panel->rows[row + 1] < METRIC_COUNT;
}

const struct panel_reason *panel_row_reason(const struct panel *panel, int row)
{
    return panel->rows[row] >= PANEL_REASON ? &panel->reasons[panel->rows[row] - PANEL_REASON] : NULL;
}

enum metric panel_row_metric(const struct panel *panel, int row)
{
    int what = panel->rows[row];
    if (what >= PANEL_REASON)
        return panel_row_reason(panel, row)->first;
    for (int i = 0; what >= METRIC_COUNT && i < METRIC_COUNT; i++)
        if ((int)metric_info((enum metric)i)->group == what - METRIC_COUNT)
            what = i;
    return (enum metric)what;
}

int panel_row_of(const struct panel *panel, enum metric metric)
{
    int heading = 0;
    for (int row = 0; row < panel->row_count; row++) {
        if (panel->rows[row] == (int)metric)
            return row;
        if (panel->rows[row] == METRIC_COUNT + (int)metric_info(metric)->group)
            heading = row;
    }
    return heading;
}

void panel_leave_heading(struct panel *panel, int before)
{
    int selected = panel->list.selected;
    if (panel->row_count == 0 || !panel_row_is_open_heading(panel, selected))
        return;
    list_select(&panel->list, selected < before && selected > 0 ? selected - 1 : selected + 1);
}

void panel_filtered(struct screen *screen)
{
    struct panel *panel = panel_state(screen);
    if (panel->kernel == NONE)
        return;
    panel_rows_make(panel);
    list_update(&panel->list, panel->row_count, panel->list.height);
    list_select(&panel->list, 0);
    panel_leave_heading(panel, -1);
}

char *panel_filter(const struct screen *screen)
{
    return panel_state(screen)->filter;
}
