/*
 * The picture of one memory instruction of one warp. Memory: a row for each 128-byte line, in it a cell for
 * each 4-byte word with the lane that wants it. Shared memory: a cell for each bank, the words that lanes
 * want of it below each other. A step is what is served at a time: a sector of memory, a row of shared
 * memory. Pure but for the canvas; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_PICTURE_H
#define TUI_VIEWS_LANE_PICTURE_H

#include "tui/frame/host.h"
#include "tui/terminal/canvas.h"

#include <stdbool.h>
#include <stdint.h>

#define LANE_ROWS_MAX 160
#define LANE_CELLS 32 /* words of a line, banks */

struct lane_row {
    char heading[40];       /* which lanes the next rows are of; "": it is a row of cells */
    char cells[LANE_CELLS]; /* a lane's letter, '+' several, '.' moved or idle, ' ' nothing */
    uint32_t label;         /* line, from the first one on; or the place in the bank's queue, from 1 */
    uint32_t step;          /* the first that is drawn in it */
    uint8_t moved;          /* of memory: a bit for each of its sectors */
};
struct lane_picture {
    bool shared;
    uint32_t cost, ideal; /* sectors or wavefronts, by the rules */
    char sentence[160];   /* what it costs, in words */
    struct lane_row rows[LANE_ROWS_MAX];
    int count;
    uint32_t cells; /* that a row has */
    uint32_t steps; /* sectors or rows that are drawn */
};

/* The bank of an address of shared memory. */
uint32_t lane_picture_bank(const struct arch *arch, uint64_t address);
/* Lane 0...31 as a letter: 0-9, a-v. */
char lane_letter(uint32_t lane);
void lane_picture_make(struct lane_picture *picture, const struct arch *arch,
                       const struct tui_access *access);

struct lane_picture_options {
    int top;       /* first row that is shown, where not all have room */
    uint32_t step; /* from 1: its lanes are lit, the others dim; 0: all are lit */
    bool halves;   /* two rows in a line, without letters, where they have no room otherwise */
    bool color;    /* there are colours to explain */
};
/* "wavefront 3 of 32: lane 2", or that all were served before; step from 1. */
void lane_picture_print_step(const struct lane_picture *picture, uint32_t step, char *text,
                             size_t size_bytes);
/* The row in which the step is drawn. */
int lane_picture_row_of(const struct lane_picture *picture, uint32_t step);

/* The size of a cell in an area of this size; 0: not all rows have room. */
int lane_picture_cell(const struct lane_picture *picture, int width, int height);
/* The fewest lines in which all rows have room; more than `most`: there are not so many. */
int lane_picture_lines(const struct lane_picture *picture, int width, int most);
/* Rows that have room in the area, at most those of the picture. */
int lane_picture_rows(const struct lane_picture *picture, struct rect area, bool halves);
/* Draws the rows in as many columns as they need, their cells as large as there is room. Returns the lines
 * taken. */
int lane_picture_draw(struct canvas *canvas, struct rect area, const struct lane_picture *picture,
                      const struct lane_picture_options *options);
/* What the cells mean in such an area, in one line. */
void lane_picture_legend(struct canvas *canvas, struct rect line, struct rect area,
                         const struct lane_picture *picture, const struct lane_picture_options *options);

#endif
