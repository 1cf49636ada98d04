/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a picture are placed in columns, one column after the other. A grid gives the number of columns
 * and the size of a cell; of the grids that show all rows the one with the largest cells is used, and if
 * there is none, the one that shows the most rows.
 */
#include "tui/views/lanes/lane_picture.h"

#include "tui/terminal/text.h"
#include "tui/widgets/field.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_CELLS 8
#define LINE_BYTES 128
#define CELL_WIDTH_MAX 8
#define CELL_HEIGHT_MAX 5
#define NUMBER_WIDTH 3 /* in a cell of this width or more a lane is shown as a number */
#define NAME_CELLS 4   /* "bank" */

struct grid {
    int columns, pitch; /* cells of the terminal from one column to the next */
    int head, lines;    /* lines for the banks' numbers; rows in a column */
    int label, width, height;
    bool bytes;  /* labels are offsets in bytes, not numbers of lines */
    bool halved; /* two rows in a line */
};

/* ---- its size ---- */

static void print_label(const struct lane_picture *picture, const struct lane_row *row, bool bytes,
                        char *text, size_t size_bytes)
{
    bool one_line = picture->passes && picture->rows[picture->count - 1].line == 0;
    if (picture->shared || row->place > 1 || one_line)
        snprintf(text, size_bytes, "%" PRIu32, row->place);
    else if (!bytes)
        snprintf(text, size_bytes, "%" PRIu32, row->line);
    else
        snprintf(text, size_bytes, "+%" PRIu64, (uint64_t)row->line * LINE_BYTES);
}

static int label_cells(const struct lane_picture *picture, bool bytes)
{
    int most = 0;
    for (int i = 0; i < picture->count; i++) {
        char text[24];
        print_label(picture, &picture->rows[i], bytes, text, sizeof text);
        most = (int)strlen(text) > most ? (int)strlen(text) : most;
    }
    return most;
}

/* Cells for the lines between sectors and around the row. */
static int frame_cells(const struct lane_picture *picture)
{
    return picture->shared ? 2 : LANE_CELLS / SECTOR_CELLS + 1;
}

static struct grid grid_of_columns(const struct lane_picture *picture, int columns, int width, int height)
{
    struct grid grid = {.columns = columns, .pitch = width / columns};
    int cells = (int)picture->cells, bytes = label_cells(picture, true) + 1;
    int least = label_cells(picture, false), room = grid.pitch - frame_cells(picture);
    grid.lines = (picture->count + columns - 1) / columns;
    grid.width = (room - least) / cells;
    grid.bytes = (room - bytes) / cells == grid.width;
    grid.label = grid.bytes ? bytes : least;
    if (grid.width < 1) { /* in a single column, cells are more useful than labels */
        grid.width = columns == 1;
        grid.label = 0;
    }
    grid.width = grid.width > CELL_WIDTH_MAX ? CELL_WIDTH_MAX : grid.width;
    grid.height = grid.lines > 0 ? height / grid.lines : 1;
    grid.height = grid.height > CELL_HEIGHT_MAX ? CELL_HEIGHT_MAX : grid.height;
    return grid;
}

/* The banks' numbers are above the columns, except if two rows share a line and no line is left for them. */
static struct grid grid_of(const struct lane_picture *picture, int width, int height, bool halves)
{
    int head = picture->shared;
    struct grid best = grid_of_columns(picture, 1, width, height - head);
    for (int columns = 2; columns <= picture->count; columns++) {
        struct grid grid = grid_of_columns(picture, columns, width, height - head);
        if (grid.width < 1)
            break;
        if (best.height == 0 || grid.width * grid.height > best.width * best.height)
            best = grid;
    }
    best.head = head;
    if (best.height == 0) { /* not all rows fit */
        best.height = 1;
        best.halved = halves;
        best.head = halves && 2 * (height - head) < picture->count ? 0 : head;
        best.lines = halves ? 2 * (height - best.head) : height - head;
        if (halves && best.lines > picture->count)
            best.lines = picture->count + picture->count % 2;
    }
    return best;
}

int lane_picture_cell(const struct lane_picture *picture, int width, int height)
{
    struct grid grid = {0};
    if (picture->count > 0)
        grid = grid_of(picture, width, height, false);
    return grid.columns * grid.lines >= picture->count ? grid.width * grid.height : 0;
}

int lane_picture_lines(const struct lane_picture *picture, int width, int most)
{
    int lines = 1;
    while (lines <= most && lane_picture_cell(picture, width, lines) == 0)
        lines++;
    return lines;
}

int lane_picture_rows(const struct lane_picture *picture, struct rect area, bool halves)
{
    if (picture->count == 0)
        return 0;
    struct grid grid = grid_of(picture, area.width, area.height, halves);
    return grid.columns * grid.lines < picture->count ? grid.columns * grid.lines : picture->count;
}

/* ---- steps ---- */

/* The step in which the cell's lane is served, from 1. */
static uint32_t step_of(const struct lane_picture *picture, const struct lane_row *row, int cell)
{
    uint32_t before = picture->shared ? 0 : row->moved & ((1u << cell / SECTOR_CELLS) - 1);
    return row->step + (uint32_t)__builtin_popcount(before) + 1;
}

int lane_picture_row_of(const struct lane_picture *picture, uint32_t step)
{
    int at = 0;
    for (int i = 0; i < picture->count; i++)
        if (picture->rows[i].heading[0] == '\0' && picture->rows[i].step < step)
            at = i;
    return at;
}

const char *lane_picture_step_unit(const struct lane_picture *picture, uint32_t count)
{
    if (picture->shared && picture->steps != picture->cost)
        return count == 1 ? "row" : "rows";
    return lane_picture_unit(picture, count);
}

void lane_picture_print_step(const struct lane_picture *picture, uint32_t step, char *text, size_t size_bytes)
{
    const struct lane_row *row = &picture->rows[lane_picture_row_of(picture, step)];
    const char *unit = lane_picture_step_unit(picture, 1);
    char lanes[LANE_CELLS + 1] = "";
    size_t used = 0, count = 0;
    if (step > picture->steps) {
        snprintf(text, size_bytes, "all served in %" PRIu32 " %s", picture->steps,
                 lane_picture_step_unit(picture, picture->steps));
        return;
    }
    for (int i = 0; i < (int)picture->cells; i++) {
        char letter = row->cells[i];
        if (step_of(picture, row, i) != step || letter == '.' || letter == ' ' ||
            (letter != '+' && strchr(lanes, letter)))
            continue;
        count += letter != '+';
        lanes[used++] = letter;
    }
    snprintf(text, size_bytes, "%s %" PRIu32 " of %" PRIu32 ": lane%s %s", unit, step, picture->steps,
             count == 1 ? "" : "s", lanes);
}

/* ---- drawing ---- */

/* A lane's number from its letter; NONE for '+' and '.'. */
static int lane_of(char letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' ? letter - 'a' + 10 : -1;
}

/* The waste on the cell's bank or sector, 0 to STYLE_LANE_SHADES - 1: lanes that wait before it in its bank
 * or for its word, or words of its sector that no lane requests. */
static int shade_of(const struct lane_picture *picture, const struct lane_row *row, int cell)
{
    if (picture->shared || picture->passes)
        return row->place == 1 ? 0 : row->place <= 4 ? 1 : 2;
    int wanted = 0;
    for (int i = 0; i < SECTOR_CELLS; i++)
        wanted += lane_of(row->cells[cell / SECTOR_CELLS * SECTOR_CELLS + i]) >= 0 ||
                  row->cells[cell / SECTOR_CELLS * SECTOR_CELLS + i] == '+';
    return wanted == SECTOR_CELLS ? 0 : 2 * wanted >= SECTOR_CELLS ? 1 : 2;
}

/* A lane is drawn on the hue of its sector or bank; a byte that no lane requests is drawn in the hue, without
 * a background. Idle banks have no colour: a change of colour in every cell would mean ten times the bytes
 * for the terminal. Without colours the background is reverse video. */
static struct style style_of(const struct lane_picture *picture, const struct lane_row *row, int cell,
                             uint32_t lit)
{
    uint32_t step = step_of(picture, row, cell);
    uint32_t sector = row->line * (LANE_CELLS / SECTOR_CELLS) + (uint32_t)(cell / SECTOR_CELLS);
    int hue = (int)(picture->shared ? (uint32_t)cell : picture->passes ? sector : step - 1) % STYLE_LANE_HUES;
    int color = COLOR_LANE + shade_of(picture, row, cell) * STYLE_LANE_HUES + hue;
    if ((lit != 0 && lit != step) || (picture->shared && row->cells[cell] == '.'))
        return STYLE(COLOR_DIM, COLOR_NONE, 0);
    return row->cells[cell] == '.' ? STYLE(COLOR_LANE_DOT + hue, COLOR_NONE, 0)
                                   : STYLE(COLOR_LANE_INK, color, 0);
}

static void draw_cell(struct canvas *canvas, struct rect cell, char letter, struct style style)
{
    int y = cell.y + (cell.height - 1) / 2, lane = lane_of(letter);
    canvas_fill(canvas, cell, letter == '.' ? '.' : ' ', style);
    if (cell.width >= NUMBER_WIDTH && lane >= 0)
        canvas_printf(canvas, cell.x + (cell.width - 2) / 2, y, 2, style, "%2d", lane);
    else
        canvas_put(canvas, cell.x + (cell.width - 1) / 2, y, (unsigned char)letter, style);
}

static int draw_line(struct canvas *canvas, int x, int y, int height)
{
    for (int i = 0; i < height; i++)
        canvas_glyph(canvas, x, y + i, GLYPH_VERTICAL, STYLE(COLOR_FRAME, COLOR_NONE, 0));
    return x + 1;
}

static void count_use(const struct lane_picture *picture, const struct lane_row *row, int *used, int *moved)
{
    *used = *moved = 0;
    for (int i = 0; i < (int)picture->cells; i++) {
        *used += row->cells[i] != ' ' && row->cells[i] != '.';
        *moved += row->cells[i] != ' ';
    }
}

/* Says after a line of cells what it uses of what it costs: the words that lanes request of those that are
 * moved, or the banks that work of all. Of two rows in a line only if each is the same. Nothing if it does
 * not fit before `end`. */
static void draw_note(struct canvas *canvas, int x, int y, int end, const struct lane_picture *picture,
                      const struct lane_row *upper, const struct lane_row *lower)
{
    static const char *const between[] = {" of ", "/"};
    int used, moved, used_below, moved_below;
    if (upper->heading[0] != '\0')
        return;
    count_use(picture, upper, &used, &moved);
    count_use(picture, lower ? lower : upper, &used_below, &moved_below);
    if (used != used_below || moved != moved_below)
        return;
    for (int i = 0; i < 2; i++) {
        char text[60];
        int cells = snprintf(text, sizeof text, "%d%s%d %s%s", used, between[i], moved,
                             picture->shared ? "banks" : "words", lower ? " each" : "");
        if (cells > end - x)
            continue;
        canvas_text(canvas, x, y, end - x, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
        return;
    }
}

static void draw_row(struct canvas *canvas, int x, int y, const struct grid *grid,
                     const struct lane_picture *picture, const struct lane_row *row, uint32_t lit)
{
    int end = x + grid->pitch - 1;
    char label[24];
    if (row->heading[0] != '\0') {
        canvas_text(canvas, x + grid->label + 1, y + grid->height - 1, grid->pitch - grid->label - 1,
                    STYLE(COLOR_DIM, COLOR_NONE, 0), row->heading);
        return;
    }
    print_label(picture, row, grid->bytes, label, sizeof label);
    if (grid->label > 0)
        field_number(canvas, x, y + (grid->height - 1) / 2, grid->label, STYLE(COLOR_DIM, COLOR_NONE, 0),
                     label);
    x += grid->label;
    for (int i = 0; i < (int)picture->cells; i++) {
        if (i == 0 || (!picture->shared && i % SECTOR_CELLS == 0))
            x = draw_line(canvas, x, y, grid->height);
        if (row->cells[i] == ' ')
            canvas_fill(canvas, (struct rect){x, y, grid->width, grid->height}, ' ',
                        STYLE(COLOR_DIM, COLOR_TRACK, 0));
        else
            draw_cell(canvas, (struct rect){x, y, grid->width, grid->height}, row->cells[i],
                      style_of(picture, row, i, lit));
        x += grid->width;
    }
    x = draw_line(canvas, x, y, grid->height) + 1;
    draw_note(canvas, x, y + (grid->height - 1) / 2, end, picture, row, NULL);
}

static bool has_lane(const struct lane_picture *picture, int row, int cell, uint32_t lit)
{
    const struct lane_row *of = row < picture->count ? &picture->rows[row] : NULL;
    return of && of->heading[0] == '\0' && of->cells[cell] != ' ' && of->cells[cell] != '.' &&
           (lit == 0 || lit == step_of(picture, of, cell));
}

/* Draws a row and the next one in the same line. */
static void draw_pair(struct canvas *canvas, int x, int y, const struct grid *grid,
                      const struct lane_picture *picture, int row, uint32_t lit)
{
    int end = x + grid->pitch - 1;
    char label[24] = "";
    if (picture->rows[row].heading[0] == '\0')
        print_label(picture, &picture->rows[row], grid->bytes, label, sizeof label);
    if (grid->label > 0)
        field_number(canvas, x, y, grid->label, STYLE(COLOR_DIM, COLOR_NONE, 0), label);
    x += grid->label;
    for (int i = 0; i < (int)picture->cells; i++, x += grid->width) {
        bool upper = has_lane(picture, row, i, lit), lower = has_lane(picture, row + 1, i, lit);
        const struct lane_row *of = &picture->rows[upper ? row : lower ? row + 1 : row];
        uint8_t color = style_of(picture, of, i, 0).background;
        if (i == 0 || (!picture->shared && i % SECTOR_CELLS == 0))
            x = draw_line(canvas, x, y, 1);
        for (int j = 0; j < grid->width && (upper || lower); j++)
            canvas_glyph(canvas, x + j, y,
                         !lower  ? GLYPH_UPPER
                         : upper ? GLYPH_FULL
                                 : GLYPH_LOWER,
                         STYLE(color, COLOR_NONE, 0));
        if (!upper && !lower && (of->cells[i] == '.' || has_lane(picture, row, i, 0)))
            canvas_put(canvas, x, y, '.', STYLE(COLOR_DIM, COLOR_NONE, 0));
        else if (!upper && !lower)
            canvas_fill(canvas, (struct rect){x, y, grid->width, 1}, ' ', STYLE(COLOR_DIM, COLOR_TRACK, 0));
    }
    x = draw_line(canvas, x, y, 1) + 1;
    draw_note(canvas, x, y, end, picture, &picture->rows[row],
              row + 1 < picture->count ? &picture->rows[row + 1] : NULL);
}

static void draw_banks(struct canvas *canvas, int x, int y, const struct grid *grid,
                       const struct lane_picture *picture)
{
    if (grid->label >= NAME_CELLS)
        canvas_text(canvas, x, y, grid->label, STYLE(COLOR_DIM, COLOR_NONE, 0), "bank");
    x += grid->label + 1;
    for (uint32_t bank = 0; bank < picture->cells; bank++, x += grid->width)
        draw_cell(canvas, (struct rect){x, y, grid->width, 1}, lane_letter(bank),
                  STYLE(COLOR_DIM, COLOR_NONE, 0));
}

int lane_picture_draw(struct canvas *canvas, struct rect area, const struct lane_picture *picture,
                      const struct lane_picture_options *options)
{
    if (area.height <= picture->shared || picture->count == 0)
        return 0;
    struct grid grid = grid_of(picture, area.width, area.height, options->halves);
    int head = grid.head;
    for (int column = 0; column < grid.columns; column++) {
        int x = area.x + column * grid.pitch, first = options->top + column * grid.lines;
        if (head > 0 && first < picture->count)
            draw_banks(canvas, x, area.y, &grid, picture);
        for (int i = 0; i < grid.lines && first + i < picture->count && grid.halved; i += 2)
            draw_pair(canvas, x, area.y + head + i / 2, &grid, picture, first + i, options->step);
        for (int i = 0; i < grid.lines && first + i < picture->count && !grid.halved; i++)
            draw_row(canvas, x, area.y + head + i * grid.height, &grid, picture, &picture->rows[first + i],
                     options->step);
    }
    return head + (grid.halved ? grid.lines / 2 : grid.lines * grid.height);
}

void lane_picture_legend(struct canvas *canvas, struct rect line, struct rect area,
                         const struct lane_picture *picture, const struct lane_picture_options *options)
{
    struct grid grid = {0};
    if (picture->count > 0)
        grid = grid_of(picture, area.width, area.height, options->halves);
    const char *text = grid.halved       ? "a block: a lane; two rows in a line; . unused or idle"
                       : picture->shared ? "lane 0-9 a-v; + several on one word; . idle; a row per wavefront"
                       : picture->passes
                           ? "4 B a cell: lane 0-9 a-v; + several; . unused; a pass per row and sector"
                           : "4 B a cell: lane 0-9 a-v; + several; . moved unused";
    if (text_width(text, line.width + 1) > line.width)
        text = grid.halved ? "a block: a lane; . unused" : "lane 0-9 a-v; + several; . unused";
    const char *hues[] = {picture->shared   ? "; a hue per bank, stronger: later"
                          : picture->passes ? "; a hue per sector, stronger: later"
                                            : "; a hue per sector, stronger: less used",
                          picture->shared ? "; a hue per bank" : "; a hue per sector"};
    int taken = canvas_text(canvas, line.x, line.y, line.width, STYLE(COLOR_DIM, COLOR_NONE, 0), text);
    for (int i = 0; options->color && i < 2; i++) {
        if (text_width(hues[i], line.width + 1) > line.width - taken)
            continue;
        canvas_text(canvas, line.x + taken, line.y, line.width - taken, STYLE(COLOR_DIM, COLOR_NONE, 0),
                    hues[i]);
        return;
    }
}
