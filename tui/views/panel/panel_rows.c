/*
 * The rows of the panel: a row is a metric, or a group's heading (METRIC_COUNT + group). Groups that have
 * values come first. The selected row is never a heading whose metrics lie below it.
 */
#include "tui/views/panel/panel_rows.h"

#include <string.h>

/* 2: a group has a value that is not zero; 1: only zeros; 0: nothing. */
static int group_rank(const struct panel *panel, enum metric_group group)
{
    int rank = 0;
    for (int i = 0; i < METRIC_COUNT; i++) {
        for (int p = 0; p < PROVENANCE_COUNT && metric_info((enum metric)i)->group == group; p++) {
            const struct value *value = &panel->lines[i].value[p].value;
            int says = !value->available ? 0 : value->word != NULL || value->number != 0 ? 2 : 1;
            rank = says > rank ? says : rank;
        }
    }
    return rank;
}

/* A group of which nothing is known is its heading only. The old names come last: they say again what others
 * say. */
static void add_group(struct panel *panel, enum metric_group group, bool says)
{
    panel->rows[panel->row_count++] = METRIC_COUNT + (int)group;
    for (int i = 0; i < METRIC_COUNT && says; i++)
        if (metric_info((enum metric)i)->group == group)
            panel->rows[panel->row_count++] = i;
}

/* Of a filter: the metrics that hold its text, below their groups' headings, be they known or not. */
static void make_filtered_rows(struct panel *panel)
{
    for (enum metric_group group = 0; group < METRIC_GROUP_COUNT; group++) {
        int heading = panel->row_count++;
        bool whole = strcasestr(metric_group_text(group), panel->filter) != NULL;
        panel->rows[heading] = METRIC_COUNT + (int)group;
        for (int i = 0; i < METRIC_COUNT; i++) {
            const struct metric_info *info = metric_info((enum metric)i);
            if (info->group == group && (whole || strcasestr(info->title, panel->filter) != NULL ||
                                         strcasestr(info->id, panel->filter) != NULL))
                panel->rows[panel->row_count++] = i;
        }
        if (panel->row_count == heading + 1)
            panel->row_count--;
    }
}

void panel_rows_make(struct panel *panel)
{
    panel->row_count = 0;
    if (panel->filter[0] != '\0') {
        make_filtered_rows(panel);
        return;
    }
    for (int rank = 2; rank >= 0; rank--)
        for (enum metric_group group = 0; group < METRIC_GROUP_OLD; group++)
            if (group_rank(panel, group) == rank)
                add_group(panel, group, rank > 0);
    add_group(panel, METRIC_GROUP_OLD, true);
}

bool panel_row_is_open_heading(const struct panel *panel, int row)
{
    return panel->rows[row] >= METRIC_COUNT && row + 1 < panel->row_count &&
           panel->rows[row + 1] < METRIC_COUNT;
}

enum metric panel_row_metric(const struct panel *panel, int row)
{
    int what = panel->rows[row];
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

char *panel_filter(struct screen *screen)
{
    return panel_state(screen)->filter;
}
