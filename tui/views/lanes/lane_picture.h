/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of one memory instruction of one warp. Memory: a row for each 128-byte line, with a cell for
 * each 4-byte word that shows the lane that accesses it. Shared memory: a cell for each bank, with the words
 * that lanes access in it below each other. An atomic serves the lanes on one word one after the other: they
 * are below each other, in memory as in a bank. A step is what is served at one time: a sector of memory, a
 * row of shared memory, a pass of an atomic. Pure except for the canvas; the tui's thread.
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
    char heading[40];       /* the lanes that the next rows belong to; "": it is a row of cells */
    char cells[LANE_CELLS]; /* a lane's letter, '+' several lanes, '.' moved or idle, ' ' nothing */
    uint32_t line;          /* of memory: its number, from the first one */
    uint32_t place;         /* in the queue of the bank, or of an atomic's word, from 1 */
    uint32_t step;          /* the first step drawn in the row */
    uint8_t moved;          /* of memory: a bit for each sector of the line */
};
struct lane_picture {
    bool shared;
    bool passes;          /* an atomic in global memory: the steps are passes */
    bool one_by_one;      /* lanes on one word are served one after the other */
    uint32_t cost, ideal; /* sectors, wavefronts or passes, by the rules */
    char sentence[160];   /* the cost in words */
    struct lane_row rows[LANE_ROWS_MAX];
    int count;
    uint32_t cells; /* in a row */
    uint32_t steps; /* number of sectors or rows drawn */
};

/* "sectors", "wavefronts", "passes"; of one "sector". */
const char *lane_picture_unit(const struct lane_picture *picture, uint32_t count);
/* The bank of an address in shared memory. */
uint32_t lane_picture_bank(const struct arch *arch, uint64_t address);
/* Lane 0...31 as a letter: 0-9, a-v. */
char lane_letter(uint32_t lane);
void lane_picture_make(struct lane_picture *picture, const struct arch *arch,
                       const struct tui_access *access);

struct lane_picture_options {
    int top;       /* first row that is shown, if not all fit */
    uint32_t step; /* from 1: its lanes are highlighted, the others dim; 0: all are highlighted */
    bool halves;   /* if rows would not fit otherwise, draw two rows in a line, without letters */
    bool color;    /* the legend explains colours */
};
/* What a step is: the same, or "rows" where they are not what is counted. */
const char *lane_picture_step_unit(const struct lane_picture *picture, uint32_t count);
/* "wavefront 3 of 32: lane 2", or that all lanes have been served; step counts from 1. */
void lane_picture_print_step(const struct lane_picture *picture, uint32_t step, char *text,
                             size_t size_bytes);
/* The row in which the step is drawn. */
int lane_picture_row_of(const struct lane_picture *picture, uint32_t step);

/* The size of a cell in an area of this size; 0: not all rows fit. */
int lane_picture_cell(const struct lane_picture *picture, int width, int height);
/* The fewest lines in which all rows fit; more than `most`: they do not fit in `most` lines. */
int lane_picture_lines(const struct lane_picture *picture, int width, int most);
/* The number of rows that fit in the area, at most those of the picture. */
int lane_picture_rows(const struct lane_picture *picture, struct rect area, bool halves);
/* Draws the rows in as many columns as they need, with cells as large as fit. Returns the lines taken. */
int lane_picture_draw(struct canvas *canvas, struct rect area, const struct lane_picture *picture,
                      const struct lane_picture_options *options);
/* Draws the legend of the cells of such an area, in one line. */
void lane_picture_legend(struct canvas *canvas, struct rect line, struct rect area,
                         const struct lane_picture *picture, const struct lane_picture_options *options);

#endif
