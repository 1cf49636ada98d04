/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's choices for rows: fold, hide, pin, move. Kept by track, device and process.
 */
#include "tui/timeline/timeline.h"

#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

static struct row_choice *choice_to_change(struct screen *screen, enum row_kind kind, uint32_t id)
{
    struct row_choices *choices = &timeline_state(screen)->choices[kind];
    size_t count = (size_t)id + 1;
    if (count > choices->count) {
        if (!array_grow(choices->list, choices->capacity, count, 1))
            return NULL;
        for (; choices->count < count; choices->count++)
            choices->list[choices->count] = (struct row_choice){0};
    }
    return &choices->list[id];
}

static struct row_choice *choice_of_row(struct screen *screen, const struct timeline_row *row)
{
    if (row->kind == ROW_CHART)
        return &timeline_state(screen)->charts.items[row->chart].choice;
    return choice_to_change(screen, (enum row_kind)row->kind,
                            row->kind == ROW_TRACK ? row->track : row->group);
}

static void select_again(struct timeline *timeline, const struct timeline_row *row)
{
    timeline->select_track = row->track;
    timeline->select_group = row->kind == ROW_TRACK ? NONE : row->kind == ROW_CHART ? row->chart : row->group;
    timeline->select_kind = row->kind;
}

/* Can the rows change places: are they two tracks or charts of a device, two devices of a process, or two
 * processes? */
static bool are_siblings(const struct timeline_row *a, const struct timeline_row *b)
{
    if (a->pinned != b->pinned || ((timeline_is_heading(a) || timeline_is_heading(b)) && a->kind != b->kind))
        return false;
    bool same = a->track == b->track && a->chart == b->chart && a->group == b->group;
    return !same && (a->kind == ROW_PROCESS || a->place[0] == b->place[0]) &&
           (timeline_is_heading(a) || a->place[1] == b->place[1]);
}

/* Swaps the row with the row of the same kind before or after it. */
static void move_row(struct screen *screen, int by)
{
    static const uint8_t level[] = {[ROW_PROCESS] = 0, [ROW_DEVICE] = 1, [ROW_TRACK] = 2, [ROW_CHART] = 2};
    struct timeline *timeline = timeline_state(screen);
    const struct timeline_row *row = &timeline->rows[timeline->rows_list.selected];
    int to = timeline->rows_list.selected + by;
    while (to >= 0 && to < timeline->rows_list.count && !are_siblings(row, &timeline->rows[to]))
        to += by;
    if (to < 0 || to >= timeline->rows_list.count) {
        screen_message(screen, SEVERITY_INFO,
                       "This row is the %s of its kind; P pins a row to the top of the timeline.",
                       by < 0 ? "first" : "last");
        return;
    }
    struct timeline_row other = timeline->rows[to], own = *row;
    struct row_choice *own_choice = choice_of_row(screen, &own);
    if (!own_choice || !choice_of_row(screen, &other))
        return;
    own_choice = choice_of_row(screen, &own); /* read again: the other call may have moved the array */
    own_choice->order = other.place[level[own.kind]];
    choice_of_row(screen, &other)->order = own.place[level[own.kind]];
    select_again(timeline, &own);
}

static void show_hidden(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    if (timeline->hidden == 0)
        screen_message(screen, SEVERITY_INFO, "No row is hidden. c shows the CPU's rows.");
    for (int kind = 0; kind < ROW_KIND_COUNT; kind++)
        for (size_t i = 0; i < timeline->choices[kind].count; i++)
            timeline->choices[kind].list[i].hidden = false;
    for (uint32_t i = 0; i < timeline->charts.count; i++)
        timeline->charts.items[i].choice.hidden = false;
}

static void fold_row(struct screen *screen, const struct timeline_row *row, struct row_choice *choice)
{
    select_again(timeline_state(screen), row);
    if (row->kind == ROW_CHART) { /* the number of lines */
        choice->fold = (uint8_t)(row->lines % CHART_LINES_MAX + 1);
        return;
    }
    if (row->kind != ROW_TRACK) {
        choice->fold = row->folded ? FOLD_USUAL : FOLD_FOLDED;
        return;
    }
    const struct track_row *track = session_track(screen->session, row->track);
    if (atomic_load_explicit(&track->lane_count, memory_order_relaxed) < 2)
        screen_message(screen, SEVERITY_INFO, "This row has one lane: its events do not overlap.");
    choice->fold = timeline_is_unfolded(screen, row->track) ? FOLD_FOLDED : FOLD_UNFOLDED;
}

bool timeline_choose(struct screen *screen, enum action action)
{
    struct timeline *timeline = timeline_state(screen);
    if (action == ACTION_SHOW_HIDDEN) {
        show_hidden(screen);
        return true;
    }
    if (action != ACTION_FOLD && action != ACTION_HIDE && action != ACTION_ROW_UP &&
        action != ACTION_ROW_DOWN && action != ACTION_PIN)
        return false;
    if (timeline->rows_list.count == 0) {
        screen_message(screen, SEVERITY_INFO, "The timeline shows no row.");
        return true;
    }
    const struct timeline_row *row = &timeline->rows[timeline->rows_list.selected];
    struct row_choice *choice = choice_of_row(screen, row);
    if (!choice)
        return true;
    switch (action) {
    case ACTION_FOLD: fold_row(screen, row, choice); break;
    case ACTION_HIDE:
        choice->hidden = true;
        screen_message(screen, SEVERITY_INFO, "The row is hidden; I shows all hidden rows again.");
        break;
    case ACTION_PIN:
        choice->pinned = !choice->pinned;
        select_again(timeline, row);
        break;
    default: move_row(screen, action == ACTION_ROW_UP ? -1 : 1); break;
    }
    return true;
}
