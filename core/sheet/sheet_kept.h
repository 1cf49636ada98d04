/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a sheet, kept: a sink that copies groups, cells and notes, for a table that sorts and filters
 * them. It can be written to a file and read back by the same program, so that one process makes the rows and
 * another shows them. Owned by the caller; one thread at a time.
 */
#ifndef CORE_SHEET_SHEET_KEPT_H
#define CORE_SHEET_SHEET_KEPT_H

#include "core/sheet/sheet.h"

#include <stdint.h>

#define SHEET_KEPT_ROWS_MAX 200000u /* further rows are counted in left_out */

struct sheet_kept_cell {
    double number;
    uint32_t text, id; /* 1 + places in `texts`; 0: NULL */
    int32_t provenance;
};

struct sheet_kept { /* all zeros: nothing is kept */
    const struct sheet *sheet;
    struct sheet_kept_cell *cells; /* row by row, the sheet's columns in each */
    uint32_t *groups;              /* of each row: which of `starts`, from 1; 0: before the first group */
    uint32_t *starts, *notes;      /* 1 + places in `texts`; a group without text: 0 */
    char *texts;
    size_t rows, left_out, group_count, note_count;
    char why[400]; /* why the rows are not all there: events were evicted from memory; "": they are */
    /* Rooms of the arrays, bytes used in `texts`, and whether memory ran out. */
    size_t cell_room, row_room, start_room, note_room, text_bytes, text_room;
    bool no_memory;
};

/* Makes and keeps the rows. STATUS_STATE of the sheet is no failure: `why` says it. What was kept before must
 * have been freed. */
enum status sheet_kept_make(struct sheet_kept *kept, const struct sheet *sheet, const void *from,
                            struct error *error);
void sheet_kept_fini(struct sheet_kept *kept);

/* The texts of a cell are valid until sheet_kept_fini. */
struct sheet_cell sheet_kept_cell(const struct sheet_kept *kept, size_t row, int column);
const char *sheet_kept_group(const struct sheet_kept *kept, uint32_t group); /* from 1; "": it has no text */
const char *sheet_kept_note(const struct sheet_kept *kept, size_t index);    /* NULL past the end */

/* To a file and back, from where it stands; what the file says is not checked. STATUS_IO. */
enum status sheet_kept_write(const struct sheet_kept *kept, int file, struct error *error);
enum status sheet_kept_read(struct sheet_kept *kept, const struct sheet *sheet, int file,
                            struct error *error);

#endif
