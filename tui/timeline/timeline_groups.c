/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headings: the rows of devices and, if there are several, of processes. A heading shows how many of its
 * streams are busy at once, summed over the lanes below it; lanes that were queried for their own rows in
 * this frame are not queried again.
 */
#include "tui/timeline/timeline.h"

#include "core/base/array.h"
#include "tui/frame/screen.h"
#include "tui/timeline/view_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places of rows ---- */
enum part { PART_HEADING, PART_RANGES, PART_DEVICE, PART_CPU };

static uint64_t process_order(const struct screen *screen, uint32_t process)
{
    struct row_choice choice = timeline_choice_of(screen, ROW_PROCESS, process);
    const struct process_row *row = session_process(screen->session, process);
    uint64_t usual = row && row->rank >= 0 ? (uint64_t)row->rank + 1 : (UINT64_C(1) << 32) + process;
    return choice.order != 0 ? choice.order : usual;
}

static uint64_t device_order(const struct screen *screen, uint32_t device)
{
    struct row_choice choice = timeline_choice_of(screen, ROW_DEVICE, device);
    const struct device_row *row = session_device(screen->session, device);
    uint64_t usual = (uint64_t)PART_DEVICE << 60 | (row ? (uint64_t)row->ordinal << 32 : 0) | device;
    return choice.order != 0 ? choice.order : usual;
}

static uint64_t part_order(const struct screen *screen, const struct track_row *row)
{
    if (row->device != NONE)
        return device_order(screen, row->device);
    return (uint64_t)(row->kind == TRACK_RANGES ? PART_RANGES : PART_CPU) << 60;
}

/* Streams, then engines, then measurements; calls, waits, overhead. No two tracks have the same order: a row
 * moves by changing orders with another. */
static uint64_t track_order(const struct track_row *row, uint32_t track)
{
    static const uint8_t rank[TRACK_KIND_COUNT] = {
        [TRACK_RANGES] = 1, [TRACK_STREAM] = 2, [TRACK_COPY_ENGINE] = 3, [TRACK_MEASUREMENTS] = 4,
        [TRACK_CALLS] = 5,  [TRACK_SYNCS] = 6,  [TRACK_OVERHEAD] = 7,
    };
    uint32_t own = row->device != NONE ? row->stream : row->thread;
    return (uint64_t)rank[row->kind] << 60 | (uint64_t)(row->context & 0xffffff) << 32 |
           (own != NONE ? own : track);
}

void timeline_place(const struct screen *screen, uint32_t track, struct timeline_row *row)
{
    const struct track_row *of = session_track(screen->session, track);
    struct row_choice choice = timeline_choice_of(screen, ROW_TRACK, track);
    row->place[0] = process_order(screen, of->process);
    row->place[1] = part_order(screen, of);
    row->place[2] = choice.order != 0 ? choice.order : track_order(of, track);
    row->pinned = choice.pinned;
    row->depth =
        (uint8_t)(row->pinned ? 0 : timeline_state(screen)->groups.many_processes + (of->device != NONE));
}

static bool is_folded(const struct screen *screen, enum row_kind kind, uint32_t group)
{
    return timeline_choice_of(screen, kind, group).fold == FOLD_FOLDED;
}

bool timeline_is_folded_away(const struct screen *screen, uint32_t device, uint32_t process)
{
    return is_folded(screen, ROW_DEVICE, device) ||
           (timeline_state(screen)->groups.many_processes && is_folded(screen, ROW_PROCESS, process));
}

/* Below streams and copy engines, above replays. */
void timeline_place_chart(const struct screen *screen, uint32_t device, uint32_t process,
                          const struct row_choice *choice, uint64_t order, struct timeline_row *row)
{
    uint64_t usual = (uint64_t)3 << 60 | (uint64_t)1 << 59 | order;
    row->place[0] = process_order(screen, process);
    row->place[1] = device_order(screen, device);
    row->place[2] = choice->order != 0 ? choice->order : usual;
    row->pinned = choice->pinned;
    row->depth = (uint8_t)(row->pinned ? 0 : timeline_state(screen)->groups.many_processes + 1);
}

/* ---- headings ---- */
bool timeline_row_has(const struct timeline_row *row, const struct timeline_member *member)
{
    switch ((enum row_kind)row->kind) {
    case ROW_DEVICE: return member->device == row->group;
    case ROW_PROCESS: return member->process == row->group;
    case ROW_TRACK: return member->track == row->track;
    default: return false;
    }
}

uint32_t timeline_process_of(const struct screen *screen, const struct timeline_row *row)
{
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    for (size_t i = 0; i < groups->count; i++)
        if (timeline_row_has(row, &groups->members[i]))
            return groups->members[i].process;
    return NONE;
}

/* Space for `count` flags, all cleared; NULL: out of memory. */
static uint8_t *reserve_marks(uint8_t **marks, size_t *capacity, size_t count)
{
    if (!array_grow(*marks, *capacity, count, 1))
        return NULL;
    memset(*marks, 0, count + 1);
    return *marks;
}

static bool add_heading(struct screen *screen, size_t *count, enum row_kind kind, uint32_t group,
                        uint32_t process)
{
    struct timeline *timeline = timeline_state(screen);
    if (!array_grow(timeline->rows, timeline->row_capacity, *count, 1))
        return false;
    bool device = kind == ROW_DEVICE, pinned = timeline_choice_of(screen, kind, group).pinned;
    timeline->rows[(*count)++] = (struct timeline_row){
        .place = {process_order(screen, process), device ? device_order(screen, group) : PART_HEADING, 0},
        .track = NONE,
        .lane = NONE,
        .group = group,
        .chart = NONE,
        .kind = (uint8_t)kind,
        .depth = (uint8_t)(device && !pinned && timeline->groups.many_processes),
        .pinned = pinned,
        .folded = is_folded(screen, kind, group)};
    return true;
}

size_t timeline_headings_add(struct screen *screen, size_t count)
{
    struct timeline_groups *groups = &timeline_state(screen)->groups;
    uint32_t device_count = session_device_count(screen->session),
             process_count = session_process_count(screen->session);
    uint8_t *devices = reserve_marks(&groups->devices, &groups->device_capacity, device_count);
    uint8_t *processes = reserve_marks(&groups->processes, &groups->process_capacity, process_count);
    for (size_t i = 0; devices && processes && i < groups->count; i++) {
        const struct timeline_member *member = &groups->members[i];
        bool in_process = groups->many_processes && is_folded(screen, ROW_PROCESS, member->process);
        if (groups->many_processes && member->process < process_count && !processes[member->process]) {
            processes[member->process] = 1;
            if (!add_heading(screen, &count, ROW_PROCESS, member->process, member->process))
                break;
        }
        if (member->device < device_count && !in_process && !devices[member->device]) {
            devices[member->device] = 1;
            if (!add_heading(screen, &count, ROW_DEVICE, member->device, member->process))
                break;
        }
    }
    return count;
}

/* ---- names ---- */
static void name_process(const struct screen *screen, uint32_t process, bool program, char *text,
                         size_t size_bytes)
{
    const struct process_row *row = session_process(screen->session, process);
    const char *path = !row ? "" : session_string(screen->session, row->program);
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    bool ranked = row && row->rank >= 0;
    snprintf(text, size_bytes, "%s %" PRId32 "%s%s", ranked ? "rank" : "pid",
             !row     ? 0
             : ranked ? row->rank
                      : row->pid,
             program ? ", " : "", program ? base : "");
}

static void name_device(const struct screen *screen, uint32_t device, char *text, size_t size_bytes)
{
    const struct device_row *row = session_device(screen->session, device);
    if (!row) {
        snprintf(text, size_bytes, "device %" PRIu32, device);
        return;
    }
    static const char vendor[] = "NVIDIA ";
    const char *name = row->info.name;
    if (strncmp(name, vendor, sizeof vendor - 1) == 0)
        name += sizeof vendor - 1;
    if (row->info.is_model)
        snprintf(text, size_bytes, "modelled %.46s", name);
    else
        snprintf(text, size_bytes, "GPU %" PRIu32 ", %.46s", row->ordinal, name);
}

/* Does the track's device have streams of several contexts? */
static bool has_many_contexts(const struct screen *screen, const struct track_row *row)
{
    const struct timeline_groups *groups = &timeline_state(screen)->groups;
    for (size_t i = 0; i < groups->count && row->context != NONE; i++) {
        if (groups->members[i].device != row->device)
            continue;
        const struct track_row *other = session_track(screen->session, groups->members[i].track);
        if (other->kind == row->kind && other->context != row->context)
            return true;
    }
    return false;
}

void timeline_track_name(const struct screen *screen, uint32_t track, bool alone, char *text,
                         size_t size_bytes)
{
    const struct track_row *row = session_track(screen->session, track);
    char name[80], context[24] = "", process[40] = "";
    session_track_name(screen->session, track, name, sizeof name);
    if (has_many_contexts(screen, row))
        snprintf(context, sizeof context, ", context %" PRIu32, row->context);
    if (alone && timeline_state(screen)->groups.many_processes) {
        snprintf(process, sizeof process, ", ");
        name_process(screen, row->process, false, process + 2, sizeof process - 2);
    }
    snprintf(text, size_bytes, "%s%s%s", name, context, process);
}

void timeline_row_name(const struct screen *screen, const struct timeline_row *row, bool alone, char *text,
                       size_t size_bytes)
{
    switch ((enum row_kind)row->kind) {
    case ROW_PROCESS: name_process(screen, row->group, true, text, size_bytes); break;
    case ROW_DEVICE: {
        char name[80], process[40] = "";
        const struct device_row *device = session_device(screen->session, row->group);
        name_device(screen, row->group, name, sizeof name);
        if (alone && timeline_state(screen)->groups.many_processes && device) {
            snprintf(process, sizeof process, ", ");
            name_process(screen, device->process, false, process + 2, sizeof process - 2);
        }
        snprintf(text, size_bytes, "%s%s", name, process);
        break;
    }
    default: timeline_track_name(screen, row->track, alone, text, size_bytes); break;
    }
}

/* ---- sums ---- */
static bool is_work(const struct screen *screen, uint32_t track)
{
    uint8_t kind = session_track(screen->session, track)->kind;
    return kind == TRACK_STREAM || kind == TRACK_MEASUREMENTS;
}

static int headings_on_screen(const struct screen *screen)
{
    int count = 0;
    for (int line = 0; line < timeline_state(screen)->rows_list.height; line++) {
        int row = timeline_row_of_line(screen, line);
        count += row >= 0 && timeline_is_heading(&timeline_state(screen)->rows[row]);
    }
    return count;
}

void timeline_sums_begin(struct screen *screen)
{
    struct timeline_groups *groups = &timeline_state(screen)->groups;
    size_t count = (size_t)headings_on_screen(screen) * (size_t)timeline_state(screen)->columns;
    for (size_t i = 0; i < groups->count; i++)
        groups->members[i].added = false;
    if (count == 0)
        return;
    if (array_grow(groups->sums, groups->sum_capacity, count, 0)) {
        memset(groups->sums, 0, count * sizeof *groups->sums);
    } else {
        free(groups->sums);
        groups->sums = NULL;
        groups->sum_capacity = 0;
    }
    for (int i = 0; i < timeline_state(screen)->rows_list.count; i++)
        if (timeline_is_heading(&timeline_state(screen)->rows[i]))
            timeline_state(screen)->rows[i].events = 0;
}

static struct timeline_member *member_of(struct timeline_groups *groups, uint32_t track)
{
    size_t low = 0, high = groups->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups->members[middle].track < track)
            low = middle + 1;
        else
            high = middle;
    }
    return low < groups->count && groups->members[low].track == track ? &groups->members[low] : NULL;
}

static void add_to_headings(struct screen *screen, const struct timeline_member *member,
                            const struct lod_column *columns, const struct timeline_cell *cells)
{
    struct timeline *timeline = timeline_state(screen);
    size_t width = (size_t)timeline->columns, heading = 0;
    for (int line = 0; line < timeline->rows_list.height; line++) {
        int index = timeline_row_of_line(screen, line);
        if (index < 0 || !timeline_is_heading(&timeline->rows[index]))
            continue;
        struct timeline_sum *sums = timeline->groups.sums + heading++ * width;
        if (!timeline_row_has(&timeline->rows[index], member))
            continue;
        for (size_t k = 0; k < width; k++) {
            sums[k].busy_ns += columns[k].busy_ns;
            if (cells && columns[k].busy_ns > sums[k].most_ns) {
                sums[k].most_ns = columns[k].busy_ns;
                sums[k].color = cells[k].color;
            }
            timeline->rows[index].events += columns[k].count;
        }
    }
}

void timeline_sums_add(struct screen *screen, uint32_t track, const struct lod_column *columns,
                       const struct timeline_cell *cells, bool last)
{
    struct timeline_groups *groups = &timeline_state(screen)->groups;
    struct timeline_member *member = member_of(groups, track);
    if (!member || member->added || !groups->sums || !is_work(screen, track))
        return;
    add_to_headings(screen, member, columns, cells);
    member->added = last;
}

/* Makes the cell of a column from the number of streams that were busy on average: a level for less than one
 * stream, and the number from two on; in the colour of the work of the busiest stream. */
static struct timeline_cell cell_of(const struct timeline_sum *sum, int64_t column_ns)
{
    int64_t busy_ns = sum->busy_ns;
    struct timeline_cell cell = {
        .color = (uint8_t)(sum->most_ns > 0 ? sum->color : COLOR_CPU), .mark = ' ', .owner = OWNER_HEADING};
    column_ns = column_ns > 0 ? column_ns : 1;
    int64_t eighths = (busy_ns * 16 / column_ns + 1) / 2, streams = (busy_ns * 2 / column_ns + 1) / 2;
    if (busy_ns == 0)
        return (struct timeline_cell){0};
    if (eighths < 8) {
        cell.shape = CELL_LEVEL;
        cell.eighths = (uint8_t)(eighths < 1 ? 1 : eighths);
        return cell;
    }
    cell.shape = CELL_FULL;
    cell.eighths = 8;
    if (streams >= 2)
        cell.mark = streams > 9 ? '+' : (char)('0' + streams);
    return cell;
}

static bool is_summed(const struct screen *screen, const struct timeline_member *member)
{
    for (int line = 0; line < timeline_state(screen)->rows_list.height; line++) {
        int index = timeline_row_of_line(screen, line);
        const struct timeline_row *row = index < 0 ? NULL : &timeline_state(screen)->rows[index];
        if (row && timeline_is_heading(row) && timeline_row_has(row, member))
            return true;
    }
    return false;
}

/* Adds the tracks that are below a heading on screen but not on screen themselves. */
static void take_others(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    for (size_t i = 0; i < timeline->groups.count; i++) {
        struct timeline_member *member = &timeline->groups.members[i];
        if (member->added || !is_work(screen, member->track) || !is_summed(screen, member))
            continue;
        uint32_t lanes = atomic_load_explicit(&session_track(screen->session, member->track)->lane_count,
                                              memory_order_acquire);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            timeline_query(screen, member->track, lane, timeline->window, timeline->scratch,
                           (size_t)timeline->columns);
            add_to_headings(screen, member, timeline->scratch, NULL);
        }
        member->added = true;
    }
}

void timeline_sums_end(struct screen *screen)
{
    struct timeline *timeline = timeline_state(screen);
    size_t width = (size_t)timeline->columns, heading = 0;
    if (headings_on_screen(screen) == 0 || !timeline->groups.sums)
        return;
    take_others(screen);
    for (int line = 0; line < timeline->cell_rows; line++) {
        int index = timeline_row_of_line(screen, line);
        if (index < 0 || !timeline_is_heading(&timeline->rows[index]))
            continue;
        const struct timeline_sum *sums = timeline->groups.sums + heading++ * width;
        struct timeline_cell *cells = timeline->cells + (size_t)line * width;
        for (size_t k = 0; k < width; k++)
            cells[k] = cell_of(
                &sums[k],
                lod_column_start_ns(timeline->window.start_ns, timeline->window.end_ns, width, k + 1) -
                    lod_column_start_ns(timeline->window.start_ns, timeline->window.end_ns, width, k));
    }
}

void timeline_groups_fini(struct timeline_groups *groups)
{
    free(groups->members);
    free(groups->sums);
    free(groups->devices);
    free(groups->processes);
    *groups = (struct timeline_groups){0};
}
