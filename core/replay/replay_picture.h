/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stretch of a loop as the screen draws it: what ran in each column of each row, as it was measured and as it is
 * replayed with some edits, both on one axis that begins where the stretch begins, and where the critical path
 * goes. The stretch is a range of operations in the order of their calls, so that both show the same work. Plain
 * data of a fixed size. As core/replay/replay.h.
 */
#ifndef CORE_REPLAY_REPLAY_PICTURE_H
#define CORE_REPLAY_REPLAY_PICTURE_H

#include "core/replay/replay_path.h"
#include "core/replay/what_if.h"

#define REPLAY_PICTURE_COLUMNS 240
#define REPLAY_PICTURE_ROWS 10
#define REPLAY_PICTURE_THREADS 2 /* of them at most */

enum replay_look {
    REPLAY_LOOK_NOTHING,
    REPLAY_LOOK_KERNEL,
    REPLAY_LOOK_IN,
    REPLAY_LOOK_OUT,
    REPLAY_LOOK_COPY,
    REPLAY_LOOK_SET,
    REPLAY_LOOK_CALL
};

struct replay_cell {
    uint32_t of; /* of a kernel its row, of a call its enum call_category; of what takes most of the column */
    uint8_t look;    /* enum replay_look */
    uint8_t eighths; /* of the column that are busy; of what is there at least 1 */
    bool path;       /* the critical path goes through it */
};

struct replay_drawing {
    int64_t length_ns;        /* of the stretch */
    int64_t ns[REPLAY_PARTS]; /* of the critical path of all of the loop */
    int64_t path_ns;          /* their sum */
    struct replay_cell cells[REPLAY_PICTURE_ROWS][REPLAY_PICTURE_COLUMNS];
    uint8_t
        parts[REPLAY_PICTURE_COLUMNS]; /* the path's part that takes most of the column; REPLAY_PARTS: none */
};

struct replay_stretch {
    uint64_t first, end; /* operations of the loop, from 0 */
    uint32_t columns;    /* at most REPLAY_PICTURE_COLUMNS */
};

struct replay_picture {
    struct replay_stretch stretch;
    uint32_t rows, left_out; /* threads and streams that are drawn; that have work in it, but are not */
    uint32_t tracks[REPLAY_PICTURE_ROWS]; /* of the session; first threads, then streams */
    int64_t span_ns;                      /* of the axis */
    struct replay_drawing measured, edited;
};

/* The critical path of the loop as it was measured, in the columns of a time of the session. */
#define REPLAY_LINE_COLUMNS 320
#define REPLAY_LINE_TRACKS 24
struct replay_line {
    int64_t start_ns, end_ns;
    uint32_t columns;                           /* at most REPLAY_LINE_COLUMNS */
    uint32_t count, tracks[REPLAY_LINE_TRACKS]; /* of the session, that it goes along in this time */
    uint8_t on[REPLAY_LINE_TRACKS][REPLAY_LINE_COLUMNS / 8]; /* a bit for each column */
    uint8_t parts[REPLAY_LINE_COLUMNS]; /* the part that takes most of the column; REPLAY_PARTS: none */
};
/* Of its start_ns, end_ns and columns. STATUS_MEMORY. */
enum status replay_line_make(struct replay *replay, struct replay_line *line, struct error *error);
bool replay_line_on(const struct replay_line *line, uint32_t track, uint32_t column);
char replay_part_letter(enum replay_part part); /* 'K' */

/* Replays the loop with the set (as what_if_edited_ns) and draws. Of a picture of the same stretch what was
 * drawn of the measured run is kept. Returns the loop's time with the set in *after_ns. STATUS_MEMORY. */
enum status replay_picture_make(struct replay *replay, struct replay_stretch stretch,
                                const struct what_if *list, struct what_if_set set,
                                struct replay_picture *picture, int64_t *after_ns, struct error *error);

#endif
