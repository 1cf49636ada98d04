/* SPDX-License-Identifier: Apache-2.0 */
/* One walk over the stretch's operations and the loop's calls, and one over the path: columns are filled as it comes. */
#include "core/replay/replay_picture.h"

#include "core/replay/replay_internal.h"

#include <stdlib.h>
#include <string.h>

struct drawing {
    const struct replay *replay;
    const struct replay_picture *picture;
    struct replay_drawing *to;
    uint32_t *stream_tracks, *thread_tracks;
    uint8_t *stream_rows, *thread_rows; /* REPLAY_PICTURE_ROWS: it is not drawn */
    int64_t begin_ns;
    int64_t busy_ns[REPLAY_PICTURE_ROWS][REPLAY_PICTURE_COLUMNS];
    int64_t most_ns[REPLAY_PICTURE_ROWS][REPLAY_PICTURE_COLUMNS];
    int64_t part_ns[REPLAY_PICTURE_COLUMNS];
};

static uint32_t first_operation(const struct replay *replay)
{
    return replay->calls[replay->first_call].operations;
}

/* ---- rows ---- */

struct use {
    int64_t busy;
    uint32_t at;
};

static int by_use(const void *a, const void *b)
{
    const struct use *left = a, *right = b;
    return left->busy < right->busy ? 1 : left->busy > right->busy ? -1 : left->at < right->at ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
    const struct use *left = a, *right = b;
    return (left->at > right->at) - (left->at < right->at);
}

/* Gives rows to those of most use, in their own order. */
static void choose_rows(struct use *uses, size_t count, size_t most, const uint32_t *tracks, uint8_t *rows,
                        struct replay_picture *picture)
{
    size_t used = 0;
    memset(rows, REPLAY_PICTURE_ROWS, count);
    qsort(uses, count, sizeof *uses, by_use);
    while (used < count && uses[used].busy > 0)
        used++;
    size_t shown = used < most ? used : most;
    picture->left_out += (uint32_t)(used - shown);
    qsort(uses, shown, sizeof *uses, by_place);
    for (size_t i = 0; i < shown; i++) {
        rows[uses[i].at] = (uint8_t)picture->rows;
        picture->tracks[picture->rows++] = tracks[uses[i].at];
    }
}

static enum status find_rows(struct drawing *drawing, struct replay_picture *picture, struct error *error)
{
    const struct replay *replay = drawing->replay;
    size_t streams = replay->stream_count, threads = replay->thread_count;
    struct use *uses = calloc(streams + threads + 1, sizeof *uses);
    if (!uses)
        return error_no_memory(error, "for the picture of a replay");
    struct use *of_threads = uses + streams;
    for (uint32_t i = 0; i < streams; i++)
        uses[i].at = i;
    for (uint32_t i = 0; i < threads; i++)
        of_threads[i].at = i;
    for (uint64_t i = picture->stretch.first; i < picture->stretch.end; i++) {
        const struct replay_operation *operation = &replay->operations[first_operation(replay) + i];
        uses[operation->stream].busy += operation->end_ns - operation->start_ns + 1;
        of_threads[replay->calls[operation->call].thread].busy++;
    }
    picture->rows = picture->left_out = 0;
    choose_rows(of_threads, threads, REPLAY_PICTURE_THREADS, drawing->thread_tracks, drawing->thread_rows,
                picture);
    choose_rows(uses, streams, REPLAY_PICTURE_ROWS - picture->rows, drawing->stream_tracks,
                drawing->stream_rows, picture);
    free(uses);
    return STATUS_OK;
}

/* ---- columns ---- */

/* The columns of a time, [*from, *to); false: it lies outside the axis. */
static bool find_columns(const struct drawing *drawing, int64_t start_ns, int64_t end_ns, int64_t *from,
                         int64_t *to)
{
    int64_t columns = drawing->picture->stretch.columns, span_ns = drawing->picture->span_ns;
    start_ns -= drawing->begin_ns;
    end_ns -= drawing->begin_ns;
    if (start_ns >= span_ns || end_ns < 0 || span_ns <= 0)
        return false;
    start_ns = start_ns < 0 ? 0 : start_ns;
    end_ns = end_ns > span_ns ? span_ns : end_ns;
    *from = (int64_t)((double)start_ns / (double)span_ns * (double)columns);
    *to = (int64_t)((double)end_ns / (double)span_ns * (double)columns) + 1;
    *from = *from >= columns ? columns - 1 : *from;
    *to = *to > columns ? columns : *to <= *from ? *from + 1 : *to;
    return true;
}

/* How much of a time lies in a column. */
static int64_t within_ns(const struct drawing *drawing, int64_t column, int64_t start_ns, int64_t end_ns)
{
    double width_ns = (double)drawing->picture->span_ns / drawing->picture->stretch.columns;
    int64_t left_ns = drawing->begin_ns + (int64_t)((double)column * width_ns);
    int64_t right_ns = drawing->begin_ns + (int64_t)((double)(column + 1) * width_ns);
    start_ns = start_ns > left_ns ? start_ns : left_ns;
    end_ns = end_ns < right_ns ? end_ns : right_ns;
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static void add_time(struct drawing *drawing, uint8_t row, int64_t start_ns, int64_t end_ns,
                     enum replay_look look, uint32_t of)
{
    int64_t from, to;
    if (row >= REPLAY_PICTURE_ROWS || !find_columns(drawing, start_ns, end_ns, &from, &to))
        return;
    for (int64_t i = from; i < to; i++) {
        int64_t part_ns = within_ns(drawing, i, start_ns, end_ns) + 1;
        if (part_ns == 1 && i > from)
            break;
        drawing->busy_ns[row][i] += part_ns;
        if (part_ns <= drawing->most_ns[row][i])
            continue;
        drawing->most_ns[row][i] = part_ns;
        drawing->to->cells[row][i].look = (uint8_t)look;
        drawing->to->cells[row][i].of = of;
    }
}

static enum replay_look look_of(const struct replay_operation *operation)
{
    switch (operation->kind) {
    case REPLAY_KERNEL:
    case REPLAY_GRAPH: return REPLAY_LOOK_KERNEL;
    case REPLAY_IN_PAGEABLE:
    case REPLAY_IN_PINNED: return REPLAY_LOOK_IN;
    case REPLAY_OUT_PAGEABLE:
    case REPLAY_OUT_PINNED: return REPLAY_LOOK_OUT;
    case REPLAY_SET: return REPLAY_LOOK_SET;
    default: return REPLAY_LOOK_COPY;
    }
}

static void visit_segment(void *context, const struct replay_segment *segment)
{
    struct drawing *drawing = context;
    int64_t from, to, length_ns = segment->end_ns - segment->start_ns;
    drawing->to->ns[segment->part] += length_ns;
    drawing->to->path_ns += length_ns;
    if (!find_columns(drawing, segment->start_ns, segment->end_ns, &from, &to))
        return;
    uint32_t row = 0;
    while (row < drawing->picture->rows && drawing->picture->tracks[row] != segment->track)
        row++;
    for (int64_t i = from; i < to; i++) {
        int64_t part_ns = within_ns(drawing, i, segment->start_ns, segment->end_ns);
        if (part_ns > 0 && row < drawing->picture->rows)
            drawing->to->cells[row][i].path = true;
        if (part_ns <= drawing->part_ns[i])
            continue;
        drawing->part_ns[i] = part_ns;
        drawing->to->parts[i] = segment->part;
    }
}

static void fill_cells(struct drawing *drawing)
{
    const struct replay_picture *picture = drawing->picture;
    double width_ns = (double)picture->span_ns / picture->stretch.columns;
    for (uint32_t row = 0; row < picture->rows; row++)
        for (uint32_t i = 0; i < picture->stretch.columns; i++) {
            double eighths = 8 * (double)drawing->busy_ns[row][i] / width_ns + 0.5;
            if (drawing->busy_ns[row][i] > 0)
                drawing->to->cells[row][i].eighths = eighths > 8 ? 8 : eighths < 1 ? 1 : (uint8_t)eighths;
        }
}

/* ---- the two ---- */

/* The stretch in the pass that was made last, from when to when. */
static void find_length(const struct replay *replay, struct replay_stretch stretch, int64_t *begin_ns,
                        int64_t *end_ns)
{
    const struct replay_trace *trace = replay->trace;
    uint64_t operations = replay->facts.piece;
    uint32_t base = first_operation(replay);
    *begin_ns = INT64_MAX;
    *end_ns = INT64_MIN;
    for (uint64_t i = stretch.first; i < stretch.end; i++) {
        *begin_ns = trace->starts_ns[base + i] < *begin_ns ? trace->starts_ns[base + i] : *begin_ns;
        *end_ns = replay->ends_ns[base + i] > *end_ns ? replay->ends_ns[base + i] : *end_ns;
    }
    if (stretch.first == 0) /* from the loop's first call, and to the end of its last one */
        *begin_ns = replay->calls[replay->first_call].start_ns;
    for (size_t at = replay->first_call; stretch.end == operations && at < replay->end_call; at++)
        *end_ns = trace->call_ends_ns[at] > *end_ns ? trace->call_ends_ns[at] : *end_ns;
}

static enum status draw_pass(struct drawing *drawing, struct replay_drawing *to, struct error *error)
{
    const struct replay *replay = drawing->replay;
    const struct replay_trace *trace = replay->trace;
    const struct replay_stretch stretch = drawing->picture->stretch;
    uint32_t base = first_operation(replay);
    int64_t end_ns, length_ns = to->length_ns;
    memset(to, 0, sizeof *to);
    to->length_ns = length_ns;
    memset(to->parts, REPLAY_PARTS, sizeof to->parts);
    memset(drawing->busy_ns, 0, sizeof drawing->busy_ns);
    memset(drawing->most_ns, 0, sizeof drawing->most_ns);
    memset(drawing->part_ns, 0, sizeof drawing->part_ns);
    drawing->to = to;
    find_length(replay, stretch, &drawing->begin_ns, &end_ns);
    for (uint64_t i = stretch.first; i < stretch.end; i++) {
        const struct replay_operation *operation = &replay->operations[base + i];
        bool kernel = operation->kind <= REPLAY_GRAPH;
        add_time(drawing, drawing->stream_rows[operation->stream], trace->starts_ns[base + i],
                 replay->ends_ns[base + i], look_of(operation), kernel ? operation->kernel : NONE);
    }
    for (size_t at = replay->first_call; at < replay->end_call; at++)
        if (trace->call_starts_ns[at] < end_ns)
            add_time(drawing, drawing->thread_rows[replay->calls[at].thread], trace->call_starts_ns[at],
                     trace->call_ends_ns[at], REPLAY_LOOK_CALL, replay->calls[at].category);
    fill_cells(drawing);
    return replay_path_walk(replay, visit_segment, drawing, error);
}

static bool same_stretch(struct replay_stretch a, struct replay_stretch b)
{
    return a.first == b.first && a.end == b.end && a.columns == b.columns;
}

static struct replay_stretch clip_stretch(const struct replay *replay, struct replay_stretch stretch)
{
    uint64_t operations = replay->facts.piece;
    stretch.columns = stretch.columns < 1                        ? 1
                      : stretch.columns > REPLAY_PICTURE_COLUMNS ? REPLAY_PICTURE_COLUMNS
                                                                 : stretch.columns;
    stretch.end = stretch.end > operations || stretch.end == 0 ? operations : stretch.end;
    stretch.first = stretch.first >= stretch.end ? stretch.end - 1 : stretch.first;
    return stretch;
}

static enum status draw_both(struct drawing *drawing, struct replay *replay, const struct what_if *list,
                             struct what_if_set set, struct replay_picture *picture, int64_t *after_ns,
                             struct error *error)
{
    int64_t begin_ns, end_ns, span_ns = picture->measured.length_ns;
    *after_ns = what_if_edited_ns(replay, list, set);
    find_length(replay, picture->stretch, &begin_ns, &end_ns);
    picture->edited.length_ns = end_ns - begin_ns;
    span_ns = picture->edited.length_ns > span_ns ? picture->edited.length_ns : span_ns;
    bool same_axis = span_ns == picture->span_ns;
    picture->span_ns = span_ns;
    enum status status = draw_pass(drawing, &picture->edited, error);
    if (status != STATUS_OK || same_axis)
        return status;
    replay_run_measured(replay);
    return draw_pass(drawing, &picture->measured, error);
}

enum status replay_picture_make(struct replay *replay, struct replay_stretch stretch,
                                const struct what_if *list, struct what_if_set set,
                                struct replay_picture *picture, int64_t *after_ns, struct error *error)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    enum status status = replay_keep_trace(replay, error);
    if (!drawing || status != STATUS_OK) {
        free(drawing);
        return error_no_memory(error, "for the picture of a replay");
    }
    drawing->replay = replay;
    drawing->picture = picture;
    drawing->stream_rows = malloc(replay->stream_count + replay->thread_count + 1);
    drawing->thread_rows = drawing->stream_rows ? drawing->stream_rows + replay->stream_count : NULL;
    bool found = replay_find_tracks(replay, &drawing->stream_tracks, &drawing->thread_tracks);
    stretch = clip_stretch(replay, stretch);
    if (!same_stretch(picture->stretch, stretch)) {
        int64_t begin_ns, end_ns;
        *picture = (struct replay_picture){.stretch = stretch};
        replay_run_measured(replay);
        find_length(replay, stretch, &begin_ns, &end_ns);
        picture->measured.length_ns = end_ns - begin_ns;
    }
    status = found && drawing->stream_rows ? find_rows(drawing, picture, error)
                                           : error_no_memory(error, "for the picture of a replay");
    if (status == STATUS_OK)
        status = draw_both(drawing, replay, list, set, picture, after_ns, error);
    free(drawing->stream_rows);
    free(drawing->stream_tracks);
    free(drawing->thread_tracks);
    free(drawing);
    return status;
}

/* ---- the path alone ---- */

char replay_part_letter(enum replay_part part)
{
    static const char letters[] = "KC0cwhd";
    _Static_assert(sizeof letters == REPLAY_PARTS + 1, "a letter for each part");
    return letters[part];
}

struct lining {
    struct replay_line *line;
    int64_t part_ns[REPLAY_LINE_COLUMNS];
};

/* REPLAY_LINE_TRACKS: it has none. */
static uint32_t line_row(struct replay_line *line, uint32_t track)
{
    uint32_t row = 0;
    while (row < line->count && line->tracks[row] != track)
        row++;
    if (track == NONE || row == REPLAY_LINE_TRACKS)
        return REPLAY_LINE_TRACKS;
    if (row == line->count)
        line->tracks[line->count++] = track;
    return row;
}

static void line_segment(void *context, const struct replay_segment *segment)
{
    struct lining *lining = context;
    struct replay_line *line = lining->line;
    double width_ns = (double)(line->end_ns - line->start_ns) / line->columns;
    if (segment->end_ns <= line->start_ns || segment->start_ns >= line->end_ns)
        return;
    int64_t from_ns = segment->start_ns > line->start_ns ? segment->start_ns : line->start_ns;
    int64_t to_ns = segment->end_ns < line->end_ns ? segment->end_ns : line->end_ns;
    uint32_t row = line_row(line, segment->track);
    for (uint32_t i = (uint32_t)((double)(from_ns - line->start_ns) / width_ns); i < line->columns; i++) {
        int64_t left_ns = line->start_ns + (int64_t)(i * width_ns),
                right_ns = line->start_ns + (int64_t)((i + 1) * width_ns);
        int64_t part_ns = (to_ns < right_ns ? to_ns : right_ns) - (from_ns > left_ns ? from_ns : left_ns);
        if (left_ns >= to_ns)
            break;
        if (row < REPLAY_LINE_TRACKS)
            line->on[row][i / 8] |= (uint8_t)(1u << i % 8);
        if (part_ns > lining->part_ns[i]) {
            lining->part_ns[i] = part_ns;
            line->parts[i] = segment->part;
        }
    }
}

enum status replay_line_make(struct replay *replay, struct replay_line *line, struct error *error)
{
    struct lining lining = {.line = line};
    line->columns = line->columns > REPLAY_LINE_COLUMNS ? REPLAY_LINE_COLUMNS : line->columns;
    line->count = 0;
    memset(line->on, 0, sizeof line->on);
    memset(line->parts, REPLAY_PARTS, sizeof line->parts);
    enum status status = replay_keep_trace(replay, error);
    if (status != STATUS_OK || line->columns == 0 || line->end_ns <= line->start_ns)
        return status;
    return replay_path_walk_all(replay, line_segment, &lining, error);
}

bool replay_line_on(const struct replay_line *line, uint32_t track, uint32_t column)
{
    for (uint32_t row = 0; row < line->count && column < line->columns; row++)
        if (line->tracks[row] == track)
            return (line->on[row][column / 8] >> column % 8 & 1u) != 0;
    return false;
}
