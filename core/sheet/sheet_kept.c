/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts lie one after the other in one array, and cells have their places, so that all of it can be written
 * as it is. A text that the row before has in the same column is kept once.
 */
#include "core/sheet/sheet_kept.h"

#include "core/base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct keeping {
    struct sheet_sink sink; /* first: the functions of the sink get it */
    struct sheet_kept *kept;
};

static const char *text_at(const struct sheet_kept *kept, uint32_t place)
{
    return place > 0 ? &kept->texts[place - 1] : NULL;
}

/* 1 + the place of the text; `before`: where an equal one may be. */
static uint32_t keep_text(struct sheet_kept *kept, const char *text, uint32_t before)
{
    if (!text || (before > 0 && strcmp(text_at(kept, before), text) == 0))
        return text ? before : 0;
    size_t size = strlen(text) + 1;
    if (size > UINT32_MAX - 1 - kept->text_bytes ||
        !array_grow(kept->texts, kept->text_room, kept->text_bytes, size)) {
        kept->no_memory = true;
        return 0;
    }
    memcpy(&kept->texts[kept->text_bytes], text, size);
    kept->text_bytes += size;
    return (uint32_t)(kept->text_bytes - size) + 1;
}

static void keep_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    struct sheet_kept *kept = ((struct keeping *)sink)->kept;
    size_t columns = (size_t)kept->sheet->column_count, at = kept->rows * columns;
    if (kept->rows >= SHEET_KEPT_ROWS_MAX) {
        kept->left_out++;
        return;
    }
    if (!array_grow(kept->cells, kept->cell_room, at, columns) ||
        !array_grow(kept->groups, kept->row_room, kept->rows, 1)) {
        kept->no_memory = true;
        return;
    }
    for (size_t i = 0; i < columns; i++) {
        const struct sheet_kept_cell *before = kept->rows > 0 ? &kept->cells[at - columns + i] : NULL;
        kept->cells[at + i] =
            (struct sheet_kept_cell){.number = cells[i].number,
                                     .text = keep_text(kept, cells[i].text, before ? before->text : 0),
                                     .id = keep_text(kept, cells[i].id, before ? before->id : 0),
                                     .provenance = cells[i].provenance};
    }
    kept->groups[kept->rows++] = (uint32_t)kept->group_count;
}

static void keep_place(struct sheet_kept *kept, uint32_t **places, size_t *room, size_t *count,
                       const char *text)
{
    if (array_grow(*places, *room, *count, 1))
        (*places)[(*count)++] = keep_text(kept, text, 0);
    else
        kept->no_memory = true;
}

static void keep_group(struct sheet_sink *sink, const char *text)
{
    struct sheet_kept *kept = ((struct keeping *)sink)->kept;
    keep_place(kept, &kept->starts, &kept->start_room, &kept->group_count, text);
}

static void keep_note(struct sheet_sink *sink, const char *text)
{
    struct sheet_kept *kept = ((struct keeping *)sink)->kept;
    keep_place(kept, &kept->notes, &kept->note_room, &kept->note_count, text);
}

enum status sheet_kept_make(struct sheet_kept *kept, const struct sheet *sheet, const void *from,
                            struct error *error)
{
    struct keeping keeping = {.sink = {.group = keep_group, .row = keep_row, .note = keep_note},
                              .kept = kept};
    struct error why = {0};
    *kept = (struct sheet_kept){.sheet = sheet};
    enum status status = sheet_make(sheet, from, &keeping.sink, &why);
    if (status == STATUS_STATE) {
        snprintf(kept->why, sizeof kept->why, "%.*s", (int)sizeof kept->why - 1, why.text);
        status = STATUS_OK;
    }
    if (status == STATUS_OK && kept->no_memory)
        status = error_no_memory(&why, "for the rows of the table %s", sheet->id);
    if (status != STATUS_OK && error)
        *error = why;
    if (status != STATUS_OK)
        sheet_kept_fini(kept);
    return status;
}

void sheet_kept_fini(struct sheet_kept *kept)
{
    free(kept->cells);
    free(kept->groups);
    free(kept->starts);
    free(kept->notes);
    free(kept->texts);
    *kept = (struct sheet_kept){0};
}

struct sheet_cell sheet_kept_cell(const struct sheet_kept *kept, size_t row, int column)
{
    const struct sheet_kept_cell *cell =
        &kept->cells[row * (size_t)kept->sheet->column_count + (size_t)column];
    return (struct sheet_cell){.number = cell->number,
                               .text = text_at(kept, cell->text),
                               .id = text_at(kept, cell->id),
                               .provenance = cell->provenance};
}

const char *sheet_kept_group(const struct sheet_kept *kept, uint32_t group)
{
    const char *text =
        group > 0 && group <= kept->group_count ? text_at(kept, kept->starts[group - 1]) : NULL;
    return text ? text : "";
}

const char *sheet_kept_note(const struct sheet_kept *kept, size_t index)
{
    return index < kept->note_count ? text_at(kept, kept->notes[index]) : NULL;
}

/* ---- as a file ---- */
/* The arrays in the order of the file, and their elements. */
struct part {
    void **array;
    size_t size_bytes;
};
#define PARTS 5

static void list_parts(struct sheet_kept *kept, struct part parts[PARTS])
{
    size_t columns = (size_t)kept->sheet->column_count;
    parts[0] = (struct part){(void **)&kept->cells, kept->rows * columns * sizeof *kept->cells};
    parts[1] = (struct part){(void **)&kept->groups, kept->rows * sizeof *kept->groups};
    parts[2] = (struct part){(void **)&kept->starts, kept->group_count * sizeof *kept->starts};
    parts[3] = (struct part){(void **)&kept->notes, kept->note_count * sizeof *kept->notes};
    parts[4] = (struct part){(void **)&kept->texts, kept->text_bytes};
}

static bool write_bytes(int file, const void *bytes, size_t size_bytes)
{
    const char *from = bytes;
    while (size_bytes > 0) {
        ssize_t written = write(file, from, size_bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        size_bytes -= (size_t)written;
    }
    return true;
}

static bool read_bytes(int file, void *bytes, size_t size_bytes)
{
    char *to = bytes;
    while (size_bytes > 0) {
        ssize_t got = read(file, to, size_bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size_bytes -= (size_t)got;
    }
    return true;
}

enum status sheet_kept_write(const struct sheet_kept *kept, int file, struct error *error)
{
    struct sheet_kept all = *kept;
    struct part parts[PARTS];
    list_parts(&all, parts);
    bool fine = write_bytes(file, &all, sizeof all);
    for (size_t i = 0; i < PARTS && fine; i++)
        fine = write_bytes(file, *parts[i].array, parts[i].size_bytes);
    return fine ? STATUS_OK
                : error_set_errno(error, STATUS_IO, errno, "Cannot keep the rows of the table %s",
                                  kept->sheet->id);
}

enum status sheet_kept_read(struct sheet_kept *kept, const struct sheet *sheet, int file, struct error *error)
{
    struct part parts[PARTS];
    bool fine = read_bytes(file, kept, sizeof *kept);
    if (!fine)
        kept->rows = kept->group_count = kept->note_count = kept->text_bytes = 0;
    kept->sheet = sheet;
    list_parts(kept, parts);
    for (size_t i = 0; i < PARTS; i++)
        *parts[i].array = NULL;
    for (size_t i = 0; i < PARTS && fine; i++) {
        *parts[i].array = parts[i].size_bytes > 0 ? malloc(parts[i].size_bytes) : NULL;
        fine = (parts[i].size_bytes == 0 || *parts[i].array) &&
               read_bytes(file, *parts[i].array, parts[i].size_bytes);
    }
    if (fine)
        return STATUS_OK;
    sheet_kept_fini(kept);
    return error_set(error, STATUS_IO, "The rows of the table %s could not be read back.", sheet->id);
}
